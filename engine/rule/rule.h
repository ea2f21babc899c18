/* rule.h - rules: read from text, typed, and kept with file, line and comment.
 *
 * A `rules` is one rule base over one e-graph: sorts, constructors, relations,
 * functions, rulesets and rules in egglog's surface syntax, and what a host
 * adds to it: primitive sorts (eg_declare_sort(g, NAME, true)), and functions
 * of its own over all sorts (`host_fn`).
 *
 * A constructor `(constructor Sum (Pairing Core*) Core)` becomes a family of
 * the e-graph: its primitive sorts are attribute values of the operator, its
 * class sorts are argument slots, `Core*` any number of slots at the end; use
 * eg_family_named to find it.  In patterns `xs..` binds the remaining slots.
 *
 * Host functions are used in three ways:
 *   (f a b)          as an expression: the first result
 *   (= x (f a b))    in a query: binds x, or compares
 *   (f a b x y)      HOST_ATOM: a pattern atom, arguments first, results last,
 *                    for example (normal x n) or (cell d l x)
 * A signature is written "Pairing Core* -> Core": argument sorts, results.
 * `S*` is a sequence (one `xs..` in the rule; or, for the last parameter, any
 * number of single arguments).  A result `S!` is a node: (= n (Sum p xs..))
 * then looks at that very node, not at its class.  `S!*` is a sequence of nodes.
 * A parameter `S!` gets the node where its variable stands in the pattern: n in
 * (= n (Sum p xs..)) is then the node that was matched, not its class.
 * Several functions may share a name; the argument sorts choose.
 *
 * A call that returns false refuses, with a reason in words a user
 * understands; on the right side of a rule it refuses the match just so (it is
 * evaluated before anything is built).  It may intern values and operators.  A
 * result of a class sort is an id that exists, or a `term`, which is built when
 * the rule fires.  A call that adds nodes itself must stand last in its rule
 * and only be matched to be fired (match_trace takes back what it added).
 *
 * Errors of reading: `file:line:column: message` in an arena of the rule base.
 * Everything here belongs to the rule base and lives until rules_free.
 */
#ifndef DIVERGE_RULE_H
#define DIVERGE_RULE_H

#include "egraph/egraph.h"
#include "util/sexp.h"

typedef struct rules rules;

/* A node that may not exist yet.  With id != NIL it is that node, else op(arg..). */
typedef struct term {
	eg_id id;
	eg_op op;
	uint32_t narg;
	const struct term *arg;		/* narg of them in a row */
} term;

/* What a variable holds: the root of a class, a node (`S!`), or an eg_val in `id`;
 * a sequence of them in `at`, `n`; a term yet to be built in `term`, with id NIL. */
typedef struct rv {
	uint32_t id;
	uint32_t n;
	union {
		const uint32_t *at;
		const term *term;
	};
} rv;

typedef struct host_call {
	egraph *g;
	void *ctx;		/* of the host_fn */
	arena *scratch;		/* lives until the next match is looked for */
	const rv *in;
	uint32_t nin;
	rv *out;
	const char *reason;	/* set before returning false */
	/* An atom that read a node says which (it must be in the class of the
	 * first argument): the premise in explanations.  NIL if none. */
	eg_id witness;
	/* 0 at first.  An atom with more answers leaves another number here and
	 * is asked again with it when the machine comes back. */
	uint64_t cursor;
} host_call;
typedef bool host_call_fn(host_call *c);

enum host_kind {
	HOST_PRIM,		/* an expression */
	HOST_ATOM,		/* a pattern atom, results last */
	HOST_BUILTIN,		/* as PRIM, but run as early as possible, and on the right
				 * side of a rule a refusal is an error, as in egglog */
};
typedef struct host_fn {
	const char *name, *signature;
	host_call_fn *fn;
	void *ctx;
	enum host_kind kind;
} host_fn;

rules *rules_new(egraph *g);	/* with i64, f64, bool, String, Unit and their primitives */
void rules_free(rules *r);
egraph *rules_egraph(const rules *r);
/* False when the signature names an unknown sort, or there are too many (512). */
bool rules_host(rules *r, const host_fn *f);

/* Reads declarations and rules; any other command is an error.  NULL or the error. */
const char *rules_read(rules *r, const char *file, const char *text, size_t n);

/* ---- rules as the user sees them */
typedef struct rule {
	const char *name;	/* :name, else ruleset-line or the printed rule */
	const char *file, *text, *comment;
	uint32_t line, col;
	uint32_t index;		/* position in file order over all files */
	uint32_t ruleset;
	bool on;		/* switched off rules are not run by schedules */
	struct pattern *pattern;
} rule;

uint32_t rules_n(const rules *r);
rule *rules_at(const rules *r, uint32_t index);
rule *rules_named(const rules *r, const char *name);	/* NULL if none */
const char *rules_set_name(const rules *r, uint32_t ruleset);	/* "" is the default one */
uint32_t rules_set_named(const rules *r, const char *name);	/* NIL if none */
/* The first sentence of its comment, without the word up to a colon that its name begins with, too; NULL: it has none. */
const char *rule_identity(const rule *r, arena *out);
/* What a line `Assumes: ..` of its comment says it takes for granted, NULL: there is none. */
const char *rule_assumes(const rule *r, arena *out);
/* The family of the node a rule starts at (its first table atom), NIL if it has none. */
eg_fam rule_root_family(const rule *r);

/* ---- values of the built-in sorts */
eg_val value_i64(egraph *g, int64_t v);
eg_val value_f64(egraph *g, double v);
eg_val value_bool(egraph *g, bool v);
eg_val value_string(egraph *g, const char *s, size_t n);
/* A host that wants its values printed registers how. */
typedef const char *value_print_fn(arena *a, const egraph *g, eg_val v, void *ctx);
void rules_print_values(rules *r, eg_sort s, value_print_fn *fn, void *ctx);
const char *rules_value_text(const rules *r, arena *a, eg_val v);

#endif
