#include "relation/state_in.h"

#include <stdlib.h>
#include <string.h>
#include "relation/block.h"
#include "relation/layout_text.h"
#include "relation/presumed.h"
#include "relation/reorder.h"

static const char *const kind_names[STATE_KINDS] = {
	"open", "related", "reordered", "block", "partial", "scaled", "constant", "trips", "unverified"
};

const char *state_kind_name(enum state_kind k)
{
	return kind_names[k];
}

/* ---- set-up */

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die_hook("out of memory");
	return p;
}

static void find_users(struct side *d)
{
	const program *p = d->p;
	int i, k, *fill;

	d->use_at = zeroed((size_t)p->nrow + 1, sizeof *d->use_at);
	for (i = 0; i < p->nrow; i++)
		for (k = 0; k < p->row[i].nop; k++)
			d->use_at[p->row[i].op[k] + 1]++;
	for (i = 0; i < p->nrow; i++)
		d->use_at[i + 1] += d->use_at[i];
	d->use = zeroed((size_t)d->use_at[p->nrow], sizeof *d->use);
	fill = zeroed((size_t)p->nrow, sizeof *fill);
	for (i = 0; i < p->nrow; i++)
		for (k = 0; k < p->row[i].nop; k++) {
			int o = p->row[i].op[k];
			d->use[d->use_at[o] + fill[o]++] = i;
		}
	free(fill);
}

static uint64_t *bits_of(int n)
{
	return zeroed((size_t)n / 64 + 1, sizeof(uint64_t));
}

/* Rows of operations that questions begin at. */
static void find_operations(states *s)
{
	const program *p = s->q->dist;
	int i;

	s->pack = zeroed((size_t)p->nrow, sizeof *s->pack);
	s->place = zeroed((size_t)p->nrow, sizeof *s->place);
	s->subtracts = bits_of(p->nrow);
	for (i = 0; i < p->nrow; i++)
		if (presumed_packs(p->row[i].inst->opcode))
			s->pack[s->npack++] = i;
		else if (presumed_finds(&p->row[i]))
			s->place[s->nplace++] = i;
		else if (p->row[i].inst->opcode == OP_SUBTRACT)
			state_set_bit(s->subtracts, i);
}

states *states_new(pair *q)
{
	states *s = zeroed(1, sizeof *s);
	size_t n = (size_t)q->dist->nrow, nb = (size_t)q->base->nrow;
	int i;

	s->q = q;
	arena_init(&s->a);
	trail_init(&s->log);
	taints_init(&s->taints);
	vec_init(&s->point, sizeof(struct point));
	s->side[SIDE_BASE].p = q->base;
	s->side[SIDE_DIST].p = q->dist;
	for (i = 0; i < 2; i++) {
		struct side *d = &s->side[i];
		d->core = zeroed((size_t)d->p->nrow, sizeof *d->core);
		d->next = zeroed((size_t)d->p->nrow, sizeof *d->next);
		vec_init(&d->chain, sizeof(struct chain_of_rows));
		find_users(d);
	}
	s->rs = zeroed(n, sizeof *s->rs);
	s->base = zeroed(n, sizeof *s->base);
	s->answer = zeroed(n, sizeof *s->answer);
	s->dirty = bits_of((int)n);
	s->open = bits_of((int)n);
	s->scaled = bits_of((int)n);
	s->refused = bits_of((int)n);
	s->block = bits_of((int)n);
	s->same_before = zeroed(n, sizeof *s->same_before);
	s->same_behind = zeroed(n, sizeof *s->same_behind);
	s->first_of = zeroed(nb, sizeof *s->first_of);
	s->last_of = zeroed(nb, sizeof *s->last_of);
	find_operations(s);
	return s;
}

void states_free(states *s)
{
	int i;

	if (!s)
		return;
	for (i = 0; i < 2; i++) {
		free(s->side[i].core);
		free(s->side[i].next);
		free(s->side[i].use_at);
		free(s->side[i].use);
		vec_free(&s->side[i].chain);
	}
	free(s->rs);
	free(s->base);
	free(s->answer);
	free(s->dirty);
	free(s->open);
	free(s->scaled);
	free(s->subtracts);
	free(s->pack);
	free(s->place);
	free(s->refused);
	free(s->block);
	free(s->same_before);
	free(s->same_behind);
	free(s->first_of);
	free(s->last_of);
	trail_free(&s->log);
	taints_free(&s->taints);
	vec_free(&s->point);
	arena_free(&s->a);
	free(s);
}

void state_keep(states *s, void *p, size_t n)
{
	uint64_t *w = p;

	for (n /= sizeof *w; n && s->log.on; n--, w++)
		trail_log(&s->log, (uint64_t)(uintptr_t)w | TRAIL_SET64, *w);
}

int state_next_bit(const uint64_t *bits, int row, int n)
{
	uint64_t w;
	int i = row / 64;

	if (row >= n)
		return n;
	for (w = bits[i] >> row % 64 << row % 64; !w; w = bits[i])
		if (++i > (n - 1) / 64)
			return n;
	return i * 64 + __builtin_ctzll(w);
}

int state_last_bit(const uint64_t *bits, int row)
{
	uint64_t w;
	int i = row / 64;

	if (row < 0)
		return -1;
	for (w = bits[i] << (63 - row % 64) >> (63 - row % 64); !w; w = bits[i])
		if (--i < 0)
			return -1;
	return i * 64 + 63 - __builtin_clzll(w);
}

static void set_bit(states *s, uint64_t *bits, int row, bool to)
{
	uint64_t *w = &bits[row / 64], bit = (uint64_t)1 << row % 64;

	trail_set64(&s->log, w, to ? *w | bit : *w & ~bit);
}

/* ---- rows that are lifted */

bool row_taken(const pair *q, enum program_side side, int row)
{
	const struct row *r = pair_row(q, side, row);
	int at = pair_position(q) - (side == SIDE_DIST ? q->base->nrow : 0);

	return row < at || (r->param >= 0 && (side == SIDE_BASE || q->in[r->param].base_row < 0));
}

/* The cell of a row; NIL: not lifted, or not taken yet. */
static eg_id cell_of(const pair *q, enum program_side side, int row)
{
	eg_id t = pair_row(q, side, row)->tensor;

	return t != NIL && t < eg_nnode(q->p->g) && row_taken(q, side, row) ? laid_cell(&q->p->a, t) : NIL;
}

eg_id row_core(const pair *q, enum program_side side, int row)
{
	eg_id cell = cell_of(q, side, row);

	return cell == NIL ? NIL : eg_args(q->p->g, cell)[0];
}

eg_id row_cell(const pair *q, enum program_side side, int row)
{
	return pair_row(q, side, row)->trips == 1 ? cell_of(q, side, row) : NIL;
}

bool row_form(const pair *q, enum program_side side, int row, layout *l, eg_id *core)
{
	eg_id cell = row_cell(q, side, row);
	struct row whole;

	if (cell == NIL)
		return false;
	if (side == SIDE_BASE)
		return pair_whole(q, row, &whole, l, core);
	*l = layout_of(&q->p->a, cell);
	*core = eg_args(q->p->g, cell)[0];
	return true;
}

/* ---- rows that have one baseline row as base */

static void set32(states *s, int32_t *p, int32_t to)
{
	trail_set32(&s->log, (uint32_t *)p, (uint32_t)to);
}

static void leave_base(states *s, int row, int base)
{
	int32_t before = s->same_before[row], behind = s->same_behind[row];

	set32(s, before ? &s->same_behind[before - 1] : &s->first_of[base], behind);
	set32(s, behind ? &s->same_before[behind - 1] : &s->last_of[base], before);
}

static void take_base(states *s, int row, int base)
{
	int32_t before = s->last_of[base], behind = 0;

	for (; before > row + 1; before = s->same_before[before - 1])
		behind = before;
	set32(s, &s->same_before[row], before);
	set32(s, &s->same_behind[row], behind);
	set32(s, before ? &s->same_behind[before - 1] : &s->first_of[base], row + 1);
	set32(s, behind ? &s->same_before[behind - 1] : &s->last_of[base], row + 1);
}

/* Later rows with the core of this baseline row may choose otherwise now. */
static void others_choose_again(states *s, int row, int base)
{
	const struct side *d = &s->side[SIDE_DIST];
	eg_id core = s->side[SIDE_BASE].core[base], own = d->core[row];
	const egraph *g = s->q->p->g;
	int32_t r;

	if (core == NIL)
		return;
	r = own != NIL && eg_root(g, own) == eg_root(g, core) ? d->next[row] : state_chain(d, eg_root(g, core))->first;
	for (; r; r = d->next[r - 1])
		if (r - 1 > row)
			state_dirty(s, r - 1);
}

/* .. and so may those that look at this one for where the baseline stood. */
static void next_choose_again(states *s, int row)
{
	int i;

	for (i = row + 1; i < s->q->dist->nrow && i <= row + ROWS_BEFORE && row_taken(s->q, SIDE_DIST, i); i++) {
		state_dirty(s, i);
		if (s->base[i] >= 0)
			break;
	}
}

static void set_base(states *s, int row, int to)
{
	int from = s->base[row];

	if (from == to)
		return;
	set32(s, &s->base[row], to);
	if (from >= 0)
		leave_base(s, row, from);
	if (to >= 0)
		take_base(s, row, to);
	if (s->judging_all)
		return;
	if (from >= 0 && (!s->first_of[from] || s->first_of[from] > row + 1))
		others_choose_again(s, row, from);
	if (to >= 0 && s->first_of[to] == row + 1)
		others_choose_again(s, row, to);
	next_choose_again(s, row);
}

/* ---- all rows */

static void count(states *s, const row_state *r, int by)
{
	set32(s, &s->counts.n[r->kind], s->counts.n[r->kind] + by);
	if (r->verified)
		set32(s, &s->counts.verified, s->counts.verified + by);
}

static void set_state(states *s, int row, const row_state *r)
{
	const struct side *d = &s->side[SIDE_DIST];
	row_state *old = &s->rs[row];
	int k;

	if (!memcmp(old, r, sizeof *r))
		return;
	count(s, old, -1);
	count(s, r, 1);
	state_keep(s, old, sizeof *old);
	memcpy(old, r, sizeof *r);
	set_base(s, row, r->base);
	set_bit(s, s->open, row, !r->verified && r->kind != STATE_OPEN);
	set_bit(s, s->scaled, row, r->kind == STATE_SCALED);
	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++)
		state_dirty(s, d->use[k]);
}

static bool is_block(const struct answer *w)
{
	return w->asked && w->kind == STATE_BLOCK;
}

/* A block of which the rest is wanting is refused for now. */
static bool is_refused(const struct answer *w)
{
	return w->asked && (w->kind == STATE_NONE || (w->kind == STATE_BLOCK && !w->covered));
}

/* In program order: what a row's state rests on stands before it.  Are there blocks among them? */
static bool judge_dirty(states *s)
{
	int n = s->q->dist->nrow, i;
	bool blocks = false;
	row_state r;

	for (i = state_next_bit(s->dirty, s->first_dirty, n); i < n; i = state_next_bit(s->dirty, i + 1, n)) {
		state_clear_bit(s->dirty, i);
		state_now(s, i, &r);
		set_bit(s, s->refused, i, is_refused(&s->answer[i]));
		set_bit(s, s->block, i, is_block(&s->answer[i]));
		set_state(s, i, &r);
		blocks = blocks || is_block(&s->answer[i]);
	}
	s->judging_all = false;
	s->first_dirty = n;
	return blocks;
}

static void all_dirty(states *s)
{
	int i;

	s->judging_all = true;
	for (i = 0; i < s->q->dist->nrow; i++)
		state_dirty(s, i);
}

/* The first time, or the pair was moved back to before that. */
static void start_anew(states *s)
{
	size_t n = (size_t)s->q->dist->nrow, nb = (size_t)s->q->base->nrow, i;
	size_t words = n / 64 + 1;

	s->log.on = false;
	s->log.entries.n = 0;
	s->point.n = 0;
	taints_cut(&s->taints, 0);
	arena_free(&s->a);
	arena_init(&s->a);
	memset(s->rs, 0, sizeof *s->rs * n);
	memset(s->answer, 0, sizeof *s->answer * n);
	memset(s->open, 0, sizeof *s->open * words);
	memset(s->scaled, 0, sizeof *s->scaled * words);
	memset(s->refused, 0, sizeof *s->refused * words);
	memset(s->block, 0, sizeof *s->block * words);
	memset(s->first_of, 0, sizeof *s->first_of * nb);
	memset(s->last_of, 0, sizeof *s->last_of * nb);
	for (i = 0; i < n; i++)
		s->rs[i].base = s->base[i] = -1;
	s->counts = (state_counts){ .base = (int)nb, .dist = (int)n, .n = { [STATE_OPEN] = (int)n } };
	s->now.nassumed = 0;
	for (i = 0; i < eg_nedge(s->q->p->g); i++)
		s->now.nassumed += eg_get_edge(s->q->p->g, (uint32_t)i)->kind == EG_ASSUMED;
	state_chain_anew(s);
	all_dirty(s);
}

/* To the last point that is not behind what was undone; false: there is none. */
static bool go_back(states *s, trail_mark low)
{
	const struct point *p = VEC(struct point, &s->point);

	while (s->point.n && p[s->point.n - 1].at > low)
		s->point.n--;
	if (!s->point.n)
		return false;
	s->now = p[s->point.n - 1];
	trail_undo(&s->log, s->now.log);
	taints_cut(&s->taints, s->now.nedge);
	arena_reset(&s->a, s->now.text);
	return true;
}

static void ask_refused_again(states *s)
{
	int n = s->q->dist->nrow, i;

	for (i = state_next_bit(s->refused, 0, n); i < n; i = state_next_bit(s->refused, i + 1, n)) {
		state_keep(s, &s->answer[i], sizeof s->answer[i]);
		s->answer[i].asked = false;
	}
}

static void refused_dirty(states *s)
{
	int n = s->q->dist->nrow, i;

	for (i = state_next_bit(s->refused, 0, n); i < n; i = state_next_bit(s->refused, i + 1, n))
		state_dirty(s, i);
}

/* What outputs are copies of may be asked whatever it is made of, once all is lifted. */
static void outputs_dirty(states *s)
{
	int k, row, left;

	for (k = 0; k < s->q->ngoal; k++)
		for (row = s->q->goal[k].dist_row, left = COPIES_BEFORE_OUTPUT; row >= 0; row = row_moves(row_at(s, row)) && left-- ? row_at(s, row)->op[0] : -1)
			state_dirty(s, row);
}

static void go_forward(states *s)
{
	const pair *q = s->q;
	uint32_t n = eg_nedge(q->p->g), assumed = 0, i;
	int from = s->now.position ? s->now.position - 1 : 0;	/* the row that was being settled then */

	s->log.on = q->p->a.tr->on;
	for (i = s->now.nedge; i < n; i++)
		assumed += eg_get_edge(q->p->g, i)->kind == EG_ASSUMED;
	state_follow_edges(s, s->now.nedge, n);
	state_follow_rows(s, from, pair_position(q));
	s->now.nassumed += assumed;
	if (assumed) {	/* what is assumed of a value made by a probe's own steps changes no class that the probe opened */
		ask_refused_again(s);
		all_dirty(s);
	}
	if (pair_done(q)) {
		refused_dirty(s);
		outputs_dirty(s);
	}
	if (s->now.postponed && normal_idle(&q->p->a)) {
		s->now.postponed = false;
		all_dirty(s);
	}
}

static bool unchanged(const states *s)
{
	const struct point *n = &s->now;

	return s->begun && n->at == trail_at(s->q->p->a.tr) && s->q->p->a.tr->low >= n->at && n->fired == s->q->p->fired &&
	       n->position == pair_position(s->q) && n->nnode == eg_nnode(s->q->p->g) && n->nedge == eg_nedge(s->q->p->g) &&
	       n->idle == normal_idle(&s->q->p->a);
}

/* What is refreshed is a point to go back to. */
static void set_point(states *s)
{
	const pair *q = s->q;

	s->now = (struct point){ trail_at(q->p->a.tr), trail_at(&s->log), arena_at(&s->a), eg_nedge(q->p->g), eg_nnode(q->p->g),
				 s->now.nassumed, q->p->fired, pair_position(q), normal_idle(&q->p->a), s->now.postponed };
	*(struct point *)vec_push(&s->point) = s->now;
	q->p->a.tr->low = UINT32_MAX;
	s->begun = true;
}

void states_refresh(states *s)
{
	trail_mark low = s->q->p->a.tr->low;
	bool blocks;

	if (unchanged(s))
		return;
	/* where nobody keeps the unions, there is nothing to follow */
	if (s->begun && eg_nedge(s->q->p->g) && (low >= s->now.at || go_back(s, low)))
		go_forward(s);
	else
		start_anew(s);
	do
		blocks = judge_dirty(s);
	while (blocks && blocks_find_covered(s));
	set_point(s);
}

/* ---- reading */

const row_state *state_of(const states *s, int row)
{
	return &s->rs[row];
}

const int *states_bases(const states *s)
{
	return s->base;
}

int state_partner(const states *s, int base_row)
{
	return s->first_of[base_row] - 1;
}

char *state_relation(const states *s, int row, arena *out)
{
	const row_state *r = &s->rs[row];
	layout l, b;
	eg_id x, y;
	char num[64];

	if (r->note)
		return arena_strdup(out, r->note);
	switch (r->kind) {
	case STATE_RELATED:
		if (r->base < 0 || !row_form(s->q, SIDE_DIST, row, &l, &x) || !row_form(s->q, SIDE_BASE, r->base, &b, &y))
			return arena_strdup(out, "");
		return layout_relation(out, &s->q->ms, &b, &l);
	case STATE_SCALED:
		rat_short(num, sizeof num, r->scale);
		return arena_printf(out, "%s x %%%s", num, pair_row(s->q, SIDE_BASE, r->base)->path);
	case STATE_REORDERED:
		return reorder_text(s, &s->answer[row], out);
	case STATE_BLOCK:
		return arena_printf(out, "block: %s", reorder_text(s, &s->answer[row], out));
	case STATE_CONSTANT:
		return arena_strdup(out, "const");
	default:
		return arena_strdup(out, "");
	}
}

char state_mark(const states *s, int row)
{
	const row_state *r = &s->rs[row];

	if (r->kind == STATE_OPEN && !r->verified)
		return '.';
	return r->tainted ? '*' : r->verified ? '=' : '?';
}

state_counts states_count(const states *s)
{
	return s->counts;
}

/* Rows of a program from which an output is reached. */
static bool *live_rows(const program *p, arena *out)
{
	bool *live = arena_zalloc(out, (size_t)p->nrow + 1);
	int i, k;

	for (i = 0; i < p->nout; i++)
		if (p->out[i] >= 0)
			live[p->out[i]] = true;
	for (i = p->nrow - 1; i >= 0; i--)
		for (k = 0; k < p->row[i].nop && live[i]; k++)
			live[p->row[i].op[k]] = true;
	return live;
}

/* Some distributed row holds it, perhaps under another name. */
static bool has_partner(const states *s, int base_row)
{
	eg_id x = s->side[SIDE_BASE].core[base_row];

	return s->first_of[base_row] || (x != NIL && state_chain(&s->side[SIDE_DIST], eg_root(s->q->p->g, x))->first);
}

int states_unmatched(const states *s, enum program_side side, arena *out, const int **row)
{
	const program *p = s->side[side].p;
	bool *live = live_rows(p, out);
	int *list = ARENA_ARRAY(out, int, p->nrow), n = 0, i;

	for (i = 0; i < p->nrow; i++)
		if (live[i] && !(side == SIDE_BASE ? has_partner(s, i) : s->rs[i].verified))
			list[n++] = i;
	*row = list;
	return n;
}
