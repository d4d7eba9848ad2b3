"""Kernels that come with a wheel; skipped in a source tree without them."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from supple.native import declare as jit

kernels = pytest.importorskip("supple.native._kernels")
pytestmark = pytest.mark.skipif(
    kernels.SOURCES != jit.SOURCES_HASH, reason="made from other sources"
)

ACCELERATE = """
import sys, numpy as np, supple as sp
m = sp.Model(gravity=(0, -9.81, 0))
b = m.add(sp.RigidBody("b", mass=1, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)))
m.add(sp.Revolute("j", m.ground.at(0), b.at(0), initial=0.3))
e = sp.JointCoordinates().equations(m)
print(repr(float(e.accelerate(0.0, e.q0, e.u0)[0])), "numba" in sys.modules)
"""


def test_all_entries_are_there():
    wanted = {n for n, e in jit.all_entries().items() if not isinstance(e, jit.Shared)}
    assert set(kernels.entries()) == wanted


@pytest.mark.parametrize(
    "which, value",
    [
        (2, np.zeros((10, 2))[:, 0]), (3, np.zeros(4, np.float32)), (3, np.zeros((2, 2))),
        (0, np.zeros(8)), (5, 3.0), (4, np.frombuffer(bytes(32))),
    ],
    ids=["stride", "single", "dimensions", "real for whole", "number", "read-only"],
)
def test_other_arguments_are_refused(which, value):
    move = kernels.entries()["move"]
    given = [np.zeros(64, np.int64), *(np.zeros(n) for n in (64, 64, 4, 4, 4))]
    given[which] = value
    with pytest.raises(TypeError, match="move: argument"):
        move(*given)
    with pytest.raises(TypeError, match="takes 6 arguments"):
        move(*given[:5])


def test_numba_is_not_loaded_and_agrees():
    found = {}
    for use in ("1", "0"):
        env = dict(os.environ, SUPPLE_PREBUILT=use)
        done = subprocess.run(
            [sys.executable, "-c", ACCELERATE], env=env, capture_output=True, text=True, check=True
        )
        value, loaded = done.stdout.split()
        found[use] = float(value)
        assert loaded == str(use == "0")
    np.testing.assert_allclose(found["1"], found["0"], rtol=1e-13)
