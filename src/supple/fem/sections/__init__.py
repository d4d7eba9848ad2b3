"""Cross sections: areas, torsion, shear, stress in a section, outlines, tapered sections.

It imports no other folder of fem.
"""
