"""The motion audit.

Growth of errors, creep, unstable states that are followed, motion between output times.
"""
