"""What a model file asks to be written after a run: the result, and plots."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from supple.modelfiles.kinds import Kind
from supple.modelfiles.problems import unknown_key
from supple.modelfiles.reader import Reader
from supple.modelfiles.scope import Scope
from supple.modelfiles.tree import Node
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

    @property
    def paths(self) -> list[Path]:
        """All files that are written."""
        return [*(p for p in (self.save, self.html) if p is not None), *self.plots]

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
    plots = {}
    for key, example in (("save", "run.nc"), ("html", "run.html")):
        if key in node.value:
            given = node[key]
            if not isinstance(given.value, str):
                raise scope.unexpected(given, f"a path, e.g. {example}")
            written[key] = reader.path(given, given.value, scope)
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
    return Outputs(scope.folder, written["save"], written["html"], plots)
