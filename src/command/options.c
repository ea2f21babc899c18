#include "command/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include "command/lesson.h"
#include "util/arena.h"

static const struct {
	const char *name;
	int letter;
	const char *arg, *help;
} table[] = {
#define X(id, name, letter, arg, help) { name, letter, arg, help },
	OPTIONS(X)
#undef X
};

#define LONG_BASE 1000		/* values of options, above all letters */

static bool trouble(const char *what, const char *value)
{
	fprintf(stderr, "diverge: %s%s; --help shows the options\n", what, value);
	return false;
}

static bool add_command(struct options *o, bool script, const char *text)
{
	struct option_command *c = realloc(o->command, sizeof *c * ((size_t)o->ncommand + 1));

	if (!c) {
		die_hook("out of memory");
		return false;
	}
	c[o->ncommand++] = (struct option_command){ script, text };
	o->command = c;
	return true;
}

static bool read_size(struct options *o, const char *text)
{
	char end;

	if (sscanf(text, "%dx%d%c", &o->width, &o->height, &end) != 2 || o->width < 1 || o->height < 1 || o->width > 1000 ||
	    o->height > 1000)
		return trouble("--size wants WIDTHxHEIGHT, at most 1000x1000: ", text);
	return true;
}

/* One of three words; *which is its place among them. */
static bool read_word(int *which, const char *const word[3], const char *option, const char *text)
{
	for (*which = 0; *which < 3; ++*which)
		if (!strcmp(word[*which], text))
			return true;
	fprintf(stderr, "diverge: --%s wants %s, %s or %s, not '%s'\n", option, word[0], word[1], word[2], text);
	return false;
}

static bool take(struct options *o, enum option_id id, const char *arg)
{
	switch (id) {
	case OPTION_PLAN:
		o->plan = arg;
		return true;
	case OPTION_RULES:
		o->rules = arg;
		return true;
	case OPTION_JSON:
		o->json = o->batch = true;
		return true;
	case OPTION_BATCH:
		o->batch = true;
		return true;
	case OPTION_COMMAND:
		return add_command(o, false, arg);
	case OPTION_SCRIPT:
		return add_command(o, true, arg);
	case OPTION_SIZE:
		return read_size(o, arg);
	case OPTION_COLOR:
		return read_word(&o->color, (const char *const[]){ "auto", "never", "always" }, "color", arg);
	case OPTION_BACKGROUND:
		return read_word(&o->background, (const char *const[]){ "auto", "dark", "light" }, "background", arg);
	case OPTION_MOUSE:
		o->mouse = true;
		return true;
	case OPTION_NO_TRAIL:
		o->no_trail = true;
		return true;
	case OPTION_CERTIFY:
		o->certify = true;
		return true;
	case OPTION_CHECK:
		o->check = arg;
		o->batch = true;
		return true;
	case OPTION_HELP:
		o->help = true;
		return true;
	case OPTION_VERSION:
		o->version = true;
		return true;
	case OPTION_HELP_MAN:
		o->help_man = true;
		return true;
	case OPTION_COUNT:
		break;
	}
	return false;
}

static enum option_id id_of(int value)
{
	int k;

	if (value >= LONG_BASE)
		return (enum option_id)(value - LONG_BASE);
	for (k = 0; k < OPTION_COUNT && table[k].letter != value; k++)
		;
	return (enum option_id)k;
}

static void make_tables(struct option *l, char *letters)
{
	int k;

	*letters++ = ':';
	for (k = 0; k < OPTION_COUNT; k++) {
		l[k] = (struct option){ table[k].name, table[k].arg ? required_argument : no_argument, NULL, LONG_BASE + k };
		if (!table[k].letter)
			continue;
		*letters++ = (char)table[k].letter;
		if (table[k].arg)
			*letters++ = ':';
	}
	l[k] = (struct option){ NULL, 0, NULL, 0 };
	*letters = 0;
}

/* What is said of a pair says nothing of an egglog program. */
static bool take_program(struct options *o, const char *file)
{
	const char *const given[] = { o->plan ? "--plan" : NULL, o->rules ? "--rules" : NULL, o->json ? "--json" : NULL,
				      o->ncommand ? (o->command[0].script ? "--script" : "--command") : NULL, o->width ? "--size" : NULL,
				      o->no_trail ? "--no-trail" : NULL, o->certify ? "--certify" : NULL, o->check ? "--check" : NULL };
	size_t k;

	for (k = 0; k < sizeof given / sizeof *given; k++)
		if (given[k]) {
			fprintf(stderr, "diverge: %s is for a pair, not for the egglog program %s; its commands are read from standard input\n",
				given[k], file);
			return false;
		}
	o->base = file;
	return true;
}

static bool take_files(struct options *o, int n, char **file)
{
	int k;

	if (o->help || o->version || o->help_man)
		return true;
	if (n == 1 && lesson_is(file[0]))
		return take_program(o, file[0]);
	for (k = 0; k < n; k++)
		if (lesson_is(file[k]))
			return trouble("an egglog program stands alone, it is no graph of a pair: ", file[k]);
	if (n != 0 && n != 2)
		return trouble(n == 1 ? "DIST is missing" : "two files are meant, BASE and DIST", "");
	if (o->no_trail && !o->batch)
		return trouble("--no-trail needs --batch", "");
	if (o->certify && !o->batch)
		return trouble("--certify needs --batch; in the debugger it is a command", "");
	if (o->certify && o->no_trail)
		return trouble("--certify needs the trail: not with --no-trail", "");
	if (o->check && (!n || o->ncommand || o->json || o->certify || o->no_trail))
		return trouble("--check wants BASE and DIST, and no commands, --json, --certify or --no-trail", "");
	if (n) {
		o->base = file[0];
		o->dist = file[1];
	}
	return true;
}

bool options_read(struct options *o, int argc, char **argv)
{
	struct option l[OPTION_COUNT + 1];
	char letters[2 * OPTION_COUNT + 2];
	int c;

	memset(o, 0, sizeof *o);
	make_tables(l, letters);
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, l, NULL)) != -1) {
		if (c == ':')
			return trouble("an argument is missing behind ", argv[optind - 1]);
		if (c == '?')
			return trouble("there is no such option: ", argv[optind - 1]);
		if (!take(o, id_of(c), optarg))
			return false;
	}
	return take_files(o, argc - optind, argv + optind);
}

void options_release(struct options *o)
{
	int k;

	free(o->command);
	for (k = 0; k < 3; k++)
		free(o->owned[k]);
}

void options_usage(FILE *f)
{
	char left[64];
	int k;

	fprintf(f, "Usage: diverge [OPTIONS] BASE DIST\n"
		"       diverge [--batch] PROGRAM.egg\n"
		"Compares a tensor graph with its distributed form and shows where the proof of their equality breaks.\n"
		"Without files it opens a sample pair.\n\n");
	for (k = 0; k < OPTION_COUNT; k++) {
		if (!table[k].help)
			continue;
		snprintf(left, sizeof left, "%s%c%s --%s%s%s", table[k].letter ? "-" : "", table[k].letter ? table[k].letter : ' ',
			 table[k].letter ? "," : "  ", table[k].name, table[k].arg ? "=" : "", table[k].arg ? table[k].arg : "");
		fprintf(f, "  %-22s %s\n", left, table[k].help);
	}
	fprintf(f, "\nExit status: 0 proved, 1 not proved, 2 trouble, 3 a limit was reached, 4 proved under hypotheses.\n");
}

static void man_name(FILE *f, const char *name)
{
	for (; *name; name++)
		fprintf(f, *name == '-' ? "\\-" : "%c", *name);
}

void options_man(FILE *f)
{
	int k;

	fputs(".SH OPTIONS\n", f);
	for (k = 0; k < OPTION_COUNT; k++) {
		if (!table[k].help)
			continue;
		fputs(".TP\n", f);
		if (table[k].letter)
			fprintf(f, "\\fB\\-%c\\fR, ", table[k].letter);
		fputs("\\fB\\-\\-", f);
		man_name(f, table[k].name);
		fputs("\\fR", f);
		if (table[k].arg)
			fprintf(f, "=\\fI%s\\fR", table[k].arg);
		fputc('\n', f);
		man_name(f, table[k].help);
		fputs(".\n", f);
	}
}
