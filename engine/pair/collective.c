#include "pair/collective.h"

/* ints of a grouped collective: dimension, number of groups, their sizes, the members one group after another. */
enum { DIMENSION, GROUPS, SIZES };

bool collective_grouped(const struct row *r)
{
	enum opcode op = r->inst->opcode;

	return opcode_class(op) == 'c' && op != OP_COLLECTIVE_PERMUTE && op != OP_COLLECTIVE_PERMUTE_START && op != OP_COLLECTIVE_PERMUTE_DONE &&
	       op != OP_RAGGED_ALL_TO_ALL && r->nint > SIZES;
}

char *axes_text(const mesh *ms, uint32_t axes, arena *out)
{
	char *t = arena_strdup(out, "");
	int k;

	for (k = 0; k < ms->n; k++)
		if (axes >> k & 1)
			t = arena_printf(out, "%s%s%s", t, *t ? "," : "", ms->axis[k].name);
	return t;
}

int64_t axes_size(const mesh *ms, uint32_t axes)
{
	int64_t n = 1;
	int k;

	for (k = 0; k < ms->n; k++)
		if (axes >> k & 1)
			n *= ms->axis[k].size;
	return n;
}

uint32_t axes_apart(const mesh *ms, int64_t x, int64_t y)
{
	uint32_t axes = 0;
	int k;

	for (k = ms->n - 1; k >= 0; k--) {
		if (x % ms->axis[k].size != y % ms->axis[k].size)
			axes |= 1u << k;
		x /= ms->axis[k].size;
		y /= ms->axis[k].size;
	}
	return axes;
}

static uint32_t spans(const mesh *ms, int64_t n, const int64_t *id)
{
	uint32_t axes = 0;
	int64_t k;

	for (k = 1; k < n; k++)
		axes |= axes_apart(ms, id[0], id[k]);
	return axes;
}

uint32_t collective_axes(const mesh *ms, const struct row *r)
{
	const int64_t *size, *id;
	uint32_t axes = 0;
	int64_t g;

	if (!collective_grouped(r))
		return 0;
	size = r->ints + SIZES;
	id = size + r->ints[GROUPS];
	for (g = 0; g < r->ints[GROUPS]; id += size[g++]) {
		uint32_t a = spans(ms, size[g], id);
		if ((g && a != axes) || axes_size(ms, a) != size[g])
			return 0;
		axes = a;
	}
	return axes;
}

#define GROUPS_SHOWN 4
#define MEMBERS_SHOWN 8

static char *groups_text(const struct row *r, arena *out)
{
	const int64_t *size = r->ints + SIZES, *id = size + r->ints[GROUPS];
	char *t = arena_strdup(out, "groups ");
	int64_t g, k;

	for (g = 0; g < r->ints[GROUPS]; id += size[g++]) {
		if (g == GROUPS_SHOWN)
			return arena_printf(out, "%s, ..", t);
		t = arena_printf(out, "%s%s", t, g ? ",{" : "{");
		for (k = 0; k < size[g] && k < MEMBERS_SHOWN; k++)
			t = arena_printf(out, "%s%s%lld", t, k ? "," : "", (long long)id[k]);
		t = arena_printf(out, "%s%s", t, k < size[g] ? ",..}" : "}");
	}
	return t;
}

/* The axes in the order in which the first group goes along them, major first: the one that its second member differs in is last. */
static char *axes_in_order(const mesh *ms, uint32_t axes, const struct row *r, arena *out)
{
	const int64_t *size = r->ints + SIZES, *id = size + r->ints[GROUPS];
	char *t = arena_strdup(out, "");
	uint32_t seen = 0, next;
	int64_t k;
	int a;

	for (k = 1; k < size[0]; k++) {
		next = axes_apart(ms, id[0], id[k]) & ~seen;
		if (next & (next - 1))	/* two at once: they do not follow each other */
			return axes_text(ms, axes, out);
		for (a = 0; a < ms->n; a++)
			if (next >> a & 1)
				t = arena_printf(out, "%s%s%s", ms->axis[a].name, *t ? "," : "", t);
		seen |= next;
	}
	return t;
}

char *collective_over(const mesh *ms, const struct row *r, arena *out)
{
	uint32_t axes = collective_axes(ms, r);

	return axes ? arena_printf(out, "%s (%s)", axes_in_order(ms, axes, r, out), groups_text(r, out)) : groups_text(r, out);
}
