"""Designs: which values the parameters of a sweep have in each of its runs."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SuppleError

Scalar = float | int | str | bool
Row = dict[str, Scalar]

OWNER = "sweep"
DESIGNS = ("grid", "list", "random", "latin", "sobol", "saltelli")
COUNTED = ("random", "latin", "sobol", "saltelli")  # designs that ask for a number of runs
MOST_RUNS = 1_000_000
LARGEST = 2**63  # integers of the table are below it
EXPECTED = "a list of values or a text such as 'uniform(0.8, 1.2)'"
_CALL = re.compile(r"\s*([a-z]+)\s*\(([^()]*)\)\s*")
# Distributions and series, with what their numbers are.
SPREADS = {
    "uniform": ("low", "high"),
    "loguniform": ("low", "high"),
    "normal": ("mean", "deviation"),
    "triangular": ("low", "mode", "high"),
}
SERIES = {"linspace": ("low", "high", "count"), "geomspace": ("low", "high", "count")}


@dataclass(frozen=True)
class Spread:
    """A distribution: its kind and its numbers."""

    kind: str
    numbers: tuple[float, ...]

    def at(self, u: float) -> float:
        """The value below which a part u of all values is, 0 < u < 1."""
        if self.kind == "normal":
            from scipy.special import ndtri

            mean, deviation = self.numbers
            return mean + deviation * float(ndtri(u))
        if self.kind == "triangular":
            low, mode, high = self.numbers
            if u * (high - low) <= mode - low:
                return low + math.sqrt(u * (high - low) * (mode - low))
            return high - math.sqrt((1.0 - u) * (high - low) * (high - mode))
        low, high = self.numbers
        if self.kind == "loguniform":
            return float(low * (high / low) ** u)
        return low + u * (high - low)


@dataclass(frozen=True)
class Values:
    """Values that are listed; each is as likely as the others."""

    values: tuple[Scalar, ...]

    def at(self, u: float) -> Scalar:
        """The value of a part u of all, 0 < u < 1."""
        return self.values[min(int(u * len(self.values)), len(self.values) - 1)]


def parsed(owner: str, name: str, given: Any) -> Spread | Values:
    """Values of a parameter: a list, a single value, or a text that is a distribution."""
    field = f"parameters[{name!r}]"
    if isinstance(given, str):
        return _called(owner, field, given)
    if isinstance(given, (bool, int, float, np.generic)):
        return Values((scalar(owner, field, given),))
    values = validate.listed(owner, field, given, EXPECTED)
    if not values:
        raise ModelError(owner, field, given, EXPECTED)
    return Values(tuple(scalar(owner, field, value) for value in values))


def scalar(owner: str, field: str, value: Any) -> Scalar:
    """A number, text or truth value; not a number is one too, and its run will tell so."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if not isinstance(value, (bool, int, float, str)) or (
        isinstance(value, int) and abs(value) >= LARGEST
    ):
        raise ModelError(owner, field, value, "numbers, texts or truth values")
    return value


def _called(owner: str, field: str, text: str) -> Spread | Values:
    known = SPREADS | SERIES
    call = _CALL.fullmatch(text)
    shown = ", ".join(f"{kind}({', '.join(names)})" for kind, names in known.items())
    if call is None or call[1] not in known:
        raise ModelError(owner, field, text, f"a list of values or one of {shown}")
    kind, names = call[1], known[call[1]]
    try:
        numbers = tuple(float(word) for word in call[2].split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != len(names) or not all(map(math.isfinite, numbers)):
        raise ModelError(owner, field, text, f"{kind}({', '.join(names)}) with finite numbers")
    first, last = numbers[0], numbers[2 if kind == "triangular" else 1]
    if kind in ("loguniform", "geomspace") and min(first, last) <= 0.0:
        raise ModelError(owner, field, text, "limits above zero")
    if kind in SERIES:
        count = numbers[2]
        if count != round(count) or not 1 <= count <= MOST_RUNS:
            raise ModelError(owner, field, text, f"a count from 1 to {MOST_RUNS}")
        make = np.linspace if kind == "linspace" else np.geomspace
        values = make(first, last, int(count)).tolist()
        if not re.search("[.e]", call[2]) and all(v == round(v) for v in values):
            values = [int(v) for v in values]  # numbers of modes, for example
        return Values(tuple(values))
    if kind == "normal":
        if not last > 0.0:
            raise ModelError(owner, field, text, "a deviation above zero")
    elif not first < last or not first <= numbers[1] <= last:
        raise ModelError(owner, field, text, "a low that is below the high")
    return Spread(kind, numbers)


def rows(
    parameters: Mapping[str, Any], design: Any, runs: Any, seed: Any, owner: str = OWNER
) -> list[Row]:
    """The values of all parameters in each run.

    The first runs of a longer "random" or "sobol" design with the same seed are those of a shorter
    one. Of "saltelli" each of ``runs`` base points is one run of A, one of each parameter, and one
    of B (`supple.sweeps.study`).
    """
    if not isinstance(parameters, Mapping) or not parameters:
        raise ModelError(owner, "parameters", parameters, "names with their values")
    for name in parameters:
        validate.text(owner, "parameters", name, "names with their values")
    validate.choice(owner, "design", design, DESIGNS)
    validate.integer(owner, "seed", seed, 0, "zero or a positive integer")
    spreads = {name: parsed(owner, name, value) for name, value in parameters.items()}
    if design not in COUNTED:
        if runs is not None:
            raise ModelError(owner, "runs", runs, f"none: the lists tell it ({design!r})")
        return _listed(owner, spreads, design)
    expected = f"a number of runs from 1 to {MOST_RUNS}, which {design!r} needs"
    count = validate.integer(owner, "runs", runs, 1, expected)
    size = len(spreads)
    if count * (size + 2 if design == "saltelli" else 1) > MOST_RUNS:
        raise ModelError(owner, "runs", runs, f"at most {MOST_RUNS} runs in all")
    rng = np.random.default_rng(seed)
    if design == "random":
        points = rng.random((count, size))
    elif design == "latin":
        strata = np.stack([rng.permutation(count) for _ in range(size)], axis=1)
        points = (strata + rng.random((count, size))) / count
    elif design == "sobol":
        points = _sequence(owner, size, count, rng)
    else:
        points = _saltelli(_sequence(owner, 2 * size, count, rng))
    points = np.clip(points, 2.0**-54, 1.0 - 2.0**-53)
    return [
        {name: spread.at(u) for (name, spread), u in zip(spreads.items(), point, strict=True)}
        for point in points.tolist()
    ]


def _listed(owner: str, spreads: Mapping[str, Spread | Values], design: str) -> list[Row]:
    lists: dict[str, tuple[Scalar, ...]] = {}
    for name, spread in spreads.items():
        if isinstance(spread, Spread):
            expected = f"a list of values, or another design than {design!r}"
            raise ModelError(owner, f"parameters[{name!r}]", spread.kind, expected)
        lists[name] = spread.values
    sizes = [len(values) for values in lists.values()]
    if design == "grid":
        if math.prod(sizes) > MOST_RUNS:
            raise ModelError(owner, "parameters", math.prod(sizes), f"at most {MOST_RUNS} runs")
        combined = itertools.product(*lists.values())
    else:
        if len(set(sizes)) > 1:
            shown = ", ".join(map(str, sizes))
            raise SuppleError(f"{owner}: the lists have {shown} values, expected as many in each")
        combined = zip(*lists.values(), strict=True)  # type: ignore[assignment]
    return [dict(zip(lists, values, strict=True)) for values in combined]


def _sequence(owner: str, size: int, count: int, rng: np.random.Generator) -> Array:
    """(count, size) points of a scrambled Sobol sequence in the unit cube."""
    from scipy.stats import qmc

    if size > qmc.Sobol.MAXDIM:
        raise ModelError(owner, "parameters", size, f"at most {qmc.Sobol.MAXDIM} for Sobol points")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # numbers that are no powers of two
        try:
            made = qmc.Sobol(size, rng=rng)
        except TypeError:  # SciPy before 1.15
            made = qmc.Sobol(size, seed=rng)
        return np.asarray(made.random(count))


def _saltelli(pairs: Array) -> Array:
    """Points A, A with one coordinate of B, and B, of each pair (A, B) in turn."""
    count, size = len(pairs), pairs.shape[1] // 2
    a, b = pairs[:, :size], pairs[:, size:]
    points = np.repeat(a[:, None, :], size + 2, axis=1)
    for k in range(size):
        points[:, k + 1, k] = b[:, k]
    points[:, -1] = b
    return points.reshape(count * (size + 2), size)
