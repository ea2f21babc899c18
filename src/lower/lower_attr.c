#include "lower/lower_in.h"

#include <string.h>
#include "lift/lift.h"

void lower_put_list(lowering *w, struct list *l, const inst *i, const char *key)
{
	int n, k;
	const int64_t *v = inst_ints(i, key, &n);

	list_put(w, l, n);
	for (k = 0; k < n; k++)
		list_put(w, l, v[k]);
}

void lower_put_ints(lowering *w, struct list *l, const inst *i, const char *key)
{
	int n, k;
	const int64_t *v = inst_ints(i, key, &n);

	for (k = 0; k < n; k++)
		list_put(w, l, v[k]);
}

void lower_put_dot(lowering *w, struct list *l, const inst *i)
{
	const char *how = inst_text(i, "algorithm");

	if (how && strcmp(how, "dot_f32_f32_f32") && strcmp(how, "dot_f64_f64_f64"))
		lower_note(w, arena_printf(&w->p->a, "products by the algorithm %s are taken to be exact", how));
	lower_put_list(w, l, i, "lhs_batch_dims");
	lower_put_ints(w, l, i, "rhs_batch_dims");
	lower_put_list(w, l, i, "lhs_contracting_dims");
	lower_put_ints(w, l, i, "rhs_contracting_dims");
}

static int label_pos(const char *s, const char *end, char c)
{
	const char *p;

	for (p = s; p < end; p++)
		if (*p == c)
			return (int)(p - s);
	return -1;
}

static void put_window_dim(lowering *w, struct list *l, const int64_t *q)
{
	list_put(w, l, q[W_SIZE]);
	list_put(w, l, q[W_STRIDE]);
	list_put(w, l, q[W_PAD_LOW]);
	list_put(w, l, q[W_PAD_HIGH]);
	list_put(w, l, q[W_LHS_DILATE]);
	list_put(w, l, q[W_RHS_DILATE]);
}

bool lower_put_convolution(lowering *w, struct list *l, const inst *i)
{
	const char *d = inst_text(i, "dim_labels"), *k, *o, *end;
	const attr *win = inst_attr(i, "window");
	int ns, s;
	char c;

	if (!d || !(k = strchr(d, '_')) || !(o = strstr(d, "->")) ||
	    (inst_int(i, "batch_group_count", 1) > 1 && inst_int(i, "feature_group_count", 1) > 1))
		return false;
	end = d + strlen(d);
	ns = (int)(k - d) - 2;
	if (win && win->n != ns)
		return false;
	if (!win && ns)
		return false;
	list_put(w, l, inst_int(i, "feature_group_count", 1) > 0 ? inst_int(i, "feature_group_count", 1) : 1);
	list_put(w, l, ns);
	list_put(w, l, label_pos(d, k, 'b'));
	list_put(w, l, label_pos(d, k, 'f'));
	list_put(w, l, label_pos(k + 1, o, 'i'));
	list_put(w, l, label_pos(k + 1, o, 'o'));
	list_put(w, l, label_pos(o + 2, end, 'b'));
	list_put(w, l, label_pos(o + 2, end, 'f'));
	list_put(w, l, inst_int(i, "batch_group_count", 1) > 0 ? inst_int(i, "batch_group_count", 1) : 1);
	for (s = 0; s < ns; s++) {
		const int64_t *q = win->ints + s * WINDOW_FIELDS;
		c = (char)('0' + s);
		list_put(w, l, label_pos(d, k, c));
		list_put(w, l, label_pos(k + 1, o, c));
		list_put(w, l, label_pos(o + 2, end, c));
		put_window_dim(w, l, q);
		list_put(w, l, q[W_REVERSAL]);
	}
	for (s = 0; s < CONV_INTS; s++)
		if (l->v[s] < 0)
			return false;
	return true;
}

bool lower_put_window(lowering *w, struct list *l, const inst *i)
{
	const attr *win = inst_attr(i, "window");
	int s;

	if (!win || win->n != i->operand[0]->shape->rank)
		return false;
	for (s = 0; s < win->n; s++) {
		const int64_t *q = win->ints + s * WINDOW_FIELDS;
		if (q[W_REVERSAL] || q[W_SIZE] < 1)
			return false;
		put_window_dim(w, l, q);
	}
	return true;
}

void lower_put_gather(lowering *w, struct list *l, const inst *i)
{
	list_put(w, l, inst_int(i, "index_vector_dim", 0));
	lower_put_list(w, l, i, "offset_dims");
	lower_put_list(w, l, i, "collapsed_slice_dims");
	lower_put_list(w, l, i, "start_index_map");
	lower_put_list(w, l, i, "operand_batching_dims");
	lower_put_list(w, l, i, "start_indices_batching_dims");
	lower_put_list(w, l, i, "slice_sizes");
}

/* Dimensions from most major to most minor; false when the layout is no permutation. */
static bool put_physical(lowering *w, struct list *l, const shape *s)
{
	int k;

	if (s->tiled && s->rank > 1)
		return false;
	for (k = s->rank - 1; k >= 0; k--)
		list_put(w, l, s->minor_to_major ? s->minor_to_major[k] : s->rank - 1 - k);
	return true;
}

const char *lower_put_bitcast(lowering *w, struct list *l, const inst *i, const char **name)
{
	const shape *from = i->operand[0]->shape, *to = i->shape;

	if (from->type != to->type) {
		if (etype_bits(from->type) != etype_bits(to->type) || !etype_bits(to->type) || from->type == T_PRED || to->type == T_PRED)
			return "a bitcast changes the width of the element type";
		*name = arena_printf(&w->p->a, "bitcast-convert:%s", etype_name(from->type));
	}
	if (shape_elements(from) != shape_elements(to))
		return "a bitcast between tensors of different sizes";
	if (!put_physical(w, l, from) || !put_physical(w, l, to))
		return "the layout is not a permutation";
	return NULL;
}
