#include "hlo/hlo_value.h"

#include <string.h>

static const shape *shape_at(lexer *l, int depth);

bool hlo_shape_here(lexer *l)
{
	const char *p;

	lex_space(l);
	p = l->p;
	if (*p == '(')
		return true;
	if (p[0] == 'b' && p[1] == '(')
		return true;
	if (!LEX_IS(*p, LEX_FIRST))
		return false;
	while (LEX_IS(*p, LEX_WORD))
		p++;
	return *p == '[';
}

/* {1,0:T(8,128)}: the order, and whether tiles follow */
static void read_layout(lexer *l, shape *s)
{
	const char *begin = l->p;
	int *order = ARENA_ARRAY(l->b->a, int, s->rank), n = 0;
	bool *seen = arena_zalloc(&l->b->tmp, s->rank + 1), plain = true;
	span all = want_brackets(l);
	const char *end = l->p - 1;

	s->layout = syms_get(&l->b->syms, all.s, all.n)->s;
	l->p = begin + 1;
	while (lex_peek(l) != ':' && l->p < end) {
		int64_t d;

		if (n)
			want_char(l, ',');
		d = want_int(l);
		if (n == s->rank || d < 0 || d >= s->rank || seen[d])
			lex_fail(l, begin, "the layout does not order the %d dimensions", s->rank);
		seen[d] = true;
		plain &= d == s->rank - 1 - n;
		order[n++] = (int)d;
	}
	if (n && n != s->rank)
		lex_fail(l, begin, "the layout does not order the %d dimensions", s->rank);
	s->tiled = strstr(s->layout, "T(") || strstr(s->layout, "P(") || strstr(s->layout, "D(");
	if (!plain)
		s->minor_to_major = order;
	l->p = end + 1;
}

#define RANK_MAX 256

static const shape *array_shape(lexer *l)
{
	shape *s = ARENA_NEW(l->b->a, shape);
	int64_t dim[RANK_MAX], *copy;
	bool bounded[RANK_MAX], *flags;
	const char *at = l->p;
	bool unbounded = false;
	span w = lex_word(l);

	s->type = syms_get(&l->b->syms, w.s, w.n)->etype;
	if (s->type == T_COUNT)
		lex_fail(l, at, "unknown element type %.*s", (int)w.n, w.s);
	want_char(l, '[');
	while (!lex_char(l, ']')) {
		if (s->rank)
			want_char(l, ',');
		if (s->rank == RANK_MAX)
			lex_fail(l, at, "a shape of more than %d dimensions", RANK_MAX);
		bounded[s->rank] = lex_peek(l) == '<' || *l->p == '?';
		if (lex_char(l, '?')) {
			dim[s->rank++] = -1;
			s->dynamic = unbounded = true;
			continue;
		}
		if (lex_char(l, '<')) {
			want_char(l, '=');
			s->dynamic = true;
		}
		dim[s->rank] = want_int(l);
		if (dim[s->rank++] < 0)
			lex_fail(l, at, "a negative dimension");
	}
	copy = ARENA_ARRAY(l->b->a, int64_t, s->rank);
	memcpy(copy, dim, s->rank * sizeof *dim);
	s->dim = copy;
	if (s->dynamic) {
		flags = ARENA_ARRAY(l->b->a, bool, s->rank);
		memcpy(flags, bounded, s->rank * sizeof *flags);
		s->bounded = flags;
	}
	if (!unbounded && shape_elements(s) < 0)
		lex_fail(l, at, "a shape of more elements than 64 bits can count");
	if (*l->p == '{' && (LEX_IS(l->p[1], LEX_DIGIT) || l->p[1] == ':' || l->p[1] == '}'))
		read_layout(l, s);
	return s;
}

static const shape *tuple_shape(lexer *l, enum etype type, int depth)
{
	shape *s = ARENA_NEW(l->b->a, shape);
	const shape **elem = NULL, **copy;
	int cap = 0;

	s->type = type;
	want_char(l, '(');
	while (!lex_char(l, ')')) {
		if (s->n)
			want_char(l, ',');
		elem = build_grow(l->b, elem, s->n, &cap, sizeof *elem);
		elem[s->n] = shape_at(l, depth + 1);
		s->dynamic |= elem[s->n++]->dynamic;
	}
	if (type == T_BUFFER && s->n != 1)
		lex_fail(l, l->p, "a buffer holds one shape");
	copy = ARENA_ARRAY(l->b->a, const shape *, s->n);
	if (s->n)
		memcpy(copy, elem, s->n * sizeof *elem);
	s->elem = copy;
	return s;
}

/* The text of the shape here, or nothing if it does not end soon enough. */
static span shape_span(lexer *l)
{
	const char *begin = l->p, *p = begin;

	while (LEX_IS(*p, LEX_WORD))
		p++;
	l->p = p;
	if (*p == '(')
		want_brackets(l);
	else if (*p == '[') {
		want_brackets(l);
		if (*l->p == '{' && (LEX_IS(l->p[1], LEX_DIGIT) || l->p[1] == ':' || l->p[1] == '}'))
			want_brackets(l);
	}
	p = l->p;
	l->p = begin;
	return (span){ begin, p - begin };
}

/* Most shapes of a file have been written before. */
static const shape *shape_at(lexer *l, int depth)
{
	span text;
	sym *y;

	if (depth > BUILD_NEST)
		lex_fail(l, l->p, "shapes nested too deep");
	lex_space(l);
	text = shape_span(l);
	if (!text.n)
		lex_fail(l, l->p, "expected a shape");
	y = syms_get(&l->b->syms, text.s, text.n);
	if (y->shape) {
		l->p += text.n;
		return y->shape;
	}
	if (*l->p == '(') {
		y->shape = tuple_shape(l, T_TUPLE, depth);
	} else if (l->p[0] == 'b' && l->p[1] == '(') {
		l->p++;
		y->shape = tuple_shape(l, T_BUFFER, depth);
	} else {
		y->shape = array_shape(l);
	}
	return y->shape;
}

const shape *hlo_shape(lexer *l)
{
	return shape_at(l, 0);
}
