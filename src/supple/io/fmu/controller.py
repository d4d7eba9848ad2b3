"""FMUController: a controller that another program wrote as an FMU, called by ctypes.

An FMU on disk: its archive unpacked with care, and its model description read. Only the
description, the library of this platform and the resources are unpacked, into a folder that is
removed afterwards. Paths that lead outside, links and archives that grow too large are refused.
"""

from __future__ import annotations

import ctypes as ct
import math
import platform
import stat
import sys
import tempfile
import weakref
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import FileError, ModelError, SimulationError, suggestion
from supple.foundation.input_files import existing, path_of
from supple.native import trust

BROKEN = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, RuntimeError, ValueError)
LARGEST = 2**30  # bytes of all files that are unpacked
LARGEST_DESCRIPTION = 2**26
MOST_FILES = 20_000
SYSTEMS = {
    "linux": ("linux", ".so"),
    "darwin": ("darwin", ".dylib"),
    "win32": ("windows", ".dll"),
}
ENDING = SYSTEMS.get(sys.platform, ("", ".so"))[1]
OLD_SYSTEMS = {"linux": "linux64", "darwin": "darwin64", "windows": "win64"}
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
LOG2 = ct.CFUNCTYPE(None, ct.c_void_p, ct.c_char_p, ct.c_int, ct.c_char_p, ct.c_char_p)
LOG3 = ct.CFUNCTYPE(None, ct.c_void_p, ct.c_int, ct.c_char_p, ct.c_char_p)
ALLOCATE = ct.CFUNCTYPE(ct.c_void_p, ct.c_size_t, ct.c_size_t)
RELEASE = ct.CFUNCTYPE(None, ct.c_void_p)
GOOD = (0, 1)  # statuses: OK and warning
LONGEST = 400  # letters of a message that are shown
OWNER = "FMUController"
NUMBERS = ("Real", "Float64")
SAME = 1e-9  # part of a period by which two instants may differ


@dataclass(frozen=True)
class Port:
    """A variable of an FMU that numbers go in or out by."""

    name: str
    reference: int
    kind: str  # Real, Float64, Integer, ...
    causality: str
    array: bool


class Unpacked:
    """An FMU for co-simulation, unpacked.

    Attributes
    ----------
    name : of the file
    version : "2.0" or "3.0"
    token : GUID or instantiation token
    variables : by name
    library, resources : paths
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        existing(path, "an FMU")
        if why := trust.doubt(path):
            sentence = f"{why}, who could have put other code into it"
            raise self._wrong(f"{sentence}; copy it to a folder that only you can write")
        self._folder = tempfile.TemporaryDirectory(prefix="supple-fmu-")
        self._finalizer = weakref.finalize(self, self._folder.cleanup)
        folder = Path(self._folder.name)
        try:
            with zipfile.ZipFile(path) as archive:
                self._unpack(archive, folder)
        except FileError:
            raise
        except (*BROKEN, OSError) as error:
            why = " ".join(str(error).split())[:200]
            raise self._wrong(f"it cannot be unpacked ({why}), expected an FMU") from None
        self.resources = folder / "resources"
        self.resources.mkdir(exist_ok=True)
        self._describe(folder)

    def _wrong(self, sentence: str) -> FileError:
        return FileError(f"{self.name}: {sentence}")

    def close(self) -> None:
        """Remove the files."""
        self._finalizer()

    def _unpack(self, archive: zipfile.ZipFile, folder: Path) -> None:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        if len(entries) > MOST_FILES:
            raise self._wrong(f"it has {len(entries)} files, expected few")
        wanted = []
        for entry in entries:
            self._refuse(entry)
            parts = PurePosixPath(entry.filename).parts
            if entry.filename == "modelDescription.xml":
                if entry.file_size > LARGEST_DESCRIPTION:
                    raise self._wrong("its model description is too large, expected 64 MB at most")
                wanted.append(entry)
            elif len(parts) > 2 and parts[0] == "binaries" and parts[1] in folders():
                wanted.append(entry)
            elif len(parts) > 1 and parts[0] == "resources":
                wanted.append(entry)
        if sum(entry.file_size for entry in wanted) > LARGEST:
            raise self._wrong(f"unpacked it is too large, expected {LARGEST >> 20} MB at most")
        for entry in wanted:  # no more than its stated size is read of any
            archive.extract(entry, folder)

    def _refuse(self, entry: zipfile.ZipInfo) -> None:
        """Refuse paths that lead outside, and what is no plain file."""
        name, parts = entry.filename, PurePosixPath(entry.filename).parts
        outside = not parts or name.startswith("/") or ".." in parts or "\\" in name or ":" in name
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if outside or len(parts) > 32 or kind not in (0, stat.S_IFREG):
            raise self._wrong(f"it has a file {name[:80]!r}, expected plain files")

    def _describe(self, folder: Path) -> None:
        """Read version, token, variables, and find the library."""
        place = folder / "modelDescription.xml"
        content = place.read_bytes() if place.is_file() else b""
        if not content or b"<!DOCTYPE" in content or b"\0" in content:
            raise self._wrong("it has no modelDescription.xml, expected one without a DOCTYPE")
        try:
            root = ET.fromstring(content)
        except ET.ParseError as error:
            raise self._wrong(f"its description is damaged ({error}), expected XML") from None
        given = root.get("fmiVersion", "")
        if given != "2.0" and not given.startswith("3.0"):
            raise self._wrong(f"its version of FMI is {given!r}, expected 2.0 or 3.0")
        self.version = given[:3]
        kind = root.find("CoSimulation")
        if kind is None:
            raise self._wrong("it has no CoSimulation, expected an FMU for it")
        self.token = root.get("guid" if self.version == "2.0" else "instantiationToken", "")
        identifier = kind.get("modelIdentifier", "")
        tries = [folder / "binaries" / name / f"{identifier}{ENDING}" for name in folders()]
        found = [path for path in tries if identifier.isidentifier() and path.is_file()]
        if not found:
            where = f"{platform.system()} {platform.machine()}"
            raise self._wrong(f"it has no library for {where}, expected one in binaries")
        self.library = found[0]
        try:
            listed = [self._variable(v) for v in root.findall("ModelVariables/*")]
        except (TypeError, ValueError, IndexError):
            sentence = "its list of variables is damaged, expected numbers and names"
            raise self._wrong(sentence) from None
        self.variables = {v.name: v for v in listed}

    def _variable(self, v: ET.Element) -> Port:
        kind = v[0].tag if self.version == "2.0" else v.tag
        array = v.find("Dimension") is not None
        reference = int(v.get("valueReference", ""))
        if not 0 <= reference < 2**32:
            raise ValueError
        return Port(v.get("name", ""), reference, kind, v.get("causality", "local"), array)


def folders() -> tuple[str, ...]:
    """Folders of binaries that may have the library of this platform."""
    system = SYSTEMS.get(sys.platform, ("unknown", ""))[0]
    machine = MACHINES.get(platform.machine().lower(), "unknown")
    old = (OLD_SYSTEMS[system],) if machine == "x86_64" and system in OLD_SYSTEMS else ()
    return (f"{machine}-{system}", *old)


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


class FMUController:
    """A controller from an FMU for co-simulation, 2.0 or 3.0.

    The FMU is machine code of whoever made it, and runs in this process with all its rights: load
    only what you trust.

    Parameters
    ----------
    path : file, "controller.fmu"
    inputs, outputs : names of variables of the FMU, real numbers
        What is measured goes in, in this order; what it answers comes out.
    period : s
        Length of its steps.
    start : mapping, optional
        Values of parameters and start values by name.

    ``controller(t, y)`` sets the inputs to y (n,), makes one step from t to t + period and returns
    the outputs (m,). With a third argument, the state of a law, it returns outputs and that state.
    A call at an earlier time begins anew there.
    """

    def __init__(
        self,
        path: str | Path,
        inputs: str | Sequence[str],
        outputs: str | Sequence[str],
        period: float,
        start: Mapping[str, float] | None = None,
    ) -> None:
        place = path_of(OWNER, "path", path)
        self.period = validate.positive(OWNER, "period", period)
        names = {"inputs": _texts("inputs", inputs), "outputs": _texts("outputs", outputs)}
        expect(OWNER, "start", start, Mapping | None, "a mapping of names to numbers")
        values = {
            validate.text(OWNER, "start", name, "names of variables"): validate.number(
                OWNER, f"start[{name!r}]", value, "a finite number"
            )
            for name, value in (start or {}).items()
        }
        self._files = Unpacked(place)
        try:
            for field, listed in (*names.items(), ("start", tuple(values))):
                for name in listed:
                    self._check(field, name)
            self.inputs, self.outputs = names["inputs"], names["outputs"]
            self._component: Component | None = Component(self._files, values)
        except BaseException:
            self._files.close()
            raise
        self._time = math.nan  # where the FMU is, s; not a number before it is initialized
        self._fresh = True

    def _check(self, field: str, name: str) -> None:
        """Refuse variables that are not there, or no single real number."""
        found = self._files.variables.get(name)
        if found is None:
            hint = suggestion(name, list(self._files.variables))
            raise ModelError(OWNER, field, name, f"a variable of {self._files.name}, {hint}")
        if found.kind not in NUMBERS or found.array:
            raise ModelError(OWNER, field, name, f"a real number, it is {found.kind}")
        if field == "inputs" and found.causality != "input":
            raise ModelError(OWNER, field, name, f"an input, it is {found.causality}")

    def __call__(self, t: float, y: ArrayLike, *state: Any) -> Any:
        """Outputs (m,) for inputs y (n,) at a time, s."""
        if self._component is None:
            raise SimulationError(f"{self._files.name}: it was closed")
        if len(state) > 1:
            raise ModelError(OWNER, "arguments", len(state) + 2, "t, y, and a state at most")
        now = validate.number(OWNER, "t", t, "a finite number")
        n = len(self.inputs)
        try:
            values = np.array(y, dtype=float).reshape(-1)
        except (TypeError, ValueError, OverflowError):
            values = np.full(1 + n, np.nan)
        if values.shape != (n,) or not np.all(np.isfinite(values)):
            raise ModelError(OWNER, "y", y, f"{n} finite numbers, one for each input")
        self._go_to(now)
        if n:
            self._component.set(self.inputs, values)
        self._component.step(self._time, self.period)
        self._time += self.period
        found = self._component.get(self.outputs)
        if not np.all(np.isfinite(found)):
            raise SimulationError(
                f"{self._files.name}: at t = {now:g} s its outputs are {found.tolist()}, "
                "expected finite numbers"
            )
        return (found, *state) if state else found

    def _go_to(self, t: float) -> None:
        """Begin, go on, or begin anew."""
        slack = SAME * self.period + 1e-12 * abs(t)
        if abs(t - self._time) <= slack:  # never true before the first call
            return
        if t > self._time:
            raise SimulationError(
                f"{self._files.name}: it is asked at t = {t:g} s, but its steps of "
                f"{self.period:g} s lead to {self._time:g} s"
            )
        self.reset()
        assert self._component is not None
        self._component.initialize(t)
        self._time, self._fresh = t, False

    def reset(self) -> None:
        """Forget what was; the next call begins anew."""
        if self._component is not None and not self._fresh:
            self._component.reset()
        self._time, self._fresh = math.nan, True

    def close(self) -> None:
        """Free the FMU and remove its files."""
        if self._component is not None:
            self._component.close()
            self._files.close()
        self._component = None

    def __enter__(self) -> FMUController:
        """Itself; it is closed at the end of the block."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close it."""
        self.close()

    def __repr__(self) -> str:
        told = f"{', '.join(self.inputs)} -> {', '.join(self.outputs)}"
        return f"FMUController of {self._files.name}: {told}, every {self.period:g} s"


def _texts(field: str, given: Any) -> tuple[str, ...]:
    expected = "names of variables of the FMU"
    listed = [given] if isinstance(given, str) else validate.listed(OWNER, field, given, expected)
    found = tuple(validate.text(OWNER, field, text, expected) for text in listed)
    for text in found:
        if found.count(text) > 1:
            raise ModelError(OWNER, field, text, "each of them once")
    if field == "outputs" and not found:
        raise ModelError(OWNER, field, given, expected)
    return found
