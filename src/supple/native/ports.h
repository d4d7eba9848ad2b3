/* Inputs and outputs of a model, for the FMI functions: where inputs are written, how outputs are evaluated.

   They come as a block of 64-bit words (io/fmu/ports.py): magic, check sum (CRC-32) of what follows, the numbers of
   `port_sizes`, then the arrays in the order of the fields of `supple_ports`. */

#ifndef SUPPLE_PORTS_H
#define SUPPLE_PORTS_H

#include "model.h"

/* The same names in the same order as SIZES in io/fmu/ports.py */
struct port_sizes {
    int64_t exchange, nodes, inputs, outputs, points, quaternions, data, breaks, states, text;
};

enum { OF_POSITION, OF_VELOCITY, OF_PLACE, OF_MOTION }; /* what an output is read from */

typedef struct {
    int64_t kind, index, component; /* index: in q, in u, or the number of a point */
} port_output;

typedef struct {
    int64_t node, q, u, n, r, data; /* n elastic coordinates from q and u on, r slaved shapes; where its numbers are */
} port_point;

typedef struct {
    struct port_sizes size;
    const int64_t *place, *driven;     /* of inputs: in the reals, and whether it is the acceleration of a driver */
    const port_output *output;
    const port_point *point;
    const int64_t *quaternion;         /* first coordinates of unit quaternions */
    const double *data;                /* of points, in axes of the node: place (3), Phi (3, n), slaved (3, r), Gamma (r, n, n) */
    const double *breaks;              /* instants at which signals jump or have kinks */
    const double *nominal;             /* sizes of states */
    const char *text;                  /* token, then names of time, inputs, outputs, states, each with a zero */
    double *value, *nodes;             /* of outputs; poses and velocities of nodes */
    double *q, *u;                     /* the state that was read last, on the constraints */
    void *memory;
} supple_ports;

int32_t supple_ports_create(const void *block, int64_t bytes, const supple_model *model, supple_ports **ports);
void supple_ports_free(supple_ports *ports);

/* Write inputs into the numbers of a model at a time; motion: values, then rates, of drivers. */
void supple_ports_hold(const supple_ports *ports, supple_model *model, double t, const double *input, const double *motion);

/* Evaluate all outputs at a position and velocity, which are moved onto the constraints. */
int32_t supple_ports_read(supple_ports *ports, supple_model *model, double t, const double *q, const double *u);

#endif
