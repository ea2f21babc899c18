#include "proof/proof_read.h"

#include <stdlib.h>
#include <string.h>
#include "certify/certify.h"
#include "util/hash.h"

enum { MOST_DIGITS = 1 << 24 };

static uint64_t node_hash(eg_op op, uint32_t n, const eg_id *arg)
{
	return hash_bytes(arg, sizeof *arg * n, op);
}

static bool written_so(const egraph *g, eg_id x, eg_op op, uint32_t n, const eg_id *arg)
{
	return eg_node_op(g, x) == op && eg_narg(g, x) == n && (!n || !memcmp(eg_args(g, x), arg, sizeof *arg * n));
}

static void index_nodes(struct proof_reader *r)
{
	uint32_t n = eg_nnode(r->g), size = 64, i, s;

	while (size < 2 * n)
		size *= 2;
	r->slot = ARENA_ARRAY(r->tmp, uint32_t, size);
	memset(r->slot, 0xff, size * sizeof *r->slot);
	r->mask = size - 1;
	for (i = 0; i < n; i++) {
		for (s = (uint32_t)node_hash(eg_node_op(r->g, i), eg_narg(r->g, i), eg_args(r->g, i)) & r->mask; r->slot[s] != NIL; )
			s = (s + 1) & r->mask;
		r->slot[s] = i;
	}
}

static eg_id find_node(struct proof_reader *r, eg_op op, uint32_t n, const eg_id *arg)
{
	uint32_t s;

	for (s = (uint32_t)node_hash(op, n, arg) & r->mask; r->slot[s] != NIL; s = (s + 1) & r->mask)
		if (written_so(r->g, r->slot[s], op, n, arg))
			return r->slot[s];
	return eg_add(r->g, op, n, arg);
}

bool proof_read_node(struct proof_reader *r, eg_id *n)
{
	int64_t v;

	if (!words_int(&r->w, "a node", 0, (int64_t)r->node.n - 1, &v))
		return false;
	*n = VEC_AT(eg_id, &r->node, v);
	return true;
}

bool proof_at_number(const struct proof_reader *r)
{
	return !r->w.quoted && r->w.word[0] >= '0' && r->w.word[0] <= '9';
}

/* "* N" behind a value: how often it stands there. */
static bool read_times(struct proof_reader *r, uint32_t have, int64_t *n)
{
	*n = 1;
	return !words_are(&r->w, "*") || (words_next(&r->w) && words_int(&r->w, "how often", 1, MOST_DIGITS - (int64_t)have, n));
}

static bool read_list(struct proof_reader *r)
{
	int64_t v, n;

	r->word.n = 0;
	if (!words_expect(&r->w, "["))
		return false;
	while (!words_are(&r->w, "]")) {
		if (!words_int(&r->w, "a number or ]", INT64_MIN, INT64_MAX, &v) || !read_times(r, r->word.n, &n))
			return false;
		while (n-- > 0)
			*(int64_t *)vec_push(&r->word) = v;
	}
	return words_next(&r->w);
}

static bool read_doubles(struct proof_reader *r)
{
	double v;
	int64_t n;

	r->word.n = 0;
	if (!words_expect(&r->w, "["))
		return false;
	while (!words_are(&r->w, "]")) {
		if (!words_double(&r->w, "a number or ]", &v) || !read_times(r, r->word.n, &n))
			return false;
		while (n-- > 0)
			memcpy(vec_push(&r->word), &v, sizeof v);
	}
	return words_next(&r->w);
}

static bool read_rat(struct proof_reader *r, rat *v)
{
	char *stop;
	long long num = strtoll(r->w.word, &stop, 10), den = 1;

	if (*stop == '/')
		den = strtoll(stop + 1, &stop, 10);
	if (!r->w.n || r->w.quoted || *stop || den < 1 || !rat_make(v, num, den))
		return words_fail(&r->w, "a fraction is expected, not '%.40s'", r->w.word);
	return words_next(&r->w);
}

static bool read_rats(struct proof_reader *r)
{
	r->rat.n = 0;
	if (!words_expect(&r->w, "["))
		return false;
	while (!words_are(&r->w, "]"))
		if (!read_rat(r, vec_push(&r->rat)))
			return false;
	return words_next(&r->w);
}

static bool read_type(struct proof_reader *r, eg_val *v)
{
	int64_t t = words_are(&r->w, "real") ? TYPE_REAL : (int64_t)etype_named(r->w.word, r->w.n);

	if (t == T_COUNT && !words_are(&r->w, "real"))
		return words_fail(&r->w, "'%.40s' is no element type", r->w.word);
	*v = ints_type(r->a, (int)t);
	return words_next(&r->w);
}

static bool read_number(struct proof_reader *r, eg_val *v)
{
	number x = { { 0, 0 }, 0 };

	if (words_are(&r->w, "rational")) {
		if (!words_next(&r->w) || !read_rats(r))
			return false;
		if (r->rat.n != 1)
			return words_fail(&r->w, "one fraction is expected");
		x.r = VEC_AT(rat, &r->rat, 0);
	} else {
		if (!words_expect(&r->w, "double") || !read_doubles(r))
			return false;
		if (r->word.n != 1)
			return words_fail(&r->w, "one number is expected");
		memcpy(&x.f, r->word.base, sizeof x.f);
		if (x.f != x.f)		/* the one that all are */
			x.f = strtod("nan", NULL);
	}
	*v = eg_value(r->g, r->a->v_number, &x, sizeof x);
	return true;
}

static bool read_pairing(struct proof_reader *r, eg_val *v)
{
	struct words begin = r->w;
	int64_t *w, *at;
	int n, i;

	if (!read_list(r))
		return false;
	w = (int64_t *)r->word.base;
	at = ARENA_ARRAY(r->tmp, int64_t, r->word.n);
	n = certify_pairing_lists((int64_t)r->word.n, w, at, (int)r->word.n);
	if (n < 0)
		return words_fail(&begin, "a pairing is malformed");
	for (i = 0; i < n; i++) {
		if (w[at[i]] < 0 || w[at[i]] >= (int64_t)r->table.n)
			return words_fail(&begin, "there is no table %lld yet", (long long)w[at[i]]);
		w[at[i]] = VEC_AT(eg_val, &r->table, w[at[i]]);
	}
	*v = eg_value(r->g, r->a->v_pairing, w, sizeof *w * r->word.n);
	return true;
}

static bool read_int(struct proof_reader *r, eg_val *v)
{
	int64_t n;

	if (!words_int(&r->w, "a number", INT64_MIN, INT64_MAX, &n))
		return false;
	*v = val_int(r->a, n);
	return true;
}

static bool read_name(struct proof_reader *r, eg_val *v)
{
	if (!r->w.quoted)
		return words_fail(&r->w, "a name in quotes is expected, not '%.40s'", r->w.word);
	*v = val_name(r->a, r->w.word);
	return words_next(&r->w);
}

static bool read_value(struct proof_reader *r, eg_sort s, eg_val *v)
{
	const algebra *a = r->a;

	if (s == a->v_type)
		return read_type(r, v);
	if (s == a->v_int)
		return read_int(r, v);
	if (s == a->v_name)
		return read_name(r, v);
	if (s == a->v_number)
		return read_number(r, v);
	if (s == a->v_pairing)
		return read_pairing(r, v);
	if (s == a->v_rats) {
		if (!read_rats(r))
			return false;
		*v = eg_value(r->g, s, r->rat.base, sizeof(rat) * r->rat.n);
		return true;
	}
	if (!(s == a->v_table ? read_doubles(r) : read_list(r)))
		return false;
	*v = eg_value(r->g, s, r->word.base, 8 * (size_t)r->word.n);
	return true;
}

bool proof_read_table(struct proof_reader *r)
{
	if (!words_next(&r->w) || !words_int(&r->w, "the next table", r->table.n, r->table.n, &(int64_t){ 0 }) || !read_list(r))
		return false;
	*(eg_val *)vec_push(&r->table) = eg_value(r->g, r->a->v_ints, r->word.base, 8 * (size_t)r->word.n);
	return true;
}

static bool read_row(struct proof_reader *r, eg_id *n)
{
	const program *p;
	int64_t row;

	if (!words_next(&r->w))
		return false;
	if (!words_are(&r->w, "base") && !words_are(&r->w, "dist"))
		return words_fail(&r->w, "base or dist is expected, not '%.40s'", r->w.word);
	p = words_are(&r->w, "base") ? r->p->base : r->p->dist;
	if (!words_next(&r->w) || !words_int(&r->w, "an instruction's number", 0, p->nrow - 1, &row))
		return false;
	if (strcmp(p->row[row].path, r->w.word))
		return words_fail(&r->w, "value %d of %s is %%%.200s", (int)row, p == r->p->base ? "BASE" : "DIST", p->row[row].path);
	*n = p->row[row].tensor;
	return words_next(&r->w);
}

static bool read_fallback(struct proof_reader *r, eg_id *n)
{
	struct words begin = r->w;
	eg_id of;

	if (!words_next(&r->w) || !proof_read_node(r, &of))
		return false;
	*n = pair_fallback(r->p->q, of);
	return *n != NIL || words_fail(&begin, "a fallback of what is no instruction");
}

static bool read_plain_node(struct proof_reader *r, eg_id *n)
{
	struct words begin = r->w;
	eg_fam f = eg_family_named(r->g, r->w.word);
	const eg_signature *s = f == NIL ? NULL : eg_family(r->g, f);
	eg_val val[8];
	vec arg;
	uint32_t i;
	const char *why;
	bool ok = true;

	if (r->w.quoted || !s || s->fact || s->nval > 8)
		return words_fail(&r->w, "there is no family '%.60s'", r->w.word);
	if (!words_next(&r->w))
		return false;
	for (i = 0; i < s->nval; i++)
		if (!read_value(r, s->val[i], &val[i]))
			return false;
	if (!words_expect(&r->w, "("))
		return false;
	vec_init(&arg, sizeof(eg_id));
	while (ok && !words_are(&r->w, ")"))
		ok = proof_read_node(r, vec_push(&arg));
	why = ok ? certify_form(r->a, f, s->nval, val, arg.n, (const eg_id *)arg.base) : NULL;
	if (why)
		ok = words_fail(&begin, "%s", why);
	if (ok)
		*n = find_node(r, eg_operator(r->g, f, s->nval, val), arg.n, (const eg_id *)arg.base);
	vec_free(&arg);
	return ok && words_next(&r->w);
}

bool proof_read_node_line(struct proof_reader *r)
{
	eg_id n = NIL;
	bool ok;

	if (!words_next(&r->w) || !words_int(&r->w, "the next node", r->node.n, r->node.n, &(int64_t){ 0 }))
		return false;
	ok = words_are(&r->w, "row") ? read_row(r, &n) : words_are(&r->w, "fallback") ? read_fallback(r, &n) : read_plain_node(r, &n);
	if (ok)
		*(eg_id *)vec_push(&r->node) = n;
	return ok;
}

static bool read_opened(struct proof_reader *r)
{
	eg_id x, y;

	if (!words_are(&r->w, "opened"))
		return true;
	if (!words_next(&r->w))
		return false;
	while (proof_at_number(r)) {
		if (!proof_read_node(r, &x) || !proof_read_node(r, &y))
			return false;
		history_premise(r->a, x, y);
	}
	return true;
}

static bool read_built(struct proof_reader *r)
{
	made_node m = { .args = r->a->made_args.n };
	made_node *to;

	if (!words_next(&r->w) || !proof_read_node(r, &m.node) || !words_expect(&r->w, "["))
		return false;
	while (!words_are(&r->w, "]")) {
		eg_id arg;
		if (!proof_read_node(r, &arg))
			return false;
		*(eg_id *)vec_push(&r->a->made_args) = arg;
		m.narg++;
	}
	m.op = eg_node_op(r->g, m.node);
	if (m.narg != eg_narg(r->g, m.node))
		return words_fail(&r->w, "the built node has %u operands", eg_narg(r->g, m.node));
	to = vec_push(&r->a->made);
	*to = m;
	return words_next(&r->w);
}

bool proof_read_firing(struct proof_reader *r)
{
	history_begin(r->a);
	if (!read_opened(r))
		return false;
	while (words_are(&r->w, "built"))
		if (!read_built(r))
			return false;
	return true;
}

bool proof_read_ends(struct proof_reader *r, eg_id *x, eg_id *y)
{
	return proof_read_node(r, x) && proof_read_node(r, y);
}

void proof_reader_init(struct proof_reader *r, struct problem *p, arena *tmp)
{
	*r = (struct proof_reader){ .p = p, .tmp = tmp };
	vec_init(&r->node, sizeof(eg_id));
	vec_init(&r->table, sizeof(eg_val));
	vec_init(&r->word, sizeof(int64_t));
	vec_init(&r->rat, sizeof(rat));
}

void proof_reader_begin(struct proof_reader *r)
{
	r->a = &r->p->p->a;
	r->g = r->p->p->g;
	index_nodes(r);
}

void proof_reader_free(struct proof_reader *r)
{
	vec_free(&r->node);
	vec_free(&r->table);
	vec_free(&r->word);
	vec_free(&r->rat);
}
