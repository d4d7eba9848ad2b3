"""Files are written whole or not at all, and damaged ones are told.

A full disk is stood in for by a limit of the size of files in a process of its own: the system
refuses to write more, as a full disk does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from supple.foundation.atomic_files import write_whole

resource = pytest.importorskip("resource")


def pendulum() -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    link = m.add(sp.RigidBody("link", 1.0, (0.1, 0, 0), (1, 1, 1)))
    m.add(sp.Revolute("pin", m.ground.at(0), link.at(0), "y", 0.3))
    return m


@pytest.fixture(scope="module")
def result() -> sp.results.Result:
    return sp.simulate(pendulum(), 0.1, output=50)


FULL_DISK = """
import resource, signal, sys
import supple as sp
from test_atomic_files import pendulum

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then the write fails, as on a full disk
r = sp.simulate(pendulum(), 0.2, output=3000)
figure = r.plot("pin")
path, kind, kept = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(kept), int(kept)))
try:
    r.save(path) if kind == "save" else r.plot("pin", path=path)
except OSError as error:
    assert isinstance(error, sp.SuppleError)
    assert error.errno is not None
    print(error)
"""


@pytest.mark.parametrize(("kind", "name"), [("save", "r.nc"), ("plot", "r.png")])
def test_a_full_disk_harms_no_earlier_file(result, tmp_path, kind, name) -> None:
    path = tmp_path / name
    if kind == "save":
        result.save(path)
    else:
        result.plot("pin", path=path)
    before = path.read_bytes()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path), kind, "16384"],
        capture_output=True,
        text=True,
        env=env,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"the file {str(path)!r} cannot be written: ")
    assert done.stdout.strip().endswith("the earlier file is untouched")
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [name]  # nothing is left beside it


def test_an_interrupted_write_harms_no_earlier_file(tmp_path, monkeypatch) -> None:
    path = write_whole(tmp_path / "x", b"old")

    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["x"]


def test_places_where_nothing_can_be_written(result, tmp_path) -> None:
    with pytest.raises(sp.FileError, match=r"none.r\.nc' cannot be written: there is no folder"):
        result.save(tmp_path / "none" / "r.nc")
    with pytest.raises(sp.FileError, match="cannot be written: it is a folder, expected a file's"):
        result.save(tmp_path)
    with pytest.raises(sp.FileError, match=r"r\.tex' cannot be written: its ending is none of"):
        result.plot("pin", path=tmp_path / "r.tex")
    with pytest.raises(sp.FileError, match="is a folder, expected a NetCDF-4 file"):
        sp.files.load_result(tmp_path)
    if os.geteuid() != 0:  # to the superuser every folder is open
        tmp_path.chmod(0o500)
        with pytest.raises(sp.FileError, match="cannot be written: Permission denied"):
            result.save(tmp_path / "r.nc")
        tmp_path.chmod(0o700)


def test_a_new_file_has_the_usual_rights_and_a_link_stays_one(tmp_path) -> None:
    plain, link = tmp_path / "plain", tmp_path / "link"
    plain.write_bytes(b"")
    path = write_whole(tmp_path / "new", b"1")
    assert path.stat().st_mode == plain.stat().st_mode
    plain.chmod(0o640)
    link.symlink_to(plain)
    write_whole(link, b"2")
    assert link.is_symlink() and plain.read_bytes() == b"2"
    assert plain.stat().st_mode & 0o777 == 0o640


def test_a_picture_without_an_ending_is_png(result, tmp_path) -> None:
    result.plot("pin", path=tmp_path / "picture")
    assert (tmp_path / "picture.png").read_bytes()[1:4] == b"PNG"


def test_damaged_files_are_told(result, tmp_path) -> None:
    whole = result.save(tmp_path / "r.nc").read_bytes()
    path = tmp_path / "damaged.nc"
    for part in (0, 10, 1000, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:part])
        with pytest.raises(sp.FileError, match=r"damaged\.nc.* expected a NetCDF-4"):
            sp.files.load_result(path)
    assert b'"steps"' in whole
    path.write_bytes(whole.replace(b'"steps"', b'steps""'))  # statistics that are no JSON
    with pytest.raises(sp.FileError, match=r"damaged\.nc: it is damaged, .*, expected"):
        sp.files.load_result(path)
    path.write_bytes(whole)
    assert np.array_equal(sp.files.load_result(path)["pin.angle"], result["pin"].angle)
