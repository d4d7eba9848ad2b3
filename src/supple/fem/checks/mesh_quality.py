"""Check that the mesh of a component is fine enough for its own lowest frequency."""

from __future__ import annotations

import numpy as np

from supple.fem.base.component import Component
from supple.fem.base.vibration import Vibration, lowest_modes
from supple.fem.refinement.meshes import LARGEST_ALONE, finer
from supple.fem.solids.recovery import continuous_energy
from supple.fem.solids.solid import SolidMesh
from supple.foundation.arrays import Array
from supple.foundation.errors import percent

MISSED = 0.02  # part of a frequency
FEWER = 4 * LARGEST_ALONE  # coordinates of a mesh whose finer one is not even made
NEARLY_INCOMPRESSIBLE = 0.45  # Poisson's ratio, from which on volumes lock most elements


def poisson(mesh: SolidMesh) -> float:
    """Poisson's ratio of its material."""
    return mesh.material.E / (2.0 * mesh.material.G) - 1.0


def mesh_advice(component: Component) -> str:
    """Advice that improves a mesh, for sentences."""
    locks = isinstance(component, SolidMesh) and component.kind == "tet4"
    return "use tet10, or smaller elements" if locks else "use smaller elements"


def mesh_problems(component: Component, found: Vibration, rigid: int) -> list[str]:
    """A sentence if the lowest elastic frequency of a free component is wrong by its mesh."""
    if rigid >= len(found.frequencies):
        return []
    part = _too_high(component, found, rigid)
    if part is None or abs(part) <= MISSED:
        return []
    high = "high" if part > 0.0 else "low"
    return [
        f"by its mesh the frequency {found.frequencies[rigid]:.4g} Hz is about "
        f"{percent(abs(part / (1.0 - part)))} too {high}, expected at most {percent(MISSED)}: "
        f"{mesh_advice(component)}"
    ]


def _too_high(component: Component, found: Vibration, rigid: int) -> float | None:
    """Part of the lowest elastic frequency by which it is too high; None if it is not known."""
    own = float(found.eigenvalues[rigid])
    better = finer(component) if component.size < FEWER else None
    if better is not None and better.component.size <= LARGEST_ALONE:
        values = lowest_modes(better.component, rigid + 1).eigenvalues
        flexible = 1.0 / float(values[rigid])
        flexible += better.rest * (flexible - 1.0 / own)
        return 1.0 - float(np.sqrt(1.0 / (own * flexible)))
    if isinstance(component, SolidMesh) and component.kind == "tet4":
        shape: Array = found.shapes[:, [rigid]]
        energy = float(continuous_energy(component, shape)[0, 0])
        whole = float(shape[:, 0] @ (component.stiffness_matrix @ shape[:, 0]))
        return 1.0 - float(np.sqrt(min(energy / whole, 1.0)))
    return None
