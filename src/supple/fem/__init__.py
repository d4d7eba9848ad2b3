"""Finite elements: sections, materials and meshes, which give mass, stiffness and shapes.

`base` has components, materials and inertia integrals, `sections`, `beams`, `shells` and `solids`
the elements, `nodal` elements over nodal vectors, `ties` interfaces, `recovery` stress and strain,
`refinement` finer meshes, `files` other programs, `checks` examinations, `drawn` surfaces for
pictures. It knows no bodies and no frames of reference, and imports signals and foundation.
"""

from supple.foundation.public_names import namespace

__all__, __getattr__, __dir__ = namespace(__name__)
