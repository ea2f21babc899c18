#include "pane.h"
#include "utf8.h"

#include <stdio.h>
#include <string.h>

#define TEXT_MAX 4096		/* bytes of a line that search and filter look at */
#define SCRATCH_WIDTH 500	/* columns of a drawn line, likewise */
#define FARTHEST 10000		/* columns a line can be scrolled */
#define TWO_SIDES 76		/* columns from which both sides are shown */

void pane_init(struct pane *p, const char *name, enum pane_home home,
	       const struct list_source *src, void *ctx)
{
	memset(p, 0, sizeof *p);
	p->name = name;
	p->home = home;
	p->src = src;
	p->ctx = ctx;
	p->sides = 1;
	vec_init(&p->shown, sizeof(uint32_t));
}

void pane_release(struct pane *p)
{
	search_clear(&p->search);
	search_clear(&p->filter);
	vec_free(&p->shown);
	canvas_release(&p->scratch);
}

/* lines and places: the cursor counts what is shown */

static size_t shown_count(const struct pane *p)
{
	return search_on(&p->filter) ? p->shown.n : p->lines;
}

static size_t line_at(const struct pane *p, size_t place)
{
	return search_on(&p->filter) ? VEC_AT(uint32_t, &p->shown, place) : place;
}

/* The first place whose line is not before this one. */
static size_t place_of(const struct pane *p, size_t line)
{
	size_t lo = 0, hi = shown_count(p);

	if (!search_on(&p->filter))
		return line;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (line_at(p, mid) < line)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void clamp(struct pane *p)
{
	size_t n = shown_count(p);

	if (p->cur >= n)
		p->cur = n ? n - 1 : 0;
}

static void remember(struct pane *p)
{
	p->has_key = p->src->key && p->cur < shown_count(p);
	if (p->has_key)
		p->key = p->src->key(p->ctx, line_at(p, p->cur));
}

/* text of a line */

static const char *drawn_text(struct pane *p, const struct list_row *row, char *buf, size_t n)
{
	if (!p->scratch.w)
		canvas_init(&p->scratch, SCRATCH_WIDTH, 1);
	canvas_clear(&p->scratch);
	p->src->draw(p->ctx, row, canvas_root(&p->scratch));
	canvas_line(canvas_root(&p->scratch), 0, buf, n);
	return buf;
}

static bool line_matches(struct pane *p, const struct search *re, size_t line)
{
	struct list_row row = {.line = line};
	char buf[TEXT_MAX];
	const char *text;

	for (row.side = 0; row.side < p->sides; row.side++) {
		text = p->src->text ? p->src->text(p->ctx, &row, buf, sizeof buf)
				    : drawn_text(p, &row, buf, sizeof buf);
		if (search_find(re, text, NULL, NULL))
			return true;
	}
	return false;
}

static void fill_shown(struct pane *p)
{
	size_t i;

	p->shown.n = 0;
	if (!search_on(&p->filter))
		return;
	p->texts = p->src->texts ? p->src->texts(p->ctx) : 0;
	for (i = 0; i < p->lines; i++)
		if (line_matches(p, &p->filter, i))
			*(uint32_t *)vec_push(&p->shown) = (uint32_t)i;
}

/* Keeps the cursor on what it was on, at the same height of the screen, when lines came or went before it. */
static void catch_up(struct pane *p)
{
	size_t n = p->src->count(p->ctx), was = p->cur, line = PANE_NONE;
	uint64_t version = p->src->version ? p->src->version(p->ctx) : 0;
	uint64_t texts = search_on(&p->filter) && p->src->texts ? p->src->texts(p->ctx) : p->texts;

	if (n == p->lines && version == p->version && texts == p->texts)
		return;
	p->lines = n;
	p->version = version;
	fill_shown(p);
	if (p->has_key && p->src->find)
		line = p->src->find(p->ctx, p->key);
	if (line != PANE_NONE) {
		p->cur = place_of(p, line);
		p->top = p->cur + p->top > was ? p->cur + p->top - was : 0;
	}
	clamp(p);
	remember(p);
}

/* the cursor */

size_t pane_line(struct pane *p)
{
	catch_up(p);
	return p->cur < shown_count(p) ? line_at(p, p->cur) : PANE_NONE;
}

void pane_to(struct pane *p, size_t line, bool centre)
{
	catch_up(p);
	if (line == PANE_NONE)
		return;
	p->cur = place_of(p, line);
	p->centre |= centre;
	clamp(p);
	remember(p);
}

static void tell(struct pane *p)
{
	remember(p);
	if (p->src->moved && p->cur < shown_count(p))
		p->src->moved(p->ctx, line_at(p, p->cur), p->side);
}

void pane_move(struct pane *p, long by)
{
	size_t n;

	catch_up(p);
	n = shown_count(p);
	if (by < 0)
		p->cur = p->cur > (size_t)-by ? p->cur - (size_t)-by : 0;
	else
		p->cur = n && (size_t)by < n - p->cur ? p->cur + (size_t)by : n;
	clamp(p);
	tell(p);
}

void pane_select(struct pane *p, size_t line)
{
	pane_to(p, line, false);
	tell(p);
}

void pane_scroll(struct pane *p, int columns)
{
	p->shift += columns;
	if (p->shift < 0)
		p->shift = 0;
	if (p->shift > FARTHEST)
		p->shift = FARTHEST;
}

/* search and filter */

bool pane_search(struct pane *p, const char *text, int direction, char *say, size_t n)
{
	size_t lines, i, at;

	if (text && !search_set(&p->search, text, say, n))
		return false;
	catch_up(p);
	if (!search_on(&p->search)) {
		snprintf(say, n, "nothing to search for: type / and a pattern");
		return false;
	}
	lines = shown_count(p);
	for (i = 1; i <= lines; i++) {
		at = (p->cur + (direction > 0 ? i : lines - i)) % lines;
		if (!line_matches(p, &p->search, line_at(p, at)))
			continue;
		snprintf(say, n, "line %zu of %zu matches '%s'%s", at + 1, lines, p->search.text,
			 (at > p->cur) == (direction > 0) ? "" :
			 at == p->cur ? ", no other does" : ", after going round");
		p->cur = at;
		tell(p);
		return true;
	}
	snprintf(say, n, "no line matches '%s'", p->search.text);
	return false;
}

bool pane_filter(struct pane *p, const char *text, char *say, size_t n)
{
	size_t line = pane_line(p);

	if (!*text) {
		search_clear(&p->filter);
		snprintf(say, n, "all lines are shown");
	} else if (!search_set(&p->filter, text, say, n)) {
		return false;
	}
	fill_shown(p);
	if (*text)
		snprintf(say, n, "%u of %zu lines match '%s'", p->shown.n, p->lines, text);
	p->cur = line == PANE_NONE ? 0 : place_of(p, line);
	p->centre = true;
	clamp(p);
	if (*text)
		tell(p);
	else
		remember(p);	/* what is selected may have been hidden: its view goes there */
	return !*text || p->shown.n;
}

bool pane_cancel(struct pane *p)
{
	char say[8];

	if (search_on(&p->search)) {
		search_clear(&p->search);
		return true;
	}
	if (!search_on(&p->filter))
		return false;
	pane_filter(p, "", say, sizeof say);
	return true;
}

/* drawing */

static void scroll_to_cursor(struct pane *p)
{
	size_t rows = p->rows > 0 ? (size_t)p->rows : 1, n = shown_count(p);

	if (p->centre)
		p->top = p->cur > rows / 2 ? p->cur - rows / 2 : 0;
	p->centre = false;
	if (p->top > p->cur)
		p->top = p->cur;
	if (p->cur - p->top >= rows)
		p->top = p->cur - rows + 1;
	if (p->top + rows > n)
		p->top = n > rows ? n - rows : 0;
}

static void mark_hits(struct pane *p, struct window w)
{
	char buf[TEXT_MAX];
	size_t at = 0, from, to, n;
	int x;

	if (!search_on(&p->search))
		return;
	n = canvas_line(w, 0, buf, sizeof buf);
	while (at < n && search_find(&p->search, buf + at, &from, &to)) {
		x = canvas_column(w, 0, at + from);
		if (to > from)
			canvas_over(w, (struct rect){x, 0, canvas_column(w, 0, at + to) - x, 1}, ROLE_HIT);
		at += to > from ? to : to + 1;
	}
}

/* Sideways: the whole line moves but for the sticky columns, behind which a sign says that something is hidden. */
static void draw_row(struct pane *p, const struct list_row *row, struct window w)
{
	struct window left = w;

	p->src->draw(p->ctx, row, canvas_shift(w, p->shift));
	if (p->shift) {
		left.clip.w = p->sticky < w.clip.w ? p->sticky : w.clip.w;
		canvas_fill(left, (struct rect){0, 0, p->sticky, 1}, ROLE_NORMAL, ' ');
		p->src->draw(p->ctx, row, left);
		canvas_put(canvas_sub(w, p->sticky, 0, 1, 1), 0, 0, ROLE_DIM, "\xe2\x80\xa6");
	}
	if (row->selected)
		canvas_over(w, (struct rect){0, 0, w.w, 1}, row->focused ? ROLE_SELECTED : ROLE_PARTNER);
	mark_hits(p, w);
}

static void draw_side(struct pane *p, int side, struct window w, bool focused)
{
	size_t n = shown_count(p);
	struct list_row row = {.side = side, .focused = focused};
	int y;

	for (y = 0; y < w.h && p->top + (size_t)y < n; y++) {
		row.line = line_at(p, p->top + (size_t)y);
		row.selected = p->top + (size_t)y == p->cur;
		draw_row(p, &row, canvas_sub(w, 0, y, w.w, 1));
	}
}

/* An empty list says why, in as many rows as that takes. */
static void draw_empty(const struct pane *p, struct window w)
{
	const char *why = "nothing here", *end;
	char part[TEXT_MAX];
	int y;

	if (search_on(&p->filter))
		why = "no line matches; & Enter shows all";
	else if (p->src->empty)
		why = p->src->empty(p->ctx);
	for (y = 0; y < w.h && *why; y++) {
		end = strchrnul(why, '\n');
		snprintf(part, sizeof part, "%.*s", (int)(end - why), why);
		canvas_put(w, 1, y, ROLE_COMMENT, part);
		why = *end ? end + 1 : end;
	}
}

static void place_text(const struct pane *p, char *buf, size_t n)
{
	size_t all = shown_count(p);
	size_t len = 0;

	*buf = 0;
	if (search_on(&p->filter))
		len += (size_t)snprintf(buf, n, "&%s  ", p->filter.text);
	if (search_on(&p->search) && len < n)
		len += (size_t)snprintf(buf + len, n - len, "/%s  ", p->search.text);
	if (all && len < n)
		snprintf(buf + len, n - len, "%zu/%zu", p->cur + 1, all);
}

static void draw_title(struct pane *p, int side, struct window w, bool focused, const char *tabs)
{
	enum role role = focused ? ROLE_TITLE : ROLE_TITLE_BLUR;
	char title[TEXT_MAX], place[2 * SEARCH_MAX + 64];
	int x, width;

	canvas_fill(w, (struct rect){0, 0, w.w, 1}, role, ' ');
	place_text(p, place, sizeof place);
	width = utf8_cells(place, w.w / 2);
	if (width > w.w / 2)
		width = w.w / 2;
	snprintf(title, sizeof title, "%s", p->name);
	if (p->src->title)
		p->src->title(p->ctx, side, title, sizeof title);
	x = canvas_put(canvas_sub(w, 0, 0, w.w - width - 1, 1), 0, 0, role, title);
	if (*tabs && side == p->sides - 1)
		canvas_printf(canvas_sub(w, 0, 0, w.w - width - 1, 1), x + 2, 0,
			      focused ? role : ROLE_TAB, "%s", tabs);
	canvas_field(w, w.w - width, 0, -width, role, place);
}

static void draw_column(struct pane *p, int side, struct window w, bool focused, const char *tabs)
{
	struct window body = canvas_sub(w, 0, 0, w.w, w.h - 1);

	if (shown_count(p))
		draw_side(p, side, body, focused);
	else
		draw_empty(p, body);
	draw_title(p, side, canvas_sub(w, 0, w.h - 1, w.w, 1), focused, tabs);
}

static bool has_columns(const struct pane *p, int width)
{
	return p->sides > 1 && width >= TWO_SIDES;
}

void pane_hit(const struct pane *p, int x, int y, int width, int *side, size_t *line)
{
	size_t place = p->top + (size_t)y;

	*side = has_columns(p, width) ? x > (width - 1) / 2 : p->side;
	*line = y < p->rows && place < shown_count(p) ? line_at(p, place) : PANE_NONE;
}

void pane_draw(struct pane *p, struct window w, bool focused, const char *tabs)
{
	int half = (w.w - 1) / 2;

	p->width = w.w;
	catch_up(p);
	p->rows = w.h - 1;
	scroll_to_cursor(p);
	if (!has_columns(p, w.w)) {
		draw_column(p, p->side, w, focused, tabs);
		return;
	}
	draw_column(p, 0, canvas_sub(w, 0, 0, half, w.h), focused && p->side == 0, tabs);
	canvas_vline(w, half);
	draw_column(p, 1, canvas_sub(w, half + 1, 0, w.w - half - 1, w.h), focused && p->side == 1, tabs);
}
