#include "hlo/hlo_wire.h"

enum wire_type { VARINT, FIXED64, LENGTH, GROUP, END_GROUP, FIXED32 };

static bool varint(struct bytes *in, uint64_t *v)
{
	*v = 0;
	for (int shift = 0; shift < 70 && in->n; shift += 7) {
		uint8_t c = *in->s++;

		in->n--;
		if (shift < 64)
			*v |= (uint64_t)(c & 127) << shift;
		if (c < 128)
			return true;
	}
	return false;
}

static bool skip(struct bytes *in, uint64_t n)
{
	if (n > in->n)
		return false;
	in->s += n;
	in->n -= n;
	return true;
}

/* One field; `value` is the inside of a length-delimited one. */
static bool field(struct bytes *in, uint64_t *number, enum wire_type *type, struct bytes *value)
{
	uint64_t tag, v;

	if (!varint(in, &tag))
		return false;
	*number = tag >> 3;
	*type = (enum wire_type)(tag & 7);
	value->s = in->s;
	value->n = 0;
	switch (*type) {
	case VARINT:
		return *number && varint(in, &v);
	case FIXED64:
		return *number && skip(in, 8);
	case FIXED32:
		return *number && skip(in, 4);
	case LENGTH:
		if (!*number || !varint(in, &v) || v > in->n)
			return false;
		value->s = in->s;
		value->n = (size_t)v;
		return skip(in, v);
	default:
		return false;
	}
}

static bool printable(struct bytes name)
{
	for (size_t k = 0; k < name.n; k++)
		if (name.s[k] < ' ' || name.s[k] == 127)
			return false;
	return name.n > 0;
}

/* A module has a name in field 1 and computations in field 3. */
static bool is_module(struct bytes in, struct bytes *first)
{
	struct bytes value;
	enum wire_type type;
	uint64_t number;
	bool named = false, computations = false;

	first->s = NULL;
	first->n = 0;
	while (in.n) {
		if (!field(&in, &number, &type, &value))
			return false;
		if (number == 1 && type == LENGTH) {
			*first = value;
			named = printable(value);
		}
		computations |= number == 3 && type == LENGTH;
	}
	return named && computations;
}

struct bytes wire_module(struct bytes in)
{
	struct bytes inner;

	for (int depth = 0; depth < 3; depth++) {
		if (is_module(in, &inner))
			return in;
		if (!inner.s)
			break;
		in = inner;
	}
	return (struct bytes){ NULL, 0 };
}

bool wire_sound(struct bytes in, const ProtobufCMessageDescriptor *type, int depth)
{
	const ProtobufCFieldDescriptor *d;
	enum wire_type wire;
	struct bytes value;
	uint64_t number;

	if (depth < 0)
		return false;
	while (in.n) {
		if (!field(&in, &number, &wire, &value) || number > UINT32_MAX)
			return false;
		if (wire != LENGTH)
			continue;
		d = protobuf_c_message_descriptor_get_field(type, (unsigned)number);
		if (d && d->type == PROTOBUF_C_TYPE_MESSAGE && !wire_sound(value, d->descriptor, depth - 1))
			return false;
	}
	return true;
}
