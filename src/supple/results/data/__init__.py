"""Arrays of a run in engine order, the audit of energy and momentum, findings.

It is the lowest folder of results.
"""
