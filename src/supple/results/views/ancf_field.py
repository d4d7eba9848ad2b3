"""View of plates and solids without a frame: motion, strain and stress at nodes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError
from supple.results.views.ancf_views import ANCFView, VectorPointView
from supple.results.views.stress import LargestStress, StressEnvelope

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_nodes import ANCFNodes
    from supple.fem.nodal.ancf_strain import StrainField

AT_ONCE = 4_000_000  # numbers that are in memory at once


class FieldPointView(VectorPointView):
    """Motion of a node of a plate or solid, its strain and its stress.

    Strains and stresses are means of the elements around the node, along axes that turn with the
    material: of a plate those of the node, of a solid those of the body at rest. Stresses are
    forces per area at rest, so that with small strains they are those of the deformed body.
    """

    def strain(self, surface: str | None = None) -> Array:
        """(nt, 3) e_xx, e_yy, 2 e_xy of a plate on its "top", "middle" or "bottom".

        Of a solid (nt, 6) e_xx, e_yy, e_zz, 2 e_xy, 2 e_xz, 2 e_yz.
        """
        rows = self._field.sides[self._side(surface)]
        found: Array = self._strain @ rows.T
        return found

    def stress(self, surface: str | None = None) -> Array:
        """(nt, 3) or (nt, 6) stresses in the order of the strains, Pa."""
        return self._field.stress(self._strain, self._side(surface))

    def von_mises(self, surface: str | None = None) -> Array:
        """(nt,) equivalent stress, Pa."""
        return self._field.von_mises(self.stress(surface))

    def membrane_force(self) -> Array:
        """(nt, 3) n_xx, n_yy, n_xy of a plate: integrals of stress over the thickness, N/m."""
        return self._resultants[:, :3]

    def moment(self) -> Array:
        """(nt, 3) m_xx, m_yy, m_xy of a plate: integrals of height times stress, N m/m."""
        return self._resultants[:, 3:]

    def section_forces(self) -> Array:
        """A plate or solid has no sections."""
        raise SuppleError(
            f"{self._whole.label}: it has no sections, expected strain(), stress() or von_mises()"
        )

    @property
    def _field(self) -> StrainField:
        return cast("FieldView", self._whole).field

    @cached_property
    def _strain(self) -> Array:
        """(nt, 6) strains of the node."""
        view = cast("FieldView", self._whole)
        return view.strain_at(self._station.position)

    @property
    def _resultants(self) -> Array:
        if len(self._field.sides) < 2:
            raise SuppleError(f"{self._whole.label}: it has no thickness, expected stress()")
        found: Array = self._strain @ self._field.law
        return found

    def _side(self, surface: str | None) -> str:
        sides = tuple(self._field.sides)
        if surface is None:
            return sides[0]
        expected = sides if len(sides) > 1 else ()
        if not expected:
            raise SuppleError(
                f"{self._whole.label}: surface is {surface!r}, expected none: a solid has no top"
            )
        chosen: str = validate.choice(self._whole.label, "surface", surface, expected)
        return chosen

    def __getstate__(self) -> dict[str, Any]:
        """Pickle with the strain of the node."""
        return super().__getstate__() | {"_strain": self._strain}


class FieldView(ANCFView):
    """A plate or solid without a frame: motion of its nodes, its strain and its stress.

    Attributes are those of `ANCFView`.
    """

    _point = FieldPointView

    @property
    def field(self) -> StrainField:
        """Strains from nodal vectors."""
        return self._body.field

    @property
    def nodes(self) -> Array:
        """(nt, nodes, 3) places of its nodes, m."""
        nt = len(self.vectors)
        return self.field.places(self.vectors.reshape(nt, -1, 3))

    def von_mises(self) -> Array:
        """(nt,) largest equivalent stress of all nodes at each time, Pa."""
        return self.stress_envelope().over_time

    def largest_stress(self) -> LargestStress:
        """The largest equivalent stress over the run: value, time, place."""
        found = self.stress_envelope()
        k = int(np.argmax(found.largest))
        x, y, z = (float(c) for c in found.places[k])
        return LargestStress(
            float(found.largest[k]), float(found.times[k]), (x, y, z), found.names[k]
        )

    def stress_envelope(self) -> StressEnvelope:
        """The largest equivalent stress of each node over the run; of a plate on either side."""
        return self._envelope

    def strain_at(self, place: Array) -> Array:
        """(nt, 6) strains of the node at a place (3,) of ``at``."""
        number = self._body.number(place)
        return np.concatenate([strain[:, number] for _, strain in self._strains()])

    @cached_property
    def _envelope(self) -> StressEnvelope:
        field, t = self.field, self._times
        largest, when, over = np.full(field.count, -1.0), np.zeros(field.count), []
        for start, strain in self._strains():
            values = field.largest_von_mises(strain)
            first = np.argmax(values, axis=0)
            peak = values.max(axis=0)
            when = np.where(peak > largest, t[start + first], when)
            largest = np.maximum(largest, peak)
            over.append(values.max(axis=1))
        names = tuple(f"node {k}" for k in range(field.count))
        return StressEnvelope(largest, when, self._body.places, np.concatenate(over), names)

    def _strains(self) -> Iterator[tuple[int, Array]]:
        """First time and strains (times, nodes, 6), some times at once."""
        e = self.vectors.reshape(len(self.vectors), -1, 3)
        step = max(1, AT_ONCE // (6 * self.field.cells.size))
        for start in range(0, len(e), step):
            yield start, self.field.at_nodes(e[start : start + step])

    @property
    def _body(self) -> ANCFNodes:
        return cast("ANCFNodes", self._record.body)
