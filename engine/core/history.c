#include "core/history.h"

#include <string.h>
#include "core/normal.h"

/* What is no rule is counted in front of the rules. */
static uint32_t counter_of(uint32_t rule)
{
	return rule - RULE_GIVEN;
}

static void count_rule(history *h, uint32_t rule, int by)
{
	uint32_t i = counter_of(rule);

	if (i >= h->fired.n)
		vec_push_n(&h->fired, i + 1 - h->fired.n);
	VEC_AT(uint32_t, &h->fired, i) += (uint32_t)by;
}

static void cut_back(void *ctx, uint32_t f)
{
	history *h = ctx;
	hist_entry *x = &VEC_AT(hist_entry, &h->firing, f);

	h->prem.n = x->prem;
	if (x->nmade)
		h->args.n = VEC_AT(made_node, &h->made, x->made).args;
	h->made.n = x->made;
	h->firing.n = f;
	count_rule(h, x->rule, -1);
}

void history_init(algebra *a, history *h)
{
	memset(h, 0, sizeof *h);
	vec_init(&h->firing, sizeof(hist_entry));
	vec_init(&h->prem, sizeof(premise));
	vec_init(&h->made, sizeof(made_node));
	vec_init(&h->args, sizeof(eg_id));
	vec_init(&h->now, sizeof(premise));
	vec_init(&h->fired, sizeof(uint32_t));
	h->undo = trail_register(a->tr, cut_back, h);
}

void history_free(history *h)
{
	vec_free(&h->firing);
	vec_free(&h->prem);
	vec_free(&h->made);
	vec_free(&h->args);
	vec_free(&h->now);
	vec_free(&h->fired);
}

void history_begin(algebra *a)
{
	a->normal->log.now.n = 0;
	a->made.n = 0;
	a->made_args.n = 0;
	a->recording = true;
}

void history_premise(algebra *a, eg_id x, eg_id y)
{
	premise *p = vec_push(&a->normal->log.now);

	p->x = x;
	p->y = y;
}

uint32_t history_log(algebra *a, uint32_t rule, eg_id node, eg_id result)
{
	history *h = &a->normal->log;
	hist_entry *f = vec_push(&h->firing);
	uint32_t i;

	*f = (hist_entry){ rule, node, result, h->prem.n, h->made.n, h->now.n, a->made.n };
	count_rule(h, rule, 1);
	trail_call(a->tr, h->undo, h->firing.n - 1);
	if (h->now.n)
		memcpy(vec_push_n(&h->prem, h->now.n), h->now.base, sizeof(premise) * h->now.n);
	for (i = 0; i < a->made.n; i++) {
		made_node *m = vec_push(&h->made);
		*m = VEC_AT(made_node, &a->made, i);
		m->args += h->args.n;
	}
	if (a->made_args.n)
		memcpy(vec_push_n(&h->args, a->made_args.n), a->made_args.base, sizeof(eg_id) * a->made_args.n);
	return h->firing.n - 1;
}

uint32_t history_count(const algebra *a)
{
	return a->normal->log.firing.n;
}

uint32_t history_fired(const algebra *a, uint32_t rule)
{
	const vec *v = &a->normal->log.fired;

	return counter_of(rule) < v->n ? VEC_AT(uint32_t, v, counter_of(rule)) : 0;
}

const hist_entry *history_at(const algebra *a, uint32_t f)
{
	return &VEC_AT(hist_entry, &a->normal->log.firing, f);
}

const premise *history_premises(const algebra *a, const hist_entry *f)
{
	return VEC(premise, &a->normal->log.prem) + f->prem;
}

const made_node *history_made(const algebra *a, const hist_entry *f)
{
	return VEC(made_node, &a->normal->log.made) + f->made;
}

const eg_id *history_args(const algebra *a, const made_node *m)
{
	return VEC(eg_id, &a->normal->log.args) + m->args;
}
