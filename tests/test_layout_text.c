/* Layouts in words: placements, residues, chains, grids. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>
#include "core/table_text.h"
#include "relation/layout_text.h"

static arena out;

static const struct mesh_axis one_axis[] = { { "tp", 2 } };
static const mesh tp2 = { 1, one_axis, 2 };
static const struct mesh_axis two_axes[] = { { "dp", 2 }, { "tp", 2 } };
static const mesh dp2tp2 = { 2, two_axes, 4 };

#define DIGITS(...) .nd = sizeof((digit[]){ __VA_ARGS__ }) / sizeof(digit), .dev = (digit[]){ __VA_ARGS__ }
#define LOCAL(...) .nl = sizeof((digit[]){ __VA_ARGS__ }) / sizeof(digit), .loc = (digit[]){ __VA_ARGS__ }
#define SHAPE(...) .rank = sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t), .dim = (int64_t[]){ __VA_ARGS__ }

/* 4 x 6 elements, as they stand */
#define WHOLE { .ndev = 1, SHAPE(4, 6), LOCAL({ 24, 1 }) }

static void relation_is(const mesh *ms, layout base, layout dist, const char *text)
{
	assert_string_equal(layout_relation(&out, ms, &base, &dist), text);
}

static void chain_is(const mesh *ms, layout base, layout dist, const char *text)
{
	chain c;

	if (!layout_chain(&out, ms, &base, &dist, &c)) {
		assert_null(text);
		return;
	}
	assert_non_null(text);
	assert_string_equal(c.text, text);
}

static void plain_placements(void **state)
{
	layout b = WHOLE;
	layout r = { .ndev = 2, SHAPE(4, 6), DIGITS({ 2, 0 }), LOCAL({ 24, 1 }) };
	layout s0 = { .ndev = 2, SHAPE(2, 6), DIGITS({ 2, 12 }), LOCAL({ 12, 1 }) };
	layout s1 = { .ndev = 2, SHAPE(4, 3), DIGITS({ 2, 3 }), LOCAL({ 4, 6 }, { 3, 1 }) };

	(void)state;
	relation_is(&tp2, b, r, "R");
	relation_is(&tp2, b, s0, "S(0) over tp");
	relation_is(&tp2, b, s1, "S(1) over tp");
	chain_is(&tp2, b, r, "R");
	chain_is(&tp2, b, s1, "tp:S(1)");
}

static void two_axes_on_dimensions(void **state)
{
	layout b = WHOLE;
	layout both = { .ndev = 4, SHAPE(2, 3), DIGITS({ 2, 12 }, { 2, 3 }), LOCAL({ 2, 6 }, { 3, 1 }) };
	layout major_dp = { .ndev = 4, SHAPE(1, 6), DIGITS({ 4, 6 }), LOCAL({ 6, 1 }) };
	layout major_tp = { .ndev = 4, SHAPE(1, 6), DIGITS({ 2, 6 }, { 2, 12 }), LOCAL({ 6, 1 }) };
	layout half = { .ndev = 4, SHAPE(2, 6), DIGITS({ 2, 0 }, { 2, 12 }), LOCAL({ 12, 1 }) };

	(void)state;
	relation_is(&dp2tp2, b, both, "S(0) over dp · S(1) over tp");
	relation_is(&dp2tp2, b, major_dp, "S(0) over dp,tp");
	relation_is(&dp2tp2, b, major_tp, "S(0) over tp,dp");
	relation_is(&dp2tp2, b, half, "S(0) over tp");	/* replicated over dp */
	chain_is(&dp2tp2, b, both, "dp:S(0) tp:S(1)");
	chain_is(&dp2tp2, b, major_tp, "tp:S(0) dp:S(0)");
}

/* [4,6] as [2,2,6], the first two exchanged. */
static void a_residual_permutation(void **state)
{
	layout b = { .ndev = 1, SHAPE(4, 6), LOCAL({ 2, 6 }, { 2, 12 }, { 6, 1 }) };
	layout d = { .ndev = 2, SHAPE(4, 6), DIGITS({ 2, 0 }), LOCAL({ 24, 1 }) };
	layout t = { .ndev = 2, SHAPE(6, 4), DIGITS({ 2, 0 }), LOCAL({ 6, 1 }, { 4, 6 }) };
	layout w = WHOLE;

	(void)state;
	relation_is(&tp2, b, d, "R; transpose {1,0,2} of [2,2,6]");
	assert_string_equal(layout_steps(&out, &tp2, &b, &d), "reshape [4,6] to [2,2,6], transpose {1,0,2} to [2,2,6], reshape to [4,6]");
	chain_is(&tp2, b, d, "reshape(2,2,6) transpose(1,0,2) reshape(4,6)");
	assert_false(layout_keeps_order(&tp2, &b, &d));
	relation_is(&tp2, w, t, "R; transpose {1,0} of [6,4]");
	assert_string_equal(layout_steps(&out, &tp2, &w, &t), "transpose {1,0} to [4,6]");
}

static void only_a_reshape(void **state)
{
	layout b = WHOLE;
	layout d = { .ndev = 2, SHAPE(2, 2, 3), DIGITS({ 2, 12 }), LOCAL({ 12, 1 }) };

	(void)state;
	relation_is(&tp2, b, d, "S(0) over tp; reshape [4,2,3] to [4,6]");
	chain_is(&tp2, b, d, "reshape(4,2,3) tp:S(0)");
	assert_true(layout_keeps_order(&tp2, &b, &d));
}

/* Columns 0, 1, 2 and 6, 7, 8 of twelve on device 0. */
static void segments_of_a_dimension(void **state)
{
	layout b = { .ndev = 1, SHAPE(2, 12), LOCAL({ 24, 1 }) };
	layout d = { .ndev = 2, SHAPE(2, 6), DIGITS({ 2, 3 }), LOCAL({ 4, 6 }, { 3, 1 }) };

	(void)state;
	relation_is(&tp2, b, d, "segments 6,6 of dim 1 over tp");
}

static void broadcast_digits(void **state)
{
	layout b = { .ndev = 1, SHAPE(4, 6), LOCAL({ 4, 1 }, { 6, 0 }) };
	layout d = { .ndev = 2, SHAPE(4, 3), DIGITS({ 2, 0 }), LOCAL({ 4, 1 }, { 3, 0 }) };
	layout c = { .ndev = 2, SHAPE(8), DIGITS({ 2, 0 }), LOCAL({ 2, 0 }, { 4, 1 }) };
	layout v = { .ndev = 1, SHAPE(4), LOCAL({ 4, 1 }) };

	(void)state;
	relation_is(&tp2, b, d, "R (does not vary)");
	chain_is(&tp2, b, d, NULL);	/* which axis divides it cannot be told */
	relation_is(&tp2, v, c, "R; 2 copies along dimension 0");
}

static void pieces_that_do_not_fit(void **state)
{
	layout b = { .ndev = 1, SHAPE(6), LOCAL({ 2, 3 }, { 3, 1 }) };
	layout d = { .ndev = 2, SHAPE(6), DIGITS({ 2, 0 }), LOCAL({ 3, 2 }, { 2, 1 }) };

	(void)state;
	assert_int_equal(strncmp(layout_relation(&out, &tp2, &b, &d), "layout (devices: 2 free; local: 3 at 2", 38), 0);
}

static void shards_by_axis(void **state)
{
	layout b = WHOLE;
	layout both = { .ndev = 4, SHAPE(2, 3), DIGITS({ 2, 12 }, { 2, 3 }), LOCAL({ 2, 6 }, { 3, 1 }) };
	layout_shard *s;

	(void)state;
	assert_int_equal(layout_shards(&out, &dp2tp2, &b, &both, &s), 2);
	assert_int_equal(s[0].axis, 0);
	assert_int_equal(s[0].dim, 0);
	assert_int_equal(s[1].axis, 1);
	assert_int_equal(s[1].dim, 1);
}

static void nothing_to_hold(void **state)
{
	layout b = { .ndev = 1, SHAPE(3, 0), LOCAL({ 0, 1 }) };
	layout d = { .ndev = 2, SHAPE(3, 0), DIGITS({ 2, 0 }), LOCAL({ 0, 1 }) };

	(void)state;
	assert_string_equal(layout_relation(&out, &tp2, &b, &d), "R");
}

static void a_grid(void **state)
{
	layout b = { .ndev = 1, SHAPE(2, 4), LOCAL({ 8, 1 }) };
	layout d = { .ndev = 2, SHAPE(2, 2), DIGITS({ 2, 2 }), LOCAL({ 2, 4 }, { 2, 1 }) };

	(void)state;
	assert_string_equal(layout_grid(&out, &b, &d, 64), "device 0: 0 1 | 4 5\ndevice 1: 2 3 | 6 7");
	assert_null(layout_grid(&out, &b, &d, 7));
}

#define TABLE_IS(words, ...) \
	assert_string_equal(table_text(&out, (const double[]){ __VA_ARGS__ }, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)), words)

static void a_table(void **state)
{
	(void)state;
	TABLE_IS("a table [3,3] of 1 where column <= row, else 0", 1, 0, 0, 1, 1, 0, 1, 1, 1);
	TABLE_IS("a table [3,3] of 0 where column <= row, else -inf", 0, -INFINITY, -INFINITY, 0, 0, -INFINITY, 0, 0, 0);
	TABLE_IS("a table [2,4] of 1 where column <= row + 2, else 0", 1, 1, 1, 0, 1, 1, 1, 1);
	TABLE_IS("a table [3,3] of 1 where column = row, else 0", 1, 0, 0, 0, 1, 0, 0, 0, 1);
	TABLE_IS("a table [3,3] of 1 where column >= row, else 0", 1, 1, 1, 0, 1, 1, 0, 0, 1);
	TABLE_IS("a table of 6 values: 1 in the first 2, else 0", 1, 1, 0, 0, 0, 0);
	TABLE_IS("the table (0.5, 1, 2)", 0.5, 1, 2);
	TABLE_IS("a table [2,3,3] of 1 where column <= row in every block, else 0", 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1);
	TABLE_IS("a table [4,2,2] of 1 where everywhere (block 0), column <= row (block 1), nowhere (blocks 2..3), else 0",
		 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0);
	TABLE_IS("a table [4,4] of 1 where row - 1 <= column <= row, else 0", 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1);
	TABLE_IS("a table [4,4] of 1 where row + 1 <= column <= row + 2, else 0", 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0);
	TABLE_IS("a table [3,4] of 0 where row - 1 <= column <= row + 1, else -inf", 0, 0, -INFINITY, -INFINITY, 0, 0, 0, -INFINITY, -INFINITY, 0, 0, 0);
	TABLE_IS("a table of 16 values", 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1);
	/* one place is otherwise, and three values: no rule */
	TABLE_IS("a table of 9 values", 1, 0, 0, 1, 1, 0, 1, 0, 1);
	TABLE_IS("a table of 9 values", 1, 0, 0, 1, 1, 0, 1, 1, 2);
}

static int begin(void **state)
{
	(void)state;
	arena_init(&out);
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_free(&out);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain_placements), cmocka_unit_test(two_axes_on_dimensions), cmocka_unit_test(a_residual_permutation),
		cmocka_unit_test(only_a_reshape), cmocka_unit_test(segments_of_a_dimension), cmocka_unit_test(broadcast_digits),
		cmocka_unit_test(pieces_that_do_not_fit), cmocka_unit_test(shards_by_axis), cmocka_unit_test(nothing_to_hold), cmocka_unit_test(a_grid),
		cmocka_unit_test(a_table),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
