"""stiffness: how stiff a model holds a frame, at rest and over its stroke.

About an equilibrium, small motion under a load f on the frame is y = K^-1 (J N)^T f, in independent
coordinates with the velocities N y of all and the twist J N y of the frame. So its compliance is

    C = J N K^-1 (J N)^T

with controllers that integrate settled. The rows of drivers are among those that N obeys: what they
drive is held.

Flexible bodies without stiffening have the same stiffness under any load. So the question is asked
once more of the model whose bodies have displacements of second order, in the same equilibrium.
"""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import coordinates_of, expect, number
from supple.analyses.base.snapshot_result import velocities
from supple.analyses.equilibrium.static_result import StaticResult
from supple.analyses.linear.finer_models import (
    finer_model,
    stiffened_model,
    with_flexibility,
    with_loads,
)
from supple.analyses.linear.linear_model import ROUNDING, LinearModel
from supple.analyses.stability.parameter import Followed, Over, Parameter
from supple.formulations.base import Formulation
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure
from supple.foundation.cached import cached_property
from supple.foundation.errors import (
    ModelError,
    SuppleError,
    SuppleWarning,
    describe,
    suggestion,
    warn_caller,
)
from supple.foundation.frames import Frame, System
from supple.foundation.palette import COLOURS, INK
from supple.foundation.poses import quaternions
from supple.foundation.progress import told
from supple.foundation.validate import Axis
from supple.results.data.findings import Monitor
from supple.results.plot import TITLE, blank_panels, dress
from supple.results.result import Result
from supple.results.views.attitude import rotation_vectors
from supple.state import State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.model import Model

RIGID = 1e-12  # a compliance of this part of the others is rounding
OWNER = "stiffness"
TURNS, ALONG = ("rx", "ry", "rz"), ("x", "y", "z")


@dataclass(frozen=True, eq=False)
class Position:
    """One equilibrium."""

    rest: StaticResult  # what `statics` found
    compliance: Array  # (n, n) displacements (m, rad) along the directions by unit loads (N, N m)
    # place, axes: (3,) m, (3, 3) of the frame, in the world
    place: Array
    axes: Array
    frequencies: Array  # Hz, ascending, of small motion about it
    stress: float  # Pa, the largest of von Mises in all bodies whose stress is known, or NaN
    # whether flexible bodies are within the assumptions of their models, frequencies too
    monitor: Monitor


@dataclass(frozen=True, eq=False)
class StiffnessResult:
    """Stiffness with which a model holds a frame, at each of k positions.

    Attributes
    ----------
    over : what changes, "stroke.y"; empty if there is one position only
    values : (k,) its values
    directions : names of the n directions
    positions : what each equilibrium says
    success, message : whether all equilibria were found, and a sentence
    """

    over: str
    values: Array
    directions: tuple[str, ...]
    positions: tuple[Position, ...]
    success: bool
    message: str

    @cached_property
    def compliance(self) -> Array:
        """Displacements (k, n, n) along the first directions by unit loads along the second."""
        n = len(self.directions)
        return np.array([p.compliance for p in self.positions]).reshape(-1, n, n)

    @cached_property
    def matrix(self) -> Array:
        """Stiffness matrices (k, n, n), N/m, N/rad, N m/rad: all other directions are held."""
        unit = 1.0 / np.sqrt(np.maximum(np.diagonal(self.compliance, axis1=1, axis2=2), 1e-300))
        scaled = unit[:, :, None] * self.compliance * unit[:, None, :]
        if np.any(np.linalg.svd(scaled, compute_uv=False)[:, -1] < RIGID):
            raise SuppleError(
                f"stiffness: something along {', '.join(self.directions)} is held without "
                "compliance, expected directions that all give way; see along() and compliance"
            )
        return unit[:, :, None] * np.linalg.inv(scaled) * unit[:, None, :]

    def along(self, direction: str) -> Array:
        """Stiffness (k,) along one direction, N/m or N m/rad, free to move along all others.

        Infinite where nothing gives way.
        """
        if direction not in self.directions:
            hint = suggestion(direction, list(self.directions))
            raise SuppleError(f"the stiffness has no direction {direction!r}, {hint}")
        k = self.directions.index(direction)
        own = self.compliance[:, k, k]
        stiffness: Array = np.divide(1.0, own, out=np.full(len(own), np.inf), where=own != 0.0)
        return stiffness

    @cached_property
    def position(self) -> Array:
        """Places (k, 3) of the frame in the world, m."""
        return np.array([p.place for p in self.positions]).reshape(-1, 3)

    @cached_property
    def rotation(self) -> Array:
        """Rotation vectors (k, 3) of the frame from its first position, rad, world axes."""
        if not self.positions:
            return np.zeros((0, 3))
        axes = np.array([p.axes for p in self.positions])
        return rotation_vectors(quaternions(axes @ axes[0].T))

    @cached_property
    def displacement(self) -> Array:
        """Way (k, 3) of the frame from its first position, m, world axes."""
        return self.position - self.position[:1]

    def parasitic(self, direction: Axis) -> Array:
        """Displacement (k, 3) across a direction, m: what a straight guide would not have.

        ``direction`` is "x", "y", "z" or a vector (3,) along the stroke, in the world.
        """
        line = validate.axis("stiffness", "direction", direction)
        return self.displacement - np.multiply.outer(self.displacement @ line, line)

    @cached_property
    def frequency(self) -> Array:
        """Lowest frequency (k,) of small motion, Hz: with a driver, the first unwanted one."""
        return np.array(
            [p.frequencies[0] if len(p.frequencies) else np.nan for p in self.positions]
        )

    @cached_property
    def stress(self) -> Array:
        """Largest stress (k,) of von Mises, Pa; NaN where none is known."""
        return np.array([p.stress for p in self.positions])

    @property
    def doubts(self) -> list[str]:
        """Serious findings of the validity monitor, each sentence once."""
        sentences = [f.sentence for p in self.positions for f in p.monitor.findings if f.serious]
        return list(dict.fromkeys(sentences))

    @property
    def verdict(self) -> str:
        """The worst of the validity verdicts of all positions."""
        order = ("valid", "doubtful", "not valid")
        seen = [p.monitor for p in self.positions]
        worst = max(seen, key=lambda m: order.index(m.level), default=None)
        return "nothing computed" if worst is None else worst.verdict

    def plot(self, path: str | Path | None = None) -> Figure:
        """Stiffness, frequency, stress and displacement over the values; saved to ``path``."""
        moved = {axis: self.displacement[:, k] for k, axis in enumerate("xyz")}
        panels: list[tuple[str, dict[str, Array], bool]] = [
            ("stiffness (N/m, N m/rad)", {d: self.along(d) for d in self.directions}, True),
            ("lowest frequency (Hz)", {"": self.frequency}, False),
            ("von Mises (Pa)", {"": self.stress}, False),
            ("displacement (m)", moved, False),
        ]
        shown = [p for p in panels if any(np.any(np.isfinite(y)) for y in p[1].values())]
        figure, axes = blank_panels(len(shown))
        for ax, (title, lines, logarithmic) in zip(axes, shown, strict=True):
            for (name, y), colour in zip(lines.items(), cycle(COLOURS)):
                ax.plot(self.values, y, color=colour, lw=1.4, marker="o", ms=3, label=name or None)
            ax.set_ylabel(title, color=INK)
            if logarithmic:
                ax.set_yscale("log")
            if len(lines) > 1:
                ax.legend(frameon=False, fontsize=8)
            dress(ax)
        axes[-1].set_xlabel(self.over, color=INK)
        title = "\n".join(textwrap.wrap(self.verdict, TITLE))
        figure.suptitle(title, x=0.01, ha="left", size=10, color=INK)
        return save_figure(figure, path)

    def __repr__(self) -> str:
        head = f"Stiffness at {len(self.positions)} positions"
        lines = [f"{head} over {self.over}" if self.over else head]
        for name in self.directions:
            k = self.along(name)
            unit = "N m/rad" if name.startswith("r") else "N/m"
            span = f"{k[0]:.6g}" if len(k) == 1 else f"{k[0]:.6g} to {k[-1]:.6g}" if len(k) else "-"
            lines.append(f"  {name:9s} {span} {unit}")
        if len(self.frequency):
            lines.append(f"  lowest frequency {np.nanmin(self.frequency):.6g} Hz")
        lines += [f"  validity  {self.verdict}", f"  message   {self.message}"]
        return "\n".join(lines)


def stiffness(
    model: Model,
    at: Frame,
    directions: Sequence[str | Axis] = (*ALONG, *TURNS),
    *,
    over: Over | None = None,
    values: ArrayLike | None = None,
    spin: Mapping[Any, float] | None = None,
    t: float = 0.0,
    start: State | Result | None = None,
    formulation: Formulation | None = None,
) -> StiffnessResult:
    """Find how stiff a model holds a frame, in its equilibrium and along a path of equilibria.

    Parameters
    ----------
    at : Frame
        Where unit loads act and displacements are taken, ``stage.at(0)``.
    directions : sequence
        In world axes: "x", "y", "z" or vectors (3,) for forces and displacements, "rx", "ry", "rz"
        for torques and rotations about the axes.
    over, values : optional
        What changes from position to position, and its values (k,): a field such as "stroke.y", the
        motion of a driver; "loads", "gravity" or the name of a force or driver (a load factor); a
        joint (its rate in uniform rotation); see `stability`. What a driver moves is held, under a
        load it is free to give way.
    spin : mapping, optional
        Constant rates of joints, see `statics`.
    t : s
        When signals stand still.
    start : State or Result, optional
        Where the search for the first equilibrium begins.
    formulation : JointCoordinates, Absolute or Branch, optional

    Each equilibrium is followed from the one before it. Where there is none the result ends, with
    ``success`` False, a ``message`` and a warning.
    """
    expect(OWNER, "model", model, System, "a Model")
    expect(OWNER, "at", at, Frame, "a frame on a body, e.g. stage.at(0)")
    formulation = coordinates_of(OWNER, formulation)
    if at.body.name not in model.bodies:
        raise ModelError(OWNER, "at", describe(at), "a frame on a body of the model that moves")
    names, table = _directions(directions)
    if (over is None) != (values is None):
        raise ModelError(OWNER, "values", values, "values of what changes, together with over")
    made = (lambda _: model) if over is None else over
    parameter = Parameter(OWNER, model, made, spin, number(OWNER, "t", t), formulation)
    expected = "one or more numbers"
    wanted = np.zeros(1) if values is None else validate.array(OWNER, "values", values, expected)
    if wanted.ndim != 1 or not len(wanted):
        raise ModelError(OWNER, "values", values, expected)
    with told("stiffness: equilibria are followed"):
        states, message = _followed(parameter, wanted, start)
        spots = [_position(here, at, names, table) for here in states]
        for k in sorted({0, len(spots) // 2, len(spots) - 1}):
            seen = _judged(parameter, states[k], spots[k], at, names, table)
            spots[k] = replace(spots[k], monitor=seen)
    words = "" if over is None else parameter.words
    result = StiffnessResult(
        words,
        wanted[: len(spots)],
        names,
        tuple(spots),
        len(spots) == len(wanted),
        message,
    )
    for doubt in ([] if result.success else [message]) + result.doubts:
        warn_caller(doubt)
    return result


def _followed(
    parameter: Parameter, values: Array, start: State | Result | None
) -> tuple[list[Followed], str]:
    """The equilibria up to the last one that is found, and a sentence."""
    states = [parameter.first(float(values[0]), start)]
    for value in values[1:]:
        there, last, why = None, states[-1], ""
        try:
            there, last = parameter.follow(states[-1], float(value))
        except ModelError as error:  # a mechanism that cannot be closed there
            why = f": {error}"
        if there is None:
            words = f"{parameter.words} = {value:g}"
            return states, f"no equilibrium at {words}, the last one is at {last.value:g}{why}"
        states.append(there)
    return states, "all equilibria found"


def _judged(
    parameter: Parameter,
    here: Followed,
    position: Position,
    at: Frame,
    names: Sequence[str],
    table: Array,
) -> Monitor:
    """Monitor of a position that is compared with other models in the same equilibrium.

    With findings if modes or elements are too few for these loads, and if loads change the
    stiffness of linear shapes.
    """
    seen, given = position.monitor, np.diag(position.compliance)

    def compliance(model: Model) -> Array | None:
        try:
            there = parameter.another(here, model)
            return None if there is None else _compliance(there.linear, at, names, table)
        except SuppleError:  # a body that does not take other shapes, or without stiffness
            return None

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        if here.search.compiled.flexible:
            try:
                finer, refined = finer_model(here.model, at)
                right = compliance(finer) if refined else None
            except SuppleError:
                right = None
            if right is not None:
                seen = with_flexibility(seen, refined, names, given, np.diag(right))
        stiffened = None if parameter.loaded is not None else stiffened_model(here.model, seen)
        if stiffened is not None:
            seen = with_loads(seen, names, given, compliance(stiffened))
    return seen


def _directions(given: Any) -> tuple[tuple[str, ...], Array]:
    """Names of directions, and twists [angular; linear] (n, 6) along them."""
    expected = 'a sequence of "x", "y", "z", "rx", "ry", "rz" or vectors (3,)'
    names, rows = [], []
    items = validate.listed(OWNER, "directions", given, expected)
    if not items:
        raise ModelError(OWNER, "directions", given, expected)
    for item in items:
        row = np.zeros(6)
        if isinstance(item, str):
            if item not in (*ALONG, *TURNS):
                raise ModelError(OWNER, "directions", item, expected)
            row[(*TURNS, *ALONG).index(item)] = 1.0
            names.append(item)
        else:
            row[3:] = validate.axis(OWNER, "directions", item)
            names.append("(" + ", ".join(f"{x:.3g}" for x in row[3:]) + ")")
        rows.append(row)
    table = np.array(rows)
    if np.linalg.matrix_rank(table) < len(rows):
        raise ModelError(OWNER, "directions", given, "directions that do not depend on each other")
    return tuple(names), table


def _position(here: Followed, at: Frame, names: Sequence[str], table: Array) -> Position:
    """Position of one equilibrium."""
    rest, small = here.result, here.judged
    place, compliance = rest[at], _compliance(small, at, names, table)
    lowest = {
        name: replace(body, findings=tuple(f for f in body.findings if f.what != "frequencies"))
        for name, body in small.monitor.bodies.items()
    }
    return Position(
        rest=rest,
        compliance=compliance,
        place=place.position[0].copy(),
        axes=place.matrix[0].copy(),
        frequencies=small.all_frequencies,
        stress=_stress(rest),
        monitor=Monitor(lowest),
    )


def _compliance(small: LinearModel, at: Frame, names: Sequence[str], table: Array) -> Array:
    """Displacements (n, n) along directions by unit loads along them."""
    twists = _twists(small, at) @ table.T  # (coordinates, directions)
    return np.asarray(twists.T @ _flexibility(small, twists, names))


def _twists(small: LinearModel, at: Frame) -> Array:
    """Twist (n, 6) of the frame with each independent coordinate, world axes."""
    if not len(small.M):
        return np.zeros((0, 6))
    moving = Result(velocities(small.model, small.compiled, small.state.q, small.N.T))
    place = moving[at]
    return np.hstack([place.angular_velocity, place.velocity])


def _flexibility(small: LinearModel, loads: Array, names: Sequence[str]) -> Array:
    """Independent coordinates (n, directions) under loads (n, directions) on them."""
    n = len(small.M)
    acts = np.any(small.F != 0.0, axis=0)  # integrals without effect need not settle
    F, Y, Z = small.F[:, acts], small.Y[acts], small.Z[np.ix_(acts, acts)]
    unit = np.concatenate([small.unit, np.ones(len(Z))])
    stiff = unit[:, None] * np.block([[small.K, F], [-Y, -Z]]) * unit
    scaled = unit[:, None] * np.vstack([loads, np.zeros((len(Z), loads.shape[1]))])
    left, size, right = np.linalg.svd(stiff)
    free = size <= ROUNDING * size.max(initial=1e-300)
    along = left.T @ scaled
    pushed = np.abs(along[free]) > 1e-9 * np.abs(scaled).max(axis=0, initial=0.0)
    if np.any(pushed):
        name = names[int(np.argmax(pushed.any(axis=0)))]
        raise SuppleError(
            f"stiffness: a load along {name!r} moves the frame without resistance, "
            "expected springs, flexible bodies or drivers that hold it"
        )
    inverse = np.zeros_like(size)
    inverse[~free] = 1.0 / size[~free]
    found: Array = (unit[:, None] * (right.T @ (inverse[:, None] * along)))[:n]
    return found


def _stress(rest: StaticResult) -> float:
    """Largest stress of von Mises in all bodies whose stress is known, Pa; NaN if none is."""
    largest = [np.nan]
    for name, body in rest.bodies.items():
        if body.deforms:
            try:
                largest.append(float(rest[name].von_mises()[0]))
            except SuppleError:  # a section given by numbers, standard input data
                continue
    return float(np.fmax.reduce(largest))
