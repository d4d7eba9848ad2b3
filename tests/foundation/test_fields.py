"""Fields declared once: constructors, checks, units, and the docstrings beside them."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from collections.abc import Sequence
from dataclasses import InitVar
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike

import supple as sp
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.fields import (
    Constructor,
    Given,
    checked,
    choice,
    declared,
    given,
    named,
    not_negative,
    positive,
    stored,
    unit_vector,
)
from supple.foundation.validate import Axis, set_fields
from supple.io.modelfiles.words import from_docstrings, units_of, words


@stored
class Base:
    """A base whose field stands among the arguments of others."""

    name: str
    last: Given[float | None, float]


@declared
class Wheel(Base):
    """A wheel."""

    name: str = named()
    radius: float = positive("m")
    axis: Given[Axis, Vector] = unit_vector(default="z")
    side: Literal["left", "right"] | None = choice(default=None)
    last: Given[float | None, float] = not_negative("s or m", default=None)
    ends: InitVar[Sequence[float]] = given(default=(1.0, 2.0))

    def _check(self, owner: str, ends: Sequence[float]) -> None:
        last: Any = self.last
        set_fields(self, last=sum(ends) if last is None else last)
        if self.last > 10.0:
            raise sp.ModelError(owner, "last", self.last, "at most 10")


def test_the_constructor_has_the_arguments_in_order() -> None:
    wheel = Wheel("front", 1, "x", "left")
    assert (wheel.radius, wheel.side, wheel.last) == (1.0, "left", 3.0)
    assert isinstance(wheel.radius, float)
    np.testing.assert_array_equal(wheel.axis, [1.0, 0.0, 0.0])
    names = ["name", "radius", "axis", "side", "last", "ends"]
    signature = inspect.signature(Wheel)
    assert list(signature.parameters) == names
    assert signature.parameters["axis"].annotation == "Axis"
    assert signature.parameters["ends"].annotation == "Sequence[float]"
    # fields of the base come first where items are shown, and arguments that are not stored do not
    assert [f.name for f in dataclasses.fields(Wheel)] == ["name", "last", "radius", "axis", "side"]
    assert repr(wheel).startswith("Wheel(name='front', last=3.0, radius=1.0")


def test_items_are_frozen_copied_and_pickled() -> None:
    wheel = Wheel("front", 2.0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        wheel.radius = 1.0  # type: ignore[misc]
    assert dataclasses.replace(wheel, radius=3.0).radius == 3.0
    assert pickle.loads(pickle.dumps(wheel)).last == 3.0
    assert wheel != Wheel("front", 2.0)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("", 1.0), "Wheel: name is '', expected a text without '.', '/', '@' and"),
        (("w", -1.0), "Wheel 'w': radius is -1.0, expected a positive number"),
        (("w", 1.0, 3), "Wheel 'w': axis is 3, expected 'x', 'y', 'z'"),
        (("w", 1.0, "z", "top"), "Wheel 'w': side is 'top', expected 'left' or 'right'"),
        (("w", 1.0, "z", None, 11.0), "Wheel 'w': last is 11.0, expected at most 10"),
    ],
)
def test_sentences_name_the_item_and_the_field(arguments: tuple[Any, ...], sentence: str) -> None:
    with pytest.raises(sp.ModelError) as caught:
        Wheel(*arguments)
    assert str(caught.value).startswith(sentence)


def _row(owner: str, field: str, value: Any, least: int) -> Vector:
    found = validate.array(owner, field, value, "numbers")
    if len(found) < least:
        raise sp.ModelError(owner, field, value, f"{least} numbers")
    return found


def test_a_constructor_is_written_when_it_is_first_used() -> None:
    @declared(eq=True)
    class Later:
        """A row with a text."""

        text: str = given()
        rows: Given[ArrayLike, Vector] = checked(_row, least=2, default=(1.0, 2.0))

    assert isinstance(vars(Later)["__init__"], Constructor)
    Later("a")
    assert inspect.isfunction(vars(Later)["__init__"])
    assert Later("a").rows.tolist() == [1.0, 2.0]
    with pytest.raises(sp.ModelError, match=r"rows is .*, expected 2 numbers"):
        Later("a", [1.0])


def test_wrong_calls_of_declared_classes_end_in_sentences() -> None:
    with pytest.raises(sp.ArgumentError, match=r"^Circle: there is no argument 'radius'"):
        sp.Circle(radius=1.0)  # type: ignore[call-arg]
    with pytest.raises(sp.ArgumentError, match=r"^Revolute 'j': A, B are not given"):
        sp.Revolute("j")  # type: ignore[call-arg]


def _declared() -> list[tuple[str, str]]:
    every = words().items()
    return [(n, f) for n, word in every for f in getattr(word.make, "declared_fields", {})]


def test_units_of_declarations_are_those_of_docstrings() -> None:
    """A docstring that names units of an argument names one that files may give."""
    assert len(_declared()) > 200
    for name, field in _declared():
        word = words()[name]
        told = from_docstrings(word.make, field)
        assert not told or set(told) & set(units_of(word, field)), (name, field, told)
