"""Matrices from files of other programs: what comes in is what they printed and meant."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite

import supple as sp
from models.output4_files import LAYOUTS, write_binary
from models.solid_meshes import STEEL, coordinates, curved
from oracles.nastran_beam import imported_beam
from supple.fem.base.inertia import point_integrals
from supple.fem.base.solid_kinds import rule, shapes
from supple.fem.base.vibration import typical_square
from supple.fem.files.input_deck import read_deck
from supple.fem.files.matrix_rows import convert
from supple.fem.files.nastran import read_grids, read_output4
from supple.fem.solids.matrices import MassRule, assemble, mass_matrices

DATA = Path(__file__).parents[1] / "data"


def printed(job: str) -> np.ndarray:
    """Frequencies (Hz) that CalculiX printed for the body with its foot held."""
    text = (DATA / f"{job}.dat").read_text()
    rows = re.findall(r"^ +(\d+) +(\S+) +(\S+) +(\S+) +(\S+) *$", text, re.M)
    return np.array([float(row[3]) for row in rows[:8]])


@pytest.mark.parametrize(("job", "units"), [("hexahedra", "m"), ("tetrahedra", "mm")])
def test_frequencies_are_those_that_calculix_printed(job: str, units) -> None:
    component = sp.fem.read_calculix(DATA / job, units)
    found = sp.fem.lowest_modes(component, 8, coordinates(component.group("FOOT"))).frequencies
    assert len(printed(job)) == 8
    assert found == pytest.approx(printed(job), rel=5e-7)  # half of the seventh digit of 0.1...
    report = sp.fem.check_component(component)
    assert report.sound and report.rigid == 6


def twin(job: str) -> sp.fem.SolidMesh:
    """The same mesh made here; the nodes are those of the input file."""
    kind, divisions = {"hexahedra": ("hex20", (2, 1, 1)), "tetrahedra": ("tet10", (1, 1, 1))}[job]
    mesh = sp.fem.block((1.0, 1.0, 1.0), divisions, kind, STEEL)
    nodes = sp.fem.read_calculix(DATA / job, "m" if job == "hexahedra" else "mm").nodes
    return sp.fem.SolidMesh(nodes, mesh.cells, kind, STEEL)


@pytest.mark.parametrize(("job", "units"), [("hexahedra", "m"), ("tetrahedra", "mm")])
def test_stiffness_is_that_of_calculix(job: str, units) -> None:
    """Two programs, the same curved elements: 14 digits are in the file."""
    component, mesh = sp.fem.read_calculix(DATA / job, units), twin(job)
    assert np.array_equal(component.labels, 10 * (1 + np.arange(len(mesh.nodes))))
    K = mesh.stiffness_matrix
    assert np.abs(component.stiffness_matrix - K).max() < 1e-13 * np.abs(K).max()


@pytest.mark.parametrize(
    ("job", "units", "degree"), [("hexahedra", "m", 5), ("tetrahedra", "mm", 2)]
)
def test_mass_is_that_of_calculix_with_its_integration(job: str, units, degree: int) -> None:
    """CalculiX takes 27 points for C3D20 and four for C3D10."""
    component, mesh = sp.fem.read_calculix(DATA / job, units), twin(job)
    places, weights = rule(job == "tetrahedra", degree)
    values, slopes = shapes(mesh.kind, places)
    jacobian = np.einsum("qni,enj->eqij", slopes, mesh.nodes[mesh.cells])
    points = MassRule(values, 7850.0 * weights * np.linalg.det(jacobian))
    expected = assemble(mass_matrices(points), mesh.cells, len(mesh.nodes))
    for i in range(3):
        found = component.mass_matrix[i::3, i::3]
        assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()
    exact, found = sp.fem.mass_properties(mesh), sp.fem.mass_properties(component)
    assert found.mass == pytest.approx(exact.mass, rel=1e-12)


def test_node_sets_become_groups() -> None:
    component = sp.fem.read_calculix(DATA / "hexahedra")
    assert np.array_equal(component.group("FOOT"), component.nodes_on_plane("x", 0.0, 0.005))
    assert len(component.group("NALL")) == 32


def test_sets_by_range_name_and_included_file(tmp_path: Path) -> None:
    (tmp_path / "nodes.inc").write_text("*Node, nset=All\n1, 0., 0., 0.\n2, 1.\n** c\n5, 0, 2, 3\n")
    (tmp_path / "job.inp").write_text(
        "*HEADING\ntext, 7\n*Include, input=nodes.inc\n*NSET, NSET=odd, GENERATE\n1, 5, 2\n"
        "*NSET, NSET=Both\nodd, 2\n"
    )
    deck = read_deck(tmp_path / "job.inp")
    assert deck.labels.tolist() == [1, 2, 5]
    assert deck.places.tolist() == [[0, 0, 0], [1, 0, 0], [0, 2, 3]]
    assert deck.sets == {"ALL": [1, 2, 5], "ODD": [1, 3, 5], "BOTH": [1, 3, 5, 2]}


def test_matrix_market(tmp_path: Path) -> None:
    mesh = curved("hex8")
    mmwrite(tmp_path / "K.mtx", mesh.stiffness_matrix, precision=16, symmetry="symmetric")
    mmwrite(tmp_path / "M.mtx", mesh.mass_matrix, precision=16)
    found = sp.fem.read_matrix_market(tmp_path / "K.mtx", tmp_path / "M.mtx", mesh.nodes)
    assert np.abs(found.stiffness_matrix - mesh.stiffness_matrix).max() <= 1e-5
    expected = sp.fem.lowest_modes(mesh, 9).frequencies[6:]
    assert sp.fem.lowest_modes(found, 9).frequencies[6:] == pytest.approx(expected, rel=1e-9)


def test_saved_component_comes_back(tmp_path: Path) -> None:
    mesh = curved("tet10")
    sp.fem.save_component(tmp_path / "body.npz", mesh)
    found = sp.fem.load_component(tmp_path / "body.npz")
    assert np.array_equal(found.nodes, mesh.nodes) and found.node_size == 3
    for name in ("mass_matrix", "stiffness_matrix"):
        assert (getattr(found, name) != getattr(mesh, name)).nnz == 0
    assert np.array_equal(found.group("x_max"), mesh.group("x_max"))


def test_a_file_with_objects_is_not_opened(tmp_path: Path) -> None:
    """Loading must never run what a file brings along."""
    np.savez(tmp_path / "bad.npz", nodes=np.array([{"a": 1}], dtype=object))
    with pytest.raises((ValueError, sp.ModelError)):
        sp.fem.load_component(tmp_path / "bad.npz")
    with pytest.raises(sp.ModelError, match=r"bad\.npz: there is no 'node_size', expected a file"):
        np.savez(tmp_path / "bad.npz", nodes=np.zeros((2, 3)))
        sp.fem.load_component(tmp_path / "bad.npz")


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_nastran_matrices(form: str) -> None:
    found, beam = sp.fem.read_nastran(DATA / "beam.bdf", DATA / f"beam_{form}.op4"), imported_beam()
    assert found.node_size == 6 and np.array_equal(found.labels, [100, 101, 102, 103])
    assert found.nodes == pytest.approx(beam.nodes, abs=1e-15)
    for name in ("mass_matrix", "stiffness_matrix"):
        a, b = getattr(found, name), getattr(beam, name)
        assert np.abs(a - b).max() <= 1e-15 * np.abs(b).max()


def test_nastran_solids_lose_their_empty_rotations(tmp_path: Path) -> None:
    """Strings of entries with BIGMAT, grid points in small and free fields, no rotations."""
    mesh = sp.fem.block((1.0, 0.5, 0.25), (1, 1, 1), "hex8", STEEL)
    along = np.arange(48).reshape(8, 6)[:, :3].ravel()
    lines = []
    for name, matrix in (("KGG", mesh.stiffness_matrix), ("MGG", mesh.mass_matrix)):
        full = np.zeros((48, 48))
        full[np.ix_(along, along)] = matrix.toarray()
        lines.append(f"{48:8}{-48:8}{6:8}{2:8}{name:8}1P,3E23.16")
        for column in along:
            lines.append(f"{column + 1:8}{0:8}{2 * 24 + 16:8}")
            for node in range(8):
                lines.append(f"{7:8}{6 * node + 1:8}")
                lines.append("".join(f"{v:23.16E}" for v in full[6 * node : 6 * node + 3, column]))
        lines += [f"{49:8}{1:8}{1:8}", f"{1.0:23.16E}"]
    (tmp_path / "solid.op4").write_text("\n".join(lines) + "\n")
    grids = ["BEGIN BULK"]
    for k, (x, y, z) in enumerate(mesh.nodes):
        small = f"GRID    {k + 1:8}        {x:8.4f}{y:8.4f}{z:8.4f}"
        grids.append(small if k % 2 else f"GRID,{k + 1},,{x},{y},{10 * z}-1")
    (tmp_path / "solid.bdf").write_text("\n".join(grids) + "\nENDDATA\n")
    found = sp.fem.read_nastran(tmp_path / "solid.bdf", tmp_path / "solid.op4")
    assert found.node_size == 3
    assert found.nodes == pytest.approx(mesh.nodes, abs=1e-15)
    K = mesh.stiffness_matrix
    assert np.abs(found.stiffness_matrix - K).max() < 1e-15 * np.abs(K).max()


def test_millimetres_with_rotations() -> None:
    """A beam written in mm, t, s has the same motion: frequencies and mass in SI."""
    beam = imported_beam()
    unit = np.tile([1e-3] * 3 + [1.0] * 3, 4)
    D = sparse.diags_array(unit)
    # energy in N mm is a thousand times the number in J
    M, K = (1e3 * (D @ m @ D) for m in (beam.mass_matrix, beam.stiffness_matrix))
    assert M[0, 0] == pytest.approx(beam.mass_matrix[0, 0] * 1e-3)  # t
    places, M, K = convert(1e3 * beam.nodes, 6, M, K, "mm")
    assert places == pytest.approx(beam.nodes)
    assert np.abs(M - beam.mass_matrix).max() < 1e-14 * np.abs(beam.mass_matrix).max()
    assert np.abs(K - beam.stiffness_matrix).max() < 1e-14 * np.abs(beam.stiffness_matrix).max()


def _files(folder: Path, **texts: str) -> Path:
    for ending, text in texts.items():
        (folder / f"job.{ending}").write_text(text)
    return folder / "job"


SMALL = {
    "inp": "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n",
    "dof": "1.1\n1.2\n1.3\n2.1\n2.2\n2.3\n",
    "sti": "1 1 1.0\n",
    "mas": "1 1 1.0\n",
}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"dof": "1.1\n1.2\n1.3\n2.1\n2.3\n"},
         "ImportedComponent 'job': direction 2 of node 2 is 0 times in the matrices, expected "
         "once: write them for the free body, without supports and constraints"),
        ({"dof": "1.1\n1.2\n1.3\n7.1\n7.2\n7.3\n"},
         "ImportedComponent 'job': the matrices have node 7, expected one of the model's nodes"),
        ({"dof": "1.1\n1.2\n1.3\n2.1\n2.2\n2.8\n"},
         "ImportedComponent 'job': node 2 has the direction 8, expected 1 to 6"),
        ({"sti": "1 1\n"},
         "job.sti: its lines are not all made of 3 numbers, expected a matrix as row, column, "
         "entry"),
        ({"inp": "*STEP\n"}, "job.inp: there is no *NODE, expected places of nodes"),
    ],
)  # fmt: skip
def test_messages_of_calculix_files(change, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(sp.ModelError) as caught:
        sp.fem.read_calculix(_files(tmp_path, **(SMALL | change)))
    assert str(caught.value) == sentence


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_binary_output4(layout: str, order: str, tmp_path: Path) -> None:
    """Entries are those of the text file, to seven digits in single precision."""
    text = read_output4(DATA / "beam_dense.op4")
    for kind, digits in (("f8", 0.0), ("f4", 2.0**-24)):
        path = write_binary(tmp_path / "beam.op4", text, layout, order, kind)
        found = sp.fem.read_nastran(DATA / "beam.bdf", path)
        expected = sp.fem.read_nastran(DATA / "beam.bdf", DATA / "beam_dense.op4")
        for name in ("mass_matrix", "stiffness_matrix"):
            a, b = getattr(found, name), getattr(expected, name)
            assert abs(a - b).max() <= digits * abs(b).max()
    matrix = text["KGG"].toarray()
    zero = dict(KGG=np.where(np.abs(matrix) < 1e9, 0.0, matrix), MGG=0 * matrix)
    again = read_output4(write_binary(tmp_path / "zero.op4", zero, layout, order))
    assert np.array_equal(again["KGG"].toarray(), zero["KGG"]) and again["MGG"].nnz == 0


def test_messages_of_other_files(tmp_path: Path) -> None:
    (tmp_path / "bad.op4").write_bytes(bytes([99, 0, 0, 0, 200, 255]))
    (tmp_path / "bad.bdf").write_text("GRID,5,3,0.,0.,0.\n")
    (tmp_path / "empty.bdf").write_text("BEGIN BULK\n")
    for action, sentence in (
        (lambda: sp.fem.read_calculix(tmp_path / "none"),
         "none: there is no file none.dof, expected it to exist"),
        (lambda: read_output4(tmp_path / "bad.op4"),
         "bad.op4: it is a binary file that does not begin as one of OUTPUT4, expected a record of "
         "24 or 28 bytes (32-bit integers), or text"),
        (lambda: read_grids(tmp_path / "bad.bdf"),
         "bad.bdf: GRID 5 has CP = 3, expected 0 or nothing, for basic coordinates"),
        (lambda: read_grids(tmp_path / "empty.bdf"),
         "empty.bdf: there is no GRID, expected places of nodes"),
        (lambda: sp.fem.read_nastran(DATA / "beam.bdf", DATA / "beam_dense.op4", stiffness="KG"),
         "beam_dense.op4: there is no matrix 'KG', did you mean 'KGG'?"),
    ):  # fmt: skip
        with pytest.raises(sp.ModelError) as caught:
            action()
        assert str(caught.value) == sentence


MESH = sp.fem.block((1.0, 1.0, 1.0), (2, 1, 1), "hex8", STEEL)
M, K = MESH.mass_matrix, MESH.stiffness_matrix


def changed(matrix, i: int, j: int, value: float):
    found = matrix.tolil()
    found[i, j] = value
    return found.tocsc()


def two_bodies():
    other = sparse.block_diag([K, K])
    return np.vstack([MESH.nodes, MESH.nodes + 5.0]), sparse.block_diag([M, M]), other


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (lambda: sp.fem.ImportedComponent(MESH.nodes, 4, M, K),
         "ImportedComponent: node_size is 4, expected 3 or 6"),
        (lambda: sp.fem.ImportedComponent(MESH.nodes[:-1], 3, M, K),
         "ImportedComponent: mass_matrix has the shape (36, 36), expected (33, 33) for 11 nodes "
         "with 3 coordinates"),
        (lambda: sp.fem.ImportedComponent(MESH.nodes, 3, M, changed(K, 3, 8, 0.0), name="arm"),
         f"ImportedComponent 'arm': stiffness_matrix is {K[8, 3]:.9g} for (w of node 2, "
         "u of node 1) and 0 the other way round, expected a symmetric matrix"),
        (lambda: sp.fem.ImportedComponent(MESH.nodes, 3, changed(M, 4, 4, -1.0), K),
         "ImportedComponent: mass_matrix of v of node 1 is -1, expected zero or a positive number"),
        (lambda: sp.fem.ImportedComponent(MESH.nodes, 3, M, changed(K, 5, 5, -2.0)),
         "ImportedComponent: stiffness_matrix of w of node 1 is -2, expected zero or a positive "
         "number"),
        (lambda: sp.fem.ImportedComponent(MESH.nodes, 3, changed(M, 4, 4, np.nan), K),
         "ImportedComponent: mass_matrix is 'not finite', expected finite numbers"),
        (lambda: sp.fem.ImportedComponent(two_bodies()[0], 3, *two_bodies()[1:]),
         "ImportedComponent: the mesh has 2 parts that share no nodes, node 12 is not in the part "
         "of node 0, expected one part (merge nodes that are in the same place)"),
        (lambda: sp.fem.ImportedComponent(MESH.nodes, 3, 0 * M, K),
         "ImportedComponent: mass_matrix is 0.0, expected a positive mass in kg of the whole body"),
        (lambda: sp.fem.ImportedComponent(MESH.nodes, 3, M, K, labels=[1, 2]),
         "ImportedComponent: labels is (1, 2), expected 12 node numbers"),
        (lambda: sp.fem.lowest_modes(MESH, 99),
         "lowest_modes: count is 99, expected an integer from 1 to 35"),
        (lambda: sp.fem.lowest_modes(MESH, 3, [36]),
         "lowest_modes: fixed is 36, expected coordinates from 0 to 35"),
    ],
)  # fmt: skip
def test_messages_of_matrices(action, sentence: str) -> None:
    with pytest.raises(sp.ModelError) as caught:
        action()
    assert str(caught.value) == sentence


def test_masses_that_are_no_masses() -> None:
    """Off-diagonal entries that no body has: some motion would have a negative energy."""
    basis = np.zeros((36, 1))
    basis[0], basis[3] = 1.0, -1.0
    scalar = M[::3, ::3].tolil()
    scalar[0, 1] = scalar[1, 0] = 3.0 * scalar[0, 0]
    wrong = sparse.kron(scalar, sparse.eye_array(3))
    with pytest.raises(sp.ModelError, match=r"ImportedComponent: the moments of mass have the eig"):
        sp.fem.ImportedComponent(MESH.nodes, 3, wrong, K).material_points(basis)
    beam = imported_beam()
    against = np.diag(np.tile([1.0, 1, 1, 0, 0, 0], 4))
    # inertia against the twist between two nodes only: row sums are zero
    against[np.ix_([3, 9], [3, 9])] = [[1.0, -1.0], [-1.0, 1.0]]
    twist = np.zeros((24, 1))
    twist[[3, 9], 0] = 1.0, -1.0
    turned = sp.fem.ImportedComponent(beam.nodes, 6, against, beam.stiffness_matrix)
    with pytest.raises(sp.ModelError, match=r"component: lumped masses give no kinetic energy to"):
        turned.inertia_integrals(twist)
    uneven = np.diag(np.tile([2.0, 1, 1, 0, 0, 0], 4))
    along_x = sp.fem.ImportedComponent(beam.nodes, 6, uneven, beam.stiffness_matrix)
    with pytest.raises(sp.ModelError) as caught:
        along_x.inertia_integrals(twist)
    assert str(caught.value) == (
        "component: its mass is 8 kg along x, 4 kg along y and 4 kg along z, expected the same in "
        "all directions"
    )


def test_a_line_of_masses() -> None:
    """No inertia against rotation about the line: integrals are those of the points."""
    beam = imported_beam(elements=5)
    masses = np.array([0.5, 1.0, 1.5, 1.0, 2.0, 0.5])
    M = np.diag((masses[:, None] * [1, 1, 1, 0, 0, 0]).ravel())
    component = sp.fem.ImportedComponent(beam.nodes, 6, M, beam.stiffness_matrix)
    basis = np.random.default_rng(4).standard_normal((36, 3))
    found = component.inertia_integrals(basis)
    exact = point_integrals((masses, beam.nodes, basis.reshape(6, 6, 3)[:, :3]))
    assert found.moments == pytest.approx(exact.moments, abs=1e-11)
    assert found.defect < 1e-12


@pytest.mark.parametrize(
    ("head", "sentence"),
    [
        (f"{6:8}{6:8}{6:8}{4:8}KGG     1P,3E23.16",
         "bad.op4: matrix 'KGG' is of type 4, expected real numbers"),
        (f"{6:8}{6:8}{6:8}{2:8}KGG     1P,3E23.16",
         "bad.op4: KGG has the shape (6, 6), expected 6 rows for each of 4 grid points"),
    ],
)  # fmt: skip
def test_messages_of_output4(head: str, sentence: str, tmp_path: Path) -> None:
    body = "\n".join([f"{7:8}{1:8}{1:8}", f"{1.0:23.16E}", ""])
    text = "\n".join([head, body + head.replace("KGG", "MGG"), body])
    (tmp_path / "bad.op4").write_text(text)
    with pytest.raises(sp.ModelError) as caught:
        sp.fem.read_nastran(DATA / "beam.bdf", tmp_path / "bad.op4")
    assert str(caught.value) == sentence


def test_a_body_without_any_stiffness_has_no_time_scale() -> None:
    with pytest.raises(sp.ModelError) as caught:
        typical_square(SimpleNamespace(size=36, node_size=3, mass_matrix=M, stiffness_matrix=0 * K))
    assert str(caught.value) == (
        "component: mass or stiffness of u of node 0 is zero, expected positive"
    )


def test_mass_that_differs_between_directions_is_named() -> None:
    component = sp.fem.ImportedComponent(MESH.nodes, 3, changed(M, 4, 4, 2 * M[4, 4]), K)
    with pytest.raises(sp.ModelError, match=r"between v of node 1 and v of node 1 differs from an"):
        component.inertia_integrals(np.zeros((36, 0)))
