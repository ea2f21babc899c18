/* type_in.h - the forms of a rule while they are typed, for the files type*.c.
 *
 * type_infer.c reads expressions and finds their sorts, type_query.c makes atoms
 * of the facts of a query, type_act.c acts of what a rule does, and type.c holds
 * the variables and closes the pattern.  All memory is the rule base's; whoever
 * returns false has left one message in `error`.
 */
#ifndef DIVERGE_TYPE_IN_H
#define DIVERGE_TYPE_IN_H

#include "rule/rule_in.h"

enum ex_kind { EX_VAR, EX_CONST, EX_TABLE, EX_HOST };

struct ex {
	enum ex_kind kind;
	const sexp *s;
	eg_sort sort;
	uint32_t var, n;
	operand c;
	const table *table;
	const host *host;	/* settled */
	struct ex *arg;
};

struct fact {
	bool equal;
	struct ex a, b;
};

struct typing {
	rules *r;
	const char *file;
	const char *error;
	bool acting;		/* new names are errors */
	bool changed;
	vec *var;		/* pattern_var; these are the rule base's */
	vec *alias;		/* operand per variable: what it was made equal to */
	vec *atom, *act;
	uint32_t npos, nbuilt, nquery;
};

#define VAR(t, i) VEC_AT(pattern_var, (t)->var, i)

static const operand NOWHERE = { OPERAND_NONE, 0 };

static inline operand var_operand(uint32_t v)
{
	return (operand){ OPERAND_VAR, v };
}

/* ---- type.c: always false, with the first message kept */
bool typing_fail(typing *t, const sexp *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* A variable that has no name stands for one value that nothing else names. */
uint32_t typing_new_var(typing *t, const char *name, eg_sort sort);

/* By name, or NIL. */
uint32_t typing_find_var(const typing *t, const char *name);

/* What an operand was made equal to. */
operand typing_resolve(const typing *t, operand o);
operand *typing_operands(typing *t, uint32_t n);
operand typing_fresh(typing *t, eg_sort sort);
atom *typing_new_atom(typing *t, enum atom_kind k);
act *typing_new_act(typing *t, enum act_kind k);

/* ---- type_infer.c: an expression, and its sort where something expects one */
bool ex_read(typing *t, const sexp *s, struct ex *e);
bool ex_is_seq(const typing *t, const struct ex *e);
bool ex_infer(typing *t, struct ex *e, eg_sort want);
bool ex_settled(typing *t, const struct ex *e);
bool fact_infer(typing *t, struct fact *f);
const char *typing_sort_name(const typing *t, eg_sort s);

/* ---- type_query.c: want is where the value goes, or NOWHERE */
operand query_flatten(typing *t, const struct ex *e, operand want);
void query_add(typing *t, const struct fact *f);
bool fact_read(typing *t, const sexp *s, struct fact *f);
bool facts_type(typing *t, struct fact *f, uint32_t n);
bool facts_add(typing *t, const sexp *s, uint32_t n);

/* ---- type_act.c */
bool act_take(typing *t, const sexp *s);
bool act_read(typing *t, const sexp *s, eg_sort want, struct ex *e);
operand act_expr(typing *t, const struct ex *e);
bool sort_unionable(const typing *t, eg_sort s);

#endif
