"""Equations of motion.

Accelerations by every way of elimination, energies, tangents, histories, Newton's matrix along the
tree.
"""
