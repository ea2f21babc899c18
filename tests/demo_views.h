/* demo_views.h - made-up views on made-up data, for the tests of the screen.
 *
 * Two columns of n instructions in the shapes a real pair has, and small lists
 * in every other place of the screen.  demo_command is a host that knows a few
 * commands of its own and hands the others to the screen; what it was given is
 * kept in the view `log`.
 */
#ifndef DIVERGE_DEMO_VIEWS_H
#define DIVERGE_DEMO_VIEWS_H

#include "lines.h"
#include "screen.h"

struct demo {
	struct screen screen;
	struct pane graph, log;
	struct lines class, relations, why, source, rules;
	size_t filled;		/* calls of the function that fills `why` */
	size_t n;		/* pairs of the graph */
	size_t hidden;		/* of them, from the first on: `hide N` */
	size_t asked;		/* calls of the graph's draw since it was last set to 0 */
	size_t told;		/* line and side of the last `moved` */
	int told_side;
	vec text;		/* char: what was logged */
	vec starts;		/* uint32_t: where each line of it begins */
};

void demo_init(struct demo *d, size_t pairs, int w, int h);
void demo_release(struct demo *d);
void demo_command(void *ctx, const char *line);

#endif
