/* term.h - the terminal: the only file that knows curses.
 *
 * There is one terminal, so there is no object.  Between term_start and
 * term_stop the screen shows what term_flush was last given, and keys come from
 * term_key.  The terminal is put back whatever happens: on exit(), abort(), a
 * fatal signal, a stack overflow, a sanitizer's report; a handler writes bytes
 * recorded at the start and restores the settings, nothing else.
 *
 * The terminal is in raw mode: ^C, ^Z and ^\ are keys like others.  Work that
 * takes long brackets itself in term_busy: then ^C sets the flag that it returns.
 *
 * What is written to stderr meanwhile does not wreck the screen: it is kept,
 * can be read with term_complaints and appears on the real stderr at the end.
 */
#ifndef DIVERGE_TERM_H
#define DIVERGE_TERM_H

#include "canvas.h"
#include "theme.h"

#include <stdbool.h>

struct term_options {
	enum colour_mode colour;
	enum background background;
	bool mouse;
	int columns, rows;		/* 0: what the terminal has */
};

/* Takes the terminal over; false with a reason in `why` when there is none that will do. */
bool term_start(const struct term_options *o, char *why, size_t n);
void term_stop(void);			/* harmless when not started */
bool term_started(void);

void term_size(int *columns, int *rows);
bool term_utf8(void);			/* else non-ASCII text is shown by utf8_ascii */
void term_mouse(bool on);
bool term_has_mouse(void);

void term_flush(const struct canvas *cv);	/* only what changed is sent */
void term_redraw(void);				/* the next flush sends everything */
void term_bell(void);

/* The next key of ui/keys; waits at most `ms` milliseconds (-1: for ever), then K_NONE.  K_RESIZE: the size changed;
 * K_CONTINUED: the program was stopped and goes on; K_HANGUP: the terminal is gone. */
int term_key(int ms);
/* The bytes of the key that term_key gave last, for readline; a pasted text is one key K_PASTE_BEGIN. */
const char *term_key_bytes(size_t *n);
void term_key_at(int *x, int *y);		/* of a mouse event */
bool term_key_waiting(void);			/* term_key(0) would give one */

/* Starts or ends work that takes long: while on, ^C is no key but makes term_stop_asked() true, at once and whatever
 * was typed before it.  Starting forgets an older ^C. */
void term_busy(bool on);
bool term_stop_asked(void);
/* .. what does not wait until it ends: K_RESIZE, K_CONTINUED, K_HANGUP, K_CONTROL('z'), or K_NONE.  Keys do. */
int term_busy_key(void);

void term_suspend(void);			/* ^Z: returns when the program goes on */
/* Hands the terminal to another program and waits until it ends; the exit status, -1 with errno when it cannot run. */
int term_run(char *const argv[]);

/* Moves up to n-1 bytes that were written to stderr to buf; returns how many. */
size_t term_complaints(char *buf, size_t n);

#endif
