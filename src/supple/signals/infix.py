"""Sums, products and quotients of named signals as text, and back: nothing is folded on the way."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from supple.core.base import opcodes as op
from supple.signals import expressions
from supple.signals.base import Combination, Signal
from supple.signals.expressions import FUNCTIONS, PAIRS, ExpressionError, Operation, Program

NEGATIVE = "neg"
_SIGNS = {op.ADD: "+", op.SUBTRACT: "-", op.MULTIPLY: "*", op.DIVIDE: "/", op.POWER: "**"}
_OPERATORS: dict[type[ast.operator], int] = {
    ast.Add: op.ADD,
    ast.Sub: op.SUBTRACT,
    ast.Mult: op.MULTIPLY,
    ast.Div: op.DIVIDE,
    ast.Pow: op.POWER,
}
_CALLS = {name: code for name, (code, _) in FUNCTIONS.items()} | {NEGATIVE: op.NEGATE}
_PAIRS = {name: code for name, (code, _) in PAIRS.items()}


def combination(text: str, names: Sequence[str], signals: Sequence[Signal]) -> Combination:
    """The signal of a formula in t and named signals; or ``ExpressionError``."""
    tree = expressions.syntax_tree(text, "t")
    try:
        operations = tuple(_operations(tree, list(names)))
    except RecursionError:
        raise ExpressionError("too deeply nested") from None
    if Program(operations).depth > op.STACK:
        raise ExpressionError(f"too deeply nested, at most {op.STACK} open terms are allowed")
    return Combination(operations, tuple(signals), ())


def _operations(node: ast.expr, names: list[str]) -> list[Operation]:
    number = _literal(node)
    if number is not None:
        return [(op.NUMBER, number)]
    if isinstance(node, ast.Name) and node.id in names:
        return [(op.SIGNAL, float(names.index(node.id)))]
    if isinstance(node, ast.Name) and node.id == "t":
        return [(op.TIME, 0.0)]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        code, exponent = _OPERATORS[type(node.op)], _literal(node.right)
        left = _operations(node.left, names)
        if code == op.POWER and exponent is not None:
            return [*left, (op.RAISE, exponent)]
        return [*left, *_operations(node.right, names), (code, 0.0)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        name, count = node.func.id, len(node.args)
        parts = [piece for a in node.args for piece in _operations(a, names)]
        if name in _CALLS and count == 1:
            return [*parts, (_CALLS[name], 0.0)]
        if name in _PAIRS and count == 2:
            return [*parts, (_PAIRS[name], 0.0)]
    raise ExpressionError(f"{ast.unparse(node)!r} is not allowed; t and {', '.join(names)} are")


def _literal(node: ast.expr) -> float | None:
    """The number that a node is, with a sign; None if it is something else."""
    sign = 1.0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1.0, node.operand
    if not isinstance(node, ast.Constant) or isinstance(node.value, bool):
        return None
    return sign * expressions.finite(node.value) if isinstance(node.value, (int, float)) else None


def text_of(operations: Sequence[Operation], names: Sequence[str]) -> str:
    """The formula of operations, from which ``combination`` makes the same."""
    calls = {code: name for name, code in (*_CALLS.items(), *_PAIRS.items())}
    stack: list[str] = []
    for code, argument in operations:
        if code == op.NUMBER:
            stack.append(repr(float(argument)))
        elif code == op.TIME:
            stack.append("t")
        elif code == op.SIGNAL:
            stack.append(names[int(argument)])
        elif code == op.RAISE:
            stack.append(f"({stack.pop()})**{float(argument)!r}")
        elif code in _SIGNS:
            second = stack.pop()
            stack.append(f"({stack.pop()} {_SIGNS[code]} {second})")
        elif code in _PAIRS.values():
            second = stack.pop()
            stack.append(f"{calls[code]}({stack.pop()}, {second})")
        else:
            stack.append(f"{calls[code]}({stack.pop()})")
    return stack.pop()
