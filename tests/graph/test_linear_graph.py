"""The linear graph of a model: its matrices, the choice of its tree, its picture."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple as sp
from models.random_models import examples
from supple.cases.linkages import richard
from supple.graph.linear_graph import KINDS
from supple.graph.tree_choice import priority

STEEL = sp.Material(E=2e11, G=8e10, density=7800.0)
ROD = sp.Circle(0.0075)
JOINTS = (sp.Fixed, sp.Revolute, sp.Prismatic, sp.Cylindrical, sp.Spherical, sp.Planar, sp.Free)


def four_bar(springs: bool = False) -> sp.Model:
    """Richard's figure 2: a rigid crank, flexible coupler (its frame at B) and follower."""
    m = sp.Model(name="four-bar")
    crank = m.add(sp.RigidBody("crank", 1.0, inertia=0.01))
    coupler = m.add(sp.Beam("coupler", 0.9, ROD, STEEL))
    follower = m.add(sp.Beam("follower", 0.75, ROD, STEEL))
    m.add(sp.Revolute("O", m.ground.at(0), crank.at(-0.15)))
    m.add(sp.Revolute("A", crank.at(0.15), coupler.at(0.9)))
    m.add(sp.Revolute("B", coupler.at(0), follower.at(0.75)))
    m.add(sp.Revolute("C", m.ground.at(0.9), follower.at(0)))
    if springs:
        m.add(sp.SpringDamper("cord", m.ground.at(0.4, 0.5), coupler.at(0.45), 10.0))
        m.add(sp.SpringDamper("damper", crank.at(0.15), follower.at(0.375), damping=1.0))
        m.add(sp.JointSpring("bearing", "O", damping=0.1))
        m.add(sp.JointEffort("torque", "O", effort=1.0))
        m.add(sp.PointMass("load", coupler.at(0.45), 0.5))
        m.add(sp.Force("wind", follower.at(0.375), (1, 0, 0)))
    return m


def names(edges) -> list[str]:
    return [edge.name for edge in edges]


def random_model(seed: int) -> sp.Model:
    """Bodies joined at random: trees, loops, parallel joints, parts without a way to the ground."""
    rng = np.random.default_rng(seed)
    m = sp.Model(name=f"random {seed}")
    for i in range(rng.integers(1, 8)):
        if rng.random() < 0.6:
            m.add(sp.RigidBody(f"b{i}", 1.0, inertia=1.0))
        else:
            reference = str(rng.choice(["clamped", "chord", "mean_axis"]))
            m.add(sp.Beam(f"b{i}", 1.0, ROD, STEEL, reference=reference))
    bodies = [m.ground, *m.bodies.values()]

    def frame(body: sp.bodies.Body) -> sp.Frame:
        turn = rng.normal(size=3) if rng.random() < 0.1 else None
        return body.at(float(rng.choice([0.0, 0.25, 0.5, 1.0])), rotation=turn)

    def pair() -> list[sp.Frame]:
        return [frame(bodies[k]) for k in rng.permutation(len(bodies))[:2]]

    for i in range(rng.integers(0, len(bodies) + 4)):
        m.add(JOINTS[rng.integers(len(JOINTS))](f"j{i}", *pair()))
    for i in range(rng.integers(0, 5)):
        m.add(sp.SpringDamper(f"s{i}", *pair(), stiffness=1.0))
    for i, body in enumerate(rng.choice(bodies[1:], size=rng.integers(0, 3))):
        m.add(sp.PointMass(f"p{i}", frame(body), 1.0))
        m.add(sp.Force(f"f{i}", frame(body), (1, 0, 0)))
    scalar = [n for n, j in m.joints.items() if 0 < j.nu == j.nq]
    for i, joint in enumerate(scalar[:2]):
        m.add(sp.JointEffort(f"e{i}", joint, 1.0))
    return m


def random_tree(m: sp.Model, seed: int) -> list[str]:
    """A spanning tree of bodies and ground out of joints and free bodies, chosen at random."""
    rng = np.random.default_rng(seed)
    net = nx.MultiGraph()
    for name, joint in m.joints.items():
        ends = joint.A.body.name, joint.B.body.name
        net.add_edge(*ends, name=name, weight=rng.random())
    for body in m.bodies:
        net.add_edge("ground", body, name=f"free:{body}", weight=rng.random())
    edges = [e[2]["name"] for e in nx.minimum_spanning_edges(net, keys=False, data=True)]
    return [edges[k] for k in rng.permutation(len(edges))]


def check_identities(g: sp.results.LinearGraph, seed: int) -> None:
    v, e, n = len(g.nodes), len(g.edges), len(g.tree)
    assert g.edges == g.tree + g.cotree
    assert len(set(g.nodes)) == v and len(set(names(g.edges))) == e
    assert n == v - 1 and len(g.cotree) == e - v + 1
    assert g.incidence.shape == (v, e)
    assert g.cutset.shape == (n, e) and g.circuit.shape == (e - n, e)
    for matrix in (g.incidence, g.cutset, g.circuit):
        assert matrix.dtype == np.int_ and not matrix.flags.writeable
        assert not set(np.unique(matrix)) - {-1, 0, 1}
    assert (g.cutset[:, :n] == np.eye(n)).all()
    assert (g.circuit[:, n:] == np.eye(e - n)).all()
    assert (g.E == -g.D.T).all()
    assert not (g.cutset @ g.circuit.T).any()
    assert not (g.incidence @ g.circuit.T).any()
    assert not g.incidence.sum(axis=0).any()
    # any places of the nodes close all circuits, and any currents along circuits pass all cutsets
    rng = np.random.default_rng(seed)
    across = g.incidence.T @ rng.integers(-9, 10, size=v)
    assert not (g.circuit @ across).any()
    through = g.circuit.T @ rng.integers(-9, 10, size=e - n)
    assert not (g.incidence @ through).any() and not (g.cutset @ through).any()


def check_cutsets(g: sp.results.LinearGraph) -> None:
    """Take each branch out of the tree, and look which edges cross, and in which direction."""
    for i, branch in enumerate(g.tree):
        net = nx.Graph([(t.tail, t.head) for t in g.tree if t is not branch])
        net.add_nodes_from(g.nodes)
        beyond = nx.node_connected_component(net, branch.head)
        assert branch.tail not in beyond
        crossing = [(edge.head in beyond) - (edge.tail in beyond) for edge in g.edges]
        assert g.cutset[i].tolist() == crossing


def check_circuits(g: sp.results.LinearGraph) -> None:
    """Walk along each chord and back through the tree."""
    tree = nx.Graph()
    tree.add_nodes_from(g.nodes)
    for j, edge in enumerate(g.tree):
        tree.add_edge(edge.tail, edge.head, column=j, tail=edge.tail)
    for i, chord in enumerate(g.cotree):
        row = [0] * len(g.edges)
        row[len(g.tree) + i] = 1
        back = nx.shortest_path(tree, chord.head, chord.tail)
        for a, b in itertools.pairwise(back):
            row[tree.edges[a, b]["column"]] = 1 if tree.edges[a, b]["tail"] == a else -1
        assert g.circuit[i].tolist() == row


SEEDS = st.integers(0, 2**32 - 1)


@examples(150)
@given(seed=SEEDS)
def test_identities_on_random_models(seed: int) -> None:
    m = random_model(seed)
    chosen = random_tree(m, seed)
    for tree in (None, "priority", chosen):
        g = m.graph(tree)
        check_identities(g, seed)
        check_cutsets(g)
        check_circuits(g)
        assert {edge.kind for edge in g.edges} <= set(KINDS)
        assert {e.kind for e in g.tree} <= {"arm", "flexible arm", "ground point", "joint", "body"}
        kept = [e.name for e in g.edges if e.kind in ("arm", "flexible arm", "ground point")]
        assert set(kept) <= set(names(g.tree))  # these are always branches
    joints = {n.removeprefix("free:") for n in chosen}  # no joint and body share a name
    assert {e.name for e in g.tree if e.kind in ("joint", "body")} == joints
    assert g.chords == tuple(n for n in m.joints if n not in joints)
    assert set(g.order) == set(m.bodies) and g.unreached == ()


@examples(100)
@given(seed=SEEDS)
def test_the_automatic_tree_has_the_fewest_velocities(seed: int) -> None:
    """Against the minimal spanning forest of networkx, for both weights of joints."""
    m = random_model(seed)
    for tree, cost in ((None, lambda j: j.nu), ("priority", priority)):
        net = nx.MultiGraph()
        net.add_nodes_from(("ground", *m.bodies))
        for joint in m.joints.values():
            net.add_edge(joint.A.body.name, joint.B.body.name, weight=cost(joint))
        least = sum(e[2]["weight"] for e in nx.minimum_spanning_edges(net, keys=False))
        g = m.graph(tree)
        assert sum(cost(m.joints[e.name]) for e in g.tree if e.kind == "joint") == least
        # one body edge for each part that the ground does not hold
        parts = nx.number_connected_components(net)
        free = [e.name for e in g.tree if e.kind == "body"]
        assert len(free) == parts - 1
        assert bool(free) == bool(g.unreached) and set(free) <= set(g.unreached)
        assert set(g.chords) == {e.name for e in g.cotree if e.kind == "joint"}


def test_the_first_of_equal_joints_is_taken() -> None:
    m = four_bar()
    assert m.graph().chords == m.spanning_tree().chords == ("C",)
    m = sp.Model()
    slider = m.add(sp.RigidBody("slider", 1.0, inertia=1.0))
    m.add(sp.Prismatic("rail", m.ground.at(0), slider.at(0)))
    m.add(sp.Spherical("ball", m.ground.at(1), slider.at(1)))
    m.add(sp.Revolute("pin", m.ground.at(2), slider.at(2)))
    assert m.graph().chords == ("ball", "pin")
    assert m.graph("priority").chords == ("rail", "pin")
    assert m.graph(["pin"]).chords == ("rail", "ball")


def test_priority_of_every_kind() -> None:
    m = sp.Model()
    ends = m.ground.at(0), m.add(sp.RigidBody("b", 1.0, inertia=1.0)).at(0)
    ranks = {kind.__name__: priority(kind("j", *ends)) for kind in JOINTS}
    assert ranks == {
        "Fixed": 0,
        "Revolute": 1,
        "Spherical": 1,
        "Prismatic": 2,
        "Cylindrical": 2,
        "Planar": 2,
        "Free": 3,
    }
    assert priority(sp.Universal("j", *ends, axes=("x", "y"))) == 1
    assert priority(sp.General("j", *ends, axes=[("rotate", "x"), ("translate", "x")])) == 2


def test_figure_1_of_richard() -> None:
    g = richard.suspended_body().graph()
    np.testing.assert_array_equal(g.incidence, richard.INCIDENCE)
    np.testing.assert_array_equal(g.cutset, richard.CUTSET)
    np.testing.assert_array_equal(g.circuit, richard.CIRCUIT)
    assert g.nodes == (
        "body",
        "body@(-0.5, 0, 0)",
        "body@(0.5, 0, 0)",
        "ground@(-1, 1, 0)",
        "ground@(1, 1, 0)",
        "ground",
    )
    kinds = ["body", "arm", "arm", "ground point", "ground point", *["force"] * 3]
    assert [edge.kind for edge in g.edges] == kinds
    assert g.equation("body") == "body + e6 + e7 + e8 = 0"  # (6)
    assert g.equation("e8") == "e8 - body - body@(0.5, 0, 0) + ground@(1, 1, 0) = 0"  # (8)


def test_figure_2_of_richard() -> None:
    """The tree of the figure: all joints but that at B. Elements of virtual work are left out."""
    g = four_bar().graph(tree=["O", "A", "C"])
    assert names(e for e in g.cotree if e.kind == "joint") == ["B"]
    assert g.equation("C") == "C + follower + B = 0"  # (9)
    # e_33 - e_11 + e_12 - e_13 - e_14 - e_21 + e_31 + e_32 - e_34, Richard2012 (10)
    assert g.equation("B") == (
        "B - crank@(-0.15, 0, 0) + crank@(0.15, 0, 0) - coupler@(0.9, 0, 0)"
        " - follower@(0.75, 0, 0) - ground@(0.9, 0, 0) + O + A - C = 0"
    )


def test_kinds_and_ends_of_edges() -> None:
    g = four_bar(springs=True).graph()
    edges = {edge.name: edge[1:] for edge in g.edges}
    assert edges["crank"] == ("body", "ground", "crank")
    assert edges["crank@(0.15, 0, 0)"] == ("arm", "crank", "crank@(0.15, 0, 0)")
    assert edges["coupler@(0.9, 0, 0)"][:2] == ("flexible arm", "coupler")
    assert edges["ground@(0.9, 0, 0)"] == ("ground point", "ground", "ground@(0.9, 0, 0)")
    assert edges["C"] == ("joint", "ground@(0.9, 0, 0)", "follower")
    assert edges["load"] == ("point mass", "ground", "coupler@(0.45, 0, 0)")
    assert edges["cord"] == ("force", "ground@(0.4, 0.5, 0)", "coupler@(0.45, 0, 0)")
    assert edges["wind"] == ("force", "ground", "follower@(0.375, 0, 0)")
    assert edges["torque"] == edges["bearing"] == ("force", "ground", "crank@(-0.15, 0, 0)")
    assert len(edges) == 21 and len(g.nodes) == 12


def test_motors_and_functions_act_between_the_frames_of_joints() -> None:
    m = four_bar()
    motor = m.add(sp.Motor("motor", "A", inertia=0.1))
    m.add(sp.PID("control", motor, kp=1.0))
    m.add(sp.EffortFunction("law", ["O", motor, "B"], lambda t, q, u: 0 * q))
    edges = {edge.name: edge[1:] for edge in m.graph().edges}
    joints = {name: ("force", *edges[name][1:]) for name in "OAB"}
    assert edges["motor"] == edges["control"] == edges["law:A"] == joints["A"]
    assert edges["law:O"] == joints["O"] and edges["law:B"] == joints["B"]


class Constrained(sp.Model):
    """A model with constraints: things with a name, frames, targets, and signals if they drive."""

    constraints = {}  # noqa: RUF012 - replaced as a whole


def test_constraints_and_drivers() -> None:
    m = Constrained()
    a, b = (m.add(sp.RigidBody(n, 1.0, inertia=1.0)) for n in "ab")
    m.add(sp.Revolute("p", m.ground.at(0), a.at(0)))
    m.add(sp.Revolute("q", a.at(1), b.at(0)))
    wave = sp.Sine(1.0, 1.0)
    items = [
        SimpleNamespace(name="rod", frames={"A": a.at(0.5), "B": b.at(1)}, targets=()),
        SimpleNamespace(name="crank", frames={}, targets=(("p", 0),), signals=(wave,)),
        SimpleNamespace(name="gear", frames={}, targets=(("p", 0), ("q", 0)), signals=()),
        SimpleNamespace(name="guide", frames={"frame": b.at(1)}, targets=()),
    ]
    m.constraints = {item.name: item for item in items}
    g = m.graph()
    check_identities(g, 0)
    edges = {edge.name: edge[1:] for edge in g.edges}
    assert edges["rod"] == ("constraint", "a@(0.5, 0, 0)", "b@(1, 0, 0)")
    assert edges["crank"] == ("driver", "ground", "a")
    assert edges["gear:p"] == ("constraint", "ground", "a")
    assert edges["gear:q"] == ("constraint", "a@(1, 0, 0)", "b")
    assert edges["guide"] == ("constraint", "ground", "b@(1, 0, 0)")
    assert not {"constraint", "driver"} & {edge.kind for edge in g.tree}
    assert g.equation("crank") == "crank - p = 0"


def test_frames_that_are_one_node_and_frames_that_are_not() -> None:
    m = sp.Model()
    rigid = m.add(sp.RigidBody("rigid", 1.0, inertia=1.0))
    clamped = m.add(sp.Beam("clamped", 1.0, ROD, STEEL))
    chord = m.add(sp.Beam("chord", 1.0, ROD, STEEL, reference="chord"))
    tip = m.add(sp.Beam("tip", 1.0, ROD, STEEL, elements=2, clamp_node=2))
    for i, frame in enumerate((rigid.at(-0.0), clamped.at(0), chord.at(0), tip.at(0))):
        m.add(sp.Spherical(f"ball{i}", m.ground.at(0), frame))
    m.add(sp.SpringDamper("s1", rigid.at(0.3), clamped.at(1), 1.0))
    m.add(sp.SpringDamper("s2", rigid.at(0.1 + 0.2), clamped.at(1, rotation=(1, 0, 0)), 1.0))
    g = m.graph()
    # the ends of a chord, and a beam clamped at its tip, move against the frame of the body
    assert g.nodes == (
        *("rigid", "rigid@(0.3, 0, 0)"),
        *("clamped", "clamped@(1, 0, 0)", "clamped@(1, 0, 0)#2"),
        *("chord", "chord@(0, 0, 0)", "tip", "tip@(0, 0, 0)", "ground"),
    )
    check_identities(g, 1)


def test_free_bodies_are_body_edges() -> None:
    """A tree of body edges alone: absolute coordinates, all joints are chords."""
    m = four_bar()
    g = m.graph([f"free:{body}" for body in m.bodies])
    assert g.chords == ("O", "A", "B", "C")
    assert [e.name for e in g.tree if e.kind == "body"] == ["crank", "coupler", "follower"]
    assert g.pi.tolist() == np.eye(3).tolist()
    mixed = m.graph(["A", "B", "free:coupler"])
    assert mixed.order == ("coupler", "crank", "follower")
    assert mixed.equation("coupler") == "coupler + crank + follower + O + C = 0"


def test_a_joint_may_be_called_free() -> None:
    m = sp.Model()
    body = m.add(sp.RigidBody("rod", 1.0, inertia=1.0))
    m.add(sp.Revolute("free:rod", m.ground.at(0), body.at(0)))
    g = m.graph()
    assert names(g.tree) == ["free:rod"] and names(g.cotree) == ["rod"]


def test_paths_of_bodies_are_those_of_the_engine() -> None:
    m = four_bar()
    g, spanning = m.graph(), m.spanning_tree()
    assert g.spanning == spanning
    assert g.order == spanning.order == ("crank", "coupler", "follower")
    assert g.pi is g.spanning.pi and g.chi is g.spanning.chi and g.points == spanning.points
    np.testing.assert_array_equal(g.pi, spanning.pi)
    np.testing.assert_array_equal(g.chi, spanning.chi)


def test_small_graphs() -> None:
    m = sp.Model(name="empty")
    g = m.graph()
    assert g.nodes == ("ground",) and g.edges == ()
    assert g.incidence.shape == (1, 0) and g.cutset.shape == g.circuit.shape == (0, 0)
    m.add(sp.RigidBody("b", 1.0, inertia=1.0))
    g = m.graph()
    assert g.unreached == ("b",) and names(g.tree) == ["b"]
    assert g.circuit.shape == (0, 1) and g.incidence.tolist() == [[1], [-1]]


def test_matrices_are_read_only() -> None:
    g = four_bar().graph()
    for matrix in (g.incidence, g.cutset, g.circuit, g.D, g.E, g.pi, g.chi):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 0] = 3


def test_text() -> None:
    assert repr(four_bar().graph()) == (
        "<LinearGraph of 'four-bar': 9 nodes, 12 edges, 4 circuits; "
        "joints and bodies of the tree: O, A, B>"
    )


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        (
            "A",
            "Model 'four-bar': tree is 'A', expected a list of joints and 'free:<body>', "
            "or 'priority'",
        ),
        (
            3,
            "Model 'four-bar': tree is 3, expected a list of joints and 'free:<body>', "
            "or 'priority'",
        ),
        (
            ["O", "free:folower"],
            "Model 'four-bar': tree[1] is 'free:folower', expected a joint or 'free:<body>', "
            "did you mean 'free:follower'?",
        ),
        (
            ["O", "crank"],
            "Model 'four-bar': tree[1] is 'crank', expected a joint or 'free:<body>', "
            "did you mean 'free:crank'?",
        ),
        (["O", "A", "O"], "Model 'four-bar': tree[2] is 'O', expected each name once"),
        (
            ["O", "A", "B", "C"],
            "Model 'four-bar': tree[3] is 'C', expected no loop, but the names before it already "
            "connect 'ground' and 'follower'",
        ),
        (
            ["free:crank", "O", "A"],
            "Model 'four-bar': tree[1] is 'O', expected no loop, but the names before it already "
            "connect 'ground' and 'crank'",
        ),
        (
            ["O", "A"],
            "Model 'four-bar': tree is ('O', 'A'), expected a path from the ground to 'follower', "
            "e.g. with 'free:follower'",
        ),
    ],
)
def test_wrong_trees_are_refused(tree, sentence: str) -> None:
    for look in (four_bar().graph, four_bar().spanning_tree):
        with pytest.raises(sp.ModelError) as caught:
            look(tree)
        assert str(caught.value) == sentence


def test_unknown_edges_are_refused() -> None:
    with pytest.raises(sp.ModelError) as caught:
        four_bar().graph().equation("crankk")
    expected = "graph of 'four-bar': there is no edge 'crankk', did you mean 'crank'?"
    assert str(caught.value) == expected


def test_picture(tmp_path) -> None:
    g = four_bar(springs=True).graph()
    figure = g.draw(tmp_path / "graph.png")
    assert (tmp_path / "graph.png").stat().st_size > 20_000
    (ax,) = figure.axes
    written = {text.get_text() for text in ax.texts}
    assert {node.replace("@", "\n") for node in g.nodes} <= written
    assert {"O", "A", "B", "C", "cord", "damper", "torque", "load", "wind"} <= written
    widths = [line.get_linewidth() for line in ax.lines]
    assert len(widths) == len(g.edges)
    assert sum(width > 3 for width in widths) == len(g.tree)
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == [
        *("arm", "flexible arm", "ground point", "joint", "body", "point mass", "force"),
        *("tree", "cotree"),
    ]
    colours = {edge.kind: line.get_color() for edge, line in zip_lines(g, ax)}
    assert len(set(colours.values())) == len(colours)


def zip_lines(g: sp.results.LinearGraph, ax):
    """Edges with their lines: the ends of a line are the boxes of the edge's nodes."""
    boxes = {text.get_position(): text.get_text().replace("\n", "@") for text in ax.texts}
    for line in ax.lines:
        ends = [boxes[tuple(line.get_xydata()[k])] for k in (0, -1)]
        yield next((e, line) for e in g.edges if [e.tail, e.head] == ends)


def test_lines_lead_from_tail_to_head() -> None:
    m = four_bar()
    m.add(sp.SpringDamper("back", m.bodies["follower"].at(0), m.ground.at(0.9), 1.0))  # against C
    g = m.graph()
    (ax,) = g.draw().axes
    drawn = sorted(edge.name for edge, _ in zip_lines(g, ax))
    assert drawn == sorted(names(g.edges))


def test_small_pictures() -> None:
    assert len(sp.Model().graph().draw().axes[0].texts) == 1
    m = sp.Model()
    m.add(sp.RigidBody("b", 1.0, inertia=1.0))
    assert len(m.graph().draw().axes[0].lines) == 1
