/* view.h - views between core classes.
 *
 * `view p y` is the core y read at a list of digits, some of them free.  A class
 * is *forwarded* along its views to the best class they lead to: the shortest
 * core, then one whose normal node is no view, then the oldest.  Every
 * other view member is made to agree with that by `view_fire`.  A class that
 * is a view of itself is symmetric; that is not followed (DESIGN section 3).
 *
 * Names of the rules these functions fire are rows of `enum structure_rule`.
 */
#ifndef DIVERGE_VIEW_H
#define DIVERGE_VIEW_H

#include "core/normal.h"

/* Rules that relate forms and views; they are rows of rules/structure.egg. */
#define STRUCTURE_RULES(X) \
	X(VIEW_FORWARD, "view-forward") X(VIEW_MERGE, "view-merge") X(SYMMETRIC, "symmetric") \
	X(LAID_MERGE, "laid-merge") X(LAID_FORWARD, "laid-forward") X(LAID_SYMMETRY, "laid-symmetry")
enum structure_rule {
#define X(n, s) SR_##n,
	STRUCTURE_RULES(X)
#undef X
	SR_COUNT
};
extern uint32_t structure_rule_id[SR_COUNT];	/* numbers of the rules, NIL when switched off */

typedef struct hop {
	eg_id via;		/* the view node that leads there first */
	int n;
	const digit *d;		/* its digits */
	eg_id y;		/* its operand */
} hop;

/* The first view on the way to the best class; false when x's own class is the best. */
bool view_hop(algebra *a, eg_id x, hop *h);
/* Views of x's class on itself, oldest first, at most max; their number. */
int view_symmetries(algebra *a, eg_id x, eg_id *out, int max);
/* x and y as a firing of rule `sr`: a union unless they are one class already. */
void view_unite(algebra *a, eg_id x, eg_id y, enum structure_rule sr);
/* x read at l equals y read at m over one index: what they are to each other becomes known. */
void view_same_map(algebra *a, int nl, const digit *l, eg_id x, int nm, const digit *m, eg_id y, enum structure_rule sr);
void view_fire(algebra *a, eg_id n);		/* n is a view node that was asked */
void view_find_symmetry(algebra *a, eg_id n);	/* n has no step: does another order of its slots give the same node? */

#endif
