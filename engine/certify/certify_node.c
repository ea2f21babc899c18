/* certify_node.c - what a core is worth at a place: by its operator, from its operands. */
#include "certify/certify_core_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/facts.h"

/* ---- nodes by their operators */

static val eval(world *w, eg_op op, uint32_t narg, const eg_id *arg, eg_id self, int64_t at, uint32_t built);

/* An expression of the pairing at the labels' values; the next one's words. */
const int64_t *ck_expression(world *w, const struct pairs *p, const int64_t *x, const int64_t *lab, int64_t *out, bool *reads)
{
	int64_t nl = p->nfree + p->nbound + p->ndata, k, j, ntab;
	uint64_t r;		/* integers of 64 bits wrap */

	if (x + 2 + nl > p->end) {
		world_fail(w, "a pairing is cut off");
		return NULL;
	}
	r = (uint64_t)*x++;
	for (k = 0; k < nl; k++) {
		r += (uint64_t)x[k] * (uint64_t)lab[k];
		if (reads)
			reads[k] = reads[k] || x[k];
	}
	x += nl;
	ntab = *x++;
	for (k = 0; k < ntab; k++) {
		int64_t n = *x++, q = 0, len;
		size_t bytes;
		const int64_t *v;
		for (j = 0; j < n; j++) {
			q = q * p->size[x[j]] + lab[x[j]];
			if (reads)
				reads[x[j]] = true;
		}
		v = eg_value_bytes(w->g, (eg_val)x[n], &bytes);
		len = (int64_t)(bytes / sizeof *v);
		if (q < 0 || q >= len) {
			world_fail(w, "an index table is read outside");
			return NULL;
		}
		r += (uint64_t)v[q];
		x += n + 1;
	}
	*out = (int64_t)r;
	return x;
}

static val read_slot(world *w, struct reading *r, int64_t k)
{
	int64_t at = 0;

	if (!ck_expression(w, &r->p, r->slot[k], r->lab, &at, NULL))
		return cv_special(V_NAN);
	return world_core(w, r->arg[k], at, r->built);
}

/* Data labels are digits of values; each reads only labels before it. */
static bool data_labels(world *w, struct reading *r)
{
	int64_t first = r->p.nfree + r->p.nbound, j;

	for (j = 0; j < r->p.ndata; j++) {
		const int64_t *d = r->p.data + 3 * j;
		val v;
		if (d[0] < 0 || d[0] >= r->p.ndslot || d[1] < 1 || d[2] < 1)
			return world_fail(w, "a data label of nothing"), false;
		v = read_slot(w, r, r->p.nslot + d[0]);
		if (w->bad || w->cut)
			return false;
		if (v.i < 0 || v.i >= d[2])
			return world_fail(w, "a data digit leaves its range"), false;
		r->lab[first + j] = v.i / d[1] % r->p.size[first + j];
	}
	return true;
}

bool reading_open(world *w, struct reading *r, eg_op op, uint32_t narg, const eg_id *arg, uint32_t built)
{
	int64_t n, k, nl;
	const int64_t *x;
	int64_t ignore;

	if (!ck_pairs(w, op, &r->p) || r->p.nslot + r->p.ndslot != (int64_t)narg)
		return world_fail(w, "a pairing does not fit its operands"), false;
	nl = r->p.nfree + r->p.nbound + r->p.ndata;
	n = r->p.nslot + r->p.ndslot;
	r->slot = ARENA_ARRAY(w->s, const int64_t *, n + 1);
	r->lab = arena_zalloc(w->s, sizeof(int64_t) * (size_t)(nl + 1));
	r->narg = narg;
	r->arg = arg;
	r->built = built;
	for (x = r->p.word, k = 0; k < n; k++) {
		r->slot[k] = x;
		if (!(x = ck_expression(w, &r->p, x, r->lab, &ignore, NULL)))
			return false;
	}
	return true;
}

void reading_set_free(struct reading *r, int64_t at)
{
	int64_t k;

	for (k = r->p.nfree - 1; k >= 0; k--) {
		r->lab[k] = at % r->p.size[k];
		at /= r->p.size[k];
	}
}

static bool next_bound(struct reading *r)
{
	int64_t k;

	for (k = r->p.nfree + r->p.nbound - 1; k >= r->p.nfree; k--) {
		if (++r->lab[k] < r->p.size[k])
			return true;
		r->lab[k] = 0;
	}
	return false;
}

static val eval_sum(world *w, struct reading *r, eg_op op, int type)
{
	int64_t n, k;
	const rat *c = (const rat *)ck_words(w, op, 2, &n);
	val s = cv_of_int(cv_int(type) ? type : TYPE_REAL, 0), t;

	if (n / 2 != r->p.nslot)
		return world_fail(w, "a sum has not one coefficient per operand");
	if (!data_labels(w, r))
		return s;
	for (k = 0; k < r->p.nslot && world_pay(w, 1); k++) {
		if (c[k].den < 1 || (cv_int(type) && c[k].den != 1))
			return world_fail(w, "a coefficient is no number of the ring");
		t = cv_scale(type, c[k], read_slot(w, r, k));
		s = k ? cv_add(type, s, t) : t;		/* (a zero keeps its sign) */
	}
	return s;
}

static val eval_product(world *w, struct reading *r, eg_op op, int type)
{
	int64_t n, k;
	const int64_t *e = ck_words(w, op, 2, &n);
	int own = cv_int(type) ? type : TYPE_REAL;
	val s = cv_of_int(own, 0), t;
	bool first = true;

	if (n != r->p.nslot)
		return world_fail(w, "a product has not one exponent per operand");
	do {
		if (!data_labels(w, r))
			return s;
		t = cv_of_int(own, 1);
		for (k = 0; k < r->p.nslot && world_pay(w, 1); k++) {
			if (cv_int(type) && e[k] < 0)
				return world_fail(w, "an exponent is no power of the ring");
			t = cv_mul(type, t, cv_pow(type, read_slot(w, r, k), e[k]));
		}
		s = first ? t : cv_add(type, s, t);
		first = false;
	} while (world_pay(w, 1) && next_bound(r));
	return s;
}

static val eval_extreme(world *w, struct reading *r, eg_op op, int type)
{
	const char *fn = ck_text(w, op, 2);
	val s = cv_special(V_NAN), v;
	bool first = true;
	int64_t k;

	do {
		if (!data_labels(w, r))
			return s;
		for (k = 0; k < r->p.nslot && world_pay(w, 1); k++) {
			v = read_slot(w, r, k);
			s = first ? v : cv_reduce(fn, type, s, v);
			first = false;
		}
	} while (world_pay(w, 1) && next_bound(r));
	return s;
}

static val eval_map(world *w, struct reading *r, eg_op op, int type)
{
	val x[8] = { 0 };
	int from[8] = { 0 };
	int64_t k;

	if (r->p.nslot > 8)
		return world_fail(w, "a function of many operands");
	if (!data_labels(w, r))
		return cv_special(V_NAN);
	for (k = 0; k < r->p.nslot && world_pay(w, 1); k++) {
		x[k] = read_slot(w, r, k);
		from[k] = ck_type(w, r->arg[k]);
	}
	return cv_map(ck_text(w, op, 2), type, from, (int)r->p.nslot, x);
}

/* The payload (the last operand) where the first operand is largest, or smallest. */
static val eval_pick(world *w, struct reading *r, eg_op op, int type)
{
	const char *fn = ck_text(w, op, 2);
	val best = cv_special(V_NAN), pay = best, v;
	bool first = true;

	do {
		if (!data_labels(w, r) || r->p.nslot < 2)
			return pay;
		v = read_slot(w, r, 0);
		cv_choose(fn, type, &best, &pay, v, read_slot(w, r, r->p.nslot - 1), first);
		first = false;
	} while (world_pay(w, 2) && next_bound(r));
	return pay;
}

uint64_t opaque_start(const char *name)
{
	return cv_mix(cv_name(name), 0x0bad);
}

val opaque_finish(uint64_t h, int type, int64_t own)
{
	return cv_random(type, cv_mix(h, (uint64_t)own));
}

/* The bound labels that belong to operand k where each has n places of its own: [*lo, *hi). */
static bool own_labels(const struct reading *r, int64_t k, int64_t n, int64_t *lo, int64_t *hi)
{
	int64_t j = r->p.nfree, end = j + r->p.nbound, places;

	for (; k >= 0; k--) {
		*lo = j;
		for (places = 1; j < end && places < n; j++)
			places *= r->p.size[j];
		*hi = j;
		if (places != n)
			return false;
	}
	return true;
}

/* The values of all operands at all places of a row of `tail` places; NULL: too many, or another form. */
static val *row_values(world *w, struct reading *r, int *type, int64_t *n)
{
	int64_t k, j, lo, hi, l, rest;
	val *x;

	*n = r->p.tail;
	if (*n > ORDER_LONGEST)
		return NULL;
	x = ARENA_ARRAY(w->s, val, *n * r->p.nslot);
	for (k = 0; k < r->p.nslot; k++) {
		type[k] = ck_type(w, r->arg[k]);
		if (!own_labels(r, k, *n, &lo, &hi))
			return NULL;
		memset(r->lab + r->p.nfree, 0, sizeof *r->lab * (size_t)r->p.nbound);
		for (j = 0; j < *n && world_pay(w, 1); j++) {
			for (rest = j, l = hi; l-- > lo; rest /= r->p.size[l])
				r->lab[l] = rest % r->p.size[l];
			if (!data_labels(w, r))
				break;
			x[k * *n + j] = read_slot(w, r, k);
		}
	}
	return x;
}

/* A polynomial hash over all bound labels: those an operand does not read are a factor. */
static val eval_opaque(world *w, struct reading *r, eg_op op, int type, int64_t own)
{
	uint64_t h = opaque_start(ck_text(w, op, 2));
	int64_t nl = r->p.nfree + r->p.nbound + r->p.ndata, k, j, first = r->p.nfree, n;
	ck_order order;
	int *from = ARENA_ARRAY(w->s, int, r->p.nslot);
	val *x = ck_order_of(ck_text(w, op, 2), &order) ? row_values(w, r, from, &n) : NULL;

	if (x)
		return ck_ordered(w, &order, (int)r->p.nslot, from, n, x, own);
	for (k = 0; k < r->p.nslot; k++) {
		bool *reads = arena_zalloc(w->s, (size_t)nl + 1);
		uint64_t z = cv_mix(h, (uint64_t)k) % CERTIFY_P, sum = 0, rest = 1;
		bool empty = ck_len(w, r->arg[k]) == 0;
		int64_t *weight = ARENA_ARRAY(w->s, int64_t, nl), at, acc = 1;
		for (j = first + r->p.nbound - 1; j >= first; j--) {
			weight[j] = acc;
			acc *= r->p.size[j];
			r->lab[j] = 0;
		}
		if (!ck_expression(w, &r->p, r->slot[k], r->lab, &at, reads))
			return cv_special(V_NAN);
		for (j = 0; j < r->p.ndata; j++)	/* what data labels read, the slot reads */
			if (reads[first + r->p.nbound + j])
				memset(reads + first, 1, (size_t)r->p.nbound);
		for (j = first; j < first + r->p.nbound; j++)
			if (!reads[j])
				rest = ck_times(rest, ck_geometric(z, weight[j], r->p.size[j]));
		while (!empty) {
			int64_t place = 0;
			val v;
			for (j = first; j < first + r->p.nbound; j++)
				place += weight[j] * r->lab[j];
			if (!data_labels(w, r))
				return cv_special(V_NAN);
			v = read_slot(w, r, k);
			sum = ck_plus(sum, ck_times(cv_hash(v) % CERTIFY_P, ck_power(z, place)));
			if (!world_pay(w, 2))
				return v;
			for (j = first + r->p.nbound - 1; j >= first; j--) {
				if (!reads[j])
					continue;
				if (++r->lab[j] < r->p.size[j])
					break;
				r->lab[j] = 0;
			}
			if (j < first)
				break;
		}
		h = cv_mix(h, ck_times(sum, rest));
	}
	return opaque_finish(h, type, own);
}

static val eval_table(world *w, eg_op op, int64_t at, bool is_pred)
{
	size_t n;
	const double *v = ck_value(w, op, 1, &n);

	if (at < 0 || at >= (int64_t)(n / sizeof *v))
		return world_fail(w, "a table is read outside");
	return is_pred ? cv_of_int(T_PRED, v[at] != 0) : cv_of_double(v[at]);
}

static val eval_number(world *w, eg_op op, bool is_pred)
{
	size_t n;
	number x;
	const void *p = ck_value(w, op, 1, &n);

	if (n != sizeof x)
		return world_fail(w, "a number has another size");
	memcpy(&x, p, sizeof x);
	if (is_pred)
		return cv_of_int(T_PRED, x.r.den ? x.r.num != 0 : x.f != 0);
	return x.r.den ? cv_of_rat(x.r) : cv_of_double(x.f);
}

static val eval_view(world *w, eg_op op, eg_id x, int64_t at, uint32_t built)
{
	int64_t n;
	const digit *d = (const digit *)ck_words(w, op, 0, &n);

	if (at < 0 || at >= ck_list_length(d, n / 2))
		return world_fail(w, "a view is read outside");
	return world_core(w, x, ck_list_offset(d, n / 2, at), built);
}

/* False: it is no leaf, and has operands. */
static bool eval_leaf(world *w, eg_op op, int type, eg_id self, int64_t at, val *v)
{
	switch (ck_kind(w, op)) {
	case K_PARAM:
		*v = world_random(w, self, type, cv_name(ck_text(w, op, 2)), at);
		return true;
	case K_NUMBER:
		*v = eval_number(w, op, type == T_PRED);
		return true;
	case K_TABLE:
		*v = eval_table(w, op, at, type == T_PRED);
		return true;
	case K_INDEX:
		*v = cv_of_int(type, at);
		return true;
	case K_LAID: case K_TENSOR: case K_OTHER:
		*v = world_fail(w, "a tensor stands for a core");
		return true;
	default:
		return false;
	}
}

static val eval(world *w, eg_op op, uint32_t narg, const eg_id *arg, eg_id self, int64_t at, uint32_t built)
{
	enum certify_kind k = ck_kind(w, op);
	struct reading r;
	int64_t n;
	int type;
	arena_mark m = arena_at(w->s);
	val v = cv_special(V_NAN);

	if (!world_pay(w, 1))
		return v;
	if (k == K_VIEW)
		return eval_view(w, op, arg[0], at, built);
	type = (int)*ck_words(w, op, 0, &n);
	if (eval_leaf(w, op, type, self, at, &v))
		return v;
	if (!reading_open(w, &r, op, narg, arg, built))
		return v;
	reading_set_free(&r, at / r.p.tail);
	switch (k) {
	case K_AT:
		if (data_labels(w, &r))
			v = read_slot(w, &r, 0);
		break;
	case K_SUM:
		v = eval_sum(w, &r, op, type);
		break;
	case K_MUL: case K_EIN:
		v = eval_product(w, &r, op, type);
		break;
	case K_RED: case K_LAT:
		v = eval_extreme(w, &r, op, type);
		break;
	case K_MAP:
		v = eval_map(w, &r, op, type);
		break;
	case K_PICK:
		v = eval_pick(w, &r, op, type);
		break;
	default:
		v = eval_opaque(w, &r, op, type, at % r.p.tail);
	}
	arena_reset(w->s, m);
	return v;
}

/* ---- operands */

static val laid_value(world *w, eg_op op, eg_id x, int64_t dev, int64_t at, uint32_t built);

static val eval_built(world *w, uint32_t k, int64_t at)
{
	const made_node *m = history_made(w->a, w->f) + k;

	return eval(w, m->op, m->narg, history_args(w->a, m), m->node, at, k);
}

/* Of an instruction, or of a form, that the step built. */
static val built_tensor(world *w, uint32_t k, int64_t dev, int64_t at)
{
	const made_node *m = history_made(w->a, w->f) + k;

	if (ck_kind(w, m->op) == K_LAID)
		return laid_value(w, m->op, history_args(w->a, m)[0], dev, at, k);
	return tensor_value(w, m->op, m->narg, history_args(w->a, m), dev, at, k);
}

/* A definition that is a symmetry of its own class defines nothing. */
static bool is_symmetry(world *w, uint32_t root, uint32_t def)
{
	return !(def & (BUILT | INVERSE)) && ck_kind(w, eg_node_op(w->g, def)) == K_VIEW && world_find(w, eg_args(w->g, def)[0]) == root;
}

/* The place at which a list of digits reads `to`, or -1. */
int64_t ck_list_inverse(const digit *d, int64_t n, int64_t to)
{
	int64_t i, at = 0;

	for (i = 0; i < n; i++)
		at = at * d[i].size + (d[i].stride > 0 ? to / d[i].stride % d[i].size : 0);
	return ck_list_offset(d, n, at) == to ? at : -1;
}

static val eval_inverse(world *w, const premise *p, eg_id x, int64_t at)
{
	int64_t n, i;
	const digit *d = (const digit *)ck_words(w, eg_node_op(w->g, p->y), 0, &n);

	i = ck_list_inverse(d, n / 2, at);
	return i < 0 ? world_leaf(w, x, ck_type(w, x), at) : world_core(w, p->x, i, 0);
}

static val eval_definition(world *w, uint32_t d, eg_id x, int64_t at)
{
	if (d & BUILT)
		return eval_built(w, d - BUILT, at);
	if (d & INVERSE)
		return eval_inverse(w, history_premises(w->a, w->f) + (d - INVERSE), x, at);
	return eval(w, eg_node_op(w->g, d), eg_narg(w->g, d), eg_args(w->g, d), d, at, 0);
}

static bool leaf_kind(enum certify_kind k)
{
	return k == K_NUMBER || k == K_TABLE || k == K_INDEX;
}

val world_core(world *w, eg_id x, int64_t at, uint32_t built)
{
	eg_op op = eg_node_op(w->g, x);
	enum certify_kind k = ck_kind(w, op);
	const made_node *m = history_made(w->a, w->f);
	uint32_t i, r;
	val v;

	if (w->bad || w->cut)
		return cv_special(V_NAN);
	if (k != K_INDEX && (at < 0 || at >= ck_len(w, x)))
		return world_fail(w, "an operand is read outside");
	r = world_find(w, x);
	if (leaf_kind(k) && (r == NIL || !world_chosen(w, &w->node[r])))
		return eval(w, op, 0, NULL, x, at, built);
	for (i = built; i-- > 0; )
		if (m[i].node == x)
			return eval_built(w, i, at);
	if (r != NIL && w->node[r].ndef && !w->node[r].busy) {
		struct world_node *q = &w->node[r];
		uint32_t d = world_definition(w, q);
		if (d != NIL && !is_symmetry(w, r, d)) {
			q->busy = true;
			v = eval_definition(w, d, x, at);
			q->busy = false;
			return v;
		}
	}
	if ((k == K_PARAM && r == NIL) || leaf_kind(k))
		return eval(w, op, 0, NULL, x, at, built);
	return world_leaf(w, x, ck_type(w, x), at);
}

bool world_knows(world *w, eg_id x)
{
	uint32_t r = world_find(w, x);

	return leaf_kind(ck_kind(w, eg_node_op(w->g, x))) || (r != NIL && w->node[r].ndef && world_definition(w, &w->node[r]) != NIL);
}

int64_t ck_laid_place(const world *w, eg_op op, int64_t dev, int64_t at)
{
	int64_t n, i, el = 1;
	const int64_t *p = ck_words(w, op, 0, &n);
	const digit *dd, *ld;

	if (n < 4)
		return -1;
	dd = (const digit *)(p + 4 + p[1]);
	ld = dd + p[2];
	for (i = 0; i < p[1]; i++)
		el *= p[4 + i];
	if (ck_list_length(dd, p[2]) != p[0] || ck_list_length(ld, p[3]) != el)
		return -1;
	return ck_list_offset(dd, p[2], dev) + ck_list_offset(ld, p[3], at);
}

static val laid_value(world *w, eg_op op, eg_id x, int64_t dev, int64_t at, uint32_t built)
{
	int64_t place = ck_laid_place(w, op, dev, at);

	if (place < 0)
		return world_fail(w, "a layout does not cover its devices or places");
	return world_core(w, x, place, built);
}

/* What the class of a tensor was opened as; false: as nothing. */
static bool opened_tensor(world *w, uint32_t r, int64_t dev, int64_t at, val *v)
{
	struct world_node *q = r == NIL ? NULL : &w->node[r];
	uint32_t d = q && q->ndef && !q->busy ? world_definition(w, q) : NIL;
	eg_op op;

	if (d == NIL || d & (BUILT | INVERSE))
		return false;
	op = eg_node_op(w->g, d);
	q->busy = true;
	*v = ck_kind(w, op) == K_LAID ? laid_value(w, op, eg_args(w->g, d)[0], dev, at, 0)
				      : tensor_value(w, op, eg_narg(w->g, d), eg_args(w->g, d), dev, at, 0);
	w->node[r].busy = false;
	return true;
}

val world_tensor(world *w, eg_id t, int64_t dev, int64_t at, uint32_t built)
{
	const made_node *m = history_made(w->a, w->f);
	eg_op op = eg_node_op(w->g, t);
	uint32_t i;
	form f;
	val v;

	if (!world_pay(w, 1))
		return cv_special(V_NAN);
	for (i = built; i-- > 0; )
		if (m[i].node == t)
			return built_tensor(w, i, dev, at);
	if (ck_kind(w, op) == K_LAID)
		return laid_value(w, op, eg_args(w->g, t)[0], dev, at, 0);
	if (opened_tensor(w, world_find(w, t), dev, at, &v))
		return v;
	if (!ck_form(w, t, &f))
		return world_fail(w, "a tensor without a form");
	return world_leaf(w, t, f.type, dev * f.elements + at);
}

val world_own(world *w, eg_id n, int64_t dev, int64_t at)
{
	eg_op op = eg_node_op(w->g, n);

	switch (ck_kind(w, op)) {
	case K_TENSOR:
		return tensor_value(w, op, eg_narg(w->g, n), eg_args(w->g, n), dev, at, 0);
	case K_LAID:
		return laid_value(w, op, eg_args(w->g, n)[0], dev, at, 0);
	default:
		return eval(w, op, eg_narg(w->g, n), eg_args(w->g, n), n, at, 0);
	}
}

val world_result(world *w, uint32_t as, int64_t dev, int64_t at)
{
	const made_node *m = history_made(w->a, w->f);
	eg_id n = w->f->result;

	if (as != NIL) {
		return ck_kind(w, m[as].op) >= K_LAID ? built_tensor(w, as, dev, at) : eval_built(w, as, at);
	}
	if (ck_kind(w, eg_node_op(w->g, n)) >= K_LAID)
		return world_tensor(w, n, dev, at, w->f->nmade);
	return world_core(w, n, at, w->f->nmade);
}
