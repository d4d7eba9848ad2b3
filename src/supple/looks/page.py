"""One page that plays a scene in a browser, with everything in it: no network, no other file.

Numbers travel as one compressed block: places as 32-bit floats, fields of shapes as 16-bit integers
with a factor each (an error of 1.5e-5 of the largest displacement of a shape), normals as bytes.
The renderer is in ``viewer/``, in WebGL 2: libraries for pictures are some twenty times as long as
what is needed here, and each page would carry one.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from supple.looks.scene import Scene, Thing, sides
from supple.poses import quaternions

Array = NDArray[np.float64]
SCRIPTS = ("data.js", "render.js", "plots.js", "controls.js")
# Colours of values from 0 to the largest: viridis.
SCALE = ("#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30",
         "#fde725")  # fmt: skip
MOST_TIMES = 1500  # of a line in a plot
MOST_LINES = 12  # in one plot
LOOKED_AT = 4000  # vertices of a body among which the largest displacement is looked for


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a plot: label, values (nt,) and colour."""

    label: str
    values: Array
    colour: str
    dashed: bool = False


@dataclass(frozen=True, eq=False)
class Plot:
    """Lines over time; with a ``limit`` on a logarithmic axis."""

    title: str
    units: str
    t: Array
    lines: Sequence[Line]
    limit: float | None = None


class Numbers:
    """Arrays of a page, one behind the other."""

    CODES: ClassVar[dict[str, str]] = {"f": "<f4", "h": "<i2", "b": "i1", "u": "<u4", "s": "<u2"}

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def add(self, code: str, values: Any) -> list[Any]:
        """Keep an array; return its type, its place in bytes and its number of entries."""
        data = np.ascontiguousarray(np.asarray(values).ravel(), dtype=self.CODES[code])
        if code == "f":
            data = np.nan_to_num(data, posinf=3e38, neginf=-3e38)  # of runs that failed
        content = data.tobytes()
        where, self.size = self.size, self.size + len(content) + -len(content) % 4
        self.parts += [content, b"\0" * (-len(content) % 4)]
        return [code, where, len(data)]

    def text(self) -> str:
        """All of them, compressed, in letters."""
        return base64.b64encode(gzip.compress(b"".join(self.parts), 6, mtime=0)).decode()


def page(scene: Scene, verdict: str, grade: str, plots: Sequence[Plot]) -> str:
    """The text of the page; ``grade`` of the verdict is "good", "doubtful" or "bad"."""
    numbers = Numbers()
    middle = 0.5 * (scene.low + scene.high)
    corners = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    box = scene.low + corners * (scene.high - scene.low)
    data = {
        "t": numbers.add("f", scene.t),
        "up": scene.up.tolist(),
        # places are written from the middle: those far from the origin keep their digits
        "offset": middle.tolist(),
        "centre": [0.0, 0.0, 0.0],
        "floor": float(((box - middle) @ scene.up).min()) - 0.02 * scene.size,
        "size": scene.size,
        "largest": max(map(largest_displacement, scene.things), default=0.0),
        "strongest": max(map(largest_stress, scene.things), default=0.0),
        "scale": [[int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)] for c in SCALE],
        "verdict": verdict,
        "grade": grade,
        "things": [_thing(one, numbers, middle) for one in scene.things],
        "panels": [_plot(one, numbers) for one in plots],
    }
    parts = {
        "TITLE": html.escape(scene.name),
        "STYLE": _source("style.css"),
        # what could end the script is written by its number
        "SCENE": json.dumps(data, allow_nan=False).replace("<", "\\u003c"),
        "NUMBERS": numbers.text(),
        "SCRIPT": "\n".join(_source(name) for name in SCRIPTS),
    }
    pieces = _source("page.html").split("@")
    return "".join(parts.get(piece, piece) for piece in pieces)


def largest_displacement(one: Thing) -> float:
    """The largest elastic displacement of a thing over all drawn times, m."""
    return _largest(one, one.fields)


def largest_stress(one: Thing) -> float:
    """The largest equivalent stress of a thing over all drawn times, Pa."""
    return _largest(one, one.stress)


def _largest(one: Thing, every: Array) -> float:
    """The largest norm over all drawn times of amplitudes times (k, v, c) at some vertices."""
    if not len(every) or not len(one.points):
        return 0.0
    some = np.unique(np.linspace(0, len(one.points) - 1, LOOKED_AT).astype(int))
    fields = np.ascontiguousarray(every[:, some])
    away = (one.amplitudes - one.still)[:, : len(every)]
    found = 0.0
    for k in range(0, len(away), 50):
        moved = np.tensordot(away[k : k + 50], fields, axes=1)
        for side in sides(moved):
            found = max(found, float(np.nanmax(np.linalg.norm(side, axis=2), initial=0.0)))
    return found if np.isfinite(found) else 0.0


def _thing(one: Thing, numbers: Numbers, middle: Array) -> dict[str, Any]:
    code = "s" if len(one.points) < 65536 else "u"
    scales, fields = _quantised(one.fields)
    factors, stress = _quantised(one.stress)
    # threes of a vertex behind each other
    parts = stress.reshape(*stress.shape[:2], stress.shape[2] // 3, 3).swapaxes(1, 2)
    padded = np.zeros((len(one.normals), 4))
    padded[:, :3] = np.rint(127.0 * one.normals)
    return {
        "name": one.name,
        "kind": one.kind,
        "colour": one.colour,
        "opacity": one.opacity,
        "magnified": one.magnified,
        "points": numbers.add("f", one.points),
        "normals": numbers.add("b", padded),
        "triangles": numbers.add(code, one.triangles),
        "edges": numbers.add(code, one.edges),
        "lines": numbers.add(code, one.lines),
        "pose": numbers.add("f", np.hstack([one.p - middle, quaternions(one.R)])),
        "stretch": numbers.add("f", [] if one.stretch is None else one.stretch),
        "scales": numbers.add("f", scales),
        "fields": numbers.add("h", fields),
        "factors": numbers.add("f", factors),
        "stress": numbers.add("h", parts),
        "amplitudes": numbers.add("f", one.amplitudes),
        "still": numbers.add("f", one.still),
    }


def _quantised(values: Array) -> tuple[Array, Array]:
    """Factors (k,) and whole numbers (k, ...) of 16 bits whose products are the values."""
    factors = np.abs(values).max(axis=(1, 2), initial=0.0) / 32767.0
    factors[factors == 0.0] = 1.0
    return factors, np.rint(values / factors[:, None, None])


def _plot(one: Plot, numbers: Numbers) -> dict[str, Any]:
    some = np.arange(len(one.t))
    if len(some) > MOST_TIMES:
        some = np.unique(np.linspace(0, len(one.t) - 1, MOST_TIMES).astype(int))
    return {
        "title": one.title,
        "units": one.units,
        "limit": one.limit,
        "t": numbers.add("f", one.t[some]),
        "lines": [
            {
                "label": line.label,
                "colour": line.colour,
                "dashed": line.dashed,
                "y": numbers.add("f", line.values[some]),
            }
            for line in one.lines[:MOST_LINES]
        ],
    }


def _source(name: str) -> str:
    return files("supple.looks").joinpath("viewer", name).read_text(encoding="utf-8")
