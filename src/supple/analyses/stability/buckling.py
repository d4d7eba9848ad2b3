"""buckling: at which multiple of its loads a model, or a component, has another equilibrium nearby.

Of a model with the stiffness K along the motions that its constraints allow, as loads grow from
zero by the factor f:

    (K(0) + f dK/df) shape = 0

dK/df is taken along the path of equilibria, multipliers of the constraints included, by differences
of order 4; K is in fixed independent coordinates, so that it is smooth along the path.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import coordinates_of, number, starting_state
from supple.analyses.equilibrium.balance import NO_STIFFNESS, independent_places
from supple.analyses.equilibrium.continuation import Continuation, Loaded, Loading, Spot
from supple.analyses.equilibrium.static_result import static_result
from supple.analyses.linear.finer_models import with_finer
from supple.analyses.linear.mode import Mode
from supple.bodies.base.flexible import FlexibleBody
from supple.fem.base.buckling import ComponentBuckling
from supple.fem.base.buckling import buckling as of_component
from supple.fem.base.component import Component
from supple.formulations.base import Formulation
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SimulationError, percent, warn_caller
from supple.foundation.frames import System
from supple.reduction.membranes import feels_loads
from supple.results.checks.deformation import STRAIN, yield_strain
from supple.results.checks.reduced_bodies import against_finer_mesh
from supple.results.data.findings import BodyMonitor
from supple.results.result import Result
from supple.results.views.body_loads import INERTIA
from supple.state import State

if TYPE_CHECKING:
    from supple.engine.base.compiled import Compiled
    from supple.model import Model

OWNER = "buckling"
LIMIT = 0.02  # part of a load factor that is told, by modes and elements and by given meshes
BENT = 0.05  # part of the stiffness that is left at the load factor: it is not linear in the load
NONE = 1e-6  # inverse load factors below this part of the largest, of either sign, count as none
PART = 0.02  # of the lowest load factor, for differences
MOVED = 1e-2  # rad or lengths of the model, the most that differences move the model
SKEW = 1e-4  # part of dK/df that is not symmetric: loads follow the motion
LARGER = 100.0  # by which loads grow that change no stiffness yet
ROUNDING = 1e-12  # part of the stiffnesses that cancel, for differences of stiffnesses
MOST = 300  # velocities of a finer model, for its cube is what it costs
CARRIED = 0.01  # of a body's own buckling load: the factor is wrong by about that


def mesh_stiffness(compiled: Compiled, shape: Array, energy: float) -> dict[str, float]:
    """Parts of the stiffness of a shape (nu,) that meshes have too much, by name of their bodies.

    Twice the energy of the shape is given. Loads in proportion to the shape and the mass bend a
    body about as the shape is; a finer mesh gives way more, or less, under the same.
    """
    parts = {}
    for name, record in compiled.flexible.items():
        modal, q = record.modal, shape[record.u]
        own = float(q @ modal.K @ q)
        if not own > 0.0:
            continue
        flexible = against_finer_mesh(record, ())
        if flexible is not None:
            loads = np.zeros((1, INERTIA + modal.n))
            loads[0, INERTIA:] = q
            here, exact = flexible.works(loads)
            parts[name] = own / energy * float(1.0 - here[0] / exact[0])
    return parts


class NoFactorError(SimulationError):
    """Loads without a positive load factor."""


@dataclass(frozen=True)
class BucklingMode(Mode):
    """A motion that has no stiffness at a load factor: its eigenvalue is zero there.

    Attributes
    ----------
    factor : of the loads
    """

    factor: float = np.nan

    @property
    def caption(self) -> str:
        """A few words for pictures: the load factor."""
        return f"load factor {self.factor:.6g}"

    def __repr__(self) -> str:
        return f"<BucklingMode at load factor {self.factor:.6g}>"


@dataclass(frozen=True, eq=False)
class BucklingResult:
    """Lowest load factors of a model, ascending.

    Attributes
    ----------
    factors : (n,)
        The loads times a factor are critical, by the stiffness and its change at no load. All are
        positive; loads in the opposite direction have their own.
    modes : one for each, with ``of(name)`` and ``at(frame)`` as modes of `linearize`
    follows_motion : whether loads follow the motion. Then these are loads at which the model leaves
        its state slowly (divergence); it may flutter at smaller ones, see `stability`.
    left : part of the stiffness of the first mode that is left at its factor, after the linear
        deformation by the loads. Far from zero, the model deforms before it buckles, and the path
        of `statics` with ``follow`` has the true load.
    carried : by name, parts of their own buckling loads that flexible bodies without stiffening
        carry at the first factor: what loads along them do to their stiffness is left out
    error : part of the first factor by which it is too high with the modes, elements and parts of
        its flexible bodies, by a comparison with finer ones; NaN where there are none, where they
        are too many, and with ``start``
    cure : what to do about it
    by_mesh : by name, parts of the stiffness of the first mode that the meshes of flexible bodies
        have too much (negative: too little); the first factor is too high by their sum
    strained : by name, strains of flexible bodies at the first factor in parts of the yield stress
        over E, or of 0.01, where they are beyond it
    """

    factors: Array
    modes: tuple[BucklingMode, ...]
    follows_motion: bool
    left: float
    carried: dict[str, float]
    error: float = np.nan
    cure: str = ""
    by_mesh: dict[str, float] = field(default_factory=dict)
    strained: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        shown = ", ".join(f"{f:.6g}" for f in self.factors[:6])
        wrong = f", about {percent(self.error)} too high" if self.error > LIMIT else ""
        return f"<BucklingResult at load factors {shown}{wrong}>"


@overload
def buckling(
    component: Model,
    *,
    count: int = ...,
    follow: str | Sequence[str] = ...,
    t: float = ...,
    start: State | Result | None = ...,
    formulation: Formulation | None = ...,
) -> BucklingResult: ...
@overload
def buckling(
    component: Component, loads: ArrayLike, held: ArrayLike, count: int = ...
) -> ComponentBuckling: ...
def buckling(
    component: Component | Model,
    loads: ArrayLike | None = None,
    held: ArrayLike | None = None,
    count: int = 1,
    *,
    follow: str | Sequence[str] = "loads",
    t: float = 0.0,
    start: State | Result | None = None,
    formulation: Formulation | None = None,
) -> ComponentBuckling | BucklingResult:
    """Find the lowest load factors at which a model or a component buckles.

    Parameters
    ----------
    component : Model, or ShellMesh, SolidMesh or another with ``geometric_stiffness``
    loads, held : of a component
        Forces and moments (size,) on the nodal coordinates, N or N m, which keep their directions;
        coordinates that are held, ``node * node_size + 0, 1, 2, ...`` for u, v, w, ...
    count : int
        Number of load factors; fewer are returned if fewer are positive.
    follow, t, start, formulation : of a model
        Its own loads grow, all of them or those named in ``follow``, from zero to their values at
        the time ``t`` (s) times the factor; see `statics`.

    The stiffness is taken as linear in the load: right as long as the model or the component hardly
    deforms before. Flexible bodies need ``stiffening``, or to be cut into several, in order to
    buckle between their ends.
    """
    if not isinstance(component, System):
        if loads is None or held is None:
            field = "loads" if loads is None else "held"
            raise ModelError(OWNER, field, None, "those of the component, or a Model without them")
        usual: dict[str, Any] = {"follow": "loads", "t": 0.0, "start": None, "formulation": None}
        given = (follow, t, start, formulation)
        for (field, none), one in zip(usual.items(), given, strict=True):
            if type(one) is not type(none) or one != none:
                raise ModelError(OWNER, field, one, f"{none!r}: it is for a Model")
        return of_component(component, loads, held, count)
    for field, value in (("loads", loads), ("held", held)):
        if value is not None:
            raise ModelError(OWNER, field, value, "None: a model has its own loads and supports")
    formulation = coordinates_of(OWNER, formulation)
    most = validate.integer(OWNER, "count", count, 1, "an integer from 1 on")
    at = number(OWNER, "t", t)

    def of(model: Model, begin: State | Result | None, finer: bool) -> BucklingResult:
        loaded = Loaded(OWNER, Loading(OWNER, formulation.written(model), at, follow), formulation)
        if finer and loaded.compiled.nu > MOST:
            raise SimulationError("buckling: the finer model is too large to be compared with")
        return _Linear(loaded, begin).run(1 if finer else most)

    def compared() -> tuple[float, str] | None:
        if start is not None:  # which is no state of another model
            return None
        return with_finer(component, lambda m: float(of(m, None, True).factors[0]))

    try:
        found = of(component, start, False)
    except NoFactorError as error:
        better = compared()
        if better is None:
            raise
        raise SimulationError(
            f"{error}; with finer bodies it buckles at the load factor {better[0]:.6g}: {better[1]}"
        ) from None
    better = compared() if len(found.modes[0].shape) <= MOST else None
    if better is not None:
        found = replace(found, error=found.factors[0] / better[0] - 1.0, cure=better[1])
    for doubt in doubts(found):
        warn_caller(doubt)
    return found


class _Linear:
    """Stiffness of a model and its change with its loads, where there are none."""

    def __init__(self, loaded: Loaded, start: State | Result | None) -> None:
        self.loaded, self.rest, self.compiled = loaded, loaded.rest, loaded.compiled
        state = starting_state(OWNER, start, self.compiled)
        loaded.set(0.0)
        equilibrium = loaded.search.run(state.q, state.z)
        least = NO_STIFFNESS * equilibrium.size
        if not equilibrium.found or np.any(equilibrium.stiffness <= least):
            dofs = equilibrium.motions[:, 0] if equilibrium.found else equilibrium.load
            where = self.compiled.dof_label(int(np.argmax(np.abs(dofs))))
            raise SimulationError(
                f"buckling: without its loads the model is in no stable equilibrium, first at "
                f"{where}, expected springs, supports or elastic bodies that hold it"
            )
        first = Continuation(loaded, 1.0).begin(0.0, equilibrium.q, equilibrium.z)
        assert first is not None
        self.first: Spot = first
        self.way = first.tangent.way / first.tangent.slope  # per load factor
        self.chosen = independent_places(first.here.N)

    def run(self, count: int) -> BucklingResult:
        """The lowest load factors and their modes."""
        K, moved = self._stiffness(0.0)
        found = self._significant(K)
        if found is None:
            self._refuse(False)
        change, inverse, shapes, sure = found
        skew = float(np.max(np.abs(change - change.T), initial=0.0))
        follows = skew > SKEW * float(np.max(np.abs(change), initial=0.0))
        good = np.flatnonzero(
            sure & (np.abs(inverse.imag) < NONE * np.abs(inverse)) & (inverse.real > 0)
        )
        good = good[np.argsort(-inverse.real[good])]
        if len(good):
            largest = float(np.max(np.abs(inverse)))
            good = good[inverse.real[good] > NONE * largest][:count]
        if not len(good):
            self._refuse(follows)
        factors = 1.0 / inverse.real[good]
        own = shapes[:, good].real
        modes = tuple(self._mode(f, moved @ y) for f, y in zip(factors, own.T, strict=True))
        y = own[:, 0]
        there = self._stiffness(float(factors[0]))[0]
        left = abs(float(y @ there @ y)) / float(y @ K @ y)
        without, yielding = self._limits(float(factors[0]))
        by_mesh = mesh_stiffness(self.compiled, self.compiled.scale * (moved @ y), float(y @ K @ y))
        return BucklingResult(
            factors, modes, follows, left, without, by_mesh=by_mesh, strained=yielding
        )

    def _significant(self, K: Array) -> tuple[Array, Array, Array, np.ndarray] | None:
        """Change of the stiffness, inverse factors and shapes, and which are beyond rounding.

        Loads that are small against the buckling load are made larger for it; None if the stiffness
        does not change even under loads as large as itself.
        """
        if not len(K):
            return None
        longest = float(np.max(np.abs(self.way), initial=0.0))
        most = np.inf if longest == 0.0 else MOVED / longest
        step = min(1.0, most)
        self.loaded.set(step)
        here = self.rest.balance(self.first.q, self.first.z)
        most = min(most, max(step, step * here.size / (here.own or here.size or 1.0)))
        while True:
            change = self._change(step)
            inverse, shapes = self._factors(K, change)
            if np.any(self._sure(K, inverse, shapes, step)):
                break
            if step >= most:
                return None
            step = min(LARGER * step, most)
        for _ in range(2):  # differences of the size of the factor
            step = min(PART / float(np.max(np.abs(inverse))), most)
            change = self._change(step)
            inverse, shapes = self._factors(K, change)
        return change, inverse, shapes, self._sure(K, inverse, shapes, step)

    def _sure(self, K: Array, inverse: Array, shapes: Array, step: float) -> np.ndarray:
        """True for inverse load factors (n,) that are more than rounding of the stiffness."""
        size = np.abs(shapes)
        rounding = ROUNDING * np.einsum("ik,ij,jk->k", size, np.abs(K), size)
        own = np.abs(np.einsum("ik,ij,jk->k", shapes.conj(), K, shapes))
        return np.asarray(np.abs(inverse) * step * own > rounding)

    def _refuse(self, follows: bool) -> NoReturn:
        """Say why there is no load factor."""
        why = "expected loads that press"
        bodies = self.compiled.flexible.values()
        if follows:
            why += "; loads follow the motion: it may flutter, see stability"
        elif soft := [b for b in bodies if b.modal.n and not feels_loads(b.modal)]:
            why += f", and {_cure(soft[0].body)}"
        raise NoFactorError(f"buckling: the loads have no positive load factor, {why}")

    def _limits(self, factor: float) -> tuple[dict[str, float], dict[str, float]]:
        """``carried`` and ``strained`` at a load factor, from a state with small loads."""
        if not (self.compiled.flexible or self.compiled.gradient):
            return {}, {}
        longest = float(np.max(np.abs(self.way), initial=0.0))
        small = PART * factor if longest == 0.0 else min(PART * factor, MOVED / longest)
        model, seen = self._watched(small)
        parts = {name: body.buckling * factor / small for name, body in seen.items()}
        carried = {name: part for name, part in parts.items() if part > CARRIED}
        return carried, strained(model, seen, self._watched(0.0)[1], factor / small)

    def _watched(self, factor: float) -> tuple[Model, dict[str, BodyMonitor]]:
        """The model under small loads, and what its monitor says of its bodies."""
        self.loaded.set(factor)
        d = factor * self.way * self.compiled.scale
        q = self.rest.closed(self.loaded.equations.retract(self.first.q, d))
        equilibrium = self.rest.standing(q, self.first.z)
        model = self.loaded.loading.under(factor)
        return model, static_result(model, self.rest, equilibrium, None).monitor.bodies

    def _stiffness(self, factor: float) -> tuple[Array, Array]:
        """Stiffness (n, n) in the independent coordinates, and all motions (nu, n) by these."""
        self.loaded.set(factor)
        d = factor * self.way * self.compiled.scale
        q = self.rest.closed(self.loaded.equations.retract(self.first.q, d))
        here = self.rest.balance(q, self.first.z)
        N = here.N @ np.linalg.inv(here.N[self.chosen])
        return N.T @ here.whole @ N, N

    def _change(self, h: float) -> Array:
        """Derivative (n, n) of the stiffness along the load factor, at zero."""
        a, b, c, d = (self._stiffness(k * h)[0] for k in (1.0, -1.0, 2.0, -2.0))
        return (8.0 * (a - b) - (c - d)) / (12.0 * h)

    def _factors(self, K: Array, change: Array) -> tuple[Array, Array]:
        """Inverse load factors (n,), of either sign, and their shapes (n, n)."""
        from scipy.linalg import eig, eigh

        skew = float(np.max(np.abs(change - change.T), initial=0.0))
        if skew <= SKEW * float(np.max(np.abs(change), initial=0.0)):
            values, shapes = eigh(-0.5 * (change + change.T), 0.5 * (K + K.T))
            return values.astype(complex), shapes
        values, shapes = eig(-change, K)
        return values, shapes

    def _mode(self, factor: float, shape: Array) -> BucklingMode:
        largest = shape[np.argmax(np.abs(shape))]
        every = (shape / largest * self.compiled.scale).astype(complex)
        model = self.loaded.loading.under(factor)
        return BucklingMode(0j, every, self.compiled, self.first.q, model, float(factor))


def _cure(body: FlexibleBody) -> str:
    """Remedy by which a body feels the loads along it, for sentences."""
    if not body.stiffened:
        return f"stiffening of flexible bodies such as {body.name!r}"
    return (
        f"modes of {body.name!r} that stretch its axis, which its stiffening needs: modes='all', "
        "AttachmentModes(2), or stiffening='second_order'"
    )


def strained(
    model: Model,
    seen: Mapping[str, BodyMonitor],
    before: Mapping[str, BodyMonitor],
    times: float,
) -> dict[str, float]:
    """Strains at a load factor in parts of what linear elasticity bears, where they are beyond it.

    ``times`` is the factor in those of ``seen``; ``before`` has the strains without loads.
    """
    beyond = {}
    for name, body in seen.items():
        rest, strain = before[name].strain, body.strain
        yields = yield_strain(cast("Any", model.bodies[name]))
        part = (rest + (strain - rest) * times) / (STRAIN if yields is None else yields)
        if part > 1.0:
            beyond[name] = float(part)
    return beyond


def doubts(result: BucklingResult) -> list[str]:
    """Sentences about load factors that are wrong, or tell less than they seem to."""
    out = []
    if result.follows_motion:
        out.append(
            f"buckling: loads follow the motion, so the load factor {result.factors[0]:.6g} is one "
            "of divergence; the model may flutter at a smaller one, see stability"
        )
    if result.carried:
        name, part = max(result.carried.items(), key=lambda each: each[1])
        out.append(
            f"buckling: flexible body {name!r} has no stiffening and carries {part:.2g} of its own "
            f"buckling load at the load factor {result.factors[0]:.6g}, which is too high by up to "
            "about that part: stiffening='second_order', or more bodies"
        )
    if result.strained:
        name, part = max(result.strained.items(), key=lambda each: each[1])
        out.append(
            f"buckling: at the load factor {result.factors[0]:.6g} the strain of flexible body "
            f"{name!r} is {part:.3g} times its limit, the yield stress over E or 0.01: it yields "
            f"at about {result.factors[0] / part:.3g}, before it buckles"
        )
    if abs(result.error) > LIMIT:
        size, high = percent(abs(result.error)), "high" if result.error > 0.0 else "low"
        out.append(
            f"buckling: the load factor {result.factors[0]:.6g} is about {size} too {high} with "
            f"its flexible bodies as they are: {result.cure}"
        )
    if abs(part := sum(result.by_mesh.values())) > LIMIT:
        worst = max(result.by_mesh, key=lambda name: abs(result.by_mesh[name]))
        high, wrong = ("high", part / (1.0 - part)) if part > 0.0 else ("low", -part)
        out.append(
            f"buckling: by the mesh of flexible body {worst!r} the load factor "
            f"{result.factors[0]:.6g} is about {percent(wrong)} too {high}, expected at most "
            f"{percent(LIMIT)}: use smaller elements, or tet10 instead of tet4"
        )
    if result.left > BENT:
        out.append(
            f"buckling: the model deforms before it buckles, {result.left:.2g} of the stiffness is "
            f"left at the load factor {result.factors[0]:.6g}: statics with follow= has the path"
        )
    return out
