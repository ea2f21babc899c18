#include "text/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "util/arena.h"

#define MOST ((size_t)INT_MAX)

static bool fail(struct diag *err, const char *path, const char *why)
{
	diag_set(err, path, 0, 0, "%s", why);
	return false;
}

/* Room for at least one more byte and the zero byte. */
static bool grow(struct input *in, size_t *cap)
{
	char *p;

	if (in->n + 1 < *cap)
		return true;
	*cap = *cap ? *cap * 2 : 1 << 16;
	p = realloc(in->data, *cap);
	if (p)
		in->data = p;
	return p != NULL;
}

static bool read_all(struct input *in, int fd, size_t cap, const char *path, struct diag *err)
{
	ssize_t got;

	for (;;) {
		if (!grow(in, &cap))
			return fail(err, path, "out of memory");
		got = read(fd, in->data + in->n, cap - in->n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fail(err, path, strerror(errno));
		if (got == 0)
			return true;
		in->n += (size_t)got;
		if (in->n > MOST)
			return fail(err, path, "the file is larger than 2 GiB");
	}
}

static bool unpack(struct input *in, const char *path, struct diag *err)
{
	struct input out = { NULL, 0 };
	size_t cap = in->n * 4 + 1024;
	z_stream z;
	int got;

	memset(&z, 0, sizeof z);
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return fail(err, path, "out of memory");
	z.next_in = (Bytef *)in->data;
	z.avail_in = (uInt)in->n;
	out.data = malloc(cap);
	do {
		if (!out.data || !grow(&out, &cap)) {
			got = Z_MEM_ERROR;
			break;
		}
		z.next_out = (Bytef *)out.data + out.n;
		z.avail_out = (uInt)(cap - out.n - 1 < MOST ? cap - out.n - 1 : MOST);
		got = inflate(&z, Z_NO_FLUSH);
		out.n = (size_t)((char *)z.next_out - out.data);
		if (got == Z_STREAM_END && z.avail_in)	/* several members in a row */
			got = inflateReset(&z);
	} while (got == Z_OK && out.n <= MOST);
	inflateEnd(&z);
	free(in->data);
	*in = out;
	if (got == Z_MEM_ERROR)
		return fail(err, path, "out of memory");
	if (out.n > MOST)
		return fail(err, path, "the unpacked file is larger than 2 GiB");
	return got == Z_STREAM_END || fail(err, path, "the gzip data is broken or cut short");
}

static bool read_file(struct input *in, int fd, const char *path, struct diag *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return fail(err, path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return fail(err, path, "is a directory");
	if (st.st_size > (off_t)MOST)
		return fail(err, path, "the file is larger than 2 GiB");
	if (st.st_size && (in->data = malloc((size_t)st.st_size + 2)))
		pages_fetch(in->data, in->data + st.st_size);
	if (!read_all(in, fd, in->data ? (size_t)st.st_size + 2 : 0, path, err))
		return false;
	if (in->n >= 2 && !memcmp(in->data, "\x1f\x8b", 2) && !unpack(in, path, err))
		return false;
	if (!in->n)
		return fail(err, path, "the file is empty");
	in->data[in->n] = 0;
	return true;
}

bool input_read(struct input *in, const char *path, struct diag *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok;

	in->data = NULL;
	in->n = 0;
	if (fd < 0)
		return fail(err, path, strerror(errno));
	ok = read_file(in, fd, path, err);
	close(fd);
	if (!ok)
		input_free(in);
	return ok;
}

void input_free(struct input *in)
{
	free(in->data);
	in->data = NULL;
	in->n = 0;
}
