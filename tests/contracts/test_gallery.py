"""The gallery: its scripts run and are trusted, its page is that of its scripts."""

from __future__ import annotations

import runpy
import struct
from pathlib import Path

import pytest

import supple as sp

ROOT = Path(__file__).resolve().parents[2]
GALLERY = runpy.run_path(str(ROOT / "website" / "gallery.py"))
NAMES = [name for names in GALLERY["SUBJECTS"].values() for name in names]
PICTURES: Path = GALLERY["PICTURES"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in GALLERY["LONG"] else [])
        for name in NAMES
    ],
)
def test_script(name: str) -> None:
    found = GALLERY["run"](name)
    result = found.get("result")
    if result is not None:
        assert result.success
        assert result.energy.level == result.momentum.level == "trusted"
    picture = GALLERY["png"](found["figure"])
    assert len(picture) < GALLERY["LARGEST"]
    width, height = struct.unpack(">II", picture[16:24])
    assert width >= 400 and height >= 200  # one panel


def test_every_script_is_shown() -> None:
    """Page and pictures are those that `make gallery` writes from the scripts that are there."""
    assert sorted(NAMES) == sorted(p.stem for p in GALLERY["SCRIPTS"].glob("*.py"))
    assert GALLERY["PAGE"].read_text(encoding="utf-8") == GALLERY["page"]()
    sizes = {p.stem: p.stat().st_size for p in PICTURES.glob("*.png")}
    assert sorted(sizes) == sorted(NAMES)
    assert max(sizes.values()) < GALLERY["LARGEST"]
    films = {p.stem: p.stat().st_size for p in PICTURES.glob("*.gif")}
    assert sorted(films) == sorted(GALLERY["FILMS"])
    assert max(films.values()) < GALLERY["LARGEST_FILM"]


def test_every_choice_is_shown() -> None:
    """All formulations and families of integrators."""
    texts = "".join(p.read_text(encoding="utf-8") for p in GALLERY["SCRIPTS"].glob("*.py"))
    formulations = {"Absolute", "Branch", "OrderN", "DeformationModes"}
    integrators = {"DormandPrince", "GeneralizedAlpha", "HHT", "EnergyScheme", "Adams", "BDF"}
    assert all(hasattr(sp, name) for name in formulations | integrators)
    assert not {name for name in formulations | integrators if f"sp.{name}(" not in texts}
