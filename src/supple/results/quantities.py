"""Quantities of a result by a short text: "elbow.angle", "link2.at(0.5).deflection.y"."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError, suggestion
from supple.results.files.dataset import variables
from supple.results.result import Result

_PLACE = re.compile(r"\.at\(([^()]*)\)")
_COMPONENTS = {"x": 0, "y": 1, "z": 2}
EXPECTED = "'object.quantity', e.g. 'elbow.angle', 'link2.at(0.5).deflection.y' or 'energy.total'"


def quantity(result: Result, text: str, views: dict[str, Any] | None = None) -> Array:
    """Return the history (nt, ...) that a text names.

    ``object.quantity`` is an attribute of ``result["object"]`` that is an array over time, or
    ``strain``; ``object.at(x, y, z).quantity`` is one of a point and ``object.far_end.quantity``
    one of the end of a beam, wherever that is. ``.local`` may come before the quantity, ``.x``,
    ``.y`` or ``.z`` after it. "energy.total" and the like are known too, and so are all variables
    of the dataset. ``views`` keeps views of objects for further quantities.
    """
    place = _PLACE.search(text)
    head, tail = (text[: place.start()], text[place.end() :]) if place else text.partition(".")[::2]
    words = [w for w in tail.split(".") if w]
    if not head or not words:
        raise SuppleError(f"the quantity {text!r} is not understood, expected {EXPECTED}")
    if head == "energy":
        view: Any = result.energy
    elif place is None and head not in result:
        return result.history(text)
    else:
        views = {} if views is None else views
        if head not in views:
            views[head] = result[head]
        view = views[head]
    if place is None and words[0] != "local" and not hasattr(view, words[0]):
        known = variables(result)  # elastic coordinates, for example
        if text in known:
            return known[text].values
    if place is not None:
        view = view.at(*_numbers(place.group(1), text))
    component = words.pop() if len(words) > 1 and words[-1] in _COMPONENTS else None
    values = _walk(view, words, text)
    if component is None:
        return values
    if values.ndim != 2 or values.shape[1] != 3:
        raise SuppleError(f"the quantity {text!r} has no component {component!r}: it is no vector")
    return values[:, _COMPONENTS[component]]


def _walk(view: Any, words: list[str], text: str) -> Array:
    """Follow ``far_end``, ``local`` and one public name to an array over time, and nothing else."""
    if len(words) > 1 and words[0] == "far_end" and getattr(view, "far_end", None) is not None:
        view, words = view.far_end, words[1:]
    if words[0] == "local":
        view, words = view.local, words[1:]
    if len(words) == 1 and not words[0].startswith("_"):
        found = getattr(view, words[0], None)
        if words[0] == "strain" and callable(found):
            found = found()
        if isinstance(found, np.ndarray) and np.issubdtype(found.dtype, np.floating):
            return found
    known = [n for n in dir(view) if not n.startswith("_")]
    word = words[0] if words else "local"
    raise SuppleError(f"the quantity {text!r} is not known, {suggestion(word, known)}")


def _numbers(inside: str, text: str) -> list[float]:
    try:
        return [float(part) for part in inside.split(",")]
    except ValueError:
        raise SuppleError(
            f"the quantity {text!r} has a place {inside!r}, expected one to three numbers"
        ) from None
