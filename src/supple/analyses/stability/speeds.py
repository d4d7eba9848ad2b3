"""campbell: modes over the speed of a joint, followed by their shapes and named by their energy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect
from supple.analyses.linear.linearize import dof_names
from supple.analyses.modes.kinetic_shares import kinetic_shares
from supple.analyses.modes.linear_model import LinearModel
from supple.analyses.modes.mode import Mode
from supple.analyses.modes.potential_shares import KINDS, potential_shares, strain_kinds
from supple.analyses.stability.campbell_result import Campbell, ModeTrack
from supple.analyses.stability.mode_tracks import mode_tracks
from supple.analyses.stability.stability import stability
from supple.analyses.stability.whirl import Whirl, rotation, whirls
from supple.formulations.base import Formulation
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, suggestion
from supple.joints import Joint
from supple.model import Model
from supple.results.result import Result
from supple.state import State

OWNER = "campbell"
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
ROUND = 0.1  # mean direction of the whirl from which on a mode is named by it
SPARE = 10  # modes that are followed beside, since frequencies cross
MOST = 0.5  # part of the motion along the axis from which on bending is flap
TOLD, MANY = 0.9, 3  # parts of the energy that a name tells: up to this, and no more than so many


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
    expect(OWNER, "model", model, Model, "a Model")
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
    compiled = found.linear[0].state.compiled
    assert compiled is not None
    kinds = strain_kinds(compiled)
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
    assert model is not None
    turns = np.array([rotation(one, model.joints[joint]) for one in linear])
    sizes = np.linalg.norm(turns, axis=1)
    k = int(np.argmax(sizes))
    axis = turns[k] / sizes[k] if sizes[k] > 0.0 else np.array([0.0, 0.0, 1.0])
    return turns @ axis, axis


def _named(rows: Sequence[Row], rates: Array) -> list[ModeTrack]:
    """Tracks with their names, counted by kind."""
    counts: dict[str, int] = {}
    found = []
    for modes, shares, seen in rows:
        turning = [one for one, rate in zip(shares, rates, strict=True) if one and rate != 0.0]
        mean = _mean(turning or [one for one in shares if one])  # equal ones at rest are any sums
        kind = _kind(modes, mean, seen, rates)
        counts[kind] = counts.get(kind, 0) + 1
        number = counts[kind]
        ordinal = ORDINALS[number - 1] if number <= len(ORDINALS) else f"{number}th"
        told = _told(mean) or _moved(modes)
        found.append(ModeTrack(f"{ordinal} {kind}, {told}", kind, modes, shares, seen))
    return found


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
    """How a mode moves, in a word."""
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
