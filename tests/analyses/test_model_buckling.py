"""Load factors of whole models against exact ones: columns of several bodies, links, strips."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import supple as sp
from models.columns import column
from models.trusses import STEEL, link, truss, welded
from supple.foundation.errors import ModelError, SimulationError, SuppleWarning


@pytest.mark.parametrize(
    ("ends", "factor"),
    [
        ("free", 0.25),
        pytest.param("pinned", 1.0, marks=pytest.mark.slow),
        pytest.param("propped", 2.045748, marks=pytest.mark.slow),
        ("clamped", 4.0),
    ],
)
def test_columns_of_several_bodies_buckle_as_eulers(ends: str, factor: float) -> None:
    """From above, with the fourth power of the element: 0.75 % of four cubics, clamped."""
    errors = []
    for count in (4, 8):
        found = sp.buckling(column(ends, count))
        errors.append(found.factors[0] / factor - 1.0)
        assert not found.follows_motion
        assert found.left < 1e-3
    assert 0.0 < errors[1] < 0.001
    assert errors[1] < errors[0] < 0.01
    if factor > 0.5:  # before, the shortening of the column is of that size
        assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.4)


def test_the_direction_of_the_load_counts() -> None:
    m = column("free")
    m.replace("press", force=(1.0, 0, 0))
    with pytest.raises(SimulationError, match="no positive load factor"):
        sp.buckling(m)


def test_shapes_of_columns() -> None:
    """The free end of a column moves, and its sections turn by pi/2 of that; 1 - cos(pi x / 2)."""
    m = column("free", 8)
    mode = sp.buckling(m, count=2).modes[0]
    ends = [mode.at(m[f"part{k}"].at(0.125)) for k in (3, 7)]
    assert (ends[0].translation[1] / ends[1].translation[1]).real == pytest.approx(
        1.0 - np.cos(np.pi / 4), rel=1e-3
    )
    assert (ends[1].rotation[2] / ends[1].translation[1]).real == pytest.approx(np.pi / 2, rel=1e-3)
    assert repr(mode).startswith("<BucklingMode at load factor 0.25")


def test_a_column_of_rigid_links() -> None:
    """Two links of length 0.7 m on rotational springs c: P l / c = (3 -+ sqrt 5) / 2."""
    c, length = 5.0, 0.7
    for formulation in (sp.JointCoordinates(), sp.Absolute()):
        m = sp.Model()
        before: Any = m.ground.at(0)
        for k in (1, 2):
            bar = m.add(sp.RigidBody(f"bar{k}", 1.0, (length / 2, 0, 0), 0.1))
            m.add(sp.Revolute(f"pin{k}", before, bar.at(0)))
            m.add(sp.JointSpring(f"coil{k}", f"pin{k}", stiffness=c))
            before = bar.at(length)
        m.add(sp.Force("press", before, force=(-1.0, 0, 0)))
        found = sp.buckling(m, count=3, formulation=formulation)
        exact = c / length * (3.0 + np.sqrt(5.0) * np.array([-1.0, 1.0])) / 2.0
        assert found.factors == pytest.approx(exact, rel=1e-9)
        golden = (np.sqrt(5.0) - 1.0) / 2.0  # of angles in the world 1 : 1.618
        if isinstance(formulation, sp.JointCoordinates):
            mode = found.modes[0]
            assert (mode.of("pin2") / mode.of("pin1")).real == pytest.approx([golden], rel=1e-6)


def test_a_stiff_link_in_a_frame() -> None:
    """A portal of two rigid columns, a rigid beam between them and springs at all four hinges.

    Sway by the angle a: energy 4 c a^2/2 - P L a^2/2, a closed loop: P = 4 c / L.
    """
    m = sp.Model(name="portal")
    left, right, top = (m.add(sp.RigidBody(n, 1.0, inertia=0.1)) for n in ("left", "right", "top"))
    m.add(sp.Revolute("A", m.ground.at(0, 0), left.at(0)))
    m.add(sp.Revolute("B", left.at(0, 2.0), top.at(0)))
    m.add(sp.Revolute("D", m.ground.at(1.5, 0), right.at(0)))
    m.add(sp.Revolute("C", right.at(0, 2.0), top.at(1.5)))
    for hinge in "ABCD":
        m.add(sp.JointSpring(f"coil{hinge}", hinge, stiffness=7.0))
    m.add(sp.Force("press", top.at(0.4), force=(0, -1.0, 0)))
    assert sp.buckling(m).factors == pytest.approx([4 * 7.0 / 2.0], rel=1e-9)


def test_a_narrow_strip_twists_aside() -> None:
    """4.0126 sqrt(E I G J) / L^2 (Prandtl, Michell); the large stiffness adds t^2/(2 h^2)."""
    section = sp.Rectangle(0.002, 0.05)
    exact = 4.0126 * np.sqrt(STEEL.E * section.I_z * STEEL.G * section.J)
    m = sp.Model(name="strip")
    parts = welded(m, 8, section, stiffening=sp.reduction.SecondOrder(twist=True))
    m.add(sp.Fixed("root", m.ground.at(0), parts[0].at(0)))
    m.add(sp.Force("tip", parts[-1].at(0.125), force=(0, 0, -1.0)))
    found = sp.buckling(m)
    assert found.factors[0] == pytest.approx(exact, rel=0.005)
    tip = found.modes[0].at(parts[-1].at(0.125))
    assert abs(tip.translation[2]) < 1e-3 * abs(tip.translation[1])  # aside, not down
    assert abs(tip.rotation[0]) > 0.1 * abs(tip.rotation[2])  # and it twists


def test_a_factor_and_the_path_agree_where_nothing_deforms_before() -> None:
    m = column("free")
    with pytest.warns(SuppleWarning, match="another path"):
        path = sp.statics(m, follow="press", until=0.6)
    assert path.special[0].kind == "bifurcation"
    assert sp.buckling(m).factors[0] == pytest.approx(path.special[0].factor, rel=1e-3)


# ------------------------------------------------------------------------------------ what it means


def test_a_model_that_deforms_before_is_told() -> None:
    """The shallow truss snaps at 0.302, after a deformation that a linear factor does not see."""
    with pytest.warns(SuppleWarning, match="deforms before it buckles"):
        found = sp.buckling(truss())
    assert found.left > 0.05


def test_bodies_without_stiffening_are_told() -> None:
    """Cut into four, they feel the load by their joints only: 23 % too much."""
    with pytest.warns(SuppleWarning, match=r"'part\d' has no stiffening and carries 0\.3"):
        found = sp.buckling(column("pinned", 4, stiffening="none"))
    assert found.factors[0] == pytest.approx(1.2325, rel=1e-3)
    assert sp.buckling(column("pinned", 4)).carried == {}
    with pytest.raises(SimulationError, match=r"no positive load factor.*stiffening of flexible"):
        sp.buckling(column("pinned", 1, stiffening="none"))


def test_a_follower_load_has_no_load_factor() -> None:
    """Beck's column does not buckle, it flutters: no number is given as a limit."""
    with pytest.raises(SimulationError, match=r"no positive load factor.*may flutter"):
        sp.buckling(column("free", axes="body"))


def test_sentences_about_load_factors() -> None:
    with pytest.raises(ModelError, match=r"buckling: loads is .*, expected None"):
        sp.buckling(link(), loads=[1.0])  # type: ignore[call-overload]
    with pytest.raises(ModelError, match="buckling: count is 0"):
        sp.buckling(link(), count=0)
    with pytest.raises(ModelError, match="buckling: follow is 'gravity'"):
        sp.buckling(link(), follow="gravity")
    loose = link()
    loose.remove("coil")
    with pytest.raises(SimulationError, match="in no stable equilibrium, first at Revolute 'foot'"):
        sp.buckling(loose)


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ({"modes": 2}, True),
        ({"modes": 8}, False),
        ({"modes": sp.reduction.AttachmentModes(2)}, False),
        ({"elements": 1}, True),
        ({"elements": 4, "parts": 1}, True),
        ({"elements": 4, "parts": 4}, False),
    ],
)
def test_modes_elements_and_parts_of_a_column_on_pins(options, wrong):
    """Against Euler's load: too few of them are told with their error."""
    m = sp.Model()
    given = {"elements": 8, "stiffening": "second_order"} | options
    rod = m.add(
        sp.Beam("rod", 1.0, sp.Rectangle(0.01, 0.02), sp.Material(70e9, 26e9, 2700), **given)
    )
    m.add(sp.Revolute("left", m.ground.at(0), rod.at(0)))
    m.add(sp.PointOnLine("right", m.ground.at(0), rod.at(1.0), axis="x"))
    m.add(sp.Force("load", rod.at(1.0), (-1, 0, 0)))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = sp.buckling(m)
    error = found.factors[0] / (np.pi**2 * 70e9 * 0.02 * 0.01**3 / 12) - 1.0
    assert (error > 0.02) == wrong
    told = [str(w.message) for w in caught if "too high" in str(w.message)]
    assert bool(told) == wrong
    if wrong:
        assert found.error == pytest.approx(error, rel=0.1)
        assert "too high" in repr(found)
    else:
        assert abs(found.error) < 0.01
