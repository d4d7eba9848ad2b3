"""Entries of the inertia integrals D1 that are not zero, as kernels sum them.

Most entries of the nine matrices of a straight beam are zero: its modes bend in one plane or the
other, its sections tilt across the axis. A strip is four adjacent columns of one matrix, with those
of its rows that are not zero there. Four sums at a time are what a processor does at once; a body
without zeros loses nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.foundation.arrays import Integers, Vector
from supple.foundation.validate import read_only

# Columns of a strip; core/bodies/second_order_shapes.py is written for as many.
WIDTH = 4


class Strips(NamedTuple):
    """Strips of matrices D1 (3, 3, m, m).

    Attributes
    ----------
    strips : (s, 3)
        Number 3 i + j of the matrix, first column, number of rows.
    rows : (k,)
        Numbers of the rows, strip by strip.
    values : (k, 4)
        Their entries; zeros behind the last column.
    """

    strips: Integers
    rows: Integers
    values: Vector

    @classmethod
    def of(cls, D1: Vector) -> Strips:
        """All strips of D1 with entries that are not zero."""
        m = D1.shape[2]
        width = -(-m // WIDTH) * WIDTH
        wide = np.zeros((9, m, width))
        wide[:, :, :m] = D1.reshape(9, m, m)
        by_strip = wide.reshape(9, m, -1, WIDTH).swapaxes(1, 2)  # matrix, strip, row, column
        used = np.any(by_strip, axis=3)
        part, strip = np.nonzero(np.any(used, axis=2))
        table = np.stack([part, WIDTH * strip, np.count_nonzero(used[part, strip], axis=1)], axis=1)
        return cls(table, np.nonzero(used)[2], read_only(by_strip[used]))
