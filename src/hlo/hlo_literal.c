#include "hlo/hlo_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tensor/round.h"

/* Values of a literal while it is read; which of the two follows the type. */
struct values {
	union number { int64_t i; double f; } *v;
	int64_t n, cap;
};

static void push(lexer *l, struct values *list, union number v)
{
	if (list->n == list->cap) {
		int64_t cap = list->cap ? list->cap * 2 : 16;
		union number *p = arena_alloc(&l->b->tmp, cap * sizeof *p);

		if (list->n)
			memcpy(p, list->v, list->n * sizeof *p);
		list->v = p;
		list->cap = cap;
	}
	list->v[list->n++] = v;
}

/* Short decimals are exact in one multiplication or division (Clinger 1990). */
static bool short_decimal(span s, double *v)
{
	static const double ten[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	const char *p = s.s, *end = s.s + s.n;
	bool neg = *p == '-', dot = false;
	uint64_t m = 0;
	int digits = 0, scale = 0;

	for (p += neg; p < end; p++) {
		if (*p == '.' && !dot) {
			dot = true;
			continue;
		}
		if (!LEX_IS(*p, LEX_DIGIT) || ++digits > 15)
			return false;
		m = m * 10 + (uint64_t)(*p - '0');
		scale += dot;
	}
	if (!digits)
		return false;
	*v = (neg ? -(double)m : (double)m) / ten[scale];
	return true;
}

static bool word_number(span s, double *v)
{
	double sign = *s.s == '-' ? -1 : 1;

	s.n -= sign < 0;
	s.s += sign < 0;
	if (s.n == 3 && !memcmp(s.s, "inf", 3))
		*v = sign * INFINITY;
	else if (s.n >= 3 && !memcmp(s.s, "nan", 3) && (s.n == 3 || s.s[3] == '('))
		*v = copysign(NAN, sign);
	else
		return false;
	return true;
}

static double read_float(lexer *l, enum etype t)
{
	span s = want_number(l);
	char *end;
	double v, r;

	if (!short_decimal(s, &v) && !word_number(s, &v)) {
		v = strtod(s.s, &end);
		if (end != s.s + s.n || !(LEX_IS(*s.s, LEX_DIGIT) || *s.s == '-' || *s.s == '.'))
			lex_fail(l, s.s, "'%.*s' is not a number", (int)(s.n < 40 ? s.n : 40), s.s);
	}
	r = etype_round(t, v);
	if (!isfinite(r) && !word_number(s, &v))
		lex_fail(l, s.s, "%.*s is out of the range of %s", (int)(s.n < 40 ? s.n : 40), s.s, etype_name(t));
	if (!isfinite(v) && (isnan(r) != isnan(v) || isfinite(r)) && !l->odd)
		l->odd = s.s;
	return r;
}

static int64_t read_integer(lexer *l, enum etype t)
{
	const char *at;
	int64_t v;

	lex_space(l);
	at = l->p;
	if (t == T_PRED && lex_keyword(l, "true"))
		return 1;
	if (t == T_PRED && lex_keyword(l, "false"))
		return 0;
	v = want_bits(l);
	if (!etype_holds(t, v, *at == '-' && v != 0))
		lex_fail(l, at, "%.*s is out of the range of %s", (int)(l->p - at), at, etype_name(t));
	return v;
}

static void scalar(lexer *l, enum etype t, struct values *list)
{
	union number v;

	switch (etype_kind(t)) {
	case 'f':
		v.f = read_float(l, t);
		break;
	case 'c':
		want_char(l, '(');
		v.f = read_float(l, t);
		push(l, list, v);
		want_char(l, ',');
		v.f = read_float(l, t);
		want_char(l, ')');
		break;
	case '-':
		lex_fail(l, l->p, "a constant of type %s", etype_name(t));
	default:
		v.i = read_integer(l, t);
	}
	push(l, list, v);
}

/* Braces as deep as the rank, each with as many elements as the dimension. */
static void elements(lexer *l, const shape *s, int d, struct values *list)
{
	const char *at;
	int64_t n = 0;

	if (d == s->rank) {
		scalar(l, s->type, list);
		return;
	}
	lex_space(l);
	at = l->p;
	want_char(l, '{');
	if (!lex_char(l, '}')) {
		do {
			elements(l, s, d + 1, list);
			n++;
		} while (lex_char(l, ','));
		want_char(l, '}');
	}
	if (n != s->dim[d] && !(n == 0 && shape_elements(s) == 0))
		lex_fail(l, at, "%lld elements in dimension %d of a constant that has %lld there",
			 (long long)n, d, (long long)s->dim[d]);
}

/* One bit pattern throughout? */
static bool uniform(const void *values, int64_t n, size_t width)
{
	const char *v = values;

	return n > 1 && !memcmp(v, v + width, (n - 1) * width);
}

static const void *keep(arena *a, const void *v, int64_t n, size_t width, bool splat)
{
	size_t bytes = (splat ? 1 : n) * width;
	void *copy = arena_alloc(a, bytes ? bytes : 1);

	if (bytes)
		memcpy(copy, v, bytes);
	return copy;
}

literal *literal_ints(arena *a, const int64_t *v, int64_t n)
{
	literal *x = ARENA_NEW(a, literal);

	x->count = n;
	x->splat = uniform(v, n, sizeof *v);
	x->i = keep(a, v, n, sizeof *v, x->splat);
	return x;
}

literal *literal_floats(arena *a, const double *v, int64_t n, int per_element)
{
	literal *x = ARENA_NEW(a, literal);

	x->count = n;
	x->splat = uniform(v, n, per_element * sizeof *v);
	x->f = keep(a, v, n, per_element * sizeof *v, x->splat);
	return x;
}

static bool elided(lexer *l)
{
	const char *back = l->p;

	if (lex_char(l, '{')) {
		lex_space(l);
		if (!strncmp(l->p, "...", 3)) {
			l->p += 3;
			want_char(l, '}');
			return true;
		}
	}
	l->p = back;
	return false;
}

static const literal *read_literal(lexer *l, const shape *s, int depth);

static const literal *tuple_literal(lexer *l, const shape *s, int depth)
{
	literal *x = ARENA_NEW(l->b->a, literal);
	const literal **elem = ARENA_ARRAY(l->b->a, const literal *, s->n);

	want_char(l, '(');
	for (int k = 0; k < s->n; k++) {
		if (k)
			want_char(l, ',');
		elem[k] = read_literal(l, s->elem[k], depth + 1);
	}
	want_char(l, ')');
	x->n = s->n;
	x->elem = elem;
	return x;
}

/* Some types have no infinity, some no NaN. */
static void warn_odd(lexer *l, enum etype t)
{
	bool nan = l->odd && l->odd[*l->odd == '-'] == 'n';
	double v = etype_round(t, nan ? NAN : INFINITY);

	if (l->odd && !l->told_odd)
		lex_warn(l, l->odd, isnan(v) ? "%s has no %s: it is read as nan" : "%s has no %s: it is read as %g", etype_name(t), nan ? "nan" : "infinity", v);
	l->told_odd = l->told_odd || l->odd;
}

static const literal *read_literal(lexer *l, const shape *s, int depth)
{
	struct values list = { 0 };
	int64_t mark;
	arena_mark at;
	literal *x;

	if (depth > BUILD_NEST)
		lex_fail(l, l->p, "constants nested too deep");
	lex_space(l);
	if (elided(l)) {
		x = ARENA_NEW(l->b->a, literal);
		x->elided = true;
		x->count = s->type == T_TUPLE ? 0 : shape_elements(s);
		return x;
	}
	if (s->type == T_TUPLE)
		return tuple_literal(l, s, depth);
	at = arena_at(&l->b->tmp);
	elements(l, s, 0, &list);
	mark = list.n;
	if (etype_kind(s->type) == 'f')
		x = literal_floats(l->b->a, (const double *)list.v, mark, 1);
	else if (etype_kind(s->type) == 'c')
		x = literal_floats(l->b->a, (const double *)list.v, mark / 2, 2);
	else
		x = literal_ints(l->b->a, (const int64_t *)list.v, mark);
	arena_reset(&l->b->tmp, at);
	warn_odd(l, s->type);
	return x;
}

const literal *hlo_literal(lexer *l, const shape *s)
{
	return read_literal(l, s, 0);
}
