/* The prompt without a terminal: readline gets bytes of keys, the line is drawn
 * into a canvas. */
#include "prompt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#define WIDE "\xe5\xbd\xa2"
#define DOTS "\xe2\x80\xa6"

static struct canvas cv;
static char folder[] = "/tmp/diverge-prompt-XXXXXX";
static char history[64];

static void complete(void *ctx, const char *line, size_t start, size_t end)
{
	(void)ctx;
	(void)line;
	(void)end;
	if (start) {
		prompt_offer_files();
		return;
	}
	prompt_offer("frontier", false);
	prompt_offer("step", false);
	prompt_offer("stop", false);
	prompt_offer("set:", true);
}

static int setup(void **state)
{
	(void)state;
	snprintf(history, sizeof history, "%s/history", folder);
	canvas_init(&cv, 20, 1);
	prompt_begin(history, complete, NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	prompt_end();
	canvas_release(&cv);
	unlink(history);
	return 0;
}

static enum prompt_result feed(const char *bytes)
{
	return prompt_feed(bytes, strlen(bytes));
}

/* One key for each byte. */
static void type(const char *text)
{
	for (; *text; text++)
		prompt_feed(text, 1);
}

static void expect(const char *text, int cursor)
{
	char buf[256];

	canvas_clear(&cv);
	prompt_draw(canvas_root(&cv));
	canvas_line(canvas_root(&cv), 0, buf, sizeof buf);
	assert_string_equal(buf, text);
	assert_int_equal(cv.cursor_x, cursor);
}

static void test_type(void **state)
{
	(void)state;
	assert_false(prompt_is_open());
	prompt_open(":", "");
	type("step 3");
	expect(":step 3", 7);
	feed("\001");
	expect(":step 3", 1);
	feed("\033[C");
	feed("\x0b");
	expect(":s", 2);
	type("et ");
	assert_int_equal(feed("\r"), PROMPT_DONE);
	assert_string_equal(prompt_line(), "set");
	assert_false(prompt_is_open());
	prompt_open(":", "search ");
	type("x");
	expect(":search x", 9);
	assert_int_equal(feed("\r"), PROMPT_DONE);
	assert_string_equal(prompt_line(), "search x");
	assert_int_equal(feed("x"), PROMPT_LEFT);
}

static void test_leave(void **state)
{
	static const char *const keys[] = {"\033", "\003", "\007"};
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		prompt_open(":", "");
		type("step");
		assert_int_equal(feed(keys[i]), PROMPT_LEFT);
		assert_false(prompt_is_open());
	}
	prompt_open(":", "");
	assert_int_equal(feed("\004"), PROMPT_LEFT);
	prompt_open(":", "");
	expect(":", 1);
	/* out of a search, and out of a numeric argument */
	feed("\022");
	assert_int_equal(feed("\003"), PROMPT_LEFT);
	prompt_open(":", "");
	feed("\0333");
	assert_int_equal(feed("\003"), PROMPT_LEFT);
	prompt_open(":", "");
	type("ok");
	expect(":ok", 3);
}

static void test_utf8(void **state)
{
	(void)state;
	prompt_open(":", "");
	feed(WIDE);
	feed("\xc3\xa4");
	type("b");
	expect(":" WIDE "\xc3\xa4" "b", 5);
	feed("\002");
	feed("\002");
	expect(":" WIDE "\xc3\xa4" "b", 3);
	feed("\x7f");
	expect(":\xc3\xa4" "b", 1);
}

static void test_long(void **state)
{
	int i;

	(void)state;
	prompt_open(":", "");
	type("abcdefghijklmnopqr");
	expect(":abcdefghijklmnopqr", 19);
	type("s");
	expect(":" DOTS "ijklmnopqrs", 13);
	/* the cursor is never on the sign for what is hidden */
	for (i = 0; i < 19; i++) {
		feed("\002");
		canvas_clear(&cv);
		prompt_draw(canvas_root(&cv));
		assert_int_not_equal(canvas_at(&cv, cv.cursor_x, 0)->ch, 0x2026);
	}
	feed("\001");
	expect(":abcdefghijklmnopqrs", 1);
	type("0123456789012345678");
	feed("\005");
	canvas_clear(&cv);
	prompt_draw(canvas_root(&cv));
	assert_in_range(cv.cursor_x, 2, 19);
}

static void test_complete(void **state)
{
	const char *const *words;

	(void)state;
	prompt_open(":", "");
	type("fr\t");
	expect(":frontier", 10);
	assert_int_equal(prompt_choices(&words), 0);
	feed("\025");
	type("s\t");
	assert_int_equal(prompt_choices(&words), 3);
	assert_string_equal(words[0], "set:");
	assert_string_equal(words[2], "stop");
	type("t\t");
	assert_int_equal(prompt_choices(&words), 2);
	type("e");
	assert_int_equal(prompt_choices(&words), 0);
	feed("\t");
	type("5");
	assert_int_equal(feed("\r"), PROMPT_DONE);
	assert_string_equal(prompt_line(), "step 5");
	prompt_open(":", "");
	type("se\tx");
	expect(":set:x", 6);
	/* Alt-? with one that fits: readline prints it, but not to the terminal */
	feed("\025");
	type("fro");
	feed("\033?");
	expect(":fro", 4);
	/* no file names where the completer offers none */
	feed("\025");
	type("/tm\t");
	expect(":/tm", 4);
}

static void test_files(void **state)
{
	char name[80], line[128];

	(void)state;
	snprintf(name, sizeof name, "%s/notes", folder);
	assert_int_equal(mkdir(name, 0700), 0);
	snprintf(line, sizeof line, "source %s/no", folder);
	prompt_open(":", line);
	feed("\t");
	type("x");
	assert_int_equal(feed("\r"), PROMPT_DONE);
	snprintf(line, sizeof line, "source %s/notes/x", folder);
	assert_string_equal(prompt_line(), line);
	rmdir(name);
}

static void enter(const char *line)
{
	prompt_open(":", line);
	assert_int_equal(feed("\r"), PROMPT_DONE);
}

static void test_history(void **state)
{
	(void)state;
	enter("step 3");
	enter("assume \xc3\xa4x");
	enter("assume \xc3\xa4x");
	prompt_remember("goto 7");
	prompt_open(":", "");
	feed("\033[A");
	expect(":goto 7", 7);
	feed("\033OA");
	expect(":assume \xc3\xa4x", 10);
	feed("\033[A");
	expect(":step 3", 7);
	feed("\033[B");
	prompt_close();
	/* a search sees whole characters */
	prompt_open(":", "");
	feed("\022");
	feed("\xc3\xa4");
	canvas_resize(&cv, 60, 1);
	expect("(reverse-i-search)`\xc3\xa4': assume \xc3\xa4x", 30);
	assert_int_equal(feed("\r"), PROMPT_DONE);
	assert_string_equal(prompt_line(), "assume \xc3\xa4x");
}

static void test_history_file(void **state)
{
	(void)state;
	enter("one");
	enter("two");
	prompt_end();
	/* another one wrote meanwhile */
	prompt_begin(history, NULL, NULL);
	enter("three");
	prompt_end();
	prompt_begin(history, NULL, NULL);
	prompt_open(":", "");
	feed("\033[A");
	expect(":three", 6);
	feed("\033[A");
	feed("\033[A");
	expect(":one", 4);
}

static void test_history_place(void **state)
{
	char state_home[64], want[96], *got;

	(void)state;
	snprintf(state_home, sizeof state_home, "%s/a", folder);
	snprintf(want, sizeof want, "%s/diverge/history", state_home);
	setenv("XDG_STATE_HOME", state_home, 1);
	got = prompt_history_file();
	assert_string_equal(got, want);
	want[strlen(want) - strlen("/history")] = 0;
	assert_int_equal(access(want, W_OK), 0);
	free(got);
	rmdir(want);
	rmdir(state_home);
	unsetenv("XDG_STATE_HOME");
	unsetenv("HOME");
	assert_null(prompt_history_file());
}

static void test_paste(void **state)
{
	(void)state;
	prompt_open(":", "");
	prompt_paste("step\nquit\r", 10);
	assert_true(prompt_is_open());
	assert_int_equal(feed("\r"), PROMPT_DONE);
	assert_string_equal(prompt_line(), "step quit");
}

/* Nothing the prompt did reached the test's output or environment. */
static void test_quiet(void **state)
{
	(void)state;
	prompt_open(":", "");
	type("\t\t");
	prompt_close();
	assert_null(getenv("LINES"));
	assert_null(getenv("COLUMNS"));
}

static int make_folder(void **state)
{
	(void)state;
	unsetenv("LINES");
	unsetenv("COLUMNS");
	setenv("LC_ALL", "C.UTF-8", 1);
	setenv("INPUTRC", "/dev/null", 1);
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_type), T(test_leave), T(test_utf8), T(test_long), T(test_complete), T(test_files),
		T(test_history), T(test_history_file), T(test_history_place), T(test_paste), T(test_quiet),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
