#include "text/page.h"

#include <stdarg.h>
#include <string.h>

void page_init(struct page *p)
{
	memset(p, 0, sizeof *p);
	p->here = PAGE_NONE;
	vec_init(&p->pieces, sizeof(struct page_piece));
	vec_init(&p->lines, sizeof(struct page_line));
	arena_init(&p->text);
}

void page_release(struct page *p)
{
	vec_free(&p->pieces);
	vec_free(&p->lines);
	arena_free(&p->text);
}

void page_clear(struct page *p)
{
	p->pieces.n = p->lines.n = 0;
	p->title[0] = 0;
	p->empty = NULL;
	p->here = PAGE_NONE;
	arena_reset(&p->text, (arena_mark){ NULL, NULL });
}

static void add_piece(struct page *p, enum page_role role, int column, const char *text)
{
	struct page_piece *k;

	if (!p->lines.n)
		vec_push(&p->lines);
	k = vec_push(&p->pieces);
	*k = (struct page_piece){ text, role, column };
	VEC_AT(struct page_line, &p->lines, p->lines.n - 1).n++;
}

void page_add(struct page *p, enum page_role role, const char *fmt, ...)
{
	struct page_line *l = vec_push(&p->lines);
	va_list ap;

	l->first = p->pieces.n;
	va_start(ap, fmt);
	add_piece(p, role, 0, arena_vprintf(&p->text, fmt, ap));
	va_end(ap);
}

void page_more(struct page *p, enum page_role role, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_piece(p, role, 0, arena_vprintf(&p->text, fmt, ap));
	va_end(ap);
}

void page_at(struct page *p, int column, enum page_role role, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add_piece(p, role, column, arena_vprintf(&p->text, fmt, ap));
	va_end(ap);
}

void page_put(struct page *p, int column, enum page_role role, const char *text)
{
	add_piece(p, role, column, text);
}

void page_row(struct page *p, const char *open)
{
	*(struct page_line *)vec_push(&p->lines) = (struct page_line){ .first = p->pieces.n, .open = open };
}

void page_copy(struct page *p, int column, enum page_role role, const char *text)
{
	add_piece(p, role, column, arena_strdup(&p->text, text));
}

void page_open(struct page *p, const char *fmt, ...)
{
	va_list ap;

	if (!p->lines.n)
		return;
	va_start(ap, fmt);
	VEC_AT(struct page_line, &p->lines, p->lines.n - 1).open = arena_vprintf(&p->text, fmt, ap);
	va_end(ap);
}

void page_here(struct page *p)
{
	p->here = p->lines.n ? p->lines.n - 1 : PAGE_NONE;
}

void page_wrap(struct page *p, enum page_role role, int indent, int width, const char *text)
{
	struct page_line *l;

	text += strspn(text, " ");
	if (!*text)
		return;
	page_add(p, role, "%*s%s", indent, "", text);
	l = &VEC_AT(struct page_line, &p->lines, p->lines.n - 1);
	l->hang = indent;
	l->width = width;
}

void page_append(struct page *p, const struct page *from)
{
	size_t i;
	uint32_t k;

	for (i = 0; i < page_count(from); i++) {
		const struct page_line *l = page_line_at(from, i);

		*(struct page_line *)vec_push(&p->lines) = (struct page_line){ .first = p->pieces.n, .hang = l->hang, .width = l->width };
		for (k = 0; k < l->n; k++) {
			const struct page_piece *q = page_piece_at(from, l, k);

			page_copy(p, q->column, q->role, q->text);
		}
		if (l->open)
			page_open(p, "%s", l->open);
		if (i == from->here)
			page_here(p);
	}
}

size_t page_count(const struct page *p)
{
	return p->lines.n;
}

const struct page_line *page_line_at(const struct page *p, size_t i)
{
	return &VEC_AT(struct page_line, &p->lines, i);
}

const struct page_piece *page_piece_at(const struct page *p, const struct page_line *l, uint32_t k)
{
	return &VEC_AT(struct page_piece, &p->pieces, l->first + k);
}

const char *page_last(const struct page *p)
{
	return VEC_AT(struct page_piece, &p->pieces, p->pieces.n - 1).text;
}

/* Columns of UTF-8 text, counted by its characters: names here are of one column each. */
static int columns(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

const char *page_text(const struct page *p, size_t i, char *buf, size_t n)
{
	const struct page_line *l = page_line_at(p, i);
	size_t at = 0;
	int col = 0;
	uint32_t k;

	buf[0] = 0;
	for (k = 0; k < l->n && at < n; k++) {
		const struct page_piece *q = page_piece_at(p, l, k);
		int gap = k && q->column ? (q->column > col ? q->column - col : 1) : 0;
		at += (size_t)snprintf(buf + at, n - at, "%*s%s", gap, "", q->text);
		col += gap + columns(q->text);
	}
	return buf;
}

static void print_line(const struct page *p, const struct page_line *l, FILE *f)
{
	int col = 0;
	uint32_t k;

	for (k = 0; k < l->n; k++) {
		const struct page_piece *q = page_piece_at(p, l, k);
		int gap = k && q->column ? (q->column > col ? q->column - col : 1) : 0;
		fprintf(f, "%*s%s", gap, "", q->text);
		col += gap + columns(q->text);
	}
	fputc('\n', f);
}

/* How many bytes of s go on a row: to the last blank within `room`, or the whole first word. */
static size_t fitting(const char *s, size_t room)
{
	size_t n = strlen(s), k;

	if (n <= room)
		return n;
	for (k = room; k > 0 && s[k] != ' '; k--)
		;
	return k ? k : strcspn(s, " ");
}

static void print_rows(const char *text, int indent, int width, FILE *f)
{
	size_t n, room = width > indent + 10 ? (size_t)(width - indent) : 10;

	for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
		n = fitting(text, room);
		fprintf(f, "%*s%.*s\n", indent, "", (int)n, text);
		text += n;
	}
}

void page_print(const struct page *p, FILE *f)
{
	size_t i;

	if (!page_count(p) && p->empty)
		fprintf(f, "%s\n", p->empty);
	for (i = 0; i < page_count(p); i++) {
		const struct page_line *l = page_line_at(p, i);

		if (l->width)
			print_rows(page_piece_at(p, l, 0)->text, l->hang, l->width, f);
		else
			print_line(p, l, f);
	}
}
