/* What rules about order are about: picks of picks, places of the first, and rows put in order. */
#include "certify/idiom.h"

#include <string.h>

/* pick_i(x[r, i], i) over r, as a core of r's length. */
static eg_id inner_pick(struct dice *d, eg_id x, int nr, int ni, const char *fn)
{
	struct draft p = draft(d, C_PICK, T_S32, fn);
	label *r = over(&p, nr, false), *i = over(&p, ni, true);

	reads(&p, x, at2(&p, r, ni, i, 1), RAT_ONE);
	reads(&p, core_line(d->a, T_S32), ix_plus(&d->a->s, at2(&p, i, 1, r, below(d, 3)), below(d, 3)), RAT_ONE);
	return done(&p);
}

eg_id pick_of_picks(struct dice *d)
{
	int nr = 2 + below(d, 2), ni = 2 + below(d, 2);
	const char *fn = picking(d);
	struct draft m = draft(d, C_RED, T_F32, "maximum"), p = draft(d, C_PICK, T_S32, fn);
	eg_id x = plain(d, T_F32, nr * ni, "x");
	label *f = over(&m, nr, false), *i = over(&m, ni, true), *r = over(&p, nr, true);

	reads(&m, x, at2(&m, f, ni, i, 1), RAT_ONE);
	reads(&p, done(&m), at(&p, r, 1), RAT_ONE);
	reads(&p, inner_pick(d, x, nr, ni, fn), at(&p, r, 1), RAT_ONE);
	return done(&p);
}

/* 3 pick(..) + c */
eg_id pick_and_constant(struct dice *d)
{
	int nr = 2 + below(d, 2), ni = 2 + below(d, 2);
	const char *fn = picking(d);
	struct draft s = draft(d, C_SUM, T_S32, NULL);
	label *r = over(&s, nr, false);

	reads(&s, inner_pick(d, plain(d, T_F32, nr * ni, "x"), nr, ni, fn), at(&s, r, 1), (rat){ *fn == 'l' && fn[1] == 'e' ? 1 : 3, 1 });
	reads(&s, core_line(d->a, T_S32), ix_plus(&d->a->s, at(&s, r, below(d, 2)), 1 + below(d, 5)), RAT_ONE);
	return done(&s);
}

/* sum_r pick(v, p_r), or sum_r pick(v_r, p_r). */
eg_id picked_and_summed(struct dice *d)
{
	int nf = 2 + below(d, 2), nr = 2 + below(d, 2), ni = 2 + below(d, 2), own = !below(d, 4);
	struct draft k = draft(d, C_PICK, T_F32, picking(d)), s = draft(d, C_EIN, T_F32, NULL);
	label *f = over(&k, nf, false), *r = over(&k, nr, false), *i = over(&k, ni, true);
	label *g = over(&s, nf, false), *q = over(&s, nr, true);

	reads(&k, plain(d, T_F32, own ? nr * ni : nf * ni, "v"), at2(&k, own ? r : f, ni, i, 1), RAT_ONE);
	reads(&k, plain(d, T_F32, nf * nr * ni, "p"), ix_add(&d->a->s, at(&k, f, nr * ni), at2(&k, r, ni, i, 1)), RAT_ONE);
	reads(&s, done(&k), at2(&s, g, nr, q, 1), RAT_ONE);
	return done(&s);
}

/* x[pick(..)] */
eg_id read_at_pick(struct dice *d)
{
	int nr = 2 + below(d, 2), ni = 2 + below(d, 2), n = ni + 2 * nr + 1;	/* beyond any payload */
	struct draft r = draft(d, C_AT, T_F32, NULL);
	eg_id j = inner_pick(d, plain(d, T_F32, nr * ni, "x"), nr, ni, picking(d));
	label *i = over(&r, nr, false), *k = over(&r, 2, false), *l = label_data(&d->a->s, j, at(&r, i, 1), n);

	reads(&r, plain(d, T_F32, 2 * n, "y"), at2(&r, k, n, l, 1), RAT_ONE);
	return done(&r);
}

/* min_r select(x[r] = max x, r + c, n); with max x <= x[r], and with the minimum. */
eg_id least_of_largest(struct dice *d)
{
	int nr = 2 + below(d, 3), add = below(d, 3), top = below(d, 2), k;
	bool max = below(d, 2);
	struct draft m = draft(d, C_RED, T_F32, max ? "maximum" : "minimum"),
		     e = draft(d, C_MAP, T_PRED, below(d, 2) ? "compare:EQ" : "compare:LE"),
		     c = draft(d, C_MAP, T_S32, "select"), r = draft(d, C_RED, T_S32, "minimum");
	eg_id x = plain(d, T_F32, nr, "x"), line = core_line(d->a, T_S32);
	label *in = over(&m, nr, true), *i = over(&e, nr, false), *j = over(&c, nr, false), *q = over(&r, nr, true);

	reads(&m, x, at(&m, in, 1), RAT_ONE);
	for (k = 0; k < 2; k++)
		reads(&e, k == top ? done(&m) : x, k == top ? ix_const(&d->a->s, 0) : at(&e, i, 1), RAT_ONE);
	reads(&c, done(&e), at(&c, j, 1), RAT_ONE);
	reads(&c, line, ix_plus(&d->a->s, at(&c, j, 1), add), RAT_ONE);
	reads(&c, line, ix_const(&d->a->s, nr + below(d, 3)), RAT_ONE);
	reads(&r, done(&c), at(&r, q, 1), RAT_ONE);
	return done(&r);
}

/* pick_i(x[r, i], ..): the payload a constant, or not; x or the label its own. */
static eg_id one_of_picks(struct dice *d, eg_id x, int type, int nr, int ni, const char *fn, bool constant)
{
	struct draft p = draft(d, C_PICK, type, fn);
	label *r = over(&p, nr, false), *i = over(&p, ni, true), *l[1] = { i };

	reads(&p, below(d, 8) ? x : plain(d, T_F32, nr * ni, "other"), at2(&p, r, ni, i, 1), RAT_ONE);
	if (!constant)
		reads(&p, plain(d, type, nr * ni, "y"), at2(&p, r, ni, i, 1), RAT_ONE);
	else if (type == T_S32)
		reads(&p, core_line(d->a, T_S32), ix_plus(&d->a->s, at2(&p, i, 1, r, below(d, 3)), below(d, 3)), RAT_ONE);
	else
		p.w->slot[p.w->nslot++] = table_slot(&p, TYPE_REAL, 1, l, zero_or_one);
	return done(&p);
}

/* A test, a maximum or a product of what is picked. */
eg_id of_picks(struct dice *d)
{
	int nr = 2 + below(d, 2), ni = 2 + below(d, 2), type = d->kind == C_MUL ? T_F32 : T_S32;
	const char *fn = picking(d);
	const char *of = d->kind == C_MAP ? below(d, 2) ? "compare:LT" : "compare:LE" : d->kind == C_LAT ? "maximum" : NULL;
	struct draft f = draft(d, d->kind, d->kind == C_MAP ? T_PRED : type, of);
	eg_id x = plain(d, T_F32, nr * ni, "x");
	label *r = over(&f, nr, false);

	reads(&f, one_of_picks(d, x, type, nr, ni, fn, true), at(&f, r, 1), RAT_ONE);
	if (d->kind == C_MUL || below(d, 2))
		reads(&f, one_of_picks(d, x, type, nr, ni, below(d, 8) ? fn : picking(d), !below(d, 3)), at(&f, r, 1), RAT_ONE);
	else
		reads(&f, core_line(d->a, T_S32), ix_plus(&d->a->s, at(&f, r, below(d, 2)), below(d, 4)), RAT_ONE);
	return done(&f);
}

static const char *const topk[] = { "topk largest 0 -> f32 of f32", "topk largest 1 -> s32 of f32" };

/* Result k of topk of `n` parts beside each other, `kept` places of each: the rows of x put in order, by `nr` rows of them. */
static eg_id topk_of_parts(struct dice *d, eg_id x, int k, int nr, int n, int kept, int len)
{
	struct draft r = draft(d, C_OPAQUE, k ? T_S32 : T_F32, topk[k]);
	label *row = over(&r, nr, false), *part = over(&r, n, true), *place = over(&r, kept, true);
	ix *e;

	r.w->tail = n * kept;
	e = ix_add(&d->a->s, at2(&r, row, n * len, part, len), at(&r, place, 1));
	reads(&r, x, ix_plus(&d->a->s, e, below(d, 4) || kept == len ? 0 : 1), RAT_ONE);
	return done(&r);
}

/* Result k of topk, row by row. */
static eg_id topk_of(struct dice *d, eg_id x, int k, int nr, int len)
{
	struct draft r = draft(d, C_OPAQUE, k ? T_S32 : T_F32, topk[k]);
	label *row = over(&r, nr, false), *place = over(&r, len, true);

	r.w->tail = len;
	reads(&r, x, at2(&r, row, len, place, 1), RAT_ONE);
	return done(&r);
}

/* The first of a row of parts in order, or (C_SUM) which of all that the parts were taken from they are; sometimes more
 * than parts have. */
eg_id parts_in_order(struct dice *d)
{
	scratch *s = &d->a->s;
	bool places = d->kind == C_SUM;
	int nr = 1 + below(d, 2), n = 2 + below(d, 2), len = 2 + below(d, 3), kept = 1 + below(d, len);
	int c = 1 + below(d, kept + !below(d, 4)), full = n * kept;
	eg_id x = plain(d, T_F32, nr * n * len, "x"), in_part = topk_of(d, x, 0, nr * n, len), all;
	struct draft r = draft(d, d->kind, places ? T_S32 : T_F32, NULL);
	label *row = over(&r, nr, false), *place = over(&r, c, false);
	ix *at_all = at2(&r, row, full, place, 1), *part, *j;

	all = topk_of_parts(d, in_part, places, nr, n, kept, len);
	if (!places) {
		reads(&r, all, at_all, RAT_ONE);
		return done(&r);
	}
	ix_divmod(s, ix_of(s, label_data(s, all, at_all, full), 1), kept, &part, &j);
	j = ix_add(s, ix_add(s, at(&r, row, n * len), ix_times(s, part, len)), j);
	reads(&r, topk_of(d, x, 1, nr * n, len), j, RAT_ONE);
	reads(&r, core_line(d->a, T_S32), ix_times(s, part, len + !below(d, 4)), RAT_ONE);
	return done(&r);
}

/* Places of a row in order, or every other one, as numbers of another type. */
static eg_id converted_places(struct dice *d, eg_id place, int nr, int len)
{
	static const int type[] = { T_S64, T_U32, T_S8 };
	int by = 1 + below(d, 2), n = (len + by - 1) / by;
	struct draft r = draft(d, C_MAP, type[below(d, 3)], "convert");
	label *row = over(&r, nr, false), *own = over(&r, n, false);

	reads(&r, place, at2(&r, row, len, own, by), RAT_ONE);
	return done(&r);
}

/* Places of a row in order beside a number, or where they are read, or converted. */
eg_id compared_places(struct dice *d)
{
	static const char *const name[2][2] = { { "compare:LT", "compare:LE" }, { "maximum", "minimum" } };
	int nr = 1 + below(d, 2), len = 2 + below(d, 3), first = below(d, 2), k;
	eg_id place = topk_of(d, plain(d, T_F32, nr * len, "x"), 1, nr, len);
	struct draft r;
	label *row, *own;
	ix *c;

	if (d->kind == C_MAP && !below(d, 3))
		return converted_places(d, place, nr, len);
	r = draft(d, d->kind, d->kind == C_LAT ? T_S32 : T_PRED, name[d->kind == C_LAT][below(d, 2)]);
	row = over(&r, nr, false);
	own = over(&r, len, false);
	c = ix_plus(&d->a->s, at(&r, own, below(d, 2)), below(d, len + 3) - 1);

	for (k = 0; k < 2; k++)
		if (k == first)
			reads(&r, place, at2(&r, row, len, own, 1), RAT_ONE);
		else
			reads(&r, core_line(d->a, T_S32), c, RAT_ONE);
	return done(&r);
}

/* The first values of a sorted row, or others, sorted again by value and place, or the other way round. */
eg_id sorted_twice(struct dice *d)
{
	static const char *const sort[] = {
		"sort to_apply=<0 <1 0 -> f32[*,n,] f32[*,n,] s32[*,n,", "sort to_apply=>0 <1 0 -> f32[*,n,] f32[*,n,] s32[*,n,"
	};
	scratch *s = &d->a->s;
	bool all = below(d, 2), down = below(d, 3);
	int nr = 2 + below(d, 2), len = 3 + below(d, 3), own = all ? len : 2, k;
	struct draft r = draft(d, C_OPAQUE, T_F32, sort[down]);
	label *row = over(&r, nr, false);

	r.w->tail = own;
	for (k = 0; k < 2; k++) {
		eg_id t = topk_of(d, plain(d, T_F32, nr * len, "x"), k, nr, len);
		reads(&r, t, ix_plus(s, at2(&r, row, len, over(&r, own, true), 1), all ? 0 : below(d, 2)), RAT_ONE);
	}
	return done(&r);
}
