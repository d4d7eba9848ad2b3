"""Frame structures: hand solutions, rigid motions, offsets, and models with a FrameStructure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import supple as sp
from supple.fem.base.material import Material
from supple.fem.beams.beam import BeamMesh
from supple.fem.beams.frame import FrameMesh
from supple.fem.beams.member import Member
from supple.fem.sections.sections import Box, Circle, Rectangle, TaperedSection, Tube
from supple.foundation.errors import ModelError
from supple.reduction.modes import rigid_motions

STEEL = Material(E=210e9, G=81e9, density=7850)
ALUMINIUM = Material(E=70e9, G=26e9, density=2700)
FLAT, ROUND = Rectangle(0.03, 0.05), Circle(0.04)


def structure(nodes: dict[Any, Any], members: list[Member], masses: Any = ()) -> FrameMesh:
    places = np.array([np.asarray(p, dtype=float) for p in nodes.values()])
    return FrameMesh(tuple(nodes), places, tuple(members), masses)


def displaced(mesh: FrameMesh, held: list[str], loads: dict[str, Any]) -> dict[Any, np.ndarray]:
    """Displacements and rotations (6,) of the named nodes under loads (6,), with nodes held."""
    K, f = mesh.stiffness_matrix.toarray(), np.zeros(mesh.size)
    for node, load in loads.items():
        f[6 * mesh.number(node) : 6 * mesh.number(node) + 6] += load
    fixed = np.concatenate([6 * mesh.number(n) + np.arange(6) for n in held])
    free = np.setdiff1d(np.arange(mesh.size), fixed)
    x = np.zeros(mesh.size)
    x[free] = np.linalg.solve(K[np.ix_(free, free)], f[free])
    return {n: x[6 * k : 6 * k + 6] for k, n in enumerate(mesh.names)}


def turned(R: np.ndarray, places: Any) -> Any:
    return {n: R @ np.asarray(p, dtype=float) for n, p in places.items()}


def random_rotation(seed: int) -> np.ndarray:
    q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return q * np.sign(np.linalg.det(q))


# ---------------------------------------------------------------------------- hand solutions


def test_one_member_in_any_direction_is_the_beam() -> None:
    taper = TaperedSection(Box(0.05, 0.08, 0.004), Box(0.03, 0.05, 0.003))
    beam = BeamMesh(section=taper, material=STEEL, length=1.3, elements=3, theory="timoshenko")
    for seed in range(4):
        R = random_rotation(seed)
        member = Member("a", "b", taper, STEEL, 3, y=R[:, 1], theory="timoshenko")
        mesh = structure(turned(R, {"a": (0, 0, 0), "b": (1.3, 0, 0)}), [member])
        order = [0, 2, 3, 1]  # along the member: named nodes come first
        turn = np.kron(np.eye(4), R)
        for name in ("stiffness_matrix", "mass_matrix"):
            found = getattr(mesh, name).toarray().reshape(4, 6, 4, 6)[order][:, :, order]
            exact = turn_all(getattr(beam, name), turn)
            np.testing.assert_allclose(
                found.reshape(24, 24), exact, atol=1e-12 * np.abs(exact).max()
            )


def turn_all(X: np.ndarray, turn: np.ndarray) -> np.ndarray:
    both = np.kron(np.eye(len(X) // 6), np.kron(np.eye(2), turn[:3, :3]))
    return both @ X @ both.T


def test_portal_frame_sways_as_by_hand() -> None:
    # Two columns of height h, clamped at their feet, and a beam of length b between their heads,
    # pushed sideways by P at one head. Without extension the slope-deflection equations give
    # sway = P h^3 (3 k + 2) / (12 E I_c (6 k + 1)), with k = (I_b / b) / (I_c / h).
    h, b, P = 3.0, 4.0, 1e3
    column, girder = Rectangle(0.05, 0.05), Rectangle(0.08, 0.05)
    thick = 1e6  # nearly no extension: areas are large
    sections = [sp.Section(thick * s.area, s.I_y, s.I_z, s.J) for s in (column, girder)]
    nodes = {"A": (0, 0, 0), "B": (0, h, 0), "C": (b, h, 0), "D": (b, 0, 0)}
    members = [Member("A", "B", sections[0], STEEL), Member("B", "C", sections[1], STEEL, 2),
               Member("D", "C", sections[0], STEEL)]  # fmt: skip
    found = displaced(structure(nodes, members), ["A", "D"], {"B": [P, 0, 0, 0, 0, 0]})
    k = (girder.I_z / b) / (column.I_z / h)
    EI = STEEL.E * column.I_z
    sway = P * h**3 * (3 * k + 2) / (12 * EI * (6 * k + 1))
    turn = -P * h**2 / (4 * EI * (6 * k + 1))  # both heads turn by the same angle
    for head in ("B", "C"):
        assert found[head][0] == pytest.approx(sway, rel=1e-5)
        assert found[head][5] == pytest.approx(turn, rel=1e-5)
    assert np.abs(found["B"][2:5]).max() < 1e-12 * sway


def test_bent_in_space_with_a_rigid_arm() -> None:
    # A cantilever along x of length a turns by a right angle along y, length b. Tip force along z:
    # bending of both parts and torsion of the first. A rigid arm at the corner moves the second.
    a, b, P = 1.2, 0.7, 300.0
    arm = np.array([0.0, 0.0, 0.25])
    nodes = {"root": (0, 0, 0), "corner": (a, 0, 0), "tip": (a, b, 0.25)}
    members = [Member("root", "corner", ROUND, STEEL, 2),
               Member("corner", "tip", ROUND, STEEL, 3, start_offset=arm)]  # fmt: skip
    mesh = structure(nodes, members)
    EI, GJ, EA = STEEL.E * ROUND.I_y, STEEL.G * ROUND.J, STEEL.E * ROUND.area
    tip = displaced(mesh, ["root"], {"tip": [0, 0, P, 0, 0, 0]})["tip"]
    # The force passes the corner at the distance b along y: torque P b about x, no other moment.
    exact = P * (a**3 + b**3) / (3 * EI) + P * b**2 * a / GJ
    assert tip[2] == pytest.approx(exact, rel=1e-10)
    # The arm swings: rotation of the corner about y, -P a^2 / 2 E I, moves its end along x; the
    # twist of the first part moves it along y.
    assert tip[0] == pytest.approx(-P * a**2 / (2 * EI) * 0.25, rel=1e-10)
    assert tip[1] == pytest.approx(-P * b * a / GJ * 0.25, rel=1e-10)
    # A force along x at the tip: the arm bends the first part about y, the second one about z.
    tip = displaced(mesh, ["root"], {"tip": [P, 0, 0, 0, 0, 0]})["tip"]
    exact = P * a / EA + P * b**3 / (3 * EI) + P * (0.25**2 + b**2) * a / EI
    assert tip[0] == pytest.approx(exact, rel=1e-10)


def test_offsets_are_rigid_bodies() -> None:
    # Arms at both ends equal short members that are nearly rigid and have no mass.
    light = Material(E=1e7 * STEEL.E, G=1e7 * STEEL.G, density=1e-6)
    a, b = np.array([0.1, 0.2, -0.05]), np.array([-0.1, 0.05, 0.15])
    ends = {"a": np.zeros(3), "b": np.array([1.0, 0.3, 0.4])}
    direct = structure(ends, [Member("a", "b", FLAT, STEEL, 2, start_offset=a, end_offset=b)])
    inner = {"p": ends["a"] + a, "q": ends["b"] + b}
    members = [Member("a", "p", ROUND, light), Member("p", "q", FLAT, STEEL, 2),
               Member("q", "b", ROUND, light)]  # fmt: skip
    built = structure(ends | inner, members)
    load = {"b": [10.0, -20, 30, 4, 5, -6]}
    found = displaced(direct, ["a"], load)["b"]
    np.testing.assert_allclose(found, displaced(built, ["a"], load)["b"], rtol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_rigid_motions_and_material_points(seed: int) -> None:
    rng = np.random.default_rng(seed)
    nodes = {k: rng.normal(size=3) for k in range(5)}
    taper = TaperedSection(Tube(0.05, 0.004), Tube(0.03, 0.003))
    plain, sheared = "euler_bernoulli", "timoshenko"
    plan = [(0, 1, FLAT, 1, sheared), (1, 2, ROUND, 2, plain), (2, 3, taper, 3, sheared),
            (3, 0, FLAT, 1, plain), (4, 1, FLAT, 2, sheared)]  # fmt: skip
    members = []
    for i, j, section, n, theory in plan:
        arm = {"start_offset": 0.1 * rng.normal(size=3)}
        members.append(Member(i, j, section, STEEL, n, roll=rng.normal(), theory=theory, **arm))
    mesh = structure(nodes, members, ((2, 1.5),))
    rigid = rigid_motions(mesh.nodes)
    K, M = mesh.stiffness_matrix, mesh.mass_matrix
    assert abs(K - K.T).max() == 0.0
    assert abs(M - M.T).max() == 0.0
    assert np.abs(K @ rigid).max() < 1e-10 * abs(K).max()
    eigenvalues = np.linalg.eigvalsh(K.toarray())
    assert np.sum(eigenvalues < 1e-9 * eigenvalues[-1]) == 6
    basis = np.hstack([rigid, rng.normal(size=(mesh.size, 3))])
    mass, place, shape = mesh.material_points(basis)
    gram = basis.T @ (M @ basis)
    np.testing.assert_allclose(
        np.einsum("k,kib,kia->ba", mass, shape, shape), gram, atol=1e-12 * np.abs(gram).max()
    )
    for axis in range(3):
        np.testing.assert_allclose(
            shape[:, :, 3 + axis], np.cross(np.eye(3)[axis], place), atol=1e-13
        )
    for member, s in ((0, 0.3), (2, 0.71), (4, 1.0)):
        assert np.abs(mesh.strain(member, s) @ rigid).max() < 1e-11
        np.testing.assert_allclose((mesh.motion(member, s) @ rigid)[3:], np.eye(6)[3:], atol=1e-12)


def test_stress_rows() -> None:
    mesh = structure({"a": (0, 0, 0), "b": (0, 2.0, 0)}, [Member("a", "b", FLAT, STEEL, 4)])
    x = np.zeros(mesh.size)
    K = mesh.stiffness_matrix.toarray()
    free = np.arange(6, mesh.size)
    load = np.zeros(mesh.size)
    load[6:9] = [50.0, 1000.0, 0.0]  # the member is along y: its own y is the body's -x
    x[free] = np.linalg.solve(K[np.ix_(free, free)], load[free])
    for s in (0.1, 0.6):
        moment = -50.0 * 2.0 * (1 - s)  # bends towards -y of the section
        exact = 1000.0 / FLAT.area - 0.015 * moment / FLAT.I_z
        assert mesh.stress(0, s, 0.015, 0.0) @ x == pytest.approx(exact, rel=1e-9)


# -------------------------------------------------------------------------------- as a body


def gallows(modes: Any = "all", **options: Any) -> sp.FrameStructure:
    nodes = {"foot": (0, 0, 0), "knee": (0, 0.8, 0), "top": (0, 1.0, 0), "tip": (0.6, 1.0, 0.1)}
    members = [
        sp.Member("foot", "knee", Tube(0.03, 0.002), ALUMINIUM, 2),
        sp.Member("knee", "top", Tube(0.03, 0.002), ALUMINIUM),
        sp.Member("top", "tip", Rectangle(0.012, 0.02), ALUMINIUM, 2, theory="timoshenko"),
        sp.Member("knee", "tip", Circle(0.008), ALUMINIUM, end_offset=(-0.02, 0, 0)),
    ]
    return sp.FrameStructure("gallows", nodes, members, modes=modes, **options)


def swinging(frame: sp.FrameStructure) -> sp.Model:
    """The frame on a turning foot, with a pendulum at its tip."""
    m = sp.Model(gravity=(0, -9.81, 0), name="gallows")
    body = m.add(frame)
    bob = m.add(sp.RigidBody("bob", 0.4, com=(0, -0.3, 0), inertia=1e-3))
    m.add(sp.PointMass("lamp", body.at("top"), 0.3))
    m.add(sp.Revolute("foot", m.ground.at(0), body.at("foot"), axis="y", initial_rate=1.5))
    m.add(sp.Revolute("hook", body.at("tip"), bob.at(0), axis="x", initial=0.7))
    return m


def test_straight_frame_body_is_the_beam() -> None:
    beam = sp.Beam("b", 1.2, FLAT, STEEL, elements=3, modes=6)
    frame = sp.FrameStructure(
        "f", [(0, 0, 0), (1.2, 0, 0)], [sp.Member(0, 1, FLAT, STEEL, 3)], modes=6
    )
    a, b = beam.modal(((1.2, 0.7),)), frame.modal(((1, 0.7),))
    np.testing.assert_allclose(b.frequencies, a.frequencies, rtol=1e-9)
    np.testing.assert_allclose(b.E0, a.E0, atol=1e-12)
    tip = [
        beam.attachment(beam.at(1.2), ((1.2, 0.7),)),
        frame.attachment(frame.at(node=1), ((1, 0.7),)),
    ]
    np.testing.assert_allclose(tip[1].Phi, tip[0].Phi, atol=1e-8)
    assert frame.mass == pytest.approx(beam.mass, rel=1e-12)
    assert frame.typical_length == pytest.approx(1.2)
    gauge = frame.strain_gauge(0, 0.3, "-z", point_masses=((1, 0.7),))
    np.testing.assert_allclose(gauge, beam.strain_gauge(0.36, "-z", point_masses=((1.2, 0.7),)),
                               atol=1e-7 * np.abs(gauge).max())  # fmt: skip
    assert not frame.attachment(frame.at(node=0)).Phi.any()


@pytest.mark.parametrize("reference", ["clamped", "mean_axis"])
def test_frame_body_keeps_energy_and_momentum(reference: Any) -> None:
    model = swinging(gallows(8, reference=reference))
    result = sp.simulate(model, 1.0, tolerance="tight", integrator=sp.DormandPrince())
    record = result.energy.record
    assert record.max_error < 1e-6 * record.max_elastic
    # Turning about the vertical, nothing has a moment about it: the audit watches that momentum.
    momentum = result.data.history.momentum[:, 1]
    assert np.ptp(momentum) < 1e-8 * np.abs(momentum).max()
    top = result["gallows"].at("top")
    assert np.abs(top.position - result["lamp"].position).max() < 1e-12
    assert np.abs(top.deflection).max() > 1e-6
    assert np.abs(result["gallows"].strain(0, 0.1, "z")).max() > 1e-6
    rate = np.gradient(top.position, result.t, axis=0)
    assert np.abs(rate - top.velocity)[2:-2].max() < 0.05 * np.abs(top.velocity).max()
    assert "gallows.mode_1" in result.dataset


@pytest.mark.slow
def test_craig_bampton_frame_moves_as_the_whole_mesh() -> None:
    # With few coordinates the slow motion is the same; what is above the cut-off is hardly excited.
    options = {
        "tolerance": 1e-8,
        "output": np.linspace(0.0, 0.2, 41),
        "integrator": sp.DormandPrince(),
    }
    whole, reduced, poor = (
        sp.simulate(swinging(gallows(m)), 0.2, **options)
        for m in ("all", sp.reduction.CraigBampton(["foot", "top", "tip"], 6), 1)
    )
    tips = [r["gallows"].at("tip") for r in (whole, reduced, poor)]
    bend = np.abs(tips[0].deflection).max()
    assert bend > 1e-5
    error, crude = (np.abs(t.deflection - tips[0].deflection).max() for t in tips[1:])
    assert error < 0.01 * bend
    assert error < 0.2 * crude
    error, crude = (np.abs(r["hook"].angle - whole["hook"].angle).max() for r in (reduced, poor))
    assert error < 0.2 * crude


@pytest.mark.slow
def test_craig_bampton_beam_moves_as_the_whole_mesh() -> None:
    def arm(modes: Any) -> sp.Model:
        m = sp.Model(gravity=(0, -9.81, 0))
        link = m.add(sp.Beam("link", 1.0, Rectangle(0.01, 0.02), ALUMINIUM, 4, modes))
        m.add(sp.PointMass("tip", link.at(1.0), 0.3))
        m.add(sp.Revolute("pin", m.ground.at(0), link.at(0), axis=(0, 1, 4), initial_rate=2.0))
        return m

    options = {
        "tolerance": 1e-9,
        "output": np.linspace(0.0, 0.2, 41),
        "integrator": sp.DormandPrince(),
    }
    whole = sp.simulate(arm("all"), 0.2, **options)
    bend = np.abs(whole["link"].at(1.0).deflection).max()
    errors = []
    for n in (2, 9, 18):
        run = sp.simulate(arm(sp.reduction.CraigBampton([0.0, 1.0], n)), 0.2, **options)
        record = run.energy.record
        assert record.max_error < 1e-5 * record.max_elastic
        errors.append(
            np.abs(run["link"].at(1.0).deflection - whole["link"].at(1.0).deflection).max() / bend
        )
    assert errors[0] > 3 * errors[1]
    assert errors[1] < 0.01
    assert errors[2] < 1e-6, "all modes between the interfaces: the same space in other coordinates"


def test_frame_body_in_the_other_parts_of_a_model() -> None:
    model = swinging(gallows(4))
    assert len(model.graph().edges) > 3
    still = model.copy()
    still.replace("foot", initial_rate=0.0)
    rest = sp.statics(still)
    assert rest["gallows"].at("tip").deflection[-1][1] < 0.0
    linear = sp.linearize(model)
    assert len(linear.frequencies) > 0
    transformation = sp.velocity_transformation(model)
    assert transformation is not None


MESSAGES: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: gallows().at("tipp"),
        "FrameStructure 'gallows': node of at is 'tipp', expected a node; did you mean 'tip'?",
    ),
    (
        lambda: gallows().at(0.1, 1.0, 0.0),
        "FrameStructure 'gallows': place of a frame is (0.1, 1, 0), expected the place of a "
        "node, the "
        "nearest is 'top'",
    ),
    (
        lambda: gallows().at(),
        "FrameStructure 'gallows': x of at is None, expected the name of a node, node=..., "
        "or the place "
        "of a node",
    ),
    (
        lambda: gallows(clamp_node="hip"),
        "FrameStructure 'gallows': clamp_node is 'hip', expected a node; did you mean 'tip'?",
    ),
    (
        lambda: gallows(reference="chord"),
        "FrameStructure 'gallows': reference is 'chord', expected 'clamped' or 'mean_axis'",
    ),
    (
        lambda: gallows(sp.reduction.CraigBampton(["foot", "end"], 2)),
        "FrameStructure 'gallows': an interface is 'end', expected a node; known: 'foot', 'knee', "
        "'top', 'tip'",
    ),
    (
        lambda: gallows("some"),
        "FrameStructure 'gallows': modes is 'some', expected 'all', a number of modes, "
        "different mode "
        "numbers from 1, or shapes, e.g. CraigBampton(...)",
    ),
    (
        lambda: gallows().strain_gauge(4, 0.5),
        "FrameStructure 'gallows': member of strain_gauge is 4, expected a number below 4, "
        "the number "
        "of members",
    ),
    (
        lambda: gallows().strain_gauge(0, 1.5),
        "FrameStructure 'gallows': s of strain_gauge is 1.5, expected a number from 0 to 1",
    ),
    (
        lambda: sp.FrameStructure("f", {"a": (0, 0, 0)}, [sp.Member("a", "b", FLAT, STEEL)]),
        "FrameStructure 'f': nodes is {'a': (0, 0, 0)}, expected at least two nodes",
    ),
    (
        lambda: sp.FrameStructure("f", 3, []),
        "FrameStructure 'f': nodes is 3, expected names with places, or a sequence of places",
    ),
    (
        lambda: sp.FrameStructure("f", [(0, 0, 0), (0, 0, 0)], [sp.Member(0, 1, FLAT, STEEL)]),
        "FrameStructure 'f': place of node 1 is (0, 0, 0), expected another place than that "
        "of node 0",
    ),
    (
        lambda: sp.FrameStructure("f", [(0, 0, 0), (1, 0, 0)], []),
        "FrameStructure 'f': members is (), expected a sequence of Members",
    ),
    (
        lambda: sp.FrameStructure("f", [(0, 0, 0), (1, 0, 0)], [FLAT]),
        "FrameStructure 'f': members is Rectangle(size_y=0.03, size_z=0.05), expected Members only",
    ),
    (
        lambda: sp.FrameStructure(
            "f", [(0, 0, 0), (1, 0, 0), (2, 0, 0)], [sp.Member(0, 1, FLAT, STEEL)]
        ),
        "FrameStructure 'f': members is 2, expected a node that is connected to 0",
    ),
    (
        lambda: sp.FrameStructure(
            "f", [(0, 0, 0), (1, 0, 0)], [sp.Member(0, 1, FLAT, STEEL, start_offset=(1, 0, 0))]
        ),
        "FrameStructure 'f': length of member 0 is 0.0, expected a positive number",
    ),
    (
        lambda: sp.FrameStructure(
            "f", [(0, 0, 0), (1, 0, 0)], [sp.Member(0, 1, FLAT, STEEL, y="x")]
        ),
        "Member 0-1: y is (1, 0, 0), expected a direction that is not along its axis",
    ),
    (
        lambda: sp.Member(0, 0, FLAT, STEEL),
        "Member 0-0: end is 0, expected another node than start",
    ),
    (
        lambda: sp.Member(0, 1, "tube", STEEL),
        "Member 0-1: section is 'tube', expected a section, e.g. Tube(0.05, 0.003)",
    ),
    (
        lambda: sp.Member(0, 1, FLAT, "steel"),
        "Member 0-1: material is 'steel', expected a Material(E=..., G=..., density=...)",
    ),
    (
        lambda: sp.Member(0, 1, FLAT, STEEL, rotary_inertia=1),
        "Member 0-1: rotary_inertia is 1, expected True or False",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("make", "sentence"), MESSAGES, ids=[s for _, s in MESSAGES])
def test_messages(make: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        make()
    assert str(caught.value) == sentence
