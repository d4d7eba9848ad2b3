"""Study files: a sweep of a model file, written in YAML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from supple.foundation.atomic_files import check_picture, make_folder
from supple.foundation.errors import ModelError, SuppleError
from supple.foundation.input_files import existing, inside, path_of, read_text
from supple.io.modelfiles import tree
from supple.io.modelfiles.parts import VERSION
from supple.io.modelfiles.problems import NotedError, Problems, unknown_key
from supple.io.modelfiles.scope import Scope
from supple.io.modelfiles.tree import Node
from supple.sweeps.readings import readings
from supple.sweeps.study import Sweep
from supple.sweeps.sweep import sweep

EXPECTED = "a study file"
REQUIRED = ("supple", "model", "parameters", "outputs")
NUMBERS = ("runs", "seed", "t_end", "time_limit")
KEYS = (*REQUIRED, "description", "design", *NUMBERS, "folder", "figures")
FIGURES = ("effects", "scatter", "bands")


class StudyFile:
    """A study file that has been read.

    Parameters
    ----------
    path : str or path
        Of the file. The model file, and what is written, are in its folder.

    Attributes
    ----------
    model : path of the model file
    folder : path of the folder of the table; by default the file's name with "-runs"
    asked : arguments of `sweep`
    figures : kind and output of each picture by its path

    Raises ``ModelFileError`` with all problems of the file.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = existing(path_of("StudyFile", "path", path), EXPECTED)
        self.problems = Problems()
        self.scope = Scope(self.problems, self.path.parent)
        self.model, self.folder = self.path, self.path.with_name(f"{self.path.stem}-runs")
        self.asked: dict[str, Any] = {}
        self.figures: dict[Path, tuple[str, str]] = {}
        try:
            self._read(tree.parse(read_text(self.path, EXPECTED), self.path.name, self.problems))
        except NotedError:
            pass
        self.problems.raise_if_any()

    def _read(self, top: Node) -> None:
        if not top.is_mapping:
            raise self.scope.unexpected(top, f"keys: {', '.join(KEYS)}")
        for key, child in top.value.items():
            if key not in KEYS:
                self.problems.note(top.keys[key], child.key, unknown_key(key, KEYS))
        for key in REQUIRED:
            if key not in top.value:
                self.scope.wrong(top, f"no {key} found, expected it")
        if "supple" in top.value and (
            top["supple"].value != VERSION or top["supple"].value is True
        ):
            self.scope.unexpected(top["supple"], f"{VERSION}, the version of the format")
        for key, child in top.value.items():
            if key in KEYS:
                try:
                    self._key(key, child)
                except NotedError:
                    continue

    def _key(self, key: str, node: Node) -> None:
        if key in ("model", "folder"):
            setattr(self, key, self._path(node, node.value))
        elif key in NUMBERS:
            if not isinstance(node.value, (int, float)) or isinstance(node.value, bool):
                raise self.scope.unexpected(node, "a number")
            self.asked[key] = node.value
        elif key == "design":
            if not isinstance(node.value, str):
                raise self.scope.unexpected(node, "a design, e.g. latin")
            self.asked[key] = node.value
        elif key == "parameters":
            if not node.is_mapping:
                raise self.scope.unexpected(node, "names with values, e.g. {L: [1.0, 1.2]}")
            self.asked[key] = plain(node)
        elif key == "outputs":
            if not isinstance(node.value, (str, tuple, dict)):
                raise self.scope.unexpected(node, "texts, e.g. [pin.angle @ max]")
            self.asked[key] = plain(node)
        elif key == "figures":
            self._figures(node)

    def _figures(self, node: Node) -> None:
        if not node.is_mapping:
            expected = "pictures with what they show, e.g. {pin.png: [effects, pin.angle @ max]}"
            raise self.scope.unexpected(node, expected)
        for name, child in node.value.items():
            what = plain(child)
            if not isinstance(what, list) or len(what) != 2 or what[0] not in FIGURES:
                self.scope.unexpected(child, f"one of {', '.join(FIGURES)} and an output")
                continue
            path = self._path(child, name)
            try:
                check_picture(path)
            except SuppleError as error:
                self.scope.wrong(child, str(error))
            self.figures[path] = (what[0], " ".join(str(what[1]).split()))

    def _path(self, node: Node, text: Any) -> Path:
        folder = self.path.parent
        good = isinstance(text, str) and text.strip() and "\0" not in text
        if not good or Path(text).is_absolute() or not inside(folder / text, folder):
            raise self.scope.unexpected(node, "a path that does not leave the folder of the file")
        return folder / str(text)

    def run(self, **changes: Any) -> Sweep:
        """Make the sweep and draw its figures; ``changes`` are further arguments of `sweep`."""
        given: dict[str, Any] = {**self.asked, "folder": self.folder, **changes}
        self._expect_figures(given["outputs"])
        found = sweep(self.model, given.pop("parameters"), **given)
        for path, (kind, output) in self.figures.items():
            make_folder(path.parent)
            getattr(found, f"plot_{kind}")(output, path)
        return found

    def _expect_figures(self, outputs: Any) -> None:
        """Refuse figures of outputs that the study does not have, before any run."""
        kinds = {reading.name: reading.is_history for reading in readings(outputs)}
        for kind, output in self.figures.values():
            if kinds.get(output) is not (kind == "bands"):
                which = "histories" if kind == "bands" else "numbers"
                known = [name for name, history in kinds.items() if history is (kind == "bands")]
                raise ModelError.plain(
                    f"{self.path.name}: the figure {kind} is of {output!r}, expected one of the "
                    f"outputs that are {which} ({', '.join(known) or 'there are none'})"
                )


def plain(node: Node) -> Any:
    """The value of a node in plain Python."""
    if isinstance(node.value, Mapping):
        return {key: plain(child) for key, child in node.value.items()}
    if isinstance(node.value, tuple):
        return [plain(child) for child in node.value]
    return node.value
