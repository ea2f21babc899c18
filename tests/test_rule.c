/* Rules: reading, typing, matching at a node, host functions and atoms, firing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>
#include "rule/firing.h"
#include "util/sexp.h"

struct world {
	egraph *g;
	rules *r;
	firings *f;
	matcher *m;
};

static struct world open_world(void)
{
	struct world w;

	w.g = eg_new();
	w.r = rules_new(w.g);
	w.f = firings_new(w.r);
	w.m = matcher_new(w.r);
	return w;
}

static void close_world(struct world *w)
{
	matcher_free(w->m);
	firings_free(w->f);
	rules_free(w->r);
	eg_free(w->g);
}

static const char *read_text(struct world *w, const char *text)
{
	return rules_read(w->r, "t.egg", text, strlen(text));
}

static eg_id leaf(struct world *w, const char *name)
{
	return eg_add(w->g, eg_operator(w->g, eg_family_named(w->g, name), 0, NULL), 0, NULL);
}

static eg_id call(struct world *w, const char *name, uint32_t n, const eg_id *arg)
{
	return eg_add(w->g, eg_operator(w->g, eg_family_named(w->g, name), 0, NULL), n, arg);
}

#define CALL(w, name, ...) \
	call(w, name, sizeof((eg_id[]){ __VA_ARGS__ }) / sizeof(eg_id), (eg_id[]){ __VA_ARGS__ })

static void test_errors(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "(sort T", "t.egg:1:1: a list without end" },
		{ ")", "t.egg:1:1: a closing parenthesis without an opening one" },
		{ "\n  (sort \"a", "t.egg:2:9: a string without end" },
		{ "(datatype T (A))\n(rewrite (B) (A))", "t.egg:2:11: unknown function `B`" },
		{ "(datatype T (Plus T T))\n(rewrite (Puls x x) x)", "t.egg:2:11: unknown function `Puls`; perhaps `Plus` is meant" },
		{ "(datatype T (Plus T T))\n(rewrite (Plu x x) x)", "t.egg:2:11: unknown function `Plu`; perhaps `Plus` is meant" },
		{ "(datatype T (Plus T T))\n(rewrite (Pluss x x) x)", "t.egg:2:11: unknown function `Pluss`; perhaps `Plus` is meant" },
		{ "(datatype T (A) (F i64 T))\n(rewrite (F x (A)) x)", "t.egg:2:20: `x` is i64, but T is expected" },
		{ "(datatype T (A) (F T))\n(rewrite (F) (A))", "t.egg:2:10: F expects 1 argument, got 0: (F T)" },
		{ "(datatype T (A) (F i64))\n(rewrite (F \"x\") (A))", "t.egg:2:13: this is String, but i64 is expected" },
		{ "(datatype T (A) (F T))\n(rewrite (F x) y)", "t.egg:2:16: unbound symbol `y`" },
		{ "(datatype T (A) (F T))\n(rule ((= x y)) ((F x)))", "t.egg:2:11: the sort of this cannot be told" },
		{ "(datatype T (A) (F T))\n(rule ((= y (F x)) (< a 3)) ((F x)))", "t.egg:2:1: variable a is ungrounded" },
		{ "(sort T)\n(sort T)", "t.egg:2:7: `T` is declared already" },
		{ "(datatype T (A))\n(rewrite (A) (A) :ruleset no)", "t.egg:2:27: no such ruleset `no`; there are none" },
		{ "(ruleset a)\n(ruleset b)\n(datatype T (A))\n(rewrite (A) (A) :ruleset no)", "t.egg:4:27: no such ruleset `no`; there are a b" },
		{ "(datatype T (A))\n(rewrite (A) (A) :name no)", "t.egg:2:24: a name stands in quotes: :name \"..\"" },
		{ "(datatype T (A))\n(rewrite (A) (A) :ruleset \"no\")", "t.egg:2:27: the name of a ruleset is expected" },
		{ "(datatype T (A))\n(rewrite (A) (A) :when no)", "t.egg:2:24: a list of facts is expected" },
		{ "(datatype T (A))\n(rewrite (A) (A) :rulset no)", "t.egg:2:18: behind the sides only :name \"..\", :when (FACT..) and :ruleset SET are known" },
		{ "(datatype T (A))\n(rule ((= x (A))) ((union x x)) :when ())", "t.egg:2:33: behind the actions only :name \"..\" and :ruleset SET are known" },
		{ "(datatype T (A))\n(rule ((= x (A))) ((union x x)) :name \"a\" :name \"b\")", "t.egg:2:43: :name stands twice" },
		{ "(ruleset a)\n(datatype T (A))\n(rewrite (A) (A) :ruleset a :when () :ruleset a)", "t.egg:3:38: :ruleset stands twice" },
		{ "(datatype T (A) (F i64 T))\n(rewrite (F 1) (A))", "t.egg:2:10: F expects 2 arguments, got 1: (F i64 T)" },
		{ "(datatype T (N i64))\n(rewrite (N x) (N (abs \"x\")))", "t.egg:2:19: no `abs` takes these arguments; it is i64 -> i64, or f64 -> f64" },
		{ "(run 3)", "t.egg:1:1: `run` is no declaration and no rule; a file of commands is a program: diverge FILE.egg steps it" },
		{ "(relation R (i64))\n(rule ((R x)) ((union x x)))", "t.egg:2:16: values of sort i64 cannot be unioned" },
		{ "(function f (i64) i64)", "t.egg:1:1: say :merge or :no-merge, one of them" },
	};
	uint32_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct world w = open_world();
		const char *error = read_text(&w, cases[i].text);

		assert_non_null(error);
		assert_string_equal(error, cases[i].error);
		close_world(&w);
	}
}

static void test_rewrite(void **state)
{
	struct world w = open_world();
	eg_id a, b, ab, ba;
	fired x;
	trail_mark mark;

	(void)state;
	assert_null(read_text(&w, "(datatype T (A) (B) (Add T T))\n; addition commutes\n; always\n(rewrite (Add x y) (Add y x) :name \"comm\")"));
	assert_string_equal(rules_at(w.r, 0)->comment, "addition commutes\nalways");
	assert_string_equal(rules_at(w.r, 0)->name, "comm");
	assert_int_equal(rules_at(w.r, 0)->line, 4);
	a = leaf(&w, "A");
	b = leaf(&w, "B");
	ab = CALL(&w, "Add", a, b);
	assert_false(match_at(w.m, rules_at(w.r, 0), a));
	assert_true(match_at(w.m, rules_at(w.r, 0), ab));
	assert_int_equal(match_node(w.m, 0), ab);
	mark = trail_at(eg_trail(w.g));
	x = fire(w.f, w.m, false);
	assert_true(x.changed);
	assert_int_equal(x.a, ab);
	ba = CALL(&w, "Add", b, a);
	assert_int_equal(x.b, ba);
	assert_int_equal(eg_root(w.g, ab), eg_root(w.g, ba));
	assert_false(match_next(w.m));
	assert_int_equal(firing_n(w.f), 1);
	assert_int_equal(firing_at(w.f, 0).built[0], ba);
	assert_true(match_at(w.m, rules_at(w.r, 0), ba));
	assert_false(fire(w.f, w.m, false).changed);
	trail_undo(eg_trail(w.g), mark);
	assert_int_equal(firing_n(w.f), 0);
	assert_int_equal(eg_nnode(w.g), 3);
	assert_null(eg_check(w.g));
	close_world(&w);
}

/* ---- a host: a sort of its own, a primitive with reasons, an atom */

static bool layout_reshape(host_call *c)
{
	int64_t l, s;

	memcpy(&l, eg_value_bytes(c->g, c->in[0].id, NULL), 8);
	memcpy(&s, eg_value_bytes(c->g, c->in[1].id, NULL), 8);
	if (l % s) {
		c->reason = arena_printf(c->scratch, "%d does not divide %d", (int)s, (int)l);
		return false;
	}
	l /= s;
	c->out[0].id = eg_value(c->g, eg_value_sort(c->g, c->in[0].id), &l, 8);
	return true;
}

/* The normal node of a class: the oldest member. */
static eg_id oldest(const egraph *g, eg_id class)
{
	eg_id root = eg_root(g, class), m = root, best = root;

	do
		if (m < best && !eg_dead(g, m))
			best = m;
	while ((m = eg_next_in_class(g, m)) != root);
	return best;
}

static bool normal_one(host_call *c)
{
	c->out[0].id = c->witness = oldest(c->g, c->in[0].id);
	return true;
}

static bool normal_many(host_call *c)
{
	eg_id *n = ARENA_ARRAY(c->scratch, eg_id, c->in[0].n);
	uint32_t i;

	for (i = 0; i < c->in[0].n; i++)
		n[i] = oldest(c->g, c->in[0].at[i]);
	c->out[0].at = n;
	c->out[0].n = c->in[0].n;
	return true;
}

/* A parameter that is a node: the one matched, not its class. */
static eg_id seen_node;

static bool look_at(host_call *c)
{
	seen_node = c->in[0].id;
	c->out[0].id = c->in[0].id;
	return true;
}

/* Two answers: the members of a class, one after the other. */
static bool member_of(host_call *c)
{
	eg_id m = c->cursor ? (eg_id)c->cursor - 1 : eg_root(c->g, c->in[0].id), next = eg_next_in_class(c->g, m);

	c->out[0].id = c->witness = m;
	c->cursor = next == eg_root(c->g, c->in[0].id) ? 0 : next + 1;
	return true;
}

/* A sum of sums: the operands of inner sums take their place. */
static bool sum_flatten(host_call *c)
{
	egraph *g = c->g;
	term *t = ARENA_NEW(c->scratch, term), *arg = ARENA_ARRAY(c->scratch, term, 64);
	eg_fam sum = eg_family_named(g, "Sum");
	uint32_t i, k, n = 0, opened = 0;

	for (i = 0; i < c->in[1].n; i++) {
		eg_id x = c->in[1].at[i];
		bool open = eg_op_family(g, eg_node_op(g, x)) == sum;

		opened += open;
		for (k = 0; k < (open ? eg_narg(g, x) : 1); k++)
			arg[n++] = (term){ .id = open ? eg_current(g, x)[k] : c->in[0].at[i] };
	}
	if (!opened) {
		c->reason = "no operand is a sum";
		return false;
	}
	t->id = NIL;
	t->op = eg_operator(g, sum, 0, NULL);
	t->narg = n;
	t->arg = arg;
	c->out[0].id = NIL;
	c->out[0].term = t;
	return true;
}

static struct world host_world(void)
{
	struct world w = open_world();
	const char *error;

	eg_declare_sort(w.g, "Layout", true);
	eg_declare_sort(w.g, "Core", false);
	assert_true(rules_host(w.r, &(host_fn){ "layout-reshape", "Layout i64 -> Layout", layout_reshape, NULL, HOST_PRIM }));
	assert_true(rules_host(w.r, &(host_fn){ "normal", "Core -> Core!", normal_one, NULL, HOST_ATOM }));
	assert_true(rules_host(w.r, &(host_fn){ "normal", "Core* -> Core!*", normal_many, NULL, HOST_ATOM }));
	assert_true(rules_host(w.r, &(host_fn){ "member", "Core -> Core!", member_of, NULL, HOST_ATOM }));
	assert_true(rules_host(w.r, &(host_fn){ "sum-flatten", "Core* Core* -> Core", sum_flatten, NULL, HOST_PRIM }));
	assert_true(rules_host(w.r, &(host_fn){ "look-at", "Core! -> Core", look_at, NULL, HOST_PRIM }));
	assert_false(rules_host(w.r, &(host_fn){ "bad", "Nowhere -> Core", sum_flatten, NULL, HOST_PRIM }));
	error = read_text(&w, "(sort Tensor)(constructor Laid (Layout Core) Tensor)(constructor Reshape (i64 Tensor) Tensor)"
				  "(constructor Sum (Core*) Core)(constructor X () Core)(constructor Y () Core)(constructor Z () Core)"
				  "(constructor Neg (Core) Core)(relation Odd (Core))"
				  "(rewrite (Reshape s (Laid l x)) (Laid (layout-reshape l s) x) :name \"reshape\")"
				  "(rule ((= s (Sum xs..)) (normal xs.. ns..) (= t (sum-flatten xs.. ns..))) ((union s t)) :name \"flatten\")"
				  "(rule ((= a (Neg b)) (normal b n) (= n (Neg c))) ((union a c)) :name \"neg\")"
				  "(rule ((= a (Neg b)) (member b n) (= n (Sum p qs..))) ((Odd p)) :name \"each\")"
				  "(rule ((= s (Sum x y)) (Odd x)) ((Odd y)) :name \"odd\")"
				  "(rule ((= s (Sum xs..)) (= t (look-at s))) ((union s t)) :name \"look\")");
	if (error)
		fail_msg("%s", error);
	return w;
}

static eg_id laid(struct world *w, int64_t layout, eg_id x)
{
	eg_val v = eg_value(w->g, eg_sort_named(w->g, "Layout"), &layout, 8);

	return eg_add(w->g, eg_operator(w->g, eg_family_named(w->g, "Laid"), 1, &v), 1, &x);
}

static eg_id reshape(struct world *w, int64_t s, eg_id d)
{
	eg_val v = value_i64(w->g, s);

	return eg_add(w->g, eg_operator(w->g, eg_family_named(w->g, "Reshape"), 1, &v), 1, &d);
}

static void test_host(void **state)
{
	struct world w = host_world();
	eg_id x = leaf(&w, "X"), d = reshape(&w, 4, laid(&w, 12, x)), e = reshape(&w, 5, laid(&w, 12, x));
	const rule *r = rules_named(w.r, "reshape");

	(void)state;
	assert_false(match_at(w.m, r, e));
	assert_true(match_at(w.m, r, d));
	assert_true(fire(w.f, w.m, false).changed);
	assert_int_equal(eg_root(w.g, d), eg_root(w.g, laid(&w, 3, x)));
	close_world(&w);
}

static void test_sequence(void **state)
{
	struct world w = host_world();
	eg_id x = leaf(&w, "X"), y = leaf(&w, "Y"), z = leaf(&w, "Z");
	eg_id in = CALL(&w, "Sum", x, y), out = CALL(&w, "Sum", z, in, x);
	const rule *r = rules_named(w.r, "flatten");

	(void)state;
	assert_false(match_at(w.m, r, in));
	assert_true(match_at(w.m, r, out));
	assert_true(fire(w.f, w.m, false).changed);
	assert_int_equal(eg_root(w.g, out), eg_root(w.g, CALL(&w, "Sum", z, x, y, x)));
	assert_true(match_at(w.m, r, out));
	assert_false(match_would_change(w.m));
	close_world(&w);
}

/* (= n (Neg c)) looks at the normal node itself, not at its class. */
static void test_node_atom(void **state)
{
	struct world w = host_world();
	eg_id x = leaf(&w, "X"), y = leaf(&w, "Y"), nx = CALL(&w, "Neg", x), nnx = CALL(&w, "Neg", nx);
	eg_id ny = CALL(&w, "Neg", y), nny = CALL(&w, "Neg", ny);
	const rule *r = rules_named(w.r, "neg");

	(void)state;
	assert_true(match_at(w.m, r, nnx));
	assert_int_equal(match_node(w.m, 1), nx);
	assert_true(fire(w.f, w.m, false).changed);
	assert_int_equal(eg_root(w.g, nnx), eg_root(w.g, x));
	eg_union(w.g, leaf(&w, "Z"), ny, EG_GIVEN, firing_note(w.f, "given"));
	assert_true(match_at(w.m, r, nny));
	eg_union(w.g, x, ny, EG_GIVEN, firing_note(w.f, "given"));
	assert_false(match_at(w.m, r, nny));
	assert_null(eg_check(w.g));
	close_world(&w);
}

static void test_node_parameter(void **state)
{
	struct world w = host_world();
	eg_id x = leaf(&w, "X"), y = leaf(&w, "Y"), s = CALL(&w, "Sum", x, y), t = CALL(&w, "Sum", y, x);
	const rule *r = rules_named(w.r, "look");

	(void)state;
	eg_union(w.g, s, t, EG_GIVEN, firing_note(w.f, "given"));
	assert_true(match_at(w.m, r, s));
	assert_int_equal(seen_node, s);
	assert_true(match_at(w.m, r, t));
	assert_int_equal(seen_node, t);
	assert_int_equal(match_node(w.m, 0), t);
	assert_false(match_would_change(w.m));
	close_world(&w);
}

static void test_cursor(void **state)
{
	struct world w = host_world();
	eg_id x = leaf(&w, "X"), y = leaf(&w, "Y"), s = CALL(&w, "Sum", x, y), t = CALL(&w, "Sum", y, x), n = CALL(&w, "Neg", s);
	const rule *r = rules_named(w.r, "each");
	uint32_t k = 1;

	(void)state;
	eg_union(w.g, s, t, EG_GIVEN, firing_note(w.f, "given"));
	eg_union(w.g, s, leaf(&w, "Z"), EG_GIVEN, firing_note(w.f, "given"));
	assert_true(match_at(w.m, r, n));
	while (match_next(w.m))
		k++;
	assert_int_equal(k, 2);
	close_world(&w);
}

static void test_trace(void **state)
{
	struct world w = host_world();
	arena a;
	eg_id x = leaf(&w, "X"), y = leaf(&w, "Y"), e = reshape(&w, 5, laid(&w, 12, x)), s = CALL(&w, "Sum", x, y);
	eg_id n = CALL(&w, "Neg", x);
	miss why;

	(void)state;
	arena_init(&a);
	why = match_trace(w.m, rules_named(w.r, "reshape"), e, &a);
	assert_int_equal(why.why, MISS_REFUSED);
	assert_string_equal(why.text, "layout-reshape refused: 5 does not divide 12");
	why = match_trace(w.m, rules_named(w.r, "reshape"), reshape(&w, 3, reshape(&w, 5, laid(&w, 12, x))), &a);
	assert_int_equal(why.why, MISS_OPERATOR);
	assert_string_equal(why.text, "no Laid in the class; there is Reshape");
	why = match_trace(w.m, rules_named(w.r, "odd"), s, &a);
	assert_int_equal(why.why, MISS_FACT);
	assert_string_equal(why.text, "no fact (Odd x)");
	why = match_trace(w.m, rules_named(w.r, "neg"), n, &a);
	assert_int_equal(why.why, MISS_OPERATOR);
	CALL(&w, "Odd", x);
	why = match_trace(w.m, rules_named(w.r, "odd"), s, &a);
	assert_int_equal(why.why, MISS_NONE);
	CALL(&w, "Odd", y);
	why = match_trace(w.m, rules_named(w.r, "odd"), s, &a);
	assert_int_equal(why.why, MISS_EQUAL);
	arena_free(&a);
	close_world(&w);
}

/* What a word is. */
static void test_words(void **state)
{
	static const struct { const char *word; enum sexp_kind kind; double f; } want[] = {
		{ "true", SEXP_BOOL, 1 }, { "false", SEXP_BOOL, 0 }, { "truer", SEXP_SYMBOL, 0 }, { "t", SEXP_SYMBOL, 0 },
		{ "12", SEXP_INT, 12 }, { "-7", SEXP_INT, -7 }, { "+7", SEXP_INT, 7 }, { "1.5", SEXP_FLOAT, 1.5 }, { ".5", SEXP_FLOAT, 0.5 },
		{ "-1e2", SEXP_FLOAT, -100 }, { "99999999999999999999", SEXP_FLOAT, 1e20 }, { "inf", SEXP_FLOAT, INFINITY },
		{ "-inf", SEXP_FLOAT, -INFINITY }, { "+inf", SEXP_SYMBOL, 0 }, { "info", SEXP_SYMBOL, 0 }, { "-", SEXP_SYMBOL, 0 },
		{ "+", SEXP_SYMBOL, 0 }, { "..", SEXP_SYMBOL, 0 }, { "e5", SEXP_SYMBOL, 0 }, { "1e999", SEXP_SYMBOL, 0 },
		{ "0x10", SEXP_SYMBOL, 0 }, { "nan", SEXP_SYMBOL, 0 }, { "N", SEXP_SYMBOL, 0 }, { "1a", SEXP_SYMBOL, 0 },
	};
	const char *error;
	const sexp *s;
	arena a;
	uint32_t k;

	(void)state;
	arena_init(&a);
	for (k = 0; k < sizeof want / sizeof *want; k++) {
		s = sexp_read(&a, "f", want[k].word, strlen(want[k].word), &error)->at;
		assert_int_equal(s->kind, want[k].kind);
		assert_string_equal(s->text, want[k].word);
		if (s->kind == SEXP_FLOAT)
			assert_true(s->f == want[k].f);
		else if (s->kind != SEXP_SYMBOL)
			assert_int_equal(s->i, (int64_t)want[k].f);
	}
	s = sexp_read(&a, "f", "NaN", 3, &error)->at;
	assert_true(s->kind == SEXP_FLOAT && isnan(s->f));
	arena_free(&a);
}

/* Words and strings that stand without a gap between them. */
static void test_neighbours(void **state)
{
	static const char text[] = "; head\n(ab(c \"d\\\"e\\n\")\"f\"g;h\n12)i";
	const char *error;
	const sexp *s, *in;
	arena a;

	(void)state;
	arena_init(&a);
	s = sexp_read(&a, "f", text, sizeof text - 1, &error);
	assert_int_equal(s->n, 2);
	assert_string_equal(s->at[1].text, "i");
	in = s->at;
	assert_string_equal(in->text, "(ab(c \"d\\\"e\\n\")\"f\"g;h\n12)");
	assert_string_equal(in->comment, "head");
	assert_int_equal(in->n, 5);
	assert_string_equal(in->at[0].text, "ab");
	assert_string_equal(in->at[1].at[0].text, "c");
	assert_string_equal(in->at[1].at[1].text, "d\"e\n");
	assert_int_equal(in->at[1].at[1].n, 4);
	assert_string_equal(in->at[1].comment, "");
	assert_string_equal(in->at[2].text, "f");
	assert_string_equal(in->at[3].text, "g");
	assert_int_equal(in->at[4].i, 12);
	assert_int_equal(in->at[4].line, 3);
	assert_int_equal(in->at[4].col, 1);
	arena_free(&a);
}

/* A comment is of the rule below it and of those straight below that, up to a blank line or another comment. */
static void test_shared_comment(void **state)
{
	static const char text[] = "(datatype T (A) (Add T T) (Mul T T) (Sub T T))\n\n; commutes\n(rewrite (Add x y) (Add y x))\n"
				   "(rewrite (Mul x y)\n\n  (Mul y x))\n; apart\n\n(rewrite (Sub x x) (A))\n; its own\n(rewrite (Mul x (A)) x)\n\n"
				   "(rewrite (Add x (A)) x)";
	static const char *const comment[] = { "commutes", "commutes", "", "its own", "" };
	struct world w = open_world();
	uint32_t i;

	(void)state;
	assert_null(read_text(&w, text));
	assert_int_equal(rules_n(w.r), 5);
	for (i = 0; i < 5; i++)
		assert_string_equal(rules_at(w.r, i)->comment, comment[i]);
	close_world(&w);
}

/* ---- rules that differ from one before in what they name */

struct called { uint32_t n; char text[8]; };

static bool note_call(host_call *c)
{
	struct called *n = c->ctx;
	size_t len = 0;
	const void *text = c->nin > 1 ? eg_value_bytes(c->g, c->in[1].id, &len) : NULL;

	n->n++;
	if (text && len < sizeof n->text)
		memcpy(n->text, text, len);
	c->out[0].id = c->in[0].id;
	return true;
}

struct alikes { struct called left, right, note; };

static struct world alike_world(struct alikes *k)
{
	struct world w = open_world();

	assert_null(read_text(&w, "(datatype T (A) (F T T) (G T T) (H T))"));
	assert_true(rules_host(w.r, &(host_fn){ "left", "T! -> T", note_call, &k->left, HOST_PRIM }));
	assert_true(rules_host(w.r, &(host_fn){ "right", "T! -> T", note_call, &k->right, HOST_PRIM }));
	assert_true(rules_host(w.r, &(host_fn){ "note", "T! String -> T", note_call, &k->note, HOST_PRIM }));
	return w;
}

#define LIKE(family, call) "(rule ((= s (" family ")) (= r (" call "))) ((union s r)))"

static void test_alike(void **state)
{
	struct alikes k = { 0 };
	struct world w = alike_world(&k);
	eg_id a = leaf(&w, "A"), f = CALL(&w, "F", a, a), g = CALL(&w, "G", a, a);

	(void)state;
	assert_null(read_text(&w, LIKE("F x y", "left s") LIKE("G x y", "right s") LIKE("F x y", "note s \"one\"") LIKE("G x y", "note s \"two\"")));
	assert_false(match_at(w.m, rules_at(w.r, 0), g));
	assert_false(match_at(w.m, rules_at(w.r, 1), f));
	assert_true(match_at(w.m, rules_at(w.r, 0), f));
	assert_true(match_at(w.m, rules_at(w.r, 1), g));
	assert_int_equal(k.left.n, 1);
	assert_int_equal(k.right.n, 1);
	assert_true(match_at(w.m, rules_at(w.r, 2), f));
	assert_string_equal(k.note.text, "one");
	assert_true(match_at(w.m, rules_at(w.r, 3), g));
	assert_string_equal(k.note.text, "two");
	assert_int_equal(rule_root_family(rules_at(w.r, 3)), eg_family_named(w.g, "G"));
	close_world(&w);
}

/* What an earlier rule may say, one almost like it may not. */
static void test_almost_alike(void **state)
{
	static const char *const cases[][2] = {
		{ LIKE("H x y", "left s"), "t.egg:1:13: H expects 1 argument, got 2: (H T)" },
		{ LIKE("F x y", "left s \"one\""), "t.egg:1:27: no `left` takes these arguments; it is T! -> T" },
		{ LIKE("F x y", "left x2"), "t.egg:1:1: variable x2 is ungrounded" },
		{ LIKE("F x y", "lift s"), "t.egg:1:28: unknown function `lift`; perhaps `left` is meant" },
		{ "(relation r (T))" LIKE("F x y", "left s"), "t.egg:1:41: `r` is declared: write (r ..), or name the variable otherwise" },
		{ "(constructor y () T)" LIKE("F x y", "left s"), "t.egg:1:38: `y` is declared: write (y ..), or name the variable otherwise" },
	};
	uint32_t i;

	(void)state;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct alikes k = { 0 };
		struct world w = alike_world(&k);
		const char *error;

		assert_null(read_text(&w, LIKE("F x y", "left s")));
		error = read_text(&w, cases[i][0]);
		assert_non_null(error);
		assert_string_equal(error, cases[i][1]);
		assert_int_equal(rules_n(w.r), 1);
		close_world(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_errors),	 cmocka_unit_test(test_rewrite),   cmocka_unit_test(test_host),
		cmocka_unit_test(test_sequence), cmocka_unit_test(test_node_atom), cmocka_unit_test(test_cursor),
		cmocka_unit_test(test_trace),	 cmocka_unit_test(test_node_parameter), cmocka_unit_test(test_words),
		cmocka_unit_test(test_neighbours), cmocka_unit_test(test_shared_comment), cmocka_unit_test(test_alike),
		cmocka_unit_test(test_almost_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
