/* The rules of the search phase: small programs that are equal and need them,
 * and programs that look equal and are not.  All are run on numbers: the first
 * agree on random inputs, the others differ at a witness.  Every firing of a
 * search rule is checked by numbers with infinities and zeros (certify.h), and
 * the proofs by the proof checker. */
#include "pair/search_window.h"
#include "text_pair.h"
#include <math.h>
#include "certify/certify.h"
#include "core/normal.h"
#include "interp/interp.h"
#include "interp/numbers.h"
#include "pair/level.h"
#include "prover/proof.h"
#include "prover/reading.h"

enum { NEVER = -1, PARAMS = 3, SIZE = 8 };

struct example {
	const char *name;
	const char *params;	/* "f32[4] f32[]": %a, %b, %c */
	const char *result;	/* type of %r */
	const char *base, *dist;
	int level;		/* that proves it, or NEVER */
	const char *rules;	/* names that the proof must meet, one after another */
	double witness[PARAMS][SIZE];	/* of a pair that is not equal */
};

#define MAX "%max (x: f32[], y: f32[]) -> f32[] {\n%x = f32[] parameter(0)\n%y = f32[] parameter(1)\nROOT %m = f32[] maximum(%x, %y)\n}\n" \
	"%prod (x: f32[], y: f32[]) -> f32[] {\n%x = f32[] parameter(0)\n%y = f32[] parameter(1)\nROOT %m = f32[] multiply(%x, %y)\n}\n" \
	"%sum (x: f32[], y: f32[]) -> f32[] {\n%x = f32[] parameter(0)\n%y = f32[] parameter(1)\nROOT %m = f32[] add(%x, %y)\n}\n"
#define W(...) { __VA_ARGS__ }

static const struct example examples[] = {
	/* S1 */
	{ "exp of a sum", "f32[4] f32[4]", "f32[4]",
	  "%s = f32[4] add(%a, %b)  %r = f32[4] exponential(%s)",
	  "%x = f32[4] exponential(%a)  %y = f32[4] exponential(%b)  %r = f32[4] multiply(%x, %y)", 2, "S1", W({ 0 }) },
	{ "exp of a difference", "f32[4] f32[4]", "f32[4]",
	  "%s = f32[4] subtract(%a, %b)  %r = f32[4] exponential(%s)",
	  "%x = f32[4] exponential(%a)  %y = f32[4] exponential(%b)  %r = f32[4] divide(%x, %y)", 2, "S1", W({ 0 }) },
	{ "exp of three times", "f32[4]", "f32[4]",
	  "%k = f32[] constant(3)  %kk = f32[4] broadcast(%k), dimensions={}  %s = f32[4] multiply(%a, %kk)  %r = f32[4] exponential(%s)",
	  "%x = f32[4] exponential(%a)  %y = f32[4] multiply(%x, %x)  %r = f32[4] multiply(%y, %x)", 2, "S1", W({ 0 }) },
	{ "exp of half and of minus half", "f32[4] f32[4]", "f32[4]",
	  "%k = f32[] constant(0.5)  %kk = f32[4] broadcast(%k), dimensions={}  %h = f32[4] multiply(%a, %kk)  %m = f32[4] negate(%h)"
	  "  %x = f32[4] exponential(%h)  %y = f32[4] exponential(%m)  %z = f32[4] multiply(%x, %y)  %r = f32[4] multiply(%z, %b)",
	  "%r = f32[4] copy(%b)", 2, "S1", W({ 0 }) },
	{ "exp of half is not exp over half", "f32[4] f32[4]", "f32[4]",
	  "%k = f32[] constant(0.5)  %kk = f32[4] broadcast(%k), dimensions={}  %h = f32[4] multiply(%a, %kk)  %m = f32[4] negate(%a)"
	  "  %x = f32[4] exponential(%h)  %y = f32[4] exponential(%m)  %z = f32[4] multiply(%x, %y)  %r = f32[4] multiply(%z, %b)",
	  "%r = f32[4] copy(%b)", NEVER, "", W({ 1, 2, 3, 4 }, { 1, 2, 3, 4 }) },
	{ "exp of a product is no product of exps", "f32[4] f32[4]", "f32[4]",
	  "%s = f32[4] multiply(%a, %b)  %r = f32[4] exponential(%s)",
	  "%x = f32[4] exponential(%a)  %y = f32[4] exponential(%b)  %r = f32[4] multiply(%x, %y)", NEVER, "",
	  W({ 1, 2, 3, 4 }, { 1, 2, 3, 4 }) },
	/* S2 */
	{ "exp over itself", "f32[4] f32[4]", "f32[4]",
	  "%x = f32[4] exponential(%a)  %y = f32[4] multiply(%x, %b)  %r = f32[4] divide(%y, %x)",
	  "%r = f32[4] copy(%b)", 2, "S2 mul", W({ 0 }) },
	{ "x over itself", "f32[4] f32[4]", "f32[4]",
	  "%y = f32[4] multiply(%a, %b)  %r = f32[4] divide(%y, %a)",
	  "%r = f32[4] copy(%b)", NEVER, "", W({ 0, 1, 2, 3 }, { 1, 1, 1, 1 }) },
	{ "squares may be zero", "f32[4] f32[4]", "f32[4]",
	  "%q = f32[4] multiply(%a, %a)  %y = f32[4] multiply(%q, %b)  %r = f32[4] divide(%y, %q)",
	  "%r = f32[4] copy(%b)", NEVER, "", W({ 0, 1, 2, 3 }, { 1, 1, 1, 1 }) },
	{ "a square and a number are positive", "f32[4] f32[4]", "f32[4]",
	  "%k = f32[] constant(0.5)  %kk = f32[4] broadcast(%k), dimensions={}  %q = f32[4] multiply(%a, %a)  %p = f32[4] add(%q, %kk)"
	  "  %y = f32[4] multiply(%p, %b)  %r = f32[4] divide(%y, %p)",
	  "%r = f32[4] copy(%b)", 2, "S2 mul", W({ 0 }) },
	{ "exp of an infinite argument", "f32[4]", "f32[4]",
	  "%l = f32[4] log(%a)  %x = f32[4] exponential(%l)  %r = f32[4] divide(%x, %x)",
	  "%k = f32[] constant(1)  %r = f32[4] broadcast(%k), dimensions={}", NEVER, "", W({ 0, 1, 2, 3 }) },
#define ROOT_SQUARED(inside) inside "  %s = f32[4] rsqrt(%y)  %r = f32[4] multiply(%s, %s)"
#define ONE_OVER(inside) inside "  %r = f32[4] divide(%kk, %y)"
#define SQUARE_AND_ONE "%k = f32[] constant(1)  %kk = f32[4] broadcast(%k), dimensions={}  %q = f32[4] multiply(%a, %a)  %y = f32[4] add(%q, %kk)"
#define ANY_NUMBER "%k = f32[] constant(1)  %kk = f32[4] broadcast(%k), dimensions={}  %y = f32[4] copy(%a)"
	{ "one over the square of a root", "f32[4]", "f32[4]", ROOT_SQUARED(SQUARE_AND_ONE), ONE_OVER(SQUARE_AND_ONE), 2, "S2 root mul", W({ 0 }) },
	{ "one over the square of the root of what may be negative", "f32[4]", "f32[4]", ROOT_SQUARED(ANY_NUMBER), ONE_OVER(ANY_NUMBER), NEVER, "",
	  W({ -1, 1, 2, 3 }) },
	/* S3 */
	{ "log of exp", "f32[4]", "f32[4]", "%x = f32[4] exponential(%a)  %r = f32[4] log(%x)", "%r = f32[4] copy(%a)", 2, "S3", W({ 0 }) },
	{ "exp of log of a negative number", "f32[4]", "f32[4]",
	  "%x = f32[4] log(%a)  %r = f32[4] exponential(%x)", "%r = f32[4] copy(%a)", NEVER, "", W({ -1, 1, 2, 3 }) },
	{ "log of a product of positives", "f32[4] f32[4]", "f32[4]",
	  "%x = f32[4] exponential(%a)  %q = f32[4] multiply(%b, %b)  %k = f32[] constant(1)  %kk = f32[4] broadcast(%k), dimensions={}"
	  "  %p = f32[4] add(%q, %kk)  %m = f32[4] multiply(%x, %p)  %r = f32[4] log(%m)",
	  "%q = f32[4] multiply(%b, %b)  %k = f32[] constant(1)  %kk = f32[4] broadcast(%k), dimensions={}"
	  "  %p = f32[4] add(%q, %kk)  %l = f32[4] log(%p)  %r = f32[4] add(%a, %l)", 2, "S3 product", W({ 0 }) },
	{ "log of a product", "f32[4] f32[4]", "f32[4]",
	  "%m = f32[4] multiply(%a, %b)  %r = f32[4] log(%m)",
	  "%x = f32[4] log(%a)  %y = f32[4] log(%b)  %r = f32[4] add(%x, %y)", NEVER, "", W({ -1, 1, 2, 3 }, { -1, 1, 2, 3 }) },
	/* S4 */
	{ "base two", "f32[4]", "f32[4]",
	  "%k = f32[] constant(1.44269502)  %kk = f32[4] broadcast(%k), dimensions={}  %m = f32[4] multiply(%a, %kk)  %t = f32[] constant(2)"
	  "  %tt = f32[4] broadcast(%t), dimensions={}  %r = f32[4] power(%tt, %m)",
	  "%r = f32[4] exponential(%a)", 2, "S4", W({ 0 }) },
	{ "base two, another factor", "f32[4]", "f32[4]",
	  "%k = f32[] constant(1.4427)  %kk = f32[4] broadcast(%k), dimensions={}  %m = f32[4] multiply(%a, %kk)  %t = f32[] constant(2)"
	  "  %tt = f32[4] broadcast(%t), dimensions={}  %r = f32[4] power(%tt, %m)",
	  "%r = f32[4] exponential(%a)", NEVER, "", W({ 10, 20, 30, 40 }) },
	/* S5, S9 */
	{ "maximum of a shifted row", "f32[2,4] f32[2]", "f32[2]",
	  "%n = f32[] constant(-inf)  %bb = f32[2,4] broadcast(%b), dimensions={0}  %s = f32[2,4] add(%a, %bb)"
	  "  %r = f32[2] reduce(%s, %n), dimensions={1}, to_apply=%max",
	  "%n = f32[] constant(-inf)  %m = f32[2] reduce(%a, %n), dimensions={1}, to_apply=%max  %r = f32[2] add(%m, %b)", 2, "S5", W({ 0 }) },
	{ "maximum of a row times a number", "f32[2,4]", "f32[2]",
	  "%n = f32[] constant(-inf)  %k = f32[] constant(-2)  %kk = f32[2,4] broadcast(%k), dimensions={}  %s = f32[2,4] multiply(%a, %kk)"
	  "  %r = f32[2] reduce(%s, %n), dimensions={1}, to_apply=%max",
	  "%n = f32[] constant(-inf)  %k = f32[] constant(-2)  %kk = f32[2] broadcast(%k), dimensions={}"
	  "  %m = f32[2] reduce(%a, %n), dimensions={1}, to_apply=%max  %r = f32[2] multiply(%m, %kk)", NEVER, "",
	  W({ 1, 2, 3, 4, 5, 6, 7, 8 }) },
	{ "maximum of a row of sums, shifted", "f32[2,4] f32[2] f32[2,4]", "f32[2]",
	  "%n = f32[] constant(-inf)  %bb = f32[2,4] broadcast(%b), dimensions={0}  %q = f32[2,4] add(%a, %c)  %s = f32[2,4] add(%q, %bb)"
	  "  %r = f32[2] reduce(%s, %n), dimensions={1}, to_apply=%max",
	  "%n = f32[] constant(-inf)  %q = f32[2,4] add(%a, %c)  %m = f32[2] reduce(%q, %n), dimensions={1}, to_apply=%max  %r = f32[2] add(%m, %b)", 2, "S5",
	  W({ 0 }) },
	{ "maximum of a row of products, times a positive factor", "f32[2,4] f32[2] f32[2,4]", "f32[2]",
	  "%n = f32[] constant(-inf)  %e = f32[2] exponential(%b)  %ee = f32[2,4] broadcast(%e), dimensions={0}  %q = f32[2,4] multiply(%a, %c)"
	  "  %s = f32[2,4] divide(%q, %ee)  %r = f32[2] reduce(%s, %n), dimensions={1}, to_apply=%max",
	  "%n = f32[] constant(-inf)  %e = f32[2] exponential(%b)  %q = f32[2,4] multiply(%a, %c)  %m = f32[2] reduce(%q, %n), dimensions={1}, to_apply=%max"
	  "  %r = f32[2] divide(%m, %e)", 2, "S5 product", W({ 0 }) },
	{ "maximum of a row times any factor", "f32[2,4] f32[2]", "f32[2]",
	  "%n = f32[] constant(-inf)  %bb = f32[2,4] broadcast(%b), dimensions={0}  %s = f32[2,4] multiply(%a, %bb)"
	  "  %r = f32[2] reduce(%s, %n), dimensions={1}, to_apply=%max",
	  "%n = f32[] constant(-inf)  %m = f32[2] reduce(%a, %n), dimensions={1}, to_apply=%max  %r = f32[2] multiply(%m, %b)", NEVER, "",
	  W({ 1, 2, 3, 4, 5, 6, 7, 8 }, { -1, 1 }) },
	{ "maximum of a row times a positive row", "f32[2,4] f32[4]", "f32[2]",
	  "%n = f32[] constant(-inf)  %e = f32[4] exponential(%b)  %ee = f32[2,4] broadcast(%e), dimensions={1}  %s = f32[2,4] multiply(%a, %ee)"
	  "  %r = f32[2] reduce(%s, %n), dimensions={1}, to_apply=%max",
	  "%n = f32[] constant(-inf)  %m = f32[2] reduce(%a, %n), dimensions={1}, to_apply=%max  %z = f32[] constant(-inf)  %e = f32[4] exponential(%b)"
	  "  %f = f32[] reduce(%e, %z), dimensions={0}, to_apply=%max  %ff = f32[2] broadcast(%f), dimensions={}  %r = f32[2] multiply(%m, %ff)", NEVER, "",
	  W({ 1, 2, 3, 4, 5, 6, 7, 8 }, { 3, 2, 1, 0 }) },
	{ "maximum of tanh", "f32[2,4]", "f32[2]",
	  "%n = f32[] constant(-inf)  %t = f32[2,4] tanh(%a)  %r = f32[2] reduce(%t, %n), dimensions={1}, to_apply=%max",
	  "%n = f32[] constant(-inf)  %m = f32[2] reduce(%a, %n), dimensions={1}, to_apply=%max  %r = f32[2] tanh(%m)", 2, "S9", W({ 0 }) },
	{ "maximum of a sine", "f32[2,4]", "f32[2]",
	  "%n = f32[] constant(-inf)  %t = f32[2,4] sine(%a)  %r = f32[2] reduce(%t, %n), dimensions={1}, to_apply=%max",
	  "%n = f32[] constant(-inf)  %m = f32[2] reduce(%a, %n), dimensions={1}, to_apply=%max  %r = f32[2] sine(%m)", NEVER, "",
	  W({ 1, 2, 3, 4, 5, 6, 7, 8 }) },
	{ "exp of the maximum of nothing", "f32[2,0]", "f32[2]",
	  "%n = f32[] constant(-inf)  %t = f32[2,0] exponential(%a)  %r = f32[2] reduce(%t, %n), dimensions={1}, to_apply=%max",
	  "%n = f32[] constant(-inf)  %m = f32[2] reduce(%a, %n), dimensions={1}, to_apply=%max  %r = f32[2] exponential(%m)", NEVER, "",
	  W({ 0 }) },
	/* S16 */
	{ "one number and a little more on the diagonal", "f32[4]", "f32[4]",
	  "%t = f32[4,4] constant({{1.5,1,1,1},{1,1.5,1,1},{1,1,1.5,1},{1,1,1,1.5}})  %r = f32[4] dot(%t, %a), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
	  "%o = f32[4] constant({1,1,1,1})  %s = f32[] dot(%o, %a), lhs_contracting_dims={0}, rhs_contracting_dims={0}  %ss = f32[4] broadcast(%s), dimensions={}"
	  "  %k = f32[] constant(0.5)  %kk = f32[4] broadcast(%k), dimensions={}  %h = f32[4] multiply(%a, %kk)  %r = f32[4] add(%h, %ss)", 4, "S16", W({ 0 }) },
	{ "one number and the diagonal", "f32[4]", "f32[4]",
	  "%t = f32[4,4] constant({{1.5,1,1,1},{1,1.5,1,1},{1,1,1.5,1},{1,1,1,1.5}})  %r = f32[4] dot(%t, %a), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
	  "%o = f32[4] constant({1,1,1,1})  %s = f32[] dot(%o, %a), lhs_contracting_dims={0}, rhs_contracting_dims={0}  %ss = f32[4] broadcast(%s), dimensions={}"
	  "  %k = f32[] constant(1.5)  %kk = f32[4] broadcast(%k), dimensions={}  %h = f32[4] multiply(%a, %kk)  %r = f32[4] add(%h, %ss)", NEVER, "", W({ 1, 2, 3, 4 }) },
	{ "a table that is nowhere one number", "f32[4] f32[4]", "f32[]",
	  "%t = f32[4] constant({1,1,2,2})  %r = f32[] dot(%t, %a), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
	  "%t = f32[4] constant({1,1,1,2})  %r = f32[] dot(%t, %a), lhs_contracting_dims={0}, rhs_contracting_dims={0}", NEVER, "", W({ 1, 2, 3, 4 }) },
	/* S6 */
	{ "a product of sums", "f32[4] f32[4]", "f32[4]",
	  "%s = f32[4] add(%a, %b)  %d = f32[4] subtract(%a, %b)  %r = f32[4] multiply(%s, %d)",
	  "%x = f32[4] multiply(%a, %a)  %y = f32[4] multiply(%b, %b)  %r = f32[4] subtract(%x, %y)", 4, "S6 mul", W({ 0 }) },
	{ "a sum over what may be infinite", "f32[4] f32[4]", "f32[4]",
	  "%l = f32[4] log(%b)  %x = f32[4] multiply(%a, %l)  %k = f32[] constant(1)  %kk = f32[4] broadcast(%k), dimensions={}"
	  "  %n = f32[4] subtract(%kk, %a)  %y = f32[4] multiply(%n, %l)  %r = f32[4] add(%x, %y)",
	  "%r = f32[4] log(%b)", NEVER, "", W({ 1, 0, 2, 3 }, { 0, 0, 0, 0 }) },
	/* S10 */
	{ "logistic", "f32[4]", "f32[4]", "%r = f32[4] logistic(%a)",
	  "%n = f32[4] negate(%a)  %e = f32[4] exponential(%n)  %k = f32[] constant(1)  %kk = f32[4] broadcast(%k), dimensions={}"
	  "  %d = f32[4] add(%kk, %e)  %r = f32[4] divide(%kk, %d)", 2, "S10", W({ 0 }) },
	{ "logistic of what may be infinite", "f32[4]", "f32[4]", "%l = f32[4] log(%a)  %r = f32[4] logistic(%l)",
	  "%l = f32[4] log(%a)  %n = f32[4] negate(%l)  %e = f32[4] exponential(%n)  %k = f32[] constant(1)  %kk = f32[4] broadcast(%k), dimensions={}"
	  "  %d = f32[4] add(%kk, %e)  %r = f32[4] divide(%kk, %d)", 2, "S10", W({ 0 }) },
	{ "logistic with the other sign", "f32[4]", "f32[4]", "%l = f32[4] log(%a)  %r = f32[4] logistic(%l)",
	  "%l = f32[4] log(%a)  %e = f32[4] exponential(%l)  %k = f32[] constant(1)  %kk = f32[4] broadcast(%k), dimensions={}"
	  "  %d = f32[4] add(%kk, %e)  %r = f32[4] divide(%kk, %d)", NEVER, "", W({ 0, 1, 2, 3 }) },
	/* S12, S15 */
	{ "exp of a choice by data", "f32[4] f32[4]", "f32[4]",
	  "%n = f32[] constant(-inf)  %nn = f32[4] broadcast(%n), dimensions={}  %p = pred[4] compare(%a, %b), direction=LT"
	  "  %s = f32[4] select(%p, %a, %nn)  %r = f32[4] exponential(%s)",
	  "%z = f32[] constant(0)  %zz = f32[4] broadcast(%z), dimensions={}  %p = pred[4] compare(%a, %b), direction=LT"
	  "  %e = f32[4] exponential(%a)  %r = f32[4] select(%p, %e, %zz)", 2, "S12", W({ 0 }) },
	{ "a finite value is not -inf", "f32[4]", "f32[4]",
	  "%n = f32[] constant(-inf)  %nn = f32[4] broadcast(%n), dimensions={}  %z = f32[] constant(0)  %zz = f32[4] broadcast(%z), dimensions={}"
	  "  %p = pred[4] compare(%a, %nn), direction=EQ  %r = f32[4] select(%p, %zz, %a)", "%r = f32[4] copy(%a)", 2, "S15", W({ 0 }) },
	{ "a logarithm may be -inf", "f32[4]", "f32[4]",
	  "%l = f32[4] log(%a)  %n = f32[] constant(-inf)  %nn = f32[4] broadcast(%n), dimensions={}  %z = f32[] constant(0)"
	  "  %zz = f32[4] broadcast(%z), dimensions={}  %p = pred[4] compare(%l, %nn), direction=EQ  %r = f32[4] select(%p, %zz, %l)",
	  "%r = f32[4] log(%a)", NEVER, "", W({ 0, 1, 2, 3 }) },
	{ "is-finite stays", "f32[4]", "f32[4]",
	  "%i = f32[] constant(inf)  %ii = f32[4] broadcast(%i), dimensions={}  %e = f32[4] exponential(%a)"
	  "  %p = pred[4] compare(%e, %ii), direction=EQ  %z = f32[] constant(0)  %zz = f32[4] broadcast(%z), dimensions={}"
	  "  %r = f32[4] select(%p, %zz, %e)",
	  "%r = f32[4] exponential(%a)", NEVER, "", W({ 1e9, 1, 2, 3 }) },
#define GUARDED(value, compare) "%z = f32[] constant(0)  %zz = f32[4] broadcast(%z), dimensions={}  %e = f32[4] " value "  %q = pred[4] compare(" compare \
	"  %r = f32[4] select(%q, %b, %c)"
	{ "an exponential is greater than 0", "f32[4] f32[4] f32[4]", "f32[4]",
	  GUARDED("exponential(%a)", "%e, %zz), direction=GT"), "%r = f32[4] copy(%b)", 2, "S15 sign",
	  W({ 0 }) },
	{ "an exponential is not 0", "f32[4] f32[4] f32[4]", "f32[4]",
	  GUARDED("exponential(%a)", "%e, %zz), direction=EQ"), "%r = f32[4] copy(%c)", 2, "S15 sign",
	  W({ 0 }) },
	{ "a square is at least 0", "f32[4] f32[4] f32[4]", "f32[4]",
	  GUARDED("multiply(%a, %a)", "%zz, %e), direction=LE"), "%r = f32[4] copy(%b)", 2, "S15 sign",
	  W({ 0 }) },
	{ "a square is not less than 0", "f32[4] f32[4] f32[4]", "f32[4]",
	  GUARDED("multiply(%a, %a)", "%e, %zz), direction=LT"), "%r = f32[4] copy(%c)", 2, "S15 sign",
	  W({ 0 }) },
	{ "a square may be 0", "f32[4] f32[4] f32[4]", "f32[4]",
	  GUARDED("multiply(%a, %a)", "%zz, %e), direction=LT"), "%r = f32[4] copy(%b)", NEVER, "",
	  W({ 0, 1, 1, 1 }, { 2, 3, 4, 5 }, { -1, 1, 1, 1 }) },
	{ "a square may be 0 and at most 0", "f32[4] f32[4] f32[4]", "f32[4]",
	  GUARDED("multiply(%a, %a)", "%e, %zz), direction=LE"), "%r = f32[4] copy(%c)", NEVER, "",
	  W({ 0, 1, 1, 1 }, { 2, 3, 4, 5 }, { -1, 1, 1, 1 }) },
	{ "the square of a logarithm may be no number", "f32[4] f32[4] f32[4]", "f32[4]",
	  GUARDED("log(%a)  %l = f32[4] multiply(%e, %e)", "%zz, %l), direction=LE"), "%r = f32[4] copy(%b)", NEVER, "",
	  W({ -1, 1, 1, 1 }, { 2, 3, 4, 5 }, { -1, 1, 1, 1 }) },
	{ "the exponential of a logarithm may be 0", "f32[4] f32[4] f32[4]", "f32[4]",
	  GUARDED("log(%a)  %l = f32[4] exponential(%e)", "%zz, %l), direction=LT"), "%r = f32[4] copy(%b)", NEVER, "",
	  W({ 0, 1, 1, 1 }, { 2, 3, 4, 5 }, { -1, 1, 1, 1 }) },
	{ "a number may be less than 0", "f32[4] f32[4] f32[4]", "f32[4]",
	  GUARDED("negate(%a)", "%zz, %e), direction=LE"), "%r = f32[4] copy(%b)", NEVER, "",
	  W({ 1, 1, 1, 1 }, { 2, 3, 4, 5 }, { -1, 1, 1, 1 }) },
	/* S13: causal masks */
	{ "softmax of a causally masked row, with and without the shift", "f32[4,4] f32[4]", "f32[4]",
	  "%i = s32[4,4] iota(), iota_dimension=0  %j = s32[4,4] iota(), iota_dimension=1  %p = pred[4,4] compare(%j, %i), direction=LE"
	  "  %n = f32[] constant(-inf)  %nn = f32[4,4] broadcast(%n), dimensions={}  %s = f32[4,4] select(%p, %a, %nn)"
	  "  %m = f32[4] reduce(%s, %n), dimensions={1}, to_apply=%max  %mm = f32[4,4] broadcast(%m), dimensions={0}"
	  "  %d = f32[4,4] subtract(%s, %mm)  %e = f32[4,4] exponential(%d)  %o = f32[4] constant({1, 1, 1, 1})"
	  "  %l = f32[4] dot(%e, %o), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
	  "  %v = f32[4] dot(%e, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}  %r = f32[4] divide(%v, %l)",
	  "%i = s32[4,4] iota(), iota_dimension=0  %j = s32[4,4] iota(), iota_dimension=1  %p = pred[4,4] compare(%j, %i), direction=LE"
	  "  %n = f32[] constant(-inf)  %nn = f32[4,4] broadcast(%n), dimensions={}  %s = f32[4,4] select(%p, %a, %nn)"
	  "  %e = f32[4,4] exponential(%s)  %o = f32[4] constant({1, 1, 1, 1})"
	  "  %l = f32[4] dot(%e, %o), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
	  "  %v = f32[4] dot(%e, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}  %r = f32[4] divide(%v, %l)", 2, "S1,S12", W({ 0 }) },
	{ "the same where the first row sees nothing", "f32[4,4] f32[4]", "f32[4]",
	  "%i = s32[4,4] iota(), iota_dimension=0  %j = s32[4,4] iota(), iota_dimension=1  %p = pred[4,4] compare(%j, %i), direction=LT"
	  "  %n = f32[] constant(-inf)  %nn = f32[4,4] broadcast(%n), dimensions={}  %s = f32[4,4] select(%p, %a, %nn)"
	  "  %m = f32[4] reduce(%s, %n), dimensions={1}, to_apply=%max  %mm = f32[4,4] broadcast(%m), dimensions={0}"
	  "  %d = f32[4,4] subtract(%s, %mm)  %e = f32[4,4] exponential(%d)"
	  "  %r = f32[4] dot(%e, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
	  "%i = s32[4,4] iota(), iota_dimension=0  %j = s32[4,4] iota(), iota_dimension=1  %p = pred[4,4] compare(%j, %i), direction=LT"
	  "  %n = f32[] constant(-inf)  %nn = f32[4,4] broadcast(%n), dimensions={}  %s = f32[4,4] select(%p, %a, %nn)"
	  "  %m = f32[4] reduce(%s, %n), dimensions={1}, to_apply=%max  %x = f32[4] exponential(%m)"
	  "  %e = f32[4,4] exponential(%s)  %v = f32[4] dot(%e, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"
	  "  %z = f32[] constant(0)  %zz = f32[4] broadcast(%z), dimensions={}  %q = pred[4] compare(%x, %zz), direction=EQ"
	  "  %y = f32[4] divide(%v, %x)  %r = f32[4] select(%q, %zz, %y)", NEVER, "", W({ 1, 2, 3, 4, 5, 6, 7, 8 }, { 1, 2, 3, 4 }) },
	/* S14 */
	{ "a common positive factor", "f32[4] f32[4] f32[4]", "f32[4]",
	  "%e = f32[4] exponential(%a)  %x = f32[4] divide(%b, %e)  %y = f32[4] divide(%c, %e)  %r = f32[4] add(%x, %y)",
	  "%e = f32[4] exponential(%a)  %s = f32[4] add(%b, %c)  %r = f32[4] divide(%s, %e)", 2, "S14", W({ 0 }) },
	{ "a common factor that may be zero", "f32[4] f32[4] f32[4]", "f32[4]",
	  "%x = f32[4] divide(%b, %a)  %y = f32[4] divide(%c, %a)  %r = f32[4] add(%x, %y)",
	  "%s = f32[4] add(%b, %c)  %r = f32[4] divide(%s, %a)", NEVER, "", W({ 0, 1, 2, 3 }, { 2, 1, 1, 1 }, { -1, 1, 1, 1 }) },
	/* positive for certain, or not */
	{ "a relu over itself", "f32[4] f32[4]", "f32[4]",
	  "%z = f32[] constant(0)  %zz = f32[4] broadcast(%z), dimensions={}  %p = f32[4] maximum(%a, %zz)  %y = f32[4] multiply(%p, %b)"
	  "  %r = f32[4] divide(%y, %p)", "%r = f32[4] copy(%b)", NEVER, "", W({ -1, 1, 2, 3 }, { 1, 1, 1, 1 }) },
	{ "a masked exponential over itself", "f32[4] f32[4]", "f32[4]",
	  "%z = f32[] constant(0)  %zz = f32[4] broadcast(%z), dimensions={}  %e = f32[4] exponential(%a)"
	  "  %q = pred[4] compare(%a, %b), direction=LT  %p = f32[4] select(%q, %e, %zz)  %y = f32[4] multiply(%p, %b)"
	  "  %r = f32[4] divide(%y, %p)", "%r = f32[4] copy(%b)", NEVER, "", W({ 2, 0, 0, 0 }, { 1, 1, 1, 1 }) },
	{ "an exponential rounded to a narrow type over itself", "f32[4] bf16[4]", "bf16[4]",
	  "%e = f32[4] exponential(%a)  %p = bf16[4] convert(%e)  %y = bf16[4] multiply(%p, %b)  %r = bf16[4] divide(%y, %p)",
	  "%r = bf16[4] copy(%b)", NEVER, "", W({ -1000, 0, 0, 0 }, { 1, 1, 1, 1 }) },
	{ "a row of which one place counts for certain", "f32[4,4] f32[4]", "f32[4]",
	  "%i = s32[4,4] iota(), iota_dimension=0  %j = s32[4,4] iota(), iota_dimension=1  %p = pred[4,4] compare(%j, %i), direction=EQ"
	  "  %e = f32[4,4] exponential(%a)  %z = f32[] constant(0)  %zz = f32[4,4] broadcast(%z), dimensions={}"
	  "  %m = f32[4,4] maximum(%a, %zz)  %s = f32[4,4] select(%p, %e, %m)  %o = f32[4] constant({1, 1, 1, 1})"
	  "  %l = f32[4] dot(%s, %o), lhs_contracting_dims={1}, rhs_contracting_dims={0}  %y = f32[4] divide(%b, %l)  %r = f32[4] multiply(%y, %l)",
	  "%r = f32[4] copy(%b)", 2, "S2 mul", W({ 0 }) },
	/* S7 */
#define PLACE(n, i, of) "%s" n " = f32[1] slice(%" of "), slice={[" i "]}  "
#define FOUR(of) PLACE("0", "0:1", of) PLACE("1", "1:2", of) PLACE("2", "2:3", of) PLACE("3", "3:4", of)
#define ALL_OF(f, of, init) "%n = f32[] constant(" init ")  %q = f32[] reduce(%" of ", %n), dimensions={0}, to_apply=%" f "  %r = f32[1] reshape(%q)"
#define TOGETHER(f, last) "%u = f32[1] " f "(%s0, %s1)  %v = f32[1] " f "(%s2, %" last ")  %r = f32[1] " f "(%u, %v)"
	{ "a product written out", "f32[4]", "f32[1]", ALL_OF("prod", "a", "1"), FOUR("a") TOGETHER("multiply", "s3"), 6, "S7 red", W({ 0 }) },
	{ "a product written out, one factor twice", "f32[4]", "f32[1]", ALL_OF("prod", "a", "1"), FOUR("a") TOGETHER("multiply", "s2"), NEVER, "",
	  W({ 1, 2, 3, 4 }) },
	{ "a product that begins with two", "f32[4]", "f32[1]", ALL_OF("prod", "a", "2"), FOUR("a") TOGETHER("multiply", "s3"), NEVER, "", W({ 1, 2, 3, 4 }) },
	{ "a product in two halves", "f32[8]", "f32[1]", ALL_OF("prod", "a", "1"),
	  "%n = f32[] constant(1)  %x = f32[4] slice(%a), slice={[0:4]}  %y = f32[4] slice(%a), slice={[4:8]}"
	  "  %u = f32[] reduce(%x, %n), dimensions={0}, to_apply=%prod  %v = f32[] reduce(%y, %n), dimensions={0}, to_apply=%prod"
	  "  %q = f32[] multiply(%u, %v)  %r = f32[1] reshape(%q)", 6, "S7 red", W({ 0 }) },
	{ "logs summed one by one", "f32[4]", "f32[1]", "%l = f32[4] log(%a)  " ALL_OF("sum", "l", "0"), "%l = f32[4] log(%a)  " FOUR("l") TOGETHER("add", "s3"), 6,
	  "S7 ein", W({ 0 }) },
	{ "logs summed one by one, one twice", "f32[4]", "f32[1]", "%l = f32[4] log(%a)  " ALL_OF("sum", "l", "0"),
	  "%l = f32[4] log(%a)  " FOUR("l") TOGETHER("add", "s1"), NEVER, "", W({ 1, 2, 3, 4 }) },
#define COSINES "%k = f32[3] constant({0, 1, 1})  %b = f32[3] broadcast(%a), dimensions={}  %m = f32[3] multiply(%k, %b)  %e = f32[3] cosine(%m)" \
	"  %z = f32[] constant(0)  %r = f32[] reduce(%e, %z), dimensions={0}, to_apply=%sum"
#define ONE_BY_ONE(last) "%z = f32[] constant(0)  %o = f32[] cosine(%z)  %e = f32[] cosine(%a)  %s = f32[] add(%e, %" last ")  %r = f32[] add(%o, %s)"
	{ "a sum of cosines, one of nothing", "f32[]", "f32[]", COSINES, ONE_BY_ONE("e"), 6, "S7 ein", W({ 0 }) },
	{ "a sum of cosines, two of nothing", "f32[]", "f32[]", COSINES, ONE_BY_ONE("o"), NEVER, "", W({ 1 }) },
	/* S8 */
#define TURNED(n, of, x, y) "%p" n " = f32[" x "," y "] reshape(%" of ")  %q" n " = f32[" y "," x "] transpose(%p" n "), dimensions={1,0}  %t" n " = f32[6] reshape(%q" n ")  "
#define BOTH TURNED("0", "b", "2", "3") TURNED("1", "c", "3", "2")
#define IN_ORDER(f, x, y, leave) BOTH "%u = f32[6] " f "(%a, %" x ")  %v = f32[6] " f "(%u, %" y ")  " leave
#define SAME(to) "%r = f32[6] " to "(%v)"
	{ "a product of what is turned in two ways", "f32[6] f32[6] f32[6]", "f32[6]", IN_ORDER("multiply", "t0", "t1", SAME("copy")),
	  IN_ORDER("multiply", "t1", "t0", SAME("copy")), 2, "S8 mul", W({ 0 }) },
	{ "a sum of what is turned in two ways", "f32[6] f32[6] f32[6]", "f32[6]", IN_ORDER("add", "t0", "t1", SAME("sine")),
	  IN_ORDER("add", "t1", "t0", SAME("sine")), 2, "S8 sum", W({ 0 }) },
	{ "a maximum of what is turned in two ways", "f32[6] f32[6] f32[6]", "f32[6]", IN_ORDER("maximum", "t0", "t1", SAME("copy")),
	  IN_ORDER("maximum", "t1", "t0", SAME("copy")), 2, "S8 lat", W({ 0 }) },
#define CONTRACTED(x, y) BOTH "%u = f32[6] multiply(%a, %" x ")  %r = f32[] dot(%u, %" y "), lhs_contracting_dims={0}, rhs_contracting_dims={0}"
	{ "a contraction of what is turned in two ways", "f32[6] f32[6] f32[6]", "f32[]", CONTRACTED("t0", "t1"), CONTRACTED("t1", "t0"), 2, "S8 ein", W({ 0 }) },
	{ "turned in the other way", "f32[6] f32[6] f32[6]", "f32[6]", IN_ORDER("multiply", "t0", "t1", SAME("copy")),
	  TURNED("0", "b", "3", "2") TURNED("1", "c", "2", "3") "%u = f32[6] multiply(%a, %t1)  %r = f32[6] multiply(%u, %t0)", NEVER, "",
	  W({ 1, 1, 1, 1, 1, 1 }, { 1, 2, 3, 4, 5, 6 }, { 1, 1, 2, 3, 5, 8 }) },
	{ "turned in one way only", "f32[6] f32[6] f32[6]", "f32[]", CONTRACTED("t0", "t1"), CONTRACTED("c", "t0"), NEVER, "",
	  W({ 1, 2, 1, 4, 1, 1 }, { 1, 2, 3, 4, 5, 6 }, { 1, 1, 2, 3, 5, 8 }) },
	/* D11 */
	{ "a reciprocal as a literal", "f32[4]", "f32[4]",
	  "%k = f32[] constant(4.69041634)  %kk = f32[4] broadcast(%k), dimensions={}  %r = f32[4] divide(%a, %kk)",
	  "%k = f32[] constant(0.213200718)  %kk = f32[4] broadcast(%k), dimensions={}  %r = f32[4] multiply(%a, %kk)", 1, "D11", W({ 0 }) },
	{ "adjacent literals", "f32[4]", "f32[4]",
	  "%k = f32[] constant(0.1)  %kk = f32[4] broadcast(%k), dimensions={}  %r = f32[4] multiply(%a, %kk)",
	  "%k = f32[] constant(0.100000016)  %kk = f32[4] broadcast(%k), dimensions={}  %r = f32[4] multiply(%a, %kk)", NEVER, "",
	  W({ 1e6, 1e7, 1e8, 1e9 }) },
	{ "divided by adjacent literals", "f32[4]", "f32[4]",
	  "%k = f32[] constant(0.1)  %kk = f32[4] broadcast(%k), dimensions={}  %r = f32[4] divide(%a, %kk)",
	  "%k = f32[] constant(0.100000016)  %kk = f32[4] broadcast(%k), dimensions={}  %r = f32[4] divide(%a, %kk)", NEVER, "",
	  W({ 1e6, 1e7, 1e8, 1e9 }) },
	{ "adjacent integers", "f32[4]", "f32[4]",
	  "%k = f32[] constant(16777214)  %kk = f32[4] broadcast(%k), dimensions={}  %r = f32[4] multiply(%a, %kk)",
	  "%k = f32[] constant(16777215)  %kk = f32[4] broadcast(%k), dimensions={}  %r = f32[4] multiply(%a, %kk)", NEVER, "",
	  W({ 1, 2, 3, 4 }) },
	{ "neighbours in a wider type", "f64[4]", "f64[4]",
	  "%k = f64[] constant(4.69041586)  %kk = f64[4] broadcast(%k), dimensions={}  %r = f64[4] divide(%a, %kk)",
	  "%k = f64[] constant(0.213200718)  %kk = f64[4] broadcast(%k), dimensions={}  %r = f64[4] multiply(%a, %kk)", NEVER, "",
	  W({ 1e8, 2e8, 3e8, 4e8 }) },
};

enum { EXAMPLES = sizeof examples / sizeof *examples };

/* ---- texts */

static void program_text(char *out, size_t n, const struct example *x, const char *body)
{
	char types[128], *save = NULL, *t;
	size_t k;
	int i = 0;

	strcpy(types, x->params);
	k = (size_t)snprintf(out, n, "HloModule m, num_partitions=1\n\n%s\nENTRY %%main {\n", MAX);
	for (t = strtok_r(types, " ", &save); t; t = strtok_r(NULL, " ", &save), i++)
		k += (size_t)snprintf(out + k, n - k, "%%%c = %s parameter(%d)\n", 'a' + i, t, i);
	for (; *body && k + 2 < n; body++) {
		if (body[0] == ' ' && body[1] == ' ') {
			out[k++] = '\n';
			body++;
		} else {
			out[k++] = *body;
		}
	}
	snprintf(out + k, n - k, "\nROOT %%result = %s copy(%%r)\n}\n", x->result);
}

static struct text_pair *open_example(const struct example *x)
{
	static char base[8192], dist[8192];
	char plan[128] = "";
	const char *p;
	int i = 0;

	program_text(base, sizeof base, x, x->base);
	program_text(dist, sizeof dist, x, x->dist);
	for (p = x->params; p && *p; p = strchr(p, ' ') ? strchr(p, ' ') + 1 : NULL)
		sprintf(plan + strlen(plan), "input %d R\n", i++);
	strcat(plan, "output 0 R\n");
	return text_open(base, dist, plan);
}

/* ---- numbers */

static tensor *run_on(const module *m, double v[PARAMS][SIZE], interp **r)
{
	const comp *c = m->entry;
	tensor *in[PARAMS], *const *one[1] = { in };
	interp_options o = { .reading = INTERP_REALS, .replicas = 1, .partitions = 1 };
	tensor *out;
	int k;

	for (k = 0; k < c->nparam; k++) {
		in[k] = tensor_new(c->param[k]->shape);
		memcpy(in[k]->f, v[k], sizeof(double) * (size_t)(in[k]->n < SIZE ? in[k]->n : SIZE));
		for (int i = SIZE; i < in[k]->n; i++)
			in[k]->f[i] = v[k][i % SIZE] + i / SIZE;
	}
	*r = interp_new(m, &o);
	if (!interp_run(*r, one))
		fail_msg("%s", interp_why(*r));
	out = interp_output(*r, 0);
	for (k = 0; k < c->nparam; k++)
		tensor_unref(in[k]);
	return out;
}

static bool agree(const struct text_pair *t, double v[PARAMS][SIZE], double tolerance)
{
	interp *r, *s;
	tensor *x = run_on(t->p->base_m, v, &r), *y = run_on(t->p->dist_m, v, &s);
	bool same = true;
	int64_t i;

	assert_int_equal(x->n, y->n);
	for (i = 0; i < x->n; i++)
		same = same && ((isnan(x->f[i]) && isnan(y->f[i])) || x->f[i] == y->f[i] ||
				(isfinite(x->f[i]) && fabs(x->f[i] - y->f[i]) <= tolerance * fmax(1, fabs(x->f[i]))));
	interp_free(r);
	interp_free(s);
	return same;
}

static void check_numbers(const struct text_pair *t, const struct example *x)
{
	double v[PARAMS][SIZE];
	uint64_t seed = 42;
	int i, k, run;

	if (x->level == NEVER) {
		memcpy(v, x->witness, sizeof v);
		if (agree(t, v, 1e-9))
			fail_msg("%s: the witness is none", x->name);
		return;
	}
	for (run = 0; run < 20; run++) {
		for (k = 0; k < PARAMS; k++)
			for (i = 0; i < SIZE; i++) {
				seed = seed * 6364136223846793005u + 1442695040888963407u;
				v[k][i] = (double)(int64_t)(seed >> 33) / (1 << 29) - 2;
			}
		if (!agree(t, v, 1e-6))
			fail_msg("%s: the programs differ", x->name);
	}
}

/* ---- proofs */

static bool meets_rule(const struct text_pair *t, const explanation *e, const char *name, size_t n)
{
	const prover *p = t->p->p;
	uint32_t i;

	for (i = 0; i < e->n; i++) {
		const eg_edge *d = eg_get_edge(p->g, e->item[i].id);
		if (d->kind == EG_RULE && strlen(prover_rule_name(p, history_at(&p->a, d->firing)->rule)) == n &&
		    !strncmp(prover_rule_name(p, history_at(&p->a, d->firing)->rule), name, n))
			return true;
	}
	return false;
}

static void check_proof(struct text_pair *t, const struct example *x)
{
	const goal *g = &t->p->q->goal[0];
	explanation e = proof_of(&t->p->p->a, g->want, g->have, &t->a);
	const char *r = x->rules, *why;
	uint32_t item;
	size_t n;

	why = proof_check(&t->p->p->a, &e, &item);
	if (why)
		fail_msg("%s, item %u: %s", x->name, item, why);
	for (; *r; r += n + (r[n] == ',')) {
		n = strcspn(r, ",");
		if (!meets_rule(t, &e, r, n))
			fail_msg("%s: the proof does not use %.*s", x->name, (int)n, r);
	}
}

/* Both sides of every firing have the same values, infinities and zeros tried too; constants that are read aside. */
static void check_firings(struct text_pair *t, const struct example *x)
{
	const prover *p = t->p->p;
	certify_limits wild = { .wild = true, .seed = 3 };
	enum certify_how how;
	uint32_t k;

	for (k = 0; k < history_count(&p->a); k++) {
		const hist_entry *h = history_at(&p->a, k);
		const char *why;
		if (h->rule >= rules_n(p->r) || reading_of(p, k, &t->a) || rules_at(p->r, h->rule)->ruleset == p->set_lift)
			continue;
		why = certify_firing(&p->a, h, &wild, &how, &t->a);
		if (why)
			fail_msg("%s, %s: %s", x->name, prover_rule_name(p, h->rule), why);
	}
}

static void switch_all(prover *p)
{
	uint32_t k;

	for (k = 0; k < rules_n(p->r); k++)
		if (rules_at(p->r, k)->ruleset == p->set_search)
			prover_switch(p, k, true);
}

static void test_examples(void **state)
{
	int k;

	(void)state;
	for (k = 0; k < EXAMPLES; k++) {
		const struct example *x = &examples[k];
		struct text_pair *t = open_example(x);
		levels l;
		check_numbers(t, x);
		level_init(&l, t->p->q);
		level_run(&l);
		assert_false(level_any_cut(&l));
		if ((x->level != NEVER) != goal_met(t->p->q, &t->p->q->goal[0]))
			fail_msg("%s: %s", x->name, x->level == NEVER ? "proved" : "not proved");
		if (x->level != NEVER) {
			if (level_at(&l) != x->level)
				fail_msg("%s: proved at level %d", x->name, level_at(&l));
			check_proof(t, x);
		} else {
			assert_int_equal(level_at(&l), LEVEL_COUNT - 1);
		}
		check_firings(t, x);
		level_free(&l);
		text_close(t);
	}
}

/* With all search rules on from the start the same pairs are proved, and no firing is wrong. */
static void test_all_on(void **state)
{
	int k;

	(void)state;
	for (k = 0; k < EXAMPLES; k++) {
		const struct example *x = &examples[k];
		struct text_pair *t = open_example(x);
		switch_all(t->p->p);
		pair_run(t->p->q);
		assert_false(t->p->q->cut);
		if (x->level == NEVER && goal_met(t->p->q, &t->p->q->goal[0]))
			fail_msg("%s: proved", x->name);
		check_firings(t, x);
		text_close(t);
	}
}

/* ---- levels */

static const struct example *example_named(const char *name)
{
	int k;

	for (k = 0; strcmp(examples[k].name, name); k++)
		;
	return &examples[k];
}

/* A level that proves nothing leaves nothing behind. */
static void test_undone(void **state)
{
	struct text_pair *t = open_example(example_named("x over itself"));
	prover *p = t->p->p;
	uint32_t nodes, firings, k;
	levels l;

	(void)state;
	pair_run(t->p->q);
	nodes = eg_nnode(p->g);
	firings = history_count(&p->a);
	level_init(&l, t->p->q);
	level_run(&l);
	assert_int_equal(eg_nnode(p->g), nodes);
	assert_int_equal(history_count(&p->a), firings);
	assert_null(eg_check(p->g));
	assert_false(p->a.searching);
	for (k = 0; k < rules_n(p->r); k++)
		if (rules_at(p->r, k)->ruleset == p->set_search)
			assert_false(prover_rule_on(p, k));
	level_free(&l);
	text_close(t);
}

/* Undone to any point, the search goes on from there to the same end. */
static void test_stepped(void **state)
{
	struct text_pair *t = open_example(example_named("exp over itself"));
	algebra *a = &t->p->p->a;
	uint32_t nodes, moves = 0, k;
	trail_mark mark[4096];
	levels l;

	(void)state;
	level_init(&l, t->p->q);
	for (;;) {
		mark[moves++] = trail_at(a->tr);
		if (level_move(&l) == LEVEL_DONE)
			break;
		assert_true(moves < 4096);
	}
	nodes = eg_nnode(a->g);
	assert_true(goal_met(t->p->q, &t->p->q->goal[0]));
	for (k = moves; k-- > 0; ) {
		if (mark[k] > trail_at(a->tr))
			continue;	/* in a level that was undone */
		trail_undo(a->tr, mark[k]);
		if (k % 7)
			continue;
		level_run(&l);
		assert_int_equal(eg_nnode(a->g), nodes);
		assert_int_equal(level_at(&l), 2);
	}
	level_free(&l);
	text_close(t);
}

static void test_barred(void **state)
{
	struct text_pair *t = open_example(example_named("exp of a sum"));
	levels l;

	(void)state;
	level_init(&l, t->p->q);
	level_bar(&l, prover_rule_named(t->p->p, "S1"), true);
	level_run(&l);
	assert_false(goal_met(t->p->q, &t->p->q->goal[0]));
	level_bar(&l, prover_rule_named(t->p->p, "S1"), false);
	level_free(&l);
	text_close(t);
}

static void test_limit(void **state)
{
	struct text_pair *t = open_example(example_named("softmax of a causally masked row, with and without the shift"));
	levels l;

	(void)state;
	level_init(&l, t->p->q);
	l.limit = 3;
	level_run(&l);
	assert_false(goal_met(t->p->q, &t->p->q->goal[0]));
	assert_true(level_was_cut(&l, 2));
	assert_null(eg_check(t->p->p->g));
	level_free(&l);
	text_close(t);
}

static void test_sentences(void **state)
{
	static const char *const want[][2] = {
		{ "a reciprocal as a literal", "0.213200718 is read as 1/4.69041634" },
		{ "base two", "the constant 1.44269502 is read as a multiple of log2(e)" },
	};
	size_t i;
	uint32_t k;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct text_pair *t = open_example(example_named(want[i][0]));
		const char *s = NULL, *r;
		levels l;
		level_init(&l, t->p->q);
		level_run(&l);
		for (k = 0; k < history_count(&t->p->p->a); k++)
			if ((r = reading_of(t->p->p, k, &t->a)))
				s = r;
		assert_non_null(s);
		assert_string_equal(s, want[i][1]);
		level_free(&l);
		text_close(t);
	}
}

/* ---- long programs */

enum { LONG_STEPS = 200 };	/* of two instructions each */

/* A softmax of a product, shifted by one of its columns, then many steps. `missing`: the sum over devices is left out. */
static char *long_program(arena *out, bool dist, bool missing, int column)
{
	int n = dist ? 4 : 8, k;
	char *t = arena_printf(out, "HloModule m\n\n%%add (x: f32[], y: f32[]) -> f32[] {\n  %%x = f32[] parameter(0)\n  %%y = f32[] parameter(1)\n"
			       "  ROOT %%r = f32[] add(%%x, %%y)\n}\n\nENTRY %%e (a: f32[4,%d], b: f32[%d,2]) -> f32[4,2] {\n"
			       "  %%a = f32[4,%d] parameter(0)\n  %%b = f32[%d,2] parameter(1)\n"
			       "  %%s = f32[4,2] dot(%%a, %%b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n", n, n, n, n);

	if (dist && !missing)
		t = arena_printf(out, "%s  %%u = f32[4,2] all-reduce(%%s), replica_groups={{0,1}}, to_apply=%%add\n", t);
	t = arena_printf(out, "%s  %%z = f32[] constant(0)\n  %%m1 = f32[4,1] slice(%%%s), slice={[0:4], [%d:%d]}\n  %%m = f32[4] reshape(%%m1)\n"
			 "  %%mm = f32[4,2] broadcast(%%m), dimensions={0}\n  %%d = f32[4,2] subtract(%%%s, %%mm)\n  %%e = f32[4,2] exponential(%%d)\n"
			 "  %%l = f32[4] reduce(%%e, %%z), dimensions={1}, to_apply=%%add\n  %%ll = f32[4,2] broadcast(%%l), dimensions={0}\n"
			 "  %%t0 = f32[4,2] divide(%%e, %%ll)\n", t, dist && !missing ? "u" : "s", column, column + 1, dist && !missing ? "u" : "s");
	for (k = 0; k < LONG_STEPS; k++)
		t = arena_printf(out, "%s  %%c%d = f32[4,2] cosine(%%t%d)\n  %st%d = f32[4,2] sine(%%c%d)\n", t, k, k,
				 k == LONG_STEPS - 1 ? "ROOT %" : "%", k + 1, k);
	return arena_printf(out, "%s}\n", t);
}

static const char long_plan[] = "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\noutput 0 R\n";

/* Another shift of the softmax at the beginning of a long program: a search next to it proves it, and all that follows with it. */
static void test_long(void **state)
{
	arena out;
	struct text_pair *t;
	levels l;

	(void)state;
	arena_init(&out);
	t = text_open(long_program(&out, false, false, 0), long_program(&out, true, false, 1), long_plan);
	pair_run(t->p->q);
	assert_true(window_long(t->p->q));
	assert_true(window_explains(t->p->q));
	level_init(&l, t->p->q);
	level_run(&l);
	assert_true(goal_met(t->p->q, &t->p->q->goal[0]));
	assert_int_equal(level_at(&l), 2);
	assert_true(pair_done(t->p->q));
	level_free(&l);
	text_close(t);
	arena_free(&out);
}

/* The second half of the steps lies outside of the window. */
static bool far_rows_stay(const pair *q)
{
	int k;

	for (k = q->dist->nrow - 1; k > q->dist->nrow - LONG_STEPS; k--)
		if (!normal_outside(&q->p->a, q->dist->row[k].tensor))
			return false;
	return true;
}

/* A fault at the beginning of one: the search looks next to it, comes to an end, and leaves nothing behind; undone at any
 * point it does so again. */
static void test_long_fault(void **state)
{
	arena out;
	struct text_pair *t;
	algebra *a;
	uint32_t nodes, firings, moves = 0, k;
	trail_mark mark[20000];
	bool looked = false;
	levels l;

	(void)state;
	arena_init(&out);
	t = text_open(long_program(&out, false, true, 0), long_program(&out, true, true, 0), long_plan);
	a = &t->p->p->a;
	pair_run(t->p->q);
	nodes = eg_nnode(a->g);
	firings = history_count(a);
	assert_true(window_long(t->p->q));
	assert_true(window_explains(t->p->q));
	assert_int_equal(eg_nnode(a->g), nodes);
	level_init(&l, t->p->q);
	do {
		assert_true(moves < 20000);
		mark[moves++] = trail_at(a->tr);
		if (level_at(&l) == 2 && !pair_done(t->p->q)) {
			assert_true(far_rows_stay(t->p->q));
			looked = true;
		}
	} while (level_move(&l) != LEVEL_DONE);
	assert_true(looked);
	assert_false(level_any_cut(&l));
	assert_false(goal_met(t->p->q, &t->p->q->goal[0]));
	assert_int_equal(eg_nnode(a->g), nodes);
	assert_int_equal(history_count(a), firings);
	assert_false(normal_outside(a, t->p->q->dist->row[t->p->q->dist->nrow - 1].tensor));
	for (k = moves; k-- > 0; )
		if (mark[k] <= trail_at(a->tr) && k % 97 == 0) {
			trail_undo(a->tr, mark[k]);
			level_run(&l);
			assert_int_equal(eg_nnode(a->g), nodes);
			assert_false(level_any_cut(&l));
		}
	level_free(&l);
	text_close(t);
	arena_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples), cmocka_unit_test(test_all_on), cmocka_unit_test(test_undone),
		cmocka_unit_test(test_stepped), cmocka_unit_test(test_barred), cmocka_unit_test(test_limit),
		cmocka_unit_test(test_sentences), cmocka_unit_test(test_long), cmocka_unit_test(test_long_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
