"""Geometric stiffness of beams and frames: buckling loads, and what a rigid rotation must give."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple.fem.base.component import rigid_modes
from supple.fem.beams.beam import BeamMesh
from supple.fem.beams.frame import FrameMesh

E, G = 1e9, 4e8
STEEL = sp.Material(E=E, G=G, density=1e3)
THIN = sp.Rectangle(0.02, 0.002)
THEORIES = ("euler_bernoulli", "timoshenko")


def mesh(theory: str, roll: float = 0.3) -> BeamMesh:
    return BeamMesh(section=THIN, material=STEEL, length=1.0, theory=theory, elements=16, roll=roll)


def critical(beam: BeamMesh, load: np.ndarray) -> float:
    """Smallest positive factor of the end load (6,) at which the clamped beam buckles."""
    kept = np.arange(6, beam.size)
    K = beam.stiffness_matrix[np.ix_(kept, kept)]
    deflection = np.zeros(beam.size)
    deflection[kept] = np.linalg.solve(K, np.concatenate([np.zeros(len(kept) - 6), load]))
    KG = beam.geometric_stiffness(deflection)
    np.testing.assert_allclose(KG, KG.T, rtol=0, atol=1e-12 * np.abs(KG).max())
    values = np.linalg.eigvals(np.linalg.solve(K, -KG[np.ix_(kept, kept)]))
    return 1.0 / float(values.real.max())


@pytest.mark.parametrize("theory", THEORIES)
def test_buckling_of_a_cantilever(theory):
    """Euler's load pi^2/4 EI, and 4.0126 sqrt(EI GJ) across the stiff direction (Prandtl).

    Bounds: 16 cubic elements give Euler's load to 1e-5, with shear 2e-5 less. Twist is linear in
    an element, so lateral buckling converges with the square of its length: 1e-3 here. A moment
    about the axis turns with half the section's slope (semitangential) and buckles at pi
    sqrt(EI_y EI_z).
    """
    beam = mesh(theory)
    weak, strong = sorted((THIN.I_y, THIN.I_z))
    across = beam._axes[:, 1 if THIN.I_z == strong else 2]
    none = np.zeros(3)
    euler = critical(beam, np.array([-1.0, 0, 0, 0, 0, 0])) / (E * weak)
    assert euler == pytest.approx(np.pi**2 / 4, rel=3e-5)
    lateral = critical(beam, np.concatenate([across, none])) / np.sqrt(E * weak * G * THIN.J)
    assert lateral == pytest.approx(4.0126, rel=2e-3)
    # the ratio of both stiffnesses is 100, which raises the load of a strip by less than 1e-4
    torque = critical(beam, np.array([0, 0, 0, 1.0, 0, 0])) / (E * np.sqrt(weak * strong))
    assert torque == pytest.approx(np.pi, rel=1e-3)


def corner(theory: str, offset: float) -> FrameMesh:
    """Three members in space that meet in one node, with rigid arms there."""
    places = np.array([[0, 0, 0], [1, 0.2, 0], [1.2, 1, 0.3], [0.7, 0.1, 1.0]])
    ends = [(0, 1, {"end_offset": (0, offset, offset / 2)}), (1, 2, {})]
    ends += [(1, 3, {"start_offset": (offset, 0, -offset)})]
    sections = (sp.Rectangle(0.05, 0.03), sp.Rectangle(0.02, 0.03), sp.Rectangle(0.02, 0.04))
    members = tuple(
        sp.Member(a, b, section, STEEL, elements=2, theory=theory, roll=0.4, **arms)
        for (a, b, arms), section in zip(ends, sections, strict=True)
    )
    return FrameMesh((0, 1, 2, 3), places, members)


@pytest.mark.parametrize("theory", THEORIES)
@pytest.mark.parametrize("offset", [0.0, 0.1])
def test_a_rigid_rotation_makes_no_strain(theory, offset):
    """Balanced forces and moments on a frame do no work on a rotation, also of second order.

    A rotation by a vector t moves a node by t x x and t x (t x x)/2. The stress does no work on
    both together, so t . KG t / 2 is minus the work of the forces on the second part.
    """
    frame = corner(theory, offset)
    rng = np.random.default_rng(3)
    x, R = frame.nodes, rigid_modes(frame)
    load = rng.normal(size=6 * len(x))
    forces = np.zeros((len(load), 3 * len(x)))
    forces[np.arange(len(load)).reshape(-1, 6)[:, :3].ravel(), np.arange(3 * len(x))] = 1.0
    load -= forces @ np.linalg.lstsq(R.T @ forces, R.T @ load, rcond=None)[0]
    np.testing.assert_allclose(R.T @ load, 0, atol=1e-12)
    K = frame.stiffness_matrix.toarray()
    deflection = np.zeros(len(load))
    deflection[6:] = np.linalg.solve(K[6:, 6:], load[6:])
    KG = frame.geometric_stiffness(deflection)
    for turn in rng.normal(size=(3, 3)):
        found = 0.5 * (R[:, 3:] @ turn) @ (KG @ (R[:, 3:] @ turn))
        second = 0.5 * np.cross(turn, np.cross(turn, x))
        expected = -np.sum(load.reshape(-1, 6)[:, :3] * second)
        # rounding of the solution for the stress: condition of K about 1e7
        assert found == pytest.approx(expected, abs=1e-8)


def test_a_frame_of_one_member_is_the_beam():
    """A straight frame has the geometric stiffness of the beam mesh; its ends come first."""
    beam = BeamMesh(section=THIN, material=STEEL, length=0.8, elements=3, roll=0.7)
    frame = FrameMesh(
        (0, 1), np.array([[0, 0, 0], [0.8, 0, 0]]), (sp.Member(0, 1, THIN, STEEL, 3, roll=0.7),)
    )
    order = np.concatenate([6 * n + np.arange(6) for n in (0, 3, 1, 2)])
    displacement = np.random.default_rng(0).normal(size=beam.size)
    found = frame.geometric_stiffness(displacement[order]).toarray()
    expected = beam.geometric_stiffness(displacement)[np.ix_(order, order)]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
