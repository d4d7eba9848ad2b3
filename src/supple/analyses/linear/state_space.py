"""StateSpace: a linear model with inputs and outputs, and its response to harmonic inputs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.linear.driven_inputs import driven_inputs
from supple.analyses.linear.frequency_response import FrequencyResponse
from supple.analyses.linear.ports import OWNER, Ports
from supple.analyses.modes.mode import Complex
from supple.foundation import validate
from supple.foundation.errors import ModelError, SuppleError, warn_caller
from supple.foundation.poses import Array

if TYPE_CHECKING:
    from supple.analyses.modes.linear_model import LinearModel

RESONANCE = 1e-11  # of an eigenvalue: the distance of i omega at which its response is rounding


@dataclass(frozen=True, eq=False)
class StateSpace:
    """Small motion with inputs u and outputs y: x' = A x + B u, y = C x + D u.

    Attributes
    ----------
    A, B, C, D : (n, n), (n, ni), (no, n), (no, ni)
    states : (n) names: coordinates, their rates ("elbow.angle.rate"), controller states
    inputs, outputs : (ni), (no) names
    input_units, output_units : of each; "" for elastic coordinates
    eigenvalues : (n,) 1/s, of A; those of motions that nothing holds are exactly zero
    stable : whether no free motion grows
    name : of the model
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    eigenvalues: Complex
    stable: bool
    name: str = ""

    def frequency_response(self, frequencies: ArrayLike) -> FrequencyResponse:
        """Amplitudes and phases of all outputs under harmonic inputs of given frequencies (nf,) Hz.

        An output is the real part of ``response exp(i 2 pi f t)`` when the input is that of
        ``exp(i 2 pi f t)``. Nothing is known at a resonance without damping, which is refused.
        """
        owner, expected = "frequency_response", "frequencies in Hz, zero or positive"
        wanted = np.atleast_1d(validate.array(owner, "frequencies", frequencies, expected))
        if wanted.ndim != 1 or not len(wanted) or np.any(wanted < 0.0):
            raise ModelError(owner, "frequencies", frequencies, expected)
        for k, s in enumerate(2j * np.pi * wanted):
            near = np.abs(s - self.eigenvalues) <= RESONANCE * np.abs(s)
            if np.any(near):
                expected = "a frequency at which no motion without damping resonates"
                raise ModelError(owner, f"frequencies[{k}]", float(wanted[k]), expected)
        if not self.stable:
            warn_caller(
                "frequency_response: the model is not stable, its free motion grows beyond the "
                "response that is computed"
            )
        shift = 2j * np.pi * wanted[:, None, None] * np.eye(len(self.A)) - self.A
        values: Complex = np.asarray(self.C @ np.linalg.solve(shift, self.B) + self.D, complex)
        units = self.input_units, self.output_units
        return FrequencyResponse(wanted, values, self.inputs, self.outputs, *units)

    def to_control(self) -> Any:
        """The same as a ``control.StateSpace`` of the package python-control.

        Its names have "_" where these have other signs than letters and digits.
        """
        try:
            import control
        except ImportError as reason:
            raise SuppleError(
                f"to_control needs the package control ({reason}), install it with: "
                "pip install 'supple[control]'"
            ) from reason
        names = {field: _plain(getattr(self, field)) for field in ("states", "inputs", "outputs")}
        return control.ss(self.A, self.B, self.C, self.D, name=_plain([self.name])[0], **names)

    def __repr__(self) -> str:
        held = "stable" if self.stable else "UNSTABLE"
        lines = [f"State space of {len(self.states)} states, {held}"]
        for word, names, units in (
            ("inputs ", self.inputs, self.input_units),
            ("outputs", self.outputs, self.output_units),
        ):
            told = (f"{n} ({u})" if u else n for n, u in zip(names, units, strict=True))
            lines.append(f"  {word}  {', '.join(told)}")
        return "\n".join(lines)


def _plain(names: Any) -> list[str]:
    """Names of letters, digits and "_", each once."""
    found: list[str] = []
    for name in names:
        plain = re.sub(r"\W+", "_", name).strip("_") or "model"
        while plain in found:
            plain += "_"
        found.append(plain)
    return found


def state_space(linear: LinearModel, inputs: Any, outputs: Any, derivative: Any) -> StateSpace:
    """See ``LinearModel.state_space``."""
    expected = "0 (displacements), 1 (rates) or 2 (accelerations)"
    order = validate.integer(OWNER, "derivative", derivative, 0, expected)
    if order > 2:
        raise ModelError(OWNER, "derivative", derivative, expected)
    ports = Ports(linear)
    pushed = ports.find("inputs", inputs)
    seen = ports.find("outputs", list(linear.names) if outputs is None else outputs)
    driven = driven_inputs(OWNER, linear, [port.name for port in pushed if port.driver])
    n, nz, k = len(linear.M), len(linear.Z), len(driven.names)
    y, v, z = slice(0, n), slice(n, 2 * n), slice(2 * n, 2 * n + nz)
    s, r = slice(z.stop, z.stop + k), slice(z.stop + k, z.stop + 2 * k)  # driven motion, its rate
    A, B = np.zeros((r.stop, r.stop)), np.zeros((r.stop, len(pushed)))
    A[: z.stop, : z.stop] = linear.A
    A[v, s], A[v, r] = -np.linalg.solve(linear.M, np.stack([driven.K, driven.C]))
    A[z, s], A[z, r], A[s, r] = driven.Y, driven.V, np.eye(k)
    drives = np.array([port.driver for port in pushed], dtype=bool)
    rows = np.array([port.row for port in pushed])
    B[v] = np.linalg.solve(linear.M, linear.N.T @ rows.T)
    B[v, drives], B[r, drives] = -np.linalg.solve(linear.M, driven.M), np.eye(k)
    shown = np.array([port.row for port in seen])
    C, D = np.zeros((len(seen), r.stop)), np.zeros((len(seen), len(pushed)))
    C[:, y], C[:, s] = shown @ linear.N, shown @ driven.S
    for _ in range(order):
        C, D = C @ A, C @ B
    rate = ("", "/s", "/s2")[order]
    after = ("", ".rate", ".acceleration")[order]
    states = [*linear.names, *(f"{name}.rate" for name in linear.names)]
    states += [f"controller_{j + 1}" for j in range(nz)]
    states += [f"{name}.motion{rate}" for rate in ("", ".rate") for name in driven.names]
    assert linear.model is not None
    return StateSpace(
        *(A, B, C, D),
        states=tuple(states),
        inputs=tuple(port.input_name for port in pushed),
        outputs=tuple(f"{port.name}{after}" for port in seen),
        input_units=tuple(port.input_unit for port in pushed),
        output_units=tuple(f"{port.unit}{rate}" if port.unit else "" for port in seen),
        eigenvalues=np.concatenate([linear.eigenvalues, np.zeros(2 * k)]),
        stable=linear.stable,
        name=linear.model.name,
    )
