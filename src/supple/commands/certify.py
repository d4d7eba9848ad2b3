"""``supple certify``: numbers of a model file's run with error bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from supple.commands.answers import conclude, named_by_options, print_json, refuse
from supple.commands.sources import File, Json, Until, model_file

if TYPE_CHECKING:
    from supple.certificates.certify import Certificate


def certify(
    file: File,
    outputs: Annotated[
        list[str], typer.Argument(help="Numbers: 'tip.position.y @ max', 'pin.angle @ 0.5 s'.")
    ],
    within: Annotated[
        float | None,
        typer.Option(help="Largest bar; where modes are 'auto', they are chosen for it."),
    ] = None,
    until: Until = None,
    without: Annotated[
        list[str] | None, typer.Option(help="Contribution that bars need not contain.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Put error bars on numbers of a run; exit code 0 only if all of them are certified."""
    from supple.analyses.run.options import KEPT
    from supple.certificates.certify import CONTRIBUTIONS
    from supple.certificates.certify import certify as study

    found = model_file(file)
    settings = getattr(found, "settings", {})  # a robot has none
    given = {k: v for k, v in settings.items() if k not in (*KEPT, "progress", "output")}
    asked: dict[str, Any] = {"within": within, "t_end": until}
    given |= {name: value for name, value in asked.items() if value is not None}
    given["contributions"] = [c for c in CONTRIBUTIONS if c not in (without or ())]
    _expect_known(without or [], CONTRIBUTIONS)
    t_end = given.pop("t_end", None)
    with named_by_options(asked, "certify"):
        answer = study(
            found.model,
            t_end,
            outputs,
            events=getattr(found, "events", ()),
            progress=False if as_json else None,
            **given,
        )
    if as_json:
        print_json({"file": file, "outputs": [as_mapping(c) for c in answer.values()]})
    else:
        typer.echo("\n".join(str(c) for c in answer.values()))
    conclude(all(c.passed for c in answer.values()))


def _expect_known(given: list[str], known: tuple[str, ...]) -> None:
    from supple.foundation.errors import suggestion

    for name in given:
        if name not in known:
            refuse(f"--without is {name!r}, {suggestion(name, list(known))}")


def as_mapping(c: Certificate) -> dict[str, Any]:
    """A certificate for JSON."""
    return {
        "output": c.output,
        "value": c.value,
        "bar": c.bar,
        "best": c.best,
        "level": c.level,
        "passed": c.passed,
        "verified": c.verified,
        "within": c.within,
        "verdict": c.verdict,
        "contributions": [
            {"name": x.name, "error": x.error, "reason": x.reason, "not_contained": x.unknown}
            for x in c.contributions
        ],
        "remarks": c.remarks,
        "runs": c.runs,
    }
