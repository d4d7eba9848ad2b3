"""Bodies without a frame among all others: random trees and loops against clouds of mass points.

Models have gradient beams of every element, straight and curved, cables, rigid bodies, beams and
beams in parts, with joints of every kind on either side, point masses, springs, loads along them.
Two models, in which a rigid body and a beam hang on gradient beams, are tried in every run, others
in the long one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import supple as sp
from models.random_gradient import MixedRecipe, mixed
from models.random_models import State, rebuilt, rotation
from oracles.ancf_oracle import MixedCloud
from oracles.residual_laws import STEP, along, close, derivative
from supple.engine.pack.builder import build
from supple.engine.reading.rows import scaled_rows
from supple.formulations.equations import Equations
from supple.loops.assembly import compile_model, on_constraints, transferred
from supple.state import State as Start

QUICK = 27, 55
ALL = [number for number in range(100) if number not in QUICK]
some_and_many = pytest.mark.parametrize(
    "numbers", [QUICK, pytest.param(ALL, marks=pytest.mark.slow)], ids=["some", "many"]
)
pytestmark = pytest.mark.filterwarnings("ignore::supple.SuppleWarning")


def groups(eq: Equations) -> Iterator[tuple[str, slice]]:
    """Velocities that belong together: of a joint, of a flexible body, of a gradient body."""
    c = eq.compiled
    for record in (*c.joints.values(), *c.flexible.values(), *c.gradient.values()):
        yield record.name, record.u


@some_and_many
def test_equations_equal_the_mass_points(numbers):
    """Residual of each body, mass matrix, energies and momentum, workless terms included."""
    for number in numbers:
        recipe = mixed(number)
        model = recipe.model()
        eq = Equations(build(model))
        s, cloud = recipe.state(eq), MixedCloud(model, eq)
        found = eq.residual(s.t, s.q, s.u, s.a, s.z)
        wanted = cloud.residual(s.t, s.q, s.u, s.a) - cloud.spread(s.t, s.q)
        for _, own in groups(eq):
            close(found[own], wanted[own], 1e-7, 1.0)
        close(eq.mass_matrix(s.q), cloud.mass_matrix(s.q), 1e-9)
        now = eq.body_states(s.t, s.q, s.u, s.z)[1]
        kinetic, gravity, strain = cloud.energies(s.q, s.u)
        close(now.energy[0, 0], kinetic, 1e-9)
        close(now.energy[0, 1], gravity, 1e-9, 1.0)
        close(now.strain[0], strain, 1e-9)
        close(eq.momentum(s.q, s.u), cloud.momentum(s.q, s.u), 1e-9)


def moved(recipe: MixedRecipe, eq: Equations) -> State:
    """A state on the constraints, away from the start, with deformed bodies."""
    c, rng = eq.compiled, np.random.default_rng([recipe.tree.seed, 5])
    table = scaled_rows(c, eq.constraints(0.0, eq.q0, eq.u0).G)
    free = np.linalg.svd(table)[2][c.nr :].T
    way = free @ rng.normal(size=free.shape[1])
    q = eq.retract(eq.q0, 0.05 * way / np.abs(way).max() * c.scale)
    start = Start(0.3, q, rng.normal(size=c.nu) * np.minimum(c.scale, 1.0), rng.normal(size=c.nz))
    there = on_constraints(c, start)
    u = there.u / max(np.abs(there.u).max(), 1.0)
    return State(0.3, there.q, u, eq.accelerate(0.3, there.q, u, there.z), there.z)


@some_and_many
@pytest.mark.slow
def test_accelerations_are_those_of_mass_points_on_constraints(numbers):
    """Joints and constraints as functions of poses: they hold, and do no work on what they allow.

    Models start without strain, where their joints put them as rigid bodies.
    """
    for number in numbers:
        recipe = mixed(number)
        model = recipe.model()
        eq = Equations(compile_model(model))
        c = eq.compiled
        for record in c.gradient.values():
            start = c.q0[record.q].reshape(record.mesh.rest.shape)
            assert record.mesh.energy(start) < 1e-9, number  # J: strains of 1e-6
        s, cloud = moved(recipe, eq), MixedCloud(model, eq)
        J = cloud.rows(s.q)
        assert np.abs(cloud.violation(s.q[None])).max() < 1e-10
        close(J @ s.u, np.zeros(len(J)), 1e-9, 1.0)
        close(J @ s.a, -cloud.row_rates(s.q, s.u), 1e-7, 1.0 + np.abs(s.a).max())
        values, ways = np.linalg.svd(J)[1:]
        rank = int(np.sum(values > 1e-6 * values[0]))
        assert rank == c.nr, number
        left = cloud.residual(s.t, s.q, s.u, s.a) - cloud.spread(s.t, s.q)
        # what is left beside the forces that accelerations balance: viscous ones of sections. Of
        # model 17 it is 1.3e-6 of 139 N, the rounding of a mass matrix with the condition 4e7
        forces = np.abs(cloud.residual(s.t, s.q, s.u, 0.0 * s.a)).max()
        size = 1.0 + max(np.abs(left).max(), forces)
        close(ways[rank:] @ left, np.zeros(eq.nu - rank), 1e-7, size)


@some_and_many
def test_trees_agree_and_places_in_the_world_do_not_matter(numbers):
    """Absolute coordinates, and the whole model moved as it is, give the same accelerations."""
    for number in numbers:
        recipe = mixed(number)
        model = recipe.model()
        eq = Equations(compile_model(model))
        c, s = eq.compiled, moved(recipe, eq)
        rng = np.random.default_rng(number)
        turn, shift = rotation(rng), rng.normal(scale=2.0, size=3)
        other = rebuilt(model, turn=turn, shift=shift, t=s.t)
        for found, R, d in (
            (sp.Absolute().equations(model), np.eye(3), np.zeros(3)),
            (Equations(compile_model(other)), turn, shift),
        ):
            q, u = transferred(c, s.q, s.u, found.compiled)
            if R is turn:  # what is in world axes: nodal vectors
                for name, record in found.compiled.gradient.items():
                    shape = record.mesh.rest.shape
                    mine = c.gradient[name]
                    e = s.q[mine.q].reshape(shape) @ R.T
                    e[:, 0] += d
                    q[record.q] = e.ravel()
                    u[record.u] = (s.u[mine.u].reshape(shape) @ R.T).ravel()
            a = found.accelerate(s.t, q, u, s.z)
            for name, record in found.compiled.gradient.items():
                own = a[record.u].reshape(-1, 3) @ R
                close(own, s.a[c.gradient[name].u].reshape(-1, 3), 1e-7)
            for name, record in found.compiled.flexible.items():
                close(a[record.u], s.a[c.flexible[name].u], 1e-7, np.abs(s.a).max())


@some_and_many
def test_floating_models_keep_their_momenta_and_energy(numbers):
    """Without the ground: rates of momenta vanish; with all forces energy is what they give.

    Energies are followed with constant velocities, and u' M a is added: slopes of thin sections
    have accelerations of 1e7, with which the differences would be taken between large energies.
    """
    for number in numbers:
        for forces, floating in (("internal", True), ("all", False)):
            recipe = mixed(number, forces, floating=floating, loops=False)
            eq = Equations(compile_model(recipe.model()))
            s = moved(recipe, eq)
            inertia = eq.mass_matrix(s.q) @ s.a
            power = eq.power(s.t, s.q, s.u, s.z)
            sign = np.where(eq.compiled.force_dissipates, -1.0, 1.0)
            rates = derivative(along(eq, s, np.zeros(eq.nu)).energy)
            rates[0] += s.u @ inertia
            close(rates.sum(), sign @ power, 1e-8, np.abs(rates).max() + np.abs(power).sum())
            if floating:
                change = derivative(along(eq, s, s.a).momentum)
                assert np.abs(change).max() < 1e-8 * np.abs(inertia).max() * (1.0 + STEP)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12))
def test_tangents_equal_complex_steps(columns, number):
    recipe = mixed(number, "all")
    eq = Equations(build(recipe.model()))
    s = recipe.state(eq, far=0.05)
    lam = np.random.default_rng(number).normal(size=eq.compiled.nr)
    found = eq.tangents(s.t, s.q, s.u, s.a, s.z, lam)
    for matrix, argument in ((found.Rq, "d"), (found.Ru, "u"), (found.M, "a")):
        wanted = columns(eq, s, argument, lam)[0]
        for _, rows in groups(eq):  # stiff entries of one body would hide the rest
            for _, own in groups(eq):
                close(matrix[rows, own], wanted[rows, own], 1e-9, 1e-6 * np.abs(wanted).max())


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_runs_keep_their_energy(number):
    """A short run by two methods: the audit trusts it, and both are in the same place."""
    model = mixed(number, "all").model()
    found = []
    for integrator in (sp.Radau(), sp.GeneralizedAlpha()):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)
            found.append(sp.simulate(model, 0.01, integrator=integrator, output=2))
        assert found[-1].success and found[-1].energy.level == "trusted", number
    for name, record in found[0].data.compiled.gradient.items():
        places = [r[name].at(record.body.length).position for r in found]
        np.testing.assert_allclose(*places, atol=1e-4)


# ---------------------------------------------------------------------------- what they have shown

SOFT = sp.Material(E=1e7, G=4e6, density=1000.0)


def test_a_curved_beam_starts_at_the_frame_that_holds_it():
    """A quarter of a circle that hangs at its end: rigid at the start, nothing strained."""
    model = sp.Model()
    line = {"centre_line": lambda s: (np.sin(s), 1.0 - np.cos(s), 0.0)}
    arc = model.add(sp.ANCFBeam("arc", np.pi / 2, sp.Circle(0.05), SOFT, 3, **line))
    model.add(sp.Revolute("hinge", model.ground.at(2.0), arc.at(np.pi / 2), "z"))
    compiled = compile_model(model)
    record = compiled.gradient["arc"]
    e = compiled.q0[record.q].reshape(record.mesh.rest.shape)
    assert record.mesh.energy(e) < 1e-20
    # its end is at the hinge, its last section along x: the origin is a radius behind and above
    np.testing.assert_allclose(e[-1, :2], [[2, 0, 0], [1, 0, 0]], atol=1e-9)
    np.testing.assert_allclose(e[0, :2], [[1, 1, 0], [0, -1, 0]], atol=1e-9)


def test_a_closed_loop_with_a_beam_in_parts_that_forces_use():
    """Places of forces are ends of parts; the start knows the same parts."""
    model = sp.Model()
    arm = model.add(sp.Beam("arm", 1.0, sp.Rectangle(0.02, 0.02), SOFT, parts=2))
    link = model.add(sp.ANCFBeam("link", 1.0, sp.Rectangle(0.02, 0.02), SOFT, 2))
    ground = model.ground
    model.add(sp.Revolute("A", ground.at(0), arm.at(0), "z", np.pi / 3))
    model.add(sp.Revolute("B", arm.at(1.0), link.at(0), "z", -2 * np.pi / 3))
    model.add(sp.Revolute("C", ground.at(1.0), link.at(1.0), "z", -np.pi / 3))
    model.add(sp.SpringDamper("spring", arm.at(0.3), link.at(0.7), 5.0))
    assert len(model.bodies["arm"].part_bodies) > 2
    assert compile_model(model).joints["B"].label == "Revolute 'B'"
    assert sp.simulate(model, 0.01, tolerance="loose").success
