"""Bodies without a frame in the engine: equations, runs, statics and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from models.ancf_machine import GRAVITY, PLASTIC, RUBBER, beam, machine, moved
from supple import ANCFPlate, ANCFSolid
from supple.core.base import layout as at
from supple.engine.pack.builder import build
from supple.formulations.equations import Equations

SQUARE = sp.Rectangle(0.03, 0.03)








def solid(**options) -> ANCFSolid:
    return ANCFSolid("arm", sp.fem.block((1, 0.2, 0.2), (2, 1, 1), "hex8", RUBBER), **options)


BODIES = {
    "beam": beam,
    "cable": lambda **o: sp.Cable("arm", 1.0, SQUARE, RUBBER, 3, **o),
    "plate": lambda **o: ANCFPlate("arm", (1.0, 0.5), 0.02, RUBBER, (2, 1), **o),
    "solid": solid,
}


@pytest.mark.parametrize("make", BODIES.values(), ids=BODIES)
def test_equations_are_those_of_the_mesh(make):
    """Residual, energies and momenta against the elements in plain NumPy."""
    model = sp.Model(gravity=GRAVITY)
    arm = model.add(make(damping=sp.Rayleigh(stiffness=0.02)))
    place = arm.rest_pose(arm.nearest(np.zeros(3))).p.tolist()
    model.add(sp.Spherical("ball", model.ground.at(0), arm.at(*place), (0.3, 0.2, 0.1)))
    eq = Equations(build(model))
    record = eq.compiled.gradient["arm"]
    mesh = record.mesh
    q, u, a = moved(eq)
    own = q[record.q], u[record.u], a[record.u]
    e, v, b = (x.reshape(mesh.rest.shape) for x in own)
    inertia = (mesh.mass_matrix @ b.reshape(-1, 3)).reshape(b.shape)
    expected = inertia + mesh.forces(e, v) - mesh.weight[:, :, None] * GRAVITY
    found = eq.residual(0.0, q, u, a)[record.u].reshape(e.shape)
    assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()
    momenta = (mesh.mass_matrix @ v.reshape(-1, 3)).reshape(v.shape)
    kinetic, gravity, elastic = eq.energies(0.0, q, u)
    assert kinetic == pytest.approx(0.5 * np.sum(v * momenta), rel=1e-12)
    assert elastic == pytest.approx(mesh.energy(e), rel=1e-12)
    assert gravity == pytest.approx(-np.sum(mesh.weight[:, :, None] * GRAVITY * e), rel=1e-12)
    turning = np.cross(e, momenta).sum(axis=(0, 1))
    moving = np.sum(mesh.weight[:, :, None] * v, axis=(0, 1))
    assert np.allclose(eq.momentum(q, u), [*turning, *moving], rtol=1e-11)
    viscous = np.sum(v * (mesh.forces(e, v) - mesh.forces(e)))
    assert eq.power(0.0, q, u)[0] == pytest.approx(viscous, rel=1e-9)


def test_a_start_is_a_rigid_motion():
    """Initial coordinates and rates of a joint turn the whole body: no strain, no rate of it."""
    eq = Equations(machine_start())
    record = eq.compiled.gradient["arm"]
    e, v = (x.reshape(record.mesh.rest.shape) for x in (eq.q0[record.q], eq.u0[record.u]))
    rounding = 1e-14 * PLASTIC.E * 0.02 * 0.04
    assert record.mesh.energy(e) < 1e-14 * rounding
    assert np.abs(record.mesh.forces(e, v)).max() < rounding
    assert np.allclose(np.cross((0, 0, 0.7), e[:, 1]), v[:, 1], atol=1e-14)
    c, s = np.cos(0.3), np.sin(0.3)
    assert np.allclose(e[-1, 0], [0.1 + c, s, 0.0], atol=1e-14)


def machine_start():
    from supple.loops.assembly import compile_model

    return compile_model(machine(damping=sp.Rayleigh(stiffness=0.02)))


def test_accelerations_solve_the_equations():
    compiled = machine_start()
    eq = Equations(compiled)
    a = eq.accelerate(0.0, eq.q0, eq.u0)
    left = eq.residual(0.0, eq.q0, eq.u0, a, None, eq.multipliers())
    rows = eq.constraints(0.0, eq.q0, eq.u0, a)
    assert np.abs(left).max() < 1e-11 and np.abs(rows.acceleration).max() < 1e-9


def free(make) -> sp.Model:
    model = sp.Model()
    arm = model.add(make())
    rate = (1, 2, 8, 0.3, 0.2, 0.1)
    model.add(sp.Free("free", model.ground.at(0), arm.at(0.5), initial_rate=rate))
    return model


@pytest.mark.filterwarnings("ignore:ANCFBeam 'arm'. its strain")
@pytest.mark.parametrize("integrator", [sp.Radau(), sp.GeneralizedAlpha(), sp.BDF()])
def test_free_flight_keeps_energy_and_momenta(integrator):
    """By every family of methods: six momenta are watched, and the motion is large."""
    result = sp.simulate(free(beam), 0.1, integrator=integrator, tolerance=1e-5, output=5)
    assert result.success and result.energy.verdict.startswith("trusted")
    assert len(result.data.momentum) == 6 and result.momentum.verdict.startswith("trusted")
    turned = result["arm"].at(0.5).matrix[-1]
    assert np.arccos(0.5 * (np.trace(turned) - 1.0)) > 0.5
    com = result.centre_of_mass()
    straight = com.position[0] + np.outer(result.t, com.velocity[0])
    assert np.abs(com.position - straight).max() < 1e-5  # m, the tolerance


def pendulum(elements: int = 16) -> sp.Model:
    material = sp.Material(E=1e7, G=4e6, density=1000.0)
    model = sp.Model(gravity=(0, -9.81, 0))
    rope = model.add(sp.Cable("rope", 2.0, sp.Rectangle(0.02, 0.02), material, elements))
    model.add(sp.Spherical("hinge", model.ground.at(0), rope.at(0)))
    return model


# The tip of the soft pendulum at 0.5 s: plane cables with five Gauss points for the axial strain,
# 64 elements, trapezoidal rule with steps of 2.5e-5 s; 32 elements and 5e-5 s differ by 3e-6 m.
TIP = 1.32948234, -1.2435038, 0.0


@pytest.mark.filterwarnings("ignore:Cable 'rope'. its strain")
def test_the_soft_pendulum():
    """Elements of 16 to a length are converged to 5e-4 m at 1 s; energy and momentum are kept."""
    result = sp.simulate(pendulum(), 0.5, tolerance="loose", output=5)
    assert result.energy.verdict.startswith("trusted")
    assert result.momentum.verdict.startswith("trusted")
    assert np.linalg.norm(result["rope"].at(2.0).position[-1] - TIP) < 5e-4
    assert result["rope"].strain_energy == pytest.approx(result.energy.strain, rel=1e-9, abs=1e-12)
    names = result.track().variables
    assert {"rope@(2, 0, 0).position", "rope.strain_energy", "rope.dissipated"} <= set(names)
    # what is shown between nodes: velocity and acceleration are derivatives of the place
    fine = sp.simulate(pendulum(2), 2e-4, output=[0, 1e-4, 2e-4], tolerance="tight")["rope"].at(0.7)
    slope = (fine.position[2] - fine.position[0]) / 2e-4
    assert np.abs(slope - fine.velocity[1]).max() < 1e-6
    change = (fine.velocity[2] - fine.velocity[0]) / 2e-4
    assert np.abs(change - fine.acceleration[1]).max() < 1e-4 * np.abs(change).max()


def test_a_beam_swings_like_one_in_a_frame():
    """Small deflection: hinge angle, tip and reaction with a body welded to the end."""
    steel = sp.Material(E=2.1e11, G=0.8e11, density=7800.0)
    found = []
    for kind in (sp.Beam, sp.ANCFBeam):
        model = sp.Model(gravity=(0, -9.81, 0))
        arm = model.add(kind("arm", 1.0, SQUARE, steel, elements=4))
        model.add(sp.Revolute("hinge", model.ground.at(0), arm.at(0), "z"))
        weight = model.add(sp.RigidBody("weight", 1.0, (0.1, 0, 0), (1e-3, 2e-3, 2e-3)))
        model.add(sp.Fixed("weld", arm.at(1.0), weight.at(0)))
        found.append(sp.simulate(model, 0.2, tolerance="loose", output=4))
    for of in (
        lambda r: r["hinge"].angle,
        lambda r: r["weight"].position,
        lambda r: r["arm"].at(1.0).velocity,
    ):
        one, two = map(of, found)
        assert np.abs(one - two).max() < 3e-4 * np.abs(one).max()
    deflections = [r["arm"].at(1.0).deflection[-1, 1] for r in found]
    assert deflections[1] == pytest.approx(deflections[0], abs=2e-5)


def test_blocks_give_the_motion_of_whole_matrices():
    """Many elements by blocks of their nodes, with the same digits."""
    results = []
    for formulation in (None, sp.JointCoordinates(linear="dense")):
        model = machine(elements=5)
        integrator = sp.GeneralizedAlpha(step=1e-3)
        results.append(sp.simulate(model, 0.01, integrator=integrator, formulation=formulation))
    plans = [at.integers(r.data.compiled.ints, "plan")[at.PLAN_NEWTON] for r in results]
    assert plans[0] > 0 and plans[1] == 0
    assert np.abs(results[0].q - results[1].q).max() < 1e-9
    assert results[0].statistics["newton_iterations"] == results[1].statistics["newton_iterations"]


def test_any_tree_gives_the_same_motion():
    """Accelerations of the link in the tree behind a node, and free with a closing joint."""
    model, found = machine(), []
    for formulation in (sp.JointCoordinates(), sp.Absolute()):
        eq = formulation.equations(model)
        history = eq.body_states(0.0, eq.q0, eq.u0)[1]
        found.append((eq.compiled.nr, history.A[0, eq.compiled.body_names.index("link")]))
    (rows, one), (more, two) = found
    assert more > rows
    assert np.abs(one - two).max() < 1e-9 * np.abs(one).max()


def test_the_elastica_by_statics():
    """Tip of a cantilever with F L^2 = E I: 1.9e-4 of its length with 16 collocated elements."""
    E = 1e9
    material = sp.Material(E=E, G=0.5 * E, density=1000.0)
    model = sp.Model()
    arm = model.add(sp.ANCFBeam("arm", 1.0, sp.Rectangle(0.01, 0.01), material, 16))
    model.add(sp.Fixed("clamp", model.ground.at(0), arm.at(0)))
    model.add(sp.Force("load", arm.at(1.0), (0, -E * 0.01**4 / 12, 0)))
    found = sp.statics(model)
    # the elastica without stretch: 1 - 0.05643, 0.30172
    assert np.abs(found["arm"].at(1.0).position[0] - [0.94357, -0.30172, 0]).max() < 2.5e-4
    assert np.allclose(found["clamp"].force[0], [0, E * 0.01**4 / 12, 0], atol=1e-6)


def refused(model: sp.Model, **options) -> str:
    with pytest.raises(sp.ModelError) as caught:
        sp.simulate(model, 1.0, **options)
    return str(caught.value)


def hung(*items) -> sp.Model:
    model = pendulum(2)
    for make in items:
        model.add(make(model, model.bodies["rope"]))
    return model


HAVE_NO_AXES = "is on Cable 'rope', whose places have no axes that turn with it, expected"


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda m, c: sp.Revolute("pin", m.ground.at(2), c.at(2), "z"),
            f"Revolute 'pin': B {HAVE_NO_AXES} a joint that leaves all rotations free, e.g. "
            "Spherical",
        ),
        (
            lambda m, c: sp.Force("push", c.at(2), torque=(0, 0, 1)),
            f"Force 'push': frame {HAVE_NO_AXES} a force along the axes of the world without a "
            "torque",
        ),
        (
            lambda m, c: sp.PointOnPlane("slip", c.at(2), m.ground.at(2), "z"),
            f"PointOnPlane 'slip': A {HAVE_NO_AXES} a constraint of its place alone, e.g. Distance",
        ),
        (
            lambda m, c: sp.Bushing("pad", m.ground.at(2), c.at(2), 1.0),
            f"Bushing 'pad': B {HAVE_NO_AXES} a SpringDamper or a CartesianSpring",
        ),
        (
            lambda m, c: sp.PairFunction("pad", c.at(2), m.ground.at(2), lambda t, s: -s.position),
            f"PairFunction 'pad': A {HAVE_NO_AXES} this place at B, or a ForceFunction",
        ),
    ],
)
def test_a_cable_has_no_axes(make, sentence):
    assert refused(hung(make)) == sentence


def test_springs_along_the_axes_of_the_world_have_no_side():
    """A spring from the cable to the ground moves it as one from the ground does."""
    ends = []
    for turned in (False, True):

        def make(m, c, turned=turned):
            two = m.ground.at(2, 0.3), c.at(2)
            return sp.CartesianSpring("pad", *(two[::-1] if turned else two), (9.0, 5.0, 2.0), 0.1)

        result = sp.simulate(hung(make), 0.3, tolerance="tight")
        assert result.energy.level == "trusted"
        ends.append(result["rope"].at(2).position)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-7)


def test_methods_that_do_not_suit():
    assert refused(pendulum(2), integrator=sp.DormandPrince()).startswith(
        "DormandPrince: Cable 'rope' vibrates with up to "
    )
    tiny = sp.DormandPrince(max_step=1e-5)
    assert sp.simulate(pendulum(2), 1e-4, integrator=tiny).success


def test_the_monitor_sees_strain_and_coarse_elements():
    """Elements that turn by more than 0.3 rad, and a strain of more than 0.01.

    The exact tip is at 0.839 along x, the strain at the clamp 0.015 k 0.839 = 0.025.
    """
    E, k, side = 1e9, 2.0, 0.03
    material = sp.Material(E=E, G=0.5 * E, density=1000.0)
    model = sp.Model()
    arm = model.add(sp.ANCFBeam("arm", 1.0, sp.Rectangle(side, side), material, 2))
    model.add(sp.Fixed("clamp", model.ground.at(0), arm.at(0)))
    model.add(sp.Force("load", arm.at(1.0), (0, -k * E * side**4 / 12, 0)))
    with pytest.warns(sp.SuppleWarning, match="its strain reaches"):
        found = sp.statics(model).monitor
    assert {f.what for f in found.findings} == {"rotation", "strain"}
    assert "use more elements" in found["arm"].findings[0].sentence


def test_a_loop_is_closed_without_strain():
    """A slider-crank starts where one with a rigid rod does, wherever the joints ask for it."""
    found = []
    for kind in ("stiff", "gradient"):
        model = sp.Model()
        crank = model.add(sp.RigidBody("crank", 1.0, (0.1, 0, 0), (1e-3, 2e-3, 2e-3)))
        if kind == "gradient":
            rod = sp.ANCFBeam("rod", 0.5, SQUARE, PLASTIC, 3)
        else:
            mass = 0.5 * SQUARE.area * PLASTIC.density
            rod = sp.RigidBody("rod", mass, (0.25, 0, 0), (1e-5, mass / 48, mass / 48))
        slider = model.add(sp.RigidBody("slider", 0.5, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
        model.add(rod)
        model.add(sp.Revolute("A", model.ground.at(0), crank.at(0), "z", 0.4, 10.0))
        model.add(sp.Revolute("B", crank.at(0.2), rod.at(0), "z", -0.8))
        model.add(sp.Revolute("C", rod.at(0.5), slider.at(0), "z", 0.4))
        model.add(sp.Prismatic("D", model.ground.at(0), slider.at(0), "x", 0.6))
        found.append(sp.assemble(model))
    rigid, state = found
    for name in "ABCD":  # as near as the little inertia of sections is
        assert state.coordinates(name) == pytest.approx(rigid.coordinates(name), abs=1e-3)
    record = state.compiled.gradient["rod"]
    assert record.mesh.energy(state.q[record.q].reshape(record.mesh.rest.shape)) < 1e-18


def test_beams_that_are_welded_are_one_beam():
    """A joint between two bodies without a frame, against one with as many elements.

    A weld joins places and axes, not the stretch of both sides, which is small in bending.
    """
    model = sp.Model(gravity=(0, -9.81, 0))
    ground = model.ground
    first, second = (
        model.add(sp.ANCFBeam(name, 0.5, SQUARE, PLASTIC, 2)) for name in ("first", "second")
    )
    model.add(sp.Revolute("hinge", ground.at(0), first.at(0), "z"))
    model.add(sp.Fixed("weld", second.at(0), first.at(0.5)))
    whole = model.add(sp.ANCFBeam("whole", 1.0, SQUARE, PLASTIC, 4, position=(0, 1, 0)))
    model.add(sp.Revolute("other", ground.at(0, 1), whole.at(0), "z"))
    result = sp.simulate(model, 0.1, tolerance=1e-5, output=2)
    apart = result["whole"].at(1.0).position - result["second"].at(0.5).position
    assert np.linalg.norm(result["second"].at(0.5).deflection[-1]) > 1e-4
    assert np.abs(apart - [0, 1, 0]).max() < 1e-5  # the tolerance over some steps


def test_events_at_nodes():
    model = pendulum(2)
    rope = model.bodies["rope"]
    fall = sp.Event("below", rope.at(2.0), "y", value=-0.05, terminal=True)
    result = sp.simulate(model, 1.0, events=fall, tolerance=1e-6)
    assert result.events[0].name == "below"
    assert result.state().q[result.data.compiled.gradient["rope"].q][13] == pytest.approx(-0.05)
    assert refused(pendulum(2), events=sp.Event("spin", rope.at(2.0), "wz")) == (
        "Event 'spin': quantity is 'wz', expected a place or velocity, because nothing turns with "
        "Cable 'rope'"
    )


@pytest.mark.filterwarnings("ignore:Cable 'rope'. its strain")
def test_pictures_show_where_the_material_is():
    """Vertices on the axis, and the corners of a section of a beam."""
    from supple.visualization.scene import body_things

    for model, name, length in ((pendulum(2), "rope", 2.0), (machine(), "arm", 1.0)):
        result = sp.simulate(model, 0.05, tolerance="loose", output=2)
        one = next(t for t in body_things(result) if t.name == name)
        places = one.points + np.einsum("tf,fvx->tvx", one.amplitudes, one.fields)
        end = result[name].at(length)
        at_rest = np.linalg.norm(one.points - [length, 0, 0], axis=1)
        k = int(np.argmin(at_rest))
        assert np.abs(places[:, k] - end.position).max() < 1e-12
        corners = np.flatnonzero(at_rest < 0.03)
        if name == "arm":  # sections keep their form but for strain
            beside = places[:, corners] - end.position[:, None]
            shown = np.einsum("tji,tvj->tvi", end.matrix, beside)
            assert np.abs(shown - (one.points[corners] - [length, 0, 0])).max() < 1e-4
