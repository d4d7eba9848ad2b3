"""The audit of a run: balance of energy and conserved momenta, at the ends of steps."""

from __future__ import annotations

from supple.core.base.layout import TREE, WORK
from supple.core.bodies import tree
from supple.core.equations import energies
from supple.core.forces import forces
from supple.core.run.step import (
    E_ELASTIC,
    E_ERROR,
    E_MAX,
    E_START,
    E_STRAIN,
    K_MAX,
    K_MIN,
    OTHER_MAX,
    OTHER_MIN,
    RUN,
)
from supple.native.declare import IVEC, VEC, kernel, shared


@shared(TREE, WORK, RUN, IVEC, VEC)
def audit(m, w, r, ints, reals):
    """Energy balance and conserved momenta at the state whose kinematics are in the workspace.

    The first call, with E_MAX still negative, sets what later ones are compared with.
    """
    first = reals[E_MAX] < 0.0
    energies.sum_vectors(m, w, r.q, r.u)
    kinetic = energies.kinetic(m, w, r.u)
    strain = energies.strain(m, w, r.q)
    elastic = forces.energy(m, w, r.q) + strain
    total = kinetic + energies.potential(m, w) + elastic
    for e in range(r.w.shape[0]):
        total -= r.sign[e] * r.w[e]
    if first:
        reals[E_START] = total
        reals[E_ERROR] = 0.0
        reals[E_ELASTIC] = elastic
        reals[E_STRAIN] = strain
        reals[K_MIN] = kinetic
        reals[K_MAX] = kinetic
        reals[E_MAX] = abs(total)
        reals[OTHER_MIN] = total - kinetic
        reals[OTHER_MAX] = total - kinetic
    reals[OTHER_MIN] = min(reals[OTHER_MIN], total - kinetic)
    reals[OTHER_MAX] = max(reals[OTHER_MAX], total - kinetic)
    reals[E_ERROR] = max(reals[E_ERROR], abs(total - reals[E_START]))
    reals[E_ELASTIC] = max(reals[E_ELASTIC], elastic)
    reals[E_STRAIN] = max(reals[E_STRAIN], strain)
    reals[K_MIN] = min(reals[K_MIN], kinetic)
    reals[K_MAX] = max(reals[K_MAX], kinetic)
    reals[E_MAX] = max(reals[E_MAX], max(abs(total), kinetic))
    for s in range(r.roots.shape[0]):
        p, size = energies.momentum_along(m, w, r.roots[s], r.screws[s])
        if first:
            r.momentum[s] = p
            r.screw_error[s] = 0.0
            r.screw_size[s] = 0.0
        r.screw_error[s] = max(r.screw_error[s], abs(p - r.momentum[s]))
        r.screw_size[s] = max(r.screw_size[s], size)


@kernel
def audit_state(m, w, r, ints, reals):
    """Kinematics of the state r.q, r.u, r.a, and its audit."""
    tree.poses(m, w, r.q)
    tree.motion(m, w, r.u, r.a)
    tree.inertias(m, w, r.q, r.u, r.a)
    audit(m, w, r, ints, reals)
