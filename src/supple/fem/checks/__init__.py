"""Checks of components that users bring: mass, rigid motions, frequencies, shapes of elements.

`sp.fem.check` examines a component before it is used, and says in sentences what is wrong. It
imports `base`, `solids` and `refinement`.
"""
