#include "relation/presumed.h"

#include <string.h>
#include "pair/collective.h"
#include "relation/shift.h"
#include "relation/state_in.h"

enum { STEPS = 16 };	/* from a mean to the sum that came too late */

bool presumed_mean(const states *s, int row)
{
	const struct answer *w = &s->answer[row];

	return s->rs[row].kind == STATE_SCALED && w->scaled_axes && w->scaled_base >= 0 && rat_eq(w->scale, s->rs[row].scale) &&
	       rat_is_int(w->scale, axes_size(&s->q->ms, w->scaled_axes));
}

static bool is_function(enum opcode op)
{
	return opcode_class(op) == 'u' && op != OP_NEGATE && op != OP_CONVERT && op != OP_REAL && op != OP_IMAG && op != OP_BITCAST_CONVERT;
}

/* A product or quotient of means alone is no function of their sums either. */
static bool multiplies_means(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];

	return (r->inst->opcode == OP_MULTIPLY || r->inst->opcode == OP_DIVIDE) && presumed_mean(s, r->op[0]) && presumed_mean(s, r->op[1]);
}

/* A sum of multiples over the same devices. */
static bool adds_multiples(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	enum opcode op = r->inst->opcode;

	return (op == OP_ADD || op == OP_SUBTRACT) && s->rs[r->op[0]].kind == STATE_SCALED && s->rs[r->op[1]].kind == STATE_SCALED &&
	       s->answer[r->op[0]].scaled_axes == s->answer[r->op[1]].scaled_axes;
}

bool presumed_adds_means(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];

	return adds_multiples(s, row) && presumed_mean(s, r->op[0]) && presumed_mean(s, r->op[1]);
}

bool presumed_packs(enum opcode op)
{
	return op == OP_PAD || op == OP_CONCATENATE;
}

static bool moves(enum opcode op)
{
	return presumed_packs(op) || op == OP_RESHAPE || op == OP_TRANSPOSE || op == OP_BITCAST || op == OP_COPY || op == OP_SLICE || op == OP_OPT_BARRIER ||
	       op == OP_ALL_REDUCE || op == OP_ALL_REDUCE_START || op == OP_ALL_REDUCE_DONE || op == OP_REDUCE_SCATTER ||
	       op == OP_ALL_GATHER || op == OP_ALL_GATHER_START || op == OP_ALL_GATHER_DONE;
}

/* Is a verified row cut out of it, behind rows that only move it? */
static bool taken_apart(const states *s, int row, const bool *found)
{
	const struct side *d = &s->side[SIDE_DIST];
	int k;

	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++) {
		const row_state *u = &s->rs[d->use[k]];
		enum opcode op = d->p->row[d->use[k]].inst->opcode;
		if (found[d->use[k]] || (u->verified && !u->constant && op == OP_SLICE))
			return true;
	}
	return false;
}

/* Is a sum over these axes taken of what comes of it? */
static bool summed_later(const states *s, int row, uint32_t axes)
{
	const struct side *d = &s->side[SIDE_DIST];
	int steps, k;

	for (steps = 0; steps < STEPS && d->use_at[row] < d->use_at[row + 1]; steps++) {
		for (k = d->use_at[row]; k < d->use_at[row + 1]; k++) {
			const struct row *u = &d->p->row[d->use[k]];
			if (collective_grouped(u) && !strcmp(u->name, "add") && (collective_axes(&s->q->ms, u) & axes) == axes)
				return true;
		}
		row = d->use[d->use_at[row]];
	}
	return false;
}

/* Is a product or quotient with one number, the inverse of n? */
static bool divides_by(const states *s, int row, int64_t n)
{
	const struct row *r = &s->q->dist->row[row];
	enum opcode op = r->inst->opcode;
	rat due = op == OP_DIVIDE ? (rat){ n, 1 } : (rat){ 1, n }, c;
	int k;

	for (k = op == OP_DIVIDE; k < r->nop && (op == OP_DIVIDE || op == OP_MULTIPLY); k++)
		if (state_is_number(s, SIDE_DIST, r->op[k], &c) && rat_eq(c, due))
			return true;
	return false;
}

/* A token is added. */
static bool adds_constant(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];

	return r->inst->opcode == OP_ADD && (s->rs[r->op[0]].constant || s->rs[r->op[1]].constant);
}

static bool carries_on(const states *s, int row, rat scale)
{
	return moves(s->q->dist->row[row].inst->opcode) || adds_constant(s, row) || (s->rs[row].kind == STATE_SCALED && rat_eq(s->rs[row].scale, scale));
}

enum { FOLLOWED = 64 };	/* rows that are looked at */

static bool averaged_by(const states *s, int user, rat c, bool added, int *left);

static bool averaged_behind(const states *s, int row, rat c, bool added, int *left)
{
	const struct side *d = &s->side[SIDE_DIST];
	int k;

	for (k = d->use_at[row]; k < d->use_at[row + 1] && *left > 0; k++)
		if (averaged_by(s, d->use[k], c, added, left))
			return true;
	return false;
}

static bool averaged_by(const states *s, int user, rat c, bool added, int *left)
{
	const struct row *r = &s->q->dist->row[user];

	--*left;
	if (collective_grouped(r) && !strcmp(r->name, "add"))
		return !added && rat_is_int(c, axes_size(&s->q->ms, collective_axes(&s->q->ms, r))) && averaged_behind(s, user, c, true, left);
	if (added && divides_by(s, user, c.num))
		return true;
	return carries_on(s, user, c) && averaged_behind(s, user, c, added, left);
}

bool presumed_averaged(const states *s, int row)
{
	int left = FOLLOWED;

	return averaged_behind(s, row, s->rs[row].scale, false, &left);
}

/* What is known of the devices' own means: which rows are, and which of them are averaged elsewhere, so that a mean was meant. */
struct means {
	const states *s;
	bool *mean, *meant;
};

/* Does a row that takes a mean take it as what it is, part of a mean that is made later? */
static bool goes_on(const struct means *w, int row, int user)
{
	const states *s = w->s;
	const struct row *u = &s->q->dist->row[user];
	int left = FOLLOWED;

	if (s->rs[user].verified || w->mean[user])
		return true;
	if (w->meant[row] && collective_grouped(u))
		return averaged_by(s, user, s->rs[row].scale, false, &left);
	return s->rs[user].kind == STATE_NONE && (w->meant[row] || is_function(u->inst->opcode) || multiplies_means(s, user) || adds_multiples(s, user));
}

static bool all_go_on(const struct means *w, int row)
{
	const struct side *d = &w->s->side[SIDE_DIST];
	int k, n = 0;

	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++) {
		if (!goes_on(w, row, d->use[k]))
			return false;
		n += !w->s->rs[d->use[k]].verified;
	}
	return n > 0;
}

/* Rows that may be presumed: packs that are not verified, and what moves only those and comes of them.  A bit each. */
static uint64_t *packed_rows(const states *s, arena *tmp)
{
	const struct side *d = &s->side[SIDE_DIST];
	int n = d->p->nrow, i, k;
	uint64_t *bits = arena_zalloc(tmp, sizeof *bits * ((size_t)n / 64 + 1));

	for (k = 0; k < s->npack; k++)
		if (s->rs[s->pack[k]].kind == STATE_NONE)
			state_set_bit(bits, s->pack[k]);
	for (i = state_next_bit(bits, 0, n); i < n; i = state_next_bit(bits, i + 1, n))
		for (k = d->use_at[i]; k < d->use_at[i + 1]; k++)
			if (s->rs[d->use[k]].kind == STATE_NONE && moves(d->p->row[d->use[k]].inst->opcode))
				state_set_bit(bits, d->use[k]);
	return bits;
}

static bool any_operand(const program *p, int row, const bool *of)
{
	int k;

	for (k = 0; k < p->row[row].nop; k++)
		if (of[p->row[row].op[k]])
			return true;
	return false;
}

/* What is packed, moved and taken apart again: a pack itself, or what comes of one that is. */
static void find_packed(const states *s, arena *tmp, bool *apart)
{
	const program *p = s->q->dist;
	const uint64_t *bits = packed_rows(s, tmp);
	int i;

	for (i = state_last_bit(bits, p->nrow - 1); i >= 0; i = state_last_bit(bits, i - 1))
		apart[i] = taken_apart(s, i, apart);
	for (i = state_next_bit(bits, 0, p->nrow); i < p->nrow; i = state_next_bit(bits, i + 1, p->nrow))
		apart[i] = apart[i] && (presumed_packs(p->row[i].inst->opcode) || any_operand(p, i, apart));
}

/* A byte per row: a device's own mean that is averaged over its axes, or what is made of one by numbers: a mean was meant. */
bool *presumed_meant(const states *s, arena *out)
{
	int n = s->q->dist->nrow, i, k;
	bool *meant = arena_zalloc(out, (size_t)n + 1);

	for (i = state_next_bit(s->scaled, 0, n); i < n; i = state_next_bit(s->scaled, i + 1, n)) {
		const struct row *r = &s->q->dist->row[i];
		if (!presumed_mean(s, i))
			continue;
		meant[i] = presumed_averaged(s, i);
		for (k = 0; k < r->nop && !meant[i]; k++)
			meant[i] = meant[r->op[k]];
	}
	return meant;
}

static void find_means(const states *s, bool *mean, arena *tmp)
{
	struct means w = { s, mean, presumed_meant(s, tmp) };
	int i;

	for (i = state_last_bit(s->scaled, s->q->dist->nrow - 1); i >= 0; i = state_last_bit(s->scaled, i - 1))
		mean[i] = presumed_mean(s, i) && all_go_on(&w, i) && (w.meant[i] || summed_later(s, i, s->answer[i].scaled_axes));
}

/* ---- places in a shard */

/* The row of another result of the same instruction. */
static int sibling(const states *s, int row)
{
	const program *p = s->q->dist;
	const struct row *r = &p->row[row];
	int k;

	for (k = row - 1; k >= 0 && p->row[k].inst == r->inst; k--)
		if (p->row[k].element == 0)
			return k;
	return -1;
}

/* Is it, or what is found among such values of all devices, the baseline's? */
static bool found_rightly(const states *s, int row)
{
	const struct side *d = &s->side[SIDE_DIST];
	int left = 8, k;

	for (; left && !s->rs[row].verified; left--) {
		for (k = d->use_at[row]; k < d->use_at[row + 1] && !s->rs[d->use[k]].verified; k++)
			;
		if (k < d->use_at[row + 1])
			return !s->rs[d->use[k]].constant;
		if (d->use_at[row] == d->use_at[row + 1])
			return false;
		row = d->use[d->use_at[row]];
	}
	return left > 0;
}

bool presumed_finds(const struct row *r)
{
	return (r->inst->opcode == OP_REDUCE || r->inst->opcode == OP_TOPK) && r->element > 0 && type_is_int(r->type);
}

bool presumed_place(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];
	int o;

	if (s->rs[row].kind != STATE_NONE || !presumed_finds(r) || (o = sibling(s, row)) < 0)
		return false;
	return s->rs[r->op[0]].verified && row_axes(s, r->op[0]) && found_rightly(s, o);
}

/* The first row of index arithmetic without counterpart; the number of rows: there is none. */
static int first_index(const states *s)
{
	int n = s->q->dist->nrow, i;

	for (i = state_next_bit(s->open, 0, n); i < n && !s->rs[i].index; i = state_next_bit(s->open, i + 1, n))
		;
	return i;
}

/* What each device finds in its own part is right as such where it is masked next. */
static void find_found(const states *s, bool *found)
{
	int n = s->q->dist->nrow, i, what = -1;

	for (i = first_index(s); i < n; i = state_next_bit(s->open, i + 1, n))
		if (s->rs[i].kind == STATE_NONE && state_masks_found(s, i, &what))
			for (; what >= 0; what = state_moved_from(s, what))
				found[what] = true;
}

static bool any_place(const states *s)
{
	int k;

	for (k = 0; k < s->nplace; k++)
		if (presumed_place(s, s->place[k]))
			return true;
	return false;
}

static void find_places(const states *s, bool *place)
{
	int n = s->q->dist->nrow, i;

	if (!any_place(s))
		return;
	for (i = state_next_bit(s->open, 0, n); i < n; i = state_next_bit(s->open, i + 1, n)) {
		const struct row *r = &s->q->dist->row[i];
		if (presumed_place(s, i) || (row_moves(r) && place[r->op[0]] && presumed_place_of(s, r->op[0]) >= 0))
			place[i] = true;
	}
}

int presumed_place_of(const states *s, int row)
{
	const struct row *r = &s->q->dist->row[row];

	while (row_moves(r) && r->param < 0 && r->role == ROW_PLAIN) {
		row = r->op[0];
		r = &s->q->dist->row[row];
	}
	return presumed_place(s, row) ? row : -1;
}

/* ---- all of it */

bool *presumed_rows(const states *s, arena *out)
{
	size_t n = (size_t)s->q->dist->nrow + 1;
	bool *apart = arena_zalloc(out, n), *mean;
	int i;

	find_packed(s, out, apart);
	find_places(s, apart);
	find_found(s, apart);
	shift_presume(s, apart, out);
	if (!s->counts.n[STATE_SCALED])
		return apart;
	mean = arena_zalloc(out, n);
	find_means(s, mean, out);
	for (i = state_next_bit(s->scaled, 0, (int)n - 1); i < (int)n - 1; i = state_next_bit(s->scaled, i + 1, (int)n - 1))
		apart[i] = apart[i] || mean[i];
	return apart;
}
