#include "plan/plan.h"

#include <stdio.h>
#include <string.h>

static char *list_text(arena *a, const struct plan_step *s)
{
	char *text = arena_alloc(a, (size_t)s->n * sizeof "-9223372036854775808," + 1), *to = text;
	int i;

	for (i = 0; i < s->n; i++)
		to += sprintf(to, "%s%lld", i ? "," : "", (long long)s->v[i]);
	*to = 0;
	return text;
}

static char *step_text(arena *a, const struct plan_mesh *m, const struct plan_step *s)
{
	switch (s->kind) {
	case PLAN_SHARD:
		return arena_printf(a, "%s:S(%d%s%s)", m->axis[s->axis].name, s->dim, s->n ? "; " : "", list_text(a, s));
	case PLAN_PARTIAL:
		return arena_printf(a, "%s:P(%s)", m->axis[s->axis].name, plan_op_name(s->op));
	case PLAN_PAD:
		return arena_printf(a, "pad(%d; %lld%s)", s->dim, (long long)s->to, s->zero ? "; 0" : "");
	case PLAN_SCALE:
		return s->den == 1 ? arena_printf(a, "scale(%lld)", (long long)s->num)
				   : arena_printf(a, "scale(%lld/%lld)", (long long)s->num, (long long)s->den);
	case PLAN_REPEAT:
		return arena_printf(a, "repeat(%d; %lld)", s->dim, (long long)s->count);
	case PLAN_TAKE:
		return arena_printf(a, "take(%d; unit %lld; %s)", s->dim, (long long)s->unit, list_text(a, s));
	case PLAN_IGNORE:
		return arena_printf(a, "ignore(%d; %s)", s->dim, list_text(a, s));
	case PLAN_CONVERT:
		return arena_printf(a, "convert(%s)", etype_name(s->type));
	default:
		return arena_printf(a, "%s(%s)", s->kind == PLAN_RESHAPE ? "reshape" : "transpose", list_text(a, s));
	}
}

char *plan_chain_text(arena *a, const struct plan_mesh *m, int n, const struct plan_step *s)
{
	char *text = arena_strdup(a, n ? "" : "R");
	int i;

	for (i = 0; i < n; i++)
		text = arena_printf(a, "%s%s%s", text, i ? " " : "", step_text(a, m, &s[i]));
	return text;
}

static bool glob_matches(const char *g, const char *s)
{
	const char *star = NULL, *from = NULL;

	while (*s) {
		if (*g == '*') {
			star = ++g;
			from = s;
		} else if (*g == *s || *g == '?') {
			g++;
			s++;
		} else if (star) {
			g = star;
			s = ++from;
		} else {
			return false;
		}
	}
	while (*g == '*')
		g++;
	return !*g;
}

bool plan_ref_matches(const struct plan_ref *r, const char *text)
{
	if (!r->text)
		return false;
	return r->glob ? glob_matches(r->text, text) : !strcmp(r->text, text);
}
