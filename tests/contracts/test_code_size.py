"""Sizes of files and of kernels: a file holds one idea, a kernel is read at a glance."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import supple

SOURCES = Path(supple.__file__).parent
LONGEST_FILE = 600  # lines
LONGEST_KERNEL = 90


def name(path: Path) -> str:
    """Its path within the package."""
    return path.relative_to(SOURCES).as_posix()


@pytest.mark.parametrize("path", sorted(SOURCES.rglob("*.py")), ids=name)
def test_files_are_short(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    assert lines <= LONGEST_FILE


@pytest.mark.parametrize("path", sorted((SOURCES / "core").rglob("*.py")), ids=name)
def test_kernels_are_short(path: Path) -> None:
    functions = [f for f in ast.walk(ast.parse(path.read_text())) if isinstance(f, ast.FunctionDef)]
    lengths = {f.name: f.end_lineno - f.lineno + 1 for f in functions}
    long = {f for f, lines in lengths.items() if lines > LONGEST_KERNEL}
    assert not long
