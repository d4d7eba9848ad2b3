"""Meshes over nodal vectors for tests, their statics by Newton's method, and exact elasticas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.sparse.linalg import splu

from supple.cases.beams.ancf_tables import frequencies, strain_matrix
from supple.fem.base.material import Material
from supple.fem.beams.line import BeamLine
from supple.fem.nodal.ancf_beam import beam_mesh
from supple.fem.nodal.ancf_cable import cable_mesh
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.sections.sections import CrossSection, Rectangle

__all__ = ["beam", "cable", "elastica", "equilibrium", "frequencies", "slender", "strain_matrix"]
STEPS = 60


def slender(height: float, poisson: float = 0.3) -> Material:
    """A material with E I = 1 for a square section of a height."""
    E = 12.0 / height**4
    return Material(E=E, G=E / (2.0 * (1.0 + poisson)), density=1.0)


def beam(
    kind: Any, elements: int, section: CrossSection, material: Material, length: float = 1.0, **more
) -> ANCFMesh:
    """A straight beam along x."""
    line = BeamLine(section=section, material=material, length=length, theory="timoshenko")
    stations = np.linspace(0.0, length, elements + 1)
    rest = np.zeros((elements + 1, 4, 3))
    rest[:, 0, 0], rest[:, 1:] = stations, np.eye(3)
    return beam_mesh(kind, line, stations, rest, **more)


def cable(kind: Any, elements: int, height: float, dimension: int = 2, **more) -> ANCFMesh:
    """A straight cable of length and bending stiffness one."""
    line = BeamLine(section=Rectangle(height, height), material=slender(height), length=1.0)
    return cable_mesh(kind, line, np.linspace(0.0, 1.0, elements + 1), dimension, **more)


def equilibrium(
    mesh: ANCFMesh,
    load: Callable[[np.ndarray], tuple[np.ndarray, Any]],
    start: np.ndarray | None = None,
    held: int = 1,
) -> np.ndarray:
    """Nodal vectors (nodes, V, d) under a load that gives forces (nodes, V, d) and their slopes.

    The first ``held`` nodes are clamped: the length of r_x, along x at rest, is the strain there,
    which no clamp holds. Gradients change by at most 0.3 in a step.
    """
    e = (mesh.rest if start is None else start).copy()
    free = np.ones(mesh.rest.shape, dtype=bool)
    free[:held], free[:held, 1, 0] = False, True
    free = free.ravel()
    for _ in range(STEPS):
        forces, slopes = load(e)
        residual = (mesh.forces(e) - forces).ravel()[free]
        matrix = mesh.tangents(e)[0]
        matrix = (matrix if slopes is None else matrix - slopes).tocsc()[free][:, free]
        step = np.zeros(mesh.size)
        step[free] = -splu(matrix.tocsc()).solve(residual)
        step = step.reshape(e.shape)
        part = min(1.0, 0.3 / max(np.abs(step[:, 1:]).max(initial=0.0), 1e-300))
        e = e + part * step
        if part == 1.0 and np.abs(step[:, 0]).max() < 1e-9:
            return e
    raise AssertionError("no equilibrium")


def tip_force(mesh: ANCFMesh, force: Any) -> Callable[[np.ndarray], Any]:
    """A constant force (d,) at the last node."""
    forces = np.zeros(mesh.rest.shape)
    forces[-1, 0] = force
    return lambda e: (forces, None)


def tip_moment(mesh: ANCFMesh, moment: float) -> Callable[[np.ndarray], Any]:
    """A moment about z on the last node: what does work on the angle of its slope r_x."""
    from scipy import sparse

    place = mesh.size - mesh.rest.shape[1] * mesh.dimension + mesh.dimension

    def load(e: np.ndarray) -> Any:
        x, y = e[-1, 1, :2]
        square = x * x + y * y
        forces = np.zeros(mesh.rest.shape)
        forces[-1, 1, :2] = moment * np.array([-y, x]) / square
        block = np.array([[2 * x * y, y * y - x * x], [y * y - x * x, -2 * x * y]]) / square**2
        slopes = sparse.lil_array((mesh.size, mesh.size))
        slopes[place : place + 2, place : place + 2] = moment * block
        return forces, slopes.tocsc()

    return load


def elastica(load: float) -> np.ndarray:
    """Tip (2,) of a clamped line of length one under a transverse force F L^2 / E I that stays."""

    def end(curvature: float) -> np.ndarray:
        def slope(s: float, y: np.ndarray) -> list[float]:
            return [y[1], -load * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])]

        return solve_ivp(slope, (0, 1), [0, curvature, 0, 0], rtol=1e-11, atol=1e-12).y[:, -1]

    return end(brentq(lambda m: end(m)[1], 0.0, load, xtol=1e-13))[2:]
