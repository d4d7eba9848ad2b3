"""Where Radau's stages, residuals and matrices are in the run's buffers."""

from __future__ import annotations

from collections import namedtuple

from supple.core import layout as at
from supple.core.links import LINEAR
from supple.native.declare import block, kernel

# Rows of the vectors over velocities: increments and velocities of the stages and of the last step's
# stages, stage accelerations, residuals of the chart and of the motion, weights, two scratch rows, B mu of the
# stages, and accelerations that drivers give
X, U, XO, UO, RATE, F1, F2, WX, WU, S1, S2, BMU, GIVEN = 0, 3, 6, 9, 12, 15, 18, 21, 22, 23, 24, 25, 28
U_ROWS = 31
# ... over velocities that Newton solves for, all but those that drivers give: residuals of the chart in the basis of
# the eigenvalues, then xi; change of B h mu; the error's two rates; scratch; square of the unit; Newton's changes of
# increments and velocities of the stages
FX, FD, FA, FU, FB, FW, DX, DU = 0, 3, 6, 7, 8, 9, 10, 13
F_ROWS = 16
# ... over controller states: stages, the last step's stages, rates, residuals, weights
Z, ZO, ZRATE, F3, WZ = 0, 3, 6, 9, 12
Z_ROWS = 13
# ... over force elements: work up to the stages, weights
WORK, WW = 0, 3
E_ROWS = 4
# ... over constraint rows: lam of the stages, violations and their rates, lam of the last step's stages
LAM, F4, F5, LO = 0, 3, 6, 9
C_ROWS = 12
# ... over rows that Newton solves for: changes of h mu, then of lam of the stages
D_ROWS = 3
# ... over Newton's unknowns: real and complex right sides, two scratch rows
Y1, Y2, Y3, P1, P2 = 0, 1, 2, 3, 4
Y_ROWS = 5

# Square matrices: tangents Rq, Ru, M over velocities; Newton's E1 and ER + i EI over its unknowns
RQ, RU, MASS = 0, 1, 2
RU0, PX = 3, 4  # with constraints also Ru itself and P
E1, ER, EI = 0, 1, 2

# Models with as many velocities, controller states and constraint rows may have Newton's matrix in an envelope, with
# mu among its unknowns (core/radau_wide.py). Then also over velocities and rows: H, (M B)^T, (Ru B)^T
WIDE_FROM = 40
HX, MB, RB = 0, 1, 2
# Integers: the sparsity pattern of matrices, lists with their lengths in front: nonzero columns of each row and nonzero
# rows of each column of the tangents (R_columns, R_rows), the same of G and H (G_columns, G_rows), nonzero columns of each
# row of (M B)^T and (Ru B)^T (MB_columns), nonzero rows of each column of G B (GB_rows). And of Newton's matrices: where
# rows of the real and of the complex one end, last rows of columns, first columns of rows
END, ENDC, DOWN, LEFT = 0, 1, 2, 3

Lists = namedtuple("Lists", "R_columns R_rows G_columns G_rows MB_columns GB_rows")
Full = namedtuple("Full", "tangent Rz Gq Gu G")
Own = namedtuple(
    "Own", "u f z e c d y full tangent Rz Gq Gu Gz G GB wide GuB newton free kept pin pivots pattern band"
)


@kernel
def choose(m, free, kept, pin):
    """Velocities and rows that Newton solves for; returns their numbers.

    A driver of one coordinate gives its increment and velocity, and the equation of motion along it gives the
    driver's multiplier: ``pin`` (nr) has the link of such a row, -1 of others.
    """
    nu, nr, gone = free.shape[0], kept.shape[0], 0
    for k in range(nu):
        free[k] = 0
    for j in range(nr):
        pin[j] = -1
    if not is_wide(m):
        for c in range(m.link.shape[0]):
            link = m.link[c]
            if link[at.LINK_KIND] == LINEAR and link[at.LINK_COUNT] == 1 and link[at.LINK_ROW] >= 0:
                k = m.term[link[at.LINK_TERM], at.TERM_U]
                if free[k] == 0:
                    free[k] = 1
                    pin[link[at.LINK_ROW]] = c
                    gone += 1
    n = 0
    for k in range(nu):
        if free[k] == 0:
            free[n] = k
            n += 1
    n = 0
    for j in range(nr):
        if pin[j] < 0:
            kept[n] = j
            n += 1
    return nu - gone, n


@kernel
def cut(a, i, rows, columns):
    """A matrix from a[i], and where the next one begins."""
    return block(a, i, rows, columns), i + rows * columns


@kernel
def own_views(m, run, i, ints, k):
    """The method's own part of the buffers, from run[i] and ints[k]."""
    nu, nz, ne, nr = m.head[at.H_U], m.head[at.H_Z], m.head[at.H_ELEMENTS], m.head[at.H_ROWS]
    free, kept, pin = ints[k : k + nu], ints[k + nu : k + nu + nr], ints[k + nu + nr : k + nu + 2 * nr]
    k += nu + 2 * nr
    nf, nk = choose(m, free, kept, pin)
    free, kept = free[:nf], kept[:nk]
    extra = nk if is_wide(m) else 0
    n = nf + nz + nk + extra
    u, i = cut(run, i, U_ROWS, nu)
    f, i = cut(run, i, F_ROWS, nf)
    for l in range(nf):
        f[FW, l] = m.unit[free[l]] * m.unit[free[l]]
    z, i = cut(run, i, Z_ROWS, nz)
    e, i = cut(run, i, E_ROWS, ne)
    c, i = cut(run, i, C_ROWS, nr)
    d, i = cut(run, i, D_ROWS, nk)
    y, i = cut(run, i, Y_ROWS, n)
    Gz, i = cut(run, i, nz, nz)
    squares = 5 if nr > 0 else 3
    first = i
    tangent = block(run, i, squares, nf, nf)
    i += squares * nf * nf
    Rz, i = cut(run, i, nf, nz)
    Gq, i = cut(run, i, nz, nf)
    Gu, i = cut(run, i, nz, nf)
    G, i = cut(run, i, nk, nf)
    if nf == nu:  # rows that Newton solves for are all there are
        whole = Full(block(run, first, 3, nf, nf), Rz, Gq, Gu, G)
    else:
        before = block(run, i, 3, nu, nu)
        i += 3 * nu * nu
        a, i = cut(run, i, nu, nz)
        b, i = cut(run, i, nz, nu)
        g, i = cut(run, i, nz, nu)
        j, i = cut(run, i, nr, nu)
        whole = Full(before, a, b, g, j)
    GB, i = cut(run, i, nk, nk)
    wide = block(run, i, 3, extra, nu)
    i += 3 * extra * nu
    GuB, i = cut(run, i, nz, extra)
    newton = block(run, i, 3, n, n)
    pivots, k = cut(ints, k, 2, n)
    size = nu if extra > 0 else 0
    R_columns, k = cut(ints, k, size, nu + 1)
    R_rows, k = cut(ints, k, size, nu + 1)
    G_columns, k = cut(ints, k, extra, nu + 1)
    G_rows, k = cut(ints, k, size, nr + 1)
    MB_columns, k = cut(ints, k, extra, nu + 1)
    GB_rows, k = cut(ints, k, extra, nr + 1)
    pattern = Lists(R_columns, R_rows, G_columns, G_rows, MB_columns, GB_rows)
    band, k = cut(ints, k, 4, n if extra > 0 else 0)
    return Own(
        u, f, z, e, c, d, y, whole, tangent, Rz, Gq, Gu, Gz, G, GB, wide, GuB, newton, free, kept, pin, pivots, pattern, band
    )


@kernel
def is_wide(m):
    """Whether Newton's matrix has an envelope: the plan knows an order of its unknowns."""
    return m.head[at.H_ROWS] > 0 and m.plan[at.PLAN_NEWTON] > 0


def own_size(nu: int, nz: int, ne: int, nr: int) -> tuple[int, int]:
    """Lengths of the method's own part of the real and the integer buffer.

    There is room for both kinds of Newton's matrix, and for whatever rows drivers give: other rows in use may
    need the other one.
    """
    extra = nr if nu + nz + nr >= WIDE_FROM else 0
    n = nu + nz + nr + extra
    vectors = (U_ROWS + F_ROWS) * nu + Z_ROWS * nz + E_ROWS * ne + (C_ROWS + D_ROWS) * nr + Y_ROWS * n
    matrices = (8 if nr else 3) * nu * nu + 6 * nu * nz + nz * nz + nr * (2 * nu + nr) + extra * (3 * nu + nz)
    lists = nu * (2 * nu + nr + 3) + nr * (2 * nu + nr + 3) if extra else 0
    return vectors + matrices + 3 * n * n, nu + 2 * nr + 2 * n + lists + 4 * n
