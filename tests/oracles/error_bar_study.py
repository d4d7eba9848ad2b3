"""Numbers whose true values are known, with the error bars that `certify` gives them.

Truth is exact (elliptic functions, series of the modes of beams, solutions of linear oscillators),
or that of a case, whose reference is computed by other means. A bar covers its number if the truth
is no farther away than the bar and the error of the truth itself. Whether it is not too large is
asked where the true error is ten times larger than that of the truth.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

import supple as sp
from models import mesh_bodies
from supple import cases
from supple.results.files.dataset import quantity
from supple.results.views.body_loads import at_times

G = 9.81
ALLOY = sp.Material(70e9, 26e9, 2700)
SECTION = sp.Rectangle(0.01, 0.02)
STIFF, LINEAR = 70e9 * 0.02 * 0.01**3 / 12, 2700 * 2e-4  # N m2 across y, kg/m
NUMERICAL = ("integration", "sampling")
DISCRETE = (*NUMERICAL, "modes", "mesh", "formulation")
KNOWN = 10.0  # times the error of the truth, from which the true error is known


@dataclass(frozen=True)
class Row:
    """A number, its truth and its bar."""

    name: str
    value: float
    truth: float
    unsure: float
    bar: float
    level: str

    @property
    def error(self) -> float:
        """Its true error."""
        return abs(self.value - self.truth)

    @property
    def covered(self) -> bool:
        """Whether the truth is within the bar."""
        return self.error <= self.bar + self.unsure

    @property
    def known(self) -> bool:
        """Whether its true error is known well enough to be compared with the bar."""
        return self.error > KNOWN * self.unsure

    @property
    def effectivity(self) -> float:
        """Bar over true error."""
        return self.bar / self.error

    def __str__(self) -> str:
        ratio = f"{self.effectivity:9.2f}" if self.known else f"{'-':>9}"
        word = "" if self.covered else "  NOT COVERED"
        return (
            f"{self.name:<44} {self.value:14.8g} {self.error:9.1e} {self.bar:9.1e} {ratio} "
            f"{self.level}{word}"
        )


def certified(
    name: str,
    model: sp.Model,
    t_end: float,
    truths: dict[str, float],
    contributions: Sequence[str] = DISCRETE,
    unsure: float = 1e-11,
    **options: Any,
) -> Iterator[Row]:
    """Rows of a model, for outputs with their true values."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        found = sp.certify(model, t_end, list(truths), contributions=contributions, **options)
    size = max(abs(x) for x in truths.values())
    for output, truth in truths.items():
        c = found[output]
        yield Row(
            f"{name}: {output.replace('beam.at', '')}",
            c.value,
            truth,
            unsure * size,
            c.bar,
            c.level,
        )


def pendulum(angle: float) -> sp.Model:
    """A point mass on a rod of 1 m, at an angle (rad) from hanging down."""
    m = sp.Model(gravity=(0, -G, 0), name="pendulum")
    rod = m.add(sp.RigidBody("rod", 1.0, (0, -1.0, 0), (1e-12, 1e-12, 1e-12)))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="z", initial=angle))
    return m


def swing(angle: float, t: float) -> float:
    """Its angle at a time, by elliptic functions."""
    k = np.sin(angle / 2) ** 2
    _, cn, dn, _ = ellipj(np.sqrt(G) * t, k)
    return float(2.0 * np.arcsin(np.sin(angle / 2) * cn / dn))


def oscillator(damping: float) -> sp.Model:
    """A body of 1 kg on a spring of 100 N/m, let go at 0.1 m."""
    m = sp.Model(gravity=(0, 0, 0), name="oscillator")
    block = m.add(sp.RigidBody("block", 1.0))
    m.add(sp.Prismatic("slide", m.ground.at(0), block.at(0), axis="x", initial=0.1))
    m.add(sp.JointSpring("spring", "slide", stiffness=100.0, damping=damping))
    return m


def ringing(damping: float, t: float) -> float:
    """Its place at a time."""
    decay = damping / 2.0
    rate = np.sqrt(100.0 - decay**2)
    return float(0.1 * np.exp(-decay * t) * (np.cos(rate * t) + decay / rate * np.sin(rate * t)))


def cantilever(kind: str, **options: Any) -> sp.Model:
    """A beam that is held at one end, with a sudden force at the other one or its sudden weight."""
    gravity = (0, -G, 0) if kind == "weight" else (0, 0, 0)
    m = sp.Model(gravity=gravity, name=f"cantilever, {kind}")
    beam = m.add(sp.Beam("beam", 1.0, SECTION, ALLOY, rotary_inertia=False, **options))
    m.add(sp.Fixed("wall", m.ground.at(0), beam.at(0)))
    if kind == "force":
        m.add(sp.Force("push", beam.at(1.0), force=(0, -1.0, 0)))
    return m


def clamped_numbers(count: int) -> np.ndarray:
    """Roots of cos x cosh x + 1 = 0."""

    def even(x: float) -> float:
        return np.cos(x) + 1.0 / np.cosh(x)

    return np.array([brentq(even, np.pi * k, np.pi * (k + 1)) for k in range(count)])


def bent(kind: str, x: float, t: np.ndarray, count: int = 150) -> np.ndarray:
    """Deflection (nt,) of the cantilever at x (m), as a series of its modes.

    Shapes are written with falling exponentials: hyperbolic functions would lose all digits.
    """
    b = clamped_numbers(count)
    tail = np.exp(-b)
    below = 1.0 + tail**2 + 2.0 * tail * np.cos(b)  # cosh b + cos b, times 2 tail
    ratio = (1.0 - tail**2 - 2.0 * tail * np.sin(b)) / below

    def shape(s: float) -> np.ndarray:
        # cosh bs - ratio sinh bs: its rising part has the factor 1 - ratio
        rising = np.exp(b * (s - 1.0)) * (tail + np.cos(b) + np.sin(b)) / below
        falling = 0.5 * np.exp(-b * s) * (1.0 + ratio)
        return rising + falling - np.cos(b * s) + ratio * np.sin(b * s)

    rates = b**2 * np.sqrt(STIFF / LINEAR)
    if kind == "force":
        loads = -shape(1.0)
    else:  # integral of a shape along the beam
        loads = -G * LINEAR * 2.0 * ratio / b
    static = loads / (LINEAR * rates**2)
    return (static * shape(x)) @ (1.0 - np.cos(np.outer(rates, t)))


def bridge(modes: Any) -> sp.Model:
    """A beam on two pins with a sudden force at 0.3 m."""
    m = sp.Model(gravity=(0, 0, 0), name="bridge")
    given = {"rotary_inertia": False, "reference": "chord", "elements": 6}
    beam = m.add(sp.Beam("beam", 1.0, SECTION, ALLOY, modes=modes, **given))
    m.add(sp.Revolute("left", m.ground.at(0), beam.at(0), axis="z"))
    m.add(sp.PointOnLine("right", m.ground.at(1.0), beam.at(1.0), axis="x"))
    m.add(sp.Force("push", beam.at(0.3), force=(0, -1.0, 0)))
    return m


def bridged(x: float, t: float, count: int = 400) -> float:
    """Its deflection, as a series of sines."""
    k = np.arange(1, count + 1) * np.pi
    rates = k**2 * np.sqrt(STIFF / LINEAR)
    amplitudes = -2.0 * np.sin(0.3 * k) / (LINEAR * rates**2)
    return float(amplitudes * np.sin(x * k) @ (1.0 - np.cos(rates * t)))


def rod_rows() -> Iterator[Row]:
    """Rigid bodies: pendulums at several tolerances, oscillators."""
    for angle, tolerance in ((0.5, 1e-4), (2.0, 1e-6), (3.0, 1e-8)):
        period = 4.0 * float(ellipk(np.sin(angle / 2) ** 2)) / np.sqrt(G)
        truths = {
            "pin.angle @ end": swing(angle, 1.3 * period),
            "pin.angle @ min": -angle,
            "pin.angle @ time of min": period / 2.0,
        }
        yield from certified(
            f"pendulum {angle:g} rad", pendulum(angle), 1.3 * period, truths, tolerance=tolerance
        )
    t = np.linspace(0.0, 2.0, 200_001)
    for damping, integrator in ((0.0, sp.Radau()), (1.0, sp.GeneralizedAlpha(step=2e-3))):
        place = np.array([ringing(damping, x) for x in t])
        truths = {
            "slide.displacement @ 1.37 s": ringing(damping, 1.37),
            "slide.displacement @ min": -0.1 * np.exp(-damping / 2 * np.pi / _rate(damping)),
            "slide.displacement @ rms": float(np.sqrt(np.trapezoid(place**2, t) / 2.0)),
        }
        yield from certified(
            f"oscillator {damping:g}",
            oscillator(damping),
            2.0,
            truths,
            tolerance=1e-5,
            integrator=integrator,
            unsure=1e-10,
        )


def _rate(damping: float) -> float:
    return float(np.sqrt(100.0 - (damping / 2.0) ** 2))


def beam_rows() -> Iterator[Row]:
    """Beams with few modes or elements, against series of their modes."""
    end = 0.11
    t = np.linspace(0.0, end, 20_001)
    for kind, options in (
        ("force", {"elements": 4, "modes": 1}),
        ("force", {"elements": 8, "modes": 3}),
        ("force", {"elements": 1, "modes": "all"}),
        ("force", {"elements": 2, "modes": "all"}),
        ("weight", {"elements": 3, "modes": 2}),
        ("weight", {"elements": 6, "modes": sp.reduction.AttachmentModes(1)}),
    ):
        tip, middle = (bent(kind, x, t) for x in (1.0, 0.5))
        truths = {
            "beam.at(1.0).deflection.y @ end": float(tip[-1]),
            "beam.at(1.0).deflection.y @ min": float(tip.min()),
            "beam.at(1.0).deflection.y @ mean": float(np.trapezoid(tip, t) / end),
        }
        if options["elements"] % 2 == 0:
            truths["beam.at(0.5).deflection.y @ rms"] = float(
                np.sqrt(np.trapezoid(middle**2, t) / end)
            )
        word = ", ".join(f"{k}={v}" for k, v in options.items())
        yield from certified(
            f"{kind}, {word}", cantilever(kind, **options), end, truths, unsure=1e-6
        )
    for modes in (1, 2, sp.reduction.SineShapes(3, "y")):
        truths = {f"beam.at({x}).deflection.y @ end": bridged(x, 0.031) for x in (0.5, 0.3)}
        yield from certified(f"bridge, modes={modes}", bridge(modes), 0.031, truths, unsure=1e-9)


def case_rows() -> Iterator[Row]:
    """Cases at a coarse tolerance: their bodies are the reference's, so is what their modes do."""
    for name, tolerance, last in (
        ("huang-rigid", 1e-4, 1.0),
        ("andrews-squeezer", 1e-5, 0.03),
        ("four-bar", 1e-4, 3.0),
        ("bricard", 1e-5, 10.0),
        ("zhao-rigid", 1e-4, 2.0),
        ("duffing-regular", 1e-5, 3.0),
    ):
        case = cases.get(name)
        times = np.array([t for t in case.times if t <= last])
        measured = case.measure(case.simulate(until=last))
        places = [k for k, q in enumerate(measured) if q.time == last and q.reference != 0.0]
        asked = {f"{name}: {measured[k].name}": Measured(case, times, k) for k in places[:2]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)
            found = sp.certify(
                case.build(),
                last,
                asked,
                contributions=["integration", "formulation"],
                tolerance=tolerance,
                intervals=_intervals(times),
            )
        for label, c in found.items():
            truth = measured[asked[label].place].reference
            unsure = 1e-10 * max(abs(truth), 1.0)
            yield Row(label, c.value, truth, unsure, c.bar, c.level)


@dataclass(frozen=True)
class Measured:
    """A number that a case compares, of a run with other output times among its own."""

    case: sp.cases.Case
    times: np.ndarray
    place: int

    def __call__(self, result: sp.results.Result) -> float:
        where = [int(np.argmin(np.abs(result.t - t))) for t in self.times]
        return self.case.measure(at_times(result, np.array(where)))[self.place].value


def _intervals(times: np.ndarray) -> int:
    """A number of equal intervals that has all these times."""
    for n in range(1, 4001):
        if np.abs(times / times[-1] * n - np.round(times / times[-1] * n)).max() < 1e-9:
            return max(n, 4) if n >= 4 else 4 * n
    raise AssertionError(times)


def random_model(seed: int) -> tuple[sp.Model, str, str]:
    """A body of random kind and size, held and loaded somehow; its name and an output."""
    rng = np.random.default_rng(seed)
    modulus = 10 ** rng.uniform(9.8, 11.3)
    material = sp.Material(E=modulus, G=modulus / 2.6, density=2700)
    damping = sp.Rayleigh(stiffness=1e-4)
    m = sp.Model(gravity=(0, -G, 0) if seed % 2 else (0, 0, -G), name=f"random {seed}")
    section = sp.Rectangle(rng.uniform(0.01, 0.02), rng.uniform(0.01, 0.02))
    kind = ("beam", "frame", "strip", "beam")[seed % 4]
    if kind == "beam":
        length = rng.uniform(0.5, 1.5)
        n = int(rng.integers(11, 14))
        body: Any = sp.Beam(
            "body", length, section, material, elements=n, modes="auto", damping=damping
        )
        start, end, output = (0.0,), (length,), f"body.at({length!r}).position"
    elif kind == "frame":
        nodes = {"a": (0, 0, 0), "b": (rng.uniform(0.4, 1.0), 0, 0)}
        nodes["c"] = (nodes["b"][0], rng.uniform(0.2, 0.6), rng.uniform(0.2, 0.6))
        sides = [sp.Member(i, j, section, material, elements=6) for i, j in ("ab", "bc")]
        body = sp.FrameStructure("body", nodes, sides, modes="auto", damping=damping)
        start, end, output = ("a",), ("c",), None
    else:
        mesh = mesh_bodies.strip(6, material, 1)
        body = mesh_bodies.body(mesh, modes="auto", damping=damping)
        start, end, output = ("a",), ("b",), None
    m.add(body)
    if output is None:
        place = body.at(*end).position
        output = f"body.at({', '.join(repr(float(x)) for x in place)}).position"
    if seed % 3:
        m.add(sp.Fixed("root", m.ground.at(0), body.at(*start)))
    else:
        m.add(
            sp.Revolute(
                "root",
                m.ground.at(0),
                body.at(*start),
                axis=(0, 1, 0) if seed % 2 == 0 else (0, 0, 1),
            )
        )
    if rng.uniform() < 0.5:
        m.add(sp.PointMass("weight", body.at(*end), mass=0.2 * body.mass))
    m.add(sp.Force("push", body.at(*end), force=rng.normal(size=3)))
    return m, "body", f"{output}.{'y' if seed % 2 else 'z'} @ end"


@dataclass(frozen=True)
class Choice:
    """Modes that were chosen for a tolerance, and what they really cost."""

    name: str
    tolerance: float
    coordinates: int
    estimate: float
    error: float
    noise: float

    @property
    def met(self) -> bool:
        """Whether the tolerance is met in truth."""
        return self.error <= self.tolerance

    @property
    def effectivity(self) -> float:
        """Estimate over true error; 1 where both are no more than those of the tolerance."""
        if max(self.error, self.estimate) < KNOWN * self.noise:
            return 1.0
        return self.estimate / self.error

    def __str__(self) -> str:
        return (
            f"{self.name:<14} {self.coordinates:4d} {self.tolerance:9.1e} {self.error:9.1e} "
            f"{self.estimate:9.1e} {self.effectivity:6.2f}{'' if self.met else '  NOT MET'}"
        )


def choices(seeds: Sequence[int] = range(20)) -> Iterator[Choice]:
    """Modes chosen for random bodies, compared with all coordinates of their meshes."""
    for seed in seeds:
        model, name, output = random_model(seed)
        rng = np.random.default_rng(100 + seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sp.SuppleWarning)
            whole = model.copy()
            whole.replace(name, modes="all")
            end = rng.uniform(0.03, 0.08)
            truth = last_value(whole, end, output)
            still = last_value(_rigid(model, name), end, output)
            deformed = max(abs(truth - still), 1e-9)
            tolerance = float(10 ** rng.uniform(-3.0, -1.0) * deformed)
            chosen = sp.choose_modes(model, end, {output: tolerance}, intervals=20)
            noise = abs(last_value(chosen.model, end, output) - chosen.outputs[output].value)
        found = chosen.outputs[output]
        kind = type(model[name]).__name__
        yield Choice(
            f"{seed} {kind}",
            tolerance,
            chosen.coordinates[name],
            found.error,
            abs(found.value - truth),
            noise,
        )


def _rigid(model: sp.Model, name: str) -> sp.Model:
    copy = model.copy()
    copy.replace(name, **copy[name].rigid_fields())
    return copy


def last_value(model: sp.Model, end: float, output: str) -> float:
    """An output at the end of a run."""
    result = sp.simulate(model, end, output=1, tolerance=1e-9)
    assert result.success
    return float(quantity(result, output.partition(" @ ")[0])[-1])


STUDIES: dict[str, Callable[[], Iterator[Row]]] = {
    "rigid bodies": rod_rows,
    "beams": beam_rows,
    "cases": case_rows,
}


if __name__ == "__main__":
    import sys

    found: list[Row] = []
    for study in sys.argv[1:] or (*STUDIES, "modes"):
        print(study)
        for row in choices() if study == "modes" else STUDIES[study]():
            print(row, flush=True)
            found += [row] if isinstance(row, Row) else []
    known = [row for row in found if row.known]
    print(f"{sum(r.covered for r in found)} of {len(found)} covered,", end=" ")
    print(f"{sum(r.effectivity <= 10.0 for r in known)} of {len(known)} within ten times the error")
