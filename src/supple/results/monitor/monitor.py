"""The validity monitor: whether flexible bodies stay within the assumptions of their models.

Linear shapes describe small rotations and small strains, few modes describe slow deformations, and
without stiffening no force along a beam changes its bending. For each flexible body of a run the
monitor compares what happened with limits, and says in one sentence what was found, what the limit
is, when it was passed and what to do.

The limits:

- Rotation, 0.15 rad. The deflection of a cantilever with a load at its tip, by the exact theory of
  large deflections, is less than the linear one by 0.45 times the square of its tip's rotation: 1 %
  at 0.15 rad. With stiffening the place of the tip along the beam is right to second order as well,
  and 0.3 rad (4 %) is allowed.
- Strain, 0.01: beyond it the difference between strain measures, of the size of its square, reaches
  1 % of it, and few structural materials are elastic. With ``yield_stress`` of the material the
  limit is that stress over E.
- Deflection, 0.1 of the body's length, where rotations are not known: that of a cantilever whose
  tip turns by 0.15 rad.
- Deflection that its elastic coordinates leave out, 2 %: what the whole mesh would do under the
  same loads (`supple.results.flexibility.truncation`); a quarter of what a beam stretches along its
  axis. Where the mesh or the loads are not known, the highest mode that moves has at most 5 % of
  the strain energy.
- Shear of the sections of a beam that leaves it out, 2 % of its deflections under its loads
  (`supple.results.flexibility.shear_share`).
- Deflection that its mesh gets wrong, 2 %, against a finer mesh
  (`supple.results.checks.mesh_error`).
- Spin, 0.15 of the lowest frequency, for bodies without stiffening: its relative square, 2 %, is
  missing in the bending stiffness. A spin counts as far as it throws mass outwards: that of a beam
  about its own axis does not. Where no stiffness is left, at the lowest frequency in the
  plane of rotation, the model diverges.
- Loads, for bodies without stiffening: the stress under the loads on a body would change its
  deflections by at most 2 % of the largest, and stays below that at which the body buckles. The
  change is that of first order, inverse(K) K0 q with the geometric stiffness K0.
- Bending moments, for straight beams without twist of second order: 0.4 of those under which the
  beam buckles to the side (`supple.results.flexibility.lateral_buckling`).

Findings beyond twice a limit are serious and warn at the end of a run: of rotation, strain and
deflection, and spin beyond half of the lowest frequency (a quarter of the stiffness is wrong);
loads beyond a quarter of the deflections, or beyond the buckling load; a quarter of the deflections
left out, by shear, or wrong by the mesh.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.reduction.membranes import feels_loads
from supple.results.checks.damping_findings import of_damping
from supple.results.checks.deformation_findings import (
    ROTATION,
    ROTATION_STIFFENED,
    of_deflection,
    of_rotation,
    of_strain,
)
from supple.results.checks.lateral_findings import of_lateral
from supple.results.checks.load_findings import of_loads
from supple.results.checks.mesh_error import mesh_error, of_mesh
from supple.results.checks.mode_findings import of_modes
from supple.results.checks.shear_findings import of_thickness
from supple.results.checks.spin_findings import of_spin
from supple.results.checks.surface_stretch import of_surface
from supple.results.checks.warping_findings import of_warping
from supple.results.data.findings import BodyMonitor, Monitor
from supple.results.flexibility.deformation import (
    Extreme,
    highest_share,
    lost_stiffness,
    modal_energies,
    movements,
    pulling_spin,
    states,
    strains,
)
from supple.results.flexibility.geometric_stiffness import load_effect, sampled
from supple.results.flexibility.lateral_buckling import lateral_buckling
from supple.results.flexibility.shear_share import of_shear, shear_of_places
from supple.results.flexibility.truncation import SAMPLES, Truncation, truncations
from supple.results.monitor.ancf_monitor import watch_gradient
from supple.results.monitor.segmented_monitor import watch_cut
from supple.results.views.views import into

if TYPE_CHECKING:
    from supple.engine.base.body_records import FlexRecord
    from supple.results.result import Result

Array = NDArray[np.float64]


def monitor(result: Result, across: bool = False) -> Monitor:
    """Look at all flexible bodies of a result, up to where its run came; see `watch_cut`."""
    records, gradient = result.data.compiled.flexible, result.data.compiled.gradient
    with np.errstate(all="ignore"):  # a run that diverged has numbers of any size
        left_out = truncations(result) if records else {}
        found = {name: watch_gradient(result, vectors) for name, vectors in gradient.items()}
        for name, record in records.items():
            owner = result.data.compiled.bodies[result.data.compiled.owners[name]]
            if owner.body.divides and owner.name not in found:
                found[owner.name] = watch_cut(result, owner, across)
            elif not owner.body.divides and record.modal.n:
                found[name] = _watch(result, record, left_out.get(name))
        return Monitor({name: _with_theory(result, seen) for name, seen in found.items()})


def _with_theory(result: Result, seen: BodyMonitor) -> BodyMonitor:
    """A body's monitor with findings about what the theory of its sections leaves out."""
    record = result.data.compiled.bodies.get(seen.name)
    if record is None:  # a part of a body, which is judged as a whole
        return seen
    body = record.body
    told = (*of_warping(result, body), *of_thickness(result, body), *of_surface(result, body))
    return replace(seen, findings=(*seen.findings, *told)) if told else seen


def _watch(result: Result, record: FlexRecord, left_out: Truncation | None) -> BodyMonitor:
    body, masses = record.body, record.point_masses
    t, q = states(result, record)
    moved, turned = movements(body, masses, t, q)
    strained = strains(body, masses, t, q)
    frequencies, energies = modal_energies(record.modal, q)
    share = highest_share(frequencies, energies)
    # membranes without a stretch of the axis leave out what loads along it do
    stiffened = body.stiffened and (record.modal.membranes is None or feels_loads(record.modal))
    frame = result.data.compiled.body_names.index(body.name)
    history = result.data.history
    turning = into(history.R[:, frame], history.V[:, frame, :3])
    spin = pulling_spin(body, record.modal, turning)
    speed = Extreme(result.t, np.linalg.norm(spin, axis=1))
    lost = Extreme(
        result.t, np.zeros(len(spin)) if stiffened else lost_stiffness(record.modal, spin)
    )
    effect = None if stiffened else load_effect(result, record)
    wrong = None if left_out is None else mesh_error(left_out.loaded)
    aside = None if left_out is None else lateral_buckling(result, left_out.loaded)
    shear = 0.0 if left_out is None else left_out.shear
    if body.axis is None:  # perhaps a structure of beams
        shear = shear_of_places([(record, q[sampled(q, SAMPLES)])])
    pressed = None if effect is None else effect.buckling
    buckling = [x.largest for x in (pressed, aside) if x is not None]
    spinning = [] if stiffened else [*of_spin(body, speed, lost, float(frequencies[0]))]
    findings = [
        *of_rotation(body, turned, stiffened, ROTATION_STIFFENED if stiffened else ROTATION),
        *of_strain(body, strained, body.sizes_known),
        *(of_deflection(body, moved) if not len(turned.values) else ()),
        *spinning,
        *of_modes(result, body, left_out, share),
        *of_shear(body, shear, moved.largest),
        *of_mesh(result, body, left_out, wrong),
        *(() if effect is None or spinning else of_loads(body, effect)),
        *(() if aside is None else of_lateral(body, aside, record.modal.n)),
        *(of_damping(result.model, record) if len(result.t) > 1 else ()),
    ]
    return BodyMonitor(
        body.name,
        turned.largest,
        np.nan if strained is None else strained.largest,
        moved.largest,
        np.nan if share is None else share,
        np.nan if left_out is None else left_out.largest,
        speed.largest,
        float(frequencies[0]),
        lost.largest,
        max(buckling, default=np.nan),
        np.nan if effect is None else effect.stiffness.largest,
        np.nan if effect is None else effect.change.largest,
        tuple(findings),
        np.nan if wrong is None else wrong.part,
    )
