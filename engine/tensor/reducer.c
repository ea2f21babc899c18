#include "tensor/reducer.h"

#include <stddef.h>
#include <string.h>
#include "tensor/shape.h"

static const struct reducer {
	const char *op, *truth, *word;
	bool idempotent;
} table[] = {
	{ "add", "or", "sum", false },
	{ "multiply", "and", "multiply", false },
	{ "maximum", "or", "max", true },
	{ "minimum", "and", "min", true },
	{ "and", "and", "and", true },
	{ "or", "or", "or", true },
};

static const struct reducer *find(const char *op)
{
	size_t k;

	for (k = 0; k < sizeof table / sizeof *table; k++)
		if (!strcmp(table[k].op, op))
			return &table[k];
	return NULL;
}

bool reducer_known(const char *op)
{
	return find(op);
}

const char *reducer_of_type(const char *op, int type)
{
	const struct reducer *r = type == T_PRED ? find(op) : NULL;

	return r ? r->truth : op;
}

const char *reducer_word(const char *op)
{
	const struct reducer *r = find(op);

	return r ? r->word : op;
}

const char *reducer_choice(const char *name)
{
	static const char *const kind[] = { "first", "last", "least" };
	size_t n = strcspn(name, " "), k;

	for (k = 0; k < sizeof kind / sizeof *kind; k++)
		if (strlen(kind[k]) == n && !strncmp(kind[k], name, n))
			return kind[k];
	return NULL;
}

bool reducer_idempotent(const char *op)
{
	const struct reducer *r = find(op);

	return r && r->idempotent;
}
