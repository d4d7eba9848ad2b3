"""The gallery: runs the scripts in examples/gallery, draws their pictures, writes its page.

``python website/gallery.py`` runs all of them, with names behind it those only.
"""

from __future__ import annotations

import ast
import io
import runpy
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = ROOT / "examples" / "gallery"
PAGE = ROOT / "docs" / "gallery" / "index.md"
PICTURES = PAGE.parent / "images"
DOTS = 80  # in an inch
SHADES = 64  # colours of a picture: it is small
LARGEST = 60_000  # bytes
# Scripts whose motion is shown as a film, and its pictures.
FILMS = ("four_bar", "windows", "delta", "tippe_top", "walker")
FRAMES, PACE, LARGEST_FILM = 20, 100, 150_000  # number, ms for each, bytes
# Scripts that take more than a few seconds.
LONG = ("identified_rig", "quiet_stop", "lightest_arm", "eight_links", "falling_balls")
# Scripts by subject, in the order of the page.
SUBJECTS = {
    "Choices of coordinates": (
        *("two_link_arm", "four_bar", "slider_crank", "long_chain", "leaf_springs"),
    ),
    "Integrators": (
        *("tumbling_book", "squeezer", "governor", "windows", "energy_scheme"),
        *("double_well", "motor"),
    ),
    "Flexible bodies": (
        *("flexible_arm", "flexible_slider_crank", "torque_arm", "spin_up", "panels"),
        *("strip_frequencies", "roll_up", "locking", "falling_cable", "falling_sheet"),
    ),
    "Analyses": ("campbell", "plate_modes", "snap_through", "column", "graph"),
    "Robots and mechanisms": (
        *("quadruped", "delta", "bennett", "robot_arm", "balanced_pole", "crane"),
        *("bicycle", "segway", "skate", "rattleback"),
        "eight_links",
    ),
    "Contact": ("tippe_top", "walker", "woodpecker", "gears", "ball_bearing", "falling_balls"),
    "Optima and fits": ("identified_rig", "quiet_stop", "lightest_arm"),
    "Questions to results": (
        *("rig_spectrum", "rig_spectrogram", "two_runs", "convergence"),
        *("cross_check", "error_bar"),
    ),
}


def run(name: str) -> dict[str, Any]:
    """Run a script and return its names: ``figure`` and, mostly, ``result``."""
    return runpy.run_path(str(SCRIPTS / f"{name}.py"))


def png(figure: Any) -> bytes:
    """A figure as a small PNG."""
    from PIL import Image

    drawn, small = io.BytesIO(), io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DOTS)
    Image.open(drawn).convert("RGB").quantize(SHADES).save(small, format="png", optimize=True)
    return small.getvalue()


def film(result: Any) -> bytes:
    """The motion of a result as a small GIF."""
    from film import frames
    from numpy import linspace

    first, *others = frames(result, linspace(result.t[0], result.t[-1], FRAMES), dots=40)
    made = io.BytesIO()
    first.save(
        made, "gif", save_all=True, append_images=others, duration=PACE, loop=0, optimize=True
    )
    return made.getvalue()


def page() -> str:
    """The page of the gallery, from the docstrings of the scripts."""
    lines = [
        "# Gallery",
        "",
        "Each picture is drawn by the script of some ten lines that its title leads to. "
        "`python website/gallery.py` runs them all and draws the pictures again.",
    ]
    for subject, names in SUBJECTS.items():
        lines += ["", f"## {subject}"]
        for name in names:
            text = ast.get_docstring(ast.parse((SCRIPTS / f"{name}.py").read_text("utf-8"))) or ""
            title, _, about = text.partition("\n\n")
            title = title.removesuffix(".")
            script = f"../../examples/gallery/{name}.py"
            lines += ["", f"### {title}", "", f"[{name}.py]({script}): {' '.join(about.split())}"]
            lines += ["", f"![{title}](images/{name}.{'gif' if name in FILMS else 'png'})"]
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> None:
    """Draw the pictures of some scripts, all by default, and write the page."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name in names or [name for subject in SUBJECTS.values() for name in subject]:
        found = run(name)
        (PICTURES / f"{name}.png").write_bytes(png(found["figure"]))
        if name in FILMS:
            (PICTURES / f"{name}.gif").write_bytes(film(found["result"]))
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
