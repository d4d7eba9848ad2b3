"""Elements over nodal vectors (ANCF).

Beams, cables, plates, shells and solids as tables, their strain and forces.
"""
