#include "core/core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/fact_range.h"
#include "core/facts.h"
#include "core/normal.h"
#include "core/pairing.h"
#include "core/renewal.h"
#include "util/hash.h"

static const char *const kind_names[C_COUNT] = {
#define X(n, s) s,
	CORE_KINDS(X)
#undef X
};

const char *core_kind_name(enum core_kind k)
{
	return kind_names[k];
}

bool core_atom(const algebra *a, eg_id n)
{
	switch (core_kind(a, n)) {
	case C_PARAM: case C_NUMBER: case C_TABLE: case C_INDEX: case C_OPAQUE: case C_LOOP:
		return true;
	default:
		return false;
	}
}

/* ---- attribute values */

eg_val val_int(algebra *a, int64_t v)
{
	return eg_value(a->g, a->v_int, &v, sizeof v);
}

int64_t val_get_int(const algebra *a, eg_val v)
{
	int64_t r;

	memcpy(&r, eg_value_bytes(a->g, v, NULL), sizeof r);
	return r;
}

eg_val val_ints(algebra *a, int n, const int64_t *v)
{
	return eg_value(a->g, a->v_ints, v, sizeof *v * (size_t)n);
}

const int64_t *val_get_ints(const algebra *a, eg_val v, int *n)
{
	size_t len;
	const int64_t *p = eg_value_bytes(a->g, v, &len);

	*n = (int)(len / sizeof *p);
	return p;
}

eg_val val_name(algebra *a, const char *s)
{
	return eg_value(a->g, a->v_name, s, strlen(s) + 1);
}

const char *val_get_name(const algebra *a, eg_val v)
{
	return eg_value_bytes(a->g, v, NULL);
}

eg_val val_digits(algebra *a, eg_sort sort, int n, const digit *d)
{
	return eg_value(a->g, sort, d, sizeof *d * (size_t)n);
}

const digit *val_get_digits(const algebra *a, eg_val v, int *n)
{
	size_t len;
	const digit *d = eg_value_bytes(a->g, v, &len);

	*n = (int)(len / sizeof *d);
	return d;
}

eg_val node_val(const algebra *a, eg_id n, int k)
{
	return eg_op_values(a->g, eg_node_op(a->g, n), NULL)[k];
}

eg_val ints_type(algebra *a, int type)
{
	int64_t t = type;

	return eg_value(a->g, a->v_type, &t, sizeof t);
}

int val_type(const algebra *a, eg_val v)
{
	return (int)val_get_int(a, v);
}

const char *core_fn(const algebra *a, eg_id n)
{
	return val_get_name(a, node_val(a, n, 2));
}

/* A key ends in `k -> ` and shapes. */
int opaque_result(const char *key)
{
	const char *at = strstr(key, " -> "), *next;
	int k = 0, ten = 1;

	while (at && (next = strstr(at + 1, " -> ")))
		at = next;
	for (; at && at > key && at[-1] >= '0' && at[-1] <= '9' && ten < 10000; ten *= 10)
		k += (*--at - '0') * ten;
	return ten > 1 && (at == key || at[-1] != '-') ? k : -1;
}

bool number_is_rat(number v)
{
	return v.r.den != 0;
}

bool double_same_bits(double x, double y)
{
	return !memcmp(&x, &y, sizeof x);
}

double number_double(number v)
{
	return v.r.den ? rat_double(v.r) : v.f;
}

number core_number(const algebra *a, eg_id n)
{
	number v;

	memcpy(&v, eg_value_bytes(a->g, node_val(a, n, 1), NULL), sizeof v);
	return v;
}

const double *core_table(const algebra *a, eg_id n, int64_t *len)
{
	*len = core_len(a, n);
	return eg_value_bytes(a->g, node_val(a, n, 1), NULL);
}

/* ---- lists of digits */
bool core_has_name(enum core_kind k)
{
	return k == C_MAP || k == C_RED || k == C_LAT || k == C_PICK || k == C_OPAQUE || k == C_LOOP;
}

bool core_commutes(enum core_kind k)
{
	return k == C_SUM || k == C_MUL || k == C_EIN || k == C_LAT;
}

/* The order of bound labels is part of the meaning. */
bool core_keeps_order(enum core_kind k)
{
	return k == C_OPAQUE || k == C_PICK || k == C_LOOP;
}

const rat *core_coefs(const algebra *a, eg_id sum)
{
	return eg_value_bytes(a->g, node_val(a, sum, 2), NULL);
}

rat core_coef(const algebra *a, eg_id n, int k)
{
	switch (core_kind(a, n)) {
	case C_SUM:
		return core_coefs(a, n)[k];
	case C_MUL: case C_EIN:
		return (rat){ ((const int64_t *)eg_value_bytes(a->g, node_val(a, n, 2), NULL))[k], 1 };
	default:
		return RAT_ONE;
	}
}

/* ---- building nodes */

eg_id core_build(algebra *a, eg_op op, uint32_t narg, const eg_id *args)
{
	eg_id n = eg_add(a->g, op, narg, args);

	if (a->recording) {
		made_node *m = vec_push(&a->made);
		uint32_t i;
		m->node = n;
		m->op = op;
		m->args = a->made_args.n;
		m->narg = narg;
		for (i = 0; i < narg; i++)
			*(eg_id *)vec_push(&a->made_args) = args[i];
	}
	return n;
}

static eg_id build_leaf(algebra *a, enum core_kind k, uint32_t nv, const eg_val *v)
{
	return core_build(a, eg_operator(a->g, a->fam[k], nv, v), 0, NULL);
}

eg_id core_param(algebra *a, int type, int64_t len, const char *name)
{
	eg_val v[3] = { ints_type(a, type), val_int(a, len), val_name(a, name) };

	return build_leaf(a, C_PARAM, 3, v);
}

eg_id core_num(algebra *a, int type, number x)
{
	eg_val v[2] = { ints_type(a, type), 0 };

	if (x.r.den)
		x.f = 0;
	else if (isnan(x.f))	/* the total order tells one of negative sign */
		x.f = copysign(NAN, signbit(x.f) ? -1 : 1);
	v[1] = eg_value(a->g, a->v_number, &x, sizeof x);
	return build_leaf(a, C_NUMBER, 2, v);
}

eg_id core_rat(algebra *a, int type, rat r)
{
	return core_num(a, type, (number){ r, 0 });
}

eg_id core_values(algebra *a, int type, int64_t len, const double *d)
{
	eg_val v[2] = { ints_type(a, type), 0 };
	int64_t i;

	for (i = 1; i < len && double_same_bits(d[i], d[0]); i++)
		;
	if (i >= len) {
		number x = { { 0, 0 }, d[0] };
		rat r;
		if (rat_from_double(&r, d[0]))
			x.r = r;
		return core_num(a, type, x);
	}
	v[1] = eg_value(a->g, a->v_table, d, sizeof *d * (size_t)len);
	return build_leaf(a, C_TABLE, 2, v);
}

eg_id core_line(algebra *a, int type)
{
	eg_val v = ints_type(a, type);

	return build_leaf(a, C_INDEX, 1, &v);
}

eg_id core_view(algebra *a, int n, const digit *d, eg_id x)
{
	eg_val v;

	if (digits_identity(n, d, core_len(a, x)))
		return x;
	v = val_digits(a, a->v_view, n, d);
	return core_build(a, eg_operator(a->g, a->fam[C_VIEW], 1, &v), 1, &x);
}

/* ---- set-up */

static int64_t pairing_len(const algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	int64_t len = p.tail;
	int i;

	for (i = 0; i < p.nfree; i++)
		len *= p.size[i];
	return len;
}

static core_info describe(const algebra *a, eg_id n, enum core_kind k)
{
	core_info c = { .kind = (uint8_t)k };
	int m;
	const digit *d;

	switch (k) {
	case C_TENSOR: case C_LAID:
		return c;
	case C_VIEW:
		d = val_get_digits(a, node_val(a, n, 0), &m);
		c.len = digits_total(m, d);
		c.type = core_of(a, eg_args(a->g, n)[0])->type;
		return c;
	case C_PARAM:
		c.len = val_get_int(a, node_val(a, n, 1));
		break;
	case C_NUMBER:
		c.len = 1;
		break;
	case C_TABLE: {
		size_t len;
		eg_value_bytes(a->g, node_val(a, n, 1), &len);
		c.len = (int64_t)(len / sizeof(double));
		break;
	}
	case C_INDEX:
		c.len = INT64_MAX;
		break;
	default:
		c.len = pairing_len(a, n);
	}
	c.type = (uint8_t)val_type(a, node_val(a, n, 0));
	return c;
}

const bent_ranges *core_bent(const algebra *a, eg_id n)
{
	return &VEC_AT(bent, &a->bent, core_of(a, n)->bent).table;
}

const bent_ranges *core_crossed(const algebra *a, eg_id n)
{
	return &VEC_AT(bent, &a->bent, core_of(a, n)->bent).crossed;
}

const bent_ranges *core_back(const algebra *a, eg_id n)
{
	return &VEC_AT(bent, &a->bent, core_of(a, n)->bent).back;
}

static void bent_add(bent_ranges *b, int64_t lo, int64_t hi)
{
	int i;

	for (i = 0; i < b->n; i++)
		if (lo <= b->hi[i] && hi >= b->lo[i]) {	/* touches: widen */
			b->lo[i] = lo < b->lo[i] ? lo : b->lo[i];
			b->hi[i] = hi > b->hi[i] ? hi : b->hi[i];
			return;
		}
	if (b->n == BENT_MAX) {
		b->lo[0] = b->lo[0] < lo ? b->lo[0] : lo;
		b->hi[0] = b->hi[0] > hi ? b->hi[0] : hi;
		return;
	}
	b->lo[b->n] = lo;
	b->hi[b->n++] = hi;
}

bool bent_hits(const bent_ranges *b, int64_t lo, int64_t hi)
{
	int i;

	for (i = 0; i < b->n; i++)
		if (lo < b->hi[i] && hi > b->lo[i])
			return true;
	return false;
}

/* Labels of a node as bits: those that are used other than linearly, that cross others, that run backwards.  All labels of a
 * node that has more than there are bits count as such. */
typedef struct bent_labels {
	uint64_t table, crossed, back;
} bent_labels;
enum { BENT_LABELS = 64 };

static void expr_tables(const pair_expr *x, bent_labels *r)
{
	const int64_t *t = x->tab;
	int q, j;

	for (q = 0; q < x->ntab; q++, t += t[0] + 2)
		for (j = 0; j < t[0]; j++)
			if (t[1 + j] < BENT_LABELS)
				r->table |= (uint64_t)1 << t[1 + j];
}

/* Labels from..to-1 whose digits overlap in one index. */
static void expr_crosses(const pair_expr *x, const int64_t *size, int from, int to, bent_labels *r)
{
	int i, j;

	for (j = from + 1; j < to; j++)
		for (i = from; i < j && x->stride[j]; i++) {
			int64_t s = llabs(x->stride[i]), t = llabs(x->stride[j]);
			if (s && s < t * size[j] && t < s * size[i])
				r->crossed |= (uint64_t)1 << i | (uint64_t)1 << j;
		}
}

static void expr_bends(const algebra *a, const pair_expr *x, const int64_t *size, int from, int to, eg_id o, bent_labels *r)
{
	const bent_ranges *b = core_bent(a, o), *c = core_crossed(a, o), *back = core_back(a, o);
	int j;

	for (j = from; j < to; j++) {
		int64_t lo = llabs(x->stride[j]), hi = lo * size[j];
		if (lo && bent_hits(b, lo, hi))
			r->table |= (uint64_t)1 << j;
		if (lo && bent_hits(c, lo, hi))
			r->crossed |= (uint64_t)1 << j;
		if (x->stride[j] < 0 || (lo && bent_hits(back, lo, hi)))
			r->back |= (uint64_t)1 << j;
	}
	if (x->ntab)
		expr_tables(x, r);
	expr_crosses(x, size, from, to, r);
}

/* Of labels from..to-1, and of no others. */
static bent_labels node_bends(const algebra *a, const pairing *p, const eg_id *arg, int from, int to)
{
	uint64_t mine = (to < BENT_LABELS ? (uint64_t)1 << to : 0) - (from < BENT_LABELS ? (uint64_t)1 << from : 0);
	const int64_t *at = p->word;
	bent_labels r = { 0, 0, 0 };
	pair_expr x;
	int k;

	if (to > BENT_LABELS)
		return from == to ? r : (bent_labels){ ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0 };
	for (k = 0; k < p->nslot + p->ndslot; k++) {
		at = pairing_expr(p, at, &x);
		expr_bends(a, &x, p->size, from, to, normal_node(a, arg[k]), &r);
	}
	return (bent_labels){ r.table & mine, r.crossed & mine, r.back & mine };
}

bool core_bends_bound(const algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	bent_labels r = node_bends(a, &p, eg_args(a->g, n), p.nfree, p.nfree + p.nbound);

	return r.table || r.crossed;
}

bool core_backs_bound(const algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);

	return node_bends(a, &p, eg_args(a->g, n), p.nfree, p.nfree + p.nbound).back;
}

/* The free labels of a node. */
static bent node_bent(const algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	bent_labels l = node_bends(a, &p, eg_args(a->g, n), 0, p.nfree);
	bent r = { .table = { 0 } };
	int64_t own = p.tail;
	int j;

	for (j = p.nfree - 1; j >= 0; own *= p.size[j--]) {
		if (l.table >> (j < BENT_LABELS ? j : 0) & 1)
			bent_add(&r.table, own, own * p.size[j]);
		if (l.crossed >> (j < BENT_LABELS ? j : 0) & 1)
			bent_add(&r.crossed, own, own * p.size[j]);
		if (l.back >> (j < BENT_LABELS ? j : 0) & 1)
			bent_add(&r.back, own, own * p.size[j]);
	}
	return r;
}

static bent view_bent(const algebra *a, eg_id n)
{
	eg_id o = normal_node(a, eg_args(a->g, n)[0]);
	const bent_ranges *b = core_bent(a, o), *c = core_crossed(a, o), *back = core_back(a, o);
	bent r = { .table = { 0 } };
	int i, m;
	const digit *d = val_get_digits(a, node_val(a, n, 0), &m);
	int64_t own = 1;

	for (i = m - 1; i >= 0 && (b->n || c->n || back->n); own *= d[i--].size) {
		if (d[i].stride && bent_hits(b, d[i].stride, d[i].stride * d[i].size))
			bent_add(&r.table, own, own * d[i].size);
		if (d[i].stride && bent_hits(c, d[i].stride, d[i].stride * d[i].size))
			bent_add(&r.crossed, own, own * d[i].size);
		if (d[i].stride && bent_hits(back, d[i].stride, d[i].stride * d[i].size))
			bent_add(&r.back, own, own * d[i].size);
	}
	return r;
}

static uint32_t find_bent(algebra *a, eg_id n, enum core_kind k)
{
	bent r = { .table = { 0 } }, *q;

	if (k == C_TABLE)
		r.table = (bent_ranges){ 1, { 1 }, { core_of(a, n)->len } };
	else if (k >= C_AT && k <= C_LOOP)
		r = node_bent(a, n);
	else if (k == C_VIEW)
		r = view_bent(a, n);
	if (!r.table.n && !r.crossed.n && !r.back.n)
		return 0;
	q = trail_push(a->tr, &a->bent);
	*q = r;
	return a->bent.n - 1;
}

static uint64_t skeleton_of(const algebra *a, eg_id x)
{
	return core_of(a, normal_node(a, x))->skeleton;
}

static uint64_t find_skeleton(const algebra *a, eg_id n, enum core_kind k)
{
	const eg_id *arg = eg_args(a->g, n);
	pairing p;
	uint64_t h, sum = 0, summed = 1;
	int i;

	if (k == C_VIEW || k == C_AT)
		return skeleton_of(a, arg[0]);
	h = hash_bytes(&k, sizeof k, 7);
	if (k == C_TABLE || k == C_TENSOR || k == C_LAID)
		return h;
	if (k < C_AT || k > C_LOOP)
		return hash_bytes(&n, sizeof n, h);
	p = pairing_read(a, n);
	if (core_has_name(k)) {
		eg_val fn = node_val(a, n, 2);
		h = hash_bytes(&fn, sizeof fn, h);
	}
	for (i = 0; i < p.nslot; i++)
		sum += hash_three(skeleton_of(a, arg[i]), (uint64_t)core_coef(a, n, i).num, core_commutes(k) ? 0 : (uint64_t)i, 3);
	for (i = 0; i < p.nbound; i++)
		summed *= (uint64_t)p.size[p.nfree + i];
	return hash_three(h ^ sum, core_of(a, n)->type, summed, 11);
}

bool core_skeleton_anew(algebra *a, eg_id n)
{
	core_info *c = &VEC_AT(core_info, &a->info, n);
	uint64_t h = find_skeleton(a, n, c->kind);

	if (h == c->skeleton)
		return false;
	trail_set64(a->tr, &c->skeleton, h);
	return true;
}

static enum core_kind kind_of_family(const algebra *a, eg_fam f)
{
	int k;

	for (k = 0; k < C_TENSOR; k++)
		if (a->fam[k] == f)
			return (enum core_kind)k;
	return C_TENSOR;
}

static void on_added(void *ctx, eg_id n)
{
	algebra *a = ctx;
	core_info *c = &VEC_AT(core_info, &a->info, n);

	*c = describe(a, n, kind_of_family(a, eg_op_family(a->g, eg_node_op(a->g, n))));
	facts_added(a, n);
	normal_added(a, n);
	c = &VEC_AT(core_info, &a->info, n);
	c->skeleton = find_skeleton(a, n, c->kind);
	c->bent = find_bent(a, n, c->kind);
}

static void on_merging(void *ctx, eg_id winner, eg_id loser, uint32_t edge)
{
	algebra *al = ctx;

	if (eg_get_edge(al->g, edge)->kind == EG_ASSUMED)
		trail_set32(al->tr, &al->assumed, 1);
	normal_merging(ctx, winner, loser);
}

static void on_merged(void *ctx, eg_id winner, eg_id loser)
{
	facts_merged(ctx, winner, loser);
	normal_merged(ctx, winner, loser);
}

static void on_rekeyed(void *ctx, eg_id user)
{
	normal_rekeyed(ctx, user);
}

static void declare(algebra *a, enum core_kind k, uint32_t nval, const eg_sort *val, uint32_t narg, bool rest)
{
	eg_sort arg = a->core;
	eg_signature s = { kind_names[k], nval, narg, val, &arg, rest ? a->core : NIL,
			   k == C_LAID ? a->tensor : a->core, false };

	a->fam[k] = eg_declare(a->g, &s);
}

static void declare_kinds(algebra *a)
{
	eg_sort param[3] = { a->v_type, a->v_int, a->v_name }, num[2] = { a->v_type, a->v_number };
	eg_sort tab[2] = { a->v_type, a->v_table }, named[3] = { a->v_type, a->v_pairing, a->v_name };
	eg_sort sum[3] = { a->v_type, a->v_pairing, a->v_rats }, mul[3] = { a->v_type, a->v_pairing, a->v_exps };
	int k;

	declare(a, C_PARAM, 3, param, 0, false);
	declare(a, C_NUMBER, 2, num, 0, false);
	declare(a, C_TABLE, 2, tab, 0, false);
	declare(a, C_INDEX, 1, &a->v_type, 0, false);
	declare(a, C_AT, 2, named, 0, true);
	declare(a, C_SUM, 3, sum, 0, true);
	declare(a, C_MUL, 3, mul, 0, true);
	declare(a, C_EIN, 3, mul, 0, true);
	for (k = C_MAP; k <= C_LOOP; k++)
		if (core_has_name((enum core_kind)k))
			declare(a, (enum core_kind)k, 3, named, 0, true);
	declare(a, C_VIEW, 1, &a->v_view, 1, false);
	declare(a, C_LAID, 1, &a->v_layout, 1, false);
	a->fam[C_TENSOR] = NIL;
}

void algebra_init(algebra *a, egraph *g)
{
	eg_hooks h = { a, on_added, on_merging, on_merged, on_rekeyed };

	memset(a, 0, sizeof *a);
	a->g = g;
	a->tr = eg_trail(g);
	arena_init(&a->s.a);
	a->tensor = eg_declare_sort(g, "Tensor", false);
	a->core = eg_declare_sort(g, "Core", false);
	a->v_type = eg_declare_sort(g, "Type", true);
	a->v_int = eg_declare_sort(g, "Int", true);
	a->v_ints = eg_declare_sort(g, "Ints", true);
	a->v_pairing = eg_declare_sort(g, "Pairing", true);
	a->v_rats = eg_declare_sort(g, "Rationals", true);
	a->v_exps = eg_declare_sort(g, "Exponents", true);
	a->v_name = eg_declare_sort(g, "Name", true);
	a->v_number = eg_declare_sort(g, "Number", true);
	a->v_table = eg_declare_sort(g, "Values", true);
	a->v_view = eg_declare_sort(g, "View", true);
	a->v_layout = eg_declare_sort(g, "Layout", true);
	a->v_shape = eg_declare_sort(g, "Shape", true);
	vec_init(&a->info, sizeof(core_info));
	vec_init(&a->facts, sizeof(uint32_t));
	vec_init(&a->learned, sizeof(eg_id));
	vec_init(&a->ground, sizeof(fact_ground));
	vec_init(&a->ground_prem, sizeof(premise));
	vec_init(&a->looked, sizeof(premise));
	vec_init(&a->range, sizeof(param_range));
	vec_init(&a->hint, sizeof(param_range));
	vec_init(&a->bent, sizeof(bent));
	vec_push(&a->bent);
	vec_init(&a->met, sizeof(met_constant));
	vec_init(&a->token, sizeof(token_mark));
	renewal_init(a);
	vec_init(&a->made, sizeof(made_node));
	vec_init(&a->made_args, sizeof(eg_id));
	eg_column(g, &a->info, NULL);
	eg_column(g, &a->facts, NULL);
	declare_kinds(a);
	normal_init(a);
	eg_set_hooks(g, &h);
}

void algebra_free(algebra *a)
{
	normal_free(a);
	vec_free(&a->info);
	vec_free(&a->facts);
	vec_free(&a->learned);
	vec_free(&a->bent);
	vec_free(&a->met);
	vec_free(&a->token);
	vec_free(&a->ground);
	vec_free(&a->ground_prem);
	vec_free(&a->looked);
	vec_free(&a->range);
	vec_free(&a->hint);
	vec_free(&a->renewed);
	vec_free(&a->made);
	vec_free(&a->made_args);
	arena_free(&a->s.a);
}
