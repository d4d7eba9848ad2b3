"""Components, materials, damping and inertia integrals, which all meshes share.

Also components given by matrices, groups of nodes, kinds of solid elements, modes of large
components and linear buckling. It imports no other folder of fem.
"""
