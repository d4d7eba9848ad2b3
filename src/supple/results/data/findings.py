"""Checks and findings: quantities with limits, what is beyond them, and the monitor's report.

A `Check` is one quantity of a body over a run, its limit, and the sentence that is told beyond it.
The monitor of each kind of body is a list of them (`supple.results.monitor`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.errors import label
from supple.foundation.reports import Report

VALIDITY = ("valid", "doubtful", "not valid")
HEADER = ("body", "rotation", "strain", "deflection", "left out", "spin/lowest", "buckling")
WIDTHS = (12, 10, 9, 11, 9, 12, 9)
GRADES = {"valid": "good", "doubtful": "doubtful", "not valid": "bad"}


@dataclass(frozen=True)
class RunFinding:
    """Something that a run cannot tell, or tells wrongly."""

    where: str  # name of a joint, body or force; empty where it is the whole model
    # "output", "growth", "creep", "unstable", and of contacts "depth", "points", "hollow",
    # "border", "between", "grid", "tilt", "rolling", "restitution", "let go", "bend", "twist",
    # "gives back" or "passed through"; of tyres "depth", "slip", "relaxation", "camber", "load";
    # of what rolls "lifts" or "slips"
    what: str
    # value, limit: what was found at most, and what is allowed, in units of ``what``
    value: float
    limit: float
    time: float | None  # s, from when on; None where a whole run is judged
    serious: bool  # whether the results cannot be used without a look at it
    sentence: str  # all of it, and what to do

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Finding(RunFinding):
    """Something that leaves the range of a body's assumptions.

    ``what`` is "rotation", "strain", "deflection", "modes", "shear", "mesh", "spin", "stability",
    "load", "stretch", "buckling", "locking", "joint", "boundary layer", "sliding", "warping" or
    "damping"; of linear models "frequency", "frequencies" or "flexibility".
    """

    @property
    def body(self) -> str:
        """Name of the body, which is ``where``."""
        return self.where


@dataclass(frozen=True, eq=False)
class Extreme:
    """History of a quantity that should stay small."""

    t: Array  # (k,) s
    values: Array  # (k,) not negative

    @property
    def largest(self) -> float:
        """Largest value; 0 if there is none."""
        return float(self.values.max(initial=0.0))

    @property
    def time(self) -> float:
        """Time at which it is largest, s."""
        return float(self.t[int(np.argmax(self.values))]) if len(self.t) else 0.0

    def passes(self, limit: float) -> float | None:
        """The first time at which it is above a limit, s."""
        above = np.flatnonzero(~(self.values <= limit))
        return float(self.t[above[0]]) if len(above) else None


@dataclass(frozen=True, eq=False)
class Check:
    """A quantity of a body, and the limit up to which its model holds."""

    about: Any  # the body, or what is attached to it, whose name begins the sentence
    what: str  # word of the finding, see `Finding`
    # history of the quantity, or one number for the whole run; None where it is not known
    value: Extreme | float | None
    limit: float  # beyond which there is a finding
    serious: float  # beyond which it is a serious one
    # text behind the name, made of the largest value and of "from t = ... s on"
    sentence: Callable[[float, str], str]
    # s, when the limit was passed, of one number; None where a whole run is judged
    since: float | None = None

    def finding(self, body: str) -> Finding | None:
        """Finding about the body of a name; None if it is within the limit, or not known."""
        if self.value is None:
            return None
        if isinstance(self.value, Extreme):
            value, passed = self.value.largest, self.value.passes(self.limit)
            beyond = passed is not None
        else:
            value, passed, beyond = self.value, self.since, self.value > self.limit
        if not beyond:
            return None
        then = "" if passed is None else f"from t = {passed:.4g} s on"
        text = f"{label(self.about)}: {self.sentence(value, then)}"
        return Finding(body, self.what, value, self.limit, passed, not value <= self.serious, text)


def findings_of(body: str, checks: Iterable[Check]) -> tuple[Finding, ...]:
    """Findings of all checks of a body that are beyond their limits."""
    found = (check.finding(body) for check in checks)
    return tuple(finding for finding in found if finding is not None)


@dataclass(frozen=True)
class BodyMonitor:
    """Largest deformation, spin and loads of a flexible body over a run."""

    name: str  # of the body
    rotation: float  # rad, largest elastic rotation of its nodes
    strain: float  # largest principal strain; NaN where it is not known
    deflection: float = np.nan  # largest elastic displacement, in lengths of the body
    # part of the strain energy in the highest mode that moves; NaN if there is one
    highest_mode: float = np.nan
    # part of its deflections that its elastic coordinates leave out, or an estimate of what its
    # mesh misses; NaN if not known
    left_out: float = np.nan
    spin: float = 0.0  # rad/s, of the body's frame, as far as it pulls: of a beam across its axis
    lowest_frequency: float = 0.0  # rad/s, of the body in its frame
    # part of the bending stiffness that the spin takes, 1 if nothing is left; zero with stiffening
    lost_stiffness: float = 0.0
    # part of the load under which it buckles, as far as its model does not see that: by pressure
    # along it without stiffening, of a straight beam to the side by moments without twist of second
    # order; NaN if both are seen, or not known
    buckling: float = np.nan
    # largest part of the stiffness of a shape that its loads add or take; NaN with stiffening, or
    # if it is not known
    load_stiffness: float = np.nan
    # how much its loads would change its deflections, in parts of the largest; NaN as before
    load_change: float = np.nan
    findings: tuple[Finding, ...] = ()  # what is beyond a limit
    # part of its deflections by which its mesh is too stiff, or, negative, too soft, against a
    # finer one; NaN if it is not known
    mesh_error: float = np.nan

    def adding(self, findings: Iterable[Finding]) -> BodyMonitor:
        """Return a copy with more findings."""
        return replace(self, findings=(*self.findings, *findings))


def _order(finding: Finding) -> tuple[bool, float, float]:
    if finding.time is not None:
        return not finding.serious, finding.time, 0.0
    beyond = finding.value / finding.limit if finding.limit > 0.0 else finding.value
    return not finding.serious, np.inf, -round(beyond, 6) if np.isfinite(beyond) else 0.0


class Monitor:
    """Findings of the validity monitor: ``print(result.monitor)``.

    Attributes
    ----------
    bodies : `BodyMonitor` by name
    """

    def __init__(self, bodies: Mapping[str, BodyMonitor]) -> None:
        self.bodies = dict(bodies)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings: serious ones first, then by time, or by how far they are beyond."""
        found = [f for body in self.bodies.values() for f in body.findings]
        return tuple(sorted(found, key=_order))

    @property
    def level(self) -> str:
        """``"valid"``, ``"doubtful"`` or ``"not valid"``."""
        if any(f.serious for f in self.findings):
            return VALIDITY[2]
        return VALIDITY[1] if self.findings else VALIDITY[0]

    @property
    def verdict(self) -> str:
        """One line: the level, and the first finding."""
        if not self.bodies:
            return "no flexible bodies"
        if not self.findings:
            return "valid: all flexible bodies stay within the limits of their models"
        more = len(self.findings) - 1
        others = f" (and {more} more, see result.monitor)" if more else ""
        return f"{self.level}: {self.findings[0]}{others}"

    def adding(self, findings: Iterable[Finding]) -> Monitor:
        """Return a copy with more findings about its bodies."""
        bodies = dict(self.bodies)
        for finding in findings:
            bodies[finding.body] = bodies[finding.body].adding([finding])
        return Monitor(bodies)

    def __getitem__(self, name: str) -> BodyMonitor:
        return self.bodies[name]

    def __str__(self) -> str:
        lines = []
        for row in (HEADER, *map(_row, self.bodies.values())):
            cells = zip(row[1:], WIDTHS[1:], strict=True)
            told = (f"{cell:>{width}}" for cell, width in cells)
            lines.append(" ".join([f"{row[0]:<12}", *told]))
        return "\n".join([self.verdict, *lines, *(f"- {f}" for f in self.findings)])

    def _repr_html_(self) -> str:
        """Tables of bodies and findings, for notebooks."""
        bodies = [_row(b) for b in self.bodies.values()]
        table = Report(self.verdict, bodies, GRADES[self.level], HEADER if bodies else ()).html()
        if not self.findings:
            return table
        return table + Report("findings", [(str(f),) for f in self.findings]).html()

    def __repr__(self) -> str:
        return f"<Monitor {self.verdict}>"


def _row(b: BodyMonitor) -> tuple[str, ...]:
    ratio = b.spin / b.lowest_frequency if b.lowest_frequency > 0.0 else 0.0
    numbers = f"{b.rotation:.3g}", f"{b.strain:.2g}", f"{b.deflection:.3g}"
    return (b.name, *numbers, f"{b.left_out:.2g}", f"{ratio:.3g}", f"{b.buckling:.2g}")
