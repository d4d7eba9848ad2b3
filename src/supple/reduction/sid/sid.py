"""Standard input data (SID) of a flexible body: what they carry of it, and how they are written.

With D_ija = D0_ija + (D1_ijba + G_ijab) q_b, the moments int rho c_i dc_j/dq_a of a material point
at c, the data are

    mdCM  s0, S1        Ct  S1^T and T_dab       Me, Ke, De   M, K, C
    J     xx yy zz xy xz yz of tr(E) 1 - E,  E = E0 + D0_a q_a + D0_a^T q_a
    Cr    rows eps_kij D_ija
    Oe    rows -(D_yy + D_zz), -(D_zz + D_xx), -(D_xx + D_yy), D_xy + D_yx, D_yz + D_zy, D_xz + D_zx
    Ge    2 eps_kij D1_ijba in column n k + b
    Gr    -2 (D_jia - delta_ij D_kka) in column n j + a, row i, without G

T and G come from displacements of second order in q (geometric stiffening), where a body has them:
T_dab = int rho d2u_d/dq_a dq_b, G_ijab = int rho x_i d2u_j/dq_a dq_b. J is of first order in the
format; its second order follows from D1. Oe has D1 and G together; only Gr with its order 1 has D1
alone. It is written here, and a body is the same when it is read again. The counting of columns and
of the entries of J and Oe is that of FEMBS; its own files have Gr of order 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Self

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.atomic_files import write_whole
from supple.reduction.modal import Attachment, ModalBody
from supple.reduction.sid.text import Taylor, number, write_matrix

# Places of the six products of angular velocities in Oe, and of the six moments in J.
SPIN = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
INERTIA = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
EPS = np.zeros((3, 3, 3))
for _i in range(3):
    EPS[_i, (_i + 1) % 3, (_i + 2) % 3], EPS[_i, (_i + 2) % 3, (_i + 1) % 3] = 1.0, -1.0


@dataclass(frozen=True, eq=False)
class SecondDisplacements:
    """Integrals of displacements of second order: the geometric stiffening that SID can carry.

    Attributes
    ----------
    T : (3, n, n) kg
        Integral of rho d2u_d / dq_a dq_b; minus the geometric stiffness of unit accelerations.
    G : (3, 3, n, n) kg m
        Integral of rho x_i d2u_j / dq_a dq_b.
    nodes : name to ((3, n, n), (3, n, n))
        Second derivatives of displacement and rotation of the frames.
    """

    T: Vector
    G: Vector
    nodes: dict[str, tuple[Vector, Vector]]

    @classmethod
    def of_shapes(
        cls, Gamma: Vector, S1: Vector, D0: Vector, nodes: Mapping[str, tuple[Vector, Vector]]
    ) -> Self:
        """From r shapes whose amplitudes are ``q . Gamma_r q / 2``, Gamma (r, n, n).

        ``S1`` (3, r) and ``D0`` (3, 3, r) are their integrals as in `ModalBody`; ``nodes`` has
        their displacement and rotation (3, r) at the frames.
        """
        T, G = (np.tensordot(part, Gamma, axes=1) for part in (S1, D0))
        moved = {
            name: (np.tensordot(u, Gamma, axes=1), np.tensordot(turn, Gamma, axes=1))
            for name, (u, turn) in nodes.items()
        }
        return cls(T, G, moved)


@dataclass(frozen=True, eq=False)
class StandardData:
    """What a SID file holds: a body, its frames by name, and its stiffening or None."""

    body: ModalBody
    frames: dict[str, Attachment]
    second: SecondDisplacements | None = None


def moment_rows(D: Vector) -> tuple[Vector, Vector]:
    """Rows (n, 3, ...) of Cr and (n, 6, ...) of Oe from moments D (3, 3, n, ...)."""
    turning = np.einsum("kij,ija...->ak...", EPS, D)
    trace = np.einsum("iia...->a...", D)
    spin = [D[i, j] + D[j, i] if i != j else D[i, i] - trace for i, j in SPIN]
    return turning, np.stack(spin, axis=1)


def moments(turning: Vector, spin: Vector) -> Vector:
    """Moments D (3, 3, n, ...) from rows (n, 3, ...) of Cr and (n, 6, ...) of Oe."""
    D = 0.5 * np.einsum("kij,ak...->ija...", EPS, turning)
    trace = -0.5 * (spin[:, 0] + spin[:, 1] + spin[:, 2])
    for place, (i, j) in enumerate(SPIN):
        if i == j:
            D[i, i] += spin[:, place] + trace
        else:
            D[i, j] += 0.5 * spin[:, place]
            D[j, i] += 0.5 * spin[:, place]
    return np.asarray(D)


def write_sid_file(path: str | Path, data: StandardData) -> None:
    """Write a body and its frames."""
    body, n = data.body, data.body.n
    second = data.second or SecondDisplacements(np.zeros((3, n, n)), np.zeros((3, 3, n, n)), {})
    D1 = body.D1.transpose(0, 1, 3, 2)  # (i, j, a, b)
    Cr0, Oe0 = moment_rows(body.D0)
    Cr1, Oe1 = moment_rows(D1 + second.G)
    J0 = np.trace(body.E0) * np.eye(3) - body.E0
    E1 = body.D0 + body.D0.transpose(1, 0, 2)
    J1 = np.trace(E1) * np.eye(3)[:, :, None] - E1
    pick = tuple(zip(*INERTIA, strict=True))
    blocks = {
        "mdCM": Taylor(body.s0[:, None], body.S1[:, None]),
        "J": Taylor(J0[pick][:, None], J1[pick][:, None]),
        "Ct": Taylor(body.S1.T, second.T.transpose(1, 0, 2)),
        "Cr": Taylor(Cr0, Cr1),
        "Me": Taylor(body.M),
        "Gr": Taylor(_gyroscopic(body.D0), _gyroscopic(D1)),
        "Ge": Taylor(2.0 * moment_rows(D1)[0].reshape(n, 3 * n)),
        "Oe": Taylor(Oe0, Oe1),
        "ksigma": Taylor(np.zeros((n, 1))),
        "Ke": Taylor(body.K),
        "De": Taylor(body.C),
    }
    lines = [f"{len(data.frames)} {n} : nodes and coordinates of standard input data by Supple"]
    lines += ["part", "new modal", "refmod", f"  mass         = {number(body.mass)}"]
    lines += [f"  nelastq      = {n}"]
    names = zip(body.coordinate_names, body.coordinate_units, strict=True)
    for k, (name, unit) in enumerate(names, start=1):
        lines.append(f"  ielastq ({k:4d}) = {name} [{unit}]")
    lines += ["end refmod", "frame"]
    none = np.zeros((3, n, n))
    for name, where in data.frames.items():
        lines += [f"new node       = {name}", "  rframe       = body ref"]
        of_place, of_axes = second.nodes.get(name, (none, none))
        turned = np.einsum("kij,ka,jl->ila", EPS.transpose(0, 2, 1), where.Psi, where.R0)
        for key, taylor in {
            "origin": Taylor(where.p0[:, None], where.Phi[:, None]),
            "phi": Taylor(where.Phi, of_place),
            "psi": Taylor(where.Psi, of_axes),
            "AP": Taylor(where.R0, turned),
        }.items():
            lines += write_matrix(key, taylor, n)
        lines.append("end node")
    lines.append("end frame")
    symmetric = ("Me", "Ke", "De")
    lines += chain.from_iterable(
        write_matrix(key, taylor, n, key in symmetric) for key, taylor in blocks.items()
    )
    write_whole(path, "\n".join([*lines, "end modal", "end part", ""]).encode())


def _gyroscopic(D: Vector) -> Vector:
    """Gr (3, 3 n, ...) of moments D (3, 3, n, ...)."""
    trace = np.einsum("kka...->a...", D)
    unit = np.eye(3).reshape(3, 3, *([1] * (D.ndim - 2)))
    rows = -2.0 * (D.swapaxes(0, 1) - unit * trace)
    return np.asarray(rows.reshape(3, 3 * D.shape[2], *D.shape[3:]))


def of_gyroscopic(Gr: Vector, n: int) -> Vector:
    """Moments D (3, 3, n, ...) of Gr (3, 3 n, ...)."""
    rows = Gr.reshape(3, 3, n, *Gr.shape[2:])
    unit = np.eye(3).reshape(3, 3, *([1] * (rows.ndim - 2)))
    trace = 0.25 * np.einsum("kka...->a...", rows)
    return np.asarray(unit * trace - 0.5 * rows.swapaxes(0, 1))
