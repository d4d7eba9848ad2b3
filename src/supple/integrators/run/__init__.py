"""The driver of compiled step loops: buffers, stops, events, progress, ends.

Sampled controllers, checkpoints, Ctrl-C, output in memory or in a file, and the sentence about how
a run ended. It imports `passage`.
"""
