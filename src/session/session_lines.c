/* The lines of the main view: rows side by side, and what is folded. */
#include "session/session_in.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows side by side */

static void aligned(struct session *s)
{
	states *st;

	if (s->aligned_moved == s->moved)
		return;
	st = session_states(s);
	if (align_update(&s->al, states_bases(st)))
		s->realigned++;
	s->aligned_moved = s->moved;
}

int session_partner(struct session *s, enum program_side side, int r)
{
	int k;

	if (r < 0)
		return -1;
	k = session_counterpart(s, side, r);
	if (k >= 0)
		return k;
	aligned(s);
	k = (int)s->al.line_of[side][r];
	return side == SIDE_BASE ? s->al.line[k].dist : s->al.line[k].base;
}

/* ---- prefixes: calls a row was inlined from, then scopes of its op_name */

static int components(const char *path)
{
	int n = 0;

	for (path = path ? strchr(path, '/') : NULL; path; path = strchr(path + 1, '/'))
		n++;
	return n;
}

static int depth_of(const struct session *s, enum program_side side, int r)
{
	return scopes_depth(&s->scopes[side], r);
}

/* Bytes of the first k components, slashes included. */
static size_t leading(const char *path, int k)
{
	const char *at = path;

	while (k-- && at && (at = strchr(at, '/')))
		at++;
	return at ? (size_t)(at - path) : 0;
}

/* The innermost component of a prefix: what a fold is called. */
static const char *prefix_label(arena *a, const row *r, int depth)
{
	int calls = components(r->path);
	const char *text = depth <= calls ? r->path : r->inst->op_name;
	int k = depth <= calls ? depth : depth - calls;
	size_t from = leading(text, k - 1), to = leading(text, k);
	const char *slash = to > from ? text + to - 1 : text + from;

	return arena_printf(a, "%.*s", (int)(slash - (text + from)), text + from);
}

/* ---- folds as intervals of aligned lines */

struct span {
	size_t from, to;	/* to excluded */
	const struct fold *fold;
};

static char line_mark(struct session *s, size_t i)
{
	const struct aligned *l = &s->al.line[i];

	return l->dist >= 0 ? session_mark(s, SIDE_DIST, l->dist) : session_mark(s, SIDE_BASE, l->base);
}

/* A baseline row without partner belongs to the run around it. */
static bool in_run(struct session *s, size_t i)
{
	return line_mark(s, i) == '=' || s->al.line[i].dist < 0;
}

/* What a line must be to belong to a fold: by the line the fold was made at. */
struct belonging {
	const struct fold *f;
	struct aligned anchor;
	struct prefix prefix[2];	/* by side, GROUP */
};

static struct belonging belonging_of(struct session *s, const struct fold *f, size_t at)
{
	struct belonging b = { .f = f, .anchor = s->al.line[at] };

	if (f->kind == FOLD_GROUP && b.anchor.base >= 0)
		b.prefix[SIDE_BASE] = scopes_prefix(&s->scopes[SIDE_BASE], b.anchor.base, f->depth);
	if (f->kind == FOLD_GROUP && b.anchor.dist >= 0)
		b.prefix[SIDE_DIST] = scopes_prefix(&s->scopes[SIDE_DIST], b.anchor.dist, f->depth);
	return b;
}

static bool belongs(struct session *s, size_t i, const struct belonging *b)
{
	const struct aligned *l = &s->al.line[i];

	if (b->f->kind == FOLD_RUN)
		return in_run(s, i);
	if (l->dist >= 0 && b->anchor.dist >= 0)
		return scopes_has(&s->scopes[SIDE_DIST], l->dist, &b->prefix[SIDE_DIST]);
	return l->base >= 0 && b->anchor.base >= 0 && scopes_has(&s->scopes[SIDE_BASE], l->base, &b->prefix[SIDE_BASE]);
}

/* Rows of no scope, constants mostly, are inside a group that goes on behind them. */
static bool passes(struct session *s, size_t i, const struct fold *f)
{
	const struct aligned *l = &s->al.line[i];

	return f->kind == FOLD_GROUP && (l->base < 0 || !depth_of(s, SIDE_BASE, l->base)) &&
	       (l->dist < 0 || !depth_of(s, SIDE_DIST, l->dist));
}

#define PASSED 16		/* rows in a row, at most */

/* How far the fold reaches from a line of it, upwards or downwards: the last line. */
static size_t reach(struct session *s, const struct belonging *b, size_t at, int way)
{
	size_t last = at, i = at;
	int passed = 0;

	while (way > 0 ? i + 1 < s->al.nline : i > 0) {
		i += (size_t)way;
		if (belongs(s, i, b)) {
			last = i;
			passed = 0;
		} else if (!passes(s, i, b->f) || ++passed > PASSED) {
			break;
		}
	}
	return last;
}

/* It stays while rows stand side by side as they did, that of a run while marks do. */
static struct span span_of(struct session *s, struct fold *f)
{
	uint64_t seen = f->kind == FOLD_RUN ? s->moved : s->realigned;
	struct belonging b;
	size_t at;

	if (f->seen == seen + 1)
		return (struct span){ f->from, f->to, f };
	at = s->al.line_of[f->side][f->row];
	b = belonging_of(s, f, at);
	f->seen = seen + 1;
	f->from = f->to = at;
	if (belongs(s, at, &b)) {
		f->from = reach(s, &b, at, -1);
		f->to = reach(s, &b, at, 1) + 1;
	}
	return (struct span){ f->from, f->to, f };
}

static int by_start(const void *x, const void *y)
{
	const struct span *a = x, *b = y;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to == b->to ? 0 : a->to > b->to ? -1 : 1;
}

/* ---- lines */

static int badness(char mark)
{
	static const char order[] = " =*.?!x";
	const char *at = strchr(order, mark);

	return at && mark ? (int)(at - order) : 0;
}

/* A loop that stays one body says how often it runs. */
static const char *loop_label(struct session *s, const struct fold *f, const row *r, const char *label)
{
	const program *p = session_program(s, f->side);
	size_t n = leading(r->path, f->depth);
	int i;

	for (i = 0; i < p->nloop && f->depth <= components(r->path); i++) {
		const loop *l = &p->loop[i];
		if (strlen(l->path) + 1 != n || memcmp(l->path, r->path, n - 1))
			continue;
		return l->trips < 0 ? arena_printf(&s->lines_text, "%s, a loop", label)
				    : arena_printf(&s->lines_text, "%s, %lld trips", label, (long long)l->trips);
	}
	return label;
}

static const char *fold_label(struct session *s, const struct fold *f)
{
	const row *r = session_row(s, f->side, f->row);

	return f->kind == FOLD_RUN ? "verified" : loop_label(s, f, r, prefix_label(&s->lines_text, r, f->depth));
}

static void add_stretch(struct session *s, size_t from, size_t to, const struct fold *f)
{
	struct stretch *x = vec_push(&s->stretch);

	*x = (struct stretch){ .from = from, .to = to, .line = s->nline, .fold = f };
	s->nline += f ? 1 : to - from;
}

/* Folds, and what stands unfolded between them. */
static void make_lines(struct session *s)
{
	struct span *span = ARENA_ARRAY(&s->lines_text, struct span, s->fold.n);
	size_t nspan = 0, k, at = 0;
	uint32_t f;

	for (f = 0; f < s->fold.n; f++) {
		span[nspan] = span_of(s, &VEC_AT(struct fold, &s->fold, f));
		nspan += span[nspan].to - span[nspan].from > 1;
	}
	qsort(span, nspan, sizeof *span, by_start);
	s->stretch.n = 0;
	s->nline = 0;
	for (k = 0; k < nspan; k++) {
		if (span[k].from < at)
			continue;
		if (at < span[k].from)
			add_stretch(s, at, span[k].from, NULL);
		add_stretch(s, span[k].from, span[k].to, span[k].fold);
		at = span[k].to;
	}
	if (at < s->al.nline)
		add_stretch(s, at, s->al.nline, NULL);
}

static bool any_run(const struct session *s)
{
	uint32_t f;

	for (f = 0; f < s->fold.n; f++)
		if (VEC_AT(struct fold, &s->fold, f).kind == FOLD_RUN)
			return true;
	return false;
}

/* Runs of verified rows end where marks change; all else stays while rows stand side by side as they did. */
static void lines(struct session *s)
{
	struct lines_of now;

	aligned(s);
	now = (struct lines_of){ s->realigned, s->folded, any_run(s) ? s->moved : 0 };
	if (!memcmp(&now, &s->lines_of, sizeof now))
		return;
	arena_free(&s->lines_text);
	arena_init(&s->lines_text);
	make_lines(s);
	s->lines_of = now;
	s->lines_version++;
}

uint64_t session_lines_version(struct session *s)
{
	lines(s);
	return s->lines_version;
}

size_t session_nline(struct session *s)
{
	lines(s);
	return s->nline;
}

/* The stretch of a line, or of a place in the alignment. */
static struct stretch *stretch_at(const struct session *s, size_t at, bool line)
{
	struct stretch *x = VEC(struct stretch, &s->stretch);
	size_t lo = 0, hi = s->stretch.n;

	while (hi - lo > 1) {
		size_t mid = (lo + hi) / 2;
		if ((line ? x[mid].line : x[mid].from) <= at)
			lo = mid;
		else
			hi = mid;
	}
	return &x[lo];
}

static void look_inside(struct session *s, struct stretch *x, struct session_line *l)
{
	size_t i;
	int side;

	if (x->seen == s->moved + 1) {
		*l = x->inside;
		return;
	}
	if (!x->label)
		x->label = fold_label(s, x->fold);
	*l = (struct session_line){ .row = { -1, -1 }, .fold = true, .mark = { ' ', ' ' }, .label = x->label };
	for (i = x->from; i < x->to; i++)
		for (side = 0; side < 2; side++) {
			int r = side == SIDE_BASE ? s->al.line[i].base : s->al.line[i].dist;
			char mark = session_mark(s, side, r);
			if (r < 0)
				continue;
			if (!l->n[side]++)
				l->row[side] = r;
			if (badness(mark) > badness(l->mark[side]))
				l->mark[side] = mark;
		}
	x->inside = *l;
	x->seen = s->moved + 1;
}

static void look_at_row(struct session *s, const struct aligned *x, struct session_line *l)
{
	*l = (struct session_line){ .row = { [SIDE_BASE] = x->base, [SIDE_DIST] = x->dist }, .n = { x->base >= 0, x->dist >= 0 } };
	l->mark[SIDE_BASE] = session_mark(s, SIDE_BASE, x->base);
	l->mark[SIDE_DIST] = session_mark(s, SIDE_DIST, x->dist);
	l->depth = x->dist >= 0 ? scopes_calls(&s->scopes[SIDE_DIST], x->dist) : scopes_calls(&s->scopes[SIDE_BASE], x->base);
}

void session_line(struct session *s, size_t i, struct session_line *l)
{
	struct stretch *x;

	lines(s);
	x = stretch_at(s, i, true);
	if (x->fold)
		look_inside(s, x, l);
	else
		look_at_row(s, &s->al.line[x->from + (i - x->line)], l);
}

size_t session_line_of(struct session *s, enum program_side side, int r)
{
	const struct stretch *x;
	size_t at;

	lines(s);
	if (!session_row(s, side, r))
		return PAGE_NONE;
	at = s->al.line_of[side][r];
	x = stretch_at(s, at, false);
	return x->fold ? x->line : x->line + (at - x->from);
}

/* ---- folding */

static void folded(struct session *s)
{
	s->folded++;
	session_changed(s);
}

static void remove_fold(struct session *s, uint32_t i)
{
	struct fold *f = VEC(struct fold, &s->fold);

	memmove(f + i, f + i + 1, sizeof *f * (s->fold.n - i - 1));
	s->fold.n--;
}

/* Takes away every fold that hides this place; false when none did. */
static bool unfold_at(struct session *s, size_t at)
{
	uint32_t i;
	bool any = false;

	for (i = s->fold.n; i-- > 0; ) {
		struct span x = span_of(s, &VEC_AT(struct fold, &s->fold, i));
		if (x.to - x.from > 1 && x.from <= at && at < x.to) {
			remove_fold(s, i);
			any = true;
		}
	}
	if (any)
		folded(s);
	return any;
}

void session_reveal(struct session *s, enum program_side side, int r)
{
	aligned(s);
	if (session_row(s, side, r))
		unfold_at(s, s->al.line_of[side][r]);
}

static bool try_fold(struct session *s, struct fold f)
{
	struct span x = span_of(s, &f);

	if (x.to - x.from < 2)
		return false;
	*(struct fold *)vec_push(&s->fold) = f;
	folded(s);
	return true;
}

static struct span group_span(struct session *s, enum program_side side, int r, int depth)
{
	struct fold f = { .kind = FOLD_GROUP, .side = side, .row = r, .depth = depth };

	return span_of(s, &f);
}

/* Components of the innermost call or scope around a row that has more lines; a scope that is all of a call, a trip of
 * a loop, say, is the call. */
static int depth_around(struct session *s, enum program_side side, int r, size_t larger_than)
{
	int depth = depth_of(s, side, r), calls = scopes_calls(&s->scopes[side], r);
	struct span x = { 0 }, call;

	for (; depth > 0; depth--) {
		x = group_span(s, side, r, depth);
		if (x.to - x.from > larger_than)
			break;
	}
	if (!calls || depth <= calls)
		return depth;
	call = group_span(s, side, r, calls);
	return call.from == x.from && call.to == x.to ? calls : depth;
}

static bool fold_group(struct session *s, enum program_side side, int r, size_t larger_than)
{
	int depth = depth_around(s, side, r, larger_than);

	return depth && try_fold(s, (struct fold){ .kind = FOLD_GROUP, .side = side, .row = r, .depth = depth });
}

static bool fold_run(struct session *s, enum program_side side, int r)
{
	return try_fold(s, (struct fold){ .kind = FOLD_RUN, .side = side, .row = r });
}

/* Every row inlined from a call or fusion starts folded to the outermost one. */
void session_default_folds(struct session *s)
{
	size_t i, end;

	aligned(s);
	for (i = 0; i < s->al.nline; i = end) {
		enum program_side side = s->al.line[i].dist >= 0 ? SIDE_DIST : SIDE_BASE;
		int r = side == SIDE_DIST ? s->al.line[i].dist : s->al.line[i].base;
		struct fold f = { .kind = FOLD_GROUP, .side = side, .row = r, .depth = 1 };
		struct span x;
		end = i + 1;
		if (!scopes_calls(&s->scopes[side], r))
			continue;
		x = span_of(s, &f);
		if (try_fold(s, f))
			end = x.to;
	}
}

static bool fold_runs(struct session *s)
{
	size_t i, end;
	bool any = false;

	for (i = 0; i < s->al.nline; i = end) {
		end = i + 1;
		if (s->al.line[i].dist < 0 || line_mark(s, i) != '=' || !fold_run(s, SIDE_DIST, s->al.line[i].dist))
			continue;
		any = true;
		end = span_of(s, &VEC_AT(struct fold, &s->fold, s->fold.n - 1)).to;
	}
	return any;
}

/* Components of the prefix by which a row is folded now, else of the innermost one that it shares with another. */
static int group_depth(struct session *s, enum program_side side, int r)
{
	size_t at = s->al.line_of[side][r];
	int folded = 0;
	uint32_t i;

	for (i = 0; i < s->fold.n; i++) {
		struct fold *f = &VEC_AT(struct fold, &s->fold, i);
		struct span x = span_of(s, f);
		if (f->kind == FOLD_GROUP && x.from <= at && at < x.to && x.to - x.from > 1 && (!folded || f->depth < folded))
			folded = f->depth;
	}
	return folded ? folded : depth_around(s, side, r, 1);
}

/* All stretches of rows with a common prefix as long as the selected row's: every layer, say. */
static bool fold_groups(struct session *s, enum program_side side, int r)
{
	int depth = group_depth(s, side, r);
	bool any = false;
	size_t i, end;

	for (i = 0; depth && i < s->al.nline; i = end) {
		enum program_side on = s->al.line[i].dist >= 0 ? SIDE_DIST : SIDE_BASE;
		struct fold f = { .kind = FOLD_GROUP, .side = on, .row = on == SIDE_DIST ? s->al.line[i].dist : s->al.line[i].base, .depth = depth };
		struct span x;
		end = i + 1;
		if (depth_of(s, on, f.row) < depth)
			continue;
		x = span_of(s, &f);
		if (!try_fold(s, f))
			continue;
		any = true;
		end = x.to;
	}
	return any;
}

static size_t folded_size(struct session *s, enum program_side side, int r)
{
	struct session_line l;

	session_line(s, session_line_of(s, side, r), &l);
	return l.fold ? (size_t)(l.n[0] > l.n[1] ? l.n[0] : l.n[1]) : 1;
}

/* how: "" folds or unfolds at the selection; group, run, out (one scope further out), groups (all like it), runs, none */
bool session_fold(struct session *s, const char *how)
{
	enum program_side side = s->sel.side;
	int r = s->sel.row[side];

	aligned(s);
	if (!strcmp(how, "none")) {
		s->fold.n = 0;
		folded(s);
		return true;
	}
	if (!strcmp(how, "runs"))
		return fold_runs(s);
	if (r < 0)
		return false;
	if (!strcmp(how, "groups"))
		return fold_groups(s, side, r);
	if (!strcmp(how, "out"))
		return fold_group(s, side, r, folded_size(s, side, r));
	if (!strcmp(how, "group"))
		return fold_group(s, side, r, 1);
	if (!strcmp(how, "run"))
		return fold_run(s, side, r);
	if (unfold_at(s, s->al.line_of[side][r]))
		return true;
	if (line_mark(s, s->al.line_of[side][r]) == '=')
		return fold_run(s, side, r);
	return fold_group(s, side, r, 1);
}
