"""Meshes and matrices from files of other programs, and components as files."""
