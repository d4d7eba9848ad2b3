"""Robot files: models of URDF and MJCF.

Both are read to one description of links, motions and loops, and built into a model; links may be
replaced by flexible ones. It imports `modelfiles` for units and words.
"""

ENDINGS = (".urdf", ".xml", ".mjcf")  # of robot files
