"""Places of Radau's stages, residuals and matrices in the run's buffers."""

from __future__ import annotations

from collections.abc import Mapping

from supple.core.base import layout as at
from supple.core.base.buffers import Part, Record
from supple.core.equations.tree_parts import PARTS_RECORD
from supple.core.forces.constraint_rows import LINEAR, number_rates
from supple.core.linalg import multifrontal as blocks
from supple.core.linalg.multifrontal import COEFFICIENTS, by_blocks, room
from supple.native.declare import kernel

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
# ... over Newton's unknowns: real and complex right sides; by blocks also four scratch rows
Y1, Y2, Y3, P1 = 0, 1, 2, 3

# Square matrices: tangents Rq, Ru, M over velocities; Newton's E1 and ER + i EI over its unknowns
MASS, RQ, RU = 0, 1, 2
RU0, PX = 3, 4  # with constraints also Ru itself and P
E1, ER, EI = 0, 1, 2
FACTORS = 2  # along the tree

# The first nf and nk numbers of ``free`` and ``kept`` are the velocities and rows that Newton solves for. They come first
# in the buffer, because the other sizes follow from them. ``rated`` is 1 for rows that hold rates alone
CHOICE = {"free": "nu", "kept": "nr", "pin": "nr", "rated": "nr"}
CHOICE_RECORD = Record("Choice", __name__, Part("count", "int64", CHOICE), head=at.SIZES, follows=True)
Choice, cut_choice = CHOICE_RECORD.views, CHOICE_RECORD.cut

# Whole matrices are not there by blocks, nor where the elimination goes along the tree (core/radau/newton.py)
N = "nf + outer + (1 + blocks) * nk"  # Newton's unknowns
# By blocks only entries of the plan are there (core/base/layout.py)
NF, NZ, DENSE = "(widest == 0) * nf", "(widest == 0) * outer", "(widest == 0) * (blocks == 0) * (nf + outer + nk)"
OWN_RECORD = Record(
    "Own", __name__,
    Part("run", "float64", stored=("tangent", "G", "H"), fields={
        "u": (U_ROWS, "nu"),
        "f": (F_ROWS, "nf"),
        "z": (Z_ROWS, "nz"),
        "e": (E_ROWS, "elements"),
        "c": (C_ROWS, "nr"),
        "d": (D_ROWS, "nk"),
        "y": ("3 + 4 * blocks", N),
        "Gz": (NZ, NZ),
        "tangent": (f"3 + 2 * ruled * (blocks == 0) + {blocks.FURTHER} * (inner > 0) * blocks", f"blocks * tall + (blocks == 0) * {NF}", f"blocks + (blocks == 0) * {NF}"),
        "Rz": (NF, NZ),
        "Gq": (NZ, NF),
        "Gu": (NZ, NF),
        "G": ("blocks * lines + (blocks == 0) * nk", "blocks + (blocks == 0) * nf"),
        # the same over all velocities and rows, where Newton solves for fewer
        "full_tangent": (3, "apart * nu", "apart * nu"),
        "full_Rz": ("apart * nu", "outer"),
        "full_Gq": ("outer", "apart * nu"),
        "full_Gu": ("outer", "apart * nu"),
        "full_G": ("apart * nr", "apart * nu"),
        "GB": ("(blocks == 0) * nk", "nk"),
        "K": ("(rates > 0) * (blocks == 0) * nk", "nf"),  # of rows that hold rates alone: K - A P with K = d(A u)/dq
        "newton": (3, DENSE, DENSE),
        # by blocks (core/linalg/multifrontal.py): derivative H of the rows' rates, numbers of the method, fronts and their factors
        "H": ("blocks * lines", 1),
        "coefficients": ("3 * blocks", COEFFICIENTS),
        "held": "blocks",  # stiffness with which rows are held in the tangents (``radau_blocks.weigh_rows``), 0 if they are not
        "stack": (2, "stack"),
        "factors": (3, "factors"),
    }),
    Part("count", "int64", {
        **CHOICE,
        "pivots": (2, N),
    }),
    head=at.SIZES,
    # velocities and rows that Newton solves for; 1 or 0 for blocks, for velocities that drivers give, for constraints;
    # numbers of the stack and of factors
    given=("nf", "nk", "blocks", "apart", "ruled", "stack", "factors"),
    follows=True,
)
Own, OWN, cut_own = OWN_RECORD.views, OWN_RECORD.kind, OWN_RECORD.cut


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
    if not by_blocks(m):
        for c in range(m.link.shape[0]):
            link = m.link[c]
            if link[at.LINK_KIND] == LINEAR and link[at.LINK_COUNT] == 1 and link[at.LINK_ROW] >= 0 and link[at.LINK_RATES] == 0:
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
def own_views(m, run, i, ints, k):
    """The method's own part of the buffers, from run[i] and ints[k], and where it ends."""
    choice = cut_choice(m.head, ints, k)[0]
    nf, nk = choose(m, choice.free, choice.kept, choice.pin)
    number_rates(m, choice.rated)
    apart = 1 if nf < choice.free.shape[0] else 0
    ruled = 1 if choice.pin.shape[0] > 0 else 0
    planned = 1 if by_blocks(m) else 0
    stack, factors = room(m)
    return cut_own(m.head, run, i, ints, k, nf, nk, planned, apart, ruled, stack, factors)


@kernel
def fill_units(m, o):
    """Squares of the units of the velocities that Newton solves for."""
    for l in range(o.f.shape[1]):
        o.f[FW, l] = m.unit[o.free[l]] * m.unit[o.free[l]]


def own_size(sizes: Mapping[str, int], fronts: tuple[int, int]) -> tuple[int, int]:
    """Lengths of the method's own part of the real and the integer buffer; ``fronts`` from ``blocks.lengths``.

    There is room for whatever rows drivers give.
    """
    ruled, planned = int(sizes["nr"] > 0), int(fronts[0] > 0)
    room_for = {"stack": fronts[0], "factors": fronts[1], "blocks": planned}
    most = {"nf": sizes["nu"], "nk": sizes["nr"], "apart": ruled * (planned == 0), "ruled": ruled}
    reals, ints = OWN_RECORD.lengths({**sizes, **room_for, **most})
    more_reals, more_ints = PARTS_RECORD.lengths({**sizes, "factors": FACTORS})
    return reals + more_reals, ints + more_ints
