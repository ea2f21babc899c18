#include "lesson.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "egglog.h"
#include "firing_explain.h"
#include "input.h"

enum { TROUBLE = 2, DEPTH = 8 };

struct lesson {
	egraph *g;
	rules *r;
	firings *f;
	schedule *s;
	egglog *p;
	struct input text;
	vec mark;		/* trail marks: before every step that was taken */
	bool failed;
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

static void print_size(const struct lesson *l)
{
	uint32_t n[] = { firing_n(l->f), eg_live(l->g), eg_nclass(l->g) };

	printf("%u firing%s, %u node%s, %u class%s\n", n[0], n[0] == 1 ? "" : "s", n[1], n[1] == 1 ? "" : "s", n[2], n[2] == 1 ? "" : "es");
}

/* What a firing matched, where no term says what it made (a function was set). */
static void print_match(struct lesson *l, arena *a, const firing *x)
{
	uint32_t k, n = 0;

	for (k = 0; k < x->npos; k++)
		if (x->pos[k] != NIL)
			printf("%s%s", n++ ? ", " : "from ", node_text(l->r, a, x->pos[k], DEPTH));
	printf("\n");
}

/* The last firing: its rule, or what the program gave, and the smallest term of the class of what it built, or else matched. */
static void print_firing(struct lesson *l)
{
	uint32_t id = firing_n(l->f) - 1;
	firing x = firing_at(l->f, id);
	arena a;
	uint64_t cost;
	eg_id node;
	const char *term;

	printf("%5u  %-18s ", id, x.rule ? x.rule->name : "given");
	if (!x.rule) {
		printf("%.50s\n", x.note);
		return;
	}
	arena_init(&a);
	node = x.nbuilt ? x.built[x.nbuilt - 1] : x.npos ? x.pos[0] : NIL;
	term = node == NIL ? NULL : extract_term(l->r, &a, eg_root(l->g, node), &cost);
	if (term)
		printf("%s\n", term);
	else
		print_match(l, &a, &x);
	arena_free(&a);
}

/* One step forward; false at the end or after an error. */
static bool step(struct lesson *l, enum egglog_step *what)
{
	*(trail_mark *)vec_push(&l->mark) = trail_at(eg_trail(l->g));
	*what = egglog_step(l->p);
	if (*what == EGGLOG_ERROR) {
		fprintf(stderr, "%s\n", egglog_error(l->p));
		l->failed = true;
	}
	if (*what == EGGLOG_END)
		l->mark.n--;
	return *what == EGGLOG_FIRED || *what == EGGLOG_COMMAND;
}

static void print_place(const struct lesson *l)
{
	const sexp *at = egglog_at(l->p);

	if (at)
		printf("at line %u: %.60s\n", at->line, at->text ? at->text : "");
	else
		printf("at the end\n");
}

/* What a form of the program gives is a firing, too. */
static bool fires(struct lesson *l, enum egglog_step *what, bool *fired)
{
	uint32_t n = firing_n(l->f);
	bool goes_on = step(l, what);

	*fired = firing_n(l->f) > n;
	if (*fired)
		print_firing(l);
	return goes_on;
}

static void steps(struct lesson *l, uint32_t n)
{
	enum egglog_step what;
	bool fired;

	while (n && fires(l, &what, &fired))
		n -= fired;
}

static void next_form(struct lesson *l)
{
	enum egglog_step what;
	bool fired;

	while (fires(l, &what, &fired) && what == EGGLOG_FIRED)
		;
}

/* Back before the last n firings. */
static void back(struct lesson *l, uint32_t n)
{
	uint32_t want = firing_n(l->f) > n ? firing_n(l->f) - n : 0;

	while (l->mark.n && firing_n(l->f) > want)
		trail_undo(eg_trail(l->g), VEC_AT(trail_mark, &l->mark, --l->mark.n));
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
				printf("%s%s", shown++ ? " = " : "", node_text(l->r, &a, x, DEPTH));
			x = eg_next_in_class(l->g, x);
		} while (x != k);
		if (shown)
			printf("\n");
	}
	arena_free(&a);
}

/* The expressions behind a command's first word; false: not as many, or one of them is no node of the graph. */
static bool expressions(struct lesson *l, arena *a, const char *line, uint32_t n, eg_id *x)
{
	const char *error = NULL;
	const sexp *e;
	uint32_t k;

	line += strspn(line, " ");
	line += strcspn(line, " (\n");
	e = sexp_read(a, "line", line, strlen(line), &error);
	if (!error && e->n != n)
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
	const char *term;
	uint64_t cost;
	arena a;
	eg_id x;

	arena_init(&a);
	if (expressions(l, &a, line, 1, &x)) {
		term = extract_term(l->r, &a, eg_root(l->g, x), &cost);
		printf("%s\n", term ? term : "there is no term for it");
	}
	arena_free(&a);
}

static void help(void)
{
	printf("s [N]  the next firing, or N of them\n"
	       "n      to the end of the form that runs\n"
	       "c      to the end of the program\n"
	       "r [N]  back one firing, or N of them\n"
	       "p      where it is and how large the graph is\n"
	       "g      the graph, a line per class: what is equal\n"
	       "x E    the best term of what E is in the graph\n"
	       "w A B  why A and B are equal\n"
	       "q      leave\n");
}

/* False: leave. */
static bool obey(struct lesson *l, const char *line)
{
	uint32_t n = 1;
	char c = 'p';

	sscanf(line, " %c%*[a-z-] %u", &c, &n);
	sscanf(line, " %c %u", &c, &n);
	switch (c) {
	case 's': steps(l, n ? n : 1); break;
	case 'n': next_form(l); break;
	case 'c': steps(l, UINT32_MAX); break;
	case 'r': back(l, n ? n : 1); break;
	case 'p': print_size(l); break;
	case 'g': print_graph(l); return true;
	case 'x': best(l, line); return true;
	case 'w': why(l, line); return true;
	case 'h': case '?': help(); return true;
	case 'q': return false;
	default: printf("no such command; h lists them\n"); return true;
	}
	print_place(l);
	return true;
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

int lesson_run(const char *file)
{
	struct lesson l;
	const char *why;

	if (!lesson_open(&l, file))
		return TROUBLE;
	if ((why = egglog_run(l.p))) {
		fprintf(stderr, "%s\n", why);
		l.failed = true;
	}
	return finish(&l);
}

int lesson_step(const char *file)
{
	struct lesson l;
	char *line = NULL;
	size_t cap = 0;
	bool talks = isatty(STDIN_FILENO), goes_on = true;

	if (!lesson_open(&l, file))
		return TROUBLE;
	if (talks) {
		help();
		print_place(&l);
	}
	while (goes_on) {
		if (talks) {
			printf("(egg) ");
			fflush(stdout);
		}
		goes_on = getline(&line, &cap, stdin) >= 0 && obey(&l, line);
	}
	free(line);
	return finish(&l);
}
