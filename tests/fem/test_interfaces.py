"""Interface frames: rigid ones move their nodes, averaging ones follow them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import spsolve

import supple as sp
from models.solid_meshes import CORK, STEEL, coordinates, curved
from oracles.nastran_beam import imported_beam
from supple.fem.base.component import rigid_motion

RNG = np.random.default_rng(11)


def test_average_reproduces_rigid_motions_and_keeps_loads_in_equilibrium() -> None:
    mesh = curved("tet10")
    nodes = mesh.group("x_max")
    place = np.array([0.9, -0.3, 0.5])  # not among the nodes
    for weights in (None, RNG.uniform(0.1, 5.0, len(nodes))):
        frame = sp.fem.Interface("tip", place, nodes, "average", weights)
        A = frame.averaging(mesh)
        R = sp.fem.rigid_modes(mesh)
        assert A @ R == pytest.approx(rigid_motion(place[None], 6), abs=1e-12)
        load = RNG.standard_normal(6)
        forces = A.T @ load
        # resultant and moment about the origin, of the nodal forces and of the load itself
        at_nodes = forces.reshape(-1, 3)
        moment = np.cross(mesh.nodes, at_nodes).sum(axis=0)
        assert at_nodes.sum(axis=0) == pytest.approx(load[:3], abs=1e-12)
        assert moment == pytest.approx(load[3:] + np.cross(place, load[:3]), abs=1e-12)
        others = np.setdiff1d(np.arange(mesh.size), coordinates(nodes))
        assert np.all(forces[others] == 0.0)


def test_average_is_the_weighted_mean() -> None:
    mesh = sp.fem.block((1.0, 1.0, 1.0), (1, 1, 1), "hex8", STEEL)
    nodes = mesh.group("z_max")
    centre = mesh.nodes[nodes].mean(axis=0)
    A = sp.fem.Interface("top", centre, nodes, "average").averaging(mesh)
    u = RNG.standard_normal((len(mesh.nodes), 3))
    found = A @ u.ravel()
    assert found[:3] == pytest.approx(u[nodes].mean(axis=0))
    away = mesh.nodes[nodes] - centre
    # about z: moment of displacements by the polar sum of squares
    spin = np.cross(away, u[nodes])[:, 2].sum() / (away[:, :2] ** 2).sum()
    assert found[5] == pytest.approx(spin)


def test_average_of_nodes_on_a_line_uses_their_rotations() -> None:
    beam = imported_beam()
    for nodes in ([1], [0, 1, 3]):
        frame = sp.fem.Interface("middle", (0.2, 0.1, 0.0), nodes, "average")
        found = frame.averaging(beam) @ sp.fem.rigid_modes(beam)
        assert found == pytest.approx(rigid_motion(frame.place[None], 6), abs=1e-12)


def test_rigid_ties_carry_rigid_motions() -> None:
    mesh = curved("hex20")
    foot = sp.fem.Interface("foot", (0.0, 0.2, 0.1), mesh.group("x_min"))
    tip = sp.fem.Interface("tip", (0.7, 0.5, 0.1), mesh.group("x_max"), "average")
    top = sp.fem.Interface("top", (0.3, 0.3, 0.5), mesh.nodes_near((0.3, 0.4, 0.3), 0.15))
    ties = sp.fem.tie(mesh, [foot, tip, top])
    R = sp.fem.rigid_modes(mesh)
    Z = ties.rigid_motions(R)
    assert ties.T @ Z == pytest.approx(R, abs=1e-14)
    frames = np.vstack([rigid_motion(f.place[None], 6) for f in (foot, tip, top)])
    assert ties.B @ Z == pytest.approx(frames, abs=1e-12)
    K, M = ties.reduce(mesh.stiffness_matrix), ties.reduce(mesh.mass_matrix)
    assert np.abs(K @ Z).max() < 1e-13 * np.abs(K).max()
    rigid = R.T @ (mesh.mass_matrix @ R)
    assert Z.T @ (M @ Z) == pytest.approx(rigid, rel=1e-12, abs=1e-12 * rigid.max())
    held = len(foot.nodes) + len(top.nodes)
    assert ties.T.shape == (mesh.size, mesh.size - 3 * held + 12)
    # a turn of the frame about its own place moves a node by the cross product
    z = np.zeros(ties.T.shape[1])
    z[3:6] = turn = np.array([0.1, -0.2, 0.3])
    moved = (ties.T @ z).reshape(-1, 3)[foot.nodes]
    assert moved == pytest.approx(np.cross(turn, mesh.nodes[foot.nodes] - foot.place), abs=1e-15)


@pytest.mark.parametrize("kind", ["rigid", "average"])
def test_tension_through_frames(kind: str) -> None:
    """A bar without Poisson's ratio between frames: F L / (E A), for both kinds."""
    mesh = sp.fem.block((1.0, 0.1, 0.2), (3, 2, 2), "hex8", CORK)
    foot = sp.fem.Interface("foot", (0.0, 0.05, 0.1), mesh.group("x_min"))
    # shares of the area of the end face: corners, edges, middle
    areas = [
        (0.5 if y in (0.0, 0.1) else 1.0) * (0.5 if z in (0.0, 0.2) else 1.0)
        for _, y, z in np.round(mesh.nodes[mesh.group("x_max")], 9)
    ]
    tip = sp.fem.Interface("tip", (1.0, 0.05, 0.1), mesh.group("x_max"), kind, areas)
    ties = sp.fem.tie(mesh, [foot, tip])
    K = ties.reduce(mesh.stiffness_matrix)
    load = ties.B.T @ np.array([0.0] * 6 + [1e4, 0.0, 0.0, 0.0, 0.0, 0.0])
    free = np.arange(6, K.shape[0])
    z = np.zeros(K.shape[0])
    z[free] = spsolve(K[free][:, free], load[free])
    stretch = 1e4 / (CORK.E * 0.02)
    assert (ties.B @ z)[6:] == pytest.approx([stretch, 0, 0, 0, 0, 0], abs=1e-11 * stretch * 10)


def test_rigid_interface_with_rotations() -> None:
    beam = imported_beam()
    end = sp.fem.Interface("end", (0.9, 0.3, 0.0), [3])
    ties = sp.fem.tie(beam, [end])
    Z = ties.rigid_motions(sp.fem.rigid_modes(beam))
    assert ties.T @ Z == pytest.approx(sp.fem.rigid_modes(beam), abs=1e-15)
    assert ties.T.shape == (24, 24)


BLOCK = sp.fem.block((1.0, 1.0, 1.0), (2, 1, 1), "hex8", STEEL)
MESSAGES = [
    (lambda: sp.fem.Interface("tip", (0, 0), [1, 2, 3]),
     "Interface 'tip': place is (0, 0), expected 3 finite numbers"),
    (lambda: sp.fem.Interface("tip", (0, 0, 0), []),
     "Interface 'tip': nodes is (), expected node numbers"),
    (lambda: sp.fem.Interface("tip", (0, 0, 0), [1, 2, 1]),
     "Interface 'tip': nodes has 1 twice, expected each node once"),
    (lambda: sp.fem.Interface("tip", (0, 0, 0), [1, 2, 3], "soft"),
     "Interface 'tip': kind is 'soft', expected 'rigid' or 'average'"),
    (lambda: sp.fem.Interface("tip", (0, 0, 0), [1, 2, 3], "average", [1, 2, 0]),
     "Interface 'tip': weights is (1, 2, 0), expected 3 positive numbers"),
    (lambda: sp.fem.tie(BLOCK, [sp.fem.Interface("tip", (0, 0, 0), [1, 2, 99])]),
     "Interface 'tip': nodes is 99, expected numbers from 0 to 11"),
    (lambda: sp.fem.Interface("tip", (0, 0, 0), [0, 4, 8], "average").averaging(BLOCK),
     "Interface 'tip': its 3 nodes with 3 coordinates are on one line, expected at least 3 nodes "
     "that are not"),
    (lambda: sp.fem.tie(BLOCK, [sp.fem.Interface("tip", (0, 0, 0), [0, 4])]),
     "Interface 'tip': its 2 nodes with 3 coordinates are on one line, expected at least 3 nodes "
     "that are not"),
    (lambda: sp.fem.tie(BLOCK, [sp.fem.Interface("a", (0, 0, 0), [0, 1, 2]),
                            sp.fem.Interface("b", (0, 0, 0), [2, 3, 4])]),
     "Interface 'b': node 2 is held by Interface 'a', too, expected each node in one rigid "
     "interface"),
    (lambda: sp.fem.tie(BLOCK, [sp.fem.Interface("a", (0, 0, 0), [0, 1, 2]),
                            sp.fem.Interface("a", (0, 0, 0), [8, 9, 10])]),
     "tie: two interfaces are called 'a', expected different names"),
]  # fmt: skip


@pytest.mark.parametrize(("action", "sentence"), MESSAGES)
def test_messages(action, sentence: str) -> None:
    with pytest.raises(sp.ModelError) as caught:
        action()
    assert str(caught.value) == sentence
