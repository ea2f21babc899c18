#include "view_page.h"

#include <stdio.h>
#include <string.h>

static const struct page_view {
	const char *name;
	enum pane_home home;
	bool takes_keys, wrap, of_selection;
	int nkind;
	enum session_page kind[VIEW_PAGE_KINDS];
} views[VIEW_PAGE_COUNT] = {
#define X(name, home, keys, wrap, selection, ...) \
	{name, home, keys, wrap, selection, sizeof (enum session_page[]){__VA_ARGS__} / sizeof (enum session_page), {__VA_ARGS__}},
	VIEW_PAGES(X)
#undef X
};

static enum role role_of(enum page_role r)
{
	static const enum role roles[PAGE_ROLE_COUNT] = {
#define X(id) ROLE_##id,
		PAGE_ROLES(X)
#undef X
	};

	return roles[r];
}

static void copy_line(struct view_page *v, const struct page_line *from)
{
	struct lines *l = &v->lines;
	uint32_t k;

	for (k = 0; k < from->n; k++) {
		const struct page_piece *p = page_piece_at(&v->page, from, k);

		if (!k)
			lines_add(l, role_of(p->role), "%s", p->text);
		else if (p->column)
			lines_at(l, p->column, role_of(p->role), "%s", p->text);
		else
			lines_more(l, role_of(p->role), "%s", p->text);
	}
	if (!from->n)
		lines_add(l, ROLE_NORMAL, "%s", "");
	if (from->open)
		lines_open(l, "%s", from->open);
}

/* A heading above each page where there are several. */
static void add_page(struct view_page *v, enum session_page kind)
{
	size_t i;

	session_page(v->s, kind, &v->page);
	if (v->nkind > 1)
		lines_add(&v->lines, ROLE_HEADING, "%s", *v->page.title ? v->page.title : session_page_name(kind));
	for (i = 0; i < page_count(&v->page); i++) {
		copy_line(v, page_line_at(&v->page, i));
		if (i == v->page.here)
			lines_here(&v->lines);
	}
	if (v->nkind > 1 && !page_count(&v->page))
		lines_add(&v->lines, ROLE_COMMENT, "%s", v->page.empty ? v->page.empty : "none");
}

/* What another selection says is read from its beginning. */
static void take_title(struct view_page *v)
{
	const char *title = v->nkind == 1 && *v->page.title ? v->page.title : v->lines.pane.name;
	struct lines *l = &v->lines;

	l->empty = v->page.empty;
	if (!strncmp(l->title, title, sizeof l->title - 1))
		return;
	snprintf(l->title, sizeof l->title, "%s", title);
	l->pane.cur = l->pane.top = 0;
}

static void fill(void *ctx, struct lines *l)
{
	struct view_page *v = ctx;
	int k;

	(void)l;
	for (k = 0; k < v->nkind; k++)
		add_page(v, v->kind[k]);
	take_title(v);
}

static uint64_t version(void *ctx)
{
	return session_version(((struct view_page *)ctx)->s);
}

/* Of pages that do not speak of the selection. */
static uint64_t moved(void *ctx)
{
	return session_marks_version(((struct view_page *)ctx)->s);
}

void view_page_init(struct view_page *v, int k, struct session *s)
{
	const struct page_view *t = &views[k];

	v->s = s;
	v->nkind = t->nkind;
	memcpy(v->kind, t->kind, sizeof v->kind);
	v->takes_keys = t->takes_keys;
	page_init(&v->page);
	lines_init(&v->lines, t->name, t->home, fill, t->of_selection ? version : moved, v);
	v->lines.wrap = t->wrap;
}

void view_page_release(struct view_page *v)
{
	lines_release(&v->lines);
	page_release(&v->page);
}

bool view_page_shows(const struct view_page *v, enum session_page kind)
{
	int k;

	for (k = 0; k < v->nkind; k++)
		if (v->kind[k] == kind)
			return true;
	return false;
}

void view_page_turn(struct view_page *v, enum session_page kind)
{
	v->kind[0] = kind;
	v->lines.filled = 0;
}
