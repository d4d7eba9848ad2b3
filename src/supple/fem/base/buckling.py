"""Linear buckling: at which multiple of its loads a component has another equilibrium nearby."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from supple.fem.base.component import Component, rigid_modes
from supple.fem.base.vibration import DENSE, Factor
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError

# Inverse load factors below this part of the largest, of either sign, count as none.
NONE = 1e-4
# A rigid motion that moves the held coordinates less than this, in parts of the most, is free.
FREE = 1e-9
# Lengths of the component that linear statics moves it at a load factor, beyond which that is none:
# by stresses that are rounding it buckles at 1e10 lengths.
BEYOND = 100.0


@dataclass(frozen=True, eq=False)
class ComponentBuckling:
    """Lowest load factors, ascending.

    Attributes
    ----------
    factors : (n,)
        The loads times a factor are critical. All are positive; loads in the opposite direction
        have their own.
    shapes : (size, n)
        Buckling modes; the largest displacement of a node is 1 m.
    state : (size,)
        Displacements under the loads as they are given, from linear statics.
    """

    factors: Array
    shapes: Array
    state: Array


def buckling(
    component: Component, loads: ArrayLike, held: ArrayLike, count: int = 1
) -> ComponentBuckling:
    """Find the lowest load factors at which a component buckles.

    Parameters
    ----------
    component : ShellMesh, SolidMesh or another with ``geometric_stiffness``
    loads : (size,) N or N m
        Forces and moments on the nodal coordinates. They keep their directions.
    held : integers
        Coordinates that are held: ``node * node_size + 0, 1, 2, ...`` for u, v, w, ...
    count : int
        Number of load factors; fewer are returned if fewer are positive, up to 10^4 times the
        smallest of both directions.

    Stresses are those of linear statics, ``K u = f``, and the modes those of
    ``(K + factor K_G(u)) shape = 0``: right as long as the component hardly deforms before.
    """
    owner = "buckling"
    if not hasattr(component, "geometric_stiffness"):
        expected = "one with geometric_stiffness, e.g. a ShellMesh or a SolidMesh"
        raise ModelError(owner, "component", type(component), expected)
    size = component.size
    expected = f"{size} finite numbers, one for each nodal coordinate, not all zero"
    force = validate.vector(owner, "loads", loads, size, expected)
    if not force.any():
        raise ModelError(owner, "loads", force, expected)
    kept = _kept(component, held)
    _refuse_mechanism(component, np.setdiff1d(np.arange(size), kept))
    most = f"an integer from 1 to {len(kept) - 1}"
    if validate.integer(owner, "count", count, 1, most) >= len(kept):
        raise ModelError(owner, "count", count, most)

    K = sparse.csc_array(component.stiffness_matrix)
    factor = Factor(component, K, kept)
    state = np.zeros(size)
    state[kept] = factor.solve(force[kept])
    K_G = sparse.csc_array(component.geometric_stiffness(state))
    inverse, found = _largest(component, K, K_G, kept, count, factor)
    way = np.linalg.norm(state.reshape(-1, component.node_size)[:, :3], axis=1).max()
    inverse = inverse[inverse * BEYOND * component.length >= way]
    found = found[:, : len(inverse)]
    if not len(inverse):
        raise ModelError.plain(
            "buckling: the loads have no positive load factor, expected loads that press"
        )
    shapes = np.zeros((size, len(inverse)))
    shapes[kept] = found
    moved = shapes.reshape(-1, component.node_size, shapes.shape[1])[:, :3]
    shapes /= np.linalg.norm(moved, axis=1).max(axis=0)
    return ComponentBuckling(1.0 / inverse, shapes, state)


def _kept(component: Component, held: ArrayLike) -> Indices:
    expected = f"coordinates from 0 to {component.size - 1}"
    given = validate.whole_numbers("buckling", "held", held, expected)
    if given.size == 0:
        raise ModelError("buckling", "held", held, expected)
    if given.min() < 0 or given.max() >= component.size:
        worst = given.min() if given.min() < 0 else given.max()
        raise ModelError("buckling", "held", int(worst), expected)
    return np.setdiff1d(np.arange(component.size), given.ravel())


def _refuse_mechanism(component: Component, held: Indices) -> None:
    """Refuse supports that leave a rigid motion: K has no inverse then."""
    motions = rigid_modes(component)
    turning = np.arange(component.size) % component.node_size >= 3
    motions[turning] *= component.length  # everything in metres
    motions[:, 3:] /= component.length
    values = np.linalg.svd(motions[held], compute_uv=False)
    if len(held) < 6 or values[-1] < FREE * values[0]:
        raise ModelError.plain(
            f"buckling: held leaves a rigid motion free with {len(held)} coordinates, expected "
            "supports against all six"
        )


def _largest(
    component: Component, K: Any, K_G: Any, kept: Indices, count: int, factor: Factor
) -> tuple[Array, Array]:
    """Positive inverse load factors (at most count), descending, and their modes (kept, ...)."""
    from scipy.linalg import eigh
    from scipy.sparse.linalg import LinearOperator, eigsh

    stiff, press = (sparse.csc_array(A[kept][:, kept]) for A in (K, -K_G))
    n = len(kept)
    if n <= DENSE:
        values, shapes = eigh(press.toarray(), stiff.toarray())
        least = NONE * np.abs(values).max()
    else:
        solve = LinearOperator((n, n), factor.solve, dtype=float)
        # A fixed start, so that two runs give the same signs.
        given = {"M": stiff, "Minv": solve, "v0": np.random.default_rng(0).standard_normal(n)}
        largest = eigsh(press, 1, which="LM", return_eigenvectors=False, **given)[0]
        least = NONE * abs(largest)
        if largest < 0.0:
            # Most of the body is in tension, and those below would be many: look before searching.
            softened = sparse.csc_array(K + K_G / least)
            count = min(count, Factor(component, softened, kept).negative)
        if not count:
            return np.zeros(0), np.zeros((n, 0))
        values, shapes = eigsh(press, count, which="LA", **given)
    order = np.argsort(values)[::-1][:count]
    order = order[values[order] > least]
    return values[order], shapes[:, order]
