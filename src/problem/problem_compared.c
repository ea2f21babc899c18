/* What is compared of the two programs, and sentences about what is not. */
#include "problem/problem_in.h"

#include "plan/place_map.h"

/* Outputs of the baseline that no output of the distributed program is compared with. */
static void assume_unseen(struct problem *p, const output_relation *out)
{
	int k, i;

	for (k = 0; k < p->base->nout; k++) {
		for (i = 0; i < p->dist->nout && out[i].base != k; i++)
			;
		if (i == p->dist->nout && p->base->out[k] >= 0)
			problem_assume(p, arena_printf(&p->a, "baseline output %d is compared with nothing", k));
	}
}

static void say_held(struct problem *p, const char *name, const shape *whole, int n, const chain *const *c)
{
	int64_t all = n ? shape_elements(whole) : 0, held = n ? places_held(&p->ms, whole, n, c) : 0;

	if (held < 0)
		problem_assume(p, arena_printf(&p->a, "what the plan leaves out of %s is not compared", name));
	else if (held < all)
		problem_assume(p, arena_printf(&p->a, "%lld of %lld places of %s are compared", (long long)held, (long long)all, name));
}

static bool nothing_said(struct problem *p, const char *name, const shape *whole, const chain *c)
{
	if (!places_free(&p->ms, whole, c))
		return false;
	problem_assume(p, arena_printf(&p->a, "the plan leaves out every place of %s: it is not compared", name));
	return true;
}

/* What is compared with nothing but places that hold what they will is not compared. */
static void leave_out(struct problem *p, struct problem_relations *r)
{
	int k;

	for (k = 0; k < p->dist->nout; k++) {
		output_relation *o = &r->out[k];
		const shape *whole = problem_related_shape(p, o);
		if (whole && !o->any && nothing_said(p, arena_printf(&p->a, "output %d", k), whole, &o->c))
			o->any = true;
	}
	for (k = 0; k < r->ninner; k++) {
		row_relation *x = &r->inner[k];
		if (!x->assumed && nothing_said(p, arena_printf(&p->a, "%%%s", p->dist->row[x->dist_row].path),
						problem_row_shape(p, x->base_row), &x->rel.c))
			x->rel.any = true;
	}
}

/* What is compared of the baseline's outputs where chains take a part. */
static void assume_part_of_outputs(struct problem *p, const output_relation *out)
{
	const chain **c = ARENA_ARRAY(&p->a, const chain *, p->dist->nout);
	const shape *whole;
	int k, i, n;

	for (k = 0; k < p->base->nout; k++) {
		if (!(whole = problem_whole_shape(p, true, k)) || p->base->out[k] < 0)
			continue;
		for (i = n = 0; i < p->dist->nout; i++)
			if (out[i].base == k && out[i].base_row < 0 && !out[i].any)
				c[n++] = &out[i].c;
		say_held(p, arena_printf(&p->a, "baseline output %d", k), whole, n, c);
	}
}

/* .. and of an inner value. */
static void assume_part_of_row(struct problem *p, int row, const chain *c)
{
	say_held(p, arena_printf(&p->a, "%%%s of the baseline", p->base->row[row].path), problem_row_shape(p, row), 1, &c);
}

void problem_compared(struct problem *p, struct problem_relations *r)
{
	int k;

	leave_out(p, r);
	assume_unseen(p, r->out);
	assume_part_of_outputs(p, r->out);
	for (k = 0; k < p->dist->nout; k++)
		if (r->out[k].base_row >= 0 && !r->out[k].any)
			assume_part_of_row(p, r->out[k].base_row, &r->out[k].c);
	for (k = 0; k < r->ninner; k++)
		if (r->inner[k].base_row >= 0 && !r->inner[k].assumed && !r->inner[k].rel.any)
			assume_part_of_row(p, r->inner[k].base_row, &r->inner[k].rel.c);
}
