"""The examples run, end well, are trusted, and draw their picture."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))


def load(path: Path):
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = load(path)
    result = module.main(tmp_path / "pictures")
    assert result.success
    assert result.energy.level == "trusted"
    assert result.momentum.level == "trusted"
    assert result.energy.verdict in capsys.readouterr().out
    png = (tmp_path / "pictures" / f"{path.stem}.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    assert width >= 1000 and height >= 600
    assert module.__doc__ and f"examples/{path.name}" in module.__doc__


def test_there_are_examples() -> None:
    assert {p.stem for p in EXAMPLES} >= {"controlled_arm", "marionette", "tumbling_body"}


def test_the_arm_stops_where_it_should(tmp_path: Path) -> None:
    result = load(FOLDER / "controlled_arm.py").main(tmp_path)
    assert [e.name for e in result.events] == ["put down"]
    assert result["load"].position[-1, 2] == pytest.approx(0.15, abs=1e-12)


def test_the_book_flips_in_time(tmp_path: Path) -> None:
    module = load(FOLDER / "tumbling_body.py")
    result = module.main(tmp_path)
    between = np.diff([e.t for e in result.events])
    assert len(between) >= 2
    # The tolerance of a step, 1e-10, times some hundred steps.
    np.testing.assert_allclose(between, module.exact_interval(), rtol=0, atol=1e-8)


def test_the_cords_only_pull(tmp_path: Path) -> None:
    module = load(FOLDER / "marionette.py")
    result = module.main(tmp_path)
    cords = [name for name in result.forces if name.endswith("cord")]
    assert len(cords) == 5
    assert min(module.cord_tension(result, name).min() for name in cords) > 0.0
