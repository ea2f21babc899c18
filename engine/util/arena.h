/* arena.h - memory of the engine.
 *
 * Two kinds.  A `vec` is an array that never moves: it reserves address space
 * once and the kernel commits pages as they are touched, so growth costs
 * nothing and pointers into it stay good.  An `arena` is scratch memory for
 * one computation: allocate, then `arena_reset` to a mark; nothing is freed
 * one by one.
 *
 * Errors: running out of memory or of a vec's reserve ends the program
 * through `die_hook`.  The engine never prints: the default aborts, and a host
 * that wants a message sets its own.
 */
#ifndef DIVERGE_ARENA_H
#define DIVERGE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct vec {
	char *base;		/* never moves, once it is there */
	uint32_t n;		/* elements in use */
	uint32_t width;		/* bytes per element */
	size_t reserved;	/* bytes of address space, before the first element those to ask for */
	size_t committed;	/* bytes in use or next in line: pages are fetched up to here */
	bool open;		/* all of the reserve is accessible, not only what is committed */
} vec;

/* Memory that is about to be written is asked for in one go: the kernel takes
 * several times as long when each page is fetched by a fault of its own.  Where
 * it cannot, they are. */
void pages_fetch(char *from, char *to);

/* Nothing is reserved before the first element: base is NULL until then. */
void vec_init(vec *v, uint32_t width);
/* For what grows with the rules and names at hand, not with the program: a small
 * reserve beside others, so that they share the kernel's tables of pages. */
void vec_init_few(vec *v, uint32_t width);
void vec_free(vec *v);
void vec_commit(vec *v, size_t need);	/* bytes, more than it has */
void *vec_push_n(vec *v, uint32_t n);	/* n zeroed new elements in a row */

/* Memory for n elements, n itself unchanged. */
static inline void vec_room(vec *v, uint32_t n)
{
	size_t need = (size_t)n * v->width;

	if (need > v->committed)
		vec_commit(v, need);
}

/* A zeroed new last element: what was undone may stand there. */
static inline void *vec_push(vec *v)
{
	vec_room(v, v->n + 1);
	return memset(v->base + (size_t)v->n++ * v->width, 0, v->width);
}

#define VEC(type, v) ((type *)(v)->base)
#define VEC_AT(type, v, i) (((type *)(v)->base)[i])

typedef struct arena_block arena_block;
typedef struct arena {
	arena_block *first, *cur;
	char *at, *end;
	uint64_t taken;		/* bytes given out since init: a measure of work that is the same in every run */
} arena;
typedef struct arena_mark {
	arena_block *block;
	char *at;
} arena_mark;

void arena_init(arena *a);
void arena_free(arena *a);
void *arena_next(arena *a, size_t n);	/* n bytes of a block that has them */
char *arena_strdup(arena *a, const char *s);
char *arena_printf(arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3), nonnull(2)));
char *arena_vprintf(arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0), nonnull(2)));
arena_mark arena_at(arena *a);
void arena_reset(arena *a, arena_mark m);

/* 16-byte aligned, not zeroed */
static inline void *arena_alloc(arena *a, size_t n)
{
	char *p = a->at;

	n = (n + 15) & ~(size_t)15;
	a->taken += n;
	if (!p || (size_t)(a->end - p) < n)
		return arena_next(a, n);
	a->at = p + n;
	return p;
}

static inline void *arena_zalloc(arena *a, size_t n)
{
	return memset(arena_alloc(a, n), 0, n);
}

#define ARENA_NEW(a, type) ((type *)arena_zalloc(a, sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc(a, sizeof(type) * (size_t)((n) > 0 ? (n) : 1)))

/* Called when memory is exhausted; must not return. */
extern void (*die_hook)(const char *why);

#endif
