"""Formulations by which a model can be expressed, with its own elements or with others.

Those with other elements are run at several levels: how far they are from the model while they are
refined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from supple.analyses.run.options import RunOptions
from supple.analyses.run.simulate import Prepared
from supple.engine.base.compiled import Compiled
from supple.engine.sparsity.solver_choice import Linear
from supple.formulations.ancf import ANCF
from supple.formulations.base import Formulation
from supple.formulations.deformation import DeformationModes
from supple.formulations.trees import Absolute, Branch, JointCoordinates
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SuppleError
from supple.graph.topology import FREE, Components
from supple.model import Model
from supple.results.result import Result
from supple.studies.comparison import Comparison, Interpolant, Table, compared
from supple.studies.crosscheck.runs import Scales, run_to_end

Tree = frozenset[str]
ELIMINATIONS: dict[Linear, str] = {
    "dense": "joint coordinates, whole mass matrix",
    "tree": "joint coordinates, order N",
}
REFINEMENTS = (1, 2, 4)  # parts in the place of each element
ELEMENTS = (8, 16, 32)  # of a beam with nodal vectors
BRANCHES = 2  # spanning trees beside joint and absolute coordinates


@dataclass(frozen=True)
class Way:
    """A formulation by its name.

    ``levels`` are the same with ever more elements, where elements are others than the model's;
    ``counted`` says what their numbers are. ``tree`` says that it is to have coordinates that no
    other way has.
    """

    name: str
    formulation: Formulation
    levels: tuple[tuple[int, Formulation], ...] = ()
    counted: str = ""
    tree: bool = False


def equations_of(compiled: Compiled) -> frozenset[str]:
    """Coordinates and rows that equations have: the same equations, the same set.

    Two trees can be the same equations: bodies with nodal vectors hang on nothing.
    """
    records = (compiled.joints, compiled.extra, compiled.deforming)
    places = [
        f"{name} {record.q.start} {record.u.start}"
        for each in records
        for name, record in each.items()
    ]
    return frozenset([*places, f"{compiled.nu} velocities, {compiled.nr} rows"])


def tree_of(model: Model, formulation: Formulation) -> Tree:
    """Names of the joints and free bodies that bring the coordinates."""
    return frozenset(edge.joint for edge in model.spanning_tree(formulation.tree(model)).tree)


def tree_ways(
    model: Model, first: Formulation, elimination: Linear
) -> tuple[list[Way], dict[str, str]]:
    """Ways with the model's own elements, and why others do not apply.

    ``first`` is the formulation of the reference, ``elimination`` how it finds accelerations.
    """
    ways: list[Way] = []
    missing: dict[str, str] = {}
    taken = {tree_of(model, first)}
    usual = JointCoordinates()
    if tree_of(model, usual) in taken:
        for way, name in ELIMINATIONS.items():
            if way != elimination:
                ways.append(Way(name, JointCoordinates(linear=way)))
    else:
        ways.append(Way("joint coordinates", usual, tree=True))
        taken.add(tree_of(model, usual))
    absolute = tree_of(model, Absolute())
    if absolute in taken:
        missing["absolute"] = "its coordinates are those of the reference: all bodies are free"
    else:
        ways.append(Way("absolute", Absolute(), tree=True))
        taken.add(absolute)
    count = 0
    for tree in _trees(model):
        if frozenset(tree) not in taken and count < BRANCHES:
            taken.add(frozenset(tree))
            count += 1
            ways.append(Way(f"branches {'AB'[count - 1]}", Branch(tree), tree=True))
    for k in range(count, BRANCHES):
        missing[f"branches {'AB'[k]}"] = "the model has no further spanning tree of another kind"
    return ways, missing


def element_ways(model: Model, first: Formulation) -> tuple[list[Way], dict[str, str]]:
    """Ways with other elements than the model's, and why they do not apply."""
    ways: list[Way] = []
    missing: dict[str, str] = {}
    cut = [(k, DeformationModes(refinement=k)) for k in REFINEMENTS]
    vectors = [(k, ANCF(elements=k)) for k in ELEMENTS]
    known: list[tuple[str, str, Sequence[tuple[int, Formulation]]]] = [
        ("deformation modes", "parts for each element", cut),
        ("gradient bodies", "elements", vectors),
    ]
    for name, counted, levels in known:
        finest = levels[-1][1]
        if type(first) is type(finest):
            missing[name] = "it is the formulation of the reference"
            continue
        try:
            written = finest.written(model)
            written.check()
        except ModelError as error:
            missing[name] = str(error)
            continue
        if all(written[body] is model[body] for body in model.bodies):
            missing[name] = "the model has no beams that deform"
            continue
        ways.append(Way(name, finest, tuple(levels), counted))
    return ways, missing


def _trees(model: Model) -> Iterator[list[str]]:
    """Spanning trees of different kinds: other joints close loops, some bodies are free."""
    graph = model.spanning_tree()
    depth: dict[str, int] = {graph.root: 0}
    for edge in graph.tree:
        depth[edge.child] = depth[edge.parent] + 1
    joints, bodies = list(model.joints), list(graph.order)
    yield _spanning(model, (), reversed(joints))
    chords = [name for name in joints if name in graph.chords]
    yield _spanning(model, (), [*chords, *(name for name in joints if name not in chords)])
    for odd in (0, 1):
        yield _spanning(model, [b for b in bodies if depth[b] % 2 == odd], joints)
    for body in bodies:
        yield _spanning(model, [body], joints)
    yield _spanning(model, bodies, ())


def _spanning(model: Model, free: Sequence[str], joints: Iterable[str]) -> list[str]:
    """A spanning tree with some free bodies, then of joints in order of preference."""
    root, bodies = model.ground.name, list(model.bodies)
    parts = Components((root, *bodies))
    tree = [f"{FREE}{body}" for body in free]
    for body in free:
        parts.join(root, body)
    for name in joints:
        joint = model.joints[name]
        if parts.join(joint.A.body.name, joint.B.body.name):
            tree.append(name)
    for body in bodies:
        if parts.join(root, body):
            tree.append(f"{FREE}{body}")
    return tree


@dataclass(frozen=True, eq=False)
class Refinement:
    """A formulation with elements of its own, at several levels."""

    # levels, counted: numbers of elements, and which
    levels: tuple[int, ...]
    counted: str
    differences: Array  # (n,) largest difference of each level to the reference, over the scale
    changes: Array  # (n - 1,) largest change from each level to the next
    order: float  # by which changes fall when elements are halved; NaN if they are rounding
    # t, apart: (nt,) s, and the largest difference of the finest level
    t: Array
    apart: Array
    # worst, at: the quantity with the largest difference of the finest level, and its time, s
    worst: str
    at: float
    result: Result  # the run of the finest level
    # the equations of the coarsest level, which may be those of the reference
    family: frozenset[str]
    seconds: float  # processor time of all runs


def refined(prepared: Prepared, options: RunOptions, way: Way, reference: Result) -> Refinement:
    """Run a way at all its levels; raises `SuppleError` with the reason if a run fails."""
    model = prepared.model
    first = placed(reference, model)
    runs = [run_to_end(prepared, replace(options, formulation=form)) for _, form in way.levels]
    tables = [placed(run, model) for run in runs]
    comparisons = [
        compared((reference, run), (first, t)) for run, t in zip(runs, tables, strict=True)
    ]
    scales = Scales(comparisons[-1]).of
    steps = [
        compared((runs[k], runs[k + 1]), (tables[k], tables[k + 1])) for k in range(len(runs) - 1)
    ]
    changes = np.array([_apart(c, scales).max() for c in steps])
    apart = _apart(comparisons[-1], scales)
    names = [name for name in comparisons[-1].differences if scales[name] > 0.0]
    worst = max(names, key=lambda name: comparisons[-1][name].max / scales[name])
    small = changes[-1] <= options.tolerances[0]  # that of the integration
    ratio = np.nan if small else changes[-2] / changes[-1]
    return Refinement(
        levels=tuple(number for number, _ in way.levels),
        counted=way.counted,
        differences=np.array([_apart(c, scales).max() for c in comparisons]),
        changes=changes,
        order=float(np.log2(ratio)),
        t=comparisons[-1].t,
        apart=apart,
        worst=worst,
        at=comparisons[-1][worst].at,
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


def _apart(comparison: Comparison, scales: dict[str, float]) -> Array:
    """Largest difference over the scale at each time (nt,)."""
    parts = [d.values / scales[n] for n, d in comparison.differences.items() if scales[n] > 0.0]
    return np.max(parts, axis=0) if parts else np.zeros(len(comparison.t))
