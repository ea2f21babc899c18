/* interp_in.h - what the files of the interpreter share; nobody else includes it.
 *
 * A local operation is a function from one device's operands to its result: a
 * new reference, or NULL after `interp_fail`.  Numbers are 8-byte words (a
 * complex number is two), so that moving data need not know the type.
 */
#ifndef DIVERGE_INTERP_IN_H
#define DIVERGE_INTERP_IN_H

#include "interp/interp.h"

enum { INTERP_RANK = 64, INTERP_PATH = 64 };

struct prog;
struct comp_info {
	int *last;		/* per instruction: index of its last reader, ninst for the root */
	struct prog *prog;	/* compiled scalar computation */
	const char *no_prog;	/* why there is none */
};

struct interp {
	const module *m;
	interp_options o;
	int ndev;
	arena arena;			/* plans and programs */
	arena scratch;			/* shapes of one operation's inner steps */
	struct comp_info *info;		/* by comp->index */
	char why[512];
	const inst *where;
	bool failed, stopped;
	double done, total, next;
	size_t bytes;
	uint32_t steal;			/* operands of the instruction at hand that die with it, as bits */
	int depth;
	const inst *path[INTERP_PATH];
	int64_t trip[INTERP_PATH];	/* of the loops on it */
	tensor **kept;			/* entry instruction * ndev + device */
	const char *assumed[8];
	int nassumed;
	void *cache[16];		/* freed buffers, to be used again */
	size_t cache_bytes[16];
};

void *interp_fail(interp *r, const inst *i, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool interp_tick(interp *r, double work);	/* false: stop */
void interp_assume(interp *r, const char *what);

/* ---- tensors */
tensor *interp_alloc(interp *r, const shape *s);	/* numbers not set */
tensor *interp_zero(interp *r, const shape *s);
tensor *interp_view(const shape *s, tensor *of);	/* the same numbers under another shape */
tensor *interp_tuple(const shape *s, int n, tensor *const *elem);	/* takes the references */
double *interp_buffer(interp *r, size_t words);	/* scratch */
void interp_release(interp *r, void *buffer, size_t words);
static inline int tensor_words(const tensor *t) { return etype_kind(t->shape->type) == 'c' ? 2 : 1; }
static inline void *tensor_data(const tensor *t) { return t->f ? (void *)t->f : (void *)t->i; }

/* ---- float formats */
uint64_t interp_bits(enum etype t, double v);		/* of v rounded to t */
double interp_from_bits(enum etype t, uint64_t b);
double interp_round_to(double v, int exponent_bits, int mantissa_bits);

/* ---- elementwise */
struct elem {
	enum opcode op;
	enum etype in, out;	/* of the operand that decides, and of the result */
	enum etype src[3];
	char dir;		/* compare: e n l L g G (capital: or equal) */
	bool total;		/* compare: total order of floats */
	int exponent_bits, mantissa_bits;
	bool round;
	int nudge;		/* as in interp_options */
};
bool elem_prepare(interp *r, const inst *i, struct elem *e);	/* false after interp_fail */
void elem_run(const struct elem *e, int64_t n, void *d, const void *a, const void *b, const void *c);
tensor *interp_elementwise(interp *r, const inst *i, tensor *const *a);

/* ---- scalar computations as register programs */
struct prog_step { struct elem e; int dst, src[3]; };
struct prog {
	int nparam, nresult, nreg, nstep;
	struct prog_step *step;
	int *result;			/* register of each result */
	enum etype *type;		/* of each register */
	void **reg;			/* PROG_BLOCK numbers each; parameters come first and are set per run */
};
enum { PROG_BLOCK = 256 };
const struct prog *interp_prog(interp *r, const inst *i, const comp *c);	/* NULL after interp_fail */
/* out[j][k] = result j on in[..][k], k < n; out may be one of the inputs. */
void prog_run(const struct prog *p, int64_t n, void *const *out, const void *const *in);
/* The single operation on both parameters, OP_PARAMETER when the result is the second, else OP_UNKNOWN. */
enum opcode prog_kind(const struct prog *p);

/* ---- moving data */
/* d[x . ds] = s[x . ss] for all x below n; strides in words. */
void interp_copy(int rank, const int64_t *n, void *d, const int64_t *ds, const void *s, const int64_t *ss);
void shape_strides(const shape *s, int words, int64_t *st);
void interp_fill(tensor *t, const tensor *scalar);
bool interp_step(int rank, const int64_t *n, int64_t *x);	/* odometer; false after the last */
tensor *interp_permute(interp *r, const tensor *t, const int64_t *perm);	/* own shape, in r->scratch */
tensor *interp_slice(interp *r, const shape *s, const tensor *t, const int64_t *start, const int64_t *stride);

/* Total order: -NaN, -inf, .., -0, +0, .., inf, NaN. */
static inline int64_t interp_total_key(double v)
{
	int64_t u;

	memcpy(&u, &v, sizeof u);
	return u < 0 ? (int64_t)(~(uint64_t)u | (uint64_t)1 << 63) : u;
}

/* ---- families of operations, each one device's */
tensor *interp_move(interp *r, const inst *i, tensor *const *a);
tensor *interp_indexed(interp *r, const inst *i, tensor *const *a);
tensor *interp_dot(interp *r, const inst *i, tensor *const *a);
tensor *interp_convolution(interp *r, const inst *i, tensor *const *a);
tensor *interp_reduce(interp *r, const inst *i, tensor *const *a);
tensor *interp_reduce_window(interp *r, const inst *i, tensor *const *a);
tensor *interp_select_and_scatter(interp *r, const inst *i, tensor *const *a);
tensor *interp_map(interp *r, const inst *i, tensor *const *a);
tensor *interp_sort(interp *r, const inst *i, tensor *const *a);
tensor *interp_topk(interp *r, const inst *i, tensor *const *a);
tensor *interp_linalg(interp *r, const inst *i, tensor *const *a);
tensor *interp_batch_norm(interp *r, const inst *i, tensor *const *a);
tensor *interp_rng(interp *r, const inst *i, tensor *const *a);
tensor *interp_custom_call(interp *r, const inst *i, tensor *const *a);

/* ---- collectives: value[operand][k] and result[k] for device dev[k] */
bool interp_collective(interp *r, const inst *i, int ndev, const int *dev, tensor *const *const *value, tensor **result);

int64_t interp_dimension(const inst *i, int64_t otherwise);	/* the one of dimensions={d} */
double interp_words(const shape *s);	/* 8-byte words of a value */
bool interp_shares(const inst *i);	/* its value lies in an operand's numbers */

/* ---- computations at work */

struct activation {
	const comp *c;
	int n;
	const int *dev;
	tensor **value;		/* [inst * n + k] */
	tensor *const *const *arg;	/* [k][parameter] */
	bool give;		/* the caller's references become the parameters': arg entries turn NULL */
};
static inline tensor **tensors_of(const struct activation *f, const inst *i)
{
	return f->value + (size_t)i->index * f->n;
}

/* out[k] is a new reference to device dev[k]'s result; false after interp_fail. */
bool interp_activation(interp *r, struct activation *f, tensor **out);
bool interp_comp(interp *r, const comp *c, int n, const int *dev, tensor *const *const *arg, tensor **out);
/* The control instructions: every device's slot is filled. */
bool interp_call(interp *r, const struct activation *f, const inst *i, const char *key);
bool interp_async(interp *r, const struct activation *f, const inst *i);
bool interp_while(interp *r, const struct activation *f, const inst *i);
bool interp_conditional(interp *r, const struct activation *f, const inst *i);
/* Any operation that one device does alone. */
tensor *interp_local(interp *r, const inst *i, tensor *const *a);

#endif
