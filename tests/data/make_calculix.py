"""Write the input files of the CalculiX fixtures and run them; README.md says with what."""

import subprocess
from pathlib import Path

import numpy as np

import supple as sp

HERE = Path(__file__).parent
TYPES = {"hex20": "C3D20", "tet10": "C3D10"}


def bent(nodes, length):
    """Nodes moved so that elements are skew and, with nodes in the middle, curved."""
    x, y, z = nodes.T / length
    moved = np.stack([x + 0.1 * y * z, y + 0.15 * x * x, z + 0.2 * x * y], axis=1)
    return length * moved


def deck(mesh, storage):
    """Input file: matrices of the free body, or frequencies of the body with its foot held."""
    lines = ["*NODE, NSET=NALL"]
    for k, place in enumerate(mesh.nodes):
        lines.append(f"{10 * (k + 1)}, " + ", ".join(repr(float(c)) for c in place))
    lines.append(f"*ELEMENT, TYPE={TYPES[mesh.kind]}, ELSET=EALL")
    for e, cell in enumerate(mesh.cells):
        numbers = [str(10 * (k + 1)) for k in cell]
        lines.append(f"{e + 1}, " + ", ".join(numbers[:10]) + ("," if len(numbers) > 10 else ""))
        if len(numbers) > 10:
            lines.append(", ".join(numbers[10:]))
    lines += ["*NSET, NSET=FOOT", *(f"{10 * (k + 1)}," for k in mesh.groups["x_min"])]
    nu = mesh.material.E / (2 * mesh.material.G) - 1
    lines += ["*MATERIAL, NAME=M", "*ELASTIC", f"{mesh.material.E!r}, {nu!r}"]
    lines += ["*DENSITY", repr(mesh.material.density), "*SOLID SECTION, ELSET=EALL, MATERIAL=M"]
    solver = ", SOLVER=MATRIXSTORAGE" if storage else ""
    lines += [] if storage else ["*BOUNDARY", "FOOT, 1, 3"]
    return "\n".join([*lines, "*STEP", f"*FREQUENCY{solver}", "8", "*END STEP", ""])


def main():
    """Two jobs: one of hexahedra in SI units, one of tetrahedra in mm, t, s."""
    steel = sp.Material(E=2.1e11, G=2.1e11 / 2.6, density=7850.0)
    in_mm = sp.Material(E=2.1e5, G=2.1e5 / 2.6, density=7.85e-9)
    hexahedra = sp.fem.block((0.2, 0.05, 0.04), (2, 1, 1), "hex20", steel)
    tetrahedra = sp.fem.block((60.0, 40.0, 30.0), (1, 1, 1), "tet10", in_mm)
    for name, mesh, length in (("hexahedra", hexahedra, 0.2), ("tetrahedra", tetrahedra, None)):
        nodes = mesh.nodes if length is None else bent(mesh.nodes, length)
        moved = sp.fem.SolidMesh(nodes, mesh.cells, mesh.kind, mesh.material, mesh.groups)
        for storage in (False, True):
            (HERE / f"{name}.inp").write_text(deck(moved, storage))
            subprocess.run(["ccx", name], cwd=HERE, check=True)
            if not storage:
                printed = (HERE / f"{name}.dat").read_text()
        (HERE / f"{name}.dat").write_text(printed)
        for ending in (".12d", ".cvg", ".frd", ".sta"):
            (HERE / f"{name}{ending}").unlink(missing_ok=True)
    (HERE / "spooles.out").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
