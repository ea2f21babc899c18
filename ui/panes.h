/* panes.h - how panes share the screen.
 *
 * The width and height say which homes share one place of the screen; there
 * the pane used last is in front, the others are its tabs.  From 60x20 on the
 * main pane (baseline and distributed side by side) is above, what explains the
 * selection below; wider screens show more of it at a time: three lower places
 * and a column of two at the right from 200x45 on.  Below 60x20 one pane is
 * shown at a time.  No boxes: one column `|` between places, one title line
 * below each.  Nothing here knows a terminal.
 *
 * Ownership: views own their panes and outlive `panes`.
 */
#ifndef DIVERGE_PANES_H
#define DIVERGE_PANES_H

#include "pane.h"

#define PANES_MAX 32
enum pane_slot { SLOT_MAIN, SLOT_LOWER1, SLOT_LOWER2, SLOT_LOWER3, SLOT_SIDE1, SLOT_SIDE2, SLOT_COUNT };

struct panes {
	struct pane *pane[PANES_MAX];
	int n;
	struct pane *focus;		/* NULL only while there is no pane */
	unsigned clock;
	bool zoom;			/* the pane with the focus has all */
	int lower_more;			/* rows the user gave the lower places */
	struct rect at[SLOT_COUNT];	/* of the last layout; w 0: not there */
	const struct pane_layout *layout;
};

void panes_init(struct panes *ps);
void panes_add(struct panes *ps, struct pane *p);	/* the first one gets the focus */
struct pane *panes_find(const struct panes *ps, const char *name);

/* Computes the places for an area of this size; panes_draw and panes_at use them. */
void panes_layout(struct panes *ps, int w, int h);
void panes_draw(struct panes *ps, struct window area);

void panes_show(struct panes *ps, struct pane *p);	/* in front of its place, focus stays */
void panes_focus(struct panes *ps, struct pane *p);	/* and the keys go there */
void panes_focus_next(struct panes *ps, int direction);	/* side by side, place by place */
void panes_tab_next(struct panes *ps, int direction);	/* the views that share the place */
void panes_close(struct panes *ps);			/* behind its tabs; focus to the pane used before */
void panes_remove(struct panes *ps, struct pane *p);	/* one that has not the focus: no place names it any more */
/* What a command put in front of another view without giving it the keys goes back; false: there is nothing like it. */
bool panes_uncover(struct panes *ps);
bool panes_visible(const struct panes *ps, const struct pane *p);
/* The pane, side and line at a point of the area; NULL where there is none.  *line may be PANE_NONE.
 * On the name of another view in a title it is that one. */
struct pane *panes_at(struct panes *ps, int x, int y, int *side, size_t *line);

#endif
