#include "view_help.h"

#include <stdio.h>
#include <string.h>

#define KEY_COLUMN 1
#define TEXT_COLUMN 12
#define COMMAND_COLUMN 62

static struct binding *line_of(const struct view_help *v, size_t line)
{
	return &VEC_AT(struct binding, &v->lines, line);
}

static size_t help_count(void *ctx)
{
	return ((struct view_help *)ctx)->lines.n;
}

static void help_draw(void *ctx, const struct list_row *row, struct window w)
{
	const struct binding *b = line_of(ctx, row->line);
	char keys[64];

	if (!b->key[0]) {
		canvas_put(w, 0, 0, ROLE_HEADING, b->help);
		return;
	}
	canvas_put(w, KEY_COLUMN, 0, ROLE_KEY, keymap_keys(b, keys, sizeof keys));
	if (w.w <= COMMAND_COLUMN) {
		canvas_put(w, TEXT_COLUMN, 0, ROLE_NORMAL, b->help ? b->help : b->command);
		return;
	}
	canvas_field(w, TEXT_COLUMN, 0, COMMAND_COLUMN - TEXT_COLUMN - 1, ROLE_NORMAL, b->help ? b->help : "");
	canvas_put(w, COMMAND_COLUMN, 0, ROLE_COMMENT, b->command);
}

static void help_open(void *ctx, size_t line, int side, char *command, size_t n)
{
	const struct binding *b = line_of(ctx, line);
	const char *hash = b->key[0] ? strstr(b->command, " #") : NULL;

	(void)side;
	if (b->key[0])
		snprintf(command, n, "%.*s", (int)(hash ? (size_t)(hash - b->command) : strlen(b->command)),
			 b->command);
}

static void help_title(void *ctx, int side, char *buf, size_t n)
{
	const struct view_help *v = ctx;

	(void)side;
	snprintf(buf, n, "keys%s%s", *v->subject ? " of " : "", v->subject);
}

static const struct list_source help_source = {
	.count = help_count,
	.draw = help_draw,
	.open = help_open,
	.title = help_title,
};

static void add_section(struct view_help *v, const char *heading, const char *view)
{
	struct binding b, title = {.view = view, .help = heading};
	size_t i = 0;
	bool first = true;

	while (keymap_each(v->km, view, &i, &b)) {
		if (first)
			*(struct binding *)vec_push(&v->lines) = title;
		first = false;
		*(struct binding *)vec_push(&v->lines) = b;
	}
}

void view_help_init(struct view_help *v, const struct keymap *km)
{
	memset(v, 0, sizeof *v);
	v->km = km;
	vec_init(&v->lines, sizeof(struct binding));
	pane_init(&v->pane, "keys", HOME_MAIN, &help_source, v);
}

void view_help_release(struct view_help *v)
{
	pane_release(&v->pane);
	vec_free(&v->lines);
}

void view_help_set(struct view_help *v, const char *view)
{
	snprintf(v->subject, sizeof v->subject, "%s", view);
	v->lines.n = 0;
	if (*v->subject)
		add_section(v, "in this view", v->subject);
	add_section(v, "everywhere", "");
	pane_to(&v->pane, 0, false);
}
