#include "text/data.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef DATADIR
#define DATADIR "/usr/local/share/diverge"
#endif

/* The folder of the running program; false if the system does not say. */
static int program_folder(char *buf, size_t n)
{
	ssize_t got = readlink("/proc/self/exe", buf, n - 1);
	char *slash;

	if (got <= 0)
		return 0;
	buf[got] = 0;
	slash = strrchr(buf, '/');
	if (!slash)
		return 0;
	*slash = 0;
	return 1;
}

static char *join(const char *folder, const char *below, const char *name)
{
	size_t n = strlen(folder) + strlen(below) + strlen(name) + 2;
	char *path = malloc(n);

	if (path)
		snprintf(path, n, "%s%s/%s", folder, below, name);
	return path;
}

char *data_path(const char *name)
{
	static const char *const below[] = { "/..", "/../share/diverge" };
	const char *set = getenv("DIVERGE_DATA");
	char folder[PATH_MAX], *path;
	size_t i;

	if (set && *set) {
		path = join(set, "", name);
		if (!path || !access(path, R_OK))
			return path;
		free(path);
	}
	for (i = 0; i < 2 && program_folder(folder, sizeof folder); i++) {
		path = join(folder, below[i], name);
		if (!path || !access(path, R_OK))
			return path;
		free(path);
	}
	return join(DATADIR, "", name);
}
