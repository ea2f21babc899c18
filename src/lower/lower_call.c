#include "lower/lower_in.h"

#include <stdlib.h>
#include <string.h>
#include "lower/definition.h"
#include "util/spelling.h"

const char *lower_call_target(const inst *i)
{
	const char *t = i->opcode == OP_CUSTOM_CALL ? inst_text(i, "custom_call_target") : NULL;

	return t ? t : "";
}

bool lower_is_marker(const char *target)
{
	static const char *const same[] = { "AwsNeuronTransferWithStaticRing", "Sharding", "SPMDFullToShardShape",
		"SPMDShardToFullShape", "annotate_device_placement", "MoveToHost", "MoveToDevice", NULL };

	return spelling_listed(target, same) || !strncmp(target, "xla.sdy.", 8);
}

bool lower_effect(const inst *i)
{
	return inst_bool(i, "custom_call_has_side_effect", false);
}

/* Is the result, or its first part, the beginning of the rows of operand 0? */
static bool begins_rows(const inst *i)
{
	const shape *r = i->shape->type == T_TUPLE ? i->shape->n ? i->shape->elem[0] : NULL : i->shape, *x = i->noperand ? i->operand[0]->shape : NULL;
	int d;

	if (!r || !x || x->rank < 1 || x->rank != r->rank || x->dim[x->rank - 1] < r->dim[r->rank - 1])
		return false;
	for (d = 0; d < r->rank - 1 && x->dim[d] == r->dim[d]; d++)
		;
	return d == r->rank - 1;
}

bool lower_takes_largest(program *p, const inst *i)
{
	const attr *c = inst_attr(i, "called_computations"), *more = inst_attr(i, "backend_config");
	const char *order;
	int k;

	if (i->opcode == OP_SORT)
		return lower_sorts_largest(&p->a, i) && (p->ties_open || !lower_leaves_ties(&p->a, i));
	if (i->opcode == OP_TOPK)
		return begins_rows(i) && inst_bool(i, "largest", true);
	if (strcmp(lower_call_target(i), "TopK") || !begins_rows(i) || (more && (!more->text || *more->text)))
		return false;
	for (k = 0; c && k < c->n; k++) {	/* the order that the call stands for */
		order = lower_order(&p->a, c->comps[k]);
		if (!order || (strcmp(order, ">0") && strcmp(order, ">0 <1")))
			return false;
	}
	return true;
}

/* Is it read as its definition? Most are only where the other program does not call it too. */
static bool is_defined(const lowering *w, const inst *i)
{
	if (definition_is_vendor(i))
		return true;
	return w->other && definition_words(i) && !definition_called(w->other, lower_call_target(i));
}

/* As the computation of its definition; NULL when it has none. */
static val *defined(lowering *w, const inst *i, val **arg, const char *prefix)
{
	program *p = w->p;
	module *m = is_defined(w, i) ? definition_module(i) : NULL, **more;
	val *v;

	if (!m)
		return NULL;
	more = realloc(p->definition, sizeof *more * (size_t)(p->ndefinition + 1));
	if (!more) {
		die_hook("out of memory");
		return NULL;
	}
	p->definition = more;
	p->definition[p->ndefinition++] = m;
	lower_note(w, arena_printf(&p->a, "the custom call %s is read as %s", lower_call_target(i), definition_words(i)));
	v = lower_comp(w, m->entry, arg, lower_prefix(w, i, prefix));
	return v && v->n < i->shape->n ? emit_beyond(w, i, arg, prefix, v) : v;
}

val *lower_custom_call(lowering *w, const inst *i, val **arg, const char *prefix)
{
	const char *t = lower_call_target(i), *why;
	struct emit e;
	val *v;

	if (lower_is_marker(t) && i->noperand >= 1 && arg[0]->row >= 0 && lower_is_array(i->shape)) {
		const row *r = &w->p->row[arg[0]->row];
		bool same = r->type == (int)i->shape->type && r->rank == i->shape->rank &&
			    !memcmp(r->dim, i->shape->dim, sizeof *r->dim * (size_t)r->rank);
		if (same && i->noperand == 1) {
			e = emit_start(i, prefix, "marker");
			e.op = lower_rows(w, arg, 1, &e.nop);
			return val_row(w, lower_emit(w, &e));
		}
		return emit_plain(w, i, arg, prefix, "a resharding marker changes the shape");
	}
	if (lower_effect(i))
		return emit_plain(w, i, arg, prefix, "has an effect or hidden state");
	if ((v = defined(w, i, arg, prefix)))
		return v;
	if (lower_takes_largest(w->p, i))
		lower_note(w, "the custom call TopK takes the largest values of the last dimension, as topk does");
	if (!lower_crosses(i))
		lower_note(w, arena_printf(&w->p->a, "the custom call %s acts on each device alone", t));
	why = definition_refusal(&w->p->a, i);
	return emit_plain(w, i, arg, prefix, arena_printf(&w->p->a, "the custom call %s %s%s", t, why ? "is not read: " : "has no rule", why ? why : ""));
}
