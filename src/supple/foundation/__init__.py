"""Foundation of the whole package: errors, fields, frames, poses, units, files, progress.

Sentences of errors, checks of arguments, fields declared once, places on bodies, files written
whole or not at all, public names loaded when they are used. It imports numpy and the standard
library, and nothing of the package.
"""
