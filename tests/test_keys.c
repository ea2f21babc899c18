/* Names of keys, bytes of terminals, the keymap. */
#include "keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct keymap km;

static int setup(void **state)
{
	(void)state;
	keymap_init(&km);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	keymap_release(&km);
	return 0;
}

static void test_names(void **state)
{
	static const char *const names[] = {
		"s", "}", "#", "-", "Space", "Enter", "S-Tab", "C-l", "M-x", "C-M-Delete", "PageDown", "F12",
		"\xc3\xa4", "C-Right", "Esc", "C--",
	};
	char buf[32];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		assert_int_not_equal(keys_parse(names[i]), K_NONE);
		assert_string_equal(keys_name(keys_parse(names[i]), buf, sizeof buf), names[i]);
	}
	assert_int_equal(keys_parse("F13"), K_NONE);
	assert_int_equal(keys_parse(""), K_NONE);
	assert_int_equal(keys_parse(" "), K_NONE);
	assert_int_equal(keys_parse("C-"), K_NONE);
	assert_int_equal(keys_parse("\xff"), K_NONE);
}

/* The bytes are this key and nothing else; no beginning of them is another key unless time is over. */
static void expect(const char *bytes, const char *name)
{
	size_t n = strlen(bytes), i;
	int key = K_NONE, at[2];
	char buf[32];

	assert_int_equal(keys_decode(bytes, n, false, &key, at), n);
	assert_string_equal(keys_name(key, buf, sizeof buf), name);
	for (i = 1; i < n; i++)
		assert_int_equal(keys_decode(bytes, i, false, &key, at), 0);
}

static void test_decode(void **state)
{
	static const char *const table[][2] = {
		{"a", "a"}, {"\xc3\xa4", "\xc3\xa4"}, {"\xe5\xbd\xa2", "\xe5\xbd\xa2"}, {" ", "Space"},
		{"\r", "Enter"}, {"\n", "Enter"}, {"\t", "Tab"}, {"\x7f", "Backspace"}, {"\b", "Backspace"},
		{"\x0c", "C-l"}, {"\x1a", "C-z"}, {"\x03", "C-c"}, {"\x1c", "C-\\"},
		{"\033[A", "Up"}, {"\033OB", "Down"}, {"\033[C", "Right"}, {"\033[H", "Home"}, {"\033OF", "End"},
		{"\033[1~", "Home"}, {"\033[4~", "End"}, {"\033[7~", "Home"}, {"\033[8~", "End"},
		{"\033[5~", "PageUp"}, {"\033[6~", "PageDown"}, {"\033[3~", "Delete"}, {"\033[2~", "Insert"},
		{"\033[Z", "S-Tab"}, {"\033[1;5C", "C-Right"}, {"\033[1;2A", "S-Up"}, {"\033[a", "S-Up"}, {"\033[1;3D", "M-Left"},
		{"\033[3;5~", "C-Delete"}, {"\033[3^", "C-Delete"}, {"\033[5$", "S-PageUp"},
		{"\033OP", "F1"}, {"\033[11~", "F1"}, {"\033[[A", "F1"}, {"\033[[E", "F5"}, {"\033[15~", "F5"},
		{"\033[24~", "F12"}, {"\033x", "M-x"}, {"\033\xc3\xa4", "M-\xc3\xa4"}, {"\033\x7f", "M-Backspace"},
		{"\033[97;5u", "C-a"}, {"\033[13;2u", "S-Enter"}, {"\033[27;5;9~", "C-Tab"},
		{"\033[<0;3;4M", "Click"}, {"\033[<64;3;4M", "WheelUp"}, {"\033[<65;3;4M", "WheelDown"},
		{"\033[<0;3;4m", "Unknown"}, {"\033[<35;3;4M", "Unknown"},
		{"\033[200~", "PasteBegin"}, {"\033[201~", "PasteEnd"},
		{"\033[?1;2c", "Unknown"}, {"\033[99~", "Unknown"}, {"\033[I", "Unknown"},
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof table / sizeof *table; i++)
		expect(table[i][0], table[i][1]);
}

static void decode_final(const char *bytes, const char *name, size_t used)
{
	int key = K_NONE, at[2];
	char buf[32];

	assert_int_equal(keys_decode(bytes, strlen(bytes), true, &key, at), used);
	assert_string_equal(keys_name(key, buf, sizeof buf), name);
}

static void test_final(void **state)
{
	(void)state;
	decode_final("\033", "Esc", 1);
	decode_final("\033\033[A", "Esc", 1);
	decode_final("\033[", "M-[", 2);
	decode_final("\033O", "M-O", 2);
	decode_final("\033[1;", "Unknown", 4);
	decode_final("\xe5\xbd", "Unknown", 1);
	decode_final("\xff", "Unknown", 1);
}

static void test_mouse_place(void **state)
{
	int key, at[2];

	(void)state;
	keys_decode("\033[<0;30;4M", 10, false, &key, at);
	assert_int_equal(at[0], 29);
	assert_int_equal(at[1], 3);
}

/* Whatever comes in, bytes are used up and nothing is read behind the end. */
static void test_noise(void **state)
{
	unsigned seed = 12345;
	char buf[16];
	int i, j, key, at[2];

	(void)state;
	for (i = 0; i < 200000; i++) {
		size_t n = 1 + (size_t)i % sizeof buf, used;

		for (j = 0; j < (int)n; j++) {
			seed = seed * 1103515245 + 12345;
			buf[j] = j % 3 ? (char)(seed >> 16) : "\033[O;<0123~uM\xe5"[(seed >> 16) % 14];
		}
		key = K_NONE;
		used = keys_decode(buf, n, true, &key, at);
		assert_in_range(used, 1, n);
		assert_int_not_equal(key, K_NONE);
	}
}

static const char *press(const char *view, const char *keys)
{
	static char command[256];
	enum keymap_result r = KEYMAP_UNBOUND;
	char name[16];
	size_t n;

	*command = 0;
	while (*keys) {
		n = strcspn(keys, " ");
		snprintf(name, sizeof name, "%.*s", (int)n, keys);
		r = keymap_feed(&km, view, keys_parse(name), command, sizeof command);
		keys += n + (keys[n] == ' ');
	}
	return r == KEYMAP_COMMAND ? command : r == KEYMAP_MORE ? "(more)" : "(unbound)";
}

static void test_feed(void **state)
{
	(void)state;
	assert_string_equal(press("", "s"), "step");
	assert_string_equal(press("graph", "1 2 s"), "step 12");
	assert_string_equal(press("", "s"), "step");
	assert_string_equal(press("", "5 c"), "continue");
	assert_string_equal(press("", "+"), "pane-size +1");
	assert_string_equal(press("", "4 +"), "pane-size +4");
	assert_string_equal(press("", "/"), "prompt search ");
	assert_string_equal(press("", "C-l"), "redraw");
	assert_string_equal(press("", "M-q"), "(unbound)");
	assert_string_equal(press("", "0"), "(unbound)");
	assert_string_equal(press("", "1 0 s"), "step 10");
}

static void test_chords(void **state)
{
	char buf[32];

	(void)state;
	assert_string_equal(press("", "g"), "(more)");
	assert_string_equal(keymap_pending(&km, buf, sizeof buf), "g");
	assert_string_equal(press("", "g"), "cursor home");
	assert_string_equal(press("", "g x"), "(unbound)");
	assert_string_equal(press("", "x"), "info matches");
	assert_string_equal(press("", "3 g"), "(more)");
	assert_string_equal(keymap_pending(&km, buf, sizeof buf), "3 g");
	assert_string_equal(press("", "Esc"), "(more)");
	assert_string_equal(keymap_pending(&km, buf, sizeof buf), "");
	assert_string_equal(press("", "Esc"), "cancel");
}

static void test_bind(void **state)
{
	(void)state;
	assert_true(keymap_bind(&km, "", "M-q", "info rules #"));
	assert_string_equal(press("why", "7 M-q"), "info rules 7");
	assert_true(keymap_bind(&km, "why", "s", "show"));
	assert_string_equal(press("why", "s"), "show");
	assert_string_equal(press("class", "s"), "step");
	assert_true(keymap_bind(&km, "", "s", "next"));
	assert_string_equal(press("class", "s"), "next");
	assert_true(keymap_bind(&km, "", "s", NULL));
	assert_string_equal(press("class", "s"), "(unbound)");
	assert_true(keymap_bind(&km, "", "g g", ""));
	assert_string_equal(press("class", "g"), "(unbound)");
	assert_false(keymap_bind(&km, "", "nokey", "x"));
	assert_false(keymap_bind(&km, "", "", "x"));
	assert_false(keymap_bind(&km, "", "a b c d e", "x"));
}

static size_t count_bindings(const char *view)
{
	struct binding b;
	size_t i = 0, n = 0;

	while (keymap_each(&km, view, &i, &b))
		n++;
	return n;
}

static void test_help(void **state)
{
	size_t all = count_bindings("");
	char buf[32];

	(void)state;
	assert_string_equal(keymap_key_of(&km, "graph", "continue", buf, sizeof buf), "c");
	assert_string_equal(keymap_key_of(&km, "graph", "step", buf, sizeof buf), "s");
	assert_null(keymap_key_of(&km, "graph", "no such command", buf, sizeof buf));
	keymap_bind(&km, "", "c", NULL);
	assert_int_equal(count_bindings(""), all - 1);
	keymap_bind(&km, "", "s", "again");
	assert_int_equal(count_bindings(""), all - 1);
	assert_int_equal(count_bindings("why"), 0);
	keymap_bind(&km, "why", "s", "again");
	assert_int_equal(count_bindings("why"), 1);
}

/* No key of the table is written wrongly, bound twice, or hidden by a shorter one; every one has a text. */
static void test_table(void **state)
{
	static const char *const rows[][4] = {
#define X(view, keys, command, help) {view, keys, command, help},
		KEYS_MAP(X)
#undef X
	};
	size_t i, n = sizeof rows / sizeof *rows, global = 0;
	struct binding b;

	(void)state;
	assert_int_equal(km.bindings.n, n);
	for (i = 0; i < n; i++)
		global += !*rows[i][0];
	assert_int_equal(count_bindings(""), global);
	for (i = 0; keymap_each(&km, "", &i, &b);) {
		int begin[KEYS_CHORD] = {b.key[0]};
		size_t j = 0;
		struct binding other;

		assert_true(*b.help && *b.command);
		while (b.key[1] && keymap_each(&km, "", &j, &other))
			assert_true(memcmp(other.key, begin, sizeof begin));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_names), T(test_decode), T(test_final), T(test_mouse_place), T(test_noise), T(test_feed),
		T(test_chords), T(test_bind), T(test_help), T(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
