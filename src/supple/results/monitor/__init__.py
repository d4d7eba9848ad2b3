"""The validity monitor: lists of checks for each kind of body, the walk over them, the verdict.

`floating_frame`, `segments` and `nodal_vectors` say what is checked of a body with modes, of parts,
and over nodal vectors; `monitor` makes the findings, block by block in long runs.
"""
