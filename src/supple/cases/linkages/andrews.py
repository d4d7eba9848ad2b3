"""Andrews' squeezer: seven bodies in a plane, three closed loops of revolute joints, one drive.

The mechanism and its numbers are those of the test sets for differential-algebraic equations:
E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section VII.7, and the test
set for IVP solvers of CWI Amsterdam and the University of Bari. A motor drives the crank K1 from
rest with 0.033 N m; a spring pulls on the triangle K3; there is no gravity. The bodies and points:

    K1 crank O-F, K2 coupler F-E, K3 triangle B-E-D with the spring D-C,
    K4 bar G-E on the lever K5 (A-G), K6 bar H-E on the lever K7 (A-H); O, A, B, C are fixed.

The seven angles of the source are absolute angles or sums of them. Here body axes are such that

    K1: beta,    K2: beta + theta,    K3: gamma,    K4: phi + delta,    K5: delta,
    K6: omega + epsilon,    K7: epsilon

are the rotations of the bodies about Z, so beta, gamma, delta and epsilon are angles of joints to
the ground, and theta, phi and omega of those inside. The joints at E close the loops.

The reference takes beta as the only coordinate: E is where two circles meet, G and H as well, which
is exact; the equation of motion is integrated by a Runge-Kutta method of order 8. The time to reach
an angle, an integral over the energy in extended precision, confirms beta at 0.03 s to 4e-12 rad.
The published solution differs from that by 1.1e-9 rad; taken at its own beta, its other angles
agree with the exact closure to rounding, its rates to 3e-8 rad/s.
"""

from __future__ import annotations

from supple.bodies.base.rigid import RigidBody
from supple.cases.case import explicit
from supple.cases.linkages.linkage import mechanism
from supple.forces import JointEffort, SpringDamper
from supple.joints import Revolute
from supple.model import Model

A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)  # m, fixed points
TORQUE = 0.033  # N m
STIFFNESS, FREE_LENGTH = 4530.0, 0.07785  # N/m, m
# Angles at the start, rad: beta is given, theta = 0, the rest closes the loops.
START = {
    "beta": -0.0617138900142764496,
    "theta": 0.0,
    "gamma": 0.4552798191630703803,
    "phi": 0.2226683901658858847,
    "delta": 0.4873649795438425502,
    "omega": -0.2226683901658858847,
    "epsilon": 1.2305474445498211925,
}


def _flat(name: str, mass: float, inertia: float, x: float, y: float = 0.0) -> RigidBody:
    """Return a body of a plane mechanism: only its moment about z matters, kg m2 about the com."""
    return RigidBody(name, mass, (x, y, 0.0), (inertia / 2.0, inertia / 2.0, inertia))


def squeezer() -> Model:
    """Return the mechanism at rest, its drive on.

    K2 reaches from F to E along its -x, K3 from B to E along -y, K4 from G to E along -y, K6 from H
    to E along +x, K7 from A to H along -y: that is how the source counts the angles.
    """
    m = Model(name="Andrews' squeezer")
    k1 = m.add(_flat("K1", 0.04325, 2.194e-6, 0.00092))
    k2 = m.add(_flat("K2", 0.00365, 4.410e-7, -0.0115))
    k3 = m.add(_flat("K3", 0.02373, 5.255e-6, 0.01043, -0.01874))
    k4 = m.add(_flat("K4", 0.00706, 5.667e-7, 0.0, -(0.02 - 0.01421)))
    k5 = m.add(_flat("K5", 0.07050, 1.169e-5, 0.02308, 0.00916))
    k6 = m.add(_flat("K6", 0.00706, 5.667e-7, 0.02 - 0.01421))
    k7 = m.add(_flat("K7", 0.05498, 1.912e-5, -0.00449, -0.01228))
    ground = m.ground
    start = START
    drive = m.add(Revolute("beta", ground.at(0), k1.at(0), "z", start["beta"]))
    m.add(Revolute("theta", k1.at(0.007), k2.at(0), "z", start["theta"]))
    m.add(Revolute("gamma", ground.at(*B), k3.at(0), "z", start["gamma"]))
    m.add(Revolute("delta", ground.at(*A), k5.at(0), "z", start["delta"]))
    m.add(Revolute("phi", k5.at(0.04), k4.at(0), "z", start["phi"]))
    m.add(Revolute("epsilon", ground.at(*A), k7.at(0), "z", start["epsilon"]))
    m.add(Revolute("omega", k7.at(0, -0.04), k6.at(0), "z", start["omega"]))
    coupler = start["beta"] + start["theta"]
    for name, body, place, turn in (
        ("E3", k3, (0.0, -0.035), start["gamma"]),
        ("E4", k4, (0.0, -0.02), start["phi"] + start["delta"]),
        ("E6", k6, (0.02, 0.0), start["omega"] + start["epsilon"]),
    ):
        m.add(Revolute(name, k2.at(-0.028), body.at(*place), "z", turn - coupler))
    m.add(SpringDamper("spring", ground.at(*C), k3.at(0.02, -0.018), STIFFNESS, 0.0, FREE_LENGTH))
    m.add(JointEffort("motor", drive, TORQUE))
    return m


CASES = (
    mechanism(
        name="andrews-squeezer",
        title="Andrews' squeezer, seven bodies driven from rest to 181 revolutions per second",
        source="Hairer and Wanner II, test set for IVP solvers; exact closure in the crank angle, "
        "Runge-Kutta of order 8, and the published solution at 0.03 s",
        build=squeezer,
        points={"E": ("K2", (-0.028, 0.0, 0.0)), "D": ("K3", (0.02, -0.018, 0.0))},
        length=0.01,
        integrator=explicit,  # fast, but smooth
    ),
)
