"""Pictures of mode shapes: a state and its neighbours along each mode, drawn as vibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.analyses.base.snapshot_result import standing
from supple.analyses.modes.kinetic_shares import kinetic_shares
from supple.formulations.equations import Equations
from supple.foundation import validate
from supple.foundation.errors import SuppleError
from supple.results.result import Result
from supple.visualization.drawing import draw
from supple.visualization.page import Take, page
from supple.visualization.vibration import vibrating

if TYPE_CHECKING:
    from supple.analyses.modes.linear_model import LinearModel
    from supple.analyses.modes.mode import Mode
    from supple.visualization.scene import Scene

# Step of the difference quotients, in rad and lengths of the model: central ones are of second
# order, so that both their error and rounding are far below what is seen.
STEP = 1e-5
MOST_NAMES = 3  # bodies with the largest shares of kinetic energy


def mode_scene(linear: LinearModel, count: int) -> Scene:
    """The scene of the lowest modes, those that nothing holds first."""
    most = validate.integer("modes", "count", count, 1, "a number of modes, 1 or more")
    held = [mode for mode in linear.modes if not mode.rigid]
    modes = [*linear.rigid_modes, *held][:most]
    if not modes:
        raise SuppleError("modes: nothing can move, expected a model with modes")
    compiled, state = linear._compiled, linear.state
    assert linear.model is not None
    equations, q = Equations(compiled), [state.q]
    for mode in modes:
        size = float(np.max(np.abs(mode.shape) / compiled.scale, initial=0.0)) or 1.0
        for part in (mode.shape.real, mode.shape.imag):
            q += [equations.retract(state.q, step * part / size) for step in (STEP, -STEP)]
    found = Result(standing(linear.model, compiled, np.stack(q), state.u, state.t))
    titles = [f"{k}: {title(mode)}" for k, mode in enumerate(modes, start=1)]
    return vibrating(draw(found, len(q)), titles, STEP)


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
