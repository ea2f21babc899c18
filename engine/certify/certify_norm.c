/* certify_norm.c - what instructions mean, place by place: batch normalisation, whose
 * statistics are over all dimensions but the feature's. */
#include "certify/certify_tensor_in.h"

#include <string.h>
#include "core/literal.h"
struct norm {
	val n, sx, sdy, sdyc;	/* places, sums of x, of operand 4, of operand 4 times (x - mean) */
	val var;
};

static val less(val x, val y)
{
	return cv_add(TYPE_REAL, x, cv_scale(TYPE_REAL, (rat){ -1, 1 }, y));
}

static struct norm statistics(struct instr *q, int64_t feature, bool gradient)
{
	int64_t i[RANK] = { 0 }, fd = q->ints[1], n = q->in[0].elements / q->in[0].dim[fd], k, d, pass;
	struct norm s;
	val mean;

	s.n = cv_of_int(TYPE_REAL, n);
	s.sx = s.sdy = s.sdyc = s.var = cv_of_int(TYPE_REAL, 0);
	mean = gradient ? instr_at(q, 2, q->dev, feature) : s.sx;
	for (pass = gradient; pass < 2; pass++) {
		for (k = 0; k < n && world_pay(q->w, 4); k++) {
			val x, c;
			i[fd] = feature;
			x = instr_read(q, 0, q->dev, i);
			c = less(x, mean);
			if (!pass)
				s.sx = cv_add(TYPE_REAL, s.sx, x);
			else if (!gradient)
				s.var = cv_add(TYPE_REAL, s.var, cv_mul(TYPE_REAL, c, c));
			else {
				val dy = instr_read(q, 4, q->dev, i);
				s.sdy = cv_add(TYPE_REAL, s.sdy, dy);
				s.sdyc = cv_add(TYPE_REAL, s.sdyc, cv_mul(TYPE_REAL, dy, c));
			}
			for (d = q->in[0].rank - 1; d >= 0; d--) {
				if (d == fd)
					continue;
				if (++i[d] < q->in[0].dim[d])
					break;
				i[d] = 0;
			}
		}
		if (!pass)
			mean = s.sx = cv_scale(TYPE_REAL, (rat){ 1, n }, s.sx);
	}
	s.var = cv_scale(TYPE_REAL, (rat){ 1, n }, s.var);
	return s;
}

/* Epsilon is read as a literal is. */
static val epsilon(struct instr *q)
{
	double eps;
	number n;

	memcpy(&eps, &q->ints[2], sizeof eps);
	n = literal_number(NULL, T_F32, eps);
	return number_is_rat(n) ? cv_of_rat(n.r) : cv_of_double(eps);
}

static val inverse_deviation(struct instr *q, val var)
{
	int t = TYPE_REAL;
	val v = cv_add(t, var, epsilon(q));

	return cv_pow(t, cv_map("sqrt", t, &t, 1, &v), -1);
}

static val normalised(struct instr *q, val mean, val var, int64_t feature)
{
	val y = cv_mul(TYPE_REAL, less(instr_at(q, 0, q->dev, q->at), mean), inverse_deviation(q, var));

	y = cv_mul(TYPE_REAL, y, instr_at(q, 1, q->dev, feature));
	return cv_add(TYPE_REAL, y, instr_at(q, 2, q->dev, feature));
}

val does_batch_norm_training(struct instr *q)
{
	int64_t feature = q->ints[0] ? q->i[0] : q->i[q->ints[1]];
	struct norm s = statistics(q, feature, false);

	return q->ints[0] == 1 ? s.sx : q->ints[0] == 2 ? s.var : normalised(q, s.sx, s.var, feature);
}

val does_batch_norm_inference(struct instr *q)
{
	int64_t f = q->i[q->ints[1]];

	return normalised(q, instr_at(q, 3, q->dev, f), instr_at(q, 4, q->dev, f), f);
}

/* d_scale = r sum(dy c), d_offset = sum dy, dx = scale r (dy - sum(dy)/N - c r^2 sum(dy c)/N) */
val does_batch_norm_grad(struct instr *q)
{
	int64_t f = q->ints[0] ? q->i[0] : q->i[q->ints[1]];
	struct norm s = statistics(q, f, true);
	val r = inverse_deviation(q, instr_at(q, 3, q->dev, f)), c, d;
	int t = TYPE_REAL;
	rat inv = { 1, (int64_t)s.n.d };

	if (q->ints[0] == 2)
		return s.sdy;
	if (q->ints[0] == 1)
		return cv_mul(t, s.sdyc, r);
	c = less(instr_at(q, 0, q->dev, q->at), instr_at(q, 2, q->dev, f));
	c = cv_scale(t, inv, cv_mul(t, cv_mul(t, c, cv_mul(t, r, r)), s.sdyc));
	d = less(less(instr_at(q, 4, q->dev, q->at), cv_scale(t, inv, s.sdy)), c);
	return cv_mul(t, cv_mul(t, d, r), instr_at(q, 1, q->dev, f));
}
