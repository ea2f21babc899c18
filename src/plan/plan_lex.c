#include "plan/plan_lex.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "util/rational.h"

bool plan_fail_at(struct plan_reader *r, const char *where, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_vset(r->diag, r->plan->file, r->line, (int)(where - r->begin) + 1, fmt, ap);
	va_end(ap);
	return false;
}

/* ---- characters and words */

void plan_skip_blanks(struct plan_reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
		r->at++;
}

bool plan_at_end(struct plan_reader *r)
{
	plan_skip_blanks(r);
	return r->at == r->end;
}

int plan_rest(const struct plan_reader *r)
{
	int n = 0, step;

	while (r->at + n < r->end && n < 60) {
		step = diag_character(r->at + n, (size_t)(r->end - r->at) - (size_t)n);
		n += step ? step : 1;
	}
	return n;
}

bool plan_cannot_read(struct plan_reader *r)
{
	return plan_fail_at(r, r->at, "cannot read '%.*s'", plan_rest(r), r->at);
}

bool plan_expected(struct plan_reader *r, const char *what)
{
	if (plan_at_end(r))
		return plan_fail_at(r, r->at, "%s expected at the end of the line", what);
	return plan_fail_at(r, r->at, "%s expected, not '%.*s'", what, plan_rest(r), r->at);
}

bool plan_accept(struct plan_reader *r, const char *s)
{
	size_t n = strlen(s);

	plan_skip_blanks(r);
	if ((size_t)(r->end - r->at) < n || memcmp(r->at, s, n))
		return false;
	r->at += n;
	return true;
}

bool plan_expect(struct plan_reader *r, const char *s)
{
	char what[8];

	if (plan_accept(r, s))
		return true;
	snprintf(what, sizeof what, "'%s'", s);
	return plan_expected(r, what);
}

static bool word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Length of the word that begins here; 0 if none does. */
size_t plan_word_length(struct plan_reader *r)
{
	const char *s;

	plan_skip_blanks(r);
	s = r->at;
	if (s == r->end || !(isalpha((unsigned char)*s) || *s == '_'))
		return 0;
	while (s < r->end && word_byte(*s))
		s++;
	return (size_t)(s - r->at);
}

bool plan_accept_word(struct plan_reader *r, const char *s)
{
	size_t n = plan_word_length(r);

	if (n != strlen(s) || memcmp(r->at, s, n))
		return false;
	r->at += n;
	return true;
}

char *plan_copy(struct plan_reader *r, const char *s, size_t n)
{
	char *to = arena_alloc(r->arena, n + 1);

	memcpy(to, s, n);
	to[n] = 0;
	return to;
}

/* The next word, copied; NULL if there is none. */
char *plan_take_word(struct plan_reader *r)
{
	size_t n = plan_word_length(r);
	char *s;

	if (!n)
		return NULL;
	s = plan_copy(r, r->at, n);
	r->at += n;
	return s;
}

/* ---- numbers */

bool plan_read_int(struct plan_reader *r, const char *what, int64_t *v)
{
	const char *s;
	bool minus;
	uint64_t u = 0;

	plan_skip_blanks(r);
	s = r->at;
	minus = s < r->end && *s == '-';
	s += minus;
	if (s == r->end || !isdigit((unsigned char)*s))
		return plan_expected(r, what);
	for (; s < r->end && isdigit((unsigned char)*s); s++) {
		if (u > (INT64_MAX - (uint64_t)(*s - '0')) / 10)
			return plan_fail_at(r, r->at, "a number of more than 63 bits");
		u = u * 10 + (uint64_t)(*s - '0');
	}
	if (s < r->end && (word_byte(*s) && *s != '-'))
		return plan_expected(r, what);
	r->at = s;
	*v = minus ? -(int64_t)u : (int64_t)u;
	return true;
}

bool plan_read_at_least(struct plan_reader *r, const char *what, int64_t least, int64_t *v)
{
	const char *s;

	plan_skip_blanks(r);
	s = r->at;
	if (!plan_read_int(r, what, v))
		return false;
	if (*v < least)
		return plan_fail_at(r, s, "%s is at least %lld", what, (long long)least);
	return true;
}

bool plan_read_dim(struct plan_reader *r, int *dim)
{
	const char *s;
	int64_t v;

	plan_skip_blanks(r);
	s = r->at;
	if (!plan_read_at_least(r, "a dimension", 0, &v))
		return false;
	if (v > INT_MAX)
		return plan_fail_at(r, s, "no tensor has dimension %lld", (long long)v);
	*dim = (int)v;
	return true;
}

/* A comma-separated list, up to the closing parenthesis; `least` bounds each. */
bool plan_read_list(struct plan_reader *r, const char *what, int64_t least, struct plan_step *s)
{
	int64_t v, *to;

	r->ints.n = 0;
	do {
		if (!plan_read_at_least(r, what, least, &v))
			return false;
		*(int64_t *)vec_push(&r->ints) = v;
	} while (plan_accept(r, ","));
	s->n = (int)r->ints.n;
	to = ARENA_ARRAY(r->arena, int64_t, s->n);
	memcpy(to, r->ints.base, (size_t)s->n * sizeof *to);
	s->v = to;
	return true;
}

/* Digits behind a point move into the denominator. */
static bool read_decimals(struct plan_reader *r, const char *s, bool minus, int64_t *num, int64_t *den)
{
	for (r->at++; r->at < r->end && isdigit((unsigned char)*r->at); r->at++)
		if (__builtin_mul_overflow(*num, 10, num) ||
		    __builtin_add_overflow(*num, minus ? '0' - *r->at : *r->at - '0', num) ||
		    __builtin_mul_overflow(*den, 10, den))
			return plan_fail_at(r, s, "a number of more than 63 bits");
	return true;
}

/* 4, -4, 1/4 or 0.25, exactly. */
bool plan_read_rational(struct plan_reader *r, int64_t *num, int64_t *den)
{
	const char *s;
	int64_t g;
	bool minus;

	plan_skip_blanks(r);
	s = r->at;
	minus = s < r->end && *s == '-';
	*den = 1;
	if (!plan_read_int(r, "a number", num))
		return false;
	if (r->at < r->end && *r->at == '.') {
		if (!read_decimals(r, s, minus, num, den))
			return false;
	} else if (plan_accept(r, "/") && !plan_read_at_least(r, "a denominator", 1, den)) {
		return false;
	}
	if (!*num)
		return plan_fail_at(r, s, "scale by 0 forgets the value");
	g = gcd64(*num, *den);
	*num /= g;
	*den /= g;
	return true;
}

/* ---- references */

static bool ref_byte(const struct plan_reader *r, const char *s)
{
	if (s == r->end || isblank((unsigned char)*s) || *s == '=' || *s == '>')
		return false;
	return !(*s == '<' && s + 1 < r->end && s[1] == '-');
}

static bool read_quoted(struct plan_reader *r, struct plan_ref *ref)
{
	const char *s = r->at + 1, *e = s;

	while (e < r->end && *e != '"')
		e++;
	if (e == r->end)
		return plan_fail_at(r, r->at, "a name without its closing quote");
	if (e == s)
		return plan_fail_at(r, r->at, "a name is empty");
	ref->kind = PLAN_REF_NAME;
	ref->text = plan_copy(r, s, (size_t)(e - s));
	r->at = e + 1;
	return true;
}

static bool ref_number(struct plan_reader *r, const char *s, size_t n, struct plan_ref *ref)
{
	int64_t v = 0;
	size_t i;

	for (i = 0; i < n && v <= INT_MAX; i++)
		v = v * 10 + (s[i] - '0');
	if (v > INT_MAX)
		return plan_fail_at(r, s, "no program has number %.*s", plan_rest(r) < (int)n ? plan_rest(r) : (int)n, s);
	ref->kind = PLAN_REF_NUMBER;
	ref->number = (int)v;
	return true;
}

bool plan_read_ref(struct plan_reader *r, struct plan_ref *ref)
{
	const char *s, *e;
	size_t n, digits = 0;

	plan_skip_blanks(r);
	s = e = r->at;
	ref->column = (int)(s - r->begin) + 1;
	if (s < r->end && *s == '"')
		return read_quoted(r, ref);
	for (; ref_byte(r, e); e++)
		digits += isdigit((unsigned char)*e) != 0;
	n = (size_t)(e - s);
	if (!n || (n == 1 && *s == '%'))
		return plan_expected(r, "a number or a name");
	if (digits == n && !ref_number(r, s, n, ref))
		return false;
	if (digits < n) {
		ref->kind = *s == '%' ? PLAN_REF_INSTRUCTION : PLAN_REF_NAME;
		s += *s == '%';
		ref->text = plan_copy(r, s, (size_t)(e - s));
		ref->glob = strpbrk(ref->text, "*?") != NULL;
	}
	r->at = e;
	return true;
}

bool plan_read_instruction(struct plan_reader *r, struct plan_ref *ref)
{
	plan_skip_blanks(r);
	if (r->at == r->end || *r->at != '%')
		return plan_expected(r, "an instruction's %name");
	if (!plan_read_ref(r, ref))
		return false;
	if (ref->glob)
		return plan_fail_at(r, r->begin + ref->column - 1, "an instruction is named in full here, without * and ?");
	return true;
}
