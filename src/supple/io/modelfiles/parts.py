"""The parts of a model file: its keys, its parameters, included files and repeated items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from supple.foundation.errors import ModelError
from supple.foundation.input_files import existing, inside, read_text
from supple.io.modelfiles import tree
from supple.io.modelfiles.problems import NotedError, Place, Problems, unknown_key
from supple.io.modelfiles.scope import INDEX, Scope, parameters
from supple.io.modelfiles.tree import Node
from supple.io.modelfiles.words import COUNT, ITEMS, VALUES

VERSION = 1
# Of all files together.
MOST_FILES = 100
MOST_ITEMS = 10_000
# Keys of a file, and those of one that is included.
OF_A_PART = ("supple", "description", "parameters", "include", "frames", *VALUES, *ITEMS)
OF_A_MODEL = ("name", "gravity", *OF_A_PART, "events", "simulation", "outputs")
_INCLUDED = ("file", "prefix", "with", COUNT)
_EXPECTED = "a model file"


class Spec(NamedTuple):
    """An item, value, frame or event of a file that is not made yet."""

    group: str
    name: str
    node: Node
    scope: Scope


@dataclass
class Content:
    """Everything that a file and those that it includes have, in order."""

    root: Path
    problems: Problems
    items: list[Spec] = field(default_factory=list)
    values: dict[str, Spec] = field(default_factory=dict)
    files: int = 0
    too_much: bool = False  # for anything to be made of it
    top: Node | None = None
    scope: Scope | None = None

    def read(self, path: Path, given: Mapping[str, float]) -> None:
        """Read the file of a model; ``given`` are parameters in place of those in the file."""
        scope = Scope(self.problems, self.root)
        self.top = self._file(path, path.name)
        self.scope = self._part(self.top, scope, (path,), dict(given), OF_A_MODEL)

    def _file(self, path: Path, shown: str) -> Node:
        self.files += 1
        start = Place(shown, 1, 1)
        if self.files > MOST_FILES:
            self.too_much = True
            raise self.problems.note(
                start, "", f"more than {MOST_FILES} files found, expected fewer"
            )
        try:
            if existing(path, _EXPECTED).stat().st_size > 4 * tree.MOST_CHARACTERS:
                found = f"more than {tree.MOST_CHARACTERS} characters found, expected fewer"
                raise self.problems.note(start, "", found)
            text = read_text(path, _EXPECTED)
        except ModelError as error:
            raise self.problems.note(start, "", str(error).removeprefix(f"{path.name}: ")) from None
        return tree.parse(text, shown, self.problems)

    def _part(
        self,
        node: Node,
        scope: Scope,
        above: tuple[Path, ...],
        given: dict[str, float],
        keys: tuple[str, ...],
    ) -> Scope:
        """Collect what a file has; return what its names mean."""
        if not node.is_mapping:
            raise scope.unexpected(node, "keys such as bodies and joints")
        for key, child in node.value.items():
            if key not in keys:
                self.problems.note(node.keys[key], child.key, unknown_key(key, keys))
        self._check_version(node, scope, keys)
        includes = self._includes(node)
        # what is merged comes first: parameters and counts here may use its parameters
        scope = self._merge([e for e in includes if not e.is_mapping], scope, above)
        scope = self._with_parameters(node, scope, given)
        specs = self._specs(node, scope)
        scope = replace(scope, own=scope.own | {spec.name for spec in specs})
        scope = self._merge([e for e in includes if e.is_mapping], scope, above)
        for spec in specs:
            whole = {**scope.values, **spec.scope.values}
            self._collect(spec._replace(scope=replace(scope, values=whole)))
        return scope

    def _with_parameters(self, node: Node, scope: Scope, given: dict[str, float]) -> Scope:
        """The scope with the parameters of a file."""
        listed = node.value.get("parameters")
        own = listed.value if listed is not None and listed.is_mapping else {}
        for name in given:
            if name not in own:
                expected = "expected it among its parameters"
                scope.wrong(node, f"the parameter {name!r} is given, {expected}")
        values = {**scope.values, **given}
        if listed is not None:
            try:
                values = parameters(scope, listed, given)
            except NotedError:
                pass
        return replace(scope, values=values)

    def _merge(self, entries: list[Node], scope: Scope, above: tuple[Path, ...]) -> Scope:
        """The scope with what included files add to it."""
        for entry in entries:
            try:
                merged = self._include(entry, scope, above)
            except NotedError:
                continue
            values = {**merged.values, **scope.values}
            scope = replace(scope, values=values, own=scope.own | merged.own)
        return scope

    def _check_version(self, node: Node, scope: Scope, keys: tuple[str, ...]) -> None:
        if "supple" in node.value:
            if node["supple"].value != VERSION or node["supple"].value is True:
                scope.unexpected(node["supple"], f"{VERSION}, the version of the format")
        elif keys is OF_A_MODEL:
            scope.wrong(node, f"no version found, expected supple: {VERSION}")

    def _specs(self, node: Node, scope: Scope) -> list[Spec]:
        """Items, values and frames of a file, repeated ones each."""
        found: list[Spec] = []
        for group in (*VALUES, "frames", *ITEMS, "events"):
            child = node.value.get(group)
            if child is None or child.value is None:
                continue
            if not child.is_mapping:
                scope.unexpected(
                    child, "names with what they are, e.g. {rod: {type: RigidBody, ...}}"
                )
                continue
            for name, entry in child.value.items():
                try:
                    found += self._repeated(group, name, entry, scope, MOST_ITEMS - len(found))
                except NotedError:
                    pass
        return found

    def _repeated(self, group: str, name: str, node: Node, scope: Scope, most: int) -> list[Spec]:
        numbers = self._count(node, scope)
        if numbers is None:
            return [Spec(group, name, node, scope)]
        if len(numbers) > most:
            self.too_much = True
            raise scope.unexpected(node[COUNT], f"at most {most} items, {MOST_ITEMS} in a file")
        found = [Spec(group, scope.at(k).filled(node, name), node, scope.at(k)) for k in numbers]
        if len({spec.name for spec in found}) < len(found):
            raise scope.wrong(
                node, f"{name!r} found, expected a name with {{{INDEX}}} for each of them"
            )
        return found

    def _count(self, node: Node, scope: Scope) -> range | None:
        """The numbers of a repeated part: ``count: 4``, or ``count: {from: 1, to: 4}``."""
        if not node.is_mapping or COUNT not in node.value:
            return None
        given = node[COUNT]
        if given.is_mapping and set(given.value) == {"from", "to"}:
            first, last = (self._whole(given[key], scope) for key in ("from", "to"))
        else:
            first, last = 0, self._whole(given, scope) - 1
        if last - first + 1 > MOST_ITEMS or abs(first) > 10**9:
            raise scope.unexpected(given, f"at most {MOST_ITEMS} items")
        if last < first - 1:
            raise scope.unexpected(given, "zero or more items")
        return range(first, last + 1)

    def _whole(self, node: Node, scope: Scope) -> int:
        if isinstance(node.value, str):
            return int(scope.number(node, node.value, whole=True))
        if not isinstance(node.value, int) or isinstance(node.value, bool):
            raise scope.unexpected(node, "an integer, or {from: 1, to: 4}")
        return node.value

    @staticmethod
    def _includes(node: Node) -> list[Node]:
        if "include" not in node.value or node["include"].value is None:
            return []
        given = node["include"]
        return list(given.value) if isinstance(given.value, tuple) else [given]

    def _include(self, node: Node, scope: Scope, above: tuple[Path, ...]) -> Scope:
        """Read an included file, as often as it is asked for; what it adds to the names here."""
        keyed = node.is_mapping
        if keyed:
            for key, child in node.value.items():
                if key not in _INCLUDED:
                    scope.wrong(child, unknown_key(key, _INCLUDED))
        file = node.value.get("file") if keyed else node
        if file is None or not isinstance(file.value, str):
            raise scope.unexpected(
                node, "a file, e.g. parts/leg.yaml, or {file: leg.yaml, prefix: left_}"
            )
        path = self._inner_path(file, scope)
        if path.resolve() in [p.resolve() for p in above]:
            raise scope.unexpected(file, "another file, because it includes this one")
        if len(above) > 20:
            raise scope.unexpected(file, "fewer files that include each other")
        if not path.is_file():
            raise scope.unexpected(file, "a file that is there")
        content = self._file(path, path.relative_to(self.root).as_posix())
        numbers = self._count(node, scope) if keyed else None
        if numbers is not None and len(numbers) > MOST_FILES:
            raise scope.unexpected(node[COUNT], f"at most {MOST_FILES}")
        merged = replace(scope, values={}, own=frozenset())
        for here in [scope] if numbers is None else [scope.at(k) for k in numbers]:
            prefix, given = self._of_include(node, here) if keyed else ("", {})
            inner = Scope(self.problems, path.parent, prefix=scope.prefix + prefix)
            inner = self._part(content, inner, (*above, path), given, OF_A_PART)
            if not prefix:
                merged = replace(inner, prefix=scope.prefix)
            else:
                merged = replace(merged, own=merged.own | {prefix + name for name in inner.own})
        return merged

    def _of_include(self, node: Node, scope: Scope) -> tuple[str, dict[str, float]]:
        """Prefix and parameters of an included part."""
        prefix, given = "", dict[str, float]()
        if "prefix" in node.value:
            text = node["prefix"].value
            if not isinstance(text, str) or not text:
                raise scope.unexpected(node["prefix"], "a text, e.g. left_")
            prefix = scope.filled(node["prefix"], text)
        for name, child in self._with(node, scope).items():
            if isinstance(child.value, str):
                given[name] = scope.number(child, child.value, ("*",))
            elif isinstance(child.value, (int, float)) and not isinstance(child.value, bool):
                given[name] = float(child.value)
            else:
                raise scope.unexpected(child, "a number or an expression")
        return prefix, given

    @staticmethod
    def _with(node: Node, scope: Scope) -> dict[str, Node]:
        if "with" not in node.value:
            return {}
        if not node["with"].is_mapping:
            raise scope.unexpected(node["with"], "parameters, e.g. {L: 0.4}")
        found: dict[str, Node] = node["with"].value
        return found

    def _inner_path(self, node: Node, scope: Scope) -> Path:
        text: Any = node.value
        given = Path(text)
        plain = text.strip() and "\0" not in text and not given.is_absolute()
        if not plain or not inside(scope.folder / given, self.root):
            raise scope.unexpected(node, "a path that does not leave the folder of the model file")
        found = (scope.folder / given).resolve()
        return found

    def _collect(self, spec: Spec) -> None:
        if len(self.items) >= MOST_ITEMS:
            self.too_much = True
            raise spec.scope.wrong(spec.node, f"more than {MOST_ITEMS} items found, expected fewer")
        name = spec.scope.prefix + spec.name
        spec = spec._replace(name=name)
        if spec.group in ITEMS or spec.group == "events":
            self.items.append(spec)
            return
        if name in self.values and self.values[name].node is not spec.node:
            other = self.values[name].node.place
            spec.scope.wrong(
                spec.node,
                f"the name is taken in line {other.line} of {other.file}, expected another",
            )
            return
        self.values[name] = spec
