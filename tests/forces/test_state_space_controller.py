"""Continuous linear controllers: the same as a PID, as a function, and as their linear model."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp


def arm(*controllers):
    m = sp.Model(gravity=(0, 0, -9.81))
    one = m.add(sp.RigidBody("one", 2.0, com=(0.25, 0, 0), inertia=0.04))
    two = m.add(sp.RigidBody("two", 1.0, com=(0.2, 0, 0), inertia=0.015))
    m.add(sp.Revolute("shoulder", m.ground.at(0), one.at(0), axis="y", initial=0.3))
    m.add(sp.Revolute("elbow", two.at(0), one.at(0.5), axis="y", initial=-0.5))
    m.add(sp.JointSpring("hold", "elbow", stiffness=20.0, damping=1.0))
    for item in controllers:
        m.add(item)
    return m


def pi_law(kp, ki, kd, tracking=None):
    """A PID as a linear law with one state."""
    back = None if tracking is None else [[1.0 / (ki * tracking)]]
    return sp.ControlLaw([[-kp, -kd]], [[0.0]], [[-1.0, 0.0]], [[ki]], back)


@pytest.mark.parametrize("limit", [np.inf, 9.0])
def test_a_pid_is_one(limit):
    aim, gains = sp.SmoothStep(0.1, 0.6, before=0.2, after=-0.4), (80.0, 150.0, 9.0)
    pid = sp.PID("servo", "shoulder", *gains, target=aim, limit=limit, tracking=0.2)
    law = pi_law(*gains, tracking=0.2)
    mine = sp.StateSpaceController("servo", "shoulder", law, target=aim, limit=limit)
    one, two = (sp.simulate(arm(c), 1.0, tolerance=1e-9) for c in (pid, mine))
    # both stay within 1e-9 a step, some 200 steps; a limit is met within the tolerance, too
    assert np.allclose(one["shoulder"].angle, two["shoulder"].angle, atol=1e-6)
    assert np.allclose(one["servo"].effort, two["servo"].effort, atol=1e-4)
    assert np.allclose(one.data.z, two["servo"].states, atol=1e-6)
    assert np.allclose(one["servo"].work, two["servo"].work, atol=1e-5)
    assert two.verdict.startswith("trusted")
    assert np.isclose(np.max(np.abs(two["servo"].effort)), 9.0) == np.isfinite(limit)


def test_gains_of_several_coordinates_are_those_of_a_function():
    D = np.array([[-90.0, 12.0, -8.0, 1.0], [20.0, -40.0, 2.0, -3.0]])
    joints = ["shoulder", "elbow"]
    mine = sp.StateSpaceController("servo", joints, sp.ControlLaw(D), target=["0.2*t", 0.1])

    def law(t, q, u):
        return D @ [q[0] - 0.2 * t, q[1] - 0.1, u[0] - 0.2, u[1]]

    one, two = (
        sp.simulate(arm(c), 0.5, tolerance=1e-9)
        for c in (mine, sp.EffortFunction("servo", joints, law))
    )
    assert np.allclose(one["shoulder"].angle, two["shoulder"].angle, atol=1e-7)
    assert np.allclose(one["servo"].efforts, two["servo"].efforts, atol=1e-5)


def test_rest_and_small_motion():
    """Integral action holds its target at rest; a leaky one gives way; eigenvalues are exact."""
    law = sp.ControlLaw(
        [[-60.0, 0.0, -9.0, 0.0]],
        [[0.0, 0.0], [3.0, -2.0]],
        [[-1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.5]],
        [[90.0, 4.0]],
    )
    servo = sp.StateSpaceController("servo", "shoulder", law, ["shoulder", "elbow"], [0.1, 0.0])
    m = arm(servo)
    rest = sp.statics(m)
    assert rest.success and rest["shoulder"].angle[0] == pytest.approx(0.1, abs=1e-9)
    start = sp.simulate(m, 0.5, start="static")
    assert np.ptp(start["shoulder"].angle) < 1e-9
    assert np.max(np.ptp(start["servo"].states, axis=0)) < 1e-7
    linear = sp.linearize(m)
    K = np.zeros((6, 6))
    free = arm(sp.JointEffort("servo", "shoulder", float(rest["servo"].effort[0])))
    open_loop = sp.linearize(
        free, sp.State(0.0, rest.q[0], rest.u[0], np.zeros(0)), independent=["shoulder", "elbow"]
    )
    space = open_loop.state_space(["shoulder"], ["shoulder", "elbow"])
    K[:4, :4] = space.A + space.B @ law.D
    K[:4, 4:], K[4:, :4], K[4:, 4:] = space.B @ law.C, law.B, law.A
    found, expected = np.sort_complex(linear.eigenvalues), np.sort_complex(np.linalg.eigvals(K))
    assert np.allclose(found, expected, rtol=1e-8)


def test_states_begin_where_they_are_told():
    law = sp.ControlLaw([[0.0, 0.0]], [[-2.0]], [[0.0, 0.0]], [[1.0]])
    servo = sp.StateSpaceController("servo", "elbow", law, initial=[3.0])
    result = sp.simulate(arm(servo), 0.5, tolerance=1e-9)
    assert np.allclose(result["servo"].effort, 3.0 * np.exp(-2.0 * result.t), atol=1e-7)


@pytest.mark.parametrize(
    "law", [pi_law(80.0, 150.0, 9.0, 0.2), sp.ControlLaw([[-80.0, -9.0]])], ids=["states", "none"]
)
def test_a_file_has_it(tmp_path, law):
    m = arm(sp.StateSpaceController("servo", "shoulder", law, target="0.1*t", limit=8.0))
    sp.files.write_model(m, tmp_path / "arm.yaml")
    read = sp.files.read_model(tmp_path / "arm.yaml")
    assert np.array_equal(sp.simulate(m, 0.2).q, sp.simulate(read, 0.2).q)


def test_sentences():
    with pytest.raises(sp.ModelError, match=r"law is 2\.0, expected a ControlLaw"):
        sp.StateSpaceController("servo", "elbow", 2.0)
    with pytest.raises(sp.ModelError, match=r"initial is .*expected 1 numbers"):
        sp.StateSpaceController("servo", "elbow", pi_law(1.0, 1.0, 1.0), initial=[1.0, 2.0])


@pytest.mark.slow
@pytest.mark.parametrize("states", [False, True])
def test_every_way_of_newtons_matrix(states):
    """Stiff gains between distant joints of a chain: steps are as few whichever way is taken."""
    n = 6
    m = sp.Model(gravity=(0, 0, -9.81))
    last = m.ground.at(0)
    for k in range(n):
        body = m.add(sp.RigidBody(f"b{k}", 1.0, com=(0.1, 0, 0), inertia=0.01))
        m.add(sp.Revolute(f"j{k}", last, body.at(0), axis="y" if k % 2 else "z", initial=0.2))
        last = body.at(0.2)
    names = [f"j{k}" for k in range(n)]
    rng = np.random.default_rng(1)
    W = rng.normal(size=(n, n))
    D = np.hstack([-300.0 * (np.eye(n) + 0.05 * W @ W.T), -20.0 * np.eye(n) - 0.3 * W])
    more = {}
    if states:
        A = np.array([[-1.0, 60.0], [-60.0, -1.0]])
        more = {"A": A, "B": rng.normal(size=(2, 2 * n)), "C": 20.0 * rng.normal(size=(n, 2))}
    m.add(sp.StateSpaceController("servo", names, sp.ControlLaw(D, **more)))
    ways = sp.JointCoordinates(), sp.OrderN(), sp.Absolute()
    runs = [sp.simulate(m, 0.3, formulation=way, tolerance=1e-8) for way in ways]
    for run in runs[1:]:
        assert np.allclose(run["j5"].angle, runs[0]["j5"].angle, atol=1e-6)
        assert run.statistics["steps"] <= 1.3 * runs[0].statistics["steps"] + 5
