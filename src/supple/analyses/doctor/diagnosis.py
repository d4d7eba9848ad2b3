"""Diagnosis: what ``model.doctor()`` found, as fields and as a report."""

from __future__ import annotations

from dataclasses import dataclass, field

from supple.foundation.reports import Report


@dataclass(frozen=True)
class Loop:
    """A closed loop: the joint or constraint that closes it, and the joints around it."""

    closed_by: str
    joints: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.closed_by}: {', '.join((self.closed_by, *self.joints))}"


@dataclass(frozen=True)
class Change:
    """A joint coordinate, or rate, that assembly changes; ``unit`` rad, m or 1, or per second."""

    joint: str
    coordinate: str
    before: float
    after: float
    unit: str

    def __str__(self) -> str:
        name, moved = f"{self.joint}.{self.coordinate}", self.after - self.before
        return f"{name} {self.before:.6g} -> {self.after:.6g} {self.unit} ({moved:+.3g})"


@dataclass(frozen=True)
class Finding:
    """Something to know about a model: a sentence, what to do, and whether it prevents a run."""

    text: str
    advice: str
    severe: bool


@dataclass(frozen=True)
class Diagnosis:
    """Findings of the doctor; ``print`` it.

    Attributes
    ----------
    model : name of the model
    bodies, joints : their names
    velocities, rows, freedom : numbers of velocities and of constraint rows, and the degrees of
        freedom that are left (velocities less independent rows); None if it was not found out
    place_freedom : the same without constraints that hold velocities alone: of the places that can
        be reached
    loops : closed loops
    redundant : rows that follow from others everywhere, "Revolute 'C' (place along y)"
    shared : joints whose reactions are not unique because of redundant rows
    singular : the singular position in which the model starts, or nothing
    massless : motions without mass
    moved, rates : coordinates and rates that assembly changes
    gaps : loops that cannot be closed, with their gap
    drivers : drivers that cannot be followed
    findings : all this in sentences, with advice; severe ones first
    """

    model: str
    bodies: tuple[str, ...] = ()
    joints: tuple[str, ...] = ()
    velocities: int | None = None
    rows: int | None = None
    freedom: int | None = None
    place_freedom: int | None = None
    loops: tuple[Loop, ...] = ()
    redundant: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    singular: str = ""
    massless: tuple[str, ...] = ()
    moved: tuple[Change, ...] = ()
    rates: tuple[Change, ...] = ()
    gaps: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = field(default=())

    @property
    def ok(self) -> bool:
        """True if nothing was found that prevents a run or makes it doubtful."""
        return not any(finding.severe for finding in self.findings)

    def __str__(self) -> str:
        return self._report.text(10)

    def _repr_html_(self) -> str:
        """Table for notebooks."""
        return self._report.html()

    @property
    def _report(self) -> Report:
        rows: list[tuple[str, str]] = []
        if self.velocities is not None:
            free = "unknown" if self.freedom is None else str(self.freedom)
            counts = f"{self.velocities} velocities, {self.rows} constraint rows"
            if self.place_freedom not in (None, self.freedom):
                free = f"{free} of velocities, {self.place_freedom} of places"
            rows.append(("freedom", f"{free} ({counts}, {len(self.redundant)} of them redundant)"))
        for title, items in (
            ("loop", self.loops),
            ("redundant", self.redundant),
            ("moved", self.moved),
            ("rate", self.rates),
        ):
            rows += [(title, str(item)) for item in items]
        if self.shared:
            rows.append(("shared", f"reactions of {', '.join(self.shared)} are not unique"))
        for finding in self.findings:
            rows.append(("problem" if finding.severe else "note", finding.text))
            if finding.advice:
                rows.append(("", f"-> {finding.advice}"))
        return Report(
            f"Model '{self.model}': {len(self.bodies)} bodies, {len(self.joints)} joints, "
            f"{'ready to run' if self.ok else 'NOT ready to run'}",
            rows,
            "good" if self.ok else "bad",
        )

    __repr__ = __str__
