#include "relation/describe.h"

#include <string.h>
#include "core/table_text.h"
#include "relation/layout_text.h"
#include "relation/places.h"
#include "relation/state_in.h"

#define LINE_MAX_BYTES 150
#define DEPTH 2

struct says {
	const states *s;
	algebra *a;
	arena *out;
	char *t;
	int depth;
};

static void put(struct says *w, const char *t)
{
	w->t = arena_printf(w->out, "%s%s", w->t, t);
}

#define PUTF(w, ...) put(w, arena_printf((w)->out, __VA_ARGS__))

/* ---- names */

static int first_row(const states *s, enum program_side side, eg_id core)
{
	const struct side *d = &s->side[side];
	eg_id r = eg_root(s->q->p->g, core);

	return r < d->chain.n ? VEC_AT(struct chain_of_rows, &d->chain, r).first - 1 : -1;
}

int describe_named(const states *s, eg_id core, enum program_side *side)
{
	int r = first_row(s, SIDE_BASE, core);

	*side = SIDE_BASE;
	if (r < 0) {
		*side = SIDE_DIST;
		r = first_row(s, SIDE_DIST, core);
	}
	return r;
}

static char *name_of(const states *s, enum program_side side, int row, arena *out)
{
	const char *path = pair_row(s->q, side, row)->path;

	if (side == SIDE_DIST && program_named(s->q->base, path) >= 0)
		return arena_printf(out, "dist %%%s", path);
	return arena_printf(out, "%%%s", path);
}

static char *number_text(arena *out, number v)
{
	char b[64];

	if (!number_is_rat(v))
		return arena_printf(out, "%g", v.f);
	rat_short(b, sizeof b, v.r);
	return arena_strdup(out, b);
}

static void put_node(struct says *w, eg_id n);

static void put_table(struct says *w, eg_id n)
{
	int64_t len;
	const double *v = core_table(w->a, n, &len);

	put(w, table_text(w->out, v, len));
}

static void put_class(struct says *w, eg_id x)
{
	enum program_side side;
	int row = describe_named(w->s, x, &side);
	eg_id n = normal_node(w->a, x);

	if (core_kind(w->a, n) == C_NUMBER)
		put(w, number_text(w->out, core_number(w->a, n)));
	else if (row >= 0)
		put(w, name_of(w->s, side, row, w->out));
	else if (w->depth >= DEPTH || strlen(w->t) > LINE_MAX_BYTES)
		put(w, "..");
	else if (core_kind(w->a, n) == C_PARAM)
		PUTF(w, "%s", core_fn(w->a, n));
	else if (core_kind(w->a, n) == C_TABLE)
		put_table(w, n);
	else if (core_kind(w->a, n) == C_INDEX)
		put(w, "index");
	else {
		w->depth++;
		put(w, "(");
		put_node(w, n);
		put(w, ")");
		w->depth--;
	}
}

/* ---- one node */

static void put_coef(struct says *w, rat c, bool first)
{
	char b[64];

	if (c.num < 0) {
		put(w, first ? "-" : " - ");
		c.num = -c.num;
	} else if (!first) {
		put(w, " + ");
	}
	if (rat_is_int(c, 1))
		return;
	rat_short(b, sizeof b, c);
	PUTF(w, "%s x ", b);
}

static void put_power(struct says *w, int64_t e)
{
	if (e != 1)
		PUTF(w, "^%lld", (long long)e);
}

static void put_operand(struct says *w, const struct places *p, eg_id x)
{
	if (p->rank == 1 && p->dim[0] == INT64_MAX) {
		PUTF(w, "index %s", p->text);
		return;
	}
	if (*p->order && *p->order != '@')
		PUTF(w, "%s of ", p->order);
	put_class(w, x);
}

/* A number in a sum: with its coefficient multiplied out. */
static bool put_constant(struct says *w, eg_id n, int i)
{
	eg_id x = normal_node(w->a, eg_args(w->a->g, n)[i]);
	rat c = core_coef(w->a, n, i);

	if (core_kind(w->a, x) != C_NUMBER || !number_is_rat(core_number(w->a, x)) || !rat_mul(&c, c, core_number(w->a, x).r))
		return false;
	if (i)
		put(w, c.num < 0 ? " - " : " + ");
	if (i && c.num < 0)
		c.num = -c.num;
	put(w, number_text(w->out, (number){ c, 0 }));
	return true;
}

/* Is n a multiple of core x, place by place, that a row of a program holds? */
static bool named_multiple(const struct says *w, eg_id n, eg_id x)
{
	enum program_side side;
	pair_expr e;
	pairing p;

	if (core_kind(w->a, n) != C_SUM || core_len(w->a, n) != core_len(w->a, x) || describe_named(w->s, n, &side) < 0)
		return false;
	p = pairing_read(w->a, n);
	if (p.nslot != 1 || p.nfree != 1 || p.ndata || p.tail != 1)
		return false;
	pairing_expr(&p, p.word, &e);
	return e.base == 0 && e.stride[0] == 1 && e.ntab == 0;
}

/* What a term of a sum is said to be: its core, or the first multiple of it that has a name, and the coefficient of that. */
static eg_id said_term(const struct says *w, eg_id x, rat *c)
{
	egraph *g = w->a->g;
	eg_id root = eg_root(g, x), first = NIL;
	enum program_side side;
	eg_use u;
	bool more = describe_named(w->s, x, &side) < 0 && !core_atom(w->a, normal_node(w->a, x)) && eg_use_first(g, root, &u);
	rat q;

	for (; more; more = eg_use_next(g, &u))
		if (u.owner < first && named_multiple(w, u.owner, x))
			first = u.owner;
	if (first == NIL || !rat_div(&q, *c, core_coef(w->a, first, 0)))
		return x;
	*c = q;
	return first;
}

static void put_operands(struct says *w, eg_id n, const struct place_reader *pl, const char *between)
{
	pairing p = pairing_read(w->a, n);
	struct places at;
	enum core_kind k = core_kind(w->a, n);
	int i;

	for (i = 0; i < p.nslot; i++) {
		eg_id x = eg_args(w->a->g, n)[i];
		rat c = core_coef(w->a, n, i);
		if (strlen(w->t) > LINE_MAX_BYTES) {
			put(w, " ..");
			return;
		}
		if (k == C_SUM && put_constant(w, n, i))
			continue;
		if (k == C_SUM && p.nslot > 1)
			x = said_term(w, x, &c);
		if (k == C_SUM)
			put_coef(w, c, i == 0);
		else if (i)
			put(w, between);
		at = places_of_slot(pl, i, w->out);
		put_operand(w, &at, x);
		if (k == C_MUL || k == C_EIN)
			put_power(w, core_coef(w->a, n, i).num);
	}
}

static int64_t summed(const pairing *p)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < p->nbound; i++)
		n *= p->size[p->nfree + i];
	return n;
}

static const char *operation(const char *fn)
{
	const char *c = strchr(fn, ' ');	/* an opaque operation's key begins with its name */

	return c && c - fn < 40 ? NULL : fn;
}

static void put_fn(struct says *w, eg_id n)
{
	const char *fn = core_fn(w->a, n), *short_fn = operation(fn);

	if (short_fn)
		PUTF(w, "%.60s", short_fn);
	else
		PUTF(w, "%.*s", (int)(strchr(fn, ' ') - fn), fn);
}

static void put_view(struct says *w, eg_id n)
{
	int m;
	const digit *d = val_get_digits(w->a, node_val(w->a, n, 0), &m);

	PUTF(w, "view (%s) of ", layout_digits(w->out, m, d));
	put_class(w, eg_args(w->a->g, n)[0]);
}

static void put_node(struct says *w, eg_id n)
{
	enum core_kind k = core_kind(w->a, n);
	struct place_reader pl;
	pairing p;

	if (core_atom(w->a, n) && k != C_OPAQUE && k != C_LOOP) {
		put_class(w, n);
		return;
	}
	if (k == C_VIEW) {
		put_view(w, n);
		return;
	}
	p = pairing_read(w->a, n);
	pl = places_begin(w->s, n);
	switch (k) {
	case C_EIN:
		PUTF(w, "sum over %lld of ", (long long)summed(&p));
		put_operands(w, n, &pl, " * ");
		break;
	case C_RED: case C_PICK:
		put_fn(w, n);
		PUTF(w, " over %lld of ", (long long)summed(&p));
		put_operands(w, n, &pl, ", ");
		break;
	case C_MUL:
		put_operands(w, n, &pl, " * ");
		break;
	case C_SUM: case C_AT:
		put_operands(w, n, &pl, ", ");
		break;
	default:
		put_fn(w, n);
		put(w, p.nslot ? " of " : "");
		put_operands(w, n, &pl, ", ");
	}
	places_end(&pl);
}

static struct says saying(const states *s, arena *out)
{
	return (struct says){ s, &s->q->p->a, out, arena_strdup(out, ""), 0 };
}

char *describe_class(const states *s, eg_id core, arena *out)
{
	struct says w = saying(s, out);

	put_class(&w, core);
	return w.t;
}

char *describe_core(const states *s, eg_id core, arena *out)
{
	struct says w = saying(s, out);

	put_node(&w, normal_node(w.a, core));
	return w.t;
}

char *describe_node(const states *s, eg_id node, arena *out)
{
	struct says w = saying(s, out);

	put_node(&w, node);
	return w.t;
}

char *describe_row(const states *s, enum program_side side, int row, arena *out)
{
	eg_id x = s->side[side].core[row];
	const struct row *r = pair_row(s->q, side, row);

	if (x == NIL)
		return arena_printf(out, "%s, not taken up yet", r->inst->opname);
	return arena_printf(out, "%s: %s", r->inst->opname, describe_core(s, x, out));
}

/* ---- the whole term */

struct listing {
	struct says w;
	vec seen;		/* classes written, in order */
};

static int listed(const struct listing *l, eg_id root)
{
	uint32_t i;

	for (i = 0; i < l->seen.n; i++)
		if (VEC_AT(eg_id, &l->seen, i) == root)
			return (int)i;
	return -1;
}

enum { TERM_LINES = 400, TERM_INDENT = 30 };	/* as describe.h promises */

/* Operands before users would hide the shape of the term: outermost first, every class once. */
static void list_class(struct listing *l, eg_id x, int indent)
{
	algebra *a = l->w.a;
	eg_id r = eg_root(a->g, x), n = normal_node(a, x);
	enum program_side side;
	struct says line = saying(l->w.s, l->w.out);
	int row, i;
	bool again = listed(l, r) >= 0;

	if (l->seen.n >= TERM_LINES)
		return;
	row = describe_named(l->w.s, x, &side);
	for (i = 0; i < indent && i < TERM_INDENT; i++)
		put(&line, "  ");
	if (row >= 0)
		PUTF(&line, "%s = ", name_of(l->w.s, side, row, l->w.out));
	if (again) {
		put(&line, "(above)\n");
	} else {
		*(eg_id *)vec_push(&l->seen) = r;
		if (core_kind(a, n) == C_PARAM)
			PUTF(&line, "%s", core_fn(a, n));
		else
			put_node(&line, n);
		if (core_len(a, n) == INT64_MAX)	/* all integers: no slot reads beyond what it needs */
			PUTF(&line, "   [all integers]\n");
		else
			PUTF(&line, "   [%lld]\n", (long long)core_len(a, n));
	}
	put(&l->w, line.t);
	if (again || core_atom(a, n))
		return;
	for (i = 0; i < (int)eg_narg(a->g, n); i++)
		list_class(l, eg_args(a->g, n)[i], indent + 1);
}

char *describe_term(const states *s, eg_id core, arena *out)
{
	struct listing l = { .w = saying(s, out) };

	vec_init(&l.seen, sizeof(eg_id));
	list_class(&l, core, 0);
	if (l.seen.n >= TERM_LINES)
		PUTF(&l.w, ".. cut after %d nodes\n", TERM_LINES);
	vec_free(&l.seen);
	return l.w.t;
}

/* ---- places */

static const char *dimension_word(int rank, int k, arena *out)
{
	if (rank == 1)
		return "places";
	if (rank == 2)
		return k ? "columns" : "rows";
	return arena_printf(out, "dim %d at", k);
}

/* How many values from i on follow each other with this step. */
static int64_t run_length(int64_t n, const int64_t *v, int64_t i, int64_t step)
{
	int64_t j = i + 1;

	while (j < n && v[j] - v[j - 1] == step)
		j++;
	return j - i;
}

char *describe_runs(arena *out, int64_t n, const int64_t *v)
{
	char *t = arena_strdup(out, "");
	int64_t i, len, step;
	int shown = 0;

	for (i = 0; i < n; i += len) {
		if (shown++ == 6)
			return arena_printf(out, "%s, ..", t);
		step = i + 1 < n ? v[i + 1] - v[i] : 0;
		len = run_length(n, v, i, step);
		t = arena_printf(out, "%s%s%lld", t, *t ? ", " : "", (long long)v[i]);
		if ((step == 1 || step == -1) && len > 2)
			t = arena_printf(out, "%s..%lld", t, (long long)v[i + len - 1]);
		else if (step && len >= 4)
			t = arena_printf(out, "%s, %lld .. %lld", t, (long long)v[i + 1], (long long)v[i + len - 1]);
		else
			len = 1;
	}
	return t;
}

char *describe_dimension(arena *out, int rank, int k, int64_t n, const int64_t *v)
{
	return n ? arena_printf(out, "%s %s", dimension_word(rank, k, out), describe_runs(out, n, v)) : arena_strdup(out, dimension_word(rank, k, out));
}
