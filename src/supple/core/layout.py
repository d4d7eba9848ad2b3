"""Where things are in the flat buffers, and the views kernels work on.

A model travels in two read-only buffers (``ints``, ``reals``) and one workspace (``work``): passing
three arrays from Python costs 1-3 us, a tuple of thirty costs 12-26 us. Inside, ``views`` cuts them
into a handful of two-dimensional arrays once for each entry call.

Node 0 is the ground. Every joint with one elementary motion is one node; a joint composed of several
axes is a chain of massless nodes, so that kernels know five motions only. The node's axes are those of
the joint's outboard frame, turned so that the axis of a revolute or prismatic motion is its z axis.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from supple.core.opcodes import STACK
from supple.native.declare import block, kernel, tuple_type

# Motions
FIXED, REVOLUTE, PRISMATIC, BALL, FREE = 0, 1, 2, 3, 4
# Elastic edges: from a flexible body's frame to an attach frame, and from an attach frame to the body
ELASTIC_OUT, ELASTIC_IN = 5, 6

# ints header
H_NODES, H_Q, H_U, H_Z, H_ELEMENTS, H_SIGNALS, H_SIGNAL_REALS, H_WRENCHES = 0, 1, 2, 3, 4, 5, 6, 7
H_COLUMNS, H_FLEX, H_ATTACH, H_FLEX_REALS, H_FLEX_WORK, H_SWITCHES = 8, 9, 10, 11, 12, 13
H_LINKS, H_ROWS, H_PLAN = 14, 15, 16
HEADER = 17

# Node integers: parent node, motion, first q, first u, number of columns, last column of the path to the
# parent (-1: none), inertia (0 none, 1 rigid, 2 flexible), root node of its subtree, first column, flexible
# body (of an elastic edge, or whose frame it is), attachment of an elastic edge
PARENT, MOTION, Q0, U0, NDOF, LAST, HEAVY, ROOT, COL0, FLEX, ATTACH = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
NODE_INTS = 11
RIGID, FLEXIBLE = 1, 2

# Node reals: pose of the joint's inboard frame in the parent node's axes, inertia about the node origin
# Rc 0:9, pc 9:12, mass 12, first moment 13:16, J 16:22 (xx yy zz xy xz yz)
NODE_REALS = 22

# A column is a direction of motion of an edge. A joint's velocity has one; an elastic velocity has one on
# each elastic edge of its body. Integers: previous column on the path to the ground (-1: none), node, velocity
BEFORE, OWNER, DOF = 0, 1, 2
COLUMN_INTS = 3

# Flexible bodies: number of elastic coordinates n, first q, first u, place in the flexible reals, node, place
# in the flexible workspace, number of slaved shapes r (core/slaved.py). With m = n + r, reals: mass, s0 (3), E0 (9),
# S1 (3, m), D0 (9, m), D1 (9, m, m), M (m, m), K, C (n, n); with slaved shapes then Gamma (r, n, n), and for each of
# the nine D1 whether its parts (modes, modes), (modes, slaves), (slaves, modes), (slaves, slaves) are not zero (9, 4)
FLEX_N, FLEX_Q0, FLEX_U0, FLEX_AT, FLEX_NODE, FLEX_WORK, FLEX_R = 0, 1, 2, 3, 4, 5, 6
FLEX_INTS = 7
# Attachments: flexible body, place in the flexible reals: p0 (3), R0 (9), Phi (3, n), Psi (3, n), of slaved shapes
# (6, r); place in the flexible workspace of [Phi; Psi] with slaved shapes (6, n), its first and second rate (-1: none)
ATTACH_INTS = 3
ATTACH_ROWS = 18
# Behind bodies and attachments the flexible reals hold the rows of membranes, see core/membrane.py
# Workspace of a flexible body, rows of m: D (9), D1 u over its second and first index (9, 9), L = [H; P] in
# body axes (6) and in world axes (6), Fq and Fu in world axes (6, 6), dQ over angular velocities (3), Q; then the
# coordinates with their slaves and both rates, and D1 a over its first index (9). Only the first n entries of
# what is in world axes count. With slaved shapes it goes on with Gamma q, u, a (3, r, n) and two matrices (m, m)
FX_D, FX_U2, FX_U1, FX_L, FX_LW, FX_FQ, FX_FU, FX_QW, FX_Q = 0, 9, 18, 27, 33, 39, 45, 51, 54
FX_QE, FX_UE, FX_AE, FX_A2 = 55, 56, 57, 58
FLEX_ROWS = 67

# Force elements: kind, then indices; see core/forces.py
ELEMENT_INTS = 12
ELEMENT_REALS = 28

# Signals: code, offset into the signal reals
SIGNAL_INTS = 2

# Constraints ("links"), see core/links.py: kind, nodes of A and B (LINEAR: number of terms), place in the signal
# reals, signal (-1: none), then for each of its six directions the constraint row, -1 where there is none
LINK_A, LINK_B, LINK_AT, LINK_SIGNAL, LINK_ROW = 1, 2, 3, 4, 5
LINK_INTS = 11
# Workspace of a link: for each direction its wrench on B about the reference point (6) and its violation
LINK_WORK = 42

# How accelerations under constraints are eliminated (core/elimination.py), behind everything else: whether the
# plan can be used, then places of its lists: records of links; for each velocity the first one of its block of the
# mass matrix (-1: given by a closing joint's own rows) and 8 times that joint's link plus its number in it (-1: none);
# links in the order of elimination; for each row left, in that order, the first one that its row of S reaches; and
# for Newton's unknowns (velocities, controller states, lam, mu) their places in an order that keeps the matrix narrow
# (0: there is none).
PLAN_USABLE, PLAN_LINKS, PLAN_FIRST, PLAN_OWNER, PLAN_ORDER, PLAN_LOWS, PLAN_NEWTON = 0, 1, 2, 3, 4, 5, 6
PLAN_HEAD = 7
# Record of a link: rows left, own coordinates eliminated; place of its first row in S, and the first that it
# reaches; place and number of ranges of velocities (start, end); of couplings (link, start, end); its rows, coordinates
PLAN_FREE, PLAN_K, PLAN_POS, PLAN_LOW, PLAN_RANGES, PLAN_NRANGES, PLAN_PAIRS, PLAN_NPAIRS = 0, 1, 2, 3, 4, 5, 6, 7
PLAN_ROW, PLAN_E = 8, 14
PLAN_INTS = 20

# Reals begin with gravity (3), the model's length, the inertia of rotors on each velocity (nu), kinetic energy
# rotor u^2/2, and the size of each velocity's increment (nu), in which increments are compared

# Node workspace: R 0:9, p 9:12, V 12:18, A 18:24, inertia about the reference point m 24, c 25:28,
# J 28:34, W 34:40, composite inertia 40:50, momentum of the deformation 50:56; of elastic edges the rotation
# vector 56:59 and the world place of the attach point 59:62
R, P, V, A, M, C, J, W, CM, CC, CJ, E, TH, PA = 0, 9, 12, 18, 24, 25, 28, 34, 40, 41, 44, 50, 56, 59
NODE_WORK = 62
# Column workspace (6 each, world axes); JD and JDD are rates of an elastic column in the child's axes
DOF_J, DOF_DV, DOF_PSI_Q, DOF_PSI_U, DOF_JD, DOF_JDD = 0, 1, 2, 3, 4, 5
COLUMN_WORK = 36
# Node matrices (6, 6) for tangents
NODE_B, NODE_K = 0, 1
NODE_MATRICES = 72
# Scratch rows (6) for one dof or one force element
SCRATCH_ROWS = 20

Tree = namedtuple(
    "Tree", "node body dof element coef signal curve gravity head flex attach shape rotor unit link length plan"
)
Work = namedtuple(
    "Work",
    "node dof matrices origin effort power zdot mass lower scratch stack link turn lam gap weight rows solved schur force local flag thin again flex",
)


# Their types, for shared kernels: dimensions of the arrays of integers, of constants, and of the workspace
TREE = tuple_type(
    Tree, ints={"node": 2, "dof": 2, "element": 2, "signal": 2, "head": 1, "flex": 2, "attach": 2, "link": 2, "plan": 1},
    constants={"body": 2, "coef": 2, "curve": 1, "gravity": 1, "shape": 1, "rotor": 1, "unit": 1},
    numbers=("length",),
)
WORK = tuple_type(
    Work,
    reals={
        "node": 2, "dof": 3, "matrices": 4, "origin": 1, "effort": 1, "power": 1, "zdot": 1, "mass": 2, "lower": 2,
        "scratch": 2, "stack": 2, "link": 3, "turn": 2, "lam": 1, "gap": 1, "weight": 1, "rows": 2, "solved": 2,
        "schur": 2, "force": 1, "local": 3, "flag": 1,
        "thin": 1, "again": 1, "flex": 1,
    },
)


@kernel
def views(ints, reals, work):
    """Cut the flat buffers into the arrays that kernels use."""
    nn, nu, nz, nc = ints[H_NODES], ints[H_U], ints[H_Z], ints[H_COLUMNS]
    ne, ns, nf, na = ints[H_ELEMENTS], ints[H_SIGNALS], ints[H_FLEX], ints[H_ATTACH]
    nl, nr = ints[H_LINKS], ints[H_ROWS]
    i = HEADER
    node = block(ints, i, nn, NODE_INTS)
    i += nn * NODE_INTS
    dof = block(ints, i, nc, COLUMN_INTS)
    i += nc * COLUMN_INTS
    element = block(ints, i, ne, ELEMENT_INTS)
    i += ne * ELEMENT_INTS
    signal = block(ints, i, ns, SIGNAL_INTS)
    i += ns * SIGNAL_INTS
    flex = block(ints, i, nf, FLEX_INTS)
    i += nf * FLEX_INTS
    attach = block(ints, i, na, ATTACH_INTS)
    i += na * ATTACH_INTS
    link = block(ints, i, nl, LINK_INTS)
    i += nl * LINK_INTS
    plan = block(ints, i, ints[H_PLAN])
    gravity = reals[0:3]
    i = 4
    rotor = block(reals, i, nu)
    i += nu
    unit = block(reals, i, nu)
    i += nu
    body = block(reals, i, nn, NODE_REALS)
    i += nn * NODE_REALS
    coef = block(reals, i, ne, ELEMENT_REALS)
    i += ne * ELEMENT_REALS
    curve = block(reals, i, ints[H_SIGNAL_REALS])
    i += ints[H_SIGNAL_REALS]
    shape = reals[i:]
    tree = Tree(
        node, body, dof, element, coef, signal, curve, gravity, ints[0:HEADER], flex, attach, shape, rotor, unit,
        link, reals[3], plan,
    )

    i = nn * NODE_WORK
    nodes = block(work, 0, nn, NODE_WORK)
    dofs = block(work, i, nc, 6, 6)
    i += nc * COLUMN_WORK
    matrices = block(work, i, nn, 2, 6, 6)
    i += nn * NODE_MATRICES
    origin = block(work, i, 3)
    i += 3
    effort = block(work, i, nu)
    i += nu
    power = block(work, i, ne)
    i += ne
    zdot = block(work, i, nz)
    i += nz
    mass = block(work, i, nu, nu)
    i += nu * nu
    lower = block(work, i, nu, nu)
    i += nu * nu
    scratch = block(work, i, SCRATCH_ROWS, 6)
    i += 6 * SCRATCH_ROWS
    stack = block(work, i, STACK, 3)
    i += 3 * STACK
    links = block(work, i, nl, 6, 7)
    i += nl * LINK_WORK
    turn = block(work, i, 6, 6)
    i += 36
    lam = block(work, i, nr)
    i += nr
    gap = block(work, i, nr)
    i += nr
    weight = block(work, i, nr)
    i += nr
    rows = block(work, i, nr, nu)
    i += nr * nu
    solved = block(work, i, nr, nu)
    i += nr * nu
    schur = block(work, i, nr, nr)
    i += nr * nr
    force = block(work, i, nu)
    i += nu
    local = block(work, i, nl, 6, 6)
    i += nl * 36
    flag = block(work, i, 1)
    i += 1
    thin = block(work, i, nu)
    i += nu
    again = block(work, i, 2 * (nu + nr))
    i += 2 * (nu + nr)
    flexible = work[i:]
    return tree, Work(
        nodes, dofs, matrices, origin, effort, power, zdot, mass, lower, scratch, stack, links, turn, lam, gap, weight,
        rows, solved, schur, force, local, flag, thin, again, flexible,
    )


def work_size(ints: np.ndarray) -> int:
    """Length of the workspace of a model."""
    nn, nu, nz, nc = (int(ints[k]) for k in (H_NODES, H_U, H_Z, H_COLUMNS))
    fixed = nn * (NODE_WORK + NODE_MATRICES) + nc * COLUMN_WORK + nu * (1 + 2 * nu) + nz + 3
    nl, nr = int(ints[H_LINKS]), int(ints[H_ROWS])
    loops = nl * LINK_WORK + 36 + nr * (5 + 2 * nu + nr) + 4 * nu + nl * 36 + 1
    return fixed + int(ints[H_ELEMENTS]) + 6 * SCRATCH_ROWS + 3 * STACK + loops + int(ints[H_FLEX_WORK])


def flex_work_size(n: int, r: int) -> int:
    """Length of the workspace of a flexible body with n coordinates and r slaved shapes."""
    m = n + r
    return FLEX_ROWS * m + (3 * r * n + 2 * m * m if r else 0)


def new_work(ints: np.ndarray, dtype: type = float) -> np.ndarray:
    """A private workspace for one set of equations."""
    return np.zeros(work_size(ints), dtype)


def multiplier_slice(ints: np.ndarray) -> slice:
    """Where the workspace holds the multipliers of the constraint rows."""
    nr, nu = int(ints[H_ROWS]), int(ints[H_U])
    after = nr * (5 + 2 * nu + nr) + 4 * nu + 36 * int(ints[H_LINKS]) + 1 + int(ints[H_FLEX_WORK])
    start = work_size(ints) - after
    return slice(start, start + int(ints[H_ROWS]))


def link_table(ints: np.ndarray) -> np.ndarray:
    """The integers of all links (links, LINK_INTS), a view."""
    count, end = int(ints[H_LINKS]), len(ints) - int(ints[H_PLAN])
    return ints[end - count * LINK_INTS : end].reshape(count, LINK_INTS)


def power_slice(ints: np.ndarray) -> slice:
    """Where the workspace holds the powers of the force elements."""
    nn, nu, nc = int(ints[H_NODES]), int(ints[H_U]), int(ints[H_COLUMNS])
    start = nn * (NODE_WORK + NODE_MATRICES) + nc * COLUMN_WORK + 3 + nu
    return slice(start, start + int(ints[H_ELEMENTS]))
