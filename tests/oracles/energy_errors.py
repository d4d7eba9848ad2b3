"""Errors of energy and momentum of runs by the energy scheme."""

from __future__ import annotations

import supple as sp

ABSOLUTE = sp.Absolute()


def run(
    model: sp.Model, end: float, step: float, decay: float = 0.0, **options
) -> sp.results.Result:
    """A run in absolute coordinates that must reach its end."""
    scheme = sp.EnergyScheme(step=step, decay=decay)
    result = sp.simulate(model, end, integrator=scheme, formulation=ABSOLUTE, **options)
    assert result.success, result.message
    return result


def energy_error(result: sp.results.Result) -> float:
    """Largest error of the energy balance over all steps, of the largest energy."""
    record = result.energy.record
    return record.max_error / max(record.max_energy, record.kinetic_max)


def momentum_error(result: sp.results.Result) -> float:
    """Largest error of a conserved momentum, of its terms."""
    return max(r.ratio for r in result.momentum)
