#include "table_text.h"

#include <stdbool.h>

enum { LISTED = 4, LOOKED_AT = 1 << 16 };	/* values that are listed; of a larger table no rule is sought */

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

/* Where the first row changes says what the shift would be. */
static bool shift_of(const double *v, int64_t columns, enum rule r, double one, int64_t *shift)
{
	int64_t j, first = -1, last = -1;

	for (j = 0; j < columns; j++)
		if (v[j] == one) {
			first = first < 0 ? j : first;
			last = j;
		}
	*shift = r == UP_TO ? last : first;
	return first >= 0;
}

static const char *said(arena *out, const int64_t *dim, enum rule r, int64_t shift, double one, double other)
{
	static const char *const sign[RULES] = { "<=", ">=", "=" };
	const char *by = !shift ? "" : arena_printf(out, " %c %lld", shift < 0 ? '-' : '+', (long long)(shift < 0 ? -shift : shift));

	return arena_printf(out, "a table [%lld,%lld] of %g where column %s row%s, else %g", (long long)dim[0], (long long)dim[1], one, sign[r], by, other);
}

static const char *by_rows(arena *out, const double *v, int64_t n, double one, double other)
{
	int64_t columns, shift;
	int r;

	for (columns = 2; columns <= n / 2; columns++)
		for (r = 0; n % columns == 0 && r < RULES; r++) {
			int64_t dim[2] = { n / columns, columns };

			if (shift_of(v, columns, (enum rule)r, one, &shift) && follows(v, n, columns, (enum rule)r, shift, one))
				return said(out, dim, (enum rule)r, shift, one, other);
		}
	return NULL;
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
