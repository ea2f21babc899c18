/* probe.h - questions asked by building, normalizing, reading and undoing.
 *
 * A probe starts only when the worklist is empty, fires at most PROBE_FIRINGS
 * rules, and leaves nothing behind: no node, stamp, count or history entry.
 * What it answers is text, placements and rule names, never an id of the probe.
 *
 *     if (probe_begin(&p, q)) {
 *             t = probe_reduce(&p, &l, x, axes, "add", type);
 *             if (probe_run(&p, t, &m, &core)) ..     core may be older than the probe: probe_old
 *             probe_end(&p);
 *     }
 *
 * Builders return NIL where the algebra refuses.  `probe_opened` lists what the
 * probe opened: while that stands as it did (`probe_same`), the answer would be
 * the same.
 */
#ifndef DIVERGE_PROBE_H
#define DIVERGE_PROBE_H

#include "pair/pair.h"

#define PROBE_FIRINGS 200

typedef struct probe {
	pair *q;
	trail_mark mark;
	arena_mark scratch;
	uint64_t fired;
	uint32_t firing;	/* first history entry of the probe */
	eg_id first;		/* nodes from here on are the probe's */
	bool logged;		/* the trail was on before */
	bool cut;		/* stopped by the limit: no answer */
} probe;

/* False when the worklist is not empty: nothing may be asked now. */
bool probe_begin(probe *p, pair *q);
/* Normalizes what was built; t is a Laid node (NIL: false).  Its cell's layout and core; false when there is none or the limit came first. */
bool probe_run(probe *p, eg_id t, layout *l, eg_id *core);
/* Normalizes what was built; false when the limit came first. */
bool probe_settle(probe *p);
/* A node of the class that was there before the probe, or NIL. */
eg_id probe_old(const probe *p, eg_id core);
/* Names of the rules fired, "contract-flatten, merge", each once, in the arena given. */
char *probe_rules(const probe *p, arena *out);
/* Classes older than the probe that it opened, and their normal nodes: pairs, in the arena given; their number. */
int probe_opened(const probe *p, arena *out, eg_id **pairs);
bool probe_same(const algebra *a, int n, const eg_id *pairs);	/* do they stand as they did? */
void probe_end(probe *p);

/* d (form l of core x) reduced by op over the mesh axes of `axes` (a bit each): the Laid node, or NIL. */
eg_id probe_reduce(probe *p, const layout *l, eg_id x, uint32_t axes, const char *op, int type);
/* What d holds on one device, held by all: the Laid node, or NIL. */
eg_id probe_on_device(probe *p, const layout *l, eg_id x, int64_t dev);
/* Would this relation of two rows be met?  A probe of its own. */
bool probe_claim(pair *q, int base_row, int dist_row, const output_relation *rel);
/* Core x read at e of n labels. */
eg_id probe_read(probe *p, eg_id x, int n, label **l, ix *e);

#endif
