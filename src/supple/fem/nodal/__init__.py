"""Elements over nodal vectors (ANCF) as data: strains that are sums of products of nodal vectors.

Beams, cables, plates, shells and solids are tables for one kernel; `ancf_forces` evaluates them in
plain NumPy for tests and recovery. It is the highest folder of fem.
"""
