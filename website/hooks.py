"""Hooks of mkdocs: pages that are made when the site is built, its navigation, links and anchors.

The pages in docs/ are written for readers of the repository: they link to files outside docs/ and
to anchors as GitHub makes them. Here these files become pages, and links are turned to them.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

import interface
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
# Files of the repository that are pages of the site.
PROJECT = {
    "README.md": "project/readme.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changes.md",
    "LICENSE": "project/license.md",
    "benchmarks/README.md": "project/benchmarks.md",
}


def pages_of(folder: str, pattern: str) -> dict[str, str]:
    """Pages of the files in a folder of the repository."""
    return {f"{folder}/{p.name}": f"{folder}/{p.stem}.md" for p in (ROOT / folder).glob(pattern)}


SCRIPTS = pages_of("examples", "*.py")
GALLERY = pages_of("examples/gallery", "*.py")
MODELS = pages_of("examples/models", "*.yaml")
PLACES = {**PROJECT, **SCRIPTS, **GALLERY, **MODELS}
SOURCES = {page: source for source, page in PLACES.items()}

FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]*)(#[^)\s]+)?\)")
SECTION = re.compile(r"^## +(.*?) *$")
ENTRY = re.compile(r"^- \[([^]]*)\]\(([^)#\s]+\.md)\)")


def on_config(config: Any) -> Any:
    """Anchors as GitHub makes them, and the navigation."""
    config.mdx_configs.setdefault("toc", {})["slugify"] = anchor
    config.nav = navigation()
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add files of the repository and the reference of the interface."""
    for source, page in PLACES.items():
        files.append(File.generated(config, page, content=as_page(source)))
    for page, content in interface.pages().items():
        files.append(File.generated(config, page, content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn links to files of the repository into links to their pages."""
    here = page.file.src_uri
    if here.startswith("reference/"):
        return markdown
    source = SOURCES.get(here, f"docs/{here}")
    parts = FENCE.split(markdown)
    return "".join(
        part if k % 2 else LINK.sub(lambda found: turned(found, source, here), part)
        for k, part in enumerate(parts)
    )


def turned(link: re.Match[str], source: str, here: str) -> str:
    """A link of a file of the repository as one of its page on the site."""
    target, place = link.group(1), link.group(2) or ""
    if not target or "://" in target:
        return link.group(0)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    page = PLACES.get(path, path.removeprefix("docs/"))
    return f"]({posixpath.relpath(page, posixpath.dirname(here) or '.')}{place})"


def as_page(source: str) -> str:
    """A file of the repository as a page; sources are not among what a search finds."""
    text = (ROOT / source).read_text(encoding="utf-8")
    if source.endswith(".md"):
        return text
    if source == "LICENSE":
        return f"# License\n\n```text\n{text}```\n"
    language = "python" if source.endswith(".py") else "yaml"
    head = "---\nsearch: {exclude: true}\n---\n\n"
    return f"{head}# {Path(source).name}\n\n```{language}\n{text}```\n"


def anchor(heading: str, separator: str = "-") -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", separator)


def sections(index: str) -> list[dict[str, list[dict[str, str]]]]:
    """Sections and pages of an index in docs/, in the order in which it lists them."""
    found: list[dict[str, list[dict[str, str]]]] = []
    for line in (ROOT / "docs" / index).read_text(encoding="utf-8").splitlines():
        if title := SECTION.match(line):
            found.append({title.group(1): []})
        elif (entry := ENTRY.match(line)) and found:
            page = posixpath.normpath(posixpath.join(posixpath.dirname(index), entry.group(2)))
            next(iter(found[-1].values())).append({entry.group(1): page})
    return [section for section in found if next(iter(section.values()))]


def navigation() -> list[Any]:
    """The pages of the site; those of a folder with an index are as it lists them."""
    tabs: dict[str, list[Any]] = {
        "Start": ["index.md", {"Tutorial": "tutorial.md"}, {"README": PLACES["README.md"]}],
        "Gallery": [
            "gallery/index.md",
            {"Scripts of the gallery": _named(GALLERY)},
            {"Examples": _named(SCRIPTS)},
            {"Model files": _named(MODELS)},
        ],
        "How to": ["how-to/index.md", *sections("how-to/index.md")],
        "Theory": [
            {"Equations": "theory.md"},
            {"Integrators": "integrators.md"},
            {"Notation": "notation.md"},
            {"The thesis examined": "thesis.md"},
        ],
        "Reference": interface.contents(),
        "Project": [
            {"Design": "design.md"},
            {"Why it is built so": "decisions.md"},
            {"Contributing": PLACES["CONTRIBUTING.md"]},
            {"Measurements": PLACES["benchmarks/README.md"]},
            {"Changes": PLACES["CHANGELOG.md"]},
            {"License": PLACES["LICENSE"]},
        ],
    }
    every = (p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md"))
    tabs["Project"] += sorted(set(every) - set(listed(list(tabs.values()))))
    return [{title: entries} for title, entries in tabs.items()]


def _named(places: dict[str, str]) -> list[dict[str, str]]:
    return [{Path(page).stem: page} for page in sorted(places.values())]


def listed(entries: Any) -> list[str]:
    """All pages in a part of the navigation."""
    if isinstance(entries, str):
        return [entries]
    inner = entries.values() if isinstance(entries, dict) else entries
    return [page for entry in inner for page in listed(entry)]
