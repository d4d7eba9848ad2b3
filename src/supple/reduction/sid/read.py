"""A flexible body from standard input data (SID); see `reduction.sid.sid` for what they are."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, warn_caller
from supple.foundation.validate import read_only
from supple.reduction.modal import Attachment, ModalBody
from supple.reduction.sid.sid import (
    INERTIA,
    SPIN,
    SecondDisplacements,
    StandardData,
    moment_rows,
    moments,
    of_gyroscopic,
)
from supple.reduction.sid.text import Block, Taylor, matrix, read_blocks, real

# Files have twelve digits or fewer; what should be the same differs by less than this, relatively.
SAME = 1e-6
NAMED = re.compile(r"(\w+) \[([^\]]*)\]$")
Pieces = dict[str, Taylor]


def read_sid_file(path: str | Path) -> StandardData:
    """Read a body and its frames; refuse data that do not tell inertia from stiffening."""
    owner, modal = f"SID file {Path(path).name!r}", read_blocks(path)
    refmod = _need(owner, modal, "refmod")
    count = refmod.value("nelastq")
    if count is None or not count.isdigit():
        raise ModelError(owner, "nelastq of refmod", count, "a number of coordinates")
    n = int(count)
    if n > Path(path).stat().st_size:
        expected = "no more coordinates than the file has characters"
        raise ModelError(owner, "nelastq of refmod", n, expected)
    sizes = {
        "mdCM": (3, 1), "J": (6, 1), "Ct": (n, 3), "Cr": (n, 3), "Me": (n, n), "Gr": (3, 3 * n),
        "Ge": (n, 3 * n), "Oe": (n, 6), "Ke": (n, n), "ksigma": (n, 1), "De": (n, n),
    }  # fmt: skip
    found: Pieces = {}
    for key, size in sizes.items():
        block = modal.block(key)
        if block is None and key in ("ksigma", "De"):
            found[key] = Taylor(np.zeros(size))
        else:
            found[key] = matrix(owner, _need(owner, modal, key), *size, n)
    if found["ksigma"].m0.any():
        raise ModelError(owner, "ksigma", found["ksigma"].m0[:, 0], "zeros: no stress at rest")
    D0 = _moments_of_first_order(owner, found, n)
    D1, T, G = _moments_of_second_order(owner, found, n)
    body = _body(owner, refmod, found, D0, D1)
    frames, nodes = _frames(owner, _need(owner, modal, "frame"), n)
    second = None
    if any(np.any(part) for part in (T, G, *(x for pair in nodes.values() for x in pair))):
        second = SecondDisplacements(read_only(T), read_only(G), nodes)
    return StandardData(body, frames, second)


def _moments_of_first_order(owner: str, found: Pieces, n: int) -> Vector:
    """D0 (3, 3, n) of J and Cr, which are in the mass matrix; Gr and Oe should agree."""
    J1 = np.broadcast_to(found["J"].first, (6, 1, n))[:, 0]
    columns = [(-0.5 if i == j else -1.0) * J1[INERTIA.index((i, j))] for i, j in SPIN]
    spin = np.stack(columns, axis=1)
    D0 = moments(found["Cr"].m0, spin)
    scale = max(np.abs(D0).max(initial=0.0), np.abs(found["Gr"].m0).max(initial=0.0))
    defects = {
        "Gr": np.abs(of_gyroscopic(found["Gr"].m0, n) - D0).max(initial=0.0),
        "Oe": np.abs(found["Oe"].m0 - spin).max(initial=0.0),
    }
    for key, defect in defects.items():
        if defect > SAME * scale:
            warn_caller(
                f"{owner}: m0 of {key} differs from J and Cr by {defect / scale:.1e}, expected the "
                "same moments of mass; J and Cr are used"
            )
    return D0


def _moments_of_second_order(owner: str, found: Pieces, n: int) -> tuple[Vector, Vector, Vector]:
    """D1 (3, 3, n, n) as in `ModalBody`, and T (3, n, n), G (3, 3, n, n) of the stiffening."""
    Cr1, Ct1 = (np.broadcast_to(found[key].first, (n, 3, n)) for key in ("Cr", "Ct"))
    Oe1 = np.broadcast_to(found["Oe"].first, (n, 6, n))
    turning = 0.5 * (Cr1 - Cr1.transpose(2, 1, 0))  # stiffening is symmetric
    scale = np.abs(found["Me"].m0).max(initial=0.0)
    if found["Gr"].m1 is not None:
        D = of_gyroscopic(found["Gr"].m1, n)
        kinetic_turning, kinetic_spin = moment_rows(D)
        G = moments(Cr1 - kinetic_turning, Oe1 - kinetic_spin)
        G[np.abs(G) < SAME * SAME * np.abs(Oe1).max(initial=0.0)] = 0.0
        return D.transpose(0, 1, 3, 2), Ct1.transpose(1, 0, 2), G
    D = moments(turning, Oe1)
    defect = np.abs(np.einsum("iiab->ab", D) - found["Me"].m0).max(initial=0.0)
    if Ct1.any() or defect > SAME * scale:
        raise ModelError.plain(
            f"{owner}: Oe holds more than inertia, such as geometric stiffening (its trace differs "
            f"from -2 Me by {defect / (scale or 1.0):.1e}), expected m1 in Gr to tell them apart"
        )
    return D.transpose(0, 1, 3, 2), np.zeros((3, n, n)), np.zeros((3, 3, n, n))


def _body(owner: str, refmod: Block, found: Pieces, D0: Vector, D1: Vector) -> ModalBody:
    n = D0.shape[2]
    mass = real(owner, "mass of refmod", refmod.value("mass"))
    M, K = found["Me"].m0, found["Ke"].m0
    J0 = np.empty((3, 3))
    for value, (i, j) in zip(found["J"].m0[:, 0], INERTIA, strict=True):
        J0[i, j] = J0[j, i] = value
    named = _coordinates(refmod, n)
    return ModalBody(
        mass=validate.positive(owner, "mass of refmod", mass),
        s0=read_only(found["mdCM"].m0[:, 0]),
        S1=read_only(found["Ct"].m0.T),
        E0=read_only(0.5 * np.trace(J0) * np.eye(3) - J0),
        D0=read_only(D0),
        D1=read_only(D1),
        M=read_only(M),
        K=read_only(K),
        C=read_only(found["De"].m0),
        frequencies=read_only(frequencies(owner, M, K)),
        coordinate_names=tuple(name for name, _ in named),
        coordinate_units=tuple(unit for _, unit in named),
    )


def frequencies(owner: str, M: Vector, K: Vector) -> Vector:
    """Frequencies (n,) of the body in Hz, ascending."""
    from scipy.linalg import eigh

    if not len(M):
        return np.zeros(0)
    try:
        values = eigh(K, M, eigvals_only=True)
    except np.linalg.LinAlgError:
        raise ModelError(owner, "Me", np.diag(M), "a positive definite matrix") from None
    if values[0] <= 0.0:
        raise ModelError(owner, "the lowest eigenvalue of Ke", values[0], "a positive number")
    return np.asarray(np.sqrt(values) / (2.0 * np.pi))


def _coordinates(refmod: Block, n: int) -> list[tuple[str, str]]:
    """Names and units of the coordinates; those of others are numbered and have no known unit."""
    named = [(f"mode_{k + 1}", "1") for k in range(n)]
    for key, text in refmod.values:
        match, place = NAMED.match(text), re.match(r"ielastq\s*\(\s*(\d+)\s*\)$", key)
        if match and place and 1 <= int(place[1]) <= n:
            named[int(place[1]) - 1] = match[1], match[2]
    return (
        named
        if len({name for name, _ in named}) == n
        else [(f"mode_{k + 1}", "1") for k in range(n)]
    )


def _frames(
    owner: str, block: Block, n: int
) -> tuple[dict[str, Attachment], dict[str, tuple[Vector, Vector]]]:
    frames: dict[str, Attachment] = {}
    second: dict[str, tuple[Vector, Vector]] = {}
    for node in block.blocks:
        name = node.label
        if node.kind != "node" or not name or name in frames:
            raise ModelError(owner, f"a {node.kind} of frame", name, "nodes with different names")
        who = f"{owner}, node {name}"
        origin, phi, psi, axes = (
            matrix(who, _need(who, node, key), *size, n)
            for key, size in {"origin": (3, 1), "phi": (3, n), "psi": (3, n), "AP": (3, 3)}.items()
        )
        frames[name] = Attachment(
            p0=read_only(origin.m0[:, 0]),
            R0=validate.rotation(who, "m0 of AP", axes.m0),
            Phi=read_only(phi.m0),
            Psi=read_only(psi.m0),
        )
        if phi.m1 is not None or psi.m1 is not None:
            none = np.zeros((3, n, n))
            second[name] = read_only(phi.first + none), read_only(psi.first + none)
    if not frames:
        raise ModelError.plain(f"{owner}: there is no node in 'frame', expected at least one")
    return frames, second


def _need(owner: str, block: Block, kind: str) -> Block:
    inner = block.block(kind)
    if inner is None:
        raise ModelError.plain(
            f"{owner}: there is no block {kind!r} in {block.kind!r}, expected one"
        )
    return inner
