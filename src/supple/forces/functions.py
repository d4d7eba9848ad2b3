"""Forces given by functions, in Python or in machine code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from supple.forces.base import ForceElement, FrameForce, PairForce
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared, given
from supple.foundation.frames import Frame, expect_body_frame
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.joints.interactions import Shaft, Target, check_joint_reference

SIGNATURE = "int f(double t, const double *in, double *out)"
IN_NUMBA = "int32(float64, CPointer(float64), CPointer(float64))"
MOST_COORDINATES = 24


def is_native(value: Any) -> bool:
    """True if it has an address: of its own, or as a function pointer of ctypes."""
    return isinstance(getattr(value, "address", None), int) or _is_pointer(value)


def native_address(value: Any) -> int:
    """Address of its machine code."""
    if not _is_pointer(value):
        return int(value.address)
    import ctypes

    return int(ctypes.cast(value, ctypes.c_void_p).value or 0)


def check_native(owner: str, field: str, value: Any) -> None:
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
    if native_address(value) == 0:
        raise ModelError(owner, field, value, "the address of a function, not zero")


def _is_pointer(value: Any) -> bool:
    """True if it is a function pointer of ctypes."""
    return all(hasattr(value, word) for word in ("argtypes", "restype", "errcheck"))


class FrameState(NamedTuple):
    """Position and motion of a frame, all in world axes.

    position (3,) m, rotation (3, 3) from frame to world axes, velocity (3,) m/s,
    angular_velocity (3,) rad/s.
    """

    position: Vector
    rotation: Vector
    velocity: Vector
    angular_velocity: Vector


class PairState(NamedTuple):
    """Position and motion of a frame B seen from a frame A, all in A's axes.

    position (3,) m from A's origin to B's, rotation (3, 3) from B's to A's axes, velocity (3,) m/s
    the rate of position, angular_velocity (3,) rad/s of B relative to A.
    """

    position: Vector
    rotation: Vector
    velocity: Vector
    angular_velocity: Vector


def _callable(owner: str, field: str, value: Any, expected: str) -> Any:
    if is_native(value):
        check_native(owner, field, value)
    elif not callable(value):
        raise ModelError(owner, field, value, f"a function, {expected}")
    return value


def _times(owner: str, field: str, value: ArrayLike) -> tuple[float, ...]:
    times = validate.array(owner, field, value, "finite times in s")
    return tuple(sorted(float(t) for t in times.reshape(-1)))


class _Function(ForceElement):
    """Base of forces given by functions, which are smooth but at the times ``kinks`` (s)."""

    kinks: Given[ArrayLike, tuple[float, ...]]

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Times at which it is not smooth."""
        return self.kinks


@declared
class ForceFunction(_Function, FrameForce):
    """A force and torque on a body, computed by a function.

    Parameters
    ----------
    frame : Frame
        Where the force acts.
    function : callable
        ``function(t, state) -> force`` or ``-> (force, torque)`` in world axes (3,), N and N m,
        with t in s and ``state`` a ``FrameState``. It should be smooth and depend on nothing else.
        Or a C function, e.g. a ``numba.cfunc``: ``int f(double t, const double *in, double *out)``
        with 18 numbers in (position, rotation by rows, velocity, angular velocity) and 6 out
        (force, torque), which returns 0, or another number if it fails.
    kinks : s
        Times at which it is not smooth; integrators land on them.

    Places of a ``Cable`` have no axes: there ``rotation`` is that of the frame at rest, the angular
    velocity is zero, and a torque ends the run with a sentence.

    It is called from the compiled loop at every evaluation, and thirteen times for every tangent
    (differences). Python is slower than any other element; machine code is not.
    """

    expected_without_axes = ""  # what it returns is looked at in the run
    frame: Frame = checked(expect_body_frame)
    function: Callable[[float, FrameState], Any] = checked(
        _callable, expected="function(t, state) -> force"
    )
    kinks: Given[ArrayLike, tuple[float, ...]] = checked(_times, "s", default=())


@declared
class PairFunction(_Function, PairForce):
    """A force and torque between two bodies, computed by a function of their relative motion.

    Parameters
    ----------
    A, B : Frame
        On two bodies, or on a body and the ground.
    function : callable
        ``function(t, state) -> force`` or ``-> (force, torque)``, on B at B's origin, in A's axes
        (3,), N and N m, with t in s and ``state`` a ``PairState``. It should be smooth and depend
        on nothing else. Or a C function with the numbers of ``ForceFunction``, seen from A.
    kinks : s
        Times at which it is not smooth; integrators land on them.

    A gets the opposite wrench about the same point, B's origin, so that linear and angular momentum
    are kept whatever the function does. B may be a place of a ``Cable``, where a torque ends the
    run with a sentence.
    """

    function: Callable[[float, PairState], Any] = checked(
        _callable, expected="function(t, state) -> force"
    )
    kinks: Given[ArrayLike, tuple[float, ...]] = checked(_times, "s", default=())

    def needs_axes(self, field: str) -> str:
        """Expected instead at A, in whose axes it is; what it returns is looked at in the run."""
        return "this place at B, or a ForceFunction" if field == "A" else ""


@declared
class EffortFunction(_Function):
    """Efforts on one or several joint coordinates, computed by a function.

    Parameters
    ----------
    joints : joint, motor or name, or a list of them
        An entry may be a pair (joint, coordinate) for joints with several coordinates.
    function : callable
        ``function(t, q, u) -> efforts``: q and u are arrays over the entries (n,), in rad or m and
        their rates; the result has n numbers (N m or N). For a single entry that is no list, q, u
        and the result are numbers. Or a C function, e.g. a ``numba.cfunc``:
        ``int f(double t, const double *in, double *out)`` with 2 n numbers in (q, u) and n out,
        which returns 0, or another number if it fails.
    kinks : s
        Times at which it is not smooth; integrators land on them.
    """

    joints: Given[Any, tuple[Target, ...]] = given()
    function: Callable[[float, Any, Any], Any] = checked(
        _callable, expected="function(t, q, u) -> efforts"
    )
    kinks: Given[ArrayLike, tuple[float, ...]] = checked(_times, "s", default=())
    single: Given[bool | None, bool] = checked(validate.flag, default=None)

    def _check(self, owner: str) -> None:
        joints: Any = self.joints
        alone = isinstance(joints, (str, Joint, Shaft))
        entries = [joints] if alone else joints
        if not isinstance(entries, Sequence) or not 0 < len(entries) <= MOST_COORDINATES:
            expected = f"a joint or a list of 1 to {MOST_COORDINATES} joints"
            raise ModelError(owner, "joints", joints, expected)
        targets = []
        for i, entry in enumerate(entries):
            joint, coordinate = entry if isinstance(entry, tuple) else (entry, 0)
            found = check_joint_reference(owner, f"joints[{i}]", joint, coordinate, shafts=True)
            targets.append((found, coordinate))
        single: bool | None = self.single
        set_fields(self, joints=tuple(targets), single=alone if single is None else single)

    @property
    def targets(self) -> tuple[Target, ...]:
        """Joints and their coordinates."""
        return self.joints
