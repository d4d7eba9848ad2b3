"""Flexible bodies under the loads of a run: numbers that checks compare with limits.

Deformation, deflections that are left out, effects of stress on stiffness, lateral buckling,
supports. It imports `views` and `data`; limits and sentences are in `checks`.
"""
