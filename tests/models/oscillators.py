"""Linear oscillators with exact solutions."""

from __future__ import annotations

import supple as sp


def oscillator(omega: float, damping: float = 0.0) -> sp.Model:
    """1 kg on a spring, off its rest by 1 m, with a speed of 0.3 m/s."""
    model = sp.Model()
    block = model.add(sp.RigidBody("block", 1.0))
    model.add(sp.Prismatic("rail", model.ground.at(0), block.at(0), "x", 1.0, 0.3))
    model.add(sp.JointSpring("spring", "rail", stiffness=omega**2, damping=damping))
    return model


def chung_hulbert(rho: float) -> tuple[float, ...]:
    am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    return am, af, (1 - am + af) ** 2 / 4, 0.5 - am + af


LINEAR = [
    (sp.GeneralizedAlpha(rho=0.8, step=0.1), chung_hulbert(0.8)),
    (sp.GeneralizedAlpha(rho=0.3, step=0.1), chung_hulbert(0.3)),
    (sp.GeneralizedAlpha(rho=0.0, step=0.1), chung_hulbert(0.0)),
    (sp.GeneralizedAlpha(rho=1.0, step=0.1), chung_hulbert(1.0)),
    (sp.HHT(alpha=-0.05, step=0.1), (0, 0.05, 1.05**2 / 4, 0.55)),
    (sp.HHT(alpha=-0.3, step=0.1), (0, 0.3, 1.3**2 / 4, 0.8)),
    (sp.Newmark(step=0.1), (0, 0, 0.25, 0.5)),
    (sp.Newmark(beta=0.4, gamma=0.7, step=0.1), (0, 0, 0.4, 0.7)),
]
