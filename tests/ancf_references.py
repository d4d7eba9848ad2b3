"""Cantilevers of elements with 24 coordinates, linearised about the straight beam.

Computed by a program of its own from the shape functions and strains of Nada, Hussein, Megahed and
Shabana (2010): a strip of 0.6 m, 40 mm x 1 mm, E = 200 GPa, density 7800 kg/m3, nu = 0.28, all
twelve coordinates of the first node held. Shear coefficient of the elastic line 5/6, its torsion
constant W H^3 / 3 (1 - 0.63 H / W).
"""

from __future__ import annotations

# Tip deflection under a tip force over F L^3 / (3 E I), by the number of elements: across the
# thickness, across the width.
TIP_RATIOS = {
    "continuum": {
        1: (0.5866682470436279, 0.5891950617284908),
        2: (0.73333500671167, 0.7360104575164158),
        4: (0.7700017255280504, 0.7727606393222994),
        8: (0.7791684185004549, 0.7819692084871608),
        16: (0.7814600985718749, 0.7842818264666362),
    },
    "continuum, nu = 0": {
        1: (0.750001234452434, 0.7519753086418708),
        2: (0.9375013070416237, 0.9395915032679573),
        4: (0.9843763478073679, 0.9865317494703754),
        8: (0.9960951173239404, 0.9982832357962949),
        16: (0.9990248115812403, 1.001229291508264),
    },
    "elastic_line": {
        1: (0.7500047406175546, 0.7573618220509744),
        2: (0.9375075284566943, 0.9474839500432226),
        4: (0.9843840896817161, 0.9917679230136511),
        8: (0.9961036052624058, 0.9991955892070735),
        16: (0.9990335995689226, 0.9999431439834231),
    },
}
# The four lowest frequencies, Hz.
FREQUENCIES = {
    "continuum": {
        2: (2.6997934292013768, 27.473080344678607, 107.59119365919815, 1047.0831971971675),
        4: (2.6005386263567263, 17.601502570268135, 56.73327630771904, 103.6477534853627),
        8: (2.5768831630712348, 16.447693514185623, 47.469733830891435, 97.35531459346706),
        16: (2.571030360017603, 16.185423510981643, 45.65375825466465, 90.43474473194107),
    },
    "elastic_line": {
        2: (2.387678531016726, 24.29794226722231, 67.08278650039276, 94.79254138836336),
        4: (2.2999926806797344, 15.567073000178594, 50.17617645991669, 65.81276231668828),
        8: (2.2790764611669627, 14.54644296857058, 41.981415373292194, 65.49690882867161),
        16: (2.2738943026361667, 14.314378375163916, 40.37429632129256, 65.41807917507863),
    },
}
# They were found from the stiffness matrix, whose entries are up to (top / lowest frequency)^2 =
# 1e12 times larger than what the slowest mode sees: 1e-5 is left of sixteen digits and not more of
# the two first frequencies of two elements. All others agree with singular values to 3e-6.
ROUNDED = {("continuum", 2), ("elastic_line", 2)}
