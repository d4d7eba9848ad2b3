"""Elastic coordinates of a body, and the damping that was given to it."""

from __future__ import annotations

from typing import Any

from supple.fem.base.damping import Damping


def bends(body: Any) -> bool:
    """True if the body has elastic coordinates; one with ``modes=0`` has none."""
    modes = getattr(body, "modes", None)
    return bool(body.deforms) and not (isinstance(modes, int) and modes == 0)


def takes_damping(body: Any) -> bool:
    """True if the body has a field for damping."""
    return hasattr(body, "damping")


def damping_of(body: Any) -> Damping | None:
    """The damping of a body; None without any, or where a file has it."""
    found: Damping | None = getattr(body, "damping", None)
    return found
