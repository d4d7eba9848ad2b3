"""Linear models: frequencies, stiffness, buckling, modes over a speed."""

from __future__ import annotations

import numpy as np

import supple as sp
from truth.bodies import (
    ALLOY,
    CLAMPED,
    EI,
    FREE,
    STEEL,
    STRIP,
    bridge,
    cantilever,
    frequency,
)
from truth.table import Answer, right, wrong


def bending(linear: sp.results.LinearModel, number: int = 0) -> float:
    """Frequency of a bending mode in the plane x y, Hz."""
    moving = [
        m
        for m in linear.modes
        if abs(m.at(_end(linear)).translation[1])
        > 1e-3 * max(abs(m.at(_end(linear)).translation[2]), 1e-30)
    ]
    return sorted(m.damped_frequency for m in moving)[number]


def _end(linear: sp.results.LinearModel) -> sp.Frame:
    return linear.model["rod"].at(1.0)


@right()
def cantilever_of_eight_elements() -> Answer:
    found = sp.linearize(cantilever((0, 0, 0), elements=8))
    return Answer(float(found.frequencies[0]), frequency(CLAMPED[0]), found)


@wrong()
def second_frequency_of_one_element() -> Answer:
    found = sp.linearize(cantilever((0, 0, 0), elements=1))
    return Answer(float(np.sort(found.frequencies)[2]), frequency(CLAMPED[1]), found)


@wrong()
def bridge_of_clamped_modes() -> Answer:
    found = sp.linearize(bridge(0.0, modes=2, elements=8))
    return Answer(float(found.frequencies[0]), frequency(np.pi**2), found)


@right()
def bridge_of_attachment_modes() -> Answer:
    found = sp.linearize(bridge(0.0, modes=sp.reduction.AttachmentModes(2), elements=8))
    return Answer(float(found.frequencies[0]), frequency(np.pi**2), found)


@wrong()
def stubby_beam_frequency() -> Answer:
    section = sp.Rectangle(0.1, 0.05)
    field = {"length": 0.3, "section": section, "elements": 8}
    found = sp.linearize(cantilever((0, 0, 0), **field))
    true = sp.linearize(cantilever((0, 0, 0), theory="timoshenko", **field))
    # the second in the stiff plane: Timoshenko's own frequencies of the same mesh
    return Answer(float(found.frequencies[3]), float(true.frequencies[3]), found)


@wrong()
def lumped_by_few_parts() -> Answer:
    # Two parts with their mass at the ends: the second frequency of a cantilever
    found = sp.linearize(cantilever((0, 0, 0), parts=1))
    return Answer(float(np.sort(found.frequencies)[2]), frequency(CLAMPED[1]), found)


@right()
def cantilever_in_parts() -> Answer:
    found = sp.linearize(cantilever((0, 0, 0), parts=8))
    return Answer(float(found.frequencies[0]), frequency(CLAMPED[0]), found)


@wrong()
def loaded_column_without_stiffening() -> Answer:
    p = 0.5 * np.pi**2 / 4 * EI
    found = sp.linearize(cantilever((-p, 0, 0), elements=8))
    # Rayleigh's quotient of the loaded column, to 1 %: w^2 = w0^2 (1 - P/P_E) nearly
    return Answer(float(found.frequencies[0]), frequency(CLAMPED[0]) * np.sqrt(0.5), found)


@right()
def loaded_column_with_stiffening() -> Answer:
    p = 0.5 * np.pi**2 / 4 * EI
    found = sp.linearize(cantilever((-p, 0, 0), elements=8, stiffening="second_order"))
    return Answer(float(found.frequencies[0]), frequency(_pressed(0.5)), found)


def _pressed(part: float) -> float:
    """Square of the wave number of a cantilever under a part of its Euler load (determinant)."""
    from scipy.optimize import brentq

    p = part * np.pi**2 / 4

    def determinant(w2: float) -> float:
        a = np.sqrt(-p / 2 + np.sqrt(p**2 / 4 + w2))
        b = np.sqrt(p / 2 + np.sqrt(p**2 / 4 + w2))
        ca, sa, cb, sb = np.cosh(a), np.sinh(a), np.cos(b), np.sin(b)
        # w = cosh ax - cos bx + C (sinh ax / a - sin bx / b); w'' = 0, w''' + p w' = 0 at the end
        rows = np.array(
            [
                [a**2 * ca + b**2 * cb, a * sa + b * sb],
                [
                    a**3 * sa - b**3 * sb + p * (a * sa + b * sb),
                    a**2 * ca + b**2 * cb + p * (ca - cb),
                ],
            ]
        )
        return float(np.linalg.det(rows))

    return float(np.sqrt(brentq(determinant, 0.1, 12.0)))


@wrong()
def stiffness_by_two_modes() -> Answer:
    m = cantilever((0, 0, 0), modes=2, elements=8)
    found = sp.stiffness(m, m["rod"].at(0.25), ["y"])
    return Answer(float(found.along("y")[0]), 3 * EI / 0.25**3, found)


@right()
def stiffness_by_all_modes() -> Answer:
    m = cantilever((0, 0, 0), elements=8)
    found = sp.stiffness(m, m["rod"].at(0.25), ["y"])
    return Answer(float(found.along("y")[0]), 3 * EI / 0.25**3, found)


@right()
def stiffness_of_the_end_by_many_modes() -> Answer:
    m = cantilever((0, 0, 0), elements=16, modes=sp.reduction.AttachmentModes(4))
    found = sp.stiffness(m, m["rod"].at(1.0), ["y", "z"])
    return Answer(float(found.along("y")[0]), 3 * EI, found)


@wrong()
def stiffness_of_a_stubby_beam() -> Answer:
    m = cantilever((0, 0, 0), length=0.2, section=sp.Rectangle(0.1, 0.05))
    found = sp.stiffness(m, m["rod"].at(0.2), ["y"])
    soft = 0.2**3 / (3 * ALLOY.E * 0.05 * 0.1**3 / 12) + 0.2 / (5 / 6 * ALLOY.G * 0.005)
    return Answer(float(found.along("y")[0]), 1 / soft, found)


EULER = np.pi**2 / 4 * EI


@right()
def euler_column() -> Answer:
    m = cantilever((-1.0, 0, 0), elements=8, stiffening="second_order")
    found = sp.buckling(m)
    return Answer(float(found.factors[0]), EULER, found)


@right()
def euler_column_in_parts() -> Answer:
    found = sp.buckling(cantilever((-1.0, 0, 0), parts=8))
    return Answer(float(found.factors[0]), EULER, found)


@wrong()
def euler_column_without_stiffening() -> Answer:
    found = sp.buckling(cantilever((-1.0, 0, 0), elements=8))
    return Answer(float(found.factors[0]), EULER, found)


@wrong()
def euler_column_of_von_karman() -> Answer:
    found = sp.buckling(cantilever((-1.0, 0, 0), modes=4, stiffening="von_karman"))
    return Answer(float(found.factors[0]), EULER, found)


@wrong()
def clamped_column_by_one_element() -> Answer:
    m = cantilever((-1.0, 0, 0), elements=1, stiffening="second_order")
    m.add(sp.PointOnLine("guide", m.ground.at(0), m["rod"].at(1.0), axis="x"))
    found = sp.buckling(m)
    return Answer(float(found.factors[0]), 20.1907 * EI, found)  # tan x = x


@wrong()
def column_by_one_wrong_mode() -> Answer:
    m = cantilever((-1.0, 0, 0), elements=8, modes=[2, 4], stiffening="second_order")
    found = sp.buckling(m)
    return Answer(float(found.factors[0]), EULER, found)


@wrong()
def strip_that_cannot_turn_aside() -> Answer:
    m = cantilever(
        (0, 1.0, 0),
        length=2.0,
        section=sp.Rectangle(0.1, 0.01),
        elements=8,
        stiffening="second_order",
    )
    found = sp.buckling(m)
    I, J = 0.1 * 0.01**3 / 12, sp.Rectangle(0.1, 0.01).J
    return Answer(float(found.factors[0]), 4.013 * np.sqrt(ALLOY.E * I * ALLOY.G * J) / 4, found)


def _blade(**fields: object) -> sp.Model:
    m = sp.Model(name="blade")
    blade = m.add(sp.Beam("rod", 2.0, sp.Rectangle(0.04, 0.01), ALLOY, **fields))
    m.add(sp.Revolute("turn", m.ground.at(0), blade.at(0)))
    m.add(sp.Driver("motor", "turn", 0.0))
    return m


# Flap of a rotating uniform blade without hub, speed over sqrt(EI/m L^4) = 4: coefficient 5.5850
# (Wright, Smith, Thresher, Wang 1982, table 1)
UNIT = np.sqrt(ALLOY.E * 0.04 * 0.01**3 / 12 / (ALLOY.density * 4e-4)) / 4


@right()
def flap_of_a_stiffened_blade() -> Answer:
    found = sp.campbell(
        _blade(elements=8, modes=8, stiffening="second_order"), "turn", [0, 4 * UNIT], count=2
    )
    return Answer(
        float(found.track("first flap").frequencies[-1]), 5.5850 * UNIT / 2 / np.pi, found
    )


@wrong()
def flap_of_a_blade_without_stiffening() -> Answer:
    found = sp.campbell(_blade(elements=8, modes=8), "turn", [0, 4 * UNIT], count=2)
    return Answer(
        float(found.track("first flap").frequencies[-1]), 5.5850 * UNIT / 2 / np.pi, found
    )


@wrong()
def flap_of_a_blade_of_one_element() -> Answer:
    found = sp.campbell(
        _blade(elements=1, stiffening="second_order"), "turn", [0, 4 * UNIT], count=4
    )
    flaps = [t for t in found.tracks if "second flap" in t.name]
    # Second flap at the same speed: 24.273 (the same table)
    return Answer(float(flaps[0].frequencies[-1]), 24.273 * UNIT / 2 / np.pi, found)


@right()
def critical_speed_of_a_rigid_rotor() -> Answer:
    m = sp.Model(name="rotor")
    shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=(1.0, 1.0, 1.0)))
    disc = m.add(sp.RigidBody("disc", 1.0, inertia=(1e-3, 1e-3, 1e-3)))
    m.add(sp.Revolute("turn", m.ground.at(0), shaft.at(0), axis="z"))
    m.add(sp.Planar("bend", shaft.at(0), disc.at(0)))
    for k in (0, 1):
        m.add(sp.JointSpring(f"shaft{k}", "bend", 1e4, damping=2.0, coordinate=k))
    m.add(sp.JointSpring("twist", "bend", 1e3, damping=1.0, coordinate="angle"))
    m.add(sp.CartesianSpring("air", m.ground.at(0), disc.at(0), damping=1.0))
    m.add(sp.Driver("motor", "turn", 0.0))
    found = sp.stability(m, "turn", [0, 50, 100, 200])
    return Answer(float(found.limit or 0.0), 150.0, found)


@wrong()
def damping_of_a_beam_with_a_welded_tool() -> Answer:
    m = cantilever((0, 0, 0), modes=4, section=sp.Tube(0.06, 0.003), damping=sp.ModalDamping(0.01))
    tool = m.add(sp.RigidBody("tool", 5.0, inertia=0.01))
    m.add(sp.Fixed("flange", m["rod"].at(1.0), tool.at(0)))
    found = sp.linearize(m)
    return Answer(float(found.modes[0].damping), 0.01, found)


@right()
def damping_of_a_beam_alone() -> Answer:
    m = cantilever((0, 0, 0), modes=4, damping=sp.ModalDamping(0.01))
    found = sp.linearize(m)
    return Answer(float(found.modes[0].damping), 0.01, found)


@right()
def two_springs_in_a_row() -> Answer:
    m = sp.Model()
    for k, before in ((1, m.ground.at(0)), (2, None)):
        block = m.add(sp.RigidBody(f"block{k}", 2.0, inertia=1.0))
        start = before or m["block1"].at(0)
        m.add(sp.Prismatic(f"slide{k}", start, block.at(0), axis="x"))
        m.add(sp.JointSpring(f"spring{k}", f"slide{k}", stiffness=800.0))
    found = sp.linearize(m)
    return Answer(float(found.frequencies[0]), 20.0 * (np.sqrt(5) - 1) / 2 / (2 * np.pi), found)


@right()
def portal_frame() -> Answer:
    tube = sp.Rectangle(0.01, 0.01)
    corners = {"left": (0, 0, 0), "top left": (0, 1, 0), "top right": (1, 1, 0), "right": (1, 0, 0)}
    pairs = (("left", "top left"), ("top left", "top right"), ("top right", "right"))
    members = [sp.Member(*pair, tube, STEEL, elements=4) for pair in pairs]
    m = sp.Model()
    frame = m.add(sp.FrameStructure("portal", corners, members))
    m.add(sp.Fixed("foot", m.ground.at(0), frame.at("left")))
    m.add(sp.Fixed("other foot", m.ground.at(1), frame.at("right")))
    m.add(sp.Force("push", frame.at("top left"), (10.0, 0, 0)))
    r = sp.statics(m)
    # Sway of a square portal of equal members with clamped feet: 5/84 F h^3/EI (stretch left out)
    stiffness = STEEL.E * tube.area * 0.01**2 / 12
    return Answer(float(r["portal"].at("top left").deflection[0][0]), 5 / 84 * 10.0 / stiffness, r)


@wrong()
def portal_frame_by_two_modes() -> Answer:
    tube = sp.Rectangle(0.01, 0.01)
    corners = {"left": (0, 0, 0), "top left": (0, 1, 0), "top right": (1, 1, 0), "right": (1, 0, 0)}
    pairs = (("left", "top left"), ("top left", "top right"), ("top right", "right"))
    members = [sp.Member(*pair, tube, STEEL, elements=4) for pair in pairs]
    m = sp.Model()
    frame = m.add(sp.FrameStructure("portal", corners, members, modes=3))
    m.add(sp.Fixed("foot", m.ground.at(0), frame.at("left")))
    m.add(sp.Fixed("other foot", m.ground.at(1), frame.at("right")))
    m.add(sp.Force("push", frame.at("top left"), (10.0, 0, 0)))
    r = sp.statics(m)
    stiffness = STEEL.E * tube.area * 0.01**2 / 12
    return Answer(float(r["portal"].at("top left").deflection[0][0]), 5 / 84 * 10.0 / stiffness, r)


def nodal_strip(**fields: object) -> sp.Model:
    """A strip of 1 m over nodal vectors that nothing holds."""
    m = sp.Model(gravity=(0, 0, 0))
    m.add(sp.ANCFBeam("rod", 1.0, STRIP, ALLOY, **fields))
    return m


def nodal_cantilever(**fields: object) -> sp.Model:
    """The same, clamped at its origin."""
    m = nodal_strip(**fields)
    m.add(sp.Fixed("root", m.ground.at(0), m["rod"].at(0)))
    return m


@wrong()
def second_frequency_of_one_nodal_element() -> Answer:
    found = sp.linearize(nodal_cantilever(elements=1))
    seconds = found.frequencies[found.frequencies > 1.2 * frequency(CLAMPED[0])]
    # the lowest one in the stiff plane is between
    return Answer(float(seconds[1]), frequency(CLAMPED[1]), found)


@wrong()
def free_strip_of_one_nodal_element() -> Answer:
    m = nodal_strip(elements=1)
    m.add(sp.Free("flight", m.ground.at(0), m["rod"].at(0)))
    found = sp.linearize(m)
    return Answer(float(found.frequencies[0]), frequency(FREE[0]), found)


@right()
def free_strip_of_six_nodal_elements() -> Answer:
    m = nodal_strip(elements=6)
    m.add(sp.Free("flight", m.ground.at(0), m["rod"].at(0)))
    found = sp.linearize(m)
    return Answer(float(found.frequencies[0]), frequency(FREE[0]), found)


@right()
def cantilever_of_four_nodal_elements() -> Answer:
    found = sp.linearize(nodal_cantilever(elements=4))
    return Answer(float(found.frequencies[0]), frequency(CLAMPED[0]), found)


@wrong()
def clamped_strip_of_one_nodal_element() -> Answer:
    # One element that is held at both ends does not bend at all
    m = nodal_cantilever(elements=1)
    m.add(sp.Fixed("end", m.ground.at(1), m["rod"].at(1.0)))
    found = sp.linearize(m)
    return Answer(float(found.frequencies[0]), frequency(FREE[0]), found)


@wrong()
def frequency_of_a_continuum() -> Answer:
    found = sp.linearize(nodal_cantilever(elements=8, element="continuum"))
    return Answer(float(found.frequencies[0]), frequency(CLAMPED[0]), found)


def _rope(elements: int) -> sp.results.LinearModel:
    """Small motion of a limp rope of 1 m that hangs on a pin."""
    m = sp.Model(gravity=(9.81, 0, 0))
    section = sp.Section(1e-4, 1e-14, 1e-14, 2e-14, half_sizes=(1e-3, 1e-3))
    rope = m.add(sp.Cable("rod", 1.0, section, ALLOY, elements=elements))
    m.add(sp.Spherical("pin", m.ground.at(0), rope.at(0)))
    return sp.linearize(m)


BESSEL = 2.404825558, 5.520078110  # zeros of J0: Bernoulli's hanging chain


@right()
def rope_that_hangs() -> Answer:
    found = _rope(8)
    return Answer(float(found.frequencies[0]), BESSEL[0] / 2 * np.sqrt(9.81) / 2 / np.pi, found)


@wrong()
def rope_that_hangs_of_one_element() -> Answer:
    found = _rope(1)
    return Answer(float(found.frequencies[2]), BESSEL[1] / 2 * np.sqrt(9.81) / 2 / np.pi, found)


def _sheet(elements: int) -> sp.results.LinearModel:
    """Small motion of a square plate of 1 m on hinges all around."""
    m = sp.Model(gravity=(0, 0, 0))
    sheet = m.add(sp.ANCFPlate("rod", (1, 1), 0.01, STEEL, elements=(elements, elements)))
    x, y, _ = sheet.coordinates.T
    edge = (x == 0) | (x == 1) | (y == 0) | (y == 1)
    for k, (a, b, _) in enumerate(sheet.coordinates[edge]):
        m.add(sp.Spherical(f"edge {k}", m.ground.at(a, b), sheet.at(a, b)))
    return sp.linearize(m)


@wrong()
def plate_of_few_nodal_elements() -> Answer:
    found = _sheet(2)
    stiffness = STEEL.E * 1e-6 / 12 / (1 - 0.3**2)
    exact = np.pi * np.sqrt(stiffness / (STEEL.density * 0.01))
    return Answer(float(found.frequencies[0]), exact, found)
