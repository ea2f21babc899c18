#include "pair/program.h"

#include <string.h>
#include "util/hash.h"
#include "util/integers.h"

struct name_slot {
	const char *path;
	int row;
};

/* Open addressing; the first of two equal names stays. */
struct name_table {
	uint32_t cap, n;
	struct name_slot *slot;
	int seen;		/* rows below are in */
};

static struct name_slot *find_slot(const struct name_table *t, const char *path)
{
	uint32_t i = (uint32_t)hash_bytes(path, strlen(path), 7) & (t->cap - 1);

	while (t->slot[i].path && strcmp(t->slot[i].path, path))
		i = (i + 1) & (t->cap - 1);
	return &t->slot[i];
}

static void put_name(program *p, const char *path, int row)
{
	struct name_table *t = p->names;
	struct name_slot *s;

	if (2 * t->n >= t->cap) {
		struct name_table old = *t;
		uint32_t i;
		t->cap = old.cap ? 2 * old.cap : 256;
		t->slot = arena_zalloc(&p->a, sizeof *t->slot * t->cap);
		for (i = 0; i < old.cap; i++)
			if (old.slot[i].path)
				*find_slot(t, old.slot[i].path) = old.slot[i];
	}
	s = find_slot(t, path);
	if (!s->path) {
		*s = (struct name_slot){ path, row };
		t->n++;
	}
}

void program_alias(program *p, const char *path, int row)
{
	if (!p->names)
		p->names = ARENA_NEW(&p->a, struct name_table);
	put_name(p, path, row);
}

/* The table takes up rows when it is first asked after they came. */
int program_named(program *p, const char *path)
{
	if (*path == '%')
		path++;
	if (!p->names)
		p->names = ARENA_NEW(&p->a, struct name_table);
	for (; p->names->seen < p->nrow; p->names->seen++)
		put_name(p, p->row[p->names->seen].path, p->names->seen);
	return p->names->n && find_slot(p->names, path)->path ? find_slot(p->names, path)->row : -1;
}

bool program_counts(const inst *i)
{
	int k;

	for (k = 0; k < i->shape->n; k++)
		if (i->shape->elem[k]->type == T_TOKEN)
			return false;
	switch (i->opcode) {
	case OP_CONDITIONAL:	/* its rows make the choices */
	case OP_ALL_GATHER_START: case OP_COLLECTIVE_PERMUTE_START: case OP_ASYNC_START:	/* operands stand before results */
		return false;
	default:
		return i->shape->type == T_TUPLE;
	}
}

int64_t row_elements(const row *r)
{
	return integers_product(r->dim, r->rank);
}

/* Lists of a million rows are searched for it: digits are put by hand. */
static size_t put_number(char *buf, size_t n, int64_t v)
{
	char digit[24];
	size_t k = sizeof digit, len;

	if (v < 0)
		return 0;
	do
		digit[--k] = (char)('0' + v % 10);
	while (v /= 10);
	len = sizeof digit - k < n ? sizeof digit - k : n;
	memcpy(buf, digit + k, len);
	return len;
}

const char *row_shape(const row *r, char *buf, size_t n)
{
	const char *type = etype_name((enum etype)r->type);
	size_t len = strlen(type) < n ? strlen(type) : n - 1;
	int k;

	memcpy(buf, type, len);
	for (k = 0; k < r->rank && len + 1 < n; k++) {
		buf[len++] = k ? ',' : '[';
		len += put_number(buf + len, n - 1 - len, r->dim[k]);
	}
	if (!r->rank && len + 1 < n)
		buf[len++] = '[';
	if (len + 1 < n)
		buf[len++] = ']';
	buf[len] = 0;
	return buf;
}
