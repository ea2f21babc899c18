#include "hlo/hlo_proto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "hlo/hlo_proto_in.h"
#include "hlo/hlo_wire.h"
#include "util/hash.h"

/* ---- ids ---- */

void ids_init(arena *a, struct ids *t, size_t n)
{
	for (t->mask = 7; t->mask < 2 * n; t->mask = 2 * t->mask + 1)
		;
	t->slot = arena_zalloc(a, (t->mask + 1) * sizeof *t->slot);
}

static struct id *ids_slot(const struct ids *t, int64_t key)
{
	uint64_t h = hash_bytes(&key, sizeof key, 0) & t->mask;

	while (t->slot[h].value && t->slot[h].key != key)
		h = (h + 1) & t->mask;
	return &t->slot[h];
}

bool ids_put(struct ids *t, int64_t key, void *value)
{
	struct id *s = ids_slot(t, key);

	if (s->value)
		return false;
	s->key = key;
	s->value = value;
	return true;
}

void *ids_get(const struct ids *t, int64_t key)
{
	return ids_slot(t, key)->value;
}

/* ---- names and shapes ---- */

const char *proto_name(proto *p, const char *name)
{
	size_t n = strlen(name);
	char *copy = arena_strdup(&p->b.tmp, name);

	for (size_t k = 0; k < n; k++)
		if (!LEX_IS(copy[k], LEX_WORD))
			copy[k] = '_';
	return syms_get(&p->b.syms, copy, n)->s;
}

const shape *proto_shape(proto *p, const Pb__Shape *s, const char *who)
{
	struct text t = { .a = &p->b.tmp };
	lexer l;

	put_shape(&t, s);
	lex_init(&l, &p->b, t.s, t.n);
	l.who = who;
	return hlo_shape(&l);
}

/* ---- the module ---- */

static void frames(proto *p)
{
	const Pb__StackFrameIndex *x = p->pb->frames;
	struct frame_tables *t = &p->frames;
	arena *a = &p->b.tmp;
	int dropped;

	if (!x)
		return;
	t->nfile = (int)x->n_file_names;
	t->nfunction = (int)x->n_function_names;
	t->nlocation = (int)x->n_locations;
	t->nentry = (int)x->n_frames;
	t->file = ARENA_ARRAY(a, const char *, t->nfile);
	t->function = ARENA_ARRAY(a, const char *, t->nfunction);
	t->location = ARENA_ARRAY(a, struct frame_location, t->nlocation);
	t->entry = ARENA_ARRAY(a, struct frame_entry, t->nentry);
	for (int k = 0; k < t->nfile; k++)
		t->file[k] = arena_strdup(p->b.a, x->file_names[k]);
	for (int k = 0; k < t->nfunction; k++)
		t->function[k] = arena_strdup(p->b.a, x->function_names[k]);
	for (int k = 0; k < t->nlocation; k++)
		t->location[k] = (struct frame_location){ x->locations[k]->file, x->locations[k]->function,
			x->locations[k]->line, x->locations[k]->column, x->locations[k]->end_line,
			x->locations[k]->end_column };
	for (int k = 0; k < t->nentry; k++)
		t->entry[k] = (struct frame_entry){ x->frames[k]->location, x->frames[k]->parent };
	dropped = frames_make(&p->b, t);
	if (dropped)
		build_warn(&p->b, 0, 0, "%d of %d stack frames lead nowhere or in a circle and are dropped", dropped,
			   t->nentry);
}

static void header_attr(proto *p, const char *key, const struct text *t)
{
	attr *x;

	p->attr = build_grow(&p->b, p->attr, p->nattr, &p->capattr, sizeof *p->attr);
	x = &p->attr[p->nattr++];
	memset(x, 0, sizeof *x);
	x->key = key;
	x->kind = ATTR_RAW;
	x->text = arena_strdup(p->b.a, t->s);
}

static void alias_attr(proto *p)
{
	static const char *const kinds[] = { "undefined-alias", "may-alias", "must-alias" };
	const Pb__InputOutputAlias *x = p->pb->alias;
	struct text t = { .a = &p->b.tmp };

	if (!x || !x->n_entries)
		return;
	for (size_t k = 0; k < x->n_entries; k++) {
		const Pb__AliasEntry *e = x->entries[k];

		put(&t, k ? ", {" : "{ {");
		put_ints(&t, e->output_index, e->n_output_index);
		put(&t, "}: (%" PRId64 ", {", e->parameter);
		put_ints(&t, e->parameter_index, e->n_parameter_index);
		put(&t, "}, %s)", kinds[e->kind >= 0 && e->kind < 3 ? e->kind : 0]);
	}
	put(&t, " }");
	header_attr(p, "input_output_alias", &t);
}

static void donor_attr(proto *p)
{
	const Pb__BufferDonor *x = p->pb->donor;
	struct text t = { .a = &p->b.tmp };

	if (!x || !x->n_entries)
		return;
	for (size_t k = 0; k < x->n_entries; k++) {
		put(&t, "%s(%" PRId64 ", {", k ? ", " : "{ ", x->entries[k]->parameter);
		put_ints(&t, x->entries[k]->parameter_index, x->entries[k]->n_parameter_index);
		put(&t, "})");
	}
	put(&t, " }");
	header_attr(p, "buffer_donor", &t);
}

static void layout_attr(proto *p)
{
	const Pb__ProgramShape *x = p->pb->program_shape;
	struct text t = { .a = &p->b.tmp };

	if (!x || !x->result)
		return;
	put(&t, "{(");
	for (size_t k = 0; k < x->n_parameters; k++) {
		if (k)
			put(&t, k % 5 ? ", " : ", /*index=%zu*/", k);
		put_shape(&t, x->parameters[k]);
	}
	put(&t, ")->");
	put_shape(&t, x->result);
	put(&t, "}");
	header_attr(p, "entry_computation_layout", &t);
}

static void count_attrs(proto *p)
{
	const Pb__DeviceAssignment *x = p->pb->device_assignment;
	struct text r = { .a = &p->b.tmp }, n = { .a = &p->b.tmp };

	if (!x)
		return;
	p->b.m->replica_count = x->replica_count > 0 ? x->replica_count : 0;
	p->b.m->num_partitions = x->computation_count > 0 ? x->computation_count : 0;
	put(&r, "%" PRId32, x->replica_count);
	put(&n, "%" PRId32, x->computation_count);
	if (x->replica_count > 1)
		header_attr(p, "replica_count", &r);
	if (x->computation_count > 1)
		header_attr(p, "num_partitions", &n);
}

static void sharding_attrs(proto *p)
{
	struct text in = { .a = &p->b.tmp }, out = { .a = &p->b.tmp };

	if (p->pb->output_sharding) {
		put_sharding(&out, p->pb->output_sharding);
		header_attr(p, "spmd_output_sharding", &out);
	}
	if (!p->pb->n_parameter_shardings)
		return;
	for (size_t k = 0; k < p->pb->n_parameter_shardings; k++) {
		put(&in, k ? ", " : "{");
		put_sharding(&in, p->pb->parameter_shardings[k]);
	}
	put(&in, "}");
	header_attr(p, "spmd_parameters_shardings", &in);
}

static void header(proto *p)
{
	struct text t = { .a = &p->b.tmp }, yes = { .a = &p->b.tmp };
	module *m = p->b.m;
	attr *copy;

	m->name = proto_name(p, p->pb->name);
	p->nattr = 0;
	put(&yes, "true");
	if (p->pb->schedule && p->pb->schedule->n_sequences)
		header_attr(p, "is_scheduled", &yes);
	alias_attr(p);
	donor_attr(p);
	layout_attr(p);
	count_attrs(p);
	if (p->pb->frontend && p->pb->frontend->n_map) {
		put_frontend(&t, p->pb->frontend);
		header_attr(p, "frontend_attributes", &t);
	}
	sharding_attrs(p);
	copy = ARENA_ARRAY(p->b.a, attr, p->nattr);
	if (p->nattr)
		memcpy(copy, p->attr, p->nattr * sizeof *copy);
	m->attr = copy;
	m->nattr = p->nattr;
}

/* ---- instructions ---- */

static void rest_of_metadata(proto *p, inst *i, const Pb__Metadata *m)
{
	struct text t = { .a = p->b.a };

	for (size_t k = 0; k < m->n_profile_type; k++)
		put(&t, "%s%" PRId32 "%s", k ? "," : "profile_type={", m->profile_type[k],
		    k + 1 == m->n_profile_type ? "}" : "");
	if (*m->deduplicated_name) {
		put(&t, "%sdeduplicated_name=", t.n ? " " : "");
		put_string(&t, m->deduplicated_name, strlen(m->deduplicated_name));
	}
	if (*m->scheduling_name) {
		put(&t, "%sscheduling_name=", t.n ? " " : "");
		put_string(&t, m->scheduling_name, strlen(m->scheduling_name));
	}
	i->metadata = t.s;
}

static const char *kept_string(proto *p, const char *s)
{
	return *s ? syms_get(&p->b.syms, s, strlen(s))->s : NULL;
}

static void metadata(proto *p, inst *i, const Pb__Metadata *m)
{
	frame place = { 0 };

	if (!m)
		return;
	i->op_type = kept_string(p, m->op_type);
	i->op_name = kept_string(p, m->op_name);
	rest_of_metadata(p, i, m);
	if (m->stack_frame_id > 0 && m->stack_frame_id <= p->frames.nentry)
		i->frame = p->frames.frame[m->stack_frame_id - 1];
	if (i->frame || !*m->source_file)
		return;
	place.line = m->source_line;
	place.column = m->source_column;
	place.end_line = m->source_end_line;
	place.end_column = m->source_end_column;
	i->frame = frame_inline(&p->b, &place, m->source_file, strlen(m->source_file), false);
}

/* Some writers give only the low half of an id. */
static inst *operand(proto *p, const inst *i, int64_t id)
{
	inst *x = ids_get(&p->insts, id);

	if (!x)
		x = ids_get(&p->low, id & 0xffffffff);
	if (!x)
		build_fail(&p->b, 0, 0, "%%%s: an operand is missing", i->name);
	return x;
}

static bool is_old_comparison(const char *opcode)
{
	return !strcmp(opcode, "equal-to") || !strcmp(opcode, "not-equal-to") || !strncmp(opcode, "greater-than", 12) ||
		!strncmp(opcode, "less-than", 9);
}

static void set_opcode(proto *p, inst *i, const char *opcode)
{
	sym *y = syms_get(&p->b.syms, opcode, strlen(opcode));
	const char *c = opcode;

	i->opname = y->s;
	if (is_old_comparison(opcode)) {
		i->opcode = OP_COMPARE;
		return;
	}
	while (LEX_IS(*c, LEX_WORD))
		c++;
	if (*c || !LEX_IS(*opcode, LEX_FIRST))
		build_fail(&p->b, 0, 0, "%%%s: '%s' is no opcode", i->name, opcode);
	i->opcode = build_opcode(&p->b, y, 0, 0);
}

static inst *declare(proto *p, struct body *body, const Pb__Instruction *pb)
{
	inst *i = ARENA_NEW(p->b.a, inst);
	sym *y;

	i->name = proto_name(p, pb->name);
	y = syms_get(&p->b.syms, i->name, strlen(i->name));
	if (!*i->name || y->epoch == p->b.epoch)
		build_fail(&p->b, 0, 0, "a second instruction %%%s in %%%s", i->name, body->comp->name);
	y->epoch = p->b.epoch;
	set_opcode(p, i, pb->opcode);
	i->number = i->opcode == OP_PARAMETER ? pb->parameter_number :
		i->opcode == OP_GET_TUPLE_ELEMENT ? pb->tuple_index : -1;
	if (!pb->shape)
		build_fail(&p->b, 0, 0, "%%%s: the shape is missing", i->name);
	i->shape = proto_shape(p, pb->shape, i->name);
	build_add(&p->b, body, i);
	if (!ids_put(&p->insts, pb->id, i))
		build_fail(&p->b, 0, 0, "%%%s: a second instruction with this id", i->name);
	ids_put(&p->low, pb->id & 0xffffffff, i);
	return i;
}

static void complete(proto *p, inst *i, const Pb__Instruction *pb)
{
	inst **x = ARENA_ARRAY(p->b.a, inst *, pb->n_operand_ids);

	for (size_t k = 0; k < pb->n_operand_ids; k++)
		x[k] = operand(p, i, pb->operand_ids[k]);
	i->operand = x;
	i->noperand = (int)pb->n_operand_ids;
	if (i->opcode == OP_CONSTANT && pb->literal) {
		i->literal = proto_literal(p, pb->literal, i->shape, i->name);
	} else if (i->opcode == OP_CONSTANT) {
		literal *elided = ARENA_NEW(p->b.a, literal);

		elided->elided = true;
		elided->count = i->shape->type == T_TUPLE ? 0 : shape_elements(i->shape);
		i->literal = elided;
	}
	metadata(p, i, pb->metadata);
	proto_attrs(p, i, pb);
}

static void computation(proto *p, comp *c, const Pb__Computation *pb)
{
	struct body body = { .comp = c, .unordered = true };

	p->b.epoch++;
	ids_init(&p->b.tmp, &p->insts, pb->n_instructions);
	ids_init(&p->b.tmp, &p->low, pb->n_instructions);
	for (size_t k = 0; k < pb->n_instructions; k++)
		declare(p, &body, pb->instructions[k]);
	if (!body.n)
		build_fail(&p->b, 0, 0, "the computation %%%s is empty", c->name);
	for (size_t k = 0; k < pb->n_instructions; k++)
		complete(p, body.inst[k], pb->instructions[k]);
	body.root = ids_get(&p->insts, pb->root_id);
	if (!body.root)
		body.root = ids_get(&p->low, pb->root_id & 0xffffffff);
	if (!body.root)
		build_fail(&p->b, 0, 0, "the root of %%%s is missing", c->name);
	build_body_end(&p->b, &body);
}

static void computations(proto *p)
{
	size_t n = p->pb->n_computations;
	comp **c = ARENA_ARRAY(&p->b.tmp, comp *, n);

	ids_init(&p->b.tmp, &p->comps, n);
	for (size_t k = 0; k < n; k++) {
		const char *name = proto_name(p, p->pb->computations[k]->name);

		if (!*name)
			name = arena_printf(&p->b.tmp, "unnamed.%zu", k);
		c[k] = build_comp(&p->b, syms_get(&p->b.syms, name, strlen(name)), 0, 0);
		if (!ids_put(&p->comps, p->pb->computations[k]->id, c[k]) && n > 1)
			build_fail(&p->b, 0, 0, "%%%s: a second computation with this id", name);
	}
	for (size_t k = 0; k < n; k++)
		computation(p, c[k], p->pb->computations[k]);
	p->b.m->entry = n ? ids_get(&p->comps, p->pb->entry_id) : NULL;
	for (size_t k = 0; k < n && !p->b.m->entry; k++)
		if (!strcmp(p->pb->computations[k]->name, p->pb->entry_name) || k + 1 == n)
			p->b.m->entry = c[k];
}

/* ---- the file ---- */

#define NEST 100

static module *read_module(proto *p, const char *file, struct diag *err)
{
	build_init(&p->b, "", file, err);
	if (setjmp(p->b.fail)) {
		build_free(&p->b);
		return NULL;
	}
	frames(p);
	header(p);
	computations(p);
	build_check(&p->b);
	return build_end(&p->b);
}

module *hlo_read_proto(const char *file, const void *data, size_t n, struct diag *err)
{
	struct bytes in = wire_module((struct bytes){ data, n });
	proto *p;
	module *m;

	if (!in.s || !wire_sound(in, &pb__module__descriptor, NEST)) {
		diag_set(err, file, 0, 0, in.s ? "the protobuf is broken or nested too deep" :
			 "neither HLO text nor an HLO protobuf, or one that is cut short");
		return NULL;
	}
	p = calloc(1, sizeof *p);
	if (p)
		p->pb = pb__module__unpack(NULL, in.n, in.s);
	if (!p || !p->pb) {
		diag_set(err, file, 0, 0, "the protobuf is broken");
		free(p);
		return NULL;
	}
	m = read_module(p, file, err);
	pb__module__free_unpacked(p->pb, NULL);
	free(p);
	return m;
}
