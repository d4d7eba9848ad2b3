"""Products with tangents and constraint rows: by blocks (``core/linalg/multifrontal.py``) only where there are entries."""

from __future__ import annotations

from supple.core.linalg.multifrontal import (
    CODE,
    COLUMN,
    MORE,
    NCOLUMN,
    NROW,
    ROW,
    TANGENT,
    by_blocks,
    links_of,
    records_of,
)
from supple.native.declare import block, kernel

SIX = 6  # velocities of a free body, or of a node of a cable


@kernel
def clear(m, Rq, Ru, M):
    """Zeros in tangents: by blocks only where there are entries."""
    if by_blocks(m):
        records = records_of(m)[0]
        for e in range(records.shape[0]):
            r = records[e]
            if r[CODE] == TANGENT:
                for i in range(r[ROW], r[ROW] + r[NROW]):
                    k = m.row_of[i]
                    for j in range(r[COLUMN], r[COLUMN] + r[NCOLUMN]):
                        Rq[k, j], M[k, j] = 0.0, 0.0
                    for j in range(r[COLUMN], r[COLUMN] + (r[NCOLUMN] if r[MORE] == 0 else 0)):
                        Ru[k, j] = 0.0
    else:
        for i in range(M.shape[0]):
            for j in range(M.shape[1]):
                Rq[i, j], Ru[i, j], M[i, j] = 0.0, 0.0, 0.0


@kernel
def add_product(m, matrix, x, c, y):
    """y += c matrix x for a tangent."""
    if by_blocks(m):
        records = records_of(m)[0]
        for e in range(records.shape[0]):
            r = records[e]
            if r[CODE] == TANGENT:
                own = x[r[COLUMN] : r[COLUMN] + r[NCOLUMN]]
                for i in range(r[ROW], r[ROW] + r[NROW]):
                    y[i] += c * dot(part(matrix[m.row_of[i]], r)[0], own)
    else:
        for i in range(matrix.shape[0]):
            y[i] += c * dot(matrix[i], x)


@kernel
def dot(x, y):
    """Scalar product; of six numbers, as most are, without a loop."""
    if x.shape[0] == SIX:
        return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]
    s = 0.0
    for k in range(x.shape[0]):
        s += x[k] * y[k]
    return s


@kernel
def part(row, r):
    """Entries of a stored row in the columns of a record."""
    return (block(row, r[COLUMN], r[NCOLUMN]),)


@kernel
def add_rows(m, G, x, c, y):
    """y += c G x for a matrix of constraint rows."""
    if by_blocks(m):
        records, links = records_of(m)[0], links_of(m)[0]
        for e in range(links.shape[0]):
            r = records[links[e]]
            own = x[r[COLUMN] : r[COLUMN] + r[NCOLUMN]]
            for i in range(r[ROW], r[ROW] + r[NROW]):
                y[i] += c * dot(part(G[m.line_of[i]], r)[0], own)
    else:
        for i in range(G.shape[0]):
            y[i] += c * dot(G[i], x)


@kernel
def add_columns(m, G, x, c, y):
    """y += c G^T x for a matrix of constraint rows."""
    if by_blocks(m):
        records, links = records_of(m)[0], links_of(m)[0]
        for e in range(links.shape[0]):
            r = records[links[e]]
            own = y[r[COLUMN] : r[COLUMN] + r[NCOLUMN]]
            for i in range(r[ROW], r[ROW] + r[NROW]):
                row, s = part(G[m.line_of[i]], r)[0], c * x[i]
                for j in range(own.shape[0]):
                    own[j] += row[j] * s
    else:
        for i in range(G.shape[0]):
            row, s = G[i], c * x[i]
            for j in range(y.shape[0]):
                y[j] += row[j] * s


@kernel
def along(m, G, mu, c, d):
    """d = c B mu, B = s^2 G^T."""
    for k in range(d.shape[0]):
        d[k] = 0.0
    if by_blocks(m):
        add_along(m, G, mu, c, d)
        return
    add_columns(m, G, mu, c, d)
    for k in range(d.shape[0]):
        d[k] *= m.unit[k] * m.unit[k]


@kernel
def add_along(m, G, mu, c, y):
    """y += c B mu by blocks, where rows have entries: these may be few."""
    records, links = records_of(m)[0], links_of(m)[0]
    for e in range(links.shape[0]):
        r = records[links[e]]
        own, unit = y[r[COLUMN] : r[COLUMN] + r[NCOLUMN]], m.unit[r[COLUMN] : r[COLUMN] + r[NCOLUMN]]
        for i in range(r[ROW], r[ROW] + r[NROW]):
            row, s = part(G[m.line_of[i]], r)[0], c * mu[i]
            for j in range(own.shape[0]):
                own[j] += unit[j] * unit[j] * row[j] * s


@kernel
def row_sizes(m, G, y):
    """y = largest entry of each constraint row, in units of the increments."""
    for i in range(y.shape[0]):
        y[i] = 0.0
    if by_blocks(m):
        records, links = records_of(m)[0], links_of(m)[0]
        for e in range(links.shape[0]):
            r = records[links[e]]
            for i in range(r[ROW], r[ROW] + r[NROW]):
                row = G[m.line_of[i]]
                for j in range(r[COLUMN], r[COLUMN] + r[NCOLUMN]):
                    y[i] = max(y[i], abs(row[j]) * m.unit[j])
    else:
        for i in range(G.shape[0]):
            for j in range(G.shape[1]):
                y[i] = max(y[i], abs(G[i, j]) * m.unit[j])
