"""Files that Supple writes for itself: one bit that is another is told, or changes nothing."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import supple as sp
from supple.analyses.run import checkpointing
from supple.integrators.run import driver


def model() -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    beam = sp.Beam("beam", 1.0, sp.Rectangle(0.02, 0.01), sp.Material(2e11, 8e10, 7850.0), 2, 2)
    m.add(beam)
    m.add(sp.Revolute("pin", m.ground.at(0), beam.at(0), axis="y", initial=0.3))
    return m


def run(**options: Any) -> sp.results.Result:
    return sp.simulate(model(), 0.02, output=40, **options)


def seen(result: Any) -> list[Any]:
    """Everything that a result tells, but seconds of the clock."""
    found = [result.verdict, result.success, result.message, result.t.tobytes()]
    return found + [(k, v.values.tobytes()) for k, v in result.dataset.data_vars.items()]


def of_component(component: Any) -> list[Any]:
    matrices = component.mass_matrix, component.stiffness_matrix
    return [component.nodes.tobytes(), *(x.toarray().tobytes() for x in matrices)]


def search(path: Path) -> Any:
    found = sp.optimize(
        model(), {"pin.initial_rate": (0.0, 1.0)}, minimize="pin.angle @ end", t_end=0.01,
        file=path, most=2,
    )  # fmt: skip
    return [found.values, found.objective]


CUBE = sp.fem.block((1.0, 1.0, 1.0), (1, 1, 1), "hex8", sp.Material(2e11, 8e10, 7850.0))
# How a file is written, and everything that is read from it.
FILES: dict[str, tuple[Callable[[Path], Any], Callable[[Path], Any]]] = {
    "run.nc": (lambda path: run().save(path), lambda path: seen(sp.files.load_result(path))),
    "run.h5": (lambda path: run(output_to=path), lambda path: seen(sp.files.open_run(path))),
    "run.checkpoint": (lambda path: run(checkpoint=path), lambda path: seen(sp.resume(path))),
    "cube.npz": (
        lambda path: sp.fem.save_component(path, CUBE),
        lambda path: of_component(sp.fem.load_component(path)),
    ),
    "search.json": (search, search),
}


def damaged(name: str, count: int, folder: Path) -> None:
    write, read = FILES[name]
    good, path = folder / f"good {name}", folder / name
    write(good)
    shutil.copy(good, path)
    known, content = read(path), np.frombuffer(good.read_bytes(), np.uint8)
    rng, told = np.random.default_rng(11), 0
    for place in rng.integers(0, len(content), count):
        changed = content.copy()
        changed[place] ^= 1 << rng.integers(0, 8)
        path.write_bytes(changed.tobytes())
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", sp.SuppleWarning)
                found = read(path)
        except (sp.SuppleError, sp.SuppleWarning):
            told += 1
        except UnicodeDecodeError:
            raise AssertionError("no sentence") from None
        else:
            assert found == known, f"byte {place} of {name}"
    assert told > 0.2 * count


@pytest.mark.parametrize("name", FILES)
def test_one_bit_is_told_or_changes_nothing(name: str, tmp_path: Path) -> None:
    damaged(name, 20, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_any_bit_is_told_or_changes_nothing(name: str, tmp_path: Path) -> None:
    damaged(name, 1000, tmp_path)


def test_states_that_were_changed_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    run(output_to=path)
    good = path.read_bytes()
    with h5py.File(path, "r+") as file:
        file["states"][20, 0] += 0.03
    with pytest.raises(sp.ModelError, match=r"run.h5: it is damaged, .* check sum"):
        sp.files.open_run(path)
    path.write_bytes(good)
    with h5py.File(path, "r+") as file:
        file["time"][20] += 1e-6
    with pytest.raises(sp.ModelError, match=r"run.h5: it is damaged, .* check sum"):
        sp.files.open_run(path)
    with h5py.File(path, "r+") as file:
        file["states"][:] = np.nan
    with pytest.raises(sp.ModelError, match="its states are not finite"):
        sp.files.open_run(path)
    path.write_bytes(good)
    with h5py.File(path, "r+") as file:
        del file.attrs["sums"]
    with pytest.warns(sp.SuppleWarning, match="it has no check sum"):
        sp.files.open_run(path)
    with h5py.File(path, "r+") as file:
        file["states"][3, 1] = np.inf
    with pytest.raises(sp.ModelError, match="its states are not finite"):
        sp.files.open_run(path)


def test_a_run_goes_on_from_sound_states_only(tmp_path: Path, monkeypatch) -> None:
    """A checkpoint knows the sum of the states that were written before it."""
    copies: list[dict[str, bytes]] = []
    write, folder = checkpointing.write_whole, tmp_path / "first"
    folder.mkdir()

    def noted(path: Path, content: bytes) -> Path:
        copies.append({file.name: file.read_bytes() for file in folder.iterdir()})
        copies[-1][path.name] = bytes(content)
        return write(path, content)

    monkeypatch.setattr(checkpointing, "write_whole", noted)
    monkeypatch.setattr(driver, "PAUSE", 0.0)
    whole = seen(run(checkpoint=folder / "run", interval=0.004, output_to=folder / "run.h5"))
    assert len(copies) >= 4

    def restored(k: int, name: str) -> Path:
        (tmp_path / name).mkdir()
        for file, content in copies[k].items():
            (tmp_path / name / file).write_bytes(content)
        return tmp_path / name

    for k in (2, len(copies) - 1):  # under way, and over
        damaged = restored(k, f"damaged {k}")
        with h5py.File(damaged / "run.h5", "r+") as file:
            file["states"][2, 0] += 1e-12
        with pytest.raises(sp.ModelError, match=r"(it|the file of the states) is damaged"):
            sp.resume(damaged / "run")
        sound = restored(k, f"sound {k}")
        assert seen(sp.resume(sound / "run")) == whole
        assert seen(sp.files.open_run(sound / "run.h5")) == whole


def test_saved_results_of_earlier_versions(tmp_path: Path) -> None:
    path = tmp_path / "run.nc"
    run().save(path)
    with h5py.File(path, "r+") as file:
        del file.attrs["check_sum"]
    with pytest.warns(sp.SuppleWarning, match=r"run.nc: it has no check sum"):
        assert sp.files.load_result(path).success
    with h5py.File(path, "r+") as file:
        file.attrs["check_sum"] = 7
    with pytest.raises(sp.FileError, match=r"run.nc: it is damaged"):
        sp.files.load_result(path)


def test_searches_of_earlier_versions(tmp_path: Path) -> None:
    path = tmp_path / "search.json"
    first = search(path)
    content = json.loads(path.read_text())
    content["evaluations"][0]["values"]["pin.initial_rate"] += 1e-9
    path.write_text(json.dumps(content))
    with pytest.raises(sp.SuppleError, match=r"search.json: it is damaged"):
        search(path)
    search_again = tmp_path / "other.json"
    search(search_again)
    content = json.loads(search_again.read_text())
    del content["check_sum"]
    search_again.write_text(json.dumps(content))
    with pytest.warns(sp.SuppleWarning, match="it has no check sum"):
        assert search(search_again) == first


def test_two_runs_in_one_file(tmp_path: Path, monkeypatch) -> None:
    """The run whose file was overwritten keeps its own states, and leaves the others alone."""
    monkeypatch.setattr(driver, "PAUSE", 0.0)
    path, whole = tmp_path / "run.h5", run()

    def overwrite(t: float) -> None:
        if not (tmp_path / "done").exists():
            (tmp_path / "done").touch()
            path.unlink()
            m = model()
            m.replace("pin", initial=1.0)
            sp.simulate(m, 0.02, output=40, output_to=path)

    with pytest.warns(sp.SuppleWarning, match="was overwritten by another run"):
        first = run(output_to=path, progress=overwrite)
    np.testing.assert_array_equal(first["pin"].angle, whole["pin"].angle)
    assert sp.files.open_run(path)["pin"].angle[0] == 1.0
