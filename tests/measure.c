/* measure [-n RUNS] COMMAND..: runs it with its output thrown away and prints
 * the best wall time in milliseconds, the largest resident set in megabytes and
 * the last exit status. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
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

int main(int argc, char **argv)
{
	int runs = 5, first = 1, status = 0;
	double best = 0, largest = 0, t;
	struct rusage usage;
	pid_t child;

	if (argc > 2 && !strcmp(argv[1], "-n")) {
		runs = atoi(argv[2]);
		first = 3;
	}
	if (first >= argc || runs < 1) {
		fprintf(stderr, "usage: measure [-n RUNS] COMMAND..\n");
		return 2;
	}
	for (; runs; runs--) {
		t = now();
		child = fork();
		if (!child)
			run(argv + first);
		if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
			perror("measure");
			return 2;
		}
		t = now() - t;
		best = best && best < t ? best : t;
		largest = (double)usage.ru_maxrss / 1024 > largest ? (double)usage.ru_maxrss / 1024 : largest;
	}
	printf("%.1f %.1f %d\n", best, largest, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
