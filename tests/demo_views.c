#include "demo_views.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* the graph: marks, names, shapes, relations repeat with the line's number */

static const struct {
	char mark;
	enum role role;
	const char *op, *base, *dist, *relation;
} kinds[] = {
	{'=', ROLE_VERIFIED, "dot", "f32[64,3072]", "f32[64,1536]", "S(1)"},
	{'=', ROLE_VERIFIED, "slice", "f32[64,2048]", "f32[64,1024]", "S(1)"},
	{'!', ROLE_FRONTIER, "slice", "f32[64,512]", "f32[64,256]", "?"},
	{'=', ROLE_VERIFIED, "reshape", "f32[4,16,32,64]", "f32[4,16,16,64]", "S(2)"},
	{'.', ROLE_UNSETTLED, "transpose", "f32[4,8,64,16]", "f32[4,4,64,16]", "."},
	{'*', ROLE_TAINTED, "add", "f32[64,2048]", "f32[64,2048]", "R under A1"},
	{'x', ROLE_REFUTED, "multiply", "f32[64,2048]", "f32[64,2048]", "differs"},
	{'?', ROLE_UNVERIFIED, "exponential", "f32[64,2048]", "f32[64,2048]", "?"},
	{'+', ROLE_FOLDED, "mlp", "18 nodes", "20 nodes", "R"},
};

static size_t graph_count(void *ctx)
{
	struct demo *d = ctx;

	return d->n - d->hidden;
}

static void graph_draw(void *ctx, const struct list_row *row, struct window w)
{
	struct demo *d = ctx;
	size_t i = row->line + d->hidden;
	size_t k = i % (sizeof kinds / sizeof *kinds);
	char mark[2] = {kinds[k].mark, 0};
	int x;

	d->asked++;
	canvas_put(w, 0, 0, kinds[k].role, mark);
	x = canvas_printf(w, 2, 0, ROLE_NAME, "%%%s.%zu", kinds[k].op, i);
	x = canvas_put(w, x < 18 ? 18 : x + 1, 0, ROLE_SHAPE, row->side ? kinds[k].dist : kinds[k].base);
	if (row->side)
		canvas_put(w, x < 36 ? 36 : x + 1, 0, ROLE_RELATION, kinds[k].relation);
}

static const char *graph_text(void *ctx, const struct list_row *row, char *buf, size_t n)
{
	struct demo *d = ctx;
	size_t i = row->line + d->hidden;

	snprintf(buf, n, "%%%s.%zu", kinds[i % (sizeof kinds / sizeof *kinds)].op, i);
	return buf;
}

static uint64_t graph_key(void *ctx, size_t line)
{
	return line + ((struct demo *)ctx)->hidden;
}

static size_t graph_find(void *ctx, uint64_t key)
{
	struct demo *d = ctx;

	return key >= d->hidden ? (size_t)key - d->hidden : PANE_NONE;
}

static void graph_moved(void *ctx, size_t line, int side)
{
	struct demo *d = ctx;

	d->told = line;
	d->told_side = side;
}

static void graph_open(void *ctx, size_t line, int side, char *command, size_t n)
{
	snprintf(command, n, "print %s %zu", side ? "dist" : "base", line + ((struct demo *)ctx)->hidden);
}

static void graph_title(void *ctx, int side, char *buf, size_t n)
{
	(void)ctx;
	snprintf(buf, n, "%s", side ? "[dist] llama_tp2.hlo" : "[base] llama_tp1.hlo");
}

static const struct list_source graph_source = {
	.count = graph_count, .draw = graph_draw, .text = graph_text, .key = graph_key, .find = graph_find,
	.moved = graph_moved, .open = graph_open, .title = graph_title,
};

/* pages of text */

static void fill_class(void *ctx, struct page *p)
{
	(void)ctx;
	page_add(p, PG_NAME, "%%slice.2");
	page_at(p, 12, PG_DIM, "made by the reader");
	page_add(p, PG_NORMAL, "Laid (2 device, 128 local) of e237");
	page_add(p, PG_NORMAL, "e237");
	page_at(p, 6, PG_NORMAL, "at [i, 256..512] of e231");
}

static void fill_relations(void *ctx, struct page *p)
{
	(void)ctx;
	page_add(p, PG_RELATION, "1  S(1) over tp");
	page_at(p, 18, PG_NORMAL, "bounds differ");
	page_add(p, PG_RELATION, "2  R");
	page_at(p, 18, PG_NORMAL, "size 256 is not 512");
}

/* What is said of the selected line; Enter on the second goes to its partner. */
static void fill_why(void *ctx, struct page *p)
{
	struct demo *d = ctx;

	d->filled++;
	if (d->told % 7 == 6)
		return;
	page_add(p, PG_NAME, "%%slice.%zu", d->told);
	page_more(p, PG_NORMAL, " computes %%dot.0[:, 0:256]");
	page_add(p, PG_NORMAL, "nearest in the baseline: %%slice.2 computes %%dot.0[:, 2048:2560]");
	page_open(p, "goto %zu", d->told);
	page_add(p, PG_FRONTIER, "first difference: the column, 0 against 2048");
	page_add(p, PG_COMMENT, "na\xc3\xafve \xe5\xbd\xa2\xe7\x8a\xb6 e\xcc\x81\x1b[31m\xff");
}

static uint64_t why_version(void *ctx)
{
	return ((struct demo *)ctx)->told;
}

static void fill_source(void *ctx, struct page *p)
{
	(void)ctx;
	snprintf(p->title, sizeof p->title, "attention.py:209");
	page_add(p, PG_NORMAL, "206  def qkv_split(self, qkv):");
	page_add(p, PG_NORMAL, "207      h, kv = self.heads, self.kv_heads");
	page_add(p, PG_NORMAL, "208      n = h * self.head_dim // self.tp");
	page_add(p, PG_HERE, "209      q = qkv[:, :n]");
	page_here(p);
	page_add(p, PG_NORMAL, "210      k = qkv[:, :m]");
}

static void fill_rules(void *ctx, struct page *p)
{
	(void)ctx;
	page_add(p, PG_RULE, "lift-slice");
	page_at(p, 16, PG_NUMBER, "fired %d", 12);
	page_add(p, PG_RULE, "N10 sum-of-sums");
	page_at(p, 16, PG_NUMBER, "fired %d", 3);
}

/* the log */

static size_t log_count(void *ctx)
{
	return ((struct demo *)ctx)->starts.n;
}

static void log_draw(void *ctx, const struct list_row *row, struct window w)
{
	struct demo *d = ctx;

	canvas_put(w, 0, 0, ROLE_NORMAL,
		   VEC(char, &d->text) + VEC_AT(uint32_t, &d->starts, row->line));
}

static const char *log_empty(void *ctx)
{
	(void)ctx;
	return "no command was run yet\n: types one";
}

static const struct list_source log_source = {.count = log_count, .draw = log_draw, .empty = log_empty};

static void add_log(struct demo *d, const char *line)
{
	size_t n = strlen(line) + 1;

	*(uint32_t *)vec_push(&d->starts) = d->text.n;
	memcpy(vec_push_n(&d->text, (uint32_t)n), line, n);
}

/* the host */

static const char *const own_commands[] = {
	"abort", "break", "continue", "crash", "exit", "frontier", "hide", "overflow", "print", "quit",
	"spin", "step", "stderr",
};

static void complete(void *ctx, const char *line, size_t start, size_t end)
{
	size_t i;

	(void)ctx;
	(void)line;
	(void)end;
	if (start) {
		prompt_offer_files();
		return;
	}
	for (i = 0; i < sizeof own_commands / sizeof *own_commands; i++)
		prompt_offer(own_commands[i], false);
}

/* Deeper than any stack is; the compiler cannot know that it ends. */
static size_t overflow(size_t depth)
{
	volatile char here[4096];

	here[0] = (char)depth;
	return depth ? overflow(depth - 1) + (size_t)here[0] : 0;
}

static void spin(struct demo *d)
{
	unsigned long n = 0;
	char what[64];

	do
		snprintf(what, sizeof what, "counting, %lu so far", ++n);
	while (!screen_busy(&d->screen, what));
	screen_say(&d->screen, ROLE_MESSAGE, "stopped by the user");
}

void demo_command(void *ctx, const char *line)
{
	struct demo *d = ctx;

	add_log(d, line);
	if (!strcmp(line, "quit"))
		screen_quit(&d->screen);
	else if (!strcmp(line, "crash"))
		raise(SIGSEGV);
	else if (!strcmp(line, "abort"))
		abort();
	else if (!strcmp(line, "exit"))
		exit(7);
	else if (!strcmp(line, "overflow"))
		d->told = overflow((size_t)1 << 30);
	else if (!strcmp(line, "spin"))
		spin(d);
	else if (!strcmp(line, "edit"))
		screen_edit(&d->screen, "model.py", 42);
	else if (!strncmp(line, "stderr ", 7))
		fprintf(stderr, "%s\n", line + 7);
	else if (!strncmp(line, "hide ", 5))
		d->hidden = strtoul(line + 5, NULL, 10);
	else if (!screen_command(&d->screen, line))
		screen_say(&d->screen, ROLE_MESSAGE, "ran: %s", line);
}

static void status(void *ctx, struct window w)
{
	struct demo *d = ctx;

	canvas_printf(w, 0, 0, ROLE_STATUS, "firing 12  related 118/%zu  frontier 2  under A1", d->n);
}

void demo_init(struct demo *d, size_t pairs, int w, int h)
{
	struct screen_host host = {.command = demo_command, .complete = complete, .status = status, .ctx = d};

	memset(d, 0, sizeof *d);
	d->n = pairs;
	vec_init(&d->text, 1);
	vec_init(&d->starts, sizeof(uint32_t));
	screen_init(&d->screen, &host, w, h);
	pane_init(&d->graph, "graph", HOME_MAIN, &graph_source, d);
	d->graph.sides = 2;
	d->graph.sticky = 2;
	panes_add(&d->screen.panes, &d->graph);
	lines_init(&d->why, "why", HOME_EXPLAIN, fill_why, why_version, d);
	lines_init(&d->source, "source", HOME_SOURCE, fill_source, NULL, d);
	lines_init(&d->class, "class", HOME_CLASS, fill_class, NULL, d);
	lines_init(&d->relations, "relations", HOME_RELATION, fill_relations, NULL, d);
	lines_init(&d->rules, "rules", HOME_RULES, fill_rules, NULL, d);
	panes_add(&d->screen.panes, &d->why.pane);
	panes_add(&d->screen.panes, &d->source.pane);
	panes_add(&d->screen.panes, &d->class.pane);
	panes_add(&d->screen.panes, &d->relations.pane);
	panes_add(&d->screen.panes, &d->rules.pane);
	pane_init(&d->log, "log", HOME_RULES, &log_source, d);
	panes_add(&d->screen.panes, &d->log);
}

void demo_release(struct demo *d)
{
	screen_release(&d->screen);
	pane_release(&d->graph);
	pane_release(&d->log);
	lines_release(&d->class);
	lines_release(&d->relations);
	lines_release(&d->why);
	lines_release(&d->source);
	lines_release(&d->rules);
	vec_free(&d->text);
	vec_free(&d->starts);
}
