/* zip.h - functions of two values, for tables_zip: of numbers, and of truth values (not 0). */
#ifndef DIVERGE_ZIP_H
#define DIVERGE_ZIP_H

static inline double zip_add(double x, double y) { return x + y; }
static inline double zip_minus(double x, double y) { return x - y; }
static inline double zip_times(double x, double y) { return x * y; }
static inline double zip_least(double x, double y) { return x < y ? x : y; }
static inline double zip_differ(double x, double y) { return x != y; }
static inline double zip_first(double x, double y) { (void)y; return x; }
static inline double zip_second(double x, double y) { (void)x; return y; }

static inline double zip_holds(double x, double y) { (void)y; return x != 0; }
static inline double zip_not(double x, double y) { (void)y; return x == 0; }
static inline double zip_and(double x, double y) { return x != 0 && y != 0; }
static inline double zip_or(double x, double y) { return x != 0 || y != 0; }
static inline double zip_alone(double x, double y) { return x != 0 && y == 0; }	/* the first, and not the second */
static inline double zip_part(double x, double y) { return (x != 0) != (y != 0); }	/* one of them alone */

/* the value where a mask holds, 0 elsewhere; and the other way round */
static inline double zip_where(double x, double mask) { return mask != 0 ? x : 0; }
static inline double zip_unless(double x, double mask) { return mask != 0 ? 0 : x; }

#endif
