"""The look at an image in plain Python, where an index out of range is an error."""

from __future__ import annotations

import random

import numpy as np
import pytest

import supple as sp
from models.image_parts import fault_of, parts_of
from models.plain_models import every_kind, rope, second_order, sliding
from supple.core.images import image as checks


@pytest.mark.parametrize("build", [every_kind, second_order, rope, lambda: sliding("section")],
                         ids=["every", "second", "rope", "line"])  # fmt: skip
def test_the_look_itself_keeps_within_the_buffers(build) -> None:
    """Whatever integers an image has: a fault, or none, and no error."""
    header, arrays, loop = parts_of(sp.prepare(build()).image(0.1))
    assert fault_of(header, arrays, loop) == checks.FINE
    rng, found = random.Random(1), set()
    for _ in range(60):
        other = {name: array.copy() for name, array in arrays.items()}
        for _ in range(rng.choice([1, 2, 5])):
            integers = other[rng.choice(["ints", "ints", "ints", "count"])]
            near = int(integers[rng.randrange(len(integers))])
            strange = (-1, 0, 3, 40, 2**20, 2**62, -(2**63), near, near + 1)
            integers[rng.randrange(len(integers))] = rng.choice(strange)
        found.add(fault_of(header, other, loop))
    assert len(found) > 3
    shorter = {name: array[: len(array) // 2] for name, array in arrays.items()}
    assert fault_of(header, shorter, loop) == checks.HEADER
    assert fault_of(np.zeros(3, np.int64), arrays, loop) == checks.HEADER
