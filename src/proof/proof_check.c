/* proof_check.c - a proof's file gone through: see proof_file.h. */
#include "proof/proof_check_in.h"

#include <string.h>
#include "proof/proof_file.h"
#include "text/input.h"
#include "util/hash.h"

/* `range INPUT N`, `positive INPUT` and `nonzero INPUT`: what the proof takes for granted of inputs of the baseline. */
static bool supposes(struct proof_checker *k)
{
	return words_are(&k->in.w, "range") || words_are(&k->in.w, "positive") || words_are(&k->in.w, "nonzero");
}

static bool read_supposition(struct proof_checker *k, struct supposition *s)
{
	bool range = words_are(&k->in.w, "range"), positive = words_are(&k->in.w, "positive");
	int64_t i;

	if (!words_next(&k->in.w) || !words_int(&k->in.w, "an input of the baseline", 0, k->p->base->nparam - 1, &i))
		return false;
	if (range)
		return words_int(&k->in.w, "a length", 1, INT64_MAX, &s[i].n);
	s[i].positive = s[i].positive || positive;
	s[i].nonzero = true;
	return true;
}

static bool read_head(struct proof_checker *k, struct diag *err)
{
	const char *name;
	struct supposition *s = arena_zalloc(&k->tmp, sizeof *s * (size_t)(k->p->base->nparam + 1));
	bool any = false;

	if (!words_begin(&k->in.w, "proof"))
		return false;
	if (!words_are(&k->in.w, "1"))
		return words_fail(&k->in.w, "version 1 is expected, not '%.40s'", k->in.w.word);
	if (!words_next(&k->in.w) || !words_expect(&k->in.w, "base") || !words_text(&k->in.w, "the file of BASE", &name) ||
	    !words_expect(&k->in.w, "dist") || !words_text(&k->in.w, "the file of DIST", &name))
		return false;
	for (; supposes(k); any = true)
		if (!read_supposition(k, s))
			return false;
	return !any || problem_suppose(k->p, s, err);
}

/* The random functions are the file's own: nothing in it can be made to fit them.  What is read next is hashed, up to the
 * file's own hash: where the programs lie changes nothing. */
static uint64_t seed_of(const struct proof_checker *k, const struct input *in)
{
	size_t at = (size_t)(k->in.w.at - k->in.w.n - in->data), own = sizeof "0123456789abcdef";

	return hash_bytes(in->data + at, at + own < in->n ? in->n - own - at : 0, 2);
}

/* Programs, plan and ranges are known: what is checked can be built. */
static void begin(struct proof_checker *k, uint64_t seed)
{
	k->a = &k->p->p->a;
	k->g = k->p->p->g;
	pair_take_rows(k->p->q);
	proof_reader_begin(&k->in);
	k->c = certifier_new(k->p->p, &(certify_limits){ .wild = true, .everywhere = true, .facts = true, .seed = seed });	/* nobody vouches for the rules' conditions */
	k->r = certify_replay_new(k->c, &k->out, &k->tmp);
	certify_replay_learn(k->r, proof_learn, k);
	k->shown = arena_zalloc(&k->tmp, (size_t)k->p->q->ngoal + 1);
}

static bool table_line(struct proof_checker *k)
{
	return proof_read_table(&k->in);
}

static bool node_line(struct proof_checker *k)
{
	return proof_read_node_line(&k->in);
}

static bool read_line(struct proof_checker *k)
{
	static const struct { const char *word; bool step; bool (*fn)(struct proof_checker *k); } line[] = {
		{ "table", false, table_line }, { "node", false, node_line }, { "rule", true, proof_check_rule },
		{ "congruence", true, proof_check_congruence }, { "given", true, proof_check_given }, { "fallback", true, proof_check_fallback },
		{ "assume", true, proof_check_assumed }, { "fact", false, proof_read_fact }, { "goal", false, proof_check_goal },
	};
	size_t i;

	for (i = 0; i < sizeof line / sizeof *line; i++)
		if (words_are(&k->in.w, line[i].word)) {
			k->at = k->in.w;
			k->step += line[i].step;
			return line[i].fn(k);
		}
	return words_fail(&k->in.w, words_end(&k->in.w) ? "`end` is expected" : "a step is expected, not '%.60s'", k->in.w.word);
}

/* The hash is last: where a step can tell what is wrong, it does. */
static bool read_end(struct proof_checker *k, const char *text)
{
	char want[20];
	size_t n = (size_t)(k->in.w.at - k->in.w.n - text);

	snprintf(want, sizeof want, "%016llx", (unsigned long long)hash_bytes(text, n, 1));
	if (!words_next(&k->in.w))
		return false;
	if (strcmp(k->in.w.word, want))
		return words_fail(&k->in.w, "the file was changed since it was written");
	if (!words_next(&k->in.w))
		return false;
	return words_end(&k->in.w) || words_fail(&k->in.w, "behind the end: '%.60s'", k->in.w.word);
}

static bool read_all(struct proof_checker *k, const char *file, const struct input *in, struct diag *err)
{
	if (!words_open(&k->in.w, &k->tmp, file, in->data, in->n, err) || !read_head(k, err))
		return false;
	begin(k, seed_of(k, in));
	while (!words_are(&k->in.w, "end"))
		if (!read_line(k))
			return false;
	return read_end(k, in->data);
}

static const char *goal_words(const struct proof_checker *k, int i)
{
	if (k->shown[i])
		return k->out.trusted + k->out.finite ? "the proof holds but for what is said below" : "the proof holds";
	return k->p->q->goal[i].within ? "of the trips of a loop a file holds no proof" : "the file has no proof of it";
}

static void say_goals(const struct proof_checker *k, struct page *out)
{
	const pair *q = k->p->q;
	int i;

	for (i = 0; i < q->ngoal; i++) {
		const goal *g = &q->goal[i];
		if (!g->compared)
			continue;
		page_add(out, k->shown[i] ? PG_VERIFIED : PG_DIM, g->out < 0 ? "%%%s" : "output %%%s", k->p->dist->row[g->dist_row].path);
		page_more(out, PG_NORMAL, ": %s", goal_words(k, i));
	}
}

static void say_list(struct page *out, const char *what, int n, const char *const *text)
{
	int i;

	for (i = 0; i < n; i++)
		page_add(out, PG_NORMAL, "%s  %s", what, text[i]);
}

/* "step 12 (N13)", "steps 12 (N13), 13 (N13) and 4 more". */
static const char *steps_named(struct proof_checker *k, const vec *v)
{
	enum { MOST = 4 };
	const char *const *text = (const char *const *)v->base, *out = arena_printf(&k->tmp, "step%s %s", v->n > 1 ? "s" : "", text[0]);
	uint32_t i;

	for (i = 1; i < v->n && i < MOST; i++)
		out = arena_printf(&k->tmp, "%s, %s", out, text[i]);
	return v->n > MOST ? arena_printf(&k->tmp, "%s and %u more", out, v->n - MOST) : out;
}

static enum proof_outcome say_outcome(struct proof_checker *k, struct page *out)
{
	const struct problem *p = k->p;
	const certificate *c = &k->out;

	say_goals(k, out);
	page_add(out, PG_NORMAL, "%u steps: %u by numbers (%u within rounding), %u congruences, %u given, %u assumed", c->steps,
		 c->numbers + c->soft + c->merges + c->readings + c->finite, c->soft, c->congruence, c->given, c->assumed);
	if (c->fallback)
		page_more(out, PG_NORMAL, ", %u without a rule", c->fallback);
	if (c->again)
		page_more(out, PG_NORMAL, ", %u too large for numbers where the rule gives the same again", c->again);
	if (c->trusted)
		page_add(out, PG_WARNING, "not decided by numbers (too large, or right within rounding alone), and the rule gives something else here: %s", steps_named(k, &k->open));
	if (c->finite)
		page_add(out, PG_WARNING, "right where what is read is finite and not zero, which the file does not show: %s", steps_named(k, &k->unproved));
	say_list(out, "assumption", p->nassumption, p->assumption);
	say_list(out, "assumption", (int)k->granted.n, (const char *const *)k->granted.base);
	say_list(out, "reading   ", (int)k->reading.n, (const char *const *)k->reading.base);
	say_list(out, "hypothesis", p->nhypothesis, p->hypothesis);
	say_list(out, "hypothesis", (int)k->assumed.n, (const char *const *)k->assumed.base);
	if (k->nshown < problem_goals_compared(p) || !k->nshown)
		return PROOF_PARTLY;
	return c->trusted + c->finite ? PROOF_TOO_LARGE : p->nhypothesis + k->assumed.n ? PROOF_UNDER : PROOF_HOLDS;
}

/* Everything that a check needs that no line is read for. */
static void checker_init(struct proof_checker *k, struct problem *p)
{
	*k = (struct proof_checker){ .p = p };
	arena_init(&k->tmp);
	proof_reader_init(&k->in, p, &k->tmp);
	vec_init(&k->fact, sizeof(struct told_fact));
	vec_init(&k->opened, sizeof(premise));
	vec_init(&k->granted, sizeof(char *));
	vec_init(&k->assumed, sizeof(char *));
	vec_init(&k->open, sizeof(char *));
	vec_init(&k->unproved, sizeof(char *));
	vec_init(&k->reading, sizeof(char *));
}

static void checker_free(struct proof_checker *k)
{
	certify_replay_free(k->r);
	certifier_free(k->c);
	vec_free(&k->fact);
	vec_free(&k->opened);
	vec_free(&k->granted);
	vec_free(&k->assumed);
	vec_free(&k->open);
	vec_free(&k->unproved);
	vec_free(&k->reading);
	proof_reader_free(&k->in);
	arena_free(&k->tmp);
}

enum proof_outcome proof_file_check(struct problem *p, const char *file, struct page *out, struct diag *err)
{
	struct proof_checker k;
	enum proof_outcome r = PROOF_BAD;
	struct input in;

	if (!input_read(&in, file, err))
		return PROOF_BAD;
	checker_init(&k, p);
	if (read_all(&k, file, &in, err))
		r = say_outcome(&k, out);
	checker_free(&k);
	input_free(&in);
	return r;
}
