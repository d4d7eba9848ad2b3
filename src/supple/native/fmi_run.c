/* An FMU in motion: steps of co-simulation, states and rates for model exchange, states of the FMU; see fmi.h. */

#include "fmi.h"

#include <math.h>
#include <stdlib.h>

int fmi_step(fmi_instance *f, const char *function, double from, double length)
{
    const struct header *s = &f->model->size;
    const double begin = f->now.time, end = from + length;
    const int64_t n = f->ports->size.inputs;
    int32_t code;
    if (fmi_allowed(f, function, STEPPING)) return FMI_ERROR;
    if (!isfinite(from) || !isfinite(length))
        return fmi_say(f, FMI_ERROR, "%s: a step of %g s from %g s, expected finite numbers", function, length, from);
    if (!(length > 0.0)) return fmi_say(f, FMI_ERROR, "%s: the step is %g s, expected a positive number", function, length);
    if (fabs(from - begin) > 1e-6 * length + 1e-12 * fabs(begin))
        return fmi_say(f, FMI_ERROR, "%s: the step begins at %.17g s, but the FMU is at %.17g s", function, from, begin);
    if (!(end > begin)) return fmi_say(f, FMI_ERROR, "%s: the step of %g s is lost beside %g s", function, length, begin);
    fmi_hold(f);
    fmi_get_state(f, function, &f->before);
    code = supple_advance(f->model, end);
    if (code != SUPPLE_OK) {
        const double reached = f->model->state[s->at_time];
        fmi_set_state(f, function, f->before);
        return fmi_say(f, FMI_DISCARD, "%s: the step from t = %g s stopped at t = %g s: %s; the FMU is where it was before",
                       function, begin, reached, supple_message(code));
    }
    supple_state(f->model, &f->now.time, f->x, f->x + s->nq, f->x + s->nq + s->nu);
    for (int64_t k = 0; k < n; k++) {
        f->motion[k] += (end - begin) * (f->motion[n + k] + 0.5 * (end - begin) * f->input[k]);
        f->motion[n + k] += (end - begin) * f->input[k];
    }
    f->now.time = end;
    f->now.fresh_outputs = f->now.fresh_rates = 0;
    fmi_hold(f);
    return FMI_OK;
}

static int sized(const fmi_instance *f, const char *function, size_t count, const void *pointer)
{
    if ((int64_t)count == f->ports->size.states) return fmi_given(f, function, count, pointer);
    return fmi_say(f, FMI_ERROR, "%s was called for %zu states, expected %lld", function, count,
                   (long long)f->ports->size.states);
}

int fmi_set_time(fmi_instance *f, const char *function, double t)
{
    if (fmi_allowed(f, function, EVENT | CONTINUOUS)) return FMI_ERROR;
    if (!isfinite(t)) return fmi_say(f, FMI_ERROR, "%s: the time is %g, expected a finite number", function, t);
    f->now.fresh_outputs = f->now.fresh_rates = 0;
    f->now.time = t;
    return FMI_OK;
}

int fmi_set_states(fmi_instance *f, const char *function, const double *x, size_t count)
{
    if (fmi_allowed(f, function, EVENT | CONTINUOUS) || sized(f, function, count, x)) return FMI_ERROR;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(x[k]))
            return fmi_say(f, FMI_ERROR, "%s: state %zu is %g, expected a finite number", function, k + 1, x[k]);
    if (count) memcpy(f->x, x, 8 * count);
    f->now.fresh_outputs = f->now.fresh_rates = 0;
    return FMI_OK;
}

int fmi_get_states(fmi_instance *f, const char *function, double *x, size_t count)
{
    if (sized(f, function, count, x)) return FMI_ERROR;
    if (count) memcpy(x, f->x, 8 * count);
    return FMI_OK;
}

int fmi_get_rates(fmi_instance *f, const char *function, double *rates, size_t count)
{
    int status;
    if (fmi_allowed(f, function, INITIALIZING | RUNNING | TERMINATED) || sized(f, function, count, rates)) return FMI_ERROR;
    status = fmi_update_rates(f);
    if (status == FMI_OK && count) memcpy(rates, f->rate, 8 * count);
    return status;
}

int fmi_get_nominals(fmi_instance *f, const char *function, double *nominals, size_t count)
{
    if (sized(f, function, count, nominals)) return FMI_ERROR;
    if (count) memcpy(nominals, f->ports->nominal, 8 * count);
    return FMI_OK;
}

int fmi_enter_event(fmi_instance *f, const char *function)
{
    if (fmi_allowed(f, function, CONTINUOUS)) return FMI_ERROR;
    f->now.mode = EVENT;
    f->now.fresh_outputs = f->now.fresh_rates = 0;
    return FMI_OK;
}

int fmi_update(fmi_instance *f, const char *function, int *has_next, double *next)
{
    if (fmi_allowed(f, function, EVENT)) return FMI_ERROR;
    fmi_find_next(f);
    *has_next = isfinite(f->now.next) ? 1 : 0;
    *next = *has_next ? f->now.next : 0.0;
    return FMI_OK;
}

int fmi_enter_continuous(fmi_instance *f, const char *function)
{
    if (fmi_allowed(f, function, EVENT)) return FMI_ERROR;
    f->now.mode = CONTINUOUS;
    return FMI_OK;
}

/* A state of the FMU: a header, the numbers of the instance, those of the model, and its workspaces. */
struct head {
    int64_t magic, bytes, sum; /* sum: of the token */
    struct fmi_now now;
};

#define STATE 0x31455441544d4653 /* "SFMTATE1" */

static size_t own_words(const fmi_instance *f)
{
    return (size_t)(f->ports->size.states + 3 * f->ports->size.inputs);
}

/* Of reals, run, state and count, which lie one after the other, with the margin behind the run. */
static size_t changing_words(const supple_model *m)
{
    return (size_t)(m->size.reals + m->size.run + m->margin + m->size.state + m->size.count);
}

size_t fmi_state_bytes(const fmi_instance *f)
{
    const struct header *s = &f->model->size;
    return sizeof(struct head) + 8 * (own_words(f) + changing_words(f->model) + (size_t)(s->work + s->all_work));
}

static struct head head_of(const fmi_instance *f)
{
    struct head h = {STATE, (int64_t)fmi_state_bytes(f), 0, f->now};
    h.sum = supple_check_sum(f->ports->text, (int64_t)strlen(f->ports->text));
    return h;
}

/* Whether a block is a state of this FMU. */
static int is_state(const fmi_instance *f, const void *state)
{
    const struct head mine = head_of(f);
    return state && memcmp(state, &mine, offsetof(struct head, now)) == 0;
}

/* Whether what a state holds can be run, whoever wrote it. */
static int is_sound(const fmi_instance *f, const void *state)
{
    const struct header *s = &f->model->size;
    struct head h;
    double *reals = (double *)((char *)state + sizeof h) + own_words(f), *run = reals + s->reals;
    double *numbers = run + s->run + f->model->margin;
    memcpy(&h, state, sizeof h);
    return isfinite(h.now.time) && supple_check(f->model, run, numbers, (int64_t *)(numbers + s->state)) == SUPPLE_OK;
}

int fmi_get_state(fmi_instance *f, const char *function, void **state)
{
    const struct header *s = &f->model->size;
    const struct head h = head_of(f);
    char *to;
    if (fmi_given(f, function, 1, state)) return FMI_ERROR;
    if (!*state) *state = malloc(fmi_state_bytes(f));
    if (!*state) return fmi_say(f, FMI_ERROR, "%s: %s", function, supple_message(SUPPLE_NO_MEMORY));
    to = *state;
    memcpy(to, &h, sizeof h);
    memcpy(to += sizeof h, f->x, 8 * own_words(f));
    memcpy(to += 8 * own_words(f), f->model->reals, 8 * changing_words(f->model)); /* reals, run, state, count in one */
    memcpy(to + 8 * changing_words(f->model), f->model->work, 8 * (size_t)(s->work + s->all_work));
    return FMI_OK;
}

int fmi_set_state(fmi_instance *f, const char *function, const void *state)
{
    const struct header *s = &f->model->size;
    const char *from = state;
    struct head h;
    if (!is_state(f, state)) return fmi_say(f, FMI_ERROR, "%s: this is no state of this FMU", function);
    memcpy(&h, from, sizeof h);
    f->now = h.now;
    memcpy(f->x, from += sizeof h, 8 * own_words(f));
    memcpy(f->model->reals, from += 8 * own_words(f), 8 * changing_words(f->model));
    memcpy(f->model->work, from + 8 * changing_words(f->model), 8 * (size_t)(s->work + s->all_work));
    f->now.fresh_outputs = f->now.fresh_rates = 0;
    return FMI_OK;
}

int fmi_write_state(const fmi_instance *f, const char *function, const void *state, void *bytes, size_t size)
{
    const int64_t sum = is_state(f, state) ? supple_check_sum(state, (int64_t)fmi_state_bytes(f)) : 0;
    if (!is_state(f, state)) return fmi_say(f, FMI_ERROR, "%s: this is no state of this FMU", function);
    if (fmi_given(f, function, size, bytes)) return FMI_ERROR;
    if (size < fmi_state_bytes(f) + 8)
        return fmi_say(f, FMI_ERROR, "%s: room for %zu bytes, expected %zu", function, size, fmi_state_bytes(f) + 8);
    memcpy(bytes, &sum, 8);
    memcpy((char *)bytes + 8, state, fmi_state_bytes(f));
    return FMI_OK;
}

int fmi_read_state(fmi_instance *f, const char *function, const void *bytes, size_t size, void **state)
{
    const size_t mine = fmi_state_bytes(f);
    const char *from = (const char *)bytes + 8;
    int64_t sum = 0;
    if (fmi_given(f, function, 1, bytes) || fmi_given(f, function, 1, state)) return FMI_ERROR;
    if (size >= 8) memcpy(&sum, bytes, 8);
    if (size < mine + 8 || !is_state(f, from) || sum != supple_check_sum(from, (int64_t)mine))
        return fmi_say(f, FMI_ERROR, "%s: these bytes are no state of this FMU", function);
    *state = malloc(mine);
    if (*state && !is_sound(f, memcpy(*state, from, mine))) {
        free(*state);
        *state = NULL;
        return fmi_say(f, FMI_ERROR, "%s: these bytes are no state of this FMU", function);
    }
    if (!*state) return fmi_say(f, FMI_ERROR, "%s: %s", function, supple_message(SUPPLE_NO_MEMORY));
    return FMI_OK;
}
