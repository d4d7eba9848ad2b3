"""``supple compare``: how much two results differ, and whether that is within a tolerance."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from supple.commands.answers import (
    PICTURES,
    asked_rightly,
    conclude,
    expect_place,
    print_json,
    refuse,
)
from supple.commands.sources import Json, Source, matching, result_of

if TYPE_CHECKING:
    from supple.results.result import Result
    from supple.results.saved import SavedResult
    from supple.studies.comparison import Comparison, Difference

SHOWN = 40  # rows of the table


def compare(
    first: Source,
    second: Annotated[Path, typer.Argument(help="Another one.")],
    quantities: Annotated[
        list[str] | None, typer.Argument(help="Quantities or patterns; none: all they share.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option(help="Largest difference, as a part of the range of a quantity.")
    ] = 1e-3,
    out: Annotated[
        Path | None,
        typer.Option(help="Picture of the quantities that differ most: .png, .svg, .pdf."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare two results; exit code 0 only if all quantities agree within the tolerance."""
    from supple.studies import comparison as study

    if not (math.isfinite(tolerance) and tolerance >= 0.0):
        refuse(f"--tolerance is {tolerance}, expected a number that is not negative")
    if out is not None:
        expect_place(out, PICTURES)
    pair = result_of(first), result_of(second)
    with asked_rightly():
        whole = study.compare(*pair)
        found = whole.only(*matching(quantities or (), whole.differences, whole.objects))
    answer = judged(found, pair, tolerance)
    answer |= {"first": first, "second": second}
    if out is not None:
        names = [row["name"] for row in answer["quantities"]]
        study.draw(found, names, tolerance, (first.name, second.name), out)
        answer["picture"] = out
    if as_json:
        print_json(answer)
    else:
        typer.echo(text(answer))
    conclude(answer["passed"])


def judged(
    found: Comparison, pair: tuple[Result | SavedResult, Result | SavedResult], tolerance: float
) -> dict[str, Any]:
    """The verdict and its numbers, largest relative differences first.

    Runs that failed do not agree with anything: what is left of them may, and says little. Nor do
    results whose difference may be that of interpolation between their output times.
    """
    ranked = sorted(found.differences.values(), key=lambda d: -d.of_range)
    judgements = {d.name: _judgement(d, tolerance) for d in ranked}
    off, unknown = (
        [name for name, word in judgements.items() if word == kind]
        for kind in ("differs", "undecided")
    )
    failed = {
        word: result.message
        for word, result in zip(("first", "second"), pair, strict=True)
        if not result.success
    }
    spans = [(float(r.t[0]), float(r.t[-1])) for r in pair]
    state = "differ"
    if failed:
        verdict = "; ".join(f"the {word} run failed: {why}" for word, why in failed.items())
    elif not ranked:
        verdict = "nothing was compared"
    elif off:
        verdict = (
            f"{len(off)} of {len(ranked)} quantities differ by more than {tolerance:g} of their "
            f"range, most of all {off[0]}"
        )
    elif unknown:
        state = "undecided"
        verdict = (
            f"{len(unknown)} of {len(ranked)} quantities differ by less than interpolation may "
            f"cost, most of all {unknown[0]}: give both runs the same output times"
        )
    else:
        state = "agree"
        verdict = f"all {len(ranked)} quantities agree within {tolerance:g} of their range"
        if found.skipped:
            verdict += f", {len(found.skipped)} objects are not compared"
        if any(span != (found.t[0], found.t[-1]) for span in spans):
            verdict += f", from {found.t[0]:g} to {found.t[-1]:g} s only"
    return {
        "passed": state == "agree",
        "state": state,
        "verdict": verdict,
        "tolerance": tolerance,
        "from": float(found.t[0]),
        "to": float(found.t[-1]),
        "spans": spans,
        "quantities": [
            {
                "name": d.name,
                "units": d.units,
                "max": d.max,
                "at": d.at,
                "rms": d.rms,
                "range": d.range,
                "relative": d.of_range,
                "interpolation": d.interpolation,
                "judgement": judgements[d.name],
            }
            for d in ranked
        ],
        "not_compared": found.skipped,
    }


def _judgement(d: Difference, tolerance: float) -> str:
    """True if a quantity agrees, differs, or is compared between output times too far apart."""
    if d.of_range <= tolerance:
        return "agrees"
    return "undecided" if d.max < d.interpolation else "differs"


def text(answer: dict[str, Any]) -> str:
    """Return the answer as a table."""
    rows = answer["quantities"]
    width = max([8, *(len(row["name"]) for row in rows[:SHOWN])])
    lines = [
        f"{answer['state'] if answer['passed'] else answer['state'].upper()}: {answer['verdict']}",
        f"  {'quantity':<{width}}  {'max':>9}  {'at (s)':>8}  {'rms':>9}  {'range':>9}  "
        f"{'max/range':>9}  units",
    ]
    for row in rows[:SHOWN]:
        weak = "  (interpolation)" if row["judgement"] == "undecided" else ""
        lines.append(
            f"  {row['name']:<{width}}  {row['max']:9.2e}  {row['at']:8.4g}  {row['rms']:9.2e}  "
            f"{row['range']:9.2e}  {row['relative']:9.2e}  {row['units']}{weak}"
        )
    if len(rows) > SHOWN:
        lines.append(f"  ... {len(rows) - SHOWN} more, which differ less; --json has all")
    lines += [f"  not compared: {name}, {why}" for name, why in answer["not_compared"].items()]
    spans, stretch = answer["spans"], (answer["from"], answer["to"])
    if any(tuple(span) != stretch for span in spans):
        shown = " and ".join(f"{a:g} to {b:g} s" for a, b in spans)
        lines.append(f"  compared from {stretch[0]:g} to {stretch[1]:g} s; the runs are {shown}")
    if "picture" in answer:
        lines.append(f"  written    {answer['picture']}")
    return "\n".join(lines)
