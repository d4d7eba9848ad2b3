"""Choice of the view of a body, and views of bodies that are several in the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.calls import Spoken
from supple.foundation.errors import label
from supple.results.views.ancf_views import ANCFView, FieldView
from supple.results.views.flexible_views import (
    BeamView,
    FlexibleView,
    FrameStructureView,
    NodalView,
)
from supple.results.views.segmented_views import SegmentedBeamView, SegmentedFrameView
from supple.results.views.views import BodyView, Later, PointView, frame_motion

if TYPE_CHECKING:
    from supple.foundation.frames import Body, Frame, ViewName
    from supple.results.result import Result


class PlacesView(Spoken):
    """A body without a frame of reference: its places, by ``at(...)``.

    Parameters
    ----------
    body : as it was simulated
    parts : views of the bodies of the engine that it consists of, by name
    """

    def __init__(self, body: Body, parts: Mapping[str, BodyView]) -> None:
        self.name = body.name
        self._body, self._parts = body, dict(parts)

    @classmethod
    def of(cls, result: Result, body: Body) -> PlacesView:
        """The view of a body of the model."""
        return cls(body, part_views(result, body))

    @property
    def parts(self) -> tuple[BodyView, ...]:
        """Views of its parts."""
        return tuple(self._parts.values())

    @property
    def deforming(self) -> tuple[FlexibleView, ...]:
        """Views of its parts that deform."""
        return tuple(view for part in self.parts for view in part.deforming)

    @property
    def local(self) -> PlacesView:
        """The view with the motion of each place along the axes of its part."""
        return PlacesView(self._body, {name: part.local for name, part in self._parts.items()})

    def at(self, *place: Any, **where: Any) -> PointView:
        """Motion of a place, as the body's own ``at`` takes it."""
        frame = self._body.at(*place, **where)
        on_it = self._body.on_part(frame)
        x, y, z = (float(c) for c in on_it.position)
        view = self._parts[on_it.body.name].at(x, y, z)
        view.name = frame.name
        return view

    def attitude(self, frame: Frame) -> Array:
        """(nt, 3, 3) rotation matrices from the axes of a frame of the body to the world."""
        on_it = self._body.on_part(frame)
        return self._parts[on_it.body.name].attitude(on_it)

    def __getattr__(self, name: str) -> Any:
        body = self.__dict__.get("_body")
        if body is None or name.startswith("__"):
            raise AttributeError(name)
        raise AttributeError(
            f"{label(body)} has no {name!r}, because it has no frame of reference, expected that "
            "of one of its places, .at(...)"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self.name}', {len(self._parts)} parts>"


class PartsView(BodyView):
    """A body of several parts: motion of its own frame, and of its places by ``at(...)``."""

    def __init__(self, places: PlacesView, R: Array, p: Array, V: Array, A: Later) -> None:
        super().__init__(places.name, R, p, V, A)
        self._places = places

    @classmethod
    def of(cls, result: Result, body: Body) -> PartsView:
        """The view of a body of the model."""
        return cls(PlacesView.of(result, body), *frame_motion(result, body.name))

    @property
    def parts(self) -> tuple[BodyView, ...]:
        """Views of its parts."""
        return self._places.parts

    @property
    def deforming(self) -> tuple[FlexibleView, ...]:
        """Views of its parts that deform."""
        return self._places.deforming

    @property
    def local(self) -> PartsView:
        """The view along the axes of the own frame, of places along those of their parts."""
        view = PartsView(self._places.local, *self._local_motion())
        view._own = np.broadcast_to(np.eye(3), self._own.shape)
        return view

    def at(self, *place: Any, **where: Any) -> PointView:
        """Motion of a place, as the body's own ``at`` takes it."""
        return self._places.at(*place, **where)

    def attitude(self, frame: Frame) -> Array:
        """(nt, 3, 3) rotation matrices from the axes of a frame of the body to the world."""
        return self._places.attitude(frame)


VIEWS: Mapping[ViewName, type[BodyView] | type[PlacesView] | type[ANCFView]] = {
    "frame": BodyView,
    "stations": BeamView,
    "segments": SegmentedBeamView,
    "members": FrameStructureView,
    "segmented_members": SegmentedFrameView,
    "nodes": NodalView,
    "parts": PartsView,
    "places": PlacesView,
    "vectors": ANCFView,
    "field": FieldView,
}


def body_view(result: Result, body: Body) -> BodyView | PlacesView | ANCFView:
    """The view of a body as it was simulated."""
    return VIEWS[body.view].of(result, body)


def part_views(result: Result, body: Body) -> dict[str, BodyView]:
    """Views of the bodies of the engine that a body of the model consists of, by name."""
    found = {}
    for part in result.data.compiled.bodies[body.name].parts:
        view = body_view(result, part)
        assert isinstance(view, BodyView)
        found[part.name] = view
    return found
