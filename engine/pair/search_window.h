/* search_window.h - where a search looks when it need not look everywhere: next to the places at which two programs part.
 *
 * What a search makes of a value, everything behind it has to follow.  Where two
 * programs part at a few rows, and are the same function of these behind them,
 * nothing has to be searched there but what may forget the difference (a
 * quotient of exponentials forgets a shift): the rows up to WINDOW_DEEP steps
 * behind.  That they are the same is shown by a probe: those rows are assumed to
 * correspond as their shapes say, and all rows up to WINDOW_SHOWN steps behind
 * them are related then.
 *
 * When a search in the window relates more rows, the window moves on.
 */
#ifndef DIVERGE_SEARCH_WINDOW_H
#define DIVERGE_SEARCH_WINDOW_H

#include "pair/pair.h"

enum { WINDOW_DEEP = 32, WINDOW_SHOWN = 128, WINDOW_LONG = 256 };

/* Are the programs the same behind the rows at which they part?  When the worklist is empty. */
bool window_explains(pair *q);
bool window_long(const pair *q);	/* more than WINDOW_LONG steps are not related: a search of all will not end */
/* Nodes outside of the window are not looked at from now on (normal_limit). */
void window_set(pair *q);
/* What has come into the window since it was set is asked; false: nothing has. */
bool window_move(pair *q);
void window_drop(pair *q);		/* all of what was left out is asked */

#endif
