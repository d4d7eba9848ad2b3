"""compare: differences that are known, interpolation that does not hide or make them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from supple.studies.comparison import Interpolant, difference, interpolants


def flying(spin=2.0):
    """Free, ball and scalar joints, one of them connected backwards."""
    m = sp.Model(gravity=(0, 0, -9.81), name="flying")
    base = m.add(sp.RigidBody("base", 3.0, inertia=(0.2, 0.3, 0.25)))
    arm = m.add(sp.RigidBody("arm", 1.0, (0.3, 0.02, 0), (0.01, 0.04, 0.04)))
    hand = m.add(sp.RigidBody("hand", 0.6, (0, 0.1, 0.05), (0.01, 0.008, 0.009)))
    start = (0.2, -0.1, 0.4, 0.3, 0.2, -0.5)
    m.add(sp.Free("float", m.ground.at(0, 0, 1), base.at(0), initial_rate=start))
    m.add(sp.Spherical("ball", arm.at(0), base.at(0.5), initial_rate=(1, -spin, 0.5)))
    m.add(sp.Universal("wrist", arm.at(0.6), hand.at(0), axes=("x", "y"), initial=(0.2, 0.1)))
    m.add(sp.JointSpring("spring", "wrist", stiffness=1.0, damping=0.02))
    return m


def beam_model(modes, elements=2):
    m = sp.Model(gravity=(0, -9.81, 0), name="rod")
    material = sp.Material(E=7e10, G=2.6e10, density=2700)
    damping = sp.Rayleigh(stiffness=1e-3)
    section = sp.Rectangle(0.01, 0.02)
    rod = m.add(sp.Beam("rod", 1.0, section, material, elements, modes, damping=damping))
    m.add(sp.Revolute("hinge", m.ground.at(0), rod.at(0), initial=-0.5))
    return m


@pytest.fixture(scope="module")
def runs():
    m = flying()
    fine = sp.simulate(m, 1.0, tolerance=1e-11, output=200)
    other = sp.simulate(m, 1.0, tolerance=1e-11, output=77)
    return fine, other


def test_a_result_does_not_differ_from_itself(runs):
    c = sp.compare(runs[0], runs[0])
    assert c.t is runs[0].t
    assert all(d.max <= 1e-15 * max(d.size, 1.0) for d in c.differences.values())
    assert all(d.interpolation == 0.0 for d in c.differences.values())
    found = set(c.differences)
    assert {"float.rotation", "float.position", "float.velocity", "ball.rotation"} <= found
    assert {"wrist.angle_1", "wrist.angle_1_rate", "base.position", "hand.rotation"} <= found
    assert {"energy.kinetic", "energy.total", "spring.dissipated"} <= found
    assert c.skipped == {}


def test_other_output_times_make_no_difference(runs):
    """The same motion on two grids: what is left is the interpolation, and its estimate says so."""
    c = sp.compare(*runs)
    assert len(c.t) == len({*np.round(runs[0].t, 9), *np.round(runs[1].t, 9)})
    for name, d in c.differences.items():
        # 13 ms between output times; cubic polynomials for velocities of ball and free joints
        kinds = {"velocity": 1e-5, "rate": 1e-7, "energy": 1e-7, "dissipated": 1e-7}
        bound = next((b for kind, b in kinds.items() if kind in name), 1e-8)
        assert d.max < bound * max(d.size, 1.0), name
        # an estimate by halving, true up to a factor; the runs' own errors are below 1e-9
        assert d.max < 10 * d.interpolation + 1e-9 * max(d.size, 1.0), name
    text = repr(c)
    assert text.startswith("Comparison of two runs at") and "ball.rotation" in text


def test_a_known_difference_is_found(runs):
    """A start that differs by 1e-4 rad/s, and the time at which another difference is largest."""
    m = flying()
    a = sp.simulate(m, 0.3, tolerance="tight", output=60)
    m.replace("ball", initial_rate=(1, -2.0 - 1e-4, 0.5))
    b = sp.simulate(m, 0.3, tolerance="tight", output=41)
    c = sp.compare(a, b)
    assert c["ball.angular_velocity"].values[0] == pytest.approx(1e-4, rel=1e-6)
    expected = a["ball"].rates[-1] - b["ball"].rates[-1]
    assert c["ball.angular_velocity"].values[-1] == pytest.approx(np.linalg.norm(expected))
    d = c["wrist.angle_1"]
    assert d.max == d.values.max() and d.at == c.t[np.argmax(d.values)]
    assert d.rms == pytest.approx(np.sqrt(np.trapezoid(d.values**2, c.t) / 0.3))
    assert c.max["wrist.angle_1"] == d.max and c.rms["wrist.angle_1"] == d.rms
    real = [x.relative for x in c.differences.values() if x.max > x.interpolation]
    assert c.worst.relative == max(real)
    table = c.to_pandas()
    assert table.loc["wrist.angle_1", "max"] == d.max


def test_angles_between_rotations():
    """By hand: quaternions of turns about z, with either sign."""
    half = np.array([0.0, 0.1, 0.7, 1.5]) / 2
    q = np.column_stack([np.cos(half), 0 * half, 0 * half, np.sin(half)])
    still = np.tile([1.0, 0, 0, 0], (4, 1))
    assert np.allclose(difference(still, q, turns=True), 2 * half)
    assert np.allclose(difference(-still, q, turns=True), 2 * half)


@pytest.mark.parametrize(("known", "shown", "order"), [(3, 0, 6), (3, 1, 5), (2, 0, 4), (1, 0, 6)])
def test_order_of_the_interpolation(known, shown, order):
    """Halving the interval divides the error by 2^order, and the estimate is near the error."""
    errors, guesses = [], []
    dense = np.linspace(0.0, 2.0, 2001)
    exact = (np.sin(3 * dense), 3 * np.cos(3 * dense))[shown]
    for n in (21, 41):
        t = np.linspace(0.0, 2.0, n)
        parts = (np.sin(3 * t), 3 * np.cos(3 * t), -9 * np.sin(3 * t))[:known]
        interpolant = Interpolant("x", "m", t, tuple(p[:, None] for p in parts), order=shown)
        errors.append(np.abs(interpolant.at(dense)[:, 0] - exact).max())
        guesses.append(interpolant.uncertainty())
        assert np.allclose(interpolant.at(t[:-1])[:, 0], parts[shown][:-1], atol=1e-13)
    assert np.log2(errors[0] / errors[1]) > order - 0.4
    if known > 1:
        assert np.log2(errors[0] / errors[1]) < order + 0.4
        assert 0.5 < guesses[1] / errors[1] < 3.0


def test_motions_quicker_than_the_output_are_not_trusted():
    """A jump between two output times: the estimate is as large as the error."""
    dense = np.linspace(0.0, 2.0, 2001)
    t = np.linspace(0.0, 2.0, 41)

    def motion(t):
        s = np.exp(-100.0 * t)
        return s, -100.0 * s, 1e4 * s

    for known in (1, 2, 3):
        interpolant = Interpolant("x", "m", t, tuple(d[:, None] for d in motion(t)[:known]))
        error = np.abs(interpolant.at(dense)[:, 0] - motion(dense)[0]).max()
        assert error > 1e-2
        assert interpolant.uncertainty() > 0.5 * error


def test_rounding_is_not_the_worst_difference():
    """A cord from a point of the axis keeps its length but for rounding: it dissipates 1e-32 J."""
    m = sp.Model(gravity=(3, 0, -9.81))
    rod = m.add(sp.RigidBody("rod", 1.0, com=(0.3, 0.4, 0), inertia=0.1))
    m.add(sp.Revolute("hinge", m.ground.at(0), rod.at(0), axis="y", initial=0.3))
    m.add(sp.SpringDamper("cord", m.ground.at(0, 1, 0), rod.at(0.5, 0, 0.1), 10.0, 1.0))
    runs = [sp.simulate(m, 1.0, output=50, tolerance=word) for word in ("loose", "default")]
    c = sp.compare(*runs)
    assert 0.0 < c["cord.dissipated"].max < 1e-25
    assert c.worst.size > 1e-3 and c.worst.relative < 1e-2


def test_curves_of_a_run_join_its_values(runs):
    """Each derivative of an interpolant is that of the value before it."""
    for interpolant in interpolants(runs[0].track()):
        h = interpolant.t[1] - interpolant.t[0]
        for value, rate in zip(interpolant.derivatives, interpolant.derivatives[1:], strict=False):
            slope = (value[:-4] - 8 * value[1:-3] + 8 * value[3:-1] - value[4:]) / (12 * h)
            size = np.abs(rate).max() + np.abs(value).max()
            # differences of fourth order over 5 ms, motions of some 10 rad/s
            assert np.abs(slope - rate[2:-2]).max() < 1e-5 * size, interpolant.name


def test_beams_with_other_modes_are_compared_by_deflection():
    runs = []
    for modes in (2, 4):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)
            runs.append(sp.simulate(beam_model(modes), 0.5, output=100))
    c = sp.compare(*runs)
    assert not any("mode_" in name for name in c.differences)
    assert c.skipped == {"rod": "its elastic coordinates are not the same"}
    assert 1e-3 < c["rod@1.deflection"].relative < 1.0
    assert "not compared: rod, its elastic coordinates are not the same" in repr(c)
    same = sp.compare(runs[0], runs[0])
    assert "rod.mode_2_rate" in same.differences


def test_saved_results_and_choices(runs, tmp_path):
    saved = sp.files.load_result(runs[0].save(tmp_path / "run.nc"))
    c = sp.compare(saved, runs[1], "wrist", "energy.total")
    assert set(c.differences) == {
        "wrist.angle_1",
        "wrist.angle_2",
        "wrist.angle_1_rate",
        "wrist.angle_2_rate",
        "energy.total",
    }
    assert c["wrist.angle_1"].max == sp.compare(*runs)["wrist.angle_1"].max


def test_overlap(runs):
    part = sp.simulate(flying(), 1.5, start=runs[0].state(100), output=50, tolerance=1e-11)
    c = sp.compare(runs[0], part)
    assert c.t[0] == 0.5 and c.t[-1] == 1.0
    assert c["hand.position"].max < 1e-7


def test_a_run_that_failed_is_compared_as_far_as_it_goes(runs):
    """Its last accelerations may be NaN: values next to them are left out."""
    a = sp.simulate(flying(), 1.0, tolerance=1e-11, output=200)
    a.a[-1], a.data.history.A[-1] = np.nan, np.nan
    c = sp.compare(a, runs[1])
    assert all(np.isfinite([d.max, d.rms, d.size]).all() for d in c.differences.values())
    assert c["wrist.angle_1"].max < 1e-8
    assert c["hand.position"].max < 1e-8


def test_plot(runs, tmp_path):
    figure = sp.compare(*runs).plot(path=tmp_path / "c.png")
    assert figure.axes[0].get_ylabel() == "difference / largest value"
    assert len(figure.axes[0].lines) == 6
    assert len(sp.compare(*runs).plot("wrist.angle_1").axes[0].lines) == 1


def test_sentences(runs):
    with pytest.raises(sp.SuppleError, match="found Model, expected two results"):
        sp.compare(runs[0], runs[0].model)
    late = sp.simulate(flying(), 2.0, start=runs[0], output=10)
    with pytest.raises(sp.SuppleError, match=r"no stretch of time in common, found 0 to 1 s and 1"):
        sp.compare(runs[0], late)
    with pytest.raises(sp.SuppleError, match=r"do not both have 'wrost', did you mean 'wrist'"):
        sp.compare(*runs, "wrost")
    with pytest.raises(sp.SuppleError, match=r"has no 'wrist.angl_1', did you mean"):
        sp.compare(*runs)["wrist.angl_1"]


def test_models_with_other_names():
    """Energies are always there, and the rest is named."""
    a = sp.simulate(beam_model(2), 0.1, output=10)
    b = sp.simulate(flying(), 0.1, output=10)
    c = sp.compare(a, b)
    kinds = ("kinetic", "gravity", "elastic", "work", "dissipated", "total")
    assert set(c.differences) == {f"energy.{kind}" for kind in kinds}
    assert c.skipped["hinge"] == "only in the first result"
    assert c.skipped["ball"] == "only in the second result"


def test_ranges() -> None:
    """Range of a quantity, of what rests, and of elastic coordinates, which are one vector."""
    m = sp.Model(gravity=(0, 0, -9.81))
    steel = sp.Material(E=210e9, G=81e9, density=7850)
    rod = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.02, 0.01), steel, modes=3))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="y"))
    r = sp.simulate(m, 0.1, output=20)
    found = sp.compare(r, r)
    assert found["pin.angle"].range == pytest.approx(np.ptp(r["pin"].angle), rel=1e-12)
    assert found["rod.rotation"].range == 1.0
    modes = [found[f"rod.mode_{k}"].range for k in (1, 2, 3)]
    assert modes == pytest.approx([np.ptp(r["rod"].coordinates, axis=0).max()] * 3, rel=1e-12)
    largest = max(np.ptp(r["rod"].far_end.position, axis=0))
    assert 1e-6 * largest <= found["rod.position"].range <= 2e-6 * largest  # it rests
    assert list(found.only("pin").differences) == ["pin.angle", "pin.angle_rate"]
    assert all(d.of_range == 0.0 for d in found.differences.values())


def test_parts_of_the_same_number_are_no_longer_compared():
    """Coordinates of parts belong together only if there are as many; ends are compared anyway."""
    steel = sp.Material(E=210e9, G=80e9, density=7800)

    def run(parts: int) -> sp.results.Result:
        m = sp.Model(gravity=(0, -9.81, 0))
        beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.02), steel, parts=parts))
        m.add(sp.Revolute("pin", m.ground.at(0), beam.at(0)))
        return sp.simulate(m, 0.001, output=4, tolerance="loose")

    two, four = run(2), run(4)
    assert not [name for name in sp.compare(two, four).differences if "[" in name]
    assert "beam@1.deflection" in sp.compare(two, four).differences
    assert [name for name in sp.compare(two, two).differences if "[" in name]
