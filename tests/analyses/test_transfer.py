"""Geometric transfer functions: closed forms, differences of closed positions, motions of runs."""

from __future__ import annotations

from itertools import pairwise
from math import atan2, hypot, pi

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple as sp
from models.random_loops import flexible_loop
from oracles.pin_motion import STEP, pin, pin_rate
from supple.analyses.kinematics.transfer import Mechanism, PathFollower
from supple.analyses.linear.independent import Motions, dof_names
from supple.cases.linkages import four_bar as linkage
from supple.cases.linkages.jonker import driven_slider_crank
from supple.loops.assembly import Assembler


def slider_crank(angle: float = 0.8) -> sp.Model:
    """Crank 0.2 m, rod 0.5 m; the slider is on the x axis."""
    m = sp.Model(gravity=(0, -9.81, 0))
    crank = m.add(sp.RigidBody("crank", 1.5, com=(0.1, 0, 0), inertia=0.01))
    rod = m.add(sp.RigidBody("rod", 0.8, com=(0.25, 0, 0), inertia=0.02))
    slider = m.add(sp.RigidBody("slider", 2.0, inertia=0.01))
    m.add(sp.Revolute("shaft", m.ground.at(0), crank.at(0), initial=angle))
    rise = np.arcsin(0.4 * np.sin(angle))
    m.add(sp.Revolute("crankpin", crank.at(0.2), rod.at(0), initial=-angle - rise))
    place = 0.2 * np.cos(angle) + 0.5 * np.cos(rise)
    m.add(sp.Prismatic("slide", m.ground.at(0), slider.at(0), axis="x", initial=place))
    m.add(sp.Revolute("wristpin", rod.at(0.5), slider.at(0), initial=rise))
    return m


def slider_place(x):
    """Place of the slider, analytic in the crank's angle."""
    return 0.2 * np.cos(x) + np.sqrt(0.25 - 0.04 * np.sin(x) ** 2)


def slider_slope(x):
    """Its derivative."""
    return -0.2 * np.sin(x) - 0.04 * np.sin(x) * np.cos(x) / np.sqrt(0.25 - 0.04 * np.sin(x) ** 2)


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
@pytest.mark.parametrize("driven", [False, True])
def test_a_slider_crank_has_its_closed_form(formulation, driven):
    """Rounding times the condition of the closure: 1e-11. A driver does not hold its coordinate."""
    m = slider_crank()
    if driven:
        m.add(sp.Driver("engine", "shaft", "0.8 + 10*t"))
    angles = np.array([0.8, 1.5, 2.9, 4.4, 2 * pi])
    path = {"shaft.angle": angles}
    found = sp.transfer(m, "shaft", ["slide", m["slider"]], path=path, formulation=formulation)
    assert found.inputs == (("shaft.angle",),) * 5 and found.outputs[:2] == (
        "slide.displacement",
        "slider@(0, 0, 0).x",
    )
    assert found.input_values[:, 0] == pytest.approx(angles, abs=1e-13)
    second = slider_slope(angles + 1j * STEP).imag / STEP
    for k in (0, 1):
        assert found.values[:, k] == pytest.approx(slider_place(angles), abs=1e-11)
        assert found.first[:, k, 0] == pytest.approx(slider_slope(angles), abs=1e-11)
        assert found.second[:, k, 0, 0] == pytest.approx(second, abs=1e-10)
    assert np.abs(found.first[:, 2:]).max() < 1e-12  # neither moves aside nor turns


def test_a_four_bar_has_its_closed_form():
    m = linkage.four_bar()
    tip = m["coupler"].at(1.1)
    found = sp.transfer(m, "drive.angle", tip)
    assert found.values[[0, 2]] == pytest.approx(pin(0.7), abs=1e-12)
    assert found.first[[0, 2], 0] == pytest.approx(pin_rate(0.7, 1.0), abs=1e-12)
    along = pin_rate(0.7 + 1j * STEP, 1.0).imag / STEP
    assert found.second[[0, 2], 0, 0] == pytest.approx(along, abs=1e-11)
    ahead = found.predicted({"drive.angle": 0.01})
    # the rest is the third derivative, which is about ten times the first here
    assert ahead[[0, 2]] == pytest.approx(pin(0.71), abs=1e-5)
    assert np.abs(found.values[[0, 2]] - pin(0.71)).max() > 1e-4
    assert found.velocities(3.0) == pytest.approx(3.0 * found.first[:, 0])
    push = found.accelerations([3.0], {"drive.angle": 2.0})
    assert push == pytest.approx(9.0 * found.second[:, 0, 0] + 2.0 * found.first[:, 0])
    assert found.of(tip).of("coupler@(1.1, 0, 0).z").first[0] == found.first[2]


def outputs_of(m: sp.Model) -> list:
    """Every coordinate, and two frames."""
    bodies = list(m.bodies.values())
    return [*m.joints, bodies[0].at(0.0), bodies[-1].at(0.0)]


def differences(mechanism: Mechanism, state: sp.State, w: np.ndarray, h: float):
    """First and second derivatives of the outputs (m,) along w, by closed positions at +h and -h.

    The positions on the way are right to second order; an error of theirs in h^2 is even and leaves
    differences as they are, so that these do not rest on the accelerations that are tested.
    """
    eq, c = mechanism.equations, mechanism.compiled
    here = mechanism.motions(state)
    chosen = here.chosen("test", None)
    u = here.by(chosen) @ w
    a = here.accelerations(chosen, u[None])[0]
    move = Assembler(c)
    found = []
    for s in (h, -h):
        q = eq.ahead(state.q, u, a, s)
        if c.nr:
            q, gap = move.positions(state.t, q, search=False)
            assert np.abs(gap).max() < 1e-9
        there = sp.State(state.t, q, state.u, state.z)
        motions = Motions.at(mechanism.coordinates, state.t, q)
        assert motions is not None
        transfer = mechanism.functions(there, motions, chosen)
        _, history = eq.body_states(state.t, q, np.zeros(c.nu))
        axes = {}
        for frame in (x for x in mechanism.outputs if isinstance(x, sp.Frame)):
            node, pose = c.place(frame)
            axes[frame.name] = history.nodes[0, node, :9].reshape(3, 3) @ pose.R
        found.append((transfer.values, transfer.first @ w, axes))
    (x1, v1, one), (x0, v0, other) = found
    first = (x1 - x0) / (2 * h)
    for k, name in enumerate(transfer.outputs):
        head, _, last = name.rpartition(".")
        if head in one and last.startswith("rotation"):  # counts from the position itself
            turn = Rotation.from_matrix(one[head] @ other[head].T).as_rotvec() / (2 * h)
            first[k] = turn["xyz".index(last[-1])]
        elif last.startswith(("rotation", "motion")):
            first[k] = np.nan  # quasi-coordinates have no value
    return first, (v1 - v0) / (2 * h)


def check_by_differences(m: sp.Model, seed: int) -> bool:
    """Compare with Richardson's extrapolation of differences; False where nothing can move."""
    try:
        mechanism = Mechanism(m, sp.JointCoordinates(), outputs_of(m))
        state = mechanism.start(None)
        motions = mechanism.motions(state)
        transfer = mechanism.functions(state, motions, motions.chosen("test", None))
    except sp.ModelError:
        return False
    n = len(transfer.inputs)
    if transfer.margin < 0.02:
        return False
    unit = mechanism.compiled.scale[motions.chosen("test", None)]
    w = np.random.default_rng(seed).normal(size=n) * unit / np.sqrt(n)
    size = np.abs(mechanism.motions(state).by(motions.chosen("test", None)) @ w)
    w /= max(float(np.max(size / mechanism.compiled.scale)), 1.0)
    levels = [differences(mechanism, state, w, 4e-3 / 2**k) for k in range(3)]
    for expected, *found in zip(
        (transfer.velocities(w), transfer.accelerations(w)), *levels, strict=True
    ):
        known = np.isfinite(found[0])
        coarse, fine = ((4 * b - a)[known] / 3 for a, b in pairwise(found))
        # what the last halving changed is larger than what is left; closures are exact to 1e-11
        bound = np.abs(fine - coarse) + 1e-7 * (1.0 + np.abs(expected).max())
        assert np.all(np.abs(fine - expected[known]) < bound), transfer
    assert np.array_equal(transfer.second, np.swapaxes(transfer.second, 1, 2))
    return True


@pytest.mark.parametrize("number", range(12))
def test_random_loops_agree_with_differences(number):
    """Trees with loops in space, ball and free joints, beams, constraints, drivers."""
    assert check_by_differences(flexible_loop(number, forces="none").model(), number)


@pytest.mark.slow
def test_many_random_loops_agree_with_differences():
    done = [
        check_by_differences(flexible_loop(k, forces="none").model(), k) for k in range(12, 150)
    ]
    assert sum(done) > 120  # the others cannot move, or their inputs hardly tell it


def test_a_flexible_loop_follows_a_path():
    """With a straight rod the slider is where a rigid one puts it; elastic inputs are kept."""
    m = driven_slider_crank(pi / 4)
    angles = np.array([0.4, 1.7, 3.0, 5.5])
    path = sp.transfer(m, None, "guide", path={"bearing": angles})
    x, y, z = (
        0.15 * np.cos(angles) * np.cos(pi / 4),
        0.15 * np.sin(angles),
        0.15 * np.cos(angles) * np.sin(pi / 4),
    )
    assert path.values[:, 0] == pytest.approx(x + np.sqrt(0.09 - y * y - z * z), abs=1e-11)
    assert path[0].inputs[0] == "bearing.angle" and len(path[0].inputs) == 7
    assert np.abs(path.input_values[:, 1:]).max() == 0.0
    bent = sp.transfer(m, None, "guide", path={"bearing": angles[:1], "rod.v_1": [0.002]})
    assert bent.input_values[0, :2] == pytest.approx([0.4, 0.002], abs=1e-15)
    ahead = path[0].predicted({"rod.v_1": 0.002})
    assert bent.values[0] == pytest.approx(ahead, abs=1e-6)


def rates_by_name(compiled, transfer, u):
    return [u[dof_names(compiled).index(name)] for name in transfer.inputs]


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
def test_motions_of_a_run_follow(formulation):
    """D2F w w + DF w' is the acceleration of every output, of a flexible loop in space."""
    m = driven_slider_crank(pi / 4, stiffening="second_order")
    m.gravity = (0, 0, -9.81)
    rod = m["rod"]
    run = sp.simulate(m, 0.02, tolerance=1e-9, output=6)
    path = sp.transfer(m, None, ["guide", "pin A", rod.at(0.15)], path=run, formulation=formulation)
    compiled = run.data.compiled
    middle = run["rod"].at(0.15)
    for k, point in enumerate(path):
        assert "bearing.angle" in point.inputs and len(point.inputs) == 7
        w = rates_by_name(compiled, point, run.u[k])
        push = rates_by_name(compiled, point, run.a[k])
        v, a = point.velocities(w), point.accelerations(w, push)
        expected = np.concatenate([middle.velocity[k], middle.angular_velocity[k]])
        size = np.abs(run.u[k]).max()
        assert v[-6:] == pytest.approx(expected, abs=1e-8 * size)
        expected = np.concatenate([middle.acceleration[k], middle.angular_acceleration[k]])
        size = np.abs(run.a[k]).max()
        assert a[-6:] == pytest.approx(expected, abs=1e-8 * size)
        assert a[0] == pytest.approx(run["guide"].accelerations[k, 0], abs=1e-8 * size)
        assert point.values[-6:-3] == pytest.approx(middle.position[k], abs=1e-9)


def test_joints_on_either_side_and_any_tree_have_the_same_functions():
    """A ball and a free joint whose frame B is on the ground's side, in two trees."""

    def chain(turned: bool) -> sp.Model:
        m = sp.Model()
        a, b = (m.add(sp.RigidBody(n, 1.0, com=(0.2, 0.1, 0), inertia=0.1)) for n in "ab")
        ball = m.ground.at(0, rotation=(0.3, 0.2, 0)), a.at(0.1, 0.2, 0.3)
        free = a.at(0.5, rotation=(0, 0.4, 0.1)), b.at(0, 0.1)
        turn, shift = (0.4, -0.3, 0.5), (0.2, 0.3, -0.1)
        m.add(sp.Spherical("ball", *ball, initial=turn))
        quaternion = Rotation.from_rotvec(turn).as_quat()[[3, 0, 1, 2]]
        m.add(sp.Free("free", *(free[::-1] if turned else free), initial=(*quaternion, *shift)))
        return m

    for turned in (False, True):
        m = chain(turned)
        names = [f"free.{x}" for x in ("rotation_x", "rotation_y", "rotation_z")]
        names += [f"free.motion_{x}" for x in "xyz"]
        names += [f"ball.rotation_{x}" for x in "xyz"]
        found = [
            sp.transfer(m, names, [m["b"].at(0.3, 0, 0.2), m["a"]], formulation=f)
            for f in (None, sp.Absolute())
        ]
        for other in found[1:]:
            assert other.first == pytest.approx(found[0].first, abs=1e-12)
            assert other.second == pytest.approx(found[0].second, abs=1e-11)
    # a rotation by a ball joint alone: the third axis follows, no second order in one axis
    ball = found[0].of("a@(0, 0, 0).rotation_x")
    assert np.abs(np.diagonal(ball.second[0])).max() < 1e-12


def test_predicted_configurations_are_of_second_order():
    """A free body on a circle, its twist constant in its own axes: what is left is of order 3."""
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 1.0, inertia=1.0))
    m.add(sp.Free("flight", m.ground.at(0), body.at(0)))
    equations = sp.JointCoordinates().equations(m)
    w, v = 0.7, 1.3
    u = np.array([0, 0, w, v, 0, 0])
    left = []
    for h in (0.1, 0.05):
        q = equations.ahead(equations.q0, u, np.zeros(6), h)
        exact = v / w * np.array([np.sin(w * h), 1.0 - np.cos(w * h), 0.0])
        left.append(np.linalg.norm(q[4:] - exact))
        assert q[:4] == pytest.approx([np.cos(0.5 * w * h), 0, 0, np.sin(0.5 * w * h)], abs=1e-15)
    assert left[0] / left[1] == pytest.approx(8.0, rel=0.05)


def test_prediction_to_second_order_needs_fewer_steps(monkeypatch):
    """The same path with the same bound on corrections, by both orders."""
    m = linkage.four_bar()
    m.add(sp.Driver("engine", "drive", linkage.ANGLE))
    path = {"drive.angle": np.linspace(0.7, 0.7 + 2 * pi, 7)}
    second = sp.transfer(m, path=path)
    monkeypatch.setattr(PathFollower, "order", 1)
    first = sp.transfer(m, path=path)
    assert second.values == pytest.approx(first.values, abs=1e-10)
    assert second.steps < first.steps and second.iterations < 0.8 * first.iterations


def triple_rocker() -> sp.Model:
    """A four-bar none of whose joints turns round: 1.2, 0.9, 0.6, 0.8 m, of masses at its pins."""
    m = sp.Model()
    bars = [m.add(sp.RigidBody(n, 1.0, inertia=0.1)) for n in ("left", "top", "right")]
    angle = 1.0
    x, y = 0.9 * np.cos(angle), 0.9 * np.sin(angle)
    d, way = hypot(1.2 - x, y), atan2(-y, 1.2 - x)
    top = way + np.arccos((d * d + 0.6**2 - 0.8**2) / (2 * d * 0.6))
    right = atan2(y + 0.6 * np.sin(top), x + 0.6 * np.cos(top) - 1.2)
    m.add(sp.Revolute("a", m.ground.at(0), bars[0].at(0), initial=angle, initial_rate=3.0))
    m.add(sp.Revolute("b", bars[0].at(0.9), bars[1].at(0), initial=top - angle))
    m.add(sp.Revolute("c", m.ground.at(1.2), bars[2].at(0), initial=right))
    m.add(sp.Revolute("d", bars[1].at(0.6), bars[2].at(0.8), initial=right - top))
    return m


def test_inputs_change_where_others_are_better():
    """Each joint of a triple rocker stops and turns back; given inputs are not exchanged."""
    m = triple_rocker()
    run = sp.simulate(m, 6.0, tolerance=1e-9, output=200)
    assert all(np.ptp(np.sign(run[j].angle_rate)) == 2 for j in "abcd")
    found = sp.transfer(m, path=run)
    assert len(set(found.inputs)) > 1 and min(p.margin for p in found) > 0.2
    for k, point in enumerate(found):
        w = rates_by_name(run.data.compiled, point, run.u[k])
        push = rates_by_name(run.data.compiled, point, run.a[k])
        assert point.velocities(w) == pytest.approx(run.u[k], abs=1e-7)
        assert point.accelerations(w, push) == pytest.approx(run.a[k], abs=1e-6)
    m = slider_crank()
    dead = m.copy()
    for name, x in (("shaft", 0.0), ("crankpin", 0.0), ("slide", 0.7), ("wristpin", 0.0)):
        dead.replace(name, initial=x)
    with pytest.raises(sp.ModelError) as caught:
        sp.transfer(dead, "slide", "shaft")
    assert str(caught.value) == (
        "transfer: inputs have 'slide.displacement', which tells no motion of its own, "
        "expected coordinates that do, e.g. 'crankpin.angle'"
    )


def test_positions_where_motions_branch_are_refused():
    m = sp.Model()
    bars = [m.add(sp.RigidBody(n, 1.0, inertia=0.1)) for n in ("left", "top", "right")]
    m.add(sp.Revolute("a", m.ground.at(0), bars[0].at(0)))
    m.add(sp.Revolute("b", bars[0].at(0.5), bars[1].at(0)))
    m.add(sp.Revolute("c", m.ground.at(1.0), bars[2].at(0)))
    m.add(sp.Revolute("d", bars[1].at(1.0), bars[2].at(0.5)))
    with pytest.raises(sp.ModelError, match="transfer: the position is singular, its motions bra"):
        sp.transfer(m, "a")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            {"inputs": "shft.angle"},
            "inputs is 'shft.angle', expected the name of a coordinate, did",
        ),
        ({"inputs": ["shaft", "slide"]}, "which tells no motion of its own, expected coordinates"),
        ({"inputs": []}, "inputs is (), expected names of coordinates"),
        ({"inputs": [3]}, "inputs is 3, expected names of coordinates"),
        ({"outputs": "ram"}, "outputs is 'ram', expected the name of a coordinate"),
        ({"outputs": sp.RigidBody("far", 1.0)}, "expected a body of the model, or a frame on one"),
        ({"path": {"shaft": [1.0, np.nan]}}, "path['shaft'] is"),
        ({"path": {}}, "path is"),
        ({"path": {"shaft": [1.0], "slide": [1.0, 2.0]}}, "as many for each"),
        ({"path": {"slide": [0.9]}}, "ends near 'slide.displacement' = 0.7,"),
        ({"at": 3}, "at is 3, expected a State or a Result"),
    ],
)
def test_wrong_arguments_get_one_sentence(arguments, sentence):
    with pytest.raises(sp.ModelError) as caught:
        sp.transfer(slider_crank(), **arguments)
    assert sentence in str(caught.value) and "\n" not in str(caught.value)


def test_more_sentences():
    found = sp.transfer(slider_crank(), "shaft")
    with pytest.raises(sp.SuppleError, match="Transfer: no output 'slid', did you mean 'slide"):
        found.of("slid")
    with pytest.raises(
        sp.ModelError, match=r"rates is .*, expected 1 finite numbers, one for each"
    ):
        found.velocities([1.0, 2.0])
    with pytest.raises(sp.ModelError, match="changes is 'slide', expected the name of an input"):
        found.predicted({"slide": 1.0})
    arm = sp.Model()
    bars = [arm.add(sp.RigidBody(n, 1.0, inertia=0.1)) for n in "ab"]
    arm.add(sp.Revolute("one", arm.ground.at(0), bars[0].at(0)))
    arm.add(sp.Revolute("two", bars[0].at(1), bars[1].at(0)))
    with pytest.raises(sp.ModelError) as caught:
        sp.transfer(arm, "one")
    assert str(caught.value).endswith(
        "expected 2 coordinates that tell all motion, e.g. 'one.angle', 'two.angle'"
    )
    held = sp.Model()
    bar = held.add(sp.RigidBody("bar", 1.0, inertia=0.1))
    held.add(sp.Fixed("weld", held.ground.at(0), bar.at(0)))
    with pytest.raises(sp.ModelError, match="expected one with a degree of freedom"):
        sp.transfer(held)
