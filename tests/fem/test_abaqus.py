"""Matrices of Abaqus in its text formats: what comes in is what was written, or a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import supple as sp
from oracles.nastran_beam import imported_beam

DATA = Path(__file__).parents[1] / "data"
BODY = sp.fem.read_calculix(DATA / "hexahedra")
MATRICES = ("stiffness_matrix", "mass_matrix")


def labelled(path: Path, matrix, pairs) -> Path:
    """FORMAT=MATRIX INPUT: row node, direction, column node, direction, entry."""
    lines = ["** Assembled matrix"]
    found = sparse.coo_array(matrix)
    for i, j, value in zip(found.row, found.col, found.data, strict=True):
        (row, a), (column, b) = pairs[i], pairs[j]
        lines.append(f"{row},{a}, {column},{b}, {value: .15e}")
    path.write_text("\n".join(lines) + "\n")
    return path


def numbered(path: Path, matrix) -> Path:
    """FORMAT=COORDINATE: row, column, entry, with blanks between them."""
    found = sparse.coo_array(matrix)
    rows = zip(found.row, found.col, found.data, strict=True)
    path.write_text("".join(f"{i + 1:9d} {j + 1:9d} {value: .15e}\n" for i, j, value in rows))
    return path


def pairs_of(component) -> np.ndarray:
    size, n = component.node_size, len(component.nodes)
    return np.column_stack([np.repeat(component.labels, size), np.tile(np.arange(1, size + 1), n)])


def deck(path: Path, labels, nodes) -> Path:
    texts = [", ".join(repr(float(x)) for x in place) for place in nodes]
    rows = [f"{k}, {text}" for k, text in zip(labels, texts, strict=True)]
    path.write_text("*HEADING\nbody\n*NODE, NSET=ALL\n" + "\n".join(rows) + "\n*STEP\n")
    return path


def same(found, expected) -> None:
    assert np.array_equal(found.nodes, expected.nodes)
    for name in MATRICES:
        a, b = getattr(found, name), getattr(expected, name)
        assert np.abs(a - b).max() <= 1e-15 * np.abs(b).max()  # sixteen digits are written


@pytest.mark.parametrize("part", ["lower", "upper", "both", "shuffled"])
@pytest.mark.parametrize("form", ["COORDINATE", "MATRIX INPUT"])
def test_both_formats(form: str, part: str, tmp_path: Path) -> None:
    """Triangles or squares; ``shuffled`` is a triangle in another order of nodes."""
    order = np.arange(BODY.size)
    if part == "shuffled":
        order = np.random.default_rng(3).permutation(BODY.size)
    cut = {"lower": sparse.tril, "shuffled": sparse.tril, "upper": sparse.triu}.get(part, np.copy)
    pairs, paths = pairs_of(BODY)[order], []
    for name in MATRICES:
        matrix = getattr(BODY, name)[order][:, order]
        matrix = matrix if part == "both" else cut(matrix)
        if form == "COORDINATE":
            paths.append(numbered(tmp_path / f"{name}.mtx", matrix))
        else:
            paths.append(labelled(tmp_path / f"{name}.mtx", matrix, pairs))
    rows = pairs if form == "COORDINATE" and part == "shuffled" else None
    same(sp.fem.read_abaqus(*paths, DATA / "hexahedra.inp", rows=rows), BODY)


def test_rows_from_a_file_and_six_directions(tmp_path: Path) -> None:
    """A beam with rotations, rows by direction; node and direction of each are in a file."""
    beam = imported_beam()
    order = np.arange(beam.size).reshape(-1, 6).T.ravel()
    pairs = pairs_of(beam)[order]
    pairs[:, 0] += 1
    model = deck(tmp_path / "job.inp", 1 + beam.labels, beam.nodes)
    paths = [numbered(tmp_path / f"{n}.mtx", getattr(beam, n)[order][:, order]) for n in MATRICES]
    (tmp_path / "rows.txt").write_text("".join(f"{node}, {at}\n" for node, at in pairs))
    same(sp.fem.read_abaqus(*paths, model, rows=tmp_path / "rows.txt"), beam)
    # In the order of nodes the same numbers mean another body: its rigid motions need forces.
    with pytest.raises(sp.ModelError) as caught:
        sp.fem.read_abaqus(*paths, model)
    assert str(caught.value) == (
        "stiffness_matrix.mtx: moving the whole body needs a force, expected a free body, all of "
        "its entries, and rows in the order of the numbers of nodes (name others by rows=...)"
    )


def test_internal_nodes_are_eliminated(tmp_path: Path) -> None:
    """Hidden springs between two nodes of Abaqus's own: what is left is their stiffness in series.

    K of the body is that without the springs plus k u u^T; with an internal node of displacement z
    and energy k (z - u)^2 + k z^2 it is k/2 u u^T.
    """
    pairs, K = pairs_of(BODY), BODY.stiffness_matrix
    # along the line between two nodes, so that the rigid motions need no force
    i, j = 0, 7
    line = BODY.nodes[j] - BODY.nodes[i]
    u = np.zeros(BODY.size)
    u[3 * j : 3 * j + 3] = line / np.linalg.norm(line)
    u[3 * i : 3 * i + 3] = -u[3 * j : 3 * j + 3]
    k = 3.0 * abs(K).max()
    wide = sparse.block_diag([K + k * sparse.csc_array(np.outer(u, u)), [[2.0 * k]]]).tolil()
    wide[-1, : BODY.size] = wide[: BODY.size, -1] = -k * u
    mass = sparse.block_diag([BODY.mass_matrix, [[0.0]]])
    inner = np.vstack([pairs, [[-1, 1]]])
    stiffness = labelled(tmp_path / "K.mtx", sparse.tril(wide), inner)
    massive = labelled(tmp_path / "M.mtx", mass, inner)
    found = sp.fem.read_abaqus(stiffness, massive, DATA / "hexahedra.inp")
    expected = (K + 0.5 * k * sparse.csc_array(np.outer(u, u))).toarray()
    difference = np.abs(found.stiffness_matrix.toarray() - expected).max()
    assert difference < 1e-13 * np.abs(expected).max()
    assert sp.fem.check_component(found).rigid == 6


def test_messages(tmp_path: Path) -> None:
    pairs, K, M = pairs_of(BODY), BODY.stiffness_matrix, BODY.mass_matrix
    model = DATA / "hexahedra.inp"
    good = labelled(tmp_path / "M.mtx", M, pairs), numbered(tmp_path / "m.mtx", M)
    held = K.tolil()
    held[4, 4] = 1e36
    massive = np.vstack([pairs[:-3], [[-1, 1], [-1, 2], [-1, 3]]])
    n = len(BODY.nodes)
    cases = [
        (labelled(tmp_path / "held.mtx", held, pairs), good[0], {},
         "held.mtx: direction 2 of node 20 has 1e+36 on the diagonal, which Abaqus writes for a "
         "support, expected matrices of the free body"),
        (labelled(tmp_path / "K.mtx", K, pairs), good[1], {},
         "K.mtx has 5 numbers in each line and m.mtx has 3, expected the same format of both"),
        (numbered(tmp_path / "k.mtx", K[:-1, :-1]), numbered(tmp_path / "s.mtx", M[:-1, :-1]), {},
         f"k.mtx: it has {3 * n - 1} rows, expected 3 or 6 for each of {n} nodes of the model, or "
         "rows=... with node and direction of each row"),
        (numbered(tmp_path / "k2.mtx", K), good[1], {"rows": pairs[:-1]},
         f"k2.mtx: a row or column is {3 * n}, expected 1 to {3 * n - 1}"),
        (numbered(tmp_path / "k3.mtx", K), good[1], {"rows": [1, 2]},
         "read_abaqus: rows is (1, 2), expected node and direction (1 to 6) of each row"),
        (labelled(tmp_path / "K2.mtx", K, pairs), good[0], {"rows": pairs.tolist()},
         "nothing: the files name nodes and directions"),
        (labelled(tmp_path / "K3.mtx", K, massive), labelled(tmp_path / "M3.mtx", M, massive), {},
         "K3.mtx: node -1 is internal and has mass, expected the mass at the nodes of the model "
         "only"),
        (model, good[0], {},
         "hexahedra.inp: its lines are not all made of 3 or 5 numbers, expected entries as row, "
         "column, value (COORDINATE) or as row node, its direction, column node, its direction, "
         "value (MATRIX INPUT)"),
    ]  # fmt: skip
    for stiffness, mass, more, sentence in cases:
        with pytest.raises(sp.ModelError) as caught:
            sp.fem.read_abaqus(stiffness, mass, model, **more)
        assert str(caught.value).endswith(sentence)
