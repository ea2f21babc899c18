#include "util/hash.h"

#include <string.h>

uint64_t hash_word(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

/* The last n < 8 bytes of a text, read as 8 with zeros behind them. */
static uint64_t last_word(const unsigned char *s, size_t n)
{
	uint64_t w = 0;
	uint32_t four;
	uint16_t two;
	size_t k = 0;

	if (n & 4) {
		memcpy(&four, s, 4);
		w = four;
		k = 4;
	}
	if (n & 2) {
		memcpy(&two, s + k, 2);
		w |= (uint64_t)two << 8 * k;
		k += 2;
	}
	return n & 1 ? w | (uint64_t)s[k] << 8 * k : w;
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
	const unsigned char *s = p;
	uint64_t h = seed ^ HASH_BEGIN, w;
	size_t left = n;

	for (; left >= 8; s += 8, left -= 8) {
		memcpy(&w, s, 8);
		h = hash_mix(h ^ w, HASH_STEP);
	}
	return hash_mix(h ^ last_word(s, left) ^ n, HASH_END);
}
