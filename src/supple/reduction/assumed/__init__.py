"""Assumed shapes along a beam: functions, their integrals, section forces."""
