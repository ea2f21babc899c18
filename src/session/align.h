/* align.h - which row of one program stands beside which of the other.
 *
 * Rows keep the order of their program.  Known correspondences are anchors: the
 * most of them that do not cross (longest increasing subsequence, O(n log n)), of
 * several with one baseline row the first.
 * Between anchors rows stand as they did before anything was known, where that
 * still fits; the rest is paired by longest common subsequence of opcode and
 * op_name, then of opcode alone: first by names that occur once on both sides
 * (patience), then by Myers' O(ND) algorithm ("An O(ND) Difference Algorithm and
 * Its Variations", 1986) with at most ALIGN_DIFFERENCES of them.
 */
#ifndef DIVERGE_ALIGN_H
#define DIVERGE_ALIGN_H

#include "pair/program.h"

#define ALIGN_DIFFERENCES 400

struct aligned {
	int base, dist;		/* rows, -1: nothing on this side */
};

/* What rows are compared by, made once for two programs: opcode and op_name, then opcode alone; by side and row. */
struct align_keys {
	const uint64_t *named[2], *plain[2];
};

/* An alignment that is kept: when counterparts become known, or are undone, only rows between anchors that moved are paired
 * again.  What it gives depends on the counterparts alone, not on those before. */
struct alignment {
	const program *p[2];
	struct align_keys keys;
	int *counterpart;	/* per row of dist its baseline row, -1: not known, -2: known to have none; as last aligned */
	int *anchor;		/* .. the row beside it that is certain, -1: none */
	int *mate;		/* .. the row beside it, -1: none */
	int *named, *named_dist; /* .. as far as names tell, and back */
	struct aligned *line;
	size_t nline;
	size_t *line_of[2];	/* by side and row: index in line */
};

void align_init(struct alignment *a, arena *out, const program *base, const program *dist);	/* memory in the arena given */
/* True when lines have changed. */
bool align_update(struct alignment *a, const int *counterpart);

#endif
