"""N four-bar windows in a row: passes through configurations where it could branch.

The problem "N four-bar mechanism" of the IFToMM library of multibody benchmarks (M. Gonzalez,
D. Dopico, U. Lugris, J. Cuadrado, Multibody System Dynamics 16, 2006): N + 1 upright rods on the
ground, their tops joined by N level rods, all of 1 m and 1 kg; gravity 9.81 m/s2 along -y; the tops
start with 1 m/s along x. When all rods lie level the mechanism has N + 1 degrees of freedom for an
instant instead of one.

All uprights stay parallel, so that it is a pendulum with the angle f from upright:

    (N + (N + 1)/3) m L2 f'' = (N + (N + 1)/2) m g L sin f.

It turns over, and f is twice an elliptic amplitude. Reference: that closed form; the difference to
an integration of the equation is its error estimate.

At the level position the constraints depend on each other and leave the further motion open.
Accelerations beside it are those of the pendulum, but forces in the level rods grow without bound.
Runs step over it (``integrators/passage/passage.py``) at every tolerance and by every method, along
the smooth motion, and say so in a warning.
"""

from __future__ import annotations

from supple.cases.case import Case, explicit
from supple.cases.linkages.linkage import mechanism, rod
from supple.joints import Revolute
from supple.model import Model

LENGTH, MASS, G = 1.0, 1.0, 9.81  # m, kg, m/s2
RATE = 1.0  # rad/s, 1 m/s of the tops along x


def windows(count: int = 2) -> Model:
    """Return ``count`` windows, upright and falling over to x; the joints "right" close them."""
    m = Model(gravity=(0, -G, 0), name=f"{count} four-bar windows")
    posts = [m.add(rod(f"post{k}", MASS, (0, LENGTH, 0))) for k in range(count + 1)]
    bars = [m.add(rod(f"bar{k}", MASS, (LENGTH, 0, 0))) for k in range(1, count + 1)]
    for k, post in enumerate(posts):
        place = m.ground.at(k * LENGTH)
        m.add(Revolute(f"base{k}", place, post.at(0), "z", initial_rate=-RATE))
    for k, bar in enumerate(bars, 1):
        top = posts[k - 1].at(0, LENGTH)
        m.add(Revolute(f"left{k}", top, bar.at(0), "z", initial_rate=RATE))
    for k, bar in enumerate(bars, 1):
        top = posts[k].at(0, LENGTH)
        m.add(Revolute(f"right{k}", bar.at(LENGTH), top, "z", initial_rate=-RATE))
    return m


def _case(name: str, count: int) -> Case:
    last = f"bar{count}"
    return mechanism(
        name=name,
        title=f"{count} four-bar windows that turn over through branching configurations",
        source="IFToMM benchmark, Gonzalez et al. 2006; closed form by elliptic functions",
        build=lambda: windows(count),
        integrator=explicit,
        points={"top": ("post0", (0.0, LENGTH, 0.0)), "corner": (last, (LENGTH, 0.0, 0.0))},
    )


CASES = (_case("n-four-bar", 2), _case("n-four-bar-40", 40))
