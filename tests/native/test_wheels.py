"""Wheels: which library of a package is loaded, what package indexes and other systems ask for."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
import zipfile
from pathlib import Path

import cross_targets
import pytest

from supple.native import build, cache, library, systems

ROOT = Path(__file__).parents[2]
STUB = """
#include <stdint.h>
int32_t supple_entry_stub(int64_t *a, void **b, const int64_t *words, int64_t *result)
{
    *result = LEVEL;
    return 0;
}
"""
needs_compiler = pytest.mark.skipif(build.c_compiler() is None, reason="there is no C compiler")
needs_zig = pytest.mark.skipif(
    importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed"
)
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="manylinux is a tag of Linux")


@pytest.fixture
def packaged(tmp_path, monkeypatch):
    """Puts libraries with one entry into a package: file names, and the levels they ask for."""
    monkeypatch.setattr(library, "__file__", str(tmp_path / "library.py"))
    monkeypatch.setattr(library, "_tables", {})
    monkeypatch.setattr(systems, "baselines", lambda: systems.X86)
    monkeypatch.delenv("SUPPLE_CPU", raising=False)
    monkeypatch.delenv("SUPPLE_PREBUILT", raising=False)
    (tmp_path / "library.py").write_text("")
    (tmp_path / "stub.c").write_text(STUB)
    (tmp_path / "entries.h").write_text("ENTRY(stub, \"\", 'n')\n")
    compiler = build.c_compiler()
    launcher = build.build_launcher(tmp_path, compiler)
    launcher.rename(tmp_path / systems.launcher_name())

    def put(cpu: str, level: int) -> None:
        options = [f"-I{tmp_path}", f"-I{build.HERE}", f'-DSOURCES="{cache.sources()}"']
        sources = [build.HERE / "kernels.c", tmp_path / "stub.c"]
        made = tmp_path / systems.library_name(cpu)
        build._run_c(compiler, made, sources, [*options, f"-DLEVEL={level}"])

    return put


@needs_compiler
@pytest.mark.parametrize("takes_launcher", [True, False], ids=["launcher", "ctypes"])
def test_best_library_that_runs_here_is_loaded(packaged, monkeypatch, takes_launcher):
    """No processor has a level 9; Pythons without the global lock call by ctypes."""
    monkeypatch.setattr(systems, "takes_launcher", lambda: takes_launcher)
    assert library._packaged_library() is None
    packaged("x86-64-v3", 9)
    assert library._packaged_library() is None
    packaged("x86-64-v2", 1)
    path, table = library._packaged_library()
    assert path.name == systems.library_name("x86-64-v2")
    assert table["stub"]() == 1
    assert type(table["stub"]).__name__ == (
        "builtin_function_or_method" if takes_launcher else "function"
    )
    assert library._packaged([])["stub"]() == 1


@pytest.mark.parametrize("cpu", ["nonsense", "i386"])
def test_a_processor_that_is_not_known_is_refused(monkeypatch, cpu):
    """By one sentence with the name of the variable; the compiler would end its process."""
    monkeypatch.setenv("SUPPLE_CPU", cpu)
    with pytest.raises(build.BuildError, match=f"the variable SUPPLE_CPU is '{cpu}', expected"):
        build.processor()
    if platform.machine().lower() in systems.BASELINES:
        monkeypatch.setenv("SUPPLE_CPU", "haswell")
        assert build.processor() == "haswell"


@needs_compiler
def test_another_processor_or_none_can_be_asked_for(packaged, monkeypatch):
    packaged("x86-64-v3", 1)
    packaged("x86-64-v2", 0)
    assert library._packaged([])["stub"]() == 1
    monkeypatch.setenv("SUPPLE_CPU", "x86-64-v2")
    assert library._packaged([])["stub"]() == 0
    monkeypatch.setenv("SUPPLE_CPU", "native")
    assert library._packaged([]) == {}
    monkeypatch.delenv("SUPPLE_CPU")
    monkeypatch.setenv("SUPPLE_PREBUILT", "0")
    assert library._packaged([]) == {}


@needs_compiler
@pytest.mark.skipif(not Path("/proc/cpuinfo").exists(), reason="there is no /proc/cpuinfo")
def test_level_of_the_processor_is_that_of_the_system(packaged):
    flags = set(Path("/proc/cpuinfo").read_text().split())
    if "sse4_2" not in flags:
        pytest.skip("this is no processor of x86")
    packaged("x86-64-v3", 3)
    known = {"avx2", "fma", "bmi1", "bmi2", "f16c", "movbe", "abm"} <= flags
    assert (library._packaged_library() is not None) == known


def test_names_of_files_by_system():
    each = (systems.LINUX, systems.DARWIN, systems.WINDOWS)
    names = [(systems.library_name("x", s), systems.launcher_name(s)) for s in each]
    assert names == [
        ("libsupple-x.so", "_launcher.abi3.so"),
        ("libsupple-x.dylib", "_launcher.abi3.so"),
        ("libsupple-x.dll", "_launcher.pyd"),
    ]
    for system in (systems.LINUX, systems.DARWIN):
        assert system.options("libsupple-x")[1] == ["-lm"]
    assert systems.WINDOWS.options("_launcher.pyd")[1] == ["-lpython3"]


@pytest.mark.parametrize(
    "system, glibc, tag",
    [
        (systems.LINUX, "2.17", "manylinux_2_17_arm64"),
        (systems.DARWIN, "", "macosx_11_0_arm64"),
    ],
)
def test_platform_in_the_name_of_a_wheel(monkeypatch, system, glibc, tag):
    monkeypatch.setattr(systems, "THIS", system)
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    monkeypatch.delenv("MACOSX_DEPLOYMENT_TARGET", raising=False)
    assert systems.platform_tag(glibc) == tag


@pytest.mark.parametrize(
    "version, lock, sentence",
    [
        ((3, 13, 5), False, "the free-threaded Python 3.13, .* the free-threaded 3.14 with pip"),
        ((3, 14, 0), False, "for this platform, and without numba none .*: pip install numba"),
        ((3, 13, 5), True, "for this platform, and without numba none .*: pip install numba"),
    ],
)
def test_a_python_without_numba_is_told_why(monkeypatch, version, lock, sentence):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", missing)
    monkeypatch.setattr("sys.version_info", version)
    monkeypatch.setattr(systems, "free_threaded", lambda: not lock)
    with pytest.raises(build.BuildError, match=sentence):
        build._compiler_version()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel as `make wheel` builds it."""
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed")
    folder = tmp_path_factory.mktemp("dist")
    env = {**os.environ, "SUPPLE_GLIBC": systems.GLIBC}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, env=env, check=True)
    return next(folder.glob("*.whl"))


@pytest.mark.slow
@needs_zig
@on_linux
def test_wheel_is_what_its_name_says(wheel):
    """Versions of symbols of the C library, by auditwheel; those of Python's, by abi3audit."""
    assert f"-cp311-abi3-manylinux_{systems.GLIBC.replace('.', '_')}_" in wheel.name
    with zipfile.ZipFile(wheel) as file:
        names = {Path(name).name for name in file.namelist() if ".so" in name}
    libraries = map(systems.library_name, systems.baselines())
    assert names == {systems.launcher_name(), *libraries}
    for tool in ("auditwheel", "abi3audit"):
        if importlib.util.find_spec(tool) is None:
            pytest.skip(f"{tool} is not installed")
    command = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    tag = wheel.stem.rpartition("-")[2]
    assert f'with the following platform tag: "{tag}"' in " ".join(shown.split())
    command = [sys.executable, "-m", "abi3audit", "--strict", "--report", str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    for found in json.loads(done.stdout)["specs"].values():
        for row in found["wheel"]:
            assert row["result"]["is_abi3_baseline_compatible"], row


RUN = """
import sys
sys.modules["numba"] = sys.modules["llvmlite"] = None  # as if they were not installed
import supple as sp
from supple.native import library, systems
if sys.argv[1] == "ctypes":  # as Pythons without the global lock do
    systems.takes_launcher = lambda: False
model = sp.Model(gravity=(0, 0, -9.81))
rod = model.add(sp.RigidBody("rod", 1.0, (0.5, 0, 0), (0.01, 0.1, 0.1)))
model.add(sp.Revolute("pin", model.ground.at(0), rod.at(0), "y"))
angle = float(sp.simulate(model, 1.0)["pin"].angle[-1])
print(library._packaged_library()[0].name, angle)
"""


@pytest.mark.slow
@needs_zig
@on_linux
@pytest.mark.parametrize("way", ["launcher", "ctypes"])
def test_wheel_runs_without_compilers(wheel, tmp_path, way):
    """Neither Numba nor a C compiler, nothing kept: both libraries give the same motion."""
    with zipfile.ZipFile(wheel) as file:
        file.extractall(tmp_path / "site")
    angles = []
    for cpu in systems.baselines():
        kept = tmp_path / "kept"
        env = {"PYTHONPATH": str(tmp_path / "site"), "PATH": "", "SUPPLE_CPU": cpu}
        env |= {cache.VARIABLE: str(kept), "HOME": str(tmp_path)}
        command = [sys.executable, "-c", RUN, way]
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        name, angle = done.stdout.split()
        assert name == systems.library_name(cpu) and not kept.exists()
        angles.append(float(angle))
    assert max(angles) - min(angles) < 1e-6 * abs(angles[0])  # tolerance of the run


@pytest.mark.slow
@needs_zig
def test_kernels_are_linked_for_other_systems(tmp_path):
    """Nothing is unresolved: a few entries, with all that they call, on each target."""
    if importlib.util.find_spec("abi3info") is None:
        pytest.skip("abi3audit, which lists the limited API of Python, is not installed")
    script = [sys.executable, cross_targets.__file__, str(tmp_path), "accelerate"]
    done = subprocess.run(script, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = {row.pop("target"): row for row in map(json.loads, done.stdout.splitlines())}
    assert rows.keys() == cross_targets.TARGETS.keys()
    for place, row in rows.items():
        system = cross_targets.TARGETS[place].system
        assert len(row) == 2 and systems.launcher_name(system) in row
        assert all(isinstance(size, int) for size in row.values()), (place, row)
