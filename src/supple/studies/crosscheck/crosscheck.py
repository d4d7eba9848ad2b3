"""crosscheck: one model by every formulation that can express it, and by two integrators."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

from supple.analyses.base.arguments import expect
from supple.analyses.run.options import MethodOptions, RunOptions, takes
from supple.analyses.run.simulate import Prepared, prepare
from supple.engine.sparsity.solver_choice import Linear
from supple.events import Event
from supple.formulations.base import Formulation
from supple.formulations.trees import JointCoordinates
from supple.foundation import validate
from supple.foundation.errors import ModelError, SuppleError, without_warnings
from supple.foundation.progress import told
from supple.integrators.methods.alpha import GeneralizedAlpha
from supple.integrators.methods.base import Integrator
from supple.integrators.methods.explicit import DormandPrince
from supple.integrators.methods.radau import Radau
from supple.integrators.methods.sundials import BDF
from supple.model import Model
from supple.state import same_parts
from supple.studies.crosscheck.formulation_choices import (
    Refinement,
    Way,
    element_ways,
    equations_of,
    refined,
    tree_ways,
)
from supple.studies.crosscheck.result import CrossCheck, Row, RowState, State
from supple.studies.crosscheck.runs import (
    Judgement,
    Run,
    ends_apart,
    judge,
    run_measured,
    tight,
)
from supple.studies.crosscheck.states import StateFinding, StateTable, different, states_of
from supple.studies.lyapunov import lyapunov

ROUNDING = 1e-10  # of the range: below it differences are called rounding
TOO_LONG = (
    "its changes with ever shorter steps do not fall: equal steps are too long for a vibration; "
    "choose shorter ones, or a method that chooses its own"
)


def told_run(
    findings: tuple[StateFinding, ...],
    judged: Judgement,
    ends: str,
    accuracy: float,
    chaotic: Callable[[], bool],
) -> tuple[RowState, str]:
    """Of a run with the elements of the reference; ``ends`` says that it ends at another time."""
    parted = judged.parting
    if findings or parted or ends:
        parts = []
        if parted:
            parts.append(
                f"{parted.name} from t = {parted.t:.4g} s on, by {parted.part:.1e} of its range"
            )
        parts += [ends] if ends else []
        parts += [findings[0].sentence] if findings else []
        return "differs", f"differs: {'; '.join(parts)}"
    if judged.unknown:
        name, t, part = judged.unknown
        return "undecided", (
            f"undecided: not resolved, {name} differs from t = {t:.4g} s on, by {part:.1e} of its "
            f"range, but {TOO_LONG}"
        )
    if judged.missing:
        return "undecided", f"undecided: {', '.join(judged.missing[:4])} not compared"
    if math.isfinite(judged.until):
        return _unresolved(judged, accuracy, chaotic)
    if not judged.worst:
        return "undecided", "undecided: nothing moves"
    if judged.difference <= ROUNDING:
        return "rounding", f"agrees to rounding: {judged.difference:.1e} of the range"
    return "tolerance", (
        f"agrees to {judged.difference:.1e} of the range ({judged.worst}), "
        f"within the errors of both, {judged.error:.1e}"
    )


def _unresolved(
    judged: Judgement, accuracy: float, chaotic: Callable[[], bool]
) -> tuple[RowState, str]:
    """Of a run whose errors exceed the accuracy."""
    words = (
        f"the error of {judged.unresolved} exceeds {accuracy:g} of its range from "
        f"t = {judged.until:.4g} s on"
    )
    if not judged.falls:
        return "undecided", f"undecided: not resolved, {words}, and {TOO_LONG}"
    if chaotic():
        return "until", f"agrees until t = {judged.until:.4g} s, then it is chaotic"
    finer = "a tighter tolerance or shorter steps"
    return "undecided", f"undecided: {words}: choose {finer}, or end there"


def told_elements(refinement: Refinement, ends: str, accuracy: float) -> tuple[RowState, str]:
    """Of a formulation with elements of its own."""
    if ends:
        return "differs", f"differs: {ends}"
    numbers = ", ".join(map(str, refinement.levels))
    seen = ", ".join(f"{d:.1e}" for d in refinement.differences)
    trend = f"{seen} of the range with {numbers} {refinement.counted}"
    if math.isfinite(refinement.order):
        trend += f", changes of order {refinement.order:.1f}"
    if refinement.differences[-1] <= accuracy and refinement.changes[-1] <= accuracy:
        return "discretisation", f"agrees to discretisation: {trend}"
    if refinement.changes[-1] > accuracy:
        return "undecided", f"undecided: it has not converged, {trend}"
    return "undecided", (
        f"undecided: {refinement.worst} differs, {trend}: these converge to something else than "
        "the model's own elements, modes and stiffening give"
    )


OWNER = "crosscheck"
FEWEST = 20  # intervals of output
# Steps of the second integrator, in those of the reference, before another one is tried
MORE_STEPS, FEW_STEPS = 20, 5000
# Integrators of the same family share the idea of their steps.
FAMILIES = {
    "Radau": "implicit Runge-Kutta",
    "DormandPrince": "explicit Runge-Kutta",
    "BDF": "multistep",
    "Adams": "multistep",
    "GeneralizedAlpha": "alpha",
    "HHT": "alpha",
    "Newmark": "alpha",
}


@takes(MethodOptions)
def crosscheck(
    model: Model,
    t_end: float = 1.0,
    *,
    formulations: Sequence[Formulation] | None = None,
    output: int = 200,
    events: Event | Sequence[Event] = (),
    accuracy: float = 0.01,
    refine: bool = True,
    **options: Unpack[MethodOptions],
) -> CrossCheck:
    """Run one model by every formulation that can express it and by two integrators; compare them.

    Parameters
    ----------
    t_end : end of the runs, s
    formulation, integrator : those of the reference, as in `simulate`
    formulations : sequence, optional
        Those to compare with; by default all that can express the model.
    start, tolerance, events : as in `simulate`. Every way is run once more at a hundredth of the
        tolerance: what that changes is the estimate of its error. A method with equal steps is run
        with half and a quarter of its step instead.
    output : number of equal intervals at which runs are compared, at least 20
    accuracy : part of the range of each quantity to which it must be known: errors above it leave
        the answer open, other elements may differ by as much
    refine : whether formulations with elements of their own, deformation modes and gradient bodies,
        are run too, each with three numbers of elements

    The reference must reach its end; what happens to the others is told by their rows.
    """
    expect(OWNER, "model", model, Model, "a Model")
    run_options = RunOptions(t_end, **options, output=output, events=events)
    run_options.expect_formulation(OWNER)
    run_options.expect_method(OWNER)
    end = validate.number(OWNER, "t_end", t_end, "a finite number of seconds")
    fewest = f"a number of intervals, at least {FEWEST}"
    validate.integer(OWNER, "output", output, FEWEST, fewest)
    validate.flag(OWNER, "refine", refine)
    if not 0.0 < validate.number(OWNER, "accuracy", accuracy) < 1.0:
        raise ModelError(OWNER, "accuracy", accuracy, "a number between 0 and 1")
    chosen = None
    if formulations is not None:
        expected = "a sequence of formulations, e.g. [Absolute()]"
        chosen = validate.listed(OWNER, "formulations", formulations, expected)
        for item in chosen:
            expect(OWNER, "formulations", item, Formulation, expected)
    run_options = replace(run_options, t_end=end, tolerance=run_options.tolerances)
    return _Study(model, run_options, run_options.coordinates, accuracy).check(chosen, refine)


@dataclass(eq=False)
class _Study:
    """A cross-check under way."""

    model: Model
    options: RunOptions
    first: Formulation
    accuracy: float
    rows: list[Row] = field(default_factory=list)

    def check(self, chosen: list[Any] | None, refine: bool) -> CrossCheck:
        """Run everything."""
        self.given = prepare(self.model)
        written = self.first.written(self.given.model)
        if written is self.given.model:
            self.prepared = self.given
        else:  # others share the elements of the reference
            self.prepared, self.first = Prepared(written), JointCoordinates()
        with told("the reference of the cross-check"):
            self.reference = self._reference()
        result = self.reference.result
        self.states = StateTable(states_of(self.prepared, self.first, result), self.prepared.model)
        self._add_reference()
        model, way = self.prepared.model, str(result.statistics["linear"])
        others: list[Way] = []
        if chosen is None:
            ways, missing = tree_ways(model, self.first, _linear(way))
            if refine:
                others, further = element_ways(self.given.model, self._asked)
                missing |= further
        else:
            ways, missing = [Way(repr(form), form) for form in chosen], {}
        for each in ways:
            with told(f"cross-check: {each.name}"):
                self._add_formulation(each)
        with told("cross-check: another integrator"):
            self._add_integrator()
        for each in others:
            with told(f"cross-check: {each.name}"):
                self._add_elements(each)
        self.rows += [
            Row(name, "", "not applicable", f"not applicable: {why}")
            for name, why in missing.items()
        ]
        state, verdict, until = self._verdict()
        return CrossCheck(tuple(self.rows), state, verdict, until, result)

    def __post_init__(self) -> None:
        self._asked = self.first
        self._chaos: str | None = None

    @property
    def _span(self) -> float:
        """Length of the run, s."""
        result = self.reference.result
        return float(result.state().t - result.t[0])

    @property
    def method(self) -> str:
        """Name of the integrator of the reference."""
        return type(self.options.method).__name__

    def _reference(self) -> Run:
        try:
            return run_measured(self.prepared, replace(self.options, formulation=self.first))
        except ModelError:
            raise
        except SuppleError as error:
            raise SuppleError(f"crosscheck: the reference fails: {error}") from None

    def _add_reference(self) -> None:
        run = self.reference
        steps = run.result.statistics["steps"]
        errors = [e.max() / s for n, e in run.errors.items() if (s := run.scales.of[n]) > 0.0]
        error = float(max(errors, default=0.0))
        text = f"the reference: {steps} steps, error {error:.1e} of the range"
        name = _name(self._asked, str(run.result.statistics["linear"]))
        family = equations_of(run.result.data.compiled)
        row = Row(name, self.method, "reference", text, error=error, family=family)
        self.rows.append(replace(row, seconds=run.seconds))

    def _add_formulation(self, way: Way) -> None:
        """A formulation that has the elements of the reference."""
        form, model = way.formulation, self.prepared.model
        row = Row(way.name, self.method, "failed", "")
        try:
            there = states_of(self.prepared, form, self.reference.result)
            row = replace(row, family=equations_of(there.compiled))
            self._refuse_same(way, row)
            table, span = StateTable(there, model), self._span
            findings = different(self.states, table, model, span)
            if not same_parts(there.compiled, self.reference.result.data.compiled):
                raise ModelError.plain("its elements are not those of the reference")
        except SuppleError as error:
            self.rows.append(_refused(row, error))
            return
        row = replace(row, findings=tuple(findings))
        self._add_run(row, replace(self.options, formulation=form))

    def _refuse_same(self, way: Way, row: Row) -> None:
        """Trees of bodies without a frame can be the same equations: once is enough."""
        if way.tree:
            for known in self.rows:
                if known.family == row.family:
                    raise ModelError.plain(f"its equations are those of {known.name!r}")

    def _add_run(self, row: Row, options: RunOptions) -> None:
        try:
            run = run_measured(self.prepared, options)
        except SuppleError as error:
            self.rows.append(_refused(row, error))
            return
        self.rows.append(self._judged(row, run))

    def _judged(self, row: Row, run: Run) -> Row:
        judged = judge(self.reference, run, self.accuracy, tight(self.options).tolerances[0])
        row = replace(
            row,
            difference=judged.difference,
            error=judged.error,
            until=judged.until,
            quantity=judged.worst,
            at=judged.at,
            t=judged.t,
            apart=judged.apart,
            errors=judged.errors,
            seconds=run.seconds,
        )
        if judged.parting is not None:
            row = replace(row, quantity=judged.parting.name, at=judged.parting.t)
        ends = ends_apart(self.reference.result, run.result)
        state, text = told_run(row.findings, judged, ends, self.accuracy, self._chaotic)
        return replace(row, state=state, text=text)

    def _add_integrator(self) -> None:
        """The reference by a method of another family."""
        family = FAMILIES.get(self.method, self.method)
        row = Row(self.rows[0].name, "", "failed", "", family=self.rows[0].family)
        tried: list[Row] = []
        most = FEW_STEPS + MORE_STEPS * int(self.reference.result.statistics["steps"])
        others: list[Integrator] = [DormandPrince(max_steps=most), Radau(), BDF(max_steps=5 * most)]
        while others:
            other = others.pop(0)
            name = type(other).__name__
            if FAMILIES[name] == family:
                continue
            options = replace(self.options, formulation=self.first, integrator=other)
            self._add_run(replace(row, integrator=name), options)
            if self.rows[-1].state not in ("undecided", "failed", "not applicable"):
                return
            tried.append(self.rows.pop())
            if name == "DormandPrince" and tried[0].state == "not applicable":
                # Sections vibrate with megahertz, for which steps in Python take minutes.
                others.insert(-1, GeneralizedAlpha())
        best = min(tried, key=lambda one: one.state != "undecided")
        text = "; ".join(f"{one.integrator} {one.text}" for one in tried)
        state: RowState = "undecided" if best.state == "undecided" else "failed"
        self.rows.append(replace(best, state=state, text=text))

    def _add_elements(self, way: Way) -> None:
        """A formulation with elements of its own, refined."""
        row = Row(way.name, "Radau", "failed", "")
        try:
            options = replace(self.options, integrator=Radau())
            refinement = refined(self.given, options, way, self.reference.result)
        except SuppleError as error:
            self.rows.append(_refused(row, error))
            return
        ends = ends_apart(self.reference.result, refinement.result)
        state, text = told_elements(refinement, ends, self.accuracy)
        row = replace(row, state=state, text=text, difference=float(refinement.differences[-1]))
        row = replace(row, quantity=refinement.worst, at=refinement.at, order=refinement.order)
        row = replace(row, error=float(refinement.changes[-1]), seconds=refinement.seconds)
        self.rows.append(
            replace(row, t=refinement.t, apart=refinement.apart, family=refinement.family)
        )

    def _chaotic(self) -> bool:
        """True if neighbouring motions of the reference part exponentially."""
        if self._chaos is None:
            self._chaos = ""
            start = self.options.start if not isinstance(self.options.start, str) else None
            try:
                with without_warnings():
                    exponent = lyapunov(self.prepared.model, self.options.t_end, start=start)
                if exponent.chaotic:
                    self._chaos = f"it is {exponent.verdict}"
            except SuppleError:
                pass
        return bool(self._chaos)

    def _verdict(self) -> tuple[State, str, float]:
        """The state of the whole, in a sentence, and until when all agree."""
        rows, reference = self.rows, self.reference.result
        limit = min(row.until for row in rows)
        for state in ("differs", "failed", "undecided"):
            these = [row for row in rows if row.state == state]
            if these:
                sentence = f"{these[0].name} by {these[0].integrator} {these[0].text}"
                return "differ" if state == "differs" else "undecided", sentence, limit
        good = [row for row in rows if row.agrees or row.state == "until"]
        families = {row.family for row in good}
        methods = {row.integrator for row in good if row.family == rows[0].family}
        if len(families) < 2:
            return "undecided", "no two independent formulations were compared", limit
        if any(row.state == "until" for row in good):
            return "agree until", f"all agree until t = {limit:.4g} s, then {self._chaos}", limit
        levels = (reference.energy.level, reference.momentum.level, reference.monitor.level)
        if any(level in ("not trusted", "not valid") for level in levels):
            return "undecided", f"all agree, but the run is {reference.verdict}", limit
        error = max(row.difference for row in good[1:])
        return (
            "agree",
            f"{len(families)} formulations and {len(methods)} integrators agree to {error:.1e} of "
            f"the range of every quantity, until {reference.state().t:.4g} s",
            limit,
        )


def _refused(row: Row, error: SuppleError) -> Row:
    """A row that was not run, or did not reach its end."""
    state: RowState = "not applicable" if isinstance(error, ModelError) else "failed"
    return replace(row, state=state, text=f"{state}: {error}")


def _name(formulation: Formulation, way: str) -> str:
    """The reference in words."""
    if isinstance(formulation, JointCoordinates):
        words = {"tree": "order N", "dense": "whole mass matrix", "blocks": "blocks"}
        return f"joint coordinates, {words[way]}"
    return repr(formulation)


def _linear(way: str) -> Linear:
    return "tree" if way == "tree" else "blocks" if way == "blocks" else "dense"
