/* certify_form.c - whether an operator from elsewhere can be read at all.
 *
 * The rest of the checker, and the algebra, take the words of pairings, layouts
 * and views apart without looking for their ends; so does this, once, looking.
 */
#include <string.h>

#include "certify/certify_in.h"
#include "lift/instruction.h"

enum { MOST_LABELS = 4096, MOST_DIGITS = 64 };
#define MOST_PLACES ((int64_t)1 << 50)

static bool in(int64_t v, int64_t least, int64_t most)
{
	return v >= least && v <= most;
}

/* False when the product leaves the range. */
static bool times(int64_t *n, int64_t by)
{
	if (by < 0 || (by && *n > MOST_PLACES / by))
		return false;
	*n *= by;
	return true;
}

static const int64_t *words_of(const algebra *a, eg_val v, int64_t *n)
{
	size_t bytes;
	const int64_t *w = eg_value_bytes(a->g, v, &bytes);

	*n = bytes % sizeof *w ? -1 : (int64_t)(bytes / sizeof *w);
	return w;
}

static bool is_text(const algebra *a, eg_val v)
{
	size_t n;
	const char *s = eg_value_bytes(a->g, v, &n);

	return n && memchr(s, 0, n) == s + n - 1;
}

static bool is_type(const algebra *a, eg_val v)
{
	int64_t n;
	const int64_t *w = words_of(a, v, &n);

	return n == 1 && (*w == TYPE_REAL || (in(*w, 0, T_COUNT - 1) && (cv_int((int)*w) || cv_real((int)*w) ||
	       etype_kind((enum etype)*w) == 'c')));
}

/* ---- pairings */

struct walk {			/* of a pairing's words */
	const int64_t *w, *end;
	int64_t nfree, nbound, ndata, nslot, ndslot, tail;
	const int64_t *size;
	int64_t *list;		/* positions of value lists */
	int nlist, most;
	const algebra *a;	/* NULL: the lists are not looked at */
};

static bool walk_head(struct walk *p, int64_t n, const int64_t *w)
{
	int64_t k, nl, len = 1;

	if (n < 6)
		return false;
	p->w = w + 6;
	p->end = w + n;
	p->nfree = w[0];
	p->nbound = w[1];
	p->ndata = w[2];
	p->nslot = w[3];
	p->ndslot = w[4];
	p->tail = w[5];
	p->size = p->w;
	for (k = 0; k < 5; k++)
		if (!in(w[k], 0, MOST_LABELS))
			return false;
	nl = p->nfree + p->nbound + p->ndata;
	if (!in(p->tail, 1, MOST_PLACES) || p->end - p->w < nl + 3 * p->ndata || !times(&len, p->tail))
		return false;
	for (k = 0; k < nl; k++)
		if (!in(p->size[k], 0, MOST_PLACES) || (k < p->nfree && !times(&len, p->size[k])))
			return false;
	p->w += nl;
	for (k = 0; k < p->ndata; k++, p->w += 3)
		if (!in(p->w[0], 0, p->ndslot - 1) || !in(p->w[1], 1, MOST_PLACES) || !in(p->w[2], 1, MOST_PLACES))
			return false;
	return true;
}

/* A list has a value for every place of its labels. */
static bool list_fits(const struct walk *p, int64_t n, const int64_t *label, int64_t list)
{
	int64_t have, need = 1, k;

	if (!in(list, 0, (int64_t)eg_nvalue(p->a->g) - 1) || eg_value_sort(p->a->g, (eg_val)list) != p->a->v_ints)
		return false;
	words_of(p->a, (eg_val)list, &have);
	for (k = 0; k < n; k++)
		if (!times(&need, p->size[label[k]]))
			return false;
	return have >= need;
}

/* One table of an expression: how many labels, which ones, the list. */
static bool walk_table(struct walk *p, const int64_t *first)
{
	int64_t n, k;

	if (p->w >= p->end)
		return false;
	n = *p->w++;
	if (!in(n, 0, MOST_LABELS) || p->end - p->w < n + 1)
		return false;
	for (k = 0; k < n; k++)
		if (!in(*p->w++, 0, p->nfree + p->nbound + p->ndata - 1))
			return false;
	if (p->nlist < p->most)
		p->list[p->nlist] = p->w - first;
	p->nlist++;
	p->w++;
	return !p->a || list_fits(p, n, p->w - 1 - n, p->w[-1]);
}

static bool walk_expression(struct walk *p, const int64_t *first)
{
	int64_t nl = p->nfree + p->nbound + p->ndata, k, ntab;

	if (p->end - p->w < nl + 2)
		return false;
	p->w++;		/* an integer may begin anywhere: what it reads is asked when it is read */
	for (k = 0; k < nl; k++)
		if (!in(*p->w++, -MOST_PLACES, MOST_PLACES))
			return false;
	ntab = *p->w++;
	if (!in(ntab, 0, MOST_LABELS))
		return false;
	for (k = 0; k < ntab; k++)
		if (!walk_table(p, first))
			return false;
	return true;
}

static bool walk_pairing(struct walk *p, int64_t n, const int64_t *w)
{
	int64_t k;

	if (!walk_head(p, n, w))
		return false;
	for (k = 0; k < p->nslot + p->ndslot; k++)
		if (!walk_expression(p, w))
			return false;
	return p->w == p->end;
}

int certify_pairing_lists(int64_t n, const int64_t *w, int64_t *at, int most)
{
	struct walk p = { .list = at, .most = most };

	return walk_pairing(&p, n, w) ? p.nlist : -1;
}

static const char *pairing_form(const algebra *a, eg_val v, uint32_t narg, struct walk *p)
{
	int64_t n;
	const int64_t *w = words_of(a, v, &n);

	*p = (struct walk){ .a = a };
	if (n < 0 || !walk_pairing(p, n, w))
		return "a pairing is malformed";
	return p->nslot + p->ndslot == narg ? NULL : "a pairing is of another number of operands";
}

/* ---- digits */

/* How many places the digits have, or -1; *most: the farthest they reach. */
static int64_t digits_places(int64_t n, const int64_t *w, int64_t *most)
{
	int64_t k, len = 1;

	for (k = 0; k < n; k++) {
		int64_t size = w[2 * k], stride = w[2 * k + 1], reach;
		if (size < 1 || stride < 0 || !times(&len, size))
			return -1;
		reach = size - 1;
		if (!times(&reach, stride) || (*most += reach) > MOST_PLACES)
			return -1;
	}
	return len;
}

static bool core_length(const algebra *a, eg_id x, int64_t *len)
{
	if (core_kind(a, x) >= C_LAID)
		return false;
	*len = core_len(a, x);
	return true;
}

static const char *view_form(const algebra *a, eg_val v, eg_id x)
{
	int64_t n, most = 0, len;
	const int64_t *w = words_of(a, v, &n);

	if (n < 0 || n % 2 || n > 2 * MOST_DIGITS || digits_places(n / 2, w, &most) < 0)
		return "a view is malformed";
	return core_length(a, x, &len) && most < len ? NULL : "a view reads outside of its operand";
}

static const char *layout_form(const algebra *a, eg_val v, eg_id x)
{
	int64_t n, k, places = 1, most = 0, len;
	const int64_t *w = words_of(a, v, &n);

	if (n < 4 || !in(w[0], 1, 1 << 24) || !in(w[1], 0, MOST_DIGITS) || !in(w[2], 0, MOST_DIGITS) || !in(w[3], 0, MOST_DIGITS) ||
	    n != 4 + w[1] + 2 * (w[2] + w[3]))
		return "a layout is malformed";
	for (k = 0; k < w[1]; k++)
		if (!in(w[4 + k], 0, MOST_PLACES) || !times(&places, w[4 + k]))
			return "a layout is malformed";
	if (!core_length(a, x, &len))
		return "a layout of no core";
	if (!places)		/* nothing is read */
		return NULL;
	if (digits_places(w[2], w + 4 + w[1], &most) != w[0] || digits_places(w[3], w + 4 + w[1] + 2 * w[2], &most) != places)
		return "a layout does not cover its devices or places";
	return most < len ? NULL : "a layout reads outside of its core";
}

/* ---- nodes */

static const char *numbers_form(const algebra *a, enum core_kind k, eg_val v, int64_t nslot)
{
	int64_t n, i;
	const int64_t *w = words_of(a, v, &n);

	if (k == C_SUM) {
		if (n != 2 * nslot)
			return "a sum has not one coefficient per operand";
		for (i = 0; i < nslot; i++)
			if (w[2 * i + 1] < 1)
				return "a coefficient is no number";
		return NULL;
	}
	return n == nslot ? NULL : "a product has not one exponent per operand";
}

static const char *leaf_form(const algebra *a, enum core_kind k, const eg_val *v)
{
	int64_t n;
	const int64_t *w;
	size_t bytes;

	if (k == C_INDEX)
		return NULL;
	w = words_of(a, v[1], &n);
	eg_value_bytes(a->g, v[1], &bytes);
	switch (k) {
	case C_PARAM:
		return n == 1 && in(*w, 0, MOST_PLACES) && is_text(a, v[2]) ? NULL : "a parameter is malformed";
	case C_NUMBER:
		return bytes == sizeof(number) && w[1] >= 0 ? NULL : "a number is malformed";
	default:
		return n >= 1 ? NULL : "a table is malformed";
	}
}

static const char *paired_form(const algebra *a, enum core_kind k, const eg_val *v, uint32_t narg)
{
	struct walk p;
	const char *why = pairing_form(a, v[1], narg, &p);

	if (why)
		return why;
	if (k == C_SUM || k == C_MUL || k == C_EIN)
		return numbers_form(a, k, v[2], p.nslot);
	if (k == C_AT)
		return p.nslot == 1 ? NULL : "a reading of other than one operand";
	if (!is_text(a, v[2]))
		return "a name is malformed";
	return p.nslot < (k == C_PICK ? 2 : k == C_RED || k == C_LAT) ? "too few operands" : NULL;
}

const char *certify_form(const algebra *a, eg_fam f, uint32_t nval, const eg_val *val, uint32_t narg, const eg_id *arg)
{
	const eg_signature *s = eg_family(a->g, f);
	uint32_t i;
	int k;

	for (k = 0; k < C_TENSOR && a->fam[k] != f; k++)
		;
	if (k == C_TENSOR)
		return instruction_fault(a, f, nval, val, narg, arg);
	if (nval != s->nval || narg < s->narg || (s->rest == NIL && narg != s->narg))
		return "another number of attributes or operands";
	for (i = 0; i < nval; i++)
		if (eg_value_sort(a->g, val[i]) != s->val[i])
			return "an attribute of another sort";
	for (i = 0; i < narg; i++)
		if (core_kind(a, arg[i]) >= C_LAID)
			return "a tensor stands for a core";
	if (k == C_VIEW)
		return view_form(a, val[0], arg[0]);
	if (k == C_LAID)
		return layout_form(a, val[0], arg[0]);
	if (!is_type(a, val[0]))
		return "an element type is malformed";
	return k < C_AT ? leaf_form(a, (enum core_kind)k, val) : paired_form(a, (enum core_kind)k, val, narg);
}
