"""What loads do to flexible bodies in a run.

Deformation, what modes leave out, geometric stiffness, stretch, shear.
"""
