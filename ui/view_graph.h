/* view_graph.h - the main view: both programs side by side.
 *
 * A row says what an instruction is to the other program: mark, name, shape and,
 * of the distributed program, its relation.  Column one is the mark (`= ! . ? x *`,
 * `+` for a fold); column two says where one is: `>` the instruction that is
 * being worked at, `b` a breakpoint, `<` an operand of the selected one; in a
 * fold it is the worst mark inside.  A row without partner faces one that names
 * the neighbour it comes behind.  Where correspondences cross, the selected
 * row's partner stands elsewhere and is marked there.
 *
 * The cursor is the session's selection.  Only lines that can be seen are asked
 * for, and each costs the same in a graph of any size.
 */
#ifndef DIVERGE_VIEW_GRAPH_H
#define DIVERGE_VIEW_GRAPH_H

#include "pane.h"
#include "session/session.h"

struct view_graph {
	struct pane pane;
	struct session *s;
};

void view_graph_init(struct view_graph *v, struct session *s);
void view_graph_release(struct view_graph *v);
/* Puts the cursor where the selection is when something else than the cursor has moved it. */
void view_graph_follow(struct view_graph *v);

enum role view_graph_mark_role(char mark);

#endif
