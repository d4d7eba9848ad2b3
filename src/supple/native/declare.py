"""Declaration of kernels.

Three decorators:

- ``kernel``: an inner function, compiled into every entry that calls it.
- ``entry(*kinds)``: a function called from Python, with exactly one signature. Its machine code
  is loaded, or made, when it is first used, never at import (``library.py``); other types of
  arguments are refused.
- ``shared(*kinds)``: an inner function with one signature, compiled once and called by its
  address: what many entries need.

Nothing here needs Numba: a kernel is a plain function with a record of what it is. With
NUMBA_DISABLE_JIT=1 kernels run as plain Python, which finds errors that compiled code hides.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

FASTMATH = {"contract", "reassoc", "arcp", "nsz"}  # no nnan, ninf: failures are found by isfinite

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")  # kernels run as Python


@dataclass(frozen=True)
class Kind:
    """An argument of an entry: a number, or an array with that many dimensions in C order."""

    number: str  # "float64", "int64" or "boolean"
    dims: int = 0
    fixed: bool = False  # read-only arrays are accepted too

    def described(self) -> str:
        """Number type, dimensions and access in a word."""
        return f"{self.number}{self.dims}{'fixed' if self.fixed else ''}"


@dataclass(frozen=True)
class TupleKind:
    """A named tuple of arguments, passed by its address."""

    members: tuple[Kind, ...]
    made_by: Any

    def described(self) -> str:
        """Name and fields of the tuple, the same in every process."""
        pairs = zip(self.made_by._fields, self.members, strict=True)
        fields = ", ".join(f"{name} {kind.described()}" for name, kind in pairs)
        return f"{self.made_by.__name__}({fields})"


# Arguments of entry kernels. Model buffers are read-only, everything else is writable.
INTS = Kind("int64", 1, fixed=True)
REALS = Kind("float64", 1, fixed=True)
VEC = Kind("float64", 1)
MAT = Kind("float64", 2)
IVEC = Kind("int64", 1)
REAL = Kind("float64")
INT = Kind("int64")
TRUTH = Kind("boolean")

# How the launcher is told of them (launcher.c)
LETTERS = {INTS: "i", IVEC: "j", REALS: "f", VEC: "v", MAT: "m", REAL: "r", INT: "n"}

INNER, OUTER = "supple.core.inner.", "supple.core.entry."  # prefixes of Numba's names


def _rename(function: Callable[..., Any], prefix: str) -> None:
    """Numba names its libraries by the qualified names of functions."""
    module = function.__module__.removeprefix("supple.core.")
    function.__qualname__ = f"{prefix}{module}.{function.__name__}"


class Kernel:
    """An inner kernel: compiled with its callers, ``shared``, or an intrinsic of ``held.py``."""

    def __init__(
        self, function: Callable[..., Any], shared: Shared | None = None, intrinsic: str = ""
    ) -> None:
        self.function, self.shared, self.intrinsic = function, shared, intrinsic
        self.made: Any = None  # Numba's object, kept by compiler.py
        self.__doc__ = function.__doc__


def kernel(function: Callable[..., Any]) -> Any:
    """Declare an inner kernel; it is compiled with its callers and cannot be called from Python."""
    if PLAIN:
        return function
    _rename(function, INNER)
    return Kernel(function)


def generated(intrinsic: str, plain: Callable[..., Any]) -> Any:
    """Declare an inner kernel written in LLVM's language (``held.py``), and its plain Python."""
    return plain if PLAIN else Kernel(plain, intrinsic=intrinsic)


def _block_checked(buffer: Any, start: int, *shape: int) -> Any:
    """View of a flat buffer with that shape."""
    size = 1
    for extent in shape:
        size *= int(extent)
    if start + size > len(buffer):
        raise IndexError(f"{size} numbers from {start} of a buffer of {len(buffer)}")
    return buffer[start : start + size].reshape(shape)


def _skewed_checked(buffer: Any, start: int, rows: int, step: int) -> Any:
    """A square view of a flat buffer whose rows begin ``step`` numbers behind each other."""
    from numpy.lib.stride_tricks import as_strided

    size = rows * (step + 1)
    if start + size > len(buffer):
        raise IndexError(f"{size} numbers from {start} of a buffer of {len(buffer)}")
    part = buffer[start : start + size]
    return as_strided(part, (rows, rows), (step * part.itemsize, part.itemsize))


class _Stored:
    """Matrices in a flat buffer whose rows begin ``shape[-1]`` numbers behind each other."""

    def __init__(self, numbers: Any, shape: tuple[int, ...]) -> None:
        self.numbers, self.shape = numbers, shape

    def _place(self, index: Any) -> tuple[int, bool]:
        """Place of the first number, and whether it is meant alone."""
        index = index if isinstance(index, tuple) else (index,)
        place, step = 0, 1
        for k, extent in zip(reversed(range(len(self.shape))), reversed(self.shape), strict=True):
            place += step * int(index[k]) if k < len(index) else 0
            step *= extent
        if not 0 <= place <= len(self.numbers) or min(index) < 0:
            raise IndexError(f"{index} of stored rows {self.shape}")
        return place, len(index) == len(self.shape)

    def __getitem__(self, index: Any) -> Any:
        """A number; or a row, to the end of the buffer; or one of several matrices."""
        place, alone = self._place(index)
        if alone:
            return self.numbers[place]
        left = self.shape[len(index) if isinstance(index, tuple) else 1 :]
        if len(left) == 1:
            return self.numbers[place:]
        return _Stored(self.numbers[place : place + left[0] * left[1]], left)

    def __setitem__(self, index: Any, value: Any) -> None:
        place, alone = self._place(index)
        if not alone:
            raise IndexError(f"{index} of stored rows {self.shape}")
        self.numbers[place] = value


def _stored_checked(buffer: Any, start: int, *shape: int) -> Any:
    """Whole matrices are arrays."""
    made = _block_checked(buffer, start, *shape)
    return _Stored(made.reshape(-1), made.shape) if shape[-1] == 1 else made


def _integers_checked(buffer: Any) -> Any:
    """One integer in the room of each number."""
    return buffer.view("int64")[:: buffer.itemsize // 8]


hold = generated("hold", lambda views: views)
# reserve(words), hold_at(place, views): an entry makes room on its stack, a shared kernel cuts the
# views and puts them there, so that entries need not be compiled with the cutting of all views.
reserve = generated("reserve", lambda words: 0)
hold_at = generated("hold_at", lambda place, views: views)
block = generated("block", _block_checked)
# skewed(buffer, start, rows, step): a square matrix of which only blocks along the diagonal, of
# ``step`` rows at most, are kept. The entry (i, j) is step i + j behind the first: entries of
# different blocks never meet, and rows (step + 1) numbers suffice. For machine code that is a
# matrix with rows of that length, whose columns nobody checks; so it has no slices.
skewed = generated("block", _skewed_checked)
# stored(buffer, start, ..., rows, step): matrices whose rows begin ``step`` numbers behind each
# other, and may be longer than that: who uses them says where. For machine code see ``skewed``.
stored = generated("block", _stored_checked)
# integers(buffer): real numbers as room for as many integers.
integers = generated("integers", _integers_checked)


class Entry:
    """A kernel with one signature that Python can call; ``ready()`` gives the callable itself."""

    load: Callable[[Iterable[Entry]], None]  # by ``library.py``

    def __init__(self, function: Callable[..., Any], signature: Sequence[Any]) -> None:
        self.name = function.__name__
        self.function = function
        self.signature = tuple(signature)
        self._ready: Callable[..., Any] | None = function if PLAIN else None

    @property
    def loaded(self) -> bool:
        """True if its machine code is in memory."""
        return self._ready is not None

    def ready(self) -> Callable[..., Any]:
        """Load its machine code, or make it, and return the callable for hot paths."""
        if self._ready is None:
            Entry.load([self])
            assert self._ready is not None
        return self._ready

    def use(self, code: Callable[..., Any]) -> None:
        """Call this from now on."""
        self._ready = code

    def __call__(self, *args: Any) -> Any:
        """Call the machine code."""
        return self.ready()(*args)

    @property
    def interface(self) -> str:
        """Name, arguments and result, for which its callers are compiled."""
        return f"{self.name}({', '.join(k.described() for k in self.signature)})"


class Shared(Entry):
    """A kernel that others call by its address; ``gives`` is what it returns (None: nothing).

    Its name has the module in front: many modules have an ``apply``.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        signature: Sequence[Any],
        gives: Kind | TupleKind | None,
    ) -> None:
        super().__init__(function, signature)
        self.gives = gives
        module = function.__module__.removeprefix("supple.core.").replace(".", "_")
        self.name = f"{module}_{function.__name__}"

    @property
    def symbol(self) -> str:
        """Name for the linker."""
        return f"supple_{self.name}"

    @property
    def interface(self) -> str:
        """Name, arguments and result, for which its callers are compiled."""
        return f"{super().interface} {'' if self.gives is None else self.gives.described()}"

ENTRIES: dict[str, Entry] = {}  # with the shared ones
MODULES = (
    "alpha.alpha",
    "bodies.chart",
    "dop853.dop853",
    "energy.step",
    "equations.dynamics",
    "equations.history",
    "equations.trajectory_tangents",
    "equations.tree_border",
    "images.image",
    "multistep.multistep",
    "radau.radau",
    "run.singular_step",
)


def all_entries() -> dict[str, Entry]:
    """Every entry and shared kernel by name (importing the modules that declare them)."""
    import importlib

    for module in MODULES:
        importlib.import_module(f"supple.core.{module}")
    return ENTRIES


def _list(made: Entry) -> None:
    """The linker knows entries and shared kernels by their names alone."""
    other = ENTRIES.get(made.name)
    if other is not None and other.function.__module__ != made.function.__module__:
        places = f"{other.function.__module__} and {made.function.__module__}"
        raise NameError(f"{made.name} is in {places}")
    ENTRIES[made.name] = made


def entry(*signature: Any) -> Callable[[Callable[..., Any]], Entry]:
    """Declare an entry kernel with its one signature."""

    def declare(function: Callable[..., Any]) -> Entry:
        _rename(function, OUTER)
        made = Entry(function, signature)
        _list(made)
        return made

    return declare


def shared(
    *signature: Any, gives: Kind | TupleKind | None = None
) -> Callable[[Callable[..., Any]], Any]:
    """Declare a kernel that is compiled once for all callers, without which they are compiled."""

    def declare(function: Callable[..., Any]) -> Any:
        _rename(function, OUTER)
        made = Shared(function, signature, gives)
        _list(made)
        return function if PLAIN else Kernel(function, made)

    return declare
