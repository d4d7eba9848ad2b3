"""Displacements of second order: slaved shapes, shortening, tilting.

A deflected beam comes nearer, and bending with twist moves it aside; a few static shapes with
amplitudes that are quadratic in the elastic coordinates describe it. It imports `modal` and
`problem`.
"""
