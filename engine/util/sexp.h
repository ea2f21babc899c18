/* sexp.h - the reader of rule files: tokens and lists with their places.
 *
 * A text becomes a list of forms in an arena; nothing is opened or printed.
 * Lexical rules are egglog's: `;` comments, strings with \n \t \\ \", a word
 * ends at white space, `;` or a parenthesis, and is a bool, an i64, an f64 or
 * a symbol.  Lines and columns count from 1, columns in bytes.  Nesting is
 * limited to SEXP_DEPTH, so that later walks may recurse.
 *
 * Errors: NULL, and `*error` is `file:line:column: message` in the arena.
 */
#ifndef DIVERGE_SEXP_H
#define DIVERGE_SEXP_H

#include "util/arena.h"

enum { SEXP_DEPTH = 5000 };

enum sexp_kind { SEXP_LIST, SEXP_SYMBOL, SEXP_STRING, SEXP_INT, SEXP_FLOAT, SEXP_BOOL };

typedef struct sexp {
	enum sexp_kind kind;
	uint32_t line, col;
	uint32_t n;		/* of a list: elements; of a string: bytes */
	const struct sexp *at;	/* of a list: its elements, in a row */
	const char *text;	/* the word, the string's content, or a list's own source text */
	union {
		int64_t i;	/* of an int or bool */
		double f;	/* of a float */
		const char *comment;	/* of a list: the comment lines straight before a top-level form, or before the forms straight above it, or "" */
	};
} sexp;

/* All forms of a text, as one list. */
const sexp *sexp_read(arena *a, const char *file, const char *text, size_t n, const char **error);

/* One form after the other: what is read of words, strings, comments and source texts stays in
 * `words`, the nodes stand in `lists` and the reader, which may forget them before the next.
 * NULL at the end of the text and at an error. */
typedef struct sexp_reader sexp_reader;
sexp_reader *sexp_open(arena *words, arena *lists, const char *file, const char *text, size_t n);
const sexp *sexp_next(sexp_reader *r, const char **error);
void sexp_close(sexp_reader *r);

/* `file:line:column: message` in the arena */
const char *sexp_error(arena *a, const char *file, const sexp *at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Such an error's message, without the place, which begins with the name of the file. */
const char *sexp_message(const char *error, const char *file);

static inline int sexp_is(const sexp *s, const char *word)
{
	const char *t = s->text;

	if (s->kind != SEXP_SYMBOL)
		return 0;
	while (*t && *t == *word)
		t++, word++;
	return *t == *word;
}

#endif
