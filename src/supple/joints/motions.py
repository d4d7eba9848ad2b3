"""The kinds of motion that joints are made of, one row for each: what anything but a kernel asks.

Methods that a row does not name refuse its kind by a sentence. How to add one is in
CONTRIBUTING.md, "A joint".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from supple.core.base import layout as at
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.poses import quaternion_matrix

MotionName = Literal["rotate", "translate", "ball", "free"]
ChartName = Literal["axes", "ball", "free"]
# Families of integrators that share kernels. "one-step": Radau, DormandPrince, GeneralizedAlpha and
# its kin use those of the engine and the charts of core/bodies/chart.py, which every analysis
# needs. BDF and Adams have unknowns of their own (core/multistep/multistep.py), and so has
# EnergyScheme (core/energy_*).
Method = Literal["one-step", "multistep", "energy"]
ALL_METHODS: frozenset[Method] = frozenset(("one-step", "multistep", "energy"))
WITHOUT_ENERGY: frozenset[Method] = frozenset(("one-step", "multistep"))

Converted = tuple[Array, Array]


def _reversed(c: Array, r: Array) -> Converted:
    """Axes crossed from B to A are compiled in reverse order, about the opposite axes."""
    return c[..., ::-1].copy(), r[..., ::-1].copy()


def _inverse_rotation(c: Array, r: Array) -> Converted:
    """The inverse rotation and the opposite angular velocity, seen from the other side."""
    turned = np.einsum("...ij,...j->...i", quaternion_matrix(c[..., :4]), r[..., :3])
    out_c, out_r = c.copy(), r.copy()
    out_c[..., 1:4] = -c[..., 1:4]
    out_r[..., :3] = -turned
    return out_c, out_r


def _inverse_pose(c: Array, r: Array) -> Converted:
    """The inverse pose and the opposite twist, seen from the other side."""
    out_c, out_r = _inverse_rotation(c, r)
    rotation, p = quaternion_matrix(c[..., :4]), c[..., 4:]
    out_c[..., 4:] = -np.einsum("...ji,...j->...i", rotation, p)
    v = np.einsum("...ij,...j->...i", rotation, r[..., 3:])
    out_r[..., 3:] = -v + np.cross(p, out_r[..., :3])
    return out_c, out_r


@dataclass(frozen=True)
class Chart:
    """Relation of the coordinates of a joint to its motion."""

    name: ChartName
    # whether the first four coordinates are a unit quaternion, and the first three velocities its
    # angular velocity
    quaternion: bool
    # coordinates (..., nq) and rates (..., nu) of a joint seen from the other side, an involution:
    # what the engine works with when it crosses the joint from B to A
    backwards: Callable[[Array, Array], Converted]
    # names of the velocities; empty if each is the rate of the coordinate in its place, whose order
    # ``backwards`` reverses
    velocities: tuple[str, ...] = ()

    @property
    def axes(self) -> bool:
        """True if velocities are rates of the coordinates, one for each axis."""
        return not self.velocities

    def effort_backwards(self, effort: Array) -> Array:
        """Efforts (..., nu) on a joint that is crossed from B to A."""
        return effort[..., ::-1].copy() if self.axes else effort.copy()


_TURNS = ("rotation_x", "rotation_y", "rotation_z")
_MOVES = ("motion_x", "motion_y", "motion_z")

CHARTS: dict[str, Chart] = {
    chart.name: chart
    for chart in (
        Chart("axes", False, _reversed),
        Chart("ball", True, _inverse_rotation, _TURNS),
        Chart("free", True, _inverse_pose, _TURNS + _MOVES),
    )
}

_SIX = tuple(tuple(int(i == k) for i in range(6)) for k in range(6))


@dataclass(frozen=True)
class MotionKind:
    """A kind of motion between two nodes of the engine."""

    name: str
    code: int  # the node's integer in the kernels
    coordinates: tuple[str, ...]  # their names
    units: tuple[str, ...]  # of each coordinate, "rad", "m" or "1"
    # of each velocity, the relative motion [angular; linear] of the outboard node in its own axes;
    # a motion with an axis has it along z
    directions: tuple[tuple[int, ...], ...]
    rank: int  # Richard's order of tree components: the lower, the sooner is a joint in the tree
    methods: frozenset[Method]  # families of integrators whose kernels have a branch for it
    # how a joint of this motion has its coordinates; None for edges that are no joints'
    chart: Chart | None

    @cached_property
    def axis(self) -> bool:
        """True if it is a motion about or along an axis."""
        return self.chart is CHARTS["axes"] and len(self.directions) == 1

    @cached_property
    def turns(self) -> bool:
        """True if it contains rotations."""
        return any(any(direction[:3]) for direction in self.directions)

    @cached_property
    def slides(self) -> bool:
        """True if it contains translations."""
        return any(any(direction[3:]) for direction in self.directions)

    @cached_property
    def velocity_units(self) -> tuple[str, ...]:
        """Of each velocity's increment: "rad" if it turns, else "m"; the scale of its errors."""
        return tuple("rad" if any(d[:3]) else "m" for d in self.directions)


_AXES, _BALL, _FREE = CHARTS.values()
_QUATERNION, _PLACE = ("qw", "qx", "qy", "qz"), ("x", "y", "z")
_ONES, _METRES = ("1",) * 4, ("m",) * 3
# name, code, coordinates, units, directions, rank, methods, chart
_ROWS = (
    ("fixed", at.FIXED, (), (), (), 0, ALL_METHODS, _AXES),
    ("rotate", at.REVOLUTE, ("angle",), ("rad",), (_SIX[2],), 1, ALL_METHODS, _AXES),
    ("translate", at.PRISMATIC, ("displacement",), ("m",), (_SIX[5],), 2, ALL_METHODS, _AXES),
    ("ball", at.BALL, _QUATERNION, _ONES, _SIX[:3], 1, ALL_METHODS, _BALL),
    ("free", at.FREE, _QUATERNION + _PLACE, _ONES + _METRES, _SIX, 3, ALL_METHODS, _FREE),
    # columns and coordinates of elastic and gradient edges are those of their body
    ("elastic_out", at.ELASTIC_OUT, (), (), (), 0, WITHOUT_ENERGY, None),
    ("elastic_in", at.ELASTIC_IN, (), (), (), 0, WITHOUT_ENERGY, None),
    ("gradient", at.GRADIENT_EDGE, (), (), (), 0, ALL_METHODS, None),
    ("line", at.LINE_EDGE, (), (), (), 0, WITHOUT_ENERGY, None),
    ("point", at.POINT_EDGE, (), (), (), 0, WITHOUT_ENERGY, None),
)
MOTIONS: dict[str, MotionKind] = {row[0]: MotionKind(*row) for row in _ROWS}


def motion_of(code: int) -> MotionKind:
    """The kind with an integer code of the kernels."""
    return next(kind for kind in MOTIONS.values() if kind.code == code)
