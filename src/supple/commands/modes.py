"""``supple modes``: frequencies, damping and names of the modes of a model file."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supple.commands.answers import print_json
from supple.commands.sources import Json, model_file

if TYPE_CHECKING:
    from supple.analyses.linear.linear_model import LinearModel
    from supple.analyses.linear.mode import Mode

UNSTEADY = 1e-4  # accelerations (rad/s2, or lengths of the model) that an equilibrium may have left
SHOWN_SHARE = 0.05  # of the kinetic energy, from which a body is named in the table


class About(StrEnum):
    """The state that modes are about."""

    EQUILIBRIUM = "equilibrium"
    INITIAL = "initial"


def modes(
    file: Annotated[Path, typer.Argument(help="A model file.")],
    count: Annotated[int, typer.Option(min=1, help="How many modes, the lowest first.")] = 10,
    at: Annotated[
        About, typer.Option(help="About the equilibrium at t = 0, or the initial state.")
    ] = About.EQUILIBRIUM,
    as_json: Json = False,
) -> None:
    """Show frequencies and damping of small motion, and what moves in each mode."""
    answer = described(linear_about(file, at), count)
    answer["about"] = at.value
    if as_json:
        print_json(answer)
    else:
        typer.echo(text(answer))


def linear_about(file: Path, at: About) -> LinearModel:
    """The linear model about one of the two states; without an equilibrium, what to do."""
    from supple.analyses.linear.linearize import linearize
    from supple.foundation.errors import SimulationError

    found = model_file(file)
    found.check()
    try:
        return linearize(found.model, None if at is About.EQUILIBRIUM else "initial")
    except SimulationError as error:
        if at is not About.EQUILIBRIUM:
            raise
        raise SimulationError(f"{error}; --at initial takes the initial state") from None


def described(linear: LinearModel, count: int) -> dict[str, Any]:
    """The lowest modes, those of zero frequency first."""
    held = [mode for mode in linear.modes if not mode.rigid]
    every = [*linear.rigid_modes, *held]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        errors = dict(zip(linear.frequencies, linear.frequency_errors, strict=True))
    return {
        "t": linear.state.t,
        "coordinates": len(linear.M),
        "all_modes": len(every),
        "stable": linear.stable,
        "unsteady": linear.unsteady,
        "modes": [_mode(mode, errors.get(mode.frequency)) for mode in every[:count]],
    }


def _mode(mode: Mode, error: float | None) -> dict[str, Any]:
    from supple.analyses.linear.energy_shares import kinetic_shares, moves_most

    oscillates = mode.eigenvalue.imag > 0.0
    return {
        "frequency": mode.frequency,
        "damped_frequency": mode.damped_frequency,
        "damping": mode.damping,
        "eigenvalue": [mode.eigenvalue.real, mode.eigenvalue.imag],
        "oscillates": oscillates,
        "frequency_error": error if oscillates else None,
        "moves": moves_most(mode),
        "kinetic_energy": kinetic_shares(mode),
    }


def text(answer: dict[str, Any]) -> str:
    """Return the answer as a table."""
    state = "equilibrium" if answer["about"] == "equilibrium" else "initial state"
    found = answer["modes"]
    head = f"{answer['all_modes']} modes about the {state}, {answer['coordinates']} coordinates"
    if not found:
        return f"{head}: nothing can move"
    lines = [head + ("" if answer["stable"] else ", UNSTABLE")]
    if answer["unsteady"] > UNSTEADY:
        lines.append(
            f"  not a steady state: accelerations up to {answer['unsteady']:.3g} per s2; the modes "
            "hold for an instant"
        )
    lines.append(f"  {'':>3}  {'Hz':>11}  {'damping':>9}  what moves most; kinetic energy")
    for k, mode in enumerate(found, start=1):
        if mode["oscillates"]:
            numbers = f"{mode['damped_frequency']:>11.5g}  {mode['damping']:>9.3g}"
        elif mode["eigenvalue"] == [0.0, 0.0]:
            numbers = f"{0:>11}  {'free':>9}"
        else:
            numbers = f"{mode['eigenvalue'][0]:>7.4g} 1/s  {'no swing':>9}"
        lines.append(f"  {k:>3}  {numbers}  {mode['moves']}; {_shares(mode['kinetic_energy'])}")
    return "\n".join(lines)


def _shares(shares: dict[str, float]) -> str:
    shown = {n: s for n, s in shares.items() if s >= SHOWN_SHARE} or shares
    return ", ".join(f"{name} {share:.0%}" for name, share in shown.items())
