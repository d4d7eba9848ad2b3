"""Deformation of a flexible body over a run: rotation, deflection, strain, modes and spin.

These are the numbers that `supple.results.monitor.monitor` compares with the limits of a body's
assumptions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError
from supple.reduction.modal import ModalBody
from supple.results.data.findings import Extreme

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody, PointMasses
    from supple.engine.base.body_records import ANCFRecord, FlexRecord
    from supple.results.result import Result


# Numbers that may be computed for one quantity of one body: of longer runs some times are left out.
BUDGET = 2_000_000
FEWEST_TIMES = 50
# Deflections across an axis below this part of all displacements are none.
STRAIGHT = 1e-6
HUGE = 1e100  # numbers of a run that diverged
# A mode with less of the largest energy than this is at rest.
AT_REST = 1e-6
# Modes whose frequencies differ relatively by less belong together.
EQUAL = 1e-6
# Lowest modes among which the loss of stiffness by spin is looked for: it is theirs.
SOFTEST = 12
# Numbers of rows that are kept with a body, and of strains that are looked at together.
KEPT, CHUNK = 1_000_000, 30_000

_rows: WeakKeyDictionary[FlexibleBody, dict[Hashable, tuple[Array, Array]]] = WeakKeyDictionary()
_strains: WeakKeyDictionary[FlexibleBody, dict[Hashable, _StrainRows]] = WeakKeyDictionary()


def kept_rows(body: FlexibleBody, point_masses: PointMasses) -> tuple[Array, Array]:
    """``moving_rows`` of a body, kept as long as the body: every run asks for them."""
    kept = _rows.setdefault(body, {})
    key = tuple(point_masses)
    if key not in kept:
        kept[key] = body.moving_rows(point_masses)
    return kept[key]


def movements(
    body: FlexibleBody, point_masses: PointMasses, t: Array, q: Array
) -> tuple[Extreme, Extreme]:
    """Largest elastic displacement, in lengths of the body, and rotation, rad, at each time."""
    displaced, turned = (_largest(rows, t, q) for rows in kept_rows(body, point_masses))
    return Extreme(displaced.t, displaced.values / body.typical_length), turned


class _StrainRows(NamedTuple):
    """Rows (k, m, n) of the k strains at m points of a body, the first of which are normal."""

    rows: Array
    normals: int
    tensor: Callable[[Array], Array]


def _strain_rows(body: FlexibleBody, point_masses: PointMasses) -> _StrainRows | None:
    """All ``strain_blocks`` of a body; those that are not long are kept as long as the body."""
    kept = _strains.setdefault(body, {})
    key = tuple(point_masses)
    if key in kept:
        return kept[key]
    try:
        blocks = list(body.strain_blocks(point_masses))
    except ModelError:  # a component of matrices only
        return None
    if not blocks:
        return None
    rows = np.ascontiguousarray(np.concatenate([b.strain for b in blocks]).swapaxes(0, 1))
    strains = _StrainRows(rows, blocks[0].normals, blocks[0].strain_tensor)
    if rows.size <= KEPT:
        kept[key] = strains
    return strains


def strains(body: FlexibleBody, point_masses: PointMasses, t: Array, q: Array) -> Extreme | None:
    """Largest principal strain, by magnitude, at each time; None where strains are not known."""
    known = _strain_rows(body, point_masses)
    if known is None:
        return None
    k, m, n = known.rows.shape
    which = _times(k * m, t, q)
    t, q = t[which], q[which]
    weights = np.where(np.arange(k) < known.normals, 1.0, 0.5)  # shear strains are angles
    rows = (np.sqrt(weights)[:, None, None] * known.rows).reshape(k * m, n)
    point = np.empty(len(t), dtype=int)  # with the largest strain, by the norm of the tensor
    some = max(1, CHUNK // (k * m))
    for start in range(0, len(t), some):
        now = slice(start, start + some)
        squares = np.square(q[now] @ rows.T).reshape(-1, k, m)
        point[now] = squares.sum(axis=1).argmax(axis=1)
    largest = np.einsum("ktn,tn->tk", known.rows[:, point], q)
    finite = np.all(np.isfinite(largest), axis=1)
    tensors = known.tensor(np.where(finite[:, None], largest, 0.0))
    principal = np.abs(np.linalg.eigvalsh(tensors)).max(axis=1)
    return Extreme(t, np.where(finite, principal, np.inf))


def modal_energies(modal: ModalBody, q: Array) -> tuple[Array, Array]:
    """Frequencies (n,) rad/s of the body in its frame, and the energy (nt, n) in each mode, J."""
    from scipy.linalg import eigh

    # Scaled to a unit diagonal: coordinates may have different units.
    scale = 1.0 / np.sqrt(np.diag(modal.M))
    both = np.outer(scale, scale)
    squares, vectors = eigh(both * modal.K, both * modal.M)
    amplitudes = q @ modal.M @ (scale[:, None] * vectors)
    squares = np.maximum(squares, 0.0)
    return np.sqrt(squares), 0.5 * squares * amplitudes**2


def highest_share(frequencies: Array, energies: Array) -> float | None:
    """Part of the strain energy in the highest of the modes that move; None if there is one only.

    Modes of equal frequency count as one. Both energies are the largest of the run.
    """
    whole = energies.sum(axis=1).max(initial=0.0)
    if not whole > 0.0 or not np.isfinite(whole):
        return None
    peaks = energies.max(axis=0)
    moving = np.flatnonzero(peaks > AT_REST * whole)
    groups = np.concatenate(
        [[0], np.cumsum(np.diff(frequencies[moving]) > EQUAL * frequencies[moving][1:])]
    )
    if groups[-1] == 0:
        return None
    highest = moving[groups == groups[-1]]
    return float(energies[:, highest].sum(axis=1).max() / whole)


def pulling_spin(body: FlexibleBody, modal: ModalBody, spin: Array) -> Array:
    """The part (nt, 3) of a spin (nt, 3) rad/s in body axes that pulls the body apart.

    Of a body with an axis it is that across it. Of others it is shortened by the square root of
    w . J w / (w . w J_max), with the inertia J about the centre of mass: a shaft that turns about
    itself is not pulled.
    """
    if body.axis is not None:
        return np.asarray(spin - np.outer(spin @ body.axis, body.axis))
    moments = modal.E0 - np.outer(modal.s0, modal.s0) / modal.mass
    inertia = np.trace(moments) * np.eye(3) - moments
    squares = np.einsum("ti,ti->t", spin, spin)
    pulls = np.einsum("ti,ij,tj->t", spin, inertia, spin) / np.linalg.eigvalsh(inertia)[-1]
    part = np.sqrt(np.maximum(pulls, 0.0) / np.where(squares > 0.0, squares, 1.0))
    return np.asarray(part[:, None] * spin)


def lost_stiffness(modal: ModalBody, spin: Array) -> Array:
    """Part (nt,) of the stiffness that the spin (nt, 3) rad/s in body axes takes from the shapes.

    Shapes without stiffening feel the centrifugal force ``|w|^2 S1 - w (w . S1)`` of their own
    displacement and nothing that balances it: ``K - |w|^2 M + w_i w_j D1_ij`` is what is left of K.
    At 1 a shape has none left.
    """
    from scipy.linalg import eigh

    count = min(SOFTEST, modal.n)
    if not count:
        return np.zeros(len(spin))
    squares, shapes = eigh(modal.K, modal.M, subset_by_index=[0, count - 1])
    if not squares[0] > 0.0:
        return np.zeros(len(spin))
    shapes = shapes / np.sqrt(squares)  # of unit stiffness
    mass = shapes.T @ modal.M @ shapes
    D1 = np.einsum("ba,ijbc,cd->ijad", shapes, modal.D1, shapes)
    square = np.einsum("ti,ti->t", spin, spin)
    taken = square[:, None, None] * mass - np.einsum("ti,tj,ijad->tad", spin, spin, D1)
    taken = 0.5 * (taken + np.swapaxes(taken, 1, 2))
    return np.asarray(np.linalg.eigvalsh(taken)[:, -1])


def _largest(rows: Array, t: Array, q: Array) -> Extreme:
    """Largest length of the vectors rows @ q, rows (p, 3, n), at each time."""
    if not len(rows):
        return Extreme(t[:0], np.zeros(0))
    which = _times(rows[..., 0].size, t, q)
    moved = (rows.reshape(-1, rows.shape[2]) @ q[which].T).reshape(len(rows), 3, -1)
    return Extreme(t[which], np.sqrt(np.einsum("pit,pit->pt", moved, moved).max(axis=0)))


def _times(numbers: int, t: Array, q: Array) -> Indices:
    """Times to look at: all, or of a long run of a large mesh as many as the budget allows."""
    return sampled(q, max(FEWEST_TIMES, BUDGET // max(numbers, 1)), 2)


def usable_times(whole: Array, own: Array, count: int) -> Indices:
    """Some output times, see `sampled`, of those at which a run has not diverged.

    ``whole`` (nt, nq) are all coordinates of a model, ``own`` (nt, n) those that are sampled.
    """
    good = np.flatnonzero(np.all(np.abs(whole) < HUGE, axis=1))
    return good[sampled(own[good], count)]


def sampled(q: Array, count: int, top: int = 4) -> Indices:
    """Places of some times of coordinates (nt, n): evenly, and those with the largest of them.

    The largest are one of ``top`` of all.
    """
    n = len(q)
    if n <= count:
        return np.arange(n)
    unit = np.abs(q).max(axis=0)
    size = np.abs(q) @ (1.0 / np.where(unit > 0.0, unit, 1.0))
    most = np.argsort(size)[-(count // top) :]
    return np.unique(np.concatenate([most, np.linspace(0, n - 1, count - len(most)).astype(int)]))


def whitening(K: Array) -> Array:
    """Matrix W (n, n) with W K W^T = 1, of a stiffness K (n, n) in any units."""
    scale = 1.0 / np.sqrt(np.diag(K))
    root = np.linalg.cholesky(K * np.outer(scale, scale))
    return np.asarray(np.linalg.solve(root, np.diag(scale)))


def states(result: Result, record: FlexRecord | ANCFRecord) -> tuple[Array, Array]:
    """Times (nt,) and coordinates (nt, n) of a body, up to where its run came."""
    t, q = result.t, result.q[:, record.q]
    final = result.data.final
    if final is not None and (not len(t) or final.t > t[-1]):  # where a failed run ended
        t, q = np.append(t, final.t), np.vstack([q, final.q[record.q]])
    return t, q
