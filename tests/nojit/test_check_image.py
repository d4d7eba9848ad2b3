"""The look at an image in plain Python, where an index out of range is an error."""

from __future__ import annotations

import random

import numpy as np
import pytest

import supple as sp
from models.image_parts import fault_of, parts_of
from models.plain_models import every_kind, meeting, rope, second_order, sliding
from models.rolling_bodies import bicycle
from models.velocity_rows import train
from supple.core.base import layout as at
from supple.core.base.layout import KIND, read_model
from supple.core.contact import fields, pairs, surfaces
from supple.core.forces import constraint_rows as links
from supple.core.images import forces as force_checks
from supple.core.images import image as checks
from supple.core.images import tree as tree_checks
from supple.formulations.trees import JointCoordinates

BUILDERS = {
    "every": every_kind,
    "second": second_order,
    "rope": rope,
    "line": lambda: sliding("section"),
    "cam": lambda: meeting("a ball on a cam"),
    "rolling": bicycle,
    "edges": lambda: train(3),
}


@pytest.mark.parametrize("build", BUILDERS.values(), ids=BUILDERS)
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


def test_rows_of_what_rolls_name_its_shapes() -> None:
    """Elements that are none, other nodes than those of the shapes, another number of rates."""
    compiled = JointCoordinates().equations(bicycle()).compiled
    m = read_model(compiled.ints.copy(), compiled.reals)
    assert tree_checks.links_fit(m)
    number = int(np.flatnonzero(m.link[:, at.LINK_KIND] == links.ROLL)[0])
    link = m.link[number]
    for column, value in (
        (at.LINK_ELEMENT, -1), (at.LINK_ELEMENT, len(m.element)), (at.LINK_A, 1),
        (at.LINK_B, 0), (at.LINK_RATES, 0), (at.LINK_RATES, 64), (at.LINK_KIND, links.ROLL + 1),
    ):  # fmt: skip
        kept = link[column]
        link[column] = value
        assert not tree_checks.links_fit(m), column
        link[column] = kept
    m.element[link[at.LINK_ELEMENT], KIND] = pairs.CONTACT
    assert not tree_checks.links_fit(m)


@pytest.mark.parametrize("name", ["a ball on a ground", "a ball on a cam", "a plane on a cam"])
def test_numbers_of_surfaces_are_there(name: str) -> None:
    """Places and counts that lead out of the buffers, and cams on what is no plane."""
    compiled = JointCoordinates().equations(meeting(name)).compiled
    m = read_model(compiled.ints.copy(), compiled.reals)
    for e in np.flatnonzero(m.element[:, KIND] == pairs.CONTACT):
        el = m.element[e]
        assert force_checks.form_fits(m, el)
        wrong = [(fields.FORM, at) for at in (-1, 2**40, len(m.data) - 3)]
        wrong += [(fields.COUNTS, at) for at in (-1, 2**40, len(m.program) - 2)]
        if el[pairs.PAIR] != pairs.WITH_CAM:
            wrong.append((pairs.PAIR, pairs.WITH_CAM))
        for column, value in [*wrong, (pairs.SURFACE, surfaces.GRID)]:
            kept, el[column] = int(el[column]), value
            assert not force_checks.form_fits(m, el)
            el[column] = kept
        first = el[fields.COUNTS]
        for value in (0, -5, 2**19, 2**62):
            kept, m.program[first] = int(m.program[first]), value
            assert not force_checks.form_fits(m, el)
            m.program[first] = kept
