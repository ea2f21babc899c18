/* batch.h - a session without a terminal: commands run, what they show is printed.
 *
 * Messages go to stdout, what fails to stderr as one line.  With `quiet`
 * nothing goes to stdout.
 */
#ifndef DIVERGE_BATCH_H
#define DIVERGE_BATCH_H

#include "options.h"
#include "session.h"

/* Runs the commands of the command line; false: one failed, or there was trouble, which was said. */
bool batch_commands(struct session *s, const struct options *o, struct session_host host, bool quiet);

#endif
