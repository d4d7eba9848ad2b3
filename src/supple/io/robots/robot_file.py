"""Robot files: URDF and MJCF as models."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, ParamSpec

from numpy.typing import ArrayLike

from supple.bodies.shapes.shape import Shape
from supple.forces.contact_laws import ContactFriction, ContactLaw
from supple.forces.contacts import Contact
from supple.foundation.calls import wrong_call
from supple.foundation.errors import ArgumentError, ModelError, warn_caller
from supple.foundation.frames import Body, Frame
from supple.foundation.input_files import path_of
from supple.io.modelfiles.problems import NotedError, Problems
from supple.io.robots.building import Building, plain_name, unused_name
from supple.io.robots.description import Description, JointLimits
from supple.io.robots.mjcf import Mjcf
from supple.io.robots.options import Base, Options
from supple.io.robots.robot_shapes import Touching
from supple.io.robots.urdf import Urdf
from supple.io.robots.xml_tree import Element, parse
from supple.model import Model
from supple.results.result import Result

if TYPE_CHECKING:
    from supple.analyses.doctor.diagnosis import Diagnosis

Given = ParamSpec("Given")
READERS: dict[str, type[Urdf] | type[Mjcf]] = {"robot": Urdf, "mujoco": Mjcf}
FORMATS = {"robot": "a URDF file (<robot>)", "mujoco": "an MJCF file (<mujoco>)"}


class RobotFile:
    """A robot that has been read from a URDF or MJCF file.

    Parameters
    ----------
    path : str or path
        Of the file. Files that it includes are in its folder; meshes are not opened.
    gravity : (3,) m/s2, optional
        By default that of an MJCF file, and (0, 0, -9.81) for URDF, which has none.
    base : "fixed" or "floating"
        Whether the root of a URDF stands on the ground or moves freely. MJCF says it itself.
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Of the root in the world; of a floating one where it starts. For URDF.
    initial : mapping or str, optional
        Coordinates at the start by the names of the file's joints, rad and m, or the name of a
        keyframe of an MJCF file. Others start at zero (MJCF: ``ref``) or at the limit that is
        nearest to it; those that follow others follow.
    replace : mapping, optional
        Bodies in place of links, by the names of the links. The ``position`` and ``rotation`` of
        such a body are those of its own frame in the axes of the link. The joint to the parent is
        at the link's origin, those to children where the file says: all of them must be places of
        the body, of a beam points of its axis. The body gets the name of the link.
    close : mapping, optional
        Loops that are closed, by the name of the joint: (link, link) for a ball joint between the
        origins of two links or frames, (link, link, "revolute", axis) with the axis in the first
        one's axes ("z" by default), (link, link, "fixed").
    stops : N m/rad or N/m, optional
        Stiffness of elastic stops at the limits of joints; without it limits are not in the model.
    into : Model, optional
        The robot is added to a copy of this model, which has its own gravity: a gripper to an arm.
    on : Frame, optional
        A frame of that model on which the robot stands, in place of the world's origin.
    prefix : str
        How the names of the robot's items begin, so that a model can have two of a kind.

    Attributes
    ----------
    model : Model
    frames : mapping of Frame
        By the names of links, and of sites in MJCF: also of those that are no bodies.
    joints : mapping of (str, int)
        The model's joint and the place of its coordinate, by the names of the file's joints.
    limits : mapping of JointLimits
        Limits of coordinate, effort and rate by the names of the file's joints.
    shapes : mapping of Shape
        Shapes of contact on frames of the model, by the names of the file's geoms or collisions;
        what has no name has that of its link, "ground" in the world, with a number if there are
        several. Nothing touches until a `Contact` says so (`add_contacts`).
    left_out : tuple of str
        What the file has and the model has not.

    Raises ``ModelFileError`` with all problems of the file.
    """

    model: Model
    frames: Mapping[str, Frame]
    shapes: Mapping[str, Shape]
    joints: Mapping[str, tuple[str, int]]
    limits: Mapping[str, JointLimits]
    left_out: tuple[str, ...]

    def __init__(
        self,
        path: str | Path,
        *,
        gravity: ArrayLike | None = None,
        base: Base = "fixed",
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        initial: Mapping[str, Any] | str = MappingProxyType({}),
        replace: Mapping[str, Body] = MappingProxyType({}),
        close: Mapping[str, Sequence[Any]] = MappingProxyType({}),
        stops: float | None = None,
        into: Model | None = None,
        on: Frame | None = None,
        prefix: str = "",
    ) -> None:
        given: dict[str, Any] = {"gravity": gravity, "base": base, "position": position}
        given |= {"rotation": rotation, "initial": initial, "replace": replace, "close": close}
        given |= {"stops": stops, "into": into, "on": on, "prefix": prefix}
        self._read("RobotFile", tuple(READERS), path, given)

    def _read(self, owner: str, roots: Sequence[str], path: Any, given: Mapping[str, Any]) -> None:
        """Read a file whose root is one of these, by the arguments of the constructor."""
        self.path = path_of(owner, "path", path)
        options, problems = Options.of(owner, **given), Problems()
        try:
            found = _described(self.path, roots, problems)
            problems.raise_if_any()
            building = Building(found, options, problems)
            building.build()
        except NotedError:
            pass
        problems.raise_if_any()
        self.model, self.left_out = building.model, tuple(found.left_out)
        self.frames = MappingProxyType(building.frames)
        self.shapes = MappingProxyType(building.shapes)
        self._touching = Touching("add_contacts", found, building.shapes)
        self._prefix = options.prefix
        self.joints = MappingProxyType(building.joints)
        self.limits = MappingProxyType(building.limits)
        for sentence in self.left_out:
            warn_caller(f"{self.path.name}: {sentence}")

    def add_contacts(
        self,
        floor: str | Shape,
        law: ContactLaw,
        friction: ContactFriction | Literal["file"] | None = "file",
        of: Sequence[str] | None = None,
    ) -> list[str]:
        """Add contacts of shapes of the robot with one shape; return their names.

        Parameters
        ----------
        floor : str or Shape
            What they touch: the name of a shape of the file, or any other shape, e.g.
            ``Plane(robot.model.ground.at(0))``.
        law : HuntCrossley or Hertz
            Of the push.
        friction : Friction or RoundedFriction, "file" or None
            By default that of the shapes of an MJCF file, combined as MuJoCo does: `Friction` with
            the larger coefficients, or those of the shape with the higher priority. URDF has none.
        of : sequence of str, optional
            Names of shapes. By default all on other bodies that the file lets touch the floor
            (``contype``, ``conaffinity``, ``exclude``, and not on both sides of a joint).
        """
        made = []
        for title, one, other, rubs in self._touching.contacts(floor, law, friction, of):
            wanted = f"{self._prefix}{plain_name(title)}".strip()
            name = unused_name(self.model, wanted, "contact")
            made.append(Contact(name, other, one, law, rubs))
        for contact in made:
            self.model.add(contact)
        return [contact.name for contact in made]

    def check(self) -> None:
        """Check the whole model."""
        self.model.check()

    def run(self, t_end: float | None = None, **settings: Any) -> Result:
        """Simulate the model until ``t_end`` (s); ``settings`` are those of `simulate`."""
        from supple.analyses.run.simulate import simulate

        if t_end is None:
            way = f"`supple run --until`, or `supple new x.yaml --from {self.path.name}`"
            raise ModelError.plain(f"{self.path.name}: there is no t_end, expected one by {way}")
        return simulate(self.model, t_end, **settings)

    def simulate(self, t_end: float | None = None, **settings: Any) -> Result:
        """Run; there are no outputs beside the result."""
        return self.run(t_end, **settings)

    def doctor(self) -> Diagnosis:
        """Examine the model, as `Model.doctor`."""
        return self.model.doctor()

    def expect_run(self) -> None:
        """Refuse whatever a run would refuse before its first step."""
        from supple.analyses.run.options import RunOptions
        from supple.analyses.run.simulate import expect_run, prepare

        expect_run(prepare(self.model), RunOptions(1.0))

    @property
    def written(self) -> list[Path]:
        """The files that a run writes: none."""
        return []

    def __repr__(self) -> str:
        """The file and the size of its model."""
        return f"RobotFile({str(self.path)!r}: {self.model!r})"


def _described(path: Path, roots: Sequence[str], problems: Problems) -> Description:
    expected = " or ".join(FORMATS[root] for root in roots)
    root: Element = parse(path, path.name, expected, problems)
    if root.tag not in roots:
        raise problems.note(root.place, "", f"<{root.tag}> found, expected {expected}")
    return READERS[root.tag](root, path, problems).description()


def _reader(like: Callable[Given, RobotFile], owner: str, root: str) -> Callable[Given, Model]:
    """A function with the arguments of `RobotFile` that returns the model of one kind of file."""
    arguments = inspect.signature(like)

    def read(*args: Given.args, **options: Given.kwargs) -> Model:
        try:
            bound = arguments.bind(*args, **options)
        except TypeError as error:
            raise ArgumentError.plain(wrong_call(read, args, options) or str(error)) from None
        bound.apply_defaults()
        file, given = RobotFile.__new__(RobotFile), dict(bound.arguments)
        file._read(owner, (root,), given.pop("path"), given)
        return file.model

    read.__name__ = read.__qualname__ = owner
    read.__doc__ = (
        f"Read the model of {FORMATS[root]}; `RobotFile` describes the arguments, and has its "
        "frames.\n\nRaises ``ModelFileError`` with all problems of the file, each with its line."
    )
    read.__signature__ = arguments.replace(return_annotation=Model)  # type: ignore[attr-defined]
    return read


read_urdf = _reader(RobotFile, "read_urdf", "robot")
read_mjcf = _reader(RobotFile, "read_mjcf", "mujoco")
