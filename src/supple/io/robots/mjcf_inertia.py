"""Inertia of MJCF bodies: given, or that of their shapes."""

from __future__ import annotations

import math

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.poses import EYE, Pose
from supple.io.modelfiles.problems import found_expected
from supple.io.robots.description import Inertia
from supple.io.robots.mjcf_defaults import Compiler, from_z
from supple.io.robots.xml_tree import Element

SHAPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "plane", "hfield", "mesh", "sdf")
WITHOUT_MASS = ("plane", "hfield")
SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
WATER = 1000.0  # kg/m3, the density of shapes that do not say it


def volume_and_moments(shape: str, size: list[float]) -> tuple[float, Vector]:
    """Volume (m3) of a shape by its half sizes (m), and its moments (3,) per mass, m2."""
    a, b, c = size
    if shape in ("sphere", "ellipsoid"):
        moments = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 5.0
        return 4.0 / 3.0 * math.pi * a * b * c, moments
    if shape == "box":
        moments = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 3.0
        return 8.0 * a * b * c, moments
    across = a * a / 4.0 + c * c / 3.0
    middle = 2.0 * math.pi * a * a * c
    if shape == "cylinder":
        return middle, np.array([across, across, a * a / 2.0])
    # the ends of a capsule are halves of a sphere, centre of mass at 3/8 of the radius
    ends = 4.0 / 3.0 * math.pi * a**3
    share = ends / (middle + ends)
    away = a * a * (2.0 / 5.0 - 9.0 / 64.0) + (c + 3.0 / 8.0 * a) ** 2
    side = (1.0 - share) * across + share * away
    along = (1.0 - share) * a * a / 2.0 + share * 2.0 / 5.0 * a * a
    return middle + ends, np.array([side, side, along])


class Shapes:
    """Reads the inertia of ``<inertial>`` and ``<geom>``."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler, self.read = compiler, compiler.read

    def given(self, element: Element) -> Inertia:
        """The inertia of ``<inertial>``."""
        mass = self.read.number(element, "mass", least=0.0)
        R, p = self.compiler.pose(element)
        if "fullinertia" in element.attributes:
            xx, yy, zz, xy, xz, yz = self.read.vector(element, "fullinertia", size=6)
            matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        else:
            matrix = np.diag(self.read.vector(element, "diaginertia", (0, 0, 0)))
        return Inertia(mass, p, R @ matrix @ R.T)

    def of_shape(self, element: Element, frame: Pose) -> Inertia | None:
        """The inertia of a completed ``<geom>``, whose pose is in a frame; None without mass."""
        read = self.read
        low, high = self.compiler.groups
        usual = "mesh" if "mesh" in element.attributes else "sphere"
        shape = read.choice(element, "type", SHAPES, usual)
        if shape in WITHOUT_MASS or not low <= read.number(element, "group", 0.0) <= high:
            return None
        density = read.number(element, "density", WATER, least=0.0)
        mass = read.number(element, "mass", -1.0)
        if mass == 0.0 or (density == 0.0 and mass < 0.0):
            return None
        if shape not in SIZES:
            sentence = f"a {shape} with mass found, expected an <inertial> of the body"
            raise read.wrong(element, sentence)
        if read.flag(element, "shellinertia", False):
            raise read.wrong(element, found_expected("true", "false"), "shellinertia")
        size, local = self.sized(element, shape)
        volume, moments = volume_and_moments(shape, size)
        mass = mass if mass > 0.0 else density * volume
        R, p = frame.then(local)
        return Inertia(mass, p, mass * (R * moments) @ R.T)

    def sized(self, element: Element, shape: str) -> tuple[list[float], Pose]:
        """Half sizes of a shape along its axes, and its pose."""
        read, count = self.read, SIZES[shape]
        if "fromto" in element.attributes and shape != "sphere":
            ends = read.vector(element, "fromto", size=6)
            between = ends[3:] - ends[:3]
            length = float(np.linalg.norm(between))
            radius = read.numbers(element, "size", 3)[0]
            turn = from_z(between / length) if length > 0.0 else EYE
            pose = Pose(turn, 0.5 * (ends[:3] + ends[3:]))
            size = [radius, radius, 0.5 * length]
        else:
            size, pose = read.numbers(element, "size", 3), self.compiler.pose(element)
            if len(size) < count:
                found = element.attributes["size"]
                raise read.wrong(element, found_expected(found, f"{count} numbers"), "size")
            if shape == "sphere":
                size = [size[0]] * 3
            elif count == 2:
                size = [size[0], size[0], size[1]]
        if not min(size) > 0.0:
            found = element.attributes.get("fromto", element.attributes["size"])
            raise read.wrong(element, found_expected(found, "sizes above zero"), "size")
        return size, pose


def total(parts: list[Inertia]) -> Inertia | None:
    """Several inertias as one."""
    mass = sum(part.mass for part in parts)
    if not mass > 0.0:
        return None
    com = sum((part.mass * part.com for part in parts), np.zeros(3)) / mass
    matrix = np.zeros((3, 3))
    for part in parts:
        d = part.com - com
        matrix += part.matrix + part.mass * (d @ d * EYE - np.outer(d, d))
    return Inertia(mass, com, matrix)


def bounded(inertia: Inertia, compiler: Compiler) -> Inertia:
    """An inertia as the settings of the compiler change it."""
    mass, com, matrix = inertia
    if not (compiler.least_mass or compiler.least_inertia or compiler.balance):
        return inertia
    moments, axes = np.linalg.eigh(matrix)
    moments = np.maximum(moments, compiler.least_inertia)
    if compiler.balance and moments[2] > moments[0] + moments[1]:
        moments = np.full(3, moments.mean())
    return Inertia(max(mass, compiler.least_mass), com, (axes * moments) @ axes.T)
