/* pair_files.h - small pairs of programs in a folder of their own, for tests of sessions. */
#ifndef DIVERGE_PAIR_FILES_H
#define DIVERGE_PAIR_FILES_H

#include "session/session.h"

/* The folder, made when first asked for and removed at exit. */
const char *pair_folder(void);
/* Writes a file there; its path is kept until exit. */
const char *pair_write(const char *name, const char *text);

/* A folder with the shipped rules and a file of one's own. */
const char *pair_rules(const char *mine);

/* A product summed over a sharded dimension, an addition, two functions: the distributed program has the all-reduce or not. */
struct session *pair_open(bool all_reduce);
/* Files; a plan that is NULL is looked for beside DIST. */
struct session *pair_of(const char *base, const char *dist, const char *plan);
/* Programs and a plan given as text. */
struct session *pair_texts(const char *base, const char *dist, const char *plan);
/* A sample of the source tree: "attention", "broken". */
struct session *pair_sample(const char *stem, const char *form);

#endif
