#include "filter.h"

#include <string.h>

void filter_init(struct filter *f)
{
	memset(f, 0, sizeof *f);
	vec_init(&f->shown, sizeof(uint32_t));
}

void filter_release(struct filter *f)
{
	search_clear(&f->what);
	vec_free(&f->shown);
}

bool filter_on(const struct filter *f)
{
	return search_on(&f->what);
}

bool filter_whole(const struct filter *f)
{
	return !filter_on(f) || (!f->from && f->to == f->lines);
}

void filter_begin(struct filter *f, size_t lines, size_t at)
{
	f->lines = lines;
	f->from = f->to = at < lines ? at : lines;
	f->shown.n = 0;
}

static size_t look(struct filter *f, size_t from, size_t to, uint32_t *found, filter_match_fn *matches, void *ctx)
{
	size_t n = 0;

	for (; from < to; from++)
		if (matches(ctx, &f->what, from))
			found[n++] = (uint32_t)from;
	return n;
}

size_t filter_ahead(struct filter *f, filter_match_fn *matches, void *ctx)
{
	size_t to = f->lines - f->to > FILTER_SLICE ? f->to + FILTER_SLICE : f->lines, n;
	uint32_t found[FILTER_SLICE];

	n = look(f, f->to, to, found, matches, ctx);
	f->to = to;
	memcpy(vec_push_n(&f->shown, (uint32_t)n), found, sizeof *found * n);
	return n;
}

size_t filter_back(struct filter *f, filter_match_fn *matches, void *ctx)
{
	size_t from = f->from > FILTER_SLICE ? f->from - FILTER_SLICE : 0, n;
	uint32_t found[FILTER_SLICE], *shown, was = f->shown.n;

	n = look(f, from, f->from, found, matches, ctx);
	f->from = from;
	vec_push_n(&f->shown, (uint32_t)n);
	shown = VEC(uint32_t, &f->shown);
	memmove(shown + n, shown, sizeof *shown * was);
	memcpy(shown, found, sizeof *found * n);
	return n;
}

size_t filter_count(const struct filter *f)
{
	return filter_on(f) ? f->shown.n : f->lines;
}

size_t filter_line(const struct filter *f, size_t place)
{
	return filter_on(f) ? VEC_AT(uint32_t, &f->shown, place) : place;
}

size_t filter_place(const struct filter *f, size_t line)
{
	size_t lo = 0, hi = f->shown.n;

	if (!filter_on(f))
		return line;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (filter_line(f, mid) < line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
