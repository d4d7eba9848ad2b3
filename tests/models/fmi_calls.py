"""A small importer of FMUs by ctypes: calls of FMI 2.0 and 3.0 as they are, for tests."""

from __future__ import annotations

import contextlib
import ctypes as ct
import itertools
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
from scipy.integrate import solve_ivp

OK, WARNING, DISCARD, ERROR = range(4)
LOG2 = ct.CFUNCTYPE(None, ct.c_void_p, ct.c_char_p, ct.c_int, ct.c_char_p, ct.c_char_p)
LOG3 = ct.CFUNCTYPE(None, ct.c_void_p, ct.c_int, ct.c_char_p, ct.c_char_p)


class Callbacks(ct.Structure):
    _fields_ = (
        ("logger", LOG2),
        ("allocate", ct.c_void_p),
        ("release", ct.c_void_p),
        ("finished", ct.c_void_p),
        ("environment", ct.c_void_p),
    )


class EventInfo(ct.Structure):
    _fields_ = (*((n, ct.c_int) for n in ("again", "end", "nominals", "states", "has_next")),
                ("next", ct.c_double))  # fmt: skip


class Fmu:
    """An unpacked FMU, whose instances are made by ``instance``."""

    def __init__(self, path: Path, folder: Path) -> None:
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        self.folder = folder
        root = ET.parse(folder / "modelDescription.xml").getroot()
        self.version = root.get("fmiVersion")
        token = "guid" if self.version == "2.0" else "instantiationToken"
        self.token = root.get(token)
        self.references, self.unit, self.start = {}, {}, {}
        for v in root.find("ModelVariables"):
            number = v[0] if self.version == "2.0" else v
            self.references[v.get("name")] = int(v.get("valueReference"))
            self.unit[v.get("name")] = number.get("unit")
            self.start[v.get("name")] = number.get("start")
        self.library = ct.CDLL(str(next((folder / "binaries").rglob("*.so"))))
        self.said: list[str] = []
        self._log2 = LOG2(lambda env, name, status, category, text: self.said.append(text.decode()))
        self._log3 = LOG3(lambda env, status, category, text: self.said.append(text.decode()))
        self._callbacks = Callbacks(logger=self._log2)

    def instance(self, kind: int = 1, token: str | None = None, place: str | None = None):
        """A handle, None after an error; kind 0 is model exchange."""
        lib, token = self.library, self.token if token is None else token
        resources = str(self.folder / "resources") if place is None else place
        if self.version == "2.0":
            lib.fmi2Instantiate.restype = ct.c_void_p
            uri = Path(resources).as_uri().encode()
            return lib.fmi2Instantiate(
                b"it", kind, token.encode(), uri, ct.byref(self._callbacks), 0, 0
            )
        common = b"it", token.encode(), f"{resources}/".encode(), False, False
        if kind == 0:
            lib.fmi3InstantiateModelExchange.restype = ct.c_void_p
            return lib.fmi3InstantiateModelExchange(*common, None, self._log3)
        lib.fmi3InstantiateCoSimulation.restype = ct.c_void_p
        more = False, False, None, ct.c_size_t(0), None, self._log3, None
        return lib.fmi3InstantiateCoSimulation(*common, *more)

    @contextlib.contextmanager
    def made(self, kind: int = 1) -> Iterator[Instance]:
        """An instance that is freed afterwards."""
        handle = self.instance(kind)
        assert handle, self.said
        yield Instance(self, handle)
        self._function("FreeInstance", None)(ct.c_void_p(handle))

    def _function(self, name: str, result=ct.c_int):
        found = getattr(self.library, f"fmi{self.version[0]}{name}")
        found.restype = result
        return found


class Instance:
    """Calls on one instance; each returns its status."""

    def __init__(self, fmu: Fmu, handle: int) -> None:
        self.fmu, self.handle, self.third = fmu, ct.c_void_p(handle), fmu.version != "2.0"

    def call(self, name: str, *values) -> int:
        return self.fmu._function(name)(self.handle, *values)

    def right(self, name: str, *values) -> None:
        assert self.call(name, *values) == OK, self.fmu.said

    def initialize(self, start=0.0, tolerance=None, values: dict[str, float] | None = None) -> int:
        has = tolerance is not None
        kind = ct.c_bool if self.third else ct.c_int
        begin, wanted = ct.c_double(start), ct.c_double(tolerance or 0.0)
        given = kind(has), wanted, begin, kind(0), ct.c_double(0.0)
        first = OK if self.third else self.call("SetupExperiment", *given)
        first = max(first, self.set(values or {}))
        if first > WARNING:
            return first
        first = max(first, self.call("EnterInitializationMode", *(given if self.third else ())))
        return max(first, self.call("ExitInitializationMode")) if first <= WARNING else first

    def _real(self, what: str, names: Sequence[str], values: np.ndarray) -> int:
        at = np.array([self.fmu.references[n] for n in names], dtype=np.uint32)
        n = ct.c_size_t(len(at))
        name, size = (f"{what}Float64", (n,)) if self.third else (f"{what}Real", ())
        pointers = ct.c_void_p(at.ctypes.data), n, ct.c_void_p(values.ctypes.data)
        return self.call(name, *pointers, *size)

    def set(self, values: dict[str, float]) -> int:
        return self._real("Set", list(values), np.array(list(values.values()), dtype=float))

    def get(self, *names: str) -> np.ndarray:
        found = np.full(len(names), np.nan)
        assert self._real("Get", names, found) == OK, self.fmu.said
        return found

    def step(self, t: float, h: float) -> int:
        if not self.third:
            return self.call("DoStep", ct.c_double(t), ct.c_double(h), 1)
        flags, last = [ct.c_bool() for _ in range(3)], ct.c_double()
        given = ct.c_double(t), ct.c_double(h), ct.c_bool(True)
        return self.call("DoStep", *given, *map(ct.byref, flags), ct.byref(last))

    def stepped(self, times: Sequence[float], names: Sequence[str]) -> np.ndarray:
        """Values at times by co-simulation, the first at the start."""
        rows = [self.get(*names)]
        for a, b in itertools.pairwise(times):
            assert self.step(a, b - a) == OK, self.fmu.said
            rows.append(self.get(*names))
        return np.array(rows)

    def states(self) -> np.ndarray:
        n = sum(name.startswith("state.") for name in self.fmu.references)
        x = np.zeros(n)
        self.right("GetContinuousStates", ct.c_void_p(x.ctypes.data), ct.c_size_t(n))
        return x

    def rates(self, t: float, x: np.ndarray) -> np.ndarray:
        """Rates of states; the instance stays there."""
        x, found = np.ascontiguousarray(x), np.zeros(len(x))
        name = "GetContinuousStateDerivatives" if self.third else "GetDerivatives"
        self.right("SetTime", ct.c_double(t))
        self.right("SetContinuousStates", ct.c_void_p(x.ctypes.data), ct.c_size_t(len(x)))
        self.right(name, ct.c_void_p(found.ctypes.data), ct.c_size_t(len(x)))
        return found

    def next_event(self) -> float:
        """In event mode: the next time event; afterwards in continuous-time mode."""
        if self.third:
            flags, at = [ct.c_bool() for _ in range(5)], ct.c_double()
            self.right("UpdateDiscreteStates", *map(ct.byref, flags), ct.byref(at))
            found = at.value if flags[4].value else np.inf
        else:
            info = EventInfo()
            self.right("NewDiscreteStates", ct.byref(info))
            found = info.next if info.has_next else np.inf
        self.right("EnterContinuousTimeMode")
        return found

    def exchanged(self, times: Sequence[float], names: Sequence[str], rtol=1e-9) -> np.ndarray:
        """Values at times by model exchange, with a solver that knows no mechanics."""
        rows, t, end = {}, times[0], times[-1]
        event = self.next_event()
        x = self.states()
        while True:
            stop = min(event, end)
            inside = [s for s in times if t <= s < stop] + [stop]
            options = {"method": "LSODA", "rtol": rtol, "atol": 0.01 * rtol, "t_eval": inside}
            found = solve_ivp(self.rates, (t, stop), x, **options)
            for s, y in zip(found.t, found.y.T, strict=True):
                self.rates(s, y)
                rows.setdefault(s, self.get(*names))
            t, x = stop, found.y[:, -1].copy()
            if t >= end:
                return np.array([rows[s] for s in times])
            self.rates(t, x)
            self.right("EnterEventMode")
            event = self.next_event()
