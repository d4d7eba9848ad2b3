"""Rigid motions, inertia integrals and the examination of components."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple as sp
from models.solid_meshes import KINDS, STEEL, curved
from oracles.nastran_beam import beam_mesh, imported_beam
from supple.fem.base.imported import lumped_masses
from supple.fem.base.inertia import InertiaIntegrals, moment_points, point_integrals
from supple.foundation.errors import SuppleWarning

TURN = Rotation.from_rotvec([0.4, -0.7, 1.1]).as_matrix()


def agree(a: InertiaIntegrals, b: InertiaIntegrals, tolerance: float = 1e-12) -> None:
    """All integrals agree; the scale of a product is that of both factors squared."""
    scale = np.sqrt(np.diag(b.moments))
    assert np.all(np.abs(a.moments - b.moments) <= tolerance * np.outer(scale, scale))


@pytest.mark.parametrize("size", [3, 6])
def test_rigid_modes_are_small_rotations(size: int) -> None:
    """Against the derivative of true rotations and translations."""
    mesh = sp.fem.block((0.3, 0.2, 0.1), (1, 1, 1), "hex8", STEEL, origin=(1, 2, 3))
    component = mesh if size == 3 else imported_beam(turn=TURN)
    R = sp.fem.rigid_modes(component).reshape(len(component.nodes), size, 6)
    for axis in range(3):
        unit = np.eye(3)[axis]
        assert R[:, :3, axis] == pytest.approx(np.tile(unit, (len(component.nodes), 1)))
        step = 1e-6
        turned = component.nodes @ Rotation.from_rotvec(step * unit).as_matrix().T
        assert R[:, :3, 3 + axis] == pytest.approx((turned - component.nodes) / step, abs=1e-5)
        if size == 6:
            assert np.all(R[:, 3:, 3 + axis] == unit)
            assert np.all(R[:, 3:, axis] == 0.0)


@pytest.mark.parametrize("kind", KINDS)
def test_integrals_from_the_mass_matrix_are_those_by_quadrature(kind: str) -> None:
    """Without rotations the mass matrix knows everything, also of curved elements."""
    mesh = curved(kind)
    basis = np.random.default_rng(3).standard_normal((mesh.size, 5))
    copy = sp.fem.ImportedComponent(mesh.nodes, 3, mesh.mass_matrix, mesh.stiffness_matrix)
    found = copy.inertia_integrals(basis)
    assert found.defect == 0.0
    agree(found, mesh.inertia_integrals(basis))
    agree(point_integrals(copy.material_points(basis)), found)
    moved = sp.fem.mass_properties(copy)
    assert moved.inertia == pytest.approx(
        sp.fem.mass_properties(mesh).inertia, rel=1e-11, abs=1e-11
    )


def test_moments_and_points_are_two_ways_to_say_the_same() -> None:
    rng = np.random.default_rng(5)
    masses, places = rng.uniform(0.1, 2.0, 40), rng.standard_normal((40, 3))
    found = point_integrals((masses, places, rng.standard_normal((40, 3, 2))))
    again = InertiaIntegrals.of_moments(found.moments, 2)
    for name in ("mass", "s0", "S1", "E0", "D0", "D1"):
        assert np.array_equal(getattr(again, name), getattr(found, name))
    mass, place, shape = moment_points(found.moments)
    assert len(mass) == 10 and mass.min() > 0.0
    agree(point_integrals((mass, place, shape)), found)


def test_integrals_of_a_model_with_rotations() -> None:
    """A beam turned in space: what rigid motions see is exact, the rest is nearly right."""
    defects = []
    for elements in (4, 8):
        mesh, imported = beam_mesh(elements), imported_beam(elements, TURN)
        T = np.kron(np.eye(2 * len(mesh.nodes)), TURN)
        R = sp.fem.rigid_modes(imported)
        mixed = np.random.default_rng(2).uniform(-0.3, 0.3, (6, 3))
        basis = sp.fem.lowest_modes(imported, 9).shapes[:, 6:] + R @ mixed
        mass, place, shape = mesh.material_points(T.T @ basis)
        exact = point_integrals((mass, place @ TURN.T, np.einsum("ij,kja->kia", TURN, shape)))
        found = imported.inertia_integrals(basis)
        for name in ("mass", "s0", "E0"):
            x, y = np.asarray(getattr(found, name)), np.asarray(getattr(exact, name))
            assert np.abs(x - y).max() < 1e-12 * np.abs(y).max()
        assert np.abs(exact.S1).max() > 0.1
        assert np.abs(found.S1 - exact.S1).max() < 1e-11 * np.abs(exact.S1).max()
        odd = [(D - D.transpose(1, 0, 2)) for D in (found.D0, exact.D0)]
        assert np.abs(odd[0] - odd[1]).max() < 1e-11 * np.abs(odd[1]).max()
        energy = np.einsum("iiab->ab", found.D1)
        assert energy == pytest.approx(basis.T @ (imported.mass_matrix @ basis), abs=1e-10)
        # What lumping cannot tell is where the energy of the sections' rotations is: their share
        # is that of the displacements along the beam.
        elastic = T.T @ (basis - R @ mixed)
        local = point_integrals(mesh.material_points(elastic))
        share = np.diag(local.D1[0, 0]).max()
        assert 0.001 < share < 0.01
        assert np.abs(found.D1 - exact.D1).max() < share * np.abs(energy).max()
        assert np.abs(found.D0 - exact.D0).max() < share * np.sqrt(np.trace(exact.E0))
        moments = found.moments
        assert np.linalg.eigvalsh(moments)[0] > -1e-13 * np.trace(moments)
        agree(point_integrals(imported.material_points(basis)), found, 1e-11)
        defects.append(found.defect)
    # lumping is of second order in the length of the elements
    assert 0.0 < defects[1] < 0.3 * defects[0]


def test_points_of_a_model_with_rotations_have_its_mass() -> None:
    imported = imported_beam(4, TURN)
    found = sp.fem.mass_properties(imported)
    exact = point_integrals(beam_mesh(4).material_points(np.zeros((30, 0))))
    assert found.mass == pytest.approx(exact.mass, rel=1e-12)
    assert found.centre == pytest.approx(TURN @ exact.s0 / exact.mass, rel=1e-12)


def test_lumped_masses_are_positive_and_sum_up() -> None:
    for component in (curved("tet10"), curved("hex20"), imported_beam()):
        found = lumped_masses(component)
        assert found.min() > 0.0
        assert found.sum() == pytest.approx(sp.fem.mass_properties(component).mass, rel=1e-12)


def test_report_of_a_sound_block() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        report = sp.fem.check_component(sp.fem.block((1.0, 0.2, 0.1), (4, 2, 1), "hex20", STEEL))
    assert report.sound and report.rigid == 6 and report.inertia_defect == 0.0
    assert report.rigid_force < 1e-14
    assert report.frequencies[0] == pytest.approx(515.0, rel=0.02)  # Euler: 526 Hz, less shear
    text = str(report)
    for part in ("mass           157 kg", "rigid motions  6", "0.5 0.1 0.05 m", "no problems"):
        assert part in text


def test_report_of_a_beam_names_its_estimate() -> None:
    report = sp.fem.check_component(imported_beam(24))
    assert report.sound and 0.0 < report.inertia_defect < 0.1
    assert "lumped masses" in str(report)
    # Euler's free beam: 4.730^2 / (2 pi L^2) sqrt(E I / (rho A)) in the soft direction
    euler = 22.3733 / (2 * np.pi * 0.81) * np.sqrt(2.1e11 / 7850.0) * 0.02 / np.sqrt(12.0)
    assert report.frequencies[0] == pytest.approx(euler, rel=2e-3)


def test_report_of_a_held_model() -> None:
    """A spring to the ground at one node: fewer rigid motions, and forces in them."""
    mesh = sp.fem.block((1.0, 0.2, 0.1), (4, 1, 1), "hex20", STEEL)
    K = mesh.stiffness_matrix.tolil()
    for k in range(3):
        K[k, k] += 1e9
    report = sp.fem.check_component(
        sp.fem.ImportedComponent(mesh.nodes, 3, mesh.mass_matrix, K.tocsc())
    )
    assert report.rigid == 3 and not report.sound
    assert any("a rigid motion needs forces of" in p for p in report.problems)
    assert "there are 3 motions without strain, expected the 6 of a free rigid body" in str(report)


def test_report_of_an_indefinite_stiffness() -> None:
    mesh = sp.fem.block((1.0, 0.2, 0.1), (3, 1, 1), "hex20", STEEL)
    K = mesh.stiffness_matrix.copy()
    shape = sp.fem.lowest_modes(mesh, 8).shapes[:, 7:]
    force = mesh.mass_matrix @ shape
    K = K - 3.0 * sp.fem.lowest_modes(mesh, 8).eigenvalues[7] * (force @ force.T)
    report = sp.fem.check_component(sp.fem.ImportedComponent(mesh.nodes, 3, mesh.mass_matrix, K))
    assert any("has 1 negative eigenvalues, the lowest is -" in p for p in report.problems)


@pytest.mark.filterwarnings("ignore:the body is")  # a second sentence about the same mistake
@pytest.mark.parametrize(
    ("size", "material", "sentence"),
    [
        ((1.0, 0.2, 0.1), sp.Material(2.1e5, 8.1e4, 7850.0), "a modulus in MPa with a density"),
        ((1000.0, 200.0, 100.0), sp.Material(2.1e5, 8.1e4, 7.85e-9), "density in t/mm3"),
        ((1000.0, 200.0, 100.0), STEEL, "lengths in mm"),
    ],
)
def test_wrong_units_are_warned_of(size, material, sentence: str) -> None:
    with pytest.warns(SuppleWarning, match=sentence) as caught:
        report = sp.fem.check_component(sp.fem.block(size, (3, 1, 1), "hex20", material))
    assert not report.sound
    assert f"{report.frequencies[0]:.4g} Hz" in str(caught[0].message)


def test_usual_materials_are_not_warned_of() -> None:
    rubber = sp.Material(E=2e6, G=0.67e6, density=1100.0)
    diamond = sp.Material(E=1.1e12, G=5e11, density=3500.0)
    for material in (rubber, diamond, STEEL):
        for size in ((0.001, 0.001, 0.0005), (50.0, 1.0, 1.0)):
            for kind in KINDS:
                mesh = sp.fem.block(size, (2, 1, 1), kind, material)
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    sp.fem.check_component(mesh)
