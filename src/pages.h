/* pages.h - one function per page of a session (session.h): it fills an empty page. */
#ifndef DIVERGE_PAGES_H
#define DIVERGE_PAGES_H

#include "nodes.h"
#include "session_in.h"

typedef void page_fn(struct session *s, struct page *p);
#define X(id, name, help) page_fn page_of_##id;
SESSION_PAGES(X)
#undef X

/* Near misses and matches at the selected value; `rule` NIL: of all rules. */
void page_matches(struct session *s, struct page *p, uint32_t rule);

#endif
