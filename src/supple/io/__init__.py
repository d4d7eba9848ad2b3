"""Models and other programs: model files, robot files, functional mock-up units.

It imports analyses and everything below; `supple.files` has its public names.
"""
