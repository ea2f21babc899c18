#include "hlo/hlo_lex.h"

#include <stdio.h>
#include <string.h>

#define F (LEX_FIRST | LEX_WORD)
#define D (LEX_WORD | LEX_DIGIT)
const unsigned char lex_class[256] = {
	[' '] = LEX_SPACE, ['\t'] = LEX_SPACE, ['\n'] = LEX_SPACE, ['\r'] = LEX_SPACE, ['\f'] = LEX_SPACE,
	['0'] = D, ['1'] = D, ['2'] = D, ['3'] = D, ['4'] = D, ['5'] = D, ['6'] = D, ['7'] = D, ['8'] = D, ['9'] = D,
	['A'] = F, ['B'] = F, ['C'] = F, ['D'] = F, ['E'] = F, ['F'] = F, ['G'] = F, ['H'] = F, ['I'] = F, ['J'] = F,
	['K'] = F, ['L'] = F, ['M'] = F, ['N'] = F, ['O'] = F, ['P'] = F, ['Q'] = F, ['R'] = F, ['S'] = F, ['T'] = F,
	['U'] = F, ['V'] = F, ['W'] = F, ['X'] = F, ['Y'] = F, ['Z'] = F,
	['a'] = F, ['b'] = F, ['c'] = F, ['d'] = F, ['e'] = F, ['f'] = F, ['g'] = F, ['h'] = F, ['i'] = F, ['j'] = F,
	['k'] = F, ['l'] = F, ['m'] = F, ['n'] = F, ['o'] = F, ['p'] = F, ['q'] = F, ['r'] = F, ['s'] = F, ['t'] = F,
	['u'] = F, ['v'] = F, ['w'] = F, ['x'] = F, ['y'] = F, ['z'] = F,
	['_'] = F, ['.'] = LEX_WORD, ['-'] = LEX_WORD,
};
#undef F
#undef D

void lex_init(lexer *l, builder *b, const char *text, size_t n)
{
	l->b = b;
	l->text = l->p = l->line_at = text;
	l->end = text + n;
	l->line = 1;
	l->who = l->odd = NULL;
	l->told_odd = false;
}

void lex_place(lexer *l, const char *at, int *line, int *column)
{
	const char *nl;

	if (l->who) {
		*line = *column = 0;
		return;
	}
	while (at < l->line_at) {	/* back to the line before */
		nl = memrchr(l->text, '\n', l->line_at - 1 - l->text);
		l->line_at = nl ? nl + 1 : l->text;
		l->line--;
	}
	while ((nl = memchr(l->line_at, '\n', at - l->line_at))) {
		l->line_at = nl + 1;
		l->line++;
	}
	*line = l->line;
	*column = (int)(at - l->line_at) + 1;
}

void lex_fail(lexer *l, const char *at, const char *fmt, ...)
{
	char why[512];
	int line, column;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	lex_place(l, at, &line, &column);
	if (l->who)
		build_fail(l->b, 0, 0, "%%%s: %s", l->who, why);
	build_fail(l->b, line, column, "%s", why);
}

void lex_warn(lexer *l, const char *at, const char *fmt, ...)
{
	char why[512];
	int line, column;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof why, fmt, ap);
	va_end(ap);
	lex_place(l, at, &line, &column);
	build_warn(l->b, line, column, "%s", why);
}

void lex_comment(lexer *l)
{
	const char *close;

	if (l->p[1] == '/') {
		close = memchr(l->p, '\n', l->end - l->p);
		l->p = close ? close : l->end;
	} else if (l->p[1] == '*') {
		close = strstr(l->p + 2, "*/");
		if (!close)
			lex_fail(l, l->p, "the comment does not end");
		l->p = close + 2;
	} else {
		lex_fail(l, l->p, "a / that begins no comment");
	}
}

/* How a place in the text looks in a message. */
static const char *seen(lexer *l, char *buf, size_t n)
{
	const char *p = l->p, *e = p;

	if (p >= l->end)
		return "the end of the file";
	if (!LEX_IS(*e, LEX_WORD) && !diag_character(e, (size_t)(l->end - e))) {
		snprintf(buf, n, "the byte %02x", (unsigned char)*e);
		return buf;
	}
	if (LEX_IS(*e, LEX_WORD))
		while (LEX_IS(*e, LEX_WORD) && e - p < 40)
			e++;
	else
		e += diag_character(e, (size_t)(l->end - e));
	snprintf(buf, n, "'%.*s'", (int)(e - p), p);
	return buf;
}

void want_char(lexer *l, char c)
{
	char buf[64];

	if (!lex_char(l, c))
		lex_fail(l, l->p, "expected '%c', found %s", c, seen(l, buf, sizeof buf));
}

static span word_here(lexer *l, int first)
{
	span w = { l->p, 0 };

	if (!LEX_IS(*l->p, first))
		return w;
	while (LEX_IS(*l->p, LEX_WORD) && (*l->p != '-' || l->p[1] != '>'))
		l->p++;
	w.n = l->p - w.s;
	return w;
}

span lex_word(lexer *l)
{
	lex_space(l);
	return word_here(l, LEX_FIRST);
}

bool lex_keyword(lexer *l, const char *word)
{
	const char *back;
	span w;

	lex_space(l);
	back = l->p;
	w = word_here(l, LEX_FIRST);
	if (span_is(w, word))
		return true;
	l->p = back;
	return false;
}

span lex_name(lexer *l)
{
	lex_space(l);
	if (*l->p == '%') {
		l->p++;
		return word_here(l, LEX_WORD);
	}
	return word_here(l, LEX_FIRST);
}

static span wanted(lexer *l, span w, const char *what)
{
	char buf[64];

	if (!w.n)
		lex_fail(l, l->p, "expected %s, found %s", what, seen(l, buf, sizeof buf));
	return w;
}

span want_word(lexer *l, const char *what)
{
	return wanted(l, lex_word(l), what);
}

span want_name(lexer *l, const char *what)
{
	return wanted(l, lex_name(l), what);
}

/* Unsigned 64-bit numbers are taken as their bits. */
bool lex_int(lexer *l, int64_t *v)
{
	const char *p;
	uint64_t u = 0;
	bool neg, over = false;

	lex_space(l);
	p = l->p;
	neg = *p == '-';
	p += neg;
	if (!LEX_IS(*p, LEX_DIGIT))
		return false;
	for (; LEX_IS(*p, LEX_DIGIT); p++) {
		over |= __builtin_mul_overflow(u, (uint64_t)10, &u);
		over |= __builtin_add_overflow(u, (uint64_t)(*p - '0'), &u);
	}
	if (over || (neg && u > (uint64_t)1 << 63))
		lex_fail(l, l->p, "the number does not fit into 64 bits");
	*v = (int64_t)(neg ? 0 - u : u);
	l->p = p;
	return true;
}

int64_t want_bits(lexer *l)
{
	char buf[64];
	int64_t v;

	if (!lex_int(l, &v))
		lex_fail(l, l->p, "expected an integer, found %s", seen(l, buf, sizeof buf));
	return v;
}

int64_t want_int(lexer *l)
{
	const char *at;
	int64_t v;

	lex_space(l);
	at = l->p;
	v = want_bits(l);
	if (v < 0 && *at != '-')
		lex_fail(l, at, "the number does not fit into 64 bits");
	return v;
}

span want_number(lexer *l)
{
	char buf[64];
	span w;

	lex_space(l);
	w.s = l->p;
	if (*l->p == '-')
		l->p++;
	if (LEX_IS(*l->p, LEX_FIRST)) {
		while (LEX_IS(*l->p, LEX_FIRST))
			l->p++;
		if (*l->p == '(')
			want_brackets(l);
	} else {
		while (LEX_IS(*l->p, LEX_DIGIT) || *l->p == '.')
			l->p++;
		if (l->p > w.s && (*l->p == 'e' || *l->p == 'E')) {
			l->p++;
			if (*l->p == '-' || *l->p == '+')
				l->p++;
			while (LEX_IS(*l->p, LEX_DIGIT))
				l->p++;
		}
	}
	w.n = l->p - w.s;
	if (!w.n)
		lex_fail(l, l->p, "expected a number, found %s", seen(l, buf, sizeof buf));
	return w;
}

/* Is the character here taken as it is, because a backslash stands before it? */
static bool escaped(const char *begin, const char *p)
{
	const char *b = p;

	while (b > begin && b[-1] == '\\')
		b--;
	return (p - b) & 1;
}

/* From an opening quote to behind the closing one.  Stacks of frames make for
 * long strings: they are searched, not walked through. */
static void skip_string(lexer *l)
{
	const char *begin = l->p + 1, *p = begin;

	while ((p = memchr(p, begin[-1], l->end - p)) && escaped(begin, p))
		p++;
	if (!p || memchr(begin, '\n', p - begin))
		lex_fail(l, l->p, "the string does not end on its line");
	l->p = p + 1;
}

bool lex_string(lexer *l, span *s)
{
	lex_space(l);
	if (*l->p != '"' && *l->p != '\'')
		return false;
	s->s = l->p + 1;
	skip_string(l);
	s->n = l->p - 1 - s->s;
	return true;
}

span want_quoted(lexer *l)
{
	char buf[64];
	span s;

	if (!lex_string(l, &s))
		lex_fail(l, l->p, "expected a string, found %s", seen(l, buf, sizeof buf));
	return s;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static char escape(const char **p, const char *end)
{
	const char *s = *p;
	int v = 0, k;

	if (*s == 'x') {
		for (k = 1; k < 3 && s + k < end && hex(s[k]) >= 0; k++)
			v = v * 16 + hex(s[k]);
		*p = s + k;
		return (char)v;
	}
	if (*s >= '0' && *s <= '7') {
		for (k = 0; k < 3 && s + k < end && s[k] >= '0' && s[k] <= '7'; k++)
			v = v * 8 + s[k] - '0';
		*p = s + k;
		return (char)v;
	}
	*p = s + 1;
	switch (*s) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	default: return *s;
	}
}

char *lex_unescape(arena *a, const char *s, size_t n)
{
	const char *end = s + n, *stop;
	char *text = arena_alloc(a, n + 1), *q = text;

	while ((stop = memchr(s, '\\', end - s)) && stop + 1 < end) {
		memcpy(q, s, stop - s);
		q += stop - s;
		s = stop + 1;
		*q = escape(&s, end);
		q += *q != 0;	/* a zero byte would cut the string short */
	}
	memcpy(q, s, end - s);
	q[end - s] = 0;
	return text;
}

const char *lex_decode(lexer *l, sym *raw)
{
	if (!raw->decoded)
		raw->decoded = memchr(raw->s, '\\', raw->n) ? lex_unescape(l->b->a, raw->s, raw->n) : raw->s;
	return raw->decoded;
}

/* Inside brackets: strings are skipped whole, comments too. */
static void skip_brackets(lexer *l)
{
	const char *begin = l->p;
	int depth = 0;

	do {
		switch (*l->p) {
		case '(': case '[': case '{':
			depth++;
			l->p++;
			break;
		case ')': case ']': case '}':
			depth--;
			l->p++;
			break;
		case '"':
			skip_string(l);
			break;
		case '/':
			if (l->p[1] == '*')
				lex_comment(l);
			else
				l->p++;
			break;
		case 0:
			lex_fail(l, begin, "the bracket is not closed");
		default:
			l->p++;
		}
	} while (depth > 0);
}

span want_brackets(lexer *l)
{
	span s;

	lex_space(l);
	s.s = l->p;
	if (*l->p != '{' && *l->p != '(' && *l->p != '[')
		want_char(l, '{');
	skip_brackets(l);
	s.n = l->p - s.s;
	return s;
}

/* Up to a comma, a closing bracket or a blank outside of brackets; with
 * `spaces`, blanks belong to the value up to the end of the line. */
static span plain_value(lexer *l, bool spaces)
{
	const char *begin = l->p, *end;

	for (;;) {
		char c = *l->p;

		if (c == '(' || c == '[' || c == '{')
			skip_brackets(l);
		else if (c == '"')
			skip_string(l);
		else if (c == ',' || c == ')' || c == ']' || c == '}' || c == '\n' || l->p >= l->end ||
			 (LEX_IS(c, LEX_SPACE) && !spaces) || (c == '/' && (l->p[1] == '/' || l->p[1] == '*')))
			break;
		else
			l->p++;
	}
	for (end = l->p; end > begin && LEX_IS(end[-1], LEX_SPACE); end--)
		;
	return (span){ begin, end - begin };
}

/* mesh['a'=2,'b'=4], device_ids=(..) {'a'}: ends behind the braces. */
static span mesh_value(lexer *l)
{
	const char *begin = l->p;

	while (*l->p != '{' && *l->p != '\n' && l->p < l->end) {
		if (*l->p == '[' || *l->p == '(')
			skip_brackets(l);
		else
			l->p++;
	}
	if (*l->p == '{')
		skip_brackets(l);
	return (span){ begin, l->p - begin };
}

span want_value(lexer *l, enum lex_value form)
{
	char buf[64];
	span v;

	lex_space(l);
	if (form == LEX_MESH && (LEX_IS(*l->p, LEX_FIRST) || *l->p == '@'))
		v = mesh_value(l);
	else
		v = plain_value(l, form == LEX_LINE);
	if (!v.n)
		lex_fail(l, l->p, "expected a value, found %s", seen(l, buf, sizeof buf));
	return v;
}
