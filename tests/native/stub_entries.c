/* A table of entries that do nothing but touch their arguments, for trials of launcher.c. */

#include "supple.h"

static int32_t touch(const char *kinds, const int64_t *words, int64_t *result)
{
    double sum = 0.0;
    *result = 0;
    for (; *kinds; kinds++) {
        if (*kinds == 'r' || *kinds == 'n') {
            *result += *words++;
            continue;
        }
        double *x = (double *)(intptr_t)words[0];
        int64_t n = words[1] * (*kinds == 'm' ? words[2] : 1);
        for (int64_t k = 0; k < n; k++) {
            if (*kinds == 'i' || *kinds == 'f') sum += x[k];
            else x[k] = 1.0;
        }
        words += *kinds == 'm' ? 3 : 2;
    }
    return sum == 12345.0 ? -2 : 0;
}

#define STUB(name, kinds)                                                                       \
    static int32_t run_##name(int64_t *unused, void **error, const int64_t *words, int64_t *to) \
    {                                                                                           \
        (void)unused, (void)error;                                                              \
        return touch(kinds, words, to);                                                         \
    }
STUB(loop, "ifvvvjffmn")
STUB(plain, "ifvmjrn")
STUB(most, "vvvvvvvvvvvvvvvvvvvvvvvv")
static int32_t run_failing(int64_t *unused, void **error, const int64_t *words, int64_t *to)
{
    (void)unused, (void)error, (void)words;
    *to = 0;
    return 7;
}

const supple_entry supple_entries[] = {
    {"loop", "ifvvvjffmn", 'n', run_loop}, {"plain", "ifvmjrn", 'r', run_plain}, {"most", "vvvvvvvvvvvvvvvvvvvvvvvv", '-', run_most},
    {"failing", "v", '-', run_failing},    {0, 0, 0, 0}};
