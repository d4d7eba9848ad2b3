"""Runs that are kept: checkpoints to go on from, and states that go to a file.

A file that a run is kept in holds the model as the text of a model file, the arguments of the run
and numbers; see ``foundation/check_sums.py``. It belongs to the version of Supple that wrote it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.analyses.base.arguments import starting_state
from supple.analyses.run.options import OWNER, Keeping, RunOptions
from supple.analyses.run.phases import phase_of
from supple.engine.base.compiled import Compiled
from supple.foundation import validate
from supple.foundation.atomic_files import write_whole
from supple.foundation.check_sums import pack, unpack
from supple.foundation.errors import FileError, ModelError, warn_caller
from supple.foundation.input_files import contained, existing
from supple.integrators.run.checkpoints import EXPECTED, Checkpoints, Data, of_solution
from supple.integrators.run.driver import Problem, Solution
from supple.integrators.run.line_ends import LineEnd
from supple.native import cache
from supple.results.data.run_data import StartChange
from supple.results.files.state_file import OutputFile, is_unfinished, opened
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from supple.model import Model

FORMAT = "supple run 1"
CHANGING = ("finished", "pending")  # what of a checkpoint is another in the next one
CLOSE = 1e-9  # relative difference of numbers of one model on two machines
_STATES = (
    "another path, since the states of a run are in it that is not over: `resume` goes on with it, "
    "or remove the file"
)
_NO_SAMPLES = "none in a run of a model with a SampledController, whose efforts are no states"
_NO_PHASES = "none in a run whose events change the model or have given instants"


@dataclass
class Kept:
    """One run that is kept."""

    model: Model
    arguments: RunOptions
    content: Data = field(default_factory=dict)  # what does not change while the run goes on
    file: OutputFile | None = None
    checkpoints: Checkpoints | None = None
    warned: bool = False  # that a checkpoint cannot be written

    def equip(
        self, problem: Problem, moved: tuple[StartChange, ...]
    ) -> tuple[Problem, tuple[StartChange, ...]]:
        """The problem of a run that is kept, and what constraints changed of its start."""
        keeping = self.arguments.keeping
        if keeping is None:
            return problem, moved
        changes = any(event.then or event.at is not None for event in problem.events)
        if keeping.output_to is not None and changes:
            raise ModelError(OWNER, "output_to", keeping.output_to.name, _NO_PHASES)
        if keeping.output_to is not None and problem.sampler is not None:
            raise ModelError(OWNER, "output_to", keeping.output_to.name, _NO_SAMPLES)
        known, compiled = keeping.goes_on, problem.equations.compiled
        if known is None:
            self.content = self._content(keeping, problem, moved)
        else:
            with contained("checkpoint", EXPECTED):
                refuse_other(known["compiled"], compiled, keeping.exact)
                self.content = {k: v for k, v in known.items() if k not in CHANGING}
                moved = tuple(StartChange(*row) for row in known["moved"])
        if keeping.output_to is not None:
            name = self.content["output_name"]
            goes_on = known is not None and any(known[name] for name in CHANGING)
            if known is not None and not goes_on:
                _refuse_foreign(keeping)
            if is_unfinished(keeping.output_to, name):
                raise ModelError(OWNER, "output_to", keeping.output_to.name, _STATES)
            self.file = OutputFile(keeping.output_to, problem.grid, name, goes_on)
        checkpoints = None
        if keeping.checkpoint is not None:
            before = ([], None) if known is None else [known[name] for name in CHANGING]
            if known is None:  # a path that cannot be written is told before the run
                refuse_unfinished(keeping.checkpoint)
                self._write([], None)
            checkpoints = Checkpoints(self._save, keeping.every, keeping.interval, *before)
            self.checkpoints = checkpoints
        return problem._replace(checkpoints=checkpoints, output_file=self.file), moved

    def finish(self, solution: Solution, stopped: bool) -> None:
        """Note that a run is over, unless it was stopped, and add to a file of states the rest."""
        if self.checkpoints is not None and not stopped:
            self.content["over"] = True
            self._save(self.checkpoints.finished, None)
        if self.file is not None:
            record = self.content | {"solution": of_solution(solution, rows=False)}
            self.file.write_record(
                bytes(pack(record)), over=self.checkpoints is None or not stopped
            )

    def _save(self, finished: list[Data], pending: Data | None) -> None:
        """Write a checkpoint; where that fails, as on a full disk, the run goes on."""
        try:
            self._write(finished, pending)
        except FileError as error:
            if not self.warned:
                warn_caller(f"simulate: {error}; the run goes on, its last checkpoint is kept")
            self.warned = True

    def _write(self, finished: list[Data], pending: Data | None) -> None:
        keeping = self.arguments.keeping
        assert keeping is not None and keeping.checkpoint is not None
        whole = self.content | {"finished": finished, "pending": pending}
        write_whole(keeping.checkpoint, pack(whole))

    def _content(self, keeping: Keeping, problem: Problem, moved: tuple[StartChange, ...]) -> Data:
        from supple.io.modelfiles.writer import archived

        a = self.arguments
        settings = {"integrator": a.integrator, "formulation": a.formulation}
        settings = {name: value for name, value in settings.items() if value is not None}
        folder = (keeping.checkpoint or keeping.output_to or Path()).parent
        events = [event for event in problem.events if not isinstance(event, LineEnd)]
        return {
            "format": FORMAT,
            "version": version(),
            "over": False,
            "archive": archived(self.model, events, settings),
            "source": _relative(keeping.source, folder),
            "compiled": numbers(problem.equations.compiled),
            "t_end": problem.t_end,
            "tolerance": [problem.rtol, problem.atol],
            "output": a.output if np.ndim(a.output) == 0 else problem.grid,
            "start": _of_start(a.start, problem.equations.compiled),
            "moved": [[m.name, m.asked, m.found, m.unit] for m in moved],
            "every": keeping.every,
            "interval": keeping.interval,
            "output_to": _relative(keeping.output_to, folder),
            "output_name": uuid.uuid4().hex,
        }


def _relative(path: Path | None, folder: Path) -> str | None:
    """A path as seen from a folder: both can be moved together."""
    if path is None:
        return None
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # on another drive
        return str(path.resolve())


def _of_start(start: Any, compiled: Compiled) -> Any:
    if not isinstance(start, (State, Result)):
        return start
    if phase_of(start) is not None:
        raise ModelError(
            OWNER, "start", "a state in which joints locked or let go", "none of a run that is kept"
        )
    s = starting_state(OWNER, start, compiled)
    return [s.t, s.q, s.u, s.z]


def numbers(compiled: Compiled) -> Data:
    """Numbers that tell two compiled models apart, without addresses of functions."""
    ints = compiled.ints.copy()
    ints[np.isin(ints, [callback.address for callback in compiled.callbacks])] = 0
    names = [*compiled.joints, *compiled.bodies, *compiled.force_names, *map(str, compiled.rows)]
    digest = hashlib.sha256("\n".join(names).encode() + ints.tobytes()).hexdigest()
    reals = compiled.reals.copy() if compiled.sampled else compiled.reals  # a run writes efforts
    return {"digest": digest, "reals": reals}


def refuse_other(kept: Data, compiled: Compiled, exact: bool) -> None:
    """Refuse a model that is not the one of a checkpoint."""
    here = numbers(compiled)
    before, now = np.asarray(kept["reals"]), here["reals"]
    same = kept["digest"] == here["digest"] and before.shape == now.shape
    if same and exact:
        same = bool(np.array_equal(before, now, equal_nan=True))
    elif same:  # on another machine the same model may be another by rounding
        size = float(np.max(np.abs(now[np.isfinite(now)]), initial=0.0))
        same = np.allclose(before, now, rtol=CLOSE, atol=1e-15 * size, equal_nan=True)
    if not same:
        raise ModelError.plain(
            "resume: the model is compiled to other numbers than those of the checkpoint, expected "
            + ("the model that it was written for" if exact else "the machine that wrote it")
        )


def version() -> list[str]:
    """Of Supple, and of its kernels, whose buffers are kept as they are in memory."""
    from supple import __version__

    return [__version__, cache.sources()]


def read_run(path: Path, content: bytes, expected: str) -> Data:
    """Content of a file of this version that a run was kept in."""
    with contained(path.name, expected):
        data = unpack(content)
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ModelError.plain(f"{path.name}: it holds something else, expected {expected}")
        if data["version"] != version():
            found = data["version"][0]
            raise ModelError.plain(
                f"{path.name}: another version of Supple wrote it ({found}), expected this one"
            )
        return data


def read_checkpoint(path: Path) -> Data:
    """Content of a checkpoint."""
    return read_run(path, existing(path, EXPECTED).read_bytes(), EXPECTED)


def refuse_unfinished(path: Path) -> None:
    """Refuse to begin a run in the place of one that can still go on, by whatever version."""
    content: Any = None
    if path.is_file():
        with contextlib.suppress(ModelError), contained(path.name, EXPECTED):
            content = unpack(path.read_bytes())
    if isinstance(content, dict) and "format" in content and not content.get("over", True):
        raise ModelError(
            OWNER,
            "checkpoint",
            path.name,
            "another path, since a run is in it that is not over: `resume` goes on with it",
        )


def _refuse_foreign(keeping: Keeping) -> None:
    """A checkpoint of a run that had not begun names no file but one of states, or a new one."""
    target, checkpoint = keeping.output_to, keeping.checkpoint
    assert target is not None and checkpoint is not None
    if target.exists():
        with opened(target):
            return
    if not target.resolve().is_relative_to(checkpoint.resolve().parent):
        raise ModelError.plain(
            f"{checkpoint.name}: its states are to be written to {target.name!r} in another "
            "folder, expected a file that is there"
        )


def kept_arguments(data: Data, folder: Path, **settings: Any) -> RunOptions:
    """The arguments of a run that was kept; ``settings`` come from its model file."""
    start, output_to = data["start"], data["output_to"]
    return replace(
        RunOptions(data["t_end"], **settings),
        start=State(*start) if isinstance(start, list) else start,
        tolerance=tuple(data["tolerance"]),
        output=data["output"],
        keeping=Keeping(
            None,
            validate.limit(OWNER, "every", data["every"]),
            validate.number(OWNER, "interval", data["interval"]),
            None if output_to is None else folder / output_to,
        ),
    )
