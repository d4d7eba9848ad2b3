"""Verdicts of the audit, from records made by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from supple.results.data.audit import AuditRecord, EnergyAudit, MomentumAudit, MomentumRecord


def audit(energies=None, work=None, dissipated=None, **record) -> EnergyAudit:
    if energies is None:  # a pendulum: what kinetic energy gains, gravity loses
        swing = np.linspace(0.0, 1.2, 5)
        energies = np.column_stack([swing, -swing, 0 * swing])
    zero = np.zeros(len(energies))
    values = {
        "max_error": 3e-9,
        "max_elastic": 0.0,
        "kinetic_min": 0.0,
        "kinetic_max": 1.2,
        "max_energy": 1.2,
    }
    return EnergyAudit(
        np.asarray(energies, dtype=float),
        zero if work is None else work,
        zero if dissipated is None else dissipated,
        AuditRecord(**(values | record)),
    )


def test_verdict_in_words():
    a = audit()
    assert a.level == "trusted"
    assert a.ratio == pytest.approx(3e-9 / 1.2)
    assert a.verdict == "trusted: energy error 3e-09 J, kinetic range 1.2e+00 J"


@pytest.mark.parametrize(
    ("error", "level"),
    [
        (0.99e-3, "trusted"),
        (1.01e-3, "doubtful"),
        (0.99e-1, "doubtful"),
        (1.01e-1, "not trusted"),
        (math.nan, "not trusted"),
        (math.inf, "not trusted"),
    ],
)
def test_levels_compare_with_the_kinetic_range(error, level):
    a = audit(max_error=error, kinetic_min=5.0, kinetic_max=6.0)
    assert a.level == level
    assert a.verdict.startswith(f"{level}: ")


@pytest.mark.parametrize(("sign", "word"), [(1.0, "created"), (-1.0, "took")])
def test_what_the_model_creates_is_said_beside_the_integration(sign, word):
    """A force without energy does work: it is in the balance, and a small error is not all."""
    made = sign * np.array([0.0, 1e-4, 3e-4, 2e-4, 1e-4])
    energies = np.column_stack([1.0 + made, np.zeros(5), np.zeros(5)])
    record = AuditRecord(3e-9, 0.0, 1.0, 1.2, 1.2, max_strain=0.05)
    a = EnergyAudit(energies, np.zeros(5), np.zeros(5), record, created=made)
    assert np.abs(a.error).max() < 1e-15
    assert a.creates and not audit().creates and not audit().created.any()
    words = "energy error 3e-09 J, strain energy 5.0e-02 J"
    assert a.verdict == f"integration trusted: {words}; the model {word} 3e-04 J"
    failed = EnergyAudit(energies, np.zeros(5), np.zeros(5), record, False, created=made)
    assert failed.verdict.startswith("run failed; until then integration trusted: ")


def test_the_energy_of_springs_is_no_yardstick():
    assert audit(max_error=0.05, max_elastic=1e6).level == "doubtful"


def test_flexible_bodies_compare_with_their_strain_energy():
    """It is small next to the kinetic energy, and it is what the run is about."""
    a = audit(max_error=3e-9, max_elastic=0.049, max_strain=0.049)
    assert a.verdict == "trusted: energy error 3e-09 J, strain energy 4.9e-02 J"
    assert a.reference == 0.049
    assert audit(max_error=1e-3, max_strain=0.049).level == "doubtful"
    # bodies that could deform but do not: rounding is no yardstick
    stiff = audit(max_error=1e-9, max_strain=1e-20)
    assert stiff.verdict == "trusted: energy error 1e-09 J, kinetic range 1.2e+00 J"
    assert np.array_equal(a.strain, np.zeros(5))


def test_nothing_moves():
    still = np.tile([0.0, -7.0, 0.0], (3, 1))
    kept = {"kinetic_max": 0.0, "max_energy": 7.0}
    assert audit(still, max_error=0.0, **kept).level == "trusted"
    assert audit(still, max_error=1e-13, **kept).level == "trusted"
    assert audit(still, max_error=1e-6, **kept).level == "not trusted"
    assert "nothing moves" in audit(still, max_error=0.0, **kept).verdict


def test_constant_kinetic_energy_is_compared_with_itself():
    """A body that spins freely exchanges nothing: its kinetic range is the error itself."""
    spin = np.column_stack([4.0 + 1e-9 * np.arange(3), np.zeros(3), np.zeros(3)])
    a = audit(spin, max_error=2e-9, kinetic_min=4.0, kinetic_max=4.0 + 2e-9, max_energy=4.0)
    assert not a.exchanges
    assert a.level == "trusted"
    assert a.verdict == "trusted: energy error 2e-09 J, constant kinetic energy 4.0e+00 J"


def test_small_exchange_next_to_a_large_spin_stays_the_yardstick():
    swing = np.linspace(0.0, 1e-6, 4)
    top = np.column_stack([4.0 + swing, -swing, 0 * swing])
    energies = {"kinetic_min": 4.0, "kinetic_max": 4.0 + 1e-6, "max_energy": 4.0}
    a = audit(top, max_error=1e-6, exchanged=1e-6, **energies)
    assert a.exchanges
    assert a.level == "not trusted"


def test_balance_counts_work_and_dissipation():
    t = np.linspace(0.0, 1.0, 6)
    energies = np.column_stack([3 * t - t**2, 2 + 0 * t, t])
    a = audit(energies, work=5 * t, dissipated=t + t**2)
    assert np.allclose(a.total, 2 + 4 * t - t**2)
    assert np.abs(a.error).max() < 1e-14


def test_error_refers_to_the_start_of_the_run():
    """The first output may come later; the error that exists by then is not hidden."""
    energies = np.array([[1.0, 0.5, 0.0], [1.0, 0.6, 0.0]])
    assert np.allclose(audit(energies).error, [0.0, 0.1])
    assert np.allclose(audit(energies, initial_energy=1.3).error, [0.2, 0.3])


def record(error: float, scale: float = 2.0, name: str = "angular momentum about y"):
    return MomentumRecord(name, 0.0, error, "kg m2/s", scale)


def test_momentum_verdict():
    a = MomentumAudit([record(2e-14)])
    assert a.verdict == "trusted: constant angular momentum about y within 2e-14 kg m2/s"
    assert len(a) == 1
    assert a[0].level == "trusted"
    assert a.max_error == 2e-14
    worst = MomentumAudit([record(0.0), record(0.01, name="x"), record(1e-9, name="z")])
    assert worst.level == "doubtful"
    assert worst.verdict == (
        "doubtful: constant x within 1e-02 kg m2/s (the worst of 3 components)"
    )
    assert [r.level for r in worst] == ["trusted", "doubtful", "trusted"]
    assert MomentumAudit([record(1e-9, scale=0.0)]).level == "not trusted"
    assert MomentumAudit([record(0.0, scale=0.0)]).level == "trusted"


def test_no_symmetry():
    a = MomentumAudit([])
    assert a.level == "trusted"
    assert a.verdict == "no conserved momentum is watched in this model"
