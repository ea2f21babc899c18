#include "theme.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	char letter;
	unsigned char mono;
	short dark8, light8, dark256, light256;
} role_table[ROLE_COUNT] = {
#define X(id, name, letter, mono, d8, l8, d256, l256) {name, letter, mono, d8, l8, d256, l256},
	THEME_ROLES(X)
#undef X
};

/* COLORFGBG is `fg;bg` or `fg;other;bg`; 7 and the bright colours but 8 are light backgrounds. */
static bool is_light(const char *colorfgbg)
{
	const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
	int bg = last && last[1] ? atoi(last + 1) : 0;

	return bg == 7 || (bg > 8 && bg < 16);
}

struct theme theme_choose(enum colour_mode mode, enum background bg, int available,
			  const char *no_color, const char *colorfgbg)
{
	struct theme t = {0, bg == BACKGROUND_LIGHT};

	if (bg == BACKGROUND_AUTO)
		t.light = is_light(colorfgbg);
	if (mode == COLOUR_NEVER || (mode == COLOUR_AUTO && no_color && *no_color))
		return t;
	t.colours = available >= 256 ? 256 : available >= 8 ? 8 : 0;
	return t;
}

static short colour_of(const struct theme *t, enum role role)
{
	if (t->colours == 256)
		return t->light ? role_table[role].light256 : role_table[role].dark256;
	if (t->colours == 8)
		return t->light ? role_table[role].light8 : role_table[role].dark8;
	return -1;
}

/* With 256 colours a grey does what `dim` does without; both at once cannot be read on many terminals. */
static struct look one_look(const struct theme *t, enum role role)
{
	struct look l = {colour_of(t, role), role_table[role].mono};

	if (l.colour >= 0)
		l.flags &= (unsigned char)~LOOK_DIM;
	return l;
}

struct look theme_look(const struct theme *t, enum role role, enum role over)
{
	struct look l = one_look(t, role), o;

	if (over == ROLE_NORMAL)
		return l;
	o = one_look(t, over);
	if (o.colour >= 0)
		l.colour = o.colour;
	l.flags |= o.flags;
	if (l.flags & LOOK_BOLD)
		l.flags &= (unsigned char)~LOOK_DIM;
	return l;
}

const char *theme_role_name(enum role role)
{
	return role_table[role].name;
}

char theme_role_letter(enum role role)
{
	return role_table[role].letter;
}
