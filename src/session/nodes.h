/* nodes.h - how one writes an e-node: an instruction, and a path from it.
 *
 *	%dot.3			the Tensor node of an instruction of DIST, else of BASE
 *	base %dot.3		.. of BASE
 *	%dot.3/core		the normal node of the core it holds
 *	%dot.3/core/1		operand 1 of that, as its normal node
 *	%dot.3/core#2		member 2 of that class, oldest first, from 0
 *	model.py:44		the first instruction that comes from that line
 *
 * `.` is the selected instruction.  The % may be left out.  Ids change from run
 * to run; these names do not, so they can be logged, saved and done again.
 */
#ifndef DIVERGE_NODES_H
#define DIVERGE_NODES_H

#include "session/session.h"

struct node_ref {
	enum program_side side;
	int row;
	bool inner;		/* a path follows: `node` is no instruction's own */
	eg_id node;		/* NIL while the instruction is not taken up */
};

/* Reads one from *at, which moves behind it and its blanks.  `prefer` is the side looked at first.
 * False: a sentence in why. */
bool nodes_parse(struct session *s, const char **at, enum program_side prefer, struct node_ref *r, char *why, size_t n);
/* An instruction alone; no path is allowed. */
bool nodes_row(struct session *s, const char **at, enum program_side prefer, enum program_side *side, int *row, char *why,
	       size_t n);
/* Two, the second of the other side where that is not said; without a second the partner of the first. */
bool nodes_pair(struct session *s, const char *args, struct node_ref r[2], char *why, size_t n);
/* .. as text that means the same when another row is selected. */
bool nodes_pair_text(struct session *s, const char *args, char *buf, size_t size, char *why, size_t n);
/* The node of a reference at the present step: NIL while the instruction is not taken up. */
eg_id nodes_of(struct session *s, const struct node_ref *r);
/* Member k of a class by age, and the number of a member. */
eg_id nodes_member(const egraph *g, eg_id root, uint32_t k);
uint32_t nodes_age(const egraph *g, eg_id node);
/* Where the rules that an instruction is subject to start: its own class, its core, the cores that the class was a layout of
 * before, and what any of these is a view of.  Each once, with a name as nodes_parse reads it, to which `#k` may be added.
 * At most max, NODE_PLACES say; their number, 0 while the instruction is not taken up. */
#define NODE_PLACES 16
struct node_place {
	eg_id class;
	const char *name;
};
int nodes_places(struct session *s, enum program_side side, int row, struct node_place *out, int max, arena *tmp);
/* A name for any node: by the oldest instruction of its class, else by a path to it, else how it was made. */
const char *nodes_name(struct session *s, eg_id node, char *buf, size_t n);
/* One line of text: what the node says, operands by name. */
const char *nodes_text(struct session *s, eg_id node, arena *out);
/* A step in words: the node it was done at, by name where a row has it, else as it was written, and what that was made to be. */
struct step_text {
	const char *node, *made;
};
struct step_text nodes_step(struct session *s, eg_id node, eg_id result, arena *out);

#endif
