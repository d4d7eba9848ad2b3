"""Sampled controllers of a model made ready for a run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from supple.analyses.base.snapshot_outputs import InstantOutputs
from supple.engine.base.compiled import Compiled
from supple.forces import SampledController
from supple.formulations.equations import Equations
from supple.foundation.errors import ModelError, SuppleError, label
from supple.foundation.poses import Array
from supple.integrators.run.driver import Problem
from supple.integrators.run.sampling import Sampler
from supple.model import Model
from supple.state import State

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun


def with_sampler(model: Model, problem: Problem, endless: bool = False) -> Problem:
    """The problem of a run with the sampled controllers of its model, and room for their efforts.

    The numbers of its model are its own then.
    """
    found = [f for f in model.forces.values() if isinstance(f, SampledController)]
    if not found:
        return problem
    compiled = problem.equations.compiled
    state = State(problem.t_start, problem.q, problem.u, problem.z, compiled=compiled)
    read = _Sensors(model, compiled, state, found)
    sampler = Sampler(found, compiled, problem.t_start, read, endless)
    end = math.inf if endless else problem.t_end
    own = sampler.roomy(compiled, end)
    return problem._replace(equations=Equations(own), sampler=sampler)


class _Sensors:
    """Reads the texts of sensors at the present state of a run."""

    def __init__(
        self, model: Model, compiled: Compiled, state: State, found: list[SampledController]
    ) -> None:
        self.outputs: dict[tuple[str, ...], InstantOutputs] = {}
        equations = Equations(compiled)
        for controller in found:
            texts = controller.sensors
            if not texts or texts in self.outputs:
                continue
            try:
                outputs = InstantOutputs(model, equations, state, texts)
            except SuppleError as error:
                expected = f"quantities of the model that are numbers: {error}"
                raise ModelError(label(controller), "sensors", list(texts), expected) from None
            for text, value in outputs.named.items():
                if np.ndim(value):
                    expected = "a number, e.g. a component 'tip.position.z'"
                    raise ModelError(label(controller), "sensors", text, expected)
            self.outputs[texts] = outputs

    def __call__(self, run: LoopRun, texts: tuple[str, ...]) -> Array:
        """Values (n,) of the texts."""
        c, r = run.compiled, run.fields
        outputs = self.outputs[texts]
        state = State(float(run.state[0]), r.q.copy(), r.u.copy(), r.z.copy(), compiled=c)
        outputs.read(Equations(c), state)
        return outputs.values.copy()
