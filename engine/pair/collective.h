/* collective.h - which devices a collective row takes together, as mesh axes and in words. */
#ifndef DIVERGE_COLLECTIVE_H
#define DIVERGE_COLLECTIVE_H

#include "pair/chain.h"
#include "pair/program.h"

bool collective_grouped(const struct row *r);	/* one with device groups: no permute */
/* The axes over which members of a group differ, a bit each; 0 where the groups are not those of axes. */
uint32_t collective_axes(const mesh *ms, const struct row *r);
/* "dp (groups {0,2},{1,3})", "groups {0,3},{1,2}"; a long list is cut. */
char *collective_over(const mesh *ms, const struct row *r, arena *out);
char *axes_text(const mesh *ms, uint32_t axes, arena *out);	/* "dp,tp" */
int64_t axes_size(const mesh *ms, uint32_t axes);
uint32_t axes_apart(const mesh *ms, int64_t x, int64_t y);	/* those along which two devices stand at different places */

#endif
