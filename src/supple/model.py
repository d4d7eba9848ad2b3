"""Model: the list of bodies, joints, constraints, forces and point masses of one system."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from numpy.typing import ArrayLike

from supple.bodies.base.rigid import Ground, PointMass
from supple.constraints import (
    Constraint,
    Driver,
    FrameDriver,
    SlidingJoint,
    SpeedDriver,
    check_drivers,
)
from supple.events import Event, contacts_among
from supple.forces import ForceElement, Motor
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import (
    ModelError,
    SuppleError,
    describe,
    label,
    suggestion,
    warn_caller,
)
from supple.foundation.frames import Body, Frame, System
from supple.foundation.reports import Report
from supple.graph.linear_graph import LinearGraph
from supple.graph.reading import check_places, linear_graph
from supple.graph.topology import Graph
from supple.graph.tree_choice import Tree, checked_tree, priority
from supple.joints import Joint
from supple.modelling.plausibility import suspicions
from supple.modelling.replacement import changed, moved, renamed, uses
from supple.modelling.segmentation import discretised_bodies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.analyses.doctor.diagnosis import Diagnosis
    from supple.forces.ropes import Drum, Pulley
    from supple.visualization.server import Shown

Item = Body | Joint | Constraint | ForceElement | PointMass
AnyItem = TypeVar("AnyItem", bound=Item)

MOST_ROWS = 40  # of the table of a model
# These words already mean something else in results.
RESERVED_NAMES = ("ground", "energy", "momentum", "com")
# What is listed by name; an item may be of several kinds.
KINDS: dict[str, Any] = {
    "bodies": Body,
    "joints": Joint,
    "constraints": Constraint,
    "drivers": (Driver, FrameDriver),
    "forces": ForceElement,
    "point_masses": PointMass,
}


class Model(System):
    """A system of bodies, the only mutable type of the vocabulary.

    Parameters
    ----------
    gravity : (3,) m/s2
        Acceleration of gravity in world axes, for example ``(0, 0, -9.81)``.
    name : str
        Used in messages and results.

    All names are unique. Items refer to others by name: one that is replaced stays connected.
    """

    def __init__(self, gravity: ArrayLike = (0.0, 0.0, 0.0), name: str = "model") -> None:
        self._name = validate.name("Model", name)
        self.built: dict[str, Any] = {}  # what runs made of it; of copies, too, until one changes
        self.gravity = gravity
        self._ground = Ground()
        self._items: dict[str, Item] = {}
        self._by_kind: dict[str, dict[str, Any]] = {kind: {} for kind in KINDS}
        self._warned: dict[str, Any] = {}
        self._discretised: Mapping[str, Body] | None = None
        self._graph: Graph | None = None  # of the default spanning tree, while nothing changes
        # whether the items are right, while nothing changes; whether others may refer to a new one
        self._checked = self._replaced = False

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._name

    @property
    def gravity(self) -> Vector:
        """Acceleration of gravity (3,), world axes, m/s2."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        expected = "3 finite numbers, e.g. (0, 0, -9.81)"
        self._gravity = validate.vector(label(self), "gravity", value, expected=expected)
        self.built = {}

    @property
    def ground(self) -> Ground:
        """The fixed world; ``model.ground.at(0, 0, 0)`` is its origin."""
        return self._ground

    @property
    def bodies(self) -> Mapping[str, Body]:
        """Bodies by name in the order of adding, without the ground; a read-only view."""
        if self._discretised is None:
            self._discretised = discretised_bodies(self._by_kind["bodies"], self._items.values())
        return MappingProxyType(self._discretised)

    @property
    def joints(self) -> Mapping[str, Joint]:
        """Joints by name in the order of adding; a read-only view."""
        return MappingProxyType(self._by_kind["joints"])

    @property
    def constraints(self) -> Mapping[str, Constraint]:
        """Constraints and drivers by name in the order of adding; a read-only view."""
        return MappingProxyType(self._by_kind["constraints"])

    @property
    def drivers(self) -> Mapping[str, Driver | FrameDriver]:
        """Constraints that are drivers; a read-only view."""
        return MappingProxyType(self._by_kind["drivers"])

    @property
    def forces(self) -> Mapping[str, ForceElement]:
        """Force elements by name in the order of adding; a read-only view."""
        return MappingProxyType(self._by_kind["forces"])

    @property
    def point_masses(self) -> Mapping[str, PointMass]:
        """Point masses by name in the order of adding; a read-only view."""
        return MappingProxyType(self._by_kind["point_masses"])

    def add(self, item: AnyItem) -> AnyItem:
        """Add a body, joint, constraint, force element or point mass, and return it."""
        if isinstance(item, Event):
            raise ModelError.plain(
                f"{label(item)} is not a part of a model, expected in simulate(events=[...])"
            )
        if isinstance(item, Ground):
            raise ModelError.plain(f"{label(self)}: the ground is already there as model.ground")
        if not isinstance(item, Item) or not hasattr(item, "name"):  # or one of a base class
            raise ModelError(
                label(self),
                "item to add",
                item,
                "a body, joint, constraint, force element or point mass",
            )
        self._check_name(item)
        self._check_references(item)
        self._put(item)
        return item

    def _check_name(self, item: Item) -> None:
        """Refuse a reserved name, and one that is taken."""
        if item.name in RESERVED_NAMES:
            shown = ", ".join(repr(n) for n in RESERVED_NAMES)
            raise ModelError(
                type(item).__name__, "name", item.name, f"another name than the reserved {shown}"
            )
        if item.name in self._items:
            other = self._items[item.name]
            raise ModelError(
                type(item).__name__,
                "name",
                item.name,
                f"a name that is not yet taken in {label(self)} (there is {label(other)})",
            )

    def replace(self, name: str, /, *value: Any, **changes: Any) -> Item:
        """Change fields of an item, for example ``m.replace("link2", mass=6)``; return the new one.

        A path with dots reaches what is in a field: ``m.replace("beam.material.E", 70e9)``,
        ``m.replace("frame.members.0.section.wall", 2e-3)``.

        The name and the place in the model stay; whatever refers to the item stays connected. Of a
        joint, ``at`` is a new place in the world. With another ``position`` or ``rotation`` of a
        body, frames and joints at places in the world stay there. With another ``length`` of a beam
        or cable, what is at its end stays at its end, and other stations stay where they are.
        """
        if isinstance(name, str) and "." in name and len(value) == 1:
            name, _, path = name.partition(".")
            changes[path] = value[0]
        elif value:
            raise ModelError(
                label(self), "path to replace", name, "an item and a field, e.g. 'beam.material.E'"
            )
        item = self[name]
        if isinstance(item, Ground):
            raise ModelError.plain(f"{label(self)}: the ground has nothing to replace")
        new: Item = changed(item, changes, {self._ground.name: self._ground, **self.bodies})
        self._check_references(new)
        graph, also = self._graph, moved(self._items.values(), item, new)
        for one in (new, *also):
            self._put(one)
        self._replaced = True
        if not isinstance(new, Joint) or _ends(new) == _ends(item):
            self._graph = graph
        return new

    def remove(self, name: str, cascade: bool = False) -> tuple[Item, ...]:
        """Remove an item, and return it in a tuple.

        An item that others refer to is refused, unless ``cascade`` removes these, too.
        """
        item = self[name]
        if isinstance(item, Ground):
            raise ModelError.plain(f"{label(self)}: the ground cannot be removed")
        gone = {name: item}
        while more := {
            n: i for n, i in self._items.items() if n not in gone and any(uses(i, g) for g in gone)
        }:
            if not cascade:
                shown = ", ".join(label(i) for i in more.values())
                raise ModelError.plain(
                    f"{label(self)}: {label(item)} is used by {shown}, expected that they are "
                    "removed before, or cascade=True"
                )
            gone |= more
        for each in gone:
            for listed in self._by_kind.values():
                listed.pop(each, None)
            self._warned.pop(each, None)
            del self._items[each]
        self._graph, self._discretised, self._checked, self.built = None, None, False, {}
        return tuple(gone.values())

    def rename(self, name: str, new: str) -> Item:
        """Give an item another name; whatever refers to it stays connected. Return the new one."""
        item = self[name]
        if isinstance(item, Ground):
            raise ModelError.plain(f"{label(self)}: the ground cannot have another name")
        other: Item = dataclasses.replace(cast("Any", item), name=new)
        self._check_name(other)
        users = {n: renamed(i, item, other) for n, i in self._items.items() if uses(i, name)}
        items = [other if n == name else users.get(n, i) for n, i in self._items.items()]
        self._items, self._by_kind = {}, {kind: {} for kind in KINDS}
        for each in items:
            self._put(each)
        return other

    def copy(self) -> Model:
        """Return a model with the same items, which can be changed without changing this one."""
        new = Model.__new__(Model)
        new.__dict__.update(self.__dict__)
        new._items = dict(self._items)
        new._by_kind = {kind: dict(items) for kind, items in self._by_kind.items()}
        plain = self._discretised is self._by_kind["bodies"]  # no body is divided
        new._warned, new._discretised = dict(self._warned), None
        if plain:
            new._discretised = new._by_kind["bodies"]
        return new

    def _put(self, item: Item) -> None:
        """List an item by its kinds; what was known about the whole model is known no longer."""
        self._items[item.name] = item
        for kind, types in KINDS.items():
            if isinstance(item, types):
                self._by_kind[kind][item.name] = item
        self._graph, self._discretised, self._checked, self.built = None, None, False, {}

    def __getitem__(self, name: str) -> Item:
        """Return the item with this name; "ground" is the ground."""
        if isinstance(name, str) and name == self._ground.name:
            return self._ground
        if not isinstance(name, str) or name not in self._items:
            near = suggestion(name, list(self._items))
            raise ModelError.plain(f"{label(self)}: there is no item {describe(name)}, {near}")
        return self._items[name]

    def __contains__(self, name: object) -> bool:
        """True if an item has this name; the ground is always there."""
        return name == self._ground.name or name in self._items

    def __iter__(self) -> Iterator[str]:
        """Names of all items in the order of adding, without the ground."""
        return iter(self._items)

    def __repr__(self) -> str:
        """Show the size of the model."""
        return f"<{label(self)}: {self.counts}>"

    @property
    def counts(self) -> str:
        """Numbers of its items, in words."""
        counts = (
            (len(self.bodies), "bodies"),
            (len(self.joints), "joints"),
            *((n, "constraints") for n in (len(self.constraints),) if n),
            (len(self.forces), "forces"),
            (len(self.point_masses), "point masses"),
        )
        return ", ".join(f"{n} {what}" for n, what in counts)

    def graph(self, tree: Tree | None = None) -> LinearGraph:
        """Return the linear graph of all frames and components, with its matrices.

        ``tree`` chooses the spanning tree, as for `spanning_tree`.
        """
        return linear_graph(self, self.spanning_tree(tree))

    def spanning_tree(self, tree: Tree | None = None) -> Graph:
        """Return the graph of bodies and joints with the spanning tree that the engine works on.

        ``tree`` lists the joints of the tree by name; ``"free:<body>"`` hangs a body on the ground
        by six coordinates of its own. Without it, the joints with the fewest velocities are taken;
        with "priority", joints that turn before joints that slide. Among equals the first that
        was added is taken.
        """
        if tree is None and self._graph is not None:
            return self._graph
        root, joints, bodies = self._ground.name, self.joints, list(self.bodies)
        edges = [(name, j.A.body.name, j.B.body.name) for name, j in joints.items()]
        if tree is None:
            cost = {name: joint.nu for name, joint in joints.items()}
            self._graph = Graph.build(bodies, edges, root, cost=cost)
            return self._graph
        if isinstance(tree, str) and tree == "priority":
            cost = {name: priority(joint) for name, joint in joints.items()}
            return Graph.build(bodies, edges, root, cost=cost)
        chosen = checked_tree(label(self), tree, bodies, joints, root)
        return Graph.build(bodies, edges, root, tree=chosen)

    def check(self, events: Iterable[Event] = ()) -> None:
        """Raise ``ModelError`` if something is wrong; warn once for each suspicious item.

        ``events`` are checked against the model too.
        """
        bodies = self.bodies
        events = validate.listed(label(self), "events", events, "a sequence of Event")
        for event in events:
            if not isinstance(event, Event):
                raise ModelError(label(self), "events", event, "objects of type Event")
        if not bodies:
            raise ModelError.plain(f"{label(self)}: there are no bodies, expected at least one")
        for item in (*(self._items.values() if self._replaced else ()), *events):
            self._check_references(item)
        self._replaced = False
        if self._checked:
            return
        speeds = (c for c in self.constraints.values() if isinstance(c, SpeedDriver))
        check_drivers((*self.drivers.values(), *speeds), self.joints)
        graph = self.spanning_tree()
        if graph.unreached:
            name = graph.unreached[0]
            word = name if name.isidentifier() else "body"
            raise ModelError.plain(
                f"{label(bodies[name])} has no path of joints to the ground, expected one, e.g. "
                f"Free('{name}_free', model.ground.at(0, 0, 0), {word}.at(0, 0, 0))"
            )
        frames = [frame for item in self._items.values() for frame in _frames(item).values()]
        check_places(graph, bodies, self.joints, frames)
        for name, item, sentence, sure in suspicions(self, hints=False):
            if sure and self._warned.get(name) is not item:
                self._warned[name] = item
                warn_caller(sentence)
        self._checked = True

    def _check_references(self, item: Item | Event) -> None:
        """Refuse frames on bodies, and names of joints, that are not in this model."""
        for field, frame in _frames(item).items():
            name = frame.body.name
            if name != self._ground.name and not isinstance(self._items.get(name), Body):
                raise ModelError(
                    label(item),
                    field,
                    frame,
                    f"a frame on a body of {label(self)}, to which {label(frame.body)} "
                    "was not added",
                )
        if isinstance(item, ForceElement):
            for name, coordinate in item.targets:
                self._check_target(label(item), name, coordinate, not isinstance(item, Motor))
        elif isinstance(item, Constraint):
            for name, coordinate in item.targets:
                self._check_target(label(item), name, coordinate, False)
            item.check_joints(self.joints)
        elif isinstance(item, Event) and item.joint is not None:
            self._check_target(label(item), item.joint, item.coordinate, False)
        elif isinstance(item, Event) and item.contact is not None:
            known = contacts_among(self.forces)
            if item.contact not in known:
                near = suggestion(item.contact, known)
                expected = f"the name of a Contact of {label(self)}, {near}"
                raise ModelError(label(item), "of", item.contact, expected)

    def _check_target(self, owner: str, name: str, coordinate: int | str, shafts: bool) -> None:
        """Refuse a name that is no joint (or, with ``shafts``, no motor) of this model."""
        found = self._items.get(name)
        if isinstance(found, Joint):
            found.coordinate_index(coordinate, owner)
            return
        if shafts and isinstance(found, (Motor, SlidingJoint)):
            return
        names = list(self.joints)
        if shafts:
            others = self._items.items()
            names += [n for n, item in others if isinstance(item, (Motor, SlidingJoint))]
        kinds = "a joint or motor" if shafts else "a joint"
        raise ModelError(
            owner, "joint", name, f"the name of {kinds} of {label(self)}, {suggestion(name, names)}"
        )

    # Below: examinations and pictures; what they need is loaded when they are called.

    def _repr_html_(self) -> str:
        """All items in a table, and a picture where runs begin, for notebooks."""
        items = list(self._items.values())
        rows = [(item.name, type(item).__name__, _places(item)) for item in items[:MOST_ROWS]]
        if len(items) > MOST_ROWS:
            rows.append((f"... {len(items)} in all", "", ""))
        seen = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                seen = self.picture()
            except SuppleError as error:  # it is not finished
                rows.append(("not drawn", "", str(error)))
        header = ("name", "kind", "at") if rows else ()
        return Report(f"{label(self)}: {self.counts}", rows, "plain", header).html(seen)

    def rope_length(self, path: Sequence[Frame | Pulley | Drum]) -> float:
        """Length (m) of the path of a `Rope` where the model begins, its arcs on pulleys included.

        ``path`` is that of the rope; its bodies and joints are in the model.
        """
        from supple.analyses.base.snapshot_result import rope_length

        return rope_length(self, path)

    def doctor(self, until: float = 1.0) -> Diagnosis:
        """Examine the model: freedom, loops, redundant constraints, start, drivers; print it.

        Drivers are followed until the time ``until`` (s). Raises nothing.
        """
        from supple.analyses.doctor.doctor import diagnose

        validate.positive("doctor", "until", until)
        return diagnose(self, until)

    def to_html(self, path: str | Path) -> Path:
        """Write one page that shows the model where runs begin, in a browser; return its path.

        Loops that cannot be closed are shown open.
        """
        from supple.analyses.base.snapshot_result import page_of
        from supple.foundation.atomic_files import write_whole

        return write_whole(path, page_of(self).encode("utf-8"))

    def view(self, browser: bool = True) -> Shown:
        """Show the model where runs begin, in a browser until Ctrl-C; in a notebook, in its cell.

        The page is served to this computer only, at a free port, and opened unless ``browser`` is
        False.
        """
        from supple.analyses.base.snapshot_result import page_of
        from supple.visualization.server import show

        return show(page_of(self), browser)

    def picture(self, path: str | Path | None = None) -> Figure:
        """Draw the model where runs begin by matplotlib, and write the figure if there is a path.

        Loops that cannot be closed are shown open.
        """
        from supple.analyses.base.snapshot_result import at_start
        from supple.results.pictures import draw_picture

        return draw_picture(at_start(self)[0], None, path, 1.0)


def _frames(item: Item | Event) -> Mapping[str, Frame]:
    """The frames that an item uses, by field."""
    return {} if isinstance(item, Body) else item.frames


def _ends(joint: Any) -> tuple[str, str, int]:
    """Bodies that a joint connects, and its velocities, for the graph."""
    return joint.A.body.name, joint.B.body.name, joint.nu


def _places(item: Any) -> str:
    """The frames or joints that an item is at."""
    frames = getattr(item, "frames", {})
    joints = () if frames else getattr(item, "targets", ())
    return ", ".join([frame.name for frame in frames.values()] + [name for name, _ in joints])
