"""Buckling, stability over a parameter, stiffness of frames, modes over a speed."""
