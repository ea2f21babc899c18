/* certify_core_in.h - operators as the checker reads them, and a node's labels at
 * one place, for the files that say what cores are worth.
 *
 * certify_read.c reads operators, certify_world.c holds what a step knows of its
 * classes, certify_node.c evaluates nodes, certify_merge.c follows places through
 * merges.
 */
#ifndef DIVERGE_CERTIFY_CORE_IN_H
#define DIVERGE_CERTIFY_CORE_IN_H

#include "certify/certify_in.h"

struct pairs {			/* a pairing, as its words say (pairing.c) */
	int64_t nfree, nbound, ndata, nslot, ndslot, tail;
	const int64_t *size, *data, *word, *end;
};

struct reading {		/* a node's labels at one place */
	struct pairs p;
	const int64_t **slot;	/* the words of each slot's expression */
	int64_t *lab;
	uint32_t narg;
	const eg_id *arg;
	uint32_t built;
};

/* ---- certify_read.c: attribute k of an operator */
const int64_t *ck_words(const world *w, eg_op op, uint32_t k, int64_t *n);
const char *ck_text(const world *w, eg_op op, uint32_t k);
bool ck_pairs(const world *w, eg_op op, struct pairs *p);

/* ---- .. lists of digits, most significant first: how many places, and where place `at` is */
int64_t ck_list_length(const digit *d, int64_t n);
int64_t ck_list_offset(const digit *d, int64_t n, int64_t at);
int64_t ck_list_inverse(const digit *d, int64_t n, int64_t to);

/* ---- certify_world.c: what the step says of a class */
bool world_defines(const world *w, eg_id n);
bool world_chosen(const world *w, const struct world_node *q);
uint32_t world_definition(world *w, const struct world_node *q);

/* ---- .. and what is said of none: random, the same at all places of an orbit */
val world_random(world *w, eg_id x, int type, uint64_t key, int64_t at);
val world_leaf(world *w, eg_id x, int type, int64_t at);

/* ---- certify_node.c */
const int64_t *ck_expression(world *w, const struct pairs *p, const int64_t *x, const int64_t *lab, int64_t *out, bool *reads);
bool reading_open(world *w, struct reading *r, eg_op op, uint32_t narg, const eg_id *arg, uint32_t built);
void reading_set_free(struct reading *r, int64_t at);

#endif
