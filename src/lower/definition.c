#include "lower/definition.h"

#include <inttypes.h>
#include <string.h>
#include "hlo/hlo_text.h"
#include "interp/interp.h"
#include "lower/vendor.h"

#define COMBINE(name, op) \
	"%" name " {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT %c = f32[] " op "(%a, %b)\n}\n\n"

/* What is known of a call: $S its shape, $R the shape without the axis, $K the axis, $O the other dimensions, $N the axis's size. */
static const struct definition {
	const char *target, *words;
	int noperand;
	const char *text;
} definitions[] = {
	{ "AwsNeuronRmsNorm", "x * rsqrt(mean(x * x) + epsilon) * weight along its axis", 3,
	  "HloModule AwsNeuronRmsNorm\n\n" COMBINE("add", "add")
	  "ENTRY %norm {\n"
	  "  %x = $S parameter(0)\n"
	  "  %weight = f32[$N] parameter(1)\n"
	  "  %epsilon = f32[] parameter(2)\n"
	  "  %square = $S multiply(%x, %x)\n"
	  "  %zero = f32[] constant(0)\n"
	  "  %sum = $R reduce(%square, %zero), dimensions={$K}, to_apply=%add\n"
	  "  %size = f32[] constant($N)\n"
	  "  %sizes = $R broadcast(%size), dimensions={}\n"
	  "  %mean = $R divide(%sum, %sizes)\n"
	  "  %epsilons = $R broadcast(%epsilon), dimensions={}\n"
	  "  %biased = $R add(%mean, %epsilons)\n"
	  "  %root = $R rsqrt(%biased)\n"
	  "  %roots = $S broadcast(%root), dimensions={$O}\n"
	  "  %unit = $S multiply(%x, %roots)\n"
	  "  %weights = $S broadcast(%weight), dimensions={$K}\n"
	  "  ROOT %norm = $S multiply(%unit, %weights)\n"
	  "}\n" },
	{ "AwsNeuronSoftmax", "exp(x - max(x)) / sum(exp(x - max(x))) along its axis", 1,
	  "HloModule AwsNeuronSoftmax\n\n" COMBINE("add", "add") COMBINE("larger", "maximum")
	  "ENTRY %softmax {\n"
	  "  %x = $S parameter(0)\n"
	  "  %least = f32[] constant(-inf)\n"
	  "  %max = $R reduce(%x, %least), dimensions={$K}, to_apply=%larger\n"
	  "  %maxima = $S broadcast(%max), dimensions={$O}\n"
	  "  %shifted = $S subtract(%x, %maxima)\n"
	  "  %exp = $S exponential(%shifted)\n"
	  "  %zero = f32[] constant(0)\n"
	  "  %sum = $R reduce(%exp, %zero), dimensions={$K}, to_apply=%add\n"
	  "  %sums = $S broadcast(%sum), dimensions={$O}\n"
	  "  ROOT %softmax = $S divide(%exp, %sums)\n"
	  "}\n" },
};

static const struct definition *named(const inst *i)
{
	const char *t = i->opcode == OP_CUSTOM_CALL ? inst_text(i, "custom_call_target") : NULL;
	size_t k;

	for (k = 0; t && k < sizeof definitions / sizeof *definitions; k++)
		if (!strcmp(definitions[k].target, t))
			return &definitions[k];
	return NULL;
}

static bool is_f32(const shape *s, int rank)
{
	return s->type == T_F32 && s->rank == rank;
}

static bool fits(const inst *i, const struct definition *d)
{
	const shape *s = i->shape;
	int64_t axis;

	if (s->type != T_F32 || s->rank < 1 || i->noperand != d->noperand || !is_f32(i->operand[0]->shape, s->rank) ||
	    memcmp(i->operand[0]->shape->dim, s->dim, sizeof *s->dim * (size_t)s->rank))
		return false;
	axis = interp_custom_axis(i, s->rank);
	if (axis < 0 || axis >= s->rank)
		return false;
	return d->noperand == 1 || (is_f32(i->operand[1]->shape, 1) && i->operand[1]->shape->dim[0] == s->dim[axis] && is_f32(i->operand[2]->shape, 0));
}

const char *definition_words(const inst *i)
{
	const struct definition *d = named(i);

	return d ? fits(i, d) ? d->words : NULL : vendor_words(i);
}

const char *definition_refusal(arena *a, const inst *i)
{
	const struct definition *d = named(i);

	if (!d)
		return vendor_refusal(a, i);
	return fits(i, d) ? NULL : "it is read of f32 alone, with its axis in backend_config, and scales of one dimension";
}

/* Dimensions of the shape, or their numbers, without one: -1 leaves out none. */
static char *list(arena *a, const shape *s, int64_t without, bool numbers)
{
	char *t = arena_strdup(a, "");
	int k;

	for (k = 0; k < s->rank; k++)
		if (k != without)
			t = arena_printf(a, "%s%s%" PRId64, t, *t ? "," : "", numbers ? k : s->dim[k]);
	return t;
}

static char *filled_in(arena *a, const inst *i, const char *text)
{
	int64_t axis = interp_custom_axis(i, i->shape->rank);
	char *t = arena_strdup(a, ""), *with;
	const char *p;

	for (; (p = strchr(text, '$')); text = p + 2) {
		switch (p[1]) {
		case 'S': with = arena_printf(a, "f32[%s]", list(a, i->shape, -1, false)); break;
		case 'R': with = arena_printf(a, "f32[%s]", list(a, i->shape, axis, false)); break;
		case 'O': with = list(a, i->shape, axis, true); break;
		case 'K': with = arena_printf(a, "%" PRId64, axis); break;
		default: with = arena_printf(a, "%" PRId64, i->shape->dim[axis]); break;
		}
		t = arena_printf(a, "%s%.*s%s", t, (int)(p - text), text, with);
	}
	return arena_printf(a, "%s%s", t, text);
}

module *definition_module(const inst *i)
{
	const struct definition *d = named(i);
	struct diag err;
	arena a;
	char *text;
	module *m;
	int k;

	arena_init(&a);
	text = d ? filled_in(&a, i, d->text) : vendor_text(&a, i);
	m = hlo_read_text(inst_text(i, "custom_call_target"), text, strlen(text), &err);
	arena_free(&a);
	for (k = 0; m && k < m->entry->ninst; k++) {
		m->entry->inst[k]->frame = i->frame;
		m->entry->inst[k]->op_name = i->op_name;
	}
	return m;
}

bool definition_called(const module *m, const char *target)
{
	int c, k;

	for (c = 0; c < m->ncomp; c++)
		for (k = 0; k < m->comp[c]->ninst; k++) {
			const char *t = m->comp[c]->inst[k]->opcode == OP_CUSTOM_CALL ? inst_text(m->comp[c]->inst[k], "custom_call_target") : NULL;
			if (t && !strcmp(t, target))
				return true;
		}
	return false;
}

bool definition_is_vendor(const inst *i)
{
	return !named(i) && vendor_words(i);
}

module *definition_of_vendor(void *ctx, const inst *i)
{
	(void)ctx;
	return definition_is_vendor(i) ? definition_module(i) : NULL;
}
