/* Runs an unpacked FMU 2.0 for co-simulation, without Python, and prints a table of times and of one variable.

       cc -O2 examples/c/fmu.c -ldl -o fmu
       ./fmu arm/binaries/linux64/arm.so '{GUID}' file:///path/of/arm/resources REFERENCE STEP STEPS

   The GUID, and the value reference of the variable, are in modelDescription.xml. */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    void (*logger)(void *environment, const char *instance, int status, const char *category, const char *message, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *environment, int status);
    void *environment;
} callbacks;

static void tell(void *environment, const char *instance, int status, const char *category, const char *message, ...)
{
    (void)environment, (void)status, (void)category;
    fprintf(stderr, "%s: %s\n", instance, message);
}

/* Find a function of the library; `to` is the address of a pointer to a function. */
static void find(void *library, const char *name, void *to)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "the library has no %s\n", name);
        exit(2);
    }
    memcpy(to, &found, sizeof found);
}

int main(int count, char **argument)
{
    void *(*instantiate)(const char *, int, const char *, const char *, const callbacks *, int, int);
    int (*set_up)(void *, int, double, double, int, double);
    int (*enter)(void *), (*leave)(void *), (*end)(void *);
    int (*step)(void *, double, double, int);
    int (*get)(void *, const unsigned *, size_t, double *);
    void (*release)(void *);
    const callbacks given = {tell, calloc, free, NULL, NULL};
    void *library = count == 7 ? dlopen(argument[1], RTLD_NOW) : NULL, *it;
    unsigned reference;
    double h, value;
    int status, steps;
    if (!library) {
        fprintf(stderr, "%s\n", count == 7 ? dlerror() : "expected LIBRARY GUID RESOURCES REFERENCE STEP STEPS");
        return 2;
    }
    find(library, "fmi2Instantiate", &instantiate);
    find(library, "fmi2SetupExperiment", &set_up);
    find(library, "fmi2EnterInitializationMode", &enter);
    find(library, "fmi2ExitInitializationMode", &leave);
    find(library, "fmi2DoStep", &step);
    find(library, "fmi2GetReal", &get);
    find(library, "fmi2Terminate", &end);
    find(library, "fmi2FreeInstance", &release);
    reference = (unsigned)strtoul(argument[4], NULL, 10);
    h = strtod(argument[5], NULL);
    steps = atoi(argument[6]);
    it = instantiate("fmu", 1, argument[2], argument[3], &given, 0, 0);
    if (!it) return 1;
    status = set_up(it, 0, 0.0, 0.0, 0, 0.0);
    if (status <= 1) status = enter(it);
    if (status <= 1) status = leave(it);
    for (int k = 0; k <= steps && status <= 1; k++) {
        status = get(it, &reference, 1, &value);
        if (status <= 1) printf("%.17g %.17g\n", k * h, value);
        if (k < steps && status <= 1) status = step(it, k * h, h, 1);
    }
    if (status <= 1) status = end(it);
    release(it);
    return status <= 1 ? 0 : 1;
}
