#include "plan/plan_bind.h"

#include <math.h>
#include <string.h>
#include "util/hash.h"

#include "tensor/round.h"

/* Names and op_names of one program's parameters, hashed: slots hold a
 * parameter's number plus one.  Of equal names the first parameter is found. */
struct names {
	const module *m;
	const char *which;	/* "BASE" or "DIST", for messages */
	uint32_t *slot;
	uint32_t mask;
};

struct binder {
	arena *arena;
	const struct plan *plan;
	struct diag *diag;
	struct plan_binding *to;
	struct names base, dist;
	vec found, found_base;	/* int: what a reference means */
};

static bool fail(struct binder *b, const struct plan_line *l, const struct plan_ref *r, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static bool fail(struct binder *b, const struct plan_line *l, const struct plan_ref *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_vset(b->diag, b->plan->file, l->line, r->column, fmt, ap);
	va_end(ap);
	return false;
}

int plan_outputs(const module *m)
{
	return shape_leaves(m->entry->root->shape);
}

/* ---- names */

static bool called(const inst *i, const char *name)
{
	return !strcmp(i->name, name) || (i->op_name && !strcmp(i->op_name, name));
}

/* The slot that holds a parameter called `name`, else the empty one where it belongs. */
static uint32_t *name_slot(const struct names *n, const char *name)
{
	uint32_t i = (uint32_t)hash_bytes(name, strlen(name), 0);

	for (i &= n->mask; n->slot[i]; i = (i + 1) & n->mask)
		if (called(n->m->entry->param[n->slot[i] - 1], name))
			break;
	return &n->slot[i];
}

static void enter_name(struct names *n, const char *name, int number)
{
	uint32_t *slot = name ? name_slot(n, name) : NULL;

	if (slot && !*slot)
		*slot = (uint32_t)number + 1;
}

static void make_names(struct names *n, arena *a, const module *m, const char *which)
{
	int i;

	n->m = m;
	n->which = which;
	for (n->mask = 15; n->mask < 4 * (uint32_t)m->entry->nparam; n->mask = 2 * n->mask + 1)
		;
	n->slot = arena_zalloc(a, ((size_t)n->mask + 1) * sizeof *n->slot);
	for (i = 0; i < m->entry->nparam; i++) {
		enter_name(n, m->entry->param[i]->name, i);
		enter_name(n, m->entry->param[i]->op_name, i);
	}
}

static bool find_number(struct binder *b, const struct names *n, const struct plan_line *l, const struct plan_ref *r,
			int count, const char *what, vec *found)
{
	if (r->number >= count)
		return fail(b, l, r, "%s has %d %s%s, no number %d", n->which, count, what, count == 1 ? "" : "s",
			    r->number);
	*(int *)vec_push(found) = r->number;
	return true;
}

static bool matches(const struct plan_ref *r, const inst *i)
{
	return plan_ref_matches(r, i->name) || (i->op_name && plan_ref_matches(r, i->op_name));
}

static bool find_parameters(struct binder *b, const struct names *n, const struct plan_line *l,
			    const struct plan_ref *r, vec *found)
{
	const comp *entry = n->m->entry;
	uint32_t slot;
	int i;

	found->n = 0;
	if (r->kind == PLAN_REF_NUMBER)
		return find_number(b, n, l, r, entry->nparam, "parameter", found);
	slot = r->glob ? 0 : *name_slot(n, r->text);
	if (slot)
		*(int *)vec_push(found) = (int)slot - 1;
	for (i = 0; r->glob && i < entry->nparam; i++)
		if (matches(r, entry->param[i]))
			*(int *)vec_push(found) = i;
	return found->n || fail(b, l, r, "no parameter of %s is called '%.200s'", n->which, r->text);
}

/* ---- parameters */

static bool is_range(const struct plan_line *l)
{
	return l->form == PLAN_RANGE || l->form == PLAN_POSITIVE;
}

static const double BEYOND = 0x1p53;	/* values are kept as doubles, which do not tell all integers apart from here on */

/* Does the type hold the value?  f32 holds what rounds to it, as with a literal of a program. */
static bool holds_number(enum etype t, const struct plan_value *v)
{
	double x = v->integer ? (double)v->i : v->f;

	if (t == T_F32 && !v->integer && isfinite(x))
		return isfinite(etype_round(t, x));
	return etype_is_float(t) ? etype_round(t, x) == x : v->integer && etype_holds(t, v->i, v->i < 0);
}

/* A parameter is told a value of its own type: a number that it holds, or devices and coordinates all of which it holds. */
static bool check_value(struct binder *b, const struct plan_line *l, const struct plan_mesh *m, const shape *of)
{
	const struct plan_value *v = &l->value;
	const char *type = etype_name(of->type);
	int most;

	if (l->form != PLAN_VALUE || v->kind == PLAN_VALUE_ANY || of->type == T_TUPLE)
		return true;
	if (v->kind == PLAN_VALUE_NUMBER) {
		if (v->integer && fabs((double)v->i) >= BEYOND)
			return fail(b, l, &l->ref, "values from 2^53 on are not told apart");
		return holds_number(of->type, v) || fail(b, l, &l->ref, "%s does not hold %s", type, v->text);
	}
	most = v->kind == PLAN_VALUE_AXIS ? m->axis[v->axis].size : m->devices > 1 ? m->devices : 1;
	return etype_counts(of->type, most) || fail(b, l, &l->ref, "%s does not hold the numbers 0 to %d", type, most - 1);
}

static bool set_bound(struct binder *b, struct plan_bound *to, int number, const char *what,
		      const struct plan_line *l)
{
	const struct plan_line **at = is_range(l) ? &to->range : &to->relation;

	if (*at)
		return fail(b, l, &l->ref, "%s %d is named before, in line %d", what, number, (*at)->line);
	*at = l;
	return true;
}

/* Where no counterpart is written: by name, else by number. */
static int same_parameter(const struct binder *b, int number)
{
	const inst *i = b->dist.m->entry->param[number];
	uint32_t slot = i->op_name ? *name_slot(&b->base, i->op_name) : 0;

	if (!slot)
		slot = *name_slot(&b->base, i->name);
	return slot ? (int)slot - 1 : number;
}

static bool pair_up(struct binder *b, const struct plan_line *l)
{
	const int *dist = VEC(int, &b->found), *base = VEC(int, &b->found_base);
	struct plan_bound *to;
	uint32_t i;

	for (i = 0; i < b->found.n; i++) {
		to = &b->to->input[dist[i]];
		if (l->base.kind == PLAN_REF_NUMBER || l->base.kind == PLAN_REF_NAME)
			to->base = base[b->found_base.n == 1 ? 0 : i];
		else if (l->base.kind == PLAN_REF_INSTRUCTION)
			to->base = -1;
		else
			to->base = l->ref.kind == PLAN_REF_NUMBER ? dist[i] : same_parameter(b, dist[i]);
		if (to->base >= b->to->nbase_input)
			return fail(b, l, &l->ref, "BASE has no parameter %d that belongs to it: write %d<-N", to->base,
				    dist[i]);
	}
	return true;
}

/* `%name` as a counterpart is a parameter of BASE if there is one, else an inner value. */
static bool find_counterpart(struct binder *b, struct plan_line *l)
{
	uint32_t slot;

	if (l->base.kind == PLAN_REF_INSTRUCTION) {
		slot = l->base.glob ? 0 : *name_slot(&b->base, l->base.text);
		if (!slot)
			return true;
		l->base = (struct plan_ref){ .kind = PLAN_REF_NUMBER, .number = (int)slot - 1, .column = l->base.column };
	}
	if (l->base.kind == PLAN_REF_SAME)
		return true;
	if (!find_parameters(b, &b->base, l, &l->base, &b->found_base))
		return false;
	if (b->found_base.n != 1 && b->found_base.n != b->found.n)
		return fail(b, l, &l->base, "%u parameters of DIST, but %u of BASE", b->found.n, b->found_base.n);
	return true;
}

static bool bind_input(struct binder *b, struct plan_line *l)
{
	uint32_t i;

	if (!find_parameters(b, &b->dist, l, &l->ref, &b->found))
		return false;
	for (i = 0; i < b->found.n; i++) {
		int number = VEC_AT(int, &b->found, i);

		if (!set_bound(b, &b->to->input[number], number, "input", l) ||
		    !check_value(b, l, &b->plan->mesh, b->dist.m->entry->param[number]->shape))
			return false;
	}
	return l->form != PLAN_CHAIN || (find_counterpart(b, l) && pair_up(b, l));
}

static bool bind_base_input(struct binder *b, struct plan_line *l)
{
	uint32_t i;

	if (!find_parameters(b, &b->base, l, &l->ref, &b->found))
		return false;
	for (i = 0; i < b->found.n; i++) {
		int number = VEC_AT(int, &b->found, i);

		if (!set_bound(b, &b->to->base_input[number], number, "base input", l) ||
		    !check_value(b, l, &b->plan->base_mesh, b->base.m->entry->param[number]->shape))
			return false;
	}
	return true;
}

/* ---- outputs and instructions */

static void bind_inner(struct binder *b, const struct plan_line *l)
{
	b->to->inner[b->to->ninner++] = l;
}

static bool bind_output(struct binder *b, struct plan_line *l)
{
	struct plan_binding *to = b->to;
	const struct plan_ref *base = l->base.kind == PLAN_REF_SAME ? &l->ref : &l->base;
	struct plan_bound *out;

	if (l->ref.kind == PLAN_REF_INSTRUCTION) {
		bind_inner(b, l);
		return true;
	}
	if (l->ref.kind != PLAN_REF_NUMBER)
		return fail(b, l, &l->ref, "an output has a number, or is an instruction's %%name");
	if (!find_number(b, &b->dist, l, &l->ref, to->noutput, "output", &b->found))
		return false;
	out = &to->output[l->ref.number];
	if (base->kind == PLAN_REF_NAME)
		return fail(b, l, base, "an output has a number, or is an instruction's %%name");
	out->base = base->kind == PLAN_REF_NUMBER ? base->number : -1;
	if (l->form == PLAN_CHAIN && out->base >= 0 &&
	    !find_number(b, &b->base, l, base, to->nbase_output, "output", &b->found))
		return false;
	return set_bound(b, out, l->ref.number, "output", l);
}

static bool bind_base_output(struct binder *b, struct plan_line *l)
{
	if (l->ref.kind != PLAN_REF_NUMBER)
		return fail(b, l, &l->ref, "an output has a number");
	return find_number(b, &b->base, l, &l->ref, b->to->nbase_output, "output", &b->found) &&
	       set_bound(b, &b->to->base_output[l->ref.number], l->ref.number, "base output", l);
}

/* `base %x ..` is about a parameter if there is one of that name. */
static bool bind_base(struct binder *b, struct plan_line *l)
{
	if (l->ref.kind != PLAN_REF_INSTRUCTION || l->ref.glob || *name_slot(&b->base, l->ref.text))
		return bind_base_input(b, l);
	bind_inner(b, l);
	return true;
}

static bool bind_line(struct binder *b, struct plan_line *l)
{
	b->found.n = b->found_base.n = 0;
	switch (l->subject) {
	case PLAN_INPUT:
		return bind_input(b, l);
	case PLAN_OUTPUT:
		return bind_output(b, l);
	case PLAN_BASE:
		return bind_base(b, l);
	case PLAN_BASE_INPUT:
		return bind_base_input(b, l);
	case PLAN_BASE_OUTPUT:
		return bind_base_output(b, l);
	default:
		bind_inner(b, l);
		return true;
	}
}

static struct plan_bound *make_bounds(arena *a, int n)
{
	struct plan_bound *to = arena_zalloc(a, ((size_t)n + 1) * sizeof *to);
	int i;

	for (i = 0; i < n; i++)
		to[i].base = -1;
	return to;
}

static struct plan_binding *make_binding(arena *a, const struct plan *p, const module *base, const module *dist)
{
	struct plan_binding *to = ARENA_NEW(a, struct plan_binding);

	to->ninput = dist->entry->nparam;
	to->noutput = plan_outputs(dist);
	to->nbase_input = base->entry->nparam;
	to->nbase_output = plan_outputs(base);
	to->input = make_bounds(a, to->ninput);
	to->output = make_bounds(a, to->noutput);
	to->base_input = make_bounds(a, to->nbase_input);
	to->base_output = make_bounds(a, to->nbase_output);
	to->inner = ARENA_ARRAY(a, const struct plan_line *, p->n);
	return to;
}

struct plan_binding *plan_bind(arena *a, const struct plan *p, const module *base, const module *dist,
			       struct diag *d)
{
	struct binder b = { .arena = a, .plan = p, .diag = d, .to = make_binding(a, p, base, dist) };
	struct plan_line *line;
	bool ok = true;
	int i;

	make_names(&b.base, a, base, "BASE");
	make_names(&b.dist, a, dist, "DIST");
	vec_init(&b.found, sizeof(int));
	vec_init(&b.found_base, sizeof(int));
	for (i = 0; i < p->n && ok; i++) {
		line = ARENA_NEW(a, struct plan_line);
		*line = p->line[i];
		ok = bind_line(&b, line);
	}
	vec_free(&b.found);
	vec_free(&b.found_base);
	return ok ? b.to : NULL;
}
