/* shape.h - element types and shapes of tensors.
 *
 * A shape is an array (element type, dimensions, optional physical layout), a
 * tuple of shapes, or a token / opaque type (element type T_TOKEN, T_OPAQUE,
 * rank 0).  Shapes are immutable and live in the arena of their module.
 */
#ifndef DIVERGE_SHAPE_H
#define DIVERGE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>
#include "util/arena.h"

/* name, text, bits, kind: p pred, s signed, u unsigned, f float, c complex, - no array */
#define ETYPES(X) \
	X(PRED, "pred", 1, 'p') X(S1, "s1", 1, 's') X(S2, "s2", 2, 's') X(S4, "s4", 4, 's') \
	X(S8, "s8", 8, 's') X(S16, "s16", 16, 's') X(S32, "s32", 32, 's') X(S64, "s64", 64, 's') \
	X(U1, "u1", 1, 'u') X(U2, "u2", 2, 'u') X(U4, "u4", 4, 'u') \
	X(U8, "u8", 8, 'u') X(U16, "u16", 16, 'u') X(U32, "u32", 32, 'u') X(U64, "u64", 64, 'u') \
	X(F16, "f16", 16, 'f') X(F32, "f32", 32, 'f') X(F64, "f64", 64, 'f') X(BF16, "bf16", 16, 'f') \
	X(F8E5M2, "f8e5m2", 8, 'f') X(F8E4M3FN, "f8e4m3fn", 8, 'f') X(F8E4M3, "f8e4m3", 8, 'f') \
	X(F8E3M4, "f8e3m4", 8, 'f') X(F8E4M3B11FNUZ, "f8e4m3b11fnuz", 8, 'f') \
	X(F8E5M2FNUZ, "f8e5m2fnuz", 8, 'f') X(F8E4M3FNUZ, "f8e4m3fnuz", 8, 'f') \
	X(F8E8M0FNU, "f8e8m0fnu", 8, 'f') X(F4E2M1FN, "f4e2m1fn", 4, 'f') \
	X(F6E3M2FN, "f6e3m2fn", 6, 'f') X(F6E2M3FN, "f6e2m3fn", 6, 'f') \
	X(C64, "c64", 64, 'c') X(C128, "c128", 128, 'c') \
	X(TOKEN, "token", 0, '-') X(OPAQUE, "opaque", 0, '-') X(TUPLE, "tuple", 0, '-') \
	X(BUFFER, "buffer", 0, '-') X(UNKNOWN, "unknown", 0, '-')
enum etype {
#define X(n, s, b, k) T_##n,
	ETYPES(X)
#undef X
	T_COUNT
};

const char *etype_name(enum etype t);
enum etype etype_named(const char *s, size_t n);	/* T_COUNT when there is none */
int etype_bits(enum etype t);
char etype_kind(enum etype t);
static inline bool etype_is_int(enum etype t) { char k = etype_kind(t); return k == 's' || k == 'u'; }
static inline bool etype_is_float(enum etype t) { return etype_kind(t) == 'f'; }

typedef struct shape shape;
struct shape {
	enum etype type;
	int rank;
	const int64_t *dim;		/* extents, logical order */
	const int *minor_to_major;	/* NULL: row-major */
	const char *layout;		/* the layout as written, braces included, or NULL; display only */
	bool tiled;			/* the layout has tiles: physical order is not a permutation */
	bool dynamic;			/* some extent was written <=n or ? (extent -1) */
	const bool *bounded;		/* if dynamic: which extents are bounds */
	int n;				/* T_TUPLE: elements (T_BUFFER: 1) */
	const shape *const *elem;
};

int64_t shape_elements(const shape *s);		/* product of extents; 0 if an extent is 0; -1 on overflow or ? */
int shape_leaves(const shape *s);			/* shapes that are no tuples, in order; an array is one */
const shape *shape_leaf(const shape *s, int k);
bool shape_row_major(const shape *s);		/* the last dimension is minor; tiles are not looked at */
bool shape_equal(const shape *a, const shape *b);	/* type and extents, tuples deeply; layouts ignored */
/* "f32[4,8]", "(f32[2], s32[])"; into an arena */
char *shape_text(arena *a, const shape *s);
shape *shape_array(arena *a, enum etype t, int rank, const int64_t *dim);

#endif
