"""YAML text of plain values: what `tree.parse` reads again as the same."""

from __future__ import annotations

import math
import re
from typing import Any

from supple.io.modelfiles.tree import read_scalar

LONGEST_LINE = 100
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.+*/^-]*( [A-Za-z0-9_.+*/^-]+)*")


def scalar(value: Any) -> str:
    """A number, text, truth value or None."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isinf(value):
            return ".inf" if value > 0.0 else "-.inf"
        return repr(value)
    text = str(value)
    plain = _PLAIN.fullmatch(text) and isinstance(read_scalar(text), str)
    return text if plain else quoted(text)


def quoted(text: str) -> str:
    """A text in quotes, with codes for what cannot be seen."""
    codes = (c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in text)
    return f'"{"".join(codes)}"'


def key(value: Any) -> str:
    """A key; a text of digits is in quotes, because without them it is a number."""
    return str(value) if isinstance(value, int) else scalar(value)


def flow(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    return scalar(value)


def block(values: dict[Any, Any], indent: int = 0) -> list[str]:
    """The lines of a mapping: what is short in one line, the rest in blocks."""
    lines = []
    for name, value in values.items():
        head, short = f"{' ' * indent}{key(name)}:", flow(value)
        if (
            value
            and isinstance(value, (dict, list))
            and (len(head + short) >= LONGEST_LINE or (indent == 0 and isinstance(value, dict)))
        ):
            lines += [head, *_lines(value, indent + 2)]
        else:
            lines.append(f"{head} {short}")
    return lines


def _lines(value: Any, indent: int) -> list[str]:
    """The lines of something long, each entry of a list behind a dash."""
    if isinstance(value, dict):
        return block(value, indent)
    if not any(isinstance(entry, (dict, list)) for entry in value):
        return [f"{' ' * indent}{flow(value)}"]
    lines = []
    for entry in value:
        if entry and isinstance(entry, (dict, list)) and len(flow(entry)) >= LONGEST_LINE:
            first, *rest = _lines(entry, indent + 2)
            lines += [f"{' ' * indent}- {first.lstrip()}", *rest]
        else:
            lines.append(f"{' ' * indent}- {flow(entry)}")
    return lines
