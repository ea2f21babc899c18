/* lab.h - two small programs in one prover, for tests: texts instead of files.
 *
 * Rules are those of rules/, but for the ones a test leaves out.  A relation is
 * a letter per parameter of the distributed program: R whole, 0..7 sharded along
 * that dimension over all devices, G sharded in segments 6, 3, 3 of dimension 1, A anything (every device its own); output
 * letters likewise, A for not compared.
 */
#ifndef DIVERGE_TEST_LAB_H
#define DIVERGE_TEST_LAB_H

#include "core_eval.h"
#include "interp/interp.h"
#include "lower/lower.h"
#include "pair/pair.h"

typedef struct lab {
	arena a;
	module *bm, *dm;
	program *base, *dist;
	prover *p;
	pair *q;
	mesh ms;
	struct mesh_axis axis;
} lab;

/* Fails the test on texts that cannot be read; `without`: a line of the rule files that holds this text is dropped. */
lab *lab_open(const char *base, const char *dist, int64_t ndev, const char *in, const char *out, const char *without);
/* One program on its own, every parameter anything. */
lab *lab_alone(const char *dist, int64_t ndev);
void lab_free(lab *b);
prover *lab_prover(const char *without);
bool lab_proved(const lab *b);
const row *lab_row(const lab *b, enum program_side side, const char *name);
eg_id lab_core(const lab *b, enum program_side side, const char *name);	/* root of the row's core; fails without a form */
bool lab_related(const lab *b, const char *base, const char *dist);	/* one core */
const char *lab_reason(const lab *b, const char *name);	/* why the distributed row was not lifted */

/* Runs the distributed program on the numbers of `e` and compares every row of the entry with all forms of its class.
 * NULL, or a sentence in e->s; *compared counts rows. */
const char *lab_compare(const lab *b, core_eval *e, int *compared);

#endif
