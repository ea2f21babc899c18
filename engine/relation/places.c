#include "relation/places.h"

#include <stdlib.h>
#include <string.h>
#include "relation/describe.h"
#include "relation/state_in.h"
#include "util/integers.h"

#define LIST_MAX ((int64_t)1 << 16)

static int64_t each_once(int64_t *v, int64_t n)
{
	int64_t i, m = 0;

	for (i = 0; i < n; i++)
		if (!m || v[m - 1] != v[i])
			v[m++] = v[i];
	return m;
}

/* Values close to each other: a bit for each that there may be. */
static int64_t bits_once(int64_t *v, int64_t n, int64_t low, int64_t range)
{
	uint64_t *bit = calloc((size_t)range / 64 + 1, sizeof *bit), w;
	int64_t i, m = 0;

	if (!bit)
		return -1;
	for (i = 0; i < n; i++)
		bit[(v[i] - low) / 64] |= (uint64_t)1 << (v[i] - low) % 64;
	for (i = 0; i <= range / 64; i++)
		for (w = bit[i]; w; w &= w - 1)
			v[m++] = low + i * 64 + __builtin_ctzll(w);
	free(bit);
	return m;
}

int64_t places_once(int64_t *v, int64_t n)
{
	int64_t low = n ? v[0] : 0, high = low, i, range, m;
	bool rising = true;

	for (i = 1; i < n; i++) {
		rising = rising && v[i - 1] <= v[i];
		low = v[i] < low ? v[i] : low;
		high = v[i] > high ? v[i] : high;
	}
	if (rising)
		return each_once(v, n);
	if (!__builtin_sub_overflow(high, low, &range) && range / 64 < n && (m = bits_once(v, n, low, range)) >= 0)
		return m;
	qsort(v, (size_t)n, sizeof *v, integers_compare);
	return each_once(v, n);
}

static bool rises(const int64_t *v, int64_t n)
{
	int64_t i;

	for (i = 1; i < n && v[i - 1] <= v[i]; i++)
		;
	return i >= n;
}

/* The values an expression takes; a plain digit that runs over the whole dimension needs no list. */
static struct place_set values_of(scratch *s, const ix *e, int64_t extent, arena *out)
{
	struct place_set z = { .n = extent, .by = NIL };
	label **l;
	int64_t *v, *keep, n;
	int nl = ix_labels(s, e, &l), k;

	e = ix_norm(s, e);
	nl = ix_labels(s, e, &l);
	for (k = 0; k < nl; k++)
		if (l[k]->data) {
			z.by = l[k]->data->core;
			return z;
		}
	if (!e->ntab && !e->base && nl == 1 && ix_stride(e, l[0]) == 1 && l[0]->n == extent)
		return z;
	n = 1;
	for (k = 0; k < nl && n <= LIST_MAX; k++)
		n *= l[k]->n;
	if (n > LIST_MAX)
		stuck(s, "too many places to list");
	v = ix_values(s, e, nl, l);
	keep = ARENA_ARRAY(out, int64_t, n);
	memcpy(keep, v, sizeof *v * (size_t)n);
	if (nl == 1 && !rises(v, n)) {
		z.read = memcpy(ARENA_ARRAY(out, int64_t, n), v, sizeof *v * (size_t)n);
		z.nread = n;
	}
	z.n = places_once(keep, n);
	if (z.n != extent)
		z.v = keep;
	return z;
}

struct weight {
	digit d;
	int64_t w;
};

static int by_stride(const void *x, const void *y)
{
	const struct weight *p = x, *q = y;

	return p->d.stride > q->d.stride ? -1 : p->d.stride < q->d.stride;
}

ix *places_of_row(algebra *a, const layout *l, const ix *e)
{
	scratch *s = &a->s;
	struct weight *b = ARENA_ARRAY(&s->a, struct weight, l->nl);
	int64_t *size = ARENA_ARRAY(&s->a, int64_t, l->nl), w = 1;
	ix **digit, *r = ix_const(s, 0);
	int k, n = 0;

	for (k = l->nl - 1; k >= 0; w *= l->loc[k--].size)
		if (l->loc[k].stride)
			b[n++] = (struct weight){ l->loc[k], w };
	qsort(b, (size_t)n, sizeof *b, by_stride);
	for (k = 0; k < n; k++)
		size[k] = b[k].d.size;
	digit = ix_digits(s, e, n, size);
	for (k = 0; k < n; k++)
		r = ix_add(s, r, ix_times(s, digit[k], b[k].w));
	return r;
}

static bool on_one_device(const layout *l)
{
	int k;

	for (k = 0; k < l->nd && !l->dev[k].stride; k++)
		;
	return k == l->nd;
}

/* Seen as the naming row sees it; rows of the distributed program hold only a part: those are seen flat. */
void places_shape(const states *s, eg_id x, layout *l, digit *flat, int64_t *len)
{
	enum program_side side;
	int row = describe_named(s, x, &side);
	eg_id core;

	if (row >= 0 && side == SIDE_BASE && row_form(s->q, side, row, l, &core) && on_one_device(l))
		return;
	*len = core_len(&s->q->p->a, x);
	*flat = (digit){ *len, 1 };
	*l = (layout){ 1, 1, 0, 1, len, NULL, flat };
}

static void read_slot(const states *s, const slot *t, struct places *p, arena *out)
{
	algebra *a = &s->q->p->a;
	digit *flat = ARENA_NEW(out, digit);
	int64_t *len = ARENA_NEW(out, int64_t), *dim;
	layout l;
	ix **e;
	int k;

	if (core_kind(a, normal_node(a, t->x)) == C_INDEX) {	/* its places are its values */
		p->set = ARENA_ARRAY(out, struct place_set, 1);
		*len = INT64_MAX;
		p->set[0] = values_of(&a->s, t->e, INT64_MAX, out);
		p->rank = 1;
		p->dim = len;
		return;
	}
	places_shape(s, t->x, &l, flat, len);
	dim = ARENA_ARRAY(out, int64_t, l.rank);
	if (l.rank > 0)
		memcpy(dim, l.dim, sizeof *dim * (size_t)l.rank);
	p->set = ARENA_ARRAY(out, struct place_set, l.rank);
	e = ix_digits(&a->s, places_of_row(a, &l, t->e), l.rank, dim);
	for (k = 0; k < l.rank; k++)
		p->set[k] = values_of(&a->s, e[k], dim[k], out);
	p->rank = l.rank;
	p->dim = dim;
}

/* In the order in which they are read, or rising. */
static const char *text_of(const states *s, const struct places *p, bool order, arena *out)
{
	char *t = arena_strdup(out, "");
	int k;

	for (k = 0; k < p->rank; k++) {
		const struct place_set *z = &p->set[k];
		bool read = order && z->read;
		if (z->by != NIL)
			t = arena_printf(out, "%s%s%s by %s", t, *t ? ", " : "", describe_dimension(out, p->rank, k, 0, NULL),
					 describe_class(s, z->by, out));
		else if (z->v && p->dim[k] == INT64_MAX)
			t = describe_runs(out, z->n, z->v);
		else if (z->v || read)
			t = arena_printf(out, "%s%s%s", t, *t ? ", " : "",
					 describe_dimension(out, p->rank, k, read ? z->nread : z->n, read ? z->read : z->v));
	}
	return t;
}

static bool guarded_read(const states *s, const slot *t, struct places *p, arena *out)
{
	algebra *a = &s->q->p->a;

	if (setjmp(a->s.out))
		return false;
	read_slot(s, t, p, out);
	return true;
}

static work *guarded_open(algebra *a, eg_id n)
{
	if (setjmp(a->s.out))
		return NULL;
	return work_open(a, n);
}

struct place_reader places_begin(const states *s, eg_id n)
{
	algebra *a = &s->q->p->a;
	arena_mark m = arena_at(&a->s.a);

	return (struct place_reader){ s, guarded_open(a, n), m };
}

struct places places_of_slot(const struct place_reader *r, int k, arena *out)
{
	struct places p = { .rank = 0 };
	bool in_order = true;
	int i;

	if (!r->w || !guarded_read(r->s, &r->w->slot[k], &p, out))
		return (struct places){ .text = "@", .order = "@" };
	for (i = 0; i < p.rank; i++)
		in_order = in_order && !p.set[i].read;
	p.text = text_of(r->s, &p, false, out);
	p.order = in_order ? p.text : text_of(r->s, &p, true, out);
	return p;
}

void places_end(const struct place_reader *r)
{
	arena_reset(&r->s->q->p->a.s.a, r->m);
}

struct places *places_of_node(const states *s, eg_id n, arena *out)
{
	int k, nslot = pairing_read(&s->q->p->a, n).nslot;
	struct places *p = ARENA_ARRAY(out, struct places, nslot);
	struct place_reader r = places_begin(s, n);

	for (k = 0; k < nslot; k++)
		p[k] = places_of_slot(&r, k, out);
	places_end(&r);
	return p;
}

bool places_equal(const struct places *x, const struct places *y)
{
	int k;

	if (x->rank != y->rank)
		return false;
	for (k = 0; k < x->rank; k++)
		if (x->set[k].n != y->set[k].n || x->set[k].by != y->set[k].by || !x->set[k].v != !y->set[k].v ||
		    (x->set[k].v && memcmp(x->set[k].v, y->set[k].v, sizeof *x->set[k].v * (size_t)x->set[k].n)))
			return false;
	return true;
}
