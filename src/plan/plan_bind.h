/* plan_bind.h - which parameters and outputs the lines of a plan mean.
 *
 * A plan names things by number, name or glob; here the names are looked up in
 * the two programs.  A line with a glob binds several parameters.  A reference
 * without counterpart means the baseline parameter of the same name or op_name,
 * else, as for a number, the one of the same number.
 *
 * Lines about instructions (obligations, hypotheses, cuts, and counterparts
 * that are inner values) are left as the text that was written: an instruction
 * may be an inlined one, which only the lowering knows.
 *
 * Everything lives in the arena given; the lines are copies of the plan's.
 */
#ifndef DIVERGE_PLAN_BIND_H
#define DIVERGE_PLAN_BIND_H

#include "plan/plan.h"
#include "tensor/graph.h"

/* One parameter or output. */
struct plan_bound {
	const struct plan_line *relation;	/* a chain, a value or any; NULL: no line says */
	const struct plan_line *range;		/* a range or > 0; NULL: none */
	int base;	/* DIST only: the counterpart's number; -1: a value, or relation->base is an instruction */
};

struct plan_binding {
	int ninput, noutput, nbase_input, nbase_output;
	struct plan_bound *input, *output;		/* of DIST, by number */
	struct plan_bound *base_input, *base_output;	/* pins and ranges; with a base mesh also chains */
	int ninner;
	const struct plan_line **inner;		/* lines whose subject is an instruction, in order */
};

/* NULL and a diag with the plan's line: a name or number that is not there, or a
 * parameter that two lines name. */
struct plan_binding *plan_bind(arena *a, const struct plan *p, const module *base, const module *dist,
			       struct diag *d);

int plan_outputs(const module *m);	/* elements of the root, of nested tuples one after another */

#endif
