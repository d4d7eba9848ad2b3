"""Layout of the flat buffers, and the views that kernels work on.

A model travels in two read-only buffers (``ints``, ``reals``) and one workspace (``work``): passing
three arrays from Python costs 1-3 us, a tuple of thirty costs 12-26 us. Inside, ``views`` cuts them
into a handful of two-dimensional arrays once for each entry call.

Node 0 is the ground. Every joint with one elementary motion is one node; a joint composed of several
axes is a chain of massless nodes, so that kernels know five motions only. The node's axes are those of
the joint's outboard frame, turned so that the axis of a revolute or prismatic motion is its z axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.core.base.buffers import Part, Record, starts
from supple.core.base.opcodes import STACK
from supple.native.declare import INT, INTS, REALS, VEC, hold_at, kernel, shared, stored

# Motions
FIXED, REVOLUTE, PRISMATIC, BALL, FREE = 0, 1, 2, 3, 4
# Elastic edges: from a flexible body's frame to an attach frame, and from an attach frame to the body
ELASTIC_OUT, ELASTIC_IN = 5, 6
# From the ground to a node of a body without a frame, whose coordinates are nodal vectors (core/bodies/ancf_edge.py)
GRADIENT_EDGE = 7
# From the ground to a point that slides along the axis of such a body (core/bodies/line_edge.py)
LINE_EDGE = 8
# From the ground to a point in an element of such a body (core/bodies/point_edge.py)
POINT_EDGE = 9

# Head of the integers: sizes, numbers of elements with wrenches and with branches, and the largest block of velocities
# that Newton's elimination along the tree takes together, 0 where the matrix is dense (core/equations/tree_newton.py); of its border
# (core/equations/tree_border.py) the number of lines, and of numbers that a line has
(
    H_NODES, H_Q, H_U, H_Z, H_ELEMENTS, H_SIGNALS, H_DATA, H_WRENCHES, H_COLUMNS, H_FLEX, H_ATTACH, H_FLEX_DATA, H_FLEX_WORK,
    H_SWITCHES, H_LINKS, H_ROWS, H_PLAN, H_TERMS, H_MEMBRANES, H_PROGRAMS, H_STRIPS, H_STRIP_ROWS,
    H_DENSE, H_WAY, H_ASKED, H_BLOCK, H_BORDER, H_READING, H_PLAINS, H_GRADIENTS, H_GRADIENT_INTS,
    H_PLANNED, H_TALL, H_DEEP, H_LINES, H_SOLVED, H_ENVELOPE, H_STACK, H_FACTORS, H_LISTED, H_LISTED_ROWS, H_OUTER, H_INNER,
    H_RATES,
    HEADER,
) = range(45)
# H_OUTER and H_INNER: numbers of states that are unknowns of Newton's matrix, and of inner states behind them
# (core/equations/inner_states.py), together H_Z. H_RATES: number of constraint rows that hold a rate alone
# How accelerations are found (engine/sparsity/solver_choice.py): H_WAY is what is done, H_ASKED what the formulation asks for; H_DENSE
# is 0 where no mass matrix is in the workspace, otherwise nu
# How matrices are stored (engine/sparsity/plan.py): H_PLANNED is 1 where only entries of the plan are kept. Then row i of a matrix over
# velocities begins at the number ``row_of[i]`` of its buffer, a view whose rows are one number long, and the entry (i, j) is
# [row_of[i], j]; entries of different rows never meet. Whole matrices have row_of[i] = i and rows of nu numbers: kernels are the same
# for both. H_TALL to H_ENVELOPE are the numbers of such rows: of matrices over velocities, of the mass matrix's factor, of constraint
# rows, of these solved with it, and of the Schur complement; H_STACK and H_FACTORS what accelerations need for fronts
AUTOMATIC, DENSE, TREE_WAY, BLOCKS = 0, 1, 2, 3

# Node integers: parent node, motion, first q, first u, number of columns, last column of the path to the
# parent (-1: none), inertia (0 none, 1 rigid, 2 flexible), root node of its subtree, first column, flexible
# body (of an elastic edge, or whose frame it is), attachment of an elastic edge, or place of a line edge in the programs
PARENT, MOTION, Q0, U0, COLUMNS, LAST, HEAVY, ROOT, COL0, FLEX, ATTACH, NODE_INTS = range(12)
RIGID, FLEXIBLE = 1, 2

# Node reals: pose of the joint's inboard frame in the parent node's axes, R (9) and p (3); inertia about the node
# origin: mass, first moment (3), J (xx yy zz xy xz yz)
BODY_R, BODY_P, BODY_M, BODY_C, BODY_J, NODE_REALS = starts(9, 3, 1, 3, 6)

# A column is a direction of motion of an edge. A joint's velocity has one; an elastic velocity has one on
# each elastic edge of its body. Integers: previous column on the path to the ground (-1: none), node, velocity
BEFORE, OWNER, VELOCITY, COLUMN_INTS = range(4)

# Workspace rows of a flexible body with n elastic coordinates and r slaved shapes (core/bodies/second_order_shapes.py), n + r long: D (9),
# D1 u over its second and first index (9, 9), L = [H; P] in body axes (6) and in world axes (6), Fq and Fu in world axes
# (6, 6), dQ over angular velocities (3), Q; then the coordinates with their slaves and both rates, D1 a over its
# first index (9), and of loads the derivatives of their torque over coordinates (3) and of their efforts over rotations
# (3). Only the first n entries of what is in world axes count
FX_D, FX_U2, FX_U1, FX_L, FX_LW, FX_FQ, FX_FU, FX_QW, FX_Q, FX_QE, FX_UE, FX_AE, FX_A2, FX_TQ, FX_QT, FLEX_ROWS = starts(
    9, 9, 9, 6, 6, 6, 6, 3, 1, 1, 1, 1, 9, 3, 3
)
# Constants and workspace of a flexible body
FLEX_RECORD = Record(
    "Flexible", __name__,
    Part("flex_data", "float64", {
        "mass": (),
        "s0": 3,
        "E0": (3, 3),
        "S1": (3, "n + r"),
        "D0": (9, "n + r"),
        "D1": ("n * (r == 0)", 9, "n"),  # D1_ij[b, a] at [b, 3 i + j, a]; with slaved shapes it is in strips
        "M": ("n + r", "n + r"),
        "K": ("n", "n"),
        "C": ("n", "n"),
        "rest": "n",  # coordinates without strain
        "Gamma": ("n", "r", "n"),
    }),
    Part("flex", "float64", {
        "rows": (FLEX_ROWS, "n + r"),
        "Gamma_q": ("r", "n"),
        "Gamma_u": ("r", "n"),
        "Gamma_a": ("r", "n"),
        "Qq": ("(n + r) * (r > 0)", "n + r"),  # transposed dQ/dq and dQ/du of the extended body
        "Qu": ("(n + r) * (r > 0)", "n + r"),
        "margin": "3 * (r > 0)",  # strips of four columns may end behind the last
        # for core/equations/articulated_body.py: the mass matrix as outer bodies give way, then its factor; momenta per rate, in
        # world axes, then solved; the mass matrix's diagonal where nothing gives way, and a bound of it
        "factor": ("n", "n"),
        "coupling": ("n", 6),
        "whole": "n",
        "bound": "n",
    }),
    head={},
    given=("n", "r"),
)
Flexible, locate_flexible = FLEX_RECORD.views, FLEX_RECORD.locate
# Integers of a flexible body: n, r, first q, first u, node; where its constants begin in the flexible data and its
# workspace in the flexible workspace; its first strip and their number, the first row of these, and where their
# entries begin in the flexible data; 1 if its inertia is that of the deformed body, 0 of the undeformed
(
    FLEX_N, FLEX_R, FLEX_Q0, FLEX_U0, FLEX_NODE, FLEX_AT, FLEX_WORK, FLEX_STRIP, FLEX_STRIPS, FLEX_STRIP_ROW, FLEX_STRIP_AT,
    FLEX_DEFORMED, FLEX_INTS,
) = range(13)
# Strips of a body with slaved shapes, four columns of one of its nine matrices D1: number of the matrix, first column,
# number of rows that are not zero there. Numbers of these rows are in ``strip_row``, four entries of each in the data
STRIP_PART, STRIP_FROM, STRIP_ROWS, STRIP_INTS = range(4)
# Attachments: flexible body; place in the flexible data of p0 (3), R0 (9), Phi (3, n), Psi (3, n), and of slaved shapes
# (6, r); place in the flexible workspace of [Phi; Psi] with slaved shapes (6, n), its first and second rate (-1: none)
ATTACH_BODY, ATTACH_AT, ATTACH_WORK, ATTACH_INTS = range(4)
ATTACH_P, ATTACH_R, ATTACH_PHI = starts(3, 9)
ATTACH_ROWS = 18
# Behind bodies and attachments the flexible data hold the rows of membranes, see core/bodies/membrane.py; integers of a
# membrane: the range of the body's coordinates outside of which its rows vanish
MEMBRANE_FROM, MEMBRANE_END, MEMBRANE_INTS = range(3)

# Coordinates that are no joint's and whose rates are velocities, those of a flexible or gradient body together: first q and
# u, and how many
PLAIN_Q0, PLAIN_U0, PLAIN_N, PLAIN_INTS = range(4)

# Gradient bodies (core/bodies/ancf.py): first q and u, number of nodal vectors, of elements, and where these begin in the
# integers of gradient bodies; where there is scratch in the flexible workspace
GRADIENT_Q0, GRADIENT_U0, GRADIENT_N, GRADIENT_ELEMENTS, GRADIENT_AT, GRADIENT_WORK, GRADIENT_INTS = range(7)
SUMS = 8  # energies and momenta of gradient bodies
# One of its elements: where its table begins in these integers and in the flexible data, and the list of its vectors
ELEMENT_TABLE, ELEMENT_DATA, ELEMENT_VECTORS, GRADIENT_ELEMENT = range(4)

# Force elements: kind, then what the kind needs, see core/forces/forces.py; last the first line of the border of Newton's matrix that
# it has, -1 if none (core/equations/tree_border.py)
KIND = 0
LINES, ELEMENT_INTS = 13, 14
ELEMENT_REALS = 28

# Signals: code, place in the data, and of its integers in the programs; see core/forces/signals.py
SIGNAL_CODE, SIGNAL_AT, SIGNAL_PROGRAM, SIGNAL_INTS = range(4)

# The pose of a frame on a node in the data, or in the reals of an element: R (9), p (3)
POSE_R, POSE_P, POSE = starts(9, 3)

# Terms of sums over joint coordinates: places in q and u; the factors are reals
TERM_Q, TERM_U, TERM_INTS = range(3)

# Constraints ("links"), see core/forces/constraint_rows.py: kind, nodes of A and B (LINEAR: number of terms, the first of them), place
# in the data, signal (-1: none), its first line of the border of Newton's matrix (-1: none), the directions whose rows hold rates
# alone (2^i of direction i, added), the force element with the shapes that it rolls on (-1: none), then for each of its six directions
# the constraint row, -1 where there is none
LINK_KIND, LINK_A, LINK_B, LINK_AT, LINK_SIGNAL, LINK_LINES, LINK_RATES, LINK_ELEMENT, LINK_ROW, LINK_INTS = starts(
    1, 1, 1, 1, 1, 1, 1, 1, 6
)
LINK_COUNT, LINK_TERM = LINK_A, LINK_B
# Workspace of a link, for each of its directions: the wrench on B about the reference point (6), the violation
LINK_GAP, LINK_WORK = 6, 7

# How accelerations under constraints are eliminated (core/equations/elimination.py), behind everything else: whether the
# plan can be used, then places of its lists: records of links; for each velocity the first one of its block of the
# mass matrix (-1: given by a closing joint's own rows) and 8 times that joint's link plus its number in it (-1: none);
# links in the order of elimination; for each row left, in that order, the first one that its row of S reaches; for each
# velocity the first one that its row of the mass matrix reaches; and the plan of Newton's matrix (core/linalg/multifrontal.py; 0: none).
PLAN_USABLE, PLAN_LINKS, PLAN_FIRST, PLAN_OWNER, PLAN_ORDER, PLAN_LOWS, PLAN_REACH, PLAN_NEWTON, PLAN_HEAD = range(9)
# Record of a link: rows left, own coordinates eliminated; place of its first row in S, and the first that it
# reaches; place and number of ranges of velocities (start, end), those of blocks; of couplings (link, start, end); of ranges in
# which its rows have entries; its rows, coordinates
(
    PLAN_FREE, PLAN_K, PLAN_POS, PLAN_LOW, PLAN_RANGES, PLAN_NRANGES, PLAN_PAIRS, PLAN_NPAIRS, PLAN_ENTRIES, PLAN_NENTRIES,
    PLAN_ROW, PLAN_E, PLAN_INTS,
) = starts(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6, 6)

# Node workspace: R (9), p, twist V, acceleration A; inertia about the reference point: m, c, J (xx yy zz xy xz yz);
# wrench W; composite inertia; momentum of the deformation E; of elastic edges the rotation vector and the world place
# of the attach point. Spatial vectors are [angular; linear]
R, P, V, A, M, C, J, W, CM, CC, CJ, E, TH, PA, NODE_WORK = starts(9, 3, 6, 6, 1, 3, 6, 6, 1, 3, 6, 6, 3, 3)
INERTIA = W - M  # numbers of an inertia
# Column workspace (6 each, world axes); JD and JDD are rates of an elastic column in the child's axes
COL_J, COL_DV, COL_PSI_Q, COL_PSI_U, COL_JD, COL_JDD, COLUMN_WORK = range(7)
# Node workspace of core/equations/articulated_body.py: inertia (xx yy zz xy xz yz of rotations, 9 of rotations with translations,
# xx yy zz xy xz yz of translations), wrench, acceleration. Column workspace: U/sqrt(D) and 1/sqrt(D), zero where it is held
AI, AP, AA, ARTICULATED = starts(21, 6, 6)
PIVOT_U, PIVOT_S, PIVOT = starts(6, 2)
# Node matrices (6, 6) for tangents
NODE_B, NODE_K, NODE_MATRICES = range(3)
# Tangents of an inner state (core/equations/inner_states.py): of the wrench on node B along it; of its rate along the displacement and the
# twist of B relative to A, and along the states of its element, of which there are so many at most
INNER_STATES = 6
LAW_LOAD, LAW_PLACE, LAW_RATE, LAW_OWN, LAW = starts(6, 6, 6, INNER_STATES)
# Scratch rows (6) for one column or one force element
SCRATCH_ROWS = 36

# The sizes that shapes are made of, by their places in the head
SIZES = {
    "nodes": H_NODES, "nq": H_Q, "nu": H_U, "nz": H_Z, "elements": H_ELEMENTS, "signals": H_SIGNALS, "data": H_DATA,
    "columns": H_COLUMNS, "bodies": H_FLEX, "attachments": H_ATTACH, "flex_data": H_FLEX_DATA, "flex_work": H_FLEX_WORK,
    "links": H_LINKS, "nr": H_ROWS, "plan": H_PLAN, "terms": H_TERMS, "membranes": H_MEMBRANES,
    "programs": H_PROGRAMS, "strips": H_STRIPS, "strip_rows": H_STRIP_ROWS, "dense": H_DENSE, "widest": H_BLOCK, "border": H_BORDER,
    "reading": H_READING, "plains": H_PLAINS, "gradients": H_GRADIENTS, "gradient_ints": H_GRADIENT_INTS,
    "planned": H_PLANNED, "tall": H_TALL, "deep": H_DEEP, "lines": H_LINES, "solved": H_SOLVED, "envelope": H_ENVELOPE,
    "front_stack": H_STACK, "front_factors": H_FACTORS, "listed": H_LISTED, "listed_rows": H_LISTED_ROWS, "outer": H_OUTER,
    "inner": H_INNER, "rates": H_RATES,
}
WIDE = "planned + (planned == 0) * nu"  # numbers of a row of a stored matrix over velocities
WIDE_ROWS = "planned + (planned == 0) * nr"  # ... and over constraint rows


LISTS = "row_of", "line_of", "lower_of", "solved_of", "schur_of", "counting"  # places of rows, before the plan
UNKNOWNS = "nu + outer + 2 * nr"  # of Newton's matrix by blocks
COEFFICIENTS = 16  # of a method in it, and a count (core/linalg/multifrontal.py)

# The model: what kernels only read
TREE_RECORD = Record(
    "Tree", __name__,
    Part("ints", "int64", fixed=True, fields={
        "head": HEADER,
        "node": ("nodes", NODE_INTS),
        "column": ("columns", COLUMN_INTS),
        "element": ("elements", ELEMENT_INTS),
        "signal": ("signals", SIGNAL_INTS),
        "program": "programs",  # integers of signals, of ropes and of line edges
        "flex": ("bodies", FLEX_INTS),
        "attach": ("attachments", ATTACH_INTS),
        "link": ("links", LINK_INTS),
        "term": ("terms", TERM_INTS),
        "membrane": ("membranes", MEMBRANE_INTS),
        "strip": ("strips", STRIP_INTS),
        "strip_row": "strip_rows",
        "plain": ("plains", PLAIN_INTS),
        "gradient": ("gradients", GRADIENT_INTS),
        "gradient_int": "gradient_ints",  # elements of gradient bodies: their tables and vectors
        # where rows of stored matrices begin: over velocities, of constraint rows, of the factor of the mass matrix, of rows
        # solved with it, of the Schur complement; and 0, 1, 2, ... for whole matrices. With the plan they are the last: rows
        # in use may change
        "row_of": "listed",
        "line_of": "listed_rows",
        "lower_of": "listed",
        "solved_of": "listed_rows",
        "schur_of": "listed_rows",
        "counting": "listed + listed_rows",
        "plan": "plan",
    }),
    Part("reals", "float64", fixed=True, fields={
        "gravity": 3,
        "length": (),  # of the model, the unit of translations
        "rotor": "nu",  # inertia of rotors on each velocity: kinetic energy rotor u^2/2
        "unit": "nu",  # size of each velocity's increment, in which increments are compared
        "body": ("nodes", NODE_REALS),
        "coef": ("elements", ELEMENT_REALS),
        "factor": "terms",
        "data": "data",  # numbers of signals, of elements and of links, from the places that these know
        "flex_data": "flex_data",  # constants of flexible bodies, attachments, membranes, gradient elements
    }),
    head=SIZES,
)
# The workspace: what kernels leave for each other while one state is looked at
WORK_RECORD = Record(
    "Work", __name__,
    Part("work", "float64", stored=("mass", "lower", "rows", "solved", "schur"), fields={
        "node": ("nodes", NODE_WORK),
        "column": ("columns", COLUMN_WORK, 6),
        "matrices": ("nodes", NODE_MATRICES, 6, 6),
        "origin": 3,  # the reference point
        # force elements
        "effort": "nu",
        "power": "elements",
        "touched": "elements",  # of contacts 1 if they touch where a search within a step begins, -1 if it leaves them out
        "zdot": "nz",
        "slopes": ("outer", 4),  # of the effort over the state, and of the state's rate over place, velocity and state
        "law": ("inner", LAW),  # tangents of inner states
        # accelerations without constraints: by the whole mass matrix, or by the articulated recursion
        "mass": (1, "(dense > 0) * tall", WIDE),
        "lower": ("(dense > 0) * deep", WIDE),
        "articulated": ("nodes", ARTICULATED),
        "pivot": ("columns", PIVOT),
        "failed": 1,  # inertia of the velocity whose pivot failed last
        # of one column, force element or signal
        "scratch": (SCRATCH_ROWS, 6),
        "stack": (STACK, 3),
        "sums": SUMS,
        "quiet": 1,  # 1 while powers alone are asked for: what does no work need not push
        # constraints
        "link": ("links", 6, LINK_WORK),
        "change": (6, 6),  # of a link's wrenches
        "between": (2, 6, 6),  # stiffness and damping of an element between neighbours
        "lined": 1,  # 1 while tangents are made as parts, 0 as matrices: what couples two paths is a line of the border, or an entry
        "reading": ("border", "reading"),  # of lines of the border
        "inner": ("nodes", 6),  # wrenches on a joint's outer side that act on its inner side too
        "lam": "nr",
        "gap": "nr",
        "weight": "nr",
        "rows": ("lines", WIDE),
        "solved": ("solved", WIDE),
        "schur": ("envelope", WIDE_ROWS),
        "force": "nu",
        "operations": ("links", 6, 6),  # on the rows of each link
        "factors": 1,  # what they are of, see core/equations/kkt.py
        "added": "nu",  # inertia where there was too little
        # iterative refinement: right sides as they were given, and what is left of them
        "given_force": "nu",
        "given_gap": "nr",
        "rest_force": "nu",
        "rest_gap": "nr",
        # accelerations by fronts (core/equations/kkt_fronts.py)
        "numbers": ("planned", COEFFICIENTS),
        "sides": (3, f"planned * ({UNKNOWNS})"),
        "front_stack": (1, "front_stack"),
        "front_factors": (1, "front_factors"),
        "pivots": f"planned * ({UNKNOWNS})",  # integers
        "probe": "planned * nr",
        "flex": "flex_work",
    }),
    head=SIZES,
)
Tree, TREE, cut_tree = TREE_RECORD.views, TREE_RECORD.kind, TREE_RECORD.cut
with_elements = TREE_RECORD.replacing("element", "coef")
with_places = TREE_RECORD.replacing("row_of", "line_of")
Work, WORK, cut_work = WORK_RECORD.views, WORK_RECORD.kind, WORK_RECORD.cut
TREE_WORDS, WORK_WORDS = TREE_RECORD.words, WORK_RECORD.words  # room for the views on the stack of an entry


@kernel
def modal(tree, f):
    """Places of the constants and of the workspace of flexible body f, by their names in FLEX_RECORD."""
    b = tree.flex[f]
    return locate_flexible(b[FLEX_AT], b[FLEX_WORK], b[FLEX_N], b[FLEX_R])


@kernel
def views(ints, reals, work):
    """Cut the flat buffers into the arrays that kernels use."""
    return cut_tree(ints, ints, reals)[0], cut_work(ints, work)[0]


@shared(INTS, REALS, INT, gives=TREE)
def tree_at(ints, reals, place):
    """The views of a model, in the room for TREE_WORDS at that place."""
    return hold_at(place, cut_tree(ints, ints, reals)[0])


@shared(INTS, VEC, INT, gives=WORK)
def work_at(ints, work, place):
    """The views of a workspace, in the room for WORK_WORDS at that place."""
    return hold_at(place, cut_work(ints, work)[0])


@kernel
def placed_as(tree, matrix):
    """The views of a model for matrices like this one: whole, or as its own are stored."""
    if matrix.shape[1] == tree.unit.shape[0]:
        return with_places(tree, tree.counting, tree.counting)
    return with_places(tree, tree.row_of, tree.line_of)


@kernel
def as_stored(matrix):
    """The view of a matrix that Python made, whole or as a model stores it."""
    return (stored(matrix.reshape(matrix.shape[0] * matrix.shape[1]), 0, matrix.shape[0], matrix.shape[1]),)


def sizes(ints: np.ndarray) -> dict[str, int]:
    """Sizes of a model by name."""
    head = ints[:HEADER].tolist()
    return {name: head[k] for name, k in SIZES.items()}


def read_model(ints: np.ndarray, reals: np.ndarray) -> Any:
    """Fields of a model's buffers by name (``Tree``), as NumPy views."""
    return TREE_RECORD.read(sizes(ints), ints, reals)


def model_fields(ints: np.ndarray, reals: np.ndarray) -> Any:
    """Views of the model, each made when it is first asked for."""
    return TREE_RECORD.fields(sizes(ints), ints, reals)


def integers(ints: np.ndarray, field: str) -> np.ndarray:
    """One field of a model's integers, a view."""
    return TREE_RECORD.view(field, sizes(ints), ints)


def read_work(ints: np.ndarray, work: np.ndarray) -> Any:
    """Fields of a model's workspace by name (``Work``), as NumPy views."""
    return WORK_RECORD.read(sizes(ints), work)


def new_work(ints: np.ndarray, dtype: type = float) -> np.ndarray:
    """A private workspace for one set of equations."""
    return np.zeros(WORK_RECORD.lengths(sizes(ints))[0], dtype)
