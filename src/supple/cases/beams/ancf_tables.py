"""Nada's elements over nodal vectors: how stiff they are, and how fast they converge.

A. M. Nada, B. A. Hussein, S. M. Megahed and A. A. Shabana, Use of the floating frame of reference
formulation in large deformation analysis, Proceedings of the Institution of Mechanical Engineers,
Part K 224 (2010): beam elements with 24 coordinates by continuum mechanics and by an elastic line.
The strip is that of `supple.cases.arms.nada`, clamped, all coordinates of its first node held.

Deflections follow laws: with n elements the tip deflects by 1 - 1/(4 n^2) of F L^3 / (3 E I), and
the continuum, whose sections cannot contract on one side, by (1 + nu)(1 - 2 nu)/(1 - nu) of that.

The reference is a program of its own (``ancf_tables.json`` says how). Tolerances: deflections
1e-6; frequencies 1e-6, the first ones 1e-5 and of two elements 3e-5, which is what rounding leaves
of the reference: from the same strains in rational numbers, without rounding, these two first
frequencies are those found here to 1e-12 (``tests/fem/test_ancf_tables.py``). The laws hold across
the thickness to 2e-5: they are those of thin elements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.bodies.nodal.ancf_line import ANCFBeam
from supple.cases.arms.nada import LENGTH, STRIP
from supple.cases.case import ModelCase, Quantity, references
from supple.fem.base.material import Material
from supple.fem.nodal.ancf_forces import strain_slopes
from supple.fem.sections.sections import Section
from supple.joints import Fixed
from supple.model import Model

if TYPE_CHECKING:
    from supple.fem.nodal.ancf_mesh import ANCFMesh
    from supple.foundation.arrays import Array

POISSON = 0.28
ELEMENTS = (1, 2, 4, 8, 16)
SECONDS = STRIP.I_z, STRIP.I_y  # across the thickness, across the width
# Kinds of the reference: the element, and Poisson's ratio.
KINDS: dict[str, tuple[Any, float]] = {
    "continuum": ("continuum", POISSON),
    "continuum, nu = 0": ("continuum", 0.0),
    "elastic_line": ("elastic_line", POISSON),
}


def strip(name: str, kind: str, elements: int) -> ANCFBeam:
    """Return the strip of a kind of the reference."""
    element, poisson = KINDS[kind]
    section: Any = STRIP
    if element == "elastic_line":
        J = STRIP.size_z * STRIP.size_y**3 / 3.0 * (1.0 - 0.63 * STRIP.size_y / STRIP.size_z)
        section = Section(STRIP.area, STRIP.I_y, STRIP.I_z, J, shear=(5.0 / 6.0, 5.0 / 6.0))
    material = Material(E=200e9, G=200e9 / (2.0 * (1.0 + poisson)), density=7800)
    return ANCFBeam(name, LENGTH, section, material, elements, element)


def strips() -> Model:
    """Return all strips, each clamped to the ground."""
    m = Model(gravity=(0, 0, 0), name="strips of elements over nodal vectors")
    for kind in KINDS:
        for elements in ELEMENTS:
            name = f"{kind.replace(', nu = ', ' ')} {elements}"
            arm = m.add(strip(name, kind, elements))
            m.add(Fixed(f"clamp {name}", m.ground.at(0), arm.at(0)))
    return m


def tip_ratios(mesh: ANCFMesh, E: float) -> list[float]:
    """Deflections of the tip over F L^3 / (3 E I), across the thickness and across the width."""
    K = mesh.tangents(mesh.rest)[0].toarray()[12:, 12:]
    found = []
    for axis, second in zip((1, 2), SECONDS, strict=True):
        tip, force = len(K) - 12 + axis, np.zeros(len(K))
        force[tip] = 3.0 * E * second / LENGTH**3
        found.append(float(np.linalg.solve(K, force)[tip]))
    return found


def strain_matrix(mesh: ANCFMesh) -> Array:
    """Rows A (strains, size) at rest with ``A^T A`` = stiffness: its small values keep digits."""
    vectors, d = mesh.rest.reshape(-1, mesh.dimension), mesh.dimension
    found = []
    for element, kind in zip(mesh.vectors, mesh.kinds, strict=True):
        table = mesh.tables[kind]
        slopes = strain_slopes(table, vectors[element][None])[0]
        blocks = []
        for *_, first, count, entry in table.points.tolist():
            D = table.elasticity[entry : entry + count**2].reshape(count, count)
            blocks.append(np.tensordot(_root(D), slopes[first : first + count], 1))
        constant = np.einsum("ik,xy->ixky", _root(table.stiffness), np.eye(d))
        blocks.append(constant.reshape(-1, *slopes.shape[1:]))
        rows = np.zeros((sum(map(len, blocks)), *vectors.shape))
        rows[:, element] = np.concatenate(blocks)
        found.append(rows.reshape(len(rows), -1))
    return np.concatenate(found)


def _root(matrix: Array) -> Array:
    """R with ``R^T R`` = a matrix that is not negative."""
    values, shapes = np.linalg.eigh(matrix)
    root: Array = (shapes * np.sqrt(np.maximum(values, 0.0))).T
    return root


def frequencies(mesh: ANCFMesh, held: int = 0) -> Array:
    """Angular frequencies, ascending, with the first nodes held; rad/s."""
    first = held * mesh.size // len(mesh.rest)
    mass = np.kron(mesh.mass_matrix.toarray(), np.eye(mesh.dimension))[first:, first:]
    lower = np.linalg.cholesky(mass)
    rows = np.linalg.solve(lower, strain_matrix(mesh)[:, first:].T)
    values = np.linalg.svd(rows, compute_uv=False)
    return np.sort(np.append(values, np.zeros(len(rows) - len(values))))


def inspect(model: Model) -> list[Quantity]:
    """Compare deflections and frequencies with the reference, and deflections with the laws."""
    found: list[Quantity] = []
    for kind, (_, poisson) in KINDS.items():
        for elements in ELEMENTS:
            name = f"{kind.replace(', nu = ', ' ')} {elements}"
            body = cast("ANCFBeam", model.bodies[name])
            ratios = tip_ratios(body.mesh, body.material.E)
            wanted = references("ancf_tables")["tip"][kind][str(elements)]
            for word, value, known in zip(("thickness", "width"), ratios, wanted, strict=True):
                words = f"tip across the {word}, {kind}, {elements} elements"
                found.append(Quantity(words, value, known, 1e-6 * known))
            law = 1.0 - 0.25 / elements**2
            if kind != "elastic_line":
                law *= (1.0 + poisson) * (1.0 - 2.0 * poisson) / (1.0 - poisson)
            found.append(Quantity(f"law, {kind}, {elements} elements", ratios[0], law, 2e-5))
            lowest = references("ancf_tables")["frequencies"].get(kind, {}).get(str(elements))
            if lowest is not None:
                values = frequencies(body.mesh, held=1)[:4] / (2.0 * np.pi)
                for k, (value, known) in enumerate(zip(values, lowest, strict=True)):
                    bound = 1e-6 if k else (3e-5 if elements == 2 else 1e-5)
                    words = f"frequency {k + 1}, {kind}, {elements} elements"
                    found.append(Quantity(words, float(value), known, bound * known))
    return found


CASES = (
    ModelCase(
        name="ancf-tables",
        title="stiffness and frequencies of beams over nodal vectors",
        source="Nada, Hussein, Megahed and Shabana 2010; independent elements, laws",
        build=strips,
        inspect=inspect,
    ),
)
