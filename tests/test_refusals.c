/* Every sentence with which a rule refuses, produced by a small program, word for word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "lab.h"

#define FN(name, t, op) name " {\n a = " t "[] parameter(0)\n b = " t "[] parameter(1)\n ROOT r = " t "[] " op "(a, b)\n}\n"
#define FNS FN("add", "f32", "add") FN("max", "f32", "maximum") FN("sub", "f32", "subtract") FN("addi", "s32", "add") FN("mul", "f32", "multiply") \
	"take {\n a = f32[] parameter(0)\n ROOT b = f32[] parameter(1)\n}\n" \
	"takeb {\n a = pred[] parameter(0)\n ROOT b = pred[] parameter(1)\n}\n" "less {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=LT\n}\n" \
	"arg {\n a = f32[] parameter(0)\n i = s32[] parameter(1)\n b = f32[] parameter(2)\n j = s32[] parameter(3)\n" \
	" g = pred[] compare(a, b), direction=GE\n v = f32[] select(g, a, b)\n k = s32[] select(g, i, j)\n ROOT t = (f32[], s32[]) tuple(v, k)\n}\n" \
	"argmin {\n a = f32[] parameter(0)\n i = s32[] parameter(1)\n b = f32[] parameter(2)\n j = s32[] parameter(3)\n" \
	" g = pred[] compare(a, b), direction=LE\n v = f32[] select(g, a, b)\n k = s32[] select(g, i, j)\n ROOT t = (f32[], s32[]) tuple(v, k)\n}\n" \
	"least {\n a = f32[] parameter(0)\n i = s32[] parameter(1)\n b = f32[] parameter(2)\n j = s32[] parameter(3)\n" \
	" g = pred[] compare(a, b), direction=GT\n e = pred[] compare(a, b), direction=EQ\n l = pred[] compare(i, j), direction=LT\n" \
	" el = pred[] and(e, l)\n u = pred[] or(g, el)\n" \
	" v = f32[] select(u, a, b)\n k = s32[] select(u, i, j)\n ROOT t = (f32[], s32[]) tuple(v, k)\n}\n"
#define HEAD "HloModule m, is_scheduled=true, num_partitions=4\n" FNS "ENTRY e {\n x = f32[4,6] parameter(0)\n y = f32[4,6] parameter(1)\n l = f32[4] parameter(2)\n" \
	" i = s32[5] parameter(3)\n j = s32[5] parameter(4)\n p = pred[4,6] parameter(5)\n k = s32[] parameter(6)\n f = f32[] parameter(7)\n" \
	" c0 = f32[] constant(0)\n ci = f32[] constant(-inf)\n z = s32[] constant(0)\n q = f32[4,6] divide(x, y)\n lg = f32[4,6] log(x)\n"
#define LINE(n, t) " io" n " = s32[" t "] iota(), iota_dimension=0\n"

static const struct { const char *sentence, *body; bool search; } cases[] = {
	/* lifting */
	{ "an empty tensor", " ROOT r = f32[0,6] slice(x), slice={[0:0], [0:6]}\n", false },
	{ "no rule", " ROOT r = f32[4,6] sort(x), dimensions={0}, to_apply=less\n", false },
	{ "no rule for this reducer", " ROOT r = f32[4] reduce(x, c0), dimensions={1}, to_apply=sub\n", false },
	{ "no rule for this scatter combiner", LINE("", "4,1") " ROOT r = f32[4,6] scatter(x, io, y), update_window_dims={1}, inserted_window_dims={0}, "
	  "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sub\n", false },
	{ "no rule for a scatter of this type", LINE("", "4,1") " ROOT r = pred[4,6] scatter(p, io, p), update_window_dims={1}, inserted_window_dims={0}, "
	  "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=takeb\n", false },
	{ "several updates may meet", " s = s32[4,1] broadcast(z), dimensions={}\n ROOT r = f32[4,6] scatter(x, s, y), "
	  "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=take\n", false },
	{ "zero times a tensor that may be infinite", " qq = f32[4,8] pad(q, c0), padding=0_0x1_1\n gg = f32[4,8] pad(lg, ci), padding=0_0x1_1\n"
	  " ROOT r = f32[4] dot(qq, gg), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0}, rhs_contracting_dims={1}\n", false },
	{ "scatter window wider than one at a data dependent place", " s = s32[5,1] reshape(i)\n u = f32[5,2,6] broadcast(f), dimensions={}\n"
	  " ROOT r = f32[4,6] scatter(x, s, u), update_window_dims={1,2}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
	  "to_apply=add\n", false },
	{ "groups of different sizes", " ROOT r = f32[4,6] all-reduce(x), channel_id=1, replica_groups={{0,1,2},{3}}, use_global_device_ids=true, to_apply=mul\n", false },
	{ "padding, and an initial value that is not neutral", " c1 = f32[] constant(1)\n ROOT r = f32[4,6] reduce-window(x, c1), window={size=1x3 pad=0_0x1_1}, to_apply=add\n", false },
	{ "a window of nothing", " ROOT r = f32[4,9] reduce-window(x, ci), window={size=1x2 pad=0_0x4_0}, to_apply=max\n", false },
	{ "the initial value of the arg-reduction is not -inf", LINE("", "4,6") " t = (f32[4], s32[4]) reduce(x, io, c0, z), dimensions={1}, to_apply=arg\n"
	  " ROOT r = s32[4] get-tuple-element(t), index=1\n", false },
	{ "the initial value of the arg-reduction is not inf", LINE("", "4,6") " t = (f32[4], s32[4]) reduce(x, io, ci, z), dimensions={1}, to_apply=argmin\n"
	  " ROOT r = s32[4] get-tuple-element(t), index=1\n", false },
	{ "a value may be no number", LINE("", "4,6") " t = (f32[4], s32[4]) reduce(q, io, ci, z), dimensions={1}, to_apply=arg\n"
	  " ROOT r = s32[4] get-tuple-element(t), index=1\n", false },
	{ "all values may be -inf: the initial payload comes out", LINE("", "4,6") " b = f32[4,6] broadcast(ci), dimensions={}\n s = f32[4,6] select(p, x, b)\n"
	  " t = (f32[4], s32[4]) reduce(s, io, ci, z), dimensions={1}, to_apply=arg\n"
	  " ROOT r = s32[4] get-tuple-element(t), index=1\n", false },
	/* normal forms */
	{ "a branch may be infinite", " ROOT r = f32[4,6] pad(q, c0), padding=1_-1_0x0_0_0\n", false },
	{ "a factor may be infinite and stays in the sum", " d = f32[4] dot(q, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, "
	  "rhs_contracting_dims={1}\n b = f32[4,6] broadcast(d), dimensions={0}\n m = f32[4,6] multiply(b, q)\n"
	  " ROOT r = f32[] reduce(m, c0), dimensions={0,1}, to_apply=add\n", false },
	{ "a term may be infinite", " ROOT r = f32[4,6] subtract(q, q)\n", false },
	{ "order is not invariant under wrap-around", " ROOT r = pred[5] compare(i, j), direction=LT\n", false },
	{ "terms differ in more than an index", " ROOT r = f32[4,6] subtract(q, q)\n", false },
	{ "bf16 does not hold every f32", " a = bf16[4,6] convert(x)\n ROOT r = f32[4,6] convert(a)\n", false },
	{ "s8 does not hold every s32", " a = s8[5] convert(i)\n ROOT r = s32[5] convert(a)\n", false },
	{ "the least payload changes when it is scaled", " io = s32[4,6] iota(), iota_dimension=1\n v = s32[4,6] reverse(io), dimensions={1}\n t = (f32[4], s32[4]) reduce(x, v, ci, z), dimensions={1}, to_apply=least\n"
	  " a = s32[4] get-tuple-element(t), index=1\n c = s32[] constant(-2)\n b = s32[4] broadcast(c), dimensions={}\n ROOT r = s32[4] multiply(a, b)\n", false },
	{ "the payload does not increase along the labels", " io = s32[4,6] iota(), iota_dimension=1\n v = s32[4,6] reverse(io), dimensions={1}\n"
	  " t = (f32[4], s32[4]) reduce(x, v, ci, z), dimensions={1}, to_apply=least\n ROOT a = s32[4] get-tuple-element(t), index=1\n", false },
	{ "the square of a root: its operand may be negative", " a = f32[4,6] sqrt(x)\n ROOT r = f32[4,6] multiply(a, a)\n", false },
	/* the search phase */
	{ "a factor may be zero", " ROOT r = f32[4,6] divide(x, x)\n", true },
	{ "the sign is not certain", " z6 = f32[4,6] broadcast(c0), dimensions={}\n g = pred[4,6] compare(z6, x), direction=LE\n ROOT r = f32[4,6] select(g, y, x)\n", true },
	{ "a factor may not be positive", " m = f32[4,6] multiply(x, y)\n ROOT r = f32[4,6] log(m)\n", true },
	{ "an argument of a logarithm may not be positive", " ROOT r = f32[4,6] exponential(lg)\n", true },
	{ "a factor may be infinite", " a = f32[4,6] add(x, y)\n ROOT r = f32[4,6] multiply(a, q)\n", true },
};

struct reasons {
	arena a;
	const char *r[4096];
	int n;
};

static void note(struct reasons *s, const char *why)
{
	int k;

	for (k = 0; why && k < s->n && strcmp(s->r[k], why); k++)
		;
	if (why && k == s->n && s->n < 4096)
		s->r[s->n++] = arena_strdup(&s->a, why);
}

/* Asks every rule at every node, as it stands at this moment. */
static void ask_all(prover *p, struct reasons *s, bool search)
{
	uint32_t n, k, nn = eg_nnode(p->g);

	for (n = 0; n < nn; n++) {
		if (eg_dead(p->g, n))
			continue;
		note(s, prover_lift_reason(p, n));
		for (k = 0; k < rules_n(p->r); k++) {
			const rule *r = rules_at(p->r, k);
			trail_mark m = trail_at(p->a.tr);
			arena_mark am = arena_at(&p->a.s.a);
			const char *why = NULL;
			if (rule_root_family(r) != eg_op_family(p->g, eg_node_op(p->g, n)) || (r->ruleset == p->set_search && !search))
				continue;
			prover_try(p, k, n, &why);
			note(s, why);
			arena_reset(&p->a.s.a, am);
			trail_undo(p->a.tr, m);
		}
	}
}

static void test_each_sentence(void **state)
{
	size_t c;
	int k, missing = 0;

	(void)state;
	for (c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct reasons *s = calloc(1, sizeof *s);
		char text[8192];
		lab *b;
		arena_init(&s->a);
		snprintf(text, sizeof text, HEAD "%s%s}\n", cases[c].body, strstr(cases[c].body, "ROOT") ? "" : " ROOT r = f32[4,6] copy(x)\n");
		b = lab_alone(text, 4);
		while (!pair_done(b->q) && s->n < 4096) {	/* what is refused now may be taken later */
			uint32_t n = eg_nnode(b->p->g);
			pair_move(b->q);
			if (eg_nnode(b->p->g) != n && normal_idle(&b->p->a))
				ask_all(b->p, s, cases[c].search);
		}
		ask_all(b->p, s, cases[c].search);
		for (k = 0; k < s->n && strcmp(s->r[k], cases[c].sentence); k++)
			;
		if (k == s->n) {
			missing++;
			print_error("not said: %s\n", cases[c].sentence);
			for (k = 0; k < s->n; k++)
				print_error("    said: %s\n", s->r[k]);
		}
		lab_free(b);
		arena_free(&s->a);
		free(s);
	}
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_each_sentence) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
