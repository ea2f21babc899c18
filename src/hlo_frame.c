#include "hlo_frame.h"

#include <stdlib.h>
#include <string.h>

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

/* ['a.py:46', 'b.py:97', ..], outermost first, after a line of dashes. */
static const frame *packed(builder *b, const char *list)
{
	const frame *f = NULL;
	const char *p = list;

	for (int n = 0; n < FRAME_DEPTH && (p = strchr(p, '\'')); n++) {
		const char *end = strchr(++p, '\''), *colon = end;
		frame one = { 0 };

		if (!end)
			break;
		while (colon > p && *colon != ':')
			colon--;
		if (colon > p) {
			one.file = syms_get(&b->syms, p, colon - p)->s;
			one.line = atoi(colon + 1);
			one.parent = f;
			f = intern(b, &one);
		}
		p = end + 1;
	}
	return f;
}

const frame *frame_inline(builder *b, const frame *at, sym *file)
{
	frame plain = *at;
	const char *list;

	if (file->frame)
		return file->frame;
	list = strstr(at->file, "\n----\n[");
	if (!list)
		return intern(b, &plain);
	file->frame = packed(b, list + 7);
	if (file->frame)
		return file->frame;
	plain.file = syms_get(&b->syms, at->file, list - at->file)->s;
	return intern(b, &plain);
}
