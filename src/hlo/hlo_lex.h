/* hlo_lex.h - the characters of HLO text as words, numbers, strings and spans.
 *
 * The reader asks for what may stand here; a lexer function either takes it
 * and moves on, or leaves the position alone and says no, or (the ones named
 * want_) fails with file:line:column.  The text ends with a zero byte that is
 * not part of it, so no function looks for the end.  Spaces and comments may
 * stand between any two tokens; functions skip them before a token.
 */
#ifndef DIVERGE_HLO_LEX_H
#define DIVERGE_HLO_LEX_H

#include <string.h>
#include "hlo/hlo_build.h"

typedef struct lexer {
	builder *b;
	const char *text, *end;	/* *end == 0 */
	const char *p;
	const char *line_at;	/* where `line` begins */
	int line;
	const char *who;	/* not NULL: the text is none of a file, but made for this instruction */
	const char *odd;	/* an infinity, or nan, of a type that has none, to be warned of, */
	bool told_odd;		/* once */
} lexer;

enum { LEX_SPACE = 1, LEX_FIRST = 2, LEX_WORD = 4, LEX_DIGIT = 8 };
extern const unsigned char lex_class[256];
#define LEX_IS(c, what) (lex_class[(unsigned char)(c)] & (what))

typedef struct span {
	const char *s;
	size_t n;
} span;

static inline bool span_is(span s, const char *word)
{
	return s.n == strlen(word) && !memcmp(s.s, word, s.n);
}

void lex_init(lexer *l, builder *b, const char *text, size_t n);
/* Line and column of a place; takes as long as it is far from the last one. */
void lex_place(lexer *l, const char *at, int *line, int *column);
void lex_fail(lexer *l, const char *at, const char *fmt, ...)
	__attribute__((noreturn, format(printf, 3, 4)));
void lex_warn(lexer *l, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

void lex_comment(lexer *l);
static inline void lex_space(lexer *l)
{
	for (;;) {
		while (LEX_IS(*l->p, LEX_SPACE))
			l->p++;
		if (*l->p != '/')
			return;
		lex_comment(l);
	}
}

static inline char lex_peek(lexer *l)
{
	lex_space(l);
	return *l->p;
}

static inline bool lex_char(lexer *l, char c)
{
	if (lex_peek(l) != c)
		return false;
	l->p++;
	return true;
}

void want_char(lexer *l, char c);
/* An identifier; n is 0 if there is none.  It does not swallow the - of ->. */
span lex_word(lexer *l);
bool lex_keyword(lexer *l, const char *word);	/* the whole identifier */
span lex_name(lexer *l);			/* %name or name, the % dropped */
span want_word(lexer *l, const char *what);
span want_name(lexer *l, const char *what);
bool lex_int(lexer *l, int64_t *v);		/* with want_bits: unsigned ones of 64 bits as their bits */
int64_t want_bits(lexer *l);
int64_t want_int(lexer *l);
/* The text of a number, inf and nan included. */
span want_number(lexer *l);
/* The inside of "..." or '...', escapes as written. */
bool lex_string(lexer *l, span *s);
span want_quoted(lexer *l);
/* A copy of a string's inside, escapes resolved. */
char *lex_unescape(arena *a, const char *s, size_t n);
/* Likewise, once for each symbol. */
const char *lex_decode(lexer *l, sym *raw);
/* What stands from here to the bracket that closes the one here, both included. */
span want_brackets(lexer *l);
/* The value of an attribute, up to a comma or closing bracket outside of
 * brackets; and what else ends it: */
enum lex_value {
	LEX_WORD_VALUE,	/* a blank */
	LEX_LINE,	/* the end of the line */
	LEX_MESH	/* as LEX_WORD_VALUE, but a mesh ends behind its braces: mesh['a'=2] {'a'} */
};
span want_value(lexer *l, enum lex_value form);

#endif
