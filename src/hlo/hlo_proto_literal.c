#include "hlo/hlo_proto_in.h"

#include <math.h>
#include <string.h>
#include "tensor/round.h"

/* The values of one literal, in the order of the bytes. */
struct source {
	const void *data;
	int64_t n;
	int width;		/* bytes per element in memory */
};

static struct source bytes_of(const ProtobufCBinaryData *b, int width)
{
	return (struct source){ b->data, (int64_t)(b->len / (size_t)width), width };
}

static struct source source_of(const Pb__Literal *x, enum etype t)
{
	switch (t) {
	case T_PRED: return (struct source){ x->preds, (int64_t)x->n_preds, sizeof(protobuf_c_boolean) };
	case T_S1: return bytes_of(&x->s1s, 1);
	case T_S2: return bytes_of(&x->s2s, 1);
	case T_S4: return bytes_of(&x->s4s, 1);
	case T_S8: return bytes_of(&x->s8s, 1);
	case T_S16: return bytes_of(&x->s16s, 2);
	case T_S32: return (struct source){ x->s32s, (int64_t)x->n_s32s, 4 };
	case T_S64: return (struct source){ x->s64s, (int64_t)x->n_s64s, 8 };
	case T_U1: return bytes_of(&x->u1s, 1);
	case T_U2: return bytes_of(&x->u2s, 1);
	case T_U4: return bytes_of(&x->u4s, 1);
	case T_U8: return bytes_of(&x->u8s, 1);
	case T_U16: return bytes_of(&x->u16s, 2);
	case T_U32: return (struct source){ x->u32s, (int64_t)x->n_u32s, 4 };
	case T_U64: return (struct source){ x->u64s, (int64_t)x->n_u64s, 8 };
	case T_F16: return bytes_of(&x->f16s, 2);
	case T_BF16: return bytes_of(&x->bf16s, 2);
	case T_F32: return (struct source){ x->f32s, (int64_t)x->n_f32s, 4 };
	case T_F64: return (struct source){ x->f64s, (int64_t)x->n_f64s, 8 };
	case T_C64: return (struct source){ x->c64s, (int64_t)x->n_c64s / 2, 8 };
	case T_C128: return (struct source){ x->c128s, (int64_t)x->n_c128s / 2, 16 };
	case T_F8E5M2: return bytes_of(&x->f8e5m2s, 1);
	case T_F8E4M3FN: return bytes_of(&x->f8e4m3fns, 1);
	case T_F8E4M3: return bytes_of(&x->f8e4m3s, 1);
	case T_F8E3M4: return bytes_of(&x->f8e3m4s, 1);
	case T_F8E4M3B11FNUZ: return bytes_of(&x->f8e4m3b11fnuzs, 1);
	case T_F8E5M2FNUZ: return bytes_of(&x->f8e5m2fnuzs, 1);
	case T_F8E4M3FNUZ: return bytes_of(&x->f8e4m3fnuzs, 1);
	case T_F8E8M0FNU: return bytes_of(&x->f8e8m0fnus, 1);
	case T_F4E2M1FN: return bytes_of(&x->f4e2m1fns, 1);
	case T_F6E3M2FN: return bytes_of(&x->f6e3m2fns, 1);
	case T_F6E2M3FN: return bytes_of(&x->f6e2m3fns, 1);
	default: return (struct source){ NULL, 0, 1 };
	}
}

static int64_t get_int(const struct source *s, enum etype t, int64_t k)
{
	const unsigned char *p = (const unsigned char *)s->data + k * s->width;
	int bits = etype_bits(t);
	uint64_t v = 0;

	if (t == T_PRED)
		return ((const protobuf_c_boolean *)s->data)[k] != 0;
	switch (s->width) {
	case 8: v = ((const uint64_t *)s->data)[k]; break;
	case 4: v = ((const uint32_t *)s->data)[k]; break;
	case 2: v = (uint64_t)(p[0] | p[1] << 8); break;	/* bytes are little endian */
	default: v = p[0];
	}
	if (bits < 64)
		v &= ((uint64_t)1 << bits) - 1;
	if (etype_kind(t) == 's' && bits < 64 && v >> (bits - 1))
		v |= ~(((uint64_t)1 << bits) - 1);
	return (int64_t)v;
}

static void get_floats(const struct source *s, enum etype t, int64_t k, double *out)
{
	const unsigned char *p = (const unsigned char *)s->data + k * s->width;

	switch (t) {
	case T_F32: out[0] = ((const float *)s->data)[k]; break;
	case T_F64: out[0] = ((const double *)s->data)[k]; break;
	case T_C64:
		out[0] = ((const float *)s->data)[2 * k];
		out[1] = ((const float *)s->data)[2 * k + 1];
		break;
	case T_C128:
		out[0] = ((const double *)s->data)[2 * k];
		out[1] = ((const double *)s->data)[2 * k + 1];
		break;
	default:
		out[0] = etype_decode(t, s->width == 2 ? (unsigned)(p[0] | p[1] << 8) : p[0]);
	}
}

/* Payloads of NaN mean nothing to a program and are not kept. */
static void plain_nan(double *v, int n)
{
	for (int k = 0; k < n; k++)
		if (isnan(v[k]))
			v[k] = copysign(NAN, signbit(v[k]) ? -1 : 1);
}

/* Values stand in the physical order of the literal's own layout. */
struct walk {
	int rank;
	int64_t at[256], step[256];
	int64_t from;
};

static void walk_init(struct walk *w, const shape *s)
{
	int64_t step = 1;

	w->rank = s->rank;
	w->from = 0;
	for (int k = s->rank - 1; k >= 0; k--) {
		int d = s->minor_to_major ? s->minor_to_major[s->rank - 1 - k] : k;

		w->at[k] = 0;
		w->step[d] = step;
		step *= s->dim[d];
	}
}

static void walk_next(struct walk *w, const shape *s)
{
	for (int k = w->rank - 1; k >= 0; k--) {
		w->from += w->step[k];
		if (++w->at[k] < s->dim[k])
			return;
		w->from -= w->step[k] * s->dim[k];
		w->at[k] = 0;
	}
}

static const literal *array_literal(proto *p, const Pb__Literal *x, const shape *s, const char *who)
{
	struct source src = source_of(x, s->type);
	int64_t n = shape_elements(s), *ints;
	int per = etype_kind(s->type) == 'c' ? 2 : 1;
	const shape *own = x->shape ? proto_shape(p, x->shape, who) : s;
	literal *lit;
	double *floats;
	arena_mark mark;
	struct walk w;

	if (src.n == 0 && n > 0) {
		lit = ARENA_NEW(p->b.a, literal);
		lit->elided = true;
		lit->count = n;
		return lit;
	}
	if (src.n != n || !shape_equal(own, s))
		build_fail(&p->b, 0, 0, "%%%s: the constant does not fit %s", who, shape_text(&p->b.tmp, s));
	mark = arena_at(&p->b.tmp);
	walk_init(&w, own);
	if (strchr("fc", etype_kind(s->type))) {
		floats = ARENA_ARRAY(&p->b.tmp, double, n * per);
		for (int64_t k = 0; k < n; k++, walk_next(&w, s)) {
			get_floats(&src, s->type, w.from, floats + k * per);
			plain_nan(floats + k * per, per);
		}
		lit = literal_floats(p->b.a, floats, n, per);
	} else {
		ints = ARENA_ARRAY(&p->b.tmp, int64_t, n);
		for (int64_t k = 0; k < n; k++, walk_next(&w, s))
			ints[k] = get_int(&src, s->type, w.from);
		lit = literal_ints(p->b.a, ints, n);
	}
	arena_reset(&p->b.tmp, mark);
	return lit;
}

const literal *proto_literal(proto *p, const Pb__Literal *x, const shape *s, const char *who)
{
	const literal **elem;
	literal *lit;

	if (s->type != T_TUPLE)
		return array_literal(p, x, s, who);
	if (x->n_tuple != (size_t)s->n)
		build_fail(&p->b, 0, 0, "%%%s: the constant does not fit %s", who, shape_text(&p->b.tmp, s));
	elem = ARENA_ARRAY(p->b.a, const literal *, s->n);
	for (int k = 0; k < s->n; k++)
		elem[k] = proto_literal(p, x->tuple[k], s->elem[k], who);
	lit = ARENA_NEW(p->b.a, literal);
	lit->n = s->n;
	lit->elem = elem;
	return lit;
}
