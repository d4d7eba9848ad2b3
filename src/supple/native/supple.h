/* The kernels of Supple as a library for C: no Python, no Numba.

   A library made from kernels (build.py) has a table of its entries. Each entry takes words: for a number its 64
   bits, for an array its address and its sizes (C order). Kinds, one letter for each argument:

       i j   int64, one dimension (i: is only read)       r   a double
       f v   double, one dimension (f: is only read)      n   an int64
       m     double, two dimensions

   and for the result: r, n, or - for none. */

#ifndef SUPPLE_H
#define SUPPLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t (*supple_code)(int64_t *unused, void **error, const int64_t *words, int64_t *result);

typedef struct {
    const char *name, *kinds;
    int64_t result; /* a letter */
    supple_code code;
} supple_entry;

/* All entries; the last has no name. */
extern const supple_entry supple_entries[];

/* Hash of the sources that the library was made from. */
extern const char supple_sources[];

/* Whether this processor has the instructions that the library uses. */
int32_t supple_runs_here(void);

#ifdef __cplusplus
}
#endif
#endif
