#include "relation/shift.h"

#include <string.h>
#include "pair/collective.h"
#include "relation/padded.h"
#include "relation/state_in.h"

enum { TERMS = 4 };
enum tag_kind { TAG_LOG = 1, TAG_FACTOR };	/* x - m, exp(x - m) */

/* What a row is relative to: sum e m, or the product of exp(e m). */
struct tag {
	enum tag_kind kind;
	int n;
	struct { int peak, e; } t[TERMS];	/* e is not 0 */
	int last;				/* a maximum it was relative to before, or -1 */
};

struct shifts {
	const states *s;
	const program *p;
	struct tag **tag;	/* per row; NULL: none, or shifts that do not fit */
	bool *used;		/* per row: a maximum that is made up for in some way */
	arena *a;
};

/* ---- maxima */

static bool reduces(const struct shifts *z, int row, const char *fn)
{
	const struct row *r = &z->p->row[row];
	enum opcode op = r->inst->opcode;

	return (op == OP_REDUCE || op == OP_ALL_REDUCE || op == OP_REDUCE_SCATTER || op == OP_ALL_REDUCE_START || op == OP_ALL_REDUCE_DONE) && !strcmp(r->name, fn);
}

static bool moves(enum opcode op)
{
	return state_relabels(op) || op == OP_SLICE || op == OP_DYNAMIC_SLICE || op == OP_OPT_BARRIER || op == OP_ALL_GATHER || op == OP_ALL_GATHER_START || op == OP_ALL_GATHER_DONE;
}

static bool is_constant(const struct shifts *z, int row)
{
	return z->s->rs[row].constant;
}

static bool is_one(const struct shifts *z, int row)
{
	rat c;

	return state_is_number(z->s, SIDE_DIST, row, &c) && rat_eq(c, RAT_ONE);
}

/* The operand that a row holds as it stands, moved or times 1; -1. */
static int moved(const struct shifts *z, int row)
{
	const struct row *r = &z->p->row[row];

	if (r->inst->opcode == OP_MULTIPLY)
		return is_one(z, r->op[1]) ? r->op[0] : is_one(z, r->op[0]) ? r->op[1] : -1;
	return moves(r->inst->opcode) ? r->op[0] : -1;
}

/* The row that takes the maximum that this one holds, moved and guarded (m where it is finite, else 0); -1: it holds none. */
static int peak_of(const struct shifts *z, int row)
{
	int left = 16;

	for (; left; left--) {
		const struct row *r = &z->p->row[row];
		if (r->param >= 0 || r->role != ROW_PLAIN)
			return -1;
		if (reduces(z, row, "maximum") || r->inst->opcode == OP_MAXIMUM)
			return padded_by(z->s, r->op[0]) ? -1 : row;
		if (r->inst->opcode == OP_SELECT && is_constant(z, r->op[2]))
			row = r->op[1];
		else if ((row = moved(z, row)) < 0)
			return -1;
	}
	return -1;
}

/* ---- tags */

static struct tag *new_tag(struct shifts *z, enum tag_kind kind, const struct tag *like)
{
	struct tag *t = arena_zalloc(z->a, sizeof *t);

	t->last = -1;
	if (like)
		*t = *like;
	t->kind = kind;
	return t;
}

/* t and e times the maximum; NULL: too many. */
static struct tag *add_term(struct tag *t, int peak, int e)
{
	int k;

	for (k = 0; t && k < t->n && t->t[k].peak != peak; k++)
		;
	if (!t || (k == t->n && k == TERMS))
		return NULL;
	if (k == t->n)
		t->t[t->n++].peak = peak;
	t->t[k].e += e;
	t->last = peak;
	if (!t->t[k].e)
		t->t[k] = t->t[--t->n];
	return t;
}

static struct tag *add_tag(struct tag *t, const struct tag *o, int sign)
{
	int k;

	for (k = 0; t && k < o->n; k++)
		t = add_term(t, o->t[k].peak, sign * o->t[k].e);
	if (t && t->last < 0)
		t->last = o->last;
	return t;
}

static bool same_tag(const struct tag *x, const struct tag *y)
{
	int k, i;

	if (x->kind != y->kind || x->n != y->n)
		return false;
	for (k = 0; k < x->n; k++) {
		for (i = 0; i < y->n && (y->t[i].peak != x->t[k].peak || y->t[i].e != x->t[k].e); i++)
			;
		if (i == y->n)
			return false;
	}
	return true;
}

static bool plain(const struct shifts *z, int row)
{
	return z->s->rs[row].verified && !z->tag[row] && !padded_by(z->s, row);
}

static const struct tag *tagged(const struct shifts *z, int row, enum tag_kind kind)
{
	return z->tag[row] && z->tag[row]->kind == kind ? z->tag[row] : NULL;
}

/* An operand of a sum or difference: relative to what it is, a maximum itself, or to nothing. */
static struct tag *term_of(struct shifts *z, int row, int sign)
{
	const struct tag *t = tagged(z, row, TAG_LOG);
	int peak = t ? -1 : peak_of(z, row);

	if (t)
		return add_tag(new_tag(z, TAG_LOG, NULL), t, sign);
	if (peak >= 0)
		return add_term(new_tag(z, TAG_LOG, NULL), peak, sign);
	return plain(z, row) ? new_tag(z, TAG_LOG, NULL) : NULL;
}

/* Of two values that are added: what both are relative to; constants (zeros) fit anything. */
static struct tag *agree(struct shifts *z, int x, int y)
{
	const struct tag *a = tagged(z, x, TAG_FACTOR), *b = tagged(z, y, TAG_FACTOR);

	if (a && b)
		return same_tag(a, b) ? new_tag(z, TAG_FACTOR, a) : NULL;
	if (a && is_constant(z, y))
		return new_tag(z, TAG_FACTOR, a);
	return b && is_constant(z, x) ? new_tag(z, TAG_FACTOR, b) : NULL;
}

static struct tag *of_sum(struct shifts *z, const struct row *r, int sign)
{
	struct tag *x, *y;

	if (tagged(z, r->op[0], TAG_FACTOR) || tagged(z, r->op[1], TAG_FACTOR))
		return agree(z, r->op[0], r->op[1]);
	x = term_of(z, r->op[0], 1);
	y = term_of(z, r->op[1], sign);
	if (!x || !y || (!x->n && x->last < 0 && !y->n && y->last < 0) || (sign > 0 && !z->tag[r->op[0]] && !z->tag[r->op[1]]))
		return NULL;
	return add_tag(x, y, 1);
}

static struct tag *of_product(struct shifts *z, const struct row *r, int sign)
{
	const struct tag *x = tagged(z, r->op[0], TAG_FACTOR), *y = tagged(z, r->op[1], TAG_FACTOR);
	struct tag *t;

	if ((!x && !plain(z, r->op[0])) || (!y && !plain(z, r->op[1])) || (!x && !y))
		return NULL;
	t = new_tag(z, TAG_FACTOR, x);
	return y ? add_tag(t, y, sign) : t;
}

static bool varies_over(const struct shifts *z, int row, uint32_t axes)
{
	layout l;
	eg_id x;

	return !row_form(z->s->q, SIDE_DIST, row, &l, &x) || (bound_axes(&z->s->q->ms, &l) & axes);
}

/* The first maximum that the devices of a sum have each for itself; -1. */
static int own_peak(const struct shifts *z, int row, const struct tag *t)
{
	uint32_t axes = collective_axes(&z->s->q->ms, &z->p->row[row]);
	int k;

	for (k = 0; k < t->n; k++)
		if (varies_over(z, t->t[k].peak, axes))
			return t->t[k].peak;
	return -1;
}

static struct tag *of_reduction(struct shifts *z, int row)
{
	const struct tag *t = reduces(z, row, "add") ? tagged(z, z->p->row[row].op[0], TAG_FACTOR) : NULL;

	if (!t)
		return NULL;
	if (collective_grouped(&z->p->row[row]) &&
	    (!t->n || own_peak(z, row, t) >= 0 || !varies_over(z, z->p->row[row].op[0], collective_axes(&z->s->q->ms, &z->p->row[row]))))
		return NULL;
	return new_tag(z, TAG_FACTOR, t);
}

static struct tag *of_choice(struct shifts *z, const struct row *r)
{
	const struct tag *x = z->tag[r->op[1]], *y = z->tag[r->op[2]];

	if (x && (y ? same_tag(x, y) : is_constant(z, r->op[2])))
		return new_tag(z, x->kind, x);
	return y && !x && is_constant(z, r->op[1]) ? new_tag(z, y->kind, y) : NULL;
}

static struct tag *tag_of(struct shifts *z, int row)
{
	const struct row *r = &z->p->row[row];
	enum opcode op = r->inst->opcode;
	int from = moved(z, row);
	const struct tag *t = from >= 0 ? z->tag[from] : r->nop ? z->tag[r->op[0]] : NULL;

	if (from >= 0)
		return t ? new_tag(z, t->kind, t) : NULL;
	switch (op) {
	case OP_SUBTRACT:
		return of_sum(z, r, -1);
	case OP_ADD:
		return of_sum(z, r, 1);
	case OP_MULTIPLY: case OP_DOT: case OP_CONVOLUTION:
		return of_product(z, r, 1);
	case OP_DIVIDE:
		return of_product(z, r, -1);
	case OP_EXPONENTIAL:
		return t && t->kind == TAG_LOG ? new_tag(z, TAG_FACTOR, t) : NULL;
	case OP_LOG:
		return t && t->kind == TAG_FACTOR ? new_tag(z, TAG_LOG, t) : NULL;
	case OP_NEGATE:
		return !t ? NULL : t->kind == TAG_FACTOR ? new_tag(z, TAG_FACTOR, t) : add_tag(new_tag(z, TAG_LOG, NULL), t, -1);
	case OP_SELECT:
		return of_choice(z, r);
	default:
		return of_reduction(z, row);
	}
}

static bool has_exponential(const states *s)
{
	int n = s->q->dist->nrow, i;

	for (i = state_next_bit(s->open, 0, n); i < n; i = state_next_bit(s->open, i + 1, n))
		if (s->q->dist->row[i].inst->opcode == OP_EXPONENTIAL)
			return true;
	return false;
}

/* A difference alone is relative to something whose operands are not: it begins there, and goes on to what takes it.  What is
 * verified may be relative to something as well. */
static bool find_tags(struct shifts *z, const states *s, arena *tmp)
{
	const struct side *d = &s->side[SIDE_DIST];
	int n = s->q->dist->nrow, i, k;
	uint64_t *due;

	*z = (struct shifts){ .s = s, .p = s->q->dist, .a = tmp };
	if (!has_exponential(s))
		return false;
	z->tag = arena_zalloc(tmp, sizeof *z->tag * ((size_t)n + 1));
	z->used = arena_zalloc(tmp, (size_t)n + 1);
	due = ARENA_ARRAY(tmp, uint64_t, n / 64 + 1);
	memcpy(due, s->subtracts, sizeof *due * ((size_t)n / 64 + 1));
	for (i = state_next_bit(due, 0, n); i < n; i = state_next_bit(due, i + 1, n)) {
		struct tag *t = s->rs[i].settled && s->q->dist->row[i].param < 0 ? tag_of(z, i) : NULL;
		z->tag[i] = t && (t->n || !s->rs[i].verified) ? t : NULL;
		for (k = d->use_at[i]; z->tag[i] && k < d->use_at[i + 1]; k++)
			state_set_bit(due, d->use[k]);
	}
	return true;
}

/* ---- what is made up for */

static void use_terms(struct shifts *z, const struct tag *t)
{
	int k;

	for (k = 0; k < t->n; k++)
		z->used[t->t[k].peak] = true;
	if (t->last >= 0)
		z->used[t->last] = true;
}

static bool added_over_devices(const struct shifts *z, int row)
{
	const struct side *d = &z->s->side[SIDE_DIST];
	int k;

	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++)
		if (collective_grouped(&z->p->row[d->use[k]]) && reduces(z, d->use[k], "add"))
			return true;
	return false;
}

/* False: none is, and nothing is presumed. */
static bool find_used(struct shifts *z)
{
	const states *s = z->s;
	int n = z->p->nrow, i, k;
	bool any = false;

	for (i = state_next_bit(s->open, 0, n); i < n; i = state_next_bit(s->open, i + 1, n)) {
		const struct tag *t = z->tag[i];
		if (!t)
			continue;
		if (t->n > 1 || (t->n && added_over_devices(z, i))) {
			use_terms(z, t);
			any = true;
		}
		for (k = 0; k < t->n; k++)
			if (s->rs[t->t[k].peak].kind == STATE_RELATED)
				any = z->used[t->t[k].peak] = true;
	}
	if (!any)
		return false;
	for (i = n - 1; i >= 0; i--)	/* what a maximum that is used is made of */
		for (k = 0; z->used[i] && k < z->p->row[i].nop; k++) {
			int o = peak_of(z, z->p->row[i].op[k]);
			if (o >= 0)
				z->used[o] = true;
		}
	return true;
}

static bool all_used(const struct shifts *z, const struct tag *t)
{
	int k;

	for (k = 0; k < t->n && z->used[t->t[k].peak]; k++)
		;
	return k == t->n && (t->n || t->last < 0 || z->used[t->last]);
}

/* Relative to nothing any more, and yet not what the baseline has: right where it was relative to a maximum of a part and is taken
 * as a part. */
static bool taken_on(const struct shifts *z, int row, const bool *presumed)
{
	const struct side *d = &z->s->side[SIDE_DIST];
	int k, last = z->tag[row]->last;

	if (last >= 0 && z->s->rs[last].kind == STATE_RELATED)
		return false;
	for (k = d->use_at[row]; k < d->use_at[row + 1]; k++) {
		int u = d->use[k];
		if ((z->tag[u] && (z->tag[u]->n || presumed[u])) || z->used[u])
			return true;
	}
	return false;
}

void shift_presume(const states *s, bool *presumed, arena *tmp)
{
	struct shifts z;
	int n = s->q->dist->nrow, i;

	if (!find_tags(&z, s, tmp) || !find_used(&z))
		return;
	for (i = state_last_bit(s->open, n - 1); i >= 0; i = state_last_bit(s->open, i - 1)) {
		const struct tag *t = z.tag[i];
		if (s->rs[i].kind != STATE_NONE)
			continue;
		if (t ? all_used(&z, t) && (t->n || taken_on(&z, i, presumed)) : peak_of(&z, i) >= 0 && z.used[peak_of(&z, i)])
			presumed[i] = true;
	}
}

/* ---- corrections the wrong way round */

enum { PEAKS_BEHIND = 8 };

/* Is a maximum made of another one? */
static bool covers(const struct shifts *z, int peak, int other, int left)
{
	const struct row *r = &z->p->row[peak];
	int k, o;

	for (k = 0; k < r->nop && left; k++)
		if ((o = peak_of(z, r->op[k])) >= 0 && (o == other || covers(z, o, other, left - 1)))
			return true;
	return false;
}

/* The last row up to this one that takes a maximum less another; -1. */
static int difference_of(const struct shifts *z, int row, int peak, int other)
{
	for (; row >= 0; row--) {
		const struct tag *t = z->p->row[row].inst->opcode == OP_SUBTRACT ? tagged(z, row, TAG_LOG) : NULL;
		int k = t && t->n == 2 && t->t[1].peak == peak;

		if (t && t->n == 2 && t->t[k].peak == peak && t->t[k].e == 1 && t->t[1 - k].peak == other && t->t[1 - k].e == -1)
			return row;
	}
	return -1;
}

/* What was relative to a maximum is so twice, and less another one that is made of it: the difference of the two. */
static int reversed(const struct shifts *z, int row, const struct tag *t)
{
	int k, i, d;

	for (k = 0; t && k < t->n; k++)
		for (i = 0; t->t[k].e < -1 && i < t->n; i++)
			if (t->t[i].e > 0 && covers(z, t->t[i].peak, t->t[k].peak, PEAKS_BEHIND) &&
			    (d = difference_of(z, row, t->t[i].peak, t->t[k].peak)) >= 0)
				return d;
	return -1;
}

static bool adds(const struct row *r)
{
	return r->inst->opcode == OP_ADD || (collective_grouped(r) && !strcmp(r->name, "add"));
}

static int reversed_at(const struct shifts *z, int row)
{
	const struct row *r = &z->p->row[row];
	int k, d = -1;

	if (z->tag[row] || !adds(r))
		return -1;
	for (k = 0; k < r->nop && d < 0; k++)
		d = reversed(z, row, tagged(z, r->op[k], TAG_FACTOR));
	return d;
}

int shift_reversed(const states *s, int row, arena *tmp)
{
	struct shifts z;

	return adds(&s->q->dist->row[row]) && find_tags(&z, s, tmp) ? reversed_at(&z, row) : -1;
}

/* ---- sentences */

static const char *terms_text(const struct shifts *z, const struct tag *t, arena *out)
{
	char *text = arena_strdup(out, "");
	int k;

	for (k = 0; k < t->n; k++) {
		int e = t->t[k].e, times = e < 0 ? -e : e;
		text = arena_printf(out, "%s%s%s%%%s", text, e < 0 ? k ? " - " : "-" : k ? " + " : "", times > 1 ? arena_printf(out, "%d ", times) : "",
				    z->p->row[t->t[k].peak].path);
	}
	return t->n ? arena_printf(out, "exp(%s)", text) : arena_strdup(out, "1");
}

/* The last sum on the way to a row of which every device of some axes, which its maximum does not lie over, holds a part; -1. */
static int own_sum(const struct shifts *z, int row, uint32_t *axes)
{
	layout l, m;
	eg_id x;
	int left = 16;

	for (; left && z->tag[row] && z->p->row[row].nop; left--, row = z->p->row[row].op[0]) {
		if (!reduces(z, row, "add"))
			continue;
		if (collective_grouped(&z->p->row[row]))
			return -1;
		if (!row_form(z->s->q, SIDE_DIST, row, &l, &x) || !row_form(z->s->q, SIDE_DIST, z->tag[row]->last, &m, &x))
			return -1;
		*axes = bound_axes(&z->s->q->ms, &l) & ~bound_axes(&z->s->q->ms, &m);
		return *axes ? row : -1;
	}
	return -1;
}

/* Relative to nothing any more, and not what the baseline has. */
static const char *sum_fault(const struct shifts *z, int row, arena *out)
{
	uint32_t axes;
	int sum = z->tag[row]->n || z->tag[row]->last < 0 ? -1 : own_sum(z, row, &axes);

	return sum < 0 ? NULL : arena_printf(out, "it takes each device's own sum: %%%s is not added up over %s, though %%%s, which it is relative to, is the maximum over all of them",
					     z->p->row[sum].path, axes_text(&z->s->q->ms, axes, out), z->p->row[z->tag[row]->last].path);
}

/* A difference of two maxima that a later row does not fit for. */
static const char *reversed_fault(const struct shifts *z, int row, arena *out)
{
	const struct tag *t = z->tag[row];
	const char *more, *less;
	int n = z->p->nrow, i, k;

	if (t->kind != TAG_LOG || t->n != 2 || t->t[0].e + t->t[1].e)
		return NULL;
	for (i = state_next_bit(z->s->open, row, n); i < n && reversed_at(z, i) != row; i = state_next_bit(z->s->open, i + 1, n))
		;
	k = t->t[1].e > 0;
	more = z->p->row[t->t[k].peak].path;
	less = z->p->row[t->t[1 - k].peak].path;
	return i < n ? arena_printf(out, "it takes %%%s, the maximum over more, less %%%s, so what is relative to %%%s gets the factor %s, where exp(%%%s - %%%s) is due",
				    more, less, less, terms_text(z, t, out), less, more) : NULL;
}

const char *shift_fault(const states *s, int row, arena *out)
{
	const struct row *r = &s->q->dist->row[row];
	enum opcode op = r->inst->opcode;
	const struct tag *x, *y;
	const char *fault;
	struct shifts z;
	int peak;

	if ((op != OP_ADD && op != OP_SUBTRACT && op != OP_DIVIDE && op != OP_MULTIPLY && !collective_grouped(r)) || !find_tags(&z, s, out))
		return NULL;
	if (z.tag[row])
		return op == OP_SUBTRACT && (fault = reversed_fault(&z, row, out)) ? fault : sum_fault(&z, row, out);
	x = tagged(&z, r->op[0], TAG_FACTOR);
	if (x && collective_grouped(r) && reduces(&z, row, "add")) {
		peak = own_peak(&z, row, x);
		if (peak >= 0)
			return arena_printf(out, "it adds up over %s what each device has taken relative to a maximum of its own, %%%s: %%%s has the factor %s; "
					    "that is to be replaced by one of the maximum over all of them before", collective_over(&s->q->ms, r, out),
					    z.p->row[peak].path, z.p->row[r->op[0]].path, terms_text(&z, x, out));
		return NULL;
	}
	y = r->nop > 1 ? tagged(&z, r->op[1], TAG_FACTOR) : NULL;
	if (x && y && !same_tag(x, y))
		return arena_printf(out, "its operands are taken relative to different maxima: %%%s has the factor %s, %%%s has %s: one is to be rescaled before",
				    z.p->row[r->op[0]].path, terms_text(&z, x, out), z.p->row[r->op[1]].path, terms_text(&z, y, out));
	return NULL;
}
