#include "problem/plan_write.h"

static void write_mesh(const char *head, const mesh *ms, FILE *to)
{
	int k;

	fputs(head, to);
	for (k = 0; k < ms->n; k++)
		fprintf(to, " %s=%lld", ms->axis[k].name, (long long)ms->axis[k].size);
	fputc('\n', to);
}

static const struct alternative *offered(const struct problem *p, bool output, int index)
{
	const struct alternatives *t = p->alternatives;
	int k;

	for (k = 0; t && k < t->n; k++)
		if (t->v[k].output == output && t->v[k].index == index)
			return &t->v[k];
	return NULL;
}

static void write_relation(const struct problem *p, bool output, int k, int base, const char *chain, FILE *to)
{
	const struct alternative *o = offered(p, output, k);
	int n = fprintf(to, "%s %d", output ? "output" : "input", k);

	if (base >= 0 && base != k && !(o && *o->is == '='))
		n += fprintf(to, "<-%d", base);
	n += fprintf(to, "%*s%s", n < 15 ? 16 - n : 1, "", o ? o->is : chain);
	fprintf(to, "%*s# ", n < 39 ? 40 - n : 1, "");
	if (o)
		fprintf(to, "instead of %s: offered, not what was asked\n", o->was);
	else
		fputs("inferred\n", to);
}

void plan_write(const struct problem *p, FILE *to)
{
	int k;

	fprintf(to, "# %s and %s\n", p->files.base, p->files.dist);
	if (p->base_in)
		write_mesh("mesh base", &p->base_ms, to);
	write_mesh("mesh", &p->ms, to);
	for (k = 0; p->plan && k < p->plan->n; k++)
		fprintf(to, "%s\n", p->plan->line[k].text);
	for (k = 0; k < p->q->ninput; k++) {
		const input_relation *r = &p->q->in[k];
		if (!r->inferred)
			continue;
		if (r->pin == PIN_ANY && !offered(p, false, k))
			fprintf(to, "input %d = any%*s# no relation is seen\n", k, 26 - (k > 9) - (k > 99), "");
		else
			write_relation(p, false, k, problem_counterpart(p, k), r->c.text, to);
	}
	for (k = 0; k < p->q->noutput; k++) {
		const output_relation *r = &p->q->out[k];
		if (!r->inferred || p->dist->out[k] < 0)
			continue;
		if (r->base < 0 && !offered(p, true, k))
			fprintf(to, "# output %d: no relation is seen\n", k);
		else
			write_relation(p, true, k, k, r->c.text, to);
	}
}
