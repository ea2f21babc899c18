#include "util/trail.h"

struct call {
	trail_undo_fn *fn;
	void *ctx;
};

void trail_init(trail *t)
{
	vec_init(&t->entries, sizeof(trail_entry));
	vec_init_few(&t->calls, sizeof(struct call));
	t->on = true;
	t->low = UINT32_MAX;
}

void trail_free(trail *t)
{
	vec_free(&t->entries);
	vec_free(&t->calls);
}

uint32_t trail_register(trail *t, trail_undo_fn *fn, void *ctx)
{
	struct call *c = vec_push(&t->calls);

	c->fn = fn;
	c->ctx = ctx;
	return t->calls.n - 1;
}

/* The number of the callee stands where addresses stand: shifted clear of the kind. */
void trail_call(trail *t, uint32_t who, uint32_t a)
{
	trail_log(t, (uint64_t)who << 2 | TRAIL_CALL, a);
}

void *trail_push(trail *t, vec *v)
{
	trail_log(t, (uint64_t)(uintptr_t)v | TRAIL_POP, 0);
	return vec_push(v);
}

trail_mark trail_at(const trail *t)
{
	return t->entries.n;
}

static void undo_one(trail *t, trail_entry *e)
{
	uint64_t at = e->where & ~(uint64_t)3;
	struct call *c;

	switch (e->where & 3) {
	case TRAIL_SET32:
		*(uint32_t *)(uintptr_t)at = (uint32_t)e->old;
		break;
	case TRAIL_SET64:
		*(uint64_t *)(uintptr_t)at = e->old;
		break;
	case TRAIL_POP:
		((vec *)(uintptr_t)at)->n--;
		break;
	case TRAIL_CALL:
		c = &VEC_AT(struct call, &t->calls, at >> 2);
		c->fn(c->ctx, (uint32_t)e->old);
		break;
	}
}

void trail_undo(trail *t, trail_mark m)
{
	if (m < t->low && m < t->entries.n)
		t->low = m;
	t->undos += m < t->entries.n;
	while (t->entries.n > m)
		undo_one(t, &VEC_AT(trail_entry, &t->entries, --t->entries.n));
}
