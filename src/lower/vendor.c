#include "lower/vendor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- configurations: members of a JSON object */

typedef struct span { const char *s; size_t n; } span;
struct member { span key, value; };

static bool is(span t, const char *word)
{
	return t.n == strlen(word) && !memcmp(t.s, word, t.n);
}

static bool is_one(span t, const char *const *word)
{
	for (; *word; word++)
		if (is(t, *word))
			return true;
	return false;
}

/* Behind the string that begins at s. */
static const char *behind_string(const char *s)
{
	for (s++; *s && *s != '"'; s++)
		s += *s == '\\' && s[1];
	return *s ? s + 1 : s;
}

/* Behind a value: a string, an object, a list, or a word. */
static const char *behind(const char *s)
{
	int depth = 0;

	while (*s && (depth || !strchr(",}]", *s))) {
		if (*s == '"') {
			s = behind_string(s);
			continue;
		}
		depth += strchr("{[", *s) ? 1 : strchr("}]", *s) ? -1 : 0;
		s++;
	}
	return s;
}

/* A value without its quotes. */
static span plain(const char *s, const char *end)
{
	for (; s < end && *s == ' '; s++)
		;
	for (; s < end && end[-1] == ' '; end--)
		;
	if (end - s >= 2 && *s == '"' && end[-1] == '"')
		s++, end--;
	return (span){ s, (size_t)(end - s) };
}

/* The next member of an object that *at is in; false at its end. */
static bool next_member(const char **at, struct member *m)
{
	const char *s = *at + strspn(*at, "{, \n"), *colon;

	if (*s != '"')
		return false;
	colon = behind_string(s);
	m->key = plain(s, colon);
	colon += strspn(colon, " ");
	if (*colon != ':')
		return false;
	*at = behind(colon + 1);
	m->value = plain(colon + 1, *at);
	return true;
}

/* Was all of the object read? */
static bool ends_well(const char *at)
{
	return at && at[strspn(at, "{, \n")] == '}';
}

/* The object of that name in backend_config, or all of it, as it was written without. */
static const char *config_of(const inst *i, const char *name)
{
	const char *text = inst_text(i, "backend_config"), *at = text;
	struct member m;

	while (at && next_member(&at, &m))
		if (is(m.key, name))
			return *m.value.s == '{' ? m.value.s : NULL;
	return text;
}

/* ---- why a call is not read: the first thing that is in the way */

struct refusal { arena *a; const char *why; };

static bool no(struct refusal *r, const char *why)
{
	r->why = r->why ? r->why : why;
	return false;
}

static bool no_member(struct refusal *r, const struct member *m)
{
	return no(r, arena_printf(r->a, "what `%.*s: %.*s` in its backend_config means is not known", (int)m->key.n, m->key.s,
				  (int)(m->value.n > 40 ? 40 : m->value.n), m->value.s));
}

static bool no_config(struct refusal *r, const inst *i, const char *says)
{
	const char *text = inst_text(i, "backend_config");

	return no(r, arena_printf(r->a, text && *text ? "its backend_config is no object that says %s" : "it has no backend_config, which says %s", says));
}

static double number_in(span t)
{
	return strtod(t.s, NULL);
}

/* ---- text */

struct text { arena *a; char *s; enum etype work; };

static char *dims(arena *a, const shape *s)
{
	char *t = arena_strdup(a, "");
	int k;

	for (k = 0; k < s->rank; k++)
		t = arena_printf(a, "%s%s%" PRId64, t, k ? "," : "", s->dim[k]);
	return t;
}

static char *typed(arena *a, enum etype t, const shape *s)
{
	return arena_printf(a, "%s[%s]", etype_name(t), dims(a, s));
}

static void line(struct text *t, const char *name, const char *shape, const char *what)
{
	t->s = arena_printf(t->a, "%s  %%%s = %s %s\n", t->s, name, shape, what);
}

/* A number at every place of s, in the type that is computed in. */
static void fill(struct text *t, const char *name, const shape *s, double v)
{
	line(t, arena_printf(t->a, "%s.0", name), arena_printf(t->a, "%s[]", etype_name(t->work)),
	     arena_printf(t->a, t->work == T_F64 ? "constant(%.17g)" : "constant(%.9g)", v));
	line(t, name, typed(t->a, t->work, s), arena_printf(t->a, "broadcast(%%%s.0), dimensions={}", name));
}

static void operands(struct text *t, const inst *i)
{
	int k;

	for (k = 0; k < i->noperand; k++)
		line(t, arena_printf(t->a, "p%d", k), typed(t->a, i->operand[k]->shape->type, i->operand[k]->shape),
		     arena_printf(t->a, "parameter(%d)", k));
}

/* Operand k in the type that is computed in, with its name. */
static const char *widened(struct text *t, const inst *i, int k)
{
	const shape *s = i->operand[k]->shape;

	if (s->type == t->work)
		return arena_printf(t->a, "p%d", k);
	line(t, arena_printf(t->a, "w%d", k), typed(t->a, t->work, s), arena_printf(t->a, "convert(%%p%d)", k));
	return arena_printf(t->a, "w%d", k);
}

static void binary(struct text *t, const char *name, const shape *s, const char *op, const char *x, const char *y)
{
	line(t, name, typed(t->a, t->work, s), arena_printf(t->a, "%s(%%%s, %%%s)", op, x, y));
}

/* The value called x, times a number unless that is 1. */
static const char *scaled(struct text *t, const char *x, const shape *s, double by)
{
	char *name = arena_printf(t->a, "%s.scaled", x);

	if (by == 1)
		return x;
	fill(t, arena_printf(t->a, "%s.by", x), s, by);
	binary(t, name, s, "multiply", x, arena_printf(t->a, "%s.by", x));
	return name;
}

static const char *plus(struct text *t, const char *name, const shape *s, const char *x, const char *y)
{
	binary(t, name, s, "add", x, y);
	return name;
}

/* A vector along dimension d of s. */
static const char *along(struct text *t, const char *x, const shape *s, int d)
{
	line(t, "bias", typed(t->a, t->work, s), arena_printf(t->a, "broadcast(%%%s), dimensions={%d}", x, d));
	return "bias";
}

/* x where it is positive, else what is called y. */
static const char *above_zero(struct text *t, const shape *s, const char *x, const char *y)
{
	fill(t, "zero", s, 0);
	line(t, "above", typed(t->a, T_PRED, s), arena_printf(t->a, "compare(%%%s, %%zero), direction=GT", x));
	line(t, "act", typed(t->a, t->work, s), arena_printf(t->a, "select(%%above, %%%s, %%%s)", x, y));
	return "act";
}

static const char *relu(struct text *t, const shape *s, const char *x)
{
	fill(t, "zero", s, 0);
	binary(t, "act", s, "maximum", x, "zero");
	return "act";
}

/* x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) */
static const char *gelu(struct text *t, const shape *s, const char *x)
{
	fill(t, "half", s, 0.5);
	fill(t, "one", s, 1);
	fill(t, "root", s, 0.797884560802865356);
	fill(t, "cubic", s, 0.044715);
	binary(t, "square", s, "multiply", x, x);
	binary(t, "cube", s, "multiply", "square", x);
	binary(t, "part", s, "multiply", "cubic", "cube");
	binary(t, "inner", s, "add", x, "part");
	binary(t, "outer", s, "multiply", "root", "inner");
	line(t, "tanh", typed(t->a, t->work, s), "tanh(%outer)");
	binary(t, "upper", s, "add", "one", "tanh");
	binary(t, "halves", s, "multiply", "half", "upper");
	binary(t, "act", s, "multiply", x, "halves");
	return "act";
}

static const char *silu(struct text *t, const shape *s, const char *x)
{
	line(t, "gate", typed(t->a, t->work, s), arena_printf(t->a, "logistic(%%%s)", x));
	binary(t, "act", s, "multiply", x, "gate");
	return "act";
}

/* A result in its own type. */
static const char *narrowed(struct text *t, const shape *s, const char *x)
{
	if (s->type == t->work)
		return x;
	line(t, arena_printf(t->a, "%s.out", x), typed(t->a, s->type, s), arena_printf(t->a, "convert(%%%s)", x));
	return arena_printf(t->a, "%s.out", x);
}

static bool is_real(const shape *s)
{
	return s->type == T_F16 || s->type == T_BF16 || s->type == T_F32 || s->type == T_F64;
}

static bool all_real(const inst *i)
{
	int k;

	for (k = 0; k < i->noperand; k++)
		if (!is_real(i->operand[k]->shape))
			return false;
	return true;
}

static char *whole(const inst *i, struct text *t, const char *root, const char *more, const shape *second)
{
	const shape *s = i->shape;
	char *what = arena_printf(t->a, "tuple(%%%s%s%s)", root, more ? ", %" : "", more ? more : "");

	if (s->type == T_TUPLE)
		line(t, "o", arena_printf(t->a, "(%s%s%s)", typed(t->a, s->elem[0]->type, s->elem[0]), more ? ", " : "",
					  more ? typed(t->a, second->type, second) : ""), what);
	else
		line(t, "o", typed(t->a, s->type, s), arena_printf(t->a, "copy(%%%s)", root));
	what = strstr(t->s, "  %o = ");
	return arena_printf(t->a, "HloModule vendor\n\nENTRY %%call {\n%.*s  ROOT %s}\n", (int)(what - t->s), t->s, what + 2);
}

static const shape *result_of(const inst *i)
{
	return i->shape->type == T_TUPLE ? i->shape->n ? i->shape->elem[0] : i->shape : i->shape;
}

static bool is_called(struct refusal *r, const inst *i, int noperand)
{
	if (i->noperand < noperand)
		return no(r, arena_printf(r->a, "it has fewer than %d operands", noperand));
	return (is_real(result_of(i)) && all_real(i)) || no(r, "it is read of floating point numbers alone");
}

/* ---- convolutions */

struct conv_config {
	double scale, side, leak;
	char act;	/* 0, r relu, 6 relu6, l leaky, e elu */
};

static bool read_activation(span v, char *act)
{
	static const struct { const char *name; char act; } known[] = {
		{ "kNone", 0 }, { "kRelu", 'r' }, { "kRelu6", '6' }, { "kLeakyRelu", 'l' }, { "kElu", 'e' } };
	size_t k;

	for (k = 0; k < sizeof known / sizeof *known; k++)
		if (is(v, known[k].name)) {
			*act = known[k].act;
			return true;
		}
	return false;
}

static bool read_conv_field(const struct member *m, struct conv_config *c)
{
	if (is(m->key, "activation_mode"))
		return read_activation(m->value, &c->act);
	else if (is(m->key, "conv_result_scale"))
		c->scale = number_in(m->value);
	else if (is(m->key, "side_input_scale"))
		c->side = number_in(m->value);
	else if (is(m->key, "leakyrelu_alpha"))
		c->leak = number_in(m->value);
	else
		return is(m->key, "algorithm");
	return true;
}

static bool read_conv(struct refusal *r, const inst *i, struct conv_config *c)
{
	const char *at = config_of(i, "cudnn_conv_backend_config");
	struct member m;

	*c = (struct conv_config){ .scale = 1 };
	while (at && next_member(&at, &m))
		if (!read_conv_field(&m, c))
			return no_member(r, &m);
	return ends_well(at) || no_config(r, i, "by what the convolution is scaled and what is applied to it");
}

/* What a convolution is over: labels of input, kernel, output, and one window dimension each. */
struct conv {
	const char *label[3];
	int n[3], nspatial;
	const shape *shape[3];	/* of input, kernel, output as the forward convolution has them */
	const int64_t *win;
	int64_t groups;
};

static int place(const struct conv *c, int which, char label)
{
	const char *at = memchr(c->label[which], label, (size_t)c->n[which]);

	return at ? (int)(at - c->label[which]) : -1;
}

static int64_t extent(const struct conv *c, int which, int spatial)
{
	return c->shape[which]->dim[place(c, which, (char)('0' + spatial))];
}

static bool labels_fit(const struct conv *c)
{
	static const char *const need[] = { "bf", "io", "bf" };
	int w, s;

	for (w = 0; w < 3; w++) {
		if (c->shape[w]->rank != c->n[w] || c->n[w] != c->nspatial + 2 || place(c, w, need[w][0]) < 0 || place(c, w, need[w][1]) < 0)
			return false;
		for (s = 0; s < c->nspatial; s++)
			if (place(c, w, (char)('0' + s)) < 0)
				return false;
	}
	return true;
}

/* order: which of result, operand 0, operand 1 (0, 1, 2) is input, kernel, output. */
static bool read_labels(struct refusal *r, const inst *i, struct conv *c, const int *order)
{
	const char *d = inst_text(i, "dim_labels"), *k = d ? strchr(d, '_') : NULL, *o = k ? strstr(k, "->") : NULL;
	const attr *win = inst_attr(i, "window");
	int w;

	if (!o || !win || win->n < 1 || win->n > 8)
		return no(r, "it has no dim_labels and window of 1 to 8 dimensions that say what the convolution is over");
	if (inst_int(i, "batch_group_count", 1) != 1)
		return no(r, "groups of its batch are not read");
	*c = (struct conv){ { d, k + 1, o + 2 }, { (int)(k - d), (int)(o - k - 1), (int)strlen(o + 2) }, win->n, { 0 }, win->ints,
			    inst_int(i, "feature_group_count", 1) };
	for (w = 0; w < 3; w++)
		c->shape[w] = order[w] ? i->operand[order[w] - 1]->shape : result_of(i);
	return labels_fit(c) || no(r, "its dim_labels and window do not fit its operands and its result");
}

/* Labels with two letters exchanged for two others. */
static char *relabelled(arena *a, const struct conv *c, int which, const char *from, const char *to)
{
	char *t = arena_printf(a, "%.*s", c->n[which], c->label[which]);
	int k;

	for (k = 0; t[k]; k++)
		t[k] = t[k] == from[0] ? to[0] : t[k] == from[1] ? to[1] : t[k];
	return t;
}

/* size, stride, low and high padding, dilations and reversal of every window dimension. */
static char *window_text(arena *a, int n, int64_t (*v)[WINDOW_FIELDS])
{
	static const char *const key[] = { "size", "stride", "pad", NULL, "lhs_dilate", "rhs_dilate", "rhs_reversal" };
	char *t = arena_strdup(a, "window={");
	int f, s;

	for (f = 0; f < WINDOW_FIELDS; f++)
		for (s = 0; key[f] && s < n; s++) {
			t = s ? arena_printf(a, "%sx", t) : arena_printf(a, "%s%s%s=", t, f ? " " : "", key[f]);
			t = arena_printf(a, "%s%" PRId64, t, v[s][f]);
			if (f == W_PAD_LOW)
				t = arena_printf(a, "%s_%" PRId64, t, v[s][W_PAD_HIGH]);
		}
	return arena_printf(a, "%s}", t);
}

static char *forward(arena *a, const struct conv *c)
{
	int64_t v[8][WINDOW_FIELDS];

	memcpy(v, c->win, sizeof *v * (size_t)c->nspatial);
	return arena_printf(a, "convolution(%%p0, %%p1), %s, dim_labels=%.*s_%.*s->%.*s, feature_group_count=%" PRId64, window_text(a, c->nspatial, v),
			    c->n[0], c->label[0], c->n[1], c->label[1], c->n[2], c->label[2], c->groups);
}

/* out[o] = sum_k x[s o + d k - low] w[k], one group, no reversal: dx[i] = sum_k dout[(i - d k + low) / s] w[k]; backwards along k. */
static char *to_input(arena *a, const struct conv *c)
{
	int64_t v[8][WINDOW_FIELDS];
	int s;

	for (s = 0; s < c->nspatial; s++) {
		const int64_t *q = c->win + s * WINDOW_FIELDS;
		int64_t reach = (q[W_SIZE] - 1) * q[W_RHS_DILATE], low = reach - q[W_PAD_LOW];

		v[s][W_SIZE] = q[W_SIZE];
		v[s][W_STRIDE] = 1;
		v[s][W_PAD_LOW] = low;
		v[s][W_PAD_HIGH] = extent(c, 0, s) - (extent(c, 2, s) - 1) * q[W_STRIDE] - 1 - low + reach;
		v[s][W_LHS_DILATE] = q[W_STRIDE];
		v[s][W_RHS_DILATE] = q[W_RHS_DILATE];
		v[s][W_REVERSAL] = 1;
	}
	return arena_printf(a, "convolution(%%p0, %%p1), %s, dim_labels=%.*s_%s->%.*s", window_text(a, c->nspatial, v), c->n[2], c->label[2],
			    relabelled(a, c, 1, "io", "oi"), c->n[0], c->label[0]);
}

/* .. dw[k] = sum_o x[d k + s o - low] dout[o]: the batch is summed, features of x are the batch, their groups those of the batch. */
static char *to_filter(arena *a, const struct conv *c)
{
	int64_t v[8][WINDOW_FIELDS];
	int s;

	for (s = 0; s < c->nspatial; s++) {
		const int64_t *q = c->win + s * WINDOW_FIELDS;
		int64_t reach = (q[W_SIZE] - 1) * q[W_RHS_DILATE] + (extent(c, 2, s) - 1) * q[W_STRIDE] + 1;

		v[s][W_SIZE] = extent(c, 2, s);
		v[s][W_STRIDE] = q[W_RHS_DILATE];
		v[s][W_PAD_LOW] = q[W_PAD_LOW];
		v[s][W_PAD_HIGH] = reach - extent(c, 0, s) - q[W_PAD_LOW];
		v[s][W_LHS_DILATE] = 1;
		v[s][W_RHS_DILATE] = q[W_STRIDE];
		v[s][W_REVERSAL] = 0;
	}
	return arena_printf(a, "convolution(%%p0, %%p1), %s, dim_labels=%s_%s->%s, batch_group_count=%" PRId64, window_text(a, c->nspatial, v), relabelled(a, c, 0, "bf", "fb"),
			    relabelled(a, c, 2, "bf", "io"), relabelled(a, c, 1, "io", "bf"), c->groups);
}

/* Only windows that a gradient is written for. */
static bool plain_window(const struct conv *c)
{
	int s;

	for (s = 0; s < c->nspatial; s++) {
		const int64_t *q = c->win + s * WINDOW_FIELDS;
		if (q[W_REVERSAL] || q[W_LHS_DILATE] != 1 || q[W_STRIDE] < 1 || q[W_RHS_DILATE] < 1 || q[W_SIZE] != extent(c, 1, s))
			return false;
	}
	return true;
}

static const char *activated(struct text *t, const struct conv_config *c, const shape *s, const char *x)
{
	switch (c->act) {
	case 'r': return relu(t, s, x);
	case 'l': return above_zero(t, s, x, scaled(t, x, s, c->leak));
	case 'e':
		line(t, "below", typed(t->a, t->work, s), arena_printf(t->a, "exponential-minus-one(%%%s)", x));
		return above_zero(t, s, x, "below");
	case '6':
		fill(t, "six", s, 6);
		binary(t, "most", s, "minimum", relu(t, s, x), "six");
		return "most";
	default: return x;
	}
}

static bool conv_fits(struct refusal *r, const inst *i, int kind, const struct conv_config *k, const struct conv *c)
{
	if (kind > 1 && !plain_window(c))
		return no(r, "gradients are read of windows without reversal and base dilation alone");
	if (kind == 2 && c->groups != 1)
		return no(r, "the gradient by the input is read of convolutions in one group alone");
	if (kind != 1 && (k->act || k->side != 0))
		return no(r, "its backend_config applies or adds something, which this call does not do");
	return i->noperand == (kind == 1 ? 3 : 2) + (k->side != 0) || no(r, "it has more operands than its backend_config speaks of, or fewer");
}

static char *convolved(struct refusal *r, const inst *i, int kind)
{
	static const int order[][3] = { { 1, 2, 0 }, { 1, 2, 0 }, { 0, 2, 1 }, { 1, 0, 2 } };
	const shape *s = result_of(i);
	arena *a = r->a;
	struct text t = { a, arena_strdup(a, ""), s->type == T_F64 ? T_F64 : T_F32 };
	struct conv_config k;
	struct conv c;
	const char *x = "conv";

	if (!is_called(r, i, kind == 1 ? 3 : 2) || !read_conv(r, i, &k) || !read_labels(r, i, &c, order[kind]) || !conv_fits(r, i, kind, &k, &c))
		return NULL;
	if (kind != 1 && k.scale == 1)
		t.work = s->type;
	operands(&t, i);
	line(&t, x, typed(a, t.work, s), kind == 2 ? to_input(a, &c) : kind == 3 ? to_filter(a, &c) : forward(a, &c));
	x = scaled(&t, x, s, k.scale);
	if (k.side != 0)
		x = plus(&t, "beside", s, x, scaled(&t, widened(&t, i, 3), s, k.side));
	if (kind == 1)
		x = plus(&t, "biased", s, x, along(&t, widened(&t, i, 2), s, place(&c, 2, 'f')));
	return whole(i, &t, narrowed(&t, s, activated(&t, &k, s, x)), NULL, NULL);
}

/* ---- matrix products */

struct gemm_config {
	double alpha, beta;
	char *dims;		/* of the product, as attributes */
	bool bias, aux;
	char act;		/* 0, r relu, g gelu, s silu */
};

static bool read_epilogue(span v, struct gemm_config *c)
{
	static const struct { const char *name; bool bias, aux; char act; } known[] = {
		{ "DEFAULT", 0, 0, 0 }, { "RELU", 0, 0, 'r' }, { "GELU", 0, 0, 'g' }, { "SILU", 0, 0, 's' }, { "GELU_AUX", 0, 1, 'g' },
		{ "BIAS", 1, 0, 0 }, { "BIAS_RELU", 1, 0, 'r' }, { "BIAS_GELU", 1, 0, 'g' }, { "BIAS_SILU", 1, 0, 's' }, { "BIAS_GELU_AUX", 1, 1, 'g' } };
	size_t k;

	for (k = 0; k < sizeof known / sizeof *known; k++)
		if (is(v, known[k].name)) {
			c->bias = known[k].bias;
			c->aux = known[k].aux;
			c->act = known[k].act;
			return true;
		}
	return false;
}

/* ["0","1"] as 0,1 */
static char *numbers_of(arena *a, span v)
{
	char *t = arena_printf(a, "%.*s", (int)v.n, v.s), *to = t;
	const char *s;

	for (s = t; *s; s++)
		if (strchr("0123456789,", *s))
			*to++ = *s;
	*to = 0;
	return t;
}

static char *read_product(arena *a, span v)
{
	static const struct { const char *from, *to; } known[] = {
		{ "lhs_contracting_dimensions", "lhs_contracting_dims" }, { "rhs_contracting_dimensions", "rhs_contracting_dims" },
		{ "lhs_batch_dimensions", "lhs_batch_dims" }, { "rhs_batch_dimensions", "rhs_batch_dims" } };
	const char *at = v.s;
	char *t = arena_strdup(a, "");
	struct member m;
	size_t k;

	while (next_member(&at, &m)) {
		for (k = 0; k < 4 && !is(m.key, known[k].from); k++)
			;
		if (k == 4 || *m.value.s != '[')
			return NULL;
		t = arena_printf(a, "%s, %s={%s}", t, known[k].to, numbers_of(a, m.value));
	}
	return t;
}

static bool read_gemm_field(arena *a, const struct member *m, struct gemm_config *c)
{
	static const char *const fixed[] = { "alpha_imag", "scale_mode", NULL }, *const no[] = { "damax_output", NULL },
		*const any[] = { "precision_config", "lhs_stride", "rhs_stride", "selected_algorithm", "autotune_workspace_size", "grad_x", "grad_y", NULL };

	if (is(m->key, "alpha_real"))
		c->alpha = number_in(m->value);
	else if (is(m->key, "beta"))
		c->beta = number_in(m->value);
	else if (is(m->key, "dot_dimension_numbers"))
		return (c->dims = read_product(a, m->value));
	else if (is(m->key, "epilogue"))
		return read_epilogue(m->value, c);
	else if (is_one(m->key, fixed))
		return number_in(m->value) == 0;
	else if (is_one(m->key, no))
		return is(m->value, "false");
	else
		return is_one(m->key, any);
	return true;
}

static bool read_gemm(struct refusal *r, const inst *i, struct gemm_config *c)
{
	const char *at = config_of(i, "gemm_backend_config");
	struct member m;

	*c = (struct gemm_config){ .alpha = 1 };
	while (at && next_member(&at, &m))
		if (!read_gemm_field(r->a, &m, c))
			return no_member(r, &m);
	if (!ends_well(at) || !c->dims)
		return no_config(r, i, "what is multiplied with what");
	return c->alpha != 0 || no(r, "its backend_config multiplies the product by 0");
}

/* A bias lies along the dimension whose elements are neighbours in memory. */
static int bias_dim(const shape *s)
{
	return s->minor_to_major ? s->minor_to_major[0] : s->rank - 1;
}

static bool gemm_fits(const inst *i, const struct gemm_config *c, const shape *s)
{
	int n = 2 + (c->beta != 0) + c->bias;

	if (i->noperand != n || s->rank < 1 || (c->beta != 0 && i->operand[2]->shape->rank != s->rank))
		return false;
	if (c->bias && (i->operand[n - 1]->shape->rank != 1 || i->operand[n - 1]->shape->dim[0] != s->dim[bias_dim(s)]))
		return false;
	return !c->aux || (i->shape->type == T_TUPLE && i->shape->n > 1 && is_real(i->shape->elem[1]) && i->shape->elem[1]->rank == s->rank);
}

static char *multiplied(struct refusal *r, const inst *i)
{
	const shape *s = result_of(i), *aux;
	arena *a = r->a;
	struct text t = { a, arena_strdup(a, ""), s->type == T_F64 ? T_F64 : T_F32 };
	const char *x = "dot", *before = NULL;
	struct gemm_config c;

	if (!is_called(r, i, 2) || !read_gemm(r, i, &c))
		return NULL;
	if (!gemm_fits(i, &c, s)) {
		no(r, "its operands and its result are not those that its backend_config speaks of");
		return NULL;
	}
	if (c.alpha == 1 && c.beta == 0 && !c.bias && (!c.act || c.act == 'r'))	/* rounding before a maximum with 0 is rounding after it */
		t.work = s->type;
	operands(&t, i);
	line(&t, x, typed(a, t.work, s), arena_printf(a, "dot(%%p0, %%p1)%s", c.dims));
	x = scaled(&t, x, s, c.alpha);
	if (c.beta != 0)
		x = plus(&t, "beside", s, x, scaled(&t, widened(&t, i, 2), s, c.beta));
	if (c.bias)
		x = plus(&t, "biased", s, x, along(&t, widened(&t, i, i->noperand - 1), s, bias_dim(s)));
	aux = c.aux ? i->shape->elem[1] : NULL;
	before = aux ? narrowed(&t, aux, x) : NULL;
	x = c.act == 'r' ? relu(&t, s, x) : c.act == 'g' ? gelu(&t, s, x) : c.act == 's' ? silu(&t, s, x) : x;
	return whole(i, &t, narrowed(&t, s, x), before, aux);
}

/* ---- calls */

static const struct vendor {
	const char *target, *words;
	int kind;		/* of convolution, or -1 */
} vendors[] = {
	{ "__cudnn$convForward", "the convolution of its window and dim_labels", 0 },
	{ "__cudnn$convBiasActivationForward", "activation(conv_result_scale * convolution + side_input_scale * side input + bias)", 1 },
	{ "__cudnn$convBackwardInput", "the gradient of a convolution by its input", 2 },
	{ "__cudnn$convBackwardFilter", "the gradient of a convolution by its filter", 3 },
	{ "__cublas$gemm", "alpha * dot + beta * matrix", -1 },
	{ "__cublas$lt$matmul", "epilogue(alpha * dot + beta * matrix + bias)", -1 },
};

static const struct vendor *called(const inst *i)
{
	const char *t = i->opcode == OP_CUSTOM_CALL ? inst_text(i, "custom_call_target") : NULL;
	size_t k;

	for (k = 0; t && k < sizeof vendors / sizeof *vendors; k++)
		if (!strcmp(vendors[k].target, t))
			return &vendors[k];
	return NULL;
}

static char *written(struct refusal *r, const inst *i)
{
	const struct vendor *v = called(i);

	return !v ? NULL : v->kind < 0 ? multiplied(r, i) : convolved(r, i, v->kind);
}

char *vendor_text(arena *a, const inst *i)
{
	struct refusal r = { .a = a };

	return written(&r, i);
}

const char *vendor_words(const inst *i)
{
	const struct vendor *v = called(i);
	arena a;
	bool ok;

	if (!v)
		return NULL;
	arena_init(&a);
	ok = vendor_text(&a, i);
	arena_free(&a);
	return ok ? v->words : NULL;
}

const char *vendor_refusal(arena *a, const inst *i)
{
	struct refusal r = { .a = a };

	return written(&r, i) ? NULL : r.why;
}
