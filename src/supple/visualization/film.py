"""A film of a scene: pictures by matplotlib one after the other, as GIF or, with ffmpeg, as MP4."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from supple.foundation.arrays import Bytes
from supple.foundation.errors import FileError
from supple.foundation.progress import told
from supple.visualization.picture import Drawing
from supple.visualization.scene import Scene

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
    when = np.linspace(scene.t[0], scene.t[-1], count)
    after = np.clip(np.searchsorted(scene.t, when), 1, len(scene.t) - 1)
    near = np.where(when - scene.t[after - 1] < scene.t[after] - when, after - 1, after)
    which, times = np.unique(near, return_counts=True)
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
            found = np.asarray(canvas.buffer_rgba())[:, :, :3]
            height, width = (size // 2 * 2 for size in found.shape[:2])
            yield np.ascontiguousarray(found[:height, :width])


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
        given = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", f"{rate:.6g}", "-i", "-"]
        made = ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(target)]
        command = ["ffmpeg", "-loglevel", "error", "-y", *given, *made]
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
