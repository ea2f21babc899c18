/* command_test.h - `test`: what its files share. */
#ifndef DIVERGE_COMMAND_TEST_H
#define DIVERGE_COMMAND_TEST_H

#include "session/cut.h"
#include "session/values.h"

#define TEST_BYTES 4e9		/* numbers held at once */

struct trial {
	struct numbers_setup *setup;
	const struct cut *part;	/* it runs this part of the programs; NULL: all of them */
	bool drawn;		/* .. and takes drawn numbers for inner values: what differs refutes nothing */
	int npair;		/* 1: the last check is of a pair, the others are of outputs */
	int base, dist;		/* rows of the pair */
	const char *relation;	/* in words */
};

/* What became of a check, and with which kind of numbers that was. */
struct answer {
	numbers_result r;
	enum numbers_kind kind;
	int agreed;		/* kinds of numbers on which it was equal; those that overflow say nothing */
};

struct test_cost {
	double steps;		/* of all kinds of numbers: each runs both programs once */
	double bytes;
	bool loops_unknown;
};
/* Steps as "174 billion steps": two digits, or all before the point. */
struct test_steps { char text[40]; };
struct test_steps test_steps(double steps);
struct test_cost test_cost(const struct session *s);	/* of the whole programs */
bool test_affordable(const struct session *s, const struct test_cost *c);
int test_progress(void *ctx, double done, double total);	/* ctx: the session */
/* Runs with the values of all rows, of what is asked for, made when asked for. */
struct test_values {
	struct session *s;
	const struct cut *part;
	struct values *v[NUMBERS_KINDS];
	bool tried[NUMBERS_KINDS];
	const char *why;	/* there are none of the kind last asked for */
};
struct values *test_values(struct test_values *seen, enum numbers_kind kind);	/* NULL: there are none */
void test_values_free(struct test_values *seen);	/* before the part; the session keeps those that pages show */
/* Runs the first kinds of numbers: an answer for every check from `from` on, in the memory of the setup. */
struct answer *test_answers(const struct trial *t, int from, int kinds);
/* A line for each, on the page of the command's output.  Outputs that differ are refuted from now on, each with the instruction
 * at which it parts, unless the numbers were drawn inside; false: none is. */
bool test_tell(struct session *s, const struct trial *t, int from, const struct answer *x, struct test_values *seen);
bool test_stopped(const struct trial *t, const struct answer *x);	/* by a person */
void test_say_entry(struct session *s, const struct values *v, int row, bool refuted);	/* which row of the baseline it is */

/* command_cut.c: the bare command where the whole run is too large, and something is not proved */
bool test_cut_due(struct session *s);
bool test_cut(struct session *s, double steps);	/* of one run, where cuts are moved away; negative: a share of `set work` */

#endif
