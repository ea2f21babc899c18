/* search.h - what `/` searches for and `&` keeps.
 *
 * An extended regular expression as POSIX has it; without a capital letter in
 * it, case does not matter.  Text without any sign that is special in one is
 * looked for as it stands, which is many times faster in long lists.
 */
#ifndef DIVERGE_SEARCH_H
#define DIVERGE_SEARCH_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#define SEARCH_MAX 256

struct search {
	char text[SEARCH_MAX];	/* as typed; "": nothing, which matches nowhere */
	bool literal, any_case;
	regex_t re;		/* when not literal and text is not empty */
};

/* False and a reason in `why` when the text is no expression or too long; the pattern is then as before.
 * A pattern starts as all zero. */
bool search_set(struct search *p, const char *text, char *why, size_t n);
void search_clear(struct search *p);
bool search_on(const struct search *p);

/* The first match in s: bytes [*from, *to); both may be NULL. */
bool search_find(const struct search *p, const char *s, size_t *from, size_t *to);

#endif
