"""simulate and prepare: from a model to a result, once or as often as one likes.

One walk leads from a model to a result: check, spanning tree, compiled buffers, assembly, run,
result. All but the last two do not depend on the run. They are made here when they are first asked
for, and kept.

A run that stops at singular fronts is made again with dense matrices. Fronts
(``core/linalg/multifrontal.py``) exchange rows within themselves only. That of a body
without inertia is singular as long as the rows that hold it are still to come; whole matrices have
no such places.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect
from supple.analyses.run.checkpointing import Kept
from supple.analyses.run.options import OWNER, MethodOptions, RunOptions, SimulateOptions, takes
from supple.analyses.run.outcome import examined, result_at_start
from supple.analyses.run.phases import integrated
from supple.analyses.run.problem import Compilation, problem_of
from supple.core.base import layout as at
from supple.engine.sparsity.solver_choice import Linear
from supple.formulations.base import Formulation
from supple.foundation.errors import SuppleError, warn_caller
from supple.foundation.frames import System
from supple.foundation.progress import told
from supple.graph.tree_choice import Tree
from supple.integrators.run.driver import Problem, Progress, Solution
from supple.integrators.run.interruption import Interruption
from supple.integrators.run.outcomes import lost_pivots
from supple.results.data.run_data import StartChange
from supple.results.result import Result

if TYPE_CHECKING:
    from supple.model import Model

MOST = 400  # velocities and rows up to which a factorization takes less than some 0.1 s
Examined = tuple[Result, list[str]]  # a result, and what is to be doubted about it


@takes(SimulateOptions)
def simulate(model: Model, t_end: float, **options: Unpack[SimulateOptions]) -> Result:
    """Simulate a model from its initial coordinates to ``t_end`` (s).

    Parameters
    ----------
    start : State, Result, "static" or "quasi-static", optional
        Where the run starts: ``result.state(k)``, the last instant of a result of the same model,
        in any formulation, or what `assemble` returns; "static": at rest in the equilibrium that
        `statics` finds at t = 0 s. By default t = 0 s and the joints' initial coordinates and
        rates; "quasi-static": so, with flexible bodies deflected as gravity, loads and the inertia
        of this motion ask, so that they do not begin to vibrate.
    formulation : JointCoordinates, Absolute or Branch, optional
        The choice of coordinates: another spanning tree of the same model.
    integrator : Radau, DormandPrince, BDF, Adams, GeneralizedAlpha, HHT, Newmark or EnergyScheme
        The method and its options; Radau by default.
    tolerance : "loose", "default", "tight", rtol, or (rtol, atol)
        Error per step, relative to 1 rad, to the model's length and to the rates.
    output : int, float or array, optional
        Number of equal intervals (500 by default), their length in s (a float), or the times (s).
    events : Event or sequence of Event
        Instants to be found; a terminal one ends the run.
    progress : bool or callable, optional
        By default a run that takes longer than 2 s tells in a line how far it is, in a terminal or
        a notebook only; True: everywhere, False: never. A callable is called instead with the time
        reached, some thirty times a second.
    checkpoint : path, optional
        Of a file from which `resume` goes on, should the run be stopped or killed.
    every, interval : float, optional
        s of the clock, and of simulated time, between checkpoints; every 30 s by default.
    output_to : path, optional
        Of a file (HDF5) that states at output times go to while the run is made, so that they need
        not fit into memory; `open_run` reads it.

    A run that fails returns what it has, with ``success`` False, a ``message`` and a warning. So
    does one that is stopped by Ctrl-C; a second Ctrl-C raises KeyboardInterrupt at once.
    Many runs of one model are quicker with `prepare`.
    """
    expect(OWNER, "model", model, System, "a Model")
    return warned(prepare(model).run(RunOptions.of(t_end, **options)))


def prepare(model: Model) -> Prepared:
    """Check a model and keep what runs of it share: ``prepare(model).simulate(2.0)``.

    Later changes of the model do not matter to what was prepared.
    """
    expect("prepare", "model", model, System, "a Model")
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
        """Return a prepared model with other values of its items.

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


@dataclass(frozen=True)
class WholeMatrices(Formulation):
    """The coordinates of another formulation, with whole matrices."""

    other: Formulation

    def tree(self, model: Model) -> Tree | None:
        """Spanning tree of the other one."""
        return self.other.tree(model)

    def way(self) -> Linear | None:
        """Whole matrices."""
        return "dense"


def with_whole_matrices(given: RunOptions, result: Result) -> RunOptions | None:
    """Options of another try at a run that stopped; None if it ran, or if there is none.

    There is none for large models, where a way of solution was asked for, where Newton's iterations
    converged nevertheless, and for runs that are kept: their files hold what was done so far.
    """
    c, statistics = result.data.compiled, result.statistics
    if result.success or result.stopped or given.keeping is not None:
        return None
    if c.ints[at.H_ASKED] != at.AUTOMATIC or c.nu + c.nr > MOST:
        return None
    if statistics["newton"] != "blocks" or not lost_pivots(statistics):
        return None
    if not statistics["newton_failures"]:
        return None
    return replace(given, formulation=WholeMatrices(given.coordinates))


def repeated(
    run: Callable[[RunOptions, Result | None], Examined], given: RunOptions, first: Examined
) -> Examined:
    """The result of a run; of the same run with whole matrices, if blocks failed.

    Where that cannot even begin, the first one stays.
    """
    again = with_whole_matrices(given, first[0])
    if again is None:
        return first
    try:
        return run(again, first[0])
    except SuppleError:
        return first


def after(failed: Result | None, solution: Solution) -> Solution:
    """A solution whose statistics tell of the run that failed before it, if there was one."""
    if failed is None:
        return solution
    count, t = solution.statistics, failed.state().t
    seconds = float(count["cpu_seconds"]) + float(failed.statistics["cpu_seconds"])
    way = f"{count['newton']}, after blocks failed at t = {t:.6g} s"
    return solution._replace(statistics={**count, "cpu_seconds": seconds, "newton": way})
