/* Inputs and outputs of a model; see ports.h. */

#include "ports.h"

#include <stdlib.h>

#define MAGIC 0x003154524f505053 /* "SPPORT1" and a zero, lowest byte first */
#define COLUMNS 18               /* of a node: rotation (9), place (3), angular and linear velocity; core/equations/history.py */

/* Whether `room` numbers from x on end before `end`. */
static int within(int64_t x, int64_t room, int64_t end) { return room >= 0 && x >= 0 && room <= end && x <= end - room; }

/* Whether the sizes are those of so many words, and of the model. */
static int fit(const struct port_sizes *p, const struct header *s, int64_t words)
{
    const int64_t lengths[] = {p->inputs, p->inputs,  p->outputs, p->outputs, p->outputs, p->points, p->points, p->points, p->points,
                               p->points, p->points, p->quaternions, p->data, p->breaks, p->states, p->text};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        if (lengths[k] < 0 || lengths[k] > words) return 0;
        words -= lengths[k];
    }
    if (words != 0 || p->text < 1 || (p->exchange != 0 && p->exchange != 1)) return 0;
    return p->nodes == s->nodes && p->states == s->nq + s->nu + s->nz; /* otherwise of another model */
}

/* Whether a point is on a node, and its numbers are among the data. */
static int point_fits(const port_point *p, const struct header *s, int64_t data)
{
    if (!within(p->node, 1, s->nodes) || p->r < 0 || p->r > data || !within(p->q, p->n, s->nq) || !within(p->u, p->n, s->nu))
        return 0;
    if (p->n > 0 && p->r > data / p->n / p->n) return 0; /* before they are multiplied */
    return within(p->data, 3 + 3 * p->n + 3 * p->r + p->r * p->n * p->n, data);
}

/* Whether inputs, outputs, points and quaternions name numbers that the model has. */
static int indices_fit(const supple_ports *p, const struct header *s)
{
    const char *text = p->text;
    for (int64_t k = 0; k < p->size.inputs; k++)
        if (!within(p->place[k], 4, s->reals)) return 0;
    for (int64_t k = 0; k < p->size.points; k++)
        if (!point_fits(p->point + k, s, p->size.data)) return 0;
    for (int64_t k = 0; k < p->size.quaternions; k++)
        if (!within(p->quaternion[k], 4, s->nq)) return 0;
    for (int64_t k = 0; k < p->size.outputs; k++) {
        const port_output *o = p->output + k;
        const int on_point = o->kind == OF_PLACE || o->kind == OF_MOTION;
        if (o->kind < OF_POSITION || o->kind > OF_MOTION || (on_point && !within(o->component, 1, 3))) return 0;
        if (!within(o->index, 1, on_point ? p->size.points : o->kind == OF_POSITION ? s->nq : s->nu)) return 0;
    }
    return text[8 * p->size.text - 1] == 0; /* names end */
}

int32_t supple_ports_create(const void *block, int64_t bytes, const supple_model *model, supple_ports **made)
{
    const char *from = block;
    const struct header *s = &model->size;
    const int64_t fixed = 16 + (int64_t)sizeof(struct port_sizes);
    struct port_sizes size;
    int64_t magic, sum, words, more;
    supple_ports *ports;
    char *place;
    *made = NULL;
    if (!block || bytes < fixed || bytes % 8) return SUPPLE_NO_IMAGE;
    memcpy(&magic, from, 8);
    memcpy(&sum, from + 8, 8);
    if (magic != MAGIC || sum != supple_check_sum(from + 16, bytes - 16)) return SUPPLE_NO_IMAGE;
    memcpy(&size, from + 16, sizeof size);
    words = (bytes - fixed) / 8;
    if (!fit(&size, s, words)) return SUPPLE_BAD_SIZES;
    more = size.outputs + COLUMNS * size.nodes + s->nq + s->nu;
    ports = calloc(1, sizeof *ports);
    if (!ports) return SUPPLE_NO_MEMORY;
    ports->size = size;
    ports->memory = calloc((size_t)(words + more + 1), 8);
    if (!ports->memory) {
        free(ports);
        return SUPPLE_NO_MEMORY;
    }
    memcpy(ports->memory, from + fixed, 8 * (size_t)words);
    place = ports->memory;
    ports->place = part(&place, size.inputs);
    ports->driven = part(&place, size.inputs);
    ports->output = part(&place, 3 * size.outputs);
    ports->point = part(&place, 6 * size.points);
    ports->quaternion = part(&place, size.quaternions);
    ports->data = part(&place, size.data);
    ports->breaks = part(&place, size.breaks);
    ports->nominal = part(&place, size.states);
    ports->text = part(&place, size.text);
    ports->value = part(&place, size.outputs);
    ports->nodes = part(&place, COLUMNS * size.nodes);
    ports->q = part(&place, s->nq);
    ports->u = part(&place, s->nu);
    if (!indices_fit(ports, s)) {
        supple_ports_free(ports);
        return SUPPLE_BAD_INDEX;
    }
    *made = ports;
    return SUPPLE_OK;
}

void supple_ports_free(supple_ports *ports)
{
    if (ports) free(ports->memory);
    free(ports);
}

/* An input is a polynomial among the reals: instant, value, rate, half of the second derivative. */
void supple_ports_hold(const supple_ports *p, supple_model *m, double t, const double *input, const double *motion)
{
    for (int64_t k = 0; k < p->size.inputs; k++) {
        double *x = m->reals + p->place[k];
        if (p->driven[k]) {
            x[0] = t;
            x[1] = motion[k];
            x[2] = motion[p->size.inputs + k];
            x[3] = 0.5 * input[k];
        } else
            x[1] = input[k];
    }
}

/* Displacement (3) of a point by elastic coordinates in axes of its node, and its rate. */
static void deform(const port_point *point, const double *data, const double *q, const double *u, double *moved, double *rate)
{
    const int64_t n = point->n, r = point->r;
    const double *Phi = data + 3, *slaved = Phi + 3 * n, *Gamma = slaved + 3 * r;
    for (int i = 0; i < 3; i++) {
        moved[i] = rate[i] = 0.0;
        for (int64_t k = 0; k < n; k++) {
            moved[i] += Phi[i * n + k] * q[k];
            rate[i] += Phi[i * n + k] * u[k];
        }
    }
    for (int64_t l = 0; l < r; l++) {
        double amplitude = 0.0, change = 0.0; /* q . Gamma q / 2 */
        for (int64_t j = 0; j < n; j++)
            for (int64_t k = 0; k < n; k++) {
                const double g = Gamma[(l * n + j) * n + k];
                amplitude += 0.5 * g * q[j] * q[k];
                change += g * q[k] * u[j];
            }
        for (int i = 0; i < 3; i++) {
            moved[i] += slaved[i * r + l] * amplitude;
            rate[i] += slaved[i * r + l] * change;
        }
    }
}

/* Place and velocity (3 each) of a point. */
static void follow(const supple_ports *p, const port_point *point, double *at, double *velocity)
{
    const double *x = p->nodes + COLUMNS * point->node, *w = x + 12, *data = p->data + point->data;
    double local[3], moved[3], rate[3], arm[3];
    deform(point, data, p->q + point->q, p->u + point->u, moved, rate);
    for (int i = 0; i < 3; i++) local[i] = data[i] + moved[i];
    for (int i = 0; i < 3; i++) {
        arm[i] = x[3 * i] * local[0] + x[3 * i + 1] * local[1] + x[3 * i + 2] * local[2];
        velocity[i] = x[15 + i] + x[3 * i] * rate[0] + x[3 * i + 1] * rate[1] + x[3 * i + 2] * rate[2];
        at[i] = x[9 + i] + arm[i];
    }
    for (int i = 0; i < 3; i++) velocity[i] += w[(i + 1) % 3] * arm[(i + 2) % 3] - w[(i + 2) % 3] * arm[(i + 1) % 3];
}

int32_t supple_ports_read(supple_ports *p, supple_model *m, double t, const double *q, const double *u)
{
    const struct header *s = &m->size;
    const int64_t width = COLUMNS * p->size.nodes;
    int64_t result, words[] = {address(m->ints), s->ints, address(m->reals), s->reals, address(m->work), s->work,
                               address(p->q), 1, s->nq, address(p->u), 1, s->nu, address(p->nodes), 1, width};
    int32_t code;
    memcpy(p->q, q, 8 * s->nq);
    memcpy(p->u, u, 8 * s->nu);
    code = supple_project(m, t, p->q, p->u);
    if (code == SUPPLE_OK && p->size.points) code = supple_call(m->motion, words, &result);
    if (code != SUPPLE_OK) return code;
    for (int64_t k = 0; k < p->size.outputs; k++) {
        const port_output *o = p->output + k;
        double at[3], velocity[3];
        if (o->kind == OF_PLACE || o->kind == OF_MOTION) {
            follow(p, p->point + o->index, at, velocity); /* three times for a vector: it costs little */
            p->value[k] = o->kind == OF_PLACE ? at[o->component] : velocity[o->component];
        } else
            p->value[k] = o->kind == OF_POSITION ? p->q[o->index] : p->u[o->index];
    }
    return SUPPLE_OK;
}
