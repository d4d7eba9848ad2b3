"""Reactions that are not unique: the smallest ones, the same in all coordinates."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import supple as sp
from models.linkages import parallelogram, rod
from supple.analyses.reactions import reactions
from supple.analyses.reactions.reactions import in_equilibrium, open_sets
from supple.cases.mechanisms import CASES
from supple.results.plot import asked

BY_NAME = {case.name: case for case in CASES}
IN_PLANE = [False, True, False, True, False, True]  # torque about y, forces along x and z


def tilted() -> sp.Model:
    """The four-bar linkage in xz with gravity across its plane too, so that all rows carry load."""
    model = BY_NAME["four-bar"].build()
    model.gravity = (1.0, 4.0, -9.0)
    return model


def four_formulations():
    return (
        sp.JointCoordinates(),
        sp.Absolute(),
        sp.Branch(tree=["drive", "knee", "pin"]),
        sp.Branch(tree=["bearing", "pin", "knee"]),
    )


@pytest.fixture(scope="module")
def runs():
    options = {"output": 20, "integrator": sp.DormandPrince(), "tolerance": 1e-11}
    return [sp.simulate(tilted(), 0.5, formulation=f, **options) for f in four_formulations()]


def test_reactions_are_the_same_in_all_coordinates(runs):
    for name in runs[0].joints:
        expected = runs[0][name]
        assert not expected.unique
        assert expected.unique_components.tolist() == IN_PLANE
        size = np.abs(expected.reaction).max()
        for other in runs[1:]:
            assert np.abs(other[name].reaction - expected.reaction).max() < 1e-8 * size
            assert np.abs(other[name].wrench - expected.wrench).max() < 1e-8 * size
            assert other[name].unique_components.tolist() == IN_PLANE
    # as the engine has them they differ, by what is not unique
    raw = [r.data.history.reaction[:, r.data.compiled.joint_names.index("pin")] for r in runs]
    apart = np.abs(raw[1] - raw[2]).max(axis=0)
    assert np.all(apart[IN_PLANE] < 1e-7) and apart.max() > 1.0


def balance(result: sp.results.Result, body: str) -> np.ndarray:
    """Newton and Euler of a rigid body with the reactions of its joints: what is left (nt, 6)."""
    item, view, model = result.bodies[body], result[body], result.model
    R, w, dw = view.matrix, view.angular_velocity, view.angular_acceleration
    arm = R @ item.com
    acceleration = view.acceleration + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
    J = R @ item.inertia_com @ np.swapaxes(R, 1, 2)
    spin = np.einsum("tij,tj->ti", J, w)
    force = item.mass * (acceleration - model.gravity)
    torque = np.einsum("tij,tj->ti", J, dw) + np.cross(w, spin)
    for joint in result.joints.values():
        place = result[joint.B].position - (view.position + arm)
        for frame, sign in ((joint.A, -1.0), (joint.B, 1.0)):
            if frame.body.name == body:
                load = sign * result[joint.name].wrench
                force = force - load[:, 3:]
                torque = torque - load[:, :3] - np.cross(place, load[:, 3:])
    return np.hstack([torque, force])


def test_the_smallest_reactions_still_balance_every_body(runs):
    for result in runs:
        for body in result.bodies:
            # accelerations and loads belong to the same state: rounding, of loads of about 100
            assert np.abs(balance(result, body)).max() < 1e-9 * 100


def equilibrium(result: sp.results.Result, k: int) -> np.ndarray:
    """Matrix from five loads of each revolute joint to wrenches on the bodies, lengths in metres.

    Written down from the places of the pins and their axis y: torque about x and z, three forces.
    """
    bodies, joints = list(result.bodies), list(result.joints.values())
    matrix = np.zeros((6 * len(bodies), 5 * len(joints)))
    length = result.data.compiled.length
    for j, joint in enumerate(joints):
        place = result[joint.B].position[k]
        for c in range(5):
            torque, force = np.zeros(3), np.zeros(3)
            if c < 2:
                torque[2 * c] = length  # so that unknowns are forces and torques over the length
            else:
                force[c - 2] = 1.0
            for frame, sign in ((joint.A, -1.0), (joint.B, 1.0)):
                if frame.body.name in bodies:
                    i = 6 * bodies.index(frame.body.name)
                    matrix[i : i + 3, 5 * j + c] = sign * (torque + np.cross(place, force))
                    matrix[i + 3 : i + 6, 5 * j + c] = sign * force
    return matrix


def test_the_reactions_are_the_smallest_that_balance(runs):
    """No part along the loads that balance each other, from an equilibrium written by hand."""
    result = runs[0]
    length = result.data.compiled.length
    for k in (0, 7, 20):
        matrix = equilibrium(result, k)
        loads = np.hstack(
            [result[name].reaction[k, [0, 2, 3, 4, 5]] / [length, length, 1, 1, 1]
             for name in result.joints]
        )  # fmt: skip
        smallest = np.linalg.pinv(matrix, rcond=1e-9) @ (matrix @ loads)
        assert np.abs(loads - smallest).max() < 1e-9 * np.abs(loads).max()
        assert np.linalg.matrix_rank(matrix, tol=1e-9) == 5 * 4 - 3


@pytest.mark.parametrize("name", ["bennett", "bricard", "governor-links"])
def test_space_mechanisms(name):
    options = {"output": 10, "integrator": sp.DormandPrince(), "tolerance": 1e-11}
    model = BY_NAME[name].build()
    first, second = (
        sp.simulate(model, 0.3, formulation=f, **options) for f in (None, sp.Absolute())
    )
    size = max(np.abs(first[joint].reaction).max() for joint in first.joints)
    for joint in first.joints:
        assert np.abs(first[joint].reaction - second[joint].reaction).max() < 1e-8 * size
        assert first[joint].unique == second[joint].unique
    alone = [joint for joint in first.joints if first[joint].unique]
    # nothing of the governor's loops reaches the joint of its spindle
    assert alone == (["spin"] if name == "governor-links" else [])


def test_axes_of_the_frame_and_laziness(runs):
    view = runs[0]["pin"]
    local = view.local
    copy = pickle.loads(pickle.dumps(runs[0]["pin"]))
    assert np.array_equal(copy.reaction, view.reaction) and not copy.unique
    assert local.unique_components.tolist() == IN_PLANE  # the axis is y in both
    assert local.reaction[:, [1, 4]] == pytest.approx(view.reaction[:, [1, 4]], abs=1e-10)
    fresh = sp.simulate(tilted(), 0.1, output=3)
    assert fresh["pin"].angle.shape == (4,) and "_loads" not in vars(fresh)
    assert not fresh["pin"].unique and "_loads" in vars(fresh)


def test_all_is_unique_without_redundant_constraints():
    m = sp.Model(gravity=(0, 0, -9.81))
    body = m.add(sp.RigidBody("arm", 1.0, (0.5, 0, 0), (0.01, 0.1, 0.1)))
    m.add(sp.Revolute("hinge", m.ground.at(0), body.at(0), "y"))
    tree = sp.simulate(m, 0.1, output=3)
    assert tree["hinge"].unique and tree["hinge"].unique_components.all()
    absolute = sp.simulate(m, 0.1, output=3, formulation=sp.Absolute())
    assert absolute["hinge"].unique
    assert absolute["hinge"].reaction == pytest.approx(tree["hinge"].reaction, abs=1e-6)


def test_two_drivers_share_their_effort():
    """Both cranks of a parallelogram are driven alike: the smallest loads, in all coordinates."""
    model = parallelogram(0.6, motion="0.6 + t", gravity=(0, -9.81, 1.0))
    model.add(sp.Driver("second", "D", "0.6 + t"))
    options = {"output": 8, "integrator": sp.DormandPrince(), "tolerance": 1e-11}
    trees = (None, sp.Absolute(), sp.Branch(tree=["D", "C", "B"]))
    runs = [sp.simulate(model, 0.4, formulation=f, **options) for f in trees]
    power = []
    for result in runs:
        for body in result.bodies:
            assert np.abs(balance(result, body)).max() < 1e-8 * 100
        for name in ("A", "D"):
            # the coupler may be pushed along itself, x, and loads across the plane are open
            assert result[name].unique_components[3:].tolist() == [False, True, False]
            assert result[name].effort == pytest.approx(runs[0][name].effort, abs=1e-8)
            assert result[name].reaction == pytest.approx(runs[0][name].reaction, abs=1e-8)
            # a reaction does no work, the effort is the torque about the axis
            assert np.abs(result[name].reaction[:, 2]).max() < 1e-9
            assert result[name].torque[:, 2] == pytest.approx(result[name].effort[:, 0], abs=1e-9)
        rates = (result[n].effort[:, 0] * result[n].angle_rate for n in ("A", "D"))
        power.append(sum(rates))
        assert abs(result["D"].effort).max() > 0.1 and abs(result["A"].effort).max() > 0.1
    assert power[1] == pytest.approx(power[0], abs=1e-8)


def closed_chain(count: int) -> sp.Model:
    """Links of 1 m from one point of the ground to the next one, along a regular polygon in xy."""
    m = sp.Model(gravity=(1.0, -9.81, 2.0), name="closed chain")
    corner = 2.0 * np.pi / (count + 1)
    frame, turn = m.ground.at(0), np.pi - corner
    for k in range(count):
        link = rod(m, f"link{k}", 1.0)
        m.add(sp.Revolute(f"pin{k}", frame, link.at(0), "z", turn))
        frame, turn = link.at(1.0), -corner
    m.add(sp.Revolute("last", m.ground.at(1.0), frame, "z", corner - np.pi))
    return m


@pytest.mark.parametrize("driven", [False, True])
def test_sparse_rows_give_the_same_reactions(driven, monkeypatch):
    model = closed_chain(4)
    if driven:  # both ends are: efforts are shared
        angles = [joint.initial[0] for joint in model.joints.values()]
        for name, k in (("pin0", 0), ("pin1", 1), ("last", -1)):
            model.add(sp.Driver(f"at {name}", name, sp.Polynomial((angles[k],))))
    result = sp.simulate(model, 0.02, output=3)
    source = result.data.reactions
    axes = {name: result[joint.B].matrix for name, joint in result.joints.items()}
    found = []
    for most in (0, 10**9):
        monkeypatch.setattr(reactions, "DENSE", most)
        found.append(source.of(source.history)(axes))
    size = max(np.abs(load.wrench).max() for load in found[1].values())
    assert found[0].keys() == found[1].keys() == result.joints.keys()
    for name, load in found[1].items():
        other = found[0][name]
        for what in ("wrench", "reaction", "effort"):
            assert np.abs(getattr(other, what) - getattr(load, what)).max() < 1e-10 * size
        assert np.array_equal(other.unique, load.unique) and not load.unique.all()
        assert np.array_equal(other.unique_local, load.unique_local)


def test_null_vectors_of_sparse_rows_near_singular_positions(monkeypatch):
    """Singular values on both sides of what counts as zero.

    Of very many rows rounding shows there: of unknowns as large as s / (s^2 + REGULAR), 3e5, which
    enter again with this factor.
    """
    from scipy.sparse import csr_array

    rng = np.random.default_rng(3)
    values = np.array([2.0, 1.0, 1e-2, 1e-4, 1e-5, 3e-6, 1e-8, 1e-10, 0.0])
    left, right = (np.linalg.qr(rng.standard_normal((n, n)))[0] for n in (12, 9))
    G, x = left[:, :9] * values @ right, rng.standard_normal((12, 2))
    null = left[:, 6:]  # of the last three values, and what is in no column
    for rows, whole, bound in ((G, 0, 1e-9), (csr_array(G), 10**6, 1e-9), (csr_array(G), 0, 1e-4)):
        monkeypatch.setattr(reactions, "WHOLE", whole)
        assert np.abs(in_equilibrium(rows, x) - null @ (null.T @ x)).max() < bound
        sets = open_sets(rows)
        assert np.linalg.matrix_rank(sets, 1e-3) == 6
        assert np.abs(left[:, :6].T @ sets).max() < bound
    regular = csr_array((left[:, :4] * [2.0, 1.0, 0.3, 0.1]).T)
    assert open_sets(regular).shape == open_sets(regular.toarray()).shape == (4, 0)


def test_plots_of_motion_find_no_reactions():
    result = sp.simulate(tilted(), 0.1, output=3)
    data = result.track()
    assert np.array_equal(data.variables["pin.angle"].values, result["pin"].angle)
    assert len(asked(data, ["pin", "energy"])) > 1
    result.history("com.position")
    assert "_loads" not in vars(result)
    assert np.array_equal(data.variables["pin.wrench"].values, result["pin"].wrench)
    assert "_loads" in vars(result)


@pytest.mark.slow
def test_many_closed_links():
    """The smallest reactions of 250 links, of which each is balanced, in joint coordinates."""
    result = sp.simulate(closed_chain(250), 0.02, output=3)
    size = max(np.abs(result[name].wrench).max() for name in result.joints)
    for body in list(result.bodies)[::50]:
        assert np.abs(balance(result, body)).max() < 1e-9 * size
    assert result["pin3"].unique_components.tolist() == [False, False, True, True, True, False]
    source = result.data.reactions
    G, c = source._table(2), source.absolute
    loads = reactions._Tables(source, {n: result[j.B].matrix for n, j in result.joints.items()})
    loads.wrench[:] = [result[name].wrench for name in loads.names]
    x = np.zeros(c.nr)
    x[loads.rows] = loads.multipliers[2]
    dense = in_equilibrium(G.toarray(), x * c.row_sizes)
    assert np.abs(dense).max() < 1e-9 * size  # nothing is left to be taken away
