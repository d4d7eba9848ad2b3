/* Steps of a model; see supple.h and model.h. */

#include "model.h"

#include <math.h>
#include <time.h>

#define FEWEST 16       /* steps for the first call of a loop, and the most for one */
#define MOST_STEPS 1024
#define QUICK 0.02      /* seconds of a call that may be longer */
#define WINDOW 3.0      /* seconds over which the pace is taken */

/* Whether all constraint rows hold, where some were left out because they followed from others. */
int32_t supple_check_rows(supple_model *m)
{
    const struct header *s = &m->size;
    double *g = m->scratch, *matrices = g + 3 * s->all_nr, *zeros = matrices + 2 * s->all_nr * s->nu;
    int64_t n = s->all_nr, result;
    int64_t words[] = {address(m->all_ints), s->all_ints, address(m->reals), s->reals, address(m->all_work), s->all_work,
                       bits(m->state[s->at_time]), address(m->run + s->at_q), s->nq, address(zeros), s->nu, address(zeros),
                       s->nu, address(g), n, address(g + n), n, address(g + 2 * n), n, address(matrices), n, s->nu,
                       address(matrices + n * s->nu), n, s->nu};
    int32_t code;
    if (n == 0) return SUPPLE_OK;
    memset(m->scratch, 0, 8 * (3 * n + 2 * n * s->nu + s->nu));
    code = supple_call(m->constrain, words, &result);
    if (code != SUPPLE_OK) return code;
    for (int64_t k = 0; k < n; k++)
        if (!(fabs(g[k]) <= m->limits[0] * m->row_sizes[k])) return SUPPLE_ROWS;
    return SUPPLE_OK;
}

/* The loop begins anew: behind the end of its last step forces may jump. */
void supple_begin(supple_model *m)
{
    m->count[m->size.at_stop] = m->count[m->size.at_steps] = 0;
    m->count[m->size.at_fresh] = m->count[m->size.at_rejected] = 0;
    if (m->size.fixed_step) m->state[m->size.at_size] = 0.0; /* equal steps to the next stop are counted anew */
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* How fast a call goes on: looked at in windows of a few seconds, so that calls that will not end do not last. */
struct pace {
    double begun, mark, time, gone; /* clock at the begin, and of this window; time there; what the last window went */
    int64_t made;                   /* steps before this window */
    int hopeless;                   /* whether the last window was */
};

/* Whether two windows, the later one hardly faster, say that the call to the time t takes too many steps or too long. */
static int too_slow(const supple_model *m, struct pace *p, double t, int64_t made)
{
    const double clock = seconds(), now = m->state[m->size.at_time], gone = now - p->time;
    const double windows = gone > 0.0 ? (t - now) / gone : INFINITY;
    const int before = p->hopeless && !(gone > 1.5 * p->gone);
    if (clock - p->mark < WINDOW) return 0;
    p->hopeless = (double)made + windows * (double)(made - p->made) > (double)m->size.max_steps ||
                  clock - p->begun + windows * (clock - p->mark) > m->patience;
    p->mark = clock;
    p->time = now;
    p->gone = gone;
    p->made = made;
    return before && p->hopeless;
}

/* Steps to n instants in m->next, the last of which is t. */
static int32_t advance(supple_model *m, int64_t n, double t)
{
    const struct header *s = &m->size;
    const double begun = seconds();
    struct pace pace = {begun, begun, m->state[s->at_time], 0.0, 0, 0};
    int64_t made = 0, chunk = FEWEST, outcome = s->paused;
    while (outcome == s->paused) {
        const int64_t budget = s->max_steps - made < chunk ? s->max_steps - made : chunk;
        const double start = seconds();
        int64_t words[] = {address(m->ints), s->ints, address(m->reals), s->reals, address(m->work), s->work,
                           address(m->run), s->run, address(m->state), s->state, address(m->count), s->count,
                           address(m->next), 2 * n, address(m->next), 0, address(m->next), 0, 0, budget};
        int64_t gone = m->count[s->at_steps] + m->count[s->at_refused];
        int32_t code;
        m->count[s->at_events] = m->count[s->at_touches] = 0; /* nobody takes them, and their room is limited */
        code = budget > 0 ? supple_call(m->loop, words, &outcome) : SUPPLE_TOO_MANY;
        if (code != SUPPLE_OK) return code;
        gone = m->count[s->at_steps] + m->count[s->at_refused] - gone;
        made += gone > 0 && gone < budget ? gone : budget; /* a loop returns early where touches wait */
        if (outcome == s->paused && too_slow(m, &pace, t, made)) return SUPPLE_TOO_SLOW;
        if (seconds() - start < QUICK) {
            if (chunk < MOST_STEPS) chunk *= 2;
        } else if (chunk > 1)
            chunk /= 2;
    }
    return outcome == s->done ? supple_check_rows(m) : (int32_t)(16 + outcome);
}

/* Integrate to the time t, over the first `all` of the stops. */
static int32_t integrate(supple_model *m, double t, int64_t all, double apart)
{
    const struct header *s = &m->size;
    const double *stop = m->stops, *left = m->stops + s->stops / 2;
    double *now = m->state + s->at_time;
    int64_t n = 0;
    for (int64_t k = 0; k < all; k++) {
        if (stop[k] > *now && stop[k] <= *now + apart) *now = stop[k]; /* the same instant: behind the jump */
        if (stop[k] > *now && stop[k] < t - apart) n++;
    }
    n++;
    m->next[n - 1] = m->next[2 * n - 1] = t;
    for (int64_t k = 0, i = 0; k < all; k++) /* instants to land on, then for each its earlier side */
        if (stop[k] > *now && stop[k] < t - apart) {
            m->next[i] = stop[k];
            m->next[n + i++] = left[k];
        } else if (stop[k] > *now && stop[k] <= t)
            m->next[2 * n - 1] = left[k];
    supple_begin(m);
    return advance(m, n, t);
}

int32_t supple_step(supple_model *m, double t)
{
    const int64_t all = m->size.stops / 2;
    const double now = m->state[m->size.at_time], apart = m->limits[1];
    if (!(t > now + apart)) return t >= now - apart ? SUPPLE_OK : SUPPLE_BACKWARDS;
    if (!(t <= m->stops[all - 1] + apart)) return SUPPLE_TOO_LATE;
    return integrate(m, t, all, apart);
}

int32_t supple_advance(supple_model *m, double t)
{
    const struct header *s = &m->size;
    const double now = m->state[s->at_time], far = fmax(fabs(now), fabs(t)), apart = 1e-14 * far;
    const int64_t refused = m->count[s->at_refused];
    int32_t code;
    if (!(t > now)) return SUPPLE_BACKWARDS;
    m->state[s->at_error] = m->state[s->at_switch] = 0.0;
    m->state[s->at_least] = 1e-15 * far;
    m->count[s->at_factored] = 0;
    code = integrate(m, t, s->stops / 2 - 1, apart); /* the last stop is no jump but the end of the image */
    /* The size of a single step was not looked at: it was cut. */
    if (code == SUPPLE_OK && !s->fixed_step && m->count[s->at_steps] == 1 && m->count[s->at_refused] == refused)
        m->state[s->at_size] = 2.0 * (t - now);
    return code;
}

void supple_patience(supple_model *model, double seconds)
{
    if (model) model->patience = seconds > 0.0 ? seconds : INFINITY;
}
