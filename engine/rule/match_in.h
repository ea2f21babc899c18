/* match_in.h - the state of the matching machine, for match.c, trace.c and what
 * runs the acts of a match.
 */
#ifndef DIVERGE_MATCH_IN_H
#define DIVERGE_MATCH_IN_H

#include "rule/match.h"
#include "rule/rule_in.h"

/* An instruction with more answers. */
struct choice {
	uint32_t pc;
	uint32_t at, end;	/* member; slot and head; index and length */
	uint64_t cursor;	/* HOST */
};

struct trace;

struct matcher {
	rules *r;
	egraph *g;
	const pattern *p;
	const code *prog;
	rv *reg;
	eg_id *pos;		/* node per position */
	struct choice *stack;
	uint32_t depth;
	vec v_reg, v_pos, v_stack;
	rv in[HOST_MAX], out[HOST_MAX];
	arena scratch;
	arena_mark clean;

	/* match_all */
	bool all;
	uint32_t icode, next;
	uint32_t since;
	const eg_id *starts;
	uint32_t nstart;
	vec fresh;		/* nodes touched since, once each */
	vec mark;		/* per node: epoch in which it was fresh */
	uint32_t epoch, fresh_since, fresh_n;

	struct trace *trace;
};

/* The register of an operand: variables as they are, constants made up. */
static inline rv match_operand(const matcher *m, operand o)
{
	rv v = { .id = o.id };

	if (o.kind == OPERAND_VAR)
		return m->reg[o.id];
	if (o.kind == OPERAND_NODE)
		v.id = m->g->root[o.id];
	return v;
}

void match_room(matcher *m, const pattern *p);

/* called by the machine where a branch ends */
enum stop { STOP_FIELD, STOP_NONE, STOP_LOOKUP, STOP_HOST, STOP_EQUAL };
void trace_stop(matcher *m, uint32_t pc, enum stop why, eg_id node, const field *f, const char *reason);

#endif
