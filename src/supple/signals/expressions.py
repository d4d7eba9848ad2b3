"""Expressions in t, such as "215*sin(2*pi*t)**3 + 62": a whitelist parser and programs.

Text becomes a Python syntax tree, of which only numbers, t, the constants, the five arithmetic
operations and the functions below are accepted; nothing of the text is ever executed by Python. The
result is a program for a stack machine, run by the kernels and by ``run`` here. Laws of springs and
dampers are expressions in x and v.

Value, rate and curvature of programs: the kernels' stack machine on triples, in NumPy. The rules
are those of ``core/forces/signals.py``: exact derivatives, to the right where there is a kink.
"""

from __future__ import annotations

import ast
import difflib
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core.base import opcodes as op
from supple.foundation.arrays import Array

Operation = tuple[int, float]

CONSTANTS = {"pi": math.pi, "tau": math.tau, "e": math.e}
FUNCTIONS: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "sin": (op.SINE_OF, np.sin),
    "cos": (op.COSINE_OF, np.cos),
    "tan": (op.TANGENT_OF, np.tan),
    "asin": (op.ARCSINE_OF, np.arcsin),
    "acos": (op.ARCCOSINE_OF, np.arccos),
    "atan": (op.ARCTANGENT_OF, np.arctan),
    "tanh": (op.TANH_OF, np.tanh),
    "exp": (op.EXP_OF, np.exp),
    "log": (op.LOG_OF, np.log),
    "sqrt": (op.ROOT_OF, np.sqrt),
    "abs": (op.ABSOLUTE, np.abs),
    "sign": (op.SIGN, np.sign),
    "step": (op.STEP, lambda x: np.where(np.asarray(x) >= 0.0, 1.0, 0.0)),
}
PAIRS: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "min": (op.MINIMUM, np.minimum),
    "max": (op.MAXIMUM, np.maximum),
}
_BINARY: dict[type[ast.operator], tuple[int, Callable[[Any, Any], Any]]] = {
    ast.Add: (op.ADD, np.add),
    ast.Sub: (op.SUBTRACT, np.subtract),
    ast.Mult: (op.MULTIPLY, np.multiply),
    ast.Div: (op.DIVIDE, np.divide),
    ast.Pow: (op.POWER, np.power),
}
_KINKED = {op.ABSOLUTE, op.SIGN, op.STEP}
CHOICES = _KINKED | {op.MINIMUM, op.MAXIMUM}
IN_TIME = {"t": op.TIME}
OF_A_LAW = {"x": op.TIME, "v": op.RATE}
_NUMPY_UNARY = {code: function for code, function in FUNCTIONS.values()}
_NUMPY_BINARY = {code: function for code, function in (*_BINARY.values(), *PAIRS.values())}
MOST_CHARACTERS = 2000


class ExpressionError(Exception):
    """Part of the text that cannot be accepted, in a few words."""


@dataclass(frozen=True)
class Program:
    """Operations in order, and the times (s) at which the value or its slope jumps.

    In a law x takes the place of the time.
    """

    operations: tuple[Operation, ...]
    breakpoints: tuple[float, ...] = ()

    @property
    def depth(self) -> int:
        """Cells of the stack that it needs."""
        deepest = here = 0
        for code, _ in self.operations:
            here += 1 if code <= op.SIGNAL else -1 if code <= op.MAXIMUM else 0
            deepest = max(deepest, here)
        return deepest


def parse(text: str, variables: Mapping[str, int] = IN_TIME) -> Program:
    """Turn the text of an expression into a program, or raise ``ExpressionError``.

    ``variables`` are the names that may occur, with the operations that they stand for.
    """
    tree = syntax_tree(text, next(iter(variables), "L"))
    try:
        piece = _translate(tree, variables)
    except RecursionError:
        raise ExpressionError("too deeply nested") from None
    program = Program(tuple(piece.operations), tuple(sorted(set(piece.kinks))))
    if program.depth > op.STACK:
        raise ExpressionError(f"too deeply nested, at most {op.STACK} open terms are allowed")
    return program


def names(text: str) -> list[str]:
    """Names that occur in the text of an expression, functions too; or ``ExpressionError``."""
    found = [n for n in ast.walk(syntax_tree(text, "L")) if isinstance(n, ast.Name)]
    return list(dict.fromkeys(n.id for n in found))


def with_numbers(text: str, values: Mapping[str, float]) -> str:
    """The text with numbers in place of names; itself if none of them occurs."""
    tree = syntax_tree(text, "L")
    try:
        if not any(isinstance(n, ast.Name) and n.id in values for n in ast.walk(tree)):
            return text
        return ast.unparse(_Numbers(values).visit(tree))
    except RecursionError:
        raise ExpressionError("too deeply nested") from None


class _Numbers(ast.NodeTransformer):
    """Puts numbers in place of names; what is called stays."""

    def __init__(self, values: Mapping[str, float]) -> None:
        self.values = values

    def visit_Call(self, node: ast.Call) -> ast.Call:
        node.args = [self.visit(argument) for argument in node.args]
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.values:
            return node
        value = self.values[node.id]
        number = ast.Constant(abs(value))
        return ast.UnaryOp(ast.USub(), number) if value < 0.0 else number


def value(text: str, values: Mapping[str, float]) -> float:
    """The number that an expression without variables is, with named numbers in it."""
    tree = syntax_tree(text, "L")
    try:
        unknown = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name)]
        known = [*values, *CONSTANTS]
        for name in unknown:
            if name not in known and name not in FUNCTIONS and name not in PAIRS:
                raise ExpressionError(f"unknown name {name!r}{_close(name, known)}")
        piece = _translate(_Numbers(values).visit(tree), {})
    except RecursionError:
        raise ExpressionError("too deeply nested") from None
    if piece.constant is None:
        raise ExpressionError("it is no number")
    return piece.constant


def syntax_tree(text: str, example: str) -> ast.expr:
    """The syntax tree of a text; ``example`` is a name that may occur in it."""
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(f"{len(text)} characters, at most {MOST_CHARACTERS} are allowed")
    try:
        with warnings.catch_warnings():  # "1if x" and the like warn of what is refused anyway
            warnings.simplefilter("ignore")
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        detail = getattr(error, "msg", None) or "it cannot be read"
        if "decimal literal" in detail:
            detail = f"write 2*{example}, not 2{example}"
        raise ExpressionError(f"no expression ({detail})") from None


def run(operations: Sequence[Operation], t: Any, parts: Sequence[Any] = (), rate: Any = 0.0) -> Any:
    """Value at the times t; ``parts`` are values of the signals it refers to.

    Of a law, value at the deflections t and their rates.
    """
    stack: list[Any] = []
    with np.errstate(all="ignore"):
        for code, argument in operations:
            if code == op.NUMBER:
                stack.append(np.full_like(t, argument))
            elif code == op.TIME:
                stack.append(t)
            elif code == op.RATE:
                stack.append(rate)
            elif code == op.SIGNAL:
                stack.append(parts[int(argument)])
            elif code in _NUMPY_BINARY:
                second = stack.pop()
                stack.append(_NUMPY_BINARY[code](stack.pop(), second))
            elif code == op.NEGATE:
                stack.append(-stack.pop())
            elif code == op.RAISE:
                stack.append(stack.pop() ** argument)
            else:
                stack.append(_NUMPY_UNARY[code](stack.pop()))
    return stack.pop()


@dataclass(frozen=True)
class _Piece:
    """A part of an expression: its program, its kinks, and c0 + c1 t if it is linear in t."""

    operations: list[Operation]
    kinks: list[float]
    linear: tuple[float, float] | None

    @classmethod
    def number(cls, value: float) -> _Piece:
        return cls([(op.NUMBER, value)], [], (value, 0.0))

    @property
    def constant(self) -> float | None:
        return self.linear[0] if self.linear is not None and self.linear[1] == 0.0 else None


def _translate(node: ast.expr, names: Mapping[str, int]) -> _Piece:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
            return _Piece.number(finite(node.value))
        raise ExpressionError(f"{node.value!r} is not a number")
    if isinstance(node, ast.Name):
        if node.id in names:
            linear = (0.0, 1.0) if names[node.id] == op.TIME else None
            return _Piece([(names[node.id], 0.0)], [], linear)
        if node.id in CONSTANTS:
            return _Piece.number(CONSTANTS[node.id])
        raise ExpressionError(f"unknown name {node.id!r}{_close(node.id, [*names, *CONSTANTS])}")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.UAdd, ast.USub)):
        piece = _translate(node.operand, names)
        return piece if isinstance(node.op, ast.UAdd) else _unary(op.NEGATE, piece)
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        code = _BINARY[type(node.op)][0]
        return _pair(code, _translate(node.left, names), _translate(node.right, names))
    if isinstance(node, ast.Call):
        return _call(node, names)
    raise ExpressionError(
        f"{ast.unparse(node)!r} is not allowed; "
        f"numbers, {', '.join(names)}, + - * / ** and functions are"
    )


def _call(node: ast.Call, names: Mapping[str, int]) -> _Piece:
    known = [*FUNCTIONS, *PAIRS]
    if not isinstance(node.func, ast.Name) or node.keywords:
        raise ExpressionError(f"{ast.unparse(node)!r} is not a call of a known function")
    name, count = node.func.id, len(node.args)
    if name in FUNCTIONS:
        if count != 1:
            raise ExpressionError(f"{name} has {count} arguments, expected 1")
        return _unary(FUNCTIONS[name][0], _translate(node.args[0], names))
    if name in PAIRS:
        if count < 2:
            raise ExpressionError(f"{name} has {count} arguments, expected 2 or more")
        pieces = [_translate(a, names) for a in node.args]
        result = pieces[0]
        for piece in pieces[1:]:
            result = _pair(PAIRS[name][0], result, piece)
        return result
    raise ExpressionError(f"unknown function {name!r}{_close(name, known)}")


def finite(given: float) -> float:
    """A number of a text; ``ExpressionError`` if it is too large for a float."""
    try:
        found = float(given)
    except OverflowError:  # an integer
        found = math.inf
    if not math.isfinite(found):
        raise ExpressionError("a number is too large")
    return found


def _unary(code: int, x: _Piece) -> _Piece:
    if x.constant is not None:
        return _folded([*x.operations, (code, 0.0)])
    linear = None
    kinks = list(x.kinks)
    if code == op.NEGATE and x.linear is not None:
        linear = (-x.linear[0], -x.linear[1])
    if code in _KINKED:
        kinks += _zero(x.linear)
    return _Piece([*x.operations, (code, 0.0)], kinks, linear)


def _pair(code: int, x: _Piece, y: _Piece) -> _Piece:
    if x.constant is not None and y.constant is not None:
        return _folded([*x.operations, *y.operations, (code, 0.0)])
    kinks = [*x.kinks, *y.kinks]
    if code == op.POWER and y.constant is not None:
        return _Piece([*x.operations, (op.RAISE, y.constant)], kinks, None)
    linear = None
    if x.linear is not None and y.linear is not None:
        (a, b), (c, d) = x.linear, y.linear
        if code in (op.ADD, op.SUBTRACT):
            sign = 1.0 if code == op.ADD else -1.0
            linear = (a + sign * c, b + sign * d)
        elif code == op.MULTIPLY and (b == 0.0 or d == 0.0):
            linear = (a * c, a * d + b * c)
        elif code == op.DIVIDE and d == 0.0 and c != 0.0:
            linear = (a / c, b / c)
        elif code in (op.MINIMUM, op.MAXIMUM):
            kinks += _zero((a - c, b - d))
    return _Piece([*x.operations, *y.operations, (code, 0.0)], kinks, linear)


def _folded(operations: list[Operation]) -> _Piece:
    """Constants are computed once."""
    value = float(run(operations, np.zeros(())))
    if not math.isfinite(value):
        raise ExpressionError("a part that is constant is not a finite number")
    return _Piece.number(value)


def _zero(linear: tuple[float, float] | None) -> list[float]:
    if linear is None or linear[1] == 0.0:
        return []
    return [-linear[0] / linear[1] + 0.0]


def _close(name: str, known: list[str]) -> str:
    match = difflib.get_close_matches(name, known, 1)
    return f", did you mean {match[0]!r}?" if match else f", known are {', '.join(known)}"


Triple = tuple[Any, Any, Any]


def run_derivatives(
    operations: Sequence[Operation], t: Array, parts: Sequence[Triple] = ()
) -> Triple:
    """Value and first two derivatives at the times t; ``parts`` are those of signals it uses."""
    zero, stack = np.zeros_like(t), list[Triple]()
    with np.errstate(all="ignore"):
        for code, argument in operations:
            if code == op.NUMBER:
                stack.append((np.full_like(t, argument), zero, zero))
            elif code == op.TIME:
                stack.append((t, np.ones_like(t), zero))
            elif code == op.SIGNAL:
                stack.append(parts[int(argument)])
            elif code <= op.MAXIMUM:
                second = stack.pop()
                stack.append(_binary(code, stack.pop(), second))
            else:
                v, d, c = stack.pop()
                y, s, r = _power(v, argument) if code == op.RAISE else _UNARY[code](v)
                if code == op.ABSOLUTE:  # where it is zero, as it is right of there
                    falling = (d < 0.0) | ((d == 0.0) & (c < 0.0))
                    s = np.where((v == 0.0) & falling, -1.0, s)
                stack.append((y, s * d, s * c + r * d * d))
    return stack.pop()


def _binary(code: int, a: Triple, b: Triple) -> Triple:
    (v, d, c), (w, e, g) = a, b
    if code == op.ADD:
        return v + w, d + e, c + g
    if code == op.SUBTRACT:
        return v - w, d - e, c - g
    if code == op.MULTIPLY:
        return v * w, d * w + v * e, c * w + 2.0 * d * e + v * g
    if code == op.DIVIDE:
        y = v / w
        r = (d - y * e) / w
        return y, r, (c - 2.0 * r * e - y * g) / w
    if code == op.POWER:  # v > 0: exp(w log v)
        y, log = v**w, np.log(v)
        r = e * log + w * d / v
        return y, y * r, y * (r * r + g * log + 2.0 * e * d / v + w * (c / v - d * d / (v * v)))
    # where both are equal, the one that is the lesser, or the larger, right of it
    more = np.where(w != v, w - v, np.where(e != d, e - d, g - c))
    second = more < 0.0 if code == op.MINIMUM else more > 0.0
    return np.where(second, w, v), np.where(second, e, d), np.where(second, g, c)


def _power(v: Any, n: float) -> Triple:
    # Powers below zero of v = 0 are infinite; their factor, which is zero, must win.
    slope = n * v ** (n - 1.0) if n != 0.0 else 0.0 * v
    bend = n * (n - 1.0) * v ** (n - 2.0) if n not in (0.0, 1.0) else 0.0 * v
    return v**n, slope, bend


def _tangent(v: Any) -> Triple:
    y = np.tan(v)
    return y, 1.0 + y * y, 2.0 * y * (1.0 + y * y)


def _tanh(v: Any) -> Triple:
    y = np.tanh(v)
    return y, 1.0 - y * y, -2.0 * y * (1.0 - y * y)


def _arcsine(v: Any) -> Triple:
    s = 1.0 / np.sqrt(1.0 - v * v)
    return np.arcsin(v), s, v * s**3


def _arccosine(v: Any) -> Triple:
    s = 1.0 / np.sqrt(1.0 - v * v)
    return np.arccos(v), -s, -v * s**3


def _arctangent(v: Any) -> Triple:
    s = 1.0 / (1.0 + v * v)
    return np.arctan(v), s, -2.0 * v * s * s


def _root(v: Any) -> Triple:
    y = np.sqrt(v)
    return y, 0.5 / y, -0.25 / (y * v)


# operation: its value and its first two derivatives with respect to its argument
_UNARY: dict[int, Callable[[Any], Triple]] = {
    op.NEGATE: lambda v: (-v, -1.0, 0.0),
    op.SINE_OF: lambda v: (np.sin(v), np.cos(v), -np.sin(v)),
    op.COSINE_OF: lambda v: (np.cos(v), -np.sin(v), -np.cos(v)),
    op.TANGENT_OF: _tangent,
    op.ARCSINE_OF: _arcsine,
    op.ARCCOSINE_OF: _arccosine,
    op.ARCTANGENT_OF: _arctangent,
    op.TANH_OF: _tanh,
    op.EXP_OF: lambda v: (np.exp(v), np.exp(v), np.exp(v)),
    op.LOG_OF: lambda v: (np.log(v), 1.0 / v, -1.0 / (v * v)),
    op.ROOT_OF: _root,
    op.ABSOLUTE: lambda v: (np.abs(v), np.where(v < 0.0, -1.0, 1.0), 0.0),
    op.SIGN: lambda v: (np.sign(v), 0.0, 0.0),
    op.STEP: lambda v: (np.where(v >= 0.0, 1.0, 0.0), 0.0, 0.0),
}
