/* Calls of FMI 2.0 and 3.0 in any order with any values, serialized states and ports that were changed and sealed again.

       fuzz_fmi RESOURCES TOKEN RUNS CALLS SEED SCRATCH

   RESOURCES is the folder of an unpacked FMU, SCRATCH one for changed copies of it. Each run is a process of its own; no call
   may crash, none may last. One line at the end: good runs, crashes, hangs. To be built with sanitizers, whose exit code
   is 99. */

#define _GNU_SOURCE
#include "fmi.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define HANG 60
#define MOST 256

typedef struct {
    void *logger, *allocate, *release, *finished, *environment;
} callbacks;

void *fmi2Instantiate(const char *, int, const char *, const char *, const callbacks *, int, int);
void fmi2FreeInstance(void *);
int fmi2SetupExperiment(void *, int, double, double, int, double), fmi2EnterInitializationMode(void *);
int fmi2ExitInitializationMode(void *), fmi2Terminate(void *), fmi2Reset(void *);
int fmi2GetReal(void *, const uint32_t *, size_t, double *), fmi2SetReal(void *, const uint32_t *, size_t, const double *);
int fmi2GetFMUstate(void *, void **), fmi2SetFMUstate(void *, void *), fmi2FreeFMUstate(void *, void **);
int fmi2SerializedFMUstateSize(void *, void *, size_t *), fmi2SerializeFMUstate(void *, void *, char *, size_t);
int fmi2DeSerializeFMUstate(void *, const char *, size_t, void **), fmi2DoStep(void *, double, double, int);
int fmi2SetTime(void *, double), fmi2EnterEventMode(void *), fmi2NewDiscreteStates(void *, void *);
int fmi2EnterContinuousTimeMode(void *), fmi2CompletedIntegratorStep(void *, int, int *, int *);
int fmi2SetContinuousStates(void *, const double *, size_t), fmi2GetContinuousStates(void *, double *, size_t);
int fmi2GetDerivatives(void *, double *, size_t), fmi2GetNominalsOfContinuousStates(void *, double *, size_t);

typedef void (*log_message)(void *, int, const char *, const char *);
void *fmi3InstantiateModelExchange(const char *, const char *, const char *, bool, bool, void *, log_message);
void *fmi3InstantiateCoSimulation(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *,
                                  log_message, void *);
void fmi3FreeInstance(void *);
int fmi3EnterInitializationMode(void *, bool, double, double, bool, double), fmi3ExitInitializationMode(void *);
int fmi3Terminate(void *), fmi3Reset(void *), fmi3GetFloat64(void *, const uint32_t *, size_t, double *, size_t);
int fmi3SetFloat64(void *, const uint32_t *, size_t, const double *, size_t);
int fmi3GetFMUState(void *, void **), fmi3SetFMUState(void *, void *), fmi3FreeFMUState(void *, void **);
int fmi3SerializedFMUStateSize(void *, void *, size_t *), fmi3SerializeFMUState(void *, void *, uint8_t *, size_t);
int fmi3DeserializeFMUState(void *, const uint8_t *, size_t, void **);
int fmi3DoStep(void *, double, double, bool, bool *, bool *, bool *, double *), fmi3SetTime(void *, double);
int fmi3EnterEventMode(void *), fmi3EnterContinuousTimeMode(void *);
int fmi3UpdateDiscreteStates(void *, bool *, bool *, bool *, bool *, bool *, double *);
int fmi3CompletedIntegratorStep(void *, bool, bool *, bool *), fmi3SetContinuousStates(void *, const double *, size_t);
int fmi3GetContinuousStates(void *, double *, size_t), fmi3GetContinuousStateDerivatives(void *, double *, size_t);
int fmi3GetNominalsOfContinuousStates(void *, double *, size_t);

static uint64_t seed;
static long said;

static uint64_t rnd(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static void hear2(void *environment, const char *name, int status, const char *category, const char *format, ...)
{
    char text[4000];
    va_list values;
    (void)environment, (void)name, (void)status, (void)category;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    said++;
}

static void hear3(void *environment, int status, const char *category, const char *text)
{
    (void)environment, (void)status, (void)category;
    said += text[0] != 0;
}

static double any(void)
{
    static const double strange[] = {0,   1,        -1,        1e-300, 1e300, -1e300, 1e308,  NAN, INFINITY,
                                     -INFINITY, 1e-3, 0.1, 3.7, -0.0, 4e-324, 1e9, 1e5};
    return rnd() % 3 ? strange[rnd() % 17] : ((double)rnd() / 1e19 - 0.9) * 4;
}

static int version;
#define EITHER(a, b) (version == 2 ? (a) : (b))

static int serialized(void *f, void *state, char *bytes, size_t room, size_t *size)
{
    if (EITHER(fmi2SerializedFMUstateSize(f, state, size), fmi3SerializedFMUStateSize(f, state, size)) || *size > room) return 1;
    return EITHER(fmi2SerializeFMUstate(f, state, bytes, *size), fmi3SerializeFMUState(f, state, (uint8_t *)bytes, *size));
}

/* Change words of a serialized state, seal it again, and go on from it if it is taken. */
static void from_changed(void *f, char *bytes, size_t size)
{
    void *got = NULL;
    int64_t sum;
    for (int n = rnd() % 4; n > 0 && size >= 24; n--) {
        const int64_t values[] = {-1, 0, 7, 1 << 20, INT64_MAX, (int64_t)rnd()};
        memcpy(bytes + 8 + 8 * (rnd() % (size / 8 - 1)), &values[rnd() % 6], 8);
    }
    sum = supple_check_sum(bytes + 8, (int64_t)size - 8);
    if (rnd() % 4) memcpy(bytes, &sum, 8);
    if (rnd() % 5 == 0) size -= rnd() % size;
    if (EITHER(fmi2DeSerializeFMUstate(f, bytes, size, &got), fmi3DeserializeFMUState(f, (uint8_t *)bytes, size, &got))) return;
    EITHER(fmi2SetFMUstate(f, got), fmi3SetFMUState(f, got));
    EITHER(fmi2FreeFMUstate(f, &got), fmi3FreeFMUState(f, &got));
}

static void step(void *f)
{
    double t = 0.0, last, h = rnd() % 3 ? 1e-3 : any();
    uint32_t time = 0;
    bool a, b, c;
    EITHER(fmi2GetReal(f, &time, 1, &t), fmi3GetFloat64(f, &time, 1, &t, 1));
    if (rnd() % 5 == 0) t = any();
    if (fabs(h) > 10.0) h = 0.1;
    EITHER(fmi2DoStep(f, t, h, 1), fmi3DoStep(f, t, h, true, &a, &b, &c, rnd() % 9 ? &last : NULL));
}

static void drive(const char *resources, const char *token, int calls)
{
    static char bytes[4000000];
    static double v[MOST];
    static uint32_t r[MOST];
    const callbacks told = {(void *)hear2, 0, 0, 0, 0};
    const int kind = rnd() % 2, order = rnd() % 3;
    void *states[3] = {0}, *f;
    size_t size = 0;
    long info[16];
    int x, y;
    bool a, b, c, d, e;
    if (version == 2)
        f = fmi2Instantiate("it", kind, token, resources, &told, 0, 0);
    else if (kind == 0)
        f = fmi3InstantiateModelExchange("it", token, resources, false, false, NULL, hear3);
    else
        f = fmi3InstantiateCoSimulation("it", token, resources, false, false, false, false, NULL, 0, NULL, hear3, NULL);
    if (!f) return;
    if (order) {
        if (version == 2) fmi2SetupExperiment(f, rnd() % 2, any(), 0, 0, 0), fmi2EnterInitializationMode(f);
        else fmi3EnterInitializationMode(f, rnd() % 2, any(), 0, false, 0);
        if (order == 2) EITHER(fmi2ExitInitializationMode(f), fmi3ExitInitializationMode(f));
    }
    for (int i = 0; i < calls; i++) {
        const size_t n = rnd() % 12, w = rnd() % 3, many = rnd() % 2 ? 37 : n;
        for (size_t k = 0; k < MOST; k++) {
            v[k] = any();
            r[k] = rnd() % 8 ? rnd() % 110 : (uint32_t)rnd();
        }
        switch (rnd() % 24) {
        case 0:
            if (version == 2) fmi2SetupExperiment(f, rnd() % 2, any(), any(), rnd() % 2, any()), fmi2EnterInitializationMode(f);
            else fmi3EnterInitializationMode(f, rnd() % 2, any(), any(), rnd() % 2, any());
            break;
        case 1: EITHER(fmi2ExitInitializationMode(f), fmi3ExitInitializationMode(f)); break;
        case 2: if (rnd() % 8 == 0) EITHER(fmi2Terminate(f), fmi3Terminate(f)); break;
        case 3: if (rnd() % 4 == 0) EITHER(fmi2Reset(f), fmi3Reset(f)); break;
        case 4: case 5: EITHER(fmi2GetReal(f, r, n, v), fmi3GetFloat64(f, r, n, v, rnd() % 9 ? n : n + 1)); break;
        case 6: case 7: case 8:
            for (size_t k = 0; k < n; k++) r[k] = rnd() % 4 ? 1 : rnd() % 100;
            EITHER(fmi2SetReal(f, r, n, v), fmi3SetFloat64(f, r, n, v, n));
            break;
        case 9: if (!states[w]) EITHER(fmi2GetFMUstate(f, &states[w]), fmi3GetFMUState(f, &states[w])); break;
        case 10: if (states[w]) EITHER(fmi2SetFMUstate(f, states[w]), fmi3SetFMUState(f, states[w])); break;
        case 11: EITHER(fmi2FreeFMUstate(f, &states[w]), fmi3FreeFMUState(f, &states[w])); break;
        case 12: case 13: if (states[w] && !serialized(f, states[w], bytes, sizeof bytes, &size)) from_changed(f, bytes, size); break;
        case 14: case 15: case 16: step(f); break;
        case 17: EITHER(fmi2SetTime(f, any()), fmi3SetTime(f, any())); break;
        case 18: EITHER(fmi2EnterEventMode(f), fmi3EnterEventMode(f)); break;
        case 19: EITHER(fmi2NewDiscreteStates(f, info), fmi3UpdateDiscreteStates(f, &a, &b, &c, &d, &e, rnd() % 9 ? v : NULL)); break;
        case 20: EITHER(fmi2EnterContinuousTimeMode(f), fmi3EnterContinuousTimeMode(f)); break;
        case 21: EITHER(fmi2CompletedIntegratorStep(f, 1, rnd() % 9 ? &x : NULL, &y), fmi3CompletedIntegratorStep(f, true, &a, &b)); break;
        case 22:
            EITHER(fmi2SetContinuousStates(f, rnd() % 9 ? v : NULL, many), fmi3SetContinuousStates(f, rnd() % 9 ? v : NULL, many));
            EITHER(fmi2GetDerivatives(f, v, many), fmi3GetContinuousStateDerivatives(f, v, many));
            break;
        default:
            EITHER(fmi2GetReal(rnd() % 2 ? f : NULL, rnd() % 2 ? r : NULL, n, v), fmi3GetFloat64(f, rnd() % 2 ? r : NULL, n, v, n));
            EITHER(fmi2GetNominalsOfContinuousStates(f, v, many), fmi3GetNominalsOfContinuousStates(f, v, many));
            EITHER(fmi2GetContinuousStates(f, v, many), fmi3GetContinuousStates(f, v, many));
        }
    }
    for (int k = 0; k < 3; k++) EITHER(fmi2FreeFMUstate(f, &states[k]), fmi3FreeFMUState(f, &states[k]));
    if (version == 2) fmi2FreeInstance(f);
    else fmi3FreeInstance(f);
}

/* Copy a file to another folder, with words changed and the sum made right: it is at `sum`, of what follows `from`. */
static int copied(const char *folder, const char *to, const char *name, int change, long sum, long from)
{
    static char path[4096], content[4000000];
    FILE *file;
    long size;
    int64_t right;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (!file) return 0;
    size = (long)fread(content, 1, sizeof content, file);
    fclose(file);
    for (int n = change ? 1 + rnd() % 3 : 0; n > 0; n--) {
        const int64_t values[] = {-1, 0, 1, 5, 1 << 20, INT64_MAX, INT64_MIN, (int64_t)rnd()};
        memcpy(content + from + 8 * (rnd() % ((size - from) / 8)), &values[rnd() % 8], 8);
    }
    right = supple_check_sum(content + from, size - from);
    memcpy(content + sum, &right, 8);
    snprintf(path, sizeof path, "%s/%s", to, name);
    file = fopen(path, "wb");
    if (!file || fwrite(content, 1, (size_t)size, file) != (size_t)size) return 0;
    return fclose(file) == 0;
}

int main(int count, char **words)
{
    long good = 0, crashes = 0, hangs = 0;
    if (count != 7) return 2;
    for (long i = 0; i < atol(words[3]); i++) {
        int status, changed;
        pid_t child;
        seed = 0x9E3779B97F4A7C15ULL * (uint64_t)(i + 1) + (uint64_t)atol(words[5]);
        for (int k = 0; k < 8; k++) rnd();
        version = 2 + (int)(i % 2);
        changed = i % 4 == 3;
        if (!copied(words[1], words[6], "model.image", 0, 24, 32)) return 2;
        if (!copied(words[1], words[6], "model.ports", changed, 8, 16)) return 2;
        fflush(stdout);
        child = fork();
        if (child == 0) {
            alarm(HANG);
            drive(words[6], words[2], atoi(words[4]));
            exit(0); /* not _exit: leaks are looked for */
        }
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
            hangs++;
            printf("hang in run %ld\n", i);
        } else if (WIFSIGNALED(status) || WEXITSTATUS(status)) {
            crashes++;
            printf("crash in run %ld\n", i);
        } else
            good++;
    }
    printf("good %ld crashes %ld hangs %ld\n", good, crashes, hangs);
    return crashes || hangs ? 1 : 0;
}
