#include "fault/blame.h"

#include <stdlib.h>
#include <string.h>
#include "fault/factor.h"
#include "relation/layout_text.h"
#include "relation/presumed.h"
#include "relation/state_in.h"

static bool unproved(const pair *q, const goal *g)
{
	return g->dist_row >= 0 && g->compared && !goal_met(q, g);
}

const goal *blame_goal(const pair *q, int row)
{
	int k;

	for (k = 0; k < q->ngoal; k++)
		if (q->goal[k].dist_row == row && unproved(q, &q->goal[k]))
			return &q->goal[k];
	return NULL;
}

/* A byte per row; an output may be live without being unverified. */
static bool *find_live(const states *s, arena *out)
{
	const struct side *d = &s->side[SIDE_DIST];
	int n = d->p->nrow, i, k;
	bool *b = arena_zalloc(out, (size_t)n + 1);

	for (k = 0; k < s->q->ngoal; k++)
		if (unproved(s->q, &s->q->goal[k]))
			b[s->q->goal[k].dist_row] = true;
	for (i = state_last_bit(s->open, n - 1); i >= 0; i = state_last_bit(s->open, i - 1))
		for (k = d->use_at[i]; k < d->use_at[i + 1] && !b[i]; k++) {	/* what is not lifted yet may still need it */
			const row_state *u = &s->rs[d->use[k]];
			b[i] = !u->verified && (b[d->use[k]] || !u->settled);
		}
	return b;
}

/* A byte per row: most of those behind a fault, found without a look at what each of them takes. */
static bool *find_held(const struct blame *w)
{
	const states *s = w->s;
	const struct side *d = &s->side[SIDE_DIST];
	int n = d->p->nrow, i, k;
	bool *b = arena_zalloc(w->out, (size_t)n + 1);

	for (i = state_next_bit(s->open, 0, n); i < n; i = state_next_bit(s->open, i + 1, n))
		for (k = d->use_at[i]; k < d->use_at[i + 1] && !s->rs[i].index && !w->presumed[i]; k++)
			b[d->use[k]] = true;
	return b;
}

bool blame_settled(const struct blame *w, int row)
{
	const struct row *r = &w->s->q->dist->row[row];
	int k;

	for (k = 0; k < r->nop; k++)
		if (!w->s->rs[r->op[k]].verified && !w->s->rs[r->op[k]].index && !w->presumed[r->op[k]])
			return false;
	return true;
}

/* Of the candidates for an output, the baseline's output is the one that was meant. */
static void goal_first(const pair *q, int row, int *base, int n)
{
	const goal *g = blame_goal(q, row);
	int k;

	for (k = 1; g && k < n; k++)
		if (base[k] == g->base_row) {
			base[k] = base[0];
			base[0] = g->base_row;
		}
}

/* Baseline rows it is compared with: what it is a multiple of; else those that take its operands, of the same operation, if there
 * are any, and an output first. */
static int find_candidates(const struct blame *w, int row, enum frontier_kind kind, int *base, int max)
{
	int n = counterpart_users(w->s, row, base, max), i, m = 0;
	enum opcode op = w->s->q->dist->row[row].inst->opcode;

	if (kind == FRONTIER_SCALED && w->s->rs[row].base >= 0) {
		*base = w->s->rs[row].base;
		return 1;
	}
	for (i = 0; i < n; i++)
		m += w->s->q->base->row[base[i]].inst->opcode == op;
	n = m ? m : n > 3 ? 3 : n;
	goal_first(w->s->q, row, base, n);
	return n;
}

frontier_entry *blame_add(struct blame *w, int row, enum frontier_kind kind, const goal *g)
{
	int base[8], n = find_candidates(w, row, kind, base, 8);
	frontier_entry *e = &w->e[w->n++];

	*e = (frontier_entry){ .row = row, .kind = kind == FRONTIER_ALONE && n ? FRONTIER_DIFFERS : kind, .goal = g, .fed = -1, .nbase = n,
			       .base = memcpy(ARENA_ARRAY(w->out, int, n), base, sizeof *base * (size_t)n) };
	return e;
}

bool blame_entered(const struct blame *w, int row)
{
	int k;

	for (k = 0; k < w->n && w->e[k].row != row; k++)
		;
	return k < w->n;
}

/* ---- multiples of baseline values */

/* Per multiple: the last row on the way to it that changed a factor. */
static int *last_changes(const struct blame *w)
{
	const states *s = w->s;
	int n = s->q->dist->nrow, *last = ARENA_ARRAY(w->out, int, n), i, k;

	for (i = state_next_bit(s->scaled, 0, n); i < n; i = state_next_bit(s->scaled, i + 1, n)) {
		const struct row *r = &s->q->dist->row[i];
		last[i] = i;
		if (factor_of(s, i) == FACTOR_CHANGED)
			continue;
		for (last[i] = -1, k = 0; k < r->nop; k++)
			if (row_scaled(s, r->op[k]) && last[r->op[k]] > last[i])
				last[i] = last[r->op[k]];
	}
	return last;
}

/* Does a row take something that is neither known nor a multiple, so that it says nothing of the multiples it takes? */
static bool takes_unknown(const struct blame *w, int row)
{
	const struct row *r = &w->s->q->dist->row[row];
	int k;

	for (k = 0; k < r->nop; k++)
		if (!w->s->rs[r->op[k]].verified && !w->s->rs[r->op[k]].index && !row_scaled(w->s, r->op[k]) && !w->presumed[r->op[k]])
			return true;
	return false;
}

/* Does what is wrong with it show in a row that is no multiple, or in an output? */
static bool chain_ends(const struct blame *w, int row)
{
	const struct side *d = &w->s->side[SIDE_DIST];
	int k;

	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++)
		if (!w->s->rs[d->use[k]].verified && !row_scaled(w->s, d->use[k]) && !takes_unknown(w, d->use[k]))
			return true;
	return blame_goal(w->s->q, row) != NULL;
}

static void ask_operands(const struct blame *w, int row, const int *last, bool *asked)
{
	const struct row *r = &w->s->q->dist->row[row];
	int k, latest = -1;

	for (k = 0; k < r->nop; k++) {
		if (!row_scaled(w->s, r->op[k]))
			continue;
		if (rat_eq(w->s->rs[r->op[k]].scale, w->s->rs[row].scale))
			asked[r->op[k]] = true;
		else if (latest < 0 || last[r->op[k]] > last[latest])
			latest = r->op[k];
	}
	if (factor_of(w->s, row) == FACTOR_PRODUCT)
		asked[latest] = true;
}

/* From every end of a chain of multiples back to the row whose factor is the odd one, or that last changed it.  NULL: there are no
 * multiples. */
static bool *find_factors(const struct blame *w)
{
	const states *s = w->s;
	int n = s->q->dist->nrow, i, sole, origin, *last;
	bool *asked, *blamed, *meant, *given;

	if (!s->counts.n[STATE_SCALED])
		return NULL;
	last = last_changes(w);
	meant = presumed_meant(s, w->out);
	given = arena_zalloc(w->out, (size_t)n + 1);
	asked = arena_zalloc(w->out, (size_t)n + 1);
	blamed = arena_zalloc(w->out, (size_t)n + 1);
	for (i = state_last_bit(s->scaled, n - 1); i >= 0; i = state_last_bit(s->scaled, i - 1)) {
		if (!w->live[i] || w->presumed[i] || !(asked[i] || chain_ends(w, i)))
			continue;
		given[i] = meant[i] && (given[i] || blame_goal(s->q, i));
		if (given[i] && s->q->dist->row[i].inst->opcode == OP_COPY) {
			given[s->q->dist->row[i].op[0]] = asked[s->q->dist->row[i].op[0]] = true;
			continue;
		}
		if (!given[i] && !asked[i] && ((sole = factor_added_up(s, i, &origin)) >= 0 || (sole = factor_sole(s, i)) >= 0)) {
			blamed[sole] = true;
			continue;
		}
		/* a mean that is averaged for something else is right as such: it is missing where it is given out */
		blamed[i] = given[i] || factor_of(s, i) == FACTOR_CHANGED;
		if (!blamed[i])
			ask_operands(w, i, last, asked);
	}
	return blamed;
}

/* ---- all of it */

/* What a copy is a copy of, when that is known as well. */
static int not_a_copy(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];

	while (r->inst->opcode == OP_COPY && r->nop == 1 && s->rs[r->op[0]].verified && s->q->dist->row[r->op[0]].param < 0) {
		row = r->op[0];
		r = &s->q->dist->row[row];
	}
	return row;
}

/* Outputs that are verified with another relation than their goal's; of several goals of a row the first. */
static void find_outputs(struct blame *w)
{
	const states *s = w->s;
	const goal *g;
	int k, i, row;

	for (k = 0; k < s->q->ngoal && pair_position(s->q) == pair_length(s->q); k++) {
		g = &s->q->goal[k];
		if (!unproved(s->q, g) || !s->rs[g->dist_row].verified)
			continue;
		row = not_a_copy(s, g->dist_row);
		for (i = 0; i < w->n && w->e[i].row != row; i++)
			;
		if (i == w->n)	/* a block of something is not what an output should be */
			blame_add(w, row, s->rs[row].kind == STATE_BLOCK ? FRONTIER_ALONE : FRONTIER_RELATION, g);
	}
}

static int next_open(const states *s, int row)
{
	return state_next_bit(s->open, row, s->q->dist->nrow);
}

static bool is_blamed(const struct blame *w, int row, const bool *factor)
{
	const states *s = w->s;

	if (factor && row_scaled(s, row))
		return factor[row];
	return w->live[row] && !w->held[row] && !s->rs[row].index && !w->presumed[row] && blame_settled(w, row);
}

/* What comes of an unverified row: nothing that is known, a multiple of a baseline value (of what is none itself), or one that is
 * right, so that what it is made of was made right on the way. */
enum outcome { OUT_UNKNOWN, OUT_MULTIPLE, OUT_RIGHT };

/* Does it look up some places of it only, a diagonal say, so that it says nothing of the others? */
static bool looks_up(const states *s, int row, int user)
{
	const struct row *u = &s->q->dist->row[user];

	return u->inst->opcode == OP_GATHER && u->op[0] == row && row_elements(u) < row_elements(&s->q->dist->row[row]);
}

static char outcome_at(const states *s, int row, int user, const char *of)
{
	const row_state *u = &s->rs[user];

	enum outcome o = (u->verified && !u->constant && u->base >= 0) || of[user] == OUT_RIGHT ? OUT_RIGHT :
			 row_scaled(s, row) ? OUT_UNKNOWN : row_scaled(s, user) ? OUT_MULTIPLE : of[user];

	return o != OUT_UNKNOWN && looks_up(s, row, user) ? OUT_UNKNOWN : o;
}

/* A byte per row.  What only moves a multiple that is made up for elsewhere is taken with it. */
static char *find_outcomes(const struct blame *w)
{
	const states *s = w->s;
	const pair *q = s->q;
	const struct side *d = &s->side[SIDE_DIST];
	char *of = arena_zalloc(w->out, (size_t)q->dist->nrow + 1), o;
	int i, k;

	for (k = 0; k < q->ngoal; k++)
		if (q->goal[k].dist_row >= 0 && q->goal[k].compared && goal_met(q, &q->goal[k]))
			of[q->goal[k].dist_row] = OUT_RIGHT;
	for (i = state_last_bit(s->open, q->dist->nrow - 1); i >= 0; i = state_last_bit(s->open, i - 1)) {
		for (k = d->use_at[i]; k < d->use_at[i + 1] && s->rs[i].settled; k++)
			if ((o = outcome_at(s, i, d->use[k], of)) > of[i])
				of[i] = o;
		if (row_scaled(s, i) && of[i] != OUT_RIGHT && presumed_averaged(s, i))
			of[i] = OUT_RIGHT;	/* as far as it goes */
	}
	for (i = state_next_bit(s->scaled, 0, q->dist->nrow); i < q->dist->nrow; i = state_next_bit(s->scaled, i + 1, q->dist->nrow))
		if (row_moves(&q->dist->row[i]) && of[q->dist->row[i].op[0]] > of[i])
			of[i] = of[q->dist->row[i].op[0]];
	return of;
}

/* Is another result of the same instruction right? */
static bool result_of_right(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];

	return r->element > 0 && row > 0 && r[-1].inst == r->inst && s->rs[row - 1].verified;
}

/* Nothing that came out right rests on it, but all it takes is verified or bears something that did, and something is not verified. */
static bool leaves_rested(const struct blame *w, int row, const char *rested)
{
	const struct row *r = &w->s->q->dist->row[row];
	bool some = false;
	int k;

	if (rested[row] || !w->live[row] || w->s->rs[row].index || row_scaled(w->s, row) || w->presumed[row] || result_of_right(w->s, row))
		return false;
	for (k = 0; k < r->nop; k++) {
		bool told = w->s->rs[r->op[k]].verified || w->s->rs[r->op[k]].index;
		if (!told && !rested[r->op[k]])
			return false;
		some = some || !told;
	}
	return some;
}

/* What came out right behind a row made up for it: instead of it, what goes another way is blamed. */
static void excuse_rested(const struct blame *w, uint64_t *blamed)
{
	const states *s = w->s;
	const char *rested = find_outcomes(w);
	int n = s->q->dist->nrow, i;
	bool excused = false, other = false;

	for (i = next_open(s, 0); i < n; i = next_open(s, i + 1)) {
		excused = excused || (state_bit(blamed, i) && rested[i]);
		other = other || leaves_rested(w, i, rested) || (state_bit(blamed, i) && !rested[i]);
	}
	if (!excused || !other)
		return;
	for (i = next_open(s, 0); i < n; i = next_open(s, i + 1))
		if (leaves_rested(w, i, rested))
			state_set_bit(blamed, i);
		else if (rested[i])
			state_clear_bit(blamed, i);
}

static void find_rows(struct blame *w)
{
	const states *s = w->s;
	int n = s->q->dist->nrow, room = s->q->ngoal, i;
	uint64_t *blamed = arena_zalloc(w->out, sizeof *blamed * ((size_t)n / 64 + 1));
	bool *factor = find_factors(w);

	for (i = next_open(s, 0); i < n; i = next_open(s, i + 1))
		if (is_blamed(w, i, factor))
			state_set_bit(blamed, i);
	excuse_rested(w, blamed);
	for (i = state_next_bit(blamed, 0, n); i < n; i = state_next_bit(blamed, i + 1, n))
		room++;
	w->e = ARENA_ARRAY(w->out, frontier_entry, room);
	find_outputs(w);
	for (i = state_next_bit(blamed, 0, n); i < n; i = state_next_bit(blamed, i + 1, n))
		blame_add(w, i, row_scaled(s, i) ? FRONTIER_SCALED : FRONTIER_ALONE, NULL);
}

static int by_kind(const void *x, const void *y)
{
	const frontier_entry *a = x, *b = y;

	return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind) : a->row - b->row;
}

static void sort(struct blame *w)
{
	int i, n = 0;

	for (i = 0; i < w->n; i++)
		if (w->e[i].row >= 0)
			w->e[n++] = w->e[i];
	w->n = n;
	qsort(w->e, (size_t)n, sizeof *w->e, by_kind);
}

/* An entry is moved to the row where it is best told, or dropped where another tells it (row -1).  Order counts: what is
 * moved early is not doubted later. */
static void (*const pass[])(struct blame *w) = {
	blame_gathers, blame_outputs, blame_lost_order, blame_slices, blame_seams, blame_rings,
	blame_running, blame_uneven_chunks, blame_shares, blame_corrections, blame_choices, blame_doubtful, blame_parts, blame_strays,
};

static struct blame find(states *s, bool *presumed, bool *staged, arena *out)
{
	struct blame w = { .s = s, .out = out, .live = find_live(s, out), .presumed = presumed, .staged = staged };
	size_t i;

	w.held = find_held(&w);
	find_rows(&w);
	for (i = 0; i < sizeof pass / sizeof *pass; i++)
		pass[i](&w);
	sort(&w);
	return w;
}

enum { STAGES = 256 };	/* rows that are asked */

frontier frontier_find(states *s, arena *out)
{
	bool *presumed = presumed_rows(s, out), *staged = arena_zalloc(out, (size_t)s->q->dist->nrow + 1);
	struct blame w = find(s, presumed, staged, out), t = w;
	int left = pair_done(s->q) ? STAGES : 0;

	while (t.n && blame_presume_stages(&t, &left))
		t = find(s, presumed, staged, out);
	if (t.n)
		w = t;
	return (frontier){ .n = w.n, .e = w.e, .so_far = !pair_done(s->q) };
}
