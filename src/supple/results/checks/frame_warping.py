"""Members of frame structures with open sections whose clamped ends cannot warp.

As of beams (`supple.results.checks.warping_findings`): a member ends in a node that a joint without
any freedom holds. What holds the nodes between members back is not known, so that they count as
free.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from supple.foundation.errors import ModelError, label
from supple.results.data.findings import Finding
from supple.results.flexibility.geometric_stiffness import sampled
from supple.results.views.body_loads import at_times

if TYPE_CHECKING:
    from supple.results.result import Result

Array = NDArray[np.float64]

TIMES = 6  # that are looked at
STATIONS = (0.1, 0.3, 0.5, 0.7, 0.9)  # of the length of a member
TWISTED = 0.05  # part of the strain energy from which twist matters
EXCESS, SERIOUS = 0.05, 0.5  # how much more a member may twist than it would


def of_members(result: Result, body: Any) -> Iterator[Finding]:
    """A finding if members twist too much because their clamped ends cannot warp."""
    excesses = np.array([_excess(result, body, k) for k in range(len(body.members))])
    if not np.any(excesses >= EXCESS):
        return
    shares = _twist_shares(result, body)
    hindered = np.where(excesses >= EXCESS, shares, 0.0)
    if not hindered.sum() > TWISTED:
        return
    k = int(np.argmax(hindered))
    excess, member = float(excesses[k]), body.members[k]
    less = 1.0 - 1.0 / (1.0 + excess)
    yield Finding(
        body.name,
        "warping",
        excess,
        EXCESS,
        None,
        excess > SERIOUS,
        f"{label(body)}: sections of its member {k} from {member.start!r} to {member.end!r} are "
        f"free to warp, but it is clamped: it would twist {100 * less:.2g} % less if that keeps "
        "the end from warping; use a Section with the torsion constant that you need, or "
        "ISection(..., warping='free') if the ends do warp",
    )


def _excess(result: Result, body: Any, k: int) -> float:
    """How much more a member twists than it would with clamped ends that do not warp."""
    member = body.members[k]
    section, material = member.section.at(0.5), member.material
    ends = len({member.start, member.end} & _clamped(result, body))
    if not ends or not section.warping_constant > 0.0:
        return 0.0
    start, end = (np.asarray(body.nodes[node]) for node in (member.start, member.end))
    rate = np.sqrt(material.G * section.J / (material.E * section.warping_constant))
    x = float(rate * np.linalg.norm(end - start) / ends)
    return float(x / (x - np.tanh(x)) - 1.0)


def _clamped(result: Result, body: Any) -> set[Any]:
    """Nodes that joints without any freedom hold."""
    nodes = list(body.nodes)
    return {
        nodes[int(body.station(frame))]
        for joint in result.joints.values()
        if not joint.motions
        for frame in (joint.A, joint.B)
        if frame.body.name == body.name
    }


def _twist_shares(result: Result, body: Any) -> Array:
    """Parts (members,) of the strain energy of a frame that twist of each member holds."""
    none = np.zeros(len(body.members))
    good = np.flatnonzero(np.all(np.isfinite(result.q), axis=1))
    if not len(good):
        return none
    which = good[sampled(result.q[good], TIMES)]
    view = cast("Any", at_times(result, which))[body.name]
    twisted, whole = np.zeros((len(none), len(which))), np.zeros(len(which))
    for k, member in enumerate(body.members):
        length = float(
            np.linalg.norm(np.subtract(body.nodes[member.end], body.nodes[member.start]))
        )
        E, G = member.material.E, member.material.G
        for s in STATIONS:
            section = member.section.at(s)
            try:
                forces = view.section_forces(k, s)
            except ModelError:
                return none
            twist = length * forces.T**2 / (G * section.J)
            bent = forces.My**2 / section.I_y + forces.Mz**2 / section.I_z
            twisted[k] += twist
            whole += twist + length * (forces.N**2 / section.area + bent) / E
    largest = whole.max(initial=0.0)
    return np.asarray(twisted.max(axis=1) / largest) if largest > 0.0 else none
