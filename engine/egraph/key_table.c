#include "egraph/key_table.h"

#include <string.h>

void key_table_init(struct key_table *t)
{
	vec_init(&t->mem, sizeof(struct key_entry));
	t->mask = 63;
	t->n = 0;
	vec_room(&t->mem, 64);
	t->at = VEC(struct key_entry, &t->mem);
	memset(t->at, 0xff, 64 * sizeof *t->at);
}

void key_table_free(struct key_table *t)
{
	vec_free(&t->mem);
}

static void put(struct key_table *t, uint32_t hash, uint32_t id)
{
	uint32_t i = hash & t->mask;

	while (t->at[i].id != NIL)
		i = (i + 1) & t->mask;
	t->at[i].hash = hash;
	t->at[i].id = id;
}

/* Doubled in place.  An entry belongs at or above its old place, or so much
 * above it in the new half; whole runs are taken out first because they wrap. */
static void grow(struct key_table *t)
{
	uint32_t old = t->mask + 1, i, start = 0;

	vec_room(&t->mem, old * 2);
	memset(t->at + old, 0xff, old * sizeof *t->at);
	t->mask = old * 2 - 1;
	while (t->at[start].id != NIL)
		start++;
	for (i = 0; i < old; i++) {
		uint32_t k = (start + i) & (old - 1);
		struct key_entry e = t->at[k];

		if (e.id == NIL)
			continue;
		t->at[k].id = NIL;
		put(t, e.hash, e.id);
	}
}

void key_table_insert(struct key_table *t, uint32_t hash, uint32_t id)
{
	if ((t->n + 1) * 5ull > (t->mask + 1) * 3ull)
		grow(t);
	put(t, hash, id);
	t->n++;
}

uint32_t key_table_seek(const struct key_table *t, uint32_t hash, uint32_t id)
{
	uint32_t i;

	for (i = hash & t->mask; t->at[i].id != NIL; i = (i + 1) & t->mask)
		if (t->at[i].id == id)
			return i;
	return NIL;
}

static void cut(struct key_table *t, uint32_t i)
{
	uint32_t j = i;

	for (;;) {
		j = (j + 1) & t->mask;
		if (t->at[j].id == NIL)
			break;
		/* may j's entry stand at i? only if its home is not in (i, j] */
		if (((j - t->at[j].hash) & t->mask) >= ((j - i) & t->mask)) {
			t->at[i] = t->at[j];
			i = j;
		}
	}
	t->at[i].id = NIL;
	t->n--;
}

void key_table_remove(struct key_table *t, uint32_t hash, uint32_t id)
{
	uint32_t i = key_table_seek(t, hash, id);

	if (i != NIL)
		cut(t, i);
}
