"""Checks of flexible bodies: quantities of a run, their limits, and the sentences beyond them.

`deformation` has rotation, strain, deflection, spin, loads, lateral buckling, shear and warping,
`reduced_bodies` modes, meshes and damping. Each makes a `Check` of numbers from
`supple.results.flexibility`.
"""
