/* The screen with made-up views, for tests/test_term.sh: ui_demo [PAIRS [HISTORY]] */
#include "demo_views.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct term_options options = {0};
	static struct demo d;
	char why[256];

	demo_init(&d, argc > 1 ? strtoul(argv[1], NULL, 10) : 40, 80, 24);
	if (!screen_run(&d.screen, &options, argc > 2 ? argv[2] : NULL, why, sizeof why)) {
		fprintf(stderr, "ui_demo: %s\n", why);
		return 2;
	}
	demo_release(&d);
	return 0;
}
