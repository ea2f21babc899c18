#include "proof/certificates.h"

#include "certify/certify.h"

static void certificate_line(struct page *p, const char *name, const certificate *c)
{
	page_add(p, c->why ? PG_REFUTED : PG_VERIFIED, "%s: %s", name, c->why ? "its proof does not hold" : "certified");
	if (c->why)
		page_more(p, PG_NORMAL, ": %s%s%s", c->why, c->rule ? ", rule " : "", c->rule ? c->rule : "");
	else
		page_more(p, PG_NORMAL, ", %u unions: %u by numbers (%u within rounding), %u congruences, %u given, %u assumed",
			  c->steps, c->numbers + c->soft + c->merges + c->finite, c->soft, c->congruence, c->given, c->assumed);
	if (!c->why && c->again + c->trusted)
		page_more(p, PG_NORMAL, "; %u too large for numbers, of which %u gave the same node again", c->again + c->trusted, c->again);
	if (!c->why && c->inductions)
		page_more(p, PG_NORMAL, ", %u over loops", c->inductions);
	if (!c->why && c->fallback)
		page_more(p, PG_NORMAL, ", %u without a rule", c->fallback);
	if (!c->why && c->finite)
		page_more(p, PG_WARNING, "; %u hold where what they read is finite and not zero, which nothing shows", c->finite);
	if (!c->why && c->readings)
		page_more(p, PG_NORMAL, ", %u constants read as others", c->readings);
}

bool certificates_page(pair *q, struct page *p)
{
	certifier *c = certifier_new(q->p, NULL);
	bool good = true;
	int k;

	for (k = 0; k < q->ngoal; k++) {
		const goal *g = &q->goal[k];
		const char *name = q->dist->row[g->dist_row].path;
		certificate r;
		arena tmp;
		char text[600];
		if (!g->compared)
			continue;
		if (g->out >= 0)
			snprintf(text, sizeof text, "output %d %%%s", g->out, name);
		else
			snprintf(text, sizeof text, "%%%s", name);
		if (!goal_met(q, g)) {
			page_add(p, PG_DIM, "%s: not proved", text);
			continue;
		}
		arena_init(&tmp);
		good = certify_goal(c, q, g, &r, &tmp) && good;
		certificate_line(p, text, &r);
		arena_free(&tmp);
	}
	certifier_free(c);
	return good;
}
