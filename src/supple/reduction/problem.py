"""A component to be reduced: its matrices, its frame of reference, its static and normal modes.

Reduction of a part of a beam: one element in the frame of its chord. The frame goes through both
ends and turns about the chord with the mean twist of both. That is so to first order in the
coordinates. Displacements of second order are measured where the rotation vectors of second order
of both ends are opposite: relative rotations of the ends are right up to the fifth power of the
part's length then, in space too (docs/theory.md, "Beams in parts").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.fem.base.inertia import InertiaIntegrals, point_integrals
from supple.fem.beams.beam import INNER
from supple.foundation.arrays import Indices, Vector
from supple.foundation.cached import cached_property
from supple.reduction.eigen import DENSE, lowest_modes, part, refined_modes, solver
from supple.reduction.modes import (
    COORDINATES,
    TX,
    Reference,
    kept_coordinates,
    reference_basis,
    rigid_motions,
    signs,
)

# A combination of shapes whose motion is less, in the norm of the mass matrix, is none: what is
# left of a rigid motion.
DEPENDENT = 1e-8
INNER_NAME = "tx_mid"


@dataclass(frozen=True, eq=False)
class Problem:
    """A component with six coordinates for each node, to be reduced.

    Other components override what depends on this numbering (`TiedProblem`).
    """

    mesh: Any  # component with nodes, length, mass_matrix, stiffness_matrix, dense or sparse
    reference: Reference  # how the body's frame follows it
    clamp_node: int  # number of the node of a clamped frame
    twist: bool  # False if rotations about x have no inertia and are left out
    node: Callable[[Any], int]  # number of the node at a place, refusing a place that is none
    rows: Callable[[Any], Vector]  # rows (6, size) of displacement and rotation at a place
    # the same at all places where something is attached, where they are asked for
    attached: tuple[Vector, ...] = ()

    @property
    def size(self) -> int:
        """Number of nodal coordinates."""
        return 6 * len(self.mesh.nodes)

    @cached_property
    def free(self) -> Indices:
        """Coordinates that exist: all, or all but rotations about x."""
        every = np.arange(self.size)
        return every if self.twist else every[every % 6 != TX]

    @cached_property
    def rigid(self) -> Vector:
        """Rigid motions (size, 6), or (size, 5) without the turn about x."""
        motions = rigid_motions(self.mesh.nodes)
        return motions if self.twist else np.delete(motions, TX, axis=1)

    def kept(self, reference: Reference | None = None) -> Indices:
        """Coordinates that the frame leaves free; those of "clamped" for the mean axis, too."""
        reference = reference or self.reference
        return kept_coordinates(reference, len(self.mesh.nodes), self.clamp_node, self.twist)

    @property
    def large(self) -> bool:
        """True if the lowest modes are searched for, instead of finding all of them at once."""
        return self.size > DENSE

    @property
    def compares(self) -> bool:
        """True if frequencies of the whole component are found with those of chosen shapes."""
        return True

    def coordinates(self, place: Any) -> Indices:
        """Coordinates of an interface: those of the node at a place."""
        return 6 * self.node(place) + np.arange(6)

    def kinds(self, at: Indices) -> Indices:
        """Directions of the coordinates, 0 to 5 for u, v, w, tx, ty, tz."""
        return np.asarray(at % 6)

    def names(self, at: Indices) -> tuple[str, ...]:
        """Texts such as ``w_12``, by node."""
        return tuple(f"{COORDINATES[k % 6]}_{k // 6}" for k in at)

    def nodal_basis(self, M: Vector) -> Vector:
        """Displacements (size, m) of the kept coordinates in the frame, one column for each."""
        return reference_basis(self.reference, self.kept(), M, self.mesh.nodes, self.twist)

    def signs(self, shapes: Vector) -> Vector:
        """Signs (m,) that make the largest displacement of each shape (size, m) positive."""
        return signs(shapes, self.mesh.length)

    def integrals(self, basis: Vector) -> InertiaIntegrals:
        """Integrals of inertia for displacements ``basis @ q`` with basis (size, n)."""
        return point_integrals(self.mesh.material_points(basis))

    def solve(self, at: Indices, loads: Vector) -> Vector:
        """Displacements (k, m) of the coordinates ``at`` under loads (k, m); all others rest."""
        return solver(part(self.mesh.stiffness_matrix, at, at))(loads)

    def normal_modes(
        self, count: int, reference: Reference | None = None, extra: int = 0
    ) -> tuple[Vector, Vector]:
        """Eigenvalues (m,) and shapes (size, m) of the lowest ``count`` modes in a frame.

        ``extra`` modes follow as far as there are any.
        """
        reference = reference or self.reference
        count = min(count + extra, len(self.kept(reference)))
        at = self.free if reference == "mean_axis" else self.kept(reference)
        rigid = self.rigid.shape[1] if reference == "mean_axis" else 0
        values, vectors = self.modes_of(at, count + rigid, rigid > 0)
        return values[rigid:], vectors[:, rigid:]

    def modes_of(self, at: Indices, count: int, free: bool = False) -> tuple[Vector, Vector]:
        """Eigenvalues and shapes (size, count) when only the coordinates ``at`` can move."""
        K, M = (part(X, at, at) for X in (self.mesh.stiffness_matrix, self.mesh.mass_matrix))
        values, vectors = lowest_modes(K, M, count, free)
        shapes = np.zeros((self.size, count))
        shapes[at] = vectors
        return values, shapes

    def static(self, loads: Vector) -> Vector:
        """Deflections (size, m) under loads (size, m) in the frame.

        With the mean axis the body moves freely: its own inertia balances the loads.
        """
        at = self.kept()
        if self.reference == "mean_axis":
            momentum = self.mesh.mass_matrix @ self.rigid
            whole, inertia = loads, self.rigid.T @ momentum
            loads = whole - momentum @ np.linalg.solve(inertia, self.rigid.T @ whole)
            # What is left of a load that only accelerates the body is rounding.
            left, given = (np.linalg.norm(x, axis=0) for x in (loads, whole))
            loads = loads * (left > DEPENDENT * given)
        shapes = np.zeros((self.size, loads.shape[1]))
        shapes[at] = self.solve(at, loads[at])
        return shapes

    @property
    def frame_rows(self) -> Vector:
        """Rows (c, size) of coordinates that are zero in the frame."""
        if self.reference == "mean_axis":
            return np.asarray((self.mesh.mass_matrix @ self.rigid).T)
        return np.eye(self.size)[np.setdiff1d(self.free, self.kept())]

    def stressed(self, loads: Vector, K_G: Any, rows: Vector) -> Vector:
        """Deflections (size, m) under loads (size, m) of a mesh that stress stiffens by K_G.

        Some ``rows`` (c, size) of its coordinates are held. Raises LinAlgError if that is unstable.
        """
        from scipy import sparse
        from scipy.sparse.linalg import splu

        at = self.free
        K = (sparse.csr_array(self.mesh.stiffness_matrix) + sparse.csr_array(K_G))[at][:, at]
        unit = sparse.diags_array(1.0 / np.sqrt(np.abs(K.diagonal())))
        border = np.linalg.qr(unit @ rows[:, at].T)[0]
        whole = sparse.block_array([[unit @ K @ unit, border], [border.T, None]], format="csc")
        right = np.zeros((whole.shape[0], loads.shape[1]))
        right[: len(at)] = unit @ loads[at]
        shapes = np.zeros(loads.shape)
        shapes[at] = unit @ splu(whole).solve(right)[: len(at)]
        if not np.all(np.einsum("ij,ij->j", loads, shapes) >= 0.0):
            raise np.linalg.LinAlgError("stress makes the mesh unstable where it is held")
        return shapes

    def static_of_second_order(self, loads: Vector) -> Vector:
        """Static shapes in the frame that displacements of second order are measured in."""
        shapes = self.static(loads)
        return self.in_frame(shapes) if self.reference == "mean_axis" else shapes

    def in_frame(self, shapes: Vector) -> Vector:
        """Return deformations without the rigid motion that the frame follows."""
        if self.reference == "mean_axis":
            rows = (self.mesh.mass_matrix @ self.rigid).T
            return shapes - self.rigid @ np.linalg.solve(rows @ self.rigid, rows @ shapes)
        held = np.setdiff1d(self.free, self.kept())
        moved = shapes - self.rigid @ np.linalg.solve(self.rigid[held], shapes[held])
        moved[held] = 0.0  # exactly: a place that does not move costs nothing
        return moved

    def orthonormal(self, shapes: Vector) -> tuple[Vector, Vector]:
        """Eigenvalues (m,) and modes (size, m) of the component within the span of shapes.

        Shapes that depend on others, rigid motions above all, are dropped.
        """
        from scipy.linalg import eigh

        M, K = self.mesh.mass_matrix, self.mesh.stiffness_matrix
        weights = np.sqrt(np.maximum(np.einsum("ia,ia->a", shapes, M @ shapes), 0.0))
        start = self.in_frame(shapes[:, weights > 0.0] / weights[weights > 0.0])
        size, turn = self.principal(start)
        basis = start @ (turn / size)
        gram, stiffness = (basis.T @ (X @ basis) for X in (M, K))
        vectors = eigh(0.5 * (stiffness + stiffness.T), 0.5 * (gram + gram.T))[1]
        return refined_modes(K, M, basis @ vectors)

    def principal(self, shapes: Vector) -> tuple[Vector, Vector]:
        """Sizes (k,), combinations (m, k) of the independent shapes among (size, m).

        The motion of mass points is a root of the mass matrix: its singular values show what is
        independent with twice the digits of the matrix itself.
        """
        mass, _, moved = self.mesh.material_points(shapes)
        root = (np.sqrt(mass)[:, None, None] * moved).reshape(3 * len(mass), shapes.shape[1])
        _, size, turn = np.linalg.svd(root, full_matrices=False)
        good = size > DEPENDENT * size.max(initial=0.0)
        return size[good], turn[good].T


@dataclass(frozen=True, eq=False)
class PartProblem(Problem):
    """A mesh of one element, to be reduced to the deformations of a part.

    ``stretch`` is False if displacements along x are left out.
    """

    stretch: bool = True

    @property
    def size(self) -> int:
        """Number of coordinates."""
        return int(self.mesh.size)

    @property
    def _inner(self) -> bool:
        """True if the angle of the middle section is a coordinate."""
        return self.size > INNER

    @cached_property
    def free(self) -> Indices:
        """Coordinates that exist."""
        every = np.arange(self.size)
        return every if self.twist else every[self.kinds(every) != TX]

    @cached_property
    def rigid(self) -> Vector:
        """Rigid motions (size, 6), or (size, 5) without the turn about x."""
        motions = self._all_rigid
        return motions if self.twist else np.delete(motions, TX, axis=1)

    @property
    def _all_rigid(self) -> Vector:
        motions = np.zeros((self.size, 6))
        motions[:INNER] = rigid_motions(self.mesh.nodes)
        return motions

    def kept(self, reference: Reference | None = None) -> Indices:
        """Coordinates that the frame leaves free."""
        kept = super().kept(reference)
        if self._inner:
            kept = np.append(kept, INNER)
        return kept if self.stretch else kept[self.kinds(kept) != 0]

    def kinds(self, at: Indices) -> Indices:
        """Directions of the coordinates, 0 to 5 for u, v, w, tx, ty, tz."""
        return np.asarray(np.where(at == INNER, TX, at % 6))

    def names(self, at: Indices) -> tuple[str, ...]:
        """Texts such as ``tz_1``, by node."""
        ends = super().names(at[at != INNER])
        return (*ends, INNER_NAME) if INNER in at else ends

    def nodal_basis(self, M: Vector) -> Vector:
        """Displacements (size, m) of the kept coordinates in the frame, one column for each."""
        end = 0.5 * (self.kept() == INNER - 6 + TX)  # half of the twist of the end
        return super().nodal_basis(M) - np.outer(self._all_rigid[:, TX], end)

    def static_of_second_order(self, loads: Vector) -> Vector:
        """Deflections (size, m) under loads (size, m) where both ends turn by opposite angles."""
        moved = np.zeros((self.size, self.size - 6))
        moved[3:6, :3], moved[9:12, :3], moved[6:9, 3:6] = -np.eye(3), np.eye(3), np.eye(3)
        moved[INNER:, 6:] = 1.0
        left = np.ones(self.size - 6, dtype=bool)
        left[0], left[3] = self.twist, self.stretch
        basis = moved[:, left]
        K = basis.T @ self.mesh.stiffness_matrix @ basis
        return np.asarray(basis @ np.linalg.solve(K, basis.T @ loads))
