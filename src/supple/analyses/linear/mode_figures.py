"""Figures and pages of mode shapes: the model at rest, and displaced along each mode."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.analyses.base.snapshot_result import standing
from supple.analyses.linear.energy_shares import kinetic_shares
from supple.formulations.equations import Equations
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure
from supple.foundation.errors import SuppleError
from supple.foundation.palette import INK
from supple.results.result import Result
from supple.visualization.drawing import Signs, draw
from supple.visualization.page import Take, page
from supple.visualization.scene import Thing, body_things, bounds, vibrating

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.analyses.linear.linear_model import LinearModel
    from supple.analyses.linear.mode import Mode
    from supple.visualization.scene import Scene

COLUMNS = 3
PANEL, ALONE = 2.9, 5.0  # inches, of one of many and of a single one
LARGEST = 0.12  # of the size of the model: the largest displacement that is drawn
# Step of the difference quotients, in rad and lengths of the model: central ones are of second
# order, so that both their error and rounding are far below what is seen.
STEP = 1e-5
UNIT = 0.0095  # thickness of bars, in sizes of the model
HEIGHT, TURN = 20.0, -62.0  # degrees, of the camera
STILL = "#c8cdd3"
MOST_NAMES = 3  # bodies with the largest shares of kinetic energy


def mode_scene(linear: LinearModel, count: int) -> Scene:
    """The scene of the lowest modes, those that nothing holds first."""
    most = validate.integer("modes", "count", count, 1, "a number of modes, 1 or more")
    held = [mode for mode in linear.modes if not mode.rigid]
    modes = [*linear.rigid_modes, *held][:most]
    if not modes:
        raise SuppleError("modes: nothing can move, expected a model with modes")
    compiled, state = linear.compiled, linear.state
    equations, q = Equations(compiled), [state.q]
    for mode in modes:
        size = float(np.max(np.abs(mode.shape) / compiled.scale, initial=0.0)) or 1.0
        for part in (mode.shape.real, mode.shape.imag):
            q += [equations.retract(state.q, step * part / size) for step in (STEP, -STEP)]
    result = Result(standing(linear.model, compiled, np.stack(q), state.u, state.t))
    titles = [f"{k}: {title(mode)}" for k, mode in enumerate(modes, start=1)]
    return vibrating(draw(result, len(q)), titles, STEP)


def title(mode: Mode) -> str:
    """Frequency, damping, and the bodies that have most of the kinetic energy."""
    s = mode.eigenvalue
    if mode.rigid:
        words = "0 Hz, nothing holds it"
    elif s.imag > 0.0:
        words = f"{mode.damped_frequency:.4g} Hz"
        words += f", damping {mode.damping:.2g}" if abs(mode.damping) > 1e-9 else ""
    else:
        words = f"{s.real:.4g} 1/s, no oscillation"
    shares = list(kinetic_shares(mode).items())[:MOST_NAMES]
    named = ", ".join(f"{name} {share:.0%}" for name, share in shares if share >= 0.05)
    return f"{words}; {named}" if named else words


def page_of(linear: LinearModel, count: int) -> str:
    """The text of a page that plays the lowest modes."""
    scene = mode_scene(linear, count)
    many = len(linear.rigid_modes) + sum(not mode.rigid for mode in linear.modes)
    about = f"{len(scene.chapters)} of {many} modes about t = {linear.state.t:g} s"
    told = "stable" if linear.stable else "UNSTABLE"
    return page(Take(scene, f"{about}, {told}; amplitudes are of any size", "plain"))


class Displaced(NamedTuple):
    """A thing at rest, (v, 3) m, and how its vertices move with a mode, (v, 3)."""

    thing: Thing
    places: Array
    motion: Array


def draw_modes(modes: Sequence[Mode], path: str | Path | None = None) -> Figure:
    """Draw modes beside each other, and write the figure if there is a path.

    Colours are displacements, from none to the largest of the mode; the model at rest is grey.
    """
    from matplotlib.figure import Figure

    if not modes:
        raise SuppleError("plot_modes: the model has no modes, expected something that can move")
    columns = min(COLUMNS, len(modes))
    rows = -(-len(modes) // columns)
    side = PANEL if len(modes) > 1 else ALONE
    figure = Figure(figsize=(side * columns, side * rows), layout="constrained")
    for number, mode in enumerate(modes, start=1):
        ax = figure.add_subplot(rows, columns, number, projection="3d", computed_zorder=False)
        _panel(ax, displaced(mode), _upwards(mode))
        ax.set_title(f"{number}: {mode.caption}", size=9, color=INK)
    save_figure(figure, path)
    return figure


def displaced(mode: Mode) -> list[Displaced]:
    """Displacements in a mode of everything that is drawn, the largest of them 1.

    The motion is linear in the shape, so that closed loops stay closed; of a complex shape it is
    the phase at which most of it moves.
    """
    compiled, shape = mode.compiled, mode.shape
    turn = np.exp(-0.5j * np.angle(np.sum((shape / compiled.scale) ** 2)))
    real = (turn * shape).real
    equations = Equations(compiled)
    size = float(np.abs(real / compiled.scale).max(initial=0.0)) or 1.0
    moves = [equations.retract(mode.q, sign * STEP / size * real) for sign in (1.0, -1.0)]
    positions = np.array([mode.q, *moves])
    result = Result(standing(mode.model, compiled, positions, np.zeros(compiled.nu)))
    moved_things = [
        Displaced(one, one.vertices(0), one.vertices(1) - one.vertices(2))
        for one in _things(result)
    ]
    sizes = (float(np.linalg.norm(d.motion, axis=1).max(initial=0.0)) for d in moved_things)
    largest = max(sizes, default=0.0)
    return [d._replace(motion=d.motion / (largest or 1.0)) for d in moved_things]


def _things(result: Result) -> list[Thing]:
    """Bodies, with bars to the joints of those without a shape."""
    bodies = body_things(result)
    low, high = bounds(bodies, 1)
    reach = float(np.linalg.norm(high - low)) or 1.0
    signs = Signs(result, UNIT * reach, reach)
    history, names = result.data.history, list(result.data.compiled.body_names)
    things = list(bodies)
    for one in bodies:
        surface = result.bodies[one.name].surface() if one.opacity < 1.0 else None
        if surface is not None and surface.hub is not None:
            k = names.index(one.name)
            pose = history.R[:, k], history.p[:, k]
            things += signs.bars(one.name, surface.hub, one.colour, pose)
    return things


def _upwards(mode: Mode) -> int:
    """The axis of the world next to the direction of gravity; z without any."""
    gravity = np.abs(mode.model.gravity)
    return int(np.argmax(gravity)) if gravity.any() else 2


def _panel(ax: Any, found: Sequence[Displaced], up: int) -> None:
    """One mode: faces in the colour of their displacement, edges of the model at rest."""
    from matplotlib import colormaps
    from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection

    every = np.concatenate([np.zeros((0, 3)), *(d.places for d in found)])
    every = every if len(every) else np.zeros((1, 3))  # nothing that has a shape
    low, high = every.min(axis=0), every.max(axis=0)
    reach = LARGEST * (float(np.linalg.norm(high - low)) or 1.0)
    faces, shades, rest, lines = [], [], [], []
    for d in found:
        moved = d.places + reach * d.motion
        rest += list(d.places[d.thing.edges])
        lines += list(moved[d.thing.lines]) if not len(d.thing.triangles) else []
        faces.append(moved[d.thing.triangles])
        size = np.linalg.norm(d.motion, axis=1)[d.thing.triangles].mean(axis=1)
        shade = colormaps["viridis"](size)
        shade[:, 3] = d.thing.opacity
        shades.append(shade)
    ax.add_collection3d(Line3DCollection(rest, colors=STILL, linewidths=0.5))
    if any(len(f) for f in faces):
        colours = np.concatenate(shades)
        ax.add_collection3d(
            Poly3DCollection(np.concatenate(faces), facecolors=colours, linewidths=0.0)
        )
    if lines:
        ax.add_collection3d(Line3DCollection(lines, colors=INK, linewidths=0.8))
    low, high = low - reach, high + reach
    for setter, a, b in zip((ax.set_xlim, ax.set_ylim, ax.set_zlim), low, high, strict=True):
        setter(a, b)
    order = np.roll(np.arange(3), 2 - up)  # matplotlib wants the sides of the box as they are drawn
    ax.set_box_aspect((high - low)[order], zoom=1.2)
    ax.view_init(elev=HEIGHT, azim=TURN, vertical_axis="xyz"[up])
    ax.set_axis_off()
