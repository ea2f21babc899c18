/* data.h - where the program's own files are: rules/, samples/.
 *
 * They are looked for under $DIVERGE_DATA, then beside the program (its build
 * folder lies in the source tree; or bin/ beside share/diverge/), then where
 * `make install` puts them.
 */
#ifndef DIVERGE_DATA_H
#define DIVERGE_DATA_H

/* The path of `name` ("rules/lift.egg", "samples"): the first place that has
 * it, else the last one tried.  Allocated; the caller frees it. */
char *data_path(const char *name);

#endif
