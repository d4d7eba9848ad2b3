"""Kernels as machine code: how they are declared, compiled, linked, kept and loaded.

`declare` is what kernels import; worker processes compile entries, `build` links them, `cache`
keeps them between runs, `trust` refuses files that another user could have written. It imports
nothing of the package.
"""

from supple.native import declare, library

declare.Entry.load = library.load
