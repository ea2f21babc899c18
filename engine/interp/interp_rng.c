/* interp_rng.c - rng-bit-generator, bit for bit.
 *
 * Threefry-2x32 (20 rounds) and Philox-4x32 (10 rounds): Salmon et al.,
 * "Parallel random numbers: as easy as 1, 2, 3" (2011).  How counters are laid
 * over a shape follows XLA's expansion: threefry halves one dimension (the
 * first even one, else the largest, rounded up) and puts the two words of a
 * counter next to each other there; philox deals its four words out in order.
 */
#include <string.h>

#include "interp/interp_in.h"
#include "util/hash.h"

static uint32_t rotate(uint32_t v, int s)
{
	return v << s | v >> (32 - s);
}

static void threefry(const uint32_t key[2], uint32_t x[2])
{
	static const int rot[2][4] = { { 13, 15, 26, 6 }, { 17, 29, 16, 24 } };
	uint32_t k[3] = { key[0], key[1], key[0] ^ key[1] ^ 0x1bd11bda };
	uint32_t s;
	int j;

	x[0] += k[0];
	x[1] += k[1];
	for (s = 1; s <= 5; s++) {
		for (j = 0; j < 4; j++) {
			x[0] += x[1];
			x[1] = rotate(x[1], rot[(s - 1) % 2][j]) ^ x[0];
		}
		x[0] += k[s % 3];
		x[1] += k[(s + 1) % 3] + s;
	}
}

static void philox(const uint32_t key[2], uint32_t x[4])
{
	uint32_t k0 = key[0], k1 = key[1];
	int j;

	for (j = 0; j < 10; j++, k0 += 0x9e3779b9, k1 += 0xbb67ae85) {
		uint64_t p = (uint64_t)x[0] * 0xd2511f53, q = (uint64_t)x[2] * 0xcd9e8d57;
		uint32_t y[4] = { (uint32_t)(q >> 32) ^ x[1] ^ k0, (uint32_t)q, (uint32_t)(p >> 32) ^ x[3] ^ k1, (uint32_t)p };

		memcpy(x, y, sizeof y);
	}
}

/* The number with these bits in the generator's result type. */
static void put(tensor *t, int64_t at, uint64_t bits)
{
	int b = etype_bits(t->shape->type);

	if (t->f)
		t->f[at] = interp_from_bits(t->shape->type, b >= 64 ? bits : bits & (((uint64_t)1 << b) - 1));
	else
		t->i[at] = interp_wrap(t->shape->type, (int64_t)bits);
}

static int half_dimension(const shape *s)
{
	int k, best = 0;

	for (k = 0; k < s->rank; k++)
		if (s->dim[k] % 2 == 0)
			return k;
	for (k = 1; k < s->rank; k++)
		if (s->dim[k] > s->dim[best])
			best = k;
	return best;
}

static uint64_t threefry_bits(const shape *s, uint64_t key, uint64_t counter, tensor *t)
{
	uint32_t k[2] = { (uint32_t)key, (uint32_t)(key >> 32) }, x[2];
	bool wide = etype_bits(s->type) == 64;
	int d = s->rank && !wide ? half_dimension(s) : -1;
	int64_t n = t->n, inner = 1, at, j;
	int m;

	for (m = d + 1; d >= 0 && m < s->rank; m++)
		inner *= s->dim[m];
	for (at = 0; at < n; at++) {
		/* position in the halved shape, and which of the counter's words */
		int64_t p = d < 0 ? 0 : at / inner % s->dim[d], half = d < 0 ? 1 : (s->dim[d] + 1) / 2;
		int64_t c = d < 0 ? at : at / inner / s->dim[d] * half * inner + p / 2 * inner + at % inner;
		uint64_t u = counter + (uint64_t)c;

		x[0] = (uint32_t)u;
		x[1] = (uint32_t)(u >> 32);
		threefry(k, x);
		put(t, at, wide ? (uint64_t)x[1] << 32 | x[0] : d < 0 ? x[0] : x[p % 2]);
	}
	if (d < 0)
		return counter + (wide ? (uint64_t)n : 1);
	for (j = 1, m = 0; m < s->rank; m++)
		j *= m == d ? (s->dim[m] + 1) / 2 : s->dim[m];
	return counter + (uint64_t)j;
}

/* The counter, 128 bits, is stepped in place. */
static void philox_bits(uint64_t key, uint64_t counter[2], tensor *t)
{
	uint32_t k[2] = { (uint32_t)key, (uint32_t)(key >> 32) }, x[4];
	bool wide = etype_bits(t->shape->type) == 64;
	int64_t words = wide ? 2 * t->n : t->n, at;
	int j;

	for (at = 0; at < words; at += 4) {
		for (j = 0; j < 4; j++)
			x[j] = (uint32_t)(counter[j / 2] >> (j % 2 * 32));
		philox(k, x);
		for (j = 0; j < 4 && at + j < words; j++)
			if (!wide)
				put(t, at + j, x[j]);
			else if (j % 2 == 0)
				put(t, (at + j) / 2, (uint64_t)x[j + 1] << 32 | x[j]);
		counter[1] += ++counter[0] == 0;
	}
}

/* The backend's own algorithm: any function of state, shape and type will do. */
static uint64_t default_key(interp *r, const shape *s, uint64_t key)
{
	interp_assume(r, "rng_default is read as philox keyed by state, shape and type");
	return key ^ hash_bytes(s->dim, sizeof *s->dim * s->rank, (uint64_t)s->type + 1);
}

tensor *interp_rng(interp *r, const inst *i, tensor *const *a)
{
	const char *name = inst_text(i, "algorithm");
	const shape *s = i->shape->type == T_TUPLE && i->shape->n == 2 ? i->shape->elem[1] : i->shape;
	uint64_t c[2];
	tensor *bits, *state, *pair[2];

	if (!a[0]->i || a[0]->shape->type != T_U64 || a[0]->n < 2 || etype_bits(s->type) < 8 || etype_kind(s->type) == 'c')
		return interp_fail(r, i, "its state is not u64[2] or u64[3]");
	bits = interp_alloc(r, s);
	c[0] = (uint64_t)a[0]->i[1];
	c[1] = a[0]->n > 2 ? (uint64_t)a[0]->i[2] : 0;
	if (name && !strcmp(name, "rng_three_fry"))
		c[0] = threefry_bits(s, (uint64_t)a[0]->i[0], c[0], bits);
	else if (name && !strcmp(name, "rng_philox"))
		philox_bits((uint64_t)a[0]->i[0], c, bits);
	else
		philox_bits(default_key(r, s, (uint64_t)a[0]->i[0]), c, bits);
	if (s == i->shape)
		return bits;
	state = interp_alloc(r, i->shape->elem[0]);
	memcpy(state->i, a[0]->i, sizeof *state->i * (state->n < a[0]->n ? state->n : a[0]->n));
	state->i[1] = (int64_t)c[0];
	if (state->n > 2)
		state->i[2] = (int64_t)c[1];
	pair[0] = state;
	pair[1] = bits;
	return interp_tuple(i->shape, 2, pair);
}
