"""Tables: the rows of a model's buffers while they are collected, and how one is added to each.

What a row means is in ``core/base/layout.py``. Nothing here knows of bodies, joints and frames: the
builder walks through the model and says which rows there are, ``engine/pack/buffers.py`` makes the
flat buffers of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from supple.core.base import layout as at
from supple.core.base import opcodes
from supple.engine.base.compiled import KindTable, RowRecord
from supple.engine.pack.buffers import MASSLESS, Columns, RigidInertia, row_of
from supple.engine.pack.kinds import refuse_unknown
from supple.forces.kinds import ELEMENTS
from supple.foundation.arrays import Array
from supple.foundation.errors import label
from supple.foundation.poses import Pose
from supple.joints.motions import MOTIONS
from supple.signals import Constant, Signal

if TYPE_CHECKING:
    from supple.constraints import Constraint
    from supple.foundation.frames import Body
    from supple.joints import Joint
    from supple.signals.base import Packed


class Tables:
    """Rows of nodes, columns, flexible bodies, elements, signals and links, each table a list.

    Parameters
    ----------
    length : m
        The unit of translations in error control.
    frozen : s, optional
        The time at which all signals keep their values.
    """

    def __init__(self, length: float, frozen: float | None = None) -> None:
        self.length = length
        self.frozen = frozen
        self.owner = ""  # label of what is being added
        self.kinds: dict[tuple[KindTable, int], str] = {}
        # the tree
        self.node_ints: list[list[int]] = []
        self.node_poses: list[Pose] = []
        self.inertias: list[RigidInertia] = []
        self.columns: list[list[int]] = []
        self.rotors: dict[int, float] = {}
        # the state
        self.nq = self.nu = self.nz = 0
        self.z0: list[float] = []
        self.inner = (
            0  # states that are eliminated inside their elements, numbered behind all others
        )
        self.q0: list[float] = []
        self.u0: list[float] = []
        self.scale: list[float] = []
        self.rate_scale: list[float] = []
        # flexible bodies
        self.flex_ints: list[list[int]] = []
        self.attach_ints: list[list[int]] = []
        self.membranes: list[list[int]] = []
        self.strips: list[list[int]] = []
        self.strip_rows: list[int] = []
        self.flex_data: list[Array] = []
        self.flex_size = self.flex_work = 0
        # bodies whose coordinates are plain, and those without a frame
        self.plain: list[list[int]] = []
        self.gradient_rows: list[list[int]] = []
        self.gradient_ints: list[int] = []
        # force elements and signals
        self.element_ints: list[list[int]] = []
        self.element_reals: list[list[float]] = []
        self.force_names: list[str] = []
        self.dissipates: list[bool] = []
        self.signals: list[list[int]] = []
        self.data: list[float] = []
        self.programs: list[int] = []
        self.terms: list[list[int]] = []
        self.factors: list[float] = []
        self.wrenches = self.switches = 0
        # constraints
        self.link_ints: list[list[int]] = []
        self.rows: list[RowRecord] = []

    def use(self, table: KindTable, code: int) -> None:
        """Note that the owner has something of a kind; refuse a code that no table has."""
        if (table, code) not in self.kinds:
            refuse_unknown(table, code, self.owner)
            self.kinds[table, code] = self.owner

    def add_node(self, parent: int, motion: str, pose: Pose) -> int:
        """Add a node whose columns are new velocities."""
        kind = MOTIONS[motion]
        velocities = len(kind.directions)
        n = self.append_node(parent, motion, pose, velocities)
        row = self.node_ints[n]
        row[at.Q0], row[at.U0] = self.nq, self.nu
        for k in range(velocities):
            self.add_column(n, k, self.nu + k)
        sizes = [self.length if unit == "m" else 1.0 for unit in kind.velocity_units]
        self.scale += sizes
        self.rate_scale += sizes
        self.nq += len(kind.units)
        self.nu += velocities
        return n

    def append_node(self, parent: int, motion: str, pose: Pose, columns: int) -> int:
        """Add a node whose columns follow by `add_column`; the ground has the parent -1."""
        code = MOTIONS[motion].code
        if parent >= 0 and ("motion", code) not in self.kinds:
            self.use("motion", code)
        n = len(self.node_ints)
        row = [-1] * at.NODE_INTS
        row[at.PARENT], row[at.MOTION], row[at.HEAVY] = parent, code, 0
        row[at.COL0], row[at.COLUMNS] = len(self.columns), columns
        row[at.ROOT] = n if parent <= 0 else self.node_ints[parent][at.ROOT]
        row[at.LAST] = self.last_column(parent) if parent >= 0 else -1
        self.node_ints.append(row)
        self.node_poses.append(pose)
        self.inertias.append(MASSLESS)
        return n

    def add_column(self, node: int, k: int, velocity: int) -> None:
        """Add column k of a node, which belongs to a velocity."""
        row = [0] * at.COLUMN_INTS
        row[at.BEFORE] = self.node_ints[node][at.LAST] if k == 0 else len(self.columns) - 1
        row[at.OWNER], row[at.VELOCITY] = node, velocity
        self.columns.append(row)

    def last_column(self, node: int) -> int:
        """The last column of the path from the ground to a node; -1 if there is none."""
        row = self.node_ints[node]
        return row[at.COL0] + row[at.COLUMNS] - 1 if row[at.COLUMNS] else row[at.LAST]

    def add_flex(self, *arrays: Array) -> None:
        """Put arrays of a flexible body behind those that are there."""
        for array in arrays:
            self.flex_data.append(np.ravel(array))
            self.flex_size += np.size(array)

    def add_plain(self, q: Sequence[float], scale: Sequence[float], rate: Sequence[float]) -> None:
        """Add coordinates of a body that start at q; their rates are velocities."""
        n = len(q)
        row = {at.PLAIN_Q0: self.nq, at.PLAIN_U0: self.nu, at.PLAIN_N: n}
        self.plain.append(row_of(at.PLAIN_INTS, row))
        self.nq += n
        self.nu += n
        self.q0.extend(q)
        self.u0.extend([0.0] * n)
        self.scale.extend(scale)
        self.rate_scale.extend(rate)

    def add_element(self, ints: Columns, reals: Columns, name: str) -> None:
        """Add a force element with one work channel; its rows are given by their columns."""
        self.use("element", ints[at.KIND])
        self.element_ints.append(row_of(at.ELEMENT_INTS, ints))
        self.element_reals.append(row_of(at.ELEMENT_REALS, reals))
        self.force_names.append(name)
        self.dissipates.append(ELEMENTS[ints[at.KIND]].dissipates)

    def add_link(
        self, kind: int, ends: tuple[int, int], place: int, signal: int, rows: Sequence[int],
        rates: int = 0, element: int = -1,
    ) -> None:  # fmt: skip
        """Add constraint rows: ``rows`` are numbers from `add_row`, -1 where there is none.

        ``rates`` has the bits of directions whose rows hold rates alone; ``element`` is the force
        element with the shapes that they are about.
        """
        self.use("link" if signal < 0 else "driven link", kind)
        directions = [*rows, *[-1] * (6 - len(rows))]
        columns = {at.LINK_KIND: kind, at.LINK_A: ends[0], at.LINK_B: ends[1], at.LINK_AT: place}
        more = {
            at.LINK_SIGNAL: signal, at.LINK_ROW: directions, at.LINK_RATES: rates,
            at.LINK_ELEMENT: element,
        }  # fmt: skip
        self.link_ints.append(row_of(at.LINK_INTS, {**columns, **more}))

    def add_row(self, owner: Joint | Constraint | Body, part: str, unit: str) -> int:
        """Add a constraint row; returns its number."""
        self.rows.append(RowRecord(owner.name, label(owner), part, unit))
        return len(self.rows) - 1

    def add_signal(self, signal: Signal) -> int:
        """Add a signal and its parts; returns its number, -1 for zero."""
        if self.frozen is not None:
            signal = Constant(float(signal(self.frozen)))
        if isinstance(signal, Constant) and signal.value == 0.0:
            return -1
        parts = [self.add_signal(part) for part in signal.parts]
        code, operations, numbers = signal.program()
        integers = np.array(operations, dtype=np.int64)
        if parts:  # the program refers to its parts by place
            integers[2::2][integers[1::2] == opcodes.SIGNAL] = parts
        return self._add_program(code, integers, numbers)

    def add_law(self, law: Packed | None) -> int:
        """Add the law of a spring or damper; returns its number plus one, 0 for none."""
        if law is None:
            return 0
        integers = np.array(law.integers, dtype=np.int64)
        return self._add_program(law.code, integers, law.numbers) + 1

    def _add_program(self, code: int, integers: np.ndarray, numbers: Array) -> int:
        self.use("signal", code)
        columns = {at.SIGNAL_CODE: code, at.SIGNAL_AT: len(self.data)}
        columns[at.SIGNAL_PROGRAM] = len(self.programs)
        self.signals.append(row_of(at.SIGNAL_INTS, columns))
        self.programs.extend(integers.tolist())
        self.data.extend(numbers)
        return len(self.signals) - 1

    def add_numbers(self, numbers: Iterable[float]) -> int:
        """Put numbers of an element beside those of the signals; returns their place."""
        place = len(self.data)
        self.data.extend(float(x) for x in numbers)
        return place

    def add_integers(self, integers: Iterable[int]) -> int:
        """Put integers of an element beside those of the signals; returns their place."""
        place = len(self.programs)
        self.programs.extend(int(i) for i in integers)
        return place

    def add_terms(self, terms: Iterable[tuple[int, int, float]]) -> int:
        """Add terms of a sum: places in q and u and the factor of each; returns the first."""
        first = len(self.terms)
        for q, u, factor in terms:
            self.terms.append(row_of(at.TERM_INTS, {at.TERM_Q: q, at.TERM_U: u}))
            self.factors.append(factor)
        return first

    def add_state(self, initial: float = 0.0) -> int:
        """Add a controller state with its initial value; returns its place."""
        self.nz += 1
        self.z0.append(initial)
        return self.nz - 1

    def add_inner_states(self, count: int) -> int:
        """Add states of one element, zero at first; returns the first one's place among such."""
        self.inner += count
        return self.inner - count
