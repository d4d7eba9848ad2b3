"""Values read from a compiled model beside a run.

Loads, impulses, values of rows, symmetries, phases, neighbours.
"""
