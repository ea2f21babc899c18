/* `numbers`: both programs are run once, and the selected pair's values shown. */
#include <stdlib.h>
#include <string.h>
#include "command/command_in.h"
#include "session/values.h"

static bool read_kind(const char *word, enum numbers_kind *kind)
{
	int k;

	for (k = 0; k < NUMBERS_KINDS; k++)
		if (!strcmp(word, numbers_kind_name((enum numbers_kind)k))) {
			*kind = (enum numbers_kind)k;
			return true;
		}
	return false;
}

/* "base %cos is f32[4,12,64]": what an element is meant of. */
static const char *element_of(struct session *s, int base, char *buf, size_t n)
{
	char name[300], shape[200];

	snprintf(buf, n, "%s is %s", session_name(s, SIDE_BASE, base, name, sizeof name),
		 row_shape(&s->p->base->row[base], shape, sizeof shape));
	return buf;
}

static int numbers_in(const char *text)
{
	int n = 1;

	for (; *text; text++)
		n += *text == ',';
	return n;
}

/* "I,J,..": a place of the baseline's row. */
static bool read_element(struct session *s, const char *text)
{
	int dist = s->sel.row[SIDE_DIST], base = dist < 0 ? -1 : session_nearest(s, dist), k;
	const char *all = text;
	char of[600];
	const row *b;
	int64_t at = 0;
	char *end;

	if (base < 0)
		return command_fail(s, "nothing in the baseline is near it: no element can be meant");
	b = &s->p->base->row[base];
	if (numbers_in(text) != b->rank)
		return command_fail(s, b->rank ? "%s: at takes %d ind%s, not '%s'" : "%s, one number: at has nothing to choose",
				    element_of(s, base, of, sizeof of), b->rank, b->rank == 1 ? "ex" : "ices with commas between", all);
	for (k = 0; k < b->rank; k++) {
		long long i = strtoll(text, &end, 10);
		if (end == text || *end != (k + 1 < b->rank ? ',' : 0))
			return command_fail(s, "%s: at takes indices with commas between, not '%s'", element_of(s, base, of, sizeof of), all);
		if (i < 0 || i >= b->dim[k])
			return command_fail(s, "%s: dimension %d of '%s' goes from 0 to %lld", element_of(s, base, of, sizeof of), k, all,
					    (long long)b->dim[k] - 1);
		at = at * b->dim[k] + i;
		text = end + 1;
	}
	s->element = at;
	s->element_row = base;
	return true;
}

/* "N" or "last". */
static bool read_trip(struct session *s, const char *text, int64_t *trip)
{
	bool last = !strcmp(text, "last");
	char *end;
	long long n = strtoll(text, &end, 10);

	*trip = last ? -1 : n;
	return last || (!*end && end != text && n >= 0) || command_fail(s, "trip N, from 0 on, or trip last: not '%s'", text);
}

static bool run(struct session *s, enum numbers_kind kind, int64_t trip)
{
	const char *why = NULL;
	struct values *v;

	if (s->values && values_kind(s->values) == kind && values_trip(s->values) == trip)
		return true;
	v = values_run(s, &(struct values_options){ .kind = kind, .seed = (uint64_t)kind + 1, .trip = trip }, &why);
	if (!v)
		return command_fail(s, "there are no numbers: %s", why);
	values_free(s->values);
	s->values = v;
	return true;
}

static void say_element(struct session *s)
{
	const tensor *t = values_of(s->values, SIDE_BASE, s->element_row, 0);
	char name[300], at[200];

	session_name(s, SIDE_BASE, s->element_row, name, sizeof name);
	values_place_text(&s->p->base->row[s->element_row], s->element, at, sizeof at);
	if (t)
		session_say(s, SAY_MESSAGE, "%s%s = %.9g", name, at, values_number(t, s->element));
	else
		session_say(s, SAY_WARNING, "%s has no numbers here", name);
}

bool cmd_numbers(struct session *s, const char *args)
{
	enum numbers_kind kind = s->values ? values_kind(s->values) : NUMBERS_INTEGERS;
	const char *rest = args, *element = NULL;
	char word[200], node[600] = "", at[200], turn[40];
	bool turned = true;
	int64_t trip = s->values ? values_trip(s->values) : 0;

	if (s->p->files.no_trail)
		return command_fail(s, "started with --no-trail: there is nothing to look at");
	s->element_row = -1;
	while (*rest) {
		command_word(&rest, word, sizeof word);
		if (!strcmp(word, "at") && *rest)
			element = command_word(&rest, at, sizeof at);
		else if (!strcmp(word, "trip") && *rest)
			turned = read_trip(s, command_word(&rest, turn, sizeof turn), &trip) && turned;
		else if (!read_kind(word, &kind))
			snprintf(node + strlen(node), sizeof node - strlen(node), "%s%s", *node ? " " : "", word);
	}
	if (!turned || !command_select(s, node) || !run(s, kind, trip) || (element && !read_element(s, element)))
		return false;
	if (element)
		say_element(s);
	return command_show(s, PAGE_NUMBERS);
}
