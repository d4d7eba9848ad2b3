"""Graphs of Huang's figures."""

from __future__ import annotations

# Huang1998, figure 2.1: a floating tree 1-2-3-4 with the branch 2-5-6.
FIGURE_BODIES = ["1", "2", "3", "4", "5", "6"]


FIGURE_EDGES = [
    ("12", "1", "2"),
    ("23", "2", "3"),
    ("34", "3", "4"),
    ("25", "2", "5"),
    ("56", "5", "6"),
]
