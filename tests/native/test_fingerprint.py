"""What a cached kernel depends on."""

from __future__ import annotations

import types
from collections import namedtuple

import pytest

from supple.core.base import layout, so3
from supple.core.base.buffers import Part, Record
from supple.core.bodies import chart
from supple.core.run import step
from supple.native import declare, fingerprint


def _fresh(function, **changes):
    """The fingerprint of a copy of a function whose module has other names in it."""
    names = {**function.__globals__, **changes}
    copy = types.FunctionType(function.__code__, names, function.__name__, function.__defaults__)
    copy.__doc__ = function.__doc__
    return fingerprint.fingerprint(copy)


def _compiled(text: str, name: str):
    names: dict = {}
    exec(compile(text, "made up", "exec"), names)
    return names[name]


def test_comments_docstrings_and_lines_do_not_count():
    one = _compiled("def f(x):\n    '''One.'''\n    return 2.0 * x\n", "f")
    text = "\n\n# moved\ndef f(x):\n    '''Another.'''\n    # why\n    return 2.0 * x\n"
    other = _compiled(text, "f")
    assert fingerprint.fingerprint(one) == fingerprint.fingerprint(other)
    changed = _compiled("def f(x):\n    '''One.'''\n    return 3.0 * x\n", "f")
    assert fingerprint.fingerprint(one) != fingerprint.fingerprint(changed)


def test_comments_and_docstrings_of_modules_do_not_count(tmp_path):
    def hashed(text: str) -> str:
        path = tmp_path / "module.py"
        path.write_text(text)
        return fingerprint.of_module(path)

    one = hashed('"""One."""\n\ndef f(x):\n    """One."""\n    return "One." * x\n')
    assert one == hashed('# why\n"""Two\nlines."""\ndef f(x):\n    return "One." * x  # here\n')
    assert one != hashed('def f(x):\n    return "Two." * x\n')


def test_constants_of_other_modules_count():
    f = step.polynomial.function
    assert _fresh(f) == fingerprint.fingerprint(f)
    assert _fresh(f, DEGREE=step.DEGREE + 1) != fingerprint.fingerprint(f)


def test_fields_of_records_count():
    """Kernels that cut buffers are made from tables."""

    def print_of(**fields):
        record = Record("Some", __name__, Part("run", "float64", fields), head={"nu": 2})
        return fingerprint.fingerprint(record.cut.function)

    assert print_of(a=3, b="nu") == print_of(a=3, b="nu")
    others = {print_of(a=4, b="nu"), print_of(b="nu", a=3), print_of(a=3, c="nu"), print_of(a=3)}
    assert len(others - {print_of(a=3, b="nu")}) == 4


def test_kernels_that_are_called_count():
    f = chart.retract.function
    other = types.ModuleType("supple.core.base.so3")
    other.__dict__.update(vars(so3))
    assert _fresh(f, so3=other) == fingerprint.fingerprint(f)
    other.quaternion_step = so3.matrix
    assert _fresh(f, so3=other) != fingerprint.fingerprint(f)


def test_of_shared_kernels_only_the_interface_counts():
    entries = declare.all_entries()
    shared, f = entries["equations_dynamics_residual_at"], entries["residual"].function
    before = fingerprint.fingerprint(f)
    views = {"base_layout_tree_at", "base_layout_work_at"}
    assert fingerprint.calls(f) == {shared.name, *views}
    body, shared.function = shared.function, chart.retract.function
    try:
        assert _fresh(f) == before
        shared.gives = declare.INT
        assert _fresh(f) != before
    finally:
        shared.function, shared.gives = body, None


def test_the_order_of_fields_of_tuples_counts(monkeypatch):
    """Inner kernels that are kept on disk find fields by their places."""
    before = fingerprint.tuples()
    fields = list(layout.Tree._fields)
    other = namedtuple("Tree", [fields[1], fields[0], *fields[2:]])
    other.__module__ = layout.Tree.__module__
    monkeypatch.setattr(layout, "Tree", other)
    assert fingerprint.tuples() != before


def test_kernels_that_move_to_another_module_count(monkeypatch):
    """Inner kernels that are kept on disk name those that they call by their modules."""
    f, called = chart.retract.function, so3.quaternion_step.function
    text, before = fingerprint.fingerprint(f), fingerprint.places(f)
    monkeypatch.setattr(called, "__module__", "supple.core.base.elsewhere")
    assert fingerprint.fingerprint(f) == text
    assert fingerprint.places(f) != before


def test_what_is_not_understood_is_refused():
    f = _compiled("table = {1: 2}\ndef f(x):\n    return table[x]\n", "f")
    with pytest.raises(TypeError, match="would not be noticed"):
        fingerprint.fingerprint(f)


def test_every_kernel_has_one_and_only_entries_hold_views():
    """What is held lives on the stack of the function that holds it."""
    for entry in declare.all_entries().values():
        fingerprint.fingerprint(entry.function)
    for function in list(fingerprint._known):
        paths = fingerprint._paths(function.__code__)
        holds = any(path[-1] in ("hold", "reserve") for path in paths)
        if declare.INNER in function.__qualname__:
            assert not holds, function.__qualname__
