/* measure [-n RUNS] COMMAND..: runs it with its output thrown away and prints
 * the median of the wall times, the best one and the median of the processor
 * times in milliseconds, the largest resident set in megabytes and the last exit
 * status.  Without -n it runs five times, a short command as often as half a
 * second allows: one run of a few milliseconds says little. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LEAST = 5, MOST = 101 };
#define ENOUGH 500.0	/* milliseconds */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double milliseconds(struct timeval t)
{
	return (double)t.tv_sec * 1e3 + (double)t.tv_usec * 1e-3;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void run(char **command)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	execvp(command[0], command);
	_exit(127);
}

/* One run: false if the command could not be waited for. */
static bool measured(char **command, double *wall, double *processor, double *largest, int *status)
{
	double began = now(), size;
	struct rusage usage;
	pid_t child = fork();

	if (!child)
		run(command);
	if (child < 0 || wait4(child, status, 0, &usage) < 0)
		return false;
	*wall = now() - began;
	*processor = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
	size = (double)usage.ru_maxrss / 1024;
	*largest = size > *largest ? size : *largest;
	return true;
}

int main(int argc, char **argv)
{
	double wall[MOST], processor[MOST], largest = 0, began = now();
	int runs = 0, first = 1, n, status = 0;

	if (argc > 2 && !strcmp(argv[1], "-n")) {
		runs = atoi(argv[2]);
		first = 3;
	}
	if (first >= argc || runs < 0 || runs > MOST || (first == 3 && !runs)) {
		fprintf(stderr, "usage: measure [-n RUNS] COMMAND..\n");
		return 2;
	}
	for (n = 0; runs ? n < runs : n < LEAST || (n < MOST && now() - began < ENOUGH); n++)
		if (!measured(argv + first, &wall[n], &processor[n], &largest, &status)) {
			perror("measure");
			return 2;
		}
	qsort(wall, (size_t)n, sizeof *wall, by_size);
	qsort(processor, (size_t)n, sizeof *processor, by_size);
	printf("%.1f %.1f %.1f %.1f %d\n", wall[n / 2], wall[0], processor[n / 2], largest,
	       WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
