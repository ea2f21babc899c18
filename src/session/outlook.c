#include "session/outlook.h"

#include <stdlib.h>
#include <string.h>
#include "session/session_in.h"
#include "util/hash.h"

/* What the end of a run depends on, but for the rules, which begin a new history. */
static uint64_t depends_on(const struct session *s)
{
	uint64_t limit = (uint64_t)s->setting[SET_LIMIT];

	return hash_bytes(&limit, sizeof limit, acts_version(s));
}

static void note_frontier(struct session *s, void *ctx)
{
	bool *stands = ctx;
	int k;

	for (k = 0; k < session_nfrontier(s); k++)
		stands[session_frontier(s, k)] = true;
}

static void look(struct session *s)
{
	bool *stands = calloc((size_t)s->p->dist->nrow + 1, sizeof *stands), seen;

	seen = stands && acts_look_ahead(s, note_frontier, stands);
	outlook_forget(s);
	s->outlook = (struct outlook){ seen, depends_on(s), stands };
}

enum outlook_word outlook_known(const struct session *s, int dist_row)
{
	if (!s->outlook.known || s->outlook.of != depends_on(s))
		return OUTLOOK_UNKNOWN;
	return s->outlook.stands[dist_row] ? OUTLOOK_STANDS : OUTLOOK_PASSES;
}

enum outlook_word outlook_ask(struct session *s, int dist_row)
{
	if (outlook_known(s, dist_row) == OUTLOOK_UNKNOWN)
		look(s);
	return outlook_known(s, dist_row);
}

void outlook_forget(struct session *s)
{
	free(s->outlook.stands);
	s->outlook = (struct outlook){ .known = false };
}
