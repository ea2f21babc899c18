/* words.h - a small text file as words, each with its place.
 *
 * Words are separated by blanks and line ends; `#` begins a comment that ends
 * with its line; a word in double quotes may hold anything, with \" \\ \n for
 * quotes, backslashes and line ends.  A word's text lives in the reader's arena.
 */
#ifndef DIVERGE_WORDS_H
#define DIVERGE_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "text/diag.h"
#include "util/arena.h"

struct words {
	arena *a;
	struct diag *err;
	const char *file;
	const char *at, *end, *line_begin;
	int line;		/* of `at` */
	/* the word read last; "" at the end of the file */
	const char *word;
	size_t n;
	int word_line, word_column;
	bool quoted, first;	/* first: the first one of its line */
};

/* The text has to outlive the words; reads the first word. */
bool words_open(struct words *w, arena *a, const char *file, const char *text, size_t n, struct diag *err);
bool words_next(struct words *w);			/* false: an open quotation, and the diag is filled */
bool words_end(const struct words *w);			/* no word is left */
bool words_are(const struct words *w, const char *s);	/* the word is s, without quotes */
/* These fill the diag and return false when it is something else; else the next word is read. */
bool words_expect(struct words *w, const char *s);
bool words_begin(struct words *w, const char *kind);	/* `diverge KIND`, which says what file it is */
bool words_int(struct words *w, const char *what, int64_t least, int64_t most, int64_t *v);
bool words_double(struct words *w, const char *what, double *v);
bool words_text(struct words *w, const char *what, const char **s);	/* quoted or not */
/* At the word read last; returns false. */
bool words_fail(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- writing: what reads back as the same */
void words_put_text(FILE *f, const char *s);	/* in quotes */
void words_put_double(FILE *f, double v);	/* as few digits as that takes */

#endif
