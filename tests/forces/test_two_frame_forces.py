"""Forces between two frames: functions, springs along axes, bushings with matrices.

And springs between two coordinates.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import supple as sp

BOTH = (sp.Radau(), sp.DormandPrince())


def pair(gravity=(0, 0, 0)) -> sp.Model:
    """Two spinning bodies in space; the joint between them leaves everything free."""
    m = sp.Model(gravity=gravity)
    one = m.add(sp.RigidBody("one", 2.0, (0.1, 0.05, 0), (0.2, 0.3, 0.4)))
    two = m.add(sp.RigidBody("two", 1.0, (0, 0.1, 0.05), (0.1, 0.15, 0.2)))
    turned = (0.9, 0.1, 0.3, -0.2, 0.6, 0.3, 0.1)
    m.add(sp.Free("first", m.ground.at(0), one.at(0), initial_rate=(1.0, 2.0, -0.5, 0.3, 0, 0.2)))
    m.add(sp.Free("second", one.at(0), two.at(0), turned, (-1.0, 0.5, 2.0, -0.4, 0.2, 0.1)))
    return m


def ends(m: sp.Model) -> tuple[sp.Frame, sp.Frame]:
    return m["one"].at(0.2, 0.1, 0, rotation=(0.3, 0.2, 0.1)), m["two"].at(0.1, 0, 0.2)


def random_state(eq, seed=3):
    rng = np.random.default_rng(seed)
    return eq.retract(eq.q0, 0.4 * rng.normal(size=eq.nu)), *rng.normal(size=(2, eq.nu))


def momentum(r: sp.results.Result, m: sp.Model) -> np.ndarray:
    """Angular momentum about the origin and linear momentum (nt, 6), from motions of the bodies."""
    total = np.zeros((len(r.t), 6))
    for name, body in m.bodies.items():
        view, spin = r[name], r[name].angular_velocity
        arm = np.einsum("tij,j->ti", view.matrix, body.com)
        linear = body.mass * (view.velocity + np.cross(spin, arm))
        inertia = view.matrix @ body.inertia_com @ np.swapaxes(view.matrix, 1, 2)
        total[:, :3] += np.einsum("tij,tj->ti", inertia, spin)
        total[:, :3] += np.cross(view.position + arm, linear)
        total[:, 3:] += linear
    return total


def momentum_drift(r: sp.results.Result, m: sp.Model) -> tuple[float, float]:
    """Largest change of angular and linear momentum."""
    found = momentum(r, m)
    change = np.abs(found - found[0])
    return change[:, :3].max(), change[:, 3:].max()


FULL = np.random.default_rng(8).normal(size=(2, 6, 6))
K, C = 40.0 * FULL[0] @ FULL[0].T, 0.5 * FULL[1] @ FULL[1].T
P = np.array([3.0, -2.0, 1.0, 0.4, 0.5, -0.6])


def bushing_function(t: float, s: sp.forces.PairState) -> tuple[np.ndarray, np.ndarray]:
    """A bushing with matrices, from its energy."""
    f = Rotation.from_matrix(s.rotation).as_rotvec()
    angle, S = np.linalg.norm(f), np.cross(np.eye(3), f)
    L = np.eye(3) - S / 2 + (1 - angle / 2 / math.tan(angle / 2)) / angle**2 * S @ S
    load = K @ [*s.position, *f] + C @ [*s.velocity, *(L @ s.angular_velocity)] - P
    return -load[:3], -L.T @ load[3:]


# ---------------------------------------------------------------------------------------- functions


def swirl(t: float, s: sp.forces.PairState) -> tuple[np.ndarray, np.ndarray]:
    """A law without symmetry or energy."""
    push = np.cross((1.0, 2.0, 0.5), s.position) - 0.3 * s.velocity + (math.sin(3 * t), 0.4, 0)
    return push, 0.2 * s.rotation[:, 1] - 0.1 * s.angular_velocity + 0.3 * s.position


@pytest.mark.parametrize("integrator", BOTH)
def test_a_function_keeps_momentum(integrator):
    """Whatever it does: opposite wrenches about the same point. Its work is what is gained."""
    m = pair()
    m.add(sp.PairFunction("law", *ends(m), swirl))
    r = sp.simulate(m, 2.0, integrator=integrator, tolerance=1e-9, output=40)
    assert r.success and r.energy.level == "trusted"
    assert len(r.momentum) == 6 and r.momentum.level == "trusted"
    assert max(momentum_drift(r, m)) < 1e-6  # of some 200 steps with an error of 1e-9
    gained = r.energy.kinetic - r.energy.kinetic[0]
    assert np.abs(gained).max() > 0.1
    assert_allclose(r["law"].work, gained, atol=1e-6)
    assert r.dataset["law.force"].attrs["units"] == "N"


def test_what_a_function_sees_and_does():
    """Place, axes and rates in the axes of A; the force on B, in the axes of A, at B."""
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 2.0, inertia=(0.1, 0.1, 0.1)))
    start, rate = (1, 0, 0, 0, 0.5, 0.1, 0.2), (0, 0, 0.7, 1.0, 2.0, 3.0)
    m.add(sp.Free("air", m.ground.at(0), body.at(0), start, rate))
    seen = []

    def law(t, s):
        seen.append(s)
        return (4.0, 0.0, 0.0), (0.0, 0.5, 0.0)

    turn = Rotation.from_rotvec([0, 0, math.pi / 2])  # A's x is the world's y
    base = m.ground.at(0.2, 0, 0, rotation=turn.as_matrix())
    m.add(sp.PairFunction("law", base, body.at(0.1), law))
    eq = sp.JointCoordinates().equations(m)
    force = -eq.residual(0.0, eq.q0, eq.u0, np.zeros(6)) + np.array(
        # what turns and moves without force: the body's own inertia terms
        sp.JointCoordinates().equations(without(m)).residual(0.0, eq.q0, eq.u0, np.zeros(6))
    )
    world = turn.as_matrix()
    assert_allclose(seen[0].position, world.T @ [0.4, 0.1, 0.2], atol=1e-14)
    assert_allclose(seen[0].rotation, world.T, atol=1e-14)
    assert_allclose(seen[0].velocity, world.T @ [1.0, 2.0 + 0.07, 3.0], atol=1e-14)
    assert_allclose(seen[0].angular_velocity, [0, 0, 0.7], atol=1e-14)
    # 4 N along the world's y at (0.1, 0, 0) of the body; 0.5 N m about the world's -x
    assert_allclose(force, [-0.5, 0.0, 0.4, 0.0, 4.0, 0.0], atol=1e-13)


def without(m: sp.Model) -> sp.Model:
    bare = sp.Model(gravity=m.gravity)
    for item in (*m.bodies.values(), *m.joints.values()):
        bare.add(item)
    return bare


def test_a_function_seen_from_a_moving_frame():
    """Rates are those of the place seen from A: a point that rests in A has none."""
    m = sp.Model()
    one, two = (m.add(sp.RigidBody(n, 1.0, inertia=(0.1, 0.2, 0.3))) for n in ("one", "two"))
    m.add(sp.Free("air", m.ground.at(0), one.at(0), initial_rate=(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)))
    m.add(sp.Fixed("weld", one.at(0.5, 0.2, 0.1), two.at(0)))
    seen = []

    def law(t, s):
        seen.append(s)
        return np.zeros(3)

    m.add(sp.PairFunction("law", one.at(0.1), two.at(0.3), law))
    eq = sp.JointCoordinates().equations(m)
    eq.residual(0.0, eq.q0, eq.u0, np.zeros(6))
    assert_allclose(seen[0].position, [0.7, 0.2, 0.1], atol=1e-14)
    assert_allclose(seen[0].velocity, 0.0, atol=1e-14)
    assert_allclose(seen[0].angular_velocity, 0.0, atol=1e-14)


def test_a_function_does_what_a_bushing_does():
    """The same loads, and tangents within the error of their differences."""
    found = []
    for function in (False, True):
        m = pair()
        frames = ends(m)
        element = sp.PairFunction("law", *frames, bushing_function)
        m.add(element if function else sp.Bushing("law", *frames, K, C, P))
        eq = sp.JointCoordinates().equations(m)
        q, u, a = random_state(eq)
        t = eq.tangents(0.0, q, u, a)
        found.append((t[0], t.Rq, t.Ru))
    (r, Rq, Ru), (r2, Rq2, Ru2) = found
    assert_allclose(r2, r, rtol=0, atol=1e-12 * np.abs(r).max())
    # forward differences with the root of the rounding unit
    assert_allclose(Rq2, Rq, rtol=0, atol=1e-6 * np.abs(Rq).max())
    assert_allclose(Ru2, Ru, rtol=0, atol=1e-6 * np.abs(Ru).max())


@pytest.mark.slow
def test_a_function_on_a_beam():
    """Attached to a deforming point: as a spring there."""
    tips = []
    for function in (False, True):
        m = sp.Model(gravity=(0, 0, -9.81))
        material = sp.Material(E=1e8, G=4e7, density=1e3)
        beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.02), material, elements=2))
        m.add(sp.Fixed("clamp", m.ground.at(0), beam.at(0)))
        bob = m.add(sp.RigidBody("bob", 0.2, inertia=1e-3))
        m.add(sp.Free("air", m.ground.at(0), bob.at(0), (1, 0, 0, 0, 1.0, 0.1, -0.4), (0,) * 6))
        frames = beam.at(1.0), bob.at(0)

        def cord(t, s):
            length = np.linalg.norm(s.position)
            rate = s.position @ s.velocity / length
            return -(30.0 * (length - 0.2) + 0.5 * rate) * s.position / length

        element = sp.PairFunction("cord", *frames, cord)
        m.add(element if function else sp.SpringDamper("cord", *frames, 30.0, 0.5, 0.2))
        r = sp.simulate(m, 0.5, tolerance=1e-9, output=4)
        assert r.energy.level == "trusted"
        tips.append([r["beam"].at(1.0).position, r["bob"].position])
    assert_allclose(tips[1], tips[0], atol=1e-7)


def test_a_function_between_frames_that_fails():
    m = pair()
    m.add(sp.PairFunction("law", *ends(m), lambda t, s: [1.0] if t > 0.5 else np.zeros(3)))
    with pytest.warns(sp.SuppleWarning):
        r = sp.simulate(m, 1.0)
    assert "PairFunction 'law': its function returned 1 numbers, expected 3" in r.message
    assert 0.4 < r.t[-1] < 0.51
    with pytest.raises(sp.ModelError, match=r"PairFunction 'x': B is .*another body than A"):
        sp.PairFunction("x", m["one"].at(0), m["one"].at(1), swirl)
    with pytest.raises(sp.ModelError, match="function is 3, expected a function, function"):
        sp.PairFunction("x", *ends(m), 3)


# --------------------------------------------------------------------------------------- along axes


def test_frequencies_along_the_axes_of_the_world():
    """A turned body: its own axes do not matter, the world's do."""
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 2.0, inertia=(0.1, 0.2, 0.3)))
    start = (0.8, 0.6, 0, 0, 0.5, 0.4, 0.3)
    m.add(sp.Free("air", m.ground.at(0), body.at(0), start, (0,) * 6))
    k, c, rest = np.array([50.0, 80.0, 200.0]), np.array([1.0, 0.0, 4.0]), (0.2, 0.1, 0.1)
    m.add(sp.CartesianSpring("mount", m.ground.at(0), body.at(0), k, c, rest))
    r = sp.simulate(m, 1.0, tolerance=1e-10, output=10)
    for i in range(3):
        matrix = np.array([[0.0, 1.0], [-k[i] / 2.0, -c[i] / 2.0]])
        x0 = np.array([start[4 + i] - rest[i], 0.0])
        way = np.array([expm(matrix * t) @ x0 for t in r.t])[:, 0]
        assert_allclose(r["body"].position[:, i], rest[i] + way, atol=1e-8)
    assert_allclose(r["mount"].force[0], -k * (0.3, 0.3, 0.2), atol=1e-12)  # on B
    assert_allclose(r["body"].angular_velocity, 0.0, atol=1e-12)
    gone = r.energy.kinetic + r.energy.elastic
    assert_allclose(r["mount"].dissipated, gone[0] - gone, atol=1e-9)
    assert r.energy.level == "trusted"


def test_axes_of_the_world_keep_linear_momentum_only():
    """The rate of angular momentum is the moment of two opposite forces at two points."""
    m = pair()
    spring = sp.CartesianSpring("mount", *ends(m), (50.0, 80.0, 200.0), (0.0, 0.3, 0.1))
    m.add(spring)
    r = sp.simulate(m, 1.0, tolerance=1e-10, output=2000)
    assert r.energy.level == "trusted"
    angular, linear = momentum_drift(r, m)
    assert linear < 1e-7 and angular > 1.0
    a, b = (r[n].position + np.einsum("tij,j->ti", r[n].matrix, f.position)
            for n, f in zip(("one", "two"), (spring.A, spring.B), strict=True))  # fmt: skip
    moment = np.cross(b - a, r["mount"].force)
    rate = np.gradient(momentum(r, m)[:, :3], r.t, axis=0)
    # central differences with steps of 0.5 ms of what oscillates with some 20 rad/s
    assert_allclose(rate[1:-1], moment[1:-1], atol=1e-3 * np.abs(moment).max())
    watched = " ".join(record.name for record in r.momentum)  # the audit knows
    assert "linear" in watched and "angular" not in watched


def test_axes_of_the_world_at_the_ground_are_those_of_a_bushing():
    found = []
    for cls in (sp.CartesianSpring, sp.Bushing):
        m = pair()
        k = np.array([50.0, 80.0, 200.0])
        more = () if cls is sp.CartesianSpring else (0, 0, 0)
        frames = m.ground.at(0.1, 0.2, 0.3), m["two"].at(0.1, 0, 0.2)
        m.add(cls("mount", *frames, (*k, *more), (*(0.1 * k), *more)))
        eq = sp.JointCoordinates().equations(m)
        q, u, a = random_state(eq)
        t = eq.tangents(0.0, q, u, a)
        found.append(np.concatenate([t[0][None], t.Rq, t.Ru]))
    assert_allclose(found[1], found[0], rtol=0, atol=1e-12 * np.abs(found[0]).max())


def test_sentences_of_springs_along_axes():
    m = pair()
    with pytest.raises(sp.ModelError, match=r"Spring 'x': stiffness is .*, expected 3 numbers"):
        sp.CartesianSpring("x", *ends(m), (1.0, 2.0))
    with pytest.raises(sp.ModelError, match=r"damping is .*, expected 3 numbers, zero or positive"):
        sp.CartesianSpring("x", *ends(m), 1.0, (1.0, -2.0, 0.0))
    with pytest.raises(sp.ModelError, match=r"rest is .*, expected 3 finite numbers"):
        sp.CartesianSpring("x", *ends(m), 1.0, 1.0, 0.5)
    assert_allclose(sp.CartesianSpring("x", *ends(m), 3.0).stiffness, 3.0)


# ----------------------------------------------------------------------------- bushings of matrices


def test_a_diagonal_matrix_is_six_numbers():
    found = []
    six = np.array([200.0, 300.0, 400.0, 5.0, 6.0, 7.0])
    for stiffness, damping in ((six, 0.1 * six), (np.diag(six), np.diag(0.1 * six))):
        m = pair()
        m.add(sp.Bushing("mount", *ends(m), stiffness, damping))
        eq = sp.JointCoordinates().equations(m)
        q, u, a = random_state(eq)
        t = eq.tangents(0.0, q, u, a)
        found.append(np.concatenate([t[0][None], t.Rq, t.Ru]))
    assert np.array_equal(*found)


def test_the_wrench_is_the_gradient_of_the_energy():
    """At rotations of more than a right angle, with preload, by differences of the energy."""
    m = pair()
    m.add(sp.Bushing("mount", *ends(m), K, 0.0, P))
    eq = sp.JointCoordinates().equations(m)
    rest, zero = np.zeros(eq.nu), np.zeros(eq.nu)
    for seed in range(4):
        q = eq.retract(random_state(eq, seed)[0], 0.7 * np.ones(eq.nu))
        h = 1e-5
        slope = [
            (eq.energies(0.0, eq.retract(q, h * e), rest).elastic
             - eq.energies(0.0, eq.retract(q, -h * e), rest).elastic) / (2 * h)
            for e in np.eye(eq.nu)
        ]  # fmt: skip
        force = eq.residual(0.0, q, rest, zero)
        # an energy of some 1e3 J in double precision, divided by h; the third derivative times h^2
        assert_allclose(force, slope, rtol=0, atol=1e-6 * np.abs(force).max())


def test_a_bushing_of_matrices_keeps_energy_and_momentum():
    m = pair()
    m.add(sp.Bushing("mount", *ends(m), 0.1 * K, 0.0, P))
    r = sp.simulate(m, 1.0, tolerance=1e-10, output=20)
    total = r.energy.kinetic + r.energy.elastic
    assert r.energy.level == "trusted"
    assert np.ptp(total) < 1e-6 and np.ptp(r.energy.kinetic) > 1.0
    assert max(momentum_drift(r, m)) < 1e-7


def test_preload_shifts_the_rest():
    """Force and torque on B where the frames coincide; at rest K x = P."""
    small = 0.05 * P
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 2.0, inertia=(0.1, 0.2, 0.3)))
    m.add(sp.Free("air", m.ground.at(0), body.at(0)))
    mount = sp.Bushing("mount", m.ground.at(0), body.at(0), K, C, small)
    m.add(mount)
    eq = sp.JointCoordinates().equations(m)
    push = -eq.residual(0.0, eq.q0, np.zeros(6), np.zeros(6))
    assert_allclose(push, np.roll(small, 3), atol=1e-13)
    x = np.linalg.solve(K, small)
    turn = Rotation.from_rotvec(x[3:])
    w, place = turn.as_quat()[[3, 0, 1, 2]], x[:3]
    q, _ = eq.compiled.from_user("air", np.array([*w, *place]), np.zeros(6))
    assert_allclose(eq.residual(0.0, q, np.zeros(6), np.zeros(6)), 0.0, atol=1e-12)
    assert_allclose(eq.energies(0.0, q, np.zeros(6)).elastic, -0.5 * small @ x, rtol=1e-10)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"stiffness": np.eye(5)}, "stiffness is .*, expected 6 numbers, zero or positive"),
        ({"stiffness": np.eye(6) + np.eye(6, k=1)}, r"stiffness\[0, 1\] is 1.0, expected 0.0, as"),
        ({"damping": np.diag([1, 1, 1, 1, 1, -1.0])}, "least eigenvalue of damping is -1.0"),
        ({"stiffness": np.eye(6) + 2 * np.eye(6)[::-1]}, "least eigenvalue of stiffness is -1.0"),
        ({"preload": (1, 2, 3)}, "preload is .*, expected 6 finite numbers in N and N m"),
    ],
)
def test_sentences_of_bushings(options, sentence):
    m = pair()
    with pytest.raises(sp.ModelError, match=f"Bushing 'x': {sentence}"):
        sp.Bushing("x", *ends(m), **options)


def test_stiff_and_soft_directions_together():
    """Units of the six directions differ by many powers of ten; a semi-definite matrix is one."""
    m = pair()
    arm = np.array([[1.0, 0, 0, 0, 0.01, 0]])  # one spring at a lever arm
    assert sp.Bushing("x", *ends(m), 1e9 * arm.T @ arm).stiffness.shape == (6, 6)


# ------------------------------------------------------------------------------ between coordinates


def wheels(**options) -> sp.Model:
    m = sp.Model()
    inertias = (0.5, 0.2)
    for k, inertia in enumerate(inertias):
        disc = m.add(sp.RigidBody(f"disc{k}", 1.0, inertia=(1, 1, inertia)))
        m.add(sp.Revolute(f"axle{k}", m.ground.at(k), disc.at(0), "z", initial=0.3 * k))
    m.add(sp.CoordinateSpring("band", "axle0", "axle1", **options))
    return m


@pytest.mark.parametrize("integrator", BOTH)
def test_two_wheels_and_a_spring(integrator):
    """The stretch oscillates with k (1/I1 + r^2/I2); r I1 w1 + I2 w2 stays."""
    k, ratio = 30.0, 2.5
    r = sp.simulate(
        wheels(stiffness=k, ratio=ratio, rest=0.1), 2.0, integrator=integrator, tolerance=1e-9
    )
    omega = math.sqrt(k * (1 / 0.5 + ratio**2 / 0.2))
    stretch = r["axle0"].angle - ratio * r["axle1"].angle - 0.1
    assert_allclose(stretch, -(0.75 + 0.1) * np.cos(omega * r.t), atol=1e-6)
    kept = ratio * 0.5 * r["axle0"].angle_rate + 0.2 * r["axle1"].angle_rate
    assert_allclose(kept, 0.0, atol=1e-6)
    assert_allclose(r["band"].efforts[:, 0], -k * stretch, atol=1e-9)
    assert_allclose(r["band"].efforts[:, 1], ratio * k * stretch, atol=1e-9)
    assert_allclose(r.energy.elastic, 0.5 * k * stretch**2, atol=1e-9)
    assert r.energy.level == "trusted"
    assert r.dataset["band.effort_2"].attrs["units"] == "N m"


def test_a_damped_coupling():
    r = sp.simulate(wheels(damping=0.3), 30.0, tolerance=1e-9)
    assert_allclose(r["axle0"].angle_rate[-1], r["axle1"].angle_rate[-1], atol=1e-9)
    r = sp.simulate(wheels(stiffness=20.0, damping=0.3), 30.0, tolerance=1e-9)
    assert_allclose(r["band"].dissipated[-1], 10.0 * 0.3**2, rtol=1e-7)
    assert r.energy.level == "trusted"


def test_a_coupling_of_a_shaft_and_a_slide():
    """The shaft counts with its own angle."""
    m = sp.Model()
    disc = m.add(sp.RigidBody("disc", 1.0, inertia=(1, 1, 0.5)))
    block = m.add(sp.RigidBody("block", 2.0, inertia=1.0))
    m.add(sp.Revolute("axle", m.ground.at(0), disc.at(0), "z", initial=0.2))
    m.add(sp.Prismatic("rail", m.ground.at(0), block.at(0), "x", initial=0.1))
    motor = m.add(sp.Motor("motor", "axle", inertia=0.01, ratio=4.0))
    m.add(sp.CoordinateSpring("rope", ("rail", "displacement"), motor, stiffness=50.0, ratio=0.05))
    r = sp.simulate(m, 0.1, output=3)
    stretch = r["rail"].displacement - 0.05 * 4.0 * r["axle"].angle
    assert_allclose(r["rope"].efforts[:, 0], -50.0 * stretch, rtol=1e-12)
    assert_allclose(r["rope"].efforts[:, 1], 0.05 * 50.0 * stretch, rtol=1e-12)
    assert [r.dataset[f"rope.effort_{k}"].attrs["units"] for k in (1, 2)] == ["N", "N m"]
    assert_allclose(r["rail"].effort[:, 0], -50.0 * stretch, rtol=1e-12)
    assert r.energy.level == "trusted"


def test_sentences_of_couplings():
    with pytest.raises(
        sp.ModelError, match=r"CoordinateSpring 'x': second is .*, expected another"
    ):
        sp.CoordinateSpring("x", "axle", "axle")
    with pytest.raises(
        sp.ModelError, match=r"CoordinateSpring 'x': ratio is 0.0, expected a number"
    ):
        sp.CoordinateSpring("x", "axle", "rail", ratio=0.0)
    with pytest.raises(sp.ModelError, match="CoordinateSpring 'x': first is 3, expected a joint"):
        sp.CoordinateSpring("x", 3, "rail")
    with pytest.raises(sp.ModelError, match="nothing"):
        wheels().add(sp.CoordinateSpring("x", "nothing", "axle0"))
