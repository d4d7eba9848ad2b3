"""Graph: spanning tree, chords, order and Huang's path matrices."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.graphs import FIGURE_BODIES, FIGURE_EDGES
from models.random_models import examples
from supple.foundation.errors import ModelError
from supple.graph.topology import Graph, TreeEdge


def random_tree(n: int, rng: random.Random) -> list[tuple[str, str, str]]:
    """Edges that hang body i on an earlier one, ends swapped and shuffled at will."""
    edges = []
    for i in range(n):
        ends = [f"b{rng.randrange(i)}" if i and rng.random() < 0.9 else "ground", f"b{i}"]
        rng.shuffle(ends)
        edges.append((f"j{i}", ends[0], ends[1]))
    rng.shuffle(edges)
    return edges


def test_body_path_matrix_of_figure_2_1() -> None:
    """(2.1) exactly as printed."""
    graph = Graph.build(FIGURE_BODIES, FIGURE_EDGES, root="1")
    assert graph.order == tuple(FIGURE_BODIES)
    assert graph.pi.tolist() == [
        [1, 0, 0, 0, 0, 0],
        [1, 1, 0, 0, 0, 0],
        [1, 1, 1, 0, 0, 0],
        [1, 1, 1, 1, 0, 0],
        [1, 1, 0, 0, 1, 0],
        [1, 1, 0, 0, 1, 1],
    ]


def test_joint_path_matrix_of_figure_2_1_corrected() -> None:
    """(2.2) gives another matrix than the one printed under it.

    Five joints have ten definition points. The print shows nine columns: column 10, the end of
    joint 5-6 that lies on body 6, is missing (row 6 ends with +1 and never has its -1). It also
    shows chi_11 = 1, but point 1 leads from body 1 on to body 2 and is not on the path that
    ends at body 1, so (2.2) makes it 0. Kept, it would put the lever of joint 1-2 into the velocity
    of body 1 itself. The two-link matrix of chapter 3 follows (2.2) without such an entry.
    """
    graph = Graph.build(FIGURE_BODIES, FIGURE_EDGES, root="1")
    printed = np.array(
        [
            [1, 0, 0, 0, 0, 0, 0, 0, 0],
            [1, -1, 0, 0, 0, 0, 0, 0, 0],
            [1, -1, 1, -1, 0, 0, 0, 0, 0],
            [1, -1, 1, -1, 1, -1, 0, 0, 0],
            [1, -1, 0, 0, 0, 0, 1, -1, 0],
            [1, -1, 0, 0, 0, 0, 1, -1, 1],
        ]
    )
    corrected = np.column_stack([printed, [0, 0, 0, 0, 0, -1]])
    corrected[0, 0] = 0
    np.testing.assert_array_equal(graph.chi, corrected)
    assert graph.points[0] == ("12", "1")
    assert graph.points[9] == ("56", "6")


def test_path_matrices_of_the_two_link_arm() -> None:
    """Huang1998, chapter 3: three points, because the one on the ground is not counted."""
    edges = [("shoulder", "ground", "link1"), ("elbow", "link1", "link2")]
    graph = Graph.build(["link1", "link2"], edges)
    assert graph.pi.tolist() == [[1, 0], [1, 1]]
    assert graph.chi.tolist() == [[-1, 0, 0], [-1, 1, -1]]
    assert graph.points == (("shoulder", "link1"), ("elbow", "link1"), ("elbow", "link2"))
    assert graph.order == ("link1", "link2")
    assert graph.parent == {"link1": "ground", "link2": "link1"}


def test_backward_joints_are_marked() -> None:
    graph = Graph.build(["a", "b"], [("j2", "b", "a"), ("j1", "ground", "a")])
    assert graph.tree == (
        TreeEdge("j1", "ground", "a", reversed=False),
        TreeEdge("j2", "a", "b", reversed=True),
    )


@examples(40)
@given(n=st.integers(1, 12), seed=st.integers(0, 2**32 - 1))
def test_order_and_direction_of_joints_do_not_matter(n: int, seed: int) -> None:
    rng = random.Random(seed)
    bodies = [f"b{i}" for i in range(n)]
    edges = random_tree(n, rng)
    again = [(j, b, a) if rng.random() < 0.5 else (j, a, b) for j, a, b in edges]
    rng.shuffle(again)
    one, two = Graph.build(bodies, edges), Graph.build(bodies, again)
    assert one.order == two.order
    assert one.parent == two.parent
    assert [e.joint for e in one.tree] == [e.joint for e in two.tree]
    np.testing.assert_array_equal(one.pi, two.pi)
    np.testing.assert_array_equal(one.chi, two.chi)


@examples(40)
@given(n=st.integers(1, 12), seed=st.integers(0, 2**32 - 1))
def test_matrices_follow_the_paths(n: int, seed: int) -> None:
    """Rebuild pi and chi by walking from each body to the root, and check depth-first order."""
    graph = Graph.build([f"b{i}" for i in range(n)], random_tree(n, random.Random(seed)))
    assert sorted(graph.order) == sorted(f"b{i}" for i in range(n))
    assert [e.child for e in graph.tree] == list(graph.order)
    edge_to = {e.child: e for e in graph.tree}
    for i, body in enumerate(graph.order):
        path, points = set(), {}
        while body != "ground":
            edge = edge_to[body]
            path.add(body)
            points |= {(edge.joint, edge.child): -1, (edge.joint, edge.parent): 1}
            body = edge.parent
        assert {b for b, p in zip(graph.order, graph.pi[i], strict=True) if p} == path
        assert [points.get(p, 0) for p in graph.points] == graph.chi[i].tolist()
    for column in graph.pi.T:  # the bodies behind a body follow it without a gap
        inside = np.flatnonzero(column)
        assert inside[-1] - inside[0] + 1 == len(inside)


def test_children_follow_the_listed_order() -> None:
    edges = [("j3", "a", "c"), ("j2", "a", "b"), ("j1", "ground", "a")]
    assert Graph.build(["a", "b", "c"], edges).order == ("a", "b", "c")
    assert Graph.build(["c", "a", "b"], edges).order == ("a", "c", "b")


def test_the_last_joint_of_a_loop_is_the_chord() -> None:
    bodies = ["crank", "coupler", "follower"]
    loop = [
        ("A", "ground", "crank"),
        ("B", "crank", "coupler"),
        ("C", "coupler", "follower"),
        ("D", "follower", "ground"),
    ]
    for k in range(4):
        edges = loop[k + 1 :] + loop[: k + 1]
        graph = Graph.build(bodies, edges)
        assert graph.chords == (loop[k][0],)
        assert len(graph.tree) == 3
        assert graph.unreached == ()


def test_parallel_joints_are_a_loop() -> None:
    graph = Graph.build(["a"], [("j1", "ground", "a"), ("j2", "a", "ground")])
    assert graph.chords == ("j2",)


def test_unreached_bodies_are_listed() -> None:
    graph = Graph.build(["z", "a", "y"], [("j1", "ground", "a"), ("j2", "z", "y")])
    assert graph.unreached == ("z", "y")
    assert graph.order == ("a",)
    assert graph.pi.shape == (1, 1)


def test_empty_graph() -> None:
    graph = Graph.build([], [])
    assert graph.order == graph.tree == graph.chords == graph.points == ()
    assert graph.pi.shape == (0, 0)
    assert graph.chi.shape == (0, 0)


def test_long_chains_do_not_recurse() -> None:
    n = 3000
    bodies = [f"b{i}" for i in range(n)]
    edges = [(f"j{i}", bodies[i - 1] if i else "ground", bodies[i]) for i in range(n)]
    assert Graph.build(bodies, edges[::-1]).order == tuple(bodies)


def test_a_graph_is_read_only_and_travels() -> None:
    graph = Graph.build(FIGURE_BODIES, FIGURE_EDGES, root="1")
    with pytest.raises(ValueError, match="read-only"):
        graph.pi[0, 0] = 2
    with pytest.raises(ValueError, match="read-only"):
        graph.chi[0, 0] = 2
    assert graph.parent["4"] == "3"
    copy = pickle.loads(pickle.dumps(graph))
    assert copy == graph
    np.testing.assert_array_equal(copy.chi, graph.chi)


@pytest.mark.parametrize(
    ("bodies", "edges", "text"),
    [
        (["a", "a"], [], "body 'a' is listed twice"),
        (["a"], [("j", "ground", "a"), ("j", "ground", "a")], "joint 'j' is listed twice"),
        (["a"], [("j", "ground", "c")], "joint 'j' ends on 'c'"),
        (["a"], [("j", "a", "a")], "joint 'j' has both ends on 'a'"),
    ],
)
def test_wrong_graphs_are_refused(
    bodies: list[str], edges: list[tuple[str, str, str]], text: str
) -> None:
    with pytest.raises(ModelError, match=text):
        Graph.build(bodies, edges)
