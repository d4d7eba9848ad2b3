"""Points of a component where its stress is looked at, as rows of its elastic coordinates.

A large mesh has more points than fit into memory with all times: points come in blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.fem.shells import bending, membrane
from supple.fem.shells.points import SURFACES, plane_von_mises
from supple.fem.shells.shell import CENTRE, ShellMesh
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError

if TYPE_CHECKING:
    from supple.fem.solids.solid import SolidMesh


# Triangles, or nodes of a solid, in one block.
AT_ONCE = 512
# Axes of the shear stresses xy, xz, yz in a tensor.
SHEAR = ((0, 1), (0, 2), (1, 2))


@dataclass(frozen=True, eq=False)
class StressBlock:
    """Some points of a body and what its elastic coordinates q (n,) do there."""

    places: Array  # (m, 3) m, in the undeformed body
    # strain, stress: (m, k, n) Rows for q; k is 3 (beams xx, xy, xz; shells xx, yy, xy in the axes
    # of the triangle) or 6 (solids xx, yy, zz, xy, xz, yz). Shear strains are angles, stresses in
    # Pa.
    strain: Array
    stress: Array
    von_mises: Callable[[Array], Array]  # function of stresses (..., k)
    strain_tensor: Callable[[Array], Array]  # function from strains (..., k) to tensors (..., d, d)
    normals: int  # how many of the k strains are normal strains; they come first
    name: Callable[[int], str]  # what a point is called, by its number in the block


def mesh_blocks(component: Any, basis: Array) -> Iterator[StressBlock]:
    """Stress points of a shell or solid that moves by ``basis @ q``, basis (size, n).

    Shells are looked at in the centres of all triangles, at the top and at the bottom; solids at
    their nodes, where the mean is taken of all elements around.
    """
    from supple.fem.solids.solid import SolidMesh

    if isinstance(component, ShellMesh):
        yield from _shell_blocks(component, basis)
    elif isinstance(component, SolidMesh):
        yield from _solid_blocks(component, basis)
    else:
        raise ModelError(
            type(component).__name__,
            "stress",
            None,
            "a component with elements: a ShellMesh or a SolidMesh",
        )


def mesh_rotations(component: Any, basis: Array) -> Array:
    """Rows (p, 3, n) of elastic rotations: of all nodes that have some, or of a solid's elements.

    A component that has matrices and translations only has none.
    """
    from supple.fem.solids.solid import SolidMesh

    n = basis.shape[1]
    if component.node_size == 6:
        return basis.reshape(-1, 6, n)[:, 3:]
    if not isinstance(component, SolidMesh):
        return np.zeros((0, 3, n))
    from supple.fem.base.solid_kinds import KINDS, shapes
    from supple.fem.solids.geometry import slopes_in_space

    slopes = shapes(component.kind, KINDS[component.kind].places.mean(axis=0)[None])[1]
    found = slopes_in_space(slopes, component.nodes[component.cells])[1][:, 0]  # (e, k, 3)
    moved = basis.reshape(-1, 3, n)[component.cells]  # (e, k, 3, n)
    gradient = np.einsum("ekj,ekin->eijn", found, moved)
    curl = [gradient[:, 2, 1] - gradient[:, 1, 2], gradient[:, 0, 2] - gradient[:, 2, 0]]
    return np.asarray(0.5 * np.stack([*curl, gradient[:, 1, 0] - gradient[:, 0, 1]], axis=1))


def von_mises(stress: Any) -> Array:
    """Equivalent stress of von Mises (...) of stresses (..., 6) xx, yy, zz, xy, xz, yz."""
    s = np.asarray(stress, dtype=np.float64)
    xx, yy, zz = s[..., 0], s[..., 1], s[..., 2]
    normal = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    shear = s[..., 3] ** 2 + s[..., 4] ** 2 + s[..., 5] ** 2
    return np.asarray(np.sqrt(0.5 * normal + 3.0 * shear))


def solid_tensor(strain: Array) -> Array:
    """Tensors (..., 3, 3) of strains (..., 6) with shear angles."""
    tensor = np.zeros((*strain.shape[:-1], 3, 3))
    for i in range(3):
        tensor[..., i, i] = strain[..., i]
    for k, (i, j) in enumerate(SHEAR, start=3):
        tensor[..., i, j] = tensor[..., j, i] = 0.5 * strain[..., k]
    return tensor


def plane_tensor(strain: Array) -> Array:
    """Tensors (..., 2, 2) of plane strains (..., 3) xx, yy and the shear angle."""
    xx, yy, half = strain[..., 0], strain[..., 1], 0.5 * strain[..., 2]
    return np.stack([np.stack([xx, half], axis=-1), np.stack([half, yy], axis=-1)], axis=-1)


def _shell_blocks(mesh: ShellMesh, basis: Array) -> Iterator[StressBlock]:
    for start in range(0, len(mesh.triangles), AT_ONCE):
        here = np.arange(start, min(start + AT_ONCE, len(mesh.triangles)))
        shape = mesh.shape.subset(here)
        local = basis[mesh.coordinates[here]]  # (t, 18, n)
        middle, bent = (
            shape.to_body(rows) @ local
            for rows in (
                membrane.strains(shape, CENTRE, mesh.poisson),
                bending.curvatures(shape, CENTRE),
            )
        )
        thickness = mesh.thicknesses[here]
        centres = shape.places.mean(axis=1)
        for surface in ("top", "bottom"):
            height = SURFACES[surface] * thickness
            strain = middle + height[:, None, None] * bent
            yield StressBlock(
                places=centres + height[:, None] * shape.axes[:, 2],
                strain=strain,
                stress=mesh.law @ strain,
                von_mises=plane_von_mises,
                strain_tensor=plane_tensor,
                normals=2,
                name=partial(_triangle_name, start, surface),
            )


def _solid_blocks(mesh: SolidMesh, basis: Array) -> Iterator[StressBlock]:
    from supple.fem.base.solid_kinds import KINDS
    from supple.fem.solids.matrices import parts, strains_at

    places = KINDS[mesh.kind].places
    n = basis.shape[1]
    total, count = np.zeros((len(mesh.nodes), 6, n)), np.bincount(mesh.cells.ravel())
    for part in parts(len(mesh.cells)):
        cells = mesh.cells[part]
        rows = strains_at(mesh.kind, mesh.nodes[cells], mesh.law, places)[1]  # (e, k, 6, 3 k)
        local = basis.reshape(len(mesh.nodes), 3, n)[cells].reshape(len(cells), 1, -1, n)
        np.add.at(total, cells, rows @ local)
    total /= count[:, None, None]
    for start in range(0, len(total), AT_ONCE):
        strain = total[start : start + AT_ONCE]
        yield StressBlock(
            places=mesh.nodes[start : start + AT_ONCE],
            strain=strain,
            stress=mesh.law @ strain,
            von_mises=von_mises,
            strain_tensor=solid_tensor,
            normals=3,
            name=partial(_node_name, start),
        )


def _triangle_name(first: int, side: str, k: int) -> str:
    return f"triangle {first + k}, {side}"


def _node_name(first: int, k: int) -> str:
    return f"node {first + k}"
