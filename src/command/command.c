#include "command/command.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "command/command_in.h"
#include "text/input.h"
#include "text/man.h"
#include "util/spelling.h"

#define DEEPEST 16		/* scripts that run scripts */

static const struct command {
	const char *name, *args, *complete;
	int flags;
	command_fn *fn;
	const char *help, *more;
} commands[] = {
#define X(name, args, complete, flags, fn, help, more) { name, args, complete, flags, fn, help, more },
	COMMANDS(X)
#undef X
};
#define NCOMMAND (sizeof commands / sizeof *commands)

static const struct {
	const char *letter, *name;
} aliases[] = {
#define X(letter, name) { letter, name },
	COMMAND_ALIASES(X)
#undef X
};

/* ---- words and answers */

const char *command_word(const char **at, char *buf, size_t n)
{
	size_t len;

	*at += strspn(*at, " \t");
	len = strcspn(*at, " \t");
	snprintf(buf, n, "%.*s", (int)len, *at);
	*at += len;
	*at += strspn(*at, " \t");
	return buf;
}

bool command_fail(struct session *s, const char *fmt, ...)
{
	char text[sizeof s->message];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	session_say(s, SAY_ERROR, "%s", text);
	return false;
}

bool command_nothing(struct session *s, const char *name, const char *args)
{
	return !*args || command_fail(s, "%s takes no arguments: '%s'", name, args);
}

bool command_count(struct session *s, const char *name, const char *args, uint32_t *n)
{
	char *end;
	unsigned long v = strtoul(args, &end, 10);

	*n = 1;
	if (!*args)
		return true;
	if (end == args || *end || *args == '-' || v > 2000000000)
		return command_fail(s, "%s takes a number, which '%s' is not", name, args);
	*n = (uint32_t)v;
	return true;
}

bool command_no_rule(struct session *s, const char *name)
{
	const rules *r = s->p->p->r;
	uint32_t i;

	for (i = 0; i < rules_n(r); i++)
		if (spelling_near(rules_at(r, i)->name, name))
			return command_fail(s, "there is no rule '%s'; perhaps '%s' is meant", name, rules_at(r, i)->name);
	return command_fail(s, "there is no rule '%s'; info rules lists them", name);
}

struct page *command_output(struct session *s)
{
	page_clear(&s->output);
	return &s->output;
}

bool command_show(struct session *s, enum session_page k)
{
	session_changed(s);
	if (s->host.show)
		s->host.show(s->host.ctx, k);
	return true;
}

bool command_select(struct session *s, const char *args)
{
	enum program_side side;
	char why[512];
	int row;

	if (!*args)
		return s->sel.row[s->sel.side] >= 0 || command_fail(s, "no instruction is selected");
	if (!nodes_row(s, &args, SIDE_DIST, &side, &row, why, sizeof why))
		return command_fail(s, "%s", why);
	if (*args)
		return command_fail(s, "one instruction is meant: '%s' is too much", args);
	session_reveal(s, side, row);
	session_select(s, side, row);
	return true;
}

/* ---- which command a word means */

/* i-th command of the screen, when there is one. */
static bool screen_name(struct session *s, int i, const char **name, const char **args, const char **help)
{
	return s->host.screen_name && s->host.screen_name(s->host.ctx, i, name, args, help);
}

static const struct command *exactly(const char *word)
{
	size_t i;

	for (i = 0; i < NCOMMAND; i++)
		if (!strcmp(commands[i].name, word))
			return &commands[i];
	return NULL;
}

static const struct command *by_alias(const char *word)
{
	size_t i;

	for (i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (!strcmp(aliases[i].letter, word))
			return exactly(aliases[i].name);
	return NULL;
}

/* The only command with this beginning; NULL with the candidates in `several`, "" without any. */
static const struct command *by_prefix(const char *word, char *several, size_t n)
{
	const struct command *found = NULL;
	size_t i, at = 0, count = 0;

	several[0] = 0;
	for (i = 0; i < NCOMMAND; i++)
		if (!strncmp(commands[i].name, word, strlen(word))) {
			found = &commands[i];
			if (at < n)
				at += (size_t)snprintf(several + at, n - at, "%s%s", count ? ", " : "", found->name);
			count++;
		}
	return count == 1 ? found : NULL;
}

/* What does here what a command of that name does in another program, or what a number or a name alone is meant for. */
static const char *called_here(const char *word, char *buf, size_t n)
{
	static const struct {
		const char *there, *here;
	} table[] = {
#define X(there, here) { there, here },
		COMMAND_ELSEWHERE(X)
#undef X
	};
	size_t i;
	int k;

	for (i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(table[i].there, word))
			return table[i].here;
	*buf = 0;
	if (!word[strspn(word, "0123456789")])
		snprintf(buf, n, "goto %s, to a step", word);
	else if (*word == '%' && word[1])
		snprintf(buf, n, "select %s, or print %s", word, word);
	else if ((*word == '/' || *word == '?') && word[1])
		snprintf(buf, n, "%s %s", *word == '/' ? "search" : "reverse-search", word + 1);
	for (k = 0; !*buf && k < SESSION_PAGE_COUNT; k++)
		if (!strcmp(session_page_name((enum session_page)k), word))
			snprintf(buf, n, "info %s", word);
	return *buf ? buf : NULL;
}

/* The command whose name is so near this word that it may be meant; NULL: none.  Those of the screen are not shortened. */
static const char *near_command(struct session *s, const char *word)
{
	const char *name, *args, *help;
	size_t i;
	int k;

	for (i = 0; i < NCOMMAND; i++)
		if (spelling_near(commands[i].name, word))
			return commands[i].name;
	for (k = 0; screen_name(s, k, &name, &args, &help); k++)
		if (spelling_near(name, word) || (word[1] && !strncmp(name, word, strlen(word))))
			return name;
	return NULL;
}

static const struct command *look_up(struct session *s, const char *word)
{
	char several[512], hint[160];
	const char *here;
	const struct command *c = by_alias(word);

	if (!c)
		c = by_prefix(word, several, sizeof several);
	if (!c && *several)
		command_fail(s, "'%s' is ambiguous: %s", word, several);
	else if (!c && (here = called_here(word, hint, sizeof hint)))
		command_fail(s, "there is no command '%s'; here it is: %s", word, here);
	else if (!c && (here = near_command(s, word)))
		command_fail(s, "there is no command '%s'; perhaps '%s' is meant", word, here);
	else if (!c && !word[1])	/* as help writes keys */
		command_fail(s, "there is no command '%s'; a key is pressed without the colon, help lists the commands", word);
	else if (!c)
		command_fail(s, "there is no command '%s'; help lists them", word);
	return c;
}

/* ---- running */

static void log_line(struct session *s, const char *line)
{
	if (!s->depth)
		*(const char **)vec_push(&s->log) = arena_strdup(&s->text, line);
}

static char *trimmed(const char *line)
{
	size_t n;
	char *t;

	line += strspn(line, " \t");
	t = strdup(line);
	if (!t) {
		die_hook("out of memory");
		return NULL;
	}
	for (n = strlen(t); n && strchr(" \t\r\n", t[n - 1]); )
		t[--n] = 0;
	return t;
}

/* Quotes about a name, as a shell needs them where it has blanks, are no part of it; such as end within a word are. */
static void unquote(char *text)
{
	char *from, *end;

	for (from = text; *from; from++) {
		if ((*from != '\'' && *from != '"') || (from > text && !strchr(" \t", from[-1])))
			continue;
		for (end = from + 1; *end && (*end != *from || (end[1] && !strchr(" \t", end[1]))); end++)
			;
		if (!*end)
			continue;
		memmove(end, end + 1, strlen(end));
		memmove(from, from + 1, strlen(from));
	}
}

static bool run_words(struct session *s, char *line)
{
	const char *args = line;
	const struct command *c;
	char word[64];

	command_word(&args, word, sizeof word);
	c = exactly(word);
	if (!c && s->host.screen_command && s->host.screen_command(s->host.ctx, line))
		return !s->failed;
	if (!c)
		c = look_up(s, word);
	if (!c)
		return false;
	if (c->flags & CMD_REPEAT)
		snprintf(s->repeat, sizeof s->repeat, "%s", line);
	unquote(line + (args - line));
	return c->fn(s, args) && !s->failed;
}

bool command_run(struct session *s, const char *line)
{
	char *t = trimmed(line);
	bool ok = true;

	if (!*t && *s->repeat) {
		free(t);
		t = trimmed(s->repeat);
	}
	if (*t && *t != '#') {
		log_line(s, t);
		s->failed = false;
		s->work = 0;
		s->message[0] = 0;
		s->how = SAY_MESSAGE;
		session_changed(s);
		ok = run_words(s, t);
	}
	free(t);
	return ok;
}

static bool run_lines(struct session *s, const char *file, char *text, size_t n)
{
	char *at = text, *end, why[sizeof s->message];
	int line = 1;

	for (; at < text + n && !s->quit; at = end + 1, line++) {
		end = memchr(at, '\n', (size_t)(text + n - at));
		if (!end)
			end = text + n;
		*end = 0;
		if (!*(at + strspn(at, " \t\r")))
			continue;
		if (!command_run(s, at)) {
			snprintf(why, sizeof why, "%s", s->message);
			return command_fail(s, "%s:%d: %s", file, line, why);
		}
		if (s->host.said)
			s->host.said(s->host.ctx);
	}
	return true;
}

bool command_source(struct session *s, const char *file)
{
	struct diag err;
	struct input in;
	char text[1200];
	bool ok;

	if (s->depth == DEEPEST)
		return command_fail(s, "%s: a script that runs itself", file);
	if (!input_read(&in, file, &err))
		return command_fail(s, "%s", diag_text(&err, text, sizeof text));
	s->depth++;
	ok = run_lines(s, file, in.data, in.n);
	s->depth--;
	input_free(&in);
	return ok;
}

/* ---- help */

#define HELP_COLUMN 32

/* What a command does stands beside it, else below it.  `open`: what Enter does with the name. */
static void help_line(struct session *s, struct page *p, const char *open, const char *name, const char *args, const char *help)
{
	page_add(p, PG_KEY, "%s", name);
	if (*args)
		page_more(p, PG_DIM, " %s", args);
	page_open(p, "%s %s", open, name);
	if (strlen(name) + 1 + strlen(args) >= HELP_COLUMN) {
		page_wrap(p, PG_NORMAL, HELP_COLUMN, (int)s->setting[SET_WIDTH], help);
		page_open(p, "%s %s", open, name);
	} else {
		page_at(p, HELP_COLUMN, PG_NORMAL, "%s", help);
	}
}

static bool mentions(const char *text, const char *word)
{
	return strcasestr(text, word) != NULL;
}

static void help_list(struct session *s, struct page *p, const char *word)
{
	const char *name, *args, *help;
	size_t i;
	int k;

	for (i = 0; i < NCOMMAND; i++)
		if (mentions(commands[i].name, word) || mentions(commands[i].help, word) || mentions(commands[i].more, word))
			help_line(s, p, "help", commands[i].name, commands[i].args, commands[i].help);
	for (k = 0; screen_name(s, k, &name, &args, &help); k++)
		if (mentions(name, word) || mentions(help, word))
			help_line(s, p, "help", name, args, help);
}

static void help_info(struct session *s, struct page *p)
{
	int k;

	for (k = 0; k < SESSION_PAGE_COUNT; k++)
		help_line(s, p, "info", session_page_name((enum session_page)k), "", session_page_help((enum session_page)k));
}

static void help_one(struct session *s, struct page *p, const struct command *c)
{
	size_t i;

	help_line(s, p, "help", c->name, c->args, c->help);
	page_wrap(p, PG_NORMAL, 4, (int)s->setting[SET_WIDTH], c->more);
	for (i = 0; i < sizeof aliases / sizeof *aliases; i++)
		if (!strcmp(aliases[i].name, c->name))
			page_add(p, PG_DIM, "    %s is short for it", aliases[i].letter);
	if (c->fn == cmd_info)
		help_info(s, p);
}

static bool help_screen(struct session *s, struct page *p, const char *word)
{
	const char *name, *args, *help;
	int k;

	for (k = 0; screen_name(s, k, &name, &args, &help); k++)
		if (!strcmp(name, word)) {
			help_line(s, p, "help", name, args, help);
			return true;
		}
	return false;
}

bool cmd_help(struct session *s, const char *args)
{
	struct page *p = command_output(s);
	const struct command *c;
	char word[64];

	command_word(&args, word, sizeof word);
	if (!*word) {
		help_list(s, p, "");
		return command_show(s, PAGE_OUTPUT);
	}
	c = exactly(word);
	if (!c && help_screen(s, p, word))
		return command_show(s, PAGE_OUTPUT);
	if (!c)
		c = look_up(s, word);
	if (!c)
		return false;
	help_one(s, p, c);
	return command_show(s, PAGE_OUTPUT);
}

bool cmd_apropos(struct session *s, const char *args)
{
	struct page *p = command_output(s);

	if (!*args)
		return command_fail(s, "apropos what?");
	help_list(s, p, args);
	if (!page_count(p))
		return command_fail(s, "no command speaks of '%s'", args);
	return command_show(s, PAGE_OUTPUT);
}

/* ---- completion */

struct offering {
	struct session *s;
	const char *line;		/* up to the word */
	const char *word;
	size_t n;
	command_offer_fn *offer;
	void *ctx;
};

static void offer(struct offering *o, const char *word, bool more)
{
	if (!strncmp(word, o->word, o->n))
		o->offer(o->ctx, word, more);
}

static void offer_commands(struct offering *o)
{
	const char *name, *args, *help;
	size_t i;
	int k;

	for (i = 0; i < NCOMMAND; i++)
		offer(o, commands[i].name, false);
	for (k = 0; screen_name(o->s, k, &name, &args, &help); k++)
		offer(o, name, false);
}

static void offer_nodes(struct offering *o)
{
	bool plain = o->n && *o->word != '%';
	char name[1024];
	int side, k;

	for (side = 0; side < 2; side++) {
		const program *p = session_program(o->s, (enum program_side)side);
		for (k = 0; k < p->nrow; k++) {
			snprintf(name, sizeof name, "%s%s", plain ? "" : "%", p->row[k].path);
			if (side == SIDE_DIST || program_named(o->s->p->dist, p->row[k].path) < 0)
				offer(o, name, false);
		}
	}
}

static void offer_rules(struct offering *o)
{
	const rules *r = o->s->p->p->r;
	uint32_t i;

	for (i = 0; i < rules_n(r); i++)
		offer(o, rules_at(r, i)->name, false);
}

/* Names of rules have blanks: what follows the words before the cursor in names that begin with them. */
static void offer_rest_of_rules(struct offering *o)
{
	const rules *r = o->s->p->p->r;
	const char *from = o->line;
	uint32_t i;

	for (from += strcspn(from, " \t"); from < o->word; from += strcspn(from, " \t")) {
		from += strspn(from, " \t");
		for (i = 0; from < o->word && i < rules_n(r); i++) {
			const char *name = rules_at(r, i)->name;
			size_t n = (size_t)(o->word - from);
			if (!strncmp(name, from, n))
				offer(o, name + n, false);
		}
	}
}

static void offer_numbered(struct offering *o, char kind)
{
	char text[32];
	int i;

	for (i = 0; kind == 'a' && i < acts_count(o->s); i++) {
		snprintf(text, sizeof text, "A%d", acts_get(o->s, i)->id);
		offer(o, text, false);
	}
	for (i = 0; kind == 'b' && i < session_nbreak(o->s); i++) {
		snprintf(text, sizeof text, "%d", session_break(o->s, i)->id);
		offer(o, text, false);
	}
}

static void offer_words(struct offering *o, const char *words)
{
	char word[64];

	while (*words)
		offer(o, command_word(&words, word, sizeof word), false);
}

static void offer_settings(struct offering *o)
{
#define X(id, name, value, least, help) offer(o, name, false);
	SESSION_SETTINGS(X)
#undef X
}

static void offer_pages(struct offering *o)
{
	int k;

	for (k = 0; k < SESSION_PAGE_COUNT; k++)
		offer(o, session_page_name((enum session_page)k), false);
}

static void offer_views(struct offering *o)
{
	const char *name;
	int i;

	for (i = 0; o->s->host.screen_view && (name = o->s->host.screen_view(o->s->host.ctx, i)); i++)
		offer(o, name, false);
}

/* What the first argument of a command of the screen may be: of "next|prev|VIEW" the words that are written as they are, and
 * the names of the views. */
static void offer_screen_argument(struct offering *o, const char *args)
{
	const char *end = args + strcspn(args, " ");
	char word[32];
	size_t n;

	for (args += *args == '['; args < end; args += n + 1) {
		n = strcspn(args, "|] ");
		snprintf(word, sizeof word, "%.*s", (int)n, args);
		if (!strcmp(word, "VIEW"))
			offer_views(o);
		else if (islower((unsigned char)*word))
			offer(o, word, false);
	}
}

static void offer_kind(struct offering *o, char kind)
{
	switch (kind) {
	case 'n': offer_nodes(o); break;
	case 'r': offer_rules(o); break;
	case 'i': offer_pages(o); break;
	case 's': offer_settings(o); break;
	case 'c': offer_commands(o); break;
	case 'f': o->offer(o->ctx, NULL, false); break;
	default: offer_numbered(o, kind);
	}
}

static bool takes_rules(const struct command *c)
{
	const char *at;

	for (at = c->complete; *at; at += strcspn(at, "/"), at += *at == '/')
		if (memchr(at, 'r', strcspn(at, ":/")))
			return true;
	return false;
}

/* What argument `which` of a command may be. */
static void offer_argument(struct offering *o, const struct command *c, int which)
{
	const char *at = c->complete, *slash;
	char part[128];

	for (; which > 0 && (slash = strchr(at, '/')); which--)
		at = slash + 1;
	snprintf(part, sizeof part, "%.*s", (int)strcspn(at, "/"), at);
	for (at = part; *at && *at != ':'; at++)
		offer_kind(o, *at);
	if (*at == ':')
		offer_words(o, at + 1);
	if (takes_rules(c))
		offer_rest_of_rules(o);
}

/* How many whole words there are before `end`, without the command. */
static int arguments_before(const char *at, const char *end)
{
	char word[64];
	int n = -1;

	for (; at < end; n++)
		command_word(&at, word, sizeof word);
	return n < 0 ? 0 : n;
}

void command_complete(struct session *s, const char *line, size_t start, size_t end, command_offer_fn *fn, void *ctx)
{
	struct offering o = { s, line + strspn(line, " \t"), line + start, end - start, fn, ctx };
	const struct command *c;
	const char *at = line, *name, *args, *help;
	char word[64], several[512];
	int before, k;

	command_word(&at, word, sizeof word);
	if (start <= strspn(line, " \t")) {
		offer_commands(&o);
		return;
	}
	before = arguments_before(line, line + start);
	for (k = 0; screen_name(s, k, &name, &args, &help); k++)
		if (!strcmp(name, word)) {
			if (!before)
				offer_screen_argument(&o, args);
			return;
		}
	c = exactly(word);
	if (!c)
		c = by_alias(word);
	if (!c)
		c = by_prefix(word, several, sizeof several);
	if (c)
		offer_argument(&o, c, before);
}

/* ---- the manual page */

void command_man(FILE *f)
{
	size_t i;
	int k;

	fputs(".SH COMMANDS\nUnique beginnings of names will do.\n", f);
	for (i = 0; i < NCOMMAND; i++) {
		man_item(f, commands[i].name, commands[i].args, commands[i].help);
		if (*commands[i].more) {
			man_text(f, commands[i].more);
			fputc('\n', f);
		}
	}
	fputs(".SS Short names\n", f);
	for (i = 0; i < sizeof aliases / sizeof *aliases; i++)
		man_item(f, aliases[i].letter, "", aliases[i].name);
	fputs(".SS Subjects of info\n", f);
	for (k = 0; k < SESSION_PAGE_COUNT; k++)
		man_item(f, session_page_name((enum session_page)k), "", session_page_help((enum session_page)k));
	fputs(".SS Settings\n", f);
#define X(id, name, value, least, help) man_item(f, name, "", help "; " #value " by default");
	SESSION_SETTINGS(X)
#undef X
}
