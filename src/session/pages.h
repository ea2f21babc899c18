/* pages.h - one function per page of a session (session.h): it fills an empty page. */
#ifndef DIVERGE_PAGES_H
#define DIVERGE_PAGES_H

#include "session/nodes.h"
#include "session/session_in.h"

typedef void page_fn(struct session *s, struct page *p);
#define X(id, name, help) page_fn page_of_##id;
SESSION_PAGES(X)
#undef X

/* Near misses and matches at the selected value; `rule` NIL: of all rules. */
void page_matches(struct session *s, struct page *p, uint32_t rule);

/* Is the row verified, and the pair not one array in the graph: a constant, an input as the plan has it, or found by a probe? */
bool known_by_trying(struct session *s, int dist, int base);
void page_known_by_trying(struct session *s, struct page *p, int dist);	/* which of them, as a line */

#endif
