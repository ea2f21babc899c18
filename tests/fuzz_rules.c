/* Any bytes as an egglog program: an error with its place, or it runs (within
 * limits), every invariant of the graph holds, and undo leaves nothing. */
#include "fuzz.h"

#include <string.h>
#include "rule/egglog.h"

enum { STEPS = 300, NODES = 2000 };

static void demand_place(const char *error)
{
	unsigned line, column;
	int at = 0;

	demand(sscanf(error, "fuzz:%u:%u: %n", &line, &column, &at) == 2 && at && line && column && error[at], "an error without a place");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	egraph *g = eg_new();
	rules *r = rules_new(g);
	firings *f = firings_new(r);
	schedule *s = schedule_new(f);
	egglog *p = egglog_new(f, s, NULL, NULL);
	enum egglog_step k = EGGLOG_COMMAND;
	const char *error;
	uint32_t i;

	eg_set_track(g, size & 1);
	schedule_limit(s, NODES);
	error = egglog_load(p, "fuzz", (const char *)data, size);
	if (error)
		demand_place(error);
	for (i = 0; !error && i < STEPS && k != EGGLOG_END; i++) {
		k = egglog_step(p);
		if (k == EGGLOG_ERROR)
			demand_place(egglog_error(p));
	}
	demand(!eg_check(g), "the e-graph is not in order");
	trail_undo(eg_trail(g), 0);
	demand(!eg_nnode(g) && !eg_check(g), "undoing everything leaves something");
	egglog_free(p);
	schedule_free(s);
	firings_free(f);
	rules_free(r);
	eg_free(g);
	return 0;
}
