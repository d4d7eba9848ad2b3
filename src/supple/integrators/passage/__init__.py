"""Steps over singular positions, one long step each.

It is the lowest folder of integrators.
"""
