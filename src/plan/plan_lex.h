/* plan_lex.h - words, numbers and references of a plan's line.
 *
 * Shared by the files that read plans (plan.c, plan_chain.c); nobody else
 * includes it.  One line is read at a time: `at` moves from `begin` to `end`,
 * where the comment or the line ends.  plan_read_ and plan_expect functions
 * return false after they have filled the diag; the first failure ends
 * everything.  Blanks may stand before every word.
 */
#ifndef DIVERGE_PLAN_LEX_H
#define DIVERGE_PLAN_LEX_H

#include "plan/plan.h"

struct plan_reader {
	arena *arena;
	struct plan *plan;
	struct diag *diag;
	const char *begin, *at, *end;
	int line;
	vec lines, steps, ints, axes;	/* of plan_line, plan_step, int64_t, plan_axis */
	uint32_t *table;		/* what was said before: indices into `lines` plus one */
	uint32_t mask;
	bool *used;			/* axes met in this chain */
};

bool plan_fail_at(struct plan_reader *r, const char *where, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool plan_cannot_read(struct plan_reader *r);			/* cannot read 'the rest' */
bool plan_expected(struct plan_reader *r, const char *what);	/* what expected, not 'the rest' */

void plan_skip_blanks(struct plan_reader *r);
bool plan_at_end(struct plan_reader *r);
int plan_rest(const struct plan_reader *r);	/* bytes left, as many as a message should show */
bool plan_accept(struct plan_reader *r, const char *s);
bool plan_expect(struct plan_reader *r, const char *s);

/* Words are letters, digits, _ and -, and begin with a letter or _. */
size_t plan_word_length(struct plan_reader *r);		/* 0 if no word begins here */
bool plan_accept_word(struct plan_reader *r, const char *s);
char *plan_take_word(struct plan_reader *r);		/* copied; NULL if there is none */
char *plan_copy(struct plan_reader *r, const char *s, size_t n);

bool plan_read_int(struct plan_reader *r, const char *what, int64_t *v);
bool plan_read_at_least(struct plan_reader *r, const char *what, int64_t least, int64_t *v);
bool plan_read_dim(struct plan_reader *r, int *dim);
/* A comma-separated list of numbers not below `least`, to s->n and s->v. */
bool plan_read_list(struct plan_reader *r, const char *what, int64_t least, struct plan_step *s);
bool plan_read_rational(struct plan_reader *r, int64_t *num, int64_t *den);

bool plan_read_ref(struct plan_reader *r, struct plan_ref *ref);
bool plan_read_instruction(struct plan_reader *r, struct plan_ref *ref);	/* %name, no glob */

/* The rest of the line as a chain over the axes of m (plan_chain.c). */
bool plan_read_chain(struct plan_reader *r, const struct plan_mesh *m, struct plan_line *l);

#endif
