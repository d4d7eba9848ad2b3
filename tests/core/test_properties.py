"""Laws that hold for every tree of rigid bodies, tried on random ones.

Nothing here knows how the engine works, only what it must satisfy. Derivatives along a motion are
central differences of order six in functions that are smooth to the last digit; tangents are
checked by complex steps through the very same kernels.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.spatial.transform import Rotation

import supple
from models.random_models import (
    KINDS,
    Recipe,
    State,
    examples,
    random_coordinates,
    rebuilt,
    recipes,
    rotation,
)
from oracles import oracle
from oracles.flexible_oracle import bushing_law, spring_law
from oracles.residual_laws import (
    POINTS,
    STEP,
    Array,
    along,
    check_tangents,
    close,
    controllers,
    coupling_law,
    derivative,
    equations,
    joint_law,
    joint_place,
)
from supple.formulations.equations import Equations


def user_state(eq: Equations, q: Array, u: Array) -> tuple[dict[str, Array], Array]:
    """Coordinates by joint and rates as one vector in the user's convention."""
    pairs = {name: eq.compiled.to_user(name, q, u) for name in eq.compiled.joints}
    rates = np.concatenate([np.zeros(0), *(r for _, r in pairs.values())])
    return {name: x for name, (x, _) in pairs.items()}, rates


def rate_map(eq: Equations, q: Array) -> Array:
    """Matrix (nu, nu) from engine velocities to the user's rates."""
    columns = [user_state(eq, q, e)[1] for e in np.eye(eq.nu)]
    return np.array(columns).reshape(eq.nu, eq.nu).T


def places(eq: Equations, history, frame: supple.Frame) -> tuple[Array, Array]:
    """World rotation (nt, 3, 3) and place (nt, 3) of a frame."""
    if frame.body.name == "ground":
        n = len(history.p)
        return np.tile(frame.rotation, (n, 1, 1)), np.tile(frame.position, (n, 1))
    k = eq.compiled.body_names.index(frame.body.name)
    R = history.R[:, k]
    return R @ frame.rotation, history.p[:, k] + R @ frame.position


def relative(eq: Equations, history, joint: supple.joints.Joint) -> tuple[Array, Array]:
    """Pose of B in A, (nt, 3, 3) and (nt, 3)."""
    (Ra, pa), (Rb, pb) = (places(eq, history, frame) for frame in (joint.A, joint.B))
    turn = np.swapaxes(Ra, 1, 2)
    return turn @ Rb, np.einsum("tij,tj->ti", turn, pb - pa)




def axial(S: Array) -> Array:
    """Vector of a skew matrix."""
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2.0


# ----------------------------------------------------------------------------- the trees themselves


def test_random_models_contain_everything():
    found = set()
    for seed in range(12):
        recipe = Recipe(KINDS, seed, forces="all")
        model = recipe.model()
        ends = set()
        for edge in model.spanning_tree().tree:
            joint = model.joints[edge.joint]
            found.add((type(joint).__name__, edge.reversed))
            ends.add(edge.parent)
        found.update(type(f).__name__ for f in model.forces.values())
        found.update(type(s).__name__ for f in model.forces.values() for s in f.signals)
        found.add(("branches", len(ends) < len(model.bodies)))
        found.add(("point masses", bool(model.point_masses)))
        for f in model.forces.values():
            if isinstance(f, supple.Force):
                found.add(f.axes)
            if getattr(f, "spring", None) is not None:
                found.add(("laws", type(f).__name__))
            if isinstance(f, supple.Bushing) and np.any(f.preload):
                found.add("preload")
            if isinstance(f, supple.SpringDamper):
                found.add(("spring", f.A.body.name == "ground", f.B.body.name == "ground"))
    wanted = {(kind, side) for kind in KINDS for side in (False, True)}
    wanted |= {"Force", "SpringDamper", "JointSpring", "JointEffort", "PID", "world", "body"}
    wanted |= {"Bushing", "JointFriction", "JointStop", "Motor", "CartesianSpring"}
    wanted |= {"CoordinateSpring", ("laws", "JointSpring"), ("laws", "SpringDamper"), "preload"}
    wanted |= {"Constant", "Sine", "SmoothStep", "Polynomial", "Table"}
    wanted |= {"Expression", "Combination"}
    wanted |= {("spring", True, False), ("spring", False, True), ("spring", False, False)}
    assert wanted | {("branches", True), ("point masses", True)} <= found


# ------------------------------------------------------------------------- against the NumPy oracle


@examples(60)
@given(recipes())
def test_mass_matrix(recipe):
    """Symmetric, positive definite, Hessian of the kinetic energy, and B^T M B of the oracle."""
    model = recipe.model()
    eq = equations(model)
    s = recipe.state(eq)
    M = eq.mass_matrix(s.q)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0.0

    i, j = np.triu_indices(eq.nu)
    pairs = np.eye(eq.nu)[i] + np.eye(eq.nu)[j]
    rows = np.vstack([pairs, np.eye(eq.nu)])
    n = len(rows)
    history = eq.history(np.zeros(n), np.tile(s.q, (n, 1)), rows, np.zeros((n, 0)))[1]
    kinetic = history.energy[:, 0]
    hessian = np.zeros_like(M)
    single = kinetic[len(pairs) :]
    hessian[i, j] = hessian[j, i] = kinetic[: len(pairs)] - single[i] - single[j]
    close(M, hessian, 1e-11)

    T = rate_map(eq, s.q)
    q, _ = user_state(eq, s.q, s.u)
    close(M, T.T @ oracle.mass_matrix(model, q) @ T, 1e-11)


@examples(60)
@given(recipes())
def test_residual_energy_and_momentum_equal_the_oracle(recipe):
    """M a + h of models without forces is the oracle's inverse dynamics, in engine velocities."""
    model = recipe.model()
    eq = equations(model)
    s = recipe.state(eq)
    q, rates = user_state(eq, s.q, s.u)
    T = rate_map(eq, s.q)
    moved = [user_state(eq, eq.retract(s.q, k * STEP * s.u), s.u)[1] for k in POINTS]
    accelerations = T @ s.a + derivative(np.array(moved))
    efforts = oracle.inverse_dynamics(model, q, rates, accelerations)
    close(eq.residual(s.t, s.q, s.u, s.a), T.T @ efforts, 1e-10)
    energies = eq.energies(s.t, s.q, s.u)
    close(energies.kinetic, oracle.kinetic_energy(model, q, rates), 1e-11)
    close(energies.gravity, oracle.potential_energy(model, q), 1e-11)
    assert energies.elastic == 0.0
    close(eq.momentum(s.q, s.u), oracle.momentum(model, q, rates), 1e-11)


@examples(60)
@given(recipes(forces="all"))
def test_forward_and_inverse_dynamics_invert_each_other(recipe):
    eq = equations(recipe.model())
    s = recipe.state(eq)
    effort = eq.residual(s.t, s.q, s.u, s.a, s.z)
    close(eq.accelerate(s.t, s.q, s.u, s.z, effort=effort), s.a, 1e-9, _reach(eq, s))
    effort = 5.0 * s.a
    a = eq.accelerate(s.t, s.q, s.u, s.z, effort=effort)
    loads = np.abs(eq.mass_matrix(s.q)) @ np.abs(a)
    close(eq.residual(s.t, s.q, s.u, a, s.z), effort, 1e-11, loads.max())
    close(eq.accelerate(s.t, s.q, s.u, s.z), eq.body_states(s.t, s.q, s.u, s.z)[0], 1e-9)


def _reach(eq: Equations, s: State) -> float:
    """Size of the accelerations that the model's own loads make: rounding is relative to them."""
    return float(np.abs(eq.accelerate(s.t, s.q, s.u, s.z)).max())


# --------------------------------------------------------------------------------- balances in time


@examples(80)
@given(recipes(forces="all"))
def test_power_balance(recipe):
    """Energy changes by the power of the forces, less what dampers take."""
    eq = equations(recipe.model())
    s = recipe.state(eq)
    a = eq.accelerate(s.t, s.q, s.u, s.z)
    rates = derivative(along(eq, s, a).energy)
    near = derivative(along(eq, s, a, 0.1 * STEP).energy, 0.1 * STEP)
    # not across a kink: the rotation of a bushing goes the other way round beyond half a turn
    assume(np.abs(rates - near).max() < 1e-6 * (1.0 + np.abs(rates).max()))
    power = eq.power(s.t, s.q, s.u, s.z)
    sign = np.where(eq.compiled.force_dissipates, -1.0, 1.0)
    # a quadratic form of a matrix is rounded to a unit of its terms
    assert np.all(power[sign < 0.0] >= -1e-14 * np.abs(power).max())
    size = np.abs(rates).max() + np.abs(power).sum()
    close(rates.sum(), sign @ power, 1e-9, size)


@examples(40)
@given(recipes(forces="internal", floating=True, gravity=False))
def test_momentum_of_a_floating_system_is_constant(recipe):
    eq = equations(recipe.model())
    s = recipe.state(eq)
    path = along(eq, s, eq.accelerate(s.t, s.q, s.u, s.z))
    angular, linear = np.split(derivative(path.momentum), 2)
    size = _load_sizes(recipe, eq, s)
    assert np.abs(angular).max() < 1e-9 * size[0]
    assert np.abs(linear).max() < 1e-9 * size[1]


@examples(40)
@given(recipes(forces="internal", floating=True))
def test_momentum_of_a_floating_system_under_gravity(recipe):
    """Its rate is the weight, and the weight's moment about the world origin."""
    model = recipe.model()
    eq = equations(model)
    s = recipe.state(eq)
    a, history = eq.body_states(s.t, s.q, s.u, s.z)
    force, moment = np.zeros(3), np.zeros(3)
    for mass, place in _masses(model, eq, history):
        force += mass * model.gravity
        moment += np.cross(place, mass * model.gravity)
    size = _load_sizes(recipe, eq, s)
    rate = derivative(along(eq, s, a).momentum)
    close(rate[:3], moment, 1e-9, size[0])
    close(rate[3:], force, 1e-9, size[1])


def _masses(model: supple.Model, eq: Equations, history) -> list[tuple[float, Array]]:
    """Mass and world place of the centre of mass of every body, and of every point mass."""
    found = []
    for body in model.bodies.values():
        found.append((body.mass, places(eq, history, body.at(*body.com))[1][0]))
    for point in model.point_masses.values():
        found.append((point.mass, places(eq, history, point.frame)[1][0]))
    return found


def _load_sizes(recipe: Recipe, eq: Equations, s: State) -> tuple[float, float]:
    """Sizes of the torques and forces inside the system, which cancel in its momentum."""
    history = eq.body_states(s.t, s.q, s.u, s.z)[1]
    wrench, V = np.abs(history.wrench[0]), np.abs(history.V[0])
    # With Free joints only there are no wrenches: the momenta that turn are left.
    turning = np.abs(eq.momentum(s.q, s.u)).max() * V.max()
    arm = max(1.0, np.abs(history.p).max())
    force = wrench[:, 3:].max() + turning
    return wrench[:, :3].max() + arm * force, force


# ------------------------------------------------------------------ one system, written differently


@examples(50)
@given(recipes(forces="all"))
def test_invariance(recipe):
    """Names, order of adding and the place of the whole model in the world do not matter."""
    model = recipe.model()
    eq = equations(model)
    s = recipe.state(eq)
    a = eq.accelerate(s.t, s.q, s.u, s.z)
    rng = np.random.default_rng(recipe.seed)

    # Writing a model down again normalises its axes again: equal to rounding only.
    again = equations(rebuilt(model)).accelerate(s.t, s.q, s.u, s.z)
    close(again, a, 1e-11, np.abs(s.a).max())
    renamed = equations(rebuilt(model, rename=lambda name: f"other {name[::-1]}"))
    assert np.array_equal(renamed.accelerate(s.t, s.q, s.u, s.z), again)

    other = rebuilt(model, rng=rng)
    reordered = equations(other)
    q, u, back = np.zeros(eq.nq), np.zeros(eq.nu), np.zeros(eq.nu, dtype=int)
    for name, here in eq.compiled.joints.items():
        there = reordered.compiled.joints[name]
        q[there.q], u[there.u] = s.q[here.q], s.u[here.u]
        back[here.u] = np.arange(there.u.start, there.u.stop)
    for name, shaft in eq.compiled.motors.items():
        other_shaft = reordered.compiled.motors[name]
        q[other_shaft.q], u[other_shaft.u] = s.q[shaft.q], s.u[shaft.u]
        back[shaft.u] = other_shaft.u
    first, second = (controllers(m) for m in (model, other))
    z = np.array([s.z[first.index(name)] for name in second])
    close(reordered.accelerate(s.t, q, u, z)[back], a, 1e-9)

    turn, shift = rotation(rng), rng.normal(scale=2.0, size=3)
    moved = equations(rebuilt(model, turn=turn, shift=shift, t=s.t))
    close(moved.accelerate(s.t, s.q, s.u, s.z), a, 1e-9)
    before = eq.body_states(s.t, s.q, s.u, s.z)[1]
    after = moved.body_states(s.t, s.q, s.u, s.z)[1]
    close(after.p[0], shift + before.p[0] @ turn.T, 1e-10)
    close(after.reaction[0, :, 3:], before.reaction[0, :, 3:] @ turn.T, 1e-9, np.abs(a).max())


# --------------------------------------------------------------------------------------- kinematics


@examples(50)
@given(recipes(forces="all"))
def test_twist_and_acceleration_are_derivatives(recipe):
    """R and p against V, V against A, at every body; qdot against the retraction."""
    eq = equations(recipe.model())
    s = recipe.state(eq)
    a, now = eq.body_states(s.t, s.q, s.u, s.z)
    path = along(eq, s, a)
    R_dot, p_dot, V_dot = (derivative(x) for x in (path.R, path.p, path.V))
    spin = np.array([axial(r_dot @ r.T) for r_dot, r in zip(R_dot, now.R[0], strict=True)])
    close(np.swapaxes(now.R[0], 1, 2) @ now.R[0], np.tile(np.eye(3), (len(spin), 1, 1)), 1e-12)
    close(now.V[0], np.hstack([spin, p_dot]), 1e-10)
    close(now.A[0], V_dot, 1e-9)
    moved = np.array([eq.retract(s.q, k * STEP * s.u) for k in POINTS])
    close(eq.qdot(s.q, s.u), derivative(moved), 1e-10)


def pose_of(joint: supple.joints.Joint, x: Array) -> tuple[Array, Array]:
    """Pose of B in A, composed by hand from the joint's definition."""
    if isinstance(joint, (supple.Spherical, supple.Free)):
        turn = Rotation.from_quat(x[[1, 2, 3, 0]]).as_matrix()
        return turn, x[4:] if isinstance(joint, supple.Free) else np.zeros(3)
    R, p = np.eye(3), np.zeros(3)
    for motion, value in zip(joint.motions, x, strict=True):
        if motion.kind == "rotate":
            R = R @ Rotation.from_rotvec(value * motion.axis).as_matrix()
        else:
            p = p + R @ motion.axis * value
    return R, p


@examples(50)
@given(recipes())
def test_user_coordinates_are_the_pose_of_B_in_A(recipe):
    """So are the rates; conversions there and back change nothing, for single states and rows."""
    model = recipe.model()
    eq = equations(model)
    s = recipe.state(eq)
    c = eq.compiled
    rng = np.random.default_rng(recipe.seed)
    q, u, given_values = np.zeros(eq.nq), np.zeros(eq.nu), {}
    for name, record in c.joints.items():
        x, rate = given_values[name] = random_coordinates(record, rng)
        q[record.q], u[record.u] = c.from_user(name, x, rate)
    history = eq.history(np.zeros(1), q[None], u[None], np.zeros((1, 0)))[1]
    path = along(eq, State(0.0, q, u, s.a, s.z), s.a)
    for name, (x, rate) in given_values.items():
        joint = model.joints[name]
        back_x, back_rate = c.to_user(name, q, u)
        close(back_x, x, 1e-13)
        close(back_rate, rate, 1e-13)
        again = c.from_user(name, *c.to_user(name, s.q, s.u))
        close(np.concatenate(again), np.concatenate([s.q[c.joints[name].q], s.u[c.joints[name].u]]))
        rows = c.to_user(name, np.array([q, s.q]), np.array([u, s.u]))
        close(rows[0], [back_x, c.to_user(name, s.q, s.u)[0]], 1e-13)
        close(rows[1], [back_rate, c.to_user(name, s.q, s.u)[1]], 1e-13)

        R, p = (part[0] for part in relative(eq, history, joint))
        R_wanted, p_wanted = pose_of(joint, x)
        close(R, R_wanted, 1e-11)
        close(p, p_wanted, 1e-11, 10.0)
        R_path, p_path = relative(eq, path, joint)
        turning, sliding = axial(R.T @ derivative(R_path)), R.T @ derivative(p_path)
        if joint.nq != joint.nu:
            twist = np.concatenate([turning, sliding])[: joint.nu]
            close(twist, rate, 1e-9, 10.0)
        else:
            poses = [pose_of(joint, x + k * STEP * rate) for k in POINTS]
            close(turning, axial(R.T @ derivative(np.array([r for r, _ in poses]))), 1e-9, 10.0)
            close(sliding, R.T @ derivative(np.array([d for _, d in poses])), 1e-9, 10.0)


# ----------------------------------------------------------------------------------------- tangents


@pytest.mark.slow
@examples(80)
@given(recipe=recipes(forces="all"))
def test_tangents_equal_complex_steps(columns, recipe):
    check_tangents(columns, recipe)




@examples(30)
@given(recipes(forces="all"))
def test_controller_rate_is_the_error_of_the_coordinate(recipe):
    """z' = target - coordinate, less when saturated."""
    model = recipe.model()
    eq = equations(model)
    s = recipe.state(eq)
    eq.residual(s.t, s.q, s.u, s.a, s.z)
    for name, found in zip(controllers(model), eq.fields.zdot, strict=True):
        # the slope of a target is a difference
        assert found == pytest.approx(joint_law(model, eq, s, model.forces[name])[3], abs=1e-6)


# ---------------------------------------------------------------------------------------- reactions


@examples(60)
@given(recipes(forces="all"))
def test_newton_and_euler_hold_for_every_body(recipe):
    """Joint wrenches, applied forces and weight add up to the inertia of each body."""
    model = recipe.model()
    eq = equations(model)
    s = recipe.state(eq)
    history = eq.body_states(s.t, s.q, s.u, s.z)[1]
    loads: dict[str, list[tuple[Array, Array, Array]]] = {name: [] for name in model.bodies}

    def load(body: str, force: Array, torque: Array, place: Array) -> None:
        if body != "ground":
            loads[body].append((force, torque, place))

    for k, name in enumerate(eq.compiled.joint_names):
        joint = model.joints[name]
        torque, force = np.split(history.wrench[0, k], 2)
        place = places(eq, history, joint.B)[1][0]
        load(joint.B.body.name, force, torque, place)
        load(joint.A.body.name, -force, -torque, place)
    for f in model.forces.values():
        if isinstance(f, supple.Force):
            R, place = (x[0] for x in places(eq, history, f.frame))
            axes = R if f.axes == "body" else np.eye(3)
            force, torque = (axes @ [x(s.t) for x in part] for part in (f.force, f.torque))
            load(f.frame.body.name, force, torque, place)
        elif isinstance(f, supple.SpringDamper):
            (pa, va), (pb, vb) = (_point(eq, history, frame)[:2] for frame in (f.A, f.B))
            distance = np.linalg.norm(pb - pa)
            n = (pb - pa) / distance
            pull = spring_law(f, distance - f.length, n @ (vb - va))
            load(f.A.body.name, pull * n, np.zeros(3), pa)
            load(f.B.body.name, -pull * n, np.zeros(3), pb)
        elif isinstance(f, supple.CartesianSpring):
            (pa, va), (pb, vb) = (_point(eq, history, frame)[:2] for frame in (f.A, f.B))
            pull = f.stiffness * (pb - pa - f.rest) + f.damping * (vb - va)
            load(f.A.body.name, pull, np.zeros(3), pa)
            load(f.B.body.name, -pull, np.zeros(3), pb)
        elif isinstance(f, supple.Bushing):
            force, torque = bushing_on_B(eq, history, f)
            place = _point(eq, history, f.B)[0]
            load(f.B.body.name, force, torque, place)
            load(f.A.body.name, -force, -torque, place)

    parts = [(b, b.at(*b.com), b.mass) for b in model.bodies.values()]
    parts += [(p.frame.body, p.frame, p.mass) for p in model.point_masses.values()]
    for body, frame, mass in parts:
        place, _, acceleration = _point(eq, history, frame)
        load(body.name, mass * model.gravity, np.zeros(3), place)
        load(body.name, -mass * acceleration, np.zeros(3), place)
    for k, name in enumerate(eq.compiled.body_names):
        R, spin, turning = history.R[0, k], history.V[0, k, :3], history.A[0, k, :3]
        inertia = R @ model.bodies[name].inertia_com @ R.T
        moment = inertia @ turning + np.cross(spin, inertia @ spin)
        load(name, np.zeros(3), -moment, history.p[0, k])
        force = np.array([f for f, _, _ in loads[name]])
        about = np.array([m + np.cross(p - history.p[0, k], f) for f, m, p in loads[name]])
        for rows in (force, about):
            assert np.abs(rows.sum(axis=0)).max() < 1e-9 * np.abs([force, about]).max()


def bushing_on_B(eq: Equations, history, f: supple.Bushing) -> tuple[Array, Array]:
    """Force and torque on B's frame, world axes, from the energy of the rotation vector."""

    def spin(frame):
        names = eq.compiled.body_names
        inside = frame.body.name in names
        return history.V[0, names.index(frame.body.name), :3] if inside else np.zeros(3)

    Ra, Rb = (places(eq, history, frame)[0][0] for frame in (f.A, f.B))
    (pa, va, _), (pb, vb, _) = (_point(eq, history, frame) for frame in (f.A, f.B))
    return bushing_law(f, (Ra, pa, spin(f.A), va), (Rb, pb, spin(f.B), vb))


def _point(eq: Equations, history, frame: supple.Frame) -> tuple[Array, Array, Array]:
    """World place, velocity and acceleration of a frame's origin."""
    if frame.body.name == "ground":
        return frame.position, np.zeros(3), np.zeros(3)
    k = eq.compiled.body_names.index(frame.body.name)
    arm = history.R[0, k] @ frame.position
    (w, v), (turning, a) = np.split(history.V[0, k], 2), np.split(history.A[0, k], 2)
    return (
        history.p[0, k] + arm,
        v + np.cross(w, arm),
        a + np.cross(turning, arm) + np.cross(w, np.cross(w, arm)),
    )


@examples(60)
@given(recipes(forces="all"))
def test_reactions_do_no_work(recipe):
    """On each motion of its joint the wrench works by the effort, the reaction not at all."""
    model = recipe.model()
    eq = equations(model)
    s = recipe.state(eq)
    history = eq.body_states(s.t, s.q, s.u, s.z)[1]
    zero = np.zeros((6, eq.nu))
    loads = np.abs(eq.residual(s.t, s.q, s.u, np.zeros(eq.nu), s.z)).max()
    efforts = np.zeros(eq.nu)
    a = eq.accelerate(s.t, s.q, s.u, s.z)
    for f in model.forces.values():
        if isinstance(f, supple.Motor):
            joint, shaft = (
                joint_place(model, eq, s, f.joint, f.coordinate),
                eq.compiled.motors[f.name],
            )
            if f.stiffness is None:
                efforts[joint.u] -= f.ratio**2 * (f.inertia * a[joint.u] + f.damping * joint.rate)
                continue
            stretch = s.q[shaft.q] / f.ratio - joint.x
            pull = f.stiffness * stretch + f.gear_damping * (s.u[shaft.u] / f.ratio - joint.rate)
            efforts[joint.u] += pull
            efforts[shaft.u] -= pull / f.ratio + f.damping * s.u[shaft.u] + f.inertia * a[shaft.u]
        elif isinstance(f, supple.CoordinateSpring):
            for place, effort in coupling_law(model, eq, s, f):
                efforts[place] += effort
        elif isinstance(f, supple.forces.JointForce):
            place, ratio, effort, _ = joint_law(model, eq, s, f)
            efforts[place] += ratio * effort
    close(history.effort[0], efforts, 1e-6)  # the slope of a target is a difference

    for i, (name, record) in enumerate(eq.compiled.joints.items()):
        joint = model.joints[name]
        Ra = places(eq, history, joint.A)[0][0]
        R = relative(eq, history, joint)[0][0]
        wrench, reaction = history.wrench[0, i], history.reaction[0, i]
        motions = []
        for k in range(record.u.start, record.u.stop):
            e = np.eye(eq.nu)[k]
            q = np.array([eq.retract(s.q, point * STEP * e) for point in POINTS])
            path = eq.history(np.full(6, s.t), q, zero, np.tile(s.z, (6, 1)))[1]
            R_path, p_path = relative(eq, path, joint)
            turn, shift = Ra @ axial(derivative(R_path) @ R.T), Ra @ derivative(p_path)
            motion = np.concatenate([turn, shift])
            motions.append(motion)
            size = np.linalg.norm(motion) * np.linalg.norm([*wrench, *reaction, loads])
            close(reaction @ motion, 0.0, 1e-9, size)
            close(wrench @ motion, history.effort[0, k], 1e-9, size)
        # What is left are the efforts: a wrench that the motions of the joint can make.
        active = wrench - reaction
        if not np.any(history.effort[0, record.u]):
            assert not np.any(active)
            continue
        S = np.array(motions).T
        weights = np.repeat([1.0, eq.compiled.length], 3)
        part = S / weights[:, None] @ np.linalg.lstsq(S / weights[:, None], active * weights)[0]
        close(part, active * weights, 1e-8, np.abs(wrench * weights).max())












# --------------------------------------------------------------------------------------- edge cases


@pytest.mark.parametrize("tilt", [0.0, 1e-6, 3e-5, 1e-4, 1e-3, 1e-2, 0.1])
@pytest.mark.parametrize("end", [1.0, -1.0])
def test_axes_close_to_z_lose_no_digits(tilt, end):
    """The engine turns every axis into z, which is delicate for axes close to -z."""
    model = supple.Model()
    body = model.add(supple.RigidBody("body", 1.0, inertia=0.2))
    axis = (tilt, 0.7 * tilt, end)
    joint = model.add(supple.Revolute("hinge", model.ground.at(0), body.at(0), axis, initial=0.7))
    eq = equations(model)
    R = eq.body_states(0.0, eq.q0, eq.u0)[1].R[0, 0]
    close(R, pose_of(joint, np.array([0.7]))[0], 1e-14)


def test_a_model_that_cannot_move():
    """Fixed joints only: no velocities, but poses, weight and reactions."""
    model = supple.Model(gravity=(0, 0, -10.0))
    post = model.add(supple.RigidBody("post", 2.0, com=(0.0, 0.0, 1.0)))
    arm = model.add(supple.RigidBody("arm", 3.0, com=(0.5, 0.0, 0.0)))
    model.add(supple.Fixed("foot", model.ground.at(0), post.at(0)))
    model.add(supple.Fixed("shoulder", post.at(0, 0, 2.0), arm.at(0)))
    eq = equations(model)
    assert eq.accelerate(0.0, eq.q0, eq.u0).shape == (0,)
    history = eq.body_states(0.0, eq.q0, eq.u0)[1]
    close(history.reaction[0, 0], [0.0, -15.0, 0.0, 0.0, 0.0, 50.0])
    close(history.reaction[0, 1], [0.0, -15.0, 0.0, 0.0, 0.0, 30.0])


def test_spring_without_free_length_at_zero_distance():
    """Its pull k d is smooth there; so are the tangents."""
    model = supple.Model()
    first, second = (model.add(supple.RigidBody(n, 1.0, inertia=0.2)) for n in ("first", "second"))
    model.add(supple.Free("base", model.ground.at(0), first.at(0)))
    model.add(supple.Free("between", first.at(0), second.at(0)))
    model.add(supple.SpringDamper("spring", first.at(0.3), second.at(0.3), stiffness=40.0))
    eq = equations(model)
    u = np.random.default_rng(1).normal(size=eq.nu)
    zero = np.zeros(eq.nu)
    Rq = eq.tangent(0.0, eq.q0, u, zero)[0]
    found = []
    for e in np.eye(eq.nu):
        rows = [eq.residual(0.0, eq.retract(eq.q0, k * STEP * e), u, zero) for k in POINTS]
        found.append(derivative(np.array(rows)))
    close(Rq, np.array(found).T, 1e-8)
