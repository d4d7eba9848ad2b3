"""Model files: a model, how it is run and what is written, all in one text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from supple.analyses.doctor.diagnosis import Diagnosis, Finding
from supple.analyses.run.options import OWNER, RunOptions
from supple.analyses.run.simulate import Prepared, expect_run, first_instant, prepare, warned
from supple.events import Event
from supple.foundation.errors import ModelError
from supple.foundation.input_files import confined, existing, path_of
from supple.foundation.validate import number
from supple.io.modelfiles.document import Document, Outputs
from supple.model import Model
from supple.results.result import Result


class ModelFile:
    """A model file that has been read.

    Parameters
    ----------
    path : str or path
        Of the file. Files that it names are in its folder.
    parameters : mapping, optional
        Numbers in SI units in place of what the file has under ``parameters``; those that are
        expressions of them follow.

    Attributes
    ----------
    model : Model
    parameters : dict
        The parameters of the file by name, in SI units.
    events : tuple of Event
    settings : dict
        What `simulate` is given beside the model and the events: t_end, tolerance, ...
    outputs : what is written after a run

    Raises ``ModelFileError`` with all problems of the file.
    """

    model: Model
    parameters: dict[str, float]
    events: tuple[Event, ...]
    settings: dict[str, Any]
    outputs: Outputs

    def __init__(
        self, path: str | Path, parameters: Mapping[str, float] = MappingProxyType({})
    ) -> None:
        self.path = existing(path_of("ModelFile", "path", path), "a model file")
        if not isinstance(parameters, Mapping):
            raise ModelError("ModelFile", "parameters", parameters, "names with numbers")
        given = {n: number("ModelFile", f"parameters[{n!r}]", v) for n, v in parameters.items()}
        document = Document(self.path, given)
        with confined(document.root):
            document.read()
        document.problems.raise_if_any()
        self.model, self.events = document.model, tuple(document.events)
        self.settings, self.outputs = document.settings, document.outputs
        self.parameters = document.parameters
        self._document = document

    def check(self) -> None:
        """Check the whole model with its events; errors have the line of the item."""
        with self._placed():
            self.model.check(self.events)

    def doctor(self) -> Diagnosis:
        """Examine the model as ``model.doctor()`` does; drivers until the end of the run."""
        end = self.settings.get("t_end")
        if end is not None:  # a time that is none is refused by `expect_run`
            return self.model.doctor(until=end) if 0.0 < end < math.inf else self.model.doctor()
        found = self.model.doctor()
        none = Finding("the file does not say how long a run is", "run it with --until", False)
        return replace(found, findings=(*found.findings, none))

    def expect_run(self) -> None:
        """Refuse whatever a run would refuse before its first step; errors have their line."""
        arguments = self._arguments({} if "t_end" in self.settings else {"t_end": 1.0})
        with self._placed():
            prepared = prepare(self.model)
            expect_run(prepared, arguments)
        self.expect_outputs(prepared, arguments)

    def expect_outputs(self, prepared: Prepared, arguments: RunOptions) -> None:
        """Refuse outputs that could not be written after a run of the prepared model."""
        self.outputs.expect(self.path, lambda: first_instant(prepared, arguments))

    def run(self, **changes: Any) -> Result:
        """Simulate the model as the file says and write its outputs; return the result.

        ``changes`` are further arguments of `simulate`, in place of what the file says. Outputs
        that cannot be written are refused before the run begins.
        """
        result = self._simulated(changes, outputs=True)
        self.outputs.write(result)
        return result

    def simulate(self, **changes: Any) -> Result:
        """Run without the outputs of the file."""
        return self._simulated(changes, outputs=False)

    def _simulated(self, changes: dict[str, Any], outputs: bool) -> Result:
        self.check()
        with self._placed(changes):
            arguments = self._arguments(changes)
            prepared = prepare(self.model)
        if outputs:
            self.expect_outputs(prepared, arguments)
        with self._placed(changes):
            found = prepared.run(arguments)
        return warned(found)

    def _arguments(self, changes: dict[str, Any]) -> RunOptions:
        """Arguments of `simulate`, from the file and beside it."""
        given = {**self.settings, **changes}
        if "t_end" not in given:
            raise ModelError.plain(f"{self.path.name}: there is no simulation: t_end, expected one")
        end = given.pop("t_end")
        return RunOptions.of(end, self.path, **{"events": self.events, **given})

    @contextmanager
    def _placed(self, changes: Mapping[str, Any] = MappingProxyType({})) -> Iterator[None]:
        """Errors meanwhile have the line of what they are about, unless it is not in the file."""
        try:
            yield
        except ModelError as error:
            if error.object == OWNER and error.field in changes:
                raise
            raise self._document.located(error) from None

    @property
    def written(self) -> list[Path]:
        """The files that a run writes."""
        return self.outputs.paths

    def __repr__(self) -> str:
        """The file and the size of its model."""
        return f"ModelFile({str(self.path)!r}: {self.model!r})"


def read_model(path: str | Path) -> Model:
    """Read the model of a model file; `ModelFile` also has its events and settings.

    Raises ``ModelFileError`` with all problems of the file, each with its line.
    """
    return ModelFile(path).model
