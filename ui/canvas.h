/* canvas.h - the screen as a grid of cells, without a terminal.
 *
 * Views draw here and nowhere else.  A cell holds one character (a code point
 * and up to CANVAS_MARKS combining ones), the role of its text and a role that
 * lies over it; a wide character has an empty cell (ch 0) at its right.  ui/term
 * shows a canvas; canvas_write turns it into plain text, the same on every
 * machine, for `save screen`, the golden tests and the documentation.
 *
 * A *window* is a rectangle of a canvas with coordinates of its own.  Drawing
 * is cut at its borders, so no caller checks sizes; a window may be empty, and
 * its origin may lie left of what is visible (a row scrolled sideways).
 * Windows are values and stay good until the canvas is resized.
 *
 * Text that does not fit ends in `…`, so a reader sees that something was cut.
 * Control characters and bytes that are not UTF-8 are drawn as ui/utf8 shows
 * them.  A tab is drawn as one blank: text with columns expands it first.
 */
#ifndef DIVERGE_CANVAS_H
#define DIVERGE_CANVAS_H

#include "theme.h"
#include "util/arena.h"

#include <stdint.h>
#include <stdio.h>

#define CANVAS_MARKS 2

struct cell {
	uint32_t ch;			/* 0: the right half of the wide character before */
	uint32_t mark[CANVAS_MARKS];	/* combining characters, 0: none */
	uint8_t role, over;		/* enum role */
};

struct rect {
	int x, y, w, h;
};

struct canvas {
	int w, h;
	vec cells;			/* of struct cell, row by row */
	int cursor_x, cursor_y;		/* cursor_x -1: hidden */
};

struct window {
	struct canvas *cv;
	int x, y, w, h;			/* where it lies on the canvas; may reach beyond clip */
	struct rect clip;		/* what may be drawn, in canvas coordinates */
};

void canvas_init(struct canvas *cv, int w, int h);
void canvas_release(struct canvas *cv);
void canvas_resize(struct canvas *cv, int w, int h);	/* and clears */
void canvas_crop(struct canvas *cv, int w, int h, int keep);	/* likewise, but what fits of the first `keep` rows stays */
void canvas_clear(struct canvas *cv);			/* blanks, no cursor */
const struct cell *canvas_at(const struct canvas *cv, int x, int y);

struct window canvas_root(struct canvas *cv);
/* The part of `w` at x, y of its coordinates, cut at its borders. */
struct window canvas_sub(struct window w, int x, int y, int width, int height);
/* The same place showing what lies `by` cells further right: its width grows by `by`. */
struct window canvas_shift(struct window w, int by);

/* Draws text at x, y; returns the x behind it. */
int canvas_put(struct window w, int x, int y, enum role role, const char *text);
int canvas_printf(struct window w, int x, int y, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* A field of exactly `width` cells, padded with blanks; returns x + width.  A negative width: at its right. */
int canvas_field(struct window w, int x, int y, int width, enum role role, const char *text);
void canvas_fill(struct window w, struct rect r, enum role role, uint32_t ch);
void canvas_vline(struct window w, int x);		/* a separator over the whole height */
/* Lays a role over cells that are already drawn. */
void canvas_over(struct window w, struct rect r, enum role over);
void canvas_cursor(struct window w, int x, int y);	/* hidden when outside */

/* The visible text of row y of a window, without blanks at its end, UTF-8; returns its length without the ending 0. */
size_t canvas_line(struct window w, int y, char *buf, size_t n);
/* The x in the window at which byte `at` of canvas_line's text is drawn. */
int canvas_column(struct window w, int y, size_t at);

enum { CANVAS_ASCII = 1, CANVAS_ROLES = 2 };
/* All rows; CANVAS_ASCII: for terminals without UTF-8; CANVAS_ROLES: then a line of `-` and a grid of role letters. */
void canvas_write(const struct canvas *cv, FILE *f, unsigned how);

#endif
