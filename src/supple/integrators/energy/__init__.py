"""Options and tables of the energy scheme."""
