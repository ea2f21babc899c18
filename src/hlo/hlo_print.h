/* hlo_print.h - a module as HLO text.
 *
 * What is printed reads back to an equal module (module_difference).  Element
 * accesses written short (%t#1) stay short; packed stacks become tables of
 * frames; async pairs written short are spelled out.
 */
#ifndef DIVERGE_HLO_PRINT_H
#define DIVERGE_HLO_PRINT_H

#include <stdio.h>
#include "tensor/graph.h"

void hlo_print(FILE *f, const module *m);
/* Without operand shapes and without layouts that are the default. */
void hlo_print_shape(FILE *f, const shape *s);
void hlo_print_literal(FILE *f, const literal *x, const shape *s);
/* In double quotes, escaped. */
void hlo_print_string(FILE *f, const char *s);

#endif
