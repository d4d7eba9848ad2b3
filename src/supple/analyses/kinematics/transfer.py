"""transfer: geometric transfer functions of first and second order.

Independent coordinates x tell the position of a mechanism. With u = N w, where N[inputs] = 1 and
G N = 0, every velocity is first derivatives times w = x'. At x'' = 0 the rows give accelerations a
from G a = -G' u, a[inputs] = 0; these and those of all frames are quadratic in w, and second
derivatives are their coefficients:

    f_ii = f''(e_i)        f_ij = (f''(e_i + e_j) - f''(e_i) - f''(e_j)) / 2

No differences are taken. Jonker1989 (3.15), (3.16), (3.19) and (3.20) are the same functions for
nodal coordinates and deformations, (3.21) and (3.22) the prediction along a path.

A step along a path predicts all coordinates to second order and closes the loops with the inputs
held. A correction that is large for the step means that another branch of the mechanism, a dead
point or a limit of its reach is near; the step is then halved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import coordinates_of, expect, starting_state
from supple.analyses.linear.independent import Coordinates, Motions
from supple.constraints.couplings import joint_target
from supple.constraints.drivers import Driver
from supple.core.base import layout as at_
from supple.core.base.layout import new_work
from supple.core.equations import history as kernel
from supple.engine.base.compiled import Compiled
from supple.engine.pack.kinds import refuse_rates
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, SuppleError, suggestion
from supple.foundation.frames import Body, Frame, System
from supple.foundation.poses import Pose
from supple.foundation.validate import array, listed
from supple.joints import Joint
from supple.loops.assembly import CLOSED, Assembler, compile_model, on_constraints, transferred
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from supple.model import Model

OWNER = "transfer"
Coordinate = str | Joint | tuple[str | Joint, int | str]
Output = str | Joint | Body | Frame
INPUTS = "names of coordinates, e.g. 'crank.angle', joints or pairs (joint, coordinate)"
OUTPUTS = "names of coordinates, joints, bodies or frames such as rod.at(0.3)"
AXES = ("x", "y", "z", "rotation_x", "rotation_y", "rotation_z")
BETTER = 3.0  # times the margin of other inputs from which on they are taken along a path
# A correction beyond this (rad, lengths), or beyond this part of the step, is not trusted to stay
# on the branch; a step below this part of the way is the end of it.
CORRECTION, SHARE, SHORTEST = 1e-3, 0.1, 1e-6
ANSWER = "Transfer"


@dataclass(frozen=True)
class Transfer:
    """Transfer of inputs of a mechanism to its places and coordinates, about one position.

    Attributes
    ----------
    state : the position
    inputs : (n) names of the independent coordinates, "crank.angle"
    outputs : (m) names: coordinates, and of a frame "rod@(0.3, 0, 0).x", ".rotation_x" and so on
    input_values : (n,) the inputs here; m, rad or units of elastic coordinates
    values : (m,) the outputs here: coordinates, places in the world (m); rotations count from here
    first : (m, n) first derivatives of the outputs along the inputs
    second : (m, n, n) second derivatives, symmetric
    margin : between 0 and 1, how far the inputs are from a position where they do not tell all
        motion

    Rotations of frames are rotation vectors from the orientation here, in world axes: their first
    derivatives give angular velocities, their second ones angular accelerations. Of ball and free
    joints inputs and outputs are rotations and displacements from here, in the axes of B.
    """

    state: State
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_values: Array
    values: Array
    first: Array
    second: Array
    margin: float

    def of(self, output: str | Frame) -> Transfer:
        """Transfer to one output, or to all outputs of a joint, body or frame."""
        name = output.name if isinstance(output, Frame) else output
        own = [k for k, x in enumerate(self.outputs) if x == name or x.startswith(f"{name}.")]
        if not own:
            heads = dict.fromkeys((*self.outputs, *(x.rpartition(".")[0] for x in self.outputs)))
            raise SuppleError(f"Transfer: no output {name!r}, {suggestion(name, list(heads))}")
        return replace(
            self,
            outputs=tuple(self.outputs[k] for k in own),
            values=self.values[own],
            first=self.first[own],
            second=self.second[own],
        )

    def velocities(self, rates: ArrayLike | Mapping[str, float]) -> Array:
        """Rates (m,) of the outputs at rates of the inputs (n,), or by name, others zero."""
        return self.first @ self._of_inputs("rates", rates)

    def accelerations(
        self,
        rates: ArrayLike | Mapping[str, float],
        accelerations: ArrayLike | Mapping[str, float] = 0.0,
    ) -> Array:
        """Second rates (m,) of the outputs at rates and second rates of the inputs."""
        w = self._of_inputs("rates", rates)
        push = self._of_inputs("accelerations", accelerations)
        return self.second @ w @ w + self.first @ push

    def predicted(self, changes: ArrayLike | Mapping[str, float]) -> Array:
        """Outputs (m,) to second order when the inputs change by ``changes``."""
        x = self._of_inputs("changes", changes)
        return self.values + self.first @ x + 0.5 * (self.second @ x @ x)

    def _of_inputs(self, field: str, given: ArrayLike | Mapping[str, float]) -> Array:
        """Numbers (n,) of the inputs, from an array, one number for all, or by name."""
        if isinstance(given, Mapping):
            unknown = [name for name in given if name not in self.inputs]
            if unknown:
                hint = suggestion(unknown[0], list(self.inputs))
                raise ModelError(ANSWER, field, unknown[0], f"the name of an input, {hint}")
            given = [given.get(name, 0.0) for name in self.inputs]
        try:
            numbers = np.broadcast_to(np.asarray(given, dtype=float), (len(self.inputs),))
        except (TypeError, ValueError):
            numbers = np.full(1, np.nan)
        if not np.all(np.isfinite(numbers)):
            count = len(self.inputs)
            raise ModelError(ANSWER, field, given, f"{count} finite numbers, one for each input")
        return numbers

    def __repr__(self) -> str:
        inputs = ", ".join(self.inputs)
        return f"<Transfer of {len(self.outputs)} outputs by {inputs}>"


@dataclass(frozen=True)
class TransferPath:
    """Transfer functions along a path; indexing and iteration give those of one position.

    Attributes
    ----------
    points : (k) the positions with their functions
    steps : positions that were closed on the way, with those between the points
    iterations : of Newton's method that closed them
    """

    points: tuple[Transfer, ...]
    steps: int = 0
    iterations: int = 0

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, k: int) -> Transfer:
        return self.points[k]

    def __iter__(self) -> Iterator[Transfer]:
        return iter(self.points)

    @property
    def inputs(self) -> tuple[tuple[str, ...], ...]:
        """Names of the inputs at each position; they change where others tell motion better."""
        return tuple(point.inputs for point in self.points)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs, the same everywhere."""
        return self.points[0].outputs

    @cached_property
    def input_values(self) -> Array:
        """Inputs (k, n)."""
        return np.array([point.input_values for point in self.points])

    @cached_property
    def values(self) -> Array:
        """Outputs (k, m)."""
        return np.array([point.values for point in self.points])

    @cached_property
    def first(self) -> Array:
        """First derivatives (k, m, n)."""
        return np.array([point.first for point in self.points])

    @cached_property
    def second(self) -> Array:
        """Second derivatives (k, m, n, n)."""
        return np.array([point.second for point in self.points])

    def of(self, output: str | Frame) -> TransferPath:
        """Transfer to one output, or to all outputs of a joint, body or frame."""
        return replace(self, points=tuple(point.of(output) for point in self.points))

    def __repr__(self) -> str:
        return f"<TransferPath of {len(self.outputs)} outputs at {len(self)} positions>"


class PathFollower:
    """State of a mechanism: ``go`` to values of the path's inputs; all other inputs stay.

    ``steps`` counts positions, ``iterations`` steps of Newton's method that closed them.
    """

    order = 2  # of the prediction

    def __init__(
        self,
        equations: Equations,
        coordinates: Coordinates,
        start: State,
        path: Mapping[str, ArrayLike],
    ) -> None:
        self.equations, self.coordinates, self.state = equations, coordinates, start
        self.places, self.targets = self._read(path)
        motions = Motions.at(coordinates, start.t, start.q)
        if motions is None:
            raise ModelError(OWNER, "at", start, "a position that is not singular")
        motions.refuse_dependent(OWNER, self.places)
        self.chosen = motions.filled(self.places, coordinates.kinds)
        # parts of rotations are others from the other side of a joint: they are only kept near
        turned = (j for j in equations.compiled.joints.values() if j.reversed and not j.chart.axes)
        loose = {k for joint in turned for k in range(joint.u.start, joint.u.stop)}
        held = [k for k in self.chosen if k not in loose]
        self.assembler = Assembler(equations.compiled.complete, held)
        # coordinates that stay, but for rounding
        self.fixed = [k for k in self.chosen if coordinates.places[k] >= 0]
        self.kept = coordinates.values(start.q)[self.fixed]
        self.steps = 0

    @property
    def iterations(self) -> int:
        """Steps of Newton's method."""
        return self.assembler.iterations

    def _read(self, path: Mapping[str, ArrayLike]) -> tuple[list[int], Array]:
        """Places in u of the path's coordinates, and their values (k, places)."""
        expected = "values of inputs by name, as many for each"
        places: list[int] = []
        columns: list[Array] = []
        for name, values in path.items():
            if not isinstance(name, str):
                raise ModelError(OWNER, "path", name, "the name of a coordinate")
            place = self.coordinates.place(OWNER, "path", name)
            if self.coordinates.places[place] < 0:
                raise ModelError(OWNER, "path", name, "a coordinate about or along one axis")
            places.append(place)
            columns.append(np.atleast_1d(array(OWNER, f"path[{name!r}]", values, "finite numbers")))
        shapes = {column.shape for column in columns}
        if len(shapes) != 1 or columns[0].ndim != 1 or not len(columns[0]):
            raise ModelError(OWNER, "path", dict(path), expected)
        return places, np.array(columns).T

    def go(self, target: Array) -> State:
        """Move to values of the path's coordinates, in as many steps as it takes."""
        begin = self.coordinates.values(self.state.q)[self.places]
        done, part = 0.0, 1.0
        while done < 1.0:
            last = part >= 1.0 - done
            reached = 1.0 if last else done + part
            if self._step(begin + reached * (target - begin)):
                done, part = reached, 2.0 * part
                continue
            part = 0.5 * min(part, 1.0 - done)
            if part < SHORTEST:
                self._stuck(target)
        return self.state

    def _step(self, wanted: Array) -> bool:
        """Predict and close; whether the mechanism has followed."""
        eq, state, here = self.equations, self.state, self.coordinates
        motions = Motions.at(here, state.t, state.q)
        if motions is None or motions.margin(self.chosen) < CLOSED:
            return False
        change = np.zeros(len(self.chosen))
        change[: len(self.places)] = wanted - here.values(state.q)[self.places]
        u = motions.by(self.chosen) @ change
        a = np.zeros(len(u))
        if self.order > 1:
            a = motions.accelerations(self.chosen, u[None])[0]
        predicted = eq.ahead(state.q, u, a, 1.0)
        predicted[here.places[self.fixed]] = self.kept
        predicted[here.places[self.places]] = wanted
        q, gap = self.assembler.positions(state.t, predicted, search=False)
        if not np.max(np.abs(gap / self.assembler.sizes), initial=0.0) < CLOSED:
            return False
        scale = eq.compiled.scale
        off = np.abs(eq.increment(predicted, q) / scale).max()
        moved = np.abs(eq.increment(state.q, q) / scale).max()
        if off > max(CORRECTION, SHARE * moved):
            return False
        self.steps += 1
        self.state = State(state.t, q, np.zeros(len(u)), state.z, compiled=eq.compiled)
        return True

    def _stuck(self, target: Array) -> NoReturn:
        """Say how far the mechanism came, and which coordinates tell its motion there."""
        here, state, names = self.coordinates, self.state, self.coordinates.names
        values = here.values(state.q)[self.places]
        own = [names[k] for k in self.places]
        shown = ", ".join(f"{name!r} = {x:.6g}" for name, x in zip(own, values, strict=True))
        motions = Motions.at(here, state.t, state.q)
        better = [] if motions is None else motions.filled((), here.kinds[2:])
        others = [names[k] for k in better if names[k] not in own]
        hint = f", or a path of {', '.join(map(repr, others))}" if others else ""
        wanted = ", ".join(f"{x:.6g}" for x in target)
        raise ModelError.plain(
            f"transfer: the path to {wanted} ends near {shown}, where the mechanism cannot follow, "
            f"expected values that it can reach{hint}"
        )


def transfer(
    model: Model,
    inputs: Coordinate | Sequence[Coordinate] | None = None,
    outputs: Output | Sequence[Output] | None = None,
    *,
    at: State | Result | None = None,
    path: Mapping[str, ArrayLike] | Result | None = None,
    formulation: Formulation | None = None,
) -> Transfer | TransferPath:
    """Geometric transfer functions: how a mechanism follows its independent coordinates.

    Parameters
    ----------
    inputs : names, joints or pairs (joint, coordinate), optional
        Independent coordinates, "crank.angle" or "rod.mode_1", as many as there are degrees of
        freedom; elastic coordinates may be left out and are added. By default driven coordinates,
        elastic ones, and others that move most; along a path others are taken where these fail.
    outputs : names of coordinates, joints, bodies, frames, optional
        What follows. A frame, or a body by its own frame, has a place and a rotation in the world.
        By default all coordinates.
    at : State or Result, optional
        The position; of a result the last one. By default the initial one.
    path : mapping or Result, optional
        Positions one after the other: values (k,) of inputs by name, to which the mechanism is
        moved from ``at``, while all other inputs stay, or those of a result.
    formulation : JointCoordinates, Absolute or Branch, optional
        The choice of coordinates; the functions do not depend on it.

    Returns a `Transfer`, along a path a `TransferPath`. Drivers of joint coordinates do not hold
    them; everything else that signals move stands still.
    """
    expect(OWNER, "model", model, System, "a Model")
    formulation = coordinates_of(OWNER, formulation)
    expect(OWNER, "at", at, State | Result | None, "a State or a Result of this model")
    expect(OWNER, "path", path, Mapping | Result | None, "values of inputs by name, or a Result")
    wanted = _listed("outputs", outputs, OUTPUTS)
    mechanism = Mechanism(model, formulation, wanted)
    listed_inputs = _listed("inputs", inputs, INPUTS)
    chosen = None if listed_inputs is None else [mechanism.input(item) for item in listed_inputs]
    if isinstance(path, Result):
        if at is not None:
            raise ModelError(OWNER, "at", at, "None with a Result as path")
        states = [mechanism.start(path.state(k)) for k in range(len(path.t))]
        return TransferPath(tuple(mechanism.along(states, chosen)))
    start = mechanism.start(at)
    if path is None:
        motions = mechanism.motions(start)
        return mechanism.functions(start, motions, motions.chosen(OWNER, chosen))
    follower = PathFollower(mechanism.equations, mechanism.coordinates, start, path)
    states = [follower.go(target) for target in follower.targets]
    points = tuple(mechanism.along(states, chosen))
    return TransferPath(points, follower.steps, follower.iterations)


def _listed(field: str, given: Any, expected: str) -> list[Any] | None:
    """Items of an argument that may be one of them, or a pair (joint, coordinate)."""
    if given is None:
        return None
    one = isinstance(given, (str, Joint, Body, Frame))
    items = [given] if one else listed(OWNER, field, given, expected)
    if not items:
        raise ModelError(OWNER, field, given, expected)
    return items


class Mechanism:
    """A model whose drivers let go, with the outputs that are asked for."""

    def __init__(self, model: Model, formulation: Formulation, outputs: list[Any] | None) -> None:
        model = self.model = formulation.written(model)
        frames = [_frame(model, item) for item in outputs or () if isinstance(item, (Body, Frame))]
        tree = formulation.tree(model)
        self.driven = compile_model(model, frames, tree)
        refuse_rates(self.driven, OWNER)
        self.compiled = _released(model, self.driven, frames, tree)
        self.coordinates = Coordinates.of(self.compiled, model)
        self.equations = Equations(self.compiled)
        if self.compiled.nu == self.compiled.nr:
            raise ModelError(OWNER, "model", model, "one with a degree of freedom")
        items = [frames.pop(0) if isinstance(x, (Body, Frame)) else x for x in outputs or ()]
        self.outputs = [*range(self.compiled.nu)] if outputs is None else self._outputs(items)

    def _outputs(self, items: list[Any]) -> list[int | Frame]:
        """Places in u of coordinates, and frames."""
        places: list[int | Frame] = []
        for item in items:
            if isinstance(item, Frame):
                places.append(item)
                continue
            name = item.name if isinstance(item, Joint) else item
            if not isinstance(name, str):
                raise ModelError(OWNER, "outputs", item, OUTPUTS)
            if name in self.compiled.joints:
                own = self.compiled.joints[name].u
            elif name in self.compiled.deforming:
                own = self.compiled.deforming[name].u
            else:
                place = self.coordinates.place(OWNER, "outputs", name)
                own = slice(place, place + 1)
            places += range(own.start, own.stop)
        return places

    def input(self, item: Any) -> int:
        """Place in u of an input."""
        if isinstance(item, str):
            return self.coordinates.place(OWNER, "inputs", item)
        if not isinstance(item, (Joint, tuple, list)):
            raise ModelError(OWNER, "inputs", item, INPUTS)
        name, coordinate = joint_target(OWNER, "inputs", item)
        if name not in self.model.joints:
            return self.coordinates.place(OWNER, "inputs", name)
        index = self.model.joints[name].coordinate_index(coordinate, OWNER)
        return self.compiled.coordinate(name, index)[1]

    def start(self, at: State | Result | None) -> State:
        """A position of the model, on its constraints, as one of the mechanism."""
        state = starting_state(OWNER, at, self.driven)
        q, u = state.q, state.u
        if self.compiled is not self.driven:
            q, u = transferred(self.driven, q, u, self.compiled)
        state = State(state.t, q, u, state.z)
        moved = on_constraints(self.compiled, state)
        return State(state.t, moved.q, moved.u, state.z, compiled=self.compiled)

    def motions(self, state: State, where: str = "") -> Motions:
        """Motions that are possible at a position."""
        motions = Motions.at(self.coordinates, state.t, state.q)
        if motions is None:
            raise ModelError.plain(
                f"transfer: the position{where} is singular, its motions branch and follow no "
                "inputs, expected a position beside it"
            )
        return motions

    def along(self, states: Sequence[State], given: Sequence[int] | None) -> list[Transfer]:
        """Functions at each position; inputs that are not given change where others are better."""
        functions, kept = [], given
        for k, state in enumerate(states):
            where = f" at position {k} of the path"
            motions = self.motions(state, where)
            chosen = kept
            if given is None:
                chosen = motions.chosen(OWNER, None)
                if kept is not None and BETTER * motions.margin(kept) > motions.margin(chosen):
                    chosen = kept
                kept = chosen
            else:
                chosen = motions.chosen(OWNER, given, where)
            functions.append(self.functions(state, motions, list(chosen)))
        return functions

    def functions(self, state: State, motions: Motions, chosen: list[int]) -> Transfer:
        """Transfer functions at a position."""
        c, n = self.compiled, len(chosen)
        unit = c.scale[chosen]
        N = motions.by(chosen)
        pairs = list(combinations(range(n), 2))
        w = np.vstack([np.eye(n), *(np.eye(n)[[i]] + np.eye(n)[[j]] for i, j in pairs)]) * unit
        u = w @ N.T
        a = motions.accelerations(chosen, u)
        values, velocity, push = self._shown(state, motions, u, a)
        second = np.zeros((len(values), n, n))
        second[:, range(n), range(n)] = push[:n].T
        for row, (i, j) in zip(push[n:], pairs, strict=True):
            second[:, i, j] = second[:, j, i] = 0.5 * (row - push[i] - push[j])
        return Transfer(
            state=state,
            inputs=tuple(self.coordinates.names[k] for k in chosen),
            outputs=self.names,
            input_values=self.coordinates.values(state.q)[chosen],
            values=values,
            first=velocity[:n].T / unit,
            second=second / np.outer(unit, unit),
            margin=motions.margin(chosen),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the outputs."""
        names: list[str] = []
        for item in self.outputs:
            if isinstance(item, Frame):
                names += [f"{item.name}.{axis}" for axis in AXES]
            else:
                names.append(self.coordinates.names[item])
        return tuple(names)

    def _shown(
        self, state: State, motions: Motions, u: Array, a: Array
    ) -> tuple[Array, Array, Array]:
        """Outputs (m,), and for each of some velocities and accelerations theirs (k, m)."""
        c, count = self.compiled, len(u)
        flat = np.zeros((count, int(c.ints[at_.H_NODES]) * kernel.OUT_W))
        q = np.tile(state.q, (count, 1))
        kernel.given_motion(c.ints, c.reals, new_work(c.ints), q, u, a, flat)
        nodes = flat.reshape(count, -1, kernel.OUT_W)
        own, rate, push = self.coordinates.values(state.q), u @ motions.T.T, a @ motions.T.T
        values, first, second = [], [], []
        for item in self.outputs:
            if isinstance(item, Frame):
                place, V, A = _frame_motion(nodes, *c.place(item))
                values.append(np.concatenate([place, np.zeros(3)]))
                first.append(V)
                second.append(A)
            else:
                values.append(own[[item]])
                first.append(rate[:, [item]])
                second.append(push[:, [item]])
        return np.concatenate(values), np.hstack(first), np.hstack(second)


def _frame(model: Model, item: Body | Frame) -> Frame:
    """A frame of the model: itself, or that of a body at its origin."""
    body = item.body if isinstance(item, Frame) else item
    known = model.bodies.get(body.name)
    if body is not model.ground and (known is None or body not in (known, model[body.name])):
        raise ModelError(OWNER, "outputs", item, "a body of the model, or a frame on one")
    return item if isinstance(item, Frame) else item.at(0.0)


def _frame_motion(nodes: Array, node: int, pose: Pose) -> tuple[Array, Array, Array]:
    """Place (3,) of a frame, and for each row its motion and acceleration (k, 6), linear first."""
    x = nodes[:, node]
    R = x[0, kernel.OUT_R : kernel.OUT_P].reshape(3, 3)
    arm = R @ pose.p
    parts = (kernel.OUT_P, kernel.OUT_V, kernel.OUT_V + 3, kernel.OUT_A, kernel.OUT_A + 3)
    p, w, v, alpha, b = (x[:, k : k + 3] for k in parts)
    v = v + np.cross(w, arm)
    b = b + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    return p[0] + arm, np.hstack([v, w]), np.hstack([b, alpha])


def _released(model: Model, compiled: Compiled, frames: list[Frame], tree: Any) -> Compiled:
    """The model without drivers of joint coordinates, compiled; the same if it has none."""
    held = [name for name, item in model.drivers.items() if isinstance(item, Driver)]
    if not held:
        return compiled
    loose = model.copy()
    for name in held:
        loose.remove(name)
    return compile_model(loose, frames, tree)
