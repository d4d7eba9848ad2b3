"""Beams in a floating frame, whole or cut into segments.

`beam` is what users write; `mesh` its elements, `segmented` the segments of a beam that is cut,
`rest_shape` curved and twisted ones, `second_order` displacements of second order, `recovery`
motion, strain and stress from elastic coordinates, `drawing` its picture. It imports `base`.
"""
