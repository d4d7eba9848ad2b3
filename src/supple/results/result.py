"""The result of a run: histories by name, the audit, files and plots."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.constraints import SlidingJoint
from supple.core.base.layout import integers
from supple.core.forces.control import STATE, STATES
from supple.forces import Controller, JointForce, Motor
from supple.forces.kinds import force_kind
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import SuppleError, describe, suggestion
from supple.results.data.audit import EnergyAudit, MomentumAudit
from supple.results.data.findings import Monitor
from supple.results.data.run_data import EventRecord, History, RunData
from supple.results.data.spectrogram import Spectrogram
from supple.results.data.spectrum import Spectrum
from supple.results.files.dataset import Track, track, values_of, variables
from supple.results.files.saved import SavedResult, load_result
from supple.results.monitor.monitor import LONG, headline, monitor, monitor_in_blocks
from supple.results.motion.motion_audit import MotionAudit, motion_audit
from supple.results.products import Products
from supple.results.summary import WIDTH, summary
from supple.results.views.ancf_views import ANCFView
from supple.results.views.body_views import PlacesView, body_view
from supple.results.views.constraint_views import ConstraintView, SlidingView
from supple.results.views.force_views import (
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
from supple.results.views.views import BodyView, JointLoad, JointView, PointView
from supple.state import State

if TYPE_CHECKING:
    import xarray as xr

    from supple.foundation.frames import Body, Frame

__all__ = [
    "EventRecord",
    "History",
    "Result",
    "RunData",
    "SavedResult",
    "Spectrogram",
    "Spectrum",
    "load_result",
]


MASS_CENTRE = "com"  # the name of that of the whole model


class Result(Products):
    """What a simulation found.

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
        """Whether the user ended the run, by Ctrl-C."""
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
        """Whether flexible bodies stayed within the assumptions of their models; print it."""
        return monitor(self) if len(self.t) <= LONG else monitor_in_blocks(self)

    @property
    def names(self) -> list[str]:
        """Names that ``result[...]`` knows."""
        return [*self.joints, *self.bodies, *self.point_masses, *self.forces, *self.constraints]

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def _view(self, item: Any) -> Any:
        """View of a joint, body, point mass, force, constraint or frame; see `Lookup`."""
        from supple.foundation.frames import Frame

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
        return PointForceView(*common) if view == "point" else ForceView(*common)

    def _constraint(self, name: str) -> ConstraintView:
        compiled = self.data.compiled
        parts = tuple(row.part for row in compiled.every_row if row.owner == name)
        work = self.data.channels[:, compiled.channels(name)].sum(axis=1)
        given = self.constraints[name], parts, work, self.data.loads
        item = given[0]
        if isinstance(item, SlidingJoint):
            (q, u, _), count = compiled.shaft(name, 0), 1 + (item.follows == "tangent")
            coordinates = self.q[:, q : q + count], self.u[:, u : u + count]
            axes = None if item.follows == "point" else self[item.B].matrix
            return SlidingView(*given, coordinates=coordinates, axes=axes)
        return ConstraintView(*given)

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
        from supple.results.files.dataset import build

        return build(self)

    def track(self) -> Track:
        """What a plot needs: all variables by name, without xarray."""
        return track(self)

    def history(self, name: str) -> Array:
        """Values (nt, ...) of a variable of the dataset, "elbow.angle" for example."""
        return values_of(Track(self.t, variables(self), {}), name)

    def __repr__(self) -> str:
        return summary(self).text(WIDTH)
