/* firing_in.h - the log's arrays, and firing matches that were stored. */
#ifndef DIVERGE_FIRING_IN_H
#define DIVERGE_FIRING_IN_H

#include "rule/firing.h"
#include "rule/match_in.h"

struct firings {
	rules *r;
	egraph *g;
	vec head;		/* struct firing_head */
	vec word;		/* positions, loose values, built nodes */
	vec notes;		/* const char * */
	arena a;		/* notes */
	vec built;		/* eg_id: of the firing under way */
	vec merging;		/* pairs of rows whose values are to be merged */
	uint32_t undo;
	matcher *sub;		/* runs the acts of :merge and of expressions */
};

struct firing_head {
	uint32_t rule;		/* NIL: a note */
	uint32_t word;		/* first word; of a note: its number */
	uint32_t nloose, nbuilt;	/* in words; built with the nodes of terms */
	uint32_t edges;
};

/* The registers of a match whose positions and loose variables are set: as
 * first written when proofs are on, else roots. */
void fire_load(firings *f, matcher *m);
/* fire without loading. */
fired fire_loaded(firings *f, matcher *m, bool keep);
/* Loose variables of a match: written to v; read back; the words they take. */
void loose_store(const matcher *m, vec *v, arena *terms);
uint32_t loose_load(matcher *m, const uint32_t *w);
/* Runs acts alone (merge, top-level commands); unions are of the kind given.
 * NULL or an error in the rules' arena. */
const char *acts_run(firings *f, matcher *m, const pattern *p, enum eg_why why, uint32_t firing, bool *changed);
/* Values of rows that became one are merged. */
const char *cells_settle(firings *f, uint32_t firing, bool *changed);

#endif
