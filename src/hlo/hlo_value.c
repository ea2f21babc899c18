#include "hlo/hlo_value.h"

#include <stdlib.h>
#include <string.h>

struct ints {
	int64_t *v;
	int n, cap;
};

static void push(lexer *l, struct ints *list, int64_t v)
{
	list->v = build_grow(l->b, list->v, list->n, &list->cap, sizeof *list->v);
	list->v[list->n++] = v;
}

static const int64_t *keep(lexer *l, const struct ints *list)
{
	int64_t *v = ARENA_ARRAY(l->b->a, int64_t, list->n);

	if (list->n)
		memcpy(v, list->v, list->n * sizeof *v);
	return v;
}

/* INT, INT, ... up to `close`, which is eaten */
static void int_list(lexer *l, struct ints *list, char close)
{
	if (lex_char(l, close))
		return;
	do
		push(l, list, want_int(l));
	while (lex_char(l, ','));
	want_char(l, close);
}

static void ints_value(lexer *l, attr *out)
{
	struct ints list = { 0 };

	want_char(l, '{');
	int_list(l, &list, '}');
	out->ints = keep(l, &list);
	out->n = list.n;
}

static void scalar_value(lexer *l, attr *out)
{
	int64_t *v = ARENA_NEW(l->b->a, int64_t);

	if (out->kind == ATTR_INT)
		*v = want_int(l);
	else if (lex_keyword(l, "true"))
		*v = 1;
	else if (!lex_keyword(l, "false"))
		lex_fail(l, l->p, "expected true or false");
	out->ints = v;
	out->n = 1;
}

static void float_value(lexer *l, attr *out)
{
	span s = want_number(l);
	char *end;

	out->real = strtod(s.s, &end);
	if (end != s.s + s.n)
		lex_fail(l, s.s, "expected a number");
	out->n = 1;
}

static void pairs_value(lexer *l, attr *out)
{
	struct ints list = { 0 };

	want_char(l, '{');
	if (!lex_char(l, '}')) {
		do {
			want_char(l, '{');
			push(l, &list, want_int(l));
			want_char(l, ',');
			push(l, &list, want_int(l));
			want_char(l, '}');
		} while (lex_char(l, ','));
		want_char(l, '}');
	}
	out->ints = keep(l, &list);
	out->n = list.n / 2;
}

static void slice_value(lexer *l, attr *out)
{
	struct ints list = { 0 };

	want_char(l, '{');
	if (!lex_char(l, '}')) {
		do {
			want_char(l, '[');
			push(l, &list, want_int(l));
			want_char(l, ':');
			push(l, &list, want_int(l));
			push(l, &list, lex_char(l, ':') ? want_int(l) : 1);
			want_char(l, ']');
		} while (lex_char(l, ','));
		want_char(l, '}');
	}
	out->ints = keep(l, &list);
	out->n = list.n / 3;
}

static void padding_value(lexer *l, attr *out)
{
	struct ints list = { 0 };

	do {
		push(l, &list, want_int(l));
		want_char(l, '_');
		push(l, &list, want_int(l));
		push(l, &list, lex_char(l, '_') ? want_int(l) : 0);
	} while (lex_char(l, 'x'));
	out->ints = keep(l, &list);
	out->n = list.n / 3;
}

/* ---- windows ---- */

static const struct {
	const char *name;
	int field;
	int64_t absent;
} window_fields[] = {
	{ "size", W_SIZE, 0 }, { "stride", W_STRIDE, 1 }, { "pad", W_PAD_LOW, 0 }, { "", W_PAD_HIGH, 0 },
	{ "lhs_dilate", W_LHS_DILATE, 1 }, { "rhs_dilate", W_RHS_DILATE, 1 }, { "rhs_reversal", W_REVERSAL, 0 },
};
#define WINDOW_RANK 64

static int window_field(lexer *l)
{
	span w = lex_word(l);

	for (int f = 0; f < WINDOW_FIELDS; f++)
		if (w.n && w.n == strlen(window_fields[f].name) && !memcmp(w.s, window_fields[f].name, w.n))
			return f;
	lex_fail(l, w.s, "expected size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal");
}

static void window_value(lexer *l, attr *out)
{
	int64_t v[WINDOW_RANK][WINDOW_FIELDS], *copy;
	int rank = 0, n;

	for (int d = 0; d < WINDOW_RANK; d++)
		for (int f = 0; f < WINDOW_FIELDS; f++)
			v[d][window_fields[f].field] = window_fields[f].absent;
	want_char(l, '{');
	while (!lex_char(l, '}')) {
		const char *at = l->p;
		int f = window_field(l);

		want_char(l, '=');
		n = 0;
		do {
			if (n == WINDOW_RANK)
				lex_fail(l, l->p, "a window of more than %d dimensions", WINDOW_RANK);
			v[n][f] = want_int(l);
			if (f == W_PAD_LOW) {
				want_char(l, '_');
				v[n][W_PAD_HIGH] = want_int(l);
			}
			n++;
		} while (lex_char(l, 'x'));
		if (rank && n != rank)
			lex_fail(l, at, "the fields of the window have different lengths");
		rank = n;
	}
	copy = ARENA_ARRAY(l->b->a, int64_t, rank * WINDOW_FIELDS);
	memcpy(copy, v, rank * sizeof v[0]);
	out->ints = copy;
	out->n = rank;
}

/* ---- device lists ---- */

const int64_t *iota_order(arena *a, int n, const int64_t *dim, const int64_t *perm, int64_t want)
{
	int64_t total = 1, *id, *stride, *step, *size, *at;
	bool *used;

	for (int d = 0; d < n; d++)
		if (dim[d] < 1 || dim[d] > MESH_MAX || (total *= dim[d]) > MESH_MAX)
			return NULL;
	if (total != want)
		return NULL;
	id = ARENA_ARRAY(a, int64_t, total);
	stride = arena_zalloc(a, (n + 1) * sizeof *stride);
	step = arena_zalloc(a, (n + 1) * sizeof *step);
	size = arena_zalloc(a, (n + 1) * sizeof *size);
	at = arena_zalloc(a, (n + 1) * sizeof *at);
	used = arena_zalloc(a, n + 1);
	for (int64_t d = n - 1, s = 1; d >= 0; s *= dim[d--])
		stride[d] = s;
	for (int k = 0; k < n; k++) {
		int64_t from = perm ? perm[k] : k;

		if (from < 0 || from >= n || used[from])
			return NULL;
		used[from] = true;
		step[k] = stride[from];
		size[k] = dim[from];
	}
	for (int64_t i = 0, v = 0; i < total; i++) {
		id[i] = v;
		for (int k = n - 1; k >= 0; k--) {
			v += step[k];
			if (++at[k] < size[k])
				break;
			v -= step[k] * size[k];
			at[k] = 0;
		}
	}
	return id;
}

/* <=[dims]T(perm) */
static const int64_t *iota_devices(lexer *l, int64_t want)
{
	struct ints dim = { 0 }, perm = { 0 };
	const char *at = l->p;
	const int64_t *id;

	want_char(l, '<');
	want_char(l, '=');
	want_char(l, '[');
	int_list(l, &dim, ']');
	if (lex_char(l, 'T')) {
		want_char(l, '(');
		int_list(l, &perm, ')');
		if (perm.n != dim.n)
			lex_fail(l, at, "the permutation has %d numbers for %d dimensions", perm.n, dim.n);
	}
	id = iota_order(l->b->a, dim.n, dim.v, perm.n ? perm.v : NULL, want);
	if (!id)
		lex_fail(l, at, "the device list does not fit its dimensions");
	return id;
}

/* Axes cut at the references' borders; each reference must be one piece. */
struct pieces {
	int64_t size[128];
	int axis[128];
	int64_t pre[128];	/* product of the axis's pieces before this one */
	int n;
};

static bool cut_axis(struct pieces *f, int axis, int64_t size, const struct axis_ref *ref, int nref)
{
	int64_t at = 1, next;

	do {
		next = size;
		for (int r = 0; r < nref; r++) {
			int64_t lo = ref[r].pre, hi = ref[r].pre * ref[r].size;

			if (ref[r].axis != axis)
				continue;
			if (lo > at && lo < next)
				next = lo;
			if (hi > at && hi < next)
				next = hi;
		}
		if (next % at || f->n == 128)
			return false;
		f->axis[f->n] = axis;
		f->pre[f->n] = at;
		f->size[f->n++] = next / at;
		at = next;
	} while (at < size);
	return true;
}

const int64_t *mesh_order(arena *a, const struct mesh *m, const struct axis_ref *ref, int nref, bool last,
			  const char **why)
{
	struct pieces f = { .n = 0 };
	int64_t perm[128], front[128];
	const int64_t *order;
	int64_t *id;
	bool used[128] = { false };
	int n = 0, k, rest;

	*why = "the axes of the mesh do not split like this";
	for (int r = 0; r < nref; r++)
		if (ref[r].axis < 0 || ref[r].axis >= m->n || ref[r].pre < 1 || ref[r].size < 1 ||
		    ref[r].pre > MESH_MAX || ref[r].size > MESH_MAX ||
		    m->size[ref[r].axis] % (ref[r].pre * ref[r].size))
			return NULL;
	for (int x = 0; x < m->n; x++)
		if (!cut_axis(&f, x, m->size[x], ref, nref))
			return NULL;
	for (int r = 0; r < nref; r++) {
		if (ref[r].size == 1)
			continue;	/* says nothing; may stand anywhere */
		for (k = 0; k < f.n; k++)
			if (f.axis[k] == ref[r].axis && f.pre[k] == ref[r].pre && f.size[k] == ref[r].size)
				break;
		if (k == f.n || used[k]) {
			*why = "an axis of the mesh is used twice";
			return NULL;
		}
		used[k] = true;
		front[n++] = k;
	}
	rest = f.n - n;
	for (int r = 0; r < n; r++)
		perm[last ? rest + r : r] = front[r];
	for (int x = 0, r = last ? 0 : n; x < f.n; x++)
		if (!used[x])
			perm[r++] = x;
	order = iota_order(a, f.n, f.size, perm, m->ndevice);
	if (!order || !m->device)
		return order;
	id = ARENA_ARRAY(a, int64_t, m->ndevice);
	for (int64_t i = 0; i < m->ndevice; i++)
		id[i] = m->device[order[i]];
	return id;
}

/* The name of an axis, with quotes or without. */
static const char *axis_name(lexer *l)
{
	span s;

	if (!lex_string(l, &s))
		s = want_name(l, "the name of an axis");
	return syms_get(&l->b->syms, s.s, s.n)->s;
}

static void mesh_device_ids(lexer *l, struct mesh *m)
{
	struct ints id = { 0 }, dim = { 0 }, perm = { 0 };
	const char *at = l->p;

	want_char(l, '(');
	if (lex_char(l, '[')) {
		int_list(l, &dim, ']');
		if (lex_char(l, 'T')) {
			want_char(l, '(');
			int_list(l, &perm, ')');
		}
		want_char(l, ')');
		m->device = perm.n == dim.n || !perm.n ?
			iota_order(l->b->a, dim.n, dim.v, perm.n ? perm.v : NULL, m->ndevice) : NULL;
		if (!m->device)
			lex_fail(l, at, "the device list does not fit the mesh");
		return;
	}
	int_list(l, &id, ')');
	if (id.n != m->ndevice)
		lex_fail(l, at, "the device list does not fit the mesh");
	m->device = keep(l, &id);
}

/* mesh['a'=2,'b'=4], device_ids=(..) ; @mesh<a=2,b=4>(..) ; maximal_mesh[device_id=5] */
static void read_mesh(lexer *l, struct mesh *m)
{
	const char *back;
	char close = ']';
	struct ints size = { 0 };
	int cap = 0;

	memset(m, 0, sizeof *m);
	m->ndevice = 1;
	if (lex_keyword(l, "maximal_mesh")) {
		int64_t *id = ARENA_NEW(l->b->a, int64_t);

		want_char(l, '[');
		if (!lex_keyword(l, "device_id"))
			lex_fail(l, l->p, "expected device_id=");
		want_char(l, '=');
		*id = want_int(l);
		want_char(l, ']');
		m->device = id;
		return;
	}
	if (lex_char(l, '@'))
		close = '>';
	if (!lex_keyword(l, "mesh"))
		lex_fail(l, l->p, "expected a mesh");
	want_char(l, close == '>' ? '<' : '[');
	while (!lex_char(l, close)) {
		if (m->n)
			want_char(l, ',');
		m->name = build_grow(l->b, m->name, m->n, &cap, sizeof *m->name);
		m->name[m->n++] = axis_name(l);
		want_char(l, '=');
		push(l, &size, want_int(l));
		if (size.v[size.n - 1] < 1 || size.v[size.n - 1] > MESH_MAX ||
		    (m->ndevice *= size.v[size.n - 1]) > MESH_MAX)
			lex_fail(l, l->p, "the size of the mesh is not sensible");
		if (m->n > 32)
			lex_fail(l, l->p, "a mesh of more than 32 axes");
	}
	m->size = size.v;
	if (lex_peek(l) == '(') {
		mesh_device_ids(l, m);
		return;
	}
	back = l->p;
	if (lex_char(l, ',') && lex_keyword(l, "device_ids")) {
		want_char(l, '=');
		mesh_device_ids(l, m);
	} else {
		l->p = back;
	}
}

struct refs {
	struct axis_ref *v;
	int n, cap;
};

static void axis_ref(lexer *l, const struct mesh *m, struct refs *refs)
{
	const char *at = l->p, *name = axis_name(l);
	struct axis_ref r = { -1, 1, 1 };

	for (int x = 0; x < m->n; x++)
		if (!strcmp(m->name[x], name))
			r.axis = x;
	if (r.axis < 0)
		lex_fail(l, at, "the mesh has no axis '%s'", name);
	r.size = m->size[r.axis];
	if (lex_char(l, ':')) {
		want_char(l, '(');
		r.pre = want_int(l);
		want_char(l, ')');
		r.size = want_int(l);
	}
	refs->v = build_grow(l->b, refs->v, refs->n, &refs->cap, sizeof *refs->v);
	refs->v[refs->n++] = r;
	if (refs->n > 64)
		lex_fail(l, at, "more than 64 references to axes");
}

/* {'a', 'b':(2)2}; a ? (open) is allowed and means nothing here */
static int axis_refs(lexer *l, const struct mesh *m, struct refs *refs)
{
	int before = refs->n;

	want_char(l, '{');
	if (lex_char(l, '}'))
		return 0;
	do
		if (!lex_char(l, '?'))
			axis_ref(l, m, refs);
	while (lex_char(l, ','));
	want_char(l, '}');
	return refs->n - before;
}

/* ---- replica groups ---- */

static groups *even_groups(arena *a, int64_t ngroup, int64_t size, const int64_t *id)
{
	groups *g = ARENA_NEW(a, groups);
	int *sizes = ARENA_ARRAY(a, int, ngroup);

	for (int64_t k = 0; k < ngroup; k++)
		sizes[k] = (int)size;
	g->ngroup = (int)ngroup;
	g->size = sizes;
	g->id = id;
	return g;
}

static groups *listed_groups(lexer *l)
{
	groups *g = ARENA_NEW(l->b->a, groups);
	struct ints id = { 0 }, size = { 0 };
	int *sizes;

	want_char(l, '{');
	if (!lex_char(l, '}')) {
		do {
			int before = id.n;

			want_char(l, '{');
			int_list(l, &id, '}');
			push(l, &size, id.n - before);
		} while (lex_char(l, ','));
		want_char(l, '}');
	}
	sizes = ARENA_ARRAY(l->b->a, int, size.n);
	for (int k = 0; k < size.n; k++)
		sizes[k] = (int)size.v[k];
	g->ngroup = size.n;
	g->size = sizes;
	g->id = keep(l, &id);
	return g;
}

static groups *iota_groups(lexer *l)
{
	struct ints dim = { 0 };
	const char *at = l->p;

	want_char(l, '[');
	int_list(l, &dim, ']');
	if (dim.n != 2 || dim.v[0] < 1 || dim.v[1] < 1 || dim.v[0] > MESH_MAX || dim.v[1] > MESH_MAX)
		lex_fail(l, at, "expected [groups,members]");
	return even_groups(l->b->a, dim.v[0], dim.v[1], iota_devices(l, dim.v[0] * dim.v[1]));
}

static groups *mesh_groups(lexer *l)
{
	struct refs refs = { 0 };
	const char *at = l->p, *why;
	const int64_t *id;
	struct mesh m;
	int64_t size = 1;

	read_mesh(l, &m);
	axis_refs(l, &m, &refs);
	id = mesh_order(l->b->a, &m, refs.v, refs.n, true, &why);
	if (!id)
		lex_fail(l, at, "%s", why);
	for (int r = 0; r < refs.n; r++)
		size *= refs.v[r].size;
	return even_groups(l->b->a, m.ndevice / size, size, id);
}

static void groups_value(lexer *l, attr *out)
{
	groups *g;

	switch (lex_peek(l)) {
	case '{': g = listed_groups(l); break;
	case '[': g = iota_groups(l); break;
	default: g = mesh_groups(l);
	}
	g->text = out->text;
	out->groups = g;
	out->n = g->ngroup;
}

/* ---- shardings ---- */

static const struct {
	const char *word;
	enum sharding_kind kind;
} sharding_words[] = {
	{ "replicated", SH_REPLICATED }, { "manual", SH_MANUAL }, { "unknown", SH_UNKNOWN },
	{ "unreduced", SH_UNREDUCED }, { "maximal", SH_MAXIMAL },
};

static bool sharding_word(lexer *l, enum sharding_kind *kind)
{
	for (size_t k = 0; k < sizeof sharding_words / sizeof sharding_words[0]; k++)
		if (lex_keyword(l, sharding_words[k].word)) {
			*kind = sharding_words[k].kind;
			return true;
		}
	return false;
}

static void set_subs(lexer *l, sharding *s, const enum sharding_kind *sub, int n)
{
	enum sharding_kind *copy = ARENA_ARRAY(l->b->a, enum sharding_kind, n);

	if (n)
		memcpy(copy, sub, n * sizeof *sub);
	s->sub = copy;
	s->nsub = n;
}

static void last_tile_dims(lexer *l, sharding *s)
{
	enum sharding_kind sub[32];
	int n = 0;

	want_char(l, '{');
	if (!lex_char(l, '}')) {
		do
			if (n == 32 || !sharding_word(l, &sub[n++]))
				lex_fail(l, l->p, "expected replicated, manual, unreduced or maximal");
		while (lex_char(l, ','));
		want_char(l, '}');
	}
	if (n > s->ntile)
		lex_fail(l, l->p, "more subgroup dimensions than tile dimensions");
	set_subs(l, s, sub, n);
}

/* What may follow inside the braces; eats the closing one. */
static void sharding_flags(lexer *l, sharding *s)
{
	const enum sharding_kind replicated = SH_REPLICATED;

	while (!lex_char(l, '}')) {
		if (lex_keyword(l, "last_tile_dim_replicate")) {
			if (s->ntile < 1)
				lex_fail(l, l->p, "no tile dimension to replicate");
			set_subs(l, s, &replicated, 1);
		} else if (lex_keyword(l, "last_tile_dims")) {
			want_char(l, '=');
			last_tile_dims(l, s);
		} else if (lex_keyword(l, "shard_as") || lex_keyword(l, "shard_like")) {
			want_int(l);
		} else if (lex_keyword(l, "metadata")) {
			want_char(l, '=');
			want_brackets(l);
		} else {
			lex_fail(l, l->p, "this does not belong into a sharding");
		}
	}
}

static void tiled_sharding(lexer *l, sharding *s)
{
	struct ints tile = { 0 }, id = { 0 };
	const char *at = l->p;
	int64_t n = 1;

	want_char(l, '=');
	want_char(l, '[');
	int_list(l, &tile, ']');
	for (int d = 0; d < tile.n; d++)
		if (tile.v[d] < 1 || tile.v[d] > MESH_MAX || (n *= tile.v[d]) > MESH_MAX)
			lex_fail(l, at, "the tile dimensions are not sensible");
	s->kind = SH_TILED;
	s->tile = keep(l, &tile);
	s->ntile = tile.n;
	if (lex_peek(l) == '<') {
		s->devices = iota_devices(l, n);
		return;
	}
	do
		push(l, &id, want_int(l));
	while (lex_char(l, ','));
	if (id.n != n)
		lex_fail(l, at, "%d devices for %lld tiles", id.n, (long long)n);
	s->devices = keep(l, &id);
}

bool mesh_sharding(arena *a, sharding *s, const struct mesh *m, const struct axis_ref *ref, const int *dim_refs,
		   int ndim, const int *sub_refs, const enum sharding_kind *sub, int nsub, const char **why)
{
	int64_t *tile = ARENA_ARRAY(a, int64_t, ndim + nsub + 1), rest = m->ndevice;
	enum sharding_kind *subs = ARENA_ARRAY(a, enum sharding_kind, nsub + 1);
	int n = 0, r = 0, k;

	for (int d = 0; d < ndim + nsub; d++) {
		int count = d < ndim ? dim_refs[d] : sub_refs[d - ndim];
		int64_t size = 1;

		for (k = 0; k < count; k++)
			size *= ref[r++].size;
		if (d >= ndim && size == 1)
			continue;
		if (d >= ndim)
			subs[n - ndim] = sub[d - ndim];
		tile[n++] = size;
		rest /= size;
	}
	if (rest > 1) {
		subs[n - ndim] = SH_REPLICATED;
		tile[n++] = rest;
	}
	s->kind = SH_TILED;
	s->tile = tile;
	s->ntile = n;
	s->nsub = n - ndim;
	s->sub = subs;
	s->devices = mesh_order(a, m, ref, r, false, why);
	return s->devices != NULL;
}

/* {mesh[..], [{'a'}, {'b':(2)2, ?}], replicated={'c'}, unreduced=[sum]{..}, manual={..}}, behind the { */
static void named_sharding(lexer *l, sharding *s)
{
	struct refs dims = { 0 }, group[3] = { { 0 } };	/* manual, unreduced, replicated */
	static const enum sharding_kind kinds[3] = { SH_MANUAL, SH_UNREDUCED, SH_REPLICATED };
	int dim_refs[64], sub_refs[3], ndim = 0;
	const char *at = l->p, *why;
	enum sharding_kind kind;
	struct mesh m;

	read_mesh(l, &m);
	if (m.n == 0 && m.device) {
		s->kind = SH_MAXIMAL;
		s->device = m.device[0];
		want_char(l, '}');
		return;
	}
	while (lex_char(l, ',')) {
		if (lex_char(l, '[')) {
			if (lex_char(l, ']'))
				continue;
			do {
				if (ndim == 64)
					lex_fail(l, l->p, "more than 64 dimensions");
				dim_refs[ndim++] = axis_refs(l, &m, &dims);
			} while (lex_char(l, ','));
			want_char(l, ']');
			continue;
		}
		if (!sharding_word(l, &kind))
			lex_fail(l, l->p, "expected dimensions, replicated, unreduced or manual");
		if (!lex_char(l, '=')) {
			s->kind = kind;		/* short for: all axes */
			continue;
		}
		if (lex_peek(l) == '[')
			want_brackets(l);
		else if (LEX_IS(*l->p, LEX_FIRST))
			lex_word(l);
		axis_refs(l, &m, &group[kind == SH_MANUAL ? 0 : kind == SH_UNREDUCED ? 1 : 2]);
	}
	want_char(l, '}');
	if (s->kind != SH_TILED)
		return;
	for (int g = 0; g < 3; g++) {
		sub_refs[g] = group[g].n;
		for (int r = 0; r < group[g].n; r++) {
			dims.v = build_grow(l->b, dims.v, dims.n, &dims.cap, sizeof *dims.v);
			dims.v[dims.n++] = group[g].v[r];
		}
	}
	if (!mesh_sharding(l->b->a, s, &m, dims.v, dim_refs, ndim, sub_refs, kinds, 3, &why))
		lex_fail(l, at, "%s", why);
}

static sharding *read_sharding(lexer *l, int depth);

static void tuple_sharding(lexer *l, sharding *s, int depth)
{
	const sharding **elem = NULL, **copy;
	int n = 0, cap = 0;

	do {
		elem = build_grow(l->b, elem, n, &cap, sizeof *elem);
		elem[n++] = read_sharding(l, depth + 1);
	} while (lex_char(l, ','));
	want_char(l, '}');
	copy = ARENA_ARRAY(l->b->a, const sharding *, n);
	memcpy(copy, elem, n * sizeof *elem);
	s->kind = SH_TUPLE;
	s->elem = copy;
	s->n = n;
}

static sharding *read_sharding(lexer *l, int depth)
{
	sharding *s = ARENA_NEW(l->b->a, sharding);
	const char *begin;

	if (depth > BUILD_NEST)
		lex_fail(l, l->p, "shardings nested too deep");
	lex_space(l);
	begin = l->p;
	want_char(l, '{');
	if (lex_char(l, '}')) {
		s->kind = SH_TUPLE;
	} else if (*l->p == '{') {
		tuple_sharding(l, s, depth);
	} else if (!strncmp(l->p, "mesh[", 5) || !strncmp(l->p, "maximal_mesh[", 13) || *l->p == '@') {
		s->kind = SH_TILED;
		named_sharding(l, s);
	} else if (lex_keyword(l, "devices")) {
		tiled_sharding(l, s);
		sharding_flags(l, s);
	} else if (sharding_word(l, &s->kind)) {
		if (s->kind == SH_MAXIMAL) {
			if (!lex_keyword(l, "device"))
				lex_fail(l, l->p, "expected device=");
			want_char(l, '=');
			s->device = want_int(l);
		}
		sharding_flags(l, s);
	} else {
		lex_fail(l, l->p, "expected a sharding");
	}
	s->text = syms_get(&l->b->syms, begin, l->p - begin)->s;
	return s;
}

/* ---- called computations ---- */

static void comp_value(lexer *l, attr *out)
{
	const char *begin;
	sym *names[1], **name = NULL;
	comp **slots;
	int n = 0, cap = 0, line, column;
	bool braces;

	lex_space(l);
	begin = l->p;
	braces = lex_char(l, '{');
	if (braces && lex_char(l, '}')) {
		name = names;
	} else {
		do {
			span w = want_name(l, "the name of a computation");

			name = build_grow(l->b, name, n, &cap, sizeof *name);
			name[n++] = syms_get(&l->b->syms, w.s, w.n);
		} while (braces && lex_char(l, ','));
		if (braces)
			want_char(l, '}');
	}
	if (out->kind == ATTR_COMP && n != 1)
		lex_fail(l, begin, "expected one computation");
	slots = ARENA_ARRAY(l->b->a, comp *, n);
	lex_place(l, begin, &line, &column);
	for (int k = 0; k < n; k++)
		build_comp_ref(l->b, &slots[k], name[k], line, column);
	out->text = syms_get(&l->b->syms, begin, l->p - begin)->s;
	out->comps = slots;
	out->n = n;
}

/* Names with or without %: kept with. */
static void names_value(lexer *l, attr *out)
{
	char *text = NULL;
	int n = 0;

	want_char(l, '{');
	while (!lex_char(l, '}')) {
		span w;

		if (n)
			want_char(l, ',');
		w = want_name(l, "an instruction");
		text = arena_printf(&l->b->tmp, "%s%s%%%.*s", n ? text : "{", n ? ", " : "", (int)w.n, w.s);
		n++;
	}
	text = arena_printf(&l->b->tmp, "%s}", n ? text : "{");
	out->text = syms_get(&l->b->syms, text, strlen(text))->s;
	out->n = n;
}

static void literal_value(lexer *l, attr *out)
{
	out->shape = hlo_shape(l);
	out->literal = hlo_literal(l, out->shape);
	out->n = 1;
}

static void string_value(lexer *l, attr *out)
{
	span s;

	if (lex_string(l, &s)) {
		out->text = lex_decode(l, syms_get(&l->b->syms, s.s, s.n));
		out->n = 1;
		return;
	}
	out->kind = ATTR_RAW;
	s = want_value(l, LEX_WORD_VALUE);
	out->text = syms_get(&l->b->syms, s.s, s.n)->s;
}

static void typed_value(lexer *l, attr *out)
{
	switch (out->kind) {
	case ATTR_INT: case ATTR_BOOL: scalar_value(l, out); break;
	case ATTR_FLOAT: float_value(l, out); break;
	case ATTR_INTS: ints_value(l, out); break;
	case ATTR_GROUPS: groups_value(l, out); break;
	case ATTR_PAIRS: pairs_value(l, out); break;
	case ATTR_SLICE: slice_value(l, out); break;
	case ATTR_PADDING: padding_value(l, out); break;
	case ATTR_WINDOW: window_value(l, out); break;
	case ATTR_SHARDING: out->sharding = read_sharding(l, 0); break;
	case ATTR_LITERAL: literal_value(l, out); break;
	default: break;
	}
}

/* The value must be what was looked up, no less and no more (but blanks). */
static void value_end(lexer *l, const char *end, const char *key)
{
	const char *at = l->p;

	if (at < end)
		lex_fail(l, at, "the value of %s= ends before this", key);
	l->p = end;
	lex_space(l);
	if (at > l->p)
		lex_fail(l, l->p, "a blank inside the value of %s=", key);
	l->p = end;
}

void hlo_value(lexer *l, const sym *key, attr *out)
{
	const char *begin, *end;
	attr *kept;
	sym *text;
	span v;

	memset(out, 0, sizeof *out);
	out->key = key->s;
	out->kind = hlo_key_kind(key->key);
	if (out->kind == ATTR_COMP || out->kind == ATTR_COMPS) {
		comp_value(l, out);
		return;
	}
	if (out->kind == ATTR_STRING) {
		string_value(l, out);
		return;
	}
	if (span_is((span){ key->s, key->n }, "control-predecessors")) {
		names_value(l, out);
		return;
	}
	lex_space(l);
	begin = l->p;
	/* literal=: a shape, a blank, a literal */
	v = want_value(l, out->kind == ATTR_GROUPS ? LEX_MESH :
		       out->kind == ATTR_LITERAL || key->key == KEY_NONE ? LEX_LINE : LEX_WORD_VALUE);
	if (out->kind == ATTR_INTS && v.n > 1 && v.s[1] == '{')
		out->kind = ATTR_RAW;	/* slice_sizes={{..}} of a collective-permute */
	text = syms_get(&l->b->syms, v.s, v.n);
	if (text->value && text->value->kind == out->kind) {
		*out = *text->value;
		out->key = key->s;
		return;
	}
	end = l->p;
	out->text = text->s;
	if (out->kind != ATTR_RAW && out->kind != ATTR_UNKNOWN && out->kind != ATTR_DIM_LABELS) {
		l->p = begin;
		typed_value(l, out);
		value_end(l, end, key->s);
	}
	kept = ARENA_NEW(&l->b->tmp, attr);
	*kept = *out;
	text->value = kept;
}
