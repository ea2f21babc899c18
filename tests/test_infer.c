/* Shapes: for every rule programs that fit and programs that do not, with the
 * message word for word.  The lines stand in an entry computation with
 *   a, b f32[4,8]; c f32[8,3]; s f32[]; i s32[]; n s32[6]; p pred[4,8]; z c64[4]
 * as parameters, and computations add (2 scalars), pick (2 truth values), ge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>
#include "hlo/hlo_text.h"
#include "tensor/infer.h"

static const char before[] =
	"add { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = f32[] add(x, y) }\n"
	"ge { x = f32[] parameter(0) y = f32[] parameter(1) ROOT r = pred[] compare(x, y), direction=GE }\n"
	"one { x = f32[4,8] parameter(0) ROOT r = f32[4,8] negate(x) }\n"
	"step { x = (f32[], s32[]) parameter(0) ROOT r = (f32[], s32[]) copy(x) }\n"
	"go { x = (f32[], s32[]) parameter(0) ROOT r = pred[] constant(1) }\n";
static const char params[] =
	"a = f32[4,8] parameter(0)\nb = f32[4,8] parameter(1)\nc = f32[8,3] parameter(2)\ns = f32[] parameter(3)\n"
	"i = s32[] parameter(4)\nn = s32[6] parameter(5)\np = pred[4,8] parameter(6)\nz = c64[4] parameter(7)\n";

static module *parse(const char *header, const char *lines, struct diag *d)
{
	char text[8192];

	snprintf(text, sizeof text, "HloModule m%s\n%sENTRY e {\n%s%s\n}\n", header, before, params, lines);
	return hlo_read_text("t", text, strlen(text), d);
}

static void fits(const char *line)
{
	struct diag d;
	module *m = parse("", line, &d);

	if (!m)
		fail_msg("%s: %s", line, d.message);
	module_free(m);
}

static void refused(const char *line, const char *message)
{
	struct diag d;

	if (parse("", line, &d))
		fail_msg("accepted: %s", line);
	assert_string_equal(d.message, message);
	assert_true(d.line > 0);
}

/* Without a shape: it follows. */
static void gives(const char *line, const char *want)
{
	struct diag d;
	module *m = parse("", line, &d);

	if (!m)
		fail_msg("%s: %s", line, d.message);
	assert_string_equal(shape_text(&m->arena, m->entry->root->shape), want);
	module_free(m);
}

static void elementwise(void **state)
{
	(void)state;
	gives("r = negate(a)", "f32[4,8]");
	gives("r = is-finite(a)", "pred[4,8]");
	gives("r = real(z)", "f32[4]");
	gives("r = abs(z)", "f32[4]");
	gives("r = add(a, b)", "f32[4,8]");
	gives("r = compare(a, b), direction=LT", "pred[4,8]");
	gives("r = complex(a, b)", "c64[4,8]");
	gives("r = select(p, a, b)", "f32[4,8]");
	gives("r = clamp(s, a, s)", "f32[4,8]");
	fits("r = bf16[4,8] convert(a)");
	fits("r = u8[4,8,4] bitcast-convert(a)");
	fits("r = s64[3] bitcast-convert(q)\nq = u32[3,2] iota(), iota_dimension=0");
	refused("r = f32[4,9] negate(a)", "%r: the negate gives f32[4,8], the text says f32[4,9]");
	refused("r = bf16[4,8] negate(a)", "%r: the negate gives f32[4,8], the text says bf16[4,8]");
	refused("r = f32[4,8] add(a, c)", "%r: the operands are f32[4,8] and f32[8,3]");
	refused("r = f32[4,8] add(a, p)", "%r: the operands are f32[4,8] and pred[4,8]");
	refused("r = f32[4,8] add(a, s)", "%r: the operands are f32[4,8] and f32[]");
	refused("r = f32[4,8] add(a)", "%r: add takes 2 operands, not 1");
	refused("r = f32[4,8] negate(a, b)", "%r: negate takes 1 operand, not 2");
	refused("r = f32[4,8] select(a, a, b)", "%r: the predicate is f32[4,8] for operands f32[4,8]");
	refused("r = f32[4,8] clamp(s, a, i)", "%r: the bounds are f32[] and s32[] for f32[4,8]");
	refused("r = f32[4,8] negate(t)\nt = (f32[4,8]) tuple(a)", "%r: operand 0 of negate is (f32[4,8])");
	refused("r = (f32[4,8]) negate(a)", "%r: negate gives no tuple");
	refused("r = f32[4] bitcast-convert(q)\nq = u8[4,2] iota(), iota_dimension=0", "%r: the last dimension of u8[4,2] is not 4");
}

static void movement(void **state)
{
	(void)state;
	fits("r = f32[2,4,8] broadcast(a), dimensions={1,2}");
	fits("r = f32[4,8] broadcast(s), dimensions={}");
	refused("r = f32[2,4,8] broadcast(a), dimensions={0,2}", "%r: dimension 0 of f32[4,8] goes to dimension 0 of f32[2,4,8]");
	refused("r = f32[2,4,8] broadcast(a), dimensions={1}", "%r: dimensions= has 1 numbers for f32[4,8]");
	refused("r = f32[2,4,8] broadcast(a), dimensions={1,3}", "%r: dimensions= names dimension 3 of 3");
	refused("r = f32[4,4] broadcast(n), dimensions={0,0}", "%r: dimensions= names dimension 0 twice");
	fits("r = f32[2,16] reshape(a)");
	refused("r = f32[2,15] reshape(a)", "%r: reshape of f32[4,8] to f32[2,15]");
	refused("r = s32[2,16] reshape(a)", "%r: the reshape gives f32[2,16], the text says s32[2,16]");
	fits("r = s16[2,32] bitcast(a)");
	fits("r = f32[4,9]{1,0:T(8,128)} bitcast(a)");
	refused("r = f32[4,9] bitcast(a)", "%r: bitcast of f32[4,8] to f32[4,9]");
	gives("r = transpose(a), dimensions={1,0}", "f32[8,4]");
	refused("r = f32[8,4] transpose(a), dimensions={1}", "%r: dimensions= has 1 numbers for f32[4,8]");
	gives("r = reverse(a), dimensions={1}", "f32[4,8]");
	refused("r = f32[4,8] reverse(a), dimensions={2}", "%r: dimensions= names dimension 2 of 2");
	gives("r = concatenate(a, b), dimensions={1}", "f32[4,16]");
	refused("r = f32[12,8] concatenate(a, c), dimensions={0}", "%r: concatenate of f32[4,8] and f32[8,3]");
	gives("r = slice(a), slice={[0:4], [1:8:3]}", "f32[4,3]");
	gives("r = slice(a), slice={[2:2:3], [8:8]}", "f32[0,0]");
	refused("r = f32[1,8] slice(a), slice={[4:4:3], [0:8]}", "%r: the slice gives f32[0,8], the text says f32[1,8]");
	refused("r = f32[4,0] slice(a), slice={[0:4], [3:2]}", "%r: the slice [3:2:1] of dimension 1 of f32[4,8]");
	refused("r = f32[4,8] slice(a), slice={[0:4], [1:9]}", "%r: the slice [1:9:1] of dimension 1 of f32[4,8]");
	refused("r = f32[4,8] slice(a), slice={[0:4], [0:8:0]}", "%r: the slice [0:8:0] of dimension 1 of f32[4,8]");
	refused("r = f32[4] slice(a), slice={[0:4]}", "%r: slice= does not fit f32[4,8]");
	gives("r = pad(a, s), padding=1_2x-1_0_1", "f32[7,14]");
	refused("r = f32[4,8] pad(a, s), padding=0_0x-9_0", "%r: the padding -9_0_0 of dimension 1 of f32[4,8]");
	refused("r = f32[4,8] pad(a, a), padding=0_0x0_0", "%r: the padding value is f32[4,8]");
	gives("r = dynamic-slice(a, i, i), dynamic_slice_sizes={2,8}", "f32[2,8]");
	fits("ROOT r = f32[0,8] dynamic-slice(a, i, i), dynamic_slice_sizes={0,8}");
	refused("r = f32[0,8] dynamic-slice(a, i, i), dynamic_slice_sizes={-1,8}", "%r: a slice of -1 in dimension 0 of f32[4,8]");
	refused("r = f32[5,8] dynamic-slice(a, i, i), dynamic_slice_sizes={5,8}", "%r: a slice of 5 in dimension 0 of f32[4,8]");
	refused("r = f32[2,8] dynamic-slice(a, i), dynamic_slice_sizes={2,8}", "%r: 1 start indices for f32[4,8]");
	refused("r = f32[2,8] dynamic-slice(a, i, s), dynamic_slice_sizes={2,8}", "%r: a start index is f32[]");
	gives("u = f32[1,8] slice(a), slice={[0:1], [0:8]}\nROOT r = dynamic-update-slice(a, u, i, i)", "f32[4,8]");
	refused("r = f32[4,8] dynamic-update-slice(a, c, i, i)", "%r: an update of f32[8,3] for f32[4,8]");
}

static void gathers(void **state)
{
#define G "f32[6,8] gather(a, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes="
	(void)state;
	fits("r = " G "{1,8}");
	refused("r = " G "{1,9}", "%r: a slice of 9 in dimension 1 of f32[4,8]");
	fits("r = f32[6,0] gather(a, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,0}");
	refused("r = " G "{0,8}", "%r: a slice of 0 in dimension 0 of f32[4,8]");
	refused("r = " G "{2,8}", "%r: a slice of 2 in dimension 0 of f32[4,8]");
	refused("r = " G "{1}", "%r: slice_sizes= has 1 numbers for f32[4,8]");
	refused("r = " G "{1,7}", "%r: the gather gives f32[6,7], the text says f32[6,8]");
	refused("r = f32[6,8] gather(a, n), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=2, "
		"slice_sizes={1,8}", "%r: index_vector_dim=2 for indices s32[6]");
	refused("r = f32[6,8] gather(a, n), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
		"slice_sizes={1,8}", "%r: offset_dims= does not fit slices of f32[4,8]");
	fits("q = s32[4,2,1] iota(), iota_dimension=0\nROOT r = f32[4,2] gather(a, q), offset_dims={}, collapsed_slice_dims={1}, "
	     "start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}");
#define B(collapsed, map, vector) "q = s32[4,2,1] iota(), iota_dimension=0\nROOT r = f32[4,2] gather(a, q), offset_dims={}, collapsed_slice_dims={" collapsed "}, " \
	"start_index_map={" map "}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=" vector ", slice_sizes={1,1}"
	fits(B("1", "1", "2"));
	refused(B("1", "0", "2"), "%r: start_index_map= and operand_batching_dims= both name dimension 0");
	refused(B("0,1", "1", "2"), "%r: collapsed_slice_dims= and operand_batching_dims= both name dimension 0");
	refused("q = s32[1,2] iota(), iota_dimension=0\nROOT r = f32[2] gather(a, q), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, "
		"operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=0, slice_sizes={1,1}", "%r: index_vector_dim=0 for indices s32[1,2]");
#undef B
#undef G
#define S "f32[4,8] scatter(a, n, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, " \
	"index_vector_dim=1, to_apply=add\n"
	fits("ROOT r = " S "u = f32[6,8] broadcast(s), dimensions={}");
	refused("ROOT r = " S "u = f32[5,8] broadcast(s), dimensions={}", "%r: updates f32[5,8] for indices s32[6]");
	refused("ROOT r = " S "u = f32[6,9] broadcast(s), dimensions={}", "%r: updates f32[6,9] for f32[4,8]");
	refused("ROOT r = " S "u = f32[6] broadcast(s), dimensions={}", "%r: updates f32[6] for indices s32[6]");
#undef S
#define S(inserted, map) "q = s32[4,2,1] iota(), iota_dimension=0\nu = f32[4,2] broadcast(s), dimensions={}\nROOT r = f32[4,8] scatter(a, q, u), update_window_dims={}, " \
	"inserted_window_dims={" inserted "}, scatter_dims_to_operand_dims={" map "}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add\n"
	fits(S("1", "1"));
	refused(S("1", "0"), "%r: scatter_dims_to_operand_dims= and input_batching_dims= both name dimension 0");
	refused(S("0,1", "1"), "%r: inserted_window_dims= and input_batching_dims= both name dimension 0");
#undef S
}

static void contractions(void **state)
{
	(void)state;
	gives("r = dot(a, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f32[4,3]");
	gives("r = dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}", "f32[4]");
	fits("r = bf16[4,3] dot(a, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}");
	refused("r = f32[4,9] dot(a, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "%r: the dot gives f32[4,3], the text says f32[4,9]");
	refused("r = f32[4,3] dot(a, c), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
		"%r: dimension 0 of f32[4,8] is contracted with dimension 0 of f32[8,3]");
	refused("r = f32[4,3] dot(a, c), lhs_contracting_dims={1}", "%r: the dimension lists of the two operands differ in length");
	refused("r = f32[4] dot(a, b), lhs_batch_dims={1}, rhs_batch_dims={1}, lhs_contracting_dims={1}, rhs_contracting_dims={1}",
		"%r: a dimension is both a batch dimension and contracted");
	refused("r = f32[3,4,8] dot(a, c), lhs_batch_dims={0}, rhs_batch_dims={1}", "%r: batch dimension 0 of f32[4,8] is dimension 1 of f32[8,3]");
#define C "x = f32[1,9,9,2] broadcast(s), dimensions={}\nk = f32[3,3,2,5] broadcast(s), dimensions={}\nROOT r = f32[1,4,9,5] convolution(x, k), "
	fits(C "window={size=3x3 stride=2x1 pad=0_0x1_1}, dim_labels=b01f_01io->b01f");
	refused(C "window={size=3x3 pad=0_0x1_1}, dim_labels=b01f_01io->b01f", "%r: the convolution gives f32[1,7,9,5], the text says f32[1,4,9,5]");
	refused(C "window={size=2x3 stride=2x1 pad=0_0x1_1}, dim_labels=b01f_01io->b01f",
		"%r: the window has size 2 in dimension 0 of the kernel f32[3,3,2,5]");
	refused(C "window={size=3x3}, dim_labels=b01f_01oi->b01f", "%r: the features of f32[1,9,9,2] and f32[3,3,2,5] do not fit");
	refused(C "window={size=3x3}, dim_labels=b01f->b01f", "%r: dim_labels= cannot be read");
	refused(C "window={size=3}, dim_labels=b01f_01io->b01f", "%r: window= does not fit dim_labels=b01f_01io->b01f");
	refused(C "window={size=3x3 stride=0x1}, dim_labels=b01f_01io->b01f", "%r: dimension 0 of the window is not sensible");
#undef C
}

static void reductions(void **state)
{
	(void)state;
	gives("r = reduce(a, s), dimensions={0}, to_apply=add", "f32[8]");
	refused("r = f32[4] reduce(a, s), dimensions={0}, to_apply=add", "%r: the reduce gives f32[8], the text says f32[4]");
	refused("r = f32[8] reduce(a, s), dimensions={2}, to_apply=add", "%r: dimensions= names dimension 2 of 2");
	refused("r = f32[8] reduce(a, b), dimensions={0}, to_apply=add", "%r: the initial value is f32[4,8] for f32[4,8]");
	refused("r = f32[8] reduce(a, i), dimensions={0}, to_apply=add", "%r: the initial value is s32[] for f32[4,8]");
	refused("r = f32[8] reduce(a, s), dimensions={0}", "%r: to_apply= is missing");
	refused("r = f32[8] reduce(a, s), dimensions={0}, to_apply=one", "%r: %one has 1 parameters, reduce needs 2");
	refused("r = f32[8] reduce(a, s, s), dimensions={0}, to_apply=add", "%r: reduce with 3 operands");
	gives("r = reduce-window(a, s), window={size=2x3 stride=2x2 pad=0_0x1_0}, to_apply=add", "f32[2,4]");
	refused("r = f32[4,8] reduce-window(a, s), window={size=1x0}, to_apply=add",
		"%r: dimension 1 of the window is not sensible (size 0, stride 1)");
	refused("r = f32[4] reduce-window(a, s), window={size=1}, to_apply=add", "%r: window= does not fit f32[4,8]");
	fits("q = f32[2,4] reduce-window(a, s), window={size=2x2 stride=2x2}, to_apply=add\n"
	     "ROOT r = f32[4,8] select-and-scatter(a, q, s), window={size=2x2 stride=2x2}, select=ge, scatter=add");
	refused("r = f32[4,8] select-and-scatter(a, b, s), window={size=2x2 stride=2x2}, select=ge, scatter=add", "%r: the source is f32[4,8]");
	gives("r = sort(a), dimensions={1}, to_apply=ge", "f32[4,8]");
	refused("r = f32[8,4] sort(a), dimensions={1}, to_apply=ge", "%r: the sort gives f32[4,8], the text says f32[8,4]");
	gives("r = topk(a), k=3", "(f32[4,3], s32[4,3])");
	refused("r = (f32[4,9], s32[4,9]) topk(a), k=9", "%r: k=9 for f32[4,8]");
	gives("r = map(a, b), to_apply=ge", "pred[4,8]");
	gives("g = f32[8] broadcast(s), dimensions={}\nROOT r = batch-norm-training(a, g, g), epsilon=1e-5, feature_index=1",
	      "(f32[4,8], f32[8], f32[8])");
	refused("g = f32[4] broadcast(s), dimensions={}\nROOT r = batch-norm-training(a, g, g), epsilon=1e-5, feature_index=1",
		"%r: operand 1 is f32[4] for f32[4,8]");
	fits("q = u64[2] iota(), iota_dimension=0\nROOT r = (u64[2], u32[9]) rng-bit-generator(q), algorithm=rng_default");
	refused("q = u64[2] iota(), iota_dimension=0\nROOT r = (u64[3], u32[9]) rng-bit-generator(q), algorithm=rng_default",
		"%r: the state is u64[2], the text says (u64[3], u32[9])");
	refused("r = f32[4,8] iota(), iota_dimension=2", "%r: iota_dimension=2 of f32[4,8]");
	refused("r = c64[4] fft(z), fft_type=FFT, fft_length={2,3}", "%r: fft_length= does not fit c64[4]");
	refused("r = c64[4] fft(z), fft_type=FFT, fft_length={3}", "%r: fft_length= does not fit c64[4]");
	refused("r = s32[6] fft(n), fft_type=FFT, fft_length={6}", "%r: FFT transforms complex numbers, not s32[6]");
	refused("r = c64[4,5] fft(a), fft_type=RFFT, fft_length={9}", "%r: fft_length= does not fit f32[4,8]");
	refused("r = c64[3] fft(z), fft_type=RFFT, fft_length={4}", "%r: RFFT transforms real numbers, not c64[4]");
	refused("r = f32[7] fft(z), fft_type=IRFFT, fft_length={4}", "%r: fft_length= does not fit c64[4]");
	refused("r = c64[4] fft(z), fft_type=DFT, fft_length={4}", "%r: fft_type= is none of FFT, IFFT, RFFT, IRFFT");
	gives("r = fft(z), fft_type=IRFFT, fft_length={6}", "f32[6]");
	gives("r = fft(z), fft_type=IRFFT, fft_length={7}", "f32[7]");
	gives("r = fft(a), fft_type=RFFT, fft_length={8}", "c64[4,5]");
	refused("r = f32[4,8] cholesky(a)", "%r: f32[4,8] holds no square matrices");
	refused("m = f32[2,8,8] broadcast(s), dimensions={}\nx = f32[3,8,5] broadcast(s), dimensions={}\n"
		"r = f32[3,8,5] triangular-solve(m, x), left_side=true", "%r: batch dimension 0 of f32[2,8,8] and f32[3,8,5] differ");
	refused("m = f32[2,8,8] broadcast(s), dimensions={}\nx = f32[2,8,5] broadcast(s), dimensions={}\n"
		"r = f32[2,8,5] triangular-solve(m, x), left_side=false", "%r: f32[2,8,8] does not fit f32[2,8,5] on its right");
	refused("m = f32[8,8] broadcast(s), dimensions={}\nx = f32[2,8,5] broadcast(s), dimensions={}\n"
		"r = f32[2,8,5] triangular-solve(m, x), left_side=true", "%r: f32[8,8] does not fit f32[2,8,5] on its left");
	refused("r = f32[8,3] triangular-solve(a, c), left_side=true", "%r: f32[4,8] holds no square matrices");
	gives("m = f32[2,8,8] broadcast(s), dimensions={}\nx = f32[2,8,5] broadcast(s), dimensions={}\n"
	      "r = triangular-solve(m, x), left_side=true", "f32[2,8,5]");
	refused("r = c64[6] complex(n, n)", "%r: it takes f32 or f64, not s32");
	refused("r = s32[] get-dimension-size(a), dimensions={2}", "%r: dimensions= names dimension 2 of 2");
	refused("r = s32[] get-dimension-size(a), dimensions={0,1}", "%r: it takes one dimension, not 2");
	refused("r = f32[4,<=8] set-dimension-size(a, n), dimensions={1}", "%r: the size is s32[6]");
	refused("r = f32[4,8] sort(a), dimensions={0,1}, to_apply=ge", "%r: it takes one dimension, not 2");
	refused("q = s32[2,4] iota(), iota_dimension=0\nr = f32[4,8] select-and-scatter(a, q, s), window={size=2x2 stride=2x2}, select=ge, scatter=add",
		"%r: the source is s32[2,4]");
	refused("q = f32[2,4] broadcast(s), dimensions={}\nr = f32[4,8] select-and-scatter(a, q, i), window={size=2x2 stride=2x2}, select=ge, scatter=add",
		"%r: the initial value is s32[] for f32[4,8]");
}

static void collectives(void **state)
{
	struct diag d;
	module *m;

	(void)state;
	gives("r = all-gather(a), replica_groups={{0,1},{2,3}}, dimensions={1}", "f32[4,16]");
	fits("r = f32[4,24] all-gather(a), replica_groups={}, dimensions={1}");
	refused("r = f32[4,20] all-gather(a), replica_groups={}, dimensions={1}", "%r: dimension 1 of f32[4,8] does not give f32[4,20]");
	refused("r = f32[4,24] all-gather(a), replica_groups={{0,1},{2,3}}, dimensions={1}", "%r: the all-gather gives f32[4,16], the text says f32[4,24]");
	refused("r = f32[4,16] all-gather(a), replica_groups={{0,1},{2}}, dimensions={1}", "%r: the groups have different sizes");
	refused("r = f32[4,16] all-gather(a), replica_groups={{0,1},{1,2}}, dimensions={1}", "%r: replica_groups= names device 1 twice");
	refused("r = f32[4,16] all-gather(a), replica_groups={{0,-1}}, dimensions={1}", "%r: replica_groups= names device -1");
	refused("r = f32[4,16] all-gather(a), replica_groups={{0,1}}, dimensions={2}", "%r: dimension 2 of f32[4,8]");
	refused("r = f32[4,16] all-gather(a), replica_groups={{0,1}}", "%r: all-gather needs one dimension");
	fits("r = (f32[4,16], f32[]) all-gather(a, s), replica_groups={{0,1}}, dimensions={1}");
	fits("q = (f32[4,8], f32[4,16]) all-gather-start(a), replica_groups={{0,1}}, dimensions={1}\nROOT r = f32[4,16] all-gather-done(q)");
	refused("r = (f32[4,8], f32[4,8]) all-gather-start(a), replica_groups={{0,1}}, dimensions={1}",
		"%r: the all-gather-start gives (f32[4,8], f32[4,16]), the text says (f32[4,8], f32[4,8])");
	gives("r = all-reduce(a, c), replica_groups={{0,1},{2}}, to_apply=add", "(f32[4,8], f32[8,3])");
	refused("r = f32[4,8] all-reduce(a), replica_groups={{0,1}}", "%r: to_apply= is missing");
	refused("r = f32[8,4] all-reduce(a), replica_groups={{0,1}}, to_apply=add", "%r: the all-reduce gives f32[4,8], the text says f32[8,4]");
	gives("r = reduce-scatter(a), replica_groups=[2,4]<=[8], dimensions={1}, to_apply=add", "f32[4,2]");
	refused("r = f32[4,2] reduce-scatter(c), replica_groups={{0,1}}, dimensions={1}, to_apply=add",
		"%r: dimension 1 of f32[8,3] does not split into 2 parts");
	gives("r = all-to-all(a), replica_groups={{0,1}}, dimensions={1}", "f32[4,8]");
	gives("r = all-to-all(a, b), replica_groups={{0,1}}", "(f32[4,8], f32[4,8])");
	refused("r = f32[8,3] all-to-all(c), replica_groups={{0,1}}, dimensions={1}", "%r: dimension 1 of f32[8,3] does not split into 2 parts");
	refused("r = (f32[4,8], f32[4,8]) all-to-all(a, b), replica_groups={{0,1,2}}", "%r: 2 operands for groups of 3");
	refused("r = (f32[4,8], f32[8,3]) all-to-all(a, c), replica_groups={{0,1}}", "%r: the operands are f32[4,8] and f32[8,3]");
	gives("r = collective-permute(a), source_target_pairs={{0,1},{1,0}}", "f32[4,8]");
	refused("r = f32[4,8] collective-permute(a), source_target_pairs={{0,1},{0,2}}", "%r: device 0 is twice a source");
	refused("r = f32[4,8] collective-permute(a), source_target_pairs={{0,1},{2,1}}", "%r: device 1 is twice a target");
	refused("r = f32[4,8] collective-permute(a)", "%r: source_target_pairs= is missing");
	gives("r = collective-broadcast(a), replica_groups={{0,1}}", "f32[4,8]");
	gives("r = partition-id()", "u32[]");
	/* groups of replica ids with a channel: all partitions of each replica */
	m = parse(", num_partitions=4, replica_count=2", "r = f32[4,64] all-gather(a), channel_id=1, replica_groups={{0,1}}, dimensions={1}", &d);
	assert_non_null(m);
	module_free(m);
	assert_null(parse(", num_partitions=4, replica_count=2",
			  "r = f32[4,16] all-gather(a), channel_id=1, replica_groups={{0,1}}, dimensions={1}", &d));
	assert_string_equal(d.message, "%r: the all-gather gives f32[4,64], the text says f32[4,16]");
}

static void structure(void **state)
{
	(void)state;
	gives("r = tuple(a, s)", "(f32[4,8], f32[])");
	gives("r = tuple()", "()");
	gives("t = (f32[4,8], s32[]) tuple(a, i)\nROOT r = get-tuple-element(t), index=1", "s32[]");
	refused("t = (f32[4,8], s32[]) tuple(a, i)\nROOT r = s32[] get-tuple-element(t), index=2", "%r: (f32[4,8], s32[]) has no element 2");
	refused("r = s32[] get-tuple-element(a), index=0", "%r: f32[4,8] has no element 0");
	gives("r = call(a), to_apply=one", "f32[4,8]");
	refused("r = f32[4,8] call(c), to_apply=one", "%r: parameter 0 of %one is f32[4,8], the operand is f32[8,3]");
	refused("r = f32[4,8] call(a, b), to_apply=one", "%r: %one has 1 parameters, 2 operands are given");
	refused("r = f32[4,8] fusion(a), kind=kLoop", "%r: calls= is missing");
	fits("r = f32[4,8] fusion(a), kind=kLoop, calls=one");
	gives("t = (f32[], s32[]) tuple(s, i)\nROOT r = while(t), condition=go, body=step", "(f32[], s32[])");
	refused("t = (f32[], s32[]) tuple(s, i)\nROOT r = (f32[], s32[]) while(t), condition=step, body=step", "%r: the condition gives (f32[], s32[])");
	refused("t = (f32[], s32[]) tuple(s, i)\nROOT r = (f32[], s32[]) while(t), condition=go, body=go",
		"%r: the body gives pred[] for (f32[], s32[])");
	gives("r = conditional(i, a, b), branch_computations={one, one}", "f32[4,8]");
	refused("r = f32[4,8] conditional(i, a), branch_computations={one, one}", "%r: conditional with 2 operands for its branches");
	refused("r = f32[4,8] conditional(s, a, b), branch_computations={one, one}", "%r: the choice is f32[]");
	gives("r = opt-barrier(a)", "f32[4,8]");
	gives("r = after-all()", "token[]");
	gives("q = ((f32[4,8]), f32[4,8], u32[]) async-start(a), calls=one\nROOT r = async-done(q)", "f32[4,8]");
	refused("r = ((f32[8,4]), f32[4,8]) async-start(a), calls=one", "%r: operand 0 is f32[4,8], the text says f32[8,4]");
	refused("r = ((f32[4,8]), f32[4,9]) async-start(a), calls=one", "%r: %one gives f32[4,8], the text says f32[4,9]");
	fits("q = (f32[4,8], f32[4,8], u32[]) copy-start(a)\nROOT r = f32[4,8] copy-done(q)");
	refused("r = (f32[4,8], f32[4,9], u32[]) copy-start(a)", "%r: copy-start of f32[4,8], the text says (f32[4,8], f32[4,9], u32[])");
}

/* Only code scheduled for a device may mix float widths. */
static void mixed_floats(void **state)
{
	static const char line[] = "q = bf16[4,8] copy(a)\nROOT r = f32[4,8] add(q, a)";
	struct diag d;
	module *m;

	(void)state;
	refused(line, "%q: the copy gives f32[4,8], the text says bf16[4,8]");
	m = parse(", is_scheduled=true", line, &d);
	assert_non_null(m);
	module_free(m);
	assert_null(parse(", is_scheduled=true", "r = (bf16[4,8]) tuple(a)", &d));
	assert_string_equal(d.message, "%r: the tuple gives (f32[4,8]), the text says (bf16[4,8])");
}

static void dynamic(void **state)
{
	struct diag d;
	module *m = parse("", "q = f32[<=4,8] custom-call(), custom_call_target=\"x\"\nROOT r = transpose(q), dimensions={1,0}", &d);

	(void)state;
	assert_non_null(m);
	assert_true(m->entry->root->shape->dynamic);
	module_free(m);
	fits("q = f32[?,8] custom-call(), custom_call_target=\"x\"\nROOT r = f32[8,?] transpose(q), dimensions={1,0}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elementwise), cmocka_unit_test(movement), cmocka_unit_test(gathers),
		cmocka_unit_test(contractions), cmocka_unit_test(reductions), cmocka_unit_test(collectives),
		cmocka_unit_test(structure), cmocka_unit_test(mixed_floats), cmocka_unit_test(dynamic),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
