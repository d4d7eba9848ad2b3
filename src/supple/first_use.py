"""Public names that are loaded when they are used first, so that ``import supple`` is quick."""

from __future__ import annotations

# names by the module that they are loaded from on first use
ON_FIRST_USE: dict[str, str | None] = {
    name: f"supple.{module}"
    for module, names in {
        "analyses.buckling": "buckling BucklingMode ModelBuckling",
        "analyses.inverse": "inverse_dynamics",
        "analyses.kinematics": "kinematics",
        "analyses.linear_model": "LinearModel",
        "analyses.linearize": "linearize",
        "analyses.path": "EquilibriumPath SpecialPoint",
        "analyses.prepared": "prepare Prepared",
        "analyses.simulate": "simulate",
        "analyses.stability": "Stability stability StabilityLimit",
        "analyses.static_result": "StaticResult",
        "analyses.statics": "statics",
        "analyses.stiffness": "stiffness",
        "analyses.stiffness_result": "StiffnessResult",
        "analyses.transfer": "transfer",
        "analyses.transfer_result": "Transfer TransferPath",
        "bodies.mesh": "MeshBody",
        "fem.abaqus": "read_abaqus",
        "fem.block": "block",
        "fem.buckling": "Buckling",
        "fem.check": "check_component ComponentReport",
        "fem.geometry_files": "mesh_geometry",
        "fem.imported": "ImportedComponent",
        "fem.interface": "Interface",
        "fem.matrix_files": "load_component read_calculix save_component",
        "fem.matrix_market": "read_matrix_market",
        "fem.mesh_data": "MeshData",
        "fem.mesh_files": "read_mesh",
        "fem.nastran": "read_nastran",
        "fem.rosette": "principal_strains rosette_strain",
        "fem.solid": "SolidMesh",
        "fem.ties": "tie",
        "fem.vibration": "lowest_modes",
        "formulations.deformation": "DeformationModes",
        "formulations.transformation": "velocity_transformation",
        "formulations.trees": "Absolute Branch JointCoordinates OrderN",
        "integrators.alpha": "GeneralizedAlpha HHT Newmark",
        "integrators.energy": "EnergyScheme",
        "integrators.explicit": "DormandPrince",
        "integrators.radau": "Radau",
        "integrators.sundials": "Adams BDF",
        "loops.assembly": "assemble",
        "modelfiles.archive": "load_run resume",
        "modelfiles.model_file": "ModelFile read_model",
        "modelfiles.problems": "ModelFileError",
        "modelfiles.writer": "write_model",
        "results.monitor": "Monitor",
        "results.result": "load Result",
        "results.section_views": "SectionForces",
        "robots.robot_file": "read_mjcf read_urdf RobotFile",
        "studies.comparison": "compare",
        "studies.convergence": "converge",
        "studies.lyapunov": "lyapunov",
    }.items()
    for name in names.split()
}
ON_FIRST_USE["cases"] = None  # a module itself
