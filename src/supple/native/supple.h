/* The kernels of Supple as a library for C: no Python, no Numba.

   A model comes as an image: a block of memory, or a file, that `prepared.image(t_end)` writes in Python. It holds the
   model's buffers, an initial state and an integrator with its options.

       supple_model *model;
       int32_t code = supple_create(image, bytes, &model);
       while (code == SUPPLE_OK && t < t_end) code = supple_step(model, t += dt);
       if (code != SUPPLE_OK) puts(supple_message(code));
       supple_state(model, &t, q, u, z);
       supple_free(model);

   Positions q have nq numbers, velocities u and accelerations a have nu, states of controllers z have nz, in the order of
   `result.state()` in Python; units are SI. Functions that return int32_t return SUPPLE_OK or another of the codes below.
   A model belongs to one thread at a time; different models may run in different threads. */

#ifndef SUPPLE_H
#define SUPPLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SUPPLE_OK = 0,
    SUPPLE_NO_MEMORY = 1,
    SUPPLE_NO_IMAGE = 2,      /* not an image, or only a part of one */
    SUPPLE_OTHER_SOURCES = 3, /* the image was written by another version of Supple */
    SUPPLE_NO_ENTRY = 4,      /* the library was built without an entry that is needed */
    SUPPLE_OTHER_CPU = 5,     /* the processor lacks instructions that the library uses */
    SUPPLE_BACKWARDS = 6,     /* a step to an earlier time */
    SUPPLE_TOO_LATE = 7,      /* a step beyond the end that the image was written for */
    SUPPLE_FAULT = 8,         /* compiled code ended with an error */
    SUPPLE_TOO_MANY = 9,      /* more steps than max_steps of the integrator */
    SUPPLE_ROWS = 10,         /* a constraint that followed from the others at the start does not hold any more */
    SUPPLE_NO_POSITION = 11,  /* no position near the given one satisfies the constraints */
    SUPPLE_BAD_SIZES = 12,    /* sizes in the image do not fit its length */
    SUPPLE_BAD_INDEX = 13,    /* an integer in the image points outside of what it numbers */
    SUPPLE_BAD_NUMBER = 14,   /* a time, a tolerance or a step in the image is no usable number */
    SUPPLE_TOO_SLOW = 15,     /* the call would take too many steps or too long */

    /* The integrator cannot go on; the state is the last one reached. */
    SUPPLE_LINE_END = 18,
    SUPPLE_STEP_TOO_SMALL = 19,
    SUPPLE_NOT_CONVERGED = 20,
    SUPPLE_LOCKED = 21,
    SUPPLE_NOT_FINITE = 22,
    SUPPLE_GROWN = 23
};

typedef struct supple_model supple_model;

/* Make a model from an image, which may be freed afterwards. All that it holds is looked at: an image that is damaged or
   was made up is refused by a code. */
int32_t supple_create(const void *image, int64_t bytes, supple_model **model);
void supple_free(supple_model *model);

/* Numbers of positions, velocities and states of controllers. */
void supple_sizes(const supple_model *model, int64_t *nq, int64_t *nu, int64_t *nz);

/* Time and state reached; q, u, z may be null. */
void supple_state(const supple_model *model, double *t, double *q, double *u, double *z);

/* Go on from another state, which is moved onto the constraints. t must not be after the end. */
int32_t supple_set_state(supple_model *model, double t, const double *q, const double *u, const double *z);

/* r (nu) = M a + h - applied forces; constraint forces are not part of it. */
int32_t supple_residual(supple_model *model, double t, const double *q, const double *u, const double *a, const double *z,
                        double *r);

/* Accelerations a (nu) at a state that satisfies the constraints. */
int32_t supple_accelerate(supple_model *model, double t, const double *q, const double *u, const double *z, double *a);

/* Integrate to the time t, with as many steps as the integrator's error control asks for. */
int32_t supple_step(supple_model *model, double t);

/* A step that would take longer than so many seconds of the clock, or more steps than max_steps of the integrator, ends after
   some seconds with SUPPLE_TOO_SLOW; the state is the last one reached. 3600 s unless it is set, 0: no limit of time. */
#define SUPPLE_PATIENCE 3600.0
void supple_patience(supple_model *model, double seconds);

/* A sentence for a code. */
const char *supple_message(int32_t code);

/* Below this line: how the functions above and Python call entries.

   A library made from kernels (build.py) has a table of its entries. Each entry takes words: for a number its 64
   bits, for an array its address and its sizes (C order). Kinds, one letter for each argument:

       i j   int64, one dimension (i: is only read)       r   a double
       f v   double, one dimension (f: is only read)      n   an int64
       m     double, two dimensions

   and for the result: r, n, or - for none. */

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
