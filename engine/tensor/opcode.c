#include "tensor/opcode.h"

#include <string.h>

static const struct {
	const char *name;
	unsigned char len;
	signed char operands;
	char class;
} table[OP_COUNT] = {
#define X(n, s, k, c) { s, sizeof(s) - 1, k, c },
	OPCODES(X)
#undef X
};

const char *opcode_name(enum opcode o)
{
	return table[o].name;
}

enum opcode opcode_named(const char *s, size_t n)
{
	for (int o = 0; o < OP_UNKNOWN; o++)
		if (table[o].len == n && !memcmp(table[o].name, s, n))
			return (enum opcode)o;
	return OP_UNKNOWN;
}

int opcode_operands(enum opcode o)
{
	return table[o].operands;
}

char opcode_class(enum opcode o)
{
	return table[o].class;
}
