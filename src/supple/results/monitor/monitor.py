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
  (`supple.results.flexibility.truncation`).
- Deflection that its mesh gets wrong, 2 %, against a finer mesh
  (`supple.results.checks.reduced_bodies`).
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

The checks of a body are a list for each kind of it: in a floating frame with modes, of segments,
over nodal vectors, and of sections and surfaces of all of them; `monitor` walks them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.reduction.membranes import feels_loads
from supple.results.checks import deformation, reduced_bodies
from supple.results.data.audit import LEVELS, EnergyAudit, MomentumAudit
from supple.results.data.findings import (
    VALIDITY,
    BodyMonitor,
    Check,
    Extreme,
    Finding,
    Monitor,
    findings_of,
)
from supple.results.flexibility.deformation import (
    highest_share,
    lost_stiffness,
    modal_energies,
    movements,
    pulling_spin,
    sampled,
    states,
    strains,
)
from supple.results.flexibility.lateral_buckling import lateral_buckling
from supple.results.flexibility.load_effect import load_effect
from supple.results.flexibility.truncation import SAMPLES, Truncation, shear_of_places, truncations
from supple.results.monitor import nodal_vectors, segments
from supple.results.motion.motion_audit import MotionAudit
from supple.results.views.views import into

if TYPE_CHECKING:
    from supple.engine.base.body_records import FlexRecord
    from supple.foundation.arrays import Array
    from supple.results.result import Result

LONG, BLOCK = 100_000, 10_000  # output times: from which on there are blocks, and in each of them
NOT_MONITORED = "flexible bodies were not monitored"
BALANCED = "balanced"  # instead of "trusted" where nothing but the balances is known


def watch_floating(
    result: Result, record: FlexRecord, left_out: Truncation | None
) -> tuple[BodyMonitor, list[Check]]:
    """Numbers and checks of a body over a run; what it leaves out is None where it is not known."""
    body, masses, modal = record.body, record.point_masses, record.modal
    t, q = states(result, record)
    moved, turned = movements(body, masses, t, q)
    strained = strains(body, masses, t, q)
    frequencies, energies = modal_energies(modal, q)
    share = highest_share(frequencies, energies)
    # membranes without a stretch of the axis leave out what loads along it do
    stiffened = body.stiffened and (modal.membranes is None or feels_loads(modal))
    spin = _spin(result, record)
    speed = Extreme(result.t, np.linalg.norm(spin, axis=1))
    lost = Extreme(result.t, np.zeros(len(spin)) if stiffened else lost_stiffness(modal, spin))
    effect = None if stiffened else load_effect(result, record)
    wrong = None if left_out is None else reduced_bodies.mesh_error(left_out.loaded)
    aside = None if left_out is None else lateral_buckling(result, left_out.loaded)
    shear = 0.0 if left_out is None else left_out.shear
    if body.axis is None:  # perhaps a structure of beams
        shear = shear_of_places([(record, q[sampled(q, SAMPLES)])])
    lowest = float(frequencies[0])
    limit = deformation.ROTATION_STIFFENED if stiffened else deformation.ROTATION
    spinning = [] if stiffened else [*deformation.spins(body, speed, lost, lowest)]
    checks = [
        deformation.rotation(body, turned, stiffened, limit),
        deformation.strain(body, strained, body.sizes_known),
        deformation.deflection(body, None if len(turned.values) else moved),
        *spinning,
        *reduced_bodies.modes(result, body, left_out, share),
        deformation.beam_shear(body, shear, moved.largest),
        *reduced_bodies.mesh(result, body, left_out, wrong),
        *deformation.loads(body, None if spinning else effect),
        deformation.lateral(body, aside, modal.n),
        *(reduced_bodies.damping(result.model, record) if len(result.t) > 1 else ()),
    ]
    pressed = None if effect is None else effect.buckling
    numbers = BodyMonitor(
        body.name,
        rotation=turned.largest,
        strain=np.nan if strained is None else strained.largest,
        deflection=moved.largest,
        highest_mode=np.nan if share is None else share,
        left_out=np.nan if left_out is None else left_out.largest,
        spin=speed.largest,
        lowest_frequency=lowest,
        lost_stiffness=lost.largest,
        buckling=max((x.largest for x in (pressed, aside) if x is not None), default=np.nan),
        load_stiffness=np.nan if effect is None else effect.stiffness.largest,
        load_change=np.nan if effect is None else effect.change.largest,
        mesh_error=np.nan if wrong is None else wrong.part,
    )
    return numbers, checks


def _spin(result: Result, record: FlexRecord) -> Array:
    """Spin (nt, 3) rad/s of a body's frame, as far as it pulls, in body axes."""
    frame, history = result.data.compiled.body_names.index(record.name), result.data.history
    turning = into(history.R[:, frame], history.V[:, frame, :3])
    return pulling_spin(record.body, record.modal, turning)


def monitor(result: Result, across: bool = False) -> Monitor:
    """Look at all flexible bodies of a result, up to where its run came.

    ``across``: see `supple.results.monitor.segments.watch`.
    """
    with np.errstate(all="ignore"):  # a run that diverged has numbers of any size
        seen = {}
        for numbers, checks in _watched(result, across):
            every = (*checks, *_theory(result, numbers.name))
            seen[numbers.name] = numbers.adding(findings_of(numbers.name, every))
        return Monitor(seen)


def _watched(result: Result, across: bool) -> Iterator[tuple[BodyMonitor, list[Check]]]:
    """Numbers and checks of each body, by its kind."""
    compiled = result.data.compiled
    for record in compiled.gradient.values():
        yield nodal_vectors.watch(result, record)
    left_out = truncations(result) if compiled.flexible else {}
    known: set[str] = set()
    for name, part in compiled.flexible.items():
        owner = compiled.bodies[compiled.owners[name]]
        if owner.body.divides and owner.name not in known:
            known.add(owner.name)
            yield segments.watch(result, owner, across)
        elif not owner.body.divides and part.modal.n:
            yield watch_floating(result, part, left_out.get(name))


def _theory(result: Result, name: str) -> Iterator[Check]:
    """Checks of what the theory of sections and surfaces of a body leaves out."""
    record = result.data.compiled.bodies.get(name)
    if record is not None:  # no part of a body, which is judged as a whole
        yield from deformation.warping(result, record.body)
        yield from deformation.shell_shear(result, record.body)
        yield from deformation.surface_stretch(result, record.body)


def monitor_in_blocks(result: Result) -> Monitor:
    """Look at a run with very many output times: the largest of all blocks and their findings.

    What a body leaves out is compared with its largest deflection, here with that of the block: a
    run that is valid in all its blocks is valid as a whole.
    """
    if not result.data.compiled.deforming:
        return Monitor({})
    found: dict[str, BodyMonitor] = {}
    for k in range(0, len(result.t), BLOCK):
        which = np.arange(k, min(k + BLOCK, len(result.t)))
        data = result.data.part(which)
        if which[-1] < len(result.t) - 1:  # where a failed run ended belongs to the last block
            data = replace(data, final=None)
        where = f" (output from {data.t[0]:.4g} to {data.t[-1]:.4g} s)"
        for name, body in monitor(type(result)(data)).bodies.items():
            told = [replace(f, sentence=f.sentence + where) for f in body.findings]
            body = replace(body, findings=tuple(told))
            found[name] = _worse(found[name], body) if name in found else body
    return Monitor(found)


def _worse(a: BodyMonitor, b: BodyMonitor) -> BodyMonitor:
    """The largest values of both, and of each kind of finding the one that is further beyond."""
    values: dict[str, Any] = {
        f.name: float(np.fmax(getattr(a, f.name), getattr(b, f.name)))
        for f in fields(BodyMonitor)
        if f.name not in ("name", "findings")
    }
    worst: dict[str, Finding] = {f.what: f for f in a.findings}
    for f in b.findings:
        if f.what not in worst or f.value / f.limit > worst[f.what].value / worst[f.what].limit:
            worst[f.what] = f
    return replace(a, **values, findings=tuple(worst.values()))


def headline(
    energy: EnergyAudit,
    momentum: MomentumAudit,
    monitor: Monitor | None,
    equal_steps: int = 0,
    motion: MotionAudit | None = None,
) -> str:
    """The worst of four verdicts in one line; that on energy if all of them are good.

    Where ``equal_steps`` were made, nobody has judged their error: a method may keep energy and
    momentum, and be late or early. So such a run is balanced, not trusted, and so is one of many
    periods whose errors may have grown as nobody knows.

    Of equally bad ones that on the model counts first: a body outside of its assumptions is often
    the cause of the others. Without a monitor the line tells so.
    """
    parts = [
        (LEVELS.index(energy.level), energy.verdict),
        (LEVELS.index(momentum.level), momentum.verdict),
    ]
    if motion is not None and motion.findings:
        parts.append((LEVELS.index(motion.level), motion.verdict))
    if monitor is not None:
        parts.insert(0, (VALIDITY.index(monitor.level), monitor.verdict))
    worst, sentence = max(parts, key=lambda part: part[0])
    if worst == 0 or sentence == energy.verdict:
        sentence = energy.verdict
    elif not energy.complete:
        sentence = f"{energy.ending}; {sentence}"
    unjudged = "" if motion is None else motion.unjudged
    if equal_steps:
        unjudged = f"errors of its {equal_steps} equal steps are not judged: try half steps"
    if unjudged and worst == 0 and energy.complete:
        sentence = f"{sentence.replace(LEVELS[0], BALANCED, 1)}; {unjudged}"
    return sentence if monitor is not None else f"{sentence}; {NOT_MONITORED}"
