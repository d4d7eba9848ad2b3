"""Force elements, signals and constraint rows, with their tangents.

One file for each kind of element; `forces` walks over them, `constraint_rows` has all rows. It
imports `bodies` and `base`.
"""
