#include "certify/rule_instances.h"

#include <stdio.h>
#include <string.h>
#include "core/normal.h"
#include "lift/instruction.h"
#include "pair/pair_in.h"
#include "rule/pattern.h"
#include "rule/rule_in.h"

enum { MOST_RANK = 4, MOST_OPERANDS = 4, MOST_INTS = 64, DEEPEST = 12 };

struct want {			/* what an instruction is to give */
	int type, rank;
	int64_t dim[2 * MOST_RANK];
};

struct drawn {			/* an instruction that gives it */
	int n;
	struct want op[MOST_OPERANDS];
	int nint;
	int64_t ints[MOST_INTS];
	const char *name;
};

struct making {
	pair *q;
	algebra *a;
	struct dice *d;
	const pattern *pat;
	int64_t ndev;
	eg_id *class;		/* per variable: its instruction, or NIL */
	eg_val *val;		/* per variable: its attribute, or NIL */
	eg_id (*list)[MOST_OPERANDS];	/* per variable: a sequence of them */
	int *nlist;		/* -1: not yet */
	bool *made;		/* per atom */
	int depth;
	rule_instance *out;
};

static eg_id fails(struct making *m, const char *why, bool never)
{
	m->out->why = why;
	m->out->never = never;
	return NIL;
}

/* ---- types and extents */

static int some_type(struct making *m, char types)
{
	static const int all[] = { T_F32, T_F32, T_F32, T_F32, T_S32, T_S32, T_PRED, T_PRED, T_BF16, T_F64 };
	int t;

	do
		t = all[below(m->d, 10)];
	while (!instruction_takes(types, t));
	return t;
}

static struct want some_want(struct making *m, char types)
{
	struct want w = { .type = some_type(m, types), .rank = below(m->d, MOST_RANK) };
	int k;

	for (k = 0; k < w.rank; k++)
		w.dim[k] = 1 + below(m->d, 4);
	return w;
}

static struct want scalar(int type)
{
	return (struct want){ .type = type };
}

static void shuffle(struct making *m, int64_t *v, int n)
{
	int k;

	for (k = n - 1; k > 0; k--) {
		int j = below(m->d, k + 1);
		int64_t t = v[k];
		v[k] = v[j];
		v[j] = t;
	}
}

static void insert_dim(struct want *w, int at, int64_t extent)
{
	memmove(w->dim + at + 1, w->dim + at, sizeof *w->dim * (size_t)(w->rank - at));
	w->dim[at] = extent;
	w->rank++;
}

/* ---- one instruction that gives r; false: none does */

static bool draw_by_places(struct making *m, const struct by_places *e, const struct want *r, struct drawn *o)
{
	uint32_t k;

	if (!instruction_takes(e->types, r->type))
		return false;
	o->n = (int)e->n;
	for (k = 0; k < e->n; k++)
		o->op[k] = *r;
	switch (e->types) {
	case 'q':
		o->op[0].type = o->op[1].type = some_type(m, 'a');
		o->name = instruction_order[below(m->d, INSTRUCTION_ORDERS)];
		break;
	case 'p':
		o->op[0].type = some_type(m, 'f');
		break;
	case 'c':
		o->op[0].type = some_type(m, 'a');
		break;
	case 's':
		o->op[0] = below(m->d, 3) ? o->op[0] : scalar(T_PRED);
		o->op[0].type = T_PRED;
		break;
	case 'm':
		o->op[0] = below(m->d, 2) ? *r : scalar(r->type);
		o->op[2] = below(m->d, 2) ? *r : scalar(r->type);
		break;
	default:
		break;
	}
	return true;
}

static bool draw_transpose(struct making *m, const struct want *r, struct drawn *o)
{
	int k;

	o->op[0] = *r;
	for (k = 0; k < r->rank; k++)
		o->ints[k] = k;
	o->nint = r->rank;
	shuffle(m, o->ints, r->rank);
	for (k = 0; k < r->rank; k++)
		o->op[0].dim[o->ints[k]] = r->dim[k];
	return true;
}

static bool draw_broadcast(struct making *m, const struct want *r, struct drawn *o)
{
	int k;

	o->op[0] = scalar(r->type);
	for (k = 0; k < r->rank; k++)
		if (below(m->d, 2)) {
			o->ints[o->nint++] = k;
			o->op[0].dim[o->op[0].rank++] = r->dim[k];
		}
	return true;
}

/* Two dimensions in one, one cut in two, or one more of one place. */
static bool draw_reshape(struct making *m, const struct want *r, struct drawn *o)
{
	int at = r->rank ? below(m->d, r->rank) : 0;
	struct want *x = &o->op[0];

	*x = *r;
	if (r->rank > 1 && at + 1 < r->rank && below(m->d, 2)) {
		x->dim[at] *= x->dim[at + 1];
		memmove(x->dim + at + 1, x->dim + at + 2, sizeof *x->dim * (size_t)(r->rank - at - 2));
		x->rank--;
	} else if (r->rank && r->dim[at] == 4 && r->rank < MOST_RANK) {
		x->dim[at] = 2;
		insert_dim(x, at, 2);
	} else if (r->rank < MOST_RANK) {
		insert_dim(x, at, 1);
	}
	return true;
}

static bool draw_reverse(struct making *m, const struct want *r, struct drawn *o)
{
	int k;

	o->op[0] = *r;
	for (k = 0; k < r->rank; k++)
		if (below(m->d, 2))
			o->ints[o->nint++] = k;
	return true;
}

static bool draw_slice(struct making *m, const struct want *r, struct drawn *o)
{
	int k;

	o->op[0] = *r;
	for (k = 0; k < r->rank; k++) {
		int64_t from = below(m->d, 3), by = 1 + below(m->d, 2), to = from + (r->dim[k] - 1) * by + 1;
		o->ints[o->nint++] = from;
		o->ints[o->nint++] = to;
		o->ints[o->nint++] = by;
		o->op[0].dim[k] = to + below(m->d, 2);
	}
	return true;
}

static bool draw_pad(struct making *m, const struct want *r, struct drawn *o)
{
	int k;

	o->n = 2;
	o->op[0] = *r;
	o->op[1] = scalar(r->type);
	for (k = 0; k < r->rank; k++) {
		int64_t n = 1 + below(m->d, r->dim[k]), inside = n == 2 && r->dim[k] > 2 && below(m->d, 2), low;
		low = below(m->d, r->dim[k] - n - (n - 1) * inside + 1);
		o->ints[o->nint++] = low;
		o->ints[o->nint++] = r->dim[k] - n - (n - 1) * inside - low;
		o->ints[o->nint++] = inside;
		o->op[0].dim[k] = n;
	}
	return true;
}

/* o->n: as many operands as the rule asks for, 0 any. */
static bool draw_concatenate(struct making *m, const struct want *r, struct drawn *o)
{
	int64_t left, d;
	int k;

	if (!r->rank)
		return false;
	d = o->ints[o->nint++] = below(m->d, r->rank);
	left = r->dim[d];
	o->n = o->n ? o->n : 1 + below(m->d, 3);
	if (left < o->n)
		return false;
	for (k = 0; k < o->n; k++) {
		o->op[k] = *r;
		o->op[k].dim[d] = k + 1 == o->n ? left : 1 + below(m->d, left - (o->n - k - 1));
		left -= o->op[k].dim[d];
	}
	return true;
}

static bool draw_dot(struct making *m, const struct want *r, struct drawn *o)
{
	int nb = r->rank && below(m->d, 2), left = below(m->d, r->rank - nb + 1), k;
	int64_t extent = 1 + below(m->d, 4);

	o->n = 2;
	o->op[0] = o->op[1] = scalar(r->type);
	for (k = 0; k < r->rank; k++) {
		if (k < nb || k < nb + left)
			insert_dim(&o->op[0], o->op[0].rank, r->dim[k]);
		if (k < nb || k >= nb + left)
			insert_dim(&o->op[1], o->op[1].rank, r->dim[k]);
	}
	o->ints[o->nint++] = nb;
	for (k = 0; k < 2 * nb; k++)
		o->ints[o->nint++] = 0;
	o->ints[o->nint++] = 1;
	for (k = 0; k < 2; k++) {
		int at = nb + below(m->d, o->op[k].rank - nb + 1);
		insert_dim(&o->op[k], at, extent);
		o->ints[o->nint++] = at;
	}
	return true;
}

static const char *some_fold(struct making *m, int type)
{
	static const char *const number[] = { "add", "multiply", "maximum", "minimum" }, *const truth[] = { "and", "or" };

	return type == T_PRED ? truth[below(m->d, 2)] : number[below(m->d, 3) ? 0 : below(m->d, 4)];
}

static bool draw_reduce(struct making *m, const struct want *r, struct drawn *o)
{
	int n = 1 + below(m->d, 2), k;

	o->n = 2;
	o->op[0] = *r;
	o->op[1] = scalar(r->type);
	o->name = some_fold(m, r->type);
	for (k = 0; k < n; k++)
		insert_dim(&o->op[0], o->op[0].rank, 1 + below(m->d, 3));
	for (k = 0; k < n; k++)
		o->ints[o->nint++] = r->rank + k;
	if (r->rank && below(m->d, 2)) {		/* the first dimension instead of the last */
		int64_t last = o->op[0].dim[r->rank + n - 1];
		memmove(o->op[0].dim + 1, o->op[0].dim, sizeof *o->op[0].dim * (size_t)(r->rank + n - 1));
		o->op[0].dim[0] = last;
		o->ints[n - 1] = 0;
		for (k = 0; k < n - 1; k++)
			o->ints[k] = r->rank + k + 1;
	}
	return true;
}

static bool draw_dynamic_slice(struct making *m, const struct want *r, struct drawn *o)
{
	int k;

	o->n = 1 + r->rank;
	o->op[0] = *r;
	for (k = 0; k < r->rank; k++) {
		o->op[0].dim[k] += below(m->d, 3);
		o->op[1 + k] = scalar(T_S32);
	}
	return true;
}

static bool draw_dynamic_update_slice(struct making *m, const struct want *r, struct drawn *o)
{
	int k;

	if (r->rank > 2)
		return false;
	o->n = 2 + r->rank;
	o->op[0] = o->op[1] = *r;
	for (k = 0; k < r->rank; k++) {
		o->op[1].dim[k] = 1 + below(m->d, r->dim[k]);
		o->op[2 + k] = scalar(T_S32);
	}
	return true;
}

/* The devices in groups of one size, in any order: their size. */
static int64_t put_groups(struct making *m, struct drawn *o, int64_t dim)
{
	int64_t size = m->ndev > 1 && below(m->d, 3) ? m->ndev >> below(m->d, 2) : m->ndev, k;

	o->ints[o->nint++] = dim;
	o->ints[o->nint++] = m->ndev / size;
	for (k = 0; k < m->ndev / size; k++)
		o->ints[o->nint++] = size;
	for (k = 0; k < m->ndev; k++)
		o->ints[o->nint + k] = k;
	if (below(m->d, 2))
		shuffle(m, o->ints + o->nint, (int)m->ndev);
	o->nint += (int)m->ndev;
	return size;
}

static bool draw_all_reduce(struct making *m, const struct want *r, struct drawn *o)
{
	o->op[0] = *r;
	o->name = some_fold(m, r->type);
	put_groups(m, o, -1);
	return true;
}

static bool draw_all_gather(struct making *m, const struct want *r, struct drawn *o)
{
	int d = r->rank ? below(m->d, r->rank) : 0;
	int64_t n = put_groups(m, o, d);

	o->op[0] = *r;
	if (!r->rank || r->dim[d] % n)
		return false;
	o->op[0].dim[d] /= n;
	return true;
}

static bool draw_reduce_scatter(struct making *m, const struct want *r, struct drawn *o)
{
	int d = r->rank ? below(m->d, r->rank) : 0;

	o->op[0] = *r;
	o->name = some_fold(m, r->type);
	o->op[0].dim[d] *= put_groups(m, o, d);
	return r->rank > 0;
}

static bool draw_all_to_all(struct making *m, const struct want *r, struct drawn *o)
{
	int d = r->rank ? below(m->d, r->rank) : 0;

	o->op[0] = *r;
	return r->rank && r->dim[d] % put_groups(m, o, d) == 0;
}

static bool draw_iota(struct making *m, const struct want *r, struct drawn *o)
{
	o->n = 0;
	o->nint = 1;
	o->ints[0] = r->rank ? below(m->d, r->rank) : 0;
	return r->rank > 0;
}

static const struct draw { const char *family; char types; bool (*fn)(struct making *m, const struct want *r, struct drawn *o); } draws[] = {
	{ "transpose", 'a', draw_transpose }, { "broadcast", 'a', draw_broadcast }, { "reshape", 'a', draw_reshape },
	{ "reverse", 'a', draw_reverse }, { "slice", 'a', draw_slice }, { "pad", 'a', draw_pad }, { "concatenate", 'a', draw_concatenate },
	{ "dot", 'n', draw_dot }, { "reduce", 'a', draw_reduce }, { "dynamic-slice", 'a', draw_dynamic_slice },
	{ "dynamic-update-slice", 'a', draw_dynamic_update_slice }, { "all-reduce", 'a', draw_all_reduce },
	{ "all-gather", 'a', draw_all_gather }, { "reduce-scatter", 'a', draw_reduce_scatter }, { "all-to-all", 'a', draw_all_to_all },
	{ "iota", 'n', draw_iota },
};

static const struct draw *draw_of(const char *family)
{
	size_t i;

	for (i = 0; i < sizeof draws / sizeof *draws; i++)
		if (!strcmp(draws[i].family, family))
			return &draws[i];
	return NULL;
}

/* What the results of a family may be; 0: no instruction of it can be drawn. */
static char types_of(const char *family)
{
	const struct by_places *e = instruction_by_places(family);
	const struct draw *d = draw_of(family);

	return e ? e->types : d ? d->types : 0;
}

static bool draw(struct making *m, const char *family, const struct want *r, struct drawn *o)
{
	const struct by_places *e = instruction_by_places(family);
	const struct draw *d = draw_of(family);

	if (e)
		return draw_by_places(m, e, r, o);
	return d && instruction_takes(d->types, r->type) && d->fn(m, r, o);
}

/* ---- nodes */

static eg_id node(struct making *m, eg_fam f, const eg_val *val, int n, const eg_id *arg)
{
	eg_id x = core_build(m->a, eg_operator(m->a->g, f, 4, val), (uint32_t)n, arg);

	normal_ask(m->a, x);
	return x;
}

static void values_of(struct making *m, const struct want *w, int nint, const int64_t *ints, const char *name, eg_val *val)
{
	int64_t shape[1 + 2 * MOST_RANK];

	shape[0] = m->ndev;
	memcpy(shape + 1, w->dim, sizeof *shape * (size_t)w->rank);
	val[0] = ints_type(m->a, w->type);
	val[1] = val_ints(m->a, w->rank + 1, shape);
	val[2] = val_ints(m->a, nint, ints);
	val[3] = val_name(m->a, name ? name : "");
}

/* An instruction of which nothing is known. */
static eg_id leaf(struct making *m, const char *name, const struct want *w)
{
	rule_instance *o = m->out;
	char own[80];
	eg_val val[4];

	if (o->nleaf == INSTANCE_LEAVES)
		return fails(m, "it has too many operands", true);
	snprintf(own, sizeof own, "check %d %.40s", o->nleaf, name);
	values_of(m, w, 0, NULL, own, val);
	o->leaf[o->nleaf].name = name;
	return o->leaf[o->nleaf++].node = node(m, pair_family(m->q, "unique"), val, 0, NULL);
}

static bool gives(struct making *m, eg_id x, const struct want *w)
{
	tensor_form f;

	return instruction_form(m->a, x, &f) && f.type == w->type && f.rank == w->rank && f.ndev == m->ndev &&
	       !memcmp(f.dim, w->dim, sizeof *w->dim * (size_t)w->rank);
}

static eg_id make_atom(struct making *m, uint32_t at, const struct want *w);

static const atom *defining(struct making *m, uint32_t var, uint32_t *at)
{
	for (*at = 0; *at < m->pat->natom; ++*at) {
		const atom *x = &m->pat->atom[*at];
		if (x->kind == ATOM_TABLE && !m->made[*at] && x->out.kind == OPERAND_VAR && x->out.id == var)
			return x;
	}
	return NULL;
}

static eg_id make_class(struct making *m, const operand *o, const struct want *w)
{
	const char *name;
	uint32_t at;
	eg_id x;

	if (o->kind != OPERAND_VAR)
		return fails(m, "it is about an instruction of its own", true);
	x = m->class[o->id];
	if (x != NIL)
		return gives(m, x, w) ? x : fails(m, "what stands twice would have two types or extents", false);
	name = m->pat->var[o->id].name;
	x = defining(m, o->id, &at) ? make_atom(m, at, w) : leaf(m, name ? name : "_", w);
	return m->class[o->id] = x;
}

/* The sequence behind the operands that the rule names: operands from k on. */
static bool make_rest(struct making *m, const operand *o, const struct drawn *x, int k, eg_id *arg)
{
	static const char *const name[] = { "xs 0", "xs 1", "xs 2", "xs 3" };
	int i, n = x->n - k;

	if (o->kind != OPERAND_VAR)
		return n == 0;
	if (m->nlist[o->id] < 0) {
		m->nlist[o->id] = n;
		for (i = 0; i < n; i++)
			if ((m->list[o->id][i] = leaf(m, name[i], &x->op[k + i])) == NIL)
				return false;
	}
	if (m->nlist[o->id] != n)
		return false;
	for (i = 0; i < n; i++) {
		arg[k + i] = m->list[o->id][i];
		if (!gives(m, arg[k + i], &x->op[k + i]))
			return false;
	}
	return true;
}

/* Attributes that are known already are taken, the others are known from now on. */
static bool agree(struct making *m, const atom *at, eg_val *val)
{
	uint32_t k;

	for (k = 0; k < at->nval && k < 4; k++)
		if (at->val[k].kind == OPERAND_VAR) {
			eg_val *known = &m->val[at->val[k].id];
			*known = *known == NIL ? val[k] : *known;
			val[k] = *known;
		} else if (at->val[k].kind == OPERAND_VALUE) {
			val[k] = at->val[k].id;
		}
	return at->nval == 4;
}

static eg_id make_atom(struct making *m, uint32_t index, const struct want *w)
{
	const atom *at = &m->pat->atom[index];
	struct drawn x = { .n = 1 };
	eg_id arg[MOST_OPERANDS];
	eg_val val[4];
	const char *why;
	uint32_t k;

	m->made[index] = true;
	if (!types_of(at->table->name))
		return fails(m, "instructions of this kind are not drawn at random", true);
	if (++m->depth > DEEPEST)
		return fails(m, "it looks too deep", true);
	if (!strcmp(at->table->name, "concatenate"))
		x.n = at->rest.kind == OPERAND_VAR ? 0 : (int)at->narg;
	if (!draw(m, at->table->name, w, &x) || (uint32_t)x.n < at->narg || (at->rest.kind != OPERAND_VAR && (uint32_t)x.n != at->narg))
		return fails(m, "no instruction was drawn that has the operands the rule names and gives what it asks for", false);
	values_of(m, w, x.nint, x.ints, x.name, val);
	if (!agree(m, at, val))
		return fails(m, "it is about no instruction", true);
	for (k = 0; k < at->narg; k++)
		if ((arg[k] = make_class(m, &at->arg[k], &x.op[k])) == NIL)
			return NIL;
	if (!make_rest(m, &at->rest, &x, (int)at->narg, arg))
		return fails(m, m->out->why ? m->out->why : "two sequences of operands do not fit each other", false);
	why = instruction_fault(m->a, at->table->fam, 4, val, (uint32_t)x.n, arg);
	return why ? fails(m, why, false) : node(m, at->table->fam, val, x.n, arg);
}

static void begin(struct making *m, arena *s)
{
	uint32_t n = m->pat->nreg + 1, k;

	m->class = ARENA_ARRAY(s, eg_id, n);
	m->val = ARENA_ARRAY(s, eg_val, n);
	m->nlist = ARENA_ARRAY(s, int, n);
	m->list = arena_alloc(s, sizeof *m->list * n);
	m->made = arena_zalloc(s, m->pat->natom + 1);
	for (k = 0; k < n; k++) {
		m->class[k] = m->val[k] = NIL;
		m->nlist[k] = -1;
	}
}

bool rule_instance_make(pair *q, uint32_t rule, struct dice *d, rule_instance *out)
{
	struct making m = { .q = q, .a = &q->p->a, .d = d, .pat = rules_at(q->p->r, rule)->pattern, .out = out };
	uint32_t at;
	struct want w;
	char types;

	memset(out, 0, sizeof *out);
	out->root = NIL;
	for (at = 0; at < m.pat->natom && m.pat->atom[at].kind != ATOM_TABLE; at++)
		;
	begin(&m, &m.a->s.a);
	m.ndev = (int64_t)1 << below(d, 3);
	types = at < m.pat->natom ? types_of(m.pat->atom[at].table->name) : 0;
	w = some_want(&m, types ? types : 'a');
	if (at == m.pat->natom)
		fails(&m, "it starts at no instruction", true);
	else
		out->root = make_atom(&m, at, &w);
	if (out->root != NIL && m.pat->atom[at].out.kind == OPERAND_VAR)
		m.class[m.pat->atom[at].out.id] = out->root;
	return out->root != NIL;
}
