"""Loads that turn with the sections of beams and cables over nodal vectors, and torques there."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import supple as sp
from supple.analyses.base.snapshot_result import instant
from supple.analyses.equilibrium import sparse_balance
from supple.engine.pack.builder import build
from supple.engine.sparsity import block_plan
from supple.fem.nodal.ancf_beam import BEAM_ELEMENTS
from supple.formulations.equations import Equations
from supple.state import State
from supple.visualization.drawing import draw

SOFT = sp.Material(E=1e6, G=4e5, density=1000.0)
STEEL = sp.Material(E=2e11, G=2e11 / 2.6, density=7800.0)
SQUARE = sp.Rectangle(0.03, 0.03)
TURN = (0.2, -0.3, 0.5)
PARTS = (0.7, "0.4 + sin(3*t)", -0.5)  # N/m


def bow(s: float) -> tuple[float, float, float]:
    return np.sin(0.6 * s) / 0.6, 0.0, (1.0 - np.cos(0.6 * s)) / 0.6


def cable() -> sp.Cable:
    return sp.Cable("arm", 2.0, SQUARE, SOFT, 6)


def beam(**options) -> sp.ANCFBeam:
    return sp.ANCFBeam("arm", 2.0, SQUARE, SOFT, 6, **options)


def bent(element: str = "collocated") -> sp.ANCFBeam:
    line = {"twist": 0.4, "centre_line": bow, "roll": 0.3}
    return sp.ANCFBeam("arm", 2.0, SQUARE, SOFT, 6, element, **line)


BODIES = {"cable": cable, "beam": beam, "bent beam": bent}
NOW = 0.3  # s, of the state below


def loaded(body: sp.bodies.Body, name: str = "wind") -> sp.DistributedLoad:
    """Part of a wedge between two inner stations; along the tangent of a cable."""
    parts, turn = (PARTS, TURN)
    if isinstance(body, sp.Cable):
        parts, turn = (PARTS[1], 0, 0), None
    start = body.at(0.5, rotation=turn)
    return sp.DistributedLoad(name, start, parts, 1.6, (0.4, 1.3), axes="section")


def hung(body: sp.bodies.Body, *items) -> sp.Model:
    m = sp.Model()
    m.add(body)
    m.add(sp.Spherical("ball", m.ground.at(0), body.at(0), (0.3, 0.2, 0.1), (1, 2, 3)))
    for item in items:
        m.add(item)
    m.add(sp.Force("mark", body.at(0.5), (0, 0, 0)))  # nodes in all models
    m.add(sp.Force("end", body.at(1.6), (0, 0, 0)))
    return m


def crumpled(m: sp.Model, size: float = 0.02) -> tuple[Equations, State]:
    eq, rng = Equations(build(m)), np.random.default_rng(0)
    q = eq.retract(eq.q0, size * rng.normal(size=eq.nu))
    return eq, State(NOW, q, eq.u0 + 5.0 * size * rng.normal(size=eq.nu), np.zeros(0))


def shown(m: sp.Model, eq: Equations, state: State) -> sp.results.Result:
    return sp.results.Result(instant(m, eq, state, True, "an instant", {}))


def pulls(result: sp.results.Result, load: sp.DistributedLoad) -> list[tuple[float, np.ndarray]]:
    """Stations (m) and forces (3,) N of many points of a load, by the axes that results show."""
    body = result.data.compiled.gradient["arm"].body
    begin, end = float(load.frame.position[0]), load.end
    nodes = body.stations
    inner = [begin, *nodes[(nodes > begin + 1e-9) & (nodes < end - 1e-9)], end]
    density, found = np.array([float(s(NOW)) for s in load.force]), []
    for a, b in pairwise(inner):
        for s, weight in zip(*np.polynomial.legendre.leggauss(10), strict=True):
            x = 0.5 * (a + b) + 0.5 * (b - a) * s
            view = result["arm"].at(x)
            axes = view.matrix[0] @ load.frame.rotation
            if isinstance(body, sp.Cable):
                step = 1e-5
                ends = [result["arm"].at(x + d).position[0] for d in (-step, step)]
                way = ends[1] - ends[0]
                axes = np.outer(way / np.linalg.norm(way), (1, 0, 0))
            factor = 0.5 * (b - a) * weight * np.interp(x, (begin, end), load.profile)
            found.append((x, factor * axes @ density))
    return found


@pytest.mark.parametrize("make", BODIES.values(), ids=BODIES)
def test_force_moment_and_power_are_those_of_its_points(make):
    """In a bent state: resultant, moment about the origin, power; three points in each element.

    Three points in an element take axes that turn by some 0.05 within it, which ten do better.
    """
    body = make()
    load = loaded(body)
    m = hung(body, load)
    (eq, state), (bare, _) = crumpled(m, 0.005), crumpled(hung(body), 0.005)
    zero, own = np.zeros(eq.nu), eq.compiled.gradient["arm"]
    given = NOW, state.q, state.u, zero
    found = (bare.residual(*given) - eq.residual(*given))[own.u].reshape(-1, 3)
    e, rate = state.q[own.q].reshape(-1, 3), state.u[own.u].reshape(-1, 3)
    result = shown(m, eq, state)
    points = [(result["arm"].at(x), f) for x, f in pulls(result, load)]
    total = sum(f for _, f in points)
    moment = sum(np.cross(view.position[0], f) for view, f in points)
    power = sum(view.velocity[0] @ f for view, f in points)
    places = own.mesh.places.ravel()
    size = sum(np.linalg.norm(f) for _, f in points)
    assert found[places].sum(axis=0) == pytest.approx(total, abs=1e-5 * size)
    assert np.cross(e, found).sum(axis=0) == pytest.approx(moment, abs=1e-5 * size)
    assert np.sum(rate * found) == pytest.approx(power, abs=1e-5 * size)
    assert result["wind"].power[0] == pytest.approx(np.sum(rate * found), rel=1e-10)


@pytest.mark.parametrize("make", [cable, beam])
def test_at_rest_it_is_a_load_in_the_world(make):
    """Where sections are not turned, on a straight body, both give the same efforts."""
    body = make()
    along = loaded(body)
    parts = along.frame.rotation @ np.array([float(s(NOW)) for s in along.force])
    dead = sp.DistributedLoad("wind", body.at(0.5), parts, 1.6, along.profile)
    found = []
    for load in (along, dead):
        m = sp.Model()
        m.add(body)
        m.add(sp.Spherical("ball", m.ground.at(0), body.at(0)))
        m.add(load)
        eq = Equations(build(m))
        found.append(eq.residual(NOW, eq.q0, 0.0 * eq.u0, 0.0 * eq.u0))
    assert np.abs(found[0] - found[1]).max() < 1e-13 * np.abs(found[1]).max()


def test_it_turns_with_the_body():
    """Efforts of a body that is turned by R are R times those at rest, whatever its shape."""
    from scipy.spatial.transform import Rotation

    body = bent()
    R = Rotation.from_rotvec((0.5, -1.2, 0.8)).as_matrix()
    m, none = hung(body, loaded(body)), hung(body)
    (eq, state), (bare, _) = crumpled(m, 0.1), crumpled(none, 0.1)
    own, zero, found = eq.compiled.gradient["arm"], np.zeros(eq.nu), []
    for turn in (np.eye(3), R):
        q = state.q.copy()
        q[own.q] = (q[own.q].reshape(-1, 3) @ turn.T).ravel()
        given = NOW, q, 0.0 * zero, zero
        pull = (bare.residual(*given) - eq.residual(*given))[own.u].reshape(-1, 3)
        found.append(pull @ turn)
    # elastic forces, which are subtracted, are larger: E times the strain of the crumpled state
    size = np.abs(bare.residual(NOW, state.q, zero, zero)).max()
    assert np.abs(found[0]).max() > 0.01
    assert np.abs(found[0] - found[1]).max() < 1e-14 * size


@pytest.mark.parametrize("element", BEAM_ELEMENTS)
def test_tangents_of_the_residual(element):
    """Against central differences; torques that turn with the body and do not, beside a load."""
    body = bent(element)
    m = hung(body, loaded(body))
    m.add(sp.Force("turn", body.at(1.6, rotation=TURN), (1, 2, 3), (0.5, -0.4, "t"), axes="body"))
    m.add(sp.Force("twist", body.at(2.0), (0, 0, 0), (0.5, -0.4, 0.3)))
    _check_tangents(m)


def test_tangents_of_a_load_along_a_cable():
    """As above, for the tangent of a line."""
    body = cable()
    _check_tangents(hung(body, loaded(body)))


def _check_tangents(m: sp.Model) -> None:
    eq, state = crumpled(m, 0.05)
    rng = np.random.default_rng(1)
    a, lam, step = rng.normal(size=eq.nu), np.zeros(eq.compiled.nr), 1e-6
    found = eq.tangents(NOW, state.q, state.u, a, None, lam).Rq
    for k in range(eq.nu):
        d = np.zeros(eq.nu)
        d[k] = step
        two = [eq.residual(NOW, eq.retract(state.q, sign * d), state.u, a) for sign in (1.0, -1.0)]
        column = (two[0] - two[1]) / (2.0 * step)
        # rounding of the residual over the step
        assert np.abs(found[:, k] - column).max() < 1e-7 * np.abs(found).max()


@pytest.mark.parametrize("axes", ["world", "body"])
def test_power_of_a_torque_is_that_of_its_frame(axes):
    """Torque times angular velocity of the section, and no resultant force."""
    body = bent()
    torque, frame = np.array([0.5, -0.4, 0.3]), body.at(1.6, rotation=TURN)
    m = hung(body, sp.Force("turn", frame, (0, 0, 0), torque, axes=axes))
    (eq, state), (bare, _) = crumpled(m), crumpled(hung(body))
    result, zero = shown(m, eq, state), np.zeros(eq.nu)
    view, own = result["arm"].at(1.6), eq.compiled.gradient["arm"]
    moment = torque if axes == "world" else view.matrix[0] @ frame.rotation @ torque
    power = moment @ view.angular_velocity[0]
    given = NOW, state.q, state.u, zero
    found = (bare.residual(*given) - eq.residual(*given))[own.u].reshape(-1, 3)
    assert np.sum(state.u[own.u].reshape(-1, 3) * found) == pytest.approx(power, rel=1e-9)
    assert result["turn"].power[0] == pytest.approx(power, rel=1e-12)
    e = state.q[own.q].reshape(-1, 3)
    assert np.cross(e, found).sum(axis=0) == pytest.approx(moment, abs=1e-9)
    assert np.abs(found[own.mesh.places.ravel()]).max() < 1e-9


# ------------------------------------------------------------------------------------ equilibria


def rod(elements: int) -> sp.Model:
    """A slender cantilever of one metre."""
    m = sp.Model()
    made = m.add(sp.ANCFBeam("rod", 1.0, sp.Rectangle(1e-3, 1e-3), STEEL, elements))
    m.add(sp.Fixed("clamp", m.ground.at(0), made.at(0)))
    return m


STIFFNESS = STEEL.E * 1e-3**4 / 12.0  # N m2


def elastica(k: float) -> np.ndarray:
    """Tip (2,) m of a cantilever under k E I / L^3 across it, integrated from the tip on.

    In axes of the section N' = c V, V' = -k - c N, c' = -V with the curvature c: nothing of this
    knows the angle, so that the clamp follows without shooting.
    """

    def backwards(s, y):
        N, V, c, angle = y[:4]
        return -c * V, k + c * N, V, -c, -np.cos(angle), -np.sin(angle)

    tip = solve_ivp(backwards, (0, 1), np.zeros(6), rtol=1e-11, atol=1e-12).y[:, -1]
    c, s = np.cos(tip[3]), np.sin(tip[3])
    return np.array([[c, s], [-s, c]]) @ -tip[4:]


def test_pressure_across_a_cantilever():
    """Elements err by the square of their length: 16 err by a quarter of what 8 do."""
    k = 6.0
    exact = elastica(k)
    assert exact[1] > 0.5  # it is bent far
    errors = []
    for elements in (8, 16):
        m = rod(elements)
        load = (0, k * STIFFNESS, 0)
        m.add(sp.DistributedLoad("wind", m.bodies["rod"].at(0), load, axes="section"))
        found = sp.statics(m)
        assert found.success
        errors.append(found["rod"].at(1.0).position[0, :2] - exact)
    first, second = np.linalg.norm(errors, axis=1)
    assert first / second == pytest.approx(4.0, rel=0.3)
    assert np.linalg.norm(4.0 * errors[1] - errors[0]) / 3.0 < 0.1 * second
    view = found["rod"].at(0.0)
    held = np.concatenate([found["clamp"].force[0], found["clamp"].torque[0]])
    inside = view.section_forces().values[0]
    assert np.abs(inside + held).max() < 1e-8 * np.abs(held).max()
    again = pickle.loads(pickle.dumps(view))
    assert np.array_equal(again.section_forces().values[0], inside)


def test_flutter_of_a_column_with_a_load_along_it():
    """k E I / L^3 against its tangent: above 40.05 two vibrations become one (Leipholz 1962)."""
    growth = []
    for k in (39.0, 41.0):
        m = rod(8)
        load = (-k * STIFFNESS, 0, 0)
        m.add(sp.DistributedLoad("thrust", m.bodies["rod"].at(0), load, axes="section"))
        growth.append(sp.linearize(m).eigenvalues.real.max())
    assert growth[0] < 1e-3
    assert growth[1] > 1.0  # 1/s


def test_flutter_is_seen_by_sparse_matrices(monkeypatch):
    """Equilibria of large models tell stability as whole matrices do; the column is straight."""
    monkeypatch.setattr(block_plan, "WORTH", 0.0)
    for k, steady in ((39.0, True), (41.0, False)):
        found = []
        for fewest in (0, 10**9):
            monkeypatch.setattr(sparse_balance, "FEWEST", fewest)
            m = rod(8)
            load = (-k * STIFFNESS, 0, 0)
            m.add(sp.DistributedLoad("thrust", m.bodies["rod"].at(0), load, axes="section"))
            found.append(sp.statics(m))
        sparse, whole = found
        assert sparse.success and whole.success
        assert sparse.stable == whole.stable == steady
        # an unstable one is left to whole matrices, which go on from there
        assert sparse.statistics["newton"] == ("sparse" if steady else "dense")
        np.testing.assert_allclose(sparse.state().q, whole.state().q, atol=1e-8)
        if steady:
            lowest = sparse.equilibrium.stiffness[0]
            assert np.abs(whole.equilibrium.stiffness / lowest - 1.0).min() < 1e-3


@pytest.mark.slow
def test_pressure_across_many_elements():
    """1536 velocities, beyond whole matrices: 256 times nearer than 8 elements."""
    m = rod(128)
    load = (0, 6.0 * STIFFNESS, 0)
    m.add(sp.DistributedLoad("wind", m.bodies["rod"].at(0), load, axes="section"))
    found = sp.statics(m)
    assert found.success and found.stable
    assert found.statistics["newton"] == "sparse"
    error = np.linalg.norm(found["rod"].at(1.0).position[0, :2] - elastica(6.0))
    assert error < 0.0143 / 200


def test_many_forces_that_turn_with_their_sections():
    """At each node the share of two halves of elements: the difference is that of a trapezoid."""
    gaps = []
    for elements in (5, 10):
        places = []
        for kind in ("load", "forces"):
            m = rod(elements)
            made, p = m.bodies["rod"], 6.0 * STIFFNESS
            if kind == "load":
                m.add(sp.DistributedLoad("wind", made.at(0), (0, 0, p), axes="section"))
            else:
                for k in range(1, elements + 1):
                    share = p / elements * (0.5 if k == elements else 1.0)
                    force = (0, 0, share)
                    m.add(sp.Force(f"f{k}", made.at(k / elements), force, axes="body"))
            places.append(sp.statics(m)["rod"].at(1.0).position[0])
        gaps.append(np.linalg.norm(places[0] - places[1]))
    assert gaps[0] / gaps[1] == pytest.approx(4.0, rel=0.2)
    assert gaps[1] < 0.01


def test_an_arc_under_pressure():
    """A quarter of a ring whose ends slide: p R in all its sections, p R^2/(E A) outwards."""
    R, p, side = 0.5, 3e3, 0.01

    def arc(s):
        return R * np.sin(s / R), R * (1.0 - np.cos(s / R)), 0.0

    length = 0.5 * np.pi * R
    grown = []
    for elements in (6, 12):
        points = [arc(s) for s in np.linspace(0.0, length, 401)]
        m = sp.Model()
        made = sp.ANCFBeam(
            "ring", None, sp.Rectangle(side, side), STEEL, elements, centre_line=points
        )
        ring = m.add(made)
        m.add(sp.Prismatic("first", m.ground.at(0), ring.at(0), "y"))
        corner = m.ground.at(R, R, 0, rotation=(0, 0, 0.5 * np.pi))
        m.add(sp.Prismatic("last", corner, ring.at(ring.length), "y"))
        m.add(sp.DistributedLoad("gas", ring.at(0), (0, -p, 0), axes="section"))
        found = sp.statics(m)
        for x in (0.0, 0.5 * length, ring.length):
            forces = found["ring"].at(x).section_forces()
            assert forces.N[0] == pytest.approx(p * R, rel=1e-6)
            assert abs(forces.Mz[0]) < 0.2 * p * side**2  # E I/R times the strain is 1/12
        grown.append(-found["ring"].at(0.0).displacement[0, 1])
    assert grown[1] == pytest.approx(p * R**2 / (STEEL.E * side**2), rel=0.01)


def test_tension_of_a_cable_with_a_load_along_it():
    """The tension is q (L - x) and what wind and weight pull along the line, in any shape.

    Bending carries E I c^2/2, less than 1e-4 of it; stretching by 7e-4 changes lengths so much.
    """
    rubber, q, length = sp.Material(E=5e7, G=2e7, density=1000.0), 0.3, 1.0
    m = sp.Model(gravity=(0, -9.81, 0))
    rope = m.add(sp.Cable("rope", length, sp.Circle(0.004), rubber, 16))
    m.add(sp.Spherical("hinge", m.ground.at(0), rope.at(0)))
    m.add(sp.DistributedLoad("wind", rope.at(0), (0, 0, 0.2), profile=(-1, 2)))
    m.add(sp.DistributedLoad("flow", rope.at(0), (q, 0, 0), axes="section"))
    found = sp.statics(m)
    assert found.success
    weight = 1000.0 * np.pi * 0.004**2 / 4 * 9.81
    for x in (0.0, 0.25, 0.6):
        s = np.linspace(x, length, 201)
        places = np.array([found["rope"].at(v).position[0] for v in s])
        middle = 0.5 * (s[1:] + s[:-1])
        density = np.stack([0 * middle, 0 * middle - weight, 0.2 * (-1.0 + 3.0 * middle)], axis=1)
        wanted = q * (length - x) + np.sum(density * np.diff(places, axis=0))
        assert found["rope"].at(x).section_forces().N[0] == pytest.approx(wanted, rel=2e-3)
    ends = found["rope"].at(length).position[0]
    middle = found["rope"].at(0.5 * length).position[0]
    assert np.linalg.norm(middle - 0.5 * ends) > 0.02  # it is no straight line


def test_small_deflections_are_those_of_a_beam():
    """A Beam with the same load on its sections, turned and between two stations."""
    found = []
    for kind in (sp.Beam, sp.ANCFBeam):
        m = sp.Model()
        arm = m.add(kind("arm", 1.0, sp.Rectangle(0.02, 0.03), STEEL, elements=8))
        m.add(sp.Fixed("clamp", m.ground.at(0), arm.at(0)))
        start = arm.at(0.25, rotation=TURN)
        load = (0.3, 0.5, -0.4)
        m.add(sp.DistributedLoad("wind", start, load, 0.75, (0.2, 1.4), axes="section"))
        rest, how = sp.statics(m), {"method": "balance"} if kind is sp.Beam else {}
        forces = rest["arm"].at(0.5).section_forces(**how).values
        found.append((rest["arm"].at(1.0).position[0], forces))
    (place, forces), (wanted, expected) = found
    away = np.linalg.norm(wanted - (1, 0, 0))
    assert 1e-7 < away < 1e-4
    assert np.linalg.norm(place - wanted) < 1e-3 * away
    assert np.abs(forces - expected).max() < 1e-3 * np.abs(expected).max()


def test_a_beam_that_is_written_with_nodal_vectors():
    """The load on its sections goes with it; one in the axes of its frame is refused."""
    m = sp.Model()
    arm = m.add(sp.Beam("arm", 1.0, sp.Rectangle(0.02, 0.03), STEEL, elements=4))
    m.add(sp.Revolute("hinge", m.ground.at(0), arm.at(0), "z", 1.2))
    m.add(sp.DistributedLoad("wind", arm.at(0), (0, 50.0, 0), axes="section"))
    m.add(sp.JointSpring("spring", "hinge", 50.0, rest=1.2))
    way = sp.ANCF(elements=4)
    angle = sp.statics(m)["hinge"].angle[0]
    assert sp.statics(m, formulation=way)["hinge"].angle[0] == pytest.approx(angle, rel=1e-4)
    m.replace("wind", axes="body")
    with pytest.raises(sp.ModelError) as problem:
        sp.statics(m, formulation=way)
    assert str(problem.value) == (
        "DistributedLoad 'wind': axes is 'body', expected 'world' or 'section' on ANCFBeam "
        "'arm', which has no frame of its own"
    )


# ------------------------------------------------------------------------------------------ runs


@pytest.mark.filterwarnings("ignore:(Cable|ANCFBeam) 'arm'. (its strain|an element)")
@pytest.mark.parametrize("make", BODIES.values(), ids=BODIES)
def test_work_and_momentum_in_a_run(make):
    """A free body: the audit counts the work; momentum changes by the force of all points."""
    m = sp.Model()
    body = m.add(make())
    if isinstance(body, sp.Cable):
        m.add(sp.Spherical("ball", m.ground.at(0), body.at(0)))
    else:
        m.add(sp.Free("flight", m.ground.at(0), body.at(0), initial_rate=(1, 2, 3, 0, 0, 0)))
    load = m.add(loaded(body))
    result = sp.simulate(m, 0.2, output=0.002)
    record = result.energy.record
    assert abs(result["wind"].work[-1]) > 1e-4 * record.kinetic_max
    assert record.max_error < 1e-6 * record.kinetic_max
    assert result.energy.verdict.startswith("trusted")
    # work is the integral of power, by Simpson's rule
    t, power = result.t, result["wind"].power
    total = np.sum((t[2] - t[0]) / 6 * (power[:-2:2] + 4 * power[1:-1:2] + power[2::2]))
    assert result["wind"].work[-1] == pytest.approx(total, rel=1e-4)
    own = result.data.compiled.gradient["arm"]
    if isinstance(body, sp.Cable):
        return
    mass = [own.mesh.tables[k].mass for k in own.mesh.kinds]
    change = sum(
        (M @ result.a[50, own.u].reshape(-1, 3)[v])[[0, 4]].sum(axis=0)
        for M, v in zip(mass, own.mesh.vectors, strict=True)
    )
    density = np.array([float(s(t[50])) for s in load.force])
    xi, w = np.polynomial.legendre.leggauss(24)
    force = np.zeros(3)
    for x, weight in zip(1.05 + 0.55 * xi, 0.55 * w, strict=True):
        factor = weight * np.interp(x, (0.5, 1.6), load.profile)
        force += factor * result["arm"].at(x).matrix[50] @ load.frame.rotation @ density
    assert change == pytest.approx(force, abs=1e-4 * np.linalg.norm(force))


def test_arrows_are_along_the_tangent_of_a_cable():
    """In pictures, as the force is; the axes of its places do not turn."""
    arm = cable()
    m = hung(arm, loaded(arm))
    m.replace("ball", initial=(0.0, 0.0, 1.0))
    m.gravity = (0, -9.81, 0)
    result = sp.simulate(m, 0.05, output=0.05)
    arrows = [one for one in draw(result).things if one.name == "wind"]
    assert len(arrows) == 9
    for x, one in zip(np.linspace(0.5, 1.6, 9), arrows, strict=True):
        ends = [result["arm"].at(x + d).position for d in (-1e-5, 1e-5)]
        way = ends[1] - ends[0]
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        np.testing.assert_allclose(one.R[:, :, 2], way, atol=1e-6)


# ------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("make", [cable, beam])
def test_no_axes_of_a_body_without_a_frame(make):
    arm = make()
    kind = type(arm).__name__
    with pytest.raises(sp.ModelError) as problem:
        sp.DistributedLoad("wind", arm.at(0), (0, 1, 0), axes="body")
    assert str(problem.value) == (
        f"DistributedLoad 'wind': axes is 'body', expected 'world' or 'section' on {kind} 'arm', "
        "which has no frame of its own"
    )


@pytest.mark.parametrize("force, k, found", [((1, 2, 0), 1, "2.0"), ((0, 0, "t"), 2, None)])
def test_nothing_across_a_cable(force, k, found):
    arm = cable()
    with pytest.raises(sp.ModelError) as problem:
        sp.DistributedLoad("flow", arm.at(0), force, axes="section")
    sentence = str(problem.value)
    assert sentence.startswith(f"DistributedLoad 'flow': force[{k}] is {found or ''}")
    assert sentence.endswith("expected 0 on Cable 'arm', which has a tangent and no axes across it")
    # a frame that is turned about z has its y along the line, against it
    turned = arm.at(0, rotation=(0, 0, 0.5 * np.pi))
    sp.DistributedLoad("flow", turned, (0, 1, 0), axes="section")
    with pytest.raises(sp.ModelError, match=r"force\[0\] is 1.0, expected 0 on Cable"):
        sp.DistributedLoad("flow", turned, (1, 0, 0), axes="section")


def test_no_torque_on_a_cable():
    arm = cable()
    m = hung(arm, sp.Force("turn", arm.at(2.0), (0, 0, 0), (1, 0, 0)))
    with pytest.raises(sp.ModelError) as problem:
        build(m)
    assert str(problem.value) == (
        "Force 'turn': frame is on Cable 'arm', whose places have no axes that turn with it, "
        "expected a force along the axes of the world without a torque"
    )


def test_the_energy_scheme_refuses_it():
    arm = beam()
    m = hung(arm, loaded(arm))
    with pytest.raises(sp.SuppleError, match="a load on sections of a gradient body"):
        sp.simulate(m, 0.01, integrator=sp.EnergyScheme(step=0.01), formulation=sp.Absolute())
