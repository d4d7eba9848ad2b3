"""Regulators and estimators from linear models."""
