"""Pictures and films of a scene by matplotlib, where no browser is at hand.

A film is one picture after the other, as GIF or, with ffmpeg, as MP4.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.foundation.arrays import Array, Bytes
from supple.foundation.errors import FileError
from supple.foundation.palette import INK, rgb
from supple.foundation.progress import told
from supple.visualization.scene import Scene, Thing, nearest

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIZE = 7.0  # inches
SUN = np.array([0.35, -0.45, 0.82])
HEIGHT, TURN = 20.0, -62.0  # degrees, of the camera
MOST_FACES = 60_000  # more than these take long: some are left out of the largest bodies


def picture(scene: Scene, k: int, magnification: float) -> Figure:
    """Draw the scene at the time of number k, upwards along its upward direction."""
    drawing = Drawing(scene, magnification)
    drawing.show(k)
    return drawing.figure


class Drawing:
    """A figure that shows a scene at one of its times after the other.

    Its box is that around the bodies at the first time shown, or with ``whole`` at all times.
    """

    def __init__(self, scene: Scene, magnification: float, whole: bool = False) -> None:
        from matplotlib.figure import Figure

        self.scene, self.magnification, self.whole = scene, magnification, whole
        self.figure = Figure(figsize=(SIZE, SIZE))
        self.title = self.figure.text(
            0.02, 0.97, "", size=11, color=INK, va="top", parse_math=False
        )
        self._ax: Any = self.figure.add_subplot(projection="3d", computed_zorder=False)
        self._turn = _upright(scene.up)
        self._shown: list[Any] = []
        self._share = max(1, -(-sum(len(one.triangles) for one in scene.things) // MOST_FACES))
        self._framed = False

    def show(self, k: int) -> None:
        """Draw the time of number k in the place of what is there."""
        faces, colours, lines, inks, corners = [], [], [], [], []
        for one in self.scene.things:
            where = one.vertices(k, self.magnification) @ self._turn.T
            if not np.all(np.isfinite(where)):
                continue
            if one.kind == "bodies":
                corners.append(where)
            few = len(one.triangles) <= 1000
            some = where[one.triangles if few else one.triangles[:: self._share]]
            faces.append(some)
            colours.append(_shaded(one, some))
            if not len(one.triangles):
                lines += list(where[one.lines])
                inks += [one.colour] * len(one.lines)
        for old in self._shown:
            old.remove()
        self._shown = _add(self._ax, faces, colours, lines, inks)
        if not self._framed:
            self._frame(np.concatenate(corners) if corners else np.zeros((1, 3)))
        self.title.set_text(f"{self.scene.name}, t = {self.scene.t[k]:.4g} s")

    def _frame(self, seen: Array) -> None:
        if self.whole:
            box = np.stack([self.scene.low, self.scene.high])
            every = np.stack(np.meshgrid(*box.T), axis=-1).reshape(-1, 3)
            seen = np.concatenate([seen, every @ self._turn.T])
        _frame(self._ax, seen, self.scene.size)
        if not np.array_equal(self._turn, np.eye(3)):  # numbers of other axes would mislead
            self._ax.set(xticklabels=[], yticklabels=[], zticklabels=[])
        self._framed = True


def _add(ax: Any, faces: list[Array], colours: list[Array], lines: list[Array], inks: Any) -> Any:
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    added = []
    if any(len(f) for f in faces):  # one collection: its faces are sorted by their distance
        every, shades = np.concatenate(faces), np.concatenate(colours)
        added.append(Poly3DCollection(every, facecolors=shades, linewidths=0.0))
    if lines:
        added.append(Line3DCollection(lines, colors=inks, linewidths=1.0))
    for one in added:
        ax.add_collection3d(one)
    return added


def _shaded(one: Thing, faces: Array) -> Array:
    """Colours (f, 4) of triangles (f, 3, 3) in the light of the sun."""
    normal = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    size = np.linalg.norm(normal, axis=1)
    bright = np.abs(normal @ SUN) / np.where(size > 0.0, size, 1.0)
    own = np.array(rgb(one.colour))
    shade = np.clip(own * (0.55 + 0.5 * bright[:, None]), 0.0, 1.0)
    return np.column_stack([shade, np.full(len(shade), one.opacity)])


def _frame(ax: Any, points: Array, size: float) -> None:
    """Equal scales along all axes around the bodies."""
    low, high = points.min(axis=0), points.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * max(float(np.ptp(points, axis=0).max()), 0.2 * size)
    for setter, c in zip((ax.set_xlim, ax.set_ylim, ax.set_zlim), middle, strict=True):
        setter(c - 1.05 * half, c + 1.05 * half)
    ax.set_box_aspect((1, 1, 1), zoom=1.15)
    ax.view_init(elev=HEIGHT, azim=TURN)
    ax.tick_params(colors="#888888", labelsize=7)
    for axis in (ax.xaxis, ax.yaxis, ax.zaxis):
        axis.pane.set_facecolor("#f4f6f8")
        axis.pane.set_edgecolor("#dddddd")


def _upright(up: Array) -> Array:
    """Rotation (3, 3) that turns a direction to z, the axes of the world staying in order."""
    if abs(up[2]) > 1.0 - 1e-12:
        return np.diag([1.0, np.sign(up[2]), np.sign(up[2])])
    first = np.eye(3)[int(np.argmin(np.abs(up)))]
    first = first - up * (up @ first)
    first = first / np.linalg.norm(first)
    return np.stack([first, np.cross(up, first), up])


Pictures = Iterator[tuple[Bytes, int]]  # with how many times each is shown
DOTS = 96  # in an inch
ENDINGS = (".gif", ".mp4")


def check_kind(path: Path) -> None:
    """Refuse a film of an unknown kind, or one that needs a program that is not there."""
    ending, name = path.suffix.lower(), f"the file {str(path)!r} cannot be written"
    if ending not in ENDINGS:
        raise FileError(f"{name}: its ending is {ending!r}, expected {' or '.join(ENDINGS)}")
    if ending == ".mp4" and shutil.which("ffmpeg") is None:
        raise FileError(f"{name}: the program ffmpeg is not found, expected it, or a name in .gif")


def film(scene: Scene, ending: str, magnification: float, seconds: float, rate: float) -> bytes:
    """The content of a film of so many pictures a second, which shows a scene in some seconds.

    Each picture is the scene at the nearest of its times.
    """
    drawing = Drawing(scene, magnification, whole=True)
    count = max(2, round(seconds * rate) + 1)
    which, times = np.unique(nearest(scene.t, count), return_counts=True)
    pictures = zip(_pictures(drawing, which.tolist()), times.tolist(), strict=True)
    return (_mp4 if ending == ".mp4" else _gif)(pictures, rate)


def _pictures(drawing: Drawing, which: list[int]) -> Iterator[Bytes]:
    """Pictures (h, w, 3) of times; heights and widths are even, as films ask for."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    drawing.figure.set_dpi(DOTS)
    canvas: Any = FigureCanvasAgg(drawing.figure)
    left = list(which)
    with told(lambda: f"film: {len(left)} of {len(which)} pictures are left to draw"):
        while left:
            drawing.show(left.pop(0))
            canvas.draw()
            pixels = np.asarray(canvas.buffer_rgba())[:, :, :3]
            height, width = (size // 2 * 2 for size in pixels.shape[:2])
            yield np.ascontiguousarray(pixels[:height, :width])


def _gif(pictures: Pictures, rate: float) -> bytes:
    from PIL import Image

    every = list(pictures)
    # this way keeps colours of which there is little
    first = Image.fromarray(every[0][0]).quantize(method=Image.Quantize.MAXCOVERAGE)
    others: list[Any] = [
        Image.fromarray(one).quantize(palette=first, dither=Image.Dither.NONE)
        for one, _ in every[1:]
    ]
    # times of a GIF are hundredths of a second, and many programs know none below two of them
    ends = np.rint(100.0 / rate * np.cumsum([0, *(count for _, count in every)])).astype(int)
    durations = [max(10 * int(d), 20) for d in np.diff(ends)]
    buffer = io.BytesIO()
    first.save(
        buffer, "GIF", save_all=True, append_images=others, duration=durations, loop=0, disposal=1
    )
    return buffer.getvalue()


def _mp4(pictures: Pictures, rate: float) -> bytes:
    """By ffmpeg, which is given the pictures and a file of a new folder: no name of the user's."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "film.mp4"
        one, count = next(pictures)
        size = f"{one.shape[1]}x{one.shape[0]}"
        source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", f"{rate:.6g}", "-i", "-"]
        made = ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(target)]
        command = ["ffmpeg", "-loglevel", "error", "-y", *source, *made]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
        ) as program:
            assert program.stdin is not None and program.stderr is not None
            try:
                program.stdin.write(count * one.tobytes())
                for one, count in pictures:
                    program.stdin.write(count * one.tobytes())
                program.stdin.close()
            except BrokenPipeError:  # it says why below
                pass
            said = program.stderr.read().decode(errors="replace").strip()
        if program.returncode or not target.is_file():
            last = said.splitlines()[-1] if said else f"exit code {program.returncode}"
            raise FileError(f"the film cannot be written: ffmpeg says {last!r}, expected a film")
        return target.read_bytes()
