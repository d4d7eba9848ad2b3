"""Equilibria: searches, steady rotation, paths while loads grow."""
