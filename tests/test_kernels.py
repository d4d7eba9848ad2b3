"""How kernels are compiled and cached."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import supple
from supple.core import dynamics, layout, step
from supple.native import declare as jit

PACKAGE = Path(supple.__file__).parent

# Moves a ball joint: the kernel `move` calls `tree.retract`, which calls `so3.quaternion_step`.
SCRIPT = """
import numpy as np, supple as sp
from supple.formulations.trees import JointCoordinates
m = sp.Model()
b = m.add(sp.RigidBody("b", mass=1, inertia=1))
m.add(sp.Spherical("s", m.ground.at(0), b.at(0)))
eq = JointCoordinates().equations(m)
print(*eq.retract(eq.q0, np.array([0.4, 0.0, 0.0])))
"""


def _run(package_parent: Path, cache: Path, code: str) -> tuple[str, str]:
    env = dict(os.environ, PYTHONPATH=str(package_parent), SUPPLE_CACHE_DIR=str(cache))
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    return done.stdout, done.stderr


def test_editing_any_kernel_file_invalidates_every_dependent_cache(tmp_path):
    """The edited function is two files away from the kernel that is called."""
    copy = tmp_path / "supple"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "_kernels*"))
    # compile `move` alone: without accelerations the script needs nothing else
    joint = copy / "formulations" / "equations.py"
    text = joint.read_text()
    joint.write_text(text.replace("self._accelerate = dynamics.accelerate.ready()", ""))
    cache = tmp_path / "cache"
    first, message = _run(tmp_path, cache, SCRIPT)
    np.testing.assert_allclose(
        np.array(first.split(), float), [np.cos(0.2), np.sin(0.2), 0.0, 0.0], atol=1e-15
    )
    assert "compiling kernels" in message
    again, message = _run(tmp_path, cache, SCRIPT)
    assert again == first
    assert message == ""  # from the cache
    so3 = copy / "core" / "so3.py"
    so3.write_text(so3.read_text().replace("f = 0.5 * c\n", "f = 0.25 * c\n"))
    edited, message = _run(tmp_path, cache, SCRIPT)
    assert "compiling kernels" in message
    assert edited != first


def test_importing_compiles_nothing():
    code = (
        "import supple\n"
        "from supple.native import declare as jit\n"
        "entries = jit.all_entries()\n"
        "assert entries and all(e._ready is None for e in entries.values())\n"
        "assert all(e._dispatcher is None for e in entries.values())\n"
        "import sys; assert 'numba' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_another_array_type_raises_instead_of_compiling():
    move = dynamics.move.ready()
    work = np.zeros((10, 2))[:, 0]  # not contiguous
    with pytest.raises(TypeError):
        move(np.zeros(8, np.int64), np.zeros(3), work, work, work, work)
    if dynamics.move._dispatcher is not None:  # not compiled when the package was built
        assert len(dynamics.move._dispatcher.signatures) == 1


def test_every_entry_is_in_the_warm_up():
    names = set(jit.all_entries())
    assert {"radau_run", "dop853_run", "history", "tangent", "accelerate"} <= names


def test_declared_types_are_those_of_the_views():
    """Shared kernels have one signature: that of the views as they are cut."""
    from supple.native.compiler import numba_type

    def returned(kernel, *kinds):
        given = tuple(numba_type(k) for k in kinds)
        kernel.real.compile(given)
        return kernel.real.overloads[given].signature.return_type.types

    tree, work = returned(layout.views, jit.INTS, jit.REALS, jit.VEC)
    assert (tree, work) == (numba_type(layout.TREE).content, numba_type(layout.WORK).content)
    run, _ = returned(step.run_views, layout.TREE, jit.VEC, jit.IVEC)
    assert run == numba_type(step.RUN).content


def test_an_unusable_cache_folder_does_not_stop_the_program(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    code = "from supple.native import compiler; print(compiler.CACHE_FOLDER)"
    out, _ = _run(PACKAGE.parent, blocked, code)
    assert str(blocked) not in out
