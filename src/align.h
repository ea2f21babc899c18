/* align.h - which row of one program stands beside which of the other.
 *
 * Rows keep the order of their program.  Known correspondences are anchors: the
 * most of them that do not cross (longest increasing subsequence, O(n log n)).
 * Between anchors rows are paired by longest common subsequence of opcode and
 * op_name, then of opcode alone: first by names that occur once on both sides
 * (patience), then by Myers' O(ND) algorithm ("An O(ND) Difference Algorithm and
 * Its Variations", 1986) with at most ALIGN_DIFFERENCES of them.
 */
#ifndef DIVERGE_ALIGN_H
#define DIVERGE_ALIGN_H

#include "program.h"

#define ALIGN_DIFFERENCES 400

struct aligned {
	int base, dist;		/* rows, -1: nothing on this side */
};

/* What rows are compared by, made once for two programs: opcode and op_name, then opcode alone; by side and row. */
struct align_keys {
	const uint64_t *named[2], *plain[2];
};
void align_keys(arena *out, const program *base, const program *dist, struct align_keys *k);

/* counterpart: per row of dist its baseline row, -1: not known, -2: known to have none.  Returns the number written;
 * the array is in the arena given. */
size_t align_rows(arena *out, const program *base, const program *dist, const struct align_keys *k, const int *counterpart,
		  struct aligned **lines);

#endif
