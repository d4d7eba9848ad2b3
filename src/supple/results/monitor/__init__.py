"""The validity monitor: lists of checks for each kind of body, the walk over them, the verdict.

`segments` and `nodal_vectors` say what is checked of a body of parts, and over nodal vectors;
`monitor` what is checked of a body with modes, and makes the findings, block by block in long runs.
"""
