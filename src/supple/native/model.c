/* Models for C programs; see supple.h. What a model consists of is in model.h. */

#include "model.h"

#include <math.h>
#include <stdlib.h>

#define MAGIC 0x0031454c50505553 /* "SUPPLE1" and a zero, lowest byte first */
#define BUDGET 1000              /* steps for one call of a loop */

static const supple_entry *find(const char *name, const char *kinds)
{
    for (const supple_entry *e = supple_entries; e->name; e++)
        if (strcmp(e->name, name) == 0 && strcmp(e->kinds, kinds) == 0) return e;
    return NULL;
}

int32_t supple_call(const supple_entry *entry, const int64_t *words, int64_t *result)
{
    int64_t unused = 0;
    void *error = NULL;
    int32_t status = entry->code(&unused, &error, words, result);
    return status == 0 || status == -2 ? SUPPLE_OK : SUPPLE_FAULT; /* -2: no result */
}

int64_t supple_check_sum(const void *from, int64_t bytes)
{
    const unsigned char *byte = from;
    uint32_t table[256], sum = 0xffffffffu;
    for (uint32_t k = 0; k < 256; k++) {
        table[k] = k;
        for (int i = 0; i < 8; i++) table[k] = table[k] & 1 ? 0xedb88320u ^ (table[k] >> 1) : table[k] >> 1;
    }
    for (int64_t k = 0; k < bytes; k++) sum = table[(sum ^ byte[k]) & 0xff] ^ (sum >> 8);
    return (int64_t)(sum ^ 0xffffffffu);
}

int32_t supple_create(const void *image, int64_t bytes, supple_model **made)
{
    const char *from = image;
    const int64_t fixed = 8 + 16 + 8 + 32 + (int64_t)sizeof(struct header);
    char loop[33] = "";
    int64_t magic, sum, words, scratch;
    supple_model *model;
    struct header size;
    char *place;
    *made = NULL;
    if (bytes < fixed) return SUPPLE_NO_IMAGE;
    memcpy(&magic, from, 8);
    if (magic != MAGIC) return SUPPLE_NO_IMAGE;
    if (strncmp(from + 8, supple_sources, 16) != 0) return SUPPLE_OTHER_SOURCES;
    if (!supple_runs_here()) return SUPPLE_OTHER_CPU;
    memcpy(&sum, from + 24, 8);
    if (sum != supple_check_sum(from + 32, bytes - 32)) return SUPPLE_NO_IMAGE;
    memcpy(loop, from + 32, 32);
    memcpy(&size, from + 64, sizeof size);
    words = (bytes - fixed) / 8;
    scratch = 3 * size.all_nr + 2 * size.all_nr * size.nu + 2 * size.nu + size.nq;
    model = calloc(1, sizeof *model);
    if (!model) return SUPPLE_NO_MEMORY;
    model->size = size;
    model->memory = calloc(words + size.work + size.all_work + size.stops + scratch + 1, 8);
    if (!model->memory) {
        free(model);
        return SUPPLE_NO_MEMORY;
    }
    memcpy(model->memory, from + fixed, 8 * words);
    place = model->memory;
    model->ints = part(&place, size.ints);
    model->all_ints = part(&place, size.all_ints);
    model->reals = part(&place, size.reals);
    model->run = part(&place, size.run);
    model->state = part(&place, size.state);
    model->count = part(&place, size.count);
    model->stops = part(&place, size.stops);
    model->row_sizes = part(&place, size.row_sizes);
    model->limits = part(&place, size.limits);
    model->work = part(&place, size.work);
    model->all_work = part(&place, size.all_work);
    model->next = part(&place, size.stops);
    model->scratch = part(&place, scratch);
    model->first_size = model->state[size.at_size];
    model->loop = find(loop, "ifvvvjffmn");
    model->residual = find("residual", "ifvrvvvvv");
    model->accelerate = find("accelerate", "ifvrvvvv");
    model->project = find("project", "ifvfmmvv");
    model->constrain = find("constrain", "ifvrvvvvvvmm");
    model->rates = find("qdot", "ifvvvv");
    model->motion = find("motion_history", "ifvmmm");
    if (!model->loop || !model->residual || !model->accelerate || !model->project || !model->constrain || !model->rates ||
        !model->motion) {
        supple_free(model);
        return SUPPLE_NO_ENTRY;
    }
    *made = model;
    return SUPPLE_OK;
}

void supple_free(supple_model *model)
{
    if (model) free(model->memory);
    free(model);
}

void supple_sizes(const supple_model *model, int64_t *nq, int64_t *nu, int64_t *nz)
{
    *nq = model->size.nq;
    *nu = model->size.nu;
    *nz = model->size.nz;
}

void supple_state(const supple_model *m, double *t, double *q, double *u, double *z)
{
    const struct header *s = &m->size;
    *t = m->state[s->at_time];
    if (q) memcpy(q, m->run + s->at_q, 8 * s->nq);
    if (u) memcpy(u, m->run + s->at_u, 8 * s->nu);
    if (z) memcpy(z, m->run + s->at_z, 8 * s->nz);
}

int32_t supple_residual(supple_model *m, double t, const double *q, const double *u, const double *a, const double *z,
                        double *r)
{
    const struct header *s = &m->size;
    int64_t result, words[] = {address(m->ints), s->ints, address(m->reals), s->reals, address(m->work), s->work, bits(t),
                               address(q), s->nq, address(u), s->nu, address(a), s->nu, address(z), s->nz, address(r), s->nu};
    return supple_call(m->residual, words, &result);
}

int32_t supple_accelerate(supple_model *m, double t, const double *q, const double *u, const double *z, double *a)
{
    const struct header *s = &m->size;
    int64_t bad = -1, words[] = {address(m->ints), s->ints, address(m->reals), s->reals, address(m->work), s->work, bits(t),
                                 address(q), s->nq, address(u), s->nu, address(z), s->nz, address(a), s->nu};
    int32_t code;
    for (int64_t k = 0; k < s->nu; k++) a[k] = 0.0; /* on entry: further generalized forces */
    code = supple_call(m->accelerate, words, &bad);
    return code == SUPPLE_OK && bad >= 0 ? SUPPLE_LOCKED : code;
}

/* Whether all constraint rows hold, where some were left out because they followed from others. */
static int32_t check_rows(supple_model *m)
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
static void begin(supple_model *m)
{
    m->count[m->size.at_stop] = m->count[m->size.at_steps] = 0;
    m->count[m->size.at_fresh] = m->count[m->size.at_rejected] = 0;
    if (m->size.fixed_step) m->state[m->size.at_size] = 0.0; /* equal steps to the next stop are counted anew */
}

int32_t supple_project(supple_model *m, double t, double *q, double *u)
{
    const struct header *s = &m->size;
    double *place = m->scratch, *d = place + s->nq, left = 0.0;
    int64_t result, words[] = {address(m->ints), s->ints, address(m->reals), s->reals, address(m->work), s->work,
                               address(&t), 1, address(q), 1, s->nq, address(u), 1, s->nu, address(d), s->nu,
                               address(place), s->nq};
    int32_t code;
    if (s->nr == 0) return SUPPLE_OK;
    code = supple_call(m->project, words, &result);
    if (code != SUPPLE_OK) return code;
    memcpy(&left, &result, sizeof left);
    return isfinite(left) ? SUPPLE_OK : SUPPLE_NO_POSITION;
}

int32_t supple_set_state(supple_model *m, double t, const double *q, const double *u, const double *z)
{
    const struct header *s = &m->size;
    double *mine = m->run + s->at_q, *rate = m->run + s->at_u;
    int32_t code;
    if (!(t <= m->stops[s->stops / 2 - 1])) return SUPPLE_TOO_LATE;
    memcpy(mine, q, 8 * s->nq);
    memcpy(rate, u, 8 * s->nu);
    if (s->nz) memcpy(m->run + s->at_z, z, 8 * s->nz);
    m->state[s->at_time] = t;
    m->state[s->at_size] = m->first_size;
    m->state[s->at_energy] = -1.0; /* the audit begins anew, too */
    begin(m);
    if (s->nr == 0) return SUPPLE_OK;
    code = supple_project(m, t, mine, rate);
    return code == SUPPLE_OK ? check_rows(m) : code;
}

/* Integrate to the time t, over the first `all` of the stops. */
static int32_t integrate(supple_model *m, double t, int64_t all, double apart)
{
    const struct header *s = &m->size;
    const double *stop = m->stops, *left = m->stops + s->stops / 2;
    double *now = m->state + s->at_time;
    int64_t n = 0, made = 0, outcome = s->paused;
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
    begin(m);
    while (outcome == s->paused) {
        const int64_t budget = s->max_steps - made < BUDGET ? s->max_steps - made : BUDGET;
        int64_t words[] = {address(m->ints), s->ints, address(m->reals), s->reals, address(m->work), s->work,
                           address(m->run), s->run, address(m->state), s->state, address(m->count), s->count,
                           address(m->next), 2 * n, address(m->next), 0, address(m->next), 0, 0, budget};
        int32_t code = budget > 0 ? supple_call(m->loop, words, &outcome) : SUPPLE_TOO_MANY;
        if (code != SUPPLE_OK) return code;
        made += budget;
    }
    return outcome == s->done ? check_rows(m) : (int32_t)(16 + outcome);
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

const char *supple_message(int32_t code)
{
    switch (code) {
    case SUPPLE_OK: return "all is well";
    case SUPPLE_NO_MEMORY: return "there is not enough memory";
    case SUPPLE_NO_IMAGE: return "this is not the image of a model, or only a part of one";
    case SUPPLE_OTHER_SOURCES: return "the image was written by another version of Supple";
    case SUPPLE_NO_ENTRY: return "the library was built without an entry that the model needs";
    case SUPPLE_OTHER_CPU: return "the processor lacks instructions that the library uses";
    case SUPPLE_BACKWARDS: return "a step must go to a later time";
    case SUPPLE_TOO_LATE: return "the image was written for runs that end earlier";
    case SUPPLE_FAULT: return "compiled code ended with an error";
    case SUPPLE_TOO_MANY: return "more steps than max_steps of the integrator were made";
    case SUPPLE_ROWS:
        return "a constraint that followed from the others at the start does not hold any more; write another image near here";
    case SUPPLE_NO_POSITION: return "no position near the given one satisfies the constraints";
    case SUPPLE_LINE_END: return "something has slid to the end of its line";
    case SUPPLE_STEP_TOO_SMALL: return "the step fell below the smallest that changes the time";
    case SUPPLE_NOT_CONVERGED: return "the iteration for a step does not converge";
    case SUPPLE_LOCKED: return "a velocity has no inertia, or constraints depend on each other";
    case SUPPLE_NOT_FINITE: return "an acceleration is not finite";
    case SUPPLE_GROWN: return "a coordinate has grown so far that rounding exceeds the tolerance";
    }
    return "there is no such code";
}
