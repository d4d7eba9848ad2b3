"""The film of the README: the demonstration as an animated GIF.

``python website/film.py`` writes docs/images/demo.gif.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from supple.commands import demo

PLACE = Path(__file__).resolve().parents[1] / "docs" / "images" / "demo.gif"
SECONDS, RATE = 4.0, 15  # of simulated time, and pictures in one
DOTS = 56  # in an inch
SHADES = 48
MAGNIFIED = 5.0  # the deformation


def frames(
    result: Any, times: Any, dots: int = DOTS, magnification: float = 1.0
) -> list[Image.Image]:
    """Pictures of a result at some times, all with the same axes."""
    figures = [result.picture(float(t), magnification=magnification) for t in times]
    widths = []
    for along in "xyz":
        limits = [getattr(f.axes[0], f"get_{along}lim")() for f in figures]
        low, high = min(a for a, _ in limits), max(b for _, b in limits)
        widths.append(high - low)
        for f in figures:
            getattr(f.axes[0], f"set_{along}lim")(low, high)
    for f in figures:
        f.axes[0].set_box_aspect(widths)
    return [image(f, dots) for f in figures]


def image(figure: Any, dots: int) -> Image.Image:
    """A figure as an image of few colours."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=dots)
    return Image.open(drawn).convert("RGB").quantize(SHADES, dither=Image.Dither.NONE)


def main() -> None:
    """Run the demonstration and write its film."""
    result = demo.run()
    times = np.arange(0.0, SECONDS, 1.0 / RATE)
    first, *others = frames(result, times, magnification=MAGNIFIED)
    first.save(PLACE, save_all=True, append_images=others, duration=1000 // RATE, loop=0)


if __name__ == "__main__":
    main()
