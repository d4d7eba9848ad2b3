"""Runs with other elements than the model's: how far they are from it while they are refined."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from supple.analyses.run.options import RunOptions
from supple.analyses.run.simulate import Prepared
from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError
from supple.model import Model
from supple.results.result import Result
from supple.studies.comparison import Comparison, Table, compared
from supple.studies.crosscheck.runs import Scales, run_to_end
from supple.studies.formulation_choices import Way, equations_of
from supple.studies.interpolation import Interpolant


@dataclass(frozen=True, eq=False)
class Refinement:
    """A formulation with elements of its own, at several levels.

    Attributes
    ----------
    levels, counted : numbers of elements, and which
    differences : (n,) largest difference of each level to the reference, over the scale
    changes : (n - 1,) largest change from each level to the next
    order : by which changes fall when elements are halved; NaN if they are rounding
    t, apart : (nt,) s, and the largest difference of the finest level
    worst, at : the quantity with the largest difference of the finest level, and its time, s
    result : the run of the finest level
    family : the equations of the coarsest level, which may be those of the reference
    seconds : processor time of all runs
    """

    levels: tuple[int, ...]
    counted: str
    differences: Array
    changes: Array
    order: float
    t: Array
    apart: Array
    worst: str
    at: float
    result: Result
    family: frozenset[str]
    seconds: float


def refined(prepared: Prepared, options: RunOptions, way: Way, reference: Result) -> Refinement:
    """Run a way at all its levels; raises `SuppleError` with the reason if a run fails."""
    model = prepared.model
    first = placed(reference, model)
    runs = [run_to_end(prepared, replace(options, formulation=form)) for _, form in way.levels]
    tables = [placed(run, model) for run in runs]
    found = [compared((reference, run), (first, t)) for run, t in zip(runs, tables, strict=True)]
    scales = Scales(found[-1]).of
    steps = [
        compared((runs[k], runs[k + 1]), (tables[k], tables[k + 1])) for k in range(len(runs) - 1)
    ]
    changes = np.array([_apart(c, scales).max() for c in steps])
    apart = _apart(found[-1], scales)
    names = [name for name in found[-1].differences if scales[name] > 0.0]
    worst = max(names, key=lambda name: found[-1][name].max / scales[name])
    small = changes[-1] <= options.tolerances[0]  # that of the integration
    ratio = np.nan if small else changes[-2] / changes[-1]
    return Refinement(
        levels=tuple(number for number, _ in way.levels),
        counted=way.counted,
        differences=np.array([_apart(c, scales).max() for c in found]),
        changes=changes,
        order=float(np.log2(ratio)),
        t=found[-1].t,
        apart=apart,
        worst=worst,
        at=found[-1][worst].at,
        result=runs[-1],
        family=equations_of(runs[0].data.compiled),
        seconds=sum(float(r.statistics.get("cpu_seconds", 0.0)) for r in runs),
    )


def placed(result: Result, model: Model) -> Table:
    """Joint coordinates, poses of rigid bodies and places all over the others, by name.

    They mean the same whatever the frame of a flexible body is, and however fine it is.
    """
    table: Table = {}

    def add(name: str, units: str, values: Array, turns: bool = False) -> None:
        if not np.all(np.isfinite(values)):
            raise SuppleError(f"{name} is not finite")
        table[name] = Interpolant(name, units, result.t, (values,), turns=turns)

    for name, joint in model.joints.items():
        if joint.nq == joint.nu:  # others are seen by the bodies that they join
            named = zip(joint.coordinate_names, joint.units, strict=True)
            for k, (coordinate, units) in enumerate(named):
                add(f"{name}.{coordinate}", units, result[name].coordinates[:, [k]])
    for name in model.point_masses:
        add(f"{name}.position", "m", result[name].position)
    for name, body in model.bodies.items():
        if not body.deforms:
            add(f"{name}.position", "m", result[name].position)
            add(f"{name}.rotation", "rad", result[name].rotation, turns=True)
            continue
        for place in body.spread_places:
            where = f"{name}@{', '.join(f'{x:g}' for x in place)}.position"
            add(where, "m", result[name].at(*place).position)
    return table


def _apart(found: Comparison, scales: dict[str, float]) -> Array:
    """Largest difference over the scale at each time (nt,)."""
    parts = [d.values / scales[n] for n, d in found.differences.items() if scales[n] > 0.0]
    return np.max(parts, axis=0) if parts else np.zeros(len(found.t))
