#include "hlo/hlo_sym.h"

#include <stdlib.h>
#include <string.h>
#include "util/hash.h"

#define ROOM ((size_t)1 << 15)

static const struct {
	const char *name;
	enum attr_kind kind;
} keys[] = {
#define X(s, k) { s, ATTR_##k },
	HLO_KEYS(X)
#undef X
};
#define NKEY (int)(sizeof keys / sizeof keys[0])

enum attr_kind hlo_key_kind(int key)
{
	return key == KEY_NONE ? ATTR_UNKNOWN : keys[key - 1].kind;
}

uint32_t syms_hash(const char *s, size_t n)
{
	uint64_t h = hash_bytes(s, n, 0);

	return (uint32_t)(h ^ h >> 32);
}

static void grow(syms *t)
{
	uint32_t mask = t->mask * 2 + 1;
	sym **slot = calloc((size_t)mask + 1, sizeof *slot);

	if (!slot) {
		die_hook("out of memory");
		abort();
	}
	for (uint32_t i = 0; i <= t->mask; i++) {
		sym *y = t->slot[i];
		uint32_t j;

		if (!y)
			continue;
		for (j = y->hash & mask; slot[j]; j = (j + 1) & mask)
			;
		slot[j] = y;
	}
	free(t->slot);
	t->slot = slot;
	t->mask = mask;
}

static const char *keep(syms *t, const char *s, size_t n)
{
	char *p;

	if (!t->text)
		return s;
	if ((size_t)(t->end - t->at) <= n) {
		if (n + 1 > ROOM / 4) {
			p = arena_alloc(t->text, n + 1);
			memcpy(p, s, n);
			p[n] = 0;
			return p;
		}
		t->at = arena_alloc(t->text, ROOM);
		t->end = t->at + ROOM;
	}
	p = t->at;
	memcpy(p, s, n);
	p[n] = 0;
	t->at += n + 1;
	return p;
}

sym *syms_get(syms *t, const char *s, size_t n)
{
	uint32_t h = syms_hash(s, n), i;
	sym *y;

	for (i = h & t->mask; (y = t->slot[i]); i = (i + 1) & t->mask)
		if (y->hash == h && y->n == n && !memcmp(y->s, s, n))
			return y;
	y = ARENA_NEW(&t->nodes, sym);
	y->s = keep(t, s, n);
	y->n = (uint32_t)n;
	y->hash = h;
	y->opcode = OP_UNKNOWN;
	y->etype = T_COUNT;
	t->slot[i] = y;
	if (++t->used * 2 > t->mask)
		grow(t);
	return y;
}

void syms_init(syms *t, arena *text)
{
	memset(t, 0, sizeof *t);
	t->text = text;
	arena_init(&t->nodes);
	t->mask = 1023;
	t->slot = calloc((size_t)t->mask + 1, sizeof *t->slot);
	if (!t->slot) {
		die_hook("out of memory");
		abort();
	}
}

void syms_words(syms *t)
{
	for (int o = 0; o < OP_UNKNOWN; o++)
		syms_get(t, opcode_name(o), strlen(opcode_name(o)))->opcode = (int16_t)o;
	for (int e = 0; e < T_TUPLE; e++)
		syms_get(t, etype_name(e), strlen(etype_name(e)))->etype = (int8_t)e;
	for (int k = 0; k < NKEY; k++)
		syms_get(t, keys[k].name, strlen(keys[k].name))->key = (uint8_t)(k + 1);
}

void syms_free(syms *t)
{
	arena_free(&t->nodes);
	free(t->slot);
	memset(t, 0, sizeof *t);
}
