#include "lift/lift.h"
#include "lower/lower_in.h"
#include "util/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TABLE_ENTRIES ((int64_t)1 << 18)

static int elided_number(lowering *w, const char *shape)
{
	int k;

	for (k = 0; k < w->nkinds; k++)
		if (!strcmp(w->elided[k], shape))
			return ++w->nelided[k];
	if (w->nkinds == w->elidedcap) {
		w->elidedcap = w->elidedcap ? 2 * w->elidedcap : 16;
		w->elided = realloc(w->elided, sizeof *w->elided * (size_t)w->elidedcap);
		w->nelided = realloc(w->nelided, sizeof *w->nelided * (size_t)w->elidedcap);
		if (!w->elided || !w->nelided) {
			die_hook("out of memory");
			return 0;
		}
	}
	w->elided[w->nkinds] = shape;
	w->nelided[w->nkinds] = 1;
	w->nkinds++;
	return 1;
}

static val *constant_atom(lowering *w, struct emit *e, const char *name)
{
	e->family = "constant-atom";
	e->name = name;
	return val_row(w, lower_emit(w, e));
}

static bool all_finite(const literal *l, int64_t n)
{
	int64_t k;

	for (k = 0; l->f && k < n; k++)
		if (!isfinite(l->f[k]))
			return false;
	return true;
}

/* What stands for a constant too large for a table: 128 bits of its words.  One word that differs always shows: every
 * step is one-to-one. */
static const char *digest(arena *a, const char *kind, const shape *s, const void *data, size_t words)
{
	uint64_t x = 0x243f6a8885a308d3ull, y = 0x13198a2e03707344ull, v;
	const char *p = data;
	size_t k;

	for (k = 0; k < words; k++) {
		memcpy(&v, p + 8 * k, 8);
		x = hash_word(x + v) + 0x9e3779b97f4a7c15ull;
		y = hash_word((y ^ v) * 0xff51afd7ed558ccdull) + 0xd1342543de82ef95ull;
	}
	return arena_printf(a, "%s %s %016llx%016llx", kind, shape_text(a, s), (unsigned long long)x, (unsigned long long)y);
}

static const char *digest_of(arena *a, const char *kind, const shape *s, const literal *l, int64_t words)
{
	return digest(a, all_finite(l, words) ? kind : "wild", s, l->i ? (const void *)l->i : l->f, (size_t)words);
}

/* Literals that stand for a number they only round to are taken for it: the user is told once of each.  Those of a table are
 * where all are reciprocals of whole numbers. */
static void note_readings(lowering *w, const inst *i, const double *f, int64_t n)
{
	arena *a = &w->p->a;
	const char *first = NULL, *text;
	int64_t k, read = 0;

	if (n > 1 && !literal_reciprocals(i->shape->type, n, f, ARENA_ARRAY(a, double, n)))
		return;
	for (k = 0; k < n; k++)
		if ((text = literal_reading(n > 1 ? NULL : &w->p->literals, a, i->shape->type, f[k]))) {
			first = first ? first : text;
			read++;
		}
	if (read == 1)
		lower_note(w, arena_printf(a, "the literal %s", first));
	else if (read)
		lower_note(w, arena_printf(a, "%lld of %lld literals of %%%s are read as fractions: %s ..", (long long)read, (long long)n, i->name, first));
}

val *lower_constant(lowering *w, const inst *i, val **arg, const char *prefix)
{
	struct emit e = emit_start(i, prefix, "constant");
	const literal *l = i->literal;
	arena *a = &w->p->a;
	int64_t n, k, *v;

	(void)arg;
	if (i->shape->type == T_TUPLE || !l) {
		int j = 0;
		e.family = "constant-tuple";
		e.attrs = lower_attributes(w, i).s;
		return i->shape->type == T_TUPLE ? emit_each(w, &e, i->shape, &j) : emit_plain(w, i, NULL, prefix, "a constant without a value");
	}
	if (l->elided) {
		const char *text = shape_text(a, i->shape);
		int num = elided_number(w, text);
		lower_note(w, arena_printf(a, "elided constant %%%s: the %d. of shape %s, taken to be the same in both programs and finite", i->name, num, text));
		return constant_atom(w, &e, arena_printf(a, "elided %s %d", text, num));
	}
	if (etype_kind(i->shape->type) == 'c')
		return constant_atom(w, &e, digest_of(a, "complex", i->shape, l, 2 * (l->splat ? 1 : l->count)));
	n = l->splat || i->shape->rank == 0 ? 1 : l->count;
	for (k = 1; k < n; k++)
		if (l->i ? l->i[k] != l->i[0] : memcmp(&l->f[k], &l->f[0], sizeof(double)) != 0)
			break;
	if (n > 1 && k == n)
		n = 1;
	if (n > TABLE_ENTRIES)
		return constant_atom(w, &e, digest_of(a, "dense", i->shape, l, n));
	if (l->f)
		note_readings(w, i, l->f, n);
	v = ARENA_ARRAY(a, int64_t, n);
	if (n)
		memcpy(v, l->i ? (const void *)l->i : l->f, 8 * (size_t)n);
	e.ints = v;
	e.nint = (int)n;
	if (n != 1)
		e.family = "constant-table";
	return val_row(w, lower_emit(w, &e));
}
