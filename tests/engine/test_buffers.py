"""Records of flat buffers: what follows from their tables fits together."""

from __future__ import annotations

import math
import types

import numpy as np
import pytest

from supple.commands.demo import arm
from supple.core.alpha import stage as alpha_stage
from supple.core.base import layout
from supple.core.base.buffers import Part, Record, starts
from supple.core.dop853 import dop853
from supple.core.energy import state as energy_state
from supple.core.energy import vectors as energy_vectors
from supple.core.multistep import ends as multistep_state
from supple.core.radau import buffers as radau_views
from supple.core.run import step
from supple.engine.pack.buffers import flat_buffers, row_of
from supple.engine.pack.tables import Tables
from supple.formulations.trees import JointCoordinates
from supple.foundation.poses import IDENTITY
from supple.native import declare

RECORDS = [
    layout.TREE_RECORD,
    layout.WORK_RECORD,
    layout.FLEX_RECORD,
    step.RUN_RECORD,
    radau_views.CHOICE_RECORD,
    energy_vectors.SPAN_RECORD,
    *(m.OWN_RECORD for m in (alpha_stage, dop853, energy_state, multistep_state, radau_views)),
]


def sizes_of(record: Record, seed: int) -> dict[str, int]:
    """Sizes of a model that does not exist; some are zero."""
    random = np.random.default_rng(seed)
    return {name: int(random.integers(0, 5)) for name in (*record.head, *record.given)}


def cut(record: Record, sizes: dict[str, int], buffers: list[np.ndarray], begin: list[int]):
    """The kernel of a record as plain Python, with its own reading of sizes and places."""
    head = np.zeros(layout.HEADER, np.int64)
    for name, k in record.head.items():
        head[k] = sizes[name]
    kernel = getattr(record.cut, "function", record.cut)
    names = dict(kernel.__globals__, block=declare._block_checked, stored=declare._block_checked)
    plain = types.FunctionType(kernel.__code__, names)
    pairs = zip(buffers, begin, strict=True)
    places = [x for pair in pairs for x in (pair if record.follows else pair[:1])]
    return plain(head, *places, *(sizes[name] for name in record.given))


def numbered(record: Record, sizes: dict[str, int], begin: list[int]) -> list[np.ndarray]:
    """Buffers whose numbers are their places."""
    return [np.arange(n + i) for n, i in zip(record.lengths(sizes), begin, strict=True)]


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: f"{r.module}.{r.name}")
@pytest.mark.parametrize("seed", range(3))
def test_every_number_of_a_buffer_belongs_to_one_field(record, seed):
    sizes = sizes_of(record, seed)
    begin = [7 * record.follows] * len(record.parts)
    buffers = numbered(record, sizes, begin)
    views, *ends = cut(record, sizes, buffers, begin)
    assert ends == [len(buffer) for buffer in buffers]
    for part, buffer in zip(record.parts, buffers, strict=True):
        found = np.concatenate([np.ravel(getattr(views, field)) for field in part.fields])
        np.testing.assert_array_equal(found, buffer[begin[0] :])


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: f"{r.module}.{r.name}")
@pytest.mark.parametrize("seed", range(3))
def test_python_reads_what_kernels_see(record, seed):
    sizes = sizes_of(record, seed)
    buffers = numbered(record, sizes, [0] * len(record.parts))
    seen = cut(record, sizes, buffers, [0] * len(record.parts))[0]
    read = record.read(sizes, *buffers)
    assert type(read) is type(seen) is record.views
    for field, shape in record.shapes.items():
        np.testing.assert_array_equal(getattr(read, field), getattr(seen, field))
        assert getattr(read, field).ndim == len(shape)
    for part, buffer in zip(record.parts, buffers, strict=True):
        for field in part.fields:
            one = record.view(field, sizes, buffer)
            np.testing.assert_array_equal(one, getattr(read, field))
            assert one.size == 0 or np.shares_memory(one, buffer)
            assert one.size == math.prod(record.places(sizes)[field][1])


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: f"{r.module}.{r.name}")
def test_declared_types_are_those_of_the_table(record):
    kinds = iter(record.kind.members)
    for part in record.parts:
        for field in part.fields:
            kind, shape = next(kinds), record.shapes[field]
            assert (kind.number, kind.dims) == (part.number, len(shape))
            assert kind.fixed == (part.fixed and kind.dims > 0)


def test_a_record_may_follow_another():
    record = Record(
        "Own",
        __name__,
        Part("run", "float64", {"c": 2, "y": ("nu", "2 * (n + 1)"), "s": ()}),
        Part("count", "int64", {"k": "n"}),
        head={"nu": layout.H_U},
        given=("n",),
        follows=True,
    )
    sizes = {"nu": 3, "n": 4}
    assert record.lengths(sizes) == (2 + 3 * 10 + 1, 4)
    buffers = numbered(record, sizes, [5, 7])
    views, *ends = cut(record, sizes, buffers, [5, 7])
    assert ends == [len(b) for b in buffers]
    assert views.c[0] == 5 and views.k[0] == 7 and views.s == ends[0] - 1
    assert views.y.shape == (3, 10)


def test_some_fields_can_be_replaced():
    record = Record("Pair", __name__, Part("run", "float64", {"a": 1, "b": 2}), head={})
    kernel = record.replacing("b")
    plain = getattr(kernel, "function", kernel)
    assert plain(record.views(1, 2), 3) == record.views(1, 3)


def test_unknown_sizes_and_short_buffers_are_refused():
    with pytest.raises(NameError, match="'nowhere'"):
        Record("Wrong", __name__, Part("run", "float64", {"a": "nowhere"}), head={})
    record = Record("Short", __name__, Part("run", "float64", {"a": 2, "b": 2}), head={})
    with pytest.raises(IndexError, match="b of Short: 2 numbers from 2 of a buffer of 3"):
        record.read({}, np.zeros(3))


def test_kernels_find_the_places_of_a_flexible_body():
    kernel, sizes = layout.locate_flexible, {"n": 3, "r": 2}
    plain = getattr(kernel, "function", kernel)
    found, places = plain(100, 40, 3, 2), layout.FLEX_RECORD.places(sizes)
    for part, begin in zip(layout.FLEX_RECORD.parts, (100, 40), strict=True):
        for field in part.fields:
            assert getattr(found, field) == begin + places[field][0]


def test_columns_begin_where_those_before_end():
    assert starts(9, 3, 1) == (0, 9, 12, 13)


def test_rows_that_do_not_fit_their_table_are_refused():
    with pytest.raises(ValueError, match="a row of 2 numbers has become one of 3"):
        row_of(2, {1: [4, 5]})
    tables = Tables(1.0)
    tables.append_node(-1, "fixed", IDENTITY, 0)
    ints, reals = flat_buffers(tables, np.zeros(3))
    assert (len(ints), len(reals)) == layout.TREE_RECORD.lengths(layout.sizes(ints))
    tables.columns.append([0])  # too short
    with pytest.raises(ValueError, match="do not fit"):
        flat_buffers(tables, np.zeros(3))


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
def test_fields_of_a_model_and_of_its_workspace():
    eq = JointCoordinates().equations(arm())
    c = eq.compiled
    model = layout.read_model(c.ints, c.reals)
    np.testing.assert_array_equal(model.gravity, c.gravity)
    assert model.length == c.length
    np.testing.assert_array_equal(model.unit, c.scale)
    assert model.body[1:, layout.BODY_M].max() == pytest.approx(2.067)
    assert model.node[0, layout.PARENT] == -1 and not model.node.flags.writeable
    np.testing.assert_array_equal(layout.integers(c.ints, "column"), model.column)
    assert len(model.column) == c.ints[layout.H_COLUMNS]
    asked = layout.model_fields(c.ints, c.reals)
    for name, all_at_once in zip(model._fields, model, strict=True):
        one = getattr(asked, name)
        assert one.shape == all_at_once.shape
        assert np.shares_memory(one, all_at_once) == (one.size > 0)
        np.testing.assert_array_equal(one, all_at_once)
    with pytest.raises(AttributeError):
        _ = asked.nothing
    with pytest.raises(IndexError, match="of a buffer of"):
        layout.model_fields(c.ints, c.reals[:-1])
    eq.mass_matrix(eq.q0)
    work = layout.read_work(c.ints, eq.work)
    np.testing.assert_allclose(work.origin, work.node[1:, layout.P : layout.V].mean(axis=0))
