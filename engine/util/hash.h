/* hash.h - hashes of words and bytes: the same in every run, with no seed from the outside.
 */
#ifndef DIVERGE_HASH_H
#define DIVERGE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* wyhash-like mixing */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	__uint128_t r = (__uint128_t)a * b;

	return (uint64_t)r ^ (uint64_t)(r >> 64);
}

#define HASH_BEGIN 0x9e3779b97f4a7c15ull
#define HASH_STEP 0xa0761d6478bd642full
#define HASH_END 0xe7037ed1a0b428dbull

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
uint64_t hash_word(uint64_t x);	/* one-to-one: the finaliser of splitmix64 */

/* hash_bytes of three words */
static inline uint64_t hash_three(uint64_t x, uint64_t y, uint64_t z, uint64_t seed)
{
	uint64_t h = hash_mix(seed ^ HASH_BEGIN ^ x, HASH_STEP);

	h = hash_mix(h ^ y, HASH_STEP);
	h = hash_mix(h ^ z, HASH_STEP);
	return hash_mix(h ^ 3 * sizeof(uint64_t), HASH_END);
}

#endif
