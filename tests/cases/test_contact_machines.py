"""Machines in contact: what runs say of models that are right, and friction that is told apart."""

from __future__ import annotations

import dataclasses

import pytest

import supple as sp
from supple.cases import contact_machines as machines

# The ball of its source overlaps the other one by 0.02 of its radius, half of it for each
SAID = {"contact-driven-ball": "what rolls is pressed in, so that its radius is 0.01 of it smaller"}


@pytest.mark.parametrize("case", machines.CASES, ids=lambda case: case.name)
def test_runs_are_trusted(case):
    result = case.simulate(integrator=sp.DormandPrince(), tolerance="default")
    assert result.success, result.message
    if case.name in SAID:
        assert SAID[case.name] in result.verdict
    else:
        assert result.verdict.startswith("trusted"), result.verdict
    assert [q for q in case.measure(result) if not q.passed] == []


def changed(name, element, **changes):
    """Numbers that are off when something of a model is another one."""
    (case,) = (case for case in machines.CASES if case.name == name)

    def build():
        model = case.build()
        model.replace(element, **changes)
        return model

    found = dataclasses.replace(case, build=build).run(integrator=sp.DormandPrince())
    return [q.name for q in found if not q.passed]


def test_wrong_laws_are_found():
    softer = sp.HuntCrossley(stiffness=0.999 * machines.CAM_HARD, exponent=1.0)
    assert changed("contact-cam-follower", "disc1", law=softer)
    rubs = sp.RoundedFriction(0.2, transition=1.1e-2)
    assert changed("contact-roller-bearing", "inner3", friction=rubs)
    turned = sp.RoundedFriction((1.0, 0.0), axle_angle=0.25 * 3.14, transition=0.1)
    assert changed("contact-mecanum", "patch1", friction=turned)
    early = sp.HuntCrossley(stiffness=machines.CUBE_HARD, restitution=0.401, speed=3.0, exponent=1)
    assert changed("contact-cube", "floor", law=early)
