"""Checks of what the theories of sections, plates and shells leave out: shear and warping.

Beams of Euler and Bernoulli and thin shells have no shear: what it would add is in
`supple.results.flexibility.truncation`.

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
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, percent
from supple.results.data.findings import Check
from supple.results.flexibility.deformation import usable_times
from supple.results.views.body_loads import at_times

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.foundation.frames import Body
    from supple.results.result import Result


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
