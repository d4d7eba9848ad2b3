"""Views of a result by name: bodies, joints, forces, sections, stress."""
