"""StateSpace: a linear model with inputs and outputs, and its response to harmonic inputs.

Ports are where it is pushed, and what of it is seen. The velocity of a port is a row times all
velocities; by the power of an effort on it, the same row gives the generalized forces. A coordinate
has one port; a place has six, in world axes.

Drivers as inputs of a linear model: what their motion does to the others.

A driven motion s changes the rows to G x = e s. With x = N y + S s, where G S = e, and
v = N w + P y + S s' + Q s, where G Q = -H S, both without the independent coordinates, the
equations of ``linearize`` get further terms:

    M y'' + C y' + K y + F z = -Ms s'' - Cs s' - Ks s        z' = Y y + V y' + Z z + Yd s + Vd s'

The acceleration s'' is the input, s and s' are states.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.snapshot_result import velocities
from supple.analyses.equilibrium.balance import turned
from supple.analyses.linear.independent import Coordinates, followed, following
from supple.constraints.couplings import joint_target
from supple.constraints.drivers import Driver
from supple.engine.pack.kinds import refuse_rates
from supple.forces import JointEffort, Motor
from supple.formulations.equations import Equations
from supple.foundation import validate
from supple.foundation.arrays import Array, Complex
from supple.foundation.atomic_files import save_figure
from supple.foundation.errors import ModelError, SuppleError, suggestion, warn_caller
from supple.foundation.frames import Body, Frame
from supple.foundation.validate import listed
from supple.joints import Joint
from supple.results.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.analyses.linear.linear_model import LinearModel

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
RESONANCE = 1e-11  # of an eigenvalue: the distance of i omega at which its response is rounding


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
        self.linear, self.model, self.compiled = linear, linear.model, linear.compiled
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
        ports = [port for item in items for port in self._ports(field, item, self.here)]
        self._refuse_turning(field, ports, items)
        names = [port.name for port in ports]
        for name in names:
            if names.count(name) > 1:
                raise ModelError(OWNER, field, name, "each of them once")
        return ports

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
        result = Result(velocities(self.model, self.compiled, q, np.eye(self.compiled.nu)))
        point = result.point(frame)
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


@dataclass(frozen=True)
class Driven:
    """Terms of k driven motions."""

    names: tuple[str, ...]  # (k) of the drivers
    S: Array  # (nu, k) motion of all velocity coordinates with each of them
    # M, C, K: (n, k) forces of s'', s' and s
    M: Array
    C: Array
    K: Array
    # Y, V: (nz, k) rates of controller states by s and s'
    Y: Array
    V: Array


def driven_inputs(owner: str, linear: LinearModel, names: Sequence[str]) -> Driven:
    """Terms of the motions of some drivers about the state of a linear model."""
    state, model, N = linear.state, linear.model, linear.N
    c, (t, q, u, z) = linear.compiled, (state.t, state.q, state.u, state.z)
    equations = Equations(c)
    a = equations.accelerate(t, q, u, z, linear.effort)
    lam = equations.multipliers()
    rows = equations.constraints(t, q, u, a)
    tangents = equations.tangents(t, q, u, a, z, lam)
    e = np.zeros((c.nr, len(names)))
    for k, name in enumerate(names):
        driver = model.drivers[name]
        own = [r for r, row in enumerate(c.rows) if row.owner == name]
        if not isinstance(driver, Driver) or len(own) != 1:
            expected = "a Driver of a joint coordinate that no other constraint holds"
            raise ModelError(owner, "inputs", name, expected)
        joint = model.joints[driver.joint]
        index = joint.coordinate_index(driver.coordinate, owner)
        e[own[0], k] = rows.G[own[0], c.coordinate(driver.joint, index)[1]]
    chosen = list(linear.places)
    S = following(c, rows.G, e, chosen)
    Q = following(c, rows.G, -rows.H @ S, chosen)
    fastest = float(np.max(np.abs(u) / c.scale, initial=0.0))
    if len(names) and fastest > 0.0:
        later = turned(equations, q, TURN / fastest * u)
        G = equations.constraints(t, later, u).G
        change = np.abs(following(c, G, e, chosen) - S) / c.scale[:, None]
        change = np.hstack([change, np.abs(followed(equations, t, later, u, chosen).N - N)])
        if np.max(change) > ALONG * max(np.max(np.abs(S)), np.max(np.abs(N), initial=0.0)):
            expected = "a driver about rest, or of what does not turn against other parts"
            raise ModelError(owner, "inputs", names[0], expected)
    turn = (equations.drift(u) @ S)[chosen]  # y' = w - L[chosen] (N y + S s)
    still = Q + N @ turn
    return Driven(
        names=tuple(names),
        S=S,
        M=N.T @ tangents.M @ S,
        C=N.T @ (tangents.M @ Q + tangents.Ru @ S) + linear.M @ turn,
        K=N.T @ (tangents.Ru @ still + tangents.Rq @ S),
        Y=tangents.Gq @ S + tangents.Gu @ still,
        V=tangents.Gu @ S,
    )


@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """Steady motion under harmonic inputs.

    Attributes
    ----------
    frequencies : (nf,) Hz
    values : (nf, no, ni) complex: output for an input of amplitude 1, by its modulus and phase
    inputs, outputs : names
    input_units, output_units : of each
    """

    frequencies: Array
    values: Complex
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]

    def of(self, output: str | None = None, input: str | None = None) -> Complex:
        """Response (nf,) of one output to one input; a name may be left out if there is one."""
        places = []
        for field, name, names in (
            ("output", output, self.outputs),
            ("input", input, self.inputs),
        ):
            if name is None and len(names) == 1:
                name = names[0]
            if not isinstance(name, str) or name not in names:
                hint = suggestion(name, list(names))
                raise ModelError("frequency response", field, name, f"one of its names, {hint}")
            places.append(names.index(name))
        return np.asarray(self.values[:, places[0], places[1]])

    @property
    def amplitudes(self) -> Array:
        """Moduli (nf, no, ni)."""
        return np.abs(self.values)

    @property
    def phases(self) -> Array:
        """Phases (nf, no, ni), rad, without jumps over the frequencies; negative: it lags."""
        angles = np.angle(self.values)
        angles[angles > (1.0 - 1e-12) * np.pi] = -np.pi  # without damping: half a turn behind
        return np.unwrap(angles, axis=0)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw amplitudes (logarithmic) and phases (degrees) of all pairs over the frequency."""
        from supple.results.plot import COLOURS, DASHES, blank_figure, dress, named

        figure, (top, bottom) = blank_figure(5.2, 2, 1, sharex=True)
        for j, cause in enumerate(self.inputs):
            style = {"ls": "-" if j == 0 else DASHES[(j - 1) % len(DASHES)]}
            for i, effect in enumerate(self.outputs):
                label = effect if len(self.inputs) == 1 else f"{effect} by {cause}"
                style["color"] = COLOURS[i % len(COLOURS)]
                top.plot(self.frequencies, self.amplitudes[:, i, j], label=label, **style)
                phase = np.degrees(self.phases[:, i, j])
                bottom.plot(self.frequencies, phase, **style)
        if np.any(self.amplitudes > 0.0):
            top.set_yscale("log")
        units = {f"{o}/({i})" if i else o for o in self.output_units for i in self.input_units}
        dress(top, y=named("amplitude", units.pop() if len(units) == 1 else ""))
        dress(bottom, "frequency (Hz)", "phase (degrees)", legend=False)
        return save_figure(figure, path)


@dataclass(frozen=True, eq=False)
class StateSpace:
    """Small motion with inputs u and outputs y: x' = A x + B u, y = C x + D u.

    Attributes
    ----------
    A, B, C, D : (n, n), (n, ni), (no, n), (no, ni)
    states : (n) names: coordinates, their rates ("elbow.angle.rate"), controller states
    inputs, outputs : (ni), (no) names
    input_units, output_units : of each; "" for elastic coordinates
    eigenvalues : (n,) 1/s, of A; those of motions that nothing holds are exactly zero
    stable : whether no free motion grows
    name : of the model
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    eigenvalues: Complex
    stable: bool
    name: str = ""

    def frequency_response(self, frequencies: ArrayLike) -> FrequencyResponse:
        """Amplitudes and phases of all outputs under harmonic inputs of given frequencies (nf,) Hz.

        An output is the real part of ``response exp(i 2 pi f t)`` when the input is that of
        ``exp(i 2 pi f t)``. Nothing is known at a resonance without damping, which is refused.
        """
        owner, expected = "frequency_response", "frequencies in Hz, zero or positive"
        wanted = np.atleast_1d(validate.array(owner, "frequencies", frequencies, expected))
        if wanted.ndim != 1 or not len(wanted) or np.any(wanted < 0.0):
            raise ModelError(owner, "frequencies", frequencies, expected)
        for k, s in enumerate(2j * np.pi * wanted):
            near = np.abs(s - self.eigenvalues) <= RESONANCE * np.abs(s)
            if np.any(near):
                expected = "a frequency at which no motion without damping resonates"
                raise ModelError(owner, f"frequencies[{k}]", float(wanted[k]), expected)
        if not self.stable:
            warn_caller(
                "frequency_response: the model is not stable, its free motion grows beyond the "
                "response that is computed"
            )
        shift = 2j * np.pi * wanted[:, None, None] * np.eye(len(self.A)) - self.A
        values: Complex = np.asarray(self.C @ np.linalg.solve(shift, self.B) + self.D, complex)
        units = self.input_units, self.output_units
        return FrequencyResponse(wanted, values, self.inputs, self.outputs, *units)

    def to_control(self) -> Any:
        """Convert to a ``control.StateSpace`` of the package python-control.

        Its names have "_" where these have other signs than letters and digits.
        """
        try:
            import control
        except ImportError as reason:
            raise SuppleError(
                f"to_control needs the package control ({reason}), install it with: "
                "pip install 'supple[control]'"
            ) from reason
        names = {field: _plain(getattr(self, field)) for field in ("states", "inputs", "outputs")}
        return control.ss(self.A, self.B, self.C, self.D, name=_plain([self.name])[0], **names)

    def __repr__(self) -> str:
        held = "stable" if self.stable else "UNSTABLE"
        lines = [f"State space of {len(self.states)} states, {held}"]
        for word, names, units in (
            ("inputs ", self.inputs, self.input_units),
            ("outputs", self.outputs, self.output_units),
        ):
            told = (f"{n} ({u})" if u else n for n, u in zip(names, units, strict=True))
            lines.append(f"  {word}  {', '.join(told)}")
        return "\n".join(lines)


def _plain(names: Any) -> list[str]:
    """Names of letters, digits and "_", each once."""
    found: list[str] = []
    for name in names:
        plain = re.sub(r"\W+", "_", name).strip("_") or "model"
        while plain in found:
            plain += "_"
        found.append(plain)
    return found


def state_space(linear: LinearModel, inputs: Any, outputs: Any, derivative: Any) -> StateSpace:
    """See ``LinearModel.state_space``."""
    expected = "0 (displacements), 1 (rates) or 2 (accelerations)"
    order = validate.integer(OWNER, "derivative", derivative, 0, expected)
    if order > 2:
        raise ModelError(OWNER, "derivative", derivative, expected)
    refuse_rates(linear.compiled, OWNER)
    ports = Ports(linear)
    pushed = ports.find("inputs", inputs)
    seen = ports.find("outputs", list(linear.names) if outputs is None else outputs)
    driven = driven_inputs(OWNER, linear, [port.name for port in pushed if port.driver])
    n, nz, k = len(linear.M), len(linear.Z), len(driven.names)
    y, v, z = slice(0, n), slice(n, 2 * n), slice(2 * n, 2 * n + nz)
    s, r = slice(z.stop, z.stop + k), slice(z.stop + k, z.stop + 2 * k)  # driven motion, its rate
    A, B = np.zeros((r.stop, r.stop)), np.zeros((r.stop, len(pushed)))
    A[: z.stop, : z.stop] = linear.A
    A[v, s], A[v, r] = -np.linalg.solve(linear.M, np.stack([driven.K, driven.C]))
    A[z, s], A[z, r], A[s, r] = driven.Y, driven.V, np.eye(k)
    drives = np.array([port.driver for port in pushed], dtype=bool)
    rows = np.array([port.row for port in pushed])
    B[v] = np.linalg.solve(linear.M, linear.N.T @ rows.T)
    B[v, drives], B[r, drives] = -np.linalg.solve(linear.M, driven.M), np.eye(k)
    shown = np.array([port.row for port in seen])
    C, D = np.zeros((len(seen), r.stop)), np.zeros((len(seen), len(pushed)))
    C[:, y], C[:, s] = shown @ linear.N, shown @ driven.S
    for _ in range(order):
        C, D = C @ A, C @ B
    rate = ("", "/s", "/s2")[order]
    after = ("", ".rate", ".acceleration")[order]
    states = [*linear.names, *(f"{name}.rate" for name in linear.names)]
    states += [f"controller_{j + 1}" for j in range(nz)]
    states += [f"{name}.motion{rate}" for rate in ("", ".rate") for name in driven.names]
    return StateSpace(
        *(A, B, C, D),
        states=tuple(states),
        inputs=tuple(port.input_name for port in pushed),
        outputs=tuple(f"{port.name}{after}" for port in seen),
        input_units=tuple(port.input_unit for port in pushed),
        output_units=tuple(f"{port.unit}{rate}" if port.unit else "" for port in seen),
        eigenvalues=np.concatenate([linear.eigenvalues, np.zeros(2 * k)]),
        stable=linear.stable,
        name=linear.model.name,
    )
