/* view_source.h - the source file of the selected instruction.
 *
 * The whole file, the line of the shown frame marked `>`; behind other lines
 * stand the instructions of the same program that come from them, each with its
 * mark; Enter selects the first.  A file that is not found shows what was tried
 * and a `set substitute-path` to complete.
 *
 * The index of instructions by line is made once per program, and anew when
 * other frames count as the user's.
 */
#ifndef DIVERGE_VIEW_SOURCE_H
#define DIVERGE_VIEW_SOURCE_H

#include "pane.h"
#include "session.h"

struct source_file;

struct view_source {
	struct pane pane;
	struct session *s;
	uint64_t version;		/* of the session when last looked at, + 1 */
	uint64_t changed;		/* counts changes of the list */
	const struct source_file *file;	/* NULL: no frame is recorded */
	unsigned forgotten;		/* sources_forgotten when it was opened */
	const struct frame *frame;
	vec place;			/* struct source_place, by file, line, row */
	enum program_side side;		/* the index is of this program */
	const void *program;		/* NULL: no index yet */
	int nskip;			/* rules about user frames it was made with */
	vec tried;			/* const char *: lines shown where there is no file */
};

void view_source_init(struct view_source *v, struct session *s);
void view_source_release(struct view_source *v);

#endif
