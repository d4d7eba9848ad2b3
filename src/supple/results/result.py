"""The result of a run: histories by name, the audit, files and plots."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np

from supple.constraints import Rolling, SlidingJoint
from supple.core.base.layout import integers
from supple.core.forces.control import STATE, STATES
from supple.forces import Contact, Controller, JointForce, Motor
from supple.forces.kinds import force_kind
from supple.foundation.arrays import Array, Indices
from supple.foundation.atomic_files import write_whole
from supple.foundation.cached import cached_property
from supple.foundation.errors import SuppleError, describe, suggestion
from supple.foundation.frames import Frame
from supple.results.data.audit import EnergyAudit, MomentumAudit
from supple.results.data.findings import Monitor
from supple.results.data.run_data import RunData
from supple.results.files.dataset import (
    Track,
    build,
    series,
    table,
    track,
    values_of,
    variables,
    write,
)
from supple.results.monitor.monitor import LONG, headline, monitor, monitor_in_blocks
from supple.results.motion.motion_audit import MotionAudit, motion_audit
from supple.results.motion.output_findings import warn_of_hidden_motion
from supple.results.plot import Compared, plot
from supple.results.spectrum import Spectrogram, Spectrum, spectrogram, spectrum
from supple.results.summary import WIDTH, summary
from supple.results.views.ancf_views import ANCFView
from supple.results.views.body_views import PlacesView, body_view
from supple.results.views.constraint_views import ConstraintView, RollingView, SlidingView
from supple.results.views.flexible_views import BeamView, FlexibleView
from supple.results.views.force_views import (
    ContactsView,
    ContactView,
    ControllerView,
    EffortFunctionView,
    ForceView,
    JointForceView,
    LineForceView,
    MotorView,
    PointForceView,
    RopeView,
    SampledView,
)
from supple.results.views.mass_centre import MassCentre, mass_centre
from supple.results.views.section_balance import BeamLoads, collect_loads
from supple.results.views.tyre_views import TyreView
from supple.results.views.views import BodyView, JointLoad, JointView, PointView
from supple.state import State

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from supple.bodies import Beam, FlexibleBody, RigidBody
    from supple.bodies.base.rigid import PointMass
    from supple.constraints import Constraint
    from supple.forces import ForceElement
    from supple.foundation.frames import Body
    from supple.joints import Joint
    from supple.visualization.server import Shown

View = TypeVar("View")

MASS_CENTRE = "com"  # the name of that of the whole model


class Result:
    """Result of a simulation.

    ``result["elbow"]`` gives the histories of a joint, body, point mass or force by its name (or
    the object itself, or a frame ``link2.at(1.02)``); ``print(result)`` tells how the run went.

    Attributes
    ----------
    t : (nt,) output times, s
    success, message : whether the run reached its end, and why not
    statistics : counts of steps, evaluations and so on; how accelerations are found ("linear")
    events : events in order of time
    changes : what events did to the model, with impulses, energy lost and states on both sides
    q, u, a, z : (nt, n) coordinates, velocities, accelerations and controller states, engine order
    verdict : the worst of energy, momentum, motion and validity, one line
    energy, momentum : the audit; each has a ``.verdict``
    motion : whether outputs show the motion and errors do not grow, friction creeps, or an unstable
        equilibrium is followed; ``.verdict``
    monitor : whether flexible bodies stayed within the assumptions of their models; ``.verdict``
    start_changes : where joints do not start as they were asked, because of constraints
    """

    has_model: Literal[True] = True  # of one read from a file it is False

    def __init__(self, data: RunData) -> None:
        self.data = data
        self.model = data.model
        # The model may change after the run; these are its items as they were simulated.
        self.joints = dict(data.model.joints)
        self.bodies = dict(data.model.bodies)
        self.point_masses = dict(data.model.point_masses)
        self.forces = dict(data.model.forces)
        self.constraints = dict(data.model.constraints)
        self.t = data.t
        self.q, self.u, self.z = data.q, data.u, data.z
        self.success = data.success
        self.message = data.message
        self.events = data.events
        self.start_changes = data.start_changes
        self.changes = data.changes
        self.statistics = dict(data.statistics)
        self.momentum = MomentumAudit(data.momentum)

    def _at(self, which: Indices) -> Result:
        """The result at some of its output times, of whatever kind it is."""
        return Result(self.data.at(which))

    @property
    def a(self) -> Array:
        """Accelerations (nt, nu), engine order."""
        return self.data.history.a

    @cached_property
    def energy(self) -> EnergyAudit:
        """Energies on the output grid and the verdict of the energy audit."""
        data = self.data
        takes = np.asarray(data.compiled.force_dissipates, dtype=bool)
        creates = np.isin(data.compiled.force_names, data.compiled.energy_creating)
        return EnergyAudit(
            data.history.energy,
            work=data.channels[:, ~(takes | creates)].sum(axis=1),
            dissipated=data.channels[:, takes].sum(axis=1),
            record=data.audit,
            complete=data.success,
            strain=data.history.strain,
            created=data.channels[:, creates].sum(axis=1) if creates.any() else None,
            weight=data.compiled.weight,
            ending="run stopped by the user" if self.stopped else "run failed",
            lost=data.lost,
        )

    @property
    def stopped(self) -> bool:
        """True if the user ended the run, by Ctrl-C."""
        return self.message.startswith("stopped by the user")

    def state(self, index: int | None = None) -> State:
        """State at an output time, or where the run ended, to start another run from."""
        if index is None and self.data.final is not None:
            return replace(self.data.final, compiled=self.data.compiled_at(np.inf))
        try:
            if isinstance(index, bool):
                raise TypeError
            k = range(len(self.t))[-1 if index is None else index]
        except (IndexError, TypeError):
            expected = f"the place of one of {len(self.t)} output times"
            raise SuppleError(f"state({describe(index)}): expected {expected}") from None
        vectors = self.q[k].copy(), self.u[k].copy(), self.z[k].copy()
        return State(float(self.t[k]), *vectors, compiled=self.data.compiled_at(self.t[k]))

    def between(
        self, begin: float | None = None, end: float | None = None, every: int = 1
    ) -> Result:
        """The result at every so many of the output times from ``begin`` to ``end`` (s).

        Of a run with very many output times, whose histories do not fit into memory, this is a part
        that does. Audits, events and ``state()`` are those of the whole run.
        """
        return Result(self.data.between(begin, end, every))

    @property
    def verdict(self) -> str:
        """The worst of the verdicts on energy, momentum, motion and validity, one line."""
        steps = int(self.statistics.get("equal_steps", 0))
        return headline(self.energy, self.momentum, self.monitor, steps, self.motion)

    @cached_property
    def motion(self) -> MotionAudit:
        """Audit of the motion itself, with what speaks against it; print it."""
        return motion_audit(self)

    @cached_property
    def monitor(self) -> Monitor:
        """Findings where flexible bodies left the assumptions of their models; print it."""
        return monitor(self) if len(self.t) <= LONG else monitor_in_blocks(self)

    @property
    def names(self) -> list[str]:
        """Names that ``result[...]`` knows."""
        return [*self.joints, *self.bodies, *self.point_masses, *self.forces, *self.constraints]

    def __contains__(self, name: object) -> bool:
        return name in self.names

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
        """View of a joint, body, point mass, force, constraint or frame."""
        if isinstance(item, Frame):
            return self._point(item)
        name = item if isinstance(item, str) else str(getattr(item, "name", item))
        if name in self.joints:
            return self._joint(name)
        if name == MASS_CENTRE:
            return self.centre_of_mass()
        if name in self.bodies or name == self.model.ground.name:
            return self._body(name)
        if name in self.point_masses:
            return self._point(self.point_masses[name].frame, name)
        if name in self.constraints:
            return self._constraint(name)
        # a beam's damping and stiffening have names of their own
        if name in self.forces or name in self.data.compiled.force_names:
            return self._force(name)
        raise SuppleError(f"the result has nothing named {name!r}, {suggestion(name, self.names)}")

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
        view = self[item]
        is_body = isinstance(view, (BodyView, PlacesView))
        if not isinstance(view, kind) or (kind is PointView and is_body):
            name = getattr(item, "name", item)
            raise SuppleError(f"{name!r} is a {type(view).__name__}, expected {expected}")
        return view

    def _body(self, name: str) -> BodyView | PlacesView | ANCFView:
        if name == self.model.ground.name:
            n = len(self.t)
            R = np.broadcast_to(np.eye(3), (n, 3, 3))
            still = np.zeros((n, 6))
            return BodyView(name, R, np.zeros((n, 3)), still, lambda: still)
        return body_view(self, self.bodies[name])

    def beam_loads(self, beam: Body) -> BeamLoads:
        """All loads on a beam, or on a part that is one, found once."""
        known: dict[str, BeamLoads] = self.__dict__.setdefault("_loads_of_beams", {})
        if beam.name not in known:
            known[beam.name] = collect_loads(self, beam)
        return known[beam.name]

    def _attitude(self, frame: Frame) -> Array:
        """Rotation matrices (nt, 3, 3) from the axes of a frame to the world."""
        return self._body(frame.body.name).attitude(frame)

    def _point(self, frame: Frame, name: str | None = None) -> PointView:
        x, y, z = (float(c) for c in frame.position)
        if frame.body.name not in self.bodies and frame.body.name != self.model.ground.name:
            near = suggestion(frame.body.name, list(self.bodies))
            raise SuppleError(f"the result has no body named {frame.body.name!r}, {near}")
        view = self._body(frame.body.name).at(x, y, z)
        view.name = name or view.name
        view._axes = frame.rotation
        return view

    def centre_of_mass(self, *bodies: str | Body) -> MassCentre:
        """Centre of mass of bodies with the point masses on them, or of the whole model."""
        return mass_centre(self, (b if isinstance(b, str) else b.name for b in bodies))

    def _joint(self, name: str) -> JointView:
        compiled, h, joint = self.data.compiled, self.data.history, self.joints[name]
        k = list(compiled.joint_names).index(name)
        coordinates, rates = compiled.to_user(name, self.q, self.u)
        accelerations = compiled.to_user(name, self.q, self.a)[1]  # they convert as rates do
        gone = self.data.without(name)
        for values in (coordinates, rates, accelerations) if np.any(gone) else ():
            values[gone] = np.nan  # it has let go
        held = h.holding(name, self._attitude(joint.B))
        return JointView(
            joint,
            coordinates,
            rates,
            accelerations,
            wrench=h.wrench[:, k] + held,
            reaction=h.reaction[:, k] + held,
            effort=compiled.effort_to_user(name, h.effort),
            axes=self._attitude(joint.B),
            smallest=lambda: self._loads.get(name),
        )

    @cached_property
    def _loads(self) -> dict[str, JointLoad]:
        """Smallest loads of joints whose reactions are not unique."""
        if self.data.reactions is None:
            return {}
        return self.data.reactions({n: self._attitude(j.B) for n, j in self.joints.items()})

    @cached_property
    def _row_loads(self) -> dict[str, dict[str, Array]]:
        """Smallest loads of constraints, by part, where they are not unique."""
        if self.data.reactions is None:
            return {}
        axes = {n: self._attitude(j.B) for n, j in self.joints.items()}
        return self.data.reactions.constraints(axes)

    def _force(self, name: str) -> ForceView:
        compiled = self.data.compiled
        parts = compiled.channels(name)
        force = self.forces.get(name)
        takes = any(compiled.force_dissipates[k] for k in parts) or isinstance(force, Motor)
        common = name, self.data.channels[:, parts].sum(axis=1), takes, self.data.loads
        view = "energy" if force is None else force_kind(force).view
        if isinstance(force, Motor) and view == "motor":
            return self._motor(force, common)
        if isinstance(force, JointForce) and view == "coordinate":
            _, place, ratio = compiled.shaft(*self._coordinate(force))
            units = self._effort_units(force.joint, force.coordinate)
            return JointForceView(*common, place=place, units=units, ratio=ratio)
        if force is not None and view == "efforts":
            shafts = [compiled.shaft(*self._target(*target)) for target in force.targets]
            each = tuple(self._effort_units(*target) for target in force.targets)
            return EffortFunctionView(*common, shafts=shafts, units=each)
        if isinstance(force, Controller):
            shafts = [compiled.shaft(*self._target(*target)) for target in force.joints]
            each = tuple(self._effort_units(*target) for target in force.joints)
            if view == "controller":
                row = integers(compiled.ints, "element")[compiled.force_names.index(name)]
                z = self.data.z[:, row[STATE] : row[STATE] + row[STATES]]
                return ControllerView(*common, states=z, shafts=shafts, units=each)
            samples = self.data.samples.get(name)
            return SampledView(*common, samples=samples, shafts=shafts, units=each)
        if force is not None and view == "line":
            first, second = (self._point(frame) for frame in force.frames.values())
            return LineForceView(*common, ends=(first, second))
        if view == "rope":
            return RopeView(*common)
        if view in ("contact", "contacts", "tyre"):
            losses = {}
            for kind in ("push", "friction", "slip"):
                own = [k for k in parts if compiled.force_names[k].endswith(f".{kind}")]
                losses[kind] = self.data.channels[:, own].sum(axis=1)
            if view == "contacts":
                return ContactsView(*common, losses=losses)
            touches = [one for one in self.data.touches if one.contact == name]
            if view == "tyre":
                return TyreView(*common, losses=losses, touches=touches, turned=False)
            pairs = force.pairs() if isinstance(force, Contact) else ()
            noted = touches if pairs else None  # of two lines touches are not followed
            back = any(pair.swapped for pair in pairs[:1])
            return ContactView(*common, losses=losses, touches=noted, turned=back)
        return PointForceView(*common) if view == "point" else ForceView(*common)

    def _constraint(self, name: str) -> ConstraintView:
        compiled = self.data.compiled
        parts = tuple(row.part for row in compiled.every_row if row.owner == name)
        work = self.data.channels[:, compiled.channels(name)].sum(axis=1)
        item, loads = self.constraints[name], self.data.loads
        if isinstance(item, SlidingJoint):
            (q, u, _), count = compiled.shaft(name, 0), 1 + (item.follows == "tangent")
            coordinates = self.q[:, q : q + count], self.u[:, u : u + count]
            axes = None if item.follows == "point" else self[item.B].matrix
            return SlidingView(item, parts, work, loads, coordinates=coordinates, axes=axes)
        if isinstance(item, Rolling):
            return RollingView(item, parts, work, loads, lambda: self._row_loads.get(name, {}))
        return ConstraintView(item, parts, work, loads)

    def _coordinate(self, force: JointForce) -> tuple[str, int]:
        """Joint or motor, and place of the coordinate, on which an element acts."""
        return self._target(force.joint, force.coordinate)

    def _target(self, name: str, coordinate: int | str) -> tuple[str, int]:
        joint = self.joints.get(name)
        return name, 0 if joint is None else joint.coordinate_index(coordinate, name)

    def _effort_units(self, name: str, coordinate: int | str) -> str:
        motor = self.forces.get(name)
        if isinstance(motor, Motor):
            name, coordinate = motor.joint, motor.coordinate
        if name in self.constraints:  # what slides
            return "N"
        name, index = self._target(name, coordinate)
        return "N m" if self.joints[name].units[index] == "rad" else "N"

    def _motor(self, motor: Motor, common: tuple[str, Array, bool, Any]) -> MotorView:
        compiled = self.data.compiled
        record = compiled.motors[motor.name]
        _, place, _ = compiled.shaft(*self._coordinate(motor))
        drives = [f.name for f in self.forces.values() if motor.name in dict(f.targets)]
        return MotorView(
            *common,
            shaft=(
                record.ratio * self.q[:, record.q],
                record.ratio * self.u[:, record.u],
                record.ratio * self.a[:, record.u],
            ),
            place=place,
            gear=f"{motor.name}.gear" if record.own else None,
            drives=() if record.own else tuple(drives),
            inertia=motor.ratio**2 * motor.inertia * self.a[:, place],
            units=self._effort_units(motor.joint, motor.coordinate),
        )

    @cached_property
    def dataset(self) -> xr.Dataset:
        """All histories as an xarray Dataset, variables ``object.quantity`` with units."""
        return build(self)

    def track(self) -> Track:
        """All variables by name, without xarray, as a plot needs them."""
        return track(self)

    def history(self, name: str) -> Array:
        """Values (nt, ...) of a variable of the dataset, "elbow.angle" for example."""
        return values_of(Track(self.t, variables(self), {}), name)

    def __repr__(self) -> str:
        return summary(self).text(WIDTH)

    def _repr_html_(self) -> str:
        """The summary as a table and a picture of the last time, for notebooks."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seen = self.picture() if len(self.t) else None
        return summary(self).html(seen)

    def save(self, path: str | Path) -> Path:
        """Write the dataset as NetCDF-4; return the path. `supple.files.load_result` reads it.

        Whole or not at all: if that fails (`FileError`), an earlier file is untouched.
        """
        return write(self.dataset, path)

    def export(self, path: str | Path, *names: str, every: int = 1) -> Path:
        """Write a table (.csv, .parquet), or VTK files into a folder; `results.files.export`."""
        from supple.results.files.export import export

        return export(self, path, names, every)

    def to_pandas(self) -> pd.DataFrame:
        """All histories as a table: one row for each time, columns ``link2.position.x`` ..."""
        return table(self.dataset)

    def spectrum(
        self, what: str | ArrayLike, window: tuple[float, float] | None = None
    ) -> Spectrum:
        """Frequencies (Hz) and amplitudes of a variable ("elbow.angle") or an array (nt, ...).

        ``window`` (s, s) are the first and last time of the part that is looked at. The output
        times must be equally spaced there; see `supple.results.spectrum.spectrum`. Motion
        between the output times, which a spectrum shows at a wrong frequency, is told by a warning.
        """
        warn_of_hidden_motion(self, what)
        return spectrum(self.t, *series(self.track(), what), window=window)

    def spectrogram(self, what: str | ArrayLike, window: float | None = None) -> Spectrogram:
        """Spectra of parts of the run, ``window`` s long: how frequencies change with time.

        ``what`` is a variable or an array, as for `spectrum`; see
        `supple.results.spectrum.spectrogram`.
        """
        warn_of_hidden_motion(self, what)
        values, name, units = series(self.track(), what)
        return spectrogram(self.t, values, window, name, units)

    def plot(self, *what: str, path: str | Path | None = None, compare: Compared = None) -> Figure:
        """Draw objects ("elbow"), variables ("elbow.angle_rate") or "energy".

        ``compare`` adds other results. See `supple.results.plot`.
        """
        return plot(self, *what, path=path, compare=compare)

    def to_html(
        self,
        path: str | Path,
        *what: str,
        frames: int = 300,
        other: Result | None = None,
        paths: Iterable[str | Frame] = (),
    ) -> Path:
        """Write one page that plays the motion in a browser, offline; return its path.

        Parameters
        ----------
        what : what is plotted beside it, as for `plot`
        frames : the largest number of output times that are shown
        other : another run, shown as a ghost or side by side
        paths : bodies, point masses or frames whose paths are drawn
        """
        from supple.results.pictures import page_of

        return write_whole(path, page_of(self, what, frames, other, paths).encode("utf-8"))

    def view(
        self,
        *what: str | Result,
        frames: int = 300,
        other: Result | None = None,
        paths: Iterable[str | Frame] = (),
        browser: bool = True,
    ) -> Shown:
        """Show the motion in a browser until Ctrl-C; in a notebook, in its cell.

        The page is that of `to_html` with the same arguments; a result among ``what`` is the
        ``other`` run. It is served to this computer only, at a free port, and opened unless
        ``browser`` is False.
        """
        from supple.results.pictures import page_of
        from supple.visualization.server import show

        results = [one for one in what if not isinstance(one, str)]
        names = [one for one in what if isinstance(one, str)]
        second = results[0] if results and other is None else other
        if len(results) > (other is None):
            raise SuppleError(f"view: there are {len(results) + 1} other runs, expected one")
        return show(page_of(self, names, frames, second, paths), browser)

    def to_gltf(self, path: str | Path, frames: int = 300) -> Path:
        """Write the motion as binary glTF (``.glb``) for Blender and others; return its path.

        Flexible bodies have one morph target for each elastic coordinate.
        """
        from supple.visualization.drawing import draw
        from supple.visualization.gltf import glb

        return write_whole(path, glb(draw(self, frames)))

    def film(
        self,
        path: str | Path,
        speed: float | None = None,
        rate: float = 20.0,
        magnification: float = 1.0,
    ) -> Path:
        """Write the motion as a film, a GIF or (with the program ffmpeg) an MP4; return its path.

        Parameters
        ----------
        speed : seconds of the run in a second of the film; by default 1, but the film is not
            shorter than 2 s and not longer than 12 s
        rate : pictures in a second; each shows the nearest output time
        magnification : of deformations, as for `picture`
        """
        from supple.results.pictures import write_film

        return write_film(self, path, speed, rate, magnification)

    def picture(
        self, t: float | None = None, path: str | Path | None = None, magnification: float = 1.0
    ) -> Figure:
        """Draw the model at the output time next to t (s; the last by default) by matplotlib.

        Deformations of bodies that are not in parts are magnified.
        """
        from supple.results.pictures import draw_picture

        return draw_picture(self, t, path, magnification)
