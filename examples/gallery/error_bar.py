"""An error bar on a number.

How low the tip of a falling rod comes, and all reasons for which that number may be wrong.
"""

import supple as sp

m = sp.Model(gravity=(0, -9.81, 0), name="falling rod")
alloy = sp.Material(E=69e9, G=26e9, density=2700)
section, damping = sp.Rectangle(0.01, 0.02), sp.Rayleigh(stiffness=1e-5)
rod = m.add(sp.Beam("rod", 1.0, section, alloy, elements=4, modes=2, damping=damping))
m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="z"))
certificate = sp.certify(m, 0.1, "rod.at(1.0).position.y @ end", tolerance=1e-4)
print(certificate)
figure = certificate.plot()
