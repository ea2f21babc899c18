/* certify_read.c - operators of cores and tensors as their words say, read without the code that wrote them. */
#include "certify/certify_core_in.h"


/* ---- reading operators */

enum certify_kind ck_kind(const world *w, eg_op op)
{
	static const struct { enum core_kind core; enum certify_kind kind; } t[] = {
		{ C_PARAM, K_PARAM }, { C_NUMBER, K_NUMBER }, { C_TABLE, K_TABLE }, { C_INDEX, K_INDEX }, { C_AT, K_AT },
		{ C_MAP, K_MAP }, { C_SUM, K_SUM }, { C_MUL, K_MUL }, { C_EIN, K_EIN }, { C_RED, K_RED }, { C_LAT, K_LAT },
		{ C_PICK, K_PICK }, { C_OPAQUE, K_OPAQUE }, { C_LOOP, K_LOOP }, { C_VIEW, K_VIEW }, { C_LAID, K_LAID },
	};
	eg_fam f = eg_op_family(w->g, op);
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++)
		if (w->a->fam[t[i].core] == f)
			return t[i].kind;
	return eg_family(w->g, f)->result == w->a->tensor ? K_TENSOR : K_OTHER;
}

const void *ck_value(const world *w, eg_op op, uint32_t k, size_t *n)
{
	uint32_t count;
	const eg_val *v = eg_op_values(w->g, op, &count);

	if (k >= count) {
		*n = 0;
		return NULL;
	}
	return eg_value_bytes(w->g, v[k], n);
}

const int64_t *ck_words(const world *w, eg_op op, uint32_t k, int64_t *n)
{
	size_t len;
	const int64_t *p = ck_value(w, op, k, &len);

	*n = (int64_t)(len / sizeof *p);
	return p;
}

const char *ck_text(const world *w, eg_op op, uint32_t k)
{
	size_t n;
	const char *s = ck_value(w, op, k, &n);

	return s ? s : "";
}

int ck_type(const world *w, eg_id n)
{
	enum certify_kind k = ck_kind(w, eg_node_op(w->g, n));
	int64_t len;

	while (k == K_VIEW || k == K_LAID) {
		n = eg_args(w->g, n)[0];
		k = ck_kind(w, eg_node_op(w->g, n));
	}
	return (int)*ck_words(w, eg_node_op(w->g, n), 0, &len);
}

int64_t ck_list_length(const digit *d, int64_t n)
{
	int64_t t = 1, i;

	for (i = 0; i < n; i++)
		t *= d[i].size;
	return t;
}

/* Offset of place `at` in a list of digits, most significant first. */
int64_t ck_list_offset(const digit *d, int64_t n, int64_t at)
{
	int64_t i, r = 0;

	for (i = n - 1; i >= 0; i--) {
		r += at % d[i].size * d[i].stride;
		at /= d[i].size;
	}
	return r;
}

bool ck_pairs(const world *w, eg_op op, struct pairs *p)
{
	int64_t n;
	const int64_t *x = ck_words(w, op, 1, &n);

	if (n < 6)
		return false;
	*p = (struct pairs){ x[0], x[1], x[2], x[3], x[4], x[5], x + 6, NULL, NULL, x + n };
	p->data = p->size + p->nfree + p->nbound + p->ndata;
	p->word = p->data + 3 * p->ndata;
	return p->nfree >= 0 && p->nbound >= 0 && p->ndata >= 0 && p->word <= p->end;
}

int64_t ck_len(const world *w, eg_id x)
{
	eg_op op = eg_node_op(w->g, x);
	struct pairs p;
	int64_t n, i, len;
	const int64_t *v;
	form f;

	switch (ck_kind(w, op)) {
	case K_PARAM: return *ck_words(w, op, 1, &n);
	case K_NUMBER: return 1;
	case K_TABLE: ck_words(w, op, 1, &n); return n;
	case K_INDEX: return INT64_MAX;
	case K_VIEW: v = ck_words(w, op, 0, &n); return ck_list_length((const digit *)v, n / 2);
	case K_LAID: case K_TENSOR: return ck_form(w, x, &f) ? f.elements * f.ndev : 0;
	default:
		if (!ck_pairs(w, op, &p))
			return 0;
		for (len = p.tail, i = 0; i < p.nfree; i++)
			len *= p.size[i];
		return len;
	}
}
