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
	p->height = PANE_NONE;
	filter_init(&p->filter);
}

void pane_release(struct pane *p)
{
	search_clear(&p->search);
	filter_release(&p->filter);
	canvas_release(&p->scratch);
}

/* lines and places: the cursor counts what is shown */

static size_t shown_count(const struct pane *p)
{
	return filter_count(&p->filter);
}

static size_t line_at(const struct pane *p, size_t place)
{
	return filter_line(&p->filter, place);
}

static void clamp(struct pane *p)
{
	size_t n = shown_count(p);

	if (p->cur >= n)
		p->cur = n ? n - 1 : 0;
}

/* Of a cursor that is on its way the line it goes to. */
static void remember(struct pane *p)
{
	p->has_key = p->src->key && (p->aiming ? p->aim < p->lines : p->cur < shown_count(p));
	if (p->has_key)
		p->key = p->src->key(p->ctx, p->aiming ? p->aim : line_at(p, p->cur));
}

static void tell(struct pane *p)
{
	remember(p);
	if (p->src->moved && p->cur < shown_count(p))
		p->src->moved(p->ctx, line_at(p, p->cur), p->side);
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

static bool matches(void *ctx, const struct search *what, size_t line)
{
	return line_matches(ctx, what, line);
}

/* the filter: what is known of it grows around the cursor */

static void keep_height(struct pane *p)
{
	if (p->height == PANE_NONE)
		p->height = p->cur > p->top ? p->cur - p->top : 0;
	else
		p->top = p->cur > p->height ? p->cur - p->height : 0;
}

/* The cursor goes to the first line shown from `aim` on, else to the last: where it is known already which that is. */
static void settle(struct pane *p)
{
	size_t place = filter_place(&p->filter, p->aim), n = shown_count(p);
	bool last = p->filter.to == p->lines && (n || !p->filter.from);

	p->cur = place;
	clamp(p);
	p->aiming = filter_on(&p->filter) && place == n && !last;
	if (p->aim_tells && !p->aiming)
		tell(p);
	else
		remember(p);
}

static void look_ahead(struct pane *p)
{
	filter_ahead(&p->filter, matches, p);
}

/* What is found stands above: the cursor stays where it is on the screen. */
static void look_back(struct pane *p)
{
	if (p->height == PANE_NONE)
		keep_height(p);
	p->cur += filter_back(&p->filter, matches, p);
	keep_height(p);
	clamp(p);
}

/* One slice, on the side that is known less far. */
static void look(struct pane *p)
{
	const struct filter *f = &p->filter;
	size_t at = p->aiming || !shown_count(p) ? p->aim : line_at(p, p->cur);

	if (f->to < f->lines && (!f->from || f->to <= at || f->to - at <= at - f->from))
		look_ahead(p);
	else
		look_back(p);
	if (!p->aiming)
		return;
	settle(p);
	keep_height(p);
}

static void aim_at(struct pane *p, size_t line, bool tells)
{
	p->aim = line;
	p->aiming = true;
	p->aim_tells = tells;
	if (filter_on(&p->filter) && (line < p->filter.from || line > p->filter.to || p->filter.from == p->filter.to)) {
		filter_begin(&p->filter, p->lines, line);
		look_ahead(p);
		look_back(p);
	}
	settle(p);
}

/* Keeps the cursor on what it was on, at the same height of the screen, when lines came or went before it. */
static void catch_up(struct pane *p)
{
	size_t n = p->src->count(p->ctx), line = PANE_NONE;
	uint64_t version = p->src->version ? p->src->version(p->ctx) : 0;
	uint64_t texts = filter_on(&p->filter) && p->src->texts ? p->src->texts(p->ctx) : p->texts;

	if (n == p->lines && version == p->version && texts == p->texts)
		return;
	p->lines = n;
	p->version = version;
	p->texts = texts;
	if (p->height == PANE_NONE)
		keep_height(p);
	if (p->has_key && p->src->find)
		line = p->src->find(p->ctx, p->key);
	if (line == PANE_NONE)
		line = filter_on(&p->filter) && p->cur < shown_count(p) ? line_at(p, p->cur) : p->cur;
	filter_begin(&p->filter, n, line);
	aim_at(p, line, p->aiming && p->aim_tells);
	keep_height(p);
}

/* the cursor */

size_t pane_line(struct pane *p)
{
	catch_up(p);
	return p->cur < shown_count(p) ? line_at(p, p->cur) : PANE_NONE;
}

static void go_to(struct pane *p, size_t line, bool tells)
{
	catch_up(p);
	if (line == PANE_NONE)
		return;
	aim_at(p, line, tells);
	p->height = PANE_NONE;
}

void pane_to(struct pane *p, size_t line, bool centre)
{
	go_to(p, line, false);
	p->centre |= centre;
}

void pane_move(struct pane *p, long by)
{
	size_t n;

	catch_up(p);
	if (by < 0 && p->cur < (size_t)-by && p->filter.from && filter_on(&p->filter))
		look_back(p);
	if (by > 0 && p->cur + (size_t)by >= shown_count(p) && !filter_whole(&p->filter))
		look_ahead(p);
	n = shown_count(p);
	if (!n)
		return;
	p->aiming = false;
	p->height = PANE_NONE;
	if (by < 0)
		p->cur = p->cur > (size_t)-by ? p->cur - (size_t)-by : 0;
	else
		p->cur = n && (size_t)by < n - p->cur ? p->cur + (size_t)by : n;
	clamp(p);
	tell(p);
}

void pane_page(struct pane *p, long by)
{
	size_t was, moved;

	catch_up(p);
	was = p->cur;
	pane_move(p, by);
	if (!filter_whole(&p->filter))	/* places are still being counted */
		return;
	moved = p->cur > was ? p->cur - was : was - p->cur;
	if (p->cur > was)
		p->top += moved;
	else
		p->top = p->top > moved ? p->top - moved : 0;
}

void pane_select(struct pane *p, size_t line)
{
	go_to(p, line, true);
}

void pane_scroll(struct pane *p, int columns)
{
	p->shift += columns;
	if (p->shift < 0)
		p->shift = 0;
	if (p->shift > FARTHEST)
		p->shift = FARTHEST;
}

/* search */

static void say_found(const struct pane *p, size_t was, bool alone, char *say, size_t n)
{
	bool round = (line_at(p, p->cur) > was) != (p->seek.direction > 0);
	const char *how = alone ? ", no other does" : round ? ", after going round" : "";

	if (filter_whole(&p->filter))
		snprintf(say, n, "line %zu of %zu matches '%s'%s", p->cur + 1, shown_count(p), p->search.text, how);
	else
		snprintf(say, n, "this line matches '%s'%s", p->search.text, how);
}

/* Looks at one slice of lines: false when it ended without a line. */
static bool seek(struct pane *p, char *say, size_t n)
{
	struct seek *k = &p->seek;
	size_t slice;

	for (slice = 0; slice < FILTER_SLICE && k->left; slice++, k->left--) {
		k->at = k->direction > 0 ? (k->at + 1 < p->lines ? k->at + 1 : 0) : (k->at ? k->at : p->lines) - 1;
		if (!line_matches(p, &p->search, k->at) || (filter_on(&p->filter) && !line_matches(p, &p->filter.what, k->at)))
			continue;
		k->on = false;
		pane_select(p, k->at);
		say_found(p, k->from, k->left == 1, say, n);
		return true;
	}
	k->on = k->left;
	if (k->on)
		snprintf(say, n, "looking for '%s' ..", p->search.text);
	else
		snprintf(say, n, "no line of `%s` matches '%s'", p->name, p->search.text);
	return k->on;
}

bool pane_search(struct pane *p, const char *text, int direction, char *say, size_t n)
{
	size_t line;

	if (text && !search_set(&p->search, text, say, n))
		return false;
	line = pane_line(p);
	if (!search_on(&p->search)) {
		snprintf(say, n, "nothing to search for: type / and a pattern");
		return false;
	}
	line = line == PANE_NONE ? 0 : line;
	p->seek = (struct seek){.direction = direction, .from = line, .at = line, .left = p->lines};
	return seek(p, say, n);
}

bool pane_stop(struct pane *p)
{
	bool was = p->seek.on;

	p->seek.on = false;
	return was;
}

/* filter */

static bool say_filter(const struct pane *p, char *say, size_t n)
{
	const struct filter *f = &p->filter;

	if (!filter_on(f))
		snprintf(say, n, "all lines are shown");
	else if (filter_whole(f))
		snprintf(say, n, "%u of %zu lines match '%s'", f->shown.n, p->lines, f->what.text);
	else
		snprintf(say, n, "%u lines match '%s' so far: %zu of %zu were looked at", f->shown.n, f->what.text, f->to - f->from, p->lines);
	return !filter_whole(f) || shown_count(p) || !filter_on(f);
}

bool pane_filter(struct pane *p, const char *text, char *say, size_t n)
{
	size_t line = pane_line(p);

	if (!*text)
		search_clear(&p->filter.what);
	else if (!search_set(&p->filter.what, text, say, n))
		return false;
	line = p->aiming ? p->aim : line == PANE_NONE ? 0 : line;
	p->texts = *text && p->src->texts ? p->src->texts(p->ctx) : p->texts;
	p->height = p->rows > 0 ? (size_t)p->rows / 2 : 0;
	filter_begin(&p->filter, p->lines, line);
	/* without one what is selected may have been hidden: its view goes there */
	aim_at(p, line, *text);
	p->centre = true;
	return say_filter(p, say, n);
}

bool pane_cancel(struct pane *p)
{
	char say[SEARCH_MAX + 64];

	if (search_on(&p->search)) {
		pane_stop(p);
		search_clear(&p->search);
		return true;
	}
	if (!filter_on(&p->filter))
		return false;
	pane_filter(p, "", say, sizeof say);
	return true;
}

bool pane_works(const struct pane *p)
{
	return p->seek.on || !filter_whole(&p->filter);
}

enum pane_work pane_work(struct pane *p, char *say, size_t n)
{
	*say = 0;
	if (!pane_works(p))
		return PANE_IDLE;
	catch_up(p);
	if (p->seek.on) {
		if (!seek(p, say, n))
			return PANE_FAILED;
		return PANE_WORKED;
	}
	if (!filter_whole(&p->filter))
		look(p);
	return say_filter(p, say, n) ? PANE_WORKED : PANE_FAILED;
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
	if (filter_whole(&p->filter))
		p->height = PANE_NONE;
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

	if (filter_on(&p->filter))
		why = filter_whole(&p->filter) ? "no line matches; & Enter shows all" : "no line matches so far";
	else if (p->src->empty)
		why = p->src->empty(p->ctx);
	for (y = 0; y < w.h && *why; y++) {
		end = strchrnul(why, '\n');
		snprintf(part, sizeof part, "%.*s", (int)(end - why), why);
		canvas_put(w, 1, y, ROLE_COMMENT, part);
		why = *end ? end + 1 : end;
	}
}

static void patterns_text(const struct pane *p, char *buf, size_t n)
{
	size_t len = 0;

	*buf = 0;
	if (filter_on(&p->filter))
		len += (size_t)snprintf(buf, n, "&%s  ", p->filter.what.text);
	if (search_on(&p->search) && len < n)
		snprintf(buf + len, n - len, "/%s  ", p->search.text);
}

/* What is not known yet is not counted: then how many were found so far. */
static void place_text(const struct pane *p, char *buf, size_t n)
{
	size_t all = shown_count(p);

	*buf = 0;
	if (!filter_whole(&p->filter))
		snprintf(buf, n, "%zu\xe2\x80\xa6", all);
	else if (all)
		snprintf(buf, n, "%zu/%zu", p->cur + 1, all);
}

/* Of the right half of the line the place is shown as a whole, the patterns as far as there is room. */
static int draw_place(const struct pane *p, struct window w, enum role role)
{
	char place[64], patterns[2 * SEARCH_MAX + 16];
	int width, more, room;

	place_text(p, place, sizeof place);
	patterns_text(p, patterns, sizeof patterns);
	width = utf8_cells(place, w.w);
	more = utf8_cells(patterns, w.w);
	room = w.w / 2 > width ? w.w / 2 - width : 0;
	more = more < room ? more : room;
	canvas_field(w, w.w - width - more, 0, more, role, patterns);
	canvas_field(w, w.w - width, 0, width, role, place);
	return width + more;
}

static void draw_title(struct pane *p, int side, struct window w, bool focused, const char *tabs)
{
	enum role role = focused ? ROLE_TITLE : ROLE_TITLE_BLUR;
	char title[TEXT_MAX];
	int x, width;

	canvas_fill(w, (struct rect){0, 0, w.w, 1}, role, ' ');
	width = draw_place(p, w, role);
	snprintf(title, sizeof title, "%s", p->name);
	if (p->src->title)
		p->src->title(p->ctx, side, title, sizeof title);
	x = canvas_put(canvas_sub(w, 0, 0, w.w - width - 1, 1), 0, 0, role, title);
	if (!*tabs || side != p->sides - 1)
		return;
	canvas_printf(canvas_sub(w, 0, 0, w.w - width - 1, 1), x + 2, 0, focused ? role : ROLE_TAB, "%s", tabs);
	p->tabs_from = p->width - w.w + x + 2;
	p->tabs_to = p->width - width - 1;
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

void pane_resize(struct pane *p, int w, int h)
{
	p->width = w;
	p->rows = h - 1;
}

void pane_draw(struct pane *p, struct window w, bool focused, const char *tabs)
{
	int half = (w.w - 1) / 2;

	pane_resize(p, w.w, w.h);
	p->tabs_from = p->tabs_to = 0;
	catch_up(p);
	scroll_to_cursor(p);
	if (!has_columns(p, w.w)) {
		draw_column(p, p->side, w, focused, tabs);
		return;
	}
	draw_column(p, 0, canvas_sub(w, 0, 0, half, w.h), focused && p->side == 0, tabs);
	canvas_vline(w, half);
	draw_column(p, 1, canvas_sub(w, half + 1, 0, w.w - half - 1, w.h), focused && p->side == 1, tabs);
}
