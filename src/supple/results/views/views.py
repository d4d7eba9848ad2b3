"""Views of bodies, points and joints: ``result["name"]``, histories.

Arrays have time first, shape (nt, ...). Vectors are in world axes; ``view.local`` is the same view
with vectors in the object's own axes: those of the body, or of frame B of a joint.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.foundation.arrays import Array, Booleans
from supple.foundation.cached import cached_property
from supple.foundation.calls import Spoken
from supple.foundation.errors import suggestion
from supple.foundation.poses import cross, quaternions
from supple.results.views.attitude import euler_angles, rotation_vectors

if TYPE_CHECKING:
    from supple.foundation.frames import Body, Frame
    from supple.joints import Joint
    from supple.results.result import Result
    from supple.results.views.flexible_views import FlexibleView

Later = Callable[[], Array]  # accelerations cost more than motion: found when they are read


class PointView(Spoken):
    """Motion of a point of a body: a `PointMass`, or ``result["link2"].at(1.02)``."""

    def __init__(
        self,
        name: str,
        R: Array,
        position: Array,
        velocity: Array,
        acceleration: Later,
        angular_velocity: Array,
        angular_acceleration: Later,
        matrix: Array | None = None,
    ) -> None:
        self.name = name
        self._matrix = R if matrix is None else matrix
        self._axes: Array | None = None  # of a frame that was asked for, in those of the body
        self._own = R  # body axes seen from the axes that the components below belong to
        self.position = position
        """(nt, 3) place in the world, m"""
        self.velocity = velocity
        """(nt, 3) m/s"""
        self.angular_velocity = angular_velocity
        """(nt, 3) of the body, or of the section of a beam, rad/s"""
        self._acceleration, self._angular_acceleration = acceleration, angular_acceleration

    @cached_property
    def acceleration(self) -> Array:
        """(nt, 3) m/s2, without gravity: a body at rest has none."""
        return self._acceleration()

    @cached_property
    def angular_acceleration(self) -> Array:
        """(nt, 3) rad/s2."""
        return self._angular_acceleration()

    @property
    def matrix(self) -> Array:
        """(nt, 3, 3) rotation matrix to the world: from body axes, or those of a frame."""
        return self._turned_axes(self._matrix)

    def _turned_axes(self, R: Array) -> Array:
        return R if self._axes is None else R @ self._axes

    def euler(self, sequence: str = "zyx") -> Array:
        """(nt, 3) Euler angles of the attitude, rad; see `results.views.attitude.euler_angles`."""
        return euler_angles(self.matrix, sequence)

    @property
    def rotation_vector(self) -> Array:
        """(nt, 3) rotation vector of the attitude, not longer than pi, rad, world axes."""
        return rotation_vectors(quaternions(self.matrix))

    @property
    def local(self) -> PointView:
        """The view with components along the axes of the body."""
        own = self._own
        return PointView(
            self.name,
            np.broadcast_to(np.eye(3), own.shape),
            into(own, self.position),
            into(own, self.velocity),
            lambda: into(own, self.acceleration),
            into(own, self.angular_velocity),
            lambda: into(own, self.angular_acceleration),
            self.matrix,
        )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle with accelerations, not with the result that they come from."""
        found = {"acceleration": self.acceleration}
        found["angular_acceleration"] = self.angular_acceleration
        return self.__dict__ | found | {"_acceleration": None, "_angular_acceleration": None}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.name}', {len(self.position)} times>"


class BodyView(PointView):
    """Motion of a body: of its origin, and its attitude.

    Parameters
    ----------
    R, p : (nt, 3, 3), (nt, 3) pose of the body in the world
    V : (nt, 6) velocity [angular; linear] of the origin, world axes
    A : returns its acceleration (nt, 6)
    """

    def __init__(self, name: str, R: Array, p: Array, V: Array, A: Later) -> None:
        super().__init__(name, R, p, V[:, 3:], lambda: A()[:, 3:], V[:, :3], lambda: A()[:, :3])

    @classmethod
    def of(cls, result: Result, body: Body) -> BodyView:
        """The view of a body of the engine."""
        return cls(body.name, *frame_motion(result, body.name))

    @property
    def deforming(self) -> tuple[FlexibleView, ...]:
        """Views of what deforms of the body: nothing of a rigid one."""
        return ()

    def attitude(self, frame: Frame) -> Array:
        """(nt, 3, 3) rotation matrices from the axes of a frame of the body to the world."""
        turned: Array = self.matrix @ frame.rotation
        return turned

    @property
    def rotation(self) -> Array:
        """(nt, 4) unit quaternion (w, x, y, z) from body to world, continuous in sign."""
        return quaternions(self.matrix)

    @property
    def local(self) -> BodyView:
        """The view with vectors along the axes of the body; the attitude is unchanged."""
        view = BodyView(self.name, *self._local_motion())
        view._own = np.broadcast_to(np.eye(3), self._own.shape)
        return view

    def _local_motion(self) -> tuple[Array, Array, Array, Later]:
        """R, p, V, A of the frame, with vectors along its own axes; the attitude is unchanged."""
        own = self._own
        V = np.hstack([into(own, self.angular_velocity), into(own, self.velocity)])
        return self.matrix, into(own, self.position), V, self._turned

    def _turned(self) -> Array:
        """Acceleration (nt, 6) along the axes of the body."""
        own = self._own
        return np.hstack([into(own, self.angular_acceleration), into(own, self.acceleration)])

    def at(self, x: float, y: float = 0.0, z: float = 0.0) -> PointView:
        """Motion of the point (x, y, z) of the body, m in body axes."""
        place = np.array([x, y, z], dtype=float)
        w = self.angular_velocity
        arm = self._own @ place
        return PointView(
            f"{self.name}@({x:g}, {y:g}, {z:g})",
            self._own,
            self.position + arm,
            self.velocity + cross(w, arm),
            lambda: (
                self.acceleration + cross(self.angular_acceleration, arm) + cross(w, cross(w, arm))
            ),
            w,
            lambda: self.angular_acceleration,
            self.matrix,
        )


def frame_motion(result: Result, name: str) -> tuple[Array, Array, Array, Later]:
    """R (nt, 3, 3), p (nt, 3), V, A (nt, 6) of the own frame of a body, as `BodyView` has them."""
    h, k = result.data.history, list(result.data.compiled.body_names).index(name)
    return h.R[:, k], h.p[:, k], h.V[:, k], lambda: h.A[:, k]


class JointLoad(NamedTuple):
    """Load of a joint over a run."""

    # wrench, reaction: (nt, 6) N m and N, world axes
    wrench: Array
    reaction: Array
    effort: Array  # (nt, nu) N m or N
    # unique, unique_local: (6,) whether the equations of motion determine each component of the
    # reaction, in world axes and in the axes of frame B
    unique: Booleans
    unique_local: Booleans


class JointView(Spoken):
    """Motion and load of a joint, in the sense "pose of B in A".

    Each coordinate is an attribute by its name, and so are its rate and acceleration: ``.angle``,
    ``.angle_rate``, ``.angle_acceleration``, ``.displacement`` ... In place of these, ball and free
    joints have ``.angular_velocity`` and ``.angular_acceleration`` (and ``.velocity``,
    ``.velocity_rate``), those of B relative to A in B's axes. ``velocity_rate`` is the rate of the
    components; the acceleration is ``velocity_rate + cross(angular_velocity, velocity)``.

    Wrenches are [torque; force] by body A on body B, the torque about the origin of frame B, in
    world axes (``.local``: in the axes of frame B). A gets the opposite at the same point,
    whichever of the two is nearer to the ground.

    Attributes
    ----------
    coordinates : (nt, nq), in the order of ``joint.coordinate_names``
    rates, accelerations : (nt, nu) velocities and their time derivatives
    reaction : (nt, 6) N m and N, what the constraints carry; it does no work on the joint's motion
    wrench : (nt, 6) the same with actuators, springs and dampers of the joint: what a load cell
        in the joint shows; ``.torque`` and ``.force`` (nt, 3) are its halves
    active : (nt, 6) ``wrench - reaction``, the part along the free motions
    effort : (nt, nu) effort of all elements on each coordinate, N m or N
    unique : whether the equations of motion determine the reaction; with redundant constraints they
        may not, and the smallest possible reactions are given
    unique_components : (6,) the same for each component [torque; force]
    """

    def __init__(
        self,
        joint: Joint,
        coordinates: Array,
        rates: Array,
        accelerations: Array,
        wrench: Array,
        reaction: Array,
        effort: Array,
        axes: Array,
        smallest: Callable[[], JointLoad | None] | None = None,
    ) -> None:
        self._given = wrench, reaction, effort
        self._smallest = smallest
        self.joint = joint
        self.name = joint.name
        self.coordinates = coordinates
        self.rates = rates
        self.accelerations = accelerations
        self._axes = axes  # (nt, 3, 3) of frame B in the world
        self._named = dict(zip(joint.coordinate_names, coordinates.T, strict=True))
        if joint.nq == joint.nu:
            for what, values in (("rate", rates), ("acceleration", accelerations)):
                names = (f"{name}_{what}" for name in joint.coordinate_names)
                self._named.update(zip(names, values.T, strict=True))
        else:
            self._named["angular_velocity"] = rates[:, :3]
            self._named["angular_acceleration"] = accelerations[:, :3]
            if joint.nu == 6:
                self._named["velocity"] = rates[:, 3:]
                self._named["velocity_rate"] = accelerations[:, 3:]

    @cached_property
    def _load(self) -> JointLoad:
        """The load, found on request: smallest reactions that are not unique take time."""
        found = self._smallest() if self._smallest is not None else None
        everything = np.ones(6, dtype=bool)
        return JointLoad(*self._given, everything, everything) if found is None else found

    @property
    def wrench(self) -> Array:
        """(nt, 6) [torque; force] by A on B with actuators."""
        return self._load.wrench

    @property
    def reaction(self) -> Array:
        """(nt, 6) [torque; force] by A on B that the constraints carry."""
        return self._load.reaction

    @property
    def effort(self) -> Array:
        """(nt, nu) effort of all elements on each coordinate."""
        return self._load.effort

    @property
    def unique(self) -> bool:
        """True if the equations of motion determine the whole reaction."""
        return bool(np.all(self._load.unique_local))

    @property
    def unique_components(self) -> Booleans:
        """(6,) whether they determine each component of the reaction, at all times."""
        return self._load.unique

    @property
    def torque(self) -> Array:
        """(nt, 3) by A on B about B's origin, N m: the first half of ``wrench``."""
        return self.wrench[:, :3]

    @property
    def force(self) -> Array:
        """(nt, 3) by A on B, N: the second half of ``wrench``."""
        return self.wrench[:, 3:]

    @property
    def active(self) -> Array:
        """(nt, 6) the part of ``wrench`` along the free motions, from the joint's own elements."""
        active: Array = self.wrench - self.reaction
        return active

    @property
    def local(self) -> JointView:
        """View with wrenches along the axes of frame B."""
        axes = np.broadcast_to(np.eye(3), self._axes.shape)
        motion = self.coordinates, self.rates, self.accelerations
        return JointView(self.joint, *motion, *self._given, axes, self._local_load)

    def _local_load(self) -> JointLoad:
        load = self._load
        wrench, reaction = (
            np.hstack([into(self._axes, w[:, :3]), into(self._axes, w[:, 3:])])
            for w in (load.wrench, load.reaction)
        )
        return JointLoad(wrench, reaction, load.effort, load.unique_local, load.unique_local)

    def __getattr__(self, name: str) -> Array:
        named = self.__dict__.get("_named", {})
        if name in named:
            return named[name]  # type: ignore[no-any-return]
        kind = type(self.__dict__.get("joint")).__name__
        known = [*named, "coordinates", "rates", "accelerations", "reaction", "wrench", "active"]
        known += ["effort", "force", "torque", "local", "unique", "unique_components"]
        raise AttributeError(
            f"{kind} '{self.__dict__.get('name')}' has no '{name}', {suggestion(name, known)}"
        )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle with the load, not with the result that it comes from."""
        return self.__dict__ | {"_load": self._load, "_smallest": None}

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._named]

    def __repr__(self) -> str:
        kind = type(self.joint).__name__
        return f"<{kind} '{self.name}': {', '.join(self._named)}; {len(self.rates)} times>"


def into(R: Array, x: Array) -> Array:
    """Components of the vectors x (nt, 3) along the axes whose columns are R (nt, 3, 3)."""
    turned: Array = np.einsum("tij,ti->tj", R, x)
    return turned
