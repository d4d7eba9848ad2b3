"""What Pinocchio and MuJoCo say about robots in random states, and what Supple says.

``python tests/oracles/robot_references.py`` computes the robots of examples/robots again with
Pinocchio (URDF) and MuJoCo (MJCF) and writes tests/data/robots.json. Joints are those of the file;
coordinates, velocities and forces of ball and free joints are in Supple's order and axes:
quaternion (w, x, y, z), then position; angular, then linear velocity in the axes of the child.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import supple as sp
from supple.formulations.trees import JointCoordinates

ROBOTS = Path(__file__).resolve().parents[2] / "examples" / "robots"
STORED = Path(__file__).parents[1] / "data" / "robots.json"
STATES = 3
OPTIONS: dict[str, dict[str, Any]] = {
    "arm.urdf": {},
    "scara.urdf": {},
    "gripper.urdf": {},
    "five_bar.urdf": {"close": {"hand": ("left_tip", "right_tip", "revolute", "y")}},
    "quadruped.urdf": {"base": "floating"},
    "walker.xml": {},
    "delta.xml": {},
}


def references(path: Path, base: str = "fixed", states: int = STATES) -> dict[str, Any]:
    """Random states of a robot, and what the other program says about them."""
    make = _pinocchio if path.suffix == ".urdf" else _mujoco
    return make(path, base == "floating", states, seed=1)


def _pinocchio(path: Path, floating: bool, states: int, seed: int) -> dict[str, Any]:
    import pinocchio as pin

    root = (pin.JointModelFreeFlyer(), "base") if floating else ()
    model = pin.buildModelFromUrdf(str(path), *root)
    data = model.createData()
    joints = [(n, model.joints[k]) for k, n in enumerate(model.names) if k > 0]
    # velocities of a free joint are linear, then angular
    order = np.concatenate(
        [
            j.idx_v + (np.array([3, 4, 5, 0, 1, 2]) if j.nv == 6 else np.arange(j.nv))
            for _, j in joints
        ]
    )
    random, found = np.random.default_rng(seed), []
    for _ in range(states):
        q, mine = pin.neutral(model), {}
        for name, joint in joints:
            if joint.nv == 6:
                turn, p = random.normal(size=4), random.uniform(-1, 1, 3)
                turn /= np.linalg.norm(turn)
                q[joint.idx_q : joint.idx_q + 7] = [*p, *turn[1:], turn[0]]
                mine[name] = [*turn, *p]
            else:
                x = random.uniform(-2.0, 2.0)
                q[joint.idx_q : joint.idx_q + joint.nq] = (
                    x if joint.nq == 1 else (np.cos(x), np.sin(x))
                )
                mine[name] = [x]
        v, a = random.uniform(-2.0, 2.0, (2, model.nv))
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        zero = np.zeros(model.nv)
        found.append(
            {
                "coordinates": mine,
                "rates": v[order],
                "accelerations": a[order],
                "mass_matrix": M[np.ix_(order, order)],
                "gravity": pin.rnea(model, data, q, zero, zero)[order],
                "bias": pin.nonLinearEffects(model, data, q, v)[order],
                "inverse": pin.rnea(model, data, q, v, a)[order],
                "places": _places(pin, model, data, q),
            }
        )
    return {"program": f"Pinocchio {pin.__version__}", "states": found}


def _places(pin: Any, model: Any, data: Any, q: Any) -> dict[str, Any]:
    """Rotation and place of all links in the world, (3, 4)."""
    pin.framesForwardKinematics(model, data, q)
    links = [
        (f.name, data.oMf[k]) for k, f in enumerate(model.frames) if f.type == pin.FrameType.BODY
    ]
    return {name: np.column_stack([pose.rotation, pose.translation]) for name, pose in links}


def _mujoco(path: Path, floating: bool, states: int, seed: int) -> dict[str, Any]:
    import mujoco

    del floating
    model = mujoco.MjModel.from_xml_path(str(path))
    for flag in ("CONSTRAINT", "CONTACT"):
        model.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}")
    data = mujoco.MjData(model)
    random, found = np.random.default_rng(seed), []
    for _ in range(states):
        q, mine = np.array(model.qpos0), {}
        for k in range(model.njnt):
            name = mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, k)
            first, ball = model.jnt_qposadr[k], model.jnt_type[k] == mujoco.mjtJoint.mjJNT_BALL
            x = random.normal(size=4) if ball else random.uniform(-2.0, 2.0, 1)
            x = x / np.linalg.norm(x) if ball else x
            q[first : first + len(x)] = x
            mine[name] = list(x)
        v, a = random.uniform(-2.0, 2.0, (2, model.nv))

        def inverse(v: Any, a: Any, q: Any = q) -> tuple[Any, Any]:
            data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
            mujoco.mj_inverse(model, data)
            return np.array(data.qfrc_inverse), np.array(data.qfrc_bias)

        whole, bias = inverse(v, a)
        _, gravity = inverse(0 * v, 0 * a)
        M = _mass_matrix(mujoco, model, data)
        found.append(
            {
                "coordinates": mine,
                "rates": v,
                "accelerations": a,
                "mass_matrix": M,
                "gravity": gravity,
                "bias": bias,
                "inverse": whole,
            }
        )
    released = _released(mujoco, path)
    return {"program": f"MuJoCo {mujoco.__version__}", "states": found, "released": released}


def _mass_matrix(mujoco: Any, model: Any, data: Any) -> Any:
    """The whole mass matrix (nv, nv); MuJoCo 4 takes the data in the place of its sparse matrix."""
    M = np.zeros((model.nv, model.nv))
    if hasattr(data, "qM"):
        mujoco.mj_fullM(model, M, data.qM)
    else:
        mujoco.mj_fullM(model, data, M)
    return M


def _released(mujoco: Any, path: Path) -> dict[str, Any]:
    """Accelerations where the file begins, at rest, with its equalities as exact constraints."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    equal = data.efc_type == mujoco.mjtConstraint.mjCNSTR_EQUALITY
    G = data.efc_J.reshape(-1, model.nv)[equal]
    n, rows = model.nv, len(G)
    whole = np.zeros((n + rows, n + rows))
    whole[:n, :n], whole[n:, :n], whole[:n, n:] = _mass_matrix(mujoco, model, data), G, G.T
    force = np.append(data.qfrc_passive - data.qfrc_bias, np.zeros(rows))
    a = np.linalg.lstsq(whole, force, rcond=None)[0][:n]
    first = {
        mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, k): model.jnt_dofadr[k]
        for k in range(model.njnt)
    }
    ends = [*list(first.values())[1:], n]
    return {name: a[i:j] for (name, i), j in zip(first.items(), ends, strict=True)}


def ours(file: sp.files.RobotFile, state: dict[str, Any], passive: bool) -> dict[str, Any]:
    """The same of Supple; ``passive``: with springs and damping in the inverse dynamics."""
    bare = _without(file.model, (sp.Motor,))
    moved = _without(file.model, (sp.Motor, sp.JointSpring, sp.JointFriction)) if passive else bare
    full, only = (JointCoordinates().equations(m) for m in (moved, bare))
    q, u, a, own = full.q0, full.u0, 0.0 * full.u0, []
    records = full.compiled.joints
    velocities = iter(zip(state["rates"], state["accelerations"], strict=True))
    for name, given in state["coordinates"].items():
        joint, k = file.joints[name]
        record = records[joint]
        several = record.u.stop - record.u.start if len(given) > 1 else 1
        q[record.q.start + k : record.q.start + k + len(given)] = given
        for place in range(record.u.start + k, record.u.start + k + several):
            u[place], a[place] = next(velocities)
            own.append(place)
    own, zero = np.array(own), 0.0 * u
    return {
        "mass_matrix": only.mass_matrix(q)[np.ix_(own, own)],
        "gravity": only.residual(0.0, q, zero, zero)[own],
        "bias": only.residual(0.0, q, u, zero)[own],
        "inverse": full.residual(0.0, q, u, a)[own],
    }


def assert_same(file: sp.files.RobotFile, reference: dict[str, Any], tolerance: float) -> None:
    """All numbers agree, in units in which each velocity has the same energy."""
    for state in reference["states"]:
        found = ours(file, state, passive=reference["program"].startswith("MuJoCo"))
        M = np.array(state["mass_matrix"])
        unit = np.sqrt(np.diag(M))
        np.testing.assert_allclose(
            found["mass_matrix"] / np.outer(unit, unit), M / np.outer(unit, unit), 0.0, tolerance
        )
        for what in ("gravity", "bias", "inverse"):
            expected = np.array(state[what]) / unit
            scale = np.abs(np.array(state["inverse"]) / unit).max()
            np.testing.assert_allclose(
                found[what] / unit, expected, 0.0, tolerance * scale, err_msg=what
            )


def _without(model: sp.Model, kept: tuple[type, ...]) -> sp.Model:
    """A model with forces of these kinds only; friction that is left is viscous."""
    model = model.copy()
    for name, force in list(model.forces.items()):
        if not isinstance(force, kept):
            model.remove(name)
        elif isinstance(force, sp.JointFriction):
            model.replace(name, coulomb=0.0, static=0.0)
    return model


if __name__ == "__main__":
    content = {
        name: references(ROBOTS / name, given.get("base", "fixed"))
        for name, given in OPTIONS.items()
    }
    plain = json.dumps(content, default=lambda x: x.tolist() if hasattr(x, "tolist") else x)
    STORED.write_text(plain + "\n")
