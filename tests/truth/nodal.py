"""Bodies with nodal vectors: cables, gradient beams, plates and solids."""

from __future__ import annotations

from typing import Any

import numpy as np

import supple as sp
from truth.bodies import STEEL
from truth.table import Answer, right, wrong

SOFT = sp.Material(E=1e9, G=1e9 / 2.6, density=1000)


def strip(force: tuple[float, float, float], size: float = 2e-3, **fields: Any) -> sp.Model:
    """A clamped ANCFBeam of 1 m with a square section."""
    m = sp.Model()
    given: dict[str, Any] = {"section": sp.Rectangle(size, size), "material": STEEL, **fields}
    rod = m.add(sp.ANCFBeam("rod", 1.0, **given))
    m.add(sp.Fixed("clamp", m.ground.at(0), rod.at(0)))
    if any(force):
        m.add(sp.Force("load", rod.at(1.0), force))
    return m


def place(result: Any, axis: int, at: float = 1.0) -> float:
    """Place of a point of a rod, m."""
    return float(result["rod"].at(at).position[-1][axis])


EI = STEEL.E * (2e-3) ** 4 / 12


@right()
def elastica_by_sixteen_elements() -> Answer:
    r = sp.statics(strip((0, EI, 0), elements=16))
    return Answer(place(r, 1), 0.30172, r)  # Bisshopp and Drucker, F L^2/EI = 1


@wrong(slow=True)
def elastica_by_two_elements() -> Answer:
    r = sp.statics(strip((0, 10 * EI, 0), elements=2))
    return Answer(place(r, 0), 0.44500, r)  # the same, F L^2/EI = 10


@wrong()
def elastic_line_that_locks() -> Answer:
    r = sp.statics(strip((0, 2 * EI, 0), elements=2, element="elastic_line"))
    return Answer(place(r, 1), 0.49346, r)


@wrong()
def continuum_that_locks() -> Answer:
    # Sections cannot contract: E (1 - nu)/((1 + nu)(1 - 2 nu)) = 1.35 E with nu = 0.3
    r = sp.statics(strip((0, 1e-3 * EI, 0), elements=8, element="continuum"))
    return Answer(place(r, 1), 1e-3 / 3, r)


@right()
def leaf_bent_in_its_soft_plane() -> Answer:
    h, w = 5e-4, 0.02
    m = strip((0, 0, 0), section=sp.Rectangle(h, w), elements=16)
    stiffness = STEEL.E * w * h**3 / 12
    m.add(sp.Force("moment", m["rod"].at(1.0), torque=(0, 0, stiffness)))
    r = sp.statics(m)
    return Answer(place(r, 1), 1 - np.cos(1.0), r)


@wrong()
def rod_that_is_strained_too_far() -> Answer:
    r = sp.statics(strip((0.2 * SOFT.E * 4e-6, 0, 0), material=SOFT))
    # A rod of an engineer's law, F = E A e, stretches by 0.2; Green's strain gives less
    return Answer(place(r, 0) - 1, 0.2, r)


def hung(span: float, length: float, load: float = 0.0, **fields: Any) -> sp.Model:
    """A cable of 1 kg/m, EA 1e6 N, between two pins at one height."""
    m = sp.Model(gravity=(0, -9.81, 0))
    section = sp.Section(1e-3, 1e-12, 1e-12, 2e-12, half_sizes=(1e-2, 1e-2))
    cable = m.add(sp.Cable("rod", length, section, SOFT, **fields))
    m.add(sp.Spherical("left", m.ground.at(0), cable.at(0)))
    m.add(sp.Spherical("right", m.ground.at(span), cable.at(length)))
    return m


def _catenary(span: float, length: float) -> tuple[float, float]:
    """Sag of an inextensible catenary and its horizontal pull over the weight per length, m."""
    from scipy.optimize import brentq

    a = brentq(lambda a: 2 * a * np.sinh(span / (2 * a)) - length, 0.05 * span, 50 * span)
    return float(a * (np.cosh(span / (2 * a)) - 1)), float(a)


@right()
def catenary_of_many_elements() -> Answer:
    r = sp.statics(hung(8.0, 10.0, elements=32))
    return Answer(-place(r, 1, 5.0), _catenary(8.0, 10.0)[0], r)


@wrong()
def catenary_of_two_elements() -> Answer:
    r = sp.statics(hung(3.0, 10.0, elements=2))
    pull = float(abs(r["left"].force[0][0]))
    return Answer(pull, 9.81 * _catenary(3.0, 10.0)[1], r)


def straight(bending: float, **fields: Any) -> Answer:
    """A cable of 10 m, EA 1e6 N and 0.8 kg/m, that hangs on a pin: it stretches by its weight."""
    m = sp.Model(gravity=(9.81, 0, 0))
    I = bending / 1e10
    section = sp.Section(1e-4, I, I, 2 * I, half_sizes=(1e-2, 1e-2))
    heavy = sp.Material(E=1e10, G=5e9, density=8000.0)
    cable = m.add(sp.Cable("rod", 10.0, section, heavy, **fields))
    m.add(sp.Spherical("pin", m.ground.at(0), cable.at(0)))
    r = sp.statics(m)
    return Answer(place(r, 0, 10.0) - 10.0, 8000 * 9.81 * 10**2 / 2 / 1e10, r)


@right()
def cable_that_hangs_straight() -> Answer:
    return straight(1.0, elements=16)


@right()
def limp_cable_that_hangs_straight() -> Answer:
    return straight(0.01, elements=16, element="two_points")


def plate(elements: tuple[int, int], thickness: float = 0.01, clamped: bool = True) -> sp.Model:
    """A square plate of 1 m with held edges under 100 Pa."""
    m = sp.Model()
    sheet = m.add(sp.ANCFPlate("rod", (1.0, 1.0), thickness, STEEL, elements=elements))
    x, y, _ = sheet.coordinates.T
    edge = (x == 0) | (x == 1) | (y == 0) | (y == 1)
    kind = sp.Fixed if clamped else sp.Spherical
    for k, (a, b, _) in enumerate(sheet.coordinates[edge]):
        m.add(kind(f"edge {k}", m.ground.at(a, b), sheet.at(a, b)))
    m.add(sp.SurfaceLoad("load", sheet.at(0, 0), (0, 0, 100.0)))
    return m


D = STEEL.E * 1e-6 / 12 / (1 - 0.3**2)


@right(slow=True)
def clamped_plate_of_small_elements() -> Answer:
    r = sp.statics(plate((24, 24)))
    w = float(r["rod"].at(0.5, 0.5).displacement[0][2])
    return Answer(w, 0.00126532 * 100 / D, r)  # Timoshenko and Woinowsky-Krieger, table 35


@wrong()
def clamped_plate_of_four_elements() -> Answer:
    r = sp.statics(plate((2, 2)))
    w = float(r["rod"].at(0.5, 0.5).displacement[0][2])
    return Answer(w, 0.00126532 * 100 / D, r)


def arm(kind: str, divisions: tuple[int, int, int], **fields: Any) -> sp.Model:
    """An ANCFSolid of 0.5 m with a square section of 20 mm, clamped at one end."""
    material = sp.Material(E=1e9, G=5e8, density=1000.0)  # nu = 0
    mesh = sp.fem.block((0.5, 0.02, 0.02), divisions, kind, material)
    ends = [
        sp.fem.Interface("root", (0, 0.01, 0.01), mesh.group("x_min")),
        sp.fem.Interface("tip", (0.5, 0.01, 0.01), mesh.group("x_max")),
    ]
    m = sp.Model()
    solid = m.add(sp.ANCFSolid("rod", mesh, ends))
    m.add(sp.Fixed("clamp", m.ground.at(0), solid.at("root")))
    m.add(sp.Force("load", solid.at("tip"), (0, 0.1, 0)))
    return m


SOLID = 0.1 * 0.5**3 / (3 * 1e9 * 0.02**4 / 12) * (1 + 0.6 * 0.02**2 / 0.5**2 * 2)


@right()
def solid_of_quadratic_elements() -> Answer:
    r = sp.statics(arm("hex20", (10, 1, 1)))
    return Answer(float(r["rod"].at("tip").position[0][1]), SOLID, r)


@wrong()
def solid_of_linear_elements() -> Answer:
    r = sp.statics(arm("hex8", (10, 1, 1)))
    return Answer(float(r["rod"].at("tip").position[0][1]), SOLID, r)


@wrong()
def solid_of_linear_tetrahedra() -> Answer:
    r = sp.statics(arm("tet4", (20, 2, 2)))
    return Answer(float(r["rod"].at("tip").position[0][1]), SOLID, r)


@right()
def falling_cable() -> Answer:
    # A free cable that falls and turns keeps its centre of mass on a parabola
    m = sp.Model(gravity=(0, -9.81, 0))
    cable = m.add(sp.Cable("rod", 1.0, sp.Circle(0.01), SOFT, elements=6))
    m.add(sp.Free("flight", m.ground.at(0), cable.at(0), initial_rate=(0, 0, 0, 1.0, 0, 0)))
    r = sp.simulate(m, 0.5)
    return Answer(place(r, 1, 0.5), -0.5 * 9.81 * 0.25, r)


@wrong()
def swinging_strip_of_few_elements() -> Answer:
    m = sp.Model(gravity=(0, -9.81, 0))
    rubber = sp.Material(E=3e5, G=1.2e5, density=1000)
    rod = m.add(sp.ANCFBeam("rod", 1.0, sp.Rectangle(0.02, 0.02), rubber, elements=1))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0)))
    r = sp.simulate(m, 0.8, tolerance="loose")
    fine = m.copy()
    fine.replace("rod", elements=12)
    true = sp.simulate(fine, 0.8, tolerance="loose")
    return Answer(place(r, 1), place(true, 1), r)


@wrong()
def thick_plate() -> Answer:
    m = sp.Model()
    material = sp.Material(E=70e9, G=35e9, density=2700)
    sheet = m.add(sp.ANCFPlate("rod", (0.3, 0.1), 0.1, material, elements=(8, 2)))
    sides = sheet.coordinates[sheet.coordinates[:, 0] == 0, 1]
    for k, y in enumerate(sides):
        m.add(sp.Fixed(f"clamp {k}", m.ground.at(0, y), sheet.at(0, y)))
        m.add(sp.Force(f"load {k}", sheet.at(0.3, y), (0, 0, 100.0 / len(sides))))
    r = sp.statics(m)
    soft = 0.3**3 / (3 * 70e9 * 0.1**4 / 12) + 0.3 / (5 / 6 * 35e9 * 0.01)
    return Answer(float(r["rod"].at(0.3, 0.05).displacement[0][2]), 100 * soft, r)
