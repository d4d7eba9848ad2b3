/* What a library of kernels has beside their object files: the table of entries, the processor it needs, and two
   helpers that compiled code asks Numba for. "entries.h" is generated (build.py): ENTRY(name, "kinds", 'result'). */

#include "supple.h"
#include <math.h>

#define ENTRY(name, kinds, result) int32_t supple_entry_##name(int64_t *, void **, const int64_t *, int64_t *);
#include "entries.h"
#undef ENTRY
#define ENTRY(name, kinds, result) {#name, kinds, result, supple_entry_##name},
const supple_entry supple_entries[] = {
#include "entries.h"
    {0, 0, 0, 0}};
#undef ENTRY

const char supple_sources[] = SOURCES;

int32_t supple_runs_here(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (LEVEL >= 4 && !__builtin_cpu_supports("avx512f")) return 0;
    if (LEVEL >= 3 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")))
        return 0;
    if (LEVEL >= 2 && !__builtin_cpu_supports("sse4.2")) return 0;
#endif
    return 1;
}

double numba_nextafter(double a, double b) { return nextafter(a, b); }

/* New strides of an array with another shape; all arrays in kernels are in C order. */
int numba_attempt_nocopy_reshape(intptr_t nd, const intptr_t *dims, const intptr_t *strides, intptr_t newnd,
                                 const intptr_t *newdims, intptr_t *newstrides, intptr_t itemsize, int fortran)
{
    intptr_t size = itemsize, stride = itemsize;
    (void)fortran;
    for (intptr_t i = nd - 1; i >= 0; i--) {
        if (dims[i] != 1 && strides[i] != size && dims[i] != 0) return 0;
        size *= dims[i];
    }
    for (intptr_t i = newnd - 1; i >= 0; i--) {
        newstrides[i] = stride;
        stride *= newdims[i];
    }
    return 1;
}
