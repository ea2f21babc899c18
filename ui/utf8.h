/* utf8.h - text as the screen sees it: code points, and how wide they are.
 *
 * Text comes from files of other people: names, sources, paths.  Every byte
 * string can be decoded; a byte that is not UTF-8 becomes UTF8_BYTE + byte, so
 * nothing is lost and nothing reaches the terminal that could steer it.
 *
 * Widths are those of the C library's UTF-8 locale (Unicode 15), held as
 * tables here so that a screen has the same cells in every locale and without
 * a terminal.  A code point that is no character yet counts as one cell.
 */
#ifndef DIVERGE_UTF8_H
#define DIVERGE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_BYTE 0x110000u	/* + byte: a byte that is no part of a character */
#define UTF8_MAX 5		/* bytes of one encoded code point and its 0 */

/* The next code point of *s, which moves behind it; 0 at the end of the string. */
uint32_t utf8_next(const char **s);

/* Encodes cp (also a UTF8_BYTE) and ends it with 0; returns the number of bytes. */
size_t utf8_put(uint32_t cp, char out[UTF8_MAX]);

/* Cells of a code point: 0 (combines with the one before), 1 or 2. */
int utf8_width(uint32_t cp);

/* What is shown instead of a code point that must not be sent to a terminal as it is: `^A`, `<e2>`, `<202e>`, a blank for a
 * tab; NULL for one that is shown as itself.  Ask before utf8_width. */
const char *utf8_visible(uint32_t cp, char buf[12]);

/* Cells of a whole string as canvas_put draws it; stops counting beyond `most`. */
int utf8_cells(const char *s, int most);

/* One ASCII character that stands for cp where the terminal has no UTF-8: the program's own signs have one
 * (an ellipsis is `~`, a vertical line `|`); anything else is `?`. */
char utf8_ascii(uint32_t cp);

#endif
