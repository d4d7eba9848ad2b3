"""Load factors are right, or it is told by how much they are not, or they are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import supple as sp
from models.trusses import STEEL
from supple.foundation.errors import ModelError, SimulationError, SuppleWarning

SECTION = sp.Rectangle(0.01, 0.02)
EULER = np.pi**2 * STEEL.E * 0.02 * 0.01**3 / 12.0  # of 1 m
EXACT = {"free": 0.25, "pinned": 1.0, "propped": 2.045748, "clamped": 4.0}


WORLD = np.eye(3)


def rod(**given: Any) -> Callable[[], Any]:
    return lambda: sp.Beam("rod", 1.0, SECTION, STEEL, **given)


def column(ends: str, make: Callable[[], Any], R: Any = WORLD) -> sp.Model:
    """A column of 1 m in the direction R[:, 0] under its Euler load."""
    m = sp.Model(name=ends)
    body = m.add(make())
    ground, foot, top = m.ground.at(0, rotation=R), body.at(0), body.at(1.0)
    if ends == "pinned":
        m.add(sp.Revolute("foot", ground, foot))
    else:
        m.add(sp.Fixed("foot", ground, foot))
    if ends in ("pinned", "propped"):
        shoe = m.add(sp.RigidBody("shoe", 1e-3, inertia=(1e-6, 1e-6, 1e-6)))
        m.add(sp.Prismatic("rail", ground, shoe.at(0), axis="x", initial=1.0))
        m.add(sp.Revolute("head", top, shoe.at(0)))
    elif ends == "clamped":
        m.add(sp.Prismatic("rail", ground, top, axis="x", initial=1.0))
    m.add(sp.Force("press", top, force=R @ (-EULER, 0.0, 0.0)))
    return m


RIGHT = {
    "second order": rod(elements=4, modes="all", stiffening="second_order"),
    "twist": rod(elements=4, modes="all", stiffening=sp.reduction.SecondOrder(twist=True)),
    "attachment modes": rod(
        elements=8, modes=sp.reduction.AttachmentModes(2), stiffening="second_order"
    ),
    "membranes": rod(elements=4, modes="all", stiffening="von_karman"),
    "membranes of points": rod(
        elements=4, modes="all", stiffening=sp.reduction.VonKarman("pointwise")
    ),
    "axial": rod(elements=4, modes="all", stiffening="axial"),
    "parts": rod(parts=4),
    "timoshenko": rod(elements=4, modes="all", theory="timoshenko", stiffening="second_order"),
    "gradient": lambda: sp.ANCFBeam("rod", 1.0, SECTION, STEEL, elements=8),
}
QUICK = {("membranes", "clamped"), ("parts", "free"), ("attachment modes", "pinned")}


def marked(rows: Any) -> list[Any]:
    return [r if r in QUICK else pytest.param(*r, marks=pytest.mark.slow) for r in rows]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("kind", "ends"), marked((k, e) for k in RIGHT for e in EXACT))
def test_columns_in_any_direction(kind: str, ends: str) -> None:
    """Four cubics are within 0.75 % of a clamped column, from above; shear takes 0.1 %."""
    found = sp.buckling(column(ends, RIGHT[kind], turned()))
    ratio = found.factors[0] / EXACT[ends]
    assert -1e-3 < ratio - 1.0 < 0.0077
    # the error of the finer model is a sixteenth
    assert found.error == pytest.approx(ratio - 1.0, abs=0.1 * abs(ratio - 1.0) + 1e-3)
    assert not found.follows_motion


def turned() -> np.ndarray:
    """Axes that are none of the world's."""
    a = np.array([0.3, -0.6, 0.74])
    x = a / np.linalg.norm(a)
    y = np.cross((0.0, 0.0, 1.0), x)
    y /= np.linalg.norm(y)
    return np.column_stack([x, y, np.cross(x, y)])


@pytest.mark.parametrize(
    ("stiffening", "told"),
    [
        ("none", "stiffening of flexible bodies such as 'rod'"),
        ("axial", "modes of 'rod' that stretch its axis, which its stiffening needs"),
        ("von_karman", "modes of 'rod' that stretch its axis, which its stiffening needs"),
    ],
)
@pytest.mark.parametrize("ends", ["free", "propped"])
@pytest.mark.filterwarnings("ignore:Beam 'rod'. stiffening is")
def test_rounding_is_no_load_factor(stiffening: str, told: str, ends: str) -> None:
    """A column whose modes do not feel the load is refused, instead of 1e16 by rounding."""
    with pytest.raises(SimulationError, match=f"no positive load factor.*{told}"):
        sp.buckling(column(ends, rod(elements=4, modes=4, stiffening=stiffening)))


def test_small_loads_have_large_factors() -> None:
    """Of a millionth of a newton: the factor is what it is, not rounding."""
    m = column("free", rod(elements=4, modes="all", stiffening="second_order"))
    m.replace("press", force=(-1e-6, 0, 0))
    assert sp.buckling(m).factors[0] == pytest.approx(0.25 * EULER * 1e6, rel=1e-3)
    m = column("free", rod(elements=4, modes=4, stiffening="second_order"))  # nothing moves before
    m.replace("press", force=(-1e-6, 0, 0))
    assert sp.buckling(m).factors[0] == pytest.approx(0.25 * EULER * 1e6, rel=1e-2)


COARSE = {
    "few modes": ("propped", rod(elements=4, modes=4, stiffening="second_order"), 0.1055, "modes"),
    "modes, clamped": (
        "clamped",
        rod(elements=8, modes=12, stiffening="second_order"),
        0.1462,
        "elements and modes",
    ),
    "one part": ("pinned", rod(parts=1), 12.0 / np.pi**2 - 1.0, "parts"),
    "plain parts": ("clamped", rod(parts=4, stiffening="none"), 0.2159, "parts"),
    "elements": (  # one cubic turns at its pinned end: 4 E I/L = P 2 L/15
        "propped",
        lambda: sp.ANCFBeam("rod", 1.0, SECTION, STEEL, elements=1),
        30.0 / np.pi**2 / EXACT["propped"] - 1.0,
        "elements",
    ),
}


@pytest.mark.parametrize("kind", COARSE)
def test_factors_of_coarse_bodies_are_told(kind: str) -> None:
    """How much too high they are: of plain parts, of second order, three quarters of it."""
    ends, make, error, cure = COARSE[kind]
    with pytest.warns(SuppleWarning, match=r"% too high .* use more .* of 'rod'"):
        found = sp.buckling(column(ends, make))
    assert found.factors[0] / EXACT[ends] - 1.0 == pytest.approx(error, rel=1e-2)
    assert error / 1.5 < found.error < 1.5 * error
    assert cure in found.cure


def test_two_cubics_of_a_clamped_column() -> None:
    """The middle moves between two elements of L/2: 2 12 E I/l^3 = P 2 6/(5 l), or 40 E I/L^2."""
    two = column("clamped", lambda: sp.ANCFBeam("rod", 1.0, SECTION, STEEL, elements=2))
    assert sp.buckling(two).factors[0] == pytest.approx(40.0 / np.pi**2, rel=1e-3)


def test_a_column_that_cannot_buckle_for_its_modes_is_refused() -> None:
    with pytest.raises(
        SimulationError, match=r"with finer bodies it buckles .* 4\.0.*: use more .*modes"
    ):
        sp.buckling(column("clamped", rod(elements=4, modes=4, stiffening="second_order")))


def test_tension_that_is_there_before_counts() -> None:
    m = column("free", RIGHT["membranes"])
    m.add(sp.Force("pull", m["rod"].at(1.0), (0.5 * EULER, 0, 0)))
    found = sp.buckling(m, follow="press")
    assert found.factors[0] == pytest.approx(0.75, rel=1e-4)


def portal(**given: Any) -> sp.Model:
    """Columns and beam of 1 m, clamped at the feet, E I / L^2 on either column; deep across."""
    section, up = sp.Rectangle(0.01, 0.04), (0.0, 0.0, np.pi / 2)
    m = sp.Model(name="portal")
    left, right, beam = (
        m.add(sp.Beam(n, 1.0, section, STEEL, **given)) for n in ("left", "right", "beam")
    )
    m.add(sp.Fixed("foot left", m.ground.at(0, rotation=up), left.at(0)))
    m.add(sp.Fixed("foot right", m.ground.at(1.0, rotation=up), right.at(0)))
    m.add(sp.Fixed("corner left", left.at(1.0, rotation=(0, 0, -np.pi / 2)), beam.at(0)))
    m.add(sp.Fixed("corner right", beam.at(1.0, rotation=up), right.at(1.0)))
    load = STEEL.E * 0.04 * 0.01**3 / 12.0
    for body in (left, right):
        m.add(sp.Force(f"load {body.name}", body.at(1.0), (0, -load, 0)))
    return m


@pytest.mark.slow
def test_a_portal_frame_sways() -> None:
    """k L cot(k L) = -6 (S. P. Timoshenko and J. M. Gere, Theory of Elastic Stability): 7.379."""
    from scipy.optimize import brentq

    exact = brentq(lambda k: k / np.tan(k) + 6.0, 2.0, 3.0) ** 2
    fine = {"elements": 4, "modes": sp.reduction.AttachmentModes(2), "stiffening": "second_order"}
    found = sp.buckling(portal(**fine))
    assert found.factors[0] == pytest.approx(exact, rel=5e-4)
    assert abs(found.error) < 1e-3
    few = portal(elements=4, modes=6, stiffening="second_order")
    with pytest.warns(SuppleWarning, match=r"27 % too high .* modes of 'left' and others"):
        assert sp.buckling(few).factors[0] == pytest.approx(1.27 * exact, rel=0.01)


def test_membranes_that_do_nothing_are_told_by_the_monitor() -> None:
    """A column at twice its Euler load, whose modes do not feel it: as one without stiffening."""
    with pytest.warns(SuppleWarning, match="both ends of the axis"):
        m = column("free", rod(elements=4, modes=4, stiffening="von_karman"))
        m.replace("press", force=(-0.5 * EULER, 0, 0))
        found = sp.statics(m)
    assert found.monitor["rod"].buckling == pytest.approx(2.0, rel=0.02)
    assert found.monitor.level != "valid"


def test_a_plate_that_is_bent_has_no_load_factor() -> None:
    """Across its plane, turned in space: stresses in the plane are rounding, no load."""
    from supple.fem.shells.shell import ShellMesh, plate

    flat = plate(1.0, 1.0, 4, 4, thickness=0.01, material=STEEL)
    mesh = ShellMesh(flat.nodes @ turned().T, flat.triangles, 0.01, STEEL)
    held = [6 * k + c for k in np.flatnonzero(flat.nodes[:, 0] == 0.0) for c in range(6)]
    loads = np.zeros((len(flat.nodes), 6))
    loads[flat.nodes[:, 0] == 1.0, :3] = turned() @ (0.0, 0.0, 1.0)
    with pytest.raises(ModelError, match="no positive load factor, expected loads that press"):
        sp.buckling(mesh, loads.ravel(), held)
    loads[flat.nodes[:, 0] == 1.0, :3] = turned() @ (-1.0, 0.0, 0.0)
    assert 1e3 < sp.buckling(mesh, loads.ravel(), held).factors[0] < 1e4  # N, of five nodes
