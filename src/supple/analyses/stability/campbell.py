"""campbell: modes over the speed of a joint, followed by their shapes and named by their energy.

Whirl is the motion of places about the axis of a steady rotation, as seen from the world. In a mode
a place moves by the real part of d exp(s t), s = i w. Where the model turns by the angle
p = W t, d changes with it: not at all for a place on bearings, with exp(i p) for one on a shaft.
Across the axis, with unit vectors e1, e2, the motion of a place is

    z = (e1 + i e2).x = 1/2 sum over k of  a_k exp(i (w + k W) t) + conj(b_k) exp(-i (w + k W) t)

where a_k, b_k are the harmonics over p of (e1 + i e2).d and (e1 - i e2).d. So the frequency in the
world is |w + k W| for the k that has most of the motion; a_k goes round with the rotation if
w + k W is positive, b_k against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect
from supple.analyses.base.snapshot_result import velocities
from supple.analyses.equilibrium.balance import turned
from supple.analyses.linear.energy_shares import (
    KINDS,
    kinetic_shares,
    potential_shares,
    strain_kinds,
)
from supple.analyses.linear.independent import dof_names, followed
from supple.analyses.linear.linear_model import LinearModel
from supple.analyses.linear.mode import Mode
from supple.analyses.stability.campbell_diagram import bent, crossings, mode_tracks, picture
from supple.analyses.stability.stability import Stability, StabilityLimit, stability
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.foundation import validate
from supple.foundation.arrays import Array, Complex
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, SuppleError, suggestion, warn_caller
from supple.foundation.frames import Frame, System
from supple.joints import Joint
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.model import Model

ANGLES = 8  # positions of a turn: harmonics up to three
STILL = 1e-3  # of a rotation times the length of the model: places that tilt or twist only
PURE = 0.9  # part of the motion in one harmonic from which on it has one frequency in the world
OWNER = "campbell"
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
ROUND = 0.1  # mean direction of the whirl from which on a mode is named by it
SPARE = 10  # modes that are followed beside, since frequencies cross
MOST = 0.5  # part of the motion along the axis from which on bending is flap
TOLD, MANY = 0.9, 3  # parts of the energy that a name tells: up to this, and no more than so many
RESULT = "Campbell"
Axes = Literal["model", "world"]
STRAIGHT = 0.02  # of a critical speed: error by straight lines between speeds


class Whirl(NamedTuple):
    """Motion of a mode as seen from the world.

    Attributes
    ----------
    frequency : Hz in the world; NaN if the motion has several, as that of one blade across the axis
    direction : from -1 (circles against the rotation) over 0 (straight, or along the axis) to 1
        (circles with the rotation)
    along : part of the motion along the axis, 0 to 1

    Motion is that of places on the bodies; where bodies only tilt or twist, their rotation.
    """

    frequency: float
    direction: float
    along: float


def rotation(linear: LinearModel, joint: Joint) -> Array:
    """Angular velocity (3,) of a joint in the state of a linear model, world axes, rad/s."""
    c, state = linear.compiled, linear.state
    result = Result(velocities(linear.model, c, state.q, state.u[None]))
    ground = linear.model.ground.name
    A, B = (
        np.zeros(3) if f.body.name == ground else result.point(f).angular_velocity[0]
        for f in (joint.frames["A"], joint.frames["B"])
    )
    return np.asarray(B - A)


def whirls(linear: LinearModel, modes: Sequence[Mode], axis: Array, rate: float) -> list[Whirl]:
    """Whirl of modes of one linear model that turns with a rate (rad/s) about an axis (3,)."""
    c, model, state = linear.compiled, linear.model, linear.state
    if not modes:
        return []
    equations = Equations(c)
    angles = 2.0 * np.pi * np.arange(ANGLES) / ANGLES if rate != 0.0 else np.zeros(1)
    q = [turned(equations, state.q, p / rate * state.u) if p else state.q for p in angles]
    own = list(linear.places)
    y = np.concatenate([[mode.shape[own].real, mode.shape[own].imag] for mode in modes])
    # the shape of all velocities may change while the model turns, that of independent ones not
    u = [y @ followed(equations, state.t, one, state.u, own).N.T for one in q]
    result = Result(velocities(model, c, np.repeat(q, len(y), axis=0), np.concatenate(u)))
    points = [result.point(frame) for frame in _places(model)]
    shape = (len(points), len(angles), len(modes), 2, 3)
    moves, turns = (
        np.array(rows).reshape(shape)
        for rows in ([x.velocity for x in points], [x.angular_velocity for x in points])
    )
    seen = []
    for k, mode in enumerate(modes):
        move, turn = (x[:, :, k, 0] + 1j * x[:, :, k, 1] for x in (moves, turns))
        still = np.abs(move).max(initial=0.0) < STILL * c.length * np.abs(turn).max(initial=0.0)
        seen.append(_whirl(turn if still else move, mode, axis, rate))
    return seen


def _whirl(d: np.ndarray, mode: Mode, axis: Array, rate: float) -> Whirl:
    """Of displacements (places, angles, 3)."""
    e1 = np.linalg.svd(axis[None])[2][1]
    e2 = np.cross(axis, e1)
    count = d.shape[1]
    k = np.round(np.fft.fftfreq(count) * count)
    a, b, c = (
        (np.abs(np.fft.fft(x, axis=1) / count) ** 2).sum(axis=0)
        for x in (d @ (e1 + 1j * e2), d @ (e1 - 1j * e2), d @ axis)
    )
    power = 0.5 * (a + b) + c
    whole = float(power.sum())
    if whole <= 0.0:
        return Whirl(np.nan, 0.0, 0.0)
    seen = mode.eigenvalue.imag + k * rate  # rad/s in the world
    top = int(np.argmax(power))
    pure = power[top] > PURE * whole
    direction = float(np.sum(np.sign(seen) * (a - b))) / (2.0 * whole) * np.sign(rate)
    frequency = abs(float(seen[top])) / (2.0 * np.pi) if pure else np.nan
    return Whirl(frequency, direction if pure else 0.0, float(c.sum()) / whole)


def _places(model: Model) -> list[Frame]:
    """Places all over the bodies; of a body that knows none, those that the model uses."""
    places: list[Frame] = []
    used = [frame for joint in model.joints.values() for frame in joint.frames.values()]
    used += [frame for force in model.forces.values() for frame in force.frames.values()]
    for body in model.bodies.values():
        spread = [body.at(*place) for place in body.spread_places]
        places += spread or [f for f in used if f.body.name == body.name]
    return places


@dataclass(frozen=True, eq=False)
class ModeTrack:
    """One mode over the speed.

    Attributes
    ----------
    name : "first flap, 92 % blade bending": number among those of its kind by ascending frequency,
        kind, and the largest parts of the energy of strain and springs, mean over the speeds
    kind : "flap", "lag", "bending", "torsion", "extension", "deformation", "forward whirl",
        "backward whirl", or the coordinate that moves most
    modes : (n) at each speed; None where it does not oscillate
    shares : (n) parts of the energy by strain or spring at each speed, the largest first
    whirls : (n) how it is seen from the world; None where there is no mode
    """

    name: str
    kind: str
    modes: tuple[Mode | None, ...]
    shares: tuple[dict[str, float], ...]
    whirls: tuple[Whirl | None, ...]

    @property
    def eigenvalues(self) -> Complex:
        """Eigenvalues (n,), 1/s, in the coordinates of the model; NaN where there is no mode."""
        none = complex(np.nan, np.nan)
        values = [none if mode is None else mode.eigenvalue for mode in self.modes]
        return np.array(values, dtype=complex)

    @property
    def frequencies(self) -> Array:
        """Damped frequencies (n,), Hz, in the coordinates of the model, which may turn."""
        return np.asarray(self.eigenvalues.imag / (2.0 * np.pi))

    @property
    def damping(self) -> Array:
        """Parts of the critical damping (n,)."""
        return np.array([np.nan if mode is None else mode.damping for mode in self.modes])

    @property
    def world_frequencies(self) -> Array:
        """Frequencies (n,), Hz, as seen from the world; NaN where the motion has several there."""
        return np.array([np.nan if w is None else w.frequency for w in self.whirls])

    @property
    def directions(self) -> Array:
        """From -1 (circles against the rotation) to 1 (with it), (n,); 0: straight, or at rest."""
        return np.array([np.nan if w is None else w.direction for w in self.whirls])

    def __repr__(self) -> str:
        return f"<{self.name}>"


@dataclass(frozen=True, eq=False)
class Campbell:
    """Modes over the speed of a rotation.

    Attributes
    ----------
    stability : small motion at each speed, and its limits of stability
    tracks : the modes, by ascending frequency where they begin
    """

    stability: Stability
    tracks: tuple[ModeTrack, ...]

    @property
    def speeds(self) -> Array:
        """Rates (n,) of the joint, rad/s."""
        return self.stability.values

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tracks."""
        return tuple(track.name for track in self.tracks)

    @property
    def limits(self) -> tuple[StabilityLimit, ...]:
        """Speeds at which stability is lost or won."""
        return self.stability.limits

    def track(self, name: str) -> ModeTrack:
        """A track by its name, or by the part of it before the comma: "first flap"."""
        for track in self.tracks:
            if isinstance(name, str) and name in (track.name, track.name.partition(",")[0]):
                return track
        hint = suggestion(name, [n.partition(",")[0] for n in self.names])
        raise SuppleError(f"Campbell: no track {_quoted(name)}, {hint}")

    @cached_property
    def frequencies(self) -> Array:
        """Damped frequencies (tracks, n), Hz, in the coordinates of the model."""
        return np.array([t.frequencies for t in self.tracks]).reshape(len(self.tracks), -1)

    @cached_property
    def world_frequencies(self) -> Array:
        """Frequencies (tracks, n), Hz, as seen from the world; NaN where a motion has several."""
        return np.array([t.world_frequencies for t in self.tracks]).reshape(len(self.tracks), -1)

    def critical_speeds(self, order: float = 1.0, axes: Axes = "world") -> dict[str, Array]:
        """Speeds (rad/s) at which frequencies are ``order`` times the speed, by name of the track.

        In world axes order 1 is what an unbalance excites, in those of the model what once a turn
        excites a blade. Between two speeds lines are straight: a warning tells where they bend by
        2 % of a critical speed, or where a third speed is missing that would show it.
        """
        factor = validate.positive(RESULT, "order", order)
        lines = self._lines(axes)
        excited = factor * np.abs(self.speeds) / (2.0 * np.pi)
        critical = {}
        for track, line in zip(self.tracks, lines, strict=True):
            # a whirl at the very speed stands still in axes that turn: it is bridged
            seen = np.array([mode is not None for mode in track.modes])
            points = self.speeds[seen], (line - excited)[seen]
            spots, errors = crossings(*points), bent(*points)
            moving = spots != 0.0
            if moving.any():
                critical[track.name] = spots[moving]
                _warn_of_bent(track.name, spots[moving], errors[moving])
        return critical

    def _lines(self, axes: Axes) -> Array:
        validate.choice(RESULT, "axes", axes, ("model", "world"))
        return self.frequencies if axes == "model" else self.world_frequencies

    def plot(
        self,
        path: str | Path | None = None,
        orders: Sequence[float] = (1.0,),
        axes: Axes = "model",
        high: float | None = None,
    ) -> Figure:
        """Draw frequencies up to ``high`` (Hz) over the speed, each line with its name.

        ``orders`` are multiples of the speed; where a line crosses one, a circle marks it. Speeds
        at which the state is not stable are shaded.
        """
        lines = self._lines(axes)
        return picture(self.stability, lines, self.names, orders, path, high)

    def __repr__(self) -> str:
        found = self.stability
        first, last = self.speeds[0], self.speeds[-1]
        lines = [f"Modes over the rate of {found.over} from {first:g} to {last:g} rad/s"]
        for track in self.tracks[:12]:
            known = track.frequencies[np.isfinite(track.frequencies)]
            ends = f"{known[0]:.5g} to {known[-1]:.5g} Hz" if len(known) else "no oscillation"
            lines.append(f"  {track.name}: {ends}")
        if len(self.tracks) > 12:
            lines.append(f"  ... {len(self.tracks)} modes in all")
        return "\n".join([*lines, f"  message  {found.message}"])


def _warn_of_bent(name: str, spots: Array, errors: Array) -> None:
    """Warn of critical speeds between speeds that are too far from each other."""
    for speed, error in zip(spots, errors, strict=True):
        if error <= STRAIGHT * abs(speed):
            continue
        how = "there are only two" if np.isnan(error) else f"it bends by {error:.2g} rad/s or more"
        warn_caller(
            f"Campbell: the critical speed {speed:.4g} rad/s of {name!r} is that of a straight "
            f"line between two speeds, but {how}: give more speeds near {speed:.3g} rad/s"
        )


def _quoted(name: object) -> str:
    return repr(name) if isinstance(name, str) else f"of the type {type(name).__name__}"


def campbell(
    model: Model,
    joint: str | Joint,
    speeds: ArrayLike,
    *,
    count: int = 12,
    spin: Mapping[Any, float] | None = None,
    t: float = 0.0,
    start: State | Result | None = None,
    formulation: Formulation | None = None,
) -> Campbell:
    """Follow the modes of a model over the speed of a joint that turns.

    Parameters
    ----------
    joint : str or joint
        Whose rate is varied; it keeps it by a constant effort, or at its rate if it has a `Driver`.
    speeds : (n,) increasing, rad/s
        Close enough to each other that shapes change little from one to the next.
    count : int
        How many modes, those of the lowest frequencies where they begin.
    spin, t, start, formulation :
        As for `stability`, which finds the states, small motion about them and its limits.

    Each mode is followed by its shape and eigenvalue, so that lines may cross. It is named by what
    stores its energy, and by how it moves: along the axis of the rotation (flap), across it (lag),
    or round it (forward and backward whirl, as seen from the world).
    """
    expect(OWNER, "model", model, System, "a Model")
    name = joint.name if isinstance(joint, Joint) else joint
    if not isinstance(name, str) or name not in model.joints:
        hint = suggestion(name, list(model.joints)) if isinstance(name, str) else "by its name"
        raise ModelError(OWNER, "joint", joint, f"a joint of the model, {hint}")
    most = validate.count(OWNER, "count", count, 1)
    found = stability(model, name, speeds, spin=spin, t=t, start=start, formulation=formulation)
    size = len(found.linear)
    tracks = mode_tracks(found.linear, 2 * most + SPARE, found.values)
    tracks.sort(key=lambda track: track[min(track)].damped_frequency)
    tracks = tracks[:most]
    rates, axis = _rotation(found.linear, name)
    kinds = strain_kinds(found.linear[0].compiled)
    seen: list[list[Whirl | None]] = [[None] * size for _ in tracks]
    for k, (one, rate) in enumerate(zip(found.linear, rates, strict=True)):
        own = [row for row, track in enumerate(tracks) if k in track]
        shown = whirls(one, [tracks[row][k] for row in own], axis, float(rate))
        for row, whirl in zip(own, shown, strict=True):
            seen[row][k] = whirl
    rows = []
    for track, its in zip(tracks, seen, strict=True):
        modes = tuple(track.get(k) for k in range(size))
        shares = tuple({} if m is None else potential_shares(m, kinds) for m in modes)
        rows.append((modes, shares, tuple(its)))
    return Campbell(found, tuple(_named(rows, rates)))


Row = tuple[tuple[Mode | None, ...], tuple[dict[str, float], ...], tuple[Whirl | None, ...]]


def _rotation(linear: Sequence[LinearModel], joint: str) -> tuple[Array, Array]:
    """Signed rates (n,) about the axis (3,) of a joint; that of z if nothing turns."""
    model = linear[0].model
    turns = np.array([rotation(one, model.joints[joint]) for one in linear])
    sizes = np.linalg.norm(turns, axis=1)
    k = int(np.argmax(sizes))
    axis = turns[k] / sizes[k] if sizes[k] > 0.0 else np.array([0.0, 0.0, 1.0])
    return turns @ axis, axis


def _named(rows: Sequence[Row], rates: Array) -> list[ModeTrack]:
    """Tracks with their names, counted by kind."""
    counts: dict[str, int] = {}
    tracks = []
    for modes, shares, seen in rows:
        turning = [one for one, rate in zip(shares, rates, strict=True) if one and rate != 0.0]
        mean = _mean(turning or [one for one in shares if one])  # equal ones at rest are any sums
        kind = _kind(modes, mean, seen, rates)
        counts[kind] = counts.get(kind, 0) + 1
        number = counts[kind]
        ordinal = ORDINALS[number - 1] if number <= len(ORDINALS) else f"{number}th"
        told = _told(mean) or _moved(modes)
        tracks.append(ModeTrack(f"{ordinal} {kind}, {told}", kind, modes, shares, seen))
    return tracks


def _mean(known: Sequence[dict[str, float]]) -> dict[str, float]:
    """Mean of shares, the largest first."""
    names = dict.fromkeys(name for one in known for name in one)
    mean = {name: sum(one.get(name, 0.0) for one in known) / len(known) for name in names}
    return dict(sorted(mean.items(), key=lambda item: -item[1]))


def _told(mean: dict[str, float]) -> str:
    """The largest shares in words: "92 % blade bending"."""
    words, sum_ = [], 0.0
    for name, share in list(mean.items())[:MANY]:
        words.append(f"{100.0 * share:.0f} % {name}")
        sum_ += share
        if sum_ > TOLD:
            break
    return ", ".join(words)


def _moved(modes: Sequence[Mode | None]) -> str:
    """Without strain and springs: which body has the kinetic energy."""
    mode = next(m for m in modes if m is not None)
    shares = kinetic_shares(mode)
    words = [f"{100.0 * share:.0f} % motion of {name}" for name, share in shares.items()]
    return words[0] if words else "no motion"


def _kind(
    modes: Sequence[Mode | None],
    mean: dict[str, float],
    seen: Sequence[Whirl | None],
    rates: Array,
) -> str:
    """Kind of motion of a mode, in a word."""
    known = [w for w, rate in zip(seen, rates, strict=True) if w is not None and rate != 0.0]
    direction = float(np.mean([w.direction for w in known])) if known else 0.0
    if abs(direction) > ROUND:
        return "forward whirl" if direction > 0.0 else "backward whirl"
    top = next(iter(mean), "")
    body, _, word = top.rpartition(" ")
    mode = next(m for m in modes if m is not None)
    if body not in mode.compiled.bodies or word not in KINDS:  # a spring
        moved = np.abs(mode.shape) / mode.compiled.scale
        return f"motion of {dof_names(mode.compiled)[int(np.argmax(moved))]}"
    if word == "bending" and known:
        return "flap" if np.mean([w.along for w in known]) > MOST else "lag"
    return word
