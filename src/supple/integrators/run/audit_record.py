"""Record of the step loop for the energy audit, at the end of a run and meanwhile."""

from __future__ import annotations

import numpy as np

from supple.core.run import step as st
from supple.foundation.poses import Array
from supple.results.data.audit import AuditRecord, EnergyAudit


def audit_record(state: Array) -> AuditRecord:
    """Extremes of energies over the steps so far, from the real state of a loop."""
    s = state.tolist()
    return AuditRecord(
        max_error=s[st.E_ERROR] if s[st.E_MAX] >= 0.0 else np.nan,
        max_elastic=s[st.E_ELASTIC],
        kinetic_min=s[st.K_MIN],
        kinetic_max=s[st.K_MAX],
        max_energy=max(s[st.E_MAX], 0.0),
        initial_energy=s[st.E_START],
        exchanged=s[st.OTHER_MAX] - s[st.OTHER_MIN],
        max_strain=s[st.E_STRAIN],
    )


def energy_ratio(state: Array, weight: float) -> float:
    """Largest energy error so far, as the verdict will compare it; NaN while it is not known.

    ``weight`` (J) is the weight of the model times its length.
    """
    none = np.zeros(0)
    record = audit_record(state)
    return EnergyAudit(np.zeros((0, 3)), none, none, record, weight=weight).ratio
