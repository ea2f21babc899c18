/* excerpt.h - a part of a program as a module of its own, to be run alone.
 *
 * It computes some rows of the program, and nothing that they do not need.  Its
 * parameters are those of the program, and rows at which it stops: whatever the
 * program computes there is left out.  Calls and fusions are inlined, as they are in
 * the rows; loops, branches and the computations they call stay as they are, so
 * that a row inside of one is neither asked for nor stopped at.
 *
 * Instructions are copies, in the program's order; attributes, literals and called
 * computations are the program's, which must outlive the excerpt.
 */
#ifndef DIVERGE_EXCERPT_H
#define DIVERGE_EXCERPT_H

#include "pair/program.h"

typedef struct excerpt excerpt;

excerpt *excerpt_new(program *p);
void excerpt_free(excerpt *x);
bool excerpt_has(const excerpt *x, int row);	/* it can be asked for, and stopped at */
void excerpt_stop(excerpt *x, int row);		/* before it is made */
void excerpt_want(excerpt *x, int row);		/* .. : the next array of the results */
/* The module: its entry's results are a tuple of the rows wanted, in order.  NULL: what is wanted cannot be taken out. */
const module *excerpt_make(excerpt *x);
/* A parameter of the module is an array of the program's inputs (its number, counted through all of them), or -1: the row that
 * is stopped at. */
int excerpt_input(const excerpt *x, int param);
int excerpt_stopped(const excerpt *x, int param);
int excerpt_row(const excerpt *x, const inst *i);	/* the row that an instruction of its entry is, or -1 */

/* How the names of the rows begin that stand in the program where this instruction of the entry does: "", "call.3/"; NULL:
 * it is none of the program. */
const char *excerpt_prefix(const excerpt *x, const inst *i);

#endif
