/* proof_file.h - the proof of a verdict as a file, and its check.
 *
 * The file holds what the outputs that are proved rest on, and nothing of the
 * run: nodes, and unions in their order.  It is text, one thing a line, in words
 * as words.h has them:
 *
 *	diverge proof 1
 *	base "BASE"  dist "DIST"
 *	range 3 64			assumed: baseline input 3 lies in 0..63
 *	table 0 [ 2 5 * 3 ]		a list of values that pairings name by its number
 *	node 0 row base 5 "Arg_0"	an instruction's value, by its number and its name
 *	node 1 fallback 0		.. as what it stands when no rule lifts it
 *	node 2 param f32 64 "input 0" ( )	a family, its attributes, its operands
 *	fact 3 opened 7 8	node 3 shows what is certain of its values when 7 is opened by 8
 *	given 0 3 opened 7 8 built 3 [ 2 ]	node 0 is node 3; the step opened 7 by 8, and wrote 3 over 2
 *	rule "N10" 4 9 opened .. built ..
 *	congruence 5 6
 *	fallback 0 1
 *	assume 4 9 "%base" "%dist" "R" opened ..
 *	goal 0 "add.1" 9 12		of goal 0, by these forms of the two rows
 *	end 0123456789abcdef		a hash of all before
 *
 * A rule about instructions may build one that no program has: its line is that of
 * any node, and it has to be one that a program can have (engine/lift/instruction.h).
 *
 * The check reads both programs and their plan again and believes only those:
 * instructions are taken from them, and so is what is given, what is assumed and
 * what a goal says.  A rule's union holds when what the step opened was shown
 * equal before, and both sides agree by numbers (engine/certify/certify.h), or, where
 * that takes too many terms, the rule gives the same node again.  A step that
 * does not hold is a diag at its place.
 *
 * That values are finite, or of one sign, is decided again from the nodes of the
 * file (facts.h).  A line `fact` is an offer: it says which nodes to open, and is
 * taken up when they were shown equal and the node does show something.  What a
 * loop carries is finite when it is so before the loop and after a trip that
 * begins with finite values; an induction asks for that.
 */
#ifndef DIVERGE_PROOF_FILE_H
#define DIVERGE_PROOF_FILE_H

#include <stdio.h>
#include "problem/problem.h"
#include "text/page.h"

/* The chain of an act that made this firing, or NULL. */
typedef const char *proof_act_chain(void *ctx, uint32_t firing);
/* All goals that are met; NULL, or why there is no such file. */
const char *proof_write(FILE *f, struct problem *p, proof_act_chain *chain, void *ctx);

enum proof_outcome { PROOF_BAD, PROOF_HOLDS, PROOF_UNDER, PROOF_TOO_LARGE, PROOF_PARTLY };
/* Of a problem that has just been loaded, and is not to be used for anything else afterwards.  PROOF_BAD: a diag.
 * PROOF_UNDER: under hypotheses; TOO_LARGE: some steps could neither be run on numbers nor done again, or hold for finite
 * numbers only; PARTLY: not every output. */
enum proof_outcome proof_file_check(struct problem *p, const char *file, struct page *out, struct diag *err);

#endif
