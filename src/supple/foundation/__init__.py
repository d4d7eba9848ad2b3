"""Foundation of the whole package.

Errors, validators, declared fields, poses, frames, units, files written whole, serialization,
progress, reports.
"""
