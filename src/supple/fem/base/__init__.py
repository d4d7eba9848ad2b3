"""What all meshes share.

Materials, damping, components, inertia, vibration, buckling, checks, kinds of cells.
"""
