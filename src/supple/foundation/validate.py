"""Small validators shared by the vocabulary.

Each takes the owner's label and the field's name, so that the error can name both, and returns
the value in the form in which it is stored: floats, and read-only float64 arrays.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation.arrays import Indices, Vector
from supple.foundation.errors import ModelError, describe, warn_caller
from supple.foundation.poses import EYE, quaternion_matrix
from supple.foundation.units import degrees_sentence

Axis = str | Sequence[float] | Vector

AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
# A dot, an at sign or a slash would make result names such as "elbow.angle" ambiguous.
NAME_SEPARATORS = "./@"
MOST_SHAPES = 1000
LEAST = 1e-300  # of numbers that are divided by
# Elements of one beam: matrices are dense.
MOST_ELEMENTS = 10_000
# How far a matrix may be from a rotation: wide enough for numbers typed with seven digits.
ROTATION_TOLERANCE = 1e-6
EXACT = 2**53  # integers below it are exact as floats
# How far squares of lengths are from one by rounding alone, after a length was divided by.
UNIT_TOLERANCE = 1e-14


def set_fields(item: object, **values: Any) -> None:
    """Store validated values on a frozen item while it is being constructed."""
    for field, value in values.items():
        object.__setattr__(item, field, value)


def read_only(value: ArrayLike) -> Vector:
    """Return a contiguous float64 copy that cannot be written to."""
    array = np.array(value, dtype=np.float64, order="C")
    array.setflags(write=False)
    return array


def name(kind: str, value: Any) -> str:
    """Return a name: not empty, no blanks at its ends, none of ``. / @``, all of it written."""
    if not isinstance(value, str):
        raise ModelError(kind, "name", value, "a text")
    written(kind, "name", value)
    if not value or value != value.strip() or any(c in value for c in NAME_SEPARATORS):
        raise ModelError(
            kind, "name", value, "a text without '.', '/', '@' and without blanks at its ends"
        )
    return value


def written(owner: str, field: str, value: str) -> str:
    """Return a text that any file can hold: without control characters and halves of others."""
    if value.isprintable():
        return value
    for k, sign in enumerate(value):
        if not sign.isprintable() and _unwritten(sign):
            raise ModelError(
                owner, field, value, f"a text without control characters (U+{ord(sign):04X} at {k})"
            )
    return value


def _unwritten(sign: str) -> bool:
    """True if a character is a control, a separator of lines, a surrogate, or U+..FFFE or FFFF."""
    import unicodedata

    return unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or ord(sign) & 0xFFFE == 0xFFFE


def number(owner: str, field: str, value: Any, expected: str = "a finite number") -> float:
    """Return a finite float; texts and booleans are refused."""
    if type(value) is float and math.isfinite(value):
        return value
    if type(value) is int and -EXACT < value < EXACT:
        return float(value)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise ModelError(owner, field, value, expected)
    try:
        found = float(value)
    except OverflowError:  # an integer of hundreds of digits
        raise ModelError(owner, field, value, expected) from None
    if not math.isfinite(found):
        raise ModelError(owner, field, found, expected)
    return found


def limit(owner: str, field: str, value: Any) -> float:
    """Return a number that may be infinite, as a limit that does not exist."""
    expected = "a number; inf stands for no limit"
    if isinstance(value, float) and math.isinf(value):
        return value
    return number(owner, field, value, expected)


def positive(owner: str, field: str, value: Any) -> float:
    """Return a finite float above zero."""
    result = number(owner, field, value, "a positive number")
    if result < LEAST:
        raise ModelError(owner, field, result, "a positive number")
    return result


def not_negative(owner: str, field: str, value: Any) -> float:
    """Return a finite float that is zero or more."""
    result = number(owner, field, value, "zero or a positive number")
    if result < 0.0:
        raise ModelError(owner, field, result, "zero or a positive number")
    return result


def not_zero(owner: str, field: str, value: Any) -> float:
    """Return a finite float of either sign."""
    expected = "a number that is not zero"
    result = number(owner, field, value, expected)
    if result == 0.0:
        raise ModelError(owner, field, result, expected)
    return result


def integer(owner: str, field: str, value: Any, least: int, expected: str) -> int:
    """Return an integer that is not below ``least``; floats and booleans are refused."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or value < least:
        raise ModelError(owner, field, value, expected)
    return int(value)


def element_count(owner: str, value: Any) -> int:
    """Return a number of beam elements."""
    expected = f"an integer from 1 to {MOST_ELEMENTS}"
    if integer(owner, "elements", value, 1, "a positive integer") > MOST_ELEMENTS:
        raise ModelError(owner, "elements", value, expected)
    return int(value)


def count(owner: str, field: str, value: Any, least: int) -> int:
    """Return a number of shapes of one kind; more than ``MOST_SHAPES`` are mistyped."""
    result = integer(
        owner, field, value, least, "a positive integer" if least else "zero or a positive integer"
    )
    if result > MOST_SHAPES:
        raise ModelError(owner, field, value, f"an integer from {least} to {MOST_SHAPES}")
    return result


def flag(owner: str, field: str, value: Any) -> bool:
    """Return True or False; numbers and texts are refused."""
    if not isinstance(value, (bool, np.bool_)):
        raise ModelError(owner, field, value, "True or False")
    return bool(value)


def text(owner: str, field: str, value: Any, expected: str = "a text") -> str:
    """Return a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise ModelError(owner, field, value, expected)
    return written(owner, field, value)


def listed(owner: str, field: str, value: Any, expected: str) -> list[Any]:
    """Return the entries of a list, a tuple, an array or another sequence; texts are refused."""
    plain = isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable)
    if plain or (isinstance(value, np.ndarray) and value.ndim == 0):
        raise ModelError(owner, field, value, expected)
    return list(value)


def whole_numbers(owner: str, field: str, value: Any, expected: str) -> Indices:
    """Return integers of any shape; floats, texts and truth values are refused."""
    try:
        found = np.asarray(value)
    except ValueError:  # rows of different length
        raise ModelError(owner, field, value, expected) from None
    if found.dtype.kind not in ("iuf" if found.size == 0 else "iu"):
        raise ModelError(owner, field, value, expected)
    return found.astype(np.intp)


def choice(owner: str, field: str, value: Any, options: Sequence[Any]) -> Any:
    """Return the value if it is one of the options."""
    try:
        known = not isinstance(value, (bool, np.ndarray)) and value in options
    except (TypeError, ValueError):  # what cannot be compared is none of them
        known = False
    if not known:
        expected = " or ".join(describe(option) for option in options)
        raise ModelError(owner, field, value, expected)
    return value


def array(owner: str, field: str, value: Any, expected: str) -> Vector:
    """Return finite numbers of any shape."""
    if type(value) in (tuple, list) and all(map(_is_plain, value)):  # quicker than by NumPy
        return read_only(value)
    try:
        found = np.asarray(value)
    except ValueError:  # rows of different length
        raise ModelError(owner, field, value, expected) from None
    if found.dtype.kind not in "iuf" or not np.isfinite(found).all():
        raise ModelError(owner, field, value, expected)
    return read_only(found)


def _is_plain(value: Any) -> bool:
    """True if it is a finite float or an integer that a float can hold."""
    if type(value) is float:
        return math.isfinite(value)
    return type(value) is int and -EXACT < value < EXACT


def vector(
    owner: str, field: str, value: Any, size: int = 3, expected: str | None = None
) -> Vector:
    """Return ``size`` finite numbers, shape (size,)."""
    expected = expected or f"{size} finite numbers"
    result = array(owner, field, value, expected)
    if result.shape != (size,):
        raise ModelError(owner, field, value, expected)
    return result


def axis(owner: str, field: str, value: Any) -> Vector:
    """Return a unit vector (3,) from "x", "y", "z", "-x", "-y", "-z" or three numbers."""
    expected = "'x', 'y', 'z', '-x', '-y', '-z' or 3 numbers that are not all zero"
    if isinstance(value, str):
        letter = value.removeprefix("-")
        if letter not in AXES:
            raise ModelError(owner, field, value, expected)
        sign = -1.0 if value.startswith("-") else 1.0
        return read_only([sign * c if c else 0.0 for c in AXES[letter]])
    direction = vector(owner, field, value, expected=expected)
    if not np.any(direction):
        raise ModelError(owner, field, value, expected)
    return _unit(direction)


def _unit(given: Vector) -> Vector:
    """Return a vector that is not zero with length one; one that has it to rounding as it is."""
    if abs(float(given @ given) - 1.0) < UNIT_TOLERANCE:
        return given
    # Scaling first keeps tiny and huge vectors from under- or overflowing in the norm.
    scaled = given / np.abs(given).max()
    return read_only(scaled / np.linalg.norm(scaled))


def unit_quaternion(owner: str, field: str, value: Any, expected: str) -> Vector:
    """Return a unit quaternion (w, x, y, z) from 4 numbers or a rotation vector of 3 (rad)."""
    given = array(owner, field, value, expected)
    if given.shape == (3,):
        sentence = degrees_sentence(field, given.tolist())
        if sentence is not None:
            warn_caller(f"{owner}: {sentence}")
        return rotation_vector_quaternion(given)
    if given.shape != (4,) or not np.any(given):
        raise ModelError(owner, field, value, expected)
    return _unit(given)


def rotation(owner: str, field: str, value: Any) -> Vector:
    """Return a rotation matrix (3, 3) from a matrix, a quaternion or a rotation vector (rad)."""
    expected = "a 3x3 rotation matrix, a quaternion (w, x, y, z) or a rotation vector of 3 (rad)"
    if value is None:
        return EYE
    given = array(owner, field, value, expected)
    if given.shape != (3, 3):
        return read_only(quaternion_matrix(unit_quaternion(owner, field, value, expected)))
    defect = np.abs(given.T @ given - np.eye(3)).max()
    if defect > ROTATION_TOLERANCE:
        raise ModelError(owner, field, value, "a rotation matrix with orthonormal columns")
    if np.linalg.det(given) < 0.0:
        raise ModelError(owner, field, value, "a right-handed rotation matrix (determinant +1)")
    # The nearest exact rotation, so that typed digits do not become a scaling of the body.
    # One that is exact to rounding stays as it is: a model that is written and read is the same.
    if defect < UNIT_TOLERANCE:
        return given
    left, _, right = np.linalg.svd(given)
    return read_only(left @ right)


def rotation_vector_quaternion(rotation_vector: Vector) -> Vector:
    """Quaternion (w, x, y, z) of a rotation vector (3,) in rad."""
    angle = float(np.linalg.norm(rotation_vector))
    half_sine_over_angle = 0.5 * float(np.sinc(0.5 * angle / math.pi))
    return read_only([math.cos(0.5 * angle), *(half_sine_over_angle * rotation_vector)])
