"""SIDBody: a flexible body from a file of standard input data, and such files of other bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.base.flexible import (
    PLACE_TOLERANCE,
    FlexibleBody,
    PointMasses,
    given_point,
    mode_choice,
    rows_at,
)
from supple.fem.drawn.surface import Surface, nodal, wires
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label, suggestion, warn_caller
from supple.foundation.frames import Frame, expect_frame
from supple.foundation.validate import read_only, set_fields
from supple.reduction.modal import Attachment, ModalBody, ModeChoice
from supple.reduction.shape_sets import ShapeSet
from supple.reduction.sid import (
    SecondDisplacements,
    StandardData,
    frequencies,
    read_sid_file,
    write_sid_file,
)

MODES = "'all', a number of coordinates, or different numbers of coordinates from 1"


@dataclass(frozen=True, eq=False, init=False)
class SIDBody(FlexibleBody):
    """A flexible body of standard input data (SID), as FEMBS and `write_sid` write them.

    Parameters
    ----------
    name : str
        Unique in its model.
    file : str or path
    modes : "all", int or sequence of int
        Elastic coordinates of the file that are kept: all, the first, or by number from 1.
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Place and axes of its own frame in the world as the model is written; for `at_world`.

    Its places are the nodes of the file; its frame is the one that the data were made for.
    """

    file: str
    modes: ModeChoice

    def __init__(
        self,
        name: str,
        file: str | Path,
        modes: int | Literal["all"] | Sequence[int] = "all",
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        set_fields(self, name=validate.name("SIDBody", name))
        self._placed(position, rotation)
        owner = label(self)
        if not isinstance(file, (str, Path)):
            raise ModelError(owner, "file", file, "the path of a file of standard input data")
        data = read_sid_file(file)
        _refuse_twins(owner, data)
        if isinstance(modes, ShapeSet) or (isinstance(modes, str) and modes != "all"):
            raise ModelError(owner, "modes", modes, MODES)
        choice = mode_choice(owner, modes, data.body.n, MODES)
        assert not isinstance(choice, ShapeSet)
        set_fields(self, file=str(file), modes=choice, _data=data, _bodies={})
        if data.second is not None:
            warn_caller(
                f"{owner}: the geometric stiffening of {Path(file).name!r} is not used, expected "
                "data of first order"
            )

    @property
    def data(self) -> StandardData:
        """Everything in the file."""
        found: StandardData = self.__dict__["_data"]
        return found

    @property
    def nodes(self) -> tuple[str, ...]:
        """Names of the nodes."""
        return tuple(self.data.frames)

    @property
    def mass(self) -> float:
        """Mass, kg, without point masses."""
        return self.data.body.mass

    @property
    def typical_length(self) -> float:
        """Diagonal of the box around all nodes, or the radius of gyration if that is larger, m."""
        places = np.array([where.p0 for where in self.data.frames.values()])
        body = self.data.body
        moments = np.trace(body.E0) / body.mass - np.sum((body.s0 / body.mass) ** 2)
        gyration = float(np.sqrt(max(moments, 0.0)))
        return max(float(np.linalg.norm(np.ptp(places, axis=0))), gyration)

    @property
    def carries_own_frame(self) -> bool:
        """True if the body's own frame is fixed to its material at the origin."""
        own = [w for w in self.data.frames.values() if not w.p0.any()]
        return any(not w.Phi.any() and not w.Psi.any() for w in own)

    def at(
        self,
        x: Any = None,
        y: float = 0.0,
        z: float = 0.0,
        rotation: ArrayLike | None = None,
        node: str | int | None = None,
    ) -> Frame:
        """Return the frame at a node: ``at("tip")``, ``at(node=2519)``, or by its place.

        Its axes are those of the node in the file, or ``rotation`` relative to the body's.
        """
        owner = label(self)
        if isinstance(x, str) and node is None:
            node = x
        if node is None:
            expected = "the name of a node, node=..., or the place of a node"
            node = self.nodes[self._nearest(given_point(owner, x, y, z, expected))]
        where = self.data.frames.get(str(node))
        if where is None:
            known = suggestion(node, list(self.nodes))
            raise ModelError(owner, "node of at", node, f"a node; {known}")
        return Frame(self, where.p0, where.R0 if rotation is None else rotation)

    def station(self, frame: Frame) -> float:
        """Return the number of the node of a frame, from 0; refuse a frame beside the nodes."""
        return float(self._nearest(frame.position))

    def modal(self, point_masses: PointMasses = ()) -> ModalBody:
        """Body of elastic coordinates, with point masses ((number of a node, mass kg), ...).

        The shapes stay those of the file. The result is kept.
        """
        masses = tuple(sorted((int(node), float(m)) for node, m in point_masses))
        cache: dict[Any, ModalBody] = self.__dict__["_bodies"]
        if masses not in cache:
            cache[masses] = self._made(masses)
        return cache[masses]

    def attachment(self, frame: Frame, point_masses: PointMasses = ()) -> Attachment:
        """Motion of a frame at a node with the coordinates."""
        where, kept = self._node(int(self.station(frame))), self._kept
        Phi, Psi = read_only(where.Phi[:, kept]), read_only(where.Psi[:, kept])
        return Attachment(p0=where.p0, R0=frame.rotation, Phi=Phi, Psi=Psi)

    def rigid_fields(self) -> dict[str, Any]:
        """Fields of this body when it is rigid."""
        return {"modes": 0}

    def moving_rows(self, point_masses: PointMasses = ()) -> tuple[Vector, Vector]:
        """Rows (p, 3, n) of displacement and of rotation of its nodes."""
        return rows_at(self, [self.at(name) for name in self.nodes], point_masses)

    def surface(self, point_masses: PointMasses = ()) -> Surface:
        """Draw its nodes, joined by lines."""
        places = np.array([where.p0 for where in self.data.frames.values()])
        rows, every = self.moving_rows(point_masses)[0], np.arange(len(places))
        none = np.zeros((0, 3), dtype=np.intp)
        return nodal(places, every, none, wires(places), rows, rows[:, :, :0])

    @property
    def _kept(self) -> list[int]:
        """Places of the coordinates that are kept."""
        if self.modes == "all":
            return list(range(self.data.body.n))
        if isinstance(self.modes, int):
            return list(range(self.modes))
        return [int(k) - 1 for k in self.modes]

    def _node(self, number: int) -> Attachment:
        return list(self.data.frames.values())[number]

    def nearest(self, point: Vector) -> Vector:
        """Return the place (3,) m of the node that is nearest to a point."""
        places = np.array([where.p0 for where in self.data.frames.values()])
        return read_only(places[int(np.argmin(np.linalg.norm(places - point, axis=1)))])

    def _nearest(self, place: np.ndarray[Any, Any]) -> int:
        places = np.array([where.p0 for where in self.data.frames.values()])
        distance = np.linalg.norm(places - place, axis=1)
        k = int(np.argmin(distance))
        if distance[k] > PLACE_TOLERANCE * self.typical_length:
            expected = f"the place of a node, the nearest is {self.nodes[k]!r}"
            raise ModelError(label(self), "place of a frame", place, expected)
        return k

    def _made(self, masses: tuple[tuple[int, float], ...]) -> ModalBody:
        body, kept = self.data.body, self._kept
        S1, D0, M = body.S1[:, kept], body.D0[:, :, kept], body.M[np.ix_(kept, kept)]
        D1 = body.D1[:, :, kept][:, :, :, kept]
        mass, s0, E0 = body.mass, body.s0, body.E0
        K = body.K[np.ix_(kept, kept)]
        for node, m in masses:
            p0, Phi = self._node(node).p0, self._node(node).Phi[:, kept]
            mass, s0, E0 = mass + m, s0 + m * p0, E0 + m * np.outer(p0, p0)
            S1, M = S1 + m * Phi, M + m * Phi.T @ Phi
            D0 = D0 + m * np.einsum("i,ja->ija", p0, Phi)
            D1 = D1 + m * np.einsum("ib,ja->ijba", Phi, Phi)
        return ModalBody(
            mass=mass,
            s0=read_only(s0),
            S1=read_only(S1),
            E0=read_only(E0),
            D0=read_only(D0),
            D1=read_only(D1),
            M=read_only(M),
            K=read_only(K),
            C=read_only(body.C[np.ix_(kept, kept)]),
            frequencies=read_only(frequencies(label(self), M, K)),
            coordinate_names=tuple(body.coordinate_names[k] for k in kept),
            coordinate_units=tuple(body.coordinate_units[k] for k in kept),
        )


def write_sid(
    path: str | Path, body: FlexibleBody, frames: Mapping[str, Frame] | Sequence[Frame]
) -> None:
    """Write a flexible body as standard input data (SID).

    Parameters
    ----------
    path : str or path
    body : FlexibleBody
        Without the point masses of a model.
    frames : frames on the body by name, or a sequence of them, numbered from 1
        The nodes of the file.
    """
    owner = "write_sid"
    if not isinstance(body, FlexibleBody):
        raise ModelError(owner, "body", body, "a flexible body, e.g. a Beam")
    named: dict[Any, Frame]
    if isinstance(frames, Mapping):
        named = dict(frames)
    else:
        listed = validate.listed(owner, "frames", frames, "frames by name, or a sequence of them")
        named = dict(enumerate(listed, start=1))
    if not named:
        raise ModelError(owner, "frames", frames, "at least one frame on the body")
    for name, frame in named.items():
        text = validate.written(owner, "name of a frame", str(name))
        if not text or text != " ".join(text.split()) or "=" in text:
            raise ModelError(owner, "name of a frame", name, "a text without '='")
        if expect_frame(owner, f"frame {name!r}", frame).body.name != body.name:
            raise ModelError(owner, f"frame {name!r}", frame, f"a frame on {label(body)}")
    if body.stiffened and not body.second_order:
        warn_caller(
            f"{owner}: stiffening of {label(body)} is not written, expected None or SecondOrder()"
        )
    # Nodes of the file are the places where something will be attached.
    places = [(body.station(frame), 0.0) for frame in named.values()] if body.uses_places else []
    nodes = {str(name): body.attachment(frame, places) for name, frame in named.items()}
    modal = body.modal(places)
    second = None
    if modal.slaves is not None:
        own, n = modal.slaves, modal.n
        rows = {name: np.asarray(where.slaved) for name, where in nodes.items()}
        moved = {name: (x[:3], x[3:]) for name, x in rows.items()}
        second = SecondDisplacements.of_shapes(own.Gamma, own.S1[:, n:], own.D0[..., n:], moved)
    write_sid_file(path, StandardData(modal, nodes, second))


def _refuse_twins(owner: str, data: StandardData) -> None:
    """Refuse nodes that are in the same place and move differently: a frame is found by place."""
    seen: dict[tuple[float, ...], tuple[str, Attachment]] = {}
    for name, where in data.frames.items():
        other, twin = seen.setdefault(tuple(where.p0.tolist()), (name, where))
        if not (np.array_equal(twin.Phi, where.Phi) and np.array_equal(twin.Psi, where.Psi)):
            expected = f"another place than that of node {other!r}, or the same motion"
            raise ModelError(owner, f"place of node {name!r}", where.p0, expected)
