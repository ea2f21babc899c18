#include "rule/rule_in.h"

#include <stdlib.h>
#include <string.h>
#include "util/hash.h"

enum { HOST_NAMES = 1024 };	/* places for names of host functions; a power of two */

void *rules_alloc(rules *r, size_t n)
{
	return arena_zalloc(&r->a, n ? n : 1);
}

rules *rules_new(egraph *g)
{
	arena a;
	rules *r;

	arena_init(&a);
	r = ARENA_NEW(&a, rules);
	r->a = a;
	arena_init(&r->typing);
	r->g = g;
	vec_init_few(&r->tables, sizeof(table *));
	vec_init_few(&r->hosts, sizeof(host *));
	vec_init_few(&r->sets, sizeof(const char *));
	vec_init_few(&r->rules, sizeof(rule *));
	vec_init_few(&r->name_hash, sizeof(uint32_t));
	vec_init_few(&r->alike, sizeof(struct alike *));
	vec_init_few(&r->globals, sizeof(struct global));
	vec_init_few(&r->printers, sizeof(struct printer));
	vec_init_few(&r->of_family, sizeof(table *));
	vec_init_few(&r->host_names, sizeof(uint32_t));
	vec_push_n(&r->host_names, HOST_NAMES);
	vec_init_few(&r->t_var, sizeof(pattern_var));
	vec_init_few(&r->t_alias, sizeof(operand));
	vec_init_few(&r->t_atom, sizeof(atom));
	vec_init_few(&r->t_act, sizeof(act));
	vec_init(&r->cell, sizeof(uint32_t));
	vec_init(&r->cell_by, sizeof(uint32_t));
	*(const char **)vec_push(&r->sets) = "";
	builtin_register(r);
	return r;
}

void rules_free(rules *r)
{
	arena a;

	if (!r)
		return;
	vec_free(&r->tables);
	vec_free(&r->hosts);
	vec_free(&r->sets);
	vec_free(&r->rules);
	vec_free(&r->name_hash);
	vec_free(&r->alike);
	vec_free(&r->globals);
	vec_free(&r->printers);
	vec_free(&r->of_family);
	vec_free(&r->host_names);
	vec_free(&r->t_var);
	vec_free(&r->t_alias);
	vec_free(&r->t_atom);
	vec_free(&r->t_act);
	vec_free(&r->cell);
	vec_free(&r->cell_by);
	arena_free(&r->typing);
	a = r->a;
	arena_free(&a);
}

egraph *rules_egraph(const rules *r)
{
	return r->g;
}

/* ---- looking up */

static void keep_table(rules *r, table *b)
{
	*(table **)vec_push(&r->tables) = b;
	if (r->of_family.n <= b->fam)
		vec_push_n(&r->of_family, b->fam + 1 - r->of_family.n);
	VEC_AT(table *, &r->of_family, b->fam) = b;
}

void rules_forget(rules *r, uint32_t ntable)
{
	while (r->tables.n > ntable)
		VEC_AT(table *, &r->of_family, VEC_AT(table *, &r->tables, --r->tables.n)->fam) = NULL;
}

/* A family that the host declared by eg_declare: attribute values come first. */
static table *table_of_family(rules *r, eg_fam f)
{
	const eg_signature *s = eg_family(r->g, f);
	table *b = rules_alloc(r, sizeof *b);
	uint32_t i;

	b->name = s->name;
	b->fam = f;
	b->kind = s->fact ? TABLE_RELATION : TABLE_CONSTRUCTOR;
	b->ncol = s->nval + s->narg;
	b->col = rules_alloc(r, b->ncol * sizeof *b->col);
	b->nval = s->nval;
	b->narg = s->narg;
	b->rest = s->rest;
	b->result = s->result;
	b->cost = 1;
	b->op = s->nval ? NIL : eg_operator(r->g, f, 0, NULL);
	for (i = 0; i < b->ncol; i++) {
		b->col[i].value = i < s->nval;
		b->col[i].index = i < s->nval ? i : i - s->nval;
		b->col[i].sort = i < s->nval ? s->val[i] : s->arg[i - s->nval];
	}
	keep_table(r, b);
	return b;
}

table *rules_table(const rules *r, const char *name)
{
	eg_fam f = eg_family_named(r->g, name);

	if (f == NIL)
		return NULL;
	if (f < r->of_family.n && VEC_AT(table *, &r->of_family, f))
		return VEC_AT(table *, &r->of_family, f);
	return table_of_family((rules *)r, f);
}

static uint32_t *host_place(const rules *r, const char *name)
{
	uint32_t i = (uint32_t)hash_bytes(name, strlen(name), 0) & (HOST_NAMES - 1);

	for (;; i = (i + 1) & (HOST_NAMES - 1)) {
		uint32_t *at = &VEC_AT(uint32_t, &r->host_names, i);

		if (!*at || !strcmp(VEC_AT(host *, &r->hosts, *at - 1)->fn.name, name))
			return at;
	}
}

host *rules_hosts_named(const rules *r, const char *name)
{
	uint32_t at = *host_place(r, name);

	return at ? VEC_AT(host *, &r->hosts, at - 1) : NULL;
}

struct global *rules_global(const rules *r, const char *name)
{
	uint32_t i;

	for (i = 0; i < r->globals.n; i++)
		if (!strcmp(VEC_AT(struct global, &r->globals, i).name, name))
			return &VEC_AT(struct global, &r->globals, i);
	return NULL;
}

uint32_t rules_n(const rules *r)
{
	return r->rules.n;
}

rule *rules_at(const rules *r, uint32_t i)
{
	return VEC_AT(rule *, &r->rules, i);
}

static uint32_t name_hash(const char *name)
{
	return (uint32_t)hash_bytes(name, strlen(name), 0);
}

/* The first rule of that name from `from` on; NULL if there is none. */
static rule *next_named(const rules *r, uint32_t from, const char *name, uint32_t hash)
{
	const uint32_t *of = VEC(uint32_t, &r->name_hash);
	uint32_t i, n = r->rules.n;

	for (i = from; i < n; i++)
		if (of[i] == hash && !strcmp(rules_at(r, i)->name, name))
			return rules_at(r, i);
	return NULL;
}

rule *rules_named(const rules *r, const char *name)
{
	return next_named(r, 0, name, name_hash(name));
}

const char *rules_set_name(const rules *r, uint32_t set)
{
	return VEC_AT(const char *, &r->sets, set);
}

uint32_t rules_set_named(const rules *r, const char *name)
{
	uint32_t i;

	for (i = 0; i < r->sets.n; i++)
		if (!strcmp(rules_set_name(r, i), name))
			return i;
	return NIL;
}

eg_fam rule_root_family(const rule *r)
{
	const pattern *p = r->pattern;

	return p->code[0].start == NIL ? NIL : p->atom[p->code[0].start].table->fam;
}

/* ---- host functions: "Pairing Core* -> Core" */

static bool read_param(const rules *r, const char *w, size_t n, param *p)
{
	char name[128];

	memset(p, 0, sizeof *p);
	for (; n && (w[n - 1] == '*' || w[n - 1] == '!'); n--) {
		p->seq |= w[n - 1] == '*';
		p->node |= w[n - 1] == '!';
	}
	if (!n || n >= sizeof name)
		return false;
	memcpy(name, w, n);
	name[n] = 0;
	p->sort = strcmp(name, "?") ? eg_sort_named(r->g, name) : NIL;
	return p->sort != NIL || !strcmp(name, "?");
}

/* Of one name the first is in the table, the others follow it. */
static void keep_host(rules *r, host *h)
{
	uint32_t *at = host_place(r, h->fn.name);
	host *last;

	*(host **)vec_push(&r->hosts) = h;
	if (!*at) {
		*at = r->hosts.n;
		return;
	}
	for (last = VEC_AT(host *, &r->hosts, *at - 1); last->next; last = last->next)
		;
	last->next = h;
}

static bool read_signature(rules *r, host *h)
{
	const char *s = h->fn.signature;
	param p[32];
	uint32_t n = 0, split = NIL;

	while (*s) {
		size_t len = strcspn(s, " ");

		if (len == 2 && !strncmp(s, "->", 2))
			split = n;
		else if (len && (n == 32 || !read_param(r, s, len, &p[n++])))
			return false;
		s += len;
		s += strspn(s, " ");
	}
	if (split == NIL)
		return false;
	h->nin = split;
	h->nout = n - split;
	h->in = rules_alloc(r, (n + 1) * sizeof *h->in);
	memcpy(h->in, p, n * sizeof *p);
	h->out = h->in + split;
	return true;
}

bool rules_host(rules *r, const host_fn *f)
{
	const host *last = r->hosts.n ? VEC_AT(host *, &r->hosts, r->hosts.n - 1) : NULL;
	host *h = rules_alloc(r, sizeof *h);

	if (last && last->fn.signature == f->signature)	/* a table of them has one for all */
		*h = (host){ .in = last->in, .out = last->out, .nin = last->nin, .nout = last->nout };
	h->fn = *f;
	h->fn.name = arena_strdup(&r->a, f->name);
	if (!h->in && !read_signature(r, h))
		return false;
	if (r->hosts.n >= HOST_NAMES / 2)
		return false;
	keep_host(r, h);
	return true;
}

/* ---- declarations */

struct form {
	rules *r;
	const char *file;
	const sexp *s;
	const char *error;
};

#define FAIL(f, at, ...) ((f)->error = sexp_error(&(f)->r->a, (f)->file, at, __VA_ARGS__), false)

static bool new_name(struct form *f, const sexp *at)
{
	const rules *r = f->r;

	if (at->kind != SEXP_SYMBOL)
		return FAIL(f, at, "a name is expected");
	if (rules_table(r, at->text) || rules_global(r, at->text))
		return FAIL(f, at, "`%s` is declared already", at->text);
	return true;
}

static eg_sort find_sort(struct form *f, const sexp *at)
{
	eg_sort s;

	if (at->kind != SEXP_SYMBOL) {
		(void)FAIL(f, at, "the name of a sort is expected");
		return NIL;
	}
	s = eg_sort_named(f->r->g, at->text);
	if (s == NIL)
		(void)FAIL(f, at, "unknown sort `%s`", at->text);
	return s;
}

static bool declare_sort(struct form *f)
{
	const sexp *s = f->s;

	if (s->n != 2 || s->at[1].kind != SEXP_SYMBOL)
		return FAIL(f, s, s->n > 2 ? "container sorts are not built" : "sort takes a name");
	if (eg_sort_named(f->r->g, s->at[1].text) != NIL)
		return FAIL(f, &s->at[1], "`%s` is declared already", s->at[1].text);
	eg_declare_sort(f->r->g, s->at[1].text, false);
	return true;
}

/* The columns of a call; `Sort*` may stand last. */
static bool read_columns(struct form *f, table *b, const sexp *at, uint32_t n)
{
	uint32_t i;

	b->rest = NIL;
	b->col = rules_alloc(f->r, (n + 1) * sizeof *b->col);
	for (i = 0; i < n; i++) {
		size_t len = at[i].kind == SEXP_SYMBOL ? strlen(at[i].text) : 0;
		column *c = &b->col[b->ncol];

		if (len > 1 && at[i].text[len - 1] == '*' && i == n - 1) {
			sexp name = at[i];
			char *text = arena_strdup(&f->r->a, name.text);

			text[len - 1] = 0;
			name.text = text;
			if ((b->rest = find_sort(f, &name)) == NIL)
				return false;
			if (eg_sort_primitive(f->r->g, b->rest))
				return FAIL(f, &at[i], "a sequence is of a class sort");
			continue;
		}
		if ((c->sort = find_sort(f, &at[i])) == NIL)
			return false;
		c->value = eg_sort_primitive(f->r->g, c->sort);
		if (c->value && b->nval == COLUMNS_MAX)
			return FAIL(f, &at[i], "more than %d primitive arguments", COLUMNS_MAX);
		c->index = c->value ? b->nval++ : b->narg++;
		b->ncol++;
	}
	return true;
}

static bool same_signature(const eg_signature *x, const eg_signature *y)
{
	return x->nval == y->nval && x->narg == y->narg && x->rest == y->rest && x->fact == y->fact &&
	       (y->fact || x->result == y->result) &&
	       !memcmp(x->val, y->val, x->nval * sizeof(eg_sort)) && !memcmp(x->arg, y->arg, x->narg * sizeof(eg_sort));
}

/* A name that pop forgot may come back: its family is still there. */
static eg_fam family_again(const rules *r, const eg_signature *s)
{
	uint32_t i;

	if (eg_family_named(r->g, s->name) == NIL)
		return NIL;
	for (i = 0; i < eg_nfamily(r->g); i++)
		if (!strcmp(eg_family(r->g, i)->name, s->name) && same_signature(eg_family(r->g, i), s))
			return i;
	return NIL;
}

static void add_table(struct form *f, table *b, eg_sort result)
{
	rules *r = f->r;
	eg_sort *val = rules_alloc(r, (b->ncol + 1) * sizeof *val), *arg = rules_alloc(r, (b->ncol + 1) * sizeof *arg);
	eg_signature s = { .name = b->name, .nval = b->nval, .narg = b->narg, .val = val, .arg = arg,
			   .rest = b->rest, .result = result, .fact = b->kind != TABLE_CONSTRUCTOR };
	uint32_t i;

	for (i = 0; i < b->ncol; i++)
		*(b->col[i].value ? &val[b->col[i].index] : &arg[b->col[i].index]) = b->col[i].sort;
	b->fam = family_again(r, &s);
	if (b->fam == NIL) {
		if (s.fact)
			s.result = eg_declare_sort(r->g, arena_printf(&r->a, "@%s", b->name), false);
		b->fam = eg_declare(r->g, &s);
	}
	if (b->kind != TABLE_FUNCTION)
		b->result = eg_family(r->g, b->fam)->result;
	b->op = b->nval ? NIL : eg_operator(r->g, b->fam, 0, NULL);
	b->file = f->file;
	keep_table(r, b);
}

static table *new_table(struct form *f, const sexp *name, enum table_kind k)
{
	table *b;

	if (!new_name(f, name))
		return NULL;
	b = rules_alloc(f->r, sizeof *b);
	b->name = name->text;
	b->kind = k;
	b->cost = 1;
	return b;
}

static bool constructor_option(struct form *f, table *b, const sexp *at, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (sexp_is(&at[i], ":unextractable")) {
			b->hidden = true;
		} else if (sexp_is(&at[i], ":cost") && i + 1 < n && at[i + 1].kind == SEXP_INT &&
			   at[i + 1].i >= 0 && at[i + 1].i < INT32_MAX) {
			b->cost = (uint32_t)at[++i].i;
		} else {
			return FAIL(f, &at[i], "unknown option");
		}
	}
	return true;
}

/* A constructor the host declared itself may be declared again, alike. */
static bool known_alike(struct form *f, const sexp *name, const sexp *cols, eg_sort result)
{
	const table *old = name->kind == SEXP_SYMBOL ? rules_table(f->r, name->text) : NULL;
	table b = { .rest = NIL };
	uint32_t i;

	if (!old || old->file || old->result != result || !read_columns(f, &b, cols->at, cols->n) ||
	    b.ncol != old->ncol || b.rest != old->rest)
		return false;
	for (i = 0; i < b.ncol; i++)
		if (b.col[i].sort != old->col[i].sort || b.col[i].index != old->col[i].index)
			return false;
	return true;
}

static bool declare_constructor(struct form *f)
{
	const sexp *s = f->s;
	eg_sort result;
	table *b;

	if (s->n < 4 || s->at[2].kind != SEXP_LIST)
		return FAIL(f, s, "constructor takes a name, a list of sorts, and a sort");
	if ((result = find_sort(f, &s->at[3])) == NIL)
		return false;
	if (eg_sort_primitive(f->r->g, result))
		return FAIL(f, &s->at[3], "a constructor makes values of a class sort; `%s` is primitive", s->at[3].text);
	if (known_alike(f, &s->at[1], &s->at[2], result))
		return true;
	if (f->error || !(b = new_table(f, &s->at[1], TABLE_CONSTRUCTOR)) ||
	    !read_columns(f, b, s->at[2].at, s->at[2].n) || !constructor_option(f, b, s->at + 4, s->n - 4))
		return false;
	add_table(f, b, result);
	return true;
}

static bool declare_variant(struct form *f, const sexp *v, eg_sort result)
{
	table *b;
	uint32_t n;

	if (v->kind != SEXP_LIST || !v->n)
		return FAIL(f, v, "a variant is (Name Sort ..)");
	for (n = 1; n < v->n; n++)
		if (v->at[n].kind == SEXP_SYMBOL && v->at[n].text[0] == ':')
			break;
	if (!(b = new_table(f, &v->at[0], TABLE_CONSTRUCTOR)) || !read_columns(f, b, v->at + 1, n - 1) ||
	    !constructor_option(f, b, v->at + n, v->n - n))
		return false;
	add_table(f, b, result);
	return true;
}

static bool declare_datatype(struct form *f)
{
	const sexp *s = f->s;
	eg_sort sort;
	uint32_t i;

	if (s->n < 2 || s->at[1].kind != SEXP_SYMBOL)
		return FAIL(f, s, "datatype takes a name and variants");
	if (eg_sort_named(f->r->g, s->at[1].text) != NIL)
		return FAIL(f, &s->at[1], "`%s` is declared already", s->at[1].text);
	sort = eg_declare_sort(f->r->g, s->at[1].text, false);
	for (i = 2; i < s->n; i++)
		if (!declare_variant(f, &s->at[i], sort))
			return false;
	return true;
}

static bool declare_relation(struct form *f)
{
	const sexp *s = f->s;
	table *b;

	if (s->n != 3 || s->at[2].kind != SEXP_LIST)
		return FAIL(f, s, "relation takes a name and a list of sorts");
	if (!(b = new_table(f, &s->at[1], TABLE_RELATION)) || !read_columns(f, b, s->at[2].at, s->at[2].n))
		return false;
	add_table(f, b, NIL);
	return true;
}

static bool read_merge(struct form *f, table *b, const sexp *e)
{
	pattern_var given[2] = { { .name = "old", .sort = b->result }, { .name = "new", .sort = b->result } };
	eg_sort sort;

	b->merge = rules_alloc(f->r, sizeof *b->merge);
	f->error = type_expr(f->r, f->file, b->merge, e, b->result, given, 2, &b->merged, &sort);
	return !f->error;
}

static bool declare_function(struct form *f)
{
	const sexp *s = f->s, *merge = NULL;
	table *b;
	uint32_t i;

	if (s->n < 4 || s->at[2].kind != SEXP_LIST)
		return FAIL(f, s, "function takes a name, a list of sorts, a sort, and :merge or :no-merge");
	if (!(b = new_table(f, &s->at[1], TABLE_FUNCTION)) || !read_columns(f, b, s->at[2].at, s->at[2].n) ||
	    (b->result = find_sort(f, &s->at[3])) == NIL)
		return false;
	b->value = eg_sort_primitive(f->r->g, b->result);
	b->hidden = true;
	for (i = 4; i < s->n; i++) {
		if (sexp_is(&s->at[i], ":no-merge"))
			b->no_merge = true;
		else if (sexp_is(&s->at[i], ":merge") && i + 1 < s->n)
			merge = &s->at[++i];
		else if (!sexp_is(&s->at[i], ":unextractable"))
			return FAIL(f, &s->at[i], "unknown option");
	}
	if (!merge == !b->no_merge)
		return FAIL(f, s, "say :merge or :no-merge, one of them");
	if (merge && !read_merge(f, b, merge))
		return false;
	add_table(f, b, NIL);
	f->r->nfunction++;
	return true;
}

static bool declare_ruleset(struct form *f)
{
	const sexp *s = f->s;

	if (s->n != 2 || s->at[1].kind != SEXP_SYMBOL)
		return FAIL(f, s, "ruleset takes a name");
	if (rules_set_named(f->r, s->at[1].text) != NIL)
		return FAIL(f, &s->at[1], "ruleset `%s` is declared already", s->at[1].text);
	*(const char **)vec_push(&f->r->sets) = s->at[1].text;
	return true;
}

/* ---- rules */

struct rule_options {
	const char *name;
	const sexp *when;
	uint32_t set;
};

static const char *set_names(rules *r)
{
	const char *text = "";
	uint32_t i;

	for (i = 0; i < r->sets.n; i++)
		if (*VEC_AT(const char *, &r->sets, i))
			text = arena_printf(&r->a, "%s %s", text, VEC_AT(const char *, &r->sets, i));
	return *text ? text : " none";
}

static bool wrong_option(struct form *f, const sexp *option)
{
	if (sexp_is(option, ":name"))
		return FAIL(f, option + 1, "a name stands in quotes: :name \"..\"");
	if (sexp_is(option, ":ruleset"))
		return FAIL(f, option + 1, "the name of a ruleset is expected");
	if (sexp_is(option, ":when") && !sexp_is(&f->s->at[0], "rule"))
		return FAIL(f, option + 1, "a list of facts is expected");
	return FAIL(f, option, "behind the %s only :name \"..\"%s and :ruleset SET are known", sexp_is(&f->s->at[0], "rule") ? "actions" : "sides",
		    sexp_is(&f->s->at[0], "rule") ? "" : ", :when (FACT..)");
}

/* Is an option of this name among those before it? */
static bool option_again(const sexp *s, uint32_t from, uint32_t at)
{
	uint32_t i;

	for (i = from; i < at; i += 2)
		if (s->at[at].kind == SEXP_SYMBOL && sexp_is(&s->at[i], s->at[at].text))
			return true;
	return false;
}

static bool read_options(struct form *f, uint32_t from, struct rule_options *o)
{
	const sexp *s = f->s;
	uint32_t i;

	memset(o, 0, sizeof *o);
	for (i = from; i < s->n; i += 2) {
		const sexp *v = &s->at[i + 1];

		if (i + 1 == s->n)
			return FAIL(f, &s->at[i], "an option without a value");
		if (option_again(s, from, i))
			return FAIL(f, &s->at[i], "%s stands twice", s->at[i].text);
		if (sexp_is(&s->at[i], ":name") && v->kind == SEXP_STRING)
			o->name = v->text;
		else if (sexp_is(&s->at[i], ":ruleset") && v->kind == SEXP_SYMBOL)
			o->set = rules_set_named(f->r, v->text);
		else if (sexp_is(&s->at[i], ":when") && v->kind == SEXP_LIST && !sexp_is(&s->at[0], "rule"))
			o->when = v;
		else
			return wrong_option(f, &s->at[i]);
		if (o->set == NIL)
			return FAIL(f, v, "no such ruleset `%s`; there are%s", v->text, set_names(f->r));
	}
	return true;
}

static const char *default_name(struct form *f)
{
	const char *base = strrchr(f->file, '/');

	return arena_printf(&f->r->a, "%s:%u", base ? base + 1 : f->file, f->s->line);
}

static const char *rule_name(struct form *f, const struct rule_options *o, const char *suffix)
{
	const char *name = o->name ? o->name : default_name(f);

	return *suffix ? arena_printf(&f->r->a, "%s%s", name, suffix) : name;
}

const char *rule_assumes(const rule *r, arena *out)
{
	static const char word[] = "Assumes: ";
	const char *at = r->comment ? strstr(r->comment, word) : NULL;

	return at ? arena_printf(out, "%.*s", (int)strcspn(at + sizeof word - 1, "\n"), at + sizeof word - 1) : NULL;
}

/* Up to a full stop before a blank or the end; `..` stands for what is left out. */
static size_t sentence_length(const char *s)
{
	size_t k;

	for (k = 0; s[k]; k++)
		if (s[k] == '.' && (!s[k + 1] || s[k + 1] == ' ' || s[k + 1] == '\n') && k && s[k - 1] != '.')
			return k;
	return k;
}

const char *rule_identity(const rule *r, arena *out)
{
	const char *at = r->comment;
	size_t word = at ? strcspn(at, ": \n") : 0;
	char *text, *c;

	if (!at)
		return NULL;
	if (at[word] == ':' && !strncmp(r->name, at, word))
		at += word + 1 + strspn(at + word + 1, " \n");
	text = arena_printf(out, "%.*s", (int)sentence_length(at), at);
	for (c = text; *c; c++)
		*c = *c == '\n' ? ' ' : *c;
	return text;
}

static bool add_rule(struct form *f, const struct rule_options *o, const char *suffix, pattern *p)
{
	rules *r = f->r;
	rule *u = rules_alloc(r, sizeof *u), *other;
	uint32_t hash;

	u->name = rule_name(f, o, suffix);
	hash = name_hash(u->name);
	other = o->name ? next_named(r, 0, u->name, hash) : NULL;
	for (; other; other = next_named(r, other->index + 1, u->name, hash))
		if (other->ruleset == o->set)
			return FAIL(f, f->s, "there is a rule `%s` already, at %s:%u", u->name, other->file, other->line);
	u->file = f->file;
	u->text = f->s->text;
	u->comment = f->s->comment;
	u->line = f->s->line;
	u->col = f->s->col;
	u->index = r->rules.n;
	u->ruleset = o->set;
	u->on = true;
	u->pattern = p;
	p->rule = u;
	*(rule **)vec_push(&r->rules) = u;
	*(uint32_t *)vec_push(&r->name_hash) = hash;
	return true;
}

static bool declare_rule(struct form *f)
{
	const sexp *s = f->s;
	struct rule_options o;
	pattern *p = rules_alloc(f->r, sizeof *p);

	if (s->n < 3 || s->at[1].kind != SEXP_LIST || s->at[2].kind != SEXP_LIST)
		return FAIL(f, s, "rule takes a list of facts and a list of actions");
	if (!read_options(f, 3, &o))
		return false;
	f->error = rule_pattern(f->r, f->file, s, p);
	return !f->error && add_rule(f, &o, "", p);
}

static bool one_way(struct form *f, const struct rule_options *o, const sexp *l, const sexp *r, const char *suffix)
{
	pattern *p = rules_alloc(f->r, sizeof *p);

	f->error = type_rewrite(f->r, f->file, p, l, r, o->when ? o->when->at : NULL, o->when ? o->when->n : 0);
	if (!f->error)
		f->error = pattern_compile(f->r, p, f->file, f->s);
	return !f->error && add_rule(f, o, suffix, p);
}

static bool declare_rewrite(struct form *f)
{
	const sexp *s = f->s;
	struct rule_options o;

	if (s->n < 3)
		return FAIL(f, s, "rewrite takes two sides");
	return read_options(f, 3, &o) && one_way(f, &o, &s->at[1], &s->at[2], "");
}

static bool declare_birewrite(struct form *f)
{
	const sexp *s = f->s;
	struct rule_options o;

	if (s->n < 3)
		return FAIL(f, s, "birewrite takes two sides");
	return read_options(f, 3, &o) && one_way(f, &o, &s->at[1], &s->at[2], "=>") &&
	       one_way(f, &o, &s->at[2], &s->at[1], "<=");
}

static const struct {
	const char *name;
	bool (*declare)(struct form *f);
} declarations[] = {
	{ "sort", declare_sort },	  { "datatype", declare_datatype }, { "constructor", declare_constructor },
	{ "relation", declare_relation }, { "function", declare_function }, { "ruleset", declare_ruleset },
	{ "rule", declare_rule },	  { "rewrite", declare_rewrite },   { "birewrite", declare_birewrite },
};

const char *rules_declare(rules *r, const char *file, const sexp *form, bool *mine)
{
	struct form f = { .r = r, .file = file, .s = form };
	uint32_t i;

	*mine = false;
	r->ungrounded = false;
	if (form->kind != SEXP_LIST || !form->n || form->at[0].kind != SEXP_SYMBOL) {
		*mine = true;
		return sexp_error(&r->a, file, form, "a command is a list that begins with its name");
	}
	for (i = 0; i < sizeof declarations / sizeof *declarations; i++)
		if (sexp_is(&form->at[0], declarations[i].name)) {
			*mine = true;
			declarations[i].declare(&f);
			return f.error;
		}
	return NULL;
}

/* What no declaration is: in a file of rules an error. */
static const char *declare(rules *r, const char *file, const sexp *form)
{
	bool mine;
	const char *error = rules_declare(r, file, form, &mine);

	if (error || mine)
		return error;
	return sexp_error(&r->a, file, form, "`%s` is no declaration and no rule; a file of commands is a program: diverge FILE.egg steps it",
			  form->at[0].text);
}

const char *rules_read(rules *r, const char *file, const char *text, size_t n)
{
	const char *error;
	const sexp *form;
	sexp_reader *in;
	arena lists;

	file = arena_strdup(&r->a, file);
	arena_init(&lists);
	in = sexp_open(&r->a, &lists, file, text, n);
	while ((form = sexp_next(in, &error)) && !(error = declare(r, file, form)))
		arena_reset(&lists, (arena_mark){ NULL, NULL });
	sexp_close(in);
	arena_free(&lists);
	return error;
}

/* ---- printing values */

void rules_print_values(rules *r, eg_sort s, value_print_fn *fn, void *ctx)
{
	struct printer *p = vec_push(&r->printers);

	p->sort = s;
	p->fn = fn;
	p->ctx = ctx;
}

const char *rules_value_text(const rules *r, arena *a, eg_val v)
{
	eg_sort s = eg_value_sort(r->g, v);
	uint32_t i;

	for (i = 0; i < r->printers.n; i++) {
		const struct printer *p = &VEC_AT(struct printer, &r->printers, i);

		if (p->sort == s)
			return p->fn(a, r->g, v, p->ctx);
	}
	return arena_printf(a, "%s#%u", eg_sort_name(r->g, s), v);
}
