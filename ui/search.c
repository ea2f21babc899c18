#include "search.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool has_capital(const char *s)
{
	for (; *s; s++)
		if (isupper((unsigned char)*s))
			return true;
	return false;
}

bool search_set(struct search *p, const char *text, char *why, size_t n)
{
	struct search fresh = {0};
	int bad;

	if (strlen(text) >= SEARCH_MAX) {
		snprintf(why, n, "the pattern is longer than %d bytes", SEARCH_MAX - 1);
		return false;
	}
	strcpy(fresh.text, text);
	fresh.any_case = !has_capital(text);
	fresh.literal = !strpbrk(text, ".[]()*+?{}|^$\\");
	if (!fresh.literal) {
		bad = regcomp(&fresh.re, text, REG_EXTENDED | (fresh.any_case ? REG_ICASE : 0));
		if (bad) {
			snprintf(why, n, "'%s': ", text);
			regerror(bad, &fresh.re, why + strlen(why), n - strlen(why));
			return false;
		}
	}
	search_clear(p);
	*p = fresh;
	return true;
}

void search_clear(struct search *p)
{
	if (*p->text && !p->literal)
		regfree(&p->re);
	*p->text = 0;
}

bool search_on(const struct search *p)
{
	return *p->text;
}

static bool find_literal(const struct search *p, const char *s, size_t *from, size_t *to)
{
	const char *hit = p->any_case ? strcasestr(s, p->text) : strstr(s, p->text);

	if (!hit)
		return false;
	*from = (size_t)(hit - s);
	*to = *from + strlen(p->text);
	return true;
}

bool search_find(const struct search *p, const char *s, size_t *from, size_t *to)
{
	size_t a, b;
	regmatch_t m;

	if (!search_on(p))
		return false;
	from = from ? from : &a;
	to = to ? to : &b;
	if (p->literal)
		return find_literal(p, s, from, to);
	if (regexec(&p->re, s, 1, &m, 0))
		return false;
	*from = (size_t)m.rm_so;
	*to = (size_t)m.rm_eo;
	return true;
}
