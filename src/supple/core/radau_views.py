"""Where Radau's stages, residuals and matrices are in the run's buffers."""

from __future__ import annotations

from collections import namedtuple

from supple.core import layout as at
from supple.core.jit import kernel

# Rows of the vectors over velocities: increments and velocities of the stages and of the last step's
# stages, stage accelerations, residuals of the chart and of the motion, weights, two scratch rows, change
# of B h mu, and B mu of the stages
X, U, XO, UO, RATE, F1, F2, WX, WU, S1, S2, D, BMU = 0, 3, 6, 9, 12, 15, 18, 21, 22, 23, 24, 25, 28
U_ROWS = 31
# ... over controller states: stages, the last step's stages, rates, residuals, weights
Z, ZO, ZRATE, F3, WZ = 0, 3, 6, 9, 12
Z_ROWS = 13
# ... over force elements: work up to the stages, weights
WORK, WW = 0, 3
E_ROWS = 4
# ... over constraint rows: lam of the stages, violations and their rates, lam of the last step's stages
LAM, F4, F5, LO = 0, 3, 6, 9
C_ROWS = 12
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
# Integers: lists of the entries of matrices, each with its length in front: columns of rows and rows of columns of
# the tangents (nu, nu); columns of rows (nr, nu) and rows of columns (nu, nr) of G and H; columns of rows of (M B)^T
# and (Ru B)^T (nr, nu); rows of columns of G B (nr, nr). And of Newton's matrices: where rows of the real and of the
# complex one end, last rows of columns, first columns of rows
END, ENDC, DOWN, LEFT = 0, 1, 2, 3

Lists = namedtuple("Lists", "near into reach by felt met")
Own = namedtuple("Own", "u z e c y tangent Rz Gq Gu Gz G GB wide GuB newton pivots lists band")


@kernel
def own_views(m, run, i, ints, k):
    """The method's own part of the buffers, from run[i] and ints[k]."""
    nu, nz, ne, nr = m.head[at.H_U], m.head[at.H_Z], m.head[at.H_ELEMENTS], m.head[at.H_ROWS]
    n = nu + nz + nr
    if is_wide(m):
        n += nr
    u = run[i : i + U_ROWS * nu].reshape((U_ROWS, nu))
    i += U_ROWS * nu
    z = run[i : i + Z_ROWS * nz].reshape((Z_ROWS, nz))
    i += Z_ROWS * nz
    e = run[i : i + E_ROWS * ne].reshape((E_ROWS, ne))
    i += E_ROWS * ne
    c = run[i : i + C_ROWS * nr].reshape((C_ROWS, nr))
    i += C_ROWS * nr
    y = run[i : i + Y_ROWS * n].reshape((Y_ROWS, n))
    i += Y_ROWS * n
    squares = 5 if nr > 0 else 3
    tangent = run[i : i + squares * nu * nu].reshape((squares, nu, nu))
    i += squares * nu * nu
    Rz = run[i : i + nu * nz].reshape((nu, nz))
    i += nu * nz
    Gq = run[i : i + nu * nz].reshape((nz, nu))
    i += nu * nz
    Gu = run[i : i + nu * nz].reshape((nz, nu))
    i += nu * nz
    Gz = run[i : i + nz * nz].reshape((nz, nz))
    i += nz * nz
    G = run[i : i + nr * nu].reshape((nr, nu))
    i += nr * nu
    GB = run[i : i + nr * nr].reshape((nr, nr))
    i += nr * nr
    extra = nr if is_wide(m) else 0
    wide = run[i : i + 3 * extra * nu].reshape((3, extra, nu))
    i += 3 * extra * nu
    GuB = run[i : i + nz * extra].reshape((nz, extra))
    i += nz * extra
    newton = run[i : i + 3 * n * n].reshape((3, n, n))
    pivots = ints[k : k + 2 * n].reshape((2, n))
    k += 2 * n
    size = nu if extra > 0 else 0
    near = ints[k : k + size * (nu + 1)].reshape((size, nu + 1))
    k += size * (nu + 1)
    into = ints[k : k + size * (nu + 1)].reshape((size, nu + 1))
    k += size * (nu + 1)
    reach = ints[k : k + extra * (nu + 1)].reshape((extra, nu + 1))
    k += extra * (nu + 1)
    by = ints[k : k + size * (nr + 1)].reshape((size, nr + 1))
    k += size * (nr + 1)
    felt = ints[k : k + extra * (nu + 1)].reshape((extra, nu + 1))
    k += extra * (nu + 1)
    met = ints[k : k + extra * (nr + 1)].reshape((extra, nr + 1))
    k += extra * (nr + 1)
    lists = Lists(near, into, reach, by, felt, met)
    band = ints[k : k + 4 * n].reshape((4, n)) if extra > 0 else ints[k:k].reshape((4, 0))
    return Own(u, z, e, c, y, tangent, Rz, Gq, Gu, Gz, G, GB, wide, GuB, newton, pivots, lists, band)


@kernel
def is_wide(m):
    """Whether Newton's matrix has an envelope: the plan knows an order of its unknowns."""
    return m.head[at.H_ROWS] > 0 and m.plan[at.PLAN_NEWTON] > 0


def own_size(nu: int, nz: int, ne: int, nr: int) -> tuple[int, int]:
    """Lengths of the method's own part of the real and the integer buffer.

    Large models have room for both kinds of Newton's matrix: other rows in use may need the other one.
    """
    extra = nr if nu + nz + nr >= WIDE_FROM else 0
    n = nu + nz + nr + extra
    vectors = U_ROWS * nu + Z_ROWS * nz + E_ROWS * ne + C_ROWS * nr + Y_ROWS * n
    matrices = (5 if nr else 3) * nu * nu + 3 * nu * nz + nz * nz + nr * (nu + nr) + extra * (3 * nu + nz)
    lists = nu * (2 * nu + nr + 3) + nr * (2 * nu + nr + 3) if extra else 0
    return vectors + matrices + 3 * n * n, 2 * n + lists + 4 * n
