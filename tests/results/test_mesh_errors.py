"""Errors of meshes: finer ones, sizes that are told, verdicts in all analyses, right meshes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from models.shell_meshes import folded, irregular
from models.solid_meshes import KINDS, curved, shaken
from supple.bodies.structure.finer_mesh import FinerMesh, recovered
from supple.fem.base.inertia import point_loads
from supple.fem.drawn.boundary import area_weights
from supple.fem.refinement.meshes import finer
from supple.fem.shells.shell import plate
from supple.reduction.mesh_flexibility import refined_deflections

# No Poisson's ratio: rigid ends hinder nothing, and beams with shear are exact.
PLAIN = sp.Material(E=70e9, G=35e9, density=2700.0)
ALLOY = sp.Material(E=70e9, G=70e9 / 2.6, density=2700.0)
LENGTH, HEIGHT = 1.0, 0.05
EXACT = LENGTH**3 / (3 * 70e9 * HEIGHT**4 / 12) + 1.2 * LENGTH / (35e9 * HEIGHT**2)
TOLD = 1.5  # factor between an error that is told and the true one


def ends(mesh, size, kind="rigid"):
    x = mesh.nodes[:, 0]
    places = ((0.0, size[1] / 2, size[2] / 2), (size[0], size[1] / 2, size[2] / 2))
    nodes = np.flatnonzero(x < 1e-9), np.flatnonzero(x > size[0] - 1e-9)
    names = ("root", "tip")
    return [sp.fem.Interface(n, p, k, kind) for n, p, k in zip(names, places, nodes, strict=True)]


def solid_body(kind, divisions, size=(LENGTH, HEIGHT, HEIGHT), material=PLAIN, **options):
    mesh = sp.fem.block(size, divisions, kind, material)
    given = {"modes": sp.reduction.CraigBampton(["root", "tip"], 2), "clamp": "root"} | options
    return sp.MeshBody("part", mesh, ends(mesh, size), **given)


def clamped(body, force=(0.0, 100.0, 0.0)):
    model = sp.Model()
    model.add(body)
    model.add(sp.Fixed("wall", model.ground.at(*body.interfaces[0].place), body.at("root")))
    model.add(sp.Force("push", body.at("tip"), force))
    return model


def quiet(analysis, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        return analysis(*args, **options)


def told(result):
    return [f for f in result.monitor.findings if f.what == "mesh"]


# ------------------------------------------------------------------------------- finer meshes


@pytest.mark.parametrize("make", [curved, shaken])
@pytest.mark.parametrize("kind", KINDS)
def test_a_finer_solid_is_the_same_body(kind, make):
    mesh = make(kind) if make is curved else make(kind, (2, 2, 2))
    found = finer(mesh)
    assert (
        np.abs(found.P @ sp.fem.rigid_modes(mesh) - sp.fem.rigid_modes(found.component)).max()
        < 1e-12
    )
    np.testing.assert_allclose(found.component.nodes[found.same], mesh.nodes, atol=1e-13)
    exact = sp.fem.mass_properties(mesh).mass
    assert sp.fem.mass_properties(found.component).mass == pytest.approx(exact, rel=1e-12)
    u = np.random.default_rng(0).normal(size=mesh.size)
    energy, there = u @ mesh.stiffness_matrix @ u, found.P @ u
    if found.nested and make is shaken:  # curved elements are integrated with an error
        assert there @ found.component.stiffness_matrix @ there == pytest.approx(energy, rel=0.02)
    # bricks have strains beyond those of their nodes, so that nodal values tell less
    assert found.nested == (kind != "hex8")


@pytest.mark.parametrize("make", [folded, irregular])
def test_a_finer_shell_is_the_same_body(make):
    mesh = make()
    found = finer(mesh)
    assert (
        np.abs(found.P @ sp.fem.rigid_modes(mesh) - sp.fem.rigid_modes(found.component)).max()
        < 1e-12
    )
    assert sp.fem.mass_properties(found.component).mass == pytest.approx(
        sp.fem.mass_properties(mesh).mass
    )
    np.testing.assert_allclose(mesh.body_loads(), point_loads(mesh), atol=1e-12)


def test_interfaces_take_the_nodes_between_theirs():
    body = solid_body("hex20", (2, 2, 1))
    made = FinerMesh.of(body.tied, {"root", "tip"})
    x = made.found.component.nodes[:, 0]
    for interface, end in zip(made.tied.interfaces, (0.0, LENGTH), strict=True):
        assert set(interface.nodes) == set(np.flatnonzero(np.abs(x - end) < 1e-9))
    assert made.place(len(body.component.nodes)) == len(made.found.component.nodes)


def test_deflections_with_the_help_of_the_coarser_mesh_are_those_of_factors():
    body = solid_body("tet10", (3, 1, 1), material=ALLOY)
    made = FinerMesh.of(body.tied, {"root", "tip"})
    own = body._problem(())
    there = made.problem(own, ())
    at, here = there.kept(), own.kept()
    loads = there.mesh.inertia_loads()
    K = there.mesh.stiffness_matrix.tocsr()[at][:, at]
    P = made.moved[at][:, here]
    found = refined_deflections(K, P, lambda f: own.solve(here, f), loads[at])
    exact = there.static(loads)[at]
    for x, y, f in zip(found.T, exact.T, loads[at].T, strict=True):
        assert f @ x == pytest.approx(f @ y, rel=2e-3)


# ---------------------------------------------------------------------------- sizes that are told


@pytest.mark.parametrize(
    ("kind", "divisions"),
    [
        ("tet4", (10, 1, 1)),
        ("tet4", (12, 2, 2)),
        ("tet4", (12, 4, 4)),
        ("tet10", (2, 1, 1)),
        ("tet10", (8, 1, 1)),
        ("hex8", (2, 1, 1)),
        ("hex8", (10, 1, 1)),
        ("hex8", (12, 2, 2)),
        ("hex20", (2, 1, 1)),
        ("hex27", (8, 1, 1)),
    ],
)
def test_the_size_that_is_told_is_the_error_of_the_tip(kind, divisions):
    model = clamped(solid_body(kind, divisions))
    result = quiet(sp.statics, model)
    tip = result["part"].at("tip").deflection[-1, 1] / 100.0
    error, found = 1.0 - tip / EXACT, result.monitor["part"].mesh_error
    if abs(error) < 0.013:
        assert not told(result) and abs(found) < 0.02
    else:
        assert error / TOLD < found < error * TOLD
    if abs(error) > 0.03:
        assert told(result)[0].value == found
        assert result.monitor.level == ("not valid" if found > 0.25 else "doubtful")
    if abs(error) < 0.005:
        assert result.monitor.level == "valid"


def test_bricks_in_one_layer_are_right():
    """They were ten times too stiff, and nothing was said."""
    result = sp.statics(clamped(solid_body("hex8", (10, 1, 1))))
    tip = result["part"].at("tip").deflection[-1, 1] / 100.0
    assert tip == pytest.approx(EXACT, rel=5e-3)
    assert result.monitor.level == "valid"


def test_large_meshes_of_tetrahedra_are_judged_by_their_strains():
    body = solid_body("tet4", (12, 3, 3))
    found = []
    for way in ("finer", "strains"):
        own, places = body._problem(()), [len(body.component.nodes) + 1]
        basis = body._reduced(()).basis
        if way == "finer":
            made = FinerMesh.of(body.tied, {"root", "tip"})
            flexible = made.flexibility(own, (), basis, places)
        else:
            rows = [body._rows(place).toarray() for place in places]
            flexible = recovered(own, body.component, basis, rows)
        works = flexible.works(np.eye(len(flexible.own))[[12, 13, 14, 15]])
        found.append(1.0 - works[0] / works[1])
    across = found[0][1:]  # bending and torsion, where they lock
    assert np.all(across > 0.5)
    assert found[1][1:] == pytest.approx(across, rel=0.1)


def test_a_force_at_a_node_has_a_mesh_error_that_ends():
    """It sinks in without bound as meshes get finer, which is no error of the mesh."""
    size, found = (0.2, 0.1, 0.1), []
    for n in (1, 2):
        mesh = sp.fem.block(size, (2 * n, n, n), "hex20", ALLOY)
        body = sp.MeshBody("part", mesh, ends(mesh, size), modes=sp.reduction.AttachmentModes(4))
        model = sp.Model()
        model.add(body)
        model.add(sp.Fixed("wall", model.ground.at(0, 0.05, 0.05), body.at("root")))
        k = int(np.argmin(np.linalg.norm(mesh.nodes - [0.2, 0.0, 0.05], axis=1)))
        model.add(sp.Force("push", body.at(node=k), (0.0, 100.0, 0.0)))
        found.append(quiet(sp.statics, model).monitor["part"].mesh_error)
    assert abs(found[1]) < max(0.02, 0.7 * abs(found[0]))


def test_averaging_interfaces_with_equal_weights_are_too_soft_for_a_stubby_body():
    """Nodes on edges have less area than others; with areas as weights nothing is wrong."""
    size, errors, tips = (0.2, 0.1, 0.1), [], []
    mesh = sp.fem.block(size, (8, 4, 4), "hex8", ALLOY)
    for even in (True, False):
        given = []
        for frame in ends(mesh, size):
            weights = None if even else area_weights(mesh, frame.nodes)
            given.append(sp.fem.Interface(frame.name, frame.place, frame.nodes, "average", weights))
        body = sp.MeshBody("part", mesh, given, modes=sp.reduction.AttachmentModes(4))
        result = quiet(sp.statics, clamped(body))
        errors.append(result.monitor["part"].mesh_error)
        tips.append(result["part"].at("tip").deflection[-1, 1])
        if even:
            assert "averaging interfaces the areas" in told(result)[0].sentence
    assert abs(errors[1]) < 0.02
    true = 1.0 - tips[0] / tips[1]
    assert true < -0.05 and TOLD * true < errors[0] < true / TOLD


@pytest.mark.parametrize("kind", KINDS)
def test_areas_of_the_nodes_of_a_face(kind):
    mesh = sp.fem.block((1.0, 0.5, 0.4), (2, 2, 1), kind, ALLOY)
    face = mesh.group("x_max")
    areas = area_weights(mesh, face)
    np.testing.assert_allclose(areas @ mesh.nodes[face], 0.2 * np.array([1.0, 0.25, 0.2]))
    assert area_weights(mesh, face[:2]) is None


# -------------------------------------------------------------------------------------- verdicts


def test_a_locking_mesh_is_told_by_every_analysis():
    model = clamped(solid_body("tet4", (10, 1, 1), damping=sp.ModalDamping(0.2)))
    for result in (
        quiet(sp.statics, model),
        quiet(sp.simulate, model, 0.02),
        quiet(sp.linearize, model),
    ):
        assert result.monitor.level == "not valid"
        assert any("too stiff for its loads" in str(f) for f in told(result))
        assert "use tet10" in result.monitor.verdict
    linear = quiet(sp.linearize, model)
    exact = 1.8751041**2 / (2 * np.pi) * np.sqrt(70e9 * HEIGHT**2 / 12 / 2700.0) / LENGTH**2
    wrong = [f for f in linear.monitor.findings if f.what == "frequency"]
    assert wrong and wrong[0].serious
    ratio = linear.frequencies[0] / exact - 1.0
    assert ratio / TOLD < wrong[0].value < ratio * TOLD
    assert linear.frequency_errors[0] == pytest.approx(1.0 - exact / linear.frequencies[0], rel=0.1)
    report = sp.fem.check_component(model.bodies["part"].component)
    assert any("by its mesh the frequency" in sentence for sentence in report.problems)
    with pytest.warns(sp.SuppleWarning, match="its mesh is too stiff"):
        sp.statics(model)


@pytest.mark.parametrize(("kind", "divisions"), [("tet4", (10, 1, 1)), ("hex8", (10, 1, 1))])
def test_load_factors_are_told_that_a_mesh_gets_wrong(kind, divisions):
    options = {"modes": sp.reduction.CraigBampton(["root", "tip"], 6), "stiffening": "second_order"}
    model = clamped(solid_body(kind, divisions, **options), (-1.0, 0.0, 0.0))
    exact = np.pi**2 * 70e9 * HEIGHT**4 / 12 / 4
    if kind == "hex8":
        found = sp.buckling(model)
        assert found.factors[0] == pytest.approx(exact, rel=5e-3)
        assert abs(found.by_mesh["part"]) < 5e-3
        return
    with pytest.warns(sp.SuppleWarning, match="by the mesh of flexible body 'part' the load"):
        found = sp.buckling(model)
    true = found.factors[0] / exact - 1.0
    told_size = 1.0 / (1.0 - found.by_mesh["part"]) - 1.0
    assert true / TOLD < told_size < true * TOLD


def test_bars_of_a_mesh_reach_the_exact_answer():
    model = clamped(solid_body("tet10", (2, 1, 1), damping=sp.ModalDamping(0.7)))
    asked = {"tip": lambda r: r["part"].at("tip").deflection[-1, 1]}
    found = quiet(sp.certify, model, 0.2, asked)["tip"]
    assert found.level == "certified"
    assert abs(found.value - 100.0 * EXACT) < found.bar < 0.5 * found.value


def test_a_right_mesh_has_no_problems():
    for kind in ("hex8", "hex20", "tet10"):
        mesh = sp.fem.block((LENGTH, HEIGHT, HEIGHT), (10, 1, 1), kind, ALLOY)
        assert sp.fem.check_component(mesh).sound


def test_nearly_incompressible_material_is_told_of_where_it_locks():
    """Rubber between rigid ends, one layer; bricks of eight nodes keep its volume."""
    rubber = sp.Material(E=1e6, G=1e6 / 2.998, density=1000.0)
    errors, tips = {}, {}
    for kind in ("tet4", "hex20", "hex8"):
        body = solid_body(kind, (10, 1, 1), (1.0, 0.02, 0.02), rubber)
        result = quiet(sp.statics, clamped(body, (0.0, 1e-5, 0.0)))
        errors[kind] = result.monitor["part"].mesh_error
        tips[kind] = result["part"].at("tip").deflection[-1, 1]
        assert bool(told(result)) == (kind != "hex8")
    true = {kind: 1.0 - tip / tips["hex8"] for kind, tip in tips.items()}
    for kind in ("tet4", "hex20"):
        assert true[kind] / TOLD < errors[kind] < TOLD * true[kind]


# ------------------------------------------------------------------------------ shells and frames


def plate_body(nx, ny, size=(1.0, 0.3), **options):
    mesh = sp.fem.plate(*size, nx, ny, thickness=0.004, material=ALLOY)
    given = {"modes": sp.reduction.CraigBampton(["root", "tip"], 4)} | options
    return sp.MeshBody("part", mesh, ends(mesh, (*size, 0.0)), **given)


def test_a_coarse_shell_is_told_and_a_fine_one_is_not():
    """A square plate that is twisted: the exact answer is that of a fine mesh."""
    tips = {}
    for n in (1, 2, 12):
        body = plate_body(2 * n, n, (1.0, 1.0))
        model = clamped(body, (0.0, 0.0, 0.0))
        model.replace("push", torque=(1.0, 0.0, 0.0))
        result = quiet(sp.statics, model)
        tips[n] = result["part"].at("tip").rotation[-1, 0], result
    for n in (1, 2):
        error = 1.0 - tips[n][0] / tips[12][0]
        assert error > 0.05
        assert error / TOLD < told(tips[n][1])[0].value < error * TOLD
    assert tips[12][1].monitor.level == "valid"


def test_a_plate_that_is_clamped_at_a_node_is_told_to_need_an_interface():
    """Its deflection grows with the logarithm of the mesh: smaller elements would not end it."""
    mesh = sp.fem.plate(1.0, 0.3, 8, 4, thickness=0.004, material=ALLOY)
    model = sp.Model(gravity=(0, 0, -9.81))
    body = model.add(sp.MeshBody("part", mesh, modes=6))
    model.add(sp.Fixed("wall", model.ground.at(0), body.at(node=0)))
    assert "hold it by an interface" in told(quiet(sp.statics, model))[0].sentence


def test_a_solid_that_is_held_at_corners_is_told_to_need_faces():
    size = (0.2, 0.1, 0.1)
    mesh = sp.fem.block(size, (4, 2, 2), "hex20", ALLOY)
    root, tip = ends(mesh, size)
    corners = [k for k in root.nodes if np.all(np.isin(mesh.nodes[k, 1:], (0.0, 0.1)))]
    few = sp.fem.Interface("root", root.place, corners)
    body = sp.MeshBody("part", mesh, [few, tip], modes=sp.reduction.AttachmentModes(4))
    found = told(quiet(sp.statics, clamped(body)))
    assert "give Interface 'root' all nodes of one or more faces" in found[0].sentence


def frame_body(elements):
    nodes = {"a": (0, 0, 0), "b": (1, 0, 0)}
    member = sp.Member("a", "b", sp.Rectangle(0.01, 0.02), ALLOY, elements=elements)
    return sp.FrameStructure("part", nodes, [member], modes="all")


@pytest.mark.parametrize("elements", [1, 2, 4])
def test_members_of_few_elements_are_told_where_inertia_bends_them(elements):
    """Hinged at both ends: the frequency of one cubic element is 11 % too high."""
    model = sp.Model(gravity=(0, -9.81, 0))
    body = model.add(frame_body(elements))
    end = model.add(sp.RigidBody("end", 1e-3, inertia=1e-6))
    model.add(sp.Prismatic("slide", model.ground.at(1), end.at(0)))
    model.add(sp.Revolute("left", model.ground.at(0), body.at("a")))
    model.add(sp.Revolute("right", body.at("b"), end.at(0)))
    linear = quiet(sp.linearize, model)
    exact = np.pi**2 * np.sqrt(70e9 * 0.01**2 / 12 / 2700.0) / (2 * np.pi)
    error = linear.frequencies[0] / exact - 1.0
    found = [f for f in linear.monitor.findings if f.what == "frequency" and "mesh" in str(f)]
    assert linear.frequency_errors[0] == pytest.approx(error, rel=0.3, abs=1e-3)
    assert bool(found) == (error > 0.02)
    if elements > 2:
        assert linear.monitor.level == quiet(sp.statics, model).monitor.level == "valid"


def test_the_mesh_error_does_not_depend_on_modes():
    """A panel that is hinged on a floating hub and pushed by a sudden spring."""
    errors = []
    for modes in (
        4,
        sp.reduction.AttachmentModes(4),
        sp.reduction.CraigBampton(["root", "tip"], 4),
    ):
        model = sp.Model()
        hub = model.add(sp.RigidBody("hub", 300.0, inertia=60.0))
        model.add(sp.Free("flight", model.ground.at(0), hub.at(0)))
        body = solid_body("hex20", (3, 1, 1), (2.0, 0.1, 0.1), ALLOY, modes=modes)
        panel = model.add(body)
        model.add(sp.Revolute("hinge", hub.at(0.5), panel.at("root"), axis="y", initial=1.5))
        model.add(sp.JointSpring("spring", "hinge", stiffness=3.0, damping=0.4))
        errors.append(quiet(sp.simulate, model, 0.1).monitor["part"].mesh_error)
    assert errors == pytest.approx([np.mean(errors)] * 3, rel=0.3)


@pytest.mark.parametrize(
    "modes", [sp.reduction.AttachmentModes(4), sp.reduction.AttachmentModes(24)]
)
def test_a_sudden_load_is_no_load_of_fast_modes(modes: sp.reduction.AttachmentModes) -> None:
    """A panel is pulled suddenly: its tip is right to 0.3 %, whatever shapes vibrate beside."""
    runs = []
    for fine in (1, 4):
        mesh = plate(1.0, 0.5, 4 * fine, 2 * fine, thickness=0.004, material=ALLOY)
        x = mesh.nodes[:, 0]
        ends = {"root": np.flatnonzero(x == 0.0), "tip": np.flatnonzero(x == x.max())}
        faces = [
            sp.fem.Interface(name, mesh.nodes[at].mean(axis=0), at) for name, at in ends.items()
        ]
        m = sp.Model()
        body = m.add(sp.MeshBody("panel", mesh, faces, modes=modes if fine == 1 else 24))
        m.add(sp.Fixed("wall", m.ground.at(0), body.at("root")))
        hook = m.ground.at(1.0, 0.0, 0.5)
        m.add(sp.SpringDamper("pull", hook, body.at("tip"), 2000.0, 1.0, length=0.45))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)  # it turns by more than 0.15 rad
            runs.append(sp.simulate(m, 0.06, output=60))
    coarse, fine = (run["panel"].at("tip").position[:, 2] for run in runs)
    assert np.sqrt(np.mean((coarse - fine) ** 2) / np.mean(fine**2)) < 0.01
    assert abs(runs[0].monitor["panel"].mesh_error) < 0.01
    assert "mesh" not in {f.what for f in runs[0].monitor.findings}
