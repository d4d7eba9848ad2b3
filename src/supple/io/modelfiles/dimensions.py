"""Units that fit a field: those of its declaration, of its docstring, or of the table here.

A class declares them with its fields (`supple.foundation.fields`). The docstring of another class
or of a function says ``length : m``; where it says it in a sentence, the table has the argument.
Where none of them knows a unit, a file must give a plain number in SI units.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any

from supple.io.modelfiles.units import Unit, unit
from supple.io.modelfiles.words import Word

Units = tuple[str, ...]
_LENGTH, _TIME = ("m",), ("s",)

TABLE: dict[tuple[str, str], Units] = {
    ("plate", "size_x"): _LENGTH,
    ("plate", "size_y"): _LENGTH,
    ("plate", "thickness"): _LENGTH,
    ("ShellMesh", "thickness"): _LENGTH,
    ("mesh_geometry", "element_size"): _LENGTH,
    ("simulate", "t_end"): _TIME,
    ("simulate", "output"): _TIME,
}
# Arguments that all bodies or methods have.
COMMON: dict[str, Units] = {
    "position": _LENGTH,
    "rotation": ("rad",),
    "step": _TIME,
    "first_step": _TIME,
    "max_step": _TIME,
    "gravity": ("m/s2",),
}
_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.+)$", re.MULTILINE)


@cache
def units_of(word: Word, field: str) -> Units:
    """Units that fit a field, "*" for any; none if only plain numbers do."""
    declared = getattr(word.make, "declared_fields", {})
    if field in declared:
        units: Units = declared[field].declaration.units
        return units
    known = TABLE.get((word.name, field)) or COMMON.get(field)
    return known or from_docstrings(word.make, field)


def from_docstrings(make: Any, field: str) -> Units:
    """Units of an argument that the docstring of a class or function, or of a base, names."""
    for owner in getattr(make, "__mro__", (make,)):
        for names, text in _ENTRY.findall(inspect.cleandoc(owner.__doc__ or "")):
            if field in names.split(", "):
                without_shapes = re.sub(r"\((?:\w+, ?)*\w*\)", "", text)
                pieces = re.split(r",| and | or |;|[()]", without_shapes)
                found = (re.sub(r"^or | on .*$", "", p.strip()).strip() for p in pieces)
                return tuple(dict.fromkeys(p for p in found if p != "1" and unit(p) is not None))
    return ()


def fitting(given: Unit, expected: Units) -> bool:
    """Whether a unit is one of those expected."""
    known = [unit(name) for name in expected if name != "*"]
    return "*" in expected or any(u is not None and given.fits(u) for u in known)


def expected_units(units: Units) -> str:
    """What is expected, in words."""
    if not units:
        return "a plain number, because no unit is known for it"
    return f"a number in {' or '.join(units)}"
