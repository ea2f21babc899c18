/* keys.h - keys, their names, and the commands they stand for.
 *
 * A key is a number: a code point, or a K_.. above all code points, with
 * modifier bits.  Its name is what users write in `bind` and read in help:
 * `s`, `}`, `Space`, `Enter`, `S-Tab`, `C-l`, `M-x`, `PageDown`, `F1`.
 *
 * A key never does something itself: the *keymap* gives it a line of the
 * command language, which is run and logged like a typed one.  A binding
 * belongs to one view or, with an empty view name, to all; a view's own comes
 * first, and one made by `bind` hides one from the table.  Digits before a key
 * are a count: it takes the place of `#` in the command, which vanishes without
 * one.  Key sequences (`g g`) are keys with blanks between.
 *
 * Bytes of a terminal are turned into keys by keys_decode, which knows the
 * sequences of xterm, tmux, screen, rxvt, the Linux console and kitty; it needs
 * no terminal, so every key can be tested.
 */
#ifndef DIVERGE_KEYS_H
#define DIVERGE_KEYS_H

#include "util/arena.h"

#include <stdbool.h>

#define KEYS_SPECIAL(X) \
	X(UP, "Up") X(DOWN, "Down") X(LEFT, "Left") X(RIGHT, "Right") \
	X(PAGE_UP, "PageUp") X(PAGE_DOWN, "PageDown") X(HOME, "Home") X(END, "End") \
	X(INSERT, "Insert") X(DELETE, "Delete") X(BACKSPACE, "Backspace") \
	X(ENTER, "Enter") X(TAB, "Tab") X(ESC, "Esc") X(SPACE, "Space") \
	X(F1, "F1") X(F2, "F2") X(F3, "F3") X(F4, "F4") X(F5, "F5") X(F6, "F6") \
	X(F7, "F7") X(F8, "F8") X(F9, "F9") X(F10, "F10") X(F11, "F11") X(F12, "F12") \
	X(CLICK, "Click") X(WHEEL_UP, "WheelUp") X(WHEEL_DOWN, "WheelDown") \
	X(PASTE_BEGIN, "PasteBegin") X(PASTE_END, "PasteEnd") \
	X(RESIZE, "Resize") X(CONTINUED, "Continued") X(HANGUP, "Hangup") X(UNKNOWN, "Unknown")

enum {
	K_NONE = 0,		/* no key: time is over */
	K_SPECIAL = 0x200000,
#define X(id, name) K_##id,
	KEYS_SPECIAL(X)
#undef X
	K_SPECIAL_END,
	K_SHIFT = 0x1000000,
	K_ALT = 0x2000000,
	K_CTRL = 0x4000000,
	K_PLAIN = K_SHIFT - 1	/* mask of the key without modifiers */
};
#define K_CONTROL(letter) (K_CTRL | (letter))

/* Writes the name of a key; returns buf. */
const char *keys_name(int key, char *buf, size_t n);
/* The key of a name, K_NONE when there is no such key. */
int keys_parse(const char *name);

/* One key from n bytes: returns how many bytes it takes, 0 when it may go on (`final`: nothing more comes soon, so
 * a lone ESC is the key Esc).  at[0..1]: column and row of a mouse event, from 0. */
size_t keys_decode(const char *bytes, size_t n, bool final, int *key, int at[2]);

/* The keymap that is built in.  view, key, command, what it does (a `#` in the command: the count) */
#define KEYS_MAP(X) \
	X("", "s",         "step #",           "one firing of a rule") \
	X("", "}",         "next #",           "all firings of the next instruction") \
	X("", "{",         "reverse-next #",   "back by one instruction") \
	X("", "]",         "step #",           "forward by one firing") \
	X("", "[",         "reverse-step #",   "back by one firing") \
	X("", "i",         "iterate #",        "one pass of a ruleset") \
	X("", "I",         "reverse-iterate #", "back by one pass") \
	X("", "c",         "continue",         "run to a frontier node, breakpoint or the verdict") \
	X("", "C",         "continue!",        "run to the verdict") \
	X("", "r",         "reverse-continue", "back to the frontier node or breakpoint before") \
	X("", "z",         "undo",             "take back your last act") \
	X("", "Z",         "redo",             "do it again") \
	X("", "f",         "frontier next",    "next frontier node") \
	X("", "F",         "frontier prev",    "previous frontier node") \
	X("", "x",         "info matches",     "rules that match here, and those that nearly do") \
	X("", "a",         "assume",           "propose a relation of the selected node") \
	X("", "B",         "bijections",       "candidate bijections of the pair") \
	X("", "w",         "why",              "why the selected pair is equal") \
	X("", "W",         "whynot",           "why the selected node is not verified") \
	X("", "t",         "test",             "compare the pair by numbers") \
	X("", "v",         "numbers",          "what the pair holds on every device") \
	X("", "b",         "break",            "stop at the selected node") \
	X("", "l",         "list",             "source of the selected node") \
	X("", "u",         "up",               "to the calling source frame") \
	X("", "d",         "down",             "to the called source frame") \
	X("", "e",         "edit",             "open the editor at the source line") \
	X("", "R",         "reload",           "read the rule files again") \
	X("rule", "e",     "edit rule",        "open the editor at this rule") \
	X("", "Enter",     "open",             "open what is under the cursor") \
	X("", "Space",     "fold",             "fold or unfold") \
	X("", "o",         "fold out",         "fold one scope further out") \
	X("", "S",         "fold groups",      "fold all scopes like this one: every layer") \
	X("", "V",         "fold none",        "unfold everything") \
	X("", "j",         "cursor down #",    "down") \
	X("", "k",         "cursor up #",      "up") \
	X("", "Down",      "cursor down #",    "down") \
	X("", "Up",        "cursor up #",      "up") \
	X("", "Left",      "cursor left #",    "scroll to the left") \
	X("", "Right",     "cursor right #",   "scroll to the right") \
	X("", "PageDown",  "cursor page-down #", "a page down") \
	X("", "PageUp",    "cursor page-up #",   "a page up") \
	X("", "C-f",       "cursor page-down #", "a page down") \
	X("", "C-b",       "cursor page-up #",   "a page up") \
	X("", "C-d",       "cursor half-down #", "half a page down") \
	X("", "C-u",       "cursor half-up #",   "half a page up") \
	X("", "C-n",       "cursor down #",    "down") \
	X("", "C-p",       "cursor up #",      "up") \
	X("", "Home",      "cursor home",      "first line") \
	X("", "End",       "cursor end",       "last line") \
	X("", "g g",       "cursor home",      "first line") \
	X("", "G",         "cursor end #",     "last line, or the line of the count") \
	X("", "Tab",       "focus next",       "next pane") \
	X("", "S-Tab",     "focus prev",       "previous pane") \
	X("", ">",         "tab next",         "next view in this pane") \
	X("", "<",         "tab prev",         "previous view in this pane") \
	X("", "O",         "zoom",             "this pane only, and back") \
	X("", "+",         "pane-size +#",     "enlarge the lower panes") \
	X("", "-",         "pane-size -#",     "shrink the lower panes") \
	X("", "/",         "prompt search ",   "search in this pane") \
	X("", "?",         "prompt reverse-search ", "search upwards") \
	X("", "n",         "search-next",      "next match") \
	X("", "N",         "search-prev",      "previous match") \
	X("", "&",         "prompt filter ",   "show only lines that match; with no text all again") \
	X("", ":",         "prompt",           "type a command") \
	X("", "h",         "help-keys",        "keys of this pane") \
	X("", "F1",        "help-keys",        "keys of this pane") \
	X("", "%",         "mouse",            "mouse on or off") \
	X("", "C-l",       "redraw",           "draw the screen anew") \
	X("", "C-z",       "suspend",          "suspend the program") \
	X("", "C-c",       "cancel",           "no search, no filter") \
	X("", "Esc",       "cancel",           "no search, no filter") \
	X("", "q",         "close",            "close this view; at last, quit") \
	X("", "Q",         "quit",             "quit") \
	X("", "WheelDown", "cursor down 3",    "down") \
	X("", "WheelUp",   "cursor up 3",      "up")

#define KEYS_CHORD 4

struct binding {
	const char *view;		/* "": every view */
	int key[KEYS_CHORD];		/* ends with K_NONE */
	const char *command;		/* without blanks at its end but in `prompt ..` */
	const char *help;		/* NULL: made by `bind` */
};

struct keymap {
	vec bindings;			/* of struct binding; later ones come first */
	arena text;
	int pending[KEYS_CHORD];	/* keys of a sequence that has begun */
	int npending;
	unsigned count;			/* typed before, 0: none */
};

void keymap_init(struct keymap *km);		/* with KEYS_MAP */
void keymap_release(struct keymap *km);

/* Binds keys (`g g`) to a command; NULL or "" takes the binding away.  False: `keys` is no key name. */
bool keymap_bind(struct keymap *km, const char *view, const char *keys, const char *command);

/* Feeds a key that was pressed while `view` has the focus.  A command that is complete is written to `command`. */
enum keymap_result { KEYMAP_MORE, KEYMAP_COMMAND, KEYMAP_UNBOUND };
enum keymap_result keymap_feed(struct keymap *km, const char *view, int key, char *command, size_t n);
void keymap_reset(struct keymap *km);		/* forgets a count and a begun sequence */
/* What was typed of a command that is not complete: `12 g`, for the last line of the screen. */
const char *keymap_pending(const struct keymap *km, char *buf, size_t n);

/* Help: the bindings in force for `view` alone ("" for the global ones); returns false behind the last. */
bool keymap_each(const struct keymap *km, const char *view, size_t *i, struct binding *b);
const char *keymap_keys(const struct binding *b, char *buf, size_t n);	/* `g g` */
/* The first key bound to this command in the view or globally, as text; NULL without one. */
const char *keymap_key_of(const struct keymap *km, const char *view, const char *command, char *buf, size_t n);

#endif
