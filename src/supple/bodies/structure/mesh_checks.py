"""Checks of a component and its interfaces when a body is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.bodies.base.flexible import nearest_place
from supple.fem.base.component import Component
from supple.fem.base.damping import KelvinVoigt
from supple.fem.checks.component import rigid_force, unit_problems
from supple.fem.ties.interface import Interface
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label, warn_caller

# Forces of a rigid motion, relative, of a model that is held: digits of a file leave less.
HELD = 1e-6
NEEDED = ("nodes", "node_size", "size", "length", "mass_matrix", "stiffness_matrix")


def checked_component(owner: str, component: Any) -> Component:
    """Return a component of finite elements; refuse everything else."""
    if not all(hasattr(component, field) for field in (*NEEDED, "material_points")):
        expected = "a ShellMesh, SolidMesh or ImportedComponent"
        raise ModelError(owner, "component", component, expected)
    found: Component = component
    return found


def checked_interfaces(owner: str, given: Any, component: Component) -> tuple[Interface, ...]:
    """Return interfaces, each at a place of its own."""
    expected = "a sequence of Interfaces"
    if not isinstance(given, (list, tuple)):
        raise ModelError(owner, "interfaces", given, expected)
    for k, interface in enumerate(given):
        if not isinstance(interface, Interface):
            raise ModelError(owner, f"interfaces[{k}]", interface, "an Interface")
        others = [i.place for i in given[:k]]
        if others:
            # The nodes set the size against which two places are one.
            found = nearest_place(np.vstack([others, component.nodes]), interface.place)
            if not found.away and found.number < k:
                taken = f"another place than that of {label(given[found.number])}"
                raise ModelError(owner, f"place of {label(interface)}", interface.place, taken)
    return tuple(given)


def checked_damping(owner: str, component: Component, damping: Any) -> None:
    """Refuse viscosity of a material that the component does not know, or of shear alone."""
    if not isinstance(damping, KelvinVoigt):
        return
    if not hasattr(component, "material"):
        expected = "Rayleigh or ModalDamping, because imported matrices have no material"
        raise ModelError(owner, "damping", damping, expected)
    if damping.G is not None:
        expected = "None: the viscosity of a mesh is in proportion to its stiffness"
        raise ModelError(owner, "G of its damping", damping.G, expected)


def refuse_held(owner: str, component: Component) -> None:
    """Refuse a component that resists a rigid motion: it is not free in space."""
    force = rigid_force(component)
    if force > HELD:
        raise ModelError.plain(
            f"{owner}: a rigid motion of its component needs forces of {force:.1e} relative to "
            f"those of its displacements one by one, expected less than {HELD:g}: is the model "
            "held, or are its axes mixed?"
        )


def warn_of_units(owner: str, component: Component, mass: float, frequencies: Vector) -> None:
    """Warn of units that cannot be SI."""
    for sentence in unit_problems(component, mass, frequencies):
        warn_caller(f"{owner}: {sentence}")
