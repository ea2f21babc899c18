#include "term.h"
#include "keys.h"
#include "utf8.h"

#include <curses.h>

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#define IN STDIN_FILENO
#define OUT STDOUT_FILENO
#define ESC_MS 50		/* a lone ESC byte is the key Esc when nothing follows in this time */
#define PASTE_MS 1000		/* a paste whose end does not come ends here */
#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define MOUSE_ON "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1006l\033[?1000l"

extern char **environ;

static struct {
	bool started, utf8, mouse, fixed_size, redraw;
	SCREEN *screen;
	struct theme theme;
	struct termios saved;
	char restore[256];		/* bytes that put the terminal back */
	size_t nrestore;
	attr_t attr[ROLE_COUNT][ROLE_COUNT];
	short pair[ROLE_COUNT][ROLE_COUNT];
	vec shown;			/* struct cell: what the last flush drew */
	int shown_w, shown_h;
	char queue[4096];		/* bytes read and not yet given as keys */
	size_t nqueue;
	vec paste;			/* char */
	char bytes[32];			/* of the last key */
	size_t nbytes;
	bool pasted;
	int key_at[2];
	int signals[2];			/* pipe from the handlers to term_key */
	int real_stderr, kept_stderr;	/* -1: not captured */
	off_t told;			/* complaints taken so far */
	volatile sig_atomic_t busy, stop, hangup;
} tt = {.signals = {-1, -1}, .real_stderr = -1, .kept_stderr = -1};

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGSYS, SIGXCPU};
static const int loop_signals[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGINT, SIGTERM, SIGHUP};
#define COUNT(a) (sizeof (a) / sizeof *(a))
static struct sigaction fatal_old[COUNT(fatal_signals)], loop_old[COUNT(loop_signals)];

/* putting the terminal back: from here to the next section only what a signal handler may call */

static void write_all(int fd, const char *s, size_t n)
{
	ssize_t k;

	for (; n; s += k, n -= (size_t)k) {
		k = write(fd, s, n);
		if (k < 0 && errno == EINTR)
			k = 0;
		else if (k <= 0)
			return;
	}
}

static void tell_complaints(void)
{
	char buf[512];
	ssize_t n;

	if (tt.kept_stderr < 0)
		return;
	while ((n = pread(tt.kept_stderr, buf, sizeof buf, tt.told)) > 0) {
		write_all(tt.real_stderr, buf, (size_t)n);
		tt.told += n;
	}
}

static void emergency(void)
{
	if (!tt.started)
		return;
	tt.started = false;
	write_all(OUT, tt.restore, tt.nrestore);
	tcsetattr(IN, TCSANOW, &tt.saved);
	tell_complaints();
	if (tt.real_stderr >= 0)
		dup2(tt.real_stderr, STDERR_FILENO);
}

/* A fault happens again when the handler returns, now with the handler that was there before (a sanitizer's, say);
 * a signal that was sent is sent again. */
static void on_fatal(int sig, siginfo_t *si, void *context)
{
	size_t i;

	(void)context;
	emergency();
	for (i = 0; i < COUNT(fatal_signals); i++)
		if (fatal_signals[i] == sig)
			sigaction(sig, &fatal_old[i], NULL);
	if (si->si_code <= 0 || sig == SIGQUIT || sig == SIGXCPU)
		raise(sig);
}

static void on_hangup(int sig)
{
	if (!tt.hangup++)
		return;
	emergency();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void on_loop_signal(int sig)
{
	int keep = errno;
	char c = (char)sig;
	ssize_t n;

	if (sig == SIGTERM || sig == SIGHUP)
		on_hangup(sig);
	if (tt.busy && (sig == SIGINT || sig == SIGTERM || sig == SIGHUP))
		tt.stop = 1;
	if (!tt.busy || sig != SIGINT) {
		n = write(tt.signals[1], &c, 1);
		(void)n;	/* the pipe is full: term_key has enough to do */
	}
	errno = keep;
}

/* signals */

static void install(int sig, struct sigaction *old, bool fatal)
{
	struct sigaction sa = {0};

	sigemptyset(&sa.sa_mask);
	sa.sa_flags = fatal ? SA_SIGINFO | SA_ONSTACK : SA_RESTART;
	if (fatal)
		sa.sa_sigaction = on_fatal;
	else
		sa.sa_handler = on_loop_signal;
	sigaction(sig, &sa, old);
}

/* A stack that has overflown cannot run a handler. */
static void install_stack(void)
{
	static char stack[1 << 16];
	stack_t ss = {.ss_sp = stack, .ss_size = sizeof stack};

	sigaltstack(&ss, NULL);
}

/* Before curses starts: it leaves signals alone that have a handler. */
static void install_signals(void)
{
	size_t i;

	if (tt.signals[0] < 0 && pipe2(tt.signals, O_NONBLOCK | O_CLOEXEC))
		die_hook("no pipe for signals");
	install_stack();
	for (i = 0; i < COUNT(fatal_signals); i++)
		install(fatal_signals[i], &fatal_old[i], true);
	for (i = 0; i < COUNT(loop_signals); i++)
		install(loop_signals[i], &loop_old[i], false);
}

static void remove_signals(void)
{
	size_t i;

	for (i = 0; i < COUNT(fatal_signals); i++)
		sigaction(fatal_signals[i], &fatal_old[i], NULL);
	for (i = 0; i < COUNT(loop_signals); i++)
		sigaction(loop_signals[i], &loop_old[i], NULL);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#define watch_sanitizer() __sanitizer_set_death_callback(emergency)
#else
#define watch_sanitizer() ((void)0)
#endif

/* stderr while the screen is on */

static void capture_stderr(void)
{
	if (!isatty(STDERR_FILENO))
		return;
	if (tt.kept_stderr < 0)
		tt.kept_stderr = memfd_create("stderr", MFD_CLOEXEC);
	if (tt.kept_stderr < 0)
		return;
	fflush(stderr);
	tt.real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(tt.kept_stderr, STDERR_FILENO);
}

static void release_stderr(void)
{
	if (tt.real_stderr < 0)
		return;
	fflush(stderr);
	dup2(tt.real_stderr, STDERR_FILENO);
	close(tt.real_stderr);
	tt.real_stderr = -1;
}

size_t term_complaints(char *buf, size_t n)
{
	ssize_t got = tt.kept_stderr < 0 || !n ? 0 : pread(tt.kept_stderr, buf, n - 1, tt.told);

	if (n)
		buf[got > 0 ? got : 0] = 0;
	if (got <= 0)
		return 0;
	tt.told += got;
	return (size_t)got;
}

/* looks */

static attr_t attr_of(unsigned flags)
{
	return (flags & LOOK_BOLD ? A_BOLD : 0) | (flags & LOOK_DIM ? A_DIM : 0) |
	       (flags & LOOK_UNDER ? A_UNDERLINE : 0) | (flags & LOOK_REVERSE ? A_REVERSE : 0);
}

/* A pair for each colour of the theme, over the terminal's own background. */
static short pair_of(short colour, short *pairs, short *npairs)
{
	if (colour < 0)
		return 0;
	if (!pairs[colour]) {
		pairs[colour] = ++*npairs;
		init_pair(*npairs, colour, -1);
	}
	return pairs[colour];
}

static void make_looks(void)
{
	short pairs[256] = {0}, npairs = 0;
	struct look l;
	int r, o;

	for (r = 0; r < ROLE_COUNT; r++)
		for (o = 0; o < ROLE_COUNT; o++) {
			l = theme_look(&tt.theme, (enum role)r, (enum role)o);
			tt.attr[r][o] = attr_of(l.flags);
			tt.pair[r][o] = pair_of(l.colour, pairs, &npairs);
		}
}

static void choose_theme(const struct term_options *o)
{
	bool colour = has_colors() && start_color() == OK && use_default_colors() == OK;

	tt.theme = theme_choose(o->colour, o->background, colour ? COLORS : 0, getenv("NO_COLOR"),
				getenv("COLORFGBG"));
	make_looks();
}

/* start and stop */

/* A capability without its delays, which no terminal of today needs. */
static void add_capability(const char *name)
{
	const char *s = tigetstr((char *)name);

	if (!s || s == (char *)-1)
		return;
	while (*s && tt.nrestore + 1 < sizeof tt.restore) {
		if (s[0] == '$' && s[1] == '<' && strchr(s, '>'))
			s = strchr(s, '>') + 1;
		else
			tt.restore[tt.nrestore++] = *s++;
	}
}

static void record_restore(void)
{
	static const char modes[] = PASTE_OFF MOUSE_OFF;

	memcpy(tt.restore, modes, sizeof modes - 1);
	tt.nrestore = sizeof modes - 1;
	add_capability("sgr0");
	add_capability("op");
	add_capability("cnorm");
	add_capability("rmcup");
}

static void send(const char *s)
{
	write_all(OUT, s, strlen(s));
}

static void read_size(void)
{
	struct winsize ws;

	if (tt.fixed_size || ioctl(OUT, TIOCGWINSZ, &ws) || !ws.ws_row || !ws.ws_col)
		return;
	if (ws.ws_row != LINES || ws.ws_col != COLS)
		resizeterm(ws.ws_row, ws.ws_col);
}

static bool is_usable(char *why, size_t n)
{
	const char *term = getenv("TERM");

	if (!isatty(IN) || !isatty(OUT))
		snprintf(why, n, "standard input and output are no terminal; use --batch");
	else if (!term || !*term || !strcmp(term, "dumb"))
		snprintf(why, n, "TERM is '%s', a terminal that cannot place text; set TERM or use --batch",
			 term ? term : "");
	else if (tcgetattr(IN, &tt.saved))
		snprintf(why, n, "the terminal has no settings: %s", strerror(errno));
	else
		return true;
	return false;
}

static bool start_curses(char *why, size_t n)
{
	const char *cup;

	/* readline and curses would both believe these rather than the terminal, for ever */
	unsetenv("LINES");
	unsetenv("COLUMNS");
	tt.screen = newterm(NULL, stdout, stdin);
	cup = tt.screen ? tigetstr((char *)"cup") : NULL;
	if (cup && cup != (char *)-1)
		return true;
	if (tt.screen) {
		endwin();
		delscreen(tt.screen);
	}
	snprintf(why, n, "the terminal type '%s' is unknown or cannot place text; set TERM or use --batch",
		 getenv("TERM"));
	return false;
}

/* While something runs ^C and ^Z become signals, and nothing typed before them is lost; ^\ stays a byte. */
static void keys_that_signal(bool on)
{
	struct termios t;

	if (tcgetattr(IN, &t))
		return;
	t.c_lflag = on ? t.c_lflag | ISIG | NOFLSH : t.c_lflag & ~(tcflag_t)(ISIG | NOFLSH);
	t.c_cc[VINTR] = 3;
	t.c_cc[VSUSP] = on ? 26 : _POSIX_VDISABLE;
	t.c_cc[VQUIT] = _POSIX_VDISABLE;
	tcsetattr(IN, TCSANOW, &t);
}

static void enter_modes(void)
{
	raw();
	noecho();
	nonl();
	clearok(curscr, TRUE);
	refresh();
	send(PASTE_ON);
	if (tt.mouse)
		send(MOUSE_ON);
	capture_stderr();
	tt.redraw = true;
	if (tt.busy)
		keys_that_signal(true);
}

/* A terminal without a second screen keeps the picture: the line that the shell writes on is emptied. */
static void leave_modes(void)
{
	release_stderr();
	send(MOUSE_OFF PASTE_OFF);
	move(LINES - 1, 0);
	clrtoeol();
	refresh();
	curs_set(1);
	endwin();
	tcsetattr(IN, TCSADRAIN, &tt.saved);
}

bool term_start(const struct term_options *o, char *why, size_t n)
{
	static bool registered;

	if (tt.started)
		return true;
	setlocale(LC_CTYPE, "");
	tt.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!is_usable(why, n))
		return false;
	install_signals();
	if (!start_curses(why, n)) {
		remove_signals();
		return false;
	}
	record_restore();
	tt.started = true;
	if (!registered)
		registered = !atexit(term_stop);
	watch_sanitizer();
	typeahead(-1);
	choose_theme(o);
	tt.mouse = o->mouse;
	tt.fixed_size = o->columns > 0 && o->rows > 0;
	if (tt.fixed_size)
		resizeterm(o->rows, o->columns);
	else
		read_size();
	vec_init(&tt.shown, sizeof(struct cell));
	vec_init(&tt.paste, 1);
	enter_modes();
	return true;
}

void term_stop(void)
{
	if (!tt.started)
		return;
	leave_modes();
	tt.started = false;
	remove_signals();
	delscreen(tt.screen);
	vec_free(&tt.shown);
	vec_free(&tt.paste);
	tt.real_stderr = STDERR_FILENO;
	tell_complaints();
	tt.real_stderr = -1;
}

bool term_started(void)
{
	return tt.started;
}

void term_size(int *columns, int *rows)
{
	*columns = COLS;
	*rows = LINES;
}

bool term_utf8(void)
{
	return tt.utf8;
}

void term_mouse(bool on)
{
	tt.mouse = on;
	if (tt.started)
		send(on ? MOUSE_ON : MOUSE_OFF);
}

bool term_has_mouse(void)
{
	return tt.mouse;
}

/* drawing */

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->role == b->role && a->over == b->over && a->mark[0] == b->mark[0] &&
	       a->mark[1] == b->mark[1];
}

/* What the C library would draw with another width is replaced: curses and the terminal would disagree with us. */
static void cell_chars(const struct cell *c, bool wide, wchar_t out[2 + CANVAS_MARKS])
{
	int i, n = 0;

	memset(out, 0, sizeof(wchar_t) * (2 + CANVAS_MARKS));
	if (!tt.utf8) {
		out[0] = (wchar_t)(unsigned char)utf8_ascii(c->ch);
		return;
	}
	out[n++] = wcwidth((wchar_t)c->ch) == 1 + wide ? (wchar_t)c->ch : '?';
	for (i = 0; i < CANVAS_MARKS && c->mark[i]; i++)
		if (!wcwidth((wchar_t)c->mark[i]))
			out[n++] = (wchar_t)c->mark[i];
}

static void draw_cell(int x, int y, const struct cell *c, bool wide)
{
	wchar_t chars[2 + CANVAS_MARKS];
	cchar_t cc;

	cell_chars(c, wide, chars);
	setcchar(&cc, chars, tt.attr[c->role][c->over], tt.pair[c->role][c->over], NULL);
	mvadd_wch(y, x, &cc);
	if (!wide || wcwidth(chars[0]) == 2)
		return;
	setcchar(&cc, L" ", tt.attr[c->role][c->over], tt.pair[c->role][c->over], NULL);
	mvadd_wch(y, x + 1, &cc);
}

static void draw_line(const struct canvas *cv, int y, bool all)
{
	struct cell *old = VEC(struct cell, &tt.shown) + (size_t)y * (size_t)cv->w;
	const struct cell *c = canvas_at(cv, 0, y);
	int x;

	for (x = 0; x < cv->w; x++, c++, old++) {
		bool wide = x + 1 < cv->w && !c[1].ch;

		/* a wide character is drawn again when either half changed */
		if (!all && same_cell(c, old) && (!wide || same_cell(c + 1, old + 1)))
			continue;
		if (c->ch)
			draw_cell(x, y, c, wide);
		*old = *c;
	}
}

void term_flush(const struct canvas *cv)
{
	bool all = tt.redraw || cv->w != tt.shown_w || cv->h != tt.shown_h;
	int y;

	if (!tt.started)
		return;
	if (all) {
		tt.shown.n = 0;
		vec_push_n(&tt.shown, (uint32_t)cv->w * (uint32_t)cv->h);
		tt.shown_w = cv->w;
		tt.shown_h = cv->h;
		erase();
	}
	for (y = 0; y < cv->h; y++)
		draw_line(cv, y, all);
	if (tt.redraw)
		clearok(curscr, TRUE);
	tt.redraw = false;
	curs_set(cv->cursor_x >= 0);
	if (cv->cursor_x >= 0)
		move(cv->cursor_y, cv->cursor_x);
	refresh();
}

void term_redraw(void)
{
	tt.redraw = true;
}

void term_bell(void)
{
	if (tt.started)
		beep();
}

/* keys */

/* Waits for bytes or signals: 1 bytes, 2 a signal, 0 neither. */
static int wait_input(int ms)
{
	struct pollfd p[2] = {{IN, POLLIN, 0}, {tt.signals[0], POLLIN, 0}};
	int n = poll(p, 2, ms);

	if (n < 0)
		return errno == EINTR ? wait_input(0) : 0;
	if (p[1].revents)
		return 2;
	return p[0].revents ? 1 : 0;
}

/* False at the end of input: the terminal is gone. */
static bool read_bytes(void)
{
	ssize_t n = read(IN, tt.queue + tt.nqueue, sizeof tt.queue - tt.nqueue);

	if (n > 0)
		tt.nqueue += (size_t)n;
	return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

static int signal_key(void)
{
	char c = 0;

	if (read(tt.signals[0], &c, 1) != 1)
		return K_NONE;
	switch (c) {
	case SIGWINCH:
		read_size();
		return K_RESIZE;
	case SIGCONT:
		enter_modes();
		return K_CONTINUED;
	case SIGTSTP:
		return K_CONTROL('z');
	case SIGINT:
		return K_CONTROL('c');
	default:
		return K_HANGUP;
	}
}

static void drop_queue(size_t n)
{
	memmove(tt.queue, tt.queue + n, tt.nqueue - n);
	tt.nqueue -= n;
}

static int queued_key(bool final)
{
	int key = K_NONE;
	size_t used = keys_decode(tt.queue, tt.nqueue, final, &key, tt.key_at);

	if (!used)
		return K_NONE;
	tt.nbytes = used < sizeof tt.bytes ? used : 0;
	memcpy(tt.bytes, tt.queue, tt.nbytes);
	drop_queue(used);
	return key;
}

/* Everything up to the end mark, which may be cut anywhere between two reads. */
static int take_paste(void)
{
	static const char end[] = "\033[201~";
	const size_t nend = sizeof end - 1;
	char *hit = NULL;
	size_t keep;

	tt.paste.n = 0;
	tt.pasted = true;
	for (;;) {
		hit = memmem(tt.queue, tt.nqueue, end, nend);
		keep = hit ? (size_t)(hit - tt.queue) : tt.nqueue > nend ? tt.nqueue - nend : 0;
		memcpy(vec_push_n(&tt.paste, (uint32_t)keep), tt.queue, keep);
		drop_queue(keep);
		if (hit)
			drop_queue(nend);
		if (hit || wait_input(PASTE_MS) != 1 || !read_bytes())
			break;
	}
	*(char *)vec_push(&tt.paste) = 0;
	return K_PASTE_BEGIN;
}

static int complete_key(void)
{
	int key = queued_key(false);

	while (key == K_NONE && tt.nqueue) {
		bool more = wait_input(ESC_MS) == 1 && read_bytes();

		key = queued_key(!more);
	}
	return key == K_PASTE_BEGIN ? take_paste() : key;
}

int term_key(int ms)
{
	tt.pasted = false;
	if (!tt.nqueue) {
		switch (wait_input(ms)) {
		case 2:
			return signal_key();
		case 1:
			if (!read_bytes())
				return K_HANGUP;
			break;
		default:
			return K_NONE;
		}
	}
	return complete_key();
}

const char *term_key_bytes(size_t *n)
{
	*n = tt.pasted ? tt.paste.n - 1 : tt.nbytes;
	return tt.pasted ? VEC(char, &tt.paste) : tt.bytes;
}

void term_key_at(int *x, int *y)
{
	*x = tt.key_at[0];
	*y = tt.key_at[1];
}

bool term_key_waiting(void)
{
	return tt.nqueue || wait_input(0);
}

void term_busy(bool on)
{
	if (on)
		tt.stop = 0;
	tt.busy = on;
	if (tt.started)
		keys_that_signal(on);
}

int term_busy_key(void)
{
	return tt.started ? signal_key() : K_NONE;
}

bool term_stop_asked(void)
{
	return tt.stop;
}

/* other programs */

static void drain_signals(void)
{
	char c[16];

	while (read(tt.signals[0], c, sizeof c) > 0)
		;
}

/* The whole job is stopped, as the terminal's own ^Z would do. */
static void stop_job(void)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL}, old;
	sigset_t set, was;

	sigaction(SIGTSTP, &dfl, &old);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &set, &was);
	kill(0, SIGTSTP);
	sigprocmask(SIG_SETMASK, &was, NULL);
	sigaction(SIGTSTP, &old, NULL);
}

void term_suspend(void)
{
	leave_modes();
	stop_job();
	drain_signals();
	read_size();
	enter_modes();
}

static int spawn(char *const argv[], pid_t *pid)
{
	posix_spawnattr_t a;
	sigset_t all, none;
	int bad;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_init(&a);
	posix_spawnattr_setflags(&a, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigdefault(&a, &all);
	posix_spawnattr_setsigmask(&a, &none);
	bad = posix_spawnp(pid, argv[0], NULL, &a, argv, environ);
	posix_spawnattr_destroy(&a);
	return bad;
}

/* A program that stopped itself alone takes us along, else the shell would never know. */
static int wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, WUNTRACED) >= 0 || errno == EINTR) {
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		if (WIFSIGNALED(status))
			return 128 + WTERMSIG(status);
		if (WIFSTOPPED(status)) {
			stop_job();
			kill(pid, SIGCONT);
		}
	}
	return -1;
}

int term_run(char *const argv[])
{
	struct sigaction ign = {.sa_handler = SIG_IGN}, dfl = {.sa_handler = SIG_DFL}, old[3];
	bool screen = tt.started;
	int bad, status = -1;
	pid_t pid;

	if (screen)
		leave_modes();
	sigaction(SIGINT, &ign, &old[0]);
	sigaction(SIGQUIT, &ign, &old[1]);
	sigaction(SIGTSTP, &dfl, &old[2]);
	bad = spawn(argv, &pid);
	if (!bad)
		status = wait_for(pid);
	sigaction(SIGINT, &old[0], NULL);
	sigaction(SIGQUIT, &old[1], NULL);
	sigaction(SIGTSTP, &old[2], NULL);
	if (screen) {
		drain_signals();
		read_size();
		enter_modes();
	}
	if (bad)
		errno = bad;
	return status;
}
