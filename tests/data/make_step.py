"""Write plate.step by gmsh."""

from pathlib import Path

import gmsh


def main():
    """A plate with a hole, in millimetres."""
    gmsh.initialize(interruptible=False)
    plate = gmsh.model.occ.addBox(0, 0, 0, 60, 40, 10)
    hole = gmsh.model.occ.addCylinder(45, 20, 0, 0, 0, 10, 8)
    gmsh.model.occ.cut([(3, plate)], [(3, hole)])
    gmsh.model.occ.synchronize()
    gmsh.write(str(Path(__file__).parent / "plate.step"))
    gmsh.finalize()


if __name__ == "__main__":
    main()
