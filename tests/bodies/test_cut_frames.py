"""Frame structures cut into parts: large deflections, loops, and one body with one name."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from supple.bodies.discretisation import divided
from supple.engine.pack.builder import build
from supple.results.files.export import drawn_bodies
from supple.results.monitor.segments import _with_held

STEEL = sp.Material(E=2.1e11, G=0.8e11, density=7800.0)
FLAT = sp.Rectangle(0.01, 0.02)
CORNERS = {"a": (0, 0, 0), "b": (0, 1, 0), "c": (1.5, 1, 0.2), "d": (1.5, 0, 0)}


def ring(parts, elements=3, nodes=None, stiffening=None, **options) -> sp.FrameStructure:
    """A loop of four members and a free arm, with arms at a node, shear and roll."""
    nodes = (CORNERS | {"tip": (2.0, 1.4, 0.1)}) if nodes is None else nodes
    more = {"elements": elements}
    members = [
        sp.Member("a", "b", FLAT, STEEL, **more),
        sp.Member("b", "c", FLAT, STEEL, roll=0.3, **more),
        sp.Member("d", "c", sp.Rectangle(0.015, 0.02), STEEL, **more),
        sp.Member("d", "a", FLAT, STEEL, start_offset=(0, -0.05, 0.1), theory="timoshenko", **more),
        sp.Member("c", "tip", sp.Circle(0.015), STEEL, **more),
    ]
    options = {"stiffening": stiffening, "parts": parts, "clamp_node": "b"} | options
    return sp.FrameStructure("ring", nodes, members, **options)


def held(frame, node="a", load=0.0) -> sp.Model:
    m = sp.Model()
    m.add(frame)
    place = frame.at(node)
    m.add(sp.Fixed("clamp", m.ground.at(0, rotation=(0.1, 0.2, 0.3)), place))
    m.add(sp.PointMass("bob", frame.at("tip"), 0.5))
    force, torque = np.array([1.0, 2.0, 3.0]), np.array([0.3, -0.2, 0.5])
    m.add(sp.Force("push", frame.at("d"), tuple(load * force), torque=tuple(load * torque)))
    return m


@pytest.mark.parametrize("node", ["a", "tip"])
def test_small_deflections_are_those_of_the_whole_frame(node):
    """The same elements in other axes: statics, recovery and frequencies, held anywhere."""
    whole, cut = (sp.statics(held(ring(parts, 2), node, 1e-4)) for parts in (None, 2))
    assert cut.monitor.level == whole.monitor.level == "valid"
    assert list(cut.monitor.bodies) == ["ring"]
    one, other = cut["ring"], whole["ring"]
    scale = max(np.abs(other.at(n).deflection).max() for n in (*CORNERS, "tip"))
    turn = max(np.abs(other.at(n).rotation).max() for n in (*CORNERS, "tip"))
    for name in (*CORNERS, "tip"):
        a, b = one.at(name), other.at(name)
        np.testing.assert_allclose(a.position, b.position, atol=1e-5 * scale)
        np.testing.assert_allclose(a.deflection, b.deflection, atol=1e-5 * scale)
        np.testing.assert_allclose(a.rotation, b.rotation, atol=1e-5 * turn)
    for member, s in ((0, 0.0), (1, 0.5), (1, 0.4), (2, 0.9), (3, 1.0), (4, 0.5)):
        forces = [view.section_forces(member, s).values[0] for view in (one, other)]
        for part in (slice(0, 3), slice(3, 6)):
            limit = 1e-5 * np.abs(forces[1][part]).max() + 1e-12
            np.testing.assert_allclose(forces[0][part], forces[1][part], atol=limit)
        strain = [view.strain(member, s, "z") for view in (one, other)]
        np.testing.assert_allclose(*strain, atol=1e-5 * other.strain(member, 0.0).max() + 1e-12)
        stress = [view.stress(member, s, 0.005, 0.004) for view in (one, other)]
        np.testing.assert_allclose(*stress, atol=1e-5 * other.von_mises().max())
    np.testing.assert_allclose(one.strain_energy, other.strain_energy, rtol=1e-5)
    a, b = one.largest_stress(), other.largest_stress()
    assert a.value == pytest.approx(b.value, rel=1e-5)
    assert a.place == pytest.approx(b.place, abs=1e-9)
    with warnings.catch_warnings():  # two parts a member are few for the highest
        warnings.simplefilter("ignore", sp.SuppleWarning)
        models = (held(ring(parts, 2), node) for parts in (2, None))
        frequencies = [sp.linearize(m).frequencies for m in models]
    np.testing.assert_allclose(*frequencies, rtol=1e-7)


def test_files_for_other_programs_show_members_as_lines(tmp_path):
    """With the places and displacements of the whole frame's nodes, which are ends of parts."""
    whole, cut = (sp.statics(held(ring(parts, 2), load=1e-2)) for parts in (None, 2))
    (nodes,), lines = drawn_bodies(whole), list(drawn_bodies(cut))
    assert {line.name for line in lines} == {"ring"} and len(lines) == 5
    known, scale = nodes.at(0), np.abs(nodes.at(0).displacement).max()
    for number, line in enumerate(lines):
        found = line.at(0)
        for k in (4, 8) if number == 3 else (0, 4, 8):  # it begins beside its node
            near = np.argmin(np.linalg.norm(known.places - found.places[k], axis=1))
            np.testing.assert_allclose(found.places[k], known.places[near], atol=1e-3 * scale)
            moved = known.displacement[near]
            np.testing.assert_allclose(found.displacement[k], moved, atol=1e-3 * scale)
    result = sp.simulate(held(ring(2, 2)), 1e-3, output=1)
    text = (result.export(tmp_path / "vtk").parent / "beams_1.vtp").read_text()
    assert 'NumberOfLines="5"' in text


def by_hand(load) -> sp.Model:
    """The ring of four cut beams, welded by joints; 'a' is clamped, the tip is 'c'."""
    m = sp.Model()
    loose = ring(3, nodes=CORNERS | {"tip": (2.0, 1.4, 0.1)})
    poses, beams = divided(loose).member_poses, {}
    for k, (member, pose) in enumerate(zip(loose.members, poses, strict=True)):
        length = divided(loose).member_beams[k].length
        options = {"parts": 3, "theory": member.theory}
        beams[k] = m.add(sp.Beam(f"beam{k}", length, member.section, STEEL, **options))
        if k == 0:
            m.add(sp.Fixed("clamp", m.ground.at(0, rotation=pose.R), beams[0].at(0)))

    def weld(name, node, one, other, one_end, other_end):
        hub = m.add(sp.RigidBody(name, 1e-9, inertia=1e-12))
        for k, end in ((one, one_end), (other, other_end)):
            x = beams[k].length if end else 0.0
            place = poses[k].p + poses[k].R @ [x, 0.0, 0.0] - np.array(loose.nodes[node])
            m.add(sp.Fixed(f"{name}-{k}", hub.at(*place, rotation=poses[k].R), beams[k].at(x)))
        return hub

    weld("B", "b", 0, 1, 1, 0)
    hub = weld("C", "c", 1, 2, 1, 1)
    m.add(sp.Fixed("arm", hub.at(0, rotation=poses[4].R), beams[4].at(0)))
    weld("D", "d", 2, 3, 0, 0)
    m.add(sp.Fixed("back", m.ground.at(0, rotation=poses[3].R), beams[3].at(beams[3].length)))
    end = beams[4].at(beams[4].length, rotation=poses[4].R.T)
    m.add(sp.Force("push", end, (load, 2 * load, 3 * load)))
    return m


def test_large_deflections_are_those_of_beams_welded_by_hand():
    """The same parts; a loop in space, closed by rows."""
    frame = ring(3, clamp_node="a")
    m = sp.Model()
    m.add(frame)
    m.add(sp.Fixed("clamp", m.ground.at(0), frame.at("a")))
    load = 60.0
    m.add(sp.Force("push", frame.at("tip"), (load, 2 * load, 3 * load)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        found, expected = sp.statics(m), sp.statics(by_hand(load))
    tip = found["ring"].at("tip")
    assert np.linalg.norm(tip.rotation) > 0.4
    other = expected["beam4"].at()
    np.testing.assert_allclose(tip.position, other.position, atol=1e-8)
    np.testing.assert_allclose(
        found["ring"].section_forces(1, 0.5).values,
        expected["beam1"].at(expected["beam1"].length / 2).section_forces().values,
        rtol=1e-6,
        atol=1e-6,
    )
    wrenches = found["clamp"].wrench, sum(expected[name].wrench for name in ("clamp", "back"))
    np.testing.assert_allclose(wrenches[0][:, 3:], wrenches[1][:, 3:], rtol=1e-6)


def test_a_free_ring_keeps_energy_and_momenta():
    soft = sp.Material(E=2e7, G=0.8e7, density=1000.0)
    section = sp.Rectangle(0.03, 0.04)
    members = [sp.Member(*pair, section, soft) for pair in ("ab", "bc", "cd", "da")]
    frame = sp.FrameStructure("ring", CORNERS, members, parts=3)
    m = sp.Model()
    m.add(frame)
    m.add(sp.PointMass("bob", frame.at("d"), 0.2))
    twist = (1.0, 0.6, 2.0, 0.3, 0.2, 0.1)
    m.add(sp.Free("free", m.ground.at(0), frame.at("c"), initial_rate=twist))
    result = sp.simulate(m, 0.2, output=8)
    assert result.success
    assert result.energy.level == "trusted"
    assert len(result.momentum) == 6
    assert result.momentum.level == "trusted"
    assert result.monitor.level == "valid", result.monitor
    assert result.energy.strain.max() > 1e-3 * result.energy.kinetic[0]
    corner = result["ring"].at("d")
    np.testing.assert_allclose(corner.position, result["bob"].position, atol=1e-14)
    assert {"ring.strain_energy", "ring.position"} <= set(result.track().variables)
    centre = result.centre_of_mass()
    np.testing.assert_allclose(centre.velocity, np.tile(centre.velocity[0], (9, 1)), atol=1e-8)


@pytest.mark.parametrize(("parts", "level"), [(1, "not valid"), (4, "valid")])
def test_the_monitor_asks_for_more_parts_of_leaf_springs(parts, level):
    """A stage on two leaves, pushed aside by 20 thicknesses: 12/700 20^2 is left out by one part.

    Loads go from foot to foot; the leaves carry them, the stage is stiff.
    """
    length, thick = 0.1, 0.5e-3
    leaf, bar = sp.Rectangle(thick, 0.02), sp.Rectangle(0.1, 0.1)
    nodes = {"a": (0, -1, 0), "b": (length, -1, 0), "c": (length, 1, 0), "d": (0, 1, 0)}
    members = [sp.Member(*pair, leaf, STEEL) for pair in ("ab", "cd")]
    m, members = sp.Model(), [*members, sp.Member("b", "c", bar, STEEL)]
    guide = m.add(sp.FrameStructure("guide", nodes, members, parts=(parts, parts, 1)))
    for node, y in (("a", -1), ("d", 1)):
        m.add(sp.Fixed(f"foot {node}", m.ground.at(0, y), guide.at(node)))
    unit = 24.0 * STEEL.E * 0.02 * thick**3 / 12 / length**3 * thick
    m.add(sp.Force("push", guide.at("b"), (0, 20.0 * unit, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        found = sp.statics(m).monitor
    assert found.level == level
    if parts == 1:
        lost = [f.value for f in found["guide"].findings if f.what == "parts"]
        assert lost == pytest.approx([12 / 700 * 20**2], rel=0.02)


def swing(**options) -> sp.Model:
    """A frame of a loop and an arm between two bodies, its own frame at neither of them."""
    m = sp.Model(gravity=(0, -9.81, 0.5))
    frame = m.add(ring(elements=1, **options))
    arm = m.add(sp.RigidBody("arm", 0.3, com=(0.2, 0, 0), inertia=0.01))
    rod = m.add(sp.Beam("rod", 0.5, FLAT, STEEL, parts=1))
    m.add(sp.Spherical("root", arm.at(0), m.ground.at(0.2, 0.1)))
    m.add(sp.Revolute("knee", arm.at(0.4), frame.at("d", rotation=(0.1, 0, 0.3)), "z"))
    m.add(sp.Fixed("weld", rod.at(0), frame.at("tip")))
    m.add(sp.PointMass("bob", frame.at("a"), 0.4))
    m.add(sp.SpringDamper("spring", m.ground.at(0, 1), frame.at("b"), 200.0, 1.0, 0.4))
    return m


def test_joints_on_any_node_in_any_coordinates():
    m = swing(parts=1, damping=sp.KelvinVoigt(1e5))
    found, other = (
        sp.simulate(m, 0.004, output=2, formulation=kind)
        for kind in (sp.JointCoordinates(), sp.Absolute())
    )
    assert found.success
    assert found.energy.level == other.energy.level == "trusted"
    for node in ("a", "c", "tip"):
        a, b = (r["ring"].at(node) for r in (found, other))
        np.testing.assert_allclose(a.position, b.position, atol=1e-7)
        np.testing.assert_allclose(a.local.velocity, b.local.velocity, atol=1e-5)
    np.testing.assert_allclose(found["knee"].wrench, other["knee"].wrench, rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(found["bob"].position, found["ring"].at("a").position, atol=1e-14)


def test_deformation_modes_cut_every_member():
    whole = swing(parts=None, modes=3, reference="mean_axis", stiffening="second_order")
    cut = sp.DeformationModes(elongation=False, twist=False).written(whole)
    parts = [p for p in cut.bodies["ring"].part_bodies if p.deforms]
    assert [len(p.modal().coordinate_names) for p in parts] == 5 * [4]
    lumped = sp.DeformationModes(mass="lumped").written(whole).bodies["ring"]
    assert all(part.mass_choice == "lumped" for part in lumped.part_bodies if part.deforms)
    runs = [
        sp.simulate(swing(parts=1), 0.003, output=2),
        sp.simulate(whole, 0.003, output=2, formulation=sp.DeformationModes()),
    ]
    np.testing.assert_array_equal(*(run["ring"].coordinates for run in runs))
    assert not whole["ring"].divides


def test_a_tree_of_members_has_no_rows():
    """Loops cost six rows each, named by the member and the node that close them."""
    m = held(ring(2))
    loop = build(m)
    assert len(loop.rows) == 6
    assert loop.rows[0].name == "FrameStructure 'ring' (place along x of member 2 at node 'd')"
    body = m["ring"]
    m.replace("ring", members=(*body.members[:3], body.members[4]))
    assert not build(m).rows


def test_model_files_have_the_parts(tmp_path):
    m = held(ring((1, 2, 1, 1, 3), stiffening="none"))
    sp.files.write_model(m, tmp_path / "ring.yaml")
    again = sp.files.read_model(tmp_path / "ring.yaml")["ring"]
    assert again.parts == (1, 2, 1, 1, 3)
    assert not again.stiffened


def test_sentences():
    refused = {
        "parts is 0, expected a number of parts of every member": {"parts": 0},
        r"parts is \(1, 2\), expected one number for each of 5 members": {"parts": (1, 2)},
        "modes is 3, expected 'all' with parts": {"modes": 3},
        "reference is 'mean_axis', expected 'clamped' with parts": {"reference": "mean_axis"},
        "expected KelvinVoigt": {"damping": sp.ModalDamping(0.01)},
        "'second_order' or 'none' with parts": {"stiffening": "axial"},
    }
    for sentence, options in refused.items():
        with pytest.raises(sp.ModelError, match=f"FrameStructure 'ring': .*{sentence}"):
            ring(**({"parts": 2} | options))
    nodes, thin = {"a": (0, 0, 0), "b": (1, 0, 0)}, {"rotary_inertia": False}
    with pytest.raises(sp.ModelError, match="rotary_inertia of member 0 is False, expected True"):
        sp.FrameStructure("bar", nodes, [sp.Member("a", "b", FLAT, STEEL, **thin)], parts=2)
    with pytest.raises(sp.ModelError, match="parts is 10, expected None, a frame that is one body"):
        ring(2).modal()
    with pytest.raises(sp.ModelError, match="FrameStructure 'ring' is flexible, expected rigid"):
        sp.simulate(held(ring(1)), 0.1, integrator=sp.EnergyScheme(step=0.01),
                    formulation=sp.Absolute())  # fmt: skip
    with pytest.raises(
        sp.ModelError, match="FrameStructure 'ring': the velocity transformation does"
    ):
        sp.velocity_transformation(held(ring(1)))


@pytest.mark.slow
def test_lees_frame_snaps_through():
    """Lee, Manuel, Rossow 1968: two members of 120 with hinges, 18.55 EI/L^2 at a fifth of one."""
    material = sp.Material(E=720.0, G=280.0, density=1e-3)
    section = sp.Section(6.0, 200.0, 2.0, 9.0)
    nodes = {"foot": (0, 0, 0), "corner": (0, 120, 0), "load": (24, 120, 0), "end": (120, 120, 0)}
    pairs = ("foot", "corner"), ("corner", "load"), ("load", "end")
    members = [sp.Member(*pair, section, material) for pair in pairs]
    m = sp.Model()
    frame = m.add(sp.FrameStructure("frame", nodes, members, parts=(5, 1, 4)))
    m.add(sp.Revolute("hinge", m.ground.at(0), frame.at("foot"), "z"))
    m.add(sp.Revolute("support", frame.at("end"), m.ground.at(120, 120), "z"))
    m.add(sp.Force("push", frame.at("load"), (0, -1.0, 0)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        path = sp.statics(m, follow="push", until=2.0)
    first = path.limit_points[0]
    assert path.critical * 120**2 / (720.0 * 2.0) == pytest.approx(18.55, rel=1e-3)
    # its section has no sizes. An elastica on the same hinges, by shooting, has the curvature
    # 0.0329 at the limit: as a solid ellipse it would be strained by 3.8 %, as 3 x 2 by 3.3 %
    (finding,) = path[first.index].monitor.findings
    assert finding.what == "strain" and not finding.serious
    assert finding.value == pytest.approx(0.0329 * 2.0 * np.sqrt(2.0 / 6.0), rel=0.03)


def test_what_is_held_takes_what_fits():
    """Flexibility for some loads while nothing moves along the others: stiffness knows it too."""
    table = np.random.default_rng(3).normal(size=(7, 7))
    flexibility, unit = table @ table.T, np.eye(7)
    found = _with_held(flexibility, unit[:, :3], unit[:, 3:])
    expected = np.linalg.inv(np.linalg.inv(flexibility)[:3, :3])
    np.testing.assert_allclose(found, expected, rtol=1e-9)
