#include "certify/rule_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "certify/certify.h"
#include "certify/rule_instances.h"
#include "lift/instruction.h"
#include "pair/probe.h"
#include "prover/reading.h"

/* ---- nodes as text */

static void put(char *s, size_t n, const char *more)
{
	size_t at = strlen(s);

	if (at + 1 < n)
		snprintf(s + at, n - at, "%s", more);
}

static void put_place(const algebra *a, char *s, size_t n, const pair_expr *e, int nl)
{
	const int64_t *t = e->tab;
	char b[48];
	int k;

	(void)a;
	put(s, n, "[");
	snprintf(b, sizeof b, "%lld", (long long)e->base);
	put(s, n, b);
	for (k = 0; k < nl; k++)
		if (e->stride[k]) {
			snprintf(b, sizeof b, e->stride[k] == 1 ? " + %c" : " + %c*%lld", 'i' + k, (long long)e->stride[k]);
			put(s, n, b);
		}
	for (k = 0; k < e->ntab; t += t[0] + 2, k++)
		put(s, n, " + table");
	put(s, n, "]");
}

static void put_node(const algebra *a, eg_id x, int depth, char *s, size_t n)
{
	enum core_kind k = core_kind(a, x);
	pairing p;
	pair_expr e;
	const int64_t *at;
	char b[64];
	int i;

	put(s, n, k == C_MAP || k == C_RED || k == C_LAT || k == C_PICK || k == C_PARAM ? core_fn(a, x) : core_kind_name(k));
	if (k == C_NUMBER) {
		snprintf(b, sizeof b, " %g", number_double(core_number(a, x)));
		put(s, n, b);
	}
	if (k < C_AT || k > C_LOOP || depth == 0)
		return;
	p = pairing_read(a, x);
	put(s, n, "<");
	for (i = 0; i < p.nfree + p.nbound; i++) {
		snprintf(b, sizeof b, "%s%c:%lld", i == p.nfree ? " sum over " : i ? "," : "", 'i' + i, (long long)p.size[i]);
		put(s, n, b);
	}
	put(s, n, ">(");
	for (at = p.word, i = 0; i < p.nslot; i++) {
		rat c = core_coef(a, x, i);
		at = pairing_expr(&p, at, &e);
		if (i)
			put(s, n, ", ");
		if (c.num != 1 || c.den != 1) {
			snprintf(b, sizeof b, c.den == 1 ? "%lld: " : "%lld/%lld: ", (long long)c.num, (long long)c.den);
			put(s, n, b);
		}
		put_node(a, eg_args(a->g, x)[i], depth - 1, s, n);
		put_place(a, s, n, &e, p.nfree + p.nbound + p.ndata);
	}
	put(s, n, ")");
}

static const char *leaf_name(const rule_instance *x, eg_id n)
{
	int k;

	for (k = 0; x && k < x->nleaf; k++)
		if (x->leaf[k].node == n)
			return x->leaf[k].name;
	return NULL;
}

/* f32[2,3] */
static const char *form_text(const algebra *a, eg_id n, arena *text)
{
	tensor_form f;
	char s[200] = "";
	int k;

	if (!instruction_form(a, n, &f))
		return "";
	for (k = 0; k < f.rank; k++) {
		char b[24];
		snprintf(b, sizeof b, "%s%lld", k ? "," : "", (long long)f.dim[k]);
		put(s, sizeof s, b);
	}
	return arena_printf(text, "%s[%s]", etype_name((enum etype)f.type), s);
}

/* f32[2,3] cosine(f32[2,3] negate(x)), attributes behind the operands */
static void put_instruction(const algebra *a, eg_id n, const rule_instance *x, int depth, char *s, size_t len, arena *text)
{
	eg_op op = eg_node_op(a->g, n);
	uint32_t nval, k;
	const eg_val *v = eg_op_values(a->g, op, &nval);
	const int64_t *ints;
	size_t bytes, i;

	if (leaf_name(x, n)) {
		put(s, len, leaf_name(x, n));
		return;
	}
	if (core_kind(a, n) == C_LAID) {
		put(s, len, "a layout of ");
		put_node(a, eg_args(a->g, n)[0], depth, s, len);
		return;
	}
	put(s, len, form_text(a, n, text));
	put(s, len, " ");
	put(s, len, eg_family(a->g, eg_op_family(a->g, op))->name);
	put(s, len, "(");
	for (k = 0; k < eg_narg(a->g, n) && depth > 0; k++) {
		put(s, len, k ? ", " : "");
		put_instruction(a, eg_args(a->g, n)[k], x, depth - 1, s, len, text);
	}
	put(s, len, ")");
	ints = eg_value_bytes(a->g, v[2], &bytes);
	for (i = 0; i < bytes / sizeof *ints; i++)
		put(s, len, arena_printf(text, i ? ",%lld" : " {%lld", (long long)ints[i]));
	put(s, len, i ? "}" : "");
	v = eg_op_values(a->g, op, &nval);
	put(s, len, arena_printf(text, *(const char *)eg_value_bytes(a->g, v[3], &bytes) ? " %s" : "%s",
				 (const char *)eg_value_bytes(a->g, v[3], &bytes)));
}

static const char *node_text(const algebra *a, eg_id x, const rule_instance *in, arena *text)
{
	char s[2000] = "";

	if (core_kind(a, x) >= C_LAID)
		put_instruction(a, x, in, 5, s, sizeof s, text);
	else
		put_node(a, x, 4, s, sizeof s);
	return arena_strdup(text, s);
}

/* ---- values */

static const char *place_text(const algebra *a, eg_id n, int64_t dev, int64_t at, arena *text)
{
	tensor_form f;
	char s[200] = "";
	int64_t i[INSTRUCTION_RANK];
	int k;

	if (!instruction_form(a, n, &f))
		return arena_printf(text, "at place %lld: ", (long long)at);
	for (k = f.rank - 1; k >= 0; at /= f.dim[k--])
		i[k] = at % f.dim[k];
	for (k = 0; k < f.rank; k++)
		put(s, sizeof s, arena_printf(text, "%s%lld", k ? "," : " at [", (long long)i[k]));
	if (f.ndev == 1)
		return *s ? arena_printf(text, "%s]: ", s + 1) : "";
	return arena_printf(text, "on device %lld of %lld%s%s: ", (long long)dev, (long long)f.ndev, s, *s ? "]" : "");
}

/* x = f32[3]: 1 2 3; on the next device .. */
static const char *leaf_text(const algebra *a, const certify_leaf *l, const rule_instance *in, arena *text)
{
	const char *name = leaf_name(in, l->node);
	char s[1200] = "";
	tensor_form f;
	int64_t each = l->n;
	int k;

	if (instruction_form(a, l->node, &f))
		each = form_elements(&f);
	for (k = 0; k < l->shown; k++) {
		if (each < l->n && k % each == 0)
			put(s, sizeof s, arena_printf(text, "%s device %lld:", k ? ";" : "", (long long)(k / each)));
		put(s, sizeof s, arena_printf(text, " %s", l->value[k]));
	}
	put(s, sizeof s, l->shown < l->n ? " .." : "");
	return arena_printf(text, "%s = %s:%s", name ? name : node_text(a, l->node, in, text), form_text(a, l->node, text), s);
}

static void tell_values(const algebra *a, const hist_entry *f, const certify_limits *l, const rule_instance *in, struct rule_check *out,
			arena *text)
{
	certify_witness w;
	int k;

	out->where = NULL;
	out->ngiven = 0;
	if (!certify_refute(a, f, l, &w, text) || !w.left)
		return;
	out->where = arena_printf(text, "%sthe left side is %s, the right side is %s", place_text(a, f->node, w.dev, w.at, text), w.left, w.right);
	out->given = ARENA_ARRAY(text, const char *, w.nleaf);
	for (k = 0; k < w.nleaf; k++)
		out->given[out->ngiven++] = leaf_text(a, &w.leaf[k], in, text);
}

/* ---- the check */

static enum core_kind kind_of_rule(const prover *p, uint32_t rule)
{
	eg_fam f = rule_root_family(rules_at(p->r, rule));
	int k;

	for (k = 0; k < C_COUNT; k++)
		if (p->a.fam[k] == f)
			return (enum core_kind)k;
	return C_COUNT;
}

static int64_t size_of(const algebra *a, eg_id n)
{
	tensor_form f;

	return instruction_form(a, n, &f) ? form_elements(&f) * f.ndev : core_len(a, n);
}

/* The smaller of two counterexamples is told. */
static void tell(const algebra *a, const hist_entry *f, const char *why, const certify_limits *l, const rule_instance *in,
		 struct rule_check *out, arena *text)
{
	int64_t size = size_of(a, f->node);

	if (out->why && size >= out->size)
		return;
	out->why = arena_strdup(text, why);
	out->size = size;
	out->seed = l->seed;
	out->left = node_text(a, f->node, in, text);
	out->right = node_text(a, f->result, in, text);
	tell_values(a, f, l, in, out, text);
}

/* What fired of the rule since entry `from`; false: a counterexample. */
static bool compare(prover *p, uint32_t rule, uint32_t from, const struct rule_check_limits *l, const rule_instance *in,
		    struct rule_check *out, arena *text)
{
	certify_limits c = { .places = 12, .wild = true, .everywhere = in != NULL, .seed = l->seed + (uint64_t)out->cores }, near;
	uint32_t i, n = history_count(&p->a);
	enum certify_how how;
	bool right = true;
	arena s;

	arena_init(&s);
	for (i = from; i < n && right; i++) {
		const hist_entry *f = history_at(&p->a, i);
		const char *why;
		if (f->rule != rule)
			continue;
		near = c;
		why = certify_firing(&p->a, f, &c, &how, &s);
		if (why && reading_of(p, i, &s)) {	/* a constant is read as another one: an assumption, within rounding */
			near.rounding = READING_ROUNDING;
			near.wild = false;
			why = certify_firing(&p->a, f, &near, &how, &s);
		}
		right = !why;
		if (why)
			tell(&p->a, f, why, &near, in, out, text);
		else if (how == CERTIFY_OVER)
			out->over++;
		else
			out->firings++;
	}
	arena_free(&s);
	return right;
}

/* Every node of the rule's family among the new ones, as they stand. */
static void fire_here(prover *p, uint32_t rule, eg_id first, struct rule_check *out, arena *text)
{
	eg_fam f = rule_root_family(rules_at(p->r, rule));
	eg_id n, last = eg_nnode(p->g);
	const char *why;

	for (n = first; n < last; n++) {
		if (eg_dead(p->g, n) || eg_op_family(p->g, eg_node_op(p->g, n)) != f)
			continue;
		why = NULL;
		if (!prover_apply(p, rule, n, &why) && why)
			out->reason = arena_strdup(text, why);
	}
}

enum { SETTLE = 60, FEW = 10, DRAWS = 40, SMALLER = 200 };

static bool one_core(pair *q, uint32_t rule, const struct rule_check_limits *l, struct rule_check *out, arena *text)
{
	prover *pr = q->p;
	struct dice d = { .a = &pr->a, .s = l->seed + (uint64_t)out->cores * 0x2545f4914f6cdd1dull };
	enum core_kind kind = kind_of_rule(pr, rule);
	uint32_t from;
	probe p;
	bool ok = true;

	if (!probe_begin(&p, q))
		return false;
	from = history_count(&pr->a);
	if (rule_core(&d, out->cores % 2 ? kind : C_COUNT, out->cores % 4 == 3 || out->cores % 6 == 0 ? kind : C_COUNT) != NIL) {
		normal_made_origins(&pr->a);
		if (out->cores % 3 == 0)
			fire_here(pr, rule, p.first, out, text);
		prover_switch(pr, rule, true);
		prover_run(pr, SETTLE);
		if (out->cores % 3 == 1)
			fire_here(pr, rule, p.first, out, text);
		ok = compare(pr, rule, from, l, NULL, out, text);
	}
	probe_end(&p);
	return ok;
}

/* ---- rules about instructions */

static bool about_instructions(const prover *p, uint32_t rule)
{
	eg_fam f = rule_root_family(rules_at(p->r, rule));

	return f != NIL && eg_family(p->g, f)->result == p->a.tensor;
}

static void fire_instance(prover *p, uint32_t rule, const rule_instance *x, struct rule_check *out, arena *text)
{
	const char *why = NULL;

	if (rules_at(p->r, rule)->ruleset == p->set_lift) {
		prover_switch(p, rule, true);
		prover_run(p, SETTLE);
		why = prover_lift_reason(p, x->root);
	} else if (prover_apply(p, rule, x->root, &why)) {
		why = NULL;
	}
	if (why)
		out->reason = arena_strdup(text, why);
}

static bool one_instance(pair *q, uint32_t rule, const struct rule_check_limits *l, struct rule_check *out, arena *text)
{
	struct dice d = { .a = &q->p->a, .s = l->seed + (uint64_t)out->cores * 0x2545f4914f6cdd1dull };
	rule_instance x;
	uint32_t from;
	probe p;
	int k;
	bool made = false, right = true;

	if (!probe_begin(&p, q))
		return false;
	from = history_count(&q->p->a);
	for (k = 0; k < DRAWS && !made; k++) {
		made = rule_instance_make(q, rule, &d, &x);
		if (!made && x.never)
			break;
	}
	if (made) {
		fire_instance(q->p, rule, &x, out, text);
		right = compare(q->p, rule, from, l, &x, out, text);
	} else {
		out->reason = arena_strdup(text, x.why);
		out->never = x.never;
	}
	probe_end(&p);
	return right && !out->never;
}

/* After a counterexample a smaller one is looked for. */
static void try_instances(pair *q, uint32_t rule, const struct rule_check_limits *l, struct rule_check *out, arena *text)
{
	int last = 0;

	for (; !out->never && (out->why ? out->cores < last : out->cores < l->cores && (!l->firings || out->firings < l->firings)); out->cores++) {
		bool found = out->why != NULL;
		one_instance(q, rule, l, out, text);
		if (out->why && !found)
			last = out->cores + SMALLER;
		if (l->busy && l->busy(l->ctx)) {
			out->stopped = true;
			return;
		}
	}
}

/* ---- all */

static bool goes_on(const struct rule_check_limits *l, const struct rule_check *o)
{
	return o->cores < l->cores + (o->firings < FEW ? l->patience : 0) && (!l->firings || o->firings < l->firings);
}

static bool check_rule(pair *q, uint32_t rule, const struct rule_check_limits *l, struct rule_check *out, arena *text)
{
	*out = (struct rule_check){ .seed = l->seed };
	if (!normal_idle(&q->p->a))
		return false;
	if (rule_root_family(rules_at(q->p->r, rule)) == NIL || rules_at(q->p->r, rule)->ruleset == q->p->set_structure) {
		out->reason = "rules about forms of one class have no expression to be tried on";
		out->never = true;
		return true;
	}
	if (about_instructions(q->p, rule)) {
		try_instances(q, rule, l, out, text);
		return true;
	}
	for (; goes_on(l, out); out->cores++) {
		if (!one_core(q, rule, l, out, text))
			break;
		if (l->busy && l->busy(l->ctx)) {
			out->stopped = true;
			break;
		}
	}
	return true;
}

/* What is wrong is to be seen here. */
bool rule_check(pair *q, uint32_t rule, const struct rule_check_limits *l, struct rule_check *out, arena *text)
{
	prover_doubt *doubt = q->p->doubt;
	bool did;

	q->p->doubt = NULL;
	did = check_rule(q, rule, l, out, text);
	q->p->doubt = doubt;
	return did;
}
