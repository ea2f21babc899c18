#include "certify/draft.h"

#include <stdio.h>
#include <string.h>
#include "core/facts.h"

eg_id closed(struct dice *d, work *w, const struct labels *l, int nbound)
{
	label **all = ARENA_ARRAY(&d->a->s.a, label *, l->nall);

	memcpy(all, l->l, sizeof *all * (size_t)l->nall);	/* the free ones, then the bound ones */
	work_set_free(d->a, w, l->nfree, all);
	work_set_bound(d->a, w, nbound, all + l->nfree);
	return work_result(d->a, w);
}

struct draft draft(struct dice *d, enum core_kind kind, int type, const char *fn)
{
	struct draft r = { d, work_new(d->a, kind, type, 4), { 0 }, 0 };

	r.w->fn = fn ? val_name(d->a, fn) : NIL;
	return r;
}

/* Free labels come before bound ones. */
label *over(struct draft *r, int64_t n, bool bound)
{
	label *l = label_new(&r->d->a->s, n);

	l->bound = bound;
	r->nbound += bound;
	r->l.nfree += !bound;
	return r->l.l[r->l.nall++] = l;
}

void reads(struct draft *r, eg_id x, ix *e, rat c)
{
	r->w->slot[r->w->nslot++] = slot_read(x, e, c);
}

ix *at(struct draft *r, label *l, int64_t stride)
{
	return ix_of(&r->d->a->s, l, stride);
}

ix *at2(struct draft *r, label *x, int64_t sx, label *y, int64_t sy)
{
	return ix_add(&r->d->a->s, at(r, x, sx), at(r, y, sy));
}

eg_id done(struct draft *r)
{
	return closed(r->d, r->w, &r->l, r->nbound);
}

/* A parameter of a length that is not drawn. */
eg_id plain(struct dice *d, int type, int64_t n, const char *name)
{
	char text[60];

	snprintf(text, sizeof text, "check %s %s %d", name, etype_name((enum etype)type), (int)n);
	return core_param(d->a, type, n, text);
}

eg_id positive(struct dice *d, int64_t n)
{
	eg_id x = plain(d, T_F32, n, "positive");

	facts_learn(d->a, x, FACT_NONNEG | FACT_POSITIVE);
	return x;
}

eg_id whole_map(struct dice *d, const char *fn, eg_id x)
{
	struct draft r = draft(d, C_MAP, core_type(d->a, x), fn);

	reads(&r, x, at(&r, over(&r, core_len(d->a, x), false), 1), RAT_ONE);
	return done(&r);
}

slot table_slot(struct draft *r, int type, int nl, label *const *l, double (*value)(struct dice *d, int64_t i))
{
	algebra *a = r->d->a;
	label **copy = ARENA_ARRAY(&a->s.a, label *, nl);
	int64_t n = 1, i;
	double *v;
	int k;

	for (k = 0; k < nl; k++)
		n *= (copy[k] = l[k])->n;
	v = ARENA_ARRAY(&a->s.a, double, n);
	for (i = 0; i < n; i++)
		v[i] = value(r->d, i);
	return slot_table(type, nl, copy, v, RAT_ONE);
}

double zero_or_one(struct dice *d, int64_t i)
{
	return i == 0 ? 1 : below(d, 2);
}

double first_alone(struct dice *d, int64_t i)
{
	(void)d;
	return i == 0;
}

/* T(l) in 0..most. */
ix *index_table(struct draft *r, label *l, int most)
{
	scratch *s = &r->d->a->s;
	int64_t *v = ARENA_ARRAY(&s->a, int64_t, l->n), i;
	label **one = ARENA_ARRAY(&s->a, label *, 1);

	one[0] = l;
	for (i = 0; i < l->n; i++)
		v[i] = below(r->d, most + 1);
	return ix_table(s, 1, one, v);
}

const char *picking(struct dice *d)
{
	static const char *const which[] = { "first", "last", "least" };

	return which[below(d, 3)];
}

int some_size(struct dice *d)
{
	static const int sizes[] = { 2, 3, 4, 6, 1, 8 };

	return sizes[below(d, 6)];
}

eg_id least(struct dice *d, bool max)
{
	return core_num(d->a, TYPE_REAL, (number){ { 0, 0 }, max ? -1.0 / 0.0 : 1.0 / 0.0 });
}
