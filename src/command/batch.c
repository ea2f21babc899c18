#include "command/batch.h"

#include <string.h>
#include "command/command.h"

struct batch {
	struct session *s;
	struct session_host outer;	/* of the caller: a screen without terminal, if there is one */
	bool quiet, left;
};

/* With a screen the page is shown there, and nothing is printed. */
static void show(void *ctx, enum session_page k)
{
	struct batch *b = ctx;
	struct page p;

	if (b->outer.show)
		b->outer.show(b->outer.ctx, k);
	if (b->quiet || b->outer.show)
		return;
	page_init(&p);
	session_page(b->s, k, &p);
	page_print(&p, stdout);
	page_release(&p);
}

static void said(void *ctx)
{
	struct batch *b = ctx;
	enum say how;
	const char *text = session_message(b->s, &how);

	if (b->outer.said)
		b->outer.said(b->outer.ctx);
	if (*text && how == SAY_ERROR)
		fprintf(stderr, "%s\n", text);
	else if (*text && !b->quiet && !b->outer.said)
		printf("%s\n", text);
}

static void quit(void *ctx)
{
	((struct batch *)ctx)->left = true;
}

static bool screen_command(void *ctx, const char *line)
{
	struct batch *b = ctx;

	return b->outer.screen_command && b->outer.screen_command(b->outer.ctx, line);
}

static bool save_screen(void *ctx, const char *file)
{
	struct batch *b = ctx;

	return b->outer.save_screen(b->outer.ctx, file);
}

static bool screen_name(void *ctx, int i, const char **name, const char **args, const char **help)
{
	struct batch *b = ctx;

	return b->outer.screen_name && b->outer.screen_name(b->outer.ctx, i, name, args, help);
}

static bool run_one(struct batch *b, const struct option_command *c)
{
	bool ok = c->script ? command_source(b->s, c->text) : command_run(b->s, c->text);

	if (!c->script || !ok)
		said(b);
	return ok;
}

bool batch_commands(struct session *s, const struct options *o, struct session_host outer, bool quiet, bool *left)
{
	struct batch b = { s, outer, quiet, false };
	struct session_host h = { .ctx = &b, .show = show, .said = said, .quit = quit, .screen_name = screen_name };
	bool ok = true;
	int k;

	if (outer.screen_command)
		h.screen_command = screen_command;
	if (outer.save_screen)
		h.save_screen = save_screen;
	session_set_host(s, &h);
	for (k = 0; k < o->ncommand && ok && !b.left; k++)
		ok = run_one(&b, &o->command[k]);
	session_set_host(s, &outer);
	*left = b.left;
	return ok;
}
