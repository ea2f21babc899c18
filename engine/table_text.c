#include "table_text.h"

#include <stdbool.h>
#include <string.h>

enum { LISTED = 4, LOOKED_AT = 1 << 16, BLOCKS = 8 };	/* values that are listed; of a larger table no rule is sought; of blocks, devices say */

/* How column j compares with row i + shift where a value stands. */
enum rule { UP_TO, FROM, ON, RULES };

static bool holds(enum rule r, int64_t j, int64_t i)
{
	return r == UP_TO ? j <= i : r == FROM ? j >= i : j == i;
}

/* Two values: in[k] says where the one stands that `one` is.  False: there are more, or one. */
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

static bool follows(const double *v, int64_t n, int64_t columns, enum rule r, int64_t shift, double one)
{
	int64_t k;

	for (k = 0; k < n; k++)
		if ((v[k] == one) != holds(r, k % columns, k / columns + shift))
			return false;
	return true;
}

/* Is place k the last (or first, or only) of its row that holds `one`? */
static bool at_edge(const double *v, int64_t k, int64_t columns, enum rule r, double one)
{
	int64_t j = k % columns;

	if (v[k] != one)
		return false;
	return r == UP_TO ? j + 1 < columns && v[k + 1] != one : r == FROM ? j > 0 && v[k - 1] != one : true;
}

/* By how much the rule is shifted, where a row changes. */
static bool shift_of(const double *v, int64_t n, int64_t columns, enum rule r, double one, int64_t *shift)
{
	int64_t k;

	for (k = 0; k < n && !at_edge(v, k, columns, r, one); k++)
		;
	if (k == n)
		return false;
	*shift = k % columns - k / columns;
	return follows(v, n, columns, r, *shift, one);
}

static const char *rule_text(arena *out, enum rule r, int64_t shift)
{
	static const char *const sign[RULES] = { "<=", ">=", "=" };
	const char *by = !shift ? "" : arena_printf(out, " %c %lld", shift < 0 ? '-' : '+', (long long)(shift < 0 ? -shift : shift));

	return arena_printf(out, "column %s row%s", sign[r], by);
}

/* Where a block holds `one`, NULL: by no such rule. */
static const char *block_text(arena *out, const double *v, int64_t n, int64_t columns, enum rule r, double one)
{
	int64_t k, shift;

	for (k = 1; k < n && v[k] == v[0]; k++)
		;
	if (k == n)
		return v[0] == one ? "everywhere" : "nowhere";
	return shift_of(v, n, columns, r, one, &shift) ? rule_text(out, r, shift) : NULL;
}

/* One rule in all of `blocks` tables of so many columns, each shifted in its own way; blocks that are alike are said once. */
static const char *by_blocks(arena *out, const double *v, int64_t n, int blocks, int64_t columns, enum rule r, double one)
{
	const char *text = NULL, *next, *t = "";
	int b, from = 0;

	for (b = 0; b <= blocks; b++) {
		next = b < blocks ? block_text(out, v + b * n, n, columns, r, one) : "";
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
	const char *t = NULL;
	int r;

	for (r = 0; r < RULES && !t; r++)
		t = by_blocks(out, v, size, blocks, columns, (enum rule)r, one);
	if (!t)
		return NULL;
	return arena_printf(out, "a table [%s%lld,%lld] of %g where %s, else %g", blocks > 1 ? arena_printf(out, "%d,", blocks) : "",
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
				if (size % columns == 0 && (size / columns == columns) == square)
					t = with_shape(out, v, size, blocks, columns, one, other);
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
