"""Models that C programs run."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np

import supple as sp
from supple.native import library

NATIVE = Path(library.__file__).parent


def controlled_arm() -> sp.Model:
    """Two links, a flexible one included, a controller, a force that jumps and a kink."""
    m = sp.Model(gravity=(0, 0, -9.81))
    first = m.add(sp.RigidBody("first", mass=2.0, com=(0.25, 0, 0), inertia=(0.01, 0.04, 0.04)))
    section = sp.Rectangle(0.02, 0.01)
    second = m.add(sp.Beam("second", 0.5, section, sp.Material(7e10, 2.7e10, 2700.0), modes=2))
    m.add(sp.Revolute("shoulder", m.ground.at(0), first.at(0), axis="y", initial=0.4))
    m.add(sp.Revolute("elbow", first.at(0.5), second.at(0), axis="y", initial=-0.2))
    m.add(sp.PID("pid", "shoulder", target="0.5*sin(2*t)", kp=40.0, ki=10.0, kd=3.0))
    m.add(sp.JointEffort("push", "elbow", "0.2*step(t - 0.1) - 0.3*step(t - 0.3)"))
    return m


class CModel:
    """A model behind the C functions."""

    def __init__(self, lib, image: bytes) -> None:
        self.lib, self.handle = lib, ctypes.c_void_p()
        self.code = lib.supple_create(image, ctypes.c_int64(len(image)), ctypes.byref(self.handle))
        if self.code == 0:
            sizes = [ctypes.c_int64() for _ in range(3)]
            lib.supple_sizes(self.handle, *map(ctypes.byref, sizes))
            self.nq, self.nu, self.nz = (s.value for s in sizes)

    def call(self, name: str, t: float, *arrays: np.ndarray) -> int:
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
        return getattr(self.lib, f"supple_{name}")(self.handle, ctypes.c_double(t), *pointers)

    def state(self):
        t, q, u, z = ctypes.c_double(), np.zeros(self.nq), np.zeros(self.nu), np.zeros(self.nz)
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (q, u, z)]
        self.lib.supple_state(self.handle, ctypes.byref(t), *pointers)
        return t.value, q, u, z

    def close(self) -> None:
        self.lib.supple_free(self.handle)


def header_codes() -> dict[str, int]:
    text = (NATIVE / "supple.h").read_text()
    return {name: int(value) for name, value in re.findall(r"SUPPLE_(\w+) = (\d+)", text)}


def code(name: str) -> int:
    return header_codes()[name]
