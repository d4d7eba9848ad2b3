"""Runs over singular positions: the same at every tolerance, by every method that keeps loops."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import supple as sp
from models.linkages import CRANK, LENGTH, arm, parallelogram, rod
from supple.cases.linkages.n_four_bar import RATE, G, windows
from supple.integrators.passage import passage

END = 3.0  # s: four positions in line are passed
COUNT = 2
FACTOR = (COUNT + (COUNT + 1) / 2) / (COUNT + (COUNT + 1) / 3) * G  # f'' = FACTOR sin f


@pytest.fixture(scope="module")
def pendulum():
    """The angle from upright and its rate, as functions of time."""
    found = solve_ivp(
        lambda t, y: [y[1], FACTOR * np.sin(y[0])], (0.0, END), [0.0, RATE],
        rtol=1e-13, atol=1e-13, method="DOP853", dense_output=True,
    )  # fmt: skip
    return found.sol


def _run(model, end, tolerance, integrator=None, **options):
    with pytest.warns(sp.SuppleWarning) as caught:
        result = sp.simulate(model, end, tolerance=tolerance, integrator=integrator, **options)
    texts = [str(w.message) for w in caught]
    assert len(texts) == 1
    return result, texts[0]


# The fall from upright, where a pendulum is unstable, multiplies errors of its first steps by
# exp(t sqrt(FACTOR)) until it is level, 40 times; the next upright position does so again, slower.
GROWTH = 3e3


@pytest.mark.parametrize("integrator", [sp.Radau(), sp.DormandPrince()], ids=["radau", "dop853"])
@pytest.mark.parametrize("digits", range(4, 13))
def test_windows_pass_at_every_tolerance(pendulum, integrator, digits):
    """The motion is that of a pendulum, and so is the sentence."""
    result, text = _run(windows(COUNT), END, 10.0**-digits, integrator, output=101)
    assert result.success
    assert text.startswith("near t = 0.7144 s the run passes a singular position in the loop of ")
    assert text.endswith("and this run shows the smooth one")
    error = np.abs(-result["base0"].angle - pendulum(result.t)[0]).max()
    assert error < GROWTH * max(10.0**-digits, 1e-13)
    assert np.abs(result["base0"].angle - result["base2"].angle).max() < 1e-9


@pytest.mark.parametrize(
    "integrator",
    [sp.GeneralizedAlpha(), sp.GeneralizedAlpha(step=2e-3), sp.BDF(), sp.Adams()],
    ids=["alpha", "fixed steps", "bdf", "adams"],
)
def test_other_methods_pass_as_well(pendulum, integrator):
    for tolerance in (1e-5, 1e-8):
        result, text = _run(windows(COUNT), END, tolerance, integrator, output=31)
        assert result.success and text.startswith("near t = 0.714")
        assert np.abs(-result["base0"].angle - pendulum(result.t)[0]).max() < 0.05


def test_the_energy_scheme_passes_by_itself():
    """And keeps energy to rounding there, as everywhere."""
    scheme, absolute = sp.EnergyScheme(step=5e-3), sp.Absolute()
    result, text = _run(windows(COUNT), 1.0, "default", scheme, formulation=absolute)
    assert result.success and text.startswith("near t = 0.714")
    assert result.energy.record.max_error < 1e-10
    assert np.abs(result["base0"].angle - result["base2"].angle).max() < 1e-9


def test_without_the_step_over_it_the_run_stops(monkeypatch):
    monkeypatch.setattr(passage, "can_be_singular", lambda compiled: False)
    result, text = _run(windows(COUNT), END, 1e-9)
    assert not result.success and "a singular position in the loop of" in text


@pytest.mark.parametrize("tolerance", [1e-4, 1e-8, 1e-12])
@pytest.mark.parametrize("integrator", [sp.Radau(), sp.DormandPrince()], ids=["radau", "dop853"])
def test_a_driver_leads_through(tolerance, integrator, monkeypatch):
    """Six seconds are three and a half turns of the crank; the coupler stays parallel."""
    model = parallelogram(0.5, motion="0.5 + 2*t")
    left = []  # by iterations for the steps over positions, part of the motion: rounding
    take = passage.Passage._take
    monkeypatch.setattr(
        passage.Passage, "_take", lambda self, leap: (left.append(leap.change), take(self, leap))[1]
    )
    result, text = _run(model, 6.0, tolerance, integrator)
    assert result.success and text.startswith("near t = 1.321 s the run passes")
    assert np.allclose(result["A"].angle, result["D"].angle, rtol=0.0, atol=1e-9)
    # Rates may err by the tolerance, and by ten times what iterations leave, which differs between
    # processors: twice as much of the kinetic energy, 0.83 J
    assert len(left) in (3, 4)  # the last one is near the end of the run
    assert result.energy.record.max_error < 10.0 * (tolerance + 2.0 * 0.83 * sum(left))


def crossed(angle, rate) -> sp.Model:
    """The parallelogram with its coupler crossed over: an antiparallelogram."""
    m = sp.Model(gravity=(0, -9.81, 0))
    top, base = CRANK * np.exp(1j * angle), LENGTH + 0j
    line = (base - top) / abs(base - top)
    end = top + line**2 * LENGTH  # the parallel coupler, along x, reflected about the diagonal
    tilt, turn = np.angle(end - top), np.angle(end - base)
    crank, coupler, rocker = (
        rod(m, n, x) for n, x in (("crank", CRANK), ("coupler", LENGTH), ("rocker", CRANK))
    )
    m.add(sp.Revolute("A", m.ground.at(0), crank.at(0), "z", angle, rate))
    m.add(sp.Revolute("B", crank.at(CRANK), coupler.at(0), "z", tilt - angle))
    m.add(sp.Revolute("D", m.ground.at(LENGTH), rocker.at(0), "z", turn))
    m.add(sp.Revolute("C", rocker.at(CRANK), coupler.at(LENGTH), "z", tilt - turn))
    return m


def test_an_antiparallelogram_stays_one():
    """By two methods: the crank turns over, against the rocker, in all positions in line."""
    ends = []
    for integrator in (sp.Radau(), sp.DormandPrince()):
        result, _ = _run(crossed(1.0, 8.0), 2.0, 1e-9, integrator)
        assert result.success and result.verdict.startswith("trusted")
        crank, rocker = result["A"].angle, result["D"].angle
        bent = np.abs(np.sin(crank)) > 0.3
        assert np.max(np.cos(crank - rocker)[bent]) < 0.99  # 1 in a parallelogram
        assert np.ptp(crank) > 1.5 * np.pi
        ends.append(crank[-1])
    assert ends[0] == pytest.approx(ends[1], abs=1e-6)


def mismatched(by: float) -> sp.Model:
    """A parallelogram whose coupler is too long: it cannot come into line, but nearly does."""
    m = sp.Model(gravity=(0, -9.81, 0))
    length = LENGTH + by
    crank, coupler, rocker = (
        rod(m, n, x) for n, x in (("crank", CRANK), ("coupler", length), ("rocker", CRANK))
    )
    m.add(sp.Revolute("A", m.ground.at(0), crank.at(0), "z", 1.0, 5.0))
    m.add(sp.Revolute("B", crank.at(CRANK), coupler.at(0), "z", -1.0, -5.0))
    m.add(sp.Revolute("D", m.ground.at(LENGTH), rocker.at(0), "z", 1.0, 5.0))
    m.add(sp.Revolute("C", rocker.at(CRANK), coupler.at(length), "z", -1.0, -5.0))
    return m


@pytest.mark.parametrize(("by", "tolerance"), [(1e-3, 1e-8), (1e-3, 1e-4), (1e-9, 1e-4)])
def test_what_only_comes_close_is_not_stepped_over(by, tolerance):
    """A coupler that is a little too long turns the rocker back: the smooth way would be a lie.

    Of 1e-9 m a run with loose steps would see nothing but for the gap in the middle.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = sp.simulate(mismatched(by), 0.7, tolerance=tolerance)
    assert result.success and not any("smooth" in str(w.message) for w in caught)
    assert np.min(np.cos(result["A"].angle - result["D"].angle)) < 0.5


@pytest.mark.parametrize("tolerance", [1e-5, 1e-8, 1e-11])
def test_a_motion_that_ends_there_stops_with_the_same_words(tolerance):
    """An arm is pulled straight, and no motion goes on from there."""
    model = arm(0.5)
    model.replace("hand", x="2*cos(0.5) + 0.1*t**2")
    result, text = _run(model, 3.0, tolerance)
    assert not result.success
    assert "a singular position in the loop of 'hand', 'shoulder', 'elbow'" in text
    reach = np.sqrt(20.0 * (1.0 - np.cos(0.5)))  # 2 cos(0.5) + 0.1 t2 = 2
    assert result.t[-1] == pytest.approx(reach, abs=1e-3)


@pytest.mark.parametrize(
    "formulation",
    [sp.Absolute(), sp.Branch(tree=["base0", "left1", "right1", "left2", "right2"])],
    ids=["absolute", "branch"],
)
@pytest.mark.parametrize("tolerance", [1e-5, 1e-8, 1e-10])
def test_in_other_coordinates(pendulum, tolerance, formulation):
    result, text = _run(windows(COUNT), 1.5, tolerance, formulation=formulation)
    assert result.success and text.startswith("near t = 0.7144 s the run passes")
    assert np.abs(-result["base0"].angle - pendulum(result.t)[0]).max() < GROWTH * tolerance


def test_output_and_events_within_the_step(pendulum):
    """The instant of the level position itself is an event; output lies close around it."""
    level = brentq(lambda t: pendulum(t)[0] - np.pi / 2, 0.5, 1.0)
    times = np.concatenate([[0.0], level + np.linspace(-0.05, 0.05, 40), [1.0]])
    event = sp.Event("level", "base0", value=-np.pi / 2, terminal=False)
    result, _ = _run(windows(COUNT), 1.0, 1e-10, output=times, events=event)
    assert [e.t for e in result.events] == [pytest.approx(level, abs=1e-9)]
    angle, rate = pendulum(times)
    assert np.abs(-result["base0"].angle - angle).max() < 1e-8
    assert np.abs(-result["base0"].angle_rate - rate).max() < 1e-7


@pytest.mark.parametrize("after", [-1e-3, 1e-3])
def test_a_run_that_ends_within_the_step(pendulum, after):
    """It ends where it was to end, and speaks of the position only if it has passed it."""
    level = brentq(lambda t: pendulum(t)[0] - np.pi / 2, 0.5, 1.0)
    end = level + after
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = sp.simulate(windows(COUNT), end, tolerance=1e-11, output=3)
    assert result.success and result.t[-1] == end
    assert result["base0"].angle[-1] == pytest.approx(-pendulum(end)[0], abs=1e-9)
    assert ("the run passes" in "".join(str(w.message) for w in caught)) == (after > 0.0)


def test_a_terminal_event_ends_the_run_within_the_step(pendulum):
    event = sp.Event("level", "base0", value=-np.pi / 2 - 0.01)
    result, _ = _run(windows(COUNT), 1.0, 1e-9, events=event)
    assert result.success and result.message.startswith("event 'level' at t = ")
    assert -pendulum(result.t[-1])[0] == pytest.approx(-np.pi / 2 - 0.01, abs=1e-7)


def test_work_is_counted_over_the_step():
    """A spring with a damper and a controller's motor go on working while rows depend."""
    model = windows(COUNT)
    model.add(sp.JointSpring("spring", "base0", stiffness=2.0, damping=0.3))
    result, _ = _run(model, 2.0, 1e-9)
    assert result.success and result.verdict.startswith("trusted")


@pytest.mark.parametrize("stages", [6, 8])
def test_nodes_and_weights_of_collocation(stages):
    """Exact integrals of polynomials below twice the number of stages, no node in the middle."""
    nodes, matrix, integrals = passage.gauss(stages)
    for power in range(2 * stages):
        assert integrals.sum(axis=1) @ nodes**power == pytest.approx(1 / (power + 1), rel=1e-11)
    for power in range(stages):
        assert np.allclose(matrix @ nodes**power, nodes ** (power + 1) / (power + 1), atol=1e-13)
    assert np.min(np.abs(nodes - 0.5)) > 0.09


def test_parts_of_polynomials_of_degree_eight():
    """Ends are exact; between them a quarter loses 2/2^15 of the last coefficient over 4^8."""
    rows = np.random.default_rng(3).normal(size=(3, 9))
    for low in (0.0, 0.25, 0.5, 0.75):
        short = passage.part(rows, low, low + 0.25)
        for s in (0.0, 1.0):
            exact = passage.value(rows, low + 0.25 * s)
            assert passage.value(short, s) == pytest.approx(exact, rel=1e-12)
        inner = [
            passage.value(short, s) - passage.value(rows, low + 0.25 * s) for s in (0.1, 0.4, 0.8)
        ]
        assert np.abs(inner).max() < 2.0 / 2**15 / 4**8 * np.abs(rows).max() + 1e-14
