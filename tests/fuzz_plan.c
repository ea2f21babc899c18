/* Any bytes as a plan: either a place and a sentence, or a plan whose chains
 * print as text that reads back as the same chains. */
#include "fuzz.h"

#include <string.h>
#include "plan/plan.h"

static char *mesh_text(arena *a, const struct plan_mesh *m)
{
	char *text = arena_strdup(a, m->line ? "mesh" : "");
	int i;

	for (i = 0; m->line && i < m->n; i++)
		text = arena_printf(a, "%s %s=%d", text, m->axis[i].name, m->axis[i].size);
	return text;
}

static void read_back(arena *a, const struct plan *p, const struct plan_line *l)
{
	const struct plan_mesh *m = l->subject == PLAN_BASE_INPUT || l->subject == PLAN_BASE_OUTPUT
		? &p->base_mesh : &p->mesh;
	char *chain = plan_chain_text(a, m, l->n, l->step);
	char *text = arena_printf(a, "%s\ninput 0 %s\n", mesh_text(a, m), chain);
	const struct plan *q;
	struct diag d;

	q = plan_parse(a, "again", text, strlen(text), &d);
	demand(q && q->n == 1, "a chain does not read back");
	demand(!strcmp(chain, plan_chain_text(a, &q->mesh, q->line[0].n, q->line[0].step)), "a chain reads back as another one");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct plan *p;
	struct diag d;
	arena a;
	int i;

	arena_init(&a);
	memset(&d, 0, sizeof d);
	p = plan_parse(&a, "fuzz", (const char *)data, size, &d);
	if (!p)
		demand(d.line >= 1 && d.column >= 1 && d.message[0] && !strchr(d.message, '\n'), "a failure without a place");
	for (i = 0; p && i < p->n; i++)
		if (p->line[i].form == PLAN_CHAIN)
			read_back(&a, p, &p->line[i]);
	arena_free(&a);
	return 0;
}
