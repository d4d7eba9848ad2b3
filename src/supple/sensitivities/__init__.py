"""Derivatives of what a run gives with respect to numbers of its model, and what is built on them."""
