#include "hlo/module.h"

#include <ctype.h>
#include <string.h>
#include "hlo/hlo_proto.h"
#include "hlo/hlo_text.h"
#include "text/input.h"

#define LOOK 4096	/* how much of a file is looked at */

/* Protobuf has control characters near its beginning: the tag of the second
 * or third field if nothing else. */
static bool is_binary(const char *s, size_t n)
{
	for (size_t k = 0; k < n && k < LOOK; k++)
		if ((unsigned char)s[k] < ' ' && !strchr("\t\n\v\f\r", s[k] ? s[k] : 1))
			return true;
	return false;
}

/* Past blanks and comments of either kind. */
static const char *first_token(const char *p)
{
	for (;;) {
		while (isspace((unsigned char)*p))
			p++;
		if (*p != '#' && (p[0] != '/' || p[1] != '/'))
			return p;
		if (*p == '#' && isalpha((unsigned char)p[1]))
			return p;	/* #loc = ..: MLIR */
		while (*p && *p != '\n')
			p++;
	}
}

static bool begins(const char *p, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(p, word, n) && !isalnum((unsigned char)p[n]) && p[n] != '_';
}

static bool is_mlir(const char *p)
{
	return begins(p, "module") || begins(p, "func") || begins(p, "builtin") || begins(p, "\"builtin") || *p == '#';
}

static const char *skip_word(const char *p)
{
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* field: value, or field { field: */
static bool is_textproto(const char *p)
{
	const char *after = skip_word(p);

	if (after == p)
		return false;
	if (*after == ':')
		return true;
	if (*after != '{')
		return false;
	p = first_token(after + 1);
	after = skip_word(p);
	return after > p && (*after == ':' || *after == '{');
}

/* HloModule or ENTRY stand in every module but the shortest pieces, which begin with NAME { or NAME (. */
static bool may_be_hlo(const char *text, const char *p)
{
	const char *after = p + strcspn(p, " \t\r\n({");

	return strstr(text, "HloModule") || strstr(text, "ENTRY") || *p == '%' ||
	       (after > p && strchr("({", after[strspn(after, " \t\r\n")]));
}

static void say_no_hlo(const char *path, const char *text, struct diag *err)
{
	const char *line = text + strspn(text, " \t\r\n");
	int n = (int)strcspn(line, "\r\n"), cut = 0, step;

	if (!n) {
		diag_set(err, path, 1, 1, "the file is blank");
		return;
	}
	while (cut < n && cut < 50) {
		step = diag_character(line + cut, (size_t)(n - cut));
		cut += step ? step : 1;
	}
	diag_set(err, path, 1, 1, "this is no HLO, which begins with HloModule NAME; the file begins with '%.*s%s'", cut, line,
		 cut < n ? ".." : "");
}

static module *text_module(const char *path, const struct input *in, struct diag *err)
{
	size_t mark = in->n >= 3 && !memcmp(in->data, "\xef\xbb\xbf", 3) ? 3 : 0;	/* a byte order mark */
	const char *text = (const char *)in->data + mark, *p = first_token(text);
	module *m = NULL;

	if (is_mlir(p))
		diag_set(err, path, 1, 1, "this is MLIR text; HLO text or an HLO protobuf is needed");
	else if (is_textproto(p))
		diag_set(err, path, 1, 1, "this is protobuf text format; HLO text or a binary protobuf is needed");
	else if (!(m = hlo_read_text(path, text, in->n - mark, err)) && !may_be_hlo(text, p))
		say_no_hlo(path, text, err);
	return m;
}

module *module_read(const char *path, struct diag *err)
{
	struct input in;
	module *m;

	if (!input_read(&in, path, err))
		return NULL;
	if (in.n >= 4 && !memcmp(in.data, "ML\xefR", 4)) {
		diag_set(err, path, 0, 0, "this is MLIR bytecode; HLO text or an HLO protobuf is needed");
		m = NULL;
	} else if (in.n >= 2 && (!memcmp(in.data, "\xff\xfe", 2) || !memcmp(in.data, "\xfe\xff", 2))) {
		diag_set(err, path, 0, 0, "this is UTF-16 text; save it as UTF-8");
		m = NULL;
	} else if (is_binary(in.data, in.n)) {
		m = hlo_read_proto(path, in.data, in.n, err);
	} else {
		m = text_module(path, &in, err);
	}
	input_free(&in);
	return m;
}
