"""Views of a result by name, with their types: what editors complete and type checkers know."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, TypeVar, overload

from supple.foundation.errors import SuppleError
from supple.results.views.body_views import PlacesView
from supple.results.views.constraint_views import ConstraintView
from supple.results.views.flexible_views import BeamView, FlexibleView
from supple.results.views.force_views import ForceView
from supple.results.views.views import BodyView, JointView, PointView

if TYPE_CHECKING:
    from supple.bodies import Beam, FlexibleBody, RigidBody
    from supple.bodies.base.rigid import PointMass
    from supple.constraints import Constraint
    from supple.forces import ForceElement
    from supple.foundation.frames import Body, Frame
    from supple.joints import Joint

View = TypeVar("View")


class Lookup(ABC):
    """``result[...]``, and the same with a known type: ``result.joint("elbow")``."""

    @overload
    def __getitem__(self, item: Joint) -> JointView: ...
    @overload
    def __getitem__(self, item: Frame | PointMass) -> PointView: ...
    @overload
    def __getitem__(self, item: Beam) -> BeamView: ...
    @overload
    def __getitem__(self, item: FlexibleBody) -> FlexibleView: ...
    @overload
    def __getitem__(self, item: RigidBody) -> BodyView: ...
    @overload
    def __getitem__(self, item: ForceElement) -> ForceView: ...
    @overload
    def __getitem__(self, item: Constraint) -> ConstraintView: ...
    @overload
    def __getitem__(self, item: Any) -> Any: ...
    def __getitem__(self, item: Any) -> Any:
        """View of a joint, body, point mass, force, constraint or frame, see ``views.py``."""
        return self._view(item)

    @abstractmethod
    def _view(self, item: Any) -> Any:
        """The view of something in a result."""

    def joint(self, joint: str | Joint) -> JointView:
        """Motion and load of a joint."""
        return self._typed(joint, JointView, "a joint")

    def body(self, body: str | Body) -> BodyView:
        """Motion of a body; `beam` and `flexible` know more of those that deform."""
        return self._typed(body, BodyView, "a body")

    def flexible(self, body: str | FlexibleBody) -> FlexibleView:
        """Motion and deformation of a flexible body."""
        return self._typed(body, FlexibleView, "a flexible body")

    def beam(self, beam: str | Beam) -> BeamView:
        """Motion and deformation of a beam."""
        return self._typed(beam, BeamView, "a beam")

    def point(self, point: str | PointMass | Frame) -> PointView:
        """Motion of a point mass or a frame."""
        return self._typed(point, PointView, "a point mass or frame")

    def force(self, force: str | ForceElement) -> ForceView:
        """Load and work of a force element."""
        return self._typed(force, ForceView, "a force element")

    def constraint(self, constraint: str | Constraint) -> ConstraintView:
        """Load and work of a constraint or driver."""
        return self._typed(constraint, ConstraintView, "a constraint")

    def _typed(self, item: Any, kind: type[View], expected: str) -> View:
        view = self._view(item)
        is_body = isinstance(view, (BodyView, PlacesView))
        if not isinstance(view, kind) or (kind is PointView and is_body):
            name = getattr(item, "name", item)
            raise SuppleError(f"{name!r} is a {type(view).__name__}, expected {expected}")
        return view
