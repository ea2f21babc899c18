/* Faults of parallel training programs: in each the wrong text and the right one differ in one place.  The right program is proved; of the
 * wrong one the faulty row is told, and nothing else. */
#include "pair/level.h"
#include "text_pair.h"

#define FUNCTIONS "%add (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT %s = f32[] add(%a, %b)\n}\n\n" \
	"%max (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT %s = f32[] maximum(%a, %b)\n}\n\n"
#define ENTRY "HloModule m\n\n" FUNCTIONS "ENTRY %main {\n"
#define SPMD(n) "HloModule m, num_partitions=" n "\n\n" FUNCTIONS "ENTRY %main {\n"
#define PRODUCT "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
#define TURNED "lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
#define ALL_REDUCE(name, shape, of, groups) \
	"  " name " = f32[" shape "] all-reduce(" of "), channel_id=1, replica_groups={" groups "}, use_global_device_ids=true, to_apply=%add\n"
#define ALL_TO_ALL(name, shape, of, dim) "  " name " = f32[" shape "] all-to-all(" of "), channel_id=1, replica_groups={{0,1}}, dimensions={" dim "}\n"
#define PERMUTE(name, shape, of, pairs) "  " name " = f32[" shape "] collective-permute(" of "), channel_id=1, source_target_pairs={" pairs "}\n"

struct fault {
	const char *base;
	const char *dist;	/* with <<wrong|right>> */
	const char *plan, *row, *says;
};

/* ---- pipelines */

/* "%first", "%last": am I that stage?  With the shape of what is chosen. */
#define STAGE(name, number, shape) "  %k" name " = u32[] constant(" number ")\n  %c" name " = pred[] compare(%id, %k" name "), direction=EQ\n" \
	"  %" name " = pred[" shape "] broadcast(%c" name "), dimensions={}\n"
#define ZEROS(shape) "  %z = f32[] constant(0)\n  %none = f32[" shape "] broadcast(%z), dimensions={}\n"
#define LAYER(k) "  %y" k " = f32[2,3] dot(%h" k ", %a), " PRODUCT "  %t" k " = f32[2,3] tanh(%y" k ")\n"
#define TWO_LAYERS ENTRY "  %x = f32[4,3] parameter(0)\n  %w = f32[2,3,3] parameter(1)\n" \
	"  %u = f32[1,3,3] slice(%w), slice={[0:1], [0:3], [0:3]}\n  %ur = f32[3,3] reshape(%u)\n  %p = f32[4,3] dot(%x, %ur), " PRODUCT "  %g = f32[4,3] tanh(%p)\n" \
	"  %v = f32[1,3,3] slice(%w), slice={[1:2], [0:3], [0:3]}\n  %vr = f32[3,3] reshape(%v)\n  %q = f32[4,3] dot(%g, %vr), " PRODUCT "  ROOT %o = f32[4,3] tanh(%q)\n}\n"
#define TWO_STAGES SPMD("2") "  %x = f32[4,3] parameter(0)\n  %w = f32[1,3,3] parameter(1)\n  %a = f32[3,3] reshape(%w)\n  %id = u32[] partition-id()\n" \
	STAGE("first", "0", "2,3") STAGE("last", "1", "2,3") ZEROS("2,3") \
	"  %x0 = f32[2,3] slice(%x), slice={[0:2], [0:3]}\n  %x1 = f32[2,3] slice(%x), slice={[2:4], [0:3]}\n" \
	"  %h0 = f32[2,3] select(%first, %x0, %none)\n" LAYER("0") PERMUTE("%r0", "2,3", "%t0", "{0,1}") \
	"  %h1 = f32[2,3] select(%first, %x1, %r0)\n" LAYER("1") PERMUTE("%r1", "2,3", "%t1", "{0,1}") \
	"  %h2 = f32[2,3] select(%first, %x1, %r1)\n" LAYER("2")
#define THREE_BACK ENTRY "  %w = f32[3,3,3] parameter(0)\n  %d = f32[2,3] parameter(1)\n" \
	"  %u = f32[1,3,3] slice(%w), slice={[2:3], [0:3], [0:3]}\n  %ur = f32[3,3] reshape(%u)\n  %p = f32[2,3] dot(%d, %ur), " TURNED \
	"  %v = f32[1,3,3] slice(%w), slice={[1:2], [0:3], [0:3]}\n  %vr = f32[3,3] reshape(%v)\n  %q = f32[2,3] dot(%p, %vr), " TURNED \
	"  %d1 = f32[1,2,3] reshape(%d)\n  %p1 = f32[1,2,3] reshape(%p)\n  %q1 = f32[1,2,3] reshape(%q)\n" \
	"  %c = f32[3,2,3] concatenate(%q1, %p1, %d1), dimensions={0}\n  ROOT %o = f32[3,2,3] tanh(%c)\n}\n"

/* ---- padding */

#define SUM_OF_EXP(shape) "  %e = f32[" shape "] exponential(%d)\n"
#define TWO_FACTORS ENTRY "  %x = f32[3,8] parameter(0)\n  %a = f32[8,4] parameter(1)\n  %b = f32[4,5] parameter(2)\n" \
	"  %h = f32[3,4] dot(%x, %a), " PRODUCT "  ROOT %o = f32[3,5] dot(%h, %b), " PRODUCT "}\n"
#define SCALED(name, of, by) "  %n" name " = f32[] constant(" by ")\n  %b" name " = f32[4] broadcast(%n" name "), dimensions={}\n  %" name " = f32[4] divide(%" of ", %b" name ")\n"
#define MIXED_BITS(n) "  %ln = u32[] constant(13)\n  %lb = u32[" n "] broadcast(%ln), dimensions={}\n  %l = u32[" n "] shift-left(%c, %lb)\n" \
	"  %rn = u32[] constant(19)\n  %rb = u32[" n "] broadcast(%rn), dimensions={}\n  %r = u32[" n "] shift-right-logical(%c, %rb)\n" \
	"  %m = u32[" n "] or(%l, %r)\n  %x = u32[" n "] xor(%m, %c)\n  %h = u32[] constant(2147483648)\n  %hb = u32[" n "] broadcast(%h), dimensions={}\n" \
	"  %keep = pred[" n "] compare(%x, %hb), direction=LT\n  %z = f32[] constant(0)\n  %none = f32[" n "] broadcast(%z), dimensions={}\n" \
	"  ROOT %o = f32[" n "] select(%keep, %w, %none)\n"
#define ROWS "lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
#define LOWER(n, v) "  %m = f32[" n "," n "] constant(" v ")\n"
#define LINEAR(o, state) ENTRY "  %q = f32[4,3] parameter(0)\n  %k = f32[4,3] parameter(1)\n  %v = f32[4,3] parameter(2)\n" \
	LOWER("4", "{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}}") "  %p = f32[4,4] dot(%q, %k), " TURNED "  %a = f32[4,4] multiply(%p, %m)\n" \
	"  " o " = f32[4,3] dot(%a, %v), " PRODUCT state "}\n"
#define STATE "  %s = f32[3,3] dot(%k, %v), " ROWS "  ROOT %r = (f32[4,3], f32[3,3]) tuple(%o, %s)\n"
#define CHUNK(k, rows) "  %q" k " = f32[2,3] slice(%q), slice={" rows ", [0:3]}\n  %k" k " = f32[2,3] slice(%k), slice={" rows ", [0:3]}\n" \
	"  %v" k " = f32[2,3] slice(%v), slice={" rows ", [0:3]}\n  %p" k " = f32[2,2] dot(%q" k ", %k" k "), " TURNED \
	"  %a" k " = f32[2,2] multiply(%p" k ", %m)\n  %w" k " = f32[2,3] dot(%a" k ", %v" k "), " PRODUCT
#define GATHER(name, shape, of, dim) "  " name " = f32[" shape "] all-gather(" of "), channel_id=1, replica_groups={{0,1}}, dimensions={" dim "}, use_global_device_ids=true\n"

static const struct fault faults[] = {
	/* what the last stage gives out is taken one tick too early */
	{ TWO_LAYERS,
	  TWO_STAGES "  %o0 = f32[2,3] select(%last, %<<t0|t1>>, %none)\n  %o1 = f32[2,3] select(%last, %<<t1|t2>>, %none)\n"
	  "  %c = f32[4,3] concatenate(%o0, %o1), dimensions={0}\n" ALL_REDUCE("ROOT %o", "4,3", "%c", "{0,1}") "}\n",
	  "mesh pp=2\ninput 0 R\ninput 1 pp:S(0)\noutput 0 R\n", "o0",
	  "on device 1 it takes %t0, where that is nothing of the baseline's; on device 0 that is a part of %g of the baseline, and not taken" },
	/* .. and by the stage that does not have it */
	{ TWO_LAYERS,
	  TWO_STAGES "  %c = f32[4,3] concatenate(%t1, %t2), dimensions={0}\n" STAGE("out", "<<0|1>>", "4,3") "  %nothing = f32[4,3] broadcast(%z), dimensions={}\n"
	  "  %s = f32[4,3] select(%out, %c, %nothing)\n" ALL_REDUCE("ROOT %o", "4,3", "%s", "{0,1}") "}\n",
	  "mesh pp=2\ninput 0 R\ninput 1 pp:S(0)\noutput 0 R\n", "s",
	  "on device 0 it takes %c, where that is nothing of the baseline's; on device 1 that is %o of the baseline, and not taken" },
	/* gradients are sent the way the values were */
	{ THREE_BACK,
	  SPMD("3") "  %w = f32[1,3,3] parameter(0)\n  %d = f32[2,3] parameter(1)\n  %a = f32[3,3] reshape(%w)\n  %id = u32[] partition-id()\n" ZEROS("2,3")
	  STAGE("s2", "2", "2,3") STAGE("s1", "1", "2,3") STAGE("s0", "0", "2,3")
	  "  %g0 = f32[2,3] select(%s2, %d, %none)\n  %q0 = f32[2,3] dot(%g0, %a), " TURNED PERMUTE("%r0", "2,3", "%q0", "<<{0,1},{1,2},{2,0}|{2,1},{1,0}>>")
	  "  %g1 = f32[2,3] select(%s1, %r0, %g0)\n  %q1 = f32[2,3] dot(%g1, %a), " TURNED PERMUTE("%r1", "2,3", "%q1", "<<{0,1},{1,2},{2,0}|{2,1},{1,0}>>")
	  "  %g2 = f32[2,3] select(%s0, %r1, %g1)\n  %t = f32[2,3] tanh(%g2)\n  ROOT %o = f32[1,2,3] reshape(%t)\n}\n",
	  "mesh pp=3\ninput 0 pp:S(0)\ninput 1 R\noutput 0 pp:S(0)\n", "g1",
	  "on device 1 it takes %r0, where that is zeros, sent by device 0; on device 0 that is %p1 of the baseline, sent by device 2, and not taken" },
	/* a vocabulary is padded, and the padding not masked */
	{ ENTRY "  %x = f32[3,4] parameter(0)\n  %w = f32[4,7] parameter(1)\n  %d = f32[3,7] dot(%x, %w), " PRODUCT SUM_OF_EXP("3,7")
	  "  %z = f32[] constant(0)\n  ROOT %s = f32[3] reduce(%e, %z), dimensions={1}, to_apply=%add\n}\n",
	  SPMD("2") "  %x = f32[3,4] parameter(0)\n  %w = f32[4,7] parameter(1)\n  %z = f32[] constant(0)\n  %v = f32[4,8] pad(%w, %z), padding=0_0x0_1\n"
	  "  %p = u32[] partition-id()\n  %i = s32[] convert(%p)\n  %k = s32[] constant(4)\n  %at = s32[] multiply(%i, %k)\n  %n = s32[] constant(0)\n"
	  "  %own = f32[4,4] dynamic-slice(%v, %n, %at), dynamic_slice_sizes={4,4}\n  %d = f32[3,4] dot(%x, %own), " PRODUCT SUM_OF_EXP("3,4")
	  "  %c = s32[4] iota(), iota_dimension=0\n  %atb = s32[4] broadcast(%at), dimensions={}\n  %col = s32[4] add(%c, %atb)\n  %m = s32[] constant(7)\n"
	  "  %mb = s32[4] broadcast(%m), dimensions={}\n  %in = pred[4] compare(%col, %mb), direction=LT\n  %inb = pred[3,4] broadcast(%in), dimensions={1}\n"
	  "  %zb = f32[3,4] broadcast(%z), dimensions={}\n  %f = f32[3,4] select(%inb, %e, %zb)\n"
	  "  %s = f32[3] reduce(%<<e|f>>, %z), dimensions={1}, to_apply=%add\n" ALL_REDUCE("ROOT %o", "3", "%s", "{0,1}") "}\n",
	  "mesh tp=2\ninput 0 R\ninput 1 R\noutput 0 R\n", "s",
	  "it takes in the padding of %v, which puts 1 place of 0 behind the 7 that %w has in dimension 1: what was made of it is not 0" },
	/* divided before the sum over devices, and before that, and after it */
	{ ENTRY "  %x = f32[8,4] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[4] reduce(%x, %z), dimensions={0}, to_apply=%add\n" SCALED("m", "s", "8") "  ROOT %t = f32[4] sine(%m)\n}\n",
	  SPMD("2") "  %x = f32[4,4] parameter(0)\n  %z = f32[] constant(0)\n  %s = f32[4] reduce(%x, %z), dimensions={0}, to_apply=%add\n"
	  SCALED("a", "s", "4") SCALED("b", "a", "<<2|1>>") ALL_REDUCE("%r", "4", "%b", "{0,1}") SCALED("c", "r", "2") "  ROOT %t = f32[4] sine(%c)\n}\n",
	  "mesh dp=2\ninput 0 dp:S(0)\noutput 0 R\n", "c",
	  "it is 1/2 x %m: %c divides by 2, %b divides by 2, %a divides by 4; %m of the baseline divides by 8: a factor too many" },
	/* every device takes a part from each end, and those of the far end are put back as they come */
	{ ENTRY "  %x = f32[16,3] parameter(0)\n  ROOT %t = f32[16,3] sine(%x)\n}\n",
	  SPMD("4") "  %x = f32[16,3] parameter(0)\n  %p = u32[] partition-id()\n  %z = u32[] constant(0)\n  %two = u32[] constant(2)\n  %low = u32[] multiply(%p, %two)\n"
	  "  %last = u32[] constant(14)\n  %high = u32[] subtract(%last, %low)\n  %l = f32[2,3] dynamic-slice(%x, %low, %z), dynamic_slice_sizes={2,3}\n"
	  "  %h = f32[2,3] dynamic-slice(%x, %high, %z), dynamic_slice_sizes={2,3}\n  %c = f32[4,3] concatenate(%l, %h), dimensions={0}\n  %t = f32[4,3] sine(%c)\n"
	  "  %g = f32[16,3] all-gather(%t), channel_id=1, replica_groups={{0,1,2,3}}, dimensions={0}, use_global_device_ids=true\n"
	  "  %r = f32[4,2,2,3] reshape(%g)\n  %near = f32[4,1,2,3] slice(%r), slice={[0:4], [0:1], [0:2], [0:3]}\n  %n = f32[8,3] reshape(%near)\n"
	  "  %far = f32[4,1,2,3] slice(%r), slice={[0:4], [1:2], [0:2], [0:3]}\n  %turned = f32[4,1,2,3] reverse(%far), dimensions={0}\n  %f = f32[8,3] reshape(%<<far|turned>>)\n"
	  "  ROOT %o = f32[16,3] concatenate(%n, %f), dimensions={0}\n}\n",
	  "mesh cp=4\ninput 0 R\noutput 0 R\n", "o", "it puts together parts of %t in another order: at place 8 of dimension 0 it has place 14, of %f" },
	/* a scale of each device's own largest */
	{ ENTRY "  %x = f32[8] parameter(0)\n  %i = f32[] constant(-inf)\n  %m = f32[] reduce(%x, %i), dimensions={0}, to_apply=%max\n  %e = f32[] sine(%m)\n"
	  "  %eb = f32[8] broadcast(%e), dimensions={}\n  ROOT %o = f32[8] multiply(%x, %eb)\n}\n",
	  SPMD("2") "  %x = f32[4] parameter(0)\n  %i = f32[] constant(-inf)\n  %m = f32[] reduce(%x, %i), dimensions={0}, to_apply=%max\n"
	  "  %r = f32[] all-reduce(%m), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%max\n"
	  "  %e = f32[] sine(%<<m|r>>)\n  %eb = f32[4] broadcast(%e), dimensions={}\n  ROOT %o = f32[4] multiply(%x, %eb)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(0)\n", "e", "it takes parts: %m is P(max) over tp: an all-reduce (maximum) over tp is missing before it" },
	/* padding is kept for what lies before it */
	{ ENTRY "  %x = f32[5] parameter(0)\n  ROOT %t = f32[5] sine(%x)\n}\n",
	  SPMD("2") "  %x = f32[5] parameter(0)\n  %z = f32[] constant(0)\n  %v = f32[6] pad(%x, %z), padding=0_1\n  %p = u32[] partition-id()\n  %k = u32[] constant(3)\n"
	  "  %at = u32[] multiply(%p, %k)\n  %own = f32[3] dynamic-slice(%v, %at), dynamic_slice_sizes={3}\n  %t = f32[3] sine(%own)\n" GATHER("%g", "6", "%t", "0")
	  "  ROOT %o = f32[5] slice(%g), slice={<<[1:6]|[0:5]>>}\n}\n",
	  "mesh tp=2\ninput 0 R\noutput 0 R\n", "o", "it cuts places 1..5 out of dimension 0, and these lie there as they came from %v, which puts 1 place of 0 behind the 5 that %x has in dimension 0" },
	/* the rank of an adapter is padded, on each device or of the whole */
	{ TWO_FACTORS,
	  SPMD("2") "  %x = f32[3,8] parameter(0)\n  %a = f32[8,2] parameter(1)\n  %b = f32[4,5] parameter(2)\n  %z = f32[] constant(0)\n"
	  "  %ap = f32[8,<<4|2>>] pad(%a, %z), padding=0_0x0_<<2|0>>\n  %h = f32[3,<<4|2>>] dot(%x, %ap), " PRODUCT GATHER("%g", "3,<<8|4>>", "%h", "1")
	  "  %gp = f32[3,8] pad(%g, %z), padding=0_0x0_<<0|4>>\n  %bp = f32[8,5] pad(%b, %z), padding=0_4x0_0\n  ROOT %o = f32[3,5] dot(%gp, %bp), " PRODUCT "}\n",
	  "mesh tp=2\ninput 0 R\ninput 1 tp:S(1)\ninput 2 R\noutput 0 R\n", "ap",
	  "it pads each device's own part: %a is S(1) over tp of %a, and 2 places are put behind each part in dimension 1; put together, they lie between the parts" },
	/* experts come back by device and place there, and are put together by place and device */
	{ ENTRY "  %x = f32[4,6] parameter(0)\n  %t = f32[4,6] sine(%x)\n  %k = f32[4] constant({1, 2, 3, 4})\n  %kb = f32[4,6] broadcast(%k), dimensions={0}\n"
	  "  ROOT %o = f32[4,6] multiply(%t, %kb)\n}\n",
	  SPMD("2") "  %x = f32[2,6] parameter(0)\n  %t = f32[2,6] sine(%x)\n  %u = f32[1,2,6] reshape(%t)\n" GATHER("%g", "2,2,6", "%u", "0")
	  "  %by = f32[2,2,6] transpose(%g), dimensions={<<1,0|0,1>>,2}\n  %r = f32[4,6] reshape(%by)\n  %k = f32[4] constant({1, 2, 3, 4})\n"
	  "  %kb = f32[4,6] broadcast(%k), dimensions={0}\n  ROOT %o = f32[4,6] multiply(%r, %kb)\n}\n",
	  "mesh ep=2\ninput 0 ep:S(0)\noutput 0 R\n", "r",
	  "it puts the blocks together in another order than the baseline's: %by is R; transpose {1,0,2} of [2,2,6] of %t; it is R; transpose" },
	/* rows come from the devices, and are put beside those that each has */
	{ ENTRY "  %q = f32[8,4] parameter(0)\n  %k = f32[8,4] parameter(1)\n  ROOT %s = f32[4,4] dot(%q, %k), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n}\n",
	  SPMD("2") "  %q = f32[8,4] parameter(0)\n  %k = f32[4,4] parameter(1)\n  %u = f32[4,2,2] reshape(%k)\n" ALL_TO_ALL("%e", "4,2,2", "%u", "1")
	  "  %by = f32[<<4,2|2,4>>,2] transpose(%e), dimensions={<<0,1|1,0>>,2}\n  %r = f32[8,2] reshape(%by)\n"
	  "  ROOT %s = f32[4,2] dot(%q, %r), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n}\n",
	  "mesh sp=2\ninput 0 R\ninput 1 sp:S(0)\noutput 0 sp:S(1)\n", "e",
	  "it puts the blocks in another order than the baseline's: it does all-to-all over sp (groups {0,1}), %u is S(0) over sp; reshape" },
	/* every other column goes to a device, where half of them should */
	{ ENTRY "  %x = f32[4,8] parameter(0)\n  %t = f32[4,8] sine(%x)\n  ROOT %o = f32[4,8] tanh(%t)\n}\n",
	  SPMD("2") "  %x = f32[2,8] parameter(0)\n  %t = f32[2,8] sine(%x)\n  %u = f32[2,<<4,2|2,4>>] reshape(%t)\n" ALL_TO_ALL("%e", "2,<<4,2|2,4>>", "%u", "<<2|1>>")
	  "  %by = f32[2,2,4] transpose(%e), dimensions={<<2,0,1|1,0,2>>}\n  %r = f32[4,4] reshape(%by)\n  ROOT %o = f32[4,4] tanh(%r)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\noutput 0 tp:S(1)\n", "r",
	  "it puts places in another order than the baseline's: it does reshape, %by is" },
	/* every device adds the rows of another one to its own */
	{ ENTRY "  %x = f32[4,6] parameter(0)\n  %y = f32[4,6] parameter(1)\n  %t = f32[4,6] sine(%y)\n  ROOT %o = f32[4,6] add(%x, %t)\n}\n",
	  SPMD("2") "  %x = f32[2,6] parameter(0)\n  %y = f32[4,6] parameter(1)\n  %t = f32[4,6] sine(%y)\n  %p = u32[] partition-id()\n  %two = u32[] constant(2)\n"
	  "  %low = u32[] multiply(%p, %two)\n  %high = u32[] subtract(%two, %low)\n  %z = u32[] constant(0)\n"
	  "  %own = f32[2,6] dynamic-slice(%t, %<<high|low>>, %z), dynamic_slice_sizes={2,6}\n  ROOT %o = f32[2,6] add(%x, %own)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(0)\ninput 1 R\noutput 0 tp:S(0)\n", "own",
	  "device by device it begins at 2, 0 of dimension 0 of %t, so it is S(0) rotated by 1 over tp of %t, and %o takes it with %x, which is S(0) over tp of %x" },
	/* every device weighs its experts by the first gates, which meet them two products later */
	{ ENTRY "  %x = f32[3,8] parameter(0)\n  %a = f32[3] parameter(1)\n  %r = f32[3,4] parameter(2)\n  %w = f32[4,8,5] parameter(3)\n"
	  "  %ab = f32[3,4] broadcast(%a), dimensions={0}\n  %g = f32[3,4] multiply(%ab, %r)\n"
	  "  %d = f32[3,4,8] dot(%g, %x), lhs_batch_dims={0}, rhs_batch_dims={0}\n"
	  "  ROOT %o = f32[3,5] dot(%d, %w), lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}\n}\n",
	  SPMD("2") "  %x = f32[3,8] parameter(0)\n  %a = f32[3] parameter(1)\n  %r = f32[3,4] parameter(2)\n  %w = f32[2,8,5] parameter(3)\n"
	  "  %ab = f32[3,4] broadcast(%a), dimensions={0}\n  %g = f32[3,4] multiply(%ab, %r)\n  %p = u32[] partition-id()\n  %two = u32[] constant(2)\n"
	  "  %at = u32[] multiply(%p, %two)\n  %z = u32[] constant(0)\n"
	  "  %own = f32[3,2] <<slice(%g), slice={[0:3], [0:2]}|dynamic-slice(%g, %z, %at), dynamic_slice_sizes={3,2}>>\n"
	  "  %d = f32[3,2,8] dot(%own, %x), lhs_batch_dims={0}, rhs_batch_dims={0}\n"
	  "  %y = f32[3,5] dot(%d, %w), lhs_contracting_dims={1,2}, rhs_contracting_dims={0,1}\n" ALL_REDUCE("ROOT %o", "3,5", "%y", "{0,1}") "}\n",
	  "mesh ep=2\ninput 0 R\ninput 1 R\ninput 2 R\ninput 3 ep:S(0)\noutput 0 R\n", "own",
	  "every device of ep takes columns 0, 1 of %g, and %y takes them with %w, which is S(0) over ep of %w" },
	/* what is relative to each device's own maximum is brought to that over all the wrong way round */
	{ ENTRY "  %x = f32[3,8] parameter(0)\n  %v = f32[8,5] parameter(1)\n  %i = f32[] constant(-inf)\n  %m = f32[3] reduce(%x, %i), dimensions={1}, to_apply=%max\n"
	  "  %mb = f32[3,8] broadcast(%m), dimensions={0}\n  %d = f32[3,8] subtract(%x, %mb)\n" SUM_OF_EXP("3,8") "  %z = f32[] constant(0)\n"
	  "  %s = f32[3] reduce(%e, %z), dimensions={1}, to_apply=%add\n  %sb = f32[3,5] broadcast(%s), dimensions={0}\n  %n = f32[3,5] dot(%e, %v), " PRODUCT
	  "  ROOT %o = f32[3,5] divide(%n, %sb)\n}\n",
	  SPMD("2") "  %x = f32[3,4] parameter(0)\n  %v = f32[4,5] parameter(1)\n  %i = f32[] constant(-inf)\n  %own = f32[3] reduce(%x, %i), dimensions={1}, to_apply=%max\n"
	  "  %mb = f32[3,4] broadcast(%own), dimensions={0}\n  %d = f32[3,4] subtract(%x, %mb)\n" SUM_OF_EXP("3,4") "  %z = f32[] constant(0)\n"
	  "  %s = f32[3] reduce(%e, %z), dimensions={1}, to_apply=%add\n  %n = f32[3,5] dot(%e, %v), " PRODUCT
	  "  %m = f32[3] all-reduce(%own), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=%max\n"
	  "  %c = f32[3] subtract(%<<m, %own|own, %m>>)\n  %a = f32[3] exponential(%c)\n  %sa = f32[3] multiply(%s, %a)\n" ALL_REDUCE("%r", "3", "%sa", "{0,1}")
	  "  %ab = f32[3,5] broadcast(%a), dimensions={0}\n  %na = f32[3,5] multiply(%n, %ab)\n" ALL_REDUCE("%q", "3,5", "%na", "{0,1}")
	  "  %rb = f32[3,5] broadcast(%r), dimensions={0}\n  ROOT %o = f32[3,5] divide(%q, %rb)\n}\n",
	  "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\noutput 0 R\n", "c",
	  "it takes %m, the maximum over more, less %own, so what is relative to %own gets the factor exp(%m - %own), where exp(%own - %m) is due" },
	/* random bits of each device's own counters */
	{ ENTRY "  %k = u32[] parameter(0)\n  %w = f32[8] parameter(1)\n  %i = u32[8] iota(), iota_dimension=0\n  %kb = u32[8] broadcast(%k), dimensions={}\n"
	  "  %c = u32[8] add(%i, %kb)\n" MIXED_BITS("8") "}\n",
	  SPMD("2") "  %k = u32[] parameter(0)\n  %w = f32[4] parameter(1)\n  %own = u32[4] iota(), iota_dimension=0\n  %kb = u32[4] broadcast(%k), dimensions={}\n"
	  "  %p = u32[] partition-id()\n  %four = u32[] constant(4)\n  %at = u32[] multiply(%p, %four)\n  %atb = u32[4] broadcast(%at), dimensions={}\n"
	  "  %i = u32[4] add(%own, %atb)\n  %c = u32[4] add(%<<own|i>>, %kb)\n" MIXED_BITS("4") "}\n",
	  "mesh tp=2\ninput 0 R\ninput 1 tp:S(0)\noutput 0 tp:S(0)\n", "c",
	  "a local index stands for a global one, and every device draws the same random bits" },
	/* a microbatch is added to what is added up over the devices already */
	{ ENTRY "  %x = f32[8,3] parameter(0)\n  %g = f32[8,4] parameter(1)\n  %d = f32[3,4] dot(%x, %g), " ROWS "  ROOT %o = f32[3,4] sine(%d)\n}\n",
	  SPMD("2") "  %x = f32[4,3] parameter(0)\n  %g = f32[4,4] parameter(1)\n  %x0 = f32[2,3] slice(%x), slice={[0:2], [0:3]}\n"
	  "  %g0 = f32[2,4] slice(%g), slice={[0:2], [0:4]}\n  %a = f32[3,4] dot(%x0, %g0), " ROWS "  %x1 = f32[2,3] slice(%x), slice={[2:4], [0:3]}\n"
	  "  %g1 = f32[2,4] slice(%g), slice={[2:4], [0:4]}\n  %b = f32[3,4] dot(%x1, %g1), " ROWS ALL_REDUCE("%ra", "3,4", "%a", "{0,1}")
	  "  %s = f32[3,4] add(%<<ra|a>>, %b)\n" ALL_REDUCE("%r", "3,4", "%s", "{0,1}") "  ROOT %o = f32[3,4] sine(%r)\n}\n",
	  "mesh dp=2\ninput 0 dp:S(0)\ninput 1 dp:S(0)\noutput 0 R\n", "s",
	  "it adds parts of the sum that %d of the baseline is: %ra is added up over dp already, %b is each device's own part" },
	/* the state of linear attention is made of queries */
	{ LINEAR("ROOT %o", ""),
	  SPMD("2") "  %q = f32[4,3] parameter(0)\n  %k = f32[4,3] parameter(1)\n  %v = f32[4,3] parameter(2)\n" LOWER("2", "{{1, 0}, {1, 1}}")
	  CHUNK("0", "[0:2]") CHUNK("1", "[2:4]") "  %s = f32[3,3] dot(%<<q0|k0>>, %v0), " ROWS "  %i1 = f32[2,3] dot(%q1, %s), " PRODUCT
	  "  %o1 = f32[2,3] add(%w1, %i1)\n  ROOT %o = f32[4,3] concatenate(%w0, %o1), dimensions={0}\n}\n",
	  "mesh tp=2\ninput 0 R\ninput 1 R\ninput 2 R\noutput 0 R\n", "s",
	  "it takes parts of %q and %v together, as the baseline does nowhere: there %p takes %q with %k" },
	/* .. or every device adds its own part to it, and not those before */
	{ LINEAR("%o", STATE),
	  SPMD("2") "  %q = f32[2,3] parameter(0)\n  %k = f32[2,3] parameter(1)\n  %v = f32[2,3] parameter(2)\n" LOWER("2", "{{1, 0}, {1, 1}}")
	  CHUNK("0", "[0:2]") "  %s = f32[3,3] dot(%k0, %v0), " ROWS "  %u = f32[1,3,3] reshape(%s)\n" GATHER("%g", "2,3,3", "%u", "0")
	  "  %t = f32[1,3,3] slice(%g), slice={[<<1:2|0:1>>], [0:3], [0:3]}\n  %r = f32[3,3] reshape(%t)\n  %p = u32[] partition-id()\n  %n = u32[] constant(0)\n"
	  "  %later = pred[] compare(%p, %n), direction=GT\n  %lb = pred[3,3] broadcast(%later), dimensions={}\n" ZEROS("3,3")
	  "  %before = f32[3,3] select(%lb, %r, %none)\n  %i0 = f32[2,3] dot(%q, %before), " PRODUCT "  %o = f32[2,3] add(%w0, %i0)\n" ALL_REDUCE("%all", "3,3", "%s", "{0,1}")
	  "  ROOT %y = (f32[2,3], f32[3,3]) tuple(%o, %all)\n}\n",
	  "mesh sp=2\ninput 0 sp:S(0)\ninput 1 sp:S(0)\ninput 2 sp:S(0)\noutput 0 sp:S(0)\noutput 1 R\n", "before",
	  "of the parts of a sum that %g gathers over sp, device 0 takes none, device 1 takes 1: these are neither" },
};

/* The text with the wrong choices, or the right ones. */
static const char *chosen(const char *text, bool right, arena *a)
{
	char *b = arena_alloc(a, strlen(text) + 1), *to = b;
	const char *at;

	for (at = text; *at; at++) {
		if (!strncmp(at, "<<", 2)) {
			const char *bar = strchr(at, '|'), *end = strstr(bar, ">>"), *from = right ? bar + 1 : at + 2, *till = right ? end : bar;
			to = (char *)memcpy(to, from, (size_t)(till - from)) + (till - from);
			at = end + 1;
		} else {
			*to++ = *at;
		}
	}
	*to = 0;
	return b;
}

static bool all_met(const pair *q)
{
	int k;

	for (k = 0; k < q->ngoal && goal_met(q, &q->goal[k]); k++)
		;
	return k == q->ngoal;
}

/* Run, and searched as far as that goes. */
static struct text_pair *searched(const char *base, const char *dist, const char *plan)
{
	struct text_pair *t = text_run(base, dist, plan);
	levels l;

	level_init(&l, t->p->q);
	level_run(&l);
	level_free(&l);
	return t;
}

static void right_ones_are_proved(void **state)
{
	arena a = { 0 };
	size_t k;

	(void)state;
	for (k = 0; k < sizeof faults / sizeof *faults; k++) {
		struct text_pair *t = searched(faults[k].base, chosen(faults[k].dist, true, &a), faults[k].plan);
		if (!all_met(t->p->q))
			fail_msg("not proved: the right one of the fault at %s, \"%s\"", faults[k].row, faults[k].says);
		text_close(t);
	}
	arena_free(&a);
}

static void is_told(const struct fault *f, struct text_pair *t)
{
	frontier r = frontier_find(t->s, &t->a);
	const char *row = r.n ? t->p->q->dist->row[r.e[0].row].path : "nothing", *says = r.n ? frontier_explain(t->s, &r.e[0], &t->a)->reason : "";

	if (r.n != 1 || strcmp(row, f->row) || !strstr(says, f->says))
		fail_msg("%d rows, the first is %s: \"%s\"; wanted %s: \"%s\"", r.n, row, says, f->row, f->says);
}

static void wrong_ones_are_told(void **state)
{
	arena a = { 0 };
	size_t k;

	(void)state;
	for (k = 0; k < sizeof faults / sizeof *faults; k++) {
		struct text_pair *t = text_run(faults[k].base, chosen(faults[k].dist, false, &a), faults[k].plan);
		assert_false(all_met(t->p->q));
		is_told(&faults[k], t);
		text_close(t);
	}
	arena_free(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(right_ones_are_proved), cmocka_unit_test(wrong_ones_are_told) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
