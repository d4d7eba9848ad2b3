"""Campbell: modes over the speed of a rotation, each followed and named; whirl; limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from supple.analyses.modes.mode import Mode
from supple.analyses.stability.campbell import bent, crossings, picture
from supple.analyses.stability.stability import Stability, StabilityLimit
from supple.analyses.stability.whirl import Whirl
from supple.foundation import validate
from supple.foundation.arrays import Array, Complex
from supple.foundation.errors import SuppleError, suggestion, warn_caller

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OWNER = "Campbell"
Axes = Literal["model", "world"]
STRAIGHT = 0.02  # of a critical speed: error by straight lines between speeds


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
        found = [none if mode is None else mode.eigenvalue for mode in self.modes]
        return np.array(found, dtype=complex)

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
        raise SuppleError(f"Campbell: no track {_told(name)}, {hint}")

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
        factor = validate.positive(OWNER, "order", order)
        lines = self._lines(axes)
        excited = factor * np.abs(self.speeds) / (2.0 * np.pi)
        found = {}
        for track, line in zip(self.tracks, lines, strict=True):
            # a whirl at the very speed stands still in axes that turn: it is bridged
            seen = np.array([mode is not None for mode in track.modes])
            given = self.speeds[seen], (line - excited)[seen]
            spots, errors = crossings(*given), bent(*given)
            moving = spots != 0.0
            if moving.any():
                found[track.name] = spots[moving]
                _warn_of_bent(track.name, spots[moving], errors[moving])
        return found

    def _lines(self, axes: Axes) -> Array:
        validate.choice(OWNER, "axes", axes, ("model", "world"))
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


def _told(name: object) -> str:
    return repr(name) if isinstance(name, str) else f"of the type {type(name).__name__}"
