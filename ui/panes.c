#include "panes.h"

#include <stdio.h>
#include <string.h>

/* One kind of screen: from which size on, how many lower and side places, where each home is. */
struct pane_layout {
	int w, h;
	int lower, side;
	unsigned char slot[HOME_COUNT];
};

static const struct pane_layout layouts[] = {
	/* main, explain, source, class, relation, rules */
	{200, 45, 3, 2, {SLOT_MAIN, SLOT_LOWER1, SLOT_LOWER2, SLOT_SIDE1, SLOT_SIDE2, SLOT_LOWER3}},
	{150, 30, 2, 1, {SLOT_MAIN, SLOT_LOWER1, SLOT_LOWER2, SLOT_SIDE1, SLOT_SIDE1, SLOT_LOWER1}},
	{120, 20, 2, 0, {SLOT_MAIN, SLOT_LOWER1, SLOT_LOWER2, SLOT_LOWER2, SLOT_LOWER2, SLOT_LOWER1}},
	{60, 20, 1, 0, {SLOT_MAIN, SLOT_LOWER1, SLOT_LOWER1, SLOT_LOWER1, SLOT_LOWER1, SLOT_LOWER1}},
	{0, 0, 0, 0, {SLOT_MAIN, SLOT_MAIN, SLOT_MAIN, SLOT_MAIN, SLOT_MAIN, SLOT_MAIN}},
};

#define LOWER_LEAST 3	/* rows of a lower place, title included */
#define MAIN_LEAST 4

void panes_init(struct panes *ps)
{
	memset(ps, 0, sizeof *ps);
	ps->layout = &layouts[sizeof layouts / sizeof *layouts - 1];
}

void panes_add(struct panes *ps, struct pane *p)
{
	if (ps->n == PANES_MAX)
		die_hook("more views than the screen can hold");
	ps->pane[ps->n++] = p;
	if (!ps->focus)
		panes_focus(ps, p);
}

struct pane *panes_find(const struct panes *ps, const char *name)
{
	int i;

	for (i = 0; i < ps->n; i++)
		if (!strcmp(ps->pane[i]->name, name))
			return ps->pane[i];
	return NULL;
}

static enum pane_slot slot_of(const struct panes *ps, const struct pane *p)
{
	return ps->layout->slot[p->home];
}

static struct pane *front(const struct panes *ps, enum pane_slot slot)
{
	struct pane *best = NULL;
	int i;

	for (i = 0; i < ps->n; i++)
		if (slot_of(ps, ps->pane[i]) == slot && (!best || ps->pane[i]->used > best->used))
			best = ps->pane[i];
	return best;
}

/* layout */

static const struct pane_layout *choose(int w, int h)
{
	const struct pane_layout *l = layouts;

	/* the last one takes every size */
	while (l->w && (w < l->w || h < l->h))
		l++;
	return l;
}

static int clamp_int(int n, int least, int most)
{
	return n > most ? most : n < least ? least : n;
}

/* Parts of a length with one column between them. */
static void split_row(struct rect *at, int n, struct rect r)
{
	int i, x = r.x, end = r.x + r.w;

	for (i = 0; i < n; i++) {
		int w = (end - x - (n - 1 - i)) / (n - i);

		at[i] = (struct rect){x, r.y, w, r.h};
		x += w + 1;
	}
}

static void place_lower(struct panes *ps, int w, int h, int rows)
{
	split_row(ps->at + SLOT_LOWER1, ps->layout->lower, (struct rect){0, h - rows, w, rows});
}

static void place_side(struct panes *ps, int w, int rows)
{
	int width = (w - 2) / 3, x = w - width, upper = (rows + 1) / 2;

	if (!ps->layout->side)
		return;
	ps->at[SLOT_MAIN].w = x - 1;
	ps->at[SLOT_SIDE1] = (struct rect){x, 0, width, rows};
	if (ps->layout->side < 2)
		return;
	ps->at[SLOT_SIDE1].h = upper;
	ps->at[SLOT_SIDE2] = (struct rect){x, upper, width, rows - upper};
}

static void place_all(struct panes *ps, int w, int h)
{
	int rows;

	if (ps->zoom || !ps->layout->lower) {
		ps->at[slot_of(ps, ps->focus)] = (struct rect){0, 0, w, h};
		return;
	}
	rows = (h < 40 ? h / 3 : h * 2 / 5) + ps->lower_more;
	rows = clamp_int(rows, LOWER_LEAST, h - MAIN_LEAST);
	ps->at[SLOT_MAIN] = (struct rect){0, 0, w, h - rows};
	place_lower(ps, w, h, rows);
	place_side(ps, w, h - rows);
}

/* Who moves by pages in a view that was not drawn yet asks how large it is. */
static void tell_sizes(struct panes *ps)
{
	struct pane *p;
	int i;

	for (i = 0; i < SLOT_COUNT; i++)
		if (ps->at[i].w && (p = front(ps, (enum pane_slot)i)))
			pane_resize(p, ps->at[i].w, ps->at[i].h);
}

void panes_layout(struct panes *ps, int w, int h)
{
	memset(ps->at, 0, sizeof ps->at);
	ps->layout = choose(w, h);
	if (!ps->focus)
		return;
	if (front(ps, slot_of(ps, ps->focus)) != ps->focus)
		panes_focus(ps, ps->focus);
	place_all(ps, w, h);
	tell_sizes(ps);
}

bool panes_visible(const struct panes *ps, const struct pane *p)
{
	enum pane_slot slot = slot_of(ps, p);

	return ps->at[slot].w > 0 && front(ps, slot) == p;
}

/* The next of the other views of the same place, after the `*i`-th of all; NULL: there is none. */
static struct pane *next_tab(const struct panes *ps, const struct pane *p, int *i)
{
	for (; *i < ps->n; ++*i)
		if (ps->pane[*i] != p && slot_of(ps, ps->pane[*i]) == slot_of(ps, p))
			return ps->pane[(*i)++];
	return NULL;
}

/* Their names. */
static void tabs_text(const struct panes *ps, const struct pane *p, char *buf, size_t n)
{
	const struct pane *tab;
	size_t len = 0;
	int i = 0;

	*buf = 0;
	while (len < n && (tab = next_tab(ps, p, &i)))
		len += (size_t)snprintf(buf + len, n - len, "%s%s", len ? " " : "", tab->name);
}

void panes_draw(struct panes *ps, struct window area)
{
	char tabs[256];
	int i;

	for (i = 0; i < SLOT_COUNT; i++) {
		struct pane *p = front(ps, (enum pane_slot)i);
		struct rect r = ps->at[i];

		if (!p || !r.w)
			continue;
		tabs_text(ps, p, tabs, sizeof tabs);
		pane_draw(p, canvas_sub(area, r.x, r.y, r.w, r.h), p == ps->focus, tabs);
		if (r.x > 0)
			canvas_vline(canvas_sub(area, r.x - 1, r.y, 1, r.h), 0);
	}
}

/* focus */

void panes_show(struct panes *ps, struct pane *p)
{
	p->used = ++ps->clock;
	if (ps->focus && slot_of(ps, p) == slot_of(ps, ps->focus))
		panes_focus(ps, p);
}

void panes_focus(struct panes *ps, struct pane *p)
{
	p->used = p->focused = ++ps->clock;
	ps->focus = p;
}

/* A pane of two sides tells its view which one is meant from now on. */
static void focus_side(struct pane *p, int side)
{
	if (p->side == side)
		return;
	p->side = side;
	pane_move(p, 0);
}

/* Tabs and places are walked in the order of the table; -1 is the way back. */
static void focus_slot(struct panes *ps, int direction)
{
	int slot = slot_of(ps, ps->focus), i;

	for (i = 1; i <= SLOT_COUNT; i++) {
		int s = (slot + i * direction + i * SLOT_COUNT) % SLOT_COUNT;
		struct pane *p = front(ps, (enum pane_slot)s);

		if (p) {
			panes_focus(ps, p);
			focus_side(p, direction > 0 ? 0 : p->sides - 1);
			return;
		}
	}
}

void panes_focus_next(struct panes *ps, int direction)
{
	int side;

	if (!ps->focus)
		return;
	side = ps->focus->side + direction;
	if (side >= 0 && side < ps->focus->sides) {
		focus_side(ps->focus, side);
		return;
	}
	if (!ps->layout->lower)
		panes_tab_next(ps, direction);
	else
		focus_slot(ps, direction);
}

void panes_tab_next(struct panes *ps, int direction)
{
	int i, at = 0;

	for (i = 0; i < ps->n; i++)
		if (ps->pane[i] == ps->focus)
			at = i;
	for (i = 1; i < ps->n; i++) {
		struct pane *p = ps->pane[(at + i * direction + i * ps->n) % ps->n];

		if (slot_of(ps, p) == slot_of(ps, ps->focus)) {
			panes_focus(ps, p);
			focus_side(p, direction > 0 ? 0 : p->sides - 1);
			return;
		}
	}
}

void panes_close(struct panes *ps)
{
	struct pane *last = ps->pane[0];
	int i;

	ps->focus->used = ps->focus->focused = 0;
	for (i = 1; i < ps->n; i++)
		if (ps->pane[i]->focused > last->focused)
			last = ps->pane[i];
	panes_focus(ps, last);
}

void panes_remove(struct panes *ps, struct pane *p)
{
	int i, n = 0;

	for (i = 0; i < ps->n; i++)
		if (ps->pane[i] != p)
			ps->pane[n++] = ps->pane[i];
	ps->n = n;
}

/* The view of a place that is there while nothing was shown in it. */
static const struct pane *resting(const struct panes *ps, enum pane_slot slot)
{
	int i;

	for (i = 0; i < ps->n && slot_of(ps, ps->pane[i]) != slot; i++)
		;
	return i < ps->n ? ps->pane[i] : NULL;
}

bool panes_uncover(struct panes *ps)
{
	struct pane *last = NULL;
	int i;

	for (i = 1; i < ps->n; i++) {
		struct pane *p = ps->pane[i];

		if (p->used > p->focused && panes_visible(ps, p) && p != resting(ps, slot_of(ps, p)) && (!last || p->used > last->used))
			last = p;
	}
	if (last)
		last->used = 0;
	return last != NULL;
}

/* The view whose name is at column x of the title of p. */
static struct pane *tab_at(const struct panes *ps, const struct pane *p, int x)
{
	struct pane *tab;
	int i = 0, from = p->tabs_from;

	while (x < p->tabs_to && (tab = next_tab(ps, p, &i))) {
		int to = from + (int)strlen(tab->name);

		if (x >= from && x < to)
			return tab;
		from = to + 1;
	}
	return NULL;
}

struct pane *panes_at(struct panes *ps, int x, int y, int *side, size_t *line)
{
	int i;

	for (i = 0; i < SLOT_COUNT; i++) {
		struct pane *p = front(ps, (enum pane_slot)i);
		struct rect r = ps->at[i];
		struct pane *tab;

		if (!p || x < r.x || x >= r.x + r.w || y < r.y || y >= r.y + r.h)
			continue;
		pane_hit(p, x - r.x, y - r.y, r.w, side, line);
		if (y < r.y + r.h - 1 || !(tab = tab_at(ps, p, x - r.x)))
			return p;
		*side = tab->side;
		return tab;
	}
	return NULL;
}
