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

Text of standard input data (SID) of a flexible body: blocks of matrices of order 0 and 1. O.
Wallrapp, Mech. Struct. Mach. 22 (1994) 283-304. Every quantity X of the body is written as X(q) =
m0 + sum_b m1_b q_b, in a block between its name and ``end``. The layout is that of FEMBS, the
preprocessor of Simpack: numbers may have Fortran's exponents, entries that are zero are left out,
and the entries of order 1 are ``m1(row, coordinate b, column)``. Structure is 0 for a zero matrix,
1 diagonal, 2 symmetric (one half is enough), 3 full, 4 unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Self

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.atomic_files import write_whole
from supple.foundation.errors import ModelError, warn_caller
from supple.foundation.input_files import path_of, read_text
from supple.foundation.validate import read_only
from supple.reduction.modal import Attachment, ModalBody

ENTRY = re.compile(r"m([01])\s*\(\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)$")
ZERO, DIAGONAL, SYMMETRIC, FULL, UNIT = range(5)
# Places of the six products of angular velocities in Oe, and of the six moments in J.
SPIN = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))
INERTIA = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
EPS = np.zeros((3, 3, 3))
# Files have twelve digits or fewer; what should be the same differs by less than this, relatively.
SAME = 1e-6
NAMED = re.compile(r"(\w+) \[([^\]]*)\]$")


@dataclass
class Block:
    """Lines between a word and its ``end``: values ``key = text`` and further blocks."""

    kind: str
    label: str = ""
    values: list[tuple[str, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def value(self, key: str) -> str | None:
        """Text of the first value of that name."""
        return next((text for name, text in self.values if name == key), None)

    def block(self, kind: str) -> Block | None:
        """The first block of that kind."""
        return next((inner for inner in self.blocks if inner.kind == kind), None)


@dataclass(frozen=True, eq=False)
class Taylor:
    """A matrix of order 0 (rows, columns) and, or None, of order 1 (rows, columns, coordinates)."""

    m0: Vector
    m1: Vector | None = None

    @property
    def first(self) -> Vector | float:
        """Order 1, zero if there is none."""
        return 0.0 if self.m1 is None else self.m1


def read_blocks(path: str | Path) -> Block:
    """The block ``modal`` of a file; what stands before ``part`` is a comment."""
    owner = f"SID file {str(path)!r}"
    file = path_of("SID file", "path", path)
    if not file.exists():
        raise ModelError.plain(f"{owner}: there is no such file, expected a text file")
    lines = read_text(file, "standard input data", owner).splitlines()
    stack: list[Block] = []
    for number, raw in enumerate(lines, start=1):
        words, _, text = raw.partition("=")
        words, text = " ".join(words.split()), text.strip()
        if not words or (not stack and words != "part"):
            continue
        if words.startswith("end "):
            if words[4:] != stack[-1].kind:
                _refuse(file, number, raw, f"end {stack[-1].kind}")
            done = stack.pop()
            if not stack:
                modal = done.block("modal")
                if modal is None:
                    raise ModelError.plain(
                        f"SID file {file.name!r}: there is no block 'modal', expected one in 'part'"
                    )
                return modal
        elif words.startswith("new ") or "=" not in raw:
            inner = Block(words.removeprefix("new "), text)
            if stack:
                stack[-1].blocks.append(inner)
            stack.append(inner)
        else:
            stack[-1].values.append((words, text))
    where = f"the end of '{stack[-1].kind}'" if stack else "a block 'part'"
    raise ModelError.plain(f"SID file {file.name!r}: it ends too early, expected {where}")


def matrix(owner: str, block: Block, rows: int, columns: int, n: int) -> Taylor:
    """The matrix (rows, columns) of a block, for n coordinates."""
    order, structure = (_integer(owner, block, key) for key in ("order", "structure"))
    size = tuple(_integer(owner, block, key) for key in ("nrow", "ncol"))
    if size != (rows, columns):
        raise ModelError(owner, f"nrow, ncol of {block.kind}", size, f"{rows}, {columns}")
    if order not in (0, 1):
        raise ModelError(owner, f"order of {block.kind}", order, "0 or 1")
    if structure not in range(5):
        raise ModelError(owner, f"structure of {block.kind}", structure, "an integer from 0 to 4")
    if order and n and _integer(owner, block, "nq") != n:
        expected = f"{n}, the number of elastic coordinates"
        raise ModelError(owner, f"nq of {block.kind}", block.value("nq"), expected)
    try:
        m0 = np.eye(rows, columns) if structure == UNIT else np.zeros((rows, columns))
        m1 = np.zeros((rows, columns, n if order else 0))
    except MemoryError:
        raise ModelError(owner, f"nrow, ncol of {block.kind}", size, "less") from None
    given: set[tuple[int, ...]] = set()
    for place, value in _entries(owner, block):
        target, limits = (m0, (rows, columns)) if len(place) == 2 else (m1, (rows, n, columns))
        if any(not 1 <= k <= most for k, most in zip(place, limits, strict=True)):
            expected = f"m1(row, coordinate, column) within {rows}, {n}, {columns}"
            if len(place) == 2:
                expected = f"m0(row, column) within {rows}, {columns}"
            raise ModelError(owner, f"an entry of {block.kind}", place, expected)
        if len(place) == 3 and not order:
            continue
        i, j = place[0] - 1, place[-1] - 1
        target[(i, j, *(k - 1 for k in place[1:-1]))] = value
        given.add((i, j, *place[1:-1]))
    if structure == SYMMETRIC and rows == columns:
        for i, j, *b in given:
            if (j, i, *b) not in given:
                target = m1 if b else m0
                target[(j, i, *(k - 1 for k in b))] = target[(i, j, *(k - 1 for k in b))]
    return Taylor(m0, m1 if order else None)


def write_matrix(name: str, taylor: Taylor, n: int, symmetric: bool = False) -> Iterator[str]:
    """Lines of a block; digits are enough to read the same numbers again."""
    rows, columns = taylor.m0.shape
    order = 0 if taylor.m1 is None or not taylor.m1.any() else 1
    structure = FULL if order or taylor.m0.any() else ZERO
    if symmetric and structure == FULL:
        structure = SYMMETRIC
    yield name
    sizes = {"order": order, "nrow": rows, "ncol": columns, "nq": n, "nqn": 0}
    for key, size in {**sizes, "structure": structure}.items():
        yield f"  {key:<12} = {size}"
    for i, j in np.argwhere(taylor.m0):
        yield f"  m0({i + 1:3d},{j + 1:3d})      = {number(taylor.m0[i, j])}"
    if order and taylor.m1 is not None:
        for i, j, b in np.argwhere(taylor.m1):
            yield f"  m1({i + 1:3d},{b + 1:3d},{j + 1:3d})  = {number(taylor.m1[i, j, b])}"
    yield f"end {name}"


def number(value: float) -> str:
    """A number with Fortran's exponent."""
    return f"{value:.16E}".replace("E", "D")


def real(owner: str, what: str, text: str | None) -> float:
    """A number of the file, with an exponent of Fortran or of others."""
    try:
        found = float((text or "").upper().replace("D", "E"))
    except ValueError:
        found = np.nan
    if not np.isfinite(found):
        raise ModelError(owner, what, text, "a finite number")
    return found


def _entries(owner: str, block: Block) -> Iterator[tuple[tuple[int, ...], float]]:
    for key, text in block.values:
        match = ENTRY.match(key)
        if match:
            order, *places = match.groups()
            if (places[2] is not None) != (order == "1"):
                raise ModelError(owner, f"an entry of {block.kind}", key, "m0(i, j) or m1(i, b, j)")
            place = tuple(int(k) for k in places if k is not None)
            yield place, real(owner, f"{key} of {block.kind}", text)


def _integer(owner: str, block: Block, key: str) -> int:
    text = block.value(key)
    if text is None or not text.lstrip("+-").isdigit():
        raise ModelError(owner, f"{key} of {block.kind}", text, "an integer")
    return int(text)


def _refuse(file: Path, number: int, line: str, expected: str) -> None:
    found = " ".join(line.split())
    raise ModelError.plain(
        f"SID file {file.name!r}: line {number} is {found!r}, expected {expected!r}"
    )


for _i in range(3):
    EPS[_i, (_i + 1) % 3, (_i + 2) % 3], EPS[_i, (_i + 2) % 3, (_i + 1) % 3] = 1.0, -1.0


@dataclass(frozen=True, eq=False)
class SecondDisplacements:
    """Integrals of displacements of second order: the geometric stiffening that SID can carry."""

    # (3, n, n) kg Integral of rho d2u_d / dq_a dq_b; minus the geometric stiffness of unit
    # accelerations.
    T: Vector
    G: Vector  # (3, 3, n, n) kg m Integral of rho x_i d2u_j / dq_a dq_b.
    # name to ((3, n, n), (3, n, n)) Second derivatives of displacement and rotation of the frames.
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
    """Content of a SID file: a body, its frames by name, and its stiffening or None."""

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
