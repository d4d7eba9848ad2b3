"""Sweep: the runs of a study as a table, with figures and sensitivities."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from supple.foundation.errors import SuppleError, suggestion
from supple.results.data.audit import LEVELS
from supple.sweeps.designs import Row
from supple.sweeps.one_run import Record

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from supple.sweeps.indices import SobolIndices

Array = NDArray[np.float64]
SHOWN = 5  # reasons of failed runs that are told
PERCENTILES = (5.0, 25.0, 50.0, 75.0, 95.0)


class Sweep:
    """What a sweep has found: ``sweep["elbow.angle @ max"]`` is a column; it prints a summary.

    Attributes
    ----------
    name : of the model, model file or function
    design, seed : as they were asked for
    parameters : n mappings of names to values, one for each run
    records : n `Record`: state, reason, verdict, seconds, outputs, time
    outputs, histories : names of all outputs, and of those that are kept at all output times
    folder : where the table is, or None
    made : runs that were made now; the others were in the table already, or are the same
    """

    def __init__(
        self,
        name: str,
        design: str,
        seed: int,
        parameters: list[Row],
        records: list[Record],
        outputs: tuple[str, ...],
        histories: tuple[str, ...],
        folder: Path | None,
        made: int,
    ) -> None:
        self.name, self.design, self.seed = name, design, seed
        self.parameters, self.records = parameters, records
        self.outputs, self.histories, self.folder, self.made = outputs, histories, folder, made

    def __len__(self) -> int:
        """Number of runs."""
        return len(self.records)

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(self.parameters[0])

    @property
    def done(self) -> NDArray[np.bool_]:
        """(n,) whether each run has reached its end."""
        return np.array([record.state == "done" for record in self.records])

    @property
    def failed(self) -> list[tuple[Row, str]]:
        """Parameters and reason of each run that failed."""
        pairs = zip(self.parameters, self.records, strict=True)
        return [(row, record.reason) for row, record in pairs if record.state == "failed"]

    @property
    def doubtful(self) -> list[tuple[Row, str]]:
        """Parameters and verdict of each run that reached its end and is not trusted."""
        pairs = zip(self.parameters, self.records, strict=True)
        return [
            (row, record.verdict)
            for row, record in pairs
            if record.verdict and not record.verdict.startswith(LEVELS[0])
        ]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """(n,) values of a parameter, or of an output, NaN where a run failed."""
        if name in self.varied:
            return np.array([row[name] for row in self.parameters])
        if name in self.histories:
            raise SuppleError(f"the output {name!r} is a history, expected sweep.history({name!r})")
        self._expect(name, self.outputs)
        return np.array([record.outputs.get(name, np.nan) for record in self.records], dtype=float)

    def history(self, name: str) -> tuple[Array, Array]:
        """Times (nt,) in s and values (n, nt) of an output that is a history.

        The times are those of the longest run; values of others are interpolated between theirs,
        and NaN after their end and where a run failed.
        """
        self._expect(name, self.histories)
        times = [record.time for record in self.records if record.time is not None]
        if not times:
            raise SuppleError(f"no run has the history {name!r}: all of them failed")
        t = max(times, key=lambda each: (each[-1], len(each)))
        values = np.full((len(self), len(t)), np.nan)
        for row, record in zip(values, self.records, strict=True):
            if record.time is not None:
                own = record.outputs[name]
                same = np.array_equal(record.time, t)
                row[:] = own if same else np.interp(t, record.time, own, right=np.nan)
        return t, values

    def _expect(self, name: str, known: tuple[str, ...]) -> None:
        if name not in known:
            every = [*self.varied, *known] if known is self.outputs else list(known)
            raise SuppleError(f"the sweep has no {name!r}, {suggestion(name, every)}")

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with one row for each run: parameters, outputs, state, reason, verdict."""
        import pandas as pd

        columns: dict[str, Any] = {name: self[name] for name in self.varied}
        columns |= {name: self[name] for name in self.outputs if name not in self.histories}
        for field in ("state", "reason", "verdict", "seconds"):
            columns[field] = [getattr(record, field) for record in self.records]
        return pd.DataFrame(columns)

    def indices(self, output: str, seed: int = 0) -> SobolIndices:
        """Return first-order and total Sobol indices of an output, of a "saltelli" design."""
        from supple.sweeps.indices import sobol_indices

        if self.design != "saltelli":
            raise SuppleError(
                f"the design is {self.design!r}, expected design='saltelli' for Sobol indices"
            )
        return sobol_indices(self[output], self.varied, output, seed)

    def plot_effects(self, output: str, path: str | Path | None = None) -> Figure:
        """Draw main effects: the mean of an output over each value, or part of the range."""
        from supple.sweeps.figures import effects

        return effects(self, output, path)

    def plot_scatter(self, output: str, path: str | Path | None = None) -> Figure:
        """Draw an output over each parameter, a dot for each run; those that failed below."""
        from supple.sweeps.figures import scatter

        return scatter(self, output, path)

    def plot_bands(
        self,
        output: str,
        path: str | Path | None = None,
        percentiles: tuple[float, ...] = PERCENTILES,
    ) -> Figure:
        """Draw percentiles of a history over time."""
        from supple.sweeps.figures import bands

        return bands(self, output, percentiles, path)

    def __repr__(self) -> str:
        done = int(self.done.sum())
        lines = [
            f"Sweep of {self.name}: {len(self)} runs ({self.design}), {done} done, "
            f"{len(self) - done} failed; {self.made} made now"
        ]
        numbers = [name for name in self.outputs if name not in self.histories]
        width = max([6, *map(len, numbers)])
        if numbers and done:
            lines.append(f"  {'output':<{width}}  {'min':>11}  {'median':>11}  {'max':>11}")
            for name in numbers:
                values = self[name][self.done]
                cells = (values.min(), float(np.median(values)), values.max())
                lines.append(f"  {name:<{width}}  " + "  ".join(f"{c:11.4g}" for c in cells))
        if self.doubtful:
            verdict = self.doubtful[0][1]
            lines.append(f"  {len(self.doubtful)} done but not trusted, see .doubtful: {verdict}")
        reasons = Counter(reason for _, reason in self.failed)
        lines += [f"  {count} failed: {why}" for why, count in reasons.most_common(SHOWN)]
        if len(reasons) > SHOWN:
            lines.append(f"  ... {len(reasons) - SHOWN} more reasons, see .failed")
        return "\n".join(lines)
