"""Views that kernels hand on by address: a named tuple of arrays is one pointer instead of 300 numbers.

Numba passes a named tuple by all the numbers in it: pointers, sizes and strides of each array. For the views of a model that is 300
arguments in every call of every kernel. ``hold``, called in an entry, puts the tuple on the entry's stack and gives its
address; kernels read members as they need them, and nobody writes to it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import callconv, cgutils
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic
from numba.np import arrayobj


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


@register_default(Held)
class _HeldModel(models.PrimitiveModel):
    def __init__(self, manager: Any, held: Held) -> None:
        members = [manager.lookup(t).get_value_type() for t in held.content.types]
        super().__init__(manager, held, ir.LiteralStructType(members).as_pointer())


@infer_getattr
class _HeldAttributes(AttributeTemplate):
    key = Held

    def generic_resolve(self, held: Held, name: str) -> Any:
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


@intrinsic
def hold(typing: Any, views: Any) -> Any:
    """Put a named tuple on the caller's stack; its address lives as long as the call of an entry."""
    if not isinstance(views, types.NamedTuple):
        return None
    held = Held(views)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = context.get_value_type(held)
        at = cgutils.alloca_once(builder, pointer.pointee)
        for k in range(len(views.types)):
            member = builder.extract_value(arguments[0], k)
            builder.store(member, builder.gep(at, [ir.IntType(32)(0), ir.IntType(32)(k)], inbounds=True))
        return at

    return held(views), generate


@intrinsic
def block(typing: Any, buffer: Any, start: Any, *shape: Any) -> Any:
    """View of a flat buffer in C order, without checks: the sizes are those by which it was made."""
    sizes = shape[0].types if len(shape) == 1 and isinstance(shape[0], types.BaseTuple) else shape
    made = types.Array(buffer.dtype, len(sizes), "C", readonly=not buffer.mutable, aligned=buffer.aligned)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = context.get_value_type(types.intp)
        given = context.make_array(buffer)(context, builder, arguments[0])
        first = context.cast(builder, arguments[1], start, types.intp)
        extents = [
            context.cast(builder, v, k, types.intp)
            for v, k in zip(cgutils.unpack_tuple(builder, arguments[2]), sizes, strict=True)
        ]
        size = context.get_abi_sizeof(context.get_data_type(buffer.dtype))
        steps, step = [], word(size)
        for extent in reversed(extents):
            steps.insert(0, step)
            step = builder.mul(step, extent, flags=("nsw",))
        array = context.make_array(made)(context, builder)
        arrayobj.populate_array(
            array, data=builder.gep(given.data, [first]), shape=extents, strides=steps, itemsize=word(size), meminfo=None
        )
        return array._getvalue()

    return made(buffer, start, types.StarArgTuple.from_types(sizes)), generate


def mark(function: Any, kinds: Any, arguments: Any) -> None:
    """Tell LLVM that what is held is only read, through this address alone, and that the address is not kept."""
    for kind, argument in zip(kinds, arguments, strict=True):
        if isinstance(kind, Held):
            for attribute in ("noalias", "readonly", "nonnull", CAPTURES):
                set.add(argument.attributes, attribute)  # llvmlite does not know all of them
            argument.attributes.dereferenceable = 8 * _words(argument.type.pointee)


def _words(kind: Any) -> int:
    """All members are of eight bytes."""
    if isinstance(kind, ir.LiteralStructType):
        return sum(_words(k) for k in kind.elements)
    return kind.count * _words(kind.element) if isinstance(kind, ir.ArrayType) else 1


CAPTURES = "captures(none)" if "captures(none)" in ir.values.ArgumentAttributes._known else "nocapture"
_decorate = callconv.CPUCallConv.decorate_function


def _decorate_held(self: Any, fn: Any, args: Any, kinds: Any, noalias: bool = False) -> None:
    _decorate(self, fn, args, kinds, noalias)
    _mark_arguments(self, fn, kinds)


def _mark_arguments(convention: Any, fn: Any, kinds: Any) -> None:
    if any(isinstance(k, Held) for k in kinds):
        mark(fn, kinds, _first(convention._get_arg_packer(kinds), convention.get_arguments(fn)))


def _first(packer: Any, arguments: Any) -> Any:
    """The first LLVM argument of each of Numba's."""
    flat, found = list(arguments), []
    for model in packer._dm_args:
        count = len(list(_leaves(model.get_argument_type())))
        found.append(flat[0] if count else None)
        del flat[:count]
    return found


def _leaves(kind: Any) -> Any:
    if isinstance(kind, tuple):
        for part in kind:
            yield from _leaves(part)
    else:
        yield kind


callconv.CPUCallConv.decorate_function = _decorate_held
