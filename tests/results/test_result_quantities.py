"""Attitudes, centres of mass, views by type, windows of spectra, runs in one plot, short texts."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import supple as sp
from models.random_models import Recipe
from supple.fem.shells.shell import plate
from supple.results.spectrum import spectrum
from supple.results.views.attitude import SEQUENCES, euler_angles, rotation_vectors
from supple.results.views.flexible_views import BeamView, FlexibleView
from supple.results.views.views import BodyView, JointView, PointView, quaternions

Array = NDArray[np.float64]
BOX, ALU = sp.Box(0.02, 0.02, 0.002), sp.Material(70e9, 26e9, 2700)
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def about(axis: str, angle: Array) -> Array:
    return Rotation.from_rotvec(np.outer(angle, AXES[axis])).as_matrix()


@pytest.fixture(scope="module")
def arm() -> sp.results.Result:
    """A rigid link, a soft beam and a point mass, in space."""
    m = sp.Model(gravity=(0, -9.81, 0), name="arm")
    one = m.add(sp.RigidBody("one", 2.0, (0.5, 0.1, 0), (0.1, 0.2, 0.15)))
    two = m.add(sp.Beam("two", 1.0, sp.Rectangle(0.02, 0.004), ALU, modes=4))
    m.add(sp.PointMass("tip", two.at(1.0), 0.1))
    m.add(sp.PointMass("lump", one.at(0.1, 0.2, 0.3), 0.4))
    m.add(sp.Revolute("shoulder", m.ground.at(0), one.at(0), axis=(0, 1, 1), initial_rate=2.0))
    m.add(sp.Revolute("elbow", one.at(1.0), two.at(0), initial=0.4))
    return sp.simulate(m, 0.4, output=400, tolerance="tight")


# ------------------------------------------------------------------------------------- attitudes


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_euler_angles_make_the_rotation_again(sequence) -> None:
    R = Rotation.random(50, random_state=1).as_matrix()
    angles = euler_angles(R, sequence)
    parts = [about(axis, a) for axis, a in zip(sequence, angles.T, strict=True)]
    assert np.allclose(parts[0] @ parts[1] @ parts[2], R, atol=1e-13)
    low, high = (0.0, np.pi) if sequence[0] == sequence[2] else (-np.pi / 2, np.pi / 2)
    assert low <= angles[:, 1].min() <= angles[:, 1].max() <= high


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_euler_angles_where_the_axes_come_into_line(sequence) -> None:
    first = np.linspace(-3.0, 3.0, 7)
    second = 0.0 if sequence[0] == sequence[2] else np.pi / 2
    R = about(sequence[0], first) @ about(sequence[1], np.full(7, second))
    R = R @ about(sequence[2], np.full(7, 0.3))
    angles = euler_angles(R, sequence)
    parts = [about(axis, a) for axis, a in zip(sequence, angles.T, strict=True)]
    assert np.allclose(parts[0] @ parts[1] @ parts[2], R, atol=1e-9)
    assert not angles[:, 2].any()


def test_there_are_twelve_sequences() -> None:
    assert len(SEQUENCES) == 12
    for text in ("xx", "xxy", "abc", "xyzx", 3, None):
        with pytest.raises(sp.SuppleError, match="expected three of x, y, z"):
            euler_angles(np.eye(3)[None], text)


def test_rotation_vectors_are_the_shortest() -> None:
    given = Rotation.random(50, random_state=2)
    assert np.allclose(rotation_vectors(quaternions(given.as_matrix())), given.as_rotvec())
    tiny = np.array([[1e-12, -2e-13, 0.0], [0.0, 0.0, 0.0]])
    found = rotation_vectors(quaternions(Rotation.from_rotvec(tiny).as_matrix()))
    assert np.allclose(found, tiny, atol=1e-16)


def test_a_spinning_body_has_angles_without_jumps() -> None:
    m = sp.Model()
    top = m.add(sp.RigidBody("top", 1.0, inertia=(1, 1, 1)))
    m.add(sp.Revolute("spin", m.ground.at(0), top.at(0), initial_rate=20.0))
    run = sp.simulate(m, 1.0)
    assert np.allclose(run.body("top").euler("zxy")[:, 0], 20.0 * run.t, atol=1e-6)
    # a frame with axes of its own
    frame = top.at(0.1, rotation=(np.pi / 2, 0, 0))
    assert np.allclose(run[frame].matrix, run["top"].matrix @ frame.rotation)
    turned = run[frame].euler("zxz")
    assert np.allclose(turned[:, 0], 20.0 * run.t, atol=1e-6)
    assert np.allclose(turned[:, 1:], (np.pi / 2, 0.0), atol=1e-6)


def test_frames_of_a_beam_follow_its_section(arm) -> None:
    beam = arm.bodies["two"]
    frame = beam.at(1.0, rotation=(0.3, 0.2, -0.5))
    view = arm.point(frame)
    elastic = Rotation.from_rotvec(arm.beam("two").at(1.0).rotation).as_matrix()
    expected = arm["two"].matrix @ elastic @ frame.rotation
    assert np.abs(elastic - np.eye(3)).max() > 1e-3
    for seen in (view, view.local):
        assert np.allclose(seen.matrix, expected, atol=1e-12)
    # the rate of the rotation vector of a small turn is the angular velocity
    dt = 1e-5
    fine = sp.simulate(arm.model, 0.2 + dt, output=[0.2 - dt, 0.2, 0.2 + dt], tolerance="tight")
    R = fine[frame].matrix
    step = Rotation.from_matrix(R[2] @ R[0].T).as_rotvec() / (2 * dt)
    assert np.allclose(step, fine[frame].angular_velocity[1], atol=1e-4 * np.linalg.norm(step))


# -------------------------------------------------------------------------------- centre of mass


def momentum_is_that_of_the_centre(run: sp.results.Result) -> None:
    com = run.centre_of_mass()
    p = run.data.history.momentum[:, 3:]
    assert np.allclose(com.mass * com.velocity, p, atol=1e-12 * (1.0 + np.abs(p).max()))


def test_the_centre_of_mass_moves_as_momentum_says(arm) -> None:
    momentum_is_that_of_the_centre(arm)
    com = arm["com"]
    assert np.isclose(com.mass, 2.0 + 0.5 + arm.bodies["two"].mass)
    dt = arm.t[1] - arm.t[0]
    for x, rate in ((com.position, com.velocity), (com.velocity, com.acceleration)):
        # central differences of order 4: the rest is the fifth derivative of elastic motion
        change = (8 * (x[3:-1] - x[1:-3]) - (x[4:] - x[:-4])) / (12 * dt)
        assert np.allclose(change, rate[2:-2], atol=2e-3 * np.abs(rate).max())
    weight = arm.joint("shoulder").force / com.mass + (0, -9.81, 0)
    assert np.allclose(com.acceleration, weight, atol=1e-6 * np.abs(weight).max())


def test_of_a_beam_with_displacements_of_second_order() -> None:
    m = sp.Model(gravity=(0, 0, -9.81))
    strip = sp.Rectangle(0.03, 0.003)
    options = {"modes": 3, "stiffening": "second_order"}
    beam = m.add(sp.Beam("beam", 1.0, strip, ALU, **options))
    m.add(sp.PointMass("tip", beam.at(1.0), 0.2))
    m.add(sp.Revolute("pin", m.ground.at(0), beam.at(0), axis="y", initial_rate=2.0))
    m.add(sp.JointSpring("coil", "pin", 20.0))
    run = sp.simulate(m, 0.2, output=400, tolerance="tight")
    momentum_is_that_of_the_centre(run)
    com = run["com"]
    force = run.joint("pin").force / com.mass + (0, 0, -9.81)
    assert np.allclose(com.acceleration, force, atol=1e-6 * np.abs(force).max())


@pytest.mark.parametrize("seed", range(4))
def test_of_random_trees_with_beams(seed) -> None:
    beams = (True, False, True)
    model = Recipe(("Spherical", "Revolute", "Free"), seed, beams=beams, can_lock=False).model()
    with np.errstate(all="ignore"):
        run = sp.simulate(model, 0.05, output=6)
    momentum_is_that_of_the_centre(run)


def test_a_body_has_its_own_centre_with_its_point_masses(arm) -> None:
    one = arm.centre_of_mass("one")
    body = arm.body("one")
    place = (2.0 * np.array([0.5, 0.1, 0]) + 0.4 * np.array([0.1, 0.2, 0.3])) / 2.4
    point = body.at(*place)
    assert np.isclose(one.mass, 2.4)
    for quantity in ("position", "velocity", "acceleration"):
        assert np.allclose(getattr(one, quantity), getattr(point, quantity), atol=1e-12)
    both = arm.centre_of_mass("one", arm.bodies["two"])
    assert np.array_equal(both.position, arm.centre_of_mass().position)
    assert repr(both).startswith("<centre of mass of the model, ")
    with pytest.raises(sp.SuppleError, match="no body 'tow', did you mean 'two'"):
        arm.centre_of_mass("tow")


def test_the_centre_of_a_falling_body_falls() -> None:
    m = sp.Model(gravity=(0, 0, -9.81))
    body = m.add(sp.RigidBody("body", 1.0, (0.3, 0, 0), 0.1))
    m.add(sp.Free("free", m.ground.at(0), body.at(0), initial_rate=(1, 2, 3, 0, 0, 0)))
    com = sp.simulate(m, 0.3)["com"]
    assert np.allclose(com.acceleration, (0, 0, -9.81), atol=1e-9)


def test_it_is_in_the_dataset_with_units(arm, tmp_path) -> None:
    saved = sp.files.load_result(arm.save(tmp_path / "run.nc"))
    units = {"position": "m", "velocity": "m/s", "acceleration": "m/s2"}
    for quantity, unit in units.items():
        variable = saved.dataset[f"com.{quantity}"]
        assert variable.attrs["units"] == unit
        assert np.allclose(variable.values, getattr(arm["com"], quantity))
    assert np.array_equal(arm.history("com.position"), arm["com"].position)
    with pytest.raises(sp.ModelError, match="another name than the reserved"):
        sp.Model().add(sp.RigidBody("com", 1.0))


# ------------------------------------------------------------------------------------ other words


def test_views_have_known_types(arm) -> None:
    assert isinstance(arm.joint("elbow"), JointView)
    assert isinstance(arm.body("one"), BodyView)
    assert isinstance(arm.flexible("two"), FlexibleView)
    assert isinstance(arm.beam(arm.bodies["two"]), BeamView)
    assert isinstance(arm.point("tip"), PointView)
    for get, name, sentence in (
        (arm.joint, "one", "'one' is a BodyView, expected a joint"),
        (arm.beam, "one", "'one' is a BodyView, expected a beam"),
        (arm.point, "one", "'one' is a BodyView, expected a point mass or frame"),
        (arm.force, "elbow", "'elbow' is a JointView, expected a force element"),
    ):
        with pytest.raises(sp.SuppleError) as caught:
            get(name)
        assert str(caught.value) == sentence
    with pytest.raises(sp.SuppleError, match="nothing named 'elbwo', did you mean 'elbow'"):
        arm.joint("elbwo")


def test_a_spectrum_of_a_window_is_that_of_the_part(arm) -> None:
    t = np.linspace(0.0, 4.0, 801)
    wave = np.where(t < 2.0, np.sin(2 * np.pi * 10 * t), 3 * np.sin(2 * np.pi * 25 * t))
    early = spectrum(t, wave, window=(0.0, 1.995))
    late = spectrum(t, wave, window=(2.0, 3.995))
    assert (early.peak, late.peak) == (10.0, 25.0)
    assert np.isclose(early.amplitudes.max(), 1.0)
    assert np.isclose(late.amplitudes.max(), 3.0)
    part = arm.t >= 0.2 - 1e-12
    found = arm.spectrum("elbow.angle", window=(0.2, 0.4))
    alone = spectrum(arm.t[part], arm["elbow"].angle[part])
    assert np.array_equal(found.amplitudes, alone.amplitudes)
    for window, sentence in (
        ((3, 1), "a spectrum: window is (3, 1), expected its first and its last time, e.g. (1, 3)"),
        (2.0, "a spectrum: window is 2.0, expected its first and its last time, e.g. (1, 3)"),
        ((5, 6), "a spectrum: window is (5, 6), expected times between 0 and 0.4 s"),
        ((0.1, 0.102), "a spectrum needs at least 4 times, the result has 3"),
    ):
        with pytest.raises(sp.SuppleError) as caught:
            arm.spectrum("elbow.angle", window=window)
        assert str(caught.value) == sentence


@pytest.mark.slow
def test_runs_are_drawn_over_each_other(arm, tmp_path) -> None:
    other = sp.simulate(arm.model, 0.2, output=11)
    saved = sp.files.load_result(other.save(tmp_path / "other.nc"))
    figure = arm.plot("elbow", "two@1.deflection", compare={"short": other, "saved": saved})
    first, second = figure.axes
    labels = [line.get_label() for line in first.lines]
    assert labels == ["angle", "short", "saved"]
    assert np.array_equal(first.lines[1].get_xdata(), other.t)
    assert np.array_equal(first.lines[1].get_ydata(), other["elbow"].angle)
    assert first.lines[1].get_color() == first.lines[0].get_color()
    assert first.lines[1].get_linestyle() != first.lines[0].get_linestyle()
    names = [line.get_label() for line in second.lines]
    assert names == [*"xyz", *(f"{c}, short" for c in "xyz"), *(f"{c}, saved" for c in "xyz")]
    assert [t.get_text() for t in first.get_legend().get_texts()] == labels
    assert len(arm.plot("elbow", compare=[other, other]).axes[0].lines) == 3
    assert len(saved.plot("elbow", compare=arm, path=tmp_path / "x.png").axes[0].lines) == 2
    assert (tmp_path / "x.png").exists()
    with pytest.raises(sp.SuppleError, match="plot: compare is 3, expected a result"):
        arm.plot("elbow", compare=3)


def test_meshes_have_short_texts() -> None:
    solid = sp.fem.block((1, 2, 3), (2, 2, 2), "hex8", ALU, name="brick")
    assert repr(solid) == "<SolidMesh 'brick': 27 nodes, 8 hex8, 1 x 2 x 3 m>"
    shell = plate(1.0, 0.5, 2, 1, thickness=0.01, material=ALU)
    assert repr(shell).startswith("<ShellMesh")
    assert "6 nodes, 4 triangles, 1 x 0.5 x 0 m>" in repr(shell)
    nodes = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
    frame = sp.FrameStructure("f", nodes, [sp.Member(a, a + 1, BOX, ALU) for a in (0, 1)], modes=1)
    count = len(frame.mesh().nodes)
    assert repr(frame.mesh()) == f"<FrameMesh: {count} nodes, 2 members, 1 x 1 x 0 m>"
    imported = sp.fem.ImportedComponent(solid.nodes, 3, solid.mass_matrix, solid.stiffness_matrix)
    assert repr(imported) == "<ImportedComponent: 27 nodes, 3 coordinates each, 1 x 2 x 3 m>"
