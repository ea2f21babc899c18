/* Panes, their places on the screen, the screen's commands, and golden screens
 * of made-up views.  UPDATE_GOLDEN=1 in the environment writes the golden files
 * anew. */
#include "demo_views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#ifndef SRCDIR
#define SRCDIR "."
#endif

static struct demo d;
static char say[512];

static void start(size_t pairs, int w, int h)
{
	demo_init(&d, pairs, w, h);
	screen_draw(&d.screen);
	d.asked = 0;
}

static int teardown(void **state)
{
	(void)state;
	demo_release(&d);
	return 0;
}

static void run(const char *line)
{
	demo_command(&d, line);
	screen_draw(&d.screen);
}

static const char *row(int y)
{
	static char buf[1024];

	canvas_line(canvas_root(&d.screen.cv), y, buf, sizeof buf);
	return buf;
}

/* cursor and scrolling */

static void test_move(void **state)
{
	struct pane *p = &d.graph;

	(void)state;
	start(40, 80, 24);
	pane_move(p, 3);
	assert_int_equal(pane_line(p), 3);
	assert_int_equal(d.told, 3);
	pane_move(p, -9);
	assert_int_equal(pane_line(p), 0);
	pane_move(p, 1000000);
	assert_int_equal(pane_line(p), 39);
	screen_draw(&d.screen);
	assert_non_null(strstr(row(12), "%reshape.39"));
	pane_move(p, -1);
	screen_draw(&d.screen);
	assert_non_null(strstr(row(12), "%reshape.39"));
	pane_select(p, 5);
	assert_int_equal(d.told, 5);
	screen_draw(&d.screen);
	assert_non_null(strstr(row(0), "%add.5"));
	/* the program moves the cursor: the view is not told */
	d.told = 77;
	pane_to(p, 20, true);
	assert_int_equal(d.told, 77);
	screen_draw(&d.screen);
	assert_non_null(strstr(row(6), "%slice.20"));
}

/* A page shows others: the cursor stays at its height but at an end. */
static void test_page(void **state)
{
	struct pane *p = &d.graph;

	(void)state;
	start(40, 80, 24);
	pane_move(p, 3);
	screen_draw(&d.screen);
	assert_int_equal(p->rows, 13);
	run("cursor page-down");
	assert_int_equal(pane_line(p), 15);
	assert_non_null(strstr(row(3), ".15 "));
	run("cursor half-up");
	assert_int_equal(pane_line(p), 9);
	assert_non_null(strstr(row(3), ".9 "));
	run("cursor page-up 2");
	assert_int_equal(pane_line(p), 0);
	assert_non_null(strstr(row(0), ".0 "));
	run("cursor page-down 9");
	assert_int_equal(pane_line(p), 39);
	assert_non_null(strstr(row(12), ".39 "));
	/* .. as large as the pane will be when it is drawn */
	run("cursor home");
	run("zoom");
	run("cursor page-down");
	assert_int_equal(pane_line(p), 19);
}

static void test_empty(void **state)
{
	(void)state;
	start(0, 80, 24);
	assert_int_equal(pane_line(&d.graph), PANE_NONE);
	pane_move(&d.graph, 1);
	pane_move(&d.graph, -1);
	run("open");
	assert_string_equal(d.screen.message, "nothing to open here");
	assert_false(pane_search(&d.graph, "x", 1, say, sizeof say));
	assert_string_equal(say, "no line of `graph` matches 'x'");
	run("focus log");
	assert_non_null(strstr(row(14), "open"));
	d.starts.n = 0;
	screen_draw(&d.screen);
	assert_string_equal(row(14), " no command was run yet");
	assert_string_equal(row(15), " : types one");
}

/* Only lines that can be seen are asked for, each once a side. */
static void test_million(void **state)
{
	struct timespec a, b;
	double ms;
	int i;

	(void)state;
	start(1000000, 200, 60);
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (i = 0; i < 50; i++) {
		pane_move(&d.graph, 7919);
		screen_draw(&d.screen);
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	ms = ((double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6) / 50;
	print_message("a screen of 200x60 over 1000000 lines: %.3f ms\n", ms);
	assert_in_range(d.asked, 1, 50 * 2 * 60);
	assert_true(ms < 16);
	assert_int_equal(pane_line(&d.graph), 50 * 7919);
	pane_move(&d.graph, 999999);
	assert_int_equal(pane_line(&d.graph), 999999);
}

static void test_sideways(void **state)
{
	(void)state;
	start(40, 80, 24);
	run("cursor right 10");
	/* marks stay, then a sign, then the rest */
	assert_memory_equal(row(5), "* \xe2\x80\xa6", 5);
	assert_non_null(strstr(row(5), "R under A1"));
	run("cursor left 4");
	run("cursor left 99");
	assert_memory_equal(row(5), "* %add.5", 8);
}

/* lines that come and go */

static void test_stay(void **state)
{
	(void)state;
	start(60, 80, 24);
	pane_select(&d.graph, 30);
	screen_draw(&d.screen);
	assert_non_null(strstr(row(12), "%reshape.30"));
	run("hide 7");
	assert_int_equal(pane_line(&d.graph), 23);
	assert_non_null(strstr(row(12), "%reshape.30"));
	run("hide 0");
	assert_int_equal(pane_line(&d.graph), 30);
	run("hide 40");
	assert_in_range(pane_line(&d.graph), 0, 19);
}

/* search and filter */

static void test_search(void **state)
{
	struct pane *p = &d.graph;

	(void)state;
	start(40, 80, 24);
	assert_false(pane_search(p, NULL, 1, say, sizeof say));
	assert_true(pane_search(p, "slice", 1, say, sizeof say));
	assert_string_equal(say, "line 2 of 40 matches 'slice'");
	assert_int_equal(d.told, 1);
	assert_true(pane_search(p, NULL, 1, say, sizeof say));
	assert_int_equal(pane_line(p), 2);
	assert_true(pane_search(p, NULL, -1, say, sizeof say));
	assert_true(pane_search(p, NULL, -1, say, sizeof say));
	assert_string_equal(say, "line 39 of 40 matches 'slice', after going round");
	assert_true(pane_search(p, NULL, 1, say, sizeof say));
	assert_string_equal(say, "line 2 of 40 matches 'slice', after going round");
	assert_true(pane_search(p, "dot\\.0$", 1, say, sizeof say));
	assert_true(pane_search(p, NULL, 1, say, sizeof say));
	assert_string_equal(say, "line 1 of 40 matches 'dot\\.0$', no other does");
	assert_false(pane_search(p, "SLICE", 1, say, sizeof say));
	assert_false(pane_search(p, "(", 1, say, sizeof say));
	assert_string_equal(p->search.text, "SLICE");
}

static void test_search_drawn(void **state)
{
	(void)state;
	start(40, 160, 50);
	run("focus why");
	run("search na\xc3\xafve");
	assert_int_equal(pane_line(&d.why.pane), 3);
	assert_non_null(strstr(d.screen.message, "line 4 of 4"));
	assert_int_equal(canvas_at(&d.screen.cv, 4, d.screen.panes.at[SLOT_LOWER1].y + 3)->over, ROLE_HIT);
	assert_int_equal(canvas_at(&d.screen.cv, 5, d.screen.panes.at[SLOT_LOWER1].y + 3)->over, ROLE_SELECTED);
	run("cancel");
	assert_int_equal(canvas_at(&d.screen.cv, 4, d.screen.panes.at[SLOT_LOWER1].y + 3)->over, ROLE_SELECTED);
}

static void test_filter(void **state)
{
	struct pane *p = &d.graph;

	(void)state;
	start(40, 80, 24);
	pane_select(p, 5);
	run("filter slice");
	assert_string_equal(d.screen.message, "10 of 40 lines match 'slice'");
	assert_int_equal(pane_line(p), 10);
	assert_non_null(strstr(row(0), "%slice.1 "));
	assert_non_null(strstr(row(1), "%slice.2 "));
	assert_non_null(strstr(row(13), "&slice  3/10"));
	run("cursor down");
	assert_int_equal(pane_line(p), 11);
	run("search 2$");
	assert_int_equal(pane_line(p), 2);
	run("hide 2");
	assert_non_null(strstr(row(0), "%slice.2 "));
	assert_int_equal(pane_line(p), 0);
	run("hide 0");
	run("filter no such line");
	assert_string_equal(d.screen.message, "0 of 40 lines match 'no such line'");
	assert_int_equal(pane_line(p), PANE_NONE);
	run("cursor down");
	assert_string_equal(row(0), " no line matches; & Enter shows all    \xe2\x94\x82 no line matches; & Enter shows all");
	run("cancel");
	run("cancel");
	assert_int_equal(p->lines, 40);
	assert_non_null(strstr(row(0), "%dot.0 "));
}

/* long lists are looked at in slices, around the cursor first */

static bool is_slice(size_t i)
{
	return i % 9 == 1 || i % 9 == 2;
}

static void test_filter_goes_on(void **state)
{
	struct pane *p = &d.graph;
	size_t i, n = 0, slices = 0, line;
	char count[32];

	(void)state;
	start(1000000, 80, 24);
	d.screen.idles = true;
	pane_select(p, 500000);
	screen_draw(&d.screen);
	run("filter slice");
	line = pane_line(p);
	assert_true(is_slice(line) && line >= 500000 && line < 500009);
	assert_int_equal(d.told, line);
	assert_int_equal(p->filter.to - p->filter.from, 2 * FILTER_SLICE);
	snprintf(count, sizeof count, "&slice  %u\xe2\x80\xa6", p->filter.shown.n);
	if (!strstr(row(13), count))
		fail_msg("%s: %s", count, row(13));
	assert_non_null(strstr(d.screen.message, "so far: 4096 of 1000000 were looked at"));
	assert_non_null(strstr(row(6), "%slice.500"));
	while (screen_work(&d.screen)) {
		assert_int_equal(pane_line(p), line);
		assert_int_equal(p->cur - p->top, 6);
		slices++;
	}
	assert_in_range(slices, 400, 600);
	for (i = 0; i < 1000000; i++)
		if (is_slice(i))
			assert_int_equal(VEC_AT(uint32_t, &p->filter.shown, n++), i);
	assert_int_equal(p->filter.shown.n, n);
	snprintf(count, sizeof count, "%zu of 1000000 lines", n);
	assert_memory_equal(d.screen.message, count, strlen(count));
	screen_draw(&d.screen);
	snprintf(count, sizeof count, " &slic\xe2\x80\xa6%zu/%zu\xe2\x94\x82", p->cur + 1, n);	/* the count as a whole */
	if (!strstr(row(13), count))
		fail_msg("%s: %s", count, row(13));
}

/* The ends are found from there; the cursor goes to the next line that matches when it is known which that is. */
static void test_filter_far(void **state)
{
	struct pane *p = &d.graph;

	(void)state;
	start(1000000, 80, 24);
	d.screen.idles = true;
	pane_select(p, 500000);
	run("filter slice");
	run("cursor end");
	assert_int_equal(pane_line(p), 999992);
	run("cursor up");
	assert_int_equal(pane_line(p), 999991);
	run("cursor home");
	assert_int_equal(pane_line(p), 1);
	assert_false(filter_whole(&p->filter));
	run("filter");
	pane_select(p, 500000);
	run("filter \\.(7|999990)$");
	assert_int_equal(pane_line(p), PANE_NONE);
	assert_int_equal(d.told, 500000);
	assert_non_null(strstr(row(0), "no line matches so far"));
	run("cursor down");
	assert_int_equal(d.told, 500000);
	run("filter \\.(7|999990)$");
	run("say other");
	while (screen_work(&d.screen))
		;
	assert_int_equal(pane_line(p), 999990);
	assert_int_equal(d.told, 999990);
	assert_string_equal(d.screen.message, "ran: say other");
	run("cursor up");
	assert_int_equal(pane_line(p), 7);
}

static void test_search_goes_on(void **state)
{
	struct pane *p = &d.graph;

	(void)state;
	start(1000000, 80, 24);
	d.screen.idles = true;
	pane_select(p, 500000);
	run("search \\.499999$");
	assert_string_equal(d.screen.message, "looking for '\\.499999$' ..");
	assert_int_equal(pane_line(p), 500000);
	while (screen_work(&d.screen))
		;
	assert_int_equal(pane_line(p), 499999);
	assert_string_equal(d.screen.message, "line 500000 of 1000000 matches '\\.499999$', after going round");
	run("search \\.17$");
	assert_true(pane_stop(p));
	assert_false(screen_work(&d.screen));
	assert_int_equal(pane_line(p), 499999);
	run("search nothing");
	while (screen_work(&d.screen))
		;
	assert_string_equal(d.screen.message, "no line of `graph` matches 'nothing'");
	assert_int_equal(d.screen.message_role, ROLE_ERROR);
	/* where nobody waits for keys, a command is done when it is done */
	d.screen.idles = false;
	run("search \\.17$");
	assert_int_equal(pane_line(p), 17);
	run("filter reshape");
	assert_string_equal(d.screen.message, "111111 of 1000000 lines match 'reshape'");
}

/* pages of text are made when they are looked at, and only when they changed */
static void test_lines(void **state)
{
	(void)state;
	start(40, 80, 24);
	assert_int_equal(d.filled, 1);
	screen_draw(&d.screen);
	assert_int_equal(d.filled, 1);
	run("cursor down 2");
	assert_int_equal(d.filled, 2);
	assert_string_equal(row(14), "%slice.2 computes %dot.0[:, 0:256]");
	run("view rules");
	run("cursor down");
	assert_int_equal(d.filled, 2);
	assert_string_equal(row(14), "lift-slice      fired 12");
	assert_string_equal(row(15), "N10 sum-of-sums fired 3");
	run("focus why");
	assert_int_equal(d.filled, 3);
	run("press Enter");
	assert_string_equal(d.screen.message, "nothing to open on that line; this one leads somewhere");
	assert_int_equal(d.why.pane.cur, 1);
	run("press Enter");
	assert_string_equal(d.screen.message, "ran: goto 3");
	run("focus source");
	assert_int_equal(pane_line(&d.source.pane), 3);
	assert_memory_equal(row(20), "attention.py:209", 16);
	run("focus why");
	d.told = 6;
	screen_draw(&d.screen);
	assert_string_equal(row(14), " nothing to show");
	d.why.page.empty = "all is proved";
	screen_draw(&d.screen);
	assert_string_equal(row(14), " all is proved");
}

/* places */

static const char *front_of(int x, int y)
{
	size_t line;
	int side;
	struct pane *p = panes_at(&d.screen.panes, x, y, &side, &line);

	return p ? p->name : "";
}

static void test_places(void **state)
{
	(void)state;
	start(40, 80, 24);
	assert_string_equal(front_of(0, 0), "graph");
	assert_string_equal(front_of(79, 13), "graph");
	assert_string_equal(front_of(0, 14), "why");
	assert_string_equal(front_of(0, 21), "");
	screen_resize(&d.screen, 160, 50);
	assert_string_equal(front_of(0, 30), "why");
	assert_string_equal(front_of(159, 30), "source");
	assert_string_equal(front_of(159, 0), "class");
	screen_resize(&d.screen, 200, 60);
	assert_string_equal(front_of(199, 0), "class");
	assert_string_equal(front_of(199, 30), "relations");
	assert_string_equal(front_of(199, 40), "rules");
	screen_resize(&d.screen, 130, 30);
	assert_string_equal(front_of(129, 25), "source");
	screen_resize(&d.screen, 60, 19);
	assert_string_equal(front_of(0, 15), "graph");
	run("focus next");
	run("focus next");
	assert_string_equal(front_of(0, 15), "why");
}

static void test_focus(void **state)
{
	struct panes *ps = &d.screen.panes;

	(void)state;
	start(40, 80, 24);
	run("view why");
	run("help-keys");
	run("close");
	assert_ptr_equal(ps->focus, &d.graph);	/* not the one that was shown meanwhile */
	run("view source");
	assert_string_equal(front_of(0, 14), "source");
	run("close");			/* what was put before another view goes, and not the whole */
	assert_string_equal(front_of(0, 14), "why");
	assert_ptr_equal(ps->focus, &d.graph);
	assert_false(panes_uncover(ps));
	run("close now");
	assert_string_equal(d.screen.message, "close takes no arguments: 'now'");
	run("mouse maybe");
	assert_string_equal(d.screen.message, "mouse: cannot do 'maybe'");
	demo_release(&d);
	start(40, 160, 50);
	assert_ptr_equal(ps->focus, &d.graph);
	run("focus next");
	assert_ptr_equal(ps->focus, &d.graph);
	assert_int_equal(d.told_side, 1);
	run("focus next");
	assert_ptr_equal(ps->focus, &d.why.pane);
	run("focus next");
	assert_ptr_equal(ps->focus, &d.source.pane);
	run("focus next");
	assert_ptr_equal(ps->focus, &d.class.pane);
	run("tab next");
	assert_ptr_equal(ps->focus, &d.relations.pane);
	run("focus next");
	assert_ptr_equal(ps->focus, &d.graph);
	assert_int_equal(d.graph.side, 0);
	run("focus prev");
	assert_ptr_equal(ps->focus, &d.relations.pane);
	run("close");
	assert_ptr_equal(ps->focus, &d.graph);
	assert_string_equal(front_of(159, 0), "class");
	run("focus source");
	run("focus class");
	run("close");
	assert_ptr_equal(ps->focus, &d.source.pane);
	run("focus graph");
	run("view rules");
	assert_ptr_equal(ps->focus, &d.graph);
	assert_string_equal(front_of(0, 30), "rules");
	run("focus nosuch");
	assert_string_equal(d.screen.message, "focus: there is no view 'nosuch'");
}

/* A pane that loses its place to another on a smaller screen keeps the focus and is in front. */
static void test_shrink(void **state)
{
	(void)state;
	start(40, 160, 50);
	run("focus class");
	run("view source");
	screen_resize(&d.screen, 80, 24);
	screen_draw(&d.screen);
	assert_string_equal(front_of(0, 14), "class");
	assert_true(panes_visible(&d.screen.panes, &d.class.pane));
	assert_false(panes_visible(&d.screen.panes, &d.source.pane));
}

static void test_zoom(void **state)
{
	(void)state;
	start(40, 160, 50);
	run("zoom");
	assert_string_equal(front_of(159, 40), "graph");
	run("focus why");
	assert_string_equal(front_of(159, 0), "why");
	run("focus next");
	assert_string_equal(front_of(0, 0), "source");
	run("close");
	assert_string_equal(front_of(0, 0), "graph");
	run("pane-size +5");
	run("pane-size +100");
	assert_string_equal(front_of(0, 4), "why");
	run("focus graph");
	run("zoom");
	run("view rules");
	assert_string_equal(front_of(0, 0), "rules");
	run("zoom");
	run("pane-size x");
	assert_string_equal(d.screen.message, "pane-size: cannot do 'x'");
}

/* No size, however small, breaks anything; text never leaves its place. */
static void test_sizes(void **state)
{
	int w, h;

	(void)state;
	start(40, 80, 24);
	run("search dot");
	for (w = 0; w < 210; w += w < 45 ? 1 : 23)
		for (h = 0; h < 65; h += h < 25 ? 1 : 9) {
			screen_resize(&d.screen, w, h);
			screen_draw(&d.screen);
			run("focus next");
			run("cursor page-down");
			run("zoom");
		}
	screen_resize(&d.screen, 39, 24);
	screen_draw(&d.screen);
	assert_string_equal(row(0), "39x24 is too small: 40x8 is the least");
	screen_resize(&d.screen, 20, 5);
	screen_draw(&d.screen);
	assert_string_equal(row(0), "20x5 is too small");
	assert_string_equal(row(1), "40x8 is the least");
}

/* what the keys of less, vim and emacs move by */
static void test_paging(void **state)
{
	struct pane *p = &d.graph;

	(void)state;
	start(40, 80, 24);
	assert_int_equal(p->rows, 13);
	run("press C-f");
	assert_int_equal(pane_line(p), 12);
	run("press C-d");
	assert_int_equal(pane_line(p), 18);
	run("press 2 C-u");
	assert_int_equal(pane_line(p), 6);
	run("press C-n C-n C-p");
	assert_int_equal(pane_line(p), 7);
	run("press C-b");
	assert_int_equal(pane_line(p), 0);
}

/* keys are commands */

static void test_keys(void **state)
{
	(void)state;
	start(40, 80, 24);
	run("press Down 3 j Tab s 1 2 s Enter g g / ");
	prompt_close();
	assert_string_equal(VEC(char, &d.text) + VEC_AT(uint32_t, &d.starts, 1), "cursor down");
	assert_string_equal(VEC(char, &d.text) + VEC_AT(uint32_t, &d.starts, 2), "cursor down 3");
	assert_string_equal(VEC(char, &d.text) + VEC_AT(uint32_t, &d.starts, 3), "focus next");
	assert_string_equal(VEC(char, &d.text) + VEC_AT(uint32_t, &d.starts, 4), "step");
	assert_string_equal(VEC(char, &d.text) + VEC_AT(uint32_t, &d.starts, 5), "step 12");
	assert_string_equal(VEC(char, &d.text) + VEC_AT(uint32_t, &d.starts, 6), "open");
	assert_string_equal(VEC(char, &d.text) + VEC_AT(uint32_t, &d.starts, 7), "print dist 4");
	assert_string_equal(VEC(char, &d.text) + VEC_AT(uint32_t, &d.starts, 8), "cursor home");
	assert_string_equal(VEC(char, &d.text) + VEC_AT(uint32_t, &d.starts, 9), "prompt search ");
	run("press nokey");
	assert_string_equal(d.screen.message, "press: there is no key 'nokey'");
	run("press M-q");
	assert_string_equal(d.screen.message, "the key M-q means nothing here; h shows the keys");
	run("press g Enter");
	assert_string_equal(d.screen.message, "the keys g Enter mean nothing here; h shows the keys");
	run("bind graph M-q step 5");
	run("press M-q");
	assert_string_equal(d.screen.message, "ran: step 5");
	run("bind \"g x\" undo");
	run("press g x");
	assert_string_equal(d.screen.message, "ran: undo");
	run("bind M-q");
	run("bind graph M-q");
	run("press M-q");
	assert_string_equal(d.screen.message, "the key M-q means nothing here; h shows the keys");
	run("bind no-key x");
	assert_memory_equal(d.screen.message, "bind: 'no-key'", 14);
	run("bind x press x");
	run("press x");
	assert_string_equal(d.screen.message, "'press x': a key or command that runs itself");
	assert_int_equal(d.screen.depth, 0);
	run("press G");
	assert_int_equal(pane_line(&d.graph), 39);
	run("press 1 2 G");
	assert_int_equal(pane_line(&d.graph), 11);
	run("press Q");
	assert_true(d.screen.quit);
}

static void test_help(void **state)
{
	(void)state;
	start(40, 80, 24);
	run("bind graph M-q step 5");
	run("press h");
	assert_string_equal(front_of(0, 0), "keys");
	assert_string_equal(row(0), "in this view");
	assert_memory_equal(row(1), " M-q ", 5);
	assert_non_null(strstr(row(1), "step 5"));
	assert_string_equal(row(2), "everywhere");
	assert_memory_equal(row(3), " s          one firing of a rule", 32);
	run("cursor down 3");
	run("press Enter");
	assert_string_equal(d.screen.message, "ran: step");
	run("press q");
	assert_ptr_equal(d.screen.panes.focus, &d.graph);
}

/* lines that go on in the next row */

static void fill_long(void *ctx, struct page *p)
{
	(void)ctx;
	page_add(p, PG_NAME, "short");
	page_add(p, PG_NAME, "one ");
	page_more(p, PG_NORMAL, "two three four five six seven");
	page_open(p, "select one");
	page_add(p, PG_RULE, "rule");
	page_at(p, 8, PG_NORMAL, "a reason in words");
	page_here(p);
	page_add(p, PG_NORMAL, "averylongwordthatfitsnowhere");
	page_add(p, PG_NORMAL, "fits into it precisely and");
}

/* Draws the lines into a canvas of this width and compares its rows with the wanted ones. */
static void wraps_to(struct lines *l, int width, const char *const *want)
{
	struct canvas cv;
	char buf[128], command[64];
	size_t i;

	canvas_init(&cv, width, 14);
	pane_draw(&l->pane, canvas_root(&cv), true, "");
	for (i = 0; want[i]; i++) {
		canvas_line(canvas_root(&cv), (int)i, buf, sizeof buf);
		assert_string_equal(buf, want[i]);
	}
	assert_int_equal(l->pane.lines, i);
	/* a row that goes on does what its line does */
	l->pane.src->open(l->pane.ctx, 2, 0, command, sizeof command);
	assert_string_equal(command, "select one");
	canvas_release(&cv);
}

static void test_wrap(void **state)
{
	static const char *const narrow[] = {"short", "one two three", "  four five six", "  seven", "rule    a reason", "        in words",
		"averylongwordtha", "  tfitsnowhere", "fits into it", "  precisely and", NULL};
	static const char *const wide[] = {"short", "one two three four five", "  six seven", "rule    a reason in words",
		"averylongwordthatfitsnowhe", "  re", "fits into it precisely and", NULL};
	struct lines l;

	(void)state;
	start(1, 80, 24);
	lines_init(&l, "long", HOME_EXPLAIN, fill_long, NULL, NULL);
	l.wrap = true;
	wraps_to(&l, 16, narrow);
	assert_int_equal(pane_line(&l.pane), 4);
	wraps_to(&l, 26, wide);
	assert_int_equal(pane_line(&l.pane), 3);
	lines_release(&l);
}

/* golden screens */

static void golden(const char *name, unsigned how)
{
	char path[1024], *have, *want = NULL;
	size_t nhave, nwant = 0;
	FILE *f = open_memstream(&have, &nhave);

	screen_draw(&d.screen);
	canvas_write(&d.screen.cv, f, how);
	fclose(f);
	snprintf(path, sizeof path, "%s/tests/golden/%s.txt", SRCDIR, name);
	if (getenv("UPDATE_GOLDEN")) {
		f = fopen(path, "w");
		assert_non_null(f);
		fwrite(have, 1, nhave, f);
		fclose(f);
	}
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(getdelim(&want, &nwant, 0, f) >= 0);
	fclose(f);
	assert_string_equal(have, want);
	free(have);
	free(want);
}

static void test_golden(void **state)
{
	(void)state;
	start(40, 80, 24);
	run("cursor down 2");
	golden("screen-80x24", CANVAS_ROLES);
	run("search slice");
	golden("screen-80x24-search", CANVAS_ROLES);
	run("cancel");
	run("cursor right 6");
	golden("screen-80x24-right", 0);
	run("cursor left 6");
	run("press Tab");
	screen_resize(&d.screen, 160, 50);
	golden("screen-160x50", 0);
	screen_resize(&d.screen, 200, 60);
	golden("screen-200x60", 0);
	screen_resize(&d.screen, 50, 12);
	golden("screen-50x12", CANVAS_ASCII);
	screen_resize(&d.screen, 80, 24);
	run("press h");
	golden("screen-80x24-help", 0);
	run("zoom");
	golden("screen-80x24-zoom", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_teardown(name, teardown)
		T(test_move), T(test_page), T(test_empty), T(test_million), T(test_sideways), T(test_stay), T(test_search),
		T(test_search_drawn), T(test_filter), T(test_filter_goes_on), T(test_filter_far), T(test_search_goes_on), T(test_lines), T(test_wrap), T(test_places), T(test_focus), T(test_shrink), T(test_zoom),
		T(test_sizes), T(test_paging), T(test_keys), T(test_help), T(test_golden),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
