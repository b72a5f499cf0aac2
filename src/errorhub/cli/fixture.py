"""fixture: a bundle as a regression test."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from errorhub.cli.frame import frame, say, warn


def fixture(
    context: typer.Context,
    bundle: Annotated[str, typer.Argument(metavar="ID", help="Bundle or trajectory id, 8 or more characters.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the test and its JSON file.")],
    allow_raw: Annotated[
        bool, typer.Option("--allow-raw", help="Take the bundle as it was imported, secrets included.")
    ] = False,
) -> None:
    """Write a bundle as a pytest that fails when a new run repeats its failure. Scrubbed bundles only by default.

    Example: errorhub fixture 3fa1b2c4 --out tests/failures
    """
    from errorhub.evidence import make_fixture, write_fixture
    from errorhub.hub.recall import find_anywhere

    call = frame(context)
    made = make_fixture(find_anywhere(call.workspace(), bundle, raw=allow_raw), allow_raw=allow_raw)
    paths = [str(path) for path in write_fixture(made, out)]
    document = {
        "paths": paths,
        "bundle_id": made.bundle_id,
        "checks": [one.kind for one in made.checks],
        "withheld": list(made.withheld),
        "next_command": f"ERRORHUB_RUN=path/to/new/log pytest {shlex.quote(paths[0])}",
    }
    call.emit(document, lambda: _told(document), ids=lambda: paths)


def _told(document: dict[str, Any]) -> None:
    for path in document["paths"]:
        say(path)
    say(f"compares: {', '.join(document['checks'])}")
    if set(document["checks"]) == {"verifier"}:
        warn(f"only the verdict: `errorhub annotate {document['bundle_id'][:12]}` says which step to compare as well")
    for what in document["withheld"]:
        warn(f"not compared: {what}; policy share keeps more than strict")
