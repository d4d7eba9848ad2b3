"""Sizes of constraint rows in whole matrices, and where only entries of a plan are stored."""

from __future__ import annotations

from supple.core.linalg import multifrontal as blocks
from supple.native.declare import kernel


@kernel
def row_sizes(m, G, y):
    """y = largest entry of each constraint row, in units of the increments."""
    for i in range(y.shape[0]):
        y[i] = 0.0
    if blocks.by_blocks(m):
        records, links = blocks.records_of(m)[0], blocks.links_of(m)[0]
        for e in range(links.shape[0]):
            r = records[links[e]]
            for i in range(r[blocks.ROW], r[blocks.ROW] + r[blocks.NROW]):
                row = G[m.line_of[i]]
                for j in range(r[blocks.COLUMN], r[blocks.COLUMN] + r[blocks.NCOLUMN]):
                    y[i] = max(y[i], abs(row[j]) * m.unit[j])
    else:
        for i in range(G.shape[0]):
            for j in range(G.shape[1]):
                y[i] = max(y[i], abs(G[i, j]) * m.unit[j])
