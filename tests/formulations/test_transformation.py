"""Velocity transformation: two constructions, poses by hand, finite differences, dynamics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import supple
from oracles import oracle
from supple.formulations.transformation import body_poses, velocity_transformation
from supple.foundation.errors import ModelError

KINDS = (
    "Fixed",
    "Revolute",
    "Prismatic",
    "Cylindrical",
    "Universal",
    "Spherical",
    "Planar",
    "Free",
    "General",
)


def random_joint(kind: str, name: str, A, B, rng: np.random.Generator):
    """Joint of a kind with random axes."""
    axis = rng.normal(size=3)
    if kind in ("Revolute", "Prismatic", "Cylindrical"):
        return getattr(supple, kind)(name, A, B, axis=axis)
    if kind == "Universal":
        return supple.Universal(name, A, B, axes=(axis, rng.normal(size=3)))
    if kind == "Planar":
        return supple.Planar(name, A, B, normal="xyz"[rng.integers(3)])
    if kind == "General":
        motions = rng.permutation(["rotate", "translate"] * 3)[: rng.integers(2, 7)]
        axes = [(str(motion), rng.normal(size=3)) for motion in motions]
        return supple.General(name, A, B, axes=axes)
    return getattr(supple, kind)(name, A, B)


def random_model(kinds, rng: np.random.Generator, floating: bool = False) -> supple.Model:
    """Tree with the given joints on random places of random parents, every other one backwards."""
    m = supple.Model(gravity=rng.normal(size=3))
    placed = [m.ground]
    names = [f"b{i}" for i in range(len(kinds))]
    rng.shuffle(names)
    for i, kind in enumerate(kinds):
        a = rng.normal(size=(3, 3))
        inertia = np.trace(a @ a.T) * np.eye(3) - a @ a.T
        body = m.add(supple.RigidBody(names[i], rng.uniform(0.5, 2), rng.normal(size=3), inertia))
        parent = placed[-1] if rng.random() < 0.5 else placed[rng.integers(len(placed))]
        if floating and i:
            parent = placed[rng.integers(1, len(placed))]
        ends = [e.at(*rng.normal(size=3), rotation=rng.normal(size=3)) for e in (parent, body)]
        if i % 2:
            ends.reverse()
        m.add(random_joint(kind, f"j{i}", *ends, rng))
        placed.append(body)
    loaded = placed[rng.integers(1, len(placed))]
    m.add(supple.PointMass("load", loaded.at(*rng.normal(size=3)), 0.7))
    return m


def random_state(m: supple.Model, rng: np.random.Generator):
    """Coordinates and rates of every joint; quaternions have unit length."""
    q, u = {}, {}
    for name, joint in m.joints.items():
        q[name] = rng.normal(size=joint.nq)
        if joint.motions and joint.motions[0].kind in ("ball", "free"):
            q[name][:4] /= np.linalg.norm(q[name][:4])
        u[name] = rng.normal(size=joint.nu)
    return q, u


def cases():
    """Every kind alone, in both directions of travel, and mixed trees."""
    for kind in KINDS:
        for seed in (1, 2, 3):
            yield pytest.param([kind] * 3, seed, id=f"{kind}-{seed}")
    for seed in range(12):
        rng = np.random.default_rng(seed)
        kinds = [KINDS[k] for k in rng.integers(len(KINDS), size=rng.integers(3, 9))]
        yield pytest.param(kinds, seed, id=f"tree-{seed}")


CASES = list(cases())


def homogeneous(R, p) -> np.ndarray:
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def pose_in_joint(joint, x) -> np.ndarray:
    """Pose of B in A from the convention alone: motions composed in order."""
    T, i = np.eye(4), 0
    for motion in joint.motions:
        if motion.kind == "rotate":
            T = T @ homogeneous(Rotation.from_rotvec(motion.axis * x[i]).as_matrix(), np.zeros(3))
            i += 1
        elif motion.kind == "translate":
            T = T @ homogeneous(np.eye(3), motion.axis * x[i])
            i += 1
        else:
            R = Rotation.from_quat(x[i : i + 4], scalar_first=True).as_matrix()
            i += 4
            p = x[i : i + 3] if motion.kind == "free" else np.zeros(3)
            T = T @ homogeneous(R, p)
            i += 3
    return T


@pytest.mark.parametrize(("kinds", "seed"), CASES)
def test_poses_satisfy_every_joint(kinds, seed) -> None:
    """Pose of frame B = pose of frame A times the joint, whichever way the joint is crossed."""
    rng = np.random.default_rng(seed)
    m = random_model(kinds, rng)
    q, _ = random_state(m, rng)
    poses = body_poses(m, q) | {"ground": (np.eye(3), np.zeros(3))}
    assert list(poses)[:-1] == list(m.spanning_tree().order)
    for name, joint in m.joints.items():
        A, B = (
            homogeneous(*poses[f.body.name]) @ homogeneous(f.rotation, f.position)
            for f in (joint.A, joint.B)
        )
        np.testing.assert_allclose(A @ pose_in_joint(joint, q[name]), B, atol=1e-12)


@pytest.mark.parametrize(("kinds", "seed"), CASES)
def test_the_two_constructions_agree(kinds, seed) -> None:
    rng = np.random.default_rng(seed)
    m = random_model(kinds, rng)
    q, u = random_state(m, rng)
    one = velocity_transformation(m, q, u, method="path")
    two = velocity_transformation(m, q, u, method="recursive")
    np.testing.assert_allclose(one.B, two.B, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.B_dot, two.B_dot, rtol=0, atol=1e-12)
    assert list(one.bodies) == list(two.bodies) == list(m.spanning_tree().order)
    assert list(one.columns) == [e.joint for e in m.spanning_tree().tree]
    assert one.B.shape == (6 * len(m.bodies), sum(j.nu for j in m.joints.values()))


@pytest.mark.parametrize(("kinds", "seed"), CASES)
def test_velocities_are_the_rates_of_poses(kinds, seed) -> None:
    rng = np.random.default_rng(seed)
    m = random_model(kinds, rng)
    q, u = random_state(m, rng)
    t = velocity_transformation(m, q, u)
    velocity = t.B @ oracle.stack(t, u)
    h = 1e-5
    behind, ahead = (
        body_poses(m, oracle.move(m, q, {name: s * x for name, x in u.items()})) for s in (-h, h)
    )
    for name, rows in t.bodies.items():
        (R0, p0), (R1, p1) = behind[name], ahead[name]
        omega = Rotation.from_matrix(R1 @ R0.T).as_rotvec() / (2 * h)
        expected = np.concatenate([omega, (p1 - p0) / (2 * h)])
        scale = 1 + np.abs(expected).max()
        np.testing.assert_allclose(velocity[rows], expected, rtol=0, atol=1e-7 * scale)


@pytest.mark.parametrize("method", ["path", "recursive"])
@pytest.mark.parametrize(("kinds", "seed"), CASES)
def test_derivative_follows_the_motion(kinds, seed, method) -> None:
    rng = np.random.default_rng(seed)
    m = random_model(kinds, rng)
    q, u = random_state(m, rng)
    h = 1e-5
    behind, ahead = (
        velocity_transformation(
            m, oracle.move(m, q, {name: s * x for name, x in u.items()}), u, method=method
        ).B
        for s in (-h, h)
    )
    t = velocity_transformation(m, q, u, method=method)
    scale = 1 + np.abs(t.B_dot).max(initial=0) + np.abs(t.B).max(initial=0)
    np.testing.assert_allclose((ahead - behind) / (2 * h), t.B_dot, rtol=0, atol=1e-7 * scale)


def test_two_link_arm_by_hand() -> None:
    """Huang's arm: th1 about Y of the world, th2 about z of link 1, joint 2 at (0, 0, -0.231)."""
    m = supple.Model()
    one, two = m.add(supple.RigidBody("one", 1.0)), m.add(supple.RigidBody("two", 1.0))
    m.add(supple.Revolute("th1", m.ground.at(0, 0, 0), one.at(0, 0, 0), axis="y"))
    m.add(supple.Revolute("th2", one.at(0, 0, -0.231), two.at(0, 0, 0), axis="z"))
    a = 0.7
    t = velocity_transformation(m, {"th1": a, "th2": 0.4}, {"th1": 2.0, "th2": 3.0})
    s, c = np.sin(a), np.cos(a)
    expected = np.zeros((12, 2))
    expected[:, 0] = [0, 1, 0, 0, 0, 0, 0, 1, 0, -0.231 * c, 0, 0.231 * s]
    expected[6:, 1] = [s, 0, c, 0, 0, 0]
    np.testing.assert_allclose(t.B, expected, atol=1e-15)
    expected[:] = 0
    expected[9:, 0] = np.array([0.231 * s, 0, 0.231 * c]) * 2.0
    expected[6:, 1] = np.array([c, 0, -s, 0, 0, 0]) * 2.0
    np.testing.assert_allclose(t.B_dot, expected, atol=1e-15)


def test_missing_values_are_the_initial_ones() -> None:
    m = supple.Model()
    body = m.add(supple.RigidBody("body", 1.0))
    m.add(
        supple.Revolute(
            "hinge", m.ground.at(0, 0, 0), body.at(-1, 0, 0), initial=0.3, initial_rate=2.0
        )
    )
    t = velocity_transformation(m)
    given = velocity_transformation(m, {"hinge": [0.3]}, {"hinge": 2.0})
    np.testing.assert_array_equal(t.B, given.B)
    np.testing.assert_array_equal(t.B_dot, given.B_dot)
    np.testing.assert_allclose(t.B_dot[3:, 0], [-2 * np.cos(0.3), -2 * np.sin(0.3), 0])


def test_a_chord_has_no_columns() -> None:
    m = supple.Model()
    body = m.add(supple.RigidBody("body", 1.0))
    m.add(supple.Revolute("hinge", m.ground.at(0, 0, 0), body.at(0, 0, 0)))
    m.add(supple.Spherical("second", body.at(0, 0, 1), m.ground.at(0, 0, 1)))
    assert list(velocity_transformation(m).columns) == ["hinge"]


def test_wrong_input_is_refused() -> None:
    m = supple.Model()
    body = m.add(supple.RigidBody("body", 1.0))
    m.add(supple.Revolute("hinge", m.ground.at(0, 0, 0), body.at(0, 0, 0)))
    with pytest.raises(ModelError, match="method is 'fast', expected 'path' or 'recursive'"):
        velocity_transformation(m, method="fast")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="values are given for 'hnge'"):
        velocity_transformation(m, u={"hnge": 1.0})
    with pytest.raises(ModelError, match=r"Revolute 'hinge': coordinates is .*, expected 1 number"):
        velocity_transformation(m, {"hinge": [1.0, 2.0]})
    m.add(supple.RigidBody("lost", 1.0))
    with pytest.raises(ModelError, match="body 'lost' has no path to the ground"):
        velocity_transformation(m)


# ------------------------------------------------------------------------- the oracle built on B


def random_tree_model(seed: int, **options):
    rng = np.random.default_rng(100 + seed)
    kinds = [KINDS[k] for k in rng.integers(len(KINDS), size=5)]
    if options:
        kinds[0] = "Free"
    m = random_model(kinds, rng, **options)
    return m, *random_state(m, rng), rng


@pytest.mark.parametrize("seed", range(6))
def test_oracle_mass_matrix_kinetic_energy_and_efforts_agree(seed) -> None:
    m, q, u, rng = random_tree_model(seed)
    t = velocity_transformation(m, q, u)
    rates = oracle.stack(t, u)
    M = oracle.mass_matrix(m, q)
    np.testing.assert_allclose(M, M.T, atol=1e-12 * np.abs(M).max())
    energy = oracle.kinetic_energy(m, q, u)
    np.testing.assert_allclose(0.5 * rates @ M @ rates, energy, rtol=1e-12)
    a = rng.normal(size=rates.size)
    difference = oracle.inverse_dynamics(m, q, u, a) - oracle.inverse_dynamics(m, q, u)
    np.testing.assert_allclose(difference, M @ a, atol=1e-11 * np.abs(M @ a).max())


@pytest.mark.parametrize("seed", range(3))
def test_oracle_point_mass_is_a_small_body_fixed_there(seed) -> None:
    m, q, u, rng = random_tree_model(seed)
    other = supple.Model(gravity=m.gravity)
    for item in (*m.bodies.values(), *m.joints.values()):
        other.add(item)
    load = m.point_masses["load"]
    grain = other.add(supple.RigidBody("grain", load.mass))
    other.add(supple.Fixed("glue", load.frame, grain.at(0, 0, 0)))

    def by_joint(model: supple.Model, vector: np.ndarray) -> np.ndarray:
        values = oracle.split(velocity_transformation(model, q), vector)
        return np.concatenate([values[name] for name in m.joints])

    a = {name: rng.normal(size=joint.nu) for name, joint in m.joints.items()}
    one = by_joint(m, oracle.inverse_dynamics(m, q, u, a))
    glued = {"glue": np.zeros(0)}
    two = by_joint(other, oracle.inverse_dynamics(other, q, u | glued, a | glued))
    np.testing.assert_allclose(one, two, rtol=0, atol=1e-12 * np.abs(one).max())
    for quantity in (oracle.kinetic_energy, oracle.momentum):
        np.testing.assert_allclose(quantity(m, q, u), quantity(other, q, u | glued), rtol=1e-11)
    np.testing.assert_allclose(
        oracle.potential_energy(m, q), oracle.potential_energy(other, q), rtol=1e-11
    )


@pytest.mark.parametrize("seed", range(6))
def test_oracle_power_is_the_rate_of_energy(seed) -> None:
    """u . effort = d/dt (T + V) along the motion with constant rates."""
    m, q, u, _ = random_tree_model(seed)
    t = velocity_transformation(m, q, u)
    power = oracle.stack(t, u) @ oracle.inverse_dynamics(m, q, u)
    h = 1e-5

    def energy(s: float) -> float:
        at = oracle.move(m, q, {name: s * x for name, x in u.items()})
        return oracle.kinetic_energy(m, at, u) + oracle.potential_energy(m, at)

    scale = abs(power) + energy(0)
    np.testing.assert_allclose((energy(h) - energy(-h)) / (2 * h), power, atol=1e-7 * scale)


@pytest.mark.parametrize("seed", range(6))
def test_oracle_momentum_is_the_effort_of_a_free_base(seed) -> None:
    """Gyroscopic terms do no work, so energy misses them; the rate of momentum does not.

    The efforts of a free joint to the ground are the resultant of all external loads but gravity:
    its wrench at the base, moved to the world origin, plus gravity is the rate of momentum.
    """
    m, q, u, rng = random_tree_model(seed, floating=True)
    a = {name: rng.normal(size=joint.nu) for name, joint in m.joints.items()}
    t = velocity_transformation(m, q, u)
    effort = oracle.split(t, oracle.inverse_dynamics(m, q, u, a))["j0"]
    # Each rate of the base makes the whole system move rigidly: its twist at the world origin.
    base = m.spanning_tree().order[0]
    _, p = body_poses(m, q)[base]
    J = t.B[t.bodies[base], t.columns["j0"]]
    at_world_origin = np.vstack([J[:3], J[3:] + np.cross(p, J[:3].T).T])
    wrench = np.linalg.solve(at_world_origin.T, effort)
    for mass, c, _, origin in oracle.body_blocks(m, q).values():
        weight = mass * np.asarray(m.gravity)
        wrench += np.concatenate([np.cross(origin + c, weight), weight])
    h = 1e-5

    def total(s: float) -> np.ndarray:
        at = oracle.move(m, q, {n: s * u[n] + 0.5 * s**2 * a[n] for n in u})
        return oracle.momentum(m, at, {n: u[n] + s * a[n] for n in u})

    rate = (total(h) - total(-h)) / (2 * h)
    scale = 1 + np.abs(total(0)).max() + np.abs(wrench).max()
    np.testing.assert_allclose(rate, wrench, rtol=0, atol=1e-7 * scale)


# ------------------------------------------------------------------------------- flexible bodies


def arm_with_beam() -> tuple[supple.Model, supple.Beam]:
    """A beam of one element at whose end hangs a rigid body."""
    model = supple.Model()
    material = supple.Material(E=69e9, G=26e9, density=2770)
    beam = model.add(supple.Beam("beam", 1.0, supple.Rectangle(0.01, 0.01), material, elements=1))
    load = model.add(supple.RigidBody("load", 1.0))
    model.add(supple.Revolute("hinge", model.ground.at(0), beam.at(0), axis="z"))
    model.add(supple.Spherical("ball", beam.at(1.0), load.at(0, 0.2, 0)))
    return model, beam


def test_columns_of_a_beam_carry_its_name() -> None:
    model, beam = arm_with_beam()
    t = velocity_transformation(model)
    assert list(t.columns) == ["hinge", "beam", "ball"]
    assert list(t.columns.values()) == [slice(0, 1), slice(1, 7), slice(7, 10)]
    assert t.bodies == {"beam": slice(0, 12), "load": slice(12, 18)}
    names = beam.modal().coordinate_names
    assert names == ("u_1", "v_1", "w_1", "tx_1", "ty_1", "tz_1")
    # nodal coordinates, undeformed: the load's arm from the beam's end is (0, -0.2, 0)
    expected = np.zeros((6, 6))
    expected[:3, 3:] = expected[3:, :3] = np.eye(3)
    expected[3:, 3:] = np.cross(np.eye(3), [0.0, -0.2, 0.0]).T  # columns e x arm
    np.testing.assert_allclose(t.B[t.bodies["load"], t.columns["beam"]], expected, atol=1e-15)
    np.testing.assert_array_equal(t.B[t.bodies["beam"], t.columns["beam"]][:6], 0.0)
    np.testing.assert_array_equal(t.B[t.bodies["beam"], t.columns["beam"]][6:], np.eye(6))
    for name, (R, p) in body_poses(model).items():
        np.testing.assert_array_equal(R, t.poses[name][0])
        np.testing.assert_array_equal(p, t.poses[name][1])


def test_the_end_of_a_beam_turns_by_a_finite_rotation() -> None:
    """Bent by 0.4 rad about z the end takes the load along a circle, not along its tangent."""
    model, _ = arm_with_beam()
    bent = {"beam": [0, 0, 0, 0, 0, 0.4], "ball": [1, 0, 0, 0]}
    R, p = body_poses(model, bent)["load"]
    s, c = np.sin(0.4), np.cos(0.4)
    np.testing.assert_allclose(R, [[c, -s, 0], [s, c, 0], [0, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(p, [1 + 0.2 * s, -0.2 * c, 0], atol=1e-15)
    t = velocity_transformation(model, bent, {"beam": [0, 0, 0, 0, 0, 3.0]}, method="recursive")
    column = t.columns["beam"].start + 5
    np.testing.assert_allclose(
        t.B[t.bodies["load"], column], [0, 0, 1, 0.2 * c, 0.2 * s, 0], atol=1e-15
    )
    np.testing.assert_allclose(
        t.B_dot[t.bodies["load"], column], [0, 0, 0, -0.6 * s, 0.6 * c, 0], atol=1e-15
    )


def test_wrong_values_of_a_beam_are_refused() -> None:
    model, _ = arm_with_beam()
    for inspect in (velocity_transformation, body_poses):
        with pytest.raises(ModelError, match=r"Beam 'beam': coordinates is .*, expected 6 numbers"):
            inspect(model, {"beam": [1.0, 2.0]})
    with pytest.raises(ModelError, match=r"Beam 'beam': rates is .*, expected 6 numbers"):
        velocity_transformation(model, u={"beam": 1.0})
    with pytest.raises(ModelError, match="'load', expected the name of a joint or of a flexible"):
        velocity_transformation(model, {"load": 1.0})


def test_a_body_of_unknown_kind_is_refused() -> None:
    """B without its elastic columns would be wrong and look right."""

    class Blob(supple.bodies.Body):
        name = "blob"

    model = supple.Model()
    blob = model.add(Blob())
    model.add(supple.Revolute("hinge", model.ground.at(0), blob.at(0)))
    with pytest.raises(ModelError, match="Blob 'blob': the velocity transformation does not know"):
        velocity_transformation(model)
