/* source.h - the source files that instructions come from, as gdb finds them.
 *
 * A *user frame* lies outside of site-packages, dist-packages and lib/python
 * and fits no `skip file` glob; the innermost is shown, `up` and `down` move.
 * A file name is looked for as gdb does it: the `substitute-path` rules in the
 * order they were made (a literal prefix that ends at a slash), where a rule's
 * result does not exist the next is tried; the name itself; then every
 * directory of the search path, newest first, with the whole name behind it and
 * with its last part; the folders of both programs come last.  What was tried is
 * kept for the message.
 *
 * Files are read whole, once, and cut into lines.
 */
#ifndef DIVERGE_SOURCE_H
#define DIVERGE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include "tensor/graph.h"

struct sources;
struct source_file {
	const char *name;	/* as recorded */
	const char *path;	/* where it was found, NULL: nowhere */
	int ntried;
	const char *const *tried;	/* paths, in order */
	const char *propose;	/* when it is missing: a ready `set substitute-path` line */
	int nline;
	const char *const *line;	/* without line ends */
};

struct sources *sources_new(void);
void sources_free(struct sources *s);

const struct source_file *sources_open(struct sources *s, const char *name);	/* never NULL */

void sources_substitute(struct sources *s, const char *from, const char *to);	/* to NULL: takes the rule away */
int sources_nsubstitute(const struct sources *s);
void sources_get_substitute(const struct sources *s, int i, const char **from, const char **to);
void sources_directory(struct sources *s, const char *dir);	/* NULL: only the present one again */
void sources_home(struct sources *s, const char *program);	/* the folder of this file is always looked in */
int sources_ndirectory(const struct sources *s);
const char *sources_get_directory(const struct sources *s, int i);
void sources_skip(struct sources *s, const char *glob);		/* NULL: skip no more */
/* Changes with every rule, directory and skip: files that were opened before are gone then, or other frames count. */
unsigned sources_forgotten(const struct sources *s);
int sources_nskip(const struct sources *s);
const char *sources_get_skip(const struct sources *s, int i);

bool sources_user_frame(const struct sources *s, const struct frame *f);	/* s NULL: nothing is skipped */
/* Whose frames tell where i comes from: its own when one of them is the user's, else those of the nearest operand that has
 * such a frame (a collective called inside torch_xla, or put there by a compiler: what it is given), i where there is none. */
const struct inst *sources_teller(const struct sources *s, const struct inst *i);
/* Frame `up` places outside of the innermost user frame (of the innermost one when none is the user's); negative ones
 * are inside.  *up is kept within the stack.  NULL: no frame is recorded. */
const struct frame *sources_frame(const struct sources *s, const struct inst *i, int *up);

#endif
