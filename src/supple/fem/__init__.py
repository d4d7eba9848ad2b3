"""Finite elements: sections, materials and meshes, which give mass, stiffness and shapes."""

from supple.foundation.public_names import namespace

__all__, __getattr__, __dir__ = namespace(__name__)
