"""Libraries that only some ways into a mesh need; each comes with an extra of the package."""

from __future__ import annotations

import importlib
from typing import Any

from supple.foundation.errors import SuppleError


class MissingExtraError(SuppleError, ImportError):
    """A library is not installed that an optional part of Supple needs."""


def need(module: str, distribution: str, extra: str, purpose: str) -> Any:
    """Import a module, or say in one sentence how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as reason:
        raise MissingExtraError(
            f"{purpose} need the package {distribution} ({reason}), "
            f"install it with: pip install 'supple[{extra}]'"
        ) from reason
