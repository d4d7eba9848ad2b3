"""Checks of an image of a model (``integrators/methods/image.py``), once, when it is loaded: all that kernels take for granted.

An image may come from anywhere, and kernels check no index. What is looked at: lengths against sizes, each integer against what
it points into (``check_rules``), the order of the tree, the plans, the buffers of the run; and numbers without which a loop would
not end.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import cut_tree
from supple.core.images import (
    ancf as check_gradient,
)
from supple.core.images import (
    forces as check_forces,
)
from supple.core.images import (
    plan as check_plan,
)
from supple.core.images import (
    run as check_run,
)
from supple.core.images import (
    tree as check_tree,
)
from supple.core.run import step as st
from supple.native.declare import INT, INTS, IVEC, REALS, VEC, entry, hold, kernel

# The header of an image after the sizes of the model and the places of its state: where things are in the state of a run, each
# with its number, in the order of ``struct header`` in native/model.h
PLACES = {
    "at_time": st.T, "at_size": st.H, "at_energy": st.E_MAX, "at_error": st.ERROR_OLD, "at_switch": st.H_SWITCH,
    "at_least": st.H_MIN, "at_rtol": st.RTOL, "at_atol": st.ATOL, "at_stop": st.STOP, "at_steps": st.STEPS, "at_fresh": st.FRESH,
    "at_rejected": st.AFTER_REJECT, "at_factored": st.FACTORED, "at_refused": st.REJECTED, "done": st.DONE, "paused": st.PAUSED,
}  # fmt: skip
# Sizes before them, and numbers behind them
SIZES = "nodes", "nq", "nu", "nz", "nr", "all_nr", "at_q", "at_u", "at_z", "at_zdot"
REST = "max_steps", "fixed_step", "work", "all_work"
NAMES = (*SIZES, *PLACES, *REST)
(
    A_NODES, A_NQ, A_NU, A_NZ, A_NR, A_ALL_NR, A_Q, A_U, A_Z, A_ZDOT, A_STEPS, A_FIXED, A_WORK, A_ALL_WORK,
) = (NAMES.index(name) for name in (*SIZES, *REST))  # fmt: skip
A_PLACES, PLACE_NUMBERS, HEADER_LENGTH = len(SIZES), np.array(list(PLACES.values())), len(NAMES)
WORK_SPAN = at.WORK_RECORD.span
Q_PLACE, U_PLACE, Z_PLACE = (st.RUN_RECORD.begin(field) for field in ("q", "u", "z"))
ZDOT_PLACE = at.WORK_RECORD.begin("zdot")

# What is wrong, by what it is in
FINE, HEADER, TREE, BODIES, LINKS, ROWS, SIGNALS, GRADIENTS, FORCES, PLAN, FRONTS, RUN, NUMBERS = range(13)


@kernel
def model_fault(m):
    """The fault of a model whose head fits its buffers, FINE if it has none."""
    if not check_tree.nodes_fit(m):
        return TREE
    if not check_tree.bodies_fit(m):
        return BODIES
    if not check_tree.links_fit(m):
        return LINKS
    if not check_tree.rows_fit(m):
        return ROWS
    if not check_forces.signals_fit(m):
        return SIGNALS
    if not check_gradient.gradients_fit(m):
        return GRADIENTS
    if not check_forces.forces_fit(m) or not check_gradient.lines_are_apart(m):
        return FORCES
    if not check_plan.plan_fits(m):
        return PLAN
    return FINE if check_plan.fronts_fit(m) else FRONTS


@kernel
def header_fits(header, ints, count):
    """True if the header says what the model's integers and the kernels say."""
    if header.shape[0] != HEADER_LENGTH or count.shape[0] < st.INT_STATE:
        return False
    for k in range(len(PLACE_NUMBERS)):
        if header[A_PLACES + k] != PLACE_NUMBERS[k]:
            return False
    events, screws = count[st.N_EVENTS], count[st.N_SCREWS]
    if header[A_NQ] != ints[at.H_Q] or header[A_NU] != ints[at.H_U] or header[A_NZ] != ints[at.H_Z]:
        return False
    if header[A_NR] != ints[at.H_ROWS] or header[A_NODES] != ints[at.H_NODES]:
        return False
    if header[A_Q] != Q_PLACE(ints, events, screws) or header[A_U] != U_PLACE(ints, events, screws):
        return False
    if header[A_Z] != Z_PLACE(ints, events, screws) or header[A_ZDOT] != ZDOT_PLACE(ints):
        return False
    return header[A_STEPS] >= 1 and (header[A_FIXED] == 0 or header[A_FIXED] == 1) and header[A_WORK] == WORK_SPAN(ints)[0]


@kernel
def whole_fits(header, ints, whole, reals, row_sizes):
    """True if the integers of all rows, where some are left out, are of the same model."""
    if whole.shape[0] == 0:
        return header[A_ALL_NR] == 0 and row_sizes.shape[0] == 0 and header[A_ALL_WORK] == header[A_WORK]
    if not check_tree.head_fits(whole, reals):
        return False
    if whole[at.H_Q] != ints[at.H_Q] or whole[at.H_U] != ints[at.H_U] or whole[at.H_Z] != ints[at.H_Z]:
        return False
    rows = whole[at.H_ROWS]
    return header[A_ALL_NR] == rows and row_sizes.shape[0] == rows and header[A_ALL_WORK] == WORK_SPAN(whole)[0]


@entry(INTS, INTS, INTS, REALS, VEC, VEC, IVEC, REALS, REALS, REALS, INT)
def check_image(header, ints, whole, reals, run, state, count, stops, row_sizes, limits, method):
    """The fault of an image, FINE if it has none; ``whole`` are the integers with all rows, none if no row is left out.

    ``method`` is a number of ``check_run``. Nothing is changed but choices that a loop makes anew when it begins.
    """
    if not check_tree.head_fits(ints, reals) or not header_fits(header, ints, count):
        return HEADER
    if not whole_fits(header, ints, whole, reals, row_sizes):
        return HEADER
    m = hold(cut_tree(ints, ints, reals)[0])
    fault = model_fault(m)
    if fault != FINE:
        return fault
    if whole.shape[0] > 0:
        fault = model_fault(hold(cut_tree(whole, whole, reals)[0]))
        if fault != FINE:
            return fault
    if not check_run.run_fits(m, run, state, count, method):
        return RUN
    return FINE if check_run.numbers_are_sound(state, stops, limits) else NUMBERS
