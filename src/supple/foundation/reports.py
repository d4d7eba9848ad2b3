"""Reports of a title and rows: as text for terminals, as a table for notebooks."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colours of what is good, doubtful, bad, or not judged.
GRADES = {"good": "#2a9d62", "doubtful": "#b9770e", "bad": "#c8382f", "plain": "#77818b"}
CELL = "text-align:left;padding:1px 12px 1px 0;vertical-align:top"
DOTS = 80  # in an inch of a picture


class Report(NamedTuple):
    """A title, its grade ("good", "doubtful", "bad" or "plain"), and rows of texts.

    ``header`` has the titles of the columns, if they have some.
    """

    title: str
    rows: Sequence[tuple[str, ...]] = ()
    grade: str = "plain"
    header: tuple[str, ...] = ()

    def text(self, width: int) -> str:
        """Lines of a word, ``width`` wide, and a sentence."""
        return "\n".join([self.title, *(f"  {word:<{width}} {told}" for word, told in self.rows)])

    def columns(self) -> str:
        """Lines of all cells, each column as wide as its widest one."""
        widths = [max(map(len, cells)) for cells in zip(*self.rows, strict=True)][:-1]
        lines = []
        for *cells, last in self.rows:
            told = (f"{cell:<{width}}  " for cell, width in zip(cells, widths, strict=True))
            lines.append(f"  {''.join(told)}{last}")
        return "\n".join([self.title, *lines])

    def html(self, picture: Figure | None = None) -> str:
        """A table; names of any characters are shown as text."""
        dot = f'<span style="color:{GRADES[self.grade]}">&#9679;</span> '
        parts = [f"<div><p>{dot}<b>{html.escape(self.title)}</b></p>"]
        if self.rows:
            head = "".join(f'<th style="{CELL}">{html.escape(c)}</th>' for c in self.header)
            rows = [f"<tr>{head}</tr>"] if head else []
            rows += [
                "<tr>"
                + "".join(f'<td style="{CELL}">{html.escape(cell)}</td>' for cell in row)
                + "</tr>"
                for row in self.rows
            ]
            parts.append(f"<table>{''.join(rows)}</table>")
        if picture is not None:
            buffer = io.BytesIO()
            picture.savefig(buffer, format="png", dpi=DOTS)
            data = base64.b64encode(buffer.getvalue()).decode()
            parts.append(f'<img alt="" src="data:image/png;base64,{data}">')
        return "".join([*parts, "</div>"])
