"""Names that arguments have in other programs and textbooks, and what they are called here."""

from __future__ import annotations

from collections.abc import Sequence

from supple.foundation.errors import closest

# By a usual name those that may be meant, the first that there is counts; behind a colon how one
# follows from the other, or what the argument is.
ROWS: tuple[tuple[str, ...], ...] = (
    # sizes
    ("radius r outer_radius", "diameter: diameter = 2 radius"),
    ("diameter dia outer_diameter", "radius: radius = diameter / 2", "diameter"),
    ("d", "diameter", "damping"),
    ("l", "length"),
    ("span size_x", "length"),
    ("width b", "size_y", "size"),
    ("height h", "size_z", "size"),
    ("size size_y size_z", "diameter", "size_y", "length"),
    ("dimensions dims sizes lengths", "size"),
    ("wall_thickness thickness inner_radius inner_diameter", "wall", "thickness"),
    ("cross_section profile", "section"),
    ("a area", "area"),
    ("iy iyy i_y", "I_y", "inertia"),
    ("iz izz i_z", "I_z", "inertia"),
    ("it ip torsion_constant", "J"),
    # materials
    ("young youngs_modulus young_modulus elastic_modulus e_modulus modulus", "E"),
    ("shear_modulus", "G"),
    ("poisson poisson_ratio nu", "G: G = E / (2 (1 + nu))"),
    ("rho", "density", "rho"),
    ("yield_strength strength", "yield_stress"),
    # inertia
    ("m", "mass"),
    ("i j ixx moment_of_inertia inertia_tensor", "inertia"),
    ("cog cm center_of_mass centre_of_mass center centre", "com", "position"),
    # springs, dampers, friction
    ("k spring_constant rate", "stiffness", "initial_rate", "K"),
    ("c damping_coefficient damping_constant viscosity", "damping", "viscous", "C"),
    ("zeta damping_ratio xi ratio", "ratios", "damping"),
    ("alpha", "mass: the factor of the mass matrix, 1/s"),
    ("beta", "stiffness: the factor of the stiffness matrix, s"),
    (
        "mu friction friction_coefficient coefficient",
        "coulomb: the effort of dry friction itself, N or N m",
        "friction",
    ),
    ("l0 rest_length free_length natural_length length0", "length", "rest"),
    ("x0 q0 theta0 phi0 angle0 angle position0 initial_angle initial_position", "initial"),
    ("v0 omega0 velocity omega speed initial_velocity initial_speed", "initial_rate"),
    ("neutral equilibrium offset", "rest", "offset"),
    # places and axes
    ("axes axis direction", "axis", "axes", "directions", "normal"),
    ("origin pos location point", "position", "place", "at"),
    ("orientation quaternion attitude rpy", "rotation"),
    ("parent body1 body_1 frame1 frame_a body_a base first", "A", "first"),
    ("child body2 body_2 frame2 frame_b body_b follower second", "B", "second"),
    ("body frame_a node", "frame", "component", "at"),
    # forces, control
    ("torque moment effort force f", "effort", "force", "torque"),
    ("p kp gain", "kp", "gain"),
    ("i ki", "ki"),
    ("d kd", "kd"),
    ("setpoint reference desired", "target", "motion"),
    ("max_effort saturation limits", "limit"),
    ("sample_time sampling_time ts", "period"),
    ("gear_ratio n transmission", "ratio", "elements"),
    ("freq f hz", "frequency", "frequencies"),
    ("amp", "amplitude"),
    ("function fun func", "function", "motion", "value"),
    ("g", "gravity"),
    # runs
    ("t tend tf tfinal t_final t_stop tstop duration time stop end until", "t_end"),
    (
        "dt h timestep time_step step_size",
        "step",
        "output: seconds between output times; the integrator chooses its steps, "
        "integrator=Radau(max_step=...) limits them",
        "max_step",
        "times",
        "period",
    ),
    ("t_eval steps n_steps output_times frames times", "output", "times", "frames"),
    ("tol rtol atol reltol abstol accuracy eps", "tolerance", "precision"),
    ("method solver scheme", "integrator", "formulation"),
    ("x_start state state0 initial_state initial y0", "start", "initial", "at"),
    ("n num nodes n_elements num_elements nel ne mesh_size", "elements", "n", "count"),
    ("n_modes num_modes nmodes modes number_of_modes", "modes", "n", "count"),
    ("params variables", "parameters"),
    ("processes threads n_jobs cores", "workers", "threads"),
    ("timeout", "time_limit"),
    ("fixed constrained supports", "held", "fixed", "clamp"),
    ("verbose", "progress"),
    # files and pictures
    ("file filename file_name fname", "path", "file"),
    ("directory dir out", "folder", "path"),
    ("label title id", "name"),
)
SYNONYMS: dict[str, list[str]] = {}
for _names, *_meant in ROWS:
    for _usual in _names.split():
        SYNONYMS.setdefault(_usual, []).extend(_meant)


def meant(word: str, names: Sequence[str]) -> tuple[str, str] | None:
    """Return the name that a word probably means, and how one follows from the other, if any."""
    known = {name.lower(): name for name in names}
    if word.lower() in known:
        return known[word.lower()], ""
    for entry in SYNONYMS.get(word.lower(), ()):
        name, _, how = entry.partition(": ")
        if name in names:
            return name, how
    near = closest(word, list(names))
    return None if near is None else (near, "")


def argument_suggestion(word: str, names: Sequence[str]) -> str:
    """End of a sentence about an unknown argument: the one that is meant, or all of them."""
    found = meant(word, names)
    if found is not None:
        name, how = found
        return f"did you mean {name!r}" + (f" ({how})?" if how else "?")
    return "known: " + ", ".join(map(repr, names)) if names else "it takes none"
