"""Steps over singular positions."""
