#include "pair_files.h"

#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "text/data.h"
#include "text/input.h"

static char folder[64];
static arena paths;		/* a session keeps the names of its files */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void remove_folder(void)
{
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	arena_free(&paths);
}

const char *pair_folder(void)
{
	if (!*folder) {
		strcpy(folder, "/tmp/diverge-test-XXXXXX");
		if (!mkdtemp(folder))
			abort();
		arena_init(&paths);
		atexit(remove_folder);
	}
	return folder;
}

const char *pair_write(const char *name, const char *text)
{
	const char *path = arena_printf((pair_folder(), &paths), "%s/%s", folder, name);
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
	return path;
}

static void copy_rules(const char *from, const char *to)
{
	struct input in;
	struct diag err;
	FILE *f;

	if (!input_read(&in, from, &err) || !(f = fopen(to, "w")) || fwrite(in.data, 1, in.n, f) != in.n || fclose(f))
		abort();
	input_free(&in);
}

const char *pair_rules(const char *mine)
{
	static int n;
	char *shipped = data_path("rules"), pattern[1200];
	const char *own = arena_printf((pair_folder(), &paths), "%s/rules%d", folder, n++);
	glob_t found;
	size_t i;

	snprintf(pattern, sizeof pattern, "%s/*.egg", shipped);
	if (mkdir(own, 0700) || glob(pattern, 0, NULL, &found))
		abort();
	for (i = 0; i < found.gl_pathc; i++)
		copy_rules(found.gl_pathv[i], arena_printf(&paths, "%s%s", own, strrchr(found.gl_pathv[i], '/')));
	globfree(&found);
	free(shipped);
	pair_write(arena_printf(&paths, "%s/mine.egg", strrchr(own, '/') + 1), mine);
	return own;
}

static const char base[] =
	"HloModule m\n\n"
	"ENTRY %main {\n"
	"  %x = f32[4,8]{1,0} parameter(0)\n"
	"  %w = f32[8,6]{1,0} parameter(1)\n"
	"  %b = f32[4,6]{1,0} parameter(2)\n"
	"  %dot = f32[4,6]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
	"metadata={op_name=\"layer/mlp/dot\" source_file=\"/old/place/model.py\" source_line=3}\n"
	"  %add = f32[4,6]{1,0} add(%dot, %b), metadata={op_name=\"layer/mlp/add\"}\n"
	"  %tanh = f32[4,6]{1,0} tanh(%add), metadata={op_name=\"layer/act/tanh\"}\n"
	"  ROOT %out = f32[4,6]{1,0} multiply(%tanh, %add), metadata={op_name=\"layer/act/mul\"}\n"
	"}\n";

static const char dist[] =
	"HloModule m, num_partitions=2\n\n"
	"%%sum (a: f32[], b: f32[]) -> f32[] {\n"
	"  %%a = f32[] parameter(0)\n"
	"  %%b = f32[] parameter(1)\n"
	"  ROOT %%s = f32[] add(%%a, %%b)\n"
	"}\n\n"
	"ENTRY %%main {\n"
	"  %%x = f32[4,4]{1,0} parameter(0)\n"
	"  %%w = f32[4,6]{1,0} parameter(1)\n"
	"  %%b = f32[4,6]{1,0} parameter(2)\n"
	"  %%dot = f32[4,6]{1,0} dot(%%x, %%w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, "
	"metadata={op_name=\"layer/mlp/dot\" source_file=\"/old/place/model.py\" source_line=3}\n"
	"%s"
	"  %%add = f32[4,6]{1,0} add(%s, %%b), metadata={op_name=\"layer/mlp/add\"}\n"
	"  %%tanh = f32[4,6]{1,0} tanh(%%add), metadata={op_name=\"layer/act/tanh\"}\n"
	"  ROOT %%out = f32[4,6]{1,0} multiply(%%tanh, %%add), metadata={op_name=\"layer/act/mul\"}\n"
	"}\n";

static const char all_reduce_line[] =
	"  %all-reduce = f32[4,6]{1,0} all-reduce(%dot), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, "
	"to_apply=%sum, metadata={op_name=\"layer/mlp/psum\"}\n";

static const char plan[] = "mesh tp=2\ninput 0 tp:S(1)\ninput 1 tp:S(0)\ninput 2 R\noutput 0 R\n";

static struct session *open_files(const char *b, const char *d, const char *p)
{
	struct problem_files f = { b, d, p, SRCDIR "/rules", false };
	char text[1200];
	struct diag err;
	struct session *s = session_new(&f, &err);

	if (!s) {
		fprintf(stderr, "%s\n", diag_text(&err, text, sizeof text));
		abort();
	}
	return s;
}

struct session *pair_open(bool all_reduce)
{
	char text[sizeof dist + sizeof all_reduce_line + 16];

	snprintf(text, sizeof text, dist, all_reduce ? all_reduce_line : "", all_reduce ? "%all-reduce" : "%dot");
	return open_files(pair_write("small.base.hlo", base), pair_write("small.dist.hlo", text), pair_write("small.plan", plan));
}

static const char *kept(const char *path)
{
	return path ? arena_strdup((pair_folder(), &paths), path) : NULL;
}

struct session *pair_of(const char *b, const char *d, const char *p)
{
	return open_files(kept(b), kept(d), kept(p));
}

struct session *pair_texts(const char *b, const char *d, const char *p)
{
	return open_files(pair_write("text.base.hlo", b), pair_write("text.dist.hlo", d), pair_write("text.plan", p));
}

struct session *pair_sample(const char *stem, const char *form)
{
	pair_folder();
	return open_files(arena_printf(&paths, SRCDIR "/samples/%s.base.hlo", stem),
			  arena_printf(&paths, SRCDIR "/samples/%s.%s.hlo", stem, form),
			  arena_printf(&paths, SRCDIR "/samples/%s.plan", stem));
}
