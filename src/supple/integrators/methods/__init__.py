"""The methods and their options: Radau, generalized alpha, Dormand-Prince, SUNDIALS.

`base` is what all have, `image` a run as one block of bytes for C programs. It imports `run`.
"""
