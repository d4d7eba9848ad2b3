"""What accelerations and multipliers of looped models leave of their equations is rounding.

The terms are those of the equations that are solved: M a + G' lam + h and G a + g'', with the
entries of M and G as they are. Each sum of n of them is rounded to a few units of the largest.

Order N forms no M: what it solves are the sweeps, and their residual at a is what it leaves. The
two differ by more than rounding of M a: entries of M are sums about one reference point, where
m r^2 w^2 of a slender beam that twists at the distance r cancels but for the beam's own inertia.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from models.random_loops import OTHERS, LoopRecipe, flexible_loop
from models.random_models import KINDS, Recipe
from models.random_trees import condition
from oracles.rounding import LEFT
from supple.engine.sparsity import block_plan
from supple.formulations.equations import Equations

WAYS = {
    "tree": sp.JointCoordinates("tree"),
    "blocks": sp.JointCoordinates("blocks"),
    "dense": sp.JointCoordinates("dense"),
    "absolute": sp.Absolute(),
}


Parts = tuple[np.ndarray, np.ndarray]  # the terms of rows, and the absolute values of their sums


def rigid_loop(number: int) -> LoopRecipe:
    """The looped model of this number, without beams."""
    rng = np.random.default_rng([number, 13])
    kinds = tuple(str(kind) for kind in rng.choice(KINDS, int(rng.integers(2, 8))))
    closings = tuple(str(kind) for kind in rng.choice(KINDS + OTHERS, int(rng.integers(1, 4))))
    return LoopRecipe(Recipe(kinds, int(rng.integers(2**32)), forces="all"), closings)


def parts(eq: Equations, swept: bool) -> tuple[Parts, Parts, np.ndarray, np.ndarray]:
    """Terms and sums of the equations of motion (in units) and of the rows, M in units, and G."""
    c, n = eq.compiled, eq.nu
    a = eq.accelerate(0.0, eq.q0, eq.u0)
    lam, rows = eq.multipliers(), eq.constraints(0.0, eq.q0, eq.u0)
    M, h = eq.mass_matrix(eq.q0), eq.residual(0.0, eq.q0, eq.u0, np.zeros(n))
    motion = np.hstack([M * a, rows.G.T * lam, h[:, None]]) * c.scale[:, None]
    held = np.hstack([rows.G * a, rows.acceleration[:, None]])
    summed = motion
    if swept:
        at_a = eq.residual(0.0, eq.q0, eq.u0, a)
        summed = np.hstack([at_a[:, None], rows.G.T * lam]) * c.scale[:, None]
    return (motion, total(summed)), (held, total(held)), M * np.outer(c.scale, c.scale), rows.G


def total(terms: np.ndarray) -> np.ndarray:
    """Sums of rows, without rounding of their own."""
    return np.abs(terms.astype(np.longdouble).sum(axis=1))


def left_over(eq: Equations, swept: bool) -> float:
    """Largest residual, of the largest sum of its terms' absolute values.

    Forces are measured in units and by the mean inertia, rows by the largest of them: rows may hold
    everything, then accelerations are rounding of what forces would give.
    """
    motion, held, M, G = parts(eq, swept)
    mean = float(np.trace(M)) / max(eq.nu, 1) or 1.0
    size = np.linalg.norm(G * eq.compiled.scale, axis=1).max(initial=1e-300)
    left, terms = 0.0, 1e-300
    for (part, summed), unit in ((motion, mean), (held, size)):
        left = max(left, summed.max(initial=0.0) / unit)
        terms = max(terms, np.abs(part).sum(axis=1).max(initial=0.0) / unit)
    return float(left / terms)


def left_of_rows(eq: Equations) -> float:
    """Largest residual of a row, of its own terms and of what rounding elsewhere does to it.

    Accelerations are known to units of the largest one, or of what the largest force gives the mean
    inertia, multipliers to units of the largest force: times the entries of a row of M and G that
    is a term of it, too.
    """
    c = eq.compiled
    motion, held, M, G = parts(eq, swept=False)
    M, G = np.abs(M), np.abs(G) * c.scale
    a = eq.accelerate(0.0, eq.q0, eq.u0)
    force = np.abs(motion[0]).sum(axis=1).max(initial=0.0)
    mean = float(np.trace(M)) / max(eq.nu, 1) or 1.0
    fastest = max(np.abs(a / c.scale).max(initial=0.0), force / mean)
    across = (G / c.row_sizes[:, None]).sum(axis=0)
    noise = M.sum(axis=1) * fastest + across * force, G.sum(axis=1) * fastest
    worst = 0.0
    for (part, summed), more in zip((motion, held), noise, strict=True):
        terms = np.abs(part).sum(axis=1) + more + 1e-300
        worst = max(worst, float((summed / terms).max(initial=0.0)))
    return worst


def largest_left(numbers: range) -> tuple[dict[str, float], int]:
    """The largest of each way, and how many models could be made and are determined."""
    worst, count = dict.fromkeys(WAYS, 0.0), 0
    for number in numbers:
        recipe = flexible_loop(number) if number % 3 == 0 else rigid_loop(number)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sp.SuppleWarning)
                model = recipe.model()
                equations = {name: form.equations(model) for name, form in WAYS.items()}
        except sp.ModelError:  # a driver of something that cannot move
            continue
        if max(condition(eq) for eq in equations.values()) > 1e9:
            continue
        for name, eq in equations.items():
            left = left_over(eq, swept=name == "tree")
            if name != "tree":  # the same sums are in the rows of elastic coordinates
                left = max(left, left_of_rows(eq))
            assert left < LEFT, (name, recipe)
            worst[name] = max(worst[name], left)
        count += 1
    return worst, count


def test_what_is_left_of_looped_models_is_rounding(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(block_plan, "WORTH", 0.0)  # stored by the plan as soon as there is one
    assert largest_left(range(9))[1] > 4


@pytest.mark.slow
@pytest.mark.parametrize("worth", [0.0, 1.0])
def test_what_is_left_of_a_thousand_looped_models_is_rounding(
    worth: float, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(block_plan, "WORTH", worth)
    worst, count = largest_left(range(9, 1009))
    print(worst, count)
    assert count > 500
