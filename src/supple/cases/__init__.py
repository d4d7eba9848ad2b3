"""Problems from the literature with independent reference numbers.

``cases.all()`` lists them, ``cases.get("huang-rigid").run()`` compares one with its reference.
``run(integrator=..., until=...)`` does so with another method, or only up to a time.
Tests, the gallery, benchmarks and ``supple cases`` use the same objects.

How to add one is in CONTRIBUTING.md, "A case".
"""

from __future__ import annotations

from importlib import import_module

from supple.cases.case import Case, ModelCase, Quantity
from supple.foundation.errors import SuppleError, suggestion

__all__ = ["Case", "ModelCase", "Quantity", "all", "get", "names"]

_MODULES = (
    "supple.cases.arms.huang",
    "supple.cases.arms.huang_flexible",
    "supple.cases.arms.huang_eight_link",
    "supple.cases.arms.huang_rig",
    "supple.cases.arms.huang_order_n",
    "supple.cases.arms.zhao",
    "supple.cases.beams.duffing",
    "supple.cases.linkages.richard",
    "supple.cases.linkages.richard_four_bar",
    "supple.cases.linkages.richard_panels",
    "supple.cases.linkages.jonker",
    "supple.cases.beams.large_deflection",
    "supple.cases.linkages.spacar",
    "supple.cases.arms.nada",
    "supple.cases.beams.rotating",
    "supple.cases.beams.ancf_tables",
    "supple.cases.beams.ancf_elastica",
    "supple.cases.beams.ancf_arm",
    "supple.cases.beams.ancf_motion",
    "supple.cases.beams.belt_drive",
    "supple.cases.linkages.slider_crank_all",
    "supple.cases.beams.plates",
    "supple.cases.beams.ancf_plates",
    "supple.cases.mechanisms",
    "supple.cases.linkages.capstan",
    "supple.cases.contacts",
    "supple.cases.contacts_compared",
    "supple.cases.contact_machines",
    "supple.cases.vehicles",
    "supple.cases.rolling",
    "supple.cases.rolling_compared",
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
