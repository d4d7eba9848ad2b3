"""Every Python block of the documentation runs, page by page, in the order of the page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


def blocks(page: Path) -> list[tuple[int, str]]:
    """Line before each block, and its code."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, f.start(1)), f.group(1)) for f in FENCE.finditer(text)]


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: p.stem)
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)  # files that a page writes go here
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace: dict[str, object] = {"__name__": page.stem}
    for line, code in blocks(page):
        # Empty lines in front make tracebacks point to the line of the page.
        exec(compile("\n" * line + code, str(page), "exec"), namespace)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_links_lead_somewhere(page: Path) -> None:
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    missing = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert not missing


def test_the_pages_have_code() -> None:
    """A change of the fences must not silently empty the test above."""
    names = {p.stem for p in PAGES if blocks(p)}
    assert {"README", "howto"} <= names
