"""Derivatives of what a run gives along numbers of its model, and what is built on them."""
