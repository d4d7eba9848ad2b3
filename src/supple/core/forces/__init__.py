"""Force elements and constraint rows.

Laws, signals, loads, ropes, controllers, with their tangents.
"""
