"""Machine code is loaded only from files and folders that no other user can write."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import supple as sp
from supple.native import build, cache, library, systems, trust

pytestmark = pytest.mark.skipif(
    not trust.KNOWN, reason="files have no owners and modes: Windows keeps lists of permissions"
)

NOBODY = 65534
as_root = pytest.mark.skipif(
    not trust.KNOWN or os.geteuid() != 0, reason="only root can give files to another user"
)


@pytest.fixture
def kept(tmp_path) -> Path:
    """A file in a folder of this user."""
    path = tmp_path / "kept" / "kernels.so"
    path.parent.mkdir(mode=0o700)
    path.write_bytes(b"code")
    path.chmod(0o600)
    return path


@pytest.fixture
def fresh(monkeypatch):
    """The choice of the folder is made anew, before and afterwards."""

    def choose(folder: Path) -> Path:
        monkeypatch.setenv(cache.VARIABLE, str(folder))
        cache.folder.cache_clear()
        return cache.folder()

    yield choose
    cache.folder.cache_clear()


def test_own_files_are_beyond_doubt(kept):
    assert trust.doubt(kept) == trust.doubt_of_file(kept) == trust.doubt(kept.parent) == ""


def test_what_others_can_write_is_in_doubt(kept):
    kept.chmod(0o606)
    assert trust.doubt_of_file(kept) == f"{kept} can be written by all users"
    kept.chmod(0o600)
    kept.parent.chmod(0o777)
    assert trust.doubt(kept) == f"{kept.parent} can be written by all users"


def test_a_folder_above_may_be_open_if_only_owners_can_rename(kept):
    above = kept.parent.parent
    above.chmod(0o1777)
    assert trust.doubt(kept) == ""
    above.chmod(0o777)
    assert trust.doubt(kept) == f"{above} can be written by all users"
    above.chmod(0o700)
    kept.parent.chmod(0o1777)  # of the folder itself that is not enough: others can add files
    assert "all users" in trust.doubt(kept.parent)


@as_root
def test_what_belongs_to_others_is_in_doubt(kept, monkeypatch):
    os.chown(kept, NOBODY, 0)
    assert trust.doubt_of_file(kept).startswith(f"{kept} belongs to the user")
    monkeypatch.setenv(trust.VARIABLE, f"someone, {NOBODY}")
    assert trust.doubt_of_file(kept) == ""
    monkeypatch.delenv(trust.VARIABLE)
    os.chown(kept, 0, 0)
    os.chown(kept.parent, NOBODY, 0)
    assert trust.doubt(kept).startswith(f"{kept.parent} belongs to the user")


@as_root
def test_a_group_may_write_only_if_it_is_the_users_own(kept, monkeypatch):
    os.chown(kept, 0, NOBODY)
    kept.chmod(0o660)
    assert "can be written by the group" in trust.doubt_of_file(kept)
    monkeypatch.setenv(trust.VARIABLE, str(NOBODY))
    assert trust.doubt_of_file(kept) == ""
    monkeypatch.delenv(trust.VARIABLE)
    os.chown(kept, 0, 0)
    assert trust.doubt_of_file(kept) == ""


def test_links_are_no_plain_files(kept):
    link = kept.with_name("link.so")
    link.symlink_to(kept)
    assert trust.doubt_of_file(link) == f"{link} is no plain file"


def test_a_packaged_library_may_be_as_open_as_its_package(kept):
    source = kept.with_name("source.py")
    source.write_text("")
    source.chmod(0o644)
    kept.chmod(0o646)
    assert "all users" in trust.doubt_beside(kept, source)
    source.chmod(0o646)
    assert trust.doubt_beside(kept, source) == ""


def test_the_folder_is_for_its_user_alone_whatever_the_umask(fresh, tmp_path):
    before = os.umask(0)
    try:
        made = fresh(tmp_path / "above" / "kernels")
    finally:
        os.umask(before)
    assert made == tmp_path / "above" / "kernels"
    assert made.stat().st_mode & 0o777 == made.parent.stat().st_mode & 0o777 == 0o700


def test_an_open_folder_is_not_used(fresh, tmp_path, capsys):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    made = fresh(shared)
    said = capsys.readouterr().err
    assert made != shared and made.stat().st_mode & 0o777 == 0o700
    assert f"not kept in {shared}: {shared} can be written by all users" in said and "chmod" in said
    assert "\n" not in said.strip()


def test_a_folder_of_others_within_is_removed(tmp_path, capsys):
    mine, elsewhere = tmp_path / "objects", tmp_path / "elsewhere"
    mine.mkdir()
    (mine / "planted.o").write_bytes(b"code")
    mine.chmod(0o777)
    assert cache.folder_within(mine) == mine and not list(mine.iterdir())
    assert f"{mine} can be written by all users: it is removed" in capsys.readouterr().err
    elsewhere.mkdir()
    (elsewhere / "kept").write_bytes(b"")
    mine.rmdir()
    mine.symlink_to(elsewhere)
    assert not cache.folder_within(mine).is_symlink() and mine.is_dir()
    assert (elsewhere / "kept").exists()  # what a link leads to is left alone
    assert {path.name for path in tmp_path.iterdir()} == {"objects", "elsewhere"}


def test_a_kept_file_in_doubt_is_made_anew(fresh, tmp_path, capsys):
    """Of a library, a launcher and an object file."""
    folder = fresh(tmp_path / "kernels")
    compiler = build.c_compiler()
    if compiler is None:
        pytest.skip("there is no C compiler")
    made = build.build_launcher(folder, compiler)
    content = made.read_bytes()
    made.write_bytes(b"planted")
    made.chmod(0o666)
    assert build.build_launcher(folder, compiler).read_bytes() == content
    assert f"{made} can be written by all users: it is not loaded" in capsys.readouterr().err
    assert made.stat().st_mode & 0o022 == 0
    name = library._library_name(build.processor())
    (folder / name).write_bytes(b"planted")
    (folder / name).chmod(0o666)
    assert library._kept([]) == {}


PLANTED = """
#include <stdio.h>
__attribute__((constructor)) static void run(void) { puts("planted code ran"); fflush(stdout); }
const char supple_sources[] = "x";
"""


@as_root
@pytest.mark.skipif(build.c_compiler() is None, reason="there is no C compiler")
def test_planted_code_does_not_run(tmp_path):
    """A library of the wanted name that another user put into the folder, before it was closed."""
    folder = tmp_path / "kernels"
    folder.mkdir(mode=0o700)
    (tmp_path / "planted.c").write_text(PLANTED)
    for cpu in systems.processors():
        path = folder / library._library_name(cpu)
        build._run_c(str(build.c_compiler()), path, [tmp_path / "planted.c"], [])
        os.chown(path, NOBODY, NOBODY)
    env = {**os.environ, cache.VARIABLE: str(folder), "SUPPLE_PREBUILT": "0"}
    code = "from supple.native import library; print(library._kept([]))"
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.stdout == "{}\n" and "belongs to the user" in done.stderr
    os.chown(path, 0, 0)  # the same file as one's own is loaded
    code = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True)
    assert done.stdout == "planted code ran\n"


def test_an_fmu_that_others_can_write_is_refused(tmp_path):
    path = tmp_path / "pump.fmu"
    path.write_bytes(b"PK")
    path.chmod(0o666)
    with pytest.raises(sp.FileError, match=r"pump.fmu can be written by all users, .* copy it"):
        sp.FMUController(path, ["e"], "u", 0.01)
    path.chmod(0o600)
    with pytest.raises(sp.FileError, match="cannot be unpacked"):
        sp.FMUController(path, ["e"], "u", 0.01)
