"""Dormand-Prince of order 8: explicit, for smooth motion without stiffness."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from supple.core.dop853 import dop853
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.integrators.methods.base import Integrator
from supple.native.declare import Entry

CONSTRAINTS = {
    "projection": dop853.PROJECTION,
    "baumgarte": dop853.BAUMGARTE,
    "partitioning": dop853.PARTITION,
}
POWERS = 30  # products with the stiffness: the largest frequency to some per cent


@dataclass(frozen=True)
class DormandPrince(Integrator):
    """Explicit Runge-Kutta method of order 8 with error estimates of orders 5 and 3.

    For smooth motion at high accuracy: it solves no equations, and at tight tolerances its steps
    are long. Stiff springs, strong dampers and fast controllers force it to short steps at any
    tolerance; ``Radau`` is the method for these. Options: see ``Integrator``, and

    Parameters
    ----------
    constraints : "projection", "baumgarte" or "partitioning"
        How closed loops are kept closed. Projection moves each step's end back onto the
        constraints, as little as possible in the norm of the mass matrix. The others are there
        for comparison: Baumgarte's pull lets violations appear and decay, and output shows them;
        partitioning integrates independent coordinates and solves for the others at every stage.
    pull : 1/s
        Rate at which Baumgarte's violations decay, for ``constraints="baumgarte"``.
    """

    constraints: Literal["projection", "baumgarte", "partitioning"] = "projection"
    pull: float = 10.0

    loops: ClassVar[bool] = True
    stability_limit: ClassVar[float] = 2.0

    def __post_init__(self) -> None:
        """Refuse options that cannot work."""
        super().__post_init__()
        validate.choice("DormandPrince", "constraints", self.constraints, tuple(CONSTRAINTS))
        validate.not_negative("DormandPrince", "pull", self.pull)

    def keeps(self, compiled: Compiled, t: Array, q: Array, u: Array) -> np.ndarray:
        """True for rows of output (nt,) that stay as the method finds them."""
        return np.full(len(t), self.constraints == "baumgarte")

    @property
    def kernel(self) -> Entry:
        """The compiled loop."""
        return dop853.dop853_run

    def own_size(self, c: Compiled) -> tuple[int, int]:
        """Lengths of the method's own real and integer buffers."""
        parted = self.constraints == "partitioning"
        return dop853.own_size(c.nu, c.nz, len(c.force_names), c.nr, parted)

    def parameters(self) -> tuple[float, ...]:
        """Parameters of the loop: how constraints are kept."""
        return CONSTRAINTS[self.constraints], float(self.pull)

    def further_statistics(self, compiled: Compiled, own: Array) -> dict[str, float]:
        """Largest violation of a constraint at the ends of steps, if they are not moved back."""
        if not compiled.nr or self.constraints == "projection":
            return {}
        return {"violation": float(own[dop853.WORST])}


def refuse_explicit(compiled: Compiled, integrator: Integrator) -> None:
    """Refuse an explicit method whose steps would have to resolve the vibrations of sections.

    A user who knows better says so by a ``max_step`` that does.
    """
    limit = integrator.stability_limit
    if not limit:
        return
    for record in compiled.gradient.values():
        top = top_frequency(record)
        if integrator.max_step * top > limit:
            name = type(integrator).__name__
            raise ModelError.plain(
                f"{name}: {record.label} vibrates with up to {top / (2.0 * math.pi):.3g} Hz, which "
                f"limits its steps to {limit / top:.2g} s, expected GeneralizedAlpha() or Radau(), "
                f"or {name}(max_step={limit / top:.1g})"
            )


def top_frequency(record: ANCFRecord) -> float:
    """The highest frequency of a gradient body at rest, rad/s, by powers of inverse(M) K."""
    from scipy.sparse.linalg import splu

    mesh = record.mesh
    K, _ = mesh.tangents(mesh.rest)
    solver = splu(mesh.mass_matrix)
    x = np.random.default_rng(0).normal(size=mesh.rest.size)
    value = 0.0
    for _ in range(POWERS):
        x /= np.linalg.norm(x)
        y = solver.solve((K @ x).reshape(-1, mesh.dimension)).ravel()
        value = float(x @ y) if value == 0.0 else float(np.linalg.norm(y))
        x = y
    return math.sqrt(max(value, 0.0))
