"""Beams of assumed shapes: exact frequencies and integrals, limits of fine meshes, runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import supple as sp
from supple.foundation.errors import ModelError
from supple.reduction.assumed.shapes import SineFunctions

STEEL = sp.Material(E=2.1e11, G=8e10, density=7800)
FLAT = sp.Rectangle(0.02, 0.05)
L = 1.3
MASSES = ((0.31, 0.7), (L, 1.1), (1.0, 0.2))


def beam(modes: Any = None, section: Any = FLAT, **options: Any) -> sp.Beam:
    options = {"reference": "chord", "rotary_inertia": False, **options}
    return sp.Beam("rod", L, section, STEEL, modes=modes or sp.reduction.SineShapes(3), **options)


# ----------------------------------------------------------------------------- functions and names


@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_derivatives_of_the_functions(shift: float) -> None:
    f = SineFunctions(5, shift)
    for s in (0.0, 0.13, 0.5, 0.51, 0.87, 1.0):
        i = np.arange(1, 6) - shift
        for d in range(3):
            exact = (1j * math.pi * i) ** d * np.exp(1j * math.pi * i * s)
            # Rounding of the argument up to 5 pi.
            np.testing.assert_allclose(f.values(s, d), exact.imag, rtol=0, atol=1e-14 * 16.0**d)
    if shift == 0.0:
        assert not f.values(0.0).any()
        assert not f.values(1.0).any()


def test_names_units_and_order() -> None:
    both = beam(sp.reduction.SineShapes(2)).modal()
    assert both.coordinate_names == ("v_1", "w_1", "v_2", "w_2")
    assert both.coordinate_units == ("m",) * 4
    one = beam(sp.reduction.SineShapes(2, planes="z")).modal()
    assert one.coordinate_names == ("w_1", "w_2")
    full = beam(sp.reduction.SineShapes(2, axial=1, twist=1), rotary_inertia=True).modal()
    assert full.coordinate_names == ("u_1", "v_1", "w_1", "tx_1", "v_2", "w_2")
    assert full.coordinate_units == ("m", "m", "m", "rad", "m", "m")
    assert repr(sp.reduction.SineShapes(3)) == "SineShapes(3)"
    assert (
        repr(sp.reduction.SineShapes(3, ("y",), twist=2)) == "SineShapes(3, planes=('y',), twist=2)"
    )
    assert sp.reduction.SineShapes(3, ("z", "y")) == sp.reduction.SineShapes(3)


# ------------------------------------------------------------------------------------ closed forms


def test_frequencies_of_a_beam_on_two_pins() -> None:
    rod = beam(sp.reduction.SineShapes(4))
    i = np.arange(1, 5)
    exact = [
        (i * math.pi / L) ** 2 * math.sqrt(STEEL.E * second / (STEEL.density * FLAT.area))
        for second in (FLAT.I_z, FLAT.I_y)
    ]
    found = 2 * math.pi * rod.modal().frequencies
    np.testing.assert_allclose(found, np.sort(np.concatenate(exact)), rtol=1e-13)


def test_frequencies_with_rotary_inertia_extension_and_twist() -> None:
    # Rayleigh: w^2 = E I k^4 / (rho A + rho I k^2); rods fixed at one end: (i - 1/2) pi c / L.
    rod = beam(sp.reduction.SineShapes(2, axial=2, twist=2), rotary_inertia=True)
    rho, exact = STEEL.density, []
    for i in (1, 2):
        k = i * math.pi / L
        for second in (FLAT.I_y, FLAT.I_z):
            squared = STEEL.E * second * k**4 / (rho * (FLAT.area + second * k**2))
            exact.append(math.sqrt(squared))
        quarter = (i - 0.5) * math.pi / L
        exact.append(quarter * math.sqrt(STEEL.E / rho))
        exact.append(quarter * math.sqrt(STEEL.G * FLAT.J / (rho * FLAT.I_p)))
    found = 2 * math.pi * rod.modal().frequencies
    np.testing.assert_allclose(found, np.sort(exact), rtol=1e-12)


def test_attachments_and_strain() -> None:
    rod = beam(sp.reduction.SineShapes(3))
    for x in (0.0, 0.37, L / 2, L):
        at = rod.attachment(rod.at(x))
        k = np.arange(1, 4) * math.pi / L
        sine, slope = np.sin(k * x), k * np.cos(k * x)
        zero = np.zeros(3)
        np.testing.assert_allclose(at.Phi[:, 0::2], [zero, sine, zero], atol=1e-14)
        np.testing.assert_allclose(at.Phi[:, 1::2], [zero, zero, sine], atol=1e-14)
        np.testing.assert_allclose(at.Psi[:, 0::2], [zero, zero, slope], atol=1e-13)
        np.testing.assert_allclose(at.Psi[:, 1::2], [zero, -slope, zero], atol=1e-13)
        np.testing.assert_array_equal(at.p0, [x, 0, 0])
        gauge = rod.strain_gauge(x, "y")  # -y v''
        np.testing.assert_allclose(gauge[0::2], FLAT.half_sizes[0] * k**2 * sine, atol=1e-12)
        assert not gauge[1::2].any()
    stretched = beam(sp.reduction.SineShapes(1, axial=1, twist=1), rotary_inertia=True)
    end = stretched.attachment(stretched.at(L))
    np.testing.assert_allclose(end.Phi[0], [1, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(end.Psi[0], [0, 0, 0, 1], atol=1e-15)


def test_static_deflection_under_a_force_between_the_pins() -> None:
    # F a^2 b^2 / (3 E I L) at the force; the series of sines converges with n^-3.
    a, force, errors = 0.4, 50.0, []
    exact = force * a**2 * (L - a) ** 2 / (3 * STEEL.E * FLAT.I_z * L)
    for n in (10, 20, 40):
        rod = beam(sp.reduction.SineShapes(n, planes="y"))
        row = rod.attachment(rod.at(a)).Phi[1]
        errors.append(1.0 - row @ np.linalg.solve(rod.modal().K, force * row) / exact)
    assert 0.0 < errors[-1] < 1e-5
    assert errors[0] / errors[-1] == pytest.approx(64.0, rel=0.2)


# --------------------------------------------------------------------------------------- integrals


def displacement(names: tuple[str, ...], x: float, y: float, z: float) -> np.ndarray:
    """Shape (3, n) at a material point, from the definition of the coordinates by their names."""
    rows = np.zeros((3, len(names)))
    for column, name in enumerate(names):
        field, i = name.split("_")
        k = (int(i) - 0.5 * (field in ("u", "tx"))) * math.pi / L
        f, slope = math.sin(k * x), k * math.cos(k * x)
        rows[:, column] = {
            "u": (f, 0, 0),
            "v": (-y * slope, f, 0),
            "w": (-z * slope, 0, f),
            "tx": (0, -z * f, y * f),
        }[field]
    return rows


@pytest.mark.parametrize("rotary", [False, True])
@pytest.mark.parametrize("roll", [0.0, 0.6])
def test_integrals_against_adaptive_quadrature(rotary: bool, roll: float) -> None:
    shapes = (
        sp.reduction.SineShapes(3, axial=2, twist=1)
        if rotary
        else sp.reduction.SineShapes(3, axial=2)
    )
    body = beam(shapes, rotary_inertia=rotary, roll=roll).modal(MASSES)
    names, n = body.coordinate_names, body.n
    # The rectangle by Gauss points of its own: two in each direction are exact for squares.
    cos, sin = math.cos(roll), math.sin(roll)
    places = []
    for a in (-1, 1):
        for b in (-1, 1):
            y, z = np.array([a, b]) * FLAT.half_sizes / math.sqrt(3)
            places.append((y * cos - z * sin, y * sin + z * cos))
    places = places if rotary else [(0.0, 0.0)]

    def integral(f: Any) -> float:
        """Integral of rho f(place, shape) over the beam and its point masses."""

        def along(x: float) -> float:
            values = [f(np.array([x, y, z]), displacement(names, x, y, z)) for y, z in places]
            return STEEL.density * FLAT.area * sum(values) / len(values)

        total = quad(along, 0.0, L, epsabs=1e-12, epsrel=1e-12, limit=200)[0]
        for x, m in MASSES:
            total += m * f(np.array([x, 0.0, 0.0]), displacement(names, x, 0.0, 0.0))
        return total

    # Sums with random amplitudes: every entry takes part.
    c, d = np.random.default_rng(3).normal(size=(2, n))
    assert body.mass == pytest.approx(integral(lambda r, S: 1.0), rel=1e-14)
    for i in range(3):
        assert body.s0[i] == pytest.approx(integral(lambda r, S, i=i: r[i]), abs=1e-12)
        S1 = integral(lambda r, S, i=i: S[i] @ c)
        assert body.S1[i] @ c == pytest.approx(S1, abs=1e-12)
        for j in range(3):
            E0 = integral(lambda r, S, i=i, j=j: r[i] * r[j])
            assert body.E0[i, j] == pytest.approx(E0, abs=1e-12)
            D0 = integral(lambda r, S, i=i, j=j: r[i] * (S[j] @ c))
            assert body.D0[i, j] @ c == pytest.approx(D0, abs=1e-12)
            D1 = integral(lambda r, S, i=i, j=j: (S[i] @ c) * (S[j] @ d))
            assert c @ body.D1[i, j] @ d == pytest.approx(D1, abs=1e-12)
    M = integral(lambda r, S: (S @ c) @ (S @ d))
    assert c @ body.M @ d == pytest.approx(M, abs=1e-12)


@pytest.mark.parametrize("roll", [0.0, 0.6])
def test_stiffness_against_closed_forms(roll: float) -> None:
    body = beam(sp.reduction.SineShapes(3, axial=2, twist=1), rotary_inertia=True, roll=roll).modal(
        MASSES
    )
    c, s = math.cos(roll), math.sin(roll)
    I_yy = FLAT.I_z * c * c + FLAT.I_y * s * s  # integral of y y in the body's axes
    I_zz = FLAT.I_z * s * s + FLAT.I_y * c * c
    I_yz = (FLAT.I_z - FLAT.I_y) * s * c
    law = {"vv": STEEL.E * I_yy, "ww": STEEL.E * I_zz, "vw": STEEL.E * I_yz, "wv": STEEL.E * I_yz,
           "uu": STEEL.E * FLAT.area, "txtx": STEEL.G * FLAT.J}  # fmt: skip
    K = np.zeros((body.n, body.n))
    parts = [name.split("_") for name in body.coordinate_names]
    for a, (field, i) in enumerate(parts):
        for b, (other, j) in enumerate(parts):
            if i == j and field + other in law:
                bends = field in "vw"
                k = (int(i) - 0.5 * (not bends)) * math.pi / L
                K[a, b] = law[field + other] * k ** (4 if bends else 2) * L / 2
    scale = np.sqrt(np.outer(np.diag(K), np.diag(K)))
    np.testing.assert_allclose(body.K / scale, K / scale, rtol=0, atol=1e-13)


def test_damping_belongs_to_mass_and_stiffness() -> None:
    body = beam(damping=sp.Rayleigh(stiffness=2e-4, mass=0.3)).modal(MASSES)
    np.testing.assert_allclose(body.C, 2e-4 * body.K + 0.3 * body.M, rtol=1e-14)
    assert not beam().modal().C.any()


@pytest.mark.parametrize("rotary", [False, True])
def test_fine_meshes_converge_to_the_sines(rotary: bool) -> None:
    """Elements with the nodal values of the sines: the integrals agree with order four."""
    masses = ((L / 2, 0.7), (L, 1.1))  # at nodes, where elements are exact
    shapes = sp.reduction.SineShapes(2, axial=1, twist=1) if rotary else sp.reduction.SineShapes(2)
    sines = beam(shapes, rotary_inertia=rotary, roll=0.4)
    exact = sines.modal(masses)
    errors = []
    for elements in (8, 16, 32):
        mesh = beam("all", elements=elements, rotary_inertia=rotary, roll=0.4)
        body = mesh.modal(masses)
        nodes = [sines.attachment(sines.at(x)) for x in np.linspace(0.0, L, elements + 1)]
        rows = {}
        for k, at in enumerate(nodes):
            for c, row in zip("u v w tx ty tz".split(), [*at.Phi, *at.Psi], strict=True):
                rows[f"{c}_{k}"] = row
        T = np.array([rows[name] for name in body.coordinate_names])
        # u and twist are linear between nodes: order two
        bending = [i for i, name in enumerate(exact.coordinate_names) if name[0] in "vw"]
        others = [i for i in range(exact.n) if i not in bending]
        found = []
        for columns in (bending, others):
            t, part = T[:, columns], np.ix_(columns, columns)
            pairs = [
                (body.S1 @ t, exact.S1[:, columns]),
                (body.D0 @ t, exact.D0[:, :, columns]),
                (t.T @ body.D1 @ t, exact.D1[:, :, *part]),
                (t.T @ body.K @ t, exact.K[part]),
                (t.T @ body.M @ t, exact.M[part]),
            ]
            if columns:
                found.append([np.abs(a - b).max() / np.abs(b).max() for a, b in pairs])
        errors.append(found)
        np.testing.assert_allclose(body.s0, exact.s0, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(body.E0, exact.E0, rtol=1e-13, atol=1e-13)
    rates = np.log2(np.array(errors)[-2] / np.array(errors)[-1])
    np.testing.assert_allclose(rates[0], 4.0, atol=0.1)
    assert np.array(errors)[-1, 0].max() < 1e-5
    if rotary:
        np.testing.assert_allclose(rates[1], 2.0, atol=0.1)


# ------------------------------------------------------------------------------------------ in runs


SOFT = sp.Material(E=1e7, G=4e6, density=1100)


def free_beam(modes: Any, **options: Any) -> sp.Model:
    """A beam in free space that a weight beside its axis bends in both planes."""
    m = sp.Model(gravity=(0, 0, 0))
    section = sp.Rectangle(0.05, 0.03)
    rod = m.add(sp.Beam("rod", 1.0, section, SOFT, modes=modes, reference="chord", **options))
    bob = m.add(sp.RigidBody("bob", 0.4, com=(0.0, 0.1, 0.07), inertia=(2e-3, 3e-3, 4e-3)))
    m.add(sp.PointMass("weight", rod.at(0.8), 0.6))
    m.add(sp.Fixed("weld", rod.at(0.4), bob.at(0)))
    m.add(sp.Free("free", m.ground.at(0), rod.at(0.0), initial_rate=(6, 7, 8, 0.5, -1, 0.3)))
    return m


@pytest.mark.parametrize("rotary", [False, True])
def test_a_free_spinning_beam_keeps_energy_and_momentum(rotary: bool) -> None:
    modes = sp.reduction.SineShapes(3, axial=1, twist=1) if rotary else sp.reduction.SineShapes(3)
    m = free_beam(modes, rotary_inertia=rotary)
    result = sp.simulate(m, 0.6, tolerance="tight", output=60)
    assert result.success
    middle = result["rod"].at(0.5)
    assert np.abs(middle.deflection[:, 1:]).max(axis=0).min() > 2e-3, "or nothing is tested"
    record = result.energy.record
    assert result.energy.strain.max() > 1e-3 * record.kinetic_max
    # As for other bodies in the tests of conservation, at the same tolerance.
    assert record.max_error < 1e-10 * record.kinetic_max
    assert len(result.momentum) == 6
    for part in result.momentum:
        assert part.max_error < 1e-9 * part.scale


def test_sines_and_modes_of_a_fine_mesh_move_alike() -> None:
    """Modes of a mesh of order four on the same pins are the sines: errors fall as (1/elements)^4.

    A pin, gravity across, and no rotary inertia, so that both have the same shapes.
    """

    def path(modes: Any, elements: int) -> np.ndarray:
        m = sp.Model(gravity=(0, -9.81, 3.0))
        section = sp.Rectangle(0.05, 0.03)
        rod = m.add(
            sp.Beam("rod", 1.0, section, SOFT, elements, modes, "chord", rotary_inertia=False)
        )
        m.add(sp.Universal("pin", m.ground.at(0), rod.at(0), axes=("z", "y"), initial_rate=(3, 1)))
        return sp.simulate(m, 0.4, tolerance=1e-9, output=20)["rod"].at(1.0).position

    # bending modes 1 and 2 of both planes are the lowest four: the axial ones are far above
    exact = path(sp.reduction.SineShapes(2), 1)
    errors = [np.abs(path(4, elements) - exact).max() for elements in (6, 12)]
    assert np.ptp(exact, axis=0).max() > 0.1
    assert errors[1] < 1e-5
    assert math.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.3)


def test_load_along_the_beam() -> None:
    # Half of the span under a triangle: generalized forces against adaptive quadrature.
    rod = beam(sp.reduction.SineShapes(6, planes="y"))
    load = sp.DistributedLoad("load", rod.at(0.2), (0, 5.0, 0), end=0.9, profile=(0.5, 2.0))
    for order in (3, 4, 5):
        points = load.points(rod, order)
        found = sum(w * rod.attachment(rod.at(x)).Phi[1] for x, w in points)
        for i in range(1, 7):
            k = i * math.pi / L

            def part(x: float, k: float = k) -> float:
                return (0.5 + 1.5 * (x - 0.2) / 0.7) * math.sin(k * x)

            exact = quad(part, 0.2, 0.9)[0]
            assert found[i - 1] == pytest.approx(exact, abs=1e-12)


def test_convergence_study_varies_the_number_of_sines() -> None:
    model = free_beam(sp.reduction.SineShapes(2, planes="y"))
    study = sp.converge(model, "rod.modes", t_end=0.01, times=3)
    assert study.output == "rod.at(0.5).deflection"
    assert study.size > 1e-6
    assert study.values == tuple(sp.reduction.SineShapes(n, planes="y") for n in range(1, 7))
    assert study.differences[-1] < study.differences[0]


# ----------------------------------------------------------------------------------------- messages

CHORD = "'chord' with SineShapes(2), because sines turn both ends and move neither"
MESSAGES = [
    (lambda: sp.reduction.SineShapes(0), "SineShapes: n is 0, expected a positive integer"),
    (lambda: sp.reduction.SineShapes(1.5), "SineShapes: n is 1.5, expected a positive integer"),
    (lambda: sp.reduction.SineShapes(True), "SineShapes: n is True, expected a positive integer"),
    (lambda: sp.reduction.SineShapes(2, planes="x"),
     "SineShapes: planes is 'x', expected 'y', 'z' or both"),
    (lambda: sp.reduction.SineShapes(2, planes=()),
     "SineShapes: planes is (), expected 'y', 'z' or both"),
    (lambda: sp.reduction.SineShapes(2, planes=("y", "y")),
     "SineShapes: planes is ('y', 'y'), expected 'y', 'z' or both"),
    (lambda: sp.reduction.SineShapes(2, planes=3),
     "SineShapes: planes is 3, expected 'y', 'z' or both"),
    (lambda: sp.reduction.SineShapes(2, planes=[[1]]),
     "SineShapes: planes is ((1)), expected 'y', 'z' or both"),
    (lambda: sp.reduction.SineShapes(2, axial=-1),
     "SineShapes: axial is -1, expected zero or a positive integer"),
    (lambda: sp.reduction.SineShapes(2, twist=0.5),
     "SineShapes: twist is 0.5, expected zero or a positive integer"),
    (lambda: beam(sp.reduction.SineShapes(2), reference="clamped"),
     f"Beam 'rod': reference is 'clamped', expected {CHORD}"),
    (lambda: beam(sp.reduction.SineShapes(2), reference="mean_axis"),
     f"Beam 'rod': reference is 'mean_axis', expected {CHORD}"),
    (lambda: beam(sp.reduction.SineShapes(2, twist=1)),
     "Beam 'rod': rotary_inertia is False, expected True with SineShapes(2, twist=1), or "
     "twist has no "
     "inertia"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "sentence"), MESSAGES, ids=[s for _, s in MESSAGES])
def test_messages(make: Any, sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        make()
    assert str(caught.value) == sentence
