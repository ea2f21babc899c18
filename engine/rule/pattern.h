/* pattern.h - a typed rule and the programs that match it.
 *
 * A rule is flattened to *atoms* over variables (a table atom per call of a
 * constructor, relation or function; a host atom per call of a host function)
 * and *acts*.  `pattern_compile` plans one program per atom it may start at:
 * the node of that atom is given, then host atoms as soon as their arguments
 * are known and what stands before them in the text is done, then atoms whose
 * class or arguments are known, and a scan of a family only when nothing is.
 *
 * Machine: one instruction per atom.  An instruction that takes a node runs a
 * list of *fields* over it, each binding or comparing one register.
 */
#ifndef DIVERGE_PATTERN_H
#define DIVERGE_PATTERN_H

#include "rule/rule.h"

enum operand_kind { OPERAND_NONE, OPERAND_VAR, OPERAND_VALUE, OPERAND_NODE };
typedef struct operand {
	enum operand_kind kind;
	uint32_t id;		/* variable, eg_val, or node of a global */
} operand;

typedef struct pattern_var {
	const char *name;	/* NULL: made up */
	eg_sort sort;
	bool value;		/* of a primitive sort */
	bool seq;		/* xs.. */
	bool node;		/* a node, not a class (`S!`) */
} pattern_var;

typedef struct host host;	/* rule_in.h */
typedef struct table table;

enum {
	HOST_MAX = 64,		/* arguments, or results, of one call of a host function */
	COLUMNS_MAX = 64,	/* attribute values of one operator */
};

enum atom_kind { ATOM_TABLE, ATOM_HOST, ATOM_EQUAL };
typedef struct atom {
	enum atom_kind kind;
	uint32_t pos;		/* pattern position, NIL when it has none */
	const table *table;
	const host *host;
	operand out;		/* of a table atom: its class, or a function's value; side one of EQUAL */
	operand *val;		/* table: attribute values; host: arguments */
	operand *arg;		/* table: argument slots; host: results; EQUAL: side two */
	uint32_t nval, narg;
	operand rest;		/* of a table atom: the sequence behind its fixed slots */
	bool variadic;
} atom;

enum act_kind { ACT_BUILD, ACT_UNION, ACT_SET, ACT_HOST, ACT_PANIC };
typedef struct act {
	enum act_kind kind;
	const table *table;
	const host *host;
	uint32_t out;		/* variable of the node built */
	uint32_t built;		/* number among the built nodes of the rule */
	eg_op op;		/* when no attribute value is a variable, else NIL */
	operand *val, *arg;	/* as in atoms; UNION: arg[0], arg[1] */
	uint32_t nval, narg;
	operand value;		/* of SET */
	const char *text;	/* of PANIC */
} act;

/* Where a variable gets the value that proofs use: a slot or attribute of the
 * node at a position, as first written; or nowhere, then it is logged (loose). */
enum source_kind { FROM_LOOSE, FROM_ARG, FROM_VAL, FROM_NODE, FROM_REST };
typedef struct source {
	enum source_kind kind;
	uint32_t pos, index;
} source;

enum field_kind {
	FIELD_ARG_BIND, FIELD_ARG_SAME, FIELD_ARG_NODE,	/* argument: bind, equals a register, a global's class */
	FIELD_VAL_BIND, FIELD_VAL_SAME, FIELD_VAL_IS,	/* attribute value */
	FIELD_OUT_BIND, FIELD_OUT_SAME, FIELD_OUT_NODE,	/* class of the node */
	FIELD_CELL_BIND, FIELD_CELL_SAME, FIELD_CELL_IS, FIELD_CELL_NODE, FIELD_CELL_ANY, /* a function's value */
	FIELD_REST_BIND, FIELD_REST_SAME,
};
typedef struct field {
	enum field_kind kind;
	uint32_t index;		/* argument or attribute number; REST: the first */
	uint32_t id;		/* register, value or node */
	bool class;		/* CELL_SAME: compare roots */
} field;

enum insn_kind {
	INSN_GIVEN,		/* the start node */
	INSN_EXACT,		/* the node in a register */
	INSN_LOOKUP,		/* all arguments known */
	INSN_MEMBERS,		/* nodes of a class */
	INSN_USES,		/* nodes that read a class at one argument */
	INSN_SCAN,		/* nodes of the family */
	INSN_HOST, INSN_EQUAL, INSN_MATCH,
};
typedef struct insn {
	enum insn_kind kind;
	const atom *atom;
	operand from;		/* class of MEMBERS, USES; node of EXACT */
	uint32_t index;		/* argument number of USES */
	eg_op op;		/* when fixed by the pattern */
	eg_fam fam;
	uint32_t narg;
	bool variadic;
	field *field;
	uint32_t nfield;
	uint64_t bound;		/* HOST: results that are compared, not bound */
} insn;

typedef struct code {
	uint32_t start;		/* atom it is given the node of, NIL: none */
	uint32_t ninsn;
	insn *insn;
} code;

typedef struct pattern {
	rule *rule;
	pattern_var *var;
	uint32_t nvar;		/* of the query; acts have more */
	uint32_t nreg;		/* query and acts */
	atom *atom;
	uint32_t natom, npos;
	act *act;
	uint32_t nact, nbuilt;
	code *code;	/* one per table atom, in text order; at least one */
	uint32_t ncode;
	source *source;		/* per variable of the query */
	uint32_t *loose;	/* variables that are logged */
	uint32_t nloose;
	bool naive;		/* delta matching would miss something: match all */
} pattern;

/* NULL, or an error that names the form at `at` (an ungrounded variable, say). */
const char *pattern_compile(rules *r, pattern *p, const char *file, const sexp *at);

#endif
