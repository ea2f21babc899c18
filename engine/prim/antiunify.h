/* antiunify.h - several slots as instances of one expression: anti-unification, for N23, N24 and N27.
 *
 * Several slots become one slot over a fresh label s, whose instances at
 * s = t_k(..) they are.  The first index that differs says what s is; any
 * other, a place that data choose, and a constant must be functions of s.  Under
 * masks, they are compared only where the instance's own mask is not 0.  The
 * expression is gone through twice: nothing is built before it is known that
 * there is one.
 *
 * All memory is scratch.  What is opened or found equal on the way is noted as
 * premises of the firing.
 */
#ifndef DIVERGE_ANTIUNIFY_H
#define DIVERGE_ANTIUNIFY_H

#include "core/mask.h"

enum { GROUP_MAX = 32, SPAN_MAX = 4096, TERM_LABELS = 64, PRIVATE_MAX = 128, BOUND_MAX = 128 };

struct antiunify {
	algebra *a;
	int n;			/* instances */
	label *s;		/* NULL until two indices differ */
	slot t[GROUP_MAX];	/* per instance: values of s, a table over labels */
	slot mask[GROUP_MAX];	/* where the instance counts */
	bool masked;		/* masks are compared */
	const slot *choice;	/* two instances, the first where this holds: an index is then the one or the other */
	bool clash;		/* two indices differ by functions that are not one */
	int nbound;
	label *bound[BOUND_MAX];	/* bound inside the expression: a differing index must not read them */
	bool known;		/* it is known what s is; until then nothing is built */
	int64_t most;		/* values that s may have: without a mask every one has to be taken */
	int npriv;
	struct own_label {
		label *l;
		int of;		/* the instance that sums it */
		bool needed;	/* s has to tell its places apart: nothing else of the instance reads them */
	} priv[PRIVATE_MAX];	/* summed in some instances only */
	eg_id node;		/* the rule fires on it */
	int budget;
};

/* Instance k sums labels b: those that not all sum, and how many values it gives s; false: too many. `table` reads some,
 * NULL: none has to be read. */
bool note_instance(struct antiunify *g, int k, int nb, label *const *b, int nc, label *const *common, const slot *table);
/* What s is, and then the one expression; false: there is none, or g->budget is spent. */
bool antiunify_expression(struct antiunify *g, const slot *t, slot *out);
bool antiunify_slot(struct antiunify *g, const slot *t, slot *out);	/* one pass over it, by what g says is known */
/* One expression over s for several readings of what has len places; NULL when they differ in more than one function. */
ix *antiunify_ix(struct antiunify *g, ix **e, int64_t len);
/* One table for constants: T_k is T(s_k, ..) where instance k counts, over the labels that they read and s, or with `masks`
 * those that masks read, where these say which instance counts. */
bool joint_table(struct antiunify *g, const slot *v, bool masks, slot *out);

/* ---- of slots and indices */

uint64_t slot_skeleton(algebra *a, const slot *t);
void sort_slots(algebra *a, slot *t, int n);	/* by coefficient and skeleton, for operands whose order does not matter */
ix *ix_minus(algebra *a, const ix *x, const ix *y);

#endif
