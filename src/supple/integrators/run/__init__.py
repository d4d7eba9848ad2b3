"""The driver of compiled step loops.

Events, output rows, checkpoints, sampling, progress, diagnosis of slow or endless runs.
"""
