"""Reactions: the smallest of those that are not unique, states of self-stress."""
