#include "rule_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "certify.h"
#include "probe.h"
#include "reading.h"
#include "rule_cores.h"

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

static const char *node_text(const algebra *a, eg_id x, arena *text)
{
	char s[2000] = "";

	put_node(a, x, 4, s, sizeof s);
	return arena_strdup(text, s);
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

/* What fired of the rule since entry `from`; false: a counterexample. */
static bool compare(prover *p, uint32_t rule, uint32_t from, const struct rule_check_limits *l, struct rule_check *out, arena *text)
{
	certify_limits c = { .places = 12, .wild = true, .seed = l->seed + (uint64_t)out->cores };
	uint32_t i, n = history_count(&p->a);
	enum certify_how how;
	arena s;

	arena_init(&s);
	for (i = from; i < n && !out->why; i++) {
		const hist_entry *f = history_at(&p->a, i);
		const char *why;
		if (f->rule != rule)
			continue;
		why = certify_firing(&p->a, f, &c, &how, &s);
		if (why && reading_of(p, i, &s)) {	/* a constant is read as another one: an assumption, within rounding */
			certify_limits near = c;
			near.rounding = 0x1p-18;
			near.wild = false;
			why = certify_firing(&p->a, f, &near, &how, &s);
		}
		if (!why && how == CERTIFY_OVER) {
			out->over++;
		} else if (!why) {
			out->firings++;
		} else {
			out->why = arena_strdup(text, why);
			out->left = node_text(&p->a, f->node, text);
			out->right = node_text(&p->a, f->result, text);
		}
	}
	arena_free(&s);
	return !out->why;
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

enum { SETTLE = 60, FEW = 10 };

static bool one_core(pair *q, uint32_t rule, const struct rule_check_limits *l, struct rule_check *out, arena *text)
{
	prover *pr = q->p;
	struct dice d = { &pr->a, l->seed + (uint64_t)out->cores * 0x2545f4914f6cdd1dull };
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
		ok = compare(pr, rule, from, l, out, text);
	}
	probe_end(&p);
	return ok;
}

static bool goes_on(const struct rule_check_limits *l, const struct rule_check *o)
{
	return o->cores < l->cores + (o->firings < FEW ? l->patience : 0) && (!l->firings || o->firings < l->firings);
}

bool rule_check(pair *q, uint32_t rule, const struct rule_check_limits *l, struct rule_check *out, arena *text)
{
	*out = (struct rule_check){ .seed = l->seed };
	if (!normal_idle(&q->p->a))
		return false;
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
