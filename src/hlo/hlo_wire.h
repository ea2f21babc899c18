/* hlo_wire.h - protobuf bytes before they are unpacked.
 *
 * protobuf-c trusts its input's nesting, and an HloModuleProto, an HloProto and
 * an HloSnapshot look alike.  Here the bytes are walked without recursion of
 * unknown depth: to find the module in them, and to see that they are sound.
 */
#ifndef DIVERGE_HLO_WIRE_H
#define DIVERGE_HLO_WIRE_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
	const uint8_t *s;
	size_t n;
};

/* The bytes of the HloModuleProto inside, at most two messages deep; s is
 * NULL if there is none. */
struct bytes wire_module(struct bytes all);
/* Well-formed as a message of this type, nested at most `depth` deep? */
bool wire_sound(struct bytes all, const ProtobufCMessageDescriptor *type, int depth);

#endif
