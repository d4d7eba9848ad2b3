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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from supple.foundation.arrays import Array, Indices
from supple.foundation.palette import rgb
from supple.foundation.poses import quaternions
from supple.visualization.scene import Chapter, Scene, Thing, sides

Shown = Literal["displacement", "strain", "stress"]
SHOWN: tuple[Shown, ...] = ("displacement", "strain", "stress")
# Numbers in memory at once: 32 megabytes.
AT_ONCE = 4_000_000
# Strains, and displacements in sizes of a body, below which there is rounding and nothing else: of
# runs, and of modes, which are difference quotients of displacements of some per cent.
ROUNDING, ROUNDING_OF_MODES = 1e-14, 1e-8


class Peak(NamedTuple):
    """The largest value (m, 1 or Pa), its time, and the name of its body; 0 if there is none."""

    value: float
    t: float
    name: str


def peaks(
    things: Iterable[Thing], t: Array, which: slice = slice(None), rounding: float = ROUNDING
) -> dict[Shown, Peak]:
    """The largest elastic displacement, equivalent strain and stress at some of the times t.

    Zero if there is ``rounding`` only.
    """
    largest = dict.fromkeys(SHOWN, Peak(0.0, float(t[which][0]), ""))
    for one in (each for each in things if each.kind == "bodies"):
        for what, (value, k) in _of(one, which, rounding).items():
            if value > largest[what].value and np.isfinite(value):
                largest[what] = Peak(value, float(t[which][k]), one.name)
    return largest


def _of(one: Thing, which: slice, rounding: float) -> dict[Shown, tuple[float, int]]:
    if not len(one.points):
        return {}
    away = (one.amplitudes - one.still)[which]
    largest: dict[Shown, tuple[float, int]] = {}
    if len(one.fields):
        moved, when = _largest(away, one.fields, None)
        if moved > rounding * float(np.ptp(one.points, axis=0).max()):
            largest["displacement"] = moved, when
    if len(one.stress):
        own = away[:, : len(one.stress)]
        strain, when = _largest(own, one.stress, one.modulus)
        if strain > rounding:
            largest["strain"] = strain, when
            largest["stress"] = _largest(own, one.stress, None)
    return largest


def _largest(away: Array, fields: Array, modulus: Array | None) -> tuple[float, int]:
    """Largest norm of amplitudes (nt, k) times fields (k, v, c) over the modulus, and its time."""
    _, vertices, parts = fields.shape
    some = max(1, AT_ONCE // (vertices * parts))
    best, when = 0.0, 0
    for first in range(0, len(away), some):
        moved = np.tensordot(away[first : first + some], fields, axes=1)
        for side in sides(moved):
            size = np.linalg.norm(side, axis=2)
            size = size if modulus is None else size / modulus
            most = np.where(np.isfinite(size), size, 0.0).max(axis=1)
            if most.max() > best:
                best, when = float(most.max()), first + int(most.argmax())
    return best, when


SCRIPTS = ("data.js", "render.js", "plots.js", "marks.js", "camera.js", "controls.js")
# Colours of values from 0 to the largest: viridis.
SCALE = ("#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30",
         "#fde725")  # fmt: skip
MOST_TIMES = 1500  # of a line in a plot
MOST_LINES = 16  # in one plot


@dataclass(frozen=True, eq=False)
class Line:
    """A line of a plot: label, values (nt,) and colour; ``t`` if it has times of its own."""

    label: str
    values: Array
    colour: str
    dashed: bool = False
    t: Array | None = None


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


@dataclass(frozen=True, eq=False)
class Take:
    """One run on a page: its scene, what it is called beside another, and its verdict.

    ``grade`` of the verdict is "good", "doubtful", "bad", or "plain" where nothing is judged.
    """

    scene: Scene
    verdict: str = ""
    grade: str = "plain"
    label: str = ""


def page(take: Take, plots: Sequence[Plot] = (), other: Take | None = None) -> str:
    """The text of a page of one run, or of two that are compared."""
    numbers = Numbers()
    takes = [take] if other is None else [take, other]
    low = np.min([one.scene.low for one in takes], axis=0)
    high = np.max([one.scene.high for one in takes], axis=0)
    middle, size = 0.5 * (low + high), float(np.linalg.norm(high - low)) or 1.0
    up = take.scene.up
    corners = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    box = low + corners * (high - low)
    data = {
        "up": up.tolist(),
        # places are written from the middle: those far from the origin keep their digits
        "offset": middle.tolist(),
        "centre": [0.0, 0.0, 0.0],
        "floor": float(((box - middle) @ up).min()) - 0.02 * size,
        "size": size,
        "scale": [rgb(colour) for colour in SCALE],
        "verdict": take.verdict,
        "grade": take.grade,
        "modes": bool(take.scene.chapters),
        "chapters": _chapters(takes),
        "runs": [_run(one, numbers) for one in takes],
        "things": [
            _thing(one, k, numbers, middle)
            for k, each in enumerate(takes)
            for one in each.scene.things
        ],
        "traces": [
            {
                "name": one.name if other is None else f"{each.label}: {one.name}",
                "run": k,
                "colour": one.colour,
                "places": numbers.add("f", one.places - middle),
            }
            for k, each in enumerate(takes)
            for one in each.scene.traces
        ],
        "panels": [_plot(one, numbers) for one in plots],
    }
    parts = {
        "TITLE": html.escape(take.scene.name),
        "STYLE": _source("style.css"),
        # what could end the script is written by its number
        "SCENE": json.dumps(data, allow_nan=False).replace("<", "\\u003c"),
        "NUMBERS": numbers.text(),
        "SCRIPT": "\n".join(_source(name) for name in SCRIPTS),
    }
    pieces = _source("page.html").split("@")
    return "".join(parts.get(piece, piece) for piece in pieces)


def _run(take: Take, numbers: Numbers) -> dict[str, Any]:
    shown = {"label": take.label, "verdict": take.verdict, "grade": take.grade}
    return {**shown, "t": numbers.add("f", take.scene.t)}


def _chapters(takes: Sequence[Take]) -> list[dict[str, Any]]:
    """Chapters to play: modes of the first scene, or the time of all runs; with largest values."""
    scene = takes[0].scene
    if scene.chapters:
        chapters = []
        for chapter in scene.chapters:
            first, end = np.searchsorted(scene.t, [chapter.begin - 0.25, chapter.end + 0.25])
            which = slice(int(first), int(end))
            most = peaks(scene.things, scene.t, which, ROUNDING_OF_MODES)
            chapters.append(_chapter(chapter, most))
        return chapters
    times = [t for one in takes for t in (one.scene.t[0], one.scene.t[-1])]
    each = [peaks(one.scene.things, one.scene.t) for one in takes]
    most = {what: max((p[what] for p in each), key=lambda peak: peak.value) for what in each[0]}
    return [_chapter(Chapter("", float(min(times)), float(max(times))), most)]


def _chapter(chapter: Chapter, most: Mapping[Shown, Peak]) -> dict[str, Any]:
    return {
        "title": chapter.title,
        "begin": chapter.begin,
        "end": chapter.end,
        "most": {what: peak._asdict() for what, peak in most.items()},
    }


def _thing(one: Thing, run: int, numbers: Numbers, middle: Array) -> dict[str, Any]:
    code = "s" if len(one.points) < 65536 else "u"
    scales, fields = _quantised(one.fields)
    factors, stress = _quantised(one.stress)
    # threes of a vertex behind each other
    parts = stress.reshape(*stress.shape[:2], stress.shape[2] // 3, 3).swapaxes(1, 2)
    padded = np.zeros((len(one.normals), 4))
    padded[:, :3] = np.rint(127.0 * one.normals)
    return {
        "name": one.name,
        "run": run,
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
        "modulus": numbers.add("f", one.modulus),
        "amplitudes": numbers.add("f", one.amplitudes),
        "still": numbers.add("f", one.still),
    }


def _quantised(values: Array) -> tuple[Array, Array]:
    """Factors (k,) and whole numbers (k, ...) of 16 bits whose products are the values."""
    factors = np.abs(values).max(axis=(1, 2), initial=0.0) / 32767.0
    factors[factors == 0.0] = 1.0
    return factors, np.rint(values / factors[:, None, None])


def _plot(one: Plot, numbers: Numbers) -> dict[str, Any]:
    times = numbers.add("f", one.t[_some(one.t)])
    return {
        "title": one.title,
        "units": one.units,
        "limit": one.limit,
        "lines": [
            {
                "label": line.label,
                "colour": line.colour,
                "dashed": line.dashed,
                "t": times if line.t is None else numbers.add("f", line.t[_some(line.t)]),
                "y": numbers.add("f", line.values[_some(one.t if line.t is None else line.t)]),
            }
            for line in one.lines[:MOST_LINES]
        ],
    }


def _some(t: Array) -> Indices:
    """Numbers of at most so many of the times that a line has room for."""
    return np.unique(np.linspace(0, len(t) - 1, min(len(t), MOST_TIMES)).astype(np.intp))


def _source(name: str) -> str:
    return files("supple.visualization").joinpath("viewer", name).read_text(encoding="utf-8")
