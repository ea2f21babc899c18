#include "constant.h"

#include "normal.h"

static const double *same(int64_t n, double v, arena *out)
{
	double *r = ARENA_ARRAY(out, double, n);
	int64_t i;

	for (i = 0; i < n; i++)
		r[i] = v;
	return r;
}

static const double *line(int64_t n, arena *out)
{
	double *r = ARENA_ARRAY(out, double, n);
	int64_t i;

	for (i = 0; i < n; i++)
		r[i] = (double)i;
	return r;
}

/* The values of x at the places that a node reads of it. */
static __attribute__((noinline)) const double *places_read(algebra *a, eg_id n, arena *out)
{
	work *w = work_open(a, n);
	eg_id x = normal_node(a, w->slot[0].x);
	int64_t len = core_len(a, n), i;
	const double *v;
	int64_t *at;
	double *r;

	if (w->nslot != 1 || w->nbound || ix_labels(&a->s, w->slot[0].e, &(label **){ NULL }) > w->nfree)
		return NULL;
	at = ix_values(&a->s, w->slot[0].e, w->nfree, w->free);
	r = ARENA_ARRAY(out, double, len);
	if (core_kind(a, x) == C_INDEX) {
		for (i = 0; i < len; i++)
			r[i] = (double)at[i];
		return r;
	}
	if (!(v = constant_values(a, x, out)))
		return NULL;
	for (i = 0; i < len; i++)
		r[i] = v[at[i]];
	return r;
}

static const double *guarded_read(algebra *a, eg_id n, arena *out)
{
	arena_mark m = arena_at(&a->s.a);
	const double *v;

	if (setjmp(a->s.out)) {
		arena_reset(&a->s.a, m);
		return NULL;
	}
	v = places_read(a, n, out);
	arena_reset(&a->s.a, m);
	return v;
}

const double *constant_values(algebra *a, eg_id core, arena *out)
{
	eg_id n = normal_node(a, core);
	int64_t len = core_len(a, n), m;

	if (len > CONSTANT_MAX)
		return NULL;
	switch (core_kind(a, n)) {
	case C_NUMBER:
		return same(len, number_double(core_number(a, n)), out);
	case C_TABLE:
		return core_table(a, n, &m);
	case C_INDEX:
		return line(len, out);
	case C_AT:
		return eg_narg(a->g, n) == 1 ? guarded_read(a, n, out) : NULL;
	default:
		return NULL;
	}
}
