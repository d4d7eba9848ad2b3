"""Meshes from files and geometry, groups of nodes, and messages about broken meshes."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from models.solid_meshes import KINDS, STEEL, curved
from supple.fem.base.solid_kinds import KINDS as DESCRIBED
from supple.foundation.errors import MissingExtraError, need

DATA = Path(__file__).parents[1] / "data"
NAMES = {
    "tet4": "tetra", "tet10": "tetra10", "hex8": "hexahedron", "hex20": "hexahedron20",
    "hex27": "hexahedron27",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_gives_the_same_component(kind: str, tmp_path: Path) -> None:
    """Written in millimetres with a loose node and a surface beside the solid."""
    meshlane = pytest.importorskip("meshlane", reason="meshlane is not installed")
    mesh = curved(kind)
    points = np.vstack([[[9e3, 9e3, 9e3]], 1e3 * mesh.nodes])
    corners = [1 + mesh.cells[0][k] for k in (0, 1, 2)]
    cells = [("triangle", np.array([corners])), (NAMES[kind], mesh.cells + 1)]
    meshlane.Mesh(points, cells).write(tmp_path / "body.vtk", binary=True)
    data = sp.fem.read_mesh(tmp_path / "body.vtk", scale=1e-3)
    assert set(data.cells) == {kind, "tri3"}
    found = data.solid(STEEL)
    K = mesh.stiffness_matrix
    assert np.abs(found.stiffness_matrix - K).max() < 1e-12 * np.abs(K).max()
    nodes, triangles, _ = data.used("tri3")
    assert nodes[triangles[0]] == pytest.approx(mesh.nodes[mesh.cells[0][:3]], abs=1e-14)


@pytest.mark.parametrize("kind", ["hex8", "hex20"])
def test_sets_of_an_input_file_are_groups(kind: str, tmp_path: Path) -> None:
    meshlane = pytest.importorskip("meshlane", reason="meshlane is not installed")
    mesh = curved(kind)
    foot = mesh.group("x_min")
    written = meshlane.Mesh(mesh.nodes, [(NAMES[kind], mesh.cells)], point_sets={"FOOT": foot})
    written.write(tmp_path / "body.inp")
    found = sp.fem.read_mesh(tmp_path / "body.inp").solid(STEEL)
    assert np.array_equal(found.group("FOOT"), foot)


def test_physical_groups_of_a_gmsh_file(tmp_path: Path) -> None:
    meshlane = pytest.importorskip("meshlane", reason="meshlane is not installed")
    mesh = sp.fem.block((1.0, 1.0, 1.0), (2, 1, 1), "hex8", STEEL)
    quads = [("quad", np.array([mesh.group("x_max")[[0, 1, 3, 2]]])), ("hexahedron", mesh.cells)]
    data = {"gmsh:physical": [np.array([7]), np.array([3, 3])]}
    data["gmsh:geometrical"] = [np.array([1]), np.array([1, 1])]
    names = {"tip": np.array([7, 2]), "all": np.array([3, 3])}
    path = tmp_path / "body.msh"
    meshlane.Mesh(mesh.nodes, quads, cell_data=data, field_data=names).write(path, "gmsh22")
    found = sp.fem.read_mesh(path).solid(STEEL)
    assert np.array_equal(found.group("tip"), mesh.group("x_max"))
    assert len(found.group("all")) == 12


@pytest.fixture
def gmsh():
    return pytest.importorskip("gmsh", reason="gmsh is not installed, or its system libraries")


def test_step_file_in_millimetres(gmsh) -> None:
    """A plate with a hole: lengths in metres, curved faces, one group for each face."""
    data = sp.fem.mesh_geometry(DATA / "plate.step", element_size=0.008)
    mesh = data.solid(STEEL)
    assert mesh.kind == "tet10" and len(mesh.groups) == 7
    assert np.ptp(mesh.nodes, axis=0) == pytest.approx([0.06, 0.04, 0.01], rel=1e-9)
    exact = 7850.0 * 0.01 * (0.06 * 0.04 - np.pi * 0.008**2)
    straight = sp.fem.mesh_geometry(DATA / "plate.step", 0.008, degree=1).solid(STEEL)
    errors = [abs(sp.fem.mass_properties(m).mass / exact - 1.0) for m in (straight, mesh)]
    # arcs of 8 mm on a radius of 8 mm: chords miss 2 %, parabolas 0.01 % of the hole
    assert errors[0] > 1e-3 and errors[1] < 2e-4
    # the nodes of one group lie on the hole, also those in the middle of edges
    away = np.linalg.norm(mesh.nodes[:, :2] - [0.045, 0.02], axis=1)
    assert sum(np.allclose(away[group], 0.008, rtol=1e-6) for group in mesh.groups.values()) == 1
    assert sp.fem.check_component(mesh).sound


@pytest.mark.parametrize("incomplete", [0, 1])
def test_gmsh_and_meshlane_agree_on_hexahedra(gmsh, incomplete: int, tmp_path: Path) -> None:
    """Skew hexahedra with 20 and 27 nodes: gmsh numbers them in its own way."""
    geometry = f"""
        Mesh.SecondOrderIncomplete = {incomplete};
        Point(1) = {{0, 0, 0}}; Point(2) = {{1, 0, 0.1}};
        Point(3) = {{1.2, 0.8, 0}}; Point(4) = {{0.1, 0.7, 0}};
        Line(1) = {{1, 2}}; Line(2) = {{2, 3}}; Line(3) = {{3, 4}}; Line(4) = {{4, 1}};
        Curve Loop(1) = {{1, 2, 3, 4}}; Surface(1) = {{1}};
        Transfinite Curve {{1, 2, 3, 4}} = 3; Transfinite Surface {{1}}; Recombine Surface {{1}};
        out[] = Extrude {{0.2, 0.1, 1}} {{ Surface{{1}}; Layers{{2}}; Recombine; }};
        Physical Surface("bottom") = {{1}}; Physical Volume("all") = {{out[1]}};
    """
    path = tmp_path / "skew.geo"
    path.write_text(geometry)
    direct = sp.fem.mesh_geometry(path, element_size=10.0, allow_scripts=True).solid(STEEL)
    assert direct.kind == ("hex20" if incomplete else "hex27")
    gmsh.initialize(interruptible=False)
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.open(str(path))
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(2)
    gmsh.write(str(tmp_path / "skew.msh"))
    gmsh.finalize()
    read = sp.fem.read_mesh(tmp_path / "skew.msh").solid(STEEL)
    u = np.array([[1.0, 0.2, 0.3], [0.4, -0.5, 0.6], [0.7, 0.8, 0.9]])
    for mesh in (direct, read):
        # the linear field is in equilibrium inside and has its exact energy: nodes are in order
        inside = np.setdiff1d(np.arange(len(mesh.nodes)), _surface(mesh))
        force = (mesh.stiffness_matrix @ (mesh.nodes @ u.T).ravel()).reshape(-1, 3)
        assert len(inside) and np.abs(force[inside]).max() < 1e-12 * np.abs(force).max()
        assert len(mesh.group("bottom")) == (21 if incomplete else 25)
    masses = [sp.fem.mass_properties(mesh).mass for mesh in (direct, read)]
    assert masses[0] == pytest.approx(masses[1], rel=1e-12)
    with pytest.raises(sp.ModelError, match=r"gmsh is in use in this process, expected"):
        gmsh.initialize(interruptible=False)
        try:
            sp.fem.mesh_geometry(path, 0.1, allow_scripts=True)
        finally:
            gmsh.finalize()


def _surface(mesh: sp.fem.SolidMesh) -> np.ndarray:
    """Nodes of faces (by their four corners) that belong to one element only."""
    faces = ((0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7))
    corners = np.array([np.sort(cell[list(f)]) for cell in mesh.cells for f in faces])
    unique, counts = np.unique(corners, axis=0, return_counts=True)
    outer = {tuple(face) for face in unique[counts == 1]}
    found = []
    for cell in mesh.cells:
        places = DESCRIBED[mesh.kind].places
        for f in faces:
            if tuple(np.sort(cell[list(f)])) in outer:
                axis = int(np.flatnonzero(np.ptp(places[list(f)], axis=0) == 0)[0])
                found.append(cell[places[:, axis] == places[f[0], axis]])
    return np.unique(np.concatenate(found))


def test_choices_of_nodes() -> None:
    mesh = sp.fem.block((1.0, 0.5, 0.2), (4, 2, 1), "hex20", STEEL)
    assert np.array_equal(mesh.nodes_on_plane("x", 1.0), mesh.group("x_max"))
    assert np.array_equal(mesh.nodes_on_plane("-y", (0.3, 0.5, 0.1)), mesh.group("y_max"))
    diagonal = mesh.nodes_on_plane((1, 1, 0), (0.0, 0.5, 0.0))
    assert mesh.nodes[diagonal][:, :2].sum(axis=1) == pytest.approx(0.5)
    box = mesh.nodes_in_box((0.5, -np.inf, -1.0), (1.0, np.inf, 0.1))
    assert np.all(mesh.nodes[box][:, 0] >= 0.5) and np.all(mesh.nodes[box][:, 2] <= 0.1)
    assert np.array_equal(mesh.nodes_near((0.0, 0.0, 0.0), 1e-9), [0])


def test_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "meshlane", None)
    (tmp_path / "body.msh").write_text("$MeshFormat\n")
    with pytest.raises(MissingExtraError) as caught:
        sp.fem.read_mesh(tmp_path / "body.msh")
    assert str(caught.value).startswith("Mesh files need the package meshlane (")
    assert str(caught.value).endswith("install it with: pip install 'supple[mesh]'")
    assert isinstance(caught.value, ImportError)
    assert need("math", "math", "fem", "Sums").pi > 3


CUBE = sp.fem.block((1.0, 1.0, 1.0), (1, 1, 1), "hex8", STEEL)
TET = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [2, 2, 2]])
MIRRORED = [[0, 2, 1, 3]]


def solid(nodes, cells, kind="tet4", material=STEEL, **more):
    return sp.fem.SolidMesh(nodes, cells, kind, material, **more)


@pytest.mark.parametrize(
    ("action", "sentence"),
    [
        (lambda: solid(TET[:4, :2], [[0, 1, 2, 3]]),
         "SolidMesh: nodes have the shape (4, 2), expected finite numbers of shape (N, 3), m"),
        (lambda: solid(TET[:4], [[0, 1, 2, 3]], "tet5"),
         "SolidMesh: kind is 'tet5', expected 'tet4' or 'tet10' or 'hex8' or 'hex20' or 'hex27'"),
        (lambda: solid(TET[:4], [[0, 1, 2]]),
         "SolidMesh: cells are int64 of the shape (1, 3), expected integers of the shape "
         "(elements, 4)"),
        (lambda: solid(TET[:4], [[0, 1, 2, 9]], name="arm"),
         "SolidMesh 'arm': element 0 refers to node 9, expected a number from 0 to 3"),
        (lambda: solid(TET, [[0, 1, 2, 3]]),
         "SolidMesh: 1 of 5 nodes belong to no element, the first is node 4, expected none"),
        (lambda: solid(TET[:4], MIRRORED),
         "SolidMesh: element 0 (corners 0, 2, 1, 3) has the volume factor -1 m3 at its worst "
         "place, expected a positive volume: its nodes in the order of VTK, not mirrored or flat"),
        (lambda: solid(TET[:4] * [1, 1, 0], [[0, 1, 2, 3]]),
         "SolidMesh: element 0 (corners 0, 1, 2, 3) has the volume factor 0 m3 at its worst "
         "place, expected a positive volume: its nodes in the order of VTK, not mirrored or flat"),
        (lambda: solid(np.vstack([CUBE.nodes[:-1], [[0.2, 0.2, 0.2]]]), CUBE.cells, "hex8"),
         "SolidMesh: element 0 (corners 0, 4, 6, 2, 1, 5, 7, 3) has the volume factor -1.4 m3 at "
         "its worst place, expected a positive volume everywhere in it"),
        (lambda: solid(np.vstack([TET[:4], TET[:4] + 3]), [[0, 1, 2, 3], [4, 5, 6, 7]]),
         "SolidMesh: the mesh has 2 parts that share no nodes, node 4 is not in the part of node "
         "0, expected one part (merge nodes that are in the same place)"),
        (lambda: solid(TET[:4], [[0, 1, 2, 3]], material="steel"),
         "SolidMesh: material is 'steel', expected a Material"),
        (lambda: solid(TET[:4], [[0, 1, 2, 3]], material=sp.Material(3e9, 1e9, 1000.0)),
         "SolidMesh: material has E / (2 G) - 1 = 0.5 as Poisson's ratio, expected less than 0.5"),
        (lambda: sp.Material(2e11, 8e10, -7850.0),
         "Material: density is -7850.0, expected a positive number"),
        (lambda: solid(TET[:4], [[0, 1, 2, 3]], groups={"tip": [7]}),
         "SolidMesh: group 'tip' has node 7, expected numbers from 0 to 3"),
        (lambda: solid(TET[:4], [[0, 1, 2, 3]], groups={"tip": [0.5]}),
         "SolidMesh: group 'tip' is (0.5), expected node numbers"),
        (lambda: CUBE.group("x_mix"),
         "SolidMesh: there is no group 'x_mix', did you mean 'x_min'?"),
        (lambda: CUBE.nodes_on_plane("x", 0.5),
         "SolidMesh: the plane has no nodes, expected at least one"),
        (lambda: CUBE.strain((2, 0, 0)),
         "SolidMesh: point is (2, 0, 0), expected a place within the mesh"),
        (lambda: sp.fem.block((1, 1, 0), (1, 1, 1), "hex8", STEEL),
         "block: size is (1, 1, 0), expected 3 positive numbers"),
        (lambda: sp.fem.block((1, 1, 1), (1, 0, 1), "hex8", STEEL),
         "block: divisions is 0, expected 3 positive integers"),
        (lambda: sp.fem.MeshData(TET, {}, {}, "arm").solid(STEEL),
         "MeshData 'arm': its kinds of solid elements are none, expected one of tet4, tet10, hex8, "
         "hex20, hex27"),
        (lambda: sp.fem.MeshData(TET, {"tet4": [[0, 1, 2, 3]]}, {}).used("quad4"),
         "MeshData: there are no elements of kind 'quad4', expected one of tet4"),
        (lambda: sp.fem.read_mesh("none.msh"),
         "none.msh: there is no such file, expected a mesh"),
    ],
)  # fmt: skip
def test_messages(action, sentence: str) -> None:
    with pytest.raises(sp.ModelError) as caught:
        action()
    assert str(caught.value) == sentence


def test_wedges_are_refused(tmp_path: Path) -> None:
    meshlane = pytest.importorskip("meshlane", reason="meshlane is not installed")
    nodes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1.0]])
    meshlane.Mesh(nodes, [("wedge", np.arange(6)[None])]).write(tmp_path / "w.vtk")
    with pytest.raises(sp.ModelError) as caught:
        sp.fem.read_mesh(tmp_path / "w.vtk")
    assert str(caught.value) == (
        "w.vtk: it has elements of type 'wedge', expected tetrahedra or hexahedra"
    )
