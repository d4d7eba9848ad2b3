"""Reference of the public interface, made from docstrings: one page for each room.

Every public name is on the page of the room it comes from, after it the classes
that public functions and properties return, found by their annotations.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from functools import cache, cached_property
from types import ModuleType
from typing import Any

import docstrings

import supple
from supple.foundation import public_names

# Pages by the rooms whose names are on them.
PAGES = {
    "model": (
        "Models",
        (
            *(
                "model",
                "foundation.frames",
                "events",
                "constraints.topology_changes",
                "state",
                "graph",
            ),
        ),
    ),
    "bodies": ("Bodies", ("bodies",)),
    "joints": ("Joints", ("joints",)),
    "forces": ("Forces and drives", ("forces",)),
    "constraints": ("Constraints and drivers", ("constraints",)),
    "signals": ("Signals", ("signals",)),
    "fem": ("Finite elements", ("fem",)),
    "reduction": ("Shapes of flexible bodies", ("reduction",)),
    "formulations": ("Formulations", ("formulations", "loops")),
    "integrators": ("Integrators", ("integrators",)),
    "analyses": ("Runs and analyses", ("analyses",)),
    "studies": ("Studies", ("studies", "sweeps", "certificates", "sensitivities")),
    "results": ("Results", ("results",)),
    "files": ("Model files, robots and FMUs", ("io",)),
    "cases": ("Cases", ("cases",)),
    "errors": ("Errors", ("foundation.errors",)),
}
ROOMS = {room: page for page, (_, rooms) in PAGES.items() for room in rooms}
# Rooms whose classes are shown if something public returns them.
RETURNED = (
    *("results", "analyses", "studies", "sweeps", "certificates", "sensitivities", "graph"),
    *("fem", "io", "cases"),
)
WORD = re.compile(r"[A-Za-z_]\w*")


def room(thing: Any) -> str:
    """The room of a class or function, by its module, or its module if PAGES names that."""
    name = thing.__name__ if isinstance(thing, ModuleType) else thing.__module__
    parts = name.split(".")
    own = ".".join(parts[1:3])
    return own if own in ROOMS else parts[1]


@cache
def public() -> dict[str, Any]:
    """Public classes and functions by what users write after ``sp.``, e.g. ``results.Result``."""
    names = public_names.paths()
    found = {names[name]: public_names.value(name) for name in sorted(names, key=str.lower)}
    return found | {f"cases.{own}": getattr(supple.cases, own) for own in supple.cases.__all__}


@cache
def returned() -> dict[str, Any]:
    """Classes that are not exported, but returned by what is, by name."""
    known: dict[str, type] = {}
    for folder in RETURNED:
        package = importlib.import_module(f"supple.{folder}")
        for module in pkgutil.walk_packages(package.__path__, f"supple.{folder}."):
            known |= _classes(importlib.import_module(module.name))
    exported = set(public().values())
    found: dict[str, Any] = {}
    waiting = list(public().values())
    while waiting:
        for word in _returns(waiting.pop()):
            thing = known.get(word)
            if thing is not None and thing not in exported and thing not in found.values():
                found[f"{room(thing)}.{word}" if word in public_names.paths() else word] = thing
                waiting.append(thing)
    return dict(sorted(found.items()))


def _classes(module: ModuleType) -> dict[str, type]:
    return {
        name: thing
        for name, thing in vars(module).items()
        if isinstance(thing, type) and thing.__module__ == module.__name__ and name[0] != "_"
    }


def _returns(thing: Any) -> set[str]:
    """Words in the annotations of what a function or the members of a class return."""
    if not isinstance(thing, type):
        return set(WORD.findall(str(getattr(thing, "__annotations__", {}).get("return", ""))))
    texts = [str(x) for x in inspect.get_annotations(thing).values()]
    for base in thing.__mro__:
        if base.__module__.startswith("supple"):
            texts += [_annotation(member) for _, member in _own(base)]
    return {word for text in texts for word in WORD.findall(text)}


def _annotation(member: Any) -> str:
    function = _function(member)
    return str(getattr(function, "__annotations__", {}).get("return", ""))


def _function(member: Any) -> Any:
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    return member.__func__ if isinstance(member, (classmethod, staticmethod)) else member


def _own(owner: type) -> list[tuple[str, Any]]:
    """Public methods and properties that a class defines itself and describes."""
    kinds = (property, cached_property, classmethod, staticmethod)
    return [
        (name, member)
        for name, member in vars(owner).items()
        if name[0] != "_"
        and (isinstance(member, kinds) or inspect.isfunction(member))
        and _function(member).__doc__
    ]


@cache
def everything() -> dict[str, list[tuple[str, Any]]]:
    """Names and things of each page: exported ones, then those that are returned."""
    found: dict[str, list[tuple[str, Any]]] = {page: [] for page in PAGES}
    for name, thing in [*public().items(), *returned().items()]:
        found[ROOMS[room(thing)]].append((name, thing))
    return found


@cache
def addresses() -> dict[str, str]:
    """Page and anchor of each name and, after a dot, of its members."""
    found = {
        name: f"{page}.md#{name}" for page, things in everything().items() for name, _ in things
    }
    return {name.rpartition(".")[2]: place for name, place in found.items()} | found


def contents() -> list[Any]:
    """Entries of the navigation."""
    return [
        "reference/index.md",
        *({title: f"reference/{page}.md"} for page, (title, _) in PAGES.items()),
    ]


def pages() -> dict[str, str]:
    """The pages as Markdown, by their places on the site."""
    made = {f"reference/{page}.md": _page(page) for page in PAGES}
    return {"reference/index.md": _index(), **made}


def _index() -> str:
    lines = ["# Reference", "", "Everything that `import supple as sp` offers, by subject."]
    for page, (title, _) in PAGES.items():
        exported = [name for name, _ in everything()[page] if name in public()]
        links = [f"[`{name}`]({page}.md#{name})" for name in exported]
        lines += ["", f"## [{title}]({page}.md)", "", " · ".join(links) or "(only returned)"]
    return "\n".join(lines) + "\n"


def _page(page: str) -> str:
    title, rooms = PAGES[page]
    parts = [f"# {title}", ""]
    if len(rooms) == 1:
        about = importlib.import_module(f"supple.{rooms[0]}").__doc__ or ""
        parts += [docstrings.markdown(about, addresses()), ""]
    told = False
    for name, thing in everything()[page]:
        if name not in public() and not told:
            parts += ["## What they return { #returned }", ""]
            told = True
        parts += _entry(name, thing)
    return "\n".join(parts) + "\n"


def _entry(name: str, thing: Any) -> list[str]:
    lines = [f"## {name} {{ #{name} }}" if name in public() else f"### {name} {{ #{name} }}", ""]
    lines += _code(f"{name}{_signature(thing)}" if name in public() else name)
    lines += [docstrings.markdown(inspect.getdoc(thing) or "", addresses()), ""]
    if isinstance(thing, type):
        lines += _members(thing)
    return lines


def _members(owner: type) -> list[str]:
    """Methods and properties; those of a base that has an entry are described there."""
    listed = {*public().values(), *returned().values()}
    bases = [b for b in owner.__mro__[1:] if b in listed]
    lines: list[str] = []
    if bases:
        names = {thing: name for name, thing in [*public().items(), *returned().items()]}
        links = [f"[`{names[b]}`]({addresses()[names[b]]})" for b in bases]
        lines += [f"Also what {', '.join(links)} has.", ""]
    inherited = {b for base in bases for b in base.__mro__}
    seen: set[str] = set()
    for base in owner.__mro__:
        if base in inherited or not base.__module__.startswith("supple"):
            continue
        for name, member in _own(base):
            if name not in seen:
                seen.add(name)
                lines += _member(name, member)
    return lines


def _member(name: str, member: Any) -> list[str]:
    function = _function(member)
    value = isinstance(member, (property, cached_property))
    call = "" if value else _signature(function, bound=not isinstance(member, staticmethod))
    text = docstrings.markdown(inspect.getdoc(function) or "", addresses())
    indented = "\n".join(f"    {line}" if line else "" for line in text.splitlines())
    return [f"`{name}{call}`{{ .member }}", "", f":{indented[1:]}", ""]


def _code(text: str) -> list[str]:
    return ["```python", text, "```", ""]


def _signature(thing: Any, bound: bool = False) -> str:
    """Arguments with annotations and defaults, as they are written in the sources."""
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):  # of an exception, for example
        return ""
    texts = [_argument(p) for p in parameters[bound:]]
    stars = [k for k, p in enumerate(parameters[bound:]) if p.kind is p.KEYWORD_ONLY]
    if stars and not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        texts.insert(stars[0], "*")
    line = f"({', '.join(texts)})"
    if len(line) <= 80 or bound:
        return line
    return "(\n" + "".join(f"    {text},\n" for text in texts) + ")"


def _argument(p: inspect.Parameter) -> str:
    stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    text = f"{stars}{p.name}"
    if p.annotation is not p.empty:
        given = p.annotation
        text += f": {given if isinstance(given, str) else inspect.formatannotation(given)}"
    if p.default is not p.empty:
        default = getattr(p.default, "__name__", None) or repr(p.default)
        text += f" = {default}" if p.annotation is not p.empty else f"={default}"
    return text
