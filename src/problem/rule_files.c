#include "problem/rule_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "certify/certify.h"
#include "text/data.h"
#include "text/input.h"

static int by_name(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

/* The order in which rule files are read; others follow by name. */
static int file_rank(const char *name)
{
	static const char *const first[] = { "tensors.egg", "lift.egg", "structure.egg", "search.egg", "normalize.egg" };
	int i;

	for (i = 0; i < (int)(sizeof first / sizeof *first); i++)
		if (!strcmp(name, first[i]))
			return i;
	return 100;
}

static int by_rank(const void *x, const void *y)
{
	const char *a = *(char *const *)x, *b = *(char *const *)y;
	int ra = file_rank(strrchr(a, '/') + 1), rb = file_rank(strrchr(b, '/') + 1);

	return ra != rb ? ra - rb : by_name(x, y);
}

static bool rule_error(const char *msg, struct diag *err)
{
	char file[512];
	int line = 0, col = 0;

	if (sscanf(msg, "%511[^:]:%d:%d: ", file, &line, &col) == 3) {
		const char *m = msg + strlen(file);
		m = strchr(strchr(strchr(m + 1, ':') + 1, ':') + 1, ' ');
		diag_set(err, file, line, col, "%s", m ? m + 1 : msg);
	} else {
		diag_set(err, "rules", 0, 0, "%s", msg);
	}
	return false;
}

/* A rule is called by its name, whatever its ruleset is: in commands, reports and proofs. */
static bool names_differ(const rules *r, uint32_t from, struct diag *err)
{
	uint32_t i;

	for (i = from; i < rules_n(r); i++) {
		const rule *u = rules_at(r, i), *other = rules_named(r, u->name);

		if (other == u)
			continue;
		diag_set(err, u->file, (int)u->line, (int)u->col, "there is a rule `%s` already, at %s:%u", u->name, other->file, other->line);
		return false;
	}
	return true;
}

static bool read_file(prover *pr, const char *path, struct diag *err)
{
	struct input in;
	const char *msg;

	if (!input_read(&in, path, err))
		return false;
	msg = prover_read(pr, path, in.data, in.n);
	input_free(&in);
	return msg ? rule_error(msg, err) : true;
}

static bool ends_in_egg(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && !strcmp(name + n - 4, ".egg");
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool read_folder(prover *pr, const char *dir, struct diag *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *name[256];
	int n = 0, i;
	bool ok = true;

	if (!d) {
		diag_set(err, dir, 0, 0, "the rules cannot be read: %s", strerror(errno));
		return false;
	}
	while ((e = readdir(d)) && n < 256) {
		size_t len = strlen(dir) + strlen(e->d_name) + 2;
		if (!ends_in_egg(e->d_name))
			continue;
		name[n] = malloc(len);
		if (name[n])
			snprintf(name[n++], len, "%s/%s", dir, e->d_name);
	}
	closedir(d);
	if (!n) {
		diag_set(err, dir, 0, 0, "no rules (*.egg) are in this folder");
		ok = false;
	}
	qsort(name, (size_t)n, sizeof *name, by_rank);
	for (i = 0; i < n; i++) {
		ok = ok && read_file(pr, name[i], err);
		free(name[i]);
	}
	return ok;
}

static bool read_own(prover *pr, struct diag *err)
{
	char *own = data_path("rules");
	bool ok = false;

	if (own && access(own, R_OK))
		diag_set(err, own, 0, 0, "the program's own rules are not here: DIVERGE_DATA names the folder that has them, in rules/");
	else
		ok = own && read_folder(pr, own, err);
	free(own);
	return ok;
}

/* Without the files of the program's own nothing is declared that a single file could speak of. */
static bool read_beside(prover *pr, const char *file, struct diag *err)
{
	uint32_t own;

	if (ends_in_egg(file)) {
		if (!read_own(pr, err))
			return false;
		own = pr->vouched = rules_n(pr->r);
		if (!read_file(pr, file, err))
			return false;
		if (rules_n(pr->r) == own)
			diag_set(err, file, 0, 0, "there is no rule in it; diverge-rules(5) has a first one");
		return rules_n(pr->r) > own;
	}
	diag_set(err, file, 0, 0, "rules are a folder of files that end in .egg, or one such file beside the program's own: this is neither");
	return false;
}

/* Does what a rule says hold here, by numbers?  NULL, or what does not. */
static const char *wrong_there(prover *p, const hist_entry *f)
{
	const certify_limits l = { .places = 12, .seed = 1 };
	certify_witness w;
	const char *why, *said = NULL;
	arena tmp;

	arena_init(&tmp);
	why = certify_refute(&p->a, f, &l, &w, &tmp);
	if (why && w.left)
		said = arena_printf(&p->a.s.a, "it is wrong there: %s, such as %s and %s; `rule check %s` shows a small case", why, w.left, w.right,
				    prover_rule_name(p, f->rule));
	else if (why)
		said = arena_printf(&p->a.s.a, "it is wrong there: %s", why);
	arena_free(&tmp);
	return said;
}

bool rule_files_read(prover *pr, const char *from, struct diag *err)
{
	bool ok = !from ? read_own(pr, err) : is_file(from) ? read_beside(pr, from, err) : read_folder(pr, from, err);
	const char *msg;

	if (from)	/* the program's own do, by a test */
		ok = ok && names_differ(pr->r, is_file(from) ? pr->vouched : 0, err);
	msg = ok ? prover_ready(pr) : NULL;
	pr->doubt = wrong_there;
	return msg ? rule_error(msg, err) : ok;
}

/* Is this the folder that the program's own rules are in? */
static bool is_own(const char *folder)
{
	char *own = data_path("rules"), *x = own ? realpath(own, NULL) : NULL, *y = realpath(folder, NULL);
	bool same = x && y && !strcmp(x, y);

	free(own);
	free(x);
	free(y);
	return same;
}

const char *rule_files_assumed(arena *a, const char *from)
{
	return !from || is_file(from) || is_own(from) ? NULL : arena_printf(a, "the rules are those of %s", from);
}

const char *rule_files_granted(arena *a, const char *from, const rule *r)
{
	return from && is_file(from) && !strcmp(r->file, from) ? arena_printf(a, "the rules of %s are right", from) : NULL;
}
