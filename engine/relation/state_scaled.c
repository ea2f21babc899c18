#include "relation/state_in.h"

#include <math.h>
#include <stdlib.h>
#include "util/hash.h"

/* A core without its rational factor has a key: the class it scales, or what the sum adds, coefficients divided by what they
 * have in common (RULES N10, N11).  Cores of one key are that class, or are made of sums that read it. */
struct prim {
	uint64_t key;
	rat c;			/* the factor */
	eg_id reads;		/* a class that every core of this key is, or reads */
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	return hash_bytes(&v, sizeof v, h);
}

/* The rational factor of a sum: what all coefficients have in common, with the first one's sign. */
static rat content(const algebra *a, eg_id n, int nslot)
{
	int64_t num = 0, den = 1;
	int k;

	for (k = 0; k < nslot; k++) {
		rat c = core_coef(a, n, k);
		num = gcd64(c.num, num);
		if (den / gcd64(den, c.den) > INT64_MAX / c.den)
			return RAT_ONE;
		den = den / gcd64(den, c.den) * c.den;
	}
	return num ? (rat){ core_coef(a, n, 0).num < 0 ? -num : num, den } : RAT_ONE;
}

static bool reads_as_it_stands(const algebra *a, eg_id n, const pairing *p)
{
	pair_expr e;

	if (p->nfree != 1 || p->nbound || p->nslot != 1 || p->ndata)
		return p->nfree == 0 && p->nbound == 0 && p->nslot == 1 && core_len(a, eg_args(a->g, n)[0]) == 1;
	pairing_expr(p, p->word, &e);
	return e.base == 0 && e.ntab == 0 && e.stride[0] == 1 && p->size[0] == core_len(a, eg_args(a->g, n)[0]);
}

/* False for what has no primitive part of its own: numbers. */
static bool prim_of(const states *s, eg_id core, struct prim *p)
{
	const algebra *a = &s->q->p->a;
	eg_id n = normal_node(a, core);
	pairing w;
	uint32_t k;

	p->c = RAT_ONE;
	if (core_kind(a, n) == C_NUMBER || core_kind(a, n) == C_TABLE)
		return false;
	p->reads = eg_root(a->g, core);
	p->key = mix(1, p->reads);
	if (core_kind(a, n) != C_SUM)
		return true;
	w = pairing_read(a, n);
	p->c = content(a, n, w.nslot);
	if (reads_as_it_stands(a, n, &w)) {
		p->reads = eg_root(a->g, eg_args(a->g, n)[0]);
		p->key = mix(1, p->reads);
		return true;
	}
	p->reads = eg_current(a->g, n)[0];
	p->key = mix(2, node_val(a, n, 1));
	for (k = 0; k < eg_narg(a->g, n); k++) {
		rat c = k < (uint32_t)w.nslot ? core_coef(a, n, (int)k) : RAT_ONE, d;
		p->key = mix(p->key, eg_current(a->g, n)[k]);
		if (k < (uint32_t)w.nslot && rat_div(&d, c, p->c))
			p->key = mix(mix(p->key, (uint64_t)d.num), (uint64_t)d.den);
	}
	return true;
}

struct likely {
	struct multiple m;
	bool counterpart;	/* the same operation of counterparts of the operands */
	bool used_alike;	/* the same operation takes it */
	bool as_operand;	/* as many times as an operand, where the operation itself scales nothing */
	int64_t size;		/* of the factor: 1/2 before 1/120 */
	int distance;
};

static bool likelier(const struct likely *x, const struct likely *y)
{
	if (y->m.base < 0 || x->counterpart != y->counterpart)
		return y->m.base < 0 || x->counterpart;
	if (x->used_alike != y->used_alike)
		return x->used_alike;
	if (x->as_operand != y->as_operand)
		return x->as_operand;
	if (x->size != y->size)
		return x->size < y->size;
	if (x->distance != y->distance)
		return x->distance < y->distance;
	return x->m.base < y->m.base;
}

static bool times_an_operand(const states *s, int row, rat scale)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	char class = opcode_class(r->inst->opcode);
	int k;

	for (k = 0; k < r->nop && class != 'u' && class != 'b' && class != 't'; k++)
		if (s->rs[r->op[k]].kind == STATE_SCALED && rat_eq(s->rs[r->op[k]].scale, scale))
			return true;
	return false;
}

static bool multiplies(enum opcode op)
{
	return op == OP_MULTIPLY || op == OP_DIVIDE;
}

enum { USE_UNKNOWN = -1, USES = 8 };

/* What a value is for, behind rows that only move it or give it to other devices: the operation that takes it first, or, in
 * negative numbers, the output it is. */
static int use_of(const states *s, enum program_side side, int row)
{
	const struct side *d = &s->side[side];
	int steps, k;

	for (steps = 0; steps < USES; steps++) {
		enum opcode op;
		for (k = 0; k < s->q->ngoal; k++)
			if ((side == SIDE_BASE ? s->q->goal[k].base_row : s->q->goal[k].dist_row) == row)
				return -2 - k;
		if (d->use_at[row] == d->use_at[row + 1])
			break;
		op = d->p->row[row = d->use[d->use_at[row]]].inst->opcode;
		if (!state_relabels(op) && opcode_class(op) != 'c')
			return multiplies(op) ? USE_UNKNOWN : (int)op;
	}
	return USE_UNKNOWN;
}

static bool among(int row, const int *list, int n)
{
	int k;

	for (k = 0; k < n && list[k] != row; k++)
		;
	return k < n;
}

struct scaling {
	const states *s;
	int row, at;		/* the distributed row, and where the baseline stood before it */
	struct prim p;
	int use;		/* what takes it, when one is needed */
	int user[8], nuser;	/* counterparts, when one is needed; -1: not looked for */
	struct likely best;
	bool itself;		/* a baseline value after all */
};

static void consider_row(struct scaling *z, int base, rat scale)
{
	const states *s = z->s;
	struct likely x = { .m = { base, scale }, .distance = abs(base - z->at) };

	if (z->nuser < 0) {
		z->nuser = counterpart_users(s, z->row, z->user, 8);
		z->use = use_of(s, SIDE_DIST, z->row);
	}
	x.size = scale.den + (scale.num < 0 ? -scale.num : scale.num);
	x.used_alike = z->use != USE_UNKNOWN && use_of(s, SIDE_BASE, base) == z->use;
	x.counterpart = pair_row(s->q, SIDE_BASE, base)->inst->opcode == pair_row(s->q, SIDE_DIST, z->row)->inst->opcode &&
			among(base, z->user, z->nuser);
	x.as_operand = times_an_operand(s, z->row, scale);
	if (likelier(&x, &z->best))
		z->best = x;
}

/* No factor that anybody wrote: a literal was rounded. */
static bool is_rounding(rat scale)
{
	return fabs((double)scale.num / (double)scale.den - 1) < 0x1p-20;
}

/* The baseline rows whose core is of class x, where that has the key of p. */
static void consider(struct scaling *z, eg_id x)
{
	const struct side *d = &z->s->side[SIDE_BASE];
	int32_t r = state_chain(d, x)->first, left;
	struct prim q;
	rat scale;

	if (!r || !prim_of(z->s, x, &q) || q.key != z->p.key || !rat_div(&scale, z->p.c, q.c))
		return;
	z->itself = z->itself || is_rounding(scale);
	for (left = LONGEST; r && left && !z->itself; r = d->next[r - 1], left--)
		consider_row(z, r - 1, scale);
}

struct multiple state_multiple(const states *s, int row, eg_id core)
{
	const egraph *g = s->q->p->g;
	struct scaling z = { .s = s, .row = row, .at = state_order_before(s, row), .nuser = -1, .best = { .m = { -1, RAT_ONE } } };
	int left = LONGEST;
	eg_id reads;
	eg_use u;
	bool more;

	if (!prim_of(s, core, &z.p))
		return z.best.m;
	reads = eg_root(g, z.p.reads);
	consider(&z, reads);
	for (more = eg_use_first(g, reads, &u); more && left && !z.itself; left--) {
		if (core_kind(&s->q->p->a, u.owner) == C_SUM)
			consider(&z, eg_root(g, u.owner));
		more = eg_use_next(g, &u);
	}
	return z.itself ? (struct multiple){ -1, RAT_ONE } : z.best.m;
}

bool state_is_number(const states *s, enum program_side side, int row, rat *c)
{
	const algebra *a = &s->q->p->a;
	eg_id x = s->side[side].core[row], n = x == NIL ? NIL : normal_node(a, x);

	if (n == NIL || core_kind(a, n) != C_NUMBER)
		return false;
	*c = core_number(a, n).r;
	return true;
}

bool state_number(const states *s, enum program_side side, int row, rat *c)
{
	const struct row *r = pair_row(s->q, side, row);
	int k;

	if (r->inst->opcode != OP_MULTIPLY && r->inst->opcode != OP_DIVIDE)
		return false;
	for (k = 0; k < r->nop; k++)
		if (state_is_number(s, side, r->op[k], c))
			return true;
	return false;
}
