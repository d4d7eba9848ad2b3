"""Energies and momenta of a model; they need the kinematics and inertias of ``tree``."""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.bodies import ancf as gradient
from supple.core.bodies import flex_body, membrane
from supple.core.bodies.ancf import SUM_KINETIC, SUM_MOMENTUM, SUM_POTENTIAL
from supple.core.forces import forces
from supple.native.declare import kernel


@kernel
def sum_vectors(m, w, q, u):
    """Sums over gradient bodies that kinetic energy, potential and momenta need."""
    if m.gradient.shape[0] > 0:
        gradient.gradient_sums(m, w, q, u)


@kernel
def kinetic(m, w, u):
    """Kinetic energy (J); needs motion, inertias and ``sum_vectors``."""
    total = 0.0
    for k in range(u.shape[0]):
        total += 0.5 * m.rotor[k] * u[k] * u[k]
    for f in range(m.flex.shape[0]):
        total += flex_body.kinetic(m, w, f)
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.HEAVY]:
            r = w.node[n]
            w0, w1, w2, v0, v1, v2 = r[at.V], r[at.V + 1], r[at.V + 2], r[at.V + 3], r[at.V + 4], r[at.V + 5]
            total += 0.5 * (
                r[at.M] * (v0 * v0 + v1 * v1 + v2 * v2)
                + r[at.J] * w0 * w0 + r[at.J + 1] * w1 * w1 + r[at.J + 2] * w2 * w2
            )
            total += r[at.J + 3] * w0 * w1 + r[at.J + 4] * w0 * w2 + r[at.J + 5] * w1 * w2
            total += (
                v0 * (w1 * r[at.C + 2] - w2 * r[at.C + 1]) + v1 * (w2 * r[at.C] - w0 * r[at.C + 2])
                + v2 * (w0 * r[at.C + 1] - w1 * r[at.C])
            )
            total += w0 * r[at.E] + w1 * r[at.E + 1] + w2 * r[at.E + 2] + v0 * r[at.E + 3] + v1 * r[at.E + 4] + v2 * r[at.E + 5]
    if m.gradient.shape[0] > 0:
        total += w.sums[SUM_KINETIC]
    return total


@kernel
def strain(m, w, q):
    """Strain energy of flexible and gradient bodies (J)."""
    total = 0.0
    if m.gradient.shape[0] > 0:
        total += gradient.gradient_strain(m, w, q)
    for f in range(m.flex.shape[0]):
        total += flex_body.strain(m, f, q)
    for e in range(m.element.shape[0]):
        if m.element[e, at.KIND] == forces.MEMBRANE:
            total += membrane.energy(m, e, q)
    return total


@kernel
def potential(m, w):
    """Gravity potential (J), zero at the world's origin; needs inertias and ``sum_vectors``."""
    g, o, total = m.gravity, w.origin, 0.0
    if m.gradient.shape[0] > 0:
        total += w.sums[SUM_POTENTIAL]
    for n in range(1, m.node.shape[0]):
        r = w.node[n]
        for k in range(3):
            total -= g[k] * (r[at.C + k] + r[at.M] * o[k])
    return total


@kernel
def node_momentum(r):
    """Momentum [angular about the reference point; linear] of the node with workspace row r."""
    mass, cx, cy, cz = r[at.M], r[at.C], r[at.C + 1], r[at.C + 2]
    w0, w1, w2, v0, v1, v2 = r[at.V], r[at.V + 1], r[at.V + 2], r[at.V + 3], r[at.V + 4], r[at.V + 5]
    return (
        r[at.J] * w0 + r[at.J + 3] * w1 + r[at.J + 4] * w2 + cy * v2 - cz * v1 + r[at.E],
        r[at.J + 3] * w0 + r[at.J + 1] * w1 + r[at.J + 5] * w2 + cz * v0 - cx * v2 + r[at.E + 1],
        r[at.J + 4] * w0 + r[at.J + 5] * w1 + r[at.J + 2] * w2 + cx * v1 - cy * v0 + r[at.E + 2],
        mass * v0 + w1 * cz - w2 * cy + r[at.E + 3],
        mass * v1 + w2 * cx - w0 * cz + r[at.E + 4],
        mass * v2 + w0 * cy - w1 * cx + r[at.E + 5],
    )


@kernel
def momentum(m, w, out):
    """Momentum (6) [angular about the world's origin; linear] of the whole model; needs inertias and ``sum_vectors``."""
    o = w.origin
    for k in range(6):
        out[k] = 0.0
    for n in range(1, m.node.shape[0]):
        h = node_momentum(w.node[n])
        for k in range(6):
            out[k] += h[k]
    out[0] += o[1] * out[5] - o[2] * out[4]
    out[1] += o[2] * out[3] - o[0] * out[5]
    out[2] += o[0] * out[4] - o[1] * out[3]
    if m.gradient.shape[0] > 0:
        for k in range(6):
            out[k] += w.sums[SUM_MOMENTUM + k]


@kernel
def momentum_along(m, w, root, s):
    """Momentum on the screw s (6, about the world's origin) of the nodes below a root (all, and gradient bodies: -1), and a
    size for its errors: the bodies' whole momenta, since a component may vanish by its direction. Needs ``sum_vectors``.
    """
    o = w.origin
    s3 = s[3] + s[1] * o[2] - s[2] * o[1]
    s4 = s[4] + s[2] * o[0] - s[0] * o[2]
    s5 = s[5] + s[0] * o[1] - s[1] * o[0]
    turn = math.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])
    slide = math.sqrt(s3 * s3 + s4 * s4 + s5 * s5)
    total, size = 0.0, 0.0
    for n in range(1, m.node.shape[0]):
        if root < 0 or m.node[n, at.ROOT] == root:
            h = node_momentum(w.node[n])
            total += s[0] * h[0] + s[1] * h[1] + s[2] * h[2] + s3 * h[3] + s4 * h[4] + s5 * h[5]
            size += turn * math.sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2])
            size += slide * math.sqrt(h[3] * h[3] + h[4] * h[4] + h[5] * h[5])
    if root < 0 and m.gradient.shape[0] > 0:
        h = w.sums[SUM_MOMENTUM:]
        for k in range(6):
            total += s[k] * h[k]
        size += turn * math.sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2])
        size += math.sqrt(s[3] * s[3] + s[4] * s[4] + s[5] * s[5]) * math.sqrt(h[3] * h[3] + h[4] * h[4] + h[5] * h[5])
    return total, size
