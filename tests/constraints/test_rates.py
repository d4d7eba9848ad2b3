"""Constraints of velocities alone: given rates, couplings of rates, edges."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp
from models.velocity_rows import add_sleigh, differential, sleigh, sleigh_at, train
from supple.core.linalg import multifrontal
from supple.loops.assembly import compile_model

END = 2.0
FORMULATIONS = {"joint": sp.JointCoordinates(), "absolute": sp.Absolute()}
# with bounds of the place and of the force, in parts of the tolerance's error
METHODS = {
    "Radau": (sp.Radau(), 1e-8, 1e-9),
    "DormandPrince": (sp.DormandPrince(), 1e-8, 2e-8),
    "baumgarte": (sp.DormandPrince(constraints="baumgarte"), 1e-8, 2e-8),
    "BDF": (sp.BDF(), 1e-8, 2e-6),
    "Adams": (sp.Adams(), 1e-8, 2e-6),
    "GeneralizedAlpha": (sp.GeneralizedAlpha(), 1e-7, 2e-5),
    "index 3": (sp.GeneralizedAlpha(constraints="index3"), 1e-7, 2e-5),
}


def test_the_closed_form_is_that_of_the_prototype():
    place, rates, force = sleigh_at(END)
    assert_allclose(place, [-0.78668491, 1.77266406, 2.53665397], atol=5e-9)
    assert_allclose(rates, [-1.30331374, 0.61711679, 0.58402081], atol=5e-9)
    assert force == pytest.approx(0.6295856, abs=5e-8)


@pytest.mark.parametrize("coordinates", FORMULATIONS)
@pytest.mark.parametrize("method", METHODS)
def test_a_sleigh_follows_its_closed_form(method: str, coordinates: str) -> None:
    integrator, tolerance, bound = METHODS[method]
    r = sp.simulate(
        sleigh(), END, integrator=integrator, formulation=FORMULATIONS[coordinates],
        tolerance=tolerance, output=4,
    )  # fmt: skip
    assert r.success, r.message
    place, rates, force = sleigh_at(END)
    body = r["sleigh"]
    found = [*body.position[-1, :2], body.rotation_vector[-1, 2]]
    assert_allclose(found, place, atol=bound)
    assert_allclose([*body.velocity[-1, :2], body.angular_velocity[-1, 2]], rates, atol=bound)
    assert r["sleigh edge"].effort[-1] == pytest.approx(force, abs=10 * bound)


@pytest.mark.parametrize("coordinates", FORMULATIONS)
def test_the_edge_does_not_slip_and_energy_stays(coordinates: str) -> None:
    r = sp.simulate(sleigh(), END, formulation=FORMULATIONS[coordinates], tolerance=1e-9, output=20)
    body = r["sleigh"]
    edge = body.at(-0.4)
    slip = np.einsum("ti,ti->t", edge.velocity, edge.matrix[:, :, 1])
    # output between steps is put onto the rows
    assert np.abs(slip).max() < 1e-13
    assert np.ptp(r.energy.kinetic) < 1e-8
    # no momentum is kept: the ice pushes
    assert np.ptp(body.velocity[:, 0]) > 1.0


@pytest.mark.parametrize("coordinates", FORMULATIONS)
@pytest.mark.parametrize("constraints", ["ggl", "index3"])
def test_alpha_is_of_order_two_in_places_rates_and_loads(constraints, coordinates):
    out = []
    place, rates, force = sleigh_at(END)
    for n in (100, 200, 400):
        own = sp.GeneralizedAlpha(step=END / n, constraints=constraints)
        r = sp.simulate(
            sleigh(), END, integrator=own, output=1, formulation=FORMULATIONS[coordinates]
        )
        body = r["sleigh"]
        q = [*body.position[-1, :2], body.rotation_vector[-1, 2]]
        u = [*body.velocity[-1, :2], body.angular_velocity[-1, 2]]
        lam = r["sleigh edge"].effort[-1]
        out.append([np.abs(q - place).max(), np.abs(u - rates).max(), abs(lam - force)])
    orders = np.log2(np.array(out)[:-1] / np.array(out)[1:])
    assert np.all(orders > 1.8)
    assert np.all(orders < 2.3)


def works(model: sp.Model) -> sp.results.Result:
    r = sp.simulate(model, 1.0, tolerance=1e-9, output=50)
    assert r.success, r.message
    return r


def test_many_sleighs_take_fronts_and_stay_on_their_way():
    """Rows that hold rates alone among Newton's blocks: multipliers at the places of mu."""
    m = sp.Model(gravity=(0, 0, 0))
    for k in range(8):
        add_sleigh(m, f"s{k}", float(k))
    c = compile_model(m, (), sp.Absolute().tree(m))
    assert multifrontal.lengths(c.ints)[0] > 0
    r = sp.simulate(m, END, formulation=sp.Absolute(), tolerance=1e-9, output=4)
    place, _, force = sleigh_at(END)
    for k in range(8):
        assert_allclose(r[f"s{k}"].position[-1, :2], np.add(place[:2], (0, k)), atol=1e-9)
        assert r[f"s{k} edge"].effort[-1] == pytest.approx(force, abs=1e-8)
    alpha = sp.GeneralizedAlpha(step=2e-3)
    for method in (alpha, sp.GeneralizedAlpha(step=2e-3, constraints="index3")):
        runs = [
            sp.simulate(m, END, formulation=form, integrator=method, output=4)
            for form in (sp.Absolute(), sp.JointCoordinates())
        ]
        for k in range(8):
            first, second = (run[f"s{k}"].position[-1] for run in runs)
            assert_allclose(first[:2], np.add(place[:2], (0, k)), atol=2e-5)
            assert_allclose(first, second, atol=2e-5)


@pytest.mark.parametrize("cars", [2, 12])
def test_trains_agree_in_all_coordinates_and_keep_their_energy(cars: int) -> None:
    m = train(cars)
    runs = [
        sp.simulate(m, 1.0, formulation=form, tolerance=1e-10, output=5, integrator=method)
        for form in FORMULATIONS.values()
        for method in (sp.Radau(), sp.DormandPrince())
    ]
    last = f"car{cars - 1}"
    for r in runs:
        assert r.success, r.message
        assert_allclose(r[last].position, runs[0][last].position, atol=1e-8)
        assert_allclose(r[f"edge{cars - 1}"].effort, runs[0][f"edge{cars - 1}"].effort, atol=1e-6)
        assert np.ptp(r.energy.total) < 1e-8


def test_ranks_and_the_doctor_tell_velocities_and_places() -> None:
    found = sleigh().doctor()
    assert (found.freedom, found.place_freedom) == (2, 3)
    assert "2 of velocities, 3 of places" in str(found)
    assert train(3).doctor().freedom == 2
    assert train(3).doctor().place_freedom == 5


def test_two_edges_on_one_line_hold_one_row_more_than_they_need() -> None:
    m = sleigh()
    m.add(sp.Blade("other", m.ground.at(0), m["sleigh"].at(-0.4, 0.3), axis="-y"))
    assert len(compile_model(m).rows) == 4 - 3  # dependent on the first edge
    assert m.doctor().freedom == 2


def test_a_start_off_the_rows_is_put_onto_them() -> None:
    m = sleigh()
    m.replace("sleigh ice", initial=(0, 0, 0), initial_rate=(1, 1, 0))
    r = sp.simulate(m, 0.1, output=1)
    edge = r["sleigh"].at(-0.4)
    assert edge.velocity[0] @ edge.matrix[0][:, 1] == pytest.approx(0.0, abs=1e-13)
    assert_allclose(r["sleigh"].position[0], 0.0, atol=1e-15)


def test_a_given_rate_is_kept_and_its_work_is_counted() -> None:
    """A heavy disc is brought to speed: the driver gives what the disc has."""
    m = sp.Model(gravity=(0, 0, 0))
    disc = m.add(sp.RigidBody("disc", 1.0, inertia=(0.1, 0.1, 0.2)))
    m.add(sp.Revolute("axle", m.ground.at(0), disc.at(0), "z"))
    m.add(sp.SpeedDriver("motor", "axle", sp.SmoothStep(0.0, 1.0, after=3.0)))
    for method in (sp.Radau(), sp.DormandPrince(), sp.GeneralizedAlpha(), sp.BDF(), sp.Adams()):
        r = sp.simulate(m, 1.5, tolerance=1e-8, integrator=method, output=6)
        assert r.success, r.message
        assert r["axle"].rates[-1] == pytest.approx(3.0, abs=1e-9)
        # a smooth step has its mean value as a mean
        assert r["axle"].angle[-1] == pytest.approx(3.0, abs=3e-6)
        assert r["motor"].work[-1] == pytest.approx(0.5 * 0.2 * 9.0, rel=1e-6)
        assert np.abs(r["motor"].effort[-1]) < 1e-9


def test_a_constant_rate_does_work_against_a_spring() -> None:
    m = sp.Model(gravity=(0, 0, 0))
    disc = m.add(sp.RigidBody("disc", 1.0, inertia=(0.1, 0.1, 0.2)))
    axle = m.add(sp.Revolute("axle", m.ground.at(0), disc.at(0), "z"))
    m.add(sp.JointSpring("spring", axle, stiffness=5.0, damping=0.0))
    m.add(sp.SpeedDriver("motor", "axle", 2.0))
    r = sp.simulate(m, 1.0, output=4)
    assert_allclose(r["axle"].angle, 2.0 * r.t, atol=1e-12)
    assert r["motor"].work[-1] == pytest.approx(0.5 * 5.0 * 4.0, rel=1e-7)
    assert_allclose(r["motor"].effort, 5.0 * 2.0 * r.t, atol=1e-9)


def test_a_differential_couples_three_shafts_and_keeps_energy() -> None:
    """The row is integrable: the same motion as with the coupling of angles."""
    m, other = differential(), differential()
    other.remove("differential")
    terms = [("left axle", 0.5), ("right axle", 0.5), ("ring axle", -1.0)]
    other.add(sp.Coupling("differential", terms))
    first, second = (sp.simulate(x, 3.0, tolerance=1e-9, output=30) for x in (m, other))
    for name in ("left axle", "right axle", "ring axle"):
        assert_allclose(first[name].angle, second[name].angle, atol=1e-7)
    assert_allclose(first["differential"].effort, second["differential"].effort, atol=1e-6)
    assert np.ptp(first.energy.total) < 1e-7


def test_a_static_equilibrium_holds_the_edge() -> None:
    """A sleigh on a slope across its edge: the edge holds it where it begins."""
    m = sp.Model(gravity=(0, -9.81, 0))
    add_sleigh(m, "sleigh", 0.0)
    m.add(sp.JointSpring("turn", "sleigh ice", coordinate="angle", stiffness=30.0, damping=0.0))
    m.add(sp.JointSpring("way", "sleigh ice", coordinate=0, stiffness=30.0, damping=0.0))
    found = sp.statics(m)
    assert found.success, found.message
    assert "one of many: Blade 'sleigh edge' holds a velocity and no place" in found.message
    body = found["sleigh"]
    again = sp.simulate(m, 0.5, start=found, output=2)
    assert_allclose(again["sleigh"].position[-1], body.position[0], atol=1e-9)


def test_small_motion_of_a_sleigh_that_goes_straight() -> None:
    """Its mass centre in front of the edge, it is stable: v' = 0, w' = -m a v w/(I + m a^2)."""
    m = sleigh()
    m.replace("sleigh ice", initial_rate=(2.0, 0, 0))
    linear = sp.linearize(m, "initial")
    assert len(linear.M) == 2 and len(linear.further) == 1
    assert linear.zeros == 4
    values = linear.eigenvalues
    assert_allclose(np.abs(values[:4]), 0.0, atol=1e-12)
    assert values[4] == pytest.approx(-0.4 * 2.0 / (0.5 + 0.16), rel=1e-9)


ENERGY = {"integrator": sp.EnergyScheme(step=0.01), "formulation": sp.Absolute()}
PARTS = {"integrator": sp.DormandPrince(constraints="partitioning")}
REFUSED = {
    "EnergyScheme": lambda m: sp.simulate(m, 0.1, **ENERGY),
    "DormandPrince": lambda m: sp.simulate(m, 0.1, **PARTS),
    "kinematics": lambda m: sp.kinematics(m, 0.1),
    "transfer": lambda m: sp.transfer(m, "sleigh ice"),
    "state_space": lambda m: sp.linearize(m, "initial").state_space(["sleigh ice.angle"]),
    "sensitivity": lambda m: sp.sensitivity(
        m, ["sleigh.mass"], outputs="sleigh ice.angle @ end", t_end=0.1
    ),
}


@pytest.mark.parametrize("owner", REFUSED)
def test_studies_that_do_not_treat_rates_say_so(owner: str) -> None:
    with pytest.raises(sp.ModelError, match="holds a velocity") as caught:
        REFUSED[owner](sleigh())
    assert owner in str(caught.value)


def test_wrong_rates_are_refused() -> None:
    m = sleigh()
    with pytest.raises(sp.ModelError) as caught:
        m.add(sp.SpeedDriver("motor", "sleigh ice", "step(t - 0.5)"))
    assert "jump of rate at 0.5 s is 1" in str(caught.value)


def test_one_coordinate_has_one_driver() -> None:
    m = sp.Model()
    disc = m.add(sp.RigidBody("disc", 1.0, inertia=(0.1, 0.1, 0.2)))
    m.add(sp.Revolute("axle", m.ground.at(0), disc.at(0), "z"))
    m.add(sp.Driver("motor", "axle", "t"))
    m.add(sp.SpeedDriver("other", "axle", 1.0))
    with pytest.raises(sp.ModelError) as caught:
        m.check()
    assert str(caught.value) == (
        "SpeedDriver 'other': 'angle' of Revolute 'axle' is driven by Driver 'motor' already, "
        "expected one driver for each coordinate"
    )
