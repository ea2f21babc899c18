/* theme.h - what text is, and how that looks.
 *
 * Drawing code names a *role* (what the text means), never a colour.  A role's
 * look depends on how many colours there are (none, 8, 256) and on whether the
 * background is light or dark; unknown backgrounds count as dark, and no look
 * sets a background of its own, except for search hits.  Every meaning is also
 * a character on the screen: a role only helps to find it.
 *
 * A second role can lie *over* a cell (selection, search hit, changed by the
 * last step): the looks are combined.
 */
#ifndef DIVERGE_THEME_H
#define DIVERGE_THEME_H

#include <stdbool.h>

enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_UNDER = 4, LOOK_REVERSE = 8 };

/* id, name, letter in a dump of roles, look without colour,
 * then colours: 8 on dark, 8 on light, 256 on dark, 256 on light (-1: the terminal's own) */
#define THEME_ROLES(X) \
	X(NORMAL,     "normal",     ' ', 0,                         -1, -1,  -1,  -1) \
	X(TITLE,      "title",      'T', LOOK_REVERSE | LOOK_BOLD,  -1, -1,  -1,  -1) \
	X(TITLE_BLUR, "title-blur", 't', LOOK_UNDER,                -1, -1,  -1,  -1) \
	X(TAB,        "tab",        'b', LOOK_UNDER | LOOK_DIM,     -1, -1,  -1,  -1) \
	X(STATUS,     "status",     's', 0,                          6,  4, 110,  25) \
	X(MESSAGE,    "message",    'm', LOOK_BOLD,                 -1, -1,  -1,  -1) \
	X(PROMPT,     "prompt",     'p', LOOK_BOLD,                 -1, -1,  -1,  -1) \
	X(SEPARATOR,  "separator",  '|', LOOK_DIM,                  -1, -1, 240, 249) \
	X(VERIFIED,   "verified",   '=', 0,                          2,  2, 114,  28) \
	X(FRONTIER,   "frontier",   '!', LOOK_BOLD,                  1,  1, 203, 160) \
	X(UNSETTLED,  "unsettled",  '.', 0,                         -1, -1, 250, 240) \
	X(UNVERIFIED, "unverified", '?', 0,                          3,  5, 179,  94) \
	X(REFUTED,    "refuted",    'x', LOOK_BOLD | LOOK_UNDER,     1,  1, 196, 124) \
	X(TAINTED,    "tainted",    '*', LOOK_UNDER,                 5,  5, 176,  91) \
	X(FOLDED,     "folded",     '+', 0,                          6,  4, 110,  25) \
	X(NAME,       "name",       'n', 0,                         -1, -1,  -1,  -1) \
	X(OPCODE,     "opcode",     'o', LOOK_BOLD,                 -1, -1,  -1,  -1) \
	X(SHAPE,      "shape",      'd', 0,                         -1, -1, 248, 240) \
	X(RELATION,   "relation",   'r', 0,                          6,  4, 116,  24) \
	X(NUMBER,     "number",     '#', 0,                         -1, -1, 180,  94) \
	X(RULE,       "rule",       'w', LOOK_BOLD,                 -1, -1, 222,  94) \
	X(COMMENT,    "comment",    ';', LOOK_DIM,                  -1, -1, 245, 242) \
	X(DIM,        "dim",        '-', LOOK_DIM,                  -1, -1, 243, 245) \
	X(HEADING,    "heading",    'h', LOOK_BOLD | LOOK_UNDER,    -1, -1,  -1,  -1) \
	X(KEY,        "key",        'k', LOOK_BOLD,                  6,  4,  80,  30) \
	X(ERROR,      "error",      'E', LOOK_BOLD,                  1,  1, 203, 160) \
	X(WARNING,    "warning",    'W', LOOK_BOLD,                  3,  5, 215, 130) \
	X(HERE,       "here",       'c', LOOK_BOLD,                 -1, -1,  -1,  -1) \
	X(SELECTED,   "selected",   'S', LOOK_REVERSE,              -1, -1,  -1,  -1) \
	X(PARTNER,    "partner",    'P', LOOK_BOLD | LOOK_UNDER,    -1, -1,  -1,  -1) \
	X(HIT,        "hit",        'H', LOOK_BOLD | LOOK_UNDER,     3,  5, 220,  90) \
	X(CHANGED,    "changed",    'C', LOOK_BOLD,                 -1, -1,  -1,  -1)

enum role {
#define X(id, name, letter, mono, d8, l8, d256, l256) ROLE_##id,
	THEME_ROLES(X)
#undef X
	ROLE_COUNT
};

struct look {
	short colour;		/* of the text; -1: the terminal's own */
	unsigned char flags;	/* LOOK_.. */
};

struct theme {
	int colours;		/* 0, 8 or 256 */
	bool light;		/* the background */
};

enum colour_mode { COLOUR_AUTO, COLOUR_NEVER, COLOUR_ALWAYS };
enum background { BACKGROUND_AUTO, BACKGROUND_DARK, BACKGROUND_LIGHT };

/* What to use on a terminal with `available` colours.  AUTO: no colour when NO_COLOR is set and not empty; the
 * background as COLORFGBG says, else dark.  `no_color` and `colorfgbg` are the values of these variables or NULL. */
struct theme theme_choose(enum colour_mode mode, enum background bg, int available,
			  const char *no_color, const char *colorfgbg);

/* The look of a cell of this role under another (ROLE_NORMAL: nothing lies over it). */
struct look theme_look(const struct theme *t, enum role role, enum role over);

const char *theme_role_name(enum role role);
char theme_role_letter(enum role role);

#endif
