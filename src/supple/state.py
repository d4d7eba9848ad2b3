"""State: one instant of a run, from which another run can start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SuppleError, suggestion

if TYPE_CHECKING:
    from supple.engine.base.compiled import Compiled


@dataclass(frozen=True)
class State:
    """Time and state in engine order.

    States of a result know the names of joints and flexible bodies: ``state.coordinates("elbow")``,
    ``state.rates("elbow")``, and `changed` for another start.

    Attributes
    ----------
    t : time, s
    q : (nq,) coordinates
    u : (nu,) velocities
    z : (nz,) controller states
    compiled : where joints and bodies are in these; None for a state made by hand
    """

    t: float
    q: Array
    u: Array
    z: Array
    compiled: Compiled | None = field(default=None, kw_only=True, repr=False, compare=False)

    def coordinates(self, name: str) -> Array:
        """Coordinates (n,) of a joint, as its ``initial``, or of a flexible body."""
        return self._of(name)[0]

    def rates(self, name: str) -> Array:
        """Velocities (n,) of a joint, as its ``initial_rate``, or rates of a flexible body."""
        return self._of(name)[1]

    def changed(
        self,
        coordinates: Mapping[str, ArrayLike] | None = None,
        rates: Mapping[str, ArrayLike] | None = None,
        t: float | None = None,
    ) -> State:
        """Return this state with other coordinates or rates of joints and flexible bodies.

        ``state.changed(coordinates={"elbow": 0.3}, rates={"elbow": 0.0}, t=0.0)``: keys are names,
        values are numbers or arrays in the order of ``coordinates(name)`` and ``rates(name)``.
        """
        given = _by_name("coordinates", coordinates), _by_name("rates", rates)
        moment = self.t if t is None else validate.number("State.changed", "t", t)
        q, u = self.q.copy(), self.u.copy()
        for name in dict.fromkeys((*given[0], *given[1])):
            own = self._of(name)
            new = [
                _fitted(name, word, part.get(name), old)
                for word, part, old in zip(("coordinates", "rates"), given, own, strict=True)
            ]
            compiled = self._compiled()
            if name in compiled.joints:
                joint = compiled.joints[name]
                if joint.chart.quaternion:
                    new[0][:4] = _unit(name, new[0][:4])
                q[joint.q], u[joint.u] = joint.from_user(*new)
            else:
                body = compiled.deforming[name]
                q[body.q], u[body.u] = new
        return replace(self, q=q, u=u, t=moment)

    def _of(self, name: str) -> tuple[Array, Array]:
        compiled = self._compiled()
        validate.text("a state", "name", name, "the name of a joint or of a flexible body")
        if name in compiled.joints:
            return compiled.to_user(name, self.q, self.u)
        if name in compiled.deforming:
            body = compiled.deforming[name]
            return self.q[body.q].copy(), self.u[body.u].copy()
        known = [*compiled.joints, *compiled.deforming]
        hint = suggestion(name, known)
        raise SuppleError(f"the state has no joint or flexible body {name!r}, {hint}")

    def _compiled(self) -> Compiled:
        if self.compiled is None:
            raise SuppleError("a state made by hand knows no names, expected one of a result")
        return self.compiled


def _by_name(field: str, given: Any) -> dict[str, ArrayLike]:
    """Values by name, none if nothing is given."""
    if given is not None and not isinstance(given, Mapping):
        raise ModelError("State.changed", field, given, "names with their values")
    return dict(given or {})


def _unit(name: str, quaternion: Array) -> Array:
    size = float(np.linalg.norm(quaternion))
    if not size > 0.0:
        raise SuppleError(f"coordinates of {name!r} begin with four zeros, expected a quaternion")
    return quaternion / size


def mismatch(state: State, compiled: Compiled) -> str:
    """Say how the model of a state differs from another; empty if states of both are the same."""
    if state.compiled is None:
        return ""
    found, expected = _layout(state.compiled), _layout(compiled)
    for name in dict.fromkeys((*expected, *found)):
        if name not in found:
            return f"a state of a model without {name!r}"
        if name not in expected:
            return f"a state of a model with {name!r}"
        if found[name] != expected[name]:
            return f"a state of a model with another {name!r}"
    return ""


def same_parts(a: Compiled, b: Compiled) -> bool:
    """True if two compilations have the same joints and flexible bodies, in whatever tree."""
    return _names(a) == _names(b)


def _names(compiled: Compiled) -> dict[str, tuple[str, ...]]:
    """Coordinates of joints and bodies, and of joints the body of frame B."""
    parents = {edge.joint: edge.parent for edge in compiled.graph.tree if edge.reversed}
    joints = {
        name: (*joint.coordinate_names, parents.get(name, joint.child))
        for name, joint in compiled.joints.items()
    }
    bodies = {name: body.coordinate_names for name, body in compiled.deforming.items()}
    return joints | bodies | {name: () for name, motor in compiled.motors.items() if motor.own}


def _layout(compiled: Compiled) -> dict[str, Any]:
    """Meaning of each part of a state, by the name of its joint or body."""
    parts: dict[str, Any] = {
        name: (j.kind, j.reversed, j.coordinate_names, j.q.start, j.u.start)
        for name, j in compiled.joints.items()
    }
    for name, body in compiled.deforming.items():
        parts[name] = (body.coordinate_names, body.q.start, body.u.start)
    return parts


def _fitted(name: str, word: str, given: ArrayLike | None, old: Array) -> Array:
    if given is None:
        return old
    try:
        new = np.atleast_1d(np.array(given, dtype=float))
    except (TypeError, ValueError):
        new = np.full(0, np.nan)
    if new.shape != old.shape or not np.all(np.isfinite(new)):
        raise SuppleError(f"{word} of {name!r} are {given!r}, expected {len(old)} finite numbers")
    return new
