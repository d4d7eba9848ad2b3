"""Analyses besides runs in time: equilibria, driven motion, efforts for a motion, small motion."""
