#include "core/constant.h"

#include "core/normal.h"
#include "core/work.h"

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

/* The places that a node reads of its only operand, when no values say which. */
static __attribute__((noinline)) const double *places_read(algebra *a, eg_id n, arena *out)
{
	work *w = work_open(a, n);
	int64_t len = core_len(a, n), i, *at;
	double *r;

	if (w->nslot != 1 || w->nbound || ix_labels(&a->s, w->slot[0].e, &(label **){ NULL }) > w->nfree)
		return NULL;
	at = ix_values(&a->s, w->slot[0].e, w->nfree, w->free);
	r = ARENA_ARRAY(out, double, len);
	for (i = 0; i < len; i++)
		r[i] = (double)at[i];
	return r;
}

const double *constant_places(algebra *a, eg_id n, arena *out)
{
	arena_mark m = arena_at(&a->s.a);
	const double *v;

	if (core_kind(a, n) != C_AT || eg_narg(a->g, n) != 1 || core_len(a, n) > CONSTANT_MAX)
		return NULL;
	if (setjmp(a->s.out)) {
		arena_reset(&a->s.a, m);
		return NULL;
	}
	v = places_read(a, n, out);
	arena_reset(&a->s.a, m);
	return v;
}

/* The values of x at the places that a node reads of it. */
static const double *values_read(algebra *a, eg_id n, arena *out)
{
	eg_id x = normal_node(a, eg_args(a->g, n)[0]);
	const double *at = constant_places(a, n, out), *v;
	int64_t len = core_len(a, n), i;
	double *r;

	if (!at || core_kind(a, x) == C_INDEX)
		return at;
	if (!(v = constant_values(a, x, out)))
		return NULL;
	r = ARENA_ARRAY(out, double, len);
	for (i = 0; i < len; i++)
		r[i] = v[(int64_t)at[i]];
	return r;
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
		return values_read(a, n, out);
	default:
		return NULL;
	}
}
