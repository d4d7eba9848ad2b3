"""Fields of flat buffers, each declared once: a record gives the views of kernels, their types, sizes and places.

A record is a named tuple of views that lie one after the other in one or more flat buffers. Its tables say name and
shape of each field; everything else follows from them:

- ``views``: the named tuple, and ``kind``: its type, by which shared kernels are declared;
- ``cut``: the kernel that cuts the buffers into the views, ``locate``: one that gives their places, and ``span``: one
  that gives the lengths of the buffers;
- ``lengths``, ``view`` and ``read``: how long the buffers are, and fields of them, for Python.

A shape is a number, the name of a size, a sum or product of such ("2 * (nu + nr)"), or a tuple of these; () is a single
number. Sizes are read from the head of integers, the model's or a method's own; others are arguments of ``cut``.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np

from supple.native.declare import Kind, TupleKind, block, kernel, stored

Shape = int | str | tuple[int | str, ...]


def starts(*lengths: int) -> tuple[int, ...]:
    """Starts of the columns of a row that are so long, and behind the last one the length of the row."""
    places = [0]
    for length in lengths:
        places.append(places[-1] + length)
    return tuple(places)


@dataclass(frozen=True)
class Part:
    """The fields of one buffer: a name for it, "float64" or "int64", shapes by name, and whether it is only read.

    ``stored`` are matrices whose rows may be shorter than they are (``native/declare.py``).
    """

    buffer: str
    number: str
    fields: Mapping[str, Shape]
    fixed: bool = False
    stored: tuple[str, ...] = ()


class Record:
    """Views of flat buffers.

    Parameters
    ----------
    name, module : of the named tuple; the module must hold it by that name
    parts : the buffers with their fields
    head : places of sizes in the integers that ``cut`` takes first, those of the model or of a method
    given : further sizes, arguments of ``cut`` behind the buffers
    follows : whether the fields begin behind those of another record: ``cut`` then takes the place after each buffer
    """

    def __init__(
        self,
        name: str,
        module: str,
        *parts: Part,
        head: Mapping[str, int],
        given: tuple[str, ...] = (),
        follows: bool = False,
    ) -> None:
        self.name, self.module, self.parts = name, module, parts
        self.head, self.given, self.follows = head, given, follows
        self.shapes = {f: _extents(s) for part in parts for f, s in part.fields.items()}
        self.views: Any = namedtuple(name, list(self.shapes), module=module)  # type: ignore[misc]
        self.kind = TupleKind(
            tuple(Kind(p.number, len(self.shapes[f]), p.fixed and self.shapes[f] != ()) for p in parts for f in p.fields),
            self.views,
        )
        used = {size for extents in self.shapes.values() for e in extents for size in _names(e)}
        if unknown := sorted(used - {*head, *given}):
            raise NameError(f"{name} has no size {unknown[0]!r}")
        self._sizes, self._used = sorted(used), sorted(used & {*head})

    @property
    def words(self) -> int:
        """Numbers of eight bytes that the views take in memory: of an array seven, and two for each further dimension."""
        return sum(5 + 2 * kind.dims if kind.dims else 1 for kind in self.kind.members)

    @cached_property
    def cut(self) -> Any:
        """The kernel that cuts the buffers: arguments are the head, the buffers and the given sizes."""
        return self._kernel(f"cut_{self.name.lower()}", self._cutting())

    def _kernel(self, function: str, text: str) -> Any:
        """A kernel made from text: compiled code can neither loop over fields of different types nor look them up."""
        names = {"block": block, "stored": stored, self.name: self.views, "__name__": self.module}
        exec(compile(f"def {function}{text}", f"<views of {self.name}>", "exec"), names)
        return kernel(names[function])

    def replacing(self, *fields: str) -> Any:
        """A kernel that gives the views with others for some fields: arguments are the views, then these."""
        members = (field if field in fields else f"views.{field}" for field in self.shapes)
        name = f"{self.name.lower()}_replacing_{'_'.join(fields)}"
        return self._kernel(name, f"(views, {', '.join(fields)}):\n    return {self.name}({', '.join(members)})")

    @cached_property
    def locate(self) -> Any:
        """A kernel that gives the places of all fields by name, for kernels that index a buffer themselves.

        Arguments are where each buffer's fields begin, and the given sizes.
        """
        begins, fields = [f"{part.buffer}_at" for part in self.parts], [f"field_{field}" for field in self.shapes]
        lines = [f"({', '.join((*begins, *self.given))}):"]
        for part, at in zip(self.parts, begins):
            for field in part.fields:
                lines += [f"    field_{field} = {at}", f"    {at} += {_product(self.shapes[field])}"]
        lines.append(f"    return {self.name}({', '.join(fields)})")
        return self._kernel(f"locate_{self.name.lower()}", "\n".join(lines))

    def _cutting(self) -> str:
        """Text of ``cut``: one view after the other; returns them, and where the fields of each buffer end."""
        begins, fields = [f"{part.buffer}_at" for part in self.parts], [f"field_{field}" for field in self.shapes]
        arguments = ["head"]
        for part, at in zip(self.parts, begins):
            arguments += [part.buffer, at] if self.follows else [part.buffer]
        lines = [f"({', '.join((*arguments, *self.given))}):"]
        lines += [f"    {size} = head[{self.head[size]}]" for size in self._used]
        for part, at in zip(self.parts, begins):
            if not self.follows:
                lines.append(f"    {at} = 0")
            for field in part.fields:
                extents = self.shapes[field]
                cut = "stored" if field in part.stored else "block"
                view = f"{cut}({part.buffer}, {at}, {', '.join(extents)})" if extents else f"{part.buffer}[{at}]"
                lines += [f"    field_{field} = {view}", f"    {at} += {_product(extents)}"]
        lines.append(f"    return {self.name}({', '.join(fields)}), {', '.join(begins)}")
        return "\n".join(lines)

    @cached_property
    def span(self) -> Any:
        """A kernel that gives where the fields of each buffer end, a tuple; arguments are those of ``cut`` without the buffers."""
        begins = [f"{part.buffer}_at" for part in self.parts]
        lines = [f"({', '.join(('head', *(begins if self.follows else ()), *self.given))}):"]
        lines += [f"    {size} = head[{self.head[size]}]" for size in self._used]
        for part, at in zip(self.parts, begins):
            length = " + ".join(_product(self.shapes[field]) for field in part.fields)
            lines.append(f"    {at} = {f'{at} + ' if self.follows else ''}{length}")
        lines.append(f"    return ({', '.join(begins)},)")
        return self._kernel(f"span_{self.name.lower()}", "\n".join(lines))

    def begin(self, field: str) -> Any:
        """A kernel that gives where one field begins in its buffer; arguments are the head and the given sizes."""
        lines = [f"({', '.join(('head', *self.given))}):", *(f"    {size} = head[{self.head[size]}]" for size in self._used)]
        fields = next(list(part.fields) for part in self.parts if field in part.fields)
        before = [_product(self.shapes[other]) for other in fields[: fields.index(field)]]
        lines.append(f"    return {' + '.join(['0', *before])}")
        return self._kernel(f"begin_{self.name.lower()}_{field}", "\n".join(lines))

    def places(self, sizes: Mapping[str, int]) -> Mapping[str, tuple[int, tuple[int, ...]]]:
        """Begin and shape of each field in its buffer, counted from the record's own first number."""
        places, _ = self._found(sizes)
        return MappingProxyType({name: (cut.start, shape) for name, cut, shape in chain(*places)})

    def _found(self, sizes: Mapping[str, int]) -> Any:
        return self._find(*[sizes[name] for name in self._sizes])

    @cached_property
    def _find(self) -> Any:
        """Name, range and shape of the fields of each buffer, and lengths of the buffers, as a function of the sizes.

        It remembers its answers.
        """
        lines = [f"def find({', '.join(self._sizes)}):"]
        for k, part in enumerate(self.parts):
            lines += [f"    length_{k} = 0", f"    part_{k} = []"]
            for field in part.fields:
                extents = self.shapes[field]
                shape = "".join(f"{e}, " for e in extents)
                lines.append(f"    end = length_{k} + {_product(extents)}")
                lines.append(f"    part_{k}.append(({field!r}, slice(length_{k}, end), ({shape})))")
                lines.append(f"    length_{k} = end")
        parts, lengths = ("".join(f"{word}_{k}, " for k in range(len(self.parts))) for word in ("part", "length"))
        lines.append(f"    return ({parts}), ({lengths})")
        made: dict[str, Any] = {}
        exec(compile("\n".join(lines), f"<places of {self.name}>", "exec"), made)
        return lru_cache(maxsize=1000)(made["find"])

    def lengths(self, sizes: Mapping[str, int]) -> tuple[int, ...]:
        """Lengths of the buffers."""
        lengths: tuple[int, ...] = self._found(sizes)[1]
        return lengths

    def view(self, field: str, sizes: Mapping[str, int], buffer: np.ndarray) -> np.ndarray:
        """One field as a NumPy view of its buffer, which begins with the record's first number."""
        parts, _ = self._found(sizes)
        _, cut, shape = next(found for found in chain(*parts) if found[0] == field)
        self._expect(field, cut, buffer)
        return buffer[cut].reshape(shape)

    def read(self, sizes: Mapping[str, int], *buffers: np.ndarray) -> Any:
        """The named tuple with NumPy views of the buffers, which begin with the record's first numbers."""
        parts, lengths = self._found(sizes)
        views = []
        for part, length, buffer in zip(parts, lengths, buffers, strict=True):
            if len(buffer) < length:
                for field, cut, _ in part:
                    self._expect(field, cut, buffer)
            views += [buffer[cut] if len(shape) == 1 else buffer[cut].reshape(shape) for _, cut, shape in part]
        return self.views(*views)

    def fields(self, sizes: Mapping[str, int], *buffers: np.ndarray) -> Fields:
        """Views like those of ``read``, each made when it is first asked for."""
        parts, lengths = self._found(sizes)
        for part, length, buffer in zip(parts, lengths, buffers, strict=True):
            if len(buffer) < length:
                for field, cut, _ in part:
                    self._expect(field, cut, buffer)
        return Fields(parts, buffers)

    def _expect(self, field: str, cut: slice, buffer: np.ndarray) -> None:
        start, end = cut.start, cut.stop
        if end > len(buffer):
            raise IndexError(f"{field} of {self.name}: {end - start} numbers from {start} of a buffer of {len(buffer)}")


class Fields:
    """Fields of flat buffers as attributes; ``parts`` are name, range and shape of those of each buffer."""

    def __init__(self, parts: Any, buffers: tuple[np.ndarray, ...]) -> None:
        self._parts, self._buffers = parts, buffers

    def __getattr__(self, name: str) -> np.ndarray:
        if not name.startswith("_"):
            for part, buffer in zip(self._parts, self._buffers):
                for field, cut, shape in part:
                    if field == name:
                        found = buffer[cut].reshape(shape)
                        self.__dict__[name] = found
                        return found
        raise AttributeError(name)


def _product(extents: tuple[str, ...]) -> str:
    return " * ".join(f"({e})" for e in extents) or "1"


def _extents(shape: Shape) -> tuple[str, ...]:
    return tuple(str(e) for e in (shape if isinstance(shape, tuple) else (shape,)))


@cache
def _names(extent: str) -> tuple[str, ...]:
    return compile(extent, "<extent>", "eval").co_names
