/* proof_check.c - a proof's file gone through: see proof_file.h. */
#include <stdlib.h>
#include <string.h>
#include "certify/certify.h"
#include "core/facts.h"
#include "problem/rule_files.h"
#include "proof/proof_file.h"
#include "prover/reading.h"
#include "text/input.h"
#include "text/words.h"
#include "util/hash.h"

enum { MOST_DIGITS = 1 << 24 };

struct told_fact {		/* a line `fact`: where its premises are in checker.opened */
	eg_id node;
	uint32_t prem, nprem;
};

struct checker {
	struct words w, at;		/* at: where the step begins that is checked */
	struct problem *p;
	algebra *a;
	egraph *g;
	arena tmp;			/* words, and what is built for the whole check */
	vec node, table;		/* eg_id, eg_val: by their numbers in the file */
	vec word, rat;			/* of the value that is read */
	vec fact, opened;		/* struct told_fact, premise */
	uint32_t *slot, mask;		/* nodes there were, by operator and operands as written */
	certifier *c;
	certify_replay *r;
	certificate out;
	bool *shown;			/* per goal */
	int nshown;
	vec granted, assumed;		/* const char *: sentences, of rules and of acts */
	vec open, unproved;		/* const char *: steps that numbers did not decide, and those that hold of finite numbers alone */
	vec reading;
	uint32_t rule, step;		/* of the step that is read */
	bool begun;
};

static bool step_fails(struct checker *k, const char *why)
{
	return words_fail(&k->at, "step %u does not hold: %s", k->step, why);
}

/* ---- nodes that are there: found as they were first written */

static uint64_t node_hash(eg_op op, uint32_t n, const eg_id *arg)
{
	return hash_bytes(arg, sizeof *arg * n, op);
}

static bool written_so(const egraph *g, eg_id x, eg_op op, uint32_t n, const eg_id *arg)
{
	return eg_node_op(g, x) == op && eg_narg(g, x) == n && (!n || !memcmp(eg_args(g, x), arg, sizeof *arg * n));
}

static void index_nodes(struct checker *k)
{
	uint32_t n = eg_nnode(k->g), size = 64, i, s;

	while (size < 2 * n)
		size *= 2;
	k->slot = ARENA_ARRAY(&k->tmp, uint32_t, size);
	memset(k->slot, 0xff, size * sizeof *k->slot);
	k->mask = size - 1;
	for (i = 0; i < n; i++) {
		for (s = (uint32_t)node_hash(eg_node_op(k->g, i), eg_narg(k->g, i), eg_args(k->g, i)) & k->mask; k->slot[s] != NIL; )
			s = (s + 1) & k->mask;
		k->slot[s] = i;
	}
}

static eg_id find_node(struct checker *k, eg_op op, uint32_t n, const eg_id *arg)
{
	uint32_t s;

	for (s = (uint32_t)node_hash(op, n, arg) & k->mask; k->slot[s] != NIL; s = (s + 1) & k->mask)
		if (written_so(k->g, k->slot[s], op, n, arg))
			return k->slot[s];
	return eg_add(k->g, op, n, arg);
}

/* ---- numbers and lists */

static bool read_node(struct checker *k, eg_id *n)
{
	int64_t v;

	if (!words_int(&k->w, "a node", 0, (int64_t)k->node.n - 1, &v))
		return false;
	*n = VEC_AT(eg_id, &k->node, v);
	return true;
}

static bool is_number(const struct checker *k)
{
	return !k->w.quoted && k->w.word[0] >= '0' && k->w.word[0] <= '9';
}

/* "* N" behind a value: how often it stands there. */
static bool read_times(struct checker *k, uint32_t have, int64_t *n)
{
	*n = 1;
	return !words_are(&k->w, "*") || (words_next(&k->w) && words_int(&k->w, "how often", 1, MOST_DIGITS - (int64_t)have, n));
}

static bool read_list(struct checker *k)
{
	int64_t v, n;

	k->word.n = 0;
	if (!words_expect(&k->w, "["))
		return false;
	while (!words_are(&k->w, "]")) {
		if (!words_int(&k->w, "a number or ]", INT64_MIN, INT64_MAX, &v) || !read_times(k, k->word.n, &n))
			return false;
		while (n-- > 0)
			*(int64_t *)vec_push(&k->word) = v;
	}
	return words_next(&k->w);
}

static bool read_doubles(struct checker *k)
{
	double v;
	int64_t n;

	k->word.n = 0;
	if (!words_expect(&k->w, "["))
		return false;
	while (!words_are(&k->w, "]")) {
		if (!words_double(&k->w, "a number or ]", &v) || !read_times(k, k->word.n, &n))
			return false;
		while (n-- > 0)
			memcpy(vec_push(&k->word), &v, sizeof v);
	}
	return words_next(&k->w);
}

static bool read_rat(struct checker *k, rat *r)
{
	char *stop;
	long long num = strtoll(k->w.word, &stop, 10), den = 1;

	if (*stop == '/')
		den = strtoll(stop + 1, &stop, 10);
	if (!k->w.n || k->w.quoted || *stop || den < 1 || !rat_make(r, num, den))
		return words_fail(&k->w, "a fraction is expected, not '%.40s'", k->w.word);
	return words_next(&k->w);
}

static bool read_rats(struct checker *k)
{
	k->rat.n = 0;
	if (!words_expect(&k->w, "["))
		return false;
	while (!words_are(&k->w, "]"))
		if (!read_rat(k, vec_push(&k->rat)))
			return false;
	return words_next(&k->w);
}

/* ---- attribute values */

static bool read_type(struct checker *k, eg_val *v)
{
	int64_t t = words_are(&k->w, "real") ? TYPE_REAL : (int64_t)etype_named(k->w.word, k->w.n);

	if (t == T_COUNT && !words_are(&k->w, "real"))
		return words_fail(&k->w, "'%.40s' is no element type", k->w.word);
	*v = ints_type(k->a, (int)t);
	return words_next(&k->w);
}

static bool read_number(struct checker *k, eg_val *v)
{
	number x = { { 0, 0 }, 0 };

	if (words_are(&k->w, "rational")) {
		if (!words_next(&k->w) || !read_rats(k))
			return false;
		if (k->rat.n != 1)
			return words_fail(&k->w, "one fraction is expected");
		x.r = VEC_AT(rat, &k->rat, 0);
	} else {
		if (!words_expect(&k->w, "double") || !read_doubles(k))
			return false;
		if (k->word.n != 1)
			return words_fail(&k->w, "one number is expected");
		memcpy(&x.f, k->word.base, sizeof x.f);
		if (x.f != x.f)		/* the one that all are */
			x.f = strtod("nan", NULL);
	}
	*v = eg_value(k->g, k->a->v_number, &x, sizeof x);
	return true;
}

static bool read_pairing(struct checker *k, eg_val *v)
{
	struct words begin = k->w;
	int64_t *w, *at;
	int n, i;

	if (!read_list(k))
		return false;
	w = (int64_t *)k->word.base;
	at = ARENA_ARRAY(&k->tmp, int64_t, k->word.n);
	n = certify_pairing_lists((int64_t)k->word.n, w, at, (int)k->word.n);
	if (n < 0)
		return words_fail(&begin, "a pairing is malformed");
	for (i = 0; i < n; i++) {
		if (w[at[i]] < 0 || w[at[i]] >= (int64_t)k->table.n)
			return words_fail(&begin, "there is no table %lld yet", (long long)w[at[i]]);
		w[at[i]] = VEC_AT(eg_val, &k->table, w[at[i]]);
	}
	*v = eg_value(k->g, k->a->v_pairing, w, sizeof *w * k->word.n);
	return true;
}

static bool read_int(struct checker *k, eg_val *v)
{
	int64_t n;

	if (!words_int(&k->w, "a number", INT64_MIN, INT64_MAX, &n))
		return false;
	*v = val_int(k->a, n);
	return true;
}

static bool read_name(struct checker *k, eg_val *v)
{
	if (!k->w.quoted)
		return words_fail(&k->w, "a name in quotes is expected, not '%.40s'", k->w.word);
	*v = val_name(k->a, k->w.word);
	return words_next(&k->w);
}

static bool read_value(struct checker *k, eg_sort s, eg_val *v)
{
	const algebra *a = k->a;

	if (s == a->v_type)
		return read_type(k, v);
	if (s == a->v_int)
		return read_int(k, v);
	if (s == a->v_name)
		return read_name(k, v);
	if (s == a->v_number)
		return read_number(k, v);
	if (s == a->v_pairing)
		return read_pairing(k, v);
	if (s == a->v_rats) {
		if (!read_rats(k))
			return false;
		*v = eg_value(k->g, s, k->rat.base, sizeof(rat) * k->rat.n);
		return true;
	}
	if (!(s == a->v_table ? read_doubles(k) : read_list(k)))
		return false;
	*v = eg_value(k->g, s, k->word.base, 8 * (size_t)k->word.n);
	return true;
}

/* ---- nodes */

static bool read_table(struct checker *k)
{
	if (!words_next(&k->w) || !words_int(&k->w, "the next table", k->table.n, k->table.n, &(int64_t){ 0 }) || !read_list(k))
		return false;
	*(eg_val *)vec_push(&k->table) = eg_value(k->g, k->a->v_ints, k->word.base, 8 * (size_t)k->word.n);
	return true;
}

static bool read_row(struct checker *k, eg_id *n)
{
	const program *p;
	int64_t row;

	if (!words_next(&k->w))
		return false;
	if (!words_are(&k->w, "base") && !words_are(&k->w, "dist"))
		return words_fail(&k->w, "base or dist is expected, not '%.40s'", k->w.word);
	p = words_are(&k->w, "base") ? k->p->base : k->p->dist;
	if (!words_next(&k->w) || !words_int(&k->w, "an instruction's number", 0, p->nrow - 1, &row))
		return false;
	if (strcmp(p->row[row].path, k->w.word))
		return words_fail(&k->w, "value %d of %s is %%%.200s", (int)row, p == k->p->base ? "BASE" : "DIST", p->row[row].path);
	*n = p->row[row].tensor;
	return words_next(&k->w);
}

static bool read_fallback(struct checker *k, eg_id *n)
{
	struct words begin = k->w;
	eg_id of;

	if (!words_next(&k->w) || !read_node(k, &of))
		return false;
	*n = pair_fallback(k->p->q, of);
	return *n != NIL || words_fail(&begin, "a fallback of what is no instruction");
}

static bool read_plain_node(struct checker *k, eg_id *n)
{
	struct words begin = k->w;
	eg_fam f = eg_family_named(k->g, k->w.word);
	const eg_signature *s = f == NIL ? NULL : eg_family(k->g, f);
	eg_val val[8];
	vec arg;
	uint32_t i;
	const char *why;
	bool ok = true;

	if (k->w.quoted || !s || s->fact || s->nval > 8)
		return words_fail(&k->w, "there is no family '%.60s'", k->w.word);
	if (!words_next(&k->w))
		return false;
	for (i = 0; i < s->nval; i++)
		if (!read_value(k, s->val[i], &val[i]))
			return false;
	if (!words_expect(&k->w, "("))
		return false;
	vec_init(&arg, sizeof(eg_id));
	while (ok && !words_are(&k->w, ")"))
		ok = read_node(k, vec_push(&arg));
	why = ok ? certify_form(k->a, f, s->nval, val, arg.n, (const eg_id *)arg.base) : NULL;
	if (why)
		ok = words_fail(&begin, "%s", why);
	if (ok)
		*n = find_node(k, eg_operator(k->g, f, s->nval, val), arg.n, (const eg_id *)arg.base);
	vec_free(&arg);
	return ok && words_next(&k->w);
}

static bool read_node_line(struct checker *k)
{
	eg_id n = NIL;
	bool ok;

	if (!words_next(&k->w) || !words_int(&k->w, "the next node", k->node.n, k->node.n, &(int64_t){ 0 }))
		return false;
	ok = words_are(&k->w, "row") ? read_row(k, &n) : words_are(&k->w, "fallback") ? read_fallback(k, &n) : read_plain_node(k, &n);
	if (ok)
		*(eg_id *)vec_push(&k->node) = n;
	return ok;
}

/* ---- firings */

static bool read_opened(struct checker *k)
{
	eg_id x, y;

	if (!words_are(&k->w, "opened"))
		return true;
	if (!words_next(&k->w))
		return false;
	while (is_number(k)) {
		if (!read_node(k, &x) || !read_node(k, &y))
			return false;
		history_premise(k->a, x, y);
	}
	return true;
}

static bool read_built(struct checker *k)
{
	made_node m = { .args = k->a->made_args.n };
	made_node *to;

	if (!words_next(&k->w) || !read_node(k, &m.node) || !words_expect(&k->w, "["))
		return false;
	while (!words_are(&k->w, "]")) {
		eg_id arg;
		if (!read_node(k, &arg))
			return false;
		*(eg_id *)vec_push(&k->a->made_args) = arg;
		m.narg++;
	}
	m.op = eg_node_op(k->g, m.node);
	if (m.narg != eg_narg(k->g, m.node))
		return words_fail(&k->w, "the built node has %u operands", eg_narg(k->g, m.node));
	to = vec_push(&k->a->made);
	*to = m;
	return words_next(&k->w);
}

static bool read_firing(struct checker *k)
{
	history_begin(k->a);
	if (!read_opened(k))
		return false;
	while (words_are(&k->w, "built"))
		if (!read_built(k))
			return false;
	return true;
}

static bool read_ends(struct checker *k, eg_id *x, eg_id *y)
{
	return read_node(k, x) && read_node(k, y);
}

/* What is shown by now is what facts may be learned from. */
static void unite(struct checker *k, eg_id x, eg_id y, enum eg_why why, uint32_t firing)
{
	eg_set_firing(k->g, firing);
	eg_union(k->g, x, y, why, firing);
}

/* ---- steps */

/* A step that is counted among those of which not all was shown is named. */
static void name_step(struct checker *k, vec *to, uint32_t count, uint32_t rule)
{
	if (count > to->n)
		*(const char **)vec_push(to) = arena_printf(&k->tmp, "%u (%s)", k->step, rule < RULE_GIVEN ? prover_rule_name(k->p->p, rule) : "fallback");
}

static bool tell(struct checker *k, uint32_t rule, eg_id x, eg_id y)
{
	eg_edge e = { x, y, EG_RULE, history_log(k->a, rule, x, y) };
	const char *why = certify_tell(k->r, &e), *reading;

	if (why)
		return step_fails(k, why);
	name_step(k, &k->open, k->out.trusted, rule);
	name_step(k, &k->unproved, k->out.finite, rule);
	reading = rule < RULE_GIVEN && k->out.readings > k->reading.n ? reading_of(k->p->p, e.firing, &k->tmp) : NULL;
	if (k->out.readings > k->reading.n)
		*(const char **)vec_push(&k->reading) = reading ? reading : "a constant is read as another";
	if (rule < RULE_GIVEN)
		prover_follow(k->p->p, rule, x, y, e.firing);
	else
		unite(k, x, y, EG_RULE, e.firing);
	return true;
}

/* Does the rule work on nodes of this kind at all?  Those of structure are about a class. */
static bool suits(const struct checker *k, uint32_t rule, eg_id n)
{
	const prover *p = k->p->p;

	return rules_at(p->r, rule)->ruleset == p->set_structure || rule_root_family(rules_at(k->p->p->r, rule)) == eg_op_family(k->g, eg_node_op(k->g, n));
}

/* ---- facts: tried when a step asks for more than is known */

static bool may_open(struct checker *k, const premise *p, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (core_kind(k->a, p[i].y) == C_VIEW || eg_root(k->g, p[i].x) != eg_root(k->g, p[i].y) || !certify_shown(k->r, p[i].x, p[i].y))
			return false;
	return true;
}

/* What the file's facts and the loops show by now; is there anything new? */
static bool learn(void *ctx)
{
	struct checker *k = ctx;
	bool any = pair_loop_learn(k->p->q);
	uint32_t i;

	for (i = 0; i < k->fact.n; i++) {
		const struct told_fact *f = &VEC_AT(struct told_fact, &k->fact, i);
		const premise *p = VEC(premise, &k->opened) + f->prem;
		if (may_open(k, p, f->nprem))
			any = facts_show_again(k->a, f->node, f->nprem, p) || any;
	}
	return any;
}

static bool read_fact(struct checker *k)
{
	struct told_fact f = { NIL, k->opened.n, 0 };
	struct words begin;
	premise p;

	if (!words_next(&k->w))
		return false;
	begin = k->w;
	if (!read_node(k, &f.node) || !words_expect(&k->w, "opened"))
		return false;
	for (; is_number(k); f.nprem++) {
		if (!read_node(k, &p.x) || !read_node(k, &p.y))
			return false;
		if (core_kind(k->a, p.x) >= C_LAID || core_kind(k->a, p.y) >= C_LAID)
			return words_fail(&begin, "a fact is read from cores");
		*(premise *)vec_push(&k->opened) = p;
	}
	if (core_kind(k->a, f.node) >= C_LAID)
		return words_fail(&begin, "a fact is of a core");
	*(struct told_fact *)vec_push(&k->fact) = f;
	return true;
}

/* An induction is over values that stay finite where that was taken for granted: NULL, or of which it is not shown. */
static const char *loops_stay_finite(struct checker *k, eg_id n)
{
	const pair *q = k->p->q;
	uint32_t forms = eg_narg(k->g, n);
	const vec *now = &k->a->normal->log.now;
	enum program_side side;
	int row, base, dist;

	if (!pair_row_of(q, n, &side, &row) || side != SIDE_DIST || q->dist->row[row].role != ROW_AFTER)
		return "an induction without its loops";
	dist = q->dist->row[row].loop;
	if (now->n <= forms || !pair_row_of(q, VEC_AT(premise, now, forms).x, &side, &row) || side != SIDE_BASE ||
	    q->base->row[row].role != ROW_AFTER)
		return "an induction without its loops";
	base = q->base->row[row].loop;
	while (learn(k))
		;
	return pair_loop_infinite(k->p->q, base, dist);
}

static bool is_loop(const struct checker *k, eg_id n)
{
	return !strcmp(eg_family(k->g, eg_op_family(k->g, eg_node_op(k->g, n)))->name, "loop-result");
}

/* What a step takes for granted, once. */
static void grant(struct checker *k, const char *text)
{
	uint32_t i;

	for (i = 0; text && i < k->granted.n && strcmp(VEC_AT(const char *, &k->granted, i), text); i++)
		;
	if (text && i == k->granted.n)
		*(const char **)vec_push(&k->granted) = text;
}

static bool check_rule(struct checker *k)
{
	uint32_t rule;
	const char *why;
	eg_id x, y;

	if (!words_next(&k->w))
		return false;
	rule = prover_rule_named(k->p->p, k->w.word);
	if (rule == NIL)
		return words_fail(&k->w, "there is no rule '%.60s': --rules names the folder that has it", k->w.word);
	if (!words_next(&k->w) || !read_ends(k, &x, &y) || !read_firing(k))
		return false;
	if (!suits(k, rule, x))
		return step_fails(k, "the rule is not for nodes of this kind");
	grant(k, rule_files_granted(&k->tmp, k->p->files.rules, rules_at(k->p->p->r, rule)));
	grant(k, rule_assumes(rules_at(k->p->p->r, rule), &k->tmp));
	why = is_loop(k, x) ? loops_stay_finite(k, x) : NULL;
	return why ? step_fails(k, why) : tell(k, rule, x, y);
}

static bool check_fallback(struct checker *k)
{
	eg_id x, y;

	if (!words_next(&k->w) || !read_ends(k, &x, &y) || !read_firing(k))
		return false;
	if (pair_fallback(k->p->q, x) != y)
		return step_fails(k, "it does not stand as this");
	return tell(k, RULE_FALLBACK, x, y);
}

static bool check_congruence(struct checker *k)
{
	eg_edge e = { .kind = EG_CONGRUENCE, .firing = NIL };
	const char *why;

	if (!words_next(&k->w) || !read_ends(k, &e.a, &e.b))
		return false;
	why = certify_tell(k->r, &e);
	return !why || step_fails(k, why);
}

static bool given_by_plan(const struct checker *k, eg_id x, eg_id y)
{
	uint32_t i;

	for (i = 0; i < history_count(k->a); i++) {
		const hist_entry *f = history_at(k->a, i);
		if (f->rule == RULE_GIVEN && f->node == x && f->result == y)
			return true;
	}
	return false;
}

/* A parameter that holds an inner value is given once a form of that is known: what the step opened.  Of a partial one
 * two unions are given, the first one of the baseline's form: every parameter of this inner value is. */
static const char *give_late(struct checker *k, eg_id x, eg_id y)
{
	const pair *q = k->p->q;
	const premise *p = (const premise *)k->a->normal->log.now.base;
	eg_id form = k->a->normal->log.now.n ? p[0].y : NIL;
	const char *why = NULL;
	int i;

	if (form == NIL || core_kind(k->a, form) != C_LAID)
		return NULL;
	for (i = 0; i < k->p->dist->nrow && !given_by_plan(k, x, y); i++) {
		int param = k->p->dist->row[i].param, from = param < 0 ? -1 : q->in[param].base_row;
		if (from >= 0 && certify_shown(k->r, k->p->base->row[from].tensor, form))
			why = pair_give_late(k->p->q, i, form);
	}
	return given_by_plan(k, x, y) ? NULL : why;
}

static bool check_given(struct checker *k)
{
	eg_edge e = { .kind = EG_GIVEN, .firing = NIL };
	const char *why = NULL;

	if (!words_next(&k->w) || !read_ends(k, &e.a, &e.b) || !read_firing(k))
		return false;
	if (!given_by_plan(k, e.a, e.b))
		why = give_late(k, e.a, e.b);
	if (why)
		return step_fails(k, why);
	if (!given_by_plan(k, e.a, e.b))
		return step_fails(k, "the plan does not say so");
	certify_grant(k->r, &e);
	return true;
}

/* ---- hypotheses */

static bool read_assumed_row(struct checker *k, program *p, int *row)
{
	*row = program_named(p, k->w.word);
	if (*row < 0)
		return words_fail(&k->w, "%s has no instruction %%%.200s", p == k->p->base ? "BASE" : "DIST", k->w.word);
	return words_next(&k->w);
}

/* The plan's own are listed already. */
static void list_assumed(struct checker *k, int base, int dist, const char *chain)
{
	const char *text = arena_printf(&k->tmp, "%%%s = base %%%s %s", k->p->dist->row[dist].path, k->p->base->row[base].path, chain);
	int i;

	for (i = 0; i < k->p->nhypothesis; i++)
		if (strstr(k->p->hypothesis[i], text))
			return;
	*(const char **)vec_push(&k->assumed) = text;
}

/* What is assumed is built again from the forms the step opened. */
static const char *same_assumption(struct checker *k, const eg_edge *e, int base, int dist, const chain *c)
{
	uint32_t n = k->a->normal->log.now.n;
	const premise *p = (const premise *)k->a->normal->log.now.base;
	eg_id bcell = n ? p[0].y : NIL, dcell = n > 1 ? p[1].y : NIL, node[2] = { NIL, NIL };
	const char *why;

	if (bcell == NIL || core_kind(k->a, bcell) != C_LAID || !certify_shown(k->r, k->p->base->row[base].tensor, bcell))
		return "the baseline's value was not shown to have this form";
	if (dcell != NIL && (core_kind(k->a, dcell) != C_LAID || !certify_shown(k->r, k->p->dist->row[dist].tensor, dcell)))
		return "the instruction was not shown to have this form";
	why = pair_assumed_on(k->p->q, base, dist, c, bcell, dcell, node);
	if (why)
		return why;
	return certify_shown(k->r, node[0], e->a) && certify_shown(k->r, node[1], e->b) ? NULL : "this is not what is assumed";
}

static bool check_assumed(struct checker *k)
{
	eg_edge e = { .kind = EG_ASSUMED, .firing = NIL };
	const char *why = NULL, *text = NULL;
	int base, dist;
	arena tmp;
	chain c;

	if (!words_next(&k->w) || !read_ends(k, &e.a, &e.b) || !read_assumed_row(k, k->p->base, &base) ||
	    !read_assumed_row(k, k->p->dist, &dist) || !words_text(&k->w, "a chain", &text) || !read_firing(k))
		return false;
	arena_init(&tmp);
	if (problem_read_chain(k->p, &tmp, text, &c, &why))
		why = same_assumption(k, &e, base, dist, &c);
	arena_free(&tmp);
	if (why)
		return step_fails(k, why);
	list_assumed(k, base, dist, text);
	certify_grant(k->r, &e);
	unite(k, e.a, e.b, EG_ASSUMED, history_log(k->a, RULE_ASSUMED, e.a, e.b));
	return true;
}

/* ---- goals */

static const char *goal_holds(struct checker *k, goal *g, eg_id bcell, eg_id dcell)
{
	const char *why;
	uint32_t i;

	if (!g->compared || g->base_row < 0)
		return "the plan does not compare this";
	if (g->within)
		return "a proof in a file does not show what a loop keeps, which a value of its trips rests on";
	if (core_kind(k->a, bcell) != C_LAID || !certify_shown(k->r, k->p->base->row[g->base_row].tensor, bcell))
		return "the baseline's value was not shown to have this form";
	if (core_kind(k->a, dcell) != C_LAID || !certify_shown(k->r, k->p->dist->row[g->dist_row].tensor, dcell))
		return "the output was not shown to have this form";
	if ((why = pair_goal_on(k->p->q, g, bcell, dcell)))
		return why;
	for (i = 0; i < k->a->made.n; i++) {
		const made_node *m = &VEC_AT(made_node, &k->a->made, i);
		why = certify_built(k->r, m->node, m->narg, (const eg_id *)k->a->made_args.base + m->args);
		if (why)
			return why;
	}
	return certify_shown(k->r, g->have, g->want) ? NULL : "the output was not shown to be what the plan says";
}

static bool check_goal(struct checker *k)
{
	const pair *q = k->p->q;
	int64_t i;
	eg_id bcell, dcell;
	const char *why;

	if (!words_next(&k->w) || !words_int(&k->w, "a goal", 0, q->ngoal - 1, &i))
		return false;
	if (strcmp(k->w.word, k->p->dist->row[q->goal[i].dist_row].path))
		return words_fail(&k->w, "goal %d is of %%%s", (int)i, k->p->dist->row[q->goal[i].dist_row].path);
	if (!words_next(&k->w) || !read_ends(k, &bcell, &dcell))
		return false;
	why = goal_holds(k, &q->goal[i], bcell, dcell);
	if (why)
		return words_fail(&k->at, "goal %d does not follow: %s", (int)i, why);
	k->nshown += !k->shown[i];
	k->shown[i] = true;
	return true;
}

/* ---- lines */

/* `range INPUT N`, `positive INPUT` and `nonzero INPUT`: what the proof takes for granted of inputs of the baseline. */
static bool supposes(struct checker *k)
{
	return words_are(&k->w, "range") || words_are(&k->w, "positive") || words_are(&k->w, "nonzero");
}

static bool read_supposition(struct checker *k, struct supposition *s)
{
	bool range = words_are(&k->w, "range"), positive = words_are(&k->w, "positive");
	int64_t i;

	if (!words_next(&k->w) || !words_int(&k->w, "an input of the baseline", 0, k->p->base->nparam - 1, &i))
		return false;
	if (range)
		return words_int(&k->w, "a length", 1, INT64_MAX, &s[i].n);
	s[i].positive = s[i].positive || positive;
	s[i].nonzero = true;
	return true;
}

static bool read_head(struct checker *k, struct diag *err)
{
	const char *name;
	struct supposition *s = arena_zalloc(&k->tmp, sizeof *s * (size_t)(k->p->base->nparam + 1));
	bool any = false;

	if (!words_begin(&k->w, "proof"))
		return false;
	if (!words_are(&k->w, "1"))
		return words_fail(&k->w, "version 1 is expected, not '%.40s'", k->w.word);
	if (!words_next(&k->w) || !words_expect(&k->w, "base") || !words_text(&k->w, "the file of BASE", &name) ||
	    !words_expect(&k->w, "dist") || !words_text(&k->w, "the file of DIST", &name))
		return false;
	for (; supposes(k); any = true)
		if (!read_supposition(k, s))
			return false;
	return !any || problem_suppose(k->p, s, err);
}

/* The random functions are the file's own: nothing in it can be made to fit them.  What is read next is hashed, up to the
 * file's own hash: where the programs lie changes nothing. */
static uint64_t seed_of(const struct checker *k, const struct input *in)
{
	size_t at = (size_t)(k->w.at - k->w.n - in->data), own = sizeof "0123456789abcdef";

	return hash_bytes(in->data + at, at + own < in->n ? in->n - own - at : 0, 2);
}

/* Programs, plan and ranges are known: what is checked can be built. */
static void begin(struct checker *k, uint64_t seed)
{
	k->a = &k->p->p->a;
	k->g = k->p->p->g;
	pair_take_rows(k->p->q);
	index_nodes(k);
	k->c = certifier_new(k->p->p, &(certify_limits){ .wild = true, .everywhere = true, .facts = true, .seed = seed });	/* nobody vouches for the rules' conditions */
	k->r = certify_replay_new(k->c, &k->out, &k->tmp);
	certify_replay_learn(k->r, learn, k);
	k->shown = arena_zalloc(&k->tmp, (size_t)k->p->q->ngoal + 1);
	k->begun = true;
}

static bool read_line(struct checker *k)
{
	static const struct { const char *word; bool step; bool (*fn)(struct checker *k); } line[] = {
		{ "table", false, read_table }, { "node", false, read_node_line }, { "rule", true, check_rule },
		{ "congruence", true, check_congruence }, { "given", true, check_given }, { "fallback", true, check_fallback },
		{ "assume", true, check_assumed }, { "fact", false, read_fact }, { "goal", false, check_goal },
	};
	size_t i;

	for (i = 0; i < sizeof line / sizeof *line; i++)
		if (words_are(&k->w, line[i].word)) {
			k->at = k->w;
			k->step += line[i].step;
			return line[i].fn(k);
		}
	return words_fail(&k->w, words_end(&k->w) ? "`end` is expected" : "a step is expected, not '%.60s'", k->w.word);
}

/* The hash is last: where a step can tell what is wrong, it does. */
static bool read_end(struct checker *k, const char *text)
{
	char want[20];
	size_t n = (size_t)(k->w.at - k->w.n - text);

	snprintf(want, sizeof want, "%016llx", (unsigned long long)hash_bytes(text, n, 1));
	if (!words_next(&k->w))
		return false;
	if (strcmp(k->w.word, want))
		return words_fail(&k->w, "the file was changed since it was written");
	if (!words_next(&k->w))
		return false;
	return words_end(&k->w) || words_fail(&k->w, "behind the end: '%.60s'", k->w.word);
}

static bool read_all(struct checker *k, const char *file, const struct input *in, struct diag *err)
{
	if (!words_open(&k->w, &k->tmp, file, in->data, in->n, err) || !read_head(k, err))
		return false;
	begin(k, seed_of(k, in));
	while (!words_are(&k->w, "end"))
		if (!read_line(k))
			return false;
	return read_end(k, in->data);
}

/* ---- what came out */

static const char *goal_words(const struct checker *k, int i)
{
	if (k->shown[i])
		return k->out.trusted + k->out.finite ? "the proof holds but for what is said below" : "the proof holds";
	return k->p->q->goal[i].within ? "of the trips of a loop a file holds no proof" : "the file has no proof of it";
}

static void say_goals(const struct checker *k, struct page *out)
{
	const pair *q = k->p->q;
	int i;

	for (i = 0; i < q->ngoal; i++) {
		const goal *g = &q->goal[i];
		if (!g->compared)
			continue;
		page_add(out, k->shown[i] ? PG_VERIFIED : PG_DIM, g->out < 0 ? "%%%s" : "output %%%s", k->p->dist->row[g->dist_row].path);
		page_more(out, PG_NORMAL, ": %s", goal_words(k, i));
	}
}

static void say_list(struct page *out, const char *what, int n, const char *const *text)
{
	int i;

	for (i = 0; i < n; i++)
		page_add(out, PG_NORMAL, "%s  %s", what, text[i]);
}

/* "step 12 (N13)", "steps 12 (N13), 13 (N13) and 4 more". */
static const char *steps_named(struct checker *k, const vec *v)
{
	enum { MOST = 4 };
	const char *const *text = (const char *const *)v->base, *out = arena_printf(&k->tmp, "step%s %s", v->n > 1 ? "s" : "", text[0]);
	uint32_t i;

	for (i = 1; i < v->n && i < MOST; i++)
		out = arena_printf(&k->tmp, "%s, %s", out, text[i]);
	return v->n > MOST ? arena_printf(&k->tmp, "%s and %u more", out, v->n - MOST) : out;
}

static int compared(const pair *q)
{
	int i, n = 0;

	for (i = 0; i < q->ngoal; i++)
		n += q->goal[i].compared;
	return n;
}

static enum proof_outcome say_outcome(struct checker *k, struct page *out)
{
	const struct problem *p = k->p;
	const certificate *c = &k->out;

	say_goals(k, out);
	page_add(out, PG_NORMAL, "%u steps: %u by numbers (%u within rounding), %u congruences, %u given, %u assumed", c->steps,
		 c->numbers + c->soft + c->merges + c->readings + c->finite, c->soft, c->congruence, c->given, c->assumed);
	if (c->fallback)
		page_more(out, PG_NORMAL, ", %u without a rule", c->fallback);
	if (c->again)
		page_more(out, PG_NORMAL, ", %u too large for numbers where the rule gives the same again", c->again);
	if (c->trusted)
		page_add(out, PG_WARNING, "not decided by numbers (too large, or right within rounding alone), and the rule gives something else here: %s", steps_named(k, &k->open));
	if (c->finite)
		page_add(out, PG_WARNING, "right where what is read is finite and not zero, which the file does not show: %s", steps_named(k, &k->unproved));
	say_list(out, "assumption", p->nassumption, p->assumption);
	say_list(out, "assumption", (int)k->granted.n, (const char *const *)k->granted.base);
	say_list(out, "reading   ", (int)k->reading.n, (const char *const *)k->reading.base);
	say_list(out, "hypothesis", p->nhypothesis, p->hypothesis);
	say_list(out, "hypothesis", (int)k->assumed.n, (const char *const *)k->assumed.base);
	if (k->nshown < compared(p->q) || !k->nshown)
		return PROOF_PARTLY;
	return c->trusted + c->finite ? PROOF_TOO_LARGE : p->nhypothesis + k->assumed.n ? PROOF_UNDER : PROOF_HOLDS;
}

enum proof_outcome proof_file_check(struct problem *p, const char *file, struct page *out, struct diag *err)
{
	struct checker k = { .p = p };
	enum proof_outcome r = PROOF_BAD;
	struct input in;

	if (!input_read(&in, file, err))
		return PROOF_BAD;
	arena_init(&k.tmp);
	vec_init(&k.node, sizeof(eg_id));
	vec_init(&k.table, sizeof(eg_val));
	vec_init(&k.word, sizeof(int64_t));
	vec_init(&k.rat, sizeof(rat));
	vec_init(&k.fact, sizeof(struct told_fact));
	vec_init(&k.opened, sizeof(premise));
	vec_init(&k.granted, sizeof(char *));
	vec_init(&k.assumed, sizeof(char *));
	vec_init(&k.open, sizeof(char *));
	vec_init(&k.unproved, sizeof(char *));
	vec_init(&k.reading, sizeof(char *));
	if (read_all(&k, file, &in, err))
		r = say_outcome(&k, out);
	certify_replay_free(k.r);
	certifier_free(k.c);
	vec_free(&k.node);
	vec_free(&k.table);
	vec_free(&k.word);
	vec_free(&k.rat);
	vec_free(&k.fact);
	vec_free(&k.opened);
	vec_free(&k.granted);
	vec_free(&k.assumed);
	vec_free(&k.open);
	vec_free(&k.unproved);
	vec_free(&k.reading);
	arena_free(&k.tmp);
	input_free(&in);
	return r;
}
