"""Models as environments of Gymnasium, for learning controllers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from supple.analyses.run.options import MethodOptions, takes
from supple.analyses.run.stepper import Stepper
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.calls import public
from supple.foundation.errors import ModelError, SimulationError, SuppleError
from supple.model import Model
from supple.state import State

try:
    import gymnasium
except ImportError as reason:
    raise SuppleError(
        f"supple.gym needs the package gymnasium ({reason}), install it with: "
        "pip install 'supple[gym]'"
    ) from reason

OWNER = "Environment"
Outputs = Mapping[str, Array]


@public
class Environment(gymnasium.Env[Array, Array]):  # type: ignore[misc, unused-ignore]
    """A model that an agent moves: actions are its inputs, observations its outputs.

    Parameters
    ----------
    inputs, outputs, dt, start, formulation, integrator, tolerance : as for `Stepper`
    reward : function
        Of the outputs by name and the action (n,), after each step; returns a number.
    limits : float or (n,)
        Actions are between plus and minus these, in the units of the inputs.
    t_end : float, optional
        s after which an episode is truncated.
    ends : function, optional
        Of the outputs; True where an episode ends for good.
    begin : function, optional
        Of a random generator and the start; returns the state in which an episode begins.

    A step that fails ends its episode: ``info["failed"]`` says why. Copies and pickles of an
    environment go on where it was.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - so annotated by Gymnasium

    @takes(MethodOptions)
    def __init__(
        self,
        model: Model,
        inputs: Any,
        outputs: str | Sequence[str] | None = None,
        *,
        reward: Callable[[Outputs, Array], float],
        limits: ArrayLike,
        dt: float = 0.01,
        t_end: float | None = None,
        ends: Callable[[Outputs], bool] | None = None,
        begin: Callable[[Generator, State], State] | None = None,
        **options: Unpack[MethodOptions],
    ) -> None:
        self.stepper = Stepper(model, inputs, outputs, dt=dt, **options)
        for name, function in (("reward", reward), ("ends", ends), ("begin", begin)):
            if not callable(function) and (function is not None or name == "reward"):
                raise ModelError(OWNER, name, function, "a function")
        n, expected = len(self.stepper.inputs), "a positive number, or one for each input"
        given = np.asarray(validate.array(OWNER, "limits", limits, expected))
        if given.shape not in ((), (n,)) or not n or np.any(given <= 0.0):
            raise ModelError(OWNER, "limits", limits, expected)
        self.t_end = None if t_end is None else validate.positive(OWNER, "t_end", t_end)
        self.reward, self.ends, self.begin = reward, ends, begin
        self._begun, self._over = 0.0, "no episode was begun yet"
        self._start = self.stepper.state
        largest, seen = np.broadcast_to(given, (n,)).astype(float), len(self.stepper.values)
        self.action_space = gymnasium.spaces.Box(-largest, largest, dtype=np.float64)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (seen,), dtype=np.float64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begin an episode; returns the observation (m,) and {"time": s}."""
        super().reset(seed=seed)
        if self.begin is None:
            self.stepper.reset()
        else:
            state = self.begin(self.np_random, self._start)
            if not isinstance(state, State):
                raise ModelError(OWNER, "what begin returns", state, "a State")
            self.stepper.reset(state)
        self._begun, self._over = self.stepper.time, ""
        return self._seen()

    def step(self, action: ArrayLike) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Apply an action (n,) for one step.

        Returns observation (m,), reward, whether the episode has ended for good, whether it was
        truncated, and {"time": s}.
        """
        if self._over:
            raise SimulationError(f"{OWNER}: {self._over}, expected reset() before a step")
        failed = None
        try:
            self.stepper.step(inputs=action)
        except SimulationError as error:
            failed = str(error)
        outputs = self.stepper.outputs
        given = self.reward(outputs, np.asarray(action, dtype=float))
        reward = _number("reward", given)
        over = failed is not None
        if self.ends is not None and not over:
            over = validate.flag(OWNER, "what ends returns", _single(self.ends(outputs)))
        seen, info = self._seen()
        rest = 0.5 * self.stepper.dt  # times are sums
        late = self.t_end is not None and info["time"] - self._begun > self.t_end - rest
        if over or late:
            self._over = f"the episode has ended at t = {info['time']:g} s"
        return seen, reward, over, late, info if failed is None else info | {"failed": failed}

    def render(self) -> None:
        """Refuse to draw: an environment keeps no history."""
        raise SuppleError(
            f"{OWNER}: it draws nothing, expected a picture of the model at its state, e.g. "
            "simulate(model, 1.0, start=env.stepper.state).view()"
        )

    def _seen(self) -> tuple[Array, dict[str, Any]]:
        return self.stepper.values.copy(), {"time": self.stepper.time}


def _single(value: Any) -> Any:
    """The entry of an array that has one, so that functions may return what they are given."""
    found = np.asarray(value)
    return found.reshape(()).item() if found.size == 1 and found.dtype != object else value


def _number(field: str, value: Any) -> float:
    return validate.number(OWNER, f"what {field} returns", _single(value))
