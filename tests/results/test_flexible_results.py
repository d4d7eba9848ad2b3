"""Reading results of beams: stations, coordinates, strain, files, plots, spectra, the verdict."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from supple.commands import demo
from supple.results.spectrum import spectrum
from supple.results.views.flexible_views import Turn

INNER = slice(2, -2)


def derivative(values, t):
    """Fourth-order differences inside the grid."""
    h = t[1] - t[0]
    return (values[:-4] - 8 * values[1:-3] + 8 * values[3:-1] - values[4:]) / (12 * h)


@pytest.fixture(scope="module")
def example():
    """The arm of `supple demo` without stiffening: its strains are linear."""
    model = demo.arm()
    model.replace("link2", stiffening=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        return sp.simulate(model, 5.0)


@pytest.fixture(scope="module")
def chain():
    """Soft beams of two kinds in three dimensions: one hangs backwards at its middle."""
    m = sp.Model(gravity=(0.5, -9.81, 1.0), name="chain")
    steel = sp.Material(E=2e9, G=8e8, density=2000)
    inner = m.add(
        sp.Beam(
            "inner",
            0.8,
            sp.Rectangle(0.02, 0.03),
            steel,
            elements=3,
            modes=6,
            reference="chord",
            damping=sp.Rayleigh(stiffness=2e-3, mass=0.1),
        )
    )
    outer = m.add(
        sp.Beam(
            "outer",
            0.6,
            sp.Rectangle(0.012, 0.015),
            steel,
            elements=2,
            reference="mean_axis",
            roll=0.3,
            damping=sp.Rayleigh(stiffness=4e-3),
        )
    )
    m.add(sp.PointMass("load", outer.at(0.5), 0.2))
    m.add(sp.Universal("root", m.ground.at(0), inner.at(0.1), axes=("z", "y"), initial=(0.3, 0.2)))
    turned = inner.at(0.8, rotation=(0.3, -0.2, 0.5))
    m.add(sp.Revolute("knee", outer.at(0.3), turned, axis="x", initial=0.4))
    m.add(sp.SpringDamper("cord", m.ground.at(0, 1, 0), outer.at(0.6), stiffness=5, damping=0.1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        # Output begins when the fast vibrations of the start are gone: differences are accurate.
        return sp.simulate(m, 0.5, tolerance="tight", output=np.linspace(0.1, 0.5, 2001))


@pytest.mark.parametrize(("body", "x"), [("inner", 0.33), ("inner", 0.8), ("outer", 0.6)])
def test_motion_of_a_station_is_consistent(chain, body, x):
    """Velocity and acceleration are the derivatives of the place of the deformed point."""
    t, point = chain.t, chain[body].at(x)
    speed, change = np.abs(point.velocity).max(), np.abs(point.acceleration).max()
    assert np.abs(point.rotation).max() > 1e-3
    assert np.allclose(derivative(point.position, t), point.velocity[INNER], atol=1e-6 * speed)
    found = derivative(point.velocity, t)
    assert np.allclose(found, point.acceleration[INNER], atol=2e-5 * change)
    R, w = point.matrix, point.angular_velocity
    turning = np.cross(w[INNER, None, :], np.swapaxes(R[INNER], 1, 2))
    bound = 1e-5 * np.abs(w).max()
    assert np.allclose(derivative(R, t), np.swapaxes(turning, 1, 2), atol=bound)
    found, alpha = derivative(w, t), point.angular_acceleration
    assert np.allclose(found, alpha[INNER], atol=2e-5 * np.abs(alpha).max())


def test_place_of_a_station_is_the_deformed_one(chain):
    view = chain["inner"]
    point = view.at(0.5)
    inside = np.array([0.5, 0, 0]) + point.deflection
    assert np.allclose(
        point.position, view.position + np.einsum("tij,tj->ti", view.matrix, inside), atol=1e-14
    )


def test_joints_close(chain):
    """Both sides of a joint between deformed stations meet, and the axis is shared."""
    knee = chain["knee"].joint
    a, b = (chain[f.body.name].at(f.position[0]) for f in (knee.A, knee.B))
    assert np.allclose(a.position, b.position, atol=1e-12)
    axis_a = a.matrix @ knee.A.rotation @ [1, 0, 0]
    axis_b = b.matrix @ knee.B.rotation @ [1, 0, 0]
    assert np.allclose(axis_a, axis_b, atol=1e-12)
    # local wrenches are along the deformed axes: no reaction torque about the hinge
    assert np.abs(chain["knee"].local.reaction[:, 0]).max() < 1e-8
    assert np.abs(chain["knee"].local.reaction[:, 1:3]).max() > 1e-2


def test_point_masses_and_frames_are_on_the_deformed_beam(chain):
    station = chain["outer"].at(0.5)
    for same in (chain["load"], chain[chain.model["outer"].at(0.5)], chain[chain.model["load"]]):
        assert np.array_equal(same.position, station.position)
        assert np.array_equal(same.acceleration, station.acceleration)
        assert np.array_equal(same.deflection, station.deflection)
    assert chain["load"].name == "load"
    assert station.name == "outer@0.5"


def test_local_is_along_the_axes_of_the_body(chain):
    view, point = chain["inner"], chain["inner"].at(0.6)
    for own in (point.local, view.local.at(0.6), point.local.local):
        turns = ("angular_velocity", "angular_acceleration")
        for kind in ("position", "velocity", "acceleration", *turns):
            world = np.einsum("tij,tj->ti", view.matrix, getattr(own, kind))
            assert np.allclose(world, getattr(point, kind), atol=1e-10)
        assert np.array_equal(own.deflection, point.deflection)
        assert np.allclose(own.matrix, point.matrix)


def test_coordinates(chain):
    inner, outer = chain["inner"], chain["outer"]
    assert inner.coordinate_names == tuple(f"mode_{k}" for k in range(1, 7))
    assert {name[:-2] for name in outer.coordinate_names} == {"u", "v", "w", "tx", "ty", "tz"}
    for view in (inner, outer):
        assert view.coordinates.shape == view.rates.shape == (2001, len(view.coordinate_names))
        size = np.abs(view.rates).max()
        found = derivative(view.coordinates, chain.t)
        assert np.allclose(found, view.rates[INNER], atol=1e-5 * size)


def test_strain_energy_adds_up(chain):
    energy = chain.energy
    both = chain["inner"].strain_energy + chain["outer"].strain_energy
    assert np.allclose(both, energy.strain, rtol=1e-10, atol=1e-12)
    cord = chain["outer"].at(0.6).position - [0, 1, 0]
    spring = 0.5 * 5 * np.sum(cord**2, axis=1)
    assert np.allclose(energy.elastic - energy.strain, spring, rtol=1e-10)
    assert energy.record.max_strain >= energy.strain.max() * (1 - 1e-3)


def test_damping_is_a_channel_of_its_own(chain):
    parts = [chain[name].dissipated for name in ("inner", "outer", "cord")]
    assert all(np.all(np.diff(p) > -1e-12) and p[-1] > 0 for p in parts)
    assert np.allclose(sum(parts), chain.energy.dissipated, rtol=1e-12)
    assert np.array_equal(chain["inner.damping"].dissipated, chain["inner"].dissipated)
    rate = chain["inner"].rates
    record = chain.data.compiled.flexible["inner"]
    power = np.einsum("ti,ij,tj->t", rate, record.modal.C, rate)
    found = derivative(chain["inner"].dissipated, chain.t)
    assert np.allclose(found, power[INNER], atol=1e-5 * power.max())
    assert "inner.damping" not in chain.names


def test_a_beam_without_damping_loses_nothing(example):
    m = sp.Model(gravity=(0, -9.81, 0))
    material = sp.Material(E=69e9, G=26e9, density=2770)
    m.add(sp.Beam("beam", 1.0, sp.Circle(0.01), material, elements=1, modes=2))
    m.add(sp.Revolute("hinge", m.ground.at(0), m["beam"].at(0)))
    r = sp.simulate(m, 0.1, output=10)
    assert np.array_equal(r["beam"].dissipated, np.zeros(11))
    assert "beam.damping" not in r.data.compiled.force_names
    assert r["beam"].at(1.0).deflection[-1, 1] != 0.0


def test_strain_gauge():
    """A cantilever under a slow tip force: strain M c / (E I), and axial N / (E A)."""
    m = sp.Model()
    section, material = sp.Rectangle(0.02, 0.01), sp.Material(E=70e9, G=26e9, density=2700)
    damping = sp.Rayleigh(stiffness=0.01)
    beam = m.add(sp.Beam("beam", 0.5, section, material, elements=3, damping=damping))
    m.add(sp.Fixed("wall", m.ground.at(0), beam.at(0)))
    step = [sp.SmoothStep(0.0, 0.5, after=f) for f in (100.0, 3.0, 2.0)]
    m.add(sp.Force("pull", beam.at(0.5), force=tuple(step), axes="world"))
    r = sp.simulate(m, 2.0, output=4)
    root, middle = r["beam"].at(0.0), r["beam"].at(0.25)
    axial = 100 / (70e9 * section.area)
    for view, arm in ((root, 0.5), (middle, 0.25)):
        up = -3.0 * arm * 0.01 / (70e9 * section.I_z)
        side = -2.0 * arm * 0.005 / (70e9 * section.I_y)
        assert view.strain("y", axial=False)[-1] == pytest.approx(up, rel=1e-5)
        assert view.strain("z", axial=False)[-1] == pytest.approx(side, rel=1e-5)
        assert view.strain()[-1] == pytest.approx(up + axial, rel=1e-5)
        assert view.strain("-y")[-1] == pytest.approx(axial - up, rel=1e-5)
    with pytest.raises(sp.ModelError, match="side of strain_gauge"):
        root.strain("x")
    with pytest.raises(sp.ModelError, match=r"expected a station from 0 to 0\.5"):
        r["beam"].at(0.6)
    with pytest.raises(sp.ModelError, match="a station is on the axis"):
        r["beam"].at(0.2, 0.01)
    # tip deflection F L3 / (3 E I), its slope F L2 / (2 E I)
    tip = r["beam"].at(0.5)
    assert tip.deflection[-1, 1] == pytest.approx(3 * 0.125 / (3 * 70e9 * section.I_z), rel=1e-5)
    assert tip.rotation[-1, 2] == pytest.approx(3 * 0.25 / (2 * 70e9 * section.I_z), rel=1e-5)
    assert tip.rotation[-1, 1] == pytest.approx(-2 * 0.25 / (2 * 70e9 * section.I_y), rel=1e-5)


def test_strain_is_the_curvature_of_the_shapes_with_their_point_mass(example, chain):
    """Bending strain is -y v'' - z w'', and v', -w' are the rotations about z, y."""
    for view, half in ((example["link2"], 0.00635), (chain["inner"], 0.01)):
        x, h = 0.3 * view.length, 1e-5
        before, after = view.at(x - h).rotation, view.at(x + h).rotation
        curvature = (after - before) / (2 * h)
        size = np.abs(curvature).max()
        found = view.at(x).strain("y", axial=False)
        assert np.allclose(found, -half * curvature[:, 2], atol=1e-6 * half * size)
        stretch = (view.at(x + h).deflection - view.at(x - h).deflection)[:, 0] / (2 * h)
        both = view.at(x).strain("y")
        assert np.allclose(both - found, stretch, atol=1e-6 * half * size)


def test_verdict_compares_with_the_strain_energy(example):
    assert example.energy.verdict.startswith("trusted: energy error ")
    assert example.energy.verdict.endswith(", strain energy 5.0e-02 J")
    assert example.energy.record.max_error < 1e-7
    assert example.energy.reference == example.energy.record.max_strain
    assert example.energy.record.max_strain >= example.energy.strain.max() * (1 - 1e-3)


def test_dataset_of_a_beam(example, tmp_path):
    ds = example.dataset
    tip = example["link2"].at(1.02)
    assert np.array_equal(ds["link2@1.02.deflection"], tip.deflection)
    assert ds["link2@1.02.deflection"].dims == ("time", "xyz")
    assert ds["link2@1.02.deflection"].attrs["frame"] == "body"
    assert np.array_equal(ds["link2@1.02.rotation"], tip.rotation)
    assert ds["link2@1.02.rotation"].attrs["units"] == "rad"
    assert np.array_equal(ds["link2@1.02.position"], ds["tip.position"])
    assert np.array_equal(ds["link2.mode_4"], example["link2"].coordinates[:, 3])
    assert np.array_equal(ds["link2.mode_1_rate"], example["link2"].rates[:, 0])
    assert ds["link2.mode_1"].attrs["units"] == "kg^0.5 m"
    assert np.array_equal(ds["energy.strain"], example.energy.strain)
    assert np.array_equal(ds["link2.dissipated"], example.energy.dissipated)
    assert np.allclose(ds["link2.strain_energy"], ds["energy.strain"], rtol=1e-10, atol=1e-14)
    saved = sp.files.load_result(example.save(tmp_path / "run.nc"))
    assert saved.dataset.identical(ds)
    assert saved.energy_verdict == example.energy.verdict and saved.verdict == example.verdict
    table = example.to_pandas()
    assert np.array_equal(table["link2@1.02.deflection.z"], tip.deflection[:, 2])
    with pytest.raises(sp.SuppleError, match=r"did you mean 'link2@1\.02\.deflection'"):
        saved["link2@1.02.deflecton"]


@pytest.mark.slow
def test_plots_of_a_beam(example, tmp_path):
    figure = example.plot("elbow", "link2@1.02.deflection", "link2@1.02", "link2", "energy")
    assert [ax.get_ylabel() for ax in figure.axes] == [
        "elbow angle (rad)",
        "link2@1.02.deflection (m)",
        "link2@1.02 (m)",
        "link2@1.02 (rad)",
        "link2 (m)",
        "energy (J)",
        "energy error (J)",
    ]
    lines = [line.get_label() for line in figure.axes[-2].lines]
    assert lines == ["kinetic", "gravity", "strain", "dissipated", "total"]
    again = sp.files.load_result(example.save(tmp_path / "run.nc")).plot("energy", "link2@1.02")
    assert [line.get_label() for line in again.axes[0].lines] == lines


def test_plot_tells_strain_from_springs(chain):
    lines = [line.get_label() for line in chain.plot("energy").axes[0].lines]
    assert "elastic" in lines and "strain" in lines


def test_spectrum_of_a_sine():
    t = np.linspace(0.0, 9.99, 1000)
    both = np.column_stack([3.0 * np.sin(2 * np.pi * 5 * t), 1.0 + 0.5 * np.cos(2 * np.pi * 8 * t)])
    found = spectrum(t, both)
    assert found.frequencies[-1] == pytest.approx(50.0)
    at = np.argmin(abs(found.frequencies - 5)), np.argmin(abs(found.frequencies - 8))
    assert found.amplitudes[at[0], 0] == pytest.approx(3.0, rel=1e-9)
    assert found.amplitudes[at[1], 1] == pytest.approx(0.5, rel=1e-9)
    assert found.amplitudes[0] == pytest.approx([0, 0], abs=1e-12)
    assert found.peak == pytest.approx(5.0)
    for shift in (0.01, 0.03, 0.05):  # between two frequencies
        size = spectrum(t, np.sin(2 * np.pi * (5 + shift) * t)).amplitudes.max()
        assert 0.84 < size <= 1.0 + 1e-3


@pytest.mark.slow
def test_spectrum_of_results(tmp_path):
    """A clamped beam after a kick rings at its first frequency."""
    m = sp.Model()
    material = sp.Material(E=69e9, G=26e9, density=2770)
    beam = m.add(sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.01), material, elements=4, modes=4))
    m.add(sp.Fixed("wall", m.ground.at(0), beam.at(0)))
    kick = sp.Table([0.0, 0.001, 0.0011], [100.0, 100.0, 0.0])
    m.add(sp.Force("kick", beam.at(1.0), force=(0, kick, 0)))
    r = sp.simulate(m, 2.0, output=2000)
    first = r.data.compiled.flexible["beam"].modal.frequencies
    found = r.spectrum("beam@1.deflection")
    assert found.amplitudes.shape == (len(found.frequencies), 3)
    assert np.min(abs(first - found.peak)) < 0.5
    same = r.spectrum(r["beam"].at(1.0).deflection)
    assert np.array_equal(same.amplitudes, found.amplitudes)
    saved = sp.files.load_result(r.save(tmp_path / "run.nc"))
    assert np.array_equal(saved.spectrum("beam@1.deflection").amplitudes, found.amplitudes)
    with pytest.raises(sp.SuppleError, match=r"no variable 'beam@1\.deflectio', did you mean"):
        r.spectrum("beam@1.deflectio")
    uneven = sp.simulate(m, 2.0, output=[0.1, 0.2, 0.5, 1.0, 2.0])
    with pytest.raises(sp.SuppleError, match="equally spaced"):
        uneven.spectrum("beam.mode_1")
    with pytest.raises(sp.SuppleError, match="at least 4 times"):
        sp.simulate(m, 2.0, output=2).spectrum("beam.mode_1")
    with pytest.raises(sp.SuppleError, match="one value for each"):
        r.spectrum([1.0, 2.0])


def test_rotations_of_any_size():
    """Against the exponential series of SciPy, and the operator against differences."""
    from scipy.linalg import expm

    rng = np.random.default_rng(1)
    sizes = [0.0, 1e-9, 1e-4, 0.0999, 0.1001, 0.3, 1.0, 3.0]
    for size in sizes:
        axis = rng.normal(size=3)
        theta = size * axis / np.linalg.norm(axis)
        rate = rng.normal(size=3)
        steps = np.array([theta - 1e-6 * rate, theta, theta + 1e-6 * rate])
        change = rng.normal(size=3)
        path = Turn(steps, rate + np.array([[-1e-6], [0.0], [1e-6]]) * change)
        turn = path.matrix
        x, y, z = theta
        skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        assert np.allclose(turn[1], expm(skew), atol=1e-14)
        spin = (turn[2] - turn[0]) / 2e-6 @ turn[1].T
        w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        assert np.allclose(path.spin[1], w, atol=1e-9)
        found = path.change(np.tile(change, (3, 1)))[1]
        # differences of a path of second order: rounding of 1e-16 over 1e-6, errors of 1e-12
        assert np.allclose(found, (path.spin[2] - path.spin[0]) / 2e-6, atol=2e-9)


def test_a_beam_without_modes_is_rigid():
    m = sp.Model(gravity=(0, -9.81, 0))
    material = sp.Material(E=69e9, G=26e9, density=2770)
    beam = m.add(sp.Beam("beam", 1.0, sp.Circle(0.01), material, elements=1, modes=0))
    m.add(sp.Revolute("hinge", m.ground.at(0), beam.at(0)))
    r = sp.simulate(m, 1.0, output=100)
    assert r["beam"].coordinates.shape == (101, 0)
    assert np.array_equal(r["beam"].at(0.5).deflection, np.zeros((101, 3)))
    assert "kinetic range" in r.energy.verdict
    assert np.array_equal(r.dataset["beam@1.rotation"], np.zeros((101, 3)))
