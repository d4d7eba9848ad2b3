/* An instance of an FMU: how it is made, initialized and asked for values; see fmi.h. */

#include "fmi.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int fmi_say(const fmi_instance *f, int status, const char *format, ...)
{
    char text[600];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    f->tell(f, status, text);
    return status;
}

static const char *mode_name(int64_t mode)
{
    switch (mode) {
    case INSTANTIATED: return "before initialization";
    case INITIALIZING: return "in initialization mode";
    case STEPPING: return "in step mode";
    case EVENT: return "in event mode";
    case CONTINUOUS: return "in continuous-time mode";
    }
    return "after its end";
}

int fmi_allowed(const fmi_instance *f, const char *function, int64_t modes)
{
    if (f->now.mode & modes) return FMI_OK;
    return fmi_say(f, FMI_ERROR, "%s must not be called %s", function, mode_name(f->now.mode));
}

int fmi_given(const fmi_instance *f, const char *function, size_t count, const void *pointer)
{
    if (pointer || count == 0) return FMI_OK;
    return fmi_say(f, FMI_ERROR, "%s was called with a null pointer, expected %zu values", function, count);
}

/* A file of the resources, to be freed; NULL after a sentence. */
static void *read_file(const fmi_instance *f, const char *folder, const char *name, int64_t *bytes)
{
    const size_t room = strlen(folder) + strlen(name) + 2;
    char *path = malloc(room), *content = NULL;
    long size = -1;
    FILE *file;
    if (!path) return NULL;
    snprintf(path, room, "%s/%s", folder, name);
    file = fopen(path, "rb");
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) content = malloc((size_t)size + 1);
    if (content && fread(content, 1, (size_t)size, file) != (size_t)size) {
        free(content);
        content = NULL;
    }
    if (file) fclose(file);
    if (!content) fmi_say(f, FMI_ERROR, "the resource %s cannot be read", path);
    *bytes = size;
    free(path);
    return content;
}

/* Read the model and its ports. */
static int load(fmi_instance *f, const char *resources)
{
    int64_t bytes;
    int32_t code;
    const char *patience = getenv("SUPPLE_PATIENCE");
    void *content = read_file(f, resources, "model.image", &bytes);
    if (!content) return FMI_ERROR;
    code = supple_create(content, bytes, &f->model);
    free(content);
    if (code != SUPPLE_OK) return fmi_say(f, FMI_ERROR, "resources/model.image: %s", supple_message(code));
    if (patience) supple_patience(f->model, atof(patience));
    content = read_file(f, resources, "model.ports", &bytes);
    if (!content) return FMI_ERROR;
    code = supple_ports_create(content, bytes, f->model, &f->ports);
    free(content);
    return code == SUPPLE_OK ? FMI_OK : fmi_say(f, FMI_ERROR, "resources/model.ports: %s", supple_message(code));
}

/* Names of variables by value reference; the token stands before them. */
static int name_variables(fmi_instance *f)
{
    const struct port_sizes *s = &f->ports->size;
    const char *text = f->ports->text, *end = text + 8 * s->text;
    f->variables = 1 + s->inputs + s->outputs + (s->exchange ? 2 : 1) * s->states;
    f->names = calloc((size_t)f->variables, sizeof *f->names);
    if (!f->names) return fmi_say(f, FMI_ERROR, "%s", supple_message(SUPPLE_NO_MEMORY));
    for (int64_t k = 0; k < f->variables; k++) {
        while (text < end && *text) text++;
        if (++text >= end) return fmi_say(f, FMI_ERROR, "resources/model.ports: %s", supple_message(SUPPLE_NO_IMAGE));
        f->names[k] = text;
    }
    return FMI_OK;
}

static void read_start(fmi_instance *f)
{
    const struct header *s = &f->model->size;
    supple_state(f->model, &f->now.time, f->x, f->x + s->nq, f->x + s->nq + s->nu);
    f->now.start = f->now.time;
    for (int64_t k = 0, n = f->ports->size.inputs; k < n; k++) {
        const double *p = f->model->reals + f->ports->place[k];
        f->motion[k] = p[1] + p[2] * f->now.time;
        f->motion[n + k] = p[2];
    }
}

fmi_instance *fmi_make(const fmi_instance *seed, int kind, const char *name, const char *token, const char *resources)
{
    fmi_instance *f = malloc(sizeof *f);
    int64_t n, inputs;
    if (!f) {
        fmi_say(seed, FMI_ERROR, "%s", supple_message(SUPPLE_NO_MEMORY));
        return NULL;
    }
    *f = *seed;
    f->kind = kind;
    f->now.mode = INSTANTIATED;
    f->name = malloc(strlen(name) + 1);
    if (!f->name) goto failed;
    strcpy(f->name, name);
    if (load(f, resources) != FMI_OK || name_variables(f) != FMI_OK) goto failed;
    if (strcmp(token, f->ports->text) != 0) {
        fmi_say(f, FMI_ERROR, "the GUID or instantiation token is %.60s, expected %s", token, f->ports->text);
        goto failed;
    }
    if (kind == EXCHANGE && !f->ports->size.exchange) {
        fmi_say(f, FMI_ERROR, "this FMU was not exported for model exchange, co-simulation is available");
        goto failed;
    }
    n = f->ports->size.states;
    inputs = f->ports->size.inputs;
    f->memory = calloc((size_t)(2 * n + 3 * inputs + f->model->size.nq + 1), 8);
    if (!f->memory) goto failed;
    f->x = f->memory;
    f->input = f->x + n;
    f->motion = f->input + inputs; /* x, input, motion are kept in states, one after the other */
    f->rate = f->motion + 2 * inputs;
    f->q = f->rate + n;
    read_start(f);
    f->before = malloc(fmi_state_bytes(f));
    if (!f->before || fmi_get_state(f, "instantiate", &f->first) != FMI_OK) goto failed;
    return f;
failed:
    fmi_free(f);
    return NULL;
}

void fmi_free(fmi_instance *f)
{
    if (!f) return;
    supple_free(f->model);
    supple_ports_free(f->ports);
    free(f->memory);
    free(f->first);
    free(f->before);
    free((void *)f->names);
    free(f->name);
    free(f);
}

int fmi_setup(fmi_instance *f, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
    const struct header *s = &f->model->size;
    const double begin = f->now.start;
    double *rtol = f->model->state + s->at_rtol, *atol = f->model->state + s->at_atol;
    if (!isfinite(start)) return fmi_say(f, FMI_ERROR, "the start time is %g, expected a finite number", start);
    if (has_stop && !(stop > start))
        return fmi_say(f, FMI_ERROR, "the stop time is %g s, expected one after %g s", stop, start);
    if (has_tolerance && !(tolerance > 0.0 && isfinite(tolerance)))
        return fmi_say(f, FMI_ERROR, "the tolerance is %g, expected a positive number", tolerance);
    if (start < begin)
        return fmi_say(f, FMI_ERROR, "the start time is %g s, expected none before the model's own, %g s", start, begin);
    if (start != begin && !(start <= f->model->stops[s->stops / 2 - 1]))
        return fmi_say(f, FMI_ERROR, "the start time is %g s: %s", start, supple_message(SUPPLE_TOO_LATE));
    f->now.moved |= start != f->now.time;
    f->now.time = start;
    f->now.prepared = 1;
    if (has_tolerance && f->kind == COSIMULATION) {
        const double used = fmin(fmax(tolerance, 1e-13), 0.1); /* what runs in Python accept */
        if (s->fixed_step)
            return fmi_say(f, FMI_WARNING, "the integrator makes equal steps: the tolerance %g changes nothing", tolerance);
        *atol *= used / *rtol;
        *rtol = used;
        if (used != tolerance) return fmi_say(f, FMI_WARNING, "the tolerance is %g, used is %g", tolerance, used);
    }
    return FMI_OK;
}

int fmi_enter_initialization(fmi_instance *f)
{
    if (!f->now.prepared)
        return fmi_say(f, FMI_ERROR, "the start time is missing: fmi2SetupExperiment comes before initialization");
    f->now.mode = INITIALIZING;
    return FMI_OK;
}

void fmi_find_next(fmi_instance *f)
{
    const double t = f->now.time, apart = 1e-14 * fabs(t);
    f->now.next = INFINITY;
    for (int64_t k = 0; k < f->ports->size.breaks; k++)
        if (f->ports->breaks[k] > t + apart) f->now.next = fmin(f->now.next, f->ports->breaks[k]);
}

void fmi_hold(fmi_instance *f) { supple_ports_hold(f->ports, f->model, f->now.time, f->input, f->motion); }

/* Unit quaternions in q; returns whether there was a zero. */
static int normalize(const fmi_instance *f, double *q)
{
    for (int64_t k = 0; k < f->ports->size.quaternions; k++) {
        double *x = q + f->ports->quaternion[k];
        const double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        if (!(size > 1e-100)) return 1;
        for (int i = 0; i < 4; i++) x[i] /= size;
    }
    return 0;
}

static int no_rotation(const fmi_instance *f)
{
    return fmi_say(f, FMI_ERROR, "a quaternion is zero, expected four numbers that are not all zero");
}

int fmi_exit_initialization(fmi_instance *f)
{
    const struct header *s = &f->model->size;
    int32_t code;
    fmi_hold(f);
    if (f->now.moved) {
        if (normalize(f, f->x)) return no_rotation(f);
        code = supple_set_state(f->model, f->now.time, f->x, f->x + s->nq, f->x + s->nq + s->nu);
        if (code != SUPPLE_OK) return fmi_say(f, FMI_ERROR, "the start at t = %g s: %s", f->now.time, supple_message(code));
        supple_state(f->model, &f->now.time, f->x, f->x + s->nq, f->x + s->nq + s->nu);
    }
    f->now.fresh_outputs = f->now.fresh_rates = 0;
    f->now.mode = f->kind == EXCHANGE ? EVENT : STEPPING;
    fmi_find_next(f);
    return FMI_OK;
}

int fmi_reset(fmi_instance *f) { return fmi_set_state(f, "reset", f->first); }

/* Time at which forces are evaluated: up to the next event that of the left side. */
static double evaluated(const fmi_instance *f)
{
    return f->now.mode == CONTINUOUS && f->now.time >= f->now.next ? nextafter(f->now.next, -INFINITY) : f->now.time;
}

static int update_outputs(fmi_instance *f)
{
    const struct header *s = &f->model->size;
    int32_t code;
    if (f->now.fresh_outputs) return FMI_OK;
    memcpy(f->q, f->x, 8 * s->nq);
    if (normalize(f, f->q)) return no_rotation(f);
    code = supple_ports_read(f->ports, f->model, evaluated(f), f->q, f->x + s->nq);
    if (code != SUPPLE_OK) return fmi_say(f, FMI_ERROR, "outputs at t = %g s: %s", f->now.time, supple_message(code));
    f->now.fresh_outputs = 1;
    return FMI_OK;
}

int fmi_update_rates(fmi_instance *f)
{
    supple_model *m = f->model;
    const struct header *s = &m->size;
    const double *u = f->x + s->nq, *z = u + s->nu;
    double *qdot = f->rate, *a = qdot + s->nq, *zdot = a + s->nu;
    int64_t result, words[] = {address(m->ints), s->ints, address(m->reals), s->reals, address(m->work), s->work,
                               address(f->q), s->nq, address(u), s->nu, address(qdot), s->nq};
    int32_t code;
    if (f->now.fresh_rates) return FMI_OK;
    memcpy(f->q, f->x, 8 * s->nq);
    if (normalize(f, f->q)) return no_rotation(f);
    code = supple_call(m->rates, words, &result);
    if (code == SUPPLE_OK) code = supple_accelerate(m, evaluated(f), f->q, u, z, a);
    if (code != SUPPLE_OK) return fmi_say(f, FMI_ERROR, "rates at t = %g s: %s", f->now.time, supple_message(code));
    memcpy(zdot, m->work + s->at_zdot, 8 * s->nz);
    for (int64_t k = 0; k < f->ports->size.quaternions; k++) {
        const double *x = f->x + f->ports->quaternion[k];
        const double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
        for (int i = 0; i < 4; i++) qdot[f->ports->quaternion[k] + i] *= size;
    }
    for (int64_t k = 0; k < f->ports->size.states; k++)
        if (!isfinite(f->rate[k])) code = SUPPLE_NOT_FINITE;
    if (code != SUPPLE_OK) return fmi_say(f, FMI_ERROR, "rates at t = %g s: %s", f->now.time, supple_message(code));
    f->now.fresh_rates = 1;
    return FMI_OK;
}

static int unknown(const fmi_instance *f, const char *function, uint32_t reference)
{
    return fmi_say(f, FMI_ERROR, "%s: there is no variable with the value reference %u", function, reference);
}

int fmi_get(fmi_instance *f, const char *function, const uint32_t *references, size_t count, double *values)
{
    const struct port_sizes *s = &f->ports->size;
    const int64_t outputs = 1 + s->inputs, states = outputs + s->outputs, rates = states + s->states;
    if (fmi_given(f, function, count, references) || fmi_given(f, function, count, values)) return FMI_ERROR;
    for (size_t i = 0; i < count; i++) {
        const int64_t k = references[i];
        int status = FMI_OK;
        if (k >= f->variables) return unknown(f, function, references[i]);
        if (k >= rates)
            status = fmi_update_rates(f);
        else if (k >= outputs && k < states)
            status = update_outputs(f);
        if (status != FMI_OK) return status;
        values[i] = k == 0        ? f->now.time
                    : k < outputs ? f->input[k - 1]
                    : k < states  ? f->ports->value[k - outputs]
                    : k < rates   ? f->x[k - states]
                                  : f->rate[k - rates];
    }
    return FMI_OK;
}

int fmi_set(fmi_instance *f, const char *function, const uint32_t *references, size_t count, const double *values)
{
    const struct port_sizes *s = &f->ports->size;
    const int64_t states = 1 + s->inputs + s->outputs, rates = states + s->states;
    if (fmi_allowed(f, function, INSTANTIATED | INITIALIZING | RUNNING)) return FMI_ERROR;
    if (fmi_given(f, function, count, references) || fmi_given(f, function, count, values)) return FMI_ERROR;
    for (size_t i = 0; i < count; i++) { /* all are looked at before any is taken */
        const int64_t k = references[i];
        if (k >= f->variables) return unknown(f, function, references[i]);
        if (!isfinite(values[i]))
            return fmi_say(f, FMI_ERROR, "%s: %s is %g, expected a finite number", function, f->names[k], values[i]);
        if (k == 0 || (k > s->inputs && k < states) || k >= rates)
            return fmi_say(f, FMI_ERROR, "%s: %s is computed, expected an input or a start value", function, f->names[k]);
        if (k >= states && !(f->now.mode & (INSTANTIATED | INITIALIZING)))
            return fmi_say(f, FMI_ERROR, "%s: %s can be set before and in initialization only", function, f->names[k]);
    }
    for (size_t i = 0; i < count; i++) {
        const int64_t k = references[i];
        if (k <= s->inputs)
            f->input[k - 1] = values[i];
        else {
            f->x[k - states] = values[i];
            f->now.moved = 1;
        }
    }
    fmi_hold(f);
    f->now.fresh_outputs = f->now.fresh_rates = 0;
    return FMI_OK;
}
