/* view_help.h - the keys of a view, generated from the keymap.
 *
 * Enter on a key runs its command.  What a view is for and the commands of the
 * language have help of their own (`help`); this is what `h` shows.
 */
#ifndef DIVERGE_VIEW_HELP_H
#define DIVERGE_VIEW_HELP_H

#include "keys.h"
#include "pane.h"

struct view_help {
	struct pane pane;
	const struct keymap *km;
	char subject[32];	/* the view whose keys are shown */
	vec lines;		/* of struct binding; a heading has no keys */
};

void view_help_init(struct view_help *v, const struct keymap *km);
void view_help_release(struct view_help *v);
void view_help_set(struct view_help *v, const char *view);

#endif
