#include "util/integers.h"

bool integers_have(const int64_t *v, int n, int64_t x)
{
	int i;

	for (i = 0; i < n; i++)
		if (v[i] == x)
			return true;
	return false;
}

bool integers_distinct(const int64_t *v, int n, int64_t below)
{
	int k;

	for (k = 0; k < n; k++)
		if (v[k] < 0 || v[k] >= below || integers_have(v, k, v[k]))
			return false;
	return true;
}

int64_t integers_product(const int64_t *v, int n)
{
	int64_t r = 1;
	int k;

	for (k = 0; k < n; k++)
		r *= v[k];
	return r;
}

int integers_compare(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return a < b ? -1 : a > b;
}

bool integers_permute(int *p, int n)
{
	int i = n - 2, j = n - 1, t;

	while (i >= 0 && p[i] >= p[i + 1])
		i--;
	if (i < 0) {	/* back to the first one */
		for (i = 0; i < n / 2; i++) {
			t = p[i];
			p[i] = p[n - 1 - i];
			p[n - 1 - i] = t;
		}
		return false;
	}
	while (p[j] <= p[i])
		j--;
	t = p[i];
	p[i] = p[j];
	p[j] = t;
	for (i++, j = n - 1; i < j; i++, j--) {
		t = p[i];
		p[i] = p[j];
		p[j] = t;
	}
	return true;
}
