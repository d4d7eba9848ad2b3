"""Formulations: choices of coordinates over the same bodies, joints and forces.

A formulation chooses the spanning tree, and whether beams are in a floating frame, in segments or
over nodal vectors; `Equations` are those of the compiled model that comes of it. `transformation`
and `placement` build the same in plain NumPy, independently, for tests and teaching. It imports
loops, the engine and the graph.
"""
