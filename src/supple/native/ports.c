/* Inputs and outputs of a model; see ports.h. */

#include "ports.h"

#include <stdlib.h>

#define MAGIC 0x003154524f505053 /* "SPPORT1" and a zero, lowest byte first */
#define COLUMNS 18               /* of a node: rotation (9), place (3), angular and linear velocity; core/history.py */

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
    if (bytes < fixed) return SUPPLE_NO_IMAGE;
    memcpy(&magic, from, 8);
    memcpy(&sum, from + 8, 8);
    if (magic != MAGIC || sum != supple_check_sum(from + 16, bytes - 16)) return SUPPLE_NO_IMAGE;
    memcpy(&size, from + 16, sizeof size);
    if (size.states != s->nq + s->nu + s->nz) return SUPPLE_NO_IMAGE; /* of another model */
    words = (bytes - fixed) / 8;
    more = size.outputs + COLUMNS * size.nodes + s->nq + s->nu;
    ports = calloc(1, sizeof *ports);
    if (!ports) return SUPPLE_NO_MEMORY;
    ports->size = size;
    ports->memory = calloc(words + more + 1, 8);
    if (!ports->memory) {
        free(ports);
        return SUPPLE_NO_MEMORY;
    }
    memcpy(ports->memory, from + fixed, 8 * words);
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
