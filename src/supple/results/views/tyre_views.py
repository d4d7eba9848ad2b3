"""Tyres as a user reads them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from supple.foundation.arrays import Array, Booleans
from supple.results.data.run_data import TyreHistory
from supple.results.views.force_views import ContactView

STILL = 1e-6  # m/s, speed of travel at which slip is that over this speed


class TyreView(ContactView):
    """A tyre: its forces on the wheel and its slip, in the axes of ISO 8855.

    x is the heading of the wheel in the plane of the road, y the left, z the normal of the road.
    Of the quantities of a contact, B is the wheel.
    """

    @property
    def _tyre(self) -> TyreHistory:
        found = self._load.tyre
        assert found is not None
        return found

    @cached_property
    def _speed(self) -> Array:
        return np.maximum(np.abs(self._tyre.travel), STILL)

    @property
    def longitudinal_force(self) -> Array:
        """(nt,) of the road on the wheel along its heading, N: positive drives, negative brakes."""
        return self._tyre.force[:, 0]

    @property
    def lateral_force(self) -> Array:
        """(nt,) of the road on the wheel to its left, N."""
        return self._tyre.force[:, 1]

    @property
    def aligning_moment(self) -> Array:
        """(nt,) of the road on the wheel about the normal, N m."""
        return self._tyre.moment

    @property
    def slip(self) -> Array:
        """(nt,) longitudinal slip, 1: speed of rolling less speed of travel, over the latter.

        Positive where the wheel drives, -1 where it is locked; zero where it does not touch.
        """
        return np.where(self.touching, -self._tyre.velocity[:, 0] / self._speed, 0.0)

    @property
    def slip_angle(self) -> Array:
        """(nt,) angle from the heading to the velocity of the wheel over the road, rad.

        Positive where it goes to the left; the lateral force is then to the right. Zero where it
        does not touch.
        """
        return np.where(self.touching, np.arctan(self._tyre.velocity[:, 1] / self._speed), 0.0)

    @property
    def sliding_speed(self) -> Array:
        """(nt,) of the material of the wheel over the road, m/s; zero where it does not touch."""
        return np.where(self.touching, np.linalg.norm(self._tyre.velocity, axis=1), 0.0)

    @property
    def travel_speed(self) -> Array:
        """(nt,) of the wheel over the road along its heading, m/s."""
        return self._tyre.travel

    @property
    def rolling_speed(self) -> Array:
        """(nt,) with which the wheel turns, times its rolling radius, m/s."""
        return self._tyre.rolling

    @property
    def camber(self) -> Array:
        """(nt,) angle of the axle over the road, rad; positive where it leans to the right."""
        return np.arcsin(np.clip(self._tyre.camber, -1.0, 1.0))

    @property
    def heading(self) -> Array:
        """(nt, 3) direction in which the wheel rolls ahead, in the plane of the road."""
        return self._tyre.heading

    @property
    def deflection(self) -> Array:
        """(nt, 2) of the tyre at the road, along its heading and to the left, m.

        The rim is moved so far ahead and to the left of the patch, but for its damping.
        """
        return self._tyre.deflection[:, :2]

    @property
    def twist(self) -> Array:
        """(nt,) of the tyre about the normal of the road, by which it resists turning, rad."""
        return self._tyre.deflection[:, 2]

    @property
    def lifted(self) -> Booleans:
        """(nt,) True where the road does not push the wheel."""
        return self.normal_force <= 0.0

    @property
    def lost_by_slip(self) -> Array:
        """(nt,) energy that slip and the damping of the tyre along the road have taken, J."""
        return self._losses["slip"]

    @property
    def lost_by_friction(self) -> Array:
        """(nt,) the same."""
        return self._losses["slip"]
