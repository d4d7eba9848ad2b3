"""Checks of deformations that are too large for the model of a body, or that it does not see.

Rotations, strains and deflections beyond the limits of small ones, and effects of second order that
bodies without stiffening leave out: spin, loads along them, lateral buckling, stretch of a surface.
Reasons of the limits are in `supple.results.monitor.monitor`.

Theories of sections, plates and shells leave out shear and warping. Beams of Euler and Bernoulli
and thin shells have no shear: what it would add is in `supple.results.flexibility.truncation`.

A beam here twists after Saint-Venant, with sections that are free to warp. An end that is welded to
something stiff does not warp. By Vlasov's theory a beam with one such end twists under a torque at
the other by

    T L/GJ (1 - tanh(k L)/(k L)),   k^2 = G J/(E I_w)

and with two of them as if it were half as long. The difference is told where twist holds a part of
the strain energy of a run. A member of a frame structure is clamped where it ends in a node that a
joint without any freedom holds; what holds the nodes between members back is not known, so that
they count as free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, percent
from supple.results.data.findings import Check, Extreme
from supple.results.flexibility.deformation import states, usable_times
from supple.results.flexibility.load_effect import LoadEffect, reduced_part
from supple.results.views.body_loads import at_times

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.fem.base.material import Material
    from supple.foundation.frames import Body
    from supple.results.result import Result

ROTATION, ROTATION_STIFFENED = 0.15, 0.3
STRAIN = 0.01
DEFLECTION = 0.1
SERIOUS = 2.0  # times a limit
SPIN, SERIOUS_SPIN = 0.15, 0.5
LOAD, SERIOUS_LOAD = 0.02, 0.25  # change of deflections, in parts of the largest
# Deflections to the side grow by the square of this, a sixth: as for the normal force in parts.
ASIDE = 0.4
KEPT = 0.05  # of the stretch: a surface that keeps less is developable but for its triangles


class WithMaterials(Protocol):
    """A body that knows what it is made of."""

    @property
    def name(self) -> str:
        """Name of the body."""

    @property
    def materials(self) -> tuple[Material, ...]:
        """Materials that it is made of."""


def rotation(body: FlexibleBody, turned: Extreme, stiffened: bool, limit: float) -> Check:
    """Check of an elastic rotation against the limit of small ones."""
    against = " against the chord of a part" if body.divides else ""
    advice = "use more parts" if body.divides else "divide it into several bodies"
    if body.can_stiffen and not stiffened:
        advice = f"use stiffening='second_order', or {advice}"

    def sentence(value: float, then: str) -> str:
        return (
            f"its elastic rotation{against} reaches {value:.3g} rad, beyond {limit:g} rad {then}, "
            f"where small rotations no longer hold: {advice}"
        )

    return Check(body, "rotation", turned, limit, SERIOUS * limit, sentence)


def element_rotation(body: Body, turned: Extreme, limit: float = ROTATION_STIFFENED) -> Check:
    """Check of the rotation of an element over nodal vectors against what a cubic describes."""

    def sentence(value: float, then: str) -> str:
        return (
            f"an element of it turns by {value:.3g} rad from one end to the other, beyond "
            f"{limit:g} rad {then}, where a cubic describes it no longer: use more elements"
        )

    return Check(body, "rotation", turned, limit, SERIOUS * limit, sentence)


def strain(body: WithMaterials, strained: Extreme | None, sizes_known: bool = True) -> Check:
    """Check of a strain against that of the material's yield stress, or of linear elasticity.

    Without the sizes of sections it is that of an ellipse, of which others have half at least.
    """
    yields = yield_strain(body)
    limit = STRAIN if yields is None else yields
    beyond = "linear elasticity" if yields is None else "the material's yield stress over E"
    reaches, advice = "", "look at its loads, or give it a stronger section"
    serious = SERIOUS * limit
    if not sizes_known:
        reaches = " if its section is a solid ellipse, of which no half_sizes are given"
        advice, serious = f"{advice}, or give half_sizes", 2.0 * serious

    def sentence(value: float, then: str) -> str:
        return (
            f"its strain reaches {value:.3g}{reaches}, beyond {limit:.3g} ({beyond}) {then}: "
            f"{advice}"
        )

    return Check(body, "strain", strained, limit, serious, sentence)


def yield_strain(body: WithMaterials) -> float | None:
    """The smallest yield stress over E of a body's materials, if one has it."""
    yields = (m.yield_stress / m.E for m in body.materials if m.yield_stress is not None)
    return min(yields, default=None)


def deflection(body: FlexibleBody, moved: Extreme | None) -> Check:
    """Check of a deflection against the limit of small ones, where rotations are not known."""

    def sentence(value: float, then: str) -> str:
        return (
            f"its deflection reaches {value:.3g} of its length, beyond {DEFLECTION:g} {then}, "
            "where small rotations no longer hold: divide it into several bodies"
        )

    return Check(body, "deflection", moved, DEFLECTION, SERIOUS * DEFLECTION, sentence)


def spins(body: FlexibleBody, speed: Extreme, lost: Extreme, lowest: float) -> Iterator[Check]:
    """Checks of a spin: the stiffness that it takes, and whether it leaves any."""
    advice = "use stiffening='second_order'" if body.can_stiffen else "divide it into bodies"
    unstable, passed = lost.passes(1.0), speed.passes(SPIN * lowest)
    if unstable is not None:
        k = int(np.argmax(lost.values))
        limit = float(speed.values[k] / np.sqrt(lost.values[k]))

        def stability_sentence(value: float, then: str) -> str:
            return (
                f"its spin reaches {value:.4g} rad/s, beyond {limit:.4g} rad/s {then}, where "
                "without stiffening no bending stiffness is left and deflections can grow without "
                f"bound: {advice}"
            )

        yield Check(body, "stability", speed.largest, limit, limit, stability_sentence, unstable)
    if passed is not None:

        def spin_sentence(ratio: float, then: str) -> str:
            return (
                f"its spin reaches {speed.largest:.4g} rad/s, {ratio:.2g} of its lowest frequency "
                f"and beyond {SPIN:g} of it {then}; without stiffening its bending stiffness is "
                f"wrong by {ratio**2:.0%}: {advice}"
            )

        yield Check(body, "spin", speed.largest / lowest, SPIN, SERIOUS_SPIN, spin_sentence, passed)


def loads(body: FlexibleBody, effect: LoadEffect | None) -> Iterator[Check]:
    """Checks of loads under which a body buckles, or that change its deflections too much."""
    if effect is None:
        return
    advice = "use stiffening='second_order'" if body.can_stiffen else "use a body with stiffening"
    if effect.buckling.passes(1.0) is not None:

        def buckling_sentence(value: float, then: str) -> str:
            return (
                f"its loads reach {value:.3g} times those under which it buckles, {then}, which is "
                f"not seen without stiffening: {advice}"
            )

        yield Check(body, "buckling", effect.buckling, 1.0, 1.0, buckling_sentence)
    else:

        def load_sentence(value: float, then: str) -> str:
            return (
                "tension or pressure by its loads would change its deflections by "
                f"{value:.2g} of the largest, more than {LOAD:g} {then}, which is left out without "
                f"stiffening: {advice}"
            )

        yield Check(body, "load", effect.change, LOAD, SERIOUS_LOAD, load_sentence)
    between = "it stretches as it bends between its supports"
    yield _stretch(body, effect.stretch, between, f"is left out without stiffening: {advice}")


def _stretch(body: Body, value: Extreme, why: str, which: str) -> Check:
    """Check of deflections that become smaller by tension."""

    def sentence(value: float, then: str) -> str:
        return (
            f"{why}, and tension by that would make its deflections {percent(value)} smaller, more "
            f"than {percent(LOAD)} {then}, which {which}"
        )

    return Check(body, "stretch", value, LOAD, SERIOUS_LOAD, sentence)


def lateral(body: FlexibleBody, aside: Extreme | None, count: int) -> Check:
    """Check of bending moments against those under which a beam buckles to the side.

    ``count`` is the number of its elastic coordinates.
    """
    serious = aside is not None and aside.largest > 1.0
    limit = 1.0 if serious else ASIDE
    without = (
        "without twist of second order: use parts with stiffening=SecondOrder(twist=True), or a "
        "section that is less deep"
    )
    if body.second_order_twist:
        without = f"by its {count} elastic coordinates: use {body.refinement}, or parts"

    def sentence(value: float, then: str) -> str:
        return (
            f"its bending moments reach {value:.3g} times those under which it buckles to the "
            f"side, more than {limit:g} {then}, which is not seen {without}"
        )

    return Check(body, "buckling" if serious else "load", aside, limit, 1.0, sentence)


def surface_stretch(result: Result, body: Any) -> Iterator[Check]:
    """Check of a shell whose surface stretches as it bends, because its edges hold it.

    Strains of second order have the membrane energy V x^4 in a deflection of x times the linear
    one, beside its strain energy U x^2, as far as displacements in the surface do not relieve them.
    So it is smaller by the factor x, x + a x^3 = 1 with a = 2 V/U. Neither linear shapes nor
    displacements of second order of the places of a body have that tension: only between several
    interfaces second order sees it.
    """
    record = result.data.compiled.flexible.get(body.name)
    if record is None:
        return
    t, q = states(result, record)
    energies = 0.5 * np.einsum("ka,ab,kb->k", q, record.modal.K, q)
    energies = np.where(np.isfinite(energies) & (energies < 1e100), energies, 0.0)
    k = int(np.argmax(energies)) if len(energies) else 0
    if not energies.max(initial=0.0) > 0.0:
        return
    stretched = record.body.stretch_energies(q[k], record.point_masses)
    if stretched is None or not stretched[1] > KEPT * stretched[0]:
        return
    parts = reduced_part(2.0 * stretched[1] / energies[k] * energies / energies[k])
    why = "its surface stretches as it bends"
    yield _stretch(body, Extreme(t, parts), why, "bodies in a frame leave out: use an ANCFPlate")


TIMES = 6  # that are looked at
SHEAR, SERIOUS_SHEAR = 0.02, 0.25  # of the deflections without shear
SMALL = 1e-5  # lengths of a body, below which a deflection is no serious matter
SERIOUS_ENERGY = 0.2  # energy of shear in parts of the largest strain energy of the run
STATIONS = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the length of a beam or member
TWISTED = 0.05  # part of the strain energy from which twist matters
EXCESS, SERIOUS_EXCESS = 0.05, 0.5  # how much more a beam may twist than it would


def beam_shear(body: FlexibleBody, part: float, size: float) -> Check:
    """Check of a beam that is too short, or loaded too near to its supports.

    ``size`` is its largest deflection, in lengths of the body.
    """

    def sentence(value: float, _: str) -> str:
        return (
            "shear of its sections, which is left out by theory='euler_bernoulli', would add "
            f"{percent(value)} to its deflections where its loads act, expected at most "
            f"{percent(SHEAR)}: {body.shear_remedy}"
        )

    return Check(body, "shear", part, SHEAR, SERIOUS_SHEAR if size > SMALL else np.inf, sentence)


def shell_shear(result: Result, body: Body) -> Iterator[Check]:
    """Check of a shell that is too thick for a theory without shear across it."""
    record = result.data.compiled.flexible.get(body.name)
    if record is None or not record.modal.n:
        return
    q = result.q[:, record.q] - record.modal.rest_coordinates
    which = usable_times(q, q, TIMES)
    energy = 0.5 * np.einsum("ka,ab,kb->k", q[which], record.modal.K, q[which])
    largest = energy.max(initial=0.0)
    if not largest > 0.0:
        return
    left_out = record.body.shear_energies(q[which], record.point_masses)
    if left_out is not None:
        yield shear_energy(body, float(left_out.max() / largest))


def shear_energy(body: Body, part: float) -> Check:
    """Check of the part of the strain energy that shear would hold, which is left out."""

    def sentence(value: float, _: str) -> str:
        return (
            "it is thick for its deflections, which shear across the thickness would increase by "
            f"up to {100 * value:.2g} %, expected at most {100 * SHEAR:g} %: thin plates and "
            "shells have no shear; use solid elements"
        )

    return Check(body, "shear", part, SHEAR, SERIOUS_ENERGY, sentence)


class Member(NamedTuple):
    """A beam, or a member of a frame structure.

    Attributes
    ----------
    length : m
    section, material : of it
    ends : that are clamped, 0 to 2
    forces : section forces of a view of the body at a part of the length
    """

    length: float
    section: Any
    material: Any
    ends: int
    forces: Callable[[Any, float], Any]

    @property
    def excess(self) -> float:
        """Part by which it twists more than it would with clamped ends that do not warp."""
        section, material = self.section.at(0.5), self.material
        if not self.ends or not section.warping_constant > 0.0:
            return 0.0
        rate = np.sqrt(material.G * section.J / (material.E * section.warping_constant))
        x = float(rate * self.length / self.ends)
        return float(x / (x - np.tanh(x)) - 1.0)


def warping(result: Result, body: Any) -> Iterator[Check]:
    """Check of a beam or frame that twists too much because its clamped ends cannot warp."""
    framed = body.view in ("members", "segmented_members")
    members = _frame_members(result, body) if framed else _beam_members(result, body)
    excesses = np.array([member.excess for member in members])
    if not np.any(excesses >= EXCESS):
        return
    hindered = np.where(excesses >= EXCESS, _twist_shares(result, body, members), 0.0)
    if not hindered.sum() > TWISTED:
        return
    k = int(np.argmax(hindered))
    whose, where, least = "its sections", "its end is", ""
    if framed:
        member = body.members[k]
        whose = f"sections of its member {k} from {member.start!r} to {member.end!r}"
        where = "it is"
    elif members[k].ends > 1:  # loads between clamped ends hinder it further
        where, least = "its ends are", "at least "

    def sentence(excess: float, _: str) -> str:
        return (
            f"{whose} are free to warp, but {where} clamped: it would twist "
            f"{least}{100 * (1.0 - 1.0 / (1.0 + excess)):.2g} % less if that keeps the end from "
            "warping; use a Section with the torsion constant that you need, or "
            "ISection(..., warping='free') if the ends do warp"
        )

    yield Check(body, "warping", float(excesses[k]), EXCESS, SERIOUS_EXCESS, sentence)


def _beam_members(result: Result, body: Any) -> list[Member]:
    """A beam as the one member of itself; none of other bodies."""
    if not body.is_beam:
        return []
    places = (float(frame.position[0]) / body.length for frame in _clamped(result, body))
    ends = {end for place in places for end in (0, 1) if abs(place - end) < 1e-6}

    def forces(view: Any, s: float) -> Any:
        return view.at(s * body.length).section_forces()

    return [Member(body.length, body.section, body.material, len(ends), forces)]


def _frame_members(result: Result, body: Any) -> list[Member]:
    """Members of a frame structure."""
    nodes, members = list(body.nodes), []
    clamped = {nodes[int(body.station(frame))] for frame in _clamped(result, body)}
    for k, member in enumerate(body.members):
        start, end = (np.asarray(body.nodes[node]) for node in (member.start, member.end))
        ends = len({member.start, member.end} & clamped)

        def forces(view: Any, s: float, k: int = k) -> Any:
            return view.section_forces(k, s)

        length = float(np.linalg.norm(end - start))
        members.append(Member(length, member.section, member.material, ends, forces))
    return members


def _clamped(result: Result, body: Any) -> list[Any]:
    """Frames of a body that joints without any freedom hold."""
    welds = [joint for joint in result.joints.values() if not joint.motions]
    return [f for joint in welds for f in (joint.A, joint.B) if f.body.name == body.name]


def _twist_shares(result: Result, body: Any, members: Sequence[Member]) -> Array:
    """Parts (members,) of the strain energy of a body that twist of each member holds."""
    none = np.zeros(len(members))
    which = usable_times(result.q, result.q, TIMES)
    if not len(which):
        return none
    view = cast("Any", at_times(result, which))[body.name]
    twisted, whole = np.zeros((len(none), len(which))), np.zeros(len(which))
    for k, member in enumerate(members):
        E, G = member.material.E, member.material.G
        for s in STATIONS:
            section = member.section.at(s)
            try:
                forces = member.forces(view, s)
            except ModelError:
                return none
            twist = member.length * forces.T**2 / (G * section.J)
            bent = forces.My**2 / section.I_y + forces.Mz**2 / section.I_z
            twisted[k] += twist
            whole += twist + member.length * (forces.N**2 / section.area + bent) / E
    largest = whole.max(initial=0.0)
    return np.asarray(twisted.max(axis=1) / largest) if largest > 0.0 else none
