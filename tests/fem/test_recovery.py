"""Strain and stress of shells and solids over time: exact fields, envelopes, gauges, rosettes."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.shell_meshes import ALUMINIUM, folded, irregular
from supple.bodies.base.flexible import FlexibleBody
from supple.fem.base.component import rigid_modes
from supple.fem.recovery.point_history import point_history
from supple.fem.recovery.section_points import principal_strains, rosette_strain
from supple.fem.recovery.stress_points import mesh_blocks, solid_tensor, von_mises
from supple.fem.shells.points import plane_von_mises
from supple.fem.shells.shell import plate
from supple.results.views import stress as recovery
from supple.results.views.stress import StressHistory

T = np.linspace(0.0, 1.0, 11)
SWING = np.sin(2.5 * T)[:, None]  # largest at t = 0.6


def history(mesh, shape, swing=SWING):
    return StressHistory(T, swing, lambda: mesh_blocks(mesh, shape[:, None]))


def bent_plate(mesh, kx, ky, kxy):
    """Nodal coordinates of w = -(kx x^2 + ky y^2)/2 - kxy x y / 2: constant curvatures."""
    x, y, _ = mesh.nodes.T
    q = np.zeros((len(mesh.nodes), 6))
    q[:, 2] = -0.5 * (kx * x**2 + ky * y**2 + kxy * x * y)
    q[:, 3] = -(ky * y + 0.5 * kxy * x)  # w,y
    q[:, 4] = kx * x + 0.5 * kxy * y  # -w,x
    return q.ravel()


def bent_block(mesh, kappa, nu):
    """Displacements of pure bending: s_xx = E kappa y, nothing else."""
    x, y, z = mesh.nodes.T
    u = np.stack(
        [kappa * x * y, -0.5 * kappa * (x**2 + nu * (y**2 - z**2)), -nu * kappa * y * z], axis=1
    )
    return u.ravel()


def test_pure_bending_of_a_plate():
    """Constant moments on a distorted mesh: DKT has them exactly, at every point and time."""
    mesh = irregular()
    shape = bent_plate(mesh, 0.02, -0.01, 0.006)
    D, nu, h = 70e9 * 0.01**3 / 12 / (1 - 0.09), 0.3, 0.01
    moment = D * np.array([0.02 - nu * 0.01, -0.01 + nu * 0.02, 0.5 * (1 - nu) * 0.006])
    stress = moment * 6 / h**2
    found = history(mesh, shape)
    exact = plane_von_mises(stress) * np.abs(SWING)
    assert np.allclose(found.von_mises(), exact, rtol=1e-9, atol=1e-6 * exact.max())
    assert found.von_mises().shape == (11, 2 * len(mesh.triangles))
    point = point_history(mesh, shape[:, None], SWING, (0.7, 0.4, 0.0))
    assert np.allclose(point.moment("x"), moment * SWING, rtol=1e-9)
    assert np.abs(point.membrane_force("x")).max() < 1e-6 * np.abs(moment).max() / h
    assert np.allclose(point.stress("top", "x"), stress * SWING, rtol=1e-9)
    assert np.allclose(point.stress("bottom", "x"), -stress * SWING, rtol=1e-9)
    assert np.allclose(point.von_mises("bottom"), exact[:, 0], rtol=1e-9)
    assert np.allclose(point.deflection[:, 2], point.point.displacement[2] @ shape * SWING[:, 0])
    assert np.allclose(point.rotation, (point.point.rotation @ shape) * SWING)
    assert np.allclose(point.gauge("y"), point.strain("top", "x")[:, 1])


@pytest.mark.parametrize("kind", ["hex20", "hex27", "tet10"])
def test_pure_bending_of_a_block(kind):
    """Quadratic displacements: exact in quadratic elements, largest at the outer fibre."""
    steel = sp.Material(E=2.1e11, G=2.1e11 / 2.6, density=7850)
    mesh = sp.fem.block((0.4, 0.06, 0.04), (3, 2, 1), kind, steel)
    shape = bent_block(mesh, 0.1, 0.3)
    found = history(mesh, shape)
    exact = np.abs(2.1e11 * 0.1 * mesh.nodes[:, 1]) * np.abs(SWING)
    assert np.allclose(found.von_mises(), exact, atol=1e-8 * exact.max())
    envelope, largest = found.envelope, found.largest
    assert np.allclose(envelope.largest, exact.max(axis=0), atol=1e-8 * exact.max())
    assert np.all(envelope.times[mesh.nodes[:, 1] > 0.01] == T[6])
    assert np.allclose(envelope.over_time, exact.max(axis=1), rtol=1e-8)
    assert largest.place[1] == 0.06
    assert largest.time == T[6]
    assert largest.where.startswith("node ")
    assert np.allclose(mesh.nodes[int(largest.where.split()[1])], largest.place)
    point = point_history(mesh, shape[:, None], SWING, (0.11, 0.05, 0.013))
    stress = 2.1e11 * 0.1 * 0.05 * SWING
    assert np.allclose(point.stress, stress * [1, 0, 0, 0, 0, 0], atol=1e-8 * stress.max())
    assert np.allclose(point.von_mises, np.abs(stress[:, 0]), rtol=1e-8)
    assert np.allclose(point.gauge("x"), 0.005 * SWING[:, 0], rtol=1e-9)
    assert np.allclose(point.gauge("z"), -0.3 * 0.005 * SWING[:, 0], rtol=1e-9)
    # half of v,x - u,y = -2 kappa x
    assert np.allclose(point.rotation[:, 2], -0.1 * 0.11 * SWING[:, 0], rtol=1e-8)
    at_node = point_history(mesh, shape[:, None], SWING, node=4)
    assert np.allclose(at_node.place, mesh.nodes[4])


@pytest.mark.parametrize("kind", ["hex20", "tet10"])
def test_thick_cylinder(kind):
    """Lame's solution in curved elements: errors at nodes fall with the square of their size."""
    E, nu, a, b, pressure = 2.1e11, 0.3, 0.05, 0.1, 1e8
    A, B = (x * pressure * a**2 / (b**2 - a**2) for x in (1.0, b**2))
    errors = []
    for n in (2, 4):
        box = sp.fem.block((1.0, 1.0, 1.0), (n, n, 1), kind, sp.Material(E, E / (2 + 2 * nu), 7850))
        r, angle = a + (b - a) * box.nodes[:, 0], 0.5 * np.pi * box.nodes[:, 1]
        across = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(r)], axis=1)
        nodes = r[:, None] * across + 0.02 * box.nodes[:, 2:] * [0.0, 0.0, 1.0]
        mesh = sp.fem.SolidMesh(nodes, box.cells, kind, box.material)
        move = (1 + nu) / E * ((1 - 2 * nu) * A * r + B / r)  # plane strain
        found = history(mesh, (move[:, None] * across).ravel(), np.ones((11, 1)))
        radial, hoop = A - B / r**2, A + B / r**2
        axial = nu * (radial + hoop)
        zero = np.zeros_like(r)
        exact = von_mises(np.stack([radial, hoop, axial, zero, zero, zero], axis=1))
        errors.append(np.abs(found.envelope.largest - exact).max() / exact.max())
    assert errors[0] > 2.5 * errors[1]  # towards 4
    assert errors[1] < 0.05
    assert np.linalg.norm(found.largest.place[:2]) == pytest.approx(a)


@pytest.mark.parametrize("kind", ["tet4", "hex8"])
def test_a_constant_stress_is_the_same_everywhere(kind):
    """The patch test, through the averages at nodes."""
    steel = sp.Material(E=2.1e11, G=2.1e11 / 2.6, density=7850)
    mesh = sp.fem.block((0.4, 0.06, 0.04), (3, 2, 2), kind, steel)
    strain = np.array([[1e-3, 2e-4, 0.0], [0.0, -3e-4, 1e-4], [0.0, 0.0, -3e-4]])
    shape = (mesh.nodes @ strain.T).ravel()
    law, own = mesh.law, 0.5 * (strain + strain.T)
    stress = law @ [*np.diag(own), 2 * own[0, 1], 2 * own[0, 2], 2 * own[1, 2]]
    found = history(mesh, shape, np.ones((11, 1)))
    assert np.allclose(found.von_mises(), von_mises(stress), rtol=1e-9)
    # von Mises by its definition, from the deviator
    tensor = solid_tensor(stress * [1, 1, 1, 2, 2, 2])
    deviator = tensor - np.trace(tensor) / 3 * np.eye(3)
    assert von_mises(stress) == pytest.approx(np.sqrt(1.5 * np.sum(deviator**2)))


@pytest.mark.parametrize(
    "mesh", [folded(), sp.fem.block((1, 0.5, 0.2), (2, 2, 1), "hex20", ALUMINIUM)]
)
def test_rigid_motions_have_no_stress(mesh):
    """Against what a strain of the same size would give."""
    rigid = rigid_modes(mesh)
    found = StressHistory(T[:6], np.eye(6), lambda: mesh_blocks(mesh, rigid))
    assert found.envelope.largest.max() < 1e-9 * ALUMINIUM.E


def test_blocks_and_times_are_gone_through_in_parts(monkeypatch):
    mesh = plate(1.0, 0.6, 5, 4, thickness=0.01, material=ALUMINIUM)
    shape = np.random.default_rng(3).normal(size=(mesh.size, 4))
    q = np.random.default_rng(4).normal(size=(11, 4))
    whole = StressHistory(T, q, lambda: mesh_blocks(mesh, shape))
    monkeypatch.setattr(recovery, "AT_ONCE", 200)
    monkeypatch.setattr("supple.fem.recovery.stress_points.AT_ONCE", 7)
    parts = StressHistory(T, q, lambda: mesh_blocks(mesh, shape))
    assert len(list(mesh_blocks(mesh, shape))) > 2
    order = [parts.envelope.names.index(name) for name in whole.envelope.names]
    assert np.allclose(parts.envelope.largest[order], whole.envelope.largest, rtol=1e-12)
    assert np.array_equal(parts.envelope.times[order], whole.envelope.times)
    assert np.allclose(parts.envelope.over_time, whole.envelope.over_time, rtol=1e-12)
    assert np.allclose(parts.von_mises().max(axis=0), parts.envelope.largest)
    assert np.allclose(parts.envelope.places[order], whole.envelope.places)


def test_a_rosette_finds_the_strain_behind_it():
    """Principal strains of three readings are the eigenvalues of the tensor, in its directions."""
    mesh = irregular()
    rng = np.random.default_rng(2)
    shape = rng.normal(size=(mesh.size, 3)) * 1e-3
    q = rng.normal(size=(5, 3))
    point = point_history(mesh, shape, q, (1.3, 0.6, 0.0))
    for angles in ((0.0, np.pi / 4, np.pi / 2), (0.1, 1.2, 2.2, 2.9)):
        strain = rosette_strain(point.rosette((1, 0.5, 0), angles), angles)
        assert np.allclose(strain, point.strain("top", (1, 0.5, 0)), atol=1e-12)
        for e, (large, small, angle) in zip(strain, principal_strains(strain), strict=True):
            tensor = np.array([[e[0], e[2] / 2], [e[2] / 2, e[1]]])
            direction = np.array([np.cos(angle), np.sin(angle)])
            assert np.allclose(np.linalg.eigvalsh(tensor), [small, large])
            assert np.allclose(tensor @ direction, large * direction)
    with pytest.raises(sp.ModelError, match=r"angles is \(0, 1\), expected three or more angles"):
        rosette_strain([0.0, 1.0], (0.0, 1.0))
    with pytest.raises(sp.ModelError, match="at least three of them different directions"):
        rosette_strain([0.0, 1.0, 2.0], (0.0, 1.0, np.pi))
    with pytest.raises(sp.ModelError, match=r"shape of readings is \(2\), expected 3 numbers in"):
        rosette_strain([0.0, 1.0])


def test_a_body_with_a_component_is_recovered():
    """What a body needs: its component, and the basis of its elastic coordinates."""
    mesh = plate(1.0, 0.6, 2, 2, thickness=0.01, material=ALUMINIUM)
    basis = np.random.default_rng(3).normal(size=(mesh.size, 4))

    class Plate(FlexibleBody):
        name = "p"

        def component_shapes(self, point_masses=()):
            return mesh, basis

    found, known = (list(x) for x in (Plate().stress_blocks(), mesh_blocks(mesh, basis)))
    assert all(np.array_equal(a.stress, b.stress) for a, b in zip(found, known, strict=True))
    beam = sp.Beam("b", 1.0, sp.Circle(0.01), ALUMINIUM)
    with pytest.raises(sp.ModelError, match="component is None, expected a body made of a finite"):
        beam.component_shapes()


def test_sentences_of_errors():
    mesh = sp.fem.block((1, 0.5, 0.2), (1, 1, 1), "hex8", ALUMINIUM)
    basis, q = np.zeros((mesh.size, 1)), np.zeros((2, 1))
    with pytest.raises(sp.ModelError, match="node is 99, expected a number from 0 to 7"):
        point_history(mesh, basis, q, node=99)
    with pytest.raises(sp.ModelError, match="expected a place"):
        point_history(mesh, basis, q, triangle=1)
    frame = sp.FrameStructure(
        "f", [(0, 0, 0), (1, 0, 0)], [sp.Member(0, 1, sp.Circle(0.1), ALUMINIUM)]
    )
    for ask in (point_history, lambda c, b, q: list(mesh_blocks(c, b))):
        with pytest.raises(sp.ModelError, match=r"FrameMesh: .* expected a component"):
            ask(frame.mesh(), basis, q)
