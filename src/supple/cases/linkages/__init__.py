"""Mechanisms with closed loops, ropes and panels.

Andrews, Bennett, Bricard, Jonker, Richard and others.
"""
