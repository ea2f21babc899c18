/* lower_control.c - conditionals and reducers of pairs (RULES section 5, row conditional of 1.1).
 *
 * A conditional takes the branch its constant names; otherwise all branches are
 * computed and their results selected, when none of them holds a collective.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "lower/lower_in.h"
#include "lower/lower_known.h"

/* ---- conditionals */

static int branches_of(const inst *i, comp *const **out, comp **pair)
{
	const attr *a = inst_attr(i, "branch_computations");

	if (a) {
		*out = a->comps;
		return a->n;
	}
	pair[0] = inst_comp(i, "true_computation");
	pair[1] = inst_comp(i, "false_computation");
	*out = pair;
	return pair[0] && pair[1] ? 2 : 0;
}

static bool holds_collective(const comp *c)
{
	int k;

	for (k = 0; k < c->ninst; k++)
		if (lower_crosses(c->inst[k]))
			return true;
	return false;
}

static int select_row(lowering *w, const inst *i, const char *prefix, int pred, int x, int y, int *count)
{
	const row *r = &w->p->row[x];
	shape *s = shape_array(&w->p->a, (enum etype)r->type, r->rank, r->dim);
	struct emit e = emit_start(i, prefix, "select");
	int *op = ARENA_ARRAY(&w->p->a, int, 3);

	op[0] = pred;
	op[1] = x;
	op[2] = y;
	e.shape = s;
	e.element = (*count)++;
	e.nop = 3;
	e.op = op;
	return lower_emit(w, &e);
}

static val *select_val(lowering *w, const inst *i, const char *prefix, int pred, val *x, val *y, int *count)
{
	val *v;
	int k;

	if (x->elem && y->elem && x->n == y->n) {
		v = val_tuple(w, x->n);
		for (k = 0; k < x->n; k++)
			v->elem[k] = select_val(w, i, prefix, pred, x->elem[k], y->elem[k], count);
		return v;
	}
	if (x->row < 0 || y->row < 0 || x->row == y->row)
		return x;
	return val_row(w, select_row(w, i, prefix, pred, x->row, y->row, count));
}

/* The truth value "the index is k" as a row. */
static int index_is(lowering *w, const inst *i, const char *prefix, int index, int k, int *count)
{
	const row *r = &w->p->row[index];
	struct emit c = emit_start(i, prefix, "constant"), e = emit_start(i, prefix, "compare");
	int64_t *v = ARENA_ARRAY(&w->p->a, int64_t, 1);
	int *op = ARENA_ARRAY(&w->p->a, int, 2);

	v[0] = k;
	c.shape = shape_array(&w->p->a, (enum etype)r->type, 0, NULL);
	c.nint = 1;
	c.ints = v;
	c.element = (*count)++;
	op[0] = index;
	op[1] = lower_emit(w, &c);
	e.shape = shape_array(&w->p->a, T_PRED, 0, NULL);
	e.nop = 2;
	e.op = op;
	e.name = "EQ";
	e.element = (*count)++;
	return lower_emit(w, &e);
}

val *lower_conditional(lowering *w, const inst *i, val **arg, const char *prefix)
{
	comp *pair[2], *const *branch;
	int n = branches_of(i, &branch, pair), k, count = 0;
	bool by_pred = i->operand[0]->shape->type == T_PRED;
	known c;
	val *r;

	if (n < 1 || i->noperand != n + 1 || arg[0]->row < 0 || w->depth > 100)
		return emit_plain(w, i, arg, prefix, "a conditional that is not understood");
	c = known_of(&w->p->a, w->p, arg[0]);
	if (c.is) {
		k = by_pred ? !c.v : c.v < 0 || c.v >= n ? n - 1 : (int)c.v;	/* out of range: the last branch */
		return lower_comp(w, branch[k], &arg[1 + k], lower_prefix(w, i, prefix));
	}
	for (k = 0; k < n; k++)
		if (holds_collective(branch[k]))
			return emit_plain(w, i, arg, prefix, "not all devices take the same branch");
	r = lower_comp(w, branch[n - 1], &arg[n], lower_prefix(w, i, prefix));
	for (k = n - 2; k >= 0 && !w->failed; k--) {
		val *b = lower_comp(w, branch[k], &arg[1 + k], lower_prefix(w, i, prefix));
		int p = by_pred ? arg[0]->row : index_is(w, i, prefix, arg[0]->row, k, &count);
		r = select_val(w, i, prefix, p, b, r, &count);
	}
	return r;
}

/* ---- reducers of truth values, found by running them on all; of (value, payload) pairs, on all order types */

/* -0 is before 0 in the total order of floating point: one more order type than that of values has. */
static bool tells_zeros(const inst *i)
{
	const char *type = inst_text(i, "type");

	return type && !strcmp(type, "TOTALORDER") && etype_is_float(i->operand[0]->shape->type);
}

static bool run_reducer(const comp *c, const double *arg, double *out)
{
	double env[64];
	int k;

	if (c->ninst > 64)
		return false;
	for (k = 0; k < c->ninst; k++) {
		const inst *i = c->inst[k];
		double x = i->noperand > 0 ? env[i->operand[0]->index] : 0, y = i->noperand > 1 ? env[i->operand[1]->index] : 0;
		const char *d;
		switch (i->opcode) {
		case OP_PARAMETER:
			env[k] = arg[i->number];
			break;
		case OP_CONSTANT:
			if (i->shape->type != T_PRED || !i->literal || !i->literal->i)
				return false;
			env[k] = i->literal->i[0] != 0;
			break;
		case OP_COMPARE:
			d = inst_text(i, "direction");
			if (!d || tells_zeros(i))
				return false;
			env[k] = !strcmp(d, "EQ") ? x == y : !strcmp(d, "NE") ? x != y : !strcmp(d, "LT") ? x < y : !strcmp(d, "LE") ? x <= y
			       : !strcmp(d, "GT") ? x > y : x >= y;
			break;
		case OP_SELECT:
			env[k] = x != 0 ? y : env[i->operand[2]->index];
			break;
		case OP_AND:
			env[k] = x != 0 && y != 0;
			break;
		case OP_OR:
			env[k] = x != 0 || y != 0;
			break;
		case OP_NOT:
			env[k] = x == 0;
			break;
		case OP_MINIMUM:
			env[k] = isnan(x) || x < y ? x : y;
			break;
		case OP_MAXIMUM:
			env[k] = isnan(x) || x > y ? x : y;
			break;
		case OP_TUPLE:
			if (i != c->root || i->noperand != 2)
				return false;
			out[0] = x;
			out[1] = y;
			return true;
		default:
			return false;
		}
		if ((i->opcode == OP_AND || i->opcode == OP_OR || i->opcode == OP_NOT) && i->shape->type != T_PRED)
			return false;
	}
	out[0] = env[c->root->index];
	return true;
}

const char *lower_truth_kind(const comp *c)
{
	bool all = true, any = true;
	double arg[2], out[2];

	if (!c || c->nparam != 2 || c->root->shape->type != T_PRED || c->param[0]->shape->type != T_PRED || c->param[1]->shape->type != T_PRED)
		return NULL;
	for (arg[0] = 0; arg[0] < 2; arg[0]++)
		for (arg[1] = 0; arg[1] < 2; arg[1]++) {
			if (!run_reducer(c, arg, out))
				return NULL;
			all = all && out[0] == (arg[0] && arg[1]);
			any = any && out[0] == (arg[0] || arg[1]);
		}
	return all ? "and" : any ? "or" : NULL;
}

enum { NUMBERS = 4, KINDS = 3 };

/* Which kinds does a reducer of pairs behave as that meets (l, p) and (r, q)?  The least payload is not asked for where one is no number. */
static bool behaves(const comp *c, double l, double p, double r, double q, double sign, bool *left)
{
	const double arg[4] = { sign * l, p, sign * r, q };
	bool keep[KINDS] = { l >= r, l > r, l > r || (l == r && p < q) };
	double out[2], due;
	int k;

	if (!run_reducer(c, arg, out))
		return false;
	for (k = 0; k < KINDS; k++) {
		if (k == 2 && (isnan(p) || isnan(q)))
			continue;
		due = keep[k] ? p : q;
		left[k] = left[k] && out[0] == sign * (l > r ? l : r) && (isnan(due) ? isnan(out[1]) : out[1] == due);
	}
	return true;
}

/* The kind of a reducer of (value, payload) pairs that keeps the largest value, the smallest where `least`. */
static const char *choice_kind(const inst *i, bool least)
{
	const comp *c = inst_comp(i, "to_apply");
	static const char *const name[KINDS] = { "first", "last", "least" };
	bool left[KINDS] = { true, true, true };
	int l, r, p, q, k, most;

	if (!c || c->nparam != 4 || c->root->opcode != OP_TUPLE)
		return NULL;
	for (k = 0; k < 4; k++)
		if (c->param[k]->shape->type != i->operand[k % 2]->shape->type)
			return NULL;
	most = NUMBERS + etype_is_float(c->param[1]->shape->type);	/* a payload may be no number */
	for (l = 0; l < NUMBERS; l++)		/* four numbers in every order: a reducer may compare any two */
		for (r = 0; r < NUMBERS; r++)
			for (p = 0; p < most; p++)
				for (q = 0; q < most; q++)
					if (!behaves(c, l, p < NUMBERS ? p : NAN, r, q < NUMBERS ? q : NAN, least ? -1 : 1, left))
						return NULL;
	for (k = 0; k < KINDS; k++)
		if (left[k])
			return name[k];
	return NULL;
}

const char *lower_arg_kind(const inst *i, bool *least)
{
	const char *kind = choice_kind(i, false);

	*least = !kind;
	return kind ? kind : choice_kind(i, true);
}
