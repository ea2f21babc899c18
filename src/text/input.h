/* input.h - a whole file in memory, unpacked if it is gzip.
 *
 * Directories, empty and unreadable files, broken gzip data and files of 2 GiB
 * and more (packed or not) fail with a diag without a line.
 */
#ifndef DIVERGE_INPUT_H
#define DIVERGE_INPUT_H

#include <stdbool.h>
#include "text/diag.h"

struct input {
	char *data;	/* a zero byte follows the last one */
	size_t n;
};

bool input_read(struct input *in, const char *path, struct diag *err);
void input_free(struct input *in);

#endif
