"""Plain numbers are checked without NumPy; what is stored and refused is the same."""

from __future__ import annotations

import math

import numpy as np
import pytest

import supple as sp
from supple.foundation import validate

GIVEN = [
    (1, 2.5, -3), [0.1, -0.0, 5e-324], (2**53 + 1, 0, 0), (10**18, 1, 2), (), [(1, 2), (3, 4)],
    (np.float64(1.5), 2, 3), (True, 0.5, 0.5), (1.0, np.float32(0.1), 3),
]  # fmt: skip
REFUSED = [
    (1.0, math.inf, 0.0), [math.nan], (1, "2", 3), (1.0, None), (True, False), (10**400, 1, 2),
    (2**64, 1), [(1, 2), (3,)], (1j, 2.0),
]  # fmt: skip


@pytest.mark.parametrize("value", GIVEN)
def test_same_bits_as_numpy(value) -> None:
    found, expected = validate.array("Item", "field", value, "numbers"), np.array(value, float)
    assert found.dtype == np.float64 and found.shape == expected.shape
    assert found.tobytes() == expected.tobytes() and not found.flags.writeable


@pytest.mark.parametrize("value", REFUSED)
def test_refused(value) -> None:
    with pytest.raises(sp.ModelError, match="expected numbers"):
        validate.array("Item", "field", value, "numbers")


@pytest.mark.parametrize("value", [0, -7, 2**53, 2**53 + 1, -(2**60)])
def test_integers(value) -> None:
    assert validate.number("Item", "field", value) == float(value)
    with pytest.raises(sp.ModelError):
        validate.number("Item", "field", bool(value))


def test_moments_of_a_diagonal_inertia() -> None:
    """They are its entries, to the last bit as an eigenvalue solver finds them."""
    rng = np.random.default_rng(1)
    for _ in range(50):
        moments = 10.0 ** rng.uniform(-9.0, 9.0) * rng.uniform(1.0, 1.9, size=3)
        found = sp.RigidBody("body", 1.0, inertia=moments).principal_moments
        assert found.tobytes() == np.linalg.eigvalsh(np.diag(moments)).tobytes()


def test_parallel_axes() -> None:
    """The same bits as by matrices."""
    rng = np.random.default_rng(2)
    for k in range(50):
        c, m = rng.normal(size=3) * (rng.uniform(size=3) < 0.6), rng.uniform(0.1, 9.0)
        found = sp.RigidBody("body", m, c.tolist() if k % 2 else c, 1.0).parallel_axes
        assert found.tobytes() == (m * ((c @ c) * np.eye(3) - c[:, None] * c)).tobytes()
