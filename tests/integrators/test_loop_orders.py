"""Radau and Dormand-Prince on closed loops: order of q, u and multipliers, and no drift.

Radau's multipliers are those of its last stage: of order 3, as theory has it for three stages
(Hairer and Wanner, Solving ODEs II, VII.4). What results show is computed from q and u.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import supple as sp
from models.closed_loops import spatial_loop, watch
from models.velocity_rows import sleigh
from supple.cases.linkages.four_bar import four_bar
from supple.loops.assembly import row_sizes

JOINTS, ABSOLUTE = sp.JointCoordinates(), sp.Absolute()
forms = pytest.mark.parametrize("formulation", [JOINTS, ABSOLUTE], ids=["joint", "absolute"])


def multipliers(build, formulation, result: sp.results.Result) -> np.ndarray:
    """Those that belong to the states of a result (nt, nr)."""
    equations, found = formulation.equations(build()), []
    for t, q, u, z in zip(result.t, result.q, result.u, result.z, strict=True):
        equations.accelerate(t, q, u, z)
        found.append(equations.multipliers().copy())
    return np.array(found)


def times(span: float) -> np.ndarray:
    """When errors are taken: ends of steps, if their number is a multiple of 16."""
    return span * np.arange(1, 17) / 16


@cache
def reference(build, formulation, span: float) -> tuple[sp.results.Result, np.ndarray]:
    best = {"tolerance": 1e-13, "integrator": sp.DormandPrince(), "output": times(span)}
    exact = sp.simulate(build(), span, formulation=formulation, **best)
    assert exact.success
    return exact, multipliers(build, formulation, exact)


def errors(build, formulation, method, span: float, n: int, tolerance) -> list[float]:
    """Largest errors of q, u, multipliers of the method and of the result, with n equal steps."""
    exact, right = reference(build, formulation, span)
    options = {"first_step": span / n, "max_step": span / n}
    run = {"t_end": span, "output": times(span), "tolerance": tolerance}
    result, seen = watch(build, formulation, method, options, **run)
    assert result.statistics["steps"] == n and result.statistics["rejected"] == 0
    ends = n // 16 * np.arange(1, 17) - 1
    np.testing.assert_allclose(np.array(seen.t)[ends], times(span), atol=1e-12)
    shown = multipliers(build, formulation, result)
    pairs = (result.q, exact.q), (result.u, exact.u), (np.array(seen.lam)[ends], right)
    return [float(np.abs(a - b).max()) for a, b in (*pairs, (shown, right))]


def orders(steps, found) -> np.ndarray:
    """Slopes of straight lines through the errors."""
    return -np.polyfit(np.log(steps), np.log(found), 1)[0]


# What Newton's iteration leaves, the root of rtol of the tolerance, hides order 5 soon: rtol is as
# small as Newton bears in every step, atol is the least that rejects no step, it falls like the
# estimate, with h^4, and steps are as large as possible; span (s), steps, rtol, and atol of the
# first of them.
RADAU = [
    (four_bar, JOINTS, 0.5, (32, 48, 64), 1e-11, 3.2e-3),
    (four_bar, ABSOLUTE, 0.5, (32, 48, 64), 1e-13, 2e-3),
    (spatial_loop, JOINTS, 0.1, (16, 32, 48, 64), 1e-13, 2.6e-4),
    (spatial_loop, ABSOLUTE, 0.5, (48, 64, 96), 1e-13, 7e-5),
    (sleigh, JOINTS, 2.0, (16, 32, 48), 1e-13, 1e-2),  # a row that holds a rate alone
]


@pytest.mark.parametrize(("build", "formulation", "span", "steps", "rtol", "estimate"), RADAU)
def test_radau_has_orders_five_five_and_three(build, formulation, span, steps, rtol, estimate):
    found = [
        errors(build, formulation, sp.Radau, span, n, (rtol, estimate * (steps[0] / n) ** 4))
        for n in steps
    ]
    q, u, lam, shown = orders(steps, found)
    # what Newton leaves scatters around the error; multipliers are far above it
    assert abs(q - 5.0) < 0.3 and abs(u - 5.0) < 0.3 and abs(shown - 5.0) < 0.5
    assert abs(lam - 3.0) < 0.1


@forms
@pytest.mark.parametrize("build", [four_bar, spatial_loop])
def test_dormand_prince_with_projection_keeps_order_eight(build, formulation):
    """The next term of the error, of order 9, may have a share in large steps."""
    steps = (32, 48)
    found = [errors(build, formulation, sp.DormandPrince, 0.5, n, (0.1, 0.1)) for n in steps]
    q, u, _, shown = orders(steps, found)
    assert all(7.7 < order < 9.0 for order in (q, u, shown)), (q, u, shown)


# Newton's iteration stops at min(0.003, sqrt(rtol)) of the tolerance; a row sums several unknowns,
# and the weights of rates are those of speeds up to 10 1/s. Projection is repeated to rounding.
def test_velocities_in_axes_of_a_sleigh_have_multipliers_of_order_five():
    """In absolute coordinates its row is constant: the equations of velocities have index 1."""
    steps = (16, 32, 48)
    found = [
        errors(sleigh, ABSOLUTE, sp.Radau, 2.0, n, (1e-13, 1e-2 * (16 / n) ** 4)) for n in steps
    ]
    assert np.all(np.abs(orders(steps, found) - 5.0) < 0.3)


@forms
@pytest.mark.parametrize("build", [four_bar, spatial_loop, sleigh])
@pytest.mark.parametrize(
    ("method", "place", "rate"),
    [(sp.Radau, 0.03e-6, 0.3e-6), (sp.DormandPrince, 1e-13, 1e-12)],
    ids=["Radau", "DormandPrince"],
)
def test_steps_do_not_drift_off_the_constraints(method, place, rate, build, formulation):
    run = {"t_end": 20.0, "tolerance": 1e-6, "output": 4}
    _, seen = watch(build, formulation, method, {}, **run)
    equations = formulation.equations(build())
    sizes = row_sizes(equations.compiled)
    rows = [equations.constraints(*state) for state in seen.states]
    off = np.array([np.abs(row.violation / sizes).max() for row in rows])
    speed = np.array([np.abs(row.rate / sizes).max() for row in rows])
    assert off.max() < place and speed.max() < rate
    half = len(rows) // 2
    assert off[half:].max() < 3.0 * off[:half].max()
