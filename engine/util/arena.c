#include "util/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RESERVE ((size_t)1 << 33)	/* 8 GiB of addresses per vec, no memory */
#define RESERVE_FEW ((size_t)1 << 26)
#define RESERVE_LEAST ((size_t)1 << 20)
#define SHARES 160	/* more vecs than a session has at once */
#define POOL 64	/* of them are asked for at once */
#define COMMIT ((size_t)1 << 16)
#define COMMIT_MOST ((size_t)1 << 23)
#define BLOCK ((size_t)1 << 16)
#define LARGE_PAGE ((size_t)1 << 21)

static void die_default(const char *why)
{
	(void)why;
	abort();
}

void (*die_hook)(const char *why) = die_default;

void pages_fetch(char *from, char *to)
{
#ifdef MADV_POPULATE_WRITE
	uintptr_t page = 4095, first = ((uintptr_t)from + page) & ~page, end = (uintptr_t)to & ~page;

	if (end > first)
		madvise((void *)first, end - first, MADV_POPULATE_WRITE);
#else
	(void)from;
	(void)to;
#endif
}

static void *addresses(size_t n, int access)
{
	void *p = mmap(NULL, n, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* A system that counts all of the reserve as used gives access piece by piece (`open` false). */
static char *reserved(size_t n, bool *open)
{
	char *p = addresses(n, PROT_READ | PROT_WRITE);

	*open = p != NULL;
	return p ? p : addresses(n, PROT_NONE);
}

/* A system may limit address space (a batch queue does): all vecs get the same part of what there is. */
static size_t fair_share(void)
{
	static size_t share;
	void *all;

	if (share)
		return share;
	for (share = RESERVE; share > RESERVE_LEAST; share /= 2)
		if ((all = addresses(share * SHARES, PROT_NONE))) {
			munmap(all, share * SHARES);
			break;
		}
	return share;
}

/* Addresses for the vecs of a session, asked for at once: large ones from the end, small ones from the
 * beginning, where they share the tables that map them. */
static struct {
	char *from, *to;
	bool asked, open;
} pool;

static char *from_pool(size_t n)
{
	if (!pool.asked) {
		size_t all = fair_share() * POOL;

		pool.asked = true;
		pool.from = reserved(all, &pool.open);
		pool.to = pool.from ? pool.from + all : NULL;
	}
	if ((size_t)(pool.to - pool.from) < n)
		return NULL;
	if (n == fair_share())
		return pool.to -= n;
	pool.from += n;
	return pool.from - n;
}

static void reserve(vec *v)
{
	size_t want = v->reserved < fair_share() ? v->reserved : fair_share();

	v->base = from_pool(want);
	v->open = pool.open;
	if (!v->base)
		v->base = reserved(want, &v->open);
	if (!v->base)
		die_hook("no address space for an array: is it limited (ulimit -v)?");
	v->reserved = want;
}

static void init(vec *v, uint32_t width, size_t reserved)
{
	memset(v, 0, sizeof *v);
	v->width = width;
	v->reserved = reserved;
}

void vec_init(vec *v, uint32_t width)
{
	init(v, width, RESERVE);
}

void vec_init_few(vec *v, uint32_t width)
{
	init(v, width, RESERVE_FEW);
}

void vec_free(vec *v)
{
	if (v->base)
		munmap(v->base, v->reserved);
	memset(v, 0, sizeof *v);
}

/* Large arrays grow by large pages: to clear one takes less than half the time of
 * its small ones, and being read at random they save most of the look-ups of
 * addresses; where there are none nothing is lost. */
void vec_commit(vec *v, size_t need)
{
	size_t step = v->committed / 4 & ~(COMMIT - 1), to;
	bool ahead;	/* room for much more than is used now */

	if (!v->base)
		reserve(v);
	if (step < COMMIT)
		step = COMMIT;
	if (step > COMMIT_MOST)
		step = COMMIT_MOST;
	ahead = need > v->committed + step;
	to = ahead ? (need + COMMIT - 1) & ~(COMMIT - 1) : v->committed + step;
	if (to > LARGE_PAGE)
		to = (to + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
	if (to > v->reserved)
		to = v->reserved;
	if (need > to)
		die_hook(v->reserved < RESERVE_FEW ? "an array has outgrown its address space, which is limited (ulimit -v)"
						    : "an array has outgrown its address space");
	if (!v->open && mprotect(v->base, to, PROT_READ | PROT_WRITE))
		die_hook("out of memory");
	if (to > LARGE_PAGE)
		madvise(v->base, to, MADV_HUGEPAGE);
	if (v->committed && !ahead)
		pages_fetch(v->base + v->committed, v->base + to);
	v->committed = to;
}

/* Elements beyond n may hold what was undone: they are cleared when taken. */
void *vec_push_n(vec *v, uint32_t n)
{
	size_t at = (size_t)v->n * v->width, len = (size_t)n * v->width;

	if (at + len > v->committed)
		vec_commit(v, at + len);
	v->n += n;
	if (len)	/* none may be asked of a vector that has no memory yet */
		memset(v->base + at, 0, len);
	return at ? v->base + at : v->base;
}

struct arena_block {
	arena_block *next;
	size_t size;
	char data[] __attribute__((aligned(16)));
};

void arena_init(arena *a)
{
	memset(a, 0, sizeof *a);
}

void arena_free(arena *a)
{
	arena_block *b = a->first;

	while (b) {
		arena_block *next = b->next;
		free(b);
		b = next;
	}
	memset(a, 0, sizeof *a);
}

static void arena_grow(arena *a, size_t n)
{
	arena_block *b = a->cur ? a->cur->next : a->first;
	size_t size = n > BLOCK ? n : BLOCK;

	if (!b || b->size < n) {
		arena_block *fresh = malloc(sizeof *fresh + size);
		if (!fresh) {
			die_hook("out of memory");
			abort();
		}
		fresh->size = size;
		fresh->next = b;
		if (a->cur) {	/* the first block may stay nearly empty */
			pages_fetch(fresh->data, fresh->data + size);
			a->cur->next = fresh;
		} else {
			a->first = fresh;
		}
		b = fresh;
	}
	a->cur = b;
	a->at = b->data;
	a->end = b->data + b->size;
}

void *arena_next(arena *a, size_t n)
{
	arena_grow(a, n);
	a->at += n;
	return a->at - n;
}

char *arena_strdup(arena *a, const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(arena_alloc(a, n), s, n);
}

char *arena_printf(arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}

char *arena_vprintf(arena *a, const char *fmt, va_list ap)
{
	char near[256], *p;
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(near, sizeof near, fmt, again);
	va_end(again);
	p = arena_alloc(a, (size_t)n + 1);
	if ((size_t)n < sizeof near)
		memcpy(p, near, (size_t)n + 1);
	else
		vsnprintf(p, (size_t)n + 1, fmt, ap);
	return p;
}

arena_mark arena_at(arena *a)
{
	return (arena_mark){ a->cur, a->at };
}

void arena_reset(arena *a, arena_mark m)
{
	a->cur = m.block;
	a->at = m.at;
	a->end = m.block ? m.block->data + m.block->size : NULL;
}
