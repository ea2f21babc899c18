#include "core/table_text.h"

#include <stdbool.h>
#include <string.h>

enum { LISTED = 4, LOOKED_AT = 1 << 16, BLOCKS = 8 };	/* values that are listed; of a larger table no rule is sought; of blocks, devices say */

/* Where a value stands in row i: in the columns from i + from to i + to. */
struct band {
	int64_t from, to;
	bool has_from, has_to;
};

/* The two values that there are.  False: there are more, or one. */
static bool two_values(const double *v, int64_t n, double *one, double *other)
{
	int64_t k, at = -1;

	for (k = 0; k < n && at < 0; k++)
		if (v[k] != v[0])
			at = k;
	if (at < 0)
		return false;
	for (k = at; k < n; k++)
		if (v[k] != v[0] && v[k] != v[at])
			return false;
	*one = v[0];
	*other = v[at];
	return true;
}

static bool follows(const double *v, int64_t n, int64_t columns, const struct band *b, double one)
{
	int64_t k, at;

	for (k = 0; k < n; k++) {
		at = k % columns - k / columns;
		if ((v[k] == one) != ((!b->has_from || at >= b->from) && (!b->has_to || at <= b->to)))
			return false;
	}
	return true;
}

/* The bounds are where a row changes. */
static bool band_of(const double *v, int64_t n, int64_t columns, double one, struct band *b)
{
	int64_t k, j;

	*b = (struct band){ .has_from = false };
	for (k = 0; k < n && !(b->has_from && b->has_to); k++) {
		j = k % columns;
		if (v[k] != one)
			continue;
		if (!b->has_from && j > 0 && v[k - 1] != one)
			b->has_from = true, b->from = j - k / columns;
		if (!b->has_to && j + 1 < columns && v[k + 1] != one)
			b->has_to = true, b->to = j - k / columns;
	}
	return (b->has_from || b->has_to) && follows(v, n, columns, b, one);
}

static const char *row_text(arena *out, int64_t by)
{
	return !by ? "row" : arena_printf(out, "row %c %lld", by < 0 ? '-' : '+', (long long)(by < 0 ? -by : by));
}

static const char *band_text(arena *out, const struct band *b)
{
	if (!b->has_from)
		return arena_printf(out, "column <= %s", row_text(out, b->to));
	if (!b->has_to)
		return arena_printf(out, "column >= %s", row_text(out, b->from));
	if (b->from == b->to)
		return arena_printf(out, "column = %s", row_text(out, b->from));
	return arena_printf(out, "%s <= column <= %s", row_text(out, b->from), row_text(out, b->to));
}

/* Where a block holds `one`, NULL: by no such rule. */
static const char *block_text(arena *out, const double *v, int64_t n, int64_t columns, double one)
{
	struct band b;
	int64_t k;

	for (k = 1; k < n && v[k] == v[0]; k++)
		;
	if (k == n)
		return v[0] == one ? "everywhere" : "nowhere";
	return band_of(v, n, columns, one, &b) ? band_text(out, &b) : NULL;
}

/* A band in each of `blocks` tables of so many columns; blocks that are alike are said once. */
static const char *by_blocks(arena *out, const double *v, int64_t n, int blocks, int64_t columns, double one)
{
	const char *text = NULL, *next, *t = "";
	int b, from = 0;

	for (b = 0; b <= blocks; b++) {
		next = b < blocks ? block_text(out, v + b * n, n, columns, one) : "";
		if (!next)
			return NULL;
		if (!text || !strcmp(text, next)) {
			text = next;
			continue;
		}
		if (b == blocks && !from)
			return blocks > 1 ? arena_printf(out, "%s in every block", text) : text;
		t = b - from > 1 ? arena_printf(out, "%s%s%s (blocks %d..%d)", t, from ? ", " : "", text, from, b - 1)
				 : arena_printf(out, "%s%s%s (block %d)", t, from ? ", " : "", text, from);
		from = b;
		text = next;
	}
	return t;
}

static const char *with_shape(arena *out, const double *v, int64_t size, int blocks, int64_t columns, double one, double other)
{
	const char *t = by_blocks(out, v, size, blocks, columns, one);

	return !t ? NULL : arena_printf(out, "a table [%s%lld,%lld] of %g where %s, else %g", blocks > 1 ? arena_printf(out, "%d,", blocks) : "",
					(long long)(size / columns), (long long)columns, one, t, other);
}

/* The least number of blocks, then of columns, that a rule is found with; square ones before all others. */
static const char *by_rows(arena *out, const double *v, int64_t n, double one, double other)
{
	const char *t = NULL;
	int64_t columns, size;
	int blocks, square;

	for (square = 1; square >= 0; square--)
		for (blocks = 1; blocks <= BLOCKS && !t; blocks++)
			for (size = n / blocks, columns = 2; n % blocks == 0 && columns <= size / 2 && !t; columns++)
				if (size % columns == 0 && (size / columns == columns) == square) {
					t = with_shape(out, v, size, blocks, columns, one, other);
					t = t ? t : with_shape(out, v, size, blocks, columns, other, one);
				}
	return t;
}

/* Values that change once: the first k are one, the others another. */
static const char *by_change(arena *out, const double *v, int64_t n, double one, double other)
{
	int64_t k, j;

	for (k = 0; k < n && v[k] == one; k++)
		;
	for (j = k; j < n && v[j] == other; j++)
		;
	return j < n ? NULL : arena_printf(out, "a table of %lld values: %g in the first %lld, else %g", (long long)n, one, (long long)k, other);
}

static const char *listed(arena *out, const double *v, int64_t n)
{
	const char *t = "";
	int64_t k;

	for (k = 0; k < n; k++)
		t = arena_printf(out, "%s%s%g", t, k ? ", " : "", v[k]);
	return arena_printf(out, "the table (%s)", t);
}

const char *table_text(arena *out, const double *v, int64_t n)
{
	const char *t = NULL;
	double one, other;

	if (v && n <= LISTED)
		return listed(out, v, n);
	if (v && n <= LOOKED_AT && two_values(v, n, &one, &other)) {
		t = by_change(out, v, n, one, other);
		t = t ? t : by_rows(out, v, n, one, other);
	}
	return t ? t : arena_printf(out, "a table of %lld values", (long long)n);
}
