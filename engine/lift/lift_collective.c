/* lift_collective.c - collectives (RULES 1.5): a substitution for the device id.
 *
 * ints: dimension (-1 when there is none), number of groups, their sizes, the
 * members' device ids, groups one after another and every device once.
 * Groups that are no mesh axes stay tables (D8).
 */
#include "lift/token.h"

#include <stdlib.h>
#include <string.h>
#include "tensor/reducer.h"

struct members {
	int64_t n, max;		/* devices, largest group */
	bool uniform;
	int64_t *mem;		/* n by max: member k of a device's group (the first again beyond the end) */
	int64_t *size, *pos;
};

static bool members_of(lift *l, struct members *m, bool sorted)
{
	const int64_t *p = l->ints + 1, *size, *id;
	int64_t g, ng = *p++, k, total = 0;

	size = p;
	id = p + ng;
	memset(m, 0, sizeof *m);
	m->n = l->ndev;
	m->uniform = true;
	for (g = 0; g < ng; g++) {
		total += size[g];
		if (size[g] > m->max)
			m->max = size[g];
		if (size[g] != size[0])
			m->uniform = false;
	}
	if (total != m->n)
		return false;
	m->mem = ARENA_ARRAY(&l->a->s.a, int64_t, m->n * m->max);
	m->size = ARENA_ARRAY(&l->a->s.a, int64_t, m->n);
	m->pos = ARENA_ARRAY(&l->a->s.a, int64_t, m->n);
	memset(m->size, 0, sizeof *m->size * (size_t)m->n);
	for (g = 0; g < ng; id += size[g++]) {
		int64_t *own = ARENA_ARRAY(&l->a->s.a, int64_t, size[g]), i, j;
		memcpy(own, id, sizeof *own * (size_t)size[g]);
		for (i = 1; sorted && i < size[g]; i++)
			for (j = i; j > 0 && own[j - 1] > own[j]; j--) {
				int64_t t = own[j];
				own[j] = own[j - 1];
				own[j - 1] = t;
			}
		for (k = 0; k < size[g]; k++) {
			int64_t d = own[k];
			if (d < 0 || d >= m->n || m->size[d])
				return false;
			m->size[d] = size[g];
		}
		for (k = 0; k < size[g]; k++) {
			for (i = 0; i < m->max; i++)
				m->mem[own[k] * m->max + i] = own[i < size[g] ? i : 0];
			m->pos[own[k]] = k;
		}
	}
	return true;
}

static ix *member_ix(lift *l, const struct members *m, label *r, label *k)
{
	label **lab = ARENA_ARRAY(&l->a->s.a, label *, 2);

	lab[0] = r;
	lab[1] = k;
	return ix_table(&l->a->s, 2, lab, m->mem);
}

static ix *pos_ix(lift *l, const struct members *m, label *r)
{
	label **lab = ARENA_ARRAY(&l->a->s.a, label *, 1);

	lab[0] = r;
	return ix_table(&l->a->s, 1, lab, m->pos);
}

/* The reduction over the group of x read at index e of every member. */
static eg_id reduce_group(lift *l, const frame_of *f, const struct members *m, ix *const *e)
{
	scratch *s = &l->a->s;
	const char *op = reducer_of_type(l->name, l->type);
	bool add = !strcmp(op, "add") && l->type != T_PRED;
	label *k = label_new(s, m->max);
	work *w;

	k->bound = true;
	w = lift_reduction(l, f, k, member_ix(l, m, f->r, k), e);
	if (!m->uniform && (add || !strcmp(op, "multiply"))) {
		double *v;
		label **lab;
		int64_t r, i;
		if (!add || type_is_int(l->type))
			return refuse(l->a, "groups of different sizes");
		if (!fact_finite(l->a, l->op[0].x))
			return refuse(l->a, "zero times a tensor that may be infinite");
		v = ARENA_ARRAY(&s->a, double, m->n * m->max);
		lab = ARENA_ARRAY(&s->a, label *, 2);
		lab[0] = f->r;
		lab[1] = k;
		for (r = 0; r < m->n; r++)
			for (i = 0; i < m->max; i++)
				v[r * m->max + i] = i < m->size[r];
		w->nslot = 2;
		w->slot[1] = slot_table(TYPE_REAL, 2, lab, v, RAT_ONE);
	}
	return lift_finish(l, w, f);
}

static bool grouped(lift *l, struct members *m, bool sorted)
{
	if (lift_empty(l)) {
		refuse(l->a, "an empty tensor");
		return false;
	}
	if (!members_of(l, m, sorted)) {
		refuse(l->a, "the groups do not name every device once; where no channel_id is given they number replicas");
		return false;
	}
	return true;
}

static bool ready(lift *l, struct members *m, bool sorted)
{
	if (!lift_empty(l) && (l->ints[0] >= l->rank || (l->ints[0] >= 0 && l->op[0].l.rank != l->rank))) {
		refuse(l->a, "there is no dimension %lld", (long long)l->ints[0]);
		return false;
	}
	return grouped(l, m, sorted);
}

eg_id lift_all_reduce(lift *l)
{
	frame_of f = lift_frame(l);
	struct members m;
	eg_id r;

	if (!reducer_known(reducer_of_type(l->name, l->type)))
		return refuse(l->a, "no rule for this reducer");
	if (!ready(l, &m, true))
		return NIL;
	r = reduce_group(l, &f, &m, f.ie);
	token_reduced(l, r);
	return r;
}

eg_id lift_reduce_scatter(lift *l)
{
	frame_of f = lift_frame(l);
	struct members m;
	int d = (int)l->ints[0];
	ix **e = ARENA_ARRAY(&l->a->s.a, ix *, l->rank);

	if (!reducer_known(reducer_of_type(l->name, l->type)))
		return refuse(l->a, "no rule for this reducer");
	if (!ready(l, &m, false))
		return NIL;
	if (!m.uniform || l->op[0].l.dim[d] != l->dim[d] * m.max)
		return refuse(l->a, "the shapes do not fit the groups");
	memcpy(e, f.ie, sizeof *e * (size_t)l->rank);
	e[d] = ix_add(&l->a->s, f.ie[d], ix_times(&l->a->s, pos_ix(l, &m, f.r), l->dim[d]));
	return reduce_group(l, &f, &m, e);
}

/* The member number stands in an expression: a table read at (device, that expression). */
static ix *member_at(lift *l, const struct members *m, label *r, ix *which)
{
	scratch *s = &l->a->s;
	label *k = label_new(s, m->max);
	ix *g = member_ix(l, m, r, k);

	return ix_subst(s, g, 1, &k, &which);
}

eg_id lift_all_gather(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	struct members m;
	int d = (int)l->ints[0];
	ix **e = ARENA_ARRAY(&s->a, ix *, l->rank), *q, *r;

	if (!ready(l, &m, false))
		return NIL;
	if (!m.uniform || l->dim[d] != l->op[0].l.dim[d] * m.max)
		return refuse(l->a, "the shapes do not fit the groups");
	memcpy(e, f.ie, sizeof *e * (size_t)l->rank);
	ix_divmod(s, f.ie[d], l->op[0].l.dim[d], &q, &r);
	e[d] = r;
	return lift_moved(l, 0, lift_at(l, 0, member_at(l, &m, f.r, q), e), &f);
}

eg_id lift_all_to_all(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	struct members m;
	int d = (int)l->ints[0];
	ix **e = ARENA_ARRAY(&s->a, ix *, l->rank), *q, *r;
	int64_t part;

	if (!ready(l, &m, false))
		return NIL;
	if (!m.uniform || l->dim[d] % m.max)
		return refuse(l->a, "the shapes do not fit the groups");
	part = l->dim[d] / m.max;
	memcpy(e, f.ie, sizeof *e * (size_t)l->rank);
	ix_divmod(s, f.ie[d], part, &q, &r);
	e[d] = ix_add(s, r, ix_times(s, pos_ix(l, &m, f.r), part));
	return lift_moved(l, 0, lift_at(l, 0, member_at(l, &m, f.r, q), e), &f);
}

/* Element ints[0] of a tuple: operand number pos(R) of that member, piecewise over pos(R). */
eg_id lift_all_to_all_tuple(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	struct members m;
	ix *g, *pos;
	slot t = { 0 };
	work *w;
	int k;

	if (!grouped(l, &m, false))	/* ints[0] is no dimension here */
		return NIL;
	if (!m.uniform || l->nop != m.max)
		return refuse(l->a, "operands and results do not match");
	g = member_at(l, &m, f.r, ix_const(s, l->ints[0]));
	pos = pos_ix(l, &m, f.r);
	for (k = l->nop - 1; k >= 0; k--) {
		slot x = lift_slot(l, k, g, f.ie);
		test q = { pos, k, k + 1 };
		t = k == l->nop - 1 ? x : lift_select_slots(l, &f, slot_tests(&l->a->s, 1, &q), x, t);
	}
	w = lift_work(l, C_AT, NULL, 1, &f);
	w->type = core_type(l->a, t.x);
	w->slot[0] = t;
	return lift_finish(l, w, &f);
}

/* ints: pairs source, target; a device nobody sends to gets zero.  collective-broadcast is given as its pairs too. */
eg_id lift_permute(lift *l)
{
	frame_of f = lift_frame(l);
	scratch *s = &l->a->s;
	int64_t *src = ARENA_ARRAY(&s->a, int64_t, l->ndev), i;
	double *hit = arena_zalloc(&s->a, sizeof *hit * (size_t)l->ndev);
	bool all = true;
	slot x, zero, mask;
	ix *g;
	work *w;

	if (lift_empty(l))
		return refuse(l->a, "an empty tensor");
	for (i = 0; i < l->ndev; i++)
		src[i] = 0;
	for (i = 0; i + 1 < l->nint; i += 2) {
		int64_t from = l->ints[i], to = l->ints[i + 1];
		if (from < 0 || to < 0 || from >= l->ndev || to >= l->ndev)
			return refuse(l->a, "a pair names a device that does not exist");
		if (hit[to] != 0)
			return refuse(l->a, "a source or target repeats");
		hit[to] = 1;
		src[to] = from;
	}
	for (i = 0; i < l->ndev; i++)
		all = all && hit[i] != 0;
	g = ix_table(s, 1, &f.r, src);
	if (all)
		return lift_moved(l, 0, lift_at(l, 0, g, f.ie), &f);
	if (!type_has_zero(l->type))
		return refuse(l->a, "a device that nobody sends to gets zero, which %s does not have", etype_name((enum etype)l->type));
	mask = slot_table(T_PRED, 1, &f.r, hit, RAT_ONE);
	x = lift_slot(l, 0, g, f.ie);
	if (type_is_int(l->type))
		zero = slot_read(core_line(l->a, l->type), ix_const(s, 0), RAT_ONE);
	else
		zero = slot_read(core_rat(l->a, l->type == T_PRED ? T_PRED : TYPE_REAL, RAT_ZERO), ix_const(s, 0), RAT_ONE);
	w = lift_work(l, C_MAP, "select", 3, &f);
	w->slot[0] = mask;
	w->slot[1] = x;
	w->slot[2] = zero;
	return lift_finish(l, w, &f);
}
