#include "command/lesson.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "rule/egglog.h"
#include "rule/extract.h"
#include "rule/firing_explain.h"
#include "rule/match.h"
#include "text/input.h"

enum { TROUBLE = 2, DEPTH = 8, TRACED = 12, REMEMBERED = 12 };

#define TYPED "typed"	/* stands for the file of forms that were typed */

struct lesson {
	egraph *g;
	rules *r;
	firings *f;
	schedule *s;
	egglog *p;
	struct input text;
	vec mark;		/* trail marks: before every step that was taken */
	bool failed;
	enum lesson_command again;	/* what an empty line does */
};

static void say(void *ctx, const char *line)
{
	(void)ctx;
	printf("%s\n", line);
}

static void lesson_close(struct lesson *l)
{
	egglog_free(l->p);
	schedule_free(l->s);
	firings_free(l->f);
	rules_free(l->r);
	eg_free(l->g);
	vec_free(&l->mark);
	input_free(&l->text);
}

/* False when the file is no egglog program; the reason is on stderr. */
static bool lesson_open(struct lesson *l, const char *file)
{
	struct diag err;
	char text[1200];
	const char *why;

	memset(l, 0, sizeof *l);
	if (!input_read(&l->text, file, &err)) {
		fprintf(stderr, "%s\n", diag_text(&err, text, sizeof text));
		return false;
	}
	l->g = eg_new();
	l->r = rules_new(l->g);
	l->f = firings_new(l->r);
	l->s = schedule_new(l->f);
	l->p = egglog_new(l->f, l->s, say, NULL);
	vec_init(&l->mark, sizeof(trail_mark));
	eg_trail(l->g)->on = true;
	eg_set_proofs(l->g, true);
	why = egglog_load(l->p, file, l->text.data, l->text.n);
	if (!why)
		return true;
	fprintf(stderr, "%s\n", why);
	lesson_close(l);
	return false;
}

/* A program that begins with rules about what it has not declared has perhaps rules about graphs. */
static void fail(struct lesson *l, const char *why)
{
	bool unknown = strstr(why, "unknown function `") || strstr(why, "no such ruleset `");

	fprintf(stderr, "%s%s\n", why, unknown && !eg_nnode(l->g) && !rules_n(l->r)
						? "; rules about tensor graphs are read beside a pair: diverge --rules FILE BASE DIST" : "");
	l->failed = true;
}

static void print_size(const struct lesson *l)
{
	uint32_t n[] = { firing_n(l->f), eg_live(l->g), eg_nclass(l->g) };

	printf("%u firing%s, %u node%s, %u class%s\n", n[0], n[0] == 1 ? "" : "s", n[1], n[1] == 1 ? "" : "s", n[2], n[2] == 1 ? "" : "es");
}

/* A node, and of a row of a function its value. */
static void print_node(const struct lesson *l, arena *a, eg_id x)
{
	const char *value = function_value_text(l->r, a, x, DEPTH);

	printf("%s%s%s", node_text(l->r, a, x, DEPTH), value ? " = " : "", value ? value : "");
}

/* Is the node at position k read by that of another one? */
static bool read_by_another(const struct lesson *l, const firing *x, uint32_t k)
{
	uint32_t i, n;

	for (i = 0; i < x->npos; i++)
		for (n = i == k || x->pos[i] == NIL ? 0 : eg_narg(l->g, x->pos[i]); n > 0; n--)
			if (eg_root(l->g, eg_args(l->g, x->pos[i])[n - 1]) == eg_root(l->g, x->pos[k]))
				return true;
	return false;
}

/* What a firing matched: outermost nodes, where they are not what is said already. */
static void print_from(const struct lesson *l, arena *a, const firing *x, const char *said)
{
	const char *text;
	uint32_t k, n = 0;

	for (k = 0; k < x->npos; k++) {
		if (x->pos[k] == NIL || read_by_another(l, x, k))
			continue;
		text = node_text(l->r, a, x->pos[k], DEPTH);
		if (strcmp(text, said))
			printf("%s%s", n++ ? ", " : "  from ", text);
	}
	printf("\n");
}

/* A form in one line: `most` characters of it, blanks and ends of lines as one blank. */
static void print_form(const char *text, uint32_t most)
{
	const char *at = text;
	uint32_t n = 0;

	while (*at && n < most) {
		size_t blank = strspn(at, " \t\r\n");

		n++;
		if (blank) {
			putchar(' ');
			at += blank;
			continue;
		}
		do
			putchar(*at++);
		while (((unsigned char)*at & 0xc0) == 0x80);	/* the rest of a character */
	}
	printf(*at ? "..\n" : "\n");
}

/* A firing: its rule, or what the program gave, and the smallest term of the class of what it built, or else matched. */
static void print_firing(struct lesson *l, uint32_t id)
{
	firing x = firing_at(l->f, id);
	arena a;
	uint64_t cost;
	eg_id node;
	const char *term;

	printf("%5u  %-18s ", id, x.rule ? x.rule->name : "given");
	if (!x.rule) {
		print_form(x.note, 50);
		return;
	}
	arena_init(&a);
	node = x.nbuilt ? x.built[x.nbuilt - 1] : x.npos ? x.pos[0] : NIL;
	term = node == NIL ? NULL : extract_term(l->r, &a, eg_root(l->g, node), &cost);
	if (term)
		printf("%s", term);
	else if (x.nbuilt)		/* no term says what it made: a function was set */
		print_node(l, &a, x.built[x.nbuilt - 1]);
	print_from(l, &a, &x, term ? term : "");
	arena_free(&a);
}

/* One step forward; false at the end or after an error. */
static bool step(struct lesson *l, enum egglog_step *what)
{
	*(trail_mark *)vec_push(&l->mark) = trail_at(eg_trail(l->g));
	*what = egglog_step(l->p);
	if (*what == EGGLOG_ERROR)
		fail(l, egglog_error(l->p));
	if (*what == EGGLOG_END)
		l->mark.n--;
	return *what == EGGLOG_FIRED || *what == EGGLOG_COMMAND;
}

static void print_place(const struct lesson *l)
{
	const sexp *at = egglog_at(l->p);

	if (!at) {
		printf("at the end\n");
		return;
	}
	if (strcmp(egglog_file(l->p), TYPED))
		printf("at line %u: ", at->line);
	else
		printf("at what was typed: ");
	print_form(at->text ? at->text : "", 60);
}

/* ^C ends the run, not the program, which can be stepped on from where it stands. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

static void heed_interrupts(void)
{
	struct sigaction sa = { .sa_handler = on_interrupt };

	sigemptyset(&sa.sa_mask);
	sa.sa_flags = SA_RESTART;
	sigaction(SIGINT, &sa, NULL);
}

static bool told_to_stop(void)
{
	if (interrupted)
		printf("interrupted\n");
	return interrupted;
}

/* What a form of the program gives is a firing, too. */
static bool fires(struct lesson *l, enum egglog_step *what, bool *fired)
{
	uint32_t n = firing_n(l->f);
	bool goes_on = step(l, what);

	*fired = firing_n(l->f) > n;
	if (*fired)
		print_firing(l, firing_n(l->f) - 1);
	return goes_on;
}

static void steps(struct lesson *l, uint32_t n)
{
	enum egglog_step what;
	bool fired;

	while (n && fires(l, &what, &fired) && !told_to_stop())
		n -= fired;
}

static void next_form(struct lesson *l)
{
	enum egglog_step what;
	bool fired;

	while (fires(l, &what, &fired) && what == EGGLOG_FIRED && !told_to_stop())
		;
}

/* Back before the last n firings. */
static void back(struct lesson *l, uint32_t n)
{
	uint32_t want = firing_n(l->f) > n ? firing_n(l->f) - n : 0;

	while (l->mark.n && firing_n(l->f) > want)
		trail_undo(eg_trail(l->g), VEC_AT(trail_mark, &l->mark, --l->mark.n));
}

/* The last n firings, in the order they were done. */
static void history(struct lesson *l, uint32_t n)
{
	uint32_t end = firing_n(l->f), k = end > n ? end - n : 0;

	if (k)
		printf("  .. %u before\n", k);
	for (; k < end; k++)
		print_firing(l, k);
	if (!end)
		printf("nothing has fired yet\n");
}

static void print_member(const struct lesson *l, arena *a, eg_id x, bool more)
{
	if (more)
		printf(" = ");
	print_node(l, a, x);
}

/* A line per class: what is equal. */
static void print_graph(struct lesson *l)
{
	uint32_t n = eg_nnode(l->g), k, shown;
	arena a;
	eg_id x;

	arena_init(&a);
	for (k = 0; k < n; k++) {
		if (eg_root(l->g, k) != k)
			continue;
		x = k;
		shown = 0;
		do {
			if (!eg_dead(l->g, x))
				print_member(l, &a, x, shown++ > 0);
			x = eg_next_in_class(l->g, x);
		} while (x != k);
		if (shown)
			printf("\n");
	}
	arena_free(&a);
}

/* The n expressions of a line; false: not as many, or one of them is no node of the graph. */
static bool expressions(struct lesson *l, arena *a, const char *line, uint32_t n, eg_id *x)
{
	const char *error = NULL;
	const sexp *e = sexp_read(a, "", line, strlen(line), &error);
	uint32_t k;

	if (error)
		error = sexp_message(error, "");
	else if (e->n != n)
		error = n == 1 ? "one expression is meant" : "two expressions are meant";
	for (k = 0; !error && k < n; k++)
		x[k] = egglog_find(l->p, &e->at[k], &error);
	if (error)
		printf("%s\n", error);
	return !error;
}

/* Why two expressions are equal, the oldest reason first. */
static void why(struct lesson *l, const char *line)
{
	explain_source s = firings_source(l->f);
	explanation e;
	eg_id x[2];
	uint32_t k;
	arena a;

	arena_init(&a);
	if (expressions(l, &a, line, 2, x)) {
		e = explain(&s, x[0], x[1], &a);
		for (k = 0; k < e.n; k++)
			printf("  %s\n", explain_text(l->f, &a, &e.item[k], DEPTH));
		if (!e.equal || !e.n)
			printf(e.equal ? "they are one node\n" : "they are not equal, as far as the program has run\n");
	}
	arena_free(&a);
}

static void best(struct lesson *l, const char *line)
{
	const char *term, *value;
	uint64_t cost;
	arena a;
	eg_id x;

	arena_init(&a);
	if (expressions(l, &a, line, 1, &x)) {
		value = function_value_text(l->r, &a, x, DEPTH);
		term = value ? value : extract_term(l->r, &a, eg_root(l->g, x), &cost);
		printf("%s\n", term ? term : "there is no term for it");
	}
	arena_free(&a);
}

/* ---- why a rule does not fire */

/* The rule that a line begins with, of several the one with the longest name; *line moves behind it. */
static const rule *rule_of(const struct lesson *l, const char **line)
{
	const rule *best = NULL;
	size_t n = 0, len;
	uint32_t k;

	for (k = 0; k < rules_n(l->r); k++) {
		const rule *r = rules_at(l->r, k);

		len = strlen(r->name);
		if (len > n && !strncmp(*line, r->name, len) && (!(*line)[len] || (*line)[len] == ' ')) {
			best = r;
			n = len;
		}
	}
	*line += n + strspn(*line + n, " ");
	return best;
}

/* The last firing of a rule that started at a node of this class; NIL: none. */
static uint32_t fired_at(const struct lesson *l, const rule *r, eg_id node)
{
	uint32_t id = firing_n(l->f);

	while (id-- > 0) {
		firing x = firing_at(l->f, id);
		if (x.rule == r && x.npos && x.pos[0] != NIL && eg_root(l->g, x.pos[0]) == eg_root(l->g, node))
			return id;
	}
	return NIL;
}

static void trace_at(struct lesson *l, matcher *m, const rule *r, eg_id node)
{
	uint32_t id = fired_at(l, r, node);
	arena a;
	miss x;

	arena_init(&a);
	x = match_trace(m, r, node, &a);
	printf("  %s: ", node_text(l->r, &a, node, DEPTH));
	if (x.why == MISS_EQUAL && id != NIL)
		printf("it has fired here (firing %u), and what it says is known\n", id);
	else if (x.why != MISS_NONE && id != NIL)
		printf("it has fired here (firing %u) and no longer matches: %s\n", id, x.text);
	else if (x.why != MISS_NONE)
		printf("%s\n", x.text);
	else if (id != NIL)
		printf("it matches, and has fired here: firing %u\n", id);
	else
		printf("it matches, and has not fired here: %s\n",
		       egglog_at(l->p) ? "it does when its ruleset is run" : "no run is left in the program");
	arena_free(&a);
}

/* Every node that the rule may start at, of one class or, with NIL, of all. */
static void trace_all(struct lesson *l, const rule *r, eg_id class)
{
	matcher *m = matcher_new(l->r);
	uint32_t n = eg_nnode(l->g), k, shown = 0;

	for (k = 0; k < n; k++) {
		if (eg_dead(l->g, k) || eg_op_family(l->g, eg_node_op(l->g, k)) != rule_root_family(r) ||
		    (class != NIL && eg_root(l->g, k) != class))
			continue;
		if (shown++ < TRACED)
			trace_at(l, m, r, k);
	}
	if (shown > TRACED)
		printf("  .. and at %u more nodes; whynot %s EXPRESSION asks at one\n", shown - TRACED, r->name);
	if (!shown)
		printf("no node %s is of the kind that it starts at\n", class == NIL ? "of the graph" : "of that class");
	matcher_free(m);
}

static void whynot(struct lesson *l, const char *line)
{
	const rule *r = rule_of(l, &line);
	eg_id x = NIL;
	arena a;

	if (!r) {
		printf(*line ? "there is no rule '%.60s'; `rules` lists them\n" : "which rule? `rules` lists them%s\n", line);
		return;
	}
	arena_init(&a);
	if (!*line || expressions(l, &a, line, 1, &x))
		trace_all(l, r, x == NIL ? NIL : eg_root(l->g, x));
	arena_free(&a);
}

static void print_rules(struct lesson *l)
{
	const rule_state *st;
	uint32_t k;

	for (k = 0; k < rules_n(l->r); k++) {
		st = schedule_rule(l->s, rules_at(l->r, k));
		printf("%-20s fired %u\n", rules_at(l->r, k)->name, st ? st->fired : 0);
	}
}

/* ---- commands */

static const struct {
	const char *name, *args, *help;
} commands[] = {
#define X(id, name, args, help) { name, args, help },
	LESSON_COMMANDS(X)
#undef X
};

static const struct {
	const char *name;
	enum lesson_command means;
} aliases[] = {
#define X(name, id) { name, LESSON_##id },
	LESSON_ALIASES(X)
#undef X
};

static void help(void)
{
	size_t k;

	for (k = 0; k < LESSON_COMMAND_COUNT; k++)
		printf("%-12s %-12s %s\n", commands[k].name, commands[k].args, commands[k].help);
	printf("Beginnings will do, the first that fits is meant, and `rs` for reverse-step;\nan empty line steps again.  A form, (run 3) say, is put behind the program.\n");
}

/* The first command that begins like this. */
static enum lesson_command command_named(const char *word, size_t n)
{
	int k;

	for (k = 0; k < (int)(sizeof aliases / sizeof *aliases); k++)
		if (n == strlen(aliases[k].name) && !strncmp(aliases[k].name, word, n))
			return aliases[k].means;
	for (k = 0; k < LESSON_COMMAND_COUNT; k++)
		if (n && !strncmp(commands[k].name, word, n))
			return (enum lesson_command)k;
	return LESSON_COMMAND_COUNT;
}

/* A number, or `otherwise` where none stands. */
static bool number(enum lesson_command c, const char *args, uint32_t otherwise, uint32_t *n)
{
	unsigned long v;
	char *end;

	*n = otherwise;
	if (!*args && otherwise != NIL)
		return true;
	v = strtoul(args, &end, 10);
	if (*args < '0' || *args > '9' || *end || v >= NIL) {
		printf(*args ? "%s takes a number, which '%s' is not\n" : "%s takes a number\n", commands[c].name, args);
		return false;
	}
	*n = (uint32_t)v;
	return true;
}

static void go_to(struct lesson *l, uint32_t n)
{
	uint32_t here = firing_n(l->f);

	if (n < here)
		back(l, here - n);
	else
		steps(l, n - here);
}

/* Those that move; false: there is nothing to say about where it is. */
static bool move(struct lesson *l, enum lesson_command c, const char *args)
{
	uint32_t n;

	if (!number(c, args, c == LESSON_GOTO ? NIL : 1, &n))
		return false;
	switch (c) {
	case LESSON_STEP: steps(l, n); break;
	case LESSON_REVERSE: back(l, n); break;
	case LESSON_GOTO: go_to(l, n); break;
	case LESSON_NEXT: next_form(l); break;
	default: steps(l, UINT32_MAX); break;
	}
	return true;
}

/* False: leave. */
static bool obey_command(struct lesson *l, enum lesson_command c, const char *args)
{
	uint32_t n;

	switch (c) {
	case LESSON_STEP: case LESSON_NEXT: case LESSON_CONTINUE: case LESSON_REVERSE: case LESSON_GOTO:
		if (move(l, c, args))
			print_place(l);
		break;
	case LESSON_PRINT:
		print_size(l);
		print_place(l);
		break;
	case LESSON_HISTORY:
		if (number(c, args, REMEMBERED, &n))
			history(l, n);
		break;
	case LESSON_GRAPH: print_graph(l); break;
	case LESSON_X: best(l, args); break;
	case LESSON_WHY: why(l, args); break;
	case LESSON_WHYNOT: whynot(l, args); break;
	case LESSON_RULES: print_rules(l); break;
	case LESSON_HELP: help(); break;
	case LESSON_QUIT: return false;
	case LESSON_COMMAND_COUNT: break;
	}
	return true;
}

/* A form goes behind the program: at its end it comes next. */
static void take_form(struct lesson *l, const char *line)
{
	bool next = !egglog_at(l->p);
	const char *why = egglog_load(l->p, TYPED, line, strlen(line));

	if (why)
		printf("%s\n", sexp_message(why, TYPED));
	else
		printf(next ? "it comes next: s steps through it, n does it\n" : "it stands behind the program: continue goes there\n");
}

static void no_command(const char *word, size_t n)
{
	static const char *const forms[] = { "run", "run-schedule", "check", "extract", "let", "union", "set", "rule", "rewrite" };
	size_t k;

	for (k = 0; k < sizeof forms / sizeof *forms; k++)
		if (n == strlen(forms[k]) && !strncmp(forms[k], word, n)) {
			printf("a form is typed as in the program: (%s ..)\n", forms[k]);
			return;
		}
	printf("there is no command '%.*s'; help lists them\n", (int)n, word);
}

/* An empty line does the last command again that moved. */
static bool obey(struct lesson *l, char *line)
{
	char *word = line + strspn(line, " \t:"), *args;	/* the debugger's prompt is a colon */
	size_t n = strcspn(word, " \t\r\n("), end = strlen(word);
	enum lesson_command c = command_named(word, n);

	while (end && strchr(" \t\r\n", word[end - 1]))
		word[--end] = 0;
	args = word + n + strspn(word + n, " \t");
	if (!*word)
		return obey_command(l, l->again, "");
	if (c == LESSON_COMMAND_COUNT) {
		if (*word == '(')
			take_form(l, word);
		else
			no_command(word, n);
		return true;
	}
	l->again = c <= LESSON_REVERSE ? c : LESSON_STEP;
	return obey_command(l, c, args);
}

void lesson_man(FILE *f)
{
	size_t k;

	fputs(".SS Commands of a program that is stepped\n", f);
	for (k = 0; k < LESSON_COMMAND_COUNT; k++)
		fprintf(f, ".TP\n.B %s%s%s\n%s\n", commands[k].name, *commands[k].args ? " \\fR" : "", commands[k].args, commands[k].help);
	fputs(".TP\n.B (FORM)\na form of the language, (run 3) say: it is put behind the program, and comes next at its end\n", f);
}

bool lesson_is(const char *file)
{
	size_t n = strlen(file);

	return n > 4 && !strcmp(file + n - 4, ".egg");
}

static int finish(struct lesson *l)
{
	int status = l->failed ? TROUBLE : 0;

	print_size(l);
	lesson_close(l);
	return status;
}

static int run_all(struct lesson *l)
{
	const char *why = egglog_run(l->p);

	if (why)
		fail(l, why);
	return finish(l);
}

int lesson_run(const char *file)
{
	struct lesson l;

	return lesson_open(&l, file) ? run_all(&l) : TROUBLE;
}

/* NULL at the end of the input. */
static char *next_line(lesson_ask_fn *ask)
{
	char *line = NULL;
	size_t cap = 0;

	if (ask)
		return ask("(egg) ");
	if (getline(&line, &cap, stdin) >= 0)
		return line;
	free(line);
	return NULL;
}

int lesson_step(const char *file, lesson_ask_fn *ask)
{
	struct lesson l;
	char *line;
	bool goes_on = true;

	if (!isatty(STDIN_FILENO))
		ask = NULL;
	if (!lesson_open(&l, file))
		return TROUBLE;
	if (ask) {
		heed_interrupts();
		printf("s steps, r goes back, help lists the commands\n");
		print_place(&l);
	}
	line = next_line(ask);
	if (!line && !ask)		/* nobody steps it */
		return run_all(&l);
	for (; line && goes_on; line = goes_on ? next_line(ask) : NULL) {
		interrupted = 0;
		goes_on = obey(&l, line);
		free(line);
	}
	return finish(&l);
}
