"""simulate: from a model to a result."""

from __future__ import annotations

from typing import Unpack

from supple.analyses.base.arguments import expect
from supple.analyses.run.options import OWNER, RunOptions, SimulateOptions, takes
from supple.analyses.run.prepared import prepare, warned
from supple.model import Model
from supple.results.result import Result


@takes(SimulateOptions)
def simulate(model: Model, t_end: float, **options: Unpack[SimulateOptions]) -> Result:
    """Simulate a model from its initial coordinates to ``t_end`` (s).

    Parameters
    ----------
    start : State, Result, "static" or "quasi-static", optional
        Where the run starts: ``result.state(k)``, the last instant of a result of the same model,
        in any formulation, or what `assemble` returns; "static": at rest in the equilibrium that
        `statics` finds at t = 0 s. By default t = 0 s and the joints' initial coordinates and
        rates; "quasi-static": so, with flexible bodies deflected as gravity, loads and the inertia
        of this motion ask, so that they do not begin to vibrate.
    formulation : JointCoordinates, Absolute or Branch, optional
        The choice of coordinates: another spanning tree of the same model.
    integrator : Radau, DormandPrince, BDF, Adams, GeneralizedAlpha, HHT, Newmark or EnergyScheme
        The method and its options; Radau by default.
    tolerance : "loose", "default", "tight", rtol, or (rtol, atol)
        Error per step, relative to 1 rad, to the model's length and to the rates.
    output : int, float or array, optional
        Number of equal intervals (500 by default), their length in s (a float), or the times (s).
    events : Event or sequence of Event
        Instants to be found; a terminal one ends the run.
    progress : bool or callable, optional
        By default a run that takes longer than 2 s tells in a line how far it is, in a terminal or
        a notebook only; True: everywhere, False: never. A callable is called instead with the time
        reached, some thirty times a second.
    checkpoint : path, optional
        Of a file from which `resume` goes on, should the run be stopped or killed.
    every, interval : float, optional
        s of the clock, and of simulated time, between checkpoints; every 30 s by default.
    output_to : path, optional
        Of a file (HDF5) that states at output times go to while the run is made, so that they need
        not fit into memory; `open_run` reads it.

    A run that fails returns what it has, with ``success`` False, a ``message`` and a warning. So
    does one that is stopped by Ctrl-C; a second Ctrl-C raises KeyboardInterrupt at once.
    Many runs of one model are quicker with `prepare`.
    """
    expect(OWNER, "model", model, Model, "a Model")
    return warned(prepare(model).run(RunOptions.of(t_end, **options)))
