/* interp_estimate.c - what a run will cost, from the shapes alone. */
#include <stdlib.h>

#include <string.h>
#include "interp/interp_in.h"

double interp_words(const shape *s)
{
	double n = 0;
	int k;

	if (s->type != T_TUPLE)
		return etype_kind(s->type) == '-' ? 0 : (double)shape_elements(s) * (etype_kind(s->type) == 'c' ? 2 : 1);
	for (k = 0; k < s->n; k++)
		n += interp_words(s->elem[k]);
	return n;
}

static double dot_work(const inst *i)
{
	int n, k;
	const int64_t *c = inst_ints(i, "lhs_contracting_dims", &n);
	double w = interp_words(i->shape);

	for (k = 0; k < n; k++)
		if (c[k] >= 0 && c[k] < i->operand[0]->shape->rank)
			w *= (double)i->operand[0]->shape->dim[c[k]];
	return w;
}

static double window_work(const inst *i)
{
	const attr *w = inst_attr(i, "window");
	double n = interp_words(i->shape);
	int k;

	for (k = 0; w && k < w->n; k++)
		n *= (double)w->ints[k * WINDOW_FIELDS + W_SIZE];
	return n;
}

/* Kernel entries per output feature times outputs. */
static double conv_work(const inst *i)
{
	const char *t = inst_text(i, "dim_labels"), *bar = t ? strchr(t, '_') : NULL, *o = bar ? strchr(bar, 'o') : NULL;
	const shape *k = i->operand[1]->shape;
	double n = interp_words(i->shape) * interp_words(k);

	return o && o - bar - 1 < k->rank && k->dim[o - bar - 1] ? n / (double)k->dim[o - bar - 1] : n;
}

double inst_work(const inst *i)
{
	double n = interp_words(i->shape);
	int k;

	switch (i->opcode) {
	case OP_DOT: return dot_work(i);
	case OP_CONVOLUTION: return conv_work(i);
	case OP_REDUCE_WINDOW: return window_work(i);
	case OP_PARAMETER: case OP_CONSTANT: case OP_TUPLE: case OP_GET_TUPLE_ELEMENT: case OP_RESHAPE:
	case OP_CALL: case OP_FUSION: case OP_WHILE: case OP_CONDITIONAL:
		return 1;
	default:
		for (k = 0; k < i->noperand; k++)
			n += interp_words(i->operand[k]->shape);
		return n;
	}
}

/* ---- computations */

struct sum { double *madds, *bytes; bool *seen, loops_unknown; };

/* known_trip_count={"n":"32"} in a loop's backend_config; 0: unknown. */
static double trip_count(const inst *i)
{
	const char *s = inst_text(i, "backend_config"), *k = s ? strstr(s, "known_trip_count") : NULL;

	k = k ? strpbrk(k, "0123456789") : NULL;
	return k ? strtod(k, NULL) : 0;
}

static void comp_cost(const comp *c, struct sum *s);

bool interp_shares(const inst *i)
{
	return i->opcode == OP_TUPLE || i->opcode == OP_GET_TUPLE_ELEMENT || i->opcode == OP_RESHAPE || i->opcode == OP_PARAMETER
	       || i->opcode == OP_CONSTANT || i->opcode == OP_COPY || i->opcode == OP_WHILE;
}

/* The computations an instruction runs as a whole: their cost, times trips for a loop. */
static double called_cost(const inst *i, struct sum *s, double *bytes)
{
	double madds = 0, trips = 1;
	int k, j;

	*bytes = 0;
	if (!strchr("x", opcode_class(i->opcode)))
		return 0;
	if (i->opcode == OP_WHILE) {
		trips = trip_count(i);
		s->loops_unknown |= trips == 0;
		trips = trips == 0 ? 1 : trips;
	}
	for (k = 0; k < i->nattr; k++) {
		const attr *a = &i->attr[k];

		for (j = 0; (a->kind == ATTR_COMP || a->kind == ATTR_COMPS) && j < (a->kind == ATTR_COMP ? 1 : a->n); j++) {
			comp_cost(a->comps[j], s);
			madds += s->madds[a->comps[j]->index] * trips;
			*bytes = s->bytes[a->comps[j]->index] > *bytes ? s->bytes[a->comps[j]->index] : *bytes;
		}
	}
	return madds;
}

static void comp_cost(const comp *c, struct sum *s)
{
	int *last, k, j;
	double live = 0, peak = 0, inner;

	if (s->seen[c->index])
		return;
	s->seen[c->index] = true;
	last = malloc(sizeof *last * (c->ninst + 1));
	if (!last)
		die_hook("out of memory");
	for (k = 0; k < c->ninst; k++) {
		last[k] = k;
		for (j = 0; j < c->inst[k]->noperand; j++)
			last[c->inst[k]->operand[j]->index] = k;
	}
	for (k = 0; k < c->ninst; k++) {
		const inst *i = c->inst[k];

		s->madds[c->index] += inst_work(i) + called_cost(i, s, &inner);
		live += interp_shares(i) ? 0 : 8 * interp_words(i->shape);
		peak = live + inner > peak ? live + inner : peak;
		for (j = 0; j < i->noperand; j++)
			if (last[i->operand[j]->index] == k && !interp_shares(i->operand[j])) {
				last[i->operand[j]->index] = -1;
				live -= 8 * interp_words(i->operand[j]->shape);
			}
	}
	s->bytes[c->index] = peak;
	free(last);
}

interp_cost interp_estimate(const module *m, int64_t ndev)
{
	struct sum s = { 0 };
	interp_cost out;
	arena a;
	int k;

	arena_init(&a);
	s.madds = arena_zalloc(&a, sizeof *s.madds * m->ncomp);
	s.bytes = arena_zalloc(&a, sizeof *s.bytes * m->ncomp);
	s.seen = arena_zalloc(&a, sizeof *s.seen * m->ncomp);
	comp_cost(m->entry, &s);
	for (k = 0; k < m->entry->nparam; k++)
		s.bytes[m->entry->index] += 8 * interp_words(m->entry->param[k]->shape);
	out = (interp_cost){ s.madds[m->entry->index] * (double)ndev, s.bytes[m->entry->index] * (double)ndev, s.loops_unknown };
	arena_free(&a);
	return out;
}
