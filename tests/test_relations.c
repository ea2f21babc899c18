/* Every construct of a plan on a small pair: what holds is proved, what does not is not, and both programs are run on numbers
 * that satisfy the plan, by a reading of it that shares nothing with the algebra's. */
#include "certify/certify.h"
#include "problem/numbers_run.h"
#include "text_pair.h"

#define ADD "%add (a: f32[], b: f32[]) -> f32[] {\n%a = f32[] parameter(0)\n%b = f32[] parameter(1)\nROOT %s = f32[] add(%a, %b)\n}\n"
#define MAXI "%max (a: f32[], b: f32[]) -> f32[] {\n%a = f32[] parameter(0)\n%b = f32[] parameter(1)\nROOT %s = f32[] maximum(%a, %b)\n}\n"
#define MINI "%min (a: f32[], b: f32[]) -> f32[] {\n%a = f32[] parameter(0)\n%b = f32[] parameter(1)\nROOT %s = f32[] minimum(%a, %b)\n}\n"
#define ANDS "%and (a: pred[], b: pred[]) -> pred[] {\n%a = pred[] parameter(0)\n%b = pred[] parameter(1)\nROOT %s = pred[] and(%a, %b)\n}\n"
#define ORS "%or (a: pred[], b: pred[]) -> pred[] {\n%a = pred[] parameter(0)\n%b = pred[] parameter(1)\nROOT %s = pred[] or(%a, %b)\n}\n"
#define BASE(lines) "HloModule m\n\n" ADD MAXI "ENTRY %main {\n" lines "}\n"
#define ON(n, lines) "HloModule m, num_partitions=" #n "\n\n" ADD MAXI MINI ANDS ORS "ENTRY %main {\n" lines "}\n"
#define ALL(op) ", channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%" op "\n"
#define NEG(t) "%x = " t " parameter(0)\nROOT %y = " t " negate(%x)\n"
#define EXP(t) "%x = " t " parameter(0)\nROOT %y = " t " exponential(%x)\n"
#define SCALED(t, c, y) "%x = " t " parameter(0)\n%c = f32[] constant(" c ")\n%k = " t " broadcast(%c), dimensions={}\n" y " = " t " multiply(%x, %k)\n"
#define TIMES(t, c) SCALED(t, c, "ROOT %y")
#define TOTAL(n, red) "%x = f32[" n "] parameter(0)\n%z = f32[] constant(0)\n" red "%s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n"
#define REDUCED(t, op) "%x = " t " parameter(0)\n%r = " t " all-reduce(%x)" ALL(op)
#define HIGHEST(z) "%x = f32[3] parameter(0)\n" z "\nROOT %m = f32[] reduce(%x, %z), dimensions={0}, to_apply=%max\n"
#define M2 "mesh a=2\n"

enum { PROVED = 'P', UNDER = 'H', NOT = 'N', EQUAL = '=', DIFFER = 'D', UNRUN = '-' };

static const struct example {
	const char *name, *base, *dist, *plan;
	char is, numbers;
} examples[] = {
	/* placements */
	{ "R", BASE(NEG("f32[4]")), ON(2, NEG("f32[4]")), M2 "input 0 R\noutput 0 R\n", PROVED, EQUAL },
	{ "S", BASE(NEG("f32[4,6]")), ON(2, NEG("f32[4,3]")), M2 "input 0 a:S(1)\noutput 0 a:S(1)\n", PROVED, EQUAL },
	{ "S over another axis", BASE(NEG("f32[4]")), ON(4, NEG("f32[2]")), "mesh a=2 b=2\ninput 0 a:S(0)\noutput 0 b:S(0)\n", NOT, DIFFER },
	{ "two axes on a dimension", BASE(NEG("f32[8]")), ON(4, NEG("f32[2]")), "mesh a=2 b=2\ninput 0 b:S(0) a:S(0)\noutput 0 b:S(0) a:S(0)\n",
	  PROVED, EQUAL },
	{ ".. in two orders", BASE(NEG("f32[8]")), ON(4, NEG("f32[2]")), "mesh a=2 b=2\ninput 0 b:S(0) a:S(0)\noutput 0 a:S(0) b:S(0)\n", NOT, DIFFER },
	{ "an axis that replicates", BASE(NEG("f32[4]")), ON(4, NEG("f32[2]")), "mesh a=2 b=2\ninput 0 a:R b:S(0)\noutput 0 b:S(0)\n", PROVED, EQUAL },
	{ "segments", BASE(NEG("f32[5,12]")), ON(2, NEG("f32[5,6]")), M2 "input 0 a:S(1; 8,4)\noutput 0 a:S(1; 8,4)\n", PROVED, EQUAL },
	{ "other segments", BASE(NEG("f32[5,12]")), ON(2, NEG("f32[5,6]")), M2 "input 0 a:S(1; 8,4)\noutput 0 a:S(1; 4,8)\n", NOT, DIFFER },
	{ "segments beside another axis", BASE(NEG("f32[6,12]")), ON(4, NEG("f32[3,6]")),
	  "mesh a=2 b=2\ninput 0 b:S(0) a:S(1; 8,4)\noutput 0 b:S(0) a:S(1; 8,4)\n", PROVED, EQUAL },
	/* attributes that nobody knows */
	{ "an unknown attribute", BASE(NEG("f32[4]")), ON(2, "%x = f32[4] parameter(0)\nROOT %y = f32[4] negate(%x), odd=1\n"),
	  M2 "input 0 R\noutput 0 R\n", NOT, UNRUN },
	{ "the same one", BASE("%x = f32[4] parameter(0)\nROOT %y = f32[4] negate(%x), odd=1\n"),
	  ON(2, "%x = f32[4] parameter(0)\nROOT %y = f32[4] negate(%x), odd=1\n"), M2 "input 0 R\noutput 0 R\n", PROVED, UNRUN },
	{ "another value of it", BASE("%x = f32[4] parameter(0)\nROOT %y = f32[4] negate(%x), odd=1\n"),
	  ON(2, "%x = f32[4] parameter(0)\nROOT %y = f32[4] negate(%x), odd=2\n"), M2 "input 0 R\noutput 0 R\n", NOT, UNRUN },
	{ "an unknown attribute of a collective", BASE(NEG("f32[4]")), ON(2, "%x = f32[4] parameter(0)\n%r = f32[4] all-reduce(%x), channel_id=1, "
	  "replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%add, odd=1\nROOT %y = f32[4] negate(%r)\n"),
	  M2 "input 0 a:P(sum)\n", NOT, UNRUN },
	{ "the same one of collectives", BASE("%x = f32[4] parameter(0)\nROOT %y = f32[4] all-reduce(%x), replica_groups={}, to_apply=%add, odd=1\n"),
	  ON(2, "%x = f32[4] parameter(0)\nROOT %y = f32[4] all-reduce(%x), replica_groups={}, to_apply=%add, odd=1\n"), M2 "input 0 R\noutput 0 R\n",
	  NOT, UNRUN },
	/* reductions */
	{ "P(sum)", BASE(NEG("f32[4]")), ON(2, REDUCED("f32[4]", "add") "ROOT %y = f32[4] negate(%r)\n"), M2 "input 0 a:P(sum)\n", PROVED, EQUAL },
	{ "P(max)", BASE(EXP("f32[4]")), ON(2, REDUCED("f32[4]", "max") "ROOT %y = f32[4] exponential(%r)\n"), M2 "input 0 a:P(max)\n", PROVED, EQUAL },
	{ "P(min)", BASE(EXP("f32[4]")), ON(2, REDUCED("f32[4]", "min") "ROOT %y = f32[4] exponential(%r)\n"), M2 "input 0 a:P(min)\n", PROVED, EQUAL },
	{ "P(max) by a minimum", BASE(EXP("f32[4]")), ON(2, REDUCED("f32[4]", "min") "ROOT %y = f32[4] exponential(%r)\n"), M2 "input 0 a:P(max)\n",
	  NOT, DIFFER },
	{ "P(and)", BASE("%x = pred[4] parameter(0)\nROOT %y = pred[4] not(%x)\n"),
	  ON(2, REDUCED("pred[4]", "and") "ROOT %y = pred[4] not(%r)\n"), M2 "input 0 a:P(and)\n", PROVED, EQUAL },
	{ "P(or)", BASE("%x = pred[4] parameter(0)\nROOT %y = pred[4] not(%x)\n"),
	  ON(2, REDUCED("pred[4]", "or") "ROOT %y = pred[4] not(%r)\n"), M2 "input 0 a:P(or)\n", PROVED, EQUAL },
	{ "P(or) by an and", BASE("%x = pred[4] parameter(0)\nROOT %y = pred[4] not(%x)\n"),
	  ON(2, REDUCED("pred[4]", "and") "ROOT %y = pred[4] not(%r)\n"), M2 "input 0 a:P(or)\n", NOT, DIFFER },
	{ "an output that is P(sum)", BASE(TOTAL("6", "ROOT ")), ON(2, TOTAL("3", "ROOT ")), M2 "input 0 a:S(0)\noutput 0 a:P(sum)\n", PROVED, EQUAL },
	{ "an output that is no sum", BASE(TOTAL("6", "ROOT ")), ON(2, TOTAL("3", "ROOT ")), M2 "input 0 a:S(0)\noutput 0 R\n", NOT, DIFFER },
	{ "an output that is P(max)", BASE("%x = f32[6] parameter(0)\n%z = f32[] constant(-inf)\nROOT %m = f32[] reduce(%x, %z), dimensions={0}, to_apply=%max\n"),
	  ON(2, "%x = f32[3] parameter(0)\n%z = f32[] constant(-inf)\nROOT %m = f32[] reduce(%x, %z), dimensions={0}, to_apply=%max\n"),
	  M2 "input 0 a:S(0)\noutput 0 a:P(max)\n", PROVED, EQUAL },
	{ "an output in parts of what is repeated", BASE(NEG("f32[3]")), ON(2, "%x = f32[6] parameter(0)\nROOT %y = f32[6] negate(%x)\n"),
	  M2 "input 0 a:P(sum) repeat(0; 2)\noutput 0 repeat(0; 2) a:P(sum)\n", PROVED, EQUAL },
	{ "an output in parts of two kinds", BASE(EXP("f32[4]")), ON(4, EXP("f32[4]")), "mesh a=2 b=2\ninput 0 R\noutput 0 a:P(sum) b:P(max)\n", NOT, UNRUN },
	/* factors */
	{ "scale", BASE(NEG("f32[4]")), ON(2, TIMES("f32[4]", "-0.5")), M2 "input 0 scale(2)\noutput 0 R\n", PROVED, EQUAL },
	{ "scale by a fraction", BASE(NEG("f32[4]")), ON(2, TIMES("f32[4]", "-4")), M2 "input 0 scale(1/4)\noutput 0 R\n", PROVED, EQUAL },
	{ "another scale", BASE(NEG("f32[4]")), ON(2, TIMES("f32[4]", "-0.5")), M2 "input 0 scale(3)\noutput 0 R\n", NOT, DIFFER },
	{ "the mean", BASE(NEG("f32[4]")), ON(2, REDUCED("f32[4]", "add") "%c = f32[] constant(-0.5)\n%k = f32[4] broadcast(%c), dimensions={}\n"
	  "ROOT %y = f32[4] multiply(%r, %k)\n"), M2 "input 0 scale(2) a:P(sum)\n", PROVED, EQUAL },
	{ "the sum for the mean", BASE(NEG("f32[4]")), ON(2, REDUCED("f32[4]", "add") "ROOT %y = f32[4] negate(%r)\n"),
	  M2 "input 0 scale(2) a:P(sum)\n", NOT, DIFFER },
	{ "an output that is scaled", BASE(NEG("f32[4]")), ON(2, TIMES("f32[4]", "-3")), M2 "input 0 R\noutput 0 scale(3)\n", PROVED, EQUAL },
	{ "an output that is scaled otherwise", BASE(NEG("f32[4]")), ON(2, TIMES("f32[4]", "-3")), M2 "input 0 R\noutput 0 scale(-3)\n", NOT, DIFFER },
	{ "a mean as output", BASE(TOTAL("6", "ROOT ")), ON(2, TOTAL("3", "") "%c = f32[] constant(4)\nROOT %y = f32[] multiply(%s, %c)\n"),
	  M2 "input 0 a:S(0)\noutput 0 scale(4) a:P(sum)\n", PROVED, EQUAL },
	/* other shapes */
	{ "reshape and transpose", BASE(NEG("f32[4,6]")), ON(2, NEG("f32[3,4]")),
	  M2 "input 0 reshape(4,3,2) a:S(2) reshape(4,3) transpose(1,0)\noutput 0 reshape(4,3,2) a:S(2) reshape(4,3) transpose(1,0)\n", PROVED, EQUAL },
	{ "another reshape", BASE(NEG("f32[4,6]")), ON(2, NEG("f32[4,3]")),
	  M2 "input 0 reshape(4,3,2) a:S(2) reshape(4,3)\noutput 0 a:S(1)\n", NOT, DIFFER },
	{ "repeat", BASE(NEG("f32[3]")), ON(2, "%x = f32[6] parameter(0)\n%s = f32[3] slice(%x), slice={[0:6:2]}\nROOT %y = f32[3] negate(%s)\n"),
	  M2 "input 0 repeat(0; 2)\noutput 0 R\n", PROVED, EQUAL },
	{ "repeat is not tile", BASE(NEG("f32[3]")), ON(2, "%x = f32[6] parameter(0)\n%s = f32[3] slice(%x), slice={[0:3]}\nROOT %y = f32[3] negate(%s)\n"),
	  M2 "input 0 repeat(0; 2)\noutput 0 R\n", NOT, DIFFER },
	{ "padding is not the same where it is repeated", BASE(NEG("f32[3]")), ON(2, "%x = f32[8] parameter(0)\n%s = f32[3] slice(%x), slice={[0:6:2]}\n"
	  "%p = f32[1] slice(%x), slice={[6:7]}\n%q = f32[1] slice(%x), slice={[7:8]}\n%d = f32[1] subtract(%p, %q)\n%e = f32[] reshape(%d)\n"
	  "%f = f32[3] broadcast(%e), dimensions={}\n%n = f32[3] negate(%s)\nROOT %y = f32[3] add(%n, %f)\n"),
	  M2 "input 0 pad(0; 4) repeat(0; 2)\noutput 0 R\n", NOT, DIFFER },
	{ "repeat and shard", BASE(NEG("f32[4]")), ON(2, NEG("f32[4]")), M2 "input 0 repeat(0; 2) a:S(0)\noutput 0 repeat(0; 2) a:S(0)\n", PROVED, EQUAL },
	{ "take", BASE(NEG("f32[4]")), ON(2, NEG("f32[3]")),
	  M2 "input 0 take(0; unit 2; 1,0,-1) a:S(0)\noutput 0 take(0; unit 2; 1,0,-1) a:S(0)\n", PROVED, EQUAL },
	{ "take, not the zeros", BASE(EXP("f32[4]")), ON(2, EXP("f32[3]")),
	  M2 "input 0 take(0; unit 2; 1,0,-1) a:S(0)\noutput 0 take(0; unit 2; 1,0,-1) a:S(0)\n", NOT, DIFFER },
	{ "take in another order", BASE(NEG("f32[4]")), ON(2, NEG("f32[2]")),
	  M2 "input 0 take(0; unit 1; 3,2,1,0) a:S(0)\noutput 0 a:S(0)\n", NOT, DIFFER },
	/* padding */
	{ "zeros in the padding", BASE(TOTAL("5", "ROOT ")), ON(2, TOTAL("3", "") "ROOT %r = f32[] all-reduce(%s)" ALL("add")), M2 "input 0 pad(0; 6; 0) a:S(0)\n",
	  PROVED, EQUAL },
	{ "anything in the padding", BASE(TOTAL("5", "ROOT ")), ON(2, TOTAL("3", "") "ROOT %r = f32[] all-reduce(%s)" ALL("add")), M2 "input 0 pad(0; 6) a:S(0)\n",
	  NOT, DIFFER },
	{ "a padded output", BASE(EXP("f32[5]")), ON(2, EXP("f32[3]")), M2 "input 0 pad(0; 6) a:S(0)\noutput 0 pad(0; 6) a:S(0)\n", PROVED, EQUAL },
	{ "an output padded with zeros", BASE(NEG("f32[5]")), ON(2, NEG("f32[3]")), M2 "input 0 pad(0; 6; 0) a:S(0)\noutput 0 pad(0; 6; 0) a:S(0)\n",
	  PROVED, EQUAL },
	{ "an output padded with ones", BASE(EXP("f32[5]")), ON(2, EXP("f32[3]")), M2 "input 0 pad(0; 6; 0) a:S(0)\noutput 0 pad(0; 6; 0) a:S(0)\n",
	  NOT, DIFFER },
	{ "a padded and scaled output", BASE(NEG("f32[5]")), ON(2, TIMES("f32[3]", "-2")), M2 "input 0 pad(0; 6) a:S(0)\noutput 0 scale(2) pad(0; 6) a:S(0)\n",
	  PROVED, EQUAL },
	{ "a padded output of another scale", BASE(NEG("f32[5]")), ON(2, NEG("f32[3]")), M2 "input 0 pad(0; 6) a:S(0)\noutput 0 scale(2) pad(0; 6) a:S(0)\n",
	  NOT, DIFFER },
	{ "segments of a scaled output", BASE(NEG("f32[12]")), ON(2, NEG("f32[6]")), M2 "input 0 a:S(0; 8,4)\noutput 0 scale(2) a:S(0; 8,4)\n", NOT, DIFFER },
	{ "a padded output in parts", BASE(NEG("f32[5]")), ON(4, NEG("f32[3]")),
	  "mesh a=2 b=2\ninput 0 pad(0; 6) a:S(0) b:P(sum)\noutput 0 pad(0; 6) a:S(0) b:P(sum)\n", PROVED, EQUAL },
	{ "what is ignored is not read", BASE("%x = f32[3] parameter(0)\nROOT %y = f32[2] slice(%x), slice={[0:2]}\n"),
	  ON(2, "%x = f32[3] parameter(0)\nROOT %y = f32[2] slice(%x), slice={[0:2]}\n"), M2 "input 0 ignore(0; 2)\noutput 0 R\n", PROVED, EQUAL },
	{ "what is ignored is read", BASE("%x = f32[3] parameter(0)\nROOT %y = f32[2] slice(%x), slice={[0:2]}\n"),
	  ON(2, "%x = f32[3] parameter(0)\nROOT %y = f32[2] slice(%x), slice={[0:2]}\n"), M2 "input 0 ignore(0; 1)\noutput 0 R\n", NOT, DIFFER },
	{ "an output that is ignored in places", BASE(NEG("f32[3]")), ON(2, NEG("f32[3]")), M2 "input 0 ignore(0; 1)\noutput 0 ignore(0; 1)\n",
	  PROVED, EQUAL },
	{ "ignored in other places", BASE(NEG("f32[3]")), ON(2, NEG("f32[3]")), M2 "input 0 ignore(0; 1)\noutput 0 ignore(0; 0)\n", NOT, DIFFER },
	/* types */
	{ "convert on an input", BASE(NEG("f32[4]")), ON(2, "%x = bf16[4] parameter(0)\n%f = f32[4] convert(%x)\nROOT %y = f32[4] negate(%f)\n"),
	  M2 "input 0 convert(bf16)\noutput 0 R\n", UNDER, UNRUN },
	{ "convert on an output", BASE(NEG("f32[4]")), ON(2, "%x = f32[4] parameter(0)\n%n = f32[4] negate(%x)\nROOT %y = bf16[4] convert(%n)\n"),
	  M2 "input 0 R\noutput 0 convert(bf16)\n", PROVED, UNRUN },
	{ "convert on a padded output", BASE(NEG("f32[5]")), ON(2, "%x = f32[3] parameter(0)\n%n = f32[3] negate(%x)\nROOT %y = bf16[3] convert(%n)\n"),
	  M2 "input 0 pad(0; 6) a:S(0)\noutput 0 convert(bf16) pad(0; 6) a:S(0)\n", PROVED, UNRUN },
	{ "converted after it was scaled", BASE(NEG("f32[4]")), ON(2, SCALED("f32[4]", "-3", "%y") "ROOT %z = bf16[4] convert(%y)\n"),
	  M2 "input 0 R\noutput 0 scale(3) convert(bf16)\n", PROVED, UNRUN },
	{ "converted before it was scaled", BASE(NEG("f32[4]")), ON(2, SCALED("f32[4]", "-3", "%y") "ROOT %z = bf16[4] convert(%y)\n"),
	  M2 "input 0 R\noutput 0 convert(bf16) scale(3)\n", NOT, UNRUN },
	{ "rounded before", BASE(NEG("f32[4]")), ON(2, "%x = f32[4] parameter(0)\n%b = bf16[4] convert(%x)\n%f = f32[4] convert(%b)\nROOT %y = f32[4] negate(%f)\n"),
	  M2 "input 0 R\noutput 0 R\n", NOT, UNRUN },
	/* parameters without counterpart */
	{ "a number", BASE(TIMES("f32[4]", "3")), ON(2, "%x = f32[4] parameter(0)\n%c = f32[] parameter(1)\n%k = f32[4] broadcast(%c), dimensions={}\n"
	  "ROOT %y = f32[4] multiply(%x, %k)\n"), M2 "input 0 R\ninput 1 = 3\n", PROVED, EQUAL },
	{ "another number", BASE(TIMES("f32[4]", "3")), ON(2, "%x = f32[4] parameter(0)\n%c = f32[] parameter(1)\n%k = f32[4] broadcast(%c), dimensions={}\n"
	  "ROOT %y = f32[4] multiply(%x, %k)\n"), M2 "input 0 R\ninput 1 = 3.5\n", NOT, DIFFER },
	{ "a number that rounds to the program's", BASE(TIMES("f32[4]", "1e-05")), ON(2, "%x = f32[4] parameter(0)\n%c = f32[] parameter(1)\n"
	  "%k = f32[4] broadcast(%c), dimensions={}\nROOT %y = f32[4] multiply(%x, %k)\n"), M2 "input 0 R\ninput 1 = 9.99999975e-06\n", PROVED, EQUAL },
	{ "one that rounds to its neighbour", BASE(TIMES("f32[4]", "1e-05")), ON(2, "%x = f32[4] parameter(0)\n%c = f32[] parameter(1)\n"
	  "%k = f32[4] broadcast(%c), dimensions={}\nROOT %y = f32[4] multiply(%x, %k)\n"), M2 "input 0 R\ninput 1 = 9.99999884e-06\n", NOT, UNRUN },
	{ "-inf", BASE(HIGHEST("%z = f32[] constant(-inf)")), ON(2, HIGHEST("%z = f32[] parameter(1)")), M2 "input 0 R\ninput 1 = -inf\n", PROVED, EQUAL },
	{ "-inf of another operand", BASE(HIGHEST("%z = f32[] constant(-inf)")), ON(2, HIGHEST("%z = f32[] parameter(1)")), M2 "input 0 R\ninput 1 = inf\n", NOT, DIFFER },
	{ "partition-id", BASE(NEG("f32[4]")), ON(2, "%x = f32[4] parameter(0)\n%i = s32[] parameter(1)\n%k = s32[] constant(2)\n%o = s32[] multiply(%i, %k)\n"
	  "%d = f32[2] dynamic-slice(%x, %o), dynamic_slice_sizes={2}\nROOT %y = f32[2] negate(%d)\n"), M2 "input 0 R\ninput 1 = partition-id\noutput 0 a:S(0)\n",
	  PROVED, EQUAL },
	{ "a mesh axis", BASE(NEG("f32[4]")), ON(4, "%x = f32[4] parameter(0)\n%i = s32[] parameter(1)\n%k = s32[] constant(2)\n%o = s32[] multiply(%i, %k)\n"
	  "%d = f32[2] dynamic-slice(%x, %o), dynamic_slice_sizes={2}\nROOT %y = f32[2] negate(%d)\n"),
	  "mesh a=2 b=2\ninput 0 R\ninput 1 = a\noutput 0 a:S(0)\n", PROVED, EQUAL },
	{ "another axis", BASE(NEG("f32[4]")), ON(4, "%x = f32[4] parameter(0)\n%i = s32[] parameter(1)\n%k = s32[] constant(2)\n%o = s32[] multiply(%i, %k)\n"
	  "%d = f32[2] dynamic-slice(%x, %o), dynamic_slice_sizes={2}\nROOT %y = f32[2] negate(%d)\n"),
	  "mesh a=2 b=2\ninput 0 R\ninput 1 = b\noutput 0 a:S(0)\n", NOT, DIFFER },
	{ "any, not read", BASE(NEG("f32[4]")), ON(2, "%p = f32[4] parameter(1)\n" NEG("f32[4]")), M2 "input 0 R\ninput 1 = any\n", PROVED, EQUAL },
	{ "any, read", BASE(NEG("f32[4]")), ON(2, "%x = f32[4] parameter(0)\n%p = f32[4] parameter(1)\n%n = f32[4] subtract(%p, %x)\nROOT %y = f32[4] add(%n, %p)\n"),
	  M2 "input 0 R\ninput 1 = any\n", NOT, DIFFER },
	{ "positive", BASE("%x = f32[4] parameter(0)\nROOT %y = f32[4] abs(%x)\n"), ON(2, "%x = f32[4] parameter(0)\nROOT %y = f32[4] copy(%x)\n"),
	  M2 "input 0 R\ninput 0 > 0\n", PROVED, EQUAL },
	{ "not said to be positive", BASE("%x = f32[4] parameter(0)\nROOT %y = f32[4] abs(%x)\n"), ON(2, "%x = f32[4] parameter(0)\nROOT %y = f32[4] copy(%x)\n"),
	  M2 "input 0 R\n", NOT, DIFFER },
	{ "the baseline's is positive", BASE("%x = f32[4] parameter(0)\nROOT %y = f32[4] abs(%x)\n"), ON(2, "%x = f32[2] parameter(0)\nROOT %y = f32[2] copy(%x)\n"),
	  M2 "input 0 a:S(0)\noutput 0 a:S(0)\nbase 0 > 0\n", PROVED, EQUAL },
	{ "a range", BASE("%i = s32[] parameter(0)\n%t = f32[4] parameter(1)\nROOT %d = f32[1] dynamic-slice(%t, %i), dynamic_slice_sizes={1}\n"),
	  ON(2, "%i = s32[] parameter(0)\n%t = f32[8] parameter(1)\nROOT %d = f32[1] dynamic-slice(%t, %i), dynamic_slice_sizes={1}\n"),
	  M2 "input 0 R\ninput 0 in 0..3\ninput 1 pad(0; 8)\noutput 0 R\n", PROVED, EQUAL },
	{ "a range too wide", BASE("%i = s32[] parameter(0)\n%t = f32[4] parameter(1)\nROOT %d = f32[1] dynamic-slice(%t, %i), dynamic_slice_sizes={1}\n"),
	  ON(2, "%i = s32[] parameter(0)\n%t = f32[8] parameter(1)\nROOT %d = f32[1] dynamic-slice(%t, %i), dynamic_slice_sizes={1}\n"),
	  M2 "input 0 R\ninput 0 in 0..7\ninput 1 pad(0; 8)\noutput 0 R\n", NOT, DIFFER },
	/* references */
	{ "a counterpart of another number", BASE("%x = f32[4] parameter(0)\n%w = f32[4] parameter(1)\nROOT %y = f32[4] subtract(%x, %w)\n"),
	  ON(2, "%w = f32[4] parameter(0)\n%x = f32[4] parameter(1)\nROOT %y = f32[4] subtract(%x, %w)\n"), M2 "input 0<-1 R\ninput 1<-0 R\n", PROVED, EQUAL },
	{ "one parameter held twice", BASE("%x = f32[4] parameter(0)\nROOT %y = f32[4] multiply(%x, %x)\n"),
	  ON(2, "%x = f32[4] parameter(0)\n%w = f32[2] parameter(1)\n%g = f32[4] all-gather(%w), channel_id=1, replica_groups={{0,1}}, dimensions={0}, "
	  "use_global_device_ids=true\nROOT %y = f32[4] multiply(%x, %g)\n"), M2 "input 0 R\ninput 1<-0 a:S(0)\n", PROVED, EQUAL },
	{ "outputs in another order", BASE("%x = f32[4] parameter(0)\n%n = f32[4] negate(%x)\n%e = f32[4] exponential(%x)\nROOT %t = (f32[4], f32[4]) tuple(%n, %e)\n"),
	  ON(2, "%x = f32[4] parameter(0)\n%n = f32[4] negate(%x)\n%e = f32[4] exponential(%x)\nROOT %t = (f32[4], f32[4]) tuple(%e, %n)\n"),
	  M2 "input 0 R\noutput 0<-1 R\noutput 1<-0 R\n", PROVED, EQUAL },
	{ "an output that is not compared", BASE("%x = f32[4] parameter(0)\n%n = f32[4] negate(%x)\n%e = f32[4] exponential(%x)\nROOT %t = (f32[4], f32[4]) tuple(%n, %e)\n"),
	  ON(2, "%x = f32[4] parameter(0)\n%n = f32[4] negate(%x)\n%e = f32[4] log(%x)\nROOT %t = (f32[4], f32[4]) tuple(%n, %e)\n"),
	  M2 "input 0 R\noutput 0 R\noutput 1 any\n", PROVED, EQUAL },
	{ "a pinned parameter of the baseline", BASE("%x = f32[4] parameter(0)\n%c = f32[] parameter(1)\n%k = f32[4] broadcast(%c), dimensions={}\n"
	  "ROOT %y = f32[4] multiply(%x, %k)\n"), ON(2, TIMES("f32[4]", "3")), M2 "input 0 R\nbase 1 = 3\n", PROVED, EQUAL },
	{ "pinned to another number", BASE("%x = f32[4] parameter(0)\n%c = f32[] parameter(1)\n%k = f32[4] broadcast(%c), dimensions={}\n"
	  "ROOT %y = f32[4] multiply(%x, %k)\n"), ON(2, TIMES("f32[4]", "3")), M2 "input 0 R\nbase 1 = 2\n", NOT, DIFFER },
	{ "pinned to an infinite number", BASE("%x = f32[4] parameter(0)\n%c = f32[] parameter(1)\n%k = f32[4] broadcast(%c), dimensions={}\n"
	  "ROOT %y = f32[4] minimum(%x, %k)\n"), ON(2, "%x = f32[4] parameter(0)\n%c = f32[] constant(-inf)\n%k = f32[4] broadcast(%c), dimensions={}\n"
	  "ROOT %y = f32[4] minimum(%x, %k)\n"), M2 "input 0 R\nbase 1 = -inf\n", PROVED, EQUAL },
	{ "pinned to a number beyond all integers", BASE("%x = f32[4] parameter(0)\n%c = f32[] parameter(1)\n%k = f32[4] broadcast(%c), dimensions={}\n"
	  "ROOT %y = f32[4] multiply(%x, %k)\n"), ON(2, TIMES("f32[4]", "1e+20")), M2 "input 0 R\nbase 1 = 1e20\n", PROVED, EQUAL },
	{ "a truth value pinned", BASE("%p = pred[] parameter(0)\n%q = pred[4] broadcast(%p), dimensions={}\nROOT %y = pred[4] not(%q)\n"),
	  ON(2, "%c = pred[] constant(false)\nROOT %y = pred[4] broadcast(%c), dimensions={}\n"), M2 "base 0 = 1\n", PROVED, EQUAL },
	{ "a truth value pinned to the other", BASE("%p = pred[] parameter(0)\n%q = pred[4] broadcast(%p), dimensions={}\nROOT %y = pred[4] not(%q)\n"),
	  ON(2, "%c = pred[] constant(false)\nROOT %y = pred[4] broadcast(%c), dimensions={}\n"), M2 "base 0 = 0\n", NOT, DIFFER },
	/* stages: inner values */
	{ "an inner value as input", BASE("%x = f32[4] parameter(0)\n%e = f32[4] exponential(%x)\nROOT %y = f32[4] negate(%e)\n"),
	  ON(2, "%e = f32[2] parameter(0)\nROOT %y = f32[2] negate(%e)\n"), M2 "input 0<-%e a:S(0)\noutput 0 a:S(0)\n", UNDER, EQUAL },
	{ "parts of an inner value", BASE("%x = f32[4] parameter(0)\n%e = f32[4] multiply(%x, %x)\nROOT %y = f32[4] negate(%e)\n"),
	  ON(2, REDUCED("f32[4]", "add") "ROOT %y = f32[4] negate(%r)\n"), M2 "input 0<-%e a:P(sum)\noutput 0 R\n", UNDER, EQUAL },
	{ "another inner value", BASE("%x = f32[4] parameter(0)\n%e = f32[4] exponential(%x)\nROOT %y = f32[4] negate(%e)\n"),
	  ON(2, NEG("f32[4]")), M2 "input 0<-%y R\noutput 0 R\n", NOT, DIFFER },
	{ "a cut", BASE("%x = f32[4] parameter(0)\n%e = f32[4] exponential(%x)\nROOT %y = f32[4] negate(%e)\n"),
	  ON(2, NEG("f32[4]")), M2 "base %e = any\ninput 0<-%e R\noutput 0 R\n", UNDER, EQUAL },
	{ "a cut hides what is before it", BASE("%x = f32[4] parameter(0)\n%e = f32[4] exponential(%x)\nROOT %y = f32[4] negate(%e)\n"),
	  ON(2, "%x = f32[4] parameter(0)\n%e = f32[4] exponential(%x)\nROOT %y = f32[4] negate(%e)\n"), M2 "base %e = any\ninput 0 R\noutput 0 R\n", NOT, DIFFER },
	{ "an output that is an inner value", BASE("%x = f32[4] parameter(0)\n%e = f32[4] exponential(%x)\nROOT %y = f32[4] negate(%e)\n"),
	  ON(2, EXP("f32[2]")), M2 "input 0 a:S(0)\noutput 0<-%e a:S(0)\n", PROVED, EQUAL },
	{ "a cut that two inputs hold", BASE("%x = f32[4] parameter(0)\n%e = f32[4] exponential(%x)\nROOT %y = f32[4] add(%e, %e)\n"),
	  ON(2, "%a = f32[4] parameter(0)\n%b = f32[4] parameter(1)\nROOT %y = f32[4] add(%a, %b)\n"),
	  M2 "base %e = any\ninput 0<-%e R\ninput 1<-%e R\noutput 0 R\n", UNDER, EQUAL },
	{ "an obligation", BASE("%x = f32[4] parameter(0)\n%e = f32[4] exponential(%x)\nROOT %y = f32[4] negate(%e)\n"),
	  ON(2, "%x = f32[2] parameter(0)\n%f = f32[2] exponential(%x)\nROOT %y = f32[2] negate(%f)\n"),
	  M2 "input 0 a:S(0)\noutput 0 a:S(0)\noutput %f<-%e a:S(0)\n", PROVED, EQUAL },
	{ "an obligation that does not hold", BASE("%x = f32[4] parameter(0)\n%e = f32[4] exponential(%x)\nROOT %y = f32[4] negate(%e)\n"),
	  ON(2, "%x = f32[2] parameter(0)\n%f = f32[2] exponential(%x)\nROOT %y = f32[2] negate(%f)\n"),
	  M2 "input 0 a:S(0)\noutput 0 a:S(0)\noutput %f<-%y a:S(0)\n", NOT, DIFFER },
	{ "an obligation that is P(sum)", BASE("%x = f32[6] parameter(0)\n%z = f32[] constant(0)\n%s = f32[] reduce(%x, %z), dimensions={0}, to_apply=%add\n"
	  "ROOT %y = f32[] negate(%s)\n"), ON(2, TOTAL("3", "") "%r = f32[] all-reduce(%s)" ALL("add") "ROOT %y = f32[] negate(%r)\n"),
	  M2 "input 0 a:S(0)\noutput 0 R\noutput %s<-%s a:P(sum)\n", PROVED, EQUAL },
	{ "assume", BASE(EXP("f32[4]")), ON(2, "%x = f32[4] parameter(0)\n%l = f32[4] log(%x)\nROOT %y = f32[4] copy(%l)\n"),
	  M2 "input 0 R\noutput 0 R\nassume %l = base %y R\n", UNDER, EQUAL },
	{ "assume what does not help", BASE(EXP("f32[4]")), ON(2, "%x = f32[4] parameter(0)\n%l = f32[4] log(%x)\nROOT %y = f32[4] negate(%l)\n"),
	  M2 "input 0 R\noutput 0 R\nassume %l = base %y R\n", NOT, DIFFER },
	{ "assume parts", BASE(EXP("f32[4]")), ON(2, "%x = f32[4] parameter(0)\n%l = f32[4] log(%x)\nROOT %y = f32[4] all-reduce(%l)" ALL("add")),
	  M2 "input 0 R\noutput 0 R\nassume %l = base %y a:P(sum)\n", UNDER, UNRUN },
	{ "assume a shard", BASE(NEG("f32[4]")), ON(2, "%x = f32[4] parameter(0)\n%s = f32[2] slice(%x), slice={[1:3]}\nROOT %y = f32[2] copy(%s)\n"),
	  M2 "input 0 R\noutput 0 a:S(0)\nassume %s = base %y a:S(0)\n", UNDER, EQUAL },
};

static void run_numbers(struct text_pair *t, bool equal)
{
	const char *why = "";
	struct numbers_setup *s = numbers_setup(t->p, &why);
	numbers *n;
	int k, seed, differ = 0;

	if (!s)
		fail_msg("no numbers: %s", why);
	n = numbers_new(&s->p);
	for (k = 0; k < NUMBERS_KINDS; k++)
		for (seed = 1; seed <= 8; seed++) {
			numbers_result r = numbers_run(n, (enum numbers_kind)k, (uint64_t)seed);
			if (r.verdict == NUMBERS_REFUSED)
				fail_msg("refused: %s", r.why);
			differ += r.verdict == NUMBERS_DIFFER;
		}
	numbers_free(n);
	numbers_setup_free(s);
	if (equal != !differ)
		fail_msg("the numbers say otherwise: %d runs differ", differ);
}

static void certify_all(struct text_pair *t)
{
	certifier *c = certifier_new(t->p->p, NULL);
	certificate o;
	int k;

	for (k = 0; k < t->p->q->ngoal; k++)
		if (t->p->q->goal[k].compared && goal_met(t->p->q, &t->p->q->goal[k]) && !certify_goal(c, t->p->q, &t->p->q->goal[k], &o, &t->a))
			fail_msg("output %d: %s", k, o.why);
	certifier_free(c);
}

static void comes_out(void **state)
{
	const struct example *x = *state;
	struct text_pair *t = text_run(x->base, x->dist, x->plan);
	bool met = problem_goals_met(t->p) == problem_goals_compared(t->p);
	int k;

	if (met != (x->is != NOT)) {
		for (k = 0; k < t->p->q->ngoal; k++)
			print_message("output %d: %s\n", k, t->p->q->goal[k].why ? t->p->q->goal[k].why : "");
		fail_msg("%d of %d goals are met", problem_goals_met(t->p), problem_goals_compared(t->p));
	}
	if (x->is != NOT)
		assert_int_equal(t->p->nhypothesis > 0, x->is == UNDER);
	certify_all(t);
	if (x->numbers != UNRUN)
		run_numbers(t, x->numbers == EQUAL);
	text_close(t);
}

/* Relations of inputs that no tensor has, or that the order of their steps leaves open. */
static const struct refused {
	const char *name, *dist, *chain, *why;
} refusals[] = {
	{ "parts of what is repeated", ON(2, NEG("f32[8]")), "repeat(0; 2) a:P(sum)", "dist.plan:2:7: input 0: what is repeated, or zero, need not be so in its parts" },
	{ "parts of what is taken twice", ON(2, NEG("f32[4]")), "take(0; unit 2; 1,1) a:P(sum)", "need not be so in its parts" },
	{ "parts of zeros", ON(2, NEG("f32[6]")), "pad(0; 6; 0) a:P(max)", "need not be so in its parts" },
	{ "parts of blocks of zeros", ON(2, NEG("f32[4]")), "take(0; unit 2; 1,-1) a:P(sum)", "need not be so in its parts" },
	{ "parts of two kinds", ON(4, NEG("f32[4]")), "a:P(sum) b:P(max)", "parts of two kinds in one relation are not compared" },
	{ "scaled after it was converted", ON(2, NEG("bf16[4]")), "convert(bf16) scale(3)", "`scale` stands before `convert`" },
	{ "converted twice", ON(2, NEG("f32[4]")), "convert(bf16) convert(f32)", "it is converted twice" },
};

static void is_refused(void **state)
{
	const struct refused *x = *state;
	char plan[200], why[512];
	struct text_pair *t;

	snprintf(plan, sizeof plan, "mesh a=2%s\ninput 0 %s\n", strstr(x->chain, "b:") ? " b=2" : "", x->chain);
	t = text_load(BASE(NEG("f32[4]")), x->dist, plan, why, sizeof why);
	assert_null(t->p);
	text_holds(why, x->why);
	text_remove(t);
}

/* A line about an inner value that says nothing new, or nothing at all, is not passed over in silence. */
static void what_is_not_carried_out(void **state)
{
	struct text_pair *t = text_run(BASE(NEG("f32[4]")), ON(2, NEG("f32[4]")), M2 "input 0 R\noutput 0 R\nassume %y = base %y R\n");

	(void)state;
	assert_int_equal(t->p->q->nrefused, 1);
	text_holds(t->p->q->refused[0], "dist.plan:4 is not carried out: it is known already");
	text_close(t);
}

int main(void)
{
	enum { EXAMPLES = sizeof examples / sizeof *examples, REFUSED = sizeof refusals / sizeof *refusals };
	struct CMUnitTest test[EXAMPLES + REFUSED + 1];
	int k;

	test[EXAMPLES + REFUSED] = (struct CMUnitTest)cmocka_unit_test(what_is_not_carried_out);
	for (k = 0; k < REFUSED; k++)
		test[EXAMPLES + k] = (struct CMUnitTest){ refusals[k].name, is_refused, NULL, NULL, (void *)&refusals[k] };
	for (k = 0; k < EXAMPLES; k++)
		test[k] = (struct CMUnitTest){ examples[k].name, comes_out, NULL, NULL, (void *)&examples[k] };
	return cmocka_run_group_tests(test, NULL, NULL);
}
