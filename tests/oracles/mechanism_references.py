"""Tables of reference numbers of the mechanisms from the oracles.

``python tests/oracles/mechanism_references.py`` writes them to
``src/supple/cases/mechanisms.json``.
"""

from __future__ import annotations

import json
import re
from math import pi
from pathlib import Path

import numpy as np

from oracles.governor_oracles import G, LinkedGovernor, StiffGovernor, falling, windows
from oracles.plane_oracles import Andrews, FourBar, across
from oracles.space_oracles import Bennett, Bricard

FILE = Path(__file__).parents[2] / "src" / "supple" / "cases" / "mechanisms.json"
FINE, COARSE = 2.3e-14, 1e-13

TIMES = {
    "four-bar": (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0),
    "andrews-squeezer": (0.005, 0.01, 0.015, 0.02, 0.025, 0.03),
    "bricard": (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0),
    "bennett": (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0),
    "governor-links": (0.15, 0.4, 0.7, 1.2, 2.3, 3.7, 6.1, 10.0),
    "n-four-bar": (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0),
    "n-four-bar-40": (0.5, 1.0, 1.5, 2.0, 3.0),
    "flyball-governor": (0.01, 0.05, 0.15, 0.4, 0.7, 1.2, 2.3, 3.7, 6.1, 10.0),
}


def table(name, times=None, tolerance=FINE):
    """Reference of a case at the times: joints, points and energies, each a list over time."""
    times = list(TIMES[name] if times is None else times)
    makers = {
        "four-bar": _four_bar,
        "andrews-squeezer": _andrews,
        "bricard": _bricard,
        "bennett": _bennett,
        "governor-links": _linked,
        "flyball-governor": _stiff,
        "n-four-bar": lambda t, tolerance: _windows(2, t, tolerance),
        "n-four-bar-40": lambda t, tolerance: _windows(40, t, tolerance),
    }
    return {"times": times, **makers[name](times, tolerance)}


def _energies(oracle, x, speed):
    rows = list(zip(x, speed, strict=True))
    return {
        "kinetic": [0.5 * oracle.inertia(a) * s**2 for a, s in rows],
        "gravity": [oracle.height(a) for a, _ in rows],
    }


def _named(names, rows):
    """Columns of rows by name."""
    return {name: list(column) for name, column in zip(names, np.array(rows).T, strict=True)}


def plane_forces(oracle, x, speed, joints, points, loads):
    """Forces (n, 2) in the joints of a plane mechanism, by Newton and Euler for each body.

    ``joints`` are (body of A or None, body of B) by number, ``points`` their places in the plane,
    ``loads`` [force, moment about the origin] on the bodies besides gravity. By A on B.
    """
    bodies = oracle.bodies(x, speed * oracle.tangent(x))
    moved, turned = oracle.accelerated(x, speed)
    frame = oracle.frame
    axis = np.cross(frame[:, 0], frame[:, 1])
    A, right = np.zeros((3 * len(bodies), 2 * len(joints))), np.zeros(3 * len(bodies))
    for k, body in enumerate(bodies):
        force = frame.T @ (body.mass * (moved[k] - oracle.gravity))
        moment = across(frame.T @ body.place) @ force + axis @ body.inertia @ turned[k]
        load = loads.get(k, (np.zeros(2), 0.0))
        right[3 * k : 3 * k + 3] = [*(force - load[0]), moment - load[1]]
    for j, ((first, second), point) in enumerate(zip(joints, points, strict=True)):
        for k, sign in ((first, -1.0), (second, 1.0)):
            if k is not None:
                A[3 * k : 3 * k + 2, 2 * j : 2 * j + 2] += sign * np.eye(2)
                A[3 * k + 2, 2 * j : 2 * j + 2] += sign * across(point)
    found = np.linalg.lstsq(A, right, rcond=None)[0]
    assert np.allclose(A @ found, right, rtol=0, atol=1e-9 * np.abs(right).max())
    return found.reshape(-1, 2)


def _four_bar(times, tolerance):
    o = FourBar()
    x, speed = o.motion(times, tolerance)
    angles, rates, points, forces = [], [], [], []
    for a, s in zip(x, speed, strict=True):
        bars = o.bars(a, s * np.ones(1))
        coupler, rocker = (np.arctan2(*bar.unit[::-1]) for bar in bars[1:])
        w, wc, wr = (bar.rate for bar in bars)
        angles.append([a[0], coupler - a[0], rocker, coupler - rocker])
        rates.append([w, wc - w, wr, wc - wr])
        points.append(list(o.frame @ bars[1].place(0.5, 0.1)))
        pin = bars[1].place(1.1, 0.0)
        joints, places = [(None, 0), (0, 1), (None, 2), (2, 1)], [b.origin for b in bars]
        forces.append(plane_forces(o, a, s, joints, [*places, pin], {}))
    names = ("drive", "knee", "bearing", "pin")
    return {
        "angles": _named(names, angles),
        "angle_rates": _named(names, rates),
        "points": {"coupler": points},
        "forces": _forces(names, forces, "xz"),
        **_energies(o, x, speed),
    }


def _forces(names, rows, axes):
    """Histories by joint and axis."""
    rows = np.array(rows)
    return {
        name: {axis: list(rows[:, j, i]) for i, axis in enumerate(axes)}
        for j, name in enumerate(names)
    }


def squeezer_forces(o, x, speed):
    """Forces (10, 2) in the joints of the squeezer, in the order of the angles, then E3, E4, E6."""
    bars = o.bars(x, speed * np.ones(1))
    e, d = bars["K2"].place(0.028, 0.0), bars["K3"].place(0.018, 0.02)
    bodies = {"K1": 0, "K2": 1, "K3": 2, "K4": 3, "K5": 4, "K6": 5, "K7": 6}
    pairs = (("", "K1"), ("K1", "K2"), ("", "K3"), ("K5", "K4"), ("", "K5"), ("K7", "K6"))
    pairs += (("", "K7"), ("K2", "K3"), ("K2", "K4"), ("K2", "K6"))
    joints = [(bodies.get(a), bodies[b]) for a, b in pairs]
    places = [bars[b].origin for _, b in pairs[:7]] + [e] * 3
    pull = 4530.0 * o.stretch(x) * (o.C - d) / np.linalg.norm(o.C - d)
    loads = {2: (pull, across(d) @ pull), 0: (np.zeros(2), 0.033)}
    return plane_forces(o, x, speed, joints, places, loads)


def _andrews(times, tolerance):
    o = Andrews()
    x, speed = o.motion(times, tolerance)
    angles, rates, E, D, forces = [], [], [], [], []
    for a, s in zip(x, speed, strict=True):
        bars = o.bars(a, s * np.ones(1))
        for rows, v in ((angles, o.angles(a)), (rates, o.rates(a, s))):
            beta, theta, gamma, phi, delta, omega, epsilon = v
            coupler = beta + theta
            closing = [gamma - coupler, phi + delta - coupler, omega + epsilon - coupler]
            rows.append([*v, *closing])
        e, d = bars["K2"].place(0.028, 0.0), bars["K3"].place(0.018, 0.02)
        E.append([*e, 0.0])
        D.append([*d, 0.0])
        forces.append(squeezer_forces(o, a, s))
    names = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon", "E3", "E4", "E6")
    kinetic = _energies(o, x, speed)["kinetic"]
    return {
        "angles": _named(names, angles),
        "angle_rates": _named(names, rates),
        "points": {"E": E, "D": D},
        "forces": _forces(names, forces, "xy"),
        "kinetic": kinetic,
        "elastic": [0.5 * 4530.0 * o.stretch(a) ** 2 for a in x],
        "work": [0.033 * (a[0] - o.x0[0]) for a in x],
    }


def _bricard(times, tolerance):
    o = Bricard()
    x, speed = o.motion(times, tolerance)
    slopes = [s * o.tangent(a) for a, s in zip(x, speed, strict=True)]
    points = {"P2": [], "P3": []}
    for a in x:
        for name, count in (("P2", 2), ("P3", 3)):
            points[name].append(list(o.end(a, count)))
    names = [f"P{k}" for k in range(6)]
    return {
        "angles": _named(names, np.tile(x, (1, 3))),
        "angle_rates": _named(names, np.tile(slopes, (1, 3))),
        "points": points,
        **_energies(o, x, speed),
    }


def _bennett(times, tolerance):
    o = Bennett()
    x, speed = o.motion(times, tolerance)
    pairs = [o.joints(a, s * np.ones(1)) for a, s in zip(x, speed, strict=True)]
    names = ("first", "second", "third", "fourth")
    return {
        "angles": _named(names, [q for q, _ in pairs]),
        "angle_rates": _named(names, [u for _, u in pairs]),
        "points": {"tip": [list(o.tip(a)) for a in x]},
        **_energies(o, x, speed),
    }


def _balls(a, turned):
    """Both ends of the rods for the angle of the rods and of the shaft."""
    out = 0.05 + np.cos(a)
    x, y, z = out * np.cos(turned), out * np.sin(turned), 1.0 - np.sin(a)
    return {
        "ball1": np.array([x, y, z]).T.tolist(),
        "ball2": np.array([-x, -y, z]).T.tolist(),
    }


def _linked(times, tolerance):
    o = LinkedGovernor()
    a, rate, turned, spin = o.motion(times, tolerance)
    angles = {"spin": turned}
    rates = {"spin": spin}
    for k in (1, 2):
        angles |= {f"hinge{k}": a, f"knee{k}": pi - 2 * a, f"foot{k}": a - pi}
        rates |= {f"hinge{k}": rate, f"knee{k}": -2 * rate, f"foot{k}": rate}
    return {
        "angles": {k: list(v) for k, v in angles.items()},
        "angle_rates": {k: list(v) for k, v in rates.items()},
        "displacements": {"slide": list(1.0 - np.sin(a))},
        "displacement_rates": {"slide": list(-np.cos(a) * rate)},
        "points": _balls(a, turned),
        "kinetic": list(0.5 * o.inertia(a) * rate**2 + 0.5 * o.about_shaft(a) * spin**2),
        "gravity": list(o.height(a)),
    }


def _stiff(times, tolerance):
    o = StiffGovernor()
    a, s, va, vs, turned, spin, lost = o.motion(times, tolerance)
    return {
        "angles": {"spin": list(turned), "hinge1": list(a), "hinge2": list(a)},
        "angle_rates": {"spin": list(spin), "hinge1": list(va), "hinge2": list(va)},
        "displacements": {"slide": list(s)},
        "displacement_rates": {"slide": list(vs)},
        "points": _balls(a, turned),
        "kinetic": list(o.kinetic(a, va, vs, spin)),
        "gravity": list(o.heights(a, s)),
        "elastic": list(o.stiffness * (o.distance(a, s) - 0.5) ** 2),
        "dissipated": list(lost),
    }


def _windows(count, times, tolerance):
    """By the closed form at the tolerance `FINE`, otherwise by integration."""
    exact = tolerance == FINE
    f, rate = windows(count, times) if exact else falling(count, times, tolerance)
    x, y, zero = np.sin(f), np.cos(f), 0.0 * f
    signs = {"base0": -1, f"base{count}": -1, "left1": 1, f"left{count}": 1, "right1": -1}
    signs[f"right{count}"] = -1
    return {
        "angles": {name: list(sign * f) for name, sign in signs.items()},
        "angle_rates": {name: list(sign * rate) for name, sign in signs.items()},
        "points": {
            "top": np.array([x, y, zero]).T.tolist(),
            "corner": np.array([count + x, y, zero]).T.tolist(),
        },
        "kinetic": list(0.5 * (count + (count + 1) / 3) * rate**2),
        "gravity": list(G * (count + (count + 1) / 2) * y),
    }


def difference(first, second):
    """Largest difference of two tables in each kind of quantity."""
    found = {}
    for kind in first:
        if kind != "times":
            pairs = zip(flat(first[kind]), flat(second[kind]), strict=True)
            found[kind] = max(abs(a - b) for a, b in pairs)
    return found


def flat(value):
    """All numbers of a table or of a part of it, in a list."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [x for part in value for x in flat(part)]
    return [float(value)]


def cut(reference, count):
    """A table up to so many of its times, all for None."""
    if isinstance(reference, dict):
        return {k: cut(v, count) for k, v in reference.items() if k != "error_estimate"}
    return reference[:count]


def bounds(reference, length=1.0):
    """Tolerance of each kind of quantity as the cases have it; length (m) is the size."""
    found = {"angles": 1e-6, "displacements": 1e-6 * length, "points": 1e-6 * length}
    for kind in ("angle_rates", "displacement_rates", "forces"):
        if kind in reference:
            found[kind] = 1e-6 * max(abs(v) for v in flat(reference[kind]))
    energies = ("kinetic", "gravity", "elastic", "work", "dissipated")
    return found | dict.fromkeys(energies, 1e-6 * max(reference["kinetic"]))


READING = (
    "SI, rad. Lists are over the times. angles, displacements: coordinates of joints, with whole "
    "turns; forces: by A on B in a joint, world axes, those in the plane of a plane mechanism; "
    "gravity is zero at the world origin; work and dissipated since the start. error_estimate: "
    "largest difference, by kind, of two runs with tolerances 2.3e-14 and 1e-13; for the windows "
    "the difference of the closed form and such a run"
)


def write():
    """Compute all tables and write the file."""
    cases = {}
    for name in TIMES:
        fine = table(name)
        other = table(name, tolerance=COARSE)
        cases[name] = {**fine, "error_estimate": difference(fine, other)}
    source = (
        "Minimal coordinates with exact closure (tests/models/one_degree.py and the oracles of the "
        "mechanisms), DOP853 of SciPy; the windows by elliptic functions"
    )
    data = {"source": source, "reading": READING, "cases": cases}
    FILE.write_text(compact(data), encoding="utf-8")


def compact(data):
    """JSON with each innermost list in one line."""
    text = json.dumps(data, indent=1, default=float)
    inner = re.compile(r"\[\s*([^\[\]{}]*?)\s*\]")
    return inner.sub(lambda found: "[" + " ".join(found[1].split()) + "]", text) + "\n"


if __name__ == "__main__":
    write()
