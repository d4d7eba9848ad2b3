"""What bodies share: rigid bodies, shapes, axes, reduced and flexible bodies, refinement."""
