"""Mode shapes as a scene: small motion about a state, as fields of all things that are drawn.

Each vertex moves along a line or an ellipse, by the real part of its displacement times
exp(2 pi i phase). Displacements are those of first order, so that what is joined stays joined at
any amplitude, and a thing that turns far looks too large.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from supple.foundation.arrays import Array
from supple.visualization.scene import Chapter, Scene, Thing

PHASES = 33  # of a cycle, the first and the last being the same
REACH = 0.08  # largest displacement of a body, in sizes of the scene
# What is smaller, in parts of the largest displacement of a mode, is rounding.
NOTHING = 1e-6
TURNED = 0.01  # rad: by a small step nothing turns that far


def vibrating(scene: Scene, titles: Sequence[str], step: float) -> Scene:
    """A scene of modes, from one drawn at a state and at neighbours of it.

    ``scene`` has 1 + 4 n times: the state, then for each of n modes the state moved by ``step``
    times the real part of its shape, against it, and the same with the imaginary part.
    """
    count = len(titles)
    moves = [_moves(one, count, step) for one in scene.things]
    sizes = np.zeros(count)
    for one, (fields, _) in zip(scene.things, moves, strict=True):
        if one.kind == "bodies" and len(one.points):
            squares = (fields**2).sum(axis=(1, 3))  # (n, v)
            sizes = np.maximum(sizes, np.sqrt(squares.max(axis=1)))
    sizes[~(sizes > 0.0)] = 1.0
    factors = REACH * scene.size / sizes
    phase = np.linspace(0.0, 1.0, PHASES)
    waves = np.stack([np.cos(2.0 * np.pi * phase), -np.sin(2.0 * np.pi * phase)], axis=1)
    times = (2.0 * np.arange(count)[:, None] + phase).ravel()
    things = [
        _waving(one, factors, waves, *own) for one, own in zip(scene.things, moves, strict=True)
    ]
    chapters = [Chapter(title, 2.0 * k, 2.0 * k + 1.0) for k, title in enumerate(titles)]
    return replace(scene, t=times, things=things, chapters=chapters)


def _moves(one: Thing, count: int, step: float) -> tuple[Array, Array]:
    """Displacements (n, 2, v, 3) in its own axes and stress (n, 2, v, c) of a thing in n modes."""
    fields = np.zeros((count, 2, len(one.points), 3))
    stress = np.zeros((count, 2, *one.stress.shape[1:]))
    for mode in range(count):
        for part in range(2):
            k = 1 + 4 * mode + 2 * part
            if np.abs(one.R[k] - one.R[k + 1]).max() > TURNED:  # of no length, without direction
                way = np.broadcast_to(one.p[k] - one.p[k + 1], one.points.shape) / (2.0 * step)
            else:
                way = (one.vertices(k) - one.vertices(k + 1)) / (2.0 * step)
            fields[mode, part] = np.nan_to_num(way) @ one.R[0]
            change = (one.amplitudes[k] - one.amplitudes[k + 1]) / (2.0 * step)
            stress[mode, part] = np.tensordot(change[: len(one.stress)], one.stress, axes=1)
    return fields, stress


def _waving(one: Thing, factors: Array, waves: Array, fields: Array, stress: Array) -> Thing:
    """A thing at rest in the first of its times, which moves by fields (n, 2, v, 3) of n modes."""
    stretch = 1.0 if one.stretch is None else one.stretch[0]
    rest = stretch * (one.points + np.einsum("k,kvi->vi", one.amplitudes[0], one.fields))
    count, times = len(factors), len(factors) * len(waves)
    fields = factors[:, None, None, None] * fields
    most = np.abs(fields).max(axis=(1, 2, 3), initial=0.0)
    parts = np.abs(fields).max(axis=(2, 3), initial=0.0)
    kept = [
        (mode, part)
        for mode in range(count)
        for part in range(2)
        if parts[mode, part] > NOTHING * most[mode]
    ]
    amplitudes = np.zeros((times, len(kept)))
    for k, (mode, part) in enumerate(kept):
        amplitudes[mode * len(waves) : (mode + 1) * len(waves), k] = waves[:, part]
    stresses = [factors[mode] * stress[mode, part] for mode, part in kept]
    known = len(one.stress) and kept
    return replace(
        one,
        points=rest,
        fields=np.stack([fields[m, p] for m, p in kept]) if kept else one.fields[:0],
        amplitudes=amplitudes,
        still=np.zeros(len(kept)),
        stress=np.stack(stresses) if known else one.stress[:0],
        modulus=one.modulus if known else one.modulus[:0],
        R=np.broadcast_to(one.R[0], (times, 3, 3)),
        p=np.broadcast_to(one.p[0], (times, 3)),
        stretch=None,
        magnified=True,
    )
