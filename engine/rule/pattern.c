#include "rule/rule_in.h"

#include <string.h>

enum { MAX_FIELDS = 256, MANY_ATOMS = 40 };

struct plan {
	rules *r;
	pattern *p;
	bool *bound;		/* per variable */
	bool *done;		/* per atom */
	insn *insn;
	uint32_t ninsn;
	field field[MAX_FIELDS];	/* of the instruction being made */
	uint32_t nfield;
};

static bool known(const struct plan *pl, operand o)
{
	return o.kind != OPERAND_VAR || pl->bound[o.id];
}

static bool all_known(const struct plan *pl, const operand *o, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (o[i].kind == OPERAND_NONE || !known(pl, o[i]))
			return false;
	return true;
}

static bool is_node_var(const struct plan *pl, operand o)
{
	return o.kind == OPERAND_VAR && pl->p->var[o.id].node;
}

/* ---- fields */

static void add_field(struct plan *pl, enum field_kind k, uint32_t index, uint32_t id)
{
	pl->field[pl->nfield++] = (field){ .kind = k, .index = index, .id = id };
}

/* bind, same and is are the kinds for an unbound variable, a bound one, a constant. */
static void field_of(struct plan *pl, operand o, uint32_t index, enum field_kind bind, enum field_kind same,
		     enum field_kind is)
{
	if (o.kind == OPERAND_NONE)
		return;
	if (o.kind != OPERAND_VAR) {
		add_field(pl, is, index, o.id);
	} else if (pl->bound[o.id]) {
		add_field(pl, same, index, o.id);
	} else {
		add_field(pl, bind, index, o.id);
		pl->bound[o.id] = true;
	}
}

static void cell_field(struct plan *pl, const atom *a)
{
	uint32_t n = pl->nfield;

	if (a->out.kind == OPERAND_NONE) {
		add_field(pl, FIELD_CELL_ANY, 0, 0);
		return;
	}
	field_of(pl, a->out, 0, FIELD_CELL_BIND, FIELD_CELL_SAME,
		 a->table->value ? FIELD_CELL_IS : FIELD_CELL_NODE);
	if (pl->nfield > n)
		pl->field[n].class = !a->table->value;
}

static void table_fields(struct plan *pl, const atom *a, enum insn_kind k)
{
	uint32_t i;

	pl->nfield = 0;
	for (i = 0; i < a->nval; i++)
		field_of(pl, a->val[i], i, FIELD_VAL_BIND, FIELD_VAL_SAME, FIELD_VAL_IS);
	for (i = 0; i < a->narg; i++)
		field_of(pl, a->arg[i], i, FIELD_ARG_BIND, FIELD_ARG_SAME, FIELD_ARG_NODE);
	if (a->variadic)
		field_of(pl, a->rest, a->narg, FIELD_REST_BIND, FIELD_REST_SAME, FIELD_REST_SAME);
	if (a->table->kind == TABLE_FUNCTION)
		cell_field(pl, a);
	else if (k != INSN_MEMBERS && k != INSN_EXACT)
		field_of(pl, a->out, 0, FIELD_OUT_BIND, FIELD_OUT_SAME, FIELD_OUT_NODE);
}

static eg_op op_of(const struct plan *pl, const atom *a)
{
	eg_val v[COLUMNS_MAX];
	uint32_t i;

	for (i = 0; i < a->nval; i++) {
		if (a->val[i].kind != OPERAND_VALUE)
			return NIL;
		v[i] = a->val[i].id;
	}
	return eg_operator(pl->r->g, a->table->fam, a->nval, v);
}

/* With the operator fixed, its attribute values need no look. */
static void drop_fixed(struct plan *pl)
{
	uint32_t i, n = 0;

	for (i = 0; i < pl->nfield; i++)
		if (pl->field[i].kind != FIELD_VAL_IS)
			pl->field[n++] = pl->field[i];
	pl->nfield = n;
}

static void emit_table(struct plan *pl, uint32_t i, enum insn_kind k, operand from, uint32_t index)
{
	const atom *a = &pl->p->atom[i];
	insn *in = &pl->insn[pl->ninsn++];

	memset(in, 0, sizeof *in);
	table_fields(pl, a, k);
	in->kind = k;
	in->atom = a;
	in->from = from;
	in->index = index;
	in->fam = a->table->fam;
	in->op = op_of(pl, a);
	in->narg = a->narg;
	in->variadic = a->variadic;
	if (in->op != NIL)
		drop_fixed(pl);
	in->nfield = pl->nfield;
	in->field = rules_alloc(pl->r, pl->nfield * sizeof(field));
	memcpy(in->field, pl->field, pl->nfield * sizeof(field));
	pl->done[i] = true;
}

static void emit_host(struct plan *pl, uint32_t i)
{
	const atom *a = &pl->p->atom[i];
	insn *in = &pl->insn[pl->ninsn++];
	uint32_t k;

	memset(in, 0, sizeof *in);
	in->kind = INSN_HOST;
	in->atom = a;
	for (k = 0; k < a->narg; k++) {
		if (known(pl, a->arg[k]))
			in->bound |= (uint64_t)1 << k;
		else
			pl->bound[a->arg[k].id] = true;
	}
	pl->done[i] = true;
}

/* ---- the order */

/* Is everything that stands before this atom in the text done? */
static bool its_turn(const struct plan *pl, uint32_t i)
{
	uint32_t k;

	for (k = 0; k < i; k++)
		if (!pl->done[k])
			return false;
	return true;
}

static bool host_ready(const struct plan *pl, uint32_t i, bool waiting)
{
	const atom *a = &pl->p->atom[i];

	if (pl->done[i] || a->kind != ATOM_HOST || !all_known(pl, a->val, a->nval))
		return false;
	return a->host->fn.kind == HOST_BUILTIN || waiting || its_turn(pl, i);
}

static bool plan_equal(struct plan *pl)
{
	uint32_t i;

	for (i = 0; i < pl->p->natom; i++) {
		const atom *a = &pl->p->atom[i];
		insn *in = &pl->insn[pl->ninsn];

		if (pl->done[i] || a->kind != ATOM_EQUAL)
			continue;
		memset(in, 0, sizeof *in);
		in->kind = INSN_EQUAL;
		in->atom = a;
		pl->ninsn++;
		return pl->done[i] = true;
	}
	return false;
}

static bool plan_host(struct plan *pl, bool waiting)
{
	uint32_t i;

	for (i = 0; i < pl->p->natom; i++)
		if (host_ready(pl, i, waiting)) {
			emit_host(pl, i);
			return true;
		}
	return false;
}

/* A node, or all arguments, are known: at most one answer. */
static bool plan_single(struct plan *pl)
{
	static const operand none = { OPERAND_NONE, 0 };
	uint32_t i;

	for (i = 0; i < pl->p->natom; i++) {
		const atom *a = &pl->p->atom[i];

		if (pl->done[i] || a->kind != ATOM_TABLE)
			continue;
		if (is_node_var(pl, a->out)) {
			if (!pl->bound[a->out.id])
				continue;
			emit_table(pl, i, INSN_EXACT, a->out, 0);
			return true;
		}
		if (!a->variadic && all_known(pl, a->val, a->nval) && all_known(pl, a->arg, a->narg)) {
			emit_table(pl, i, INSN_LOOKUP, none, 0);
			return true;
		}
	}
	return false;
}

static bool plan_members(struct plan *pl)
{
	uint32_t i;

	for (i = 0; i < pl->p->natom; i++) {
		const atom *a = &pl->p->atom[i];

		if (pl->done[i] || a->kind != ATOM_TABLE || a->table->kind != TABLE_CONSTRUCTOR ||
		    is_node_var(pl, a->out) || a->out.kind == OPERAND_NONE || !known(pl, a->out))
			continue;
		emit_table(pl, i, INSN_MEMBERS, a->out, 0);
		return true;
	}
	return false;
}

static bool plan_uses(struct plan *pl)
{
	uint32_t i, k;

	for (i = 0; i < pl->p->natom; i++) {
		const atom *a = &pl->p->atom[i];

		if (pl->done[i] || a->kind != ATOM_TABLE || is_node_var(pl, a->out))
			continue;
		for (k = 0; k < a->narg; k++)
			if (known(pl, a->arg[k])) {
				emit_table(pl, i, INSN_USES, a->arg[k], k);
				return true;
			}
	}
	return false;
}

static bool plan_scan(struct plan *pl)
{
	static const operand none = { OPERAND_NONE, 0 };
	uint32_t i;

	for (i = 0; i < pl->p->natom; i++) {
		const atom *a = &pl->p->atom[i];

		if (!pl->done[i] && a->kind == ATOM_TABLE && !is_node_var(pl, a->out)) {
			emit_table(pl, i, INSN_SCAN, none, 0);
			return true;
		}
	}
	return false;
}

static bool plan_next(struct plan *pl)
{
	return plan_equal(pl) || plan_host(pl, false) || plan_single(pl) || plan_members(pl) || plan_uses(pl) ||
	       plan_host(pl, true) || plan_scan(pl);
}

static const char *ungrounded(const struct plan *pl)
{
	uint32_t i, k;

	pl->r->ungrounded = true;
	for (i = 0; i < pl->p->natom; i++) {
		const atom *a = &pl->p->atom[i];

		if (pl->done[i])
			continue;
		for (k = 0; k < a->nval; k++)
			if (!known(pl, a->val[k]) && pl->p->var[a->val[k].id].name)
				return arena_printf(&pl->r->a, "variable %s is ungrounded", pl->p->var[a->val[k].id].name);
		if (is_node_var(pl, a->out))
			return arena_printf(&pl->r->a, "variable %s is ungrounded", pl->p->var[a->out.id].name);
	}
	return "a variable is ungrounded";
}

static const char *plan_program(struct plan *pl, uint32_t start, code *out)
{
	static const operand none = { OPERAND_NONE, 0 };
	uint32_t i, left;

	memset(pl->bound, 0, pl->p->nvar * sizeof *pl->bound);
	memset(pl->done, 0, pl->p->natom * sizeof *pl->done);
	pl->ninsn = 0;
	pl->insn = rules_alloc(pl->r, (pl->p->natom + 2) * sizeof(insn));
	if (start != NIL)
		emit_table(pl, start, INSN_GIVEN, none, 0);
	while (plan_next(pl))
		;
	for (i = 0, left = 0; i < pl->p->natom; i++)
		left += !pl->done[i];
	if (left)
		return ungrounded(pl);
	pl->insn[pl->ninsn++].kind = INSN_MATCH;
	out->start = start;
	out->insn = pl->insn;
	out->ninsn = pl->ninsn;
	return NULL;
}

/* ---- what the acts read must have been bound */

static const char *check_bound(const struct plan *pl, const bool *made, operand o)
{
	const pattern_var *v;

	if (o.kind != OPERAND_VAR || pl->bound[o.id] || made[o.id])
		return NULL;
	v = &pl->p->var[o.id];
	pl->r->ungrounded = true;
	return arena_printf(&pl->r->a, "variable %s is ungrounded", v->name ? v->name : "_");
}

static const char *check_acts(struct plan *pl)
{
	const pattern *p = pl->p;
	bool *made = arena_zalloc(&pl->r->typing, p->nreg * sizeof *made);
	const char *why = NULL;
	uint32_t i, k;

	for (i = 0; i < p->nact && !why; i++) {
		const act *a = &p->act[i];
		uint32_t nread = a->kind == ACT_HOST ? 0 : a->narg;

		for (k = 0; k < a->nval && !why; k++)
			why = check_bound(pl, made, a->val[k]);
		for (k = 0; k < nread && !why; k++)
			why = check_bound(pl, made, a->arg[k]);
		if (!why && a->kind == ACT_SET)
			why = check_bound(pl, made, a->value);
		if (a->out != NIL)
			made[a->out] = true;
		for (k = 0; a->kind == ACT_HOST && k < a->narg; k++)
			made[a->arg[k].id] = true;
	}
	return why;
}

/* ---- where a variable's written value is found */

static void source_at(pattern *p, operand o, enum source_kind k, uint32_t pos, uint32_t index)
{
	if (o.kind == OPERAND_VAR && p->source[o.id].kind == FROM_LOOSE && !(p->var[o.id].node && k != FROM_NODE))
		p->source[o.id] = (source){ k, pos, index };
}

static void find_sources(rules *r, pattern *p)
{
	uint32_t i, k;

	p->source = rules_alloc(r, p->nvar * sizeof *p->source);
	for (i = 0; i < p->natom; i++) {
		const atom *a = &p->atom[i];

		if (a->kind != ATOM_TABLE)
			continue;
		if (a->table->kind != TABLE_FUNCTION)
			source_at(p, a->out, FROM_NODE, a->pos, 0);
		for (k = 0; k < a->narg; k++)
			source_at(p, a->arg[k], FROM_ARG, a->pos, k);
		for (k = 0; k < a->nval; k++)
			source_at(p, a->val[k], FROM_VAL, a->pos, k);
		if (a->variadic)
			source_at(p, a->rest, FROM_REST, a->pos, a->narg);
	}
}

/* Variables of the query that no position gives. */
static void find_loose(struct plan *pl)
{
	pattern *p = pl->p;
	uint32_t i;

	p->loose = rules_alloc(pl->r, p->nvar * sizeof *p->loose);
	for (i = 0; i < p->nvar; i++)
		if (pl->bound[i] && p->source[i].kind == FROM_LOOSE)
			p->loose[p->nloose++] = i;
}

/* A value of a class sort changes without its row being touched; host atoms
 * read what no row shows. */
static bool needs_naive(const pattern *p)
{
	uint32_t i;

	for (i = 0; i < p->natom; i++) {
		const atom *a = &p->atom[i];

		if (a->kind == ATOM_TABLE && a->table->kind == TABLE_FUNCTION && !a->table->value)
			return true;
		if (a->kind == ATOM_HOST && a->host->fn.kind == HOST_ATOM)
			return true;
	}
	return false;
}

/* A pattern too large to be worth a program per atom is matched in full. */
static const char *plan_all(struct plan *pl)
{
	pattern *p = pl->p;
	uint32_t most = p->natom > MANY_ATOMS ? 1 : p->natom, i;
	const char *why = NULL;

	p->code = rules_alloc(pl->r, (most + 1) * sizeof(code));
	for (i = 0; i < p->natom && p->ncode < most && !why; i++)
		if (p->atom[i].kind == ATOM_TABLE && !is_node_var(pl, p->atom[i].out))
			why = plan_program(pl, i, &p->code[p->ncode++]);
	if (!p->ncode && !why)
		why = plan_program(pl, NIL, &p->code[p->ncode++]);
	return why;
}

static const char *check_size(const pattern *p)
{
	uint32_t i;

	for (i = 0; i < p->natom; i++) {
		const atom *a = &p->atom[i];

		if (a->kind == ATOM_HOST && (a->nval > HOST_MAX || a->narg > HOST_MAX))
			return "a call has too many arguments";
		if (a->kind == ATOM_TABLE && a->nval + a->narg + 2 > MAX_FIELDS)
			return "a call has too many arguments";
	}
	return NULL;
}

const char *pattern_compile(rules *r, pattern *p, const char *file, const sexp *at)
{
	struct plan pl;
	const char *why;

	r->ungrounded = false;
	pl.r = r;
	pl.p = p;
	pl.bound = ARENA_ARRAY(&r->typing, bool, p->nvar);
	pl.done = ARENA_ARRAY(&r->typing, bool, p->natom);
	if ((why = check_size(p)) || (why = plan_all(&pl)) || (why = check_acts(&pl)))
		return sexp_error(&r->a, file, at, "%s", why);
	find_sources(r, p);
	find_loose(&pl);
	p->naive = p->natom > MANY_ATOMS || needs_naive(p);
	return NULL;
}
