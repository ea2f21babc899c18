/* interp_tensor.c - the memory of tensors: counted references, counted bytes,
 * and a few freed buffers kept for the next value of the same size. */
#include <stdlib.h>

#include <string.h>
#include "interp/interp_in.h"

enum { CACHED_FROM = 1 << 14 };	/* bytes: smaller buffers are malloc's business */

static void *must(void *p)
{
	if (!p)
		die_hook("out of memory");
	return p;
}

static void *buffer_new(interp *r, size_t bytes)
{
	int k;

	if (r)
		r->bytes += bytes;
	for (k = 0; r && bytes >= CACHED_FROM && k < 16; k++)
		if (r->cache[k] && r->cache_bytes[k] == bytes) {
			void *p = r->cache[k];

			r->cache[k] = NULL;
			return p;
		}
	return must(malloc(bytes ? bytes : 8));
}

static void buffer_free(interp *r, void *p, size_t bytes)
{
	int k;

	if (r)
		r->bytes -= bytes;
	for (k = 0; r && bytes >= CACHED_FROM && k < 16; k++)
		if (!r->cache[k]) {
			r->cache[k] = p;
			r->cache_bytes[k] = bytes;
			return;
		}
	free(p);
}

double *interp_buffer(interp *r, size_t words)
{
	return buffer_new(r, words * 8);
}

void interp_release(interp *r, void *buffer, size_t words)
{
	buffer_free(r, buffer, words * 8);
}

static tensor *header(const shape *s)
{
	tensor *t = must(calloc(1, sizeof *t));

	t->shape = s;
	t->refs = 1;
	return t;
}

static tensor *make(interp *r, const shape *s, bool zero)
{
	tensor *t = header(s);
	char kind = etype_kind(s->type);
	void *p;
	int k;

	if (s->type == T_TUPLE) {
		t->nelem = s->n;
		t->elem = must(calloc(s->n ? s->n : 1, sizeof *t->elem));
		for (k = 0; k < s->n; k++)
			t->elem[k] = make(r, s->elem[k], zero);
		return t;
	}
	if (kind == '-')
		return t;
	t->n = shape_elements(s);
	t->bytes = (size_t)t->n * (kind == 'c' ? 16 : 8);
	t->run = r;
	p = buffer_new(r, t->bytes);
	if (zero)
		memset(p, 0, t->bytes);
	if (kind == 'f' || kind == 'c')
		t->f = p;
	else
		t->i = p;
	return t;
}

tensor *tensor_new(const shape *s)
{
	return make(NULL, s, true);
}

tensor *interp_alloc(interp *r, const shape *s)
{
	return make(r, s, false);
}

tensor *interp_zero(interp *r, const shape *s)
{
	return make(r, s, true);
}

tensor *tensor_ref(tensor *t)
{
	t->refs++;
	return t;
}

void tensor_unref(tensor *t)
{
	int k;

	if (!t || --t->refs)
		return;
	for (k = 0; k < t->nelem; k++)
		tensor_unref(t->elem[k]);
	free(t->elem);
	if (t->owner)
		tensor_unref(t->owner);
	else if (!t->fixed && tensor_data(t))
		buffer_free(t->run, tensor_data(t), t->bytes);
	free(t);
}

tensor *interp_view(const shape *s, tensor *of)
{
	tensor *t = header(s);

	t->n = of->n;
	t->f = of->f;
	t->i = of->i;
	t->owner = tensor_ref(of->owner ? of->owner : of);
	return t;
}

tensor *interp_tuple(const shape *s, int n, tensor *const *elem)
{
	tensor *t = header(s);

	t->nelem = n;
	t->elem = must(calloc(n ? n : 1, sizeof *t->elem));
	memcpy(t->elem, elem, sizeof *elem * n);
	return t;
}

tensor *tensor_over(const shape *s, int64_t n, const double *f, const int64_t *i)
{
	tensor *t = header(s);

	t->n = n;
	t->f = (double *)f;
	t->i = (int64_t *)i;
	t->fixed = true;
	return t;
}
