"""By which formulations a model can be expressed, with its own elements or with others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from supple.engine.base.compiled import Compiled
from supple.engine.sparsity.mass_solver_choice import Linear
from supple.formulations.ancf import ANCF
from supple.formulations.base import Formulation
from supple.formulations.deformation import DeformationModes
from supple.formulations.trees import Absolute, Branch, JointCoordinates
from supple.foundation.errors import ModelError
from supple.graph.topology import FREE, Components
from supple.model import Model

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
    """Which coordinates and rows the equations have: the same equations, the same set.

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
    found: list[Way] = []
    missing: dict[str, str] = {}
    taken = {tree_of(model, first)}
    usual = JointCoordinates()
    if tree_of(model, usual) in taken:
        for way, name in ELIMINATIONS.items():
            if way != elimination:
                found.append(Way(name, JointCoordinates(linear=way)))
    else:
        found.append(Way("joint coordinates", usual, tree=True))
        taken.add(tree_of(model, usual))
    absolute = tree_of(model, Absolute())
    if absolute in taken:
        missing["absolute"] = "its coordinates are those of the reference: all bodies are free"
    else:
        found.append(Way("absolute", Absolute(), tree=True))
        taken.add(absolute)
    count = 0
    for tree in _trees(model):
        if frozenset(tree) not in taken and count < BRANCHES:
            taken.add(frozenset(tree))
            count += 1
            found.append(Way(f"branches {'AB'[count - 1]}", Branch(tree), tree=True))
    for k in range(count, BRANCHES):
        missing[f"branches {'AB'[k]}"] = "the model has no further spanning tree of another kind"
    return found, missing


def element_ways(model: Model, first: Formulation) -> tuple[list[Way], dict[str, str]]:
    """Ways with other elements than the model's, and why they do not apply."""
    found: list[Way] = []
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
        found.append(Way(name, finest, tuple(levels), counted))
    return found, missing


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
