"""A book thrown with a spin about its middle axis turns over again and again.

Rotation about the axis of the middle moment of inertia is unstable: a small disturbance grows until
the body has flipped, and so on. The motion has a closed form in elliptic functions, so the time
between flips is known exactly. Nothing acts on the body: energy, three components of angular
momentum and three of linear momentum must stay constant, and the audit watches them.

Shown here: a free body, events on a frame, the explicit integrator, the momentum audit.

    python examples/tumbling_body.py [folder for the picture]
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import supple as sp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MASS = 0.8  # kg
SIZE = np.array([0.21, 0.14, 0.03])  # m along x, y, z of the body
SPIN = np.array([0.02, 6.0, 0.02])  # rad/s, body axes; y is the middle axis
DRIFT = 0.055  # m/s along the world's x axis
T_END = 12.0  # s
COLOURS = ("#2f6fb0", "#d9822b", "#2a9d74")
INK = "#333333"


def moments() -> np.ndarray:
    """Return the principal moments (3,) of the book, kg m2."""
    return MASS / 12 * (np.sum(SIZE**2) - SIZE**2)


def shortest_turn(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Return the quaternion (w, x, y, z) that turns the direction ``start`` into ``end``."""
    a, b = start / np.linalg.norm(start), end / np.linalg.norm(end)
    q = np.array([1 + a @ b, *np.cross(a, b)])
    return q / np.linalg.norm(q)


def build() -> tuple[sp.Model, sp.Event]:
    """Return the model and the event of a flip.

    The book starts so that its angular momentum is along the world's z axis. The height of a
    point on the middle axis then changes its sign at every flip.
    """
    attitude = shortest_turn(moments() * SPIN, np.array([0.0, 0.0, 1.0]))
    w, v = attitude[0], attitude[1:]
    drift = np.array([DRIFT, 0, 0])  # seen from the body: the inverse rotation
    local = drift - 2 * w * np.cross(v, drift) + 2 * np.cross(v, np.cross(v, drift))
    m = sp.Model(name="tumbling body")  # no gravity
    book = m.add(sp.RigidBody("book", MASS, inertia=moments()))
    m.add(
        sp.Free(
            "thrown",
            m.ground.at(0),
            book.at(0),
            initial=(*attitude, 0, 0, 0),
            initial_rate=(*SPIN, *local),
        )
    )
    return m, sp.Event("flip", book.at(0, 0.5 * SIZE[1], 0), "z", terminal=False)


def exact_interval() -> float:
    """Return the time between flips (s), half a period of the elliptic functions."""
    from scipy.special import ellipk

    small, middle, large = moments()  # ascending, as SIZE is descending
    energy2, momentum2 = moments() @ SPIN**2, moments() ** 2 @ SPIN**2
    if momentum2 < middle * energy2:  # the path encloses the axis of the smallest moment
        small, large = large, small
    scale = (large - middle) * (momentum2 - small * energy2)
    modulus = (middle - small) * (large * energy2 - momentum2) / scale
    return float(2 * ellipk(modulus) / np.sqrt(scale / (small * middle * large)))


def draw(result: sp.results.Result, path: Path) -> None:
    """Draw the flying book, its angular velocity and the errors of all that is conserved."""
    from matplotlib.figure import Figure

    t, book = result.t, result["book"]
    figure = Figure(figsize=(11, 7), layout="constrained")
    flight, spins, errors = figure.subplots(3, 1, height_ratios=(0.9, 1, 1), sharex=True)
    for k in range(0, len(t), round(0.75 / (t[1] - t[0]))):
        _draw_book(flight, book.matrix[k], t[k])
    flight.set(xlim=(0, T_END), ylim=(-0.9, 0.9), aspect="equal")
    flight.axis("off")
    flight.set_title("the book every 0.75 s; its top edge is red", size=9, color=INK, loc="left")

    for k, label in enumerate(("smallest", "middle", "largest")):
        spin = book.local.angular_velocity[:, k]
        spins.plot(t, spin, color=COLOURS[k], label=f"{'xyz'[k]}, {label} moment")
    for event in result.events:
        spins.axvline(event.t, color="#999999", lw=0.8, ls=":")
    spins.plot([], [], color="#999999", lw=0.8, ls=":", label="flip (event)")
    spins.set_ylabel("angular velocity,\nbody axes (rad/s)")

    history = result.data.history.momentum
    lines = {
        "angular momentum": _relative(history[:, :3]),
        "linear momentum": _relative(history[:, 3:]),
        "energy": np.abs(result.energy.error) / result.energy.kinetic[0],
    }
    for (label, error), colour in zip(lines.items(), COLOURS, strict=True):
        errors.semilogy(t, np.maximum(error, 1e-18), color=colour, label=label)
    errors.set(ylabel="relative error", xlabel="time (s)", ylim=(1e-14, 1e-7))
    for ax in (spins, errors):
        ax.grid(color="#dddddd", lw=0.6)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9)
    figure.suptitle(
        f"{result.model.name}\n{result.energy.verdict}\n{result.momentum.verdict}",
        x=0.01, ha="left", size=10, color=INK,
    )  # fmt: skip
    figure.savefig(path, dpi=130)


def _relative(vectors: np.ndarray) -> np.ndarray:
    """Return the distance of each row from the first one, relative to its length."""
    return np.linalg.norm(vectors - vectors[0], axis=1) / np.linalg.norm(vectors[0])


def _draw_book(ax: Axes, R: np.ndarray, time: float) -> None:
    """Draw the three faces of the book that are seen; 1 m is drawn as 4.5 s."""
    look = np.array([0.30, -0.87, 0.40])  # towards the eye
    right = np.cross((0, 0, 1), look)
    right /= np.linalg.norm(right)
    above = np.cross(look, right)
    paint = (("#f6f1e1", "#24507f"), ("#f6f1e1", "#c0392b"), ("#9dbfe0", "#2f6fb0"))
    for axis in range(3):
        for side in (-1, 1):
            normal = side * R[:, axis]
            if normal @ look <= 0.0:
                continue
            one, two = (R[:, j] * SIZE[j] / 2 for j in range(3) if j != axis)
            centre = normal * SIZE[axis] / 2
            corners = [centre + a * one + b * two for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))]
            x, y = 4.5 * np.array([right, above]) @ np.array(corners).T
            ax.fill(time + x, y, fc=paint[axis][(side + 1) // 2], ec=INK, lw=0.8, clip_on=False)


def main(out: str | Path = "build/examples") -> sp.results.Result:
    """Run the example and write ``tumbling_body.png`` into the folder ``out``."""
    model, flip = build()
    result = sp.simulate(
        model, T_END, integrator=sp.DormandPrince(), tolerance="tight", events=[flip], output=1200
    )
    print(result)
    for record in result.momentum:
        print(f"  {record.name}: {record.initial:.6g} {record.unit}, error {record.max_error:.0e}")
    between = np.diff([event.t for event in result.events])
    exact = exact_interval()
    off = np.abs(between - exact).max()
    print(f"  time between flips: exact {exact:.9f} s, largest difference {off:.0e} s")
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    draw(result, folder / "tumbling_body.png")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:2])
