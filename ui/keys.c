#include "keys.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* names */

static const char *const special_names[] = {
#define X(id, name) name,
	KEYS_SPECIAL(X)
#undef X
};
#define NSPECIAL (sizeof special_names / sizeof *special_names)

const char *keys_name(int key, char *buf, size_t n)
{
	int plain = key & K_PLAIN;
	const char *name = NULL;
	char one[UTF8_MAX];

	if (plain > K_SPECIAL && plain < K_SPECIAL_END)
		name = special_names[plain - K_SPECIAL - 1];
	else
		utf8_put((uint32_t)plain, one);
	snprintf(buf, n, "%s%s%s%s", key & K_CTRL ? "C-" : "", key & K_ALT ? "M-" : "",
		 key & K_SHIFT ? "S-" : "", name ? name : one);
	return buf;
}

static int modifier(char c)
{
	return c == 'C' ? K_CTRL : c == 'M' ? K_ALT : c == 'S' ? K_SHIFT : 0;
}

int keys_parse(const char *name)
{
	int mods = 0, key;
	size_t i;

	while (name[0] && name[1] == '-' && name[2] && modifier(name[0])) {
		mods |= modifier(name[0]);
		name += 2;
	}
	for (i = 0; i < NSPECIAL; i++)
		if (!strcmp(name, special_names[i]))
			return mods | (K_SPECIAL + 1 + (int)i);
	key = (int)utf8_next(&name);
	return key > ' ' && key < (int)UTF8_BYTE && !*name ? mods | key : K_NONE;
}

/* bytes to keys */

static int xterm_mods(int n)
{
	int bits = n > 1 ? n - 1 : 0;

	return (bits & 1 ? K_SHIFT : 0) | (bits & 2 ? K_ALT : 0) | (bits & 4 ? K_CTRL : 0);
}

/* The letter at the end of CSI and SS3 sequences. */
static int letter_key(char c)
{
	switch (c) {
	case 'A': return K_UP;
	case 'B': return K_DOWN;
	case 'C': return K_RIGHT;
	case 'D': return K_LEFT;
	case 'H': return K_HOME;
	case 'F': return K_END;
	case 'M': return K_ENTER;
	case 'P': return K_F1;
	case 'Q': return K_F2;
	case 'R': return K_F3;
	case 'S': return K_F4;
	case 'Z': return K_SHIFT | K_TAB;
	case 'a': return K_SHIFT | K_UP;
	case 'b': return K_SHIFT | K_DOWN;
	case 'c': return K_SHIFT | K_RIGHT;
	case 'd': return K_SHIFT | K_LEFT;
	default: return K_UNKNOWN;
	}
}

/* The number before `~` (xterm), `^`, `$`, `@` (rxvt: control, shift, both). */
static int number_key(int n)
{
	static const int keys[] = {
		[1] = K_HOME, [2] = K_INSERT, [3] = K_DELETE, [4] = K_END, [5] = K_PAGE_UP,
		[6] = K_PAGE_DOWN, [7] = K_HOME, [8] = K_END, [11] = K_F1, [12] = K_F2, [13] = K_F3,
		[14] = K_F4, [15] = K_F5, [17] = K_F6, [18] = K_F7, [19] = K_F8, [20] = K_F9,
		[21] = K_F10, [23] = K_F11, [24] = K_F12,
	};

	if (n == 200)
		return K_PASTE_BEGIN;
	if (n == 201)
		return K_PASTE_END;
	return n >= 0 && n < (int)(sizeof keys / sizeof *keys) && keys[n] ? keys[n] : K_UNKNOWN;
}

/* A character with control held as some terminals report it; also kitty's and xterm's `CSI code ; mods u`. */
static int code_key(int code)
{
	switch (code) {
	case 9: return K_TAB;
	case 10: case 13: return K_ENTER;
	case 27: return K_ESC;
	case 8: case 127: return K_BACKSPACE;
	case ' ': return K_SPACE;
	case 0: return K_CTRL | K_SPACE;
	default:
		if (code < 0)
			return K_UNKNOWN;
		if (code < 27)
			return K_CTRL | (code + 'a' - 1);
		return code < ' ' ? K_CTRL | (code ^ 0x40) : code;
	}
}

static int mouse_key(const int *p, char last)
{
	if (p[0] & 64)
		return p[0] & 1 ? K_WHEEL_DOWN : K_WHEEL_UP;
	return last == 'M' && !(p[0] & 0x23) ? K_CLICK : K_UNKNOWN;
}

static int csi_key(bool mouse, const int *p, int np, char last)
{
	if (mouse)
		return mouse_key(p, last);
	if (last == 'u')
		return code_key(p[0]) | xterm_mods(p[1]);
	if (last == '~')
		return (p[0] == 27 && np > 2 ? code_key(p[2]) : number_key(p[0])) | xterm_mods(p[1]);
	if (last == '^')
		return number_key(p[0]) | K_CTRL;
	if (last == '$')
		return number_key(p[0]) | K_SHIFT;
	if (last == '@')
		return number_key(p[0]) | K_SHIFT | K_CTRL;
	return letter_key(last) | xterm_mods(p[1]);
}

#define CSI_PARAMS 4

/* ESC [ parameters, intermediates, a last byte from @ to ~; the Linux console sends ESC [ [ A for F1. */
static size_t decode_csi(const char *s, size_t n, bool final, int *key, int at[2])
{
	int p[CSI_PARAMS] = {0}, np = 0;
	bool mouse = n > 2 && s[2] == '<';
	size_t i = 2;

	if (n > 2 && s[2] == '[') {
		if (n < 4)
			return final ? *key = K_UNKNOWN, n : 0;
		*key = s[3] >= 'A' && s[3] <= 'E' ? K_F1 + s[3] - 'A' : K_UNKNOWN;
		return 4;
	}
	for (; i < n && ((s[i] >= ' ' && s[i] < '@') || s[i] == '$'); i++) {
		if (s[i] >= '0' && s[i] <= '9' && p[np] < 100000)
			p[np] = p[np] * 10 + s[i] - '0';
		else if (s[i] == ';' && np + 1 < CSI_PARAMS)
			np++;
		else if (s[i] == '$' && i + 1 == n)
			return *key = number_key(p[0]) | K_SHIFT, n;
	}
	if (i == n) {
		*key = n == 2 ? K_ALT | '[' : K_UNKNOWN;
		return final ? n : 0;
	}
	/* `?`, `>`, `=` begin answers to questions that were not asked */
	*key = !mouse && s[2] >= '<' && s[2] <= '?' ? K_UNKNOWN : csi_key(mouse, p, np + 1, s[i]);
	at[0] = p[1] - 1;
	at[1] = p[2] - 1;
	if ((*key & K_PLAIN) == K_UNKNOWN)
		*key = K_UNKNOWN;
	return i + 1;
}

static size_t decode_char(const char *s, size_t n, bool final, int *key)
{
	char one[UTF8_MAX] = "";
	const char *end = one;
	size_t have = n < UTF8_MAX - 1 ? n : UTF8_MAX - 1, want;
	unsigned char c = (unsigned char)*s;

	want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
	if (have < want && !final)
		return 0;
	if (c < 0x80) {
		*key = code_key(c);
		return 1;
	}
	memcpy(one, s, have);
	*key = (int)utf8_next(&end);
	if (*key >= (int)UTF8_BYTE)
		*key = K_UNKNOWN;
	return (size_t)(end - one);
}

size_t keys_decode(const char *s, size_t n, bool final, int *key, int at[2])
{
	size_t used;

	if (!n)
		return 0;
	if (*s != 27)
		return decode_char(s, n, final, key);
	if (n == 1) {
		*key = K_ESC;
		return final ? 1 : 0;
	}
	if (s[1] == '[')
		return decode_csi(s, n, final, key, at);
	if (s[1] == 'O' && (n > 2 || !final)) {
		*key = n > 2 ? letter_key(s[2]) : K_NONE;
		return n > 2 ? 3 : 0;
	}
	if (s[1] == 27) {
		*key = K_ESC;
		return 1;
	}
	used = decode_char(s + 1, n - 1, final, key);
	*key |= K_ALT;
	return used ? used + 1 : 0;
}

/* the keymap */

static const struct {
	const char *view, *keys, *command, *help;
} builtin[] = {
#define X(view, keys, command, help) {view, keys, command, help},
	KEYS_MAP(X)
#undef X
};

static bool parse_sequence(const char *keys, int out[KEYS_CHORD])
{
	char name[32];
	int n = 0;
	size_t len;

	memset(out, 0, sizeof(int) * KEYS_CHORD);
	for (;;) {
		keys += strspn(keys, " ");
		if (!*keys)
			return n > 0;
		len = strcspn(keys, " ");
		if (len >= sizeof name || n == KEYS_CHORD)
			return false;
		memcpy(name, keys, len);
		name[len] = 0;
		out[n] = keys_parse(name);
		if (!out[n++])
			return false;
		keys += len;
	}
}

static bool same_keys(const int *a, const int *b)
{
	return !memcmp(a, b, sizeof(int) * KEYS_CHORD);
}

static bool add(struct keymap *km, const char *view, const char *keys, const char *command, const char *help)
{
	struct binding b = {arena_strdup(&km->text, view), {0}, arena_strdup(&km->text, command), help};

	if (!parse_sequence(keys, b.key))
		return false;
	*(struct binding *)vec_push(&km->bindings) = b;
	return true;
}

void keymap_init(struct keymap *km)
{
	size_t i;

	memset(km, 0, sizeof *km);
	vec_init(&km->bindings, sizeof(struct binding));
	arena_init(&km->text);
	for (i = 0; i < sizeof builtin / sizeof *builtin; i++)
		add(km, builtin[i].view, builtin[i].keys, builtin[i].command, builtin[i].help);
}

void keymap_release(struct keymap *km)
{
	vec_free(&km->bindings);
	arena_free(&km->text);
}

bool keymap_bind(struct keymap *km, const char *view, const char *keys, const char *command)
{
	return add(km, view, keys, command ? command : "", NULL);
}

static const struct binding *binding_at(const struct keymap *km, size_t i)
{
	return &VEC_AT(struct binding, &km->bindings, i);
}

/* The binding in force for these keys in exactly this view. */
static const struct binding *find_in(const struct keymap *km, const char *view, const int *keys)
{
	size_t i = km->bindings.n;

	while (i--)
		if (same_keys(binding_at(km, i)->key, keys) && !strcmp(binding_at(km, i)->view, view))
			return binding_at(km, i);
	return NULL;
}

static const struct binding *find(const struct keymap *km, const char *view, const int *keys)
{
	const struct binding *b = find_in(km, view, keys);

	return b || !*view ? b : find_in(km, "", keys);
}

/* Some binding in force begins with these keys and goes on. */
static bool begins(const struct keymap *km, const char *view, const int *keys, int n)
{
	const struct binding *b;
	size_t i;

	for (i = 0; i < km->bindings.n; i++) {
		b = binding_at(km, i);
		if (n < KEYS_CHORD && b->key[n] && !memcmp(b->key, keys, sizeof(int) * (size_t)n) &&
		    (!*b->view || !strcmp(b->view, view)) && *find_in(km, b->view, b->key)->command)
			return true;
	}
	return false;
}

/* `step #` with count 5 is `step 5`, without `step`; `pane-size +#` without is `pane-size +1`. */
static void substitute(const char *command, unsigned count, char *out, size_t n)
{
	const char *hash = strchr(command, '#');
	int before = hash ? (int)(hash - command) : 0;

	if (!hash)
		snprintf(out, n, "%s", command);
	else if (count || (before && command[before - 1] != ' '))
		snprintf(out, n, "%.*s%u%s", before, command, count ? count : 1, hash + 1);
	else
		snprintf(out, n, "%.*s%s", before ? before - 1 : 0, command, hash + 1);
}

static bool take_digit(struct keymap *km, int key)
{
	bool digit = key >= '0' && key <= '9' && (key != '0' || km->count);

	if (!digit || km->npending)
		return false;
	if (km->count < 100000000)
		km->count = km->count * 10 + (unsigned)(key - '0');
	return true;
}

enum keymap_result keymap_feed(struct keymap *km, const char *view, int key, char *command, size_t n)
{
	const struct binding *b;

	if (take_digit(km, key))
		return KEYMAP_MORE;
	if (key == K_ESC && (km->count || km->npending)) {
		keymap_reset(km);
		return KEYMAP_MORE;
	}
	km->pending[km->npending++] = key;
	b = find(km, view, km->pending);
	if (b && *b->command) {
		substitute(b->command, km->count, command, n);
		keymap_reset(km);
		return KEYMAP_COMMAND;
	}
	if (begins(km, view, km->pending, km->npending))
		return KEYMAP_MORE;
	keymap_reset(km);
	return KEYMAP_UNBOUND;
}

void keymap_reset(struct keymap *km)
{
	memset(km->pending, 0, sizeof km->pending);
	km->npending = 0;
	km->count = 0;
}

const char *keymap_pending(const struct keymap *km, char *buf, size_t n)
{
	struct binding b = {0};
	char keys[64];

	memcpy(b.key, km->pending, sizeof b.key);
	keymap_keys(&b, keys, sizeof keys);
	if (km->count)
		snprintf(buf, n, "%u%s%s", km->count, *keys ? " " : "", keys);
	else
		snprintf(buf, n, "%s", keys);
	return buf;
}

bool keymap_each(const struct keymap *km, const char *view, size_t *i, struct binding *out)
{
	for (; *i < km->bindings.n; ++*i) {
		const struct binding *b = binding_at(km, *i);

		if (!strcmp(b->view, view) && *b->command && find_in(km, view, b->key) == b) {
			*out = *b;
			++*i;
			return true;
		}
	}
	return false;
}

const char *keymap_keys(const struct binding *b, char *buf, size_t n)
{
	size_t len = 0;
	char name[32];
	int i;

	if (n)
		*buf = 0;
	for (i = 0; i < KEYS_CHORD && b->key[i] && len < n; i++)
		len += (size_t)snprintf(buf + len, n - len, "%s%s", i ? " " : "",
					keys_name(b->key[i], name, sizeof name));
	return buf;
}

const char *keymap_key_of(const struct keymap *km, const char *view, const char *command, char *buf, size_t n)
{
	struct binding b;
	char plain[128];
	size_t i = 0;

	while (keymap_each(km, view, &i, &b)) {
		substitute(b.command, 0, plain, sizeof plain);
		if (!strcmp(plain, command))
			return keymap_keys(&b, buf, n);
	}
	return *view ? keymap_key_of(km, "", command, buf, n) : NULL;
}
