/* What a library of kernels has beside their object files: the table of entries, the processor it needs, and two
   helpers that compiled code asks Numba for. "entries.h" is generated (build.py): ENTRY(name, "kinds", 'result'). */

#include "supple.h"
#include <math.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define ENTRY(name, kinds, result) int32_t supple_entry_##name(int64_t *, void **, const int64_t *, int64_t *);
#include "entries.h"
#undef ENTRY
#define ENTRY(name, kinds, result) {#name, kinds, result, supple_entry_##name},
const supple_entry supple_entries[] = {
#include "entries.h"
    {0, 0, 0, 0}};
#undef ENTRY

const char supple_sources[] = SOURCES;

#if defined(__x86_64__)
#define ALL(word, bits) (((word) & (bits)) == (bits))

/* The level x86-64-v1 to -v4 of this processor, asked of it by its instruction: the function
   __builtin_cpu_supports needs a library that not every C compiler has. */
static int level_here(void)
{
    uint32_t eax, ebx, ecx, edx, kept; /* kept: the registers that the operating system saves */
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return 1;
    if (!ALL(ecx, bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT)) return 1;
    if (!ALL(ecx, bit_OSXSAVE | bit_AVX | bit_FMA | bit_F16C | bit_MOVBE)) return 2;
    __asm__ volatile("xgetbv" : "=a"(kept), "=d"(edx) : "c"(0));
    if (!ALL(kept, 0x06)) return 2;
    if (!__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) || !ALL(ecx, bit_LZCNT)) return 2;
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || !ALL(ebx, bit_AVX2 | bit_BMI | bit_BMI2)) return 2;
    if (!ALL(kept, 0xe6)) return 3;
    return ALL(ebx, bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL) ? 4 : 3;
}
#endif

int32_t supple_runs_here(void)
{
#if defined(__x86_64__)
    return LEVEL <= 1 || level_here() >= LEVEL;
#else
    return 1;
#endif
}

#if defined(__MINGW32__)
int _fltused = 0; /* object files of LLVM for Windows ask Microsoft's library for it, which is not linked */
#endif

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
