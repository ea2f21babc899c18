/* key_table.h - which ids are known under a hash.
 *
 * Open addressing, linear probing, no tombstones (deletion shifts back).  The
 * hash beside the id saves the look at nearly every key that differs; the table
 * knows no keys: who looks one up walks from `hash & mask` to the first NIL and
 * compares.  An id is put in once.  The memory is the table's own.
 */
#ifndef DIVERGE_KEY_TABLE_H
#define DIVERGE_KEY_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include "util/arena.h"

#define NIL 0xffffffffu

struct key_entry {
	uint32_t hash;
	uint32_t id;
};

struct key_table {
	vec mem;
	struct key_entry *at;
	uint32_t mask, n;
};

void key_table_init(struct key_table *t);
void key_table_free(struct key_table *t);
void key_table_insert(struct key_table *t, uint32_t hash, uint32_t id);

/* Where the entry of this id is, or NIL. */
uint32_t key_table_seek(const struct key_table *t, uint32_t hash, uint32_t id);

/* Nothing happens where there is none. */
void key_table_remove(struct key_table *t, uint32_t hash, uint32_t id);

static inline uint32_t key_hash(uint32_t head, uint32_t n, const uint32_t *w)
{
	uint64_t h = head * 0x9e3779b97f4a7c15ull;
	uint32_t i;

	for (i = 0; i < n; i++) {
		h = (h ^ w[i]) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	h *= 0x9e3779b97f4a7c15ull;
	return (uint32_t)(h >> 32);
}

static inline bool same_key(uint32_t n, const uint32_t *a, const uint32_t *b)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

#endif
