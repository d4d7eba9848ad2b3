"""Bodies of finite-element components: places, shapes, inertia, and what is refused."""

from __future__ import annotations

import math
import pickle
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import supple as sp
from models.mesh_bodies import ALUMINIUM, PLAIN, B, H, L, bar, body, edges, matrices, strip
from supple.fem.base.component import rigid_motion
from supple.fem.shells.shell import ShellMesh, plate
from supple.fem.ties.tied import tied_component
from supple.foundation.errors import ModelError

MESHES = {"shell": strip(4), "solid": bar(2), "matrices": matrices(bar(2))}


# ------------------------------------------------------------------------ coordinates and frames


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
@pytest.mark.parametrize("kind", ["rigid", "average"])
def test_frames_are_coordinates(mesh: Any, kind: str) -> None:
    """Rigid motions, mass and frames of the body are those of the component."""
    tied = tied_component(mesh, edges(mesh, kind), ["a", "b"]).with_masses(((3, 1.5),))
    R = sp.fem.rigid_modes(mesh)
    np.testing.assert_allclose(tied.T @ tied.rigid, R, atol=1e-12)
    K, M = tied.stiffness_matrix, tied.mass_matrix
    assert np.abs(K @ tied.rigid).max() < 1e-11 * np.abs(K).max()
    point = rigid_motion(mesh.nodes[3][None], 6)[:3]
    expected = R.T @ (mesh.mass_matrix @ R) + 1.5 * point.T @ point
    found = tied.rigid.T @ (M @ tied.rigid)
    np.testing.assert_allclose(found, expected, atol=1e-12 * expected.max())
    for place in (0, 3, len(mesh.nodes) // 2, len(mesh.nodes), len(mesh.nodes) + 1):
        moved = tied.rows(place) @ tied.rigid
        np.testing.assert_allclose(moved, rigid_motion(tied.point(place)[None], 6), atol=1e-11)


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
def test_averaging_frames_change_nothing(mesh: Any) -> None:
    """Their frames as coordinates describe the same motions: frequencies of the free body."""
    found = (
        body(mesh, sp.reduction.NormalModes(5), "average", reference="mean_axis")
        .modal()
        .frequencies
    )
    held = body(
        mesh,
        sp.reduction.CraigBampton(["a", "b"], mesh.size - 12),
        "average",
        reference="mean_axis",
    )
    exact = sp.fem.lowest_modes(mesh, 11).frequencies[6:]
    np.testing.assert_allclose(found, exact, rtol=1e-8)
    np.testing.assert_allclose(held.modal().frequencies[:5], exact, rtol=1e-8)
    # Where many nodes carry a frame it is stiffer than where it follows them.
    assert np.all(body(mesh, 5, reference="mean_axis").modal().frequencies > exact * (1 - 1e-9))


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
@pytest.mark.parametrize("reference", ["clamped", "mean_axis"])
def test_integrals_are_those_of_all_points(mesh: Any, reference: Any) -> None:
    """Mass, momentum and energy of the shapes, with point masses at a node and at a frame."""
    link = body(mesh, 4, reference=reference)
    place = link.station(link.at("b"))
    masses = ((3, 0.4), (place, 0.7))
    found = link.modal(masses)
    tied = link.tied.with_masses(((3, 0.4), (int(place), 0.7)))
    shapes = np.hstack(
        [tied.rigid, np.linalg.lstsq(tied.T.toarray(), link.reduction(masses).basis)[0]]
    )
    gram = shapes.T @ (tied.mass_matrix @ shapes)
    assert found.mass == pytest.approx(link.mass + 1.1)
    np.testing.assert_allclose(found.M, gram[6:, 6:], atol=1e-9)
    np.testing.assert_allclose(found.S1, gram[:3, 6:], atol=1e-9)
    spin = [found.D0[1, 2] - found.D0[2, 1], found.D0[2, 0] - found.D0[0, 2],
            found.D0[0, 1] - found.D0[1, 0]]  # fmt: skip
    np.testing.assert_allclose(spin, gram[3:6, 6:], atol=1e-9)
    inertia = np.trace(found.E0) * np.eye(3) - found.E0
    np.testing.assert_allclose(inertia, gram[3:6, 3:6], atol=1e-12)
    if reference == "mean_axis":
        np.testing.assert_allclose(gram[:6, 6:], 0.0, atol=1e-9)
    else:
        still = link.attachment(link.at("a"), masses)
        assert not still.Phi.any() and not still.Psi.any()


def test_places() -> None:
    mesh = strip(4)
    link = body(mesh, 3)
    middle = int(np.argmin(np.linalg.norm(mesh.nodes - [0.5, 0, 0], axis=1)))
    for frame in (link.at(node=middle), link.at(0.5), link.at(*mesh.nodes[middle])):
        assert link.station(frame) == middle
    assert link.station(link.at("b")) == len(mesh.nodes) + 1 == link.station(link.at(L, 0, 0))
    corner = int(np.argmin(np.linalg.norm(mesh.nodes - [L, B / 2, 0], axis=1)))
    rows = [link.attachment(f) for f in (link.at(node=corner), link.at("b"))]
    # a corner of a rigid edge turns as the edge and moves by rotation x arm
    np.testing.assert_allclose(rows[0].Psi, rows[1].Psi, atol=1e-15)
    arm = np.cross(rows[1].Psi.T, [0, B / 2, 0]).T
    np.testing.assert_allclose(rows[0].Phi, rows[1].Phi + arm, atol=1e-14)
    assert link.at("b", rotation=(0, 0, 0.1)).rotation[0, 1] == pytest.approx(-math.sin(0.1))


def test_a_node_of_a_solid_turns_with_its_elements() -> None:
    """Half the curl, the better the finer the mesh; as a mesh and as matrices."""
    errors = []
    for n in (4, 8, 16):
        mesh = bar(n)
        x, y, _ = mesh.nodes.T
        bent = np.stack([-(x**2) * y, x**3 / 3, 0 * x], axis=1).ravel()  # rotation x^2 about z
        node = int(np.argmin(np.linalg.norm(mesh.nodes - [0.5, 0.025, 0.02], axis=1)))
        found = [tied_component(c, []).rows(node) @ bent for c in (mesh, matrices(mesh))]
        np.testing.assert_allclose(found[0], found[1], atol=1e-14)
        np.testing.assert_allclose(found[0][:3], bent.reshape(-1, 3)[node])
        errors.append(np.abs(found[0][3:] - [0, 0, 0.25]).max())
    assert errors[1] < errors[0] / 3 and errors[2] < errors[1] / 3 and errors[2] < 0.01


def test_torque_at_a_node_of_a_solid_is_in_equilibrium() -> None:
    mesh = bar(4)
    link = body(mesh, "all")
    rows = link.tied.rows(30)
    load = rows.T @ np.array([0, 0, 0, 1.0, -2.0, 3.0])
    total = link.tied.rigid.T @ load
    np.testing.assert_allclose(total, [0, 0, 0, 1, -2, 3], atol=1e-12)


# ----------------------------------------------------------------------------------- shapes


@pytest.mark.parametrize("mesh", MESHES.values(), ids=MESHES)
@pytest.mark.parametrize("reference", ["clamped", "mean_axis"])
def test_sets_of_shapes(mesh: Any, reference: Any) -> None:
    """All modes between interfaces are the whole body; statics of interfaces is exact."""
    full = body(mesh, "all", reference=reference)
    inner = full.tied.size - 12
    options = {"reference": reference}
    made = body(mesh, sp.reduction.CraigBampton(["a", "b"], inner), **options)
    lowest = full.modal().frequencies[:20]
    np.testing.assert_allclose(made.modal().frequencies[:20], lowest, rtol=1e-6)
    np.testing.assert_allclose(body(mesh, 5, **options).modal().frequencies, lowest[:5], rtol=1e-8)
    third = body(mesh, [3], **options).modal()
    assert third.coordinate_names == ("mode_3",)
    np.testing.assert_allclose(third.frequencies, lowest[2:3], rtol=1e-8)
    load = np.array([1.0, 20.0, -30.0, 0.4, 5.0, -6.0])
    static = body(
        mesh,
        sp.reduction.StaticShapes([sp.reduction.PointLoadPattern("b", load[:3], load[3:])]),
        **options,
    )
    statics = [full, body(mesh, sp.reduction.CraigBampton(["a", "b"], 0), **options), static]
    if reference == "mean_axis":  # a free body's shapes are static with its inertia
        statics = [full, static]
    moved = []
    for link in statics:
        at = link.attachment(link.at("b"))
        rows = np.vstack([at.Phi, at.Psi])
        moved.append(rows @ np.linalg.solve(link.modal().K, rows.T @ load))
    for other in moved[1:]:
        np.testing.assert_allclose(other, moved[0], atol=1e-7 * np.abs(moved[0]).max())


def test_large_bodies_are_reduced_by_sparse_factors() -> None:
    """More coordinates than dense methods take: free, clamped, between interfaces."""
    mesh = bar(14, "hex27")
    assert mesh.size > 700 + 2 * 3 * 9
    free = body(mesh, 5, "average", reference="mean_axis")
    exact = sp.fem.lowest_modes(mesh, 11).frequencies[6:]
    np.testing.assert_allclose(free.modal().frequencies, exact, rtol=1e-7)
    momentum = free.tied.rigid.T @ (free.tied.mass_matrix @ free.tied.rigid)
    assert np.abs(free.modal().S1).max() < 1e-9 * math.sqrt(momentum[0, 0])
    foot = sp.MeshBody("body", mesh, edges(mesh)[:1], modes=5)
    held = (3 * mesh.group("x_min")[:, None] + np.arange(3)).ravel()
    exact = sp.fem.lowest_modes(mesh, 5, held).frequencies
    np.testing.assert_allclose(foot.modal().frequencies, exact, rtol=1e-8)
    np.testing.assert_allclose(foot.modal().M, np.eye(5), atol=1e-8)
    whole = body(mesh, 5).modal().frequencies[:4]
    for kind in ("rigid", "average"):
        made = body(mesh, sp.reduction.CraigBampton(["a", "b"], 12), kind)
        exact = whole if kind == "rigid" else body(mesh, 5, kind).modal().frequencies[:4]
        found = made.modal().frequencies[:4]
        assert np.all(found > exact * (1 - 1e-9))
        np.testing.assert_allclose(found, exact, rtol=2e-3)


def test_craig_bampton_at_nodes_and_at_averaging_frames() -> None:
    mesh = strip(4)
    exact = body(mesh, "all", "average").modal().frequencies
    for places in (["a", "b"], ["a", 7], [12, "a", "b"]):
        link = body(mesh, sp.reduction.CraigBampton(places, 12), "average")
        assert np.all(link.modal().frequencies[:3] >= exact[:3] * (1 - 1e-9))
        np.testing.assert_allclose(link.modal().frequencies[:3], exact[:3], rtol=2e-3)
    solid = bar(2)
    point = sp.reduction.CraigBampton(["a", "b", 14], 0)  # a node of a solid: three coordinates
    assert body(solid, point).modal().n == 6 + 3


def test_craig_bampton_errors_fall_with_the_cut_off() -> None:
    """A mode of eigenvalue m that is left out raises e relatively by e / (m - e) times the square
    of its participation, and these squares add up to less than 1; the largest is that of the first.
    """
    mesh = strip(10)
    clamped = body(mesh, 6)
    full = (2 * math.pi * clamped.modal().frequencies) ** 2
    tied = clamped.tied
    inner = np.flatnonzero(tied.places < len(mesh.nodes))
    K, M = (X[inner][:, inner].toarray() for X in (tied.stiffness_matrix, tied.own_mass))
    from scipy.linalg import eigh

    fixed = eigh(K, M, eigvals_only=True)
    first = before = np.full(6, np.inf)
    for n in (2, 4, 8, 16, 32):
        link = body(mesh, sp.reduction.CraigBampton(["a", "b"], n))
        errors = (2 * math.pi * link.modal().frequencies[:6]) ** 2 / full - 1.0
        assert np.all(errors > -1e-8), "a subspace gives frequencies from above"
        assert np.all(errors <= before + 1e-8), "more modes never worsen"
        below = full < 0.25 * fixed[n]
        assert np.all(errors[below] < (full / (fixed[n] - full))[below])
        first, before = errors if n == 2 else first, errors
    assert np.all(before[:2] < first[:2] / 100)


def test_frequencies_of_both_models_are_shown() -> None:
    link = body(strip(4), sp.reduction.CraigBampton(["a", "b"], 2))
    reduction = link.reduction()
    text = str(reduction)
    assert text.startswith("8 of 90 coordinates\nmode   full (Hz)   reduced (Hz)\n")
    assert len(text.splitlines()) == 10
    assert reduction.basis.shape == (90, 8)
    np.testing.assert_allclose(
        reduction.full_frequencies, body(strip(4), 8).modal().frequencies, rtol=1e-9
    )
    assert np.all(reduction.body.frequencies >= reduction.full_frequencies * (1 - 1e-9))
    assert str(body(bar(2), 3).reduction()).count("\n") == 4
    assert link.check().sound


# ------------------------------------------------------------------- against beams and imports


def test_a_strip_is_a_beam() -> None:
    """Bending of triangles of the size h: the difference falls at least as h^2."""
    beam = sp.Beam("b", L, sp.Rectangle(B, H), PLAIN, elements=20, modes=2).modal()
    assert body(strip(8)).mass == pytest.approx(beam.mass)
    errors = []
    for k in (1, 2, 4):
        found = body(strip(5 * k, across=k), 2).modal().frequencies
        errors.append(np.abs(found / beam.frequencies - 1.0))
    assert np.all(errors[2] < errors[1] / 4) and np.all(errors[1] < errors[0] / 4)
    assert np.all(errors[2] < 1e-4)


def test_a_bar_is_a_beam_with_shear() -> None:
    section = sp.Rectangle(0.05, 0.04)
    beam = sp.Beam("b", L, section, PLAIN, elements=20, modes=4, theory="timoshenko").modal()
    errors = []
    for n in (3, 6, 12):
        found = body(bar(n), 4).modal().frequencies
        errors.append(np.abs(found / beam.frequencies - 1.0))
    # quadratic elements in bending: faster than h^2, until the theories differ
    assert np.all(errors[1] < errors[0] / 4) and np.all(errors[2] < errors[1] / 4)
    assert np.all(errors[2] < 4e-3)


def test_matrices_are_the_same_body() -> None:
    for mesh in (bar(2), bar(1, "tet10")):
        for modes in (5, sp.reduction.CraigBampton(["a", "b"], 3)):
            own, other = body(mesh, modes), body(matrices(mesh), modes)
            assert other.reduction().inertia_defect == 0.0
            for name in ("S1", "E0", "D0", "M", "K"):
                a, b = getattr(own.modal(), name), getattr(other.modal(), name)
                np.testing.assert_allclose(b, a, atol=2e-6 * max(np.abs(a).max(), 1e-3))
            a, b = own.modal().D1, other.modal().D1
            np.testing.assert_allclose(b, a, atol=1e-6)


def test_matrices_with_rotations_tell_their_defect() -> None:
    """Lumped masses are crude for shells; the defect falls with the mesh."""
    mesh = strip(8)
    own, other = body(mesh, 4).modal(), body(matrices(mesh), 4)
    reduction = other.reduction()
    assert 0.0 < reduction.inertia_defect < 0.2
    coarse = body(matrices(strip(4)), 4).reduction()
    assert reduction.inertia_defect < 0.5 * coarse.inertia_defect
    assert str(reduction).splitlines()[-1].startswith("integrals of second order in the shapes use")
    found = other.modal()
    for name in ("S1", "E0", "M", "K"):  # what rigid motions and energy see is exact
        a, b = getattr(own, name), getattr(found, name)
        np.testing.assert_allclose(b, a, atol=1e-7 * max(np.abs(a).max(), 1e-3))
    assert np.abs(found.D1 - own.D1).max() < reduction.inertia_defect


def test_lumped_masses_without_rotary_inertia() -> None:
    """Coordinates without mass follow statically; there are as many modes as masses move."""
    mesh = strip(4)
    weights = np.tile([1.0, 1, 1, 0, 0, 0], len(mesh.nodes)) * 0.18
    lumped = sp.fem.ImportedComponent(mesh.nodes, 6, np.diag(weights), mesh.stiffness_matrix)
    link = body(lumped, 3)
    np.testing.assert_allclose(link.modal().M, np.eye(3), atol=1e-9)
    # nine nodes between the edges, and the far edge, whose masses do not resist a turn about it
    assert body(lumped, 32).modal().n == 9 * 3 + 5
    line = np.tile([1.0, 1, 1, 0, 0, 0], len(mesh.nodes)) * (
        np.repeat(np.abs(mesh.nodes[:, 1]) < 1e-9, 6)
    )
    thin = sp.fem.ImportedComponent(mesh.nodes, 6, np.diag(line), mesh.stiffness_matrix)
    with pytest.raises(ModelError) as caught:
        made(thin, reference="mean_axis")
    assert str(caught.value) == (
        "MeshBody 'part': reference is 'mean_axis', expected 'clamped', because its mass is on one "
        "line and does not resist a turn about it"
    )
    with pytest.raises(ModelError) as caught:
        body(lumped, 33)
    assert str(caught.value) == (
        "MeshBody 'body': number of modes is 33, expected at most 32, because other coordinates "
        "have no mass"
    )


def test_a_file_of_calculix_is_the_mesh(tmp_path: Path) -> None:
    component = sp.fem.read_calculix(Path(__file__).parents[1] / "data" / "hexahedra")
    foot = sp.fem.Interface("foot", (0, 0.5, 0.5), component.group("FOOT"))
    link = sp.MeshBody("import", component, [foot], modes=4)
    sp.fem.save_component(tmp_path / "c.npz", component)
    again = sp.MeshBody("npz", sp.fem.load_component(tmp_path / "c.npz"), [foot], modes=4)
    assert np.array_equal(link.modal().K, again.modal().K)
    held = (3 * component.group("FOOT")[:, None] + np.arange(3)).ravel()
    exact = sp.fem.lowest_modes(component, 4, held).frequencies
    np.testing.assert_allclose(link.modal().frequencies, exact, rtol=1e-9)


# ------------------------------------------------------------------------------ as a part of it


def test_damping() -> None:
    stiff = body(strip(4), 4, damping=sp.KelvinVoigt(7e6)).modal()
    np.testing.assert_allclose(stiff.C, 1e-4 * stiff.K, atol=1e-9 * stiff.C.max())
    ratio = body(bar(2), 4, damping=sp.ModalDamping(0.02)).modal()
    w = 2 * math.pi * ratio.frequencies
    np.testing.assert_allclose(ratio.C, np.diag(2 * 0.02 * w), atol=1e-6 * w.max())


def test_a_body_is_rebuilt_and_travels() -> None:
    m = sp.Model()
    link = m.add(body(strip(4), sp.reduction.CraigBampton(["a", "b"], 2)))
    again = pickle.loads(pickle.dumps(link))
    assert np.array_equal(again.modal().K, link.modal().K)
    rigid = m.replace("body", **link.rigid_fields())
    assert rigid.modal().n == 0 and rigid.modal().mass == pytest.approx(link.mass)
    assert m.replace("body", modes=3, clamp="b").modal().n == 3


def test_twins_are_not_torn_apart() -> None:
    square = sp.fem.block((1, 0.04, 0.04), (4, 1, 1), "hex20", PLAIN, origin=(0, -0.02, -0.02))
    with pytest.warns(sp.SuppleWarning, match="modes keeps mode 1 without mode 2 of the same freq"):
        body(square, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body(square, 2)


# --------------------------------------------------------------------------------- what is refused


def changed(matrix: Any, *entries: tuple[int, int, float]) -> Any:
    found = matrix.tolil()
    for i, j, value in entries:
        found[i, j] = value
    return found.tocsc()


CUBE = sp.fem.block((1, 1, 1), (1, 1, 1), "hex8", ALUMINIUM)
SHELL, SOLID, LARGE = strip(2), bar(1), bar(14, "hex27")
K, M = CUBE.stiffness_matrix, CUBE.mass_matrix
FOOT = sp.fem.Interface("foot", (0, 0.5, 0.5), CUBE.group("x_min"))


def made(component: Any, interfaces: Any = (), modes: Any = 2, **options: Any) -> sp.MeshBody:
    return sp.MeshBody("part", component, interfaces, modes=modes, **options)


def imported(mass: Any = M, stiffness: Any = K) -> sp.fem.ImportedComponent:
    return sp.fem.ImportedComponent(CUBE.nodes, 3, mass, stiffness)


def indefinite(mesh: Any = CUBE) -> sp.fem.ImportedComponent:
    """A free body whose softest motion gives energy away; rigid motions need no force."""
    found = sp.fem.lowest_modes(mesh, 7)
    force = mesh.mass_matrix @ found.shapes[:, 6]
    stiffness = mesh.stiffness_matrix - 1.5 * found.eigenvalues[6] * np.outer(force, force)
    return sp.fem.ImportedComponent(mesh.nodes, 3, mesh.mass_matrix, stiffness)


def hinged() -> sp.fem.SolidMesh:
    """Two cubes that share an edge only."""
    nodes = np.vstack([CUBE.nodes, CUBE.nodes + np.array([1.0, 1.0, 0.0])])
    unique, index = np.unique(nodes.round(9), axis=0, return_inverse=True)
    cells = np.vstack([index.ravel()[CUBE.cells], index.ravel()[CUBE.cells + 8]])
    return sp.fem.SolidMesh(unique, cells, "hex8", ALUMINIUM)


def first_face(mesh: Any) -> sp.fem.Interface:
    return sp.fem.Interface("face", (0, 0.5, 0.5), np.flatnonzero(mesh.nodes[:, 0] == 0.0))


MESSAGES: list[tuple[Callable[[], Any], str]] = [
    (lambda: made("mesh.msh"),
     "MeshBody 'part': component is 'mesh.msh', expected a ShellMesh, SolidMesh or "
     "ImportedComponent"),
    (lambda: made(SHELL, "ab"),
     "MeshBody 'part': interfaces is 'ab', expected a sequence of Interfaces"),
    (lambda: made(SHELL, ["a"]),
     "MeshBody 'part': interfaces[0] is 'a', expected an Interface"),
    (lambda: made(CUBE, [FOOT, sp.fem.Interface("toe", (0, 0.5, 0.5), [4, 5, 6])]),
     "MeshBody 'part': place of Interface 'toe' is (0, 0.5, 0.5), expected another place than that "
     "of Interface 'foot'"),
    (lambda: made(CUBE, [FOOT, sp.fem.Interface("foot", (1, 0.5, 0.5), [4, 5, 6])]),
     "tie: two interfaces are called 'foot', expected different names"),
    (lambda: made(SHELL, reference="chord"),
     "MeshBody 'part': reference is 'chord', expected 'clamped' or 'mean_axis'"),
    (lambda: made(SHELL, damping=0.1),
     "MeshBody 'part': damping is 0.1, expected Rayleigh(stiffness=...), ModalDamping(ratio), "
     "KelvinVoigt(E) or None"),
    (lambda: made(imported(), [FOOT], damping=sp.KelvinVoigt(1e6)),
     "MeshBody 'part': damping is KelvinVoigt(E=1000000.0, G=None), expected Rayleigh or "
     "ModalDamping, because imported matrices have no material"),
    (lambda: made(SHELL, damping=sp.KelvinVoigt(1e6, 1e5)),
     "MeshBody 'part': G of its damping is 100000.0, expected None: the viscosity of a mesh is in "
     "proportion to its stiffness"),
    (lambda: made(SHELL, modes=-1),
     "MeshBody 'part': modes is -1, expected 'all', a number of modes, different mode numbers from "
     "1, or shapes, e.g. CraigBampton(...)"),
    (lambda: made(SHELL, modes=49),
     "MeshBody 'part': modes is 49, expected no mode above 48, the number of elastic coordinates"),
    (lambda: made(strip(40, across=3), modes="all"),
     "MeshBody 'part': modes is 'all', expected a number of modes or shapes, because 984 "
     "coordinates are too many"),
    (lambda: made(SHELL, modes=sp.reduction.CraigBampton(["foot"], 1)),
     "MeshBody 'part': an interface is 'foot', expected an interface; there are none yet"),
    (lambda: made(CUBE, [FOOT], modes=sp.reduction.CraigBampton(["food"], 1)),
     "MeshBody 'part': an interface is 'food', expected an interface; did you mean 'foot'?"),
    (lambda: made(SHELL, modes=sp.reduction.CraigBampton([99], 1)),
     "MeshBody 'part': an interface is 99, expected a node from 0 to 8"),
    (lambda: made(SHELL, modes=sp.reduction.CraigBampton([0], 49)),
     "MeshBody 'part': n of its modes is 49, expected at most 48, the number of coordinates "
     "between its interfaces"),
    (lambda: made(SHELL, modes=sp.reduction.NormalModes(2, reference="chord")),
     "MeshBody 'part': reference of its modes is 'chord', expected 'clamped' or 'mean_axis' for a "
     "mesh"),
    (lambda: made(CUBE, reference="mean_axis",
                  modes=sp.reduction.NormalModes(2, reference="clamped")),
     "MeshBody 'part': clamp is None, expected an interface, or a node with rotations"),
    (lambda: made(SHELL, modes=sp.reduction.StaticShapes(
        [sp.reduction.PointLoadPattern("tip", (0, 0, 1))])),
     "MeshBody 'part': place of a load is 'tip', expected an interface; there are none yet"),
    # the clamp
    (lambda: made(CUBE),
     "MeshBody 'part': clamp is None, expected an interface, because a node without rotations "
     "leaves the body free to turn"),
    (lambda: made(CUBE, clamp=3),
     "MeshBody 'part': clamp is 3, expected an interface, because a node without rotations leaves "
     "the body free to turn"),
    (lambda: made(CUBE, [FOOT], clamp="hand"),
     "MeshBody 'part': clamp is 'hand', expected an interface; known: 'foot'"),
    (lambda: made(SHELL, clamp=9),
     "MeshBody 'part': clamp is 9, expected a node from 0 to 8"),
    (lambda: made(SHELL, clamp=0.5),
     "MeshBody 'part': clamp is 0.5, expected the name of an interface or the number of a node"),
    # places
    (lambda: made(SHELL).at("tip"),
     "MeshBody 'part': x of at is 'tip', expected an interface; there are none yet"),
    (lambda: made(SHELL).at(node=9),
     "MeshBody 'part': node of at is 9, expected a node from 0 to 8"),
    (lambda: made(SHELL).at(0.1, 0, 0),
     "MeshBody 'part': place of a frame is (0.1, 0, 0), expected the place of a node or an "
     "interface, the nearest is node 3"),
    (lambda: made(SHELL).at(),
     "MeshBody 'part': x of at is None, expected the name of an interface, node=..., or the "
     "place of a node or interface"),
    (lambda: made(SHELL, edges(SHELL, "average")).at(node=3),
     "MeshBody 'part': node of at is 3, expected a node at another place than that of Interface "
     "'a'"),
    # interfaces
    (lambda: made(CUBE, [sp.fem.Interface("foot", (0, 0, 0), [])]),
     "Interface 'foot': nodes is (), expected node numbers"),
    (lambda: made(CUBE, [sp.fem.Interface("foot", (0, 0, 0), [0, 9, 1])]),
     "Interface 'foot': nodes is 9, expected numbers from 0 to 7"),
    (lambda: made(SOLID, [sp.fem.Interface("foot", (0, 0, 0), [0, 1, 2], "average")]),
     "Interface 'foot': its 3 nodes with 3 coordinates are on one line, expected at least 3 nodes "
     "that are not"),
    (lambda: made(CUBE, [FOOT, sp.fem.Interface("mean", (0, 0, 0), FOOT.nodes, "average")],
                  modes=sp.reduction.CraigBampton(["foot", "mean"], 1)),
     "Interface 'mean': its nodes are held by rigid interfaces or other averaging ones, expected "
     "enough nodes of its own to carry a frame"),
    (lambda: made(SHELL, edges(SHELL, "average"), modes=sp.reduction.CraigBampton(["a", 3], 0)),
     "MeshBody 'part': an interface is 3, expected a node that Interface 'a' does not move"),
    # broken models
    (lambda: made(sp.fem.SolidMesh(CUBE.nodes, [[0, 1, 2, 3, 4, 5, 6, 8]], "hex8", ALUMINIUM)),
     "SolidMesh: element 0 refers to node 8, expected a number from 0 to 7"),
    (lambda: made(imported(stiffness=changed(K, (0, 4, 1e10)))),
     f"ImportedComponent: stiffness_matrix is {K[4, 0]:.9g} for (v of node 1, u of node 0) and "
     "1e+10 the other way round, expected a symmetric matrix"),
    (lambda: made(imported(stiffness=changed(K, *((i, i, 2 * K[i, i]) for i in range(3)))), [FOOT]),
     "MeshBody 'part': a rigid motion of its component needs forces of 2.3e-01 relative to "
     "those of its displacements one by one, expected less than 1e-06: is the model held, or are "
     "its axes mixed?"),
    (lambda: made(strip(2, sp.Material(E=1e9, G=4e8, density=-1.0))),
     "Material: density is -1.0, expected a positive number"),
    (lambda: made(ShellMesh([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]], 0.01, ALUMINIUM)),
     "ShellMesh: triangles[0] is (0, 1, 2), expected corners that are not in line: its area is "
     "zero"),
    (lambda: made(sp.fem.ImportedComponent(np.vstack([CUBE.nodes, CUBE.nodes + 5]), 3,
                                       sparse.block_diag([M, M]), sparse.block_diag([K, K]))),
     "ImportedComponent: the mesh has 2 parts that share no nodes, node 8 is not in the part of "
     "node 0, expected one part (merge nodes that are in the same place)"),
    (lambda: made(hinged(), [first_face(hinged())]),
     "MeshBody 'part': its component can move without strain while its frame holds it, expected "
     "parts and interfaces that leave no such motion"),
    (lambda: made(hinged(), reference="mean_axis"),
     "MeshBody 'part': its component can move without strain while its frame holds it, expected "
     "parts and interfaces that leave no such motion"),
    (lambda: made(indefinite(), reference="mean_axis"),
     "MeshBody 'part': the stiffness matrix of its component has 1 negative eigenvalues, expected "
     "none"),
    (lambda: made(indefinite(LARGE), edges(LARGE), modes=sp.reduction.CraigBampton(["a", "b"], 0)),
     "MeshBody 'part': the stiffness matrix of its component has 1 negative eigenvalues, expected "
     "none"),
]  # fmt: skip


@pytest.mark.parametrize(("action", "sentence"), MESSAGES)
def test_messages(action: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        action()
    assert str(caught.value) == sentence


def test_units_are_doubted_by_name() -> None:
    tonnes = sp.Material(E=2.1e5, G=8.1e4, density=7850.0)  # MPa with kg/m3
    block = sp.fem.block((1, 0.1, 0.1), (2, 1, 1), "hex8", tonnes)
    foot = sp.fem.Interface("foot", (0, 0, 0), block.group("x_min"))
    with pytest.warns(sp.SuppleWarning, match=r"MeshBody 'part': waves travel at about \d") as seen:
        made(block, [foot])
    assert "a modulus in MPa with a density in kg/m3?" in str(seen[0].message)
    flat = plate(2000.0, 1000.0, 2, 2, thickness=3.0, material=ALUMINIUM)  # mm
    with pytest.warns(sp.SuppleWarning, match=r"MeshBody 'part': the body is 2\.24e\+03 m long"):
        made(flat)
