/* renewal.h - nodes known to be as closing them again would make them.
 *
 * Whether a node moves when it is closed again (work.h) depends on its operator,
 * on the order of age in which its operands stand and on which of them are
 * constant tables: what was found of one node of an operator holds for its
 * instances, and repeated layers ask once.  Nodes that data index are not known
 * so, nor such whose operands stand in no order of age.  Answers are forgotten
 * when anything is undone: operators may be others then.  Only refusals are kept,
 * so that nothing depends on what was asked before.
 */
#ifndef DIVERGE_RENEWAL_H
#define DIVERGE_RENEWAL_H

#include "core/core.h"

enum renewal { RENEWED_AS_READ, RENEWED_TIDY, RENEWALS };	/* of work_open alone; with constant tables held over the digits they depend on */

void renewal_init(algebra *a);
uint64_t renewal_pattern(const algebra *a, eg_id n);	/* 0: none */
bool renewal_is_known(const algebra *a, eg_id n, enum renewal what, uint64_t pattern);	/* that it does not move */
void renewal_keep(algebra *a, eg_id n, enum renewal what, uint64_t pattern);

#endif
