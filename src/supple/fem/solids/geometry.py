"""Geometry of solid elements: volumes, slopes of the shape functions, which element has a point."""

from __future__ import annotations

import numpy as np

from supple.fem.base.solid_kinds import KINDS, SolidKind, rule, shapes
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError

# Elements whose nodes are this near, in their own size, to a linear map of the reference cell
# have a constant volume factor up to rounding.
STRAIGHT = 1e-12
# A point this far outside an element, in the element's own coordinates, is still in it.
AT_SURFACE = 1e-6
# Newton's steps for the place of a point in a curved element, and what is left when they stop.
LOCATE_STEPS, LOCATED = 30, 1e-12
# An element whose bounding box is this much larger, as a fraction, surely holds its curved faces.
BULGE = 0.25
# A volume factor below this fraction of the element's size cubed is a flat element.
FLAT = 1e-9
# Axes of the shear strains xy, xz, yz.
SHEAR = ((0, 1), (0, 2), (1, 2))


def is_straight(kind: SolidKind, corners: Array) -> bool:
    """True if all elements (e, size, 3) are linear images of the reference cell."""
    reference = np.column_stack([np.ones(kind.size), kind.places])
    linear = corners[:, [0, 1, 2 if kind.simplex else 3, 3 if kind.simplex else 4]]
    frame = np.concatenate([linear[:, :1], linear[:, 1:] - linear[:, :1]], axis=1)
    miss = np.abs(reference @ frame - corners).max()
    return bool(miss <= STRAIGHT * np.ptp(corners, axis=1).max())


def slopes_in_space(slopes: Array, corners: Array) -> tuple[Array, Array]:
    """Volume factors (e, k) and slopes (e, k, size, 3) in space of elements (e, size, 3).

    ``slopes`` (k, size, 3) are those in the reference cell at k places.
    """
    jacobian = np.einsum("kni,enj->ekij", slopes, corners, optimize=True)
    determinant = np.linalg.det(jacobian)
    with np.errstate(all="ignore"):  # flat elements are refused by who reads the determinants
        inverse = np.linalg.inv(np.where(determinant[..., None, None] == 0.0, np.eye(3), jacobian))
    return determinant, np.einsum("ekji,kni->eknj", inverse, slopes, optimize=True)


def refuse_bad_volume(owner: str, kind: SolidKind, cells: Indices, corners: Array) -> None:
    """Refuse elements that are flat, turned inside out or distorted until they overlap."""
    at = np.vstack([rule(kind.simplex, kind.mass_degrees[1])[0], kind.places[: kind.corners]])
    determinant, _ = slopes_in_space(shapes(kind.name, at)[1], corners)
    size = np.ptp(corners, axis=1).max(axis=1)
    worst = determinant.min(axis=1)
    bad = np.flatnonzero(~(worst > FLAT * size**3))
    if len(bad):
        e = int(bad[0])
        what = "a positive volume everywhere in it"
        if kind.simplex or determinant[e].max() <= 0.0:
            what = "a positive volume: its nodes in the order of VTK, not mirrored or flat"
        nodes = ", ".join(str(i) for i in cells[e][: kind.corners])
        raise ModelError.plain(
            f"{owner}: element {e} (corners {nodes}) has the volume factor {worst[e]:.6g} m3 at "
            f"its worst place, expected {what}"
        )


def locate(kind: str, corners: Array, point: Array) -> list[tuple[int, Array]]:
    """Elements that hold a point (3,), each with the place (3,) of the point in its reference cell.

    More than one if the point is on a face, an edge or a corner between them; none if it is
    outside of the mesh.
    """
    lower, upper = corners.min(axis=1), corners.max(axis=1)
    margin = BULGE * (upper - lower).max(axis=1)[:, None]
    near = np.flatnonzero(np.all((point >= lower - margin) & (point <= upper + margin), axis=1))
    found = []
    for e in near:
        xi = _invert(kind, corners[e], point)
        if xi is not None and _outside(KINDS[kind], xi) <= AT_SURFACE:
            found.append((int(e), xi))
    return found


def _invert(kind: str, corners: Array, point: Array) -> Array | None:
    """Place in the reference cell of one element (size, 3) that is mapped to the point."""
    xi: Array = np.full(3, 0.25 if KINDS[kind].simplex else 0.5)
    for _ in range(LOCATE_STEPS):
        values, slopes = shapes(kind, xi[None])
        jacobian = corners.T @ slopes[0]
        miss = point - values[0] @ corners
        try:
            step = np.linalg.solve(jacobian, miss)
        except np.linalg.LinAlgError:
            return None
        # A long step leaves the region in which the map of a curved element can be inverted.
        longest = np.abs(step).max()
        xi += step / max(1.0, longest)
        if longest < LOCATED:
            return xi
    return None


def _outside(kind: SolidKind, xi: Array) -> float:
    """Distance of a place from the reference cell, zero or less inside."""
    outside = max(-xi.min(), (xi.sum() if kind.simplex else xi.max()) - 1.0)
    return float(outside)


def strain_rows(slopes: Array) -> Array:
    """Rows (..., 6, 3 k) of the strains xx, yy, zz, xy, xz, yz from slopes (..., k, 3)."""
    *front, k, _ = slopes.shape
    rows = np.zeros((*front, 6, k, 3))
    for i in range(3):
        rows[..., i, :, i] = slopes[..., i]
    for row, (i, j) in enumerate(SHEAR, start=3):
        rows[..., row, :, i] = slopes[..., j]
        rows[..., row, :, j] = slopes[..., i]
    return rows.reshape(*front, 6, 3 * k)
