"""Responses of a linear model that are too small because of what its bodies leave out.

The monitor of a linear model judges its frequencies, which may all be right where the static
deflection under an input is not: that of modes that are left out. So the displacement at each input
by an effort there is compared, well below the lowest frequency, with that of a model whose bodies
have static shapes for these inputs (`supple.analyses.linear.missing_flexibility`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.analyses.equilibrium.balance import AtRest
from supple.analyses.equilibrium.equilibrium import Search
from supple.analyses.linear.missing_flexibility import LIMIT, carried, finer_model
from supple.analyses.linear.ports import OWNER, Ports
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError, SuppleWarning, percent
from supple.foundation.frames import Body, Frame
from supple.loops.assembly import compile_model
from supple.state import State

if TYPE_CHECKING:
    from supple.analyses.modes.linear_model import LinearModel

SLOW = 0.3  # of the lowest frequency


def too_small(linear: LinearModel, inputs: Any) -> str | None:
    """A sentence about the input whose response is too small by most; None if none is."""
    slow = SLOW * 2.0 * np.pi * float(np.min(linear.frequencies, initial=np.inf))
    compiled = linear.state.compiled
    assert compiled is not None
    if not compiled.flexible or not np.isfinite(slow) or np.any(linear.state.u):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        try:
            finer = _finer(linear, inputs)
            if finer is None:
                return None
            names, given = _responses(linear, inputs, slow)
            right = _responses(finer, [_on(finer.model, x) for x in _listed(inputs)], slow)[1]
        except SuppleError:  # bodies that do not take other shapes
            return None
    moved = np.abs(right)
    missing = 1.0 - np.abs(given) / np.where(moved > 0.0, moved, np.inf)
    k = int(np.argmax(np.where(moved > 0.0, missing, 0.0)))
    if not len(names) or not missing[k] > LIMIT:
        return None
    return (
        f"{OWNER}: with the present modes and elements of flexible bodies the slow response at "
        f"{names[k]!r} to an effort there is {percent(missing[k])} too small, expected at most "
        f"{percent(LIMIT)}: use modes='all', AttachmentModes(n) with a Force at the frame, whose "
        "components may be zero, or more elements"
    )


def _finer(linear: LinearModel, inputs: Any) -> LinearModel | None:
    """Small motion of the same model with exact statics for inputs; None if it is the same."""
    from supple.analyses.linear.linearize import linear_model

    assert linear.model is not None and linear.state.compiled is not None
    frames = [x if isinstance(x, Frame) else x[0] for x in _listed(inputs) if _is_place(x)]
    model, refined = finer_model(linear.model, frames[0] if frames else None)
    if not refined:
        return None
    for frame in frames[1:]:
        model = finer_model(model, frame)[0]
    t, state = linear.state.t, linear.state
    equations = Equations(compile_model(model, (), JointCoordinates().tree(model), t))
    q = carried(linear.state.compiled, state.q, equations.compiled)
    found = Search(AtRest(equations, t)).run(q, state.z)
    if not found.found:
        return None
    return linear_model(equations, State(t, found.q, found.u, found.z), model)


def _listed(inputs: Any) -> Sequence[Any]:
    alone = isinstance(inputs, str | Frame) or not isinstance(inputs, Sequence) or _is_place(inputs)
    return [inputs] if alone else inputs


def _on(model: Any, item: Any) -> Any:
    """An input of another model: frames and bodies are found by the name of the body."""
    if isinstance(item, Body):
        return model[item.name]
    if isinstance(item, Frame):
        return Frame(model[item.body.name], item.position, item.rotation)
    return (_on(model, item[0]), item[1]) if _is_place(item) else item


def _is_place(item: Any) -> bool:
    """True if an input is a frame, or a pair of a frame and a direction."""
    pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], str)
    return isinstance(item, Frame) or (pair and isinstance(item[0], Frame))


def _responses(linear: LinearModel, inputs: Any, omega: float) -> tuple[list[str], Array]:
    """Names of pushed ports, and their complex displacements by efforts on each of them."""
    ports = [port for port in Ports(linear).find("inputs", inputs) if not port.driver]
    rows = np.array([port.row for port in ports]).reshape(len(ports), -1) @ linear.N
    n, s = len(linear.M), 1j * omega
    size = len(linear.Z)
    coupled = np.zeros((n, n), complex)
    if size:
        inner = np.linalg.solve(s * np.eye(size) - linear.Z, linear.Y + s * linear.V)
        coupled = linear.F @ inner
    dynamic = s**2 * linear.M + s * linear.C + linear.K + coupled
    moved = np.linalg.solve(dynamic, rows.T)
    return [port.name for port in ports], np.einsum("kn,nk->k", rows, moved)
