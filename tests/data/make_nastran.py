"""Write the Nastran fixtures by pyNastran, in an environment of its own; README.md says how."""

import sys
from pathlib import Path

import numpy as np
from pyNastran.bdf.bdf import BDF
from pyNastran.op4.op4 import OP4
from scipy import sparse

HERE = Path(__file__).parent


def main(path):
    """Dense and sparse OUTPUT4 files, and bulk data with the grid points, from an NPZ file."""
    with np.load(path, allow_pickle=False) as file:
        nodes = file["nodes"]
        matrices = {}
        for ours, theirs in (("stiffness_matrix", "KGG"), ("mass_matrix", "MGG")):
            parts = tuple(file[f"{ours}/{part}"] for part in ("data", "indices", "indptr"))
            matrices[theirs] = sparse.csc_matrix(parts)
    for name, convert in (("dense", lambda m: m.toarray()), ("sparse", sparse.coo_matrix)):
        given = {key: (6, convert(matrix)) for key, matrix in matrices.items()}
        target = HERE / f"beam_{name}.op4"
        OP4(debug=False).write_op4(str(target), given, name_order=["KGG", "MGG"], is_binary=False)
    model = BDF(debug=False)
    for k, place in enumerate(nodes):
        model.add_grid(100 + k, place)
    model.write_bdf(str(HERE / "beam.bdf"), size=16, is_double=False)


if __name__ == "__main__":
    main(sys.argv[1])
