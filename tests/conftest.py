"""Settings for all tests.

Property tests draw the same examples in every run, so that a red test is red for everyone.
`make test` draws few of them, `make test-slow` twelve times as many (the profile `full`), and
`pytest --hypothesis-profile=thorough` searches further, with new examples each time.
"""

from __future__ import annotations

import gc
import signal
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from models.random_models import Array, State
    from supple.formulations.equations import Equations

# Deadlines are off: the first example may load or compile kernels.
for name, count in (("quick", 8), ("full", 100), ("thorough", 1000)):
    settings.register_profile(
        name,
        max_examples=count,
        derandomize=name != "thorough",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("quick")

# Jobs in the background of a shell ignore Ctrl-C, and so would the commands that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Tests that share a long preparation run in one process: beginnings of their names. (The marks of
# pytest-xdist for that have no effect with pytest 9.)
TOGETHER = {
    "complex numbers": (  # slow ones; tests/nojit has a few of them in plain Python
        "tests/core/test_properties.py::test_tangents",
        "tests/core/test_flexible_properties.py::test_tangents",
        "tests/loops/test_loops.py::test_tangents",
        "tests/bodies/test_ancf_models.py::test_tangents",
    ),
    "tolerance study": (
        "tests/cases/test_agreement.py::test_error_falls_as_theory_says[",
        "tests/cases/test_agreement.py::test_steps_shrink",
        "tests/cases/test_agreement.py::test_agreement_at_one_decade",
    ),
    "deflections of an oracle": ("tests/cases/test_loop_cases.py::",),
    "multistep methods on loops": ("tests/integrators/test_sundials_loops.py::",),
    "one building of the site": ("tests/contracts/test_site.py::",),
    "one run of a beam": ("tests/fem/test_section_forces.py::",),
}


# Tests whose sets of parameters show the same in many circumstances, and take long in sum:
# `make test` runs one set in so many, `make test-slow` the others.
ONE_IN = {
    "test_agreement.py::test_all_integrators_agree_on_closed_loops": 2,
    "test_agreement.py::test_error_falls_as_theory_says": 4,
    "test_agreement.py::test_every_integrator_runs_every_case_and_all_agree": 2,
    "test_agreement.py::test_steps_shrink_with_the_order_of_the_estimate": 3,
    "test_alpha_loops.py::test_formulations_agree": 3,
    "test_alpha_loops.py::test_order_is_two_of_positions_velocities_and_multipliers": 6,
    "test_alpha_loops.py::test_steps_of_changing_size_keep_the_order": 3,
    "test_ancf_cases.py::test_the_case_holds": 3,
    "test_ancf_joints.py::test_a_clamp_converges": 3,
    "test_ancf_models.py::test_equations_equal_the_mass_points": 2,
    "test_ancf_strain.py::test_strain_at_the_surface": 3,
    "test_ancf_strips.py::test_strips_that_bend_far_are_in_balance": 4,
    "test_atomic_files.py::test_a_full_disk_harms_no_earlier_file": 3,
    "test_bad_inputs.py::test_wrong_arguments": 3,
    "test_beam_verdicts.py::test_shear_of_short_beams_is_told": 3,
    "test_broken_files.py::test_cut_off_anywhere": 2,
    "test_broken_files.py::test_damaged_anywhere": 2,
    "test_cases.py::test_case_holds": 3,
    "test_cases.py::test_order_two_comes_nearer_to_the_references": 2,
    "test_closed_cases.py::test_branching_is_passed_and_told_at_every_tolerance": 2,
    "test_closed_cases.py::test_default_tolerance_keeps_the_constraints_too": 3,
    "test_closed_cases.py::test_every_choice_of_coordinates": 6,
    "test_closing.py::test_rough_and_flipped_starts_close": 3,
    "test_curved_beams.py::test_a_straight_centre_line_changes_nothing": 3,
    "test_curved_beams.py::test_small_deflections_of_an_arc_are_exact": 4,
    "test_cut_frames.py::test_small_deflections_are_those_of_the_whole_frame": 2,
    "test_docs.py::test_blocks_run": 6,
    "test_driven_coordinates.py::test_motion_and_effort_are_those_of_an_explicit_method": 3,
    "test_energy_scheme.py::test_random_systems_keep_energy": 3,
    "test_energy_scheme.py::test_redundant_rows": 2,
    "test_every_place.py::test_a_constraint_holds_the_motion_that_it_names": 3,
    "test_every_place.py::test_a_force_has_its_virtual_power": 2,
    "test_every_place.py::test_a_joint_leaves_the_motion_that_it_names": 4,
    "test_examples.py::test_example": 8,
    "test_flexible_properties.py::test_runs_with_forces_balance_their_energy": 2,
    "test_flexible_results.py::test_motion_of_a_station_is_consistent": 2,
    "test_flexures.py::test_a_notch_hinge": 2,
    "test_gallery.py::test_script": 16,
    "test_held_bodies.py::test_verdicts_of_equilibria": 8,
    "test_held_bodies.py::test_verdicts_of_frequencies": 3,
    "test_hostile_model_files.py::test_files_that_would_take_for_ever": 2,
    "test_kinds.py::test_every_kind_by_every_method": 4,
    "test_loop_cases.py::test_the_oracle_obeys_the_equations_of_the_open_tree": 3,
    "test_loop_orders.py::test_steps_do_not_drift_off_the_constraints": 3,
    "test_matched_modes.py::test_modes_of_near_frequencies_turn_fast": 2,
    "test_mechanism_references.py::test_stored_numbers_are_those_of_the_oracle": 4,
    "test_mechanisms.py::test_the_model_moves_as_its_reference": 4,
    "test_membranes.py::test_energy_is_the_integral_along_the_axis": 3,
    "test_mesh_errors.py::test_a_sudden_load_is_no_load_of_fast_modes": 2,
    "test_mesh_runs.py::test_a_strip_swings_like_a_beam": 2,
    "test_mesh_runs.py::test_a_thrown_body_keeps_energy_and_momentum": 2,
    "test_model_files.py::test_examples_run": 4,
    "test_motion_audit.py::test_a_straight_column_beyond_its_load_is_not_trusted": 2,
    "test_passage.py::test_in_other_coordinates": 2,
    "test_passage.py::test_windows_pass_at_every_tolerance": 4,
    "test_prepared.py::test_prepared_runs_are_those_of_simulate": 3,
    "test_quasi_static.py::test_driven_arm_starts_without_vibration": 3,
    "test_recompile.py::test_random_models_with_bodies_without_a_frame": 3,
    "test_scales.py::test_orbits_close": 2,
    "test_second_order_moments.py::test_a_corner_is_the_same_by_frames_and_beams": 3,
    "test_second_order_moments.py::test_moments_that_turn_in_different_ways": 2,
    "test_sensitivities.py::test_derivatives_are_those_of_whole_runs": 3,
    "test_solid_elements.py::test_rows_at_points": 2,
    "test_solid_vibration.py::test_cantilever_converges_to_timoshenko": 3,
    "test_spacar_cases.py::test_the_slider_crank_holds": 2,
    "test_spin.py::test_flyball_governor": 2,
    "test_spin.py::test_random_models_turn": 2,
    "test_stepper.py::test_every_method_sees_inputs": 2,
    "test_sundials.py::test_audit_balances_dissipation_whatever_the_output": 2,
    "test_sundials_loops.py::test_errors_fall_with_the_tolerance": 4,
    "test_sundials_loops.py::test_multipliers_do_not_hold_the_solver_up": 3,
    "test_sundials_loops.py::test_results_are_on_the_constraints": 3,
    "test_sundials_loops.py::test_rows_are_exchanged_on_the_way": 2,
    "test_sundials_loops.py::test_the_solver_does_not_drift": 2,
    "test_taut_bodies.py::test_few_modes_of_a_fast_blade_are_told": 2,
    "test_taut_bodies.py::test_right_frequencies_of_a_wire_are_not_alarmed": 3,
    "test_transfer.py::test_random_loops_agree_with_differences": 3,
    "test_truncation.py::test_what_elements_leave_out_of_a_notch": 3,
    "test_truth.py::test_verdict_is_true": 2,
    "test_verdicts_more.py::test_a_body_between_two_clamps_stretches_as_it_bends": 2,
    "test_verdicts_more.py::test_a_clamped_plate_stretches_as_it_bends": 2,
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what ``ONE_IN`` leaves to the long suite, before marks are asked for."""
    seen: Counter[str] = Counter()
    for item in items:
        name = f"{item.path.name}::{getattr(item, 'originalname', '')}"
        if name in ONE_IN and item.get_closest_marker("slow") is None:
            if seen[name] % ONE_IN[name]:
                item.add_marker(pytest.mark.slow)
            seen[name] += 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out tests one by one, and those of a group together, the largest groups first."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            groups = (group for group, names in TOGETHER.items() if nodeid.startswith(names))
            return next(groups, nodeid)

    return Together(config, log)


@pytest.fixture(scope="session")
def columns() -> Callable:
    """Residual and controller rates of the engine's own kernels for complex numbers.

    Compiled once for all tests of a process: it takes long.
    """
    import numba

    from supple.core.base import layout
    from supple.core.bodies import chart
    from supple.core.equations import dynamics
    from supple.native import compiler, declare

    if not declare.PLAIN:
        compiler.prepare(None, ("native",))

    # Without reference counting like all kernels: arrays that views returns are borrowed.
    @numba.njit(fastmath=declare.FASTMATH, error_model="numpy", _nrt=False)
    def step(ints, reals, work, t, q, d, u, a, z, moved, r, zdot):
        m, w = layout.views(ints, reals, work)
        chart.retract(m, q, d, moved)
        dynamics.evaluate(m, w, t, moved, u, a, z, r)
        for k in range(zdot.shape[0]):
            zdot[k] = w.zdot[k]

    tiny = 1e-40

    def differentiate(
        eq: Equations, s: State, which: str, lam: Array | None = None
    ) -> tuple[Array, Array]:
        """Columns of the residual (nu, n) and of controller rates (nz, n) along one argument."""
        c = eq.compiled
        start = {"d": np.zeros(eq.nu), "u": s.u, "a": s.a, "z": s.z}
        work = layout.new_work(c.ints, complex)
        if lam is not None:
            layout.read_work(c.ints, work).lam[:] = lam
        moved, r, zdot = (np.zeros(n, complex) for n in (eq.nq, eq.nu, eq.nz))
        residuals, rates = [], []
        gc.disable()  # the compiler keeps what it makes: looking for garbage takes long
        for k in range(len(start[which])):
            x = {name: value.astype(complex) for name, value in start.items()}
            x[which][k] += 1j * tiny
            step(c.ints, c.reals, work, s.t, s.q.astype(complex), *x.values(), moved, r, zdot)
            residuals.append(r.imag / tiny)
            rates.append(zdot.imag / tiny)
        gc.enable()
        n = len(residuals)
        return np.array(residuals).reshape(n, eq.nu).T, np.array(rates).reshape(n, eq.nz).T

    return differentiate
