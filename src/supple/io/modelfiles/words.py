"""The words of model files: the public classes of Supple, with the arguments of their constructors.

Nothing is listed twice: a word is the name of a public class, its keys are the
arguments of its constructor, and what may stand under a key follows from the annotation. Which
classes are words follows from the items of a model and the arguments of ``simulate``: those,
and whatever their arguments can be.

Units that fit a field: those of its declaration, of its docstring, or of the table here. A class
declares them with its fields (`supple.foundation.fields`). The docstring of another class or of a
function says ``length : m``; where it says it in a sentence, the table has the argument. Where none
of them knows a unit, a file must give a plain number in SI units.
"""

from __future__ import annotations

import importlib
import inspect
import re
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from supple.analyses.run.options import KEPT, OWNER, RunOptions
from supple.bodies.base.rigid import PointMass
from supple.constraints import Constraint, Driver, FrameDriver
from supple.events import Event
from supple.fem.base.damping import KelvinVoigt, ModalDamping, Rayleigh
from supple.fem.base.material import Material
from supple.fem.sections.sections import CrossSection, TaperedSection
from supple.forces import ForceElement
from supple.forces.laws import Law
from supple.foundation import public_names
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.foundation.frames import Body
from supple.io.modelfiles.kinds import Kind, kind_of
from supple.io.modelfiles.units import Unit, unit
from supple.joints import Joint
from supple.model import Model
from supple.reduction.assumed.shapes import AssumedShapes
from supple.reduction.shape_sets import ShapeSet
from supple.signals import Combination, Signal, SignalLike, as_signal
from supple.signals.expressions import ExpressionError
from supple.signals.infix import combination

# Groups of a file with the items of a model, and with named values, and what may be in each.
ITEMS: dict[str, tuple[type, ...]] = {
    "bodies": (Body,),
    "point_masses": (PointMass,),
    "joints": (Joint,),
    "constraints": (Constraint,),
    "drivers": (Driver, FrameDriver),
    "forces": (ForceElement,),
}
# Functions that make a component or a mesh; words like classes.
MAKERS = (
    "block", "load_component", "plate", "read_abaqus", "read_calculix", "read_matrix_market",
    "read_mesh", "read_nastran", "ShellMesh",
)  # fmt: skip
# Named values of a file by group, and what may be in each; public names of what few files need.
VALUES: dict[str, tuple[type | str, ...]] = {
    "materials": (Material,),
    "sections": (CrossSection, TaperedSection),
    "signals": (Signal,),
    "laws": (Law,),
    "shapes": (ShapeSet, AssumedShapes),
    "damping": (Rayleigh, ModalDamping, KelvinVoigt),
    "components": ("SolidMesh", "ShellMesh", "ImportedComponent", "MeshData"),
}
# Public classes that are no words: the model has the one, readers of files make the other.
NO_WORDS = ("Ground", "MeshData")
# Public classes from which no other is derived: a mapping without a type can be nothing else.
ALONE = ("Event", "Interface", "Material", "Member", "PointMass", "SecondOrder")
# Endings of files whose readers open no other file.
ENDINGS = dict.fromkeys(
    (("read_mesh", "path"), ("MeshShape", "path")), (".msh", ".vtk", ".vtu", ".stl")
)
# Arguments that are called otherwise when they are stored.
STORED_AS = {
    ("Branch", "tree"): "branches",
    ("Lock", "joint"): "name",
    ("Unlock", "joint"): "name",
    ("Release", "item"): "name",
}
# Arguments whose product is the number of elements that a word asks for, and the most of a file:
# a small file with more would take long.
ELEMENTS = {"block": ("divisions",), "plate": ("nx", "ny"), "ANCFPlate": ("elements",)}
MOST_ELEMENTS = 20_000
# Arguments of ``simulate`` that are no settings: what is run, how it is followed and kept.
NO_SETTINGS = ("source", "events", "progress", *KEPT)
# Keys of every mapping that are no arguments.
TYPE, COUNT = "type", "count"
_LENGTH, _TIME = ("m",), ("s",)
# Units of arguments that all bodies, methods or runs have.
COMMON: dict[str, Units] = {
    "position": _LENGTH,
    "rotation": ("rad",),
    "step": _TIME,
    "first_step": _TIME,
    "max_step": _TIME,
    "gravity": ("m/s2",),
    "t_end": _TIME,
    "output": _TIME,
}
_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.+)$", re.MULTILINE)


def combined(
    text: str, signals: Mapping[str, SignalLike], kinks: Sequence[float] = ()
) -> Combination:
    """A signal made of others: ``{type: Combination, text: 2*a + b, signals: {a: ..., b: 1}}``."""
    given = [as_signal(value, "Combination", f"signals.{n}") for n, value in signals.items()]
    try:
        found = combination(text, list(map(str, signals)), given)
    except ExpressionError as error:
        expected = f"a formula in t and its signals ({error})"
        raise ModelError("Combination", "text", text, expected) from None
    return replace(found, kinks=tuple(map(float, kinks)))


# Functions beside the public names: module and name.
OTHERS = {"Combination": (__name__, "combined"), "solid": ("supple.fem.files.mesh_data", "solid")}


@dataclass(frozen=True)
class Argument:
    """An argument of a constructor: what it may be, its default, and how many there may be."""

    name: str
    kind: Kind
    default: Any
    many: bool = False

    @property
    def required(self) -> bool:
        """True if it must be given."""
        return self.default is inspect.Parameter.empty and not self.many


@dataclass(frozen=True)
class Word:
    """A class or function that a file can name."""

    name: str
    make: Callable[..., Any]

    @cached_property
    def arguments(self) -> Mapping[str, Argument]:
        """By the name of the key."""
        return arguments_of(self.make)

    @cached_property
    def gives(self) -> type:
        """The class of what it makes."""
        if inspect.isclass(self.make):
            return self.make
        found: type = typing.get_type_hints(self.make)["return"]
        return found

    @cached_property
    def function(self) -> str | None:
        """The argument that must be a Python function, which no file can hold; None without one."""
        found = [a.name for a in self.arguments.values() if _is_function(a.kind)]
        return found[0] if found else None

    def missing_function(self) -> str:
        """Why it cannot be in a file."""
        return f"{self.name} has a Python function ({self.function}), which a file cannot hold"


def _is_function(kind: Kind | None) -> bool:
    """True if it is a function, or several, and can be nothing else."""
    if kind is None or not kind.function:
        return kind is not None and _is_function(kind.entry)
    return replace(kind, function=False, nothing=False) == Kind()


def arguments_of(make: Callable[..., Any]) -> dict[str, Argument]:
    """The arguments of a class or function, with what they may be."""
    hints = typing.get_type_hints(make.__init__ if inspect.isclass(make) else make)
    found = {}
    for key, p in inspect.signature(make).parameters.items():
        kind, many = kind_of(hints.get(key, Any)), p.kind is p.VAR_POSITIONAL
        found[key] = Argument(key, Kind(entry=kind) if many else kind, p.default, many)
    return found


def fits(found: type, wanted: type) -> bool:
    """True if a class is one of the wanted kind; a protocol asks for its methods."""
    if getattr(wanted, "_is_protocol", False):
        methods = [n for n, member in vars(wanted).items() if inspect.isfunction(member)]
        return all(hasattr(found, n) for n in methods if not n.startswith("_"))
    return issubclass(found, wanted)


def concrete(cls: Any) -> bool:
    """True if objects of a public class can be made: bases have no arguments of their own."""
    if not inspect.isclass(cls) or issubclass(cls, BaseException) or inspect.isabstract(cls):
        return False
    return cls is not Model


@cache
def _made(name: str) -> Word:
    """The word of a public name, or of one beside them."""
    if name in OTHERS:
        module, own = OTHERS[name]
        return Word(name, getattr(importlib.import_module(module), own))
    return Word(name, public_names.value(name))


@cache
def words() -> Mapping[str, Word]:
    """All words by name. Everything public is loaded; ``word_of`` knows a word alone."""
    public = {n: public_names.value(n) for n in public_names.paths()}
    classes = {n: c for n, c in public.items() if concrete(c) and not _is_base(c)}
    known = {n: _made(n) for n in (*MAKERS, *OTHERS)}
    wanted: list[Any] = [base for bases in ITEMS.values() for base in bases] + [Event]
    wanted += [c for a in simulation().values() for c in a.kind.classes]
    found: dict[str, Word] = {}
    while wanted:
        base = wanted.pop()
        for name, cls in classes.items():
            if name not in found and fits(cls, base) and name not in NO_WORDS:
                found[name] = _made(name)
                wanted += _classes_of(found[name])
    return dict(sorted((found | known).items()))


def _classes_of(word: Word) -> list[type]:
    kinds = [a.kind for a in word.arguments.values()]
    found: list[type] = []
    while kinds:
        kind = kinds.pop()
        found += kind.classes
        kinds += [k for k in (kind.entry, kind.values, *sum(kind.rows, ())) if k is not None]
    return found


def _is_base(cls: type) -> bool:
    """True if a class is there to be derived from: it has no constructor of its own."""
    return "__init__" not in vars(cls) and any(
        inspect.isclass(c) and issubclass(c, cls) and c is not cls
        for c in map(public_names.value, public_names.paths())
    )


@cache
def simulate_word() -> Word:
    """The options of a run, as a word."""
    return Word(OWNER, RunOptions.of)


def simulation() -> Mapping[str, Argument]:
    """The settings of a run: what ``simulate`` is given beside the model."""
    found = simulate_word().arguments
    return {n: a for n, a in found.items() if n not in NO_SETTINGS}


@cache
def choices(classes: tuple[type, ...]) -> Mapping[str, Word]:
    """The words that make something of one of these classes."""
    return {n: w for n, w in words().items() if any(fits(w.gives, c) for c in classes)}


@cache
def word_of(name: str | None, classes: tuple[type, ...]) -> Word | None:
    """The word of a name that makes something of one of these classes, without loading others.

    Without a name it is the only word there is. None says that all words must be asked:
    `choices`. The classes are those of items, named values or arguments of words, so that
    whatever makes them is a word.
    """
    if name is None:
        only = classes[0].__name__ if len(classes) == 1 else ""
        alone = only in ALONE and public_names.value(only) is classes[0]
        return _made(only) if alone else None
    if name in MAKERS or name in OTHERS:
        word = _made(name)
    elif name in public_names.paths() and name not in NO_WORDS:
        word = _made(name)
        # One without a constructor may be a base of others
        if not concrete(word.make) or "__init__" not in vars(word.make):
            return None
    else:
        return None
    return word if any(fits(word.gives, c) for c in classes) else None


def values_of(group: str) -> tuple[type, ...]:
    """What may be in a group of named values."""
    return tuple(public_names.value(c) if isinstance(c, str) else c for c in VALUES[group])


Units = tuple[str, ...]


@cache
def units_of(word: Word, field: str) -> Units:
    """Units that fit a field, "*" for any; none if only plain numbers do."""
    declared = getattr(word.make, "declared_fields", {})
    if field in declared:
        units: Units = declared[field].declaration.units
        return units
    return COMMON.get(field) or from_docstrings(word.make, field)


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
    """True if a unit is one of those expected."""
    known = [unit(name) for name in expected if name != "*"]
    return "*" in expected or any(u is not None and given.fits(u) for u in known)


def expected_units(units: Units) -> str:
    """Expected units, in words."""
    if not units:
        return "a plain number, because no unit is known for it"
    return f"a number in {' or '.join(units)}"
