#include "lab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hlo/hlo_text.h"

#ifndef SRCDIR
#define SRCDIR "."
#endif

static char *slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *t;

	if (!f)
		fail_msg("%s cannot be read", path);
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	t = malloc(*n + 1);
	if (fread(t, 1, *n, f) != *n)
		fail_msg("%s cannot be read", path);
	t[*n] = 0;
	fclose(f);
	return t;
}

/* Blanks the lines that hold a word, so that line numbers stay. */
static void drop_lines(char *t, const char *word)
{
	char *line, *end;

	while (word && (line = strstr(t, word))) {
		for (end = line; *end && *end != '\n'; end++)
			;
		for (; line > t && line[-1] != '\n'; line--)
			;
		memset(line, ' ', (size_t)(end - line));
	}
}

prover *lab_prover(const char *without)
{
	static const char *const file[] = { "tensors", "lift", "structure", "search", "normalize" };
	prover *p = prover_new();
	const char *why;
	size_t k, n;

	for (k = 0; k < sizeof file / sizeof *file; k++) {
		char path[4096], *t;
		snprintf(path, sizeof path, SRCDIR "/rules/%s.egg", file[k]);
		t = slurp(path, &n);
		drop_lines(t, without);
		why = prover_read(p, path, t, n);
		if (why)
			fail_msg("%s", why);
		free(t);
	}
	why = prover_ready(p);
	if (why)
		fail_msg("%s", why);
	return p;
}

static module *read_text(const char *name, const char *text)
{
	struct diag err;
	char buf[2000];
	module *m = hlo_read_text(name, text, strlen(text), &err);

	if (!m)
		fail_msg("%s\n%s", diag_text(&err, buf, sizeof buf), text);
	return m;
}

static program *lower(const module *m, const module *other, enum program_side side, int64_t ndev)
{
	struct diag err;
	char buf[2000];
	program *p = lower_module(m, other, side, ndev, 0, NULL, &err);

	if (!p)
		fail_msg("%s", diag_text(&err, buf, sizeof buf));
	return p;
}

static chain chain_of(lab *b, char c)
{
	chain x = { 0, NULL, "" };
	chain_step *s;

	if (c == 'R' || c == 'A')
		return x;
	s = ARENA_NEW(&b->a, chain_step);
	*s = (chain_step){ .kind = CHAIN_SHARD, .axis = 0, .dim = c == 'G' ? 1 : c - '0' };
	if (c == 'G') {
		static const int64_t part[3] = { 6, 3, 3 };
		s->n = 3;
		s->v = part;
	}
	x.n = 1;
	x.step = s;
	return x;
}

lab *lab_open(const char *base, const char *dist, int64_t ndev, const char *in, const char *out, const char *without)
{
	lab *b = calloc(1, sizeof *b);
	input_relation *ri;
	output_relation *ro;
	pair_refusal no;
	int k;

	arena_init(&b->a);
	b->bm = read_text("base", base);
	b->dm = read_text("dist", dist);
	b->base = lower(b->bm, b->dm, SIDE_BASE, 1);
	b->dist = lower(b->dm, b->bm, SIDE_DIST, ndev);
	b->axis = (struct mesh_axis){ "dev", ndev };
	b->ms = (mesh){ 1, &b->axis, ndev };
	ri = ARENA_ARRAY(&b->a, input_relation, b->dist->nparam);
	for (k = 0; k < b->dist->nparam; k++)
		ri[k] = (input_relation){ .base = in[k] == 'A' ? -1 : k, .base_row = -1, .c = chain_of(b, in[k]),
					  .pin = in[k] == 'A' ? PIN_ANY : PIN_NONE, .where = "test" };
	ro = ARENA_ARRAY(&b->a, output_relation, b->dist->nout);
	for (k = 0; k < b->dist->nout; k++)
		ro[k] = (output_relation){ .base = out[k] == 'A' ? -1 : k, .base_row = -1, .c = chain_of(b, out[k]), .any = out[k] == 'A', .where = "test" };
	b->p = lab_prover(without);
	b->q = pair_new(b->p, b->base, b->dist, &b->ms, ri, ro, NULL);
	if (!pair_start(b->q, &no))
		fail_msg("%s\n%s", no.why, dist);
	return b;
}

lab *lab_alone(const char *dist, int64_t ndev)
{
	module *m = read_text("dist", dist);
	char in[64], out[64];

	memset(in, 'A', sizeof in);
	memset(out, 'A', sizeof out);
	assert_true(m->entry->nparam < 64);
	module_free(m);
	return lab_open("HloModule b\nENTRY b {\n  ROOT c = f32[] constant(0)\n}\n", dist, ndev, in, out, NULL);
}

void lab_free(lab *b)
{
	pair_free(b->q);
	prover_free(b->p);
	program_free(b->base);
	program_free(b->dist);
	module_free(b->bm);
	module_free(b->dm);
	arena_free(&b->a);
	free(b);
}

bool lab_proved(const lab *b)
{
	int k;

	for (k = 0; k < b->q->ngoal; k++)
		if (b->q->goal[k].compared && !goal_met(b->q, &b->q->goal[k]))
			return false;
	return b->q->ngoal > 0;
}

const row *lab_row(const lab *b, enum program_side side, const char *name)
{
	program *p = side == SIDE_BASE ? b->base : b->dist;
	int r = program_named(p, name);

	if (r < 0)
		fail_msg("no row %s", name);
	return &p->row[r];
}

eg_id lab_core(const lab *b, enum program_side side, const char *name)
{
	eg_id c = laid_cell(&b->p->a, lab_row(b, side, name)->tensor);

	if (c == NIL)
		fail_msg("%s has no form", name);
	return eg_root(b->p->g, eg_args(b->p->g, c)[0]);
}

bool lab_related(const lab *b, const char *base, const char *dist)
{
	return lab_core(b, SIDE_BASE, base) == lab_core(b, SIDE_DIST, dist);
}

const char *lab_reason(const lab *b, const char *name)
{
	const row *r = lab_row(b, SIDE_DIST, name);
	const char *why = prover_lift_reason(b->p, r->tensor);

	return why ? why : r->why;
}

/* ---- against the interpreter */

static bool keep_all(void *ctx, const inst *i)
{
	(void)ctx;
	(void)i;
	return true;
}

/* The form a row was given first: parameters have one. */
static const values *a_form(const lab *b, const core_eval *e, eg_id tensor)
{
	eg_id r = eg_root(b->p->g, tensor), m = r;

	do {
		if (core_kind(e->a, m) == C_LAID && !e->node[m].absent)
			return &e->node[m];
		m = eg_next_in_class(b->p->g, m);
	} while (m != r);
	return NULL;
}

static tensor *input_of(const lab *b, const core_eval *e, int param, int device)
{
	const row *r = &b->dist->row[b->dist->param[param]];
	const shape *s = b->dm->entry->param[param]->shape;
	const values *v = a_form(b, e, r->tensor);
	int64_t n = shape_elements(s);

	return v ? tensor_over(s, n, v->f ? v->f + device * n : NULL, v->i ? v->i + device * n : NULL) : NULL;
}

static const char *compare_row(const lab *b, core_eval *e, const interp *r, const row *w, int *compared)
{
	eg_id root = eg_root(b->p->g, w->tensor), m = root;
	int64_t d, k, n = row_elements(w);
	values want = { .type = w->type, .n = n * b->dist->ndev };
	bool seen = false;

	want.f = etype_is_float((enum etype)w->type) ? ARENA_ARRAY(&e->s, double, want.n) : NULL;
	want.i = want.f ? NULL : ARENA_ARRAY(&e->s, int64_t, want.n);
	for (d = 0; d < b->dist->ndev; d++) {
		tensor *t = interp_value(r, w->inst, (int)d);
		if (t && w->element >= 0 && w->element < t->nelem)
			t = t->elem[w->element];
		if (!t || t->n != n || !!t->f != !!want.f || etype_kind((enum etype)w->type) == 'c')
			return NULL;
		if (n)
			memcpy(want.f ? (void *)(want.f + d * n) : (void *)(want.i + d * n), t->f ? (void *)t->f : (void *)t->i, 8 * (size_t)n);
	}
	do {
		const values *v = &e->node[m];
		if (core_kind(e->a, m) == C_LAID && !v->absent && !v->unknown) {
			seen = true;
			k = values_differ(v, &want, core_eval_tolerance(e));
			if (k >= 0)
				return arena_printf(&e->s, "%%%s on device %lld at %lld: lifted %.9g (node %u), run %.9g", w->path,
						    (long long)(k / (n ? n : 1)), (long long)(n ? k % n : 0), values_at(v, k), m, values_at(&want, k));
		}
		m = eg_next_in_class(b->p->g, m);
	} while (m != root);
	*compared += seen;
	return NULL;
}

static const char *compare_rows(const lab *b, core_eval *e, const interp *r, int *compared)
{
	const char *why;
	int k;

	for (k = 0; k < b->dist->nrow; k++) {
		const row *w = &b->dist->row[k];
		if (w->inst->parent != b->dm->entry || strchr(w->path, '/') || w->param >= 0 || w->tensor == NIL)
			continue;
		why = compare_row(b, e, r, w, compared);
		if (why)
			return why;
	}
	return NULL;
}

const char *lab_compare(const lab *b, core_eval *e, int *compared)
{
	int64_t rep = b->dm->replica_count ? b->dm->replica_count : 1;
	int ndev = (int)b->dist->ndev, np = b->dm->entry->nparam, d, k;
	interp_options o = { .reading = e->rounds ? INTERP_DECLARED : INTERP_REALS, .replicas = rep, .partitions = ndev / rep, .keep = keep_all };
	tensor ***in = ARENA_ARRAY(&e->s, tensor **, ndev);
	const char *why = NULL;
	interp *r = interp_new(b->dm, &o);
	bool ok = true;

	for (d = 0; d < ndev; d++) {
		in[d] = ARENA_ARRAY(&e->s, tensor *, np);
		for (k = 0; k < np; k++)
			ok = (in[d][k] = input_of(b, e, k, d)) && ok;
	}
	if (ok && !interp_run(r, (tensor *const *const *)in))
		why = arena_printf(&e->s, "the interpreter: %s", interp_why(r));
	else if (ok)
		why = compare_rows(b, e, r, compared);
	interp_free(r);
	for (d = 0; d < ndev; d++)
		for (k = 0; k < np; k++)
			tensor_unref(in[d][k]);
	return why;
}
