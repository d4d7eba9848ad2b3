"""prepare: a model ready to be simulated, as often as one likes.

One walk leads from a model to a result: check, spanning tree, compiled buffers, assembly, run,
result. All but the last two do not depend on the run. They are made here when they are first asked
for, and kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect
from supple.analyses.run.checkpointing import Kept
from supple.analyses.run.compilation import Compilation
from supple.analyses.run.dense_retry import Examined, after, repeated
from supple.analyses.run.options import MethodOptions, RunOptions, SimulateOptions, takes
from supple.analyses.run.outcome import examined, result_at_start
from supple.analyses.run.phases import integrated
from supple.analyses.run.problem import problem_of
from supple.formulations.base import Formulation
from supple.foundation.errors import warn_caller
from supple.foundation.progress import told
from supple.integrators.run.driver import Problem, Progress
from supple.integrators.run.interruption import Interruption
from supple.model import Model
from supple.results.data.start_changes import StartChange
from supple.results.result import Result


def prepare(model: Model) -> Prepared:
    """Check a model and keep what runs of it share: ``prepare(model).simulate(2.0)``.

    Later changes of the model do not matter to what was prepared.
    """
    expect("prepare", "model", model, Model, "a Model")
    model.check()
    return Prepared(model.copy())


class Prepared:
    """A model that is checked and, after the first run, compiled and assembled; see `prepare`.

    Attributes
    ----------
    model : the model as it was prepared; it must not be changed
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._compilation = Compilation(model)
        self._others: dict[Formulation, Prepared] = {}  # with bodies that are written otherwise

    @takes(SimulateOptions)
    def simulate(self, t_end: float, **options: Unpack[SimulateOptions]) -> Result:
        """Simulate the model as `supple.simulate` does, with the same arguments and results."""
        return warned(self.run(RunOptions.of(t_end, **options)))

    def with_values(
        self, changes: Mapping[str, Mapping[str, Any]], gravity: ArrayLike | None = None
    ) -> Prepared:
        """A prepared model with other values of its items.

        Parameters
        ----------
        changes : mapping
            Fields to change by the name of the item, as for ``Model.replace``:
            ``{"elbow": {"initial": 0.3}, "link2": {"mass": 6.0}, "motor": {"signal": Sine(2.0)}}``.
        gravity : (3,) m/s2, optional
            Another acceleration of gravity.

        Its runs are those of a model that is written down with these values. What the change does
        not touch is kept: the spanning tree; with other initial values of joints the compiled
        buffers; with other values of forces the assembly.
        """
        expect("with_values", "changes", changes, Mapping, "a mapping of names to fields")
        model = self.model.copy()
        pairs = []
        for name, fields in changes.items():
            expect("with_values", f"changes[{name!r}]", fields, Mapping, "a mapping of fields")
            pairs.append((model[name], model.replace(name, **fields)))
        if gravity is not None:
            model.gravity = gravity
        model.check()
        other = Prepared(model)
        if gravity is None:
            self._compilation.hand_over(other._compilation, changes, pairs)
        return other

    def _written(self, formulation: Any) -> Prepared | None:
        """The model as a formulation writes its bodies, prepared; None if that is no other."""
        if not isinstance(formulation, Formulation):
            return None
        if formulation not in self._others:
            model = formulation.written(self.model)
            if model is self.model:
                return None
            self._others[formulation] = Prepared(model)
        return self._others[formulation]

    def run(self, options: RunOptions, kept: Kept | None = None) -> Examined:
        """A run, and what is to be doubted about it."""
        kept = Kept(self.model, options) if kept is None else kept
        other = self._written(options.formulation)
        if other is not None:
            return other.run(_in_coordinates(options), kept)
        return repeated(partial(self._run, kept), options, self._run(kept, options))

    def _run(self, kept: Kept, options: RunOptions, failed: Result | None = None) -> Examined:
        """A run, maybe of something that failed in another way before."""
        shown, call = options.told
        with told("preparing the run", shown):
            _, problem, moved = self.problem(options, call)
            with Interruption() as ctrl_c:
                problem, moved = kept.equip(problem._replace(ctrl_c=ctrl_c), moved)
                solution, changes = integrated(self.model, problem, options.method)
                solution = after(failed, solution)
                kept.finish(solution, ctrl_c.requested() and not solution.success)
                with told("the run is done, its result is being examined"):
                    found = self.model, problem, options, solution, changes, moved
                    result, doubts = examined(*found)
        if ctrl_c.requested() and solution.success:
            doubts.append("Ctrl-C came when the run had reached its end: its result is complete")
        return result, doubts

    def problem(
        self, options: RunOptions, call: Progress | None = None
    ) -> tuple[Model, Problem, tuple[StartChange, ...]]:
        """The model as its formulation writes it, what an integrator gets, changes of the start."""
        other = self._written(options.formulation)
        if other is not None:
            return other.problem(_in_coordinates(options), call)
        return self.model, *problem_of(self._compilation, options, call)

    @takes(MethodOptions)
    def image(self, t_end: float, **options: Unpack[MethodOptions]) -> bytes:
        """A run at its start, to be made by a C program; the arguments are those of `simulate`.

        The bytes are for ``supple_create`` of ``supple.h``, see the how-to "Models in C programs".
        """
        from supple.integrators.methods.image import image

        asked = RunOptions(t_end, **options, output=1, owner="image")
        return image(self.problem(asked)[1], asked.method)


def _in_coordinates(options: RunOptions) -> RunOptions:
    """Options of a run of a model that its formulation has written otherwise."""
    return replace(options, formulation=options.formulation.coordinates())


def warned(found: Examined) -> Result:
    """The result of a run; what is to be doubted about it is a warning."""
    result, doubts = found
    for doubt in doubts:
        warn_caller(doubt)
    return result


def expect_run(prepared: Prepared, options: RunOptions) -> None:
    """Refuse whatever a run would refuse before its first step."""
    _, problem, _ = prepared.problem(options)
    options.method.begin(problem._replace(events=()))


def first_instant(prepared: Prepared, options: RunOptions) -> Result:
    """The result at the first instant of a run, which has the names of the whole one."""
    model, problem, _ = prepared.problem(replace(options, start=None))
    return result_at_start(model, problem)
