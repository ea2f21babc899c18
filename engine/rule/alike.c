/* alike.c - rules that differ from one before them only in what they name.
 *
 * Most rules say `(rule ((= s (FAMILY a b ..)) (= r (PRIMITIVE s "text"))) ((union s r)) ..)`.
 * One whose names are those of an earlier one, with a family of the same columns, a primitive
 * of the same signature and another text, has its pattern but for these three.
 */
#include "rule/rule_in.h"

#include <string.h>
#include "util/hash.h"

enum { WORDS = 32 };

/* What a form says: the words that are variables, and the three. */
struct shape {
	const char **word;
	uint32_t nword;
	const table *table;
	const host *host;
	const sexp *text;	/* NULL: none */
	uint64_t hash;
};

struct alike {
	struct shape shape;
	pattern *pattern;
	uint32_t nfamily, nglobal;	/* with more of them a word may mean another thing */
};

static bool take_word(struct shape *s, const sexp *at)
{
	if (at->kind != SEXP_SYMBOL || s->nword == WORDS)
		return false;
	s->hash = hash_bytes(at->text, strlen(at->text), s->hash);
	s->word[s->nword++] = at->text;
	return true;
}

static bool take_words(struct shape *s, const sexp *at, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (!take_word(s, &at[i]))
			return false;
	return true;
}

static bool is_call(const sexp *at)
{
	return at->kind == SEXP_LIST && at->n && at->at[0].kind == SEXP_SYMBOL;
}

/* (= WORD (NAME ..)): the call */
static const sexp *equation(struct shape *s, const sexp *at)
{
	if (!is_call(at) || at->n != 3 || !sexp_is(&at->at[0], "=") || !is_call(&at->at[2]) || !take_word(s, &at->at[1]))
		return NULL;
	return &at->at[2];
}

/* The only one of that name that takes so many arguments, none of them a sequence. */
static const host *only_host(const rules *r, const char *name, uint32_t n)
{
	const host *h, *one = NULL;
	uint32_t i;

	for (h = rules_hosts_named(r, name); h; h = h->next) {
		for (i = 0; i < h->nin; i++)
			if (h->in[i].seq)
				return NULL;
		if (h->nin == n && (one || h->fn.kind != HOST_PRIM))
			return NULL;
		one = h->nin == n ? h : one;
	}
	return one;
}

static bool read_shape(const rules *r, const sexp *fact, uint32_t nfact, const sexp *act, uint32_t nact, struct shape *s)
{
	const sexp *call;
	uint32_t n;

	if (nfact != 2 || nact != 1 || !(call = equation(s, &fact[0])) || !take_words(s, call->at + 1, call->n - 1) ||
	    !(s->table = rules_table(r, call->at[0].text)) || s->table->kind != TABLE_CONSTRUCTOR || !(call = equation(s, &fact[1])))
		return false;
	n = call->n - 1;
	s->text = n && call->at[n].kind == SEXP_STRING ? &call->at[n] : NULL;
	if (rules_table(r, call->at[0].text) || !(s->host = only_host(r, call->at[0].text, n)))
		return false;
	return take_words(s, call->at + 1, n - (s->text != NULL)) && is_call(act) && sexp_is(&act->at[0], "union") &&
	       take_words(s, act->at + 1, act->n - 1);
}

static bool same_columns(const table *x, const table *y)
{
	uint32_t i;

	if (x->ncol != y->ncol || x->rest != y->rest || x->result != y->result)
		return false;
	for (i = 0; i < x->ncol; i++)
		if (x->col[i].sort != y->col[i].sort)
			return false;
	return true;
}

static bool same_shape(const struct shape *x, const struct shape *y)
{
	uint32_t i;

	if (x->hash != y->hash || x->nword != y->nword || !x->text != !y->text || !same_columns(x->table, y->table) ||
	    strcmp(x->host->fn.signature, y->host->fn.signature))
		return false;
	for (i = 0; i < x->nword; i++)
		if (strcmp(x->word[i], y->word[i]))
			return false;
	return true;
}

static void name_atom(rules *r, const struct shape *s, atom *a)
{
	operand *val;

	if (a->kind == ATOM_TABLE)
		a->table = s->table;
	if (a->kind != ATOM_HOST)
		return;
	a->host = s->host;
	if (!s->text)
		return;
	val = rules_alloc(r, a->nval * sizeof *val);
	memcpy(val, a->val, a->nval * sizeof *val);
	val[a->nval - 1].id = value_string(r->g, s->text->text, s->text->n);
	a->val = val;
}

static void name_insn(const pattern *p, const atom *from, insn *in)
{
	if (in->atom)
		in->atom = p->atom + (in->atom - from);
	if (!in->atom || in->atom->kind != ATOM_TABLE)
		return;
	in->fam = in->atom->table->fam;
	if (in->op != NIL)
		in->op = in->atom->table->op;
}

static void *copied(rules *r, const void *from, size_t n)
{
	return memcpy(rules_alloc(r, n), from, n);
}

static void name_all(rules *r, const struct shape *s, const pattern *from, pattern *p)
{
	uint32_t i, k;

	*p = *from;
	p->atom = copied(r, from->atom, from->natom * sizeof(atom));
	for (i = 0; i < p->natom; i++)
		name_atom(r, s, &p->atom[i]);
	p->code = copied(r, from->code, from->ncode * sizeof(code));
	for (i = 0; i < p->ncode; i++) {
		code *c = &p->code[i];

		c->insn = copied(r, c->insn, c->ninsn * sizeof(insn));
		for (k = 0; k < c->ninsn; k++)
			name_insn(p, from->atom, &c->insn[k]);
	}
}

static const struct alike *find(const rules *r, const struct alike *now)
{
	uint32_t i;

	for (i = 0; i < r->alike.n; i++) {
		const struct alike *was = VEC_AT(struct alike *, &r->alike, i);

		if (was->nfamily == now->nfamily && was->nglobal == now->nglobal && same_shape(&was->shape, &now->shape))
			return was;
	}
	return NULL;
}

static void keep(rules *r, const struct alike *now)
{
	struct alike *to = copied(r, now, sizeof *now);

	*(struct alike **)vec_push(&r->alike) = to;
	to->shape.word = copied(r, now->shape.word, now->shape.nword * sizeof *now->shape.word);
}

const char *rule_pattern(rules *r, const char *file, const sexp *form, pattern *p)
{
	const sexp *fact = &form->at[1], *act = &form->at[2];
	const char *word[WORDS], *why;
	struct alike now = { .shape.word = word, .pattern = p, .nfamily = eg_nfamily(r->g), .nglobal = r->globals.n };
	bool simple = read_shape(r, fact->at, fact->n, act->at, act->n, &now.shape);
	const struct alike *was = simple ? find(r, &now) : NULL;

	if (was) {
		name_all(r, &now.shape, was->pattern, p);
		return NULL;
	}
	if ((why = type_rule(r, file, p, fact->at, fact->n, act->at, act->n)) || (why = pattern_compile(r, p, file, form)))
		return why;
	if (simple)
		keep(r, &now);
	return NULL;
}
