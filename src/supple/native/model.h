/* Inside of a model, for the C files of this folder; users see supple.h.

   An image (integrators/methods/image.py) is a sequence of 64-bit words:

       magic, hash of sources (16 letters), check sum (CRC-32) of what follows, name of the step loop (32 letters),
       the numbers of `header`, then the arrays whose lengths it tells, in its order. */

#ifndef SUPPLE_MODEL_H
#define SUPPLE_MODEL_H

#include "supple.h"

#include <string.h>

/* The same names in the same order as NAMES in core/images/image.py, then ARRAYS in integrators/methods/image.py */
struct header {
    int64_t nodes, nq, nu, nz, nr, all_nr;            /* sizes; rows in use, and all rows if some were left out */
    int64_t at_q, at_u, at_z;                  /* where the state is in the run's buffer */
    int64_t at_zdot;                           /* where rates of controllers are in the workspace */
    int64_t at_time, at_size, at_energy;       /* in the run's reals: time, size of the next step, largest energy */
    int64_t at_error, at_switch, at_least;     /* error of the last step, way to a switch, least size */
    int64_t at_rtol, at_atol;
    int64_t at_stop, at_steps, at_fresh, at_rejected, at_factored, at_refused; /* in its integers */
    int64_t at_events, at_touches;             /* how many wait to be handed over */
    int64_t done, paused, max_steps, fixed_step;
    int64_t work, all_work;                    /* lengths of workspaces */
    int64_t ints, all_ints, reals, run, state, count, stops, row_sizes, limits; /* lengths of arrays */
};

struct supple_model {
    struct header size;
    int64_t method;                            /* number of the step loop, see model.c */
    int64_t margin;                            /* words behind the run's buffer: rows of stored matrices may end there */
    double patience;                           /* seconds that a call may take */
    const supple_entry *loop, *residual, *accelerate, *project, *constrain, *rates, *motion, *check;
    int64_t *ints, *all_ints, *count;
    double *reals, *run, *state, *stops, *row_sizes, *limits, first_size; /* limits: of rows left out, of one instant */
    double *work, *all_work, *next, *scratch;
    void *memory, *workspace;
};

/* Call an entry; the result is a word. */
int32_t supple_call(const supple_entry *entry, const int64_t *words, int64_t *result);

/* Look at all indices of a model, with the buffers of a run: its own, or others as long. */
int32_t supple_check(const supple_model *model, double *run, double *state, int64_t *count);

/* Whether all constraint rows hold, those that were left out too. */
int32_t supple_check_rows(supple_model *model);

/* The step loop begins anew. */
void supple_begin(supple_model *model);

/* Integrate to the time t, which may be after the end that the image was written for; a new start in all. */
int32_t supple_advance(supple_model *model, double t);

/* Move q (nq) and u (nu) onto the constraints at a time. */
int32_t supple_project(supple_model *model, double t, double *q, double *u);

/* CRC-32 as zlib computes it. */
int64_t supple_check_sum(const void *from, int64_t bytes);

static inline int64_t address(const void *p) { return (int64_t)(intptr_t)p; }

static inline int64_t bits(double x)
{
    int64_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static inline void *part(char **place, int64_t length)
{
    void *here = *place;
    *place += 8 * length;
    return here;
}

#endif
