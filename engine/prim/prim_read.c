/* prim_read.c - what a slot reads and where: forward, symmetry, absorb, select-out, push, alone, order, merge. */
#include "prim/prim.h"

#include "core/renewal.h"
#include "util/hash.h"

/* A sum, a product or an extreme of one operand, which is that operand (prim_read_alone). */
static bool stands_alone(const algebra *a, eg_id n)
{
	enum core_kind k = core_kind(a, n);
	pairing p;

	if (k != C_SUM && k != C_MUL && k != C_LAT && k != C_RED)
		return false;
	p = pairing_read(a, n);
	return p.nslot == 1 && !p.nbound && rat_is_int(core_coef(a, n, 0), 1);
}

/* An operand in a class that is a view of a better one is read there.  Not where nothing but it is read: a sum of one term of
 * a class that is a view of the sum's would be followed by another for ever. */
eg_id prim_read_forward(algebra *a, eg_id n)
{
	work *w = NULL;
	uint32_t k, narg = eg_narg(a->g, n);
	eg_id own = eg_root(a->g, n);
	const eg_id *arg = eg_args(a->g, n);
	label **dl;
	hop h;
	int i, nd = 0;

	for (k = 0; k < narg; k++) {
		if (eg_root(a->g, arg[k]) == own || !view_hop(a, arg[k], &h) || eg_root(a->g, h.y) == own)
			continue;
		if (!w) {
			if (stands_alone(a, n))
				return NIL;
			w = work_open(a, n);
			nd = work_data(a, w, &dl);
		}
		history_premise(a, arg[k], h.via);
		if ((int)k < w->nslot) {
			w->slot[k].e = digits_read(&a->s, h.n, h.d, w->slot[k].e);
			w->slot[k].x = h.y;
			continue;
		}
		for (i = 0; i < nd; i++) {
			datum *d;
			if (dl[i]->data->core != arg[k])
				continue;
			d = ARENA_NEW(&a->s.a, datum);
			*d = *dl[i]->data;
			d->at = digits_read(&a->s, h.n, h.d, d->at);
			d->core = h.y;
			dl[i]->data = d;
		}
	}
	return w ? work_result(a, w) : NIL;
}

/* A slot takes the least of the forms under the symmetries of what it reads. */
eg_id prim_read_symmetry(algebra *a, eg_id n)
{
	const eg_id *arg = eg_args(a->g, n);
	eg_id v[8];
	int k, i, nv;
	pairing p = pairing_read(a, n);

	for (k = 0; k < p.nslot; k++) {
		nv = view_symmetries(a, arg[k], v, 8);
		for (i = 0; i < nv; i++) {
			work *w = work_open(a, n);
			int nd;
			const digit *d = val_get_digits(a, node_val(a, v[i], 0), &nd);
			w->slot[k].e = digits_read(&a->s, nd, d, w->slot[k].e);
			if (work_compare(a, w, work_open(a, n)) >= 0)
				continue;
			history_premise(a, eg_args(a->g, v[i])[0], arg[k]);
			history_premise(a, arg[k], v[i]);
			return work_result(a, w);
		}
	}
	return NIL;
}

/* An operand that is a selection of an atom is read through. */
eg_id prim_read_absorb(algebra *a, eg_id n)
{
	work *w = NULL;
	const eg_id *arg = eg_args(a->g, n);
	pairing p = pairing_read(a, n);
	int k, m;

	for (k = 0; k < p.nslot; k++) {
		eg_id o = peek(a, arg[k]);
		slot *s;
		if (core_kind(a, o) != C_AT || !normal_opens(a, o, n) || !core_atom(a, peek(a, eg_args(a->g, o)[0])))
			continue;
		if (!w)
			w = work_open(a, n);
		s = work_inline(a, o, w->slot[k].e, w, &m);
		opened(a, arg[k], o);
		w->slot[k].x = s[0].x;
		w->slot[k].e = s[0].e;
	}
	return w ? work_result(a, w) : NIL;
}

/* Is the core a reading of an atom, or the line itself? */
static bool reads_atom(const algebra *a, eg_id x)
{
	eg_id o = peek(a, x);

	return core_kind(a, o) == C_INDEX || (core_kind(a, o) == C_AT && core_atom(a, peek(a, eg_args(a->g, o)[0])));
}

/* The value of a datum as an index: the expression where it is one, else what the atom holds.  NULL: it leaves its range. */
static ix *datum_read(algebra *a, const datum *d)
{
	eg_id o = peek(a, d->core);
	slot *s, t = slot_read(d->core, (ix *)d->at, RAT_ONE);
	int64_t lo, hi;
	ix *e;
	int m;

	if (core_kind(a, o) == C_INDEX || core_kind(a, peek(a, eg_args(a->g, o)[0])) == C_INDEX) {
		if (!slot_index(a, &t, &e))
			return NULL;
		ix_range(&a->s, e, &lo, &hi);
		return lo < 0 || hi >= d->full ? NULL : e;
	}
	s = work_inline(a, o, d->at, work_new(a, C_AT, core_type(a, o), 1), &m);
	opened(a, d->core, o);
	return ix_of(&a->s, label_data(&a->s, s[0].x, ix_norm(&a->s, s[0].e), d->full), 1);
}

/* N5: a digit of a value that is a selection of an atom is one of what the atom holds, of an index expression one of that. */
eg_id prim_read_absorb_data(algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	const eg_id *arg = eg_args(a->g, n);
	uint32_t i, narg = eg_narg(a->g, n);
	label **l, **from;
	ix **to, *e, *q, *r;
	int k, nl, m = 0;
	work *w;

	for (i = (uint32_t)p.nslot; i < narg && !reads_atom(a, arg[i]); i++)
		;
	if (!p.ndata || i == narg)
		return NIL;
	w = work_open(a, n);
	nl = work_data(a, w, &l);
	from = ARENA_ARRAY(&a->s.a, label *, nl);
	to = ARENA_ARRAY(&a->s.a, ix *, nl);
	for (k = 0; k < nl; k++) {
		const datum *d = l[k]->data;
		if (eg_root(a->g, d->core) == eg_root(a->g, n) || !reads_atom(a, d->core))
			continue;
		e = datum_read(a, d);
		if (!e)
			return refuse(a, "the index leaves its range");
		ix_divmod(&a->s, e, d->div, &q, &r);
		ix_divmod(&a->s, q, l[k]->n, &q, &r);
		from[m] = l[k];
		to[m++] = r;
	}
	for (k = 0; k < w->nslot; k++)
		w->slot[k].e = ix_subst(&a->s, w->slot[k].e, m, from, to);
	return m ? work_result(a, w) : NIL;
}

/* Labels of e without data, each once, those that data read among them; falling stride. */
static int selection_labels(algebra *a, const slot *t, label ***out)
{
	label **all;
	int n = slot_labels(a, t, &all), i, j, m = 0;

	*out = ARENA_ARRAY(&a->s.a, label *, n);
	for (i = 0; i < n; i++) {
		if (all[i]->data)
			continue;
		for (j = m++; j > 0 && ix_stride(t->e, (*out)[j - 1]) < ix_stride(t->e, all[i]); j--)
			(*out)[j] = (*out)[j - 1];
		(*out)[j] = all[i];
	}
	return m;
}

/* Plain labels whose digits are those of an index below len, each once: then ix_renames holds. */
static bool expr_renames(const pairing *p, const pair_expr *x, int64_t len)
{
	int n = p->nfree + p->nbound, j, k, used;
	int64_t st = 1;

	if (x->ntab || x->base)
		return false;
	for (j = n; j < n + p->ndata; j++)
		if (x->stride[j])
			return false;
	for (j = used = 0; j < n; j++)
		used += x->stride[j] != 0;
	for (k = 0; k < used; k++) {	/* the digit that stands next */
		for (j = 0; j < n && x->stride[j] != st; j++)
			;
		if (j == n || p->size[j] < 2)
			return false;
		st *= p->size[j];
	}
	return st == len;
}

/* A slot keeps only a renaming of digits; the rest becomes a node of its own. */
eg_id prim_read_select_out(algebra *a, eg_id n)
{
	const eg_id *arg = eg_args(a->g, n);
	pairing p = pairing_read(a, n);
	work *w = NULL;
	const int64_t *at = p.word;
	int k, m;
	label **l;

	if (core_kind(a, n) == C_AT)
		return NIL;
	for (k = 0; k < p.nslot; k++) {
		work *t, *probe;
		placed q;
		eg_id o = peek(a, arg[k]);
		pair_expr x;
		at = pairing_expr(&p, at, &x);
		if (eg_root(a->g, arg[k]) == eg_root(a->g, n) || core_atom(a, o) || expr_renames(&p, &x, core_len(a, arg[k])))
			continue;
		probe = w ? w : work_open(a, n);
		if (ix_renames(&a->s, probe->slot[k].e, core_len(a, arg[k])))
			continue;
		w = probe;
		w->slot[k].e = ix_norm(&a->s, w->slot[k].e);
		m = selection_labels(a, &w->slot[k], &l);
		t = work_new(a, C_AT, core_type(a, arg[k]), 1);
		work_set_free(a, t, m, l);
		t->nslot = 1;
		t->slot[0] = slot_read(arg[k], w->slot[k].e, RAT_ONE);
		q = work_make(a, t);
		w->slot[k].x = q.n;
		w->slot[k].e = placed_ix(a, &q);
	}
	return w ? work_result(a, w) : NIL;
}

/* N1: a selection of f(x..) is f of the selections. */
eg_id prim_read_push(algebra *a, eg_id n)
{
	eg_id x = eg_args(a->g, n)[0], o = peek(a, x);
	enum core_kind k = core_kind(a, o);
	work *w, *r;
	slot *s;
	int m;

	if (k != C_MAP && k != C_SUM && k != C_MUL && k != C_EIN && k != C_RED && k != C_LAT && k != C_PICK)
		return NIL;
	if (!normal_opens(a, o, n))
		return refuse(a, "%s is defined by itself", core_kind_name(k));
	w = work_open(a, n);
	if (ix_renames(&a->s, w->slot[0].e, core_len(a, o)))
		return NIL;
	s = work_inline(a, o, w->slot[0].e, w, &m);
	opened(a, x, o);
	r = work_like(a, w, k, m, s);
	r->type = core_type(a, o);
	r->fn = k == C_SUM || k == C_MUL || k == C_EIN ? NIL : node_val(a, o, 2);
	return work_result(a, r);
}

/* An index expression that is the whole value of one data label is the core that is read. */
static eg_id whole_value(algebra *a, work *w)
{
	const ix *e = ix_norm(&a->s, w->slot[0].e);
	const label *l = e->nt == 1 ? e->t[0].l : NULL;

	if (!l || e->ntab || e->base || e->t[0].s != 1 || !l->data || l->data->div != 1 || l->n != l->data->full ||
	    core_type(a, l->data->core) != w->type)
		return NIL;
	return result_slot(a, w, slot_read(l->data->core, (ix *)l->data->at, RAT_ONE));
}

/* One operand, coefficient 1, nothing summed: the operand itself. */
eg_id prim_read_alone(algebra *a, eg_id n)
{
	enum core_kind k = core_kind(a, n);
	pairing p = pairing_read(a, n);
	work *w;

	if ((k == C_SUM || k == C_MUL) && p.nslot == 0)
		return result_number(a, work_open(a, n), (rat){ k == C_MUL, 1 });
	if (k == C_EIN && p.nbound == 0) {
		w = work_open(a, n);
		return work_result(a, work_like(a, w, C_MUL, w->nslot, w->slot));
	}
	if (p.nslot != 1 || p.nbound || (k != C_AT && !stands_alone(a, n)))
		return NIL;
	w = work_open(a, n);
	if (eg_root(a->g, w->slot[0].x) == eg_root(a->g, n)) {	/* itself: the operand as it was written */
		eg_id r;
		if (!ix_renames(&a->s, w->slot[0].e, core_len(a, w->slot[0].x)))
			return NIL;
		r = result_slot(a, w, w->slot[0]);
		return core_kind(a, r) == C_VIEW ? NIL : r;
	}
	if (k == C_AT && core_kind(a, peek(a, w->slot[0].x)) == C_INDEX)
		return whole_value(a, w);
	if (k == C_AT && !ix_renames(&a->s, w->slot[0].e, core_len(a, w->slot[0].x)))
		return NIL;
	return result_slot(a, w, w->slot[0]);
}

/* N2: operands and labels in the order of the normal form; neighbouring labels that are neighbours everywhere are one. */
eg_id prim_pairing_merge(algebra *a, eg_id n)
{
	pairing p = pairing_read(a, n);
	uint64_t pattern;
	eg_id r;

	if (p.nfree + p.nbound + p.ndata < 2 && p.nslot < 2 && !reads_tables(a, n))
		return NIL;
	pattern = renewal_pattern(a, n);
	if (renewal_is_known(a, n, RENEWED_AS_READ, pattern))
		return NIL;
	r = work_renewed(a, work_open(a, n), n);
	if (r == NIL)
		renewal_keep(a, n, RENEWED_AS_READ, pattern);
	return r;
}

/* Is operand x a constant that may be held as a table of values: one, or a reading of one? */
static bool held_constant(algebra *a, eg_id x)
{
	enum core_kind k = core_kind(a, peek(a, x));
	slot t = slot_read(x, NULL, RAT_ONE);

	return k == C_TABLE || (k == C_AT && slot_is_constant(a, &t));
}

/* What is to be known of n beside its renewal's pattern: which tables its operands are. */
static uint64_t tidy_pattern(algebra *a, eg_id n)
{
	const eg_id *arg = eg_args(a->g, n);
	int k, nslot = pairing_read(a, n).nslot;
	uint64_t h = renewal_pattern(a, n);

	for (k = 0; k < nslot && h; k++) {
		eg_id o = peek(a, arg[k]), in = core_kind(a, o) == C_AT ? peek(a, eg_args(a->g, o)[0]) : o;
		if (core_kind(a, in) == C_TABLE)
			h = hash_three(h, o, in, (uint64_t)k) | 1;
	}
	return h;
}

/* A table read at any index is a table. */
static eg_id read_table(algebra *a, work *w)
{
	work *id = work_like(a, w, C_MUL, 1, w->slot);	/* settles cuts and drops what does not matter */
	placed q;
	digit *d;
	int c;

	id->type = w->slot[0].vtype;
	q = work_make(a, id);
	d = ARENA_ARRAY(&a->s.a, digit, 64 * (w->nfree + 1));
	c = digits_canon(placed_digits(&q, w->nfree, w->free, d), d, d);
	if (pairing_read(a, q.n).ndata)	/* a table of data stays a reading */
		return NIL;
	return core_view(a, c, d, eg_args(a->g, q.n)[0]);
}

/* N3 on constant tables: a table is held over the digits it depends on, and no others. */
eg_id prim_table_tidy(algebra *a, eg_id n)
{
	const eg_id *arg = eg_args(a->g, n);
	int nslot = pairing_read(a, n).nslot, k, first;
	uint64_t pattern;
	slot t;
	work *w;

	for (first = 0; first < nslot && !held_constant(a, arg[first]); first++)
		;
	if (first == nslot)
		return NIL;
	pattern = tidy_pattern(a, n);
	if (renewal_is_known(a, n, RENEWED_TIDY, pattern))
		return NIL;
	w = work_open(a, n);
	for (k = first; k < nslot; k++)
		if (held_constant(a, arg[k]) && slot_table_values(a, &w->slot[k], &t)) {
			t.c = w->slot[k].c;
			w->slot[k] = t;
		}
	if (core_kind(a, n) == C_AT && w->slot[0].x == NIL)
		return read_table(a, w);
	if (work_moves(a, work_like(a, w, w->kind, w->nslot, w->slot), n))
		return work_result(a, w);
	renewal_keep(a, n, RENEWED_TIDY, pattern);
	return NIL;
}
