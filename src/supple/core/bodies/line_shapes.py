"""Place of a point on the axis of a gradient body: the element, its cubics, and its columns."""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.native.declare import kernel

# Integers of an edge in the programs: places of s in q and u, number of nodes, of vectors of a node, stations in the data, scratch
# in the flexible workspace, which axes it has, a direction across the line in the data
S_Q, S_U, NODES, VECTORS, STATIONS, SCRATCH, AXES, DIRECTION, EDGE_INTS = range(9)
# No axes that turn; those of r_s and the nodal vectors r_y; those of r_s and a direction that is fixed in the world
NO_AXES, SECTION, TANGENT = range(3)
OWN = (6, 9, 6)  # columns of a node of the line with these: place, slope, and r_y
# What the pose leaves there: the element, s in it from 0 to 1, r_s, r_ss, r_sss, and the vector across the line with its slope
ELEMENT, INSIDE, SLOPE, BEND, THIRD, ACROSS, ACROSS_S, SCRATCH_SIZE = starts(1, 1, 3, 3, 3, 3, 3)
SHAPES = 4  # cubics of an element, and the most derivatives


@kernel
def element(tree, p, s):
    """The element that s is in: number, length, and s in it from 0 to 1."""
    x, last = tree.data[p[STATIONS] : p[STATIONS] + p[NODES]], p[NODES] - 2
    k = 0
    while k < last and s.real >= x[k + 1]:
        k += 1
    h = x[k + 1] - x[k]
    return k, h, (s - x[k]) / h


@kernel
def shapes(x, h, order):
    """Cubics of an element of length h at x in 0..1, or derivatives along the line."""
    if order == 0:
        y = x * x * (3.0 - 2.0 * x)
        return 1.0 - y, h * x * (1.0 - x) * (1.0 - x), y, -h * x * x * (1.0 - x)
    if order == 1:
        y = 6.0 * x * (1.0 - x) / h
        return -y, (1.0 - x) * (1.0 - 3.0 * x), y, x * (3.0 * x - 2.0)
    if order == 2:
        y = (6.0 - 12.0 * x) / (h * h)
        return -y, (6.0 * x - 4.0) / h, y, (6.0 * x - 2.0) / h
    y, z = 12.0 / (h * h * h) + 0.0 * x, 6.0 / (h * h) + 0.0 * x
    return y, z, -y, z


@kernel
def place(p, k, l, i):
    """Place of component i of vector l of element k behind the first of the line, and its column.

    Vectors are place, slope, place, slope, then r_y of both ends.
    """
    node, vector = k + l // 2, l % 2
    if l >= SHAPES:
        node, vector = k + l - SHAPES, 2
    return 3 * (node * p[VECTORS] + vector) + i, 1 + OWN[p[AXES]] * node + 3 * vector + i


@kernel
def total(p, k, w, x, first, i):
    """Sum of weights w times component i of the vectors of element k; x are coordinates, or rates."""
    s = 0.0 * x[first]
    for l in range(SHAPES):
        s = s + w[l] * x[first + place(p, k, l, i)[0]]
    return s


@kernel
def here(tree, work, n):
    """Integers of the edge, its scratch, the element and its length."""
    p = tree.program[tree.node[n, at.ATTACH] :]
    y = work.flex[p[SCRATCH] : p[SCRATCH] + SCRATCH_SIZE]
    k = int(y[ELEMENT].real)
    return p, y, k, tree.data[p[STATIONS] + k + 1] - tree.data[p[STATIONS] + k]
