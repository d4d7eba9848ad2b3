"""What ``result["name"]`` gives: histories of one body, point, joint or force.

Arrays have time first, shape (nt, ...). Vectors are in world axes; ``view.local`` is the same view
with vectors in the object's own axes: those of the body, or of frame B of a joint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.errors import suggestion

if TYPE_CHECKING:
    from supple.joints import Joint

Array = NDArray[np.float64]


class PointView:
    """Motion of a point of a body: a `PointMass`, or ``result["link2"].at(1.02)``."""

    def __init__(
        self, name: str, R: Array, position: Array, velocity: Array, acceleration: Array
    ) -> None:
        self.name = name
        self._own = R  # body axes seen from the axes that the components below belong to
        self.position = position
        """(nt, 3) place in the world, m"""
        self.velocity = velocity
        """(nt, 3) m/s"""
        self.acceleration = acceleration
        """(nt, 3) m/s2, without gravity: a body at rest has none"""

    @property
    def local(self) -> PointView:
        """The same with components along the axes of the body."""
        turned = (into(self._own, x) for x in (self.position, self.velocity, self.acceleration))
        return PointView(self.name, np.broadcast_to(np.eye(3), self._own.shape), *turned)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.name}', {len(self.position)} times>"


class BodyView(PointView):
    """Motion of a body: of its origin, and its attitude.

    Parameters
    ----------
    R, p : (nt, 3, 3), (nt, 3) pose of the body in the world
    V, A : (nt, 6) velocity and acceleration [angular; linear] of the origin, world axes
    """

    def __init__(self, name: str, R: Array, p: Array, V: Array, A: Array) -> None:
        super().__init__(name, R, p, V[:, 3:], A[:, 3:])
        self.matrix = R
        """(nt, 3, 3) rotation matrix from body to world"""
        self.angular_velocity = V[:, :3]
        """(nt, 3) rad/s"""
        self.angular_acceleration = A[:, :3]
        """(nt, 3) rad/s2"""

    @property
    def rotation(self) -> Array:
        """(nt, 4) unit quaternion (w, x, y, z) from body to world, continuous in sign."""
        return quaternions(self.matrix)

    @property
    def local(self) -> BodyView:
        """The same with vectors along the axes of the body; the attitude is unchanged."""
        own = self._own
        parts = (self.angular_velocity, self.velocity, self.angular_acceleration, self.acceleration)
        w, v, dw, a = (into(own, x) for x in parts)
        V, A = np.hstack([w, v]), np.hstack([dw, a])
        view = BodyView(self.name, self.matrix, into(own, self.position), V, A)
        view._own = np.broadcast_to(np.eye(3), own.shape)
        return view

    def at(self, x: float, y: float = 0.0, z: float = 0.0) -> PointView:
        """Motion of the point (x, y, z) of the body, m in body axes."""
        place = np.array([x, y, z], dtype=float)
        w = self.angular_velocity
        arm = self._own @ place
        return PointView(
            f"{self.name}@({x:g}, {y:g}, {z:g})",
            self._own,
            self.position + arm,
            self.velocity + np.cross(w, arm),
            self.acceleration
            + np.cross(self.angular_acceleration, arm)
            + np.cross(w, np.cross(w, arm)),
        )


class JointView:
    """Motion and load of a joint, in the sense "pose of B in A".

    Each coordinate is an attribute by its name, and so is its rate: ``.angle``, ``.angle_rate``,
    ``.displacement`` ... Ball and free joints have ``.angular_velocity`` (and ``.velocity``), those
    of B relative to A in B's axes, in place of rates by name.

    Attributes
    ----------
    coordinates : (nt, nq), in the order of ``joint.coordinate_names``
    rates : (nt, nu)
    reaction : (nt, 6) wrench [torque; force], N m and N, by A on B at B, actuators excluded
    wrench : (nt, 6) the same with the efforts of actuators, springs and dampers of the joint
    effort : (nt, nu) effort of these on each coordinate, N m or N
    """

    def __init__(
        self,
        joint: Joint,
        coordinates: Array,
        rates: Array,
        wrench: Array,
        reaction: Array,
        effort: Array,
        axes: Array,
    ) -> None:
        self.joint = joint
        self.name = joint.name
        self.coordinates = coordinates
        self.rates = rates
        self.wrench = wrench
        self.reaction = reaction
        self.effort = effort
        self._axes = axes  # (nt, 3, 3) of frame B in the world
        self._named = dict(zip(joint.coordinate_names, coordinates.T, strict=True))
        if joint.nq == joint.nu:
            names = (f"{name}_rate" for name in joint.coordinate_names)
            self._named.update(zip(names, rates.T, strict=True))
        else:
            self._named["angular_velocity"] = rates[:, :3]
            if joint.nu == 6:
                self._named["velocity"] = rates[:, 3:]

    @property
    def local(self) -> JointView:
        """The same with wrenches along the axes of frame B."""
        wrench, reaction = (
            np.hstack([into(self._axes, w[:, :3]), into(self._axes, w[:, 3:])])
            for w in (self.wrench, self.reaction)
        )
        axes = np.broadcast_to(np.eye(3), self._axes.shape)
        return JointView(
            self.joint, self.coordinates, self.rates, wrench, reaction, self.effort, axes
        )

    def __getattr__(self, name: str) -> Array:
        named = self.__dict__.get("_named", {})
        if name in named:
            return named[name]  # type: ignore[no-any-return]
        kind = type(self.__dict__.get("joint")).__name__
        known = [*named, "coordinates", "rates", "reaction", "wrench", "effort", "local"]
        raise AttributeError(
            f"{kind} '{self.__dict__.get('name')}' has no '{name}', {suggestion(name, known)}"
        )

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._named]

    def __repr__(self) -> str:
        kind = type(self.joint).__name__
        return f"<{kind} '{self.name}': {', '.join(self._named)}; {len(self.rates)} times>"


class ForceView:
    """Energy through a force element since the start of the run, J.

    ``.work`` (nt,) done on the system, or ``.dissipated`` (nt,) for elements that only take.
    """

    def __init__(self, name: str, energy: Array, dissipates: bool) -> None:
        self.name = name
        self.dissipates = dissipates
        self._energy = energy

    @property
    def work(self) -> Array:
        """(nt,) work done on the system, J."""
        if self.dissipates:
            raise AttributeError(f"'{self.name}' does no work of its own: see its .dissipated")
        return self._energy

    @property
    def dissipated(self) -> Array:
        """(nt,) energy taken from the system, J."""
        if not self.dissipates:
            raise AttributeError(f"'{self.name}' is not a damper: see its .work")
        return self._energy

    def __repr__(self) -> str:
        kind = "dissipated" if self.dissipates else "work"
        return f"<force '{self.name}': {kind}, {len(self._energy)} times>"


def quaternions(R: Array) -> Array:
    """Return unit quaternions (w, x, y, z) of rotation matrices (nt, 3, 3), without jumps of sign.

    The first has w >= 0. The largest of the four components is found first and divides the others,
    which is safe at every attitude.
    """
    d = np.einsum("tii->ti", R)
    trace = d.sum(axis=1, keepdims=True)
    squares = np.hstack([1.0 + trace, 1.0 + 2.0 * d - trace])  # 4 w2, 4 x2, 4 y2, 4 z2
    twist = np.stack([R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]], 1)
    table = np.empty((len(R), 4, 4))  # 4 q_i q_j
    table[:, 0, 1:] = table[:, 1:, 0] = twist
    table[:, 1:, 1:] = R + np.swapaxes(R, 1, 2)
    table[:, range(4), range(4)] = squares
    rows = table[np.arange(len(R)), squares.argmax(axis=1)]
    q: Array = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    if len(q):
        q[0] *= -1.0 if q[0, 0] < 0.0 else 1.0
        flips = np.where(np.einsum("ti,ti->t", q[1:], q[:-1]) < 0.0, -1.0, 1.0)
        q[1:] *= np.cumprod(flips)[:, None]
    return q


def into(R: Array, x: Array) -> Array:
    """Components of the vectors x (nt, 3) along the axes whose columns are R (nt, 3, 3)."""
    turned: Array = np.einsum("tij,ti->tj", R, x)
    return turned
