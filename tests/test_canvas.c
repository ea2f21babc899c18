/* Cells, windows, text of every kind and its cutting; looks; patterns. */
#include "canvas.h"
#include "search.h"
#include "utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define E_ACUTE "e\xcc\x81"		/* e and a combining accent */
#define WIDE "\xe5\xbd\xa2"		/* two cells */
#define DOTS "\xe2\x80\xa6"

static struct canvas cv;

static int setup(void **state)
{
	(void)state;
	canvas_init(&cv, 12, 3);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	canvas_release(&cv);
	return 0;
}

static void expect(int y, const char *text)
{
	char buf[256];

	canvas_line(canvas_root(&cv), y, buf, sizeof buf);
	assert_string_equal(buf, text);
}

static const char *dump(unsigned how)
{
	static char buf[1024];
	FILE *f = fmemopen(buf, sizeof buf, "w");

	canvas_write(&cv, f, how);
	fclose(f);
	return buf;
}

static void test_decode(void **state)
{
	const char *s = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80";

	(void)state;
	assert_int_equal(utf8_next(&s), 'a');
	assert_int_equal(utf8_next(&s), 0xe4);
	assert_int_equal(utf8_next(&s), 0x20ac);
	assert_int_equal(utf8_next(&s), 0x1f600);
	assert_int_equal(utf8_next(&s), 0);
	assert_int_equal(utf8_next(&s), 0);
}

/* Every malformed byte is one unit, and no byte is lost. */
static void test_malformed(void **state)
{
	static const char *const bad[] = {
		"\x80", "\xff", "\xc0\xaf", "\xc1\x81", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
		"\xe2\x82", "\xf0\x9f\x98", "\xf8\x88\x80\x80\x80",
	};
	char out[UTF8_MAX];
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *s = bad[i];

		for (n = 0; *s; n++) {
			uint32_t cp = utf8_next(&s);

			assert_true(cp >= UTF8_BYTE);
			assert_int_equal(utf8_put(cp, out), 1);
			assert_int_equal(out[0], bad[i][n]);
		}
		assert_int_equal(n, strlen(bad[i]));
	}
}

static void test_encode(void **state)
{
	static const uint32_t cps[] = {1, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
	char out[UTF8_MAX];
	const char *s;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof cps / sizeof *cps; i++) {
		utf8_put(cps[i], out);
		s = out;
		assert_int_equal(utf8_next(&s), cps[i]);
		assert_int_equal(*s, 0);
	}
}

static void test_width(void **state)
{
	(void)state;
	assert_int_equal(utf8_width('a'), 1);
	assert_int_equal(utf8_width(0x301), 0);
	assert_int_equal(utf8_width(0x2502), 1);
	assert_int_equal(utf8_width(0x28ff), 1);
	assert_int_equal(utf8_width(0x5f62), 2);
	assert_int_equal(utf8_width(0xff21), 2);
	assert_int_equal(utf8_width(0x1f600), 2);
	assert_int_equal(utf8_cells("a" E_ACUTE WIDE "\x01\xff", 99), 1 + 1 + 2 + 2 + 4);
}

static void test_put(void **state)
{
	struct window w = canvas_root(&cv);

	(void)state;
	assert_int_equal(canvas_put(w, 2, 1, ROLE_NAME, "dot"), 5);
	expect(0, "");
	expect(1, "  dot");
	assert_int_equal(canvas_at(&cv, 2, 1)->role, ROLE_NAME);
	assert_int_equal(canvas_at(&cv, 5, 1)->role, ROLE_NORMAL);
	assert_int_equal(canvas_printf(w, 0, 2, ROLE_NAME, "%d-%s", 7, "x"), 3);
	expect(2, "7-x");
	/* longer than any buffer, the end scrolled into sight */
	canvas_clear(&cv);
	canvas_printf(canvas_shift(w, 2995), 0, 0, ROLE_NAME, "%3000d", 7);
	expect(0, "    7");
}

static void test_outside(void **state)
{
	struct window w = canvas_root(&cv), s = canvas_sub(w, 10, 2, 50, 50);

	(void)state;
	assert_int_equal(s.w, 2);
	assert_int_equal(s.h, 1);
	canvas_put(w, 0, -1, ROLE_NAME, "above");
	canvas_put(w, 0, 3, ROLE_NAME, "below");
	assert_int_equal(canvas_put(w, 12, 0, ROLE_NAME, "right"), 12);
	canvas_put(canvas_sub(w, 3, 0, -4, 1), 0, 0, ROLE_NAME, "nothing");
	canvas_put(s, 0, 1, ROLE_NAME, "below");
	canvas_fill(w, (struct rect){-5, -5, 5, 5}, ROLE_NAME, '#');
	expect(0, "");
	expect(1, "");
	expect(2, "");
	canvas_put(s, 0, 0, ROLE_NAME, "ab");
	expect(2, "          ab");
}

static void test_ellipsis(void **state)
{
	struct window w = canvas_root(&cv);

	(void)state;
	assert_int_equal(canvas_put(w, 0, 0, ROLE_NAME, "123456789012"), 12);
	expect(0, "123456789012");
	assert_int_equal(canvas_put(w, 0, 0, ROLE_NAME, "1234567890123"), 12);
	expect(0, "12345678901" DOTS);
	canvas_put(w, 11, 1, ROLE_NAME, "xy");
	expect(1, "           " DOTS);
	canvas_put(canvas_sub(w, 1, 2, 4, 1), 0, 0, ROLE_NAME, "abcdef");
	expect(2, " abc" DOTS);
}

static void test_wide(void **state)
{
	struct window w = canvas_root(&cv);

	(void)state;
	assert_int_equal(canvas_put(w, 0, 0, ROLE_NAME, WIDE "a" E_ACUTE), 4);
	expect(0, WIDE "a" E_ACUTE);
	assert_int_equal(canvas_at(&cv, 1, 0)->ch, 0);
	assert_int_equal(canvas_at(&cv, 3, 0)->mark[0], 0x301);
	/* cut: no half of a wide character is left, the width stays right */
	canvas_put(canvas_sub(w, 0, 1, 4, 1), 0, 0, ROLE_NAME, "a" WIDE WIDE);
	expect(1, "a" WIDE DOTS);
	canvas_put(canvas_sub(w, 0, 1, 3, 1), 0, 0, ROLE_NAME, WIDE WIDE);
	expect(1, WIDE DOTS DOTS);
	canvas_put(canvas_sub(w, 0, 2, 4, 1), 0, 0, ROLE_NAME, WIDE WIDE WIDE);
	expect(2, WIDE " " DOTS);
}

/* Overwriting one half blanks the other. */
static void test_half(void **state)
{
	struct window w = canvas_root(&cv);

	(void)state;
	canvas_put(w, 0, 0, ROLE_NAME, WIDE WIDE);
	canvas_put(w, 1, 0, ROLE_NAME, "x");
	expect(0, " x" WIDE);
	canvas_put(w, 2, 0, ROLE_NAME, "y");
	expect(0, " xy");
	canvas_put(w, 0, 1, ROLE_NAME, WIDE WIDE);
	canvas_put(w, 1, 1, ROLE_NAME, WIDE);
	expect(1, " " WIDE);
	canvas_put(w, 0, 2, ROLE_NAME, "ab" E_ACUTE "\xcc\x82\xcc\x83\xcc\x84");
	assert_int_equal(canvas_at(&cv, 2, 2)->mark[1], 0x302);
}

static void test_controls(void **state)
{
	struct window w = canvas_root(&cv);

	(void)state;
	canvas_put(w, 0, 0, ROLE_NAME, "\x1b[1m\n\x7f");
	expect(0, "^[[1m^J^?");
	canvas_put(w, 0, 1, ROLE_NAME, "a\xff" "b\xc2\x9b\tc");
	expect(1, "a<ff>b<9b> c");
	canvas_put(w, 0, 2, ROLE_NAME, "\xe2\x80\xae" "ab");
	expect(2, "<202e>ab");
	/* a mark that has nothing to stand on gets a circle */
	canvas_clear(&cv);
	canvas_put(w, 0, 0, ROLE_NAME, "\xcc\x81");
	expect(0, "\xe2\x97\x8c\xcc\x81");
}

static void test_field(void **state)
{
	struct window w = canvas_root(&cv);

	(void)state;
	canvas_fill(w, (struct rect){0, 0, 12, 3}, ROLE_NAME, '#');
	assert_int_equal(canvas_field(w, 1, 0, 5, ROLE_NAME, "abc"), 6);
	expect(0, "#abc  ######");
	canvas_field(w, 1, 1, -5, ROLE_NAME, "abc");
	expect(1, "#  abc######");
	canvas_field(w, 1, 2, 4, ROLE_NAME, "abcdef");
	expect(2, "#abc" DOTS "#######");
	canvas_field(w, 1, 2, -4, ROLE_NAME, "abcdef");
	expect(2, "#abc" DOTS "#######");
}

static void test_shift(void **state)
{
	struct window w = canvas_shift(canvas_sub(canvas_root(&cv), 2, 0, 6, 1), 3);

	(void)state;
	assert_int_equal(w.w, 9);
	canvas_put(w, 0, 0, ROLE_NAME, "abcdefghi");
	expect(0, "  defghi");
	canvas_put(w, 0, 0, ROLE_NAME, "abcdefghij");
	expect(0, "  defgh" DOTS);
	canvas_put(w, 2, 0, ROLE_NAME, WIDE "x");
	expect(0, "   xfgh" DOTS);
}

static void test_column(void **state)
{
	struct window w = canvas_sub(canvas_root(&cv), 2, 1, 8, 1);
	char buf[64];

	(void)state;
	canvas_put(canvas_root(&cv), 0, 1, ROLE_NAME, "??a" WIDE E_ACUTE "bcdefgh");
	assert_int_equal(canvas_line(w, 0, buf, sizeof buf), 1 + 3 + 3 + 4);
	assert_string_equal(buf, "a" WIDE E_ACUTE "bcde");
	assert_int_equal(canvas_column(w, 0, 0), 0);
	assert_int_equal(canvas_column(w, 0, 1), 1);
	assert_int_equal(canvas_column(w, 0, 4), 3);
	assert_int_equal(canvas_column(w, 0, 7), 4);
	assert_int_equal(canvas_column(w, 0, 99), 8);
	assert_int_equal(canvas_line(w, 0, buf, 4), 1);
}

static void test_cursor(void **state)
{
	struct window w = canvas_sub(canvas_root(&cv), 2, 1, 4, 1);

	(void)state;
	assert_int_equal(cv.cursor_x, -1);
	canvas_cursor(w, 3, 0);
	assert_int_equal(cv.cursor_x, 5);
	assert_int_equal(cv.cursor_y, 1);
	canvas_cursor(w, 4, 0);
	assert_int_equal(cv.cursor_x, -1);
}

static void test_dump(void **state)
{
	struct window w = canvas_root(&cv);

	(void)state;
	canvas_put(w, 0, 0, ROLE_VERIFIED, "= d");
	canvas_put(w, 5, 0, ROLE_NORMAL, WIDE DOTS);
	canvas_vline(canvas_sub(w, 10, 0, 1, 2), 0);
	canvas_over(w, (struct rect){1, 1, 3, 1}, ROLE_SELECTED);
	assert_string_equal(dump(0), "= d  " WIDE DOTS "  \xe2\x94\x82\n          \xe2\x94\x82\n\n");
	assert_string_equal(dump(CANVAS_ASCII), "= d  ??~  |\n          |\n\n");
	assert_string_equal(dump(CANVAS_ASCII | CANVAS_ROLES),
			    "= d  ??~  |\n          |\n\n------------\n===       |\n SSS      |\n\n");
}

static void test_resize(void **state)
{
	(void)state;
	canvas_put(canvas_root(&cv), 0, 0, ROLE_NAME, "x");
	canvas_resize(&cv, 200, 60);
	expect(0, "");
	canvas_put(canvas_root(&cv), 199, 59, ROLE_NAME, "x");
	assert_int_equal(canvas_at(&cv, 199, 59)->ch, 'x');
	canvas_resize(&cv, 0, 0);
	canvas_put(canvas_root(&cv), 0, 0, ROLE_NAME, "x");
	canvas_resize(&cv, -1, 5);
	assert_int_equal(cv.w, 0);
	expect(0, "");
}

static unsigned noise(void)
{
	static unsigned seed = 1;

	seed = seed * 1103515245 + 12345;
	return seed >> 16;
}

/* Any bytes in any window: no half of a wide character alone, nothing a terminal could take for a command. */
static void test_noise(void **state)
{
	static const char bytes[] = "ab\xe5\xbd\xa2\xcc\x81\x1b\xff\n\xe2\x80\xae\xc3\xa4\xf0\x9f\x98\x80";
	char text[24];
	int i, j, x, y;

	(void)state;
	for (i = 0; i < 20000; i++) {
		struct window w = canvas_sub(canvas_root(&cv), (int)(noise() % 16) - 2, (int)(noise() % 5) - 1,
					     (int)(noise() % 14) - 1, 2);

		for (j = 0; j < 23; j++)
			text[j] = bytes[noise() % (sizeof bytes - 1)];
		text[noise() % 23] = 0;
		text[23] = 0;
		w = canvas_shift(w, (int)(noise() % 3));
		if (noise() % 2)
			canvas_put(w, (int)(noise() % 14) - 1, (int)(noise() % 2), ROLE_NAME, text);
		else
			canvas_field(w, (int)(noise() % 14) - 1, 0, (int)(noise() % 20) - 10, ROLE_NAME, text);
		for (y = 0; y < cv.h; y++)
			for (x = 0; x < cv.w; x++) {
				const struct cell *c = canvas_at(&cv, x, y);
				bool wide = x + 1 < cv.w && !c[1].ch;

				assert_true(c->ch >= ' ' || (!c->ch && x > 0));
				assert_true(c->ch != 0x202e && c->ch != 0x7f && c->ch < UTF8_BYTE);
				if (c->ch)
					assert_int_equal(utf8_width(c->ch), 1 + wide);
			}
	}
}

static void test_theme(void **state)
{
	struct theme t = theme_choose(COLOUR_AUTO, BACKGROUND_AUTO, 256, "1", NULL);
	int r, q;

	(void)state;
	assert_int_equal(t.colours, 0);
	assert_int_equal(theme_choose(COLOUR_AUTO, BACKGROUND_AUTO, 256, "", NULL).colours, 256);
	assert_int_equal(theme_choose(COLOUR_ALWAYS, BACKGROUND_AUTO, 16, "1", NULL).colours, 8);
	assert_int_equal(theme_choose(COLOUR_NEVER, BACKGROUND_AUTO, 16, NULL, NULL).colours, 0);
	assert_int_equal(theme_choose(COLOUR_AUTO, BACKGROUND_AUTO, 2, NULL, NULL).colours, 0);
	assert_true(theme_choose(COLOUR_AUTO, BACKGROUND_AUTO, 8, NULL, "0;15").light);
	assert_true(theme_choose(COLOUR_AUTO, BACKGROUND_AUTO, 8, NULL, "0;default;7").light);
	assert_false(theme_choose(COLOUR_AUTO, BACKGROUND_AUTO, 8, NULL, "15;0").light);
	assert_false(theme_choose(COLOUR_AUTO, BACKGROUND_DARK, 8, NULL, "0;15").light);
	assert_false(theme_choose(COLOUR_AUTO, BACKGROUND_AUTO, 8, NULL, "nonsense").light);
	for (r = 0; r < ROLE_COUNT; r++) {
		assert_int_equal(theme_look(&t, (enum role)r, ROLE_NORMAL).colour, -1);
		for (q = 1; q < r; q++)
			assert_int_not_equal(theme_role_letter((enum role)r), theme_role_letter((enum role)q));
	}
	/* what the selection is can be seen without colour, over every role */
	for (r = 0; r < ROLE_COUNT; r++)
		assert_true(theme_look(&t, (enum role)r, ROLE_SELECTED).flags & LOOK_REVERSE);
	t = theme_choose(COLOUR_AUTO, BACKGROUND_LIGHT, 256, NULL, NULL);
	assert_int_equal(theme_look(&t, ROLE_VERIFIED, ROLE_SELECTED).colour, 28);
	assert_int_equal(theme_look(&t, ROLE_VERIFIED, ROLE_HIT).colour, 90);
	assert_string_equal(theme_role_name(ROLE_TAINTED), "tainted");
}

static void test_search(void **state)
{
	struct search s = {0};
	char why[128];
	size_t from, to;

	(void)state;
	assert_false(search_on(&s));
	assert_false(search_find(&s, "", NULL, NULL));
	assert_true(search_set(&s, "dot", why, sizeof why));
	assert_true(search_find(&s, "%DOT.1", &from, &to));
	assert_int_equal(from, 1);
	assert_int_equal(to, 4);
	assert_true(search_set(&s, "Dot", why, sizeof why));
	assert_false(search_find(&s, "%dot.1", NULL, NULL));
	assert_true(search_set(&s, "^%(dot|add)\\.[0-9]+$", why, sizeof why));
	assert_true(search_find(&s, "%add.17", &from, &to));
	assert_int_equal(to, 7);
	assert_false(search_find(&s, "%add.x", NULL, NULL));
	/* a bad one leaves the old one */
	assert_false(search_set(&s, "a(", why, sizeof why));
	assert_string_equal(why, "'a(': Unmatched ( or \\(");
	assert_true(search_find(&s, "%dot.1", NULL, NULL));
	search_clear(&s);
	assert_false(search_on(&s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(test_decode), T(test_malformed), T(test_encode), T(test_width), T(test_put), T(test_outside),
		T(test_ellipsis), T(test_wide), T(test_half), T(test_controls), T(test_field), T(test_shift),
		T(test_column), T(test_cursor), T(test_dump), T(test_resize), T(test_noise), T(test_theme), T(test_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
