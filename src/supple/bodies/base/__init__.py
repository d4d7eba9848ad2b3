"""Shared by bodies: rigid bodies, shapes, axes, reduced and flexible bodies, refinement."""
