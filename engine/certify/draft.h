/* draft.h - a node with its own labels while it is put together.
 *
 * A draft lives on the stack; its work and labels are the algebra's scratch.
 * Labels first (free ones before bound ones), then operands in order, then
 * done().  Where the algebra refuses it leaves by longjmp (core.h): callers
 * stand inside rule_core's setjmp.
 */
#ifndef DIVERGE_DRAFT_H
#define DIVERGE_DRAFT_H

#include "certify/dice.h"
#include "core/work.h"

struct labels {
	int nfree, nall;
	label *l[6];		/* free ones first */
};

struct draft {
	struct dice *d;
	work *w;
	struct labels l;
	int nbound;
};

struct draft draft(struct dice *d, enum core_kind kind, int type, const char *fn);	/* fn NULL: none */
label *over(struct draft *r, int64_t n, bool bound);	/* a new label of n places */
void reads(struct draft *r, eg_id x, ix *e, rat c);	/* one more operand; c: its coefficient or power */
eg_id done(struct draft *r);
eg_id closed(struct dice *d, work *w, const struct labels *l, int nbound);	/* done() for a work without a draft */

/* Index expressions: strides of one label or two; T(l) in 0..most. */
ix *at(struct draft *r, label *l, int64_t stride);
ix *at2(struct draft *r, label *x, int64_t sx, label *y, int64_t sy);
ix *index_table(struct draft *r, label *l, int most);

/* A constant over labels, its values asked for place by place. */
slot table_slot(struct draft *r, int type, int nl, label *const *l, double (*value)(struct dice *d, int64_t i));
double zero_or_one(struct dice *d, int64_t i);		/* 1 at the first place */
double first_alone(struct dice *d, int64_t i);		/* 1 there and nowhere else */

eg_id plain(struct dice *d, int type, int64_t n, const char *name);	/* a parameter of n numbers */
eg_id positive(struct dice *d, int64_t n);				/* .. of positive ones */
eg_id whole_map(struct dice *d, const char *fn, eg_id x);		/* fn of all of x */
const char *picking(struct dice *d);		/* which of the largest C_PICK takes */
eg_id least(struct dice *d, bool max);		/* what no maximum (or minimum) takes: -inf (or inf) */
int some_size(struct dice *d);

#endif
