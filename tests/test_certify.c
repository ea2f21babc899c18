/* Every goal proved on real pairs is certified by numbers, and a step whose
 * record was tampered with is not: another coefficient, exponent, stride,
 * offset, function, constant, operand, or result.  What remains true after
 * the tampering (two equal operands swapped) is told from what was missed, such
 * as another place of an equality that hardly ever holds, by evaluating at many
 * more places.  Pairs: samples/, and ../shared where it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <glob.h>
#include "certify/certify.h"
#include "pair/level.h"
#include "problem/problem.h"

#ifndef SRCDIR
#define SRCDIR "."
#endif

#define TAMPERINGS(X) \
	X(COEFFICIENT, "coefficient") X(EXPONENT, "exponent") X(STRIDE, "stride") X(OFFSET, "offset") X(DIGIT, "digit of a view or layout") \
	X(FUNCTION, "function") X(SWAP, "operands swapped") X(OPERAND, "another operand") X(RESULT, "another result")
enum tampering {
#define X(n, s) TAMPER_##n,
	TAMPERINGS(X)
#undef X
	TAMPERED
};
static const char *const tampering_names[] = {
#define X(n, s) s,
	TAMPERINGS(X)
#undef X
};

enum { ENOUGH = 220 };		/* of each kind are caught, where there are so many */
static uint32_t tried[TAMPERED], caught[TAMPERED], harmless[TAMPERED], rare[TAMPERED], goals, steps, over;

static uint64_t rng = 88172645463325252ull;

static uint64_t draw(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	return rng ^= rng << 17;
}

/* ---- tampering with what a step wrote; false when there is nothing of that kind */

/* The built node the result is, or (for a layout) the core it was written with. */
static made_node *built_result(const algebra *a, const hist_entry *f)
{
	made_node *m = (made_node *)history_made(a, f);
	eg_id want = f->result;
	uint32_t i, k;

	for (k = 0; k < 2; k++) {
		for (i = f->nmade; i-- > 0; )
			if (m[i].node == want)
				break;
		if (i >= f->nmade)
			return NULL;
		if (core_kind(a, m[i].node) < C_VIEW || draw() % 3 == 0 || !m[i].narg)
			return &m[i];
		want = history_args(a, &m[i])[0];
	}
	return NULL;
}

static eg_op with_value(algebra *a, eg_op op, uint32_t k, eg_val v)
{
	eg_val val[8];
	uint32_t n;
	const eg_val *old = eg_op_values(a->g, op, &n);

	memcpy(val, old, n * sizeof *val);
	val[k] = v;
	return eg_operator(a->g, eg_op_family(a->g, op), n, val);
}

/* Word `at` of attribute k becomes `by` more. */
static void add_to_word(algebra *a, made_node *m, uint32_t k, uint32_t at, int64_t by)
{
	uint32_t n;
	size_t len;
	eg_val v = eg_op_values(a->g, m->op, &n)[k];
	const int64_t *w = eg_value_bytes(a->g, v, &len);
	int64_t *copy = malloc(len);

	memcpy(copy, w, len);
	copy[at] += by;
	m->op = with_value(a, m->op, k, eg_value(a->g, eg_value_sort(a->g, v), copy, len));
	free(copy);
}

static bool change_expression(algebra *a, made_node *m, bool stride)
{
	pairing p = pairing_read(a, m->node);
	pair_expr e;
	const int64_t *start = eg_value_bytes(a->g, node_val(a, m->node, 1), NULL), *at = p.word;
	int nl = p.nfree + p.nbound + p.ndata, slot, k;

	if (!p.nslot || (stride && !nl))
		return false;
	slot = (int)(draw() % (uint64_t)p.nslot);
	for (k = 0; k <= slot; k++) {
		start = at;
		at = pairing_expr(&p, at, &e);
	}
	k = (int)(start - (const int64_t *)eg_value_bytes(a->g, node_val(a, m->node, 1), NULL));
	if (stride)
		k += 1 + (int)(draw() % (uint64_t)nl);
	add_to_word(a, m, 1, (uint32_t)k, 1);
	return true;
}

static eg_id another_like(const algebra *a, eg_id x)
{
	uint32_t n = eg_nnode(a->g), i, first = (uint32_t)(draw() % n);

	for (i = 0; i < n; i++) {
		eg_id y = (first + i) % n;
		if (core_kind(a, y) < C_LAID && core_len(a, y) == core_len(a, x) && core_type(a, y) == core_type(a, x) &&
		    eg_root(a->g, y) != eg_root(a->g, x))
			return y;
	}
	return NIL;
}

static bool tamper(algebra *a, hist_entry *f, made_node *m, enum tampering how)
{
	enum core_kind k = core_kind(a, m->node);
	eg_id *arg = (eg_id *)history_args(a, m), x;
	bool paired = k >= C_AT && k <= C_LOOP;

	switch (how) {
	case TAMPER_COEFFICIENT:
		if (k != C_SUM || !pairing_read(a, m->node).nslot)
			return false;
		add_to_word(a, m, 2, 2 * (uint32_t)(draw() % (uint64_t)pairing_read(a, m->node).nslot), 1);
		return true;
	case TAMPER_EXPONENT:
		if ((k != C_MUL && k != C_EIN) || !pairing_read(a, m->node).nslot)
			return false;
		add_to_word(a, m, 2, (uint32_t)(draw() % (uint64_t)pairing_read(a, m->node).nslot), 1);
		return true;
	case TAMPER_STRIDE:
	case TAMPER_OFFSET:
		return paired && change_expression(a, m, how == TAMPER_STRIDE);
	case TAMPER_DIGIT:
		if (k == C_VIEW) {
			int n;
			val_get_digits(a, node_val(a, m->node, 0), &n);
			if (!n)
				return false;
			add_to_word(a, m, 0, 1 + 2 * (uint32_t)(draw() % (uint64_t)n), 1);
			return true;
		}
		if (k == C_LAID) {
			layout y = layout_of(a, m->node);
			if (!y.nl)
				return false;
			add_to_word(a, m, 0, 4 + (uint32_t)y.rank + 2 * (uint32_t)y.nd + 1 + 2 * (uint32_t)(draw() % (uint64_t)y.nl), 1);
			return true;
		}
		return false;
	case TAMPER_FUNCTION:
		if (k != C_MAP && k != C_RED && k != C_LAT)
			return false;
		m->op = with_value(a, m->op, 2, val_name(a, strcmp(core_fn(a, m->node), "minimum") ? "minimum" : "maximum"));
		return k != C_MAP || (m->op = with_value(a, m->op, 2, val_name(a, "erf")));
	case TAMPER_SWAP:
		if (m->narg < 2 || !paired)
			return false;
		x = arg[0];
		arg[0] = arg[1];
		arg[1] = x;
		return true;
	case TAMPER_OPERAND:
		if (!m->narg || !paired)
			return false;
		x = another_like(a, arg[0]);
		if (x == NIL)
			return false;
		arg[0] = x;
		return true;
	case TAMPER_RESULT:
		if (k >= C_LAID)
			return false;
		x = another_like(a, f->result);
		if (x == NIL)
			return false;
		f->result = x;
		return true;
	default:
		return false;
	}
}

/* ---- one step, tampered with in one way */

/* A built node that stands in the table with other arguments: these were never shown equal. */
static bool refused_by_skeleton(struct problem *p, uint32_t firing, arena *s)
{
	const hist_entry *f = history_at(&p->p->a, firing);
	certificate o;
	certifier *c;
	uint32_t edge;
	bool bad;

	if (eg_path(p->p->g, f->node, f->result, &edge, 1) != 1 || eg_get_edge(p->p->g, edge)->firing != firing)
		return false;
	c = certifier_new(p->p, NULL);
	bad = !certify_equal(c, f->node, f->result, &o, s) && o.firing == firing;
	certifier_free(c);
	return bad;
}

static void try_tampering(struct problem *p, uint32_t firing, enum tampering how, arena *s)
{
	static const certify_limits few = { .places = 24, .seed = 5 }, many = { .places = 100, .seed = 9 };
	algebra *a = &p->p->a;
	hist_entry *f = (hist_entry *)history_at(a, firing), was = *f;
	made_node *m = built_result(a, f), old;
	eg_id *arg, *args;
	enum certify_how decided;

	if (!m)
		return;
	old = *m;
	arg = (eg_id *)history_args(a, m);
	args = ARENA_ARRAY(s, eg_id, m->narg);
	memcpy(args, arg, m->narg * sizeof *arg);
	if (tamper(a, f, m, how)) {
		const char *why = certify_firing(a, f, &few, &decided, s);
		if (decided == CERTIFY_OVER) {
			over++;
		} else {
			tried[how]++;
			if (why || ((how == TAMPER_OPERAND || how == TAMPER_SWAP) && refused_by_skeleton(p, firing, s)))
				caught[how]++;
			else if (!certify_firing(a, f, &many, &decided, s))
				harmless[how]++;
			else
				rare[how]++;
		}
	}
	*f = was;
	*m = old;
	memcpy(arg, args, m->narg * sizeof *arg);
}

static void tamper_all(struct problem *p, arena *s)
{
	uint32_t n = history_count(&p->p->a), i, k, first = (uint32_t)(draw() % (n + 1));
	certify_limits l = { .places = 3, .seed = 5 };
	arena_mark mark = arena_at(s);
	enum certify_how how;

	for (i = 0; i < n; i++) {
		const hist_entry *f = history_at(&p->p->a, (first + i) % n);
		if (f->rule >= RULE_GIVEN || !f->nmade || certify_firing(&p->p->a, f, &l, &how, s) || how == CERTIFY_OVER || how == CERTIFY_MERGE)
			continue;
		for (k = 0; k < TAMPERED; k++)
			if (caught[k] < ENOUGH)
				try_tampering(p, (first + i) % n, (enum tampering)k, s);
		arena_reset(s, mark);
	}
}

/* A chain of trust, not a single step: the whole proof is refused where one of its steps is tampered with. */
static void tampered_proof(struct problem *p, const goal *g, arena *s)
{
	algebra *a = &p->p->a;
	certifier *c;
	certificate o;
	eg_id (*claim)[2];
	explanation e;
	uint32_t i;

	i = goal_claims(p->q, g, s, &claim);
	e = proof_of_all(a, i, (const eg_id (*)[2])claim, s);
	for (i = 0; i < e.n; i++) {
		const eg_edge *edge = eg_get_edge(a->g, e.item[i].id);
		hist_entry *f = edge->kind == EG_RULE ? (hist_entry *)history_at(a, edge->firing) : NULL;
		eg_id was;
		if (!f || f->rule >= RULE_GIVEN)
			continue;
		was = f->result;
		f->result = f->node;
		c = certifier_new(p->p, NULL);
		assert_false(certify_goal(c, p->q, g, &o, s));
		assert_int_equal(o.firing, edge->firing);
		assert_non_null(o.why);
		certifier_free(c);
		f->result = was;
		return;
	}
}

static void run_levels(pair *q)
{
	levels l;

	level_init(&l, q);
	level_run(&l);
	level_free(&l);
}

static void check_pair(const char *base, const char *dist, const char *plan, void run(pair *))
{
	struct problem_files files = { .base = base, .dist = dist, .plan = plan };
	struct diag d;
	struct problem *p = problem_load(&files, &d);
	certifier *c;
	certificate o;
	arena s;
	int k;

	if (!p)
		return;
	arena_init(&s);
	run(p->q);
	c = certifier_new(p->p, NULL);
	for (k = 0; k < p->q->ngoal; k++) {
		const goal *g = &p->q->goal[k];
		if (!g->compared || !goal_met(p->q, g))
			continue;
		if (!certify_goal(c, p->q, g, &o, &s))
			fail_msg("%s, output %d: union %u, firing %u (%s): %s", dist, g->out, o.edge, o.firing, o.rule ? o.rule : "-", o.why);
		goals++;
		steps += o.steps;
		tampered_proof(p, g, &s);
	}
	tamper_all(p, &s);
	certifier_free(c);
	arena_free(&s);
	problem_free(p);
}

static void check_all(const char *pattern, bool fixed)
{
	glob_t found;
	char base[512], plan[512];
	size_t i;

	if (glob(pattern, 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		const char *dist = found.gl_pathv[i], *dot = strchr(strrchr(dist, '/'), '.');
		int n = (int)(dot - dist);
		snprintf(base, sizeof base, "%.*s.base.hlo", n, dist);
		snprintf(plan, sizeof plan, "%.*s.fixed.plan", n, dist);
		if (!fixed || access(plan, R_OK))
			snprintf(plan, sizeof plan, "%.*s.plan", n, dist);
		check_pair(base, dist, plan, pair_run);
	}
	globfree(&found);
}

static void test_pairs(void **state)
{
	bool shared = !access(SRCDIR "/../shared/cases", R_OK);
	int k;

	(void)state;
	check_all(SRCDIR "/samples/*.dist.hlo", false);
	assert_true(goals > 0);
	check_all(SRCDIR "/../shared/cases/*.fixed.hlo", true);
	check_all(SRCDIR "/../shared/cases/*.dist.hlo", false);
	if (shared)
		check_pair(SRCDIR "/../shared/corpus/neuron-llama/tp1_layer1.hlo", SRCDIR "/../shared/corpus/neuron-llama/tp2_layer1.hlo",
			   SRCDIR "/../shared/corpus/neuron-llama/tp2_layer1.plan", pair_run);
	print_message("%u goals, %u steps; %u tamperings were over budget\n", goals, steps, over);
	for (k = 0; k < TAMPERED; k++) {
		print_message("%-26s %4u tried, %4u caught, %3u still true, %u missed\n", tampering_names[k], tried[k], caught[k],
			      harmless[k], rare[k]);
		assert_true(rare[k] * 50 <= tried[k]);
		assert_true(caught[k] >= (shared ? 200 : 1));
	}
}

/* ---- wrong pairs that were proved once: a step was refused by numbers, or a claim was not checked */

static const struct { const char *base, *dist, *plan; } wrong[] = {
	{ /* 1/[p] twice is not [p] */
		"HloModule b\nENTRY %m (x: f32[4], p: pred[4]) -> f32[4] {\n  %x = f32[4] parameter(0)\n  %p = pred[4] parameter(1)\n"
		"  %c = f32[4] convert(%p)\n  %d = f32[4] divide(%x, %c)\n  ROOT %e = f32[4] divide(%d, %c)\n}\n",
		"HloModule d, num_partitions=2\nENTRY %m (x: f32[4], p: pred[4]) -> f32[4] {\n  %x = f32[4] parameter(0)\n"
		"  %p = pred[4] parameter(1)\n  %c = f32[4] convert(%p)\n  %d = f32[4] multiply(%x, %c)\n"
		"  ROOT %e = f32[4] multiply(%d, %c)\n}\n",
		"mesh dp=2\ninput 0 R\ninput 1 R\noutput 0 R\n" },
	{ /* another element type is not the same tensor, even where nothing is computed */
		"HloModule b\nENTRY %m (x: f32[4]) -> f32[4] {\n  %x = f32[4] parameter(0)\n  ROOT %e = f32[4] reverse(%x), dimensions={0}\n}\n",
		"HloModule d, num_partitions=2\nENTRY %m (x: bf16[4]) -> bf16[4] {\n  %x = bf16[4] parameter(0)\n"
		"  ROOT %e = bf16[4] reverse(%x), dimensions={0}\n}\n",
		"mesh dp=2\ninput 0 R\noutput 0 R\n" },
	{ /* a window of zeros times infinity */
		"HloModule b\n%a (x: f32[], y: f32[]) -> f32[] {\n  %x = f32[] parameter(0)\n  %y = f32[] parameter(1)\n"
		"  ROOT %s = f32[] add(%x, %y)\n}\nENTRY %m (x: f32[4]) -> f32[2] {\n  %x = f32[4] parameter(0)\n  %l = f32[4] log(%x)\n"
		"  %z = f32[] constant(0)\n  ROOT %e = f32[2] reduce-window(%l, %z), window={size=2 stride=2}, to_apply=%a\n}\n",
		"HloModule d, num_partitions=2\nENTRY %m (x: f32[4]) -> f32[2] {\n  %x = f32[4] parameter(0)\n  %l = f32[4] log(%x)\n"
		"  %k = f32[2,4] constant({{1,1,0,0},{0,0,1,1}})\n"
		"  ROOT %e = f32[2] dot(%k, %l), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
		"mesh dp=2\ninput 0 R\noutput 0 R\n" },
};

static void put_file(char *path, size_t n, const char *name, const char *text)
{
	FILE *f;

	snprintf(path, n, "test_certify.%d.%s", (int)getpid(), name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void check_text(const char *base, const char *dist, const char *plan, void check(const char *, const char *, const char *))
{
	char b[64], d[64], pl[64];

	put_file(b, sizeof b, "base.hlo", base);
	put_file(d, sizeof d, "dist.hlo", dist);
	put_file(pl, sizeof pl, "plan", plan);
	check(b, d, pl);
	unlink(b);
	unlink(d);
	unlink(pl);
}

static void check_levels(const char *base, const char *dist, const char *plan)
{
	check_pair(base, dist, plan, run_levels);
}

/* The one output is proved, and the proof holds. */
static void is_certified(const char *base, const char *dist, const char *plan)
{
	unsigned before = goals;

	check_text(base, dist, plan, check_levels);
	assert_int_equal(goals, before + 1);
}

/* Of the whole search, whether or not the proof rests on it. */
static void check_firings(const char *base, const char *dist, const char *plan)
{
	struct problem_files files = { .base = base, .dist = dist, .plan = plan };
	certify_limits l = { .places = 8, .wild = true, .seed = 1 };
	enum certify_how how;
	struct diag d;
	struct problem *p = problem_load(&files, &d);
	uint32_t i;
	arena s;

	assert_non_null(p);
	arena_init(&s);
	run_levels(p->q);
	for (i = 0; i < history_count(&p->p->a); i++) {
		const hist_entry *f = history_at(&p->p->a, i);
		const char *why = f->rule >= rules_n(p->p->r) ? NULL : certify_firing(&p->p->a, f, &l, &how, &s);
		if (why)
			fail_msg("firing %u, %s: %s", i, prover_rule_name(p->p, f->rule), why);
	}
	assert_true(goal_met(p->q, &p->q->goal[0]));
	arena_free(&s);
	problem_free(p);
}

static void every_firing_holds(const char *base, const char *dist, const char *plan)
{
	check_text(base, dist, plan, check_firings);
}

/* Of one type and another: 1 of f32, made f64 and f32 again, and the eight of it in a row that are known before 1 is. */
static void test_constant_of_two_types(void **state)
{
	static const char base[] = "HloModule b\nENTRY %m {\n  %x = f32[1,4] parameter(0)\n  %c = f32[] constant(1)\n  ROOT %o = f32[8] broadcast(%c), dimensions={}\n}\n";
	static const char dist[] = "HloModule d, num_partitions=2\n%sum {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT %r = f32[] add(%a, %b)\n}\n"
		"ENTRY %m {\n  %x = f32[1,4] parameter(0)\n  %e = f32[1,4] exponential(%x)\n  %z = f32[] constant(0)\n  %s = f32[4] reduce(%e, %z), dimensions={0}, to_apply=%sum\n"
		"  %b = f32[1,4] broadcast(%s), dimensions={1}\n  %d = f32[1,4] divide(%e, %b)\n  %q = f32[4] reshape(%d)\n  %w = f64[4] convert(%q)\n"
		"  %n = f32[4] convert(%w)\n  ROOT %o = f32[8] concatenate(%n, %n), dimensions={0}\n}\n";

	(void)state;
	is_certified(base, dist, "mesh dp=2\ninput 0 R\noutput 0 R\n");
}

/* Shifted by all bits and more: what is left is the top bit, also of a type without a sign. */
static void test_shift_beyond_the_bits(void **state)
{
	(void)state;
	is_certified("HloModule b\nENTRY %m {\n  %c = u8[4] constant({200, 100, 200, 129})\n  %k = u8[4] constant({100, 100, 8, 1})\n"
		     "  ROOT %o = u8[4] shift-right-arithmetic(%c, %k)\n}\n",
		     "HloModule d, num_partitions=2\nENTRY %m {\n  ROOT %o = u8[4] constant({255, 0, 255, 192})\n}\n", "mesh dp=2\noutput 0 R\n");
}

/* A ring that fills a buffer block by block, and a function of the buffer on the way that turns out to be none: the step reads a
 * core through two views of it, each turned round. */
static void test_two_views_turned_round(void **state)
{
	static const char base[] = "HloModule b\nENTRY %m {\n  %x = f32[8,4] parameter(0)\n  %p = pred[8,4] is-finite(%x)\n  %c = f32[] constant(0)\n"
		"  %z = f32[8,4] broadcast(%c), dimensions={}\n  ROOT %o = f32[8,4] select(%p, %x, %z)\n}\n";
	static const char dist[] = "HloModule d, num_partitions=4\nENTRY %m {\n  %a = f32[2,4] parameter(0)\n  %p = pred[2,4] is-finite(%a)\n"
		"  %c = f32[] constant(0)\n  %z = f32[2,4] broadcast(%c), dimensions={}\n  %x = f32[2,4] select(%p, %a, %z)\n"
		"  %pid = u32[] partition-id()\n  %r = s32[] convert(%pid)\n  %zi = s32[] constant(0)\n  %two = s32[] constant(2)\n  %mask = s32[] constant(3)\n"
		"  %buf = f32[8,4] broadcast(%c), dimensions={}\n  %o0 = s32[] multiply(%r, %two)\n  %b0 = f32[8,4] dynamic-update-slice(%buf, %x, %o0, %zi)\n"
		"  %g1 = f32[2,4] collective-permute(%x), channel_id=1, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\n  %k1 = s32[] constant(-1)\n"
		"  %r1 = s32[] add(%r, %k1)\n  %m1 = s32[] and(%r1, %mask)\n  %o1 = s32[] multiply(%m1, %two)\n"
		"  %b1 = f32[8,4] dynamic-update-slice(%b0, %g1, %o1, %zi)\n"
		"  %g2 = f32[2,4] collective-permute(%g1), channel_id=2, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\n  %k2 = s32[] constant(-2)\n"
		"  %r2 = s32[] add(%r, %k2)\n  %m2 = s32[] and(%r2, %mask)\n  %o2 = s32[] multiply(%m2, %two)\n"
		"  %b2 = f32[8,4] dynamic-update-slice(%b1, %g2, %o2, %zi)\n  %e = f32[8,4] exponential(%b2)\n  %l = f32[8,4] log(%e)\n"
		"  %g3 = f32[2,4] collective-permute(%g2), channel_id=3, source_target_pairs={{0,1},{1,2},{2,3},{3,0}}\n  %k3 = s32[] constant(-3)\n"
		"  %r3 = s32[] add(%r, %k3)\n  %m3 = s32[] and(%r3, %mask)\n  %o3 = s32[] multiply(%m3, %two)\n"
		"  ROOT %b3 = f32[8,4] dynamic-update-slice(%l, %g3, %o3, %zi)\n}\n";

	(void)state;
	every_firing_holds(base, dist, "mesh tp=4\ninput 0 tp:S(0)\noutput 0 R\n");
}

static void test_wrong(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char b[64], d[64], pl[64];
		struct problem_files files = { .base = b, .dist = d, .plan = pl };
		struct diag err;
		struct problem *p;
		int k;
		put_file(b, sizeof b, "base.hlo", wrong[i].base);
		put_file(d, sizeof d, "dist.hlo", wrong[i].dist);
		put_file(pl, sizeof pl, "plan", wrong[i].plan);
		p = problem_load(&files, &err);
		assert_true(p || i == 1);	/* the second is refused when it is read */
		if (p) {
			pair_run(p->q);
			for (k = 0; k < p->q->ngoal; k++)
				assert_false(goal_met(p->q, &p->q->goal[k]));
			problem_free(p);
		}
		unlink(b);
		unlink(d);
		unlink(pl);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_pairs), cmocka_unit_test(test_constant_of_two_types), cmocka_unit_test(test_shift_beyond_the_bits),
		cmocka_unit_test(test_two_views_turned_round), cmocka_unit_test(test_wrong) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
