"""Docstrings as Markdown: sections of arguments become lists, known names become links."""

from __future__ import annotations

import re
from collections.abc import Mapping

UNDERLINE = re.compile(r"^-{3,}$")
ENTRY = re.compile(r"^(\S[^:]*?) : (.*)$")
SPECIAL = re.compile(r"([*\[\]])")
CODE = re.compile(r"(``.+?``|`[^`]+`)")


def markdown(text: str, addresses: Mapping[str, str]) -> str:
    """A docstring (without its indentation) as Markdown.

    ``addresses`` are pages and anchors of names that become links.
    """
    lines = text.expandtabs().strip("\n").splitlines()
    made: list[str] = []
    listing = False
    for k, line in enumerate(lines):
        following = lines[k + 1] if k + 1 < len(lines) else ""
        if UNDERLINE.match(following) and line.strip():
            made += ["", f"**{line.strip()}**", ""]
            listing = True
        elif UNDERLINE.match(line):
            continue
        elif listing and line and line[0] != " ":
            entry = ENTRY.match(line)
            if entry is None and not _has_more(lines, k):
                listing = False
                made += ["", _prose(line, addresses)]
                continue
            name, what = (entry.group(1), entry.group(2)) if entry else (line, "")
            made.append(f"- **`{name}`** {_prose(what, addresses)}".rstrip())
        elif listing:
            made.append(f"    {_prose(line.strip(), addresses)}" if line.strip() else "")
        elif line.startswith("    "):  # an equation or a table of words
            if made and made[-1] and not made[-1].startswith("    "):
                made.append("")
            made.append(line)
        else:
            if made and made[-1].startswith("    "):
                made.append("")
            made.append(_prose(line, addresses))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(made)).strip("\n")


def _has_more(lines: list[str], k: int) -> bool:
    """Whether a line of a section names an argument: what it is follows, indented."""
    return k + 1 < len(lines) and lines[k + 1].startswith("    ")


def _prose(line: str, addresses: Mapping[str, str]) -> str:
    """A line of text: names in backquotes linked, the rest safe from Markdown."""
    parts = CODE.split(line)
    return "".join(
        _name(part, addresses) if k % 2 else SPECIAL.sub(r"\\\1", part.replace("<", "&lt;"))
        for k, part in enumerate(parts)
    )


def _name(code: str, addresses: Mapping[str, str]) -> str:
    name = code.strip("`").removeprefix("supple.").removesuffix("()")
    owner = name.rpartition(".")[2]
    place = addresses.get(name) or addresses.get(owner)
    return f"[{code}]({place})" if place else code
