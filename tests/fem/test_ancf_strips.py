"""Statics of slender strips as gradient beams: every load that a strip can carry is balanced."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple.analyses.equilibrium.balance import AtRest
from supple.analyses.equilibrium.equilibrium import GrowingLoads, square_of_step
from supple.engine.pack.builder import build
from supple.fem.nodal.ancf_beam import BEAM_ELEMENTS
from supple.formulations.equations import Equations

pytestmark = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")


def strip(
    element: str, elements: int, slender: float, load: float, way, kind: str = "force"
) -> sp.Model:
    """A clamped strip 5:1 along x, 1 m; loads in units of the weaker E I / L^2."""
    section = sp.Rectangle(1.0 / slender, 5.0 / slender)  # I_z is the weaker: bends along y
    m = sp.Model(name="strip")
    material = sp.Material(E=70e9, G=70e9 / 2.6, density=2700)
    bending = material.E * section.I_z
    force = load * bending * np.asarray(way) / np.linalg.norm(way)
    if kind == "gravity":
        m = sp.Model(name="strip", gravity=force / (material.density * section.area))
    rod = m.add(sp.ANCFBeam("strip", 1.0, section, material, elements, element=element))
    m.add(sp.Fixed("clamp", m.ground.at(0), rod.at(0)))
    if kind == "force":
        m.add(sp.Force("tip", rod.at(1.0), force))
    return m


@pytest.mark.parametrize("elements", [1, 2, 8])
def test_little_loads_deflect_as_euler_and_bernoulli(elements):
    """F L^3 / 3 E I in both planes, q L^4 / 8 E I: cubics are exact at the nodes."""
    for way, stiff in (((0, 1, 0), 1.0), ((0, 0, 1), 25.0)):
        # what is left: the square of the slope (1e-7), and shears k G A at the nodes, (H/L)^2
        for kind, exact in (("force", 1 / 3), ("gravity", 1 / 8)):
            rest = sp.statics(strip("collocated", elements, 1000.0, 1e-3, way, kind))
            tip = rest["strip"].at(1.0).position[0] @ np.array(way)
            assert rest.stable
            assert tip == pytest.approx(1e-3 * exact / stiff, rel=2e-5)


CASES = [
    (2, 1392.0, 4.74, (-0.64, -0.42, 0.64), "gravity"),  # 400 steps and no equilibrium before
    (7, 1423.0, 3.1, (0.1, -0.41, -0.91), "force"),
    (4, 119.0, 4.5, (0, 1, 0), "force"),
    (2, 66.0, 1.5, (0, 1, 0), "force"),
    (8, 2000.0, 4.0, (0.2, 1.0, -0.4), "gravity"),
]


@pytest.mark.parametrize("element", BEAM_ELEMENTS)
@pytest.mark.parametrize(("elements", "slender", "load", "way", "kind"), CASES)
def test_strips_that_bend_far_are_in_balance(element, elements, slender, load, way, kind):
    """The residual is rounding, and the equilibrium stable."""
    rest = sp.statics(strip(element, elements, slender, load, way, kind))
    assert rest.stable, rest.message
    assert rest.iterations < 60
    found = rest.equilibrium
    # rounding of forces of E A that cancel: some 1e-16 of the largest stiffness for each term
    assert np.max(np.abs(found.load)) < 1e-13 * found.size


@pytest.mark.slow
@pytest.mark.parametrize(("elements", "slender", "load", "way", "kind"), CASES)
def test_strips_that_bend_far_are_where_load_steps_lead(elements, slender, load, way, kind):
    """The path of loads that grow in four steps is followed by another search."""
    m = strip("collocated", elements, slender, load, way, kind)
    path = sp.statics(m, steps=4)
    assert path.success
    assert path.end.equilibrium.q == pytest.approx(sp.statics(m).equilibrium.q, abs=1e-7)


@pytest.mark.slow
def test_a_strip_beyond_its_lateral_buckling_load_is_told():
    """Prandtl: 4.013 sqrt(E I G J) / L^2 across, in the stiff plane, at the end of a cantilever."""
    section = sp.Rectangle(1e-3, 5e-3)
    critical = 4.013 * np.sqrt(section.J / section.I_z / 2.6)
    for part, stable in ((0.9, True), (1.1, False)):
        rest = sp.statics(strip("collocated", 8, 1000.0, part * critical, (0, 0, 1)))
        assert rest.success
        assert rest.stable == stable == ("unstable along" not in rest.message)


def test_the_square_of_a_step_is_what_a_straight_step_adds():
    """Strains are quadratic: the tangent at the end of a step is that of the linear stress and it.

    Along a step d the stress changes by D (B d + 1/2 d Q d); halving d must quarter the latter.
    """
    c = build(strip("collocated", 2, 100.0, 1.0, (0, 1, 0)))
    rng = np.random.default_rng(4)
    step = 0.1 * rng.normal(size=c.nq)
    whole, half = (square_of_step(c, c.q0, c.q0 + part * step) for part in (1.0, 0.5))
    record = c.gradient["strip"]
    mesh = record.mesh

    def tangent(part: float) -> np.ndarray:
        e = (c.q0 + part * step)[record.q].reshape(mesh.rest.shape)
        return mesh.tangents(e)[0].toarray()

    assert half == pytest.approx(0.25 * whole, abs=1e-12 * np.abs(whole).max())
    # second difference of the tangent: twice the square's stress, and that of B, B^T D B
    form = mesh.square_stiffness(step[record.q].reshape(mesh.rest.shape)).toarray()
    material = tangent(1.0) - 2.0 * tangent(0.0) + tangent(-1.0)
    slopes = np.linalg.eigvalsh(material - 2.0 * form)
    assert slopes[0] > -1e-12 * slopes[-1]  # what is left are squares: 2 B(d)^T D B(d)


def test_the_load_grows_as_far_as_the_strip_is_stable():
    """Compression beyond Euler's load with nothing to the side: the path ends at it."""
    m = strip("collocated", 8, 1000.0, 1.2 * np.pi**2 / 4, (-1, 0, 0))
    equations = Equations(build(m))
    growing = GrowingLoads(AtRest(equations, 0.0))
    c = equations.compiled
    assert growing.run(c.q0, c.z0) is None
    assert growing.part == pytest.approx(1 / 1.2, rel=5e-3)  # 8 elements; the last step
