"""Environments of Gymnasium: its own checks, episodes that repeat, ends and failures."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import supple as sp

pytest.importorskip("gymnasium")

from supple.gym import Environment


def cart() -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81), name="cart")
    base = m.add(sp.RigidBody("cart", 1.0, (0, 0, 0), 0.01))
    pole = m.add(sp.RigidBody("pole", 0.2, (0, 0, 0.5), 0.02))
    m.add(sp.Prismatic("rail", m.ground.at(0), base.at(0), axis="x"))
    m.add(sp.Revolute("hinge", base.at(0), pole.at(0), axis="y", initial=0.05))
    return m


def environment(**options) -> Environment:
    given = {
        "reward": lambda outputs, action: 1.0 - float(outputs["hinge.angle"]) ** 2,
        "limits": 10.0,
        "dt": 0.02,
        "t_end": 0.2,
        "ends": lambda outputs: abs(float(outputs["hinge.angle"])) > 0.5,
        "begin": lambda rng, state: state.changed({"hinge": rng.uniform(-0.1, 0.1)}),
    }
    return Environment(cart(), "rail", **{**given, **options})


def episode(env: Environment, seed: int) -> list[np.ndarray]:
    found = [env.reset(seed=seed)[0]]
    rng = np.random.default_rng(seed)
    over = late = False
    while not (over or late):
        seen, reward, over, late, info = env.step(rng.uniform(-1.0, 1.0, 1))
        assert reward == 1.0 - float(seen[2]) ** 2 and info["time"] > 0.0
        found.append(seen)
    return found


def test_gymnasium_accepts_it():
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for text in ("minimum value", "maximum value", "normalized", "no spec", "not compatible"):
            warnings.filterwarnings("ignore", f"(?s).*{text}.*")
        warnings.filterwarnings("ignore", "(?s).*render.*")
        check_env(environment(limits=1.0), skip_render_check=True)


def test_the_example_of_the_page_runs():
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "stepping.md").read_text("utf-8")
    first = page.partition("```python\n")[2].partition("```")[0]
    code = page.partition("```py\n")[2].partition("```")[0]
    names: dict = {}
    exec(f"{first}\n{code}", names)
    assert names["env"].observation_space.contains(names["observation"])


def test_episodes_repeat_and_end():
    env = environment()
    one, other = episode(env, 1), episode(env, 2)
    assert len(one) == 11 and not np.array_equal(one[0], other[0])
    assert [x.tobytes() for x in episode(env, 1)] == [x.tobytes() for x in one]
    env = environment(t_end=5.0)
    over, _ = False, env.reset(seed=3)
    while not over:
        _, _, over, late, _ = env.step([10.0])
        assert over or not late


def test_a_step_that_fails_ends_the_episode():
    def law(t, q, u):
        return 0.0 if t < 0.03 else float("nan")

    m = cart()
    m.add(sp.EffortFunction("law", "hinge", law))
    env = Environment(m, "rail", reward=lambda outputs, action: 0.0, limits=1.0, dt=0.02)
    env.reset(seed=0)
    assert env.step([0.0])[2] is False
    _, _, over, _, info = env.step([0.0])
    assert over and "law" in info["failed"] and info["time"] == 0.02


def test_wrong_environments_are_refused():
    for changes, sentence in (
        ({"limits": 0.0}, "limits is 0.0, expected a positive number, or one for each input"),
        ({"limits": [1.0, 2.0]}, "limits is"),
        ({"reward": 1.0}, "reward is 1.0, expected a function"),
        ({"t_end": -1.0}, "t_end is -1.0"),
        ({"ends": 3}, "ends is 3"),
    ):
        with pytest.raises(sp.ModelError, match=sentence):
            environment(**changes)
    code = "import sys; sys.modules['gymnasium'] = None; import supple.gym"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'supple[gym]'" in found.stderr


def reward(outputs, action):
    return 1.0 - float(outputs["hinge.angle"]) ** 2


@pytest.mark.parametrize("how", ["deepcopy", "pickle"])
def test_copies_go_on_where_the_environment_was(how):
    env = Environment(cart(), "rail", reward=reward, limits=10.0, dt=0.02, t_end=0.2)
    env.reset(seed=4)
    env.step([1.0])
    twin = copy.deepcopy(env) if how == "deepcopy" else pickle.loads(pickle.dumps(env))
    for _ in range(9):
        one, other = env.step([0.5]), twin.step([0.5])
        assert one[0].tobytes() == other[0].tobytes() and one[1:] == other[1:]
    assert one[3]
    assert env.np_random.uniform() == twin.np_random.uniform()
    with pytest.raises(sp.SimulationError, match=r"ended at t = 0.2 s, expected reset\(\)"):
        twin.step([0.5])
    assert twin.reset(seed=4)[0].tobytes() == env.reset(seed=4)[0].tobytes()


def test_calls_out_of_order_and_wrong_functions():
    env = environment()
    with pytest.raises(sp.SimulationError, match=r"no episode was begun yet, expected reset\(\)"):
        env.step([0.0])
    env.reset(seed=0)
    with pytest.raises(sp.SuppleError, match="it draws nothing, expected"):
        env.render()
    for given, sentence in (
        ({"reward": lambda outputs, action: None}, "what reward returns is None"),
        ({"reward": lambda outputs, action: float("nan")}, "what reward returns is nan"),
        ({"reward": lambda outputs, action: [1.0, 2.0]}, "what reward returns is"),
        ({"ends": lambda outputs: None}, "what ends returns is None"),
        ({"ends": lambda outputs: outputs}, "what ends returns is"),
    ):
        env = environment(**given)
        env.reset(seed=0)
        with pytest.raises(sp.ModelError, match=sentence):
            env.step([0.0])
    with pytest.raises(sp.ModelError, match="what begin returns is 3, expected a State"):
        environment(begin=lambda rng, state: 3).reset(seed=0)
    with pytest.raises(sp.ArgumentError, match="there is no argument 'render_mode'"):
        environment(render_mode="human")
    with pytest.raises(sp.ArgumentError, match="action is not given"):
        env.step()
    env = environment(ends=lambda outputs: outputs["hinge.angle"] > 9.0)  # an array of one
    env.reset(seed=0)
    assert env.step([0.0])[2] is False
