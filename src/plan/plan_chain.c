#include "plan/plan_lex.h"

#include <ctype.h>
#include <string.h>

static const struct {
	const char *text;
	enum plan_step_kind kind;
} step_words[] = {
#define X(text, name) { text, PLAN_##name },
	PLAN_STEPS(X)
#undef X
};

static const char *const op_words[] = {
#define X(text, name) text,
	PLAN_OPS(X)
#undef X
};

const char *plan_op_name(enum plan_op op)
{
	return op_words[op];
}

int plan_axis_named(const struct plan_mesh *m, const char *name)
{
	int i;

	for (i = 0; i < m->n; i++)
		if (!strcmp(m->axis[i].name, name))
			return i;
	return -1;
}

static bool read_op(struct plan_reader *r, enum plan_op *op)
{
	int i;

	for (i = 0; i < PLAN_OP_KINDS; i++)
		if (plan_accept_word(r, op_words[i])) {
			*op = (enum plan_op)i;
			return true;
		}
	return plan_expected(r, "one of sum, max, min, and, or");
}

static bool check_segments(struct plan_reader *r, const struct plan_mesh *m, const struct plan_step *s,
			   const char *where)
{
	int i, size = m->axis[s->axis].size;

	for (i = 0; i < s->n && size; i++)
		if (s->v[i] % size)
			return plan_fail_at(r, where, "a segment of %lld is not divisible by %s=%d",
				       (long long)s->v[i], m->axis[s->axis].name, size);
	return true;
}

static bool read_shard(struct plan_reader *r, const struct plan_mesh *m, struct plan_step *s)
{
	const char *where;

	s->kind = PLAN_SHARD;
	if (!plan_expect(r, "(") || !plan_read_dim(r, &s->dim))
		return false;
	if (plan_accept(r, ";")) {
		plan_skip_blanks(r);
		where = r->at;
		if (!plan_read_list(r, "a segment", 1, s) || !check_segments(r, m, s, where))
			return false;
	}
	return plan_expect(r, ")");
}

static const char *axes_of(struct plan_reader *r, const struct plan_mesh *m)
{
	const char *t = "";
	int i;

	for (i = 0; i < m->n; i++)
		t = arena_printf(r->arena, "%s%s%.100s", t, i ? ", " : "", m->axis[i].name);
	return t;
}

/* A word that is none of them. */
static bool no_step(struct plan_reader *r)
{
	const char *t = "R, AXIS:S(..), AXIS:P(..)";
	size_t i;

	for (i = 0; i < sizeof step_words / sizeof *step_words; i++)
		t = arena_printf(r->arena, "%s, %s", t, step_words[i].text);
	return plan_fail_at(r, r->at, "cannot read '%.*s': a relation is made of %s", plan_rest(r), r->at, t);
}

/* `axis:S(..)`, `axis:P(..)`; `axis:R` says what silence says and leaves no step. */
static bool read_placement(struct plan_reader *r, const struct plan_mesh *m, struct plan_step *s, bool *none)
{
	const char *where;
	char *name;

	plan_skip_blanks(r);
	where = r->at;
	name = plan_take_word(r);
	s->axis = plan_axis_named(m, name);
	if (s->axis < 0)
		return plan_fail_at(r, where, "'%.100s' is no axis of the %smesh%s%s", name, m == &r->plan->base_mesh ? "base " : "",
				    m->line ? ", which has " : ": without a line `mesh` it is `dev`", m->line ? axes_of(r, m) : "");
	if (r->used[s->axis])
		return plan_fail_at(r, where, "axis '%.100s' is used twice", name);
	r->used[s->axis] = true;
	plan_accept(r, ":");
	*none = plan_accept_word(r, "R");
	if (*none)
		return true;
	if (plan_accept_word(r, "S"))
		return read_shard(r, m, s);
	if (!plan_accept_word(r, "P"))
		return plan_expected(r, "S(dimension), P(op) or R");
	s->kind = PLAN_PARTIAL;
	return plan_expect(r, "(") && read_op(r, &s->op) && plan_expect(r, ")");
}

static bool check_permutation(struct plan_reader *r, const struct plan_step *s, const char *where)
{
	bool *seen = arena_zalloc(r->arena, (size_t)s->n);
	int i;

	for (i = 0; i < s->n; i++) {
		if (s->v[i] >= s->n || seen[s->v[i]])
			return plan_fail_at(r, where, "not a permutation of %d dimensions", s->n);
		seen[s->v[i]] = true;
	}
	return true;
}

static bool read_pad(struct plan_reader *r, struct plan_step *s)
{
	if (!plan_read_dim(r, &s->dim) || !plan_expect(r, ";") || !plan_read_at_least(r, "a padded size", 1, &s->to))
		return false;
	if (!plan_accept(r, ";"))
		return true;
	s->zero = plan_accept(r, "0");
	return s->zero || plan_expected(r, "0 (the padding holds zeros)");
}

static bool read_take(struct plan_reader *r, struct plan_step *s)
{
	if (!plan_read_dim(r, &s->dim) || !plan_expect(r, ";"))
		return false;
	if (!plan_accept_word(r, "unit"))
		return plan_expected(r, "unit");
	return plan_read_at_least(r, "a unit", 1, &s->unit) && plan_expect(r, ";") &&
	       plan_read_list(r, "a block", -1, s);
}

static bool read_type(struct plan_reader *r, struct plan_step *s)
{
	size_t n = plan_word_length(r);

	s->type = n ? etype_named(r->at, n) : T_COUNT;
	if (s->type == T_COUNT || !etype_bits(s->type))
		return plan_expected(r, "an element type");
	r->at += n;
	return true;
}

static bool read_arguments(struct plan_reader *r, struct plan_step *s)
{
	const char *where;

	plan_skip_blanks(r);
	where = r->at;
	switch (s->kind) {
	case PLAN_RESHAPE:
		return plan_read_list(r, "an extent", 1, s);
	case PLAN_TRANSPOSE:
		return plan_read_list(r, "a dimension", 0, s) && check_permutation(r, s, where);
	case PLAN_PAD:
		return read_pad(r, s);
	case PLAN_SCALE:
		return plan_read_rational(r, &s->num, &s->den);
	case PLAN_REPEAT:
		return plan_read_dim(r, &s->dim) && plan_expect(r, ";") && plan_read_at_least(r, "a count", 1, &s->count);
	case PLAN_TAKE:
		return read_take(r, s);
	case PLAN_IGNORE:
		return plan_read_dim(r, &s->dim) && plan_expect(r, ";") && plan_read_list(r, "a place", 0, s);
	default:
		return read_type(r, s);
	}
}

static bool read_step(struct plan_reader *r, const struct plan_mesh *m, struct plan_step *s, bool *none)
{
	size_t i, n = plan_word_length(r);

	s->column = (int)(r->at - r->begin) + 1;
	*none = plan_accept_word(r, "R");
	if (*none)
		return true;
	for (i = 0; i < sizeof step_words / sizeof *step_words; i++)
		if (strlen(step_words[i].text) == n && !memcmp(r->at, step_words[i].text, n)) {
			s->kind = step_words[i].kind;
			r->at += n;
			return plan_expect(r, "(") && read_arguments(r, s) && plan_expect(r, ")");
		}
	for (i = n; r->at + i < r->end && isblank((unsigned char)r->at[i]); i++)
		;
	if (n == 1 && m->n && strchr("SP", *r->at) && r->at + i < r->end && r->at[i] == '(')
		return plan_fail_at(r, r->at, "an axis of the mesh stands before it, as in %s:%c(..)", m->axis[0].name, *r->at);
	if (!n)
		return plan_cannot_read(r);
	if (r->at + i == r->end || r->at[i] != ':')
		return no_step(r);
	return read_placement(r, m, s, none);
}

/* Rounding before the sum and after it differ, so an output cannot ask for both. */
static bool check_output_chain(struct plan_reader *r, const struct plan_line *l)
{
	bool partial = false;
	int i;

	for (i = 0; i < l->n; i++) {
		partial |= l->step[i].kind == PLAN_PARTIAL;
		if (partial && l->step[i].kind == PLAN_CONVERT)
			return plan_fail_at(r, r->begin + l->step[i].column - 1,
				       "the sum of rounded parts is not the rounded sum");
	}
	return true;
}

bool plan_read_chain(struct plan_reader *r, const struct plan_mesh *m, struct plan_line *l)
{
	struct plan_step step, *to;
	bool none;

	r->steps.n = 0;
	r->used = arena_zalloc(r->arena, (size_t)m->n + 1);
	do {
		memset(&step, 0, sizeof step);
		if (!read_step(r, m, &step, &none))
			return false;
		if (!none)
			*(struct plan_step *)vec_push(&r->steps) = step;
	} while (!plan_at_end(r));
	l->form = PLAN_CHAIN;
	l->n = (int)r->steps.n;
	to = ARENA_ARRAY(r->arena, struct plan_step, l->n);
	if (l->n)
		memcpy(to, r->steps.base, (size_t)l->n * sizeof *to);
	l->step = to;
	return (l->subject != PLAN_OUTPUT && l->subject != PLAN_BASE_OUTPUT) || check_output_chain(r, l);
}
