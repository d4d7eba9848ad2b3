/* A model behind the Functional Mock-up Interface: what versions 2.0 and 3.0 share.

   Written from the lists of functions of the standard. All functions return a status; each that is not FMI_OK comes with
   a sentence to the importer's logger. Functions of fmi2.c and fmi3.c are thin: types and orders of arguments. */

#ifndef SUPPLE_FMI_H
#define SUPPLE_FMI_H

#include "ports.h"

#include <stddef.h>

enum { FMI_OK, FMI_WARNING, FMI_DISCARD, FMI_ERROR };
enum { EXCHANGE, COSIMULATION };
/* What may be called depends on the mode; the numbers are bits. */
enum { INSTANTIATED = 1, INITIALIZING = 2, STEPPING = 4, EVENT = 8, CONTINUOUS = 16, TERMINATED = 32 };
#define RUNNING (STEPPING | EVENT | CONTINUOUS)

typedef struct fmi_instance fmi_instance;
typedef void (*fmi_tell)(const fmi_instance *instance, int status, const char *text);

/* What a state of the FMU consists of beside the numbers of the model */
struct fmi_now {
    double time, start, next; /* s; next: the instant of the next jump of a signal */
    int64_t mode, prepared, moved, fresh_outputs, fresh_rates; /* prepared: start time is known; moved: start was changed */
};

struct fmi_instance {
    int kind;
    struct fmi_now now;
    supple_model *model;
    supple_ports *ports;
    double *x, *rate, *input, *motion, *q; /* states and their rates, inputs, value and rate of drivers, scratch */
    void *memory, *first, *before;         /* of the above; the FMU as it was made, and before a step */
    const char **names;                    /* of variables, by value reference */
    int64_t variables;
    char *name;
    fmi_tell tell; /* logger, set by the version */
    void *environment, *logger;
};

/* Make an instance; NULL after a sentence. resources: path of the folder. seed: name, tell, environment and logger. */
fmi_instance *fmi_make(const fmi_instance *seed, int kind, const char *name, const char *token, const char *resources);
void fmi_free(fmi_instance *instance);

/* A sentence to the importer; returns the status. */
int fmi_say(const fmi_instance *instance, int status, const char *format, ...);

/* Whether a function may be called now; otherwise a sentence. */
int fmi_allowed(const fmi_instance *instance, const char *function, int64_t modes);

/* Pointers that must not be null; otherwise a sentence. */
int fmi_given(const fmi_instance *instance, const char *function, size_t count, const void *pointer);

int fmi_setup(fmi_instance *, int has_tolerance, double tolerance, double start, int has_stop, double stop);
int fmi_enter_initialization(fmi_instance *);
int fmi_exit_initialization(fmi_instance *);
int fmi_reset(fmi_instance *);
int fmi_get(fmi_instance *, const char *function, const uint32_t *references, size_t count, double *values);
int fmi_set(fmi_instance *, const char *function, const uint32_t *references, size_t count, const double *values);

/* Write inputs into the model; find the next instant at which a signal jumps; evaluate rates of states: coordinates,
   velocities, states of controllers. Quaternions need not be of unit length. */
void fmi_hold(fmi_instance *);
void fmi_find_next(fmi_instance *);
int fmi_update_rates(fmi_instance *);

int fmi_step(fmi_instance *, const char *function, double from, double length);

int fmi_set_time(fmi_instance *, const char *function, double t);
int fmi_set_states(fmi_instance *, const char *function, const double *x, size_t count);
int fmi_get_states(fmi_instance *, const char *function, double *x, size_t count);
int fmi_get_rates(fmi_instance *, const char *function, double *rates, size_t count);
int fmi_get_nominals(fmi_instance *, const char *function, double *nominals, size_t count);
int fmi_enter_event(fmi_instance *, const char *function);
int fmi_update(fmi_instance *, const char *function, int *has_next, double *next);
int fmi_enter_continuous(fmi_instance *, const char *function);

/* States of the FMU are blocks of fmi_state_bytes; written down they have 8 bytes more. */
size_t fmi_state_bytes(const fmi_instance *);
int fmi_get_state(fmi_instance *, const char *function, void **state);
int fmi_set_state(fmi_instance *, const char *function, const void *state);
int fmi_write_state(const fmi_instance *, const char *function, const void *state, void *bytes, size_t size);
int fmi_read_state(fmi_instance *, const char *function, const void *bytes, size_t size, void **state);

#endif
