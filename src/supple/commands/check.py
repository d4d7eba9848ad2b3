"""``supple check``: what is wrong with a model file, and with its model."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import typer

from supple.commands.answers import conclude, print_json
from supple.commands.sources import File, Json, expect_file, model_file

if TYPE_CHECKING:
    from supple.foundation.errors import SuppleError


def check(
    file: File,
    as_json: Json = False,
) -> None:
    """Read a model file, tell all that is wrong with it, and examine the model."""
    from supple.analyses.doctor.diagnosis import Finding
    from supple.foundation.errors import SuppleError

    expect_file(file, "a model file")
    refused: list[dict[str, Any]] = []
    try:
        found = model_file(file)
        found.check()
    except SuppleError as error:
        if not as_json:
            raise
        print_json({"ok": False, "model": None, "findings": _told(error)})
        return conclude(False)
    diagnosis = found.doctor()
    if diagnosis.ok:
        try:
            found.expect_run()
        except SuppleError as error:
            refused = _told(error)
            severe = Finding(str(error), "", True)
            diagnosis = replace(diagnosis, findings=(severe, *diagnosis.findings))
    if as_json:
        findings = [asdict(finding) for finding in diagnosis.findings]
        findings[: bool(refused)] = refused
        print_json({"ok": diagnosis.ok, **asdict(diagnosis), "findings": findings})
    else:
        typer.echo(str(diagnosis))
    conclude(diagnosis.ok)


def _told(error: SuppleError) -> list[dict[str, Any]]:
    """Problems of a file, each with its place if there is one."""
    from supple.io.modelfiles.problems import ModelFileError

    if not isinstance(error, ModelFileError):
        return [{"severe": True, "text": str(error), "advice": ""}]
    return [
        {
            "severe": True,
            "text": problem.sentence,
            "advice": "",
            "file": problem.place.file,
            "line": problem.place.line,
            "key": problem.key,
        }
        for problem in error.problems
    ]
