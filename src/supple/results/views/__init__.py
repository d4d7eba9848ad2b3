"""Views of a result by name: bodies, joints, forces, constraints, sections, stress.

`result["arm"]` is a view; histories are computed when they are asked for. It imports `data`.
"""
