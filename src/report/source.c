#include "report/source.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "text/input.h"

struct rule_of_path {
	const char *from, *to;
};

struct sources {
	arena text;
	vec rule;		/* struct rule_of_path */
	vec dir, skip;		/* const char * */
	vec home;		/* .. directories that stay: where the programs lie */
	vec file;		/* struct source_file *, forgotten when a rule changes */
	arena files;
	unsigned forgotten;	/* how often */
};

struct sources *sources_new(void)
{
	struct sources *s = calloc(1, sizeof *s);

	if (!s) {
		die_hook("out of memory");
		return NULL;
	}
	arena_init(&s->text);
	arena_init(&s->files);
	vec_init(&s->rule, sizeof(struct rule_of_path));
	vec_init(&s->dir, sizeof(const char *));
	vec_init(&s->skip, sizeof(const char *));
	vec_init(&s->home, sizeof(const char *));
	vec_init(&s->file, sizeof(struct source_file *));
	return s;
}

void sources_free(struct sources *s)
{
	if (!s)
		return;
	vec_free(&s->rule);
	vec_free(&s->dir);
	vec_free(&s->skip);
	vec_free(&s->home);
	vec_free(&s->file);
	arena_free(&s->files);
	arena_free(&s->text);
	free(s);
}

/* Another rule: every file is looked for again. */
static void forget(struct sources *s)
{
	s->file.n = 0;
	s->forgotten++;
	arena_free(&s->files);
	arena_init(&s->files);
}

unsigned sources_forgotten(const struct sources *s)
{
	return s->forgotten;
}

/* ---- rules, directories, skips */

static void vec_remove(vec *v, uint32_t i)
{
	char *at = v->base + (size_t)i * v->width;

	memmove(at, at + v->width, (size_t)(v->n - i - 1) * v->width);
	v->n--;
}

/* A slash at the end of a prefix is the boundary it has to end at anyway. */
static char *without_slash(arena *a, const char *path)
{
	char *s = arena_strdup(a, path);
	size_t n = strlen(s);

	while (n > 1 && s[n - 1] == '/')
		s[--n] = 0;
	return s;
}

void sources_substitute(struct sources *s, const char *from, const char *to)
{
	struct rule_of_path r = { without_slash(&s->text, from), to ? without_slash(&s->text, to) : NULL };
	uint32_t i;

	forget(s);
	for (i = 0; i < s->rule.n; i++)
		if (!strcmp(VEC_AT(struct rule_of_path, &s->rule, i).from, r.from))
			break;
	if (to && i == s->rule.n)
		vec_push(&s->rule);
	if (to)
		VEC_AT(struct rule_of_path, &s->rule, i) = r;
	else if (i < s->rule.n)
		vec_remove(&s->rule, i);
}

int sources_nsubstitute(const struct sources *s)
{
	return (int)s->rule.n;
}

void sources_get_substitute(const struct sources *s, int i, const char **from, const char **to)
{
	*from = VEC_AT(struct rule_of_path, &s->rule, i).from;
	*to = VEC_AT(struct rule_of_path, &s->rule, i).to;
}

void sources_directory(struct sources *s, const char *dir)
{
	forget(s);
	if (!dir)
		s->dir.n = 0;
	else
		*(const char **)vec_push(&s->dir) = without_slash(&s->text, dir);
}

void sources_home(struct sources *s, const char *program)
{
	const char *slash = strrchr(program, '/');

	forget(s);
	*(const char **)vec_push(&s->home) = slash ? arena_printf(&s->text, "%.*s", (int)(slash - program), program) : ".";
}

int sources_ndirectory(const struct sources *s)
{
	return (int)s->dir.n;
}

const char *sources_get_directory(const struct sources *s, int i)
{
	return VEC_AT(const char *, &s->dir, s->dir.n - 1 - (uint32_t)i);
}

void sources_skip(struct sources *s, const char *glob)
{
	s->forgotten++;
	if (!glob)
		s->skip.n = 0;
	else
		*(const char **)vec_push(&s->skip) = arena_strdup(&s->text, glob);
}

int sources_nskip(const struct sources *s)
{
	return (int)s->skip.n;
}

const char *sources_get_skip(const struct sources *s, int i)
{
	return VEC_AT(const char *, &s->skip, i);
}

/* ---- finding a file */

struct search {
	struct sources *s;
	vec tried;		/* const char * */
	const char *found;
};

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, R_OK);
}

static void try_path(struct search *w, const char *path)
{
	uint32_t i;

	for (i = 0; i < w->tried.n; i++)
		if (!strcmp(VEC_AT(const char *, &w->tried, i), path))
			return;
	*(const char **)vec_push(&w->tried) = path;
	if (!w->found && is_file(path))
		w->found = path;
}

/* The prefix has to end where a name of a folder ends. */
static const char *behind_prefix(const char *name, const char *prefix)
{
	size_t n = strlen(prefix);

	if (strncmp(name, prefix, n))
		return NULL;
	return name[n] == '/' || !name[n] || (n && prefix[n - 1] == '/') ? name + n : NULL;
}

static void try_rules(struct search *w, const char *name)
{
	uint32_t i;

	for (i = 0; i < w->s->rule.n && !w->found; i++) {
		const struct rule_of_path *r = &VEC_AT(struct rule_of_path, &w->s->rule, i);
		const char *rest = behind_prefix(name, r->from);
		if (rest)
			try_path(w, arena_printf(&w->s->files, "%s%s%s", r->to, *rest && *rest != '/' ? "/" : "", rest));
	}
}

static const char *behind_slash(const char *name)
{
	const char *slash = strchr(name, '/');

	return slash ? slash + 1 : NULL;
}

/* The whole name below the folder, then without its first folders: what was /src/models/x.py elsewhere is models/x.py here. */
static void try_directory(struct search *w, const char *dir, const char *name)
{
	const char *rest = name + (*name == '/');

	for (; rest && !w->found; rest = behind_slash(rest))
		try_path(w, arena_printf(&w->s->files, "%s/%s", dir, rest));
}

static void try_directories(struct search *w, const char *name)
{
	uint32_t i;

	for (i = w->s->dir.n; i-- > 0; )
		try_directory(w, VEC_AT(const char *, &w->s->dir, i), name);
	for (i = 0; i < w->s->home.n; i++)
		try_directory(w, VEC_AT(const char *, &w->s->home, i), name);
}

/* What a user most likely has to say: the folder the file was in, and a place for where it is now. */
static const char *proposal(struct sources *s, const char *name)
{
	const char *slash = strrchr(name, '/');

	if (!slash || slash == name)
		return arena_printf(&s->files, "directory ");
	return arena_printf(&s->files, "set substitute-path %.*s ", (int)(slash - name), name);
}

static void cut_lines(struct sources *s, struct source_file *f, const struct input *in)
{
	char *text = arena_alloc(&s->files, in->n + 1), *at = text, *end;
	const char **line;
	int n = 1;
	size_t k;

	memcpy(text, in->data, in->n);
	text[in->n] = 0;
	for (k = 0; k < in->n; k++)
		n += text[k] == '\n';
	line = ARENA_ARRAY(&s->files, const char *, n);
	for (f->nline = 0; at < text + in->n; at = end + 1) {
		end = memchr(at, '\n', (size_t)(text + in->n - at));
		if (!end)
			end = text + in->n;
		*end = 0;
		if (end > at && end[-1] == '\r')
			end[-1] = 0;
		line[f->nline++] = at;
	}
	f->line = line;
}

static struct source_file *find_file(struct sources *s, const char *name)
{
	struct source_file *f = ARENA_NEW(&s->files, struct source_file);
	struct search w = { .s = s };
	const char **tried;
	struct diag err;
	struct input in;

	vec_init(&w.tried, sizeof(const char *));
	f->name = arena_strdup(&s->files, name);
	try_rules(&w, f->name);
	if (!w.found)
		try_path(&w, f->name);
	if (!w.found)
		try_directories(&w, f->name);
	f->path = w.found;
	f->ntried = (int)w.tried.n;
	f->tried = tried = ARENA_ARRAY(&s->files, const char *, f->ntried);
	if (f->ntried)
		memcpy(tried, w.tried.base, sizeof *tried * (size_t)f->ntried);
	vec_free(&w.tried);
	if (f->path && input_read(&in, f->path, &err)) {
		cut_lines(s, f, &in);
		input_free(&in);
	} else {
		f->path = NULL;
		f->propose = proposal(s, f->name);
	}
	return f;
}

const struct source_file *sources_open(struct sources *s, const char *name)
{
	struct source_file *f;
	uint32_t i;

	for (i = 0; i < s->file.n; i++)
		if (!strcmp(VEC_AT(struct source_file *, &s->file, i)->name, name))
			return VEC_AT(struct source_file *, &s->file, i);
	f = find_file(s, name);
	*(struct source_file **)vec_push(&s->file) = f;
	return f;
}

/* ---- frames */

bool sources_user_frame(const struct sources *s, const frame *f)
{
	static const char *const library[] = { "/site-packages/", "/dist-packages/", "/lib/python", "<frozen " };
	size_t k;
	uint32_t i;

	if (!f->file || !*f->file)
		return false;
	for (k = 0; k < sizeof library / sizeof *library; k++)
		if (strstr(f->file, library[k]))
			return false;
	for (i = 0; s && i < s->skip.n; i++) {
		const char *glob = VEC_AT(const char *, &s->skip, i), *last = strrchr(f->file, '/');
		if (!fnmatch(glob, f->file, 0) || (last && !fnmatch(glob, last + 1, 0)))
			return false;
	}
	return true;
}

static bool has_user_frame(const struct sources *s, const inst *i)
{
	const frame *f;

	for (f = i->frame; f && !sources_user_frame(s, f); f = f->parent)
		;
	return f != NULL;
}

enum { TELLERS = 256 };		/* how many operands are looked at */

const inst *sources_teller(const struct sources *s, const inst *i)
{
	const inst *seen[TELLERS] = { i };
	int n = 1, at, k, j;

	for (at = 0; at < n; at++) {
		if (has_user_frame(s, seen[at]))
			return seen[at];
		for (k = 0; k < seen[at]->noperand && n < TELLERS; k++) {
			const inst *x = seen[at]->operand[k];

			for (j = 0; j < n && seen[j] != x; j++)
				;
			if (j == n && x->opcode != OP_PARAMETER && x->opcode != OP_CONSTANT)
				seen[n++] = x;
		}
	}
	return i;
}

const frame *sources_frame(const struct sources *s, const inst *i, int *up)
{
	const frame *f;
	int inner = -1, n = 0, want;

	for (f = i->frame; f; f = f->parent, n++)
		if (inner < 0 && sources_user_frame(s, f))
			inner = n;
	if (!n)
		return NULL;
	if (inner < 0)
		inner = 0;
	want = inner + *up;
	want = want < 0 ? 0 : want >= n ? n - 1 : want;
	*up = want - inner;
	for (f = i->frame; want > 0; want--)
		f = f->parent;
	return f;
}
