"""Commands of ``supple`` beside those of ``cli.py``, one file each.

What is heavy is imported inside of the functions, so that ``supple --help`` answers at once.
"""
