#include "session/source_lines.h"

#include <stdlib.h>
#include <string.h>
#include "util/hash.h"

/* Instructions share their frames: what counts as the user's is asked once for each. */
struct known {
	const frame *frame;	/* NULL: a free place */
	const char *file;	/* NULL: no line is known */
	int line;
	int spot;
};

struct spot {
	const char *file;
	int line;
	int first;		/* row, -1: none */
};

struct source_lines {
	struct known *known;
	uint32_t nknown, mask;
	struct spot *spot;	/* by file and line */
	int nspot;
	int *next;		/* per row */
};

static void *zeroed(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		die_hook("out of memory");
	return p;
}

static struct known *place_of(const struct source_lines *x, const frame *f)
{
	uint32_t i = (uint32_t)hash_word((uint64_t)(uintptr_t)f) & x->mask;

	while (x->known[i].frame && x->known[i].frame != f)
		i = (i + 1) & x->mask;
	return &x->known[i];
}

static void grow(struct source_lines *x)
{
	struct known *old = x->known;
	uint32_t n = old ? x->mask + 1 : 0, i;

	x->mask = n ? 2 * n - 1 : 255;
	x->known = zeroed((size_t)x->mask + 1, sizeof *x->known);
	for (i = 0; i < n; i++)
		if (old[i].frame)
			*place_of(x, old[i].frame) = old[i];
	free(old);
}

static void know(struct source_lines *x, const struct sources *src, const inst *in)
{
	struct known *k = place_of(x, in->frame);
	const frame *f;
	int up = 0;

	if (k->frame)
		return;
	f = sources_frame(src, in, &up);
	*k = (struct known){ in->frame, f->file, f->line, -1 };
	if (++x->nknown > x->mask / 2)
		grow(x);
}

static int by_place(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;
	int d = strcmp(x->file, y->file);

	return d ? d : (x->line > y->line) - (x->line < y->line);
}

static struct spot *find(const struct source_lines *x, const char *file, int line)
{
	struct spot wanted = { .file = file, .line = line };

	return bsearch(&wanted, x->spot, (size_t)x->nspot, sizeof wanted, by_place);
}

/* Every line once. */
static void make_spots(struct source_lines *x)
{
	uint32_t i;
	int n = 0, k, m = 0;

	x->spot = zeroed(x->nknown, sizeof *x->spot);
	for (i = 0; i <= x->mask; i++)
		if (x->known[i].file)
			x->spot[n++] = (struct spot){ x->known[i].file, x->known[i].line, -1 };
	qsort(x->spot, (size_t)n, sizeof *x->spot, by_place);
	for (k = 0; k < n; k++)
		if (!m || by_place(&x->spot[m - 1], &x->spot[k]))
			x->spot[m++] = x->spot[k];
	x->nspot = m;
	for (i = 0; i <= x->mask; i++)
		if (x->known[i].file)
			x->known[i].spot = (int)(find(x, x->known[i].file, x->known[i].line) - x->spot);
}

struct source_lines *source_lines_new(const struct sources *src, const program *p)
{
	struct source_lines *x = zeroed(1, sizeof *x);
	int r;

	grow(x);
	for (r = 0; r < p->nrow; r++)
		if (p->row[r].inst->frame)
			know(x, src, p->row[r].inst);
	make_spots(x);
	x->next = zeroed((size_t)p->nrow, sizeof *x->next);
	for (r = p->nrow - 1; r >= 0; r--) {
		const struct known *k = p->row[r].inst->frame ? place_of(x, p->row[r].inst->frame) : NULL;

		x->next[r] = -1;
		if (!k || !k->file)
			continue;
		x->next[r] = x->spot[k->spot].first;
		x->spot[k->spot].first = r;
	}
	return x;
}

void source_lines_free(struct source_lines *x)
{
	if (!x)
		return;
	free(x->known);
	free(x->spot);
	free(x->next);
	free(x);
}

int source_lines_first(const struct source_lines *x, const char *file, int line)
{
	const struct spot *s = find(x, file, line);

	return s ? s->first : -1;
}

int source_lines_next(const struct source_lines *x, int row)
{
	return x->next[row];
}
