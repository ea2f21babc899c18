/* view_source.h - the source file of the selected instruction.
 *
 * The whole file, the line of the shown frame marked `>`; behind other lines
 * stand the instructions of the same program that come from them, each with its
 * mark; Enter selects the first.  A file that is not found shows what was tried
 * and a `set substitute-path` to complete.
 *
 * The index of instructions by line is made when a program is first seen here,
 * and anew when other frames count as the user's.
 */
#ifndef DIVERGE_VIEW_SOURCE_H
#define DIVERGE_VIEW_SOURCE_H

#include "lines.h"
#include "session/session.h"

struct source_file;
struct source_lines;

struct view_source {
	struct pane pane;
	struct session *s;
	uint64_t version;		/* of the session when last looked at, + 1 */
	uint64_t changed;		/* counts changes of the list */
	const struct source_file *file;	/* NULL: no frame is recorded */
	unsigned forgotten;		/* sources_forgotten when it was opened */
	const struct frame *frame;
	enum program_side side;		/* of the selection */
	struct source_lines *index[2];	/* by side, NULL: none yet */
	bool is_missing;
	struct page missing;		/* shown where there is no file */
};

void view_source_init(struct view_source *v, struct session *s);
void view_source_release(struct view_source *v);

#endif
