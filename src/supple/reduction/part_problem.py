"""Reduction of a part of a beam: one element in the frame of its chord.

The frame goes through both ends and turns about the chord with the mean twist of both. That is so
to first order in the coordinates. Displacements of second order are measured where the rotation
vectors of second order of both ends are opposite: relative rotations of the ends are right up to
the fifth power of the part's length then, in space too (docs/theory.md, "Beams in parts").
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from supple.fem.beams.beam import INNER
from supple.foundation.arrays import Indices, Vector
from supple.reduction.modes import TX, Reference, rigid_motions
from supple.reduction.problem import Problem

INNER_NAME = "tx_mid"


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
        """Whether the angle of the middle section is a coordinate."""
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
        """What coordinates are, 0 to 5 for u, v, w, tx, ty, tz."""
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
