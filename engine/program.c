#include "program.h"

#include <string.h>

int program_named(const program *p, const char *path)
{
	int i;

	if (*path == '%')
		path++;
	for (i = 0; i < p->nrow; i++)
		if (!strcmp(p->row[i].path, path))
			return i;
	return -1;
}

int program_row_of(const program *p, const inst *i)
{
	int k;

	for (k = 0; k < p->nrow; k++)
		if (p->row[k].inst == i)
			return k;
	return -1;
}

int64_t row_elements(const row *r)
{
	int64_t n = 1;
	int i;

	for (i = 0; i < r->rank; i++)
		n *= r->dim[i];
	return n;
}
