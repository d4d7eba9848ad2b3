"""Functions in machine code that take the place of Python functions: ``numba.cfunc``, ctypes.

Numba is never imported: what it makes is known by its attributes.
"""

from __future__ import annotations

from typing import Any

from supple.foundation.errors import ModelError

SIGNATURE = "int f(double t, const double *in, double *out)"
IN_NUMBA = "int32(float64, CPointer(float64), CPointer(float64))"


def is_native(value: Any) -> bool:
    """Whether it has an address: of its own, or as a function pointer of ctypes."""
    return isinstance(getattr(value, "address", None), int) or _is_pointer(value)


def address(value: Any) -> int:
    """Where its machine code is."""
    if not _is_pointer(value):
        return int(value.address)
    import ctypes

    return int(ctypes.cast(value, ctypes.c_void_p).value or 0)


def check(owner: str, field: str, value: Any) -> None:
    """Refuse another signature, where it can be seen, and an address of nothing."""
    signature = getattr(value, "_sig", None)  # of Numba
    if signature is not None:
        types = [str(x) for x in signature.args], str(signature.return_type)
        if types != (["float64", "float64*", "float64*"], "int32"):
            found = f"a function {signature}"
            raise ModelError(owner, field, found, f"one of the signature {IN_NUMBA}")
    if _is_pointer(value):
        import ctypes

        reals = ctypes.POINTER(ctypes.c_double)
        given = None if value.argtypes is None else tuple(value.argtypes)
        fits = given is None or given == (ctypes.c_double, reals, reals)
        if not fits or value.restype is not ctypes.c_int:
            raise ModelError(owner, field, value, f"a function {SIGNATURE}")
    if address(value) == 0:
        raise ModelError(owner, field, value, "the address of a function, not zero")


def _is_pointer(value: Any) -> bool:
    """Whether it is a function pointer of ctypes."""
    return all(hasattr(value, word) for word in ("argtypes", "restype", "errcheck"))
