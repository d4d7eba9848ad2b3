"""Beams in a floating frame, whole or cut into segments: mesh, response, recovery, drawing."""
