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

/* A heading above each page where there are several. */
static void add_page(struct view_page *v, enum session_page kind, struct page *to)
{
	session_page(v->s, kind, &v->page);
	page_add(to, PG_HEADING, "%s", *v->page.title ? v->page.title : session_page_name(kind));
	page_append(to, &v->page);
	if (!page_count(&v->page))
		page_add(to, PG_COMMENT, "%s", v->page.empty ? v->page.empty : "none");
}

/* What another selection says is read from its beginning. */
static void begin_anew(struct view_page *v, const struct page *p)
{
	if (!strcmp(v->title, p->title))
		return;
	memcpy(v->title, p->title, sizeof v->title);
	v->lines.pane.cur = v->lines.pane.top = 0;
}

static void fill(void *ctx, struct page *p)
{
	struct view_page *v = ctx;
	int k;

	if (v->nkind == 1)
		session_page(v->s, v->kind[0], p);
	for (k = 0; v->nkind > 1 && k < v->nkind; k++)
		add_page(v, v->kind[k], p);
	begin_anew(v, p);
}

static uint64_t moved(void *ctx)
{
	return session_marks_version(((struct view_page *)ctx)->s);
}

/* Long pages that speak of the pair alone are not made anew with every key. */
static uint64_t version(void *ctx)
{
	const struct view_page *v = ctx;

	if (v->kind[0] == PAGE_PLAN || v->kind[0] == PAGE_FILES)
		return (uint64_t)(uintptr_t)session_problem(v->s)->q;
	return v->kind[0] == PAGE_CLASSES ? moved(ctx) : session_version(v->s);
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
	int k;

	for (k = 0; k < v->nkind - 1 && v->kind[k] != kind; k++)
		;
	if (k)
		v->lines.pane.cur = v->lines.pane.top = 0;
	memmove(v->kind + 1, v->kind, (size_t)k * sizeof *v->kind);
	v->kind[0] = kind;
	v->lines.filled = 0;
}
