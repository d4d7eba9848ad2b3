"""Folders of sweeps: one process at a time, rows that are unique and sound, points built apart."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from supple.sweeps.store import Ownership
from supple.sweeps.workers import START

HERE = os.getpid()
BOTH = ["pin.angle @ end", "pin.angle"]
MASSES = np.linspace(1, 2, 12).tolist()
FORKED = pytest.mark.skipif(START != "fork", reason="functions of a test are not at the top level")


def pendulum(mass: float = 1.0) -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    rod = m.add(sp.RigidBody("rod", mass, (0.5, 0, 0), 0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="y", initial=0.3))
    return m


def study(folder: Path | None, **changes):
    given = {"parameters": {"rod.mass": [1.0, 2.0, 3.0]}, "outputs": BOTH}
    given |= {"t_end": 0.01, "times": 4, "workers": 1, "progress": False}
    return sp.sweep(pendulum(), folder=folder, **(given | changes))


@FORKED
def test_no_point_is_built_in_the_calling_process() -> None:
    def build(mass: float) -> sp.Model:
        assert os.getpid() != HERE
        if mass == 1.0:
            time.sleep(30.0)
        if mass == 2.0:
            os._exit(3)
        return pendulum(mass)

    begin = time.monotonic()
    found = sp.sweep(
        build, {"mass": [1.0, 2.0, 3.0]}, outputs="pin.angle @ end", t_end=0.01,
        workers=2, time_limit=1.5, progress=False,
    )  # fmt: skip
    assert time.monotonic() - begin < 15.0
    assert [record.state for record in found.records] == ["failed", "failed", "done"]
    assert "limit of 1.5 s" in found.records[0].reason and "code 3" in found.records[1].reason


@pytest.mark.parametrize("more", [{}, {"workers": 2}, {"time_limit": 5.0}])
def test_unknown_outputs_are_refused_before_any_run(more: dict, tmp_path: Path) -> None:
    with pytest.raises(sp.SuppleError, match="did you mean 'angle'"):
        study(tmp_path / "folder", outputs="pin.angel @ end", **more)
    assert not (tmp_path / "folder").exists()


def test_two_processes_in_one_folder(tmp_path: Path) -> None:
    """Each row is made once, and is once in the table and in the parts."""
    script = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_sweep_folders import *
found = study(Path({str(tmp_path)!r}), parameters={{"rod.mass": MASSES}}, t_end=1.0)
print(found.made, repr(found["pin.angle @ end"].sum()))
"""
    make = [sys.executable, "-W", "ignore", "-c", script]
    several = [subprocess.Popen(make, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [process.communicate(timeout=120)[0].split() for process in several]
    assert sorted(int(made) for made, _ in said) == [0, 0, 12]
    assert len({value for _, value in said}) == 1
    table = sqlite3.connect(tmp_path / "runs.sqlite")
    assert table.execute("select count(*), count(distinct key) from runs").fetchone() == (12, 12)
    table.close()
    pq = pytest.importorskip("pyarrow.parquet")
    assert sorted(pq.read_table(tmp_path / "runs.parquet")["rod.mass"].to_pylist()) == MASSES


def test_a_folder_that_is_taken_is_waited_for(tmp_path: Path) -> None:
    owner = Ownership(tmp_path)
    threading.Timer(0.5, owner.end).start()
    begin = time.monotonic()
    with pytest.warns(sp.SuppleWarning, match="another process works in the folder"):
        assert study(tmp_path).made == 3
    assert time.monotonic() - begin > 0.4


def test_a_sweep_that_is_refused_leaves_the_folder_free(tmp_path: Path) -> None:
    study(tmp_path)
    with pytest.raises(sp.ModelError, match="has a column") as refused:
        study(tmp_path, outputs={"pin.angle": "pin.angle @ end"})
    assert study(tmp_path).made == 0 and refused is not None


def test_damaged_rows_are_told_and_made_again(tmp_path: Path) -> None:
    good = study(tmp_path)["pin.angle @ end"]
    with sqlite3.connect(tmp_path / "runs.sqlite") as table:
        table.execute('update runs set "pin.angle @ end" = "pin.angle @ end" * (1 + 1e-9) '
                      'where "rod.mass" = 2.0')  # fmt: skip
    table.close()
    with pytest.warns(sp.SuppleWarning, match="1 rows .* are damaged"):
        again = study(tmp_path)
    assert again.made == 1
    np.testing.assert_array_equal(again["pin.angle @ end"], good)
    assert study(tmp_path).made == 0
    pq = pytest.importorskip("pyarrow.parquet")
    assert pq.read_table(tmp_path / "runs.parquet").num_rows == 3


def test_tables_of_earlier_versions(tmp_path: Path) -> None:
    study(tmp_path)
    with sqlite3.connect(tmp_path / "runs.sqlite") as table:
        table.execute("alter table runs drop column check_sum")
    table.close()
    with pytest.warns(sp.SuppleWarning, match="3 rows .* have no check sums"):
        assert study(tmp_path).made == 0


def test_parts_with_rows_twice_are_written_anew(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    study(tmp_path)
    parts = tmp_path / "runs.parquet"
    (part,) = parts.iterdir()
    (parts / "part-000000000002.parquet").write_bytes(part.read_bytes())
    assert pq.read_table(parts).num_rows == 6
    study(tmp_path)
    assert pq.read_table(parts).num_rows == 3
