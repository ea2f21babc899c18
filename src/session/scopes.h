/* scopes.h - where rows belong: calls they were inlined from, scopes of op_names.
 *
 * `call.1/while.2/add.3` is a row of the call `call.1/while.2/`, and an op_name
 * `jit(f)/layer/add` stands in the scope `jit(f)/layer/`.  All calls and scopes
 * of a program are nodes of two trees, made once, so that whether a row has a
 * prefix that another has is a comparison of numbers: lists of a million rows
 * are folded between two keys.
 */
#ifndef DIVERGE_SCOPES_H
#define DIVERGE_SCOPES_H

#include "pair/program.h"

typedef struct scopes {
	vec node;		/* struct scope_node; 0: no call, no scope */
	uint32_t *slot, mask;	/* open addressing: nodes by parent and name, 0: free */
	struct scope_place { uint32_t call, scope; } *row;
} scopes;

/* What the paths and op_names of all rows of a scope begin with. */
struct prefix {
	bool any;		/* false: no row does */
	uint32_t call, scope;
};

void scopes_init(scopes *x, const program *p);	/* by the paths and op_names of its rows */
void scopes_free(scopes *x);
int scopes_depth(const scopes *x, int row);	/* calls and scopes around it */
int scopes_calls(const scopes *x, int row);	/* calls alone */
/* The first `depth` of them: calls come first. */
struct prefix scopes_prefix(const scopes *x, int row, int depth);
bool scopes_has(const scopes *x, int row, const struct prefix *p);

#endif
