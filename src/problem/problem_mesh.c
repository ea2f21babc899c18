/* The meshes of both programs: the plan's, else what sharding annotations or device groups are made of. */
#include "problem/problem_in.h"

#include "lower/lower.h"
#include "plan/placement.h"

static mesh mesh_of_plan(struct problem *p, const struct plan_mesh *m)
{
	struct mesh_axis *ax = ARENA_ARRAY(&p->a, struct mesh_axis, m->n);
	int k;

	for (k = 0; k < m->n; k++)
		ax[k] = (struct mesh_axis){ m->axis[k].name, m->axis[k].size };
	return (mesh){ m->n, ax, m->devices };
}

const char *problem_mesh_text(arena *a, const mesh *ms)
{
	const char *t = "";
	int k;

	for (k = 0; k < ms->n; k++)
		t = arena_printf(a, "%s %s=%lld", t, ms->axis[k].name, (long long)ms->axis[k].size);
	return t;
}

/* Does a line speak of an axis?  Without a mesh line that is the implied one. */
static bool names_axis(const struct plan *l)
{
	int i, k;

	for (i = 0; i < l->n; i++) {
		if (l->line[i].form == PLAN_VALUE && l->line[i].value.kind == PLAN_VALUE_AXIS)
			return true;
		for (k = 0; k < l->line[i].n; k++)
			if (l->line[i].step[k].kind == PLAN_SHARD || l->line[i].step[k].kind == PLAN_PARTIAL)
				return true;
	}
	return false;
}

bool problem_set_mesh(struct problem *p, struct diag *err)
{
	int64_t n = lower_devices(p->dist_m);
	struct mesh_axis *ax;

	p->base_ms = p->plan && p->plan->base_mesh.n ? mesh_of_plan(p, &p->plan->base_mesh) : (mesh){ 0, NULL, 1 };
	if (p->plan && p->plan->mesh.line) {
		p->ms = mesh_of_plan(p, &p->plan->mesh);
		return true;
	}
	if (n < 1 || n > 1 << 20) {
		diag_set(err, p->files.dist, 0, 0, "%lld devices", (long long)n);
		return false;
	}
	if (!p->plan && problem_annotated(p)) {
		p->ms = placement_mesh(&p->a, n);
		return true;
	}
	if (p->plan && names_axis(p->plan)) {
		ax = ARENA_ARRAY(&p->a, struct mesh_axis, 1);
		ax[0] = (struct mesh_axis){ "dev", n };
		p->ms = (mesh){ 1, ax, n };
	} else {
		p->ms = placement_groups_mesh(&p->a, p->dist_m, n);
	}
	if (p->ms.n > 1)
		p->mesh_inferred = arena_printf(&p->a, "the mesh is what the device groups are made of:%s", problem_mesh_text(&p->a, &p->ms));
	return true;
}

/* The mesh of one program by the plan, at its line there. */
static bool check_mesh(const struct problem *p, const module *m, const struct plan_mesh *ms, const char *words, struct diag *err)
{
	if (!ms->line || lower_runs_on(m, ms->devices))
		return true;
	diag_set(err, p->plan->file, ms->line, ms->column, "%s has %d devices, %s is a program for %lld", words, ms->devices, m->file,
		 (long long)lower_devices(m));
	return false;
}

/* A baseline for several devices that no line gives a mesh. */
static bool check_single(const struct problem *p, struct diag *err)
{
	if (p->base_ms.n || lower_runs_on(p->base_m, 1))
		return true;
	diag_set(err, p->base_m->file, 0, 0, "BASE is a program for %lld devices%s  A distributed baseline needs mesh base AXIS=SIZE .. in the plan",
		 (long long)lower_devices(p->base_m),
		 lower_devices(p->dist_m) <= 1 ? " and DIST for one: are they the wrong way round?" : ".");
	return false;
}

bool problem_check_meshes(const struct problem *p, struct diag *err)
{
	return (!p->plan || (check_mesh(p, p->base_m, &p->plan->base_mesh, "the base mesh", err) &&
			     check_mesh(p, p->dist_m, &p->plan->mesh, "the mesh", err))) &&
	       check_single(p, err);
}
