"""Paths of equilibria: exact ones of trusses, links and arches, through limit points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import supple as sp
from models.trusses import STEEL, highest, link, pressed, truss, welded
from supple.cases.beams import large_deflection
from supple.foundation.errors import ModelError, SimulationError, SuppleWarning

# ------------------------------------------------------------------------------------ limit points


def test_a_truss_snaps_through_at_the_exact_load() -> None:
    path = sp.statics(truss(), follow="push")
    y = path["fall"].displacement
    assert path.success
    assert np.allclose(path.load, pressed(y), rtol=0, atol=1e-8)
    limits = path.limit_points
    assert [s.kind for s in path.special] == ["limit point", "limit point"]
    exact = pressed(highest())
    assert limits[0].factor == pytest.approx(exact, rel=1e-9)
    assert limits[1].factor == pytest.approx(-exact, rel=1e-9)
    # the place follows with the root of the error of the stiffness: better than 1e-8 by a root
    assert y[limits[0].index] == pytest.approx(highest(), rel=1e-8)
    inside = np.abs(y) < highest() - 1e-6
    outside = np.abs(y) > highest() + 1e-6
    assert np.all(path.stable[outside])
    assert not np.any(path.stable[inside])
    assert "Prismatic 'fall'" in limits[0].motion
    assert path.critical == limits[0].factor


def test_a_point_of_a_path_is_a_result() -> None:
    """The model of a point has its loads; the model itself can start from its state."""
    path = sp.statics(truss(), follow="push", until=0.25)
    point = path[3]
    assert point["push"].force[0] == pytest.approx([0, -path.load[3], 0])
    assert point["fall"].displacement[0] == path["fall"].displacement[3]
    assert path.of("fall.displacement")[3] == path["fall"].displacement[3]
    again = sp.statics(point.model, start=point)
    assert again["fall"].displacement[0] == pytest.approx(point["fall"].displacement[0], abs=1e-10)
    assert sp.simulate(truss(), 0.01, start=path.end).success
    assert len(list(path)) == len(path)
    figure = path.plot("fall.displacement")
    assert figure.axes[0].get_ylabel() == "load factor"


def test_load_steps_stop_at_the_limit_point() -> None:
    path = sp.statics(truss(), steps=[0.1, 0.2, 0.3])
    assert path.load == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert pressed(path["fall"].displacement) == pytest.approx(path.load, abs=1e-9)
    with pytest.warns(SuppleWarning, match=r"factor 1 is not reached, the last is 0\.3019147"):
        path = sp.statics(truss(), steps=5)
    assert not path.success
    assert path.load[-1] == pytest.approx(pressed(highest()), rel=1e-9)
    assert path.load[:2] == pytest.approx([0.0, 0.2])


def test_loads_may_grow_the_other_way() -> None:
    for given in ({"follow": "push", "until": -2.0}, {"steps": [-0.5, -2.0]}):
        path = sp.statics(truss(), **given)
        assert path.load[-1] == -2.0
        assert pressed(path["fall"].displacement) == pytest.approx(path.load, abs=1e-8)
        assert path.special == ()
        assert np.all(path.stable)


def test_elastic_bars_in_a_loop_snap_through() -> None:
    """Two beams, pinned to the ground and to each other: springs of E A / L along their chords.

    They are wide, so that they do not sway out of the plane before (12 I / (A L^2) = 0.04).
    """
    section, height = sp.Rectangle(0.01, 0.2), 0.1
    length, angle = np.hypot(1.0, height), np.arctan(height)
    k = STEEL.E * 2e-3 / length
    m = sp.Model()
    a, b = (m.add(sp.Beam(n, length, section, STEEL, 1, "all", "chord")) for n in "ab")
    m.add(sp.Revolute("left", m.ground.at(-1.0), a.at(0), initial=angle))
    m.add(sp.Revolute("right", m.ground.at(1.0), b.at(0), initial=np.pi - angle))
    m.add(sp.Revolute("top", a.at(length), b.at(length), initial=np.pi - 2 * angle))
    m.add(sp.Force("push", a.at(length), force=(0, -1.0, 0)))
    exact = pressed(highest(height), height, k)
    with pytest.warns(SuppleWarning, match="under which it buckles"):
        path = sp.statics(m, follow="push", until=1.5 * exact)
    assert path.limit_points[0].factor == pytest.approx(exact, rel=1e-8)
    assert path.bifurcations == ()
    for point in (path[5], path[20], path.end):
        y = float(point[a.at(length)].position[0, 1])
        load = -float(point["push"].force[0, 1])
        assert pressed(y, height, k) == pytest.approx(load, abs=1e-8 * exact)
    assert not path[len(path) // 5].stable  # pressed beyond the Euler load of its own bars
    with pytest.warns(SuppleWarning, match="limit point"):
        path = sp.statics(m, steps=[1.5 * exact], formulation=sp.Absolute())
    assert path.critical == pytest.approx(exact, rel=1e-8)


def test_a_shallow_arch_snaps_through() -> None:
    """Up to its limit point by load steps; the second mode would be first from e^2 = 5.5 on."""
    with pytest.warns(SuppleWarning, match="limit point"):
        path = sp.statics(large_deflection.arch(6), steps=[4.5])
    assert [s.kind for s in path.special] == ["limit point"]
    assert path.critical == pytest.approx(4.0, rel=0.005)


def test_a_stop_on_the_way_is_a_kink() -> None:
    """The node falls on a stop: the load turns, the path goes on along the stop."""
    m = truss()
    stop = {"lower": -0.1, "upper": 1.0, "stiffness": 1e5, "exponent": 1.0}
    m.add(sp.JointStop("stop", "fall", **stop))
    path = sp.statics(m, follow="push")
    assert path.success
    assert [s.kind for s in path.special] == ["limit point", "kink"]
    assert path.special[1].factor == pytest.approx(pressed(-0.1), rel=1e-4)
    y = path["fall"].displacement
    held = np.where(y < -0.1, -1e5 * (y + 0.1), 0.0)
    assert path.load == pytest.approx(pressed(y) + held, abs=1e-7)
    assert path.stable[-1]
    assert not path.stable[path.special[1].index - 1]


# ------------------------------------------------------------------------------------ bifurcations


def test_a_perfect_column_has_a_bifurcation_which_is_told() -> None:
    with pytest.warns(SuppleWarning, match=r"load factor 3 another path crosses .*foot"):
        path = sp.statics(link(), follow="press", until=5.0)
    (found,) = path.special
    assert found.kind == "bifurcation"
    assert found.factor == pytest.approx(3.0, rel=1e-10)
    assert np.all(path.stable == (path.load < 3.0 - 1e-9))
    assert np.max(np.abs(path["foot"].angle)) < 1e-9


def test_an_imperfect_column_bends_over() -> None:
    """P sin(angle) = c (angle - tilt): the path of the imperfection has no special point."""
    path = sp.statics(link(1e-3), follow="press", until=5.0)
    angle = path["foot"].angle
    assert path.special == ()
    assert np.all(path.stable)
    assert path.load * np.sin(angle) == pytest.approx(3.0 * (angle - 1e-3), abs=1e-9)
    assert angle[-1] > 1.5


@pytest.mark.parametrize("reference", [pytest.param("clamped", marks=pytest.mark.slow), "chord"])
def test_a_slender_column_bends_over_as_the_elastica(reference: Any) -> None:
    """Eight beams with an imperfection of 1e-4, which a coarse path would pass on the other side.

    With the modulus p of the elliptic integrals the load is (2 K/pi)^2 of the critical one, the end
    is at x/L = 2 E/K - 1, y/L = 2 p/K. Errors fall with the square of the parts.
    """
    from scipy.optimize import brentq
    from scipy.special import ellipe, ellipk

    m = sp.Model()
    parts = welded(m, 8, sp.Rectangle(0.01, 0.02), stiffening="second_order", reference=reference)
    m.add(sp.Fixed("foot", m.ground.at(0), parts[0].at(0)))
    euler = np.pi**2 / 4.0 * STEEL.E * 0.02 * 0.01**3 / 12.0
    m.add(sp.Force("press", parts[-1].at(0.125), force=(-euler, 0, 0)))
    m.add(sp.Force("aside", parts[-1].at(0.125), force=(0, 1e-4 * euler, 0)))
    path = sp.statics(m, follow="press", steps=[0.5, 1.2, 1.5])
    assert path.special == ()
    assert np.all(path.stable)
    for k in (2, 3):
        p = brentq(lambda p, k=k: (2 * ellipk(p * p) / np.pi) ** 2 - path.load[k], 1e-6, 0.99)
        exact = 2 * ellipe(p * p) / ellipk(p * p) - 1, 2 * p / ellipk(p * p), 0.0
        assert path[k][parts[-1].at(0.125)].position[0] == pytest.approx(exact, abs=3e-3)


@pytest.mark.parametrize("height", [3.0, 0.5])
def test_a_high_truss_sways_before_it_snaps(height: float) -> None:
    """In the plane: the lateral stiffness 1 - L y^2 / l^3 vanishes first if it is high."""
    k, length = 100.0, np.hypot(1.0, height)
    m = sp.Model(name="high truss")
    node = m.add(sp.RigidBody("node", 1.0, inertia=(1.0, 1.0, 1.0)))
    m.add(sp.Planar("plane", m.ground.at(0), node.at(0), initial=(0.0, height, 0.0)))
    m.add(sp.JointSpring("level", "plane", stiffness=1.0, coordinate="angle"))
    for name, x in (("left", -1.0), ("right", 1.0)):
        m.add(sp.SpringDamper(name, m.ground.at(x), node.at(0), k, length=length))
    m.add(sp.Force("push", node.at(0), force=(0, -1.0, 0)))
    snap = pressed(highest(height), height, k)
    if height < 1.0:
        assert sp.statics(m, follow="push", until=2 * snap).special[0].kind == "limit point"
        return
    with pytest.warns(SuppleWarning, match="another path crosses"):
        path = sp.statics(m, follow="push", until=2 * snap)
    from scipy.optimize import brentq

    y = brentq(lambda y: np.hypot(1.0, y) ** 3 - length * y * y, 2.4, 3.0, xtol=1e-14)
    assert [s.kind for s in path.special[:2]] == ["bifurcation", "limit point"]
    assert path.special[0].factor == pytest.approx(pressed(y, height, k), rel=1e-9)
    assert path.special[1].factor == pytest.approx(snap, rel=1e-9)
    assert "displacement_1" in path.special[0].motion


def test_two_motions_that_buckle_at_once_are_counted() -> None:
    m = sp.Model()
    bar = m.add(sp.RigidBody("bar", 1.0, (0, 0, 0.5), 0.1))
    m.add(sp.Universal("foot", m.ground.at(0), bar.at(0), axes=("x", "y")))
    for k in (0, 1):
        m.add(sp.JointSpring(f"coil{k}", "foot", stiffness=3.0, coordinate=k))
    m.add(sp.Force("press", bar.at(0, 0, 1), force=(0, 0, -1.0)))
    with pytest.warns(SuppleWarning, match="another path"):
        path = sp.statics(m, follow="press", until=5.0)
    assert [(s.kind, s.count) for s in path.special] == [("bifurcation", 2)]
    assert path.critical == pytest.approx(3.0, rel=1e-9)


# ------------------------------------------------------------------------------------ other loads


def test_a_driver_goes_through_snapping() -> None:
    """Where the motion is given, there is no limit point; its effort is the load of the truss."""
    m = truss(load=1e-9)
    m.add(sp.Driver("jack", "fall", -0.2))
    path = sp.statics(m, follow="jack", steps=8)
    y = path["fall"].displacement
    assert y == pytest.approx(-0.2 * path.load, abs=1e-10)
    effort = path["jack"].effort.ravel()
    assert np.abs(effort) == pytest.approx(np.abs(pressed(y)), abs=1e-7)
    assert path.special == ()


def test_a_driver_behind_a_soft_spring_snaps_back() -> None:
    """The end of a spring of 2 N/m is moved; the node is at x = y - F(y)/k, which turns back."""
    from scipy.optimize import brentq

    m = truss(load=1e-12)
    end = m.add(sp.RigidBody("end", 1.0, inertia=(1.0, 1.0, 1.0)))
    m.add(sp.Prismatic("rail", m.ground.at(0, 0.2), end.at(0), axis="y"))
    m.add(sp.CartesianSpring("soft", m["node"].at(0), end.at(0), stiffness=(0.0, 2.0, 0.0)))
    m.add(sp.Driver("jack", "rail", -0.5))
    path = sp.statics(m, follow="jack")
    y = path["fall"].displacement

    def driven(y: Any) -> Any:
        return y - 0.2 - pressed(y) / 2.0

    assert -0.5 * path.load == pytest.approx(driven(y), abs=1e-8)
    slope = 1e-6
    where = brentq(lambda y: driven(y + slope) - driven(y - slope), 0.05, 0.19)
    assert [s.kind for s in path.special] == ["limit point", "limit point"]
    assert path.critical == pytest.approx(driven(where) / -0.5, rel=1e-8)


def test_signals_and_functions_stand_still() -> None:
    """At t = 2 s: what is not followed has its value then, functions see that time."""
    m = link(0.01)
    m.add(sp.JointEffort("effort", "foot", "0.1*t"))
    m.add(sp.EffortFunction("function", ["foot"], lambda t, q, u: [0.05 * t]))
    path = sp.statics(m, follow="press", until=2.0, t=2.0)
    angle = path["foot"].angle
    left = 3.0 * (angle - 0.01) - 0.3 - path.load * np.sin(angle)
    assert left == pytest.approx(0.0, abs=1e-9)
    assert path.load[-1] == 2.0


def test_gravity_grows_alone() -> None:
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = m.add(sp.RigidBody("rod", 2.0, (0.5, 0, 0), 0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0)))
    m.add(sp.JointSpring("coil", "pin", stiffness=4.0))
    m.add(sp.Force("pull", rod.at(1), force=(0, 2.0, 0)))
    path = sp.statics(m, follow="gravity", steps=4)
    angle = path["pin"].angle
    pull = 2.0 - 9.81 * path.load
    assert 4.0 * angle == pytest.approx(pull * np.cos(angle), abs=1e-9)
    assert path.end["pin"].angle[0] == pytest.approx(sp.statics(m)["pin"].angle[0], abs=1e-10)
    assert path[0].model.gravity == pytest.approx([0, 0, 0])


def test_loads_that_alone_hold_a_model() -> None:
    """Nothing holds a pendulum without gravity: the path begins at the first step."""
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = m.add(sp.RigidBody("rod", 2.0, (0.5, 0, 0), 0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), initial=-1.0))
    m.add(sp.Force("pull", rod.at(1), force=(2.0, 0, 0)))
    path = sp.statics(m, steps=4)
    assert path.load == pytest.approx([0.25, 0.5, 0.75, 1.0])
    assert path["pin"].angle == pytest.approx(np.arctan2(-9.81, 2.0), abs=1e-9)


def test_loads_that_are_never_reached() -> None:
    """A spring that gives way, F = x / (1 + x): its factor approaches 1 without end."""
    m = sp.Model()
    node = m.add(sp.RigidBody("node", 1.0, inertia=(1.0, 1.0, 1.0)))
    m.add(sp.Prismatic("rail", m.ground.at(0), node.at(0), axis="x"))
    m.add(sp.SpringDamper("soft", m.ground.at(-1.0), node.at(0), length=1.0, spring="x/(1 + x)"))
    m.add(sp.Force("pull", node.at(0), force=(1.0, 0, 0)))
    with pytest.warns(SuppleWarning, match=r"factor 1\.2 is not reached, the last is 0\.\d+: .*60"):
        path = sp.statics(m, steps=[0.5, 1.2], points=60)
    x = path["rail"].displacement
    assert path.load == pytest.approx(x / (1.0 + x), abs=1e-8)
    assert path.load[1] == 0.5


def test_a_hanging_rod_leaves_its_axis_at_a_speed() -> None:
    """A rod of a point mass at 0.5 m: Omega^2 = g / 0.5."""
    m = sp.Model(gravity=(0, 0, -9.81))
    shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=0.1))
    rod = m.add(sp.RigidBody("rod", 2.0, com=(0, 0, -0.5), inertia=1e-9))
    m.add(sp.Revolute("turn", m.ground.at(0), shaft.at(0), axis="z"))
    m.add(sp.Revolute("hinge", shaft.at(0), rod.at(0), axis="y"))
    with pytest.warns(SuppleWarning, match="another path"):
        path = sp.statics(m, spin={"turn": 6.0}, follow="spin")
    assert path.critical == pytest.approx(np.sqrt(9.81 / 0.5) / 6.0, rel=1e-7)
    assert path.special[0].kind == "bifurcation"


def test_a_controller_keeps_its_target_under_growing_loads() -> None:
    m = sp.Model()
    rod = m.add(sp.RigidBody("rod", 2.0, (0.5, 0, 0), 0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0)))
    m.add(sp.PID("hold", "pin", target=0.3, kp=5.0, ki=2.0, kd=1.0))
    m.add(sp.Force("pull", rod.at(1), force=(0, 2.0, 0)))
    path = sp.statics(m, follow="pull", steps=3)
    assert path["pin"].angle == pytest.approx(0.3, abs=1e-9)
    assert path["hold"].effort[-1] == pytest.approx(-2.0 * np.cos(0.3), abs=1e-8)


# ------------------------------------------------------------------------------------ sentences


def test_sentences_about_paths() -> None:
    m = truss()
    with pytest.raises(ModelError, match=r"statics: follow is 'pusch', expected .* 'push'"):
        sp.statics(m, follow="pusch")
    with pytest.raises(ModelError, match="statics: follow is 'gravity', expected"):
        sp.statics(m, follow="gravity")
    with pytest.raises(ModelError, match="statics: until is 0"):
        sp.statics(m, follow="push", until=0.0)
    for steps in ([0.2, 0.1], [], [0.0], [0.1, -0.2], "many", 0, 2.5):
        with pytest.raises(ModelError, match="statics: steps is"):
            sp.statics(m, steps=steps)  # type: ignore[call-overload]
    with pytest.warns(SuppleWarning, match=r"the last is 0\.0\d+: the path has 3 points"):
        path = sp.statics(m, follow="push", points=3)
    assert "NOT REACHED" in repr(path)
    free = sp.Model()
    rod = free.add(sp.RigidBody("rod", 1.0, (0.5, 0, 0), 0.1))
    free.add(sp.Prismatic("rail", free.ground.at(0), rod.at(0), axis="x"))
    free.add(sp.Force("push", rod.at(0), force=(1.0, 0, 0)))
    with pytest.raises(SimulationError, match=r"no equilibrium at the load factor .* 'rail'"):
        sp.statics(free, follow="push")
