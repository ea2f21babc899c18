#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a program as lines; instructions taken apart */

enum { ARGS = 12 };

struct ins {
	int line, body;		/* body: which computation, numbered by its first line */
	bool root;
	char name[128], op[64];
	char *shape, *rest;	/* rest: from ')' on */
	char *arg[ARGS];	/* as written; the name is the last word */
	int narg;
};

struct text {
	char **line;
	int n;
	struct ins *ins;
	int nins;
};

static char *copy(const char *s, size_t n)
{
	char *t = malloc(n + 1);

	if (!t)
		abort();
	memcpy(t, s, n);
	t[n] = 0;
	return t;
}

/* The end of what begins at s, at depth 0 before one of `stop`. */
static const char *balanced(const char *s, const char *stop)
{
	int depth = 0;

	for (; *s; s++) {
		if (!depth && strchr(stop, *s))
			return s;
		if (strchr("([{", *s))
			depth++;
		else if (strchr(")]}", *s))
			depth--;
	}
	return s;
}

static void put(char **at, char *s)
{
	free(*at);
	*at = s;
}

static void drop_ins(struct ins *i)
{
	int k;

	free(i->shape);
	free(i->rest);
	for (k = 0; k < i->narg; k++)
		free(i->arg[k]);
}

/* "  ROOT %name = shape op(args), rest" */
static bool read_ins(const char *s, struct ins *out)
{
	struct ins i = { 0 };
	const char *e, *a;

	while (isspace((unsigned char)*s))
		s++;
	if (!strncmp(s, "ROOT ", 5)) {
		i.root = true;
		s += 5;
	}
	e = strstr(s, " = ");
	if (!e || e == s || (size_t)(e - s) >= sizeof i.name || memchr(s, ' ', (size_t)(e - s)))
		return false;
	memcpy(i.name, s, (size_t)(e - s));
	s = e + 3;
	e = balanced(s, " ");
	if (!*e)
		return false;
	a = strchr(e, '(');
	if (!a || (size_t)(a - e - 1) >= sizeof i.op)
		return false;
	i.shape = copy(s, (size_t)(e - s));
	memcpy(i.op, e + 1, (size_t)(a - e - 1));
	for (s = a + 1; *s && *s != ')' && i.narg < ARGS; s = *e == ',' ? e + 2 : e) {
		e = balanced(s, ",)");
		i.arg[i.narg++] = copy(s, (size_t)(e - s));
	}
	i.rest = copy(s, strlen(s));
	*out = i;
	return true;
}

static struct text text_read(const char *s)
{
	struct text t = { 0 };
	const char *e;
	int body = 0, room = 0;

	for (e = s; *e; e++)
		room += *e == '\n';
	t.line = calloc((size_t)room + 2, sizeof *t.line);
	t.ins = calloc((size_t)room + 2, sizeof *t.ins);
	for (; *s; s = *e ? e + 1 : e) {
		e = strchrnul(s, '\n');
		t.line[t.n] = copy(s, (size_t)(e - s));
		if (e > s && e[-1] == '{')
			body = t.n;
		if (isspace((unsigned char)*s) && read_ins(t.line[t.n], &t.ins[t.nins])) {
			t.ins[t.nins].line = t.n;
			t.ins[t.nins++].body = body;
		}
		t.n++;
	}
	return t;
}

static void text_free(struct text *t)
{
	int k;

	for (k = 0; k < t->n; k++)
		free(t->line[k]);
	for (k = 0; k < t->nins; k++)
		drop_ins(&t->ins[k]);
	free(t->line);
	free(t->ins);
}

static char *text_join(const struct text *t)
{
	char *s;
	size_t n;
	FILE *f = open_memstream(&s, &n);
	int k;

	for (k = 0; k < t->n; k++)
		fprintf(f, "%s\n", t->line[k]);
	fclose(f);
	return s;
}

static void set_line(struct text *t, int line, char *s)
{
	free(t->line[line]);
	t->line[line] = s;
}

static void print_ins(struct text *t, const struct ins *i)
{
	char *s;
	size_t n;
	FILE *f = open_memstream(&s, &n);
	int k;

	fprintf(f, "  %s%s = %s %s(", i->root ? "ROOT " : "", i->name, i->shape, i->op);
	for (k = 0; k < i->narg; k++)
		fprintf(f, "%s%s", k ? ", " : "", i->arg[k]);
	fprintf(f, "%s", i->rest);
	fclose(f);
	set_line(t, i->line, s);
}

static const char *arg_name(const char *arg)
{
	const char *s = strrchr(arg, ' ');

	return s ? s + 1 : arg;
}

static size_t bare(const char *shape)	/* without the layout */
{
	return strcspn(shape, "{");
}

static bool same_shape(const char *x, const char *y)
{
	return bare(x) == bare(y) && !strncmp(x, y, bare(x));
}

static bool is_array(const struct ins *i)
{
	return *i->shape != '(' && strchr(i->shape, '[');
}

static bool of_type(const struct ins *i, const char *type)
{
	size_t n = strlen(type);

	return !strncmp(i->shape, type, n) && i->shape[n] == '[';
}

static bool is_float(const struct ins *i)
{
	return of_type(i, "f32") || of_type(i, "bf16") || of_type(i, "f16") || of_type(i, "f64");
}

static const struct ins *named(const struct text *t, const struct ins *user, const char *name)
{
	int k;

	for (k = 0; k < t->nins; k++)
		if (t->ins[k].body == user->body && !strcmp(t->ins[k].name, name))
			return &t->ins[k];
	return NULL;
}

/* Names `from` in the operands of later lines of the same computation become `to`. */
static void rewire(struct text *t, const struct ins *of, const char *to)
{
	int k, j;

	for (k = 0; k < t->nins; k++) {
		struct ins *i = &t->ins[k];
		bool hit = false;
		if (i->body != of->body || i->line <= of->line)
			continue;
		for (j = 0; j < i->narg; j++)
			if (!strcmp(arg_name(i->arg[j]), of->name)) {
				free(i->arg[j]);
				i->arg[j] = strdup(to);
				hit = true;
			}
		if (hit)
			print_ins(t, i);
	}
}

static void append(struct text *t, int line, const char *more)
{
	char *s;

	if (asprintf(&s, "%s\n%s", t->line[line], more) < 0)
		abort();
	set_line(t, line, s);
}

/* ---- what one edit works on */

struct edit {
	struct dice *d;
	struct text *t;
	struct ins *i;
	char *what;
	size_t n;
	int serial;
};

static int roll(struct edit *e, int n)
{
	return dice_below(e->d, n);
}

static const struct ins *like(struct edit *e, bool same)
{
	int k, at = roll(e, e->t->nins);

	for (k = 0; k < e->t->nins; k++) {
		const struct ins *o = &e->t->ins[(at + k) % e->t->nins];
		if (o->body == e->i->body && o->line < e->i->line && (!same || same_shape(o->shape, e->i->shape)) && is_array(o))
			return o;
	}
	return NULL;
}

static bool said(struct edit *e, const char *kind, const char *from, const char *to)
{
	snprintf(e->what, e->n, "%s: %s: %s -> %s", kind, e->i ? e->i->name : "", from, to);
	return true;
}

/* ---- edits of one instruction */

static const char *const families[][14] = {
	{ "add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "atan2", "remainder" },
	{ "and", "or", "xor", "add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum" },
	{ "negate", "exponential", "log", "tanh", "abs", "sqrt", "rsqrt", "logistic", "sign", "floor", "ceil", "cosine", "sine" },
	{ "shift-left", "shift-right-logical", "shift-right-arithmetic", "add", "multiply", "divide" },
	{ "partition-id", "replica-id" },
	{ "exponential", "exponential-minus-one" }, { "log", "log-plus-one" },
};

static bool edit_opcode(struct edit *e)
{
	int f, k, n, at = roll(e, 7);

	for (f = 0; f < 7; f++) {
		const char *const *row = families[(at + f) % 7];
		bool in = false;
		for (n = 0; n < 14 && row[n]; n++)
			in |= !strcmp(row[n], e->i->op);
		if (!in)
			continue;
		k = roll(e, n);
		if (!strcmp(row[k], e->i->op))
			k = (k + 1) % n;
		said(e, "opcode", e->i->op, row[k]);
		strcpy(e->i->op, row[k]);
		print_ins(e->t, e->i);
		return true;
	}
	return false;
}

static bool edit_swap(struct edit *e)
{
	char *s;
	int k;

	if (e->i->narg < 2)
		return false;
	k = roll(e, e->i->narg - 1);
	s = e->i->arg[k];
	e->i->arg[k] = e->i->arg[k + 1];
	e->i->arg[k + 1] = s;
	print_ins(e->t, e->i);
	return said(e, "operand order", e->i->op, "");
}

static bool edit_operand(struct edit *e)
{
	const struct ins *was, *o;
	int k, j, at;

	if (!e->i->narg)
		return false;
	k = roll(e, e->i->narg);
	was = named(e->t, e->i, arg_name(e->i->arg[k]));
	at = roll(e, e->t->nins);
	for (j = 0; was && j < e->t->nins; j++) {
		o = &e->t->ins[(at + j) % e->t->nins];
		if (o == was || o->body != e->i->body || o->line >= e->i->line || !same_shape(o->shape, was->shape))
			continue;
		said(e, "operand", was->name, o->name);
		put(&e->i->arg[k], strdup(o->name));
		print_ins(e->t, e->i);
		return true;
	}
	return false;
}

/* A number at s, written anew. */
static char *other_number(const char *s, const char *at, size_t len, const char *with)
{
	char *r;

	if (asprintf(&r, "%.*s%s%s", (int)(at - s), s, with, at + len) < 0)
		abort();
	return r;
}

/* The k-th number of an attribute list that means something; metadata and channel ids do not. */
static const char *number_at(const char *s, int k, size_t *len)
{
	const char *end = strstr(s, "metadata="), *p;

	for (p = s; *p && (!end || p < end); p++) {
		if (!strncmp(p, "channel_id=", 11) || !strncmp(p, "frontend_attributes", 19) || !strncmp(p, "to_apply=", 9)
		    || !strncmp(p, "backend_config", 14)) {
			p += strcspn(p, ", ");
			if (!*p)
				break;
			continue;
		}
		if (!isdigit((unsigned char)*p) || (p > s && (isalnum((unsigned char)p[-1]) || strchr("._%", p[-1]))))
			continue;
		*len = strspn(p, "0123456789");
		if (!k--)
			return p;
		p += *len - 1;
	}
	return NULL;
}

static int count_numbers(const char *s)
{
	size_t len;
	int n = 0;

	while (number_at(s, n, &len))
		n++;
	return n;
}

static bool edit_number(struct edit *e)
{
	int n = count_numbers(e->i->rest);
	const char *p;
	char with[32], was[32];
	size_t len;
	long v;

	if (!n || !(p = number_at(e->i->rest, roll(e, n), &len)) || len > 9)
		return false;
	v = atol(p);
	snprintf(was, sizeof was, "%ld", v);
	v = roll(e, 3) == 0 ? v + 1 : roll(e, 2) ? (v ? v - 1 : 1) : roll(e, 5);
	snprintf(with, sizeof with, "%ld", v);
	said(e, "attribute number", was, with);
	put(&e->i->rest, other_number(e->i->rest, p, len, with));
	print_ins(e->t, e->i);
	return true;
}

/* Two numbers of the attributes change places: groups, permutations, dimensions, pairs. */
static bool edit_exchange(struct edit *e)
{
	int n = count_numbers(e->i->rest), x, y;
	const char *p, *q;
	size_t lp, lq;
	char *s;

	if (n < 2)
		return false;
	x = roll(e, n - 1);
	y = x + 1 + roll(e, n - x - 1 < 3 ? n - x - 1 : 3);
	p = number_at(e->i->rest, x, &lp);
	q = number_at(e->i->rest, y, &lq);
	if (!p || !q || (lp == lq && !strncmp(p, q, lp)))
		return false;
	if (asprintf(&s, "%.*s%.*s%.*s%.*s%s", (int)(p - e->i->rest), e->i->rest, (int)lq, q, (int)(q - p - (long)lp), p + lp,
		     (int)lp, p, q + lq) < 0)
		abort();
	put(&e->i->rest, s);
	print_ins(e->t, e->i);
	return said(e, "attribute order", e->i->op, "");
}

static bool edit_groups(struct edit *e)
{
	static const char *const form[] = { "{{0,1}}", "{{0},{1}}", "{{1,0}}", "{{0,1},{2,3}}", "{{0,2},{1,3}}", "{{0,1,2,3}}",
					    "{{0},{1},{2},{3}}", "{{1,0},{3,2}}", "{{0,3},{1,2}}", "{}", "{{3,2,1,0}}", "{{0,1,2}}" };
	char *p = strstr(e->i->rest, "replica_groups="), *s;
	const char *end, *with = form[roll(e, 12)];

	if (!p)
		return false;
	p += strlen("replica_groups=");
	end = balanced(p, ", ");
	if (!strncmp(p, with, (size_t)(end - p)))
		return false;
	if (asprintf(&s, "%.*s%s%s", (int)(p - e->i->rest), e->i->rest, with, end) < 0)
		abort();
	put(&e->i->rest, s);
	print_ins(e->t, e->i);
	return said(e, "groups", e->i->op, with);
}

/* A reducer of another operation, written at the end of the module's first lines. */
static bool edit_reducer(struct edit *e)
{
	static const char *const op[] = { "add", "multiply", "maximum", "minimum", "subtract", "power" };
	char *p = strstr(e->i->rest, "to_apply="), *s, type[16] = "f32";
	const char *o = op[roll(e, 6)];
	int k;

	if (!p || !is_array(e->i) || of_type(e->i, "pred"))
		return false;
	snprintf(type, sizeof type, "%.*s", (int)strcspn(e->i->shape, "["), e->i->shape);
	p += strlen("to_apply=");
	if (asprintf(&s, "%.*s%%mutant.%d%s", (int)(p - e->i->rest), e->i->rest, e->serial, p + strcspn(p, ", ")) < 0)
		abort();
	put(&e->i->rest, s);
	print_ins(e->t, e->i);
	for (k = 0; k < e->t->n && strncmp(e->t->line[k], "HloModule", 9); k++)
		;
	if (asprintf(&s, "\n%%mutant.%d {\n  %%a = %s[] parameter(0)\n  %%b = %s[] parameter(1)\n  ROOT %%r = %s[] %s(%%a, %%b)\n}\n",
		     e->serial, type, type, type, o) < 0)
		abort();
	append(e->t, k < e->t->n ? k : 0, s);
	free(s);
	return said(e, "reducer", e->i->op, o);
}

static bool edit_drop(struct edit *e)
{
	const struct ins *x = e->i->narg ? named(e->t, e->i, arg_name(e->i->arg[0])) : NULL;

	if (!x || !same_shape(x->shape, e->i->shape) || !strcmp(e->i->op, "copy"))
		return false;
	said(e, "dropped", e->i->op, "its operand");
	strcpy(e->i->op, "copy");
	while (e->i->narg > 1)
		free(e->i->arg[--e->i->narg]);
	put(&e->i->rest, strdup(")"));
	print_ins(e->t, e->i);
	return true;
}

static bool edit_double(struct edit *e)
{
	const struct ins *x = e->i->narg ? named(e->t, e->i, arg_name(e->i->arg[0])) : NULL;
	char name[160], *s;
	size_t n;
	FILE *f;
	int k;

	if (!x || e->i->root || !same_shape(x->shape, e->i->shape))
		return false;
	snprintf(name, sizeof name, "%s.twice%d", e->i->name, e->serial);
	rewire(e->t, e->i, name);
	f = open_memstream(&s, &n);
	fprintf(f, "  %s = %s %s(%s", name, e->i->shape, e->i->op, e->i->name);
	for (k = 1; k < e->i->narg; k++)
		fprintf(f, ", %s", e->i->arg[k]);
	fprintf(f, "%s", e->i->rest);
	fclose(f);
	append(e->t, e->i->line, s);
	free(s);
	return said(e, "doubled", e->i->op, "");
}

static bool edit_constant(struct edit *e)
{
	static const char *const number[] = { "0", "1", "-1", "2", "0.5", "inf", "-inf", "1e-30", "-1e30", "nan", "3", "-0.5" };
	static const char *const integer[] = { "0", "1", "2", "3", "-1", "4", "7", "127" };
	const char *with;
	bool f;

	if (strcmp(e->i->op, "constant") || e->i->narg != 1 || strchr(e->i->arg[0], '{'))
		return false;
	f = is_float(e->i);
	with = f ? number[roll(e, 12)] : of_type(e->i, "pred") ? (roll(e, 2) ? "true" : "false") : integer[roll(e, 8)];
	if (!strcmp(with, e->i->arg[0]))
		return false;
	said(e, "constant", e->i->arg[0], with);
	put(&e->i->arg[0], strdup(with));
	print_ins(e->t, e->i);
	return true;
}

static bool edit_literal(struct edit *e)
{
	size_t len;
	const char *p;
	char with[16];
	int n;

	if (strcmp(e->i->op, "constant") || e->i->narg != 1 || !strchr(e->i->arg[0], '{'))
		return false;
	n = count_numbers(e->i->arg[0]);
	if (!n || !(p = number_at(e->i->arg[0], roll(e, n), &len)))
		return false;
	snprintf(with, sizeof with, "%d", roll(e, 6));
	put(&e->i->arg[0], other_number(e->i->arg[0], p, len, with));
	print_ins(e->t, e->i);
	return said(e, "literal", "", with);
}

static bool edit_custom(struct edit *e)
{
	static const char *const target[] = { "Sharding", "SPMDFullToShardShape", "AwsNeuronGelu", "AwsNeuronSilu", "Unknown",
					      "AwsNeuronTransferWithStaticRing", "MoveToHost", "AllReduceThing", "TopK",
					      "annotate_device_placement", "AwsNeuronSoftmax", "xla.sdy.FuncResultSharding" };
	const char *with = target[roll(e, 12)];
	char rest[300];

	if (!is_array(e->i) || e->i->narg != 1 || e->i->root || !strcmp(e->i->op, "constant") || !strcmp(e->i->op, "parameter"))
		return false;
	snprintf(rest, sizeof rest, "), custom_call_target=\"%s\"%s%s", with, roll(e, 3) ? "" : ", custom_call_has_side_effect=true",
		 roll(e, 3) ? "" : ", backend_config=\"1\"");
	said(e, "custom call", e->i->op, rest + 3);
	strcpy(e->i->op, "custom-call");
	put(&e->i->rest, strdup(rest));
	print_ins(e->t, e->i);
	return true;
}

/* ---- insertions: $n new names, X the value, Y another of its shape, T its shape, P the same of truth values, E dimensions */

static const char *const unary_forms[] = {
	"$0 = T negate(X)", "$0 = T exponential(X)", "$0 = T log(X)", "$0 = T sqrt(X)", "$0 = T tanh(X)", "$0 = T abs(X)",
	"$0 = T logistic(X)", "$0 = T rsqrt(X)", "$0 = T sign(X)", "$0 = T floor(X)", "$0 = T cosine(X)", "$0 = T exponential-minus-one(X)",
	"$0 = T log-plus-one(X)", "$0 = T multiply(X, X)", "$0 = T add(X, X)", "$0 = T divide(X, X)", "$0 = T power(X, X)",
	"$0 = Q[E] convert(X)\n$1 = T convert($0)", "$0 = s32[E] convert(X)\n$1 = T convert($0)", "$0 = f64[E] convert(X)\n$1 = T convert($0)",
	"$0 = T reduce-precision(X), exponent_bits=5, mantissa_bits=10",
	"$0 = S[] constant(0)\n$1 = T broadcast($0), dimensions={}\n$2 = T maximum(X, $1)",
	"$0 = S[] constant(1)\n$1 = T broadcast($0), dimensions={}\n$2 = T divide($1, X)",
	"$0 = S[] constant(2)\n$1 = T broadcast($0), dimensions={}\n$2 = T power(X, $1)",
	"$0 = S[] constant(0.5)\n$1 = T broadcast($0), dimensions={}\n$2 = T power(X, $1)",
	"$0 = P is-finite(X)\n$1 = S[] constant(0)\n$2 = T broadcast($1), dimensions={}\n$3 = T select($0, X, $2)",
	"$0 = S[] constant(0)\n$1 = T broadcast($0), dimensions={}\n$2 = P compare(X, $1), direction=NE\n$3 = T divide($1, X)\n"
	"$4 = T select($2, $3, $1)",
	"$0 = S[] constant(0)\n$1 = T broadcast($0), dimensions={}\n$2 = P compare(X, $1), direction=GT\n$3 = T log(X)\n"
	"$4 = T select($2, $3, $1)",
	"$0 = S[] constant(0)\n$1 = T broadcast($0), dimensions={}\n$2 = P compare(X, $1), direction=GT\n$4 = T select($2, X, $1)",
	"$0 = S[] constant(-1)\n$1 = S[] constant(1)\n$2 = T clamp($0, X, $1)",
	"$0 = S[] constant(-inf)\n$1 = T broadcast($0), dimensions={}\n$2 = P compare(X, $1), direction=EQ\n$3 = T exponential(X)\n"
	"$4 = T select($2, $1, $3)",
};
/* the same value wherever numbers are numbers, or nearly so */
static const char *const idle_forms[] = {
	"$0 = T exponential(X)\n$1 = T log($0)", "$0 = T log(X)\n$1 = T exponential($0)", "$0 = T multiply(X, X)\n$1 = T sqrt($0)",
	"$0 = T sqrt(X)\n$1 = T multiply($0, $0)", "$0 = T add(X, Y)\n$1 = T subtract($0, Y)", "$0 = T multiply(X, Y)\n$1 = T divide($0, Y)",
	"$0 = T divide(Y, Y)\n$1 = T multiply(X, $0)", "$0 = T subtract(Y, Y)\n$1 = T add(X, $0)", "$0 = T negate(X)\n$1 = T negate($0)",
	"$0 = Q[E] convert(X)\n$1 = T convert($0)", "$0 = s32[E] convert(X)\n$1 = T convert($0)", "$0 = T maximum(X, Y)\n$1 = T minimum($0, Y)",
	"$0 = T maximum(X, X)", "$0 = T abs(X)",
	"$0 = S[] constant(0)\n$1 = T broadcast($0), dimensions={}\n$2 = T multiply(Y, $1)\n$3 = T add(X, $2)",
	"$0 = P compare(X, Y), direction=LT\n$1 = T select($0, Y, X)\n$2 = T select($0, X, Y)\n$3 = T minimum($1, $2)",
	"$0 = P compare(X, X), direction=EQ\n$1 = S[] constant(0)\n$2 = T broadcast($1), dimensions={}\n$3 = T select($0, X, $2)",
	"$0 = P is-finite(Y)\n$1 = T select($0, X, Y)", "$0 = T opt-barrier(X)", "$0 = T copy(X)",
	"$0 = T reduce-precision(X), exponent_bits=8, mantissa_bits=7", "$0 = T reduce-precision(X), exponent_bits=8, mantissa_bits=23",
	"$0 = T rsqrt(X)\n$1 = T multiply($0, $0)\n$2 = S[] constant(1)\n$3 = T broadcast($2), dimensions={}\n$4 = T divide($3, $1)",
	"$0 = u32[E] bitcast-convert(X)\n$1 = T bitcast-convert($0)", "$0 = u32[E] convert(X)\n$1 = T convert($0)",
	"$0 = T select-none(X)", "$0 = P compare(Y, Y), direction=LE\n$1 = T select($0, X, Y)",
	"$0 = T logistic(X)\n$1 = T divide($0, $0)\n$2 = T multiply(X, $1)",
};
enum { UNARY_FORMS = sizeof unary_forms / sizeof *unary_forms, IDLE_FORMS = sizeof idle_forms / sizeof *idle_forms };

/* Writes a form behind instruction i; the last new name into `last`. */
static void write_form(struct edit *e, const struct ins *i, const char *form, const char *y, char *last)
{
	char *s, type[16], dims[128], fresh[40];
	size_t n;
	FILE *f = open_memstream(&s, &n);
	const char *p, *b = strchr(i->shape, '['), *c = strchr(i->shape, ']');
	bool start = true;

	snprintf(type, sizeof type, "%.*s", (int)(b - i->shape), i->shape);
	snprintf(dims, sizeof dims, "%.*s", (int)(c - b - 1), b + 1);
	for (p = form; *p; p++) {
		bool word = p > form && (isalnum((unsigned char)p[-1]) || p[-1] == '-');
		char next = p[1];
		bool lone = !word && !isalnum((unsigned char)next) && next != '-';
		if (start)
			fputs("  ", f);
		start = *p == '\n';
		if (*p == '$') {
			snprintf(fresh, sizeof fresh, "%%ins%d.%c", e->serial, *++p);
			fputs(fresh, f);
			strcpy(last, fresh);
		} else if (lone && *p == 'X') {
			fputs(i->name, f);
		} else if (lone && *p == 'Y') {
			fputs(y, f);
		} else if (lone && *p == 'T') {
			fprintf(f, "%s[%s]", type, dims);
		} else if (lone && *p == 'P') {
			fprintf(f, "pred[%s]", dims);
		} else if (lone && *p == 'E') {
			fputs(dims, f);
		} else if (lone && *p == 'S') {
			fputs(type, f);
		} else if (lone && *p == 'Q') {
			fputs(dice_below(e->d, 2) ? "bf16" : "f16", f);
		} else {
			fputc(*p, f);
		}
	}
	fclose(f);
	append(e->t, i->line, s);
	free(s);
}

static bool insert(struct edit *e, const char *kind, const char *form)
{
	const struct ins *y = roll(e, 3) ? like(e, true) : e->i;
	char last[40];

	if (e->i->root || !is_float(e->i))
		return false;
	/* the last definition is the value: forms end with the line that makes it */
	{
		const char *nl = strrchr(form, '\n');
		char name[40];
		write_form(e, e->i, form, y ? y->name : e->i->name, last);
		snprintf(name, sizeof name, "%%ins%d.%c", e->serial, nl ? nl[2] : form[1]);
		rewire(e->t, e->i, name);
	}
	said(e, kind, form, "");
	return true;
}

static bool edit_insert(struct edit *e)
{
	return insert(e, "inserted", unary_forms[roll(e, UNARY_FORMS)]);
}

static bool edit_idle(struct edit *e)
{
	return insert(e, "idle", idle_forms[roll(e, IDLE_FORMS)]);
}

/* ---- the plan */

static bool edit_plan(struct dice *d, char **plan, char *what, size_t n)
{
	struct text t = text_read(*plan);
	int k = t.n ? dice_below(d, t.n) : 0, c, at;
	size_t len;
	char *s = NULL, with[16];
	const char *p;

	if (!t.n || strncmp(t.line[k], "mesh", 4) == 0 || !*t.line[k]) {
		text_free(&t);
		return false;
	}
	switch (dice_below(d, 4)) {
	case 0:
		s = strdup("# a line that went away");
		break;
	case 1:
		c = count_numbers(t.line[k]);
		at = c ? dice_below(d, c) : 0;
		p = c ? number_at(t.line[k], at, &len) : NULL;
		if (p) {
			snprintf(with, sizeof with, "%d", dice_below(d, 3));
			if (asprintf(&s, "%.*s%s%s", (int)(p - t.line[k]), t.line[k], with, p + len) < 0)
				abort();
		}
		break;
	case 2:
		p = strstr(t.line[k], "S(0)");
		p = p ? p : strstr(t.line[k], "S(1)");
		if (p && asprintf(&s, "%.*sP(sum)%s", (int)(p - t.line[k]), t.line[k], p + 4) < 0)
			abort();
		p = p ? NULL : strstr(t.line[k], "P(sum)");
		if (p && asprintf(&s, "%.*sP(max)%s", (int)(p - t.line[k]), t.line[k], p + 6) < 0)
			abort();
		break;
	default:
		at = (int)strcspn(t.line[k], ":");
		while (at > 0 && t.line[k][at - 1] != ' ')
			at--;
		if (asprintf(&s, "%.*s R", at, t.line[k]) < 0)
			abort();
	}
	if (s) {
		snprintf(what, n, "plan: %s -> %s", t.line[k], s);
		set_line(&t, k, s);
		free(*plan);
		*plan = text_join(&t);
	}
	text_free(&t);
	return s != NULL;
}

/* ---- the same in both programs: of a parameter, or of the first output */

static struct ins *parameter(struct text *t, int number)
{
	int k, body = -1;
	char want[16];

	snprintf(want, sizeof want, "%d", number);
	for (k = 0; k < t->nins; k++)
		if (!strncmp(t->line[t->ins[k].body], "ENTRY", 5))
			body = t->ins[k].body;
	for (k = 0; k < t->nins; k++)
		if (t->ins[k].body == body && !strcmp(t->ins[k].op, "parameter") && !strcmp(t->ins[k].arg[0], want))
			return &t->ins[k];
	return NULL;
}

static bool edit_both(struct dice *d, struct text_pair *p, char *what, size_t n, int serial)
{
	struct text t[2] = { text_read(p->base), text_read(p->dist) };
	int number = dice_below(d, 4), k;
	const char *form = unary_forms[dice_below(d, UNARY_FORMS)];
	bool ok = true;

	for (k = 0; k < 2; k++) {
		struct ins *i = parameter(&t[k], number);
		ok = ok && i && !i->root && is_float(i);
	}
	for (k = 0; ok && k < 2; k++) {
		struct dice same = *d;
		struct edit e = { &same, &t[k], parameter(&t[k], number), what, n, serial };
		const char *nl = strrchr(form, '\n');
		char name[40], last[40];
		write_form(&e, e.i, form, e.i->name, last);
		snprintf(name, sizeof name, "%%ins%d.%c", serial, nl ? nl[2] : form[1]);
		rewire(&t[k], e.i, name);
	}
	if (ok) {
		snprintf(what, n, "both: parameter %d: %s", number, form);
		free(p->base);
		free(p->dist);
		p->base = text_join(&t[0]);
		p->dist = text_join(&t[1]);
	}
	text_free(&t[0]);
	text_free(&t[1]);
	return ok;
}

/* ---- all kinds */

static const struct {
	const char *name;
	bool (*edit)(struct edit *e);
	int weight;
} kinds[] = {
	{ "opcode", edit_opcode, 3 }, { "operand order", edit_swap, 2 }, { "operand", edit_operand, 4 },
	{ "attribute number", edit_number, 5 }, { "attribute order", edit_exchange, 4 }, { "groups", edit_groups, 3 },
	{ "reducer", edit_reducer, 3 }, { "dropped", edit_drop, 4 }, { "doubled", edit_double, 3 }, { "constant", edit_constant, 4 },
	{ "literal", edit_literal, 2 }, { "custom call", edit_custom, 1 }, { "inserted", edit_insert, 3 }, { "idle", edit_idle, 8 },
	{ "plan", NULL, 2 }, { "both", NULL, 6 },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

int mutate_kinds(void)
{
	return KINDS;
}

const char *mutate_kind(int k)
{
	return kinds[k].name;
}

static int any_kind(struct dice *d)
{
	int k, sum = 0, at;

	for (k = 0; k < KINDS; k++)
		sum += kinds[k].weight;
	at = dice_below(d, sum);
	for (k = 0; at >= kinds[k].weight; k++)
		at -= kinds[k].weight;
	return k;
}

bool mutate(struct dice *d, struct text_pair *p, char *what, size_t n)
{
	int kind = any_kind(d), serial = dice_below(d, 1000000), tries;
	char **side = dice_below(d, 4) ? &p->dist : &p->base;
	struct text t;
	bool ok = false;

	if (!kinds[kind].edit)
		return !strcmp(kinds[kind].name, "plan") ? edit_plan(d, &p->plan, what, n) : edit_both(d, p, what, n, serial);
	t = text_read(*side);
	for (tries = 0; t.nins && !ok && tries < 12; tries++) {
		struct edit e = { d, &t, &t.ins[dice_below(d, t.nins)], what, n, serial };
		ok = kinds[kind].edit(&e);
	}
	if (ok) {
		free(*side);
		*side = text_join(&t);
	}
	text_free(&t);
	return ok;
}
