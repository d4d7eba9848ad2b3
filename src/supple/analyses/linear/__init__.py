"""Small motion about a state: linearization, state space, frequency response."""
