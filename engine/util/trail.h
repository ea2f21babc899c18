/* trail.h - the log of every change, and its undoing.
 *
 * Whatever must be exact after an undo is changed through this file: a word
 * (`trail_set32`, `trail_set64`), a new last element of a vec (`trail_push`),
 * or, for what is neither, a call back (`trail_call`: hash tables).  Undo pops
 * in strict LIFO order.  Addresses are those of vecs or of static fields: they
 * must not move while an entry lives.
 *
 * With `on` false nothing is logged (a batch run that will never go back).
 */
#ifndef DIVERGE_TRAIL_H
#define DIVERGE_TRAIL_H

#include <stdbool.h>
#include "util/arena.h"

typedef void trail_undo_fn(void *ctx, uint32_t a);

typedef struct trail {
	vec entries;
	vec calls;		/* registered (fn, ctx) pairs */
	bool on;
	uint32_t low;		/* the least mark undone to since a reader last set it: has the past changed? */
	uint32_t undos;		/* how often something was undone: what a reader kept may be of what is gone */
} trail;

typedef uint32_t trail_mark;

void trail_init(trail *t);
void trail_free(trail *t);
uint32_t trail_register(trail *t, trail_undo_fn *fn, void *ctx);
void trail_call(trail *t, uint32_t who, uint32_t a);	/* fn(ctx, a) when undone */
void *trail_push(trail *t, vec *v);	/* zeroed; undone by cutting v back */
trail_mark trail_at(const trail *t);
void trail_undo(trail *t, trail_mark m);

enum { TRAIL_SET32, TRAIL_SET64, TRAIL_CALL, TRAIL_POP };
typedef struct trail_entry {
	uint64_t where;		/* address, its low two bits the kind */
	uint64_t old;
} trail_entry;

static inline void trail_log(trail *t, uint64_t where, uint64_t old)
{
	trail_entry *e;
	vec *v = &t->entries;

	if (!t->on)
		return;
	if (((size_t)v->n + 1) * sizeof *e <= v->committed)
		e = VEC(trail_entry, v) + v->n++;
	else
		e = vec_push(v);
	e->where = where;
	e->old = old;
}

static inline void trail_set32(trail *t, uint32_t *p, uint32_t v)
{
	if (*p == v)
		return;
	trail_log(t, (uint64_t)(uintptr_t)p | TRAIL_SET32, *p);
	*p = v;
}

static inline void trail_set64(trail *t, uint64_t *p, uint64_t v)
{
	if (*p == v)
		return;
	trail_log(t, (uint64_t)(uintptr_t)p | TRAIL_SET64, *p);
	*p = v;
}

#endif
