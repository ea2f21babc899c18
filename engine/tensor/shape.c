#include "tensor/shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	unsigned char len, bits;
	char kind;
} types[T_COUNT] = {
#define X(n, s, b, k) { s, sizeof(s) - 1, b, k },
	ETYPES(X)
#undef X
};

const char *etype_name(enum etype t)
{
	return types[t].name;
}

enum etype etype_named(const char *s, size_t n)
{
	for (int t = 0; t < T_COUNT; t++)
		if (types[t].len == n && !memcmp(types[t].name, s, n))
			return (enum etype)t;
	return T_COUNT;
}

int etype_bits(enum etype t)
{
	return types[t].bits;
}

char etype_kind(enum etype t)
{
	return types[t].kind;
}

int64_t shape_elements(const shape *s)
{
	int64_t n = 1;
	bool over = false;

	for (int i = 0; i < s->rank; i++) {
		if (s->dim[i] == 0)
			return 0;
		over |= s->dim[i] < 0;
		over |= __builtin_mul_overflow(n, s->dim[i], &n);
	}
	return over ? -1 : n;
}

bool shape_row_major(const shape *s)
{
	int k;

	for (k = 0; s->minor_to_major && k < s->rank; k++)
		if (s->minor_to_major[k] != s->rank - 1 - k)
			return false;
	return true;
}

bool shape_equal(const shape *a, const shape *b)
{
	if (a == b)
		return true;
	if (a->type != b->type || a->rank != b->rank || a->n != b->n)
		return false;
	for (int i = 0; i < a->rank; i++)
		if (a->dim[i] != b->dim[i])
			return false;
	for (int i = 0; i < a->n; i++)
		if (!shape_equal(a->elem[i], b->elem[i]))
			return false;
	return true;
}

static void put_shape(FILE *f, const shape *s)
{
	if (s->type == T_TUPLE || s->type == T_BUFFER) {
		fputs(s->type == T_BUFFER ? "b(" : "(", f);
		for (int i = 0; i < s->n; i++) {
			if (i)
				fputs(", ", f);
			put_shape(f, s->elem[i]);
		}
		fputc(')', f);
		return;
	}
	fprintf(f, "%s[", etype_name(s->type));
	for (int i = 0; i < s->rank; i++)
		if (s->dim[i] < 0)
			fputs(i ? ",?" : "?", f);
		else
			fprintf(f, "%s%s%" PRId64, i ? "," : "", s->dynamic && s->bounded[i] ? "<=" : "", s->dim[i]);
	fputc(']', f);
}

char *shape_text(arena *a, const shape *s)
{
	char *buf = NULL, *copy;
	size_t n = 0;
	FILE *f = open_memstream(&buf, &n);

	if (!f) {
		die_hook("out of memory");
		return arena_strdup(a, "");
	}
	put_shape(f, s);
	fclose(f);
	copy = arena_strdup(a, buf);
	free(buf);
	return copy;
}

shape *shape_array(arena *a, enum etype t, int rank, const int64_t *dim)
{
	shape *s = ARENA_NEW(a, shape);
	int64_t *d = ARENA_ARRAY(a, int64_t, rank);

	if (rank)
		memcpy(d, dim, sizeof *d * rank);
	s->type = t;
	s->rank = rank;
	s->dim = d;
	return s;
}

int shape_leaves(const shape *s)
{
	int n = 0, k;

	if (s->type != T_TUPLE)
		return 1;
	for (k = 0; k < s->n; k++)
		n += shape_leaves(s->elem[k]);
	return n;
}

const shape *shape_leaf(const shape *s, int k)
{
	int e, n;

	while (s->type == T_TUPLE) {
		for (e = 0; e < s->n && k >= (n = shape_leaves(s->elem[e])); e++)
			k -= n;
		s = s->elem[e];
	}
	return s;
}
