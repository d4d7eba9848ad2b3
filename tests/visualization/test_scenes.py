"""Pictures: what is drawn is where the result says, and files show it without anything else."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest
from hypothesis import given

import supple as sp
from models.drawn_models import SOFT, centres, everything, page_of, simulated, things
from models.random_models import Recipe, examples, flexible_recipes
from supple.fem.drawn.boundary import outer_faces
from supple.fem.drawn.primitives import UP, arrow, coil, cuboid, cylinder, sphere, torus
from supple.fem.drawn.surface import Surface
from supple.fem.sections.outlines import AROUND
from supple.fem.shells.shell import plate
from supple.visualization.drawing import chosen_times, draw
from supple.visualization.scene import SAMPLED, Scene, Thing, bounds, thing

ALLOY = sp.Material(E=70e9, G=26e9, density=2700)
ROUNDING = 1e-12  # of the size of what is drawn


def volume(surface: Surface | Thing) -> float:
    """Of a closed surface that is seen from outside, by the theorem of Gauss."""
    a, b, c = (surface.points[surface.triangles[:, k]] for k in range(3))
    return float(np.einsum("fi,fi->", a, np.cross(b, c)) / 6.0)


def check_beam(
    result: sp.results.Result, one: Thing, view, start: float = 0.0, slack=ROUNDING
) -> None:
    """Vertices of a beam against the stations of the result, at all times."""
    axis, size = centres(one), np.ptp(one.points[:, 0])
    for vertex in axis[:: max(1, len(axis) // 5)]:
        x = float(one.points[vertex, 0])
        station = view.at(min(start + x, view.length))
        arms = one.points - one.points[vertex]
        section = np.flatnonzero(np.abs(arms[:, 0]) < 1e-9 * size)
        for k in range(len(result.t)):
            moved = one.vertices(k)
            np.testing.assert_allclose(moved[vertex], station.position[k], atol=slack, rtol=1e-12)
            if start:
                continue
            # a section turns: by a small angle in pictures
            exact = station.position[k] + arms[section] @ station.matrix[k].T
            turn = np.linalg.norm(station.rotation[k])
            bound = 0.5 * turn**2 * np.linalg.norm(arms[section], axis=1) + 10 * slack
            assert np.all(np.linalg.norm(moved[section] - exact, axis=1) <= bound)


@examples(40)
@given(flexible_recipes(max_bodies=3))
def test_beams_are_drawn_where_their_stations_are(recipe: Recipe) -> None:
    model = recipe.model()
    state = recipe.state(sp.JointCoordinates().equations(model), turns=(0.2, 0.3))
    start = sp.State(0.0, state.q, state.u, state.z)
    result = simulated(model, 1e-4, start=start)
    scene = draw(result)
    for name, body in result.bodies.items():
        if body.view != "stations":
            continue
        slack = SAMPLED if body.second_order else ROUNDING
        reach = np.abs(result[name].position).max() + body.length
        check_beam(result, things(scene, name)[0], result[name], slack=slack * reach)


def test_parts_of_a_curved_beam_are_drawn_where_its_stations_are() -> None:
    m = sp.Model(gravity=(0, 0, -9.81))
    s = np.linspace(0.0, 1.0, 9)
    line = np.stack([np.sin(2.0 * s), 1.0 - np.cos(2.0 * s), 0.3 * s], axis=1)
    hook = m.add(sp.Beam("hook", None, sp.Rectangle(0.02, 0.01), SOFT, parts=5, centre_line=line))
    m.add(sp.Revolute("pin", m.ground.at(0), hook.at(0), axis="y"))
    result = simulated(m, 0.1)
    starts = result.bodies["hook"].part_stations
    for one, start in zip(things(draw(result), "hook"), starts, strict=False):
        assert not one.magnified
        np.testing.assert_allclose(one.amplitudes[0], one.still, atol=1e-9)  # it starts unloaded
        check_beam(result, one, result["hook"], max(float(start), 1e-12), SAMPLED)


@pytest.mark.slow
def test_nodes_of_structures_shells_and_solids_are_drawn_where_they_are(tmp_path) -> None:
    m = sp.Model(gravity=(0, 0, -9.81))
    nodes = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 1, 0.5)}
    members = [sp.Member(*pair, sp.Circle(0.02), SOFT, elements=2) for pair in ("ab", "bc")]
    tower = m.add(sp.FrameStructure("tower", nodes, members, modes=4, stiffening="second_order"))
    m.add(sp.Fixed("tower foot", m.ground.at(0), tower.at("a")))
    shell = plate(1.0, 0.5, 3, 2, thickness=0.003, material=SOFT)
    left = np.flatnonzero(shell.nodes[:, 0] == 0.0)
    wing = m.add(sp.MeshBody("wing", shell, [sp.fem.Interface("root", (0, 0.25, 0), left)], modes=3,
                             stiffening="second_order"))  # fmt: skip
    m.add(sp.Revolute("flap", tower.at("b"), wing.at("root"), axis="y"))
    bar = sp.fem.block((0.5, 0.05, 0.05), (3, 1, 1), "hex20", SOFT)
    face = np.flatnonzero(bar.nodes[:, 0] == 0.0)
    block = m.add(
        sp.MeshBody("bar", bar, [sp.fem.Interface("end", (0, 0.025, 0.025), face)], modes=2)
    )
    m.add(sp.Fixed("bar foot", m.ground.at(0, 2, 0), block.at("end")))
    beam = sp.Beam("beam", 1.0, sp.Circle(0.02), SOFT, modes=2)
    sp.files.write_sid(tmp_path / "beam.sid", beam, [beam.at(x) for x in (0.0, 0.5, 1.0)])
    other = m.add(sp.SIDBody("other", tmp_path / "beam.sid"))
    m.add(sp.Fixed("other foot", m.ground.at(0, 3, 0), other.at(node="1")))
    result = simulated(m, 0.05)
    scene = draw(result)
    for name, vertices in {"tower": 3, "wing": 12, "bar": 20, "other": 3}.items():
        (one,) = things(scene, name)
        where, last = result[name], len(result.t) - 1
        record, moved = result.data.compiled.flexible[name], one.vertices(last)
        body, q = result.bodies[name], result.q[last, record.q]
        found = 0
        for point, place in zip(one.points, moved, strict=True):
            try:
                frame = body.at(*(float(c) for c in point))
            except sp.ModelError:  # on the surface of a member, or inside of it
                continue
            exact = result[frame].position[last]
            if body.second_order:  # as inertia and loads see it
                carried = body.attachment(frame, record.point_masses)
                away = carried.p0 + carried.motion(q, q, q)[0][:3]
                exact = where.position[last] + where.matrix[last] @ away
            found += 1
            slack = ROUNDING * max(1.0, np.abs(exact).max())
            np.testing.assert_allclose(place, exact, atol=slack, rtol=1e-12)
        assert found >= vertices


@pytest.mark.parametrize("kind", ["tet4", "tet10", "hex8", "hex20", "hex27"])
def test_solids_are_closed_and_seen_from_outside(kind: str) -> None:
    mesh = sp.fem.block((0.3, 0.2, 0.5), (2, 3, 2), kind, ALLOY)
    faces = outer_faces(kind, mesh.cells, mesh.nodes)
    assert volume(Surface(mesh.nodes, faces)) == pytest.approx(0.03)
    mirrored = mesh.nodes * [1, 1, -1]  # cells that are numbered the other way round
    faces = outer_faces(kind, mesh.cells, mirrored)
    assert volume(Surface(mirrored, faces)) == pytest.approx(0.03)


def test_sections_and_simple_forms_are_closed_and_seen_from_outside() -> None:
    polygon = AROUND / 2 * np.sin(2 * np.pi / AROUND) / np.pi  # of the area of its circle
    numbers = sp.Section(area=2e-4, I_y=2e-4 * 0.01**2 / 12, I_z=2e-4 * 0.02**2 / 12, J=1e-9)
    for section, part in ((sp.Rectangle(0.02, 0.01), 1), (sp.Box(0.03, 0.02, 0.002), 1),
                          (sp.ISection(0.03, 0.02, 0.002, 0.003), 1), (sp.Circle(0.02), polygon),
                          (sp.Tube(0.03, 0.004), polygon), (numbers, 1)):  # fmt: skip
        beam = sp.Beam("beam", 2.0, section, ALLOY, roll=0.3, modes="all")
        assert volume(beam.surface()) == pytest.approx(2.0 * section.area * part)
    assert volume(cuboid((1, 2, 3))) == pytest.approx(6.0)
    assert volume(cylinder(0.5, 2.0)) == pytest.approx(0.5 * np.pi * polygon)
    for round_ in (sphere(1.0), arrow(), torus(1.0, 0.1), coil(3, 0.3, 0.05)):
        assert volume(round_) > 0.0
    height = np.sin(np.linspace(-0.5 * np.pi, 0.5 * np.pi, UP + 1))
    areas = np.pi * polygon * (1.0 - height**2)
    parts = areas[1:] + areas[:-1] + np.sqrt(np.abs(areas[1:] * areas[:-1]))
    assert volume(sphere(1.0)) == pytest.approx(np.diff(height) @ parts / 3.0)


def test_stress_of_vertices_is_that_of_the_result() -> None:
    m = sp.Model(gravity=(0, 0, -9.81))
    beam = m.add(sp.Beam("beam", 1.0, sp.ISection(0.03, 0.02, 0.002, 0.003), SOFT, modes=4))
    m.add(sp.Fixed("wall", m.ground.at(0), beam.at(0)))
    m.add(sp.Force("wrench", beam.at(1.0), (3, 2, 1), torque=(0.1, 0.2, 0.3)))
    cube = sp.fem.block((0.5, 0.1, 0.1), (2, 1, 1), "hex20", SOFT)
    face = np.flatnonzero(cube.nodes[:, 0] == 0.0)
    bar = m.add(sp.MeshBody("bar", cube, [sp.fem.Interface("end", (0, 0.05, 0.05), face)], modes=2))
    m.add(sp.Fixed("foot", m.ground.at(0, 1, 0), bar.at("end")))
    shell = plate(0.5, 0.3, 3, 2, thickness=0.002, material=SOFT)
    left = np.flatnonzero(shell.nodes[:, 0] == 0.0)
    wing = m.add(
        sp.MeshBody("wing", shell, [sp.fem.Interface("root", (0, 0.15, 0), left)], modes=3)
    )
    m.add(sp.Fixed("root", m.ground.at(0, 2, 0), wing.at("root")))
    result = simulated(m, 0.02)
    scene, last = draw(result), len(result.t) - 1
    (one,) = things(scene, "beam")
    drawn = one.von_mises(last)
    for k in np.flatnonzero(np.linalg.norm(one.points[:, 1:], axis=1) > 1e-3)[::37]:
        x, y, z = (float(c) for c in one.points[k])
        exact = result["beam"].at(x).von_mises(y, z)[last]
        assert drawn[k] == pytest.approx(exact, rel=1e-9) and exact > 1.0
    (one,) = things(scene, "wing")
    drawn = one.von_mises(last)
    around = [k for k, corners in enumerate(shell.triangles) if 7 in corners]
    for k in np.flatnonzero(np.all(one.points == shell.nodes[7], axis=1)):
        both = [np.mean([result["wing"].point(triangle=j).stress(side, along="x")[last]
                         for j in around], axis=0) for side in ("top", "bottom")]  # fmt: skip
        exact = max(np.sqrt(xx**2 + yy**2 - xx * yy + 3 * xy**2) for xx, yy, xy in both)
        assert drawn[k] == pytest.approx(exact, rel=1e-9) and exact > 1.0
    (one,) = things(scene, "bar")
    stress = result["bar"].stress_history
    assert one.von_mises(last).max() == pytest.approx(stress.envelope.over_time[last], rel=1e-9)


def test_a_box_has_the_inertia_of_its_body() -> None:
    sizes, mass = np.array([0.2, 0.5, 0.3]), 3.0
    moments = mass / 12.0 * (np.sum(sizes**2) - sizes**2)
    turn = sp.Frame(sp.RigidBody("b", 1.0), rotation=(0.3, -0.4, 0.8)).rotation
    body = sp.RigidBody("b", mass, com=(1, 2, 3), inertia=turn @ np.diag(moments) @ turn.T)
    surface = body.surface()
    corners = (surface.points - body.com) @ turn
    np.testing.assert_allclose(np.abs(corners), np.tile(0.5 * sizes, (8, 1)), rtol=1e-9)
    np.testing.assert_array_equal(surface.hub, body.com)
    forms = [sp.Sphere(diameter=0.1), sp.Cuboid(size=(1, 1, 1), position=(0, 0, 2))]
    shaped = sp.RigidBody("b", 1.0, shape=forms)
    assert shaped.surface().hub is None
    assert shaped.surface().points[:, 2].max() == 2.5
    with pytest.raises(sp.ModelError, match="RigidBody 'b': shape is 'ball', expected a Cuboid"):
        sp.RigidBody("b", 1.0, shape="ball")


@pytest.fixture(scope="module")
def run() -> sp.results.Result:
    return simulated(everything(), 0.1)


def test_every_item_is_drawn(run: sp.results.Result) -> None:
    scene = draw(run)
    shown = {one.name for one in scene.things}
    assert shown >= {*run.bodies, *run.joints, *run.forces, *run.constraints, *run.point_masses}
    assert {"gravity", "world x", "world y", "world z"} <= shown
    for one in scene.things:
        for k in range(len(scene.t)):
            assert np.all(np.isfinite(one.vertices(k)))
    # a spring reaches from one end to the other, an arrow is along its force
    coil = things(scene, "spring")[0]
    tip = run["arm <script>"].at(1.0).position
    for k in range(len(scene.t)):
        ends = coil.p[k], coil.p[k] + coil.R[k] @ [0, 0, coil.stretch[k, 2]]
        np.testing.assert_allclose(ends, [[0, 0, 1], tip[k]], atol=1e-12)
    arrows = [one for one in draw(run, reactions=True).things if one.kind == "reactions"]
    scales = []
    for one in arrows:  # the force by A on B at B, all of the same scale
        exact, drawn = run[one.name].force, one.stretch[:, 2, None] * one.R[:, :, 2]
        np.testing.assert_allclose(one.p, run[run.joints[one.name].B].position, atol=1e-12)
        scales.append(np.linalg.norm(drawn, axis=1) / np.linalg.norm(exact, axis=1))
        np.testing.assert_allclose(drawn, scales[-1][:, None] * exact, atol=1e-9)
    assert {one.name for one in arrows} == set(run.joints)
    np.testing.assert_allclose(scales, scales[0][0])
    push = next(one for one in things(scene, "push") if one.colour == "#c8382f")
    shown_force = push.stretch[:, 2, None] * push.R[:, :, 2]
    scale = push.stretch[-1, 2] / np.sin(run.t[-1])
    np.testing.assert_allclose(shown_force, scale * run["push"].force, atol=1e-12)


def test_a_page_holds_everything_and_asks_for_nothing(run: sp.results.Result, tmp_path) -> None:
    text = run.to_html(tmp_path / "run.html", "slide", "energy").read_text(encoding="utf-8")
    assert "http:" not in text and "https:" not in text and "//cdn" not in text
    assert "<title>all &lt;b&gt; &amp; &lt;!-- kinds</title>" in text
    assert text.count("<script") == 3 and "arm <script>" not in text and "<!--" not in text
    data, block = page_of(text)
    assert data["verdict"] == run.verdict
    assert [p["title"] for p in data["panels"]][-2:] == ["energy", "energy error"]

    def read(where: list) -> np.ndarray:
        kind = {"f": "<f4", "h": "<i2", "b": "i1", "u": "<u4", "s": "<u2"}[where[0]]
        return np.frombuffer(block, kind, where[2], where[1]).astype(float)

    for one, kept in zip(draw(run, reactions=True).things, data["things"], strict=True):
        assert one.name == kept["name"]
        points = read(kept["points"]).reshape(-1, 3)
        fields = read(kept["fields"]).reshape(-1, len(points), 3)
        amplitudes = read(kept["scales"]) * read(kept["amplitudes"])[: len(fields)]
        moved = np.einsum("k,kvi->vi", amplitudes, fields)
        p, q = read(kept["pose"])[:3], read(kept["pose"])[3:7]
        R = sp.Frame(run.model.ground, rotation=q / np.linalg.norm(q)).rotation
        stretch = read(kept["stretch"])[:3] if one.stretch is not None else 1.0
        found = data["offset"] + p + (stretch * (points + moved)) @ R.T
        slack = 1e-6 * np.abs(found).max() + 2e-5 * np.abs(moved).max(initial=0.0)
        np.testing.assert_allclose(found, one.vertices(0), atol=slack)
        np.testing.assert_array_equal(read(kept["triangles"]), one.triangles.ravel())


def test_gltf_shows_the_same_places(run: sp.results.Result, tmp_path) -> None:
    content = run.to_gltf(tmp_path / "run.glb").read_bytes()
    magic, version, length, size, kind = struct.unpack_from("<IIIII", content)
    assert (magic, version, length, kind) == (0x46546C67, 2, len(content), 0x4E4F534A)
    data, block = json.loads(content[20 : 20 + size]), content[28 + size :]

    def read(number: int) -> np.ndarray:
        a = data["accessors"][number]
        view, width = data["bufferViews"][a["bufferView"]], {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
        kind = {5126: "<f4", 5125: "<u4"}[a["componentType"]]
        count = a["count"] * width[a["type"]]
        assert 4 * count == view["byteLength"] and view["byteOffset"] % 4 == 0
        found = np.frombuffer(block, kind, count, view["byteOffset"]).astype(float)
        rows = found.reshape(a["count"], -1)
        if "min" in a:
            np.testing.assert_allclose(a["min"], rows.min(axis=0), rtol=1e-6)
        return rows

    (animation,) = data["animations"]
    tracks = {}
    for channel in animation["channels"]:
        target, sampler = channel["target"], animation["samplers"][channel["sampler"]]
        tracks[target["node"], target["path"]] = read(sampler["output"])
    scene, last = draw(run), len(run.t) - 1
    for number, one in enumerate(scene.things, start=1):
        node = data["nodes"][number]
        assert node["name"] == one.name
        (primitive,) = data["meshes"][node["mesh"]]["primitives"]
        points = read(primitive["attributes"]["POSITION"])
        targets = primitive.get("targets", [])
        weights = tracks.get((number, "weights"), np.zeros((0, 1))).reshape(-1, len(targets) or 1)
        for k, target in enumerate(targets):
            points = points + weights[last, k] * read(target["POSITION"])
        assert np.all(np.abs(weights) <= 1.0 + 1e-6)
        q = tracks[number, "rotation"][last][[3, 0, 1, 2]]
        R = sp.Frame(run.model.ground, rotation=q / np.linalg.norm(q)).rotation
        stretch = tracks[number, "scale"][last] if one.stretch is not None else 1.0
        found = tracks[number, "translation"][last] + (stretch * points) @ R.T
        np.testing.assert_allclose(found, one.vertices(last), atol=1e-6 * (1 + np.abs(found).max()))
    x, y, z, w = data["nodes"][0]["rotation"]
    upright = sp.Frame(run.model.ground, rotation=(w, x, y, z)).rotation
    np.testing.assert_allclose(upright @ [0, 0, 1], [0, 1, 0], atol=1e-12)


def test_times_are_chosen_evenly_and_ends_are_among_them() -> None:
    t = np.sort(np.random.default_rng(0).uniform(0.0, 3.0, 4000))
    which = chosen_times(t, 101)
    assert (which[0], which[-1]) == (0, len(t) - 1) and len(which) <= 101
    assert np.abs(t[which] - np.linspace(t[0], t[-1], len(which))).max() < 0.01
    np.testing.assert_array_equal(chosen_times(t[:7], 7), np.arange(7))


def sheet(side: int, shapes: int, frames: int) -> Scene:
    """A waving sheet."""
    x, y = (c.ravel() for c in np.meshgrid(*(np.linspace(0.0, 1.0, side),) * 2))
    first = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    cells = np.concatenate([np.stack([first, first + 1, first + side], 1),
                            np.stack([first + 1, first + side + 1, first + side], 1)])  # fmt: skip
    rows = np.zeros((side * side, 6, shapes))
    for k in range(shapes):
        rows[:, 2, k] = np.sin((k + 1) * np.pi * x) * np.cos(k * y)
    surface = Surface(np.stack([x, y, 0 * x], 1), cells, place=np.arange(side * side),
                      arms=np.zeros((side * side, 3)), rows=rows)  # fmt: skip
    q = np.random.default_rng(0).normal(size=(frames, shapes)) * 0.01
    pose = np.broadcast_to(np.eye(3), (frames, 3, 3)), np.zeros((frames, 3))
    one = thing(surface, "sheet", "bodies", "#2f6fb0", pose, q)
    return Scene("sheet", np.linspace(0.0, 1.0, frames), [one], low=bounds([one], 2)[0])


def test_a_page_grows_with_shapes_and_not_with_frames() -> None:
    from supple.visualization.page import Take, page

    few, many = (len(page(Take(sheet(30, 4, frames)))) for frames in (20, 200))
    more = len(page(Take(sheet(30, 8, 20))))
    numbers = 180 * (4 + 7) * 4  # amplitudes and poses of the further frames, bytes
    assert many - few < 1.5 * numbers < more - few + 1.5 * numbers
    assert more - few > 10_000  # four fields more


@pytest.mark.slow
def test_fifty_thousand_nodes_with_ten_shapes_fit_into_a_page() -> None:
    from supple.visualization.page import Take, page

    assert len(page(Take(sheet(224, 10, 300)))) < 20e6
