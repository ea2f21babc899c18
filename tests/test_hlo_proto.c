/* Protobufs: small modules packed here and compared with the same in text,
 * broken bytes, and the pairs of ../shared where that folder is. */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "hlo/hlo.pb-c.h"
#include "hlo/hlo_proto.h"
#include "hlo/hlo_text.h"
#include "hlo/module.h"

#ifndef SRCDIR
#define SRCDIR "."
#endif

static arena a;
static char said[1200];

#define NEW(type, init) make(sizeof(type), &(const type)init)
static void *make(size_t n, const void *init)
{
	return memcpy(arena_alloc(&a, n), init, n);
}

static void *list(const void *items, size_t bytes)
{
	return memcpy(arena_alloc(&a, bytes), items, bytes);
}

#define INTS(field, obj, ...) do { \
	static const int64_t v_[] = { __VA_ARGS__ }; \
	(obj)->field = list(v_, sizeof v_); \
	(obj)->n_##field = sizeof v_ / sizeof v_[0]; \
} while (0)
#define PTRS(field, obj, type, ...) do { \
	type *const v_[] = { __VA_ARGS__ }; \
	(obj)->field = list(v_, sizeof v_); \
	(obj)->n_##field = sizeof v_ / sizeof v_[0]; \
} while (0)

enum { PRED = 1, S4 = 21, S32 = 4, F32 = 11, BF16 = 16, TUPLE = 13 };

static Pb__Shape *shape_of(int type, size_t rank, const int64_t *dim)
{
	Pb__Shape *s = NEW(Pb__Shape, PB__SHAPE__INIT);

	s->element_type = type;
	s->dimensions = list(dim, rank * sizeof *dim);
	s->n_dimensions = rank;
	return s;
}
#define SHAPE(type, ...) shape_of(type, sizeof((int64_t[]){ __VA_ARGS__ }) / 8, (const int64_t[]){ __VA_ARGS__ })
#define SCALAR(type) shape_of(type, 0, (const int64_t[]){ 0 })

static Pb__Instruction *instruction(const char *name, const char *opcode, Pb__Shape *shape, int64_t id)
{
	Pb__Instruction *i = NEW(Pb__Instruction, PB__INSTRUCTION__INIT);

	i->name = arena_strdup(&a, name);
	i->opcode = arena_strdup(&a, opcode);
	i->shape = shape;
	i->id = id;
	return i;
}

static Pb__Computation *computation(const char *name, int64_t id, int64_t root)
{
	Pb__Computation *c = NEW(Pb__Computation, PB__COMPUTATION__INIT);

	c->name = arena_strdup(&a, name);
	c->id = id;
	c->root_id = root;
	return c;
}

static Pb__Module *module_of(Pb__Computation *entry)
{
	Pb__Module *m = NEW(Pb__Module, PB__MODULE__INIT);

	m->name = arena_strdup(&a, "m");
	PTRS(computations, m, Pb__Computation, entry);
	m->entry_id = entry->id;
	return m;
}

/* One parameter of this shape, and an instruction of it. */
static Pb__Module *one(Pb__Instruction *i, Pb__Shape *param)
{
	Pb__Computation *c = computation("e", 1, i->id);
	Pb__Instruction *p = instruction("p", "parameter", param, 7);

	if (!i->n_operand_ids)
		INTS(operand_ids, i, 7);
	PTRS(instructions, c, Pb__Instruction, p, i);
	return module_of(c);
}

static module *read_bytes(const void *data, size_t n)
{
	struct diag d;
	module *m = hlo_read_proto("t.pb", data, n, &d);

	*said = 0;
	if (!m)
		diag_text(&d, said, sizeof said);
	return m;
}

static module *read_module(const Pb__Module *pb)
{
	size_t n = pb__module__get_packed_size(pb);
	uint8_t *data = malloc(n);
	module *m;

	pb__module__pack(pb, data);
	m = read_bytes(data, n);
	free(data);
	return m;
}

static void same_as(const Pb__Module *pb, const char *text)
{
	struct diag d;
	module *x = read_module(pb), *y;
	const char *difference;

	if (!x)
		fail_msg("%s", said);
	y = hlo_read_text("t.hlo", text, strlen(text), &d);
	if (!y)
		fail_msg("%d:%d: %s", d.line, d.column, d.message);
	difference = module_difference(&a, x, y, true);
	if (difference)
		fail_msg("%s", difference);
	module_free(x);
	module_free(y);
}

static void refused(const Pb__Module *pb, const char *message)
{
	module *m = read_module(pb);

	assert_null(m);
	assert_string_equal(said, message);
}

static int setup(void **state)
{
	(void)state;
	arena_init(&a);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&a);
	return 0;
}

/* ---- containers ---- */

static void containers(void **state)
{
	Pb__Module *m = one(instruction("n", "negate", SHAPE(F32, 2), 8), SHAPE(F32, 2));
	Pb__Hlo hlo = PB__HLO__INIT;
	Pb__Snapshot snapshot = PB__SNAPSHOT__INIT;
	uint8_t data[512];
	module *x;
	size_t n;

	(void)state;
	same_as(m, "HloModule m\nENTRY e { p = f32[2] parameter(0) ROOT n = f32[2] negate(p) }");
	hlo.module = m;
	n = pb__hlo__pack(&hlo, data);
	x = read_bytes(data, n);
	assert_string_equal(x->entry->root->name, "n");
	module_free(x);
	snapshot.hlo = &hlo;
	n = pb__snapshot__pack(&snapshot, data);
	x = read_bytes(data, n);
	assert_string_equal(x->name, "m");
	module_free(x);
	for (size_t k = 0; k < n; k++)	/* cut short anywhere: an error or the module, no crash */
		module_free(read_bytes(data, k));
	assert_null(read_bytes("\x0a\x01m\x12\x01" "e", 6));
	assert_string_equal(said, "t.pb: neither HLO text nor an HLO protobuf, or one that is cut short");
}

static void nesting(void **state)
{
	enum { DEEP = 20000 };
	Pb__Module *m = one(instruction("n", "negate", SHAPE(F32, 2), 8), SHAPE(F32, 2));
	uint8_t *data = malloc(DEEP * 8 + 512), *p = data + DEEP * 8;
	uint8_t *end = p;
	size_t n, len;

	/* field 4 (program shape) { field 2 (result) { field 4 (tuple) {..}}}, from the inside out */
	(void)state;
	for (int k = 0; k < DEEP; k++) {
		len = (size_t)(end - p);
		if (len >= 1 << 14)
			*--p = (uint8_t)(len >> 14);
		if (len >= 1 << 7)
			*--p = (uint8_t)((len >> 7 & 127) | (len >= 1 << 14 ? 128 : 0));
		*--p = (uint8_t)((len & 127) | (len >= 1 << 7 ? 128 : 0));
		*--p = k + 2 < DEEP ? 0x22 : k + 1 < DEEP ? 0x12 : 0x22;
	}
	n = pb__module__pack(m, end);
	assert_null(read_bytes(p, (size_t)(end - p) + n));
	assert_string_equal(said, "t.pb: the protobuf is broken or nested too deep");
	free(data);
}

/* ---- instructions ---- */

static void ids(void **state)
{
	Pb__Instruction *n = instruction("n", "negate", SHAPE(F32, 2), (int64_t)1 << 32 | 9);
	Pb__Module *m;

	(void)state;
	INTS(operand_ids, n, 7);	/* the low half of the parameter's id */
	m = one(n, SHAPE(F32, 2));
	m->computations[0]->instructions[0]->id = (int64_t)1 << 32 | 7;
	same_as(m, "HloModule m\nENTRY e { p = f32[2] parameter(0) ROOT n = f32[2] negate(p) }");
	INTS(operand_ids, n, 3);
	refused(m, "t.pb: %n: an operand is missing");
	INTS(operand_ids, n, ((int64_t)1 << 32 | 9));
	refused(m, "t.pb: %n depends on itself");
	INTS(operand_ids, n, 7);
	m->computations[0]->root_id = 55;
	refused(m, "t.pb: the root of %e is missing");
	m->computations[0]->root_id = n->id;
	n->name = "p";
	refused(m, "t.pb: a second instruction %p in %e");
	n->name = "n";
	n->id = (int64_t)1 << 32 | 7;
	refused(m, "t.pb: %n: a second instruction with this id");
	n->id = 9;
	n->opcode = "4 negate";
	refused(m, "t.pb: %n: '4 negate' is no opcode");
	n->opcode = "negate";
	n->shape = NULL;
	refused(m, "t.pb: %n: the shape is missing");
}

static void shapes(void **state)
{
	Pb__Shape *s = SHAPE(F32, 2, 3), *t = SCALAR(TUPLE);
	Pb__Layout *l = NEW(Pb__Layout, PB__LAYOUT__INIT);
	Pb__Tile *tile = NEW(Pb__Tile, PB__TILE__INIT);
	Pb__Instruction *x = instruction("c", "custom-call", t, 8);
	protobuf_c_boolean dynamic[2] = { 1, 0 };

	(void)state;
	INTS(minor_to_major, l, 0, 1);
	INTS(dimensions, tile, 8, INT64_MIN);
	PTRS(tiles, l, Pb__Tile, tile);
	l->memory_space = 5;
	s->layout = l;
	s->is_dynamic = dynamic;
	s->n_is_dynamic = 2;
	PTRS(tuple_shapes, t, Pb__Shape, s, SCALAR(PRED), SHAPE(S32, INT64_MIN));
	x->custom_call_target = "t";
	x->api_version = 1;
	same_as(one(x, SCALAR(F32)), "HloModule m\nENTRY e { p = f32[] parameter(0) "
		"ROOT c = (f32[<=2,3]{0,1:T(8,*)S(5)}, pred[], s32[?]) custom-call(p), custom_call_target=\"t\" }");
	s->element_type = 99;
	refused(one(x, SCALAR(F32)), "t.pb: %c: unknown element type type99");
	s->element_type = F32;
	s->dimensions[1] = -7;
	refused(one(x, SCALAR(F32)), "t.pb: %c: a negative dimension");
}

static Pb__Module *constant(Pb__Literal *x, Pb__Shape *s)
{
	Pb__Instruction *c = instruction("c", "constant", s, 8);
	Pb__Computation *e = computation("e", 1, 8);

	c->literal = x;
	PTRS(instructions, e, Pb__Instruction, c);
	return module_of(e);
}

static void constants(void **state)
{
	static int32_t six[] = { 1, 4, 2, 5, 3, 6 };
	static uint8_t bf16[] = { 0x80, 0x3f, 0x6f, 0x40 }, s4[] = { 0x0f, 0x07 };
	static const uint32_t payload[] = { 0x7fc01234, 0xffc00001 };
	float nans[2];
	Pb__Literal x = PB__LITERAL__INIT, y = PB__LITERAL__INIT, z = PB__LITERAL__INIT;
	Pb__Layout *l = NEW(Pb__Layout, PB__LAYOUT__INIT);

	(void)state;
	memcpy(nans, payload, sizeof nans);
	x.shape = SHAPE(S32, 2, 3);
	INTS(minor_to_major, l, 0, 1);
	x.shape->layout = l;	/* values in physical order: columns first */
	x.s32s = six;
	x.n_s32s = 6;
	same_as(constant(&x, SHAPE(S32, 2, 3)), "HloModule m\nENTRY e { c = s32[2,3] constant({{1,2,3},{4,5,6}}) }");
	refused(constant(&x, SHAPE(S32, 2, 4)), "t.pb: %c: the constant does not fit s32[2,4]");
	y.bf16s = (ProtobufCBinaryData){ 4, bf16 };
	same_as(constant(&y, SHAPE(BF16, 2)), "HloModule m\nENTRY e { c = bf16[2] constant({1, 3.734}) }");
	z.s4s = (ProtobufCBinaryData){ 2, s4 };
	same_as(constant(&z, SHAPE(S4, 2)), "HloModule m\nENTRY e { c = s4[2] constant({-1, 7}) }");
	z = (Pb__Literal)PB__LITERAL__INIT;
	z.f32s = nans;		/* payloads are not kept */
	z.n_f32s = 2;
	same_as(constant(&z, SHAPE(F32, 2)), "HloModule m\nENTRY e { c = f32[2] constant({nan, -nan}) }");
	same_as(constant(NULL, SHAPE(S4, 2)), "HloModule m\nENTRY e { c = s4[2] constant({...}) }");
}

static void old_comparisons(void **state)
{
	Pb__Instruction *c = instruction("c", "less-than-or-equal-to", SHAPE(PRED, 2), 8);

	(void)state;
	INTS(operand_ids, c, 7, 7);
	same_as(one(c, SHAPE(F32, 2)), "HloModule m\nENTRY e { p = f32[2] parameter(0) ROOT c = pred[2] compare(p, p), direction=LE }");
}

static void while_order(void **state)
{
	Pb__Computation *body = computation("body", 2, 21), *cond = computation("cond", 3, 32), *e;
	Pb__Instruction *bp = instruction("x", "parameter", SCALAR(F32), 21), *cp = instruction("y", "parameter", SCALAR(F32), 31);
	Pb__Instruction *ct = instruction("t", "compare", SCALAR(PRED), 32), *w = instruction("w", "while", SCALAR(F32), 8);
	Pb__Module *m = one(w, SCALAR(F32));
	static const char text[] = "HloModule m\nbody { x = f32[] parameter(0) }\ncond { y = f32[] parameter(0) ROOT t = pred[] compare(y, y), "
		"direction=NE }\nENTRY e { p = f32[] parameter(0) ROOT w = f32[] while(p), condition=cond, body=body }";

	(void)state;
	INTS(operand_ids, ct, 31, 31);
	ct->comparison_direction = "NE";
	PTRS(instructions, body, Pb__Instruction, bp);
	PTRS(instructions, cond, Pb__Instruction, cp, ct);
	e = m->computations[0];
	PTRS(computations, m, Pb__Computation, body, cond, e);
	INTS(called_ids, w, 2, 3);
	same_as(m, text);
	INTS(called_ids, w, 3, 2);
	same_as(m, text);
	INTS(called_ids, w, 3);
	refused(m, "t.pb: %w: a called computation is missing");
}

/* ---- device groups and shardings ---- */

static Pb__Mesh *mesh(void)
{
	Pb__Mesh *m = NEW(Pb__Mesh, PB__MESH__INIT);
	Pb__MeshAxis *x = NEW(Pb__MeshAxis, PB__MESH_AXIS__INIT), *y = NEW(Pb__MeshAxis, PB__MESH_AXIS__INIT);

	x->name = "x";
	x->size = 2;
	y->name = "y";
	y->size = 4;
	PTRS(axes, m, Pb__MeshAxis, x, y);
	return m;
}

static void gathered(Pb__Instruction *g, const char *groups)
{
	g->channel_id = 3;
	g->use_global_device_ids = 1;
	INTS(dimensions, g, 0);
	same_as(one(g, SHAPE(F32, 2)), arena_printf(&a, "HloModule m\nENTRY e { p = f32[2] parameter(0) ROOT g = f32[4] all-gather(p), "
		"channel_id=3, replica_groups=%s, dimensions={0}, use_global_device_ids=true }", groups));
}

static Pb__Instruction *gather(void)
{
	return instruction("g", "all-gather", SHAPE(F32, 4), 8);
}

static void group_places(void **state)
{
	Pb__ReplicaGroup *r0 = NEW(Pb__ReplicaGroup, PB__REPLICA_GROUP__INIT), *r1 = NEW(Pb__ReplicaGroup, PB__REPLICA_GROUP__INIT);
	Pb__IotaGroups *iota = NEW(Pb__IotaGroups, PB__IOTA_GROUPS__INIT);
	Pb__MeshGroups *named = NEW(Pb__MeshGroups, PB__MESH_GROUPS__INIT);
	Pb__AxisRef *ref = NEW(Pb__AxisRef, PB__AXIS_REF__INIT);
	Pb__Instruction *g = gather();
	int32_t perm[] = { 1, 0 };

	(void)state;
	INTS(ids, r0, 0, 1);
	INTS(ids, r1, 2, 3);
	gathered(g, "{}");
	PTRS(replica_groups, g, Pb__ReplicaGroup, r0, r1);
	gathered(g, "{{0,1},{2,3}}");
	g = gather();
	g->device_list = NEW(Pb__DeviceList, PB__DEVICE_LIST__INIT);
	PTRS(groups, g->device_list, Pb__ReplicaGroup, r1, r0);
	gathered(g, "{{2,3},{0,1}}");
	iota->groups = 4;
	iota->size = 2;
	INTS(reshape_dims, iota, 4, 2);
	iota->transpose_perm = perm;
	iota->n_transpose_perm = 2;
	g->device_list->iota = iota;
	gathered(g, "[4,2]<=[4,2]T(1,0)");
	g = gather();
	g->iota_groups = iota;
	gathered(g, "[4,2]<=[4,2]T(1,0)");
	g = gather();
	ref->axis = 0;
	named->mesh = mesh();
	PTRS(axes, named, Pb__AxisRef, ref);
	g->mesh_groups = named;
	gathered(g, "mesh['x'=2,'y'=4] {'x'}");
}

static void shardings(void **state)
{
	Pb__Sharding *s = NEW(Pb__Sharding, PB__SHARDING__INIT);
	Pb__NamedSharding *named = NEW(Pb__NamedSharding, PB__NAMED_SHARDING__INIT);
	Pb__DimSharding *d0 = NEW(Pb__DimSharding, PB__DIM_SHARDING__INIT), *d1 = NEW(Pb__DimSharding, PB__DIM_SHARDING__INIT);
	Pb__AxisRef *ref = NEW(Pb__AxisRef, PB__AXIS_REF__INIT);
	Pb__SubAxis *sub = NEW(Pb__SubAxis, PB__SUB_AXIS__INIT);
	Pb__Instruction *n = instruction("n", "negate", SHAPE(F32, 4, 4), 8);
	static const char text[] = "HloModule m\nENTRY e { p = f32[4,4] parameter(0) ROOT n = f32[4,4] negate(p), sharding=%s }";

	(void)state;
	n->sharding = s;
	same_as(one(n, SHAPE(F32, 4, 4)), arena_printf(&a, text, "{replicated}"));
	s->type = 1;
	INTS(tile_devices, s, 5);
	same_as(one(n, SHAPE(F32, 4, 4)), arena_printf(&a, text, "{maximal device=5}"));
	s->type = 3;
	INTS(tile_dims, s, 2, 1, 2);
	INTS(tile_devices, s, 0, 2, 1, 3);
	s->replicate_on_last_tile_dim = 1;
	same_as(one(n, SHAPE(F32, 4, 4)), arena_printf(&a, text, "{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}"));
	INTS(iota_reshape_dims, s, 4);
	same_as(one(n, SHAPE(F32, 4, 4)), arena_printf(&a, text, "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"));
	s->type = 0;	/* stays so where a named sharding is */
	sub->pre_size = 2;
	sub->size = 2;
	ref->axis = 1;
	ref->sub = sub;
	PTRS(axes, d1, Pb__AxisRef, ref);
	PTRS(dims, named, Pb__DimSharding, d0, d1);
	named->mesh = mesh();
	s->named = named;
	same_as(one(n, SHAPE(F32, 4, 4)), arena_printf(&a, text, "{mesh['x'=2,'y'=4], [{}, {'y':(2)2}]}"));
	ref->axis = 9;
	refused(one(n, SHAPE(F32, 4, 4)), "t.pb: %n: the mesh has no axis ''");
}

/* ---- metadata and header ---- */

static void metadata(void **state)
{
	Pb__Instruction *n = instruction("n", "negate", SHAPE(F32, 2), 8);
	Pb__Metadata *d = NEW(Pb__Metadata, PB__METADATA__INIT);
	Pb__StackFrameIndex *x = NEW(Pb__StackFrameIndex, PB__STACK_FRAME_INDEX__INIT);
	Pb__FileLocation *l = NEW(Pb__FileLocation, PB__FILE_LOCATION__INIT), *k = NEW(Pb__FileLocation, PB__FILE_LOCATION__INIT);
	Pb__StackFrame *f = NEW(Pb__StackFrame, PB__STACK_FRAME__INIT), *g = NEW(Pb__StackFrame, PB__STACK_FRAME__INIT);
	Pb__Module *m;

	(void)state;
	d->op_type = "neg";
	d->op_name = "jit(f)/neg['a']";
	d->stack_frame_id = 2;
	d->scheduling_name = "s";
	n->metadata = d;
	n->backend_config = (ProtobufCBinaryData){ 7, (uint8_t *)"{\"a\":1}" };
	m = one(n, SHAPE(F32, 2));
	PTRS(file_names, x, char, "a.py", "b.py");
	PTRS(function_names, x, char, "f");
	l->file = 1;
	l->line = 7;
	k->file = 2;
	k->function = 1;
	k->line = 9;
	PTRS(locations, x, Pb__FileLocation, l, k);
	f->location = 1;
	g->location = 2;
	g->parent = 1;
	PTRS(frames, x, Pb__StackFrame, f, g);
	m->frames = x;
	same_as(m, "HloModule m\nFileNames\n1 \"a.py\"\n2 \"b.py\"\nFunctionNames\n1 \"f\"\nFileLocations\n"
		"1 {file_name_id=1 function_name_id=0 line=7 end_line=0 column=0 end_column=0}\n"
		"2 {file_name_id=2 function_name_id=1 line=9 end_line=0 column=0 end_column=0}\n"
		"StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n2 {file_location_id=2 parent_frame_id=2}\n"
		"ENTRY e { p = f32[2] parameter(0) ROOT n = f32[2] negate(p), metadata={op_type=\"neg\" op_name=\"jit(f)/neg[\\'a\\']\" "
		"stack_frame_id=2 scheduling_name=\"s\"}, backend_config={\"a\":1} }");
}

static void header(void **state)
{
	Pb__Module *pb = one(instruction("n", "negate", SHAPE(F32, 2), 8), SHAPE(F32, 2));
	Pb__DeviceAssignment *d = NEW(Pb__DeviceAssignment, PB__DEVICE_ASSIGNMENT__INIT);
	Pb__InputOutputAlias *alias = NEW(Pb__InputOutputAlias, PB__INPUT_OUTPUT_ALIAS__INIT);
	Pb__AliasEntry *entry = NEW(Pb__AliasEntry, PB__ALIAS_ENTRY__INIT);
	Pb__Sharding *s = NEW(Pb__Sharding, PB__SHARDING__INIT);
	Pb__FrontendAttributes *front = NEW(Pb__FrontendAttributes, PB__FRONTEND_ATTRIBUTES__INIT);
	Pb__MapEntry *plain = NEW(Pb__MapEntry, PB__MAP_ENTRY__INIT), *odd = NEW(Pb__MapEntry, PB__MAP_ENTRY__INIT);
	module *m;

	(void)state;
	plain->key = "xla.a";
	plain->value = "1";
	odd->key = "odd\n[";
	odd->value = "2";
	PTRS(map, front, Pb__MapEntry, plain, odd);
	pb->frontend = front;
	d->replica_count = 2;
	d->computation_count = 4;
	pb->device_assignment = d;
	INTS(output_index, entry, 0);
	entry->parameter = 3;
	entry->kind = 2;
	PTRS(entries, alias, Pb__AliasEntry, entry);
	pb->alias = alias;
	pb->output_sharding = s;
	pb->computations[0]->name = "";
	m = read_module(pb);
	assert_string_equal(m->entry->name, "unnamed.0");
	assert_int_equal(m->replica_count, 2);
	assert_int_equal(m->num_partitions, 4);
	assert_string_equal(m->attr[0].text, "{ {0}: (3, {}, must-alias) }");
	assert_string_equal(m->attr[1].key, "replica_count");
	assert_string_equal(m->attr[3].text, "{\"odd\\n[\"=\"2\",xla.a=\"1\"}");
	assert_string_equal(m->attr[4].key, "spmd_output_sharding");
	assert_string_equal(m->attr[4].text, "{replicated}");
	module_free(m);
}

/* A wrong shape is refused as in text. */
static void wrong_shape(void **state)
{
	(void)state;
	refused(one(instruction("n", "negate", SHAPE(F32, 3), 8), SHAPE(F32, 2)),
		"t.pb: %n: the negate gives f32[2], the text says f32[3]");
}

/* ---- the corpus ---- */

static int pairs, failures;

static void one_pair(const char *path)
{
	char text[4096];
	struct diag d;
	module *x = module_read(path, &d), *y;
	const char *difference;

	if (!x) {
		print_error("%s: %s\n", path, d.message);
		failures++;
		return;
	}
	snprintf(text, sizeof text, "%.*s", (int)strlen(path) - 3, path);
	if (strlen(text) < 4 || strcmp(text + strlen(text) - 4, ".hlo"))
		strncat(text, ".hlo", sizeof text - strlen(text) - 1);
	y = access(text, R_OK) ? NULL : module_read(text, &d);
	if (y) {
		pairs++;
		difference = module_difference(&y->arena, x, y, false);
		if (difference) {
			print_error("%s: %s\n", path, difference);
			failures++;
		}
	}
	module_free(x);
	module_free(y);
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *w)
{
	size_t n = strlen(path);

	(void)st;
	(void)w;
	if (type == FTW_F && n > 3 && !strcmp(path + n - 3, ".pb"))
		one_pair(path);
	return 0;
}

static void corpus(void **state)
{
	(void)state;
	if (nftw(SRCDIR "/../shared/.", visit, 32, FTW_PHYS) || !pairs)
		skip();
	print_message("%d pairs\n", pairs);
	assert_int_equal(failures, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(containers), cmocka_unit_test(nesting), cmocka_unit_test(ids), cmocka_unit_test(shapes),
		cmocka_unit_test(constants), cmocka_unit_test(old_comparisons), cmocka_unit_test(while_order),
		cmocka_unit_test(group_places), cmocka_unit_test(shardings), cmocka_unit_test(metadata),
		cmocka_unit_test(header), cmocka_unit_test(wrong_shape), cmocka_unit_test(corpus),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
