"""Force laws in machine code: compiled by Numba, or behind a pointer of ctypes."""

from __future__ import annotations

import ctypes
import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import supple as sp

REALS = ctypes.POINTER(ctypes.c_double)
SHAPE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, REALS, REALS)


def compiled(function, returns="int32", reals="float64"):
    """A C function made by Numba."""
    from numba import cfunc, types

    pointer = types.CPointer(getattr(types, reals))
    return cfunc(getattr(types, returns)(types.float64, pointer, pointer))(function)


def drag(t, given, out):
    """-(0.8 |v|) v, and a torque against the angular velocity."""
    speed = (given[12] ** 2 + given[13] ** 2 + given[14] ** 2) ** 0.5
    for i in range(3):
        out[i] = -0.8 * speed * given[12 + i]
        out[3 + i] = -0.1 * given[15 + i] * (1.0 + t)
    return 0


def cord(t, given, out):
    """A spring from A to B, turned with the axes of B: entries of the matrix count."""
    for i in range(3):
        out[i] = -30.0 * given[i] - 0.5 * given[12 + i] + 2.0 * given[3 + 3 * i]
    return 0


def both(t, given, out):
    """Two coordinates: q, then u."""
    out[0] = -30.0 * given[0] - 2.0 * given[1] - 0.1 * given[2]
    out[1] = -2.0 * given[0] - 1.0 * given[1] - 0.1 * given[3]
    return 0


def fails(t, given, out):
    out[0] = -given[0]
    return 1 if t > 0.5 else 0


def rig(native: bool, make=compiled) -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    sled = m.add(sp.RigidBody("sled", 2.0, inertia=0.1))
    wheel = m.add(sp.RigidBody("wheel", 1.0, (0.05, 0, 0), (0.02, 0.02, 0.04)))
    m.add(sp.Prismatic("rail", m.ground.at(0), sled.at(0), "x", initial_rate=1.5))
    m.add(sp.Revolute("axle", sled.at(0), wheel.at(0), "z"))
    kite = m.add(sp.RigidBody("kite", 5.0, inertia=(0.2, 0.3, 0.3)))
    m.add(sp.Free("air", m.ground.at(0, 1), kite.at(0), initial_rate=(1, 2, 0, 3, 0, 5)))
    laws = [make(f) if native else None for f in (drag, cord, both)]
    if native:
        functions = laws
    else:
        functions = [
            lambda t, s: (
                -0.8 * np.linalg.norm(s.velocity) * s.velocity,
                -0.1 * s.angular_velocity * (1.0 + t),
            ),
            lambda t, s: -30.0 * s.position - 0.5 * s.velocity + 2.0 * s.rotation[:, 0],
            lambda t, q, u: -np.array([[30.0, 2.0], [2.0, 1.0]]) @ q - 0.1 * u,
        ]
    m.add(sp.ForceFunction("drag", kite.at(0.2), functions[0]))
    m.add(sp.PairFunction("cord", sled.at(0, 0.1), kite.at(0), functions[1]))
    m.add(sp.EffortFunction("both", ["rail", "axle"], functions[2]))
    return m


@pytest.mark.parametrize("make", [compiled, SHAPE], ids=["numba", "ctypes"])
def test_machine_code_does_what_python_does(make):
    results = [sp.simulate(rig(native, make), 0.5, tolerance=1e-9, output=4) for native in (0, 1)]
    for r in results:
        assert r.success and r.energy.level == "trusted"
    for name in ("drag", "cord", "both"):
        assert_allclose(results[1][name].work, results[0][name].work, atol=1e-8)
    assert_allclose(results[1].q, results[0].q, atol=1e-9)
    assert_allclose(results[1]["cord"].force, results[0]["cord"].force, atol=1e-8)


def test_machine_code_that_fails_ends_the_run():
    m = sp.Model()
    disc = m.add(sp.RigidBody("disc", 1.0, inertia=(1, 1, 0.5)))
    m.add(sp.Revolute("axle", m.ground.at(0), disc.at(0), "z", initial_rate=1.0))
    m.add(sp.EffortFunction("law", "axle", compiled(fails)))
    with pytest.warns(sp.SuppleWarning):
        r = sp.simulate(m, 1.0)
    assert not r.success and 0.45 < r.t[-1] <= 0.51
    assert "the function of 'law' fails or is not finite there" in r.message


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: compiled(drag, returns="float64"), "one of the signature int32"),
        (lambda: compiled(drag, reals="float32"), "one of the signature int32"),
        (lambda: ctypes.CFUNCTYPE(None, REALS)(lambda x: None), "a function int f.double t"),
        (lambda: SHAPE(), "the address of a function, not zero"),
    ],
)
def test_other_signatures_are_refused(make, words):
    with pytest.raises(sp.ModelError, match=f"EffortFunction 'x': function is .*expected {words}"):
        sp.EffortFunction("x", "axle", make())


def test_a_library_function_without_types_is_taken():
    """ctypes does not know the arguments of a library's functions until somebody says them."""
    function = ctypes.pythonapi.PyErr_CheckSignals
    assert function.argtypes is None
    assert sp.EffortFunction("x", "axle", function).function is function


def test_numba_is_not_imported():
    script = """
import ctypes, sys
import supple as sp
reals = ctypes.POINTER(ctypes.c_double)
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, reals, reals)
def law(t, given, out):
    out[0] = -given[0]
    return 0
m = sp.Model()
disc = m.add(sp.RigidBody("disc", 1.0, inertia=(1, 1, 0.5)))
m.add(sp.Revolute("axle", m.ground.at(0), disc.at(0), "z", initial_rate=1.0))
m.add(sp.EffortFunction("law", "axle", law))
assert sp.simulate(m, 0.1).success
assert "numba" not in sys.modules
"""
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_no_image_of_machine_code():
    """An address belongs to this process."""
    with pytest.raises(sp.ModelError, match="needs a function of this process, which a C program"):
        sp.prepare(rig(True)).image(1.0)


def test_machine_code_stays_in_its_process():
    compiled_model = sp.JointCoordinates().equations(rig(True)).compiled
    with pytest.raises(TypeError, match="needs a function of this process and cannot be sent"):
        pickle.dumps(compiled_model)
