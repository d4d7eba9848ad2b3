"""Foundation of the whole package.

Errors, validators, poses, frames, units, files written whole, serialization, progress, reports.
"""
