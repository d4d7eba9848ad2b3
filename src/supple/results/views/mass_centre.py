"""Centre of mass of bodies, and of all bodies together, over time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.errors import SuppleError, suggestion
from supple.foundation.poses import cross
from supple.results.views.body_views import body_view
from supple.results.views.views import BodyView, Later, PointView

if TYPE_CHECKING:
    from supple.bodies.base.rigid import RigidBody
    from supple.engine.base.body_records import ANCFRecord
    from supple.results.result import Result


class MassCentre:
    """Motion of a centre of mass, world axes.

    Attributes
    ----------
    mass : kg
    position, velocity, acceleration : (nt, 3) m, m/s, m/s2
    """

    def __init__(self, name: str, mass: float, p: Array, v: Array, a: Later) -> None:
        self.name, self.mass, self.position, self.velocity = name, mass, p, v
        self._acceleration = a

    @cached_property
    def acceleration(self) -> Array:
        """(nt, 3) m/s2, without gravity: a body at rest has none."""
        return self._acceleration()

    def __repr__(self) -> str:
        return f"<centre of mass of {self.name}, {self.mass:.6g} kg, {len(self.position)} times>"


class _Part(NamedTuple):
    """A mass (kg) with the motion of its centre."""

    mass: float
    position: Array
    velocity: Array
    acceleration: Later


def mass_centre(result: Result, names: Iterable[str]) -> MassCentre:
    """The centre of mass of some bodies with the point masses on them; of all without names."""
    chosen = tuple(dict.fromkeys(names)) or tuple(result.bodies)
    for name in chosen:
        if name not in result.bodies:
            hint = suggestion(name, list(result.bodies))
            raise SuppleError(f"centre_of_mass: the result has no body {name!r}, {hint}")
    parts = [part for name in chosen for part in _parts(result, name)]
    mass = sum(part.mass for part in parts)

    def mean(values: Iterable[Array]) -> Array:
        total = sum(part.mass * x for part, x in zip(parts, values, strict=True))
        return np.asarray(total) / mass

    whole = "the model" if len(chosen) == len(result.bodies) else ", ".join(chosen)
    return MassCentre(
        whole,
        mass,
        mean(part.position for part in parts),
        mean(part.velocity for part in parts),
        lambda: mean(part.acceleration() for part in parts),
    )


def _parts(result: Result, name: str) -> Iterator[_Part]:
    """Constituents of a body of the model: parts of the engine, and point masses on rigid ones."""
    body, flexible = result.bodies[name], result.data.compiled.flexible
    vectors = result.data.compiled.gradient.get(name)
    if vectors is not None:
        yield _of_vectors(result, vectors)
    for part in () if vectors is not None else body.part_bodies:
        view = cast("BodyView", body_view(result, part))
        if part.name in flexible:
            yield _deforming(result, part.name, view)
        else:
            rigid = cast("RigidBody", part)
            x, y, z = rigid.com.tolist()
            yield _point(rigid.mass, view.at(x, y, z))
    for point in result.point_masses.values():
        if point.frame.body.name != name:
            continue
        if body.on_part(point.frame).body.name not in flexible:
            yield _point(point.mass, result[point.name])


def _of_vectors(result: Result, record: ANCFRecord) -> _Part:
    """A gradient body, without the point masses on it."""
    mesh = record.mesh
    share = mesh.weight.ravel() / mesh.mass

    def mean(x: Array) -> Array:
        return np.asarray(np.einsum("k,tkx->tx", share, x.reshape(len(x), -1, 3)))

    q, u = mean(result.q[:, record.q]), mean(result.u[:, record.u])
    return _Part(mesh.mass, q, u, lambda: mean(result.a[:, record.u]))


def _point(mass: float, view: PointView) -> _Part:
    return _Part(mass, view.position, view.velocity, lambda: view.acceleration)


def _deforming(result: Result, name: str, view: BodyView) -> _Part:
    """A flexible part of the engine; its integrals have the point masses on it."""
    record = result.data.compiled.flexible[name]
    modal, q, u = record.modal, result.q[:, record.q], result.u[:, record.u]
    S1 = modal.S1
    moved, rate = q, u
    slaves = modal.slaves
    if slaves is not None:
        S1, G = slaves.S1, slaves.Gamma
        moved = np.hstack([q, 0.5 * np.einsum("ti,rij,tj->tr", q, G, q)])
        rate = np.hstack([u, np.einsum("ti,rij,tj->tr", u, G, q)])
    R, w = view.matrix, view.angular_velocity

    def out(x: Array) -> Array:
        """World components of vectors (nt, 3) of the body, divided by its mass."""
        return np.asarray(np.einsum("tij,tj->ti", R, x)) / modal.mass

    arm, moving = out(modal.s0 + moved @ S1.T), out(rate @ S1.T)

    def acceleration() -> Array:
        a = result.a[:, record.u]
        change = a
        if slaves is not None:
            G = slaves.Gamma
            second = np.einsum("ti,rij,tj->tr", u, G, u) + np.einsum("ti,rij,tj->tr", a, G, q)
            change = np.hstack([a, second])
        found: Array = view.acceleration + cross(view.angular_acceleration, arm)
        return found + cross(w, cross(w, arm) + 2.0 * moving) + out(change @ S1.T)

    return _Part(
        modal.mass, view.position + arm, view.velocity + cross(w, arm) + moving, acceleration
    )
