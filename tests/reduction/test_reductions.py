"""Reductions: Craig-Bampton, static shapes, functions, damping, sparse eigenproblems."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import supple as sp
from supple.bodies.beam.beam import Beam
from supple.fem.base.material import Material
from supple.fem.beams.beam import BeamMesh
from supple.fem.beams.frame import FrameMesh
from supple.fem.beams.member import Member
from supple.fem.sections.sections import Circle, Rectangle
from supple.foundation.errors import ModelError
from supple.reduction.eigen import lowest_modes, solver
from supple.reduction.modes import rigid_motions

STEEL = Material(E=210e9, G=81e9, density=7850)
FLAT = Rectangle(0.02, 0.05)
L = 1.5
REFERENCES = ("clamped", "chord", "mean_axis")


def beam(modes: Any = "all", elements: int = 6, **options: Any) -> Beam:
    return Beam("link", L, FLAT, STEEL, elements=elements, modes=modes, **options)


def tip_flexibility(link: Beam, x: float) -> np.ndarray:
    """Motion (6, 6) of a station for unit forces and torques there, in the beam's frame."""
    at = link.attachment(link.at(x))
    rows = np.vstack([at.Phi, at.Psi])
    return rows @ np.linalg.solve(link.modal().K, rows.T)


# ------------------------------------------------------------------------------ Craig-Bampton


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("rotary", [True, False])
def test_craig_bampton_with_all_modes_is_the_whole_mesh(reference: Any, rotary: bool) -> None:
    options = {"reference": reference, "rotary_inertia": rotary}
    full = beam(**options).modal()
    inner = (6 if rotary else 5) * 5  # five nodes between the interfaces
    reduced = beam(sp.reduction.CraigBampton([0.0, L], inner), **options)
    body = reduced.modal()
    assert body.n == full.n
    np.testing.assert_allclose(body.frequencies, full.frequencies, rtol=1e-7)
    np.testing.assert_allclose(body.M, np.eye(body.n), atol=1e-9)
    assert np.array_equal(body.K, np.diag(np.diag(body.K)))


@pytest.mark.parametrize("reference", REFERENCES)
def test_craig_bampton_removes_rigid_motion_and_keeps_interface_statics(reference: Any) -> None:
    body = beam(sp.reduction.CraigBampton([0.0, L], 3), reference=reference).modal()
    assert body.n == 2 * 6 - 6 + 3
    assert body.frequencies[0] > 1.0, "no rigid motion is left"
    if reference == "mean_axis":
        assert np.abs(body.S1).max() < 1e-10 * math.sqrt(body.mass)
        return
    exact = tip_flexibility(beam(reference=reference), L)
    found = tip_flexibility(beam(sp.reduction.CraigBampton([0.0, L], 0), reference=reference), L)
    np.testing.assert_allclose(found, exact, atol=1e-9 * np.abs(exact).max())
    start = beam(sp.reduction.CraigBampton([0.0, L], 3), reference="clamped")
    held = start.attachment(start.at(0.0))
    assert not held.Phi.any()
    assert not held.Psi.any()


def test_craig_bampton_errors_fall_with_the_cut_off() -> None:
    # A fixed-interface mode of eigenvalue m that is left out raises an eigenvalue e relatively by
    # e / (m - e) times the square of its participation; these squares add up to less than 1.
    full = (2 * math.pi * beam(elements=24).modal().frequencies) ** 2
    mesh = BeamMesh(section=FLAT, material=STEEL, length=L, elements=24)
    K, M = mesh.stiffness_matrix[6:-6, 6:-6], mesh.mass_matrix[6:-6, 6:-6]
    fixed = lowest_modes(K, M, 40)[0]
    first = before = np.full(6, np.inf)
    for n in (2, 4, 8, 16, 32):
        reduced = beam(sp.reduction.CraigBampton([0.0, L], n), elements=24).modal()
        errors = (2 * math.pi * reduced.frequencies[:6]) ** 2 / full[:6] - 1.0
        assert np.all(errors > -1e-9), "a subspace gives frequencies from above"
        assert np.all(errors <= before + 1e-9), "more modes never worsen"
        below = full[:6] < 0.25 * fixed[n]
        assert np.all(errors[below] < (full[:6] / (fixed[n] - full[:6]))[below])
        first, before = errors if n == 2 else first, errors
    assert np.all(before[:3] < first[:3] / 100)


def test_frequencies_of_both_models_are_shown() -> None:
    reduction = beam(sp.reduction.CraigBampton([0.0, L], 2)).reduction()
    text = str(reduction)
    assert text.startswith("8 of 42 coordinates\nmode   full (Hz)   reduced (Hz)\n")
    assert len(text.splitlines()) == 10
    assert f"{reduction.full_frequencies[0]:.6g}" in text
    assert np.all(reduction.body.frequencies >= reduction.full_frequencies * (1 - 1e-9))


def test_inner_interface() -> None:
    link = beam(sp.reduction.CraigBampton([0.0, L / 2], 0))
    exact = tip_flexibility(beam(), L / 2)
    np.testing.assert_allclose(tip_flexibility(link, L / 2), exact, atol=1e-9 * np.abs(exact).max())


# ---------------------------------------------------------------------- normal and static modes


def test_normal_modes_of_another_frame() -> None:
    plain, same = beam(5).modal(), beam(sp.reduction.NormalModes(5)).modal()
    assert np.array_equal(plain.K, same.K)
    # Modes of a beam on two pins, seen from a frame that is clamped at the origin: without load
    # between the pins the motion of the material is the same as in the frame through both ends.
    pinned = beam(sp.reduction.NormalModes(4, reference="chord"), elements=10)
    assert pinned.modal().n == 4
    held = pinned.attachment(pinned.at(0.0))
    assert not held.Phi.any()
    assert not held.Psi.any()
    chord = beam(4, elements=10, reference="chord")
    q = np.array([0.3, -0.2, 0.5, 0.1]) * 1e-3
    rows = [
        np.vstack([b.attachment(b.at(k * L / 10)).Phi for k in range(11)]) for b in (pinned, chord)
    ]
    nodes = np.outer(np.linspace(0.0, L, 11), [1.0, 0, 0])
    rigid = rigid_motions(nodes).reshape(11, 6, 6)[:, :3].reshape(33, 6)
    both = np.hstack([rows[0], rigid])
    target = rows[1] @ q
    fitted = both @ np.linalg.lstsq(both, target, rcond=None)[0]
    np.testing.assert_allclose(fitted, target, atol=1e-9 * np.abs(target).max())


@pytest.mark.parametrize("reference", REFERENCES)
def test_static_shapes_answer_their_loads(reference: Any) -> None:
    force, torque = (0.0, 3.0, -2.0), (0.1, 0.0, 0.5)
    place = 0.4 * L
    loads = [
        sp.reduction.PointLoadPattern(place, force, torque),
        sp.reduction.WeightPattern((0, 1, 1)),
    ]
    full, few = (beam(m, reference=reference) for m in ("all", sp.reduction.StaticShapes(loads)))
    # A free body is not bent by an acceleration of all of it.
    assert few.modal().n == (1 if reference == "mean_axis" else 2)
    answers = []
    for link in (full, few):
        at, there = link.attachment(link.at(place)), link.attachment(link.at(0.9 * L))
        load = at.Phi.T @ force + at.Psi.T @ torque
        answers.append(there.Phi @ np.linalg.solve(link.modal().K, load))
        weight = link.modal().S1.T @ np.array([0.0, 1, 1])
        answers[-1] = np.r_[answers[-1], there.Phi @ np.linalg.solve(link.modal().K, weight)]
    np.testing.assert_allclose(
        answers[1], answers[0], rtol=1e-7, atol=1e-9 * np.abs(answers[0]).max()
    )


def test_dependent_loads_count_once() -> None:
    loads = [
        sp.reduction.PointLoadPattern(L, (0, 1, 0)),
        sp.reduction.PointLoadPattern(L, (0, 2, 0)),
        sp.reduction.PointLoadPattern(L, (0, 0, 1)),
    ]
    assert beam(sp.reduction.StaticShapes(loads)).modal().n == 2


# ------------------------------------------------------------------ polynomials and functions


@pytest.mark.parametrize("reference", ["clamped", pytest.param("chord", marks=pytest.mark.slow)])
def test_polynomials_converge_to_the_modes(reference: Any) -> None:
    exact = beam(elements=40, reference=reference).modal().frequencies[:4]
    shapes = sp.reduction.PolynomialShapes(11, axial=4, twist=4, reference=reference)
    found = beam(shapes, reference=reference).modal()
    assert found.n == 2 * 11 + 4 + 4
    np.testing.assert_allclose(found.frequencies[:4], exact, rtol=3e-6)
    tip = L if reference == "clamped" else L / 2
    few = beam(
        sp.reduction.PolynomialShapes(3, axial=1, twist=1, reference=reference), reference=reference
    )
    if reference == "clamped":  # a cubic is exact for a load at the tip
        np.testing.assert_allclose(
            tip_flexibility(few, tip), tip_flexibility(beam(), tip), rtol=1e-9, atol=1e-15
        )


def test_user_shapes_are_the_polynomials_or_sines_they_repeat() -> None:
    given = sp.reduction.UserShapes(
        v=[lambda s: s**2, lambda s: s**2 * (2 * s - 1)], u=[lambda s: s], tx=[lambda s: s]
    )
    own, known = (beam(m).modal() for m in (given, sp.reduction.PolynomialShapes(2, "y", 1, 1)))
    assert own.coordinate_names == known.coordinate_names
    for name in ("S1", "D0", "D1", "K"):
        np.testing.assert_allclose(
            getattr(own, name),
            getattr(known, name),
            atol=1e-11 * np.abs(getattr(known, name)).max(),
        )
    waves = sp.reduction.UserShapes(
        v=[lambda s, i=i: math.sin(i * math.pi * s) for i in (1, 2, 3)], reference="chord"
    )
    own = beam(waves, reference="chord").modal()
    known = beam(sp.reduction.SineShapes(3, "y"), reference="chord").modal()
    np.testing.assert_allclose(own.K, known.K, atol=1e-10 * known.K.max())
    np.testing.assert_allclose(own.D0, known.D0, atol=1e-12)
    again = pickle.loads(pickle.dumps(beam(waves, reference="chord")))
    np.testing.assert_array_equal(again.modal().K, own.K)


def test_tapered_assumed_shapes() -> None:
    taper = sp.TaperedSection(Rectangle(0.04, 0.05), Rectangle(0.02, 0.05))
    fine = Beam("t", L, taper, STEEL, elements=40).modal().frequencies[:3]
    shapes = sp.reduction.PolynomialShapes(8, axial=3, twist=3)
    found = Beam("t", L, taper, STEEL, modes=shapes).modal().frequencies[:3]
    np.testing.assert_allclose(found, fine, rtol=1e-5)


# ----------------------------------------------------------------------------------- damping


@pytest.mark.parametrize("modes", [6, "all"])
def test_modal_damping_gives_each_mode_its_ratio(modes: Any) -> None:
    ratios = [0.01, 0.02, 0.05]
    body = beam(modes, elements=3, damping=sp.ModalDamping(ratios)).modal()
    from scipy.linalg import eigh

    squares, shapes = eigh(body.K, body.M)
    found = np.diag(shapes.T @ body.C @ shapes) / (2 * np.sqrt(squares))
    np.testing.assert_allclose(found[:3], ratios, rtol=1e-7)
    np.testing.assert_allclose(found[3:], 0.05, rtol=1e-7)
    assert np.abs(
        shapes.T @ body.C @ shapes - np.diag(np.diag(shapes.T @ body.C @ shapes))
    ).max() < (1e-7 * np.abs(np.diag(shapes.T @ body.C @ shapes)).max())
    assert np.array_equal(body.C, body.C.T)
    one = beam(2, damping=sp.ModalDamping(0.03)).modal()
    np.testing.assert_allclose(np.diag(one.C), 0.06 * np.sqrt(np.diag(one.K)), rtol=1e-10)
    assert beam(0, damping=sp.ModalDamping(0.03)).modal().C.shape == (0, 0)


@pytest.mark.parametrize(
    "modes",
    ["all", 5, sp.reduction.CraigBampton([0.0, L], 2), sp.reduction.PolynomialShapes(3, twist=2)],
)
def test_viscosity_of_the_material(modes: Any) -> None:
    # In proportion to both moduli it is Rayleigh's with the time viscosity / E.
    tau = 2e-4
    same = beam(modes, damping=sp.KelvinVoigt(tau * STEEL.E)).modal()
    known = beam(modes, damping=sp.Rayleigh(stiffness=tau)).modal()
    np.testing.assert_allclose(same.C, known.C, atol=1e-9 * np.abs(known.C).max())


def test_viscosity_of_shear_damps_twist_only() -> None:
    body = beam("all", elements=1, damping=sp.KelvinVoigt(0.0, G=1e6)).modal()
    twist = body.coordinate_names.index("tx_1")
    expected = np.zeros_like(body.C)
    expected[twist, twist] = 1e6 * FLAT.J / L
    np.testing.assert_allclose(body.C, expected, rtol=1e-10)
    bending = beam("all", elements=1, damping=sp.KelvinVoigt(1e6, G=0.0)).modal()
    place = bending.coordinate_names.index("v_1")
    assert bending.C[place, place] == pytest.approx(12 * 1e6 * FLAT.I_z / L**3, rel=1e-10)
    assert bending.C[twist, twist] == 0.0


# ------------------------------------------------------------------------------ sparse matrices


def long_frame(elements: int) -> FrameMesh:
    member = Member("a", "b", Circle(0.03), STEEL, elements)
    return FrameMesh(("a", "b"), np.array([[0.0, 0, 0], [L, 0, 0]]), (member,))


def test_sparse_and_dense_agree() -> None:
    mesh = long_frame(150)
    K, M = mesh.stiffness_matrix.tocsr()[6:][:, 6:], mesh.mass_matrix.tocsr()[6:][:, 6:]
    assert K.shape[0] > 700
    # Rounding of K grows with the fourth power of the number of elements.
    values, vectors = lowest_modes(K, M, 12)
    known = lowest_modes(K.toarray(), M.toarray(), 12)[0]
    np.testing.assert_allclose(values, known, rtol=1e-6)
    np.testing.assert_allclose(vectors.T @ (M @ vectors), np.eye(12), atol=1e-8)
    load = np.zeros(K.shape[0])
    load[1] = 1.0  # v of the second named node
    exact = L**3 / (3 * STEEL.E * Circle(0.03).I_z)
    assert solver(K)(load)[1] == pytest.approx(exact, rel=1e-6)
    assert solver(K.toarray())(load)[1] == pytest.approx(exact, rel=1e-6)


def test_sparse_body_is_the_dense_one() -> None:
    nodes = {"a": (0, 0, 0), "b": (L, 0, 0)}
    for modes in (
        6,
        sp.reduction.CraigBampton(["a", "b"], 4),
        sp.reduction.NormalModes(4, reference="mean_axis"),
    ):
        for reference in ("clamped", "mean_axis"):
            bodies = [
                sp.FrameStructure("f", nodes, [Member("a", "b", FLAT, STEEL, n)], modes, reference)
                for n in (130, 30)
            ]
            fine, coarse = (b.modal() for b in bodies)
            assert bodies[0].mesh().size > 700 > bodies[1].mesh().size
            np.testing.assert_allclose(fine.M, np.eye(fine.n), atol=1e-7)
            bending = 4  # twist and extension converge more slowly
            np.testing.assert_allclose(
                fine.frequencies[:bending], coarse.frequencies[:bending], rtol=1e-4
            )


# ----------------------------------------------------------------------------------- messages

MESSAGES: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: beam(sp.reduction.CraigBampton([0.0, 0.4], 2)),
        "Beam 'link': an interface is 0.4, expected a node, e.g. 0.5, or other elements",
    ),
    (
        lambda: beam(sp.reduction.CraigBampton([0.0, 2.0], 2)),
        "Beam 'link': an interface is 2.0, expected a station from 0 to 1.5",
    ),
    (
        lambda: beam(sp.reduction.CraigBampton([0.0, L], 31)),
        "Beam 'link': n of its modes is 31, expected at most 30, the number of coordinates between "
        "its interfaces",
    ),
    (
        lambda: beam(sp.reduction.NormalModes(37)),
        "Beam 'link': n of its modes is 37, expected at most 36, the number of elastic coordinates",
    ),
    (
        lambda: sp.reduction.CraigBampton([], 2),
        "CraigBampton: interfaces is (), expected a sequence of different places",
    ),
    (
        lambda: sp.reduction.CraigBampton("tip", 2),
        "CraigBampton: interfaces is 'tip', expected a sequence of different places",
    ),
    (
        lambda: sp.reduction.CraigBampton([0.0], -1),
        "CraigBampton: n is -1, expected zero or a positive integer",
    ),
    (
        lambda: sp.reduction.NormalModes(1.5),
        "NormalModes: n is 1.5, expected zero or a positive integer",
    ),
    (
        lambda: sp.reduction.NormalModes(2, reference="free"),
        "NormalModes: reference is 'free', expected 'clamped' or 'chord' or 'mean_axis'",
    ),
    (
        lambda: sp.reduction.StaticShapes([(0, 1, 0)]),
        "StaticShapes: loads is ((0, 1, 0)), expected PointLoads and WeightLoads",
    ),
    (
        lambda: sp.reduction.StaticShapes(3),
        "StaticShapes: loads is 3, expected PointLoads and WeightLoads",
    ),
    (
        lambda: sp.reduction.PointLoadPattern(L),
        "PointLoadPattern: force is (0, 0, 0), expected a force or a torque that is not zero",
    ),
    (
        lambda: beam(sp.reduction.PolynomialShapes(2), reference="chord"),
        "Beam 'link': reference is 'chord', expected 'clamped' with PolynomialShapes(n=2, "
        "planes=('y', "
        "'z'), axial=0, twist=0, reference='clamped'), because its functions vanish as that frame "
        "asks for",
    ),
    (
        lambda: beam(sp.reduction.PolynomialShapes(2), theory="timoshenko"),
        "Beam 'link': theory is 'timoshenko', expected 'euler_bernoulli' with "
        "PolynomialShapes(n=2, "
        "planes=('y', 'z'), axial=0, twist=0, reference='clamped')",
    ),
    (
        lambda: sp.reduction.UserShapes(v=[lambda s: s]),
        "UserShapes: slope at s = 0 of v[0] is 1.0, expected 0 with reference 'clamped'",
    ),
    (
        lambda: sp.reduction.UserShapes(w=[lambda s: s], reference="chord"),
        "UserShapes: value at s = 1 of w[0] is 1.0, expected 0 with reference 'chord'",
    ),
    (
        lambda: sp.reduction.UserShapes(),
        "UserShapes: v is (), expected at least one function of v, w, u or tx",
    ),
    (
        lambda: sp.reduction.UserShapes(v=["s"]),
        "UserShapes: v is 's', expected a smooth function of s from 0 to 1 that returns a number",
    ),
    (
        lambda: beam(sp.reduction.SineShapes(2), reference="chord").reduction(),
        "Beam 'link': modes is SineShapes(2), expected shapes of a mesh, not assumed ones",
    ),
    (
        lambda: sp.ModalDamping(-0.1),
        "ModalDamping: ratios is -0.1, expected a number or numbers that are zero or positive",
    ),
    (lambda: sp.KelvinVoigt(-1), "KelvinVoigt: E is -1.0, expected zero or a positive number"),
    (
        lambda: sp.KelvinVoigt(1.0, G="x"),
        "KelvinVoigt: G is 'x', expected zero or a positive number",
    ),
    (
        lambda: beam(theory="rayleigh"),
        "Beam 'link': theory is 'rayleigh', expected 'euler_bernoulli' or 'timoshenko'",
    ),
]


@pytest.mark.parametrize(("make", "sentence"), MESSAGES, ids=[s for _, s in MESSAGES])
def test_messages(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        make()
    assert str(caught.value) == sentence


def test_a_kink_is_no_smooth_function() -> None:
    with pytest.raises(ModelError, match="expected a smooth function of s"):
        sp.reduction.UserShapes(v=[lambda s: max(0.0, s - 0.37)])
