#include "prover/prover.h"

#include <stdlib.h>
#include <string.h>
#include "lift/instruction.h"
#include "rule/rule_in.h"
#include "util/hash.h"

enum { STEP_WORK = 1 << 26 };	/* bytes of scratch memory one look at a node may take */

struct family_rules {
	uint32_t n, *rule;
};

/* How a rule is called: straight to a primitive, or through the matcher. */
struct direct {
	prim_fn *prim;
	lift_fn *lift;
	const char *arg;
	const struct host_prim *host;
	uint32_t sr;		/* of structure rules, else NIL */
};

static struct direct *direct_of(const prover *p, uint32_t rule)
{
	return &VEC_AT(struct direct, &p->direct, rule);
}

void prover_replace(prover *p, uint32_t rule, prim_fn *prim)
{
	direct_of(p, rule)->prim = prim;
}

/* ---- primitives as host functions */

struct host_prim {
	prover *p;
	prim_fn *prim;
	lift_fn *lift;
	const char *about;	/* the nodes it is about, by their names; NULL: any */
};

/* NULL, or why the primitive has nothing to say of nodes of that family. */
static const char *no_subject(const prover *p, const struct host_prim *h, eg_fam f, arena *out)
{
	const char *name = eg_family(p->g, f)->name, *at = h->about;
	size_t n = strlen(name);

	for (; at && (at = strstr(at, name)); at += n)
		if ((at == h->about || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
			return NULL;
	return h->about ? arena_printf(out, "about a node (%s ..): the primitive is about %s", name, h->about) : NULL;
}

static eg_id call_lift(algebra *a, lift_fn *fn, eg_id n, const char *arg)
{
	lift l;

	if (!lift_begin(&l, a, n))
		return NIL;
	l.arg = arg ? arg : "";
	return fn(&l);
}

/* A String value has no final zero. */
static const char *text_of(const prover *p, arena *out, eg_val v)
{
	size_t n;
	const char *s = eg_value_bytes(p->g, v, &n);

	return arena_printf(out, "%.*s", (int)n, s);
}

static bool host_prim_call(host_call *c)
{
	struct host_prim *h = c->ctx;
	algebra *a = &h->p->a;
	const char *arg = c->nin > 1 ? text_of(h->p, &a->s.a, c->in[1].id) : NULL;
	jmp_buf out;

	memcpy(&out, &a->s.out, sizeof out);
	a->s.reason = no_subject(h->p, h, eg_op_family(a->g, eg_node_op(a->g, c->in[0].id)), &a->s.a);
	c->out[0].id = NIL;
	if (!a->s.reason && !setjmp(a->s.out))	/* a refusal by `stuck` lands here */
		c->out[0].id = h->prim ? h->prim(a, c->in[0].id) : call_lift(a, h->lift, c->in[0].id, arg);
	memcpy(&a->s.out, &out, sizeof out);
	if (c->out[0].id == NIL)
		c->reason = a->s.reason ? a->s.reason : "nothing to do here";
	return c->out[0].id != NIL;
}

/* The name in C is that of the rule files with _ for -. */
static void register_prim(prover *p, const char *c_name, const char *about, const char *sig, prim_fn *prim, lift_fn *lift)
{
	char *name = arena_strdup(&p->names, c_name), *c;
	struct host_prim *h = ARENA_NEW(&p->names, struct host_prim);
	host_fn f = { name, sig, host_prim_call, h, HOST_PRIM };

	for (c = name; *c; c++)
		if (*c == '_')
			*c = '-';
	*h = (struct host_prim){ p, prim, lift, about };
	rules_host(p->r, &f);
}

static bool structure_call(host_call *c)
{
	c->reason = "this rule is run when forms or views of a class change";
	return false;
}

static const char *const structure_prims[] = {
#define X(n, s) s,
	STRUCTURE_RULES(X)
#undef X
};

static void register_all(prover *p)
{
	size_t i;

#define X(name, about) register_prim(p, #name, about, "Core! -> Core", prim_##name, NULL);
	NORMAL_PRIMS(X)
#undef X
#define X(name, about) register_prim(p, "lift_" #name, about, "Tensor! -> Tensor", NULL, lift_##name);
	LIFT_PRIMS(X)
#undef X
#define X(name, about) register_prim(p, "lift_" #name, about, "Tensor! String -> Tensor", NULL, lift_##name);
	LIFT_PRIMS(X)
#undef X
	for (i = 0; i < SR_COUNT; i++) {
		host_fn f = { structure_prims[i], i < SR_LAID_MERGE ? "Core! -> Core" : "Tensor! -> Tensor", structure_call,
			      (void *)&structure_prims[i], HOST_PRIM };
		rules_host(p->r, &f);
	}
}

prover *prover_new(void)
{
	prover *p = calloc(1, sizeof *p);

	if (!p) {
		die_hook("out of memory");
		return NULL;
	}
	arena_init(&p->names);
	p->g = eg_new();
	algebra_init(&p->a, p->g);
	p->r = rules_new(p->g);
	p->m = matcher_new(p->r);
	p->vouched = UINT32_MAX;
	vec_init_few(&p->direct, sizeof(struct direct));
	vec_init_few(&p->by_family, sizeof(struct family_rules));
	vec_init_few(&p->on, sizeof(uint32_t));
	vec_init_few(&p->text, sizeof(const char *));
	vec_init(&p->tried, sizeof(uint64_t));
	vec_init(&p->reason, sizeof(uint32_t));
	eg_column(p->g, &p->tried, NULL);
	eg_column(p->g, &p->reason, NULL);
	*(const char **)vec_push(&p->text) = NULL;
	register_all(p);
	return p;
}

void prover_free(prover *p)
{
	if (!p)
		return;
	matcher_free(p->m);
	rules_free(p->r);
	algebra_free(&p->a);
	eg_free(p->g);
	vec_free(&p->direct);
	vec_free(&p->by_family);
	vec_free(&p->on);
	vec_free(&p->tried);
	vec_free(&p->reason);
	vec_free(&p->text);
	arena_free(&p->names);
	free(p);
}

const char *prover_read(prover *p, const char *file, const char *text, size_t n)
{
	return rules_read(p->r, file, text, n);
}

/* ---- planning */

/* One table atom, one primitive on its node, one union of the two: no matching is needed. */
static void find_direct(prover *p, const rule *r, struct direct *d)
{
	const pattern *q = r->pattern;
	const atom *t = NULL, *h = NULL;
	uint32_t i, k;

	*d = (struct direct){ .sr = NIL };
	for (i = 0; i < q->natom; i++)
		if (q->atom[i].kind == ATOM_TABLE && !t)
			t = &q->atom[i];
		else if (q->atom[i].kind == ATOM_HOST && !h)
			h = &q->atom[i];
		else
			return;
	if (!t || !h || q->nact != 1 || q->act[0].kind != ACT_UNION)
		return;
	for (k = 0; k < t->nval; k++)
		if (t->val[k].kind != OPERAND_VAR)
			return;
	if (h->nval < 1 || h->val[0].kind != OPERAND_VAR || (h->nval > 1 && h->val[1].kind != OPERAND_VALUE))
		return;
	if (h->host->fn.fn == structure_call) {
		d->sr = (uint32_t)((const char *const *)h->host->fn.ctx - structure_prims);
	} else if (h->host->fn.fn == host_prim_call) {
		d->host = h->host->fn.ctx;
		d->prim = d->host->prim;
		d->lift = d->host->lift;
	}
	if (h->nval > 1)
		d->arg = text_of(p, &p->names, h->val[1].id);
}

static void family_add(prover *p, eg_fam f, uint32_t rule)
{
	struct family_rules *l;

	if (p->by_family.n <= f)
		vec_push_n(&p->by_family, f + 1 - p->by_family.n);
	l = &VEC_AT(struct family_rules, &p->by_family, f);
	if (!(l->n & (l->n - 1))) {	/* full: twice the room */
		uint32_t *more = ARENA_ARRAY(&p->names, uint32_t, l->n ? 2 * l->n : 1);
		memcpy(more, l->rule ? l->rule : more, l->n * sizeof *more);
		l->rule = more;
	}
	l->rule[l->n++] = rule;
}

/* The rules whose root is of family f, file order. */
static struct family_rules family_rules(const prover *p, eg_fam f)
{
	return f < p->by_family.n ? VEC_AT(struct family_rules, &p->by_family, f) : (struct family_rules){ 0, NULL };
}

static const char *wrong_rule(prover *p, const rule *r, const char *why)
{
	const char *set = rules_set_name(p->r, r->ruleset);

	return arena_printf(&p->names, "%s:%u:%u: a rule of %s%s %s", r->file, r->line, r->col, *set ? "ruleset " : "no ruleset", set, why);
}

/* A rule that has nothing to match, or does nothing, was not meant. */
static const char *check_whole(prover *p, const rule *r)
{
	const char *why = !r->pattern->natom ? "no facts: it begins with one that matches a node, (= s (CONSTRUCTOR ..))"
			: !r->pattern->nact  ? "no actions: it would do nothing; (union s ..) says what s is equal to"
					     : NULL;

	return why ? arena_printf(&p->names, "%s:%u:%u: this rule has %s", r->file, r->line, r->col, why) : NULL;
}

static bool one_union(const pattern *q)
{
	uint32_t i, n = 0;

	for (i = 0; i < q->nact; i++) {
		if (q->act[i].kind != ACT_BUILD && q->act[i].kind != ACT_UNION)
			return false;
		n += q->act[i].kind == ACT_UNION;
	}
	return n == 1;
}

/* The node that is looked at is what the union makes equal: of another one nothing is kept. */
static bool unites_root(const pattern *q)
{
	const operand *root = q->code[0].start == NIL ? NULL : &q->atom[q->code[0].start].out;
	const act *u = &q->act[0];

	while (u->kind != ACT_UNION)
		u++;
	return !root || (root->kind == OPERAND_VAR && ((u->arg[0].kind == OPERAND_VAR && u->arg[0].id == root->id) ||
						       (u->arg[1].kind == OPERAND_VAR && u->arg[1].id == root->id)));
}

bool prover_runs(const prover *p, uint32_t ruleset)
{
	return ruleset == p->set_lift || ruleset == p->set_structure || ruleset == p->set_normalize || ruleset == p->set_search;
}

/* What would never fire is said when the rules are read. */
static const char *check_rule(prover *p, const rule *r, const struct direct *d, eg_fam f)
{
	bool lifts = r->ruleset == p->set_lift, structure = r->ruleset == p->set_structure, runs = prover_runs(p, r->ruleset);
	const char *why;

	if (d->sr != NIL)
		return NULL;
	if (structure)
		return wrong_rule(p, r, "relates the views or forms of one class by a primitive: view-forward, view-merge, symmetric, laid-merge, laid-forward, laid-symmetry");
	if (f == NIL)
		return wrong_rule(p, r, "starts at a node: its first fact is (= s (CONSTRUCTOR ..))");
	if (runs && eg_family(p->g, f)->result != (lifts ? p->a.tensor : p->a.core))
		return wrong_rule(p, r, lifts ? "starts at an instruction, a node of sort Tensor" : "starts at a node of sort Core; one without a ruleset, which `apply` fires, may start at an instruction");
	if (!one_union(r->pattern))
		return wrong_rule(p, r, "has one action that is no constructor: (union ..)");
	if (!unites_root(r->pattern))
		return wrong_rule(p, r, "says what the node of its first fact is equal to: with (= s (CONSTRUCTOR ..)) first, the union is one of s");
	if (d->host && (why = no_subject(p, d->host, f, &p->names)))
		return wrong_rule(p, r, arena_printf(&p->names, "asks a primitive %s", why));
	return NULL;
}

const char *prover_ready(prover *p)
{
	const char *why;
	uint32_t i;

	p->set_lift = rules_set_named(p->r, "lift");
	p->set_normalize = rules_set_named(p->r, "normalize");
	p->set_structure = rules_set_named(p->r, "structure");
	p->set_search = rules_set_named(p->r, "search");
	for (i = 0; i < SR_COUNT; i++)
		structure_rule_id[i] = NIL;
	for (i = 0; i < rules_n(p->r); i++) {
		rule *r = rules_at(p->r, i);
		struct direct *d = vec_push(&p->direct);
		eg_fam f = rule_root_family(r);
		find_direct(p, r, d);
		if ((why = check_whole(p, r)) || (why = check_rule(p, r, d, f)))
			return why;
		*(uint32_t *)vec_push(&p->on) = r->ruleset != p->set_search || p->set_search == NIL;
		if (d->sr != NIL) {
			structure_rule_id[d->sr] = i;
		} else if (prover_runs(p, r->ruleset)) {
			family_add(p, f, i);
		}
	}
	return NULL;
}

uint32_t prover_rule_named(const prover *p, const char *name)
{
	rule *r = rules_named(p->r, name);

	return r ? r->index : NIL;
}

const char *prover_rule_name(const prover *p, uint32_t rule)
{
	switch (rule) {
	case RULE_GIVEN: return "given";
	case RULE_ASSUMED: return "assume";
	case RULE_FALLBACK: return "fallback";
	case NIL: return "-";
	default: return rules_at(p->r, rule)->name;
	}
}

bool prover_computes(const prover *p, uint32_t rule)
{
	const struct direct *d = rule < p->direct.n ? direct_of((prover *)p, rule) : NULL;

	return d && (d->prim || d->lift || d->sr != NIL);
}

prim_fn *prover_prim(const prover *p, uint32_t rule)
{
	return rule < p->direct.n ? direct_of(p, rule)->prim : NULL;
}

bool prover_rule_on(const prover *p, uint32_t rule)
{
	return VEC_AT(uint32_t, &p->on, rule);
}

/* Every node of a family is looked at again. */
static void ask_family(prover *p, eg_fam f)
{
	uint32_t n;

	for (n = 0; n < eg_nnode(p->g); n++)
		if (eg_op_family(p->g, eg_node_op(p->g, n)) == f && !eg_dead(p->g, n)) {
			trail_set64(p->a.tr, &VEC_AT(uint64_t, &p->tried, n), 0);
			normal_ask(&p->a, n);
		}
}

/* Unions stay; every node the rule could concern is looked at again. */
void prover_switch(prover *p, uint32_t rule, bool on)
{
	struct direct *d = direct_of(p, rule);

	if (prover_rule_on(p, rule) == on)
		return;
	trail_set32(p->a.tr, &VEC_AT(uint32_t, &p->on, rule), on);
	if (d->sr != NIL)
		trail_set32(p->a.tr, &structure_rule_id[d->sr], on ? rule : NIL);
	ask_family(p, rule_root_family(rules_at(p->r, rule)));
	if (d->prim == prim_common_factor) {	/* products treat positive factors otherwise */
		trail_set32(p->a.tr, &p->a.searching, on);
		ask_family(p, p->a.fam[C_MUL]);
	}
}

/* ---- trying a rule */

static eg_val operand_val(const operand *o, const uint32_t *reg)
{
	return o->kind == OPERAND_VAR ? reg[o->id] : o->id;
}

/* What the match read: the nodes it found, in their classes, and which class each operand was. */
static void note_match(prover *p, eg_id node)
{
	uint32_t i, k;

	for (i = 0; i < match_npos(p->m); i++) {
		eg_id n = match_node(p->m, i);
		if (n == NIL)
			continue;
		if (n != node && (core_kind(&p->a, n) == C_TENSOR || n == eg_root(p->g, n)))
			history_premise(&p->a, n, n);
		if (n != node && n != eg_root(p->g, n))
			history_premise(&p->a, eg_root(p->g, n), n);
		for (k = 0; k < eg_narg(p->g, n); k++)
			if (eg_args(p->g, n)[k] != eg_root(p->g, eg_args(p->g, n)[k]))
				history_premise(&p->a, eg_args(p->g, n)[k], eg_root(p->g, eg_args(p->g, n)[k]));
	}
}

/* NULL, or why no program can have the instruction that is to be built. */
static const char *no_instruction(prover *p, eg_op op, uint32_t narg, const eg_id *arg)
{
	eg_fam f = eg_op_family(p->g, op);
	uint32_t nval;
	const eg_val *val = eg_op_values(p->g, op, &nval);
	const char *why = eg_family(p->g, f)->result == p->a.tensor ? instruction_fault(&p->a, f, nval, val, narg, arg) : NULL;

	return why ? arena_printf(&p->a.s.a, "the %s that it builds: %s", eg_family(p->g, f)->name, why) : NULL;
}

static bool is_sequence(const pattern *q, const operand *o)
{
	return o->kind == OPERAND_VAR && o->id < q->nvar && q->var[o->id].seq;
}

/* The operands of a node to be built; a sequence stands for all its nodes. */
static eg_id *act_args(prover *p, const pattern *q, const act *c, const uint32_t *reg, uint32_t *n)
{
	uint32_t k, room = c->narg;
	eg_id *arg;

	for (k = 0; k < c->narg; k++)
		if (is_sequence(q, &c->arg[k]))
			room += match_var(p->m, c->arg[k].id).n;
	arg = ARENA_ARRAY(&p->a.s.a, eg_id, room);
	for (*n = k = 0; k < c->narg; k++)
		if (is_sequence(q, &c->arg[k])) {
			rv many = match_var(p->m, c->arg[k].id);
			memcpy(arg + *n, many.at, sizeof *arg * many.n);
			*n += many.n;
		} else {
			arg[(*n)++] = operand_val(&c->arg[k], reg);
		}
	return arg;
}

/* The acts of a match by pattern: nodes are built, the union's other side is the answer. */
static eg_id run_acts(prover *p, const rule *r, eg_id node)
{
	const pattern *q = r->pattern;
	uint32_t *reg = ARENA_ARRAY(&p->a.s.a, uint32_t, q->nreg), i, k;
	eg_id x = NIL, y = NIL;

	for (i = 0; i < q->nvar; i++)
		reg[i] = match_var(p->m, i).id;
	for (i = 0; i < q->nact; i++) {
		const act *c = &q->act[i];
		if (c->kind == ACT_BUILD) {
			eg_val *v = ARENA_ARRAY(&p->a.s.a, eg_val, c->nval);
			uint32_t narg;
			eg_id *arg;
			eg_op op;
			for (k = 0; k < c->nval; k++)
				v[k] = operand_val(&c->val[k], reg);
			arg = act_args(p, q, c, reg, &narg);
			op = c->op != NIL ? c->op : eg_operator(p->g, c->table->fam, c->nval, v);
			if ((p->a.s.reason = no_instruction(p, op, narg, arg)))
				return NIL;
			reg[c->out] = core_build(&p->a, op, narg, arg);
		} else if (c->kind == ACT_UNION) {
			x = operand_val(&c->arg[0], reg);
			y = operand_val(&c->arg[1], reg);
		} else {
			p->a.s.reason = "only (union ..) and constructors are understood in this ruleset";
			return NIL;
		}
	}
	if (x == NIL)
		return NIL;
	note_match(p, node);
	return eg_root(p->g, x) == eg_root(p->g, node) ? y : x;	/* prover_ready: one of them is the node's class */
}

/* Is the step wrong?  Logged for as long as that is asked. */
static bool doubted(prover *p, uint32_t rule, eg_id node, eg_id result)
{
	trail *t = p->a.tr;
	bool logged = t->on;
	trail_mark m;

	if (!p->doubt || result == NIL || eg_root(p->g, result) == eg_root(p->g, node))
		return false;
	t->on = true;
	m = trail_at(t);
	p->a.s.reason = p->doubt(p, history_at(&p->a, history_log(&p->a, rule, node, result)));
	trail_undo(t, m);
	t->on = logged;
	return p->a.s.reason;
}

/* What a rule about nodes of this family makes of the node, or NIL; the caller has set the way out of a refusal. */
static eg_id run_rule(prover *p, uint32_t rule, eg_id node)
{
	const struct direct *d = direct_of(p, rule);
	eg_id r = NIL;

	history_begin(&p->a);
	p->a.s.reason = NULL;
	if (d->prim) {
		r = d->prim(&p->a, node);
	} else if (d->lift) {
		r = call_lift(&p->a, d->lift, node, d->arg);
	} else {
		bool found = match_at(p->m, rules_at(p->r, rule), node);
		p->a.s.reason = NULL;
		r = found ? run_acts(p, rules_at(p->r, rule), node) : NIL;
	}
	return (rule >= p->vouched || !prover_computes(p, rule)) && doubted(p, rule, node, r) ? NIL : r;
}

/* The first rule from place *at of the list on that makes something of the node; *at is the place behind it then. */
static eg_id next_result(prover *p, struct family_rules list, uint32_t *at, eg_id node)
{
	(void)setjmp(p->a.s.out);	/* a refusal by `stuck`: on to the next */
	while (*at < list.n) {
		uint32_t rule = list.rule[(*at)++];
		eg_id r = prover_rule_on(p, rule) ? run_rule(p, rule, node) : NIL;
		if (r != NIL)
			return r;
	}
	return NIL;
}

eg_id prover_try(prover *p, uint32_t rule, eg_id node, const char **reason)
{
	eg_fam f = rule_root_family(rules_at(p->r, rule));
	eg_id n = NIL;

	if (f != NIL && f != eg_op_family(p->g, eg_node_op(p->g, node))) {
		history_begin(&p->a);
		p->a.s.reason = "the rule is about another kind of node";
	} else if (!setjmp(p->a.s.out)) {
		n = run_rule(p, rule, node);
	}
	if (reason)
		*reason = p->a.s.reason;
	return n;
}

static void unite(prover *p, uint32_t rule, eg_id x, eg_id y, enum eg_why why)
{
	uint32_t f = history_log(&p->a, rule, x, y);

	eg_set_firing(p->g, f);
	eg_union(p->g, x, y, why, f);
	p->fired++;
}

bool prover_apply(prover *p, uint32_t rule, eg_id node, const char **reason)
{
	arena_mark am = arena_at(&p->a.s.a);
	eg_id n = prover_try(p, rule, node, reason);
	bool did = false;

	if (n != NIL && eg_root(p->g, n) != eg_root(p->g, node)) {
		normal_origin(&p->a, n);
		unite(p, rule, node, n, EG_RULE);
		did = true;
	} else if (n != NIL && reason) {
		*reason = "already equal";
	}
	if (!reason || !*reason)
		arena_reset(&p->a.s.a, am);
	return did;
}

bool prover_assume(prover *p, eg_id x, eg_id y)
{
	if (eg_root(p->g, x) == eg_root(p->g, y))
		return false;
	history_begin(&p->a);
	unite(p, RULE_ASSUMED, x, y, EG_ASSUMED);
	return true;
}

/* ---- lifting */

static uint64_t lift_key(prover *p, eg_id n)
{
	const eg_id *arg = eg_args(p->g, n);
	uint32_t i, k = eg_narg(p->g, n);
	uint64_t h = 0x5851f42d4c957f2dull;

	for (i = 0; i < k; i++) {
		eg_id c = laid_cell(&p->a, arg[i]), pair[3];
		if (c == NIL)
			return 0;
		pair[0] = c;
		pair[1] = eg_root(p->g, eg_args(p->g, c)[0]);
		pair[2] = facts_of(&p->a, pair[1]);	/* a lift that needed one is tried again */
		h = hash_bytes(pair, sizeof pair, h);
	}
	return h | 1;
}

static void keep_reason(prover *p, eg_id n, const char *why)
{
	if (!why)
		why = "no rule";
	*(const char **)vec_push(&p->text) = arena_strdup(&p->names, why);
	trail_set32(p->a.tr, &VEC_AT(uint32_t, &p->reason, n), p->text.n - 1);
}

const char *prover_lift_reason(const prover *p, eg_id t)
{
	return t < p->reason.n ? VEC_AT(const char *, &p->text, VEC_AT(uint32_t, &p->reason, t)) : NULL;
}

static bool fall_back(prover *p, eg_id n, const char *why)
{
	eg_id t;

	t = p->fallback ? p->fallback(p->fallback_ctx, p, n, why) : NIL;
	if (t != NIL)
		keep_reason(p, n, why);
	if (t == NIL || eg_root(p->g, t) == eg_root(p->g, n))
		return false;
	history_begin(&p->a);
	unite(p, RULE_FALLBACK, n, t, EG_RULE);
	return true;
}

void prover_lift_again(prover *p, eg_id n)
{
	trail_set64(p->a.tr, &VEC_AT(uint64_t, &p->tried, n), 0);
	normal_ask(&p->a, n);
}

static bool fire_lift(prover *p, eg_id n)
{
	uint64_t key = lift_key(p, n);
	eg_fam f = eg_op_family(p->g, eg_node_op(p->g, n));
	struct family_rules list = family_rules(p, f);
	const char *why = NULL, *first = NULL;
	uint32_t i;

	if (!key || VEC_AT(uint64_t, &p->tried, n) == key)
		return false;
	trail_set64(p->a.tr, &VEC_AT(uint64_t, &p->tried, n), key);
	for (i = 0; i < list.n; i++) {
		uint32_t rule = list.rule[i];
		eg_id r;
		if (!prover_rule_on(p, rule))
			continue;
		r = prover_try(p, rule, n, &why);
		if (r == NIL) {
			if (why && !first)
				first = why;
			continue;
		}
		{
			uint32_t h = history_log(&p->a, rule, n, r);
			p->fired++;
			eg_set_firing(p->g, h);
			normal_firing_origins(&p->a, h);	/* heads may stand on what a lift built, as on what an act did */
			eg_union(p->g, n, r, EG_RULE, h);
			return true;
		}
	}
	return fall_back(p, n, first);
}

/* ---- one step of a core node */

/* The node that a step to m goes on from where m is a view of n's own class. */
static eg_id inner_of(const prover *p, eg_id m, eg_id own)
{
	const algebra *a = &p->a;
	uint32_t i;

	for (i = a->made.n; i-- > 0; ) {
		const made_node *k = &VEC_AT(made_node, &a->made, i);
		if (core_kind(a, k->node) == C_VIEW && eg_root(p->g, k->node) == own && k->narg)
			return VEC_AT(eg_id, &a->made_args, k->args);
	}
	return eg_args(p->g, m)[0];
}

static bool fire_core(prover *p, eg_id n)
{
	algebra *a = &p->a;
	eg_fam f = eg_op_family(p->g, eg_node_op(p->g, n));
	struct family_rules list = family_rules(p, f);
	bool fired = false;
	uint32_t at = 0, before = history_count(a);
	eg_id m;

	while ((m = next_result(p, list, &at, n)) != NIL) {
		uint32_t rule = list.rule[at - 1];
		step s = { NIL, rule, NIL };
		if (m != eg_rep(p->g, m))
			history_premise(a, m, eg_rep(p->g, m));
		m = eg_rep(p->g, m);
		if (core_kind(a, m) == C_VIEW && eg_current(p->g, m)[0] == eg_root(p->g, n)) {
			if (eg_root(p->g, m) != eg_root(p->g, n)) {	/* a symmetry of the class came out */
				unite(p, rule, n, m, EG_RULE);
				fired = true;
			}
			s.to = eg_rep(p->g, inner_of(p, m, eg_root(p->g, m)));
			history_premise(a, m, s.to);
			m = s.to;
		}
		if (m == n || normal_in_chain(a, m, n))
			continue;	/* a step back into its own chain is none */
		s.to = m;
		if (core_kind(a, m) == C_VIEW) {	/* the node it was built on, not the one the view was first written with */
			s.inner = eg_rep(p->g, inner_of(p, m, eg_root(p->g, m)));
			if (s.inner == n)
				s.inner = NIL;
		}
		normal_set_step(a, n, &s, rule);
		if (history_count(a) != before) {
			p->fired++;
			if (rules_at(p->r, rule)->ruleset == p->set_search)
				normal_firing_origins(a, history_count(a) - 1);
		}
		return fired || history_count(a) != before;
	}
	normal_clear_step(a, n);
	if (!setjmp(a->s.out))
		view_find_symmetry(a, n);
	return fired || history_count(a) != before;
}

void prover_follow(prover *p, uint32_t rule, eg_id n, eg_id result, uint32_t firing)
{
	algebra *a = &p->a;
	step s = { eg_rep(p->g, result), rule, NIL };
	uint32_t set = rules_at(p->r, rule)->ruleset;

	eg_set_firing(p->g, firing);
	if (set == p->set_lift || set == p->set_search)
		normal_firing_origins(a, firing);
	if (set == p->set_normalize || set == p->set_search) {
		if (core_kind(a, s.to) == C_VIEW && eg_root(p->g, eg_args(p->g, s.to)[0]) == eg_root(p->g, n))
			s.to = eg_rep(p->g, inner_of(p, s.to, eg_root(p->g, n)));
		if (s.to != n && !normal_in_chain(a, s.to, n))
			normal_set_step(a, n, &s, rule);
	}
	eg_union(p->g, n, result, EG_RULE, firing);
}

static bool fire_structure(prover *p, eg_id n, void (*fn)(algebra *, eg_id))
{
	uint32_t before = history_count(&p->a);

	if (!setjmp(p->a.s.out))
		fn(&p->a, n);
	p->fired += history_count(&p->a) - before;
	return history_count(&p->a) != before;
}

enum fire_result prover_fire(prover *p)
{
	eg_id n;
	bool fired;
	arena_mark am;

	n = normal_take(&p->a);
	if (n == NIL)
		return FIRE_IDLE;
	if (eg_dead(p->g, n))
		return FIRE_NOTHING;
	am = arena_at(&p->a.s.a);
	p->a.s.budget = p->a.s.a.taken + STEP_WORK;
	switch (core_kind(&p->a, n)) {
	case C_TENSOR:
		fired = fire_lift(p, n);
		break;
	case C_LAID:
		fired = fire_structure(p, n, laid_fire);
		break;
	case C_VIEW:
		fired = fire_structure(p, n, view_fire);
		break;
	default:
		fired = fire_core(p, n);
	}
	arena_reset(&p->a.s.a, am);
	p->a.s.budget = 0;
	return fired ? FIRE_FIRED : FIRE_NOTHING;
}

bool prover_run(prover *p, uint64_t limit)
{
	uint64_t end = p->fired + limit;

	while (p->fired < end)
		if (prover_fire(p) == FIRE_IDLE)
			return true;
	return normal_idle(&p->a);
}
