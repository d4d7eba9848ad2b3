"""Views that kernels hand on by address: a named tuple of arrays is one pointer, not 300 numbers.

Numba passes a named tuple by all the numbers in it: pointers, sizes and strides of each array. For
the views of a model that is 300 arguments in every call of every kernel. ``hold``, called in an
entry, puts the tuple on the entry's stack and gives its address; kernels read members as they need
them, and nobody writes to it. ``block`` cuts a view out of a flat buffer without checks, and
``call_function`` calls C functions of the model.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    models,
    register_model,
)


class Held(types.Type):
    """A named tuple behind an address."""

    def __init__(self, content: types.NamedTuple) -> None:
        self.content = content
        kinds = "".join(sorted({str(getattr(t, "dtype", t))[0] for t in content.types}))
        super().__init__(f"held_{content.instance_class.__name__}_{kinds}_{len(content.types)}")

    @property
    def key(self) -> Any:
        """Types are equal if their tuples are."""
        return self.content


@register_model(Held)
class _HeldModel(models.PrimitiveModel):
    def __init__(self, manager: Any, held: Held) -> None:
        members = [manager.lookup(t).get_value_type() for t in held.content.types]
        super().__init__(manager, held, ir.LiteralStructType(members).as_pointer())


@infer_getattr
class _HeldAttributes(AttributeTemplate):
    key = Held

    def generic_resolve(self, held: Held, name: str) -> Any:  # type: ignore[override]
        if name in held.content.fields:
            return held.content.types[held.content.fields.index(name)]
        return None


@lower_getattr_generic(Held)
def _member(context: Any, builder: Any, held: Held, address: Any, name: str) -> Any:
    place = held.content.fields.index(name)
    zero = ir.IntType(32)(0)
    at = builder.gep(address, [zero, ir.IntType(32)(place)], inbounds=True)
    kind = at.type.pointee
    if not isinstance(kind, ir.LiteralStructType):
        return builder.load(at)
    value = ir.Constant(kind, ir.Undefined)
    for k in range(len(kind.elements)):
        part = builder.load(builder.gep(at, [zero, ir.IntType(32)(k)], inbounds=True))
        value = builder.insert_value(value, part, k)
    return value


def _store(builder: Any, views: Any, at: Any, count: int) -> None:
    """Write the members of a tuple to an address."""
    for k in range(count):
        member = builder.extract_value(views, k)
        place = builder.gep(at, [ir.IntType(32)(0), ir.IntType(32)(k)], inbounds=True)
        builder.store(member, place)


@intrinsic
def hold(typing: Any, views: Any) -> Any:
    """Put a named tuple on the caller's stack; its address is good for one call of an entry."""
    if not isinstance(views, types.NamedTuple):
        return None
    held = Held(views)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at = cgutils.alloca_once(builder, context.get_value_type(held).pointee)
        _store(builder, arguments[0], at, len(views.types))
        return at

    return held(views), generate


@intrinsic
def reserve(typing: Any, words: Any) -> Any:
    """Address of so many words on the caller's stack, good for one call of an entry."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        return builder.ptrtoint(builder.alloca(word, size=arguments[0]), word)

    return types.int64(types.int64), generate


@intrinsic
def hold_at(typing: Any, place: Any, views: Any) -> Any:
    """Put a named tuple at an address that ``reserve`` gave."""
    if not isinstance(views, types.NamedTuple):
        return None
    held = Held(views)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at = builder.inttoptr(arguments[0], context.get_value_type(held))
        _store(builder, arguments[1], at, len(views.types))
        return at

    return held(types.int64, views), generate


def array_at(context: Any, builder: Any, kind: Any, data: Any, extents: Any) -> Any:
    """An array in C order whose numbers begin at the address ``data``."""
    word = context.get_value_type(types.intp)
    size = word(context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    steps: list[Any] = []
    step = size
    for extent in reversed(extents):
        steps.insert(0, step)
        step = builder.mul(step, extent, flags=("nsw",))
    count = word(1)
    for extent in extents:
        count = builder.mul(count, extent, flags=("nsw",))
    array = context.make_array(kind)(context, builder)
    array.data, array.itemsize, array.nitems = data, size, count
    array.shape = cgutils.pack_array(builder, extents)
    array.strides = cgutils.pack_array(builder, steps)
    array.meminfo = ir.Constant(context.get_value_type(types.MemInfoPointer(types.voidptr)), None)
    array.parent = ir.Constant(array.parent.type, None)
    return array._getvalue()


@intrinsic
def integers(typing: Any, buffer: Any) -> Any:
    """The room of real numbers as integers."""
    made = types.Array(types.int64, 1, "C", readonly=not buffer.mutable, aligned=buffer.aligned)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = context.make_array(buffer)(context, builder, arguments[0])
        word = context.get_value_type(types.int64)
        first = builder.bitcast(given.data, word.as_pointer())
        return array_at(context, builder, made, first, [given.nitems])

    return made(buffer), generate


@intrinsic
def block(typing: Any, buffer: Any, start: Any, *shape: Any) -> Any:
    """View of a flat buffer in C order, without checks: the sizes are those it was made by."""
    single = len(shape) == 1 and isinstance(shape[0], types.BaseTuple)
    sizes = shape[0].types if single else shape
    made = types.Array(
        buffer.dtype, len(sizes), "C", readonly=not buffer.mutable, aligned=buffer.aligned
    )

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        given = context.make_array(buffer)(context, builder, arguments[0])
        first = context.cast(builder, arguments[1], start, types.intp)
        values = cgutils.unpack_tuple(builder, arguments[2])
        extents = [
            context.cast(builder, v, k, types.intp) for v, k in zip(values, sizes, strict=True)
        ]
        return array_at(context, builder, made, builder.gep(given.data, [first]), extents)

    return made(buffer, start, types.StarArgTuple.from_types(sizes)), generate


@intrinsic
def call_function(typing: Any, address: Any, buffer: Any, inputs: Any) -> Any:
    """Call the C function at an address with the time, inputs and outputs in a buffer of reals.

    The time comes first in the buffer. Complex buffers are left as they are.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, real = ir.IntType(64), ir.DoubleType()
        if not isinstance(buffer.dtype, types.Float):
            return word(0)
        start = context.make_array(signature.args[1])(context, builder, arguments[1]).data
        first = builder.gep(start, [word(1)])
        values = [builder.load(start), first, builder.gep(first, [arguments[2]])]
        shape = ir.FunctionType(ir.IntType(32), [real, real.as_pointer(), real.as_pointer()])
        done = builder.call(builder.inttoptr(arguments[0], shape.as_pointer()), values)
        return builder.sext(done, word)

    return types.int64(types.int64, buffer, types.int64), generate
