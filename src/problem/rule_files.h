/* rule_files.h - which files of rules are read, and in which order.
 *
 * Those of the program's own folder; or of another folder instead; or the
 * program's own and one file more, which is read last.  Trouble is one diag, at
 * the line and column where a file is wrong.  A step by a pattern, or by a rule of
 * such a file, is compared by numbers before it is taken.
 */
#ifndef DIVERGE_RULE_FILES_H
#define DIVERGE_RULE_FILES_H

#include "prover/prover.h"
#include "text/diag.h"

/* `from`: a folder, a file that ends in .egg, or NULL: the program's own. */
bool rule_files_read(prover *pr, const char *from, struct diag *err);
/* What every verdict with rules from a folder rests on, in the arena; NULL: on the program's own alone. */
const char *rule_files_assumed(arena *a, const char *from);
/* .. and one for which a rule fired that is in the file beside them; NULL: it is not. */
const char *rule_files_granted(arena *a, const char *from, const rule *r);

#endif
