"""Elements over nodal vectors as data: strains that are sums of products of two vectors.

A node has vectors: its place r and derivatives of the place (gradients). A material point is at
``r = sum_k s_k(x) e_k`` with the nodal vectors e_k of its element and constant shapes. So the mass
matrix is constant, inertia has no terms of velocity, and gravity is a constant vector.

At each *point* of an element (one of a quadrature, or all that a mean is taken of) rows S give
vectors ``r_a = sum_k S_ak e_k``, and strains are

    eps_i = sum over its terms c (r_a . r_b) - rest_i

with the energy ``1/2 eps . D eps`` of the point (weights are in D) and the viscous stress
``D' eps_rate`` beside ``D eps``. The energy of the element is the sum over its points and
``1/2 sum_kl C_kl e_k . e_l`` with a constant matrix C. All of this is the same in two and in three
dimensions, vanishes in a rigid motion (of C: if the shape at rest has ``C e = 0``), and has an
exact symmetric tangent: `supple.fem.nodal.ancf_forces` evaluates it in plain NumPy.

**Buffers for a kernel.** ``integers`` and ``reals`` are flat; with the sizes of the head

    integers    head (9):  vectors K, points P, rows R, terms T, strains N, entries of D Q,
                           most rows of a point, most strains of a point, 1 if any D' is not zero
                points (P, 7): first row, rows, first term, terms, first strain, strains, first of D
                terms (T, 3): strain, a, b, each counted from the first of its point
    reals       S (R, K), c (T,), rest (N,), D (Q,), D' (Q,), M (K, K), C (K, K), weight (K,)

D and D' of a point with n strains are n x n, row after row. M is the mass matrix of the element,
kg (places), kg m (place and gradient), kg m2: it multiplies each component of the vectors. Gravity
g gives the nodal vectors the forces ``weight_k g``. Vector k belongs to the node ``k // V`` of
the element if each of its nodes has V, and as a rule is its place if ``k % V`` is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.fem.base.material import Material
from supple.foundation.arrays import Array, Booleans, Integers
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.foundation.validate import read_only

Term = tuple[float, int, int]
HEAD = 9
# Strains xx, yy, zz, xy, xz, yz of the rows 0, 1, 2: the gradients r_x, r_y, r_z.
GREEN: tuple[tuple[Term, ...], ...] = (
    ((0.5, 0, 0),),
    ((0.5, 1, 1),),
    ((0.5, 2, 2),),
    ((1.0, 0, 1),),
    ((1.0, 0, 2),),
    ((1.0, 1, 2),),
)


@dataclass(frozen=True, eq=False)
class StrainPoint:
    """Strains at one point of an element."""

    rows: Array  # (n, vectors) Rows of shape derivatives, which give the vectors r_a.
    # sequence of strains, each a sequence of terms (c, a, b) The strain is the sum of ``c (r_a .
    # r_b)`` minus its value at rest.
    strains: tuple[tuple[Term, ...], ...]
    # (strains, strains) D: weight of the point times stiffness, so that the energy is in J.
    elasticity: Array
    viscosity: Array  # (strains, strains) D': the same of the rate of strain, in J s.

    @classmethod
    def of(
        cls,
        rows: ArrayLike,
        strains: Sequence[Sequence[Term]],
        elasticity: ArrayLike,
        viscosity: ArrayLike,
    ) -> StrainPoint:
        """A point of rows and strains that may be any sequences; of one strain D is a number."""
        return cls(
            np.atleast_2d(np.asarray(rows, dtype=float)),
            tuple(tuple(terms) for terms in strains),
            np.atleast_2d(np.asarray(elasticity, dtype=float)),
            np.atleast_2d(np.asarray(viscosity, dtype=float)),
        )


@dataclass(frozen=True, eq=False)
class ElementTable:
    """One element as data."""

    # nodes, node_vectors: int Number of its nodes, and of the vectors of each (the same for all),
    # the place first.
    nodes: int
    node_vectors: int
    points: Integers  # (P, 7) integers; see the head of this file, also for the next
    terms: Integers  # (T, 3) integers
    factors: Array  # (T,)
    rows: Array  # (R, K)
    rest: Array  # (N,)
    # elasticity, viscosity: (Q,)
    elasticity: Array
    viscosity: Array
    mass: Array  # (K, K)
    stiffness: Array  # (K, K) C; zeros if all energy is that of strains.
    places: Array  # (K,) 1 for vectors that are places, 0 for gradients: a translation.

    @classmethod
    def of(
        cls,
        nodes: int,
        points: Sequence[StrainPoint],
        rest: Array,
        mass: Array,
        stiffness: Array | None = None,
        places: Booleans | None = None,
    ) -> ElementTable:
        """Join points into a table; ``rest`` (vectors, dimension) are nodal vectors unstrained.

        Without ``places`` the first vector of each node is its place.
        """
        vectors = len(rest)
        flags = np.arange(vectors) % (vectors // nodes) == 0 if places is None else places
        starts = np.zeros(4, dtype=np.int64)  # of rows, terms, strains, entries of D
        table, terms, factors, at_rest = [], [], [], []
        for point in points:
            shown = point.rows @ rest
            sizes = len(shown), sum(map(len, point.strains)), len(point.strains)
            pairs = [[starts[i], sizes[i]] for i in range(3)]
            table.append([*pairs[0], *pairs[1], *pairs[2], starts[3]])
            starts += [*sizes, sizes[2] ** 2]
            for i, strain in enumerate(point.strains):
                terms += [(i, a, b) for _, a, b in strain]
                factors += [c for c, _, _ in strain]
                at_rest.append(sum(c * float(shown[a] @ shown[b]) for c, a, b in strain))
        none = np.zeros((0, vectors)), np.zeros(0)
        return cls(
            nodes=nodes,
            node_vectors=vectors // nodes,
            points=_integers(table, 7),
            terms=_integers(terms, 3),
            factors=read_only(factors),
            rows=read_only(np.concatenate([none[0], *(point.rows for point in points)])),
            rest=read_only(at_rest),
            elasticity=read_only(
                np.concatenate([none[1], *(p.elasticity.ravel() for p in points)])
            ),
            viscosity=read_only(np.concatenate([none[1], *(p.viscosity.ravel() for p in points)])),
            mass=read_only(mass),
            stiffness=read_only(np.zeros((vectors, vectors)) if stiffness is None else stiffness),
            places=read_only(np.asarray(flags, dtype=float)),
        )

    @property
    def vectors(self) -> int:
        """Number K of nodal vectors of the element."""
        return self.nodes * self.node_vectors

    @property
    def most_rows(self) -> int:
        """Most vectors r_a of a point."""
        return int(self.points[:, 1].max(initial=0))

    @property
    def most_strains(self) -> int:
        """Most strains of a point."""
        return int(self.points[:, 5].max(initial=0))

    @property
    def damped(self) -> bool:
        """True if rates of strain have stresses."""
        return bool(np.any(self.viscosity))

    @cached_property
    def weight(self) -> Array:
        """Factors (K,) of gravity (m/s2) in the forces on the nodal vectors; kg, kg m."""
        return read_only(self.mass @ self.places)

    @property
    def total_mass(self) -> float:
        """Mass of the element, kg."""
        return float(self.places @ self.weight)

    @cached_property
    def integers(self) -> Integers:
        """Integers for a kernel: head, points, terms."""
        sizes = self.vectors, len(self.points), len(self.rows), len(self.terms), len(self.rest)
        most = self.most_rows, self.most_strains
        head = [*sizes, len(self.elasticity), *most, int(self.damped)]
        return np.concatenate([np.array(head, np.int64), self.points.ravel(), self.terms.ravel()])

    @cached_property
    def reals(self) -> Array:
        """Reals for a kernel: S, c, rest, D, D', M, C, weight."""
        strains = self.rows, self.factors, self.rest, self.elasticity, self.viscosity
        both = (*strains, self.mass, self.stiffness, self.weight)
        return np.concatenate([np.ravel(part) for part in both])


def _integers(rows: Sequence[Sequence[int]], columns: int) -> Integers:
    table = np.array(rows, dtype=np.int64).reshape(-1, columns)
    table.flags.writeable = False
    return table


Times = tuple[float, float]


def elastic_laws(owner: str, material: Material, times: Times) -> tuple[Array, Array]:
    """Matrices (6, 6) from strains (Pa) and from their rates (Pa s) to stresses.

    ``times`` (s) are the viscosities beside E and G in units of these.
    """
    from supple.fem.solids.matrices import isotropic_law

    E, G = times
    elastic = isotropic_law(owner, material)
    if E == G:
        return elastic, E * elastic
    if not 0.0 < E * material.E < 3.0 * G * material.G:
        expected = "E and G with 0 < E < 3 G, as of an isotropic material"
        raise ModelError(owner, "damping E, G", (E * material.E, G * material.G), expected)
    viscous = Material(E * material.E, G * material.G, material.density)
    return elastic, isotropic_law(owner, viscous)
