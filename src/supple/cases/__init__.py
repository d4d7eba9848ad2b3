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

_MODULES = (
    "supple.cases.huang",
    "supple.cases.huang_flexible",
    "supple.cases.huang_eight_link",
    "supple.cases.huang_rig",
    "supple.cases.huang_stiffening",
    "supple.cases.huang_order_n",
    "supple.cases.zhao",
    "supple.cases.zhao_static",
    "supple.cases.zhao_flexible",
    "supple.cases.duffing",
    "supple.cases.richard",
    "supple.cases.richard_four_bar",
    "supple.cases.richard_panels",
    "supple.cases.jonker",
    "supple.cases.large_deflection",
    "supple.cases.spacar",
    "supple.cases.nada",
    "supple.cases.rotating",
    "supple.cases.nada_arm",
    "supple.cases.gradient_tables",
    "supple.cases.gradient_elastica",
    "supple.cases.gradient_arm",
    "supple.cases.gradient_motion",
    "supple.cases.slider_crank_all",
    "supple.cases.plates",
    "supple.cases.ancf_plate",
    "supple.cases.mechanisms",
    "supple.cases.capstan",
)


def all() -> tuple[Case, ...]:
    """Return every case, in the order of its sources."""
    modules = (import_module(name) for name in _MODULES)
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
