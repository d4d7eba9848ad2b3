"""Tilting sections: spinning shafts and blades with rotary inertia, against exact frequencies.

A section that tilts by t takes its points by t x (t x r)/2 nearer to the axis; at a spin this is
as large as the rotary inertia itself.
"""

from __future__ import annotations

import dataclasses
import warnings

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import supple as sp
from models.second_order_bodies import BEAMS, PLACES, beam, l_frame, tangents
from supple.fem.solids.solid import block
from supple.reduction.second_order.slaved import Tilt

RADIUS = 0.05
STEEL = sp.Material(E=2.1e11, G=2.1e11 / 2.6, density=7800.0)
AREA, MOMENT = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4.0
FIRST = np.pi**2 * np.sqrt(STEEL.E * MOMENT / (STEEL.density * AREA))


def whirl(speed: float, modes: int) -> np.ndarray:
    """Frequencies (rad/s) of a Rayleigh shaft of unit length on pins, seen from its own axes.

    (A + I k^2) w^2 - 2 I k^2 speed w - (E/rho) I k^4 = 0, w forward if it is positive.
    """
    k = np.pi * np.arange(1, modes + 1)
    a, b = AREA + MOMENT * k**2, MOMENT * k**2 * speed
    root = np.sqrt(b**2 + a * STEEL.E / STEEL.density * MOMENT * k**4)
    return np.sort(np.abs(np.concatenate([(b + root) / a, (b - root) / a]) - speed))


def shaft(kind: str, stiffening: str = "second_order", modes: int = 3) -> tuple:
    """A shaft of unit length along x, and its ends."""
    circle = sp.Circle(2 * RADIUS)
    if kind == "frame":
        members = [sp.Member(0, 1, circle, STEEL, 8)]
        body = sp.FrameStructure(
            "shaft",
            [(0, 0, 0), (1, 0, 0)],
            members,
            modes="all",
            stiffening=stiffening,
            reference="mean_axis",
        )
        return body, body.at(node=0), body.at(node=1)
    choice = (
        {"modes": sp.reduction.SineShapes(modes)}
        if kind == "sines"
        else {"modes": "all", "elements": 8}
    )
    body = sp.Beam("shaft", 1.0, circle, STEEL, reference="chord", stiffening=stiffening, **choice)
    return body, body.at(0), body.at(1.0)


def spinning(speed: float, kind: str, stiffening: str = "second_order") -> np.ndarray:
    """Frequencies (rad/s) of a shaft on pins that spins, in its own axes."""
    model = sp.Model(gravity=(0, 0, 0))
    body, left, right = shaft(kind, stiffening)
    model.add(body)
    model.add(sp.Spherical("left", model.ground.at(0), left, initial_rate=(speed, 0, 0)))
    model.add(sp.PointOnLine("right", model.ground.at(0), right, axis="x"))
    values = np.array([mode.eigenvalue for mode in sp.linearize(model, "initial").modes])
    assert np.abs(values.real).max() < 1e-3 * FIRST
    return np.sort(values.imag[values.imag > 1e-3 * FIRST])


@pytest.mark.parametrize("share", [0.5, 1.6])
def test_whirl_of_a_shaft_on_pins(share):
    """Sines are the modes: forward and backward whirl of the first three to rounding."""
    speed = share * FIRST
    np.testing.assert_allclose(spinning(speed, "sines"), whirl(speed, 3), rtol=1e-8)
    linear = spinning(speed, "sines", "none")
    assert np.abs(linear / whirl(speed, 3) - 1.0).max() > 1e-3


@pytest.mark.parametrize("kind", ["beam", "frame"])
def test_whirl_by_finite_elements(kind):
    """The first two of eight elements: cubics err by (k h)^4/1440, 3e-4 of the second frequency."""
    speed = 1.6 * FIRST
    exact, found = whirl(speed, 2), spinning(speed, kind)
    for value in exact:
        nearest = found[np.argmin(np.abs(found - value))]
        assert nearest == pytest.approx(value, abs=4e-4 * (value + speed))


@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 1.6])
@pytest.mark.parametrize("kind", ["sines", "beam"])
def test_errors_of_whirl_by_shear_are_told(kind, share):
    """Frequencies without shear beside those with it, in axes that turn: too high, or too low."""

    def linear(**options):
        model = sp.Model(gravity=(0, 0, 0))
        choice = {"modes": sp.reduction.SineShapes(3)} if kind == "sines" else {"elements": 8}
        choice = {"elements": 8} if options else choice
        shaft = sp.Beam(
            "shaft", 1.0, sp.Circle(2 * RADIUS), STEEL, reference="chord", **choice, **options
        )
        model.add(shaft)
        rate = (share * FIRST, 0, 0)
        model.add(sp.Spherical("left", model.ground.at(0), shaft.at(0), initial_rate=rate))
        model.add(sp.PointOnLine("right", model.ground.at(0), shaft.at(1.0), axis="x"))
        return sp.linearize(model, "initial")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        told, right = linear(), linear(theory="timoshenko")
    found = told.frequency_errors[:2]
    true = 1.0 - right.frequencies[:2] / told.frequencies[:2]
    assert np.all(np.abs(found - true) < 0.1 * np.abs(true) + 1e-3)


def test_critical_speeds():
    """The spin at which a shaft stays bent in its own axes, k^2 sqrt(E I / (rho (A - I k^2))).

    There, and only there, a frequency vanishes; 1e-3 of the spin would be as far from it.
    """
    k = np.pi * np.arange(1, 4)
    exact = k**2 * np.sqrt(STEEL.E * MOMENT / STEEL.density / (AREA - MOMENT * k**2))
    for number, speed in enumerate(exact):
        assert whirl(speed, 3)[0] < 1e-9 * speed
        assert len(spinning(speed, "sines")) == 5, number
        assert len(spinning(speed, "sines", "none")) == 6, number


def test_twist_of_a_rotating_blade():
    """A flat blade that turns about z gains (I_z - I_y)/(I_z + I_y) speed^2 in torsion.

    The centrifugal force draws its points into the plane of rotation. In the other plane it loses
    as much; a linear field loses nearly the whole of speed^2.
    """
    for section, gain in (
        (sp.Section(1e-3, 1e-9, 9e-9, 4e-9), 0.8),
        (sp.Section(1e-3, 9e-9, 1e-9, 4e-9), -0.8),
    ):
        squares = []
        for speed in (0.0, 50.0):
            blade = sp.Beam(
                "blade", 1.0, section, STEEL, elements=8, modes=30, stiffening="second_order"
            )
            model = sp.Model(gravity=(0, 0, 0))
            model.add(blade)
            model.add(sp.Revolute("hub", model.ground.at(0), blade.at(0), "z", initial_rate=speed))
            Rq, _, M = tangents(model)
            values, shapes = eigh(Rq[1:, 1:], M[1:, 1:])
            twist = np.abs(blade.attachment(blade.at(1.0)).Psi[0] @ shapes)
            squares.append(values[np.argmax(twist > 0.5 * twist.max())])
        assert (squares[1] - squares[0]) / 50.0**2 == pytest.approx(gain, abs=1e-4)


def test_a_solid_shaft_tilts_by_the_stress_of_its_spin():
    """A spinning cantilever loses as much as one of solids, which know nothing of sections.

    In them it is the geometric stiffness of centrifugal stress across the axis. Bound: 1 % of what
    tilting does, a change of 0.014 in 1; frequencies at rest differ by 0.14 %.
    """
    side, material = 0.2, sp.Material(E=1e9, G=5e8, density=1e3)
    lost = {}
    for stiffening in ("none", "second_order"):
        beam_body = sp.Beam(
            "shaft",
            1.0,
            sp.Rectangle(side, side),
            material,
            elements=8,
            modes=8,
            theory="timoshenko",
            stiffening=stiffening,
        )
        mesh = block((1.0, side, side), (6, 2, 2), "hex20", material)
        end = np.flatnonzero(mesh.nodes[:, 0] == 0.0)
        root = sp.fem.Interface("root", (0, side / 2, side / 2), end)
        solid_body = sp.MeshBody("shaft", mesh, [root], modes=8, stiffening=stiffening)
        for kind, body, frame in (
            ("beam", beam_body, beam_body.at(0)),
            ("solid", solid_body, solid_body.at("root")),
        ):
            squares = []
            for speed in (0.0, 100.0):
                model = sp.Model(gravity=(0, 0, 0))
                model.add(body)
                ground = model.ground.at(*frame.position)
                model.add(sp.Revolute("hub", ground, frame, "x", initial_rate=speed))
                Rq, _, M = tangents(model)
                squares.append(eigh(Rq[1:, 1:], M[1:, 1:], eigvals_only=True)[0])
            lost[kind, stiffening] = (squares[0] - squares[1]) / 100.0**2
    gains = {k: lost[k, "none"] - lost[k, "second_order"] for k in ("beam", "solid")}
    assert gains["beam"] > 0.01
    assert gains["beam"] == pytest.approx(gains["solid"], rel=1e-2)


@pytest.mark.parametrize("kind", [*BEAMS, "frame"])
def test_moments_of_finite_rotations(kind):
    """int rho r_i (exp(t) r)_j to second order, for stations with their own rotations.

    Bound: central second differences with steps of 1e-3.
    """
    body = l_frame() if kind == "frame" else BEAMS[kind]
    places = () if kind == "frame" else PLACES
    modal = body.modal(places)
    q = np.random.default_rng(5).normal(size=modal.n)
    if kind == "frame":
        mesh, basis = body.mesh(), body.reduction().basis
        mass, _, _ = mesh.material_points(basis)
        offset, turn = mesh.section_turns(basis)
        count = len(Tilt.of(mass, offset, turn).Gamma)
    else:
        points = list(body.mass_points(0.0, True, places))
        points = [p for p in points if np.any(p.place[1:])]
        mass = np.array([p.mass for p in points])
        offset = np.array([p.place * [0, 1, 1] for p in points])
        turn = np.array([body.attachment(body.at(p.place[0]), places).Psi for p in points])
        count = len(body.tilting_fields(places))
    angles = turn @ q
    scale = 1e-3 / np.abs(angles).max()
    turned = [Rotation.from_rotvec(s * scale * angles).apply(offset) for s in (1, 0, -1)]
    second = (turned[0] - 2.0 * turned[1] + turned[2]) / scale**2  # q . d2 q
    expected = np.einsum("k,ki,kj->ij", mass, offset, 0.5 * second)
    z = 0.5 * np.einsum("i,rij,j->r", q, modal.slaves.Gamma[-count:], q)
    found = modal.slaves.D0[:, :, -count:] @ z
    assert np.abs(expected).max() > 0.0
    np.testing.assert_allclose(found, expected, atol=1e-5 * np.abs(expected).max())


def test_without_rotary_inertia_nothing_tilts():
    body = beam(rotary_inertia=False)
    assert len(body.tilting_fields()) == 0
    assert dataclasses.replace(body, rotary_inertia=True).modal().r > body.modal().r == 2
