"""LinearModel: small motion about a state, its eigenvalues and mode shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.analyses.linear.mode import Mode
from supple.engine.base.compiled import Compiled
from supple.formulations.equations import Equations
from supple.foundation import validate
from supple.foundation.arrays import Array, Complex
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, percent, warn_caller
from supple.results.data.findings import Monitor
from supple.signals import SignalLike
from supple.signals.shaping import Kind, ShapedSignal, shape_signal
from supple.state import State

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.analyses.linear.state_space import StateSpace
    from supple.model import Model
    from supple.visualization.server import Shown

# Parts of the largest stiffness, in the units of increments, that are rounding.
ROUNDING = 1e-12
CANCELLED = 1e-9  # forces that are left where larger ones cancel, in parts of these
CONSTANT = 1e-6  # change of matrices that are constant
TOO_HIGH = 0.02  # part of a frequency, from which on its error is shown beside it


@dataclass(frozen=True)
class LinearModel:
    """Small motion of a model about a state: M y'' + C y' + K y + F z = 0, z' = Y y + V y' + Z z.

    y are increments of independent coordinates, z those of further places and of controller
    states. Further places are there where rows hold rates alone: they follow the velocities.

    Attributes
    ----------
    state : the state about which it is
    names : independent coordinates, "elbow.angle"
    places : their places among the velocities, engine order
    M, C, K : (n, n) mass, damping and stiffness in these coordinates
    N : (nu, n) motion of all velocity coordinates, engine order, with each independent one
    F, Y, V, Z : (n, nz), (nz, n), (nz, n), (nz, nz) coupling to further places, which are the
        first of z, and to controller states
    further : names of the further places
    S : (nu, k) what each of the further places does to all coordinates
    unsteady : largest acceleration at the state, in rad/s2 or lengths of the model per s2: zero at
        an equilibrium and in steady motion, otherwise the linear model holds at this instant only
    monitor : whether flexible bodies are within the assumptions of their models at the state, and
        whether the frequencies up to the lowest elastic one are right
    too_high : see ``frequency_errors``, of the lowest modes
    effort : (nu,) generalized forces that keep a steady rotation; None if there are none
    periodic : relative change of the matrices while the model turns: more than
        rounding where a shaft and its bearings are both not round; they hold for an instant then
    not_judged : why errors by elements over nodal vectors are not known; empty if they are
    """

    state: State
    names: tuple[str, ...]
    places: tuple[int, ...]
    M: Array
    C: Array
    K: Array
    N: Array
    F: Array
    Y: Array
    V: Array
    Z: Array
    unsteady: float
    model: Model
    monitor: Monitor = field(default_factory=lambda: Monitor({}))
    too_high: Array = field(default_factory=lambda: np.zeros(0))
    effort: Array | None = None
    periodic: float = 0.0
    not_judged: str = ""
    further: tuple[str, ...] = ()
    S: Array = field(default_factory=lambda: np.zeros((0, 0)))
    _linearized: Callable[[Equations, State, Model], LinearModel] | None = None  # what made it

    @property
    def frequency_errors(self) -> Array:
        """Parts by which each of the ``frequencies`` is about too high.

        By what flexible bodies leave out with their elastic coordinates and elements, negative if
        it is too low; NaN beyond the lowest twelve, where a body's mesh is not known, and where
        elements over nodal vectors are ``not_judged``.
        """
        errors = np.full(len(self.frequencies), np.nan if self.compiled.deforming else 0.0)
        errors[: len(self.too_high)] = self.too_high
        return errors

    def judged(self, monitor: Monitor, too_high: Array, not_judged: str) -> LinearModel:
        """Linear model with what was found about it; modes that are known stay known."""
        new = replace(self, monitor=monitor, too_high=too_high, not_judged=not_judged)
        kept = ("_null", "zeros", "_pairs", "modes", "rigid_modes", "A")
        new.__dict__.update({name: self.__dict__[name] for name in kept if name in self.__dict__})
        return new

    def doubts(self, owner: str) -> tuple[str, ...]:
        """A sentence if the matrices change in steady motion, so that eigenvalues tell little."""
        if self.periodic <= CONSTANT:
            return ()
        return (
            f"{owner}: mass, damping or stiffness change by {percent(self.periodic)} as the "
            "model turns: the linear model holds for an instant, and its eigenvalues do not "
            "tell whether the rotation is stable, expected a rotor or bearings that are round",
        )

    @cached_property
    def A(self) -> Array:  # noqa: N802
        """State matrix (2 n + nz, 2 n + nz) of d/dt (y, y', z)."""
        n, nz = len(self.M), len(self.Z)
        solved = np.linalg.solve(self.M, np.hstack([self.K, self.C, self.F]))
        A = np.zeros((2 * n + nz, 2 * n + nz))
        A[:n, n : 2 * n] = np.eye(n)
        A[n : 2 * n] = -solved
        A[2 * n :] = np.hstack([self.Y, self.V, self.Z])
        return A

    def shape_signal(self, signal: SignalLike, count: int = 1, kind: Kind = "ZV") -> ShapedSignal:
        """A signal that leaves no vibration of the lowest ``count`` modes; see `shape_signal`.

        Modes that oscillate count, with their frequencies and damping.
        """
        owner = "LinearModel.shape_signal"
        modes = [m for m in self.modes if m.eigenvalue.imag > 0.0 and m.damping >= 0.0]
        most = validate.integer(owner, "count", count, 1, "a number of modes, 1 or more")
        if most > len(modes):
            expected = f"at most {len(modes)}, the number of modes that oscillate and do not grow"
            raise ModelError(owner, "count", count, expected)
        few = modes[:most]
        damping = [m.damping for m in few]
        return shape_signal(signal, [m.frequency for m in few], damping, kind)

    def state_space(self, inputs: Any, outputs: Any = None, derivative: int = 0) -> StateSpace:
        """Small motion with inputs and outputs: labelled A, B, C, D.

        Parameters
        ----------
        inputs : one or several
            Where efforts act: a joint or a coordinate ("elbow.angle", N m or N), a `JointEffort` or
            `Motor` by its name, a frame (forces N and torques N m along the world's axes) or one
            direction of it, ``(frame, "z")`` or ``(frame, "rotation_z")``. A `Driver` by its name
            is an input by the acceleration of its motion, which then is a state with its rate.
        outputs : one or several, optional
            Displacements of the same: coordinates (rad, m, elastic ones) and places (m, rad). By
            default all independent coordinates.
        derivative : 0, 1 or 2
            Outputs are displacements, rates or accelerations.

        Displacements count from the state, efforts from those that act in it. Where the model
        turns, a place must not turn along.
        """
        from supple.analyses.linear.finer_models import too_small
        from supple.analyses.linear.state_space import state_space

        space = state_space(self, inputs, outputs, derivative)
        if (doubt := too_small(self, inputs)) is not None:
            warn_caller(doubt)
        return space

    @property
    def compiled(self) -> Compiled:
        """The compiled model."""
        assert self.state.compiled is not None
        return self.state.compiled

    @property
    def unit(self) -> Array:
        """Unit of each independent coordinate (n,): rad, the model's length, or of equal energy."""
        return self.compiled.scale[list(self.places)]

    @property
    def conservative(self) -> bool:
        """True without damping, gyroscopic terms, follower loads and controllers."""
        if len(self.Z):
            return False
        still = np.max(np.abs(self.C), initial=0.0) == 0.0
        skew = np.max(np.abs(self.K - self.K.T), initial=0.0)
        return bool(still and skew <= 1e-9 * np.max(np.abs(self.K), initial=0.0))

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        """Modes by ascending frequency, one for each pair of complex eigenvalues."""
        values, shapes = self._pairs
        keep = np.flatnonzero(values.imag >= 0.0)
        order = keep[np.lexsort((values.real[keep], np.abs(values[keep])))]
        every = self._every(shapes[:, order])
        pairs = zip(values[order].tolist(), every.T, strict=True)
        return tuple(self._mode(value, shape) for value, shape in pairs)

    def _every(self, shapes: Complex) -> Complex:
        """Motions (nu, k) of all coordinates by shapes of independent and then further ones."""
        N, n, s = self.N, len(self.M), len(self.further)
        if s:
            N = np.hstack([N - self.S @ self.V[:s], self.S])
        motions = (N @ shapes[: n + s].real).astype(complex)
        if np.any(shapes.imag):
            motions.imag = N @ shapes[: n + s].imag
        return motions

    def _mode(self, eigenvalue: complex, every: Complex) -> Mode:
        """A mode by its shape (nu,) of all velocities."""
        compiled = self.compiled
        largest = every[np.argmax(np.abs(every / compiled.scale))]
        every = every / largest if largest != 0.0 else every
        return Mode(eigenvalue, every, compiled, self.state.q, self.model)

    @cached_property
    def rigid_modes(self) -> tuple[Mode, ...]:
        """Motions that nothing holds, one for each: those of zero frequency, without strain.

        Each moves one of as many independent coordinates that the others leave at rest.
        """
        import scipy.linalg

        right, r = self._null
        if not r:
            return ()
        count = len(self.M) + len(self.further)
        free = right[-r:, :count].T
        _, triangle, order = scipy.linalg.qr(free.T, pivoting=True, mode="economic")
        # null vectors of controller states alone move nothing
        chosen = np.sort(order[: int(np.sum(np.abs(np.diag(triangle)) > 1e-9))])
        shapes = self._scales[:count, None] * (free @ np.linalg.pinv(free[chosen]))
        return tuple(self._mode(0j, shape) for shape in self._every(shapes.astype(complex)).T)

    @property
    def all_frequencies(self) -> Array:
        """Frequencies with those of rigid modes, which are zero, first; Hz, ascending."""
        return np.concatenate([np.zeros(len(self.rigid_modes)), self.frequencies])

    @property
    def eigenvalues(self) -> Complex:
        """All eigenvalues (2 n + nz,), 1/s, by ascending magnitude."""
        values, _ = self._pairs
        return values[np.lexsort((values.imag, np.abs(values)))]

    @property
    def frequencies(self) -> Array:
        """Frequencies without damping of all modes that oscillate, Hz, ascending."""
        return np.array([m.frequency for m in self.modes if m.eigenvalue.imag > 0.0])

    @property
    def damped_frequencies(self) -> Array:
        """Frequencies of all modes that oscillate, Hz, in the order of ``frequencies``."""
        return np.array([m.damped_frequency for m in self.modes if m.eigenvalue.imag > 0.0])

    @property
    def stable(self) -> bool:
        """True if no eigenvalue has a positive real part; undamped motion counts as stable."""
        values = self.eigenvalues
        size = np.max(np.abs(values), initial=0.0)
        return bool(np.all(values.real <= 1e-9 * np.abs(values) + ROUNDING * size))

    @cached_property
    def zeros(self) -> int:
        """Number of zero eigenvalues: of motions that nothing holds, and that may go on for ever.

        A null vector of the stiffness (with controllers) is one; it is a double one where the
        damping forces on it can be balanced by a deflection.
        """
        n, nz = len(self.M), len(self.Z)
        right, r = self._null
        if r == 0:
            return 0
        unit = self._scales
        drag = unit[:, None] * np.block([[self.C, np.zeros((n, nz))], [-self.V, np.eye(nz)]]) * unit
        left = np.linalg.svd(self.stiffness)[0]
        across = left[:, -r:].T @ drag @ right[-r:].T
        size = np.max(np.abs(drag), initial=0.0)
        return 2 * r - int(np.sum(np.linalg.svd(across, compute_uv=False) > 1e-9 * size))

    @property
    def stiffness(self) -> Array:
        """Stiffness with controllers (n + nz, n + nz), in units of coordinates of equal inertia."""
        unit = self._scales
        whole: Array = np.block([[self.K, self.F], [-self.Y, -self.Z]])
        return unit[:, None] * whole * unit

    @property
    def _scales(self) -> Array:
        """Units (n + nz,) in which each coordinate has the same inertia, as large as they can be.

        A part that is soft because it is light, the slope at the end of a limp cable for example,
        is no motion that nothing holds.
        """
        inertia = self.unit**2 * np.diag(self.M)
        least = ROUNDING * float(np.max(inertia, initial=1e-300))
        light = np.sqrt(np.max(inertia, initial=0.0) / np.maximum(inertia, least))
        return np.concatenate([self.unit * light, np.ones(len(self.Z))])

    @cached_property
    def _null(self) -> tuple[Array, int]:
        """Right singular vectors of the stiffness, in rows, and how many at the end are null."""
        stiff = self.stiffness
        if not stiff.size:
            return np.zeros((0, 0)), 0
        _, values, right = np.linalg.svd(stiff)
        few = values <= ROUNDING * max(values[0], 1e-300)
        # small, but not because large forces cancel: a slow motion beside very fast ones
        summed = np.linalg.norm(np.abs(stiff) @ np.abs(right.T), axis=0)
        slow = values > np.maximum(0.1 * ROUNDING * values[0], CANCELLED * summed)
        return right, int(np.sum(few & ~slow))

    @cached_property
    def _pairs(self) -> tuple[Complex, Complex]:
        """All eigenvalues, and shapes (n + s, 2 n + nz) of independent and further places."""
        if self.conservative:
            squares, own = self._squares()
            roots = np.sqrt(-squares + 0j)
            values, shapes = np.concatenate([roots, -roots]), np.hstack([own, own]).astype(complex)
        else:
            eigenvalues, vectors = np.linalg.eig(self.A)
            n = len(self.M)
            rows = [*range(n), *range(2 * n, 2 * n + len(self.further))]
            values, shapes = eigenvalues.astype(complex), vectors[rows].astype(complex)
        values[np.argsort(np.abs(values))[: self.zeros]] = 0.0
        return values, shapes

    def _squares(self) -> tuple[Array, Array]:
        """Eigenvalues of M and K and their vectors, ascending.

        Slow motion would drown in the rounding of the fastest: the inverse problem has it first.
        """
        import scipy.linalg

        unit = self.unit
        K, M = (unit[:, None] * (x + x.T) * unit / 2.0 for x in (self.K, self.M))
        squares, shapes = scipy.linalg.eigh(K, M)
        largest = float(np.max(np.abs(squares), initial=0.0))
        seen = np.abs(squares)[np.abs(squares) > ROUNDING * largest]
        shift = -2.0 * min(float(np.min(squares, initial=0.0)), 0.0)
        shift += float(np.min(seen, initial=np.inf)) if len(seen) else 1.0
        inverse, slow_shapes = scipy.linalg.eigh(M, K + shift * M)
        slow = squares < np.sqrt(shift * largest)
        squares = np.where(slow, 1.0 / inverse[::-1] - shift, squares)
        return squares, unit[:, None] * np.where(slow, slow_shapes[:, ::-1], shapes)

    def to_html(self, path: str | Path, count: int = 10) -> Path:
        """Write one page that plays the lowest modes in a browser, offline; return its path."""
        from supple.analyses.linear.mode_figures import page_of
        from supple.foundation.atomic_files import write_whole

        return write_whole(path, page_of(self, count).encode("utf-8"))

    def view(self, count: int = 10, browser: bool = True) -> Shown:
        """Play the lowest modes in a browser until Ctrl-C; in a notebook, in its cell.

        The page is served to this computer only, at a free port, and opened unless ``browser`` is
        False.
        """
        from supple.analyses.linear.mode_figures import page_of
        from supple.visualization.server import show

        return show(page_of(self, count), browser)

    def plot_modes(self, count: int = 6, path: str | Path | None = None) -> Figure:
        """Draw the lowest modes beside each other, those that nothing holds first.

        Colours are displacements, the largest of each mode as long as 12 % of the model; grey edges
        are the model as it is in the state.
        """
        from supple.analyses.linear.mode_figures import draw_modes

        most = validate.integer("plot_modes", "count", count, 1, "a number of modes, 1 or more")
        held = [mode for mode in self.modes if not mode.rigid]
        return draw_modes([*self.rigid_modes, *held][:most], path)

    def __repr__(self) -> str:
        lines = [f"Small motion of {len(self.M)} coordinates about t = {self.state.t:g} s"]
        if self.further:
            lines[0] += f", and of {len(self.further)} further places"
        if self.unsteady > 1e-6:
            lines[0] += f"; not a steady state: accelerations up to {self.unsteady:.3g} per s2"
        held = [mode for mode in self.modes if not mode.rigid]
        lines += [f"  {mode!r}{self._told(mode)}" for mode in (*self.rigid_modes, *held)[:12]]
        if len(self.rigid_modes) + len(held) > 12:
            lines.append(f"  ... {len(self.rigid_modes) + len(held)} modes in all")
        if self.monitor.bodies:
            lines.append(f"  validity  {self.monitor.verdict}")
        if self.not_judged:
            lines.append(f"  frequencies are not compared with smaller elements: {self.not_judged}")
        return "\n".join(lines)

    def _told(self, mode: Mode) -> str:
        """Error of the frequency of a mode in words, if it is more than it may be."""
        moving = [m for m in self.modes if m.eigenvalue.imag > 0.0][: len(self.too_high)]
        k = next((k for k, m in enumerate(moving) if m is mode), None)
        part = 0.0 if k is None else float(self.too_high[k])
        if not abs(part) > TOO_HIGH:
            return ""
        return f", about {percent(abs(part) / (1.0 - part))} too {'high' if part > 0.0 else 'low'}"
