/* proof_write.c - proofs as files: see proof_file.h. */
#include "proof/proof_write_in.h"

#include <stdlib.h>
#include <string.h>
#include "certify/certify.h"
#include "core/facts.h"
#include "text/words.h"
#include "util/hash.h"

enum { MOST_LISTS = 1 << 14 };

/* ---- nodes */

static void put_words(struct proof_writer *w, const int64_t *v, int64_t n)
{
	int64_t k, run;

	fputs(" [", w->f);
	for (k = 0; k < n; k += run) {
		for (run = 1; k + run < n && v[k + run] == v[k]; run++)
			;
		run = run > 3 ? run : 1;
		fprintf(w->f, " %lld", (long long)v[k]);
		if (run > 1)
			fprintf(w->f, " * %lld", (long long)run);
	}
	fputs(" ]", w->f);
}

static uint32_t table_number(struct proof_writer *w, eg_val v)
{
	uint32_t k;

	for (k = 0; k < w->table.n && VEC_AT(eg_val, &w->table, k) != v; k++)
		;
	return k;
}

static void put_table(struct proof_writer *w, eg_val v)
{
	size_t n;
	const int64_t *x = eg_value_bytes(w->g, v, &n);

	if (table_number(w, v) < w->table.n)
		return;
	fprintf(w->f, "table %u", w->table.n);
	*(eg_val *)vec_push(&w->table) = v;
	put_words(w, x, (int64_t)(n / sizeof *x));
	fputc('\n', w->f);
}

/* A pairing's words, lists by their numbers; with `tables`, only these lists. */
static void put_pairing(struct proof_writer *w, const int64_t *x, int64_t n, bool tables)
{
	int64_t *copy = ARENA_ARRAY(&w->tmp, int64_t, n), *at = ARENA_ARRAY(&w->tmp, int64_t, MOST_LISTS);
	int lists = certify_pairing_lists(n, x, at, MOST_LISTS), k;

	if (lists < 0 || lists > MOST_LISTS) {
		w->why = lists < 0 ? "it rests on a node that reads its operands too far apart to be checked" : "it rests on a node with too many tables";
		return;
	}
	memcpy(copy, x, sizeof *x * (size_t)n);
	for (k = 0; k < lists; k++)
		if (tables)
			put_table(w, (eg_val)x[at[k]]);
		else
			copy[at[k]] = table_number(w, (eg_val)x[at[k]]);
	if (!tables)
		put_words(w, copy, n);
}

static void put_rats(struct proof_writer *w, const rat *r, size_t n)
{
	char buf[48];
	size_t k;

	fputs(" [", w->f);
	for (k = 0; k < n; k++) {
		rat_text(buf, sizeof buf, r[k]);
		fprintf(w->f, " %s", buf);
	}
	fputs(" ]", w->f);
}

static void put_doubles(struct proof_writer *w, const double *v, size_t n)
{
	size_t k, run;

	fputs(" [", w->f);
	for (k = 0; k < n; k += run) {
		for (run = 1; k + run < n && !memcmp(&v[k + run], &v[k], sizeof *v); run++)
			;
		run = run > 3 ? run : 1;
		fputc(' ', w->f);
		words_put_double(w->f, v[k]);
		if (run > 1)
			fprintf(w->f, " * %zu", run);
	}
	fputs(" ]", w->f);
}

static void put_number(struct proof_writer *w, const number *v)
{
	if (v->r.den)
		put_rats(w, &v->r, 1);
	else
		put_doubles(w, &v->f, 1);
}

static void put_value(struct proof_writer *w, eg_val v)
{
	const algebra *a = w->a;
	eg_sort s = eg_value_sort(w->g, v);
	size_t n;
	const void *x = eg_value_bytes(w->g, v, &n);

	if (s == a->v_type)
		fprintf(w->f, " %s", *(const int64_t *)x == TYPE_REAL ? "real" : etype_name((enum etype)*(const int64_t *)x));
	else if (s == a->v_int)
		fprintf(w->f, " %lld", (long long)*(const int64_t *)x);
	else if (s == a->v_name) {
		fputc(' ', w->f);
		words_put_text(w->f, x);
	} else if (s == a->v_rats)
		put_rats(w, x, n / sizeof(rat));
	else if (s == a->v_number)	/* a rational, or a real number */
		fputs(((const number *)x)->r.den ? " rational" : " double", w->f), put_number(w, x);
	else if (s == a->v_table)
		put_doubles(w, x, n / sizeof(double));
	else if (s == a->v_pairing)
		put_pairing(w, x, (int64_t)(n / 8), false);
	else
		put_words(w, x, (int64_t)(n / 8));
}

static void put_plain_node(struct proof_writer *w, eg_id n)
{
	uint32_t nval, k;
	const eg_val *v = eg_op_values(w->g, eg_node_op(w->g, n), &nval);

	fprintf(w->f, "%s", eg_family(w->g, eg_op_family(w->g, eg_node_op(w->g, n)))->name);
	for (k = 0; k < nval; k++)
		put_value(w, v[k]);
	fputs(" (", w->f);
	for (k = 0; k < eg_narg(w->g, n); k++)
		fprintf(w->f, " %u", w->number[eg_args(w->g, n)[k]] - 1);
	fputs(" )", w->f);
}

static void put_row(struct proof_writer *w, uint32_t number, enum program_side side, int row)
{
	fprintf(w->f, "node %u row %s %d ", number, side == SIDE_BASE ? "base" : "dist", row);
	words_put_text(w->f, proof_program(w, side)->row[row].path);
	fputc('\n', w->f);
}

static void put_node(struct proof_writer *w, eg_id n, uint32_t number)
{
	enum program_side side;
	uint32_t nval, k;
	const eg_val *v = eg_op_values(w->g, eg_node_op(w->g, n), &nval);
	arena_mark m = arena_at(&w->tmp);
	int row;

	for (k = 0; k < nval; k++)
		if (eg_value_sort(w->g, v[k]) == w->a->v_pairing) {
			size_t bytes;
			const int64_t *x = eg_value_bytes(w->g, v[k], &bytes);
			put_pairing(w, x, (int64_t)(bytes / sizeof *x), true);
		}
	if (pair_row_of(w->p->q, n, &side, &row)) {
		put_row(w, number, side, row);
	} else {
		fprintf(w->f, "node %u ", number);
		if (w->source[n])
			fprintf(w->f, "fallback %u", w->number[w->source[n] - 1] - 1);
		else
			put_plain_node(w, n);
		fputc('\n', w->f);
	}
	arena_reset(&w->tmp, m);
}

static uint32_t put_aliases(struct proof_writer *w, enum program_side side, uint32_t n)
{
	int i;

	for (i = 0; i < proof_program(w, side)->nrow; i++)
		if (w->alias[side][i].number) {
			put_row(w, n, side, i);
			w->alias[side][i].number = ++n;
		}
	return n;
}

static void put_nodes(struct proof_writer *w)
{
	uint32_t n = 0;
	eg_id i;

	for (i = 0; i < w->nnode; i++)
		if (w->number[i]) {
			put_node(w, i, n);
			w->number[i] = ++n;
		}
	n = put_aliases(w, SIDE_BASE, n);
	put_aliases(w, SIDE_DIST, n);
}

/* Is all that a ground reads in the file? */
static bool ground_is_there(const struct proof_writer *w, const fact_ground *g)
{
	const premise *p = facts_ground_premises(w->a, g);
	uint32_t k;

	for (k = 0; k < g->nprem && w->number[p[k].x] && w->number[p[k].y]; k++)
		;
	return k == g->nprem && w->number[g->node];
}

/* Those that the proof needs, and those that cost nothing: two nodes that are one class in the end show the same, but each
 * for itself before. */
static void put_facts(struct proof_writer *w)
{
	uint32_t i, k;

	for (i = 0; i < facts_grounds(w->a); i++) {
		const fact_ground *g = facts_ground(w->a, i);
		const premise *p = facts_ground_premises(w->a, g);
		if (!w->ground[i] && !ground_is_there(w, g))
			continue;
		fprintf(w->f, "fact %u opened", w->number[g->node] - 1);
		for (k = 0; k < g->nprem; k++)
			fprintf(w->f, " %u %u", w->number[p[k].x] - 1, w->number[p[k].y] - 1);
		fputc('\n', w->f);
	}
}

/* ---- steps */

static unsigned number_of(const struct proof_writer *w, eg_id n)
{
	return w->number[n] - 1;
}

static void tell_operands(struct proof_writer *w, eg_id n);

/* That a row's instruction is an older one's, which rests on the same of its operands. */
static void tell_row(struct proof_writer *w, enum program_side side, int row)
{
	const struct row *r = &proof_program(w, side)->row[row];
	struct proof_alias *x = &w->alias[side][row];
	int k;

	if (!x->number || x->told)
		return;
	x->told = true;
	for (k = 0; k < r->nop; k++)
		tell_row(w, side, r->op[k]);
	tell_operands(w, r->tensor);
	fprintf(w->f, "congruence %u %u\n", x->number - 1, number_of(w, r->tensor));
}

static void tell_operands(struct proof_writer *w, eg_id n)
{
	enum program_side side;
	int row, k;

	if (!pair_row_of(w->p->q, n, &side, &row))
		return;
	for (k = 0; k < proof_program(w, side)->row[row].nop; k++)
		tell_row(w, side, proof_program(w, side)->row[row].op[k]);
}

/* A node as the operand of an instruction that the check reads: the alias it is there.  Operands that are one tensor are
 * taken in turn: `nth` were before. */
static unsigned number_as_operand(const struct proof_writer *w, eg_id of, eg_id x, unsigned nth)
{
	enum program_side side;
	int row, k;
	unsigned n = 0, alias = 0;
	const struct row *r;

	if (!pair_row_of(w->p->q, of, &side, &row))
		return number_of(w, x);
	r = &proof_program(w, side)->row[row];
	for (k = 0; k < r->nop && n <= nth; k++)
		if (proof_program(w, side)->row[r->op[k]].tensor == x) {
			alias = w->alias[side][r->op[k]].number;
			n++;
		}
	return alias ? alias - 1 : number_of(w, x);
}

static void put_opened(struct proof_writer *w, unsigned x, unsigned y, bool *any)
{
	fprintf(w->f, "%s %u %u", *any ? "" : " opened", x, y);
	*any = true;
}

static unsigned times(const eg_id *x, uint32_t n, eg_id of)
{
	unsigned c = 0;

	while (n-- > 0)
		c += x[n] == of;
	return c;
}

/* What an instruction reads where that is written another time: that it is the one written first. */
static void put_aliases_of(struct proof_writer *w, eg_id n, bool *any)
{
	uint32_t k;

	for (k = 0; k < eg_narg(w->g, n); k++) {
		const eg_id *x = eg_args(w->g, n);
		unsigned number = number_as_operand(w, n, x[k], times(x, k, x[k]));
		if (number != number_of(w, x[k]))
			put_opened(w, number, number_of(w, x[k]), any);
	}
}

static void put_firing(struct proof_writer *w, const hist_entry *f)
{
	const premise *p = history_premises(w->a, f);
	const made_node *m = history_made(w->a, f);
	bool any = false;
	eg_id *x = ARENA_ARRAY(&w->tmp, eg_id, f->nprem + 1);
	uint32_t i, k;

	for (i = 0; i < f->nprem; i++) {
		x[i] = p[i].x;
		put_opened(w, number_as_operand(w, f->node, x[i], times(x, i, x[i])), number_of(w, p[i].y), &any);
		if (proof_opens_row(w, &p[i]))
			put_aliases_of(w, p[i].y, &any);
	}
	if (f->rule < RULE_GIVEN && !prover_computes(w->p->p, f->rule))
		put_aliases_of(w, f->node, &any);
	for (i = 0; i < f->nmade; i++) {
		fprintf(w->f, " built %u [", number_of(w, m[i].node));
		for (k = 0; k < m[i].narg; k++)
			fprintf(w->f, " %u", number_of(w, history_args(w->a, &m[i])[k]));
		fputs(" ]", w->f);
	}
}

/* Of a hypothesis: which rows it relates, and how. */
static void put_assumed(struct proof_writer *w, const hist_entry *f, uint32_t firing)
{
	const pair *q = w->p->q;
	const premise *p = history_premises(w->a, f);
	const char *chain = w->chain ? w->chain(w->ctx, firing) : NULL;
	enum program_side side[2];
	int row[2], k;

	if (!f->nprem || !pair_row_of(q, p[0].x, &side[0], &row[0]) ||
	    !pair_row_of(q, f->nprem > 1 ? p[1].x : f->node, &side[1], &row[1])) {
		w->why = "it rests on a hypothesis that is no relation of two instructions";
		return;
	}
	for (k = 0; k < q->nrelated && !chain; k++)
		if (q->related[k].assumed && q->related[k].base_row == row[0] && q->related[k].dist_row == row[1])
			chain = q->related[k].rel.c.text;
	fputc(' ', w->f);
	words_put_text(w->f, q->base->row[row[0]].path);
	fputc(' ', w->f);
	words_put_text(w->f, q->dist->row[row[1]].path);
	fputc(' ', w->f);
	words_put_text(w->f, chain ? chain : "R");
}

static void put_step(struct proof_writer *w, const eg_edge *e)
{
	static const char *const word[] = { [EG_CONGRUENCE] = "congruence", [EG_GIVEN] = "given", [EG_ASSUMED] = "assume" };
	const hist_entry *f = e->kind == EG_CONGRUENCE ? NULL : history_at(w->a, e->firing);
	uint32_t k;

	tell_operands(w, e->a);
	tell_operands(w, e->b);
	for (k = 0; f && k < f->nprem; k++)
		if (proof_opens_row(w, &history_premises(w->a, f)[k]))
			tell_operands(w, history_premises(w->a, f)[k].y);
	if (e->kind != EG_RULE) {
		fputs(word[e->kind], w->f);
	} else if (f->rule == RULE_FALLBACK) {
		fputs("fallback", w->f);
	} else {
		fputs("rule ", w->f);
		words_put_text(w->f, prover_rule_name(w->p->p, f->rule));
	}
	fprintf(w->f, " %u %u", number_of(w, e->a), number_of(w, e->b));
	if (e->kind == EG_ASSUMED)
		put_assumed(w, f, e->firing);
	if (f)
		put_firing(w, f);
	fputc('\n', w->f);
}

static void put_goals(struct proof_writer *w)
{
	const pair *q = w->p->q;
	int k;

	for (k = 0; k < q->ngoal; k++)
		if (proof_shows(w, &q->goal[k])) {
			tell_row(w, SIDE_BASE, q->goal[k].base_row);
			tell_row(w, SIDE_DIST, q->goal[k].dist_row);
			fprintf(w->f, "goal %d ", k);
			words_put_text(w->f, w->p->dist->row[q->goal[k].dist_row].path);
			fprintf(w->f, " %u %u\n", number_of(w, q->goal[k].bcell), number_of(w, q->goal[k].dcell));
		}
}

/* ---- all */

static void put_head(struct proof_writer *w)
{
	const struct problem *p = w->p;
	int k;

	fputs("diverge proof 1\nbase ", w->f);
	words_put_text(w->f, p->files.base);
	fputs("  dist ", w->f);
	words_put_text(w->f, p->files.dist);
	fputc('\n', w->f);
	for (k = 0; p->supposed && k < p->base->nparam; k++) {
		const struct supposition *s = &p->supposed[k];
		if (s->n)
			fprintf(w->f, "range %d %lld\n", k, (long long)s->n);
		if (s->positive || s->nonzero)
			fprintf(w->f, "%s %d\n", s->positive ? "positive" : "nonzero", k);
	}
}

static void put_all(struct proof_writer *w)
{
	uint32_t i;

	put_head(w);
	put_nodes(w);
	put_facts(w);
	for (i = 0; i < w->e.n && !w->why; i++)
		put_step(w, eg_get_edge(w->g, w->e.item[i].id));
	put_goals(w);
}

static void write_to(struct proof_writer *w)
{
	w->alias[SIDE_BASE] = arena_zalloc(&w->tmp, sizeof(struct proof_alias) * (size_t)(w->p->base->nrow + 1));
	w->alias[SIDE_DIST] = arena_zalloc(&w->tmp, sizeof(struct proof_alias) * (size_t)(w->p->dist->nrow + 1));
	w->number = arena_zalloc(&w->tmp, sizeof *w->number * (w->nnode + 1));
	w->source = arena_zalloc(&w->tmp, sizeof *w->source * (w->nnode + 1));
	w->ground = arena_zalloc(&w->tmp, facts_grounds(w->a) + 1);
	w->loop = arena_zalloc(&w->tmp, sizeof *w->loop * (size_t)(w->p->base->nloop + 1));
	proof_need(w);
	if (!w->why)
		put_all(w);
}

const char *proof_write(FILE *f, struct problem *p, proof_act_chain *chain, void *ctx)
{
	struct proof_writer w = { .p = p, .a = &p->p->a, .g = p->p->g, .nnode = eg_nnode(p->p->g), .chain = chain, .ctx = ctx };
	char *text = NULL;
	size_t n = 0;

	w.f = open_memstream(&text, &n);
	if (!w.f)
		return "out of memory";
	arena_init(&w.tmp);
	vec_init(&w.table, sizeof(eg_val));
	vec_init(&w.claim, sizeof(eg_id));
	vec_init(&w.open, sizeof(eg_id));
	write_to(&w);
	fclose(w.f);
	if (!w.why) {
		fwrite(text, 1, n, f);
		fprintf(f, "end %016llx\n", (unsigned long long)hash_bytes(text, n, 1));
	}
	free(text);
	arena_free(&w.tmp);
	vec_free(&w.table);
	vec_free(&w.claim);
	vec_free(&w.open);
	return w.why;
}
