"""A result as one table of named histories: xarray in memory, NetCDF-4 on disk.

Variables are called ``object.quantity`` ("elbow.angle", "link2.position", "energy.kinetic"); of a
beam there are its elastic coordinates ("link2.mode_1") and its far end ("link2@1.02.deflection").
The first dimension is time, a second one numbers the components: ``xyz``, ``quaternion`` (w, x, y,
z) or ``wrench`` (torque, then force). Each variable carries its units, the axes it is given in and
its role.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.constraints import Driver
from supple.constraints.kinds import constraint_kind
from supple.foundation.arrays import Array
from supple.foundation.atomic_files import write_whole
from supple.foundation.cached import cached_property
from supple.foundation.check_sums import dataset_sum
from supple.foundation.errors import SuppleError, describe, suggestion
from supple.results.data.run_data import told_changes
from supple.results.views.ancf_views import ANCFPointView, ANCFView
from supple.results.views.constraint_views import RollingView, SlidingView
from supple.results.views.force_views import (
    ContactsView,
    ContactView,
    EffortFunctionView,
    ForceView,
    JointForceView,
    LineForceView,
    MotorView,
    PointForceView,
    RopeView,
)
from supple.results.views.tyre_views import TyreView
from supple.results.views.views import BodyView

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from supple.results.result import Result
    from supple.results.views.constraint_views import ConstraintView
    from supple.results.views.flexible_views import FlexibleView
    from supple.results.views.mass_centre import MassCentre
    from supple.results.views.views import JointView, PointView

COMPONENTS = {
    "xyz": ["x", "y", "z"],
    "quaternion": ["w", "x", "y", "z"],
    "wrench": ["torque_x", "torque_y", "torque_z", "force_x", "force_y", "force_z"],
}
MOTION = {"position": "m", "velocity": "m/s", "acceleration": "m/s2"}
ENERGIES = (
    "kinetic",
    "gravity",
    "elastic",
    "strain",
    "work",
    "created",
    "dissipated",
    "lost",
    "total",
    "error",
)
SUM = "check_sum"  # attribute of a file


@dataclass(frozen=True, eq=False)
class Variable:
    """One entry of the dataset; ``dim`` names the components of a vector, or is empty.

    ``given`` are its values (nt, ...), or what finds them: loads of joints are found on request.
    """

    name: str
    given: Array | Callable[[], Array]
    dim: str
    units: str
    frame: str
    role: str

    @cached_property
    def values(self) -> Array:
        """Values (nt,), or (nt, components) of a vector."""
        return self.given() if callable(self.given) else self.given


class Track(NamedTuple):
    """Variables of a result by name, without xarray, which takes half a second to import."""

    t: Array
    variables: dict[str, Variable]
    attrs: dict[str, Any]


def track(result: Result) -> Track:
    """Return the variables of a result by name."""
    return Track(result.t, variables(result), _attributes(result))


def motion_track(result: Result) -> Track:
    """The variables that describe motion and energies: neither loads nor verdicts are computed."""
    return Track(result.t, {v.name: v for v in _variables(result, loads=False)}, {})


def variables(result: Result) -> dict[str, Variable]:
    """Return the variables alone: what a verdict needs is not computed."""
    return {v.name: v for v in _variables(result)}


def values_of(data: Track, name: str) -> Array:
    """Return the values of the variable ``object.quantity``, or raise with the closest name."""
    if isinstance(name, str) and name in data.variables:
        return data.variables[name].values
    raise _unknown(name, data.variables)


def series(data: Track, what: str | ArrayLike) -> tuple[ArrayLike, str, str]:
    """Values of a variable with its name and units, or a plain array without them."""
    if isinstance(what, str):
        return values_of(data, what), what, data.variables[what].units
    return what, "", ""


def build(result: Result) -> xr.Dataset:
    """Return all histories of a result as a dataset."""
    import xarray as xr

    entries = list(_variables(result))
    used = {v.dim for v in entries}
    coords: dict[str, Any] = {dim: names for dim, names in COMPONENTS.items() if dim in used}
    coords["time"] = ("time", result.t, {"units": "s"})
    return xr.Dataset(
        {
            v.name: (
                ("time", v.dim) if v.dim else ("time",),
                v.values,
                {"units": v.units, "frame": v.frame, "role": v.role},
            )
            for v in entries
        },
        coords=coords,
        attrs=_attributes(result),
    )


def _attributes(result: Result) -> dict[str, Any]:
    return {
        "model": result.model.name,
        "success": int(result.success),  # NetCDF attributes know no booleans
        "message": result.message,
        "verdict": result.verdict,
        "energy_verdict": result.energy.verdict,
        "energy_reference": float(result.energy.reference),
        "momentum_verdict": result.momentum.verdict,
        "validity_verdict": result.monitor.verdict,
        "statistics": json.dumps(result.statistics, default=float),
        "start": told_changes(result.start_changes) if result.start_changes else "",
        "events": json.dumps([[e.name, float(e.t)] for e in result.events]),
        "changes": json.dumps([[float(c.t), *c.changes] for c in result.changes]),
    }


def _variables(result: Result, loads: bool = True) -> Iterator[Variable]:
    for name in result.joints:
        yield from _of_joint(result[name], loads)
    flexible = result.data.compiled.deforming
    for name in result.bodies:
        view = result[name]
        if isinstance(view, BodyView):
            yield from _of_body(view)
        elif isinstance(view, ANCFView):
            yield from _of_gradient(view)
        for part in view.deforming:
            yield from _of_flexible(part)
    for name in result.point_masses:
        yield from _of_point(result[name])
    for name in result.forces:
        yield from _of_force(result[name], loads and result.data.loads is not None)
    for name in result.constraints:
        yield from _of_constraint(result, result[name], loads)
    for kind in ENERGIES:
        if kind == "strain" and not flexible:
            continue
        if kind == "created" and not result.energy.creates:
            continue
        if kind == "lost" and not result.energy.loses:
            continue
        yield Variable(f"energy.{kind}", getattr(result.energy, kind), "", "J", "", "energy")
    yield from _of_mass_centre(result.centre_of_mass())
    momentum = result.data.history.momentum
    yield Variable("momentum.angular", momentum[:, :3], "xyz", "kg m2/s", "world", "momentum")
    yield Variable("momentum.linear", momentum[:, 3:], "xyz", "kg m/s", "world", "momentum")


def _of_joint(view: JointView, loads: bool) -> Iterator[Variable]:
    joint, name = view.joint, view.name
    named = dict(zip(joint.coordinate_names, joint.units, strict=True))
    for k, (coordinate, unit) in enumerate(named.items()):
        values = view.coordinates[:, k]
        yield Variable(f"{name}.{coordinate}", values, "", unit, "A", "coordinate")
    if joint.nq == joint.nu:
        single = joint.nu == 1
        for k, (coordinate, unit) in enumerate(named.items()):
            rate = f"{name}.{coordinate}_rate"
            yield Variable(rate, view.rates[:, k], "", f"{unit}/s", "A", "rate")
            rate, values = f"{name}.{coordinate}_acceleration", view.accelerations[:, k]
            yield Variable(rate, values, "", f"{unit}/s2", "A", "rate of rate")
            effort = f"{name}.effort" if single else f"{name}.{coordinate}_effort"
            unit = "N m" if unit == "rad" else "N"
            if loads:
                yield Variable(effort, partial(_effort, view, k), "", unit, "A", "effort")
    else:
        spin, change = view.rates[:, :3], view.accelerations[:, :3]
        yield Variable(f"{name}.angular_velocity", spin, "xyz", "rad/s", "B", "rate")
        turning = f"{name}.angular_acceleration"
        yield Variable(turning, change, "xyz", "rad/s2", "B", "rate of rate")
        if joint.nu == 6:
            move, change = view.rates[:, 3:], view.accelerations[:, 3:]
            yield Variable(f"{name}.velocity", move, "xyz", "m/s", "B", "rate")
            yield Variable(f"{name}.velocity_rate", change, "xyz", "m/s2", "B", "rate of rate")
    for kind in ("reaction", "wrench") if loads else ():
        load = partial(getattr, view, kind)
        yield Variable(f"{name}.{kind}", load, "wrench", "N m, N", "world", "load")


def _effort(view: JointView, k: int) -> Array:
    return view.effort[:, k]


def _of_body(view: BodyView) -> Iterator[Variable]:
    name = view.name
    yield from _of_point(view)
    yield Variable(f"{name}.rotation", view.rotation, "quaternion", "1", "world", "rotation")
    spin, change = view.angular_velocity, view.angular_acceleration
    yield Variable(f"{name}.angular_velocity", spin, "xyz", "rad/s", "world", "velocity")
    yield Variable(f"{name}.angular_acceleration", change, "xyz", "rad/s2", "world", "acceleration")


def _of_flexible(view: FlexibleView) -> Iterator[Variable]:
    name = view.name
    named = zip(view.coordinate_names, view.coordinate_units, strict=True)
    for k, (coordinate, unit) in enumerate(named):
        for suffix, per, values in (
            ("", "", view.coordinates),
            ("_rate", "/s", view.rates),
            ("_acceleration", "/s2", view.accelerations),
        ):
            role = f"elastic {suffix[1:]}".strip()
            full = f"{name}.{coordinate}{suffix}"
            yield Variable(full, values[:, k], "", f"{unit}{per}", "body", role)
    yield Variable(f"{name}.strain_energy", view.strain_energy, "", "J", "", "energy")
    yield Variable(f"{name}.dissipated", view.dissipated, "", "J", "", "energy")
    end = view.far_end
    if end is None:
        return
    yield Variable(f"{end.name}.deflection", end.deflection, "xyz", "m", "body", "deflection")
    yield Variable(f"{end.name}.rotation", end.rotation, "xyz", "rad", "body", "deflection")
    yield Variable(f"{end.name}.position", end.position, "xyz", "m", "world", "position")


def _of_gradient(view: ANCFView) -> Iterator[Variable]:
    name, end = view.name, view.far_end
    yield Variable(f"{name}.strain_energy", view.strain_energy, "", "J", "", "energy")
    yield Variable(f"{name}.dissipated", view.dissipated, "", "J", "", "energy")
    if end is None:
        return
    yield from _of_point(end)
    displacement = f"{end.name}.displacement"
    yield Variable(displacement, end.displacement, "xyz", "m", "world", "deflection")
    if isinstance(end, ANCFPointView):
        yield Variable(f"{end.name}.axial_strain", end.axial_strain, "", "1", "body", "strain")
    if view.turns:
        yield Variable(f"{end.name}.deflection", end.deflection, "xyz", "m", "body", "deflection")


def _of_force(view: ForceView, loads: bool) -> Iterator[Variable]:
    name = view.name
    kind = "dissipated" if view.dissipates else "work"
    yield Variable(f"{name}.{kind}", getattr(view, kind), "", "J", "", "energy")
    if isinstance(view, MotorView):
        yield Variable(f"{name}.angle", view.angle, "", "rad", "A", "shaft")
        yield Variable(f"{name}.rate", view.rate, "", "rad/s", "A", "shaft rate")
    if loads and isinstance(view, (JointForceView, MotorView)):
        yield Variable(f"{name}.effort", view.effort, "", view.units, "A", "effort")
    elif loads and isinstance(view, EffortFunctionView):
        for k, units in enumerate(view.units):
            number = f"_{k + 1}" if len(view.units) > 1 else ""
            effort = view.efforts[:, k]
            yield Variable(f"{name}.effort{number}", effort, "", units, "A", "effort")
    elif loads and isinstance(view, LineForceView):
        yield Variable(f"{name}.tension", view.tension, "", "N", "", "effort")
        yield Variable(f"{name}.length", view.length, "", "m", "", "length")
    elif loads and isinstance(view, RopeView):
        for k in range(view.tension.shape[1]):
            tension = view.tension[:, k]
            yield Variable(f"{name}.tension_{k + 1}", tension, "", "N", "", "effort")
        yield Variable(f"{name}.length", view.length, "", "m", "", "length")
    elif loads and isinstance(view, TyreView):
        yield Variable(f"{name}.gap", view.gap, "", "m", "", "length")
        yield Variable(f"{name}.normal_force", view.normal_force, "", "N", "", "effort")
        ahead, aside = view.longitudinal_force, view.lateral_force
        yield Variable(f"{name}.longitudinal_force", ahead, "", "N", "", "effort")
        yield Variable(f"{name}.lateral_force", aside, "", "N", "", "effort")
        yield Variable(f"{name}.aligning_moment", view.aligning_moment, "", "N m", "", "effort")
        yield Variable(f"{name}.slip", view.slip, "", "1", "", "slip")
        yield Variable(f"{name}.slip_angle", view.slip_angle, "", "rad", "", "slip")
        yield Variable(f"{name}.point", view.point, "xyz", "m", "world", "place of contact")
    elif loads and isinstance(view, ContactView):
        yield Variable(f"{name}.gap", view.gap, "", "m", "", "length")
        yield Variable(f"{name}.normal_force", view.normal_force, "", "N", "", "effort")
        yield Variable(f"{name}.friction_force", view.friction_force, "xyz", "N", "world", "load")
        yield Variable(f"{name}.slip", view.slip, "", "m/s", "", "slip")
        yield Variable(f"{name}.point", view.point, "xyz", "m", "world", "place of contact")
    elif loads and isinstance(view, ContactsView):
        yield Variable(f"{name}.depth", view.depth, "", "m", "", "length")
        yield Variable(f"{name}.normal_force", view.normal_force, "", "N", "", "effort")
    elif loads and isinstance(view, PointForceView):
        yield Variable(f"{name}.force", view.force, "xyz", "N", "world", "load")
        yield Variable(f"{name}.torque", view.torque, "xyz", "N m", "world", "load")


def _of_constraint(result: Result, view: ConstraintView, loads: bool) -> Iterator[Variable]:
    """Work and effort of drivers, tension of distances, where they are determined."""
    item, source = result.constraints[view.name], result.data.loads if loads else None
    determined = source is not None and len(source.constraint(view.name).loads) == 1
    kind = constraint_kind(item)
    if isinstance(view, SlidingView):
        yield Variable(f"{view.name}.displacement", view.displacement, "", "m", "A", "coordinate")
        yield Variable(f"{view.name}.rate", view.rate, "", "m/s", "A", "rate")
        if view.spins:
            yield Variable(f"{view.name}.angle", view.angle, "", "rad", "A", "coordinate")
    if isinstance(view, RollingView) and source is not None and view.complete:
        push, rub = view.normal_force, view.friction_force
        yield Variable(f"{view.name}.normal_force", push, "", "N", "", "effort")
        yield Variable(f"{view.name}.friction_force", rub, "xyz", "N", "world", "load")
    if kind.drives:
        yield Variable(f"{view.name}.work", view.work, "", "J", "", "energy")
    if determined and kind.load == "effort" and isinstance(item, Driver):
        joint = result.joints[item.joint]
        turns = joint.units[joint.coordinate_index(item.coordinate, item.name)] == "rad"
        units = "N m" if turns else "N"
        yield Variable(f"{view.name}.effort", view.effort, "", units, "A", "effort")
    elif determined and kind.load == "tension":
        yield Variable(f"{view.name}.tension", view.tension, "", "N", "", "effort")


def _of_point(view: PointView) -> Iterator[Variable]:
    for kind, units in MOTION.items():
        yield Variable(f"{view.name}.{kind}", getattr(view, kind), "xyz", units, "world", kind)


def _of_mass_centre(com: MassCentre) -> Iterator[Variable]:
    for kind, units in MOTION.items():
        role = f"mass centre {kind}"  # no place on a body that two models may have in common
        yield Variable(f"com.{kind}", getattr(com, kind), "xyz", units, "world", role)


def write(dataset: xr.Dataset, path: str | Path) -> Path:
    """Write a dataset as NetCDF-4, whole or not at all, and return the path."""
    import h5netcdf
    from xarray.backends import H5NetCDFStore

    dataset = dataset.assign_attrs({SUM: dataset_sum(dataset, [SUM])})
    # In memory first: on a full disk the library of HDF5 ends the process.
    buffer = io.BytesIO()
    with h5netcdf.File(buffer, "w") as file:
        dataset.dump_to_store(H5NetCDFStore(file))
    return write_whole(path, buffer.getbuffer())


def table(dataset: xr.Dataset) -> pd.DataFrame:
    """Return the dataset as a pandas table, vectors spread over columns ``link2.position.x``."""
    import pandas as pd

    columns: dict[str, Array] = {}
    for name, variable in dataset.data_vars.items():
        if variable.ndim == 1:
            columns[str(name)] = variable.values
            continue
        labels = dataset[variable.dims[1]].values
        columns.update({f"{name}.{c}": variable.values[:, k] for k, c in enumerate(labels)})
    return pd.DataFrame(columns, index=pd.Index(dataset["time"].values, name="time"))


def pick(dataset: xr.Dataset, name: str) -> xr.DataArray:
    """Return the variable ``object.quantity``, or raise with the closest name."""
    if isinstance(name, str) and name in dataset:
        return dataset[name]
    raise _unknown(name, map(str, dataset.data_vars))


def _unknown(name: str, known: Iterable[str]) -> SuppleError:
    near = suggestion(name, list(known))
    return SuppleError(f"the result has no variable {describe(name)}, {near}")


_PLACE = re.compile(r"\.at\(([^()]*)\)")
_COMPONENTS = {"x": 0, "y": 1, "z": 2}
EXPECTED = "'object.quantity', e.g. 'elbow.angle', 'link2.at(0.5).deflection.y' or 'energy.total'"


def quantity(result: Result, text: str, views: dict[str, Any] | None = None) -> Array:
    """Return the history (nt, ...) that a text names.

    ``object.quantity`` is an attribute of ``result["object"]`` that is an array over time, or
    ``strain``; ``object.at(x, y, z).quantity`` is one of a point and ``object.far_end.quantity``
    one of the end of a beam, wherever that is. ``.local`` may come before the quantity, ``.x``,
    ``.y`` or ``.z`` after it. "energy.total" and the like are known too, and so are all variables
    of the dataset. ``views`` keeps views of objects for further quantities.
    """
    place = _PLACE.search(text)
    head, tail = (text[: place.start()], text[place.end() :]) if place else text.partition(".")[::2]
    words = [w for w in tail.split(".") if w]
    if not head or not words:
        raise SuppleError(f"the quantity {text!r} is not understood, expected {EXPECTED}")
    if head == "energy":
        view: Any = result.energy
    elif place is None and head not in result:
        return result.history(text)
    else:
        views = {} if views is None else views
        if head not in views:
            views[head] = result[head]
        view = views[head]
    if place is None and words[0] != "local" and not hasattr(view, words[0]):
        known = variables(result)  # elastic coordinates, for example
        if text in known:
            return known[text].values
    if place is not None:
        view = view.at(*_numbers(place.group(1), text))
    component = words.pop() if len(words) > 1 and words[-1] in _COMPONENTS else None
    values = _walk(view, words, text)
    if component is None:
        return values
    if values.ndim != 2 or values.shape[1] != 3:
        raise SuppleError(f"the quantity {text!r} has no component {component!r}: it is no vector")
    return values[:, _COMPONENTS[component]]


def _walk(view: Any, words: list[str], text: str) -> Array:
    """Follow ``far_end``, ``local`` and one public name to an array over time, and nothing else."""
    if len(words) > 1 and words[0] == "far_end" and getattr(view, "far_end", None) is not None:
        view, words = view.far_end, words[1:]
    if words[0] == "local":
        view, words = view.local, words[1:]
    if len(words) == 1 and not words[0].startswith("_"):
        value = getattr(view, words[0], None)
        if words[0] == "strain" and callable(value):
            value = value()
        if isinstance(value, np.ndarray) and np.issubdtype(value.dtype, np.floating):
            return value
    known = [n for n in dir(view) if not n.startswith("_")]
    word = words[0] if words else "local"
    raise SuppleError(f"the quantity {text!r} is not known, {suggestion(word, known)}")


def _numbers(inside: str, text: str) -> list[float]:
    try:
        return [float(part) for part in inside.split(",")]
    except ValueError:
        raise SuppleError(
            f"the quantity {text!r} has a place {inside!r}, expected one to three numbers"
        ) from None
