#include "util/spelling.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

bool spelling_listed(const char *s, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(s, *list))
			return true;
	return false;
}

enum { LEAST = 3 };	/* letters: of shorter words each is near many others */

/* Behind the first place where they differ. */
static bool rest_is_near(const char *x, const char *y)
{
	size_t n = strlen(x), m = strlen(y);

	if (n == m)
		return !strcmp(x + 1, y + 1) || (n > 1 && x[0] == y[1] && x[1] == y[0] && !strcmp(x + 2, y + 2));
	return (n == m + 1 && !strcmp(x + 1, y)) || (m == n + 1 && !strcmp(x, y + 1));
}

bool spelling_near(const char *x, const char *y)
{
	size_t n = strlen(x), m = strlen(y), k = 0;

	if (!strcasecmp(x, y))
		return true;
	while (x[k] && x[k] == y[k])
		k++;
	if ((n < m ? m : n) < LEAST || isdigit((unsigned char)x[k]) || isdigit((unsigned char)y[k]))
		return false;
	return rest_is_near(x + k, y + k);
}
