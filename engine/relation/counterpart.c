/* counterpart.c - the baseline rows that a distributed row stands for, and their users (state_in.h). */
#include "relation/state_in.h"

#include <stdlib.h>
#include <string.h>

int counterparts(const states *s, int row, int *out, int max)
{
	const struct side *d = &s->side[SIDE_BASE];
	eg_id x = s->side[SIDE_DIST].core[row];
	int n = 0, seen = 0, at = s->rs[row].base, i;
	int32_t r;

	if (s->rs[row].kind != STATE_RELATED || s->rs[row].note || x == NIL) {	/* its core is none of the baseline's */
		if ((s->rs[row].verified || s->rs[row].kind == STATE_SCALED) && at >= 0)
			out[n++] = at;
		return n;
	}
	for (r = state_chain(d, eg_root(s->q->p->g, x))->first; r && seen < 1024; r = d->next[r - 1], seen++) {
		int far = abs(r - 1 - at);
		if (n == max && abs(out[n - 1] - at) <= far)
			continue;
		for (i = n < max ? n++ : n - 1; i > 0 && abs(out[i - 1] - at) > far; i--)
			out[i] = out[i - 1];
		out[i] = r - 1;
	}
	return n;
}

struct consumer {
	int row, hits, distance;
	int ordinal;		/* how many users of that operation stand before it, less the same of the distributed row */
	bool opcode, name;	/* the same operation; said to come from the same place of the model */
};

static bool nearer(const struct consumer *x, const struct consumer *y)
{
	if (x->opcode != y->opcode)
		return x->opcode;
	if (x->hits != y->hits)
		return x->hits > y->hits;
	if (x->name != y->name)
		return x->name;
	if (x->ordinal != y->ordinal)
		return x->ordinal < y->ordinal;
	return x->distance < y->distance;
}

/* Its place among the users of one row that do the same operation. */
static int ordinal(const struct side *d, int of, int row)
{
	enum opcode op = d->p->row[row].inst->opcode;
	int j, n = 0;

	for (j = d->use_at[of]; j < d->use_at[of + 1] && d->use[j] < row && n < 64; j++)
		n += d->p->row[d->use[j]].inst->opcode == op;
	return n;
}

#define CONSUMERS 256

static struct consumer consumer_of(const states *s, int u, int of, int row, int operand, int at)
{
	const struct row *r = pair_row(s->q, SIDE_DIST, row), *b = pair_row(s->q, SIDE_BASE, u);
	const char *x = b->inst->op_name, *y = r->inst->op_name;

	return (struct consumer){ u, 0, abs(u - at), abs(ordinal(&s->side[SIDE_BASE], of, u) - ordinal(&s->side[SIDE_DIST], operand, row)),
				  b->inst->opcode == r->inst->opcode, x && y ? !strcmp(x, y) : !strcmp(b->path, r->path) };
}

static int consumers(const states *s, int row, bool constants, struct consumer *c)
{
	const struct side *d = &s->side[SIDE_BASE];
	const struct row *r = pair_row(s->q, SIDE_DIST, row);
	int k, i, j, m, n = 0, base[16], nb, at = state_order_before(s, row);

	for (k = 0; k < r->nop; k++) {
		if (!constants && s->rs[r->op[k]].constant)
			continue;
		for (i = 0; i < k && r->op[i] != r->op[k]; i++)
			;
		if (i < k)
			continue;
		nb = counterparts(s, r->op[k], base, 16);
		for (i = 0; i < nb; i++)
			for (j = d->use_at[base[i]]; j < d->use_at[base[i] + 1]; j++) {
				int u = d->use[j];
				for (m = 0; m < n && c[m].row != u; m++)
					;
				if (m == n && n == CONSUMERS)
					continue;
				if (m == n)
					c[n++] = consumer_of(s, u, base[i], row, r->op[k], at);
				c[m].hits++;
			}
	}
	return n;
}

int counterpart_users(const states *s, int row, int *out, int max)
{
	struct consumer c[CONSUMERS];
	int n = consumers(s, row, false, c), i, k, m = 0;

	if (!n)
		n = consumers(s, row, true, c);
	for (m = 0; m < max && m < n; m++) {
		for (k = m, i = m + 1; i < n; i++)
			if (nearer(&c[i], &c[k]))
				k = i;
		struct consumer t = c[m];
		c[m] = c[k];
		c[k] = t;
		out[m] = c[m].row;
	}
	return m;
}

/* Of the size of a distributed row, or of what all devices have of it. */
static bool as_large(const states *s, int row, const struct row *b)
{
	int64_t n = row_elements(pair_row(s->q, SIDE_DIST, row));

	return row_elements(b) == n || row_elements(b) == n * axes_size(&s->q->ms, row_axes(s, row));
}

/* Rows of the same operation and size that stand before it and are not verified either. */
static int open_before(const states *s, int row)
{
	const struct row *p = s->q->dist->row;
	int i, n = 0;

	for (i = state_next_bit(s->open, 0, row); i < row; i = state_next_bit(s->open, i + 1, row))
		n += p[i].inst->opcode == p[row].inst->opcode && row_elements(&p[i]) == row_elements(&p[row]);
	return n;
}

int counterpart_alike(const states *s, int row)
{
	enum opcode op = pair_row(s->q, SIDE_DIST, row)->inst->opcode;
	int left = open_before(s, row), last = -1, b;

	for (b = 0; b < s->q->base->nrow && left >= 0; b++)
		if (s->q->base->row[b].inst->opcode == op && state_partner(s, b) < 0 && as_large(s, row, &s->q->base->row[b])) {
			last = b;
			left--;
		}
	return last;
}
