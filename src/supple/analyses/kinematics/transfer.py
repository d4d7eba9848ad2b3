"""transfer: geometric transfer functions of first and second order.

Independent coordinates x tell the position of a mechanism. With u = N w, where N[inputs] = 1 and
G N = 0, every velocity is first derivatives times w = x'. At x'' = 0 the rows give accelerations a
from G a = -G' u, a[inputs] = 0; these and those of all frames are quadratic in w, and second
derivatives are their coefficients:

    f_ii = f''(e_i)        f_ij = (f''(e_i + e_j) - f''(e_i) - f''(e_j)) / 2

No differences are taken. Jonker1989 (3.15), (3.16), (3.19) and (3.20) are the same functions for
nodal coordinates and deformations, (3.21) and (3.22) the prediction along a path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect, starting_state
from supple.analyses.kinematics.transfer_path import PathFollower
from supple.analyses.kinematics.transfer_result import Transfer, TransferPath
from supple.analyses.linear.independent import Coordinates, Motions
from supple.constraints.couplings import joint_target
from supple.constraints.drivers import Driver
from supple.core.base import layout as at_
from supple.core.base.layout import new_work
from supple.core.equations import history as kernel
from supple.engine.base.compiled import Compiled
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.foundation.frames import Body, Frame
from supple.foundation.poses import Pose
from supple.foundation.validate import listed
from supple.joints import Joint
from supple.loops.assembly import compile_model, on_constraints, transferred
from supple.model import Model
from supple.results.result import Result
from supple.state import State

OWNER = "transfer"
Coordinate = str | Joint | tuple[str | Joint, int | str]
Output = str | Joint | Body | Frame
INPUTS = "names of coordinates, e.g. 'crank.angle', joints or pairs (joint, coordinate)"
OUTPUTS = "names of coordinates, joints, bodies or frames such as rod.at(0.3)"
AXES = ("x", "y", "z", "rotation_x", "rotation_y", "rotation_z")
BETTER = 3.0  # times the margin of other inputs from which on they are taken along a path


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
    expect(OWNER, "model", model, Model, "a Model")
    expect(OWNER, "formulation", formulation, Formulation | None, "a formulation, e.g. Absolute()")
    expect(OWNER, "at", at, State | Result | None, "a State or a Result of this model")
    expect(OWNER, "path", path, Mapping | Result | None, "values of inputs by name, or a Result")
    formulation = JointCoordinates() if formulation is None else formulation
    wanted = _listed("outputs", outputs, OUTPUTS)
    mechanism = Mechanism(model, formulation, wanted)
    given = _listed("inputs", inputs, INPUTS)
    chosen = None if given is None else [mechanism.input(item) for item in given]
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
    found = [given] if one else listed(OWNER, field, given, expected)
    if not found:
        raise ModelError(OWNER, field, given, expected)
    return found


class Mechanism:
    """A model whose drivers let go, with the outputs that are asked for."""

    def __init__(self, model: Model, formulation: Formulation, outputs: list[Any] | None) -> None:
        model = self.model = formulation.written(model)
        frames = [_frame(model, item) for item in outputs or () if isinstance(item, (Body, Frame))]
        tree = formulation.tree(model)
        self.driven = compile_model(model, frames, tree)
        self.compiled = _released(model, self.driven, frames, tree)
        self.coordinates = Coordinates.of(self.compiled, model)
        self.equations = Equations(self.compiled)
        if self.compiled.nu == self.compiled.nr:
            raise ModelError(OWNER, "model", model, "one with a degree of freedom")
        items = [frames.pop(0) if isinstance(x, (Body, Frame)) else x for x in outputs or ()]
        self.outputs = [*range(self.compiled.nu)] if outputs is None else self._outputs(items)

    def _outputs(self, items: list[Any]) -> list[int | Frame]:
        """Places in u of coordinates, and frames."""
        found: list[int | Frame] = []
        for item in items:
            if isinstance(item, Frame):
                found.append(item)
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
            found += range(own.start, own.stop)
        return found

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
        """What can move at a position."""
        found = Motions.at(self.coordinates, state.t, state.q)
        if found is None:
            raise ModelError.plain(
                f"transfer: the position{where} is singular, its motions branch and follow no "
                "inputs, expected a position beside it"
            )
        return found

    def along(self, states: Sequence[State], given: Sequence[int] | None) -> list[Transfer]:
        """Functions at each position; inputs that are not given change where others are better."""
        found, kept = [], given
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
            found.append(self.functions(state, motions, list(chosen)))
        return found

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
        found: list[str] = []
        for item in self.outputs:
            if isinstance(item, Frame):
                found += [f"{item.name}.{axis}" for axis in AXES]
            else:
                found.append(self.coordinates.names[item])
        return tuple(found)

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
    known = model.bodies.get(body.name) is body or body is model.ground
    if not known:
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
