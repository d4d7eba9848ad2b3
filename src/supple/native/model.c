/* Models for C programs; see supple.h. An image is a sequence of 64-bit words:

       magic, hash of sources (16 letters), name of the step loop (32 letters),
       the numbers of `header`, then the arrays whose lengths it tells, in its order. */

#include "supple.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC 0x0031454c50505553 /* "SUPPLE1" and a zero, lowest byte first */

/* The same names in the same order: HEADER in integrators/image.py */
struct header {
    int64_t nq, nu, nz;              /* sizes of the state */
    int64_t at_q, at_u, at_z;        /* where it is in the run's buffer */
    int64_t at_time, at_stop;        /* in the run's reals and integers */
    int64_t done, paused;            /* what a loop returns */
    int64_t work;                    /* length of the workspace */
    int64_t ints, reals, run, state, count, breaks; /* lengths of arrays; breaks: pairs of times, see stops in driver.py */
};

struct supple_model {
    struct header size;
    const supple_entry *loop, *residual, *accelerate;
    int64_t *ints, *count;
    double *reals, *run, *state, *breaks, *work, *stops;
    void *memory;
};

static const supple_entry *find(const char *name, const char *kinds)
{
    for (const supple_entry *e = supple_entries; e->name; e++)
        if (strcmp(e->name, name) == 0 && strcmp(e->kinds, kinds) == 0) return e;
    return NULL;
}

static int32_t call(const supple_entry *entry, const int64_t *words, int64_t *result)
{
    int64_t unused = 0;
    void *error = NULL;
    int32_t status = entry->code(&unused, &error, words, result);
    return status == 0 || status == -2 ? SUPPLE_OK : SUPPLE_STOPPED;
}

static int64_t address(const void *p) { return (int64_t)(intptr_t)p; }

static int64_t bits(double x)
{
    int64_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static void *part(char **place, int64_t length)
{
    void *here = *place;
    *place += 8 * length;
    return here;
}

int32_t supple_create(const void *image, int64_t bytes, supple_model **made)
{
    const char *from = image;
    const int64_t fixed = 8 + 16 + 32 + (int64_t)sizeof(struct header);
    char loop[33] = "";
    int64_t magic, words;
    supple_model *model;
    struct header size;
    char *place;
    *made = NULL;
    if (bytes < fixed) return SUPPLE_NO_IMAGE;
    memcpy(&magic, from, 8);
    if (magic != MAGIC) return SUPPLE_NO_IMAGE;
    if (strncmp(from + 8, supple_sources, 16) != 0) return SUPPLE_OTHER_SOURCES;
    if (!supple_runs_here()) return SUPPLE_OTHER_CPU;
    memcpy(loop, from + 24, 32);
    memcpy(&size, from + 56, sizeof size);
    words = size.ints + size.reals + size.run + size.state + size.count + 2 * size.breaks;
    if (size.ints < 0 || size.reals < 0 || size.run < 0 || size.state < 0 || size.count < 0 || size.breaks < 0 ||
        size.work < 0 || words < 0 || bytes != fixed + 8 * words)
        return SUPPLE_NO_IMAGE;
    model = calloc(1, sizeof *model);
    if (!model) return SUPPLE_NO_MEMORY;
    model->size = size;
    model->memory = calloc(words + size.work + 2 * (size.breaks + 1) + 1, 8);
    if (!model->memory) {
        free(model);
        return SUPPLE_NO_MEMORY;
    }
    memcpy(model->memory, from + fixed, 8 * words);
    place = model->memory;
    model->ints = part(&place, size.ints);
    model->reals = part(&place, size.reals);
    model->run = part(&place, size.run);
    model->state = part(&place, size.state);
    model->count = part(&place, size.count);
    model->breaks = part(&place, 2 * size.breaks);
    model->work = part(&place, size.work);
    model->stops = part(&place, 2 * (size.breaks + 1));
    model->loop = find(loop, "ifvvvjffmn");
    model->residual = find("residual", "ifvrvvvvv");
    model->accelerate = find("accelerate", "ifvrvvvv");
    if (!model->loop) {
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

int32_t supple_residual(supple_model *m, double t, const double *q, const double *u, const double *a, const double *z,
                        double *r)
{
    const struct header *s = &m->size;
    int64_t result, words[] = {address(m->ints), s->ints, address(m->reals), s->reals, address(m->work), s->work, bits(t),
                               address(q), s->nq, address(u), s->nu, address(a), s->nu, address(z), s->nz, address(r), s->nu};
    return m->residual ? call(m->residual, words, &result) : SUPPLE_NO_ENTRY;
}

int32_t supple_accelerate(supple_model *m, double t, const double *q, const double *u, const double *z, double *a)
{
    const struct header *s = &m->size;
    int64_t result, words[] = {address(m->ints), s->ints, address(m->reals), s->reals, address(m->work), s->work, bits(t),
                               address(q), s->nq, address(u), s->nu, address(z), s->nz, address(a), s->nu};
    if (!m->accelerate) return SUPPLE_NO_ENTRY;
    for (int64_t k = 0; k < s->nu; k++) a[k] = 0.0; /* on entry: further generalized forces */
    return call(m->accelerate, words, &result);
}

int32_t supple_step(supple_model *m, double t)
{
    const struct header *s = &m->size;
    int64_t n = 0, outcome = s->paused;
    double now = m->state[s->at_time];
    if (!(t > now)) return t == now ? SUPPLE_OK : SUPPLE_BACKWARDS;
    for (int64_t k = 0; k < s->breaks; k++) /* instants to land on, then for each its earlier side */
        if (m->breaks[k] > now && m->breaks[k] < t) n++;
    n++;
    for (int64_t k = 0, i = 0; k < s->breaks; k++)
        if (m->breaks[k] > now && m->breaks[k] < t) {
            m->stops[i] = m->breaks[k];
            m->stops[n + i++] = m->breaks[s->breaks + k];
        }
    m->stops[n - 1] = m->stops[2 * n - 1] = t;
    m->count[s->at_stop] = 0;
    while (outcome == s->paused) {
        int64_t words[] = {address(m->ints), s->ints, address(m->reals), s->reals, address(m->work), s->work,
                           address(m->run), s->run, address(m->state), s->state, address(m->count), s->count,
                           address(m->stops), 2 * n, address(m->stops), 0, address(m->stops), 0, 0, 1000000};
        int32_t failed = call(m->loop, words, &outcome);
        if (failed) return failed;
    }
    return outcome == s->done ? SUPPLE_OK : SUPPLE_STOPPED;
}

void supple_state(const supple_model *m, double *t, double *q, double *u, double *z)
{
    const struct header *s = &m->size;
    *t = m->state[s->at_time];
    memcpy(q, m->run + s->at_q, 8 * s->nq);
    memcpy(u, m->run + s->at_u, 8 * s->nu);
    if (z) memcpy(z, m->run + s->at_z, 8 * s->nz);
}

const char *supple_message(int32_t code)
{
    static const char *const sentences[] = {
        "all is well",
        "there is not enough memory",
        "this is not the image of a model",
        "the image was written for another version of the library",
        "the library was built without an entry that the model needs",
        "the processor lacks instructions that the library uses",
        "a step must go to a later time",
        "the integrator cannot go on",
    };
    return code >= 0 && code <= SUPPLE_STOPPED ? sentences[code] : "unknown code";
}
