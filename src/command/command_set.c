/* Commands about settings, breakpoints, files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "command/command_in.h"
#include "problem/plan_write.h"
#include "proof/proof_file.h"
#include "report/report.h"

/* ---- settings */

static const struct {
	const char *name, *help;
	uint32_t least;
} settings[] = {
#define X(id, name, value, least, help) { name, help, least },
	SESSION_SETTINGS(X)
#undef X
};

static bool set_number(struct session *s, const char *name, const char *args)
{
	uint32_t v;
	int k;

	for (k = 0; k < SESSION_SETTING_COUNT; k++)
		if (!strcmp(settings[k].name, name)) {
			if (!*args)
				return command_fail(s, "set %s to what number? It is %lld", name, (long long)s->setting[k]);
			if (!command_count(s, name, args, &v))
				return false;
			if (v < settings[k].least)
				return command_fail(s, "%s is %u or more", name, settings[k].least);
			s->setting[k] = v;
			s->p->q->limit = (uint64_t)s->setting[SET_LIMIT];
			session_changed(s);
			return true;
		}
	return command_fail(s, "there is no setting '%s'; show lists them", name);
}

bool cmd_set(struct session *s, const char *args)
{
	char name[64], from[1024], to[1024];

	command_word(&args, name, sizeof name);
	if (!*name)
		return command_fail(s, "set SETTING N, or set substitute-path FROM TO; show lists them");
	if (strcmp(name, "substitute-path"))
		return set_number(s, name, args);
	command_word(&args, from, sizeof from);
	command_word(&args, to, sizeof to);
	if (!*from || !*to || *args)
		return command_fail(s, "set substitute-path FROM TO");
	sources_substitute(s->src, from, to);
	session_changed(s);
	return true;
}

static bool has_rule_of_path(struct session *s, const char *prefix)
{
	const char *from, *to;
	size_t n = strlen(prefix);
	int k;

	n -= n > 1 && prefix[n - 1] == '/';
	for (k = 0; k < sources_nsubstitute(s->src); k++) {
		sources_get_substitute(s->src, k, &from, &to);
		if (strlen(from) == n && !memcmp(from, prefix, n))
			return true;
	}
	return false;
}

bool cmd_unset(struct session *s, const char *args)
{
	char name[64];

	command_word(&args, name, sizeof name);
	if (strcmp(name, "substitute-path") || !*args)
		return command_fail(s, "unset substitute-path FROM");
	if (!has_rule_of_path(s, args))
		return command_fail(s, "there is no substitute-path rule of '%s'; show lists them", args);
	sources_substitute(s->src, args, NULL);
	session_changed(s);
	return true;
}

static void setting_line(struct session *s, struct page *p, int k)
{
	page_add(p, PG_KEY, "%s", settings[k].name);
	page_at(p, 18, PG_NUMBER, "%lld", (long long)s->setting[k]);
	page_at(p, 28, PG_DIM, "%s", settings[k].help);
}

bool cmd_show(struct session *s, const char *args)
{
	struct page *p = command_output(s);
	const char *from, *to;
	int k;

	for (k = 0; *args && k < SESSION_SETTING_COUNT; k++)
		if (!strcmp(args, settings[k].name)) {
			setting_line(s, p, k);
			return command_show(s, PAGE_OUTPUT);
		}
	if (*args)
		return command_fail(s, "there is no setting '%s'; show lists them", args);
	for (k = 0; k < SESSION_SETTING_COUNT; k++)
		setting_line(s, p, k);
	for (k = 0; k < sources_nsubstitute(s->src); k++) {
		sources_get_substitute(s->src, k, &from, &to);
		page_add(p, PG_KEY, "substitute-path");
		page_at(p, 18, PG_NORMAL, "%s -> %s", from, to);
	}
	for (k = 0; k < sources_ndirectory(s->src); k++) {
		page_add(p, PG_KEY, "directory");
		page_at(p, 18, PG_NORMAL, "%s", sources_get_directory(s->src, k));
	}
	for (k = 0; k < sources_nskip(s->src); k++) {
		page_add(p, PG_KEY, "skip file");
		page_at(p, 18, PG_NORMAL, "%s", sources_get_skip(s->src, k));
	}
	return command_show(s, PAGE_OUTPUT);
}

bool cmd_directory(struct session *s, const char *args)
{
	struct stat st;

	sources_directory(s->src, *args ? args : NULL);
	session_changed(s);
	if (*args && (stat(args, &st) || !S_ISDIR(st.st_mode)))	/* it may come yet */
		session_say(s, SAY_WARNING, "%s is no folder yet: files are looked for there all the same", args);
	else
		session_say(s, SAY_MESSAGE, *args ? "files are looked for in %s, too" : "files are looked for in the present folder and those of the programs%s", args);
	return true;
}

bool cmd_skip(struct session *s, const char *args)
{
	char word[16];

	if (!*args) {
		sources_skip(s->src, NULL);
		session_changed(s);
		return true;
	}
	command_word(&args, word, sizeof word);
	if (strcmp(word, "file") || !*args)
		return command_fail(s, "skip file GLOB");
	sources_skip(s->src, args);
	s->frame = 0;
	session_changed(s);
	return true;
}

/* ---- breakpoints */

/* One that is there already stays the only one. */
static bool add_break(struct session *s, struct breakpoint b, const char *text)
{
	const char *word = b.kind == BREAK_WATCH ? "watch" : "breakpoint";
	int i;

	for (i = 0; i < session_nbreak(s); i++)
		if (session_break(s, i)->kind == b.kind && !strcmp(session_break(s, i)->text, text)) {
			session_say(s, SAY_MESSAGE, "%s %d is there already: %s; `delete %d` takes it away", word, session_break(s, i)->id,
				    text, session_break(s, i)->id);
			return true;
		}
	b.id = s->next_break++;
	b.text = arena_strdup(&s->text, text);
	*(struct breakpoint *)vec_push(&s->brk) = b;
	session_say(s, SAY_MESSAGE, "%s %d: %s", word, b.id, b.text);
	return true;
}

static bool break_rule(struct session *s, const char *rule)
{
	struct breakpoint b = { .kind = BREAK_RULE };
	char text[300];

	if (prover_rule_named(s->p->p, rule) == NIL)
		return command_no_rule(s, rule);
	b.rule = arena_strdup(&s->text, rule);
	snprintf(text, sizeof text, "rule %s", rule);
	return add_break(s, b, text);
}

static bool break_rows(struct session *s, enum break_kind kind, const char *args)
{
	struct breakpoint b = { .kind = kind, .side = { s->sel.side, s->sel.side }, .row = { s->sel.row[s->sel.side], -1 } };
	char why[512], name[2][600], text[1300];
	int k, n = kind == BREAK_UNION ? 2 : 1;

	for (k = 0; k < n; k++) {
		if ((*args || n > 1) &&
		    !nodes_row(s, &args, k && b.side[0] == SIDE_DIST ? SIDE_BASE : SIDE_DIST, &b.side[k], &b.row[k], why, sizeof why))
			return command_fail(s, "%s", why);
		if (b.row[k] < 0)
			return command_fail(s, "no instruction is selected");
		session_name(s, b.side[k], b.row[k], name[k], sizeof name[k]);
	}
	if (*args)
		return command_fail(s, "'%s' is too much", args);
	snprintf(text, sizeof text, "%s%s%s%s", n > 1 ? "union " : "", name[0], n > 1 ? " " : "", n > 1 ? name[1] : "");
	return add_break(s, b, text);
}

bool cmd_break(struct session *s, const char *args)
{
	if (!strncmp(args, "rule ", 5))
		return break_rule(s, args + 5 + strspn(args + 5, " "));
	if (!strncmp(args, "union ", 6))
		return break_rows(s, BREAK_UNION, args + 6);
	return break_rows(s, BREAK_ROW, args);
}

bool cmd_watch(struct session *s, const char *args)
{
	return break_rows(s, BREAK_WATCH, args);
}

bool cmd_delete(struct session *s, const char *args)
{
	struct breakpoint *b = VEC(struct breakpoint, &s->brk);
	uint32_t id, i;

	session_changed(s);
	if (!*args) {
		s->brk.n = 0;
		return true;
	}
	if (!command_count(s, "delete", args, &id))
		return false;
	for (i = 0; i < s->brk.n; i++)
		if (b[i].id == (int)id) {
			memmove(b + i, b + i + 1, sizeof *b * (s->brk.n - i - 1));
			s->brk.n--;
			return true;
		}
	return command_fail(s, "there is no breakpoint %u", id);
}

/* ---- files */

bool cmd_source(struct session *s, const char *args)
{
	return *args ? command_source(s, args) : command_fail(s, "source which file?");
}

static void write_log(struct session *s, FILE *f)
{
	int k;

	for (k = 0; k < session_nlog(s); k++)
		fprintf(f, "%s\n", session_log(s, k));
}

static void write_breaks(struct session *s, FILE *f)
{
	int k;

	for (k = 0; k < session_nbreak(s); k++) {
		const struct breakpoint *b = session_break(s, k);
		fprintf(f, "%s %s\n", b->kind == BREAK_WATCH ? "watch" : "break", b->text);
	}
}

/* Behind the last step a run still looks at what fires nothing. */
static void write_place(FILE *f, bool end, uint32_t step)
{
	if (end)
		fprintf(f, "continue!\n");
	else
		fprintf(f, "goto %u\n", step);
}

/* As a shell reads it. */
static void write_word(FILE *f, const char *word)
{
	bool plain = *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%=-")];

	fputs(plain ? " " : " '", f);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", f);
		else
			fputc(*word, f);
	}
	if (!plain)
		fputc('\'', f);
}

/* The command line behind which these commands are meant to run. */
static void write_start(const struct problem_files *files, FILE *f)
{
	fprintf(f, "# diverge");
	if (files->plan) {
		fprintf(f, " --plan");
		write_word(f, files->plan);
	}
	if (files->rules) {
		fprintf(f, " --rules");
		write_word(f, files->rules);
	}
	write_word(f, files->base);
	write_word(f, files->dist);
	fputc('\n', f);
}

/* Commands that bring another session to the same state. */
static void write_session(struct session *s, FILE *f)
{
	const struct act *last = NULL;
	const char *from, *to;
	int k;

	write_start(&s->p->files, f);
	for (k = 0; k < SESSION_SETTING_COUNT; k++)
		fprintf(f, "set %s %lld\n", settings[k].name, (long long)s->setting[k]);
	for (k = 0; k < sources_nsubstitute(s->src); k++) {
		sources_get_substitute(s->src, k, &from, &to);
		fprintf(f, "set substitute-path %s %s\n", from, to);
	}
	for (k = sources_ndirectory(s->src); k-- > 0; )
		fprintf(f, "directory %s\n", sources_get_directory(s->src, k));
	for (k = 0; k < sources_nskip(s->src); k++)
		fprintf(f, "skip file %s\n", sources_get_skip(s->src, k));
	write_breaks(s, f);
	for (k = 0; k < acts_count(s); k++)
		if (acts_get(s, k)->done && !acts_get(s, k)->failed) {
			last = acts_get(s, k);
			write_place(f, last->end, last->step);
			fprintf(f, "%s\n", last->text);
		}
	/* an act that was made here leaves nothing to go to */
	if (!last || session_done(s) || last->step != session_step(s))
		write_place(f, session_done(s), session_step(s));
	if (s->test)
		fprintf(f, *s->test ? "test %s\n" : "test%s\n", s->test);
}

static void write_plan(struct session *s, FILE *f)
{
	plan_write(s->p, f);
}

static bool save_with(struct session *s, const char *file, void (*write)(struct session *s, FILE *f))
{
	FILE *f = fopen(file, "w");
	bool bad;

	if (!f)
		return command_fail(s, "%s: %s", file, strerror(errno));
	write(s, f);
	bad = ferror(f);
	if (fclose(f) || bad)
		return command_fail(s, "%s: it cannot be written: %s", file, strerror(errno));
	session_say(s, SAY_MESSAGE, "written to %s", file);
	return true;
}

static const char *chain_of_act(void *ctx, uint32_t firing)
{
	const struct act *a = acts_of_firing(ctx, firing);

	return a && a->kind == ACTS_ASSUME ? a->chain : NULL;
}

static bool any_proved(const struct session *s)
{
	int k;

	for (k = 0; k < s->p->q->ngoal; k++)
		if (s->p->q->goal[k].compared && goal_met(s->p->q, &s->p->q->goal[k]))
			return true;
	return false;
}

static bool save_proof(struct session *s, const char *file)
{
	const char *why;
	FILE *f;

	if (s->p->files.no_trail)
		return command_fail(s, "started with --no-trail: no proof was kept");
	if (!(f = fopen(file, "w")))
		return command_fail(s, "%s: %s", file, strerror(errno));
	why = proof_write(f, s->p, chain_of_act, s);
	if (why) {
		fclose(f);
		remove(file);
		return command_fail(s, "the proof cannot be written: %s", why);
	}
	if (ferror(f) | fclose(f))
		return command_fail(s, "%s: it cannot be written: %s", file, strerror(errno));
	if (any_proved(s))
		session_say(s, SAY_MESSAGE, "written to %s; diverge --check %s goes through it", file, file);
	else
		session_say(s, SAY_WARNING, "written to %s, with no proof in it: no output is proved", file);
	return true;
}

static bool save_session(struct session *s, const char *file)
{
	if (!save_with(s, file, write_session))
		return false;
	s->saved_acts = acts_version(s);
	s->found_saved = true;		/* it says how they were found */
	return true;
}

bool cmd_save(struct session *s, const char *args)
{
	char what[16];

	command_word(&args, what, sizeof what);
	if (!strcmp(what, "screen")) {
		if (!s->host.save_screen)
			return command_fail(s, "there is no screen: --size WxH makes one");
		return s->host.save_screen(s->host.ctx, args) || command_fail(s, "%s: %s", args, strerror(errno));
	}
	if (!*args)
		return command_fail(s, "save plan|proof|counterexample|session|log|screen FILE");
	if (!strcmp(what, "log"))
		return save_with(s, args, write_log);
	if (!strcmp(what, "session"))
		return save_session(s, args);
	if (!strcmp(what, "plan"))
		return save_with(s, args, write_plan);
	if (!strcmp(what, "proof"))
		return save_proof(s, args);
	if (!strcmp(what, "counterexample"))
		return command_save_counterexample(s, args);
	return command_fail(s, "save plan|proof|counterexample|session|log|screen FILE: '%s' is none of them", what);
}

/* Nothing but leaving was tried since it was warned of: who leaves again means it. */
static bool leaves_again(struct session *s)
{
	static const char *const way[] = { "quit", "q", "close" };
	int k;
	size_t i;

	for (k = (int)s->left_at; s->left_at && k < session_nlog(s); k++) {
		for (i = 0; i < sizeof way / sizeof *way && strcmp(session_log(s, k), way[i]); i++)
			;
		if (i == sizeof way / sizeof *way)
			return false;
	}
	return s->left_at > 0;
}

/* Acts, and the inputs that refute: anything else is there again after the same keys. */
static bool would_lose(struct session *s)
{
	int n = s->saved_acts == acts_version(s) ? 0 : acts_count(s);
	bool found = s->found && !s->found_saved;
	char acts[64] = "";

	if (!s->host.asks || (!n && !found) || leaves_again(s))
		return false;
	s->left_at = (uint32_t)session_nlog(s);
	if (n)
		snprintf(acts, sizeof acts, "%d act%s", n, n == 1 ? "" : "s");
	session_say(s, SAY_WARNING, "%s%s%s %s not saved: `save session FILE` keeps %s, quit again leaves without", acts, n && found ? " and " : "",
		    found ? "the inputs that refute" : "", n == 1 && !found ? "is" : "are", n == 1 && !found ? "it" : "them");
	return true;
}

bool cmd_quit(struct session *s, const char *args)
{
	if (!command_nothing(s, "quit", args))
		return false;
	if (would_lose(s))
		return true;
	s->quit = true;
	if (s->host.quit)
		s->host.quit(s->host.ctx);
	return true;
}
