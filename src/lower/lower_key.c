#include "lower/lower_in.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interp/interp.h"
#include "util/spelling.h"

/* What an instruction is, word for word.  Computations that call others twice grow without bound: a text beyond KEY_MAX, or of
 * calls nested deeper than KEY_DEPTH, ends there and is `over`; nothing may be called equal by it. */
enum { KEY_MAX = 1 << 20, KEY_DEPTH = 100 };

struct text { char *s; size_t n, cap; int depth; bool over, elided; };

static void text_put_n(struct text *t, const char *s, size_t k)
{
	t->over |= t->n + k > KEY_MAX;
	if (t->over)
		return;
	if (t->n + k + 1 > t->cap) {
		t->cap = 2 * (t->n + k + 64);
		t->s = realloc(t->s, t->cap);
		if (!t->s) {
			die_hook("out of memory");
			return;
		}
	}
	memcpy(t->s + t->n, s, k);
	t->n += k;
	t->s[t->n] = 0;
}

static void text_put(struct text *t, const char *s)
{
	text_put_n(t, s, strlen(s));
}

static bool dropped(const inst *i, const char *key)
{
	static const char *const drop[] = { "metadata", "sharding", "channel_id", "backend_config", "frontend_attributes",
		"origin", "original_value", "operand_precision", "indices_are_sorted", "unique_indices",
		"use_global_device_ids", "control-predecessors", "statistics", "result_accuracy", "operand_layout_constraints",
		"custom_call_schedule", "schedule", "execution_thread", "async_execution_thread", NULL };

	if (!strcmp(key, "backend_config") && i->opcode == OP_CUSTOM_CALL)
		return false;
	if (!strcmp(key, "backend_config") && i->opcode == OP_UNKNOWN)
		return false;
	if (!strcmp(key, "output_to_operand_aliasing"))	/* a call that writes in place may leave what was there */
		return i->opcode != OP_CUSTOM_CALL;
	return spelling_listed(key, drop);
}

/* Functions of one name are registered apart for each way of calling; the oldest way may go without being said. */
static bool usual_call(const attr *x)
{
	return !strcmp(x->key, "api_version") && x->text &&
	       (!strcmp(x->text, "API_VERSION_ORIGINAL") || !strcmp(x->text, "API_VERSION_UNSPECIFIED"));
}

static void canonical_inst_attrs(struct text *t, arena *a, const inst *i, const char *but);

enum { UNSEEN = -1 };

/* The instructions the result rests on, operands first and in their order, however they were scheduled; at[]: the place of each. */
static int by_operands(arena *a, const comp *c, const inst **order, int *at)
{
	const inst **open = ARENA_ARRAY(a, const inst *, c->ninst + 1);
	int n = 0, depth = 1, j;

	for (j = 0; j < c->ninst; j++)
		at[j] = UNSEEN;
	open[0] = c->root;
	while (depth) {
		const inst *i = open[depth - 1];
		for (j = 0; j < i->noperand && at[i->operand[j]->index] != UNSEEN; j++)
			;
		if (j < i->noperand) {
			open[depth++] = i->operand[j];
			continue;
		}
		at[i->index] = n;
		order[n++] = i;
		depth--;
	}
	return n;
}

static void canonical_comp(struct text *t, arena *a, const comp *c)
{
	const inst **order;
	int *at, n, k, j;
	char num[32];

	t->over |= t->depth == KEY_DEPTH;
	if (t->over)
		return;
	t->depth++;
	order = ARENA_ARRAY(a, const inst *, c->ninst);
	at = ARENA_ARRAY(a, int, c->ninst);
	n = by_operands(a, c, order, at);
	text_put(t, "{");
	for (k = 0; k < n; k++) {
		const inst *i = order[k];
		text_put(t, i->opcode == OP_UNKNOWN ? i->opname : opcode_name(i->opcode));
		text_put(t, " ");
		text_put(t, shape_text(a, i->shape));
		for (j = 0; j < i->noperand; j++) {
			snprintf(num, sizeof num, " %d", at[i->operand[j]->index]);
			text_put(t, num);
		}
		if (i->number >= 0) {
			snprintf(num, sizeof num, " #%lld", (long long)i->number);
			text_put(t, num);
		}
		canonical_inst_attrs(t, a, i, "");
		text_put(t, ";");
	}
	text_put(t, "}");
	t->depth--;
}

static void canonical_literal(struct text *t, const literal *l, const shape *s, const inst *i)
{
	char b[64];
	int64_t k, n = (l->splat ? 1 : l->count) * (etype_kind(s->type) == 'c' ? 2 : 1);

	if (l->elided) {
		t->elided = true;
		snprintf(b, sizeof b, " elided %s:%d", i->parent->name, i->index);
		text_put(t, b);
		return;
	}
	text_put(t, " (");
	for (k = 0; k < l->n; k++)
		canonical_literal(t, l->elem[k], s->elem[k], i);
	for (k = 0; k < n; k++) {
		if (l->i)
			snprintf(b, sizeof b, "%lld,", (long long)l->i[k]);
		else if (l->f)
			snprintf(b, sizeof b, "%a,", l->f[k]);
		else
			b[0] = 0;
		text_put(t, b);
	}
	text_put(t, ")");
}

/* Where the elements of an array lie in memory. */
static void put_order(struct text *t, const shape *s)
{
	char b[32];
	int k;

	text_put(t, " {");
	for (k = 0; k < s->rank; k++) {
		snprintf(b, sizeof b, "%d,", s->minor_to_major ? s->minor_to_major[k] : s->rank - 1 - k);
		text_put(t, b);
	}
	text_put(t, s->tiled && s->layout ? s->layout : "");
	text_put(t, "}");
}

/* Which arrays of a shape do not lie row-major, and how. */
static void put_other_orders(struct text *t, const shape *s, int *at)
{
	char b[32];
	int k;

	for (k = 0; s->type == T_TUPLE && k < s->n; k++)
		put_other_orders(t, s->elem[k], at);
	if (s->type == T_TUPLE || (++*at, shape_row_major(s)))
		return;
	snprintf(b, sizeof b, " @%d", *at);
	text_put(t, b);
	put_order(t, s);
}

/* Do the dimensions in braces at s fall? */
static bool falls(const char *s)
{
	long last = LONG_MAX, d;
	char *end;

	for (s++; *s >= '0' && *s <= '9'; s = end + (*end == ','), last = d) {
		d = strtol(s, &end, 10);
		if (d >= last)
			return false;
	}
	return true;
}

/* Which operands a call wants otherwise than row-major: of `{f32[2,3]{0,1}, f32[3]{0}}` the orders that do not fall. */
static void put_wanted_orders(struct text *t, const char *s)
{
	char b[32];
	int at;

	for (at = 0; (s = strchr(s, ']')); at++) {
		if (*++s != '{' || falls(s))
			continue;
		snprintf(b, sizeof b, " wants @%d {", at);
		text_put(t, b);
		s++;
		text_put_n(t, s, strcspn(s, ":}"));
		text_put(t, "}");
	}
}

/* A call is given memory, not arrays: it is another function where they lie otherwise. */
static void put_memory(struct text *t, const inst *i)
{
	const attr *wanted = inst_attr(i, "operand_layout_constraints");
	int k, at = 0;

	for (k = 0; k < i->noperand; k++)
		put_other_orders(t, i->operand[k]->shape, &at);
	put_other_orders(t, i->shape, &at);
	if (wanted && wanted->text)
		put_wanted_orders(t, wanted->text);
}

/* The target of a call is first: what others say may look like it. */
static int by_key(const void *x, const void *y)
{
	const char *k = (*(const attr *const *)x)->key, *l = (*(const attr *const *)y)->key;
	int first = !strcmp(l, "custom_call_target") - !strcmp(k, "custom_call_target");

	return first ? first : strcmp(k, l);
}

/* Files of one kind write them in another order than those of the other. */
static const attr **attrs_by_key(arena *a, const inst *i)
{
	const attr **x = ARENA_ARRAY(a, const attr *, i->nattr + 1);
	int k;

	for (k = 0; k < i->nattr; k++)
		x[k] = &i->attr[k];
	qsort(x, (size_t)i->nattr, sizeof *x, by_key);
	return x;
}

static void canonical_inst_attrs(struct text *t, arena *a, const inst *i, const char *but)
{
	const attr **by = attrs_by_key(a, i);
	int k, j;
	char b[64];
	const char *order;

	if (i->opcode == OP_BITCAST && i->noperand) {	/* the one operation that sees it */
		put_order(t, i->operand[0]->shape);
		put_order(t, i->shape);
	}
	if (i->literal)
		canonical_literal(t, i->literal, i->shape, i);
	for (k = 0; k < i->nattr; k++) {
		const attr *x = by[k];
		if (dropped(i, x->key) || usual_call(x) || !strcmp(x->key, but))
			continue;
		text_put(t, " ");
		text_put(t, x->key);
		text_put(t, "=");
		if (i->opcode == OP_SORT && x->kind == ATTR_COMP && (order = lower_sort_order(a, i))) {
			text_put(t, order);
		} else if (x->kind == ATTR_COMP || x->kind == ATTR_COMPS) {
			for (j = 0; j < (x->kind == ATTR_COMP ? 1 : x->n); j++)
				canonical_comp(t, a, x->comps[j]);
		} else if (x->kind == ATTR_LITERAL && x->literal) {
			canonical_literal(t, x->literal, x->shape, i);
		} else if (x->kind == ATTR_FLOAT) {
			snprintf(b, sizeof b, "%a", x->real);
			text_put(t, b);
		} else if (x->text) {
			text_put(t, x->text);
		} else {
			for (j = 0; j < x->n || (j == 0 && (x->kind == ATTR_INT || x->kind == ATTR_BOOL)); j++) {
				snprintf(b, sizeof b, "%lld,", (long long)x->ints[j]);
				text_put(t, b);
			}
		}
	}
	if (i->opcode == OP_CUSTOM_CALL)
		put_memory(t, i);
}

static int place_of(const int64_t *v, int n, int64_t x)
{
	int k;

	for (k = 0; k < n && v[k] != x; k++)
		;
	return k < n ? k : -1;
}

/* Place x of that dimension of the operand is all that place x of that dimension of the result reads of it. */
static void put_pass(lowering *w, struct list *l, int operand, int64_t dim, int64_t result)
{
	list_put(w, l, operand);
	list_put(w, l, dim);
	list_put(w, l, result);
}

/* A scatter works on each index of its batching dimensions by itself. */
static void scatter_passes(lowering *w, const row *r, struct list *l)
{
	const inst *i = r->inst;
	const row *idx = &w->p->row[r->op[1]], *up = &w->p->row[r->op[2]];
	int nb, ni, nw, ivd, d, u, k;
	const int64_t *b = inst_ints(i, "input_batching_dims", &nb), *s = inst_ints(i, "scatter_indices_batching_dims", &ni);
	const int64_t *win = inst_ints(i, "update_window_dims", &nw);

	ivd = (int)inst_int(i, "index_vector_dim", idx->rank);
	for (d = u = 0; d < idx->rank && nb == ni && r->nop == 3; d++) {
		if (d == ivd)
			continue;
		while (u < up->rank && place_of(win, nw, u) >= 0)
			u++;
		k = place_of(s, ni, d);
		if (k >= 0 && u < up->rank) {
			put_pass(w, l, 0, b[k], b[k]);
			put_pass(w, l, 1, d, b[k]);
			put_pass(w, l, 2, u, b[k]);
		}
		u++;
	}
}

/* Windows of one place, that move by one place, leave a dimension as it is. */
static void window_passes(lowering *w, const row *r, struct list *l)
{
	const attr *win = inst_attr(r->inst, "window");
	int values = r->inst->opcode == OP_REDUCE_WINDOW ? r->nop / 2 : r->nop - 1, d, k;

	if (!win || win->n != r->rank)
		return;
	for (d = 0; d < r->rank; d++) {
		const int64_t *q = win->ints + d * WINDOW_FIELDS;
		if (q[W_SIZE] != 1 || q[W_STRIDE] != 1 || q[W_PAD_LOW] || q[W_PAD_HIGH] || q[W_LHS_DILATE] != 1 || q[W_RHS_DILATE] != 1 || q[W_REVERSAL])
			continue;
		for (k = 0; k < values; k++)
			put_pass(w, l, k, d, d);
	}
}

/* How many of the last dimensions belong to one row, matrix or transform, where every other is a batch; -1: not known. */
static int last_dims(const inst *i, const char *target)
{
	int n;

	if (i->opcode == OP_TOPK || !strcmp(target, "TopK"))
		return 1;
	if (i->opcode == OP_CHOLESKY || i->opcode == OP_TRIANGULAR_SOLVE)
		return 2;
	if (i->opcode == OP_FFT && inst_ints(i, "fft_length", &n) && n > 0)
		return n;
	return -1;
}

/* Dimension k of both operands of a batch is dimension k of the result, then come those that nothing is summed over. */
static void dot_passes(lowering *w, const row *r, struct list *l)
{
	const inst *i = r->inst;
	int nb[2], nc[2], k, d, o;
	const int64_t *b[2] = { inst_ints(i, "lhs_batch_dims", &nb[0]), inst_ints(i, "rhs_batch_dims", &nb[1]) };
	const int64_t *c[2] = { inst_ints(i, "lhs_contracting_dims", &nc[0]), inst_ints(i, "rhs_contracting_dims", &nc[1]) };

	for (o = 0; o < nb[0]; o++) {
		put_pass(w, l, 0, b[0][o], o);
		put_pass(w, l, 1, b[1][o], o);
	}
	for (k = 0; k < 2; k++)
		for (d = 0; d < w->p->row[r->op[k]].rank; d++)
			if (place_of(b[k], nb[0], d) < 0 && place_of(c[k], nc[k], d) < 0)
				put_pass(w, l, k, d, o++);
}

static void reduce_passes(lowering *w, const row *r, struct list *l)
{
	int k, d, o, n;
	const int64_t *dims = inst_ints(r->inst, "dimensions", &n);

	for (k = 0; k < r->nop / 2; k++)
		for (d = o = 0; d < w->p->row[r->op[k]].rank; d++)
			if (place_of(dims, n, d) < 0)
				put_pass(w, l, k, d, o++);
}

/* The first n dimensions but one; operands of another rank are no part of it. */
static void same_passes(lowering *w, const row *r, struct list *l, int n, int64_t but)
{
	int k, d;

	for (k = 0; k < r->nop; k++)
		for (d = 0; d < n && w->p->row[r->op[k]].rank == r->rank; d++)
			if (d != but && w->p->row[r->op[k]].dim[d] == r->dim[d])
				put_pass(w, l, k, d, d);
}

static bool axis_known(const inst *i, int rank)
{
	int64_t axis = interp_custom_axis(i, rank);

	return axis >= 0 && axis < rank;
}

/* Dimensions along which the operation works elementwise. */
static void find_passes(lowering *w, const row *r, struct list *l)
{
	static const char *const along_axis[] = { "AwsNeuronSoftmax", "AwsNeuronSoftmaxBackward", NULL };
	static const char *const elementwise[] = { "AwsNeuronGelu", "AwsNeuronGeluApprxTanh", "AwsNeuronErf", "AwsNeuronSilu", NULL };
	const inst *i = r->inst;
	const char *t = lower_call_target(i);
	int n;
	const int64_t *dims = inst_ints(i, "dimensions", &n);

	if (i->opcode == OP_DOT)
		dot_passes(w, r, l);
	else if (i->opcode == OP_SCATTER)
		scatter_passes(w, r, l);
	else if (i->opcode == OP_REDUCE_WINDOW || i->opcode == OP_SELECT_AND_SCATTER)
		window_passes(w, r, l);
	else if (i->opcode == OP_SORT && n == 1)
		same_passes(w, r, l, r->rank, dims[0]);
	else if (i->opcode == OP_REDUCE)
		reduce_passes(w, r, l);
	else if (strchr("ubt", opcode_class(i->opcode)) || spelling_listed(t, elementwise))
		same_passes(w, r, l, r->rank, -1);
	else if (spelling_listed(t, along_axis))
		same_passes(w, r, l, axis_known(i, r->rank) ? r->rank : 0, interp_custom_axis(i, r->rank));
	else if (last_dims(i, t) > 0)
		same_passes(w, r, l, r->rank - last_dims(i, t), -1);
}

static bool pass_dim(const struct list *l, int operand, int dim)
{
	int k;

	for (k = 0; k + 2 < l->n; k += 3)
		if (l->v[k] == operand && l->v[k + 1] == dim)
			return true;
	return false;
}

static bool pass_result(const struct list *l, int dim)
{
	int k;

	for (k = 0; k + 2 < l->n; k += 3)
		if (l->v[k + 2] == dim)
			return true;
	return false;
}

/* How tuples hold the arrays of a shape: `(.(..))`. */
static void put_tree(struct text *t, const shape *s)
{
	int k;

	if (s->type != T_TUPLE) {
		text_put(t, ".");
		return;
	}
	text_put(t, "(");
	for (k = 0; k < s->n; k++)
		put_tree(t, s->elem[k]);
	text_put(t, ")");
}

/* How the operands are grouped in tuples; nothing where none is one. */
static void put_grouping(struct text *t, const inst *i)
{
	int k;

	for (k = 0; k < i->noperand && i->operand[k]->shape->type != T_TUPLE; k++)
		;
	if (k == i->noperand)
		return;
	text_put(t, " of ");
	for (k = 0; k < i->noperand; k++)
		put_tree(t, i->operand[k]->shape);
}

/* Ends a text, in `a`; one that is over is the program's and the instruction's own. */
static const char *text_end(struct text *t, arena *a, enum program_side side, const inst *i)
{
	const char *s = t->over ? arena_printf(a, "%s in %s %s:%d, too long to be compared", opcode_name(i->opcode),
					       side == SIDE_BASE ? "base" : "dist", i->parent->name, i->index)
				: arena_strdup(a, t->s ? t->s : "");

	free(t->s);
	return s;
}

struct key_text lower_attributes(lowering *w, const inst *i)
{
	struct text t = { 0 };
	const char *s;

	canonical_inst_attrs(&t, &w->p->a, i, "");
	if (i->shape->type == T_TUPLE) {
		text_put(&t, " -> ");
		text_put(&t, shape_text(&w->p->a, i->shape));
	}
	put_grouping(&t, i);
	s = text_end(&t, &w->p->a, w->p->side, i);
	return (struct key_text){ s, t.over, t.elided };
}

const char *lower_reducer_text(lowering *w, const inst *i)
{
	const comp *c = inst_comp(i, "to_apply");
	struct text t = { 0 };

	text_put(&t, "other");
	if (c)
		canonical_comp(&t, &w->p->a, c);
	return text_end(&t, &w->p->a, w->p->side, i);
}

/* Operations on rows: over how many dimensions the rows are spread says nothing. */
static bool by_rows(const inst *i)
{
	return i->opcode == OP_SORT || i->opcode == OP_TOPK;
}

/* A dimension that passes through, one with another before it, or a size. */
static void put_dim(struct text *t, bool passes, bool again, int64_t size)
{
	char b[32];

	snprintf(b, sizeof b, "%lld,", (long long)size);
	if (!passes)
		text_put(t, b);
	else if (!again)
		text_put(t, "*,");
}

/* What the other results are: an operation may give one thing beside few places and another beside many. */
static void put_results(struct text *t, const shape *s, const row *r, const struct list *l, bool one)
{
	int k, d;

	if (s->type != T_TUPLE) {
		text_put(t, etype_name(s->type));
		text_put(t, "[");
		for (d = 0; d < s->rank; d++) {
			bool as_here = s->rank == r->rank && s->dim[d] == r->dim[d];
			put_dim(t, as_here && pass_result(l, d), one && d && pass_result(l, d - 1), s->dim[d]);
		}
		text_put(t, "]");
		return;
	}
	text_put(t, "(");
	for (k = 0; k < s->n; k++)
		put_results(t, s->elem[k], r, l, one);
	text_put(t, ")");
}

/* The values of rows of any length in order, alone or beside their places: how long they are is said by the core's own places. */
static const char *largest_key(program *p, const row *r)
{
	return arena_printf(&p->a, "topk largest %d -> %s of %s", r->element < 0 ? 0 : r->element, etype_name((enum etype)r->type),
			    etype_name((enum etype)p->row[r->op[0]].type));
}

/* A row that stands for a loop or a conditional as the lowering wrote it out is what it computes itself. */
static void put_made(struct text *t, const row *r)
{
	enum opcode op = r->inst->opcode;
	char b[32];
	int k;

	if (op != OP_PARAMETER && op != OP_WHILE && op != OP_CONDITIONAL)
		return;
	text_put(t, r->family);
	text_put(t, " ");
	text_put(t, r->name);
	for (k = 0; k < r->nint; k++) {
		snprintf(b, sizeof b, "%lld,", (long long)r->ints[k]);
		text_put(t, b);
	}
	text_put(t, " of ");
}

static const char *own_key(program *p, const row *r, const struct list *l)
{
	struct text t = { 0 };
	char b[64];
	bool one = by_rows(r->inst);
	int k, d;

	put_made(&t, r);
	text_put(&t, r->inst->opcode == OP_UNKNOWN ? r->inst->opname : opcode_name(r->inst->opcode));
	text_put(&t, " ");
	/* a sort goes along the one dimension that has a size in the key */
	canonical_inst_attrs(&t, &p->a, r->inst, r->inst->opcode == OP_SORT ? "dimensions" : "");
	snprintf(b, sizeof b, " %d -> %s[", r->element, etype_name((enum etype)r->type));
	text_put(&t, b);
	for (d = 0; d < r->rank; d++)
		put_dim(&t, pass_result(l, d), one && d && pass_result(l, d - 1), r->dim[d]);
	for (k = 0; k < r->nop; k++) {
		const row *o = &p->row[r->op[k]];
		snprintf(b, sizeof b, "] %s[", etype_name((enum etype)o->type));
		text_put(&t, b);
		for (d = 0; d < o->rank; d++)
			put_dim(&t, pass_dim(l, k, d), one && d && pass_dim(l, k, d - 1), o->dim[d]);
	}
	if (r->inst->shape->type == T_TUPLE) {
		text_put(&t, "] beside ");
		put_results(&t, r->inst->shape, r, l, one);
	}
	put_grouping(&t, r->inst);
	return text_end(&t, &p->a, p->side, r->inst);
}

/* What goes into the trips of a loop in closed form, or comes out of them. */
static bool of_other_devices(const program *p, const row *r)
{
	int k;

	for (k = 0; k < r->nop && p->row[r->op[k]].trips == r->trips; k++)
		;
	return k < r->nop;
}

row_fallback lower_fallback(program *p, const row *r)
{
	lowering w = { .p = p, .m = p->m };
	row_fallback f = { 0 };
	struct list l = { 0 };

	f.unique = r->role != ROW_PLAIN || of_other_devices(p, r) || lower_crosses(r->inst) || !strcmp(r->family, "partition-id") ||	/* the number of a trip, too */
		(r->why && (!strcmp(r->why, "has an effect or hidden state") || !strcmp(r->why, "dynamic shapes")));
	if (f.unique) {
		f.key = arena_printf(&p->a, "%s %%%s", p->side == SIDE_BASE ? "base" : "dist", r->path);
		return f;
	}
	find_passes(&w, r, &l);
	if (lower_takes_largest(p, r->inst)) {
		f.key = largest_key(p, r);
		list_put(&w, &l, p->row[r->op[0]].dim[r->rank - 1]);	/* places of the row that the result is the beginning of */
	} else {
		f.key = own_key(p, r, &l);
	}
	f.pass = l.v;
	f.npass = l.n;
	return f;
}
