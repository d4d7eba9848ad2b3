"""Error bars of numbers of a run, and numbers of modes that keep errors below a tolerance.

`certify` runs variants of a model (tolerance, modes, mesh, theory, formulation), each once, and
makes an error bar with the share of each source; `choose_modes` keeps as many modes as a tolerance
allows. It imports studies, analyses and everything below.
"""
