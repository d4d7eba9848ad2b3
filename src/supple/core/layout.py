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

from supple.core.jit import kernel

# Motions
FIXED, REVOLUTE, PRISMATIC, BALL, FREE = 0, 1, 2, 3, 4

# ints header
H_NODES, H_Q, H_U, H_Z, H_ELEMENTS, H_SIGNALS, H_SIGNAL_REALS, H_WRENCHES = 0, 1, 2, 3, 4, 5, 6, 7
HEADER = 8

# Node integers: parent node, motion, first q, first u, number of u, last dof of the path to the parent
# (-1: none), 1 if the node has inertia, root node of its subtree
PARENT, MOTION, Q0, U0, NDOF, LAST, HEAVY, ROOT = 0, 1, 2, 3, 4, 5, 6, 7
NODE_INTS = 8

# Node reals: pose of the joint's inboard frame in the parent node's axes, inertia about the node origin
# Rc 0:9, pc 9:12, mass 12, first moment 13:16, J 16:22 (xx yy zz xy xz yz)
NODE_REALS = 22

# Dof integers: previous dof on the path to the ground (-1: none), node
DOF_INTS = 2

# Force elements: kind, then indices; see core/forces.py
ELEMENT_INTS = 12
ELEMENT_REALS = 28

# Signals: code, offset into the signal reals
SIGNAL_INTS = 2

# Node workspace: R 0:9, p 9:12, V 12:18, A 18:24, inertia about the reference point m 24, c 25:28,
# J 28:34, W 34:40, composite inertia 40:50
R, P, V, A, M, C, J, W, CM, CC, CJ = 0, 9, 12, 18, 24, 25, 28, 34, 40, 41, 44
NODE_WORK = 50
# Dof workspace, four columns (6) in world axes
DOF_J, DOF_DV, DOF_PSI_Q, DOF_PSI_U = 0, 1, 2, 3
DOF_WORK = 24
# Node matrices (6, 6) for tangents
NODE_B, NODE_K = 0, 1
NODE_MATRICES = 72
# Scratch rows (6) for one dof or one force element
SCRATCH_ROWS = 20

Tree = namedtuple("Tree", "node body dof element coef signal curve gravity head")
Work = namedtuple("Work", "node dof matrices origin effort power zdot mass lower scratch")


@kernel
def views(ints, reals, work):
    """Cut the flat buffers into the arrays that kernels use."""
    nn, nu, nz = ints[H_NODES], ints[H_U], ints[H_Z]
    ne, ns = ints[H_ELEMENTS], ints[H_SIGNALS]
    i = HEADER
    node = ints[i : i + nn * NODE_INTS].reshape((nn, NODE_INTS))
    i += nn * NODE_INTS
    dof = ints[i : i + nu * DOF_INTS].reshape((nu, DOF_INTS))
    i += nu * DOF_INTS
    element = ints[i : i + ne * ELEMENT_INTS].reshape((ne, ELEMENT_INTS))
    i += ne * ELEMENT_INTS
    signal = ints[i : i + ns * SIGNAL_INTS].reshape((ns, SIGNAL_INTS))
    gravity = reals[0:3]
    i = 3
    body = reals[i : i + nn * NODE_REALS].reshape((nn, NODE_REALS))
    i += nn * NODE_REALS
    coef = reals[i : i + ne * ELEMENT_REALS].reshape((ne, ELEMENT_REALS))
    i += ne * ELEMENT_REALS
    curve = reals[i:]
    tree = Tree(node, body, dof, element, coef, signal, curve, gravity, ints[0:HEADER])

    i = nn * NODE_WORK
    nodes = work[0:i].reshape((nn, NODE_WORK))
    dofs = work[i : i + nu * DOF_WORK].reshape((nu, 4, 6))
    i += nu * DOF_WORK
    matrices = work[i : i + nn * NODE_MATRICES].reshape((nn, 2, 6, 6))
    i += nn * NODE_MATRICES
    origin = work[i : i + 3]
    i += 3
    effort = work[i : i + nu]
    i += nu
    power = work[i : i + ne]
    i += ne
    zdot = work[i : i + nz]
    i += nz
    mass = work[i : i + nu * nu].reshape((nu, nu))
    i += nu * nu
    lower = work[i : i + nu * nu].reshape((nu, nu))
    i += nu * nu
    scratch = work[i : i + 6 * SCRATCH_ROWS].reshape((SCRATCH_ROWS, 6))
    return tree, Work(
        nodes, dofs, matrices, origin, effort, power, zdot, mass, lower, scratch
    )


def work_size(nn: int, nu: int, nz: int, ne: int) -> int:
    """Length of the workspace for nn nodes, nu velocities, nz controller states, ne elements."""
    return nn * (NODE_WORK + NODE_MATRICES) + nu * (DOF_WORK + 1 + 2 * nu) + ne + nz + 3 + 6 * SCRATCH_ROWS


def new_work(ints: np.ndarray, dtype: type = float) -> np.ndarray:
    """A private workspace for one set of equations."""
    return np.zeros(
        work_size(int(ints[H_NODES]), int(ints[H_U]), int(ints[H_Z]), int(ints[H_ELEMENTS])), dtype
    )


def power_slice(ints: np.ndarray) -> slice:
    """Where the workspace holds the powers of the force elements."""
    nn, nu, ne = int(ints[H_NODES]), int(ints[H_U]), int(ints[H_ELEMENTS])
    start = nn * (NODE_WORK + NODE_MATRICES) + nu * (DOF_WORK + 1) + 3
    return slice(start, start + ne)
