"""What the whole package stands on.

Errors, validators, poses, frames, units, files written whole, serialization, progress, reports.
"""
