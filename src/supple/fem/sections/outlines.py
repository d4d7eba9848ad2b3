"""Outlines of cross sections, for pictures: closed polygons in the section's axes y, z."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from supple.fem.sections.sections import Box, Circle, CrossSection, ISection, Rectangle, Tube
from supple.foundation.arrays import Array

Faces = tuple[tuple[int, int, int], ...]
AROUND = 28  # points of a circle


@dataclass(frozen=True, eq=False)
class Outline:
    """Points of a section's surface; all sections of one kind have the same loops."""

    points: Array  # (k, 2) m, along y and z
    # sequences of points around the section, with the material on their left
    loops: tuple[tuple[int, ...], ...]
    cap: Faces  # triangles that fill it, counterclockwise in y, z


def section_outline(section: CrossSection) -> Outline:
    """The outline of a section.

    A section of numbers is drawn as a rectangle: by its half sizes, or else with its radii of
    gyration.
    """
    if isinstance(section, Circle):
        return _filled(_circle(0.5 * section.diameter))
    if isinstance(section, Tube):
        outer = 0.5 * section.diameter
        return _hollow(_circle(outer), _circle(outer - section.wall))
    if isinstance(section, Rectangle):
        return _filled(_rectangle(0.5 * section.size_y, 0.5 * section.size_z))
    if isinstance(section, Box):
        a, b, t = 0.5 * section.size_y, 0.5 * section.size_z, section.wall
        return _hollow(_rectangle(a, b), _rectangle(a - t, b - t))
    if isinstance(section, ISection):
        return _i_section(section)
    if section.half_sizes is not None:
        return _filled(_rectangle(*section.half_sizes))
    a, b = (math.sqrt(3.0 * moment / section.area) for moment in (section.I_z, section.I_y))
    return _filled(_rectangle(a, b))


def _circle(radius: float) -> Array:
    angle = 2.0 * math.pi * np.arange(AROUND) / AROUND
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _rectangle(a: float, b: float) -> Array:
    return np.array([[a, -b], [a, b], [-a, b], [-a, -b]])


def _filled(points: Array) -> Outline:
    """A convex section."""
    size = len(points)
    cap = tuple((0, k, k + 1) for k in range(1, size - 1))
    return Outline(points, (tuple(range(size)),), cap)


def _hollow(outer: Array, inner: Array) -> Outline:
    """A section with a hole: inner points are beside the outer ones."""
    size = len(outer)
    cap: list[tuple[int, int, int]] = []
    for k in range(size):
        after = (k + 1) % size
        cap += [(k, after, size + k), (after, size + after, size + k)]
    inside = tuple(range(2 * size - 1, size - 1, -1))
    return Outline(np.concatenate([outer, inner]), (tuple(range(size)), inside), tuple(cap))


def _i_section(section: ISection) -> Outline:
    a, b = 0.5 * section.size_y, 0.5 * section.size_z
    inner, half = a - section.flange, 0.5 * section.web
    points = [(a, -b), (a, b), (inner, b), (inner, half), (-inner, half), (-inner, b)]
    points += [(-a, b), (-a, -b), (-inner, -b), (-inner, -half), (inner, -half), (inner, -b)]
    quads = ((0, 1, 2, 11), (10, 3, 4, 9), (8, 5, 6, 7))
    cap = tuple(face for p, q, r, s in quads for face in ((p, q, r), (p, r, s)))
    return Outline(np.array(points), (tuple(range(12)),), cap)
