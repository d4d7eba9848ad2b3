"""Forms by which bodies are drawn and touch each other; no mass follows from them.

It imports no other folder of bodies.
"""
