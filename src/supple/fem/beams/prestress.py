"""Geometric stiffness of a beam element: its stress on strains of second order.

With the displacement u and the rotation vector t of the sections, strains of second order are,
along and across the axis, and for twist and bending,

    (t_z v' - t_y w' - (t_y^2 + t_z^2)/2,  t_x w' + t_x t_y/2,  t_x t_z/2 - t_x v')
    -(t x t')/2

those of a geometrically exact beam without products of the axial strain. Without shear the first
is (v'^2 + w'^2)/2. Written with rotation vectors on both sides of a node, moments in a corner of
a frame need no correction of their own. The stress of warping and the polar moment of an axial
force are left out.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from supple.fem.beams.element import BeamElement
from supple.foundation.arrays import Array


def element_geometric_stiffness(element: BeamElement, displacement: Array) -> Array:
    """Matrix (size, size) of the stress of displacements (size,), in element axes."""
    return np.asarray(np.tensordot(displacement, _forms(element), 1))


@lru_cache(maxsize=64)  # elements of a uniform beam are one, and loads are many
def _forms(element: BeamElement) -> Array:
    """That matrix for each displacement, (size, size, size)."""
    found = np.zeros((element.size,) * 3)
    moment_slopes = _moment_slopes(element)
    for xi, weight, law in element.stations:
        values, strains = element.values(xi), element.strain(xi)
        tx, ty, tz = values[3:]
        about_z, about_y, twist = strains[1:4]  # t_z', -t_y', t_x'
        v, w = strains[4] + tz, strains[5] - ty  # slopes of the axis
        N, along_y, along_z, T = law.law @ strains[:4]
        shear = []
        for k in range(2):
            if element.planes[k].sheared:
                shear.append(law.shear[k] * strains[4 + k])
            else:  # equilibrium of the element
                shear.append(-moment_slopes[k])
        parts = [
            (N, tz, v), (-N, ty, w), (-0.5 * N, ty, ty), (-0.5 * N, tz, tz),
            (shear[0], tx, w), (0.5 * shear[0], tx, ty),
            (-shear[1], tx, v), (0.5 * shear[1], tx, tz),
            # -(t x t')/2: about x with T, about y with -along_z, about z with along_y
            (-0.5 * T, ty, about_z), (-0.5 * T, tz, about_y),
            (0.5 * along_z, tz, twist), (-0.5 * along_z, tx, about_z),
            (0.5 * along_y, tx, about_y), (0.5 * along_y, ty, twist),
        ]  # fmt: skip
        for stress, a, b in parts:
            product = np.outer(a, b)
            found += np.multiply.outer(element.length * weight * stress, product + product.T)
    found = 0.5 * (found + found.transpose(0, 2, 1))
    found.flags.writeable = False
    return found


def arm_stiffness(force: Array, arm: Array) -> Array:
    """Matrix (3, 3) of a force at the end of a rigid arm, for the rotation of its beginning.

    The end moves by rotation x arm and, of second order, by rotation x (rotation x arm) / 2.
    """
    both = np.outer(force, arm)
    return np.asarray(0.5 * (both + both.T) - (force @ arm) * np.eye(3))


def _moment_slopes(element: BeamElement) -> Array:
    """Rows (2, size) of the rates along the axis of the moments for v'' and w''.

    They are those of a line through all stations.
    """
    places = np.array([xi for xi, _, _ in element.stations]) * element.length
    moments = [law.bending @ element.strain(xi)[1:3] for xi, _, law in element.stations]
    fitted = np.polyfit(places, np.array(moments).reshape(len(places), -1), 1)[0]
    return np.asarray(fitted.reshape(2, element.size))
