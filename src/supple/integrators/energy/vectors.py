"""Nodal vectors of bodies without a frame as tables of the energy scheme, and joints to them.

The place of a node is a vector, so that points on nodes have quadratic forms. The axes of a node
are made of two gradients g1 and g2 by Gram and Schmidt: e1 is along g1, and e3 across both. They
are r_x and r_y, or r_y and r_z where frames turn with sections that shear. A joint that holds e1
or e3 has the forms a . g with vectors a of the other body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from supple.core.base import layout as at
from supple.core.energy import forms
from supple.core.energy.vectors import SPAN_RECORD
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array
from supple.integrators.energy.rows import (
    ALIKE,
    Axis,
    Pair,
    Row,
    UnfitError,
    across,
    place_rows,
)

ARM = 1e-12  # of the model's length: a point at a node


@dataclass
class Vectors:
    """Nodal vectors of all bodies without a frame, one body after the other.

    ``firsts`` has the number of each body's first vector, ``mass`` (n, n) and ``weight`` (n,) kg
    include point masses, ``units`` (n,) are 1 m for places in lengths of the model and 1 for
    gradients, ``span`` is the scratch of an element.
    """

    rows: list[list[int]] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    mass: Array = field(default_factory=lambda: np.zeros((0, 0)))
    weight: Array = field(default_factory=lambda: np.zeros(0))
    units: list[float] = field(default_factory=list)
    span: int = 0
    total: float = 0.0

    @property
    def count(self) -> int:
        """Number of vectors."""
        return len(self.rows)


def vectors_of(compiled: Compiled) -> Vectors:
    """Tables of all nodal vectors of a model; point masses are added by `attach`."""
    out = Vectors()
    records = list(compiled.gradient.values())
    for record in records:
        out.firsts.append(out.count)
        mesh = record.mesh
        for k in range(mesh.size // 3):
            out.rows.append([record.q.start + 3 * k, record.u.start + 3 * k, -1])
            out.units.append(compiled.length if mesh.places.flat[k] else 1.0)
        for table in mesh.tables:
            sizes = {"K": table.vectors, "R": table.most_rows, "N": table.most_strains}
            out.span = max(out.span, SPAN_RECORD.lengths(sizes)[0])
        out.total += mesh.mass
    out.mass, out.weight = np.zeros((out.count, out.count)), np.zeros(out.count)
    for first, record in zip(out.firsts, records, strict=True):
        own = slice(first, first + record.mesh.size // 3)
        out.mass[own, own] = record.mesh.mass_matrix.toarray()
        out.weight[own] = record.mesh.weight.ravel()
    return out


def attach(out: Vectors, compiled: Compiled, node: int, row: np.ndarray, inertia: Array) -> int:
    """The vector of an engine's node, whose integers and reals are given, with its point mass."""
    records = list(compiled.gradient.values())
    q = int(row[at.Q0])
    body = next(k for k, r in enumerate(records) if r.q.start <= q < r.q.stop)
    number: int = out.firsts[body] + (q - records[body].q.start) // 3
    if turns(compiled, row):
        if np.abs(inertia[at.BODY_C : at.BODY_J]).max() > ARM * compiled.length * compiled.mass:
            raise UnfitError(f"a point mass beside its axis on {owner_at(compiled, row).label}")
        out.rows[number][2] = node
    out.mass[number, number] += inertia[at.BODY_M]
    out.weight[number] += inertia[at.BODY_M]
    out.total += float(inertia[at.BODY_M])
    return number


def turns(compiled: Compiled, row: np.ndarray) -> bool:
    """True if an engine's node with these integers has axes."""
    record = owner_at(compiled, row)
    return record.mesh.turns((int(row[at.Q0]) - record.q.start) // (3 * record.mesh.node_vectors))


def owner_at(compiled: Compiled, row: np.ndarray) -> ANCFRecord:
    """The gradient body of an engine's node with these integers."""
    q = int(row[at.Q0])
    return next(r for r in compiled.gradient.values() if r.q.start <= q < r.q.stop)


def section_rows(pair: Pair, axes: Sequence[Axis], first: int) -> list[Row]:
    """Rows of a joint whose body B is the place of a node with axes; its gradients follow it.

    ``first`` is the place of g1 behind it. Raises `UnfitError` if they are no quadratic forms.
    """
    turns = [n for kind, n, _, _ in axes if kind == "rotate"]
    rows = place_rows(pair, axes, sides={"A"})
    x, y, z = pair.turn  # axes of the section on those of A
    if not turns:
        held = (y, first), (z, first), (z, first + 1)
        return [*rows, *(_product(pair, a, k) for a, k in held)]
    if len(turns) == 1 and _along(turns[0], x):
        return [*rows, *(_product(pair, a, first) for a in across(turns[0]))]
    if len(turns) == 1 and _along(turns[0], z):
        return [*rows, *(_product(pair, turns[0], k) for k in (first, first + 1))]
    about = "x or z" if first == 1 else "y or x"
    raise UnfitError(f"rotations on a section that are not one about its {about} axis")


def turned_round(pair: Pair, axes: Sequence[Axis]) -> tuple[Pair, list[Axis]]:
    """The joint from B to A, for its rows."""
    other = Pair(pair.bodies[::-1], pair.arms[::-1], pair.turn.T, pair.length)
    return other, [(kind, pair.turn @ n, q, u) for kind, n, q, u in reversed(axes)]


def _along(a: Array, b: Array) -> bool:
    return float(np.linalg.norm(np.cross(a, b))) < ALIKE


def _product(pair: Pair, a: Array, gradient: int) -> Row:
    """The product of a vector of A with a gradient of the node whose place is B."""
    A, B = pair.bodies
    still = np.zeros(3)
    other = Pair((A, B + gradient), (still, still), pair.turn, pair.length)
    return other.form(forms.VECTOR, a, None)
