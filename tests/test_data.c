/* The program's own files are found in the order that data.h says. */
#include "text/data.h"

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static char top[4096];	/* a folder with rules/ below it */

static void assert_path(const char *name, const char *want)
{
	char *path = data_path(name);

	assert_string_equal(path, want);
	free(path);
}

static void test_set(void **state)
{
	char want[5000];

	(void)state;
	setenv("DIVERGE_DATA", top, 1);
	snprintf(want, sizeof want, "%s/rules", top);
	assert_path("rules", want);
}

/* What $DIVERGE_DATA lacks is looked for in the folder above the program's. */
static void test_beside(void **state)
{
	char exe[4096], want[8192];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	char *slash, *name;

	(void)state;
	assert_true(n > 0);
	exe[n] = 0;
	slash = strrchr(exe, '/');
	*slash = 0;
	name = strrchr(exe, '/') + 1;	/* the program's folder is itself in the one above */
	setenv("DIVERGE_DATA", top, 1);
	snprintf(want, sizeof want, "%s/../%s", exe, name);
	assert_path(name, want);
}

static void test_nowhere(void **state)
{
	(void)state;
	unsetenv("DIVERGE_DATA");
	assert_path("no such file", DATADIR "/no such file");
	setenv("DIVERGE_DATA", "", 1);
	assert_path("no such file", DATADIR "/no such file");
}

static int setup(void **state)
{
	char rules[5000];

	(void)state;
	snprintf(top, sizeof top, "/tmp/diverge-data-XXXXXX");
	if (!mkdtemp(top))
		return 1;
	snprintf(rules, sizeof rules, "%s/rules", top);
	return mkdir(rules, 0700);
}

static int teardown(void **state)
{
	char rules[5000];

	(void)state;
	snprintf(rules, sizeof rules, "%s/rules", top);
	return rmdir(rules) | rmdir(top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set), cmocka_unit_test(test_beside), cmocka_unit_test(test_nowhere),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
