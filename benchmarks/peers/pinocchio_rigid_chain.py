"""The chain of rigid links in Pinocchio (package ``pin``)."""

from __future__ import annotations

import chain
import numpy as np
import pinocchio


def model(links: int) -> tuple[pinocchio.Model, pinocchio.Data]:
    """Model and workspace of the chain."""
    made = pinocchio.Model()
    made.gravity.linear = np.array(chain.GRAVITY)
    centre = np.array([chain.LENGTH / 2, 0.0, 0.0])
    inertia = np.diag([chain.ALONG, chain.ACROSS, chain.ACROSS])
    joint = 0
    for i in range(links):
        kind = pinocchio.JointModelRY() if chain.axis(i) == "y" else pinocchio.JointModelRZ()
        offset = np.array([chain.LENGTH if i else 0.0, 0.0, 0.0])
        place = pinocchio.SE3(np.eye(3), offset)
        joint = made.addJoint(joint, kind, place, f"joint{i + 1}")
        link = pinocchio.Inertia(chain.MASS, centre, inertia)
        made.appendBodyToJoint(joint, link, pinocchio.SE3.Identity())
    return made, made.createData()
