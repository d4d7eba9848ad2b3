"""Checks of flexible bodies: quantities of a run, their limits, and the sentences beyond them.

`deformation` has rotation, strain, deflection, spin, loads and lateral buckling, `sections` shear
and warping, `reduced_bodies` modes, meshes and damping. Each makes a `Check` of numbers from
`supple.results.flexibility`.
"""
