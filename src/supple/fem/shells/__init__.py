"""Shells of flat triangles: bending by DKT, stretching by OPT, plates, stress at points.

It imports `base`.
"""
