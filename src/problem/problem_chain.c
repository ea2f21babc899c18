/* The plan's chains as the engine has them. */
#include "problem/problem_in.h"

#include <string.h>

static const char *op_word(enum plan_op op)
{
	static const char *const w[] = { "add", "maximum", "minimum", "and", "or" };

	return w[op];
}

chain problem_chain_over(struct problem *p, const struct plan_mesh *m, int n, const struct plan_step *s)
{
	static const enum chain_kind kind[PLAN_STEP_KINDS] = {
		[PLAN_SHARD] = CHAIN_SHARD, [PLAN_PARTIAL] = CHAIN_PARTIAL, [PLAN_RESHAPE] = CHAIN_RESHAPE,
		[PLAN_TRANSPOSE] = CHAIN_TRANSPOSE, [PLAN_PAD] = CHAIN_PAD, [PLAN_SCALE] = CHAIN_SCALE,
		[PLAN_REPEAT] = CHAIN_REPEAT, [PLAN_TAKE] = CHAIN_TAKE, [PLAN_IGNORE] = CHAIN_IGNORE, [PLAN_CONVERT] = CHAIN_CONVERT };
	chain_step *c = ARENA_ARRAY(&p->a, chain_step, n);
	chain r = { n, c, NULL };
	int i;

	for (i = 0; i < n; i++)
		c[i] = (chain_step){ .kind = kind[s[i].kind], .axis = s[i].axis, .dim = s[i].dim, .op = op_word(s[i].op),
				     .n = s[i].n, .v = s[i].v, .to = s[i].to, .count = s[i].count, .unit = s[i].unit,
				     .zero = s[i].zero, .scale = { s[i].num, s[i].den ? s[i].den : 1 }, .type = (int)s[i].type };
	r.text = m ? plan_chain_text(&p->a, m, n, s) : "R";
	return r;
}

chain problem_chain(struct problem *p, int n, const struct plan_step *s)
{
	return problem_chain_over(p, p->plan ? &p->plan->mesh : NULL, n, s);
}

/* Read as the line of a plan that says the same. */
bool problem_read_chain(struct problem *p, arena *tmp, const char *text, chain *out, const char **why)
{
	const char *line = arena_printf(tmp, "mesh%s\nassume %%d = base %%b %s\n", problem_mesh_text(tmp, &p->ms), *text ? text : "R");
	struct plan *plan;
	struct diag err;

	plan = plan_parse(tmp, "assume", line, strlen(line), &err);
	if (!plan || plan->n != 1) {
		*why = arena_strdup(&p->a, plan ? "one chain is meant" : err.message);
		return false;
	}
	*out = problem_chain(p, plan->line[0].n, plan->line[0].step);
	return true;
}
