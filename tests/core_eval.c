#include "core_eval.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "hlo/hlo_text.h"
#include "interp/interp.h"
#include "util/hash.h"

enum { MOST_TERMS = 1 << 22 };

static uint64_t mix(uint64_t x, uint64_t y)
{
	x = (x ^ y) * 0x9e3779b97f4a7c15ull;
	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
	return x ^ x >> 32;
}

static bool is_float(int type)
{
	return type == TYPE_REAL || etype_is_float((enum etype)type);
}

static bool is_complex(int type)
{
	return type != TYPE_REAL && etype_kind((enum etype)type) == 'c';
}

int core_eval_type(const algebra *a, eg_id n)
{
	while (core_kind(a, n) == C_VIEW || core_kind(a, n) == C_LAID)
		n = eg_args(a->g, n)[0];
	return core_type(a, n);
}

static values *new_values(core_eval *e, values *v, int type, int64_t n)
{
	v->type = type;
	v->n = n;
	if (is_float(type))
		v->f = ARENA_ARRAY(&e->s, double, n);
	else
		v->i = ARENA_ARRAY(&e->s, int64_t, n);
	return v;
}

static void put(values *v, int64_t k, double x)
{
	if (v->f)
		v->f[k] = x;
	else
		v->i[k] = interp_wrap((enum etype)v->type, (int64_t)x);
}

static void put_int(values *v, int64_t k, int64_t x)
{
	if (v->f)
		v->f[k] = (double)x;
	else
		v->i[k] = interp_wrap((enum etype)v->type, x);
}

double values_at(const values *v, int64_t k)
{
	return v->f ? v->f[k] : (double)v->i[k];
}

/* Eighths of both signs, never 0; small integers. */
static void draw(values *v, int64_t k, uint64_t h)
{
	int64_t x = (int64_t)(h >> 40) % 17 - 8;

	if (v->f)
		v->f[k] = (double)(x + (x >= 0)) / 8 + (double)((int64_t)(h >> 20) % 3);
	else
		put_int(v, k, v->type == T_PRED ? x & 1 : x);
	if (v->f && v->f[k] == 0)
		v->f[k] = 0.625;
}

/* ---- leaves */

static void eval_param(core_eval *e, eg_id n, values *v)
{
	const char *name = core_fn(e->a, n);
	uint64_t h = hash_bytes(name, strlen(name), e->seed);
	int64_t k, len = core_len(e->a, n);

	if (len == 0 || len > MOST_TERMS || is_complex(core_type(e->a, n))) {
		v->absent = true;
		return;
	}
	new_values(e, v, core_type(e->a, n), len);
	v->unknown = strncmp(name, "input ", 6) && strncmp(name, "any ", 4) && strncmp(name, "parts of ", 9);
	for (k = 0; k < len; k++)
		draw(v, k, mix(h, (uint64_t)k));
}

static void eval_constant(core_eval *e, eg_id n, values *v)
{
	int64_t k, len;
	const double *d;

	if (core_kind(e->a, n) == C_NUMBER) {
		put(new_values(e, v, core_type(e->a, n), 1), 0, number_double(core_number(e->a, n)));
		return;
	}
	d = core_table(e->a, n, &len);
	new_values(e, v, core_type(e->a, n), len);
	for (k = 0; k < len; k++)
		put(v, k, d[k]);
}

/* ---- reading */

struct reader {
	const core_eval *e;
	eg_id n;
	pairing p;
	int nl;
	int64_t *lab;
	pair_expr *x;		/* per slot, data slots last */
	const eg_id *arg;
	int64_t *weight;	/* of bound labels: place among all */
};

static bool reader_open(core_eval *e, eg_id n, struct reader *r)
{
	const int64_t *at;
	int k;

	r->e = e;
	r->n = n;
	r->p = pairing_read(e->a, n);
	r->nl = r->p.nfree + r->p.nbound + r->p.ndata;
	r->lab = ARENA_ARRAY(&e->s, int64_t, r->nl);
	r->x = ARENA_ARRAY(&e->s, pair_expr, r->p.nslot + r->p.ndslot);
	r->arg = eg_args(e->a->g, n);
	for (at = r->p.word, k = 0; k < r->p.nslot + r->p.ndslot; k++) {
		at = pairing_expr(&r->p, at, &r->x[k]);
		if (core_kind(e->a, r->arg[k]) != C_INDEX && e->node[r->arg[k]].absent)
			return false;
	}
	return true;
}

static int64_t place(const struct reader *r, int slot)
{
	const pair_expr *x = &r->x[slot];
	const int64_t *t = x->tab, *v;
	int64_t at = x->base, row;
	int j, k;

	for (j = 0; j < r->nl; j++)
		at += x->stride[j] * r->lab[j];
	for (k = 0; k < x->ntab; k++, t += t[0] + 2) {
		for (row = j = 0; j < t[0]; j++)
			row = row * r->p.size[t[1 + j]] + r->lab[t[1 + j]];
		v = eg_value_bytes(r->e->a->g, (eg_val)t[1 + t[0]], NULL);
		at += v[row];
	}
	return at;
}

static void out_of_range(const struct reader *r, int slot, int64_t at)
{
	fprintf(stderr, "node %u reads slot %d at %lld of %lld\n", r->n, slot, (long long)at, (long long)core_len(r->e->a, r->arg[slot]));
	abort();
}

static double slot_double(const struct reader *r, int slot)
{
	int64_t at = place(r, slot);

	if (core_kind(r->e->a, r->arg[slot]) == C_INDEX)
		return (double)at;
	if (at < 0 || at >= r->e->node[r->arg[slot]].n)
		out_of_range(r, slot, at);
	return values_at(&r->e->node[r->arg[slot]], at);
}

static int64_t slot_int(const struct reader *r, int slot)
{
	const values *v = &r->e->node[r->arg[slot]];
	int64_t at = place(r, slot);

	if (core_kind(r->e->a, r->arg[slot]) == C_INDEX)
		return interp_wrap((enum etype)core_type(r->e->a, r->arg[slot]), at);
	if (at < 0 || at >= v->n)
		out_of_range(r, slot, at);
	return v->f ? (int64_t)v->f[at] : v->i[at];
}

static void data_labels(struct reader *r)
{
	int j, first = r->p.nfree + r->p.nbound;

	for (j = 0; j < r->p.ndata; j++)
		r->lab[first + j] = 0;
	for (j = 0; j < r->p.ndata; j++) {
		const int64_t *d = r->p.data + 3 * j;
		int64_t v = slot_int(r, r->p.nslot + (int)d[0]);
		if (v < 0 || v >= d[2]) {
			fprintf(stderr, "node %u: a data digit reads %lld, beyond %lld\n", r->n, (long long)v, (long long)d[2]);
			abort();
		}
		r->lab[first + j] = v / d[1] % r->p.size[first + j];
	}
}

static void set_free(struct reader *r, int64_t at)
{
	int j;

	for (j = r->p.nfree - 1; j >= 0; j--) {
		r->lab[j] = at % r->p.size[j];
		at /= r->p.size[j];
	}
	for (j = 0; j < r->p.nbound; j++)
		r->lab[r->p.nfree + j] = 0;
}

static bool next_bound(struct reader *r)
{
	int j;

	for (j = r->p.nfree + r->p.nbound - 1; j >= r->p.nfree; j--) {
		if (++r->lab[j] < r->p.size[j])
			return true;
		r->lab[j] = 0;
	}
	return false;
}

/* ---- sums, products, reductions at one place */

static void put_sum(struct reader *r, values *v, int64_t at)
{
	const algebra *a = r->e->a;
	double d = 0;
	uint64_t u = 0;
	int k;

	data_labels(r);
	for (k = 0; k < r->p.nslot; k++) {
		rat c = core_coef(a, r->n, k);
		if (v->f)
			d += c.num == c.den ? slot_double(r, k) : rat_double(c) * slot_double(r, k);
		else
			u += (uint64_t)c.num * (uint64_t)slot_int(r, k);
	}
	if (v->f)
		v->f[at] = d;
	else
		put_int(v, at, (int64_t)u);
}

static double power(double x, int64_t e)
{
	double p = 1;
	int64_t k;

	for (k = e < 0 ? -e : e; k; k--)
		p *= x;
	return e < 0 ? 1 / p : p;
}

static void put_product(struct reader *r, values *v, int64_t at)
{
	const algebra *a = r->e->a;
	double sum = 0, d;
	uint64_t usum = 0, u;
	int k;
	int64_t e, q;

	do {
		data_labels(r);
		d = 1;
		u = 1;
		for (k = 0; k < r->p.nslot; k++) {
			e = core_coef(a, r->n, k).num;
			if (v->f) {
				d *= power(slot_double(r, k), e);
				continue;
			}
			for (q = 0; q < e; q++)
				u *= (uint64_t)slot_int(r, k);
		}
		sum += d;
		usum += u;
	} while (next_bound(r));
	if (v->f)
		v->f[at] = sum;
	else
		put_int(v, at, (int64_t)usum);
}

static double join(const char *op, double x, double y)
{
	if (isnan(x) || isnan(y))
		return NAN;
	if (!strcmp(op, "maximum"))
		return x > y ? x : y;
	if (!strcmp(op, "minimum"))
		return x < y ? x : y;
	return !strcmp(op, "multiply") ? x * y : x + y;
}

static int64_t join_int(const char *op, int type, int64_t x, int64_t y)
{
	if (!strcmp(op, "and"))
		return x & y;
	if (!strcmp(op, "or"))
		return x | y;
	if (!strcmp(op, "multiply"))
		return (int64_t)((uint64_t)x * (uint64_t)y);
	if (!strcmp(op, "add"))
		return (int64_t)((uint64_t)x + (uint64_t)y);
	if (type == T_U64)
		return (!strcmp(op, "maximum")) == ((uint64_t)x > (uint64_t)y) ? x : y;
	return (!strcmp(op, "maximum")) == (x > y) ? x : y;
}

static void put_reduced(struct reader *r, values *v, int64_t at)
{
	const char *op = core_fn(r->e->a, r->n);
	bool first = true;
	double d = 0;
	int64_t i = 0;
	int k;

	do {
		data_labels(r);
		for (k = 0; k < r->p.nslot; k++, first = false)
			if (v->f)
				d = first ? slot_double(r, k) : join(op, d, slot_double(r, k));
			else
				i = first ? slot_int(r, k) : join_int(op, v->type, i, slot_int(r, k));
	} while (next_bound(r));
	if (v->f)
		v->f[at] = d;
	else
		put_int(v, at, i);
}

static void put_pick(struct reader *r, values *v, int64_t at)
{
	const char *which = core_fn(r->e->a, r->n);
	double best = 0, x, p, pay = 0;
	bool first = true, take;

	do {
		data_labels(r);
		x = slot_double(r, 0);
		p = slot_double(r, r->p.nslot - 1);
		take = first || x > best || (x == best && (!strcmp(which, "last") || (!strcmp(which, "least") && p < pay)));
		if (take) {
			best = x;
			pay = p;
		}
		first = false;
	} while (next_bound(r));
	put(v, at, pay);
}

/* A few digits only: two ways to the same number must give the same hash. */
static uint64_t digest(double x)
{
	float f = (float)(isfinite(x) ? rint(x * 4096) / 4096 : x);
	uint32_t u;

	if (f == 0)
		f = 0;
	memcpy(&u, &f, sizeof u);
	return u;
}

/* The row that the bound labels count, as it stands; false when it is no row of `n` places. */
static bool row_read(struct reader *r, int64_t n, double *x)
{
	int64_t i = 0;

	do {
		data_labels(r);
		if (i < n)
			x[i] = slot_double(r, 0);
		i++;
	} while (next_bound(r));
	return i == n && r->p.nslot == 1;
}

static bool stands_before(const double *x, int64_t i, int64_t j)
{
	if (x[i] == x[j] || isnan(x[i]) || isnan(x[j]))
		return isnan(x[i]) != isnan(x[j]) ? isnan(x[i]) : i < j;
	return x[i] > x[j];
}

/* Result 0 or 1 of `topk largest`: own place `at` of a row in falling order, or where it stood. */
static bool put_largest(struct reader *r, values *v, int64_t at)
{
	const char *name = core_fn(r->e->a, r->n);
	int64_t n = r->p.tail, i, j, before;
	double *x = strncmp(name, "topk largest ", 13) ? NULL : malloc(sizeof *x * (size_t)n);
	bool is_row = x && row_read(r, n, x);

	for (i = 0; is_row && i < n; i++) {
		for (before = j = 0; j < n; j++)
			before += stands_before(x, j, i);
		if (before == at % n)
			put(v, at, opaque_result(name) ? (double)i : x[i]);
	}
	free(x);
	return is_row;
}

static void put_opaque(struct reader *r, values *v, int64_t at)
{
	const char *name = core_fn(r->e->a, r->n);
	uint64_t h = hash_bytes(name, strlen(name), r->e->seed);
	int k;

	if (put_largest(r, v, at))
		return;
	do {
		data_labels(r);
		for (k = 0; k < r->p.nslot; k++)
			h = mix(h, digest(slot_double(r, k)) + (uint64_t)k);
	} while (next_bound(r));
	draw(v, at, mix(h, (uint64_t)(at % r->p.tail)));
}

/* ---- elementwise functions, run by the interpreter */

static enum etype shown(int type, int otherwise)
{
	return (enum etype)(type != TYPE_REAL ? type : is_float(otherwise) && otherwise != TYPE_REAL ? otherwise : T_F64);
}

/* `compare:LT`, `reduce-precision:..`: the attributes of an instruction again. */
static const char *map_attributes(core_eval *e, const char *op, const char *rest)
{
	int x, m;

	if (!*rest)
		return "";
	if (!strcmp(op, "compare"))
		return arena_printf(&e->s, ", direction=%.2s%s%s", rest, rest[2] ? ", type=" : "", rest + 2 + (rest[2] == ' ' || rest[2] == ','));
	if (!strcmp(op, "reduce-precision") && sscanf(rest, "%*[^0-9]%d%*[^0-9]%d", &x, &m) == 2)
		return arena_printf(&e->s, ", exponent_bits=%d, mantissa_bits=%d", x, m);
	return NULL;
}

static const char *map_text(core_eval *e, const char *fn, int type, int64_t n, int nop, const int *from)
{
	const char *colon = strchr(fn, ':'), *rest = colon ? colon + 1 : "", *t = "HloModule m\nENTRY e {\n", *attr, *op;
	int k, other = type;

	op = colon ? arena_printf(&e->s, "%.*s", (int)(colon - fn), fn) : fn;
	attr = map_attributes(e, op, rest);
	if (!attr)
		return NULL;
	if (!strcmp(op, "compare") || !strcmp(op, "is-finite"))
		for (other = TYPE_REAL, k = 0; k < nop; k++)
			other = from[k] != TYPE_REAL ? from[k] : other;
	if (!strcmp(op, "num"))
		op = "convert";
	if (!strcmp(op, "bitcast-convert"))
		return NULL;
	for (k = 0; k < nop; k++)
		t = arena_printf(&e->s, "%s p%d = %s[%lld] parameter(%d)\n", t, k, etype_name(shown(from[k], other)), (long long)n, k);
	t = arena_printf(&e->s, "%s ROOT r = %s[%lld] %s(", t, etype_name(shown(type, other)), (long long)n, op);
	for (k = 0; k < nop; k++)
		t = arena_printf(&e->s, "%s%sp%d", t, k ? ", " : "", k);
	return arena_printf(&e->s, "%s)%s\n}\n", t, attr);
}

static bool run_map(core_eval *e, const char *text, int nop, const values *x, values *v)
{
	struct diag err;
	module *m = hlo_read_text("map", text, strlen(text), &err);
	interp_options o = { .reading = e->rounds ? INTERP_DECLARED : INTERP_REALS, .replicas = 1, .partitions = 1 };
	tensor *in[4], *const *input = in, *out;
	interp *r;
	bool ok;
	int k;

	if (!m) {
		char buf[600];
		fprintf(stderr, "%s\n%s", diag_text(&err, buf, sizeof buf), text);
		return false;
	}
	for (k = 0; k < nop; k++)
		in[k] = tensor_over(m->entry->param[k]->shape, x[k].n, x[k].f, x[k].i);
	r = interp_new(m, &o);
	ok = interp_run(r, &input);
	if (ok) {
		out = interp_output(r, 0);
		memcpy(v->f ? (void *)v->f : (void *)v->i, out->f ? (void *)out->f : (void *)out->i, sizeof(double) * (size_t)v->n);
	}
	interp_free(r);
	for (k = 0; k < nop; k++)
		tensor_unref(in[k]);
	module_free(m);
	return ok;
}

static void eval_map(core_eval *e, struct reader *r, values *v)
{
	values x[4];
	int k, from[4];
	int64_t at;
	const char *text;

	memset(x, 0, sizeof x);
	for (k = 0; k < r->p.nslot; k++) {
		from[k] = core_eval_type(e->a, r->arg[k]);
		new_values(e, &x[k], from[k], v->n);
		if (is_complex(from[k])) {
			v->absent = true;
			return;
		}
	}
	for (at = 0; at < v->n; at++) {
		set_free(r, at);
		data_labels(r);
		for (k = 0; k < r->p.nslot; k++)
			if (x[k].f)
				x[k].f[at] = slot_double(r, k);
			else
				x[k].i[at] = slot_int(r, k);
	}
	text = map_text(e, core_fn(e->a, r->n), v->type, v->n, r->p.nslot, from);
	if (!text || !run_map(e, text, r->p.nslot, x, v))
		v->absent = true;
}

/* ---- nodes */

static void eval_pairing(core_eval *e, eg_id n, values *v)
{
	enum core_kind kind = core_kind(e->a, n);
	int64_t len = core_len(e->a, n), terms = len, at;
	struct reader r;
	int k;

	if (!reader_open(e, n, &r) || is_complex(core_type(e->a, n))) {
		v->absent = true;
		return;
	}
	for (k = 0; k < r.p.nbound && terms <= MOST_TERMS; k++)
		terms *= r.p.size[r.p.nfree + k];
	if (terms > MOST_TERMS) {
		v->absent = true;
		return;
	}
	new_values(e, v, core_type(e->a, n), len);
	v->unknown = kind == C_OPAQUE || kind == C_LOOP;
	for (k = 0; k < r.p.nslot + r.p.ndslot; k++)
		v->unknown = v->unknown || e->node[r.arg[k]].unknown;
	if (kind == C_MAP) {
		eval_map(e, &r, v);
		return;
	}
	for (at = 0; at < len; at++) {
		set_free(&r, at / r.p.tail);
		switch (kind) {
		case C_SUM: put_sum(&r, v, at); break;
		case C_MUL: case C_EIN: put_product(&r, v, at); break;
		case C_RED: case C_LAT: put_reduced(&r, v, at); break;
		case C_PICK: put_pick(&r, v, at); break;
		case C_AT:
			data_labels(&r);
			if (v->f)
				v->f[at] = slot_double(&r, 0);
			else
				put_int(v, at, slot_int(&r, 0));
			break;
		default: put_opaque(&r, v, at);
		}
	}
}

static int64_t digits_place(int n, const digit *d, int64_t at)
{
	int64_t r = 0;

	while (n--) {
		r += at % d[n].size * d[n].stride;
		at /= d[n].size;
	}
	return r;
}

static void copy_place(values *v, int64_t k, const values *x, int64_t at)
{
	if (at < 0 || at >= x->n)
		abort();
	if (v->f)
		v->f[k] = x->f[at];
	else
		v->i[k] = x->i[at];
}

static void eval_view(core_eval *e, eg_id n, values *v)
{
	const values *x = &e->node[eg_args(e->a->g, n)[0]];
	int m;
	const digit *d = val_get_digits(e->a, node_val(e->a, n, 0), &m);
	int64_t k;

	if ((v->absent = x->absent))
		return;
	new_values(e, v, x->type, digits_total(m, d));
	v->unknown = x->unknown;
	for (k = 0; k < v->n; k++)
		copy_place(v, k, x, digits_place(m, d, k));
}

static void eval_laid(core_eval *e, eg_id n, values *v)
{
	const values *x = &e->node[eg_args(e->a->g, n)[0]];
	layout l = layout_of(e->a, n);
	int64_t r, k, el = layout_elements(&l);

	if ((v->absent = x->absent || el * l.ndev > MOST_TERMS))
		return;
	new_values(e, v, x->type, l.ndev * el);
	v->unknown = x->unknown;
	for (r = 0; r < l.ndev; r++)
		for (k = 0; k < el; k++)
			copy_place(v, r * el + k, x, digits_place(l.nd, l.dev, r) + digits_place(l.nl, l.loc, k));
}

void core_eval_run(core_eval *e, const algebra *a, uint64_t seed, bool rounds)
{
	uint32_t n;

	memset(e, 0, sizeof *e);
	arena_init(&e->s);
	e->a = a;
	e->n = eg_nnode(a->g);
	e->seed = seed;
	e->rounds = rounds;
	e->node = ARENA_ARRAY(&e->s, values, e->n);
	memset(e->node, 0, sizeof *e->node * e->n);
	for (n = 0; n < e->n; n++)
		switch (core_kind(a, n)) {
		case C_PARAM: eval_param(e, n, &e->node[n]); break;
		case C_NUMBER: case C_TABLE: eval_constant(e, n, &e->node[n]); break;
		case C_INDEX: case C_TENSOR: e->node[n].absent = true; break;
		case C_VIEW: eval_view(e, n, &e->node[n]); break;
		case C_LAID: eval_laid(e, n, &e->node[n]); break;
		default: eval_pairing(e, n, &e->node[n]);
		}
}

void core_eval_free(core_eval *e)
{
	arena_free(&e->s);
}

const values *core_eval_laid(const core_eval *e, eg_id laid)
{
	return &e->node[laid];
}

/* ---- comparing */

double core_eval_tolerance(const core_eval *e)
{
	return e->rounds ? 1e-5 : 1e-7;
}

int64_t values_differ(const values *x, const values *y, double tolerance)
{
	double scale = 1, a, b;
	int64_t k;

	if (x->n != y->n)
		return 0;
	for (k = 0; k < x->n; k++) {
		a = fabs(values_at(x, k));
		b = fabs(values_at(y, k));
		if (isfinite(a) && a > scale)
			scale = a;
		if (isfinite(b) && b > scale)
			scale = b;
	}
	for (k = 0; k < x->n; k++) {
		if (x->i && y->i) {
			if (x->i[k] != y->i[k])
				return k;
			continue;
		}
		a = values_at(x, k);
		b = values_at(y, k);
		if (a == b || (isnan(a) && isnan(b)))
			continue;
		if (!isfinite(a) || !isfinite(b) || fabs(a - b) > tolerance * scale)
			return k;
	}
	return -1;
}

const char *core_eval_classes(core_eval *e, eg_id *x, eg_id *y)
{
	eg_id n, r;
	eg_id *first = ARENA_ARRAY(&e->s, eg_id, e->n);
	int64_t k;

	for (n = 0; n < e->n; n++)
		first[n] = NIL;
	for (n = 0; n < e->n; n++) {
		r = eg_root(e->a->g, n);
		if (e->node[n].absent)
			continue;
		if (first[r] == NIL) {
			first[r] = n;
			continue;
		}
		k = values_differ(&e->node[first[r]], &e->node[n], core_eval_tolerance(e));
		if (k >= 0) {
			*x = first[r];
			*y = n;
			return arena_printf(&e->s, "nodes %u and %u of a class differ at %lld: %.9g and %.9g", first[r], n, (long long)k,
					    values_at(&e->node[first[r]], k), values_at(&e->node[n], k));
		}
	}
	return NULL;
}
