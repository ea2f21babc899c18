/* `test`: both programs run on random numbers that satisfy the plan, outputs and a pair of rows compared. */
#include <stdlib.h>
#include <string.h>
#include "command_in.h"
#include "numbers_run.h"

#define BYTES 4e9		/* numbers held at once */

/* How a pair of rows is compared: both layouts over one core. */
struct digits {
	int n;
	digit *d;
};

struct row_map {
	struct digits dev, loc;
	int64_t ncore;
	int64_t *base_place;	/* per place of the core: one of the baseline's, or NUMBERS_ANY */
};

static int64_t place_of(const struct digits *l, int64_t at)
{
	int64_t sum = 0;
	int k;

	for (k = l->n - 1; k >= 0; k--) {
		sum += at % l->d[k].size * l->d[k].stride;
		at /= l->d[k].size;
	}
	return sum;
}

static struct digits copy_digits(arena *a, int n, const digit *d)
{
	struct digits r = { n, ARENA_ARRAY(a, digit, n) };

	if (n)
		memcpy(r.d, d, sizeof *d * (size_t)n);
	return r;
}

static void map_row(void *ctx, int device, int64_t n, int64_t *index)
{
	const struct row_map *m = ctx;
	int64_t at = place_of(&m->dev, device), k;

	for (k = 0; k < n; k++) {
		int64_t core = at + place_of(&m->loc, k);
		index[k] = core < m->ncore ? m->base_place[core] : NUMBERS_ANY;
	}
}

static struct row_map *make_map(arena *a, const layout *base, const layout *dist, int64_t ncore)
{
	struct row_map *m = ARENA_NEW(a, struct row_map);
	struct digits bdev = copy_digits(a, base->nd, base->dev), bloc = copy_digits(a, base->nl, base->loc);
	int64_t k, n = layout_elements(base);

	m->dev = copy_digits(a, dist->nd, dist->dev);
	m->loc = copy_digits(a, dist->nl, dist->loc);
	m->ncore = ncore;
	m->base_place = ARENA_ARRAY(a, int64_t, ncore);
	for (k = 0; k < ncore; k++)
		m->base_place[k] = NUMBERS_ANY;
	for (k = n - 1; k >= 0; k--)
		m->base_place[place_of(&bdev, 0) + place_of(&bloc, k)] = k;
	return m;
}

/* ---- the pair */

struct trial {
	struct numbers_setup *setup;
	numbers_check *check;	/* of the outputs, and of the pair behind them */
	int npair;
	int base, dist;		/* rows of the pair */
	const char *relation;	/* in words */
};

static bool plain_row(const program *p, int row)
{
	return row >= 0 && p->row[row].element < 0 && p->row[row].inst->parent == p->m->entry && !strchr(p->row[row].path, '/');
}

/* The layouts as they are known, else as a chain would make them. */
static bool pair_map(struct session *s, struct trial *t, const char *chain, struct row_map **map, const char **why)
{
	algebra *a = &s->p->p->a;
	eg_id b = session_cell(s, SIDE_BASE, t->base), d = session_cell(s, SIDE_DIST, t->dist), laid;
	trail_mark mark = trail_at(a->tr);
	layout l, m;

	if (b == NIL) {
		*why = "the baseline's row is not lifted yet";
		return false;
	}
	l = layout_of(a, b);
	if (!chain && d != NIL && eg_root(a->g, eg_args(a->g, b)[0]) == eg_root(a->g, eg_args(a->g, d)[0])) {
		m = layout_of(a, d);
		*map = make_map(&t->setup->a, &l, &m, core_len(a, eg_args(a->g, b)[0]));
		t->relation = session_relation(s, SIDE_DIST, t->dist);
		return true;
	}
	t->relation = chain ? chain : "R";
	laid = acts_chain_node(s, t->base, t->dist, t->relation, why);
	if (laid != NIL && eg_root(a->g, eg_args(a->g, laid)[0]) == eg_root(a->g, eg_args(a->g, b)[0])) {
		m = layout_of(a, laid);
		*map = make_map(&t->setup->a, &l, &m, core_len(a, eg_args(a->g, b)[0]));
	} else if (laid != NIL) {
		*why = "only placements can be compared inside: R, S, reshape, transpose, repeat";
	}
	trail_undo(a->tr, mark);
	return *map != NULL;
}

static bool add_pair(struct session *s, struct trial *t, const char *chain, const char **why)
{
	struct row_map *map = NULL;
	numbers_check *c;
	int n = t->setup->p.ncheck;

	if (!plain_row(s->p->base, t->base) || !plain_row(s->p->dist, t->dist)) {
		*why = "only instructions of the entry computation can be compared";
		return false;
	}
	if (!pair_map(s, t, chain, &map, why))
		return false;
	c = ARENA_ARRAY(&t->setup->a, numbers_check, n + 1);
	if (n)
		memcpy(c, t->setup->p.check, sizeof *c * (size_t)n);
	memset(&c[n], 0, sizeof c[n]);
	c[n].n = row_elements(&s->p->base->row[t->base]);
	c[n].base.inst = s->p->base->row[t->base].inst;
	c[n].dist.inst = s->p->dist->row[t->dist].inst;
	c[n].dist.rel.map = map_row;
	c[n].dist.rel.ctx = map;
	t->setup->p.check = c;
	t->setup->p.ncheck = n + 1;
	t->npair = 1;
	return true;
}

/* ---- running, and what came out */

static int progress(void *ctx, double done, double total)
{
	char text[64];

	snprintf(text, sizeof text, "running numbers, %d%%", total > 0 ? (int)(100 * done / total) : 0);
	return session_busy(ctx, text);
}

static const char *check_name(struct session *s, const struct trial *t, int check, char *buf, size_t n)
{
	const goal *g;
	char d[500], b[500];

	if (check == t->setup->p.ncheck - 1 && t->npair) {
		snprintf(buf, n, "%s = %s %s", session_name(s, SIDE_DIST, t->dist, d, sizeof d),
			 session_name(s, SIDE_BASE, t->base, b, sizeof b), t->relation);
		return buf;
	}
	g = &s->p->q->goal[t->setup->goal[check]];
	snprintf(buf, n, "output %d %s", g->out, session_name(s, SIDE_DIST, g->dist_row, d, sizeof d));
	return buf;
}

static void say_difference(struct session *s, struct page *p, const struct trial *t, const numbers_result *r, enum numbers_kind kind)
{
	char name[1100];

	page_add(p, PG_REFUTED, "%s differs", check_name(s, t, r->check, name, sizeof name));
	page_more(p, PG_NORMAL, ": device %d, place %lld has %.9g, the baseline's place %lld has %.9g (%s)", r->device,
		  (long long)r->local, r->dist, (long long)r->global, r->base, numbers_kind_name(kind));
}

/* One check alone, so that each has its own answer. */
static enum numbers_verdict run_check(struct session *s, struct page *p, const struct trial *t, int check)
{
	numbers_problem one = t->setup->p;
	numbers_result r = { .verdict = NUMBERS_EQUAL };
	char name[1100];
	int kind, inner = 0;

	one.check = &t->setup->p.check[check];
	one.ncheck = 1;
	for (kind = 0; kind < NUMBERS_KINDS && r.verdict == NUMBERS_EQUAL; kind++) {
		numbers *n = numbers_new(&one);
		r = numbers_run(n, (enum numbers_kind)kind, (uint64_t)kind + 1);
		numbers_free(n);
		inner = kind;
	}
	if (r.verdict == NUMBERS_DIFFER) {
		r.check = check;
		say_difference(s, p, t, &r, (enum numbers_kind)inner);
	} else if (r.verdict == NUMBERS_REFUSED) {
		page_add(p, PG_WARNING, "%s: %s%s%s", check_name(s, t, check, name, sizeof name), r.where ? r.where->name : "",
			 r.where ? ": " : "", r.why ? r.why : "it cannot be run");
	} else {
		page_add(p, PG_VERIFIED, "%s", check_name(s, t, check, name, sizeof name));
		page_more(p, PG_NORMAL, ": equal on %d kinds of numbers, %lld places each", NUMBERS_KINDS, (long long)r.compared);
	}
	return r.verdict;
}

static void run_test(struct session *s, const struct trial *t, bool outputs)
{
	struct page *p = command_output(s);
	int k, n = t->setup->p.ncheck, from = outputs ? 0 : n - t->npair;
	bool refuted = false, apart = false;

	for (k = from; k < n; k++) {
		enum numbers_verdict v = run_check(s, p, t, k);
		if (v != NUMBERS_DIFFER)
			continue;
		if (k < n - t->npair)
			s->refuted[t->setup->goal[k]] = refuted = true;
		else
			apart = true;
	}
	if (refuted)
		session_moved(s);
	session_say(s, refuted || apart ? SAY_WARNING : SAY_MESSAGE,
		    refuted ? "refuted: an input on which the outputs differ" :
		    apart ? "the pair is not related in this way" : "that numbers agree proves nothing");
}

/* "NODE = base NODE CHAIN"; bare: the selected pair, where there is one to compare. */
static bool read_test(struct session *s, const char *args, struct trial *t, const char **chain)
{
	enum program_side side[2];
	char why[512];

	*chain = NULL;
	t->dist = s->sel.row[SIDE_DIST];
	t->base = t->dist < 0 ? -1 : session_nearest(s, t->dist);
	if (!*args)
		return true;
	if (!nodes_row(s, &args, SIDE_DIST, &side[0], &t->dist, why, sizeof why))
		return command_fail(s, "%s", why);
	t->base = session_nearest(s, t->dist);
	if (side[0] != SIDE_DIST)
		return command_fail(s, "test NODE = base NODE CHAIN: the first is of DIST");
	if (!*args)
		return t->base >= 0 || command_fail(s, "nothing in the baseline is near it");
	if (*args != '=')
		return command_fail(s, "test NODE = base NODE CHAIN: '=' is missing before '%s'", args);
	args++;
	if (!nodes_row(s, &args, SIDE_BASE, &side[1], &t->base, why, sizeof why))
		return command_fail(s, "%s", why);
	if (side[1] != SIDE_BASE)
		return command_fail(s, "test NODE = base NODE CHAIN: the second is of BASE");
	*chain = *args ? args : NULL;
	return true;
}

bool cmd_test(struct session *s, const char *args)
{
	struct trial t = { .base = -1, .dist = -1 };
	const char *why = NULL, *chain;
	bool paired;

	if (s->p->files.no_trail)
		return command_fail(s, "started with --no-trail: --batch without commands tests nothing");
	if (!read_test(s, args, &t, &chain))
		return false;
	t.setup = numbers_setup(s->p, &why);
	if (!t.setup)
		return command_fail(s, "numbers cannot be drawn: %s", why);
	t.setup->p.progress = progress;
	t.setup->p.ctx = s;
	t.setup->p.byte_limit = BYTES;
	paired = t.base >= 0 && add_pair(s, &t, chain, &why);
	if (*args && !paired)
		command_fail(s, "%s", why);
	else
		run_test(s, &t, !*args);
	numbers_setup_free(t.setup);
	return !s->failed && command_show(s, PAGE_OUTPUT);
}
