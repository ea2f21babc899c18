/* egglog programs: small lessons with the results that were worked out for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include <glob.h>
#include "egglog_world.h"
#include "rule/check.h"

#ifndef SRCDIR
#define SRCDIR "."
#endif

static const struct lesson {
	const char *name, *text, *said, *error;
} lessons[] = {
	{ "commutativity",
	  "(datatype T (A) (B) (Add T T)) (rewrite (Add x y) (Add y x)) (Add (A) (B)) (run 1) (print-size Add)"
	  "(check (= (Add (A) (B)) (Add (B) (A)))) (run 1) (print-size Add)",
	  "2\n2\n", NULL },
	{ "congruence alone",
	  "(datatype T (A) (F T)) (let $a (A)) (let $three (F (F (F $a)))) (let $five (F (F $three))) (print-size F)"
	  "(union $three $a) (print-size F) (union $five $a) (print-size F) (check (= (F (A)) (A)))",
	  "5\n3\n1\n", NULL },
	{ "associativity saturates",
	  "(datatype T (L i64) (Add T T)) (rewrite (Add (Add a b) c) (Add a (Add b c))) (rewrite (Add a b) (Add b a))"
	  "(Add (L 1) (Add (L 2) (Add (L 3) (L 4)))) (run 1) (print-size Add) (run-schedule (saturate (run))) (print-size Add)",
	  "6\n50\n", NULL },
	{ "constant folding",
	  "(datatype T (Num i64) (Add T T) (Mul T T)) (rewrite (Add (Num a) (Num b)) (Num (+ a b)))"
	  "(rewrite (Mul (Num a) (Num b)) (Num (* a b))) (let $e (Add (Num 1) (Mul (Num 2) (Num 3))))"
	  "(run 1) (extract $e) (print-size Num) (run 1) (extract $e) (print-size Num)",
	  "(Add (Num 1) (Num 6))\n4\n(Num 7)\n5\n", NULL },
	{ "non-linear pattern",
	  "(datatype T (X) (Y) (Zero) (Sub T T)) (rewrite (Sub x x) (Zero)) (let $s (Sub (X) (Y))) (run 1)"
	  "(fail (check (= $s (Zero)))) (union (X) (Y)) (run 1) (check (= $s (Zero)))",
	  "", NULL },
	{ "undefined in a query is no match",
	  "(datatype T (Num i64) (Div T T)) (rule ((= d (Div (Num a) (Num b))) (= q (/ a b))) ((union d (Num q))))"
	  "(let $x (Div (Num 7) (Num 2))) (let $y (Div (Num 7) (Num 0))) (run 1) (check (= $x (Num 3))) (extract $y)",
	  "(Div (Num 7) (Num 0))\n", NULL },
	{ "undefined in an action is an error",
	  "(datatype T (Num i64) (Div T T)) (rewrite (Div (Num a) (Num b)) (Num (/ a b))) (Div (Num 7) (Num 0)) (fail (run 1))",
	  "", NULL },
	{ "a bool is no filter",
	  "(datatype T (Num i64)) (relation always (i64)) (relation less (i64)) (rule ((Num x) (= b (bool-< x 3))) ((always x)))"
	  "(rule ((Num x) (< x 3)) ((less x))) (Num 1) (Num 2) (Num 3) (Num 4) (run 1) (print-size always) (print-size less)",
	  "4\n2\n", NULL },
	{ "check reads, actions write",
	  "(datatype T (A) (F T)) (fail (check (F (A)))) (print-size F) (F (A)) (print-size F) (extract (F (F (A)))) (print-size F)",
	  "0\n1\n(F (F (A)))\n2\n", NULL },
	{ "extraction takes the first declared of equal cost",
	  "(datatype T (B) (A) (C :cost 3) (P T)) (union (A) (B)) (union (B) (C)) (union (C) (P (A))) (extract (C))",
	  "(B)\n", NULL },
	{ "tree cost",
	  "(datatype T (L) (Dup T T) (Big :cost 6)) (let $d (Dup (Dup (L) (L)) (Dup (L) (L)))) (union $d (Big)) (extract $d)",
	  "(Big)\n", NULL },
	{ "unextractable",
	  "(datatype T (A) (F T) (Box T :unextractable)) (let $b (Box (A))) (fail (extract $b)) (union $b (F (A))) (extract $b)",
	  "(F (A))\n", NULL },
	{ "a global in a pattern is a constant",
	  "(datatype T (Zero) (One) (Add T T)) (let $z (Zero)) (rewrite (Add $z x) x) (let $p (Add (One) (Zero)))"
	  "(let $q (Add (Zero) (One))) (run 1) (check (= $q (One))) (fail (check (= $p (One))))",
	  "", NULL },
	{ "panic",
	  "(datatype T (A) (Num i64)) (rule ((= c (Num x)) (= c (Num y)) (!= x y)) ((panic \"two numbers\")))"
	  "(union (A) (Num 1)) (run 1) (union (A) (Num 2))\n(run 1)",
	  "", "t.egg:2:1: two numbers" },
	{ "strings",
	  "(datatype T (Str String)) (relation seen (String i64)) (rule ((Str s) (= n (count-matches s \"a\")))"
	  "((seen (+ s \"-\" (to-string n)) n))) (Str \"banana\") (Str \"kiwi\") (run 1)"
	  "(check (seen \"banana-3\" 3) (seen \"kiwi-0\" 0))",
	  "", NULL },
	{ "unsound rule",
	  "(datatype T (Num i64) (Mul T T)) (rewrite (Mul x (Num 0)) x) (rewrite (Mul x (Num 0)) (Num 0)) (Mul (Num 5) (Num 0))"
	  "(run 1) (check (= (Num 0) (Num 5)))",
	  "", NULL },
	{ "paths",
	  "(relation edge (i64 i64)) (relation path (i64 i64)) (rule ((edge x y)) ((path x y)))"
	  "(rule ((path x y) (edge y z)) ((path x z))) (edge 1 2) (edge 2 3) (edge 3 4)"
	  "(run 1) (print-size path) (run 1) (print-size path) (run 1) (print-size path) (run 10) (print-size path)",
	  "3\n5\n6\n6\n", NULL },
	{ "shortest path",
	  "(function d (i64) i64 :merge (min old new)) (relation edge (i64 i64 i64)) (rule ((= n (d x)) (edge x y w)) ((set (d y) (+ n w))))"
	  "(set (d 1) 0) (edge 1 2 10) (edge 1 3 1) (edge 3 2 2) (edge 2 4 1) (run 1) (check (= (d 2) 10))"
	  "(run-schedule (saturate (run))) (check (= (d 2) 3) (= (d 4) 4)) (print-size d)",
	  "4\n", NULL },
	{ "no-merge",
	  "(datatype T (A) (B) (C)) (function owner (i64) T :no-merge) (set (owner 1) (A)) (set (owner 1) (A)) (fail (set (owner 1) (B)))"
	  "(union (A) (C)) (set (owner 1) (C)) (check (= (owner 1) (A)))",
	  "", NULL },
	{ "rows that become one merge",
	  "(datatype T (A) (B)) (function hi (T) i64 :merge (max old new)) (set (hi (A)) 3) (set (hi (B)) 8) (print-size hi)"
	  "(union (A) (B)) (print-size hi) (check (= (hi (A)) 8))"
	  "(function total () i64 :merge (+ old new)) (set (total) 5) (set (total) 5) (check (= (total) 5)) (set (total) 6) (check (= (total) 11))",
	  "2\n1\n", NULL },
	{ "a clock",
	  "(relation tick (i64)) (rule ((tick n) (< n 100)) ((tick (+ n 1)))) (tick 0) (run 5) (print-size tick) (run 10000) (print-size tick)",
	  "6\n101\n", NULL },
	{ "two rulesets",
	  "(ruleset ra) (ruleset rb) (relation a (i64)) (relation b (i64)) (rule ((a n) (< n 10)) ((a (+ n 1))) :ruleset ra)"
	  "(rule ((a n)) ((b n)) :ruleset rb) (a 0) (run-schedule (repeat 3 ra) (saturate rb)) (print-size a) (print-size b)"
	  "(run-schedule (saturate (seq ra rb))) (print-size a) (print-size b)",
	  "4\n4\n11\n11\n", NULL },
	{ "until",
	  "(datatype T (Z) (S T)) (relation nat (T)) (rule ((nat x)) ((nat (S x)))) (nat (Z)) (run 1000 :until (S (S (S (S (Z))))))"
	  "(print-size S)",
	  "4\n", NULL },
	{ "push and pop",
	  "(datatype T (A) (B) (F T)) (push) (let $x (F (A))) (union (A) (B)) (rewrite (F x) x) (run 1) (check (= (A) (B)) (= $x (A)))"
	  "(sort U) (relation R (U)) (pop) (A) (B) (fail (check (= (A) (B)))) (print-size F) (let $x (F (B))) (run 1)"
	  "(fail (check (= $x (B)))) (sort U) (relation R (i64)) (R 1)",
	  "0\n", NULL },
	{ "birewrite and conditions",
	  "(datatype T (A) (B) (F T) (G T)) (relation ok (T)) (birewrite (F x) (G x) :when ((ok x))) (F (A)) (G (B)) (ok (A)) (run 2)"
	  "(check (= (F (A)) (G (A)))) (fail (check (F (B)))) (ok (B)) (run 1) (check (= (F (B)) (G (B))))",
	  "", NULL },
	{ "f64 and bool",
	  "(relation r (f64)) (relation s (bool)) (rule ((r x) (> x 1.5)) ((r (/ x 2.0)))) (r 8.0) (run 10) (print-size r) (check (r 1.0))"
	  "(s (and true (not false))) (check (s true)) (fail (check (r 0.5))) (extract (+ 1.0 2.5)) (extract (- 3 5))",
	  "4\n3.5\n-2\n", NULL },
	{ "sequences",
	  "(sort T) (constructor A () T) (constructor B () T) (constructor Seq (T*) T) (constructor Rev (T*) T)"
	  "(rewrite (Seq x xs..) (Rev xs.. x)) (let $s (Seq (A) (B) (B))) (run 1) (check (= $s (Rev (B) (B) (A)))) (Seq) (run 1)"
	  "(print-size Rev) (extract (Seq (A) (A)))",
	  "1\n(Seq (A) (A))\n", NULL },
	{ "errors name the place", "(datatype T (A))\n(let $x (A))\n(union $x (B))", "", "t.egg:3:12: unknown function `B`" },
	{ "a failing check", "(datatype T (A) (B))\n\n (check (= (A) (B)))", "", "t.egg:3:2: check failed" },
	{ "fail catches no typing error", "(datatype T (A))\n(fail (union 1 2))", "",
	  "t.egg:2:7: values of sort i64 cannot be unioned" },
};

static void run_lesson(const struct lesson *l, bool track)
{
	struct world w;
	const char *error;

	open_world(&w, true, true, track);
	error = egglog_load(w.p, "t.egg", l->text, strlen(l->text));
	if (!error)
		error = egglog_run(w.p);
	if (!!error != !!l->error)
		fail_msg("%s: %s", l->name, error ? error : "no error");
	if (error)
		assert_string_equal(error, l->error);
	if (strcmp(w.said, l->said))
		fail_msg("%s said:\n%s", l->name, w.said);
	assert_null(eg_check(w.g));
	close_world(&w);
}

static void test_lessons(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < sizeof lessons / sizeof *lessons; i++) {
		run_lesson(&lessons[i], false);
		run_lesson(&lessons[i], true);
	}
}

/* The teaching programs that are shipped run to their end. */
static void test_samples(void **state)
{
	glob_t g;
	size_t i;

	(void)state;
	assert_int_equal(glob(SRCDIR "/samples/lesson-*.egg", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 5);
	for (i = 0; i < g.gl_pathc; i++) {
		static char text[1 << 16];
		FILE *f = fopen(g.gl_pathv[i], "rb");
		struct world w;
		const char *error;
		size_t n;

		assert_non_null(f);
		n = fread(text, 1, sizeof text, f);
		fclose(f);
		open_world(&w, true, true, true);
		error = egglog_load(w.p, g.gl_pathv[i], text, n);
		if (!error)
			error = egglog_run(w.p);
		if (error)
			fail_msg("%s", error);
		close_world(&w);
	}
	globfree(&g);
}

/* Every lesson, stepped; after every step back to the start and forward again. */
static void test_back_and_forth(void **state)
{
	uint32_t i, k, n;

	(void)state;
	for (i = 0; i < sizeof lessons / sizeof *lessons; i++) {
		const struct lesson *l = &lessons[i];
		struct world w;
		uint32_t live[200], classes[200];
		trail_mark mark[200], start;
		enum egglog_step s;

		if (strstr(l->text, "(pop") || l->error || strstr(l->name, "clock"))
			continue;
		open_world(&w, true, true, true);
		assert_null(egglog_load(w.p, "t.egg", l->text, strlen(l->text)));
		start = trail_at(eg_trail(w.g));
		for (n = 0; n < 200; n++) {
			mark[n] = trail_at(eg_trail(w.g));
			live[n] = eg_live(w.g);
			classes[n] = eg_nclass(w.g);
			s = egglog_step(w.p);
			if (s == EGGLOG_END)
				break;
			assert_int_not_equal(s, EGGLOG_ERROR);
		}
		assert_true(n < 200);
		trail_undo(eg_trail(w.g), start);
		for (k = 0; k < n; k++) {
			assert_int_equal(eg_live(w.g), live[k]);
			assert_int_equal(eg_nclass(w.g), classes[k]);
			assert_int_equal(trail_at(eg_trail(w.g)), mark[k]);
			egglog_step(w.p);
			trail_undo(eg_trail(w.g), mark[k]);
			egglog_step(w.p);
		}
		assert_null(eg_check(w.g));
		close_world(&w);
	}
}

/* Facts are premises: what follows from an assumption through them is tainted. */
static void test_facts_explained(void **state)
{
	static const char text[] =
		"(datatype T (A) (B) (C) (F T)) (relation good (T)) (rule ((= a (F x)) (good x)) ((union a x)) :name \"drop\")"
		"(rule ((= x (C))) ((good x)) :name \"c-is-good\") (let $f (F (A))) (let $g (F (C))) (C) (run 2)";
	struct world w;
	taints t;
	explain_source src;
	explanation e;
	check_result c;
	arena a;
	eg_id fa, fc, cc, aa;
	uint32_t n;

	(void)state;
	arena_init(&a);
	open_world(&w, true, true, true);
	assert_null(egglog_load(w.p, "t.egg", text, strlen(text)));
	assert_null(egglog_run(w.p));
	fa = eg_family_nodes(w.g, eg_family_named(w.g, "F"), &n)[0];
	fc = eg_family_nodes(w.g, eg_family_named(w.g, "F"), &n)[1];
	aa = eg_family_nodes(w.g, eg_family_named(w.g, "A"), &n)[0];
	cc = eg_family_nodes(w.g, eg_family_named(w.g, "C"), &n)[0];
	e = explain_now(w.f, fc, cc, &a);
	assert_true(e.equal && !e.tainted);
	assert_int_equal(e.n, 2);
	c = check_explanation(w.f, &e, &a);
	assert_null(c.why);
	assert_string_equal(explain_text(w.f, &a, &e.item[0], 2), "c-is-good: a fact");
	assert_string_equal(explain_text(w.f, &a, &e.item[1], 2), "drop: (F (C)) = (C)");
	/* without the fact it does not pass */
	e.item++;
	e.n--;
	c = check_explanation(w.f, &e, &a);
	assert_string_equal(c.why, "a fact was not shown");
	assert_false(explain_now(w.f, fa, aa, &a).equal);
	eg_union(w.g, aa, cc, EG_ASSUMED, firing_note(w.f, "A1"));
	e = explain_now(w.f, fa, aa, &a);
	assert_true(e.equal && e.tainted);
	assert_null(check_explanation(w.f, &e, &a).why);
	assert_false(explain_now(w.f, fc, cc, &a).tainted);
	src = firings_source(w.f);
	taints_init(&t);
	assert_true(taints_between(&t, &src, fa, aa));
	assert_false(taints_between(&t, &src, fc, cc));
	taints_free(&t);
	arena_free(&a);
	close_world(&w);
}

/* A rule with too many matches is banned, its matches are counted, and nobody claims saturation. */
static void test_backoff(void **state)
{
	static const char text[] =
		"(datatype T (L i64) (Add T T)) (rewrite (Add a b) (Add b a) :name \"comm\") (rewrite (Add a (Add b c)) (Add (Add a b) c))"
		"(Add (L 1) (Add (L 2) (Add (L 3) (Add (L 4) (L 5)))))";
	struct world w;
	const rule_state *st;
	uint32_t k;

	(void)state;
	open_world(&w, true, true, false);
	assert_null(egglog_load(w.p, "t.egg", text, strlen(text)));
	assert_null(egglog_run(w.p));
	schedule_backoff(w.s, 3, 2);
	assert_null(schedule_run(w.s, 0));
	st = schedule_rule(w.s, rules_named(w.r, "comm"));
	assert_int_equal(st->times_banned, 1);
	assert_int_equal(st->dropped, 4);
	assert_int_equal(st->fired, 0);
	assert_false(schedule_saturated(w.s));
	for (k = 0; k < 2000 && !schedule_saturated(w.s); k++)
		assert_null(schedule_run(w.s, 0));
	assert_true(schedule_saturated(w.s));
	assert_int_equal(eg_live(w.g), 5 + 180);
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lessons),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_back_and_forth),
		cmocka_unit_test(test_facts_explained),
		cmocka_unit_test(test_backoff),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
