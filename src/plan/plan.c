#include "core/layout.h"
#include "plan/plan_lex.h"
#include "text/input.h"
#include "util/hash.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEVICES INT_MAX

/* ---- values and ranges */

/* A decimal number; integers that fit are kept exactly, the text always is. */
static bool read_number(struct plan_reader *r, struct plan_value *v)
{
	const char *s = r->at, *e = s;
	char *stop;

	while (e < r->end && !isblank((unsigned char)*e))
		e++;
	v->text = plan_copy(r, s, (size_t)(e - s));
	if (strspn(v->text, "+-.0123456789eE") != (size_t)(e - s))
		return plan_cannot_read(r);
	errno = 0;
	v->i = strtoll(v->text, &stop, 10);
	v->integer = !*stop && !errno;
	v->f = strtod(v->text, &stop);
	if (*stop || stop == v->text || isinf(v->f))
		return plan_cannot_read(r);
	r->at = e;
	return true;
}

/* -inf, as masks and maxima start with. */
static bool read_infinity(struct plan_reader *r, struct plan_value *v)
{
	static const char text[] = "-inf";
	size_t n = strlen(text);

	if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) || (r->at + n < r->end && !isblank((unsigned char)r->at[n])))
		return false;
	v->text = plan_copy(r, r->at, n);
	v->f = -INFINITY;
	r->at += n;
	return true;
}

static bool read_value(struct plan_reader *r, const struct plan_mesh *m, struct plan_value *v)
{
	size_t n = plan_word_length(r);

	if (plan_at_end(r))
		return plan_expected(r, "a number, partition-id, an axis or any");
	if (!n)
		return read_infinity(r, v) || read_number(r, v);
	v->text = plan_copy(r, r->at, n);
	v->axis = -1;
	if (!strcmp(v->text, "any"))
		v->kind = PLAN_VALUE_ANY;
	else if (!strcmp(v->text, "partition-id"))
		v->kind = PLAN_VALUE_PARTITION_ID;
	else if ((v->axis = plan_axis_named(m, v->text)) >= 0)
		v->kind = PLAN_VALUE_AXIS;
	else if (!strcmp(v->text, "inf"))
		v->f = INFINITY;
	else
		return plan_cannot_read(r);
	r->at += n;
	return true;
}

static bool read_range(struct plan_reader *r, struct plan_line *l)
{
	const char *where;

	plan_skip_blanks(r);
	where = r->at;
	l->form = PLAN_RANGE;
	if (!plan_read_int(r, "a number", &l->lo) || !plan_expect(r, "..") || !plan_read_int(r, "a number", &l->hi))
		return false;
	if (l->lo > l->hi)
		return plan_fail_at(r, where, "%lld..%lld is empty", (long long)l->lo, (long long)l->hi);
	return true;
}

/* What may follow a parameter's reference besides a chain; *found tells. */
static bool read_fact(struct plan_reader *r, const struct plan_mesh *m, struct plan_line *l, bool *found)
{
	*found = true;
	if (plan_accept(r, "=")) {
		l->form = PLAN_VALUE;
		return read_value(r, m, &l->value);
	}
	if (plan_accept(r, ">")) {
		l->form = PLAN_POSITIVE;
		return plan_expect(r, "0");
	}
	if (plan_accept_word(r, "in"))
		return read_range(r, l);
	*found = false;
	return true;
}

/* ---- lines */

static bool read_counterpart(struct plan_reader *r, struct plan_line *l)
{
	return !plan_accept(r, "<-") || plan_read_ref(r, &l->base);
}

/* A value or a range is about one program: it names no counterpart. */
static bool check_fact(struct plan_reader *r, const struct plan_line *l)
{
	if (l->base.kind == PLAN_REF_SAME)
		return true;
	return plan_fail_at(r, r->begin + l->base.column - 1, "a value or a range has no counterpart");
}

static bool read_input(struct plan_reader *r, struct plan_line *l)
{
	const struct plan_mesh *m = &r->plan->mesh;
	bool fact;

	l->subject = PLAN_INPUT;
	if (!plan_read_ref(r, &l->ref) || !read_counterpart(r, l) || !read_fact(r, m, l, &fact))
		return false;
	if (fact)
		return check_fact(r, l);
	if (plan_at_end(r))
		return plan_expected(r, "a relation (R, AXIS:S(0), = VALUE, in A..B, > 0)");
	return plan_read_chain(r, m, l);
}

static bool read_output(struct plan_reader *r, struct plan_line *l)
{
	l->subject = PLAN_OUTPUT;
	if (!plan_read_ref(r, &l->ref) || !read_counterpart(r, l))
		return false;
	if (plan_at_end(r))
		return plan_expected(r, "a relation (R, AXIS:S(0), any)");
	if (plan_accept_word(r, "any")) {
		l->form = PLAN_ANY;
		return check_fact(r, l);
	}
	return plan_read_chain(r, &r->plan->mesh, l);
}

static bool read_base_relation(struct plan_reader *r, struct plan_line *l)
{
	const struct plan_mesh *m = &r->plan->base_mesh;

	if (!m->n)
		return plan_fail_at(r, r->at, "the plan has no line 'mesh base AXIS=SIZE'");
	if (!plan_read_ref(r, &l->ref))
		return false;
	if (plan_at_end(r))
		return plan_expected(r, "a relation (R, AXIS:S(0))");
	return plan_read_chain(r, m, l);
}

static bool read_base(struct plan_reader *r, struct plan_line *l)
{
	bool fact;

	if (plan_accept_word(r, "input")) {
		l->subject = PLAN_BASE_INPUT;
		return read_base_relation(r, l);
	}
	if (plan_accept_word(r, "output")) {
		l->subject = PLAN_BASE_OUTPUT;
		return read_base_relation(r, l);
	}
	l->subject = PLAN_BASE;
	if (!plan_read_ref(r, &l->ref) || !read_fact(r, &r->plan->base_mesh, l, &fact))
		return false;
	return fact || plan_expected(r, "= VALUE, in A..B or > 0");
}

static bool read_assume(struct plan_reader *r, struct plan_line *l)
{
	l->subject = PLAN_ASSUME;
	if (!plan_read_instruction(r, &l->ref) || !plan_expect(r, "="))
		return false;
	if (!plan_accept_word(r, "base"))
		return plan_expected(r, "base");
	if (!plan_read_instruction(r, &l->base))
		return false;
	if (plan_at_end(r))
		return plan_expected(r, "a relation (R, AXIS:S(0))");
	return plan_read_chain(r, &r->plan->mesh, l);
}

static bool read_subject(struct plan_reader *r, struct plan_line *l)
{
	static const struct {
		const char *word;
		bool (*read)(struct plan_reader *, struct plan_line *);
	} kinds[] = {
		{ "input", read_input }, { "output", read_output },
		{ "base", read_base }, { "assume", read_assume },
	};
	size_t i;

	for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (plan_accept_word(r, kinds[i].word))
			return kinds[i].read(r, l);
	return plan_fail_at(r, r->at, "cannot read '%.*s': a line begins with mesh, input, output, base or assume",
		       plan_rest(r), r->at);
}

/* ---- one thing said twice */

/* Lines of equal key exclude each other: the subject, whether it is a range
 * (which stands beside a relation), and the reference. */
static uint64_t subject_key(const struct plan_line *l)
{
	bool range = l->form == PLAN_RANGE || l->form == PLAN_POSITIVE;

	return ((uint64_t)l->subject << 8 | (uint64_t)range << 4 | l->ref.kind) << 32 | (uint32_t)l->ref.number;
}

static bool same_subject(const struct plan_line *a, const struct plan_line *b)
{
	if (subject_key(a) != subject_key(b))
		return false;
	return !a->ref.text || !strcmp(a->ref.text, b->ref.text);
}

static bool enter_subject(struct plan_reader *r, const struct plan_line *l, uint32_t number)
{
	uint64_t key = subject_key(l);
	const struct plan_line *old;
	uint32_t i;

	if (l->subject == PLAN_ASSUME)
		return true;
	i = (uint32_t)hash_bytes(&key, sizeof key, l->ref.text ? hash_bytes(l->ref.text, strlen(l->ref.text), 0) : 0);
	for (i &= r->mask; r->table[i]; i = (i + 1) & r->mask) {
		old = &VEC_AT(struct plan_line, &r->lines, r->table[i] - 1);
		if (same_subject(old, l))
			return plan_fail_at(r, r->begin + l->ref.column - 1, "named before, in line %d", old->line);
	}
	r->table[i] = number;
	return true;
}

static bool read_line(struct plan_reader *r)
{
	struct plan_line l = { .line = r->line };

	l.text = plan_copy(r, r->at, (size_t)(r->end - r->at));
	if (!read_subject(r, &l))
		return false;
	if (!plan_at_end(r))
		return plan_cannot_read(r);
	if (!enter_subject(r, &l, r->lines.n + 1))
		return false;
	*(struct plan_line *)vec_push(&r->lines) = l;
	return true;
}

/* ---- meshes */

static bool check_axis_name(struct plan_reader *r, const char *name, const char *where)
{
	uint32_t i;

	if (!strcmp(name, "any") || !strcmp(name, "partition-id") || !strcmp(name, "R"))
		return plan_fail_at(r, where, "'%s' is no name for an axis", name);
	for (i = 0; i < r->axes.n; i++)
		if (!strcmp(VEC_AT(struct plan_axis, &r->axes, i).name, name))
			return plan_fail_at(r, where, "axis '%.100s' is named twice", name);
	return true;
}

static bool read_axis(struct plan_reader *r, struct plan_mesh *m)
{
	struct plan_axis *axis;
	const char *where;
	char *name;
	int64_t size;

	plan_skip_blanks(r);
	where = r->at;
	name = plan_take_word(r);
	if (!name)
		return plan_expected(r, "AXIS=SIZE");
	if (!check_axis_name(r, name, where) || !plan_expect(r, "=") || !plan_read_at_least(r, "an axis size", 1, &size))
		return false;
	if (size > MAX_DEVICES / m->devices)
		return plan_fail_at(r, where, "a mesh of more than %d devices", MAX_DEVICES);
	if (r->axes.n == MESH_AXES_MAX)
		return plan_fail_at(r, where, "a mesh of more than %d axes", MESH_AXES_MAX);
	m->devices *= (int)size;
	axis = vec_push(&r->axes);
	axis->name = name;
	axis->size = (int)size;
	return true;
}

/* `mesh base=2` has an axis called base; `mesh base dp=2` is the other mesh. */
static bool accept_base(struct plan_reader *r)
{
	const char *s = r->at;

	if (!plan_accept_word(r, "base"))
		return false;
	if (!plan_at_end(r) && *r->at == '=') {
		r->at = s;
		return false;
	}
	return true;
}

static bool read_mesh(struct plan_reader *r)
{
	struct plan_mesh *m = accept_base(r) ? &r->plan->base_mesh : &r->plan->mesh;
	struct plan_axis *to;

	if (m->line)
		return plan_fail_at(r, r->begin, "a second mesh; the first is in line %d", m->line);
	plan_skip_blanks(r);
	m->line = r->line;
	m->column = (int)(r->at - r->begin) + 1;
	m->devices = 1;
	r->axes.n = 0;
	do {
		if (!read_axis(r, m))
			return false;
	} while (!plan_at_end(r));
	m->n = (int)r->axes.n;
	to = ARENA_ARRAY(r->arena, struct plan_axis, m->n);
	memcpy(to, r->axes.base, (size_t)m->n * sizeof *to);
	m->axis = to;
	return true;
}

static void imply_mesh(struct plan_reader *r)
{
	static const struct plan_axis dev = { "dev", 0 };

	if (r->plan->mesh.line)
		return;
	r->plan->mesh.n = 1;
	r->plan->mesh.axis = &dev;
}

/* ---- files */

/* Where a line ends: before its comment and the blanks before that.  A `#`
 * inside quotes is part of a name. */
static const char *line_end(const char *s, const char *e)
{
	const char *begin = s;
	bool quoted = false;

	for (; s < e && (quoted || *s != '#'); s++)
		quoted ^= *s == '"';
	while (s > begin && (isblank((unsigned char)s[-1]) || s[-1] == '\r'))
		s--;
	return s;
}

/* Calls read_mesh or read_line for every line that says something. */
static bool read_lines(struct plan_reader *r, const char *text, size_t n, bool meshes)
{
	const char *s = text, *stop = text + n, *e;

	if (n >= 3 && !memcmp(s, "\xef\xbb\xbf", 3))	/* a byte order mark */
		s += 3;
	for (r->line = 1; s < stop; s = e + 1, r->line++) {
		e = memchr(s, '\n', (size_t)(stop - s));
		if (!e)
			e = stop;
		r->begin = r->at = s;
		r->end = line_end(s, e);
		if (memchr(s, 0, (size_t)(e - s)))
			return plan_fail_at(r, memchr(s, 0, (size_t)(e - s)), "a zero byte: this is no text");
		if (plan_at_end(r))
			continue;
		if (plan_accept_word(r, "mesh") ? meshes && !read_mesh(r) : !meshes && !read_line(r))
			return false;
	}
	return true;
}

static void make_table(struct plan_reader *r, const char *text, size_t n)
{
	const char *s = text, *stop = text + n;
	size_t lines = 1;

	while ((s = memchr(s, '\n', (size_t)(stop - s)))) {
		lines++;
		s++;
	}
	for (r->mask = 15; r->mask < 2 * lines; r->mask = 2 * r->mask + 1)
		;
	r->table = arena_zalloc(r->arena, ((size_t)r->mask + 1) * sizeof *r->table);
}

static void finish(struct plan_reader *r)
{
	struct plan_line *to = ARENA_ARRAY(r->arena, struct plan_line, r->lines.n);

	if (r->lines.n)
		memcpy(to, r->lines.base, r->lines.n * sizeof *to);
	r->plan->line = to;
	r->plan->n = (int)r->lines.n;
}

struct plan *plan_parse(arena *a, const char *file, const char *text, size_t n, struct diag *d)
{
	struct plan_reader r = { .arena = a, .plan = ARENA_NEW(a, struct plan), .diag = d };
	bool ok;

	r.plan->file = arena_strdup(a, file);
	vec_init_few(&r.lines, sizeof(struct plan_line));
	vec_init_few(&r.steps, sizeof(struct plan_step));
	vec_init_few(&r.ints, sizeof(int64_t));
	vec_init_few(&r.axes, sizeof(struct plan_axis));
	make_table(&r, text, n);
	ok = read_lines(&r, text, n, true);
	imply_mesh(&r);
	ok = ok && read_lines(&r, text, n, false);
	if (ok)
		finish(&r);
	vec_free(&r.lines);
	vec_free(&r.steps);
	vec_free(&r.ints);
	vec_free(&r.axes);
	return ok ? r.plan : NULL;
}

struct plan *plan_read(arena *a, const char *file, struct diag *d)
{
	struct plan *p;
	struct input in;

	if (!input_read(&in, file, d))
		return NULL;
	p = plan_parse(a, file, in.data, in.n, d);
	input_free(&in);
	return p;
}

/* Cuts the last suffix of the file's name off; false if it has none. */
static bool cut_suffix(char *path)
{
	char *slash = strrchr(path, '/');
	char *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');

	if (!dot || dot == name)
		return false;
	*dot = 0;
	return true;
}

char *plan_beside(arena *a, const char *program)
{
	char *stem = arena_strdup(a, program), *path;
	size_t n = strlen(stem);
	int i;

	if (n > 3 && !strcmp(stem + n - 3, ".gz"))
		cut_suffix(stem);
	for (i = 0; i < 2 && cut_suffix(stem); i++) {
		path = arena_printf(a, "%s.plan", stem);
		if (!access(path, R_OK))
			return path;
	}
	return NULL;
}
