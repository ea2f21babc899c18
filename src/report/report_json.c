/* The report as JSON, and what the manual page says of it. */
#include "report/report.h"

#include <string.h>
#include "text/diag.h"
#include "text/man.h"


static void json_string(FILE *to, const char *s)
{
	int n;

	fputc('"', to);
	for (; *s; s += n ? n : 1) {
		n = diag_character(s, strnlen(s, 4));
		if (*s == '"' || *s == '\\')
			fprintf(to, "\\%c", *s);
		else if (!n)	/* a byte of a file's that is no character: JSON is UTF-8 */
			fputs("\\ufffd", to);
		else if (n == 1 && *s < 0x20)
			fprintf(to, "\\u%04x", *s);
		else
			fwrite(s, 1, (size_t)n, to);
	}
	fputc('"', to);
}

static void json_key(FILE *to, const char *key, const char *value)
{
	json_string(to, key);
	fputc(':', to);
	if (value)
		json_string(to, value);
	else
		fputs("null", to);
}

static void json_strings(FILE *to, int n, const char *const *v)
{
	int k;

	fputc('[', to);
	for (k = 0; k < n; k++) {
		fputs(k ? "," : "", to);
		json_string(to, v[k]);
	}
	fputc(']', to);
}

static void json_list(FILE *to, const char *key, int n, const char *const *v)
{
	json_string(to, key);
	fputc(':', to);
	json_strings(to, n, v);
}

static void json_outputs(const struct report *r, FILE *to)
{
	int k;

	fputc('[', to);
	for (k = 0; k < r->noutput; k++) {
		const struct report_output *o = &r->output[k];
		fprintf(to, "%s{\"index\":%d,", k ? "," : "", o->index);
		json_key(to, "name", o->name);
		fputc(',', to);
		json_key(to, "verdict", o->compared ? verdict_name(o->verdict) : "any");
		fputc(',', to);
		json_key(to, "relation", *o->relation ? o->relation : NULL);
		fputc(',', to);
		json_list(to, "hypotheses", o->nhypothesis, o->hypothesis);
		fputc('}', to);
	}
	fputc(']', to);
}

static void json_counts(const struct report *r, FILE *to)
{
	const state_counts *c = &r->counts;

	fprintf(to, "{\"base\":%d,\"dist\":%d,\"related\":%d,\"reordered\":%d,\"block\":%d,\"partial\":%d,\"scaled\":%d,\"constant\":%d,\"trips\":%d,\"unverified\":%d}",
		c->base, c->dist, c->n[STATE_RELATED], c->n[STATE_REORDERED], c->n[STATE_BLOCK], c->n[STATE_PARTIAL], c->n[STATE_SCALED], c->n[STATE_CONSTANT], c->n[STATE_TRIPS],
		c->n[STATE_NONE] + c->n[STATE_OPEN]);
}

static void json_candidates(const struct report_frontier *f, FILE *to)
{
	int k;

	fputs(",\"candidates\":[", to);
	for (k = 0; k < f->ncand; k++) {
		fputs(k ? ",{" : "{", to);
		json_key(to, "base", f->cand[k]);
		fputc(',', to);
		json_key(to, "difference", f->r->cand[k].difference);
		fputc('}', to);
	}
	fputs("],\"nearly\":[", to);
	for (k = 0; k < f->r->nnear; k++) {
		fputs(k ? ",{" : "{", to);
		json_key(to, "rule", f->r->near[k].rule);
		fputc(',', to);
		json_key(to, "reason", f->r->near[k].reason);
		fputc('}', to);
	}
	fputc(']', to);
}

static void json_trips(const struct report_frontier *f, FILE *to)
{
	int k;

	json_key(to, "in_it", f->inner);
	fputs(",\"trips\":[", to);
	for (k = 0; k < f->ntrip; k++)
		fprintf(to, k ? ",%d" : "%d", f->trip[k]);
	fputs("],", to);
}

static void json_source(const struct report_frontier *f, FILE *to)
{
	fputs(",\"source\":", to);
	if (!f->file) {
		fputs("null", to);
		return;
	}
	fputc('{', to);
	json_key(to, "file", f->file);
	fprintf(to, ",\"line\":%d", f->line);
	if (f->source_of) {
		fputc(',', to);
		json_key(to, "of", f->source_of);
		fputc(',', to);
		json_key(to, "itself", f->library);
	}
	fputc('}', to);
}

static void json_frontier(const struct report *r, FILE *to)
{
	int k;

	fputc('[', to);
	for (k = 0; k < r->nfrontier; k++) {
		const struct report_frontier *f = &r->frontier[k];
		fputs(k ? ",{" : "{", to);
		json_key(to, "node", f->node);
		fputc(',', to);
		if (f->inner)
			json_trips(f, to);
		json_key(to, "opcode", f->opcode);
		json_source(f, to);
		fputc(',', to);
		json_key(to, "state", f->r->state);
		fputc(',', to);
		json_key(to, "reason", f->r->reason);
		fputc(',', to);
		json_key(to, "computes", f->r->computes);
		fputc(',', to);
		json_list(to, "operands", f->r->nop, f->r->operand);
		json_candidates(f, to);
		fputc('}', to);
	}
	fputc(']', to);
}

static void json_alternatives(const struct report *r, FILE *to)
{
	const struct alternatives *t = r->alternatives;

	if (!t) {
		fputs("null", to);
		return;
	}
	fputc('{', to);
	json_key(to, "offer", t->offer);
	fputc(',', to);
	json_list(to, "plan", t->nline, t->line);
	fprintf(to, ",\"outputs\":%d,\"proved\":%d,\"proved_with\":%d,\"tried\":%d,\"left\":%d}", t->goals, t->before, t->after, t->tried,
		t->left);
}

static void json_verdict(const struct report *r, FILE *to)
{
	json_string(to, verdict_name(r->verdict));
}

static void json_exit(const struct report *r, FILE *to)
{
	fprintf(to, "%d", report_exit(r));
}

static void json_assumptions(const struct report *r, FILE *to)
{
	json_strings(to, r->nassumption, r->assumption);
}

static void json_hypotheses(const struct report *r, FILE *to)
{
	json_strings(to, r->nhypothesis, r->hypothesis);
}

static void json_rules(const struct report *r, FILE *to)
{
	json_strings(to, r->nrule, r->rule);
}

static void json_unmatched(const struct report *r, FILE *to)
{
	json_strings(to, r->nunmatched, r->unmatched);
}

static void json_classes(const struct report *r, FILE *to)
{
	fprintf(to, "%u", r->classes);
}

static void json_nodes(const struct report *r, FILE *to)
{
	fprintf(to, "%u", r->nodes);
}

static void json_firings(const struct report *r, FILE *to)
{
	fprintf(to, "%u", r->firings);
}

static void json_seconds(const struct report *r, FILE *to)
{
	if (r->seconds > 0)
		fprintf(to, "%.6f", r->seconds);
	else
		fputs("null", to);
}

/* The report, field by field: what writes its value, and what the manual page says of it. */
static const struct {
	const char *name;
	void (*write)(const struct report *r, FILE *to);
	const char *help;
} fields[] = {
	{ "verdict", json_verdict, "one of the verdicts above, over all outputs" },
	{ "exit", json_exit, "the exit status" },
	{ "outputs", json_outputs, "a list: `index` (-1: an obligation on an inner value), `name`, `verdict` (`any`: not compared), `relation` as it is found "
	  "(null: none) and `hypotheses` that its proof rests on" },
	{ "counts", json_counts, "values: all of `base` and `dist`, then those of DIST that are `related`, `reordered`, `partial`, `scaled`, `constant`, "
	  "a `block`, of all `trips` of a loop or `unverified`" },
	{ "frontier", json_frontier, "a list, empty when all is proved: `node`, `in_it` (a value inside of the loop that is named, where there is one) and `trips` (numbers, from 0, of those it is there in), `opcode`, `source` (`file` and `line`, or null; with `of` and `itself` where the node lies in a library or has no line: the operand it comes from whose line that is, and its own or null), "
	  "`state`, `reason`, `computes`, `operands` with their relations, `candidates` (a `base` value and its first `difference`), and rules that `nearly` applied "
	  "(`rule` and `reason`)" },
	{ "assumptions", json_assumptions, "what is taken for granted about the files" },
	{ "hypotheses", json_hypotheses, "what is asserted about values, by the plan or by acts" },
	{ "rules", json_rules, "search rules that the proofs use" },
	{ "unmatched", json_unmatched, "values without counterpart" },
	{ "alternatives", json_alternatives, "what was tried in place of inferred relations, or null: `offer`, lines for a `plan`, how many `outputs` there are, are `proved`, "
	  "and would be `proved_with` it; how many relations were `tried` and are `left`" },
	{ "classes", json_classes, "classes of the e-graph" },
	{ "nodes", json_nodes, "its nodes" },
	{ "firings", json_firings, "firings of rules" },
	{ "seconds", json_seconds, "wall time, reading included; null where it was not measured, as by the command `report`" },
};
#define NFIELD (sizeof fields / sizeof *fields)

void report_json(const struct report *r, FILE *to)
{
	size_t k;

	for (k = 0; k < NFIELD; k++) {
		fputc(k ? ',' : '{', to);
		json_string(to, fields[k].name);
		fputc(':', to);
		fields[k].write(r, to);
	}
	fputs("}\n", to);
}

void report_man(FILE *to)
{
	static const struct {
		const char *name, *words;
		int exit;
		const char *help;
	} verdicts[] = {
#define X(id, name, words, exit, help) { name, words, exit, help },
		VERDICTS(X)
#undef X
	};
	char args[80];
	size_t k;

	fputs(".SH VERDICTS\nThe name in JSON, the words of the report, the exit status.\n", to);
	for (k = 0; k < sizeof verdicts / sizeof *verdicts; k++) {
		snprintf(args, sizeof args, "\"%s\", %d", verdicts[k].words, verdicts[k].exit);
		man_item(to, verdicts[k].name, args, verdicts[k].help);
	}
	fputs(".SH JSON\nThe report of\n.B \\-\\-json\nand of\n.B report json\nis one object on one line.\n", to);
	for (k = 0; k < NFIELD; k++)
		man_item(to, fields[k].name, "", fields[k].help);
}
