"""Moments on displacements of second order: lateral buckling of chains, of frames and of solids.

Bodies of a chain pass on moments. A moment in space is no vector of the rotation alone: which load
buckles a strip depends on how the moment turns with it, and pairs of dead forces on a rigid cross
have three ways. Linear equations of a narrow strip (bending w, twist) give all loads.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.linalg import eigh

import supple as sp
from supple.fem.solids.solid import block

SECTION, MATERIAL = (
    sp.Section(1.0, 1e-8, 1e-4, 2e-8),
    sp.Material(E=1e8, G=4e7, density=1.0),
)
UNIT = np.sqrt(0.8)  # sqrt(EI GJ)
ELEMENTS = 8
SOLID = sp.Material(E=1e9, G=5e8, density=1e3)


def critical(model: Callable[[float], sp.Model]) -> float:
    """Smallest load at which the stiffness, linear in it without deflection, is singular.

    It is symmetric, because all forces are dead.
    """
    found = []
    for load in (0.0, 1.0):
        eq = sp.JointCoordinates().equations(model(load))
        _, Rq, *_ = eq.tangents(0.0, eq.q0, eq.u0, np.zeros(eq.nu), np.zeros(eq.nz))
        np.testing.assert_allclose(Rq, Rq.T, rtol=0, atol=1e-10 * np.abs(Rq).max())
        found.append(0.5 * (Rq + Rq.T))
    return 1.0 / float(eigh(found[0] - found[1], found[0], eigvals_only=True)[-1])


def part(kind: str, name: str, length: float, elements: int, along: str = "x") -> tuple:
    """A strip whose narrow side is out of the plane x, y; frames at its ends."""
    if kind == "beam":
        body = sp.Beam(
            name,
            length,
            SECTION,
            MATERIAL,
            elements,
            stiffening=sp.reduction.SecondOrder(twist=True),
        )
        return body, body.at(0), body.at(length)
    end = (length, 0, 0) if along == "x" else (0, length, 0)
    members = [sp.Member("a", "b", SECTION, MATERIAL, elements)]
    body = sp.FrameStructure(name, {"a": (0, 0, 0), "b": end}, members, stiffening="second_order")
    return body, body.at("a"), body.at("b")


def chain(kind: str, bodies: int) -> tuple[sp.Model, sp.Frame]:
    """A clamped strip of unit length, cut into welded bodies; the frame at its tip."""
    model = sp.Model(gravity=(0, 0, 0))
    tip = model.ground.at(0)
    for k in range(bodies):
        body, root, end = part(kind, f"body {k}", 1.0 / bodies, ELEMENTS // bodies)
        model.add(body)
        model.add(sp.Fixed(f"weld {k}", tip, root))
        tip = end
    return model, tip


def turn(model: sp.Model, tip: sp.Frame, moment: float, bars: str) -> sp.Model:
    """A moment about z by pairs of dead forces on a rigid cross with bars along x, y or both."""
    cross = model.add(sp.RigidBody("cross", 1.0, inertia=1.0))
    model.add(sp.Fixed("grip", tip, cross.at(0)))
    force = moment / len(bars) / 0.2
    if "x" in bars:
        model.add(sp.Force("up", cross.at(0.1, 0, 0), (0, force, 0)))
        model.add(sp.Force("down", cross.at(-0.1, 0, 0), (0, -force, 0)))
    if "y" in bars:
        model.add(sp.Force("back", cross.at(0, 0.1, 0), (-force, 0, 0)))
        model.add(sp.Force("forth", cross.at(0, -0.1, 0), (force, 0, 0)))
    return model


@pytest.mark.parametrize("kind", ["beam", pytest.param("frame", marks=pytest.mark.slow)])
def test_lateral_buckling_of_a_chain(kind):
    """4.0126 sqrt(EI GJ)/L^2, and the same however the strip is cut.

    Twist is linear in each of 8 elements, which gives 0.4 %.
    """

    def loaded(bodies: int, load: float) -> sp.Model:
        model, tip = chain(kind, bodies)
        model.add(sp.Force("load", tip, (0, load, 0)))
        return model

    found = [critical(lambda load, n=n: loaded(n, load)) / UNIT / 4.0126 for n in (1, 2, 4)]
    assert found[0] == pytest.approx(1.0, abs=5e-3)
    # whitening drops combinations of loads with less than 1e-8 of the work
    np.testing.assert_allclose(found, found[0], rtol=1e-5)


def test_more_bodies_are_better():
    """Bodies of two elements each in a plane that is turned about x: the error falls with h^2."""
    roll = 0.7

    def loaded(bodies: int, load: float) -> sp.Model:
        model = sp.Model(gravity=(0, 0, 0))
        tip, length = model.ground.at(0), 1.0 / bodies
        for k in range(bodies):
            body = sp.Beam(
                f"body {k}",
                length,
                SECTION,
                MATERIAL,
                elements=2,
                roll=roll,
                stiffening=sp.reduction.SecondOrder(twist=True),
            )
            model.add(body)
            model.add(sp.Fixed(f"weld {k}", tip, body.at(0)))
            tip = body.at(length)
        across = (0.0, load * np.cos(roll), load * np.sin(roll))
        model.add(sp.Force("load", tip, across))
        return model

    found = [critical(lambda load, n=n: loaded(n, load)) / UNIT for n in (1, 2, 4)]
    errors = np.array(found) / 4.0126 - 1.0
    assert 0.0 < errors[2] < 5e-3
    np.testing.assert_allclose(errors[:-1] / errors[1:], 4.0, rtol=0.3)


@pytest.mark.parametrize("bodies", [1, 4])
@pytest.mark.parametrize(("bars", "exact"), [("x", np.pi / 2), ("y", np.pi / 2), ("xy", np.pi)])
def test_moments_that_turn_in_different_ways(bars, exact, bodies):
    """Quasi-tangential moments buckle a cantilever at pi/2 sqrt(EI GJ)/L, semi-tangential at pi.

    Bound: 0.7 % of linear twist in 8 elements, of which a half wave is bent.
    """
    found = critical(lambda M: turn(*chain("beam", bodies), M, bars)) / UNIT
    assert found == pytest.approx(exact, rel=7e-3)


@pytest.mark.parametrize("force", [(1, 0, 0), (-1, 0, 0), (0, -1, 0)])
def test_a_corner_is_the_same_by_frames_and_beams(force):
    """An angle of two strips under a dead force: one frame, two frames, two beams.

    There bending of one member is twist of the other.
    """
    force = np.array(force, dtype=float)
    quarter = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])

    def angle(load: float, kind: str) -> sp.Model:
        model = sp.Model(gravity=(0, 0, 0))
        if kind == "whole":
            nodes = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 1, 0)}
            members = [sp.Member(*ends, SECTION, MATERIAL, 4) for ends in ("ab", "bc")]
            one = sp.FrameStructure("angle", nodes, members, stiffening="second_order")
            model.add(one)
            model.add(sp.Fixed("root", model.ground.at(0), one.at("a")))
            tip = one.at("c")
        else:
            first, root, end = part(kind, "first", 1.0, 4)
            second, corner, tip = part(kind, "second", 1.0, 4, "y")
            model.add(first)
            model.add(second)
            model.add(sp.Fixed("root", model.ground.at(0), root))
            if kind == "beam":
                end = first.at(1.0, rotation=quarter)
            model.add(sp.Fixed("corner", end, corner))
        model.add(sp.Force("load", tip, tuple(load * force)))
        return model

    found = [critical(lambda P, k=k: angle(P, k)) for k in ("whole", "frame", "beam")]
    np.testing.assert_allclose(found, found[0], rtol=1e-5)


def rings(bodies: int, welded: bool, last: str) -> tuple[sp.Model, sp.Frame]:
    """A strip of solids with rigid ends of each part; as welded bodies, or as one with rings."""
    model = sp.Model(gravity=(0, 0, 0))
    tip, parts = model.ground.at(0), bodies if welded else 1
    for k in range(parts):
        length, cuts = 1.0 / parts, 1 if welded else bodies
        mesh = block((length, 0.1, 0.004), (8 // parts, 1, 1), "hex20", SOLID)
        ends = [
            sp.fem.Interface(
                f"ring {i}",
                (i * length / cuts, 0.05, 0.002),
                np.flatnonzero(np.abs(mesh.nodes[:, 0] - i * length / cuts) < 1e-9),
                last if i == cuts and k == parts - 1 else "rigid",
            )
            for i in range(cuts + 1)
        ]
        modes = sp.reduction.CraigBampton([e.name for e in ends], 4 * cuts)
        body = sp.MeshBody(f"part {k}", mesh, ends, modes=modes, stiffening="second_order")
        model.add(body)
        model.add(sp.Fixed(f"weld {k}", tip, body.at("ring 0")))
        tip = body.at(f"ring {cuts}")
    return model, tip


@pytest.mark.slow
def test_solids_pass_on_moments():
    """A chain of solids buckles as one body with the same rigid rings does, under all moments.

    Pairs of forces on a bar in either direction are the same load where both ends are kept from
    warping. At the tip forces on a bar along x leave no torque, so that a mean frame, which lets it
    warp, changes nothing; those along y leave one. Bound: four inner modes of each part.
    """
    found = {
        (bar, last): [
            critical(lambda M, b=bar, k=last, w=welded: turn(*rings(2, w, k), M, b))
            for welded in (False, True)
        ]
        for bar, last in (("x", "rigid"), ("y", "rigid"), ("x", "average"), ("y", "average"))
    }
    for whole, cut in found.values():
        assert cut == pytest.approx(whole, rel=1e-3)
    assert found["y", "rigid"][0] == pytest.approx(found["x", "rigid"][0], rel=1e-5)
    assert found["x", "average"][0] == pytest.approx(found["x", "rigid"][0], rel=1e-3)
    assert 0.94 < found["y", "average"][0] / found["y", "rigid"][0] < 0.99
