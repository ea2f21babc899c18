#include "session/nodes.h"

#include <stdlib.h>
#include <string.h>
#include "relation/describe.h"
#include "relation/layout_text.h"
#include "session/session_in.h"

/* ---- members of a class by age */

static int by_id(const void *x, const void *y)
{
	eg_id a = *(const eg_id *)x, b = *(const eg_id *)y;

	return a < b ? -1 : a > b;
}

eg_id nodes_member(const egraph *g, eg_id root, uint32_t k)
{
	uint32_t n = eg_class_size(g, root), i = 0;
	eg_id *m, at = root;

	if (k >= n)
		return NIL;
	m = malloc(sizeof *m * n);
	if (!m) {
		die_hook("out of memory");
		return NIL;
	}
	do {
		m[i++] = at;
		at = eg_next_in_class(g, at);
	} while (at != root);
	qsort(m, n, sizeof *m, by_id);
	at = m[k];
	free(m);
	return at;
}

uint32_t nodes_age(const egraph *g, eg_id node)
{
	eg_id root = eg_root(g, node), m = root;
	uint32_t older = 0;

	do {
		older += m < node;
		m = eg_next_in_class(g, m);
	} while (m != root);
	return older;
}

/* ---- reading */

/* The longest beginning of a word that names a row: names of inlined rows hold slashes, as paths do. */
static size_t named(program *p, const char *word, size_t n, int *row)
{
	char name[1024];

	for (; n > 0 && n < sizeof name; n--) {
		if (n < strlen(word) && !strchr(" \t/#", word[n]))
			continue;
		memcpy(name, word, n);
		name[n] = 0;
		if ((*row = program_named(p, name)) >= 0)
			return n;
	}
	return 0;
}

/* FILE:LINE, behind it the end of the word or a path; 0: no such word. */
static size_t place_word(const char *word, size_t n, size_t *file, int *line)
{
	size_t k, digits;

	for (k = 1; k + 1 < n; k++) {
		digits = word[k] == ':' ? strspn(word + k + 1, "0123456789") : 0;
		if (digits && digits < 9 && (k + 1 + digits >= n || strchr("/#", word[k + 1 + digits]))) {
			*file = k;
			*line = atoi(word + k + 1);
			return k + 1 + digits;
		}
	}
	return 0;
}

static bool file_ends(const char *file, const char *name, size_t n)
{
	size_t len = file ? strlen(file) : 0;

	return len >= n && !strncmp(file + len - n, name, n) && (len == n || file[len - n - 1] == '/');
}

/* The first row that comes from FILE:LINE. */
static size_t from_line(struct session *s, enum program_side side, const char *word, size_t n, int *row)
{
	const program *p = session_program(s, side);
	size_t file, got;
	int line, up;

	if (!(got = place_word(word, n, &file, &line)))
		return 0;
	for (*row = 0; *row < p->nrow; ++*row) {
		const frame *f;

		up = 0;
		f = sources_frame(session_sources(s), p->row[*row].inst, &up);
		if (f && f->line == line && file_ends(f->file, word, file))
			return got;
	}
	return 0;
}

static bool side_word(const char **at, enum program_side *side)
{
	static const char *const word[] = { "base", "dist" };
	int k;

	for (k = 0; k < 2; k++)
		if (!strncmp(*at, word[k], 4) && (*at)[4] == ' ') {
			*side = (enum program_side)k;
			*at += 4 + strspn(*at + 4, " \t");
			return true;
		}
	return false;
}

static size_t named_or_from(struct session *s, enum program_side side, const char *word, size_t n, int *row)
{
	size_t got = named(session_program(s, side), word, n, row);

	return got ? got : from_line(s, side, word, n, row);
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

static bool is_dot(const char *at)
{
	return *at == '.' && (!at[1] || strchr(" \t/#", at[1]));
}

/* `.`: the selected row of a side. */
static bool selected(struct session *s, const char **at, enum program_side side, int *row)
{
	*row = s->sel.row[side];
	if (!is_dot(*at) || *row < 0)
		return false;
	++*at;
	return true;
}

/* Is the row of what the name says: an array of that tuple, or what is inside? */
static bool is_part(const row *r, const char *name, size_t n)
{
	return (!strncmp(r->path, name, n) && (r->path[n] == '#' || r->path[n] == '/' || r->path[n] == '[')) ||
	       (r->inst && r->element >= 0 && !strncmp(r->inst->name, name, n) && !r->inst->name[n]);
}

enum { PARTS = 4 };

/* " %t#0, %t#1 and 3 more" */
struct name_list {
	char text[400];
	size_t len;
	int many;
};

static void list_name(struct name_list *l, const char *name)
{
	if (++l->many <= PARTS && l->len < sizeof l->text)
		l->len += (size_t)snprintf(l->text + l->len, sizeof l->text - l->len, "%s %%%s", l->many > 1 ? "," : "", name);
}

static const char *list_text(struct name_list *l)
{
	if (l->many > PARTS && l->len < sizeof l->text)
		snprintf(l->text + l->len, sizeof l->text - l->len, " and %d more", l->many - PARTS);
	return l->text;
}

/* The rows that are part of what has this name. */
static void list_parts(struct name_list *l, const program *p, const char *name, size_t n)
{
	int k;

	for (k = 0; k < p->nrow; k++)
		if (is_part(&p->row[k], name, n))
			list_name(l, p->row[k].path);
}

static void list_operands(struct name_list *l, const inst *i)
{
	int k;

	for (k = 0; k < i->noperand; k++)
		list_name(l, i->operand[k]->name);
}

/* An instruction of the file that is no row is told by what there is of it. */
static bool told_by_parts(const program *p, const char *word, size_t len, char *why, size_t n)
{
	struct name_list parts = { .len = 0 };
	char name[400];
	const inst *i;

	word += *word == '%';
	len = strcspn(word, " \t");
	snprintf(name, sizeof name, "%.*s", (int)len, word);
	if ((i = comp_inst(p->m->entry, name)) && i->opcode == OP_TUPLE && i->noperand) {
		list_operands(&parts, i);
		return snprintf(why, n, "%%%.*s is a tuple of%s: one of these is meant", (int)len, word, list_text(&parts)) > 0;
	}
	list_parts(&parts, p, word, len);
	if (parts.many)
		return snprintf(why, n, "%%%.*s is no row of its own; there are%s", (int)len, word, list_text(&parts)) > 0;
	return i && snprintf(why, n, "%%%.*s (%s) is no row: nothing is compared there", (int)len, word, opcode_name(i->opcode)) > 0;
}

static bool find_row(struct session *s, const char **at, enum program_side prefer, enum program_side *side, int *row, char *why,
		     size_t n)
{
	size_t len, got = 0;
	bool fixed;

	*at = skip_blanks(*at);
	*side = s->sel.side;
	if (selected(s, at, *side, row))
		return true;
	*side = prefer;
	fixed = side_word(at, side);
	if (fixed && selected(s, at, *side, row))
		return true;
	len = strcspn(*at, " \t");
	if (!len) {
		snprintf(why, n, "an instruction is missing here");
		return false;
	}
	if (is_dot(*at)) {
		snprintf(why, n, "no row of %s is selected", *side == SIDE_BASE ? "BASE" : "DIST");
		return false;
	}
	got = named_or_from(s, *side, *at, len, row);
	if (!got && !fixed) {
		*side = (enum program_side)!prefer;
		got = named_or_from(s, *side, *at, len, row);
	}
	if (!got) {
		if (told_by_parts(session_program(s, fixed ? *side : prefer), *at, len, why, n) ||
		    (!fixed && told_by_parts(session_program(s, (enum program_side)!prefer), *at, len, why, n)))
			return false;
		snprintf(why, n, "%s no instruction %.*s", fixed ? (*side == SIDE_BASE ? "BASE has" : "DIST has") : "there is", (int)len,
			 *at);
		return false;
	}
	*at += got;
	return true;
}

bool nodes_row(struct session *s, const char **at, enum program_side prefer, enum program_side *side, int *row, char *why, size_t n)
{
	if (!find_row(s, at, prefer, side, row, why, n))
		return false;
	if (**at && !strchr(" \t", **at)) {
		snprintf(why, n, "an instruction is meant, not a node inside: '%s'", *at);
		return false;
	}
	*at = skip_blanks(*at);
	return true;
}

static bool take_number(const char **at, uint32_t *k)
{
	char *end;
	unsigned long v = strtoul(*at, &end, 10);

	if (end == *at || **at == '-' || v > 0xfffffff)
		return false;
	*k = (uint32_t)v;
	*at = end;
	return true;
}

static eg_id inside(struct session *s, eg_id node, const char **at, char *why, size_t n)
{
	algebra *a = &s->p->p->a;
	uint32_t k;

	if (**at == '#') {
		++*at;
		node = take_number(at, &k) ? nodes_member(a->g, eg_root(a->g, node), k) : NIL;
		if (node == NIL)
			snprintf(why, n, "the class has no such member; `info class` lists those of what is selected");
		return node;
	}
	++*at;
	if (!strncmp(*at, "core", 4) && core_kind(a, node) == C_TENSOR) {
		eg_id cell = laid_cell(a, node);
		*at += 4;
		if (cell == NIL)
			snprintf(why, n, "it holds no core yet");
		return cell == NIL ? NIL : normal_node(a, eg_args(a->g, cell)[0]);
	}
	if (!take_number(at, &k) || k >= eg_narg(a->g, node)) {
		snprintf(why, n, "it has no operand '%s'", *at);
		return NIL;
	}
	node = eg_current(a->g, node)[k];
	return core_kind(a, node) == C_TENSOR || core_kind(a, node) == C_LAID ? node : normal_node(a, node);
}

/* ---- where rules start */

struct places {
	struct node_place *out;
	int n, max;
};

static void add_place(struct places *w, const egraph *g, eg_id node, const char *name)
{
	int k;

	for (k = 0; k < w->n; k++)
		if (eg_root(g, w->out[k].class) == eg_root(g, node))
			return;
	if (w->n < w->max)
		w->out[w->n++] = (struct node_place){ eg_root(g, node), name };
}

/* What the layouts, or the views, among the members of place k hold. */
static void add_held(struct places *w, const algebra *a, int k, enum core_kind kind, arena *tmp)
{
	eg_id class = w->out[k].class, m;
	uint32_t i;

	for (i = 0; (m = nodes_member(a->g, class, i)) != NIL; i++)
		if (!eg_dead(a->g, m) && core_kind(a, m) == kind)
			add_place(w, a->g, eg_current(a->g, m)[0], arena_printf(tmp, "%s#%u/0", w->out[k].name, i));
}

int nodes_places(struct session *s, enum program_side side, int row, struct node_place *out, int max, arena *tmp)
{
	const algebra *a = &s->p->p->a;
	eg_id tensor = session_tensor(s, side, row), core = session_core(s, side, row);
	struct places w = { out, 0, max };
	char name[520];
	int k;

	if (tensor == NIL)
		return 0;
	session_name(s, side, row, name, sizeof name);
	add_place(&w, a->g, tensor, arena_strdup(tmp, name));
	if (core != NIL)
		add_place(&w, a->g, core, arena_printf(tmp, "%s/core", name));
	add_held(&w, a, 0, C_LAID, tmp);
	for (k = 1; k < w.n; k++)
		add_held(&w, a, k, C_VIEW, tmp);
	return w.n;
}

bool nodes_parse(struct session *s, const char **at, enum program_side prefer, struct node_ref *r, char *why, size_t n)
{
	if (!find_row(s, at, prefer, &r->side, &r->row, why, n))
		return false;
	r->node = session_tensor(s, r->side, r->row);
	r->inner = false;
	while (**at == '/' || **at == '#') {
		if (r->node == NIL) {
			snprintf(why, n, "%%%s is not taken up yet", session_row(s, r->side, r->row)->path);
			return false;
		}
		r->inner = true;
		r->node = inside(s, r->node, at, why, n);
		if (r->node == NIL)
			return false;
	}
	if (**at && !strchr(" \t", **at)) {
		snprintf(why, n, "cannot read '%s'", *at);
		return false;
	}
	*at = skip_blanks(*at);
	return true;
}

bool nodes_pair(struct session *s, const char *args, struct node_ref r[2], char *why, size_t n)
{
	if (!nodes_parse(s, &args, SIDE_DIST, &r[0], why, n))
		return false;
	r[1] = (struct node_ref){ .side = (enum program_side)!r[0].side, .node = NIL };
	r[1].row = r[0].inner ? -1 : session_partner(s, r[0].side, r[0].row);
	if (*args && !nodes_parse(s, &args, r[1].side, &r[1], why, n))
		return false;
	if (*args)
		snprintf(why, n, "two nodes are meant: '%s' is too much", args);
	else if (r[1].row < 0 && r[0].inner)
		snprintf(why, n, "equal to what? a second node is missing");
	else if (r[1].row < 0)
		snprintf(why, n, "equal to what? %%%.200s faces no row: a second node is missing", session_row(s, r[0].side, r[0].row)->path);
	return !*args && r[1].row >= 0;
}

/* `.` and a partner mean other nodes elsewhere. */
static size_t fixed_text(struct session *s, const char *from, const char *to, const struct node_ref *r, char *buf, size_t n)
{
	char name[520];

	while (from < to && strchr(" \t", to[-1]))
		to--;
	if (from < to && *from != '.')
		return (size_t)snprintf(buf, n, "%.*s", (int)(to - from), from);
	return (size_t)snprintf(buf, n, "%s%.*s", session_name(s, r->side, r->row, name, sizeof name),
				from < to ? (int)(to - from - 1) : 0, from < to ? from + 1 : "");
}

bool nodes_pair_text(struct session *s, const char *args, char *buf, size_t size, char *why, size_t n)
{
	const char *at = args, *end;
	struct node_ref r[2], first;
	size_t len;

	if (!nodes_pair(s, args, r, why, n) || !nodes_parse(s, &at, SIDE_DIST, &first, why, n))
		return false;
	end = args + strlen(args);
	len = fixed_text(s, args, at, &r[0], buf, size);
	if (len + 1 < size) {
		buf[len++] = ' ';
		fixed_text(s, at, end, &r[1], buf + len, size - len);
	}
	return true;
}

eg_id nodes_of(struct session *s, const struct node_ref *r)
{
	return r->inner ? r->node : session_tensor(s, r->side, r->row);
}

/* ---- writing */

/* A row whose value the Tensor class is. */
static bool row_of_class(struct session *s, eg_id node, enum program_side *side, int *row)
{
	const egraph *g = s->p->p->g;
	eg_id root = eg_root(g, node), m = root;

	if (pair_row_of(s->p->q, node, side, row))
		return true;
	do {
		if (pair_row_of(s->p->q, m, side, row))
			return true;
		m = eg_next_in_class(g, m);
	} while (m != root);
	return false;
}

const char *nodes_name(struct session *s, eg_id node, char *buf, size_t n)
{
	const algebra *a = &s->p->p->a;
	enum program_side side;
	arena tmp;
	int row;

	switch (core_kind(a, node)) {
	case C_TENSOR:
	case C_LAID:
		if (row_of_class(s, node, &side, &row))
			return session_name(s, side, row, buf, n);
		snprintf(buf, n, "%s", core_kind(a, node) == C_LAID ? "a layout of a core" : "a tensor of a goal");
		return buf;
	default:
		arena_init(&tmp);
		snprintf(buf, n, "%s", describe_class(session_states(s), node, &tmp));
		arena_free(&tmp);
		return buf;
	}
}

const char *nodes_text(struct session *s, eg_id node, arena *out)
{
	algebra *a = &s->p->p->a;
	enum program_side side;
	int row;

	switch (core_kind(a, node)) {
	case C_TENSOR:
		if (pair_row_of(s->p->q, node, &side, &row))
			return describe_row(session_states(s), side, row, out);
		return eg_family(a->g, eg_op_family(a->g, eg_node_op(a->g, node)))->name;
	case C_LAID: {
		layout l = layout_of(a, node);
		return arena_printf(out, "%s of %s", layout_text(out, &l),
				    describe_class(session_states(s), eg_args(a->g, node)[0], out));
	}
	default:
		return describe_node(session_states(s), node, out);
	}
}

struct step_text nodes_step(struct session *s, eg_id node, eg_id result, arena *out)
{
	const algebra *a = &s->p->p->a;
	enum core_kind k = core_kind(a, node);
	enum program_side side;
	struct step_text t = { .made = nodes_text(s, result, out) };
	char name[300];

	if (k == C_TENSOR || k == C_LAID || describe_named(session_states(s), node, &side) >= 0)
		t.node = arena_strdup(out, nodes_name(s, node, name, sizeof name));
	else
		t.node = nodes_text(s, node, out);
	if (strcmp(t.node, t.made))
		return t;
	if (core_atom(a, result))
		t.node = arena_printf(out, "%s of %s alone", core_kind_name(k), t.node);
	else
		t.made = arena_printf(out, "%s of it alone", core_kind_name(core_kind(a, result)));
	return t;
}
