/* The kernels of Supple as a library for C: no Python, no Numba.

   A model comes as an image: a block of memory, or a file, that `supple.integrators.image` writes. It holds the model's
   buffers, an initial state and the settings of an integrator.

       supple_model *model;
       int32_t failed = supple_create(image, bytes, &model);
       while (!failed && t < end) failed = supple_step(model, t += dt);
       supple_state(model, &t, q, u);
       supple_free(model);

   Functions return SUPPLE_OK or one of the codes below, which supple_message turns into a sentence. A model belongs to
   one thread at a time. Positions q have nq numbers, velocities u and accelerations a have nu, in the order of the
   coordinates of `supple.Compiled`; units are SI. */

#ifndef SUPPLE_H
#define SUPPLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SUPPLE_OK = 0,
    SUPPLE_NO_MEMORY = 1,
    SUPPLE_NO_IMAGE = 2,      /* not an image, or a part of one */
    SUPPLE_OTHER_SOURCES = 3, /* written for another version of the library */
    SUPPLE_NO_ENTRY = 4,      /* the library was built without an entry that is needed */
    SUPPLE_OTHER_CPU = 5,     /* the processor lacks instructions that the library uses */
    SUPPLE_BACKWARDS = 6,     /* a step to an earlier time */
    SUPPLE_STOPPED = 7        /* the integrator cannot go on; the state is the last one reached */
};

typedef struct supple_model supple_model;

/* Make a model from an image; the image may be freed afterwards. */
int32_t supple_create(const void *image, int64_t bytes, supple_model **model);
void supple_free(supple_model *model);

/* Numbers of positions, velocities and states of controllers. */
void supple_sizes(const supple_model *model, int64_t *nq, int64_t *nu, int64_t *nz);

/* r (nu) = M a + h - applied forces at time t; constraint forces are not included. z: states of controllers (nz). */
int32_t supple_residual(supple_model *model, double t, const double *q, const double *u, const double *a, const double *z,
                        double *r);

/* Accelerations a (nu) at a state. */
int32_t supple_accelerate(supple_model *model, double t, const double *q, const double *u, const double *z, double *a);

/* Integrate to the time t, with as many steps as the error control of the image asks for. */
int32_t supple_step(supple_model *model, double t);

/* Time and state reached; z may be null. */
void supple_state(const supple_model *model, double *t, double *q, double *u, double *z);

/* A sentence for a code. */
const char *supple_message(int32_t code);

/* Below this line: how Python calls entries.

   Each entry takes words: for a number its 64 bits, for an array its address and its sizes (C order). Kinds, one letter
   for each argument:

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
