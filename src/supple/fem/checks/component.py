"""An examination of a component before it is used: mass, rigid motions, frequencies, defects.

Strain energy of the deflections of a solid with strains that are continuous. Strains of linear
tetrahedra jump between elements, and most of their energy is in these jumps where they lock. The
mean of all elements around a node, by their volumes, is near to the strain that belongs to the same
deflections.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.fem.base.component import (
    Component,
    MassProperties,
    expect_component,
    mass_properties,
    rigid_modes,
)
from supple.fem.base.mesh_check import negative_eigenvalues
from supple.fem.base.solid_kinds import KINDS, rule, shapes
from supple.fem.base.vibration import Vibration, lowest_modes, typical_square
from supple.fem.refinement.meshes import LARGEST_ALONE, finer
from supple.fem.solids.matrices import parts, strains_at
from supple.fem.solids.solid import SolidMesh
from supple.foundation.arrays import Array
from supple.foundation.errors import percent, warn_caller
from supple.foundation.units import FASTEST, HEAVIEST, LONGEST, SLOWEST

DEGREE = 2  # of products of two strains that are linear in an element
MISSED = 0.02  # part of a frequency
FEWER = 4 * LARGEST_ALONE  # coordinates of a mesh whose finer one is not even made
NEARLY_INCOMPRESSIBLE = 0.45  # Poisson's ratio, from which on volumes lock most elements
# Elastic modes that are shown, and modes that are searched for motions without strain.
SHOWN, RIGID_SEARCHED = 6, 12
# Forces of a rigid motion, as a fraction of those of the same displacements one by one.
RIGID_FORCE = 1e-8
# Gap between the last motion without strain and the first mode, in squares of frequencies.
GAP = 1e4
# Products of inertia below this fraction of the trace are printed as zero.
ROUNDING = 1e-12


def continuous_energy(mesh: SolidMesh, moved: Array) -> Array:
    """Twice the energy (m, m) of displacements (size, m) with strains that are continuous."""
    kind, m = KINDS[mesh.kind], moved.shape[1]
    nodal = moved.reshape(len(mesh.nodes), 3, m)
    places, weights = rule(kind.simplex, DEGREE)
    total, around = np.zeros((len(mesh.nodes), 6, m)), np.zeros(len(mesh.nodes))
    volumes = np.empty((len(mesh.cells), len(weights)))
    for part in parts(len(mesh.cells)):
        cells = mesh.cells[part]
        volumes[part] = weights * strains_at(mesh.kind, mesh.nodes[cells], mesh.law, places)[0]
        rows = strains_at(mesh.kind, mesh.nodes[cells], mesh.law, kind.places)[1]
        local = nodal[cells].reshape(len(cells), 1, -1, m)
        size = volumes[part].sum(axis=1)[:, None]
        np.add.at(total, cells, size[..., None, None] * (rows @ local))
        np.add.at(around, cells, np.broadcast_to(size, cells.shape))
    total /= around[:, None, None]
    values, root = shapes(mesh.kind, places)[0], np.linalg.cholesky(mesh.law).T
    found = np.zeros((m, m))
    for part in parts(len(mesh.cells)):
        strains = np.einsum("qk,ekin->eqin", values, total[mesh.cells[part]], optimize=True)
        rows = (np.sqrt(volumes[part])[..., None, None] * (root @ strains)).reshape(-1, m)
        found += rows.T @ rows
    return found


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


@dataclass(frozen=True, eq=False)
class ComponentReport:
    """Findings of `check_component`; printing it shows all.

    Attributes
    ----------
    size : int
        Number of coordinates.
    mass : MassProperties
    rigid : int
        Motions without strain; 6 for a body that is free and in one part.
    rigid_force : float
        Largest force in a rigid motion, relative: rounding only in a sound model.
    frequencies : (n,) Hz
        Lowest frequencies of the free body above the rigid motions.
    inertia_defect : float
        What lumped masses miss of the kinetic energy of these modes, relative, where integrals of
        inertia use them; zero for meshes and for imported models without rotations.
    problems : texts
        One sentence for each thing that is wrong or suspicious.
    """

    size: int
    mass: MassProperties
    rigid: int
    rigid_force: float
    frequencies: Array
    inertia_defect: float
    problems: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """True if there are no problems."""
        return not self.problems

    def __str__(self) -> str:
        """All of it, a line for each."""
        inertia = self.mass.inertia.copy()
        inertia[np.abs(inertia) < ROUNDING * np.trace(inertia)] = 0.0
        lines = [
            f"coordinates    {self.size}",
            f"mass           {self.mass.mass:.6g} kg",
            f"centre         {_row(self.mass.centre)} m",
            f"inertia        {_row(np.diag(inertia))} kg m2 (xx, yy, zz), "
            f"{_row(inertia[[0, 0, 1], [1, 2, 2]])} kg m2 (xy, xz, yz)",
            f"rigid motions  {self.rigid} (relative force {self.rigid_force:.1e})",
            f"frequencies    {_row(self.frequencies)} Hz, free",
        ]
        if self.inertia_defect:
            lines.append(
                "inertia        integrals of second order in the modes use lumped masses, which "
                f"miss {100 * self.inertia_defect:.2g} % of their kinetic energy"
            )
        lines += [f"problem        {sentence}" for sentence in self.problems] or ["no problems"]
        return "\n".join(lines)


def check_component(component: Component) -> ComponentReport:
    """Examine a component: mass properties, rigid motions, first frequencies, defects.

    Its lowest frequency is compared with that of a finer mesh. Suspicious units are also warned of
    (`SuppleWarning`).
    """
    expect_component("check_component", component)
    problems: list[str] = []
    mass = mass_properties(component)
    force = rigid_force(component)
    if force > RIGID_FORCE:
        problems.append(
            f"a rigid motion needs forces of {force:.1e} relative to those of its displacements "
            f"one by one, expected less than {RIGID_FORCE:g}: is the model held, or are its axes "
            "mixed?"
        )
    number, lowest = negative_eigenvalues(component, component.stiffness_matrix)
    if number:
        problems.append(
            f"the stiffness matrix has {number} negative eigenvalues, the lowest is {lowest:.3g} "
            "with a diagonal scaled to ones, expected none"
        )
    found = lowest_modes(component, min(RIGID_SEARCHED + SHOWN, component.size - 1))
    rigid = _count_rigid(component, found)
    if rigid != 6:
        problems.append(
            f"there are {rigid} motions without strain, expected the 6 of a free rigid body"
        )
    elastic = found.frequencies[rigid : rigid + SHOWN]
    units = unit_problems(component, mass.mass, elastic)
    for sentence in units:
        warn_caller(sentence)
    problems += units
    if rigid == 6:
        problems += mesh_problems(component, found, rigid)
    defect = _inertia_defect(component, found.shapes[:, rigid : rigid + SHOWN])
    return ComponentReport(component.size, mass, rigid, force, elastic, defect, tuple(problems))


def rigid_force(component: Component) -> float:
    """Largest entry of K times a rigid motion, relative to the sum of its terms."""
    K, R = component.stiffness_matrix, rigid_modes(component)
    return float((np.abs(K @ R).max(axis=0) / (np.abs(K) @ np.abs(R)).max(axis=0)).max())


def _count_rigid(component: Component, found: Vibration) -> int:
    """Modes below the largest gap between squares of frequencies, if there is a clear one."""
    noise = np.finfo(float).eps * typical_square(component)
    values = np.maximum(np.abs(found.eigenvalues[: RIGID_SEARCHED + 1]), noise)
    values = np.concatenate([[noise], values])
    gaps = values[1:] / np.maximum.accumulate(values)[:-1]
    widest = int(np.argmax(gaps))
    return widest if gaps[widest] > GAP else 0


def unit_problems(component: Component, mass: float, elastic: Array) -> list[str]:
    """Sentences about units that cannot be SI; the first of ``elastic`` (Hz) is told with them."""
    found = []
    speed = sound_speed(component)
    first = f"{elastic[0]:.4g} Hz" if len(elastic) else "no frequency"
    if not SLOWEST <= speed <= FASTEST:
        cause = (
            "a modulus in MPa with a density in kg/m3?"
            if speed < SLOWEST
            else "lengths in mm with a density in t/mm3?"
        )
        found.append(
            f"waves travel at about {speed:.2g} m/s and the first frequency is {first}, expected "
            f"{SLOWEST:g} to {FASTEST:g} m/s in SI units: {cause}"
        )
    if mass > HEAVIEST or component.length > LONGEST:
        found.append(
            f"the body is {component.length:.3g} m long with {mass:.3g} kg and its first frequency "
            f"is {first}, expected less than {LONGEST:g} m and {HEAVIEST:g} kg in SI units: "
            "lengths in mm?"
        )
    return found


def sound_speed(component: Component) -> float:
    """Rough speed of waves, m/s: a typical node's own frequency times the distance to the next.

    It is of the order of sqrt(E / rho) for any mesh and any shape of the body.
    """
    from scipy.spatial import cKDTree

    distance, _ = cKDTree(component.nodes).query(component.nodes, k=2)
    return float(0.5 * np.median(distance[:, 1]) * np.sqrt(typical_square(component)))


def _inertia_defect(component: Component, shapes: Array) -> float:
    """The defect of the integrals of inertia, for components that have one."""
    from supple.fem.base.imported import ImportedComponent

    if isinstance(component, ImportedComponent):
        return component.inertia_integrals(shapes).defect
    return 0.0


def _row(values: Array) -> str:
    return " ".join(f"{v:.6g}" for v in values)
