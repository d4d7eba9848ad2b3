"""Kernels that only some models need, by features of models.

A model without ropes never calls the kernels of ropes, and need not wait for them: where something
is compiled for a run, seldom kernels are only if the model has their feature
(``engine/pack/features.py``). That is a hint: the library has a stub in place of each kernel that
it lacks, which has it compiled when it is first called (``library.py``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache

from supple.native import declare
from supple.native.declare import Entry, Shared
from supple.native.fingerprint import calls

# Begins of the names of the kernels of each feature: module, and function if not all are meant
FEATURES: dict[str, tuple[str, ...]] = {
    "ropes": ("forces_rope_",),
    "nodal vectors": (
        "bodies_ancf_gradient_apply",
        "bodies_ancf_gradient_strain",
        "bodies_ancf_gradient_inertia",
        "bodies_ancf_gradient_sums",
        "bodies_ancf_gradient_differentiate",
        "bodies_ancf_edge_",
    ),
    "points on nodal vectors": ("bodies_line_edge_",),
    "points in elements": ("bodies_point_edge_",),
    "elastic bodies": ("bodies_flex_body_",),
    "elastic edges": ("bodies_flex_edge_",),
    "bushings": ("forces_bushing_",),
    "contacts with data": ("contact_fields_",),
    "sets of bodies": ("contact_sets_", "run_sweeps_"),
    "gears": ("contact_gears_", "run_gear_gaps_"),
    "lines that touch": ("contact_line", "run_line_search_"),
    "solids in contact": ("contact_cores_",),
    "tyres": ("contact_tyres_",),
    "rolling": ("contact_rolling_",),
    "contacts": ("contact_", "run_gaps_", "run_touches_"),
    "inner states": (
        "equations_inner_states_",
        "forces_inner_laws_",
        "radau_newton_inner_",
        "radau_radau_inner_",
        "alpha_newton_inner_",
    ),
    "springs between points": ("forces_point_spring_",),
    "springs along axes": ("forces_cartesian_",),
    "loads along beams": ("forces_beam_load_",),
    "loads on sections": ("forces_section_load_",),
    "forces in frames": ("forces_forces_force_",),
    "joint forces": ("forces_forces_joint_",),
    "functions": ("forces_callback_", "forces_pair_callback_"),
    "linear controllers": ("forces_control_",),
    "constraints": (
        "forces_constraint_rows_",
        "equations_kkt_",
        "equations_elimination_",
        "equations_partition_",
        "radau_rows_",
        "radau_stages_prescribe",
    ),
    "rates": ("alpha_rate_rows_",),
    "sparse matrices": ("linalg_multifrontal_",),
    "elimination along the tree": ("equations_tree_", "equations_articulated_body_"),
    "kinks": ("run_kinks_first_kink", "run_kinks_is_quiet", "run_reach_", "forces_forces_branch"),
    "events": ("run_events_",),
}


@cache
def feature_of(name: str) -> str:
    """Feature of models that need a kernel, "" if all do."""
    for feature, begins in FEATURES.items():
        if name.startswith(begins):
            return feature
    return ""


def needed(entries: Iterable[Entry], features: Collection[str] | None = None) -> list[Entry]:
    """Entries, and shared kernels that they call, directly or not, for models with these features.

    None: for all models.
    """
    every = list(dict.fromkeys(entries))
    for one in every:  # the list grows
        for name in sorted(calls(one.function)):
            other, feature = declare.ENTRIES[name], feature_of(name)
            if other not in every and (features is None or not feature or feature in features):
                every.append(other)
    return every


def missing(names: Collection[str]) -> list[Shared]:
    """Kernels that some of these call, and that are not among them."""
    called = {other for name in names for other in calls(declare.ENTRIES[name].function)}
    found = (declare.ENTRIES[name] for name in sorted(called - set(names)))
    return [one for one in found if isinstance(one, Shared)]
