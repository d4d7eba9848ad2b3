"""Options of runs: one place for their names and defaults; the list of what refuses a run."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

import supple as sp
from supple.analyses.run.options import (
    KEPT,
    MethodOptions,
    RunOptions,
    SimulateOptions,
    StudyOptions,
)
from supple.analyses.run.problem import REFUSALS, Asked, Built, Placed
from supple.analyses.run.simulate import Prepared

FIELDS = {field.name: field.default for field in fields(RunOptions)}
OPTIONS: list[tuple[Callable[..., Any], type]] = [
    (sp.simulate, SimulateOptions),
    (Prepared.simulate, SimulateOptions),
    (Prepared.image, MethodOptions),
    (sp.Stepper, MethodOptions),
    (sp.files.export_fmu, MethodOptions),
    (sp.certify, StudyOptions),
    (sp.choose_modes, StudyOptions),
    (sp.crosscheck, MethodOptions),
    (sp.converge, MethodOptions),
    (sp.sweep, MethodOptions),
    (sp.batch, MethodOptions),
]


@pytest.mark.parametrize("options", [MethodOptions, StudyOptions, SimulateOptions])
def test_keywords_are_options_of_a_run(options: type) -> None:
    assert set(options.__annotations__) <= {*FIELDS, *KEPT}


@pytest.mark.parametrize(("function", "options"), OPTIONS)
def test_signatures_tell_all_keywords(function: Callable[..., Any], options: type) -> None:
    """With the defaults of a run and the types that the mapping of keywords has."""
    found = inspect.signature(function).parameters
    assert not any(p.kind is p.VAR_KEYWORD for p in found.values())
    called = function.__init__ if inspect.isclass(function) else function
    hints = typing.get_type_hints(called, localns={"Model": sp.Model})
    for name, hint in typing.get_type_hints(options).items():
        assert found[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert found[name].default == FIELDS.get(name) and hints[name] == hint


def test_refusals_say_what_they_need() -> None:
    """In the order in which more is known of a run, each by the type of its argument."""
    needs = [needed for needed, _ in REFUSALS]
    assert needs == sorted(needs, key=[Asked, Built, Placed].index)
    for needed, check in REFUSALS:
        assert typing.get_type_hints(check)["run"] is needed
        assert (check.__doc__ or "").startswith("Refuse ")


def test_a_run_has_radau_and_joint_coordinates_by_default() -> None:
    options = RunOptions(1.0)
    assert options.method == sp.Radau() and options.coordinates == sp.JointCoordinates()
    assert options.begin == 0.0 and options.tolerances == (1e-7, 1e-9)
    other = RunOptions(1.0, integrator=sp.BDF(), formulation=sp.Absolute(), tolerance=1e-5)
    assert other.method == sp.BDF() and other.coordinates == sp.Absolute()
    assert other.tolerances == pytest.approx((1e-5, 1e-7))
