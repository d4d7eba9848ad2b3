"""Tyres in results: events, datasets, files, pictures, model files, shares of energy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import supple as sp
from models.touching_bodies import bouncing_wheel
from models.tyre_models import LAWS, over_road, rolling
from supple.visualization.drawing import draw


@pytest.fixture(scope="module")
def run() -> sp.results.Result:
    return sp.simulate(bouncing_wheel(LAWS["magic"]), 0.3)


def test_an_event_on_the_gap_is_the_touch(run: sp.results.Result) -> None:
    m = bouncing_wheel(LAWS["magic"])
    for of, option in (("tyre", {}), (m["tyre"], {})):
        event = sp.Event("down", of, "gap", direction=-1, **option)
        r = sp.simulate(m, 0.3, events=event)
        assert r.t[-1] == pytest.approx(run["tyre"].touches[0, 0], abs=1e-12)


def test_the_dataset_and_files_have_what_is_told(run: sp.results.Result, tmp_path: Path) -> None:
    view, data = run["tyre"], run.dataset
    for name in ("normal_force", "longitudinal_force", "lateral_force", "aligning_moment", "slip"):
        assert np.array_equal(data[f"tyre.{name}"].values, getattr(view, name))
    assert data["tyre.slip_angle"].attrs["units"] == "rad"
    assert data["tyre.slip"].attrs["units"] == "1"


def test_losses_are_those_of_the_audit() -> None:
    view = sp.simulate(bouncing_wheel(LAWS["brush"]), 0.3)["tyre"]
    total = view.lost_by_push + view.lost_by_slip
    assert np.array_equal(view.dissipated, total)
    assert view.lost_by_push[-1] > 0.0 and view.lost_by_slip[-1] > 0.0
    assert np.array_equal(view.lost_by_friction, view.lost_by_slip)


def test_forces_are_those_in_the_world(run: sp.results.Result) -> None:
    view = run["tyre"]
    left = np.cross(view.normals[:, 0], view.heading)
    force = view.normal_force[:, None] * view.normals[:, 0]
    force = force + view.longitudinal_force[:, None] * view.heading
    force = force + view.lateral_force[:, None] * left
    assert np.allclose(view.force, force, atol=1e-9 * np.abs(force).max())
    assert np.allclose(view.torque, view.aligning_moment[:, None] * view.normals[:, 0])
    body = run["wheel"]
    down = np.array([0.0, 0.0, -9.81])  # of 1 kg
    assert np.allclose(body.acceleration, force + down, atol=1e-6 * np.abs(force).max())


def test_pictures_show_wheel_road_and_force() -> None:
    things = draw(sp.simulate(rolling(LAWS["linear"], 3.0), 0.3), 20).things
    assert {"tyre", "wheel", "ground"} <= {one.name for one in things}
    assert [one for one in things if one.name == "tyre" and one.kind == "forces"]


@pytest.mark.parametrize("law", LAWS)
def test_model_files_hold_tyres(law: str, tmp_path: Path) -> None:
    m = over_road(LAWS[law])
    path = sp.files.write_model(m, tmp_path / "tyre.yaml")
    read = sp.files.read_model(path)
    assert repr(read["tyre"]) == repr(m["tyre"])
    first, second = (sp.simulate(one, 0.05)["wheel"].position for one in (m, read))
    assert np.array_equal(first, second)


def test_a_standing_tyre_is_a_spring_in_modes() -> None:
    """Frequencies of a mass on the stiffness of the push, and on C/sigma along the road."""
    m = rolling(sp.LinearTyre(5e4, settling=0.0), 0.0, spins=False, damping=0.0)
    found = sp.linearize(m, "initial")
    rates = np.sort(np.abs(found.eigenvalues.imag))
    for stiffness in (2e5, 5e4 / 0.3):
        wanted = np.sqrt(stiffness / 20.0)
        assert np.abs(rates - wanted).min() < 1e-6 * wanted
