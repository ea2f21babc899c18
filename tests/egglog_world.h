/* egglog_world.h - an e-graph with rules and an egglog program, for tests. */
#ifndef DIVERGE_EGGLOG_WORLD_H
#define DIVERGE_EGGLOG_WORLD_H

#include <string.h>
#include "rule/egglog.h"
#include "rule/firing_explain.h"

struct world {
	egraph *g;
	rules *r;
	firings *f;
	schedule *s;
	egglog *p;
	char said[4096];	/* what the program printed, line by line */
};

static inline void world_say(void *ctx, const char *line)
{
	struct world *w = ctx;

	strncat(w->said, line, sizeof w->said - strlen(w->said) - 2);
	strcat(w->said, "\n");
}

/* `w` stays where it is until it is closed. */
static inline void open_world(struct world *w, bool trail_on, bool proofs, bool track)
{
	memset(w, 0, sizeof *w);
	w->g = eg_new();
	eg_trail(w->g)->on = trail_on;
	eg_set_proofs(w->g, proofs);
	eg_set_track(w->g, track);
	w->r = rules_new(w->g);
	w->f = firings_new(w->r);
	w->s = schedule_new(w->f);
	w->p = egglog_new(w->f, w->s, world_say, w);
}

static inline void close_world(struct world *w)
{
	egglog_free(w->p);
	schedule_free(w->s);
	firings_free(w->f);
	rules_free(w->r);
	eg_free(w->g);
}

static inline explanation explain_now(const firings *f, eg_id a, eg_id b, arena *out)
{
	explain_source s = firings_source(f);

	return explain(&s, a, b, out);
}

#endif
