#include "hlo/hlo_frame.h"

#include <stdlib.h>
#include <string.h>
#include "hlo/hlo_lex.h"

static const char *entry_of(const char **list, int n, int64_t id)
{
	return id >= 1 && id <= n ? list[id - 1] : NULL;
}

/* 0: not seen, 1: on the way, 2: made, 3: dropped */
static bool make_one(builder *b, struct frame_tables *t, char *state, int at)
{
	const struct frame_location *w;
	const struct frame_entry *e = &t->entry[at];
	frame *f;

	t->depth[at] = e->parent > 0 && e->parent <= t->nentry ? t->depth[e->parent - 1] + 1 : 1;
	if (t->depth[at] > FRAME_DEPTH)
		return false;
	if (e->location < 1 || e->location > t->nlocation || e->parent < 0 || e->parent > t->nentry)
		return false;
	w = &t->location[e->location - 1];
	if (!entry_of(t->file, t->nfile, w->file) || (e->parent && state[e->parent - 1] != 2))
		return false;
	f = ARENA_NEW(b->a, frame);
	f->file = entry_of(t->file, t->nfile, w->file);
	f->function = entry_of(t->function, t->nfunction, w->function);
	f->line = (int)w->line;
	f->column = (int)w->column;
	f->end_line = (int)w->end_line;
	f->end_column = (int)w->end_column;
	f->parent = e->parent ? t->frame[e->parent - 1] : NULL;
	t->frame[at] = f;
	return true;
}

int frames_make(builder *b, struct frame_tables *t)
{
	char *state = arena_zalloc(&b->tmp, t->nentry + 1);
	int *stack = ARENA_ARRAY(&b->tmp, int, t->nentry), depth, dropped = 0;

	t->depth = arena_zalloc(&b->tmp, (t->nentry + 1) * sizeof *t->depth);
	t->frame = arena_zalloc(&b->tmp, (t->nentry + 1) * sizeof *t->frame);
	for (int k = 0; k < t->nentry; k++) {
		depth = 0;
		for (int64_t at = k; !state[at]; at = t->entry[at].parent - 1) {
			state[at] = 1;
			stack[depth++] = (int)at;
			if (t->entry[at].parent < 1 || t->entry[at].parent > t->nentry)
				break;
		}
		while (depth) {		/* a circle ends at a frame that is still on the way */
			int at = stack[--depth];

			state[at] = make_one(b, t, state, at) ? 2 : 3;
			dropped += state[at] == 3;
		}
	}
	return dropped;
}

/* What make a frame one with another of the same place and parent. */
static const frame *intern(builder *b, const frame *want)
{
	struct { const char *file; const frame *parent; int line, column, end_line, end_column; } key;
	frame *f;
	sym *y;

	memset(&key, 0, sizeof key);
	key.file = want->file;
	key.parent = want->parent;
	key.line = want->line;
	key.column = want->column;
	key.end_line = want->end_line;
	key.end_column = want->end_column;
	y = syms_get(&b->frames, (const char *)&key, sizeof key);
	if (!y->frame) {
		f = ARENA_NEW(b->a, frame);
		*f = *want;
		y->frame = f;
	}
	return y->frame;
}

/* The name s..end as it stands in the input, decoded: words of files are known by what they stand for. */
static const char *file_name(builder *b, const char *s, const char *end, bool escaped)
{
	sym *file = syms_get(&b->files, s, end - s);
	arena_mark mark = arena_at(&b->scratch);
	const char *name;

	if (!file->decoded && escaped && memchr(s, '\\', file->n)) {
		name = lex_unescape(&b->scratch, s, file->n);
		file->decoded = syms_get(&b->syms, name, strlen(name))->s;
		arena_reset(&b->scratch, mark);
	} else if (!file->decoded) {
		file->decoded = syms_get(&b->syms, s, file->n)->s;
	}
	return file->decoded;
}

/* 'a.py:46' called from `parent`; no frame of its own without a line. */
static const frame *packed_frame(builder *b, const char *s, const char *end, bool escaped, const frame *parent)
{
	const char *colon = end;
	frame one = { 0 };

	while (colon > s && *colon != ':')
		colon--;
	if (colon == s)
		return parent;
	one.file = file_name(b, s, colon, escaped);
	one.line = atoi(colon + 1);
	one.parent = parent;
	return intern(b, &one);
}

/* How many bytes two strings of at least n have in common at their beginnings. */
static size_t alike(const char *a, const char *b, size_t n)
{
	size_t k = 0;

	while (k + 256 <= n && !memcmp(a + k, b + k, 256))
		k += 256;
	while (k + 32 <= n && !memcmp(a + k, b + k, 32))
		k += 32;
	while (k < n && a[k] == b[k])
		k++;
	return k;
}

/* The last list read is this one now; of their beginnings `same` bytes are alike. */
static void keep_list(builder *b, struct frame_list *last, const char *list, size_t n, size_t same)
{
	if (n >= last->room) {
		last->room = n * 2 + 1;
		last->text = arena_alloc(&b->tmp, last->room);
		same = 0;
	}
	memcpy(last->text + same, list + same, n - same);
	last->len = n;
}

/* The next quote from p on, or the backslash that takes it as it is; NULL: there is none. */
static const char *next_quote(const char *p, const char *end, bool escaped)
{
	const char *quote = memchr(p, '\'', end - p), *b = quote;

	while (escaped && quote && b > p && b[-1] == '\\')
		b--;
	return quote && (quote - b) & 1 ? quote - 1 : quote;
}

/* ['a.py:46', 'b.py:97', ..], outermost first, after a line of dashes.  What the
 * list has in common with the last one is not taken apart again. */
static const frame *packed(builder *b, const char *list, size_t n, bool escaped)
{
	struct frame_list *last = &b->last;
	size_t same = alike(last->text, list, n < last->len ? n : last->len);
	const frame *f;
	const char *p, *quote, *end = list + n;

	while (last->n && last->step[last->n - 1].end > same)
		last->n--;
	f = last->n ? last->step[last->n - 1].frame : NULL;
	p = list + (last->n ? last->step[last->n - 1].end : 0);
	while (last->n < FRAME_DEPTH && (p = next_quote(p, end, escaped))) {
		p += 1 + (*p == '\\');
		quote = next_quote(p, end, escaped);
		if (!quote)
			break;
		f = packed_frame(b, p, quote, escaped, f);
		p = quote + 1 + (*quote == '\\');
		last->step = build_grow(b, last->step, last->n, &last->cap, sizeof *last->step);
		last->step[last->n].end = p - list;
		last->step[last->n++].frame = f;
	}
	keep_list(b, last, list, n, same);
	return f;
}

/* A name that holds no stack is kept as far as it is one. */
const frame *frame_inline(builder *b, const frame *at, const char *file, size_t n, bool escaped)
{
	const char *dashes = escaped ? "\\n----\\n[" : "\n----\n[", *list = memmem(file, n, dashes, strlen(dashes)), *end = file + n;
	const frame *f = NULL;
	frame plain = *at;

	if (list)
		f = packed(b, list + strlen(dashes), end - list - strlen(dashes), escaped);
	if (f)
		return f;
	plain.file = file_name(b, file, list ? list : end, escaped);
	return intern(b, &plain);
}
