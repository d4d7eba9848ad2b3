"""The kernels as plain Python: what compiled code hides.

Compiled kernels do not check indices, and they accept real numbers only. Here they run uncompiled,
so that an index out of range raises, and complex numbers give derivatives without subtraction.
`make nojit` starts this folder with NUMBA_DISABLE_JIT=1; other runs do not collect it.
"""

from __future__ import annotations

import numba
import numpy as np
import pytest

import supple as sp
from models.plain_models import every_kind, rope, second_order, sliding, two_link_arm
from supple.cases.linkages.four_bar import four_bar
from supple.core.base.layout import new_work, read_work
from supple.core.bodies import chart
from supple.core.equations import dynamics, history
from supple.engine.base.compiled import RowSets
from supple.engine.base.histories import RunHistory
from supple.engine.reading.loads import Loads
from supple.engine.reading.rows import rows_at
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates

STEP = 1e-30  # of the complex step: no subtraction, so it may be as small as we like






def stiffened(law) -> sp.Model:
    """A flying beam whose deflection stretches it, with a damper of its own."""
    model = sp.Model(gravity=(0, 0, -9.81), name="stiffened")
    beam = sp.Beam(
        "beam",
        1.0,
        sp.Rectangle(0.05, 0.08),
        sp.Material(E=1e5, G=4e4, density=200.0),
        elements=2,
        reference="mean_axis",
        damping=sp.Rayleigh(1e-2),
        stiffening=law,
    )
    model.add(beam)
    model.add(sp.Free("air", model.ground.at(0), beam.at(0.3), initial_rate=(1, 2, 3, 0, 0, 1)))
    return model






MODELS = [
    two_link_arm,
    every_kind,
    lambda: stiffened(sp.reduction.Axial()),
    lambda: stiffened(sp.reduction.Axial(quadratic=True)),
    lambda: stiffened(sp.reduction.VonKarman("pointwise")),
    rope,
]


def state(equations: Equations, seed: int = 1) -> tuple[np.ndarray, ...]:
    """A general state (q, u, a, z) near the initial one."""
    random = np.random.default_rng(seed)
    q = equations.retract(equations.q0, 0.3 * random.standard_normal(equations.nu))
    u = equations.u0 + random.standard_normal(equations.nu)
    return q, u, random.standard_normal(equations.nu), random.standard_normal(equations.nz)


def complex_residual(equations: Equations, t: float, *arrays: np.ndarray) -> np.ndarray:
    """The residual kernel on complex numbers, (nu,)."""
    compiled = equations.compiled
    work = new_work(compiled.ints, complex)
    out = np.zeros(equations.nu, complex)
    dynamics.residual(
        compiled.ints, compiled.reals, work, t, *(np.asarray(x, complex) for x in arrays), out
    )
    return out


def complex_retract(equations: Equations, q: np.ndarray, d: np.ndarray) -> np.ndarray:
    """The configuration q moved by the complex increment d, (nq,)."""
    compiled = equations.compiled
    out = np.zeros(equations.nq, complex)
    work = new_work(compiled.ints, complex)
    chart.move(compiled.ints, compiled.reals, work, q.astype(complex), d, out)
    return out


def test_the_compiler_is_off() -> None:
    assert numba.config.DISABLE_JIT, "run this folder by `make nojit`"


@pytest.mark.parametrize("build", [*MODELS, second_order])
def test_acceleration_makes_the_residual_vanish(build) -> None:
    equations = JointCoordinates().equations(build())
    q, u, a, z = state(equations)
    free = equations.residual(0.4, q, u, np.zeros(equations.nu), z)
    mass = equations.mass_matrix(q)
    np.testing.assert_allclose(mass, mass.T, rtol=0, atol=1e-14)
    np.testing.assert_allclose(equations.residual(0.4, q, u, a, z), mass @ a + free, atol=1e-11)
    found = equations.accelerate(0.4, q, u, z)
    scale = np.abs(free).max()
    np.testing.assert_allclose(equations.residual(0.4, q, u, found, z) / scale, 0, atol=1e-12)


@pytest.mark.parametrize("build", [*MODELS, second_order])
def test_tangent_is_the_complex_step(build) -> None:
    equations = JointCoordinates().equations(build())
    q, u, a, z = state(equations)
    found = equations.tangent(0.4, q, u, a, z)
    expected = np.empty((3, equations.nu, equations.nu))
    for k in range(equations.nu):
        d = np.zeros(equations.nu, complex)
        d[k] = 1j * STEP
        moved = complex_retract(equations, q, d)
        expected[0, :, k] = complex_residual(equations, 0.4, moved, u, a, z).imag / STEP
        expected[1, :, k] = complex_residual(equations, 0.4, q, u + d, a, z).imag / STEP
        expected[2, :, k] = complex_residual(equations, 0.4, q, u, a + d, z).imag / STEP
    for name, matrix, reference in zip(("Rq", "Ru", "M"), found, expected, strict=True):
        scale = np.abs(reference).max()
        np.testing.assert_allclose(matrix / scale, reference / scale, atol=1e-12, err_msg=name)


# One law of stiffening: runs take long here.
@pytest.mark.parametrize("build", [*MODELS[:2], pytest.param(MODELS[2], marks=pytest.mark.slow)])
def test_two_methods_take_the_same_way(build) -> None:
    # Both errors are per step and relative to 1 rad and 1 rad/s; a few dozen steps add up.
    implicit = sp.simulate(build(), 0.002, output=4, tolerance=1e-7, integrator=sp.Radau())
    explicit = sp.simulate(build(), 0.002, output=4, tolerance=1e-7, integrator=sp.DormandPrince())
    assert implicit.success and explicit.success
    np.testing.assert_allclose(implicit.q, explicit.q, atol=1e-6)
    np.testing.assert_allclose(implicit.u, explicit.u, atol=1e-5)
    assert implicit.energy.level == explicit.energy.level == "trusted"


@pytest.mark.parametrize("build", [MODELS[0], pytest.param(MODELS[1], marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "method", [sp.BDF, pytest.param(sp.Adams, marks=pytest.mark.slow)], ids=["BDF", "Adams"]
)
def test_multistep_methods_take_the_same_way(build, method) -> None:
    # they begin with order 1: some fifty steps, each with an error of 1e-8 at most
    exact = sp.simulate(build(), 0.02, output=4, tolerance=1e-10)
    found = sp.simulate(build(), 0.02, output=4, tolerance=1e-8, integrator=method())
    assert found.success
    np.testing.assert_allclose(found.q, exact.q, atol=5e-7)
    np.testing.assert_allclose(found.u, exact.u, atol=5e-6)
    assert found.energy.level == "trusted"


@pytest.mark.parametrize("method", [sp.BDF, sp.Adams], ids=lambda m: m.__name__)
def test_multistep_methods_keep_a_loop_closed(method) -> None:
    exact = sp.simulate(four_bar(), 0.02, output=4, tolerance=1e-10)
    found = sp.simulate(four_bar(), 0.02, output=4, tolerance=1e-8, integrator=method())
    assert found.success
    np.testing.assert_allclose(found.q, exact.q, atol=5e-7)
    np.testing.assert_allclose(found.u, exact.u, atol=5e-6)
    assert found.energy.level == "trusted"


@pytest.mark.parametrize(
    "build", [*MODELS[:2], *(pytest.param(m, marks=pytest.mark.slow) for m in MODELS[2:])]
)
def test_generalized_alpha_takes_the_same_way(build) -> None:
    # order 2: twice as many steps, a quarter of the error
    exact = sp.simulate(build(), 0.02, output=4, tolerance=1e-9, integrator=sp.DormandPrince())
    gaps = []
    for n in (10, 20):
        found = sp.simulate(build(), 0.02, output=4, integrator=sp.GeneralizedAlpha(step=0.02 / n))
        assert found.success and found.statistics["steps"] == n
        gaps.append(np.abs(found.u - exact.u).max())
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx(2.0, abs=0.2)
    free = sp.simulate(
        build(), 0.02, output=4, tolerance=1e-5, integrator=sp.GeneralizedAlpha(rho=0.5)
    )
    assert free.success
    np.testing.assert_allclose(free.q, exact.q, atol=1e-4)


@pytest.mark.parametrize("held", ["ggl", "index3"])
@pytest.mark.parametrize("formulation", [JointCoordinates(), sp.Absolute()])
def test_generalized_alpha_on_constraints(formulation, held) -> None:
    model = two_link_arm()
    model.add(sp.Distance("rod", model.ground.at(0.8, 0, 0.1), model["link2"].at(0.4), 0.5))
    start = {"formulation": formulation, "output": 4}
    exact = sp.simulate(model, 0.02, tolerance=1e-9, integrator=sp.DormandPrince(), **start)
    gaps = []
    for integrator in (
        sp.GeneralizedAlpha(step=0.002, constraints=held),
        sp.GeneralizedAlpha(step=0.001, constraints=held),
        sp.GeneralizedAlpha(constraints=held),
    ):
        found = sp.simulate(model, 0.02, tolerance=1e-5, integrator=integrator, **start)
        assert found.success
        gaps.append(np.abs(found.q - exact.q).max())
    assert np.log2(gaps[0] / gaps[1]) == pytest.approx(2.0, abs=0.2)
    assert gaps[2] < 1e-4


def test_force_elements_one_by_one_are_all_of_them() -> None:
    model = every_kind()
    equations = JointCoordinates().equations(model)
    q, u, _, z = state(equations)
    rows = (np.array([x]) for x in (0.4, q, u, z))
    loads = Loads(RunHistory(RowSets.of(equations.compiled), *rows), dict(model.forces))
    found = [loads(name) for name in equations.compiled.force_names]
    _, whole = equations.body_states(0.4, q, u, z)
    np.testing.assert_allclose(sum(f.efforts for f in found), whole.effort, atol=1e-13)
    power = equations.power(0.4, q, u, z)
    np.testing.assert_allclose([f.power[0] for f in found], power, atol=1e-13)
    rope = loads("rope").wrenches[0]
    np.testing.assert_allclose(rope[0, 3:], -rope[1, 3:], atol=1e-13)
    np.testing.assert_allclose(rope[:, :3], 0.0, atol=1e-13)


def test_given_motion_is_that_of_the_history() -> None:
    """Poses, velocities and accelerations of all nodes, at the accelerations of the motion."""
    equations = JointCoordinates().equations(every_kind())
    c = equations.compiled
    q, u, _, z = state(equations)
    a, found = equations.body_states(0.4, q, u, z)
    nodes = found.nodes[0, :, : history.OUT_W]
    out = np.zeros((1, nodes.size))
    history.given_motion(c.ints, c.reals, new_work(c.ints), q[None], u[None], a[None], out)
    np.testing.assert_allclose(out.reshape(nodes.shape), nodes, atol=1e-12)


def test_momentum_of_the_free_axis_is_kept() -> None:
    result = sp.simulate(two_link_arm(), 0.02, output=4)
    record = result.momentum.records[0]
    assert record.max_error < 1e-9 * abs(record.initial)


def test_event_is_found() -> None:
    stop = sp.Event("level", "shoulder", value=0.31, direction=1)
    result = sp.simulate(two_link_arm(), 0.1, output=4, events=[stop])
    assert [event.name for event in result.events] == ["level"]
    assert result["shoulder"].angle[-1] == pytest.approx(0.31, abs=1e-7)


def test_events_of_a_frame_are_found() -> None:
    model = two_link_arm()
    place = list(model.bodies.values())[-1].at(0.2)
    point = sp.simulate(model, 0.02, output=[0.01, 0.02])[place]
    values = {
        "y": point.position[0, 1], "vx": point.velocity[0, 0], "wz": point.angular_velocity[0, 2]
    }  # fmt: skip
    watched = [sp.Event(k, place, k, value=float(v), terminal=False) for k, v in values.items()]
    found = {e.name: e.t for e in sp.simulate(model, 0.02, output=4, events=watched).events}
    assert found == pytest.approx(dict.fromkeys(values, 0.01), abs=1e-6)


@pytest.mark.parametrize("decay", [1.0, pytest.param(0.0, marks=pytest.mark.slow)])
def test_energy_scheme_takes_steps(decay: float) -> None:
    """All kinds of forms, coordinates and elements, three steps; energy is kept or falls."""
    model = sp.Model(gravity=(0, 0, -9.81))
    names = ("one", "two", "three", "four")
    one, two, three, four = (
        model.add(sp.RigidBody(name, 1.0, (0.1, 0.2, 0), (0.3, 0.4, 0.5))) for name in names
    )
    model.add(sp.Revolute("turn", model.ground.at(0), one.at(0), "y", 0.3, 1.0))
    model.add(sp.Universal("cross", one.at(0.5), two.at(0), initial=(0.2, 0.4)))
    model.add(sp.Cylindrical("pin", two.at(0.5), three.at(0), "x", (0.1, 0.3), (0.5, 2.0)))
    model.add(sp.Spherical("ball", three.at(0.4), four.at(0), initial_rate=(0.1, 0.2, 0.3)))
    model.add(sp.Distance("rope", model.ground.at(1, 1, 1), four.at(0.2), 1.5))
    model.add(sp.JointSpring("pad", "turn", 5.0, 0.1, cubic=1.0))
    model.add(sp.JointSpring("coil", "pin", 20.0, 0.1, coordinate="displacement"))
    model.add(sp.JointFriction("rub", "cross", 0.1, 0.1))
    model.add(sp.SpringDamper("line", one.at(0, 1), four.at(0.3), 30.0, 0.2, 0.5))
    model.add(sp.Force("push", two.at(0.1), (1, 0, "t"), (0, 0.1, 0), axes="body"))
    soft, square = sp.Material(E=1e6, G=4e5, density=1000), sp.Rectangle(0.02, 0.02)
    damping = sp.Rayleigh(stiffness=0.01)
    rope = model.add(sp.Cable("tail", 1.0, square, soft, 1, damping=damping))
    rod = model.add(sp.ANCFBeam("rod", 1.0, square, soft, 1))
    model.add(sp.Spherical("knot", one.at(0.3), rope.at(0)))
    model.add(sp.Fixed("weld", rod.at(0), four.at(0.1)))
    model.add(sp.DistributedLoad("wind", rope.at(0), (0, 1, "t")))
    scheme = sp.EnergyScheme(step=0.01, decay=decay)
    result = sp.simulate(model, 0.03, integrator=scheme, formulation=sp.Absolute(), output=3)
    assert result.success, result.message
    assert result.statistics["newton_iterations"] <= 6 * 3
    error = result.energy.error
    if decay == 0.0:
        assert np.abs(error).max() < 1e-13 * result.energy.record.max_energy
    else:
        assert np.diff(error).max() < 0.0




@pytest.mark.parametrize(
    "follows", ["point", "section", pytest.param("tangent", marks=pytest.mark.slow)]
)
def test_a_sliding_point_is_differentiated_exactly(follows: str) -> None:
    """Its rows: rates are G u, their derivatives H, g'' = G a + H u; its forces, along q and u."""
    equations = JointCoordinates().equations(sliding(follows))
    c, n = equations.compiled, equations.nu
    random = np.random.default_rng(3)
    q = equations.retract(equations.q0, 0.05 * random.standard_normal(n))
    u, a = random.standard_normal((2, n))
    lam = 10.0 * random.standard_normal(c.nr)
    rows = rows_at(c, new_work(c.ints), 0.0, q, u, a)
    np.testing.assert_allclose(rows.rate, rows.G @ u, atol=1e-13)
    np.testing.assert_allclose(rows.acceleration, rows.G @ a + rows.H @ u, atol=1e-12)
    found = equations.tangents(0.0, q, u, a, None, lam)
    work = new_work(c.ints, complex)
    for k in range(n):
        d = np.zeros(n, complex)
        d[k] = 1j * STEP
        moved = complex_retract(equations, q, d)
        out = [np.zeros(c.nr, complex) for _ in range(3)]
        out += [np.zeros((c.nr, n), complex) for _ in range(2)]
        state = [np.asarray(x, complex) for x in (moved, u, a)]
        dynamics.constrain(c.ints, c.reals, work, 0.0, *state, *out)
        np.testing.assert_allclose(out[0].imag / STEP, rows.G[:, k], atol=1e-12)
        np.testing.assert_allclose(out[1].imag / STEP, rows.H[:, k], atol=1e-12)
        read_work(c.ints, work).lam[:] = lam
        for column, at in ((found.Rq, (moved, u)), (found.Ru, (q, u + d))):
            r = np.zeros(n, complex)
            given = [np.asarray(x, complex) for x in (*at, a, np.zeros(0))]
            dynamics.residual(c.ints, c.reals, work, 0.0, *given, r)
            np.testing.assert_allclose(column[:, k], r.imag / STEP, atol=1e-9)


@pytest.mark.parametrize("kind", ["plate", "solid", pytest.param("shell", marks=pytest.mark.slow)])
def test_pressure_is_differentiated_exactly(kind: str) -> None:
    """Along q, by complex steps; the tangent of a follower load is not symmetric."""
    model, rubber = sp.Model(), sp.Material(E=1e6, G=4e5, density=1000.0)
    if kind == "solid":
        mesh = sp.fem.block((0.2, 0.1, 0.1), (1, 1, 1), "hex8", rubber)
        body = model.add(sp.ANCFSolid("body", mesh))
    else:
        shape = (lambda x, y: (x, y, 0.3 * x**2)) if kind == "shell" else None
        body = model.add(sp.ANCFPlate("body", (0.2, 0.1), 0.01, rubber, (1, 1), shape))
    model.add(sp.Spherical("hold", model.ground.at(0), body.at(0, 0)))
    bare = JointCoordinates().equations(model)
    model.add(sp.Pressure("load", body.at(0, 0), "2000 + t"))
    check_follower(model, bare)


@pytest.mark.parametrize("kind", ["beam", "cable"])
def test_a_load_on_sections_is_differentiated_exactly(kind: str) -> None:
    """Along q, by complex steps, beside a torque that follows; on a cable along its tangent."""
    model, rubber = sp.Model(), sp.Material(E=1e6, G=4e5, density=1000.0)
    if kind == "beam":
        shape = {"roll": 0.3, "twist": 0.4}
        body = sp.ANCFBeam("body", 0.4, sp.Rectangle(0.02, 0.01), rubber, 2, **shape)
        parts, start = ("2000 + t", 700.0, -900.0), body.at(0.05, rotation=(0.2, -0.3, 0.5))
    else:
        body = sp.Cable("body", 0.4, sp.Circle(0.01), rubber, 2)
        parts, start = ("2000 + t", 0.0, 0.0), body.at(0.05)
    model.add(body)
    model.add(sp.Spherical("hold", model.ground.at(0), body.at(0)))
    for k, place in enumerate((0.05, 0.35)):  # nodes
        model.add(sp.Force(f"mark {k}", body.at(place)))
    if kind == "beam":
        model.add(sp.Force("turn", body.at(0.35), torque=(3, -2, 1), axes="body"))
    bare = JointCoordinates().equations(model)
    model.add(sp.DistributedLoad("load", start, parts, 0.35, (0.4, 1.3), axes="section"))
    check_follower(model, bare)


def check_follower(model: sp.Model, bare: Equations) -> None:
    """Tangents with a load, by complex steps; ``bare`` are the equations without it."""
    equations = JointCoordinates().equations(model)
    c, n = equations.compiled, equations.nu
    random = np.random.default_rng(4)
    q = equations.retract(equations.q0, 0.05 * random.standard_normal(n))
    u, a = random.standard_normal((2, n))
    lam = np.zeros(c.nr)
    found = equations.tangents(0.5, q, u, a, None, lam).Rq
    without = bare.tangents(0.5, q, u, a, None, lam).Rq
    assert np.abs(found - without).max() > 1.0
    work = new_work(c.ints, complex)
    for k in range(n):
        d = np.zeros(n, complex)
        d[k] = 1j * STEP
        moved = complex_retract(equations, q, d)
        r = np.zeros(n, complex)
        given = [np.asarray(x, complex) for x in (moved, u, a, np.zeros(0))]
        dynamics.residual(c.ints, c.reals, work, 0.5, *given, r)
        np.testing.assert_allclose(found[:, k], r.imag / STEP, atol=1e-9 * np.abs(found).max())
