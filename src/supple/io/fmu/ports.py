"""Variables of an FMU, and its ports as the block of bytes that ``native/ports.c`` reads.

Value references count time, inputs, outputs, states and, for model exchange, rates of states.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from supple.analyses.base.snapshot_result import InstantOutputs, Point
from supple.analyses.linear.independent import Coordinates
from supple.analyses.run.stepper import HeldInput
from supple.core.base import layout as at
from supple.core.equations.history import MOTION_COLUMNS
from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.integrators.run.driver import Problem
from supple.joints.motions import MOTIONS, motion_of
from supple.model import Model

MAGIC = b"SPPORT1\0"
# Numbers at the beginning in the order of ``struct port_sizes`` in ports.h
SIZES = (
    *("exchange", "nodes", "inputs", "outputs", "points", "quaternions"),
    *("data", "breaks", "states", "text"),
)
OF_POSITION, OF_VELOCITY, OF_PLACE, OF_MOTION = range(4)
Causality = Literal["independent", "input", "output", "local"]
assert MOTION_COLUMNS == 18  # COLUMNS in ports.c


@dataclass(frozen=True)
class Variable:
    """A variable of an FMU; ``of`` is the value reference of the state that it is the rate of."""

    reference: int
    name: str
    causality: Causality
    unit: str = ""
    start: float | None = None
    nominal: float = 1.0
    of: int | None = None


def outputs_of(owner: str, model: Model, outputs: InstantOutputs) -> list[tuple[str, str]]:
    """Names and units of all numbers among the outputs; others than joints and points raise."""
    for text, _ in outputs.others:
        expected = (
            "coordinates of joints with angles or displacements ('elbow.angle'), their rates, "
            "positions and velocities of points on bodies ('tip.position')"
        )
        raise ModelError(owner, "outputs", text, expected)
    found = []
    for text, view in outputs.named.items():
        words = text.split(".")
        joint = model.joints.get(words[0])
        if joint is not None:
            word = words[1].removesuffix("_rate")
            rate = "/s" if word not in (words[1],) else ""
            index = joint.coordinate_names.index(word)
            found.append((text, f"{joint.units[index]}{rate}"))
        else:
            unit = "m/s" if "velocity" in words else "m"
            parts = [""] if view.ndim == 0 else [".x", ".y", ".z"]
            found += [(f"{text}{part}", unit) for part in parts]
    return found


def state_names(compiled: Compiled, model: Model) -> tuple[list[str], list[str]]:
    """Names and units of all states: coordinates q, velocities u, states of controllers."""
    c, coordinates = compiled, Coordinates.of(compiled, model)
    rate_units = [_unit(c, coordinates.names[k], k) for k in range(c.nu)]
    names, units = [""] * c.nq, ["1"] * c.nq
    for k, place in enumerate(coordinates.places):
        if place >= 0:
            names[place], units[place] = coordinates.names[k], rate_units[k]
    for record in (*c.joints.values(), *c.extra.values()):
        if not record.chart.axes:
            kind = MOTIONS[record.kind]
            for k, (name, unit) in enumerate(zip(kind.coordinates, kind.units, strict=True)):
                names[record.q.start + k] = f"{record.name}.{name}"
                units[record.q.start + k] = unit
    names = [name or f"q.{k + 1}" for k, name in enumerate(names)]
    names += [f"{name}_rate" for name in coordinates.names]
    names += [f"controller_{k + 1}" for k in range(c.nz)]
    units += [f"{unit}/s" if unit else "" for unit in rate_units] + [""] * c.nz
    return [f"state.{name}" for name in names], ["" if u == "1" else u for u in units]


def _unit(c: Compiled, name: str, k: int) -> str:
    if any(body.u.start <= k < body.u.stop for body in c.flexible.values()):
        return ""
    if any(body.u.start <= k < body.u.stop for body in c.gradient.values()):
        return ""  # nodal vectors: places and slopes
    word = name.rpartition(".")[2]
    return "rad" if word.startswith(("angle", "rotation", "shaft")) else "m"


def nominal_values(compiled: Compiled, model: Model) -> Array:
    """Sizes of all states, as tolerances take them."""
    places, c = Coordinates.of(compiled, model).places, compiled
    q = np.ones(c.nq)
    q[places[places >= 0]] = c.scale[places >= 0]
    return np.concatenate([q, c.rate_scale, np.ones(c.nz)])


def variables_of(
    problem: Problem,
    model: Model,
    held: Sequence[HeldInput],
    outputs: Iterable[tuple[str, str]],
    exchange: bool,
) -> list[Variable]:
    """All variables in the order of their value references."""
    c = problem.equations.compiled
    found = [Variable(0, "time", "independent", "s")]
    for item in held:
        found.append(Variable(len(found), f"input.{item.name}", "input", item.unit, 0.0))
    for name, unit in outputs:
        found.append(Variable(len(found), name, "output", unit))
    names, units = state_names(c, model)
    start = np.concatenate([problem.q, problem.u, problem.z]).tolist()
    sizes = nominal_values(c, model).tolist()
    first = len(found)
    for row in zip(names, units, start, sizes, strict=True):
        found.append(Variable(len(found), row[0], "local", *row[1:]))
    if exchange:
        for k, (name, unit) in enumerate(zip(names, units, strict=True)):
            text = _per_second(unit)
            found.append(Variable(len(found), f"der({name})", "local", text, of=first + k))
    return [replace(v, name=_unique(v, found)) for v in found]


def _unique(v: Variable, among: Sequence[Variable]) -> str:
    """Name of a variable; if another before it has the same, with the value reference."""
    taken = any(other.name == v.name for other in among[: v.reference])
    return f"{v.name} ({v.reference})" if taken else v.name


def _per_second(unit: str) -> str:
    return {"": "", "rad/s": "rad/s2", "m/s": "m/s2"}.get(unit, f"{unit}/s")


def block(
    problem: Problem,
    places: np.ndarray,
    held: Sequence[HeldInput],
    outputs: InstantOutputs,
    variables: Sequence[Variable],
    nominal: Array,
    token: str,
) -> bytes:
    """The ports as bytes."""
    c = problem.equations.compiled
    rows, points, data = _outputs(outputs)
    text = "\0".join([token, *(variable.name for variable in variables), ""]).encode()
    arrays: dict[str, np.ndarray] = {
        "place": np.asarray(places, dtype=np.int64),
        "driven": np.array([item.driven for item in held], dtype=np.int64),
        "output": np.array(rows, dtype=np.int64).reshape(-1),
        "point": np.array(points, dtype=np.int64).reshape(-1),
        "quaternion": quaternions(c),
        "data": data,
        "breaks": np.array(sorted(c.breakpoints), dtype=float),
        "nominal": np.asarray(nominal, dtype=float),
        "text": np.frombuffer(text.ljust(-8 * (-len(text) // 8), b"\0"), dtype=np.int64),
    }
    numbers = {
        "exchange": int(any(variable.of is not None for variable in variables)),
        "nodes": int(c.ints[at.H_NODES]),
        "inputs": len(held),
        "outputs": len(rows),
        "points": len(points),
        "quaternions": len(arrays["quaternion"]),
        "data": len(data),
        "breaks": len(arrays["breaks"]),
        "states": len(nominal),
        "text": len(arrays["text"]),
    }
    words = np.array([numbers[name] for name in SIZES], dtype=np.int64)
    content = b"".join([words.tobytes(), *(array.tobytes() for array in arrays.values())])
    return MAGIC + zlib.crc32(content).to_bytes(8, sys.byteorder) + content


def quaternions(compiled: Compiled) -> np.ndarray:
    """Places in q of the first coordinates of unit quaternions."""
    nodes = at.read_model(compiled.ints, compiled.reals).node
    found = []
    for row in nodes[1:]:
        chart = motion_of(int(row[at.MOTION])).chart
        if chart is not None and chart.quaternion:
            found.append(int(row[at.Q0]))
    return np.array(sorted(found), dtype=np.int64)


def _outputs(outputs: InstantOutputs) -> tuple[list[list[int]], list[list[int]], Array]:
    """Rows of outputs and of points, and the numbers of these."""
    rows: list[list[int]] = [[] for _ in outputs.values]
    for kind, (targets, places) in enumerate((outputs.read_q, outputs.read_u)):
        for target, place in zip(targets, places, strict=True):
            rows[target] = [kind, int(place), 0]
    points: list[list[int]] = []
    numbers: list[Array] = []
    length = 0
    for number, point in enumerate(outputs.points):
        kind = OF_MOTION if point.velocity else OF_PLACE
        of = [0, 1, 2] if isinstance(point.component, slice) else [point.component]
        for target, component in zip(range(point.target.start, point.target.stop), of, strict=True):
            rows[target] = [kind, number, component]
        shapes = _shapes(point)
        n, r = point.q.stop - point.q.start, 0
        if point.moves is not None and point.moves.slaved is not None:
            r = point.moves.slaved.shape[1]
        points.append([point.node, point.q.start, point.u.start, n, r, length])
        numbers.append(shapes)
        length += len(shapes)
    return rows, points, np.concatenate([*numbers, np.zeros(0)])


def _shapes(point: Point) -> Array:
    """Place (3), Phi (3, n), slaved shapes (3, r) in axes of the node, and Gamma (r, n, n)."""
    moves, parts = point.moves, [point.place]
    if moves is not None:
        parts.append((point.axes @ moves.Phi).ravel())
        if moves.slaved is not None and moves.Gamma is not None:
            parts += [(point.axes @ moves.slaved[:3]).ravel(), moves.Gamma.ravel()]
    return np.concatenate(parts)
