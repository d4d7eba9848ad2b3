"""statics: equilibria by closed forms, from bad starts, and what cannot be at rest."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.optimize import brentq

import supple as sp
from models.random_loops import loop_recipes
from models.random_models import examples
from supple.analyses.equilibrium.balance import AtRest
from supple.analyses.equilibrium.equilibrium import Search
from supple.formulations.equations import Equations
from supple.loops.assembly import compile_model, transferred

G = 9.81


def chain(count: int, first: float, zigzag: float) -> sp.Model:
    model = sp.Model(gravity=(0, 0, -G), name="chain")
    before = model.ground.at(0)
    for k in range(count):
        body = model.add(sp.RigidBody(f"b{k}", 1.0, com=(0.25, 0, 0), inertia=(1e-3, 0.02, 0.02)))
        angle = first if k == 0 else zigzag * (-1) ** k
        model.add(sp.Revolute(f"j{k}", before, body.at(0), axis="y", initial=angle))
        before = body.at(0.5)
    return model


@pytest.mark.parametrize("formulation", [None, sp.Absolute()])
def test_a_chain_hangs_down_from_a_bad_start(formulation):
    """Nearly upright at the start; the bound is the rounding of angles of some radians."""
    model = chain(6, -np.pi / 2 + 0.01, 0.2)
    found = sp.statics(model, formulation=formulation)
    assert found.success and found.stable and not found.free
    for k in range(6):
        down = found[f"b{k}"].at(0.5).position[0]
        assert down == pytest.approx([0, 0, -0.5 * (k + 1)], abs=1e-10)
        weight = (6 - k) * G
        assert found[f"j{k}"].reaction[0] == pytest.approx([0, 0, 0, 0, 0, weight], abs=1e-9)
    assert np.all(found.u == 0.0) and np.abs(found.a).max() < 1e-9


def test_a_cord_between_two_supports():
    """A chain hung at both ends, from an arch: each bar is in balance with the pull at its ends."""
    model = sp.Model(gravity=(0, 0, -G))
    before, n = model.ground.at(0), 8
    for k in range(n):
        body = model.add(sp.RigidBody(f"b{k}", 0.5, com=(0.1, 0, 0), inertia=(1e-4, 1e-3, 1e-3)))
        turn = -1.2 if k == 0 else 0.3  # an arch: every point above the supports
        model.add(sp.Revolute(f"j{k}", before, body.at(0), axis="y", initial=turn))
        before = body.at(0.2)
    model.add(sp.Revolute("end", model.ground.at(1.2), before, axis="y", initial=0.0))
    found = sp.statics(model)
    assert found.success and found.stable
    # each bar in balance: horizontal pull constant, vertical pull falling by its weight
    forces = np.array([found[f"j{k}"].reaction[0, 3:] for k in range(n)])
    assert forces[:, 0] == pytest.approx(np.full(n, forces[0, 0]), rel=1e-9)
    assert np.diff(forces[:, 2]) == pytest.approx(np.full(n - 1, -0.5 * G), rel=1e-9)
    for k in range(n):  # slope of a bar: vertical over horizontal pull in its middle
        a, b = found[f"b{k}"].position[0], found[f"b{k}"].at(0.2).position[0]
        middle = forces[k, 2] - 0.25 * G
        assert (b - a)[2] / (b - a)[0] == pytest.approx(middle / forces[k, 0], rel=1e-8)
    assert found["b3"].at(0.2).position[0, 2] < 0.0


@pytest.mark.parametrize("modes", ["all", 6])
def test_a_cantilever_bends_by_the_textbook(modes):
    """F L^3 / 3 EI, and the slope F L^2 / 2 EI: exact for elements, 0.1 % for six modes."""
    model = sp.Model()
    material = sp.Material(E=70e9, G=26e9, density=2700)
    rod = model.add(
        sp.Beam("rod", 0.8, sp.Rectangle(0.02, 0.01), material, elements=4, modes=modes)
    )
    model.add(sp.Fixed("clamp", model.ground.at(0), rod.at(0)))
    model.add(sp.Force("weight", rod.at(0.8), force=(0, 0, "2e-3*(1 + t)")))
    found = sp.statics(model, t=1.0)
    stiffness = 70e9 * 0.02 * 0.01**3 / 12
    force, bound = 4e-3, {"all": 1e-8, 6: 1e-3}[modes]
    tip = found["rod"].at(0.8)
    assert found.t[0] == 1.0 and found.stable
    assert tip.deflection[0, 2] == pytest.approx(force * 0.8**3 / (3 * stiffness), rel=bound)
    assert tip.rotation[0, 1] == pytest.approx(-force * 0.8**2 / (2 * stiffness), rel=10 * bound)
    assert found["clamp"].reaction[0] == pytest.approx([0, force * 0.8, 0, 0, 0, -force], abs=1e-9)
    half = 0.5 * force * tip.deflection[0, 2]
    assert found.energy.strain[0] == pytest.approx(half, rel=1e-8)


def slider_crank(push: float) -> sp.Model:
    model = sp.Model(gravity=(0, -G, 0), name="slider-crank")
    crank = model.add(sp.RigidBody("crank", 1.5, com=(0.1, 0, 0), inertia=0.01))
    rod = model.add(sp.RigidBody("rod", 0.8, com=(0.25, 0, 0), inertia=0.02))
    block = model.add(sp.RigidBody("block", 2.0, inertia=0.01))
    model.add(sp.Revolute("bearing", model.ground.at(0), crank.at(0), initial=0.8))
    model.add(sp.Revolute("pin", crank.at(0.2), rod.at(0), initial=-1.1))
    model.add(sp.Prismatic("guide", model.ground.at(0), block.at(0), axis="x", initial=0.6))
    model.add(sp.Revolute("wrist", rod.at(0.5), block.at(0), initial=0.3))
    model.add(sp.Force("gas", block.at(0), force=(push, 0, 0)))
    model.add(sp.JointSpring("coil", "bearing", stiffness=6.0, rest=0.2))
    return model


def holding_effort(angle: float) -> float:
    """Effort on the crank that holds it, by virtual work on the exact closure."""
    tilt = -np.arcsin(0.4 * np.sin(angle))
    turn = -0.4 * np.cos(angle) / np.cos(tilt)  # d tilt / d angle
    slide = -0.2 * np.sin(angle) - 0.5 * np.sin(tilt) * turn
    lift = 1.5 * 0.1 * np.cos(angle) + 0.8 * (0.2 * np.cos(angle) + 0.25 * np.cos(tilt) * turn)
    return G * lift + 12.0 * slide + 6.0 * (angle - 0.2)


@pytest.mark.parametrize("formulation", [None, sp.Absolute(), sp.Branch(["pin", "wrist", "guide"])])
def test_a_slider_crank_obeys_virtual_work(formulation):
    """Gas force, weights and spring do no work on the one motion that the loop allows."""

    angle = brentq(holding_effort, -1.5, 1.5, xtol=1e-14)
    found = sp.statics(slider_crank(-12.0), formulation=formulation)
    assert found.success and found.stable
    assert found["bearing"].angle[0] == pytest.approx(angle, abs=1e-11)
    assert found["gas"].force[0] == pytest.approx([-12.0, 0, 0])
    # vertical balance of all bodies, and of the block alone
    up = found["bearing"].reaction[0, 4] + found["guide"].reaction[0, 4]
    assert up == pytest.approx((1.5 + 0.8 + 2.0) * G, rel=1e-10)


def test_a_driven_mechanism_rests_where_its_driver_is():
    """The effort of a driver that holds a crank is that of virtual work; its rate plays no role."""
    model = slider_crank(-12.0)
    model.add(sp.Driver("motor", "bearing", "0.5 + 3*t + 4*t**2"))
    found = sp.statics(model, t=0.1)
    angle = 0.5 + 0.3 + 0.04
    assert found["bearing"].angle[0] == pytest.approx(angle, abs=1e-12)
    assert found["motor"].effort[0] == pytest.approx(holding_effort(angle), rel=1e-11)
    assert np.abs(found.a).max() < 1e-10


def arm(**gains) -> sp.Model:
    model = sp.Model(gravity=(0, -G, 0), name="arm")
    link = model.add(sp.RigidBody("link", 2.0, com=(0.3, 0, 0), inertia=0.05))
    model.add(sp.Revolute("hinge", model.ground.at(0), link.at(0), initial=0.2))
    model.add(sp.PID("motor", "hinge", target="0.5 + t", **gains))
    return model


def test_a_controller_that_integrates_is_settled():
    found = sp.statics(arm(kp=5.0, ki=4.0, kd=3.0), t=0.25)
    assert found["hinge"].angle[0] == pytest.approx(0.75, abs=1e-12)
    load = 2.0 * G * 0.3 * np.cos(0.75)
    assert found["motor"].effort[0] == pytest.approx(load, rel=1e-12)
    assert found.z[0] == pytest.approx([load / 4.0])


def test_a_controller_without_integral_sags():
    found = sp.statics(arm(kp=20.0, ki=0.0, kd=3.0))
    angle = brentq(lambda q: 20.0 * (0.5 - q) - 2.0 * G * 0.3 * np.cos(q), -2, 2, xtol=1e-14)
    assert found["hinge"].angle[0] == pytest.approx(angle, abs=1e-11)
    assert found.z[0] == pytest.approx([0.0])


@pytest.mark.parametrize("initial", [0.2, 0.5, -1.5])  # 0.5 is the target itself
def test_a_controller_at_its_limit_carries_what_it_can(initial):
    model = arm(kp=20.0, ki=5.0, kd=3.0, limit=4.0)
    model.replace("hinge", initial=initial)
    found = sp.statics(model)
    assert found.success
    angle = -np.arccos(4.0 / (2.0 * G * 0.3))  # hanging below, where the weight falls off
    assert found["hinge"].angle[0] == pytest.approx(angle, abs=1e-11)
    assert found["motor"].effort[0] == pytest.approx(4.0)
    run = sp.simulate(model, 0.5, start=found)
    assert np.abs(run["hinge"].angle - angle).max() < 1e-7


def test_a_target_out_of_reach_is_named():
    """Two integrals want different places of the same freedom."""
    model = arm(kp=5.0, ki=4.0, kd=3.0)
    model.add(sp.PID("other", "hinge", kp=5.0, ki=1.0, kd=1.0, target=0.3))
    with pytest.warns(sp.SuppleWarning) as caught:
        found = sp.statics(model)
    assert not found.success
    sentence = str(caught[0].message)
    assert sentence.startswith(("PID 'motor'", "PID 'other'"))
    assert sentence.endswith(
        "its coordinate stays 0.1 away from its target, expected one that the mechanism can reach "
        "beside its other constraints"
    )


@examples(8)
@given(loop_recipes(max_closings=1, max_bodies=3, forces="all"))
def test_what_is_found_is_at_rest_in_all_coordinates(recipe):
    check_in_all_coordinates(recipe)


@pytest.mark.slow
@examples(60)
@given(loop_recipes(max_closings=2, max_bodies=4, forces="all"))
def test_what_is_found_is_at_rest_in_many_models(recipe):
    check_in_all_coordinates(recipe)


def check_in_all_coordinates(recipe):
    """Random mechanisms: no accelerations, and the same equilibrium and eigenvalues elsewhere."""
    model = recipe.model()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = sp.statics(model)
        except sp.ModelError:
            assume(False)  # a lock, or drivers that cannot be followed
        assume(found.success and found.stable)
        compiled = found.data.compiled
        # rounding of loads, over the smallest masses: the models weigh about 1 kg
        assert np.abs(found.a / compiled.scale).max(initial=0.0) < 1e-5
        free = compile_model(model, (), sp.Absolute().tree(model), 0.0)
        q, u = transferred(compiled, found.q[0], found.u[0], free)
        start = sp.State(0.0, q, 0.0 * u, found.z[0])
        again = sp.statics(model, start=start, formulation=sp.Absolute())
        assert again.success
        for body in model.bodies:
            assert again[body].position == pytest.approx(found[body].position, abs=1e-7)
        a = sp.linearize(model, found).eigenvalues
        b = sp.linearize(model, again, formulation=sp.Absolute()).eigenvalues
    # products of the eigenvalues with shifts: characteristic polynomials at some places
    size = np.max(np.abs(a), initial=1.0)
    for place in (0.3 * size, 1j * size, (0.1 - 0.2j) * size):
        ratio = np.prod((place - a) / (place - b))
        assert ratio == pytest.approx(1.0, abs=1e-6)


def test_a_row_that_does_not_hold_any_more_is_named():
    """In line at the start, a driven slide and a rod say the same; at rest they do not."""
    model = sp.Model(gravity=(0, 0, -G))
    a = model.add(sp.RigidBody("a", 1.0, com=(0.5, 0, 0), inertia=0.1))
    model.add(sp.Universal("ball", model.ground.at(0), a.at(0), axes=("y", "z")))
    model.add(sp.Distance("rod", model.ground.at(3), a.at(1), length=2.0))  # in line: no hold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sp.statics(model)
    assert not found.success
    assert found.message.startswith("no equilibrium: Distance 'rod' (distance) is off by")


def test_unstable_and_indifferent_rest_is_said():
    top = sp.statics(chain(1, -np.pi / 2, 0.0))
    assert top.success and not top.stable
    assert top.message.endswith("unstable along Revolute 'j0' (angle of body 'b0')")
    model = chain(1, 0.3, 0.0)
    model.gravity = (0, 0, 0)
    idle = sp.statics(model)
    assert idle.success and not idle.stable
    assert idle.free == ("Revolute 'j0' (angle of body 'b0')",)
    assert idle.message.endswith("indifferent along Revolute 'j0' (angle of body 'b0')")
    assert "equilibrium" in repr(idle)


def test_what_nothing_holds_is_named():
    model = sp.Model(gravity=(0, 0, -G))
    block = model.add(sp.RigidBody("block", 2.0, inertia=0.1))
    model.add(sp.Prismatic("rail", model.ground.at(0), block.at(0), axis="z"))
    with pytest.warns(sp.SuppleWarning, match="nothing holds it"):
        found = sp.statics(model)
    assert not found.success
    assert found.message == (
        "Prismatic 'rail' (displacement of body 'block') is pushed with 19.6 N and nothing holds "
        "it, expected a spring, a stop, a controller or a driver on that motion"
    )
    assert "NO EQUILIBRIUM" in repr(found)
    with pytest.raises(sp.SimulationError, match="simulate: start is 'static', but Prismatic 'ra"):
        sp.simulate(model, 1.0, start="static")
    with pytest.raises(sp.SimulationError, match="linearize: there is no equilibrium"):
        sp.linearize(model)


def test_loads_beyond_reach_have_no_equilibrium():
    model = chain(1, 0.3, 0.0)
    model.add(sp.JointEffort("motor", "j0", effort=10.0))  # the weight turns with 2.45 N m at most
    with pytest.warns(sp.SuppleWarning, match=r"no equilibrium found in 400 steps; the largest lo"):
        found = sp.statics(model)
    assert not found.success


def test_a_run_starts_at_rest():
    model = slider_crank(-12.0)
    for formulation in (None, sp.Absolute()):
        run = sp.simulate(model, 0.5, start="static", formulation=formulation)
        assert np.ptp(run["bearing"].angle) < 1e-9
        assert run.energy.record.kinetic_max < 1e-15


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"t": "now"}, "statics: t is 'now', expected a finite number of seconds"),
        ({"start": 3}, "statics: start is 3, expected a State or a Result of this model"),
        ({"formulation": 1}, "statics: formulation is 1, expected a formulation, e.g. Absolute()"),
    ],
)
def test_wrong_arguments_get_one_sentence(options, sentence):
    with pytest.raises(sp.ModelError) as caught:
        sp.statics(chain(1, 0.3, 0.0), **options)
    assert sentence in str(caught.value)


def test_the_search_needs_the_multipliers_stiffness():
    """Newton's steps converge quadratically on a loop: the reduced stiffness is the true one."""
    model = slider_crank(-12.0)
    compiled = compile_model(model)
    search = Search(AtRest(Equations(compiled), 0.0))
    found = search.run(compiled.q0, compiled.z0)
    near = search.rest.balance(found.q, found.z)
    energy, h = [], 1e-3
    for k in (-1, 0, 1):  # the energy along the loop has this second derivative
        q = search.rest.closed(
            search.equations.retract(found.q, k * h * near.N[:, 0] * compiled.scale)
        )
        parts = search.equations.energies(0.0, q, 0 * compiled.u0)
        slider = compiled.to_user("guide", q, compiled.u0)[0][0]
        energy.append(sum(parts) + 12.0 * slider)
    second = (energy[0] - 2 * energy[1] + energy[2]) / h**2
    # projection moves along the loop by h^2 only where the slope vanishes: error h^2
    assert near.K[0, 0] == pytest.approx(second, rel=1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sp.statics(model).iterations < 12


def long_chain(
    count: int, joint: str = "Revolute", soft: bool = True, first: float = 0.0
) -> sp.Model:
    """Links in a line, with soft joints or free ones; if mixed every fourth is a ball joint."""
    model = sp.Model(gravity=(0, 0, -9.81))
    end = model.ground.at(0)
    for k in range(count):
        link = model.add(sp.RigidBody(f"link{k}", 1.0, (0.25, 0, 0), (4e-3, 0.02, 0.02)))
        if joint == "mixed" and k % 4 == 3:
            model.add(sp.Spherical(f"joint{k}", end, link.at(0)))
            stiffness = (0, 0, 0, 3.0, 3.0, 3.0)
            model.add(sp.Bushing(f"spring{k}", end, link.at(0), stiffness))
        else:
            axis = "yz"[k % 2] if joint == "mixed" else "y"
            model.add(sp.Revolute(f"joint{k}", end, link.at(0), axis, 0.0 if k else first))
            if soft:
                model.add(sp.JointSpring(f"spring{k}", f"joint{k}", stiffness=5.0))
        end = link.at(0.5)
    return model


@pytest.mark.parametrize(("count", "joint"), [(16, "mixed"), (60, "Revolute")])
def test_long_trees_are_solved_without_a_matrix(count, joint):
    """The same equilibrium downhill from a line, and its lowest stiffnesses alone."""
    found = [
        sp.statics(long_chain(count, joint), formulation=sp.JointCoordinates(way))
        for way in ("tree", "dense")
    ]
    tree, whole = (result.equilibrium for result in found)
    assert found[0].stable and found[1].stable
    assert [result.statistics["newton"] for result in found] == ["tree", "dense"]
    assert len(tree.stiffness) == 6 and len(whole.stiffness) == found[1].data.compiled.nu
    np.testing.assert_allclose(tree.q, whole.q, atol=1e-9)
    np.testing.assert_allclose(tree.stiffness, whole.stiffness[:6], rtol=1e-7)


def test_a_long_tree_in_an_unstable_equilibrium():
    """Nothing leaves it without a load; the whole matrix tells what is unstable."""
    model = long_chain(24, soft=False, first=-np.pi / 2)
    found = sp.statics(model, formulation=sp.JointCoordinates("tree"))
    assert found.success and not found.stable and "unstable along" in found.message


@pytest.mark.slow
def test_ten_thousand_links_hang():
    found = sp.statics(long_chain(10_000, soft=False, first=1.0))
    assert found.stable and len(found.equilibrium.stiffness) == 6
    np.testing.assert_allclose(found.q[0], [np.pi / 2] + [0.0] * 9999, atol=1e-9)
