"""Documentation: Python blocks run, links and anchors resolve, names and files exist."""

from __future__ import annotations

import ast
import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import supple
from supple.cli import app
from supple.foundation.public_names import LISTED

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
PAGES = [ROOT / "README.md", *DOCS]
OTHERS = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", ROOT / "benchmarks" / "README.md"]
TEXTS = [*PAGES, *OTHERS]

FENCE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *$", re.MULTILINE)
# A file or folder of the sources or the repository in monospace: `engine/pack/builder.py`,
# `bodies/`.
SOURCE = re.compile(r"`((?:[a-z_0-9]+/)+(?:[a-z_0-9]+\.py)?|[a-z_0-9]+\.py)`")
SOURCE_IN_CODE = re.compile(r"(?<![\w./])(?:[a-z_0-9]+/)*[a-z_0-9]+\.py\b")


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[tuple[int, str]]:
    """Line before each block, and its code."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, f.start(1)), f.group(1)) for f in FENCE.finditer(text)]


def prose(page: Path) -> str:
    """The page without its code blocks."""
    return ANY_FENCE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Anchors of the headings, as GitHub makes them: a repeated one is numbered."""
    found: list[str] = []
    for heading in HEADING.findall(prose(page)):
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        found.append(re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-"))
    return {a if not (n := found[:i].count(a)) else f"{a}-{n}" for i, a in enumerate(found)}


def links(page: Path) -> list[tuple[Path, str]]:
    """Target and anchor ("" if there is none) of each link to a file of the repository."""
    found = LINK.findall(prose(page))
    return [
        ((page.parent / target).resolve() if target else page, anchor)
        for target, anchor in found
        if "://" not in target
    ]


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=name)
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)  # files that a page writes go here
    monkeypatch.setenv("MPLBACKEND", "Agg")
    namespace: dict[str, object] = {"__name__": page.stem}
    for line, code in blocks(page):
        # Empty lines in front make tracebacks point to the line of the page.
        exec(compile("\n" * line + code, str(page), "exec"), namespace)


@pytest.mark.slow
def test_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands of the page about them, in order; a comment tells an exit code that is not 0."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "how-to" / "command-line.md").read_text(encoding="utf-8")
    lines = [line for found in SHELL.finditer(text) for line in found.group(1).splitlines()]
    assert len(lines) > 20
    for line in lines:
        call, _, code = line.partition("# exit code ")
        done = CliRunner().invoke(app, shlex.split(call)[1:])
        assert done.exit_code == int(code or 0), f"{line}\n{done.output}"


@pytest.mark.parametrize("page", TEXTS, ids=name)
def test_blocks_compile(page: Path) -> None:
    for line, code in blocks(page):
        ast.parse("\n" * line + code, filename=str(page))


@pytest.mark.parametrize("page", TEXTS, ids=name)
def test_names_of_the_package_exist(page: Path) -> None:
    spaces = "|".join(room for room in LISTED if room)
    pattern = rf"\bsp\.((?:(?:{spaces})\.)?[A-Za-z_]\w*)"
    used = set(re.findall(pattern, page.read_text(encoding="utf-8")))
    assert not {name for name in used if not _exists(name)}


def _exists(name: str) -> bool:
    room, _, own = name.rpartition(".")
    return hasattr(getattr(supple, room) if room else supple, own)


@pytest.mark.parametrize("page", TEXTS, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    found = links(page)
    assert not [target for target, _ in found if not target.exists()]
    assert not [(t.name, a) for t, a in found if a and t.suffix == ".md" and a not in anchors(t)]


def test_every_page_is_linked() -> None:
    start = ROOT / "docs" / "index.md"
    reached, waiting = {start}, [start]
    while waiting:
        page = waiting.pop()
        new = {t for t, _ in links(page) if t.suffix == ".md" and t.exists()} - reached
        reached |= new
        waiting += new
    assert not [name(p) for p in DOCS if p not in reached]


def test_every_how_to_is_in_its_list() -> None:
    folder = ROOT / "docs" / "how-to"
    listed = {target for target, _ in links(folder / "index.md")}
    assert not [p.name for p in folder.glob("*.md") if p.name != "index.md" and p not in listed]


@pytest.mark.parametrize("page", TEXTS, ids=name)
def test_sources_that_are_named_exist(page: Path) -> None:
    """Files and folders in monospace are in the sources, beside the page or in the repository."""
    sources = ROOT / "src" / "supple"
    bare = {p.name for p in sources.rglob("*.py")}  # a page may have named the folder before
    named = set(SOURCE.findall(prose(page))) - bare
    assert not {n for n in named if not any((p / n).exists() for p in (sources, ROOT, page.parent))}


def test_sources_that_sources_name_exist() -> None:
    """Files in docstrings and comments, by their path in the package or repository, or by name."""
    sources = ROOT / "src" / "supple"
    bare = {p.name for p in sources.rglob("*.py")}
    missing = {
        (source.relative_to(sources).as_posix(), path)
        for source in sources.rglob("*.py")
        for path in SOURCE_IN_CODE.findall(source.read_text(encoding="utf-8"))
        if path not in bare and not any((p / path).exists() for p in (sources, ROOT))
    }
    assert not missing


def test_recipes_that_docstrings_name_exist() -> None:
    headings = set(HEADING.findall(prose(ROOT / "CONTRIBUTING.md")))
    named = {
        (source.name, recipe)
        for source in (ROOT / "src").rglob("*.py")
        for recipe in re.findall(r'CONTRIBUTING\.md, "([^"]+)"', source.read_text(encoding="utf-8"))
    }
    assert named and not {n for n in named if n[1] not in headings}


def test_the_pages_have_code() -> None:
    """A change of the fences must not silently empty the test above."""
    names = {name(p) for p in PAGES if blocks(p)}
    assert {"README.md", "docs/tutorial.md", "docs/how-to/beams.md"} <= names
