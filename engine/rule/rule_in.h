/* rule_in.h - the tables of a rule base, for the files that read, type, match
 * and run rules.
 */
#ifndef DIVERGE_RULE_IN_H
#define DIVERGE_RULE_IN_H

#include "egraph/egraph_in.h"
#include "rule/pattern.h"

enum table_kind { TABLE_CONSTRUCTOR, TABLE_RELATION, TABLE_FUNCTION };

/* One declared position: an attribute value or an argument slot. */
typedef struct column {
	eg_sort sort;
	bool value;
	uint32_t index;
} column;

struct table {
	const char *name;
	eg_fam fam;
	eg_op op;		/* of a family without attributes, else NIL */
	enum table_kind kind;
	uint32_t ncol;
	column *col;
	uint32_t nval, narg;
	eg_sort rest, result;	/* of a function: the sort of its value */
	bool value;		/* a function into a primitive sort */
	bool hidden;		/* never extracted */
	uint32_t cost;
	pattern *merge;		/* acts with `old` and `new` as variables 0 and 1 */
	operand merged;		/* what they come to */
	bool no_merge;
	const char *file;
};

/* A parameter or result of a host function. */
typedef struct param {
	eg_sort sort;		/* NIL: any, the same for all of them */
	bool seq, node;
} param;

struct host {
	host_fn fn;
	param *in, *out;
	uint32_t nin, nout;
	host *next;		/* of the same name */
};

struct global {
	const char *name;
	eg_sort sort;
	operand at;
};

struct printer {
	eg_sort sort;
	value_print_fn *fn;
	void *ctx;
};

struct rules {
	egraph *g;
	arena a;
	arena typing;		/* of the form being typed */
	vec tables;		/* struct table *, in order of declaration */
	vec of_family;		/* struct table * per family, NULL: none yet */
	vec hosts;		/* struct host * */
	vec sets;		/* const char * */
	vec rules;		/* struct rule * */
	vec name_hash;		/* uint32_t: of each of them */
	vec alike;		/* struct alike *: patterns that later rules may have, too */
	vec globals;		/* struct global */
	vec printers;		/* struct printer */
	eg_sort i64, f64, boolean, string, unit;
	/* A row of a function is a fact node; its value is kept at the root of the
	 * row's own class: value + 1, and the firing that wrote it. */
	vec cell, cell_by;
	uint32_t nfunction;
	vec host_names;		/* open addressing: 1 + first host of a name */
	vec t_var, t_alias, t_atom, t_act;	/* of the form being typed */
	bool ungrounded;	/* the last error of rules_declare or pattern_compile is a variable that nothing binds */
};

table *rules_table(const rules *r, const char *name);
void rules_forget(rules *r, uint32_t ntable);	/* tables back to so many, before eg_forget */
host *rules_hosts_named(const rules *r, const char *name);	/* the first; NULL if none */
struct global *rules_global(const rules *r, const char *name);
void *rules_alloc(rules *r, size_t n);		/* zeroed */
/* NULL: done; an error; or, for a form that declares nothing, `*mine` false. */
const char *rules_declare(rules *r, const char *file, const sexp *form, bool *mine);
void builtin_register(rules *r);

/* value of a row + 1, 0 when it has none */
static inline uint32_t rules_cell(const rules *r, eg_id root)
{
	return ((size_t)root + 1) * sizeof(uint32_t) <= r->cell.committed ? VEC_AT(uint32_t, &r->cell, root) : 0;
}

/* ---- alike.c: the compiled pattern of (rule (FACT..) (ACTION..) ..), typed anew or one of before; NULL, or the error */
const char *rule_pattern(rules *r, const char *file, const sexp *form, pattern *p);

/* ---- type*.c: a form becomes a typed, flattened pattern */
typedef struct typing typing;
const char *type_rule(rules *r, const char *file, pattern *p, const sexp *facts, uint32_t nfact,
		      const sexp *acts, uint32_t nact);
const char *type_rewrite(rules *r, const char *file, pattern *p, const sexp *lhs, const sexp *rhs,
			 const sexp *when, uint32_t nwhen);
/* An expression with some variables given, as acts: where its value is. */
const char *type_expr(rules *r, const char *file, pattern *p, const sexp *e, eg_sort want,
		      const pattern_var *given, uint32_t ngiven, operand *out, eg_sort *sort);

#endif
