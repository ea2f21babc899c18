/* run_line.h - lines of commands given to a session, and what it answers, for tests. */
#ifndef DIVERGE_RUN_LINE_H
#define DIVERGE_RUN_LINE_H

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "command/command.h"
#include "session/session.h"

static inline void run_line(struct session *s, const char *line)
{
	if (!command_run(s, line))
		fail_msg("%s: %s", line, session_message(s, NULL));
}

/* The command fails, and its message holds the words. */
static inline void refused_line(struct session *s, const char *line, const char *words)
{
	assert_false(command_run(s, line));
	if (!strstr(session_message(s, NULL), words))
		fail_msg("%s: '%s' does not hold '%s'", line, session_message(s, NULL), words);
}

/* Does a line of the page hold the words? */
static inline bool page_line(struct session *s, enum session_page k, const char *words)
{
	char text[2000];
	struct page p;
	bool found = false;
	size_t i;

	page_init(&p);
	session_page(s, k, &p);
	for (i = 0; i < page_count(&p); i++)
		found = found || strstr(page_text(&p, i, text, sizeof text), words);
	page_release(&p);
	return found;
}

#endif
