/* filter.h - the lines of a list that match, as far as they were looked at.
 *
 * A list may have a million lines: they are looked at in slices, from the line
 * that matters (the cursor's) outwards, so that a screen is there at once and
 * the rest follows while no key comes.  What is known always covers one stretch
 * of lines without a gap; only when that is the whole list, counts are counts.
 */
#ifndef DIVERGE_FILTER_H
#define DIVERGE_FILTER_H

#include "search.h"
#include "util/arena.h"

#define FILTER_SLICE 2048	/* lines that are looked at within one key press */

struct filter {
	struct search what;
	vec shown;		/* uint32_t: lines that match, in order */
	size_t from, to;	/* lines looked at, `to` excluded */
	size_t lines;		/* of the list */
};
typedef bool filter_match_fn(void *ctx, const struct search *what, size_t line);

void filter_init(struct filter *f);
void filter_release(struct filter *f);

bool filter_on(const struct filter *f);
bool filter_whole(const struct filter *f);	/* every line was looked at, or there is no filter */

/* Nothing is known any more; looking begins at this line. */
void filter_begin(struct filter *f, size_t lines, size_t at);
/* Looks at one slice on that side; the number of lines found. */
size_t filter_ahead(struct filter *f, filter_match_fn *matches, void *ctx);
size_t filter_back(struct filter *f, filter_match_fn *matches, void *ctx);

/* Without a filter every line is shown. */
size_t filter_count(const struct filter *f);
size_t filter_line(const struct filter *f, size_t place);
size_t filter_place(const struct filter *f, size_t line);	/* the first whose line is not before this one */

#endif
