#include "canvas.h"
#include "utf8.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define ELLIPSIS "\xe2\x80\xa6"
#define VLINE 0x2502

static struct cell *cell_at(const struct canvas *cv, int x, int y)
{
	return &VEC_AT(struct cell, &cv->cells, (size_t)y * (size_t)cv->w + (size_t)x);
}

void canvas_init(struct canvas *cv, int w, int h)
{
	memset(cv, 0, sizeof *cv);
	vec_init(&cv->cells, sizeof(struct cell));
	canvas_resize(cv, w, h);
}

void canvas_release(struct canvas *cv)
{
	vec_free(&cv->cells);
}

void canvas_resize(struct canvas *cv, int w, int h)
{
	cv->w = w > 0 ? w : 0;
	cv->h = h > 0 ? h : 0;
	cv->cells.n = 0;
	vec_push_n(&cv->cells, (uint32_t)cv->w * (uint32_t)cv->h);
	canvas_clear(cv);
}

void canvas_crop(struct canvas *cv, int w, int h, int keep)
{
	int old_w = cv->w, rows = keep < cv->h ? keep : cv->h, y;
	struct cell *old = malloc(sizeof *old * (cv->cells.n + 1));

	if (!old) {
		die_hook("out of memory");
		return;
	}
	memcpy(old, VEC(struct cell, &cv->cells), sizeof *old * cv->cells.n);
	canvas_resize(cv, w, h);
	for (y = 0; y < rows && y < cv->h; y++)
		memcpy(VEC(struct cell, &cv->cells) + (size_t)y * (size_t)cv->w, old + (size_t)y * (size_t)old_w,
		       sizeof *old * (size_t)(old_w < cv->w ? old_w : cv->w));
	free(old);
}

void canvas_clear(struct canvas *cv)
{
	static const struct cell blank = {.ch = ' '};
	struct cell *c = VEC(struct cell, &cv->cells);
	uint32_t i;

	for (i = 0; i < cv->cells.n; i++)
		c[i] = blank;
	cv->cursor_x = cv->cursor_y = -1;
}

const struct cell *canvas_at(const struct canvas *cv, int x, int y)
{
	return cell_at(cv, x, y);
}

/* windows */

static int lesser(int a, int b)
{
	return a < b ? a : b;
}

static int greater(int a, int b)
{
	return a > b ? a : b;
}

static struct rect intersect(struct rect a, struct rect b)
{
	struct rect r = {greater(a.x, b.x), greater(a.y, b.y), 0, 0};

	r.w = greater(lesser(a.x + a.w, b.x + b.w) - r.x, 0);
	r.h = greater(lesser(a.y + a.h, b.y + b.h) - r.y, 0);
	return r;
}

static bool inside(struct rect r, int x, int y)
{
	return x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h;
}

struct window canvas_root(struct canvas *cv)
{
	return (struct window){cv, 0, 0, cv->w, cv->h, {0, 0, cv->w, cv->h}};
}

struct window canvas_sub(struct window w, int x, int y, int width, int height)
{
	struct window s = w;

	width = greater(lesser(width, w.w - x), 0);
	height = greater(lesser(height, w.h - y), 0);
	s.x = w.x + x;
	s.y = w.y + y;
	s.w = width;
	s.h = height;
	s.clip = intersect(w.clip, (struct rect){s.x, s.y, width, height});
	return s;
}

struct window canvas_shift(struct window w, int by)
{
	w.x -= by;
	w.w += by;
	return w;
}

/* drawing */

/* Half a wide character cannot be shown: when one half is overwritten the other becomes a blank. */
static void unpair(struct canvas *cv, int x, int y)
{
	struct cell *c = cell_at(cv, x, y);

	if (!c->ch && x > 0)
		c[-1].ch = ' ';
	else if (x + 1 < cv->w && !c[1].ch)
		c[1].ch = ' ';
}

static void set_cell(struct window w, int x, int y, enum role role, uint32_t ch)
{
	if (!inside(w.clip, x, y))
		return;
	unpair(w.cv, x, y);
	*cell_at(w.cv, x, y) = (struct cell){.ch = ch, .role = (uint8_t)role};
}

static void set_wide(struct window w, int x, int y, enum role role, uint32_t ch)
{
	if (!inside(w.clip, x, y) || !inside(w.clip, x + 1, y)) {
		set_cell(w, x, y, role, ' ');
		set_cell(w, x + 1, y, role, ' ');
		return;
	}
	unpair(w.cv, x, y);
	unpair(w.cv, x + 1, y);
	*cell_at(w.cv, x, y) = (struct cell){.ch = ch, .role = (uint8_t)role};
	*cell_at(w.cv, x + 1, y) = (struct cell){.ch = 0, .role = (uint8_t)role};
}

/* Marks beyond CANVAS_MARKS are not kept: no script needs more, and stacks of them are a joke on the reader. */
static void add_mark(struct window w, int x, int y, uint32_t cp)
{
	struct cell *c;
	int i;

	if (!inside(w.clip, x, y))
		return;
	c = cell_at(w.cv, x, y);
	if (!c->ch && x > 0)
		c--;
	for (i = 0; i < CANVAS_MARKS; i++)
		if (!c->mark[i]) {
			c->mark[i] = cp;
			return;
		}
}

/* Draws one code point at local x and returns the x behind it; nothing when it would end behind `limit`. */
static int draw_one(struct window w, int x, int y, int limit, enum role role, uint32_t cp, bool first)
{
	char buf[12];
	const char *v = utf8_visible(cp, buf);
	int width = v ? (int)strlen(v) : utf8_width(cp);

	if (x + width > limit)
		return -1;
	if (v)
		for (; *v; v++)
			set_cell(w, w.x + x++, w.y + y, role, (unsigned char)*v);
	else if (width == 2)
		set_wide(w, w.x + x, w.y + y, role, cp), x += 2;
	else if (width == 1 || first)
		set_cell(w, w.x + x++, w.y + y, role, width ? cp : 0x25cc);
	if (!v && !width)
		add_mark(w, w.x + x - 1, w.y + y, cp);
	return x;
}

static int draw(struct window w, int x, int y, int limit, enum role role, const char *text)
{
	bool cut = utf8_cells(text, limit - x) > limit - x;
	int start = x, stop = limit - cut, next;
	const char *at = text;

	if (y < 0 || y >= w.h || x >= limit)
		return x;
	while (*at) {
		next = draw_one(w, x, y, stop, role, utf8_next(&at), x == start);
		if (next < 0)
			break;
		x = next;
	}
	if (!cut)
		return x;
	for (; x < stop; x++)
		set_cell(w, w.x + x, w.y + y, role, ' ');
	at = ELLIPSIS;
	return draw_one(w, x, y, limit, role, utf8_next(&at), true);
}

int canvas_put(struct window w, int x, int y, enum role role, const char *text)
{
	return draw(w, x, y, w.w, role, text);
}

int canvas_printf(struct window w, int x, int y, enum role role, const char *fmt, ...)
{
	char buf[256], *text = buf;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof buf) {
		va_start(ap, fmt);
		if (vasprintf(&text, fmt, ap) < 0)
			die_hook("out of memory");
		va_end(ap);
	}
	x = canvas_put(w, x, y, role, text);
	if (text != buf)
		free(text);
	return x;
}

int canvas_field(struct window w, int x, int y, int width, enum role role, const char *text)
{
	bool right = width < 0;
	int n, end;

	width = right ? -width : width;
	end = x + width;
	n = utf8_cells(text, width);
	canvas_fill(w, (struct rect){x, y, width, 1}, role, ' ');
	draw(w, right && n < width ? end - n : x, y, lesser(end, w.w), role, text);
	return end;
}

void canvas_fill(struct window w, struct rect r, enum role role, uint32_t ch)
{
	struct window s = canvas_sub(w, r.x, r.y, r.w, r.h);
	int x, y;

	for (y = s.clip.y; y < s.clip.y + s.clip.h; y++)
		for (x = s.clip.x; x < s.clip.x + s.clip.w; x++)
			set_cell(s, x, y, role, ch);
}

void canvas_vline(struct window w, int x)
{
	canvas_fill(w, (struct rect){x, 0, 1, w.h}, ROLE_SEPARATOR, VLINE);
}

void canvas_over(struct window w, struct rect r, enum role over)
{
	struct window s = canvas_sub(w, r.x, r.y, r.w, r.h);
	int x, y;

	for (y = s.clip.y; y < s.clip.y + s.clip.h; y++)
		for (x = s.clip.x; x < s.clip.x + s.clip.w; x++)
			cell_at(s.cv, x, y)->over = (uint8_t)over;
}

void canvas_cursor(struct window w, int x, int y)
{
	bool shown = inside(w.clip, w.x + x, w.y + y);

	w.cv->cursor_x = shown ? w.x + x : -1;
	w.cv->cursor_y = shown ? w.y + y : -1;
}

/* as text */

/* Behind the last cell of [from, to) of a row that is no blank. */
static int last_column(const struct canvas *cv, int y, int from, int to)
{
	while (to > from && cell_at(cv, to - 1, y)->ch == ' ')
		to--;
	return to;
}

/* The bytes of one cell, none for a right half. */
static size_t cell_text(const struct cell *c, char *out)
{
	size_t n;
	int i;

	*out = 0;
	if (!c->ch)
		return 0;
	n = utf8_put(c->ch, out);
	for (i = 0; i < CANVAS_MARKS && c->mark[i]; i++)
		n += utf8_put(c->mark[i], out + n);
	return n;
}

size_t canvas_line(struct window w, int y, char *buf, size_t n)
{
	char one[(1 + CANVAS_MARKS) * UTF8_MAX];
	int x = w.clip.x, last;
	size_t len = 0, k;

	*buf = 0;
	if (!inside(w.clip, x, w.y + y))
		return 0;
	last = last_column(w.cv, w.y + y, x, x + w.clip.w);
	for (; x < last; x++) {
		k = cell_text(cell_at(w.cv, x, w.y + y), one);
		if (len + k + 1 > n)
			break;
		memcpy(buf + len, one, k);
		len += k;
	}
	buf[len] = 0;
	return len;
}

int canvas_column(struct window w, int y, size_t at)
{
	char one[(1 + CANVAS_MARKS) * UTF8_MAX];
	int x = w.clip.x, end = x + w.clip.w;
	size_t len = 0;

	for (; x < end && inside(w.clip, x, w.y + y); x++) {
		len += cell_text(cell_at(w.cv, x, w.y + y), one);
		if (len > at)
			break;
	}
	return x - w.x;
}

static void write_text(const struct canvas *cv, int y, FILE *f, bool ascii)
{
	char one[(1 + CANVAS_MARKS) * UTF8_MAX];
	int x, last = last_column(cv, y, 0, cv->w);
	const struct cell *c;

	for (x = 0; x < last; x++) {
		c = cell_at(cv, x, y);
		if (ascii)
			fputc(c->ch ? utf8_ascii(c->ch) : '?', f);
		else if (cell_text(c, one))
			fputs(one, f);
	}
	fputc('\n', f);
}

static void write_roles(const struct canvas *cv, int y, FILE *f)
{
	char letter;
	int x, blanks = 0;

	for (x = 0; x < cv->w; x++) {
		const struct cell *c = cell_at(cv, x, y);

		letter = theme_role_letter(c->over ? c->over : c->role);
		if (letter == ' ') {
			blanks++;
			continue;
		}
		fprintf(f, "%*s%c", blanks, "", letter);
		blanks = 0;
	}
	fputc('\n', f);
}

void canvas_write(const struct canvas *cv, FILE *f, unsigned how)
{
	int x, y;

	for (y = 0; y < cv->h; y++)
		write_text(cv, y, f, how & CANVAS_ASCII);
	if (!(how & CANVAS_ROLES))
		return;
	for (x = 0; x < cv->w; x++)
		fputc('-', f);
	fputc('\n', f);
	for (y = 0; y < cv->h; y++)
		write_roles(cv, y, f);
}
