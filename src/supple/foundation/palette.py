"""Colours that all plots share."""

from __future__ import annotations

# Eight colours that stay apart for colour-blind readers and in print.
COLOURS = ("#2f6fb0", "#d9822b", "#2a9d74", "#b5477f", "#6a51a3", "#8c6d31", "#17a2b8", "#666666")
INK = "#333333"


def rgb(colour: str) -> list[float]:
    """Red, green and blue of "#rrggbb", each from 0 to 1."""
    return [int(colour[k : k + 2], 16) / 255.0 for k in (1, 3, 5)]
