#include "hlo/hlo_proto_in.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void room(struct text *t, size_t n)
{
	char *s;

	if (t->n + n < t->cap)
		return;
	while (t->cap <= t->n + n)
		t->cap = t->cap ? t->cap * 2 : 128;
	s = arena_alloc(t->a, t->cap);
	if (t->n)
		memcpy(s, t->s, t->n);
	t->s = s;
	t->s[t->n] = 0;
}

void put(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	room(t, 64);
	va_start(ap, fmt);
	n = vsnprintf(t->s + t->n, t->cap - t->n, fmt, ap);
	va_end(ap);
	if ((size_t)n >= t->cap - t->n) {
		room(t, (size_t)n + 1);
		va_start(ap, fmt);
		vsnprintf(t->s + t->n, t->cap - t->n, fmt, ap);
		va_end(ap);
	}
	t->n += (size_t)n;
}

void put_ints(struct text *t, const int64_t *v, size_t n)
{
	for (size_t k = 0; k < n; k++)
		put(t, "%s%" PRId64, k ? "," : "", v[k]);
}

static void put_ints32(struct text *t, const int32_t *v, size_t n)
{
	for (size_t k = 0; k < n; k++)
		put(t, "%s%" PRId32, k ? "," : "", v[k]);
}

void put_string(struct text *t, const void *data, size_t n)
{
	const unsigned char *s = data;

	put(t, "\"");
	for (size_t k = 0; k < n; k++) {
		if (s[k] == '"' || s[k] == '\\' || s[k] == '\'')
			put(t, "\\%c", s[k]);
		else if (s[k] == '\n')
			put(t, "\\n");
		else if (s[k] < ' ' || s[k] >= 127)
			put(t, "\\%03o", s[k]);
		else
			put(t, "%c", s[k]);
	}
	put(t, "\"");
}

bool in_brackets(const void *data, size_t n)
{
	const char *s = data;
	bool quoted = false;
	int depth = 0;

	if (!n || s[0] != '{')
		return false;
	for (size_t k = 0; k < n; k++) {
		if (!s[k] || s[k] == '\n' || (s[k] == '/' && k + 1 < n && s[k + 1] == '*' && !quoted))
			return false;
		if (quoted && s[k] == '\\')
			k++;
		else if (s[k] == '"')
			quoted = !quoted;
		else if (!quoted && strchr("([{", s[k]))
			depth++;
		else if (!quoted && strchr(")]}", s[k]) && --depth == 0)
			return k + 1 == n;
	}
	return false;
}

/* ---- shapes ---- */

static const char *const types[] = {
	NULL, "pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "tuple", "opaque", "c64",
	"bf16", "token", "c128", "f8e5m2", "f8e4m3fn", "s4", "u4", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz", "s2",
	"u2", "f8e4m3", "f8e3m4", "s1", "u1", "f4e2m1fn", "f8e8m0fnu", "buffer", "f6e3m2fn", "f6e2m3fn",
};
enum { TUPLE = 13, BUFFER = 34 };

static void put_layout(struct text *t, const Pb__Layout *l, size_t rank)
{
	bool more = l->n_tiles || l->tail_padding > 1 || l->element_size_in_bits || l->memory_space || l->physical_shape;

	if (!rank && !more)
		return;
	put(t, "{");
	put_ints(t, l->minor_to_major, l->n_minor_to_major);
	if (more)
		put(t, ":");
	for (size_t k = 0; k < l->n_tiles; k++) {
		put(t, k ? "(" : "T(");
		for (size_t d = 0; d < l->tiles[k]->n_dimensions; d++)
			if (l->tiles[k]->dimensions[d] == INT64_MIN)
				put(t, "%s*", d ? "," : "");
			else
				put(t, "%s%" PRId64, d ? "," : "", l->tiles[k]->dimensions[d]);
		put(t, ")");
	}
	if (l->tail_padding > 1)
		put(t, "L(%" PRId64 ")", l->tail_padding);
	if (l->element_size_in_bits)
		put(t, "E(%" PRId64 ")", l->element_size_in_bits);
	if (l->memory_space)
		put(t, "S(%" PRId64 ")", l->memory_space);
	if (l->physical_shape) {
		put(t, "P(");
		put_shape(t, l->physical_shape);
		put(t, ")");
	}
	put(t, "}");
}

void put_shape(struct text *t, const Pb__Shape *s)
{
	if (s->element_type == TUPLE || s->element_type == BUFFER) {
		put(t, s->element_type == TUPLE ? "(" : "b(");
		for (size_t k = 0; k < s->n_tuple_shapes; k++) {
			if (k)
				put(t, ", ");
			put_shape(t, s->tuple_shapes[k]);
		}
		put(t, ")");
		return;
	}
	if (s->element_type < 1 || (size_t)s->element_type >= sizeof types / sizeof types[0])
		put(t, "type%d[", s->element_type);
	else
		put(t, "%s[", types[s->element_type]);
	for (size_t k = 0; k < s->n_dimensions; k++)
		if (s->dimensions[k] == INT64_MIN)
			put(t, "%s?", k ? "," : "");
		else
			put(t, "%s%s%" PRId64, k ? "," : "", k < s->n_is_dynamic && s->is_dynamic[k] ? "<=" : "",
			    s->dimensions[k]);
	put(t, "]");
	if (s->layout)
		put_layout(t, s->layout, s->n_dimensions);
}

/* ---- device lists and shardings ---- */

static void put_iota(struct text *t, const int64_t *dims, size_t n, const int32_t *perm, size_t nperm)
{
	bool plain = true;

	put(t, "<=[");
	put_ints(t, dims, n);
	put(t, "]");
	for (size_t k = 0; k < nperm; k++)
		plain &= perm[k] == (int32_t)k;
	if (plain)
		return;
	put(t, "T(");
	put_ints32(t, perm, nperm);
	put(t, ")");
}

static void put_mesh(struct text *t, const Pb__Mesh *m)
{
	if (!m->n_axes && m->n_device_ids == 1) {
		put(t, "maximal_mesh[device_id=%" PRId64 "]", m->device_ids[0]);
		return;
	}
	put(t, "mesh[");
	for (size_t k = 0; k < m->n_axes; k++) {
		put(t, k ? ",'" : "'");
		for (const char *c = m->axes[k]->name; *c; c++)
			put(t, "%c", LEX_IS(*c, LEX_WORD) ? *c : '_');
		put(t, "'=%" PRId64, m->axes[k]->size);
	}
	put(t, "]");
	if (m->n_device_ids) {
		put(t, ", device_ids=(");
		put_ints(t, m->device_ids, m->n_device_ids);
		put(t, ")");
	} else if (m->iota && m->iota->n_reshape_dims) {
		put(t, ", device_ids=([");
		put_ints(t, m->iota->reshape_dims, m->iota->n_reshape_dims);
		put(t, "]T(");
		put_ints(t, m->iota->transpose_perm, m->iota->n_transpose_perm);
		put(t, "))");
	}
}

static void put_axes(struct text *t, const Pb__Mesh *m, Pb__AxisRef *const *ref, size_t n)
{
	put(t, "{");
	for (size_t k = 0; k < n; k++) {
		put(t, k ? ",'" : "'");
		if (ref[k]->axis >= 0 && (size_t)ref[k]->axis < m->n_axes)
			for (const char *c = m->axes[ref[k]->axis]->name; *c; c++)
				put(t, "%c", LEX_IS(*c, LEX_WORD) ? *c : '_');
		put(t, "'");
		if (ref[k]->sub)
			put(t, ":(%" PRId64 ")%" PRId64, ref[k]->sub->pre_size, ref[k]->sub->size);
	}
	put(t, "}");
}

static void put_iota_groups(struct text *t, const Pb__IotaGroups *g)
{
	put(t, "[%" PRId64 ",%" PRId64 "]", g->groups, g->size);
	put_iota(t, g->reshape_dims, g->n_reshape_dims, g->transpose_perm, g->n_transpose_perm);
}

static void put_listed_groups(struct text *t, Pb__ReplicaGroup *const *g, size_t n)
{
	put(t, "{");
	for (size_t k = 0; k < n; k++) {
		put(t, k ? ",{" : "{");
		put_ints(t, g[k]->ids, g[k]->n_ids);
		put(t, "}");
	}
	put(t, "}");
}

/* Newest place first. */
bool put_groups(struct text *t, const Pb__Instruction *p)
{
	if (p->mesh_groups && p->mesh_groups->mesh) {
		put_mesh(t, p->mesh_groups->mesh);
		put(t, " ");
		put_axes(t, p->mesh_groups->mesh, p->mesh_groups->axes, p->mesh_groups->n_axes);
	} else if (p->iota_groups) {
		put_iota_groups(t, p->iota_groups);
	} else if (p->device_list && p->device_list->iota) {
		put_iota_groups(t, p->device_list->iota);
	} else if (p->device_list) {
		put_listed_groups(t, p->device_list->groups, p->device_list->n_groups);
	} else if (p->n_replica_groups) {
		put_listed_groups(t, p->replica_groups, p->n_replica_groups);
	} else {
		return false;
	}
	return true;
}

static const char *const sharding_types[] = { "replicated", "maximal", NULL, NULL, "manual", "unknown", "unreduced" };

static const char *sharding_type(int32_t type)
{
	const char *s = type >= 0 && (size_t)type < sizeof sharding_types / sizeof sharding_types[0] ?
		sharding_types[type] : NULL;

	return s ? s : "unknown";
}

static void put_named_sharding(struct text *t, const Pb__NamedSharding *s)
{
	const struct { const char *key; Pb__AxisRef *const *ref; size_t n; } rest[] = {
		{ "replicated", s->replicated, s->n_replicated }, { "unreduced", s->unreduced, s->n_unreduced },
		{ "manual", s->manual, s->n_manual },
	};

	put_mesh(t, s->mesh);
	if (!s->mesh->n_axes)
		return;
	put(t, ", [");
	for (size_t k = 0; k < s->n_dims; k++) {
		if (k)
			put(t, ", ");
		put_axes(t, s->mesh, s->dims[k]->axes, s->dims[k]->n_axes);
	}
	put(t, "]");
	for (size_t k = 0; k < 3; k++)
		if (rest[k].n) {
			put(t, ", %s=", rest[k].key);
			put_axes(t, s->mesh, rest[k].ref, rest[k].n);
		}
}

static void put_tiles(struct text *t, const Pb__Sharding *s)
{
	put(t, "devices=[");
	put_ints(t, s->tile_dims, s->n_tile_dims);
	put(t, "]");
	if (s->n_iota_reshape_dims)
		put_iota(t, s->iota_reshape_dims, s->n_iota_reshape_dims, s->iota_transpose_perm,
			 s->n_iota_transpose_perm);
	else
		put_ints(t, s->tile_devices, s->n_tile_devices);
	if (s->replicate_on_last_tile_dim)
		put(t, " last_tile_dim_replicate");
	for (size_t k = 0; k < s->n_last_tile_dims; k++)
		put(t, "%s%s%s", k ? ", " : " last_tile_dims={", sharding_type(s->last_tile_dims[k]),
		    k + 1 == s->n_last_tile_dims ? "}" : "");
}

/* With a named sharding, `type` stays 0 and means nothing. */
void put_sharding(struct text *t, const Pb__Sharding *s)
{
	enum { MAXIMAL = 1, TUPLES = 2, TILED = 3 };

	put(t, "{");
	if (s->named && s->named->mesh) {
		put_named_sharding(t, s->named);
	} else if (s->type == TUPLES) {
		for (size_t k = 0; k < s->n_tuple; k++) {
			if (k)
				put(t, ", ");
			put_sharding(t, s->tuple[k]);
		}
	} else if (s->type == TILED) {
		put_tiles(t, s);
	} else if (s->type == MAXIMAL) {
		put(t, "maximal device=%" PRId64, s->n_tile_devices ? s->tile_devices[0] : 0);
	} else {
		put(t, "%s", sharding_type(s->type));
	}
	if (s->is_shard_group)
		put(t, " %s %" PRId64, s->shard_group_type ? "shard_like" : "shard_as", s->shard_group_id);
	put(t, "}");
}

/* ---- frontend attributes ---- */

static int by_key(const void *x, const void *y)
{
	return strcmp((*(Pb__MapEntry *const *)x)->key, (*(Pb__MapEntry *const *)y)->key);
}

/* A key that would not be read back as one word is a string. */
static void put_key(struct text *t, const char *key)
{
	const char *p = key;

	while (*p > ' ' && *p < 127 && !strchr("\"'\\()[]{}<>,=/#", *p))
		p++;
	if (*p || p == key)
		put_string(t, key, strlen(key));
	else
		put(t, "%s", key);
}

/* Sorted; a value in brackets is written as it is. */
void put_frontend(struct text *t, const Pb__FrontendAttributes *f)
{
	qsort(f->map, f->n_map, sizeof *f->map, by_key);
	put(t, "{");
	for (size_t k = 0; k < f->n_map; k++) {
		const char *v = f->map[k]->value;

		put(t, "%s", k ? "," : "");
		put_key(t, f->map[k]->key);
		put(t, "=");
		if (in_brackets(v, strlen(v)))
			put(t, "%s", v);
		else
			put_string(t, v, strlen(v));
	}
	put(t, "}");
}
