"""Problems from the literature with independent reference numbers.

``cases.all()`` lists them, ``cases.get("huang-rigid").run()`` compares one with its reference.
``run(integrator=..., until=...)`` does so with another method, or only up to a time.
Tests, the gallery, benchmarks and ``supple cases`` use the same objects.

How to add one is in CONTRIBUTING.md, "A case".
"""

from __future__ import annotations

from importlib import import_module

from supple.cases.case import Case, ModelCase, Quantity
from supple.errors import SuppleError, suggestion

__all__ = ["Case", "ModelCase", "Quantity", "all", "get", "names"]

_FILES = (
    "huang",
    "huang_flexible",
    "huang_eight_link",
    "huang_rig",
    "huang_stiffening",
    "huang_order_n",
    "zhao",
    "zhao_static",
    "zhao_flexible",
    "duffing",
    "richard",
    "richard_four_bar",
    "richard_panels",
    "jonker",
    "large_deflection",
    "spacar",
    "nada",
    "rotating",
    "nada_arm",
    "gradient_tables",
    "gradient_elastica",
    "gradient_arm",
    "gradient_motion",
    "slider_crank_all",
    "plates",
    "ancf_plate",
    "mechanisms",
    "capstan",
)


def all() -> tuple[Case, ...]:
    """Return every case, in the order of its sources."""
    modules = (import_module(f"supple.cases.{file}") for file in _FILES)
    return tuple(case for module in modules for case in module.CASES)


def names() -> list[str]:
    """Return the names of all cases."""
    return [case.name for case in all()]


def get(name: str) -> Case:
    """Return the case of that name; an unknown name is answered with the closest."""
    for case in all():
        if case.name == name:
            return case
    raise SuppleError(f"there is no case {name!r}, {suggestion(name, names())}")
