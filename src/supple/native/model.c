/* Models for C programs; see supple.h. What a model consists of is in model.h. */

#include "model.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define MAGIC 0x0031454c50505553 /* "SUPPLE1" and a zero, lowest byte first */
#define MOST (1 << 27)           /* of a size in the header, as in core/images/rules.py */
#define NUMBERS ((int64_t)(offsetof(struct header, ints) / 8)) /* of the header, before lengths of arrays */

/* What the entry check_image returns, core/images/image.py */
enum { NO_FAULT = 0, HEADER_FAULT = 1, NUMBER_FAULT = 12 };

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

/* Step loops by the numbers that core/images/image.py knows them by */
static const char *const LOOPS[] = {"radau_run", "dop853_run", "alpha_run", "energy_run"};

/* Whether the lengths in a header are those of so many words, and its sizes small enough to count with. */
static int fit(const struct header *s, int64_t words)
{
    const int64_t lengths[] = {s->ints, s->all_ints, s->reals, s->run, s->state, s->count, s->stops, s->row_sizes, s->limits};
    const int64_t sizes[] = {s->nodes, s->nq, s->nu, s->nz, s->nr, s->all_nr};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        if (lengths[k] < 0 || lengths[k] > words) return 0;
        words -= lengths[k];
    }
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (sizes[k] < 0 || sizes[k] > MOST) return 0;
    return words == 0;
}

/* Copy the arrays of an image; between the run's buffer and the next is a margin. */
static int32_t copy_arrays(supple_model *m, const char *from, int64_t words)
{
    const struct header *s = &m->size;
    const int64_t before = s->ints + s->all_ints + s->reals + s->run;
    char *place;
    m->margin = s->nu + s->nr;
    m->memory = calloc((size_t)(words + m->margin + 1), 8);
    if (!m->memory) return SUPPLE_NO_MEMORY;
    place = m->memory;
    memcpy(place, from, 8 * (size_t)before);
    memcpy(place + 8 * (before + m->margin), from + 8 * before, 8 * (size_t)(words - before));
    m->ints = part(&place, s->ints);
    m->all_ints = part(&place, s->all_ints);
    m->reals = part(&place, s->reals);
    m->run = part(&place, s->run);
    part(&place, m->margin);
    m->state = part(&place, s->state);
    m->count = part(&place, s->count);
    m->stops = part(&place, s->stops);
    m->row_sizes = part(&place, s->row_sizes);
    m->limits = part(&place, s->limits);
    return SUPPLE_OK;
}

/* Make room for what kernels work in; sizes are known to be sound. */
static int32_t make_workspaces(supple_model *m)
{
    const struct header *s = &m->size;
    const int64_t scratch = 3 * s->all_nr + 2 * s->all_nr * s->nu + 2 * s->nu + s->nq;
    char *place;
    m->workspace = calloc((size_t)(s->work + s->all_work + s->stops + 2 + scratch), 8);
    if (!m->workspace) return SUPPLE_NO_MEMORY;
    place = m->workspace;
    m->work = part(&place, s->work);
    m->all_work = part(&place, s->all_work);
    m->next = part(&place, s->stops + 2);
    m->scratch = part(&place, scratch);
    return SUPPLE_OK;
}

static int32_t find_entries(supple_model *m, const char *loop)
{
    m->method = -1;
    for (int64_t k = 0; k < (int64_t)(sizeof LOOPS / sizeof *LOOPS); k++)
        if (strcmp(loop, LOOPS[k]) == 0) m->method = k;
    m->loop = m->method < 0 ? NULL : find(loop, "ifvvvjffmn");
    m->residual = find("residual", "ifvrvvvvv");
    m->accelerate = find("accelerate", "ifvrvvvv");
    m->project = find("project", "ifvfmmvv");
    m->constrain = find("constrain", "ifvrvvvvvvmm");
    m->rates = find("qdot", "ifvvvv");
    m->motion = find("motion_history", "ifvmmm");
    m->check = find("check_image", "iiifvvjfffn");
    return m->loop && m->residual && m->accelerate && m->project && m->constrain && m->rates && m->motion && m->check
               ? SUPPLE_OK
               : SUPPLE_NO_ENTRY;
}

int32_t supple_check(const supple_model *m, double *run, double *state, int64_t *count)
{
    const struct header *s = &m->size;
    int64_t fault = HEADER_FAULT;
    int64_t words[] = {address(s), NUMBERS, address(m->ints), s->ints, address(m->all_ints), s->all_ints, address(m->reals),
                       s->reals, address(run), s->run, address(state), s->state, address(count), s->count, address(m->stops),
                       s->stops, address(m->row_sizes), s->row_sizes, address(m->limits), s->limits, m->method};
    int32_t code = supple_call(m->check, words, &fault);
    if (code != SUPPLE_OK || fault == NO_FAULT) return code;
    return fault == HEADER_FAULT ? SUPPLE_BAD_SIZES : fault == NUMBER_FAULT ? SUPPLE_BAD_NUMBER : SUPPLE_BAD_INDEX;
}

int32_t supple_create(const void *image, int64_t bytes, supple_model **made)
{
    const char *from = image;
    const int64_t fixed = 8 + 16 + 8 + 32 + (int64_t)sizeof(struct header);
    char loop[33] = "";
    int64_t magic, sum, words;
    int32_t code;
    supple_model *model;
    *made = NULL;
    if (!image || bytes < fixed || bytes % 8) return SUPPLE_NO_IMAGE;
    memcpy(&magic, from, 8);
    if (magic != MAGIC) return SUPPLE_NO_IMAGE;
    if (strncmp(from + 8, supple_sources, 16) != 0) return SUPPLE_OTHER_SOURCES;
    if (!supple_runs_here()) return SUPPLE_OTHER_CPU;
    memcpy(&sum, from + 24, 8);
    if (sum != supple_check_sum(from + 32, bytes - 32)) return SUPPLE_NO_IMAGE;
    memcpy(loop, from + 32, 32);
    words = (bytes - fixed) / 8;
    model = calloc(1, sizeof *model);
    if (!model) return SUPPLE_NO_MEMORY;
    memcpy(&model->size, from + 64, sizeof model->size);
    model->patience = SUPPLE_PATIENCE;
    code = fit(&model->size, words) ? find_entries(model, loop) : SUPPLE_BAD_SIZES;
    if (code == SUPPLE_OK) code = copy_arrays(model, from + fixed, words);
    if (code == SUPPLE_OK) code = supple_check(model, model->run, model->state, model->count);
    if (code == SUPPLE_OK) code = make_workspaces(model);
    if (code != SUPPLE_OK) {
        supple_free(model);
        return code;
    }
    model->first_size = model->state[model->size.at_size];
    *made = model;
    return SUPPLE_OK;
}

void supple_free(supple_model *model)
{
    if (!model) return;
    free(model->memory);
    free(model->workspace);
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
    supple_begin(m);
    if (s->nr == 0) return SUPPLE_OK;
    code = supple_project(m, t, mine, rate);
    return code == SUPPLE_OK ? supple_check_rows(m) : code;
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
    case SUPPLE_BAD_SIZES: return "sizes in the image do not fit its length; write the image again";
    case SUPPLE_BAD_INDEX: return "an integer in the image points outside of what it numbers; write the image again";
    case SUPPLE_BAD_NUMBER: return "a time, a tolerance or a step in the image is no usable number; write the image again";
    case SUPPLE_TOO_SLOW:
        return "at its pace it would take more steps than max_steps of the integrator, or longer than supple_patience, of an FMU "
               "the variable SUPPLE_PATIENCE, allows; look for a frequency or a stiffness that is far too high, or make shorter "
               "steps";
    case SUPPLE_LINE_END: return "something has slid to the end of its line";
    case SUPPLE_STEP_TOO_SMALL: return "the step fell below the smallest that changes the time";
    case SUPPLE_NOT_CONVERGED: return "the iteration for a step does not converge";
    case SUPPLE_LOCKED: return "a velocity has no inertia, or constraints depend on each other";
    case SUPPLE_NOT_FINITE: return "an acceleration is not finite";
    case SUPPLE_GROWN: return "a coordinate has grown so far that rounding exceeds the tolerance";
    }
    return "there is no such code";
}
