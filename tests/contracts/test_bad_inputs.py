"""Wrong arguments of everything public: each ends in one sentence, never in another exception.

Every call of `tests/models/valid_calls.py` is made again with each of its arguments replaced by
wrong values, one at a time. What must be refused follows from the annotation of the argument and
from its default. A new class or function needs one valid call there and nothing here.
"""

from __future__ import annotations

import re
import signal
import warnings
from threading import current_thread, main_thread
from typing import Any

import numpy as np
import pytest

import supple as sp
from models.valid_calls import ARM, BEAM, CALLS, LINK, NOT_CALLED, ROD, STEEL, pendulum, run
from supple.foundation import public_names

NAN, INF = float("nan"), float("inf")
STRANGER = sp.RigidBody("stranger", 1.0).at(0)

# Values, and the pieces of an annotation (or of a default) that let them pass. Without any piece
# they are wrong for every argument.
ALWAYS: tuple[str, ...] = ()
BAD: dict[str, tuple[Any, tuple[str, ...]]] = {
    "None": (None, ("None", "ArrayLike", "Any")),
    "text": ("no such thing", ("str", "Path", "Any", "JointLike", "Node")),
    "no text": ("", ("= ''",)),
    "True": (True, ("bool",)),
    "-1": (-1, ("Any",)),
    "0": (0, ("Any",)),
    "2.5": (2.5, ("Any",)),
    "nan": (NAN, ALWAYS),
    "inf": (INF, ("inf",)),
    "1e300": (1e300, ("Any",)),
    "10^12": (10**12, ("Any",)),
    "nothing": ([], ("Any",)),
    "three nan": ([NAN] * 3, ALWAYS),
    "letters": (["a"], ("Sequence", "ArrayLike")),
    "ragged": ([[1, 2], [3]], ALWAYS),
    "two numbers": ((1, 2), ("Any",)),
    "mapping": ({"a": 1}, ("Mapping",)),
    "object": (object(), ALWAYS),
    "complex": (1j, ALWAYS),
    "array of nan": (np.array(NAN), ALWAYS),
    "matrix": (np.zeros((2, 3)), ("ArrayLike", "Any", "Array")),
    "class": (int, ("Callable", "Progress", "Output")),
    "objects": (np.array([object()], dtype=object), ALWAYS),
    "bytes": (b"x", ALWAYS),
    "set": ({1}, ("Iterable", "Sequence", "ArrayLike", "Any")),
    "frame of another body": (STRANGER, ("Frame", "Any")),
}
# Whatever number is right there, in this table because an annotation does not tell.
NUMBERS = {"-1", "0", "2.5", "1e300", "10^12", "nothing", "two numbers", "letters", "matrix", "set"}
# A run to such a time is long, not wrong.
LONG = {(field, bad) for field in ("t_end", "dt") for bad in ("10^12", "1e300")}


def rows() -> list[tuple[str, str]]:
    """One row for each argument of each call."""
    return [
        (name, field)
        for name, call in CALLS.items()
        for field in dict.fromkeys((*call.given, *call.fields))
        if field != "given"
    ]


def must_be_refused(name: str, field: str, bad: str) -> bool:
    """Whether annotation and default say that a value is wrong."""
    if bad in NUMBERS:
        return False
    parameter = CALLS[name].fields.get(field)
    if parameter is None or parameter.annotation is parameter.empty:
        return BAD[bad][1] == ALWAYS
    about = f"{parameter.annotation} = {parameter.default!r}"
    return not any(piece in about for piece in BAD[bad][1])


class Endless(BaseException):
    """A call took too long."""


def sentence_of(action: Any) -> str | None:
    """Sentence of the error, None if there is none; fail if it is anything else."""

    def stop(*_: Any) -> None:
        raise Endless

    # Where there is no such clock a call that hangs is seen by the whole run only.
    clock = hasattr(signal, "SIGALRM") and current_thread() is main_thread()
    if clock:
        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 20.0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            action()
        return None
    except sp.SuppleError as error:
        return str(error)
    finally:
        if clock:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)


def check_sentence(text: str) -> None:
    """One line that says what was expected, or what is near to an unknown name."""
    assert text and "\n" not in text and len(text) < 700
    known = (
        r"expected|did you mean|known: |there are none yet|needs|has no|there is no|cannot|stopped"
    )
    assert re.search(known, text), text


def test_everything_public_is_in_the_table() -> None:
    assert [n for n in public_names.paths() if n not in CALLS and n not in NOT_CALLED] == []


@pytest.mark.parametrize("name", CALLS)
def test_valid_calls_are_valid(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        CALLS[name]()


@pytest.mark.parametrize(("name", "field"), rows(), ids=lambda part: part)
def test_wrong_arguments(name: str, field: str, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for bad, (value, _) in BAD.items():
        if (field, bad) in LONG:
            continue
        try:
            text = sentence_of(lambda value=value: CALLS[name](**{field: value}))
        except BaseException as error:
            pytest.fail(f"{name}({field}={bad}) ends in {error!r}")
        if text is not None:
            check_sentence(text)
        elif must_be_refused(name, field, bad):
            pytest.fail(f"{name}({field}={bad}) is accepted")


def added(*items: Any) -> sp.Model:
    m = pendulum()
    for item in items:
        m.add(item)
    return m


def mesh_body(modes: Any) -> sp.FrameStructure:
    nodes, member = {"a": (0, 0, 0), "b": (1, 0, 0)}, sp.Member("a", "b", ROD, STEEL)
    return sp.FrameStructure("bar", nodes, [member], modes)


# What is wrong only together with something else.
TOGETHER = {
    "the same name twice": (lambda: added(LINK, sp.RigidBody("link", 2.0)), "link"),
    "the name of the ground": (lambda: added(sp.RigidBody("ground", 2.0)), "ground"),
    "a joint named as a body": (
        lambda: added(LINK, ARM, sp.Revolute("link", LINK.at(0), ARM.at(0))),
        "link",
    ),
    "a joint on one body": (lambda: sp.Revolute("j", LINK.at(0), LINK.at(1)), "B"),
    "a joint of another model's body": (
        lambda: added(sp.Revolute("j", LINK.at(0), ARM.at(0))),
        "was not added",
    ),
    "a spring between strangers": (
        lambda: added(sp.SpringDamper("s", LINK.at(0), ARM.at(0), 1.0)),
        "was not added",
    ),
    "a force on a stranger": (lambda: added(sp.Force("f", LINK.at(0))), "was not added"),
    "a mass on a stranger": (lambda: added(sp.PointMass("p", LINK.at(0), 1.0)), "was not added"),
    "a spring at an unknown joint": (lambda: added(sp.JointSpring("s", "pim", 1.0)), "'pin'"),
    "a coordinate that is none": (
        lambda: added(sp.JointSpring("s", "pin", 1.0, coordinate=3)),
        "coordinate",
    ),
    "a coordinate by a wrong name": (
        lambda: added(sp.JointSpring("s", "pin", 1.0, coordinate="angel")),
        "angle",
    ),
    "an unknown item": (lambda: pendulum()["rot"], "'rod'"),
    "an unknown field": (lambda: pendulum().replace("rod", weight=1.0), "weight"),
    "an unknown result": (lambda: run()["rot"], "'rod'"),
    "an unknown history": (lambda: run().history("pin.angel"), "'pin.angle'"),
    "an unknown plot": (lambda: run().plot("pim"), "pin"),
    "an unknown tree": (lambda: sp.simulate(pendulum(), 0.1, formulation=sp.Branch(["pim"])), "pi"),
    "an unknown tolerance": (lambda: sp.simulate(pendulum(), 0.1, tolerance="thight"), "tolerance"),
    "an event at an unknown joint": (
        lambda: sp.simulate(pendulum(), 0.1, events=sp.Event("e", "pim")),
        "'pin'",
    ),
    "output after the end": (lambda: sp.simulate(pendulum(), 0.1, output=[0.0, 0.2]), "output"),
    "a state of another model": (
        lambda: sp.simulate(added(LINK, sp.Free("f", pendulum().ground.at(0), LINK.at(0))), 0.1,
                            start=run()),
        "start",
    ),
    "a body without joints": (lambda: sp.simulate(added(LINK), 0.1), "no path"),
    "a model without bodies": (lambda: sp.simulate(sp.Model(), 0.1), "no bodies"),
    "a place beside a beam": (lambda: BEAM.at(3.0), "x"),
    "a load along a stranger": (
        lambda: added(sp.DistributedLoad("d", BEAM.at(0), (1, 0, 0))),
        "not",
    ),
    "more modes than there are": (lambda: mesh_body(99), "modes"),
    "an unknown interface": (lambda: mesh_body(sp.reduction.CraigBampton(["c"], 1)).modal(), "c"),
    "no place for a load": (
        lambda: mesh_body(sp.reduction.StaticShapes([LOAD])).modal(),
        "nowhere",
    ),
    "an unknown node": (lambda: mesh_body(2).at("c"), "c"),
    "a member to nowhere": (
        lambda: sp.FrameStructure("f", {"a": (0, 0, 0), "b": (1, 0, 0)},
                             [sp.Member("a", "z", ROD, STEEL)]),
        "z",
    ),
    "two nodes in one place": (
        lambda: sp.FrameStructure("f", {"a": (0, 0, 0), "b": (0, 0, 0)},
                             [sp.Member("a", "b", ROD, STEEL)]),
        "another place",
    ),
    "walls thicker than a tube": (lambda: sp.Tube(0.02, 0.02), "wall"),
    "a wall thinner than atoms": (lambda: sp.ISection(1e12, 0.02, 0.002, 0.002), "size_y"),
    "times that do not increase": (lambda: sp.Table((0, 0, 1), (1, 2, 3)), "times"),
    "a step that ends before it starts": (lambda: sp.SmoothStep(1.0, 0.5), "end"),
    "an expression of something else": (lambda: sp.Expression("sin(x)"), "x"),
    "code in an expression": (lambda: sp.Expression("__import__('os')"), "__import__"),
    "an endless expression": (lambda: sp.Expression("(" * 5000 + "t" + ")" * 5000), "expression"),
    "stops the wrong way round": (lambda: sp.JointStop("s", "pin", 1.0, -1.0, 10.0), "upper"),
    "an unknown case": (lambda: sp.cases.get("huang-rigit"), "huang"),
}  # fmt: skip
LOAD = sp.reduction.PointLoadPattern("nowhere", (1, 0, 0))


@pytest.mark.parametrize("case", TOGETHER)
def test_wrong_together(case: str) -> None:
    action, part = TOGETHER[case]
    try:
        text = sentence_of(action)
    except BaseException as error:
        pytest.fail(f"{case} ends in {error!r}"[:500])
    assert text is not None, f"{case} is accepted"
    check_sentence(text)
    assert part in text
