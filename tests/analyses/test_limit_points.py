"""Limit points are listed, whatever the units and however thin a structure is."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.trusses import highest, pressed, truss
from supple.analyses.equilibrium import continuation
from supple.cases.beams import large_deflection
from supple.foundation.errors import SuppleWarning


def roof(cells: int, thickness: float, unit: float) -> sp.Model:
    """A cylindrical roof on two hinged straight edges under a force in the middle.

    Of K. Y. Sze, X. H. Liu and S. H. Lo, Popular benchmark problems for geometric nonlinear
    analysis of shells, Finite Elements in Analysis and Design 40 (2004) 1551-1569: 508 mm square,
    radius 2540 mm, E = 3102.75 N/mm2, 3 kN. ``unit`` is the number of model lengths in a metre.
    """
    radius, length, half = 2.54 * unit, 0.508 * unit, 0.1
    modulus = 3102.75e6 / unit**2
    plastic = sp.Material(E=modulus, G=modulus / 2.6, density=1000.0 / unit**3)

    def place(x: float, y: float) -> tuple[float, float, float]:
        return radius * np.sin(x - half), y, radius * (np.cos(x - half) - np.cos(half))

    m = sp.Model(name="roof")
    size = (2 * half, length)
    shell = m.add(
        sp.ANCFPlate("roof", size, thickness * unit, plastic, (cells, cells), shape=place)
    )
    for x in (0.0, 2 * half):
        for k, y in enumerate(np.linspace(0.0, length, cells + 1)):
            m.add(
                sp.Spherical(
                    f"hinge {k} {'left' if x == 0.0 else 'right'}",
                    m.ground.at(*place(x, y)),
                    shell.at(x, y),
                )
            )
    m.add(sp.Force("push", shell.at(half, length / 2), (0, 0, -3000.0)))
    return m


def extremes(path: sp.results.EquilibriumPath) -> list[float]:
    """Load factors of points that are larger or smaller than both neighbours."""
    f = path.load
    turns = (f[1:-1] - f[:-2]) * (f[2:] - f[1:-1]) < 0.0
    return f[1:-1][turns].tolist()


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")  # the mesh is coarse
@pytest.mark.parametrize(
    ("cells", "thickness"),
    [(2, 12.7e-3), *(pytest.param(4, h, marks=pytest.mark.slow) for h in (12.7e-3, 6.35e-3))],
)
def test_a_roof_snaps_through_in_any_unit(cells: int, thickness: float) -> None:
    """The same factors in metres and in millimetres, where gradients over an angle are long."""
    found = []
    for unit in (1.0, 1000.0):
        path = sp.statics(roof(cells, thickness, unit), follow="push")
        factors = [s.factor for s in path.limit_points]
        assert len(factors) == 2 and factors == extremes(path)
        found.append(factors)
    assert found[0] == pytest.approx(found[1], rel=1e-6)
    first = path[path.limit_points[0].index]
    assert first.success and 0.0 < first["roof"].at(0.1, 254.0).position[0, 2] < 12.0


def test_an_arch_turns_at_both_loads() -> None:
    """e = 2: 2 + 2 and 2 - 2, by sqrt(4 (e^2 - 1)^3 / 27); see the case shallow-arch."""
    path = sp.statics(large_deflection.arch(6), follow="loads", until=4.5)
    assert [s.kind for s in path.special] == ["limit point", "limit point"]
    assert [s.factor for s in path.special] == pytest.approx([4.0, 0.0], abs=0.02)
    assert [s.factor for s in path.special] == extremes(path)


def test_limit_points_need_no_stiffness(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where rounding hides a stiffness among larger ones, the slope of the load tells."""
    monkeypatch.setattr(continuation, "NO_STIFFNESS", 1e6)
    path = sp.statics(truss(), follow="push")
    exact = pressed(highest())
    assert [s.kind for s in path.special] == ["limit point", "limit point"]
    assert [s.factor for s in path.special] == pytest.approx([exact, -exact], rel=1e-9)
    assert "Prismatic 'fall'" in path.special[0].motion


def test_two_limit_points_in_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flat truss whose load hardly turns back, with steps that could pass both turns at once."""
    monkeypatch.setattr(continuation, "FIRST", 0.7)
    monkeypatch.setattr(continuation, "LONGEST", 0.7)
    monkeypatch.setattr(continuation, "STRAIGHT", -1.0)
    monkeypatch.setattr(continuation, "FAR", 10.0)
    m = truss()
    m.add(sp.JointSpring("return", "fall", stiffness=2.3, rest=0.2))  # slope at y = 0: -1.66
    path = sp.statics(m, follow="push", until=4.0)
    y = path["fall"].displacement
    assert path.load == pytest.approx(pressed(y) + 2.3 * (0.2 - y), abs=1e-8)
    assert [s.factor for s in path.limit_points] == extremes(path)
    assert len(path.limit_points) == 2


def test_stability_lists_the_limit_point_at_which_a_state_ends() -> None:
    """Its load, and the state right before it."""
    with pytest.warns(SuppleWarning, match=r"the state ends near push = 0\.3019"):
        found = sp.stability(truss(), "push", [0.0, 0.1, 0.25, 0.5])
    (limit,) = found.limits
    exact = pressed(highest())
    assert (limit.kind, limit.becomes) == ("limit point", "unstable")
    # the stiffness of the last state is 1e-3 of the first, its square is linear to that part
    assert limit.value == pytest.approx(exact, rel=1e-7)
    assert limit.linear.state.q[0] == pytest.approx(highest(), rel=1e-2)
    assert found.limit == limit.value
    assert "limit point" in repr(found)
