"""Public names are documented, the version is the source's, workflows know all Pythons."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import supple
from supple.foundation import public_names

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_all_is_sorted_out() -> None:
    assert len(set(supple.__all__)) == len(supple.__all__)
    assert set(supple.__all__) <= set(dir(supple))


def test_namespaces_are_complete_and_not_crowded() -> None:
    """A name is in one namespace only; some 160 names at the top can be completed by tab."""
    spaces = [public_names.listed(room) for room in public_names.LISTED]
    assert sum(map(len, spaces)) == len(set().union(*spaces))
    assert len(supple.__all__) < 175
    for room in public_names.LISTED[1:]:
        space = getattr(supple, room)
        assert space.__all__ == sorted(public_names.listed(room))
        assert set(space.__all__) <= set(dir(space))
        with pytest.raises(AttributeError, match="no_such_thing"):
            space.no_such_thing  # noqa: B018


@pytest.mark.parametrize("name", sorted(public_names.paths()))
def test_public_name_is_documented(name: str) -> None:
    value = public_names.value(name)
    assert (value.__doc__ or "").strip(), f"{name} has no docstring"
    assert value.__name__ == name


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_thing"):
        supple.no_such_thing  # noqa: B018


@pytest.mark.parametrize(
    ("written", "meant"),
    [("CraigBampton", "supple.reduction.CraigBampton"), ("simulte", "supple.simulate")],
)
def test_unknown_names_hint_at_known_ones(written: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{written}', did you mean {meant}$"):
        getattr(supple, written)


def test_version_is_the_installed_one() -> None:
    try:
        installed = version("supple")
    except PackageNotFoundError:  # run from a source tree with PYTHONPATH
        installed = supple.__version__
    assert installed == supple.__version__


def _steps(workflow: Any) -> list[Any]:
    return [step for job in workflow["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.stem for path in WORKFLOWS])
def test_workflows_have_few_rights_and_fixed_actions(path: Path) -> None:
    """An action is a commit, not a name that can be given to another one."""
    workflow = YAML(typ="safe").load(path)
    assert workflow["permissions"] == {"contents": "read"}
    uses = [step["uses"] for step in _steps(workflow) if "uses" in step]
    assert uses and all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action) for action in uses)
    for name, job in workflow["jobs"].items():
        more = {"id-token": "write"} if name == "publish" else None
        assert job.get("permissions") == more


def test_every_python_is_tested_and_gets_a_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    named = [c.rpartition(" ")[2] for c in project["project"]["classifiers"]]
    pythons = [name for name in named if name.startswith("3.")]
    assert project["project"]["requires-python"] == f">={pythons[0]}"
    wanted = [f"cp{name.replace('.', '')}-*" for name in pythons]
    assert project["tool"]["cibuildwheel"]["build"] == wanted
    tests = YAML(typ="safe").load(ROOT / ".github" / "workflows" / "test.yml")
    assert tests["jobs"]["tests"]["strategy"]["matrix"]["python"] == pythons
