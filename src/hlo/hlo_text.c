#include "hlo/hlo_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "hlo/hlo_frame.h"
#include "hlo/hlo_value.h"

/* An operand named before its instruction is known. */
struct pending {
	inst *user;
	int slot;
	sym *name;
	const char *at;
	const int64_t *path;	/* of a compact get-tuple-element */
	int npath;
};

/* A computation written inside an attribute: read after the one around it. */
struct nested {
	const char *at;
	comp **slot;
	const char *name;
};

typedef struct reader {
	builder b;
	lexer l;
	struct frame_tables frames;
	struct body body;		/* the computation being read */
	struct pending *pending;
	int npending, cappending;
	struct nested *nested;
	int nnested, capnested;
	inst **operand;			/* a stack of operands being read */
	int noperand, capoperand;
	attr *attr;			/* of the instruction being read */
	int nattr, capattr;
	inst *user;			/* the instruction being read */
} reader;

static sym *get(reader *r, span s)
{
	return syms_get(&r->l.b->syms, s.s, s.n);
}

static const char *want_string(reader *r)
{
	return lex_decode(&r->l, get(r, want_quoted(&r->l)));
}

/* ---- header and stack frame tables ---- */

static void header_attr(reader *r)
{
	lexer *l = &r->l;
	builder *b = l->b;
	attr *x;
	span key, v;

	key = want_word(l, "a header attribute");
	want_char(l, '=');
	r->attr = build_grow(b, r->attr, r->nattr, &r->capattr, sizeof *r->attr);
	x = &r->attr[r->nattr++];
	memset(x, 0, sizeof *x);
	x->key = get(r, key)->s;
	x->kind = ATTR_RAW;
	v = want_value(l, LEX_LINE);
	x->text = get(r, v)->s;
	if (!strcmp(x->key, "num_partitions") || !strcmp(x->key, "replica_count")) {
		int64_t *n = x->key[0] == 'n' ? &b->m->num_partitions : &b->m->replica_count;
		l->p = v.s;
		*n = want_int(l);
		if (l->p != v.s + v.n)
			lex_fail(l, l->p, "expected nothing but a number");
		if (*n < 0 || *n > INT32_MAX)
			lex_fail(l, v.s, "expected a number from 0 to %d", INT32_MAX);
	}
}

static const attr *keep_attrs(reader *r)
{
	attr *copy = ARENA_ARRAY(r->l.b->a, attr, r->nattr);

	if (r->nattr)
		memcpy(copy, r->attr, r->nattr * sizeof *copy);
	return copy;
}

static void header(reader *r)
{
	module *m = r->l.b->m;
	span name = want_name(&r->l, "the name of the module");

	m->name = get(r, name)->s;
	r->nattr = 0;
	while (lex_char(&r->l, ','))
		header_attr(r);
	m->attr = keep_attrs(r);
	m->nattr = r->nattr;
}

/* 1 "name" ... with ids in order */
static void string_table(reader *r, const char ***list, int *n, int *cap)
{
	int64_t id;

	while (LEX_IS(lex_peek(&r->l), LEX_DIGIT)) {
		const char *at = r->l.p;

		lex_int(&r->l, &id);
		if (id != *n + 1)
			lex_fail(&r->l, at, "expected id %d", *n + 1);
		*list = build_grow(r->l.b, *list, *n, cap, sizeof **list);
		(*list)[(*n)++] = want_string(r);
	}
}

/* 1 {key=value ...} with the given keys */
static void record(reader *r, int want, const char *const *key, int64_t *const *value, int nkey)
{
	lexer *l = &r->l;
	const char *at = l->p;
	int64_t id;
	int k;

	lex_int(l, &id);
	if (id != want)
		lex_fail(l, at, "expected id %d", want);
	want_char(l, '{');
	while (!lex_char(l, '}')) {
		for (k = 0; k < nkey && !lex_keyword(l, key[k]); k++)
			;
		if (k == nkey)
			lex_fail(l, l->p, "this does not belong into a table of frames");
		want_char(l, '=');
		*value[k] = want_int(l);
		lex_char(l, ',');
	}
}

static void location_table(reader *r, struct frame_tables *t)
{
	static const char *const key[] = { "file_name_id", "function_name_id", "line", "end_line", "column", "end_column" };

	while (LEX_IS(lex_peek(&r->l), LEX_DIGIT)) {
		struct frame_location w = { 0 };
		int64_t *const value[] = { &w.file, &w.function, &w.line, &w.end_line, &w.column, &w.end_column };

		record(r, t->nlocation + 1, key, value, 6);
		t->location = build_grow(r->l.b, t->location, t->nlocation, &t->caplocation, sizeof w);
		t->location[t->nlocation++] = w;
	}
}

/* In text, parent_frame_id is one more than in the protobuf: 1 is "none". */
static void stack_table(reader *r, struct frame_tables *t)
{
	static const char *const key[] = { "file_location_id", "parent_frame_id" };

	while (LEX_IS(lex_peek(&r->l), LEX_DIGIT)) {
		struct frame_entry e = { 0, 1 };
		int64_t *const value[] = { &e.location, &e.parent };

		record(r, t->nentry + 1, key, value, 2);
		e.parent = e.parent > 0 ? e.parent - 1 : 0;
		t->entry = build_grow(r->l.b, t->entry, t->nentry, &t->capentry, sizeof e);
		t->entry[t->nentry++] = e;
	}
}

static bool table(reader *r)
{
	struct frame_tables *t = &r->frames;
	const char *at = r->l.p;
	int dropped;

	if (lex_keyword(&r->l, "FileNames")) {
		string_table(r, &t->file, &t->nfile, &t->capfile);
	} else if (lex_keyword(&r->l, "FunctionNames")) {
		string_table(r, &t->function, &t->nfunction, &t->capfunction);
	} else if (lex_keyword(&r->l, "FileLocations")) {
		location_table(r, t);
	} else if (lex_keyword(&r->l, "StackFrames")) {
		stack_table(r, t);
		dropped = frames_make(r->l.b, t);
		if (dropped)
			lex_warn(&r->l, at, "%d of %d stack frames lead nowhere or in a circle and are dropped",
				 dropped, t->nentry);
	} else {
		return false;
	}
	return true;
}

/* ---- metadata ---- */

static int small_int(lexer *l)
{
	int64_t v = want_int(l);

	return v < 0 || v > INT32_MAX ? 0 : (int)v;
}

/* The fields that have no place of their own are kept as they are written. */
static void keep_rest(reader *r, inst *i, const char *begin)
{
	const char *end = r->l.p;

	i->metadata = i->metadata ?
		arena_printf(r->l.b->a, "%s %.*s", i->metadata, (int)(end - begin), begin) :
		get(r, (span){ begin, end - begin })->s;
}

static void stack_frame(reader *r, inst *i)
{
	const char *at = r->l.p;
	int64_t id = want_int(&r->l);

	if (id == 0)
		return;
	if (id < 0 || id > r->frames.nentry) {
		if (r->frames.nentry)
			lex_warn(&r->l, at, "there is no stack frame %lld", (long long)id);
		return;
	}
	i->frame = r->frames.frame[id - 1];
}

struct position {
	frame at;
	span file;
};

static bool metadata_field(reader *r, inst *i, struct position *place, span key)
{
	lexer *l = &r->l;

	if (span_is(key, "op_name"))
		i->op_name = want_string(r);
	else if (span_is(key, "op_type"))
		i->op_type = want_string(r);
	else if (span_is(key, "source_file"))
		place->file = want_quoted(&r->l);
	else if (span_is(key, "source_line"))
		place->at.line = small_int(l);
	else if (span_is(key, "source_end_line"))
		place->at.end_line = small_int(l);
	else if (span_is(key, "source_column"))
		place->at.column = small_int(l);
	else if (span_is(key, "source_end_column"))
		place->at.end_column = small_int(l);
	else if (span_is(key, "stack_frame_id"))
		stack_frame(r, i);
	else
		return false;
	return true;
}

static void metadata(reader *r, inst *i)
{
	lexer *l = &r->l;
	struct position place = { 0 };

	want_char(l, '{');
	while (!lex_char(l, '}')) {
		const char *begin = l->p;
		span key = want_word(l, "a field of the metadata");

		want_char(l, '=');
		if (!metadata_field(r, i, &place, key)) {
			want_value(l, LEX_WORD_VALUE);
			keep_rest(r, i, begin);
		}
		lex_char(l, ',');
	}
	if (!i->frame && place.file.s)
		i->frame = frame_inline(l->b, &place.at, place.file.s, place.file.n, true);
}

/* ---- instructions ---- */

/* Get-tuple-elements that the printer left out: %t#1#0. */
static inst *element_of(reader *r, inst *from, const int64_t *path, int n, const char *at)
{
	builder *b = r->l.b;

	for (int k = 0; k < n; k++) {
		const char *name;
		inst *i, **operand;
		attr *index;
		int64_t *v;
		sym *y;

		if (!from->shape || from->shape->type != T_TUPLE || path[k] < 0 || path[k] >= from->shape->n)
			lex_fail(&r->l, at, "%%%s has no element %lld", from->name, (long long)path[k]);
		name = arena_printf(&b->tmp, "%s#%lld", from->name, (long long)path[k]);
		y = syms_get(&b->syms, name, strlen(name));
		if (y->epoch == b->epoch) {
			from = y->inst;
			continue;
		}
		i = ARENA_NEW(b->a, inst);
		operand = ARENA_ARRAY(b->a, inst *, 1);
		index = ARENA_NEW(b->a, attr);
		v = ARENA_NEW(b->a, int64_t);
		*v = path[k];
		operand[0] = from;
		index->key = "index";
		index->kind = ATTR_INT;
		index->ints = v;
		index->n = 1;
		index->text = arena_printf(b->a, "%lld", (long long)*v);
		i->name = y->s;
		i->opcode = OP_GET_TUPLE_ELEMENT;
		i->opname = opcode_name(i->opcode);
		i->shape = from->shape->elem[*v];
		i->number = *v;
		i->operand = operand;
		i->noperand = 1;
		i->attr = index;
		i->nattr = 1;
		i->frame = from->frame;
		lex_place(&r->l, at, &i->line, &i->column);
		build_add(b, &r->body, i);
		y->inst = i;
		y->epoch = b->epoch;
		from = i;
	}
	return from;
}

static void push_operand(reader *r, inst *x)
{
	r->operand = build_grow(r->l.b, r->operand, r->noperand, &r->capoperand, sizeof *r->operand);
	r->operand[r->noperand++] = x;
}

static const int64_t *element_path(reader *r, int *n)
{
	int64_t path[BUILD_NEST], *copy;

	*n = 0;
	while (*r->l.p == '#') {
		r->l.p++;
		if (*n == BUILD_NEST)
			lex_fail(&r->l, r->l.p, "too many # after one name");
		path[(*n)++] = want_int(&r->l);
	}
	if (!*n)
		return NULL;
	copy = ARENA_ARRAY(&r->l.b->tmp, int64_t, *n);
	memcpy(copy, path, *n * sizeof *path);
	return copy;
}

static void check_operand_shape(reader *r, const shape *said, const inst *x, const char *at)
{
	arena *a = &r->l.b->tmp;

	if (said && x->shape && !shape_equal(said, x->shape))
		lex_fail(&r->l, at, "operand %%%s is %s, the text says %s here", x->name,
			 shape_text(a, x->shape), shape_text(a, said));
}

static void named_operand(reader *r, span name, const shape *said, const char *at)
{
	sym *y = get(r, name);
	int npath;
	const int64_t *path = element_path(r, &npath);
	inst *x;

	if (y->epoch == r->l.b->epoch) {
		x = npath ? element_of(r, y->inst, path, npath, at) : y->inst;
		check_operand_shape(r, said, x, at);
		push_operand(r, x);
		return;
	}
	r->pending = build_grow(r->l.b, r->pending, r->npending, &r->cappending, sizeof *r->pending);
	r->pending[r->npending++] = (struct pending){ r->user, -1, y, at, path, npath };
	push_operand(r, NULL);
}

static inst *anonymous(reader *r, const shape *s, span opcode, int depth);

static void operand(reader *r, int depth)
{
	lexer *l = &r->l;
	const shape *said = NULL;
	const char *at;
	span name;

	lex_space(l);
	at = l->p;
	if (hlo_shape_here(l))
		said = hlo_shape(l);
	name = want_name(l, "an operand");
	if (lex_peek(l) == '(')
		push_operand(r, anonymous(r, said, name, depth + 1));
	else
		named_operand(r, name, said, at);
}

/* Moves the operands above `base` of the stack to the instruction. */
static void take_operands(reader *r, inst *i, int base, int pending)
{
	int n = r->noperand - base;
	inst **copy = ARENA_ARRAY(r->l.b->a, inst *, n);
	int slot = 0;

	if (n)
		memcpy(copy, r->operand + base, n * sizeof *copy);
	for (int k = pending; k < r->npending; k++) {
		if (r->pending[k].user != i)
			continue;
		while (copy[slot])
			slot++;
		r->pending[k].slot = slot++;
	}
	i->operand = copy;
	i->noperand = n;
	r->noperand = base;
}

static void operand_list(reader *r, inst *i, int depth)
{
	int base = r->noperand, pending = r->npending;
	inst *user = r->user;

	if (depth > BUILD_NEST)
		lex_fail(&r->l, r->l.p, "operands nested too deep");
	r->user = i;
	if (!lex_char(&r->l, ')')) {
		do
			operand(r, depth);
		while (lex_char(&r->l, ','));
		want_char(&r->l, ')');
	}
	take_operands(r, i, base, pending);
	r->user = user;
}

/* (3) (LITERAL) (operands) */
static void arguments(reader *r, inst *i, int depth)
{
	lexer *l = &r->l;

	want_char(l, '(');
	if (i->opcode == OP_PARAMETER) {
		i->number = want_int(l);
		want_char(l, ')');
	} else if (i->opcode == OP_CONSTANT) {
		if (!i->shape)
			lex_fail(l, l->p, "a constant needs its shape");
		if (hlo_shape_here(l) && *l->p != '(')
			hlo_shape(l);
		i->literal = hlo_literal(l, i->shape);
		want_char(l, ')');
	} else {
		operand_list(r, i, depth);
	}
}

static void set_opcode(reader *r, inst *i, span w)
{
	sym *y = get(r, w);
	int line, column;

	lex_place(&r->l, w.s, &line, &column);
	i->opname = y->s;
	i->opcode = build_opcode(r->l.b, y, line, column);
}

static inst *new_inst(reader *r, const char *at)
{
	inst *i = ARENA_NEW(r->l.b->a, inst);

	i->number = -1;
	lex_place(&r->l, at, &i->line, &i->column);
	return i;
}

/* An operand written out in place gets a name that nobody has. */
static inst *anonymous(reader *r, const shape *s, span opcode, int depth)
{
	builder *b = r->l.b;
	inst *i = new_inst(r, opcode.s);
	sym *y;
	int k = 0;

	i->shape = s;
	set_opcode(r, i, opcode);
	arguments(r, i, depth);
	do {
		const char *name = arena_printf(&b->tmp, "%s.in%d", i->opname, r->body.n + k++);

		y = syms_get(&b->syms, name, strlen(name));
	} while (y->epoch == b->epoch);
	i->name = y->s;
	y->inst = i;
	y->epoch = b->epoch;
	build_add(b, &r->body, i);
	return i;
}

/* Is what stands here, at a {, a computation rather than a list of names? */
static bool nested_here(lexer *l)
{
	const char *back = l->p;
	bool yes = false;

	if (lex_char(l, '{'))
		yes = lex_keyword(l, "ROOT") || (lex_name(l).n && lex_peek(l) == '=');
	l->p = back;
	return yes;
}

static void nested_comp(reader *r, const inst *i, const sym *key, attr *x)
{
	builder *b = r->l.b;
	comp **slot = ARENA_ARRAY(b->a, comp *, 1);

	memset(x, 0, sizeof *x);
	x->key = key->s;
	x->kind = ATTR_COMP;
	x->n = 1;
	x->comps = slot;
	r->nested = build_grow(b, r->nested, r->nnested, &r->capnested, sizeof *r->nested);
	r->nested[r->nnested].at = r->l.p;
	r->nested[r->nnested].slot = slot;
	r->nested[r->nnested++].name = arena_printf(b->a, "%s.%s.%s", r->body.comp->name, i->name, key->s);
	want_brackets(&r->l);
}

#define ATTRS_MOST 1000

static void check_repeated(reader *r, const char *key, const char *at)
{
	if (r->nattr == ATTRS_MOST)
		lex_fail(&r->l, at, "more than %d attributes", ATTRS_MOST);
	for (int k = 0; k < r->nattr; k++)
		if (r->attr[k].key == key)
			lex_fail(&r->l, at, "a second %s=", key);
}

static void warn_unknown(reader *r, const inst *i, sym *key, const char *at)
{
	if (key->key != KEY_NONE || key->told)
		return;
	key->told = true;
	lex_warn(&r->l, at, "unknown attribute %s=%s", key->s,
		 build_opaque(i) ? ", what has it is an operation nobody knows" : ", taken to change nothing");
}

static void attribute(reader *r, inst *i)
{
	lexer *l = &r->l;
	const char *at;
	span w;
	sym *key;

	lex_space(l);
	at = l->p;
	w = want_word(l, "an attribute");
	key = get(r, w);
	want_char(l, '=');
	if (span_is(w, "metadata")) {
		metadata(r, i);
		return;
	}
	check_repeated(r, key->s, at);
	warn_unknown(r, i, key, at);
	r->attr = build_grow(l->b, r->attr, r->nattr, &r->capattr, sizeof *r->attr);
	if (hlo_key_kind(key->key) == ATTR_COMP && nested_here(l))
		nested_comp(r, i, key, &r->attr[r->nattr]);
	else
		hlo_value(l, key, &r->attr[r->nattr]);
	r->nattr++;
}

static void define(reader *r, inst *i, sym *y, const char *at)
{
	if (y->epoch == r->l.b->epoch)
		lex_fail(&r->l, at, "a second instruction %%%s; the first is on line %d", y->s, y->inst->line);
	i->name = y->s;
	y->inst = i;
	y->epoch = r->l.b->epoch;
}

static void instruction(reader *r)
{
	lexer *l = &r->l;
	bool root = lex_keyword(l, "ROOT");
	const char *at;
	span name, word;
	inst *i;

	lex_space(l);
	at = l->p;
	name = want_name(l, "an instruction");
	i = new_inst(r, at);
	want_char(l, '=');
	if (hlo_shape_here(l))
		i->shape = hlo_shape(l);
	word = want_word(l, "an opcode");
	set_opcode(r, i, word);
	arguments(r, i, 0);
	i->name = get(r, name)->s;
	r->nattr = 0;
	while (lex_char(l, ','))
		attribute(r, i);
	i->attr = keep_attrs(r);
	i->nattr = r->nattr;
	build_unknown_attr(l->b, i);
	if (i->opcode == OP_GET_TUPLE_ELEMENT)
		i->number = inst_int(i, "index", -1);
	define(r, i, get(r, name), at);
	build_add(l->b, &r->body, i);
	if (root && r->body.root)
		lex_fail(l, at, "a second ROOT; the first is %%%s", r->body.root->name);
	if (root)
		r->body.root = i;
}

/* ---- computations ---- */

struct signature {
	const shape **shape;
	sym **name;
	int n, capshape, capname;
	const shape *result;
	const char *at;
};

static void signature(reader *r, struct signature *g)
{
	lexer *l = &r->l;

	lex_space(l);
	g->at = l->p;
	want_char(l, '(');
	while (!lex_char(l, ')')) {
		if (g->n)
			want_char(l, ',');
		g->shape = build_grow(l->b, g->shape, g->n, &g->capshape, sizeof *g->shape);
		g->name = build_grow(l->b, g->name, g->n, &g->capname, sizeof *g->name);
		g->name[g->n] = get(r, want_name(l, "the name of a parameter"));
		want_char(l, ':');
		g->shape[g->n++] = hlo_shape(l);
	}
	want_char(l, '-');
	want_char(l, '>');
	g->result = hlo_shape(l);
}

static void resolve_pending(reader *r)
{
	builder *b = r->l.b;

	for (int k = 0; k < r->npending; k++) {
		struct pending *p = &r->pending[k];
		inst *x;

		if (p->name->epoch != b->epoch)
			lex_fail(&r->l, p->at, "there is no instruction %%%s in %%%s", p->name->s, r->body.comp->name);
		x = p->name->inst;
		if (p->npath)
			x = element_of(r, x, p->path, p->npath, p->at);
		((inst **)p->user->operand)[p->slot] = x;
		r->body.unordered = true;
	}
	r->npending = 0;
}

/* A fragment may lack parameters that its header still lists. */
static void missing_params(reader *r, const struct signature *g, int line, int column)
{
	builder *b = r->l.b;
	bool *have = arena_zalloc(&b->tmp, g->n + 1);
	int missing = 0;

	for (int k = 0; k < r->body.n; k++) {
		inst *i = r->body.inst[k];

		if (i->opcode == OP_PARAMETER && i->number >= 0 && i->number < g->n)
			have[i->number] = true;
	}
	for (int k = 0; k < g->n; k++) {
		inst *i;

		if (have[k])
			continue;
		i = ARENA_NEW(b->a, inst);
		i->opcode = OP_PARAMETER;
		i->opname = opcode_name(OP_PARAMETER);
		i->number = k;
		i->shape = g->shape[k];
		i->line = line;
		i->column = column;
		define(r, i, g->name[k], g->at);
		build_add(b, &r->body, i);
		missing++;
	}
	if (missing)
		build_warn(b, line, column, "%d parameter%s of %%%s added from its header", missing,
			   missing == 1 ? "" : "s", r->body.comp->name);
}

/* XLA looks at the result only; what the header says of parameters is never used. */
static void check_signature(reader *r, const struct signature *g, bool whole)
{
	comp *c = r->body.comp;
	arena *a = &r->l.b->tmp;

	if (g->n != c->nparam)
		lex_warn(&r->l, g->at, "the header of %%%s lists %d parameters, the computation has %d",
			 c->name, g->n, c->nparam);
	for (int k = 0; k < g->n && k < c->nparam; k++)
		if (c->param[k]->shape && !shape_equal(c->param[k]->shape, g->shape[k]))
			lex_warn(&r->l, g->at, "the header of %%%s says %s for parameter %d, which is %s",
				 c->name, shape_text(a, g->shape[k]), k, shape_text(a, c->param[k]->shape));
	if (whole && c->root->shape && !shape_equal(c->root->shape, g->result))
		lex_fail(&r->l, g->at, "the header of %%%s says it gives %s, its root is %s", c->name,
			 shape_text(a, g->result), shape_text(a, c->root->shape));
}

/* From the { on. */
static comp *computation(reader *r, sym *name, const char *at, const struct signature *g)
{
	lexer *l = &r->l;
	builder *b = l->b;
	int line, column;
	bool whole = true;

	lex_place(l, at, &line, &column);
	memset(&r->body, 0, sizeof r->body);
	r->body.comp = build_comp(b, name, line, column);
	b->epoch++;
	want_char(l, '{');
	while (!lex_char(l, '}')) {
		if (l->p >= l->end) {
			whole = false;
			break;
		}
		instruction(r);
	}
	if (!r->body.n)
		lex_fail(l, at, "the computation %%%s is empty", name->s);
	if (!r->body.root)
		r->body.root = r->body.inst[r->body.n - 1];
	resolve_pending(r);
	if (!whole) {
		lex_warn(l, l->p, "the file ends inside %%%s; its result is taken to be %%%s",
			 name->s, r->body.root->name);
		if (g)
			missing_params(r, g, line, column);
	}
	build_body_end(b, &r->body);
	if (g)
		check_signature(r, g, whole);
	return r->body.comp;
}

static void read_nested(reader *r)
{
	const char *back = r->l.p;

	for (int k = 0; k < r->nnested; k++) {	/* reading one may add more */
		struct nested n = r->nested[k];

		r->l.p = n.at;
		*n.slot = computation(r, syms_get(&r->l.b->syms, n.name, strlen(n.name)), n.at, NULL);
	}
	r->nnested = 0;
	r->l.p = back;
}

static void top_computation(reader *r)
{
	lexer *l = &r->l;
	struct signature g = { 0 };
	bool entry = lex_keyword(l, "ENTRY"), has_signature;
	const char *at;
	span name;
	sym *y;
	comp *c;

	lex_space(l);
	at = l->p;
	name = want_name(l, "a computation");
	y = get(r, name);
	has_signature = lex_peek(l) == '(';
	if (has_signature)
		signature(r, &g);
	c = computation(r, y, at, has_signature ? &g : NULL);
	if (entry && l->b->m->entry)
		lex_fail(l, at, "a second ENTRY; the first is %%%s", l->b->m->entry->name);
	if (entry)
		l->b->m->entry = c;
	if (lex_char(l, ',')) {
		if (!lex_keyword(l, "execution_thread"))
			lex_fail(l, l->p, "expected execution_thread=");
		want_char(l, '=');
		want_quoted(&r->l);
	}
	read_nested(r);
}

/* ---- the file ---- */

/* I0521 12:04:45.883483    1509 x.cc:186] */
static size_t log_prefix(const char *p, const char *end)
{
	const char *s = p;

	if (end - p < 30 || !strchr("IWEF", *p) || !isdigit((unsigned char)p[1]) || p[5] != ' ' || p[8] != ':')
		return 0;
	while (s < end && *s != '\n' && *s != ']')
		s++;
	return s < end && *s == ']' ? (size_t)(s + 1 - p) : 0;
}

/* Columns stay what they are in the file: the prefix becomes blanks. */
static const char *blank_prefixes(arena *a, const char *text, size_t n)
{
	char *copy, *p, *end, *nl;

	if (!log_prefix(text, text + n))
		return text;
	copy = arena_alloc(a, n + 1);
	memcpy(copy, text, n + 1);
	for (p = copy, end = copy + n; p < end; p = nl + 1) {
		memset(p, ' ', log_prefix(p, end));
		nl = memchr(p, '\n', end - p);
		if (!nl)
			break;
	}
	return copy;
}

static void file(reader *r)
{
	lexer *l = &r->l;
	module *m = l->b->m;

	if (lex_keyword(l, "HloModule"))
		header(r);
	while (lex_peek(l)) {
		const char *at = l->p;

		if (lex_keyword(l, "HloModule")) {
			lex_warn(l, at, "more modules follow; only the first is read");
			break;
		}
		if (!table(r))
			top_computation(r);
	}
	if (!l->b->ncomp)
		lex_fail(l, l->p, "no computation in this file");
	if (!m->entry)
		m->entry = l->b->comp[l->b->ncomp - 1];
	build_check(l->b);
}

static module *read_module(reader *r, const char *text, size_t n)
{
	const char *nul = memchr(text, 0, n);

	text = blank_prefixes(&r->b.tmp, text, n);
	lex_init(&r->l, &r->b, text, n);
	if (nul)
		lex_fail(&r->l, nul, "a zero byte in the text");
	file(r);
	return build_end(&r->b);
}

/* The reader is not a local variable, so that it is intact after a longjmp. */
module *hlo_read_text(const char *name, const char *text, size_t n, struct diag *err)
{
	reader *r = calloc(1, sizeof *r);
	module *m;

	if (!r) {
		diag_set(err, name, 0, 0, "out of memory");
		return NULL;
	}
	build_init(&r->b, "", name, err);
	if (setjmp(r->b.fail)) {
		build_free(&r->b);
		free(r);
		return NULL;
	}
	m = read_module(r, text, n);
	free(r);
	return m;
}
