"""The energy and momentum audit: it says whether the numbers of a run may be trusted.

The integrator records the largest errors at *every accepted step* (`AuditRecord`,
`MomentumRecord`), so a verdict does not depend on the output grid. `EnergyAudit` and
`MomentumAudit` hold these records next to the histories on the output grid and put them in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.reports import Report

TRUSTED_BELOW = 1e-3  # Huang1998 section 3.3: the error must be orders below the energy of interest
DOUBTFUL_BELOW = 1e-1
# Of the largest energy: sums over some thousand steps in double precision. The weight of a model
# times its length counts as such an energy, wherever gravity has its zero: a place that is wrong by
# this part of the length changes the energy by as much. What is held by friction is right although
# its kinetic energy is nothing.
ROUNDING = 1e-12

STEADY = 1e-6  # of the kinetic energy: its range counts at least this much, in steady motion

LEVELS = ("trusted", "doubtful", "not trusted")


class AuditRecord(NamedTuple):
    """Extremes over all accepted steps of a run, in J."""

    max_error: float  # largest |E - E0 - work + dissipated|
    max_elastic: float  # largest elastic energy
    # kinetic_min, kinetic_max: smallest and largest kinetic energy
    kinetic_min: float
    kinetic_max: float
    max_energy: float  # largest magnitude of the energies that are summed
    initial_energy: float = math.nan  # E0 at the start of the run; NaN when unknown
    # range of all energies that are not kinetic, work and dissipation included
    exchanged: float = 0.0
    max_strain: float = 0.0  # largest strain energy of flexible bodies

    @property
    def kinetic_range(self) -> float:
        """Largest minus smallest kinetic energy, J."""
        return self.kinetic_max - self.kinetic_min


@dataclass(frozen=True)
class MomentumRecord:
    """One component of momentum that a symmetry of the model keeps constant."""

    name: str  # what is conserved, e.g. "angular momentum about y"
    initial: float  # its value at the start, in `unit`
    max_error: float  # largest |value - initial| over all accepted steps, in `unit`
    unit: str  # "kg m2/s" or "kg m/s"
    scale: float  # size of the terms that sum to it, in `unit`

    @property
    def ratio(self) -> float:
        """Largest error relative to the scale."""
        return _ratio(self.max_error, self.scale)

    @property
    def level(self) -> str:
        """``"trusted"``, ``"doubtful"`` or ``"not trusted"``."""
        return _level(self.ratio)


class EnergyAudit:
    """Energies on the output grid, J, and the verdict of the whole run.

    Attributes
    ----------
    kinetic, gravity, elastic : (nt,) energies; gravity is zero at the world origin
    strain : (nt,) the part of the elastic energy that is in flexible bodies
    work : (nt,) work done on the system by actuators and applied forces since the start
    dissipated : (nt,) energy lost in dampers since the start, positive
    created : (nt,) work since the start of internal forces to which no energy belongs (`Axial`):
        what the model itself adds; negative if it takes
    creates : whether there are such forces
    lost : (nt,) kinetic energy lost since the start in impacts, when joints lock
    total : (nt,) kinetic + gravity + elastic
    error : (nt,) total - initial total - work - created + dissipated + lost; zero in exact
        arithmetic
    record : `AuditRecord` over all accepted steps
    complete : whether the run reached its end; ``ending`` are words for a run that did not
    weight : J, weight of the model times its length: what a rounded place is worth
    """

    def __init__(
        self,
        energies: Array,
        work: Array,
        dissipated: Array,
        record: AuditRecord,
        complete: bool = True,
        strain: Array | None = None,
        created: Array | None = None,
        weight: float = 0.0,
        ending: str = "run failed",
        lost: Array | None = None,
    ) -> None:
        self.complete = complete
        self.weight = weight
        self.ending = ending
        self.kinetic: Array = energies[:, 0]
        self.gravity: Array = energies[:, 1]
        self.elastic: Array = energies[:, 2]
        self.strain: Array = np.zeros(len(energies)) if strain is None else strain
        self.work = work
        self.dissipated = dissipated
        self.creates = created is not None
        self.created: Array = np.zeros(len(energies)) if created is None else created
        self.loses = lost is not None
        self.lost: Array = np.zeros(len(energies)) if lost is None else lost
        self.total: Array = energies.sum(axis=1)
        self.record = record
        balance = self.total - work - self.created + dissipated + self.lost
        # The first output time need not be the start of the run.
        start = record.initial_energy
        if math.isnan(start) and len(balance):
            start = float(balance[0])
        self.error: Array = balance - start

    @property
    def exchanges(self) -> bool:
        """False when the kinetic energy is constant by physics: nothing is stored, fed in or lost.

        Its variation over the run is then the error itself and would be no yardstick.
        """
        record = self.record
        if record.kinetic_range > 2.0 * record.max_error + ROUNDING * self._largest:
            return True
        return record.exchanged > ROUNDING * self._largest

    @property
    def deforms(self) -> bool:
        """True when flexible bodies store energy, more than rounding."""
        return self.record.max_strain > ROUNDING * self._largest

    @property
    def reference(self) -> float:
        """Energy that the error is compared with, J.

        The largest strain energy of flexible bodies, which is often small next to the kinetic
        energy. If all bodies are rigid, the range of the kinetic energy: the energy of springs says
        nothing about them. In steady motion that range vanishes by nature, so it counts at least a
        millionth of the kinetic energy; a constant one is compared with its own size.
        """
        if self.deforms:
            return self.record.max_strain
        return max(self._range, STEADY * self.record.kinetic_max)

    @property
    def _range(self) -> float:
        return self.record.kinetic_range if self.exchanges else self.record.kinetic_max

    @property
    def ratio(self) -> float:
        """Largest error of the run relative to `reference`; zero when nothing moves and errs."""
        at_rounding = self.record.max_error <= ROUNDING * self._largest
        return 0.0 if at_rounding else _ratio(self.record.max_error, self.reference)

    @property
    def level(self) -> str:
        """``"trusted"``, ``"doubtful"`` or ``"not trusted"``."""
        return _level(self.ratio)

    @property
    def verdict(self) -> str:
        """One line, e.g. ``trusted: energy error 3e-09 J, strain energy 4.9e-02 J``.

        With forces to which no energy belongs it is a verdict on the integration alone, and says
        the most that the model ``created`` on the output grid.
        """
        if self.deforms:
            against = f"strain energy {self.reference:.1e} J"
        elif self.record.kinetic_max <= ROUNDING * self._largest:
            against = "nothing moves"
        elif not self.exchanges:
            against = f"constant kinetic energy {self.reference:.1e} J"
        elif self.reference > self._range:
            against = f"kinetic energy {self.record.kinetic_max:.1e} J, nearly constant"
        else:
            against = f"kinetic range {self.reference:.1e} J"
        start = "" if self.complete else f"{self.ending}; until then "
        end = ""
        if self.creates:  # a small error says nothing about such a model
            start += "integration "
            k = int(np.argmax(np.abs(self.created))) if len(self.created) else 0
            most = float(self.created[k]) if len(self.created) else 0.0
            end = f"; the model {'took' if most < 0.0 else 'created'} {abs(most):.0e} J"
        if self.loses:
            end += f"; {float(self.lost[-1]) if len(self.lost) else 0.0:.1e} J lost in impacts"
        return f"{start}{self.level}: energy error {self.record.max_error:.0e} J, {against}{end}"

    @property
    def _largest(self) -> float:
        return max(abs(self.record.max_energy), abs(self.record.kinetic_max), self.weight)

    def __repr__(self) -> str:
        return f"<EnergyAudit {self.verdict}>"

    def _repr_html_(self) -> str:
        """The verdict, and energies at the ends of the run, for notebooks."""
        kinds = ("kinetic", "gravity", "elastic", "work", "dissipated", "total", "error")
        rows = [
            (kind, f"{values[0]:.6g}", f"{values[-1]:.6g}", f"{np.abs(values).max():.6g}")
            for kind in kinds
            if len(values := getattr(self, kind))
        ]
        header = ("J", "at the beginning", "at the end", "largest")
        return Report(self.verdict, rows, graded(self.level), header).html()


class MomentumAudit:
    """The conserved components of momentum of a run (iterable), and the verdict on them."""

    def __init__(self, records: Sequence[MomentumRecord]) -> None:
        self.records = tuple(records)

    @property
    def level(self) -> str:
        """The worst level of all components; ``"trusted"`` when there are none."""
        return max((r.level for r in self.records), key=LEVELS.index, default="trusted")

    @property
    def max_error(self) -> float:
        """Largest error of all components, in their own units; zero when there are none."""
        return max((r.max_error for r in self.records), default=0.0)

    @property
    def verdict(self) -> str:
        """One line, e.g. ``trusted: constant angular momentum about y within 2e-14 kg m2/s``."""
        if not self.records:
            return "no conserved momentum is watched in this model"
        worst = max(self.records, key=lambda r: (LEVELS.index(r.level), r.ratio))
        count = len(self.records)
        others = f" (the worst of {count} components)" if count > 1 else ""
        return (
            f"{self.level}: constant {worst.name} within {worst.max_error:.0e} {worst.unit}{others}"
        )

    def __getitem__(self, index: int) -> MomentumRecord:
        return self.records[index]

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[MomentumRecord]:
        return iter(self.records)

    def __repr__(self) -> str:
        return f"<MomentumAudit {self.verdict}>"

    def _repr_html_(self) -> str:
        """The verdict and all components, for notebooks."""
        rows = [
            (r.name, f"{r.initial:.6g} {r.unit}", f"{r.max_error:.1e}", r.level)
            for r in self.records
        ]
        header = ("constant", "value", "largest error", "")
        return Report(self.verdict, rows, graded(self.level), header).html()


def graded(level: str) -> str:
    """A level as a grade: "good", "doubtful" or "bad"."""
    return ("good", "doubtful", "bad")[LEVELS.index(level)]


def _ratio(error: float, reference: float) -> float:
    if error == 0.0:
        return 0.0
    return error / reference if reference > 0.0 else math.inf


def _level(ratio: float) -> str:
    if ratio < TRUSTED_BELOW:
        return LEVELS[0]
    return LEVELS[1] if ratio < DOUBTFUL_BELOW else LEVELS[2]
