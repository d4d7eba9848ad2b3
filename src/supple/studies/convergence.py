"""converge: how a result changes with the number of modes or elements, or any other field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.run.options import MethodOptions, takes
from supple.analyses.run.simulate import simulate
from supple.events import Event
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure
from supple.foundation.calls import public
from supple.foundation.errors import ModelError, SuppleError, without_warnings
from supple.foundation.frames import Body
from supple.integrators.run.driver import Progress
from supple.integrators.run.interruption import raised_at_once
from supple.model import Model
from supple.results.files.dataset import quantity
from supple.results.plot import COLOURS, INK, blank_figure, dress
from supple.results.result import Result

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

Output = str | Callable[[Result], ArrayLike]

TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)


@public
class Convergence:
    """Changes of an output from value to value; the last value counts as the finest.

    Attributes
    ----------
    what, output : the field that was varied, and the name of the output
    values : n values in the order of the study
    outputs : n arrays of the same shape, time first
    results : n results
    differences : (n - 1,) largest difference to the finest, in units of the output
    changes : (n - 1,) largest difference to the next value
    ratios : (n - 2,) of one change to the next: how quickly it converges
    rates : (n - 2,) log(ratio) / |log(value / next value)|, the observed order if changes go with a
        power of the value; NaN where values are not positive numbers
    size : largest value of the finest output
    seconds : (n,) processor time of the runs
    """

    def __init__(
        self,
        what: str,
        output: str,
        values: Sequence[Any],
        results: Sequence[Result],
        outputs: Sequence[Array],
    ) -> None:
        self.what, self.output = what, output
        self.values, self.results, self.outputs = tuple(values), tuple(results), tuple(outputs)
        finest = self.outputs[-1]
        self.size = float(np.abs(finest).max(initial=0.0))
        self.differences = np.array([_distance(y, finest) for y in self.outputs[:-1]])
        pairs = zip(self.outputs, self.outputs[1:], strict=False)
        self.changes = np.array([_distance(x, y) for x, y in pairs])
        with np.errstate(divide="ignore", invalid="ignore"):
            self.ratios = self.changes[:-1] / self.changes[1:]
            self.rates = np.log(self.ratios) / np.abs(np.log(_steps(self.values)))[:-1]
        self.seconds = np.array([float(r.statistics.get("cpu_seconds", np.nan)) for r in results])

    def enough(self, relative: float = 0.01) -> Any:
        """Return the first value from which on all differ from the finest by less; None if none.

        ``relative`` is a fraction of the largest finest output.
        """
        good = None
        for value, difference in zip(self.values[-2::-1], self.differences[::-1], strict=True):
            if difference > relative * self.size:
                break
            good = value
        return good

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with one row for each value."""
        import pandas as pd

        n = len(self.values)
        columns = {
            "difference": _padded(self.differences, n, 0.0),
            "change": _padded(self.changes, n),
            "ratio": _padded(self.ratios, n),
            "rate": _padded(self.rates, n),
            "seconds": self.seconds,
        }
        index = pd.Index([str(v) for v in self.values], name=self.what)
        return pd.DataFrame(columns, index=index)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the outputs over time, and the differences to the finest over the values.

        Of an output with several components the one that varies most is drawn.
        """
        figure, (top, bottom) = blank_figure(6.0, 2, 1)
        finest = self.outputs[-1].reshape(len(self.outputs[-1]), -1)
        k = int(np.argmax(np.ptp(finest, axis=0)))
        part = ["", *"xyz"][k + 1] if finest.shape[1] == 3 else ""
        over_time = len(finest) == len(self.results[-1].t) and len(finest) > 1
        for i, (value, y) in enumerate(zip(self.values, self.outputs, strict=True)):
            line = y.reshape(len(y), -1)[:, k]
            last = i == len(self.values) - 1
            style: dict[str, Any] = {"color": COLOURS[i % len(COLOURS)], "lw": 1.2}
            if last:
                style = {"color": INK, "lw": 1.4, "ls": (0, (4, 2))}
            x = self.results[i].t if over_time else np.arange(len(line))
            top.plot(x, line, label=str(value), marker=None if len(line) > 1 else "o", **style)
        dress(top, "time (s)" if over_time else "", f"{self.output} {part}".strip())
        relative = self.differences / (self.size or 1.0)
        numbers = _numbers(self.values)
        x = np.arange(len(self.values), dtype=float) if numbers is None else numbers
        bottom.plot(x[:-1], np.maximum(relative, 1e-16), "o-", color=COLOURS[0], lw=1.2)
        bottom.set_yscale("log")
        if numbers is None:
            bottom.set_xticks(x[:-1], [str(v) for v in self.values[:-1]])
        elif numbers.min() > 0.0 and numbers.max() / numbers.min() > 4.0:
            bottom.set_xscale("log")
            bottom.set_xticks(x[:-1], [f"{v:g}" for v in numbers[:-1]], minor=False)
            bottom.minorticks_off()
        else:
            bottom.set_xticks(x[:-1], [f"{v:g}" for v in numbers[:-1]])
        dress(bottom, self.what, f"difference to {self.values[-1]} / largest value")
        return save_figure(figure, path)

    def __repr__(self) -> str:
        width = max(len(self.what), 10, *(len(str(v)) for v in self.values))
        n = len(self.values)
        lines = [
            f"Convergence of {self.output} with {self.what}, largest value {self.size:.4g}",
            f"  {self.what:>{width}}  {'to finest':>10}  {'to next':>10}  {'ratio':>7}  "
            f"{'rate':>6}  {'seconds':>8}",
        ]
        columns = (
            _padded(self.differences, n),
            _padded(self.changes, n),
            _padded(self.ratios, n),
            _padded(self.rates, n),
        )
        for k, value in enumerate(self.values):
            cells = zip((column[k] for column in columns), (10, 10, 7, 6), strict=True)
            row = "  ".join(f"{c:>{w}.3g}" if np.isfinite(c) else " " * w for c, w in cells)
            lines.append(f"  {value!s:>{width}}  {row}  {self.seconds[k]:8.3g}")
        return "\n".join(lines)


@takes(MethodOptions)
def converge(
    model: Model,
    what: str,
    *,
    t_end: float,
    values: Sequence[Any] | None = None,
    output: Output | None = None,
    times: int | float | ArrayLike | None = None,
    events: Event | Sequence[Event] = (),
    progress: bool | Progress | None = None,
    **options: Unpack[MethodOptions],
) -> Convergence:
    """Run a model with several values of one field and tell how an output changes.

    Parameters
    ----------
    what : "object.field"
        For example "link2.modes", "link2.elements" or "link2.material.E"; "tolerance" varies that
        of the integrator. The model itself stays as it is.
    t_end : end of the runs, s
    values : sequence, optional
        From coarse to fine. By default modes or sines 1, 2, ... 6 (as far as there are), elements
        1, 2, 4, 8, tolerances 1e-4 ... 1e-10; other fields have no default.
    output : str or callable, optional
        A text as "link2.at(0.5).deflection", see `supple.results.files.dataset.quantity`, or a
        function of the result that returns a number or an array. By default the deflection of the
        beam's end (of its middle if its frame is the chord), or the positions of all bodies if the
        object is no beam.
    times : output times of the runs, as ``output`` of `simulate`
    events, progress, options : passed on to `simulate`

    A run that does not reach its end raises.
    """
    if not isinstance(model, Model):
        raise ModelError("converge", "model", model, "a Model")
    validate.text("converge", "what", what, "'object.field', e.g. 'link2.modes'")
    name, _, field = what.partition(".")
    if what != "tolerance" and not field:
        raise ModelError("converge", "what", what, "'object.field', e.g. 'link2.modes'")
    item = None if what == "tolerance" else model[name]
    values = _values(model, what, values)
    label, read = _output(item, output)
    results: list[Result] = []
    outputs: list[Array] = []
    for value in values:
        varied, settings = model.copy(), options.copy()
        # About modes that belong together, and about runs that fail: the latter raise below.
        with without_warnings(), raised_at_once():
            if what == "tolerance":
                settings["tolerance"] = value
            else:
                varied.replace(name, **{field: value})
            told: Any = {"output": times, "events": events, "progress": progress}
            result = simulate(varied, t_end, **told, **settings)
        if not result.success:
            raise SuppleError(f"converge: the run with {what} = {value} {result.message}")
        found = np.atleast_1d(_number(label, read, result))
        if outputs and found.shape != outputs[0].shape:
            raise SuppleError(
                f"converge: the output has the shape {found.shape} with {what} = {value}, "
                f"expected {outputs[0].shape} as before"
            )
        results.append(result)
        outputs.append(found)
    return Convergence(what, label, values, results, outputs)


def _number(label: str, read: Callable[[Result], ArrayLike], result: Result) -> Array:
    """Values of an output, as an array."""
    expected = "a function of the result that returns a number or an array"
    try:
        return np.asarray(read(result), dtype=float)
    except SuppleError:
        raise
    except (TypeError, ValueError) as reason:
        raise ModelError.plain(
            f"converge: output {label!r} fails ({reason}), expected {expected}"
        ) from reason


def _values(model: Model, what: str, values: Sequence[Any] | None) -> list[Any]:
    name, _, field = what.partition(".")
    if values is None:
        if what == "tolerance":
            return list(TOLERANCES)
        item = model[name]
        usual = item.usual_values(field) if isinstance(item, Body) else ()
        if not usual:
            raise SuppleError(f"converge: {what!r} has no usual values, expected values=[...]")
        values = [v for v in usual if _possible(model, name, field, v)]
    values = validate.listed("converge", "values", values, "values from coarse to fine")
    if len(values) < 2:
        raise SuppleError(f"converge: found {len(values)} values, expected at least two")
    return values


def _possible(model: Model, name: str, field: str, value: Any) -> bool:
    try:
        with without_warnings():
            model.copy().replace(name, **{field: value})
    except ModelError:
        return False
    return True


def _output(item: Any, output: Output | None) -> tuple[str, Callable[[Result], ArrayLike]]:
    if callable(output):
        return getattr(output, "__name__", "output").replace("<lambda>", "output"), output
    if isinstance(output, str):
        return output, lambda result: quantity(result, output)
    if output is not None:
        raise ModelError("converge", "output", output, "a text or a function")
    place = item.telling_place if isinstance(item, Body) else None
    if place is not None:
        text, short = (
            f"{item.name}.at({', '.join(format(x, digits) for x in place)}).deflection"
            for digits in (".17g", "g")
        )
        return short, lambda result: quantity(result, text)
    return "positions of all bodies", lambda result: result.data.history.p


def _distance(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max(initial=0.0))


def _numbers(values: Sequence[Any]) -> Array | None:
    if all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
        return np.array(values, dtype=float)
    return None


def _steps(values: Sequence[Any]) -> Array:
    """(n - 1,) ratio of each value to the one before; NaN if they are no positive numbers."""
    numbers = _numbers(values)
    if numbers is None or numbers.min() <= 0.0:
        return np.full(len(values) - 1, np.nan)
    return np.asarray(numbers[1:] / numbers[:-1])


def _padded(column: Array, n: int, fill: float = np.nan) -> Array:
    return np.concatenate([column, np.full(n - len(column), fill)])
