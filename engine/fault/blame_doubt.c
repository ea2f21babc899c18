#include "fault/blame.h"

#include <string.h>
#include "fault/fault_in.h"
#include "fault/gathered.h"
#include "relation/lookup.h"
#include "relation/state_in.h"

/* ---- steps */

/* It reduces, multiplies out or otherwise works on blocks, as no baseline row does: perhaps rightly. */
static bool is_step(const states *s, const frontier_entry *e, arena *tmp)
{
	const struct row *r = &s->q->dist->row[e->row];
	char class = opcode_class(r->inst->opcode);

	if (!row_takes_block(s, r))
		return false;
	return class == 'r' || class == 'k' || e->kind == FRONTIER_ALONE || s->q->base->row[e->base[0]].inst->opcode != r->inst->opcode ||
	       fault_fits_block(s, e, tmp);
}

/* A byte per row: it depends on integers and truth values alone, as masks and one-hots do, or on such as are verified, the place of a
 * largest, say. */
static bool *of_integers(const struct blame *w)
{
	const program *p = w->s->q->dist;
	bool *b = arena_zalloc(w->out, (size_t)p->nrow + 1);
	int i, k;

	for (i = 0; i < p->nrow; i++) {
		bool integer = type_is_int(p->row[i].type) || p->row[i].type == T_PRED;

		b[i] = p->row[i].param < 0 || integer || w->s->rs[i].constant;
		for (k = 0; k < p->row[i].nop && b[i] && !(integer && w->s->rs[i].verified); k++)
			b[i] = b[p->row[i].op[k]] || w->s->rs[p->row[i].op[k]].constant;
	}
	return b;
}

/* Positions, masks, lookups may be found in ways of their own: perhaps rightly. */
static bool is_lookup(const states *s, const frontier_entry *e, const bool *integers)
{
	const struct row *r = &s->q->dist->row[e->row];
	int k;

	for (k = 0; k < r->nop && !s->rs[r->op[k]].index; k++)
		;
	return integers[e->row] || k < r->nop;
}

/* A maximum that is only taken away again, or compared with others: any would do. */
static bool is_shift(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	const struct row *r = &d->p->row[row];
	int k, n = 0;

	if (r->inst->opcode != OP_MAXIMUM && (r->inst->opcode != OP_REDUCE || strcmp(r->name, "maximum")))
		return false;
	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++, n++) {
		const struct row *u = &d->p->row[d->use[k]];
		if (u->inst->opcode != OP_SUBTRACT && u->inst->opcode != OP_MAXIMUM && !row_moves(u))
			return false;
	}
	return n > 0;
}

/* How likely is an entry right in a way of its own?  Most, where it contracts what a baseline row does, over a part: a chunk; or
 * gathers parts of a sum that may be added later. */
enum doubt { DOUBT_NONE, DOUBT_SOME, DOUBT_MOST };

static enum doubt doubt_of(const struct blame *w, const frontier_entry *e, const bool *integers)
{
	const states *s = w->s;
	int k;

	if (e->row < 0 || (e->kind != FRONTIER_DIFFERS && e->kind != FRONTIER_ALONE) || lookup_of_whole(s, e->row))
		return DOUBT_NONE;
	if (gathered_parts(s, e->row))
		return DOUBT_MOST;
	if (is_step(s, e, w->out)) {
		for (k = 0; k < e->nbase && !contracts_alike(s, e->row, e->base[k]); k++)
			;
		return k < e->nbase ? DOUBT_MOST : DOUBT_SOME;
	}
	return is_lookup(s, e, integers) || is_shift(s, e->row) ? DOUBT_SOME : DOUBT_NONE;
}

/* Unverified rows that are reached from the entries that are as doubtful as that, or from the others. */
static bool *reached(const struct blame *w, const enum doubt *doubt, enum doubt least, bool doubtful)
{
	const program *p = w->s->q->dist;
	bool *hit = arena_zalloc(w->out, (size_t)p->nrow + 1);
	int i, k;

	for (i = 0; i < w->n; i++)
		if (w->e[i].row >= 0 && (doubt[i] >= least) == doubtful)
			hit[w->e[i].row] = true;
	for (i = 0; i < p->nrow; i++)
		for (k = 0; k < p->row[i].nop && !hit[i]; k++)
			hit[i] = hit[p->row[i].op[k]] && !w->s->rs[i].verified;
	return hit;
}

/* They are not blamed where others are for every output that they reach. */
static void excuse(struct blame *w, const enum doubt *doubt, enum doubt least)
{
	const program *p = w->s->q->dist;
	const bool *by_doubtful = reached(w, doubt, least, true), *by_others = reached(w, doubt, least, false);
	int i;

	for (i = 0; i < p->nrow; i++)
		if (by_doubtful[i] && !by_others[i] && blame_goal(w->s->q, i))
			return;
	for (i = 0; i < w->n; i++)
		if (doubt[i] >= least)
			w->e[i].row = -1;
}

/* What is doubtful is blamed only where nothing else is: for an output that no other entry reaches. */
void blame_doubtful(struct blame *w)
{
	enum doubt *doubt, most = DOUBT_NONE;
	const bool *integers;
	int i;

	if (w->n < 2)
		return;
	doubt = ARENA_ARRAY(w->out, enum doubt, w->n);
	integers = of_integers(w);
	for (i = 0; i < w->n; i++) {
		doubt[i] = doubt_of(w, &w->e[i], integers);
		most = doubt[i] > most ? doubt[i] : most;
	}
	if (most >= DOUBT_MOST)
		excuse(w, doubt, DOUBT_MOST);
	if (most >= DOUBT_SOME)
		excuse(w, doubt, DOUBT_SOME);
}
