/* options.h - the command line: one table gives the parser, --help and the manual page. */
#ifndef DIVERGE_OPTIONS_H
#define DIVERGE_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

/* long name, letter or 0, argument or NULL, help */
#define OPTIONS(X) \
	X(PLAN, "plan", 'p', "FILE", "how inputs and outputs are related (default: a .plan beside DIST)") \
	X(BATCH, "batch", 'b', NULL, "no screen: run to the verdict and report, or only run the commands given") \
	X(JSON, "json", 'j', NULL, "the report as JSON and nothing else on standard output; implies --batch") \
	X(COMMAND, "command", 'e', "CMD", "run a command first; may be repeated") \
	X(SCRIPT, "script", 'x', "FILE", "run a file of commands first; may be repeated") \
	X(SIZE, "size", 's', "WxH", "with --batch: size of the screen that `save screen` writes") \
	X(COLOR, "color", 0, "WHEN", "auto, never or always; NO_COLOR in the environment is honoured") \
	X(BACKGROUND, "background", 0, "WHICH", "auto, dark or light, as the terminal's is") \
	X(MOUSE, "mouse", 0, NULL, "use the mouse instead of leaving it to the terminal") \
	X(RULES, "rules", 'r', "DIR|FILE", "a folder of rule files instead of the program's own, or one file beside them") \
	X(NO_TRAIL, "no-trail", 0, NULL, "with --batch: keep no trail, there is no way back") \
	X(CERTIFY, "certify", 0, NULL, "with --batch: a separate checker goes through every proof; one that fails is trouble") \
	X(CHECK, "check", 0, "PROOF", "go through a proof that `save proof` wrote, proving nothing anew; implies --batch") \
	X(HELP, "help", 'h', NULL, "show this and leave") \
	X(VERSION, "version", 'V', NULL, "show the version and leave") \
	X(HELP_MAN, "help-man", 0, NULL, NULL)
enum option_id {
#define X(id, name, letter, arg, help) OPTION_##id,
	OPTIONS(X)
#undef X
	OPTION_COUNT
};

struct option_command {
	bool script;
	const char *text;	/* a command, or a file */
};

struct options {
	const char *plan, *rules, *base, *dist, *check;
	bool batch, json, no_trail, certify, help, version, help_man;
	int width, height;		/* 0: none given */
	int color, background;		/* which word of its list */
	bool mouse;
	int ncommand;
	struct option_command *command;	/* allocated; in the order given */
	char *owned[3];			/* names of files that main has made up */
};

/* False after one line on stderr. */
bool options_read(struct options *o, int argc, char **argv);
void options_release(struct options *o);
void options_usage(FILE *f);
void options_man(FILE *f);	/* the section OPTIONS */

#endif
