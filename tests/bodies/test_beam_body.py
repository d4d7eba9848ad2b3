"""Beam: frequencies, reference conditions, modes, attachments, strain gauges, messages."""

from __future__ import annotations

import itertools
import math
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import supple as sp
from supple.bodies.beam.beam import Beam
from supple.fem.base.damping import Rayleigh
from supple.fem.base.material import Material
from supple.fem.sections.sections import Box, Circle, Rectangle, Section
from supple.foundation.errors import ModelError, SuppleWarning

ALUMINIUM = Material(E=69e9, G=26e9, density=2770)
TUBE = Box(0.0127, 0.0127, wall=0.0016)
FLAT = Rectangle(0.02, 0.05)
L = 1.02
TIP = ((L, 0.5),)
REFERENCES = ("clamped", "chord", "mean_axis")


def beam(section: Any = TUBE, name: str = "link2", **options: Any) -> Beam:
    return Beam(name, L, section, ALUMINIUM, **options)


def bending_speed(section: Any, second: float) -> float:
    """Factor c of w = c (beta L)^2 of an Euler-Bernoulli beam."""
    return math.sqrt(ALUMINIUM.E * second / (ALUMINIUM.density * section.area)) / L**2


# --------------------------------------------------------------- frequencies, exact and printed

# Roots beta L of the frequency equations of Euler-Bernoulli beams (any handbook).
ROOTS = {
    "clamped": (1.875104068711961, 4.694091132974175, 7.854757438237613),
    "chord": (math.pi, 2 * math.pi, 3 * math.pi),
    "mean_axis": (4.730040744862704, 7.853204624095838, 10.995607838001671),
}


@pytest.mark.parametrize("reference", REFERENCES)
def test_bending_eigenvalues_converge_with_order_four(reference: Any) -> None:
    exact = np.array([bending_speed(FLAT, FLAT.I_z) * root**2 for root in ROOTS[reference]])
    errors = []
    for elements in (12, 24):
        body = beam(FLAT, elements=elements, reference=reference, rotary_inertia=False).modal()
        w = 2 * math.pi * body.frequencies
        nearest = np.array([w[np.argmin(np.abs(w - e))] for e in exact])
        errors.append(nearest**2 / exact**2 - 1.0)
    coarse, fine = errors
    assert np.all(fine > 0.0), "a consistent mass gives frequencies from above"
    assert np.all(fine < 1e-4)
    np.testing.assert_allclose(np.log2(coarse / fine), 4.0, atol=0.15)


def test_rotary_inertia_against_rayleigh() -> None:
    # Simply supported beam of Rayleigh: w^2 = E I k^4 / (rho A + rho I k^2), k = n pi / L.
    section = Rectangle(0.1, 0.3)
    w = 2 * math.pi * beam(section, elements=40, reference="chord").modal().frequencies
    for n, second in itertools.product((1, 2), (section.I_z, section.I_y)):
        k = n * math.pi / L
        rho = ALUMINIUM.density
        exact = math.sqrt(ALUMINIUM.E * second * k**4 / (rho * (section.area + second * k**2)))
        assert np.abs(w / exact - 1.0).min() < 1e-6


@pytest.mark.parametrize("reference", ["clamped", "chord"])
def test_axial_and_torsion_frequencies(reference: Any) -> None:
    # Fixed at the origin and free at the end: (2 n - 1) / (4 L) times the speed of the wave.
    axial = math.sqrt(ALUMINIUM.E / ALUMINIUM.density)
    torsion = math.sqrt(ALUMINIUM.G * FLAT.J / (ALUMINIUM.density * FLAT.I_p))
    for n, speed in itertools.product((1, 2), (axial, torsion)):
        exact, errors = (2 * n - 1) / (4 * L) * speed, []
        for elements in (10, 20):
            f = beam(FLAT, elements=elements, reference=reference).modal().frequencies
            errors.append(np.abs(f**2 / exact**2 - 1.0).min())
        assert errors[1] < 6e-3
        assert math.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)


def test_mean_axis_axial_and_torsion() -> None:
    body = beam(FLAT, elements=60, reference="mean_axis").modal()
    for speed in (
        math.sqrt(ALUMINIUM.E / ALUMINIUM.density),
        math.sqrt(ALUMINIUM.G * FLAT.J / (ALUMINIUM.density * FLAT.I_p)),
    ):
        assert np.abs(body.frequencies / (speed / (2 * L)) - 1.0).min() < 2e-4


def test_huang_table_3_5() -> None:
    # Huang1998 table 3.5 with the mass at the tip of the tube: independent computation.
    body = beam(elements=1, torsion="polar").modal(TIP)
    expected = [3.66621784, 3.66621784, 73.72157162, 73.72157162, 463.3836894, 827.9943565]
    np.testing.assert_allclose(body.frequencies, expected, rtol=2e-9)
    assert body.mass == pytest.approx(2770 * 7.104e-5 * L + 0.5, rel=1e-14)
    # Thin-wall torsion constant, rig mass 0.604 kg, and five elements.
    assert beam(elements=1).modal(TIP).frequencies[5] == pytest.approx(709.73, abs=5e-3)
    rig = beam(elements=1).modal(((L, 0.604),))
    assert rig.frequencies[0] == pytest.approx(3.36086348, rel=3e-9)
    five = beam(elements=5, modes=8).modal(TIP).frequencies[::2]
    np.testing.assert_allclose(
        five, [3.66609031, 55.16109765, 176.40580153, 369.32606259], rtol=1e-8
    )


def test_tip_mass_against_the_frequency_equation() -> None:
    # 1 + cos cosh + mu b (cos sinh - sin cosh) = 0, mu = tip mass / beam mass.
    flat = beam(FLAT, elements=20, modes=2, rotary_inertia=False)
    mu = 2.0 / flat.mass

    def equation(b: float) -> float:
        c, s, ch, sh = math.cos(b), math.sin(b), math.cosh(b), math.sinh(b)
        return 1 + c * ch + mu * b * (c * sh - s * ch)

    root = brentq(equation, 0.3, 2.0, xtol=1e-14)
    exact = bending_speed(FLAT, FLAT.I_z) * root**2 / (2 * math.pi)
    assert flat.modal(((L, 2.0),)).frequencies[0] == pytest.approx(exact, rel=1e-8)


# ------------------------------------------------------------------------- reference conditions


@pytest.mark.parametrize("modes", ["all", 5])
def test_mean_axis_has_no_momentum(modes: Any) -> None:
    body = beam(FLAT, reference="mean_axis", modes=modes, roll=0.3).modal(((0.3, 0.2),))
    momentum = np.array([body.D0[1, 2] - body.D0[2, 1], body.D0[2, 0] - body.D0[0, 2],
                         body.D0[0, 1] - body.D0[1, 0]])  # fmt: skip
    scale = math.sqrt(np.abs(body.M).max() * body.mass)
    assert np.abs(body.S1).max() < 1e-12 * scale
    assert np.abs(momentum).max() < 1e-12 * scale * L
    assert body.n == (24 if modes == "all" else 5)
    assert np.linalg.eigvalsh(body.M).min() > 0.0
    assert np.linalg.eigvalsh(body.K).min() > 0.0


def test_mean_axis_of_a_line_mass() -> None:
    body = beam(FLAT, reference="mean_axis", rotary_inertia=False).modal()
    assert body.n == 20
    assert not any(name.startswith("tx") for name in body.coordinate_names)
    assert np.abs(body.S1).max() < 1e-13
    assert body.E0[1, 1] == body.E0[2, 2] == 0.0


def test_clamped_and_chord_attachments() -> None:
    clamped = beam(elements=3)
    root = clamped.attachment(clamped.at(0.0))
    assert not root.Phi.any()
    assert not root.Psi.any()
    middle = beam(elements=4, clamp_node=2, modes=8)
    centre = middle.attachment(middle.at(L / 2))
    assert not centre.Phi.any()
    assert not centre.Psi.any()
    assert np.abs(middle.attachment(middle.at(0.0)).Phi).max() > 0.1
    chord = beam(elements=3, reference="chord")
    start, end = (chord.attachment(chord.at(x)) for x in (0.0, L))
    assert not start.Phi.any()
    assert not start.Psi[0].any()
    assert start.Psi[1:].any()
    assert not end.Phi[1:].any()
    assert end.Phi[0].any()


def test_nodal_coordinates_are_the_motion_of_the_nodes() -> None:
    link = beam(elements=2)
    body = link.modal()
    assert body.coordinate_names == tuple(
        f"{c}_{k}" for k in (1, 2) for c in ("u", "v", "w", "tx", "ty", "tz")
    )
    assert body.coordinate_units == ("m", "m", "m", "rad", "rad", "rad") * 2
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    tip = link.attachment(link.at(L, rotation=turn))
    assert np.array_equal(np.vstack([tip.Phi, tip.Psi]), np.eye(12)[6:])
    assert np.array_equal(tip.p0, [L, 0, 0])
    assert np.array_equal(tip.R0, turn)


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("rotary", [True, False])
def test_integrals_belong_together(reference: Any, rotary: bool) -> None:
    body = beam(FLAT, elements=2, reference=reference, rotary_inertia=rotary).modal(TIP)
    n = body.n
    shapes = [(3,), (3, n), (3, 3), (3, 3, n), (3, 3, n, n), (n, n), (n, n), (n, n)]
    arrays = (body.s0, body.S1, body.E0, body.D0, body.D1, body.M, body.K, body.C)
    assert [a.shape for a in arrays] == shapes
    assert not any(a.flags.writeable for a in arrays)
    assert all(a.flags.c_contiguous for a in arrays)
    np.testing.assert_allclose(body.M, np.einsum("iiba->ba", body.D1), rtol=1e-14)
    np.testing.assert_array_equal(body.D1, body.D1.transpose(1, 0, 3, 2))
    np.testing.assert_array_equal(body.K, body.K.T)
    for X in (body.M, body.K):
        d = np.sqrt(np.diag(X))
        assert np.linalg.eigvalsh(X / np.outer(d, d)).min() > 1e-9


def test_all_modes_span_the_nodal_coordinates() -> None:
    # The static answer does not depend on the choice of coordinates.
    for reference in ("clamped", "chord"):
        load, answers = np.array([3.0, 1.0, -2.0, 0.3, 0.1, 0.2]), []
        for modes in ("all", 12):
            link = beam(FLAT, elements=2, reference=reference, modes=modes)
            if reference == "chord" and modes != "all":
                assert link.modal().n == 12
            body, at = link.modal(), link.attachment(link.at(0.7))
            rows = np.vstack([at.Phi, at.Psi])
            answers.append(rows @ np.linalg.solve(body.K, rows.T @ load))
        np.testing.assert_allclose(answers[1], answers[0], rtol=1e-9)


def test_tip_load() -> None:
    for elements in (1, 5):
        link = beam(FLAT, elements=elements)
        tip = link.attachment(link.at(L))
        q = np.linalg.solve(link.modal().K, tip.Phi.T @ [0.0, 10.0, 20.0])
        expected = L**3 / (3 * ALUMINIUM.E) * np.array([0.0, 10 / FLAT.I_z, 20 / FLAT.I_y])
        np.testing.assert_allclose(tip.Phi @ q, expected, rtol=1e-9, atol=1e-15)
        slopes = L**2 / (2 * ALUMINIUM.E) * np.array([0.0, -20 / FLAT.I_y, 10 / FLAT.I_z])
        np.testing.assert_allclose(tip.Psi @ q, slopes, rtol=1e-9, atol=1e-15)


# ---------------------------------------------------------------------------------------- modes


@pytest.mark.parametrize("reference", REFERENCES)
def test_modes_are_normalised_and_ascending(reference: Any) -> None:
    link = beam(FLAT, elements=5, modes=20, reference=reference)
    body = link.modal(TIP)
    np.testing.assert_allclose(body.M, np.eye(20), atol=1e-11)
    np.testing.assert_allclose(
        np.sqrt(np.diag(body.K)) / (2 * math.pi), body.frequencies, rtol=1e-14
    )
    assert np.array_equal(body.K, np.diag(np.diag(body.K)))
    assert np.all(np.diff(body.frequencies) > 0.0)
    assert body.coordinate_names == tuple(f"mode_{k}" for k in range(1, 21))
    full = beam(FLAT, elements=5, reference=reference).modal(TIP)
    np.testing.assert_allclose(body.frequencies, full.frequencies[:20], rtol=1e-10)


@pytest.mark.parametrize("reference", REFERENCES)
def test_signs_make_the_largest_displacement_positive(reference: Any) -> None:
    link = beam(FLAT, elements=6, modes=12, reference=reference)
    nodes = [link.attachment(link.at(k * L / 6)) for k in range(7)]
    for mode in range(12):
        moves = np.array([n.Phi[:, mode] for n in nodes]).ravel()
        turns = np.array([n.Psi[:, mode] for n in nodes]).ravel()
        parts = moves if np.abs(moves).max() > 1e-6 * np.abs(turns).max() else turns
        assert parts.max() >= (1 - 1e-6) * np.abs(parts).max()


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("elements", [1, 3, 30])
@pytest.mark.parametrize("section", [TUBE, Circle(0.02)], ids=["box", "circle"])
@pytest.mark.parametrize("roll", [0.0, 0.7])
def test_pairs_lie_in_y_then_z(reference: Any, elements: int, section: Any, roll: float) -> None:
    link = beam(section, elements=elements, modes=4, reference=reference, roll=roll)
    body = link.modal(((0.8 * L, 0.5),))
    assert body.frequencies[0] == pytest.approx(body.frequencies[1], rel=1e-6)
    assert body.frequencies[2] == pytest.approx(body.frequencies[3], rel=1e-6)
    quarter = link.attachment(link.at(0.3 * L))
    for first in (0, 2):
        y, z = quarter.Phi[:, first], quarter.Phi[:, first + 1]
        assert y[0] == z[0] == 0.0
        assert y[2] == z[1] == 0.0
        # The same shape in both planes; signs may differ where only rotations decide them.
        assert abs(y[1]) == pytest.approx(abs(z[2]), rel=1e-5)
        assert abs(y[1]) > 1e-6


def test_rolled_modes_bend_in_the_planes_of_the_section() -> None:
    roll = 0.5
    link = beam(FLAT, elements=3, modes=2, roll=roll)
    soft, stiff = link.attachment(link.at(L)).Phi.T
    np.testing.assert_allclose(soft / soft[1], [0, 1, math.tan(roll)], atol=1e-9)
    np.testing.assert_allclose(stiff / stiff[2], [0, -math.tan(roll), 1], atol=1e-9)
    plain = beam(FLAT, elements=3, modes=2).modal()
    np.testing.assert_allclose(link.modal().frequencies, plain.frequencies, rtol=1e-10)


def test_chosen_modes() -> None:
    full = beam(FLAT, elements=5, modes=9)
    some = beam(FLAT, elements=5, modes=[9, 2, 1])
    assert some.modes == (1, 2, 9)
    assert some.modal().coordinate_names == ("mode_1", "mode_2", "mode_9")
    places = [0, 1, 8]
    np.testing.assert_array_equal(some.modal().frequencies, full.modal().frequencies[places])
    np.testing.assert_allclose(
        some.attachment(some.at(0.6)).Phi,
        full.attachment(full.at(0.6)).Phi[:, places],
        rtol=1e-13,
    )


def test_no_modes_is_a_rigid_beam() -> None:
    link = beam(modes=0)
    body = link.modal(TIP)
    assert body.n == 0
    assert body.D1.shape == (3, 3, 0, 0)
    assert link.attachment(link.at(L), TIP).Phi.shape == (3, 0)
    assert body.s0[0] == pytest.approx(link.mass * L / 2 + 0.5 * L, rel=1e-13)
    assert body.E0[0, 0] == pytest.approx(link.mass * L**2 / 3 + 0.5 * L**2, rel=1e-13)
    assert body.E0[1, 1] == pytest.approx(2770 * TUBE.I_z * L, rel=1e-12)


def test_cutting_a_pair_warns() -> None:
    for modes, text in ((3, "mode 3 without mode 4"), ([1, 3], "mode 1 without mode 2, mode 3")):
        with pytest.warns(SuppleWarning, match=f"^Beam 'link2': modes keeps {text}") as caught:
            beam(modes=modes).modal()
        assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        beam(modes=4).modal(TIP)
        beam(FLAT, modes=3).modal()
        beam().modal()


# --------------------------------------------------------------------- damping, cache, vocabulary


def test_damping() -> None:
    for modes in ("all", 4):
        link = beam(modes=modes, damping=Rayleigh(stiffness=3e-4, mass=0.2))
        body = link.modal(TIP)
        np.testing.assert_allclose(body.C, 3e-4 * body.K + 0.2 * body.M, rtol=1e-14)
        assert not beam(modes=modes).modal().C.any()


def test_results_are_kept() -> None:
    link = beam(modes=4)
    assert link.modal(TIP) is link.modal([(L, 0.5)])
    assert link.modal(TIP) is not link.modal()
    pair = ((0.5, 1.0), (0.2, 2.0))
    assert link.modal(pair) is link.modal(pair[::-1])


def test_beam_in_a_model() -> None:
    m = sp.Model()
    link = m.add(beam(modes=4, damping=Rayleigh(stiffness=3e-4)))
    assert link.mass == pytest.approx(2770 * 7.104e-5 * L)
    frame = link.at(L)
    assert frame.name == "link2@(1.02, 0, 0)"
    assert link.station(frame) == L
    new = m.replace("link2", modes=[1, 2], elements=6, rotary_inertia=False)
    assert (new.modes, new.elements, new.damping) == ((1, 2), 6, link.damping)
    again = pickle.loads(pickle.dumps(link))
    np.testing.assert_array_equal(again.modal().K, link.modal().K)


def test_station_allows_for_rounding() -> None:
    link = beam(elements=3)
    assert link.at(L * (1 + 1e-13)).position[0] == L
    assert link.at(-1e-15).position[0] == 0.0


# ------------------------------------------------------------------------------- strain gauges


def test_strain_gauge_at_the_root_of_huangs_beam() -> None:
    # Huang1998 chapter 6, rig, 30 degrees, one-way axial stiffness, t = 0.5 s (independent run):
    # u v w tx ty tz of the tip, and the bending strains of the z and y surfaces at the root.
    q = [1.8412123857499308e-06, -0.0006574628214254663, 0.016478683111595067,
         3.6189295861154985e-07, -0.024032922980265718, -0.0009921373158582932]  # fmt: skip
    link = beam(elements=1)
    for side, strain in (("z", -0.00030422466576836786), ("y", 1.1723555081393631e-05)):
        assert link.strain_gauge(0.0, side, axial=False) @ q == pytest.approx(strain, rel=1e-12)
        both = link.strain_gauge(0.0, side) + link.strain_gauge(0.0, f"-{side}")
        assert both @ q == pytest.approx(2 * q[0] / L, rel=1e-9)


@pytest.mark.parametrize("roll", [0.0, 0.4])
def test_strain_gauge_of_a_loaded_cantilever(roll: float) -> None:
    # A force across the section's own y: strain = -y M / (E I_z), M = F (L - x), on side y only.
    link = beam(FLAT, elements=4, roll=roll)
    force = 10.0 * np.array([0.0, math.cos(roll), math.sin(roll)])
    q = np.linalg.solve(link.modal().K, link.attachment(link.at(L)).Phi.T @ force)
    for x in (0.0, 0.3, L / 2, 0.9):
        expected = -0.01 * 10.0 * (L - x) / (ALUMINIUM.E * FLAT.I_z)
        assert link.strain_gauge(x, "y") @ q == pytest.approx(expected, rel=1e-7)
        assert link.strain_gauge(x, "-y") @ q == pytest.approx(-expected, rel=1e-7)
        assert abs(link.strain_gauge(x, "z") @ q) < 1e-7 * abs(expected) + 1e-15


# ------------------------------------------------------------------------------------ messages

MODES = ("expected 'all', a number of modes, different mode numbers from 1, e.g. [1, 2, 9], or "
         "shapes, e.g. SineShapes(n)")  # fmt: skip
STATION = "expected a station from 0 to 1.02"
MESSAGES: list[tuple[Callable[[], Any], str]] = [
    (lambda: beam(name=""), "Beam: name is '', expected a text without '.', '/', '@' and without "
     "blanks at its ends"),
    (lambda: Beam("b", 0, TUBE, ALUMINIUM),
     "Beam 'b': length is 0.0, expected a positive number"),
    (lambda: beam(section=0.01),
     "Beam 'link2': section is 0.01, expected a section, e.g. Box(0.02, 0.02, 0.002)"),
    (lambda: Beam("b", 1.0, TUBE, "steel"),
     "Beam 'b': material is 'steel', expected a Material(E=..., G=..., density=...)"),
    (lambda: beam(elements=0), "Beam 'link2': elements is 0, expected a positive integer"),
    (lambda: beam(elements=2.5), "Beam 'link2': elements is 2.5, expected a positive integer"),
    (lambda: beam(elements=True), "Beam 'link2': elements is True, expected a positive integer"),
    (lambda: beam(modes="some"), f"Beam 'link2': modes is 'some', {MODES}"),
    (lambda: beam(modes=-1), f"Beam 'link2': modes is -1, {MODES}"),
    (lambda: beam(modes=None), f"Beam 'link2': modes is None, {MODES}"),
    (lambda: beam(modes=[0, 1]), f"Beam 'link2': modes is (0, 1), {MODES}"),
    (lambda: beam(modes=[1, 1]), f"Beam 'link2': modes is (1, 1), {MODES}"),
    (lambda: beam(modes=[]), f"Beam 'link2': modes is (), {MODES}"),
    (lambda: beam(modes=[1, 2.5]), f"Beam 'link2': modes is (1, 2.5), {MODES}"),
    (lambda: beam(elements=1, modes=7),
     "Beam 'link2': modes is 7, expected no mode above 6, the number of elastic coordinates"),
    (lambda: beam(elements=1, modes=[1, 6], rotary_inertia=False),
     "Beam 'link2': modes is (1, 6), expected no mode above 5, the number of elastic "
     "coordinates"),
    (lambda: beam(reference="free"),
     "Beam 'link2': reference is 'free', expected 'clamped' or 'chord' or 'mean_axis'"),
    (lambda: beam(damping=0.01),
     "Beam 'link2': damping is 0.01, expected Rayleigh(stiffness=...), "
     "ModalDamping(ratio), KelvinVoigt(E) or None"),
    (lambda: beam(rotary_inertia=1), "Beam 'link2': rotary_inertia is 1, expected True or False"),
    (lambda: beam(torsion="bredt"),
     "Beam 'link2': torsion is 'bredt', expected 'saint_venant' or 'polar'"),
    (lambda: beam(roll="x"), "Beam 'link2': roll is 'x', expected a finite number"),
    (lambda: beam(clamp_node=5), "Beam 'link2': clamp_node is 5, expected a node from 0 to 4"),
    (lambda: beam(clamp_node=-1), "Beam 'link2': clamp_node is -1, expected a node from 0 to 4"),
    (lambda: beam(clamp_node=1, reference="chord"),
     "Beam 'link2': clamp_node is 1, expected 0 with reference 'chord'"),
    (lambda: beam().at(1.03), f"Beam 'link2': x of at(x) is 1.03, {STATION}"),
    (lambda: beam().at(-0.1), f"Beam 'link2': x of at(x) is -0.1, {STATION}"),
    (lambda: beam().at("tip"), f"Beam 'link2': x of at(x) is 'tip', {STATION}"),
    (lambda: beam().at(0.5, 0.01),
     "Beam 'link2': y of at(x) is 0.01, expected 0, because a station is on the axis"),
    (lambda: beam().attachment(sp.Frame(beam(), (0.5, 0, 0.1))),
     "Beam 'link2': place of a frame is (0.5, 0, 0.1), expected a point (x, 0, 0) of its axis"),
    (lambda: beam().attachment(sp.Frame(beam(), (2.0, 0, 0))),
     f"Beam 'link2': x of a frame is 2.0, {STATION}"),
    (lambda: beam().modal(((L, -1.0),)),
     "Beam 'link2': point mass is -1.0, expected a positive number"),
    (lambda: beam().modal(((2.0, 1.0),)), f"Beam 'link2': x of a point mass is 2.0, {STATION}"),
    (lambda: beam().modal((L, 0.5)),
     "Beam 'link2': point_masses is (1.02, 0.5), expected pairs (station, mass)"),
    (lambda: beam().modal(0.5),
     "Beam 'link2': point_masses is 0.5, expected pairs (station, mass)"),
    (lambda: beam().strain_gauge(0.0, "top"),
     "Beam 'link2': side of strain_gauge is 'top', expected 'y' or '-y' or 'z' or '-z'"),
    (lambda: beam(Section(1e-4, 1e-9, 1e-9, 1e-9)).strain_gauge(0.0),
     "Beam 'link2': half_sizes of its section is None, expected 2 positive numbers for a strain "
     "gauge"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "sentence"), MESSAGES, ids=[s for _, s in MESSAGES])
def test_messages(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        make()
    assert str(caught.value) == sentence
