"""Beams in one frame and in parts: equilibria and runs."""

from __future__ import annotations

import numpy as np

import supple as sp
from truth.bodies import ALLOY, EI, MASS, STEEL, STRIP, bridge, cantilever, tip
from truth.table import Answer, right, wrong

# Large deflection of a cantilever by a force across it, F L^2/EI = 1, 2, 10: place of the tip along
# and across (Bisshopp and Drucker 1945; digits by elliptic integrals)
ELASTICA = {1.0: (0.94357, 0.30172), 2.0: (0.83936, 0.49346), 10.0: (0.44500, 0.81061)}
THIN = sp.Rectangle(1e-3, 0.02)
THIN_EI = ALLOY.E * 0.02 * 1e-9 / 12


def middle(result: sp.results.Result) -> float:
    """Place of the middle of a bridge across it, m."""
    return float(result["rod"].at(0.5).position[-1][1])


@right()
def slender_cantilever() -> Answer:
    r = sp.statics(cantilever())
    return Answer(tip(r), 1 / (3 * EI), r)


@right()
def cantilever_by_attachment_modes() -> Answer:
    r = sp.statics(cantilever(modes=sp.reduction.AttachmentModes(2)))
    return Answer(tip(r), 1 / (3 * EI), r)


@right()
def bridge_by_attachment_modes() -> Answer:
    r = sp.statics(bridge(modes=sp.reduction.AttachmentModes(2)))
    return Answer(middle(r), 10 / (48 * EI), r)


@right()
def bridge_by_all_modes() -> Answer:
    r = sp.statics(bridge())
    return Answer(middle(r), 10 / (48 * EI), r)


@wrong()
def bridge_by_two_clamped_modes() -> Answer:
    r = sp.statics(bridge(modes=2, elements=8))
    return Answer(middle(r), 10 / (48 * EI), r)


@wrong()
def one_mode_under_a_load_near_the_root() -> Answer:
    r = sp.statics(cantilever(at=0.25, modes=1))
    return Answer(tip(r, place=0.25), 0.25**3 / (3 * EI), r)


@wrong()
def twist_left_out_by_bending_modes() -> Answer:
    m = cantilever((0, 0, 0), modes=2)
    m.add(sp.Force("twist", m["rod"].at(1.0), torque=(1.0, 0, 0)))
    r = sp.statics(m)
    GJ = ALLOY.G * STRIP.J
    return Answer(float(r["rod"].at(1.0).rotation[0][0]), 1 / GJ, r)


@wrong()
def large_rotation_of_linear_shapes() -> Answer:
    r = sp.statics(cantilever((0, 2 * THIN_EI, 0), section=THIN))
    return Answer(float(r["rod"].at(1.0).position[0][1]), ELASTICA[2.0][1], r)


@wrong()
def large_rotation_by_one_part() -> Answer:
    r = sp.statics(cantilever((0, 10 * THIN_EI, 0), section=THIN, parts=1, stiffening="none"))
    return Answer(float(r["rod"].at(1.0).position[0][1]), ELASTICA[10.0][1], r)


@right()
def large_rotation_by_eight_parts() -> Answer:
    r = sp.statics(cantilever((0, 2 * THIN_EI, 0), section=THIN, parts=8))
    return Answer(float(r["rod"].at(1.0).position[0][1]), ELASTICA[2.0][1], r)


@right()
def roll_up_by_sixteen_parts() -> Answer:
    m = cantilever((0, 0, 0), section=THIN, parts=16)
    m.add(sp.Force("moment", m["rod"].at(1.0), torque=(0, 0, np.pi * THIN_EI)))
    r = sp.statics(m)
    return Answer(float(r["rod"].at(1.0).position[0][1]), 2 / np.pi, r)


@wrong()
def stubby_beam_without_shear() -> Answer:
    m = cantilever((0, 1e4, 0), length=0.2, section=sp.Rectangle(0.1, 0.05))
    r = sp.statics(m)
    bending = 0.2**3 / (3 * ALLOY.E * 0.05 * 0.1**3 / 12)
    shear = 0.2 / (5 / 6 * ALLOY.G * 0.005)
    return Answer(tip(r, place=0.2), 1e4 * (bending + shear), r)


@right()
def stubby_beam_with_shear() -> Answer:
    section = sp.Rectangle(0.1, 0.05)
    r = sp.statics(cantilever((0, 1e4, 0), length=0.2, section=section, theory="timoshenko"))
    kappa = section.shear_coefficients(ALLOY.E / (2 * ALLOY.G) - 1)[0]
    bending = 0.2**3 / (3 * ALLOY.E * 0.05 * 0.1**3 / 12)
    return Answer(tip(r, place=0.2), 1e4 * (bending + 0.2 / (kappa * ALLOY.G * 0.005)), r)


@wrong()
def short_bridge_without_shear() -> Answer:
    deep = sp.Rectangle(0.2, 0.05)
    r = sp.statics(bridge(1e4, section=deep))
    bending = 1 / (48 * ALLOY.E * 0.05 * 0.2**3 / 12)
    return Answer(middle(r), 1e4 * (bending + 1 / (4 * 5 / 6 * ALLOY.G * 0.01)), r)


@wrong()
def strain_of_a_section_without_sizes() -> Answer:
    rubber = sp.Material(E=1e9, G=4e8, density=1000)
    section = sp.Section(1e-4, 1e-9, 1e-9, 1e-9)
    r = sp.statics(cantilever((2.5e4, 0, 0), section=section, material=rubber))
    # Stretch of a rod of Saint-Venant and Kirchhoff: F = E A s (s^2 - 1)/2, s = 1 + e
    e = float(np.real(np.roots([0.5, 1.5, 1.0, -0.25])[-1]))
    return Answer(tip(r, 0), e, r)


@right()
def small_strain_of_a_section_without_sizes() -> Answer:
    section = sp.Section(1e-4, 1e-9, 1e-9, 1e-9)
    r = sp.statics(cantilever((700.0, 0, 0), section=section))
    return Answer(tip(r, 0), 1e-4, r)


@wrong()
def column_near_its_buckling_load() -> Answer:
    euler = np.pi**2 / 4 * EI
    p = 0.5 * euler
    r = sp.statics(cantilever((-p, 1.0, 0)))
    k = np.sqrt(p / EI)
    return Answer(tip(r), (np.tan(k) / k - 1) / p, r)


@right()
def column_of_second_order() -> Answer:
    euler = np.pi**2 / 4 * EI
    p = 0.5 * euler
    r = sp.statics(cantilever((-p, 0.05, 0), stiffening="second_order", elements=8))
    k = np.sqrt(p / EI)
    return Answer(tip(r), 0.05 * (np.tan(k) / k - 1) / p, r)


@wrong()
def straight_column_beyond_its_buckling_load() -> Answer:
    p = 2 * np.pi**2 / 4 * THIN_EI
    r = sp.statics(cantilever((-p, 0, 0), section=THIN, parts=8))
    # Elastica: K(k) = pi/2 sqrt(P/P_E), k = 0.88520, and x/L = 2 E(k)/K(k) - 1
    return Answer(float(r["rod"].at(1.0).position[0][0]), 0.070862, r)


@wrong()
def deep_strip_that_turns_aside() -> Answer:
    m = cantilever((0, 2000.0, 1e-3), length=2.0, section=sp.Rectangle(0.1, 0.01), elements=8)
    r = sp.statics(m)
    I, GJ = 0.1 * 0.01**3 / 12, ALLOY.G * sp.Rectangle(0.1, 0.01).J
    critical = 4.013 * np.sqrt(ALLOY.E * I * GJ) / 4
    return Answer(critical, 2000.0, r)  # it carries this much at most, not 2000 N


@wrong()
def blade_without_stiffening() -> Answer:
    m = sp.Model()
    thin = sp.Rectangle(0.05, 0.01)
    blade = m.add(sp.Beam("rod", 2.0, thin, ALLOY, modes=sp.reduction.AttachmentModes(4)))
    m.add(sp.Revolute("hub", m.ground.at(0), blade.at(0)))
    m.add(sp.Driver("motor", "hub", "20*t"))
    m.add(sp.Force("lift", blade.at(2.0), (0, 0, 1.0)))
    r = sp.statics(m, spin={"hub": 20.0})
    stiff = m.copy()
    stiff.replace("rod", stiffening="second_order", modes=sp.reduction.AttachmentModes(8))
    true = sp.statics(stiff, spin={"hub": 20.0})
    return Answer(tip(r, 2, place=2.0), tip(true, 2, place=2.0), r)


@right()
def blade_with_stiffening() -> Answer:
    m = sp.Model()
    thin = sp.Rectangle(0.05, 0.01)
    blade = m.add(sp.Beam("rod", 2.0, thin, ALLOY, elements=8, stiffening="second_order"))
    m.add(sp.Revolute("hub", m.ground.at(0), blade.at(0)))
    m.add(sp.Driver("motor", "hub", "20*t"))
    m.add(sp.Force("lift", blade.at(2.0), (0, 0, 1.0)))
    r = sp.statics(m, spin={"hub": 20.0})
    # A rotating cantilever by a series of Legendre polynomials' integrals, solved as a boundary
    # value problem: E I w'''' - (T w')' = 0 with T = m W^2 (L^2 - x^2)/2
    return Answer(tip(r, 2, place=2.0), _lifted(20.0), r)


def _lifted(speed: float) -> float:
    from scipy.integrate import solve_bvp

    L, mass, stiffness = 2.0, ALLOY.density * 5e-4, ALLOY.E * 0.05 * 0.01**3 / 12

    def slopes(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        tension = mass * speed**2 * (L**2 - x**2) / 2
        return np.array(
            [y[1], y[2] / stiffness, y[3], -mass * speed**2 * x * y[1] + tension * y[2] / stiffness]
        )

    def ends(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return np.array([a[0], a[1], b[2], b[3] + 1.0])

    x = np.linspace(0, L, 41)
    found = solve_bvp(slopes, ends, x, np.zeros((4, 41)), tol=1e-8, max_nodes=20000)
    return float(found.sol(L)[0])


@wrong()
def impact_on_one_mode() -> Answer:
    m = cantilever((0, 0, 0), modes=1, elements=16)
    m.add(sp.Force("knock", m["rod"].at(0.3), (0, sp.Sine(10.0, frequency=60.0), 0)))
    r = sp.simulate(m, 0.2, output=400)
    full = m.copy()
    full.replace("rod", modes=8)
    true = sp.simulate(full, 0.2, output=400)
    a, b = (np.abs(x["rod"].at(0.3).deflection[:, 1]).max() for x in (r, true))
    return Answer(float(a), float(b), r)


@right()
def step_load_on_a_damped_cantilever() -> Answer:
    m = cantilever((0, 1.0, 0), elements=8, modes=6, damping=sp.ModalDamping(0.5))
    r = sp.simulate(m, 3.0)
    return Answer(tip(r), 1 / (3 * EI), r)


@right()
def heavy_pendulum_of_a_stiff_beam() -> Answer:
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = m.add(sp.Beam("rod", 1.0, STRIP, STEEL, modes=4))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), initial=-np.pi / 2 + 0.1))
    low = sp.Event("low", "pin", value=-np.pi / 2, direction=-1, terminal=False)
    r = sp.simulate(m, 5.0, events=low)
    crossings = [e.t for e in r.events]
    period = float(np.mean(np.diff(crossings)))
    exact = 2 * np.pi * np.sqrt(2 / 3 / 9.81) * (1 + 0.1**2 / 16)
    return Answer(period, exact, r)


@wrong()
def resonance_of_a_mode_left_out() -> Answer:
    # Driven at the second frequency with one mode only
    m = cantilever((0, 0, 0), modes=1, elements=8, damping=sp.ModalDamping(0.02))
    second = 22.03449156 * np.sqrt(EI / MASS)
    m.add(sp.Force("shake", m["rod"].at(1.0), (0, sp.Sine(1.0, frequency=second / 2 / np.pi), 0)))
    r = sp.simulate(m, 1.0, output=4000)
    full = m.copy()
    full.replace("rod", modes=6)
    true = sp.simulate(full, 1.0, output=4000)
    a, b = (np.abs(x["rod"].at(1.0).deflection[3000:, 1]).max() for x in (r, true))
    return Answer(float(a), float(b), r)


@wrong(slow=True)
def leaf_of_one_part_at_a_stroke() -> Answer:
    found = sp.stiffness(_guide(1), _stage(), over="stroke.y", values=[0.0, 5e-3])
    true = sp.stiffness(_guide(16), _stage(), over="stroke.y", values=[0.0, 5e-3])
    return Answer(float(found.along("x")[-1]), float(true.along("x")[-1]), found)


@right()
def leaf_of_eight_parts_at_rest() -> Answer:
    found = sp.stiffness(_guide(8), _stage(), over="stroke.y", values=[0.0])
    return Answer(float(found.along("x")[0]), 2 * STEEL.E * 1e-5 / 0.1, found)


def _guide(parts: int) -> sp.Model:
    m = sp.Model(name="leaf-spring guide")
    stage = m.add(sp.RigidBody("stage", 0.5, inertia=1e-3))
    for side, y in (("left", -0.15), ("right", 0.15)):
        leaf = sp.Rectangle(0.5e-3, 20e-3)
        twist = sp.reduction.SecondOrder(twist=True)
        spring = m.add(sp.Beam(side, 0.1, leaf, STEEL, parts=parts, stiffening=twist))
        m.add(sp.Fixed(f"{side} foot", m.ground.at(0, y, 0), spring.at(0)))
        m.add(sp.Fixed(f"{side} end", spring.at(0.1), stage.at(0, y, 0)))
    m.add(sp.FrameDriver("stroke", m.ground.at(0), stage.at(0), y=0.0))
    return m


def _stage() -> sp.Frame:
    return _guide(1)["stage"].at(0)


def twisted(section: sp.Section | sp.ISection | sp.Tube, **fields: object) -> Answer:
    """A steel beam of 1 m under a torque of 100 N m; Vlasov's twist of an I that is clamped."""
    m = cantilever((0, 0, 0), section=section, material=STEEL, **fields)
    m.add(sp.Force("torque", m["rod"].at(1.0), torque=(100.0, 0, 0)))
    r = sp.statics(m)
    exact = 100.0 / (STEEL.G * section.J)
    if isinstance(section, sp.ISection):
        flange = section.flange * section.size_z**3 / 12
        warping = flange * (section.size_y - section.flange) ** 2 / 2
        k = np.sqrt(STEEL.G * section.J / (STEEL.E * warping))
        exact *= 1 - np.tanh(k) / k
    return Answer(float(r["rod"].at(1.0).rotation[0][0]), exact, r)


@wrong()
def clamped_i_beam_that_cannot_warp() -> Answer:
    return twisted(sp.ISection(0.2, 0.2, 0.009, 0.015))


@wrong()
def clamped_i_beam_in_parts() -> Answer:
    return twisted(sp.ISection(0.2, 0.2, 0.009, 0.015), parts=2)


@right()
def twisted_tube() -> Answer:
    return twisted(sp.Tube(0.1, 0.005))


@right()
def bent_i_beam() -> Answer:
    section = sp.ISection(0.1, 0.05, 0.005, 0.006)
    r = sp.statics(cantilever((0, 100.0, 0), length=4.0, section=section, material=STEEL))
    return Answer(tip(r, place=4.0), 100 * 64 / (3 * STEEL.E * section.I_z), r)
