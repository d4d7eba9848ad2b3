"""Second attempt with dense matrices after singular fronts.

Fronts (``core/linalg/multifrontal.py``) exchange rows within themselves only. That of a body
without inertia is singular as long as the rows that hold it are still to come; whole matrices have
no such places.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from supple.analyses.run.options import RunOptions
from supple.core.base import layout as at
from supple.engine.sparsity.mass_solver_choice import Linear
from supple.formulations.base import Formulation
from supple.foundation.errors import SuppleError
from supple.graph.tree_choice import Tree
from supple.integrators.run.driver import Solution
from supple.integrators.run.outcomes import lost_pivots
from supple.model import Model
from supple.results.result import Result

MOST = 400  # velocities and rows up to which a factorization takes less than some 0.1 s
Examined = tuple[Result, list[str]]  # a result, and what is to be doubted about it


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
