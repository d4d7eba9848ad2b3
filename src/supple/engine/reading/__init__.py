"""Readings of a compiled model beside a run: loads, impulses, rows, symmetries, phases.

Efforts and wrenches are found when somebody asks for them. It imports the rest of the engine.
"""
