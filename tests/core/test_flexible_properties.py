"""Laws that hold for every tree with flexible bodies, tried on random ones.

The trees have soft beams as inner bodies and leaves, hung at any station by joints of every kind,
with elastic rotations up to 0.3 rad. The engine is compared with a cloud of mass points
(flexible_oracle.py), which sees also the terms that do no work; with itself by complex steps; and
with laws of mechanics.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import supple
from models.random_models import (
    KINDS,
    LARGEST_TURN,
    REFERENCES,
    Recipe,
    State,
    deformation,
    examples,
    flexible_recipes,
    largest_turn,
    rebuilt,
    rotation,
)
from oracles.flexible_laws import Array, check_tangents, made, sizes
from oracles.flexible_oracle import Cloud, axial
from oracles.residual_laws import POINTS, STEP, along, close, controllers, derivative, equations
from supple.formulations.equations import Equations

# A choice of modes may take one of two with equal frequency: of no interest here.
pytestmark = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")






def beams(model: supple.Model) -> list[supple.Beam]:
    return [body for body in model.bodies.values() if isinstance(body, supple.Beam)]


# ----------------------------------------------------------------------------- the trees themselves


def test_random_models_contain_everything():
    found = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        kinds = tuple(str(kind) for kind in rng.permutation(KINDS))
        model = Recipe(kinds, seed, "all", beams=tuple(rng.random(len(KINDS)) < 0.6)).model()
        c = equations(model).compiled
        edges = model.spanning_tree().tree
        parents = {edge.parent for edge in edges}
        for edge in edges:
            joint = model.joints[edge.joint]
            for frame in (joint.A, joint.B):
                body = frame.body
                if isinstance(body, supple.Beam):
                    where = "inner" if body.name == edge.parent else "outer"
                    found.add((type(joint).__name__, where, edge.reversed))
                    turns = body.attachment(frame, c.flexible[body.name].point_masses).Psi
                    modes = np.linalg.matrix_rank(turns) if turns.size else 0
                    found.add((where, "rotation modes", int(modes)))
        for body in beams(model):
            found.add(("leaf", body.name not in parents))
            found.add((body.reference, body.modes if body.modes == "all" else type(body.modes)))
            found.add(("damping", body.damping is not None))
            found.add(("clamped inside", 0 < body.clamp_node < body.elements))
            found.add(("line", not body.rotary_inertia))
            found.add(("rigid", body.modes == 0))
            found.add(("stiffening", body.stiffening))
        for point in model.point_masses.values():
            found.add(("point mass", isinstance(point.frame.body, supple.Beam)))
        for force in model.forces.values():
            for frame in force.frames.values():
                found.add((type(force).__name__, isinstance(frame.body, supple.Beam)))
    wanted = {
        (kind, side, backwards)
        for kind in KINDS
        for side in ("inner", "outer")
        for backwards in (False, True)
    }
    wanted |= {(side, "rotation modes", k) for side in ("inner", "outer") for k in (0, 1, 2, 3)}
    wanted |= {(reference, choice) for reference in REFERENCES for choice in ("all", int, tuple)}
    wanted |= {
        (what, yes)
        for what in ("leaf", "damping", "clamped inside", "line", "rigid", "point mass")
        for yes in (False, True)
    }
    wanted |= {("chord", supple.reduction.SineShapes)}
    second = (None, supple.reduction.SecondOrder(), supple.reduction.SecondOrder(twist=True))
    wanted |= {("stiffening", choice) for choice in second}
    wanted |= {("Force", True), ("SpringDamper", True)}
    assert wanted <= found, wanted - found


# ------------------------------------------------------------------- against a cloud of mass points


@examples(60)
@given(flexible_recipes())
def test_mass_matrix(recipe):
    """Symmetric, positive definite, Hessian of the kinetic energy, and a sum over mass points."""
    model, eq, s = made(recipe)
    M = eq.mass_matrix(s.q)
    close(M, M.T, 1e-15)
    scale = np.outer(sizes(eq, s.q), sizes(eq, s.q))
    assert np.linalg.eigvalsh(M * scale).min() > 0.0

    i, j = np.triu_indices(eq.nu)
    pairs = np.eye(eq.nu)[i] + np.eye(eq.nu)[j]
    rows = np.vstack([pairs, np.eye(eq.nu)])
    n = len(rows)
    history = eq.history(np.zeros(n), np.tile(s.q, (n, 1)), rows, np.zeros((n, eq.nz)))[1]
    kinetic = history.energy[:, 0]
    hessian = np.zeros_like(M)
    single = kinetic[len(pairs) :]
    hessian[i, j] = hessian[j, i] = kinetic[: len(pairs)] - single[i] - single[j]
    close(M, hessian, 1e-11)
    close(M * scale, Cloud(model, eq).mass_matrix(s.q) * scale, 1e-9)


@examples(60)
@given(flexible_recipes(forces="frames"))
def test_residual_energy_and_momentum_equal_the_mass_points(recipe):
    """Complete equations of motion with forces, springs and damping, workless terms included."""
    model, eq, s = made(recipe)
    cloud, scale = Cloud(model, eq), sizes(eq, s.q)
    found = scale * eq.residual(s.t, s.q, s.u, s.a, s.z)
    close(found, scale * cloud.residual(s.t, s.q, s.u, s.a), 1e-8)
    now = eq.body_states(s.t, s.q, s.u, s.z)[1]
    kinetic, gravity, strain = cloud.energies(s.q, s.u)
    close(now.energy[0, 0], kinetic, 1e-9)
    close(now.energy[0, 1], gravity, 1e-9, 1.0)
    close(now.strain[0], strain, 1e-9, 1e-9)
    close(eq.momentum(s.q, s.u), cloud.momentum(s.q, s.u), 1e-9)


@examples(50)
@given(flexible_recipes(forces="frames"))
def test_frames_on_beams_move_as_they_are_defined(recipe):
    """Pose, twist and acceleration of the nodes behind elastic edges, and of the bodies' frames."""
    model, eq, s = made(recipe)
    cloud, c = Cloud(model, eq), eq.compiled
    eq.residual(s.t, s.q, s.u, s.a, s.z)
    nodes, origin = eq.fields.node.copy(), eq.fields.origin.copy()
    frames = [frame for item in (*model.joints.values(), *model.forces.values())
              for frame in getattr(item, "frames", {}).values()]  # fmt: skip
    for frame in frames:
        if not isinstance(frame.body, supple.Beam):
            continue
        try:
            node, pose = c.place(frame)
        except KeyError:  # the frame at which the body hangs is no node of its own
            continue
        R, p = nodes[node, :9].reshape(3, 3), nodes[node, 9:12]
        (R_wanted, p_wanted), J = cloud.frame_jacobian(s.q, frame)
        close(R @ pose.R, R_wanted, 1e-12)
        place = p + R @ pose.p
        close(place, p_wanted, 1e-12, 1.0)
        spin, arm = nodes[node, 12:15], place - origin
        v = nodes[node, 15:18] + np.cross(spin, arm)
        close(np.concatenate([spin, v]), s.u @ J, 1e-9, 1.0)
        turning = nodes[node, 18:21]
        gained = nodes[node, 21:24] + np.cross(turning, arm) + np.cross(spin, v) + model.gravity
        wanted = cloud.frame_acceleration(s.q, s.u, s.a, frame)
        close(np.concatenate([turning, gained]), wanted, 1e-8, 10.0)


@examples(40)
@given(flexible_recipes(forces="all"))
def test_twist_and_acceleration_are_derivatives(recipe):
    """R and p against V, V against A, at every body; qdot against the retraction."""
    _, eq, s = made(recipe)
    a, now = eq.body_states(s.t, s.q, s.u, s.z)
    path = along(eq, s, a)
    R_dot, p_dot, V_dot = (derivative(x) for x in (path.R, path.p, path.V))
    spin = axial(R_dot @ np.swapaxes(now.R[0], 1, 2))
    close(np.swapaxes(now.R[0], 1, 2) @ now.R[0], np.tile(np.eye(3), (len(spin), 1, 1)), 1e-12)
    close(now.V[0], np.hstack([spin, p_dot]), 1e-9)
    close(now.A[0], V_dot, 1e-8)
    moved = np.array([eq.retract(s.q, k * STEP * s.u) for k in POINTS])
    close(eq.qdot(s.q, s.u), derivative(moved), 1e-10)


# --------------------------------------------------------------------------------- balances in time


@examples(60)
@given(flexible_recipes(forces="all"))
def test_power_balance(recipe):
    """Energy changes by the power of the forces, less what dampers and beams take."""
    model, eq, s = made(recipe)
    a = eq.accelerate(s.t, s.q, s.u, s.z)
    rates = derivative(along(eq, s, a).energy)
    power = eq.power(s.t, s.q, s.u, s.z)
    sign = np.where(eq.compiled.force_dissipates, -1.0, 1.0)
    assert np.all(power[sign < 0.0] >= 0.0)
    size = np.abs(rates).max() + np.abs(power).sum()
    close(rates.sum(), sign @ power, 1e-8, size)
    for beam in beams(model):
        record = eq.compiled.flexible[beam.name]
        if beam.damping is not None and record.modal.n:
            k = eq.compiled.force_names.index(f"{beam.name}.damping")
            u = s.u[record.u]
            close(power[k], u @ record.modal.C @ u, 1e-12)
        else:
            assert f"{beam.name}.damping" not in eq.compiled.force_names


@examples(40)
@given(flexible_recipes(forces="all"))
def test_forward_and_inverse_dynamics_invert_each_other(recipe):
    _, eq, s = made(recipe)
    scale = sizes(eq, s.q)
    reach = np.abs(eq.accelerate(s.t, s.q, s.u, s.z) / scale).max()
    effort = eq.residual(s.t, s.q, s.u, s.a, s.z)
    again = eq.accelerate(s.t, s.q, s.u, s.z, effort=effort)
    close(again / scale, s.a / scale, 1e-8, reach)
    effort = 5.0 * s.a / scale
    a = eq.accelerate(s.t, s.q, s.u, s.z, effort=effort)
    loads = (np.abs(eq.mass_matrix(s.q)) @ np.abs(a)) * scale
    close(eq.residual(s.t, s.q, s.u, a, s.z) * scale, effort * scale, 1e-10, loads.max())
    close(eq.accelerate(s.t, s.q, s.u, s.z), eq.body_states(s.t, s.q, s.u, s.z)[0], 1e-9)


@examples(40)
@given(flexible_recipes(forces="internal", floating=True, gravity=False))
def test_momentum_of_a_floating_system_is_constant(recipe):
    _, eq, s = made(recipe)
    a, now = eq.body_states(s.t, s.q, s.u, s.z)
    angular, linear = np.split(derivative(along(eq, s, a).momentum), 2)
    # What cancels: forces of accelerated mass, here of the size of mass times acceleration.
    force = np.abs(now.wrench).max() + np.abs(eq.mass_matrix(s.q) @ a).max()
    arm = max(1.0, np.abs(now.p).max())
    assert np.abs(linear).max() < 1e-8 * force
    assert np.abs(angular).max() < 1e-8 * arm * force


# ------------------------------------------------------------------ one system, written differently


@examples(40)
@given(flexible_recipes(forces="all"))
def test_invariance(recipe):
    """Names, order of adding and the place of the whole model in the world do not matter."""
    model, eq, s = made(recipe)
    scale = sizes(eq, s.q)
    a = eq.accelerate(s.t, s.q, s.u, s.z) / scale
    rng = np.random.default_rng(recipe.seed)

    renamed = equations(rebuilt(model, rename=lambda name: f"other {name[::-1]}"))
    close(renamed.accelerate(s.t, s.q, s.u, s.z) / scale, a, 1e-9)

    other = rebuilt(model, rng=rng)
    reordered = equations(other)
    q, u, back = np.zeros(eq.nq), np.zeros(eq.nu), np.zeros(eq.nu, dtype=int)
    pairs = [(here, reordered.compiled.joints[n]) for n, here in eq.compiled.joints.items()]
    pairs += [(here, reordered.compiled.flexible[n]) for n, here in eq.compiled.flexible.items()]
    for here, there in pairs:
        q[there.q], u[there.u] = s.q[here.q], s.u[here.u]
        back[here.u] = np.arange(there.u.start, there.u.stop)
    for name, shaft in eq.compiled.motors.items():
        other_shaft = reordered.compiled.motors[name]
        q[other_shaft.q], u[other_shaft.u] = s.q[shaft.q], s.u[shaft.u]
        back[shaft.u] = other_shaft.u
    first, second = (controllers(m) for m in (model, other))
    z = np.array([s.z[first.index(name)] for name in second])
    close(reordered.accelerate(s.t, q, u, z)[back] / scale, a, 1e-8)

    turn, shift = rotation(rng), rng.normal(scale=2.0, size=3)
    moved = equations(rebuilt(model, turn=turn, shift=shift, t=s.t))
    close(moved.accelerate(s.t, s.q, s.u, s.z) / scale, a, 1e-8)
    before = eq.body_states(s.t, s.q, s.u, s.z)[1]
    after = moved.body_states(s.t, s.q, s.u, s.z)[1]
    close(after.p[0], shift + before.p[0] @ turn.T, 1e-10)
    close(after.wrench[0, :, 3:], before.wrench[0, :, 3:] @ turn.T, 1e-7, np.abs(a).max())


# ----------------------------------------------------------------------------------------- tangents


@pytest.mark.slow
@examples(80)
@given(recipe=flexible_recipes(forces="all"))
def test_tangents_equal_complex_steps(columns, recipe):
    check_tangents(columns, recipe)




# ---------------------------------------------------------------------------------------- reactions


def loads_on_bodies(model: supple.Model, eq: Equations, s: State, cloud: Cloud, history) -> dict:
    """For each body rows [torque about the world's origin; force]: joints, forces, weight."""
    found: dict[str, list[Array]] = {name: [] for name in (*model.bodies, "ground")}

    def load(frame: supple.Frame, torque: Array, force: Array, place: Array) -> None:
        moment = torque + np.cross(place, force)
        found[frame.body.name].append(np.concatenate([moment, force]))

    for k, name in enumerate(eq.compiled.joint_names):
        joint = model.joints[name]
        torque, force = np.split(history.wrench[0, k], 2)
        place = cloud.frames(s.q[None], [joint.B])[0][1][0]
        load(joint.B, torque, force, place)
        load(joint.A, -torque, -force, place)
    for element in model.forces.values():
        for frame, torque, force in cloud.loads(element, s.t, s.q, s.u):
            load(frame, torque, force, cloud.frames(s.q[None], [frame])[0][1][0])
    x = cloud.places(s.q[None])[0]
    for name, part in cloud.slices.items():
        weight = np.outer(cloud.mass[part], model.gravity)
        found[name] += list(np.hstack([np.cross(x[part], weight), weight]))
    return {name: np.array(rows).reshape(-1, 6) for name, rows in found.items()}


@examples(60)
@given(flexible_recipes(forces="all"))
def test_newton_and_euler_hold_for_every_body(recipe):
    """Joint wrenches, forces and weight make the momentum of each body, rigid or flexible."""
    model, eq, s = made(recipe)
    cloud = Cloud(model, eq)
    a, history = eq.body_states(s.t, s.q, s.u, s.z)
    loads = loads_on_bodies(model, eq, s, cloud, history)
    moving = cloud.motion(s.q, s.u, a)
    momentum = cloud.mass[:, None] * moving.acceleration
    rates = np.hstack([np.cross(moving.place, momentum), momentum])
    size = max(np.abs(rows).max(initial=0.0) for rows in (rates, *loads.values()))
    total = np.zeros(6)
    for name, part in cloud.slices.items():
        close(rates[part].sum(axis=0), loads[name].sum(axis=0), 1e-7, size)
        total += loads[name].sum(axis=0)
    # The whole model: what the ground and the loads from outside give.
    close(derivative(along(eq, s, a).momentum), total, 1e-8, size)


@examples(40)
@given(flexible_recipes(forces="all"))
def test_reactions_do_no_work(recipe):
    """On each motion of its joint the wrench works by the effort, the reaction not at all."""
    model, eq, s = made(recipe)
    cloud = Cloud(model, eq)
    history = eq.body_states(s.t, s.q, s.u, s.z)[1]
    loads = np.abs(eq.residual(s.t, s.q, s.u, np.zeros(eq.nu), s.z)).max()
    for i, (name, record) in enumerate(eq.compiled.joints.items()):
        joint = model.joints[name]
        _, twist_a = cloud.frame_jacobian(s.q, joint.A)
        _, twist_b = cloud.frame_jacobian(s.q, joint.B)
        pa, pb = (pose[1][0] for pose in cloud.frames(s.q[None], [joint.A, joint.B]))
        wrench, reaction = history.wrench[0, i], history.reaction[0, i]
        for k in range(eq.nu):
            motion = twist_b[k] - twist_a[k]  # of B against A, at B
            motion[3:] -= np.cross(twist_a[k, :3], pb - pa)
            # twists are differences: 1e-10 of themselves is truncation, 1e-11 is rounding
            twists = 1e-2 * np.linalg.norm([twist_a[k], twist_b[k]]) + 1e-3
            size = (np.linalg.norm(motion) + twists) * np.linalg.norm([*wrench, *reaction, loads])
            own = record.u.start <= k < record.u.stop
            close(reaction @ motion, 0.0, 1e-8, size)
            close(wrench @ motion, history.effort[0, k] if own else 0.0, 1e-8, size)


# ------------------------------------------------------------------------------------ special cases


def as_rigid(body: supple.bodies.Body) -> supple.bodies.Body:
    """A rigid body with the mass of an undeformed beam."""
    if not isinstance(body, supple.Beam):
        return body
    c, s, density = np.cos(body.roll), np.sin(body.roll), body.material.density
    E = np.zeros((3, 3))
    E[0, 0] = body.mass * body.length**2 / 12.0
    if body.rotary_inertia:
        turn = np.array([[c, -s], [s, c]])
        second = np.diag([body.section.I_z, body.section.I_y])
        E[1:, 1:] = density * body.length * turn @ second @ turn.T
    inertia = np.trace(E) * np.eye(3) - E
    return supple.RigidBody(body.name, body.mass, (body.length / 2.0, 0.0, 0.0), inertia)


def stiffened(factor: float):
    def change(body: supple.bodies.Body) -> supple.bodies.Body:
        if not isinstance(body, supple.Beam):
            return body
        m = body.material
        return dataclasses.replace(
            body, material=supple.Material(factor * m.E, factor * m.G, m.density)
        )

    return change


def slow_accelerations(eq: Equations, s: State) -> dict[str, Array]:
    """Accelerations of the joints while the beams hold still in elastic equilibrium."""
    c = eq.compiled
    elastic = [k for body in c.flexible.values() for k in range(body.u.start, body.u.stop)]
    rest = np.setdiff1d(np.arange(eq.nu), elastic)
    q, u, a = s.q.copy(), s.u.copy(), np.zeros(eq.nu)
    for body in c.flexible.values():
        q[body.q], u[body.u] = 0.0, 0.0
    for _ in range(6):
        M = eq.mass_matrix(q)
        a[rest] = 0.0
        a[rest] = np.linalg.solve(M[np.ix_(rest, rest)], -eq.residual(s.t, q, u, a, s.z)[rest])
        r = eq.residual(s.t, q, u, a, s.z)
        for body in c.flexible.values():
            q[body.q] -= np.linalg.solve(body.modal.K, r[body.u])
    return {name: a[joint.u] for name, joint in c.joints.items()}


@examples(25)
@given(flexible_recipes(forces="all", can_lock=False))
def test_stiff_beams_tend_to_rigid_bodies(recipe):
    """The difference of the joints' accelerations falls with 1 / stiffness."""
    model, eq, s = made(recipe)
    for name, force in list(model.forces.items()):
        if isinstance(force, supple.DistributedLoad):  # only beams carry them
            model = model.copy()
            model.replace(name, force=(0, 0, 0))
    rigid = equations(rebuilt(model, change=as_rigid))
    q, u = np.zeros(rigid.nq), np.zeros(rigid.nu)
    for name, joint in rigid.compiled.joints.items():
        q[joint.q], u[joint.u] = s.q[eq.compiled.joints[name].q], s.u[eq.compiled.joints[name].u]
    for name, shaft in rigid.compiled.motors.items():
        here = eq.compiled.motors[name]
        q[shaft.q], u[shaft.u] = s.q[here.q], s.u[here.u]
    a = rigid.accelerate(s.t, q, u, s.z)
    size = np.abs(a).max(initial=0.0)
    differences = []
    for factor in (1e6, 1e7):
        found = slow_accelerations(equations(rebuilt(model, change=stiffened(factor))), s)
        parts = [found[name] - a[joint.u] for name, joint in rigid.compiled.joints.items()]
        differences.append(np.concatenate([np.zeros(0), *parts]))
    assert np.abs(differences[0]).max(initial=0.0) < 1e-2 * (size + 1.0)
    close(10.0 * differences[1], differences[0], 0.05, 1e-6 * size)


def nodal_values(rng: np.random.Generator, beam: supple.Beam) -> dict[str, float]:
    """A random deformation of all nodal coordinates against the clamped origin."""
    modal = beam.modal()
    record = type("Record", (), {"modal": modal, "point_masses": ()})
    q = deformation(beam, record, rng, 1.0)
    return {f"{part}_0": 0.0 for part in ("u", "v", "w", "tx", "ty", "tz")} | dict(
        zip(modal.coordinate_names, q, strict=True)
    )


def against_chord(values: dict[str, float], beam: supple.Beam) -> dict[str, float]:
    """The same deformation, to first order, seen from the line between the ends."""
    last = beam.elements
    about_y, about_z = -values[f"w_{last}"] / beam.length, values[f"v_{last}"] / beam.length
    found = dict(values)
    for k in range(last + 1):
        x = k * beam.length / last
        found[f"v_{k}"] -= about_z * x
        found[f"w_{k}"] += about_y * x
        found[f"ty_{k}"] -= about_y
        found[f"tz_{k}"] -= about_z
    return found


@pytest.mark.parametrize("elements", [1, pytest.param(3, marks=pytest.mark.slow)])
def test_reference_conditions_agree_to_first_order(elements):
    """One floating beam with all modes: its points differ by the square of the amplitude."""
    rng = np.random.default_rng(elements)
    section = supple.Section(0.05, 5e-4, 3e-4, 6e-4)
    material = supple.Material(2e4, 8e3, 25.0)
    clamped = supple.Beam("beam", 1.2, section, material, elements, roll=0.4)
    shape, rate = nodal_values(rng, clamped), nodal_values(rng, clamped)
    twist = rng.normal(size=6)

    def end(reference: str, amplitude: float) -> Array:
        model = supple.Model()
        beam = model.add(dataclasses.replace(clamped, reference=reference))
        model.add(supple.Free("free", model.ground.at(0), beam.at(0.0)))
        eq = equations(model)
        c, names = eq.compiled, beam.modal().coordinate_names
        own, joint = c.flexible["beam"], c.joints["free"]
        q, u = eq.q0, eq.u0
        u[joint.u] = amplitude * twist
        for vector, place, values in ((q, own.q, shape), (u, own.u, rate)):
            seen = against_chord(values, beam) if reference == "chord" else values
            vector[place] = [amplitude * seen[name] for name in names]
        start = supple.State(0.0, q, u, np.zeros(0))
        result = supple.simulate(model, 0.1, start=start, tolerance="tight", output=1)
        assert result.success
        return Cloud(model, eq).places(result.data.q[-1:])[0]

    still = end("clamped", 0.0)
    for reference in ("chord", "mean_axis"):
        differences, moves = [], []
        for amplitude in (0.01, 0.005, 0.0025):
            first, second = end("clamped", amplitude), end(reference, amplitude)
            differences.append(np.linalg.norm(first - second))
            moves.append(np.linalg.norm(first - still))
        ratios = np.array(differences[:-1]) / differences[1:]
        assert np.all(np.abs(ratios - 4.0) < 0.3), (reference, ratios)
        assert 1.9 < moves[0] / moves[1] < 2.1
        assert 1e-9 < differences[-1] < 0.1 * moves[-1]


def floating_tree(seed: int, **options) -> Recipe:
    rng = np.random.default_rng([seed, 5])
    kinds = rng.choice(KINDS, size=rng.integers(2, 5)).tolist()
    flexible = [True, *(rng.random(len(kinds) - 1) < 0.6).tolist()]
    rng.shuffle(flexible)
    return Recipe(tuple(kinds), seed, can_lock=False, beams=tuple(flexible), **options)


def slow(seed: int) -> Any:
    """A seed of the long suite."""
    return pytest.param(seed, marks=pytest.mark.slow)


# Beams with fast modes, which take most of the time.
@pytest.mark.parametrize("seed", [1, 2, 3, *map(slow, (0, 4, 5))])
def test_runs_with_large_elastic_rotations_keep_energy_and_momentum(seed):
    """Floating trees that start at 0.3 rad: both to the integrator's tolerance."""
    recipe = floating_tree(seed, forces="internal", floating=True, gravity=False)
    model, eq, s = made(recipe, turns=[LARGEST_TURN])
    start = supple.State(0.0, s.q, s.u, s.z)
    errors = []
    for tolerance, limit in (("default", 1e-6), ("tight", 1e-9)):
        result = supple.simulate(model, 0.15, start=start, tolerance=tolerance, output=15)
        assert result.success, result.message
        record = result.data.audit
        assert record.max_error < limit * record.max_energy
        errors.append(record.max_error / record.max_energy)
        assert len(result.momentum) == 6
        for momentum in result.momentum:
            assert momentum.max_error < limit * momentum.scale
    assert errors[1] < max(0.05 * errors[0], 1e-12)
    reached = [
        largest_turn(beam, eq.compiled.flexible[beam.name], result.data.q[:, own.q])
        for beam in beams(model)
        if (own := eq.compiled.flexible[beam.name]).modal.n
    ]
    assert max(reached, default=LARGEST_TURN) > 0.99 * LARGEST_TURN


@pytest.mark.parametrize("seed", [10, 11, 12, *map(slow, (13, 14))])
def test_runs_with_forces_balance_their_energy(seed):
    """Trees on the ground with gravity, forces of all kinds and damped beams."""
    recipe = floating_tree(seed, forces="all")
    model, _, s = made(recipe, turns=[LARGEST_TURN])
    start = supple.State(0.0, s.q, s.u, s.z)
    result = supple.simulate(model, 0.3, start=start, tolerance="tight", output=10)
    assert result.success, result.message
    record = result.data.audit
    assert record.max_error < 1e-8 * record.max_energy
    assert result.energy.dissipated[-1] > 0.0
