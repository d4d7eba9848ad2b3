"""Files that a model file asks for after a run: the result, and plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from supple.foundation.atomic_files import check_picture, check_target
from supple.foundation.errors import SuppleError
from supple.io.modelfiles.kinds import Kind
from supple.io.modelfiles.problems import Problems, unknown_key
from supple.io.modelfiles.reader import Reader
from supple.io.modelfiles.scope import Scope
from supple.io.modelfiles.tree import Node
from supple.results.files.dataset import ENERGIES, Track, variables
from supple.results.plot import asked
from supple.results.result import Result

KEYS = {
    "save": Kind(path=True),
    "html": Kind(path=True),
    "plots": Kind(values=Kind(text=True, entry=Kind(text=True))),
}


@dataclass(frozen=True)
class Outputs:
    """What is written after a run, in the folder of the file.

    save : path of the result (NetCDF), or None
    html : path of a page that plays the motion, or None
    plots : path of each picture, and what it shows
    """

    folder: Path
    save: Path | None
    html: Path | None
    plots: dict[Path, tuple[str, ...]]
    nodes: Mapping[Path, Node] = field(default_factory=dict)  # where the file asks for them

    @property
    def paths(self) -> list[Path]:
        """All files that are written."""
        return [*(p for p in (self.save, self.html) if p is not None), *self.plots]

    def expect(self, source: Path, start: Callable[[], Result]) -> None:
        """Refuse what could not be written after a run: places, pictures and what they show.

        ``source`` is the model file, ``start`` gives the result at the first instant of the run.
        """
        found, seen = Problems(), {source.resolve(): "the model file"}
        for path in self.paths:
            node, place = self.nodes[path], path.resolve()
            if place in seen:
                found.note(node.place, node.key, f"it is {seen[place]}, expected another file")
            seen[place] = "another output"
            try:
                check_target(path)
                if path in self.plots:
                    check_picture(path)
            except SuppleError as error:
                found.note(node.place, node.key, str(error))
        found.raise_if_any()
        if any(map(_known_before, chain(*self.plots.values()))):
            result = start()
            known = Track(result.t, variables(result), {})
            for path, what in self.plots.items():
                try:
                    asked(known, [*filter(_known_before, what), "com"])
                except SuppleError as error:
                    found.note(self.nodes[path].place, self.nodes[path].key, str(error))
            found.raise_if_any()

    def write(self, result: Result) -> None:
        """Write all of it."""
        if self.save is not None:
            result.save(self.save)
        if self.html is not None:
            result.to_html(self.html)
        for path, what in self.plots.items():
            result.plot(*what, path=path)


def read_outputs(reader: Reader, node: Node, scope: Scope) -> Outputs:
    """The outputs of a file."""
    if not node.is_mapping:
        raise scope.unexpected(node, "keys such as save and plots")
    for key, child in node.value.items():
        if key not in KEYS:
            raise scope.wrong(child, unknown_key(key, KEYS))
    written: dict[str, Path | None] = {"save": None, "html": None}
    plots, nodes = {}, {}
    for key, example in (("save", "run.nc"), ("html", "run.html")):
        if key in node.value:
            given = node[key]
            if not isinstance(given.value, str):
                raise scope.unexpected(given, f"a path, e.g. {example}")
            written[key] = path = reader.path(given, given.value, scope)
            nodes[path] = given
    if "plots" in node.value:
        drawn = node["plots"]
        if not drawn.is_mapping:
            raise scope.unexpected(
                drawn, "paths with what they show, e.g. {pin.png: [pin, energy]}"
            )
        for name, child in drawn.value.items():
            what = reader.value(child, Kind(text=True, entry=Kind(text=True)), scope)
            path = reader.path(child, name, scope)
            plots[path] = (what,) if isinstance(what, str) else what
            nodes[path] = child
    return Outputs(scope.folder, written["save"], written["html"], plots, nodes)


def _known_before(name: str) -> bool:
    """Whether the first instant can say if a result has this; some energies come with the run."""
    head, _, kind = name.partition(".")
    return not (head == "energy" and (not kind or kind in ENERGIES))
