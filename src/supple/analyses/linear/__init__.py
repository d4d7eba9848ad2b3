"""Small motion about a state: `linearize`, state space, frequency response.

Independent coordinates are chosen, matrices of small motion made in them, ports are where the model
is pushed and what of it is seen; errors of stiffness and slow responses by few modes are told.
Linear models and modes themselves are in `supple.analyses.modes`, below.
"""
