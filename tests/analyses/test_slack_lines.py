"""Cables and beams that are longer than the distance of what holds them, and how they hang."""

import warnings
from unittest import mock

import numpy as np
import pytest
from scipy.optimize import brentq

import supple as sp
from supple.analyses.equilibrium import balance
from supple.analyses.equilibrium.static_result import folded
from supple.loops.assembly import compile_model, curve

THREAD = sp.Material(E=1e10, G=4e9, density=1000)
SOFT = sp.Material(E=1e7, G=4e6, density=1000)
WIRE = sp.Material(E=1e9, G=4e8, density=1000)
SPAN = 0.8


HINGES = sp.Spherical, sp.Spherical


def hung(kind=sp.Cable, joints=HINGES, end=(SPAN, 0, 0), elements=16, **other):
    """A line of 1 m between two places of the ground; in ``other`` radius and material."""
    section, material = sp.Circle(other.get("radius", 0.02)), other.get("material", SOFT)
    m = sp.Model(gravity=(0, 0, -9.81))
    line = m.add(kind("line", 1.0, section, material, elements=elements))
    m.add(joints[0]("left", m.ground.at(0), line.at(0)))
    m.add(joints[1]("right", m.ground.at(*end), line.at(other.get("station", 1.0))))
    return m


@pytest.mark.parametrize("clamped", [False, True])
@pytest.mark.parametrize("part", [1e-3, 0.5, 0.999])
def test_a_curve_has_its_length_and_its_ends(clamped, part):
    x = np.linspace(0.0, 1.0, 401) ** 1.2
    phi, places = curve(x, part, clamped)
    assert np.allclose(places[0], 0.0, atol=1e-15)
    assert np.allclose(places[-1], [part, 0.0], atol=1e-12)
    steps = np.diff(places, axis=0)
    # a chord is shorter than its arc by kappa^2 ds^2/24, with kappa < 20
    assert np.allclose(np.linalg.norm(steps, axis=1), np.diff(x), rtol=20.0 * np.diff(x).max() ** 2)
    middle = 0.5 * (phi[1:] + phi[:-1])
    assert np.max(np.abs(np.sin(np.arctan2(steps[:, 1], steps[:, 0]) - middle))) < 1e-3
    assert np.all((np.abs(phi[[0, -1]]) < 1e-12) == clamped)


@pytest.mark.parametrize("elements", [64, pytest.param(512, marks=pytest.mark.slow)])
def test_a_thin_cable_hangs_as_a_catenary(elements):
    a = brentq(lambda a: 2.0 * a * np.sinh(0.5 * SPAN / a) - 1.0, 0.1, 2.0)
    model = hung(elements=elements, radius=5e-7, material=THREAD)
    rest = sp.statics(model)
    assert rest.success and not rest.monitor.findings
    weight = THREAD.density * model["line"].section.area * 9.81
    # bending E I/(w L^3) = E r^2/(4 rho g) = 6e-8, stretch w L/(E A) = 1e-6, elements 1/n^2 apart
    # from the ends, where the line is straight over sqrt(E I/H) = 3e-4 m
    bound = 1e-5
    assert abs(-rest["line"].at(0.5).position[0, 2] - a * (np.cosh(0.5 * SPAN / a) - 1.0)) < bound
    assert np.allclose(rest["left"].force[0], [-weight * a, 0.0, weight / 2], atol=bound * weight)


@pytest.mark.parametrize("end", [(0.0, 0.0, -0.8), (0.5, 0.3, 0.4), (0.0, 0.0, 0.0)])
def test_cables_in_any_direction_are_not_folded(end):
    start = compile_model(hung(end=end))
    record = start.gradient["line"]
    assert np.allclose(np.linalg.norm(start.q0[record.q].reshape(-1, 2, 3)[:, 1], axis=1), 1.0)
    rest = sp.statics(hung(end=end, elements=32, radius=2e-3, material=WIRE))
    assert rest.success and not rest.monitor.findings


JOINTS = {
    "hinges": (sp.Spherical, sp.Spherical),
    "clamps": (sp.Fixed, sp.Fixed),
    "clamp and hinge": (sp.Fixed, sp.Spherical),
    "hinge and clamp": (sp.Spherical, sp.Fixed),
}


@pytest.mark.parametrize("joints", JOINTS.values(), ids=JOINTS)
def test_beams_between_joints_begin_unstretched(joints):
    model = hung(sp.ANCFBeam, joints, elements=12)
    start = compile_model(model)
    vectors = start.q0[start.gradient["line"].q].reshape(-1, 4, 3)[:, 1:]
    assert np.allclose(vectors @ vectors.transpose(0, 2, 1), np.eye(3), atol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # elements turn by more than 0.3 rad
        rest = sp.statics(model)
    assert rest.success and rest.iterations < 30


def test_a_free_end_follows():
    model = hung(end=(0.5, 0, 0), station=0.75, elements=32, radius=2e-3, material=WIRE)
    start = compile_model(model)
    vectors = start.q0[start.gradient["line"].q].reshape(-1, 2, 3)
    steps = np.diff(vectors[:, 0], axis=0)
    # chords of arcs of 1/32 m are shorter by kappa^2 ds^2/24, with kappa = 4/m
    assert np.allclose(np.linalg.norm(steps, axis=1), 1 / 32, rtol=1e-3)
    assert np.allclose(steps[24:] * 32, vectors[24, 1], atol=1e-9)  # straight behind the hinge
    rest = sp.statics(model)
    assert rest.success and rest.stable


def test_a_column_below_its_buckling_load_stays_straight():
    part = 0.5 * np.pi**2 * 0.05**2 / 4  # half of Euler's strain of a round rod of radius 0.05 m
    start = compile_model(hung(end=(1.0 - part, 0, 0), radius=0.05))
    places = start.q0[start.gradient["line"].q].reshape(-1, 2, 3)[:, 0]
    assert np.all(np.abs(places[:, 1:]) < 1e-12)


def test_a_folded_element_is_no_equilibrium():
    model = hung(elements=8)
    with mock.patch("supple.loops.assembly.slackened", lambda compiled, t, q: q):
        start = compile_model(model)
    q = start.q0.copy()
    record = start.gradient["line"]
    vectors = q[record.q].reshape(-1, 2, 3)
    vectors[4:, 1] *= -1.0
    assert folded(start, q).startswith("Cable 'line': its element 3 is folded, it turns by 3.14 r")
    assert not folded(start, compile_model(model).q0)
    with (
        mock.patch(
            "supple.analyses.equilibrium.static_result.folded", lambda compiled, q: "it is folded"
        ),
        pytest.warns(sp.SuppleWarning, match="no equilibrium: it is folded"),
    ):
        assert not sp.statics(model).success


def test_a_search_of_whole_matrices_has_an_end():
    model = sp.Model(gravity=(0, -9.81, 0))
    arm = model.add(sp.RigidBody("arm", 1.0, com=(0.5, 0, 0), inertia=0.1))
    model.add(sp.Revolute("hinge", model.ground.at(0), arm.at(0)))
    model.add(sp.JointEffort("motor", "hinge", effort=50.0))  # ten times what the weight holds
    with (
        mock.patch.object(balance, "WORK", 0.0),
        pytest.warns(sp.SuppleWarning, match=r"no equilibrium found in \d\d steps.*follow='loads'"),
    ):
        found = sp.statics(model)
    assert not found.success and found.iterations <= balance.FEWEST_TRIES + 1


def test_a_straight_column_beyond_its_load_is_told_as_unstable():
    steel, h = sp.Material(E=210e9, G=80e9, density=7800), 5e-3
    model = sp.Model()
    column = model.add(sp.Beam("column", 1.0, sp.Rectangle(h, h), steel, parts=4))
    model.add(sp.Fixed("clamp", model.ground.at(0), column.at(0)))
    euler = np.pi**2 / 4 * steel.E * h**4 / 12
    model.add(sp.Force("tip", column.at(1.0), (-2.0 * euler, 0, 0)))
    rest = sp.statics(model)
    assert rest.success and not rest.stable and "unstable along" in rest.message
    assert rest.iterations < 10
