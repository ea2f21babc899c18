#include "prompt.h"
#include "utf8.h"

#include <errno.h>
#include <stdio.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HISTORY_MOST 1000
#define CTRL_C 3
#define CTRL_G 7

static struct {
	bool open, began, done, left, more;
	int first;			/* column at which the shown part of the line begins */
	prompt_complete_fn *complete;
	void *ctx;
	char *history;
	int added;			/* lines added to the history since it was read */
	char *line;			/* what was typed last */
	const char *bytes;		/* of the key being fed */
	size_t nbytes;
	char **offers;			/* ends with NULL, from malloc as readline wants it */
	size_t noffers, offers_size, next_offer;
	const char *word;		/* that is being completed */
	char **choices;			/* shown to choose from, ends with NULL */
	size_t nchoices;
	FILE *nowhere;
} pr;

static void *checked(void *p)
{
	if (!p)
		die_hook("out of memory");
	return p;
}

static char *joined(const char *folder, const char *rest)
{
	char *path = checked(malloc(strlen(folder) + strlen(rest) + 1));

	return strcat(strcpy(path, folder), rest);
}

/* the bytes of a key, all of one character at once: readline's search reads ahead */

static int next_byte(FILE *f)
{
	(void)f;
	if (!pr.nbytes)
		return EOF;
	pr.nbytes--;
	return (unsigned char)*pr.bytes++;
}

static int has_byte(void)
{
	return pr.nbytes > 0;
}

/* completion */

static void free_words(char **words)
{
	char **w;

	for (w = words; w && *w; w++)
		free(*w);
	free(words);
}

static void clear_choices(void)
{
	free_words(pr.choices);
	pr.choices = NULL;
	pr.nchoices = 0;
}

void prompt_offer(const char *word, bool more)
{
	if (strncmp(word, pr.word, strlen(pr.word)))
		return;
	if (pr.noffers + 1 >= pr.offers_size) {
		pr.offers_size = pr.offers_size ? 2 * pr.offers_size : 64;
		pr.offers = checked(realloc(pr.offers, pr.offers_size * sizeof *pr.offers));
	}
	pr.offers[pr.noffers++] = checked(strdup(word));
	pr.offers[pr.noffers] = NULL;
	pr.more |= more;
}

void prompt_offer_files(void)
{
	char *name;
	int state;

	for (state = 0; (name = rl_filename_completion_function(pr.word, state)); state = 1) {
		struct stat st;
		bool folder = !stat(name, &st) && S_ISDIR(st.st_mode);
		char *full = joined(name, folder ? "/" : "");

		prompt_offer(full, folder);
		free(full);
		free(name);
	}
}

static char *next_offer(const char *text, int state)
{
	(void)text;
	if (!state)
		pr.next_offer = 0;
	return pr.next_offer < pr.noffers ? strdup(pr.offers[pr.next_offer++]) : NULL;
}

static char **completions(const char *text, int start, int end)
{
	char **matches;

	rl_attempted_completion_over = 1;
	if (!pr.complete)
		return NULL;
	pr.word = text;
	pr.noffers = 0;
	pr.more = false;
	pr.complete(pr.ctx, rl_line_buffer, (size_t)start, (size_t)end);
	matches = rl_completion_matches(text, next_offer);
	rl_completion_suppress_append = pr.more;
	free_words(pr.offers);
	pr.offers = NULL;
	pr.noffers = pr.offers_size = 0;
	return matches;
}

/* words[0] is what they have in common. */
static void keep_choices(char **words, int n, int longest)
{
	int i;

	(void)longest;
	clear_choices();
	pr.choices = checked(calloc((size_t)n + 1, sizeof *pr.choices));
	for (i = 0; i < n; i++)
		pr.choices[i] = checked(strdup(words[i + 1]));
	pr.nchoices = (size_t)n;
}

size_t prompt_choices(const char *const **words)
{
	*words = (const char *const *)pr.choices;
	return pr.open ? pr.nchoices : 0;
}

/* history */

static bool make_folder(const char *path)
{
	return !mkdir(path, 0700) || errno == EEXIST;
}

/* Makes each folder of the path but its last part. */
static bool make_folders(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		bool ok;

		*slash = 0;
		ok = make_folder(path);
		*slash = '/';
		if (!ok)
			return false;
	}
	return true;
}

char *prompt_history_file(void)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char *path = NULL;

	if (state && *state == '/')
		path = joined(state, "/diverge/history");
	else if (home && *home == '/')
		path = joined(home, "/.local/state/diverge/history");
	if (path && make_folders(path))
		return path;
	free(path);
	return NULL;
}

void prompt_remember(const char *line)
{
	HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;

	if (!*line || (last && !strcmp(last->line, line)))
		return;
	add_history(line);
	pr.added++;
}

static void save_history(void)
{
	if (!pr.history || !pr.added)
		return;
	/* appending keeps what another diverge wrote meanwhile; the file must exist for that */
	if (append_history(pr.added, pr.history))
		write_history(pr.history);
	history_truncate_file(pr.history, HISTORY_MOST);
}

/* readline */

static char *trimmed(const char *s)
{
	size_t n;

	s += strspn(s, " \t");
	n = strlen(s);
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	return checked(strndup(s, n));
}

/* Readline has a whole line; NULL at ^D in an empty one. */
static void on_line(char *line)
{
	free(pr.line);
	pr.line = trimmed(line ? line : "");
	pr.done = line != NULL;
	pr.left = !line;
	free(line);
	rl_callback_handler_remove();
	pr.open = false;
}

static void on_redisplay(void)
{
	/* drawn by prompt_draw, when the screen is */
}

/* Each of these lines keeps readline away from the terminal or the signals. */
static void set_up_readline(void)
{
	rl_readline_name = "diverge";
	rl_change_environment = 0;
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_prep_term_function = NULL;
	rl_deprep_term_function = NULL;
	pr.nowhere = fopen("/dev/null", "r+");
	rl_instream = pr.nowhere;
	rl_outstream = pr.nowhere;
	rl_getc_function = next_byte;
	rl_input_available_hook = has_byte;
	rl_redisplay_function = on_redisplay;
	rl_attempted_completion_function = completions;
	rl_completion_display_matches_hook = keep_choices;
	rl_completer_word_break_characters = " \t";
	rl_completer_quote_characters = "";
	rl_variable_bind("show-all-if-ambiguous", "on");
	rl_initialize();
	/* a bell would be one more byte on stderr */
	rl_variable_bind("bell-style", "none");
}

void prompt_begin(const char *history, prompt_complete_fn *complete, void *ctx)
{
	if (!pr.began) {
		set_up_readline();
		using_history();
		stifle_history(HISTORY_MOST);
	}
	pr.began = true;
	pr.complete = complete;
	pr.ctx = ctx;
	free(pr.history);
	pr.history = history ? checked(strdup(history)) : NULL;
	if (pr.history)
		read_history(pr.history);
	pr.added = 0;
}

void prompt_end(void)
{
	if (!pr.began)
		return;
	prompt_close();
	save_history();
	clear_history();
	free(pr.history);
	free(pr.line);
	clear_choices();
	fclose(pr.nowhere);
	memset(&pr, 0, sizeof pr);
}

void prompt_open(const char *label, const char *text)
{
	if (!pr.began)
		prompt_begin(NULL, NULL, NULL);
	if (pr.open)
		prompt_close();
	pr.open = true;
	pr.done = pr.left = false;
	pr.first = 0;
	rl_callback_handler_install(label, on_line);
	rl_insert_text(text);
}

void prompt_close(void)
{
	if (!pr.open)
		return;
	/* a search or a numeric argument that has begun hides the prompt; the clean-up ends it but forgets that */
	if (RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NUMERICARG))
		rl_restore_prompt();
	rl_callback_sigcleanup();
	rl_free_line_state();
	rl_callback_handler_remove();
	rl_replace_line("", 1);
	clear_choices();
	pr.open = false;
	pr.left = true;
}

bool prompt_is_open(void)
{
	return pr.open;
}

static bool is_leaving(const char *bytes, size_t n)
{
	bool vi_insert = !rl_editing_mode && rl_get_keymap() != vi_movement_keymap;

	if (n != 1)
		return false;
	if (*bytes == CTRL_G)
		return !RL_ISSTATE(RL_STATE_ISEARCH);
	return *bytes == CTRL_C || (*bytes == ESC && !vi_insert);
}

static enum prompt_result result(void)
{
	return pr.done ? PROMPT_DONE : pr.left ? PROMPT_LEFT : PROMPT_MORE;
}

enum prompt_result prompt_feed(const char *bytes, size_t n)
{
	if (!pr.open)
		return PROMPT_LEFT;
	clear_choices();
	if (is_leaving(bytes, n)) {
		prompt_close();
		return PROMPT_LEFT;
	}
	pr.bytes = bytes;
	pr.nbytes = n;
	while (pr.nbytes && pr.open)
		rl_callback_read_char();
	if (pr.done)
		prompt_remember(pr.line);
	return result();
}

void prompt_paste(const char *text, size_t n)
{
	char *s, *p;

	if (!pr.open)
		return;
	s = checked(strndup(text, n));
	for (p = s; *p; p++)
		if (*p == '\n' || *p == '\r' || *p == '\t')
			*p = ' ';
	rl_insert_text(s);
	free(s);
}

const char *prompt_line(void)
{
	return pr.line ? pr.line : "";
}

/* drawing */

/* Cells of the first n bytes. */
static int cells_to(const char *s, int n)
{
	char *head = checked(strndup(s, (size_t)n));
	int cells = utf8_cells(head, 1 << 20);

	free(head);
	return cells;
}

/* The part of the line around the cursor, moved by a third of the width at a time. */
static void scroll_line(int cursor, int width)
{
	/* the first cell shows that something is hidden */
	if (cursor <= pr.first)
		pr.first = cursor > width / 3 ? cursor - width / 3 : 0;
	if (cursor - pr.first >= width)
		pr.first = cursor - width + 1 + width / 3;
	if (width <= 0)
		pr.first = 0;
}

void prompt_draw(struct window w)
{
	const char *label = rl_display_prompt ? rl_display_prompt : "";
	struct window line;
	int x, cursor;

	if (!pr.open)
		return;
	x = canvas_put(canvas_sub(w, 0, 0, w.w - w.w / 4, 1), 0, 0, ROLE_PROMPT, label);
	line = canvas_sub(w, x, 0, w.w - x, 1);
	cursor = cells_to(rl_line_buffer, rl_point);
	scroll_line(cursor, line.w);
	canvas_put(canvas_shift(line, pr.first), 0, 0, ROLE_NORMAL, rl_line_buffer);
	if (pr.first)
		canvas_put(canvas_sub(line, 0, 0, 1, 1), 0, 0, ROLE_DIM, "\xe2\x80\xa6");
	canvas_cursor(line, cursor - pr.first, 0);
}

static char **no_words(const char *text, int start, int end)
{
	(void)text;
	(void)start;
	(void)end;
	rl_attempted_completion_over = 1;
	return NULL;
}

char *prompt_ask(const char *label)
{
	char *line;

	rl_readline_name = "diverge";
	rl_change_environment = 0;
	rl_attempted_completion_function = no_words;
	line = readline(label);
	if (line && *line)
		add_history(line);
	return line;
}
