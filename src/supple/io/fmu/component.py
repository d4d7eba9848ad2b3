"""An instance of a foreign FMU for co-simulation, driven by ctypes."""

from __future__ import annotations

import ctypes as ct
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.errors import FileError, SimulationError
from supple.io.fmu.unpacking import Unpacked

LOG2 = ct.CFUNCTYPE(None, ct.c_void_p, ct.c_char_p, ct.c_int, ct.c_char_p, ct.c_char_p)
LOG3 = ct.CFUNCTYPE(None, ct.c_void_p, ct.c_int, ct.c_char_p, ct.c_char_p)
ALLOCATE = ct.CFUNCTYPE(ct.c_void_p, ct.c_size_t, ct.c_size_t)
RELEASE = ct.CFUNCTYPE(None, ct.c_void_p)
GOOD = (0, 1)  # statuses: OK and warning
LONGEST = 400  # letters of a message that are shown


class _Callbacks(ct.Structure):
    _fields_ = (
        ("logger", LOG2),
        ("allocate", ALLOCATE),
        ("release", RELEASE),
        ("finished", ct.c_void_p),
        ("environment", ct.c_void_p),
    )


class Component:
    """An instance; ``start`` are values that are set before initialization, by name."""

    def __init__(self, files: Unpacked, start: Mapping[str, float]) -> None:
        self.files, self.start, self.said = files, dict(start), ""
        self._third = files.version != "2.0"
        try:
            self._library = ct.CDLL(str(files.library))
        except OSError as error:
            raise FileError(f"{files.name}: its library cannot be loaded: {error}") from None
        self._log2, self._log3 = LOG2(self._hear2), LOG3(self._hear3)
        memory = ct.CDLL(None)
        allocate, release = ct.cast(memory.calloc, ALLOCATE), ct.cast(memory.free, RELEASE)
        self._callbacks = _Callbacks(self._log2, allocate, release, None, None)
        self._handle = ct.c_void_p(self._instantiate())
        if not self._handle:
            raise SimulationError(f"{files.name}: it cannot be instantiated{self._told()}")
        free = self._function("FreeInstance", None)
        self._finalizer = weakref.finalize(self, free, self._handle)

    def _hear2(self, env: Any, name: bytes, status: int, category: bytes, text: bytes) -> None:
        self._hear3(env, status, category, text)

    def _hear3(self, env: Any, status: int, category: bytes, text: bytes) -> None:
        self.said = " ".join((text or b"").decode(errors="replace").split())[:LONGEST]

    def _told(self) -> str:
        return f": {self.said}" if self.said else ""

    def _function(self, name: str, result: Any = ct.c_int) -> Callable[..., Any]:
        full = f"fmi{self.files.version[0]}{name}"
        try:
            found = getattr(self._library, full)
        except AttributeError:
            raise FileError(f"{self.files.name}: its library has no {full}") from None
        found.restype = result
        return found  # type: ignore[no-any-return]

    def _instantiate(self) -> Any:
        f, place = self.files, self.files.resources
        token = f.token.encode()
        if not self._third:
            make = self._function("Instantiate", ct.c_void_p)
            return make(b"controller", 1, token, place.as_uri().encode(), ct.byref(self._callbacks),
                        0, 0)  # fmt: skip
        make = self._function("InstantiateCoSimulation", ct.c_void_p)
        path = f"{place}/".encode()
        flags, none = [ct.c_bool(False)] * 4, (None, ct.c_size_t(0), None)
        return make(b"controller", token, path, *flags, *none, self._log3, None)

    def _call(self, what: str, name: str, *values: Any) -> None:
        self.said = ""
        status = self._function(name)(self._handle, *values)
        if status not in GOOD:
            raise SimulationError(f"{self.files.name}: {what} failed{self._told()}")

    def initialize(self, t: float) -> None:
        """Start at a time, s, with the values of ``start``."""
        flag: Any = ct.c_bool if self._third else ct.c_int
        given = flag(0), ct.c_double(0.0), ct.c_double(t), flag(0), ct.c_double(0.0)
        if not self._third:
            self._call(f"its setup at t = {t:g} s", "SetupExperiment", *given)
        if self.start:
            self.set(list(self.start), np.array(list(self.start.values())))
        enter = given if self._third else ()
        self._call(f"its initialization at t = {t:g} s", "EnterInitializationMode", *enter)
        self._call(f"its initialization at t = {t:g} s", "ExitInitializationMode")

    def reset(self) -> None:
        """Back to before initialization."""
        self._call("its reset", "Reset")

    def step(self, t: float, h: float) -> None:
        """Go on from t by h, s."""
        given: list[Any] = [ct.c_double(t), ct.c_double(h)]
        if self._third:
            flags, last = [ct.c_bool() for _ in range(3)], ct.c_double()
            given += [ct.c_bool(True), *map(ct.byref, flags), ct.byref(last)]
        else:
            given.append(ct.c_int(1))
        self._call(f"its step from t = {t:g} s", "DoStep", *given)

    def _numbers(self, what: str, names: Sequence[str], values: Array) -> None:
        places = np.array([self.files.variables[n].reference for n in names], dtype=np.uint32)
        n, done = ct.c_size_t(len(places)), "reading" if what == "Get" else "setting"
        name, size = (f"{what}Float64", (n,)) if self._third else (f"{what}Real", ())
        pointers = ct.c_void_p(places.ctypes.data), n, ct.c_void_p(values.ctypes.data)
        self._call(f"{done} {', '.join(names[:3])}", name, *pointers, *size)

    def set(self, names: Sequence[str], values: Array) -> None:
        """Set variables (n,)."""
        self._numbers("Set", names, np.ascontiguousarray(values, dtype=float))

    def get(self, names: Sequence[str]) -> Array:
        """Values (n,) of variables."""
        found = np.full(len(names), np.nan)
        self._numbers("Get", names, found)
        return found

    def close(self) -> None:
        """Free the instance."""
        self._finalizer()
