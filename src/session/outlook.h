/* outlook.h - does what is on the frontier now stand there at the end of the run?
 *
 * While rows are lifted the search has not run: a row that is unverified may be
 * proved by it.  Asked for the first time, the run goes to its end and comes
 * back; the answer holds until acts, rules or the limit change.
 */
#ifndef DIVERGE_OUTLOOK_H
#define DIVERGE_OUTLOOK_H

#include "session/session.h"

enum outlook_word { OUTLOOK_STANDS, OUTLOOK_PASSES, OUTLOOK_UNKNOWN };

/* UNKNOWN: the look was interrupted, or there is no way back from it. */
enum outlook_word outlook_ask(struct session *s, int dist_row);
/* .. without going there: UNKNOWN while nobody has asked. */
enum outlook_word outlook_known(const struct session *s, int dist_row);
void outlook_forget(struct session *s);

#endif
