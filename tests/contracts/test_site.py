"""The documentation site: it builds without a warning, needs no network, has every public name."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import supple
from supple.foundation.public_names import paths

ROOT = Path(__file__).resolve().parents[2]
SOURCE = re.compile(r'<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)="?([^" >]+)')
ANCHOR = re.compile(r'<h[1-6] id="?([^" >]+)')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    folder = tmp_path_factory.mktemp("site")
    # A warning ends it: links and anchors that lead nowhere, pages that are not in the navigation.
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    return folder


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 80
    for page in pages:
        sources = SOURCE.findall(page.read_text(encoding="utf-8"))
        assert len(sources) > 3  # style, search: the pattern still finds them
        assert not [s for s in sources if "//" in s], page.name
    for style in site.rglob("*.css"):
        assert not re.search(r"url\(\"?https?:|@import", style.read_text(encoding="utf-8"))


def test_the_reference_has_every_public_name(site: Path) -> None:
    found = [
        anchor
        for page in (site / "reference").glob("*.html")
        for anchor in ANCHOR.findall(page.read_text(encoding="utf-8"))
    ]
    exported = {f"cases.{n}" for n in supple.cases.__all__} | set(paths().values())
    assert not {name for name in exported if found.count(name) != 1}


def test_the_film_is_small() -> None:
    assert (ROOT / "docs" / "images" / "demo.gif").stat().st_size < 500_000


def test_a_search_finds_pages_in_a_folder(site: Path) -> None:
    """The index is a script: pages that are opened from a folder may load no other files."""
    text = (site / "search" / "search_index.js").read_text(encoding="utf-8")
    documents = json.loads(text.removeprefix("var __index = "))["docs"]
    places = {d["location"].partition("#")[0] for d in documents}
    assert {"how-to/beams.html", "theory.html", "reference/bodies.html"} <= places
    assert (site / "javascripts" / "iframe-worker.js").is_file()
