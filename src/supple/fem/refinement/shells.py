"""A shell with each triangle divided into four."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse

from supple.fem.refinement.meshes import Finer
from supple.fem.shells import bending, membrane
from supple.fem.shells.shell import ShellMesh
from supple.fem.shells.triangles import FROM, MIDSIDES, TO, Array, Indices
from supple.foundation.errors import SuppleWarning

# Error of the finer mesh, in parts of what it differs by: 1/3 in bending, where the error falls
# with the square of the size, and 1 in the plane, where it falls in proportion at held edges.
REST = 2.0 / 3.0


def finer_shell(mesh: ShellMesh) -> Finer:
    """A shell with half the element size; middles of sides follow as in the triangles beside."""
    corners, nodes = mesh.triangles, len(mesh.nodes)
    sides = np.sort(np.stack([corners[:, FROM], corners[:, TO]], axis=2), axis=2)  # (t, 3, 2)
    edges, number = np.unique(sides.reshape(-1, 2), axis=0, return_inverse=True)
    middle = nodes + number.reshape(-1, 3)
    a, b, c = corners.T
    ab, bc, ca = middle.T
    divided = np.stack([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]])  # (4, 3, t)
    triangles = divided.transpose(2, 0, 1).reshape(-1, 3)
    rows = np.repeat(np.arange(len(edges)), 2)
    halves = sparse.csr_array(
        (np.full(2 * len(edges), 0.5), (rows, edges.ravel())), shape=(len(edges), nodes)
    )
    weights = sparse.csr_array(sparse.vstack([sparse.eye_array(nodes), halves]))
    thickness = mesh.thickness
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)  # what is strange was told of the mesh
        made = ShellMesh(
            weights @ mesh.nodes,
            triangles,
            thickness if np.ndim(thickness) == 0 else np.repeat(thickness, 4),
            mesh.material,
            rotary_inertia=mesh.rotary_inertia,
            name=mesh.name,
        )
    P = sparse.csr_array(
        sparse.vstack([sparse.eye_array(mesh.size), _middles(mesh, number.reshape(-1, 3), edges)])
    )
    return Finer(made, P, weights, np.arange(nodes), REST, nested=False)


def _middles(mesh: ShellMesh, number: Indices, edges: Indices) -> sparse.csr_array:
    """Rows (6 * edges, size) of the coordinates in the middle of sides, the mean of all beside."""
    shared = np.bincount(number.ravel(), minlength=len(edges))
    shape, columns = mesh.shape, mesh.coordinates
    blocks, at_rows, at_columns = [], [], []
    for side, weights in enumerate(MIDSIDES):
        own = _motion(mesh, weights)  # (t, 6, 18) in the axes of the triangles
        turn = shape.axes
        both = shape.to_body(own).reshape(len(own), 2, 3, 18)
        in_body = np.einsum("tji,tkjn->tkin", turn, both).reshape(len(own), 6, 18)
        blocks.append(in_body / shared[number[:, side]][:, None, None])
        rows = 6 * number[:, side][:, None] + np.arange(6)
        at_rows.append(np.broadcast_to(rows[:, :, None], in_body.shape))
        at_columns.append(np.broadcast_to(columns[:, None, :], in_body.shape))
    entries, r, c = (np.stack(x).ravel() for x in (blocks, at_rows, at_columns))
    return sparse.csr_array(sparse.coo_array((entries, (r, c)), (6 * len(edges), mesh.size)))


def _motion(mesh: ShellMesh, weights: Array) -> Array:
    """Rows (t, 6, 18) of displacement and rotation at weights, all in the axes of triangles."""
    shape = mesh.shape
    middle = membrane.displacements(shape, weights)
    across = bending.deflection(shape, weights)[:, None]
    slopes = bending.slopes(shape, weights)
    spin = np.zeros_like(across)
    spin[:, 0, membrane.TZ] = weights
    return np.concatenate([middle, across, slopes[:, 1:], -slopes[:, :1], spin], axis=1)
