#include "hlo/hlo_print.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "hlo/hlo_frame.h"
#include "util/hash.h"

/* ---- pieces ---- */

void hlo_print_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\' || c == '\'')
			fprintf(f, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", f);
		else if (c < ' ' || c >= 127)
			fprintf(f, "\\%03o", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

static void print_dims(FILE *f, const shape *s)
{
	for (int k = 0; k < s->rank; k++) {
		if (k)
			fputc(',', f);
		if (s->dim[k] < 0)
			fputc('?', f);
		else
			fprintf(f, "%s%" PRId64, s->dynamic && s->bounded[k] ? "<=" : "", s->dim[k]);
	}
}

static void print_layout(FILE *f, const shape *s)
{
	if (s->layout) {
		fputs(s->layout, f);
		return;
	}
	for (int k = 0; s->minor_to_major && k < s->rank; k++)
		fprintf(f, "%c%d", k ? ',' : '{', s->minor_to_major[k]);
	if (s->minor_to_major)
		fputc('}', f);
}

void hlo_print_shape(FILE *f, const shape *s)
{
	if (s->type == T_TUPLE || s->type == T_BUFFER) {
		fputs(s->type == T_BUFFER ? "b(" : "(", f);
		for (int k = 0; k < s->n; k++) {
			if (k)
				fputs(", ", f);
			hlo_print_shape(f, s->elem[k]);
		}
		fputc(')', f);
		return;
	}
	fprintf(f, "%s[", etype_name(s->type));
	print_dims(f, s);
	fputc(']', f);
	print_layout(f, s);
}

static void print_float(FILE *f, double v, enum etype t)
{
	if (isnan(v))
		fputs(signbit(v) ? "-nan" : "nan", f);
	else if (isinf(v))
		fputs(v < 0 ? "-inf" : "inf", f);
	else
		fprintf(f, t == T_F64 || t == T_C128 ? "%.17g" : "%.9g", v);
}

static void print_element(FILE *f, const literal *x, enum etype t, int64_t at)
{
	if (x->splat)
		at = 0;
	if (x->i && etype_kind(t) == 'u')
		fprintf(f, "%" PRIu64, (uint64_t)x->i[at]);
	else if (x->i)
		fprintf(f, "%" PRId64, x->i[at]);
	else if (etype_kind(t) == 'c') {
		fputc('(', f);
		print_float(f, x->f[2 * at], t);
		fputs(", ", f);
		print_float(f, x->f[2 * at + 1], t);
		fputc(')', f);
	} else {
		print_float(f, x->f[at], t);
	}
}

static void print_elements(FILE *f, const literal *x, const shape *s, int d, int64_t *at)
{
	if (d == s->rank) {
		print_element(f, x, s->type, (*at)++);
		return;
	}
	fputs("{", f);
	for (int64_t k = 0; x->count && k < s->dim[d]; k++) {
		if (k)
			fputs(", ", f);
		print_elements(f, x, s, d + 1, at);
	}
	fputs("}", f);
}

void hlo_print_literal(FILE *f, const literal *x, const shape *s)
{
	int64_t at = 0;

	if (x->elided) {
		fputs("{...}", f);
		return;
	}
	if (s->type != T_TUPLE) {
		print_elements(f, x, s, 0, &at);
		return;
	}
	fputs("(", f);
	for (int k = 0; k < x->n; k++) {
		if (k)
			fputs(", ", f);
		hlo_print_literal(f, x->elem[k], s->elem[k]);
	}
	fputs(")", f);
}

/* ---- stack frames ---- */

/* Numbers for what the tables name, in order of appearance. */
struct table {
	const void **key;
	int *id;
	uint32_t mask;
	const void **item;
	int n;
};

static void table_init(struct table *t, int most)
{
	memset(t, 0, sizeof *t);
	for (t->mask = 15; t->mask < 2 * (uint32_t)most; t->mask = 2 * t->mask + 1)
		;
	t->key = calloc(t->mask + 1, sizeof *t->key);
	t->id = calloc(t->mask + 1, sizeof *t->id);
	t->item = calloc((size_t)most + 1, sizeof *t->item);
	if (!t->key || !t->id || !t->item) {
		die_hook("out of memory");
		abort();
	}
}

static void table_free(struct table *t)
{
	free(t->key);
	free(t->id);
	free(t->item);
}

static int table_id(struct table *t, const void *key, bool *fresh)
{
	uint32_t h = (uint32_t)hash_bytes(&key, sizeof key, 0) & t->mask;

	*fresh = false;
	while (t->key[h] && t->key[h] != key)
		h = (h + 1) & t->mask;
	if (!t->key[h]) {
		*fresh = true;
		t->key[h] = key;
		t->item[t->n] = key;
		t->id[h] = ++t->n;
	}
	return t->id[h];
}

struct frames {
	struct table frame, file, function;
};

/* At most so many: chains share their outer parts. */
static int count_frames(const module *m)
{
	int n = 0;

	for (int c = 0; c < m->ncomp; c++)
		for (int k = 0; k < m->comp[c]->ninst; k++)
			for (const frame *p = m->comp[c]->inst[k]->frame; p; p = p->parent)
				n++;
	return n;
}

/* Outer frames first, so that parents have smaller numbers. */
static int number_frame(struct frames *t, const frame *p)
{
	const frame *chain[FRAME_DEPTH];
	int n = 0, id = 0;
	bool fresh;

	for (; p && n < FRAME_DEPTH; p = p->parent)
		chain[n++] = p;
	while (n)
		id = table_id(&t->frame, chain[--n], &fresh);
	return id;
}

static void number_frames(struct frames *t, const module *m)
{
	int most = count_frames(m);
	bool fresh;

	table_init(&t->frame, most);
	table_init(&t->file, most);
	table_init(&t->function, most);
	for (int c = 0; c < m->ncomp; c++)
		for (int k = 0; k < m->comp[c]->ninst; k++)
			number_frame(t, m->comp[c]->inst[k]->frame);
	for (int k = 0; k < t->frame.n; k++) {
		const frame *p = t->frame.item[k];

		table_id(&t->file, p->file, &fresh);
		if (p->function)
			table_id(&t->function, p->function, &fresh);
	}
}

static void print_names(FILE *f, const char *title, const struct table *t)
{
	fprintf(f, "\n%s\n", title);
	for (int k = 0; k < t->n; k++) {
		fprintf(f, "%d ", k + 1);
		hlo_print_string(f, t->item[k]);
		fputc('\n', f);
	}
}

/* One location per frame; in text a parent's number is one more. */
static void print_tables(FILE *f, struct frames *t)
{
	bool fresh;

	if (!t->frame.n)
		return;
	print_names(f, "FileNames", &t->file);
	print_names(f, "FunctionNames", &t->function);
	fputs("\nFileLocations\n", f);
	for (int k = 0; k < t->frame.n; k++) {
		const frame *p = t->frame.item[k];

		fprintf(f, "%d {file_name_id=%d function_name_id=%d line=%d end_line=%d column=%d end_column=%d}\n", k + 1,
			table_id(&t->file, p->file, &fresh),
			p->function ? table_id(&t->function, p->function, &fresh) : 0, p->line, p->end_line, p->column,
			p->end_column);
	}
	fputs("\nStackFrames\n", f);
	for (int k = 0; k < t->frame.n; k++) {
		const frame *p = t->frame.item[k];

		fprintf(f, "%d {file_location_id=%d parent_frame_id=%d}\n", k + 1, k + 1,
			p->parent ? table_id(&t->frame, p->parent, &fresh) + 1 : 1);
	}
	fputc('\n', f);
}

/* ---- instructions ---- */

/* Where XLA writes no %, one is written only before what is no identifier. */
static void print_bare(FILE *f, const char *name)
{
	fprintf(f, "%s%s", isalpha((unsigned char)*name) || *name == '_' ? "" : "%", name);
}

static void print_comps(FILE *f, const attr *x)
{
	if (x->kind == ATTR_COMPS)
		fputc('{', f);
	for (int k = 0; k < x->n; k++)
		fprintf(f, "%s%%%s", k ? ", " : "", x->comps[k]->name);
	if (x->kind == ATTR_COMPS)
		fputc('}', f);
}

static void print_attr(FILE *f, const attr *x)
{
	fprintf(f, ", %s=", x->key);
	switch (x->kind) {
	case ATTR_COMP: case ATTR_COMPS:
		print_comps(f, x);
		break;
	case ATTR_STRING:
		hlo_print_string(f, x->text);
		break;
	default:
		fputs(x->text, f);
	}
}

static void print_metadata(FILE *f, const inst *i, struct frames *t)
{
	const char *gap = "";

	if (!i->op_name && !i->op_type && !i->frame && !i->metadata)
		return;
	fputs(", metadata={", f);
	if (i->op_type) {
		fputs("op_type=", f);
		hlo_print_string(f, i->op_type);
		gap = " ";
	}
	if (i->op_name) {
		fprintf(f, "%sop_name=", gap);
		hlo_print_string(f, i->op_name);
		gap = " ";
	}
	if (i->frame) {
		fprintf(f, "%sstack_frame_id=%d", gap, number_frame(t, i->frame));
		gap = " ";
	}
	if (i->metadata)
		fprintf(f, "%s%s", gap, i->metadata);
	fputc('}', f);
}

/* %t#1: stands for itself, and is made again by whoever reads it. */
static bool is_compact(const inst *i)
{
	return i->opcode == OP_GET_TUPLE_ELEMENT && strchr(i->name, '#');
}

static void print_inst(FILE *f, const inst *i, struct frames *t)
{
	const char *name = opcode_name(i->opcode);

	fprintf(f, "  %s%%%s = ", i->parent->root == i ? "ROOT " : "", i->name);
	hlo_print_shape(f, i->shape);
	/* an attribute nobody knows stands in the name, and below */
	fprintf(f, " %.*s(", i->opcode == OP_UNKNOWN ? (int)strcspn(i->opname, "/") : (int)strlen(name),
		i->opcode == OP_UNKNOWN ? i->opname : name);
	if (i->opcode == OP_PARAMETER)
		fprintf(f, "%" PRId64, i->number);
	if (i->literal && i->opcode == OP_CONSTANT)
		hlo_print_literal(f, i->literal, i->shape);
	for (int k = 0; k < i->noperand; k++)
		fprintf(f, "%s%%%s", k ? ", " : "", i->operand[k]->name);
	fputc(')', f);
	for (int k = 0; k < i->nattr; k++)
		print_attr(f, &i->attr[k]);
	print_metadata(f, i, t);
	fputc('\n', f);
}

static void print_comp(FILE *f, const comp *c, struct frames *t)
{
	fprintf(f, "\n%s%%%s (", c == c->module->entry ? "ENTRY " : "", c->name);
	for (int k = 0; k < c->nparam; k++) {
		fputs(k ? ", " : "", f);
		print_bare(f, c->param[k]->name);
		fputs(": ", f);
		hlo_print_shape(f, c->param[k]->shape);
	}
	fputs(") -> ", f);
	hlo_print_shape(f, c->root->shape);
	fputs(" {\n", f);
	for (int k = 0; k < c->ninst; k++)
		if (!is_compact(c->inst[k]) || c->root == c->inst[k])
			print_inst(f, c->inst[k], t);
	fputs("}\n", f);
}

void hlo_print(FILE *f, const module *m)
{
	struct frames t;

	if (*m->name) {
		fputs("HloModule ", f);
		print_bare(f, m->name);
		for (int k = 0; k < m->nattr; k++)
			fprintf(f, ", %s=%s", m->attr[k].key, m->attr[k].text);
		fputc('\n', f);
	}
	number_frames(&t, m);
	print_tables(f, &t);
	for (int c = 0; c < m->ncomp; c++)
		print_comp(f, m->comp[c], &t);
	table_free(&t.frame);
	table_free(&t.file);
	table_free(&t.function);
}
