"""Ports of a linear model: where it is pushed, and what of it is seen.

The velocity of a port is a row times all velocities; by the power of an effort on it, the same row
gives the generalized forces. A coordinate has one port; a place has six, in world axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from supple.analyses.base.snapshot_result import velocities
from supple.analyses.equilibrium.spin import turned
from supple.analyses.linear.independent import Coordinates
from supple.analyses.linear.reduced_motion import followed
from supple.constraints.couplings import joint_target
from supple.constraints.drivers import Driver
from supple.forces import JointEffort, Motor
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, suggestion
from supple.foundation.frames import Body, Frame
from supple.foundation.validate import listed
from supple.joints import Joint
from supple.results.result import Result

if TYPE_CHECKING:
    from supple.analyses.modes.linear_model import LinearModel

OWNER = "state_space"
AXES = ("x", "y", "z", "rotation_x", "rotation_y", "rotation_z")
EFFORTS = {"rad": "N m", "m": "N"}
TURN = 0.7  # rad by which a state in rotation is turned to see whether a place turns along
ALONG = 1e-9  # part of a row that rounding may change
EXPECTED = (
    "joints, coordinates such as 'elbow.angle', pairs (joint, coordinate), frames, or pairs "
    "(frame, 'z') or (frame, 'rotation_z')"
)
Field = Literal["inputs", "outputs"]


class Port(NamedTuple):
    """A port: its name, the unit of its displacement, and its row (nu,) of the velocities.

    A ``driver`` is moved, not pushed: the acceleration of its motion is the input.
    """

    name: str
    unit: str
    row: Array
    driver: bool = False

    @property
    def input_name(self) -> str:
        """Name of what is given there."""
        return f"{self.name}.acceleration" if self.driver else self.name

    @property
    def input_unit(self) -> str:
        """Unit of what is given there: N, N m, rad/s2, or "" for elastic coordinates."""
        return f"{self.unit}/s2" if self.driver else EFFORTS.get(self.unit, "")


class Position(NamedTuple):
    """A position (nq,), how all velocities follow the independent ones, and users' axes there."""

    q: Array
    N: Array
    T: Array


class Ports:
    """Finds ports of a linear model by what users write."""

    def __init__(self, linear: LinearModel) -> None:
        assert linear.model is not None and linear.state.compiled is not None
        self.linear, self.model, self.compiled = linear, linear.model, linear.state.compiled
        self.coordinates = Coordinates.of(self.compiled, self.model)
        q, u = linear.state.q, linear.state.u
        self.here, self.later = Position(q, linear.N, self.coordinates.axes(q)), None
        fastest = float(np.max(np.abs(u) / self.compiled.scale, initial=0.0))
        if fastest > 0.0:
            equations = Equations(self.compiled)
            q = turned(equations, q, TURN / fastest * u)
            N = followed(equations, linear.state.t, q, u, list(linear.places)).N
            self.later = Position(q, N, self.coordinates.axes(q))

    def find(self, field: Field, given: Any) -> list[Port]:
        """Ports of one item, or of a list of them."""
        one = isinstance(given, (str, Joint, Body, Frame))
        pair = isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], (str, int))
        pair = pair and isinstance(given[0], (Joint, Body, Frame))
        items = [given] if one or pair else listed(OWNER, field, given, EXPECTED)
        if not items:
            raise ModelError(OWNER, field, given, EXPECTED)
        found = [port for item in items for port in self._ports(field, item, self.here)]
        self._refuse_turning(field, found, items)
        names = [port.name for port in found]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(OWNER, field, name, "each of them once")
        return found

    def _ports(self, field: Field, item: Any, there: Position) -> list[Port]:
        if isinstance(item, (Body, Frame)):
            return self._place(field, item, there)
        pair = isinstance(item, (tuple, list)) and len(item) == 2
        if pair and isinstance(item[0], (Body, Frame)):
            if item[1] not in AXES:
                expected = f"a frame with one of {', '.join(map(repr, AXES))}"
                raise ModelError(OWNER, field, tuple(item), expected)
            return [self._place(field, item[0], there)[AXES.index(item[1])]]
        if isinstance(item, str) and field == "inputs" and item in self.model.forces:
            return [self._element(item, there)]
        if isinstance(item, str) and field == "inputs" and item in self.model.drivers:
            return [self._driver(item)]
        if isinstance(item, str):
            record = self.compiled.joints.get(item)
            if record is not None and record.u.stop - record.u.start != 1:
                return [self._port(k, there) for k in range(record.u.start, record.u.stop)]
            return [self._port(self.coordinates.place(OWNER, field, item), there)]
        if not isinstance(item, Joint) and not pair:
            raise ModelError(OWNER, field, item, EXPECTED)
        name, coordinate = joint_target(OWNER, field, tuple(item) if pair else item)
        if name not in self.model.joints:
            hint = suggestion(name, list(self.model.joints))
            raise ModelError(OWNER, field, name, f"the name of a joint, {hint}")
        index = self.model.joints[name].coordinate_index(coordinate, OWNER)
        return [self._port(self.compiled.coordinate(name, index)[1], there)]

    def _port(self, k: int, there: Position) -> Port:
        """The port of a velocity, as users see it."""
        return Port(self.coordinates.names[k], self._unit(k), there.T[k])

    def _unit(self, k: int) -> str:
        if any(body.u.start <= k < body.u.stop for body in self.compiled.flexible.values()):
            return ""
        # increments of rotations count in rad, of translations in lengths of the model
        name = self.coordinates.names[k].rpartition(".")[2]
        return "rad" if name.startswith(("angle", "rotation", "shaft")) else "m"

    def _element(self, name: str, there: Position) -> Port:
        """The port that a given effort or a motor acts on."""
        force = self.model.forces[name]
        if not isinstance(force, (JointEffort, Motor)):
            expected = "a JointEffort or a Motor; of other forces, the frame that they act at"
            raise ModelError(OWNER, "inputs", name, expected)
        if isinstance(force, Motor):
            _, k, ratio = self.compiled.shaft(name, 0)
        else:
            joint = self.model.joints.get(force.joint)
            index = 0 if joint is None else joint.coordinate_index(force.coordinate, OWNER)
            _, k, ratio = self.compiled.shaft(force.joint, index)
        return Port(name, self._unit(k), ratio * there.T[k])

    def _driver(self, name: str) -> Port:
        """A coordinate that follows a given motion."""
        driver = self.model.drivers[name]
        if not isinstance(driver, Driver):
            expected = "a Driver of a joint coordinate; it is the only constraint that may be one"
            raise ModelError(OWNER, "inputs", name, expected)
        joint = self.model.joints[driver.joint]
        place = self.compiled.coordinate(
            joint.name, joint.coordinate_index(driver.coordinate, OWNER)
        )[1]
        return Port(name, self._unit(place), np.zeros(self.compiled.nu), True)

    def _place(self, field: Field, item: Body | Frame, there: Position) -> list[Port]:
        """The six ports of a place, in world axes."""
        body = item.body if isinstance(item, Frame) else item
        known = self.model.bodies.get(body.name)
        if known is None or body not in (known, self.model[body.name]):
            expected = "a body of the model, or a frame on one"
            raise ModelError(OWNER, field, item, expected)
        frame = item if isinstance(item, Frame) else item.at(0.0)
        rows = self._rows(frame, there.q)
        units = ("m",) * 3 + ("rad",) * 3
        return [
            Port(f"{frame.name}.{axis}", unit, row)
            for axis, unit, row in zip(AXES, units, rows, strict=True)
        ]

    def _rows(self, frame: Frame, q: Array) -> Array:
        """Rows (6, nu) of a place, translation first, at a position."""
        found = Result(velocities(self.model, self.compiled, q, np.eye(self.compiled.nu)))
        point = found.point(frame)
        return np.vstack([point.velocity.T, point.angular_velocity.T])

    def _refuse_turning(self, field: Field, ports: list[Port], items: list[Any]) -> None:
        """Refuse ports whose rows change while the model turns, seen by independent coordinates."""
        if self.later is None:
            return
        after = [port for item in items for port in self._ports(field, item, self.later)]
        for port, other in zip(ports, after, strict=True):
            seen, then = port.row @ self.here.N, other.row @ self.later.N
            size = max(np.max(np.abs(seen), initial=0.0), np.max(np.abs(then), initial=0.0))
            if np.max(np.abs(seen - then), initial=0.0) > ALONG * size:
                expected = (
                    "what does not turn against the independent coordinates "
                    f"{', '.join(self.linear.names[:4])}: its motion is not linear in them with "
                    "constant coefficients, as that of joints and elastic coordinates mostly is"
                )
                raise ModelError(OWNER, field, port.name, expected)
