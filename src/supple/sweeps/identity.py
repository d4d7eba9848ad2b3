"""Identity of a run: a hash of everything that it depends on.

A function counts with its bytecode, which is another in each version of Python, its defaults and
what it encloses; of other functions and modules that it calls only the names are known.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from supple.foundation.frames import Body, Frame
from supple.model import Model
from supple.sweeps.designs import Row

LONGEST_PATH = 1000


def digest(*values: Any) -> str:
    """A hash of values: the same for the same content, in any process."""
    found = _Content()
    for value in values:
        found.feed(value)
    return found.hash.hexdigest()


def key_of(study: str, parameters: Row) -> str:
    """The hash of one run of a study."""
    text = json.dumps(parameters, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(f"{study}\n{text}".encode()).hexdigest()[:32]


class _Content:
    """Feeds values to a hash, each with its kind, so that different ones never look alike."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self.open: list[int] = []  # objects that are being fed: one may contain itself

    def mark(self, *texts: str) -> None:
        for text in texts:
            content = text.encode("utf-8", errors="surrogatepass")
            self.hash.update(f"{len(content)}:".encode() + content)

    def feed(self, value: Any) -> None:
        if id(value) in self.open:
            self.mark("itself", str(self.open.index(id(value))))
            return
        self.open.append(id(value))
        self.of(value)
        self.open.pop()

    def each(self, kind: str, values: Any) -> None:
        entries = list(values)
        self.mark(kind, str(len(entries)))
        for entry in entries:
            self.feed(entry)

    def of(self, value: Any) -> None:
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, (bool, int, float, complex)):
            self.mark(type(value).__name__, repr(value))
        elif isinstance(value, (str, Path)):
            self.mark("text", str(value))
            self.file(value)
        elif isinstance(value, bytes):
            self.mark("bytes", value.hex())
        elif isinstance(value, np.ndarray):
            self.array(value)
        elif isinstance(value, Mapping):
            pairs = sorted(value.items(), key=lambda pair: str(pair[0]))
            self.each("mapping", [entry for pair in pairs for entry in pair])
        elif isinstance(value, (list, tuple, range)):
            self.each("list", value)
        elif isinstance(value, (set, frozenset)):
            self.each("set", sorted(value, key=repr))
        else:
            self.object(value)

    def file(self, value: str | Path) -> None:
        """A text that names a file counts with the content of that."""
        if 0 < len(str(value)) < LONGEST_PATH and "\0" not in str(value):
            try:
                content = Path(value).read_bytes()
            except OSError:
                return
            self.mark("file", hashlib.sha256(content).hexdigest())

    def array(self, value: Any) -> None:
        if value.dtype.hasobject:
            self.each("objects", value.tolist())
            return
        self.mark("array", value.dtype.str, str(value.shape))
        self.hash.update(np.ascontiguousarray(value).tobytes())

    def object(self, value: Any) -> None:
        kind = type(value)
        self.mark(f"{kind.__module__}.{kind.__qualname__}")
        if isinstance(value, Model):
            self.each(value.name, [value.gravity, *(value[name] for name in value)])
        elif isinstance(value, Frame):
            self.mark(value.body.name)
            self.each("frame", [value.position, value.rotation, value.world])
        elif isinstance(value, types.CodeType):
            self.each("code", [value.co_code, value.co_consts, value.co_names])
        elif isinstance(value, types.FunctionType):
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            parts = [value.__code__, value.__defaults__, value.__kwdefaults__]
            self.each(f"{value.__module__}.{value.__qualname__}", [*parts, *cells])
        elif isinstance(value, functools.partial):
            self.each("partial", [value.func, value.args, value.keywords])
        elif isinstance(value, types.MethodType):
            self.each("method", [value.__func__, value.__self__])
        elif isinstance(value, (type, types.ModuleType, types.BuiltinFunctionType)):
            self.mark(getattr(value, "__module__", None) or "", value.__name__)
        elif hasattr(value, "tocoo"):
            found = value.tocoo()
            self.each("sparse", [found.shape, found.row, found.col, found.data])
        else:
            self.fields(value)

    def fields(self, value: Any) -> None:
        if isinstance(value, Body):
            self.mark(value.name)
        if dataclasses.is_dataclass(value):
            names = [field.name for field in dataclasses.fields(value) if field.init]
        else:
            kept = getattr(value, "__dict__", {})
            made = {
                name
                for kind in type(value).__mro__
                for name, entry in vars(kind).items()
                if isinstance(entry, functools.cached_property)
            }
            names = sorted(name for name in kept if not name.startswith("_") and name not in made)
        self.each("fields", [entry for n in names for entry in (n, getattr(value, n, None))])
