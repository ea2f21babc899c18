/* interp_main.c - runs one HLO text on numbers from a file, for tests.
 *
 *   interp_main FILE.hlo [--reals] [--replicas N] [--partitions N] [--seed N] [--in FILE] [--out FILE] [--estimate] [--time]
 *
 * FILE of --in: for every device, every parameter, every array of it in order:
 * an 8-byte count and that many 8-byte words (doubles; integers; complex two
 * words each).  Without --in all inputs are small numbers.  --out: the same for
 * the outputs.  Exit status 2: the file is malformed; 3: refused, one line says
 * why.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "hlo/hlo_text.h"
#include "interp/interp.h"

static void *slurp(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *p;

	if (!f)
		return NULL;
	fseek(f, 0, SEEK_END);
	*n = (size_t)ftell(f);
	rewind(f);
	p = malloc(*n + 1);
	if (p && fread(p, 1, *n, f) != *n) {
		free(p);
		p = NULL;
	}
	if (p)
		p[*n] = 0;
	fclose(f);
	return p;
}

static int64_t words(const tensor *t)
{
	return t->f && etype_kind(t->shape->type) == 'c' ? 2 * t->n : t->n;
}

static bool read_tensor(tensor *t, FILE *f)
{
	int64_t n, k;

	for (k = 0; k < t->nelem; k++)
		if (!read_tensor(t->elem[k], f))
			return false;
	if (t->nelem || t->shape->type == T_TUPLE)
		return true;
	if (fread(&n, 8, 1, f) != 1 || n != words(t))
		return false;
	return fread(t->f ? (void *)t->f : (void *)t->i, 8, (size_t)n, f) == (size_t)n;
}

static void write_tensor(const tensor *t, FILE *f)
{
	int64_t n = words(t), k;

	for (k = 0; k < t->nelem; k++)
		write_tensor(t->elem[k], f);
	if (t->nelem || t->shape->type == T_TUPLE)
		return;
	fwrite(&n, 8, 1, f);
	fwrite(t->f ? (void *)t->f : (void *)t->i, 8, (size_t)n, f);
}

static void small_numbers(tensor *t, uint64_t seed)
{
	int64_t k;

	for (k = 0; k < t->nelem; k++)
		small_numbers(t->elem[k], seed + (uint64_t)k);
	for (k = 0; k < words(t); k++) {
		uint64_t v = (uint64_t)(k + 1) * 0x9e3779b97f4a7c15 + seed * 0xbf58476d1ce4e5b9;

		v = (v ^ v >> 29) * 0x94d049bb133111eb;
		if (t->f)
			t->f[k] = (double)(int64_t)v / 0x1p63;
		else if (t->i)
			t->i[k] = interp_wrap(t->shape->type, (int64_t)(v >> 62));
	}
}

struct job {
	const char *file, *in, *out;
	interp_options o;
	bool estimate, timed;
};

static const char *value(int argc, char **argv, int *k)
{
	return *k + 1 < argc ? argv[++*k] : "";
}

static void options(int argc, char **argv, struct job *j)
{
	int k;

	j->o.reading = INTERP_DECLARED;
	j->o.fill_elided = true;
	for (k = 1; k < argc; k++) {
		if (!strcmp(argv[k], "--reals"))
			j->o.reading = INTERP_REALS;
		else if (!strcmp(argv[k], "--replicas"))
			j->o.replicas = atoll(value(argc, argv, &k));
		else if (!strcmp(argv[k], "--partitions"))
			j->o.partitions = atoll(value(argc, argv, &k));
		else if (!strcmp(argv[k], "--seed"))
			j->o.seed = (uint64_t)atoll(value(argc, argv, &k));
		else if (!strcmp(argv[k], "--in"))
			j->in = value(argc, argv, &k);
		else if (!strcmp(argv[k], "--out"))
			j->out = value(argc, argv, &k);
		else if (!strcmp(argv[k], "--estimate"))
			j->estimate = true;
		else if (!strcmp(argv[k], "--time"))
			j->timed = true;
		else
			j->file = argv[k];
	}
}

static bool fill(const struct job *j, const module *m, int ndev, tensor ***input)
{
	FILE *f = j->in ? fopen(j->in, "rb") : NULL;
	bool ok = !j->in || f;
	int d, k;

	for (d = 0; d < ndev; d++) {
		input[d] = calloc((size_t)m->entry->nparam + 1, sizeof **input);
		for (k = 0; k < m->entry->nparam; k++) {
			input[d][k] = tensor_new(m->entry->param[k]->shape);
			if (f)
				ok = ok && read_tensor(input[d][k], f);
			else
				small_numbers(input[d][k], j->o.seed + (uint64_t)k);
		}
	}
	if (f)
		fclose(f);
	return ok;
}

static int refused(const interp *r, const struct job *j)
{
	const inst *i = interp_where(r);

	fprintf(stderr, "%s:%d:%d: %s%s%s\n", j->file, i ? i->line : 0, i ? i->column : 0, i ? i->name : "", i ? ": " : "",
		interp_why(r));
	return 3;
}

static int run(const struct job *j, const module *m)
{
	interp *r = interp_new(m, &j->o);
	int64_t R = j->o.replicas > 1 ? j->o.replicas : 1, P = j->o.partitions > 1 ? j->o.partitions : 1;
	int ndev = (int)(R * P), d, k, status = 0;
	tensor ***input = calloc((size_t)ndev, sizeof *input);
	struct timespec a, b;
	FILE *f;

	if (!fill(j, m, ndev, input)) {
		fprintf(stderr, "%s: the inputs do not fit\n", j->in);
		status = 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (!status && !interp_run(r, (tensor *const *const *)input))
		status = refused(r, j);
	clock_gettime(CLOCK_MONOTONIC, &b);
	if (j->timed)
		fprintf(stderr, "%.3f s\n", (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
	f = !status && j->out ? fopen(j->out, "wb") : NULL;
	for (d = 0; f && d < ndev; d++)
		write_tensor(interp_output(r, d), f);
	if (f)
		fclose(f);
	interp_free(r);
	for (d = 0; d < ndev; d++) {
		for (k = 0; k < m->entry->nparam; k++)
			tensor_unref(input[d][k]);
		free(input[d]);
	}
	free(input);
	return status;
}

int main(int argc, char **argv)
{
	struct job j = { 0 };
	struct diag err;
	char text[1200];
	size_t n;
	char *s;
	module *m;
	int status = 0;

	options(argc, argv, &j);
	s = j.file ? slurp(j.file, &n) : NULL;
	if (!s) {
		fprintf(stderr, "%s: cannot be read\n", j.file ? j.file : "usage: interp_main FILE");
		return 2;
	}
	m = hlo_read_text(j.file, s, n, &err);
	free(s);
	if (!m) {
		fprintf(stderr, "%s\n", diag_text(&err, text, sizeof text));
		return 2;
	}
	if (j.estimate) {
		int64_t R = j.o.replicas > 1 ? j.o.replicas : 1, P = j.o.partitions > 1 ? j.o.partitions : 1;
		interp_cost c = interp_estimate(m, R * P);

		printf("%.4g steps, %.4g bytes%s\n", c.madds, c.bytes, c.loops_unknown ? ", a loop of unknown length" : "");
	} else {
		status = run(&j, m);
	}
	module_free(m);
	return status;
}
