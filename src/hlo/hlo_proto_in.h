/* hlo_proto_in.h - shared by the files of the protobuf reader.
 *
 * `text` builds a line in the builder's scratch arena.  The put_ functions
 * append what XLA's printer writes for a message.
 */
#ifndef DIVERGE_HLO_PROTO_IN_H
#define DIVERGE_HLO_PROTO_IN_H

#include "hlo/hlo.pb-c.h"
#include "hlo/hlo_frame.h"
#include "hlo/hlo_value.h"

struct text {
	arena *a;
	char *s;
	size_t n, cap;
};
void put(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void put_ints(struct text *t, const int64_t *v, size_t n);	/* 1,2,3 */
void put_string(struct text *t, const void *s, size_t n);	/* "escaped" */
/* One bracketed piece on one line, so that it can be written without quotes. */
bool in_brackets(const void *s, size_t n);
void put_shape(struct text *t, const Pb__Shape *s);
void put_sharding(struct text *t, const Pb__Sharding *s);
void put_frontend(struct text *t, const Pb__FrontendAttributes *f);
/* replica groups of whatever field they stand in; false if there are none */
bool put_groups(struct text *t, const Pb__Instruction *p);

/* Ids of one kind to what they stand for. */
struct ids {
	struct id { int64_t key; void *value; } *slot;
	uint64_t mask;
};
void ids_init(arena *a, struct ids *t, size_t n);
bool ids_put(struct ids *t, int64_t key, void *value);		/* false: there already */
void *ids_get(const struct ids *t, int64_t key);

typedef struct proto {
	builder b;
	Pb__Module *pb;
	struct frame_tables frames;
	struct ids comps;
	struct ids insts, low;		/* of the computation being read; by id and by its low half */
	attr *attr;
	int nattr, capattr;
} proto;

const char *proto_name(proto *p, const char *name);	/* only what text may hold */
const shape *proto_shape(proto *p, const Pb__Shape *s, const char *who);
const literal *proto_literal(proto *p, const Pb__Literal *x, const shape *s, const char *who);
void proto_attrs(proto *p, inst *i, const Pb__Instruction *pb);

#endif
