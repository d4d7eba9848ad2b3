"""Modes of a body beside another one that is nearly the same, numbered and turned as those are.

Modes are sorted by frequency. Where two frequencies are equal, a small change of the body may
exchange two modes, or turn both of them in the plane that they span. The motion is the same, its
coordinates are others: no differences can be taken between them. So modes are matched with those
of a pattern: what is nearest in the norm of the mass matrix is the same mode.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.foundation.arrays import Indices, Vector
from supple.reduction.modes import COUPLING

# Squares of frequencies that differ relatively by less belong together: their modes turn fast
# where a change of the body couples them, and are turned back. All others stay what they are.
TOGETHER = 0.1
# 1 - cosine of the largest angle between the spaces of both: more is another space. Where a mode is
# left out that has the frequency of a kept one, any turn is that of an open choice.
SAME_SPACE, SAME_CHOICE = 1e-4, 1e-6


@dataclass(frozen=True, eq=False)
class ModePattern:
    """Modes with which those of similar bodies are matched."""

    eigenvalues: Vector  # (n,) (rad/s)^2
    shapes: Vector  # (size, n) Coordinates of the component for each mode.
    split: bool  # bool Whether a mode is left out that has the frequency of a kept one.

    def suits(self, shapes: Vector) -> bool:
        """True if the modes (size, n) of another body are as many, of as many coordinates."""
        return shapes.shape == self.shapes.shape

    def turn(self, M: Vector, shapes: Vector) -> Vector | None:
        """Matrix (n, n) with which ``shapes @ turn`` are the modes in the order of the pattern.

        ``M`` (size, size) is the mass matrix of the other body, ``shapes`` (size, n) are its modes.
        None if these span another space.
        """
        from scipy.optimize import linear_sum_assignment

        moved = M @ shapes
        overlap = self.shapes.T @ moved
        if not self._same_space(M, overlap):
            return None
        overlap = np.where(np.abs(overlap) < COUPLING, 0.0, overlap)
        mine = linear_sum_assignment(-(overlap**2))[1]  # by mode of the pattern
        turn = np.zeros_like(overlap)
        for group in self._groups():
            for rows, columns in _blocks(overlap, group, mine[group]):
                left, _, right = np.linalg.svd(overlap[np.ix_(rows, columns)])
                found = (left @ right).T if len(rows) > 1 else np.sign(left * right)
                turn[np.ix_(columns, rows)] = found
        return turn

    def _same_space(self, M: Vector, overlap: Vector) -> bool:
        """True if both span the same space, up to what a small change of the body does."""
        gram = self.shapes.T @ (M @ self.shapes)
        root = np.linalg.cholesky(0.5 * (gram + gram.T))
        cosines = np.linalg.svd(np.linalg.solve(root, overlap), compute_uv=False)
        least = float(cosines.min(initial=1.0))
        return least > 1.0 - (SAME_CHOICE if self.split else SAME_SPACE)

    def _groups(self) -> list[Indices]:
        """Numbers of the modes whose frequencies are close to each other."""
        order = np.argsort(self.eigenvalues, kind="stable")
        values = self.eigenvalues[order]
        apart = np.flatnonzero(np.diff(values) > TOGETHER * np.abs(values[1:]))
        return [np.sort(group) for group in np.split(order, apart + 1)]


def _blocks(overlap: Vector, rows: Indices, columns: Indices) -> list[tuple[Indices, Indices]]:
    """Rows and columns of modes that have something of each other; one each if they are two.

    Modes in different planes stay there to the bit: their coupling is a zero, which is not stored.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    n, some = len(rows), overlap[np.ix_(rows, columns)]
    both = np.zeros((2 * n, 2 * n), dtype=bool)
    both[:n, n:] = some != 0.0
    both[np.arange(n), n + np.arange(n)] = True
    count, labels = connected_components(csr_matrix(both), directed=False)
    return [(rows[labels[:n] == k], columns[labels[n:] == k]) for k in range(count)]
