"""Contact of two bodies by the shapes that they carry."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, TypeAlias

from supple.bodies.shapes.gears import InvoluteGear, mesh_of
from supple.bodies.shapes.lines import Line
from supple.bodies.shapes.meetings import Pair, Touching, expect_shape, pair_of
from supple.bodies.shapes.shape import (
    Shape,
    TouchingBall,
    TouchingCore,
    TouchingRing,
    TouchingSurface,
)
from supple.forces.base import ForceElement
from supple.forces.contact_laws import (
    MINDLIN,
    SETTLING,
    ContactFriction,
    ContactLaw,
    Friction,
    Hertz,
    HuntCrossley,
    RoundedFriction,
)
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import Given, checked, declared
from supple.foundation.frames import Body, Frame, expect_two_bodies

LAW = "a law, e.g. HuntCrossley(stiffness=1e8, restitution=0.7, speed=1.0)"
FRICTION = "None, or a law of friction, e.g. Friction(0.5)"
PAIRS = (
    "a plane and another shape, a Sphere, Point, Line or Surface and another shape, two solids "
    "(Capsule, Cylinder, Cuboid, Torus with a section, one Cone), one of them on a Cam, "
    "HeightField or MeshShape, in a hollow Cuboid or Cylinder (no Cone on grounds and cams), two "
    "lines, or two gears; others by several points or balls"
)
ONE_CURVE = "the line of a body whose places follow each other along one smooth curve"
CONVEX = "a Sphere or Capsule: what is flat touches a cam with hollows at several places"
WEIGHT = 9.81  # N/kg, of the lighter body, under which bristles are chosen
Meetings: TypeAlias = list[tuple[TouchingSurface, Touching]]


def _rim(wall: TouchingSurface, ring: TouchingRing) -> TouchingRing | TouchingCore:
    """A ring as a plane, or a hollow cylinder, is touched by it."""
    if wall.kind == "plane":
        return ring
    return TouchingCore(ring.pose, (ring.large, ring.large, 0.0), ring.small)


def checked_law(owner: str, field: str, value: Any) -> ContactLaw:
    """Return a law of the push."""
    if not isinstance(value, ContactLaw):
        raise ModelError(owner, field, value, LAW)
    return value


def checked_friction(owner: str, field: str, value: Any) -> ContactFriction:
    """Return a law of friction."""
    if not isinstance(value, ContactFriction):
        raise ModelError(owner, field, value, FRICTION)
    return value


def axes_needed(shape: Shape, friction: ContactFriction | None) -> str:
    """Expected instead of a shape where a place has no axes; "" if none are needed."""
    if shape.uses_axes:
        return "a Sphere or Point at its place"
    if friction is not None and (friction.rolling or friction.spinning):
        return "friction without resistance to rolling and spinning"
    if friction is not None and friction.mu[0] != friction.mu[1]:
        return "friction with one coefficient"
    return ""


@declared
class Contact(ForceElement):
    """Two bodies that touch: a push along the normal where their shapes overlap, and friction.

    The push acts half way between both surfaces. Steps end where bodies begin to touch, however
    thin and quick they are. What is stored and lost is in the energy audit.

    Parameters
    ----------
    name : str
        Unique in its model.
    A, B : Shape
        On two bodies, or a body and the ground: ``Sphere(ball.at(0), radius=0.05)``, `Capsule`,
        `Cylinder`, `Cone`, `Torus`, `Cuboid`, `Plane`, `Point`, `Cam`, `HeightField`,
        `MeshShape`, `InvoluteGear`; the `Line` or `Surface` of a flexible body; or a body with one
        ``shape``. Of two lines that of B has the balls; both may be one line.
    law : HuntCrossley or Hertz
        Of the push.
    friction : Friction or RoundedFriction, optional
    """

    A: Given[Shape | Body, Shape] = checked(expect_shape)
    B: Given[Shape | Body, Shape] = checked(expect_shape)
    law: ContactLaw = checked(checked_law)
    friction: ContactFriction | None = checked(checked_friction, default=None)

    def _check(self, owner: str) -> None:
        if not self.touches_itself:
            expect_two_bodies(owner, self.A.frame, self.B.frame)
        if self.lines is not None:
            self._check_lines(owner, *self.lines)
        pairs = self.pairs()
        rings = bool(pairs) and all(isinstance(pair.other, TouchingRing) for pair in pairs)
        if self.friction is not None and self.friction.axle_angle is not None and not rings:
            kinds = f"of {type(self.A).__name__} and {type(self.B).__name__}"
            expected = "for a Torus or Cylinder on a Plane, whose axis it is measured from"
            raise ModelError(owner, "friction.axle_angle", kinds, expected)
        self.push()

    def _check_lines(self, owner: str, first: Line, second: Line) -> None:
        """Refuse lines that are no curves, parts of one line, and friction that lines have not."""
        for field, line in (("A", first), ("B", second)):
            if line.steps is None:
                raise ModelError(owner, field, line.frame.body, ONE_CURVE)
        if self.touches_itself and (first.radius, first.points) != (second.radius, second.points):
            raise ModelError(owner, "B", second, "the line A, or a line of another body")
        rubs, friction = f"{owner}: friction of two lines", self.friction
        if friction is not None and not isinstance(friction, RoundedFriction):
            kind = type(friction).__name__
            raise ModelError.plain(f"{rubs} is a {kind}, expected RoundedFriction")
        if expected := axes_needed(first, friction):
            raise ModelError.plain(f"{rubs} acts on their axes, expected {expected}")

    @property
    def lines(self) -> tuple[Line, Line] | None:
        """A and B if both are lines: balls along that of B touch the curve of A."""
        first, second = self.A, self.B
        if isinstance(first, Line) and isinstance(second, Line):
            return first, second
        return None

    @property
    def touches_itself(self) -> bool:
        """True of a line that touches itself."""
        frames = self.A.frame, self.B.frame
        names = {frame.body.name for frame in frames if frame is not None}
        return self.lines is not None and len(names) == 1

    @property
    def shapes(self) -> tuple[Shape, Shape]:
        """A and B."""
        return self.A, self.B

    @property
    def frames(self) -> dict[str, Frame]:
        """Frames of both shapes."""
        assert self.A.frame is not None and self.B.frame is not None
        return {"A": self.A.frame, "B": self.B.frame}

    @property
    def inner_frames(self) -> tuple[Frame, ...]:
        """Places of balls along the axis or on the faces of a flexible body."""
        balls = (*self.A.touching_balls, *self.B.touching_balls)
        return tuple(ball.frame for ball in balls if ball.frame is not None)

    def needs_axes(self, field: str) -> str:
        """Expected instead of a shape with axes; a ball or a point needs none."""
        return axes_needed(self.A if field == "A" else self.B, self.friction)

    def pairs(self) -> tuple[Pair, ...]:
        """Balls, rings, cores or cams and the surfaces that these touch, or pairs of teeth.

        Two lines have none.
        """
        if self.lines is not None:
            return ()
        if isinstance(self.A, InvoluteGear) and isinstance(self.B, InvoluteGear):
            return self._teeth(self.A, self.B)
        for one, other, swapped in ((self.A, self.B, False), (self.B, self.A, True)):
            touching = self._on_surface(one, other) or self._on_data(one, other)
            if touching:
                return tuple(pair_of(one, w, other, each, swapped) for w, each in touching)
        if solids := self._solids():
            return solids
        kinds = f"{type(self.A).__name__} and {type(self.B).__name__}"
        raise ModelError(label(self), "A and B", kinds, PAIRS)

    def _on_surface(self, one: Shape, other: Shape) -> Meetings:
        """What of a shape touches the walls of another one that is flat or hollow; balls, any."""
        walls, balls, rings = one.touching_walls, other.touching_balls, other.touching_rings
        hollow = all(wall.kind == "plane" or wall.inside for wall in walls)
        if rings and all(wall.kind in ("plane", "cylinder") for wall in walls) and hollow:
            # a ring in a hollow cylinder is the rim of a disc
            return [(w, each) for w in walls for each in (*balls, *map(partial(_rim, w), rings))]
        if balls and not rings and (other.is_balls or hollow):
            # within what is hollow, balls of a body touch before all that is between them
            return [(w, ball) for w in walls for ball in balls]
        curve = other.touching_curve
        if curve is None or not all(wall.kind == "plane" for wall in walls):
            return []
        self._expect_convex(other)
        return [(w, curve) for w in walls]

    def _on_data(self, one: Shape, other: Shape) -> Meetings:
        """Meetings of a solid with a cam, or of balls or discs on it with a ground or mesh."""
        surface, core = one.touching_surface, other.touching_core
        if core is None or surface is None or surface.data is None:
            return []
        if surface.kind == "cam":
            if core.is_box:
                self._expect_convex(one)
            return [(surface, core)]
        cells = float(surface.data.numbers[3:6].min())
        return [(surface, each) for each in core.spread(cells)]

    def _expect_convex(self, cam: Shape) -> None:
        if cam.hollow is not None:
            found = f"a Cam with hollows of {cam.hollow:.3g} m"
            raise ModelError(label(self), "A" if cam is self.A else "B", found, CONVEX)

    def _solids(self) -> tuple[Pair, ...]:
        """The core of a solid on the surface of another one; of boxes the edges of both.

        The one with the surface is the same in both orders of the contact. A capsule touches a box
        by both ends, too, so that it does not turn on one point.
        """

        def less(entry: tuple[Shape, bool]) -> tuple[Any, ...]:
            core, frame = entry[0].touching_core, entry[0].frame
            if core is None:
                return (0,)
            assert frame is not None
            return 1 if core.is_box else 2, -core.half[0], -core.reach, frame.body.name

        both = sorted(((self.A, False), (self.B, True)), key=less)
        (one, swapped), (other, _) = both
        surface, core, first = one.solid_surface, other.touching_core, one.touching_core
        if surface is None or core is None:
            return ()
        if not core.is_box or first is None:
            ends = other.touching_balls if first is not None and first.is_box else ()
            every: tuple[Touching, ...] = (core, *ends)
            return tuple(pair_of(one, surface, other, each, swapped) for each in every)
        return tuple(
            pair_of(one, wall, other, edge, way)
            for one, other, way in ((self.A, self.B, False), (self.B, self.A, True))
            if (wall := one.solid_surface) is not None
            for edge in other.touching_bars
        )

    def _teeth(self, first: InvoluteGear, second: InvoluteGear) -> tuple[Pair, ...]:
        """Pairs of teeth of two gears."""
        mesh, swapped = mesh_of(label(self), first, second)
        one, other = (second, first) if swapped else (first, second)
        return tuple(pair_of(one, mesh.surface, other, each, swapped) for each in mesh.slots())

    @property
    def allowed_depth(self) -> float | None:
        """Overlap up to which laws of contact hold for both shapes, m; None if none has a size.

        Edges of solids find each other up to the sum of their radii.
        """
        known = [s.allowed_depth for s in (self.A, self.B)]
        for pair in self.pairs():
            if isinstance(pair.other, TouchingCore) and not pair.surface.inside:
                known.append(pair.other.radius + pair.surface.rounding)
        return min((depth for depth in known if depth is not None), default=None)

    @property
    def hollow(self) -> tuple[float, float] | None:
        """Radius of a round body and the smaller one of the hollows it does not reach into, m."""
        for pair in self.pairs():
            least, other = (self.B if pair.swapped else self.A).hollow, pair.other
            if pair.surface.data is None or not isinstance(other, (TouchingBall, TouchingCore)):
                continue
            radius = other.radius
            if isinstance(other, TouchingCore) and not other.is_box:
                radius += other.half[0]
            if least is not None:
                return (radius, least) if radius > least else None
        return None

    def push(self) -> tuple[float, float]:
        """Stiffness and exponent of the push, where balls have the weight 1."""
        law = self.law
        if isinstance(law, HuntCrossley):
            return law.stiffness, law.exponent
        assert isinstance(law, Hertz)
        curvatures = [self.A.curvature, self.B.curvature]
        total = sum(c for c in curvatures if c is not None)
        if None in curvatures or total <= 0.0:
            kinds = f"{type(self.A).__name__} and {type(self.B).__name__}"
            expected = "for Hertz's law balls, or a ball and a plane; HuntCrossley is for others"
            raise ModelError(label(self), "A and B", kinds, expected)
        return law.stiffness(total), 1.5

    def lighter_mass(self, bodies: Mapping[str, Body]) -> float:
        """Mass of the lighter body, kg; ``bodies`` are those of the model by name."""
        names = [frame.body.name for frame in self.frames.values()]
        moved: list[Any] = [bodies[name] for name in names if name in bodies]
        return min(float(body.mass) for body in moved)

    def bristle(self, bodies: Mapping[str, Body]) -> tuple[float, float] | None:
        """Stiffness (N/m) and damping (N s/m) of the bristle of pairs of weight 1, if there is one.

        ``bodies`` are those of the model by name.
        """
        friction = self.friction
        if not isinstance(friction, Friction):
            return None
        stiffness, exponent = self.push()
        load = WEIGHT * self.lighter_mass(bodies) / sum(pair.weight for pair in self.pairs())
        hold = friction.stiffness
        if hold is None:
            hold = MINDLIN * load / (load / stiffness) ** (1.0 / exponent)
        return hold, SETTLING * hold if friction.damping is None else friction.damping
