/* The command language: names, help, completion, scripts, the manual page, and what every command says to nonsense. */
#include "app.h"
#include "command/command.h"
#include "command/command_table.h"
#include "keys.h"
#include "pair_files.h"
#include "run_line.h"
#include "screen.h"
#include "session/acts.h"

#include <errno.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static const char *const names[] = {
#define X(name, args, complete, flags, fn, help, more) name,
	COMMANDS(X)
#undef X
};
#define NNAMES (sizeof names / sizeof *names)

static const char *const screen_names[] = {
#define X(name, args, help, fn) name,
	SCREEN_COMMANDS(X)
#undef X
};

/* ---- a session, and what was shown last */

static struct session *s;
static enum session_page shown;
static int nshown;

static void show(void *ctx, enum session_page k)
{
	(void)ctx;
	shown = k;
	nshown++;
}

static int setup(void **state)
{
	struct session_host h = { .show = show };

	(void)state;
	s = pair_open(false);
	session_set_host(s, &h);
	nshown = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	session_free(s);
	return 0;
}

static void run(const char *line)
{
	run_line(s, line);
}

static void refused(const char *line, const char *words)
{
	refused_line(s, line, words);
}

static bool page_holds(enum session_page k, const char *words)
{
	return page_line(s, k, words);
}

static void reopen(const char *base, const char *dist, const char *plan)
{
	session_free(s);
	s = pair_texts(base, dist, plan);
}

/* ---- names */

static void test_names(void **state)
{
	(void)state;
	run("step");
	assert_int_equal(session_step(s), 1);
	run("  s 2  ");
	assert_int_equal(session_step(s), 3);
	run("reverse-s");
	assert_int_equal(session_step(s), 2);
	run("rs");
	assert_int_equal(session_step(s), 1);
	refused("re", "ambiguous: reverse-step, reverse-next, reverse-iterate, reverse-continue, redo, retract, relation, reload, report");
	refused("stepp", "no command 'stepp'");
	refused("step x", "step takes a number, which 'x' is not");
	refused("step -1", "number");
	refused("undo now", "no arguments");
	refused("fold sideways", "'sideways' is none of them");
	refused("show nothing", "no setting 'nothing'");
	refused("set", "set SETTING N");
	refused("set width wide", "width takes a number");
	refused("set width 5", "width is 20 or more");
	refused("set lines 0", "lines is 1 or more");
	run("set width 20");
	refused("unset substitute-path /nowhere", "there is no substitute-path rule of '/nowhere'");
	refused("rule on", "rule on NAME");
	refused("rule check", "rule check all");
	refused("numbers at 1,x", "base %dot is f32[4,6]: at takes indices with commas between, not '1,x'");
	run("directory /no/such/folder");
	assert_non_null(strstr(session_message(s, NULL), "no folder yet"));
	run("directory");
	run("# nothing");
}

static void test_empty_line_repeats(void **state)
{
	(void)state;
	run("step");
	run("");
	run("");
	assert_int_equal(session_step(s), 3);
	/* what does not step or list is not repeated */
	run("set lines 50");
	run("");
	assert_int_equal(session_step(s), 4);
}

static void test_log(void **state)
{
	(void)state;
	run("step");
	run("");
	run("# a comment");
	command_run(s, "nonsense");
	assert_int_equal(session_nlog(s), 3);
	assert_string_equal(session_log(s, 1), "step");
	assert_string_equal(session_log(s, 2), "nonsense");
}

static void test_aliases_are_fixed(void **state)
{
	size_t i;

	(void)state;
	/* an alias is no command and its command exists */
#define X(letter, name) \
	for (i = 0; i < NNAMES && strcmp(names[i], name); i++) \
		assert_string_not_equal(names[i], letter); \
	assert_true(i < NNAMES);
	COMMAND_ALIASES(X)
#undef X
}

/* Every key of the screen stands for a command that exists. */
static void test_keys_have_commands(void **state)
{
	static const struct {
		const char *key, *command;
	} keys[] = {
#define X(view, key, command, help) { key, command },
		KEYS_MAP(X)
#undef X
	};
	size_t i, k, n;

	(void)state;
	for (i = 0; i < sizeof keys / sizeof *keys; i++) {
		n = strcspn(keys[i].command, " ");
		for (k = 0; k < NNAMES && (strlen(names[k]) != n || memcmp(names[k], keys[i].command, n)); k++)
			;
		if (k < NNAMES)
			continue;
		for (k = 0; k < sizeof screen_names / sizeof *screen_names; k++)
			if (strlen(screen_names[k]) == n && !memcmp(screen_names[k], keys[i].command, n))
				break;
		if (k == sizeof screen_names / sizeof *screen_names)
			fail_msg("key %s: there is no command '%s'", keys[i].key, keys[i].command);
	}
}

/* ---- help */

static void test_help(void **state)
{
	char line[100];
	size_t i;

	(void)state;
	run("help");
	for (i = 0; i < NNAMES; i++)
		assert_true(page_holds(PAGE_OUTPUT, names[i]));
	for (i = 0; i < NNAMES; i++) {
		snprintf(line, sizeof line, "help %s", names[i]);
		run(line);
		assert_true(page_holds(PAGE_OUTPUT, names[i]));
	}
	run("help info");
	assert_true(page_holds(PAGE_OUTPUT, "hypotheses"));
	run("h st");
	assert_true(page_holds(PAGE_OUTPUT, "firing"));
	refused("help nonsense", "no command");
	run("apropos taints");
	assert_false(page_holds(PAGE_OUTPUT, "goto"));
	assert_true(page_holds(PAGE_OUTPUT, "assume"));
	refused("apropos zebra", "zebra");
	refused("apropos", "what");
}

/* As the manual page writes a name that begins an item. */
static const char *item(const char *name)
{
	static char quoted[200];
	char *at = quoted + sprintf(quoted, "\n.B ");

	for (; *name; name++)
		at += sprintf(at, *name == '-' ? "\\-" : "%c", *name);
	return quoted;
}

static void test_man(void **state)
{
	char *text = NULL;
	size_t n = 0, i;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	command_man(f);
	app_man(f);
	fclose(f);
	for (i = 0; i < NNAMES + sizeof screen_names / sizeof *screen_names; i++) {
		const char *name = i < NNAMES ? names[i] : screen_names[i - NNAMES];
		if (!strstr(text, item(name)))
			fail_msg("the manual page does not speak of %s", name);
	}
	assert_non_null(strstr(text, "\n.B PageDown \\fRcursor page\\-down #\n"));
	assert_non_null(strstr(text, "VIEW is graph, source, history, explain, why"));
	free(text);
}

/* ---- completion */

static char offered[8192];

static void offer(void *ctx, const char *word, bool more)
{
	(void)ctx;
	(void)more;
	snprintf(offered + strlen(offered), sizeof offered - strlen(offered), " %s", word ? word : "FILES");
}

static const char *complete(const char *line)
{
	size_t n = strlen(line), start = n;

	while (start && line[start - 1] != ' ')
		start--;
	strcpy(offered, "");
	command_complete(s, line, start, n, offer, NULL);
	return offered;
}

static void test_completion(void **state)
{
	struct session_host none = { .ctx = NULL }, h;
	struct app *a;

	(void)state;
	assert_string_equal(complete("rev"), " reverse-step reverse-next reverse-iterate reverse-continue");
	assert_string_equal(complete("  contin"), " continue continue!");
	assert_string_equal(complete("select %t"), " %tanh");
	assert_string_equal(complete("select t"), " tanh");
	assert_string_equal(complete("rule off lift-tanh"), " lift-tanh");
	assert_string_equal(complete("b un"), " union");
	assert_string_equal(complete("info hy"), " hypotheses");
	assert_string_equal(complete("help who"), "");
	assert_string_equal(complete("help why"), " why whynot");
	assert_string_equal(complete("source "), " FILES");
	assert_string_equal(complete("set su"), " substitute-path");
	assert_string_equal(complete("set substitute-path /"), " FILES");
	assert_string_equal(complete("rule "), " on off show check");
	assert_string_equal(complete("save pl"), " plan");
	assert_string_equal(complete("save  plan "), " FILES");
	assert_string_equal(complete("apply lift-tanh "), " at");
	assert_string_equal(complete("apply lift-tanh"), " lift-tanh");
	assert_string_equal(complete("apply lift-tanh at %tan"), " %tanh");
	assert_string_equal(complete("apply %tan"), "");
	assert_string_equal(complete("apply D2 product m"), " mul");
	assert_string_equal(complete("rule show N11 content e"), " ein");
	assert_string_equal(complete("assume %tanh = b"), " base");
	assert_string_equal(complete("test --from "), " FILES =");
	assert_string_equal(complete("nonsense x"), "");
	a = app_new(s, 80, 24);
	h = app_host(a);
	session_set_host(s, &h);
	assert_string_equal(complete("focus ne"), " next");
	assert_string_equal(complete("view wh"), " why whynot");
	assert_string_equal(complete("cursor page-"), " page-up page-down");
	assert_string_equal(complete("cursor home "), "");
	assert_string_equal(complete("mouse "), " on off");
	assert_string_equal(complete("bind hist"), " history");
	session_set_host(s, &none);
	app_free(a);
	run("break %tanh");
	run("assume %dot = base %dot");
	assert_string_equal(complete("delete "), " 1");
	assert_string_equal(complete("retract "), " A1");
}

/* ---- what one types who comes from another program */

static void test_elsewhere(void **state)
{
	static const struct {
		const char *there, *here;
	} words[] = {
#define X(there, here) { there, here },
		COMMAND_ELSEWHERE(X)
#undef X
	};
	char line[200];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof words / sizeof *words; i++)
		refused(words[i].there, words[i].here);
	refused("run", "there is no command 'run'; here it is: continue!");
	refused("history", "there is no command 'history'; here it is: info history");
	refused("376", "here it is: goto 376, to a step");
	refused("%dot.3", "here it is: select %dot.3, or print %dot.3");
	refused("/dot", "here it is: search dot");
	refused("?dot", "here it is: reverse-search dot");
	refused("%", "a key is pressed without the colon");
	refused("setp", "perhaps 'step' is meant");
	refused("Continue", "perhaps 'continue' is meant");
	refused("rule show lift-dto", "there is no rule 'lift-dto'; perhaps 'lift-dot' is meant");
	refused("rule show N9999", "there is no rule 'N9999'; info rules lists them");
	refused("info b", "'b' is ambiguous: bijections, breakpoints");
	refused("info xyz", "there is no subject 'xyz'");
	snprintf(line, sizeof line, "info %.4s", "breakpoints");
	run(line);
	assert_int_equal(shown, PAGE_BREAKPOINTS);
}

#define FROM(line) ", metadata={op_name=\"f\" source_file=\"/src/model.py\" source_line=" line "}"

static void test_source_lines(void **state)
{
	(void)state;
	reopen("HloModule m\nENTRY e {\n x = f32[8] parameter(0)\n a = f32[8] tanh(x)" FROM("3") "\n ROOT b = f32[8] negate(a)" FROM("4") "\n}\n",
	       "HloModule m, num_partitions=2\nENTRY e {\n x = f32[4] parameter(0)\n a = f32[4] tanh(x)" FROM("3") "\n c = f32[4] negate(a)" FROM("5")
	       "\n ROOT d = f32[4] abs(c)" FROM("5") "\n}\n", "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n");
	run("break model.py:5");
	assert_string_equal(session_break(s, 0)->text, "%c");
	run("break base /src/model.py:4");
	assert_string_equal(session_break(s, 1)->text, "%b");
	run("break model.py:4");		/* no instruction of DIST comes from there */
	assert_int_equal(session_nbreak(s), 2);
	assert_string_equal(session_message(s, NULL), "breakpoint 2 is there already: %b; `delete 2` takes it away");
	run("watch %b");
	assert_int_equal(session_nbreak(s), 3);
	refused("break model.py:9", "there is no instruction model.py:9");
	refused("break odel.py:5", "there is no instruction odel.py:5");
	refused("break model.py:5x", "there is no instruction model.py:5x");
	run("continue!");
	run("print model.py:3/core");
}

/* What is in the file and is no row is told by what there is of it. */
static void test_no_rows(void **state)
{
	(void)state;
	reopen("HloModule m\nENTRY e {\n x = f32[8] parameter(0)\n a = f32[8] tanh(x)\n b = f32[8] abs(x)\n tok = token[] after-all()\n"
	       " ROOT t = (f32[8], f32[8]) tuple(a, b)\n}\n",
	       "HloModule m, num_partitions=2\nsum { p = f32[] parameter(0)\n q = f32[] parameter(1)\n ROOT r = f32[] add(p, q) }\n"
	       "ENTRY e {\n x = f32[4] parameter(0)\n a = f32[4] tanh(x)\n b = f32[4] abs(x)\n"
	       " ROOT u = (f32[4], f32[4]) all-reduce(a, b), replica_groups={}, to_apply=sum\n}\n", "mesh tp=2\ninput 0 tp:S(0)\n");
	refused("print %t", "%t is a tuple of %a, %b: one of these is meant");
	refused("whynot base %t", "%t is a tuple of %a, %b: one of these is meant");
	refused("whynot %u", "%u is no row of its own; there are %u#0, %u#1");
	refused("whynot base %u", "BASE has no instruction %u");
	refused("break %tok", "%tok (after-all) is no row: nothing is compared there");
	refused("break %to", "there is no instruction %to");
	run("continue!");
	run("whynot %u#1");			/* one node: why it is not verified, whether a row faces it or not */
	assert_true(page_holds(PAGE_WHYNOT, "%u#1 computes all-reduce"));
	assert_false(page_holds(PAGE_WHYNOT, "%a computes"));
	run("select %u#1");
}

/* ---- scripts */

static void test_script(void **state)
{
	char line[300];

	(void)state;
	pair_write("good", "# a script\n\nstep 2\n  step\r\n");
	snprintf(line, sizeof line, "source %s/good", pair_folder());
	run(line);
	assert_int_equal(session_step(s), 3);
	pair_write("bad", "step\n\nnonsense\nstep\n");
	snprintf(line, sizeof line, "source %s/bad", pair_folder());
	refused(line, "bad:3: there is no command 'nonsense'");
	assert_int_equal(session_step(s), 4);
	snprintf(line, sizeof line, "source %s/none", pair_folder());
	refused(line, "none");
	snprintf(line, sizeof line, "source %s/loop", pair_folder());
	pair_write("loop", line);
	refused(line, "runs itself");
	pair_write("stop", "step\nquit\nnonsense\n");
	snprintf(line, sizeof line, "source %s/stop", pair_folder());
	run(line);
}

static char *contents(const char *path)
{
	char *text = calloc(1, 100000);
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fread(text, 1, 99999, f) > 0);
	fclose(f);
	return text;
}

/* A saved session brings another one to the same place. */
static void test_save_session(void **state)
{
	char path[200], line[300], *text;
	struct session *first = s;
	uint32_t step, pending;

	(void)state;
	run("set lines 44");
	run("break rule lift-tanh");
	run("continue");
	run("assume %add = base %add R");
	run("delete");
	run("break %out");
	run("continue!");
	run("rule off N10");		/* at the end, which is behind the last firing */
	step = session_step(s);
	pending = session_pending(s);
	snprintf(path, sizeof path, "%s/saved", pair_folder());
	snprintf(line, sizeof line, "save session %s", path);
	run(line);
	text = contents(path);
	assert_non_null(strstr(text, "\nassume %add = base %add R\n"));
	free(text);
	s = pair_open(false);
	snprintf(line, sizeof line, "source %s", path);
	run(line);
	assert_int_equal(session_step(s), step);
	assert_int_equal(session_pending(s), pending);
	assert_int_equal(acts_count(s), 2);
	assert_int_equal(session_nbreak(s), 1);
	assert_int_equal(session_setting(s, SET_LINES), 44);
	session_free(s);
	s = first;
}

/* ---- a session with rules of its own: the program's, and one file more */

static void write_extra(const char *text)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof path, "%s/own/extra.egg", pair_folder());
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void open_with_rules(const char *extra)
{
	static const char *const file[] = { "lift", "normalize", "search", "settled", "structure", "tensors" };
	static char folder[200];
	struct problem_files f;
	char from[400], to[400];
	struct diag err;
	size_t k;

	snprintf(folder, sizeof folder, "%s/own", pair_folder());
	mkdir(folder, 0700);
	for (k = 0; k < sizeof file / sizeof *file; k++) {
		snprintf(from, sizeof from, SRCDIR "/rules/%s.egg", file[k]);
		snprintf(to, sizeof to, "%s/%s.egg", folder, file[k]);
		assert_true(!symlink(from, to) || errno == EEXIST);
	}
	write_extra(extra);
	f = session_problem(s)->files;
	f.rules = folder;
	session_free(s);
	s = session_new(&f, &err);
	assert_non_null(s);
}

#define BY_HAND "(ruleset aside)\n(rule ((= s (map t p f xs..)) (= r (pairing-recut s))) ((union s r)) :ruleset aside :name \"by hand\")\n"
#define TANH_AGAIN "(rule ((= d (tanh t s k m xs..)) (= r (lift-map d \"%s\"))) ((union d r)) :ruleset lift :name \"zz again\")\n"

/* Neither a rule that comes behind another one nor one of no ruleset that runs would fire. */
static void test_whynot_rule(void **state)
{
	char text[600];

	(void)state;
	snprintf(text, sizeof text, BY_HAND TANH_AGAIN, "cosine");
	open_with_rules(text);
	run("until %tanh");
	run("select %tanh");
	run("whynot zz again");
	assert_true(page_holds(PAGE_WHYNOT, "matches at %tanh"));
	assert_true(page_holds(PAGE_WHYNOT, "not run: lift-tanh comes before it at this node"));
	run("info matches");
	assert_true(page_holds(PAGE_MATCHES, "these match but are not run"));
	assert_false(page_holds(PAGE_MATCHES, "these match and would fire"));
	run("rule off lift-tanh");
	run("goto start");
	run("until %dot");
	run("select %tanh");
	run("whynot zz again");
	assert_true(page_holds(PAGE_WHYNOT, "the run has not come here yet"));
}

/* Rules are looked for in all that an instruction holds; of one that starts nowhere it is said what there is. */
static void test_whynot_place(void **state)
{
	(void)state;
	open_with_rules(BY_HAND);
	run("continue!");
	run("whynot lift-dot at %tanh");
	assert_true(page_holds(PAGE_WHYNOT, "of the kind it starts at, dot; the kinds here: tanh, laid, map"));
	run("whynot by hand at %tanh");
	assert_true(page_holds(PAGE_WHYNOT, "nothing to do here"));
	run("whynot by hand at %tanh/core/0");
	run("whynot 'by hand' at %tanh");
	run("whynot \"by hand\" at '%tanh'");
	refused("whynot 'by hand at %tanh", "there is no rule ''by hand'");
	run("whynot by hand at %tanh/core/0");
	assert_true(page_holds(PAGE_WHYNOT, "of the kind it starts at, map; the kinds here: "));
}

static void test_reload_names_changes(void **state)
{
	char text[600];

	(void)state;
	snprintf(text, sizeof text, TANH_AGAIN, "tanh");
	open_with_rules(text);
	run("continue!");
	run("reload");
	assert_non_null(strstr(session_message(s, NULL), "none has changed"));
	snprintf(text, sizeof text, BY_HAND TANH_AGAIN, "cosine");
	write_extra(text);
	run("reload");
	assert_true(page_holds(PAGE_OUTPUT, "zz again  "));
	assert_true(page_holds(PAGE_OUTPUT, "changed rule"));
	assert_true(page_holds(PAGE_OUTPUT, "by hand  "));
	assert_true(page_holds(PAGE_OUTPUT, "new rule"));
	write_extra("; none\n");
	run("reload");
	assert_true(page_holds(PAGE_OUTPUT, "rule that is gone"));
	write_extra("(rule");
	refused("reload", "the rules are as before");
}

/* Rules that cannot be read change nothing: not what the verdict rests on, not what is known of rows. */
static void test_reload_refused(void **state)
{
	(void)state;
	reopen("HloModule m\nENTRY main {\n x = f32[4] parameter(0)\n ROOT out = f32[4] cosine(x)\n}\n",
	       "HloModule m, num_partitions=2\nENTRY main {\n x = f32[4] parameter(0)\n y = f32[4] negate(x)\n"
	       " ROOT out = f32[4] cosine(y)\n}\n", "mesh tp=2\n");
	open_with_rules("; cos(-x) = cos(x)\n(rule ((= s (cosine t i j n u)) (= u (negate t i2 j2 n2 x)))\n"
			"  ((union s (cosine t i j n x))) :name \"even\")\n");
	run("continue!");
	run("apply even at %out");
	assert_int_equal(session_nfrontier(s), 1);
	write_extra("(rule");
	refused("reload", "the rules are as before");
	assert_int_equal(session_nfrontier(s), 1);
	assert_true(page_holds(PAGE_ASSUMPTIONS, "input 0 (%x): R, inferred from its shape"));
	run("continue!");
	assert_true(page_holds(PAGE_GOALS, "proved"));
	assert_true(page_holds(PAGE_ASSUMPTIONS, "input 0 (%x): R, inferred from its shape"));
}

static void test_session_knows_its_rules(void **state)
{
	char line[300], path[200], *text;

	(void)state;
	open_with_rules("; none\n");
	snprintf(path, sizeof path, "%s/saved with rules", pair_folder());
	snprintf(line, sizeof line, "save session %s", path);
	run(line);
	text = contents(path);
	snprintf(line, sizeof line, " --rules %s/own ", pair_folder());
	assert_non_null(strstr(text, line));
	free(text);
}

/* What would be refused is not proposed. */
/* `assume NODE` proposes; what stands there is neither asked for nor dropped without a word. */
static void test_proposal(void **state)
{
	(void)state;
	run("assume %tanh");
	assert_non_null(strstr(session_message(s, NULL), "proposed: assume %tanh = base %tanh "));
	assert_string_equal(session_row(s, SIDE_DIST, session_selection(s)->row[SIDE_DIST])->path, "tanh");
	refused("assume %tanh to", "'=' is missing before 'to'");
}

static void test_no_proposal(void **state)
{
	(void)state;
	reopen("HloModule m\nENTRY main {\n x = f32[6] parameter(0)\n t = f32[6] tanh(x)\n ROOT out = f32[6] add(t, x)\n}\n",
	       "HloModule m, num_partitions=2\nENTRY main {\n x = f32[6] parameter(0)\n z = f32[] constant(0)\n part = f32[5] slice(x), slice={[0:5]}\n"
	       " t = f32[5] cosine(part)\n back = f32[6] pad(t, z), padding=0_1\n ROOT out = f32[6] add(back, x)\n}\n",
	       "mesh tp=2\ninput 0 R\noutput 0 R\n");
	run("continue!");
	run("select %part");
	refused("assume", "their sizes suggest no relation to base %t, the nearest: write assume %part = base %NAME CHAIN");
}

/* What a probe has found is in no class: no page says that it is not known. */
static void test_found_by_trying(void **state)
{
	(void)state;
	reopen("HloModule m\nENTRY main {\n x = f32[4,8] parameter(0)\n w = f32[8,6] parameter(1)\n"
	       " dot = f32[4,6] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n ROOT out = f32[4,6] tanh(dot)\n}\n",
	       "HloModule m, num_partitions=2\nENTRY main {\n x = f32[4,4] parameter(0)\n w = f32[4,6] parameter(1)\n"
	       " part = f32[4,6] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n ROOT out = f32[4,6] tanh(part)\n}\n",
	       "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\noutput 0 R\n");
	run("continue!");
	run("select %part");
	run("why");
	assert_true(page_holds(PAGE_WHY, "found by trying"));
	run("relation");
	assert_true(page_holds(PAGE_RELATION, "related: P(sum)"));
	assert_false(page_holds(PAGE_RELATION, "not known"));
	run("whynot %part base %dot");
	assert_true(page_holds(PAGE_WHYNOT, "they correspond: P(sum)"));
	run("why %part base %dot");
	assert_true(page_holds(PAGE_WHY, "found by trying"));
	run("why %part");
	assert_true(page_holds(PAGE_WHY, "found by trying"));
	run("goto start");
	assert_true(page_holds(PAGE_WHY, "%part %dot: at this step %part is not taken up yet"));
}

static void test_steps_say_what_they_made(void **state)
{
	(void)state;
	reopen("HloModule m\nENTRY main {\n x = f32[4] parameter(0)\n y = f32[4] add(x, x)\n ROOT out = f32[4] add(y, x)\n}\n",
	       "HloModule m, num_partitions=2\nENTRY main {\n x = f32[4] parameter(0)\n y = f32[4] add(x, x)\n"
	       " z = f32[4] negate(x)\n ROOT out = f32[4] subtract(y, z)\n}\n",
	       "mesh tp=2\ninput 0 R\noutput 0 R\n");
	run("continue!");
	assert_true(page_holds(PAGE_HISTORY, "%y = 2 x %x"));
	assert_true(page_holds(PAGE_HISTORY, "%out = 3 x %x"));
	assert_false(page_holds(PAGE_HISTORY, "%out = %out"));
	run("select %out");
	assert_true(page_holds(PAGE_CLASS, "%y - %z  by lift-subtract, step"));
	assert_true(page_holds(PAGE_CLASS, "3 x %x"));
	run("why");
	assert_true(page_holds(PAGE_WHY, "%out = 3 x %x"));
}

/* What an output should be is said where it is not that. */
static void test_wanted(void **state)
{
	(void)state;
	reopen("HloModule m\nENTRY main {\n x = f32[4] parameter(0)\n ROOT out = f32[4] tanh(x)\n}\n",
	       "HloModule m, num_partitions=2\nENTRY main {\n x = f32[2] parameter(0)\n ROOT out = f32[2] sine(x)\n}\n",
	       "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n");
	run("continue!");
	assert_true(page_holds(PAGE_GOALS, "wanted: tp:S(0)"));
	run("assume %out = base %out tp:S(0)");
	run("continue!");
	assert_true(page_holds(PAGE_GOALS, "proved under hypotheses"));
	assert_false(page_holds(PAGE_GOALS, "wanted"));
}

static void test_until(void **state)
{
	(void)state;
	run("numbers %dot");
	assert_true(page_holds(PAGE_NUMBERS, "the run has not decided it yet"));
	assert_false(page_holds(PAGE_NUMBERS, "a rule is missing"));
	run("step 5");
	refused("until 3", "step 3 is behind already: `goto 3` goes back to it");
	refused("until 5", "this is step 5");
	run("until 7");
	assert_int_equal(session_step(s), 7);
	run("until %add");
	run("until %x");
	assert_non_null(strstr(session_message(s, NULL), "it was decided before"));
	run("select %add");
	run("whynot");
	assert_false(page_holds(PAGE_WHYNOT, "it is verified"));
	run("select %x");
	run("whynot");
	assert_true(page_holds(PAGE_WHYNOT, "it is verified: `why` says by what"));
	refused("retract", "info acts lists them");
	refused("C", "a key is pressed without the colon");
}

/* Places that are read in another order than the rising one are said in that order. */
static void test_print_backwards(void **state)
{
	static const char base[] = "HloModule m\nENTRY main {\n x = f32[6,4] parameter(0)\n r = f32[6,4] reverse(x), dimensions={0,1}\n"
				   " s = f32[4,2] slice(r), slice={[1:5],[0:4:3]}\n ROOT e = f32[4,2] exponential(s)\n}\n";
	(void)state;
	reopen(base, base, "mesh tp=1\n");
	run("continue!");
	run("print %r");
	assert_true(page_holds(PAGE_OUTPUT, "%r = rows 5..0, columns 3..0 of %x"));
	run("print %e");
	assert_true(page_holds(PAGE_OUTPUT, "exponential of rows 4..1, columns 3, 0 of %x"));
	run("print %x");
	assert_true(page_holds(PAGE_OUTPUT, "%x = input 0"));
}

/* The places of an index expression have no end that says anything. */
static void test_print_index(void **state)
{
	(void)state;
	reopen("HloModule m\nENTRY main {\n x = s32[4] parameter(0)\n i = s32[4] iota(), iota_dimension=0\n ROOT o = s32[4] add(x, i)\n}\n",
	       "HloModule m, num_partitions=2\nENTRY main {\n x = s32[2] parameter(0)\n i = s32[2] iota(), iota_dimension=0\n ROOT o = s32[2] add(x, i)\n}\n",
	       "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n");
	run("continue!");
	run("print %o");
	assert_true(page_holds(PAGE_OUTPUT, "[all integers]"));
	assert_false(page_holds(PAGE_OUTPUT, "9223372036854775807"));
}

static void test_find(void **state)
{
	(void)state;
	run("select %x");
	run("find tanh");
	assert_string_equal(session_row(s, SIDE_DIST, session_selection(s)->row[SIDE_DIST])->path, "tanh");
	run("select %x");
	run("find %tanh");
	assert_string_equal(session_row(s, SIDE_DIST, session_selection(s)->row[SIDE_DIST])->path, "tanh");
	run("select %x");
	run("find NH");			/* an end, in any case */
	assert_string_equal(session_row(s, SIDE_DIST, session_selection(s)->row[SIDE_DIST])->path, "tanh");
	run("select %x");
	run("find h");
	refused("find tanht", "no row holds 'tanht'");
	refused("find anht", "no row holds 'anht'");
	run("find layer/act");
	refused("find %layer/act", "no row holds '%layer/act'");
	refused("find %", "find what?");
}

static int left;

static void leave(void *ctx)
{
	(void)ctx;
	left++;
}

/* Asked once, and again when something else was done between. */
static void test_leaving(void **state)
{
	struct session_host h = { .show = show, .quit = leave, .asks = true };
	char line[300];

	(void)state;
	session_set_host(s, &h);
	left = 0;
	run("continue!");
	run("test");
	run("quit");
	assert_non_null(strstr(session_message(s, NULL), "the inputs that refute are not saved"));
	run("assume %add = base %add R");
	run("quit");
	assert_non_null(strstr(session_message(s, NULL), "1 act and the inputs that refute are not saved"));
	run("continue!");
	run("quit");
	assert_int_equal(left, 0);
	run("quit");
	assert_int_equal(left, 1);
	run("info acts");
	snprintf(line, sizeof line, "save session %s/kept", pair_folder());
	run(line);
	run("quit");
	assert_int_equal(left, 2);
}

static void test_save_others(void **state)
{
	char path[200], line[300], *text;

	(void)state;
	run("continue!");
	snprintf(path, sizeof path, "%s/out", pair_folder());
	snprintf(line, sizeof line, "save log %s", path);
	run(line);
	text = contents(path);
	assert_non_null(strstr(text, "continue!\n"));
	free(text);
	run("assume %add = base %add R");
	run("continue!");
	snprintf(line, sizeof line, "save proof %s", path);
	run(line);
	text = contents(path);
	assert_int_equal(strncmp(text, "diverge proof 1\n", 16), 0);
	assert_non_null(strstr(text, "\nassume "));
	free(text);
	refused("save", "save plan|proof|counterexample|session|log|screen FILE");
	refused("save counterexample x", "none yet");
	refused("save nothing x", "none of them");
	refused("save screen x", "no screen");
	refused("save log /no/such/folder/x", "No such file");
}

/* ---- what commands show */

static void test_pages(void **state)
{
	char line[100];
	int k;

	(void)state;
	run("continue");
	assert_int_equal(shown, PAGE_EXPLAIN);
	assert_true(page_holds(PAGE_EXPLAIN, "computes"));
	assert_true(page_holds(PAGE_EXPLAIN, "base %add computes"));
	for (k = 0; k < SESSION_PAGE_COUNT; k++) {
		snprintf(line, sizeof line, "info %s", session_page_name((enum session_page)k));
		run(line);
		assert_int_equal(shown, k);
		page_holds(shown, "");
	}
	run("info hyp");
	assert_int_equal(shown, PAGE_HYPOTHESES);
	refused("info nonsense", "no subject");
	refused("alternatives", "not at its verdict yet");
	refused("alternatives x", "number");
	refused("info", "about what");
	run("frontier");
	assert_true(page_holds(PAGE_FRONTIER, "%add"));
	run("rule show lift-dot");
	assert_true(page_holds(PAGE_RULE, "lift.egg"));
	run("list %dot");
	assert_true(page_holds(PAGE_SOURCE, "/old/place/model.py:3 is not found"));
	assert_true(page_holds(PAGE_SOURCE, "tried "));
	assert_true(page_holds(PAGE_SOURCE, "set substitute-path /old/place"));
	refused("edit", "is not found");
	refused("up", "outermost");
	run("select %b");
	refused("up", "no source");
	run("print %x");
	assert_int_equal(shown, PAGE_OUTPUT);
	run("print %dot/core/0");
	refused("print %dot/core/9", "no operand");
	refused("print %dot#99", "no such member");
	run("why %x %x");
	assert_true(page_holds(PAGE_WHY, "="));
	run("whynot %add");
	run("whynot lift-dot at %dot");
	assert_true(page_holds(PAGE_WHYNOT, "lift-dot"));
	refused("whynot no-rule at %dot", "no rule");
	run("report");
	assert_true(page_holds(PAGE_OUTPUT, "limit"));
	run("report json");
	assert_true(page_holds(PAGE_OUTPUT, "\"verdict\":\"unknown-limit\""));
	assert_true(page_holds(PAGE_OUTPUT, "\"seconds\":null"));
}

/* A rule that is off is offered, and can be fired by hand. */
static void test_apply(void **state)
{
	(void)state;
	refused("apply", "which rule");
	refused("apply no-rule", "there is no rule 'no-rule'; info rules lists them");
	refused("apply lift-dot", "no node here is of its kind");
	run("rule off lift-tanh");
	run("until base %tanh");
	run("select base %tanh");
	run("info matches");
	assert_true(page_holds(PAGE_MATCHES, "not run: it is off"));
	run("apply lift-tanh");
	assert_string_equal(acts_get(s, 1)->text, "apply lift-tanh at base %tanh#0");
	refused("apply lift-tanh at base %tanh", "equal");
	refused("apply N11 at base %tanh", "no node here is of its kind");
	refused("apply N11 at base %tanh#0", "another kind of node");
	run("undo");
	assert_int_equal(acts_count(s), 1);
}

#define BASE_TANH "HloModule m\nENTRY %main {\n p = f32[8] parameter(0)\n q = f32[8] tanh(p)\n ROOT r = f32[8] add(q, p)\n}\n"
#define HALVES "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n"
/* Another function inside of a called computation. */
#define CALLED "HloModule m, num_partitions=2\n%f {\n a = f32[4] parameter(0)\n q = f32[4] tanh(a)\n" \
	       " n = f32[4] negate(q)\n ROOT r = f32[4] add(n, a)\n}\nENTRY %main {\n p = f32[4] parameter(0)\n" \
	       " ROOT c = f32[4] call(p), to_apply=%f\n}\n"

/* What was refuted is refuted in a saved session, too. */
static void saved_refutation(void)
{
	int out = program_named(session_program(s, SIDE_DIST), "out");
	char path[200], line[300];
	struct session *first = s;

	snprintf(path, sizeof path, "%s/refuted", pair_folder());
	snprintf(line, sizeof line, "save session %s", path);
	run(line);
	s = pair_open(false);
	run("until %out");
	assert_int_not_equal(session_mark(s, SIDE_DIST, out), 'x');
	snprintf(line, sizeof line, "source %s", path);
	run(line);
	assert_int_equal(session_mark(s, SIDE_DIST, out), 'x');
	session_free(s);
	s = first;
}

static void test_numbers(void **state)
{
	(void)state;
	run("until %out");
	run("test");
	assert_true(strstr(session_message(s, NULL), "refuted"));
	assert_true(page_holds(PAGE_OUTPUT, "output 0 %out differs: device 0, [0,0] has"));
	assert_true(page_holds(PAGE_OUTPUT, "the baseline's [0,0] has"));
	assert_true(page_holds(PAGE_OUTPUT, "the first instruction that differs while its operands correspond: %add"));
	assert_true(page_holds(PAGE_OUTPUT, "%dot is base %dot P(sum) over tp: proved"));
	assert_true(page_holds(PAGE_OUTPUT, "%b is base %b R: proved"));
	assert_false(page_holds(PAGE_OUTPUT, "precision"));
	assert_int_equal(session_mark(s, SIDE_DIST, program_named(session_program(s, SIDE_DIST), "out")), 'x');
	run("report json");
	assert_true(page_holds(PAGE_OUTPUT, "\"verdict\":\"refuted\""));
	saved_refutation();
	run("test %b");
	assert_true(page_holds(PAGE_OUTPUT, "%b = base %b R: equal on"));
	run("test %x = base %x tp:S(1)");
	assert_true(page_holds(PAGE_OUTPUT, "tp:S(1): equal on"));
	run("test %w = base %b R");
	assert_true(page_holds(PAGE_OUTPUT, "differs: device"));
	refused("test %x = base %x R", "shape");
	refused("test %add = base %add tp:P(sum)", "which parts");
	refused("test %add base %add", "'='");
	refused("test base %x", "the first is of DIST");
	run("set work 0");
	refused("test", "billion steps");
	refused("test %b", "set work");
	run("set work 1");
	run("test %b");
}

/* Parts of the programs: from the inputs they refute, from cuts on they do not. */
static void test_cut(void **state)
{
	(void)state;
	run("continue!");
	run("test --cut 0");
	assert_true(page_holds(PAGE_OUTPUT, "cut at 1 verified node"));
	assert_true(page_holds(PAGE_OUTPUT, "%dot is base %dot P(sum) over tp: proved"));
	assert_true(page_holds(PAGE_OUTPUT, "%add: by its numbers it is no row of the baseline"));
	assert_true(page_holds(PAGE_OUTPUT, "output 0 %out differs on operands that the verified nodes allow"));
	assert_true(page_holds(PAGE_OUTPUT, "output 0 %out is not run from the inputs"));
	assert_true(strstr(session_message(s, NULL), "nothing is refuted"));
	assert_int_equal(session_mark(s, SIDE_DIST, program_named(session_program(s, SIDE_DIST), "out")), '?');
	refused("save counterexample /dev/null", "there is none yet");
	run("test --cut");
	assert_true(page_holds(PAGE_OUTPUT, "1 of 1 unproved output"));
	assert_true(page_holds(PAGE_OUTPUT, "output 0 %out differs: device"));
	assert_true(page_holds(PAGE_OUTPUT, "while its operands correspond: %add"));
	assert_false(page_holds(PAGE_OUTPUT, "not run from the inputs"));
	assert_true(strstr(session_message(s, NULL), "refuted: an input"));
	assert_int_equal(session_mark(s, SIDE_DIST, program_named(session_program(s, SIDE_DIST), "out")), 'x');
	refused("test --cut x", "number of billions");
	refused("test --cut -1", "number of billions");
	session_free(s);
	s = pair_open(true);
	run("rule off lift-all-reduce");
	run("continue!");
	run("test --cut 0");
	assert_true(page_holds(PAGE_OUTPUT, "a rule is missing, not a bug"));
	assert_true(page_holds(PAGE_OUTPUT, "places each, from the cuts on"));
	run("rule on lift-all-reduce");
	run("continue!");
	refused("test --cut", "nothing is unproved");
}

static int asked;

static bool busy(void *ctx, const char *what)
{
	(void)ctx;
	assert_non_null(strstr(what, "running numbers"));
	return ++asked > 1;
}

static bool impatient(void *ctx, const char *what)
{
	(void)ctx;
	(void)what;
	return true;
}

static void test_check_stopped(void **state)
{
	struct session_host h = { .show = show, .busy = impatient };

	(void)state;
	session_set_host(s, &h);
	refused("rule check all", "stopped at rule 1 of ");
	assert_int_equal(shown, PAGE_OUTPUT);
}

/* One ^C ends all of it: no second run begins. */
static void test_stopped(void **state)
{
	static const char form[] = "HloModule m%s\nENTRY %%main {\n p = f32[256,256] parameter(0)\n d = f32[256,256] dot(p, p), "
				   "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n ROOT r = f32[256,256] %s(d)\n}\n";
	struct session_host h = { .show = show, .busy = busy };
	char base[600], dist[600];

	(void)state;
	session_free(s);
	snprintf(base, sizeof base, form, "", "tanh");
	snprintf(dist, sizeof dist, form, ", num_partitions=2", "cosine");
	s = pair_texts(base, dist, "mesh tp=2\ninput 0 R\noutput 0 R\n");
	run("continue!");
	session_set_host(s, &h);
	asked = 0;
	refused("test", "stopped");
	assert_int_equal(asked, 2);
	asked = 0;
	refused("test --cut", "stopped");
	assert_int_equal(asked, 2);
}

/* Inside of a called computation. */
static void test_cut_inside(void **state)
{
	(void)state;
	reopen(BASE_TANH, CALLED, HALVES);
	run("continue!");
	run("test --cut 0");
	assert_true(page_holds(PAGE_OUTPUT, "%c/%q is %q S(0) over tp: proved"));
	assert_true(page_holds(PAGE_OUTPUT, "%c/%n: by its numbers it is no row of the baseline"));
}

#define SUM(t) "%s { a = " t "[] parameter(0)\n b = " t "[] parameter(1)\n ROOT r = " t "[] add(a, b) }\n"

/* Equal over the reals: what rounds otherwise is named, and nothing is refuted. */
static void test_precision(void **state)
{
	(void)state;
	reopen(BASE_TANH, "HloModule m, num_partitions=2\nENTRY %main {\n p = f32[4] parameter(0)\n q = f32[4] tanh(p)\n"
	       " low = bf16[4] convert(q)\n back = f32[4] convert(low)\n ROOT r = f32[4] add(back, p)\n}\n", HALVES);
	run("continue!");
	run("test");
	assert_true(page_holds(PAGE_OUTPUT, "output 0 %r: equal on"));
	assert_true(page_holds(PAGE_OUTPUT, "output 0 %r: a precision change"));
	assert_true(page_holds(PAGE_OUTPUT, "refutes nothing"));
	assert_true(page_holds(PAGE_OUTPUT, "the first rounding that differs: %low"));
	assert_true(page_holds(PAGE_OUTPUT, "%q is base %q S(0) over tp: proved"));
	assert_false(page_holds(PAGE_OUTPUT, "differs: device"));
	assert_null(strstr(session_message(s, NULL), "refuted"));
	reopen(BASE_TANH, "HloModule m, num_partitions=2\nENTRY %main {\n p = f32[4] parameter(0)\n q = f32[4] tanh(p)\n"
	       " ROOT r = f32[4] add(p, q)\n}\n", HALVES);
	run("continue!");
	run("test");
	assert_true(page_holds(PAGE_OUTPUT, "output 0 %r: equal on"));
	assert_false(page_holds(PAGE_OUTPUT, "precision"));
}

/* Another order of a long sum rounds otherwise, and is no precision change. */
static void test_other_order(void **state)
{
	(void)state;
	reopen("HloModule m\nENTRY %main {\n x = f32[8,256] parameter(0)\n w = f32[256,8] parameter(1)\n"
	       " ROOT r = f32[8,8] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
	       "HloModule m, num_partitions=2\n" SUM("f32") "ENTRY %main {\n x = f32[8,128] parameter(0)\n w = f32[128,8] parameter(1)\n"
	       " d = f32[8,8] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
	       " ROOT r = f32[8,8] all-reduce(d), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%s\n}\n",
	       "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\noutput 0 R\n");
	run("continue!");
	run("test");
	assert_true(page_holds(PAGE_OUTPUT, "output 0 %r: equal on"));
	assert_false(page_holds(PAGE_OUTPUT, "precision"));
}

/* Inside of a called computation too; and a sum that is missing at the very end. */
static void test_where_they_part(void **state)
{
	(void)state;
	reopen(BASE_TANH, CALLED, HALVES);
	run("continue!");
	run("test");
	assert_true(page_holds(PAGE_OUTPUT, "the first instruction that differs while its operands correspond: %c/%n"));
	assert_true(page_holds(PAGE_OUTPUT, "%c/%q is %q S(0) over tp: proved"));
	run("numbers %c/%q");
	assert_true(page_holds(PAGE_NUMBERS, "device 1"));
	reopen("HloModule m\nENTRY %main {\n x = f32[3,4] parameter(0)\n w = f32[4,3] parameter(1)\n"
	       " ROOT r = f32[3,3] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
	       "HloModule m, num_partitions=2\nENTRY %main {\n x = f32[3,2] parameter(0)\n w = f32[2,3] parameter(1)\n"
	       " ROOT d = f32[3,3] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
	       "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\noutput 0 R\n");
	run("continue!");
	run("test");
	assert_true(page_holds(PAGE_OUTPUT, "%d is a row of the baseline, only not as the plan has it"));
	assert_true(page_holds(PAGE_OUTPUT, "%d is %r P(sum) over tp: proved"));
}

/* Beside a mask's fill value no two numbers look alike: the wrong rows are not taken for rows of the baseline. */
static void test_masked(void **state)
{
	static const char *const fill[] = { "-1e9", "-3.40282347e+38" };
	size_t k;

	(void)state;
	for (k = 0; k < 2; k++) {
		char base[900], dist[900];
		const char *program = "HloModule m%s\nENTRY %%main {\n x = f32[%d] parameter(0)\n m = pred[%d] parameter(1)\n"
			" c = f32[] constant(%s)\n f = f32[%d] broadcast(c), dimensions={}\n d = f32[%d] %s(x)\n"
			" w = f32[%d] select(m, d, f)\n s = f32[%d] sine(w)\n ROOT r = f32[%d] add(s, x)\n}\n";

		snprintf(base, sizeof base, program, "", 8, 8, fill[k], 8, 8, "abs", 8, 8, 8);
		snprintf(dist, sizeof dist, program, ", num_partitions=2", 4, 4, fill[k], 4, 4, "floor", 4, 4, 4);
		reopen(base, dist, "mesh tp=2\ninput 0 tp:S(0)\ninput 1 tp:S(0)\noutput 0 tp:S(0)\n");
		run("continue!");
		run("test");
		assert_true(page_holds(PAGE_OUTPUT, "the first instruction that differs while its operands correspond: %d"));
	}
}

static void test_values(void **state)
{
	(void)state;
	run("rule off lift-tanh");
	run("continue!");
	run("numbers %x at 1,5");
	assert_int_equal(shown, PAGE_NUMBERS);
	assert_true(page_holds(PAGE_NUMBERS, "%x = S(1)"));
	assert_true(page_holds(PAGE_NUMBERS, "element [1,5] ="));
	assert_true(page_holds(PAGE_NUMBERS, "device 1 [1,1] ="));	/* 8 columns, 4 on each */
	assert_non_null(strstr(session_message(s, NULL), "base %x[1,5] = "));
	refused("numbers %x at 1", "base %x is f32[4,8]: at takes 2 indices with commas between, not '1'");
	refused("numbers %x at 1,2,3", "at takes 2 indices");
	refused("numbers %x at 99,0", "base %x is f32[4,8]: dimension 0 of '99,0' goes from 0 to 3");
	refused("numbers %x at 0,-1", "dimension 1 of '0,-1' goes from 0 to 7");
	refused("numbers %nothing", "nothing");
	run("numbers %dot");
	assert_true(page_holds(PAGE_NUMBERS, "not compared place by place"));
	run("numbers %out");
	assert_true(page_holds(PAGE_NUMBERS, "no baseline row's in any placement"));
	run("bijections %add");
	assert_true(page_holds(PAGE_BIJECTIONS, "refuted"));
	run("numbers %b normal");
	assert_true(page_holds(PAGE_NUMBERS, "(normal, seed 2)"));
}

/* The line that is looked at, and the one above, which says what columns are shown. */
static const char *looked_at(int above, char *buf, size_t n)
{
	struct page p;

	page_init(&p);
	session_page(s, PAGE_NUMBERS, &p);
	assert_true(p.here != PAGE_NONE && p.here >= (size_t)above);
	page_text(&p, p.here - (size_t)above, buf, n);
	page_release(&p);
	return buf;
}

/* An element far from the beginning is looked at: its matrix, its row, its column. */
static void test_element(void **state)
{
	struct session *first = s;
	char line[1000];
	int64_t column;

	(void)state;
	s = pair_texts("HloModule m\nENTRY %main {\n p = f32[3,300,90] parameter(0)\n ROOT r = f32[3,300,90] abs(p)\n}\n",
		       "HloModule m, num_partitions=2\nENTRY %main {\n p = f32[3,300,45] parameter(0)\n ROOT r = f32[3,300,45] abs(p)\n}\n",
		       "mesh tp=2\ninput 0 tp:S(2)\noutput 0 tp:S(2)\n");
	run("numbers %r at 2,250,88");		/* not related yet: the baseline alone has it */
	assert_int_equal(atoi(looked_at(0, line, sizeof line)), 250);
	assert_non_null(strchr(line, '['));
	assert_int_equal(sscanf(looked_at(2, line, sizeof line), "place %ld", &column), 1);
	assert_true(column <= 88 && column + 4 > 88);	/* seen on 80 columns */
	looked_at(3, line, sizeof line);
	assert_string_equal(line, "baseline %r  [2, :, :]");
	run("continue!");
	run("numbers %r at 2,250,88");
	assert_int_equal(atoi(looked_at(0, line, sizeof line)), 250);
	assert_non_null(strchr(line, '['));
	assert_int_equal(sscanf(looked_at(2, line, sizeof line), "place %ld", &column), 1);
	assert_true(column <= 43 && column + 4 > 43);
	looked_at(3, line, sizeof line);
	assert_string_equal(line, "device 1  [2, :, :]");
	assert_true(page_holds(PAGE_NUMBERS, "device 0  does not hold the element"));
	run("select %p");		/* another row: nobody asked for a place of it */
	assert_true(page_holds(PAGE_NUMBERS, "element [0,0,0]"));
	session_free(s);
	s = first;
}

/* Of a multiple, too, what is known is said. */
static void test_values_scaled(void **state)
{
	struct session *first = s;

	(void)state;
	s = pair_texts("HloModule m\nENTRY %main {\n p = f32[8] parameter(0)\n q = f32[8] tanh(p)\n ROOT r = f32[8] negate(q)\n}\n",
		       "HloModule m, num_partitions=2\n%f {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT c = f32[] add(a, b)\n}\n"
		       "ENTRY %main {\n p = f32[8] parameter(0)\n q = f32[8] tanh(p)\n s = f32[8] all-reduce(q), channel_id=1, "
		       "replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%f\n ROOT r = f32[8] negate(s)\n}\n",
		       "mesh tp=2\ninput 0 R\noutput 0 R\n");
	run("continue!");
	run("numbers %s");
	assert_true(page_holds(PAGE_NUMBERS, "2 x %q"));
	assert_false(page_holds(PAGE_NUMBERS, "no relation is known"));
	session_free(s);
	s = first;
}

/* A rule that is missing is told from a fault. */
static void test_missing_rule(void **state)
{
	(void)state;
	session_free(s);
	s = pair_open(true);
	run("rule off lift-tanh");
	run("continue!");
	run("numbers %all-reduce");
	assert_true(page_holds(PAGE_NUMBERS, "%all-reduce = R"));
	run("numbers %tanh");
	assert_true(page_holds(PAGE_NUMBERS, "(integers, seed 1)"));
	run("test");
	assert_true(page_holds(PAGE_OUTPUT, "equal on"));
}

/* Nothing of this may crash, whatever the place in the run. */
static void test_nonsense(void **state)
{
	static const char *const args[] = { "", " x", " %dot", " %dot %dot", " base %dot", " 1", " A1", " next", " rule", " at",
		" %dot/core#0/0/0/0", " .", " ./core", " file *", " = base", " 99999999999", " -1", " on x", " union %x" };
	char line[100];
	size_t i, k, pass;

	(void)state;
	for (pass = 0; pass < 3; pass++) {
		for (i = 0; i < NNAMES; i++)
			for (k = 0; k < sizeof args / sizeof *args; k++) {
				if (!strcmp(names[i], "save") || !strcmp(names[i], "source"))
					continue;
				snprintf(line, sizeof line, "%s%s", names[i], args[k]);
				command_run(s, line);
				page_holds(shown, "");
			}
		run(pass ? "goto end" : "goto 5");
	}
	assert_true(nshown > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_names), T(test_empty_line_repeats), T(test_log), T(test_aliases_are_fixed), T(test_keys_have_commands),
		T(test_help), T(test_man), T(test_completion), T(test_elsewhere), T(test_source_lines), T(test_no_rows), T(test_script), T(test_save_session), T(test_whynot_rule), T(test_whynot_place), T(test_reload_names_changes), T(test_reload_refused), T(test_session_knows_its_rules),
		T(test_proposal), T(test_no_proposal), T(test_found_by_trying), T(test_leaving), T(test_find), T(test_steps_say_what_they_made), T(test_wanted), T(test_until), T(test_print_backwards), T(test_print_index), T(test_save_others),
		T(test_pages), T(test_apply), T(test_numbers), T(test_cut), T(test_cut_inside), T(test_check_stopped), T(test_stopped), T(test_precision), T(test_other_order),
		T(test_where_they_part), T(test_masked), T(test_values), T(test_element), T(test_values_scaled), T(test_missing_rule), T(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
