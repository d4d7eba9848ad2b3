"""Signed distances from closed triangle meshes on a grid."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.bodies.shapes.splines import grid_splines
from supple.foundation.arrays import Array, Indices

MARGIN = 3  # cells around the mesh
CANDIDATES = 8  # nearest points of triangles, whose distances are compared
NEAR = 6.0  # cells, within which distances are those of triangles
ROUNDING = 1e-6  # of the size of a mesh: vertices closer than that are one, as files have 7 digits
SLIDES, DIFFERENCE = 4, 1e-3  # steps to the surface of a grid; of differences, in cells
PER_TRIANGLE = 8  # places of each triangle at which a grid is compared with it


class DistanceGrid(NamedTuple):
    """A grid of signed distances by cubic splines."""

    origin: Array  # (3,) m, of the first knot
    step: float  # m
    shape: tuple[int, int, int]  # knots
    splines: Array  # coefficients, with one more at both sides

    def value(self, points: Array) -> Array:
        """Values of the splines at points (p, 3)."""
        from scipy.ndimage import map_coordinates

        places = ((points - self.origin) / self.step + 1.0).T
        found: Array = map_coordinates(self.splines, places, order=3, prefilter=False)
        return found

    def slope(self, points: Array) -> Array:
        """Gradients (p, 3) of the splines at points (p, 3), by differences."""
        ways = DIFFERENCE * self.step * np.eye(3)
        pairs = [(self.value(points + w) - self.value(points - w)) for w in ways]
        return np.stack(pairs, axis=1) / (2.0 * DIFFERENCE * self.step)


def merged(points: Array, triangles: Indices) -> tuple[Array, Indices]:
    """Triangles with one vertex where several are at one place; none without area."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    size, n = float(np.ptp(points, axis=0).max()), len(points)
    near = cKDTree(points).query_pairs(ROUNDING * size, output_type="ndarray")
    links = coo_array((np.ones(len(near)), (near[:, 0], near[:, 1])), shape=(n, n))
    _, numbers = connected_components(links, directed=False)
    first = np.unique(numbers, return_index=True)[1]
    faces = numbers[triangles].astype(np.intp)
    corners = points[first][faces]
    area = np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    return points[first], faces[area > (ROUNDING * size) ** 2]


def open_edges(triangles: Indices) -> int:
    """Number of edges that are not passed once in each direction: none of a closed mesh."""
    edges = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    there, counts = np.unique(edges, axis=0, return_counts=True)
    several = int(np.sum(counts > 1))
    back = {(b, a) for a, b in there.tolist()}
    return several + sum((a, b) not in back for a, b in there.tolist())


def volume(points: Array, triangles: Indices) -> float:
    """Volume of a closed mesh, negative if its triangles are seen clockwise from outside."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def distance_grid(points: Array, triangles: Indices, cells: int) -> DistanceGrid:
    """Grid of a closed mesh with so many knots along its longest side."""
    low, high = points.min(axis=0), points.max(axis=0)
    step = float((high - low).max()) / (cells - 1 - 2 * MARGIN)
    shape = tuple(int(np.ceil(x)) + 1 + 2 * MARGIN for x in (high - low) / step)
    origin = 0.5 * (low + high) - 0.5 * step * (np.array(shape) - 1)
    axes = [origin[k] + step * np.arange(shape[k]) for k in range(3)]
    knots = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    values = _signed(points, triangles, knots, step, shape)
    return DistanceGrid(origin, step, shape, grid_splines(values))  # type: ignore[arg-type]


def greatest_error(grid: DistanceGrid, points: Array, triangles: Indices) -> float:
    """Largest distance of places of all triangles from where the splines are zero, m."""
    rng = np.random.default_rng(0)
    inner = rng.dirichlet(np.ones(3), PER_TRIANGLE)
    halves = 0.5 * (np.ones((3, 3)) - np.eye(3))
    shares = np.concatenate([np.eye(3), halves, inner])
    places = np.einsum("sk,tkx->tsx", shares, points[triangles]).reshape(-1, 3)
    x = places.copy()
    for _ in range(SLIDES):  # down the gradient to where the splines are zero
        slopes = grid.slope(x)
        x -= (grid.value(x) / np.sum(slopes**2, axis=1))[:, None] * slopes
    return float(np.linalg.norm(x - places, axis=1).max())


def _signed(points: Array, triangles: Indices, places: Array, step: float, shape: Any) -> Array:
    """Distances at the places (p, 3) of knots, with the sign of the nearest part of the mesh.

    Those of the triangles with the nearest of many points; farther than that, of the next knots.
    """
    from scipy.ndimage import distance_transform_edt
    from scipy.spatial import cKDTree

    corner_normals, edge_normals, normals = _normals(points, triangles)
    samples, owners = _samples(points[triangles], step)
    several = min(CANDIDATES, len(samples))
    limit = NEAR * step
    away, found = cKDTree(samples).query(places, k=several, distance_upper_bound=limit)
    away, found = away.reshape(len(places), -1), found.reshape(len(places), -1)
    near = np.isfinite(away[:, 0])
    knots = places[near]
    candidates = owners[np.where(np.isfinite(away), found, found[:, :1])[near]]
    least, signed = np.full(len(knots), np.inf), np.zeros(len(knots))
    for k in range(several):
        rows = np.flatnonzero(np.all(candidates[:, :k] != candidates[:, k : k + 1], axis=1))
        t = candidates[rows, k]
        way, part = _from_triangles(knots[rows], points[triangles[t]], normals[t])
        far = np.linalg.norm(way, axis=1)
        sides = np.concatenate([normals[t, None], edge_normals[t], corner_normals[triangles[t]]], 1)
        side = np.einsum("px,px->p", way, sides[np.arange(len(t)), part])
        nearer = far < least[rows]
        least[rows[nearer]] = far[nearer]
        signed[rows[nearer]] = np.where(side[nearer] < 0.0, -far[nearer], far[nearer])
    values, known = np.zeros(shape), near.reshape(shape)
    values[known] = signed
    away, nearest = distance_transform_edt(~known, return_indices=True)
    begun: Array = values[tuple(nearest)]
    whole: Array = begun + step * away * np.sign(begun)
    return whole


def _samples(corners: Array, step: float) -> tuple[Array, Indices]:
    """Points of triangles (t, 3, 3), not much farther apart than ``step``, and whose they are."""
    long = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    many = np.maximum(np.ceil(long / step).astype(int), 1)
    places, owners = [], []
    for n in np.unique(many):
        i, j = np.mgrid[0 : n + 1, 0 : n + 1].reshape(2, -1)
        shares = np.stack([i, j, n - i - j], axis=1)[i + j <= n] / n
        which = np.flatnonzero(many == n)
        places.append(np.einsum("sk,tkx->tsx", shares, corners[which]).reshape(-1, 3))
        owners.append(np.repeat(which, len(shares)))
    return np.concatenate(places), np.concatenate(owners)


def _normals(points: Array, triangles: Indices) -> tuple[Array, Array, Array]:
    """Outward directions at vertices (p, 3), edges (t, 3, 3) and faces (t, 3).

    With faces weighted by their angles at a vertex, the side of its normal tells what is inside
    (Baerentzen and Aanaes, 2005).
    """
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    at_corners = np.zeros_like(points)
    at_edges: dict[tuple[int, int], Any] = {}
    for k in range(3):
        a = corners[:, (k + 1) % 3] - corners[:, k]
        b = corners[:, (k + 2) % 3] - corners[:, k]
        across = np.linalg.norm(np.cross(a, b), axis=1)
        angle = np.arctan2(across, np.einsum("ij,ij->i", a, b))
        np.add.at(at_corners, triangles[:, k], angle[:, None] * normals)
        for edge, normal in zip(triangles[:, [k, (k + 1) % 3]].tolist(), normals, strict=True):
            key = (min(edge), max(edge))
            at_edges[key] = at_edges.get(key, 0.0) + normal
    edges = np.array(
        [
            [at_edges[min(f[k], f[(k + 1) % 3]), max(f[k], f[(k + 1) % 3])] for k in range(3)]
            for f in triangles.tolist()
        ]
    )
    return at_corners, edges, normals


def _from_triangles(places: Array, corners: Array, normals: Array) -> tuple[Array, Indices]:
    """Ways (p, 3) to places from the nearest points of triangles (p, 3, 3), and on what these are.

    0 its face, 1 to 3 its edges from each corner, 4 to 6 its corners.
    """

    def dot(a: Array, b: Array) -> Array:
        found: Array = np.einsum("px,px->p", a, b)
        return found

    over = np.ones(len(places), dtype=bool)
    least, part = np.full(len(places), np.inf), np.zeros(len(places), dtype=np.intp)
    found = np.zeros_like(places)
    for k in range(3):
        a, along = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        over &= dot(places - a, np.cross(normals, along)) >= 0.0
        s = np.clip(dot(places - a, along) / dot(along, along), 0.0, 1.0)
        to = places - a - s[:, None] * along
        far = dot(to, to)
        nearer = far < least
        least[nearer], found[nearer] = far[nearer], to[nearer]
        on = np.where(s <= 0.0, 4 + k, np.where(s >= 1.0, 4 + (k + 1) % 3, 1 + k))
        part[nearer] = on[nearer]
    way = dot(places - corners[:, 0], normals)[:, None] * normals
    return np.where(over[:, None], way, found), np.where(over, 0, part)
