"""Thin plates and shells that are thick: shear that is left out is told with its size."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import spsolve

import supple as sp
from supple import fem


def cantilever(
    length: float, thickness: float, tilt: float = 0.0
) -> tuple[fem.ShellMesh, np.ndarray]:
    """A strip of shells under a force at its end, anywhere in space, and its displacements."""
    material = sp.Material(E=70e9, G=35e9, density=2700)  # nu = 0: a beam
    flat = fem.plate(length, 0.1, 16, 4, thickness=thickness, material=material)
    c, s = np.cos(tilt), np.sin(tilt)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    mesh = fem.ShellMesh(flat.nodes @ turn.T, flat.triangles, thickness, material)
    x, y = flat.nodes[:, 0], flat.nodes[:, 1]
    held = (6 * np.flatnonzero(x == 0.0)[:, None] + np.arange(6)).ravel()
    free = np.setdiff1d(np.arange(mesh.size), held)
    end = np.flatnonzero(x == x.max())
    share = np.where((y[end] == 0.0) | (y[end] == y.max()), 0.5, 1.0)
    load = np.zeros((len(x), 6))
    load[end, :3] = np.outer(share / share.sum(), turn[:, 2])
    q = np.zeros(mesh.size)
    q[free] = spsolve(mesh.stiffness_matrix[free][:, free], load.ravel()[free])
    return mesh, q


@pytest.mark.parametrize("tilt", [0.0, 0.7])
@pytest.mark.parametrize(("length", "thickness"), [(0.3, 0.1), (1.0, 0.1), (0.3, 0.003)])
def test_the_energy_is_that_of_a_beam_with_shear(length, thickness, tilt):
    """Moments are smoothed over triangles, which misses 2 % at the clamp."""
    mesh, q = cantilever(length, thickness, tilt)
    part = mesh.shear_energies(q[None])[0] / (0.5 * q @ (mesh.stiffness_matrix @ q))
    inertia, area = 0.1 * thickness**3 / 12, 0.1 * thickness
    shear, bending = length / (5 / 6 * 35e9 * area), length**3 / (3 * 70e9 * inertia)
    assert part == pytest.approx(shear / bending, rel=0.03)


def test_pure_bending_and_rigid_motion_have_none():
    mesh, _ = cantilever(1.0, 0.1)
    x, y = mesh.nodes[:, 0], mesh.nodes[:, 1]
    bent = np.zeros((len(x), 6))
    bent[:, 2], bent[:, 3], bent[:, 4] = x**2 + x * y, x, -2 * x - y  # w, tx = w,y, ty = -w,x
    turned = np.zeros((len(x), 6))
    turned[:, 2], turned[:, 4] = x, -1.0
    energies = mesh.shear_energies(np.array([bent.ravel(), turned.ravel()]))
    whole = 0.5 * bent.ravel() @ (mesh.stiffness_matrix @ bent.ravel())
    assert np.all(np.abs(energies) < 1e-12 * whole)


@pytest.mark.parametrize(("length", "told"), [(0.3, True), (1.0, False)])
def test_a_plate_with_nodal_vectors_is_told(length, told):
    m = sp.Model()
    material = sp.Material(E=70e9, G=35e9, density=2700)
    sheet = m.add(sp.ANCFPlate("sheet", (length, 0.1), 0.1, material, elements=(8, 2)))
    sides = sheet.coordinates[sheet.coordinates[:, 0] == 0, 1]
    for k, y in enumerate(sides):
        m.add(sp.Fixed(f"clamp {k}", m.ground.at(0, y), sheet.at(0, y)))
        m.add(sp.Force(f"load {k}", sheet.at(length, y), (0, 0, 100.0 / len(sides))))
    findings = [f for f in sp.statics(m).monitor.findings if f.what == "shear"]
    assert bool(findings) == told
    if told:
        assert findings[0].value == pytest.approx(0.6 * (0.1 / length) ** 2, rel=0.1)
        assert "would increase by up to 6.5 %" in findings[0].sentence
