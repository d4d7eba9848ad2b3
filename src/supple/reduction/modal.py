"""A body in a floating frame: what the engine needs of it, whatever mesh it comes from.

A material point x of the undeformed body is at ``x + S(x) q`` in the body's axes, with the elastic
coordinates q (n,). Everything about its inertia is in the integrals below, computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from supple.fem.inertia import point_integrals
from supple.fem.material import Rayleigh
from supple.reduction.modes import (
    COORDINATES,
    Indices,
    Reference,
    kept_coordinates,
    normal_modes,
    reference_basis,
)
from supple.validate import Vector, read_only

ModeChoice = int | Literal["all"] | tuple[int, ...]


class Mesh(Protocol):
    """What a reduction reads of a finite-element mesh with six coordinates for each node."""

    @property
    def nodes(self) -> Vector:
        """Places (nodes, 3) of the nodes, m."""

    @property
    def length(self) -> float:
        """A typical length of the body, m."""

    @property
    def mass_matrix(self) -> Vector:
        """Mass matrix (size, size) of all nodal coordinates."""

    @property
    def stiffness_matrix(self) -> Vector:
        """Stiffness matrix (size, size) of all nodal coordinates."""

    def material_points(self, basis: Vector) -> tuple[Vector, Vector, Vector]:
        """Mass (k,), place (k, 3), shape (k, 3, n) of points that integrate exactly."""


@dataclass(frozen=True, eq=False)
class Attachment:
    """A place on a flexible body where something is joined, in the body's axes.

    Attributes
    ----------
    p0 : (3,) m
        Place in the undeformed body.
    R0 : (3, 3)
        Axes of the frame in the undeformed body: maps frame axes to body axes.
    Phi : (3, n)
        The place moves by ``Phi @ q``.
    Psi : (3, n)
        The axes turn by the rotation vector ``Psi @ q`` (rad).
    """

    p0: Vector
    R0: Vector
    Phi: Vector
    Psi: Vector


@dataclass(frozen=True, eq=False)
class ModalBody:
    """Inertia, stiffness and damping of a body with n elastic coordinates; arrays are read-only.

    Attributes
    ----------
    mass : kg
    s0 : (3,)
        Integral of rho x.
    S1 : (3, n)
        Integral of rho S.
    E0 : (3, 3)
        Integral of rho x x^T.
    D0 : (3, 3, n)
        ``D0[i, j, a]``: integral of rho x_i S_ja.
    D1 : (3, 3, n, n)
        ``D1[i, j, b, a]``: integral of rho S_ib S_ja.
    M, K, C : (n, n)
        Mass (the sum of ``D1[i, i]``), stiffness and damping of the elastic coordinates.
    frequencies : Hz
        Of the coordinates that are modes; of the whole body, ascending, if they are nodal or
        amplitudes of assumed shapes.
    coordinate_names, coordinate_units : n texts
        ``mode_1`` ..., or nodal ``u_1, v_1, w_1, tx_1, ty_1, tz_1, u_2`` ... by node, or
        ``v_1, w_1, v_2`` ... by the number of an assumed function.
    """

    mass: float
    s0: Vector
    S1: Vector
    E0: Vector
    D0: Vector
    D1: Vector
    M: Vector
    K: Vector
    C: Vector
    frequencies: Vector
    coordinate_names: tuple[str, ...]
    coordinate_units: tuple[str, ...]

    @property
    def n(self) -> int:
        """Number of elastic coordinates."""
        return len(self.coordinate_names)


@dataclass(frozen=True, eq=False)
class Reduction:
    """A reduced mesh.

    ``basis`` (size, n) gives the nodal coordinates of ``body``'s elastic ones. ``split`` holds
    pairs (kept, left out) of mode numbers with the same frequency.
    """

    body: ModalBody
    basis: Vector
    split: tuple[tuple[int, int], ...] = ()


def reduce_mesh(
    mesh: Mesh,
    modes: ModeChoice,
    reference: Reference,
    clamp_node: int = 0,
    twist: bool = True,
    damping: Rayleigh | None = None,
) -> Reduction:
    """Choose the elastic coordinates of a mesh and integrate over the body.

    ``modes`` is "all" (nodal coordinates), the number of the lowest modes, or mode numbers from 1.
    ``twist`` False leaves out all rotations about x, for a mesh that gives them no inertia.
    """
    M, K = mesh.mass_matrix, mesh.stiffness_matrix
    kept = kept_coordinates(reference, len(mesh.nodes), clamp_node, twist)
    nodal = reference_basis(reference, kept, M, mesh.nodes, twist)
    found = normal_modes(M, K, nodal, kept, mesh.length)
    split: tuple[tuple[int, int], ...] = ()
    if modes == "all":
        basis, stiffness = nodal, nodal.T @ K @ nodal
        frequencies = found.frequencies
        names = tuple(f"{COORDINATES[k % 6]}_{k // 6}" for k in kept)
        units = tuple("m" if k % 6 < 3 else "rad" for k in kept)
    else:
        chosen = np.arange(modes) if isinstance(modes, int) else np.array(modes) - 1
        split = _split_groups(found.groups, chosen)
        basis, stiffness = found.shapes[:, chosen], np.diag(found.eigenvalues[chosen])
        frequencies = found.frequencies[chosen]
        names = tuple(f"mode_{k + 1}" for k in chosen)
        units = ("kg^0.5 m",) * len(chosen)
    points = mesh.material_points(basis)
    body = modal_body(points, stiffness, damping, frequencies, names, units)
    return Reduction(body, read_only(basis), split)


def modal_body(
    points: tuple[Vector, Vector, Vector],
    stiffness: Vector,
    damping: Rayleigh | None,
    frequencies: Vector,
    names: tuple[str, ...],
    units: tuple[str, ...],
) -> ModalBody:
    """Integrate over mass (k,), place (k, 3) and shape (k, 3, n) of material points.

    ``stiffness`` is (n, n), ``frequencies`` are in Hz; names and units are those of the
    coordinates.
    """
    found = point_integrals(points)
    D1 = found.D1
    elastic_mass = D1[0, 0] + D1[1, 1] + D1[2, 2]
    stiffness = 0.5 * (stiffness + stiffness.T)
    return ModalBody(
        mass=found.mass,
        s0=found.s0,
        S1=found.S1,
        E0=found.E0,
        D0=found.D0,
        D1=D1,
        M=read_only(elastic_mass),
        K=read_only(stiffness),
        C=read_only((damping or Rayleigh()).matrix(elastic_mass, stiffness)),
        frequencies=read_only(frequencies),
        coordinate_names=names,
        coordinate_units=units,
    )


def _split_groups(groups: Indices, chosen: Indices) -> tuple[tuple[int, int], ...]:
    """Numbers (kept, first left out) of kept modes that have the frequency of one left out."""
    rest = np.setdiff1d(np.arange(len(groups)), chosen)
    return tuple(
        (int(k) + 1, int(twin) + 1) for k in chosen for twin in rest[groups[rest] == groups[k]][:1]
    )
