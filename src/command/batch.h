/* batch.h - the commands of the command line: they run, what they show is printed.
 *
 * Messages go to stdout, what fails to stderr as one line.  With `quiet`
 * nothing goes to stdout.  Where the host has a screen, pages and messages are
 * shown there instead.
 */
#ifndef DIVERGE_BATCH_H
#define DIVERGE_BATCH_H

#include "command/options.h"
#include "session/session.h"

/* Runs them in their order; false: one failed, which was said.  *left: one of them was `quit`.  Afterwards the session
 * has the host given. */
bool batch_commands(struct session *s, const struct options *o, struct session_host host, bool quiet, bool *left);

#endif
