/* rule_instances.h - random small instructions on which rules about instructions are tried (rule_check.h).
 *
 * What a rule asks for is built backwards: the instruction it starts at gets
 * random extents on 1, 2 or 4 devices, its operands those that they must have,
 * attributes are drawn so that they fit, and where the rule looks no further
 * stands an instruction of which nothing is known.  An attribute that stands
 * twice in the rule is the same twice.
 */
#ifndef DIVERGE_RULE_INSTANCES_H
#define DIVERGE_RULE_INSTANCES_H

#include "certify/rule_cores.h"
#include "pair/pair.h"

enum { INSTANCE_LEAVES = 32 };
typedef struct rule_instance {
	eg_id root;		/* where the rule is to be tried */
	int nleaf;
	struct { eg_id node; const char *name; } leaf[INSTANCE_LEAVES];
	const char *why;	/* none was made */
	bool never;		/* and none ever will be */
} rule_instance;

/* False: *out says why.  The nodes are new; the caller has set a mark. */
bool rule_instance_make(pair *q, uint32_t rule, struct dice *d, rule_instance *out);

#endif
