"""Matrices of a model that is stored by its plan (``engine/sparsity/plan.py``), for SciPy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core.base import layout as at
from supple.core.linalg import multifrontal as blocks
from supple.foundation.arrays import Array


@dataclass(frozen=True)
class Pattern:
    """Rows and columns of the entries of a stored matrix, and their places in its buffer."""

    rows: np.ndarray
    columns: np.ndarray
    places: np.ndarray
    shape: tuple[int, int]

    @staticmethod
    def of(ints: np.ndarray, code: int) -> Pattern:
        """Pattern of tangents (``blocks.TANGENT``) or constraint rows (``blocks.ROWS``)."""
        plan = at.integers(ints, "plan")
        newton = plan[plan[at.PLAN_NEWTON] :]
        first, count = newton[blocks.RECORDS], newton[blocks.COUNT]
        end = first + count * blocks.RECORD_INTS
        records = newton[first:end].reshape(count, blocks.RECORD_INTS)
        own = records[records[:, blocks.CODE] == code]
        wide = own[:, blocks.NCOLUMN]
        lengths = own[:, blocks.NROW] * wide
        number = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        row, column = divmod(number, np.repeat(wide, lengths))
        row += np.repeat(own[:, blocks.ROW], lengths)
        column += np.repeat(own[:, blocks.COLUMN], lengths)
        of_rows = code == blocks.ROWS
        begin = at.integers(ints, "line_of" if of_rows else "row_of")
        return Pattern(row, column, begin[row] + column, (len(begin), int(ints[at.H_U])))

    def matrix(self, numbers: Array) -> Any:
        """The entries in a buffer as a sparse matrix in compressed rows."""
        from scipy.sparse import csr_array

        entries = numbers.reshape(-1)[self.places], (self.rows, self.columns)
        return csr_array(entries, shape=self.shape)

    def whole(self, numbers: Array) -> Array:
        """The entries in a buffer as an array."""
        out = np.zeros(self.shape)
        out[self.rows, self.columns] = numbers.reshape(-1)[self.places]
        return out




def sparse_table(matrix: Any) -> Any:
    """A sparse matrix in compressed rows; its ``max`` is that of an array, as np.max asks for."""
    from scipy.sparse import csr_array

    class Table(csr_array):  # type: ignore[misc]
        def max(self, axis: Any = None, out: Any = None, *, initial: float = 0.0) -> Any:
            found = csr_array(self).max(axis=axis)
            return np.maximum(found if axis is None else found.toarray().ravel(), initial)

    return Table(matrix)
